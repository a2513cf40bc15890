"""What an event changed, as rows: the difference of two states, in the order that foreign keys ask for.

Knows the tables by name and the columns by name, nothing of a database. The store adds the run's id to every row.
A fold of the log yields effects too, so `tables` of them must equal what the database holds: that is `verify`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from investigator.core import codec
from investigator.core.challenges import Challenge
from investigator.core.claims import Claim, ClaimLink, ClaimTransition, Source, SourceLink
from investigator.core.frontier import Attempt, Frontier, Question
from investigator.core.limits import Limits
from investigator.core.state import State, StateRow
from investigator.core.transitions import Transition

Value = str | int | float | None
Row = Mapping[str, Value]
Key = tuple[Value, ...]
Tables = dict[str, dict[Key, Row]]
V = TypeVar("V")

RUNS = "gb_agent_research_runs"
STATES = "gb_agent_research_states"
QUESTIONS = "gb_agent_frontier_questions"
DEPS = "gb_agent_frontier_deps"
ATTEMPTS = "gb_agent_frontier_attempts"
TRANSITIONS = "gb_agent_frontier_transitions"
SOURCES = "gb_agent_sources"
CLAIMS = "gb_agent_claims"
CLAIM_SOURCES = "gb_agent_claim_sources"
CLAIM_LINKS = "gb_agent_claim_links"
CLAIM_TRANSITIONS = "gb_agent_claim_transitions"
CHALLENGES = "gb_agent_challenges"
CHALLENGE_SOURCES = "gb_agent_challenge_sources"
NOTES_VERSIONS = "gb_agent_notes_versions"

# The tables of the research state in foreign-key order, with what identifies a row within its run.
PRIMARY_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        RUNS: (),
        STATES: ("seq",),
        QUESTIONS: ("id",),
        DEPS: ("question_id", "depends_on_id"),
        ATTEMPTS: ("n",),
        TRANSITIONS: ("question_id", "seq"),
        SOURCES: ("id",),
        CLAIMS: ("id",),
        CLAIM_SOURCES: ("claim_id", "source_id"),
        CLAIM_LINKS: ("claim_id", "other_id"),
        CLAIM_TRANSITIONS: ("claim_id", "seq"),
        CHALLENGES: ("id",),
        CHALLENGE_SOURCES: ("challenge_id", "source_id"),
        NOTES_VERSIONS: ("seq",),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """Write a row: new, or in the place of the one with its key."""

    table: str
    row: Row

    @property
    def key(self) -> Key:
        return tuple(self.row[one] for one in PRIMARY_KEYS[self.table])


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Take a row away. ``key`` is in the order of `PRIMARY_KEYS`."""

    table: str
    key: Key


Effect = Put | Drop


def diff(before: State | None, after: State, notes_text: str = "") -> tuple[Effect, ...]:
    """Everything that differs between two states that follow each other, plus what ``after.journal`` tells.

    Args:
        before: the state before the event; None: there was none.
        notes_text: the whole notes after the event; it is the content of the new version, if there is one.
    """
    found: list[Effect] = [Put(table=RUNS, row=run_row(after))]
    found.extend(Put(table=STATES, row=state_row(one, after.at)) for one in after.journal.rows)
    found.extend(_frontier(before.frontier if before else Frontier(), after))
    found.extend(_ledger(before, after))
    found.extend(_challenges(before.challenges if before else {}, after.challenges))
    if after.notes_seq > (before.notes_seq if before else 0):
        found.append(Put(table=NOTES_VERSIONS, row=notes_row(after, notes_text)))
    return tuple(found)


def _frontier(before: Frontier, after: State) -> Iterator[Effect]:
    now = after.frontier
    yield from _parents_first(dict(_changed(before.questions, now.questions)))
    yield from _edges(before.needs, now.needs, after.at)
    for _, attempt in _changed(before.attempts, now.attempts):
        yield Put(table=ATTEMPTS, row=attempt_row(attempt))
    for transition, state_seq in after.journal.transitions:
        yield Put(table=TRANSITIONS, row=transition_row(transition, state_seq, after.at))


