"""Reading a page for a question: which exact pieces of its text answer it, and how well.

Knows a question, one page and layout; must not know tools, prompts or the state of a run. Several pages are weighed
against each other in `findings`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from investigator.core.text import fold
from investigator.world.offline import prose
from investigator.world.offline.analysis import Kind, Question, analyse, entity_stems, wanted
from investigator.world.offline.lexicon import BOILERPLATE, LIGHT, STALE, spans, stem
from investigator.world.offline.sentences import Span, split
from investigator.world.offline.standing import compounds, entity_weights, particles, standing, synonym
from investigator.world.offline.subjects import formed, missed, silence
from investigator.world.offline.values import Value, candidates, typed

MOST_QUOTE_WORDS = 40
_DEEP = 60  # pieces whose values are looked for; the others are ranked by their words alone
_ASKED = re.compile(
    r"\b(?:surprised|wonder(?:s|ed|ing)?|asks?|asked|explains?|describes?|discuss(?:es)?|learn|see|shows?|covers?|"
    r"question(?:s)?|confus(?:ed|ing))\b[^.]{0,24}\b(?:how|why|what|whether|when)\b",
    re.IGNORECASE,
)
_ASKS_CHANGES = re.compile(
    r"\b(?:version|change[ds]?|new|fixed|release[ds]?|history|since|added|removed)\b", re.IGNORECASE
)
_MEASURES = ("maximum", "minimum", "average", "median", "mean", "total")
_DOTTED = re.compile(r"\w[._]\w")
_A_NAME = 0.3
_STANDS = 0.6  # below it the page is about something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a page: ``page_text[start:end] == text``.

    Attributes:
        score: how well it answers the question, 0..1.
        values: candidate answers in it, best first; their offsets count in the page, not in the passage.
        heading: the headings above it.
        stale: it says itself that it does not hold any more.
    """

    text: str
    start: int
    end: int
    score: float
    values: tuple[Value, ...] = ()
    heading: str = ""
    kind: str = "sentence"
    cells: tuple[tuple[int, int, str], ...] = ()
    stale: bool = False


def passages(question: str, text: str, title: str = "") -> list[Passage]:
    """The pieces of a page that say anything about the question, best first.

    A page on which the question's subject does not stand gets low scores throughout (at most 0.25).

    >>> page = "Acme was founded in 1912.\\nIt moved to Bonn in 1950."
    >>> [(p.text, p.values[0].normalised) for p in passages("When was Acme founded?", page)][0]
    ('Acme was founded in 1912.', '1912')
    """
    asked = analyse(question)
    page = _Page(asked, text, title)
    first = sorted(page.pieces, key=lambda one: (-page.words_score(one), one.span.start))
    read = [page.read(one) for one in first[:_DEEP] if page.words_score(one) > 0]
    return sorted((one for one in read if one.score > 0.02), key=lambda one: (-one.score, one.start))


def clip(text: str, passage: Passage, value: Value | None = None, most: int = MOST_QUOTE_WORDS) -> tuple[int, int]:
    """Offsets of at most ``most`` words of the passage that hold the value (or its beginning).

    >>> page = "a b c d e f 1912 g h"
    >>> start, end = clip(page, Passage(text=page, start=0, end=len(page), score=1.0), None, 3)
    >>> page[start:end]
    'a b c'
    """
    words = [match.span() for match in re.finditer(r"\S+", passage.text)]
    if len(words) <= most:
        return passage.start, passage.end
    first = 0
    if value is not None:
        at, stop = value.start - passage.start, value.end - passage.start
        last_word = sum(1 for begin, _ in words if begin < stop) - 1
        first_word = max(0, sum(1 for begin, _ in words if begin <= at) - 1)
        if last_word >= most:
            first = max(0, min(first_word - max(0, most - (last_word - first_word) - 8), len(words) - most))
    last = min(first + most, len(words)) - 1
    return passage.start + words[first][0], passage.start + words[last][1]


@dataclass(slots=True)
class _Piece:
    span: Span
    stems: frozenset[str]
    context: frozenset[str]
    index: int
    near: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()


