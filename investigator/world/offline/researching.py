"""One question: search, read, record, attack, answer. Every step is chosen from what the prompt shows.

Knows the rhythm of a question; must not know planning, the conclusion or the report.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from investigator.core.blocks import PageBlock, one_line
from investigator.core.notes_text import ClaimRecord
from investigator.core.text import fold
from investigator.core.vocab import ClaimStatus, Outcome, Stance
from investigator.world.offline import challenging as attacks
from investigator.world.offline import recording as notes
from investigator.world.offline.analysis import analyse
from investigator.world.offline.choosing import candidates
from investigator.world.offline.findings import Finding
from investigator.world.offline.planning import FURTHER, direct_question
from investigator.world.offline.questions import queries
from investigator.world.offline.seeing import Move, Sight
from investigator.world.offline.values import typed

FETCHES = 4  # pages asked for in one turn
MOST_ANSWER = 3  # sentences of an answer that is prose
NOTHING_FURTHER = "Nothing that was read limits or changes this"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A sight with what this reply will have recorded. ``countered``: it records a claim against an older one."""

    sight: Sight
    question: str
    moves: tuple[Move, ...] = ()
    claims: tuple[ClaimRecord, ...] = ()
    scope: tuple[Finding, ...] = ()
    countered: bool = False


def researching(sight: Sight) -> list[Move]:
    """The calls of a turn on a question."""
    if sight.settles is not None:
        return settling(sight)
    desk = recorded(sight)
    opened = _opened(desk)
    if opened:
        return [*desk.moves, *_attacked(desk, opened)]
    if not desk.claims:
        return [*desk.moves, *_searching(desk)]
    if _further(desk) and (looked := _looking_further(desk)):
        return [*desk.moves, *looked]
    if desk.countered:
        return [*desk.moves, *_second_look(desk)]
    return [*desk.moves, *_challenged(desk)]


def recorded(sight: Sight) -> Desk:
    """What the pages in the prompt give for the question, as calls and as the claims they will make."""
    question = direct_question(sight.question, sight.objective)
    own = tuple(one for one in sight.own if notes.OLDER not in one.note)
    if sight.question.startswith(FURTHER) and not own:
        own = _carried(sight)
    desk = Desk(sight=sight, question=question, claims=own)
    if not sight.fresh:
        return desk
    pages = sight.fresh
    made: list[dict[str, object]] = []
    found = notes.read(question, pages)
    claims, countered = list(own), False
    for rank, finding in enumerate(found):
        entries, claim, counters = _entered(desk, claims, finding, pages, rank, found)
        made += entries
        countered = countered or counters
        if claim is not None:
            claims.append(claim)
    main = _main(sight, question, claims)
    scope = [one for one in (attacks.scopes(question, main.text, pages) if main and typed(analyse(question)) else [])
             if all(not notes.alike(one.text, claim.text) for claim in claims)]  # fmt: skip
    for one in scope:
        entries = notes.entries(question, one, pages, note=f"scope of {main.id}" if main else "")
        if entries:
            made += entries[:1]
            claims.append(_virtual(sight, entries, claims))
    named = {str(one["source"]) for one in made}
    moves = [*notes.append(made), *(notes.irrelevant(one) for one in _once(pages) if one.source not in named)]
    return replace(desk, moves=tuple(moves), claims=tuple(claims), scope=tuple(scope), countered=countered)


def _once(pages: Sequence[PageBlock]) -> tuple[PageBlock, ...]:
    return tuple({one.source: one for one in pages}.values())


