"""A question's desk: the prompt with what this reply is about to record, so that the same reply can build on it.

Knows how pages become records; must not know searches, challenges' queries or turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from investigator.core.blocks import PageBlock, one_line
from investigator.core.notes import Contradiction, Notes, SourceRecord
from investigator.core.notes_text import ClaimRecord, home
from investigator.core.text import fold
from investigator.core.vocab import ClaimStatus, LinkStatus, Outcome, Stance
from investigator.world.offline import challenging as attacks
from investigator.world.offline import recording as notes
from investigator.world.offline.analysis import Kind, analyse
from investigator.world.offline.dating import older
from investigator.world.offline.findings import TEXT_THRESHOLD, Finding, PageText, answers
from investigator.world.offline.planning import FURTHER, direct_question
from investigator.world.offline.questions import split
from investigator.world.offline.seeing import Move, Sight
from investigator.world.offline.values import typed
from investigator.world.offline.written import COUNTED

MOST_ANSWER = 3  # sentences of an answer that is prose
MOST_CLAIMS = 14  # sentences recorded for it, of which the best are told
MOST_FIRST = 3
NEAR = 0.75  # how near to the best sentence another must come to be told beside it
NOTHING_FURTHER = "Nothing that was read limits or changes this"
_RIVALS = 0.5  # how surely a page must give another value to speak against a claim
# Of these an entity has one; of names, sorts and code several may hold together.
_SINGLE = COUNTED | {Kind.DATE, Kind.PERSON, Kind.PLACE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a reply builds on.

    Attributes:
        sight: the prompt, its notes already as they will stand after the records of this reply.
        question: what pages are asked, in plain words.
        fresh: pages that this reply deals with.
        entries: the records it makes; ``claims`` are the live claims of the question, theirs included.
    """

    sight: Sight
    question: str
    fresh: tuple[PageBlock, ...] = ()
    entries: tuple[dict[str, Any], ...] = ()
    claims: tuple[ClaimRecord, ...] = ()

    @property
    def moves(self) -> list[Move]:
        """The calls that record everything the fresh pages give."""
        named = {str(one["source"]) for one in self.entries}
        rest = {one.source: one for one in self.fresh if one.source not in named}
        return [
            *notes.append(self.entries),
            *(notes.irrelevant(one, self.question, self.sight.current) for one in rest.values()),
        ]

    @property
    def typed(self) -> bool:
        return typed(analyse(self.question))

    @property
    def further(self) -> bool:
        """Whether the question asks what limits or changes an answer, and nothing of its own was found yet."""
        asks = self.sight.question.startswith(FURTHER)
        return asks and all(one.question != self.sight.current for one in self.claims)

    @property
    def main(self) -> ClaimRecord | None:
        return main_claim(self.sight, self.question, self.claims)

    @property
    def answer(self) -> tuple[str, tuple[str, ...]]:
        """The answer to the question as it was asked, and the claims that carry it; empty without any."""
        main = self.main
        if main is None:
            return "", ()
        if self.typed:
            scope = [one.id for one in self.claims if one.note.startswith(f"{attacks.SCOPE_OF}{main.id}")]
            text, ids = main.text, (main.id, *scope)
        else:
            chosen = told(self.question, self.claims)
            text = " ".join(one.text for one in chosen[:MOST_ANSWER])
            ids = tuple(one.id for one in chosen)
        return (f"{NOTHING_FURTHER}: {text}" if self.further else text), ids

    def recording(self, entries: Sequence[dict[str, Any]], claim: ClaimRecord | None = None) -> Desk:
        """With more entries: of a known claim, which gets their sources, or of a new one."""
        if not entries:
            return self
        known = [str(one["source"]) for one in entries]
        trusted = [str(one["source"]) for one in entries if one.get("independent")]
        if claim is None:
            made = _virtual(self.sight, entries)
        else:
            links = tuple((one, Stance.SUPPORTS) for one in known)
            kept = tuple(one for one in claim.sources if one[0] not in known)
            made = replace(claim, sources=(*kept, *links), independent=(*claim.independent, *trusted))
        sight = replace(
            self.sight, notes=_with_claim(self.sight.notes, made, self.fresh, entries[0].get("contradicts", ()))
        )
        claims = (*(one for one in self.claims if one.id != made.id), made)
        older = notes.OLDER in made.note
        return replace(self, sight=sight, entries=(*self.entries, *entries), claims=self.claims if older else claims)

    def checked(self, claim_id: str, challenge_id: str, outcome: str) -> Desk:
        """With the result of a challenge that this reply records; a refuted claim is no longer the question's."""
        if outcome == Outcome.REFUTED:
            sight = replace(self.sight, notes=_refuted(self.sight.notes, claim_id))
            return replace(self, sight=sight, claims=tuple(one for one in self.claims if one.id != claim_id))
        claim = next((one for one in self.claims if one.id == claim_id), None)
        if claim is None:
            return self
        made = replace(claim, checks=(*claim.checks, (challenge_id, outcome)))
        sight = replace(self.sight, notes=_with_claim(self.sight.notes, made, self.fresh, ()))
        return replace(self, sight=sight, claims=tuple(made if one.id == claim_id else one for one in self.claims))


