"""Challenges: what makes an attack real, in which order it is checked, and when it may be closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from investigator.core.challenges import (
    STRATEGY_TERMS,
    Challenge,
    adds_terms,
    check,
    close,
    on_target,
    requires_answer_challenge,
)
from investigator.core.ids import ChallengeId
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.vocab import ChallengeStatus, Outcome, Strategy, TargetType

BELIEF = "The Larn bridge was opened in 1962."
QUERY = "Larn bridge opening myth"


def attack(number: int = 1, **more: Any) -> Challenge:
    told = {
        "target_type": TargetType.CLAIM, "claim_id": "c_001", "belief": BELIEF, "strategy": Strategy.DIRECT_NEGATION,
        "negation": "it was opened in another year", "expected_if_false": ("another date",), "query": QUERY, **more,
    }  # fmt: skip
    return Challenge(id=ChallengeId(f"ch_{number:03d}"), **told)


def refusal(new: Challenge, known: Sequence[Challenge] = (), earlier: Sequence[str] = (), **limits: Any) -> str:
    """Kind and sentence of the refusal; '' if it may be opened."""
    made = check(new, known, earlier, Limits(**limits))
    return f"{made.kind}: {made}" if made else ""


def test_a_real_attack_may_be_opened() -> None:
    """A term of the strategy that the belief lacks is enough."""
    assert refusal(attack()) == ""


@pytest.mark.parametrize(
    ("new", "known", "earlier", "limits", "sentence"),
    [
        (attack(), (), (), {"strategies": (Strategy.COUNTEREXAMPLE, Strategy.SCOPE_LIMITS)},
         "strategy: strategy direct_negation is switched off in this run. Use one of counterexample, scope_limits."),
        (attack(negation="  "), (), (), {},
         ("empty: a challenge needs a negation and at least one expected_if_false. "
         "State what would be true if the belief were false, and what you would then find.")),
        (attack(expected_if_false=(" ", "")), (), (), {},
         ("empty: a challenge needs a negation and at least one expected_if_false. "
         "State what would be true if the belief were false, and what you would then find.")),
        (attack(), (), ["LARN bridge, opening: myth?"], {},
         ("repeated_query: the query 'Larn bridge opening myth' was tried before. "
         "A challenge needs a query that differs from every earlier one.")),
        (attack(query="?!"), (), (), {},
         ("repeated_query: the query '?!' was tried before. "
         "A challenge needs a query that differs from every earlier one.")),
        (attack(2, query="Larn bridge denied"), [attack()], (), {"strategies": tuple(Strategy)[:3]},
         ("strategy_used: direct_negation was already used on this target. "
         "Use another strategy: counterexample, alternative_explanation.")),
        (attack(2, query="Larn bridge exception", strategy=Strategy.COUNTEREXAMPLE), [attack()], (),
         {"max_challenges_per_target": 1},
         "challenge_cap: this target has 1 challenges, the most allowed. Decide with what was found."),
        (attack(query="When was the Larn bridge opened?"), (), (), {},
         ("no_new_terms: the query only repeats the belief; it would find the same pages again. "
         "Add a term of your negation or one of: not, false, wrong, myth, denied, debunked.")),
    ],
)  # fmt: skip
def test_check_says_why_it_is_no_attack(
    new: Challenge, known: Sequence[Challenge], earlier: Sequence[str], limits: dict[str, Any], sentence: str
) -> None:
    """Each rule has its sentence, and says what to do instead."""
    assert refusal(new, known, earlier, **limits) == sentence


def test_the_first_rule_that_is_broken_is_named() -> None:
    """In the order of the design: what is wrong with the attack itself comes before what it repeats, caps come late."""
    new = attack(2, negation="", query="Larn bridge")
    known, earlier = [attack(query="Larn bridge")], ["Larn bridge"]
    limits: dict[str, Any] = {"max_challenges_per_target": 1}
    order = []
    for mend in (
        {"negation": "it was opened later"},
        {"query": "Larn bridge opened"},
        {"strategy": Strategy.NEWER_EVIDENCE},
        {},
        {"query": "Larn bridge revised"},
    ):
        order.append(refusal(new, known, earlier, **limits).split(":")[0])
        if order[-1] == "challenge_cap":
            limits = {}
        new = replace(new, **mend)
    assert order == ["empty", "repeated_query", "strategy_used", "challenge_cap", "no_new_terms"]
    assert refusal(new, known, earlier) == ""


@pytest.mark.parametrize("strategy", list(Strategy))
def test_every_strategy_has_terms_that_make_an_attack(strategy: Strategy) -> None:
    """Each of its terms alone is enough, phrases as a whole; a term that the belief holds itself is not."""
    for term in STRATEGY_TERMS[strategy]:
        made = attack(strategy=strategy, query=f"Larn bridge {term.upper()}", negation="no")
        assert adds_terms(made), term
        assert not adds_terms(replace(made, belief=f"{BELIEF} {term}")), term
        assert not adds_terms(replace(made, query=f"Larn bridge x{term}x")), term


@pytest.mark.parametrize(
    ("belief", "negation", "query", "adds"),
    [
        (BELIEF, "it was opened in 1964", "Larn bridge 1964", True),
        (BELIEF, "it was opened in 1964", "Larn bridge 1965", False),
        (BELIEF, "it was not opened", "Larn bridge not opened", True),
        (BELIEF, "the bridge never opened", "was the Larn bridge", False),
        ("It is not so.", "it is so", "is it not so", False),
        ("Growth was 1.5 %", "growth was 15 %", "growth 15 %", True),
        ("It runs on C", "it runs on C++", "runs on C++", True),
    ],
)
def test_an_attack_needs_a_term_that_the_belief_lacks(belief: str, negation: str, query: str, adds: bool) -> None:
    """Stop words do not count, not and no do, and numbers and signs tell words apart."""
    assert adds_terms(attack(belief=belief, negation=negation, query=query)) is adds


def test_a_changed_belief_is_another_target() -> None:
    """So that a cap cannot deadlock a gate; another spelling of it is the same one."""
    known = [
        attack(1, target_type=TargetType.CONCLUSION, claim_id="", belief="It is long."),
        attack(2, target_type=TargetType.QUESTION_ANSWER, claim_id="", question_id="q_002", belief="It is long."),
        attack(3, target_type=TargetType.CONCLUSION, claim_id="", belief="It is short."),
        attack(4, target_type=TargetType.CONCLUSION, claim_id="", belief="it is LONG"),
    ]
    assert [one.id for one in on_target(known, known[0].target)] == ["ch_001", "ch_004"]
    changed = replace(known[0], id=ChallengeId("ch_005"), belief="It is wide.", query="Larn width denied")
    assert refusal(changed, known, max_challenges_per_target=1) == ""


def closing(one: Challenge, outcome: Outcome, **more: Any) -> Challenge | Refusal:
    told = {"evidence": "a page says so", "source_ids": ("s_001",), "result_claim_id": "c_002", **more}
    return close(one, outcome=outcome, turn=7, at="later", **told)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_searched_challenge_closes_with_any_outcome(outcome: Outcome) -> None:
    """What was found, where, when and in which turn is kept."""
    closed = closing(attack(attempt_n=3), outcome)
    assert isinstance(closed, Challenge)
    assert not closed.open
    assert (closed.status, closed.outcome, closed.evidence) == (ChallengeStatus.CLOSED, outcome, "a page says so")
    assert (closed.source_ids, closed.result_claim_id) == (("s_001",), "c_002")
    assert (closed.closed_turn, closed.closed_at, closed.attempt_n) == (7, "later", 3)


@pytest.mark.parametrize(
    ("one", "outcome", "more", "sentence"),
    [
        (attack(), Outcome.SURVIVED, {},
         ("not_searched: ch_001 was not searched yet, so nothing survived. "
         f"Call web_search with its query {QUERY!r} first.")),
        (attack(attempt_n=1), Outcome.REFUTED, {"source_ids": ()},
         ("no_evidence: refuted needs evidence and at least one source id. "
         "Name what was found and where, or record inconclusive.")),
        (attack(attempt_n=1), Outcome.WEAKENED, {"evidence": " "},
         ("no_evidence: weakened needs evidence and at least one source id. "
         "Name what was found and where, or record inconclusive.")),
        (attack(attempt_n=1), Outcome.REFUTED, {"result_claim_id": ""},
         ("no_counter_claim: refuted on a claim needs result_claim_id, the counter-claim. "
         "Record the counter-claim with notes_append and a quote first.")),
        (attack(status=ChallengeStatus.CLOSED, outcome="survived"), Outcome.REFUTED, {},
         "closed: ch_001 is closed already (survived). A challenge closes once; open a new one."),
    ],
)  # fmt: skip
def test_close_says_why_it_may_not_be_closed(
    one: Challenge, outcome: Outcome, more: dict[str, Any], sentence: str
) -> None:
    """Nothing survives that was not searched, and nothing falls without evidence."""
    made = closing(one, outcome, **more)
    assert isinstance(made, Refusal)
    assert f"{made.kind}: {made}" == sentence


@pytest.mark.parametrize("outcome", [Outcome.REFUTED, Outcome.WEAKENED, Outcome.INCONCLUSIVE])
def test_evidence_from_elsewhere_needs_no_search(outcome: Outcome) -> None:
    """A page that was read for something else may refute; and an attack may be given up unsearched."""
    assert isinstance(closing(attack(), outcome), Challenge)


def test_only_a_claim_needs_a_counter_claim() -> None:
    """An answer or a conclusion falls to evidence alone; inconclusive needs nothing at all."""
    answer = attack(target_type=TargetType.QUESTION_ANSWER, claim_id="", question_id="q_002")
    assert isinstance(closing(answer, Outcome.REFUTED, result_claim_id=""), Challenge)
    bare = {"source_ids": (), "evidence": "", "result_claim_id": ""}
    assert isinstance(closing(attack(), Outcome.INCONCLUSIVE, **bare), Challenge)
    assert isinstance(closing(attack(attempt_n=1), Outcome.SURVIVED, **bare), Challenge)


def test_answers_of_depth_0_and_1_are_challenged() -> None:
    """They carry the conclusion; deeper ones need not be."""
    assert [requires_answer_challenge(depth) for depth in range(4)] == [True, True, False, False]
