"""What the command line prints: text without control characters for people, ASCII JSON for programs.

A reader that goes away (``| head``) ends the printing and never the run.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from investigator import cli_terminal
from investigator.core.blocks import one_line
from investigator.errors import InvestigatorError, UsageError
from investigator.session_files import spare_databases
from investigator.session_progress import plain

LONGEST = 2000  # characters of a complaint; what it repeats may be anything


def say(text: str = "") -> None:
    """Print a text to people."""
    _print(plain(text))


def say_report(markdown: str) -> None:
    """Print a report: to a person at a terminal as wrapped text, to a pipe or a file as Markdown."""
    columns = _columns()
    say(cli_terminal.shown(plain(markdown), columns) if columns else markdown)


def say_wrapped(line: str) -> None:
    """Print a line of plain text, wrapped where a person reads it at a terminal."""
    columns = _columns()
    say(cli_terminal.wrapped(plain(line), columns) if columns else line)


def tell(value: Any) -> None:
    """Print one JSON value to programs."""
    _print(json.dumps(value, ensure_ascii=True, indent=2))


def complain(reason: object) -> None:
    """One sentence on stderr."""
    line = one_line(plain(str(reason)), LONGEST)
    with contextlib.suppress(OSError, ValueError):
        print(f"investigator: {line}", file=sys.stderr, flush=True)


def quietly() -> None:
    """Characters that the terminal's coding lacks are replaced instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def check_writable(path: str | None) -> None:
    """Whether a file can be written there, before anything is begun.

    Raises:
        UsageError: its folder is missing, or it is a folder or a database.
    """
    if path is None:
        return
    target = Path(path)
    try:
        is_folder = target.is_dir()
    except OSError as error:
        raise UsageError(f"{path[:200]!r} cannot be written ({error.strerror}); name another file") from error
    if not path.strip() or is_folder:
        raise UsageError(f"{path!r} is no file to write to; name a file")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {target.absolute().parent}; make it, or name another file")
    spare_databases(target)
    if not os.access(target if target.exists() else target.absolute().parent, os.W_OK):
        raise UsageError(f"{target} cannot be written; name a file in a folder of your own")


def save(path: str | None, text: str) -> None:
    """Write a text to a file, if one was named.

    Raises:
        InvestigatorError: it cannot be written; the run itself is in its store.
    """
    if path is None:
        return
    spare_databases(Path(path))  # it may have been made since
    try:
        Path(path).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        why = error.strerror or error
        raise InvestigatorError(f"{path} cannot be written ({why}); the report is in the store") from error


def _columns() -> int:
    """The width of the terminal that is printed to; 0 when it is none."""
    try:
        return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    except ValueError:  # it is closed; printing will tell
        return 0


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except OSError as error:
        # Python would complain again when it flushes at exit.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            why = error.strerror or error
            raise InvestigatorError(f"the output cannot be written ({why}); the run is in its store") from error
