"""A turn: opened, answered, its calls run in order, closed. Every call gets exactly one answer.

Knows what a turn's kind means at its close; what kind comes next is decided in `settle`.
"""

from __future__ import annotations

import json

from investigator.core import codec
from investigator.core.blocks import shield
from investigator.core.claims import NOTHING_RELEVANT
from investigator.core.events import ModelFailed, ModelReplied, Observed, TurnOpened
from investigator.core.ids import ROOT
from investigator.core.notes import notes_of, render, tokens
from investigator.core.refusal import Refusal
from investigator.core.report import check_report
from investigator.core.state import OpenTurn, Reservation, Result, State, TurnRecord, Worker, entered, noted
from investigator.core.values import replace
from investigator.core.vocab import Actor, Loop, NotesReason, Phase, QuestionStatus, RunState, TurnKind
from investigator.core.wire import Reply, ToolCall
from investigator.tools import finish, frontier, outside, registry
from investigator.tools.calls import BadCall, read_calls, spoken
from investigator.tools.moves import Caller, Done, Outward

MOST_CALLS = 64  # of one reply; more than an able model makes, few enough for a mad one
_ROW = {
    TurnKind.PLANNING: RunState.PLANNING,
    TurnKind.RESEARCHING: RunState.RESEARCHING,
    TurnKind.EXTRACTION: RunState.EXTRACTING,
    TurnKind.CONSOLIDATION: RunState.CONSOLIDATING,
    TurnKind.VERIFYING: RunState.VERIFYING,
    TurnKind.CLOSING: RunState.CLOSING,
    TurnKind.SYNTHESIZING: RunState.SYNTHESIZING,
    TurnKind.LAST: RunState.SYNTHESIZING,
}


def opened(state: State, event: TurnOpened) -> State:
    """The intention to call the model is on record; its cost is reserved."""
    worker = state.workers[event.worker]
    reserved = Reservation(tokens=event.reserved_tokens, cost=event.reserved_cost)
    budget = replace(state.budget, reserved={**state.budget.reserved, event.worker: reserved})
    state = replace(state, budget=budget, opened=max(state.opened, event.turn))
    if worker.open is not None and worker.open.number == event.turn:
        again = replace(worker.open, attempt=event.attempt, failed="")
        return state.with_worker(replace(worker, open=again))
    turn = OpenTurn(
        number=event.turn,
        attempt=event.attempt,
        kind=event.turn_kind,
        question=event.question,
        claim=worker.next.claim,
        page=worker.next.page,
        children=len(state.frontier.children.get(ROOT, ())),
    )
    state = state.with_worker(replace(worker, open=turn))
    return entered(state, _ROW[event.turn_kind], event.question, event.turn, str(event.turn_kind))


def drop_reservation(state: State, worker: str, *, lost: bool) -> State:
    """A call is over. If its fate is unknown, what was reserved is kept apart as lost."""
    reserved = dict(state.budget.reserved)
    mine = reserved.pop(worker, Reservation())
    budget = replace(state.budget, reserved=reserved)
    if lost:
        budget = replace(budget, lost_tokens=budget.lost_tokens + mine.tokens, lost_cost=budget.lost_cost + mine.cost)
    return replace(state, budget=budget)


def failed(state: State, event: ModelFailed) -> State:
    """A failed call is no turn: it stays open, and is tried again, compacted if the context was too long."""
    worker = state.workers.get(event.worker)
    if worker is None or worker.open is None or worker.open.number != event.turn or worker.open.replied:
        return state
    state = drop_reservation(state, event.worker, lost=event.failure == "lost")
    compact = worker.compact or event.failure == "context_length"
    return state.with_worker(replace(worker, open=replace(worker.open, failed=event.failure), compact=compact))


def replied(state: State, event: ModelReplied) -> State:
    """Take a reply in: its cost, its calls. A reply to a turn that is closed only adds to what was spent."""
    usage = event.usage
    budget = replace(
        state.budget,
        tokens=state.budget.tokens + usage.tokens,
        cost_usd=state.budget.cost_usd + (usage.cost_usd or 0.0),
        cost_known=state.budget.cost_known and usage.cost_usd is not None,
    )
    state = replace(state, budget=budget)
    worker = state.workers.get(event.worker)
    if worker is None or worker.open is None or worker.open.number != event.turn or worker.open.replied:
        return state
    state = drop_reservation(state, event.worker, lost=False)
    offered = registry.for_turn(worker.open.kind, loop=state.run.loop, knowledge=state.run.world.knowledge)
    reply = Reply(text=event.text, calls=event.calls, finish_reason=event.finish_reason)
    calls = read_calls(reply, offered)
    received = tuple(
        ToolCall(id=one.id, name=one.name, arguments="{}" if isinstance(one, BadCall) else codec.dumps(dict(one.args)))
        for one in calls
    )
    malformed = {one.position: one.why for one in calls if isinstance(one, BadCall)}
    turn = replace(worker.open, replied=True, text=spoken(event.text, offered), received=received, malformed=malformed)
    return advance(state.with_worker(replace(worker, open=turn, compact=False)), event.worker)


