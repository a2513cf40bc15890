"""Weighing several pages against each other: which answers they give, who supports which, and what is superseded.

Knows pages as texts with titles and dates; must not know tools, prompts or claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from investigator.core.text import fold, words
from investigator.world.offline import prose
from investigator.world.offline.analysis import Kind, Question, analyse, timeless
from investigator.world.offline.copies import SHARED, altered, around
from investigator.world.offline.dating import older, outdated
from investigator.world.offline.lexicon import FORMER, NEGATIONS, stem
from investigator.world.offline.passages import MOST_QUOTE_WORDS, Passage, clip, passages
from investigator.world.offline.values import Value, typed

THRESHOLD = 0.4  # below it a sentence does not answer the question: silence is better than an assertion
TEXT_THRESHOLD = 0.5  # the same for answers that are sentences: only words speak for them


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page as the reader sees it. ``key`` names it (an s_ id or a url); ``published`` is ISO date text or ''."""

    key: str
    text: str
    title: str = ""
    published: str = ""
    url: str = ""
    domain: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One page that says so: ``text[start:end] == quote`` in the page named ``key``, at most 40 words.

    ``first``: this is the page's own first answer. Only these speak against another answer.
    ``stale``: the sentence or its page says that it does not hold any more; ``outdated``: the page does.
    """

    key: str
    quote: str
    start: int
    end: int
    score: float
    passage: Passage
    value: Value | None = None
    published: str = ""
    title: str = ""
    label: str = ""
    stale: bool = False
    outdated: bool = False
    first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another answer to the same question about the same subject.

    ``supports`` counts the pages whose first answer it is; ``weight`` is the sum of their scores.
    """

    text: str
    normalised: str
    supports: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One answer with everything that was found for it.

    Attributes:
        text: the value as written, or the quote where the answer is a sentence.
        normalised: what equal answers share; ``yes`` or ``no`` for yes/no questions.
        supports: one per page, best first.
        disputed: pages that are near-copies of another page with another value: they support nobody.
        origins: how many independent texts and domains the supports come from.
        rivals: other answers, most supported first; another entity of the same name is no rival.
        superseded: supports of older answers that this one replaces.
        label: what tells the entity from others of its name ("Texas"), or ''.
    """

    text: str
    normalised: str
    score: float
    supports: tuple[Support, ...]
    disputed: tuple[Support, ...] = ()
    origins: int = 0
    rivals: tuple[Rival, ...] = ()
    superseded: tuple[Support, ...] = ()
    label: str = ""
    published: str = ""

    @property
    def best(self) -> Support:
        """The support to quote first."""
        return (self.supports or self.disputed)[0]

    @property
    def agreed(self) -> bool:
        """Two pages say so, and no rival has half their weight."""
        own = sum(one.score * (1.0 if one.first else 0.7) for one in self.supports)
        # What no page says first is a value that stands near the answer everywhere.
        return (
            len(self.supports) >= 2
            and any(one.first for one in self.supports)
            and all(2 * one.weight < own for one in self.rivals)
        )

    @property
    def settled(self) -> bool:
        """Agreed, and by independent texts: another domain, no shared passage."""
        return self.agreed and self.origins >= 2


def answers(question: str, pages: Sequence[PageText], least: float | None = None) -> list[Finding]:
    """What the pages answer, best first; nothing when no page answers the question.

    ``least`` is the lowest score of a support (default: `THRESHOLD`, or `TEXT_THRESHOLD` for sentences). With 0 even
    weak candidates come back, for a person to look through.

    >>> pages = [PageText(key="a", text="Acme was founded in 1912."), PageText(key="b", text="Rain is wet.")]
    >>> [(f.normalised, [s.key for s in f.supports]) for f in answers("When was Acme founded?", pages)]
    [('1912', ['a'])]
    """
    asked = analyse(question)
    floor = (THRESHOLD if typed(asked) else TEXT_THRESHOLD) if least is None else least
    read = [_supports(asked, page, floor) for page in pages]
    groups = _grouped(asked, [one for of_page in read for one in of_page])
    texts = {page.key: page for page in pages}
    disputed = _disputed(asked, groups, texts)
    found = [_finding(asked, group, disputed, texts) for group in groups]
    ranked = sorted(found, key=lambda one: (not one.supports, -one.score, one.best.start))
    weighed = [_with_rivals(one, ranked) for one in _newest_first(asked, ranked)]
    # Agreement of independent pages outweighs one page's fluent sentence; what changes with time is told by dates.
    return weighed if _dated(asked, pages) else sorted(weighed, key=lambda one: (not one.settled, not one.agreed))


def _dated(question: Question, pages: Sequence[PageText]) -> bool:
    return not question.past and len({page.published for page in pages if page.published}) > 1


def quotes(findings: Sequence[Finding], most: int) -> list[Support]:
    """What to quote when only ``most`` quotes are shown: the best of every page before the second of any.

    >>> found = answers("When was Acme founded?", [PageText(key="a", text="Acme was founded in 1912.")])
    >>> [one.quote for one in quotes(found, 3)]
    ['Acme was founded in 1912.']
    """
    stock = sorted(
        (one for finding in findings for one in finding.supports + finding.disputed),
        key=lambda one: (-one.score, one.start),
    )
    rounds: dict[str, int] = {}
    ranked: list[tuple[int, int, Support]] = []
    seen: set[tuple[str, int, int]] = set()
    for place, one in enumerate(stock):
        if any(key == one.key and start < one.end and one.start < end for key, start, end in seen):
            continue
        seen.add((one.key, one.start, one.end))
        turn = rounds[one.key] = rounds.get(one.key, -1) + 1
        ranked.append((turn, place, one))
    return [one for _, _, one in sorted(ranked, key=lambda item: item[:2])][:most]


def _supports(question: Question, page: PageText, floor: float) -> list[Support]:
    """What one page says, each answer once; its own weaker answers count for little."""
    found: dict[str, Support] = {}
    stale = outdated(page.text, page.title, page.url)
    for passage in passages(question.text, page.text, _titled(page))[:10]:
        for value in passage.values[:4] if typed(question) else (None,):
            score = passage.score
            if value is not None:
                score -= 0.41 * (passage.values[0].score - value.score)
            if score < floor or (value is None and typed(question)):
                continue
            key = value.normalised if value is not None else _sentence_key(question, passage)
            if key not in found or found[key].score < score:
                found[key] = _support(question, page, passage, value, score, stale)
    ranked = sorted(found.values(), key=lambda one: (-one.score, one.start))
    # A list of several entities of one name is a page too, so near-equals stay; what is clearly weaker is context.
    # Prose answers in several sentences; one of them being better worded does not make the next one context.
    near = 0.12 if typed(question) else 0.3
    kept = [one for one in ranked if one.score >= (ranked[0].score - near if floor > 0 else 0.0)][:6]
    return [replace(one, first=one is kept[0]) for one in kept]


def _titled(page: PageText) -> str:
    """The title with the names of the folders and the file: what a document is about stands there as well."""
    path = page.url.removeprefix("doc:").partition("#")[0] if page.url.startswith("doc:") else ""
    return f"{page.title} — {' '.join(re.split(r'[^A-Za-z0-9]+', path.rpartition('.')[0]))}" if path else page.title


def _support(
    question: Question, page: PageText, passage: Passage, value: Value | None, score: float, stale: bool
) -> Support:
    start, end = clip(page.text, passage, value, MOST_QUOTE_WORDS if typed(question) else prose.MOST_WORDS)
    old = passage.stale or stale or bool(FORMER.search(passage.text[:200]))
    return Support(
        key=page.key, quote=page.text[start:end], start=start, end=end, score=score, passage=passage, value=value,
        published=page.published, title=page.title, label=_label(question, page), stale=old,
        outdated=stale,
    )  # fmt: skip


def _sentence_key(question: Question, passage: Passage) -> str:
    if question.kind is Kind.YES_NO:
        return "no" if negative(passage.text) else "yes"
    return fold(passage.text)


def negative(text: str) -> bool:
    """Whether a sentence denies.

    >>> negative("It does not work."), negative("It works.")
    (True, False)
    """
    return bool(NEGATIONS & set(words(text)))


def _label(question: Question, page: PageText) -> str:
    """What tells this page's entity from others of its name: ``Name (Texas)``, ``Name, Ohio``; folded, or ''."""
    for entity in question.entities[:1]:
        pattern = r"[\s,.’'-]+".join(map(re.escape, re.findall(r"[^\W_]+", entity)))
        for text in (page.title, page.text[:160]):
            if match := re.search(
                pattern
                + r"[\w\s\-]{0,24}?(?:\s?\(([^()]{2,60})\)|\s?,\s([A-Z][\w\s]{2,40}?)(?=[\s,][a-z(]|,|\s[A-Z]|$))",
                text,
            ):
                said = fold(match[1] or match[2])
                if said and said not in fold(question.text):
                    return said
    return ""


