"""What ends a run: the lists of what is missing, the report, the way back, a person's limits; each with its words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tool_states import ATTACK, Desk, answered

from investigator.core.gates import exploration_gate
from investigator.core.ids import ROOT
from investigator.core.vocab import Phase, RunStatus, StopReason, TurnKind
from investigator.tools.moves import VERIFY_TURNS

GOOD = "## Summary\n\nThe bridge opened in 1887 (unverified) [c_001].\n"
ON_CONCLUSION = {**ATTACK, "target_type": "conclusion", "query": "tay bridge myth"}
CONCLUDE = 'There is no conclusion: write "Conclusion: ..." into Scratch with notes_scratch, then challenge it.'


def ready(**limits: Any) -> Desk:
    """Everything is settled: exploration may be finished."""
    desk = answered(**{"min_sources": 1, "min_domains": 1, **limits})
    desk.ok("notes_scratch", text="Conclusion: it opened in 1887.")
    desk.ok("challenge", **ON_CONCLUSION)
    desk.search("tay bridge myth")
    desk.ok("record_challenge_result", id="ch_001", outcome="survived", evidence="none", source_ids=[])
    desk.resolve("q_002", "1887", "c_001", verified="one source")
    desk.question = ROOT
    desk.ok("resolve_question", id=ROOT, answer="1887", claim_ids=["c_001"], waive={"verified": "one source"})
    return desk


def writing(**limits: Any) -> Desk:
    """The same desk with exploration ended."""
    desk = ready(**limits)
    desk.ok("finish_exploration")
    desk.kind = TurnKind.SYNTHESIZING
    return desk


def gate(*missing: str) -> tuple[str, str]:
    return "gate", "exploration cannot end yet: " + " ".join(f"({n}) {one}" for n, one in enumerate(missing, 1))


# finish_exploration


def test_finish_exploration_ends_it_when_nothing_is_missing() -> None:
    """The phase changes, and a second call is told what comes now."""
    desk = ready()
    assert desk.ok("finish_exploration") == "exploration ended; write the report"
    assert (desk.state.phase, desk.state.ending) == (Phase.SYNTHESIS, StopReason.FINALIZED)
    assert desk.no("finish_exploration") == ("phase", "exploration has ended already. Call finalize_report.")


def test_finish_exploration_lists_everything_that_is_missing() -> None:
    """Open challenges, open questions, sources, the conclusion and the root: all at once, in the order to mend."""
    desk = answered()
    desk.ask("Who built it?", parent_id=ROOT)
    desk.ok("challenge", **{**ATTACK, "target_type": "claim", "claim_id": "c_001", "query": "tay bridge false"})
    assert desk.no("finish_exploration") == gate(
        'ch_001 is open: search "tay bridge false", then record its result with record_challenge_result.',
        "q_002 is in progress: resolve it, retry it or prune it.",
        ("q_003 is pending with priority 0.60: work on it, prune it if its answer would not alter the conclusion, "
         "or set its priority below 0.5."),
        "The claims link 1 source, 5 are needed: read others and add them with notes_append.",
        "The claims link 1 domain, 3 are needed: read others and add them with notes_append.",
        CONCLUDE,
        f"{ROOT}, the objective, is in_progress: resolve it, or exhaust it with an assumption.",
    )  # fmt: skip
    desk.search("tay bridge false")
    assert "(1) ch_001 is open: record its result with record_challenge_result." in desk.no("finish_exploration")[1]


def test_finish_exploration_wants_a_challenged_conclusion() -> None:
    """A conclusion that was not attacked, or only in vain, or was shaken, holds the gate shut."""
    desk = ready()
    desk.ok("notes_scratch", text="Conclusion: it opened in June 1887.")
    challenge_it = "challenge it, search, and record the result."
    assert desk.no("finish_exploration") == gate(
        f"The conclusion has no challenge that it survived: {challenge_it}"
    )
    desk.ok("challenge", **{**ON_CONCLUSION, "query": "tay june myth"})
    desk.ok("record_challenge_result", id="ch_002", outcome="inconclusive", evidence="none", source_ids=[])
    assert desk.no("finish_exploration") == gate(
        f"The conclusion has no challenge that it survived (ch_002: inconclusive): {challenge_it}"
    )
    desk.ok("challenge", **{**ON_CONCLUSION, "query": "tay only goods", "strategy": "scope_limits"})
    desk.ok("record_challenge_result", id="ch_003", outcome="weakened", evidence="goods", source_ids=["s_001"])
    assert desk.no("finish_exploration") == gate(
        ("ch_003 weakened the conclusion: work on what it opened, rewrite the conclusion so that it holds, "
         "then challenge it anew."),
        f"{ROOT}, the objective, is in_progress: resolve it, or exhaust it with an assumption.",
    )  # fmt: skip


def test_finish_exploration_wants_contradictions_settled_and_answers_backed() -> None:
    """An open contradiction and an answer without a VERIFIED claim or a reason are named."""
    desk = ready()
    desk.ok("notes_append", section="Unverified", entries=[
        {"text": "It opened in 1888.", "contradicts": ["c_001"], "question_id": "q_002"}])  # fmt: skip
    said = desk.no("finish_exploration")[1]
    assert (
        "(1) The contradiction c_002><c_001 is open: settle q_003, or address it with notes_update and say why."
    ) in said
    bare = answered()
    bare.resolve("q_002", "1887", "c_001")
    assert (
        "(1) q_002 is resolved without a VERIFIED claim: verify one of c_001, or say with a note on it in "
        "its verifying turn why UNVERIFIED is the best available."
    ) in bare.no("finish_exploration")[1]
    bare.ok("notes_update", id="c_001", change={"note": "of 2024"})
    assert "(1) q_002 is resolved without a VERIFIED claim" in bare.no("finish_exploration")[1]


def test_a_note_in_the_verifying_turn_of_a_claim_explains_it() -> None:
    """It is stored as the waiver of the answers that cite the claim, now and later, and ends its verification."""
    desk = answered()
    desk.resolve("q_002", "1887", "c_001")
    desk.note("It was closed once.", question_id="q_002")
    desk.kind = TurnKind.VERIFYING
    desk.state = desk.state.with_worker(replace(desk.state.workers["w1"], verifying="c_001", verify_turns=0))
    assert desk.ok("notes_update", id="c_002", change={"note": "minor"}) == "c_002 noted"
    assert desk.state.explained == {}
    assert desk.ok("notes_update", id="c_001", change={"note": "one register only"}) == (
        "c_001 noted; it stays UNVERIFIED, explained by the note"
    )
    assert desk.state.frontier.questions["q_002"].waivers["verified"] == "one register only"
    assert desk.state.workers["w1"].verify_turns == VERIFY_TURNS
    desk.question, desk.kind = ROOT, TurnKind.CLOSING
    desk.resolve(ROOT, "1887", "c_001")
    assert desk.state.frontier.root.waivers["verified"] == "one register only"
    assert all("without a VERIFIED" not in one for one in exploration_gate(desk.state))


def test_a_persons_note_explains_an_unverified_claim() -> None:
    """A person may say so in any turn."""
    desk = answered()
    desk.resolve("q_002", "1887", "c_001")
    desk.human = True
    desk.ok("notes_update", id="c_001", change={"note": "the register is all there is"})
    assert desk.state.frontier.questions["q_002"].waivers["verified"] == "the register is all there is"


def test_finish_exploration_releases_minor_questions() -> None:
    """A question below the gate's priority that is in progress does not hold it shut."""
    desk = ready()
    desk.ask("What colour is it?", parent_id=ROOT, priority=0.1)
    desk.select()
    assert desk.status("q_003") == "in_progress"
    desk.ok("finish_exploration")
    assert desk.moves("q_003")[-1].reason == "exploration is to end"


