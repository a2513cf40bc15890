"""Typed values as they are written: dates, numbers with units, money, durations, names, places, titles, code.

Knows spellings; must not know questions, pages or rankings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from investigator.core.text import STOP_WORDS, fold, numbers
from investigator.world.offline.analysis import Kind
from investigator.world.offline.lexicon import MONTHS, NUMBER_WORDS, word_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value as it stands in a text.

    Attributes:
        kind: its type.
        text: exactly what stands there.
        normalised: what two spellings of the same value share: ISO date, ``1234.5 km``, folded name.
        start, end: offsets in the text it was found in.
        score: how well it answers the question, 0..1; 0 when no question was asked.
        esteem: how gladly the question takes a value of its type, 0..1; its words do not count.
    """

    kind: Kind
    text: str
    normalised: str
    start: int
    end: int
    score: float = 0.0
    esteem: float = 0.0


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[0-9]\d\d|20\d\d)"
_DATE = re.compile(
    rf"(?P<iso>\b{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b)"
    rf"|\b(?P<d1>{_DAY})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?P<m1>{_MONTH})\b\.?(?:,?\s+(?P<y1>{_YEAR})\b)?"
    rf"|\b(?P<m2>{_MONTH})\b\.?\s+(?P<d2>{_DAY})(?:st|nd|rd|th)?\b(?!\d|:\d)(?:\s?,?\s+(?P<y2>{_YEAR})\b)?"
    rf"|\b(?P<m3>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y3>{_YEAR})\b"
    r"|(?:(?<=\bin )|(?<=\bof )|(?<=\bby )|(?<=\bsince )|(?<=\buntil )|(?<=\bearly )|(?<=\blate ))"
    rf"(?P<m6>{_MONTH})\b(?!\s\d)"
    rf"|\b(?P<d4>{_DAY})[./](?P<m4>0?[1-9]|1[0-2])[./](?P<y4>{_YEAR})\b"
    rf"|(?<![\d.,$€£/-])\b(?P<y5>{_YEAR})(?:s\b|\b(?![,.]\d|\s?%|/\d))",
    re.IGNORECASE,
)
_SCALE = r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|bn)\b|(?P<letter>[kM])\b)?"
_DIGITS = r"(?P<n>[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?)"
_MONEY = re.compile(
    rf"(?P<sign>[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b)\s?{_DIGITS}{_SCALE}"
    r"|(?<![\w.])(?P<n2>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?(?P<scale2>thousand|million|billion|bn|"
    r"k|m)\b)?"
    r"\s?(?P<name>[€£]|(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?|francs|crowns?|yen)\b)",
    re.IGNORECASE,
)
_SPELT = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_TIME = (
    r"(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|"
    r"(?:business |working |calendar )?days?|weeks?|months?|years?)"
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:{_DIGITS}|(?P<spelt>{_SPELT})(?=[ -]))(?![\d]|\.\d){_SCALE}"
    rf"(?:\s?(?P<percent>%|per ?cent\b|percent\b)|[\s-]?(?P<time>{_TIME})\b(?! old\b)|[ ](?P<unit>[a-zA-Z]+[²³]?)\b)?",
    re.IGNORECASE,
)
_SCALES = {"hundred": 2, "thousand": 3, "k": 3, "million": 6, "m": 6, "billion": 9, "bn": 9, "trillion": 12}
_CURRENCY = {
    "$": "USD",
    "dollar": "USD",
    "€": "EUR",
    "euro": "EUR",
    "£": "GBP",
    "pound": "GBP",
    "¥": "JPY",
    "franc": "CHF",
    "yen": "JPY",
}
_CAP = r"[^\W\d_a-zà-ÿ][\w’'\-]*(?:\.(?=\s?[^\W\d_a-z])|(?:\.[^\W\d_])+\.?)?"
_NAME = re.compile(
    rf"(?<![\w@./])(?:{_CAP})(?:\s(?:(?:of|de|van|von|der|den|la|le|du|da|di|bin|al|y|the|&)\s){{0,2}}(?:{_CAP}))*"
)
_TITLE = re.compile(
    r"[\"“„]([^\"”“\n]{2,80})[\"”]|(?<!\w)'([^'\n]{2,60})'(?!\w)|\*([^*\n]{2,60})\*|`` ?([^`'\n]{2,60}) ?''"
)
_CODE = re.compile(
    r"`+([^`\n]{1,80}?)`+|(?<![\w.])((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*(?:\(\))?|[A-Za-z]\w*_\w+(?:\(\))?|"
    r"[A-Za-z_]\w*\(\)|"
    r"[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z][A-Z0-9_-]{2,}(?: [A-Z]{3,})*|--[a-z][\w-]+|True|False|None|"
    r"-?\d+(?:\.\d+)*)(?!\w)"
    r"|(?<==)\s?([^\s,()]{1,40})"
)
_PHRASE = re.compile(
    r"\b(?:is|was|are|were|as|being|became)\s+(?:also |both |either |originally |currently |not |usually )?"
    r"(?:an?|the|one of the)\s+"
    r"([\w’'-]+(?:[\s/-]+(?!(?:who|that|which|in|at|by|of|from|for|and|on|to|with|is|was|born|located|under|"
    r"where|when)\b)[\w’'-]+){0,6})"
)
_PLACE_BEFORE = re.compile(r"\b(?:in|at|near|from|of|outside|to|into|on|around)\s(?:the\s|downtown\s|nearby\s)?$")


