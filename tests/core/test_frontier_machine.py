"""One hundred thousand random calls of tools, by agent and person: no rule is ever broken, no history has a gap."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import operations
import pytest
from boards import Board
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from investigator.core.vocab import ClaimStatus, Outcome, QuestionStatus

OPERATIONS = 100_000
# Each part plays other histories, as the seed is its number; hypothesis stops some of them before the last step.
PARTS, HISTORIES, STEPS = 4, 150, 25
# A step makes eight calls of one concept: drawing each by itself would cost more than the calls do.
CALLS, PICKS = 8, 8
# Chance begins where there is something to name: two questions, two pages, two claims.
BEGINNING = (
    (operations.ask, b"\0\0\0\0\0"),
    (operations.ask, b"\0\0\1\1\0"),
    (operations.read, b"\0"),
    (operations.read, b"\1"),
    (operations.note, b"\0\1\1\0"),
    (operations.note, b"\1\2\1\0"),
)
STEP = st.binary(min_size=CALLS * PICKS, max_size=CALLS * PICKS)


class Chance(RuleBasedStateMachine):
    """A history of calls on one board; ``reached`` counts in how many histories a status came up."""

    operations = 0
    reached: ClassVar[Counter[str]] = Counter()

    @initialize(
        questions=st.sampled_from((2, 6, 30, 30)), depth=st.integers(1, 3), attempts=st.integers(1, 2),
        origins=st.integers(1, 2), challenges=st.integers(0, 1), quotes=st.booleans(),
    )  # fmt: skip
    def begin(self, questions: int, depth: int, attempts: int, origins: int, challenges: int, quotes: bool) -> None:
        self.board = Board(
            max_questions=questions, max_depth=depth, max_attempts=attempts, min_independent_sources=origins,
            min_challenges=challenges, max_challenges_per_target=2, require_quotes=quotes,
        )  # fmt: skip
        for call, picks in BEGINNING:
            call(self.board, iter(picks))

    @rule(step=STEP)
    def grow(self, step: bytes) -> None:
        self._call(operations.GROWING, step)

    @rule(step=STEP)
    def settle(self, step: bytes) -> None:
        self._call(operations.SETTLING, step)

    @rule(step=STEP)
    def note(self, step: bytes) -> None:
        self._call(operations.NOTING, step)

    @rule(step=STEP)
    def revise(self, step: bytes) -> None:
        self._call(operations.REVISING, step)

    @rule(step=STEP)
    def attack(self, step: bytes) -> None:
        self._call(operations.ATTACKING, step)

    def _call(self, group: tuple[operations.Operation, ...], step: bytes) -> None:
        for call in range(CALLS):
            picks = iter(step[call * PICKS : (call + 1) * PICKS])
            group[next(picks) % len(group)](self.board, picks)

    def teardown(self) -> None:
        if hasattr(self, "board"):
            Chance.operations += self.board.operations
            Chance.reached.update(self.board.seen)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_hundred_thousand_operations_break_no_rule(part: int) -> None:
    """After each operation every invariant holds and every history is whole; and chance reached every status."""
    Chance.operations = 0
    Chance.reached.clear()
    run_state_machine_as_test(
        seed(part)(Chance),
        settings=settings(
            max_examples=HISTORIES, stateful_step_count=STEPS, deadline=None, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
    assert Chance.operations >= OPERATIONS / PARTS, Chance.operations
    wanted = {*map(str, QuestionStatus), *map(str, ClaimStatus), *map(str, Outcome), "open", "addressed", "reopened"}
    rare = {name: Chance.reached[name] for name in wanted if Chance.reached[name] < 5}
    assert not rare, rare
