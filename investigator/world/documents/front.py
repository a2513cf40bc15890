"""Front matter: the header in YAML, TOML or JSON that a Markdown or text file opens with.

Knows the three notations and which keys say title, date, author and url; must not know what a file's format is. The
header is no prose: its lines are blanked, so that line numbers stay those of the file, and only who wrote it is left
to be read and quoted, on the line where it stands.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from investigator.world.documents import dates

_MOST_LINES = 200
_LONGEST = 50_000  # characters of a header; what is longer is a text
_TITLES = ("title",)
_DATES = ("published", "publishdate", "pubdate", "date", "created", "updated", "lastmod")
_AUTHORS = ("author", "authors", "by")
_URLS = ("url", "canonical_url", "canonicalurl", "source_url")
_INSIDE = ("extra", "params")  # the tables in which site generators keep what is not theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What a header says, '' where it says nothing, and the whole text with the header blanked."""

    text: str
    title: str = ""
    published: str = ""
    url: str = ""


def read_front(text: str) -> Front:
    """A text without its header; what looks like a header and has no keys is text.

    >>> read_front('+++\\ntitle = "Moss"\\ndate = 2024-03-15\\n+++\\nIt grows.').title
    'Moss'
    """
    for read in (_fenced, _object):
        found = read(text)
        if found:
            values, end, keyed = found
            return _front(text, values, end, keyed)
    return Front(text=text)


_Found = tuple[Mapping[str, Any], int, Callable[[str], bool]]  # values, lines of the header, whether a line has authors


def _front(text: str, values: Mapping[str, Any], end: int, keyed: Callable[[str], bool]) -> Front:
    lines = text.split("\n", end)
    author = _said(values, _AUTHORS)
    at = next((at for at, line in enumerate(lines[:end]) if keyed(line)), 0)
    head = [f"Author: {author}" if author and place == at else "" for place in range(end)]
    return Front(
        text="\n".join([*head, *lines[end:]]), title=_said(values, _TITLES), url=_said(values, _URLS),
        published=next((found for key in _DATES if (found := dates.iso(_said(values, (key,))))), ""),
    )  # fmt: skip


def _said(values: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The first of these keys that has a value, at the top or in a table that a site generator leaves to the author."""
    tables = [values, *(values[name] for name in _INSIDE if isinstance(values.get(name), Mapping))]
    found = (_plain(table[key]) for table in tables for key in keys if key in table)
    return next((one for one in found if one), "")


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return _plain(next((value[key] for key in ("name", "given", "text") if key in value), ""))
    if isinstance(value, list):
        return ", ".join(one for one in map(_plain, value[:50]) if one)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return " ".join(str(value).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _fenced(text: str) -> _Found | None:
    """A header between ``---`` (YAML, or what the fence names), ``+++`` (TOML) or ``;;;`` (JSON) lines."""
    lines = text[:_LONGEST].split("\n", _MOST_LINES + 1)[: _MOST_LINES + 1]
    opened = re.fullmatch(r"(---|\+\+\+|;;;) ?(json|toml|yaml)?", lines[0].rstrip().lower())
    if not opened:
        return None
    closing = (opened[1], "...") if opened[1] == "---" else (opened[1],)
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in closing), 0)
    notation = opened[2] or {"---": "yaml", "+++": "toml", ";;;": "json"}[opened[1]]
    header = "\n".join(lines[1:end])
    values = {"yaml": _yaml, "toml": _toml, "json": _json}[notation](header)
    return (_lowered(values), end + 1, _has_author) if values else None


def _object(text: str) -> _Found | None:
    """A JSON object that the file opens with, when text follows it; a file that is nothing but JSON is its text."""
    if not text.startswith("{"):
        return None
    try:
        value, end = json.JSONDecoder(parse_int=str).raw_decode(text[:_LONGEST])
    except (ValueError, RecursionError):
        return None
    rest = text[end : end + 2000]
    values = _lowered(value)
    known = {*_TITLES, *_DATES, *_AUTHORS, *_URLS, "draft", "tags", "slug", "layout", "description"}
    if not re.match(r"[ \t]*\n\s*\S", rest) or not known & values.keys():
        return None
    return values, text.count("\n", 0, end) + 1, _has_author


def _has_author(line: str) -> bool:
    return re.match(r"""[\s{"']*(?:authors?|by)["']?\s*[:=]""", line, re.IGNORECASE) is not None


def _lowered(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key.lower(): value for key, value in values.items()}


def _json(header: str) -> Mapping[str, Any]:
    try:
        value = json.loads(header, parse_int=str)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _toml(header: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(header)
    except (ValueError, RecursionError):  # one value that is wrong takes no other away
        return dict(_pairs(header.split("\n"), "="))


def _yaml(header: str) -> Mapping[str, Any]:
    return dict(_pairs(header.split("\n"), ":"))


def _pairs(lines: list[str], mark: str) -> Iterator[tuple[str, Any]]:
    """The keys that are not indented, each with the value behind it or in the lines below."""
    form = re.compile(rf"([\"']?)([A-Za-z][\w -]{{0,40}}?)\1\s*{mark}(?:\s+(.*))?")
    found = [(at, match) for at, line in enumerate(lines) if (match := form.fullmatch(line.rstrip()))]
    ends = [*(at for at, _ in found[1:]), len(lines)][: len(found)]
    for (at, match), end in zip(found, ends, strict=True):
        value = _value(match[3] or "")
        below = [line.strip() for line in lines[at + 1 : end] if line.strip()]
        if not value and below:
            items = (re.sub(r"^-\s+", "", line) for line in below if line.startswith("- ") or ":" in line)
            kept = [_value(re.sub(r"^name:\s*", "", one)) for one in items if not re.match(r"(?!name:)[\w-]+:\s", one)]
            yield match[2], kept
        else:
            is_block = isinstance(value, str) and re.fullmatch(r"[|>][+-]?\d?", value) is not None
            yield match[2], " ".join(below) if is_block else value


def _value(text: str) -> Any:
    quoted = re.fullmatch(r"([\"'])(.*)\1(?:\s+#.*)?", text.strip())
    if quoted:
        return quoted[2]
    plain = re.sub(r"(?:^|\s+)#.*", "", text).strip()
    listed = re.fullmatch(r"\[(.*)\]", plain)
    return [_value(one) for one in listed[1].split(",")] if listed and listed[1].strip() else plain
