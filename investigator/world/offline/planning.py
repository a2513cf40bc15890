"""How an objective becomes sub-questions.

Knows the words of objectives; must not know pages or claims.
"""

from __future__ import annotations

import re
from typing import Any

from investigator.core.blocks import one_line
from investigator.core.text import fold
from investigator.world.offline.analysis import Kind, analyse
from investigator.world.offline.questions import split
from investigator.world.offline.recording import is_timeless
from investigator.world.offline.seeing import Move, Sight
from investigator.world.offline.values import typed

FURTHER = "Which conditions, exceptions or later changes bear on this: "
_CRITERIA = {
    Kind.DATE: "Confirmed by two independent pages with the same date; refuted by a correction or an earlier record.",
    Kind.PERSON: "Confirmed by two independent pages that name the same person; refuted by pages that name another.",
    Kind.PLACE: "Confirmed by two independent pages with the same place; refuted by pages that give another.",
    Kind.TEXT: "Answered when passages state it outright; refuted by a passage that states the contrary.",
    Kind.YES_NO: "Confirmed by a passage that says so; refuted by one that denies it or names an exception.",
}
_VALUE = "Confirmed by two independent pages with the same value; refuted by a later page with another."


def planning(sight: Sight) -> list[Move]:
    """The sub-questions of the objective and the end of planning, in one reply."""
    if sight.summary.questions > 1 or sight.calls("add_question", 1):
        return [("frontier_next", {})]
    told = sight.asked.get("subquestions", "")
    most = max(1, int(told)) if told.isdecimal() else 5
    parts = split(sight.objective)[:most]
    moves = [_added(one, 0.9 - 0.05 * at) for at, one in enumerate(parts)]
    if len(parts) == 1 and fold(parts[0]) == fold(sight.objective):
        # A child may not ask what the root asks word for word, so the direct question names its day or its ground.
        moves = [_added(direct_child(sight.objective, sight.date), 0.9)]
        further = _added(FURTHER + one_line(sight.objective, 420), 0.6)
        further[1]["depends_on"] = [f"q_{max(1, sight.summary.questions) + 1:03}"]
        moves += [further] if most > 1 else []
    return [*moves, ("frontier_next", {})]


def direct_child(objective: str, date: str) -> str:
    """An atomic objective as a sub-question of itself.

    >>> direct_child("What is the toll?", "2026-03-01"), direct_child("Who built Acme Hall?", "2026-03-01")
    ('What is the toll, as of March 2026?', 'Who built Acme Hall, as documented?')
    """
    asked = one_line(objective, 420).rstrip(" ?.")
    if typed(analyse(objective)) and not is_timeless(objective) and re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        return f"{asked}, as of {_MONTHS[int(date[5:7]) - 1]} {date[:4]}?"
    return f"{asked}, as documented?"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_GROUND = re.compile(r", as (?:documented|of [A-Z][a-z]+ \d{4})\?$")


def direct_question(question: str, objective: str) -> str:
    """The plain question behind a sub-question of ours, uncut: what it asks pages.

    >>> direct_question("Which conditions, exceptions or later changes bear on this: When did", "When did Acme open?")
    'When did Acme open?'
    """
    if question.startswith(FURTHER) or _GROUND.search(question):
        return objective
    whole = next((one for one in split(objective) if len(question) > 60 and one.startswith(question)), "")
    return whole or (
        objective if len(question) > 60 and objective.startswith(question[: len(objective) - 2]) else question
    )


def _added(question: str, priority: float) -> tuple[str, dict[str, Any]]:
    plain = _GROUND.sub("?", question.removeprefix(FURTHER))
    asked = analyse(plain)
    criteria = _CRITERIA.get(asked.kind, _VALUE if typed(asked) else _CRITERIA[Kind.TEXT])
    why = "It is a part of the objective." if not question.startswith(FURTHER) else "It could change the answer."
    if typed(asked) and not is_timeless(plain):
        criteria += " Of dated pages the latest holds."
    return ("add_question", {
        "question": one_line(question, 490), "kind": "query", "rationale": why, "validation_criteria": criteria,
        "priority": round(max(0.5, priority), 2),
    })  # fmt: skip
