"""JSON Lines and JSON files of pages, and manifests. Knows their shapes; a record without text is no document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from investigator.world.documents import dates
from investigator.world.documents.encoding import decode
from investigator.world.documents.types import Entry, Parsed, Unreadable

_TEXT = ("text", "content", "body", "page_content")
_LISTS = ("documents", "pages", "records", "items", "files", "data")
_DATES = ("published", "date", "published_date", "publishedDate")
MANIFESTS = ("manifest.json", "manifest.jsonl")


def read_jsonl(data: bytes) -> tuple[Parsed, ...]:
    """A record per line; ``number`` is the line. Lines that are no record are counted; all of them: unreadable."""
    lines = [(number, line) for number, line in enumerate(decode(data).split("\n"), 1) if line.strip()]
    return _told(_documents((number, _loaded(line)) for number, line in lines), len(lines), "lines")


def read_json(data: bytes) -> tuple[Parsed, ...]:
    """A list of records, an object that holds one, or a single record."""
    items = _items(_loaded(decode(data)))
    return _told(_documents(enumerate(items, 1)), len(items), "items")


def read_manifest(data: bytes, name: str) -> dict[str, Entry]:
    """What a manifest says, by the file's path below the corpus; raises `Unreadable`."""
    text = decode(data)
    if name.endswith(".jsonl"):
        items: Iterable[Any] = [_loaded(line) for line in text.split("\n") if line.strip()]
    else:
        value = _loaded(text)
        mapping = isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values())
        items = [{"path": path, **one} for path, one in value.items()] if mapping else _items(value)
    found = {}
    for item in items:
        path = _field(item, ("path", "file", "filename")) if isinstance(item, dict) else ""
        if path:
            key = PurePosixPath(path.replace("\\", "/")).as_posix().removeprefix("./")
            found[key] = Entry(url=_url(item), title=_field(item, ("title",)), published=_date(item))
    if not found:
        raise Unreadable('the manifest has no entry with a "path"')
    return found


def _documents(items: Iterable[tuple[int, Any]]) -> list[Parsed]:
    found = []
    for number, item in items:
        text = _field(item, _TEXT).replace("\f", " ").replace("\r\n", "\n") if isinstance(item, dict) else ""
        if text.strip():
            published = _date(item) or dates.in_header(text)
            found.append(Parsed(text=text, unit="paragraph", title=_field(item, ("title",)), published=published,
                                url=_url(item), number=number))  # fmt: skip
    return found


def _told(documents: list[Parsed], total: int, what: str) -> tuple[Parsed, ...]:
    if not documents:
        raise Unreadable(f'none of its {what} is a JSON object with a "text"')
    left = total - len(documents)
    note = f'{left} of {total} {what} are no JSON object with a "text"' if left else ""
    return (replace(documents[0], note=note), *documents[1:])


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and not _field(value, _TEXT):
        return next((value[name] for name in _LISTS if isinstance(value.get(name), list)), [])
    return [value]


def _loaded(text: str) -> Any:
    try:  # deep nesting raises RecursionError, a number of 5,000 digits a plain ValueError
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _field(item: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of these fields that is a text; lone surrogates of ``\\ud800`` escapes become U+FFFD."""
    value = next((item[name] for name in names if isinstance(item.get(name), str)), "")
    return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "")


def _url(item: Mapping[str, Any]) -> str:
    return _field(item, ("url",)).strip()


def _date(item: Mapping[str, Any]) -> str:
    stated = (dates.iso(str(item[name])) for name in _DATES if isinstance(item.get(name), str | int))
    return next((one for one in stated if one), "")
