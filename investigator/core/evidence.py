"""What a quote proves: where it stands, and whether two sources are one voice.

Knows texts and offsets. Must not know claims, statuses or limits: who may verify what is decided elsewhere, from these
answers. Page text is hostile; what is shown of it in a sentence is put on one line and shielded.

The numbers below are the rule for shared text: ratios (Jaccard) of verbatim wire copies are as low as 0.16, because
each paper adds its own text, so shared five-word shingles near the quote are counted instead. The quotes themselves do
not count for independence: two papers that quote one sentence of a speech are still two witnesses of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from investigator.core.blocks import one_line, shield
from investigator.core.ids import number_of
from investigator.core.text import Folded, fold, folded, value_in

SHINGLE_WORDS = 5
SHARED_SHINGLES = 12
NEAR_WORDS = 60
QUOTE_WORDS = 5

Shingle = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters of an original text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span runs forward from 0, not from {self.start} to {self.end}")


@dataclass(frozen=True, slots=True)
class Support:
    """A source that speaks for a claim: its whole text, and where the located quotes stand in it."""

    source_id: str
    domain: str
    text: str
    spans: tuple[Span, ...] = ()


# Quotes


def locate(quote: str, page_text: str) -> Span | None:
    """The first place of the quote in the page, compared folded and by whole words; None if it is not there.

    >>> locate("the tower is 330 m", "Said he: the **tower**\\nis 330 m tall.")
    Span(start=9, end=31)
    """
    page = folded(page_text)
    first = next(page.find(fold(quote)), None)
    return span_of(page, *first) if first else None


def check_quote(quote: str, page_text: str, value: str = "") -> Span | str:
    """Where an acceptable quote stands; else the reason why it is refused, with what to do instead.

    Args:
        value: the decimal string of a datapoint, which must stand in its quote; '' for a claim without one.

    >>> check_quote("is 330 m", "The tower is 330 m tall.")[:33]
    'The quote is shorter than 5 words'
    """
    page, phrase = folded(page_text), fold(quote)
    if not phrase:
        return "The quote holds no words. Copy at least 5 words in a row from the page."
    places = [span_of(page, *place) for place in page.find(phrase)]
    if not places:
        return _not_found(quote, phrase, page_text, page)
    if phrase.count(" ") + 1 < QUOTE_WORDS:
        places = [place for place in places if _is_row_or_item(page_text, place, phrase)]
        if not places:
            return (
                f"The quote is shorter than {QUOTE_WORDS} words and is not a whole table row or list item. "
                "Quote more of the sentence, or the whole row or item."
            )
    for place in places:
        if not value or value_in(value, page_text[place.start : place.end]):
            return place
    return f"The value {one_line(shield(value), 40)} does not stand in the quote. Quote the passage that states it."


def span_of(page: Folded, first: int, end: int) -> Span:
    """The range of the original from word ``first`` to before word ``end``; empty where there are no words."""
    if first < end:
        return Span(page.starts[first], page.ends[end - 1])
    at = page.starts[first] if first < len(page.starts) else (page.ends[-1] if page.ends else 0)
    return Span(at, at)


_ELLIPSIS = re.compile(r"\.\s?\.\s?\.|…")


def _not_found(quote: str, phrase: str, page_text: str, page: Folded) -> str:
    if _ELLIPSIS.search(quote.strip(" .…\"'“”")):
        return "The quote is not on the page: it leaves words out. Quote one continuous passage, without an ellipsis."
    asked = phrase.split(" ")
    common, place = _longest_prefix(asked, page)
    if common < min(QUOTE_WORDS, len(asked) - 1) or not place:
        return "The quote is not on the page. Copy it word for word from the text of the page, without changes."
    start = page.ends[place[1] - 1]
    rest = page_text[start : start + 80].lstrip()
    goes_on = f'the page goes on "{one_line(shield(rest), 60)}"' if rest else "the page ends"
    return (
        f'The quote is not on the page. After "{" ".join(asked[max(0, common - 5) : common])}" {goes_on} and the quote '
        f'says "{" ".join(asked[common : common + 5])}". Copy it word for word from the page.'
    )


def _longest_prefix(asked: Sequence[str], page: Folded) -> tuple[int, tuple[int, int] | None]:
    """How many leading words of the quote the page has in a row, and where. A found prefix implies shorter ones."""
    low, high, place = 0, len(asked) - 1, None
    while low < high:
        middle = (low + high + 1) // 2
        found = next(page.find(" ".join(asked[:middle])), None)
        if found:
            low, place = middle, found
        else:
            high = middle - 1
    return low, place


_ITEM = re.compile(r"\s*(?:[-*+•‣◦·–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+")


def _is_row_or_item(page_text: str, place: Span, phrase: str) -> bool:
    """Whether the quote is all that its line says, and the line is a table row (pipes, tabs) or a list item."""
    start = max(page_text.rfind(end, 0, place.start) for end in "\n\f\r") + 1
    ends = [at for at in (page_text.find(end, place.end) for end in "\n\f\r") if at >= 0]
    line = page_text[start : min(ends, default=len(page_text))]
    if len(line) > 2000:
        return False  # no row of fewer than five words is that long; keeps a one-line page linear
    item = _ITEM.match(line)
    if item:
        return phrase in (fold(line), fold(line[item.end() :]))
    return ("|" in line or "\t" in line.strip()) and fold(line) == phrase


def place(text: str, offset: int, unit: str) -> str:
    """How a person finds a place in a document: ``line 12``, ``page 3``, ``paragraph 4``, or '' without a unit.

    >>> place("one\\ntwo", 4, "line"), place("a\\fb", 2, "page"), place("a\\n\\nb", 3, "paragraph")
    ('line 2', 'page 2', 'paragraph 2')
    """
    offset = min(max(offset, 0), len(text))
    if unit == "line":
        return f"line {text.count(chr(10), 0, offset) + 1}"
    if unit == "page":
        return f"page {text.count(chr(12), 0, offset) + 1}"
    if unit == "paragraph":
        before = text[: offset + 1].split("\n")
        begins = [line for at, line in enumerate(before) if line.strip() and (at == 0 or not before[at - 1].strip())]
        return f"paragraph {max(1, len(begins))}"
    return ""


# Independence


def shares_text(a: Support, b: Support) -> bool:
    """Whether two supports have the same text around their quotes, the quotes left out: then they are one origin."""
    return len(_around(a.text, a.spans) & _around(b.text, b.spans)) >= SHARED_SHINGLES


def origins(supports: Sequence[Support], text_independence: bool = True) -> tuple[tuple[str, ...], ...]:
    """The source ids grouped by origin: connected by the same domain or, if asked for, by shared text.

    An unknown domain ('') counts as one domain: independence is never assumed. The order is that of the ids.

    >>> origins([Support("s_002", "b.org", ""), Support("s_001", "a.org", ""), Support("s_003", "B.org", "")])
    (('s_001',), ('s_002', 's_003'))
    """
    groups: list[list[Support]] = []
    for one in supports:
        linked = [group for group in groups if any(_one_voice(one, other, text_independence) for other in group)]
        groups = [group for group in groups if group not in linked] + [[one, *(x for group in linked for x in group)]]
    named = [tuple(sorted({one.source_id for one in group}, key=_by_number)) for group in groups]
    return tuple(sorted(named, key=lambda group: _by_number(group[0])))


def _by_number(source_id: str) -> tuple[int, str]:
    return number_of(source_id), source_id


def _one_voice(a: Support, b: Support, text_independence: bool) -> bool:
    if a.source_id == b.source_id or a.domain.casefold() == b.domain.casefold():
        return True
    return text_independence and shares_text(a, b)


@lru_cache(maxsize=1024)
def _around(text: str, spans: tuple[Span, ...]) -> frozenset[Shingle]:
    """The shingles within NEAR_WORDS of the quotes that touch no quote."""
    page = folded(text)
    ranges = [word_range(page, span) for span in spans]
    quoted = {word for first, end in ranges for word in range(first, end)}
    near = {
        word
        for first, end in ranges
        for begin, stop in ((max(0, first - NEAR_WORDS), first), (end, min(len(page.words), end + NEAR_WORDS)))
        for word in range(begin, stop - SHINGLE_WORDS + 1)
        if quoted.isdisjoint(range(word, word + SHINGLE_WORDS))
    }
    return frozenset(page.words[word : word + SHINGLE_WORDS] for word in near)


def word_range(page: Folded, span: Span) -> tuple[int, int]:
    """The words that a range of the original touches, half-open."""
    first = bisect_right(page.ends, span.start)
    return first, max(first, bisect_left(page.starts, span.end))
