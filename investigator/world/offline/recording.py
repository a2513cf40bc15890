"""From pages to notes: which claims a page gives for a question, and the entries that record them with their quotes.

Knows pages as a prompt shows them and records as the notes show them; must not know turns or challenges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from investigator.core.blocks import PageBlock, one_line
from investigator.core.claims import NOTHING_RELEVANT
from investigator.core.evidence import Span, Support, check_quote, origins
from investigator.core.notes_text import ClaimRecord, SourceRecord
from investigator.core.text import STOP_WORDS, fold, value_in, words
from investigator.world.offline.analysis import Kind, analyse, entity_stems, timeless
from investigator.world.offline.dating import dated
from investigator.world.offline.findings import Finding, PageText, answers, negative, same_value
from investigator.world.offline.findings import Support as Said
from investigator.world.offline.lexicon import stem
from investigator.world.offline.passages import Passage, clip, passages
from investigator.world.offline.prose import conditional, leans, points, worth
from investigator.world.offline.seeing import Move, readable
from investigator.world.offline.sentences import split
from investigator.world.offline.standing import near_stems
from investigator.world.offline.statements import relation, sentence_for, shortened
from investigator.world.offline.values import Value, typed
from investigator.world.offline.written import COUNTED, scan

MOST_SENTENCES = 5  # claims that one question gets from one reading when its answer is prose
MOST_SOURCES = 4
SURE = 0.5  # below it a sentence with a value is too unlike an answer to be recorded as one
SURER = 0.65  # the same for a question that is not the current one
DATED = "dated "
OLDER = "superseded"
MARKED = "its page is marked as no longer in force"


def page_texts(pages: Iterable[PageBlock]) -> list[PageText]:
    """Pages as the reader wants them, without text that tries to command it; parts of one page are one text."""
    found: dict[str, PageText] = {}
    for one in pages:
        known = found.get(one.source)
        text = f"{known.text}\n\n{readable(one)}" if known else readable(one)
        found[one.source] = PageText(
            key=one.source,
            text=text,
            title=one.title,
            url=one.url,
            domain=one.domain,
            published=dated(text, one.title, one.url, one.published),
        )
    return list(found.values())


def read(question: str, pages: Sequence[PageBlock], least: float = SURE) -> list[Finding]:
    """What these pages answer, best first: one value and its rivals, or several sentences.

    ``least`` is how well the best sentence of a value must answer.
    """
    found = answers(question, page_texts(pages)) or _hours(question, pages)
    if typed(analyse(question)):
        return [one for one in found if (one.supports or one.disputed) and one.best.score >= least][:4]
    kept: list[Finding] = []
    for one in found:
        if one.supports and prose(one) and all(not alike(one.text, other.text) for other in kept):
            kept.append(one)
    return _as_told(kept[:MOST_SENTENCES])


def _as_told(found: list[Finding]) -> list[Finding]:
    """The best sentence with those of its section in the order of the page; then the others, best first."""
    if not found:
        return found
    lead = found[0].best
    section = [one for one in found if (one.best.key, one.best.passage.heading) == (lead.key, lead.passage.heading)]
    ordered = sorted(section, key=lambda one: one.best.start)
    return [*ordered, *(one for one in found if one not in section)]


_HOURS = re.compile(
    r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?[ap]\.?m\b|\b(?:daily|weekly|monthly|noon|midnight)\b|"
    r"\b(?:every|each|on)\s\w*(?:day|week|month|morning|evening)",
    re.IGNORECASE,
)


def _hours(question: str, pages: Sequence[PageBlock]) -> list[Finding]:
    """``When`` may ask for hours, a weekday or a condition, which are no dates: sentences that give one."""
    when = re.match(r"(?:at )?(?:when|what time)\b(?! (?:was|were|did)\b)(.+)$", question, re.IGNORECASE)
    if not when:
        return []
    found = answers(f"How{when[1]}", page_texts(pages))
    hours = [one for one in found if _HOURS.search(one.text)][:1]
    if hours or not re.match(r"when (?:is|are|does|do|can|should|must|may)\b", question, re.IGNORECASE):
        return hours
    return [one for one in found if one.supports and conditional(one.text) and prose(one)][:1]


def prose(finding: Finding) -> bool:
    """Whether a passage is a sentence to be read: no code, heading, link or list of names."""
    passage = finding.best.passage
    text = " ".join(passage.text.split()).strip("*-+• ")
    if passage.kind in ("code", "row") or len(text.split()) < 6 or leans(text, passage.heading) or points(text):
        return False
    if re.match(r"[^\w\"'`(“‘#]|:|Usage\b|#+ ", text):
        return False
    text = text.replace("`", "")
    letters = sum(one.isalpha() or one in " _" for one in text)
    return (
        letters >= 0.8 * len(text)
        and bool(re.search(r"[.!?:][\"'”’)`]*$", text) or len(text.split()) >= 9)
        and "::" not in text[:3]
    )


def alike(a: str, b: str, most: bool = False) -> bool:
    """Whether two sentences say nearly the same words; ``most``: the longer one too says hardly more."""
    if negative(a) != negative(b):
        return False
    one, two = ({stem(word) for word in words(text) if word not in STOP_WORDS} for text in (a, b))
    sizes = len(one), len(two)
    return len(one & two) >= (0.6 * max(1, *sizes) if most else 0.75 * max(1, min(sizes)))


def value_of(question: str, text: str) -> Value | None:
    """The value with which a claim's text answers the question."""
    found = [one for one in passages(question, text) if one.values]
    return found[0].values[0] if found else None


