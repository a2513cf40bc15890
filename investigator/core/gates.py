"""What decides whether a run may end, must end, or has room for another turn.

Pure checks on a state: the exploration gate, the breakers, the last turn. The report gate is in `report`. Nothing here
depends on the model's cooperation, and nothing changes a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from investigator.core.blocks import counted
from investigator.core.frontier import Question
from investigator.core.state import State
from investigator.core.vocab import ClaimStatus, Outcome, QuestionStatus, StopReason

SYNTHESIS_TURNS = 5
FAILED_SEARCHES = 3


def exploration_gate(state: State) -> tuple[str, ...]:
    """Everything that still keeps exploration from being finished, one sentence each; empty: it may end.

    The order is that in which it is best mended: what is half done, what is left to ask, what the answers lack, and at
    the end what can only be done when the rest is (the conclusion, the root).
    """
    return (
        *_open_challenges(state),
        *_open_contradictions(state),
        *_unfinished(state),
        *_unexplained(state),
        *_sources(state),
        *_conclusion(state),
        *_root(state),
    )


def breaker(state: State, estimate_tokens: int, estimate_cost: float) -> StopReason:
    """Why exploration must end before the next call; `StopReason.NONE`: it may go on.

    The estimates are of one call, prompt and longest reply together. What calls in flight may still cost is counted as
    spent. The synthesis reserve is out of reach here.
    """
    limits, budget, share = state.limits, state.budget, 1 - state.limits.synthesis_reserve
    if state.turns_committed >= limits.exploration_turns:
        return StopReason.ITERATIONS
    if _over(budget.committed_tokens + estimate_tokens, limits.max_total_tokens, share):
        return StopReason.TOKENS
    if _over(budget.committed_cost + estimate_cost, limits.max_cost_usd, share):
        return StopReason.COST
    if state.failed_searches >= FAILED_SEARCHES:
        return StopReason.SEARCH
    if state.stalled >= limits.max_stalled_turns:
        return StopReason.STALLED
    return StopReason.NONE


def last_turn(state: State, estimate_tokens: int, estimate_cost: float) -> bool:
    """Whether no turn would fit after the next one: then that one may only write the report."""
    last_of_synthesis = state.synthesis_turns + 1 >= SYNTHESIS_TURNS
    return last_of_synthesis or _beyond(state, turns=2, tokens=2 * estimate_tokens, cost=2 * estimate_cost)


def no_call_fits(state: State, estimate_tokens: int, estimate_cost: float) -> bool:
    """Whether not even the next call fits into the limits of the run: then code writes the report."""
    return state.synthesis_turns >= SYNTHESIS_TURNS or _beyond(
        state, turns=1, tokens=estimate_tokens, cost=estimate_cost
    )


def exhausted_by(state: State, estimate_tokens: int, estimate_cost: float) -> StopReason:
    """Which limit of the run leaves no room for a call; `StopReason.NONE` if one fits or only synthesis is over."""
    limits, budget = state.limits, state.budget
    if state.turn >= limits.max_iterations:
        return StopReason.ITERATIONS
    if _over(budget.committed_tokens + estimate_tokens, limits.max_total_tokens):
        return StopReason.TOKENS
    if _over(budget.committed_cost + estimate_cost, limits.max_cost_usd):
        return StopReason.COST
    return StopReason.NONE


def _beyond(state: State, *, turns: int, tokens: int, cost: float) -> bool:
    limits, budget = state.limits, state.budget
    return (
        state.turn + turns > limits.max_iterations
        or _over(budget.committed_tokens + tokens, limits.max_total_tokens)
        or _over(budget.committed_cost + cost, limits.max_cost_usd)
    )


def _over(needed: float, limit: float | None, share: float = 1.0) -> bool:
    """Whether a budget is exceeded. Money is not floored to whole dollars; the term is for binary fractions."""
    return limit is not None and needed > limit * share + 1e-9


def _open_challenges(state: State) -> Iterator[str]:
    for one in state.open_challenges():
        todo = "record its result" if one.attempt_n else f'search "{one.query}", then record its result'
        yield f"{one.id} is open: {todo} with record_challenge_result."


def _open_contradictions(state: State) -> Iterator[str]:
    for one in state.ledger.open_contradictions():
        how = f"settle {one.question_id}" if one.question_id else "settle it by a question"
        yield (
            f"The contradiction {one.claim_id}><{one.other_id} is open: {how}, "
            "or address it with notes_update and say why."
        )


def _unfinished(state: State) -> Iterator[str]:
    for one in state.frontier.in_progress():
        yield f"{one.id} is in progress: resolve it, retry it or prune it."
    for one in state.frontier.actionable():
        if one.priority >= state.limits.gate_priority:
            yield (
                f"{one.id} is pending with priority {one.priority:.2f}: work on it, prune it if its answer would not "
                f"alter the conclusion, or set its priority below {state.limits.gate_priority:g}."
            )


def _unexplained(state: State) -> Iterator[str]:
    for one in state.frontier:
        if one.status is QuestionStatus.RESOLVED and not _backed(state, one):
            yield (
                f"{one.id} is resolved without a VERIFIED claim: verify one of {_list(one.answer_claim_ids)}, or say "
                "with a note on it in its verifying turn why UNVERIFIED is the best available."
            )


def _backed(state: State, question: Question) -> bool:
    """A VERIFIED claim, a waiver, or an explanation that was earned; a note made in passing explains nothing."""
    cited = [state.ledger.claims[one] for one in question.answer_claim_ids if one in state.ledger.claims]
    return (
        any(one.status is ClaimStatus.VERIFIED or one.id in state.explained for one in cited)
        or bool(question.waivers.get("verified", "").strip())
    )


def _sources(state: State) -> Iterator[str]:
    linked, world = state.ledger.linked_sources(), state.run.world
    domains = {one.domain for one in linked}
    for have, least, there, what in (
        (len(linked), state.limits.min_sources, world.pages, "source"),
        (len(domains), state.limits.min_domains, world.domains, "domain"),
    ):
        needed = least if there is None else min(least, there)
        if have < needed:
            short = f"{counted(have, what)}, {needed} {'is' if needed == 1 else 'are'} needed"
            yield f"The claims link {short}: read others and add them with notes_append."


def _conclusion(state: State) -> Iterator[str]:
    root = state.frontier.root
    usable = any(one.live for one in state.ledger.claims.values())
    if root.status is QuestionStatus.UNRESOLVABLE and not usable:
        return
    if not state.conclusion:
        yield 'There is no conclusion: write "Conclusion: ..." into Scratch with notes_scratch, then challenge it.'
        return
    yield from _conclusion_challenge(state)


def _conclusion_challenge(state: State) -> Iterator[str]:
    challenges = state.conclusion_challenges()
    closed = [one for one in challenges if not one.open]
    shaken = [one for one in closed if one.outcome in (Outcome.WEAKENED, Outcome.REFUTED)]
    if shaken:
        yield (
            f"{shaken[-1].id} {shaken[-1].outcome} the conclusion: work on what it opened, rewrite the conclusion so "
            "that it holds, then challenge it anew."
        )
    elif any(one.outcome == Outcome.SURVIVED for one in closed) or any(one.open for one in challenges):
        return
    else:
        tried = f" ({_list(one.id for one in closed)}: inconclusive)" if closed else ""
        # A changed conclusion is a new target, so the cap on challenges never shuts the gate for good.
        full = len(closed) >= min(state.limits.max_challenges_per_target, len(state.limits.strategies))
        todo = "rewrite it, then challenge it anew" if full else "challenge it"
        yield f"The conclusion has no challenge that it survived{tried}: {todo}, search, and record the result."


def _root(state: State) -> Iterator[str]:
    root = state.frontier.root
    assumed = root.status is QuestionStatus.UNRESOLVABLE and root.assumption.strip()
    if root.status is not QuestionStatus.RESOLVED and not assumed:
        yield f"{root.id}, the objective, is {root.status}: resolve it, or exhaust it with an assumption."


def _list(ids: Iterable[str]) -> str:
    return ", ".join(ids) or "its claims"
