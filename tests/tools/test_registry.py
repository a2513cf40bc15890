"""The registry: what a turn offers, that nothing else can be called in it, and that every schema is one."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from tool_states import ATTACK, QUESTION, Desk

from investigator.core.refusal import Refusal
from investigator.core.vocab import Loop, TurnKind
from investigator.tools import outside
from investigator.tools.registry import HANDLERS, OFFERED, for_turn
from investigator.tools.specs import BY_NAME, SPECS

VALID: dict[str, dict[str, Any]] = {
    "frontier_next": {"atomic_reason": "one fact"},
    "frontier_view": {"status": "pending"},
    "add_question": {**QUESTION, "question": "Who built it?", "target_sources": ["archives"], "blocks_parent": False},
    "resolve_question": {"id": "q_001", "answer": "1887", "claim_ids": ["c_001"], "waive": {"challenge": "no time"}},
    "retry_question": {"id": "q_001", "new_query": "tay bridge", "why": "nothing", "assumption": "unknown"},
    "reopen_question": {"id": "q_001", "why": "new source", "priority": 1},
    "set_priority": {"id": "q_001", "priority": 0.2, "why": "minor"},
    "prune_branch": {"id": "q_002", "reason": "minor"},
    "notes_read": {"section": "Sources"},
    "notes_append": {"section": "Datapoints", "entries": [{"text": "It has piers", "kind": "datapoint", "value": 85}]},
    "notes_update": {"id": "c_001", "change": {"add_source": {"source": "s_001", "quote": "a b c d e"}}},
    "notes_scratch": {"text": ""},
    "challenge": {**ATTACK, "target_type": "claim", "claim_id": "c_001", "query": "tay bridge myth"},
    "record_challenge_result": {"id": "ch_001", "outcome": "survived", "evidence": "none", "source_ids": []},
    "challenges_view": {"target": "conclusion", "status": "open"},
    "web_search": {"query": "tay bridge", "limit": 3},
    "fetch_page": {"url": "https://a.org/x", "part": 2},
    "query": {"query": "tay bridge"},
    "finish_exploration": {},
    "finalize_report": {"report": "# Summary"},
    "set_limits": {"limits": {"max_depth": 2}},
}
WRONG = [
    ("frontier_view", {"status": "open"},
     "status must be one of pending, in_progress, resolved, blocked, unresolvable, pruned, got 'open'"),
    ("add_question", {**QUESTION}, "question is missing, it must be text of 1 to 500 characters"),
    ("add_question", {**QUESTION, "question": "x", "priority": 2}, "priority must be a number from 0 to 1, got 2"),
    ("add_question", {**QUESTION, "question": "x", "kind": "fact"},
     "kind must be one of query, hypothesis, gap, got 'fact'"),
    ("add_question", {**QUESTION, "question": " "}, "question must be text of 1 to 500 characters, got ' '"),
    ("resolve_question", {"id": "q_001", "answer": "x", "claim_ids": []},
     "claim_ids must be a list of 1 to 50 items, each text of 1 to 20 characters, got a list of 0"),
    ("resolve_question", {"id": "q_001", "answer": "x", "claim_ids": ["c_001"], "waive": {"verified": ""}},
     "waive.verified must be text of 1 to 600 characters, got ''"),
    ("retry_question", {"id": "q_001", "new_query": "x"}, "why is missing, it must be text of 1 to 600 characters"),
    ("reopen_question", {"id": "q_001"}, "why is missing, it must be text of 1 to 600 characters"),
    ("set_priority", {"id": "q_001", "why": "x", "priority": "high"},
     "priority must be a number from 0 to 1, got 'high'"),
    ("prune_branch", {"id": "q_001"}, "reason is missing, it must be text of 1 to 600 characters"),
    ("notes_append", {"section": "Unverified", "entries": []},
     ("entries must be a list of 1 to 30 items, each an object with text, kind, value, unit, source, stance, quote, "
     "independent, why, question_id, supports, contradicts, note, got a list of 0")),
    ("notes_append", {"section": "Unverified", "entries": [{"kind": "claim"}]},
     "entries[0].text is missing, it must be text of 1 to 600 characters"),
    ("notes_update", {"id": "c_001", "change": {"status": "TRUE"}},
     "change.status must be one of UNVERIFIED, VERIFIED, REFUTED, RETRACTED, got 'TRUE'"),
    ("notes_scratch", {}, "text is missing, it must be text of 0 to 20000 characters"),
    ("challenge", {**ATTACK, "target_type": "claim", "query": "x", "strategy": "doubt"},
     ("strategy must be one of direct_negation, counterexample, alternative_explanation, newer_evidence, scope_limits, "
     "source_critique, independent_origin, got 'doubt'")),
    ("challenge", {**ATTACK, "target_type": "claim", "query": "x", "expected_if_false": []},
     "expected_if_false must be a list of 1 to 10 items, each text of 1 to 400 characters, got a list of 0"),
    ("record_challenge_result", {"id": "ch_001", "outcome": "won", "evidence": "x", "source_ids": []},
     "outcome must be one of survived, weakened, refuted, inconclusive, got 'won'"),
    ("challenges_view", {"status": "lost"}, "status must be one of open, closed, got 'lost'"),
    ("web_search", {"q": "x"}, "query is missing, it must be text of 1 to 400 characters (you sent q)"),
    ("web_search", {"query": "x", "limit": 21}, "limit must be a whole number from 1 to 20, got 21"),
    ("fetch_page", {"url": "u", "part": 1.5}, "part must be a whole number from 1 to 10000, got 1.5"),
    ("query", {"query": ""}, "query must be text of 1 to 1000 characters, got ''"),
]  # fmt: skip


def test_the_table_of_valid_calls_names_every_tool() -> None:
    """A new tool needs an example here, and every tool has a handler or a preparation."""
    assert set(VALID) == set(BY_NAME)
    assert set(BY_NAME) == set(HANDLERS) | set(outside.PREPARE)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_schema_is_valid_and_accepts_its_example(spec: Any) -> None:
    """The schemas that models are sent are JSON schemas, and mean what the handlers want."""
    jsonschema.Draft202012Validator.check_schema(spec.parameters)
    jsonschema.validate(VALID[spec.name], spec.parameters)
    assert spec.description.endswith(".")


@pytest.mark.parametrize(("name", "args", "sentence"), WRONG)
def test_call_names_what_is_wrong_with_the_arguments(name: str, args: dict[str, Any], sentence: str) -> None:
    """Arguments outside the schema are refused with the field, what it must be, and what came."""
    desk = Desk(knowledge=True)
    assert desk.no(name, **args) == ("arguments", sentence)


@pytest.mark.parametrize(("name", "args", "sentence"), [one for one in WRONG if one[0] != "web_search"])
def test_the_schemas_refuse_what_call_refuses(name: str, args: dict[str, Any], sentence: str) -> None:
    """Apart from blanks, which no schema can name, a strict endpoint refuses the same arguments."""
    blank = any(isinstance(value, str) and value and not value.strip() for value in args.values())
    assert jsonschema.Draft202012Validator(BY_NAME[name].parameters).is_valid(args) is blank


def test_offered_tools_are_those_of_the_turn_kind() -> None:
    """Each kind of turn offers its list and no other, `query` only where the world can answer."""
    everything = [spec.name for spec in for_turn(TurnKind.RESEARCHING, knowledge=True)]
    assert set(BY_NAME) - set(everything) == {"finalize_report", "set_limits"}
    for kind in (TurnKind.VERIFYING, TurnKind.CLOSING):
        assert [spec.name for spec in for_turn(kind, knowledge=True)] == everything
    assert "query" not in [spec.name for spec in for_turn(TurnKind.RESEARCHING)]
    notes = ["notes_read", "notes_append", "notes_update", "notes_scratch"]
    assert [spec.name for spec in for_turn(TurnKind.EXTRACTION)] == notes
    assert [spec.name for spec in for_turn(TurnKind.CONSOLIDATION)] == notes
    planning = [spec.name for spec in for_turn(TurnKind.PLANNING)]
    assert planning == [*everything[:8], *notes]
    assert [spec.name for spec in for_turn(TurnKind.SYNTHESIZING)] == ["notes_read", "frontier_view", "finalize_report"]
    assert [spec.name for spec in for_turn(TurnKind.LAST)] == ["finalize_report"]
    assert [spec.name for spec in for_turn(TurnKind.RESEARCHING, loop=Loop.SIMPLE)] == ["web_search", "fetch_page"]
    assert for_turn(TurnKind.LAST, loop=Loop.SIMPLE) == ()


@pytest.mark.parametrize("kind", list(TurnKind))
def test_nothing_but_the_offered_tools_is_callable(kind: TurnKind) -> None:
    """A call of a tool that a turn does not offer is refused by name, whatever its arguments."""
    desk = Desk(kind=kind)
    for name in BY_NAME:
        made = desk.call(name, **VALID[name]) if name not in OFFERED[kind] or name == "query" else None
        assert made is None or (isinstance(made, Refusal) and made.kind in ("not_offered", "plan_first"))


def test_planning_answers_web_tools_with_plan_first() -> None:
    """Before the plan stands, searching is refused, and what to do instead is said."""
    desk = Desk(kind=TurnKind.PLANNING)
    for name in ("web_search", "fetch_page", "challenge", "finish_exploration"):
        assert desk.no(name, **VALID[name]) == (
            "plan_first",
            (f"{name} is not offered while planning: plan first. "
            "Add sub-questions with add_question, then call frontier_next."),
        )


def test_extraction_names_what_can_be_called() -> None:
    """While a page is extracted only notes tools can be called."""
    desk = Desk(kind=TurnKind.EXTRACTION)
    assert desk.no("web_search", query="x") == (
        "not_offered",
        ("web_search cannot be called in a turn of kind extraction. "
        "Callable now: notes_read, notes_append, notes_update, notes_scratch."),
    )
    assert desk.no("resolve_question", **VALID["resolve_question"])[0] == "not_offered"


def test_a_person_may_call_every_tool_in_any_phase() -> None:
    """Only an unknown name is refused for being what it is."""
    desk = Desk(knowledge=True)
    desk.human = True
    for name, args in VALID.items():
        made = desk.call(name, **args)
        assert not isinstance(made, Refusal) or made.kind not in ("not_offered", "plan_first", "unknown_tool")
    kind, sentence = desk.no("delete_run")
    assert kind == "unknown_tool"
    assert sentence.startswith("there is no tool 'delete_run'. Tools: frontier_next, ")
