"""Typed values in a span of text: dates, numbers with units, money, durations, names, places, titles, code.

Knows how values are written and which one answers a question; must not know pages, rankings or tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from investigator.core.text import STOP_WORDS, fold, numbers
from investigator.world.offline.analysis import Kind, Question, entity_stems, wanted
from investigator.world.offline.lexicon import CLASSES, DEMONYM, MONTHS, NUMBER_WORDS, ORGANISATIONS, spans, stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value as it stands in a text.

    Attributes:
        kind: its type.
        text: exactly what stands there.
        normalised: what two spellings of the same value share: ISO date, ``1234.5 km``, folded name.
        start, end: offsets in the text it was found in.
        score: how well it answers the question, 0..1; 0 when no question was asked.
    """

    kind: Kind
    text: str
    normalised: str
    start: int
    end: int
    score: float = 0.0


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[0-9]\d\d|20\d\d)"
_DATE = re.compile(
    rf"(?P<iso>\b{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b)"
    rf"|\b(?P<d1>{_DAY})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?P<m1>{_MONTH})\b\.?(?:,?\s+(?P<y1>{_YEAR})\b)?"
    rf"|\b(?P<m2>{_MONTH})\b\.?\s+(?P<d2>{_DAY})(?:st|nd|rd|th)?\b(?!\d|:\d)(?:\s?,?\s+(?P<y2>{_YEAR})\b)?"
    rf"|\b(?P<m3>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y3>{_YEAR})\b"
    rf"|(?:(?<=\bin )|(?<=\bof )|(?<=\bby )|(?<=\bsince )|(?<=\buntil )|(?<=\bearly )|(?<=\blate ))(?P<m6>{_MONTH})\b(?!\s\d)"
    rf"|\b(?P<d4>{_DAY})[./](?P<m4>0?[1-9]|1[0-2])[./](?P<y4>{_YEAR})\b"
    rf"|(?<![\d.,$€£/-])\b(?P<y5>{_YEAR})(?:s\b|\b(?![,.]\d|\s?%|/\d))",
    re.IGNORECASE,
)
_SCALE = r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|bn|k|m)\b)?"
_DIGITS = r"(?P<n>[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?)"
_MONEY = re.compile(
    rf"(?P<sign>[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b)\s?{_DIGITS}{_SCALE}"
    r"|(?<![\w.])(?P<n2>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?(?P<scale2>thousand|million|billion|bn|k|m)\b)?"
    r"\s?(?P<name>[€£]|(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?|francs)\b)",
    re.IGNORECASE,
)
_SPELT = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_TIME = r"(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|(?:business |working |calendar )?days?|weeks?|months?|years?)"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:{_DIGITS}|(?P<spelt>{_SPELT})(?=[ -]))(?![\d]|\.\d){_SCALE}"
    rf"(?:\s?(?P<percent>%|per ?cent\b|percent\b)|[\s-]?(?P<time>{_TIME})\b(?! old\b)|[ ](?P<unit>[a-zA-Z]+[²³]?)\b)?",
    re.IGNORECASE,
)
_SCALES = {"hundred": 2, "thousand": 3, "k": 3, "million": 6, "m": 6, "billion": 9, "bn": 9, "trillion": 12}
_CURRENCY = {"$": "USD", "dollar": "USD", "€": "EUR", "euro": "EUR", "£": "GBP", "pound": "GBP", "¥": "JPY", "franc": "CHF"}
_CAP = r"[^\W\d_a-zà-ÿ][\w’'\-]*(?:\.(?=\s?[^\W\d_a-z])|(?:\.[^\W\d_])+\.?)?"
_NAME = re.compile(rf"(?<![\w@./])(?:{_CAP})(?:\s(?:(?:of|de|van|von|der|den|la|le|du|da|di|bin|al|y|the|&)\s){{0,2}}(?:{_CAP}))*")
_TITLE = re.compile(r"[\"“„]([^\"”“\n]{2,80})[\"”]|(?<!\w)'([^'\n]{2,60})'(?!\w)|\*([^*\n]{2,60})\*|`` ?([^`'\n]{2,60}) ?''")
_CODE = re.compile(
    r"`+([^`\n]{1,80}?)`+|(?<![\w.])((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*(?:\(\))?|[A-Za-z]\w*_\w+(?:\(\))?|[A-Za-z_]\w*\(\)|"
    r"[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z][A-Z0-9_-]{2,}(?: [A-Z]{3,})*|--[a-z][\w-]+|True|False|None|-?\d+(?:\.\d+)*)(?!\w)"
    r"|(?<==)\s?([^\s,()]{1,40})"
)
_PHRASE = re.compile(
    r"\b(?:is|was|are|were|as|being|became)\s+(?:also |both |either |originally |currently |not |usually )?(?:an?|the|one of the)\s+"
    r"([\w’'-]+(?:[\s/-]+(?!(?:who|that|which|in|at|by|of|from|for|and|on|to|with|is|was|born|located|under|where|when)\b)[\w’'-]+){0,6})"
)
_PLACE_BEFORE = re.compile(r"\b(?:in|at|near|from|of|outside|to|into|on|around)\s(?:the\s|downtown\s|nearby\s)?$")


