"""The notes file: the working copy of a run's notes on disk, for people to read.

The log is the authority and the notes versions are the history; a lost file is written again from the last version.
Knows names and files. Knows nothing of databases or of what notes mean.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from investigator.errors import StoreError, UsageError

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]")
_NOTES_ID = re.compile(r"[0-9a-f]{32}")
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
LONGEST_USER = 64


def new_notes_id() -> str:
    """A random 128-bit id as 32 lower-case hex digits; made once, when a run is created."""
    return secrets.token_hex(16)


def user_part(user: str) -> str:
    """A user id, any string, as part of a file name: at most 64 of ``A-Z a-z 0-9 . _ -``; an empty one is ``anon``.

    A lone ``..`` passes. It is harmless because something stands before and after it in the name.

    >>> user_part("a/../é"), user_part("")
    ('a_..__', 'anon')
    """
    return _OUTSIDE.sub("_", user)[:LONGEST_USER] or "anon"


@dataclass(frozen=True, slots=True)
class NotesFile:
    """Notes files of one directory, which is created on the first write.

    >>> NotesFile(Path("notes")).path("ann", 7, "0" * 32).name
    'notes_ann_7_00000000000000000000000000000000.md'
    """

    directory: Path

    def path(self, user: str, run_id: int, notes_id: str) -> Path:
        """Where the notes of a run lie. Names are told apart by run and notes id, not by user."""
        if not _NOTES_ID.fullmatch(notes_id):
            raise UsageError(f"{notes_id!r} is no notes id (32 hex digits); runs without one have no notes file")
        found = Path(self.directory) / f"notes_{user_part(user)}_{int(run_id)}_{notes_id}.md"
        self._inside(found)
        return found

    def read(self, path: Path) -> str:
        """The text, exactly as it was written; '' if there is no file."""
        self._inside(path)
        try:
            handle = os.open(path, os.O_RDONLY | _NOFOLLOW)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise StoreError(f"the notes file {path} cannot be read: {error.strerror}") from error
        with os.fdopen(handle, "rb") as file:
            return file.read().decode("utf-8", "surrogatepass")

    def write(self, path: Path, text: str) -> None:
        """Replace the file as a whole: a reader sees the old text or the new one, also after a power cut."""
        self._inside(path)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._replace(path, temporary, text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise StoreError(f"the notes file {path} cannot be written: {error.strerror or error}") from error
        finally:  # also after an interrupt; once it was renamed there is none
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _replace(self, path: Path, temporary: Path, data: bytes) -> None:
        # O_EXCL and O_NOFOLLOW: nobody can have put a link in the place of the new file.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)

    def _inside(self, path: Path) -> None:
        if path.parent.resolve() != Path(self.directory).resolve():
            raise UsageError(f"{path} does not lie in the notes folder {self.directory}")


def _sync_folder(folder: Path) -> None:
    """The rename itself must reach the disk. Windows cannot open a folder for that and does not need it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
