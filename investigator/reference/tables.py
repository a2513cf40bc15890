"""The page of the tables: every column of the store with its type and its meaning."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Table

from investigator.reference.markdown import page, table
from investigator.store.tables import metadata


def tables() -> str:
    """All tables of the store as a page of Markdown."""
    return page(
        "# Tables",
        "One schema for SQLite and PostgreSQL. Times are UTC. The log, `gb_agent_events`, is the authority; the other "
        "tables are what it comes to, and `investigator verify` holds them against it. Columns in bold are the key.",
        *(_table(one) for one in metadata.sorted_tables),
    )


def _table(one: Table) -> str:
    key = {column.name for column in one.primary_key.columns}
    rows = [
        [f"**{column.name}**" if column.name in key else column.name, _type(column), column.comment or ""]
        for column in one.columns
    ]
    rules = sorted(" ".join(str(rule.sqltext).split()) for rule in one.constraints if isinstance(rule, CheckConstraint))
    checks = "\n".join([*(f"- `{rule}`" for rule in rules), *_references(one)])
    parts = [
        f"## {one.name}",
        f"{str(one.comment)[:1].upper()}{str(one.comment)[1:]}.",
        table(["column", "type", "meaning"], rows),
    ]
    return "\n\n".join([*parts, f"Checked:\n\n{checks}"] if checks else parts)


def _references(one: Table) -> list[str]:
    """What a row of this table cannot be without, one line a foreign key."""
    keys = [rule for rule in one.constraints if isinstance(rule, ForeignKeyConstraint)]
    return sorted(f"- `{', '.join(key.column_keys)}` names a row of `{key.referred_table.name}`" for key in keys)


def _type(column: Any) -> str:
    words = {
        "INTEGER": "whole number", "BIGINT": "whole number", "FLOAT": "number", "DOUBLE": "number", "TEXT": "text",
        "DATETIME": "time",
    }  # fmt: skip
    name = str(column.type).upper()
    shown = words.get(name, name.lower())
    return f"{shown} or NULL" if column.nullable else shown
