"""Settling: what code does between turns. Re-check, block, queue, select, break, and say what the next turn is for.

Order of the next turn: last > extraction > consolidation > planning > researching > verifying > closing. Runs after
every event for each worker without an unanswered call, and changes nothing when nothing has changed.
"""

from __future__ import annotations

from investigator.core import claims as ledger_moves
from investigator.core import frontier_moves, gates
from investigator.core.ids import ROOT
from investigator.core.notes import notes_of, render, tokens
from investigator.core.report import written_by_code
from investigator.core.state import Gap, Next, State, Worker, entered, moved, noted
from investigator.core.values import replace
from investigator.core.vocab import (
    Actor,
    ClaimStatus,
    Loop,
    NotesReason,
    Phase,
    QuestionStatus,
    RunState,
    RunStatus,
    StopReason,
    TurnKind,
)
from investigator.loops import prompt, turns
from investigator.tools import contradictions, finish
from investigator.tools.moves import NOT_REACHED, VERIFY_TURNS, explained
from investigator.tools.notes_update import status_set

CONSOLIDATION_GROWTH = 1.1


def settle(state: State, name: str) -> State:
    """The state with all consequences drawn and the worker's next turn decided."""
    worker = state.workers.get(name)
    if worker is None or worker.open is not None or state.status is not RunStatus.RUNNING:
        return state
    state = tidy(state)
    if state.run.loop is Loop.SIMPLE:
        return _simple(state, name)
    if state.phase is Phase.EXPLORATION:
        state = _unstuck(state)
        explored = _explore(_free(state, name), name)
        fired = _broken(explored, name)
        if fired is StopReason.NONE:
            return explored
        if _others_at_work(state, name):
            # What an open turn still brings is paid for: exploration ends when it has closed.
            return _then(state, name, Next(kind=TurnKind.CLOSING, question=ROOT, idle=True))
        state = _break(state, fired)
    return _synthesize(state, name)


def _unstuck(state: State) -> State:
    """A failed finish counts only as long as there is nothing else to do: then a second one changes nothing."""
    if not state.failed_finishes or finish.stuck(state):
        return state
    return replace(state, failed_finishes=0)


def tidy(state: State) -> State:
    """Rules that hold for the whole run: VERIFIED still earned, contradictions addressed, moot challenges, blocking."""
    state = _recheck_verified(state)
    state = contradictions.close_moot_challenges(contradictions.address_settled(state))
    frontier, transitions = frontier_moves.reblock(state.frontier, at=state.at)
    return moved(state, frontier, transitions) if transitions else state


def _recheck_verified(state: State) -> State:
    """A claim that no longer meets the rule falls back, the reason recorded."""
    done = state.rechecked
    if done is not None and done[0] is state.ledger and done[1] is state.limits:
        return state  # comparing origins is dear, and most events change no claim
    texts = state.page_texts
    for claim in tuple(state.ledger.claims.values()):
        if claim.status is not ClaimStatus.VERIFIED:
            continue
        missing = ledger_moves.missing_for_verified(state.ledger, claim, texts, state.limits)
        if missing:
            why = "no longer VERIFIED: " + "; ".join(missing)
            fallen = replace(claim, note=f"{claim.note}; {why}" if claim.note else why)
            state = replace(state, ledger=state.ledger.with_claim(fallen))
            state = replace(state, explained={**state.explained, claim.id: why})
            state = status_set(state, fallen, ClaimStatus.UNVERIFIED, Actor.CODE, why)
    return replace(state, rechecked=(state.ledger, state.limits))


def _broken(state: State, name: str) -> StopReason:
    """The breaker that keeps this worker from the turn it has been given; one that waits is no call to be paid for."""
    return StopReason.NONE if state.workers[name].next.idle else gates.breaker(state, *_estimate(state, name))


def _others_at_work(state: State, name: str) -> bool:
    return any(one.open is not None for one in state.workers.values() if one.name != name)


def _break(state: State, fired: StopReason) -> State:
    """A breaker ends exploration; the notes say which, and what was still open."""
    pending = [
        one.id
        for one in state.frontier
        if one.status in (QuestionStatus.PENDING, QuestionStatus.IN_PROGRESS) and one.id != ROOT
    ]
    text = f"the investigation was cut short by {fired}; still pending: {', '.join(pending) or 'none'}"
    gap = Gap(question_id=ROOT, kind="gap", text=text)
    return finish.to_synthesis(noted(replace(state, gaps=(*state.gaps, gap)), NotesReason.APPEND), fired)


def _estimate(state: State, name: str) -> tuple[int, float]:
    """Tokens and cost of the worker's next turn as it stands; not reckoned where no limit asks for them."""
    if state.limits.max_total_tokens is None and state.limits.max_cost_usd is None:
        return 0, 0.0
    size = prompt.estimate(state, state.workers[name])
    return size + state.limits.reply_tokens, prompt.cost_of(state, size, state.limits.reply_tokens)