def _entered(
    desk: Desk,
    claims: list[ClaimRecord],
    finding: Finding,
    pages: Sequence[PageBlock],
    rank: int,
    found: Sequence[Finding],
) -> tuple[list[dict[str, object]], ClaimRecord | None, bool]:
    """(entries, the new claim, whether it speaks against an older one) of one finding."""
    question, sight = desk.question, desk.sight
    same = next((one for one in claims if notes.says(question, one, finding)), None)
    if same is not None:
        return notes.entries(question, finding, pages, claim=same), None, False
    if not typed(analyse(question)):
        if len(claims) >= notes.MOST_SENTENCES or (rank and finding.score < 0.6 * found[0].score):
            return [], None, False
        entries = notes.entries(question, finding, pages)
        return entries, _virtual(sight, entries, claims) if entries else None, False
    main = _main(sight, question, claims)
    if main is None:
        entries = notes.entries(question, finding, pages)
        return entries, _virtual(sight, entries, claims) if entries else None, False
    return _rival(desk, main, claims, finding, pages)


def _rival(
    desk: Desk, main: ClaimRecord, claims: list[ClaimRecord], finding: Finding, pages: Sequence[PageBlock]
) -> tuple[list[dict[str, object]], ClaimRecord | None, bool]:
    """Another value than the main claim's: against it, or superseded by it, or beside the point."""
    question = desk.question
    if not any(one.first for one in finding.supports) or finding.score < 0.55:
        return [], None, False
    bearing = notes.bearing(main.text, notes.statement(question, finding))
    if bearing not in ("contradicts", "qualifies"):
        return [], None, False
    mine, theirs = notes.note_dates(main), finding.published
    if not notes.is_timeless(question) and mine and theirs and theirs < mine:
        entries = notes.entries(question, finding, pages, note=f"{notes.DATED}{theirs}; {notes.OLDER} by {main.id}")
        return entries[:1], None, False
    entries = notes.entries(question, finding, pages, contradicts=[main.id])
    return entries, _virtual(desk.sight, entries, claims) if entries else None, bool(entries)


def _virtual(sight: Sight, entries: Sequence[dict[str, object]], claims: Sequence[ClaimRecord]) -> ClaimRecord:
    """The record that an entry will most likely make."""
    first = entries[0]
    prefix = "d" if first.get("kind") == "datapoint" else "c"
    known = [int(one.id[2:]) for one in claims if one.id.startswith(prefix)]
    number = max([sight.next_id(prefix), *(one + 1 for one in known)])
    return ClaimRecord(
        id=f"{prefix}_{number:03}", status=ClaimStatus.UNVERIFIED, text=one_line(str(first["text"]), 600), value=str(first.get("value", "")),
        unit=str(first.get("unit", "")), sources=tuple((str(one["source"]), Stance.SUPPORTS) for one in entries),
        independent=tuple(str(one["source"]) for one in entries if one.get("independent")), question=sight.current,
        note=str(first.get("note", "")),
    )  # fmt: skip


def _carried(sight: Sight) -> tuple[ClaimRecord, ...]:
    """The claims of the settled question that this one asks further about."""
    for one in sight.summary.settled:
        claims = [claim for each in one.claim_ids if (claim := sight.claim(each)) and claim in sight.live]
        if one.status == "resolved" and claims:
            return tuple(claims)
    return ()


def _main(sight: Sight, question: str, claims: Sequence[ClaimRecord]) -> ClaimRecord | None:
    """The claim to answer with: standing, attacked and held, newest where that counts, best supported."""
    if not claims:
        return None
    timeless = notes.is_timeless(question)

    def rank(one: ClaimRecord) -> tuple[object, ...]:
        beaten = any(attacks.outweighs(sight, question, other, one) for other in attacks.against(sight, one))
        return (
            beaten, "scope of" in one.note, one.status is not ClaimStatus.VERIFIED,
            "" if timeless else _descending(notes.note_dates(one)), -attacks.voices(sight, one), one.id[2:],
        )  # fmt: skip

    return min(claims, key=rank)


def _descending(date: str) -> str:
    return "".join(chr(ord("9") - int(one)) if one.isdigit() else one for one in date) or "~"