class _Page:
    """One page with what the question needs of it counted once."""

    def __init__(self, question: Question, text: str, title: str) -> None:
        self.question, self.text, self.title = question, text, title
        tokens = list(spans(text))
        self.pieces = _pieces(text, title, tokens)
        self.title_stems = frozenset(one for one, _, _ in spans(title))
        self.subject = frozenset(one for one, _, _ in spans(prose.titled(title)))
        self.standing = standing(
            question, tuple(one for one, _, _ in spans(title)) + tuple(one for one, _, _ in tokens)
        )
        counts = Counter(one for piece in self.pieces for one in piece.stems)
        self.compounds = compounds(question, counts)
        self.particles = particles(question, self.compounds)
        self.weight = {
            (one := self.compounds.get(stem(word), stem(word))): (0.6 if word == question.head else 1.0)
            * (math.log(1 + (1 + len(self.pieces)) / (0.5 + counts[one])) + 0.3)
            for word in question.relation
        }
        document = self.title_stems | {one for one, _, _ in tokens}
        self.silence = silence(question, document, text, self.standing)
        self.near = wanted(question)
        self.entities = [dict(entity_stems(one)) for one in question.entities]
        self.stale = bool(STALE.search(title) or STALE.search(text[:300]))

    def words_score(self, piece: _Piece) -> float:
        return 0.6 * self.relation(piece) + 0.4 * self.entity(piece) + 0.05 / (1 + piece.index)

    def relation(self, piece: _Piece) -> float:
        """How much of the relation is said, rare words weighing more."""
        total = sum(self.weight.values())
        if not total:
            return 1.0 if self.defines(piece) else 0.4
        if not typed(self.question):
            # Of a long question no sentence says every word.
            total *= max(0.75, 1 - 0.05 * max(0, len(self.weight) - 4))
            told = self._told(piece) / total * (1.0 if self._says_enough(piece) else 0.7)
            return 0.4 + 0.6 * told if told and self._names_asked(piece.span) else told
        said = 0.0
        for one, weight in self.weight.items():
            if one in piece.stems:
                said += weight
            elif synonym(one, piece.stems) or formed(one, self.text[piece.span.start : piece.span.end]):
                said += 0.75 * weight
            elif one in piece.context or synonym(one, piece.context):
                said += 0.6 * weight
        score = said / total
        if self.question.kind in (Kind.SORT, Kind.PLACE) and self.defines(piece):
            score = max(score, 0.75)
        return score

    def _told(self, piece: _Piece) -> float:
        """Prose is told under headings and goes on from sentence to sentence; both say what it is about."""
        said = 0.0
        for one, weight in self.weight.items():
            headed = one in piece.near
            if one in self.particles and self.particles[one] not in piece.stems:
                continue
            if one in piece.stems:
                said += weight * (1.12 if headed else 1.0)
            elif synonym(one, piece.stems):
                said += 0.75 * weight
            elif headed:
                said += (1.0 if prose.is_term(piece.span.heading) else 0.8) * weight
            elif one in self.subject:
                said += 0.95 * weight
            elif one in piece.before or one in piece.context or synonym(one, piece.near):
                said += 0.6 * weight
            elif synonym(one, piece.context):
                said += 0.4 * weight
        return said

    def _says_enough(self, piece: _Piece) -> bool:
        """Half of what is asked of the page's subject stands in the sentence, above it or in the one before."""
        asked = [one for one in self.weight if one not in self.subject]
        here = piece.stems | piece.near
        here |= piece.before if self.question.kind is Kind.TEXT else frozenset()
        if self.question.kind is Kind.YES_NO and asked and asked[-1] not in here and not synonym(asked[-1], here):
            return False  # what is asked of the subject stands last
        share = 0.6 if self.question.kind is Kind.YES_NO else 0.5
        return sum(1 for one in asked if one in here or synonym(one, here)) >= share * len(asked)

    def entity(self, piece: _Piece) -> float:
        if not self.entities:
            return 0.6
        parts = [_share(one, piece.stems) for one in self.entities]
        near = 0.8 if typed(self.question) else 0.95
        around = [max(part, near * _share(one, piece.context)) for part, one in zip(parts, self.entities, strict=True)]
        weights = entity_weights(self.question)
        found = sum(part * weight for part, weight in zip(around, weights, strict=True)) / sum(weights)
        if found < 0.6 and self.points_back(piece):
            return 0.65
        return max(found, 0.35 * min(1.0, self.standing))

    def points_back(self, piece: _Piece) -> bool:
        begin = self.text[piece.span.start : piece.span.start + 24]
        if self.standing < _STANDS or not re.match(r"(?:It|He|She|They|His|Her|Its|Their|This|The)\b", begin):
            return False
        before = [one.stems for one in self.pieces[max(0, piece.index - 2) : piece.index]]
        names = self.entities[0]
        return piece.index < 6 or any(_share(names, one) >= _STANDS for one in [*before, piece.context])

    def defines(self, piece: _Piece) -> bool:
        """Whether it says "<subject> is a …" near its beginning."""
        begin = self.text[piece.span.start : min(piece.span.end, piece.span.start + 260)]
        copula = re.search(r"\b(?:is|was|are|were)\s(?:an?|the|one)\b", begin)
        return copula is not None and (self.entity(piece) >= 0.65 or piece.index == 0)

    def read(self, piece: _Piece) -> Passage:
        span = piece.span
        words = self.text[span.start : span.end]
        values = self.values(span)
        relation, entity = self.relation(piece), self.entity(piece)
        if typed(self.question):
            best = values[0].score if values else 0.0
            score = 0.34 * relation + 0.2 * entity + 0.41 * best + 0.05 / (1 + piece.index)
            score *= 1.0 if values else 0.4
            if self.question.kind is Kind.PERSON and best < _A_NAME:
                score *= 0.8  # the words fit, but nobody is named
            score *= 1.0 if relation > 0.2 else 0.55
        else:
            # One common verb says little; then the subject must stand in the sentence itself.
            share = 0.3 if len(self.weight) > 1 or not self.entities else 0.5
            score = (0.92 - share) * relation + share * entity + 0.05 / (1 + piece.index / 3)
        if not typed(self.question):
            span, words = self.whole(piece)
            score *= prose.worth(self.question.text, words)
            score *= 0.5 if span.kind in ("code", "row") else 1.0
            if prose.is_log(span.heading) and not _ASKS_CHANGES.search(self.question.text):
                score *= 0.6
            if _ASKED.search(words):
                score *= 0.6  # it says that something is asked or told elsewhere, not what the answer is
            if prose.leans(words, span.heading):
                score *= 0.6
            score *= self._defined(span, words) * self._titled()
        if span.kind == "row" and self.entities and entity < 0.6:
            score *= 0.5  # the row of something else
        if self.question.kind is Kind.CODE:
            score *= 0.5 ** self._unsaid(piece)
        elif typed(self.question):
            back = piece.before if prose.leans(words) else frozenset()
            score *= missed(self.question, piece.stems | piece.context | back, piece.stems)
        if any(stem(word) in self.weight and not self._says(stem(word), piece) for word in _MEASURES):
            score *= 0.6  # a number of the thing, but not its maximum
        named = relation > 0 and not typed(self.question) and self._names_asked(piece.span)
        score *= max(self.silence, 0.8 if named else 0.0) * self._penalty(span, words)
        score *= 1.0 if self.standing >= _STANDS else 0.1 + 0.3 * self.standing
        stale = self.stale or bool(STALE.search(span.heading) or STALE.search(words))
        return Passage(
            text=words, start=span.start, end=span.end, score=round(min(1.0, score), 4), values=values,
            heading=span.heading, kind=span.kind, cells=span.cells, stale=stale,
        )  # fmt: skip

    def _titled(self) -> float:
        """A document is about what its title names; what is only spoken of in another says less."""
        named = {one for entity in self.entities for one in entity} | set(self.weight)
        return 1.0 if not self.title_stems or named & self.title_stems else 0.85

    def _defined(self, span: Span, words: str) -> float:
        """More below the name that is asked about; less in a sentence on another name of the same module."""
        below = prose.tail(span.heading) if prose.is_term(span.heading) else ""
        for entity in self.question.entities:
            if _DOTTED.search(entity) and (name := prose.tail(entity)):
                said = re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", f"{words} {span.heading}", re.IGNORECASE)
                return 1.15 if below == name else 0.95 if said else 0.8 if self.question.kind is Kind.YES_NO else 0.6
        return 1.15 if below and stem(below) in self.weight else 1.0

    def _names_asked(self, span: Span) -> bool:
        """Whether what stands above is the very identifier that is asked about: then half is said by its place."""
        if self.question.kind is not Kind.TEXT or not prose.is_term(span.heading):
            return False
        return prose.tail(span.heading) in {prose.tail(one) for one in self.question.entities if _DOTTED.search(one)}

    def whole(self, piece: _Piece) -> tuple[Span, str]:
        """The sentence with those of its paragraph that it leans on, as long as they are few."""
        span, at = piece.span, piece.index
        while prose.leans(text := self.text[span.start : span.end], span.heading) and at > 0:
            before = self.pieces[at - 1].span
            if not prose.joins(self.text[before.start : before.end]):
                break
            gap = self.text[before.end : span.start]
            apart = before.kind != "sentence" and not (before.kind == span.kind == "item")
            long = len(text.split()) + len(self.text[before.start : before.end].split()) > prose.MOST_WORDS
            if apart or long or gap.count("\n") > 1 or before.heading != span.heading:
                break
            # An item's own sentences follow without a mark between them; the next item has one.
            if gap.strip() or (before.kind == "item" and "\n" in gap and self.text[span.start] in "-*+•"):
                break
            span, at = replace(span, start=before.start), at - 1
        return span, self.text[span.start : span.end]

    def values(self, span: Span) -> tuple[Value, ...]:
        if not span.cells:
            found = candidates(self.question, self.text[span.start : span.end])
            return tuple(_moved(one, span.start) for one in found[:6])
        found = []
        for start, end, header in span.cells:
            lead = f"{header}: " if header else ""
            fits = any(one in self.near for one, _, _ in spans(header))
            beside = self._row_says(span, start)
            if any(one == stem(self.question.head) for one, _, _ in spans(header)) and fold(self.text[start:end]):
                found.append(self._whole(start, end))
            for one in candidates(self.question, lead + self.text[start:end]):
                if one.start >= len(lead):
                    score = max(one.score * (1.0 if fits or not header else 0.6), beside * one.esteem)
                    found.append(replace(_moved(one, start - len(lead)), score=score))
        return tuple(sorted(found, key=lambda one: (-one.score, one.start))[:6])

    def _row_says(self, span: Span, at: int) -> float:
        """How surely the other cells of a row say what is asked, so that its value need not stand near the words."""
        asked = [
            stem(word) for word in self.question.relation if word != self.question.head and stem(word) not in LIGHT
        ]
        others = " ".join(self.text[start:end] for start, end, _ in span.cells if start != at)
        said = frozenset(one for one, _, _ in spans(others))
        told = sum(1 for one in asked if one in said or synonym(one, said))
        return 0.75 if asked and span.kind == "row" and told >= 0.6 * len(asked) else 0.0

    def _whole(self, start: int, end: int) -> Value:
        """The cell below a title that is what the question asks for is the answer, whatever stands in it."""
        text = self.text[start:end]
        return Value(kind=Kind.TITLE, text=text, normalised=fold(text), start=start, end=end, score=0.85)

    def _says(self, one: str, piece: _Piece) -> bool:
        said = piece.stems | piece.context
        return one in said or synonym(one, said)

    def _unsaid(self, piece: _Piece) -> int:
        """Telling words that neither the piece nor what stands above it says: a default of something else."""
        said = piece.stems | piece.context
        telling = [one for one in self.weight if one not in LIGHT and one != stem(self.question.head)]
        return sum(1 for one in telling if one not in said and not synonym(one, said))

    def _penalty(self, span: Span, words: str) -> float:
        factor = 0.5 if words.rstrip().endswith("?") else 1.0
        if typed(self.question) and not self.question.versions and self.question.kind is not Kind.DATE:
            factor *= 0.6 if prose.is_history(words) else 1.0
        factor *= 0.45 if BOILERPLATE.search(words) else 1.0
        factor *= 0.6 if re.match(r"[\s|]*(?:>>>|\.\.\.|import |from \w+ import )", words) else 1.0
        if span.kind == "sentence" and len(words.split()) < 4:
            factor *= 0.6
        if self.question.years:
            around = f"{span.heading} {words} {' '.join(header for _, _, header in span.cells)}"
            factor *= 1.0 if any(year in around for year in self.question.years) else self._other_year(around)
        return factor

    def _other_year(self, around: str) -> float:
        if re.search(r"\b(?:19|20)\d\d\b", around):
            return 0.6
        return 0.95 if any(year in self.title for year in self.question.years) else 0.8