def _free(state: State, name: str) -> State:
    """Let go of a question that is no longer in progress."""
    worker = state.workers[name]
    question = state.frontier.questions.get(worker.current)
    gone = question is None or question.status is not QuestionStatus.IN_PROGRESS or question.worker != name
    return state.with_worker(replace(worker, current="")) if worker.current and gone else state


def _explore(state: State, name: str) -> State:
    worker = state.workers[name]
    lead = name == state.lead
    page = _page_to_extract(state, worker)
    if page:
        return _then(
            state,
            name,
            Next(kind=TurnKind.EXTRACTION, question=worker.current or _question_of(worker) or ROOT, page=page),
        )
    if lead and _notes_too_long(state):
        return _then(state, name, Next(kind=TurnKind.CONSOLIDATION, question=worker.current or ROOT))
    if not state.planned:
        return _then(state, name, Next(kind=TurnKind.PLANNING, question=ROOT, idle=not lead))
    state = _select(state, name)
    worker = state.workers[name]
    if worker.current:
        return _then(state, name, Next(kind=TurnKind.RESEARCHING, question=worker.current))
    if not state.frontier.actionable():
        state = _verify(state, name)
        claim = state.workers[name].verifying
        if claim:
            return _then(
                state, name, Next(kind=TurnKind.VERIFYING, question=_answered_by(state, claim) or ROOT, claim=claim)
            )
    busy = bool(state.frontier.in_progress()) or bool(state.frontier.actionable())
    return _then(state, name, Next(kind=TurnKind.CLOSING, question=ROOT, idle=not lead or busy))


def _then(state: State, name: str, following: Next) -> State:
    worker = state.workers[name]
    return state if worker.next == following else state.with_worker(replace(worker, next=following))


def _page_to_extract(state: State, worker: Worker) -> str:
    """The oldest page that is over the threshold, or that would leave the window without a notes call naming it."""
    if worker.again in worker.unread and worker.again:
        return worker.again
    shown = [
        (turn, one) for turn in worker.window for one in turn.results if one.page in worker.unread and not one.evicted
    ]
    leaving = worker.window[: -state.limits.keep_turns] if len(worker.window) > state.limits.keep_turns else ()
    for turn, one in shown:
        page = state.pages[one.page]
        if len(page.text) > state.limits.extraction_threshold or turn in leaving:
            return one.page
    return ""


def _question_of(worker: Worker) -> str:
    return worker.window[-1].question if worker.window else ""


def _notes_too_long(state: State) -> bool:
    """Over the size, and (after a consolidation) grown by a tenth: so that it cannot go on for ever."""
    unchanged = state.journal.notes is None
    size = tokens(state.notes_text if unchanged else render(notes_of(state)))
    if size <= state.limits.notes_max_tokens:
        return False
    return not state.consolidated_at or size > state.consolidated_at * CONSOLIDATION_GROWTH


def _select(state: State, name: str) -> State:
    worker = state.workers[name]
    if worker.current:
        return state
    # A question that became actionable goes before the claim being verified, which is taken up again afterwards.
    if len(state.frontier.in_progress()) >= state.limits.max_parallel:
        return state
    taken = frontier_moves.select(state.frontier, worker=name, at=state.at)
    if taken is None:
        return state
    frontier, question, transitions = taken
    state = entered(state, RunState.SELECTING, question.id, state.opened, f"p={question.priority:.2f}")
    state = moved(state, frontier, transitions)
    return state.with_worker(replace(state.workers[name], current=question.id))


def _verify(state: State, name: str) -> State:
    """Queue UNVERIFIED claims that stand in answers, once each; take the next when the last is done or explained."""
    worker = state.workers[name]
    if worker.verifying and (
        worker.verify_turns >= VERIFY_TURNS
        or state.ledger.claims[worker.verifying].status is not ClaimStatus.UNVERIFIED
        or not _answered_by(state, worker.verifying)
    ):
        state = _verified_enough(state, worker)
        worker = replace(worker, verifying="", verify_turns=0)
        state = state.with_worker(worker)
    new = tuple(one for one in _unverified_in_answers(state) if one not in state.queued)
    if new:
        state = replace(state, queue=(*state.queue, *new), queued=state.queued | set(new))
    while not worker.verifying and state.queue:
        first, *rest = state.queue
        state = replace(state, queue=tuple(rest))
        if not _answered_by(state, first):
            state = replace(state, queued=state.queued - {first})  # an answer given anew puts it in the queue again
        elif state.ledger.claims[first].status is ClaimStatus.UNVERIFIED:
            worker = replace(worker, verifying=first, verify_turns=0)
            state = state.with_worker(worker)
    return state


