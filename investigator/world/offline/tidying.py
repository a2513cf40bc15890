"""Turns that only touch notes or one claim: extraction of a page, consolidation, verifying.

Knows the same records as researching; must not know planning or the report.
"""

from __future__ import annotations

from itertools import combinations

from investigator.core.notes_text import ClaimRecord
from investigator.core.vocab import ClaimStatus, Outcome, Strategy
from investigator.world.offline import challenging as attacks
from investigator.world.offline import recording as notes
from investigator.world.offline.choosing import candidates
from investigator.world.offline.closing import CONCLUSION
from investigator.world.offline.desk import at_desk
from investigator.world.offline.planning import direct_question
from investigator.world.offline.seeing import Move, Sight


def extracting(sight: Sight) -> list[Move]:
    """What the one page in the prompt gives for the question; if nothing, that it was read."""
    desk = at_desk(sight)
    if desk.moves:
        return list(desk.moves)
    return [notes.irrelevant(one) for one in sight.pages[-1:]]


def consolidating(sight: Sight) -> list[Move]:
    """Claims that say the same become one; Scratch shrinks to the conclusion."""
    moves: list[Move] = []
    gone: set[str] = set()
    for one, other in combinations(sight.live, 2):
        twins = one.kind is other.kind and one.value == other.value and one.unit == other.unit
        if twins and {one.id, other.id}.isdisjoint(gone) and notes.alike(one.text, other.text):
            kept, dropped = (other, one) if other.status is ClaimStatus.VERIFIED else (one, other)
            gone.add(dropped.id)
            moves.append(("notes_update", {"id": dropped.id, "change": {"merged_into": kept.id}}))
    at = sight.notes.scratch.find(CONCLUSION)
    if not moves or len(sight.notes.scratch) > 1200:
        scratch = sight.notes.scratch[at:].split("\n\n")[0] if at >= 0 else sight.notes.scratch[:400]
        moves.append(("notes_scratch", {"text": scratch.strip()}))
    return moves[:20]


def verifying(sight: Sight) -> list[Move]:
    """One claim that carries an answer and is not verified: a second source, a challenge, the status."""
    claim = sight.claim(sight.asked.get("claim", ""))
    if claim is None:
        return [notes.irrelevant(one) for one in sight.fresh]
    question = direct_question(sight.question, sight.objective) or claim.text
    moves: list[Move] = []
    named: set[str] = set()
    for finding in notes.read(question, sight.fresh) if sight.fresh else []:
        if notes.says(question, claim, finding):
            made = notes.entries(question, finding, sight.fresh, claim=claim)
            named |= {str(one["source"]) for one in made}
            moves += notes.append(made)
    moves += [notes.irrelevant(one) for one in sight.fresh if one.source not in named]
    return [*moves, *_verified(sight, question, claim, bool(named))]


def _verified(sight: Sight, question: str, claim: ClaimRecord, added: bool) -> list[Move]:
    opened = [one for one in sight.summary.open_challenges if one.target == claim.id]
    fetch = [] if sight.fresh or not sight.calls("web_search", 1) else candidates(sight, question, 3)
    if fetch:
        return [("fetch_page", {"url": url}) for url in fetch]
    moves: list[Move] = []
    for one in opened:
        if not one.searched and not sight.calls("web_search", 1):
            return [("web_search", {"query": one.query})]
        moves.append(attacks.record(one.id, attacks.judged(sight, question, claim, one.strategy, one.searched)))
    survived = bool(moves) or any(outcome == Outcome.SURVIVED for _, outcome in claim.checks)
    refused = any(one.refused == "not_verified" for one in sight.calls("notes_update"))
    if survived and (attacks.voices(sight, claim) >= 2 or added) and not refused:
        return [*moves, ("notes_update", {"id": claim.id, "change": {"status": "VERIFIED"}})]
    if not moves and not sight.calls("web_search"):
        for strategy in (Strategy.INDEPENDENT_ORIGIN, *attacks.strategies(question)):
            if more := attacks.on_claim(sight, question, claim, strategy):
                return more
    said = "No second independent source was found."
    note = claim.note if said in claim.note else f"{claim.note}; {said}".lstrip("; ")
    return [*moves, ("notes_update", {"id": claim.id, "change": {"note": note}})]
