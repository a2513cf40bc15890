"""Which values of a sentence may answer a question, and how well.

Knows questions and typed values; must not know pages, rankings over pages or tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from investigator.core.text import STOP_WORDS, fold
from investigator.world.offline.analysis import Kind, Question, entity_stems, wanted
from investigator.world.offline.lexicon import CLASSES, DEMONYM, ORGANISATIONS, spans, stem
from investigator.world.offline.written import COUNTED, Value, scan, value_at

__all__ = ["Kind", "Value", "candidates", "scan", "typed"]

# Which values may answer which question, and how gladly.
_AGREES: dict[Kind, dict[Kind, float]] = {
    Kind.PERSON: {Kind.NAME: 1.0},
    Kind.DATE: {Kind.DATE: 1.0},
    Kind.PLACE: {Kind.PLACE: 1.0, Kind.NAME: 0.55},
    Kind.NUMBER: {Kind.NUMBER: 1.0, Kind.DURATION: 0.9, Kind.PERCENT: 0.5, Kind.MONEY: 0.6},
    Kind.MONEY: {Kind.MONEY: 1.0, Kind.PERCENT: 0.7, Kind.NUMBER: 0.4},
    Kind.PERCENT: {Kind.PERCENT: 1.0, Kind.NUMBER: 0.3},
    Kind.DURATION: {Kind.DURATION: 1.0, Kind.NUMBER: 0.4, Kind.CODE: 0.2},
    Kind.NAME: {Kind.NAME: 1.0, Kind.TITLE: 0.9, Kind.PLACE: 0.7, Kind.CODE: 0.5, Kind.SORT: 0.4},
    Kind.CODE: {
        Kind.CODE: 1.0,
        Kind.DURATION: 1.0,
        Kind.PERCENT: 1.0,
        Kind.TITLE: 0.9,
        Kind.NUMBER: 0.9,
        Kind.NAME: 0.4,
    },
    Kind.SORT: {Kind.SORT: 1.0, Kind.NAME: 0.3, Kind.TITLE: 0.2},
    Kind.TITLE: {Kind.TITLE: 1.0, Kind.NAME: 0.8},
    Kind.YES_NO: {},
    Kind.TEXT: {},
}


def typed(question: Question) -> bool:
    """Whether the answer is a value (and not a sentence)."""
    return bool(_AGREES[question.kind])


def candidates(question: Question, sentence: str) -> list[Value]:
    """The values of a sentence that may answer the question, best first.

    >>> from investigator.world.offline.analysis import analyse
    >>> [v.normalised for v in candidates(analyse("When was Acme founded?"), "Acme, founded in 1912, moved in 1950.")]
    ['1912', '1950']
    """
    agrees = _AGREES[question.kind]
    if not agrees:
        return []
    marks = _marks(question, sentence)
    asked = f" {fold(question.text)} "
    found = _members(question, sentence) if question.kind is Kind.SORT else []
    sure = bool(found)
    assigned = _assigned(question, sentence)
    found += assigned
    if question.head == "default" and not assigned and "default" not in sentence.lower():
        return []
    if question.kind is Kind.PERSON:
        found += _agents(sentence)
    written = scan(sentence, frozenset(agrees))
    for value in written:
        if not value.normalised or f" {value.normalised} " in asked:
            continue
        score = (
            agrees[value.kind]
            * _near(value, marks)
            * _fits(question, value, sentence)
            * _timely(question, value, sentence)
            * _scoped(question, value, sentence, written)
            * (0.6 if sure else 1.0)
        )
        if score > 0:
            found.append(replace(value, score=min(1.0, score), esteem=agrees[value.kind]))
    best: dict[str, Value] = {}
    for value in sorted(found, key=lambda one: (-one.score, one.start)):
        best.setdefault(value.normalised, value)
    return list(best.values())


def _agents(sentence: str) -> list[Value]:
    """``approved by the board``: who did it need not have a name."""
    found = [
        value_at(Kind.NAME, sentence, *one.span(1), fold(one[1]).removeprefix("the "))
        for one in _AGENT.finditer(sentence)
    ]
    return [replace(one, score=0.6) for one in found]


_AGENT = re.compile(
    r"\b[a-z]+(?:ed|en) by ((?:the|an?) [a-z][a-z-]+(?: (?!(?:in|on|at|and|of|for|to|as|is|was)\b)[a-z]+)?)"
)


def _assigned(question: Question, sentence: str) -> list[Value]:
    """``sort_keys=False`` where the question names sort_keys: what stands behind the sign is its value."""
    if question.kind not in (Kind.CODE, Kind.NUMBER, Kind.DURATION, Kind.NAME) or "=" not in sentence:
        return []
    found = []
    words = question.relation if question.kind in (Kind.CODE, Kind.DURATION) else ()
    names = [one for one in (*question.entities, *words) if re.fullmatch(r"\w{3,}", one) and one != question.head]
    for name in names:
        for match in re.finditer(rf"(?<!\w){re.escape(name)}\s?=\s?([^\s,()\]=]+)", sentence):
            value = value_at(Kind.CODE, sentence, *match.span(1), fold(match[1]))
            found.append(replace(value, score=1.0))
    return [one for one in found if one.normalised]


def _marks(question: Question, sentence: str) -> list[tuple[int, int, float]]:
    relation = wanted(question)
    named = {one for entity in question.entities for one, weight in entity_stems(entity)}
    found = []
    for one, start, end in spans(sentence):
        if one in relation:
            found.append((start, end, relation[one]))
        elif one in named:
            found.append((start, end, 0.45))
    return found


def _near(value: Value, marks: list[tuple[int, int, float]]) -> float:
    """Closeness to the question's words: the relation's count most, and what stands before the value more."""
    best = 0.25
    for start, end, weight in marks:
        if start >= value.start and end <= value.end:
            best = max(best, weight * 0.9)
            continue
        gap = value.start - end if end <= value.start else (start - value.end) * 1.5
        best = max(best, weight / (1 + max(0.0, gap) / 45))
    return best


def _scoped(question: Question, value: Value, sentence: str, others: list[Value]) -> float:
    """``at most 140, except in London, where it is 190``: asked for London, what stands before "in London" is less."""
    for entity in (*question.entities, *question.relation):
        scope = rf"\b(?:in|for|at|on|with)\s(?:the\s|an?\s)?{re.escape(entity)}\b"
        place = re.search(scope, sentence) if re.search(scope, question.text) else None
        if place and 0 <= place.start() - value.end <= 1:
            continue  # "6 for adults" is the value for adults, whatever follows
        if (
            place
            and value.end <= place.start()
            and any(o.kind is value.kind and o.start >= place.end() for o in others)
        ):
            return 0.5
        between = [
            o for o in others if o.kind is value.kind and place and value.end <= o.start and o.end <= place.start()
        ]
        if between:
            return 0.6  # "6 for adults and 9 for guests": the nearer one is meant
    return 1.0


_ANY_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")


def _timely(question: Question, value: Value, sentence: str) -> float:
    """Half where another year than the asked one stands nearest to the value."""
    if not question.years or value.kind is Kind.DATE:
        return 1.0
    places = [
        (max(one.start() - value.end, value.start - one.end()), one.group()) for one in _ANY_YEAR.finditer(sentence)
    ]
    if len({year for _, year in places}) < 2:
        return 1.0
    return 1.0 if min(places)[1] in question.years else 0.5


def _fits(question: Question, value: Value, sentence: str) -> float:
    if value.kind is Kind.DATE:
        return _fits_date(question, value, sentence)
    if value.kind in COUNTED:
        return _fits_number(question, value, sentence)
    if value.kind in (Kind.NAME, Kind.PLACE):
        return _fits_name(question, value, sentence)
    words = {stem(one) for one in value.normalised.split()}
    named = {one for entity in question.entities for one, _ in entity_stems(entity)}
    if words <= named or (value.kind is Kind.CODE and words <= named | set(wanted(question))):
        return 0.0
    return 1.0 if len(words) < 9 else 0.5


_LENGTHS = frozenset(["km", "m", "cm", "mm", "mi", "miles", "metres", "meters", "kilometres", "feet", "ft"])
_LIFESPAN = re.compile(r"\([^()]{0,80}?(?:[–—-]|\bto\b)[^()]{0,60}\)|\((?:born|b\.)[^()]{0,60}\)")
_BIRTH, _DEATH = stem("born"), stem("die")


def _fits_date(question: Question, value: Value, sentence: str) -> float:
    relation = wanted(question)
    life = next((one for one in _LIFESPAN.finditer(sentence) if one.start() < value.start < one.end()), None)
    if _BIRTH in relation or _DEATH in relation:
        if life is not None:
            dash = re.search(r"\s?[–—]\s?|\s-\s|(?<=\d)-(?=\d)", life.group())
            first = dash is None or value.start < life.start() + dash.start()
            return 2.5 if first == (_BIRTH in relation) else 0.3
        other = r"\b(?:died|death)\b" if _BIRTH in relation else r"\bborn\b"
        return 0.5 if re.search(other + r"[^.;]{0,25}$", sentence[: value.start]) else 1.0
    before = sentence[max(0, value.start - 14) : value.start].lower()
    cited = re.search(
        r"(?:retrieved|archived|accessed|updated|©|isbn)\s", sentence[max(0, value.start - 30) : value.start].lower()
    )
    around = _ends_or_begins(relation, sentence[max(0, value.start - 40) : value.start])
    full = around * 1.1 if len(value.normalised) > 4 and "year" not in question.text.lower() else 1.0
    return (0.2 if cited else 1.0) * full * (0.6 if re.search(r"\b(?:until|by|since)\s$", before) else 1.0)


_START, _END = stem("start"), stem("end")
_AT_START = re.compile(r"\b(?:from|since|as of|begin\w*|start\w*|commenc\w*|effective|in force|opens?)\b[^,;.]*$", re.I)
_AT_END = re.compile(r"\b(?:until|till|end(?:s|ed|ing)?|expir\w+|terminat\w+|clos\w+|valid to|up to)\b[^,;.]*$", re.I)


def _ends_or_begins(relation: Mapping[str, float], before: str) -> float:
    """Less for the end of something where its start is asked for, and the other way round."""
    start, end = _AT_START.search(before), _AT_END.search(before)
    if _START in relation and _END not in relation:
        return 0.3 if end and not (start and start.start() > end.start()) else 1.3 if start else 1.0
    if _END in relation and _START not in relation:
        return 0.3 if start and not (end and end.start() > start.start()) else 1.3 if end else 1.0
    return 1.0


def _fits_number(question: Question, value: Value, sentence: str) -> float:
    amount, _, unit = value.normalised.partition(" ")
    head = stem(question.head)
    asks_count = question.kind is Kind.NUMBER and re.search(r"\bhow many\b", question.text, re.IGNORECASE)
    if asks_count and head:
        near = {stem(one) for one in re.findall(r"[a-z]+", sentence[value.start : value.end + 40].lower())[:5]}
        return 1.25 if head in near else (0.45 if unit else 0.65)
    if head == stem("population"):
        good = unit in ("people", "inhabitants", "residents", "persons", "") and "." not in amount
        return (1.2 if unit in ("people", "inhabitants", "residents") else 1.0) if good else 0.5
    if question.kind is Kind.DURATION and unit in _LENGTHS:
        return 2.2  # "how long" asks for either; this undoes the low esteem of bare numbers
    if re.search(r"[\[(^]\s?$", sentence[max(0, value.start - 3) : value.start]):
        return 0.4
    return 1.0 if amount else 0.0


def _fits_name(question: Question, value: Value, sentence: str) -> float:
    words = [stem(one) for one in value.normalised.split()]
    named = {one for entity in question.entities for one, _ in entity_stems(entity)}
    strange = [one for one in words if one not in named and one not in STOP_WORDS]
    relation = wanted(question)
    if not strange or all(one in relation for one in strange):
        return 0.0
    before = sentence[max(0, value.start - 12) : value.start].lower()
    if question.kind is Kind.PERSON:
        by = 1.5 if re.search(r"\bby\s$|\bby the\s$", before) else 1.0
        # One capital word that begins a sentence is hardly ever a name.
        long = 1.0 if len(words) > 1 else 0.4 if not sentence[: value.start].strip("*-+•` ") else 0.75
        # DictReader and its like are names of code.
        long *= 0.4 if re.search(r"(?<!\bMc)(?<!\bMac)[a-z][A-Z]|[_()]", value.text) else 1.0
        mixed = 0.5 if len(strange) < len(words) and len(named) > 1 else 1.0
        thing = 0.4 if ORGANISATIONS & set(value.normalised.split()) or _adjective(value, sentence) else 1.0
        return thing * by * long * mixed * (0.6 if len(words) > 5 else 1.0) * (0.5 if value.text.isupper() else 1.0)
    if question.kind is Kind.PLACE:
        located = 1.3 if re.search(r"\b(?:in|at|near)\s(?:the\s)?$", before) else 1.0
        return located * (1.15 if "," in value.text else 1.0)
    return 1.0 if len(strange) == len(words) else 0.7


def _adjective(value: Value, sentence: str) -> bool:
    """``English singer``: a nationality before a noun names nobody."""
    return bool(DEMONYM.match(value.text)) and bool(re.match(r"[\s-][a-z]", sentence[value.end : value.end + 2]))


def _members(question: Question, sentence: str) -> list[Value]:
    """Words of the class the question wants one of ("sport": cricket), wherever they stand."""
    head = (
        question.head
        if question.head in CLASSES
        else next((one for one in CLASSES if question.head.startswith(one)), "")
    )
    if not head:
        return []
    members, found = CLASSES[head], []
    for match in re.finditer(
        r"(?:(?:American|Association|Defensive|Lieutenant|Major|Brigadier)\s)?[^\W\d_]+", sentence, re.IGNORECASE
    ):
        word = match.group().split()[-1].lower()
        hit = word if word in members else word.removesuffix("er").removesuffix("s")
        if hit in members:
            shape = 1.0 if head != "party" or match.group()[0].isupper() else 0.3
            value = value_at(Kind.SORT, sentence, *match.span(), " ".join([*fold(match.group()).split()[:-1], hit]))
            found.append(replace(value, score=shape * (0.95 if " " not in match.group() else 1.0)))
    return found
