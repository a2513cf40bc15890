"""Moves on the frontier. Each returns the new frontier and the transitions it made, or a `Refusal`.

The rules are those of the design's frontier section; every status change goes through `frontier.move`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.core.dependencies import (
    Moved,
    add_edge,
    cycle,
    drop_edges,
    floor_dependencies,
    reblock,
    reprioritize,
    set_priority,
    unknown,
)
from investigator.core.frontier import Frontier, Question, log_attempt, move, put
from investigator.core.ids import ROOT, next_question_id
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.text import fold
from investigator.core.transitions import Transition
from investigator.core.values import replace
from investigator.core.vocab import Actor, AttemptKind, QuestionKind, QuestionStatus, Trigger

REOPENED_PRIORITY = 0.9
DEPTH_CAP = "pruned by depth cap; record it as an open gap in notes instead"


def start(objective: str, at: str) -> Moved:
    """A frontier with the root in progress."""
    root = Question(id=ROOT, question=objective, created_at=at)
    frontier, transition = move(Frontier(), root, Trigger.CREATED, actor=Actor.CODE, at=at, reason="run started")
    return replace(frontier, folded={fold(objective): ROOT}), (transition,)


def add(
    frontier: Frontier,
    *,
    parent_id: str,
    text: str,
    kind: QuestionKind = QuestionKind.QUERY,
    rationale: str = "",
    criteria: str = "",
    priority: float = 0.5,
    target_sources: Sequence[str] = (),
    depends_on: Sequence[str] = (),
    blocks_parent: bool = False,
    actor: Actor,
    caused_by: str = "",
    limits: Limits,
    at: str,
) -> tuple[Frontier, Question, tuple[Transition, ...]] | Refusal:
    """Add a child of ``parent_id``. The transitions include those of the parent and of raised dependencies."""
    refused = _refuse_add(frontier, parent_id, text, depends_on, limits)
    if refused is not None:
        return refused
    parent = frontier.questions[parent_id]
    blocks = blocks_parent and parent_id != ROOT
    if blocks and parent.status not in (QuestionStatus.IN_PROGRESS, QuestionStatus.PENDING):
        return Refusal(
            kind="parent_settled",
            text=f"{parent_id} is {parent.status}; nothing can block it.",
            instead="Add the question without blocks_parent.",
        )
    if blocks and any(one == parent_id or frontier.reaches(one, parent_id) for one in depends_on):
        return cycle(parent_id)
    question = Question(
        id=next_question_id(frontier.questions),
        parent_id=parent_id,
        depth=parent.depth + 1,
        seq=len(frontier.questions) + 1,
        kind=kind,
        question=text,
        rationale=rationale,
        validation_criteria=criteria,
        target_sources=tuple(target_sources),
        created_at=at,
        priority=max(priority, parent.priority) if blocks else priority,
    )
    needs = tuple(dict.fromkeys(depends_on))
    frontier, created = move(
        frontier, question, Trigger.CREATED, actor=actor, at=at, reason=rationale, caused_by=caused_by or parent_id
    )
    frontier = replace(
        frontier,
        children={**frontier.children, parent_id: (*frontier.children.get(parent_id, ()), question.id)},
        folded={**frontier.folded, fold(text): question.id},
        needs={**frontier.needs, question.id: needs} if needs else frontier.needs,
    )
    made = [created]
    frontier, raised = floor_dependencies(frontier, question.id, at=at)
    made.extend(raised)
    if blocks:
        frontier, blocked = _block_parent(frontier, parent, question, actor, at)
        made.extend(blocked)
    return frontier, frontier.questions[question.id], tuple(made)


def _refuse_add(
    frontier: Frontier, parent_id: str, text: str, depends_on: Sequence[str], limits: Limits
) -> Refusal | None:
    if parent_id not in frontier.questions:
        return unknown(parent_id)
    parent = frontier.questions[parent_id]
    if parent.status is QuestionStatus.PRUNED:
        return Refusal(kind="pruned", text=f"{parent_id} is pruned.", instead="Add the question under a live one.")
    if not fold(text):
        return Refusal(kind="empty", text="a question needs a text.")
    if parent.depth + 1 > limits.max_depth:
        return Refusal(kind="depth_cap", text=DEPTH_CAP)
    twin = frontier.duplicate_of(text)
    if twin:
        return Refusal(
            kind="duplicate",
            text=f"{twin} asks the same ({frontier.questions[twin].status}).",
            instead=f"Work with {twin}, or ask something different.",
        )
    if len(frontier.questions) >= limits.max_questions:
        return Refusal(
            kind="question_cap",
            text=f"the run has {len(frontier.questions)} questions, the most allowed.",
            instead="Record it as an open gap in notes.",
        )
    for one in depends_on:
        if one not in frontier.questions:
            return unknown(one)
        if one in (ROOT, parent_id) or one in frontier.ancestors(parent_id):
            return Refusal(
                kind="cycle",
                text=f"a question cannot depend on {one}, the root or an ancestor.",
                instead="Depend on a question that can be answered before.",
            )
    return None


def _block_parent(frontier: Frontier, parent: Question, child: Question, actor: Actor, at: str) -> Moved:
    needs = (*frontier.needs.get(parent.id, ()), child.id)
    frontier = replace(frontier, needs={**frontier.needs, parent.id: needs})
    if parent.status is not QuestionStatus.IN_PROGRESS:
        return frontier, ()
    waiting = replace(frontier.questions[parent.id], worker="")
    who = actor if actor is not Actor.CODE else Actor.AGENT
    frontier, one = move(
        frontier, waiting, Trigger.DEPENDENCY_ADDED, actor=who, at=at, reason=f"waits on {child.id}", caused_by=child.id
    )
    return frontier, (one,)


def select(frontier: Frontier, *, worker: str, at: str) -> tuple[Frontier, Question, tuple[Transition, ...]] | None:
    """Take the next question by the selection rule; None when nothing can be taken."""
    vain: set[str] = set()
    for rank in frontier.pending:
        path = _path_to_takeable(frontier, rank[3], vain)
        if not path:
            continue
        made: list[Transition] = []
        floor = frontier.questions[rank[3]].priority
        for one in path[1:]:
            need = frontier.questions[one]
            if need.priority < floor:
                frontier, raised = reprioritize(frontier, need, floor, Actor.CODE, f"needed by {rank[3]}", rank[3], at)
                made.append(raised)
        taken = replace(frontier.questions[path[-1]], worker=worker)
        frontier, selected = move(frontier, taken, Trigger.SELECTED, actor=Actor.CODE, at=at)
        return frontier, frontier.questions[taken.id], (*made, selected)
    return None


def _path_to_takeable(frontier: Frontier, question_id: str, vain: set[str]) -> tuple[str, ...]:
    """From a pending question to the first of its closure that can be taken; () if none. ``vain``: tried before."""
    question = frontier.questions[question_id]
    if question.status is not QuestionStatus.PENDING or question_id in vain:
        return ()
    vain.add(question_id)
    waits = frontier.waits_on(question_id)
    if not waits:
        return (question_id,)
    for one in sorted(waits, key=lambda need: frontier.questions[need].rank):
        path = _path_to_takeable(frontier, one, vain)
        if path:
            return (question_id, *path)
    return ()


def release(frontier: Frontier, question_id: str, *, why: str, at: str) -> Moved:
    """Put a question in progress back into the queue."""
    free = replace(frontier.questions[question_id], worker="")
    frontier, one = move(frontier, free, Trigger.RELEASED, actor=Actor.CODE, at=at, reason=why)
    return frontier, (one,)


def resolve(
    frontier: Frontier,
    question_id: str,
    *,
    answer: str,
    claim_ids: Sequence[str],
    waivers: Mapping[str, str],
    outcome: str = "",
    actor: Actor,
    caused_by: str,
    at: str,
) -> Moved | Refusal:
    """Settle a question with an answer, a hypothesis with its outcome too; that it may stand is checked by the tool."""
    question = frontier.questions.get(question_id)
    if question is None:
        return unknown(question_id)
    human_too = (QuestionStatus.PENDING, QuestionStatus.BLOCKED) if actor is Actor.HUMAN else ()
    if question.status not in (QuestionStatus.IN_PROGRESS, *human_too):
        return Refusal(
            kind="not_in_progress",
            text=f"{question_id} is {question.status}, only a question in progress can be resolved.",
            instead="Work on the current question.",
        )
    told = [*(("outcome", outcome),) * bool(outcome), *sorted(waivers.items())]
    reason = "; ".join(f"{name}: {why}" for name, why in told)
    done = replace(
        question,
        answer=answer,
        answer_claim_ids=tuple(dict.fromkeys(claim_ids)),
        waivers=dict(waivers),
        reason=reason,
        worker="",
    )
    frontier, one = move(frontier, done, Trigger.RESOLVED, actor=actor, at=at, reason=reason, caused_by=caused_by)
    return frontier, (one,)


def retry(
    frontier: Frontier,
    question_id: str,
    *,
    query: str,
    why: str,
    assumption: str,
    actor: Actor,
    limits: Limits,
    turn: int,
    at: str,
) -> Moved | Refusal:
    """Log a reformulation and put the question back; at the cap it becomes unresolvable, which needs an assumption."""
    question = frontier.questions.get(question_id)
    if question is None:
        return unknown(question_id)
    if question.status is not QuestionStatus.IN_PROGRESS:
        return Refusal(
            kind="not_in_progress",
            text=f"{question_id} is {question.status}, only a question in progress can be retried.",
            instead="Work on the current question.",
        )
    if frontier.attempts_count(question_id) >= limits.max_attempts or _root_is_done(frontier, question_id):
        return _exhaust(frontier, question, assumption, why, at)
    if not fold(query) or fold(query) in {fold(one.query) for one in frontier.attempts_of(question_id)}:
        return Refusal(
            kind="repeated_query",
            text=f"the query {query!r} was tried before on {question_id}.",
            instead="Use different words, another angle or another kind of source.",
        )
    frontier, _ = log_attempt(
        frontier, question.id, AttemptKind.RETRY, query, "retry_question", outcome=why, turn=turn, at=at, filled=False
    )
    if question_id == ROOT:
        return frontier, ()
    frontier, one = move(frontier, replace(question, worker=""), Trigger.RETRY, actor=actor, at=at, reason=why)
    return frontier, (one,)


def _root_is_done(frontier: Frontier, question_id: str) -> bool:
    children = frontier.children.get(ROOT, ())
    settled = [frontier.questions[one] for one in children]
    return (
        question_id == ROOT
        and bool(children)
        and all(one.settled for one in settled)
        and not any(one.status is QuestionStatus.RESOLVED for one in settled)
    )


def _exhaust(frontier: Frontier, question: Question, assumption: str, why: str, at: str) -> Moved | Refusal:
    if not assumption.strip():
        attempts = f"{question.id} has {frontier.attempts_count(question.id)} attempts, the most allowed."
        return Refusal(
            kind="assumption_required",
            text="no sub-question was resolved." if _root_is_done(frontier, question.id) else attempts,
            instead="Call retry_question again with an assumption: what the report should assume instead.",
        )
    done = replace(question, assumption=assumption, worker="")
    frontier, one = move(frontier, done, Trigger.EXHAUSTED, actor=Actor.CODE, at=at, reason=why)
    return frontier, (one,)


def reopen(
    frontier: Frontier,
    question_id: str,
    why: str,
    *,
    priority: float = REOPENED_PRIORITY,
    actor: Actor,
    caused_by: str,
    at: str,
) -> Moved | Refusal:
    """Put a settled question back, raised to at least 0.9; its attempts count anew."""
    question = frontier.questions.get(question_id)
    if question is None:
        return unknown(question_id)
    if question.status not in (QuestionStatus.RESOLVED, QuestionStatus.UNRESOLVABLE):
        return Refusal(
            kind="not_settled",
            text=f"{question_id} is {question.status}; only a resolved or unresolvable question can be reopened.",
            instead="A pruned branch stays closed: ask a new question."
            if question.status is QuestionStatus.PRUNED
            else "It is still open: work on it.",
        )
    again = replace(
        question,
        priority=max(question.priority, priority, REOPENED_PRIORITY),
        answer="",
        answer_claim_ids=(),
        assumption="",
        reason="",
        waivers={},
        worker="",
    )
    frontier = replace(frontier, since={**frontier.since, question_id: len(frontier.attempts)})
    frontier, one = move(frontier, again, Trigger.REOPENED, actor=actor, at=at, reason=why, caused_by=caused_by)
    frontier, raised = floor_dependencies(frontier, question_id, at=at)
    return frontier, (one, *raised)


def prune_branch(frontier: Frontier, question_id: str, reason: str, *, actor: Actor, at: str) -> Moved | Refusal:
    """Drop a question and all its pending and blocked descendants, one transition each."""
    question = frontier.questions.get(question_id)
    if question is None:
        return unknown(question_id)
    if question_id == ROOT:
        return Refusal(
            kind="root", text="the root cannot be pruned.", instead="Resolve it, or exhaust it with an assumption."
        )
    if question.settled:
        return Refusal(kind="settled", text=f"{question_id} is {question.status} already.")
    frontier, one = move(
        frontier, replace(question, reason=reason, worker=""), Trigger.PRUNED, actor=actor, at=at, reason=reason
    )
    made = [one]
    for child in frontier.descendants(question_id):
        below = frontier.questions[child]
        if below.status in (QuestionStatus.PENDING, QuestionStatus.BLOCKED):
            gone = replace(below, reason=f"branch {question_id} pruned: {reason}")
            frontier, one = move(
                frontier, gone, Trigger.PRUNED, actor=Actor.CODE, at=at, reason=reason, caused_by=question_id
            )
            made.append(one)
    return frontier, tuple(made)


def rewrite(frontier: Frontier, old_id: str, new_id: str, *, actor: Actor, at: str) -> Moved:
    """Let the new question take the place of a blocked one: edges and pending children move, then the old is pruned."""
    needs = {
        one: tuple(dict.fromkeys(new_id if need == old_id else need for need in before)) if one != new_id else before
        for one, before in frontier.needs.items()
    }
    moving = [
        one for one in frontier.children.get(old_id, ()) if frontier.questions[one].status is QuestionStatus.PENDING
    ]
    staying = tuple(one for one in frontier.children.get(old_id, ()) if one not in moving)
    children = {**frontier.children, old_id: staying, new_id: (*frontier.children.get(new_id, ()), *moving)}
    frontier = replace(frontier, needs=needs, children=children)
    for child in moving:
        frontier = put(frontier, replace(frontier.questions[child], parent_id=new_id))
    moved = prune_branch(frontier, old_id, f"rewritten as {new_id}", actor=actor, at=at)
    if isinstance(moved, Refusal):
        raise ValueError(f"{old_id} is blocked and can be pruned: {moved}")
    return moved


__all__ = [
    "DEPTH_CAP",
    "REOPENED_PRIORITY",
    "Moved",
    "add",
    "add_edge",
    "drop_edges",
    "floor_dependencies",
    "prune_branch",
    "reblock",
    "release",
    "reopen",
    "resolve",
    "retry",
    "rewrite",
    "select",
    "set_priority",
    "start",
    "unknown",
]