def test_finish_exploration_in_vain_twice_exhausts_the_frontier() -> None:
    """With nothing left to ask a closing turn may fail once; the second time the report is written all the same."""
    desk = ready(min_sources=5)
    desk.kind = TurnKind.CLOSING
    first = desk.call("finish_exploration")
    assert getattr(first, "refused", "") == "gate"
    assert getattr(first, "text", "") == gate(
        "The claims link 1 source, 5 are needed: read others and add them with notes_append."
    )[1]
    assert desk.ok("finish_exploration") == "the frontier is exhausted; write the report with what is there"
    assert desk.state.ending is StopReason.FRONTIER_EXHAUSTED


# finalize_report


def test_finalize_report_completes_the_run() -> None:
    """A report that passes is stored, and code appends the sources."""
    desk = writing()
    assert desk.ok("finalize_report", report=GOOD) == "report accepted"
    assert (desk.state.status, desk.state.stop_reason) == (RunStatus.COMPLETED, StopReason.FINALIZED)
    assert (desk.state.model_report, desk.state.repaired) == (GOOD.strip(), False)
    assert "https://a.org/tay" in desk.state.report


def test_finalize_report_is_for_its_phase() -> None:
    """While exploration goes on it is not offered; a person is told what comes first."""
    desk = ready()
    assert desk.no("finalize_report", report=GOOD)[0] == "not_offered"
    desk.human = True
    assert desk.no("finalize_report", report=GOOD) == (
        "phase", "the report is written after exploration. Call finish_exploration first.",
    )  # fmt: skip


