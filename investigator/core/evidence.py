"""What a quote proves: where it stands, whether two sources are one voice, whether one is an altered copy.

Knows texts and offsets. Must not know claims, statuses or limits: who may verify what is decided elsewhere, from these
answers. Page text is hostile; what is shown of it in a sentence is put on one line and shielded.

The numbers below are the rule for shared text: ratios (Jaccard) of verbatim wire copies are as low as 0.16, because
each paper adds its own text, so shared five-word shingles near the quote are counted instead. The quotes themselves do
not count for independence: two papers that quote one sentence of a speech are still two witnesses of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from investigator.core.blocks import one_line, shield
from investigator.core.facts import facts_differ
from investigator.core.ids import number_of
from investigator.core.text import Folded, fold, folded, numbers, value_in

SHINGLE_WORDS = 5
SHARED_SHINGLES = 12
NEAR_WORDS = 60
QUOTE_WORDS = 5
# More new words than this on either side is another passage in the same frame (a list, a form), not a replaced fact.
REPLACED_WORDS = 12

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


@dataclass(frozen=True, slots=True)
class Alteration:
    """Where two near-copies disagree: the words of the one, of the other, and the other's place in its text."""

    mine: str
    theirs: str
    span: Span


# Quotes


def locate(quote: str, page_text: str) -> Span | None:
    """The first place of the quote in the page, compared folded and by whole words; None if it is not there.

    >>> locate("the tower is 330 m", "Said he: the **tower**\\nis 330 m tall.")
    Span(start=9, end=31)
    """
    page = folded(page_text)
    first = next(page.find(fold(quote)), None)
    return _span(page, *first) if first else None


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
    places = [_span(page, *place) for place in page.find(phrase)]
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


def _span(page: Folded, first: int, end: int) -> Span:
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
    ranges = [_word_range(page, span) for span in spans]
    quoted = {word for first, end in ranges for word in range(first, end)}
    near = {
        word
        for first, end in ranges
        for begin, stop in ((max(0, first - NEAR_WORDS), first), (end, min(len(page.words), end + NEAR_WORDS)))
        for word in range(begin, stop - SHINGLE_WORDS + 1)
        if quoted.isdisjoint(range(word, word + SHINGLE_WORDS))
    }
    return frozenset(page.words[word : word + SHINGLE_WORDS] for word in near)


def _word_range(page: Folded, span: Span) -> tuple[int, int]:
    """The words that a range of the original touches, half-open."""
    first = bisect_right(page.ends, span.start)
    return first, max(first, bisect_left(page.starts, span.end))


# Altered copies


def altered(a: Support, b_text: str, value: str = "") -> bool:
    """Whether ``b_text`` copies the surroundings of a quote of ``a`` but states something else there."""
    return alteration(a, b_text, value) is not None


def alteration(a: Support, b_text: str, value: str = "") -> Alteration | None:
    """The disagreement of a near-copy with the passage that ``a`` quotes; None if it is no copy or agrees.

    A near-copy shares SHARED_SHINGLES shingles with the quote and NEAR_WORDS on either side, all in one passage. Both
    are aligned on the nearest common five words before and after the quote; they disagree when each side of what lies
    between has a number, date, name or the datapoint's value that the other lacks. Other wording is no disagreement,
    and neither is one side saying less.
    """
    mine, theirs = folded(a.text), folded(b_text)
    for span in a.spans:
        first, end = _word_range(mine, span)
        region = _counterpart(mine, first, end, b_text) if first < end else None
        if region is None:
            continue
        for gap in _gaps(mine, theirs, first, end, region, b_text):
            found = _disagreement(a.text, mine, b_text, theirs, gap, value)
            if found:
                return found
    return None


@lru_cache(maxsize=64)
def _index(text: str) -> dict[Shingle, list[int]]:
    """Where each shingle of a page begins; shared between calls, never changed."""
    page, index = folded(text).words, dict[Shingle, list[int]]()
    for at, shingle in enumerate(zip(*(page[shift:] for shift in range(SHINGLE_WORDS)), strict=False)):
        index.setdefault(shingle, []).append(at)
    return index


def _shingle(page: Folded, at: int) -> Shingle:
    return page.words[at : at + SHINGLE_WORDS]


def _counterpart(mine: Folded, first: int, end: int, b_text: str) -> tuple[int, int] | None:
    """The passage of the other page, as words, that shares most with the quote and its surroundings."""
    begin, stop = max(0, first - NEAR_WORDS), min(len(mine.words), end + NEAR_WORDS)
    index = _index(b_text)
    wanted = {_shingle(mine, at) for at in range(begin, stop - SHINGLE_WORDS + 1)}
    hits = sorted((at, shingle) for shingle in wanted for at in index.get(shingle, ()))
    width = (stop - begin) + NEAR_WORDS  # a copy may say more here and there
    best, left, counts = (0, 0, 0), 0, dict[Shingle, int]()
    for at, shingle in hits:
        counts[shingle] = counts.get(shingle, 0) + 1
        while hits[left][0] <= at - width:
            old = hits[left][1]
            counts[old] -= 1
            if not counts[old]:
                del counts[old]
            left += 1
        if len(counts) > best[0]:
            best = (len(counts), hits[left][0], at + SHINGLE_WORDS)
    return best[1:] if best[0] >= SHARED_SHINGLES else None