def at_desk(sight: Sight) -> Desk:
    """The prompt with what its unread pages give for the current question, for those that wait and those settled.

    A page is shown once: what it says for a later question, or against an earlier answer, has to be recorded now.
    """
    desk = _read(sight, sight.fresh)
    if not sight.fresh:
        return desk
    for one in sight.summary.next:
        if one.id == sight.current or one.text.startswith((FURTHER, "Which holds:")):
            continue
        desk = _joined(desk, _read(_turned(desk.sight, one.id, one.text), sight.fresh, notes.SURER))
    return late(desk)


def late(desk: Desk) -> Desk:
    """With what its pages say for or against answers that are settled; the code reopens what is contradicted."""
    for question_id, question in _settled_parts(desk.sight, desk.question):
        desk = _joined(desk, _reread(_turned(desk.sight, question_id, question), question))
    return desk


def _turned(sight: Sight, question_id: str, question: str) -> Sight:
    """The prompt as if another question were current."""
    summary = replace(sight.summary, current=question_id, question=question)
    return replace(sight, asked={**sight.asked, "question": question_id}, summary=summary)


def _joined(desk: Desk, other: Desk) -> Desk:
    named = tuple({**entry, "question_id": other.sight.current} for entry in other.entries)
    return replace(desk, entries=(*desk.entries, *named), sight=replace(desk.sight, notes=other.sight.notes))


def _settled_parts(sight: Sight, question: str) -> Iterator[tuple[str, str]]:
    """Parts of the objective that a settled question has answered with a value of its own: its id, and the part.

    The prompt shows answers and not what was asked; the part is what the claim's value answers.
    """
    parts = [one for one in split(sight.objective) if fold(one) != fold(question) and typed(analyse(one))]
    for one in sight.summary.settled:
        claims = (sight.claim(each) for each in one.claim_ids)
        own = [each for each in claims if each in sight.live and each and each.question == one.id]
        if one.status == "resolved" and one.id != sight.current and own and parts:
            part, fits = max(((part, notes.fit(part, own[0].text)) for part in parts), key=lambda pair: pair[1])
            if fits >= notes.SURE:
                yield one.id, part


def _reread(sight: Sight, question: str) -> Desk:
    """A settled answer against new pages: the same value gets its sources, another one speaks against it.

    A value that was refuted once is not brought up again by one more page that repeats it.
    """
    claims = tuple(one for one in sight.own if notes.OLDER not in one.note)
    beaten = [one for one in sight.notes.refuted if one.question == sight.current]
    desk = Desk(sight=sight, question=question, fresh=sight.fresh, claims=claims)
    for one in notes.read(question, sight.fresh, notes.SURER):
        if one.best.value is not None and not any(notes.says(question, each, one) for each in beaten):
            desk = _with_finding(desk, one, one.score)
    return desk