def _grouped(question: Question, supports: Iterable[Support]) -> list[list[Support]]:
    groups: list[list[Support]] = []
    for one in sorted(supports, key=lambda one: -one.score):
        home = next((group for group in groups if _same(question, group[0], one)), None)
        if home is None:
            groups.append([one])
        elif all(one.key != other.key for other in home):
            home.append(one)
    return groups


def _same(question: Question, a: Support, b: Support) -> bool:
    if a.value is None or b.value is None:
        if question.kind is Kind.YES_NO:
            return negative(a.quote) == negative(b.quote)
        return _alike(a.quote, b.quote)
    return same_value(a.value, b.value, year_only="year" in question.text.lower())


def same_value(a: Value, b: Value, year_only: bool = False) -> bool:
    """Whether two values say the same, one perhaps less exactly.

    >>> from investigator.world.offline.values import scan
    >>> one, two = scan("1920 and 3 May 1920")[0], scan("3 May 1920")[0]
    >>> same_value(one, two)
    True
    """
    if a.normalised == b.normalised:
        return True
    if a.kind is Kind.DATE and b.kind is Kind.DATE:
        if year_only:
            return a.normalised[:4] == b.normalised[:4]
        one, two = sorted((a.normalised, b.normalised), key=len)
        return two.startswith(one) or (one.startswith("-") and one in two)
    counted = (Kind.NUMBER, Kind.CODE, Kind.DURATION)
    if a.kind in counted and b.kind in counted:
        (one, _, unit), (two, _, other) = a.normalised.partition(" "), b.normalised.partition(" ")
        return one.isascii() and one[:1].isdigit() and one.removesuffix(".0") == two.removesuffix(".0") and (
            not unit or not other or a.kind is Kind.NUMBER is b.kind
        )  # fmt: skip
    names = (Kind.NAME, Kind.PLACE, Kind.SORT)
    if a.kind in names and b.kind in names:
        mine, theirs = set(a.normalised.split()), set(b.normalised.split())
        return mine <= theirs or theirs <= mine
    return False


