"""The challenge tools: what may attack what, what an outcome does to beliefs, and each refusal with its exact words."""

from __future__ import annotations

from typing import Any

import pytest
from tool_states import ATTACK, Desk, answered

from investigator.core.ids import ROOT
from investigator.core.vocab import Stance, Strategy

ON_CLAIM = {**ATTACK, "target_type": "claim", "claim_id": "c_001", "query": "tay bridge myth"}
ON_ANSWER = {**ATTACK, "target_type": "question_answer", "question_id": "q_002", "query": "tay bridge myth"}
ON_CONCLUSION = {**ATTACK, "target_type": "conclusion", "query": "tay bridge myth"}
LATER = "Records of the company say that the first train crossed the Tay only in the spring of 1888."
LATER_QUOTE = "first train crossed the Tay only in the spring of 1888"


def rivals(**limits: Any) -> Desk:
    """c_001 is under attack by ch_001, which was searched; c_002 of another page says otherwise."""
    desk = answered(**limits)
    assert desk.attack("c_001") == "ch_001"
    desk.read("https://b.org/trains", LATER)
    desk.note("The bridge opened in 1888.", source="s_002", quote=LATER_QUOTE)
    return desk


def record(outcome: str, **more: Any) -> dict[str, Any]:
    return {"id": "ch_001", "outcome": outcome, "evidence": "a timetable of 1888", "source_ids": ["s_002"], **more}


def conclude(desk: Desk) -> None:
    desk.ok("notes_scratch", text="Conclusion: it opened in 1887.")


# What may be attacked, and how


def test_challenge_names_the_search_that_carries_it_out() -> None:
    """An opened challenge says which search comes next, and keeps the belief that it attacks."""
    desk = answered()
    assert desk.ok("challenge", **ON_CLAIM) == "ch_001 open; now call web_search with its query 'tay bridge myth'"
    one = desk.state.challenges["ch_001"]
    assert (one.belief, one.open, one.attempt_n) == ("The bridge opened in 1887.", True, 0)
    desk.search("Tay  BRIDGE myth!")
    attempt = desk.state.frontier.attempts_of("q_002")[-1]
    assert (attempt.kind, attempt.n) == ("challenge", desk.state.challenges["ch_001"].attempt_n)


def test_challenge_takes_the_recorded_answer_as_belief() -> None:
    """A resolved question needs no belief: its answer is under attack; an open one needs the proposed answer."""
    desk = answered()
    assert desk.no("challenge", **ON_ANSWER) == (
        "no_belief", "q_002 has no answer yet. Give the proposed answer as belief.",
    )  # fmt: skip
    desk.resolve("q_002", "it opened in 1887", "c_001")
    desk.ok("challenge", **ON_ANSWER)
    assert desk.state.challenges["ch_001"].belief == "it opened in 1887"


def test_challenge_attacks_the_stated_conclusion() -> None:
    """The conclusion is the paragraph of the scratch; without one there is nothing to attack."""
    desk = answered()
    assert desk.no("challenge", **ON_CONCLUSION) == (
        "no_conclusion",
        "no conclusion is stated. Write a paragraph 'Conclusion: …' with notes_scratch first.",
    )
    conclude(desk)
    desk.ok("challenge", **ON_CONCLUSION)
    desk.search("tay bridge myth")
    assert [one.kind for one in desk.state.frontier.attempts_of(ROOT)] == ["challenge"]


