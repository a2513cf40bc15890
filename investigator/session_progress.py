"""The line that tells how far a run is. Knows a stream and a state; a terminal takes no orders from what it shows."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

from investigator.core.blocks import one_line
from investigator.core.state import State
from investigator.core.vocab import ClaimStatus
from investigator.loops.commands import CallModel, Command, Fetch, Query, Search

EVERY = 3.0  # seconds between plain lines
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def line_progress(stream: TextIO | None = None) -> Callable[[State, Command | None], None]:
    """A watcher that keeps one line up to date on a terminal, and elsewhere writes a line every few seconds."""
    out = stream if stream is not None else sys.stderr
    tty = out.isatty()
    last = -EVERY

    def tell(state: State, command: Command | None) -> None:
        nonlocal last
        text = plain(progress_line(state, command))
        if tty:
            width = max(20, shutil.get_terminal_size().columns - 1)
            end = "\n" if command is None else ""
            _write(out, f"\r\x1b[2K{one_line(text, width)}{end}")
        elif command is None or time.monotonic() - last >= EVERY:
            last = time.monotonic()
            _write(out, f"{text}\n")

    return tell


def progress_line(state: State, command: Command | None) -> str:
    """Turn, claims, budget and what is being done, which a narrow terminal may cut, in one line."""
    claims = state.ledger.claims.values()
    verified = sum(one.status is ClaimStatus.VERIFIED for one in claims)
    turn = command.turn if isinstance(command, CallModel) else state.opened
    parts = [f"turn {turn}/{state.limits.max_iterations}"]
    parts += [f"claims {verified}/{len(claims)} verified", f"{_short(state.budget.tokens)} tokens"]
    if state.budget.cost_known and state.budget.cost_usd:
        parts.append(f"${state.budget.cost_usd:.2f}")
    return " · ".join((*parts, _doing(state, command)))


def plain(text: str) -> str:
    """Text without characters that would steer a terminal or turn its writing round.

    >>> plain("a\\x1b[31mb")
    'a[31mb'
    """
    return _CONTROL.sub("", text)


def _doing(state: State, command: Command | None) -> str:
    if isinstance(command, CallModel):
        question = state.frontier.questions.get(command.question)
        asked = one_line(question.question, 60) if question is not None else ""
        return f"{command.kind} {command.question} {asked}".strip()
    if isinstance(command, Search):
        return f"searching {one_line(command.query, 60)!r}"
    if isinstance(command, Fetch):
        return f"reading {one_line(command.url, 70)}"
    if isinstance(command, Query):
        return f"asking {one_line(command.text, 60)!r}"
    return f"{state.status}{f' ({state.stop_reason})' if state.stop_reason else ''}"


def _short(number: int) -> str:
    return f"{number / 1000:.0f} k" if number >= 10_000 else str(number)


def _write(out: TextIO, text: str) -> None:
    # Nobody may look any more, or the terminal may lack a character; neither is a reason to end a run.
    with contextlib.suppress(OSError, ValueError):
        coding = getattr(out, "encoding", None) or "utf-8"
        out.write(text.encode(coding, "replace").decode(coding))
        out.flush()
