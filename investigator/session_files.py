"""What a run leaves on disk besides its store: the working copy of its notes, and exports.

A file that cannot be written is told in the log of the process and never ends a run: the store has everything.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING

from investigator.core import events as log
from investigator.core.events import LOG_VERSION, Observed
from investigator.core.notes import notes_of, render
from investigator.core.state import State
from investigator.errors import StoreError, UnknownName, UsageError

_DATABASE = b"SQLite format 3\0"

if TYPE_CHECKING:
    from investigator.store import NotesFile, Store

FORMATS = ("jsonl",)
_log = logging.getLogger("investigator")


def version() -> str:
    """The version of this package, '' when it is not installed."""
    try:
        return installed("investigator")
    except PackageNotFoundError:
        return ""


class NotesCopy:
    """The notes file of a run. It is written at the close of a turn, for people; the run itself never reads it."""

    def __init__(self, store: Store, run_id: int) -> None:
        self._store, self._run_id = store, run_id
        self._written = (-1, "")

    @staticmethod
    def new_id() -> str:
        from investigator.store.notes_files import new_notes_id

        return new_notes_id()

    def write(self, state: State) -> None:
        """Bring the file up to the last version of the notes."""
        if self._written[0] != state.notes_seq:
            self._put(state, render(notes_of(state)))

    def restore(self, state: State) -> None:
        """Write the file again when it is missing or was changed by somebody else."""
        if state.notes_seq == 0:
            return
        text = self._written[1] if self._written[0] == state.notes_seq else render(notes_of(state))
        path = self._path(state)
        if path is None:
            return
        try:
            if self._files().read(path) == text:
                self._written = (state.notes_seq, text)
                return
        except (StoreError, ValueError):
            pass  # unreadable is different, too
        self._put(state, text)

    def _put(self, state: State, text: str) -> None:
        path = self._path(state)
        if path is None:
            return
        try:
            self._files().write(path, text)
        except OSError as error:
            _log.warning("%s; the notes are in the store, the run goes on", error)
        self._written = (state.notes_seq, text)

    def _path(self, state: State) -> Path | None:
        """None for a run without a notes id, and where the store itself lives in memory."""
        in_memory = self._store.file is None and self._store.url.get_backend_name() == "sqlite"
        if in_memory or not state.run.notes_id:
            return None
        return self._files().path(state.run.user, self._run_id, state.run.notes_id)

    def _files(self) -> NotesFile:
        from investigator.store import NotesFile

        return NotesFile(self._store.notes_directory)


def export_jsonl(store: Store, run_id: int, path: str | os.PathLike[str], form: str) -> None:
    """Write a run's log to a file, as a whole or not at all.

    Raises:
        UnknownName: no such format.
        UsageError: the file cannot be written.
    """
    if form not in FORMATS:
        raise UnknownName(f"there is no export format {str(form)[:40]!r}; choose {', '.join(FORMATS)}")
    target = _target(path)
    if target.exists() and not target.is_file():  # a pipe or a device is written to; renaming would put a file there
        _straight(store, run_id, target)
        return
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "x", encoding="ascii", newline="\n") as file:
            file.writelines(f"{line}\n" for line in log_lines(store, run_id))
        os.replace(temporary, target)
    except StoreError:
        raise
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{target} cannot be written ({why}); name a file in a folder that exists") from error
    finally:
        temporary.unlink(missing_ok=True)


def _target(path: str | os.PathLike[str]) -> Path:
    """Where a file will be; a link stays, what it leads to is written."""
    try:
        target = Path(os.path.realpath(path))
        is_folder = not os.fspath(path) or target.is_dir()
        os.stat(target.parent)
    except FileNotFoundError as error:
        raise UsageError(f"{target} cannot be written: there is no such folder; make it, or name another") from error
    except (OSError, TypeError, ValueError) as error:
        raise UsageError(f"{str(path)[:200]!r} is no name of a file ({error}); name another one") from error
    if is_folder:
        raise UsageError(f"{str(path)!r} is no file to write to; name a file")
    spare_databases(target)
    return target


def spare_databases(target: Path) -> None:
    """Refuse to write over a database, or beside one under the names that SQLite gives its own files.

    Raises:
        UsageError: it is one; the store of the run itself would be lost.
    """
    kept = Path(str(target).removesuffix("-wal").removesuffix("-shm").removesuffix("-journal"))
    try:
        # A named pipe is not opened: that would wait until somebody writes to it.
        if not kept.is_file():
            return
        with open(kept, "rb") as file:
            found = file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return  # whether it can be written is told by who writes it
    if found:
        raise UsageError(f"{target} is a database and may hold runs; name another file to write to")


def _straight(store: Store, run_id: int, target: Path) -> None:
    try:
        with open(target, "w", encoding="ascii", newline="\n") as file:
            file.writelines(f"{line}\n" for line in log_lines(store, run_id))
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror or error}); name another file") from error


def log_lines(store: Store, run_id: int) -> Iterator[str]:
    """A log as lines of ASCII JSON: a header, then one event a line; a page's text stands with the event that brought
    it first."""
    header = {"format": "investigator-log", "log_version": LOG_VERSION, "run_id": run_id, "package_version": version()}
    yield json.dumps(header)
    seen: set[str] = set()
    for one in store.events(run_id):
        line = {
            "seq": one.seq, "turn": one.turn, "worker": one.worker, "kind": one.event.kind, "at": one.at.isoformat(),
            "chain_sha256": one.chain, "event": json.loads(log.dumps(one.event)),
        }  # fmt: skip
        if isinstance(one.event, Observed) and one.event.page is not None and one.event.page.sha256 not in seen:
            seen.add(one.event.page.sha256)
            line["text"] = one.event.text
        yield json.dumps(line)
