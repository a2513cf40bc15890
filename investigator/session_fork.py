"""The start of a fork: the shared past is copied, and the new run is told where it parted.

One transaction makes the whole of it, so a kill never leaves a copy behind that looks like its parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from investigator.core import effects as fx
from investigator.core.events import Event, ModelFailed, RunForked
from investigator.core.limits import Limits
from investigator.core.state import State
from investigator.errors import UsageError
from investigator.loops.machine import apply
from investigator.session_files import NotesCopy
from investigator.session_log import Log, now, turn_of
from investigator.session_opening import Given, check_cost, limits_of
from investigator.session_past import prefix

if TYPE_CHECKING:
    from investigator.store import Entry, Store


def fork_run(store: Store, run_id: int, turn: int, given: Given, limits: Limits | Mapping[str, Any] | None) -> Log:
    """A new run with the past of another up to the close of ``turn``.

    Raises:
        UsageError: there is no such turn, or the run had ended there.
    """
    shared = prefix(store, run_id, turn)
    state, chain = shared.steps[-1].state, shared.steps[-1].chain
    if state.done:
        raise UsageError(f"run {run_id} had ended after turn {turn}; fork an earlier turn, at most {max(0, turn - 1)}")
    bounds = limits_of(limits, before=state.limits)
    check_cost(bounds, given.model)
    seq, following = state.seq, []
    for event in _parting(run_id, turn, state, given, bounds):
        step = apply(state, event)
        state, chain = step.state, fx.chain(chain, step.effects)
        following.append(_entry(event, step.effects, chain, state))
    effects = (effect for one in shared.steps for effect in one.effects)
    return Log(store, store.copy_prefix(run_id, seq, effects, following), state, chain)


def _parting(run_id: int, turn: int, state: State, given: Given, limits: Limits) -> Iterator[Event]:
    for worker in state.workers.values():
        if worker.open is not None and not worker.open.replied:
            yield ModelFailed(
                at=now(), worker=worker.name, turn=worker.open.number, attempt=worker.open.attempt, failure="lost",
                message="the fork does not wait for this call", tries=0,
            )  # fmt: skip
    yield RunForked(
        at=now(), parent_run=run_id, parent_turn=turn, notes_id=NotesCopy.new_id(), limits=limits,
        model=given.model_name, web=given.web_name, options=given.options,
    )  # fmt: skip


def _entry(event: Event, effects: tuple[fx.Effect, ...], chain: str, state: State) -> Entry:
    from investigator.store import Entry

    return Entry(
        event=event, effects=effects, chain=chain, turn=turn_of(event, state), worker=getattr(event, "worker", "")
    )
