"""What a run found, as one JSON object and as a few lines for people. Reads the state; prints nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from investigator.core.blocks import one_line
from investigator.core.claims import Claim, Source, SourceLink
from investigator.core.evidence import place
from investigator.core.state import State
from investigator.core.vocab import ChallengeStatus, ClaimStatus, Outcome, QuestionStatus, Trigger
from investigator.session import Investigation


def result(inv: Investigation) -> dict[str, Any]:
    """A run as ``--json`` prints it."""
    state = inv.state
    return {
        "run_id": inv.run_id, "status": str(state.status), "phase": str(state.phase),
        "stop_reason": str(state.stop_reason), "error": state.error, "turns": state.turn,
        "tokens": state.budget.tokens, "cost_usd": state.budget.cost_usd if state.budget.cost_known else None,
        "questions": _by(QuestionStatus, (one.status for one in state.frontier)),
        "claims": _by(ClaimStatus, (one.status for one in state.ledger.claims.values())),
        "challenges": _by(
            (*Outcome, ChallengeStatus.OPEN), (one.outcome or one.status for one in state.challenges.values())
        ),
        "report": state.report, "sources": [_source(state, one) for one in _used(state)],
    }  # fmt: skip


def listed(row: dict[str, Any]) -> dict[str, Any]:
    """A run's row as ``runs --json`` prints it."""
    return {
        "run_id": row["id"], "status": row["status"], "objective": row["objective"], "loop": row["loop"],
        "turns": row["steps"], "created_at": row["created_at"].isoformat(), "stop_reason": row["stop_reason"],
    }  # fmt: skip


def facts(inv: Investigation) -> Iterator[str]:
    """A run in a few lines."""
    state = inv.state
    cost = f", ${state.budget.cost_usd:.2f}" if state.budget.cost_known and state.budget.cost_usd else ""
    yield f"Run {inv.run_id}: {one_line(state.run.objective, 400)}"
    yield (
        f"{state.status}{f' ({state.stop_reason})' if state.stop_reason else ''} after {state.turn} turns,"
        f" {state.budget.tokens} tokens{cost}; {state.run.loop} loop, {state.run.model}, {state.run.web}"
    )
    if state.error:
        yield f"Error: {state.error}"
    yield f"Questions: {_counts(one.status for one in state.frontier)}"
    yield f"Claims: {_counts(one.status for one in state.ledger.claims.values())}"
    yield f"Challenges: {_counts(one.outcome or one.status for one in state.challenges.values())}"


def happened(inv: Investigation) -> Iterator[str]:
    """How the run checked itself: refutations, weakened claims, reopened questions, gaps."""
    state = inv.state
    for one in state.challenges.values():
        if one.outcome in (Outcome.REFUTED, Outcome.WEAKENED):
            evidence = f": {one_line(one.evidence, 200)}" if one.evidence else ""
            yield f"{one.outcome} by {one.id} ({one.strategy}): {one_line(one.belief, 160)}{evidence}"
    for row in inv.rows("gb_agent_frontier_transitions"):
        if row["trigger"] == Trigger.REOPENED:
            question = state.frontier.questions[row["question_id"]]
            cause = f" by {row['caused_by']}" if row["caused_by"] else ""
            yield f"reopened{cause}: {question.id} {one_line(question.question, 160)}"
    for question in state.frontier:
        if question.status is QuestionStatus.UNRESOLVABLE:
            assumption = f" — {one_line(question.assumption, 160)}" if question.assumption else ""
            yield f"gap: {question.id} {one_line(question.question, 160)}{assumption}"
    for gap in state.gaps:
        yield f"{gap.kind}: {gap.question_id} {one_line(gap.text, 200)}"


def _by(words: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    counts = Counter(str(one) for one in found)
    return {str(word): counts[str(word)] for word in words}


def _counts(found: Iterable[str]) -> str:
    return ", ".join(f"{number} {word}" for word, number in Counter(str(one) for one in found).items()) or "none"


def _used(state: State) -> tuple[Source, ...]:
    return state.ledger.linked_sources() or tuple(state.ledger.sources.values())


def _source(state: State, source: Source) -> dict[str, Any]:
    claims = (one for one in state.ledger.claims.values() if one.status is not ClaimStatus.RETRACTED)
    links = ((one, one.link(source.id)) for one in claims)
    quotes = [_quote(state, source, claim, link) for claim, link in links if link is not None and link.quote]
    return {"id": source.id, "url": source.url, "title": source.title, "domain": source.domain, "quotes": quotes}


def _quote(state: State, source: Source, claim: Claim, link: SourceLink) -> dict[str, Any]:
    page = state.pages.get(link.page_sha256)
    where = place(page.text, link.start, source.unit or page.unit) if page is not None and link.located else ""
    return {"claim_id": claim.id, "stance": str(link.stance), "text": link.quote, "place": where}
