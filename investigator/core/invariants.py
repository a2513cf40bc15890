"""What must be true of every state, whatever the model, the world or a person did. Each broken rule is named.

Used by tests after every step and by `verify`. Knows the core's values only.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from investigator.core.claims import missing_for_verified
from investigator.core.frontier import DEAD
from investigator.core.ids import ROOT, number_of
from investigator.core.notes import Notes, NotesError, notes_of, parse, render
from investigator.core.state import State
from investigator.core.vocab import ClaimStatus, Outcome, Phase, QuestionStatus, RunStatus, Stance


def invariants(state: State) -> tuple[str, ...]:
    """The names of all broken invariants; empty: none is."""
    return (
        *_frontier(state),
        *_dependencies(state),
        *_claims(state),
        *_challenges(state),
        *_notes(state),
        *_run(state),
        *(() if state.limits_changed else _within_limits(state)),
    )


def _within_limits(state: State) -> Iterator[str]:
    """What limits allow, as long as they are those that the run began with: a narrower one undoes nothing."""
    frontier, limits = state.frontier, state.limits
    if len(frontier.questions) > max(limits.max_questions, 1):
        yield "more questions than max_questions"
    if len(frontier.in_progress()) > limits.max_parallel:
        yield "more questions in progress than max_parallel"
    if any(one.depth > limits.max_depth for one in frontier):
        yield "a question is deeper than max_depth"
    if state.turn > limits.max_iterations:
        yield "more turns than max_iterations"


def _frontier(state: State) -> Iterator[str]:
    frontier = state.frontier
    if sorted(one.seq for one in frontier) != list(range(1, len(frontier.questions) + 1)):
        yield "question numbers are not 1..n"
    if frontier.pending != tuple(sorted(one.rank for one in frontier if one.status is QuestionStatus.PENDING)):
        yield "the index of pending questions is out of step"
    root = frontier.root
    if root.status not in (QuestionStatus.IN_PROGRESS, QuestionStatus.RESOLVED, QuestionStatus.UNRESOLVABLE):
        yield f"the root is {root.status}"
    for one in frontier:
        if one.id != ROOT and one.parent_id not in frontier.questions:
            yield f"{one.id} has no parent"
            continue
        if one.id != ROOT and one.depth != frontier.questions[one.parent_id].depth + 1:
            yield f"{one.id} has a depth that is not its parent's plus one"
        if one.id != ROOT and one.id not in frontier.children.get(one.parent_id, ()):
            yield f"{one.id} is not among the children of {one.parent_id}"
        if one.status is QuestionStatus.UNRESOLVABLE and not one.assumption.strip():
            yield f"{one.id} is unresolvable without an assumption"
        if one.status is QuestionStatus.RESOLVED and not (one.answer and one.answer_claim_ids):
            yield f"{one.id} is resolved without an answer"
        if not one.settled and (one.answer or one.answer_claim_ids or one.assumption):
            yield f"{one.id} is {one.status} and has an answer"
        cited = [state.ledger.claims.get(claim) for claim in one.answer_claim_ids]
        if None in cited:
            yield f"the answer of {one.id} cites a claim that does not exist"
        if any(claim is not None and not claim.live for claim in cited):
            yield f"the answer of {one.id} cites a claim that is dead"
        if not 0 <= one.priority <= 1:
            yield f"{one.id} has priority {one.priority}"
    if tuple(frontier.attempts) != tuple(range(1, len(frontier.attempts) + 1)):
        yield "attempt numbers are not 1..n"


def _dependencies(state: State) -> Iterator[str]:
    frontier = state.frontier
    for one, needs in frontier.needs.items():
        if one not in frontier.questions or any(need not in frontier.questions for need in needs):
            yield f"{one} has an edge to nothing"
            continue
        if any(frontier.reaches(need, one) for need in needs):
            yield f"the dependencies of {one} are no DAG"
        dead = any(frontier.questions[need].status in DEAD for need in needs)
        status = frontier.questions[one].status
        if status is QuestionStatus.PENDING and dead and _settled_down(state):
            yield f"{one} is pending with a dead dependency"
        if status is QuestionStatus.BLOCKED and not dead and _settled_down(state):
            yield f"{one} is blocked without a dead dependency"


def _settled_down(state: State) -> bool:
    """Blocking is settle's work: it is only up to date when no worker is in the middle of a turn."""
    return state.status is RunStatus.RUNNING and all(worker.open is None for worker in state.workers.values())


