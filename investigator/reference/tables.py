"""The page of the tables: every column of the store with its type and its meaning."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Table

from investigator.reference.markdown import page, table
from investigator.store.tables import metadata


def tables() -> str:
    """All tables of the store as a page of Markdown."""
    return page(
        "# Tables",
        "One schema for SQLite and PostgreSQL. Times are UTC. The log, `gb_agent_events`, is the authority; the other "
        "tables are what it comes to, and `investigator verify` holds them against it.",
        *(_table(one) for one in metadata.sorted_tables),
    )


def _table(one: Table) -> str:
    key = {column.name for column in one.primary_key.columns}
    rows = [
        [f"**{column.name}**" if column.name in key else column.name, _type(column), column.comment or ""]
        for column in one.columns
    ]
    rules = sorted(" ".join(str(rule.sqltext).split()) for rule in one.constraints if isinstance(rule, CheckConstraint))
    checks = "\n".join(f"- `{rule}`" for rule in rules)
    parts = [
        f"## {one.name}",
        f"{str(one.comment)[:1].upper()}{str(one.comment)[1:]}.",
        table(["column", "type", "meaning"], rows),
    ]
    return "\n\n".join([*parts, f"Checked:\n\n{checks}"] if checks else parts)


def _type(column: Any) -> str:
    words = {"INTEGER": "whole number", "BIGINT": "whole number", "FLOAT": "number", "DOUBLE": "number", "TEXT": "text"}
    name = str(column.type).upper()
    shown = words.get(name, name.lower())
    return f"{shown} or NULL" if column.nullable else shown