@dataclass(frozen=True, slots=True)
class _Gap:
    """Words of the one page and of the other that stand at the same place.

    ``anchored``: five common words on both sides. Otherwise the texts begin or end here, and only the same number of
    words with nothing but facts replaced is comparable.
    """

    mine: tuple[int, int]
    theirs: tuple[int, int]
    anchored: bool = True


def _gaps(
    mine: Folded, theirs: Folded, first: int, end: int, region: tuple[int, int], b_text: str
) -> Iterator[_Gap]:
    """What to compare for the quote [first, end): between the anchors, and what lies outside of them."""
    index = _index(b_text)

    def common(at: int) -> list[int]:
        inside = (found for found in index.get(_shingle(mine, at), ()) if region[0] <= found)
        return [found for found in inside if found + SHINGLE_WORDS <= region[1]]

    before = range(first - SHINGLE_WORDS, max(0, first - NEAR_WORDS) - 1, -1)
    after = range(end, min(len(mine.words), end + NEAR_WORDS) - SHINGLE_WORDS + 1)
    # Where nothing outside the quote is common, the copy begins or ends with it: the anchor is taken from within.
    lower = next((at for at in (*before, *range(first, end - SHINGLE_WORDS + 1)) if common(at)), None)
    upper = next((at for at in (*after, *range(end - SHINGLE_WORDS, first - 1, -1)) if common(at)), None)
    if lower is None or upper is None:
        return
    pair = _closest(common(lower), common(upper), upper - lower)
    if pair is None:
        return
    low, up = pair
    if lower >= first:
        size = min(lower - first, low)
        yield _Gap((lower - size, lower), (low - size, low), anchored=False)
    yield _Gap((lower + SHINGLE_WORDS, upper), (low + SHINGLE_WORDS, up))
    if upper < end:
        size = min(end - upper, len(theirs.words) - up) - SHINGLE_WORDS
        mine_end, their_end = upper + SHINGLE_WORDS, up + SHINGLE_WORDS
        yield _Gap((mine_end, mine_end + size), (their_end, their_end + size), anchored=False)


def _closest(lows: Sequence[int], ups: Sequence[int], distance: int) -> tuple[int, int] | None:
    """The pair of anchors that lie most nearly as far apart as in the first page."""
    pairs = []
    for low in lows:
        at = bisect_left(ups, low + distance)
        pairs += [(low, up) for up in ups[max(0, at - 1) : at + 1] if up - low >= min(SHINGLE_WORDS, distance)]
    return min(pairs, key=lambda pair: (abs(pair[1] - pair[0] - distance), pair), default=None)


def _disagreement(a_text: str, a: Folded, b_text: str, b: Folded, gap: _Gap, value: str) -> Alteration | None:
    mine, theirs = _trimmed(a, b, gap)
    here_words, there_words = a.words[slice(*mine)], b.words[slice(*theirs)]
    if not here_words or not there_words:
        return None
    if max(_news(here_words, there_words), _news(there_words, here_words)) > REPLACED_WORDS:
        return None
    if gap.anchored:
        differs = facts_differ(a_text, mine, b_text, theirs)
    else:
        differs = _only_facts_differ(a_text, mine, b_text, theirs)
    here, there = _span(a, *mine), _span(b, *theirs)
    if not differs and not (gap.anchored and _value_replaced(a_text, b_text, here, there, value)):
        return None
    return Alteration(a_text[here.start : here.end], b_text[there.start : there.end], there)


def _only_facts_differ(a_text: str, mine: tuple[int, int], b_text: str, theirs: tuple[int, int]) -> bool:
    """Whether, word against word, a fact differs and nothing but facts and capitalised words beside them."""
    a, b = folded(a_text), folded(b_text)
    pairs = [(x, y) for x, y in zip(range(*mine), range(*theirs), strict=True) if a.words[x] != b.words[y]]
    facts = [facts_differ(a_text, (x, x + 1), b_text, (y, y + 1)) for x, y in pairs]
    # The first word of a name may open the sentence, where its capital letter alone says nothing.
    capitals = [a_text[a.starts[x]].isupper() and b_text[b.starts[y]].isupper() for x, y in pairs]
    return any(facts) and all(map(max, facts, capitals))


def _news(words: Sequence[str], other: Sequence[str]) -> int:
    known = set(other)
    return sum(word not in known for word in words)


def _trimmed(a: Folded, b: Folded, gap: _Gap) -> tuple[tuple[int, int], tuple[int, int]]:
    """Both sides without the words that they begin and end with in common."""
    (first, end), (other, stop) = gap.mine, gap.theirs
    while first < end and other < stop and a.words[first] == b.words[other]:
        first, other = first + 1, other + 1
    while first < end and other < stop and a.words[end - 1] == b.words[stop - 1]:
        end, stop = end - 1, stop - 1
    return (first, end), (other, stop)


def _value_replaced(a_text: str, b_text: str, here: Span, there: Span, value: str) -> bool:
    """A datapoint's value that is no number ("blue"): stated here, replaced by other words there."""
    if not value or numbers(value):
        return False  # numbers are compared anyway, and "a dozen" for 12 is no disagreement
    return value_in(value, a_text[here.start : here.end]) and not value_in(value, b_text[there.start : there.end])
