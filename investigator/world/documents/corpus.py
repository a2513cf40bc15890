"""A folder or a single file of documents as a `Web`.

Knows how a file becomes documents with urls and domains; formats, walking and the index are its neighbours'. Nothing is
ever written into the folder: the index lies in the user's cache directory.
"""

from __future__ import annotations

import hashlib
import logging
import os
import posixpath
import re
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

from investigator.core.blocks import one_line
from investigator.core.wire import Answer, Failure, Hit, Hits, Page, WorldFacts
from investigator.errors import UsageError
from investigator.world.documents import dates
from investigator.world.documents.index import VERSION, Document, FileRow, Index
from investigator.world.documents.parse import parse
from investigator.world.documents.passages import phrases, snippet
from investigator.world.documents.records import MANIFESTS, read_manifest
from investigator.world.documents.types import Entry, Parsed, Unreadable
from investigator.world.documents.walk import MAX_BYTES, Found, walk
from investigator.world.domains import canonical, registrable

_log = logging.getLogger("investigator")


class Corpus:
    """Documents of a folder (or one file) that can be searched and read.

    Args:
        path: the folder or file.
        cache_dir: where the index lies; None: the user's cache directory. Never inside the folder.
        progress: show a bar on stderr while reading takes longer than half a second.

    Raises:
        UsageError: the path is missing, empty, unreadable or without any document that can be read.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
    ...     _ = pathlib.Path(folder, "tides.md").write_text("# Tides\\n\\nThe moon pulls the sea.\\n")
    ...     corpus = Corpus(folder, cache_dir=cache)
    ...     [hit.url for hit in corpus.search("What pulls the sea?", 5).hits]
    ...     corpus.close()
    ['doc:tides.md']
    """

    def __init__(
        self, path: str | os.PathLike[str], *, cache_dir: str | os.PathLike[str] | None = None, progress: bool = True
    ) -> None:
        self._given = os.fspath(path)
        self._root = Path(os.path.abspath(Path(path).expanduser()))
        folder = _cache_folder(cache_dir, self._root)
        found = walk(self._root, avoid=folder)
        self._in_folder = self._root.is_dir()
        self._label = (self._root.name if self._in_folder else self._root.stem) or "corpus"
        self._manifest, notes = _manifest(self._root, {one.path for one in found.files})
        key = hashlib.sha256(os.fsencode(self._root) + b"\0" + VERSION.encode()).hexdigest()[:32]
        self._index = self._open(folder / f"{key}.db", found.files, progress)
        broken = [(one.path, one.reason) for one in self._index.files().values() if one.reason]
        self.skipped: tuple[tuple[str, str], ...] = (*sorted(broken), *notes, *found.skipped)
        self._tell()

    @property
    def name(self) -> str:
        return f"corpus:{self._given}"

    def facts(self) -> WorldFacts:
        pages, domains = self._index.counts()
        return WorldFacts(name=f"corpus:{self._root.name or self._label}", pages=pages, domains=domains)

    def search(self, query: str, limit: int) -> Hits | Failure:
        """The documents with the best passages for the query's words; nothing that matches is no failure."""
        try:
            found = self._index.search(phrases(query), limit)
        except (sqlite3.Error, ValueError) as error:  # a damaged file holds bytes that are no text
            return Failure(kind="unavailable", message=f"the index of the corpus failed ({error}).")
        return Hits(provider="corpus", hits=tuple(
            Hit(url=one.url, title=one.title, snippet=snippet(marked), domain=one.domain, published=one.published)
            for one, marked in found
        ))  # fmt: skip

    def fetch(self, url: str) -> Page | Failure:
        """The whole document of this url; ``doc:`` urls work for every document."""
        try:
            one = self._index.document(_doc_url(url), canonical(url))
            if one is None:
                return Failure(kind="not_found", message=f"{one_line(url, 200)} is no document of this corpus.")
            links = dict.fromkeys(self._link(one, raw) for raw in one.links)
        except (sqlite3.Error, ValueError) as error:  # a damaged file holds bytes that are no text
            return Failure(kind="unavailable", message=f"the index of the corpus failed ({error}).")
        return Page(
            url=one.url, canonical_url=canonical(one.url), domain=one.domain, title=one.title,
            published=one.published, text=one.text, unit=one.unit,
            links=tuple(link for link in links if link not in ("", one.url)),
        )  # fmt: skip

    def query(self, text: str) -> Answer | Failure:
        return Failure(kind="refused", message="a folder of documents has no knowledge source; use search.")

    def close(self) -> None:
        """Closes the index file; the corpus cannot be used afterwards."""
        self._index.close()

    def __repr__(self) -> str:
        pages, domains = self._index.counts()
        return f"Corpus({self._given!r}, pages={pages}, domains={domains}, skipped={len(self.skipped)})"

    def _link(self, one: Document, raw: str) -> str:
        """A link of a document as the url of a document of this corpus, or ''."""
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", raw):
            return self._index.url_of("", canonical(raw)) if raw.lower().startswith("http") else ""
        path = unquote(raw.partition("#")[0].partition("?")[0])
        if not path or path.startswith(("/", "\\")):
            return ""
        here = posixpath.dirname(unquote(one.doc_url[4:]))
        return self._index.url_of("doc:" + _quoted(posixpath.normpath(posixpath.join(here, path))), "")

    # Building

    def _open(self, file: Path, files: tuple[Found, ...], progress: bool) -> Index:
        from filelock import FileLock

        is_new = not file.exists()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{file}.lock"):
                index = self._current(file, files, progress)
                if index.counts()[0]:
                    return index
                reasons = [f"{one.path} ({one.reason})" for one in index.files().values()]
                index.close()
                _delete(file)
        except (OSError, sqlite3.Error, UnicodeError) as error:
            where = f"{file.parent} ({one_line(str(error), 200)})"
            raise UsageError(f"the index cannot be written to {where}; make room, or give another cache_dir") from error
        if is_new:
            Path(f"{file}.lock").unlink(missing_ok=True)
        told = ", ".join(reasons[:3])
        raise UsageError(f"no document of {self._root} could be read: {told}; give documents with text")

    def _current(self, file: Path, files: tuple[Found, ...], progress: bool) -> Index:
        """The index of the folder as it is now. A damaged one is deleted and made anew, once."""
        for attempt in (1, 2):
            index = None
            try:
                index = Index(file)
                self._update(index, files, progress)
                return index
            except BaseException as error:
                if index:
                    index.close()
                # Operational errors (locked, full, read-only) are none of the file's: another would not help.
                damaged = isinstance(error, sqlite3.DatabaseError | UnicodeError)
                damaged = damaged and not isinstance(error, sqlite3.OperationalError)
                if attempt == 2 or not damaged:
                    raise
                _delete(file)
        raise AssertionError

    def _update(self, index: Index, files: tuple[Found, ...], progress: bool) -> None:
        known = index.files()
        changed = [one for one in files if not self._same(known.get(one.path), one)]
        gone = known.keys() - {one.path for one in files}
        if not changed and not gone:
            return
        with index.building():
            for path in gone:
                index.remove(path)
            for one in _with_bar(changed, progress):
                self._read(index, one, known.get(one.path))

    def _same(self, row: FileRow | None, one: Found) -> bool:
        now = (one.size, one.mtime_ns, self._stated(one.path))
        return row is not None and (row.size, row.mtime_ns, row.stated) == now

    def _read(self, index: Index, one: Found, before: FileRow | None) -> None:
        """Reads one file into the index, or takes down why it cannot be read."""
        stated, sha = self._stated(one.path), ""
        documents: list[Document] = []
        reason = ""
        try:
            data = _bytes(one.file)
            sha = hashlib.sha256(data).hexdigest()
            if before and (before.sha, before.stated, before.size) == (sha, stated, one.size):
                index.touch(one.path, one.mtime_ns)
                return
            found = parse(data, one.kind)
            documents, reason = [self._document(one.path, parsed) for parsed in found], found[0].note
        except Unreadable as error:
            reason = str(error)
        except OSError as error:
            reason = f"cannot be read ({error.strerror})"
        except Exception as error:  # a parser's bug on one file must not take the others away
            reason = f"cannot be read ({one_line(f'{type(error).__name__}: {error}', 160)})"
        row = FileRow(path=one.path, size=one.size, mtime_ns=one.mtime_ns, sha=sha, stated=stated, reason=reason)
        index.put(row, documents)

    def _stated(self, path: str) -> str:
        entry = self._manifest.get(path)
        return "\n".join((entry.url, entry.title, entry.published)) if entry else ""

    def _document(self, path: str, parsed: Parsed) -> Document:
        entry = self._manifest.get(path, Entry())
        if parsed.number:  # a manifest's url names one page, a file of records holds many
            entry = Entry(published=entry.published)
        url = next((one for one in (entry.url, parsed.url) if _is_http(one)), "")
        return Document(
            doc_url="doc:" + _quoted(path) + (f"#{parsed.number}" if parsed.number else ""),
            own_url=url, canonical_url=canonical(url) if url else "", own_domain=registrable(url) if url else "",
            doc_domain=path.partition("/")[0] if "/" in path else f"{self._label}.local",
            title=one_line(entry.title or parsed.title or path.rpartition("/")[2], 300),
            published=entry.published or parsed.published or dates.in_name(path) or parsed.last_resort,
            unit=parsed.unit, links=parsed.links, text=parsed.text,
        )  # fmt: skip

    def _tell(self) -> None:
        if self.skipped:
            named = "; ".join(f"{one_line(path, 80)}: {reason}" for path, reason in self.skipped[:5])
            more = f"; and {len(self.skipped) - 5} more in corpus.skipped" if len(self.skipped) > 5 else ""
            _log.warning("%s: skipped %s%s", self._root.name, one_line(named, 600), more)


