"""HTML as readable text in paragraphs, with its title, date and links.

Knows markup; must not know where it came from. Two readings are made: trafilatura's, which leaves out menus and
banners, and our own of every visible block. The first is taken unless it lost much of what the page says, so that
a page with text never comes back empty.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import urljoin

from investigator.world.documents.dates import iso
from investigator.world.documents.delimited import row

MAX_LINKS = 1000
_BLOCK_TAGS = """
address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
h4 h5 h6 header hr html legend li main nav ol option p pre section summary table tbody tfoot thead tr ul
"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_UNSEEN = frozenset({"script", "style", "template", "svg", "math", "iframe", "object", "noscript", "head", "select"})
_CHROME = frozenset({"nav", "footer", "aside", "form", "button", "menu"})
_DATES = ("article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.date",
          "dcterms.issued", "citation_publication_date", "citation_date", "pubdate", "publishdate", "sailthru.date",
          "og:published_time", "article:modified_time", "datemodified", "last-modified")  # fmt: skip
# Emphasis that Markdown output adds is no word of the page; a quote reads and compares better without it.
_EMPHASIS = re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])([^*\n]{1,300}?)(?<=[^\s*])\1(?![\w*])")
_ANCHOR = re.compile(r"(?<=\S)[ \t]?[¶#](?=\s*$)", re.MULTILINE)  # the link that documentation puts behind a heading
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~$])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Html:
    """What an HTML page holds.

    Attributes:
        text: the readable text; paragraphs stand between empty lines.
        visible: the number of words on the page, menus and banners included.
        scripts: the number of scripts.
        noscript: what the page says to readers without scripts.
    """

    text: str
    title: str = ""
    published: str = ""
    links: tuple[str, ...] = ()
    visible: int = 0
    scripts: int = 0
    noscript: str = ""


def read_html(markup: str, base: str = "") -> Html:
    """Reads a page. ``base`` is the url that relative links start from; without it they stay as they are.

    >>> read_html("<title>T</title><h1>Head</h1><p>One <b>two</b>.<p>Three").text
    '# Head\\n\\nOne two.\\n\\nThree'
    """
    reader = _Reader(base)
    _feed(reader, markup)
    reader.end_block()
    ours = ("".join(reader.main) or "".join(reader.all)).strip("\n")
    return Html(
        text=_ANCHOR.sub("", _better(_trafilatura(markup), ours)), title=_title(reader), published=reader.published(),
        links=tuple(dict.fromkeys(reader.links))[:MAX_LINKS], visible=_words("".join(reader.all)),
        scripts=reader.scripts, noscript=" ".join(" ".join(reader.noscript).split()),
    )  # fmt: skip


def _title(reader: _Reader) -> str:
    """The first h1, unless it only heads a menu that the page's own title does not know; then that title."""
    heading, title = (_ANCHOR.sub("", one).strip() for one in (reader.heading, reader.title))
    if heading and title and not set(heading.lower().split()) & set(title.lower().split()):
        return title
    return heading or title


def _feed(reader: _Reader, markup: str) -> None:
    # lxml, not html.parser: that one takes quadratic time on unclosed tags, and pages are hostile.
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.HTMLParser(target=reader, recover=True, huge_tree=True)
    try:
        parser.feed(markup)
        parser.close()
    except (etree.LxmlError, ValueError):  # what was read before it gave up is kept
        if not reader.all:
            reader.data(re.sub(r"<[^<>]*>", " ", markup))


def _better(first: str, ours: str) -> str:
    # On short pages trafilatura falls back to a rough reading that cuts sentences at every inline tag. 0.6: below it
    # it dropped tables or short sections in trials, above it menus and banners.
    return first if "\n\n" in first and _words(first) >= max(60, 0.6 * _words(ours)) else ours


def _words(text: str) -> int:
    return len(text.split())