def _verified_enough(state: State, worker: Worker) -> State:
    """The claim's turns are over. What they did not reach is explained by having been tried, and that is progress."""
    claim = state.ledger.claims[worker.verifying]
    if worker.verify_turns >= VERIFY_TURNS and claim.status is ClaimStatus.UNVERIFIED:
        return replace(explained(state, claim.id, state.explained.get(claim.id, NOT_REACHED)), stalled=0)
    return state if _answered_by(state, claim.id) else replace(state, queued=state.queued - {claim.id})


def _unverified_in_answers(state: State) -> list[str]:
    found = [
        claim_id
        for question in state.frontier
        if question.status is QuestionStatus.RESOLVED and "verified" not in question.waivers
        for claim_id in question.answer_claim_ids
        if state.ledger.claims[claim_id].status is ClaimStatus.UNVERIFIED
    ]
    return list(dict.fromkeys(found))


def _answered_by(state: State, claim_id: str) -> str:
    """The resolved question whose answer the claim stands in."""
    return next(
        (
            one.id
            for one in state.frontier
            if one.status is QuestionStatus.RESOLVED and claim_id in one.answer_claim_ids
        ),
        "",
    )


def _synthesize(state: State, name: str) -> State:
    if name != state.lead:
        return _then(state, name, Next(kind=TurnKind.SYNTHESIZING, question=ROOT, idle=True))
    if _others_at_work(state, name):
        return _then(state, name, Next(kind=TurnKind.SYNTHESIZING, question=ROOT, idle=True))
    if not state.opened:
        return _no_call(state, state.ending)
    if not _usable(state):
        return finish.completed(state, written_by_code(state), (), repaired=False)
    state = _then(state, name, Next(kind=TurnKind.SYNTHESIZING, question=ROOT))  # what the estimate is of
    estimate, cost = _estimate(state, name)
    if gates.no_call_fits(state, estimate, cost):
        if state.synthesis_turns:
            return finish.completed_by_code(state).state
        return _no_call(state, gates.exhausted_by(state, estimate, cost))
    last = gates.last_turn(state, estimate, cost)
    return _then(state, name, Next(kind=TurnKind.LAST, question=ROOT)) if last else state


def _no_call(state: State, reason: StopReason) -> State:
    """No call that could write the report fits: code writes it, says so, and the run is failed."""
    why = "not one call fitted " + ("to write the report" if state.opened else "into the limits of the run")
    told = (f"Code wrote this report, for {why} ({reason}).",)
    done = finish.completed(replace(state, ending=state.ending or reason), written_by_code(state), told, repaired=True)
    return replace(done, status=RunStatus.FAILED, error=f"{reason}: {why}")


def _usable(state: State) -> bool:
    """Whether any claim may stand in a report; if none, code writes it without asking the model."""
    return any(claim.live for claim in state.ledger.claims.values())


def _simple(state: State, name: str) -> State:
    if name != state.lead or _others_at_work(state, name):
        # One conversation, one worker: turns that others have open are not in its window, nor yet counted.
        return _then(state, name, Next(kind=TurnKind.RESEARCHING, question=ROOT, idle=True))
    state = _simple_ending(_then(state, name, Next(kind=TurnKind.RESEARCHING, question=ROOT)), name)
    if state.ending is StopReason.NONE:
        return state
    state = _room_for_the_last(_then(state, name, Next(kind=TurnKind.LAST, question=ROOT)), name)
    estimate, cost = _estimate(state, name)
    if gates.no_call_fits(state, estimate, cost):
        return _no_call(replace(state, phase=Phase.SYNTHESIS), gates.exhausted_by(state, estimate, cost))
    return state


def _simple_ending(state: State, name: str) -> State:
    """What ends the conversation, if anything does: then its next turn is the last."""
    if state.ending is not StopReason.NONE:
        return state
    estimate, cost = _estimate(state, name)
    if state.failed_searches >= gates.FAILED_SEARCHES:
        return replace(state, ending=StopReason.SEARCH)
    if state.stalled >= state.limits.max_stalled_turns:
        return replace(state, ending=StopReason.STALLED)
    if gates.last_turn(state, estimate, cost):
        return replace(state, ending=gates.exhausted_by(state, estimate * 2, cost * 2) or StopReason.ITERATIONS)
    return state


def _room_for_the_last(state: State, name: str) -> State:
    """Drop raw pages, oldest first, while the last turn does not fit: what one turn read may be more than was left."""
    pages = dict.fromkeys(one.page for turn in state.workers[name].window for one in turn.results if one.page)
    for page in pages:
        if not gates.no_call_fits(state, *_estimate(state, name)):
            break
        state = state.with_worker(turns.evicted(state.workers[name], page))
    return state