def observed(state: State, event: Observed) -> State:
    """The answer to the call that a turn waits for; anything else is too late and changes nothing."""
    worker = state.workers.get(event.worker)
    turn = worker.open if worker else None
    if (
        worker is None
        or turn is None
        or not turn.awaiting
        or (turn.number, len(turn.results)) != (event.turn, event.position)
    ):
        return state
    call = turn.received[event.position]
    args = registry.let_out(call.name, call.arguments)
    made = outside.observe(state, _caller(turn, worker), call.name, args, event)
    state = made.state.with_worker(replace(worker, open=replace(turn, awaiting=False)))
    return advance(_answered(state, worker.name, call, made), worker.name)


def _caller(turn: OpenTurn, worker: Worker) -> Caller:
    return Caller(worker=worker.name, actor=Actor.AGENT, turn=turn.number, question=turn.question, kind=turn.kind)


def advance(state: State, name: str) -> State:
    """Run the calls in order up to the first that only the world can answer; close the turn after the last."""
    while True:
        worker = state.workers[name]
        turn = worker.open
        if turn is None or turn.awaiting or not turn.replied:
            return state
        position = len(turn.results)
        if position >= len(turn.received):
            return close(state, name)
        call = turn.received[position]
        made = _call(state, worker, turn, call, position)
        if isinstance(made, Outward):
            waiting = replace(turn, awaiting=True, outside=turn.outside + 1)
            return state.with_worker(replace(worker, open=waiting))
        state = _answered(state if isinstance(made, Refusal) else made.state, name, call, made)


def _call(state: State, worker: Worker, turn: OpenTurn, call: ToolCall, position: int) -> Done | Outward | Refusal:
    if position >= MOST_CALLS:
        text = f"a reply may make {MOST_CALLS} calls; this one was not run."
        return Refusal(kind="calls_cap", text=text, instead="Go on in the next turn.")
    if position in turn.malformed:
        return Refusal(kind="malformed", text=turn.malformed[position])
    writing = turn.kind in (TurnKind.SYNTHESIZING, TurnKind.LAST)
    if state.run.loop is Loop.INVESTIGATIVE and (state.done or (state.phase is Phase.SYNTHESIS) != writing):
        return Refusal(kind="over", text="an earlier call of this reply ended the phase; this one was not run.")
    if call.name in outside.PREPARE:
        refused = _refuse_outside(state, turn, call)
        if refused is not None:
            return refused
    return registry.call(state, _caller(turn, worker), call.name, json.loads(call.arguments))


def _refuse_outside(state: State, turn: OpenTurn, call: ToolCall) -> Refusal | None:
    if turn.outside >= state.limits.max_outside_calls:
        return Refusal(
            kind="outside_cap",
            text=f"{turn.outside} outside calls were made in this turn, the most allowed.",
            instead="Go on in the next turn.",
        )
    if not turn.closed_question:
        return None
    args = json.loads(call.arguments)
    if call.name == "web_search" and outside.carries_retry(state, turn.question, str(args.get("query", ""))):
        return None
    return Refusal(kind="closed", text="that question is closed; the next turn names the next one")


def _answered(state: State, name: str, call: ToolCall, made: Done | Refusal) -> State:
    """Put the one answer of a call on record, with what it means for the turn."""
    worker = state.workers[name]
    turn = _open(worker)
    refused = made.kind if isinstance(made, Refusal) else made.refused
    text = f"REFUSED ({made.kind}): {made}" if isinstance(made, Refusal) else made.text
    text = f"REFUSED ({refused}): {text}" if refused and not isinstance(made, Refusal) else text
    if isinstance(made, Refusal) or call.name not in outside.PREPARE:
        # It may repeat what the model sent, word for word; only results of the world hold a block of ours.
        text = shield(text)
    page, part = (made.page, made.part) if isinstance(made, Done) else ("", 1)
    result = Result(
        position=len(turn.results),
        call_id=call.id,
        tool=call.name,
        text=_cut(state, text),
        refused=refused,
        page=page,
        part=part,
    )
    named = made.named if isinstance(made, Done) else ()
    unread = tuple(sha for sha in worker.unread if state.pages[sha].source_id not in named)
    if page and state.run.loop is Loop.INVESTIGATIVE and page not in unread:
        unread = (*unread, page)
    mine = state.frontier.questions.get(turn.question)
    ended = (
        turn.kind is TurnKind.RESEARCHING
        and mine is not None
        and mine.id != ROOT
        and mine.status is not QuestionStatus.IN_PROGRESS
    )
    turn = replace(
        turn,
        results=(*turn.results, result),
        closed_question=turn.closed_question or ended,
        progress=turn.progress or state.journal.progress,
    )
    budget = replace(state.budget, tool_calls=state.budget.tool_calls + 1)
    return replace(state, budget=budget).with_worker(replace(worker, open=turn, unread=unread))


def _open(worker: Worker) -> OpenTurn:
    if worker.open is None:
        raise ValueError(f"{worker.name} has no open turn")
    return worker.open


def _cut(state: State, text: str) -> str:
    most = state.limits.result_chars
    return text if len(text) <= most else text[:most] + "\n(cut)"


