"""What a history leaves in the tables is what can be read off its last state."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from histories import all_effects, history
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from investigator.core import effects as fx
from investigator.core.state import State
from investigator.store import Store


def numbers_of(seed: int, length: int) -> list[tuple[int, int, int]]:
    """Evenly drawn moves. Lists drawn by Hypothesis itself stay near zero and seldom reach a rewritten question."""
    draw = random.Random(seed)
    return [(draw.randrange(1000), draw.randrange(50), draw.randrange(50)) for _ in range(length)]


NUMBERS = some.builds(numbers_of, some.integers(0, 2**32), some.integers(1, 90))
NOT_IN_STATE = (fx.STATES, fx.DEPS, fx.TRANSITIONS, fx.CLAIM_TRANSITIONS, fx.NOTES_VERSIONS)


def rows_of(state: State) -> fx.Tables:
    """The tables that a state keeps itself."""
    claims = state.ledger.claims.values()
    rows = {
        fx.RUNS: [fx.run_row(state)],
        fx.QUESTIONS: [fx.question_row(one) for one in state.frontier],
        fx.ATTEMPTS: [fx.attempt_row(one) for one in state.frontier.attempts.values()],
        fx.SOURCES: [fx.source_row(one) for one in state.ledger.sources.values()],
        fx.CLAIMS: [fx.claim_row(one) for one in claims],
        fx.CLAIM_SOURCES: [fx.claim_source_row(one.id, link) for one in claims for link in one.links],
        fx.CLAIM_LINKS: [fx.claim_link_row(one) for one in state.ledger.links.values()],
        fx.CHALLENGES: [fx.challenge_row(one) for one in state.challenges.values()],
        fx.CHALLENGE_SOURCES: [
            {"challenge_id": one.id, "source_id": source}
            for one in state.challenges.values()
            for source in one.source_ids
        ],
    }
    return {name: {fx.Put(table=name, row=row).key: row for row in found} for name, found in rows.items()}


@given(numbers=NUMBERS)
@settings(max_examples=60, deadline=None)
def test_diff_accumulated_equals_the_last_state(numbers: list[tuple[int, int, int]]) -> None:
    """The sum of all differences, from empty tables, is every row that the last state implies."""
    steps = history(numbers)
    found, last = fx.tables(all_effects(steps)), steps[-1].state
    assert {name: rows for name, rows in found.items() if name not in NOT_IN_STATE} == rows_of(last)
    assert set(found[fx.DEPS]) == {(one, need) for one, needs in last.frontier.needs.items() for need in needs}
    assert Counter(key[0] for key in found[fx.TRANSITIONS]) == {one.id: one.trans_seq for one in last.frontier}
    assert Counter(key[0] for key in found[fx.CLAIM_TRANSITIONS]) == {
        one.id: one.trans_seq for one in last.ledger.claims.values()
    }
    assert len(found[fx.STATES]) == last.states_seq
    assert len(found[fx.NOTES_VERSIONS]) == last.notes_seq


@given(numbers=NUMBERS)
@settings(max_examples=60, deadline=None)
def test_compact_leaves_the_same_tables(numbers: list[tuple[int, int, int]]) -> None:
    """The fewest effects lead to the same tables as the whole history."""
    effects = all_effects(history(numbers))
    assert fx.tables(fx.compact(effects)) == fx.tables(effects)


@given(numbers=NUMBERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_history_in_the_store_equals_its_fold(numbers: list[tuple[int, int, int]], memory: Store) -> None:
    """Every history fits the keys and checks of the tables, and so does its copy."""
    steps = history(numbers)
    run_id = memory.create(steps[0].event, steps[0].effects, steps[0].chain)
    for seq, one in enumerate(steps[1:], 2):
        memory.append(run_id, seq, one.event, one.effects, one.chain, turn=seq, worker="w")
    expected = fx.tables(all_effects(steps))
    assert memory.verify_tables(run_id, expected) == []
    assert [one.event for one in memory.events(run_id)] == [one.event for one in steps]
    copy = memory.copy_prefix(run_id, len(steps), all_effects(steps))
    assert memory.verify_tables(copy, expected) == []
    memory.delete(run_id)
    assert memory.verify_tables(copy, expected) == []
    memory.delete(copy)


@pytest.fixture(scope="module")
def memory() -> object:
    """A database in memory, shared by the examples."""
    with Store("sqlite://") as store:
        yield store
