"""What all pages share: a table of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown; bars and line breaks in cells stay text.

    >>> print(table(["a", "b"], [["1", "x|y"]]))
    | a | b |
    |---|---|
    | 1 | x\\|y |
    """
    lines = [_row(head), "|" + "---|" * len(head), *(_row(one) for one in rows)]
    return "\n".join(lines)


def page(*parts: str) -> str:
    """Parts with a blank line between them and one line break at the end."""
    return "\n\n".join(parts) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(one.split()).replace("|", "\\|") for one in cells) + " |"
