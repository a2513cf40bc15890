"""What a run is asked for and what it leaves on disk: names, bad input, notes files, exports, verification."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from session_worlds import BRIDGE, REPORT, TEXT, TinyWeb, begin, reporting

import investigator as iv
from investigator.core.wire import Failure
from investigator.world.models import calls, say


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small folder of documents; its index lies in the test's own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = tmp_path / "docs"
    made.mkdir()
    (made / "bridge.md").write_text(f"# Larn bridge\n\n{TEXT}\n")
    (made / "tides.md").write_text("# Tides\n\nThe moon pulls the sea twice a day, as everybody knows.\n")
    return made


def test_the_notes_file_follows_the_notes_and_is_restored(folder: Path, db: Path) -> None:
    """After a turn the file holds the notes; deleted or changed it is written again at the next turn."""
    with iv.investigate("What pulls the sea?", web=f"corpus:{folder}", store=db, limits=iv.Limits.narrow()) as inv:
        inv.step(until=lambda state: state.notes_seq > 0)
        (file,) = (db.parent / "research_notes").iterdir()
        assert file.read_text() == inv.notes
        file.write_text("spoilt")
        inv.step()
        assert file.read_text() == inv.notes
        file.unlink()
        inv.step()
        assert file.read_text() == inv.notes


def test_a_notes_file_that_cannot_be_written_is_a_warning(
    folder: Path, db: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file in the place of the notes folder: the run ends well, the warning says why."""
    (db.parent / "research_notes").write_text("in the way")
    with iv.investigate("What pulls the sea?", web=f"corpus:{folder}", store=db, limits=iv.Limits.narrow()) as inv:
        assert inv.run(progress=False)
        assert inv.verify() == []
    assert "the notes are in the store" in caplog.text


def test_an_export_holds_the_whole_log(db: Path, tmp_path: Path) -> None:
    """One JSON object a line: a header, every event in order, the page's text with the event that brought it."""
    with begin(db, reporting()) as inv:
        inv.run(progress=False)
        inv.export(tmp_path / "log.jsonl")
        lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
        assert lines[0]["run_id"] == inv.run_id
        assert [one["seq"] for one in lines[1:]] == list(range(1, inv.state.seq + 1))
        assert [one["text"] for one in lines if "text" in one] == [TEXT]
        with pytest.raises(iv.UnknownName, match="choose jsonl"):
            inv.export(tmp_path / "log.x", format="x")
        with pytest.raises(iv.UsageError, match="cannot be written"):
            inv.export(tmp_path / "missing" / "log.jsonl")
    assert sorted(one.name for one in tmp_path.iterdir() if one.suffix == ".tmp") == []


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE gb_agent_events SET chain_sha256 = 'x' WHERE seq = 3", "event 3 of run 1 .model_replied. is the"),
        ("UPDATE gb_agent_sources SET title = 'x'", "gb_agent_sources s_001: title is 'x'"),
        ("DELETE FROM gb_agent_pages", "is gone"),
        ("DELETE FROM gb_agent_events WHERE seq = 2", "event 2 of run 1 is missing"),
    ],
)
def test_verify_names_what_was_tampered_with(db: Path, damage: str, told: str) -> None:
    """A changed hash, table, page or log is found, with the place."""
    with begin(db, reporting()) as inv:
        inv.run(progress=False)
    assert iv.verify(1, store=db) == []
    with sqlite3.connect(db) as connection:
        connection.execute(damage)
    connection.close()
    (first, *_) = iv.verify(1, store=db)
    assert re.search(told, first), first


def test_a_log_of_another_version_is_refused_with_a_sentence(db: Path) -> None:
    """Its tables stay readable; opening it for going on is refused."""
    with begin(db, reporting()) as inv:
        inv.run(progress=False)
    with sqlite3.connect(db) as connection:
        old, new = '"log_version":1', '"log_version":9'
        connection.execute("UPDATE gb_agent_events SET payload = replace(payload, ?, ?)", (old, new))
    connection.close()
    with pytest.raises(iv.LogVersionError, match="version 9"):
        iv.open_run(1, store=db)
    assert len(iv.questions_df(db)) == 1


