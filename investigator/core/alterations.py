"""Whether one page is an altered copy of another: the same passage with a number, date, name or value replaced.

Knows texts and offsets, like `evidence`, whose rule for shared text it follows. Must not know claims: what becomes of
a claim whose page was altered elsewhere is decided by the tools.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from investigator.core.evidence import (
    NEAR_WORDS,
    SHARED_SHINGLES,
    SHINGLE_WORDS,
    Shingle,
    Span,
    Support,
    span_of,
    word_range,
)
from investigator.core.facts import facts_differ
from investigator.core.text import Folded, folded, numbers, value_in

# More new words than this on either side is another passage in the same frame (a list, a form), not a replaced fact.
REPLACED_WORDS = 12


@dataclass(frozen=True, slots=True)
class Alteration:
    """Where two near-copies disagree: the words of the one, of the other, and the other's place in its text."""

    mine: str
    theirs: str
    span: Span


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
    for span in a.spans:
        if not may_copy(a.text, span, b_text):
            continue  # nearly every pair of pages: decided without folding either of them again
        mine, theirs = folded(a.text), folded(b_text)
        first, end = word_range(mine, span)
        region = _counterpart(mine, first, end, b_text) if first < end else None
        if region is None:
            continue
        for gap in _gaps(mine, theirs, first, end, region, b_text):
            found = _disagreement(a.text, mine, b_text, theirs, gap, value)
            if found:
                return found
    return None


def may_copy(text: str, span: Span, b_text: str) -> bool:
    """False only if the other page shares too few shingles with a passage and its surroundings to be a copy of it.

    Each page and passage has a signature: a row of bits, of which every shingle sets one. Shingles that the two share
    set the same bits; those of a passage that fell on a bit set already are counted as shared.
    """
    page, size = _signature(b_text)
    passage, crowded = _passage(text, span, size)
    return not passage or (passage & page).bit_count() + crowded >= SHARED_SHINGLES


@lru_cache(maxsize=16384)
def _passage(text: str, span: Span, size: int) -> tuple[int, int]:
    """The signature of a quote and its surroundings, and how many of its shingles have no bit of their own."""
    page = folded(text)
    first, end = word_range(page, span)
    begin, stop = max(0, first - NEAR_WORDS), min(len(page.words), end + NEAR_WORDS)
    shingles = {_shingle(page, at) for at in range(begin, stop - SHINGLE_WORDS + 1)}
    bits = _bits(shingles, size)
    return bits, len(shingles) - bits.bit_count()


@lru_cache(maxsize=4096)
def _signature(text: str) -> tuple[int, int]:
    """The bits of a page and how many there are: 64 to 128 for each of its words, so that strangers share few.

    That is a hundredth of the memory of the index, and what makes it possible to keep it for every page of a long run.
    """
    page = folded(text).words
    size = 1 << (64 * len(page)).bit_length()
    return _bits(zip(*(page[shift:] for shift in range(SHINGLE_WORDS)), strict=False), size), size


def _bits(shingles: Iterable[Shingle], size: int) -> int:
    """One bit for each shingle. It differs from process to process; what is decided by it does not."""
    row, mask = bytearray(max(1, size >> 3)), size - 1
    for one in map(hash, shingles):
        row[(one & mask) >> 3] |= 1 << (one & 7)
    return int.from_bytes(row, "little")


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
    here, there = span_of(a, *mine), span_of(b, *theirs)
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
