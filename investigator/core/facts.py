"""The hard facts that a passage states: its numbers, dates and names.

Knows spelling only. Must not know quotes or sources: what a different fact means is decided in `evidence`. Names are
told by their capital letter, so this errs for languages that capitalise nouns, towards seeing a difference.
"""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.core.text import STOP_WORDS, Folded, folded, numbers

Words = tuple[int, int]
"""A half-open range of word numbers of a folded text."""


def facts_differ(a_text: str, mine: Words, b_text: str, theirs: Words) -> bool:
    """Whether each passage has a number that the other lacks, or each a name that the other lacks.

    One side saying more is no difference, nor is another spelling: 2 and two, J. and Joanne, US and United States.

    >>> facts_differ("built in 1962", (0, 3), "finished in 1965", (0, 3)), facts_differ("two", (0, 1), "2 big", (0, 2))
    (True, False)
    """
    a, b = folded(a_text), folded(b_text)
    if _replaced(_numbers(a_text, a, mine), _numbers(b_text, b, theirs)):
        return True
    ours, others = _names(a_text, a, mine), _names(b_text, b, theirs)
    left = {one for one in ours if not _named_in(one, set(b.words[slice(*theirs)]), others)}
    right = {one for one in others if not _named_in(one, set(a.words[slice(*mine)]), ours)}
    return bool(left and right)


def _replaced(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return bool(mine - theirs) and bool(theirs - mine)


_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ORDINAL = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELLED = {
    **{word: str(at) for at, word in enumerate([*_SMALL.split(), "seventeen", "eighteen", "nineteen"])},
    **{word: str(at) for at, word in enumerate(_ORDINAL.split())},
    **{word: str(10 * at) for at, word in enumerate(_TENS.split(), 2)},
    **{word: word for word in ("hundred", "thousand", "million", "billion", "trillion")},
}  # fmt: skip
# Dates, however they are written. "may" and "march" are also verbs: they count where they are capitalised.
_CALENDAR = """
january february april june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
_DATES = frozenset(_CALENDAR.split())


_FOOTNOTE = re.compile(r"\[\s?\d{1,3}\s?\]")


def _numbers(text: str, page: Folded, within: Words) -> frozenset[str]:
    """Numbers as decimal strings, spelled or not; names of months and days are read as names."""
    first, end = within
    spelled = (_SPELLED[word] for word in page.words[first:end] if word in _SPELLED)
    if first >= end:
        return frozenset()
    start, stop = page.starts[first], page.ends[end - 1]
    around = text[max(0, start - 2) : start], text[stop : stop + 2]
    opening = "[" if around[0].rstrip(" ").endswith("[") else ""
    closing = "]" if around[1].lstrip(" ").startswith("]") else ""
    written = numbers(_FOOTNOTE.sub(" ", opening + text[start:stop] + closing))
    return frozenset((*written, *spelled))


def _names(text: str, page: Folded, within: Words) -> frozenset[str]:
    """Folded capitalised words that are capitalised for more than beginning a sentence."""
    return frozenset(page.words[at] for at in range(*within) if _is_name(text, page, at))


def _is_name(text: str, page: Folded, at: int) -> bool:
    word = page.words[at]
    if word in _DATES:
        return True
    written = text[page.starts[at] : page.ends[at]]
    if not written[0].isupper() or word in _SPELLED:
        return False
    if word in STOP_WORDS and word != "may" and not (len(written) > 1 and written.isupper()):
        return False  # The, In and Who; but US is a country
    return not _opens_sentence(text, page, at) or word in _known_names(text)


_OPENS = re.compile(r"[.!?:;|•*#>\n\"“(]|(?:^|\s)[-–—]\s")


def _opens_sentence(text: str, page: Folded, at: int) -> bool:
    return at == 0 or _OPENS.search(text, page.ends[at - 1], page.starts[at]) is not None


@lru_cache(maxsize=64)
def _known_names(text: str) -> frozenset[str]:
    """Words that the page capitalises in mid-sentence, and never writes small."""
    page = folded(text)
    large, small = set[str](), set[str]()
    for at, word in enumerate(page.words):
        if not text[page.starts[at]].isupper():
            small.add(word)
        elif not _opens_sentence(text, page, at):
            large.add(word)
    return frozenset(large - small)


def _named_in(name: str, other_words: set[str], other_names: frozenset[str]) -> bool:
    """Whether the other side has the name, allowing for a genitive s, an initial (J. for Joanne) and an acronym."""
    if name in other_words or name + "s" in other_words or name.removesuffix("s") in other_words:
        return True
    if any(other[0] == name[0] and 1 in (len(other), len(name)) for other in other_names):
        return True
    initials = {other[0] for other in other_names}
    return 1 < len(name) <= 4 and len(name) <= len(other_names) and set(name) <= initials
