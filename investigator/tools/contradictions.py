"""What code does when claims contradict each other: settling questions, refutations, altered copies.

Pure moves on the state, used by the notes and challenge tools and by settle. The model decides what contradicts what;
that it has consequences is decided here.
"""

from __future__ import annotations

import re

from investigator.core import claims as ledger_moves
from investigator.core import evidence, frontier_moves
from investigator.core.alterations import alteration, may_copy
from investigator.core.blocks import one_line
from investigator.core.challenges import Challenge, close
from investigator.core.claims import Claim, ClaimLink, SourceLink
from investigator.core.ids import ROOT
from investigator.core.refusal import Refusal
from investigator.core.state import Gap, PageRecord, State, claim_moved, moved, noted
from investigator.core.values import replace
from investigator.core.vocab import (
    Actor,
    ClaimStatus,
    LinkStatus,
    NotesReason,
    Outcome,
    QuestionKind,
    QuestionStatus,
    Stance,
)
from investigator.tools.frontier import code_reopens

SETTLING_PRIORITY = 0.9
COPY_OF = "altered copy of "
_BREAK = re.compile(r"(?<=[.!?])\s+(?=\S)|\s*\n\s*\n\s*|\f|\s*\n(?=[#|*-])")


def contradict(state: State, claim_id: str, other_id: str, text: str, caused_by: str) -> State:
    """Record that a claim contradicts another (once a pair), with its settling question."""
    known = state.ledger.links.get((claim_id, other_id)) or state.ledger.links.get((other_id, claim_id))
    if known is not None and known.kind is Stance.CONTRADICTS:
        if known.status is LinkStatus.OPEN:
            return state
        return _settling_question(replace_link(state, replace(known, status=LinkStatus.OPEN)), known.key, caused_by)
    link = ClaimLink(
        claim_id=state.ledger.claims[claim_id].id,
        other_id=state.ledger.claims[other_id].id,
        kind=Stance.CONTRADICTS,
        text=one_line(text, 400),
        created_at=state.at,
    )
    state = replace_link(state, link)
    state = quote_against(state, claim_id, other_id)
    state = quote_against(state, other_id, claim_id)
    return _settling_question(state, link.key, caused_by)


def replace_link(state: State, link: ClaimLink) -> State:
    return noted(replace(state, ledger=state.ledger.with_link(link)), NotesReason.UPDATE)


def quote_against(state: State, claim_id: str, other_id: str) -> State:
    """Put the located quotes of a claim on the one it contradicts, except from sources that support that one."""
    claim, other = state.ledger.claims[claim_id], state.ledger.claims[other_id]
    for link in claim.links:
        retracted = state.ledger.sources[link.source_id].retracted
        if link.stance is Stance.SUPPORTS and link.located and not retracted and other.link(link.source_id) is None:
            against = replace(
                link, stance=Stance.CONTRADICTS, independent=False, why=f"speaks for {claim_id}", created_at=state.at
            )
            other = ledger_moves.link_source(other, against)
    return state if other is state.ledger.claims[other_id] else replace(state, ledger=state.ledger.with_claim(other))


def _settling_question(state: State, key: tuple[str, str], caused_by: str) -> State:
    """Open a 0.9 question to settle a contradiction; the same pair reopens its old one; at the cap it becomes a gap."""
    link = state.ledger.links[key]
    claim, other = state.ledger.claims[link.claim_id], state.ledger.claims[link.other_id]
    text = f'Which holds: "{one_line(claim.text, 200)}" ({claim.id}) or "{one_line(other.text, 200)}" ({other.id})?'
    old = link.question_id or state.frontier.duplicate_of(text)
    if old and state.frontier.questions[old].status is not QuestionStatus.PRUNED:
        state = code_reopens(state, old, f"{claim.id} and {other.id} contradict each other again", caused_by)
        return replace_link(state, replace(link, question_id=old))
    added = frontier_moves.add(
        state.frontier,
        parent_id=_parent(state, other),
        text=text,
        kind=QuestionKind.QUERY,
        rationale=f"{claim.id} contradicts {other.id}" + (f" ({caused_by})" if caused_by else ""),
        criteria="Independent origins name one of the two, or the reason for the difference is found.",
        priority=SETTLING_PRIORITY,
        actor=Actor.CODE,
        caused_by=caused_by,
        limits=state.limits,
        at=state.at,
    )
    if isinstance(added, Refusal):
        gap = Gap(
            question_id=other.question_id, kind="gap", text=f"unsettled: {claim.id} against {other.id} ({added.text})"
        )
        state = replace(state, gaps=(*state.gaps, gap))
        return replace_link(state, replace(link, status=LinkStatus.ADDRESSED, text=f"{link.text} (unsettled)".strip()))
    frontier, question, transitions = added
    return replace_link(moved(state, frontier, transitions), replace(link, question_id=question.id))


