"""Dependencies between questions: edges, the floor they put under priorities, blocking. They always form a DAG.

Moves like those of `frontier_moves`, which passes these names on; here is what concerns edges and priorities only.
"""

from __future__ import annotations

from investigator.core.frontier import DEAD, Frontier, Question, move
from investigator.core.refusal import Refusal
from investigator.core.transitions import Transition
from investigator.core.values import replace
from investigator.core.vocab import Actor, QuestionStatus, Trigger

Moved = tuple[Frontier, tuple[Transition, ...]]


def add_edge(frontier: Frontier, dependant: str, dependency: str, *, at: str) -> Moved | Refusal:
    """Let ``dependant`` need ``dependency``, unless that closes a cycle."""
    if dependency in frontier.needs.get(dependant, ()):
        return frontier, ()
    if dependant == dependency or frontier.reaches(dependency, dependant):
        return cycle(dependant)
    needs = (*frontier.needs.get(dependant, ()), dependency)
    return floor_dependencies(replace(frontier, needs={**frontier.needs, dependant: needs}), dependant, at=at)


def drop_edges(frontier: Frontier, dependency: str) -> Frontier:
    """Nobody needs this question any more."""
    needs = {
        one: kept
        for one, before in frontier.needs.items()
        if (kept := tuple(need for need in before if need != dependency))
    }
    return replace(frontier, needs=needs)


def floor_dependencies(frontier: Frontier, question_id: str, *, at: str) -> Moved:
    """Raise every open dependency, near and far, to at least the priority of what needs it."""
    made: list[Transition] = []
    stack = [question_id]
    while stack:
        dependant = frontier.questions[stack.pop()]
        for one in frontier.needs.get(dependant.id, ()):
            need = frontier.questions[one]
            if need.settled or need.priority >= dependant.priority:
                continue
            frontier, raised = reprioritize(
                frontier, need, dependant.priority, Actor.CODE, "needed by " + dependant.id, dependant.id, at
            )
            made.append(raised)
            stack.append(one)
    return frontier, tuple(made)


def reprioritize(
    frontier: Frontier, question: Question, priority: float, actor: Actor, why: str, caused_by: str, at: str
) -> tuple[Frontier, Transition]:
    changed = replace(question, priority=priority)
    return move(frontier, changed, Trigger.REPRIORITIZED, actor=actor, at=at, reason=why, caused_by=caused_by)


def set_priority(
    frontier: Frontier, question_id: str, priority: float, why: str, *, actor: Actor, at: str
) -> Moved | Refusal:
    """Change a priority; raising it raises the floor of the dependencies."""
    question = frontier.questions.get(question_id)
    if question is None:
        return unknown(question_id)
    if question.settled:
        return Refusal(
            kind="settled",
            text=f"{question_id} is {question.status}; its priority no longer matters.",
            instead="Reopen it if it has to be worked on.",
        )
    if question.priority == priority:
        return Refusal(kind="no_change", text=f"{question_id} has priority {priority:g} already.")
    frontier, changed = reprioritize(frontier, question, priority, actor, why, "", at)
    frontier, raised = floor_dependencies(frontier, question_id, at=at)
    return frontier, (changed, *raised)


def reblock(frontier: Frontier, *, at: str) -> Moved:
    """Block pending questions with a dead dependency, unblock blocked ones without."""
    made: list[Transition] = []
    for one in tuple(frontier.needs):
        question = frontier.questions[one]
        dead = next((need for need in frontier.needs[one] if frontier.questions[need].status in DEAD), "")
        if question.status is QuestionStatus.PENDING and dead:
            why = f"{dead} is {frontier.questions[dead].status}"
            frontier, moved = move(
                frontier,
                replace(question, reason=why),
                Trigger.BLOCKED,
                actor=Actor.CODE,
                at=at,
                reason=why,
                caused_by=dead,
            )
            made.append(moved)
        elif question.status is QuestionStatus.BLOCKED and not dead:
            cause = frontier.needs[one][0]
            frontier, moved = move(
                frontier,
                replace(question, reason=""),
                Trigger.UNBLOCKED,
                actor=Actor.CODE,
                at=at,
                reason="no dead dependency is left",
                caused_by=cause,
            )
            made.append(moved)
    blocked_free = [q for q in frontier if q.status is QuestionStatus.BLOCKED and not frontier.needs.get(q.id)]
    for question in blocked_free:
        frontier, moved = move(
            frontier,
            replace(question, reason=""),
            Trigger.UNBLOCKED,
            actor=Actor.CODE,
            at=at,
            reason="no dead dependency is left",
        )
        made.append(moved)
    return frontier, tuple(made)


def unknown(question_id: str) -> Refusal:
    """The refusal for an id that is no question."""
    return Refusal(
        kind="unknown_question",
        text=f"there is no question {question_id!r}.",
        instead="Use an id shown by frontier_view.",
    )


def cycle(question_id: str) -> Refusal:
    return Refusal(
        kind="cycle",
        text=f"this dependency would close a cycle through {question_id}.",
        instead="Leave the dependency out.",
    )
