"""Transitions of a question, as one table. The state diagram of the docs is drawn from it; every change uses it.

Knows statuses, triggers and actors. Does not know why anyone makes a move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from investigator.core.ids import QuestionId
from investigator.core.vocab import Actor, QuestionStatus, Trigger

_S = QuestionStatus
NEW = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Which changes a trigger may make, and who may pull it. ``human_from``: where a person may start too."""

    meaning: str
    moves: Mapping[str, QuestionStatus]
    actors: frozenset[Actor]
    human_from: frozenset[QuestionStatus] = frozenset()


def _actors(*names: Actor) -> frozenset[Actor]:
    return frozenset(names)


_A, _C, _H = Actor.AGENT, Actor.CODE, Actor.HUMAN

# The root is the exception that the moves know: it is created in_progress, and reopened to in_progress.
TABLE: Mapping[Trigger, Rule] = {
    Trigger.CREATED: Rule(
        meaning="it is asked: at the start of the run, by add_question, or by code to settle a contradiction",
        moves={NEW: _S.PENDING},
        actors=_actors(_A, _C, _H),
    ),
    Trigger.SELECTED: Rule(
        meaning="it is the most urgent one that needs nothing open, and a worker takes it",
        moves={_S.PENDING: _S.IN_PROGRESS},
        actors=_actors(_C),
    ),
    Trigger.RELEASED: Rule(
        meaning="its worker was lost, or exploration ends and its priority does not hold the gate",
        moves={_S.IN_PROGRESS: _S.PENDING},
        actors=_actors(_C),
    ),
    Trigger.DEPENDENCY_ADDED: Rule(
        meaning="it waits for a child that was asked with blocks_parent",
        moves={_S.IN_PROGRESS: _S.PENDING},
        actors=_actors(_A, _H),
    ),
    Trigger.RETRY: Rule(
        meaning="nothing conclusive was found; another query will be tried",
        moves={_S.IN_PROGRESS: _S.PENDING},
        actors=_actors(_A, _H),
    ),
    Trigger.RESOLVED: Rule(
        meaning="it is answered by claims",
        moves={_S.IN_PROGRESS: _S.RESOLVED},
        actors=_actors(_A, _H),
        human_from=frozenset({_S.PENDING, _S.BLOCKED}),
    ),
    Trigger.EXHAUSTED: Rule(
        meaning="max_attempts were made in vain; an assumption stands in for an answer",
        moves={_S.IN_PROGRESS: _S.UNRESOLVABLE},
        actors=_actors(_C),
    ),
    Trigger.REOPENED: Rule(
        meaning="a later finding, a refutation or the report needs it again",
        moves={_S.RESOLVED: _S.PENDING, _S.UNRESOLVABLE: _S.PENDING},
        actors=_actors(_A, _C, _H),
    ),
    Trigger.BLOCKED: Rule(
        meaning="a question that it needs is pruned or unresolvable",
        moves={_S.PENDING: _S.BLOCKED},
        actors=_actors(_C),
    ),
    Trigger.UNBLOCKED: Rule(
        meaning="it needs no dead question any more",
        moves={_S.BLOCKED: _S.PENDING},
        actors=_actors(_C),
    ),
    Trigger.PRUNED: Rule(
        meaning="its answer, and what stands below it, would not alter the conclusion",
        moves={_S.PENDING: _S.PRUNED, _S.BLOCKED: _S.PRUNED, _S.IN_PROGRESS: _S.PRUNED},
        actors=_actors(_A, _C, _H),
    ),
    Trigger.REPRIORITIZED: Rule(
        meaning="it is more or less urgent now; raised too where a more urgent question needs it",
        moves={status: status for status in _S},
        actors=_actors(_A, _C, _H),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One change of a question, never updated afterwards. ``seq`` is 1..n per question without gaps."""

    question_id: QuestionId
    seq: int
    from_status: str
    to_status: QuestionStatus
    trigger: Trigger
    actor: Actor
    reason: str = ""
    priority: float
    attempts: int
    caused_by: str = ""


class IllegalTransition(ValueError):
    """A move outside the table: a bug of the caller, never shown to a model."""


def target(trigger: Trigger, from_status: str, actor: Actor, root: bool) -> QuestionStatus:
    """The status that ``trigger`` leads to; raises `IllegalTransition` and nothing happens where the table has no row.

    >>> target(Trigger.SELECTED, "pending", Actor.CODE, root=False)
    <QuestionStatus.IN_PROGRESS: 'in_progress'>
    """
    rule = TABLE[trigger]
    if actor not in rule.actors:
        raise IllegalTransition(f"{actor} may not make the move {trigger}")
    if root and trigger in (Trigger.CREATED, Trigger.REOPENED) and from_status in rule.moves:
        return QuestionStatus.IN_PROGRESS
    if root and trigger not in (Trigger.RESOLVED, Trigger.EXHAUSTED, Trigger.REPRIORITIZED):
        raise IllegalTransition(f"the root cannot be {trigger}")
    if from_status in rule.moves:
        return rule.moves[from_status]
    if actor is Actor.HUMAN and from_status in rule.human_from:
        return next(iter(rule.moves.values()))
    raise IllegalTransition(f"no move {trigger} from {from_status or 'nothing'}")


def diagram() -> str:
    """The table as a Mermaid state diagram, for the docs."""
    lines = ["stateDiagram-v2"]
    for trigger, rule in TABLE.items():
        if trigger is Trigger.REPRIORITIZED:
            continue
        for start, end in rule.moves.items():
            who = "/".join(sorted(rule.actors))
            lines.append(f"    {start or '[*]'} --> {end}: {trigger} ({who})")
        for start in sorted(rule.human_from):
            lines.append(f"    {start} --> {next(iter(rule.moves.values()))}: {trigger} (human)")
    return "\n".join(lines) + "\n"
