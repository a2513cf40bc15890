"""Named migrations. All run on every start, each in a transaction with its record; what is done already is left alone.

`CREATE TABLE` never changes a table that exists, so a column that a table got later is added here to older databases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from sqlalchemy import CheckConstraint, Column, Connection, Engine, Table, inspect, select
from sqlalchemy.schema import CreateColumn

from investigator.core import effects
from investigator.errors import StoreUnavailable
from investigator.store.columns import UtcTime
from investigator.store.tables import metadata, migrations

# What rows of older databases hold in columns that they lack and that have no default.
_FILL = {
    "objective": "", "loop": "simple", "user_id": "anon", "status": "completed", "limits": "{}", "state": "researching",
}  # fmt: skip
_LONG_AGO = "1970-01-01T00:00:00.000000+00:00"

Statements = Callable[[Connection], list[str]]


def migrate(engine: Engine, writer: Engine) -> None:
    """Bring the database up to date. Nothing is written when there is nothing to do."""
    with engine.connect() as connection:
        due = _missing_tables(connection) or any(_due(connection, name) for name in STEPS)
    if not due:
        return
    with writer.begin() as connection:
        metadata.create_all(connection)
    for name in STEPS:
        with writer.begin() as connection:
            _carry_out(connection, name)


def check(engine: Engine) -> None:
    """`StoreUnavailable` when the database is another program's, or a table bears our name only. Only reads."""
    with engine.connect() as connection:
        found = inspect(connection)
        others = sorted(set(found.get_table_names()) - set(metadata.tables))
        if others and effects.RUNS not in found.get_table_names():
            named = ", ".join(others[:3]) + (", …" if others[3:] else "")
            raise StoreUnavailable(f"it holds the tables of another program ({named}); name another file")
        for name in sorted(set(found.get_table_names()) & set(metadata.tables)):
            there = {one["name"] for one in found.get_columns(name)}
            lacking = [one.name for one in metadata.tables[name].primary_key if one.name not in there]
            if lacking:
                raise StoreUnavailable(f"its table {name} is not one of ours: it has no column {', '.join(lacking)}")


def _missing_tables(connection: Connection) -> bool:
    return bool(set(metadata.tables) - set(inspect(connection).get_table_names()))


def _due(connection: Connection, name: str) -> bool:
    return not _recorded(connection, name) or bool(STEPS[name](connection))


def _recorded(connection: Connection, name: str) -> bool:
    return connection.execute(select(migrations.c.name).where(migrations.c.name == name)).first() is not None


def _carry_out(connection: Connection, name: str) -> None:
    """What is to be done is found out again here, with the write lock: another process may have been first."""
    for statement in STEPS[name](connection):
        connection.exec_driver_sql(statement)
    if not _recorded(connection, name):
        connection.execute(migrations.insert().values(name=name, applied_at=datetime.now(UTC)))


def add_runs_notes_id(connection: Connection) -> list[str]:
    """The random id of the notes file; '' for runs made before."""
    return _add(connection, effects.RUNS, ["notes_id"])


def add_runs_phase(connection: Connection) -> list[str]:
    """Exploration or synthesis; '' for runs made before."""
    return _add(connection, effects.RUNS, ["phase"])


def add_runs_stop_reason(connection: Connection) -> list[str]:
    """Why the run ended; '' for runs made before."""
    return _add(connection, effects.RUNS, ["stop_reason"])


def add_runs_columns(connection: Connection) -> list[str]:
    """Every other column of a run that an older table lacks."""
    return _add(connection, effects.RUNS, metadata.tables[effects.RUNS].columns.keys())


def add_states_columns(connection: Connection) -> list[str]:
    """Columns of the states table, and its key if an older table has another one."""
    statements = _add(connection, effects.STATES, metadata.tables[effects.STATES].columns.keys())
    found = inspect(connection)
    keys: list[Sequence[str | None]] = [found.get_pk_constraint(effects.STATES)["constrained_columns"]]
    keys += [one["column_names"] for one in found.get_indexes(effects.STATES) if one["unique"]]
    keys += [one["column_names"] for one in found.get_unique_constraints(effects.STATES)]
    if ["run_id", "seq"] not in keys:
        statements.append(f"CREATE UNIQUE INDEX ux_{effects.STATES}_seq ON {effects.STATES} (run_id, seq)")
    return statements


STEPS: dict[str, Statements] = {
    one.__name__: one
    for one in (add_runs_notes_id, add_runs_phase, add_runs_stop_reason, add_runs_columns, add_states_columns)
}


def _add(connection: Connection, name: str, columns: Iterable[str]) -> list[str]:
    """One ALTER for each of these columns that the table lacks."""
    table = metadata.tables[name]
    there = {one["name"] for one in inspect(connection).get_columns(name)}
    lacking = (table.columns[one] for one in columns if one not in there)
    return [f"ALTER TABLE {name} ADD COLUMN {_definition(connection, table, one)}" for one in lacking]


def _definition(connection: Connection, table: Table, column: Column[object]) -> str:
    default = column.server_default.arg if column.server_default is not None else None  # type: ignore[attr-defined]
    if default is None and not column.nullable:
        default = _LONG_AGO if isinstance(column.type, UtcTime) else _FILL.get(column.name, "0")
    copy: Column[object] = Column(column.name, column.type, nullable=column.nullable, server_default=default)
    spelt = str(CreateColumn(copy).compile(dialect=connection.dialect))
    checks = [one for one in table.constraints if isinstance(one, CheckConstraint)]
    own = [one for one in checks if one.name == f"ck_{table.name}_{column.name}"]
    return " ".join([spelt, *(f"CHECK ({one.sqltext})" for one in own)])