def scan(text: str, kinds: frozenset[Kind] = frozenset(Kind)) -> list[Value]:
    """Every value of these kinds, in order; values of different kinds may overlap.

    >>> [(v.kind.value, v.normalised) for v in scan("It opened on 3 May 1920 for $1.5 million.") if v.kind in "date money"]
    [('date', '1920-05-03'), ('money', '1500000 USD')]
    """
    found: list[Value] = []
    dates = list(_dates(text))
    if Kind.DATE in kinds:
        found += dates
    if kinds & _COUNTED:
        taken = [(one.start, one.end) for one in dates]
        found += [one for one in _quantities(text, taken) if one.kind in kinds]
    if kinds & {Kind.NAME, Kind.PLACE}:
        found += [one for one in _names(text) if one.kind in kinds]
    if Kind.TITLE in kinds:
        found += _marked(_TITLE, text, Kind.TITLE)
    if Kind.CODE in kinds:
        found += _marked(_CODE, text, Kind.CODE)
    if Kind.SORT in kinds:
        found += _marked(_PHRASE, text, Kind.SORT)
    return sorted(found, key=lambda one: (one.start, -one.end))


_COUNTED = frozenset({Kind.NUMBER, Kind.MONEY, Kind.PERCENT, Kind.DURATION})


def _value(kind: Kind, text: str, start: int, end: int, normalised: str) -> Value:
    return Value(kind=kind, text=text[start:end], normalised=normalised, start=start, end=end)


def _dates(text: str) -> Iterator[Value]:
    for match in _DATE.finditer(text):
        part = {key: value for key, value in match.groupdict().items() if value}
        if "iso" in part:
            normal = part["iso"]
        elif "y5" in part:
            normal = part["y5"] + ("s" if match.group().endswith("s") else "")
        else:
            number = next(iter(part))[-1]  # the alternative that matched
            month = part.get("m" + number, "")
            index = MONTHS.get(month.lower()) or int(month)
            if month == "may" or ("m6" in part and month.islower()) or (month == "march" and "y3" in part):
                continue  # the verb; the month is written with a capital
            day = int(part.get("d" + number, 0))
            normal = f"{part.get('y' + number, '')}-{index:02}" + (f"-{day:02}" if day else "")
        yield _value(Kind.DATE, text, match.start(), match.end(), normal)


def _quantities(text: str, taken: list[tuple[int, int]]) -> Iterator[Value]:
    spent = list(taken)
    for match in _MONEY.finditer(text):
        digits, scale = match["n"] or match["n2"], match["scale"] or match["scale2"]
        name = (match["sign"] or match["name"]).lower().rstrip("s")
        spent.append(match.span())
        yield _value(Kind.MONEY, text, *match.span(), f"{_amount(digits, scale)} {_CURRENCY.get(name, name.upper())}")
    for match in _NUMBER.finditer(text):
        if any(start <= match.start() < end for start, end in spent):
            continue
        amount = _amount(match["n"] or str(NUMBER_WORDS[match["spelt"].lower()]), match["scale"])
        if match["percent"]:
            yield _value(Kind.PERCENT, text, *match.span(), f"{amount} %")
        elif match["time"]:
            unit = match["time"].lower().split()[-1].rstrip("s")
            yield _value(Kind.DURATION, text, *match.span(), f"{amount} {_UNITS.get(unit, unit)}")
        else:
            unit = (match["unit"] or "").lower()
            unit = "" if unit in STOP_WORDS or unit in MONTHS else unit
            end = match.end() if unit else (match.end("scale") if match["scale"] else match.end("n" if match["n"] else "spelt"))
            yield _value(Kind.NUMBER, text, match.start(), end, f"{amount} {unit}".strip())