def _changed(before: Mapping[Any, V], after: Mapping[Any, V]) -> Iterator[tuple[Any, V]]:
    """The entries that are new or have another value. Values are shared between states, so most are identical."""
    if before is after:
        return
    for key, value in after.items():
        old = before.get(key)
        if old is not value and old != value:
            yield key, value


def _parents_first(questions: Mapping[str, Question]) -> Iterator[Put]:
    """A question may have got a parent younger than itself (rewriting), so creation order is not enough."""
    done: set[str] = set()
    for one in questions.values():
        path = []
        while one.id not in done:
            done.add(one.id)
            path.append(one)
            one = questions.get(one.parent_id, one)
        for each in reversed(path):
            yield Put(table=QUESTIONS, row=question_row(each))


def _edges(before: Mapping[str, tuple[str, ...]], after: Mapping[str, tuple[str, ...]], at: str) -> Iterator[Effect]:
    if before is after:
        return
    for one, needs in before.items():
        for gone in (need for need in needs if need not in after.get(one, ())):
            yield Drop(table=DEPS, key=(one, gone))
    for one, needs in _changed(before, after):
        for new in (need for need in needs if need not in before.get(one, ())):
            yield Put(table=DEPS, row=dep_row(one, new, at))


def _ledger(before: State | None, after: State) -> Iterator[Effect]:
    old, now = before.ledger if before else None, after.ledger
    if old is not now:
        for _, source in _changed(old.sources if old else {}, now.sources):
            yield Put(table=SOURCES, row=source_row(source))
        claims: Mapping[str, Claim] = old.claims if old else {}
        changed = tuple(_changed(claims, now.claims))
        for key, claim in changed:
            if key not in claims or claim_row(claims[key]) != claim_row(claim):
                yield Put(table=CLAIMS, row=claim_row(claim))
        for key, claim in changed:
            yield from _links(claims.get(key), claim)
        for _, link in _changed(old.links if old else {}, now.links):
            yield Put(table=CLAIM_LINKS, row=claim_link_row(link))
    for transition, state_seq in after.journal.claim_transitions:
        yield Put(table=CLAIM_TRANSITIONS, row=claim_transition_row(transition, state_seq, after.at))


def _links(before: Claim | None, after: Claim) -> Iterator[Effect]:
    old = {one.source_id: one for one in before.links} if before else {}
    now = {one.source_id: one for one in after.links}
    for source_id in (one for one in old if one not in now):
        yield Drop(table=CLAIM_SOURCES, key=(after.id, source_id))
    for _, link in _changed(old, now):
        yield Put(table=CLAIM_SOURCES, row=claim_source_row(after.id, link))


def _challenges(before: Mapping[str, Challenge], after: Mapping[str, Challenge]) -> Iterator[Effect]:
    changed = tuple(_changed(before, after))
    for _, one in changed:
        yield Put(table=CHALLENGES, row=challenge_row(one))
    for key, one in changed:
        old = before[key].source_ids if key in before else ()
        for gone in (source_id for source_id in old if source_id not in one.source_ids):
            yield Drop(table=CHALLENGE_SOURCES, key=(key, gone))
        for new in (source_id for source_id in one.source_ids if source_id not in old):
            yield Put(table=CHALLENGE_SOURCES, row={"challenge_id": key, "source_id": new})


def chain(previous: str, effects: Iterable[Effect]) -> str:
    """The chain hash of an event over its effects and the hash before it ('' for the first), 64 hex digits.

    >>> chain("", ()) == chain("", ()) != chain("x", ())
    True
    """
    return codec.digest(previous, codec.dumps(tuple(effects)))


