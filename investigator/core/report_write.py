"""A report from answers and claims alone, for a run whose model writes none.

Knows the state and the Markdown of a report; the gate is not known here. Nothing is said that is not recorded, and
every sentence carries its claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from investigator.core.claims import Claim, ClaimLink
from investigator.core.frontier import Question
from investigator.core.ids import ROOT
from investigator.core.report_text import (
    CONTRADICTIONS,
    GAPS,
    ID,
    before_the_end,
    escape,
    sentences,
    without_citations,
)
from investigator.core.state import State
from investigator.core.text import same
from investigator.core.vocab import ClaimStatus, Outcome, QuestionStatus, Stance

NO_EVIDENCE = "No evidence found"
UNSUPPORTED = "(unsupported)"
UNVERIFIED = "(unverified)"


def draft(state: State) -> str:
    """The report that code writes: summary, details by question, contradictions, gaps and assumptions."""
    parts = [f"## Summary\n\n{summary(state)}"]
    if _answered(state):
        told = details(state)
        parts += [f"## Details\n\n{told}"] if told else []
    conflicts = list(_contradictions(state))
    parts += [f"## {CONTRADICTIONS}\n\n" + "\n".join(conflicts)] if conflicts else []
    open_ends = [*gap_lines(state, must_be_named(state)), *_noted_gaps(state), *_tried(state)]
    parts += [f"## {GAPS}\n\n" + "\n".join(open_ends)] if open_ends else []
    return "\n\n".join(parts) + "\n"


def usable(state: State) -> bool:
    """Whether any claim can be relied on."""
    return any(one.live for one in state.ledger.claims.values())


def must_be_named(state: State) -> tuple[Question, ...]:
    """Questions without an answer that the report has to name under its gaps.

    Unresolvable and blocked ones; when a breaker cut exploration short, also those that were still open.
    """
    cut_short = state.ending.startswith("breaker:")
    missing = {QuestionStatus.UNRESOLVABLE, QuestionStatus.BLOCKED}
    if cut_short:
        missing |= {QuestionStatus.PENDING, QuestionStatus.IN_PROGRESS}
    return tuple(one for one in state.frontier if one.status in missing and not (one.id == ROOT and not one.settled))


def gap_lines(state: State, questions: Iterable[Question]) -> Iterator[str]:
    """One list item for each question: what was asked, and what is assumed instead or why it is open."""
    for one in questions:
        asked = f"{one.id}: {_words(state, one.question, 200)}"
        if one.assumption.strip():
            yield f"- {asked} — not found out; assumed: {_words(state, one.assumption)}"
        elif one.status is QuestionStatus.BLOCKED:
            yield f"- {asked} — blocked: {_words(state, one.reason or 'what it needs was not answered')}"
        else:
            yield f"- {asked} — not found out"


def summary(state: State) -> str:
    """The answer to the objective; without one the answers found; without those the claims."""
    root = state.frontier.root
    if not usable(state):
        return f"{NO_EVIDENCE}: nothing that was read could be recorded as a claim that stands."
    if root.status is QuestionStatus.RESOLVED:
        return cited(state, root.answer, root.answer_claim_ids)
    answers = [f"- {cited(state, one.answer, one.answer_claim_ids)}" for one in _answered(state)]
    live = [one for one in state.ledger.claims.values() if one.live]
    live.sort(key=lambda one: one.status is not ClaimStatus.VERIFIED)
    return "\n".join(answers or [_claim_item(state, one) for one in live])


def details(state: State) -> str:
    """Question by question: its answer, unless the summary has it already, and its claims."""
    told = state.frontier.root.status is QuestionStatus.RESOLVED
    parts, by_question = [], dict[str, list[Claim]]()
    for claim in state.ledger.claims.values():
        if claim.live:
            by_question.setdefault(claim.question_id, []).append(claim)
    for question in state.frontier:
        answer = question.answer if question.status is QuestionStatus.RESOLVED and told and question.id != ROOT else ""
        own = by_question.get(question.id, ())
        lines = [_claim_item(state, one) for one in own if not same(one.text, question.answer)]
        if answer:
            lines = [cited(state, answer, question.answer_claim_ids), *([""] if lines else []), *lines]
        if lines:
            parts.append(f"### {_title(state, question)}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _title(state: State, question: Question) -> str:
    """The question as a heading; it ends as a question does, for otherwise it could be read as a statement."""
    words = _as_one(_words(state, question.question, 100)).rstrip("?.!…:* ")
    return f"{words}?"


def cited(state: State, text: str, claim_ids: Sequence[str]) -> str:
    """The text with its claims after every sentence, and what they are worth if none is VERIFIED."""
    known = [state.ledger.claims[one] for one in claim_ids if one in state.ledger.claims]
    live = [one for one in known if one.live]
    mark = f"[{', '.join(one.id for one in live)}]" if live else UNSUPPORTED
    if live and not any(one.status is ClaimStatus.VERIFIED for one in live):
        mark = f"{UNVERIFIED} {mark}"
    return " ".join(before_the_end(one, mark) for one in sentences(_words(state, text, 4000)))


def _answered(state: State) -> list[Question]:
    return [one for one in state.frontier if one.status is QuestionStatus.RESOLVED]


def _claim_item(state: State, claim: Claim) -> str:
    return f"- {cited(state, claim.text, (claim.id,))}"


def _words(state: State, text: str, most: int = 600) -> str:
    """Recorded text for the report: escaped, its citations taken out, dead ids not named."""
    claims = state.ledger.claims

    def known(identifier: str) -> bool:
        return identifier.startswith(("q_", "ch_")) or (identifier in claims and claims[identifier].live)

    plain = ID.sub(lambda match: match[1] if known(match[1]) else "another record", without_citations(text))
    return escape(plain, most)


def _as_one(text: str) -> str:
    """Several sentences as one, so that one citation stands for all of it."""
    return "; ".join(one.rstrip(".!?… ") for one in sentences(text)) or text


def _contradictions(state: State) -> Iterator[str]:
    claims, seen = state.ledger.claims, set()
    for link in state.ledger.links.values():
        pair = frozenset(link.key)
        shown = all(one in claims and claims[one].status is not ClaimStatus.RETRACTED for one in pair)
        if link.kind is Stance.CONTRADICTS and shown and pair not in seen:
            seen.add(pair)
            one, other = _side(state, claims[link.claim_id]), _side(state, claims[link.other_id])
            yield f"- {one}; against it: {other}{_end(state, link)}"
    linked = {one for pair in seen for one in pair}
    for claim in claims.values():
        if claim.status is ClaimStatus.REFUTED and claim.id not in linked:
            yield f"- {_side(state, claim)}."


def _side(state: State, claim: Claim) -> str:
    worth = {ClaimStatus.UNVERIFIED: f" {UNVERIFIED}", ClaimStatus.REFUTED: f", refuted{_by(state, claim)}"}
    return f"“{_as_one(_words(state, claim.text, 300))}” [{claim.id}]{worth.get(claim.status, '')}"


def _by(state: State, claim: Claim) -> str:
    refuting = [one for one in state.challenges.values() if one.claim_id == claim.id and one.outcome == Outcome.REFUTED]
    return f" by {refuting[-1].id} ({_as_one(_words(state, refuting[-1].evidence, 300))})" if refuting else ""


def _end(state: State, link: ClaimLink) -> str:
    both_stand = all(state.ledger.claims[one].live for one in link.key)
    return "; this was not settled." if both_stand else "."


def _noted_gaps(state: State) -> Iterator[str]:
    named = {one.id for one in must_be_named(state)}
    for one in state.gaps:
        if not (one.question_id in named and one.kind == "assumption"):
            yield f"- {one.question_id}: {'assumed: ' if one.kind == 'assumption' else ''}{_words(state, one.text)}"


def _tried(state: State) -> Iterator[str]:
    """What was searched, when nothing came of it."""
    if usable(state):
        return
    searches = [one for one in state.frontier.attempts.values() if one.tool in ("web_search", "query")]
    for query in list(dict.fromkeys(one.query for one in searches))[:12]:
        yield f"- tried: “{_words(state, query, 160)}”"
