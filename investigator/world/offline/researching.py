"""One question: search, read, record, attack, answer. Every step is chosen from what the prompt shows.

Knows the rhythm of a question; must not know planning, the conclusion or the report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from investigator.core.blocks import one_line
from investigator.core.notes_text import ClaimRecord
from investigator.core.summary_view import OpenChallenge
from investigator.core.text import fold
from investigator.core.vocab import ClaimStatus, Outcome, Strategy
from investigator.world.offline import challenging as attacks
from investigator.world.offline import recording as notes
from investigator.world.offline.analysis import analyse
from investigator.world.offline.choosing import candidates, promise
from investigator.world.offline.desk import Desk, at_desk
from investigator.world.offline.questions import queries
from investigator.world.offline.seeing import Move, Sight

FETCHES = 4  # pages asked for in one turn
_PROMISING = 0.3  # how well a hit must answer for its page to be opened again
MOST_ATTACKS = 3  # of one claim; the rules allow as many


def researching(sight: Sight) -> list[Move]:
    """The calls of a turn on a question."""
    if sight.settles is not None:
        return settling(sight)
    desk = at_desk(sight)
    opened = _opened(desk)
    if not opened and not desk.typed and not desk.fresh and (leaves := _leaves(desk)):
        return leaves
    if not opened and not desk.typed and not desk.fresh and (beside := _beside(desk)):
        return beside
    if opened:
        return [*desk.moves, *_attacked(desk, opened)]
    if not desk.claims:
        return [*desk.moves, *_searching(desk)]
    if desk.further and (looked := _looking_further(desk)):
        return [*desk.moves, *looked]
    return [*desk.moves, *_challenged(desk)]


def _leaves(desk: Desk) -> list[Move]:
    """The next part of a long page: prose may answer in several parts of one document, if it answers at all."""
    sight = desk.sight
    telling = {found.url for claim in desk.claims for one, _ in claim.sources if (found := sight.source(one))}
    left = [url for url, _ in sight.parts]
    for url, part in sight.parts:
        if url in telling or (not desk.claims and left.count(url) > 1):
            return [("fetch_page", {"url": url, "part": part})]
    return []


def _beside(desk: Desk) -> list[Move]:
    """The next page whose reading was put off: prose is told best by one of several pages, not by the first read."""
    sight = desk.sight
    if not desk.claims or sight.calls("challenge") or len({one for claim in sight.own for one, _ in claim.sources}) > 2:
        return []
    return [("fetch_page", {"url": url}) for url in sight.barred if url not in sight.read_urls][:1]


def _looking_further(desk: Desk) -> list[Move]:
    """Search and read for what limits or changes an answer that was found."""
    sight, question = desk.sight, desk.question
    if not sight.summary.attempts and not sight.calls("web_search", 1):
        first = attacks.attack(sight, question, desk.claims[0].text, Strategy.NEWER_EVIDENCE)
        second = attacks.attack(sight, question, desk.claims[0].text, Strategy.SCOPE_LIMITS, [first])
        return [("web_search", {"query": one}) for one in (first, second) if one]
    if not desk.fresh and sight.calls("web_search", 1) and not sight.calls("challenge", 1):
        return [("fetch_page", {"url": one}) for one in candidates(sight, question, FETCHES, attack=True)]
    return []


def _opened(desk: Desk) -> list[OpenChallenge]:
    """Open challenges that bear on the current question."""
    sight = desk.sight
    mine = {one.id for one in sight.notes.claims if one.question == sight.current} | {one.id for one in desk.claims}
    return [one for one in sight.summary.open_challenges if one.target in mine | {f"answer of {sight.current}"}]


def _attacked(desk: Desk, opened: Sequence[OpenChallenge]) -> list[Move]:
    """A challenge is open: search it, read what may bear on it, then record what it showed."""
    sight = desk.sight
    asked = {fold(one.query) for one in sight.calls("web_search", 2)}
    unsearched = [one.query for one in opened if not one.searched and fold(one.query) not in asked]
    if unsearched:
        return [("web_search", {"query": query}) for query in unsearched]
    if not desk.fresh and any(one.hits for one in sight.calls("web_search", 1)):
        value = desk.main.value if desk.main and attacks.voices(sight, desk.main) < 2 else ""
        fetch = candidates(sight, desk.question, FETCHES, attack=True, value=value)
        if fetch:
            return [("fetch_page", {"url": url, "challenge_id": opened[0].id}) for url in fetch]
    return _judged(desk, opened)


def _judged(desk: Desk, opened: Sequence[OpenChallenge]) -> list[Move]:
    sight, question = desk.sight, desk.question
    moves: list[Move] = []
    after, lost, unclear = desk, False, False
    for one in opened:
        answering = one.target.startswith("answer")
        claim = (_believed(desk, one) if answering else sight.claim(one.target)) or desk.main
        if claim is None:
            verdict = attacks.Verdict(outcome=Outcome.INCONCLUSIVE, evidence="What it attacked is gone.")
        else:
            verdict = attacks.judged(sight, question, claim, one.strategy, one.searched)
        lost = lost or verdict.outcome is Outcome.REFUTED
        unclear = unclear or (verdict.outcome is Outcome.INCONCLUSIVE and not answering and one.searched)
        moves.append(attacks.record(one.id, replace(verdict, counter="") if answering else verdict))
        after = after if answering else after.checked(one.target, one.id, verdict.outcome)
    main = after.main
    again = main is not None and ((unclear and len(main.checks) < MOST_ATTACKS) or _unattacked(sight, main))
    return [*moves, *(_challenged(after, again=True) if lost or again else _settled(after))]


def _unattacked(sight: Sight, claim: ClaimRecord) -> bool:
    """Whether the only attacks on a claim were refused, for instance for a query of long ago; another one may pass."""
    made = [one for one in sight.calls("challenge") if one.arguments.get("claim_id") == claim.id]
    return not claim.checks and 0 < len(made) < MOST_ATTACKS and all(one.refused for one in made)


def _believed(desk: Desk, challenge: OpenChallenge) -> ClaimRecord | None:
    """The claim that the attacked answer rests on: the belief stands in the call, if that is still shown."""
    calls = [one for one in desk.sight.calls("challenge") if fold(one.query) == fold(challenge.query)]
    belief = fold(str(calls[-1].arguments.get("belief", ""))) if calls else ""
    known = [*desk.claims, *desk.sight.notes.refuted]
    return next((one for one in known if belief and fold(one.text) in belief), None)


def _challenged(desk: Desk, again: bool = False) -> list[Move]:
    """Attack the main claim and the answer, or settle the question when that was done.

    Args:
        again: the last attack left it unclear, or another claim leads now.
    """
    sight, question, main = desk.sight, desk.question, desk.main
    if main is None:
        return _searching(desk)
    answer, _ = desk.answer
    unchallenged = any(one.refused in ("unchallenged", "refuted_answer") for one in sight.calls("resolve_question", 1))
    if main.checks and not (unchallenged or again or desk.further):
        return _settled(desk)
    done = len(main.checks)
    order = attacks.left(sight, attacks.strategies(question))
    done = 0 if any(one.refused.startswith("strategy") for one in sight.calls("challenge")) else done
    moves: list[Move] = []
    if not desk.further and len(main.checks) < MOST_ATTACKS and not (unchallenged and main.checks):
        moves = _first(lambda one, taken: attacks.on_claim(sight, question, main, one, taken), order[done:], [])
        moves += _second_source(desk, main)
    if sight.summary.depth > 1:
        return moves or _settled(desk)
    taken = [str(one[1]["query"]) for one in moves if one[0] == "challenge"]
    used = {str(one[1]["strategy"]) for one in moves if one[0] == "challenge"}
    others = [one for one in (*order[done + 1 :], *order[: done + 1]) if str(one) not in used] or list(order)
    more = _first(lambda one, taken: attacks.on_answer(sight, question, answer, one, taken), others, taken)
    return [*moves, *more] or _settled(desk)


def _second_source(desk: Desk, main: ClaimRecord) -> list[Move]:
    """A search for the subject with the value found: whoever else states it may call the rest by other words."""
    subject = " ".join(analyse(desk.question).entities)
    if not main.value or not subject or attacks.voices(desk.sight, main) >= 2:
        return []
    query = f"{subject} {main.value} {main.unit}".strip()
    return [("web_search", {"query": query})] if fold(query) not in desk.sight.queries else []


def _first(
    attack: Callable[[Strategy, Sequence[str]], list[Move]], order: Sequence[Strategy], taken: Sequence[str]
) -> list[Move]:
    return next((moves for one in order if (moves := attack(one, taken))), [])


def _settled(desk: Desk) -> list[Move]:
    """Verify what can be verified and resolve the question."""
    sight = desk.sight
    answer, ids = desk.answer
    if not ids:
        return []
    refused = {str(one.arguments.get("id")) for one in sight.calls("notes_update") if one.refused == "not_verified"}
    able = [one.id for one in desk.claims if one.id in ids and one.id not in refused and _may_verify(sight, one)]
    moves: list[Move] = [("notes_update", {"id": one, "change": {"status": "VERIFIED"}}) for one in able]
    verified = {one.id for one in desk.claims if one.status is ClaimStatus.VERIFIED} | set(able)
    arguments: dict[str, object] = {"id": sight.current, "answer": answer, "claim_ids": list(ids)}
    waive = {} if set(ids) <= verified else {"verified": _why_not(sight, desk.claims, ids)}
    if any(one.refused == "unchallenged" for one in sight.calls("resolve_question", 1)):
        # It comes here again only when no attack on the answer is left.
        waive["challenge"] = "No strategy or query is left with which the answer could be attacked."
    arguments |= {"waive": waive} if waive else {}
    return [*moves, ("resolve_question", arguments)]


def _may_verify(sight: Sight, claim: ClaimRecord) -> bool:
    """Whether it looks as if the rule for VERIFIED is met."""
    survived = any(outcome == Outcome.SURVIVED for _, outcome in claim.checks)
    return survived and claim.status is not ClaimStatus.VERIFIED and attacks.voices(sight, claim) >= 2


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
    if not summary.attempts and not desk.fresh and not sight.calls("web_search", 1):
        return [("web_search", {"query": one}) for one in _first_queries(question, sight)]
    if sight.parts:
        return [("fetch_page", {"url": url, "part": part}) for url, part in sight.parts[:1]]
    leafing = _leafing(sight, question)
    if leafing and not desk.typed:
        return leafing
    fetch = candidates(sight, question, FETCHES, strict=summary.attempts >= 3)
    if leafing or fetch:  # a value stands in short pages as well: both are asked for at once
        return [*leafing, *(("fetch_page", {"url": url}) for url in fetch)]
    return reformulated(sight, question)


def _leafing(sight: Sight, question: str) -> list[Move]:
    """Ask where in a long page that was read for something else this question's words stand: the refusal tells it."""
    asked = {one.url for one in sight.calls("fetch_page") if one.refused == "read_before"}
    for call in sight.shown:
        for hit in call.hits:
            known = hit.url in {one.url for one in sight.notes.sources}
            if known and hit.url not in asked and promise(question, hit) > _PROMISING:
                return [("fetch_page", {"url": hit.url})]
    return []


