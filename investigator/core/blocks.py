"""Prompt blocks: how parts of a prompt are marked, escaped and read back.

`loops.prompt` writes with it, the offline model reads with it. Knows nothing of what the blocks mean.

A block is a tag on a line of its own, attributes in double quotes, a body, an end tag on a line of its own::

    <page source="s_001" url="doc:a.md" part="1/2">
    text
    </page>

Text from outside never forges one: `shield` replaces the ``<`` of everything that looks like a tag of ours with its
full-width twin (U+FF1C), which folding maps back, so quotes are still found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from investigator.core.wire import Hit

NAMES = ("task", "notes", "frontier", "page", "results", "answer", "instruction")
_FORGED = re.compile(rf"<(?=[\s\W_]{{0,8}}(?:{'|'.join(NAMES)})\b)", re.IGNORECASE)
_OPEN = re.compile(rf"^<({'|'.join(NAMES)})((?: [a-z_]+=\"[^\"\n]*\")*)>$", re.MULTILINE)
_ATTRIBUTE = re.compile(r" ([a-z_]+)=\"([^\"\n]*)\"")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block as read from a prompt."""

    name: str
    attributes: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlock:
    """A page, or a part of one, as it stands in a prompt. ``part`` counts from 1."""

    source: str
    url: str
    domain: str
    title: str = ""
    published: str = ""
    part: int = 1
    parts: int = 1
    text: str


def clean(text: str) -> str:
    """Without control, bidi and zero-width characters and lone surrogates; line ends and tabs stay.

    >>> clean("a\\x1b[31mb\\u202ec")
    'a[31mbc'
    """
    return _CONTROL.sub("", text)


def one_line(text: str, most: int = 160) -> str:
    """On one line, at most ``most`` characters, cut at a word with an ellipsis.

    >>> one_line("one\\ntwo three", 8)
    'one two…'
    """
    flat = " ".join(clean(text).split())
    if len(flat) <= most:
        return flat
    cut = flat[: most - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut and flat[most - 1] != " " else cut).rstrip() + "…"


def counted(number: int, what: str, several: str = "") -> str:
    """A number with its noun; ``several`` is a plural that does not merely add an s.

    >>> counted(1, "turn"), counted(1200, "token"), counted(0, "search", "searches")
    ('1 turn', '1,200 tokens', '0 searches')
    """
    return f"{number:,} {what if number == 1 else several or f'{what}s'}"


def shield(text: str) -> str:
    """Untrusted text that cannot open or close a block of ours.

    >>> shield("x </page> <b>")
    'x ＜/page> <b>'
    """
    return _FORGED.sub("＜", clean(text))


def block(name: str, body: str, **attributes: str) -> str:
    """A block of trusted body; untrusted parts of the body go through `shield` first."""
    head = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items() if value != "")
    return f"<{name}{head}>\n{body}\n</{name}>"


def _attribute(value: str) -> str:
    return one_line(shield(value), 400).replace('"', "'")


def parse(text: str, name: str) -> tuple[Block, ...]:
    """Every block of this name, in order."""
    found = []
    for match in _OPEN.finditer(text):
        if match.group(1) != name:
            continue
        end = text.find(f"\n</{name}>", match.end())
        if end < 0:
            continue
        attributes = dict(_ATTRIBUTE.findall(match.group(2)))
        found.append(Block(name=name, attributes=attributes, body=text[match.end() + 1 : end]))
    return tuple(found)


def render_page(page: PageBlock) -> str:
    """A page for a prompt; its text is shielded here."""
    return block(
        "page",
        shield(page.text),
        source=page.source,
        url=page.url,
        domain=page.domain,
        title=page.title,
        published=page.published,
        part=f"{page.part}/{page.parts}",
    )


def parse_pages(text: str) -> tuple[PageBlock, ...]:
    """Inverse of `render_page`, for every page that stands in ``text``."""
    pages = []
    for one in parse(text, "page"):
        at = one.attributes
        part, _, parts = at.get("part", "1/1").partition("/")
        pages.append(
            PageBlock(
                source=at.get("source", ""),
                url=at.get("url", ""),
                domain=at.get("domain", ""),
                title=at.get("title", ""),
                published=at.get("published", ""),
                part=int(part),
                parts=int(parts or 1),
                text=one.body,
            )
        )
    return tuple(pages)


def render_hits(query: str, hits: Iterable[Hit], provider: str = "") -> str:
    """Search results for a prompt; every field is shielded and on one line."""
    lines = []
    for number, hit in enumerate(hits, 1):
        lines.append(f"{number}. {shield(one_line(hit.title or hit.url, 200))}")
        lines.append(f"   url: {shield(one_line(hit.url, 2000))}")
        lines.append(
            f"   domain: {shield(one_line(hit.domain, 100))} | published: {shield(one_line(hit.published, 30))}"
        )
        lines.append(f"   snippet: {shield(one_line(hit.snippet, 400))}")
    return block("results", "\n".join(lines) or "no results", query=query, provider=provider)


def parse_hits(body: str) -> tuple[Hit, ...]:
    """Inverse of `render_hits` for the body of one ``results`` block."""
    hits = []
    for piece in re.split(r"^\d+\. ", body, flags=re.MULTILINE)[1:]:
        lines = piece.splitlines()
        fields = dict(line.strip().partition(": ")[::2] for line in lines[1:])
        # Without the blank after the colon: where no date is known the line ends there.
        domain, _, published = fields.get("domain", "").partition(" | published:")
        hits.append(
            Hit(
                url=fields.get("url", ""),
                title=lines[0],
                snippet=fields.get("snippet", ""),
                domain=domain.strip(),
                published=published.strip(),
            )
        )
    return tuple(hits)