def _alike(a: str, b: str) -> bool:
    one, two = ({stem(word) for word in words(text)} for text in (a, b))
    return len(one & two) >= 0.6 * max(1, len(one | two))


def _disputed(
    question: Question, groups: Sequence[Sequence[Support]], pages: dict[str, PageText]
) -> set[tuple[str, str]]:
    """(page, value) of supports whose page is a near-copy of one that says another value there.

    Of what changes with time a later edition says another value in the same words: it is no altered copy.
    """
    out, fixed = set(), timeless(question)
    for left, right in combinations(groups, 2):
        for a in left:
            for b in right:
                if (
                    a.value
                    and b.value
                    and a.key != b.key
                    and (fixed or not _succeed(a, b))
                    and altered(pages[a.key].text, a.value, pages[b.key].text, b.value)
                ):
                    out |= {(a.key, a.value.normalised), (b.key, b.value.normalised)}
    return out


def _succeed(a: Support, b: Support) -> bool:
    """Whether one of two pages is the later edition."""
    ages = [(one.outdated, one.published) for one in (a, b)]
    return older(ages[0], ages[1]) or older(ages[1], ages[0])


def _finding(
    question: Question, group: Sequence[Support], disputed: set[tuple[str, str]], pages: dict[str, PageText]
) -> Finding:
    void = [one for one in group if one.value and (one.key, one.value.normalised) in disputed]
    good = [one for one in group if one not in void]
    miss = 1.0
    for one in good:
        miss *= 1 - min(0.95, one.score * (0.6 if one.stale else 1.0))
    top = max(good or void, key=lambda one: one.score)
    return Finding(
        text=top.value.text if top.value else top.quote,
        normalised=top.value.normalised if top.value else _sentence_key(question, top.passage),
        score=round(1 - miss if good else 0.5 * top.score, 4), supports=tuple(good), disputed=tuple(void),
        origins=_origins(good, pages), label=next((one.label for one in good or void if one.label), ""),
        published=max((one.published for one in good), default=""),
    )  # fmt: skip


