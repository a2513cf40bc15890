"""A report as it reads best at a terminal: wrapped to its width, without the marks and escapes of Markdown.

Knows the Markdown that reports are written in, and widths. Prints nothing; what is piped or saved stays Markdown.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

NARROWEST = 20
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?=\S)")
_RULES = {1: "=", 2: "-"}  # what stands under a heading of this level
_INLINE = re.compile(
    r"\\([!-/:-@\[-`{-~])"  # 1: an escaped character
    r"|`([^`\n]+)`"  # 2: code
    r"|<(https?://[^\s<>]+)>"  # 3: a web address
    r"|\[((?:\\.|[^\[\]\\])*)\]\((https?://[^\s()<>]+)\)"  # 4, 5: a link
    r"|\*\*((?:\\.|[^*\\\n])+)\*\*"  # 6: strong
    r"|(?<![\w*])\*((?:\\.|[^*\\\s])(?:\\.|[^*\\\n])*)\*(?![\w*])"  # 7: emphasis
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text that is wrapped as one. ``level``: of a heading; ``raw``: a line that stays as it is."""

    text: str
    prefix: str = ""
    level: int = 0
    raw: bool = False


def shown(markdown: str, width: int) -> str:
    """The text of a report for a terminal of so many columns.

    >>> print(shown("## Sources\\n\\n- a\\\\_ *very* long title [c_001]", 20))
    Sources
    -------
    <BLANKLINE>
    - a_ very long title
      [c_001]
    """
    width = max(NARROWEST, width)
    return "\n".join(line for piece in _pieces(markdown.splitlines()) for line in _lines(piece, width))


def wrapped(line: str, width: int) -> str:
    """One line of plain text, wrapped; what goes on from a list item stands below its words.

    >>> print(wrapped("- one two three four", 20))
    - one two three four
    >>> print(wrapped("- one two three four five", 20))
    - one two three four
      five
    """
    item = _ITEM.match(line)
    prefix = item[1] if item else ""
    return "\n".join(_wrap(line[len(prefix) :], prefix, max(NARROWEST, width)))


def plain(text: str) -> str:
    """Inline Markdown as the words that a reader sees.

    >>> plain(r"**Yes**, \\*so\\* [it](https://a.org) says <https://b.org>")
    'Yes, *so* it (https://a.org) says https://b.org'
    """
    return _INLINE.sub(_words, text)


def _words(match: re.Match[str]) -> str:
    escaped, code, address, words, target, strong, emphasis = match.groups()
    if words is not None:
        return f"{plain(words)} ({target})"
    if strong or emphasis:
        return plain(strong or emphasis)
    return str(escaped or code or address)


def _pieces(lines: list[str]) -> Iterator[_Piece]:
    """Paragraphs and list items whole, everything else line by line."""
    held: _Piece | None = None
    fenced = False
    for line in lines:
        fence = _FENCE.match(line) is not None
        heading, item = _HEADING.match(line), _ITEM.match(line)
        goes_on = not (fenced or fence or heading or item or not line.strip() or line.lstrip().startswith("|"))
        if goes_on and held is not None:
            held = _Piece(f"{held.text} {line.strip()}", held.prefix)
            continue
        if held is not None:
            yield held
        held = None
        if fence:
            fenced = not fenced
        elif fenced or not line.strip():
            yield _Piece(line, raw=True)
        elif heading:
            yield _Piece(heading[2], level=len(heading[1]))
        elif item:
            held = _Piece(line[item.end() :].strip(), item[1])
        elif goes_on:
            held = _Piece(line.strip())
        else:
            yield _Piece(plain(line), raw=True)  # a table row falls apart when it is wrapped
    if held is not None:
        yield held


def _lines(piece: _Piece, width: int) -> Iterator[str]:
    if piece.raw:
        yield piece.text.rstrip()
        return
    lines = _wrap(plain(piece.text), piece.prefix.expandtabs(4), width)
    yield from lines
    if piece.level in _RULES:
        yield _RULES[piece.level] * max(map(len, lines), default=0)


def _wrap(text: str, prefix: str, width: int) -> list[str]:
    prefix = prefix[-(width // 2) :]
    # Addresses stay whole, so that they can be clicked and copied.
    return textwrap.wrap(
        text, width, initial_indent=prefix, subsequent_indent=" " * len(prefix), break_long_words=False,
        break_on_hyphens=False,
    ) or [prefix]  # fmt: skip
