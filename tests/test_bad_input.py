"""Clumsy input: each mistake is one sentence that says what to do, exit code 2, and nothing is written."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import investigator as iv
from investigator import cli

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder; the user's data and cache folders would appear beside it."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    made = tmp_path / "here"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def command(place: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def finished(store: Path | str) -> None:
    """A store with one short run."""
    with iv.investigate("How long is the Mirrulsk Bridge?", store=store, limits={"max_iterations": 2}) as inv:
        inv.run(progress=False)


BAD_RUNS = [
    ([""], "the objective is empty"),
    (["\u2003\u200b\ufeff \u00a0"], "the objective has no word in it"),
    (["\x1b[;\x07"], "the objective has no word in it"),
    (["???"], "the objective has no word in it"),
    (["x" * 1_000_000], "has 1,000,000 characters, at most 20,000"),
    (["q", "--loop", "\x1b[31mdance"], "choose simple or investigative"),
    (["q", "--model", "m" * 5000], "choose 'offline'"),
    (["q", "--model", "openai:m", "--base-url", "http://["], "is no base url"),
    (["q", "--model", "openai:m", "--base-url", "http://h:99999999"], "is no base url"),
    (["q", "--model", "openai:m", "--base-url", "http://h\x1b[1m"], "is no base url"),
    (["q", "--web", "searxng:http://["], "is no url of a server"),
    (["q", "--web", "searxng:http://h:99999999"], "is no url of a server"),
    (["q", "--web", "searxng:http://a b"], "is no url of a server"),
    (["q", "--web", "w" * 5000], "unknown web"),
    (["q", "--corpus", ""], "no corpus is named"),
    (["q", "--corpus", "n" * 300], "File name too long"),
    (["q", "--corpus", "/dev/null"], "neither a folder nor a file"),
    (["q", "--out", "n" * 300], "File name too long"),
    (["q", "--out", ""], "name a file"),
    (["q", "--set", f"max_iterations={'9' * 5000}"], "max_iterations must be"),
    (["q", "--set", "max_iterations=NaN"], "max_iterations must be"),
    (["q", "--store", "n" * 300], "File name too long"),
    (["q", "--store", "/dev/null"], "name a file"),
    (["q", "--store", "sqlite:///x?timeout=abc"], "cannot be used"),
    (["q", "--store", "sqlite://user:secret@host/x.db"], "cannot be used"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "told"), BAD_RUNS)
def test_a_mistake_is_one_sentence_and_writes_nothing(
    command: Command, place: Path, arguments: list[str], told: str
) -> None:
    """Exit 2, one line on stderr of bearable length without escapes or passwords; no store, no index, no file."""
    code, out, err = command("run", *arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    assert len(err) < 2100
    assert "\x1b" not in err
    assert "secret" not in err
    assert list(place.iterdir()) == []
    assert not (place.parent / "home").exists()


@pytest.mark.parametrize("number", ["0", "-1", str(10**30), str(-(10**30)), str(2**63), "abc", "", "1.5"])
@pytest.mark.parametrize("name", ["show", "resume", "verify", "export"])
def test_a_run_that_does_not_exist_is_told(command: Command, place: Path, name: str, number: str) -> None:
    """Any number that is no run's: exit 2; ids beyond every integer key are no failure of the store."""
    finished(place / "x.db")
    code, _, err = command(name, "--store", "x.db", "--", number)
    assert code == 2
    assert "there is no run" in err or "invalid int value" in err


@pytest.mark.parametrize("table", ["bookmarks", "runs", "gb_agent_runs"])
def test_the_database_of_another_program_is_left_alone(command: Command, place: Path, table: str) -> None:
    """An SQLite file with other tables and no runs is refused by every command, byte for byte as it was."""
    with sqlite3.connect(place / "other.db") as other:
        other.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, name TEXT)")
    other.close()
    before = (place / "other.db").read_bytes()
    for arguments in (["run", "q"], ["runs"], ["show", "1"], ["verify", "1"], ["resume", "1"]):
        code, _, err = command(*arguments, "--store", "other.db")
        assert code == 2
        assert f"the tables of another program ({table})" in err
    assert (place / "other.db").read_bytes() == before
    assert [one.name for one in place.iterdir()] == ["other.db"]


