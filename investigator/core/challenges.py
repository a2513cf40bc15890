"""Challenges: structured attacks on a belief, and the checks that make them real attacks.

Pure checks on values; what an outcome does to claims and questions is decided by the tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from investigator.core.ids import ChallengeId
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.text import fold, terms
from investigator.core.values import replace
from investigator.core.vocab import ChallengeStatus, Outcome, Strategy, TargetType

# Words that mark a query as an attack of its strategy; phrases count as a whole.
STRATEGY_TERMS: Mapping[Strategy, tuple[str, ...]] = {
    Strategy.DIRECT_NEGATION: ("not", "false", "wrong", "myth", "denied", "debunked"),
    Strategy.COUNTEREXAMPLE: ("exception", "counterexample", "failed", "except"),
    Strategy.ALTERNATIVE_EXPLANATION: ("instead", "alternative", "actually", "cause"),
    Strategy.NEWER_EVIDENCE: ("update", "retracted", "corrected", "revised", "superseded", "latest"),
    Strategy.SCOPE_LIMITS: ("only", "unless", "limit", "before", "after", "version"),
    Strategy.SOURCE_CRITIQUE: ("criticism", "bias", "funded", "methodology", "flawed"),
    Strategy.INDEPENDENT_ORIGIN: ("original", "primary", "first reported", "according to", "press release"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """One attack. ``attempt_n`` is the number of the search that carried it out, 0 before."""

    id: ChallengeId
    target_type: TargetType
    claim_id: str = ""
    question_id: str = ""
    belief: str
    strategy: Strategy
    negation: str
    expected_if_false: tuple[str, ...]
    query: str
    status: ChallengeStatus = ChallengeStatus.OPEN
    outcome: str = ""
    evidence: str = ""
    source_ids: tuple[str, ...] = ()
    result_claim_id: str = ""
    attempt_n: int = 0
    opened_turn: int = 0
    closed_turn: int = 0
    created_at: str = ""
    closed_at: str = ""

    @property
    def open(self) -> bool:
        return self.status is ChallengeStatus.OPEN

    @property
    def target(self) -> tuple[str, str, str]:
        """(type, id, folded belief): a changed answer or conclusion is a new target, so no cap deadlocks a gate."""
        return (self.target_type, self.claim_id or self.question_id, fold(self.belief))


def on_target(challenges: Iterable[Challenge], target: tuple[str, str, str]) -> tuple[Challenge, ...]:
    """The challenges of one target, in order."""
    return tuple(one for one in challenges if one.target == target)


def check(
    new: Challenge, challenges: Iterable[Challenge], earlier_queries: Iterable[str], limits: Limits
) -> Refusal | None:
    """Why this challenge may not be opened; None: it may. The target's existence is checked by the caller, first.

    ``earlier_queries`` are those of the question the target belongs to.
    """
    if new.strategy not in limits.strategies:
        return Refusal(
            kind="strategy",
            text=f"strategy {new.strategy} is switched off in this run.",
            instead=f"Use one of {', '.join(limits.strategies)}.",
        )
    if not new.negation.strip() or not any(one.strip() for one in new.expected_if_false):
        return Refusal(
            kind="empty",
            text="a challenge needs a negation and at least one expected_if_false.",
            instead="State what would be true if the belief were false, and what you would then find.",
        )
    same_target = on_target(challenges, new.target)
    used = {fold(query) for query in earlier_queries} | {fold(one.query) for one in same_target}
    if not fold(new.query) or fold(new.query) in used:
        return Refusal(
            kind="repeated_query",
            text=f"the query {new.query!r} was tried before.",
            instead="A challenge needs a query that differs from every earlier one.",
        )
    if any(one.strategy is new.strategy for one in same_target):
        left = [one for one in limits.strategies if one not in {was.strategy for was in same_target}]
        others = f"Use another strategy: {', '.join(left)}." if left else "None is left: decide with what was found."
        return Refusal(
            kind="strategy_used",
            text=f"{new.strategy} was already used on this target.",
            instead=others,
        )
    if len(same_target) >= limits.max_challenges_per_target:
        return Refusal(
            kind="challenge_cap",
            text=f"this target has {len(same_target)} challenges, the most allowed.",
            instead="Decide with what was found.",
        )
    if not adds_terms(new):
        return Refusal(
            kind="no_new_terms",
            text="the query only repeats the belief; it would find the same pages again.",
            instead=f"Add a term of your negation or one of: {', '.join(STRATEGY_TERMS[new.strategy])}.",
        )
    return None


def adds_terms(challenge: Challenge) -> bool:
    """Whether the query holds a term of the negation, or of the strategy's list, that the belief lacks."""
    belief, query = terms(challenge.belief), terms(challenge.query)
    if (query & terms(challenge.negation)) - belief:
        return True
    folded_query, folded_belief = f" {fold(challenge.query)} ", f" {fold(challenge.belief)} "
    return any(
        f" {term} " in folded_query and f" {term} " not in folded_belief for term in STRATEGY_TERMS[challenge.strategy]
    )


def close(
    challenge: Challenge,
    *,
    outcome: Outcome,
    evidence: str,
    source_ids: tuple[str, ...],
    result_claim_id: str,
    turn: int,
    at: str,
) -> Challenge | Refusal:
    """The closed challenge. Existence of sources and claims is checked by the caller."""
    if not challenge.open:
        return Refusal(
            kind="closed",
            text=f"{challenge.id} is closed already ({challenge.outcome}).",
            instead="A challenge closes once; open a new one.",
        )
    if outcome in (Outcome.REFUTED, Outcome.WEAKENED) and (not source_ids or not evidence.strip()):
        return Refusal(
            kind="no_evidence",
            text=f"{outcome} needs evidence and at least one source id.",
            instead="Name what was found and where, or record inconclusive.",
        )
    if outcome is Outcome.SURVIVED and not challenge.attempt_n:
        return Refusal(
            kind="not_searched",
            text=f"{challenge.id} was not searched yet, so nothing survived.",
            instead=f"Call web_search with its query {challenge.query!r} first.",
        )
    if outcome is Outcome.REFUTED and challenge.target_type is TargetType.CLAIM and not result_claim_id:
        return Refusal(
            kind="no_counter_claim",
            text="refuted on a claim needs result_claim_id, the counter-claim.",
            instead="Record the counter-claim with notes_append and a quote first.",
        )
    return replace(
        challenge,
        status=ChallengeStatus.CLOSED,
        outcome=str(outcome),
        evidence=evidence,
        source_ids=source_ids,
        result_claim_id=result_claim_id,
        closed_turn=turn,
        closed_at=at,
    )


def requires_answer_challenge(depth: int) -> bool:
    """Depth 0 and 1 carry the conclusion (the root's is the conclusion challenge itself)."""
    return depth <= 1