def _cache_folder(given: str | os.PathLike[str] | None, root: Path) -> Path:
    if given is None:
        from platformdirs import user_cache_path

        return user_cache_path("investigator") / "corpora"
    folder = Path(os.path.abspath(Path(given).expanduser()))
    if root.is_dir() and folder.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"cache_dir {given} lies inside the folder of documents; give a place outside of it")
    return folder


def _delete(file: Path) -> None:
    for end in ("", "-wal", "-shm"):
        Path(f"{file}{end}").unlink(missing_ok=True)


def _manifest(root: Path, paths: set[str]) -> tuple[dict[str, Entry], list[tuple[str, str]]]:
    """What the folder's manifest states, and what is wrong with it; a single file has none."""
    for name in MANIFESTS if root.is_dir() else ():
        try:
            about = (root / name).lstat()
            if not stat.S_ISREG(about.st_mode):  # a pipe would be waited for without end
                return {}, [(name, "it is no regular file; a manifest must be a file of the folder")]
            if about.st_size > MAX_BYTES:
                return {}, [(name, f"it is larger than {MAX_BYTES // 1_000_000} MB")]
            entries = read_manifest((root / name).read_bytes(), name)
        except FileNotFoundError:
            continue
        except (OSError, Unreadable) as error:
            return {}, [(name, one_line(str(error), 160))]
        missing = sorted(entries.keys() - paths)
        return entries, [(path, f"named in {name}, but not among the documents") for path in missing]
    return {}, []