def tables(effects: Iterable[Effect]) -> Tables:
    """The tables that these effects, in this order, leave behind when they start from empty ones.

    >>> edge = {"question_id": "q_002", "depends_on_id": "q_003", "created_at": ""}
    >>> len(tables([Put(table=DEPS, row=edge)])[DEPS])
    1
    >>> tables([Put(table=DEPS, row=edge), Drop(table=DEPS, key=("q_002", "q_003"))])[DEPS]
    {}
    """
    found: Tables = {name: {} for name in PRIMARY_KEYS}
    for one in effects:
        if isinstance(one, Put):
            found[one.table][one.key] = one.row
        else:
            found[one.table].pop(one.key, None)
    return found


def compact(effects: Iterable[Effect]) -> tuple[Put, ...]:
    """The fewest effects that leave the same tables, in foreign-key order: what a fork writes at once."""
    found = tables(effects)
    questions = {str(row["id"]): row for row in found[QUESTIONS].values()}
    found[QUESTIONS] = dict(sorted(found[QUESTIONS].items(), key=lambda item: _generation(item[1], questions)))
    return tuple(Put(table=name, row=row) for name, rows in found.items() for row in rows.values())


def _generation(row: Row, questions: Mapping[str, Row]) -> int:
    """How many ancestors a question has. Its depth does not tell: that of a moved question stays."""
    count = 0
    while row["parent_id"] is not None:
        row, count = questions[str(row["parent_id"])], count + 1
    return count


def run_row(state: State) -> Row:
    """The run's row. ``steps`` counts closed turns; ``cost_usd`` is None as soon as one call's cost is unknown."""
    run, spent = state.run, state.budget
    return {
        "objective": run.objective, "loop": str(run.loop), "user_id": run.user, "notes_id": run.notes_id,
        "status": str(state.status), "phase": str(state.phase), "stop_reason": str(state.stop_reason),
        "error": state.error, "model": run.model, "web": run.web, "limits": _limits_text(state.limits),
        "parent_run": run.parent_run or None, "parent_turn": run.parent_turn if run.parent_run else None,
        "steps": state.turn, "tool_calls": spent.tool_calls, "tokens": spent.tokens,
        "cost_usd": float(spent.cost_usd) if spent.cost_known else None, "report": state.report,
        "repaired": int(state.repaired), "created_at": run.started_at, "updated_at": state.at,
    }  # fmt: skip


@functools.lru_cache(maxsize=64)
def _limits_text(limits: Limits) -> str:
    """Kept, because every event writes the run's row and few change its limits; equal limits have one text."""
    return codec.dumps(limits)


def state_row(one: StateRow, at: str) -> Row:
    """What the run was doing."""
    return {
        "seq": one.seq, "state": str(one.state), "question_id": one.question_id, "turn": one.turn,
        "detail": one.detail, "created_at": at,
    }  # fmt: skip


def question_row(one: Question) -> Row:
    """A question; the root's parent is None."""
    return {
        "trans_seq": one.trans_seq, "id": one.id, "parent_id": one.parent_id or None, "depth": one.depth,
        "seq": one.seq, "kind": str(one.kind), "question": one.question, "rationale": one.rationale,
        "validation_criteria": one.validation_criteria, "target_sources": codec.dumps(one.target_sources),
        "priority": float(one.priority), "status": str(one.status), "answer": one.answer,
        "answer_claim_ids": codec.dumps(one.answer_claim_ids), "assumption": one.assumption, "reason": one.reason,
        "worker": one.worker, "created_at": one.created_at, "updated_at": one.updated_at,
    }  # fmt: skip


def dep_row(question_id: str, depends_on_id: str, at: str) -> Row:
    """An edge: the first needs the second."""
    return {"question_id": question_id, "depends_on_id": depends_on_id, "created_at": at}


