"""The store: an append-only log per run, its pages, and the tables that follow from it, in one database.

An event, its page and its effects are one transaction. Knows events as values and effects as rows; knows no loop and
no tool, and never decides what happens next.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from platformdirs import user_data_path
from sqlalchemy import ColumnElement, Connection, Engine, Table, func, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError

from investigator.core import effects as fx
from investigator.core.effects import Effect
from investigator.core.events import Event
from investigator.errors import RunNotFound, StoreError, StoreUnavailable, UnknownName
from investigator.store import audit, dialects, leases, loading, migrations, writing
from investigator.store.leases import Lease
from investigator.store.loading import StoredEvent
from investigator.store.tables import events, metadata, notes_versions, runs
from investigator.store.writing import Entry

__all__ = ["Entry", "Store", "StoredEvent", "locate"]

LARGEST_ID = 2**63 - 1  # of an integer key, in any database
_HISTORY = (fx.TRANSITIONS, fx.CLAIM_TRANSITIONS)


def locate(where: str | Path | None) -> URL:
    """The url of a store: None is ``investigator.db`` in the user's data folder, which is made if need be.

    >>> locate("sqlite://").drivername
    'sqlite'
    """
    if where is None:
        where = _data_folder() / "investigator.db"
    if not str(where).strip():
        raise StoreUnavailable("an empty name is no store; give a path or a database url")
    if isinstance(where, str) and "://" in where:
        try:
            return make_url(where)
        except (ArgumentError, ValueError) as error:
            raise StoreUnavailable("the database url cannot be read; it looks like sqlite:///folder/file.db") from error
    return URL.create("sqlite", database=str(where))


def _data_folder() -> Path:
    try:
        return user_data_path("investigator", appauthor=False, ensure_exists=True)
    except (OSError, ValueError) as error:
        raise StoreUnavailable(f"the user's data folder cannot be made ({error}); name a store of your own") from error


class Store:
    """A database of runs.

    >>> with Store("sqlite://") as store:
    ...     store.runs()
    []

    Raises:
        StoreUnavailable: it cannot be opened; nothing was written then.
        StoreError: from any method, when the database or its disk failed; the run stays resumable.
    """

    def __init__(self, where: str | Path | None = None) -> None:
        self.url = locate(where)
        self._backend = dialects.backend(self.url)
        self._backend.check(self.url)
        self.file = self._backend.file(self.url)
        # A database in memory has one connection, which threads must take turns with.
        self._turns = threading.RLock() if self.file is None else contextlib.nullcontext()
        fresh = self.file is not None and not self.file.exists()
        self.engine = self._backend.engine(self.url)
        self._writer: Engine = self.engine.execution_options(**{dialects.WRITES: True})
        try:
            migrations.check(self.engine)
            self._backend.ready(self.engine)
            migrations.migrate(self.engine, self._writer)
        except (*dialects.FAILURES, StoreUnavailable) as error:
            self.engine.dispose()
            if fresh and self.file is not None:
                _remove(self.file)
            raise StoreUnavailable(f"{self} cannot be opened: {dialects.sentence(self._backend, error)}") from error

    def __repr__(self) -> str:
        return f"Store({self.url.render_as_string(hide_password=True)!r})"

    def __str__(self) -> str:
        return str(self.file) if self.file is not None else self.url.render_as_string(hide_password=True)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back. What was appended is on the disk already."""
        self.engine.dispose()

    @property
    def notes_directory(self) -> Path:
        """Where notes files lie by default: ``research_notes`` beside the database."""
        if self.file is not None:
            return self.file.resolve().parent / "research_notes"
        return user_data_path("investigator", appauthor=False) / "research_notes"

    @contextlib.contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        with self._turns:
            try:
                with engine.begin() as connection:
                    yield connection
            except dialects.FAILURES as error:
                raise StoreError(f"{self} failed: {dialects.sentence(self._backend, error)}") from error

    def _reading(self) -> contextlib.AbstractContextManager[Connection]:
        return self._transaction(self.engine)

    def _writing(self) -> contextlib.AbstractContextManager[Connection]:
        return self._transaction(self._writer)

    # Writing

    def create(self, event: Event, effects: Sequence[Effect], chain: str, *, worker: str = "") -> int:
        """Begin a run: its row, event 1 and the effects, at once. The id is the database's.

        ``effects`` hold the run's row.
        """
        with self._writing() as connection:
            run_id = writing.new_run(connection, effects)
            first = Entry(event=event, effects=effects, chain=chain, worker=worker)
            writing.append(connection, self._backend, run_id, 1, first)
            return run_id

    def append(
        self, run_id: int, seq: int, event: Event, effects: Sequence[Effect], chain: str, *, turn: int, worker: str
    ) -> None:
        """Append event ``seq``, the page it brought and its effects: all of it or nothing.

        Raises:
            SequenceConflict: another process was first with this number; nothing was written.
            RunNotFound: there is no such run.
        """
        entry = Entry(event=event, effects=effects, chain=chain, turn=turn, worker=worker)
        try:
            with self._writing() as connection:
                writing.append(connection, self._backend, run_id, seq, entry)
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                self.run_row(run_id)
            raise

    def copy_prefix(
        self, run_id: int, upto_seq: int, effects: Iterable[Effect], following: Sequence[Entry] = ()
    ) -> int:
        """A new run that begins with events 1..``upto_seq`` of another, their pages and hashes: the start of a fork.

        Args:
            effects: those of the copied events, in order; they make the new run's tables.
            following: what makes it a run of its own (lost turns, ``run_forked``), in the same transaction, so that
                a kill never leaves a copy behind that looks like its parent.
        """
        self.run_row(run_id)
        with self._writing() as connection:
            done = fx.compact(effects)
            new_id = writing.new_run(connection, done)
            writing.copy_log(connection, run_id, upto_seq, new_id)
            writing.write(connection, self._backend, new_id, done)
            for number, entry in enumerate(following, upto_seq + 1):
                writing.append(connection, self._backend, new_id, number, entry)
            return new_id

    def delete(self, run_id: int) -> None:
        """Remove a run and everything of it. Runs forked from it stay."""
        with self._writing() as connection:
            for table in reversed(metadata.sorted_tables):  # leaves first: a cascade would look up every row
                if "run_id" in table.columns:
                    connection.execute(table.delete().where(table.c.run_id == run_id))
            if not connection.execute(runs.delete().where(runs.c.id == run_id)).rowcount:
                raise self._not_found(run_id)

    # Reading

    def events(self, run_id: int, after: int = 0) -> Iterator[StoredEvent]:
        """The log from the event behind ``after`` on, page texts put back.

        Raises:
            CorruptLog: a gap, an unreadable payload or a page that is gone; names the event.
        """
        self.run_row(run_id)
        return self._events(run_id, after)

    def _events(self, run_id: int, after: int) -> Iterator[StoredEvent]:
        while True:
            with self._reading() as connection:
                found = loading.chunk(connection, run_id, after)
            yield from found
            if len(found) < loading.CHUNK:
                return
            after = found[-1].seq

    def last_seq(self, run_id: int) -> int:
        """The number of the last event; 0 for a run without a log."""
        with self._reading() as connection:
            return connection.execute(select(func.max(events.c.seq)).where(events.c.run_id == run_id)).scalar() or 0

    def run_row(self, run_id: int) -> dict[str, Any]:
        """The row of a run, or `RunNotFound`."""
        if not 0 < run_id <= LARGEST_ID:
            raise self._not_found(run_id)
        with self._reading() as connection:
            row = connection.execute(select(runs).where(runs.c.id == run_id)).mappings().first()
        if row is None:
            raise self._not_found(run_id)
        return dict(row)

    def runs(self) -> list[dict[str, Any]]:
        """The rows of all runs, oldest first."""
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(select(runs).order_by(runs.c.id)).mappings()]

    def rows(self, run_id: int, table: str) -> list[dict[str, Any]]:
        """The rows of a run in a table, in their own order: JSON as text, times as aware datetimes."""
        found = _table(table)
        if table == fx.RUNS:
            return [self.run_row(run_id)]
        query = select(found).where(found.c.run_id == run_id).order_by(*_order(found))
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def columns(self, table: str) -> Mapping[str, str]:
        """The columns of a table and what they mean."""
        return {one.name: one.comment or "" for one in _table(table).columns}

    def latest_notes(self, run_id: int) -> str:
        """The whole text of the last version of the notes, '' if there is none."""
        query = select(notes_versions.c.content).where(notes_versions.c.run_id == run_id)
        with self._reading() as connection:
            found = connection.execute(query.order_by(notes_versions.c.seq.desc()).limit(1)).scalar()
        return found or ""

    def verify_tables(self, run_id: int, expected: Mapping[str, Mapping[fx.Key, fx.Row]]) -> list[str]:
        """How the tables of a run differ from ``expected`` (`core.effects.tables`), one sentence each; none: []."""
        self.run_row(run_id)
        with self._reading() as connection:
            return audit.differences(connection, run_id, expected)

    def _not_found(self, run_id: int) -> RunNotFound:
        asked = str(run_id)[:40]
        return RunNotFound(f"there is no run {asked} in {self}; `investigator runs` or `iv.runs(store)` lists them")

    # Leases

    def hold(self, run_id: int, worker: str, host: str, pid: int, seconds: float) -> Lease:
        """Take or renew the lease of a worker; `RunHeld` while another live process has it."""
        self.run_row(run_id)
        lease = Lease(run_id=run_id, worker=worker, host=host, pid=pid, expires_at=leases.until(seconds))
        with self._writing() as connection:
            leases.hold(connection, self._backend.insert, lease)
        return lease

    def holder(self, run_id: int, worker: str) -> Lease | None:
        """The live lease of a worker; None when nobody has it."""
        with self._reading() as connection:
            found = leases.of_worker(connection, run_id, worker)
        return found if found is not None and found.live else None

    def holders(self, run_id: int) -> tuple[Lease, ...]:
        """All live leases of a run, by worker."""
        with self._reading() as connection:
            return tuple(one for one in leases.of_run(connection, run_id) if one.live)

    def let_go(self, run_id: int, worker: str, host: str, pid: int) -> None:
        """Give a lease back; that of another process stays."""
        with self._writing() as connection:
            leases.let_go(connection, run_id, worker, host, pid)


def _table(name: str) -> Table:
    if name not in metadata.tables:
        raise UnknownName(f"there is no table {name!r}; the tables are {', '.join(sorted(metadata.tables))}")
    return metadata.tables[name]


def _order(table: Table) -> list[ColumnElement[Any]]:
    """Histories by time, questions as they were asked, the rest by number: q_1000 comes after q_999."""
    order: list[ColumnElement[Any]] = [table.c.created_at] if table.name in _HISTORY else []
    if table.name in (fx.QUESTIONS, fx.ATTEMPTS):
        return [table.c.seq if table.name == fx.QUESTIONS else table.c.n]
    for one in table.primary_key:
        order += [func.length(one), one] if one.name.endswith("id") and one.name != "run_id" else [one]
    return order


def _remove(file: Path) -> None:
    """The empty file that a failed opening has just made; not when another process is filling it."""
    if file.exists() and file.stat().st_size == 0 and not file.with_name(file.name + "-wal").exists():
        file.unlink()
