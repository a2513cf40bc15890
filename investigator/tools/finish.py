"""The tools that end things: finish_exploration and finalize_report, behind their gates; and a person's set_limits."""

from __future__ import annotations

from typing import Any

from investigator.core import frontier_moves
from investigator.core.gates import exploration_gate
from investigator.core.refusal import Refusal
from investigator.core.report import check_report, render, repair, written_by_code
from investigator.core.state import State, moved
from investigator.core.values import replace
from investigator.core.vocab import Phase, RunStatus, StopReason, TurnKind
from investigator.errors import LimitError
from investigator.tools.moves import Args, Caller, Done


def finish_exploration(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """End exploration if the gate passes; else list everything that is missing."""
    if state.phase is not Phase.EXPLORATION:
        return Refusal(kind="phase", text="exploration has ended already.", instead="Call finalize_report.")
    released = _release_minor(state)
    missing = exploration_gate(released)
    if not missing:
        return Done(state=to_synthesis(released, StopReason.FINALIZED), text="exploration ended; write the report")
    text = "exploration cannot end yet: " + " ".join(f"({n}) {one}" for n, one in enumerate(missing, 1))
    if stuck(state) and caller.kind is TurnKind.CLOSING:
        state = replace(state, failed_finishes=state.failed_finishes + 1)
        if state.failed_finishes >= 2:
            return Done(
                state=to_synthesis(state, StopReason.FRONTIER_EXHAUSTED),
                text="the frontier is exhausted; write the report with what is there",
            )
        return Done(state=state, text=text, refused="gate")
    return Refusal(kind="gate", text=text)


def stuck(state: State) -> bool:
    """Whether nothing is left to do: the root is settled, no question can be worked on, no claim waits."""
    frontier = state.frontier
    return frontier.root.settled and not (frontier.actionable() or frontier.in_progress() or state.queue)


def _release_minor(state: State) -> State:
    """Release the questions in progress below gate_priority, so that they do not hold the gate shut."""
    for one in state.frontier.in_progress():
        if one.priority < state.limits.gate_priority:
            state = moved(
                state, *frontier_moves.release(state.frontier, one.id, why="exploration is to end", at=state.at)
            )
    return state


def to_synthesis(state: State, ending: StopReason) -> State:
    """Exploration is over, for this reason; workers let go of their questions."""
    for one in state.frontier.in_progress():
        state = moved(
            state, *frontier_moves.release(state.frontier, one.id, why=f"exploration ended: {ending}", at=state.at)
        )
    workers = {
        name: replace(one, current="", verifying="", unread=(), window=()) for name, one in state.workers.items()
    }
    return replace(state, phase=Phase.SYNTHESIS, ending=ending, workers=workers, queue=(), synthesis_turns=0)


def finalize_report(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Hand in the report, or send one question back to exploration."""
    if state.phase is not Phase.SYNTHESIS:
        return Refusal(
            kind="phase", text="the report is written after exploration.", instead="Call finish_exploration first."
        )
    if args.get("reopen_question_id") and caller.kind is not TurnKind.LAST:
        return _back(state, caller, args)
    text = str(args.get("report", "")).strip()
    last = caller.kind is TurnKind.LAST
    if not text:
        return (
            completed_by_code(state)
            if last
            else Refusal(kind="empty", text="the report is empty.", instead="Write it in Markdown.")
        )
    missing = check_report(state, text)
    if missing and not last:
        return Refusal(
            kind="report_gate",
            text="the report does not pass: " + " ".join(f"({n}) {one}" for n, one in enumerate(missing[:20], 1)),
        )
    if missing:
        return completed_repaired(state, text)
    return Done(state=completed(state, text, (), repaired=False), text="report accepted")


def _back(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Return to exploration with a reopened question, at most max_reopens times and never after a breaker."""
    if state.reopens >= state.limits.max_reopens:
        return Refusal(
            kind="reopens",
            text=f"exploration was reopened {state.reopens} times, the most allowed.",
            instead="State the hole as a gap in the report.",
        )
    if state.ending.startswith("breaker"):
        return Refusal(
            kind="breaker",
            text=f"{state.ending} ended exploration; it cannot go on.",
            instead="State the hole as a gap in the report.",
        )
    question_id = args["reopen_question_id"]
    done = frontier_moves.reopen(
        state.frontier,
        question_id,
        args.get("why", "") or "the report needs it",
        actor=caller.actor,
        caused_by="",
        at=state.at,
    )
    if isinstance(done, Refusal):
        return done
    state = moved(state, *done)
    return Done(
        state=replace(
            state,
            phase=Phase.EXPLORATION,
            ending=StopReason.NONE,
            reopens=state.reopens + 1,
            synthesis_turns=0,
            failed_finishes=0,
            stalled=0,
        ),
        text=f"{question_id} reopened; exploration goes on",
    )


def completed(state: State, text: str, changes: tuple[str, ...], *, repaired: bool) -> State:
    """The run is over with this report."""
    reason = state.ending or StopReason.FINALIZED
    state = replace(state, model_report=text, repaired=repaired, status=RunStatus.COMPLETED, stop_reason=reason)
    return replace(state, report=render(state, text, changes))


def completed_repaired(state: State, text: str) -> Done:
    """On the last turn a failing report is repaired, never thrown away."""
    fixed, changes = repair(state, text)
    return Done(state=completed(state, fixed, changes, repaired=True), text="report repaired by code and stored")


def completed_by_code(state: State) -> Done:
    """Code writes the report from answers and claims."""
    text = written_by_code(state)
    changes = ("The model wrote no report; code wrote this one from the recorded answers and claims.",)
    return Done(state=completed(state, text, changes, repaired=True), text="report written by code")


def set_limits(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """A person changes limits; they hold from here on."""
    if not caller.human:
        return Refusal(kind="person_only", text="only a person changes limits.")
    wanted = {name: tuple(one) if isinstance(one, list) else one for name, one in args["limits"].items()}
    try:
        limits = state.limits.replace(**wanted)
    except (LimitError, TypeError) as error:
        return Refusal(kind="limit", text=str(error))
    changed = replace(state, limits=limits, limits_changed=True)
    return Done(state=changed, text="limits changed: " + ", ".join(sorted(wanted)))


HANDLERS: dict[str, Any] = {
    "finish_exploration": finish_exploration,
    "finalize_report": finalize_report,
    "set_limits": set_limits,
}