def _further(desk: Desk) -> bool:
    """Whether the question asks what limits or changes an answer that was found, and has brought nothing yet."""
    return desk.sight.question.startswith(FURTHER) and all(one.question != desk.sight.current for one in desk.claims)


def _looking_further(desk: Desk) -> list[Move]:
    sight, question = desk.sight, desk.question
    if not sight.summary.attempts and not sight.calls("web_search", 1):
        first = attacks.attack(sight, question, desk.claims[0].text, attacks.Strategy.NEWER_EVIDENCE)
        second = attacks.attack(sight, question, desk.claims[0].text, attacks.Strategy.SCOPE_LIMITS, [first])
        return [("web_search", {"query": one}) for one in (first, second) if one]
    if not sight.fresh and sight.calls("web_search", 1) and not sight.calls("challenge", 1):
        return [("fetch_page", {"url": one}) for one in candidates(sight, question, FETCHES, attack=True)]
    return []


def _answer(desk: Desk) -> tuple[str, tuple[str, ...]]:
    """The answer to the question as it was asked, and its claims."""
    answer, ids = answer_of(desk.sight, desk.question, desk.claims)
    return (f"{NOTHING_FURTHER}: {answer}" if answer and _further(desk) else answer), ids


def answer_of(sight: Sight, question: str, claims: Sequence[ClaimRecord]) -> tuple[str, tuple[str, ...]]:
    """The answer and the claims that carry it."""
    main = _main(sight, question, claims)
    if main is None:
        return "", ()
    if typed(analyse(question)):
        scope = [one.id for one in claims if one.note.startswith(f"scope of {main.id}")]
        return main.text, (main.id, *scope)
    chosen = sorted(claims, key=lambda one: one.id)
    return " ".join(one.text for one in chosen[:MOST_ANSWER]), tuple(one.id for one in chosen[: notes.MOST_SENTENCES])


def _opened(desk: Desk) -> list[tuple[str, str, str, bool]]:
    """(challenge id, target, query, searched) of every open challenge that bears on the current question."""
    sight = desk.sight
    mine = {one.id for one in sight.notes.claims if one.question == sight.current} | {one.id for one in desk.claims}
    targets = mine | {f"answer of {sight.current}"}
    return [
        (one.id, one.target, one.query, one.searched) for one in sight.summary.open_challenges if one.target in targets
    ]


def _attacked(desk: Desk, opened: Sequence[tuple[str, str, str, bool]]) -> list[Move]:
    sight = desk.sight
    asked = {fold(one.query) for one in sight.calls("web_search", 2)}
    unsearched = [query for _, _, query, searched in opened if not searched and fold(query) not in asked]
    if unsearched:
        return [("web_search", {"query": query}) for query in unsearched]
    if desk.countered:
        return []  # the counter-claim's id is needed to record the result, and the next notes show it
    if not sight.fresh and any(one.query and one.hits for one in sight.calls("web_search", 1)):
        fetch = candidates(sight, desk.question, FETCHES, attack=True)
        if fetch:
            return [("fetch_page", {"url": url, **_carrying(opened)}) for url in fetch]
    return [*_recorded_results(desk, opened), *_settled(desk)]


def _carrying(opened: Sequence[tuple[str, str, str, bool]]) -> dict[str, str]:
    return {"challenge_id": opened[0][0]} if opened else {}


def _recorded_results(desk: Desk, opened: Sequence[tuple[str, str, str, bool]]) -> list[Move]:
    sight, question = desk.sight, desk.question
    moves = []
    for challenge_id, target, _query, searched in opened:
        claim = sight.claim(target) or _main(sight, question, [one for one in sight.own] or desk.claims)
        if claim is None:
            verdict = attacks.Verdict(outcome=Outcome.INCONCLUSIVE, evidence="What it attacked is gone.")
        else:
            limited = desk.scope if not target.startswith("answer") or "scope" not in claim.note else ()
            verdict = attacks.judged(sight, question, claim, limited, searched)
        if target.startswith("answer") and verdict.outcome is Outcome.REFUTED:
            verdict = replace(verdict, counter="")
        moves.append(attacks.record(challenge_id, verdict))
    return moves


