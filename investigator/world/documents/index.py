"""The index of a corpus: an SQLite file with the documents' texts and an FTS5 table of their passages.

Knows SQL; must not know formats of files. It is a cache: whatever is wrong with it, it is made anew. A file's rows are
replaced in one savepoint, so an interrupted build leaves an index that is right for the files it holds.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from investigator.world.documents.passages import CLOSE, OPEN, index_text, passages

VERSION = "6"  # part of the file's name: raise it when a parser or the schema changes
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  sha TEXT NOT NULL, stated TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
  id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL REFERENCES files(id), doc_url TEXT NOT NULL, own_url TEXT NOT NULL,
  canonical_url TEXT NOT NULL, own_domain TEXT NOT NULL, doc_domain TEXT NOT NULL, title TEXT NOT NULL,
  published TEXT NOT NULL, unit TEXT NOT NULL, links TEXT NOT NULL, text TEXT NOT NULL,
  owns INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS documents_file ON documents (file_id);
CREATE INDEX IF NOT EXISTS documents_doc ON documents (doc_url);
CREATE INDEX IF NOT EXISTS documents_canonical ON documents (canonical_url);
CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id));
CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document_id);
CREATE VIRTUAL TABLE IF NOT EXISTS passages USING fts5(
  title, path, text, tokenize = "porter unicode61 remove_diacritics 2");
"""
# Two documents that state the same url: the first by path has it, the others keep their doc: url.
_SETTLE = """
UPDATE documents SET owns = (id = (
  SELECT other.id FROM documents AS other JOIN files ON files.id = other.file_id
  WHERE other.canonical_url = documents.canonical_url ORDER BY files.path, other.id LIMIT 1))
WHERE own_url != ''
"""
_BEST = """
SELECT document_id, chunk, min(score) AS best FROM (
  SELECT chunks.document_id AS document_id, passages.rowid AS chunk, bm25(passages, 4.0, 1.5, 1.0) AS score
  FROM passages JOIN chunks ON chunks.id = passages.rowid WHERE passages MATCH ? ORDER BY score LIMIT 3000)
GROUP BY document_id ORDER BY best, document_id LIMIT ?
"""
_HOLDERS = """
SELECT DISTINCT chunks.document_id FROM passages JOIN chunks ON chunks.id = passages.rowid
WHERE passages MATCH ? AND chunks.document_id IN (SELECT value FROM json_each(?))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """A file as it was when it was read. ``reason`` says why it could not be, or is ''."""

    path: str
    size: int
    mtime_ns: int
    sha: str
    stated: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as it is kept; ``own_url`` is '' when it states none, and its own only if it ``owns`` it."""

    doc_url: str
    own_url: str
    canonical_url: str
    own_domain: str
    doc_domain: str
    title: str
    published: str
    unit: str
    links: tuple[str, ...]
    text: str
    owns: bool = False

    @property
    def url(self) -> str:
        return self.own_url if self.owns else self.doc_url

    @property
    def domain(self) -> str:
        return self.own_domain or self.doc_domain


