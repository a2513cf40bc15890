"""What a model gets slightly wrong: sections, ids with spaces; and what remains when the evidence is withdrawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_challenge_tools import ON_ANSWER, ON_CLAIM, record, rivals
from tool_states import Desk, answered

from investigator.core.vocab import ClaimStatus, QuestionStatus, TurnKind
from investigator.loops.settle import settle


@pytest.mark.parametrize("section", ["Banana", "", "Unverified claims of q_002", "notes"])
def test_notes_append_refuses_a_section_that_is_none(section: str) -> None:
    """Nothing is recorded, and the sections are named."""
    kind, text = Desk().no("notes_append", section=section or "!", entries=[{"text": "It is so."}])
    assert kind == "section"
    assert "Verified, Unverified, Contradictions, Datapoints, Sources, Assumptions & gaps, Scratch" in text


@pytest.mark.parametrize(
    ("section", "kind", "said"),
    [
        ("unverified", "", ""),
        ("Unverified", "claim", ""),
        ("Datapoints", "claim", "; it stands under Unverified, not under Datapoints"),
        ("Sources", "claim", "; it stands under Unverified, not under Sources"),
        ("Assumptions & gaps", "assumption", ""),
        ("Assumptions and gaps", "gap", ""),
        ("Datapoints", "gap", "; it stands under Assumptions & gaps, not under Datapoints"),
    ],
)
def test_notes_append_tells_where_an_entry_stands(section: str, kind: str, said: str) -> None:
    """The kind decides; a section that is not its own is corrected with a sentence."""
    entry = {"text": "It is so.", **({"kind": kind} if kind else {})}
    text = Desk().ok("notes_append", section=section, entries=[entry])
    assert text.endswith(said or text)
    assert ("it stands under" in text) is bool(said)


def test_the_challenge_tools_take_ids_with_spaces_around_them() -> None:
    """Of claims, questions, challenges, sources and targets."""
    desk = answered()
    desk.ok("challenge", **{**ON_CLAIM, "claim_id": " c_001 "})
    desk.ok("challenge", **{**ON_ANSWER, "question_id": " q_002 ", "belief": "1887", "query": "tay bridge false"})
    assert "ch_001" in desk.ok("challenges_view", target=" c_001 ")
    desk.read("https://b.org/trains", "The first train crossed in 1888.", challenge_id=" ch_001 ")
    assert desk.state.challenges["ch_001"].attempt_n
    desk.ok("record_challenge_result", id=" ch_001 ", outcome="survived", evidence="none", source_ids=[" s_002 "])
    assert desk.state.challenges["ch_001"].source_ids == ("s_002",)


def test_a_refutation_whose_source_is_retracted_stays_and_is_told() -> None:
    """REFUTED is final; the belief is recorded anew as another claim, which nothing speaks against."""
    desk = rivals()
    desk.ok("record_challenge_result", **record("refuted", result_claim_id="c_002"))
    assert desk.status("c_001") == "REFUTED"
    assert desk.ok("notes_update", id="s_002", change={"retract": "a forgery"}) == (
        "s_002 retracted; nothing located speaks against c_001 any more: REFUTED is final, "
        "record it as a new claim if it holds"
    )
    assert desk.status("c_001") == "REFUTED"
    assert desk.note("The bridge opened in 1887.") == "c_003"


def test_a_retracted_source_refutes_nothing() -> None:
    """Its quote does not count, whether it was put against the claim before or would be now."""
    desk = rivals()
    desk.ok("notes_update", id="s_002", change={"retract": "a forgery"})
    kind, _ = desk.no("record_challenge_result", **record("refuted", result_claim_id="c_002"))
    assert kind == "no_contradicting_quote"
    desk = rivals()
    desk.note("The bridge opened in 1888, they say.", contradicts=["c_001"], source="s_002",
              quote="first train crossed the Tay only in the spring of 1888")  # fmt: skip
    desk.ok("notes_update", id="s_002", change={"retract": "a forgery"})
    assert desk.no("notes_update", id="c_001", change={"status": "REFUTED"})[0] == "no_contradicting_quote"


def test_a_verified_claim_falls_back_when_its_source_is_retracted() -> None:
    """One origin fewer: UNVERIFIED again, by code, with the reason."""
    desk = answered(min_independent_sources=1)
    desk.survive("c_001")
    desk.ok("notes_update", id="c_001", change={"status": "VERIFIED"})
    desk.ok("notes_update", id="s_001", change={"retract": "a forgery"})
    claim = desk.state.claims["c_001"]
    assert claim.status is ClaimStatus.UNVERIFIED
    assert "no longer VERIFIED" in claim.note


@pytest.mark.parametrize("blank", ["\n\n", "\n  \n", "\n\t\n", "\r\n\r\n", "\n\u00a0\n"])
def test_the_conclusion_ends_at_a_line_that_looks_blank(blank: str) -> None:
    """What stands below is no part of the belief that is attacked."""
    desk = Desk()
    desk.ok("notes_scratch", text=f"Conclusion: it is tall,{chr(10)}and old.{blank}To do: nothing.")
    assert desk.state.conclusion == "it is tall,\nand old."


def test_a_failed_finish_is_forgotten_when_there_was_something_to_do() -> None:
    """Only a second one with nothing to do in between exhausts the frontier."""
    desk = Desk(kind=TurnKind.CLOSING)
    state = desk.state
    root = replace(state.frontier.root, status=QuestionStatus.UNRESOLVABLE, assumption="It is tall.")
    questions = {**state.frontier.questions, root.id: root}
    stuck = replace(state, planned=True, failed_finishes=1, frontier=replace(state.frontier, questions=questions))
    assert settle(stuck, "w1").failed_finishes == 1
    desk.ask("How tall is it?")
    busy = replace(desk.state, planned=True, failed_finishes=1)
    assert settle(busy, "w1").failed_finishes == 0
