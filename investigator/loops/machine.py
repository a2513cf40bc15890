"""The machine: `apply` an event to a state, `decide` what to do, `fold` a log. Pure; the driver does the rest.

It knows which event goes to which handler, and that every event ends with settling; the rules of a turn are in `turns`,
those of what comes next in `settle`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from investigator.core import frontier_moves
from investigator.core.effects import Effect, diff
from investigator.core.events import (
    Event,
    HumanActed,
    ModelFailed,
    ModelReplied,
    Observed,
    RunForked,
    RunResumed,
    RunStarted,
    RunStopped,
    SettingsChanged,
    TurnOpened,
    WorkerLost,
)
from investigator.core.notes import Notes, notes_of, render
from investigator.core.refusal import Refusal
from investigator.core.state import Act, Journal, Result, Run, State, Worker, in_order, moved
from investigator.core.values import replace
from investigator.core.vocab import Actor, Loop, RunStatus
from investigator.errors import CorruptLog
from investigator.loops import prompt, turns
from investigator.loops.commands import CallModel, Command, Done, Fetch, Query, Search, Wait
from investigator.loops.settle import settle
from investigator.tools import outside, registry
from investigator.tools.moves import Caller, Outward

FIRST_WORKER = "w1"
_NO_NOTES = render(Notes())
_URL = re.compile(r"https?://[^\s<>\"')\]]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The state after an event, and the rows that changed with it."""

    state: State
    effects: tuple[Effect, ...]


def apply(state: State | None, event: Event) -> Step:
    """The next state. The first event of a log is ``run_started``, applied to None."""
    if state is None:
        if not isinstance(event, RunStarted):
            raise CorruptLog(f"a log begins with run_started, not with {event.kind}")
        after = _started(event)
    else:
        before = replace(state, at=event.at, seq=state.seq + 1, journal=Journal())
        after = _APPLY[type(event)](before, event)
    after, notes = _notes_version(_settled(after))
    effects = diff(state, after, notes)
    return Step(state=replace(after, journal=Journal()), effects=effects)


def fold(events: Iterable[Event]) -> State:
    """The state after a whole log."""
    state: State | None = None
    for event in events:
        state = apply(state, event).state
    if state is None:
        raise CorruptLog("the log is empty")
    return state


def _settled(state: State) -> State:
    """Every worker settled; once more when one of them ended the phase, for the others were told of the old one."""
    while True:
        phase = state.phase
        for name in sorted(state.workers, key=in_order):
            state = settle(state, name)
        if state.phase is phase:
            return state


def _notes_version(after: State) -> tuple[State, str]:
    """A new version of the notes if their text changed, at most one an event."""
    if after.journal.notes is None:
        return after, ""
    text = render(notes_of(after))
    if text == (after.notes_text or _NO_NOTES):
        return after, ""
    return replace(after, notes_seq=after.notes_seq + 1, notes_text=text), text


def _started(event: RunStarted) -> State:
    frontier, transitions = frontier_moves.start(event.objective, event.at)
    run = Run(
        objective=event.objective,
        loop=event.loop,
        user=event.user,
        notes_id=event.notes_id,
        model=event.model,
        web=event.web,
        world=event.world,
        started_at=event.at,
        options=event.options,
    )
    state = State(
        run=run,
        limits=event.limits,
        at=event.at,
        seq=1,
        frontier=frontier,
        planned=event.loop is Loop.SIMPLE,
        workers={FIRST_WORKER: Worker(name=FIRST_WORKER)},
        known_urls=frozenset(one.rstrip(".,;:!?") for one in _URL.findall(event.objective)),
    )
    return moved(state, frontier, transitions)


def _forked(state: State, event: RunForked) -> State:
    run = replace(
        state.run,
        notes_id=event.notes_id,
        parent_run=event.parent_run,
        parent_turn=event.parent_turn,
        model=event.model or state.run.model,
        web=event.web or state.run.web,
        options={**state.run.options, **event.options},
    )
    return replace(
        state, run=run, limits=event.limits, limits_changed=True, status=RunStatus.RUNNING, error="", act=None
    )


def _settings(state: State, event: SettingsChanged) -> State:
    run = replace(state.run, options={**state.run.options, **event.options})
    return replace(state, limits=event.limits, limits_changed=True, run=run)


def _stopped(state: State, event: RunStopped) -> State:
    return replace(state, status=RunStatus.PAUSED, error=event.error) if not state.done else state


def _resumed(state: State, event: RunResumed) -> State:
    if state.done:
        return state
    if event.worker not in state.workers:
        state = state.with_worker(Worker(name=event.worker))
    return replace(state, status=RunStatus.RUNNING, error="")


