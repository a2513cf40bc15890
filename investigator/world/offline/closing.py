"""The end of exploration: the conclusion from the answers, its challenge, the root; and what the gate still misses.

Knows settled questions and their claims as the prompt shows them; must not know how the report is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from investigator.core.blocks import one_line
from investigator.core.notes_text import ClaimRecord
from investigator.core.text import fold
from investigator.core.vocab import ClaimStatus, Outcome, Strategy
from investigator.world.offline import challenging as attacks
from investigator.world.offline import recording as notes
from investigator.world.offline.analysis import analyse
from investigator.world.offline.choosing import candidates
from investigator.world.offline.desk import Desk, late
from investigator.world.offline.questions import queries, split
from investigator.world.offline.researching import reformulated
from investigator.world.offline.seeing import Move, Sight
from investigator.world.offline.values import typed

CONCLUSION = "Conclusion:"
_ORDER = (Strategy.NEWER_EVIDENCE, Strategy.SCOPE_LIMITS, Strategy.DIRECT_NEGATION, Strategy.COUNTEREXAMPLE)
MOST_SENTENCES = 6
_NO_GROUND = "What it asks about could not be found out, so there is nothing left to ask."


def closing(sight: Sight) -> list[Move]:
    """The calls of a closing turn."""
    moves = _recorded(sight)
    others = _open_elsewhere(sight)
    others += [("prune_branch", {"id": one.id, "reason": _NO_GROUND}) for one in sight.summary.blocked]
    if not carriers(sight):
        return [*moves, *others, *_nothing(sight)]
    opened = [one for one in sight.summary.open_challenges if one.target == "conclusion"]
    if opened:
        return [*moves, *others, *_tested(sight, opened[-1].id, opened[-1].query, opened[-1].searched)]
    if more := _missing_sources(sight):
        return [*moves, *others, *more]
    state = sight.asked.get("conclusion", "none") or "none"
    if state in ("survived", "inconclusive") and not _unchallenged(sight):
        if state == "survived" or len(_used(sight)) >= 3:
            return [*moves, *others, *_finished(sight)]
        return [*moves, *others, *_attacked(sight, conclusion(sight), restate=False)]
    return [
        *moves,
        *others,
        *_attacked(sight, conclusion(sight, limited=state in ("weakened", "refuted")), restate=True),
    ]


def carriers(sight: Sight) -> list[tuple[str, list[ClaimRecord]]]:
    """(question id, live claims) of every answered question, in order, but for those that settle a contradiction."""
    settling = {one.question for one in sight.notes.contradictions}
    found = {}
    for one in sight.summary.settled:
        claims = [claim for each in one.claim_ids if (claim := sight.claim(each)) and claim in sight.live]
        if one.status == "resolved" and one.id not in settling and claims:
            found[one.id] = claims
    # A long list of answers is cut in the prompt; the claims themselves are all there.
    shown = {claim.id for claims in found.values() for claim in claims}
    for claim in sight.live:
        if (
            claim.question
            and claim.question not in found
            and claim.question not in settling | {"q_001"}
            and claim.id not in shown
        ):
            found.setdefault(claim.question, [])
            if not found[claim.question]:
                found[claim.question].append(claim)
    if not found and (root := [one for one in sight.live if one.question in ("q_001", "")]):
        found["q_001"] = root
    return sorted(found.items())


def conclusion(sight: Sight, limited: bool = False) -> str:
    """Two to four sentences that answer the objective with the values found; what could not be found is said too."""
    said: list[str] = []
    for _, claims in carriers(sight):
        for one in claims[: 2 if len(carriers(sight)) > 2 else 3]:
            if all(not notes.alike(one.text, other) for other in said):
                said.append(one.text)
    said = said[:MOST_SENTENCES]
    if limited and (scope := _scope(sight)):
        said.append(scope)
    return one_line(" ".join(said), 1500)


def _scope(sight: Sight) -> str:
    """What was found against the conclusion, as a sentence of it."""
    recorded = [
        one for one in sight.calls("record_challenge_result") if one.arguments.get("outcome") in ("weakened", "refuted")
    ]
    evidence = str(recorded[-1].arguments.get("evidence", "")) if recorded else ""
    return f"This holds within limits: {evidence}" if evidence else "This holds as far as the documents read go."


def _attacked(sight: Sight, stated: str, restate: bool) -> list[Move]:
    used = _used(sight)
    able = attacks.left(sight, _order(sight))
    order = [one for one in able if str(one) not in used] or list(able)
    moves: list[Move] = [("notes_scratch", {"text": f"{CONCLUSION} {stated}"})] if restate else []
    for strategy in order:
        if more := attacks.on_conclusion(sight, _attacked_question(sight, len(used)), stated, strategy):
            return [*moves, *more]
    return moves or _finished(sight)


def _attacked_question(sight: Sight, number: int) -> str:
    """The part of the objective that the attack aims at: another one each time."""
    parts = split(sight.objective)
    answered = [
        one
        for one in parts
        if any(notes.value_of(one, claim.text) for _, claims in carriers(sight) for claim in claims)
    ]
    parts = answered or parts
    return parts[number % len(parts)]


def _order(sight: Sight) -> Sequence[Strategy]:
    return attacks.strategies(sight.objective) if typed(analyse(sight.objective)) else _ORDER


def _used(sight: Sight) -> list[str]:
    return [one for one in sight.asked.get("strategies", "").split(",") if one]


def _tested(sight: Sight, challenge_id: str, query: str, searched: bool) -> list[Move]:
    if not searched and fold(query) not in {fold(one.query) for one in sight.calls("web_search", 1)}:
        return [("web_search", {"query": query})]
    if not sight.fresh and sight.calls("web_search", 1):
        fetch = candidates(sight, _attacked_question(sight, 0), 2, attack=True, strict=True)
        if fetch:
            return [("fetch_page", {"url": url, "challenge_id": challenge_id}) for url in fetch]
    found = "The search brought nothing that speaks against it."
    outcome = Outcome.SURVIVED if searched else Outcome.INCONCLUSIVE
    verdict = attacks.Verdict(outcome=outcome, evidence=found if searched else "The search failed.")
    moves = [attacks.record(challenge_id, verdict)]
    return [*moves, *_finished(sight)] if searched and not _missing_sources(sight) else moves


def _recorded(sight: Sight) -> list[Move]:
    """Pages read while closing: further sources of claims that stand, what speaks against them, or nothing relevant."""
    made: list[dict[str, object]] = []
    pages = sight.fresh
    parts = split(sight.objective)
    for part in parts if pages else ():
        for finding in notes.read(part, pages):
            same = next((one for one in sight.live if notes.says(part, one, finding)), None)
            if same is not None:
                made += notes.entries(part, finding, pages, claim=same)
    if pages:
        against = late(Desk(sight=sight, question="", fresh=pages)).entries
        made += [one for one in against if one.get("contradicts") or notes.OLDER in str(one.get("note", ""))]
    named = {str(one["source"]) for one in made}
    rest = {one.source: one for one in pages if one.source not in named}
    return [*notes.append(made), *(notes.irrelevant(one) for one in rest.values())]


def _open_elsewhere(sight: Sight) -> list[Move]:
    """Challenges that were left open are closed without a verdict."""
    verdict = attacks.Verdict(outcome=Outcome.INCONCLUSIVE, evidence="It was not carried further.")
    return [attacks.record(one.id, verdict) for one in sight.summary.open_challenges if one.target != "conclusion"]


def _finished(sight: Sight) -> list[Move]:
    """The root's answer and the end of exploration; what the gate misses and a sentence can mend is mended first."""
    ids = list(dict.fromkeys(claim.id for _, claims in carriers(sight) for claim in claims))[:20]
    stated = _stated(sight) or conclusion(sight)
    arguments: dict[str, object] = {"id": "q_001", "answer": one_line(stated, 1900), "claim_ids": ids}
    waive = {}
    if any(one.status is not ClaimStatus.VERIFIED for one in sight.live if one.id in ids):
        waive["verified"] = "Not every claim has two independent sources; the report says which."
    if _unchallenged(sight):
        waive["challenge"] = "Every strategy was used on the conclusion."
    arguments |= {"waive": waive} if waive else {}
    moves: list[Move] = [*_addressed(sight), *_explained(sight)]
    if re.search(r"\bq_001, the objective, is\b", sight.sentence) or "q_001" not in {
        one.id for one in sight.summary.settled
    }:
        moves.append(("resolve_question", arguments))
    return [*moves, ("finish_exploration", {})]


