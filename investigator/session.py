"""A run in a person's hands: begin it, step it, look at it, act in it, fork it. Core, loops, store and world meet here.

Everything is synchronous, so it works under a notebook's running loop. What is asked for is checked before anything is
written. Frames come through `session_views`, the past and the check of a log through `session_past`.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from investigator import session_opening as opening
from investigator import session_past as past
from investigator.core.blocks import one_line
from investigator.core.events import HumanActed, RunStarted
from investigator.core.limits import Limits
from investigator.core.notes import notes_of, render
from investigator.core.state import Budget, State
from investigator.errors import ModelError, StoreError, UsageError
from investigator.loops.commands import Command
from investigator.session_driver import WORKER, Driver, Until, reached, stop
from investigator.session_files import NotesCopy, export_jsonl, version
from investigator.session_fork import fork_run
from investigator.session_log import Log, now
from investigator.session_progress import line_progress
from investigator.session_turn import Prompt, Report, Result, Turn, report_of, turn_of
from investigator.session_views import Frames

if TYPE_CHECKING:
    import pandas as pd

    from investigator.store import Store

LEASE = 1800.0  # seconds; longer than any call with its retries. A dead process's lease is void at once.


def investigate(
    objective: str, loop: str = "investigative", model: object = None, web: object = None,
    store: Store | str | os.PathLike[str] | None = None, limits: Limits | Mapping[str, Any] | None = None,
    user: str = "anon", workers: int = 1, *, base_url: str | None = None,
) -> Investigation:  # fmt: skip
    """Begin a run; nothing is asked of a model until it is stepped.

    Args:
        objective: what is to be found out, at most 20,000 characters.
        loop: ``investigative`` or ``simple``.
        model: None or ``offline``, ``openai:NAME``, or an object with ``name`` and ``complete``.
        web: None or ``demo``, ``corpus:PATH``, ``wikipedia``, ``searxng:URL``, or an object with the protocol.
        store: a path, a database url, a `Store`, or None: ``investigator.db`` in the user's data folder.
        limits: a `Limits`, or a mapping of those that differ from the defaults.
        user: who asks; any string.
        base_url: of the server of ``openai:NAME``; stored with the run, called without a key.

    Raises:
        UsageError: it cannot be done as asked (`LimitError`, `UnknownName` are kinds of it); nothing was written.
        StoreUnavailable: the store cannot be opened.

    >>> with investigate("How long is the bridge?", store="sqlite://") as inv:
    ...     inv.status, inv.turn
    ('running', 0)
    """
    if workers != 1:
        raise UsageError("a run has one worker in this version; leave workers out, several come later")
    asked, chosen, bounds = opening.objective_of(objective), opening.loop_of(loop), opening.limits_of(limits)
    given = opening.given(model, web, base_url)
    opening.check_cost(bounds, given.model)
    facts = opening.facts_of(given.web)
    opened = opening.open_store(store)
    started = RunStarted(
        at=now(), objective=asked, loop=chosen, limits=bounds, user=str(user), notes_id=NotesCopy.new_id(),
        model=given.model_name, web=given.web_name, world=facts, options=given.options, package_version=version(),
    )  # fmt: skip
    try:
        return Investigation(Log.begin(opened, started), given, owns=opened is not store)
    except BaseException:
        if opened is not store:
            opened.close()
        raise


def open_run(
    run_id: int, store: Store | str | os.PathLike[str] | None = None, model: object = None, web: object = None,
    *, base_url: str | None = None,
) -> Investigation:  # fmt: skip
    """A run from a store, as it was committed last. Its model and web are opened when it is stepped first.

    Raises:
        RunNotFound: no such run.
        UsageError: there is no store; or, from ``step``, ``run`` and ``act``: the run was started with an object as
            model or web, which must be given again.
    """
    opened = opening.open_store(store, must_exist=True)
    try:
        log = Log.load(opened, _id(run_id))
        named = any(one is not None for one in (model, web, base_url))
        given = opening.again(log.state.run, model, web, base_url) if named else None
    except BaseException:
        if opened is not store:
            opened.close()
        raise
    return Investigation(log, given, owns=opened is not store)


def runs(store: Store | str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """All runs of a store, oldest first, as a DataFrame."""
    from investigator import session_views

    return session_views.runs_frame(store)


def verify(run: Investigation | int, store: Store | str | os.PathLike[str] | None = None) -> list[str]:
    """Fold a run's log anew and compare it with its hashes, tables and notes: one sentence a difference, [] if none."""
    if isinstance(run, Investigation):
        return run.verify()
    opened = opening.open_store(store, must_exist=True)
    try:
        return past.check(opened, _id(run))
    finally:
        if opened is not store:
            opened.close()


