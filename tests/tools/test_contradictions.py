"""What code does when claims contradict each other: settling questions, reopened answers, and how it all ends."""

from __future__ import annotations

import pytest
from tool_states import QUOTE, TAY, Desk, answered

from investigator.core.claims import ClaimLink
from investigator.core.ids import ROOT
from investigator.core.limits import Limits
from investigator.core.vocab import Actor, LinkStatus, Stance

LATER = "Records of the company say that the first train crossed the Tay only in the spring of 1888."
LATER_QUOTE = "first train crossed the Tay only in the spring of 1888"
MINUTES = "In the minutes of the board the bridge is called open to all traffic since 20 June 1887 without a doubt."
MINUTES_QUOTE = "called open to all traffic since 20 June 1887"


def contradicted(**limits: object) -> Desk:
    """c_001 stands on s_001, c_002 contradicts it from s_002; q_003 is to settle it."""
    desk = answered(**limits)
    desk.read("https://b.org/trains", LATER)
    desk.note("The bridge opened in 1888.", source="s_002", quote=LATER_QUOTE, contradicts=["c_001"])
    return desk


def pair(desk: Desk) -> ClaimLink:
    (link,) = [one for one in desk.state.ledger.links.values() if one.kind is Stance.CONTRADICTS]
    return link


def settle_it(desk: Desk) -> None:
    """q_003 is current, whatever was."""
    desk.ok("set_priority", id="q_002", priority=0.1, why="first things first")
    if desk.question == "q_002":
        desk.human = True
        desk.ok("add_question", question="What else?", kind="gap", rationale="x", validation_criteria="x", priority=0.2,
                parent_id="q_002", blocks_parent=True)  # fmt: skip
        desk.human = False
    assert desk.select() == "q_003"


def test_a_contradiction_opens_its_question_and_quotes_both_ways() -> None:
    """Code asks which holds, at 0.9, below the question of the claim; each claim carries what the other's page says."""
    desk = contradicted()
    link = pair(desk)
    assert (link.key, link.status, link.question_id) == (("c_002", "c_001"), LinkStatus.OPEN, "q_003")
    asked = desk.state.frontier.questions["q_003"]
    assert (asked.parent_id, asked.priority, asked.kind) == ("q_002", 0.9, "query")
    assert asked.rationale == "c_002 contradicts c_001"
    assert desk.moves("q_003")[0].actor is Actor.CODE
    for claim, source, quote in (("c_001", "s_002", LATER_QUOTE), ("c_002", "s_001", QUOTE)):
        against = desk.state.ledger.claims[claim].link(source)
        assert against is not None
        assert (against.stance, against.quote, against.located) == (Stance.CONTRADICTS, quote, True)


@pytest.mark.parametrize(("claim", "other"), [("c_001", "c_002"), ("c_002", "c_001")])
def test_a_pair_contradicts_once(claim: str, other: str) -> None:
    """Said again, from either side, it adds neither a link nor a question."""
    desk = contradicted()
    text = desk.state.ledger.claims[claim].text
    desk.note(text, source="s_001" if claim == "c_001" else "s_002",
              quote=QUOTE if claim == "c_001" else LATER_QUOTE, contradicts=[other])  # fmt: skip
    assert pair(desk).status is LinkStatus.OPEN
    assert len(desk.state.frontier.questions) == 3


def test_a_source_that_supports_a_claim_is_not_put_against_it() -> None:
    """One page cannot speak for a claim and against it."""
    desk = answered()
    desk.note("It opened late.", source="s_001", quote="opened on 20 June 1887 after five years of work",
              contradicts=["c_001"])  # fmt: skip
    assert pair(desk).key == ("c_002", "c_001")
    assert [one.stance for one in desk.state.ledger.claims["c_001"].links] == [Stance.SUPPORTS]


