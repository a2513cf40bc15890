"""Which tools a turn offers, and the one way to call one: nothing outside a turn's list is callable in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from investigator.core.refusal import Refusal
from investigator.core.state import State
from investigator.core.vocab import Loop, TurnKind
from investigator.core.wire import ToolSpec
from investigator.errors import CorruptLog
from investigator.tools import challenges, finish, frontier, notes, notes_update, outside
from investigator.tools.calls import validate
from investigator.tools.moves import Args, Caller, Done, Handler, Outward
from investigator.tools.specs import BY_NAME

FRONTIER = (
    "frontier_next",
    "frontier_view",
    "add_question",
    "resolve_question",
    "retry_question",
    "reopen_question",
    "set_priority",
    "prune_branch",
)
NOTES = ("notes_read", "notes_append", "notes_update", "notes_scratch")
CHALLENGES = ("challenge", "record_challenge_result", "challenges_view")
OUTSIDE = ("web_search", "fetch_page", "query")
_EXPLORING = (*FRONTIER, *NOTES, *CHALLENGES, *OUTSIDE, "finish_exploration")

OFFERED: Mapping[TurnKind, tuple[str, ...]] = {
    TurnKind.PLANNING: (*FRONTIER, *NOTES),
    TurnKind.EXTRACTION: NOTES,
    TurnKind.CONSOLIDATION: NOTES,
    TurnKind.RESEARCHING: _EXPLORING,
    TurnKind.VERIFYING: _EXPLORING,
    TurnKind.CLOSING: _EXPLORING,
    TurnKind.SYNTHESIZING: ("notes_read", "frontier_view", "finalize_report"),
    TurnKind.LAST: ("finalize_report",),
}
HANDLERS: Mapping[str, Handler] = {
    **frontier.HANDLERS,
    **notes.HANDLERS,
    **notes_update.HANDLERS,
    **challenges.HANDLERS,
    **finish.HANDLERS,
}


def for_turn(kind: TurnKind, *, loop: Loop = Loop.INVESTIGATIVE, knowledge: bool = False) -> tuple[ToolSpec, ...]:
    """The tools of a turn, in a fixed order, so that the prompt's beginning stays the same bytes.

    >>> [spec.name for spec in for_turn(TurnKind.LAST)]
    ['finalize_report']
    """
    if loop is Loop.SIMPLE:
        names: tuple[str, ...] = () if kind is TurnKind.LAST else OUTSIDE
    else:
        names = OFFERED[kind]
    return tuple(BY_NAME[name] for name in names if name != "query" or knowledge)


def call(state: State, caller: Caller, name: str, args: Args) -> Done | Outward | Refusal:
    """Carry out one call; an outside call that may go out comes back as `Outward`."""
    refused = _refuse_name(state, caller, name)
    if refused is not None:
        return refused
    valid = validate(BY_NAME[name], args)
    if isinstance(valid, str):
        return Refusal(kind="arguments", text=valid)
    if name in outside.PREPARE:
        prepared: Done | Outward | Refusal = outside.PREPARE[name](state, caller, valid)
        return prepared
    return HANDLERS[name](state, caller, valid)


def let_out(name: str, arguments: str) -> dict[str, Any]:
    """The arguments (JSON text) of an outside call that waits for the world.

    Raises `CorruptLog` if its tool does not allow them: they were checked before the call went out.
    """
    args = validate(BY_NAME[name], json.loads(arguments))
    if isinstance(args, str):
        raise CorruptLog(f"a call of {name} waits for the world, but {args}")
    return args


def _refuse_name(state: State, caller: Caller, name: str) -> Refusal | None:
    if caller.human:
        known = name in BY_NAME
        return (
            None
            if known
            else Refusal(
                kind="unknown_tool", text=f"there is no tool {name!r}.", instead=f"Tools: {', '.join(BY_NAME)}."
            )
        )
    known, loop = state.run.world.knowledge, state.run.loop
    # Without a turn there is nothing to call.
    offered = [] if caller.kind is None else [one.name for one in for_turn(caller.kind, loop=loop, knowledge=known)]
    if name in offered:
        return None
    if caller.kind is TurnKind.PLANNING and name in (*OUTSIDE, *CHALLENGES, "finish_exploration"):
        return Refusal(
            kind="plan_first",
            text=f"{name} is not offered while planning: plan first.",
            instead="Add sub-questions with add_question, then call frontier_next.",
        )
    return Refusal(
        kind="not_offered",
        text=f"{name} cannot be called in a turn of kind {caller.kind}.",
        instead=f"Callable now: {', '.join(offered) or 'nothing; answer in text'}.",
    )
