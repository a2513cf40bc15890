"""The one place that knows which database it is: how it is opened, how a row is put, what its errors mean.

Everything else in the store is SQLAlchemy Core that any of them understands. A further database is a further entry of
`BACKENDS`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, StaticPool, Table, create_engine, event
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.sql.dml import Insert

from investigator.errors import StoreUnavailable

BUSY_SECONDS = 30
WRITES = "investigator_writes"  # execution option of connections that will write
_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """What differs between databases.

    Attributes:
        file: the file that a url names, None if it names none.
        check: raises `StoreUnavailable` when the url cannot be opened; writes nothing.
        engine: the engine; a connection with the option `WRITES` takes the write lock when it begins.
        ready: settings that stay with the database; called before the first write.
        insert: ``insert`` with ``on_conflict_do_update`` and ``on_conflict_do_nothing``.
        explain: what an error of the driver means, as the end of a sentence.
    """

    file: Callable[[URL], Path | None]
    check: Callable[[URL], None]
    engine: Callable[[URL], Engine]
    ready: Callable[[Engine], None]
    insert: Callable[[Table], Any]
    explain: Callable[[BaseException], str]


def backend(url: URL) -> Backend:
    """The backend of a url, or `StoreUnavailable`."""
    name = url.get_backend_name()
    if name not in BACKENDS or url.get_driver_name() not in DRIVERS[name]:
        known = ", ".join(f"{one}://" for one in BACKENDS)
        raise StoreUnavailable(f"{url.drivername}:// is no database that is known here; give a path or {known}")
    return BACKENDS[name]


def put(insert: Callable[[Table], Any], table: Table, keys: Sequence[str], given: Mapping[str, Any]) -> Insert:
    """A statement that writes a row, or changes the one with these keys. ``given``: columns that SQL computes."""
    statement = insert(table).values(given) if given else insert(table)
    own = {one.name for one in table.primary_key} | set(keys)
    changed = {one.name: statement.excluded[one.name] for one in table.columns if one.name not in own}
    if not changed:
        done: Insert = statement.on_conflict_do_nothing(index_elements=list(keys))
    else:
        done = statement.on_conflict_do_update(index_elements=list(keys), set_=changed)
    return done


def sentence(where: Backend, error: BaseException) -> str:
    """One sentence for a person about an error of SQLAlchemy or its driver."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return where.explain(cause)


# SQLite


def _sqlite_file(url: URL) -> Path | None:
    if url.database in (None, "", ":memory:") or "uri" in url.query:
        return None
    return Path(str(url.database)).expanduser()


def _sqlite_check(url: URL) -> None:
    path = _sqlite_file(url)
    if path is None:
        return
    try:
        _check_file(path)
    except (OSError, ValueError) as error:
        if isinstance(error, StoreUnavailable):
            raise
        raise StoreUnavailable(f"{str(path)!r} cannot be a store: {error}") from error


def _check_file(path: Path) -> None:
    if b"\x00" in os.fsencode(path):  # the questions below answer no instead of failing
        raise ValueError("a file name holds no NUL")
    if path.is_dir():
        raise StoreUnavailable(f"{path} is a folder; name a file in it, for instance {path / 'investigator.db'}")
    if not path.parent.is_dir():
        raise StoreUnavailable(f"there is no folder {path.parent}; create it first")
    if not path.exists():
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise StoreUnavailable(f"{path.parent} may not be written to, so {path.name} cannot be created there")
        return
    if not path.is_file():
        raise StoreUnavailable(f"{path} is no regular file; name a file that is one, or that does not exist yet")
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head and head != _MAGIC:
        raise StoreUnavailable(f"{path} is not an SQLite database; nothing was changed in it")


def _sqlite_engine(url: URL) -> Engine:
    path = _sqlite_file(url)
    arguments: dict[str, Any] = {"connect_args": {"timeout": BUSY_SECONDS, "check_same_thread": False}}
    if path is None and "uri" not in url.query:
        arguments["poolclass"] = StaticPool  # every connection of its own would be an empty database of its own
    try:
        engine = create_engine(url if path is None else url.set(database=str(path)), **arguments)
    except (ArgumentError, ValueError, TypeError) as error:
        raise StoreUnavailable("the database url cannot be used; it looks like sqlite:///folder/file.db") from error
    event.listen(engine, "connect", _sqlite_connect)
    event.listen(engine, "begin", _sqlite_begin)
    return engine


def _sqlite_connect(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late and is never IMMEDIATE
    connection.execute("PRAGMA foreign_keys=ON")
    # In WAL mode NORMAL survives kill -9 but may lose the last commits with the power. A committed reply was paid
    # for and is never asked for again, so each commit is on the disk before it counts.
    connection.execute("PRAGMA synchronous=FULL")


def _sqlite_ready(engine: Engine) -> None:
    with contextlib.closing(engine.raw_connection()) as pooled:
        _write_ahead(pooled.driver_connection)


def _write_ahead(connection: Any) -> None:
    """Readers and a writer at once. The mode stays with the file; switching needs it alone, and no busy wait helps."""
    until = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return  # a file system without shared memory keeps its mode, which is slower and as safe
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY:
                return
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _sqlite_begin(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot wait for the lock: SQLite fails it at once.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


_SQLITE_ERRORS = {
    sqlite3.SQLITE_FULL: "the disk is full, so nothing of this was written; free some space and resume",
    sqlite3.SQLITE_BUSY: f"another process held the database for more than {BUSY_SECONDS} seconds; try again",
    sqlite3.SQLITE_LOCKED: "another connection of this process holds the database; try again",
    sqlite3.SQLITE_READONLY: "it may only be read, so nothing was written; check the rights of the file and its folder",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a copy",
    sqlite3.SQLITE_NOTADB: "the file is not an SQLite database",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check the rights of the file and its folder",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write; nothing of this was written",
    sqlite3.SQLITE_TOOBIG: "a text is too long for it",
}


def _sqlite_explain(error: BaseException) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, UnicodeDecodeError):
        code = sqlite3.SQLITE_CORRUPT
    if code == sqlite3.SQLITE_CONSTRAINT:
        return f"it refused a row ({error})"
    return _SQLITE_ERRORS.get(code, str(error.args[0]) if error.args else type(error).__name__)


BACKENDS: Mapping[str, Backend] = {
    "sqlite": Backend(
        file=_sqlite_file,
        check=_sqlite_check,
        engine=_sqlite_engine,
        ready=_sqlite_ready,
        insert=sqlite_insert,
        explain=_sqlite_explain,
    ),
}
DRIVERS: Mapping[str, tuple[str, ...]] = {"sqlite": ("pysqlite",)}
# What a statement may raise: numbers and texts may not fit, names in a damaged file may be no text.
FAILURES = (SQLAlchemyError, sqlite3.Error, OverflowError, UnicodeError)