def _bytes(file: Path) -> bytes:
    """What a file holds now: since the walk it may have grown, or have been replaced by a pipe that nobody fills."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Unreadable("it is no regular file")
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Unreadable(f"it is larger than {MAX_BYTES // 1_000_000} MB")
    return data


def _with_bar(files: list[Found], progress: bool) -> Iterator[Found]:
    if not progress:
        yield from files
        return
    from tqdm import tqdm

    yield from tqdm(files, desc="reading documents", unit="file", file=sys.stderr, delay=0.5, leave=False)


def _quoted(path: str) -> str:
    """A path in a url: white space and what would end a url or an attribute is coded, other scripts stay readable."""
    return re.sub(r"[\s\x00-\x1f\"'<>#?%`|\\^{}\[\]()]", lambda match: quote(match[0], safe=""), path)


def _doc_url(url: str) -> str:
    """A ``doc:`` url in the form that is kept, however it was coded by the one who asks."""
    text = url.strip()
    if not text.startswith("doc:"):
        return ""
    path, record = re.fullmatch(r"doc:(.*?)(#\d+)?", text, re.DOTALL).groups()  # type: ignore[union-attr]
    return f"doc:{_quoted(unquote(path).removeprefix('./'))}{record or ''}"


def _is_http(url: str) -> bool:
    return re.match(r"https?://[^\s/?#]+", url, re.IGNORECASE) is not None and not re.search(r"\s", url)
