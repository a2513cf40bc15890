"""The store on SQLite: the suite of every backend, and what only a file can do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

pytest.register_assert_rewrite("store_suite", "store_processes_suite", "store_base")

from histories import all_effects, history, started  # noqa: E402
from sqlalchemy import Engine, event  # noqa: E402
from store_base import StoreCase  # noqa: E402
from store_processes_suite import ProcessSuite  # noqa: E402
from store_suite import EVENTS, StoreSuite  # noqa: E402

from investigator.core import effects as fx  # noqa: E402
from investigator.errors import StoreError, StoreUnavailable  # noqa: E402
from investigator.store import Store  # noqa: E402
from investigator.store.columns import AnyText  # noqa: E402


class TestSqliteStore(StoreSuite, ProcessSuite):
    """A file."""

    def url(self, tmp_path: Path) -> str:
        return str(tmp_path / "runs.db")


class TestMemoryStore(StoreCase):
    """A database in memory has one connection, which threads take turns with."""

    test_threads_share_one_store = ProcessSuite.test_threads_share_one_store

    def url(self, tmp_path: Path) -> str:
        return "sqlite://"


def with_pragma(engine: Engine, pragma: str) -> None:
    """Every connection from here on has this setting."""
    engine.dispose()
    event.listen(engine, "connect", lambda connection, _: connection.execute(f"PRAGMA {pragma}"))


@pytest.mark.parametrize(
    ("pragma", "message"), [("max_page_count=1", "the disk is full"), ("query_only=1", "it may only be read")]
)
def test_failing_disk_is_told_and_the_log_is_whole(tmp_path: Path, pragma: str, message: str) -> None:
    """A full or read-only disk gives one sentence; what was there stays, and the same append works afterwards."""
    steps = history([(0, 0, 1), (22, 0, 0)])
    with Store(tmp_path / "runs.db") as store:
        run_id = store.create(steps[0].event, steps[0].effects, steps[0].chain)
    page = EVENTS[7]
    effects = all_effects(steps[1:])
    with Store(tmp_path / "runs.db") as store:
        with_pragma(store.engine, pragma)
        for _ in range(3):
            with pytest.raises(StoreError, match=message):
                store.append(run_id, 2, page, effects, "x", turn=1, worker="w")
        assert store.last_seq(run_id) == 1
    with Store(tmp_path / "runs.db") as store:
        store.append(run_id, 2, page, effects, "x", turn=1, worker="w")
        assert [one.event for one in store.events(run_id)] == [steps[0].event, page]
        assert store.verify_tables(run_id, fx.tables(all_effects(steps))) == []


def test_held_database_is_told(tmp_path: Path) -> None:
    """When another connection keeps the write lock, the sentence says so and nothing is written; reading goes on."""
    with Store(tmp_path / "runs.db") as store:
        first = started()
        run_id = store.create(first.event, first.effects, first.chain)
        with_pragma(store.engine, "busy_timeout=20")
        other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process held the database"):
            store.append(run_id, 2, EVENTS[-1], (), "", turn=0, worker="")
        assert store.last_seq(run_id) == 1
        other.rollback()
        other.close()
        store.append(run_id, 2, EVENTS[-1], (), "", turn=0, worker="")


def test_settings_of_a_connection_are_the_durable_ones(tmp_path: Path) -> None:
    """Write-ahead log, foreign keys, a busy timeout, and a sync at every commit."""
    with Store(tmp_path / "runs.db") as store, store.engine.connect() as connection:
        found = [
            connection.exec_driver_sql(f"PRAGMA {one}").scalar()
            for one in ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
        ]
    assert found == ["wal", 1, 30_000, 2]


HOPELESS = [
    ("nowhere/runs.db", "there is no folder"),
    ("", "empty name"),
    ("   ", "empty name"),
    ("folder", "is a folder"),
    ("sqlite:///folder", "is a folder"),
    ("text.db", "is not an SQLite database"),
    ("short.db", "is not an SQLite database"),
    ("broken.db", "cannot be opened"),
    ("foreign.db", "not one of ours"),
    ("oracle://host/db", "no database that is known here"),
    ("nonsense://x", "no database that is known here"),
    ("sqlite+unheard://x.db", "no database that is known here"),
    ("://", "cannot be read"),
    ("mysql://me:secret@host/db", "no database that is known here"),
    ("NUL\x00.db", "cannot be a store"),
    ("\ud900.db", "cannot be a store"),
    ("x" * 5000, "cannot be a store"),
]


@pytest.mark.parametrize(("where", "message"), HOPELESS)
def test_store_that_cannot_be_opened_says_why_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, message: str
) -> None:
    """One sentence, no secret in it, no file made and no file changed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("These are not the rows you are looking for.")
    (tmp_path / "short.db").write_bytes(b"SQL")
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute(f"CREATE TABLE {fx.RUNS} (name TEXT)")
    foreign.commit()
    foreign.close()
    before = {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    with pytest.raises(StoreUnavailable, match=message) as caught:
        Store(where)
    assert "secret" not in str(caught.value)
    assert {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()} == before


def test_default_store_lies_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name it is investigator.db there, with the notes beside it."""
    monkeypatch.setattr("investigator.store.database.user_data_path", lambda *_, **__: tmp_path)
    with Store() as store:
        assert store.file == tmp_path / "investigator.db"
        assert store.notes_directory == tmp_path.resolve() / "research_notes"
        assert store.runs() == []


def test_memory_store_is_one_database_for_all_its_connections() -> None:
    """A store in memory keeps its runs from call to call."""
    with Store("sqlite://") as store:
        first = started()
        run_id = store.create(first.event, first.effects, first.chain)
        assert [row["id"] for row in store.runs()] == [run_id]


@pytest.mark.parametrize(
    "code", [*range(0x20), 0x7F, 0x85, 0x2028, 0xD800, 0xDFFF, 0xFDCF, 0xFDD0, 0xFDD1, 0xFEFF, 0xFFFF, 0x1F600]
)
def test_anytext_gives_back_what_it_took(code: int) -> None:
    """Every awkward character survives, alone and before hex digits."""
    from sqlalchemy.dialects import sqlite

    kind, dialect = AnyText(), sqlite.dialect()
    for text in (chr(code), f"{chr(code)}0000", f"\ufdd0{chr(code)}d800"):
        stored = kind.process_bind_param(text, dialect)
        assert stored is not None
        assert "\x00" not in stored
        stored.encode("utf-8")
        assert kind.process_result_value(stored, dialect) == text
