"""Where the sentences, items and rows of a text begin and end, as exact offsets, with the headings above them.

Knows layout (Markdown, tables, label lines, hard line breaks, web text without ends); must not know questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of a text that can be quoted: ``text[start:end]``.

    Attributes:
        kind: ``sentence``, ``item``, ``row``, ``label`` or ``code``.
        heading: the headings above it, outermost first, joined by `` › ``.
        cells: for a row of a table, (start, end, column title) of each cell; for ``label: value`` the value.
    """

    start: int
    end: int
    kind: str = "sentence"
    heading: str = ""
    cells: tuple[tuple[int, int, str], ...] = ()


_ATX = re.compile(r"^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+•–▪◦]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_LABEL = re.compile(r"^\s*(?:\*\*|__)?[^\s:|.(](?:[^:|.?!()\n]|\([^():\n]*\)){1,45}?(?:\*\*|__)?:(?:\*\*|__)?\s+\S")
_RULE = re.compile(r"^[\s|:+=\-]*-{2,}[\s|:+=\-]*$|^\s*[=~^*]{3,}\s*$")
_SIGNATURE = re.compile(r"^[\s|]*(?:def |class |async def )?([A-Za-z_][\w.]*)\(.*\)(?:\s->\s.+|:)?$")
# A term of a definition list: its name alone, what is said of it stands below.
_TERM = re.compile(
    r"^\s*[-*+•]\s+`?((?:(?:class|exception|async|classmethod|staticmethod)\s)?[A-Za-z_][\w.]*(?:\(.*\))?)`?$"
)
_BARE_MARK = re.compile(r"^\s*[-*+•]\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|sr|jr|gen|col|capt|lt|sgt|sen|rep|gov|rev|hon|no|nos|vol|vols|pp|p|fig|figs|eq|cf|ca|c|"
    r"approx|etc|e\.g|i\.e|vs|inc|ltd|co|corp|ave|blvd|dept|est|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|art|sec|"
    r"al|op|ed|eds|resp|incl|min|max|u\.s|u\.k|a\.m|p\.m|b|d|r)|(?<![a-z])[a-z])\.$",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?:\[\d+\])*(?=\s|$)|[。！？]")
_MOST_CHARACTERS = 1500  # a "word" of a hundred thousand characters is an attack, not a sentence
_LONG, _WINDOW, _STRIDE = 70, 40, 25  # words: a run without a full stop is read through overlapping windows


def split(text: str) -> list[Span]:
    """Every quotable piece, in order. Headings are context, not pieces.

    >>> text = "# Fees\\nDr. Li paid 3.5 %. It\\nrose later.\\n\\n| Plan | Price |\\n|---|---|\\n| Pro | 29 € |\\n"
    >>> [(s.kind, text[s.start:s.end], s.heading) for s in split(text)][:2]
    [('sentence', 'Dr. Li paid 3.5 %.', 'Fees'), ('sentence', 'It\\nrose later.', 'Fees')]
    """
    return list(_Reader(text).spans())


class _Reader:
    """One pass over the lines; paragraphs are gathered until something else begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _lines(text)
        self.headings: list[tuple[int, str]] = []
        self.header: tuple[str, ...] = ()
        self.open: tuple[int, int] | None = None
        self.kind = "sentence"

    def spans(self) -> Iterator[Span]:
        fenced = False
        for number, (start, end) in enumerate(self.lines):
            line = self.text[start:end]
            if _FENCE.match(line):
                yield from self._close()
                fenced = not fenced
            elif fenced:
                if line.strip():
                    yield self._span(start, end, "code")
            else:
                yield from self._line(number, line, start, end)
        yield from self._close()

    def _line(self, number: int, line: str, start: int, end: int) -> Iterator[Span]:
        if not line.strip(" \t|"):
            yield from self._close()
            self.header = ()
        elif _BARE_MARK.match(line):
            yield from self._close()
        elif (term := _TERM.match(line)) and self._defined_below(number, line):
            yield from self._close()
            self.headings = [one for one in self.headings if one[0] < 5] + [(5, term[1])]
        elif self.open is None and (signature := _SIGNATURE.match(line)):
            # In reference texts the signature heads what is said of the function, and holds its defaults.
            self.headings = [one for one in self.headings if one[0] < 5] + [(5, signature[1])]
            yield self._span(start, end, "code")
        elif heading := self._heading(number, line):
            yield from self._close()
            level, title = heading
            self.headings = [one for one in self.headings if one[0] < level] + [(level, title)]
        elif _RULE.match(line):
            yield from self._close()
        elif _is_row(line):
            yield from self._close()
            yield from self._row(number, start, end)
        elif _ITEM.match(line):
            yield from self._close()
            self.open, self.kind = (start + len(line) - len(line.lstrip()), end), "item"
        elif _LABEL.match(line) and len(line) < 200 and self._starts_block(number):
            yield from self._close()
            self.open, self.kind = (start, end), "label"
        elif self.open is None or (self.kind == "label" and line.lstrip()[:1].isupper() and len(line) < 400):
            yield from self._close()
            self.open, self.kind = (start, end), "sentence"
        else:
            self.open = (self.open[0], end)

    def _defined_below(self, number: int, line: str) -> bool:
        """A single word with an item of many words below it is what that item speaks of."""
        below = self._text_of(number + 1)
        return bool(_ITEM.match(below)) and len(below.split()) > 4 and _indent(below) >= _indent(line)

    def _starts_block(self, number: int) -> bool:
        """A label line stands at the top of a block or below another label; in running text a colon is just a colon."""
        return self.open is None or self.kind == "label" or self.text[self.open[1] - 1] in ".!?:"

    def _heading(self, number: int, line: str) -> tuple[int, str] | None:
        if match := _ATX.match(line):
            return len(match[1]), match[2].strip("*_ ")
        bare = line.strip()
        below = self._text_of(number + 1)
        if (
            below
            and re.fullmatch(r"\s*([=\-~^*])\1{2,}\s*", below)
            and len(bare) < 120
            and self.open is None
            and "|" not in bare
        ):
            return (1 if below.strip()[0] == "=" else 2), bare
        alone = self.open is None and not below.strip() and number + 1 < len(self.lines)
        titled = (
            len(bare) < 70 and not re.search(r"[.!?,;|]$|\d%?$", bare) and not _ITEM.match(line) and bare[:1].isupper()
        )
        if alone and titled and ": " not in bare and len(bare.split()) < 9:
            return 3, bare.strip("*_: ")
        return None

    def _text_of(self, number: int) -> str:
        return self.text[slice(*self.lines[number])] if number < len(self.lines) else ""

    def _row(self, number: int, start: int, end: int) -> Iterator[Span]:
        cells = tuple(_cells(self.text, start, end))
        if not self.header and (_RULE.match(self._text_of(number + 1)) or self._heads(number, cells)):
            self.header = tuple(self.text[a:b] for a, b in cells)
            return
        titled = tuple((a, b, self._title(at, cells)) for at, (a, b) in enumerate(cells))
        yield self._span(start, end, "row", titled)

    def _heads(self, number: int, cells: tuple[tuple[int, int], ...]) -> bool:
        """Whether a row of words without a rule below it heads a table; a year in it is no value if values follow."""
        if _looks_like_header(self.text, cells):
            return True
        said = [self.text[a:b] for a, b in cells]
        below = [one.strip() for one in self._text_of(number + 1).strip().strip("|").split("|")]
        first = number == 0 or not _is_row(self._text_of(number - 1))
        worded = len(said) > 1 and all(re.search(r"[^\W\d_]{3}", one) for one in said)
        return first and worded and any(re.fullmatch(r"[\d\s.,%€$£+-]+", one) for one in below)

    def _title(self, at: int, cells: tuple[tuple[int, int], ...]) -> str:
        """The title of a column; in a table without titles the first cell names the others."""
        if self.header:
            return self.header[at] if at < len(self.header) else ""
        return self.text[slice(*cells[0])] if at else ""

    def _span(self, start: int, end: int, kind: str, cells: tuple[tuple[int, int, str], ...] = ()) -> Span:
        start, end = _trim(self.text, start, end)
        end = min(end, start + _MOST_CHARACTERS)
        cells = tuple(one for one in cells if one[1] <= end)
        return Span(
            start=start, end=end, kind=kind, heading=" › ".join(title for _, title in self.headings), cells=cells
        )

    def _close(self) -> Iterator[Span]:
        if self.open is None:
            return
        start, end = self.open
        self.open = None
        if self.kind == "label":
            colon = self.text.index(":", start)
            value = _trim(self.text, colon + 1, end)
            yield self._span(start, end, "label", ((*value, self.text[start:colon].strip("*_ ")),))
            return
        for one, two in _sentences(self.text, start, end):
            yield self._span(one, two, self.kind)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines(text: str) -> list[tuple[int, int]]:
    """Offsets of lines; a form feed ends a line too."""
    return [match.span(1) for match in re.finditer(r"([^\n\f\r]*)(?:\r\n|[\n\f\r]|$)", text)]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_row(line: str) -> bool:
    bare = line.strip()
    return (bare.startswith("|") and bare.count("|") >= 2) or bare.count("\t") >= 2 or (
        len(bare) < 300 and " | " in bare and bare.count("|") >= 2
    )  # fmt: skip


def _cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    mark = "\t" if text.count("\t", start, end) >= 2 else "|"
    at = start
    for piece in text[start:end].split(mark):
        one, two = _trim(text, at, at + len(piece))
        if two > one or 0 < at - start < end - start - 1:
            yield one, two
        at += len(piece) + 1


def _looks_like_header(text: str, cells: tuple[tuple[int, int], ...]) -> bool:
    return len(cells) > 1 and not any(re.search(r"\d", text[a:b]) for a, b in cells)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _STOP.finditer(text, start, end):
        if _ends_here(text, at, match.start(), match.end(), end):
            yield from _windows(text, at, match.end())
            at = match.end()
    if text[at:end].strip():
        yield from _windows(text, at, end)


def _ends_here(text: str, at: int, stop: int, after: int, end: int) -> bool:
    if text[stop] in "。！？":
        return True
    follows = text[after : after + 12].lstrip()
    if not follows or after >= end:
        return True
    if text[stop] == "." and after == stop + 1 and _ABBREVIATION.search(text[max(at, stop - 8) : stop + 1]):
        # "J. Smith", "St. Mary", "c. 1900" go on; "…in the U.S. The next" may end, which a pronoun or article tells.
        return bool(re.match(r"(?:The|It|He|She|They|In|This|A)\s", follows)) and text[stop - 2 : stop - 1] == "."
    if text[stop - 1 : stop].isspace():  # tokenised text: "a . Next"
        return follows[0].isupper() or follows[0] in "\"'“`(["
    return not follows[0].islower() or (text[stop] in "!?" and after == stop + 1)


def _windows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    start, end = _trim(text, start, end)
    words = [match.span() for match in re.finditer(r"\S+", text[start:end])]
    if len(words) <= _LONG:
        if end > start:
            yield start, end
        return
    for first in range(0, len(words) - _WINDOW + _STRIDE, _STRIDE):
        last = min(first + _WINDOW, len(words)) - 1
        yield start + words[first][0], start + words[last][1]
