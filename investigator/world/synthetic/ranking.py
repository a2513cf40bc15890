"""Full-text ranking in memory: BM25 over stemmed words, titles counted twice.

Knows texts and numbers; must not know pages, addresses or truth. Equal input gives an equal order on every machine,
which an engine with its own tokenizer does not promise; that is why SQLite's is not used here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from investigator.core.text import words

_K1, _B = 1.2, 0.75  # the usual values (Robertson and Zaragoza 2009)
_TITLE = 2
_SUFFIXES = ("ing", "ed", "er", "es", "s")


class Ranking:
    """Documents as (title, text) pairs, ranked for a query.

    >>> Ranking([("Tea", "Leaves in water."), ("Bridges", "A bridge opened.")]).best("opening of a bridge", 5)
    [1]
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._counts = [Counter(stems(title) * _TITLE + stems(text)) for title, text in documents]
        self._sizes = [counts.total() for counts in self._counts]
        self._mean = sum(self._sizes) / max(1, len(self._sizes))
        self._found_in = Counter(stem for counts in self._counts for stem in counts)

    def best(self, query: str, limit: int) -> list[int]:
        """Numbers of at most ``limit`` documents, best first; a tie keeps their order."""
        wanted = sorted(set(stems(query)))  # sorted: a sum of floats depends on its order
        scores = [self._score(wanted, number) for number in range(len(self._counts))]
        ranked = sorted(range(len(scores)), key=lambda number: (-scores[number], number))
        return [number for number in ranked if scores[number] > 0][:limit]

    def weight(self, stem: str) -> float:
        """How much a stem tells documents apart; near 0 for one that stands everywhere."""
        found = self._found_in[stem]
        return math.log(1 + (len(self._counts) - found + 0.5) / (found + 0.5))

    def _score(self, wanted: list[str], number: int) -> float:
        counts = self._counts[number]
        size = _K1 * (1 - _B + _B * self._sizes[number] / self._mean)
        return sum(
            self.weight(stem) * counts[stem] * (_K1 + 1) / (counts[stem] + size) for stem in wanted if stem in counts
        )


def stems(text: str) -> list[str]:
    """The words of a text without their commonest English endings, in order.

    >>> stems("The bridges opened; opening a bridge")
    ['the', 'bridg', 'open', 'open', 'a', 'bridg']
    """
    return [_stem(word) for word in words(text)]


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) >= len(suffix) + 4:
            word = word[: -len(suffix)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word
