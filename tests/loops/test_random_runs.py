"""Two thousand whole lives of runs, by models from good to mad: each ends with a report, for a known reason."""

from __future__ import annotations

from collections import Counter

import pytest
from ledgers import faults
from lives import Life

from investigator.core.report import check_report
from investigator.core.vocab import ClaimStatus, Loop, Outcome, QuestionStatus, RunStatus, StopReason, Trigger
from investigator.loops.machine import fold

CHUNKS, LIVES = 8, 250
# The longest of them has 32 turns; a person, a death or a failure adds a few events to a turn.
MOST_EVENTS = 1000
ENDINGS = {str(one) for one in StopReason} - {"", str(StopReason.STEPS)}  # steps belong to the verified loop


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_run_ends_with_a_report_and_no_rule_broken(chunk: int) -> None:
    """Invariants after each event; at the end the report passes its gate, and tables and log tell the same state."""
    reached: Counter[str] = Counter()
    for seed in range(chunk * LIVES, (chunk + 1) * LIVES):
        life = Life(seed)
        life.live(MOST_EVENTS)
        reached.update(_told(life))
        _ended_well(life, seed)
    assert not {one for one in _wanted() if not reached[one]}, reached


def _ended_well(life: Life, seed: int) -> None:
    state = life.state
    assert str(state.stop_reason) in ENDINGS, seed
    assert state.report.strip(), seed
    assert state.status is RunStatus.COMPLETED or state.error, seed
    assert list(faults(state, life.effects)) == [], seed
    if state.run.loop is Loop.INVESTIGATIVE:
        assert check_report(state, state.model_report) == (), seed
    if seed % 8 == 0:
        assert fold(life.events) == state, seed


def _told(life: Life) -> set[str]:
    """What came up in this life."""
    state = life.state
    told = {str(state.stop_reason), str(state.status), "repaired" if state.repaired else "as the model wrote it"}
    told |= {str(one.status) for one in state.frontier} | {str(one.status) for one in state.claims.values()}
    told |= {one.outcome for one in state.challenges.values()}
    told |= {str(one.row["trigger"]) for one in life.effects if one.table.endswith("frontier_transitions")}
    told |= {event.kind for event in life.events}
    return told | ({"sent back by synthesis"} if state.reopens else set())


def _wanted() -> set[str]:
    """Where chance never comes it proves nothing: each chunk must have reached all of this."""
    vocabularies = (QuestionStatus, ClaimStatus, Outcome, Trigger)
    told = {str(one) for vocabulary in vocabularies for one in vocabulary}
    events = {"human_acted", "model_failed", "worker_lost", "run_resumed", "run_stopped"}
    ends = {"failed", "completed", "repaired", "as the model wrote it", "sent back by synthesis"}
    return told | ENDINGS | events | ends