def _origins(supports: Sequence[Support], pages: dict[str, PageText]) -> int:
    """Supports that share neither a domain nor the text around their quotes."""
    kept: list[tuple[str, set[tuple[str, ...]]]] = []
    for one in supports:
        page = pages[one.key]
        shingles, domain = around(page.text, one.start, one.end), page.domain or page.key
        if all(domain != other and len(shingles & seen) < SHARED for other, seen in kept):
            kept.append((domain, shingles))
    return len(kept)


def _newest_first(question: Question, found: list[Finding]) -> list[Finding]:
    """Where dated pages disagree on something that changes, the newest leads and names what it supersedes."""
    if question.past or question.years or len(found) < 2 or not typed(question):
        return _stale_last(found)
    top = found[0]
    fresh = [
        one for one in found if one.supports and one.published and one.score >= 0.7 * top.score and not _all_stale(one)
    ]
    newest = max(fresh, key=lambda one: one.published, default=None)
    if newest is None or not top.published or newest.published <= top.published:
        return _stale_last(found)
    return _stale_last([newest, *(one for one in found if one is not newest)])


def _all_stale(finding: Finding) -> bool:
    return all(one.stale for one in finding.supports or finding.disputed)


def _stale_last(found: list[Finding]) -> list[Finding]:
    """A finding that only stale pages support goes behind a comparable one, which then supersedes it."""
    if not found:
        return found
    top = next(
        (one for one in found if one.supports and not _all_stale(one) and one.score >= 0.6 * found[0].score), found[0]
    )
    rest = [one for one in found if one is not top]
    older = [
        support for one in rest for support in one.supports
        if support.stale or (support.published and top.published and support.published < top.published)
    ]  # fmt: skip
    return [replace(top, superseded=tuple(older)), *rest]


def _with_rivals(finding: Finding, found: Sequence[Finding]) -> Finding:
    own = {one.key for one in finding.supports}
    rivals = [
        Rival(text=one.text, normalised=one.normalised, supports=len(against), weight=sum(against))
        for one in found
        if one.normalised != finding.normalised and not _other_entity(finding, one)
        and (against := [support.score for support in one.supports if support.first and support.key not in own])
    ]  # fmt: skip
    return replace(finding, rivals=tuple(sorted(rivals, key=lambda one: -one.weight)))


def _other_entity(a: Finding, b: Finding) -> bool:
    return bool(a.label and b.label and a.label != b.label)
