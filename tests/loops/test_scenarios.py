"""Whole runs that can be foretold: an ideal researcher in a small library, and what stands in its way."""

from __future__ import annotations

import random

import pytest
from dossiers import BRIDGE, OBJECTIVE, bridge_library, folder
from driver import Run
from scripts import NOT_KNOWN, Ideal, Mumbling, act, retold, timeline

from investigator.core.limits import Limits
from investigator.core.vocab import LinkStatus, QuestionStatus, RunStatus, StopReason, TurnKind

EXPLORING = 45  # turns that an ideal researcher needs at most for the bridge


def ended_well(run: Run) -> None:
    assert (run.state.status, run.state.stop_reason) == (RunStatus.COMPLETED, StopReason.FINALIZED)
    assert (run.state.repaired, run.state.error) == (False, "")
    retold(run)


def explored(model: Ideal) -> int:
    return sum(kind not in (TurnKind.SYNTHESIZING, TurnKind.LAST) for kind in model.kinds)


def statuses(run: Run) -> dict[str, QuestionStatus]:
    return {str(one.id): one.status for one in run.state.frontier}


def test_an_ideal_run_passes_the_gate_after_a_refutation() -> None:
    """The date that was believed falls; its question waits for the settling one, is answered anew, the gate opens."""
    run = Run(OBJECTIVE, bridge_library())
    model = Ideal(run, BRIDGE)
    run.go(model)
    ended_well(run)
    assert explored(model) <= EXPLORING
    assert statuses(run) == {
        "q_001": "resolved", "q_002": "resolved", "q_003": "resolved", "q_004": "unresolvable", "q_005": "resolved",
    }  # fmt: skip
    assert {one.id: str(one.status) for one in run.state.claims.values()} == {
        "c_001": "REFUTED", "c_002": "VERIFIED", "c_003": "VERIFIED",
    }  # fmt: skip
    assert [step for step in timeline(run) if step[0] in ("q_002", "q_005") and step[1] != "reprioritized"] == [
        ("q_002", "created"),
        ("q_002", "selected"),
        ("q_002", "resolved"),
        ("q_005", "created"),
        ("q_002", "reopened"),
        ("q_005", "selected"),
        ("q_005", "resolved"),
        ("q_002", "selected"),
        ("q_002", "resolved"),
    ]
    (link,) = run.state.ledger.links.values()
    assert (link.key, link.status, link.question_id) == (("c_003", "c_001"), LinkStatus.ADDRESSED, "q_005")


def test_the_report_of_an_ideal_run_leads_every_sentence_to_a_quote() -> None:
    """What holds, what fell and by whom, what stayed unknown, and the words of the pages."""
    run = Run(OBJECTIVE, bridge_library())
    run.go(Ideal(run, BRIDGE))
    report = run.state.report
    summary, _, rest = report.partition("## Contradictions")
    contradictions, _, gaps = rest.partition("## Gaps and assumptions")
    assert "May 1964 [c_003]" in summary
    assert "c_001" not in summary
    assert "1962 [c_001]" in contradictions
    assert f"q_004: {NOT_KNOWN}" in gaps
    assert "[c_001] REFUTED, 1 independent origin, 1 challenge refuted, against it c_003" in gaps
    assert '"Larn, road bridge, 412 metres, steel on stone piers" (supports c_002)' in gaps
    assert "unverified" not in summary
    assert "Notices" not in report


@pytest.mark.parametrize("seed", range(6))
def test_an_ideal_run_bears_replies_that_are_only_text(seed: int) -> None:
    """One reply in twenty is only talk: each costs a turn and nothing else, the end is the same."""
    run = Run(OBJECTIVE, bridge_library(), limits=Limits(max_iterations=70))
    model = Ideal(run, BRIDGE)
    mumbling = Mumbling(model, random.Random(seed).random, 0.05)
    run.go(mumbling)
    ended_well(run)
    assert statuses(run)["q_002"] == statuses(run)["q_005"] == QuestionStatus.RESOLVED
    assert "May 1964 [c_003]" in run.state.report
    assert run.state.turn == len(model.kinds) + mumbling.mumbled
    assert explored(model) <= EXPLORING


