"""The frontier summary of a prompt. Bounded: a few lines a block, 160 characters a field, however big it is.

Knows the frontier and the challenges; not the ledger, not the notes. `summary_view` holds the reader of this format.
Every text from outside is put on one line and shielded, so it can neither start a line of its own nor close a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from investigator.core.blocks import one_line, shield
from investigator.core.challenges import Challenge
from investigator.core.frontier import DEAD, Attempt, Frontier, Question
from investigator.core.ids import ROOT
from investigator.core.limits import Limits
from investigator.core.vocab import QuestionStatus, TargetType

FIELD = 160
LINES = 5
QUERY = 2000
ANSWER = 600


def frontier_summary(
    frontier: Frontier, challenges: Mapping[str, Challenge], limits: Limits, current: str, lines: int = LINES
) -> str:
    """The frontier for the prompt of a turn. ``current`` is the id of the current question, '' if there is none.

    At most ``lines`` entries stand in a block; the rest is counted as "(+N more)".
    """
    blocks = [_counts(frontier, limits)]
    if current in frontier.questions:
        blocks.append(_current(frontier, frontier.questions[current], limits))
    waiting = [one for one in _pending(frontier) if frontier.waits_on(one.id)]
    blocked = [one for one in frontier if one.status is QuestionStatus.BLOCKED]
    opened = [one for one in challenges.values() if one.open]
    blocks += [
        _block("NEXT", [_next(one) for one in frontier.actionable()], lines),
        _block("WAITING", [f"{one.id} on {', '.join(frontier.waits_on(one.id))}" for one in waiting], lines),
        _block("BLOCKED", [_blocked(frontier, one) for one in blocked], lines),
        _block("OPEN CHALLENGES", [_open_challenge(one) for one in opened], lines),
        _block("SETTLED", [_settled(one) for one in _by_use(frontier, current)], lines),
    ]
    return "\n".join(one for one in blocks if one)


def synthesis_summary(frontier: Frontier, limits: Limits) -> str:
    """All that the report may need of the frontier: answers in full (600 characters), and what stayed open."""
    blocks = [_counts(frontier, limits)]
    for status in (
        QuestionStatus.RESOLVED, QuestionStatus.UNRESOLVABLE, QuestionStatus.BLOCKED, QuestionStatus.IN_PROGRESS,
        QuestionStatus.PENDING, QuestionStatus.PRUNED,
    ):  # fmt: skip
        blocks += [_account(frontier, one) for one in frontier if one.status is status]
    return "\n".join(blocks)


def quoted(text: str, most: int = FIELD) -> str:
    """In double quotes, on one line, with inner quotes and backslashes escaped.

    >>> print(quoted('the "first" one'))
    "the \\"first\\" one"
    """
    flat = _field(text, most)
    return '"' + flat.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _field(text: str, most: int = FIELD) -> str:
    return shield(one_line(text, most))


def _counts(frontier: Frontier, limits: Limits) -> str:
    parts = [f"questions {len(frontier.questions)}/{limits.max_questions}"]
    parts += [f"{status} {frontier.count(status)}" for status in QuestionStatus]
    return "FRONTIER " + " · ".join(parts)


def _current(frontier: Frontier, one: Question, limits: Limits) -> str:
    attempts = frontier.attempts_count(one.id)
    place = f"p={one.priority:.2f} depth {one.depth} attempts {attempts}/{limits.max_attempts}"
    lines = [f"CURRENT {one.id} [{one.kind}] {place}", f"  question: {_field(one.question)}"]
    if one.rationale:
        lines.append(f"  why: {_field(one.rationale)}")
    if one.validation_criteria:
        lines.append(f"  criteria: {_field(one.validation_criteria)}")
    if one.target_sources:
        lines.append(f"  look in: {_field(', '.join(one.target_sources))}")
    needs = [f"{need} {frontier.questions[need].status}" for need in frontier.needs.get(one.id, ())]
    if needs:
        lines.append(f"  depends on: {', '.join(needs)}")
    lines += [f"  tried: {_attempt(attempt)}" for attempt in frontier.attempts_of(one.id)[-LINES:]]
    return "\n".join(lines)


def _attempt(one: Attempt) -> str:
    outcome = _field(one.outcome) or "no outcome"
    return f"{one.tool} {quoted(one.query)} -> {outcome if one.filled else 'not searched yet: ' + outcome}"


def _pending(frontier: Frontier) -> Iterable[Question]:
    return (frontier.questions[rank[3]] for rank in frontier.pending)


def _next(one: Question) -> str:
    return f"{one.id} p={one.priority:.2f} d{one.depth} {_field(one.question)}"


def _blocked(frontier: Frontier, one: Question) -> str:
    dead = [need for need in frontier.needs.get(one.id, ()) if frontier.questions[need].status in DEAD]
    cause = f"{dead[0]} {frontier.questions[dead[0]].status}" if dead else _field(one.reason)
    return f"{one.id} by {cause}: replace or prune"


def _open_challenge(one: Challenge) -> str:
    todo = "record the result" if one.attempt_n else "search it, then record the result"
    # The query stands in full: it is carried out by a search for exactly this text.
    return f"{one.id} on {target_name(one)} [{one.strategy}] {quoted(one.query, QUERY)}: {todo}"


def target_name(one: Challenge) -> str:
    """``c_002``, ``answer of q_003`` or ``conclusion``."""
    if one.target_type is TargetType.CONCLUSION:
        return "conclusion"
    return one.claim_id or f"answer of {one.question_id}"


def _by_use(frontier: Frontier, current: str) -> Sequence[Question]:
    """Settled questions: first what the current one needs, then its children, then the latest."""
    near = (*frontier.needs.get(current, ()), *frontier.children.get(current, ()))
    order = {one: number for number, one in reversed(list(enumerate(near)))}
    settled = sorted((one for one in frontier if one.settled), key=lambda one: (one.updated_at, one.seq), reverse=True)
    return sorted(settled, key=lambda one: order.get(one.id, len(order)))


def _settled(one: Question) -> str:
    if one.status is QuestionStatus.RESOLVED:
        return f"{one.id} resolved: {_field(one.answer)} [{', '.join(one.answer_claim_ids)}]"
    if one.status is QuestionStatus.UNRESOLVABLE:
        return f"{one.id} unresolvable: {_field(one.assumption)}"
    return f"{one.id} pruned: {_field(one.reason)}"


def _block(name: str, entries: Sequence[str], lines: int) -> str:
    """The entries, the first one beside the name; what does not fit is counted on the last line."""
    if not entries:
        return ""
    more = f" (+{len(entries) - lines} more)" if len(entries) > lines else ""
    return f"{name} " + "\n  ".join(entries[:lines]) + more


def _account(frontier: Frontier, one: Question) -> str:
    """One question with all that the report may say of it."""
    lines = [f"{one.status.upper()} {one.id} {_field(one.question)}"]
    if one.status is QuestionStatus.RESOLVED:
        lines.append(f"  answer: {_field(one.answer, ANSWER)} [{', '.join(one.answer_claim_ids)}]")
        if one.waivers:
            waived = "; ".join(f"{name}: {why}" for name, why in sorted(one.waivers.items()))
            lines.append(f"  waived: {_field(waived)}")
    if one.assumption:
        lines.append(f"  assumption: {_field(one.assumption, ANSWER)}")
    reason = _why(frontier, one)
    if reason:
        lines.append(f"  reason: {_field(reason)}")
    return "\n".join(lines)


def _why(frontier: Frontier, one: Question) -> str:
    """Why a question has no answer: the stored reason, for an exhausted one the outcome of its last attempt."""
    if one.status is QuestionStatus.RESOLVED or (one.id == ROOT and not one.settled):
        return ""
    if one.reason:
        return one.reason
    waits = frontier.waits_on(one.id)
    if one.status is QuestionStatus.PENDING and waits:
        return f"waits on {', '.join(waits)}"
    tried = [attempt.outcome for attempt in frontier.attempts_of(one.id) if attempt.outcome]
    return tried[-1] if tried else ""