def close(state: State, name: str) -> State:
    """The turn is over: record it, move the window, count progress, and let its kind have its effect."""
    worker = state.workers[name]
    turn = _open(worker)
    record = TurnRecord(
        number=turn.number,
        kind=turn.kind,
        question=turn.question,
        text=turn.text,
        calls=turn.received,
        results=turn.results,
    )
    worker = replace(worker, open=None, window=(*worker.window, record))
    stalled = 0 if turn.progress else state.stalled + 1
    state = replace(state, turn=state.turn + 1, stalled=stalled).with_worker(worker)
    if state.done:
        return state
    if not turn.received and turn.text.strip():
        state = _spoken(state, turn)
    if state.done:
        return state
    if state.phase is Phase.SYNTHESIS and turn.kind not in (TurnKind.SYNTHESIZING, TurnKind.LAST):
        # The writer works from notes and frontier: no raw result of exploration reaches it.
        state = state.with_worker(replace(state.workers[name], window=()))
    state = _CLOSE.get(turn.kind, _nothing)(state, name, turn)
    return trim(state, name)


def _nothing(state: State, name: str, turn: OpenTurn) -> State:
    return state


def _spoken(state: State, turn: OpenTurn) -> State:
    """Text without a call: in the simple loop the report; in synthesis the report if it passes; else only talk."""
    if state.run.loop is Loop.SIMPLE:
        return finish.completed(state, turn.text.strip(), (), repaired=False)
    if turn.kind is TurnKind.LAST and state.phase is Phase.SYNTHESIS:
        return (
            finish.completed_repaired(state, turn.text).state
            if check_report(state, turn.text)
            else finish.completed(state, turn.text, (), repaired=False)
        )
    if turn.kind is TurnKind.SYNTHESIZING and state.phase is Phase.SYNTHESIS and not check_report(state, turn.text):
        return finish.completed(state, turn.text, (), repaired=False)
    return state


def _close_planning(state: State, name: str, turn: OpenTurn) -> State:
    children = len(state.frontier.children.get(ROOT, ()))
    ends = children >= frontier.MOST_CHILDREN or (children > 0 and children == turn.children)
    return replace(state, planned=True) if ends else state


def _close_extraction(state: State, name: str, turn: OpenTurn) -> State:
    """The page leaves the prompt once its source was dealt with; after a second silent turn code notes it."""
    worker = state.workers[name]
    if turn.page in worker.unread:
        if worker.again != turn.page:
            return state.with_worker(replace(worker, again=turn.page))
        source = state.ledger.sources[state.pages[turn.page].source_id]
        ledger = state.ledger.with_source(replace(source, note=source.note or NOTHING_RELEVANT))
        state = noted(replace(state, ledger=ledger), NotesReason.UPDATE)
        worker = replace(worker, unread=tuple(one for one in worker.unread if one != turn.page))
    return state.with_worker(evicted(replace(worker, again=""), turn.page))


def evicted(worker: Worker, sha: str) -> Worker:
    """The raw text of this page is shown no more."""
    window = tuple(
        replace(turn, results=tuple(replace(one, evicted=True) if one.page == sha else one for one in turn.results))
        for turn in worker.window
    )
    return replace(worker, window=window)


def _close_consolidation(state: State, name: str, turn: OpenTurn) -> State:
    return replace(state, consolidated_at=max(1, tokens(render(notes_of(state)))))


def _close_verifying(state: State, name: str, turn: OpenTurn) -> State:
    worker = state.workers[name]
    return state.with_worker(replace(worker, verify_turns=worker.verify_turns + 1))


def _close_synthesis(state: State, name: str, turn: OpenTurn) -> State:
    if state.phase is not Phase.SYNTHESIS:
        return state
    state = replace(state, synthesis_turns=state.synthesis_turns + 1)
    return finish.completed_by_code(state).state if turn.kind is TurnKind.LAST else state


def _close_simple(state: State, name: str, turn: OpenTurn) -> State:
    if state.run.loop is Loop.SIMPLE and turn.kind is TurnKind.LAST:
        return finish.completed_by_code(state).state
    return state


def _close_last(state: State, name: str, turn: OpenTurn) -> State:
    return _close_simple(state, name, turn) if state.run.loop is Loop.SIMPLE else _close_synthesis(state, name, turn)


_CLOSE = {
    TurnKind.PLANNING: _close_planning,
    TurnKind.EXTRACTION: _close_extraction,
    TurnKind.CONSOLIDATION: _close_consolidation,
    TurnKind.VERIFYING: _close_verifying,
    TurnKind.SYNTHESIZING: _close_synthesis,
    TurnKind.LAST: _close_last,
}


def trim(state: State, name: str) -> State:
    """Keep the last turns raw; an older one stays only while it shows a page that no notes call has named."""
    if state.run.loop is Loop.SIMPLE:
        return state
    worker = state.workers[name]
    keep = state.limits.keep_turns
    old, new = worker.window[:-keep], worker.window[-keep:]
    waiting = tuple(turn for turn in old if any(one.page in worker.unread and not one.evicted for one in turn.results))
    return state.with_worker(replace(worker, window=(*waiting, *new)))
