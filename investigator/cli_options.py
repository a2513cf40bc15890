"""The options of the command line: argparse's grammar, and limits read from ``--set NAME=VALUE``.

Knows words and numbers. Opens nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from investigator.core.limits import Limits
from investigator.core.vocab import Loop, Strategy
from investigator.errors import LimitError, UsageError
from investigator.session_files import FORMATS, version

_MODEL = "offline (default), or openai:NAME with the key in OPENAI_API_KEY"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; `{self.prog} --help` shows what can be given")


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its options, or `UsageError`."""
    return _parser().parse_args(arguments)


def limits(options: argparse.Namespace) -> Limits:
    """The limits of ``--narrow`` and ``--set``."""
    return (Limits.narrow() if options.narrow else Limits()).replace(**settings(options.set))


def settings(given: Sequence[str]) -> dict[str, Any]:
    """Limits as ``NAME=VALUE`` texts say them."""
    return dict(_setting(one) for one in given)


def _setting(text: str) -> tuple[str, Any]:
    name, found, value = text.partition("=")
    known = {one.name for one in dataclasses.fields(Limits)}
    name = name.strip().replace("-", "_")
    if not found or not name:
        raise LimitError(f"--set takes NAME=VALUE, for instance max_iterations=30, not {text[:80]!r}")
    if name not in known:
        raise LimitError(f"there is no limit {name[:80]!r}; the limits are {', '.join(sorted(known))}")
    if name == "strategies":
        words = tuple(one.strip() for one in value.split(",") if one.strip())
        return name, tuple(Strategy(one) if one in tuple(Strategy) else one for one in words)
    return name, _value(value.strip())


def _value(text: str) -> Any:
    if text.lower() in ("none", "null", ""):
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float) and math.isfinite(value) else text


def _parser() -> _Parser:
    parser = _Parser(prog="investigator", description="Research agents that check themselves.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"investigator {version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _demo(commands)
    _run(commands)
    runs = commands.add_parser("runs", help="list the runs of a store", allow_abbrev=False)
    _store(runs)
    _json(runs)
    show = _of_run(commands, "show", "show a run and its report")
    _json(show)
    _resume(_of_run(commands, "resume", "go on with a paused run"))
    fork = _of_run(commands, "fork", "begin a new run at the close of a turn of another, and drive it to its end")
    fork.add_argument("--turn", type=int, required=True, metavar="N", help="the last turn that both share")
    fork.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a limit from there on")
    _resume(fork)
    _json(_of_run(commands, "verify", "fold the log anew and compare it with everything stored"))
    export = _of_run(commands, "export", "write the log of a run to a file")
    export.add_argument("--format", default="jsonl", help=f"one of {', '.join(FORMATS)}")
    export.add_argument("--out", metavar="FILE", help="default: run_N.jsonl in the current folder")
    return parser


def _demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help="the bundled invented world, offline, in seconds", allow_abbrev=False)
    _store(demo)
    _json(demo)
    demo.add_argument("--out", metavar="FILE", help="write the report to this file, too")


def _run(commands: Any) -> None:
    run = commands.add_parser("run", help="investigate an objective", allow_abbrev=False)
    run.add_argument("objective", help="what is to be found out")
    world = run.add_mutually_exclusive_group()
    world.add_argument("--corpus", metavar="PATH", help="a folder or file of documents to search")
    world.add_argument("--web", metavar="WEB", help="demo (default), corpus:PATH, wikipedia or searxng:URL")
    run.add_argument("--loop", default=str(Loop.INVESTIGATIVE), help=" or ".join(Loop))
    run.add_argument("--model", metavar="MODEL", help=_MODEL)
    run.add_argument("--base-url", metavar="URL", help="server of openai:NAME; it is sent no key")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a limit; can be repeated")
    run.add_argument("--narrow", action="store_true", help="limits for small tasks")
    run.add_argument("--user", default="anon", help=argparse.SUPPRESS)
    run.add_argument("--out", metavar="FILE", help="write the report to this file, too")
    _store(run)
    _json(run)


def _resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="MODEL", help="in the place of the one it was started with")
    parser.add_argument("--base-url", metavar="URL", help="server of openai:NAME; it is sent no key")
    parser.add_argument("--web", metavar="WEB", help="in the place of the one it was started with")
    parser.add_argument("--out", metavar="FILE", help="write the report to this file, too")
    _json(parser)


def _of_run(commands: Any, name: str, told: str) -> _Parser:
    parser: _Parser = commands.add_parser(name, help=told, allow_abbrev=False)
    parser.add_argument("run", type=int, metavar="RUN", help="its number, as `investigator runs` lists it")
    _store(parser)
    return parser


def _store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", metavar="STORE", help="path or database url; default: in the user's data folder")


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON and no progress")
