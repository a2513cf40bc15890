"""The command line. Every mistake of a person is one sentence on stderr that says what to do, and exit code 2.

Exit codes: 0 a report was written (or what was asked was shown) · 1 the run failed or paused, or a check found
something · 2 wrong usage, nothing written · 130 interrupted. Knows the public face, nothing of what is behind it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from investigator.cli_commands import COMMANDS, Interrupted
from investigator.cli_options import read
from investigator.cli_output import complain, quietly
from investigator.errors import InvestigatorError, StoreUnavailable, UsageError

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    quietly()
    try:
        options = read(sys.argv[1:] if arguments is None else arguments)
        before = _stop_like_an_interrupt()
        try:
            return COMMANDS[options.command](options)
        finally:
            if before is not None:
                signal.signal(signal.SIGTERM, before)
    except (UsageError, StoreUnavailable) as error:
        complain(error)
        return USAGE
    except InvestigatorError as error:
        complain(error)
        return FAILED
    except Interrupted as told:
        complain(told)
        return INTERRUPTED
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except SystemExit as ended:  # argparse: help, version, wrong options
        return ended.code if isinstance(ended.code, int) else USAGE


def _stop_like_an_interrupt() -> Any:
    """SIGTERM pauses a run as Ctrl-C does. Only the main thread may say so."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        return signal.signal(signal.SIGTERM, stop)
    except ValueError:
        return None
