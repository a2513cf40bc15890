"""Compares the tables of a run with what its log says they must hold. Only reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, select

from investigator.core.effects import PRIMARY_KEYS, RUNS, Key, Row
from investigator.store.columns import UtcTime, as_utc
from investigator.store.tables import metadata

SHOWN = 80


def differences(connection: Connection, run_id: int, expected: Mapping[str, Mapping[Key, Row]]) -> list[str]:
    """Each difference as one sentence, in the order of the tables."""
    found: list[str] = []
    for name in PRIMARY_KEYS:
        stored = _stored(connection, metadata.tables[name], run_id)
        found.extend(_compare(metadata.tables[name], expected.get(name, {}), stored))
    return found


def _stored(connection: Connection, table: Table, run_id: int) -> dict[Key, Mapping[str, Any]]:
    own = table.c.id if table.name == RUNS else table.c.run_id
    rows = connection.execute(select(table).where(own == run_id)).mappings()
    keys = PRIMARY_KEYS[table.name]
    return {tuple(row[one] for one in keys): dict(row) for row in rows}


def _compare(table: Table, expected: Mapping[Key, Row], stored: Mapping[Key, Mapping[str, Any]]) -> Iterator[str]:
    for key, row in expected.items():
        if key not in stored:
            yield f"{_name(table, key)} is missing; the log has it"
            continue
        for column, value in row.items():
            wanted = as_utc(value) if value is not None and isinstance(table.c[column].type, UtcTime) else value  # type: ignore[arg-type]
            if stored[key][column] != wanted:
                yield (
                    f"{_name(table, key)}: {column} is {_short(stored[key][column])} in the table"
                    f" and {_short(wanted)} by the log"
                )
    for key in stored:
        if key not in expected:
            yield f"{_name(table, key)} is in the table; the log does not have it"


def _name(table: Table, key: Key) -> str:
    return f"{table.name} {' '.join(str(one) for one in key)}".rstrip()


def _short(value: object) -> str:
    spelt = repr(value) if isinstance(value, str) else str(value)
    return spelt if len(spelt) <= SHOWN else f"{spelt[: SHOWN - 1]}…"