def _first_queries(question: str, sight: Sight) -> list[str]:
    first = queries(question) or one_line(question, 300)
    second = queries(question, [first])
    return [one for one in (first, second) if one]


def reformulated(sight: Sight, question: str) -> list[Move]:
    """The next reformulation and its search; at the cap what the report should assume."""
    used = list(sight.queries) + _first_queries(question, sight)
    for _ in range(max(0, sight.summary.attempts - 1)):
        used.append(queries(question, used))
    tried = set(map(fold, used))
    plain = (f"{question.rstrip(' ?')} {word}" for word in ("", "report", "record", "notes", "article", "facts"))
    query = queries(question, used) or next((one for one in plain if fold(one) not in tried), question)
    retry = {
        "id": sight.current, "new_query": one_line(query, 380), "why": "Nothing that was found answers it.",
        "assumption": assumption(sight),
    }  # fmt: skip
    return [("retry_question", retry), ("web_search", {"query": retry["new_query"]})]


def assumption(sight: Sight) -> str:
    """What the report should say of a question without an answer, with the words of pages that say it is not known."""
    told = [f"{one.domain or one.url}: “{said}”" for one, said in notes.denials(sight.notes.sources, sight.current)]
    if told:
        return one_line(f"No page that was read gives it. {'; '.join(told[:2])}", 590)
    return "None of the pages that were found answers this."


def settling(sight: Sight) -> list[Move]:
    """Two claims cannot both hold: take the one that is better supported or newer, and say so."""
    pair = sight.settles
    if pair is None:
        return []
    moves: list[Move] = list(at_desk(sight).moves) if sight.fresh else []
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