def _unchallenged(sight: Sight) -> bool:
    return any(one.refused in ("unchallenged", "refuted_answer") for one in sight.calls("resolve_question", 1))


def _stated(sight: Sight) -> str:
    for part in re.split(r"\n\s*\n", sight.notes.scratch):
        at = part.find(CONCLUSION)
        if at >= 0:
            return " ".join(part[at + len(CONCLUSION) :].split())
    return ""


def _addressed(sight: Sight) -> Iterable[Move]:
    """Open contradictions without a question, when exploration can only be ended by naming them."""
    for one in sight.notes.contradictions:
        if one.status == "open" and f"{one.claim_id}><{one.other_id}" in sight.sentence:
            why = "Both statements are given in the report, with what speaks for each."
            yield ("notes_update", {"id": f"{one.claim_id}><{one.other_id}", "change": {"addressed": why}})


def _explained(sight: Sight) -> Iterable[Move]:
    """Questions resolved without a VERIFIED claim: why no better claim is there."""
    for found in re.finditer(r"is resolved without a VERIFIED claim: verify one of ([cd]_\d+)", sight.sentence):
        yield ("notes_update", {"id": found[1], "change": {"note": "No second independent source was found."}})


def _missing_sources(sight: Sight) -> list[Move]:
    """Once, before the conclusion: more pages, when the gate asks for more sources than the claims link."""
    stated = sight.asked.get("conclusion", "none") not in ("", "none")
    if stated or not re.search(r"The claims link \d+ (?:source|domain)", sight.sentence):
        return []
    if any(one.ago > 1 for one in sight.calls("web_search")):
        return []
    parts = split(sight.objective)
    if sight.calls("web_search", 1) and not sight.fresh:
        fetch = dict.fromkeys(url for part in parts for url in candidates(sight, part, 4))
        return [("fetch_page", {"url": url}) for url in list(fetch)[:6]]
    used: list[str] = list(sight.queries)
    moves: list[Move] = []
    for part in parts[:4]:
        first = queries(part, used)
        query = queries(part, [*used, first])
        used += [first, query]
        moves += [("web_search", {"query": query, "limit": 12})] if query else []
    return moves


def _nothing(sight: Sight) -> list[Move]:
    """No claim stands: the root is exhausted with an assumption, by as many reformulations as the cap asks for."""
    if "q_001" in {one.id for one in sight.summary.settled}:
        return [("finish_exploration", {})]
    return [*reformulated(sight, sight.objective), ("finish_exploration", {})]
