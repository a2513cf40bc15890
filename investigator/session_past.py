"""A run as it stood at the close of a turn, for reading; and the check of a log against all that follows from it.

Knows the fold and the store. Writes nothing, calls nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from investigator.core import effects as fx
from investigator.core.events import TurnOpened
from investigator.core.limits import Limits
from investigator.core.notes import NotesError, notes_of, parse, render
from investigator.core.state import Budget, State
from investigator.errors import CorruptLog, UsageError
from investigator.loops import prompt
from investigator.session_driver import WORKER
from investigator.session_log import EVENTS, PAGES, Applied, applied, event_row, page_row
from investigator.session_turn import Prompt, Report, Section, Turn, report_of, turn_of
from investigator.session_views import Frames

if TYPE_CHECKING:
    from investigator.store import Store


class Past(Frames):
    """A run at the close of a turn. It can be read and not stepped; `Investigation.fork` goes on from there."""

    def __init__(self, run_id: int, steps: tuple[Applied, ...]) -> None:
        self.run_id, self._steps = run_id, steps
        self._tables: fx.Tables | None = None

    @property
    def state(self) -> State:
        return self._steps[-1].state

    @property
    def turn(self) -> int:
        """The number of closed turns."""
        return self.state.turn

    @property
    def status(self) -> str:
        return str(self.state.status)

    @property
    def limits(self) -> Limits:
        return self.state.limits

    @property
    def budget(self) -> Budget:
        return self.state.budget

    @property
    def notes(self) -> str:
        return render(notes_of(self.state))

    @property
    def report(self) -> Report:
        return report_of(self.run_id, self.state)

    @property
    def last(self) -> Turn | None:
        """The turn that was closed last."""
        events = [one.event for one in self._steps]
        opened = [at for at, one in enumerate(events) if isinstance(one, TurnOpened) and one.attempt == 1]
        return turn_of(self._steps[opened[-1] :]) if opened else None

    def prompt(self) -> Prompt:
        """The request that came next, by section; empty when none did."""
        return next_prompt(self.state)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows that a table held then."""
        if table in (EVENTS, PAGES):
            make = event_row if table == EVENTS else page_row
            made = [row for row in (make(self.run_id, one) for one in self._steps) if row is not None]
            return list({row.get("sha256", row.get("seq")): row for row in reversed(made)}.values())[::-1]
        if self._tables is None:
            self._tables = fx.tables(effect for one in self._steps for effect in one.effects)
        own = {"id": self.run_id} if table == fx.RUNS else {"run_id": self.run_id}
        return [{**own, **row} for row in self._tables.get(table, {}).values()]

    def __repr__(self) -> str:
        return f"<run {self.run_id} as of turn {self.turn}, read-only; fork({self.turn}) goes on from here>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The events of a run up to the close of turn ``turn``."""

    turn: int
    steps: tuple[Applied, ...]


def prefix(store: Store, run_id: int, turn: int) -> Prefix:
    """The log up to the close of that turn; 0: up to the first turn's opening.

    Raises:
        UsageError: the run has not come that far.
    """
    if isinstance(turn, bool) or not isinstance(turn, int) or turn < 0:
        raise UsageError(f"a turn is a whole number from 0 on, not {turn!r}")
    steps: list[Applied] = []
    for one in applied(store, run_id):
        if turn == 0 and isinstance(one.event, TurnOpened):
            break
        steps.append(one)
        if 0 < turn <= one.state.turn:
            break
    if not steps or (turn and steps[-1].state.turn < turn):
        raise UsageError(f"run {run_id} has closed {_closed(steps)} turns, there is no turn {turn}")
    return Prefix(turn=turn, steps=tuple(steps))


def _closed(steps: list[Applied]) -> int:
    return steps[-1].state.turn if steps else 0


def next_prompt(state: State) -> Prompt:
    """The next request of a state by section; empty when the next step is no model call."""
    worker = state.workers.get(WORKER)
    if worker is None or state.done or (worker.open is not None and worker.open.replied):
        return Prompt()
    made = prompt.parts(state, worker)
    sizes = prompt.sizes(made)
    return Prompt({name: Section(text=text, tokens=sizes[name]) for name, text in made.texts().items()})


def check(store: Store, run_id: int) -> list[str]:
    """Fold the log anew and compare: hashes, tables, notes. One sentence for each difference; none: []."""
    try:
        found, state, effects = _fold(store, run_id)
    except CorruptLog as error:
        return [str(error)]
    if found or state is None:
        return found or [f"run {run_id} has no events"]
    found = store.verify_tables(run_id, fx.tables(effects))
    return [*found, *_notes(store, run_id, state)]


def _fold(store: Store, run_id: int) -> tuple[list[str], State | None, list[fx.Effect]]:
    chain, state = "", None
    effects: list[fx.Effect] = []
    for one in applied(store, run_id):
        chain, state = fx.chain(chain, one.effects), one.state
        if chain != one.chain:
            where = f"event {state.seq} of run {run_id} ({one.event.kind})"
            return [f"{where} is the first whose effects differ from the hash in the log"], state, effects
        effects.extend(one.effects)
    return [], state, effects


def _notes(store: Store, run_id: int, state: State) -> Iterator[str]:
    text = store.latest_notes(run_id)
    if not text and not state.notes_seq:
        return
    try:
        stored = parse(text)
    except NotesError as error:
        yield f"the last notes version cannot be read: {error}"
        return
    expected = notes_of(state)
    if stored != expected:
        names = (one.name for one in fields(expected))
        parts = [name for name in names if getattr(stored, name) != getattr(expected, name)]
        yield f"the last notes version differs from the state in {', '.join(parts)}"

