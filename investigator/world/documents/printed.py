"""The text of printed pages with its blocks set apart: headings, ends of paragraphs, what runs along every page.

A PDF has lines and no paragraphs: read as they come, a heading runs into the sentence below it, and the foot of one
page into the head of the next. Knows lines only; words are never changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

_EDGE = 2  # lines at the top and at the bottom of a page that may run along
_WIDEST = 120
_NEAR = 3  # lines before and after one that tell how wide the text is there
_END = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_OPENS = re.compile(r"[^\W\d_a-z]|[\d•–—*\-\"“‘'(\[]")


def apart(pages: Sequence[str]) -> tuple[str, ...]:
    """The pages, with an empty line between blocks; a line that runs along stands on its first page only.

    >>> apart(["Fees\\nThe fee for a berth of up to ten metres is set by\\nthe harbour master."])
    ('Fees\\n\\nThe fee for a berth of up to ten metres is set by\\nthe harbour master.',)
    """
    lines = [page.split("\n") for page in pages]
    running = _running(lines)
    widest = max((len(line.rstrip()) for one in lines for line in one), default=0)
    return tuple("\n".join(_blocks(one, at, running, min(widest, _WIDEST))) for at, one in enumerate(lines))


def _running(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """Forms of lines at the edges of more than half of the pages, two at least."""
    seen = Counter(
        form for at, lines in enumerate(pages) for form in {form for one in _edges(lines) for form in _forms(one, at)}
    )
    return frozenset(form for form, count in seen.items() if count >= max(2, len(pages) // 2 + 1))


def _edges(lines: Sequence[str]) -> list[str]:
    told = [one for one in lines if one.strip()]
    most = _EDGE if len(told) > 2 * _EDGE else 1
    return [*told[:most], *told[max(most, len(told) - most) :]]


def _forms(line: str, at: int) -> Iterator[str]:
    """The line itself, and with each number that may be the page's taken as counted from the first page."""
    words = " ".join(line.split())
    if not words or len(words) > 120:
        return
    yield words
    for number in list(re.finditer(r"(?<![\w.,])\d{1,4}(?![\w,]|\.\d)", words))[:4]:
        yield f"{words[: number.start()]}\0{int(number[0]) - at}{words[number.end() :]}"


def _blocks(lines: Sequence[str], at: int, running: frozenset[str], widest: int) -> Iterator[str]:
    edges = set(_edges(lines))
    along = [one in edges and not running.isdisjoint(_forms(one, at)) for one in lines]
    kept = [(one, runs) for one, runs in zip(lines, along, strict=True) if not (runs and at)]
    widths = [len(one.rstrip()) for one, runs in kept]
    for number, ((line, runs), (below, runs_below)) in enumerate(pairwise((*kept, ("", False)))):
        yield line
        # Where a sentence ends nothing is cut apart by mistake, so the widest line of the document may tell.
        stops = _END.search(line.rstrip()) is not None
        wide = widest if stops else max(widths[max(0, number - _NEAR) : number + _NEAR + 1])
        if line.strip() and below.strip() and (runs or runs_below or _ends(line.rstrip(), below.strip(), wide)):
            yield ""


def _ends(line: str, below: str, wide: int) -> bool:
    """Whether a block ends with this line: the next word had room on it and was put below all the same."""
    if not _OPENS.match(below):
        return False
    if len(line) < 40 and re.search(r"\d\S?$", line):
        return True  # a row or a date; what begins with a capital below it does not go on with it
    room = wide - len(line) - 1 - len(below.split(None, 1)[0])
    return room >= 0.15 * wide
