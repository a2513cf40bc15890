"""The question frontier: questions, their dependencies and the attempts on them, as one immutable value.

Knows nothing of claims, models or prompts. Moves are in `frontier_moves`; here is the value and what it tells.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from investigator.core.ids import ROOT, QuestionId
from investigator.core.text import fold
from investigator.core.transitions import Transition, target
from investigator.core.values import replace
from investigator.core.vocab import Actor, AttemptKind, QuestionKind, QuestionStatus, Trigger

SETTLED = (QuestionStatus.RESOLVED, QuestionStatus.UNRESOLVABLE, QuestionStatus.PRUNED)
DEAD = (QuestionStatus.UNRESOLVABLE, QuestionStatus.PRUNED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A node of the frontier. ``parent_id`` is '' for the root; ``priority`` runs from 0 to 1."""

    id: QuestionId
    parent_id: str = ""
    depth: int = 0
    seq: int = 1
    kind: QuestionKind = QuestionKind.QUERY
    question: str
    rationale: str = ""
    validation_criteria: str = ""
    target_sources: tuple[str, ...] = ()
    priority: float = 1.0
    status: QuestionStatus = QuestionStatus.PENDING
    answer: str = ""
    answer_claim_ids: tuple[str, ...] = ()
    assumption: str = ""
    reason: str = ""
    waivers: Mapping[str, str] = field(default_factory=dict)
    worker: str = ""
    created_at: str = ""
    updated_at: str = ""
    trans_seq: int = 0

    @property
    def rank(self) -> tuple[float, int, int, str]:
        """Sort key of the selection: highest priority, lower depth, older."""
        return (-self.priority, self.depth, self.seq, self.id)

    @property
    def settled(self) -> bool:
        return self.status in SETTLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One outside call, or one accepted retry. ``n`` is its number within the run and its identity."""

    n: int
    question_id: QuestionId
    kind: AttemptKind
    query: str
    tool: str
    outcome: str = ""
    turn: int = 0
    filled: bool = True
    created_at: str = ""

    @property
    def failed(self) -> bool:
        """Whether the call brought no answer at all, so that it says nothing about the question."""
        return self.outcome.startswith("failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """All questions of a run.

    Attributes:
        needs: the dependencies of a question (dependant -> what it needs); they always form a DAG.
        pending: ranks of all pending questions, sorted: the one ordered index.
        since: number of the last attempt before a question was reopened; attempts count from there.
    """

    questions: Mapping[str, Question] = field(default_factory=dict)
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    children: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attempts: Mapping[int, Attempt] = field(default_factory=dict)
    tried: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)
    pending: tuple[tuple[float, int, int, str], ...] = ()
    folded: Mapping[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Question:
        return self.questions[ROOT]

    def attempts_of(self, question_id: str) -> tuple[Attempt, ...]:
        return tuple(self.attempts[n] for n in self.tried.get(question_id, ()))

    def attempts_count(self, question_id: str) -> int:
        """Distinct reformulations since the last reopening: the first search and every accepted retry."""
        since = self.since.get(question_id, 0)
        own = [one for one in self.attempts_of(question_id) if one.n > since]
        first = any(one.kind is AttemptKind.SEARCH for one in own)
        return int(first) + sum(one.kind is AttemptKind.RETRY for one in own)

    def waits_on(self, question_id: str) -> tuple[str, ...]:
        """Dependencies that are not resolved."""
        return tuple(
            one for one in self.needs.get(question_id, ()) if self.questions[one].status is not QuestionStatus.RESOLVED
        )

    def needed_by(self, question_id: str) -> tuple[str, ...]:
        return tuple(one for one, needs in self.needs.items() if question_id in needs)

    def in_progress(self) -> tuple[Question, ...]:
        """Questions in progress besides the root."""
        return tuple(
            one for one in self.questions.values() if one.status is QuestionStatus.IN_PROGRESS and one.id != ROOT
        )

    def actionable(self) -> tuple[Question, ...]:
        """Pending questions that selection could take now, in its order."""
        return tuple(self.questions[rank[3]] for rank in self.pending if not self.waits_on(rank[3]))

    def ancestors(self, question_id: str) -> tuple[str, ...]:
        """Parent, grandparent, … up to the root."""
        chain = []
        parent = self.questions[question_id].parent_id
        while parent:
            chain.append(parent)
            parent = self.questions[parent].parent_id
        return tuple(chain)

    def descendants(self, question_id: str) -> tuple[str, ...]:
        """Children, grandchildren, …, parents before children."""
        found: list[str] = []
        queue = list(self.children.get(question_id, ()))
        while queue:
            one = queue.pop(0)
            found.append(one)
            queue.extend(self.children.get(one, ()))
        return tuple(found)

    def reaches(self, start: str, goal: str) -> bool:
        """Whether ``start`` needs ``goal``, directly or through others."""
        seen: set[str] = set()
        stack = [start]
        while stack:
            one = stack.pop()
            if one == goal:
                return True
            if one not in seen:
                seen.add(one)
                stack.extend(self.needs.get(one, ()))
        return False

    def duplicate_of(self, text: str) -> str:
        """The question that asks the same after folding, '' if none."""
        return self.folded.get(fold(text), "")

    def count(self, status: QuestionStatus) -> int:
        return sum(one.status is status for one in self.questions.values())

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions.values())


def put(frontier: Frontier, question: Question) -> Frontier:
    """The frontier with this question, its index kept in step."""
    old = frontier.questions.get(question.id)
    pending = frontier.pending
    if old is not None and old.status is QuestionStatus.PENDING:
        at = bisect.bisect_left(pending, old.rank)
        pending = pending[:at] + pending[at + 1 :]
    if question.status is QuestionStatus.PENDING:
        at = bisect.bisect_left(pending, question.rank)
        pending = (*pending[:at], question.rank, *pending[at:])
    return replace(frontier, questions={**frontier.questions, question.id: question}, pending=pending)


def move(
    frontier: Frontier,
    question: Question,
    trigger: Trigger,
    *,
    actor: Actor,
    at: str,
    reason: str = "",
    caused_by: str = "",
) -> tuple[Frontier, Transition]:
    """Apply one row of the transition table. ``question`` carries the other fields as they shall be afterwards."""
    old = frontier.questions.get(question.id)
    before = old.status if old is not None else ""
    after = target(trigger, before, actor, root=question.id == ROOT)
    moved = replace(question, status=after, updated_at=at, trans_seq=question.trans_seq + 1)
    frontier = put(frontier, moved)
    transition = Transition(
        question_id=moved.id,
        seq=moved.trans_seq,
        from_status=before,
        to_status=after,
        trigger=trigger,
        actor=actor,
        reason=reason,
        priority=moved.priority,
        attempts=frontier.attempts_count(moved.id),
        caused_by=caused_by,
    )
    return frontier, transition


def log_attempt(
    frontier: Frontier,
    question_id: QuestionId,
    kind: AttemptKind,
    query: str,
    tool: str,
    *,
    outcome: str,
    turn: int,
    at: str,
    filled: bool = True,
) -> tuple[Frontier, Attempt]:
    """Add a row to the attempt log."""
    n = len(frontier.attempts) + 1
    attempt = Attempt(
        n=n,
        question_id=question_id,
        kind=kind,
        query=query,
        tool=tool,
        outcome=outcome,
        turn=turn,
        filled=filled,
        created_at=at,
    )
    own = (*frontier.tried.get(question_id, ()), n)
    return (
        replace(frontier, attempts={**frontier.attempts, n: attempt}, tried={**frontier.tried, question_id: own}),
        attempt,
    )


def fill_retry(
    frontier: Frontier, question_id: str, query: str, tool: str, outcome: str, turn: int
) -> tuple[Frontier, Attempt] | None:
    """The search that carries out a retry's new_query fills that row; None if no retry waits for this query."""
    for one in frontier.attempts_of(question_id):
        if one.kind is AttemptKind.RETRY and not one.filled and fold(one.query) == fold(query):
            done = replace(one, tool=tool, outcome=outcome, turn=turn, filled=True)
            return replace(frontier, attempts={**frontier.attempts, one.n: done}), done
    return None