def test_a_settling_question_stands_no_deeper_than_it_may() -> None:
    """At the depth cap it hangs below the nearest question that may have a child."""
    desk = contradicted(max_depth=1)
    assert desk.state.frontier.questions["q_003"].parent_id == ROOT


def test_an_answered_settling_question_addresses_the_contradiction() -> None:
    """Whoever settles it has said which holds."""
    desk = contradicted()
    settle_it(desk)
    desk.resolve("q_003", "1887", "c_001")
    assert (pair(desk).status, pair(desk).text.endswith("(unsettled)")) == (LinkStatus.ADDRESSED, False)


@pytest.mark.parametrize("how", ["unresolvable", "pruned"])
def test_a_dead_settling_question_leaves_it_unsettled(how: str) -> None:
    """Then the contradiction is addressed as unsettled, and who waited for it is freed."""
    desk = refuted(max_attempts=1)
    assert desk.state.frontier.waits_on("q_002") == ("q_003",)
    if how == "pruned":
        desk.ok("prune_branch", id="q_003", reason="it cannot be told")
    else:
        assert desk.select() == "q_003"
        desk.search("tay bridge company records")
        desk.ok("retry_question", id="q_003", new_query="more", why="x", assumption="It stays open.")
    assert desk.status("q_003") == how
    assert (pair(desk).status, pair(desk).text.endswith("(unsettled)")) == (LinkStatus.ADDRESSED, True)
    assert desk.state.frontier.waits_on("q_002") == ()
    assert desk.status("q_002") == "pending"


def test_a_settled_pair_that_contradicts_again_reopens_its_question() -> None:
    """There is one question for a pair, however often it comes up."""
    desk = contradicted()
    settle_it(desk)
    desk.resolve("q_003", "1887", "c_001")
    desk.note("The bridge opened in 1888.", source="s_002", quote=LATER_QUOTE, contradicts=["c_001"])
    assert (pair(desk).status, pair(desk).question_id) == (LinkStatus.OPEN, "q_003")
    assert desk.status("q_003") == "pending"
    last = desk.moves("q_003")[-1]
    assert (last.actor, last.reason) == (Actor.CODE, "c_002 and c_001 contradict each other again")


def test_a_retracted_side_ends_the_contradiction() -> None:
    """What nobody holds any more contradicts nothing."""
    desk = contradicted()
    desk.ok("notes_update", id="c_002", change={"retract": "a timetable, not a record"})
    assert (pair(desk).status, pair(desk).text) == (LinkStatus.ADDRESSED, "")


def refuted(**limits: object) -> Desk:
    """The answer of q_002 cites c_001, which is then REFUTED by c_002."""
    desk = answered(**limits)
    desk.read("https://b.org/trains", LATER)
    desk.note("The bridge opened in 1888.", source="s_002", quote=LATER_QUOTE)
    desk.resolve("q_002", "1887", "c_001")
    desk.attack("c_001")
    desk.ok("record_challenge_result", id="ch_001", outcome="refuted", evidence="a record", source_ids=["s_002"],
            result_claim_id="c_002")  # fmt: skip
    return desk


def test_an_answer_that_cites_a_refuted_claim_waits_for_the_settling_question() -> None:
    """It is reopened by code, named with its cause, and taken after what settles it."""
    desk = refuted()
    last = desk.moves("q_002")[-1]
    assert (last.trigger, last.actor, last.caused_by) == ("reopened", Actor.CODE, "ch_001")
    assert desk.state.frontier.questions["q_002"].answer == ""
    assert desk.state.frontier.waits_on("q_002") == ("q_003",)
    assert desk.select() == "q_003"


