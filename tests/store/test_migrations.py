"""Databases made before this version: what they lack is added, what they hold stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from histories import all_effects, history

from investigator.core import effects as fx
from investigator.store import Store, migrations
from investigator.store.tables import metadata

# The runs and states tables as they were before the notes file, the phase and the stop reason.
OLD = """
CREATE TABLE gb_agent_research_runs (
  id INTEGER PRIMARY KEY, objective TEXT NOT NULL, user_id TEXT NOT NULL, status TEXT NOT NULL,
  steps INTEGER NOT NULL DEFAULT 0, tool_calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL, created_at TEXT NOT NULL);
CREATE TABLE gb_agent_research_states (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL REFERENCES gb_agent_research_runs(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL, state TEXT NOT NULL, detail TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL);
INSERT INTO gb_agent_research_runs VALUES (4, 'who?', 'é/..', 'completed', 7, 8, 9, 0.25, '2024-05-06 07:08:09');
INSERT INTO gb_agent_research_runs VALUES (9, 'why?', 'bob', 'failed', 0, 0, 0, NULL, '2024-05-06T07:08:09.123456Z');
INSERT INTO gb_agent_research_states VALUES (1, 4, 1, 'thinking', 'x', '2024-05-06 07:08:09');
"""
# A table that has everything but the three named columns.
NEARLY = """
CREATE TABLE gb_agent_research_runs (
  id INTEGER PRIMARY KEY, objective TEXT NOT NULL, loop TEXT NOT NULL, user_id TEXT NOT NULL, status TEXT NOT NULL,
  error TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '', web TEXT NOT NULL DEFAULT '', limits TEXT NOT NULL,
  parent_run INTEGER, parent_turn INTEGER, steps INTEGER NOT NULL DEFAULT 0, tool_calls INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0, cost_usd REAL, report TEXT NOT NULL DEFAULT '',
  repaired INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
INSERT INTO gb_agent_research_runs (id, objective, loop, user_id, status, limits, created_at, updated_at)
VALUES (4, 'who?', 'simple', 'ann', 'completed', '{}', '2024-05-06T07:08:09+02:00', '2024-05-06T07:08:10+02:00');
"""


def old_database(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def dump(path: Path) -> list[str]:
    """Everything that the database holds, as SQL."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("script", [OLD, NEARLY])
def test_old_runs_table_is_upgraded_with_its_rows(tmp_path: Path, script: str) -> None:
    """The new columns are there, '' for old rows; the rest of each row is what it was."""
    path = tmp_path / "old.db"
    old_database(path, script)
    with Store(path) as store:
        row = store.run_row(4)
    assert row["notes_id"] == row["phase"] == row["stop_reason"] == ""
    assert (row["objective"], row["status"], row["loop"], row["limits"]) == ("who?", "completed", "simple", "{}")
    assert row["created_at"].isoformat().startswith("2024-05-06T0")
    assert set(row) == set(metadata.tables[fx.RUNS].columns.keys())


def test_old_rows_keep_every_value(tmp_path: Path) -> None:
    """Numbers, unknown cost, hostile user ids and old ways to write a time survive."""
    old_database(tmp_path / "old.db", OLD)
    with Store(tmp_path / "old.db") as store:
        first, second = store.runs()
        state = store.rows(4, fx.STATES)[0]
    assert (first["user_id"], first["steps"], first["tool_calls"], first["tokens"], first["cost_usd"]) == (
        "é/..",
        7,
        8,
        9,
        0.25,
    )
    assert first["created_at"].isoformat() == "2024-05-06T07:08:09+00:00"
    assert second["cost_usd"] is None
    assert second["created_at"].isoformat() == "2024-05-06T07:08:09.123456+00:00"
    assert (state["state"], state["detail"], state["question_id"], state["turn"]) == ("thinking", "x", "", 0)


@pytest.mark.parametrize("script", ["", OLD, NEARLY])
def test_second_start_changes_nothing(tmp_path: Path, script: str) -> None:
    """Starting again on the same database writes not one row."""
    path = tmp_path / "old.db"
    old_database(path, script)
    Store(path).close()
    once = dump(path)
    Store(path).close()
    assert dump(path) == once


@pytest.mark.parametrize("script", ["", OLD, NEARLY])
def test_every_migration_is_recorded_once(tmp_path: Path, script: str) -> None:
    """New and old databases name the same migrations and have the same tables."""
    old_database(tmp_path / "old.db", script)
    with Store(tmp_path / "old.db") as store, store.engine.connect() as connection:
        names = connection.exec_driver_sql("SELECT name FROM gb_agent_migrations").scalars().all()
        tables = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars().all()
    assert sorted(names) == sorted(migrations.STEPS)
    assert set(metadata.tables) <= set(tables)


@pytest.mark.parametrize("script", [OLD, NEARLY])
def test_upgraded_database_takes_new_runs(tmp_path: Path, script: str) -> None:
    """A whole history can be written, compared, copied and deleted on an old database."""
    old_database(tmp_path / "old.db", script)
    steps = history([(n, n, n) for n in range(26)])
    with Store(tmp_path / "old.db") as store:
        run_id = store.create(steps[0].event, steps[0].effects, steps[0].chain)
        for seq, one in enumerate(steps[1:], 2):
            store.append(run_id, seq, one.event, one.effects, one.chain, turn=seq, worker="w")
        expected = fx.tables(all_effects(steps))
        assert store.verify_tables(run_id, expected) == []
        assert store.verify_tables(store.copy_prefix(run_id, len(steps), all_effects(steps)), expected) == []
        store.delete(run_id)
        assert store.run_row(4)["objective"] == "who?"


@pytest.mark.parametrize(("column", "value"), [("phase", "middle"), ("stop_reason", "bored")])
def test_added_columns_have_their_checks(tmp_path: Path, column: str, value: str) -> None:
    """A word outside the vocabulary is refused by the upgraded table too."""
    old_database(tmp_path / "old.db", OLD)
    Store(tmp_path / "old.db").close()
    with (
        closing(sqlite3.connect(tmp_path / "old.db")) as connection,
        pytest.raises(sqlite3.IntegrityError, match="CHECK"),
    ):
        connection.execute(f"UPDATE {fx.RUNS} SET {column} = '{value}'")


def test_half_done_upgrade_is_finished(tmp_path: Path) -> None:
    """After a kill between two migrations the next start does the rest."""
    path = tmp_path / "old.db"
    old_database(
        path,
        OLD + f"ALTER TABLE {fx.RUNS} ADD COLUMN notes_id TEXT NOT NULL DEFAULT '';"
        f"UPDATE {fx.RUNS} SET notes_id = 'kept' WHERE id = 4;",
    )
    with Store(path) as store:
        assert [row["notes_id"] for row in store.runs()] == ["kept", ""]
        assert store.run_row(9)["stop_reason"] == ""
