"""The tools as the model is told of them: names, descriptions, JSON schemas. Vocabularies come from the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from investigator.core.vocab import (
    ClaimKind,
    ClaimStatus,
    Outcome,
    QuestionKind,
    QuestionStatus,
    Stance,
    Strategy,
    TargetType,
)
from investigator.core.wire import ToolSpec

Schema = Mapping[str, Any]


def text(description: str, *, most: int = 2000, least: int = 1) -> Schema:
    return {"type": "string", "description": description, "minLength": least, "maxLength": most}


def one_of(values: Sequence[str], description: str) -> Schema:
    return {"type": "string", "enum": [str(one) for one in values], "description": description}


def number(description: str, low: float, high: float) -> Schema:
    return {"type": "number", "description": description, "minimum": low, "maximum": high}


def whole(description: str, low: int, high: int) -> Schema:
    return {"type": "integer", "description": description, "minimum": low, "maximum": high}


def flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def many(items: Schema, description: str, *, least: int = 0, most: int = 50) -> Schema:
    return {"type": "array", "items": items, "description": description, "minItems": least, "maxItems": most}


def fields(properties: Mapping[str, Schema], required: Sequence[str] = (), description: str = "") -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": dict(properties), "required": list(required)}
    return {**made, "description": description} if description else made


ID = 20  # characters of an id


def _id(description: str) -> Schema:
    return text(description, most=ID)


QUESTION = _id("question id, like q_002")
CLAIM = _id("claim id, like c_001 or d_001")
SOURCE = text("source id (s_001) or the url of a page fetched in this run", most=2000)
PRIORITY = number("from 0 to 1; 0.5 and more must be settled before the end", 0, 1)
WHY = text("why, in one sentence", most=600)
QUOTE = text("copied word for word from the page, one passage of at least five words", most=1500)

_ENTRY = fields(
    {
        "text": text("one self-contained assertion; or the text of the gap", most=600),
        "kind": one_of([*ClaimKind, "gap", "assumption"], "claim (default), datapoint (a number), gap or assumption"),
        "value": {"type": ["string", "number"], "description": "decimal number of a datapoint", "maxLength": 60},
        "unit": text("unit of the datapoint", most=60, least=0),
        "source": SOURCE,
        "stance": one_of(list(Stance), "what the source says of it; default supports"),
        "quote": QUOTE,
        "independent": flag("the source does not repeat another source listed for this claim"),
        "why": text("why it is independent", most=400, least=0),
        "question_id": _id("question it is for; default the current one"),
        "supports": many(CLAIM, "claims that this one speaks for"),
        "contradicts": many(CLAIM, "claims that this one contradicts"),
        "note": text("scope, doubt or date", most=600, least=0),
    },
    ["text"],
)

_CHANGE = fields(
    {
        "status": one_of(list(ClaimStatus), "new status; VERIFIED only where the rule is met"),
        "add_source": fields(
            {
                "source": SOURCE,
                "stance": one_of(list(Stance), "default supports"),
                "quote": QUOTE,
                "independent": flag("the source does not repeat another listed one"),
                "why": text("why it is independent", most=400, least=0),
            },
            ["source"],
            "a page that speaks for or against it",
        ),
        "drop_source": text("source id (s_001) or url that no longer speaks for or against it"),
        "note": text("scope, doubt or date", most=600),
        "retract": text("why it does not hold, or why the source is not to be relied on", most=600),
        "merged_into": _id("claim of the same kind that says the same and stays"),
        "addressed": text("why the contradiction is settled", most=600),
    },
    description="exactly one of these",
)


def _spec(name: str, description: str, properties: Mapping[str, Schema], required: Sequence[str] = ()) -> ToolSpec:
    return ToolSpec(name=name, description=description, parameters=fields(properties, required))


SPECS: tuple[ToolSpec, ...] = (
    _spec(
        "frontier_next",
        "End planning and start on the questions. Give atomic_reason when the objective needs no sub-questions.",
        {"atomic_reason": text("why the objective is atomic", most=600)},
    ),
    _spec(
        "frontier_view",
        "Show questions: one in full, those of a status, or the summary.",
        {"question_id": _id("this one in full"), "status": one_of(list(QuestionStatus), "those of this status")},
    ),
    _spec(
        "add_question",
        "Add a question under the current one: a sub-question, a contradiction, a missing fact.",
        {
            "question": text("one question, self-contained", most=500),
            "kind": one_of(list(QuestionKind), "query, hypothesis (X is true because Y) or gap"),
            "rationale": text("why it matters for the objective", most=600),
            "validation_criteria": text("what settles it; of a hypothesis what confirms and what refutes it", most=600),
            "priority": PRIORITY,
            "target_sources": many(text("a kind of source or a domain", most=200), "where to look"),
            "depends_on": many(QUESTION, "questions that must be resolved before"),
            "parent_id": _id("question it stands under; default the current one"),
            "blocks_parent": flag("the current question cannot be answered before this one"),
            "replaces": _id("blocked question that this one rewrites"),
        },
        ["question", "kind", "rationale", "validation_criteria", "priority"],
    ),
    _spec(
        "resolve_question",
        "Settle a question with its answer and the claims that carry it.",
        {
            "id": QUESTION,
            "answer": text("the answer, with its value", most=2000),
            "claim_ids": many(CLAIM, "claims that carry the answer", least=1),
            "hypothesis_outcome": one_of(["confirmed", "refuted"], "of a hypothesis"),
            "waive": fields(
                {"hypothesis": WHY, "challenge": WHY, "verified": WHY},
                description="checks that cannot be met, each with its reason",
            ),
        },
        ["id", "answer", "claim_ids"],
    ),
    _spec(
        "retry_question",
        "Inconclusive so far: name a query that differs from all earlier ones. At the cap an assumption is required.",
        {
            "id": QUESTION,
            "new_query": text("the new search query", most=400),
            "why": WHY,
            "assumption": text("what the report should assume", most=600),
        },
        ["id", "new_query", "why"],
    ),
    _spec(
        "reopen_question",
        "Reopen a settled question because of a later finding.",
        {"id": QUESTION, "why": WHY, "priority": PRIORITY},
        ["id", "why"],
    ),
    _spec(
        "set_priority",
        "Change the priority of an open question.",
        {"id": QUESTION, "priority": PRIORITY, "why": WHY},
        ["id", "priority", "why"],
    ),
    _spec(
        "prune_branch",
        "Drop a question and everything below it, because its answer would not alter the conclusion.",
        {"id": QUESTION, "reason": WHY},
        ["id", "reason"],
    ),
    _spec("notes_read", "Read the notes, or one section.", {"section": text("heading of a section", most=40)}),
    _spec(
        "notes_append",
        "Record claims, datapoints (with quotes from pages fetched in this run), or gaps. Code assigns the ids.",
        {
            "section": text("Unverified, Datapoints or Assumptions & gaps; the place follows from the kind", most=40),
            "entries": many(_ENTRY, "one assertion each", least=1, most=30),
        },
        ["section", "entries"],
    ),
    _spec(
        "notes_update",
        "Change one record: status, source, note, retraction, merge, or a contradiction (id c_003><c_001) addressed.",
        {"id": text("c_, d_ or s_ id, or c_003><c_001", most=40), "change": _CHANGE},
        ["id", "change"],
    ),
    _spec(
        "notes_scratch",
        "Replace the Scratch section (free text). A paragraph that starts with 'Conclusion:' states the conclusion.",
        {"text": text("the whole scratch text", most=20_000, least=0)},
        ["text"],
    ),
    _spec(
        "challenge",
        "Attack a belief with a search meant to find evidence against it. Then run web_search with exactly this query.",
        {
            "target_type": one_of(
                list(TargetType), "claim, question_answer (give question_id and belief) or conclusion"
            ),
            "claim_id": _id("the claim under attack (claim)"),
            "question_id": _id("the question whose answer is under attack (question_answer)"),
            "belief": text("the proposed answer under attack (question_answer)", most=2000),
            "strategy": one_of(list(Strategy), "the kind of attack"),
            "negation": text("what is true if the belief is false", most=600),
            "expected_if_false": many(
                text("something one would then find", most=400),
                "observations expected if it is false",
                least=1,
                most=10,
            ),
            "query": text("the search query; with a term of the negation or strategy that the belief lacks", most=400),
        },
        ["target_type", "strategy", "negation", "expected_if_false", "query"],
    ),
    _spec(
        "record_challenge_result",
        "Close a challenge after its search: survived, weakened (true in a narrower scope), refuted, inconclusive.",
        {
            "id": text("challenge id, like ch_001", most=20),
            "outcome": one_of(list(Outcome), "what the search showed"),
            "evidence": text("what was found", most=1000),
            "source_ids": many(SOURCE, "where; required for weakened and refuted"),
            "result_claim_id": _id("the counter-claim; required for refuted on a claim"),
        },
        ["id", "outcome", "evidence", "source_ids"],
    ),
    _spec(
        "challenges_view",
        "Show challenges.",
        {
            "target": text("a claim or question id, or conclusion", most=20),
            "status": one_of(["open", "closed"], "those of this status"),
        },
    ),
    _spec(
        "web_search",
        "Search. Returns titles, urls and snippets; a snippet cannot be quoted, fetch the page first.",
        {"query": text("the search query", most=400), "limit": whole("results wanted, default 8", 1, 20)},
        ["query"],
    ),
    _spec(
        "fetch_page",
        "Read a page whose url stood in the objective, a search result or a fetched page. Long pages come in parts.",
        {
            "url": text("the url", most=2000),
            "part": whole("part of a long page that was fetched before", 1, 10_000),
            "challenge_id": text("the challenge this carries out", most=20),
        },
        ["url"],
    ),
    _spec("query", "Ask the knowledge source.", {"query": text("the question", most=1000)}, ["query"]),
    _spec("finish_exploration", "End exploration; lists everything that is missing when it may not end yet.", {}),
    _spec(
        "finalize_report",
        "Hand in the report in Markdown with [c_001] citations; or send one question back to exploration.",
        {
            "report": text("sections Summary, Details, Contradictions, Gaps and assumptions", most=60_000, least=0),
            "reopen_question_id": _id("instead of a report: the settled question to go back to"),
            "why": text("why it is reopened", most=600),
        },
    ),
    _spec(
        "set_limits",
        "Change limits of the run.",
        {"limits": {"type": "object", "description": "limit names and values", "properties": {}}},
        ["limits"],
    ),
)

BY_NAME: Mapping[str, ToolSpec] = {spec.name: spec for spec in SPECS}