def _challenged(desk: Desk) -> list[Move]:
    """Claims stand and no challenge is open: attack them, or settle the question."""
    sight, question = desk.sight, desk.question
    main = _main(sight, question, desk.claims)
    assert main is not None  # noqa: S101 - the caller has seen that there are claims
    answer, _ = _answer(desk)
    done = {str(one.arguments.get("id")) for one in sight.calls("record_challenge_result", 1) if not one.refused}
    unchallenged = any(one.refused in ("unchallenged", "refuted_answer") for one in sight.calls("resolve_question", 1))
    order = attacks.strategies(question, attacks.voices(sight, main) < 2)
    if main.checks and not unchallenged and not _further(desk):
        return _settled(desk)
    start = len(main.checks)
    moves: list[Move] = []
    if not main.checks and not done:
        moves = attacks.on_claim(sight, question, main, order[start % len(order)])
        start += 1
    if sight.summary.depth <= 1:
        taken = [str(one[1]["query"]) for one in moves if one[0] == "challenge"]
        refused = len([one for one in sight.calls("challenge") if one.refused])
        for strategy in (*order[start + refused :], *order[: start + refused]):
            if more := attacks.on_answer(sight, question, answer, strategy, taken):
                return [*moves, *more]
    return moves or _settled(desk)


def _second_look(desk: Desk) -> list[Move]:
    """A claim speaks against an older one: look for whatever decides between them."""
    query = attacks.attack(desk.sight, desk.question, desk.claims[0].text, attacks.Strategy.NEWER_EVIDENCE)
    return [("web_search", {"query": query})] if query else []


def _settled(desk: Desk) -> list[Move]:
    """Verify what can be verified and resolve the question."""
    sight = desk.sight
    answer, ids = _answer(desk)
    if not ids:
        return []
    moves: list[Move] = []
    held = {one.id for one in desk.claims if _may_verify(sight, one)}
    refused = {str(one.arguments.get("id")) for one in sight.calls("notes_update") if one.refused == "not_verified"}
    for one in desk.claims:
        if one.id in ids and one.id in held - refused:
            moves.append(("notes_update", {"id": one.id, "change": {"status": "VERIFIED"}}))
    verified = {one.id for one in desk.claims if one.status is ClaimStatus.VERIFIED} | (held - refused)
    arguments: dict[str, object] = {"id": sight.current, "answer": answer, "claim_ids": list(ids)}
    if not set(ids) <= verified:
        arguments["waive"] = {"verified": _why_not(sight, desk.claims, ids)}
    return [*moves, ("resolve_question", arguments)]


def _may_verify(sight: Sight, claim: ClaimRecord) -> bool:
    """Whether it looks as if the rule for VERIFIED is met once the open challenges are recorded as survived."""
    if claim.status is ClaimStatus.VERIFIED or attacks.against(sight, claim):
        return False
    targets = {one.target for one in sight.summary.open_challenges if one.searched}
    survived = any(outcome == Outcome.SURVIVED for _, outcome in claim.checks) or claim.id in targets
    return survived and attacks.voices(sight, claim) >= 2


def _why_not(sight: Sight, claims: Sequence[ClaimRecord], ids: Sequence[str]) -> str:
    few = [
        one.id
        for one in claims
        if one.id in ids and one.status is not ClaimStatus.VERIFIED and attacks.voices(sight, one) < 2
    ]
    if few:
        return f"{', '.join(few)}: only one independent source was found that says so."
    return "A search against each of them did not settle more."


