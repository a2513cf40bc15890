"""The kinds of column of the store: any text, UTC times, closed vocabularies. Every column is made with its comment.

Knows how a value lies in the database, nothing of what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import CheckConstraint, Column, DateTime, Dialect, Float, ForeignKeyConstraint, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from investigator.errors import StoreError

# U+FDD0 is a noncharacter: Unicode promises that no text uses it, so escapes with it are rare and never ambiguous.
_MARK = "\ufdd0"
_UNSAFE = re.compile("[\x00\ud800-\udfff\ufdd0]")
_ESCAPED = re.compile("\ufdd0([0-9a-f]{4})")

Default = str | None


class AnyText(TypeDecorator[str]):
    """Any Python string and the same string back.

    NUL ends a text for SQLite's own functions and is refused by PostgreSQL; a lone surrogate is refused by both
    drivers. Pages and models bring both. They lie in the table as U+FDD0 and four hex digits.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or not _UNSAFE.search(value):
            return value
        return _UNSAFE.sub(lambda found: f"{_MARK}{ord(found.group()):04x}", value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return value
        if not isinstance(value, str):  # SQLite's columns take anything
            raise StoreError(f"the store holds a {type(value).__name__} where a text must be; it is damaged")
        if _MARK not in value:
            return value
        return _ESCAPED.sub(lambda found: chr(int(found.group(1), 16)), value)


class UtcTime(TypeDecorator[datetime]):
    """An aware datetime in UTC, microseconds kept. ISO 8601 text may be given in its place.

    SQLite has no type for it: there it is text of one width, so that text order is the order of time.
    """

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | str | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        moment = as_utc(value)
        return moment.isoformat(timespec="microseconds") if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        try:
            return None if value is None else as_utc(value)
        except (TypeError, ValueError) as error:
            raise StoreError(f"the store holds {str(value)[:40]!r} where a time must be; it is damaged") from error


def as_utc(value: datetime | str) -> datetime:
    """The same moment in UTC; a time without a zone is taken as UTC.

    >>> as_utc("2026-01-02T03:04:05+02:00").isoformat()
    '2026-01-02T01:04:05+00:00'
    """
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def plain(name: str, comment: str, *, key: bool = False, null: bool = False, default: Default = None) -> Column[str]:
    """Text that code makes: ids, hashes, JSON."""
    return Column(name, Text, primary_key=key, nullable=null, server_default=default, comment=comment)


def anytext(name: str, comment: str, *, key: bool = False, null: bool = False, default: Default = None) -> Column[str]:
    """Text from outside."""
    return Column(name, AnyText, primary_key=key, nullable=null, server_default=default, comment=comment)


def number(name: str, comment: str, *, key: bool = False, null: bool = False, default: Default = None) -> Column[int]:
    """A whole number."""
    return Column(
        name, Integer, primary_key=key, nullable=null, server_default=default, comment=comment, autoincrement=False
    )


def real(name: str, comment: str, *, null: bool = False) -> Column[float]:
    return Column(name, Float(53), nullable=null, comment=comment)


def time(name: str, comment: str, *, null: bool = False) -> Column[datetime]:
    return Column(name, UtcTime, nullable=null, comment=comment)


def one_of(column: str, words: Iterable[str]) -> CheckConstraint:
    """The column holds one word of a closed vocabulary. The words are those of the code, never data."""
    spelt = ", ".join("'" + word.replace("'", "''") + "'" for word in words)
    return CheckConstraint(f"{column} IN ({spelt})", name=column)


def rule(name: str, sql: str) -> CheckConstraint:
    return CheckConstraint(sql, name=name)


def refers(columns: str, table: str, targets: str = "run_id id") -> ForeignKeyConstraint:
    """A foreign key that takes the row along when its target is deleted."""
    return ForeignKeyConstraint(columns.split(), [f"{table}.{one}" for one in targets.split()], ondelete="CASCADE")
