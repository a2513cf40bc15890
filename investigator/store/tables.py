"""Every table of the store, once. The comments are the documentation; both backends create the same tables.

Everything of a run goes with it. Vocabularies are those of `core.vocab`. Payloads are text holding ASCII JSON.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, MetaData, Table, UniqueConstraint
from sqlalchemy.schema import SchemaItem

from investigator.core import effects
from investigator.core.events import KINDS
from investigator.core.vocab import (
    Actor,
    AttemptKind,
    ChallengeStatus,
    ClaimKind,
    ClaimStatus,
    LinkStatus,
    Loop,
    NotesReason,
    Outcome,
    Phase,
    QuestionKind,
    QuestionStatus,
    RunState,
    RunStatus,
    Stance,
    StopReason,
    Strategy,
    TargetType,
    Trigger,
)
from investigator.store.columns import anytext, number, one_of, plain, real, refers, rule, time

EVENTS, PAGES, WORKERS, MIGRATIONS = "gb_agent_events", "gb_agent_pages", "gb_agent_workers", "gb_agent_migrations"

metadata = MetaData(
    naming_convention={
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)


def _run_id() -> Column[int]:
    return number("run_id", "the run, id in gb_agent_research_runs", key=True)


def _of_run() -> ForeignKeyConstraint:
    return refers("run_id", effects.RUNS, "id")


def _table(name: str, comment: str, *parts: SchemaItem) -> Table:
    # Numbers that the database gives are never given again, also not after a deletion.
    return Table(name, metadata, *parts, comment=comment, sqlite_autoincrement=name in (effects.RUNS, effects.ATTEMPTS))


runs = _table(
    effects.RUNS, "a run: what was asked, how far it is, what it cost, its report",
    Column("id", Integer, primary_key=True, comment="number of the run, from the database"),
    anytext("objective", "what is to be found out"),
    plain("loop", "loop that works on it"),
    anytext("user_id", "who asked; any string"),
    plain("notes_id", "random id of the notes file, 32 hex digits; '' for runs older than the file", default=""),
    plain("status", "running, paused, completed or failed"),
    plain("phase", "exploration or synthesis; '' for runs older than the column", default=""),
    plain("stop_reason", "why it ended or went to synthesis; '' while running", default=""),
    anytext("error", "why it failed or paused, one sentence", default=""),
    anytext("model", "name of the model", default=""),
    anytext("web", "name of the world that is searched", default=""),
    plain("limits", "limits that hold now, JSON object"),
    number("parent_run", "run it was forked from", null=True),
    number("parent_turn", "turn of that run after which it was forked", null=True),
    number("steps", "closed turns", default="0"),
    number("tool_calls", "tool calls answered", default="0"),
    number("tokens", "tokens spent, prompt and reply", default="0"),
    real("cost_usd", "US dollars spent; NULL when the cost of a call is unknown", null=True),
    anytext("report", "the report as rendered, Markdown; '' before", default=""),
    number("repaired", "1 when code had to repair or write the report", default="0"),
    time("created_at", "when the run, or the run it was forked from, was started"),
    time("updated_at", "when its last event happened"),
    one_of("loop", Loop), one_of("status", RunStatus), one_of("phase", ("", *Phase)), one_of("stop_reason", StopReason),
    rule("repaired", "repaired IN (0, 1)"),
)  # fmt: skip

events = _table(
    EVENTS, "the log, the authority: everything the outside world told a run",
    _run_id(),
    number("seq", "place in the log, 1..n without gaps", key=True),
    number("turn", "turn it belongs to, 0 before the first"),
    anytext("worker", "worker it belongs to, '' for none", default=""),
    plain("kind", "kind of event"),
    plain("payload", "the event without page text, ASCII JSON object"),
    plain("chain_sha256", "hash over the effects of this event and the hash before it, 64 hex digits"),
    time("at", "when it happened"),
    _of_run(), rule("seq", "seq >= 1"), one_of("kind", KINDS),
)  # fmt: skip

pages = _table(
    PAGES, "texts of the pages that were read, once each; events name them by hash",
    _run_id(),
    plain("sha256", "hash of the text, 64 hex digits", key=True),
    anytext("url", "where it was found first"),
    number("part", "always 1: the whole text is stored at once", default="1"),
    anytext("title", "title of the page", default=""),
    anytext("text", "the whole readable text"),
    time("fetched_at", "when it was read first"),
    _of_run(),
)  # fmt: skip

states = _table(
    effects.STATES, "what the run was doing, one row a turn and one a challenge",
    _run_id(),
    number("seq", "order within the run, from 1", key=True),
    plain("state", "what it was doing"),
    plain("question_id", "question it worked on, '' for none", default=""),
    number("turn", "turn it belongs to", default="0"),
    anytext("detail", "what about it, for people", default=""),
    time("created_at", "when it began"),
    _of_run(), one_of("state", RunState),
)  # fmt: skip

workers = _table(
    WORKERS, "leases: which process works on a run; not part of the research state",
    _run_id(),
    anytext("worker", "name of the worker", key=True),
    anytext("host", "machine of its process"),
    number("pid", "its process on that machine"),
    time("expires_at", "when the lease ends unless it is renewed"),
    _of_run(),
)  # fmt: skip

migrations = _table(
    MIGRATIONS, "migrations that were carried out on this database",
    plain("name", "name of the migration", key=True),
    time("applied_at", "when"),
)  # fmt: skip

questions = _table(
    effects.QUESTIONS, "the frontier: the questions of a run, a tree below its objective",
    _run_id(),
    plain("id", "q_001; q_001 is the root, the objective", key=True),
    number("trans_seq", "seq of its latest transition", default="1"),
    plain("parent_id", "question it was asked for; NULL for the root", null=True),
    number("depth", "0 for the root"),
    number("seq", "creation order within the run, from 1"),
    plain("kind", "query, hypothesis or gap"),
    anytext("question", "the question as worded by the model or a person"),
    anytext("rationale", "why it is asked", default=""),
    anytext("validation_criteria", "what an answer must show", default=""),
    plain("target_sources", "where to look, JSON list of texts", default="[]"),
    real("priority", "0 to 1"),
    plain("status", "where it stands; equals to_status of its latest transition"),
    anytext("answer", "the answer, when resolved", default=""),
    plain("answer_claim_ids", "claims the answer rests on, JSON list of ids", default="[]"),
    anytext("assumption", "what is assumed instead of an answer, when unresolvable", default=""),
    anytext("reason", "why it was pruned, blocked or overridden", default=""),
    anytext("worker", "worker that has it in progress, '' for none", default=""),
    time("created_at", "when it was asked"),
    time("updated_at", "when it was changed last"),
    _of_run(), refers("run_id parent_id", effects.QUESTIONS), UniqueConstraint("run_id", "seq"),
    rule("depth", "depth >= 0"), rule("seq", "seq >= 1"), rule("priority", "priority >= 0 AND priority <= 1"),
    one_of("kind", QuestionKind), one_of("status", QuestionStatus),
    Index("ix_gb_agent_frontier_questions_parent_id", "run_id", "parent_id"),
)  # fmt: skip

deps = _table(
    effects.DEPS, "which question needs which; never a cycle",
    _run_id(),
    plain("question_id", "the question that waits", key=True),
    plain("depends_on_id", "the question it needs", key=True),
    time("created_at", "when it began to wait"),
    rule("other", "question_id <> depends_on_id"),
    refers("run_id question_id", effects.QUESTIONS), refers("run_id depends_on_id", effects.QUESTIONS),
)  # fmt: skip

attempts = _table(
    effects.ATTEMPTS, "every outside call, and every accepted retry",
    Column("id", Integer, primary_key=True, comment="number within the database; differs between a run and its forks"),
    number("run_id", "the run, id in gb_agent_research_runs"),
    number("n", "number within the run, the attempt's identity"),
    plain("question_id", "question it was made for"),
    number("turn", "turn it was made in"),
    plain("kind", "what it was"),
    anytext("query", "what was asked of the world"),
    plain("tool", "tool that was called; '' while a retry is not carried out"),
    anytext("outcome", "what came of it, one line", default=""),
    time("created_at", "when it was made"),
    UniqueConstraint("run_id", "n"), one_of("kind", AttemptKind),
    refers("run_id question_id", effects.QUESTIONS),
)  # fmt: skip

transitions = _table(
    effects.TRANSITIONS, "history of the questions: one row a change, never updated",
    _run_id(),
    plain("question_id", "the question", key=True),
    number("seq", "1..n per question without gaps; creation is 1", key=True),
    plain("from_status", "status before, '' at creation"),
    plain("to_status", "status after"),
    plain("trigger", "what changed it"),
    plain("actor", "agent, code or human"),
    anytext("reason", "why, in words", default=""),
    real("priority", "priority after"),
    number("attempts", "attempts that counted at that moment"),
    plain("caused_by", "q_ or ch_ id that led to it, '' for none", default=""),
    number("state_seq", "row of gb_agent_research_states it belongs to; NULL before the first", null=True),
    time("created_at", "when"),
    rule("seq", "seq >= 1"), one_of("from_status", ("", *QuestionStatus)), one_of("to_status", QuestionStatus),
    one_of("trigger", Trigger), one_of("actor", Actor),
    rule("creation", "(from_status = '') = (trigger = 'created')"),
    rule("priority_only", "(from_status = to_status) = (trigger = 'reprioritized')"),
    refers("run_id question_id", effects.QUESTIONS),
)  # fmt: skip

sources = _table(
    effects.SOURCES, "places that were read, one per canonical url",
    _run_id(),
    plain("id", "s_001", key=True),
    anytext("published", "date it gives itself, ISO text or ''", default=""),
    anytext("retracted", "why it is not to be relied on, '' if it may be", default=""),
    anytext("url", "canonical url"),
    anytext("domain", "registrable domain; sources that share it are one voice"),
    anytext("title", "its title", default=""),
    anytext("note", "what was found in it, in words", default=""),
    time("created_at", "when it was read first"),
    _of_run(), UniqueConstraint("run_id", "url"),
)  # fmt: skip

claims = _table(
    effects.CLAIMS, "claims and datapoints: one atomic assertion each",
    _run_id(),
    plain("id", "c_001 or d_001", key=True),
    anytext("note", "scope or comment", default=""),
    plain("kind", "claim or datapoint"),
    anytext("text", "the assertion"),
    anytext("value", "value of a datapoint, a decimal string", default=""),
    anytext("unit", "unit of that value", default=""),
    plain("status", "where it stands; equals to_status of its latest transition"),
    plain("question_id", "question it was found for", null=True),
    time("created_at", "when it was recorded"),
    time("updated_at", "when its status was changed last"),
    _of_run(), refers("run_id question_id", effects.QUESTIONS),
    one_of("kind", ClaimKind), one_of("status", ClaimStatus),
)  # fmt: skip

claim_sources = _table(
    effects.CLAIM_SOURCES, "what a source says of a claim",
    _run_id(),
    plain("claim_id", "the claim", key=True),
    plain("source_id", "the source", key=True),
    anytext("quote", "words of the source", default=""),
    plain("page_sha256", "page text the quote stands in, '' if not located", default=""),
    number("quote_start", "first character of the quote in that text; NULL if not located", null=True),
    number("quote_end", "character after its last; NULL if not located", null=True),
    number("independent", "1 when the agent declared the source independent of the earlier ones", default="0"),
    anytext("declared_why", "why, in its words", default=""),
    plain("stance", "supports or contradicts"),
    time("created_at", "when it was linked"),
    one_of("stance", Stance), rule("independent", "independent IN (0, 1)"),
    refers("run_id claim_id", effects.CLAIMS), refers("run_id source_id", effects.SOURCES),
)  # fmt: skip

claim_links = _table(
    effects.CLAIM_LINKS, "one claim for or against another",
    _run_id(),
    plain("claim_id", "the claim that speaks", key=True),
    plain("other_id", "the claim it speaks of", key=True),
    plain("kind", "supports or contradicts"),
    plain("status", "open or addressed"),
    anytext("text", "what it is about, or how it was addressed", default=""),
    plain("question_id", "question that settles it", null=True),
    time("created_at", "when it was found"),
    one_of("kind", Stance), one_of("status", LinkStatus),
    refers("run_id claim_id", effects.CLAIMS), refers("run_id other_id", effects.CLAIMS),
)  # fmt: skip

claim_transitions = _table(
    effects.CLAIM_TRANSITIONS, "history of the claims: one row a change of status, never updated",
    _run_id(),
    plain("claim_id", "the claim", key=True),
    number("seq", "1..n per claim without gaps; creation is 1", key=True),
    plain("from_status", "status before, '' at creation"),
    plain("to_status", "status after"),
    plain("actor", "agent, code or human"),
    anytext("reason", "why, in words", default=""),
    plain("caused_by", "id that led to it, '' for none", default=""),
    number("state_seq", "row of gb_agent_research_states it belongs to; NULL before the first", null=True),
    time("created_at", "when"),
    rule("seq", "seq >= 1"), one_of("from_status", ("", *ClaimStatus)), one_of("to_status", ClaimStatus),
    one_of("actor", Actor), refers("run_id claim_id", effects.CLAIMS),
)  # fmt: skip

challenges = _table(
    effects.CHALLENGES, "adversarial queries: how the agent attacked what it believed",
    _run_id(),
    plain("id", "ch_001", key=True),
    anytext("belief", "the text under attack", default=""),
    number("attempt_n", "number of the search that carried it out; NULL before", null=True),
    number("opened_turn", "turn it was opened in"),
    number("closed_turn", "turn it was closed in; NULL while open", null=True),
    plain("target_type", "claim, question_answer or conclusion"),
    plain("claim_id", "target, when it is a claim", null=True),
    plain("question_id", "target, when it is the answer of a question", null=True),
    plain("strategy", "kind of attack"),
    anytext("negation", "what would hold if the belief were false"),
    plain("expected_if_false", "what would then be found, JSON list of texts"),
    anytext("query", "what is searched for"),
    number("attempt_id", "id of that search in gb_agent_frontier_attempts; NULL before", null=True),
    plain("status", "open or closed", default="open"),
    plain("outcome", "what came of it, '' while open", default=""),
    anytext("evidence", "what was found, in words", default=""),
    plain("result_claim_id", "claim that came of it", null=True),
    time("created_at", "when it was opened"),
    time("closed_at", "when it was closed; NULL while open", null=True),
    one_of("target_type", TargetType), one_of("strategy", Strategy), one_of("status", ChallengeStatus),
    one_of("outcome", ("", *Outcome)), rule("negation", "negation <> ''"),
    rule("expected_if_false", "expected_if_false <> ''"), rule("closed", "(status = 'open') = (outcome = '')"),
    rule("of_claim", "(target_type = 'claim') = (claim_id IS NOT NULL)"),
    rule("of_question", "(target_type = 'question_answer') = (question_id IS NOT NULL)"),
    _of_run(), refers("attempt_id", effects.ATTEMPTS, "id"), refers("run_id claim_id", effects.CLAIMS),
    refers("run_id question_id", effects.QUESTIONS), refers("run_id result_claim_id", effects.CLAIMS),
    Index("ix_gb_agent_challenges_attempt_id", "attempt_id"),
)  # fmt: skip

challenge_sources = _table(
    effects.CHALLENGE_SOURCES, "sources that a challenge's outcome rests on",
    _run_id(),
    plain("challenge_id", "the challenge", key=True),
    plain("source_id", "the source", key=True),
    refers("run_id challenge_id", effects.CHALLENGES), refers("run_id source_id", effects.SOURCES),
)  # fmt: skip

notes_versions = _table(
    effects.NOTES_VERSIONS, "history of the notes: the whole text after each write",
    _run_id(),
    number("seq", "1..n within the run", key=True),
    number("state_seq", "row of gb_agent_research_states it belongs to; NULL before the first", null=True),
    plain("reason", "what wrote it"),
    anytext("content", "the whole notes.md after the write"),
    time("created_at", "when"),
    _of_run(), rule("seq", "seq >= 1"), one_of("reason", NotesReason),
)  # fmt: skip
