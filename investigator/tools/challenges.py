"""The challenge tools: opening an attack, recording what its search showed, and what that does to beliefs."""

from __future__ import annotations

from typing import Any

from investigator.core.blocks import one_line, shield
from investigator.core.challenges import Challenge, check, close
from investigator.core.frontier_moves import unknown
from investigator.core.ids import ROOT, next_challenge_id
from investigator.core.refusal import Refusal
from investigator.core.state import State, entered, noted, progressed
from investigator.core.values import replace
from investigator.core.vocab import (
    Actor,
    ChallengeStatus,
    ClaimStatus,
    NotesReason,
    Outcome,
    QuestionStatus,
    RunState,
    Strategy,
    TargetType,
)
from investigator.tools import contradictions
from investigator.tools.frontier import code_reopens
from investigator.tools.moves import Args, Caller, Done, claim_of, source_of
from investigator.tools.notes_update import status_set


def challenge(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Open an attack on a claim, a proposed answer or the conclusion."""
    target = _target(state, args)
    if isinstance(target, Refusal):
        return target
    claim_id, question_id, belief = target
    new = Challenge(
        id=next_challenge_id(state.challenges),
        target_type=TargetType(args["target_type"]),
        claim_id=claim_id,
        question_id=question_id,
        belief=belief,
        strategy=Strategy(args["strategy"]),
        negation=one_line(args["negation"], 600),
        expected_if_false=tuple(one_line(one, 400) for one in args["expected_if_false"] if one.strip()),
        query=one_line(args["query"], 400),
        opened_turn=caller.turn,
        created_at=state.at,
    )
    home = home_of(state, new)
    earlier = [one.query for one in state.frontier.attempts_of(home)]
    refused = check(new, state.challenges.values(), earlier, state.limits)
    if refused is not None:
        return refused
    state = replace(state, challenges={**state.challenges, new.id: new})
    state = entered(
        state,
        RunState.CHALLENGING,
        home,
        caller.turn,
        f"{new.id} {new.strategy} on {claim_id or question_id or 'conclusion'}",
    )
    return Done(state=state, text=f"{new.id} open; now call web_search with its query {new.query!r}")


def home_of(state: State, one: Challenge) -> str:
    """The question that a challenge's search is an attempt of: the claim's, the answer's, the root."""
    if one.claim_id:
        return state.ledger.claims[one.claim_id].question_id
    return one.question_id or ROOT


def _target(state: State, args: Args) -> tuple[str, str, str] | Refusal:
    """(claim id, question id, belief) of an existing target."""
    kind = TargetType(args["target_type"])
    if kind is TargetType.CLAIM:
        claim = claim_of(state, args.get("claim_id", ""))
        if isinstance(claim, Refusal):
            return claim
        if not claim.live:
            return Refusal(kind="dead_claim", text=f"{claim.id} is {claim.status}; there is nothing left to attack.")
        return claim.id, "", claim.text
    if kind is TargetType.QUESTION_ANSWER:
        return _answer_target(state, args)
    if not state.conclusion:
        return Refusal(
            kind="no_conclusion",
            text="no conclusion is stated.",
            instead="Write a paragraph 'Conclusion: …' with notes_scratch first.",
        )
    return "", "", state.conclusion


def _answer_target(state: State, args: Args) -> tuple[str, str, str] | Refusal:
    question = state.frontier.questions.get(args.get("question_id", "").strip())
    if question is None:
        return unknown(args.get("question_id", ""))
    if question.status in (QuestionStatus.PRUNED, QuestionStatus.UNRESOLVABLE):
        return Refusal(kind="settled", text=f"{question.id} is {question.status}; it has no answer to attack.")
    belief = str(args.get("belief", "")).strip() or question.answer
    if not belief:
        return Refusal(
            kind="no_belief", text=f"{question.id} has no answer yet.", instead="Give the proposed answer as belief."
        )
    return "", question.id, belief


def record_challenge_result(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Close a challenge; its outcome changes claims and questions by rule."""
    one = state.challenges.get(args["id"].strip())
    if one is None:
        known = ", ".join(each.id for each in state.open_challenges()) or "none"
        return Refusal(
            kind="unknown_challenge", text=f"there is no challenge {args['id']!r}.", instead=f"Open ones: {known}."
        )
    found = {name: source_of(state, name) for name in args["source_ids"]}
    sources = [str(source.id) for source in found.values() if not isinstance(source, Refusal)]
    if len(sources) < len(found):
        missing = ", ".join(repr(name) for name, source in found.items() if isinstance(source, Refusal))
        return Refusal(
            kind="not_fetched",
            text=f"not fetched in this run: {missing}.",
            instead="Fetch them first, then name their s_ ids; or leave them out.",
        )
    outcome = Outcome(args["outcome"])
    counter = args.get("result_claim_id", "")
    if counter:
        claim = claim_of(state, counter)
        if isinstance(claim, Refusal):
            return claim
        counter = str(claim.id)
    closed = close(
        one,
        outcome=outcome,
        evidence=one_line(args["evidence"], 1000),
        source_ids=tuple(dict.fromkeys(sources)),
        result_claim_id=counter,
        turn=caller.turn,
        at=state.at,
    )
    if isinstance(closed, Refusal):
        return closed
    after = _consequences(noted(contradictions.with_challenge(state, closed), NotesReason.UPDATE), caller, closed)
    if isinstance(after, Refusal):
        return after
    after = progressed(after) if outcome is not Outcome.INCONCLUSIVE else after
    return Done(state=after, text=_summary(state, after, closed), named=tuple(sources))


def _consequences(state: State, caller: Caller, closed: Challenge) -> State | Refusal:
    outcome = Outcome(closed.outcome)
    if outcome in (Outcome.SURVIVED, Outcome.INCONCLUSIVE):
        return state
    if closed.target_type is TargetType.CONCLUSION:
        return code_reopens(state, ROOT, f"{closed.id}: the conclusion was {outcome}", closed.id)
    if closed.target_type is TargetType.QUESTION_ANSWER:
        if (
            outcome is Outcome.REFUTED
            and state.frontier.questions[closed.question_id].status is QuestionStatus.RESOLVED
        ):
            return code_reopens(state, closed.question_id, f"{closed.id} refuted the answer", closed.id)
        return state
    if outcome is Outcome.REFUTED:
        return contradictions.refute(
            state,
            closed.claim_id,
            closed.result_claim_id,
            actor=caller.actor,
            reason=closed.evidence,
            caused_by=closed.id,
        )
    return _weaken(state, closed)


def _weaken(state: State, closed: Challenge) -> State:
    """The scope goes into the claim's note; a VERIFIED claim falls back until it is verified within that scope."""
    claim = state.ledger.claims[closed.claim_id]
    note = (
        f"{claim.note}; scope ({closed.id}): {closed.evidence}"
        if claim.note
        else f"scope ({closed.id}): {closed.evidence}"
    )
    claim = replace(claim, note=one_line(note, 600), updated_at=state.at)
    state = replace(state, ledger=state.ledger.with_claim(claim))
    if claim.status is ClaimStatus.VERIFIED:
        state = status_set(state, claim, ClaimStatus.UNVERIFIED, Actor.CODE, f"{closed.id} weakened it")
    return state


def _summary(before: State, after: State, closed: Challenge) -> str:
    text = f"{closed.id} closed: {closed.outcome}"
    if closed.claim_id and after.ledger.claims[closed.claim_id].status != before.ledger.claims[closed.claim_id].status:
        text += f"; {closed.claim_id} is {after.ledger.claims[closed.claim_id].status}"
    new = [one for one in after.frontier.questions if one not in before.frontier.questions]
    reopened = [
        one.id
        for one in after.frontier
        if one.id not in new and before.frontier.questions[one.id].settled and not one.settled
    ]
    text += f"; opened {', '.join(new)} to settle it" if new else ""
    return text + (f"; reopened {', '.join(reopened)}" if reopened else "")


def challenges_view(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Challenges, of one target or status; the latest twenty."""
    target, status = args.get("target", "").strip(), args.get("status", "")
    rows = [
        one
        for one in state.challenges.values()
        if (not status or one.status == ChallengeStatus(status))
        and (
            not target
            or target in (one.claim_id, one.question_id)
            or (target == "conclusion" and one.target_type is TargetType.CONCLUSION)
        )
    ]
    lines = [
        f"{one.id} on {one.claim_id or one.question_id or 'conclusion'} [{one.strategy}] {one.query!r} "
        + (f"-> {one.outcome}: {one.evidence}" if not one.open else "-> open")
        for one in rows[-20:]
    ]
    return Done(state=state, text=shield("\n".join(one_line(line, 400) for line in lines)) or "no challenge")


HANDLERS: dict[str, Any] = {
    "challenge": challenge,
    "record_challenge_result": record_challenge_result,
    "challenges_view": challenges_view,
}