def _read(sight: Sight, pages: tuple[PageBlock, ...], least: float = notes.SURE) -> Desk:
    question = direct_question(sight.question, sight.objective)
    own = tuple(one for one in sight.own if notes.OLDER not in one.note)
    if not own:
        own = _carried(sight) if sight.question.startswith(FURTHER) else _known(sight, question)
    desk = Desk(sight=sight, question=question, fresh=pages, claims=own)
    found = notes.read(question, pages, least) if pages else []
    if not desk.typed and all(one.part == 1 < one.parts for one in pages):
        best = sorted(found, key=lambda one: -one.score)[:MOST_FIRST]
        found = [one for one in found if one in best]  # a long page tells most behind its first part
    for finding in found:
        desk = _with_finding(desk, finding, found[0].score)
    return _with_scope(_with_repeats(desk))


def _known(sight: Sight, question: str) -> tuple[ClaimRecord, ...]:
    """Claims of other questions that answer this one as well."""
    texts = [PageText(key=one.id, text=one.text) for one in sight.live if notes.OLDER not in one.note]
    least = 0.75 if typed(analyse(question)) else TEXT_THRESHOLD
    found = [one for one in answers(question, texts, least) if one.supports] if texts else []
    ids = dict.fromkeys(said.key for one in found[:MOST_ANSWER] for said in one.supports)
    return tuple(claim for each in ids if (claim := sight.claim(each)))


def _with_repeats(desk: Desk) -> Desk:
    """Pages that state the main claim's number of the same thing in other words support it too."""
    main = desk.main
    if main is None or not desk.typed:
        return desk
    known = {source for source, _ in main.sources}
    for said in notes.repeats(desk.question, main, [one for one in desk.fresh if one.source not in known]):
        current = next(one for one in desk.claims if one.id == main.id)
        desk = desk.recording(notes.entries(desk.question, said, desk.fresh, claim=current), current)
    return desk


def _with_finding(desk: Desk, finding: Finding, best: float) -> Desk:
    question, pages = desk.question, desk.fresh
    same = next((one for one in desk.claims if notes.says(question, one, finding)), None)
    if same is not None:
        return desk.recording(notes.entries(question, finding, pages, claim=same), same)
    main = desk.main
    if not desk.typed:
        enough = len(desk.claims) >= MOST_CLAIMS or finding.score < _share(desk.question) * best
        return desk if enough or desk.further else desk.recording(notes.entries(question, finding, pages))
    return desk.recording(notes.entries(question, finding, pages)) if main is None else _with_rival(desk, main, finding)


def _share(question: str) -> float:
    """How near to the best sentence another must come: closely, where one answer is asked for."""
    return 0.85 if analyse(question).kind is Kind.YES_NO else 0.6


def _with_rival(desk: Desk, main: ClaimRecord, finding: Finding) -> Desk:
    """Another value than the main claim's: against it, superseded by it, or beside the point."""
    question, pages = desk.question, desk.fresh
    if not notes.comparable(question, main, finding):
        return desk
    if not any(one.first and one.score >= _RIVALS for one in (*finding.supports, *finding.disputed)):
        return desk
    single = analyse(question).kind in _SINGLE and finding.score >= 0.7
    if not single and notes.bearing(main.text, notes.statement(question, finding)) != "contradicts":
        return desk
    theirs = (finding.best.outdated, finding.best.published)
    if not notes.is_timeless(question) and older(theirs, notes.age(main)):
        note = f"{notes.OLDER} by {main.id}"
        return desk.recording(notes.entries(question, finding, pages, note=note)[:1])
    return desk.recording(notes.entries(question, finding, pages, contradicts=[main.id]))


def _with_scope(desk: Desk) -> Desk:
    main = desk.main
    if main is None or not desk.typed or not desk.fresh:
        return desk
    found = attacks.scopes(desk.question, main.text, desk.fresh)
    new = [one for one in found if all(one.text not in claim.text for claim in desk.claims)]
    for one in new[:2]:
        entries = notes.entries(desk.question, one, desk.fresh, note=f"{attacks.SCOPE_OF}{main.id}")
        desk = desk.recording(entries[:1])
    return desk