REPORTS = [
    ("", "empty", "the report is empty. Write it in Markdown."),
    ("## Summary", "report_gate",
     "(1) The report is empty: write Summary, Details, Contradictions, and Gaps and assumptions."),
    ("## Summary\n\nIt opened in 1887.", "report_gate",
     ("(1) No claim is cited: “It opened in 1887.” "
      "(2) The report cites no claim: cite them as [c_001] in the sentences that rest on them.")),
    ("## Summary\n\nIt opened in 1887 [c_001].", "report_gate",
     '(1) c_001 is UNVERIFIED and the sentence must say "unverified": “It opened in 1887 [c_001].”'),
    (f"{GOOD}\nIt has 85 piers [c_009].", "report_gate", "(1) There is no c_009: “It has 85 piers [c_009].”"),
    (f"{GOOD}\nIt opened in 1888 [c_002].", "report_gate",
     '(1) c_002 may stand only under "## Contradictions": “It opened in 1888 [c_002].”'),
]  # fmt: skip


@pytest.mark.parametrize(("report", "kind", "sentence"), REPORTS)
def test_finalize_report_says_what_is_wrong_with_the_text(report: str, kind: str, sentence: str) -> None:
    """Each sentence that rests on nothing, or on what does not hold, is quoted with what it lacks."""
    desk = ready()
    desk.note("It opened in 1888.")
    desk.ok("notes_update", id="c_002", change={"retract": "misread"})
    desk.ok("finish_exploration")
    desk.kind = TurnKind.SYNTHESIZING
    opening = "the report does not pass: " if kind == "report_gate" else ""
    assert desk.no("finalize_report", report=report) == (kind, opening + sentence)


def test_finalize_report_wants_the_gaps_named() -> None:
    """A question that was not answered stands in the report with what is assumed instead."""
    desk = answered(min_sources=1, min_domains=1, max_attempts=1)
    desk.search("tay bridge")
    desk.ok("retry_question", id="q_002", new_query="tay bridge date", why="none", assumption="in June")
    desk.state = replace(desk.state, phase=Phase.SYNTHESIS, ending=StopReason.FRONTIER_EXHAUSTED)
    desk.kind = TurnKind.SYNTHESIZING
    assert desk.status("q_002") == "unresolvable"
    assert desk.no("finalize_report", report=GOOD) == (
        "report_gate",
        'the report does not pass: (1) Name under "## Gaps and assumptions", with what is assumed instead: q_002.',
    )
    desk.ok("finalize_report", report=f"{GOOD}\n## Gaps and assumptions\n\n- q_002: in June.\n")


@pytest.mark.parametrize(
    ("report", "said"),
    [(GOOD, "report accepted"), ("It opened in 1887.", "report repaired by code and stored"),
     ("", "report written by code")],
)  # fmt: skip
def test_the_last_turn_takes_any_report(report: str, said: str) -> None:
    """On the last turn a report is accepted, repaired or written: a gate never destroys work."""
    desk = writing()
    desk.kind = TurnKind.LAST
    assert desk.ok("finalize_report", report=report) == said
    assert (desk.state.done, desk.state.repaired) == (True, report != GOOD)


def test_finalize_report_sends_a_question_back() -> None:
    """Exploration goes on with the reopened question; the next time it is a gap."""
    desk = writing()
    back = {"reopen_question_id": "q_002", "why": "a hole"}
    assert desk.ok("finalize_report", **back) == "q_002 reopened; exploration goes on"
    assert (desk.state.phase, desk.state.ending, desk.state.reopens) == (Phase.EXPLORATION, StopReason.NONE, 1)
    assert desk.moves("q_002")[-1].reason == "a hole"
    desk.state = replace(desk.state, phase=Phase.SYNTHESIS, ending=StopReason.FINALIZED)
    assert desk.no("finalize_report", **back) == (
        "reopens",
        "exploration was reopened 1 times, the most allowed. State the hole as a gap in the report.",
    )


