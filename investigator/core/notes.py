"""The notes of a run: the pure function that makes them from the state, and how much of them a prompt shows.

The text is never the authority: it is made anew from the ledger after every change. Its grammar is in `notes_text`,
whose names are passed on here. Knows no tool and no prompt block.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from investigator.core.blocks import one_line, shield
from investigator.core.claims import NOTHING_RELEVANT, Claim, Ledger, Source
from investigator.core.ids import number_of
from investigator.core.notes_text import (
    SECTIONS,
    ClaimRecord,
    Contradiction,
    Notes,
    NotesError,
    SourceRecord,
    claim_line,
    home,
    parse,
    render,
    section,
    source_line,
    tokens,
)
from investigator.core.state import Gap, State
from investigator.core.values import replace
from investigator.core.vocab import ClaimStatus, QuestionStatus, Stance

__all__ = [
    "SCRATCH_MAX",
    "SECTIONS",
    "ClaimRecord",
    "Contradiction",
    "Gap",
    "Notes",
    "NotesError",
    "SourceRecord",
    "notes_of",
    "parse",
    "read_shown",
    "render",
    "section",
    "shown",
    "tokens",
]

SCRATCH_MAX = 8000
CUT = 60
_LEFT_OUT = "older records are left out here; notes_read shows them all)"


def notes_of(state: State) -> Notes:
    """The notes of a state.

    RETRACTED claims and what hangs on them are left out, and so are sources that no shown claim links, unless they were
    noted as read with nothing relevant.
    """
    ledger = state.ledger
    shown = [one for one in ledger.claims.values() if one.status is not ClaimStatus.RETRACTED]
    by_home: dict[str, list[ClaimRecord]] = {"verified": [], "unverified": [], "refuted": [], "datapoints": []}
    for claim in shown:
        by_home[home(claim.kind, claim.status)].append(_claim_record(claim))
    return Notes(
        verified=tuple(by_home["verified"]),
        unverified=tuple(by_home["unverified"]),
        refuted=tuple(by_home["refuted"]),
        datapoints=tuple(by_home["datapoints"]),
        contradictions=_contradictions(ledger, {one.id for one in shown}),
        sources=tuple(_source_record(one) for one in _sources(ledger)),
        gaps=state.gaps,
        scratch=state.scratch,
    )


def _claim_record(claim: Claim) -> ClaimRecord:
    return ClaimRecord(
        id=claim.id, status=claim.status, text=claim.text, value=claim.value, unit=claim.unit,
        sources=tuple((link.source_id, link.stance) for link in claim.links),
        independent=tuple(link.source_id for link in claim.links if link.independent),
        question=claim.question_id, checks=claim.checks, note=claim.note,
    )  # fmt: skip


def _source_record(source: Source) -> SourceRecord:
    return SourceRecord(
        id=source.id, url=source.url, domain=source.domain, title=source.title, note=source.note,
        retracted=source.retracted,
    )  # fmt: skip


def _sources(ledger: Ledger) -> Iterable[Source]:
    linked = {one.id for one in ledger.linked_sources()}
    return (one for one in ledger.sources.values() if one.id in linked or one.note.startswith(NOTHING_RELEVANT))


def _contradictions(ledger: Ledger, shown: set[str]) -> tuple[Contradiction, ...]:
    return tuple(
        Contradiction(
            claim_id=one.claim_id, other_id=one.other_id, status=one.status, text=one.text, question=one.question_id
        )
        for one in ledger.links.values()
        if one.kind is Stance.CONTRADICTS and one.claim_id in shown and one.other_id in shown
    )


def shown(state: State) -> str:
    """The notes as a prompt shows them: at most ``notes_max_tokens`` where cutting records can reach that.

    Settled records (sources, and claims of resolved questions) are cut first, oldest first, to id, status and 60
    characters; then the other claims; then whole records go, in the same order, and a first line counts them.
    """
    notes, budget = notes_of(state), state.limits.notes_max_tokens
    full = shield(render(notes))
    over = len(full) - 4 * budget
    if over <= 0:
        return full
    order = _oldest_first(state, notes)
    cut: set[str] = set()
    dropped: set[str] = set()
    over += 10 + len(_LEFT_OUT)
    for one in order:
        if over > 0:
            cut.add(one.id)
            over -= len(one.line) - len(one.short)
    for one in order:
        if over > 0:
            dropped.add(one.id)
            over -= len(one.short) + 1
    text = shield(render(_without(notes, cut, dropped)))
    return f"({len(dropped)} {_LEFT_OUT}\n{text}" if dropped else text


def read_shown(text: str) -> Notes:
    """The notes that stand in a prompt, without what was left out there. Raises `NotesError` like `parse`."""
    first, _, rest = text.partition("\n")
    return parse(rest if first.endswith(_LEFT_OUT) else text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cuttable:
    """A record that may be cut. ``rank`` sorts settled before open, then by age."""

    id: str
    rank: tuple[bool, str, int]
    line: str
    short: str


def _oldest_first(state: State, notes: Notes) -> list[_Cuttable]:
    ledger, questions = state.ledger, state.frontier.questions
    rows = []
    for source in notes.sources:
        rank = (False, ledger.sources[source.id].created_at, number_of(source.id))
        rows.append(
            _Cuttable(id=source.id, rank=rank, line=source_line(source), short=source_line(_short_source(source)))
        )
    for claim in notes.claims:
        question = questions.get(claim.question)
        unsettled = question is None or question.status is not QuestionStatus.RESOLVED
        rank = (unsettled, ledger.claims[claim.id].created_at, number_of(claim.id))
        rows.append(_Cuttable(id=claim.id, rank=rank, line=claim_line(claim), short=claim_line(_short_claim(claim))))
    return sorted(rows, key=lambda row: row.rank)


def _short_claim(one: ClaimRecord) -> ClaimRecord:
    """Id, status and the beginning of the text; a datapoint keeps its value."""
    return ClaimRecord(id=one.id, status=one.status, text=one_line(one.text, CUT), value=one.value, unit=one.unit)


def _short_source(one: SourceRecord) -> SourceRecord:
    """Id, domain and the beginning of the title; a cut url would be of no use."""
    return SourceRecord(id=one.id, url="", domain=one.domain, title=one_line(one.title or one.url, CUT))


def _without(notes: Notes, cut: set[str], dropped: set[str]) -> Notes:
    def claims(records: tuple[ClaimRecord, ...]) -> tuple[ClaimRecord, ...]:
        return tuple(_short_claim(one) if one.id in cut else one for one in records if one.id not in dropped)

    return replace(
        notes,
        verified=claims(notes.verified),
        unverified=claims(notes.unverified),
        refuted=claims(notes.refuted),
        datapoints=claims(notes.datapoints),
        sources=tuple(_short_source(one) if one.id in cut else one for one in notes.sources if one.id not in dropped),
    )
