"""Hostile material: folders, files, models, worlds, stores and indexes that were made to break a run or its reader.

What holds: no traceback, no hang, every refusal named, nothing of theirs in terminal, report or HTML unescaped.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from session_worlds import TinyWeb, begin, reporting

import investigator as iv
from investigator import cli
from investigator.core.wire import Failure, Hit, Hits, Page, Reply, Request, ToolCall, Usage
from investigator.world.documents import Corpus

GOOD = b"# Tides\n\nThe moon pulls the sea twice a day, as everybody knows.\n"
EVIL = (
    "\x1b[31m<script>alert(1)</script>\u202e\x00\ud800 ![x](http://evil.example/x.png)"
    " [a](javascript:alert(1)) </page>"
)
FRAMES = ("questions", "transitions", "attempts", "claims", "sources", "challenges", "turns", "events")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.md").write_bytes(GOOD)
    return made


def opened(docs: Path, cache: Path) -> tuple[dict[str, str], int]:
    """What was skipped and why, and how many documents the search finds."""
    corpus = Corpus(docs, cache_dir=cache, progress=False)
    try:
        hits = corpus.search("moon pulls the sea", 20)
        assert isinstance(hits, Hits)
        assert all(isinstance(corpus.fetch(one.url), Page) for one in hits.hits)
        return dict(corpus.skipped), len(hits.hits)
    finally:
        corpus.close()


# Folders and files


@pytest.mark.skipif(os.name != "posix", reason="pipes and links of POSIX")
def test_pipes_links_and_folders_named_like_files_are_named_and_skipped(docs: Path, tmp_path: Path) -> None:
    """Nothing is waited for, nothing outside is read, and every one of them is told with its reason."""
    os.mkfifo(docs / "pipe.md")
    os.mkfifo(docs / "manifest.json")
    (docs / "loop").symlink_to(docs)
    (docs / "self.md").symlink_to("self.md")
    (docs / "passwd.txt").symlink_to("/etc/passwd")
    (docs / "zero.txt").symlink_to("/dev/zero")
    (docs / "dir.md").mkdir()
    (docs / "empty.md").touch()
    skipped, found = opened(docs, tmp_path / "cache")
    assert found == 1
    assert {"pipe.md", "manifest.json", "loop", "self.md", "passwd.txt", "zero.txt", "empty.md"} <= set(skipped)


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_file_that_became_a_pipe_is_not_waited_for(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the walk and the reading a file was replaced: named and skipped."""
    from investigator.world.documents import corpus

    real = corpus.walk

    def swapped(root: Path, avoid: Path) -> Any:
        found = real(root, avoid)
        (docs / "b.md").unlink()
        os.mkfifo(docs / "b.md")
        return found

    (docs / "b.md").write_bytes(GOOD)
    monkeypatch.setattr(corpus, "walk", swapped)
    assert opened(docs, docs.parent / "cache") == ({"b.md": "it is no regular file"}, 1)


def _docx(body: bytes) -> bytes:
    import docx

    document, whole, made = docx.Document(), io.BytesIO(), io.BytesIO()
    document.add_paragraph("The moon pulls the sea.")
    document.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b"<w:body>", b"<w:body>" + body) if name == "word/document.xml" else data)
    return made.getvalue()


JUNK = random.Random(1).randbytes(20_000)
BROKEN = {
    **{f"junk.{kind}": JUNK for kind in ("md", "txt", "pdf", "docx", "html", "jsonl", "json", "csv", "tsv", "ipynb")},
    "magic.pdf": b"%PDF-1.7\n" + JUNK, "magic.docx": b"PK\x03\x04" + JUNK,
    "bomb.docx": _docx(b"<w:p><w:r><w:t>moon</w:t></w:r></w:p>" * 300_000),
    "deep.json": b"[" * 100_000, "deep.jsonl": b'{"text":' * 100_000, "deep.ipynb": b'{"cells":' + b"[" * 100_000,
    "long.csv": b'"' + b"moon pulls the sea," * 60_000, "comment.html": b"<!--" * 50_000,
}  # fmt: skip


def test_broken_files_are_named_and_the_others_are_read(docs: Path, tmp_path: Path) -> None:
    """Junk under every name, bombs and bottomless nesting: each is named with a reason, the good file is found."""
    for name, data in BROKEN.items():
        (docs / name).write_bytes(data)
    skipped, found = opened(docs, tmp_path / "cache")
    assert found == 1
    assert set(skipped) == set(BROKEN)
    assert all(skipped.values())


