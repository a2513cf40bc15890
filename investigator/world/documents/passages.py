"""Passages: how a long text is cut for the index, how a query becomes a search expression, and what a hit shows.

Pure; knows FTS5's query grammar and tokenizer, must not know the database or the files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from investigator.core.blocks import one_line
from investigator.core.text import STOP_WORDS

SIZE, MOST, OVERLAP = 200, 260, 25  # words of a passage: aimed at, at most, taken over from the one before
SNIPPET = 300  # characters
MAX_TERMS = 32
OPEN, CLOSE = "\x02", "\x03"  # around a word that matched; `index_text` takes them out of texts

# Scripts without spaces are indexed character by character, or a whole sentence would be one word.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUN = re.compile(f"([{_CJK}])")
_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]{{1,60}}")
_BORDER = re.compile(r"\n[ \t]*\n\s*|\f\s*|\n(?=#{1,6} )")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters."""

    start: int
    end: int


def passages(text: str) -> tuple[Span, ...]:
    """The passages of a text, about 200 words each, cut at paragraphs, headings and pages where there are any.

    Each but the first starts up to 25 words early, so that a sentence across a border stands whole in one of them.

    >>> [text[s.start:s.end] for text in ["One.\\n\\nTwo."] for s in passages(text)]
    ['One.\\n\\nTwo.']
    """
    found: list[Span] = []
    start, words = -1, 0
    for block, size in _blocks(text):
        heading = text.startswith("#", block.start)
        if start >= 0 and (words + size > MOST or words >= SIZE or (heading and words >= SIZE // 2)):
            found.append(Span(start, block.start))
            start, words = -1, 0
        start, words = (block.start if start < 0 else start), words + size
    if start >= 0:
        found.append(Span(start, len(text)))
    return tuple(Span(_earlier(text, one.start), one.end) for one in found)


def index_text(text: str) -> str:
    """A text as it is indexed: compatibility forms (ligatures, wide letters) resolved, CJK characters apart."""
    plain = unicodedata.normalize("NFKC", re.sub(r"[\x00-\x08\x0b\x0e-\x1f\xad\u200b-\u200f\u2060\ufeff]", "", text))
    return _CJK_RUN.sub(r" \1 ", plain)


def phrases(query: str) -> tuple[str, ...]:
    """The quoted search phrases of a hostile query: its words without stop words, each once, at most 32.

    Nothing of the query but letters, digits and marks reaches the expression, so it has no syntax to get wrong.

    >>> phrases('What is the "mass" of (NEAR* OR 1,250 kg)?')
    ('"mass"', '"near"', '"1 250"', '"kg"')
    """
    found: list[str] = []
    for piece in unicodedata.normalize("NFKC", query[:2000]).lower().split():
        piece = re.sub(r"[’']s?\b", " ", piece) if re.search(r"[a-z][’']s?$|^\w+[’']s\b", piece) else piece
        found += _phrases_of(piece)
    unique = list(dict.fromkeys(found))
    telling = [one for one in unique if one not in STOP_WORDS]
    return tuple(f'"{one}"' for one in (telling or unique)[:MAX_TERMS])


def snippet(marked: str) -> str:
    """The window of at most 300 characters with the most of the marked words, as plain text on one line."""
    flat = " ".join(re.sub(r"(^|\n)\s*(?:#{1,6}|[-*>]+)\s+|[*_`]{2,}|`|\s*\|\s*", _plain, marked).split())
    flat = re.sub(f"(?<=[{_CJK}]){CLOSE}? {OPEN}?(?=[{_CJK}])", "", flat)
    bare = flat.replace(OPEN, "").replace(CLOSE, "")
    hits = [(match.start() - 2 * at, match[1].lower()) for at, match in enumerate(_MARKED.finditer(flat))]
    start = _best_start(bare, hits)
    shown = one_line(bare[start:], SNIPPET - 1)
    return f"…{shown}" if start else shown


_MARKED = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")


def _plain(match: re.Match[str]) -> str:
    return " | " if "|" in match[0] else " " if match[0][:1].isspace() else ""


def _best_start(text: str, hits: list[tuple[int, str]]) -> int:
    """Where the best window starts: at a sentence if one starts near before its first hit, else at a word."""
    best, best_value = 0, (0, 0)
    for number, (at, _) in enumerate(hits[:400]):
        inside = [word for place, word in hits[number : number + 60] if place + len(word) <= at + SNIPPET - 60]
        value = (len(set(inside)), len(inside))
        if value > best_value:
            best, best_value = at, value
    if best < 60:
        return 0
    sentence = max((m.end() for m in re.finditer(r"[.!?。！？]\s*", text[max(0, best - 60) : best])), default=-1)
    back = max(0, best - 60) + sentence if sentence >= 0 else best - 30
    if sentence < 0:
        space = text.find(" ", back, best)
        back = space + 1 if space >= 0 else best
    return back if len(text) - back > SNIPPET // 2 or len(text) - back > len(text) // 2 else max(back - SNIPPET // 3, 0)


def _phrases_of(piece: str) -> Iterator[str]:
    parts = "".join(one if unicodedata.category(one)[0] in "LNM" else " " for one in piece).split()
    if re.fullmatch(r"\W*\d+(?:[.,:/'-]\d+)+\W*", piece):
        yield " ".join(parts)  # 1,250 is no 1 beside a 250
        return
    for part in parts:
        for run in re.findall(f"[{_CJK}]+|[^{_CJK}]+", part):
            if _CJK_RUN.match(run) and len(run) > 2:
                yield from (f"{run[at]} {run[at + 1]}" for at in range(len(run) - 1))
            else:
                yield " ".join(run) if _CJK_RUN.match(run) else run[:80]


def _blocks(text: str) -> Iterator[tuple[Span, int]]:
    """Paragraphs with their numbers of words; one of more than 260 words comes in pieces."""
    start = 0
    for border in [*_BORDER.finditer(text), None]:
        end = border.start() if border else len(text)
        cuts, words = [], 0  # a table of a million lines is one paragraph: its words are not kept
        for words, match in enumerate(_WORD.finditer(text, start, end), 1):
            if words % SIZE == 1:
                cuts.append(match.start())
        if words <= MOST:
            cuts = cuts[:1]
        for cut, following in zip(cuts, [*cuts[1:], end], strict=False):
            yield Span(cut, following), min(words, SIZE) if len(cuts) > 1 else words
        start = border.end() if border else end


def _earlier(text: str, start: int) -> int:
    words = [match.start() for match in _WORD.finditer(text, max(0, start - 12 * OVERLAP), start)]
    if not words:
        return start
    # The window may begin inside a word; the first one is then left out.
    usable = words if start <= 12 * OVERLAP else words[1:]
    return usable[-OVERLAP:][0] if usable else start
