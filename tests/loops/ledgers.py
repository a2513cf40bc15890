"""What the effects of a whole run leave behind, held against the state that the run came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from investigator.core import effects as fx
from investigator.core.effects import Effect, Put, Row
from investigator.core.notes import notes_of, parse
from investigator.core.state import State

# Column -> the table that its value is an id of; empty and None point nowhere.
REFERENCES = {
    fx.QUESTIONS: {"parent_id": fx.QUESTIONS},
    fx.DEPS: {"question_id": fx.QUESTIONS, "depends_on_id": fx.QUESTIONS},
    fx.ATTEMPTS: {"question_id": fx.QUESTIONS},
    fx.TRANSITIONS: {"question_id": fx.QUESTIONS},
    fx.CLAIMS: {"question_id": fx.QUESTIONS},
    fx.CLAIM_SOURCES: {"claim_id": fx.CLAIMS, "source_id": fx.SOURCES},
    fx.CLAIM_LINKS: {"claim_id": fx.CLAIMS, "other_id": fx.CLAIMS},
    fx.CLAIM_TRANSITIONS: {"claim_id": fx.CLAIMS},
    fx.CHALLENGES: {"claim_id": fx.CLAIMS, "question_id": fx.QUESTIONS, "result_claim_id": fx.CLAIMS},
    fx.CHALLENGE_SOURCES: {"challenge_id": fx.CHALLENGES, "source_id": fx.SOURCES},
}
ONCE = (fx.STATES, fx.TRANSITIONS, fx.CLAIM_TRANSITIONS, fx.NOTES_VERSIONS)


def faults(state: State, made: Iterable[Effect]) -> Iterator[str]:
    """Where rows and state differ, where a row came before what it points to, where a history has a gap."""
    effects = tuple(made)
    yield from _order(effects)
    tables = fx.tables(effects)
    yield from _rows(state, tables)
    yield from _histories(state, tables)
    versions = tables[fx.NOTES_VERSIONS]
    if len(versions) != state.notes_seq:
        yield f"{len(versions)} versions of the notes, the state counts {state.notes_seq}"
    if versions and parse(str(versions[(state.notes_seq,)]["content"])) != notes_of(state):
        yield "the last version of the notes is not what the state holds"


def _order(effects: Iterable[Effect]) -> Iterator[str]:
    there: dict[str, set[str]] = {name: set() for name in fx.PRIMARY_KEYS}
    written: set[tuple[str, fx.Key]] = set()
    for one in effects:
        if not isinstance(one, Put):
            continue
        if one.table in ONCE and (one.table, one.key) in written:
            yield f"{one.table} {one.key} was written twice"
        written.add((one.table, one.key))
        there[one.table].add(str(one.row.get("id", "")))
        for column, target in REFERENCES.get(one.table, {}).items():
            value = one.row[column]
            if value and value not in there[target]:
                yield f"{one.table} {one.key} points to {value}, which is not there yet"


def _rows(state: State, tables: fx.Tables) -> Iterator[str]:
    ledger, frontier = state.ledger, state.frontier
    wanted: dict[str, list[Row]] = {
        fx.RUNS: [fx.run_row(state)],
        fx.QUESTIONS: [fx.question_row(one) for one in frontier],
        fx.ATTEMPTS: [fx.attempt_row(one) for one in frontier.attempts.values()],
        fx.SOURCES: [fx.source_row(one) for one in ledger.sources.values()],
        fx.CLAIMS: [fx.claim_row(one) for one in ledger.claims.values()],
        fx.CLAIM_SOURCES: [fx.claim_source_row(one.id, link) for one in ledger.claims.values() for link in one.links],
        fx.CLAIM_LINKS: [fx.claim_link_row(one) for one in ledger.links.values()],
        fx.CHALLENGES: [fx.challenge_row(one) for one in state.challenges.values()],
    }
    for name, rows in wanted.items():
        keyed = {tuple(row[column] for column in fx.PRIMARY_KEYS[name]): row for row in rows}
        if tables[name] != keyed:
            yield f"{name}: {_first_difference(tables[name], keyed)}"
    edges = {(one, need) for one, needs in frontier.needs.items() for need in needs}
    if set(tables[fx.DEPS]) != edges:
        yield f"{fx.DEPS}: {set(tables[fx.DEPS]) ^ edges}"


def _first_difference(have: dict[fx.Key, Row], want: dict[fx.Key, Row]) -> str:
    key = next(one for one in {**have, **want} if have.get(one) != want.get(one))
    return f"{key}: the table says {have.get(key)}, the state {want.get(key)}"


def _histories(state: State, tables: fx.Tables) -> Iterator[str]:
    """seq is 1..n without gaps, each change begins where the last ended, and the latest is the status."""
    for name, key, now in (
        (fx.TRANSITIONS, "question_id", {one.id: (one.trans_seq, one.status) for one in state.frontier}),
        (fx.CLAIM_TRANSITIONS, "claim_id", {one.id: (one.trans_seq, one.status) for one in state.claims.values()}),
    ):
        at: dict[str, tuple[int, str]] = {}
        for row in tables[name].values():
            one = str(row[key])
            if at.get(one, (0, "")) != (int(str(row["seq"])) - 1, row["from_status"]):
                yield f"{name}: {dict(row)} follows {at.get(one)}"
            at[one] = (int(str(row["seq"])), str(row["to_status"]))
        if at != {one: (seq, str(status)) for one, (seq, status) in now.items()}:
            yield f"{name}: histories end elsewhere than at the status"
