"""Copies: whether two pages are one text, and whether one is the other with a value changed.

Knows texts and places in them; must not know questions, findings or domains' owners.
"""

from __future__ import annotations

from collections.abc import Sequence

from investigator.core.text import words
from investigator.world.offline.values import Value

SHARED = 12  # five-word shingles that two independent texts do not share by chance
_AROUND = 60  # words around a place in which they are looked for
_CHARACTERS = 420  # about as many characters as that many words take


def altered(text_a: str, a: Value, text_b: str, b: Value) -> bool:
    """Whether the words around two different values are the same: one text is the other with the value changed.

    >>> from investigator.world.offline.values import Kind, scan
    >>> one = "Acme Hall, a concert hall by the old river mill, was opened in 1912 by the mayor and the city council."
    >>> two = one.replace("1912", "1921")
    >>> years = [scan(text, frozenset({Kind.DATE}))[0] for text in (one, two)]
    >>> altered(one, years[0], two, years[1])
    True
    """
    sides = [_sides(text, value) for text, value in ((text_a, a), (text_b, b))]
    (before_a, after_a), (before_b, after_b) = sides
    close = _common(before_a[::-1], before_b[::-1]) + _common(after_a, after_b)
    return close >= 5 and (
        close >= 14 or len(_shingles(before_a, after_a) & _shingles(before_b, after_b)) >= SHARED // 2
    )


def _sides(text: str, value: Value) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before = words(text[max(0, value.start - _CHARACTERS) : value.start])
    return before[-_AROUND:], words(text[value.end : value.end + _CHARACTERS])[:_AROUND]


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for one, two in zip(a, b, strict=False):
        if one != two:
            break
        count += 1
    return count


def _shingles(*parts: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(part[at : at + 5]) for part in parts for at in range(len(part) - 4)}


def around(text: str, start: int, end: int) -> set[tuple[str, ...]]:
    """The shingles of a place and what stands near it."""
    return _shingles(words(text[max(0, start - _CHARACTERS) : end + _CHARACTERS]))