def _parent(state: State, claim: Claim) -> str:
    """The claim's question or its nearest ancestor that may have a child."""
    one = claim.question_id if claim.question_id in state.frontier.questions else ROOT
    chain = (one, *state.frontier.ancestors(one))
    return next(
        (
            each
            for each in chain
            if state.frontier.questions[each].depth < state.limits.max_depth
            and state.frontier.questions[each].status is not QuestionStatus.PRUNED
        ),
        ROOT,
    )


def refute(
    state: State, claim_id: str, counter_id: str, *, actor: Actor, reason: str, caused_by: str
) -> State | Refusal:
    """Make a claim REFUTED: it needs a located quote against it from a source that does not support it."""
    if claim_id == counter_id or not state.ledger.claims[counter_id].live:
        return Refusal(
            kind="counter_claim",
            text=f"{counter_id} cannot be the counter-claim of {claim_id}.",
            instead="Name a live claim that says otherwise.",
        )
    state = quote_against(state, counter_id, claim_id)
    claim = state.ledger.claims[claim_id]
    if not carried_against(state, claim):
        return Refusal(
            kind="no_contradicting_quote",
            text=f"no source that does not support {claim_id} contradicts it with a located quote.",
            instead=f"Add a quote from another page to {counter_id}, then record the result again.",
        )
    ledger, transition = ledger_moves.set_status(
        state.ledger, claim_id, ClaimStatus.REFUTED, actor=actor, reason=reason, caused_by=caused_by, at=state.at
    )
    state = noted(claim_moved(state, ledger, transition), NotesReason.UPDATE)
    state = contradict(state, counter_id, claim_id, reason, caused_by)
    pair = state.ledger.links.get((counter_id, claim_id)) or state.ledger.links[(claim_id, counter_id)]
    state = reopen_citing(
        state,
        claim_id,
        f"{claim_id} was refuted: {one_line(reason, 200)}",
        caused_by or pair.question_id,
        pair.question_id,
    )
    return close_moot_challenges(state)


def carried_against(state: State, claim: Claim) -> bool:
    """Whether a located quote of a source that is not retracted contradicts the claim."""
    sources = state.ledger.sources
    return any(
        one.stance is Stance.CONTRADICTS and one.located and not sources[one.source_id].retracted for one in claim.links
    )


def retract(state: State, claim_id: str, *, actor: Actor, reason: str) -> State:
    """Make a claim RETRACTED; answers that cite it are reopened, contradictions with it are addressed."""
    ledger, transition = ledger_moves.set_status(
        state.ledger, claim_id, ClaimStatus.RETRACTED, actor=actor, reason=reason, caused_by="", at=state.at
    )
    state = noted(claim_moved(state, ledger, transition), NotesReason.UPDATE)
    state = reopen_citing(state, claim_id, f"{claim_id} was retracted: {one_line(reason, 200)}", "", "")
    return close_moot_challenges(address_settled(state))


def reopen_citing(state: State, claim_id: str, why: str, caused_by: str, settling: str) -> State:
    """Reopen every resolved question whose answer cites the claim; but the root they wait on the settling question."""
    citing = [
        one.id
        for one in state.frontier
        if one.status is QuestionStatus.RESOLVED and claim_id in one.answer_claim_ids and one.id != settling
    ]
    for question_id in citing:
        state = code_reopens(state, question_id, why, caused_by)
        open_settling = settling and not state.frontier.questions[settling].settled
        if question_id != ROOT and open_settling:
            linked = frontier_moves.add_edge(state.frontier, question_id, settling, at=state.at)
            state = state if isinstance(linked, Refusal) else moved(state, *linked)
    return state


def close_moot_challenges(state: State) -> State:
    """Close as inconclusive what can no longer be answered: its claim or its question is dead."""
    for challenge in state.open_challenges():
        why = _moot(state, challenge)
        if why:
            closed = close(
                challenge,
                outcome=Outcome.INCONCLUSIVE,
                evidence=why,
                source_ids=(),
                result_claim_id="",
                turn=state.opened,
                at=state.at,
            )
            if isinstance(closed, Refusal):
                raise ValueError(f"an open challenge can be closed inconclusive: {closed}")
            state = noted(with_challenge(state, closed), NotesReason.UPDATE)
    return state


def _moot(state: State, challenge: Challenge) -> str:
    if challenge.claim_id and not state.ledger.claims[challenge.claim_id].live:
        return f"{challenge.claim_id} is {state.ledger.claims[challenge.claim_id].status}"
    question = state.frontier.questions.get(challenge.question_id)
    if question is not None and question.status in (QuestionStatus.PRUNED, QuestionStatus.UNRESOLVABLE):
        return f"{question.id} is {question.status}"
    return ""