# What was asked for


def wrong(**asked: Any) -> Callable[[Path], object]:
    return lambda path: iv.investigate(**{"objective": "What?", "web": TinyWeb(), "store": path, **asked})


@pytest.mark.parametrize(
    ("ask", "error", "told"),
    [
        (wrong(objective="  \n"), iv.UsageError, "the objective is empty"),
        (wrong(objective="x" * 20_001), iv.UsageError, "at most 20,000"),
        (wrong(objective=None), iv.UsageError, "the objective is empty"),
        (wrong(loop="dance"), iv.UnknownName, "choose simple or investigative"),
        (wrong(loop="verified"), iv.UnknownName, "there is no loop 'verified'"),
        (wrong(model="gpt"), iv.UnknownName, "there is no model"),
        (wrong(model=42), iv.UnknownName, "is no model"),
        (wrong(web="corpus:/nowhere/at/all"), iv.UsageError, "no folder or file"),
        (wrong(web="gopher"), iv.UnknownName, "unknown web"),
        (wrong(web=42), iv.UsageError, "is no world"),
        (wrong(limits={"max_depth": 99}), iv.LimitError, "max_depth must be from 1 to 10"),
        (wrong(limits={"depth": 1}), iv.LimitError, "there is no limit 'depth'"),
        (wrong(limits=7), iv.LimitError, "limits are"),
        (wrong(workers=2), iv.UsageError, "leave workers out"),
        (wrong(limits={"max_cost_usd": 1.0}, model=iv.ScriptedModel([])), iv.UsageError, "price of scripted is not"),
        (wrong(base_url="http://localhost"), iv.UsageError, "belongs to a model openai:NAME"),
        (wrong(model="openai:x", base_url="localhost"), iv.UsageError, "is no base url"),
        (wrong(model="openai:x", base_url="http://me:pw@h/v1"), iv.UsageError, "must not hold a password"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told_and_nothing_is_written(
    db: Path, ask: Callable[[Path], object], error: type[Exception], told: str
) -> None:
    """One sentence, the right kind of error, and no store afterwards."""
    with pytest.raises(error, match=told):
        ask(db)
    assert not db.exists()


def test_a_store_that_is_not_there_is_told_and_not_made(tmp_path: Path) -> None:
    """Reading from a path where nothing is does not leave an empty store behind."""
    missing = tmp_path / "none.db"
    for ask in (lambda: iv.open_run(1, store=missing), lambda: iv.runs(missing), lambda: iv.verify(1, store=missing)):
        with pytest.raises(iv.UsageError, match="there is no store at"):
            ask()
    with pytest.raises(iv.StoreUnavailable):
        iv.investigate("What?", web=TinyWeb(), store=tmp_path / "no" / "x.db")
    assert not missing.exists()


def test_a_run_that_does_not_exist_is_not_found(db: Path) -> None:
    """The sentence says how to list the runs."""
    begin(db, reporting()).close()
    with pytest.raises(iv.RunNotFound, match="lists them"):
        iv.open_run(99, store=db)
    with pytest.raises(iv.UsageError, match="whole number"):
        iv.open_run("1", store=db)  # type: ignore[arg-type]


def test_objects_must_be_given_again_to_go_on(db: Path) -> None:
    """A run of a model or web object can be read at once, and stepped only with the objects."""
    begin(db, reporting()).close()
    with iv.open_run(1, store=db) as inv:
        assert len(inv.questions) == 1
        with pytest.raises(iv.UsageError, match=r"model object .scripted.; give it again"):
            inv.step()
    with iv.open_run(1, store=db, model=reporting(), web=TinyWeb()) as inv:
        assert inv.run(progress=False)


def test_a_folder_by_name_is_found_again_from_anywhere(
    folder: Path, db: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A relative corpus path is stored as an absolute one."""
    monkeypatch.chdir(folder.parent)
    with iv.investigate("What pulls the sea?", web="corpus:docs", store=db, limits=iv.Limits.narrow()) as inv:
        assert inv.state.run.web == f"corpus:{folder}"
        inv.step()
    monkeypatch.chdir("/")
    with iv.open_run(1, store=db) as inv:
        assert inv.run(progress=False)


def test_a_stored_base_url_comes_back_without_a_key(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of a run is stored; a key from the environment never goes there by itself."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-environment")
    with iv.investigate("What?", model="openai:m", base_url="http://localhost:1/v1", web="demo", store=db) as inv:
        assert inv.state.run.options["base_url"] == "http://localhost:1/v1"
    with iv.open_run(1, store=db) as inv:
        model: Any = inv._driver().model
        assert model._base_url == "http://localhost:1/v1"
        assert model._key_now() == "none"
    assert b"sk-secret" not in db.read_bytes()


def test_a_known_price_allows_a_cost_limit(db: Path) -> None:
    """A model object with a price may be limited by cost; the price is in the run's options for reservations."""

    class Priced(iv.ScriptedModel):
        price = iv.Price(input=2.0, output=8.0)

    with begin(db, Priced([say(REPORT)]), limits={"max_cost_usd": 1.0}) as inv:
        assert inv.state.run.options["price_input"] == "2.0"
        inv.step()
        assert json.loads(inv.events["payload"][1])["reserved_cost"] > 0


def test_another_model_brings_its_own_price(db: Path) -> None:
    """A run that is resumed with a priced model reserves by that price from then on."""

    class Priced(iv.ScriptedModel):
        price = iv.Price(input=2.0, output=8.0)

    with begin(db, iv.ScriptedModel([])) as inv:
        inv.run(progress=False)
        assert inv.status == "paused"
    with iv.open_run(1, store=db, model=Priced([say(REPORT)]), web=TinyWeb()) as inv:
        assert inv.run(progress=False)
        assert "settings_changed" in set(inv.events["kind"])
        opened = inv.events.query("kind == 'turn_opened'")["payload"]
        assert [json.loads(one)["reserved_cost"] > 0 for one in opened] == [False, True]
        assert inv.verify() == []


@pytest.mark.parametrize("facts", [None, RuntimeError("down")], ids=["nothing", "raises"])
def test_a_world_that_cannot_say_what_it_holds_is_told(db: Path, facts: object) -> None:
    """A web whose facts fail is a mistake of whoever wrote it, told before anything is written."""

    class Broken(TinyWeb):
        def facts(self) -> Any:
            if isinstance(facts, Exception):
                raise facts
            return facts

    with pytest.raises(iv.UsageError, match=r"of the web tiny|the web tiny fails"):
        begin(db, reporting(), Broken())
    assert not db.exists()


def test_hostile_text_goes_through_everything(db: Path, tmp_path: Path) -> None:
    """NUL, lone surrogates and control characters in a page and a reply end up in frames, export and report."""
    nasty = "NUL \x00, surrogate \ud800, escape \x1b[31m, <script>alert(1)</script> is 300 metres long."

    class Nasty(TinyWeb):
        def fetch(self, url: str) -> Any:
            return iv.Page(url=url, canonical_url=url, domain="a.example", title=nasty, text=nasty, unit="line")

        def search(self, query: str, limit: int) -> Any:
            return Failure(kind="unavailable", message=nasty)

    model = iv.ScriptedModel([calls(("fetch_page", {"url": BRIDGE}), ("web_search", {"query": nasty})), say(nasty)])
    with iv.investigate(f"How long? {BRIDGE} {nasty}", loop="simple", model=model, web=Nasty(), store=db) as inv:
        report = inv.run(progress=False)
        assert inv.verify() == []
        assert "<script>" not in report.html
        assert nasty in set(inv.pages["text"])
        inv.export(tmp_path / "log.jsonl")
        assert len(inv.events) == inv.state.seq
        assert repr(inv)
        assert repr(inv.last)
