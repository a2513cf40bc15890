"""How an objective becomes sub-questions.

Knows the words of objectives; must not know pages or claims.
"""

from __future__ import annotations

from typing import Any

from investigator.core.blocks import one_line
from investigator.core.text import fold
from investigator.world.offline.analysis import Kind, analyse
from investigator.world.offline.questions import split
from investigator.world.offline.recording import is_timeless
from investigator.world.offline.seeing import Move, Sight
from investigator.world.offline.values import typed

DIRECT = "According to the documents: "
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
    most = int(sight.asked.get("subquestions") or 5) if (sight.asked.get("subquestions") or "5").isdecimal() else 5
    parts = split(sight.objective)[:most]
    moves = [_added(one, 0.9 - 0.05 * at) for at, one in enumerate(parts)]
    if len(parts) == 1 and most > 1 and fold(parts[0]) == fold(sight.objective):
        # A child may not ask what the root asks word for word: the objective itself is the root's.
        asked = one_line(sight.objective, 420)
        moves = [_added(DIRECT + asked, 0.9)]
        further = _added(FURTHER + asked, 0.6)
        further[1]["depends_on"] = [f"q_{max(1, sight.summary.questions) + 1:03}"]
        moves.append(further)
    return [*moves, ("frontier_next", {})]


def direct_question(question: str, objective: str) -> str:
    """The plain question behind a sub-question of ours, uncut: what it asks pages.

    >>> direct_question("Which conditions, exceptions or later changes bear on this: When did", "When did Acme open?")
    'When did Acme open?'
    """
    if question.startswith((FURTHER, DIRECT)):
        return objective
    return next((one for one in split(objective) if len(question) > 60 and one.startswith(question)), question)


def _added(question: str, priority: float) -> tuple[str, dict[str, Any]]:
    plain = question.removeprefix(FURTHER).removeprefix(DIRECT)
    asked = analyse(plain)
    criteria = _CRITERIA.get(asked.kind, _VALUE if typed(asked) else _CRITERIA[Kind.TEXT])
    why = "It is a part of the objective." if not question.startswith(FURTHER) else "It could change the answer."
    if typed(asked) and not is_timeless(plain):
        criteria += " Of dated pages the latest holds."
    return ("add_question", {
        "question": one_line(question, 490), "kind": "query", "rationale": why, "validation_criteria": criteria,
        "priority": round(max(0.5, priority), 2),
    })  # fmt: skip