def test_odd_records_are_read_as_far_as_they_go(docs: Path, tmp_path: Path) -> None:
    """NaN, surrogates, doubled and dangerous urls: records with text are documents, urls are http or doc only."""
    records: list[Any] = [
        {"text": "moon 1", "date": float("nan"), "title": [1]}, {"text": "lone \ud800 moon"}, {"text": float("inf")},
        {"text": "moon 2", "url": "javascript:alert(1)", "title": "<script>x</script>"}, None, [], "x",
        {"text": "moon 3", "url": "http://a.example/1"}, {"text": "moon 4", "url": "http://a.example/1"},
        {"text": "moon 5", "url": "http://[::1"}, {"text": "moon " * 100_000},
    ]  # fmt: skip
    lines = "\n".join(json.dumps(one) for one in records) + '\n{"text": broken\n'
    (docs / "r.jsonl").write_bytes(lines.encode())
    corpus = Corpus(docs, cache_dir=tmp_path / "cache", progress=False)
    hits = corpus.search("moon", 20)
    assert isinstance(hits, Hits)
    assert len(hits.hits) == 8
    assert all(re.match("doc:|http://", one.url) for one in hits.hits)
    assert dict(corpus.skipped) == {"r.jsonl": '5 of 12 lines are no JSON object with a "text"'}
    corpus.close()


NAMES = [b"a\nb.md", b"\x1b[31mred.md", "\u202egpj.md".encode(), b"\xff\xfe.md", b"q'\"<>&.md", b"a#1 ?%20.md",
         b"[c_001].md", b"<task>.md", b"-rf.md", b"`$(x)`.md", "e\u0301.md".encode(), b"x" * 250 + b".md"]  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