_UNITS = {"m": "millisecond", "sec": "second", "min": "minute"}


def _amount(digits: str, scale: str | None) -> str:
    found = numbers(digits)
    plain = found[0] if found else digits
    power = _SCALES.get((scale or "").lower(), 0)
    if not power:
        return plain
    whole, _, fraction = plain.partition(".")
    moved = fraction.ljust(power, "0")
    shifted = f"{whole}{moved[:power]}".lstrip("0") or "0"
    rest = moved[power:].rstrip("0")
    return f"{shifted}.{rest}" if rest else shifted


_NOT_NAMES = frozenset(
    "the in it he she they this that these those a an on at by for from as after before when while its his her their "
    "there however although during also since both one see if and but or to of with please note external links "
    "references edit retrieved archived isbn we you i my no yes not all some such each click view home search read "
    "more first new following according despite because under until most many between into over upon who what where "
    "which how why can may do use set returns return monday tuesday wednesday thursday friday saturday sunday".split()
) | frozenset(MONTHS)


def _names(text: str) -> Iterator[Value]:
    for match in _NAME.finditer(text):
        start, end = match.span()
        while True:
            first = re.match(r"[^\s]+", text[start:end])
            if first is None or fold(first.group()) not in _NOT_NAMES:
                break
            start += first.end()
            start += len(text[start:end]) - len(text[start:end].lstrip())
            start += 4 if text[start:end].startswith("the ") else 0
        end -= len(text[start:end]) - len(text[start:end].rstrip(" .'’-"))
        end -= 2 if text[start:end].endswith(("'s", "’s")) else 0
        if end - start < 2:
            continue
        yield _value(Kind.NAME, text, start, end, fold(text[start:end]))
        yield from _place(text, start, end)


def _place(text: str, start: int, end: int) -> Iterator[Value]:
    """``in Chester Springs, Pennsylvania``: a name behind a preposition with what follows its commas."""
    follows = re.compile(rf"\s?,\s(?:{_CAP})(?:\s{_CAP})*")
    stop = end
    while part := follows.match(text, stop):
        if fold(part.group().split()[-1]) in _NOT_NAMES:
            break
        stop = part.end()
    if stop > end or _PLACE_BEFORE.search(text[max(0, start - 16) : start]):
        if fold(text[start:stop]).split()[0] not in _NOT_NAMES:
            yield _value(Kind.PLACE, text, start, stop, fold(text[start:stop]))


def _marked(pattern: re.Pattern[str], text: str, kind: Kind) -> Iterator[Value]:
    for match in pattern.finditer(text):
        group = next((at for at, one in enumerate(match.groups(), 1) if one), 0)
        start, end = match.span(group)
        end -= len(text[start:end]) - len(text[start:end].rstrip(" .,;:"))
        if fold(text[start:end]):
            yield _value(kind, text, start, end, fold(text[start:end]))


