"""All HTML of the package. Every leaf of text goes through `escape`; nothing from a run is ever markup.

Knows the Markdown that reports are written in: headings, paragraphs, lists, tables, quotes, code, emphasis, web links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])[ \t]+(.*)$")
_RULE = re.compile(r"\s*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INLINE = re.compile(
    r"\\([!-/:-@\[-`{-~])"  # 1: an escaped character
    r"|`([^`\n]+)`"  # 2: code
    r"|<(https?://[^\s<>\"']+)>"  # 3: a web address
    r"|\[((?:\\.|[^\[\]\\])*)\]\((https?://[^\s()<>\"']+)\)"  # 4, 5: a link
    r"|\*\*((?:\\.|[^*\\\n])+)\*\*"  # 6: strong
    r"|\*((?:\\.|[^*\\\s])(?:\\.|[^*\\\n])*)\*"  # 7: emphasis
)


def render(markdown: str) -> str:
    """Markdown as HTML inside one ``div``. Whatever stands in it, only tags of this file come out.

    >>> render("# A\\n\\nx **y** <script>")
    '<div class="inv-report"><h1>A</h1><p>x <strong>y</strong> &lt;script&gt;</p></div>'
    """
    return f'<div class="inv-report">{"".join(_blocks(markdown.splitlines()))}</div>'


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        for begins, read in _READERS:
            if begins(lines, at):
                html, at = read(lines, at)
                yield html
                break


def _heading(lines: list[str], at: int) -> tuple[str, int]:
    match = _HEADING.match(lines[at])
    level = len(match[1]) if match else 1
    return f"<h{level}>{inline(match[2] if match else lines[at])}</h{level}>", at + 1


def _code(lines: list[str], at: int) -> tuple[str, int]:
    match = _FENCE.match(lines[at])
    fence = match[1] if match else "```"
    end = at + 1
    while end < len(lines) and not lines[end].strip().startswith(fence):
        end += 1
    return f"<pre><code>{escape(chr(10).join(lines[at + 1 : end]))}</code></pre>", end + 1


def _quote(lines: list[str], at: int) -> tuple[str, int]:
    end = at
    while end < len(lines) and lines[end].lstrip().startswith(">"):
        end += 1
    inner = [re.sub(r"^\s*> ?", "", one, count=1) for one in lines[at:end]]
    text = inline(" ".join(one.strip() for one in inner if one.strip().strip(">")))
    return f"<blockquote><p>{text}</p></blockquote>", end


def _table(lines: list[str], at: int) -> tuple[str, int]:
    end = at + 2
    while end < len(lines) and lines[end].strip() and "|" in lines[end]:
        end += 1
    head = "".join(f"<th>{inline(one)}</th>" for one in _cells(lines[at]))
    rows = "".join(_row(line) for line in lines[at + 2 : end])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>", end


def _row(line: str) -> str:
    return f"<tr>{''.join(f'<td>{inline(one)}</td>' for one in _cells(line))}</tr>"


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [one.strip() for one in re.split(r"(?<!\\)\|", inner)]


_DEEPEST = 20  # lists within lists; deeper ones, which nobody writes, are flattened


def _list(lines: list[str], at: int, level: int = 0) -> tuple[str, int]:
    """Items of one list; what is indented deeper is a list within the item before."""
    first = _ITEM.match(lines[at])
    depth = len(first[1]) if first else 0
    tag = "ul" if first is None or first[2] in "-*+" else "ol"
    items: list[str] = []
    while at < len(lines) and lines[at].strip():
        match = _ITEM.match(lines[at])
        if match is None:
            items[-1] += f" {inline(lines[at].strip())}"
            at += 1
        elif len(match[1]) < depth:
            break
        elif len(match[1]) > depth and items and level < _DEEPEST:
            nested, at = _list(lines, at, level + 1)
            items[-1] += nested
        else:
            items.append(inline(match[3]))
            at += 1
    return f"<{tag}>{''.join(f'<li>{one}</li>' for one in items)}</{tag}>", at


def _paragraph(lines: list[str], at: int) -> tuple[str, int]:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not any(begins(lines, end) for begins, _ in _READERS[:-1]):
        end += 1
    return f"<p>{inline(' '.join(one.strip() for one in lines[at:end]))}</p>", end


_Begins = Callable[[list[str], int], bool]
_READERS: tuple[tuple[_Begins, Callable[[list[str], int], tuple[str, int]]], ...] = (
    (lambda lines, at: bool(_HEADING.match(lines[at])), _heading),
    (lambda lines, at: bool(_FENCE.match(lines[at])), _code),
    (lambda lines, at: lines[at].lstrip().startswith(">"), _quote),
    (lambda lines, at: "|" in lines[at] and at + 1 < len(lines) and bool(_RULE.match(lines[at + 1])), _table),
    (lambda lines, at: bool(_ITEM.match(lines[at])), _list),
    (lambda lines, at: True, _paragraph),
)


def inline(text: str) -> str:
    """The inside of a block: emphasis, code and web links; the rest escaped."""
    parts, start = [], 0
    for match in _INLINE.finditer(text):
        parts += [escape(text[start : match.start()]), _span(match)]
        start = match.end()
    return "".join((*parts, escape(text[start:])))


def _span(match: re.Match[str]) -> str:
    if match[1]:
        return escape(match[1])
    if match[2]:
        return f"<code>{escape(match[2])}</code>"
    if match[3]:
        return _link(match[3], escape(match[3]))
    if match[5]:
        return _link(match[5], _words(match[4]))
    return f"<strong>{_words(match[6])}</strong>" if match[6] else f"<em>{_words(match[7])}</em>"


def _words(text: str) -> str:
    return escape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


def _link(url: str, shown: str) -> str:
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{shown}</a>'