def _claims(state: State) -> Iterator[str]:
    ledger = state.ledger
    texts = state.page_texts
    for key, claim in ledger.claims.items():
        if key != claim.id or claim.question_id not in state.frontier.questions:
            yield f"{key} is filed wrongly"
        if (
            claim.status is ClaimStatus.VERIFIED
            and _settled_down(state)
            and missing_for_verified(ledger, claim, texts, state.limits)
        ):
            yield f"{key} is VERIFIED against the rule"
        if claim.status is ClaimStatus.REFUTED and not any(
            one.stance is Stance.CONTRADICTS and one.located for one in claim.links
        ):
            yield f"{key} is REFUTED without a located quote against it"
        for link in claim.links:
            if link.source_id not in ledger.sources:
                yield f"{key} links a source that does not exist"
            if (
                link.located
                and texts.get(link.page_sha256, "")[link.start : link.end].split() != link.quote.split()
                and not link.quote.endswith("…")
            ):
                yield f"a quote of {key} does not stand where it says"
    urls = [one.url for one in ledger.sources.values()]
    if len(set(urls)) != len(urls):
        yield "two sources share a url"
    for pair in ledger.links:
        if any(side not in ledger.claims for side in pair):
            yield f"the link {pair} has a side that does not exist"


def _challenges(state: State) -> Iterator[str]:
    counts: dict[tuple[str, str, str], int] = {}
    used: set[tuple[tuple[str, str, str], str]] = set()
    for one in state.challenges.values():
        counts[one.target] = counts.get(one.target, 0) + 1
        if (one.target, one.strategy) in used:
            yield f"{one.id} repeats a strategy on its target"
        used.add((one.target, one.strategy))
        if one.outcome in (Outcome.REFUTED, Outcome.WEAKENED) and not one.source_ids:
            yield f"{one.id} is {one.outcome} without a source"
        if one.outcome == Outcome.SURVIVED and not one.attempt_n:
            yield f"{one.id} survived without a search"
        if one.open != (one.outcome == ""):
            yield f"{one.id} is open with an outcome, or closed without"
    if any(count > state.limits.max_challenges_per_target for count in counts.values()) and not state.limits_changed:
        yield "more challenges on a target than allowed"


def _notes(state: State) -> Iterator[str]:
    try:
        parses, text = _round_trip(notes_of(state))
    except ValueError:  # a record that belongs into no section
        parses, text = False, state.notes_text
    if not parses:
        yield "the notes do not parse back"
    if state.notes_seq and text != state.notes_text:
        yield "the notes changed without a version"


@functools.lru_cache(maxsize=4)
def _round_trip(notes: Notes) -> tuple[bool, str]:
    """Whether the text of these notes gives them back, and the text. Kept, for most steps leave the notes alone."""
    text = render(notes)
    try:
        return parse(text) == notes, text
    except NotesError:
        return False, text


def _run(state: State) -> Iterator[str]:
    if state.done and not state.report:
        yield "the run has ended without a report"
    if state.done and state.status is RunStatus.COMPLETED and not state.stop_reason:
        yield "a completed run names no stop reason"
    if not state.done and state.stop_reason:
        yield "a running run names a stop reason"
    if state.phase is Phase.SYNTHESIS and state.frontier.in_progress():
        yield "a question is in progress while the report is written"
    ids = [*state.frontier.questions, *state.ledger.claims, *state.ledger.sources, *state.challenges]
    if any(number_of(one) == 0 for one in ids):
        yield "an id is malformed"