@pytest.mark.parametrize("ending", [StopReason.TOKENS, StopReason.ITERATIONS, StopReason.SEARCH, StopReason.STALLED])
def test_nothing_is_sent_back_after_a_breaker(ending: StopReason) -> None:
    """What a breaker ended cannot go on."""
    desk = writing()
    desk.state = replace(desk.state, ending=ending)
    assert desk.no("finalize_report", reopen_question_id="q_002", why="a hole") == (
        "breaker", f"{ending} ended exploration; it cannot go on. State the hole as a gap in the report.",
    )  # fmt: skip


def test_only_a_settled_question_is_sent_back() -> None:
    """A pruned question, one that is open and one that is none are refused with what to do instead."""
    desk = ready()
    desk.ask("Who?", parent_id=ROOT, priority=0.1)
    desk.ask("Why?", parent_id=ROOT, priority=0.1)
    desk.ok("prune_branch", id="q_003", reason="minor")
    desk.ok("finish_exploration")
    desk.kind = TurnKind.SYNTHESIZING
    only = "only a resolved or unresolvable question can be reopened."
    assert desk.no("finalize_report", reopen_question_id="q_003") == (
        "not_settled", f"q_003 is pruned; {only} A pruned branch stays closed: ask a new question.",
    )  # fmt: skip
    assert desk.no("finalize_report", reopen_question_id="q_004") == (
        "not_settled", f"q_004 is pending; {only} It is still open: work on it.",
    )  # fmt: skip
    assert desk.no("finalize_report", reopen_question_id="q_009")[0] == "unknown_question"


# set_limits


def test_set_limits_is_a_persons() -> None:
    """A person's limits hold from here on; lists become the tuples that limits are."""
    desk = answered()
    desk.human = True
    wanted = {"max_depth": 2, "strategies": ["scope_limits"]}
    assert desk.ok("set_limits", limits=wanted) == "limits changed: max_depth, strategies"
    assert (desk.state.limits.max_depth, desk.state.limits.strategies) == (2, ("scope_limits",))
    assert desk.state.limits_changed


@pytest.mark.parametrize("kind", list(TurnKind))
def test_set_limits_is_never_offered_to_the_model(kind: TurnKind) -> None:
    """In no turn can the model widen what bounds it."""
    desk = answered()
    desk.kind = kind
    got, sentence = desk.no("set_limits", limits={"max_iterations": 1000})
    assert got == "not_offered"
    assert sentence.startswith(f"set_limits cannot be called in a turn of kind {kind}. Callable now: ")


LIMITS: list[tuple[dict[str, Any], str]] = [
    ({"max_depth": 99}, "max_depth must be from 1 to 10, got 99"),
    ({"max_depth": 1.5}, "max_depth must be a whole number from 1 to 10, got 1.5"),
    ({"max_depth": "2"}, "max_depth must be a whole number from 1 to 10, got '2'"),
    ({"require_quotes": "no"}, "require_quotes must be true or false, got 'no'"),
    ({"strategies": []},
     ("strategies must be a non-empty tuple of direct_negation, counterexample, alternative_explanation, "
      "newer_evidence, scope_limits, source_critique, independent_origin, got ()")),
]  # fmt: skip


@pytest.mark.parametrize(("limits", "sentence"), LIMITS)
def test_set_limits_names_the_range(limits: dict[str, Any], sentence: str) -> None:
    """A value out of range is refused with the range, and none of the others is taken over."""
    desk = answered()
    desk.human = True
    assert desk.no("set_limits", limits={"max_attempts": 2, **limits}) == ("limit", sentence)


def test_set_limits_names_the_limits_there_are() -> None:
    """A limit that is none is refused with the names of those that are."""
    desk = answered()
    desk.human = True
    kind, sentence = desk.no("set_limits", limits={"max_fun": 1})
    assert kind == "limit"
    assert sentence.startswith("there is no limit 'max_fun'; the limits are extraction_threshold, gate_priority, ")