def fit(question: str, text: str) -> float:
    """How well a text answers the question with a value; 0 without one."""
    return max((one.score for one in passages(question, text) if one.values), default=0.0)


def says(question: str, claim: ClaimRecord, finding: Finding) -> bool:
    """Whether a finding gives the same answer as a claim."""
    theirs = finding.best.value
    if theirs is None:
        return alike(claim.text, finding.text, most=True)
    mine = value_of(question, claim.text)
    if mine is not None:
        return same_value(mine, theirs, "year" in question.lower())
    return fold(theirs.text) in fold(claim.text)


def comparable(question: str, claim: ClaimRecord, finding: Finding) -> bool:
    """Whether two values are of one measure: metres against metres, but not against towers."""
    mine, theirs = value_of(question, claim.text), finding.best.value
    if mine is None or theirs is None:
        return False
    if mine.kind not in COUNTED and theirs.kind not in COUNTED:
        return True
    units = [stem(one.normalised.partition(" ")[2]) for one in (mine, theirs)]
    return mine.kind is theirs.kind and (units[0] == units[1] or "" in units)


def statement(question: str, finding: Finding) -> str:
    """The finding as one self-contained sentence that ends like one."""
    text = re.sub(r"^\([^()]{2,40}\)\s+(?=[A-Z])", "", sentence_for(question, finding).strip())
    value = finding.best.value
    if row := _ROW.match(text) if finding.best.passage.kind == "row" else None:
        where = f" ({row[1]})" if row[1] else ""
        text = f"For {row[2].lower()} {row[3]}{where}, the {row[4].lower()} {_is(row[4])} {row[5]}."
    if lead := re.match(rf"({re.escape(_subject(question))}): (?=(?:The|An?)\b)", text) if _subject(question) else None:
        text = f"For {lead[1]}, {text[lead.end()].lower()}{text[lead.end() + 1 :]}"
    if value is None and len(text.split()) > 6:
        # A whole sentence of prose needs no subject before it: its page is named wherever it is shown.
        text = re.sub(rf"^{re.escape(_subject(question))}: (?=\S)", "", text)
    if value is not None and typed(analyse(question)):
        text = shortened(text, value.text)
    return text if text.endswith((".", "!", "?", "…", "”", '"')) else f"{text.rstrip(' ,;:–—')}."


# "Prices – Plan: Pro; Price: 29 €": what the row is of, and the cell that answers.
_ROW = re.compile(r"(?:(.+?) – )?([^:;–]{1,40}): ([^;]{1,60}); ([^:;]{1,40}): ([^;]{1,80}?)\.?$")


def _is(noun: str) -> str:
    return "are" if noun.endswith("s") and not noun.endswith("ss") else "is"


def _subject(question: str) -> str:
    return next(iter(analyse(question).entities), "")


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
            entry |= {"note": said} if (said := _noted(question, one, note, bool(amount))) else {}
            entry |= {"contradicts": list(contradicts)} if contradicts else {}
        voices.append(voice)
        made.append(entry)
    return made


def _noted(question: str, said: Said, more: str, counted: bool) -> str:
    """The note of a new claim: of when its page is, whether it is marked as old, and how well prose answers."""
    if more and OLDER not in more:
        return more
    about = [DATED + said.published if said.published else "", MARKED if said.outdated else ""]
    told = not counted and not typed(analyse(question)) and not more
    about += [f"fit {said.score:.2f}", sectioned(said.passage.heading)] if told else [more]
    return "; ".join(filter(None, about))


_SECTION = re.compile(r"section “([^”]+)”")


def sectioned(heading: str) -> str:
    """The note that names the section of a sentence: what stands above it says what it is about."""
    inner = " ".join(heading.rsplit(" › ", 1)[-1].translate(str.maketrans("“”`", '""\'')).split())
    return f"section “{inner[:80]}”" if inner and OLDER not in inner else ""