def told(question: str, claims: Sequence[ClaimRecord]) -> list[ClaimRecord]:
    """The best sentences of an answer that is prose: those of the best one's section first, as the page tells them."""
    ranked = sorted(claims, key=lambda one: (-round(notes.weight(question, one), 3), one.id))
    if not ranked:
        return []
    lead = ranked[0]
    ranked = [one for one in ranked if notes.weight(question, one) >= NEAR * notes.weight(question, lead)]
    ranked = ranked[: notes.MOST_SENTENCES]
    place = (lead.sources[:1], notes.section_of(lead))
    least = 0.9 * notes.weight(question, lead)
    section = [
        one
        for one in ranked
        if (one.sources[:1], notes.section_of(one)) == place and notes.weight(question, one) >= least
    ]
    ordered = sorted(section, key=lambda one: int(one.id[2:]))
    return [*ordered, *(one for one in ranked if one not in section)]


def main_claim(sight: Sight, question: str, claims: Sequence[ClaimRecord]) -> ClaimRecord | None:
    """The claim to answer with: not beaten, newest where that counts, best supported."""
    timeless = notes.is_timeless(question)

    if not typed(analyse(question)):
        return next(iter(told(question, claims)), None)

    def rank(one: ClaimRecord) -> tuple[object, ...]:
        beaten = any(attacks.outweighs(sight, question, other, one) for other in attacks.against(sight, one))
        marked, date = notes.age(one)
        age = "" if timeless else _descending(date)
        proven = one.status is not ClaimStatus.VERIFIED
        return (
            one.note.startswith(attacks.SCOPE_OF),
            beaten,
            marked and not timeless,
            proven,
            age,
            -attacks.voices(sight, one),
            one.id[2:],
        )

    return min(claims, key=rank, default=None)


def _descending(date: str) -> str:
    return "".join(chr(ord("9") - int(one)) if one.isdigit() else one for one in date) or "~"


def _carried(sight: Sight) -> tuple[ClaimRecord, ...]:
    """The claims of the settled question that this one asks further about."""
    for one in sight.summary.settled:
        claims = [claim for each in one.claim_ids if (claim := sight.claim(each)) and claim in sight.live]
        if one.status == "resolved" and claims:
            return tuple(claims)
    return ()


def _virtual(sight: Sight, entries: Sequence[dict[str, Any]]) -> ClaimRecord:
    """The record that an entry will most likely make."""
    first = entries[0]
    prefix = "d" if first.get("kind") == "datapoint" else "c"
    return ClaimRecord(
        id=f"{prefix}_{sight.next_id(prefix):03}", status=ClaimStatus.UNVERIFIED,
        text=one_line(str(first["text"]), 600),
        value=str(first.get("value", "")), unit=str(first.get("unit", "")),
        sources=tuple((str(one["source"]), Stance.SUPPORTS) for one in entries),
        independent=tuple(str(one["source"]) for one in entries if one.get("independent")), question=sight.current,
        note=str(first.get("note", "")),
    )  # fmt: skip


def _with_claim(before: Notes, claim: ClaimRecord, pages: Sequence[PageBlock], against: Sequence[str]) -> Notes:
    field = home(claim.kind, claim.status)
    kept = tuple(one for one in getattr(before, field) if one.id != claim.id)
    known = {one.id for one in before.sources}
    sources = {one.source: one for one in pages if one.source not in known}
    more = [SourceRecord(id=one.source, url=one.url, domain=one.domain, title=one.title) for one in sources.values()]
    links = [Contradiction(claim_id=claim.id, other_id=one, status=LinkStatus.OPEN) for one in against]
    changed: dict[str, Any] = {field: (*kept, claim)}
    return replace(
        before, **changed, sources=(*before.sources, *more),
        contradictions=(*before.contradictions, *links),
    )  # fmt: skip


def _refuted(before: Notes, claim_id: str) -> Notes:
    claim = next((one for one in before.claims if one.id == claim_id), None)
    if claim is None:
        return before
    field = home(claim.kind, claim.status)
    left: dict[str, Any] = {field: tuple(one for one in getattr(before, field) if one.id != claim_id)}
    gone = (*before.refuted, replace(claim, status=ClaimStatus.REFUTED))
    return replace(before, **left) if field == "refuted" else replace(before, **left, refuted=gone)