class Investigation(Frames):
    """A run. Made by `investigate`, `open_run` and `fork`; one property per table is a DataFrame.

    Attributes:
        run_id: its number in the store.
        last: the turn that was opened last, None before the first.
        interrupted: whether the last `run` was ended by an interrupt.
    """

    def __init__(self, log: Log, given: opening.Given | None, *, owns: bool) -> None:
        self.run_id = log.run_id
        self._log, self._given, self._owns = log, given, owns
        self.interrupted = False
        self._stepping, self._pausing = threading.Lock(), threading.Event()
        self._watch: Callable[[State, Command], None] = lambda state, command: None
        self._notes = NotesCopy(log.store, log.run_id)

    # Going on

    def step(self, until: Until = None) -> Turn | None:
        """One turn, or turns until something has changed.

        Args:
            until: ``question``: another question is current; ``phase``: exploration or synthesis has ended; a function
                of the state: it is true at the close of a turn.

        Returns:
            The last turn; None when the run is done (or was paused before a turn closed).

        Raises:
            RunHeld: another live process works on the run.
            ModelError: the model failed for good; the run is paused, the next step tries again.
            KeyboardInterrupt: the run is paused; nothing committed is lost.
            StoreError: the store failed; the run can be resumed from the last committed event.
        """
        arrived = reached(until, self.state)
        if self.state.done:
            return None
        with self._working() as driver:
            done = self._turn(driver)
            while done is not None and not arrived(self.state) and not self.state.done:
                turn = self._turn(driver)
                if turn is None:
                    break
                done = turn
        return done

    def run(self, progress: bool | Callable[[State, Command | None], None] = True) -> Report:
        """Drive the run to its end and return its report.

        An interrupt, `pause` and a model that fails leave it paused; the report is then false and says why.
        Errors of the store are raised.

        Args:
            progress: True: a line on stderr; False: silence; or a function that is told the state and what comes next.
        """
        self.interrupted = False
        if self.state.done:
            return self.report
        told = progress if callable(progress) else line_progress() if progress else None
        self._watch = told or (lambda state, command: None)
        try:
            with contextlib.suppress(ModelError), self._working() as driver:
                while self._turn(driver) is not None and not self.state.done:
                    pass
        except KeyboardInterrupt:
            self.interrupted = True
            with contextlib.suppress(StoreError):
                stop(self._log, "paused")  # wherever it struck
        finally:
            self._watch = lambda state, command: None
            if told is not None:
                told(self.state, None)
        return self.report

    def pause(self) -> None:
        """Pause the run: at once, or after the call that another thread is making. ``step`` and ``run`` resume it."""
        self._pausing.set()
        if self._stepping.acquire(blocking=False):
            try:
                if self._pausing.is_set():
                    self._pausing.clear()
                    stop(self._log, "paused")
            finally:
                self._stepping.release()

    def act(self, tool: str, **arguments: Any) -> Result:
        """A person's move, through the same tools as the model's and in any turn; outside calls are carried out.

        Returns:
            What it brought. A move that the rules do not allow is a false `Result` that says why.
        """
        try:
            text = json.dumps(arguments, ensure_ascii=True, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the arguments of {tool} are no JSON: {error}") from error
        user = self.state.run.user
        with self._working(take_up=False) as driver:
            self._log.report(
                lambda state: HumanActed(at=now(), act=state.acts + 1, tool=str(tool), arguments=text, user=user)
            )
            driver.act()
            self._notes.write(self.state)
        answer = self.state.act_result
        if answer is None:
            return Result(tool=str(tool), text="the move waits for the world; the next step carries it out")
        return Result(tool=answer.tool, text=answer.text, refused=answer.refused)

    def fork(
        self, n: int | None = None, model: object = None, limits: Limits | Mapping[str, Any] | None = None,
        act: tuple[str, Mapping[str, Any]] | None = None, *, web: object = None,
    ) -> Investigation:  # fmt: skip
        """A new run that shares this one's past up to the close of turn ``n``; nothing of it is paid again.

        Args:
            n: the turn; None: the last one that was closed.
            model, web: in the place of this run's.
            limits: they hold from the fork on; a mapping changes those that held then.
            act: a person's first move in the fork: a tool and its arguments.

        Raises:
            UsageError: there is no such turn, or the run had ended there.
        """
        tool, arguments = opening.move_of(act) if act is not None else ("", {})
        given = opening.replaced(self._given or opening.again(self.state.run, model, web), model, web)
        log = fork_run(self._log.store, self.run_id, self.turn if n is None else n, given, limits)
        forked = Investigation(log, given, owns=False)
        if act is not None:
            forked.act(tool, **arguments)
        return forked

    # Looking

    @property
    def state(self) -> State:
        """Everything known after the last committed event; an immutable value."""
        return self._log.state

    @property
    def status(self) -> str:
        """running, paused, completed or failed."""
        return str(self.state.status)

    @property
    def turn(self) -> int:
        """The number of closed turns."""
        return self.state.turn

    @property
    def last(self) -> Turn | None:
        return turn_of(self._log.recent)

    @property
    def report(self) -> Report:
        return report_of(self.run_id, self.state)

    @property
    def notes(self) -> str:
        """The notes as text."""
        return render(notes_of(self.state))

    @property
    def budget(self) -> Budget:
        return self.state.budget

    @property
    def limits(self) -> Limits:
        return self.state.limits

    def prompt(self) -> Prompt:
        """The next request by section; empty when the next step is no model call."""
        return past.next_prompt(self.state)

    def at(self, n: int) -> past.Past:
        """The run as it stood at the close of turn ``n`` (0: before the first), for reading only."""
        return past.Past(self.run_id, past.prefix(self._log.store, self.run_id, n).steps)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of one of the store's tables, as stored."""
        return self._log.store.rows(self.run_id, table)

    def verify(self) -> list[str]:
        """Fold the log anew and compare it with its hashes, tables and notes: one sentence a difference, [] if none."""
        return past.check(self._log.store, self.run_id)

    def export(self, path: str | os.PathLike[str], format: str = "jsonl") -> None:
        """Write the whole log, page texts included, to a file: one JSON object a line, the first one a header."""
        export_jsonl(self._log.store, self.run_id, path, format)

    def close(self) -> None:
        """Give the store's connections back, if this run opened it. What was appended is on the disk already."""
        if self._owns:
            self._log.store.close()

    def __enter__(self) -> Investigation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self.state
        ended = f" · {state.stop_reason}" if state.stop_reason else ""
        asked = one_line(state.run.objective, 80)
        return f"<run {self.run_id} {state.status}{ended} · turn {state.turn} · {state.phase} · {asked}>"

    # Within

    def _turn(self, driver: Driver) -> Turn | None:
        """Drive one turn; None when none was closed."""
        self._notes.restore(self.state)
        self._log.store.hold(self.run_id, WORKER, _host(), os.getpid(), LEASE)  # a run may last longer than a lease
        before = self.turn
        driver.turn(self._pausing.is_set)
        if self.turn == before:
            return None
        self._notes.write(self.state)
        return self.last

    @contextlib.contextmanager
    def _working(self, *, take_up: bool = True) -> Iterator[Driver]:
        """The one that works on the run, in this process and in any other, for as long as the block lasts."""
        if not self._stepping.acquire(blocking=False):
            raise UsageError("another thread works on this run; pause it first")
        try:
            self._log.catch_up()
            driver = self._driver()
            if self.state.done or not take_up:
                yield driver
                return
            store, me = self._log.store, (_host(), os.getpid())
            store.hold(self.run_id, WORKER, *me, LEASE)
            try:
                self._log.catch_up()
                driver.take_up()
                yield driver
            finally:
                with contextlib.suppress(StoreError):
                    store.let_go(self.run_id, WORKER, *me)
        finally:
            self._pausing.clear()
            self._stepping.release()

    def _driver(self) -> Driver:
        if self._given is None:
            self._given = opening.again(self.state.run, None, None)
        opening.check_cost(self.limits, self._given.model)
        return Driver(
            log=self._log, model=self._given.model, web=self._given.web,
            watch=lambda state, command: self._watch(state, command), version=version(),
            prices=opening.prices(self._given.model),
        )  # fmt: skip


def _id(run_id: object) -> int:
    if isinstance(run_id, bool) or not isinstance(run_id, int):
        raise UsageError(f"a run id is a whole number, not {run_id!r}; `iv.runs(store)` lists them")
    return run_id


def _host() -> str:
    from investigator.store.leases import this_host

    return this_host()