def _searching(desk: Desk) -> list[Move]:
    """No claim yet: search, read on, or reformulate until the cap."""
    sight, question, summary = desk.sight, desk.question, desk.sight.summary
    asked = {fold(one.query) for one in sight.calls("web_search", 2)}
    waiting = [one for one in sight.waiting if fold(one) not in asked]
    if waiting:
        return [("web_search", {"query": waiting[-1]})]
    if not summary.attempts and not sight.calls("web_search", 1):
        return [("web_search", {"query": one}) for one in _first_queries(question, sight)]
    fetch = candidates(sight, question, FETCHES, strict=summary.attempts >= 3)
    if fetch:
        return [("fetch_page", {"url": url}) for url in fetch]
    return reformulated(sight, question)


def _first_queries(question: str, sight: Sight) -> list[str]:
    first = queries(question) or one_line(question, 300)
    second = queries(question, [first])
    return [one for one in (first, second) if one]


def reformulated(sight: Sight, question: str) -> list[Move]:
    """The next reformulation and its search; at the cap what the report should assume."""
    used = list(sight.queries) + _first_queries(question, sight)
    for _ in range(max(0, sight.summary.attempts - 1)):
        used.append(queries(question, used))
    query = queries(question, used) or f"{question.rstrip('?')} {len(used)}"
    retry = {
        "id": sight.current, "new_query": one_line(query, 380), "why": "Nothing that was found answers it.",
        "assumption": "None of the pages that were found answers this.",
    }  # fmt: skip
    return [("retry_question", retry), ("web_search", {"query": retry["new_query"]})]


def settling(sight: Sight) -> list[Move]:
    """Two claims cannot both hold: take the one that is better supported or newer, and say so."""
    pair = sight.settles
    assert pair is not None  # noqa: S101 - the caller has seen it
    moves: list[Move] = [notes.irrelevant(one) for one in _once(sight.fresh)]
    sides = [one for one in (sight.claim(pair.claim_id), sight.claim(pair.other_id)) if one]
    live = [one for one in sides if one in sight.live]
    question = re.sub(r"\s*\(.*", "", sides[0].text) if sides else ""
    if not live:
        return [*moves, *reformulated(sight, sight.question)]
    first, *rest = sorted(live, key=lambda one: (
        any(attacks.outweighs(sight, question, other, one) for other in live if other is not one),
        not any(outcome == Outcome.SURVIVED for _, outcome in one.checks), -attacks.voices(sight, one), one.id,
    ))  # fmt: skip
    if rest and attacks.outweighs(sight, question, first, rest[0]):
        moves.append(("notes_update", {"id": rest[0].id, "change": {"status": "REFUTED"}}))
    elif rest:
        return [
            *moves,
            *_answered(
                sight,
                f"Sources disagree and nothing that was read decides between them: {first.text} {rest[0].text}",
                live,
            ),
        ]
    return [*moves, *_answered(sight, first.text, [first])]


def _answered(sight: Sight, answer: str, claims: Sequence[ClaimRecord]) -> list[Move]:
    """Resolve a settling question; where its depth asks for it, the answer is challenged first."""
    refused = any(one.refused == "unchallenged" for one in sight.calls("resolve_question", 1))
    opened = [one for one in sight.summary.open_challenges if one.target == f"answer of {sight.current}"]
    moves: list[Move] = []
    for one in opened:
        if not one.searched and not sight.calls("web_search", 1):
            return [("web_search", {"query": one.query})]
        outcome = Outcome.SURVIVED if one.searched else Outcome.INCONCLUSIVE
        moves.append(
            attacks.record(one.id, attacks.Verdict(outcome=outcome, evidence="Nothing further was found against it."))
        )
    if refused and not opened:
        order = attacks.strategies(answer)
        return next((more for one in order if (more := attacks.on_answer(sight, answer, answer, one))), [])
    arguments: dict[str, object] = {"id": sight.current, "answer": answer, "claim_ids": [one.id for one in claims]}
    if any(one.status is not ClaimStatus.VERIFIED for one in claims):
        arguments["waive"] = {"verified": "It is the better supported of the two; more was not found."}
    return [*moves, ("resolve_question", arguments)]