def _lost(state: State, event: WorkerLost) -> State:
    worker = state.workers.get(event.worker)
    if worker is None:
        return state
    state = turns.drop_reservation(state, event.worker, lost=True)
    if worker.verifying:
        state = replace(state, queue=(worker.verifying, *state.queue))
    for one in state.frontier.in_progress():
        if one.worker == event.worker:
            state = moved(
                state, *frontier_moves.release(state.frontier, one.id, why=f"{event.worker} was lost", at=state.at)
            )
    return replace(state, workers={name: one for name, one in state.workers.items() if name != event.worker})


def _acted(state: State, event: HumanActed) -> State:
    """A person's move: at once, or as a call that waits for the world."""
    state = replace(state, acts=event.act, act_result=None)
    if state.done:
        return _answered_act(
            state, Refusal(kind="over", text="the run is over.", instead="Fork it at an earlier turn."), event.tool
        )
    try:
        args = json.loads(event.arguments)
    except ValueError:
        args = None
    if not isinstance(args, dict):
        return _answered_act(state, Refusal(kind="arguments", text="the arguments are no JSON object."), event.tool)
    made = registry.call(state, _person(state, event.user), event.tool, args)
    if isinstance(made, Outward) and state.act is not None:
        busy = Refusal(
            kind="busy", text=f"act {state.act.number} waits for the world.", instead="Go on until it is answered."
        )
        return _answered_act(state, busy, event.tool)
    if isinstance(made, Outward):
        return replace(state, act=Act(number=event.act, tool=event.tool, arguments=event.arguments, user=event.user))
    return _answered_act(state if isinstance(made, Refusal) else made.state, made, event.tool)


def _answered_act(state: State, made: Any, tool: str, number: int = 0) -> State:
    refused = made.kind if isinstance(made, Refusal) else made.refused
    text = str(made) if isinstance(made, Refusal) else made.text
    result = Result(position=0, call_id=f"act_{number or state.acts}", tool=tool, text=text, refused=refused)
    return replace(state, act_result=result)


def _person(state: State, user: str) -> Caller:
    lead = state.workers.get(state.lead)
    question = (lead.current or (lead.open.question if lead.open else "")) if lead else ""
    return Caller(
        worker=state.lead, actor=Actor.HUMAN, turn=state.opened, question=question or state.frontier.root.id, user=user
    )


def _observed(state: State, event: Observed) -> State:
    if not event.act:
        return turns.observed(state, event)
    act = state.act
    if act is None or act.number != event.act:
        return state
    state = replace(state, act=None)
    if state.done:
        late = Refusal(kind="over", text="the run ended before this was answered.")
        return _answered_act(state, late, act.tool, act.number)
    args = registry.let_out(act.tool, act.arguments)
    made = outside.observe(state, _person(state, act.user), act.tool, args, event)
    return _answered_act(made.state, made, act.tool, act.number)


_APPLY: dict[type[Event], Callable[[State, Any], State]] = {
    RunForked: _forked,
    SettingsChanged: _settings,
    TurnOpened: turns.opened,
    ModelReplied: turns.replied,
    ModelFailed: turns.failed,
    Observed: _observed,
    HumanActed: _acted,
    WorkerLost: _lost,
    RunResumed: _resumed,
    RunStopped: _stopped,
}


def decide(state: State, worker: str) -> Command:
    """What this worker does now. Only reads."""
    if state.status is not RunStatus.RUNNING or worker not in state.workers:
        return Done()
    if state.act is not None:
        return _outside(state.act.tool, state.act.arguments, turn=0, position=0, act=state.act.number)
    one = state.workers[worker]
    if one.open is not None and one.open.awaiting:
        position = len(one.open.results)
        call = one.open.received[position]
        return _outside(call.name, call.arguments, turn=one.open.number, position=position, act=0)
    if one.open is None and one.next.idle:
        return Wait()
    turn, attempt = (one.open.number, one.open.attempt + 1) if one.open else (state.opened + 1, 1)
    kind, question = (one.open.kind, one.open.question) if one.open else (one.next.kind, one.next.question)
    request = prompt.build(state, one)
    reserved = request.tokens + state.limits.reply_tokens
    return CallModel(
        request=request,
        turn=turn,
        attempt=attempt,
        kind=kind,
        question=question,
        reserved_tokens=reserved,
        reserved_cost=prompt.cost_of(state, request.tokens, state.limits.reply_tokens),
    )


def _outside(tool: str, arguments: str, *, turn: int, position: int, act: int) -> Command:
    args = registry.let_out(tool, arguments)
    if tool == "web_search":
        return Search(turn=turn, position=position, act=act, query=str(args["query"]), limit=int(args.get("limit", 8)))
    if tool == "fetch_page":
        return Fetch(turn=turn, position=position, act=act, url=str(args["url"]).strip())
    return Query(turn=turn, position=position, act=act, text=str(args["query"]))
