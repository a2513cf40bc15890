"""From pages to notes: which claims a page gives for a question, and the entries that record them with their quotes.

Knows pages as a prompt shows them and records as the notes show them; must not know turns or challenges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from investigator.core.blocks import PageBlock
from investigator.core.claims import NOTHING_RELEVANT
from investigator.core.evidence import Span, Support, check_quote, origins
from investigator.core.notes_text import ClaimRecord
from investigator.core.text import fold, value_in, words
from investigator.world.offline.analysis import Kind, analyse
from investigator.world.offline.findings import Finding, PageText, answers, same_value
from investigator.world.offline.findings import Support as Said
from investigator.world.offline.lexicon import stem
from investigator.world.offline.passages import passages
from investigator.world.offline.seeing import Move, readable
from investigator.world.offline.statements import relation, sentence_for
from investigator.world.offline.values import COUNTED, Value, typed

MOST_SENTENCES = 5  # claims that one question gets when its answer is prose
MOST_SOURCES = 4
DATED = "dated "
OLDER = "superseded"


def page_texts(pages: Iterable[PageBlock]) -> list[PageText]:
    """Pages as the reader wants them, without text that tries to command it; parts of one page are one text."""
    found: dict[str, PageText] = {}
    for one in pages:
        known = found.get(one.source)
        text = f"{known.text}\n\n{readable(one)}" if known else readable(one)
        found[one.source] = PageText(
            key=one.source, text=text, title=one.title, published=one.published, url=one.url, domain=one.domain
        )
    return list(found.values())


def read(question: str, pages: Sequence[PageBlock]) -> list[Finding]:
    """What these pages answer, best first: one value and its rivals, or several sentences."""
    found = answers(question, page_texts(pages))
    if typed(analyse(question)):
        return [one for one in found if one.supports or one.disputed][:4]
    kept: list[Finding] = []
    for one in found:
        if one.supports and all(not alike(one.text, other.text) for other in kept):
            kept.append(one)
    return kept[:MOST_SENTENCES]


def alike(a: str, b: str) -> bool:
    """Whether two sentences say nearly the same words."""
    one, two = ({stem(word) for word in words(text)} for text in (a, b))
    return len(one & two) >= 0.6 * max(1, min(len(one), len(two)))


def value_of(question: str, text: str) -> Value | None:
    """The value with which a claim's text answers the question."""
    found = [one for one in passages(question, text) if one.values]
    return found[0].values[0] if found else None


def says(question: str, claim: ClaimRecord, finding: Finding) -> bool:
    """Whether a finding gives the same answer as a claim."""
    theirs = finding.best.value
    if theirs is None:
        return alike(claim.text, finding.text)
    mine = value_of(question, claim.text)
    if mine is not None:
        return same_value(mine, theirs, "year" in question.lower())
    return fold(theirs.text) in fold(claim.text)


def statement(question: str, finding: Finding) -> str:
    """The finding as one self-contained sentence that ends like one."""
    text = sentence_for(question, finding).strip()
    return text if text.endswith((".", "!", "?", "…", "”", '"')) else f"{text.rstrip(' ,;:–—')}."


def entries(
    question: str, finding: Finding, pages: Sequence[PageBlock], *, claim: ClaimRecord | None = None,
    contradicts: Sequence[str] = (), note: str = "",
) -> list[dict[str, Any]]:  # fmt: skip
    """Entries of one claim: the first makes it (or meets ``claim``, which says the same), the others add sources."""
    texts = {one.key: one for one in page_texts(pages)}
    text = claim.text if claim else statement(question, finding)
    amount, unit = _amount(finding, claim)
    made: list[dict[str, Any]] = []
    voices: list[Support] = []
    known = {source for source, _ in claim.sources} if claim else set()
    for one in (*finding.supports, *finding.disputed):
        if len(made) >= MOST_SOURCES or one.key in known or one.key not in texts:
            continue
        quote = quotable(texts[one.key].text, one)
        if not quote or (amount and not value_in(amount, quote)):
            continue
        voice = _voice(texts[one.key], quote)
        entry: dict[str, Any] = {"text": text, "source": one.key, "stance": "supports", "quote": quote}
        if amount:
            entry |= {"kind": "datapoint", "value": amount, "unit": unit}
        if (voices or known) and one not in finding.disputed and len(origins([*voices, voice])) > len(origins(voices)):
            entry |= {
                "independent": True,
                "why": f"{texts[one.key].domain or one.key} is another publisher and shares no passage with the others",
            }
        if not made and not claim:
            said = note or (DATED + one.published if one.published else "")
            entry |= {"note": said} if said else {}
            entry |= {"contradicts": list(contradicts)} if contradicts else {}
        voices.append(voice)
        made.append(entry)
    return made


def _amount(finding: Finding, claim: ClaimRecord | None) -> tuple[str, str]:
    """Decimal value and unit of a datapoint; empty for what is no number."""
    if claim is not None:
        return claim.value, claim.unit
    value = finding.best.value
    if value is None or value.kind not in COUNTED:
        return "", ""
    amount, _, unit = value.normalised.partition(" ")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", amount) or not value_in(amount, finding.best.quote):
        return "", ""
    return amount, unit


def _voice(page: PageText, quote: str) -> Support:
    start = page.text.find(quote)
    spans = (Span(start, start + len(quote)),) if start >= 0 else ()
    return Support(source_id=page.key, domain=page.domain or page.key, text=page.text, spans=spans)


def quotable(text: str, said: Said) -> str:
    """The support's quote, widened by what stands around it until it may stand as a quote; '' if it never may."""
    start, end = said.start, said.end
    for _ in range(6):
        if not isinstance(check_quote(text[start:end], text), str):
            return text[start:end].strip()
        after = re.compile(r"\s*[^\n]+").match(text, end)
        if after and len(after.group()) < 400:
            end = after.end()
            continue
        before = text.rfind("\n", 0, max(0, start - 1)) + 1
        if before >= start:
            break
        start = before
    return ""


def irrelevant(page: PageBlock) -> Move:
    """The note that lets a page leave the prompt."""
    return ("notes_update", {"id": page.source, "change": {"note": NOTHING_RELEVANT}})


def append(made: Sequence[dict[str, Any]]) -> Iterator[Move]:
    """The entries as calls of at most thirty."""
    for at in range(0, len(made), 30):
        part = list(made[at : at + 30])
        points = all(one.get("kind") == "datapoint" for one in part)
        yield ("notes_append", {"section": "Datapoints" if points else "Unverified", "entries": part})


def bearing(claim: str, sentence: str) -> str:
    """How a sentence bears on a claim: supports, contradicts, qualifies or unrelated."""
    return relation(claim, sentence)


def note_dates(claim: ClaimRecord) -> str:
    """The date a claim's note gives its page, ISO or ''."""
    found = re.search(r"\bdated (\d{4}(?:-\d\d){0,2})", claim.note)
    return found[1] if found else ""


def is_timeless(question: str) -> bool:
    """Whether newer documents do not change the answer: an event of the past."""
    asked = analyse(question)
    return asked.past or asked.kind in (Kind.PERSON, Kind.TITLE) or bool(asked.years)