def scan(text: str, kinds: frozenset[Kind] = frozenset(Kind)) -> list[Value]:
    """Every value of these kinds, in order; values of different kinds may overlap.

    >>> [(v.kind.value, v.normalised) for v in scan("Opened on 3 May 1920 for $1.5 million.") if v.kind in "date money"]
    [('date', '1920-05-03'), ('money', '1500000 USD')]
    """
    found: list[Value] = []
    dates = list(_dates(text))
    if Kind.DATE in kinds:
        found += dates
    if kinds & COUNTED:
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


COUNTED = frozenset({Kind.NUMBER, Kind.MONEY, Kind.PERCENT, Kind.DURATION})


def value_at(kind: Kind, text: str, start: int, end: int, normalised: str) -> Value:
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
        yield value_at(Kind.DATE, text, match.start(), match.end(), normal)


def _quantities(text: str, taken: list[tuple[int, int]]) -> Iterator[Value]:
    spent = list(taken)
    for match in _MONEY.finditer(text):
        digits, scale = match["n"] or match["n2"], match["scale"] or match["letter"] or match["scale2"]
        name = (match["sign"] or match["name"]).lower().rstrip("s")
        spent.append(match.span())
        yield value_at(Kind.MONEY, text, *match.span(), f"{_amount(digits, scale)} {_CURRENCY.get(name, name.upper())}")
    for match in _NUMBER.finditer(text):
        if any(start <= match.start() < end for start, end in spent):
            continue
        amount = _amount(match["n"] or str(NUMBER_WORDS[match["spelt"].lower()]), match["scale"] or match["letter"])
        if match["percent"]:
            yield value_at(Kind.PERCENT, text, *match.span(), f"{amount} %")
        elif match["time"]:
            unit = match["time"].lower().split()[-1].rstrip("s")
            yield value_at(Kind.DURATION, text, *match.span(), f"{amount} {_UNITS.get(unit, unit)}")
        else:
            unit = (match["unit"] or "").lower()
            unit = "" if unit in STOP_WORDS or unit in MONTHS else unit
            end = (
                match.end()
                if unit
                else (match.end("scale") if match["scale"] else match.end("n" if match["n"] else "spelt"))
            )
            yield value_at(Kind.NUMBER, text, match.start(), end, f"{amount} {unit}".strip())


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


_NOT_NAMES = word_set(
    "the in it he she they this that these those a an on at by for from as after before when while its his her their "
    "there however although during also since both one see if and but or to of with please note external links "
    "references edit retrieved archived isbn we you i my no yes not all some such each click view home search read "
    "more first new following according despite because under until most many between into over upon who what where "
    "which how why can may do use set returns return monday tuesday wednesday thursday friday saturday sunday"
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
        yield value_at(Kind.NAME, text, start, end, fold(text[start:end]))
        yield from _place(text, start, end)


def _place(text: str, start: int, end: int) -> Iterator[Value]:
    """``in Chester Springs, Pennsylvania``: a name behind a preposition with what follows its commas."""
    follows = re.compile(rf"\s?,\s(?:{_CAP})(?:\s{_CAP})*")
    stop = end
    while part := follows.match(text, stop):
        if fold(part.group().split()[-1]) in _NOT_NAMES:
            break
        stop = part.end()
    placed = stop > end or _PLACE_BEFORE.search(text[max(0, start - 16) : start])
    if placed and fold(text[start:stop]).split()[0] not in _NOT_NAMES:
        yield value_at(Kind.PLACE, text, start, stop, fold(text[start:stop]))


def _marked(pattern: re.Pattern[str], text: str, kind: Kind) -> Iterator[Value]:
    for match in pattern.finditer(text):
        group = next((at for at, one in enumerate(match.groups(), 1) if one), 0)
        start, end = match.span(group)
        end -= len(text[start:end]) - len(text[start:end].rstrip(" .,;:"))
        if fold(text[start:end]):
            yield value_at(kind, text, start, end, fold(text[start:end]))
