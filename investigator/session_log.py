"""The log of one run as this process sees it: the state after the last committed event, and how the next one is added.

Knows the store and the fold. Must not know models, worlds or why an event happened. Memory never runs ahead of the
disk: after a failed append the state is that of the last committed event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from investigator.core import effects as fx
from investigator.core import events
from investigator.core.events import LOG_VERSION, Event, ModelFailed, ModelReplied, Observed, RunStarted, TurnOpened
from investigator.core.state import State
from investigator.errors import CorruptLog, LogVersionError, SequenceConflict, StoreError
from investigator.loops.machine import apply

if TYPE_CHECKING:
    from investigator.store import Store

EVENTS, PAGES = "gb_agent_events", "gb_agent_pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """One event of the log with what it changed. ``chain`` is the hash stored with it."""

    event: Event
    effects: tuple[fx.Effect, ...]
    state: State
    chain: str


class Log:
    """A run's log, loaded as far as ``state``.

    Attributes:
        recent: what was applied since the last turn was opened, that opening included.
    """

    def __init__(self, store: Store, run_id: int, state: State, chain: str, recent: tuple[Applied, ...] = ()) -> None:
        self.store, self.run_id, self.state, self.chain, self.recent = store, run_id, state, chain, recent

    @classmethod
    def begin(cls, store: Store, event: RunStarted) -> Log:
        """A new run, committed with its first event."""
        event = events.as_logged(event)
        step = apply(None, event)
        chain = fx.chain("", step.effects)
        return cls(store, store.create(event, step.effects, chain), step.state, chain)

    @classmethod
    def load(cls, store: Store, run_id: int) -> Log:
        """A run as it was committed last."""
        recent: tuple[Applied, ...] = ()
        last = None
        for last in applied(store, run_id):
            recent = _kept(recent, last)
        if last is None:
            raise CorruptLog(f"run {run_id} has no events; its tables can still be read as frames")
        return cls(store, run_id, last.state, last.chain, recent)

    def report(self, make: Callable[[State], Event]) -> Applied:
        """Append what happened. When others were first, it is appended behind them, made for the state they left."""
        while True:
            try:
                return self.intend(make(self.state))
            except SequenceConflict:
                self.catch_up()

    def intend(self, event: Event) -> Applied:
        """Append an event that is right only for the state it was decided on.

        Raises:
            SequenceConflict: others were first; `catch_up` and decide anew.
            StoreError: nothing was written and nothing changed; the run can be resumed.
        """
        event = events.as_logged(event)
        step = apply(self.state, event)
        chain = fx.chain(self.chain, step.effects)
        try:
            self.store.append(
                self.run_id, self.state.seq + 1, event, step.effects, chain,
                turn=turn_of(event, step.state), worker=getattr(event, "worker", ""),
            )  # fmt: skip
        except SequenceConflict:
            raise
        except StoreError as error:
            raise StoreError(
                f"{error}; everything up to event {self.state.seq} of run {self.run_id} is saved and the run can be"
                f" resumed when the store works again (investigator resume {self.run_id})"
            ) from error
        return self._took(Applied(event=event, effects=step.effects, state=step.state, chain=chain))

    def catch_up(self) -> None:
        """Apply what others have appended."""
        for stored in self.store.events(self.run_id, after=self.state.seq):
            step = apply(self.state, stored.event)
            self._took(Applied(event=stored.event, effects=step.effects, state=step.state, chain=stored.chain))

    def _took(self, one: Applied) -> Applied:
        self.state, self.chain = one.state, one.chain
        self.recent = _kept(self.recent, one)
        return one


def applied(store: Store, run_id: int) -> Iterator[Applied]:
    """Every event of a run, applied in order.

    Raises:
        LogVersionError: another version of the package wrote events that this one cannot re-apply.
    """
    state: State | None = None
    for stored in store.events(run_id):
        if isinstance(stored.event, RunStarted) and stored.event.log_version != LOG_VERSION:
            raise LogVersionError(
                f"run {run_id} has a log of version {stored.event.log_version}, this package reads {LOG_VERSION};"
                " its tables can be read as frames (questions_df and so on), but it cannot be re-applied"
            )
        step = apply(state, stored.event)
        state = step.state
        yield Applied(event=stored.event, effects=step.effects, state=state, chain=stored.chain)


def turn_of(event: Event, after: State) -> int:
    """The turn an event belongs to: its own, else the last one that was closed."""
    if isinstance(event, TurnOpened | ModelReplied | ModelFailed):
        return event.turn
    return event.turn if isinstance(event, Observed) and event.turn else after.turn


def event_row(run_id: int, one: Applied) -> dict[str, Any]:
    """An event as the store keeps it."""
    return {
        "run_id": run_id, "seq": one.state.seq, "turn": turn_of(one.event, one.state),
        "worker": getattr(one.event, "worker", ""), "kind": one.event.kind, "payload": events.dumps(one.event),
        "chain_sha256": one.chain, "at": one.event.at,
    }  # fmt: skip


def page_row(run_id: int, one: Applied) -> dict[str, Any] | None:
    """The page that an event brought, as the store keeps it."""
    if not isinstance(one.event, Observed) or one.event.page is None:
        return None
    page = one.event.page
    return {
        "run_id": run_id, "sha256": page.sha256, "url": page.url, "part": 1, "title": page.title,
        "text": one.event.text, "fetched_at": one.event.at,
    }  # fmt: skip


def now() -> str:
    """This moment as events carry it: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _kept(recent: tuple[Applied, ...], one: Applied) -> tuple[Applied, ...]:
    return (one,) if isinstance(one.event, TurnOpened) and one.event.attempt == 1 else (*recent, one)