def test_a_settling_question_that_fails_frees_the_answer_that_waits_for_it() -> None:
    """Unresolvable: the edge is dropped, the contradiction addressed as unsettled, the question answered."""
    run = Run(OBJECTIVE, bridge_library())
    model = Ideal(run, BRIDGE, settles=False)
    run.go(model)
    ended_well(run)
    assert explored(model) <= EXPLORING
    assert statuses(run)["q_005"] == QuestionStatus.UNRESOLVABLE
    assert statuses(run)["q_002"] == QuestionStatus.RESOLVED
    assert "q_005" not in run.state.frontier.needs.get("q_002", ())
    assert not any(step == ("q_002", "blocked") for step in timeline(run))
    (link,) = run.state.ledger.links.values()
    assert (link.status, link.text.endswith("(unsettled)")) == (LinkStatus.ADDRESSED, True)
    gaps = run.state.report.partition("## Gaps and assumptions")[2]
    assert "q_005" in gaps
    assert "q_004" in gaps


def test_a_pruned_settling_question_frees_the_answer_that_waits_for_it() -> None:
    """The model drops it as soon as it is selected; the reopened question is neither blocked nor forgotten."""
    run = Run(OBJECTIVE, bridge_library())
    ideal = Ideal(run, BRIDGE)
    ideal.drops = True
    run.go(ideal)
    ended_well(run)
    assert statuses(run)["q_005"] == QuestionStatus.PRUNED
    assert statuses(run)["q_002"] == QuestionStatus.RESOLVED
    assert not any(step == ("q_002", "blocked") for step in timeline(run))
    assert run.state.ledger.open_contradictions() == ()


def test_facts_of_one_source_each_are_told_as_unverified() -> None:
    """Each claim is tried for a second origin and stays flagged; that explains it to the gate."""
    library, topics = folder()
    run = Run("What is known of Larn tower?", library)
    model = Ideal(run, topics)
    run.go(model)
    ended_well(run)
    assert explored(model) <= 51
    assert {str(one.status) for one in run.state.claims.values()} == {"UNVERIFIED"}
    verifying = model.kinds.count(TurnKind.VERIFYING)
    assert 4 <= verifying <= 12
    for one in run.state.frontier:
        assert one.status is QuestionStatus.RESOLVED
        assert "not reached" in one.waivers["verified"]
    summary = run.state.report.partition("## Status of the claims")[0]
    assert summary.count("(unverified)") == 4
    assert run.state.report.count("UNVERIFIED, 1 independent origin, 1 challenge survived") == 4


def test_claims_that_nobody_tries_to_verify_end_in_a_report_too() -> None:
    """Three turns a claim and no more. That a claim was tried in vain settles it, so the run is not stalled by many."""
    library, topics = folder()
    for most, ending in ((8, StopReason.FINALIZED), (4, StopReason.FINALIZED), (2, StopReason.STALLED)):
        run = Run("What is known of Larn tower?", library, limits=Limits(max_stalled_turns=most))
        model = Ideal(run, topics)
        model.verifies = False
        run.go(model)
        retold(run)
        assert (run.state.stop_reason, run.state.status) == (ending, RunStatus.COMPLETED)
        assert model.kinds.count(TurnKind.VERIFYING) == (12 if ending is StopReason.FINALIZED else most)
        assert run.state.report.count("UNVERIFIED, 1 independent origin, not challenged") == 4


def test_an_answer_given_anew_of_a_claim_tried_in_vain_is_explained_as_before() -> None:
    """A person reopens a question after its claim was given up: no claim is tried twice, and the gate still opens."""
    library, topics = folder()
    run = Run("What is known of Larn tower?", library)
    model = Ideal(run, topics)
    while "c_001" not in run.state.explained:
        assert run.step(model)
    act(run, "reopen_question", id="q_002", why="was that all?")
    assert run.state.frontier.questions["q_002"].waivers == {}
    run.go(model)
    ended_well(run)
    assert "not reached" in run.state.frontier.questions["q_002"].waivers["verified"]