def test_the_root_is_reopened_but_does_not_wait() -> None:
    """The objective is never put back; its answer is gone all the same."""
    desk = answered()
    desk.read("https://b.org/trains", LATER)
    desk.note("The bridge opened in 1888.", source="s_002", quote=LATER_QUOTE)
    desk.resolve("q_002", "1887", "c_001")
    desk.question = ROOT
    desk.resolve(ROOT, "1887", "c_001")
    desk.attack("c_001")
    said = desk.ok("record_challenge_result", id="ch_001", outcome="refuted", evidence="a record", source_ids=["s_002"],
                   result_claim_id="c_002")  # fmt: skip
    assert said.endswith(f"opened q_003 to settle it; reopened {ROOT}, q_002")
    root = desk.state.frontier.root
    assert (root.status, root.answer, desk.state.frontier.waits_on(ROOT)) == ("in_progress", "", ())


def test_a_refuted_claim_stays_refuted() -> None:
    """It is no belief any more: it cannot be cited, attacked or set to anything but RETRACTED."""
    desk = refuted()
    assert desk.status("c_001") == "REFUTED"
    kind, sentence = desk.no("notes_update", id="c_001", change={"status": "UNVERIFIED"})
    assert (kind, sentence.startswith("c_001 is REFUTED")) == ("final", True), sentence
    assert desk.no("challenge", target_type="claim", claim_id="c_001", strategy="counterexample", negation="x",
                   expected_if_false=["y"], query="tay exception")[0] == "dead_claim"  # fmt: skip


def verified(**limits: object) -> Desk:
    """c_001 is VERIFIED: two origins, one survived challenge."""
    desk = answered(**limits)
    desk.read("https://c.org/minutes", MINUTES)
    added = {"source": "s_002", "quote": MINUTES_QUOTE, "independent": True, "why": "its own minutes"}
    desk.ok("notes_update", id="c_001", change={"add_source": added})
    desk.survive("c_001")
    desk.ok("notes_update", id="c_001", change={"status": "VERIFIED"})
    assert desk.status("c_001") == "VERIFIED"
    return desk


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("notes_update", {"id": "c_001", "change": {"drop_source": "s_002"}}),
        ("notes_update", {"id": "s_002", "change": {"retract": "a forgery"}}),
    ],
)
def test_verified_falls_back_when_the_rule_is_no_longer_met(name: str, args: dict[str, object]) -> None:
    """Code takes it back at once, and the reason is what the rule lacks."""
    desk = verified()
    desk.ok(name, **args)
    assert desk.status("c_001") == "UNVERIFIED"
    last = [one for one, _ in desk.state.journal.claim_transitions if one.claim_id == "c_001"][-1]
    assert (last.actor, last.from_status) == (Actor.CODE, "VERIFIED")
    assert "1 independent origin" in last.reason


def test_verified_falls_back_when_a_person_raises_the_bar() -> None:
    """The limits hold from then on, for what stood before, too."""
    desk = verified()
    desk.human = True
    desk.ok("set_limits", limits={"min_challenges": 2})
    assert desk.state.limits == Limits(min_challenges=2)
    assert desk.status("c_001") == "UNVERIFIED"


def test_an_altered_copy_supports_nothing_and_contradicts_its_rival() -> None:
    """Two near-copies that differ in the quoted place speak for nobody, and what quotes the other one is the rival."""
    told = f"Trains had to wait for ferries for many years before. {TAY} It carries a double track across the firth."
    desk = Desk()
    desk.read("https://a.org/tay", told)
    desk.note("It was opened in 1887.", source="s_001", quote=QUOTE)
    desk.read("https://b.org/copy", told.replace("20 June 1887", "20 June 1889"))
    desk.note("It was opened in 1889.", source="s_002", quote=QUOTE.replace("1887", "1889"))
    assert {pair(desk).claim_id, pair(desk).other_id} == {"c_001", "c_002"}
    for claim, source in (("c_001", "s_002"), ("c_002", "s_001")):
        against = desk.state.ledger.claims[claim].link(source)
        assert against is not None
        assert against.stance is Stance.CONTRADICTS
    desk.survive("c_001")
    kind, sentence = desk.no("notes_update", id="c_001", change={"status": "VERIFIED"})
    assert "c_001 has 0 independent origins" in sentence, kind
