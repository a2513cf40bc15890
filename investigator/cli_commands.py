"""The commands. Each checks what it was given, does its work through the public face, and returns its exit code."""

from __future__ import annotations

import json
import shlex
import shutil
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from investigator import session
from investigator.cli_options import limits, settings
from investigator.cli_output import check_writable, complain, save, say, say_report, say_wrapped, tell
from investigator.cli_results import facts, happened, listed, result
from investigator.core.blocks import counted, one_line
from investigator.core.vocab import RunStatus
from investigator.errors import StoreError
from investigator.session import Investigation
from investigator.session_opening import find_store

OK, FAILED = 0, 1


class Interrupted(Exception):
    """A run was interrupted; the text says how to go on."""


def demo(options: Namespace) -> int:
    """The bundled world, offline; then what to look at."""
    from investigator.world.synthetic import DEMO_OBJECTIVE

    check_writable(options.out)
    with session.investigate(DEMO_OBJECTIVE, web="demo", store=options.store) as inv:
        code = _drive(inv, options)
        if not options.json:
            _look_further(inv, options)
    return code


def run(options: Namespace) -> int:
    """Investigate an objective."""
    check_writable(options.out)
    web = options.web if options.corpus is None else f"corpus:{options.corpus}"
    with session.investigate(
        options.objective, loop=options.loop, model=options.model, web=web, store=options.store,
        limits=limits(options), user=options.user, base_url=options.base_url,
    ) as inv:  # fmt: skip
        return _drive(inv, options)


def resume(options: Namespace) -> int:
    """Go on with a run."""
    check_writable(options.out)
    with _opened(options) as inv:
        return _drive(inv, options)


def fork(options: Namespace) -> int:
    """Begin a new run at the close of a turn, and drive it."""
    check_writable(options.out)
    with _opened(options) as parent, parent.fork(options.turn, limits=settings(options.set)) as inv:
        return _drive(inv, options)


def runs(options: Namespace) -> int:
    """List the runs of a store."""
    store = find_store(options.store)
    found = []
    if store is not None:
        with store:
            found = [listed(row) for row in store.runs()]
    if options.json:
        tell(found)
        return OK
    wide = shutil.get_terminal_size((160, 24)).columns
    for one in found:
        ended = f" ({one['stop_reason']})" if one["stop_reason"] else ""
        begun = one["created_at"][:16].replace("T", " ")
        line = f"{one['run_id']:>4}  {begun}  {counted(one['turns'], 'turn'):>9}  {one['status']}{ended}  "
        say(line + one_line(one["objective"], max(20, wide - len(line))))
    if not found:
        say("There are no runs yet; `investigator demo` makes one.")
    return OK


def show(options: Namespace) -> int:
    """A run and its report."""
    with session.open_run(options.run, store=options.store) as inv:
        if options.json:
            tell(result(inv))
            return OK
        for line in facts(inv):
            say_wrapped(line)
        say()
        say_report(str(inv.report))
        _on_the_way(inv)
    return OK


def verify(options: Namespace) -> int:
    """Compare the log with everything that follows from it."""
    found = session.verify(options.run, store=options.store)
    if options.json:
        tell({"run_id": options.run, "ok": not found, "differences": found})
    else:
        for line in found:
            say_wrapped(line)
        say(f"run {options.run}: {counted(len(found), 'difference') if found else 'log, tables and notes agree'}")
    return FAILED if found else OK


def export(options: Namespace) -> int:
    """Write the log of a run to a file."""
    path = f"run_{options.run}.{options.format}" if options.out is None else options.out
    check_writable(options.out)
    with session.open_run(options.run, store=options.store) as inv:
        inv.export(path, format=options.format)
    say(f"written to {Path(path)}")
    return OK


COMMANDS: Mapping[str, Callable[[Namespace], int]] = {
    "demo": demo,
    "run": run,
    "runs": runs,
    "show": show,
    "resume": resume,
    "fork": fork,
    "verify": verify,
    "export": export,
}


def _opened(options: Namespace) -> Investigation:
    return session.open_run(
        options.run, store=options.store, model=options.model, web=options.web, base_url=options.base_url
    )


def _drive(inv: Investigation, options: Namespace) -> int:
    """To the end, then the report; whatever stops it, the reason and how to go on are on stderr."""
    try:
        report = inv.run(progress=not options.json)
    except StoreError as error:
        complain(error)
        return FAILED
    if options.json:
        tell(result(inv))
    elif report:
        say_report(report.markdown)
    if report:
        save(options.out, report.markdown)
    state = inv.state
    if state.status is RunStatus.COMPLETED:
        return OK
    if inv.interrupted:
        told = f"run {inv.run_id} is paused after turn {state.turn}, nothing is lost"
        raise Interrupted(f"{told}; go on with: {_again(inv, options)}")
    if state.status is RunStatus.PAUSED:
        complain(f"run {inv.run_id} is paused: {state.error or 'it was asked to'}; go on with: {_again(inv, options)}")
    else:
        complain(f"run {inv.run_id} {state.status}: {state.error or state.stop_reason or 'it did not come to its end'}")
    return FAILED


def _again(inv: Investigation, options: Namespace) -> str:
    return f"investigator resume {inv.run_id}{_where(options)}"


def _where(options: Namespace) -> str:
    return f" --store {shlex.quote(options.store)}" if options.store else ""


def _on_the_way(inv: Investigation) -> None:
    lines = list(happened(inv))
    if lines:
        say("---")
        say("What happened on the way:")
    for line in lines:
        say_wrapped(f"- {line}")


def _look_further(inv: Investigation, options: Namespace) -> None:
    _on_the_way(inv)
    say()
    say("Look further:")
    say(f"  investigator show {inv.run_id}{_where(options)}")
    say(f"  investigator verify {inv.run_id}{_where(options)}")
    where = f", store={json.dumps(options.store)}" if options.store else ""
    code = f"import investigator as iv; print(iv.open_run({inv.run_id}{where}).challenges)"
    say(f"  python -c {shlex.quote(code)}")