def with_challenge(state: State, challenge: Challenge) -> State:
    """The state with this challenge, and its outcome among the checks of its claim."""
    state = replace(state, challenges={**state.challenges, challenge.id: challenge})
    claim = state.ledger.claims.get(challenge.claim_id)
    if claim is None or challenge.open:
        return state
    checked = replace(claim, checks=(*claim.checks, (str(challenge.id), challenge.outcome)), updated_at=state.at)
    return replace(state, ledger=state.ledger.with_claim(checked))


def address_settled(state: State) -> State:
    """Address contradictions that are settled or lost a side to RETRACTED; free who waits on a dead question."""
    for link in state.ledger.open_contradictions():
        sides = (state.ledger.claims[link.claim_id], state.ledger.claims[link.other_id])
        question = state.frontier.questions.get(link.question_id)
        if any(one.status is ClaimStatus.RETRACTED for one in sides):
            state = replace_link(state, replace(link, status=LinkStatus.ADDRESSED))
        elif question is not None and question.settled:
            resolved = question.status is QuestionStatus.RESOLVED
            text = link.text if resolved else f"{link.text} (unsettled)".strip()
            state = replace_link(state, replace(link, status=LinkStatus.ADDRESSED, text=text))
            if not resolved:
                state = replace(state, frontier=frontier_moves.drop_edges(state.frontier, question.id))
    return state


def mark_altered_copies(state: State, claim_id: str, source_id: str) -> State:
    """Compare the page behind one located support of a claim with every other page that was read."""
    claim = state.ledger.claims[claim_id]
    link = claim.link(source_id)
    if link is None or not link.located or link.stance is not Stance.SUPPORTS or link.page_sha256 not in state.pages:
        return state
    for page in state.pages.values():
        if page.source_id != source_id:
            state = compare(state, claim_id, link, page)
    return state


def compare_new_page(state: State, page: PageRecord) -> State:
    """Compare a page just read with the supports of every live claim."""
    for claim in [one for one in state.ledger.claims.values() if one.live]:
        for link in claim.links:
            if link.located and link.stance is Stance.SUPPORTS and link.source_id != page.source_id:
                state = compare(state, claim.id, link, page)
    return state


def compare(state: State, claim_id: str, link: SourceLink, page: PageRecord) -> State:
    """If the page is a near-copy that says otherwise, neither supports the claim: link it against, with the place."""
    span, text = evidence.Span(link.start, link.end), state.pages[link.page_sha256].text
    if not may_copy(text, span, page.text):
        return state  # nearly every pair
    claim = state.ledger.claims[claim_id]
    theirs = claim.link(page.source_id)
    if theirs is not None and theirs.why == COPY_OF + link.source_id:
        return state
    source = state.ledger.sources[link.source_id]
    support = evidence.Support(
        source_id=link.source_id,
        domain=source.domain,
        text=text,
        spans=(span,),
    )
    found = alteration(support, page.text, claim.value)
    if found is None:
        return state
    place = _sentence_at(page.text, found.span.start)
    against = SourceLink(
        source_id=state.ledger.sources[page.source_id].id,
        stance=Stance.CONTRADICTS,
        quote=page.text[place.start : place.end],
        page_sha256=page.sha256,
        start=place.start,
        end=place.end,
        why=COPY_OF + link.source_id,
        created_at=state.at,
    )
    # The old link of that source, if any, is replaced: a near-copy that says otherwise speaks for nobody.
    kept = tuple(one for one in claim.links if one.source_id != page.source_id)
    state = noted(
        replace(state, ledger=state.ledger.with_claim(replace(claim, links=(*kept, against)))), NotesReason.UPDATE
    )
    rival = _claim_on(state, page, found.span, claim_id)
    return (
        contradict(state, rival, claim_id, f"{page.source_id} is an altered copy of {link.source_id}", "")
        if rival
        else state
    )


def _sentence_at(text: str, at: int) -> evidence.Span:
    """The sentence in which copies begin to differ, so that a person can read what the other one says."""
    start = max((one.end() for one in _BREAK.finditer(text, max(0, at - 300), at)), default=max(0, at - 300))
    found = _BREAK.search(text, at + 1, min(len(text), at + 300))
    return evidence.Span(start, found.start() if found else min(len(text), at + 300))


def _claim_on(state: State, page: PageRecord, span: evidence.Span, but: str) -> str:
    """A live claim that quotes the altered place of that page."""
    for claim in state.ledger.claims.values():
        if claim.id == but or not claim.live:
            continue
        for link in claim.links:
            if (
                link.page_sha256 == page.sha256
                and link.stance is Stance.SUPPORTS
                and link.start < span.end
                and span.start < link.end
            ):
                return claim.id
    return ""