def attempt_row(one: Attempt) -> Row:
    """An outside call or a retry; the store gives it an id of its own besides its number."""
    return {
        "n": one.n, "turn": one.turn, "kind": str(one.kind), "question_id": one.question_id, "query": one.query,
        "tool": one.tool, "outcome": one.outcome, "created_at": one.created_at,
    }  # fmt: skip


def transition_row(one: Transition, state_seq: int, at: str) -> Row:
    """A change of a question. ``state_seq`` 0 (before the first row of the states table) is None."""
    return {
        "question_id": one.question_id, "seq": one.seq, "from_status": str(one.from_status),
        "to_status": str(one.to_status), "trigger": str(one.trigger), "actor": str(one.actor), "reason": one.reason,
        "priority": float(one.priority), "attempts": one.attempts, "caused_by": one.caused_by,
        "state_seq": state_seq or None, "created_at": at,
    }  # fmt: skip


def source_row(one: Source) -> Row:
    """A source that was read."""
    return {
        "published": one.published, "retracted": one.retracted, "id": one.id, "url": one.url, "domain": one.domain,
        "title": one.title, "note": one.note, "created_at": one.created_at,
    }  # fmt: skip


def claim_row(one: Claim) -> Row:
    """A claim or datapoint without its links, which are rows of their own."""
    return {
        "note": one.note, "id": one.id, "kind": str(one.kind), "text": one.text, "value": one.value, "unit": one.unit,
        "status": str(one.status), "question_id": one.question_id or None, "created_at": one.created_at,
        "updated_at": one.updated_at,
    }  # fmt: skip


def claim_source_row(claim_id: str, one: SourceLink) -> Row:
    """What a source says of a claim; a quote that is not located has no place."""
    return {
        "quote": one.quote, "page_sha256": one.page_sha256, "quote_start": one.start if one.located else None,
        "quote_end": one.end if one.located else None, "independent": int(one.independent), "declared_why": one.why,
        "claim_id": claim_id, "source_id": one.source_id, "stance": str(one.stance), "created_at": one.created_at,
    }  # fmt: skip


def claim_link_row(one: ClaimLink) -> Row:
    """A claim for or against another."""
    return {
        "claim_id": one.claim_id, "other_id": one.other_id, "kind": str(one.kind), "status": str(one.status),
        "text": one.text, "question_id": one.question_id or None, "created_at": one.created_at,
    }  # fmt: skip


def claim_transition_row(one: ClaimTransition, state_seq: int, at: str) -> Row:
    """A change of a claim's status."""
    return {
        "claim_id": one.claim_id, "seq": one.seq, "from_status": str(one.from_status), "to_status": str(one.to_status),
        "actor": str(one.actor), "reason": one.reason, "caused_by": one.caused_by, "state_seq": state_seq or None,
        "created_at": at,
    }  # fmt: skip


def challenge_row(one: Challenge) -> Row:
    """A challenge without its sources. The store adds ``attempt_id``, which it knows from ``attempt_n``."""
    return {
        "belief": one.belief, "attempt_n": one.attempt_n or None, "opened_turn": one.opened_turn,
        "closed_turn": None if one.open else one.closed_turn, "id": one.id, "target_type": str(one.target_type),
        "claim_id": one.claim_id or None, "question_id": one.question_id or None, "strategy": str(one.strategy),
        "negation": one.negation, "expected_if_false": codec.dumps(one.expected_if_false), "query": one.query,
        "status": str(one.status), "outcome": str(one.outcome), "evidence": one.evidence,
        "result_claim_id": one.result_claim_id or None, "created_at": one.created_at,
        "closed_at": one.closed_at or None,
    }  # fmt: skip


def notes_row(state: State, content: str) -> Row:
    """A version of the notes. The last reason of an event names it."""
    if state.journal.notes is None:
        raise ValueError(f"notes version {state.notes_seq} has no reason")
    return {
        "seq": state.notes_seq, "state_seq": state.states_seq or None, "reason": str(state.journal.notes),
        "content": content, "created_at": state.at,
    }  # fmt: skip