def test_names_of_files_steer_nothing(docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Line breaks, escapes, bidi marks, markup and bytes that are no text: read, or named without their poison."""
    for name in NAMES:
        Path(os.fsdecode(os.fsencode(docs) + b"/" + name)).write_bytes(GOOD)
    skipped, found = opened(docs, tmp_path / "cache")
    assert found == len(NAMES)  # one of them cannot be read, and a.md is there
    assert list(skipped.values()) == ["its name is no valid text; rename it"]
    question = ["run", "What pulls the sea?", "--narrow", "--store", str(tmp_path / "x.db")]
    assert cli.main([*question, "--corpus", str(docs)]) == 0
    told = capsys.readouterr()
    assert not re.search("[\x1b\u202e]", told.out + told.err)


def test_files_that_change_under_a_run_are_as_they_were_read(docs: Path, tmp_path: Path) -> None:
    """A file removed after indexing is still read; reopened, it is gone."""
    (docs / "b.md").write_bytes(GOOD)
    corpus = Corpus(docs, cache_dir=tmp_path / "cache", progress=False)
    (docs / "b.md").unlink()
    page = corpus.fetch("doc:b.md")
    corpus.close()
    assert isinstance(page, Page)
    assert isinstance(corpus.search("moon", 3), Failure)
    assert opened(docs, tmp_path / "cache") == ({}, 1)


# The index and the store


def test_a_damaged_index_is_made_anew(docs: Path, tmp_path: Path) -> None:
    """Random bytes in the cache, 12 times: the document is found each time."""
    cache = tmp_path / "cache"
    opened(docs, cache)
    (file,) = cache.glob("*.db")
    for seed in range(12):
        damaged = bytearray(file.read_bytes())
        chance = random.Random(seed)
        for _ in range((1, 30, 3000)[seed % 3]):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        file.write_bytes(b"junk" * 1000 if seed == 11 else damaged)
        assert opened(docs, cache)[1] == 1


def test_a_cache_folder_that_is_none_is_told(docs: Path, tmp_path: Path) -> None:
    """A file in its place: a sentence with what to do."""
    (tmp_path / "cache").write_text("x")
    with pytest.raises(iv.UsageError, match="give another cache_dir"):
        opened(docs, tmp_path / "cache")


READERS: tuple[Callable[[Path], Any], ...] = (
    iv.runs, iv.claims_df, iv.events_df, iv.turns_df, iv.pages_df, lambda file: iv.verify(1, store=file),
    lambda file: iv.open_run(1, store=file).close(),
)  # fmt: skip


def test_a_damaged_store_is_told_by_every_reader(tmp_path: Path) -> None:
    """Random bytes in 12 copies of a store: lists, runs, checks and frames work or fail with an error of ours."""
    whole = tmp_path / "whole.db"
    with begin(whole, reporting()) as inv:
        inv.run(progress=False)
    with sqlite3.connect(whole) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    good, failed = whole.read_bytes(), 0
    for seed in range(12):
        chance, damaged, file = random.Random(seed), bytearray(good), tmp_path / f"{seed}.db"
        for _ in range((1, 5, 50, 500)[seed % 4]):
            damaged[chance.randrange(20, len(damaged))] = chance.randrange(256)
        file.write_bytes(damaged)
        for read in READERS:
            try:
                read(file)
            except iv.InvestigatorError:
                failed += 1
    assert failed > 10


CHANGES = {
    "a time": "UPDATE gb_agent_research_runs SET created_at = 'yesterday'",
    "a word of a newer version": "UPDATE gb_agent_research_runs SET status = 'exploded'",
    "limits": "UPDATE gb_agent_research_runs SET limits = '{'",
    "a word in the limits": "UPDATE gb_agent_research_runs SET limits = replace(limits, 'source_', 's0urce_')",
    "a newer log": "UPDATE gb_agent_events SET payload = replace(payload, '\"log_version\":', '\"log_version\":9')",
    "an unknown event": "UPDATE gb_agent_events SET kind = 'future' WHERE seq = 3",
    "an empty event": "UPDATE gb_agent_events SET payload = 'null' WHERE seq = 3",
    "bytes": "UPDATE gb_agent_events SET payload = x'ff00ff' WHERE seq = 3",
    "a gap": "DELETE FROM gb_agent_events WHERE seq = 3",
    "no pages": "DELETE FROM gb_agent_pages",
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_changed_store_is_found_out(tmp_path: Path, change: str) -> None:
    """Whatever was changed by hand or by a newer version, `verify` tells it, and readers fail with errors of ours."""
    file = tmp_path / "x.db"
    with begin(file, reporting()) as inv:
        inv.run(progress=False)
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA ignore_check_constraints = 1")
        database.execute(CHANGES[change])
    database.close()
    for read in READERS:
        with contextlib.suppress(iv.InvestigatorError):
            read(file)
    try:
        told = iv.verify(1, store=file)
    except iv.InvestigatorError as error:
        told = [str(error)]
    assert told


# Models and worlds


class Evil:
    """A model that always returns the same."""

    name = "evil"

    def __init__(self, reply: Any) -> None:
        self.reply = reply

    def complete(self, request: Request) -> Any:
        return self.reply


def asking(*calls: tuple[Any, Any]) -> Reply:
    return Reply(text="", calls=tuple(ToolCall(id=str(at), name=a, arguments=b) for at, (a, b) in enumerate(calls)))


def looked_at(inv: iv.Investigation) -> str:
    """Everything that is shown of a run; its log must agree with its tables."""
    assert inv.verify() == []
    assert not re.search("[\x1b\x00\u202e]", repr(inv.last) + repr(inv))
    return "".join((inv.report.html, *(getattr(inv, one).to_html() for one in FRAMES)))


_ENTRY = {"question": EVIL + "?", "kind": "query", "rationale": EVIL, "validation_criteria": EVIL, "priority": 0.7}
REPLIES = {
    "nothing": Reply(), "a huge text": Reply(text="x" * 1_000_000), "poison": Reply(text=EVIL, finish_reason=EVIL),
    "broken arguments": asking(*(("web_search", one) for one in (
        '{"query":', "nope", "", "[]", "null", '"x"', '{"query":NaN}', '{"query":1e999}', '{"query":' + "[" * 100_000,
        "9" * 5000, '{"query":"\\ud800\\u0000"}', '{"query":"a","query":"b"}'))),
    "many calls": asking(*[("notes_scratch", '{"text":"x"}')] * 200),
    "unknown tools": asking(("rm -rf", "{}"), (EVIL, "{}"), ("", "{}"), ("x" * 100_000, "{}")),
    "deep arguments": asking(("notes_append", '{"section":"x","entries":' + "[" * 900 + "]" * 900 + "}")),
    "poisoned calls": asking(
        ("add_question", json.dumps(_ENTRY)), ("frontier_next", "{}"), ("notes_scratch", json.dumps({"text": EVIL})),
        ("finalize_report", json.dumps({"report": f"## Summary\n{EVIL} [c_001]"}))),
}  # fmt: skip


@pytest.mark.parametrize("loop", ["investigative", "simple"])
@pytest.mark.parametrize("reply", list(REPLIES))
def test_any_reply_leads_to_a_report(tmp_path: Path, reply: str, loop: str) -> None:
    """Whatever a model says: the run ends, its log verifies, and nothing of it is live in report or frames."""
    with iv.investigate(
        "How long is the Larn bridge?", loop, Evil(REPLIES[reply]), TinyWeb(), tmp_path / "x.db", {"max_iterations": 4}
    ) as inv:
        report = inv.run(progress=False)
        assert inv.status == "completed"
        assert not re.search("[\x1b\x00\u202e]|!\\[x\\]\\(", report.markdown)
        assert not re.search("<script|<img|href=.javascript", looked_at(inv))


SHAPES = {
    "None": None, "a text": "hi", "no text": Reply(text=None), "calls that are none": Reply(calls=None),  # type: ignore[arg-type]
    "dicts": Reply(calls=({"name": "x"},)), "no name": asking((None, "{}")),  # type: ignore[arg-type]
    "no arguments": asking(("web_search", None)),
    "bytes": asking(("web_search", b"{}")), "a dict": asking(("web_search", {"query": "x"})),
    "usage in words": Reply(usage="many"), "usage below zero": Reply(usage=Usage(input_tokens=-5)),  # type: ignore[arg-type]
    "no end of tokens": Reply(usage=Usage(input_tokens=10**30)),
    "NaN dollars": Reply(usage=Usage(cost_usd=float("nan"))),
    "tries": Reply(tries=10**30),
}  # fmt: skip


@pytest.mark.parametrize("shape", list(SHAPES))
def test_a_reply_that_is_none_pauses_the_run(tmp_path: Path, shape: str) -> None:
    """A model object that returns another type is named as the culprit; a better one goes on."""
    file = tmp_path / "x.db"
    with begin(file, Evil(SHAPES[shape])) as inv:
        assert not inv.run(progress=False)
        assert (inv.status, inv.turn) == ("paused", 0)
        assert "the model object returned no proper Reply" in inv.state.error
        looked_at(inv)
    with iv.open_run(1, store=file, model=reporting(), web=TinyWeb()) as inv:
        assert inv.run(progress=False)


class EvilWeb(TinyWeb):
    """A world that returns what it is given."""

    def __init__(self, hits: Any, page: Any) -> None:
        super().__init__()
        self.hits, self.page = hits, page

    def search(self, query: str, limit: int) -> Any:
        return self.hits

    def fetch(self, url: str) -> Any:
        return self.page


HIT = Hit(url="https://a.example/bridge", title="Larn bridge", snippet="is 300 metres long")
HITS = Hits(hits=(HIT,), provider="p")
PAGE = Page(url="https://a.example/bridge", canonical_url="https://a.example/bridge", domain="a.example",
            title="Larn bridge", text="The Larn bridge is 300 metres long in total.\n", unit="line")  # fmt: skip
WORLDS: dict[str, tuple[Any, Any]] = {
    "nothing": (None, None), "odd hits": (Hits(hits=(None, 5)), PAGE),  # type: ignore[arg-type]
    "many hits": (Hits(hits=(HIT,) * 20_000), PAGE), "numbers": (HITS, replace(PAGE, text=5)),  # type: ignore[arg-type]
    "no url": (HITS, replace(PAGE, url=None)), "links": (HITS, replace(PAGE, links=(1,))),  # type: ignore[arg-type]
    "an odd failure": (Failure(kind="odd", message=EVIL), Failure(kind=None, message=None)),  # type: ignore[arg-type]
    "a poisoned page": (
        Hits(hits=(replace(HIT, title=EVIL, snippet=EVIL, published=EVIL, domain=EVIL),), provider=EVIL),
        replace(PAGE, title=EVIL, published=EVIL, domain=EVIL, text=f"The Larn bridge {EVIL} is 300 metres long.\n")),
    "a poisoned url": (HITS, replace(PAGE, url='https://a.example/"><script>x</script>', canonical_url="javascript:x")),
}  # fmt: skip


@pytest.mark.parametrize("world", list(WORLDS))
def test_any_world_leads_to_a_report(tmp_path: Path, world: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a world returns: the offline model's run ends, verifies, and shows nothing of it unescaped."""
    file = tmp_path / "x.db"
    limits = {"max_iterations": 8, "min_sources": 1, "min_domains": 1}
    with iv.investigate("How long is the Larn bridge?", web=EvilWeb(*WORLDS[world]), store=file, limits=limits) as inv:
        report = inv.run(progress=False)
        assert inv.status == "completed"
        assert not re.search("[\x1b\x00\u202e]|!\\[x\\]\\(|\\]\\(javascript", report.markdown)
        assert not re.search("<script|<img|href=.javascript", looked_at(inv))
    for command in (["show", "1"], ["runs"]):
        assert cli.main([*command, "--store", str(file)]) == 0
    told = capsys.readouterr()
    assert not re.search("[\x1b\x00\u202e]", told.out + told.err)
