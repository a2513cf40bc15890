"""Every invariant can fire: a state that breaks one rule, and only it, is named by it; a whole one is named by none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import operations
import pytest
from boards import Board

from investigator.core.challenges import Challenge
from investigator.core.claims import ClaimLink
from investigator.core.frontier import log_attempt, put
from investigator.core.ids import ROOT
from investigator.core.invariants import invariants
from investigator.core.state import State
from investigator.core.vocab import (
    AttemptKind,
    ChallengeStatus,
    ClaimKind,
    ClaimStatus,
    Phase,
    QuestionStatus,
    RunStatus,
    Stance,
    StopReason,
    Strategy,
    TargetType,
)


@pytest.fixture
def whole() -> State:
    """q_002 is worked on, q_003 needs it, q_004 is resolved; c_001 has a located quote of s_001."""
    board = Board(max_questions=6, min_independent_sources=1, min_challenges=0)
    asked = {"kind": "query", "rationale": "it matters", "validation_criteria": "a page"}
    board.call("add_question", question="How tall?", priority=0.9, parent_id=ROOT, **asked)
    board.call("add_question", question="How old?", priority=0.5, parent_id=ROOT, depends_on=["q_002"], **asked)
    board.call("add_question", question="How wide?", priority=0.5, parent_id=ROOT, **asked)
    operations.read(board, iter(b"\0"))
    operations.note(board, iter(b"\0\1\1\0"))
    waive = {"challenge": "no time"}
    board.call("resolve_question", human=True, id="q_004", answer="So it is.", claim_ids=["c_001"], waive=waive)
    return board.state


def question(name: str, **more: Any) -> Callable[[State], State]:
    """One question is changed; the index of pending ones follows."""
    return lambda state: replace(
        state, frontier=put(state.frontier, replace(state.frontier.questions[name], **more))
    )


def frontier(**more: Any) -> Callable[[State], State]:
    return lambda state: replace(state, frontier=replace(state.frontier, **more))


def needs(**edges: tuple[str, ...]) -> Callable[[State], State]:
    return frontier(needs=edges)


def claim(**more: Any) -> Callable[[State], State]:
    return lambda state: replace(state, ledger=state.ledger.with_claim(replace(state.claims["c_001"], **more)))


def link(**more: Any) -> Callable[[State], State]:
    """The one link of c_001 to a source is changed."""
    return lambda state: claim(links=(replace(state.claims["c_001"].links[0], **more),))(state)


def challenge(**more: Any) -> Callable[[State], State]:
    """Two challenges of c_001 that are whole, and differ in the strategy; the second one is changed."""
    given = {
        "target_type": TargetType.CLAIM, "claim_id": "c_001", "belief": "x", "negation": "y", "query": "w",
        "expected_if_false": ("z",), "status": ChallengeStatus.CLOSED, "outcome": "inconclusive",
    }  # fmt: skip
    one = Challenge(id="ch_001", strategy=Strategy.COUNTEREXAMPLE, **given)
    two = Challenge(id="ch_002", strategy=Strategy.NEWER_EVIDENCE, **given)
    return lambda state: replace(state, challenges={"ch_001": one, "ch_002": replace(two, **more)})


def limits(**more: Any) -> Callable[[State], State]:
    return lambda state: replace(state, limits=state.limits.replace(**more))


def state(**more: Any) -> Callable[[State], State]:
    return lambda whole: replace(whole, **more)


def moved(state: State) -> State:
    """q_003 stands under q_002 but is not among its children."""
    return question("q_003", parent_id="q_002", depth=2)(state)


def orphan(state: State) -> State:
    return question("q_003", parent_id="q_999")(state)


def twin(state: State) -> State:
    source = state.ledger.sources["s_001"]
    return replace(state, ledger=state.ledger.with_source(replace(source, id="s_002")))


def one_sided(state: State) -> State:
    half = ClaimLink(claim_id="c_001", other_id="c_999", kind=Stance.SUPPORTS)
    return replace(state, ledger=state.ledger.with_link(half))


def misfiled(state: State) -> State:
    return replace(state, ledger=replace(state.ledger, claims={"c_002": state.claims["c_001"]}))


def malformed(state: State) -> State:
    source = state.ledger.sources["s_001"]
    return replace(state, ledger=state.ledger.with_source(replace(source, id="x", url="u")))


def unearned(state: State) -> State:
    return limits(min_independent_sources=2)(claim(status=ClaimStatus.VERIFIED)(state))


def many_challenges(state: State) -> State:
    return limits(max_challenges_per_target=1)(challenge()(state))


def lost_attempt(state: State) -> State:
    made, _ = log_attempt(
        state.frontier, ROOT, AttemptKind.SEARCH, "q", "web_search", outcome="", turn=1, at=state.at
    )
    return replace(state, frontier=replace(made, attempts={9: made.attempts[max(made.attempts)]}))


P = QuestionStatus
BROKEN: tuple[tuple[str, Callable[[State], State]], ...] = (
    ("more questions than max_questions", limits(max_questions=3)),
    ("more questions in progress than max_parallel", question("q_003", status=P.IN_PROGRESS)),
    ("a question is deeper than max_depth", question("q_003", depth=4)),
    ("more turns than max_iterations", state(turn=61)),
    ("question numbers are not 1..n", question("q_003", seq=9)),
    ("the index of pending questions is out of step", frontier(pending=())),
    ("the root is pending", question(ROOT, status=P.PENDING)),
    ("the root is blocked", question(ROOT, status=P.BLOCKED)),
    ("q_003 has no parent", orphan),
    ("q_003 has a depth that is not its parent's plus one", question("q_003", depth=3)),
    ("q_003 is not among the children of q_002", moved),
    ("q_002 is unresolvable without an assumption", question("q_002", status=P.UNRESOLVABLE, assumption=" ")),
    ("q_004 is resolved without an answer", question("q_004", answer="")),
    ("q_004 is resolved without an answer", question("q_004", answer_claim_ids=())),
    ("the answer of q_004 cites a claim that does not exist", question("q_004", answer_claim_ids=("c_999",))),
    ("q_002 is in_progress and has an answer", question("q_002", answer="So it was.")),
    ("q_003 is pending and has an answer", question("q_003", answer_claim_ids=("c_001",))),
    ("the answer of q_004 cites a claim that is dead", claim(status=ClaimStatus.RETRACTED)),
    ("q_002 has priority 1.5", question("q_002", priority=1.5)),
    ("attempt numbers are not 1..n", lost_attempt),
    ("q_003 has an edge to nothing", needs(q_003=("q_999",))),
    ("q_999 has an edge to nothing", needs(q_999=("q_002",))),
    ("the dependencies of q_003 are no DAG", needs(q_003=("q_002",), q_002=("q_003",))),
    ("q_003 is pending with a dead dependency", question("q_002", status=P.PRUNED)),
    ("q_003 is blocked without a dead dependency", question("q_003", status=P.BLOCKED)),
    ("c_002 is filed wrongly", misfiled),
    ("c_001 is filed wrongly", claim(question_id="q_999")),
    ("c_001 is VERIFIED against the rule", unearned),
    ("c_001 is REFUTED without a located quote against it", claim(status=ClaimStatus.REFUTED)),
    ("c_001 links a source that does not exist", link(source_id="s_999")),
    ("a quote of c_001 does not stand where it says", link(start=3, end=20)),
    ("two sources share a url", twin),
    ("the link ('c_001', 'c_999') has a side that does not exist", one_sided),
    ("ch_002 repeats a strategy on its target", challenge(strategy=Strategy.COUNTEREXAMPLE)),
    ("ch_002 is refuted without a source", challenge(outcome="refuted")),
    ("ch_002 is weakened without a source", challenge(outcome="weakened")),
    ("ch_002 survived without a search", challenge(outcome="survived")),
    ("ch_002 is open with an outcome, or closed without", challenge(outcome="")),
    ("ch_002 is open with an outcome, or closed without", challenge(status=ChallengeStatus.OPEN)),
    ("more challenges on a target than allowed", many_challenges),
    ("the notes do not parse back", claim(checks=(("ch_001", ""),))),
    ("the notes do not parse back", claim(kind=ClaimKind.DATAPOINT)),
    ("the notes changed without a version", state(notes_seq=1, notes_text="- c_001 | VERIFIED | nothing of the kind")),
    ("the run has ended without a report", state(status=RunStatus.FAILED)),
    ("a completed run names no stop reason", state(status=RunStatus.COMPLETED, report="x")),
    ("a running run names a stop reason", state(stop_reason=StopReason.FINALIZED)),
    ("a question is in progress while the report is written", state(phase=Phase.SYNTHESIS)),
    ("an id is malformed", malformed),
)


def test_a_whole_state_breaks_none(whole: State) -> None:
    """What the board made is whole, and holds what the broken states below need."""
    assert invariants(whole) == ()
    status = [str(one.status) for one in whole.frontier]
    assert status == ["in_progress", "in_progress", "pending", "resolved"]
    assert whole.frontier.needs == {"q_003": ("q_002",)}
    assert whole.claims["c_001"].links[0].located


@pytest.mark.parametrize(("name", "how"), BROKEN, ids=[f"{n}-{name}" for n, (name, _) in enumerate(BROKEN)])
def test_a_broken_state_is_named(whole: State, name: str, how: Callable[[State], State]) -> None:
    """The rule that was broken is among those named."""
    assert name in invariants(how(whole))
