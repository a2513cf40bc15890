"""Whether a document is about what is asked: words of the same relation, and how surely the subject stands in it.

Knows a question and the stems of a document; must not know sentences or layout.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from investigator.core.text import fold
from investigator.world.offline.analysis import Question, entity_stems, wanted
from investigator.world.offline.lexicon import RELATIONS, stem


@lru_cache(maxsize=4096)
def near_stems(one: str) -> frozenset[str]:
    """Stems of words that say the same relation."""
    return frozenset(near for group in RELATIONS if one in group for near in group)


def synonym(one: str, words: frozenset[str]) -> bool:
    """Whether a word of the same relation stands among these stems."""
    return not words.isdisjoint(near_stems(one))


def standing(question: Question, document: Sequence[str]) -> float:
    """How surely the question's subject stands in a document, given as stems in order: 0..1.

    Words of a name must stand together somewhere; parts of a dotted identifier may stand apart.
    """
    places: dict[str, list[int]] = {}
    needed = {one for entity in question.entities for one, _ in entity_stems(entity)} | set(wanted(question))
    for at, one in enumerate(document):
        if one in needed:
            places.setdefault(one, []).append(at)
    if not question.entities:
        return _relation_stands(question, places)
    weights = entity_weights(question)
    return sum(w * _stands(entity, places) for w, entity in zip(weights, question.entities, strict=True)) / sum(weights)


def entity_weights(question: Question) -> list[float]:
    """How much each entity counts: one that only narrows the subject counts little."""
    return [0.4 if _qualifies(question, entity) else 1.0 for entity in question.entities]


def _qualifies(question: Question, entity: str) -> bool:
    """``in Python``, ``, Ohio``: it narrows the subject and may go without saying on a page about it."""
    if len(question.entities) == 1 or " " in entity or not entity.isalpha():
        return False
    return bool(re.search(rf"(?:\b(?:in|by|at|under|within)\s(?:the\s)?|,\s){re.escape(entity)}\b", question.text))


def _relation_stands(question: Question, places: Mapping[str, list[int]]) -> float:
    own = [stem(word) for word in question.relation]
    if not own:
        return 1.0
    held = [1.0 if one in places else 0.8 if any(near in places for near in near_stems(one)) else 0.0 for one in own]
    return sum(held) / len(held)


def _stands(entity: str, places: Mapping[str, list[int]]) -> float:
    words = entity_stems(entity)
    total = sum(weight for _, weight in words)
    present = sum(weight for one, weight in words if one in places)
    if not present:
        return 0.0
    if len(words) == 1:
        return 1.0
    if re.search(r"[._]", entity) and " " not in entity:
        return 0.95 * present / total
    reach = len(fold(entity).split()) + 3
    anchor = max((one for one in words if one[0] in places), key=lambda one: (one[1], -len(places[one[0]])))[0]
    best = 0.0
    for at in places[anchor][:400]:
        near = sum(
            weight
            for one, weight in words
            if any(abs(at - place) < reach for place in _around(places.get(one, []), at, reach))
        )
        best = max(best, near / total)
    return best if best > 0.99 else 0.8 * best


def _around(places: Sequence[int], at: int, reach: int) -> Sequence[int]:
    first = bisect_left(places, at - reach)
    return places[first : first + 4]


def compounds(question: Question, counts: Mapping[str, int]) -> dict[str, str]:
    """``times out`` where the page writes ``timeout``: two words of the question that it writes as one."""
    written = fold(question.text).split()
    found = {}
    for one, other in pairwise(written):
        forms = (form for each in (one + other, one.rstrip("s") + other) for form in (each, stem(each)))
        joined = next((form for form in forms if form in counts), "")
        if joined and one in question.relation:
            found[stem(one)] = joined
    return found


_PARTICLES = frozenset(("out", "up", "off", "down", "over", "back", "away"))


def particles(question: Question, compounds: Mapping[str, str]) -> dict[str, str]:
    """``times out`` says nothing of other times: the verb counts only beside its particle."""
    pairs = pairwise(fold(question.text).split())
    return {stem(one): other for one, other in pairs if other in _PARTICLES and stem(one) not in compounds}
