"""The exploration gate, the breakers and the last turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from investigator.core import claims
from investigator.core import frontier_moves as moves
from investigator.core.challenges import Challenge
from investigator.core.claims import ClaimLink, Ledger, SourceLink
from investigator.core.gates import breaker, exhausted_by, exploration_gate, last_turn, no_call_fits
from investigator.core.ids import ChallengeId, ClaimId, QuestionId
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.state import Budget, Reservation, Run, State
from investigator.core.vocab import (
    Actor,
    ChallengeStatus,
    ClaimKind,
    ClaimStatus,
    Loop,
    Stance,
    StopReason,
    Strategy,
    TargetType,
)
from investigator.core.wire import WorldFacts


def a_run(pages: int | None = None, domains: int | None = None) -> Run:
    return Run(
        objective="the objective",
        loop=Loop.INVESTIGATIVE,
        user="anon",
        notes_id="",
        model="offline",
        web="demo",
        world=WorldFacts(name="demo", pages=pages, domains=domains),
        started_at="t",
    )


def a_ledger(count: int, status: ClaimStatus = ClaimStatus.VERIFIED) -> Ledger:
    """``count`` claims, each from a source and domain of its own."""
    ledger = Ledger()
    for number in range(1, count + 1):
        ledger, source = claims.add_source(
            ledger, url=f"https://a{number}.org/", domain=f"a{number}.org", title="", published="", unit="", at="t"
        )
        ledger, claim, _ = claims.add_claim(
            ledger,
            kind=ClaimKind.CLAIM,
            text=f"claim {number}",
            value="",
            unit="",
            question_id=QuestionId("q_002"),
            note="",
            actor=Actor.AGENT,
            at="t",
        )
        linked = claims.link_source(claim, SourceLink(source_id=source.id, stance=Stance.SUPPORTS))
        ledger = ledger.with_claim(replace(linked, status=status))
    return ledger


def a_challenge(outcome: str, number: int = 1, belief: str = "it is so.") -> Challenge:
    """A challenge of the conclusion; '' leaves it open."""
    return Challenge(
        id=ChallengeId(f"ch_{number:03d}"),
        target_type=TargetType.CONCLUSION,
        belief=belief,
        strategy=tuple(Strategy)[number],
        negation="n",
        expected_if_false=("e",),
        query="not so",
        outcome=outcome,
        status=ChallengeStatus.CLOSED if outcome else ChallengeStatus.OPEN,
    )


def challenged(*outcomes: str) -> Mapping[str, Challenge]:
    made = [a_challenge(outcome, number) for number, outcome in enumerate(outcomes, 1)]
    return {one.id: one for one in made}


def resolve(state: State, question_id: str, waivers: Mapping[str, str] | None = None, claim: str = "c_001") -> State:
    made = moves.resolve(
        state.frontier,
        question_id,
        answer="It is so.",
        claim_ids=(claim,),
        waivers=waivers or {},
        actor=Actor.HUMAN,
        caused_by="",
        at="t",
    )
    assert not isinstance(made, Refusal), made
    return replace(state, frontier=made[0])


def add(state: State, text: str, priority: float, depends_on: tuple[str, ...] = ()) -> State:
    made = moves.add(
        state.frontier,
        parent_id="q_001",
        text=text,
        priority=priority,
        depends_on=depends_on,
        actor=Actor.AGENT,
        limits=state.limits,
        at="t",
    )
    assert not isinstance(made, Refusal), made
    return replace(state, frontier=made[0])


def unanswered(limits: Limits | None = None) -> State:
    """A run that has just begun."""
    return State(run=a_run(), limits=limits or Limits(), frontier=moves.start("the objective", "t")[0])


def finished() -> State:
    """A run whose exploration may end."""
    state = replace(
        unanswered(), ledger=a_ledger(5), scratch="Conclusion: it is so.\n\nmore", challenges=challenged("survived")
    )
    return resolve(resolve(add(state, "one?", 0.8), "q_002"), "q_001")


def test_the_gate_opens_when_nothing_is_missing() -> None:
    """A finished exploration passes."""
    assert exploration_gate(finished()) == ()


def test_the_gate_lists_everything_at_once() -> None:
    """Half-done things first, what can only be done at the end last."""
    state = add(add(unanswered(), "one?", 0.8), "two?", 0.7)
    ledger = a_ledger(2, ClaimStatus.UNVERIFIED).with_link(
        ClaimLink(claim_id=ClaimId("c_002"), other_id=ClaimId("c_001"), kind=Stance.CONTRADICTS, question_id="q_009")
    )
    opened = replace(a_challenge(""), target_type=TargetType.CLAIM, claim_id="c_001", belief="claim 1")
    state = resolve(replace(state, ledger=ledger, challenges={opened.id: opened}), "q_002")
    missing = exploration_gate(state)
    starts = [
        "ch_001 is open",
        "The contradiction c_002><c_001",
        "q_003 is pending",
        "q_002 is resolved without a VERIFIED",
        "The claims link 2 sources, 5",
        "The claims link 2 domains, 3",
        "There is no conclusion",
        "q_001, the objective",
    ]
    assert len(missing) == len(starts)
    assert all(one.startswith(start) for one, start in zip(missing, starts, strict=True)), missing


@pytest.mark.parametrize(("priority", "holds"), [(0.5, True), (0.49, False)])
def test_a_pending_question_holds_the_gate_from_its_priority_on(priority: float, holds: bool) -> None:
    """A question at gate_priority holds it shut, one below does not."""
    assert any("q_003 is pending" in one for one in exploration_gate(add(finished(), "two?", priority))) is holds


def test_a_question_that_waits_does_not_hold_the_gate() -> None:
    """Only what could be worked on counts; what it waits on is named instead."""
    state = add(add(finished(), "two?", 0.2), "three?", 0.9, depends_on=("q_003",))
    assert [one[:5] for one in exploration_gate(state)] == ["q_003"]


def test_a_question_in_progress_holds_the_gate() -> None:
    """Whatever its priority."""
    taken = moves.select(add(finished(), "two?", 0.1).frontier, worker="w", at="t")
    assert taken is not None
    assert exploration_gate(replace(finished(), frontier=taken[0]))[0].startswith("q_003 is in progress")


@pytest.mark.parametrize(("pages", "domains", "count"), [(2, 1, 2), (None, None, 5), (100, 100, 5), (0, 0, 0)])
def test_the_gate_asks_for_no_more_sources_than_the_world_has(
    pages: int | None, domains: int | None, count: int
) -> None:
    """A small corpus cannot deadlock a run."""

    def open_with(number: int) -> bool:
        state = replace(finished(), run=a_run(pages, domains), ledger=a_ledger(number))
        return not any(one.startswith("The claims link") for one in exploration_gate(state))

    assert open_with(count)
    assert not count or not open_with(count - 1)


def test_a_retracted_claim_brings_no_source() -> None:
    """Its source no longer counts for the gate."""
    state = finished()
    ledger, _ = claims.set_status(
        state.ledger, "c_005", ClaimStatus.RETRACTED, actor=Actor.AGENT, reason="", caused_by="", at="t"
    )
    assert exploration_gate(replace(state, ledger=ledger))[0].startswith("The claims link 4 sources")


def test_an_answer_without_a_verified_claim_needs_an_explanation() -> None:
    """A waiver of its own check explains it, or what is recorded for a cited claim; a note in passing does not."""

    def missing(waivers: Mapping[str, str], note: str = "", explained: Mapping[str, str] | None = None) -> bool:
        ledger = a_ledger(5, ClaimStatus.UNVERIFIED)
        ledger = ledger.with_claim(replace(ledger.claims["c_001"], note=note))
        state = replace(unanswered(), ledger=ledger, scratch="Conclusion: it is so.", challenges=challenged("survived"))
        state = replace(state, explained=explained or {})
        return any("without a VERIFIED" in one for one in exploration_gate(resolve(state, "q_001", waivers)))

    assert missing({})
    assert missing({"challenge": "no time"})
    assert missing({"verified": " "})
    assert missing({}, "the page is from 2024")
    assert missing({}, explained={"c_002": "another claim's"})
    assert not missing({"verified": "one register only"})
    assert not missing({}, explained={"c_001": "no longer VERIFIED: one source was retracted"})


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        ((), "no challenge that it survived"),
        (("inconclusive",), "no challenge that it survived (ch_001: inconclusive)"),
        (
            ("inconclusive", "inconclusive", "inconclusive"),
            "(ch_001, ch_002, ch_003: inconclusive): rewrite it, then challenge it anew",
        ),
        (("inconclusive", "survived"), ""),
        (("weakened",), "ch_001 weakened the conclusion"),
        (("survived", "refuted"), "ch_002 refuted the conclusion"),
        (("inconclusive", "inconclusive", "weakened"), "ch_003 weakened the conclusion"),
    ],
)
def test_the_conclusion_must_survive(outcomes: tuple[str, ...], says: str) -> None:
    """It has to survive a challenge; one that could not be shaken nor tested is rewritten, which is a new target."""
    missing = exploration_gate(replace(finished(), challenges=challenged(*outcomes)))
    assert (len(missing) == 1 and says in missing[0]) if says else missing == ()


def test_a_changed_conclusion_needs_a_new_challenge() -> None:
    """Challenges of an earlier wording do not count."""
    state = replace(finished(), scratch="Conclusion: it is otherwise.")
    assert ["no challenge that it survived" in one for one in exploration_gate(state)] == [True]


def test_few_strategies_cannot_deadlock_the_gate() -> None:
    """With one strategy switched on, one inconclusive challenge is all that this wording can have; another may try."""
    limits = Limits(strategies=(Strategy.COUNTEREXAMPLE,))
    state = replace(finished(), limits=limits, challenges=challenged("inconclusive"))
    assert "rewrite it" in exploration_gate(state)[0]
    anew = {"ch_002": a_challenge("survived", 2, "it is so, mostly.")}
    rewritten = replace(state, scratch="Conclusion: it is so, mostly.", challenges={**state.challenges, **anew})
    assert exploration_gate(rewritten) == ()


def test_an_unresolvable_objective_without_claims_needs_no_conclusion() -> None:
    """Nothing was found: there is nothing to conclude and nothing to challenge."""
    state = replace(
        unanswered(Limits(min_sources=0, min_domains=0, max_attempts=1)), ledger=a_ledger(1, ClaimStatus.REFUTED)
    )
    frontier = state.frontier
    for assumption in ("", "it is unknown"):
        made = moves.retry(
            frontier,
            "q_001",
            query="a query",
            why="nothing",
            assumption=assumption,
            actor=Actor.AGENT,
            limits=state.limits,
            turn=1,
            at="t",
        )
        assert not isinstance(made, Refusal)
        frontier = made[0]
    assert exploration_gate(replace(state, frontier=frontier)) == ()
    usable = replace(state, frontier=frontier, ledger=a_ledger(1))
    assert "There is no conclusion" in exploration_gate(usable)[0]


@pytest.mark.parametrize(
    ("change", "limits", "reason"),
    [
        ({"turn": 50}, {}, StopReason.NONE),
        ({"turn": 51}, {}, StopReason.ITERATIONS),
        ({"budget": Budget(tokens=600)}, {"max_total_tokens": 1000}, StopReason.NONE),
        ({"budget": Budget(tokens=751)}, {"max_total_tokens": 1000}, StopReason.TOKENS),
        (
            {"budget": Budget(tokens=600, reserved={"w": Reservation(tokens=200)})},
            {"max_total_tokens": 1000},
            StopReason.TOKENS,
        ),
        ({"budget": Budget(cost_usd=0.2)}, {"max_cost_usd": 0.5}, StopReason.NONE),
        ({"budget": Budget(cost_usd=0.33)}, {"max_cost_usd": 0.5}, StopReason.COST),
        ({"stalled": 7, "failed_searches": 2}, {}, StopReason.NONE),
        ({"stalled": 8}, {}, StopReason.STALLED),
        ({"failed_searches": 3}, {}, StopReason.SEARCH),
    ],
)
def test_breaker_names_the_limit_that_is_reached(
    change: dict[str, object], limits: dict[str, object], reason: StopReason
) -> None:
    """Each against what is spent, reserved and estimated, the reserve of the synthesis left aside."""
    state = replace(unanswered(Limits(**limits)), **change)  # type: ignore[arg-type]
    assert breaker(state, 100, 0.1) is reason


@pytest.mark.parametrize(
    ("change", "limits", "last", "none"),
    [
        ({"turn": 58}, {}, False, False),
        ({"turn": 59}, {}, True, False),
        ({"turn": 60}, {}, True, True),
        ({"budget": Budget(tokens=800)}, {"max_total_tokens": 1000}, False, False),
        ({"budget": Budget(tokens=801)}, {"max_total_tokens": 1000}, True, False),
        ({"budget": Budget(tokens=901)}, {"max_total_tokens": 1000}, True, True),
        ({"budget": Budget(cost_usd=0.35)}, {"max_cost_usd": 0.5}, True, False),
        ({"budget": Budget(cost_usd=0.45)}, {"max_cost_usd": 0.5}, True, True),
        ({"synthesis_turns": 3}, {}, False, False),
        ({"synthesis_turns": 4}, {}, True, False),
        ({"synthesis_turns": 5}, {}, True, True),
    ],
)
def test_last_turn_is_the_one_after_which_none_fits(
    change: dict[str, object], limits: dict[str, object], last: bool, none: bool
) -> None:
    """One call that fits and a second that would not: the last turn. None that fits: code writes the report."""
    state = replace(unanswered(Limits(**limits)), **change)  # type: ignore[arg-type]
    assert (last_turn(state, 100, 0.1), no_call_fits(state, 100, 0.1)) == (last, none)


def test_exhausted_by_names_the_limit_for_the_error_of_a_run() -> None:
    """A run without any room for a call fails with the breaker's name."""
    state = replace(unanswered(Limits(max_total_tokens=50)), turn=1)
    assert exhausted_by(state, 100, 0.0) is StopReason.TOKENS
    assert exhausted_by(replace(state, turn=60), 1, 0.0) is StopReason.ITERATIONS
    assert exhausted_by(state, 49, 0.0) is StopReason.NONE