def test_the_data_folder_that_cannot_be_made_is_told(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home to write to, the sentence asks for a store."""
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null/nowhere")
    for arguments in (["runs"], ["run", "q"], ["show", "1"]):
        code, _, err = command(*arguments)
        assert code == 2
        assert "name a store of your own" in err


def test_an_export_never_takes_the_place_of_a_device(command: Command, place: Path) -> None:
    """A pipe is written to and stays a pipe; a link keeps leading where it led."""
    finished(place / "x.db")
    os.mkfifo(place / "pipe")
    reader = os.open(place / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert command("export", "1", "--store", "x.db", "--out", "pipe")[0] == 0
        assert os.read(reader, 100).startswith(b'{"format": "investigator-log"')
    finally:
        os.close(reader)
    assert (place / "pipe").is_fifo()
    (place / "link").symlink_to("real.jsonl")
    assert command("export", "1", "--store", "x.db", "--out", "link")[0] == 0
    assert (place / "link").is_symlink()
    assert (place / "real.jsonl").is_file()


@pytest.mark.parametrize("name", ["", ".", "missing/x", "n" * 300])
def test_an_export_that_cannot_be_written_is_told(command: Command, place: Path, name: str) -> None:
    """Exit 2 and nothing new in the folder; an empty name is no wish for the default."""
    finished(place / "x.db")
    before = sorted(place.iterdir())
    assert command("export", "1", "--store", "x.db", "--out", name)[0] == 2
    assert sorted(place.iterdir()) == before


BAD_CALLS: list[dict[str, Any]] = [
    {"objective": None}, {"objective": b"bytes"}, {"objective": ["list"]}, {"loop": None}, {"loop": []}, {"model": 3},
    {"web": 3}, {"web": "corpus:a\x00b"}, {"web": "\ud800"}, {"store": 3}, {"store": b"x"}, {"store": "a\x00b"},
    {"store": "\ud800.db"}, {"store": "n" * 300}, {"limits": 3}, {"limits": {3: 4}}, {"limits": {"max_depth": None}},
    {"limits": {"max_cost_usd": float("nan")}}, {"limits": {"max_iterations": 10**400}}, {"workers": 0},
    {"model": "openai:m", "base_url": 3}, {"base_url": "http://h"},
]  # fmt: skip


@pytest.mark.parametrize("given", BAD_CALLS, ids=lambda one: ascii(one)[:40])
def test_a_wrong_type_is_an_error_of_ours(place: Path, given: dict[str, Any]) -> None:
    """Values of any type: an error of this package and nothing written."""
    with pytest.raises(iv.InvestigatorError):
        iv.investigate(**{"objective": "How long is it?", **given})
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("store", ["n" * 300, "a\x00b", "\ud800", ".", 3, b"x"], ids=lambda one: ascii(one)[:12])
def test_a_store_that_is_none_is_told_by_every_reader(place: Path, store: Any) -> None:
    """Lists, runs, checks and frames alike."""
    readers: list[Callable[[], Any]] = [
        lambda: iv.runs(store), lambda: iv.open_run(1, store=store), lambda: iv.verify(1, store=store),
        lambda: iv.claims_df(store),
    ]  # fmt: skip
    for read in readers:
        with pytest.raises(iv.InvestigatorError):
            read()
    assert list(place.iterdir()) == []


def test_wrong_turns_moves_and_forks_change_nothing(place: Path) -> None:
    """`at`, `fork`, `act` and `rows` with nonsense: told, and no run more than before."""
    with iv.investigate("How long is the Mirrulsk Bridge?", store="x.db") as inv:
        inv.step()
        for turn in (-1, 99, 10**30, "1", 1.0, True):
            with pytest.raises(iv.UsageError):
                inv.at(turn)  # type: ignore[arg-type]
            with pytest.raises(iv.UsageError):
                inv.fork(turn)  # type: ignore[arg-type]
        for move in (3, ("notes_scratch",), (3, {}), ("notes_scratch", {3: 4}), "ab"):
            with pytest.raises(iv.UsageError, match="a move is a tool and its arguments"):
                inv.fork(1, act=move)  # type: ignore[arg-type]
        for tool in ("", "nope", "x" * 10_000, "\ud800"):
            answer = inv.act(tool)
            assert not answer
            repr(answer).encode()
        assert not inv.act("web_search", query=None)
        with pytest.raises(iv.UsageError, match="no JSON"):
            inv.act("web_search", query=float("nan"))
        for path in ("", "a\x00b", "n" * 300, None):
            with pytest.raises(iv.UsageError):
                inv.export(path)  # type: ignore[arg-type]
        assert inv.verify() == []
    assert len(iv.runs("x.db")) == 1