REFUSED = [
    ({"claim_id": "c_009"}, "unknown_claim", "there is no claim 'c_009'. The latest ids are: c_001."),
    ({"claim_id": ""}, "arguments", "claim_id must be text of 1 to 20 characters, got ''"),
    ({"target_type": "question_answer", "question_id": "q_009"}, "unknown_question", None),
    ({"expected_if_false": ["a denial", " "]}, "arguments",
     "expected_if_false[1] must be text of 1 to 400 characters, got ' '"),
    ({"query": "?!"}, "repeated_query",
     "the query '?!' was tried before. A challenge needs a query that differs from every earlier one."),
    ({"query": "WHEN did it open"}, "repeated_query",
     ("the query 'WHEN did it open' was tried before. "
      "A challenge needs a query that differs from every earlier one.")),
    ({"query": "when the bridge opened in 1887"}, "no_new_terms",
     ("the query only repeats the belief; it would find the same pages again. "
      "Add a term of your negation or one of: not, false, wrong, myth, denied, debunked.")),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kind", "sentence"), REFUSED)
def test_challenge_refuses(args: dict[str, Any], kind: str, sentence: str | None) -> None:
    """A challenge without a target, or with a query that attacks nothing, says what is wrong with it."""
    desk = answered()
    desk.search("when did it open")
    got = desk.no("challenge", **{**ON_CLAIM, **args})
    assert got[0] == kind
    assert sentence is None or got[1] == sentence


def test_challenge_of_a_claim_needs_its_id() -> None:
    """A target type without its id is no target."""
    desk = answered()
    no_id = {name: value for name, value in ON_CLAIM.items() if name != "claim_id"}
    assert desk.no("challenge", **no_id) == ("unknown_claim", "there is no claim ''. The latest ids are: c_001.")
    assert Desk().no("challenge", **no_id) == ("unknown_claim", "there is no claim ''. The latest ids are: none yet.")


def test_challenge_leaves_dead_beliefs_alone() -> None:
    """A retracted claim and the answer of a pruned question are no beliefs any more."""
    desk = answered()
    desk.ok("notes_update", id="c_001", change={"retract": "misread"})
    assert desk.no("challenge", **ON_CLAIM) == (
        "dead_claim", "c_001 is RETRACTED; there is nothing left to attack.",
    )  # fmt: skip
    desk.ok("prune_branch", id="q_002", reason="minor")
    assert desk.no("challenge", **ON_ANSWER, belief="1887") == (
        "settled", "q_002 is pruned; it has no answer to attack.",
    )  # fmt: skip


def test_challenge_uses_only_the_strategies_of_the_run() -> None:
    """A strategy that is switched off is refused with those that are on."""
    desk = answered(strategies=(Strategy.SCOPE_LIMITS, Strategy.SOURCE_CRITIQUE))
    assert desk.no("challenge", **ON_CLAIM) == (
        "strategy",
        "strategy direct_negation is switched off in this run. Use one of scope_limits, source_critique.",
    )


def test_challenge_takes_a_strategy_once_per_target() -> None:
    """A repeated strategy is refused with those that are left, until none is."""
    desk = answered(strategies=(Strategy.DIRECT_NEGATION, Strategy.SCOPE_LIMITS))
    desk.ok("challenge", **ON_CLAIM)
    again = {**ON_CLAIM, "query": "tay bridge false"}
    assert desk.no("challenge", **again) == (
        "strategy_used",
        "direct_negation was already used on this target. Use another strategy: scope_limits.",
    )
    desk.ok("challenge", **{**ON_CLAIM, "strategy": "scope_limits", "query": "tay bridge only goods"})
    assert desk.no("challenge", **again) == (
        "strategy_used",
        "direct_negation was already used on this target. None is left: decide with what was found.",
    )


def test_challenge_has_a_cap_per_target() -> None:
    """A target takes as many challenges as the limit says; a changed answer is a new target."""
    desk = answered(max_challenges_per_target=1)
    desk.ok("challenge", **ON_ANSWER, belief="It opened in 1887.")
    second = {**ON_ANSWER, "strategy": "scope_limits", "query": "tay bridge only goods"}
    assert desk.no("challenge", **second, belief="it OPENED in 1887") == (
        "challenge_cap", "this target has 1 challenges, the most allowed. Decide with what was found.",
    )  # fmt: skip
    assert desk.ok("challenge", **second, belief="It opened in June 1887.").startswith("ch_002 open")


def test_challenge_counts_queries_of_other_challenges_of_the_target() -> None:
    """The query of a challenge that was not searched yet is taken as well."""
    desk = answered()
    desk.ok("challenge", **ON_CLAIM)
    assert desk.no("challenge", **{**ON_CLAIM, "strategy": "scope_limits"}) == (
        "repeated_query",
        "the query 'tay bridge myth' was tried before. A challenge needs a query that differs from every earlier one.",
    )


@pytest.mark.parametrize(
    ("strategy", "query", "attacks"),
    [
        ("direct_negation", "bridge not opened in 1887", True),
        ("direct_negation", "bridge opened in 1887 carnival", False),
        ("scope_limits", "bridge opened after 1887", True),
        ("independent_origin", "bridge opened 1887 press release", True),
        ("independent_origin", "bridge opened 1887 release", False),
        ("newer_evidence", "bridge opened 1887 fairytale", True),
    ],
)
def test_challenge_wants_a_term_that_the_belief_lacks(strategy: str, query: str, attacks: bool) -> None:
    """A term of the strategy or of the negation makes a query an attack; a word of its own does not."""
    desk = answered()
    args = {**ON_CLAIM, "strategy": strategy, "query": query, "negation": "it is a fairytale"}
    if attacks:
        assert desk.ok("challenge", **args).startswith("ch_001 open")
    else:
        assert desk.no("challenge", **args)[0] == "no_new_terms"


# What an outcome does


def test_survived_counts_and_changes_no_belief() -> None:
    """A survived challenge stands among the checks of its claim, whose status stays."""
    desk = rivals()
    assert desk.ok("record_challenge_result", **record("survived", source_ids=[])) == "ch_001 closed: survived"
    claim = desk.state.ledger.claims["c_001"]
    assert (claim.checks, claim.status, claim.note) == ((("ch_001", "survived"),), "UNVERIFIED", "")
    assert desk.no("record_challenge_result", **record("refuted")) == (
        "closed", "ch_001 is closed already (survived). A challenge closes once; open a new one.",
    )  # fmt: skip


def test_inconclusive_changes_nothing_and_is_no_progress() -> None:
    """An inconclusive challenge needs no source and moves neither claim nor question."""
    desk = answered()
    desk.ok("challenge", **ON_CLAIM)
    before = desk.state.frontier
    said = desk.ok("record_challenge_result", id="ch_001", outcome="inconclusive", evidence="none", source_ids=[])
    assert said == "ch_001 closed: inconclusive"
    assert desk.state.frontier is before
    assert desk.status("c_001") == "UNVERIFIED"


def test_weakened_puts_the_scope_into_the_note() -> None:
    """A weakened claim keeps its status and says in its note where it holds."""
    desk = rivals()
    assert desk.ok("record_challenge_result", **record("weakened")) == "ch_001 closed: weakened"
    assert desk.state.ledger.claims["c_001"].note == "scope (ch_001): a timetable of 1888"
    assert desk.status("c_001") == "UNVERIFIED"


def test_weakened_takes_verified_back() -> None:
    """A VERIFIED claim falls back until it is verified within its scope."""
    desk = rivals(min_independent_sources=1)
    desk.ok("record_challenge_result", **record("survived", source_ids=[]))
    desk.ok("notes_update", id="c_001", change={"status": "VERIFIED"})
    second = {**ON_CLAIM, "strategy": "scope_limits", "query": "tay bridge only goods trains"}
    desk.ok("challenge", **second)
    said = desk.ok("record_challenge_result", **{**record("weakened"), "id": "ch_002"})
    assert said == "ch_002 closed: weakened; c_001 is UNVERIFIED"


def test_refuted_refutes_the_claim_and_opens_a_settling_question() -> None:
    """The counter-claim's quote goes against the claim, the answer is reopened, and a question is to settle it."""
    desk = rivals()
    desk.resolve("q_002", "1887", "c_001")
    said = desk.ok("record_challenge_result", **record("refuted", result_claim_id="c_002"))
    assert said == "ch_001 closed: refuted; c_001 is REFUTED; opened q_003 to settle it; reopened q_002"
    settling = desk.state.frontier.questions["q_003"]
    assert settling.question == (
        'Which holds: "The bridge opened in 1888." (c_002) or "The bridge opened in 1887." (c_001)?'
    )
    assert (settling.priority, settling.rationale) == (0.9, "c_002 contradicts c_001 (ch_001)")
    against = desk.state.ledger.claims["c_001"].link("s_002")
    assert against is not None
    assert (against.stance, against.quote, against.why) == (Stance.CONTRADICTS, LATER_QUOTE, "speaks for c_002")
    assert desk.moves("q_002")[-1].reason == "c_001 was refuted: a timetable of 1888"


def test_refuting_closes_the_other_attacks_on_the_claim() -> None:
    """What attacks a dead claim can no longer be answered: it is closed as inconclusive."""
    desk = rivals()
    desk.ok("challenge", **{**ON_CLAIM, "strategy": "scope_limits", "query": "tay bridge only goods"})
    desk.ok("record_challenge_result", **record("refuted", result_claim_id="c_002"))
    moot = desk.state.challenges["ch_002"]
    assert (moot.outcome, moot.evidence) == ("inconclusive", "c_001 is REFUTED")


def test_a_settling_question_beyond_the_cap_becomes_a_gap() -> None:
    """With no room for a question the contradiction is addressed as unsettled, and named as a gap."""
    desk = rivals(max_questions=2)
    said = desk.ok("record_challenge_result", **record("refuted", result_claim_id="c_002"))
    assert said == "ch_001 closed: refuted; c_001 is REFUTED"
    (gap,) = desk.state.gaps
    assert gap.text.startswith("unsettled: c_002 against c_001 (")
    assert desk.state.ledger.open_contradictions() == ()


def test_a_refuted_answer_is_reopened() -> None:
    """An answer that was refuted after it stood goes back to work; a weakened one stays."""
    for outcome, said in (("refuted", "; reopened q_002"), ("weakened", "")):
        desk = answered()
        desk.resolve("q_002", "it opened in 1887", "c_001")
        desk.ok("challenge", **ON_ANSWER)
        desk.search("tay bridge myth")
        got = desk.ok("record_challenge_result", **record(outcome, source_ids=["https://a.org/tay"]))
        assert got == f"ch_001 closed: {outcome}{said}"


@pytest.mark.parametrize("outcome", ["weakened", "refuted"])
def test_a_shaken_conclusion_reopens_the_resolved_root(outcome: str) -> None:
    """The objective is not settled while its conclusion does not hold."""
    desk = answered()
    conclude(desk)
    desk.resolve("q_002", "1887", "c_001")
    desk.question = ROOT
    desk.resolve(ROOT, "1887", "c_001")
    desk.ok("challenge", **ON_CONCLUSION)
    said = desk.ok("record_challenge_result", **record(outcome, source_ids=["s_001"]))
    assert said == f"ch_001 closed: {outcome}; reopened {ROOT}"
    assert desk.moves(ROOT)[-1].reason == f"ch_001: the conclusion was {outcome}"


RECORDED = [
    ({"id": "ch_009"}, "unknown_challenge", "there is no challenge 'ch_009'. Open ones: ch_001."),
    ({"source_ids": ["s_009", "s_002", "https://c.org/"]}, "not_fetched",
     ("not fetched in this run: 's_009', 'https://c.org/'. "
      "Fetch them first, then name their s_ ids; or leave them out.")),
    ({"source_ids": []}, "no_evidence",
     ("refuted needs evidence and at least one source id. "
      "Name what was found and where, or record inconclusive.")),
    ({"outcome": "weakened", "source_ids": []}, "no_evidence",
     ("weakened needs evidence and at least one source id. "
      "Name what was found and where, or record inconclusive.")),
    ({}, "no_counter_claim",
     ("refuted on a claim needs result_claim_id, the counter-claim. "
      "Record the counter-claim with notes_append and a quote first.")),
    ({"result_claim_id": "c_009"}, "unknown_claim",
     "there is no claim 'c_009'. The latest ids are: c_001, c_002, c_003."),
    ({"result_claim_id": "c_001"}, "counter_claim",
     "c_001 cannot be the counter-claim of c_001. Name a live claim that says otherwise."),
    ({"result_claim_id": "c_003"}, "no_contradicting_quote",
     ("no source that does not support c_001 contradicts it with a located quote. "
      "Add a quote from another page to c_003, then record the result again.")),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kind", "sentence"), RECORDED)
def test_record_challenge_result_refuses(args: dict[str, Any], kind: str, sentence: str) -> None:
    """A result without its evidence is refused with what is missing, and the challenge stays open."""
    desk = rivals()
    desk.note("It opened much later.")
    assert desk.no("record_challenge_result", **{**record("refuted"), **args}) == (kind, sentence)
    assert desk.state.challenges["ch_001"].open


def test_a_dead_claim_is_no_counter_claim() -> None:
    """What was retracted refutes nothing."""
    desk = rivals()
    desk.ok("notes_update", id="c_002", change={"retract": "misread"})
    assert desk.no("record_challenge_result", **record("refuted", result_claim_id="c_002")) == (
        "counter_claim", "c_002 cannot be the counter-claim of c_001. Name a live claim that says otherwise.",
    )  # fmt: skip


@pytest.mark.parametrize("fails", [False, True])
def test_survived_needs_a_search_that_worked(fails: bool) -> None:
    """Neither an attack that was not made nor a search that failed lets a claim survive."""
    desk = answered()
    desk.ok("challenge", **ON_CLAIM)
    if fails:
        desk.search("tay bridge myth", fails=True)
    assert desk.no("record_challenge_result", **record("survived", source_ids=[])) == (
        "not_searched",
        ("ch_001 was not searched yet, so nothing survived. "
         "Call web_search with its query 'tay bridge myth' first."),
    )  # fmt: skip


def test_no_open_challenge_is_said() -> None:
    """With none open the refusal of an unknown id says so."""
    assert Desk().no("record_challenge_result", **record("survived")) == (
        "unknown_challenge", "there is no challenge 'ch_001'. Open ones: none.",
    )  # fmt: skip


def test_retracting_closes_the_attacks_on_the_claim() -> None:
    """A retracted claim needs no answer to its challenge; the same goes for a pruned question's answer."""
    desk = answered()
    desk.ok("challenge", **ON_CLAIM)
    desk.ok("challenge", **{**ON_ANSWER, "query": "tay opening denied"}, belief="1887")
    desk.ok("notes_update", id="c_001", change={"retract": "misread"})
    desk.ok("prune_branch", id="q_002", reason="minor")
    got = [(one.outcome, one.evidence) for one in desk.state.challenges.values()]
    assert got == [("inconclusive", "c_001 is RETRACTED"), ("inconclusive", "q_002 is pruned")]


# Showing them


def test_challenges_view_shows_what_is_asked_for() -> None:
    """All of them, those of a target, those of a status; none is said to be none; a status that is none is refused."""
    desk = answered()
    assert desk.ok("challenges_view") == "no challenge"
    conclude(desk)
    desk.survive("c_001")
    desk.ok("challenge", **ON_CONCLUSION)
    first = "ch_001 on c_001 [direct_negation] 'c_001 denied' -> survived: none"
    second = "ch_002 on conclusion [direct_negation] 'tay bridge myth' -> open"
    assert desk.ok("challenges_view") == f"{first}\n{second}"
    assert desk.ok("challenges_view", target="c_001") == desk.ok("challenges_view", status="closed") == first
    assert desk.ok("challenges_view", target="conclusion") == desk.ok("challenges_view", status="open") == second
    assert desk.ok("challenges_view", target="q_002") == "no challenge"
    assert desk.no("challenges_view", status="lost") == ("arguments", "status must be one of open, closed, got 'lost'")