# Which values may answer which question, and how gladly.
_AGREES: dict[Kind, dict[Kind, float]] = {
    Kind.PERSON: {Kind.NAME: 1.0},
    Kind.DATE: {Kind.DATE: 1.0},
    Kind.PLACE: {Kind.PLACE: 1.0, Kind.NAME: 0.55},
    Kind.NUMBER: {Kind.NUMBER: 1.0, Kind.DURATION: 0.9, Kind.PERCENT: 0.5, Kind.MONEY: 0.6},
    Kind.MONEY: {Kind.MONEY: 1.0, Kind.NUMBER: 0.4},
    Kind.PERCENT: {Kind.PERCENT: 1.0, Kind.NUMBER: 0.3},
    Kind.DURATION: {Kind.DURATION: 1.0, Kind.NUMBER: 0.4, Kind.CODE: 0.2},
    Kind.NAME: {Kind.NAME: 1.0, Kind.TITLE: 0.9, Kind.PLACE: 0.7, Kind.CODE: 0.5, Kind.SORT: 0.4},
    Kind.CODE: {Kind.CODE: 1.0, Kind.DURATION: 1.0, Kind.PERCENT: 1.0, Kind.TITLE: 0.9, Kind.NUMBER: 0.9, Kind.NAME: 0.4},
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
    found = _class_values(question, sentence) if question.kind is Kind.SORT else []
    sure = bool(found)
    found += _assigned(question, sentence, frozenset(agrees))
    for value in scan(sentence, frozenset(agrees)):
        if not value.normalised or f" {value.normalised} " in asked:
            continue
        score = agrees[value.kind] * _near(value, marks) * _fits(question, value, sentence) * _timely(question, value, sentence) * (0.6 if sure else 1.0)
        if score > 0:
            found.append(replace(value, score=min(1.0, score)))
    best: dict[str, Value] = {}
    for value in sorted(found, key=lambda one: (-one.score, one.start)):
        best.setdefault(value.normalised, value)
    return list(best.values())


def _assigned(question: Question, sentence: str, kinds: frozenset[Kind]) -> list[Value]:
    """``sort_keys=False`` where the question names sort_keys: what stands behind the sign is its value."""
    if question.kind not in (Kind.CODE, Kind.NUMBER, Kind.DURATION, Kind.NAME) or "=" not in sentence:
        return []
    found = []
    names = [one for one in (*question.entities, *question.relation) if re.fullmatch(r"\w{3,}", one)]
    for name in names:
        for match in re.finditer(rf"(?<!\w){re.escape(name)}\s?=\s?([^\s,()\]=]+)", sentence):
            value = _value(Kind.CODE, sentence, *match.span(1), fold(match[1]))
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


_ANY_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")


def _timely(question: Question, value: Value, sentence: str) -> float:
    """Half where another year than the asked one stands nearest to the value."""
    if not question.years or value.kind is Kind.DATE:
        return 1.0
    places = [(max(one.start() - value.end, value.start - one.end()), one.group()) for one in _ANY_YEAR.finditer(sentence)]
    if len({year for _, year in places}) < 2:
        return 1.0
    return 1.0 if min(places)[1] in question.years else 0.5


def _fits(question: Question, value: Value, sentence: str) -> float:
    if value.kind is Kind.DATE:
        return _fits_date(question, value, sentence)
    if value.kind in _COUNTED:
        return _fits_number(question, value, sentence)
    if value.kind in (Kind.NAME, Kind.PLACE):
        return _fits_name(question, value, sentence)
    words = {stem(one) for one in value.normalised.split()}
    named = {one for entity in question.entities for one, _ in entity_stems(entity)}
    if words <= named or (value.kind is Kind.CODE and words <= named | set(wanted(question))):
        return 0.0
    return 1.0 if len(words) < 9 else 0.5


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
    cited = re.search(r"(?:retrieved|archived|accessed|updated|©|isbn)\s", sentence[max(0, value.start - 30) : value.start].lower())
    full = 1.1 if len(value.normalised) > 4 and "year" not in question.text.lower() else 1.0
    return (0.2 if cited else 1.0) * full * (0.6 if re.search(r"\b(?:until|by|since)\s$", before) else 1.0)


def _fits_number(question: Question, value: Value, sentence: str) -> float:
    amount, _, unit = value.normalised.partition(" ")
    head = stem(question.head)
    asks_count = question.kind is Kind.NUMBER and re.search(r"\bhow many\b", question.text, re.IGNORECASE)
    if asks_count and head:
        near = {stem(one) for one in re.findall(r"[a-z]+", sentence[value.start : value.end + 40].lower())[:5]}
        return 1.25 if head in near else (0.45 if unit else 0.65)
    if head == stem("population"):
        good = unit in ("people", "inhabitants", "residents", "persons", "")
        return (1.2 if unit in ("people", "inhabitants", "residents") else 1.0) if good else 0.5
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
        long = 1.0 if len(words) > 1 else 0.75
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


def _class_values(question: Question, sentence: str) -> list[Value]:
    """Words of the class the question wants one of ("sport": cricket), wherever they stand."""
    head = question.head if question.head in CLASSES else next((one for one in CLASSES if question.head.startswith(one)), "")
    if not head:
        return []
    members, found = CLASSES[head], []
    for match in re.finditer(r"(?:(?:American|Association|Defensive|Lieutenant|Major|Brigadier)\s)?[^\W\d_]+", sentence, re.IGNORECASE):
        word = match.group().split()[-1].lower()
        hit = word if word in members else word.removesuffix("er").removesuffix("s")
        if hit in members:
            shape = 1.0 if head != "party" or match.group()[0].isupper() else 0.3
            value = _value(Kind.SORT, sentence, *match.span(), " ".join([*fold(match.group()).split()[:-1], hit]))
            found.append(replace(value, score=shape * (0.95 if " " not in match.group() else 1.0)))
    return found