def _moved(value: Value, by: int) -> Value:
    return replace(value, start=value.start + by, end=value.end + by)


def _share(entity: Mapping[str, float], words: frozenset[str]) -> float:
    total = sum(entity.values())
    return sum(weight for one, weight in entity.items() if one in words) / total if total else 0.0


def _pieces(text: str, title: str, tokens: list[tuple[str, int, int]]) -> list[_Piece]:
    starts = [start for _, start, _ in tokens]
    found: list[_Piece] = []
    nears: dict[str, frozenset[str]] = {}
    titled = frozenset(one for one, _, _ in spans(title))
    contexts: dict[str, frozenset[str]] = {}
    for index, span in enumerate(split(text)):
        words = frozenset(one for one, _, _ in tokens[bisect_left(starts, span.start) : bisect_left(starts, span.end)])
        above = span.heading + " " + " ".join(header for _, _, header in span.cells)
        if above not in contexts:
            contexts[above] = frozenset(one for one, _, _ in spans(above)) | titled
        inner = span.heading.rsplit(" › ", 1)[-1]
        if inner not in nears:
            nears[inner] = frozenset(one for one, _, _ in spans(inner))
        follows = found and found[-1].span.heading == span.heading
        before = found[-1].stems if follows else frozenset()
        found.append(_Piece(span, words, contexts[above], index, nears[inner], before))
    return found
