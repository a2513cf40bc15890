"""Reading a log: stored rows to events, page texts put back. A log that cannot be read says at which event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from investigator.core import events as log
from investigator.core.events import Event, Observed
from investigator.errors import CorruptLog
from investigator.store.tables import events, pages

CHUNK = 500  # events of one query


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event as it lies in the log, the text of its page put back. ``at`` is aware, in UTC."""

    seq: int
    event: Event
    chain: str
    turn: int
    worker: str
    at: datetime


def chunk(connection: Connection, run_id: int, after: int) -> list[StoredEvent]:
    """At most `CHUNK` events behind number ``after``."""
    query = select(events).where(events.c.run_id == run_id, events.c.seq > after).order_by(events.c.seq).limit(CHUNK)
    rows = connection.execute(query).mappings().all()
    found = [_stored(row, run_id, after + place) for place, row in enumerate(rows, 1)]
    texts = _texts(connection, run_id, found)
    return [_with_text(one, run_id, texts) for one in found]


def _stored(row: Mapping[Any, Any], run_id: int, expected: int) -> StoredEvent:
    if row["seq"] != expected:
        raise CorruptLog(f"event {expected} of run {run_id} is missing from the log")
    try:
        event = log.loads(row["kind"], row["payload"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptLog(f"event {expected} of run {run_id} cannot be read: {error}") from error
    return StoredEvent(
        seq=expected, event=event, chain=row["chain_sha256"], turn=row["turn"], worker=row["worker"], at=row["at"]
    )


def _page_hash(event: Event) -> str:
    return event.page.sha256 if isinstance(event, Observed) and event.page is not None else ""


def _texts(connection: Connection, run_id: int, found: Sequence[StoredEvent]) -> dict[str, str]:
    shas = {_page_hash(one.event) for one in found} - {""}
    if not shas:
        return {}
    query = select(pages.c.sha256, pages.c.text).where(pages.c.run_id == run_id, pages.c.sha256.in_(sorted(shas)))
    return {row.sha256: row.text for row in connection.execute(query)}


def _with_text(one: StoredEvent, run_id: int, texts: Mapping[str, str]) -> StoredEvent:
    sha = _page_hash(one.event)
    if not sha or not isinstance(one.event, Observed):
        return one
    if sha not in texts:
        raise CorruptLog(f"the page that event {one.seq} of run {run_id} brought ({sha[:12]}…) is gone")
    return replace(one, event=replace(one.event, text=texts[sha]))