def section_of(claim: ClaimRecord) -> str:
    """The section that a claim's note names, or ''."""
    found = _SECTION.search(claim.note)
    return found[1] if found else ""


def weight(question: str, claim: ClaimRecord) -> float:
    """How well a recorded sentence answers, among those of several pages and parts: as its page was read, if known."""
    if fit := re.search(r"\bfit (\d\.\d\d)\b", claim.note):
        return float(fit[1])
    asked = analyse(question)
    named = {one for name in asked.entities for one, _ in entity_stems(name)}
    telling = {stem(word) for word in asked.relation} or named
    said, above = ({stem(word) for word in words(text)} for text in (claim.text, section_of(claim)))
    held = sum(
        1.0 if one in said else 0.75 if said & near_stems(one) else 0.6 if one in above else 0.0 for one in telling
    )
    return (held / max(1, len(telling)) + (0.15 if above & telling else 0.0)) * worth(asked.text, claim.text)


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
    named = re.search(r"[^\W\d_]{3,}$", value.text.rstrip(". "))
    return amount, named.group() if value.kind is Kind.MONEY and named else unit


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


def repeats(question: str, claim: ClaimRecord, pages: Sequence[PageBlock]) -> list[Finding]:
    """Pages with a sentence that names the subject and states the claim's number in the claim's unit."""
    value = value_of(question, claim.text)
    names = [one for entity in analyse(question).entities for one, _ in entity_stems(entity)]
    if value is None or value.kind not in COUNTED or not names:
        return []
    found = []
    for page in page_texts(pages):
        for span in split(page.text):
            sentence = page.text[span.start : span.end]
            said = {stem(word) for word in words(sentence)}
            same = [
                one for one in scan(sentence, COUNTED) if one.normalised == value.normalised and " " in one.normalised
            ]
            if same and all(one in said for one in names):
                at = Passage(text=sentence, start=span.start, end=span.end, score=0.6)
                start, end = clip(page.text, at, None)
                support = Said(key=page.key, quote=page.text[start:end], start=start, end=end, score=0.6, passage=at,
                               published=page.published, title=page.title)  # fmt: skip
                found.append(Finding(text=sentence, normalised=value.normalised, score=0.6, supports=(support,)))
                break
    return found


def irrelevant(page: PageBlock, question: str = "", question_id: str = "") -> Move:
    """The note that lets a page leave the prompt; it keeps a sentence that says the question has no answer."""
    note, denial = NOTHING_RELEVANT, denied(question, readable(page)) if question_id else ""
    if denial:
        note = f"{note} for {question_id}, but: {denial}"
    return ("notes_update", {"id": page.source, "change": {"note": one_line(note, 290)}})


_DENIES = re.compile(
    r"\b(?:no|never|not|nobody|none|unknown|undisclosed)\b[^.]{0,80}\b(?:disclosed|published|given|known|knows?|stated|"
    r"recorded|released|available|documented|specified|announced|made public|said)\b|"
    r"\bnobody knows\b|\b(?:undisclosed|unknown)\b",
    re.IGNORECASE,
)


def denied(question: str, text: str) -> str:
    """The sentence of a page that says that what is asked is not known; '' if there is none.

    >>> denied("What did Acme Hall cost?", "No cost of Acme Hall was ever disclosed. It is grey.")
    'No cost of Acme Hall was ever disclosed.'
    """
    asked = analyse(question)
    telling = {stem(word) for word in (*asked.relation, asked.head) if word}
    best, most = "", 0
    for one in split(text):
        sentence = " ".join(text[one.start : one.end].split())
        said = {stem(word) for word in words(sentence)}
        hit = sum(any(near in said for near in (word, *near_stems(word))) for word in telling)
        named = all(any(each in said for each, _ in entity_stems(entity)) for entity in asked.entities[:1])
        if _DENIES.search(sentence) and named and hit > most and len(sentence) < 400:
            best, most = sentence, hit
    return one_line(best, 220)


def denials(sources: Iterable[SourceRecord], question_id: str) -> list[tuple[SourceRecord, str]]:
    """What was kept of pages that say the question has no answer."""
    lead = f"{NOTHING_RELEVANT} for {question_id}, but: "
    return [(one, one.note.removeprefix(lead)) for one in sources if one.note.startswith(lead)]


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


def age(claim: ClaimRecord) -> tuple[bool, str]:
    """Whether the claim's page is marked as old, and of when it is: what `dating.older` compares."""
    return MARKED in claim.note, note_dates(claim)


def is_timeless(question: str) -> bool:
    """Whether newer documents do not change the answer: an event of the past. Who holds an office now does change.

    >>> is_timeless("When did Acme Hall open?"), is_timeless("Who is head of sales?"), is_timeless("Who wrote Emma?")
    (True, False, True)
    """
    return timeless(analyse(question))