class Index:
    """One connection; every method may be called from any thread."""

    def __init__(self, file: Path) -> None:
        self._lock = threading.RLock()
        self._db = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)  # who forgets to close it is not warned of it
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error:
            self._db.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # Building; the caller holds the file lock

    @contextlib.contextmanager
    def building(self) -> Iterator[None]:
        """A transaction that keeps whole files, whatever ends it."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            self._begun = time.monotonic()
            try:
                yield
            finally:
                if self._db.in_transaction:
                    self._commit()
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def files(self) -> dict[str, FileRow]:
        rows = self._all("SELECT path, size, mtime_ns, sha, stated, reason FROM files")
        return {row[0]: FileRow(path=row[0], size=row[1], mtime_ns=row[2], sha=row[3], stated=row[4], reason=row[5])
                for row in rows}  # fmt: skip

    def put(self, row: FileRow, documents: Iterable[Document]) -> None:
        """Replaces a file and its documents, all or nothing."""
        with self._savepoint():
            self._remove(row.path)
            cursor = self._db.execute(
                "INSERT INTO files (path, size, mtime_ns, sha, stated, reason) VALUES (?, ?, ?, ?, ?, ?)",
                (row.path, row.size, row.mtime_ns, row.sha, row.stated, row.reason),
            )
            for document in documents:
                self._insert(cursor.lastrowid or 0, row.path, document)
        if time.monotonic() - self._begun > 2.0:  # so that little is lost when the process is killed
            self._commit()
            self._db.execute("BEGIN IMMEDIATE")
            self._begun = time.monotonic()

    def touch(self, path: str, mtime_ns: int) -> None:
        """The file's time changed, its bytes did not."""
        self._db.execute("UPDATE files SET mtime_ns = ? WHERE path = ?", (mtime_ns, path))

    def remove(self, path: str) -> None:
        with self._savepoint():
            self._remove(path)

    def _commit(self) -> None:
        self._db.execute(_SETTLE)
        self._db.execute("COMMIT")

    @contextlib.contextmanager
    def _savepoint(self) -> Iterator[None]:
        self._db.execute("SAVEPOINT one_file")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK TO one_file")
            raise
        finally:
            self._db.execute("RELEASE one_file")

    def _insert(self, file_id: int, path: str, one: Document) -> None:
        cursor = self._db.execute(
            "INSERT INTO documents (file_id, doc_url, own_url, canonical_url, own_domain, doc_domain, title, "
            "published, unit, links, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (file_id, one.doc_url, one.own_url, one.canonical_url, one.own_domain, one.doc_domain, one.title,
             one.published, one.unit, json.dumps(one.links), one.text),
        )  # fmt: skip
        title, words = index_text(one.title), index_text(path.rpartition(".")[0] or path)
        for span in passages(one.text):
            chunk = self._db.execute("INSERT INTO chunks (document_id) VALUES (?)", (cursor.lastrowid,)).lastrowid
            self._db.execute("INSERT INTO passages (rowid, title, path, text) VALUES (?, ?, ?, ?)",
                             (chunk, title, words, index_text(one.text[span.start : span.end])))  # fmt: skip

    def _remove(self, path: str) -> None:
        documents = "SELECT documents.id FROM documents JOIN files ON files.id = file_id WHERE path = ?"
        chunks = f"SELECT id FROM chunks WHERE document_id IN ({documents})"
        self._db.execute(f"DELETE FROM passages WHERE rowid IN ({chunks})", (path,))
        self._db.execute(f"DELETE FROM chunks WHERE document_id IN ({documents})", (path,))
        self._db.execute("DELETE FROM documents WHERE file_id IN (SELECT id FROM files WHERE path = ?)", (path,))
        self._db.execute("DELETE FROM files WHERE path = ?", (path,))

    # Reading

    def counts(self) -> tuple[int, int]:
        """(documents, distinct domains)."""
        query = "SELECT count(*), count(DISTINCT coalesce(nullif(own_domain, ''), doc_domain)) FROM documents"
        pages, domains = self._all(query)[0]
        return pages, domains

    def document(self, doc_url: str, canonical_url: str) -> Document | None:
        """The document of this ``doc:`` url, or the one that has this canonical url."""
        columns = "doc_url, own_url, canonical_url, own_domain, doc_domain, title, published, unit, links, text, owns"
        rows = self._all(
            f"SELECT {columns} FROM documents WHERE doc_url = ? OR (canonical_url = ? AND owns = 1) LIMIT 1",
            (doc_url, canonical_url),
        )
        return _document(rows[0]) if rows else None

    def url_of(self, doc_url: str, canonical_url: str) -> str:
        """The url that a link to a document becomes, '' when no document is meant."""
        where = "doc_url = ? OR (canonical_url = ? AND owns = 1)"
        query = f"SELECT iif(owns, own_url, doc_url) FROM documents WHERE {where}"
        rows = self._all(query, (doc_url, canonical_url))
        return str(rows[0][0]) if rows else ""

    def search(self, phrases: tuple[str, ...], limit: int) -> list[tuple[Document, str]]:
        """The best documents, each with its best passage, whose matching words are marked.

        A document's score is the BM25 of its best passage, times 0.25 and the share of the phrases that it holds:
        BM25 alone lets a few words in a tiny file win over a passage that speaks of everything asked.
        """
        if not phrases or limit < 1:
            return []
        expression = " OR ".join(phrases)
        best = self._all(_BEST, (expression, max(50, 4 * limit)))
        held = dict.fromkeys((row[0] for row in best), 0)
        for phrase in phrases if len(best) > 1 else ():
            for (document,) in self._all(_HOLDERS, (phrase, json.dumps(list(held)))):
                held[document] += 1
        ranked = sorted(best, key=lambda row: (row[2] * (0.25 + held[row[0]] / len(phrases)), row[0]))
        shown = ((self._shown(document), self._marked(chunk, expression)) for document, chunk, _ in ranked[:limit])
        return [(document, marked) for document, marked in shown if document is not None]

    def _shown(self, document: int) -> Document | None:
        columns = "doc_url, own_url, canonical_url, own_domain, doc_domain, title, published, unit, '[]', '', owns"
        rows = self._all(f"SELECT {columns} FROM documents WHERE id = ?", (document,))
        return _document(rows[0]) if rows else None

    def _marked(self, chunk: int, expression: str) -> str:
        query = "SELECT highlight(passages, 2, ?, ?) FROM passages WHERE passages MATCH ? AND rowid = ?"
        rows = self._all(query, (OPEN, CLOSE, expression, chunk))
        return str(rows[0][0]) if rows else ""  # another process may have replaced the file meanwhile

    def _all(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()


def _document(row: tuple[Any, ...]) -> Document:
    names = ("doc_url", "own_url", "canonical_url", "own_domain", "doc_domain", "title", "published", "unit")
    fields: dict[str, Any] = dict(zip(names, row, strict=False))
    return Document(**fields, links=tuple(json.loads(row[8])), text=row[9], owns=bool(row[10]))
