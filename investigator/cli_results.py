"""What a run found, as one JSON object and as a few lines for people. Reads the state; prints nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from investigator.core.blocks import counted, one_line
from investigator.core.challenges import Challenge
from investigator.core.claims import Claim, Source, SourceLink
from investigator.core.evidence import place
from investigator.core.frontier import Question
from investigator.core.ids import ClaimId
from investigator.core.state import State
from investigator.core.text import fold
from investigator.core.vocab import ChallengeStatus, ClaimStatus, Outcome, QuestionStatus, Stance, Trigger
from investigator.session import Investigation


def result(inv: Investigation) -> dict[str, Any]:
    """A run as ``--json`` prints it."""
    state = inv.state
    return {
        "run_id": inv.run_id, "objective": state.run.objective, "loop": str(state.run.loop),
        "model": state.run.model, "web": state.run.web, "created_at": state.run.started_at,
        "status": str(state.status), "phase": str(state.phase),
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
    spent = f"{counted(state.turn, 'turn')}, {counted(state.budget.tokens, 'token')}{cost}"
    yield (
        f"{state.status}{f' ({state.stop_reason})' if state.stop_reason else ''} after {spent};"
        f" {state.run.loop} loop, {state.run.model}, {state.run.web}"
    )
    if state.error:
        yield f"Error: {state.error}"
    yield f"Questions: {_counts(one.status for one in state.frontier)}"
    yield f"Claims: {_counts(one.status for one in state.ledger.claims.values())}"
    yield f"Challenges: {_counts(one.outcome or one.status for one in state.challenges.values())}"


def happened(inv: Investigation) -> Iterator[str]:
    """How the run checked itself, one line each: claims refuted, answers reopened or weakened, what stays open."""
    state = inv.state
    reopened = [row for row in inv.rows("gb_agent_frontier_transitions") if row["trigger"] == Trigger.REOPENED]
    yield from _refuted(state)
    for row in reopened:
        yield _reopened(state, state.frontier.questions[row["question_id"]], str(row["reason"] or ""))
    yield from _weakened(state)
    yield from _superseded(state)
    yield from _open_ends(state)


def _refuted(state: State) -> Iterator[str]:
    for claim in state.ledger.claims.values():
        if claim.status is ClaimStatus.REFUTED:
            attacks = [one.id for one in state.challenges.values()
                       if one.claim_id == claim.id and one.outcome == Outcome.REFUTED]  # fmt: skip
            pairs = [one for one in state.ledger.links.values()
                     if one.kind is Stance.CONTRADICTS and claim.id in one.key]  # fmt: skip
            others = (state.ledger.claims[other] for one in pairs for other in one.key if other != claim.id)
            counter = next((one for one in others if one.live), None)
            by: Iterable[str] = attacks or dict.fromkeys(one.question_id for one in pairs if one.question_id)
            how = f" (settled by {', '.join(by)})" if by else ""
            told = f"; {_pages(counter)} {_quoted(counter.text)} [{counter.id}]" if counter else ""
            yield f"Refuted: {_quoted(claim.text)} [{claim.id}]{told}{how}"


def _reopened(state: State, question: Question, reason: str) -> str:
    why = one_line(reason.partition(":")[0], 160)
    now = f"answered anew with {_quoted(question.answer)}" if question.status is QuestionStatus.RESOLVED else (
        f"now {question.status}")  # fmt: skip
    return f"Reopened: {question.id} {_quoted(question.question)}{f', as {why}' if why else ''}; {now}"


def _weakened(state: State) -> Iterator[str]:
    found: dict[str, list[Challenge]] = {}
    for one in state.challenges.values():
        if one.outcome == Outcome.WEAKENED:
            found.setdefault(fold(one.belief), []).append(one)
    for each in found.values():
        limits = dict.fromkeys(_quoted(one.evidence) for one in each if one.evidence)
        told = f"; within limits: {', '.join(limits)}" if limits else ""
        yield f"Weakened: {_quoted(each[0].belief)}{told} ({', '.join(one.id for one in each)})"


def _superseded(state: State) -> Iterator[str]:
    for claim in state.ledger.claims.values():
        newer = re.search(r"\bsuperseded by ([cd]_\d+)", claim.note)
        if claim.live and newer and newer[1] in state.ledger.claims:
            later = state.ledger.claims[ClaimId(newer[1])]
            yield f"Superseded: {_quoted(claim.text)} [{claim.id}]; later {_quoted(later.text)} [{later.id}]"


def _open_ends(state: State) -> Iterator[str]:
    missing = [one for one in state.frontier if one.status is QuestionStatus.UNRESOLVABLE]
    for question in missing:
        yield f"Gap: {question.id} {_quoted(question.question)} {one_line(question.assumption, 300)}".rstrip()
    known = {one.id for one in missing}
    for gap in state.gaps:
        if gap.question_id not in known:
            yield f"{gap.kind.capitalize()}: {gap.question_id} {one_line(gap.text, 300)}"


def _pages(claim: Claim) -> str:
    count = sum(one.stance is Stance.SUPPORTS for one in claim.links)
    return f"{counted(count, 'page')} {'says' if count == 1 else 'say'}"


def _quoted(text: str) -> str:
    return f"“{one_line(text, 240).rstrip(' .')}”"


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
