"""CSV and TSV files as tables that can be read and quoted: one row a line, cells between pipes.

Knows rows and cells only. Line numbers stay those of the file: a cell with a line break leaves blank lines behind.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from investigator.world.documents.encoding import decode, is_binary
from investigator.world.documents.types import Parsed, Unreadable

_LONGEST_CELL = 1_000_000  # csv.field_size_limit's default, 131,072, refuses real files


def read_delimited(data: bytes) -> Parsed:
    """A table; the delimiter is the one that most of the first lines agree on.

    >>> read_delimited(b"item;price\\npump;12,50\\n").text
    '| item | price |\\n| pump | 12,50 |'
    """
    if is_binary(data):
        raise Unreadable("it is binary, not text")
    text = decode(data).replace("\f", " ").replace("\x00", "")
    csv.field_size_limit(_LONGEST_CELL)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    lines: list[str] = []
    try:
        for cells in rows:
            lines.append(row(cells) if any(cells) else "")
            lines += [""] * (rows.line_num - len(lines))
    except csv.Error as error:
        raise Unreadable(f"broken table: {error}") from error
    return Parsed(text="\n".join(lines).rstrip("\n"), unit="line", title="", published="", url="", links=())


def row(cells: Iterable[str]) -> str:
    """A table's row on one line: cells between pipes. A pipe inside of a cell would begin another one.

    >>> row(["pump,\\n large", "a|b", ""])
    '| pump, large | a / b | |'
    """
    return re.sub(r" {2,}", " ", f"| {' | '.join(' '.join(one.replace('|', ' / ').split()) for one in cells)} |")


def _delimiter(text: str) -> str:
    lines = [line for line in text[:20_000].splitlines()[:20] if line.strip()]
    counts = {mark: [line.count(mark) for line in lines] for mark in "\t;,|"}
    return (
        max(counts, key=lambda mark: sum(count == counts[mark][0] and count > 0 for count in counts[mark]))
        if lines
        else ","
    )
