"""Whether a sentence with a value speaks of what the question asks about, and not of its neighbour.

Knows a question's words and a piece's stems; must not know scores of values or pages.
"""

from __future__ import annotations

import re

from investigator.world.offline.analysis import Kind, Question
from investigator.world.offline.lexicon import LIGHT, stem, word_set
from investigator.world.offline.standing import near_stems, synonym
from investigator.world.offline.values import typed

_PRICED = re.compile(
    r"(?:\b(?:for|at|is|are|costs?|of|to|from|pays?|paid)\s|[:|]\s?)(?:(?:only|about|up to|at most)\s)?"
    r"(?:[$€£¥]|(?:USD|EUR|GBP|CHF)\b)\s?\d|"
    r"\d(?:[.,]\d+)*\s?(?:[€£]|(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?|francs)\b)\s(?:per|a|an|each|for|every)\b",
)
_BEGINS = re.compile(
    r"\b(?:from|since|as of|with effect from|in force from|effective|starting|beginning)\s(?:the\s)?"
    r"(?:\d{1,2}\b|[A-Z][a-z]+\s\d|\d{4})"
)
_COST, _START = stem("cost"), stem("start")


def says_by_form(text: str) -> frozenset[str]:
    """Relations that a sentence says by its form alone: ``for EUR 40`` is a price, ``from 1 May`` a beginning.

    >>> sorted(says_by_form("It is sold for EUR 40 from 1 May."))
    ['cost', 'start']
    """
    found = {_COST} if _PRICED.search(text) else set()
    return frozenset(found | ({_START} if _BEGINS.search(text) else set()))


def formed(one: str, text: str) -> bool:
    """Whether a stem of the question is said by the form of a text."""
    near = near_stems(one) | {one}
    return (_COST in near or _START in near) and bool(near & says_by_form(text))


def missed(question: Question, said: frozenset[str], named: frozenset[str]) -> float:
    """How much a sentence loses that leaves out nouns of the question: 1.0 for none.

    Words that have words of the same relation are no subject, and what is counted must be said itself.

    Args:
        said: stems of the sentence, what stands above it, and what it points back to.
        named: stems of the sentence itself.
    """
    nouns = _nouns(question) if not question.entities else []  # beside a name other nouns only narrow what is asked
    factor = 1.0
    for one in nouns:
        if one not in said and not synonym(one, said):
            factor *= 0.6
    if nouns and not any(one in named or synonym(one, named) for one in nouns):
        factor *= 0.9  # what stands above says all of it
    head = stem(question.head)
    counted = (
        question.kind is Kind.NUMBER and question.head and re.search(r"\bhow many\b", question.text, re.IGNORECASE)
    )
    if counted and head not in said and not synonym(head, said) and head not in LIGHT:
        factor *= 0.5
    return factor


def _nouns(question: Question) -> list[str]:
    """Telling words of the question: no head, no verb of a common relation, nothing that many texts leave out."""
    stems = [stem(word) for word in question.relation if not word.isdigit() and word != question.head]
    return [one for one in stems if one not in LIGHT and not (near_stems(one) & _VERBAL)]


# Relations that a text may say by its form or another way; a line of nouns ("car vehicle") stays a subject.
_VERBAL = frozenset(
    near
    for word in word_set(
        "born die locate found open build release end direct write compose create cost limit minimum raise mean work "
        "play allow support forbid replace win confirm approve marry last determine enable buy employ store return "
        "require expire handle update begin reimburse length height head population"
    )
    for near in near_stems(stem(word)) | {stem(word)}
)


def silence(question: Question, document: frozenset[str], text: str, standing: float) -> float:
    """Lower for every telling word of the question that the whole page never says, nor any word like it.

    Args:
        document: the stems of the page and its title.
        standing: how surely the question's names stand on the page; where they do, one word may go unsaid.
    """
    telling = {stem(word) for word in question.relation if word != question.head} - LIGHT - {stem(question.head)}

    def told(one: str) -> bool:
        return one in document or synonym(one, document) or formed(one, text)

    missing = [one for one in telling if not told(one) and not one.isdigit()]
    dumb = not any(told(stem(word)) for word in question.relation)
    if dumb and question.relation and not missing and question.kind not in (Kind.SORT, Kind.PLACE):
        return 0.5
    if not typed(question):
        # A long question in prose has a word or two that no document would choose.
        spare = len(telling) // 5
        return float(0.8 ** min(len(missing), spare) * 0.5 ** max(0, len(missing) - spare))
    spared = len(missing) == 1 < len(telling) and bool(question.entities) and standing > _SURE
    return 0.7 if spared else float(0.5 ** len(missing))


_SURE = 0.99