def _trafilatura(markup: str) -> str:
    from trafilatura import extract  # not in the try: a broken installation must be seen, not read around

    try:  # a library on hostile input
        logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it reports each page that it finds odd
        text = extract(markup, output_format="markdown", include_comments=False, include_tables=True) or ""
    except Exception:
        return ""
    text = _EMPHASIS.sub(r"\2", text)
    text = "\n".join(line.rstrip() for line in _ESCAPED.sub(r"\1", text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


_CELL, _LABEL = "\x1e", "\x1f"  # where a cell begins and where a label ends; pages have neither


@dataclass
class _Block:
    """What is being read. ``cells`` and ``heads``: of a table row, and how many of them are titles."""

    words: list[str] = field(default_factory=list)
    prefix: str = ""
    tag: str = ""
    cells: int = 0
    heads: int = 0

    def text(self, verbatim: bool) -> str:
        text = "".join(self.words)
        if verbatim:
            return text.replace(_CELL, " | ").replace(_LABEL, " ").strip("\n")
        cells = [_labelled(one) for one in text.split(_CELL)]
        return row(cells) if len(cells) > 1 and any(cells) else cells[0]


def _labelled(text: str) -> str:
    """A page sets a label apart from its value by looks alone; as text the two must not become one word."""
    parts = [part for part in (" ".join(one.split()) for one in text.split(_LABEL)) if part]
    marks = ("" if part[0] in ":.,;)" else " " if before[-1] in ":.!?" else ": " for before, part in pairwise(parts))
    return "".join(parts[:1]) + "".join(f"{mark}{part}" for mark, part in zip(marks, parts[1:], strict=True))


class _Reader:
    """Collects blocks of visible text from a parser's events. Each stands with what sets it apart from the last."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.title = self.heading = ""
        self.links: list[str] = []
        self.main: list[str] = []
        self.all: list[str] = []
        self.noscript: list[str] = []
        self.scripts = 0
        self._open: list[str] = []
        self._inside: Counter[str] = Counter()
        self._dates: dict[str, str] = {}
        self._block = _Block()
        self._last = _Block()  # what was put down before it
        self._json = ""

    def published(self) -> str:
        found = (iso(self._dates[name]) for name in (*_DATES, "time") if name in self._dates)
        stated = next((one for one in found if one), "")
        match = re.search(r'"datePublished"\s*:\s*"([^"]{4,40})"', self._json)
        return stated or (iso(match[1]) if match else "")

    def start(self, tag: str, given: Mapping[str, str]) -> None:
        if tag in _BLOCKS:
            self.end_block()
            level = re.fullmatch(r"h([1-6])", tag)
            self._block.prefix = "#" * int(level[1]) + " " if level else "- " if tag == "li" else self._block.prefix
            self._block.tag = tag
            self._last = _Block() if tag == "table" else self._last
        if tag in ("td", "th"):
            self._block.words += [_CELL] if self._block.cells else []
            self._block.cells += 1
            self._block.heads += tag == "th"
        self._open.append(tag)
        self._inside[tag] += 1
        self._note(tag, given)

    def end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.end_block()
        elif tag == "label":
            self._block.words.append(_LABEL)
        if self._open and self._open[-1] == tag:
            self._open.pop()
            self._inside[tag] -= 1

    def close(self) -> None:
        """The parser's last event."""

    def data(self, data: str) -> None:
        innermost = self._open[-1] if self._open else ""
        if innermost == "title" and not self._inside["svg"]:
            self.title = self.title or " ".join(data.split())
        elif innermost == "script":
            self._json += data[:20000] if "datePublished" in data else ""
        elif self._inside["noscript"]:
            self.noscript.append(data)
        elif not any(map(self._inside.__getitem__, _UNSEEN)):
            data = re.sub(f"[{_CELL}{_LABEL}]", "", data)
            self._block.words.append(data if self._inside["pre"] else re.sub(r"\s+", " ", data))

    def end_block(self) -> None:
        """Puts the block that is being read down, if it has text."""
        kept, self._block = self._block, _Block()
        text = kept.text(verbatim=bool(self._inside["pre"]))
        if not text.strip():
            self._block.prefix = kept.prefix
            return
        if kept.prefix.startswith("#") and not self.heading:
            self.heading = text.strip()
        self._put(self.all, kept, text)
        if not any(map(self._inside.__getitem__, _CHROME)):
            self._put(self.main, kept, text)
        self._last = kept

    def _put(self, blocks: list[str], kept: _Block, text: str) -> None:
        """Rows of one table stand on lines below each other, and what is said of a term behind it."""
        before, last = self._last, blocks[-1] if blocks else ""
        if kept.cells > 1 and before.cells > 1 and kept.tag == before.tag == "tr" and last:
            blocks.append(f"\n{text}")
        elif kept.tag == "dd" and before.tag == "dt" and 0 < len(last) < 80:
            blocks.append(f" {text}" if last.endswith(":") else f": {text}")
        else:
            titles = "\n|" + "---|" * kept.cells if kept.heads == kept.cells > 1 else ""
            blocks.append(f"\n\n{kept.prefix}{text}{titles}")

    def _note(self, tag: str, given: Mapping[str, str]) -> None:
        if tag == "script":
            self.scripts += 1
        elif tag == "a" and given.get("href") and len(self.links) < 2 * MAX_LINKS:
            self.links.append(_joined(self.base, given["href"].strip()))
        elif tag == "base" and given.get("href"):
            self.base = _joined(self.base, given["href"].strip())
        elif tag == "meta":
            name = (given.get("property") or given.get("name") or given.get("itemprop", "")).lower()
            self._dates.setdefault(name, given.get("content", ""))
        elif tag == "time" and given.get("datetime"):
            self._dates.setdefault("time", given["datetime"])


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href).partition("#")[0] if base else href
    except ValueError:
        return ""
