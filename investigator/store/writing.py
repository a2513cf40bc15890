"""Writing a log: an event, the page it brought and its effects, within a transaction that the caller holds."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, bindparam, literal, select
from sqlalchemy.sql.dml import Delete, Insert

from investigator.core import effects as fx
from investigator.core import events as log
from investigator.core.effects import Drop, Effect, Put
from investigator.core.events import Event, Observed
from investigator.errors import SequenceConflict, StoreError
from investigator.store import dialects
from investigator.store.dialects import Backend
from investigator.store.tables import attempts, events, metadata, pages, runs

CHUNK = 500  # bound values of one statement, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event to append, with what it changed and the hash of the chain after it."""

    event: Event
    effects: Sequence[Effect]
    chain: str
    turn: int = 0
    worker: str = ""


def new_run(connection: Connection, effects: Iterable[Effect]) -> int:
    """The id of a new run whose row is among the effects."""
    row = next((one.row for one in effects if isinstance(one, Put) and one.table == fx.RUNS), None)
    if row is None:
        raise ValueError("the effects of a run's first event hold no row of the run")
    key = connection.execute(runs.insert(), dict(row)).inserted_primary_key
    if key is None:
        raise StoreError("the database gave no id to a new run")
    return int(key[0])


def append(connection: Connection, backend: Backend, run_id: int, seq: int, entry: Entry) -> None:
    """Write one event and everything that follows from it."""
    event = entry.event
    row = {
        "run_id": run_id, "seq": seq, "turn": entry.turn, "worker": entry.worker, "kind": event.kind,
        "payload": log.dumps(event), "chain_sha256": entry.chain, "at": event.at,
    }  # fmt: skip
    # The first statement, so that a lost race writes nothing.
    if not connection.execute(_insert_new(backend, events.name), row).rowcount:
        raise SequenceConflict(f"event {seq} of run {run_id} was appended by another process")
    if seq > 1 and not _has(connection, run_id, seq - 1):
        raise StoreError(f"event {seq} of run {run_id} would leave a gap: there is no event {seq - 1}")
    if isinstance(event, Observed) and event.page is not None:
        page = {
            "run_id": run_id, "sha256": event.page.sha256, "url": event.page.url, "title": event.page.title,
            "text": event.text, "fetched_at": event.at,
        }  # fmt: skip
        connection.execute(_insert_new(backend, pages.name), page)
    write(connection, backend, run_id, entry.effects)


def write(connection: Connection, backend: Backend, run_id: int, effects: Iterable[Effect]) -> None:
    """Carry out effects in their order; neighbours on one table go to the database as one set."""
    for (name, kind), group in groupby(effects, lambda one: (one.table, type(one))):
        if kind is Drop:
            connection.execute(_drop(name), [_keys(run_id, one) for one in group if isinstance(one, Drop)])
            continue
        rows = [one.row for one in group if isinstance(one, Put)]
        if name == fx.RUNS:
            connection.execute(runs.update().where(runs.c.id == run_id), dict(rows[-1]))
        else:
            connection.execute(_put(backend, name), [_bound(run_id, name, one) for one in rows])


def copy_log(connection: Connection, run_id: int, upto_seq: int, new_id: int) -> None:
    """Give events 1..``upto_seq`` and the pages they name to another run too."""
    prefix = (events.c.run_id == run_id, events.c.seq <= upto_seq)
    shas = list(dict.fromkeys(_page_hashes(connection, *prefix)))
    _copy(connection, events.name, new_id, *prefix)
    for start in range(0, len(shas), CHUNK):
        _copy(connection, pages.name, new_id, pages.c.run_id == run_id, pages.c.sha256.in_(shas[start : start + CHUNK]))
    if not _has(connection, new_id, upto_seq):
        raise StoreError(f"run {run_id} has no event {upto_seq}, so it cannot be copied up to there")


def _page_hashes(connection: Connection, *prefix: Any) -> Iterator[str]:
    query = select(events.c.payload).where(*prefix, events.c.kind == Observed.kind).order_by(events.c.seq)
    for payload in connection.execute(query).scalars():
        page = json.loads(payload)["page"]
        if page is not None:
            yield page["sha256"]


def _copy(connection: Connection, name: str, new_id: int, *where: Any) -> None:
    table = metadata.tables[name]
    others = [one for one in table.columns if one.name != "run_id"]
    query = select(literal(new_id), *others).where(*where)
    connection.execute(table.insert().from_select(["run_id", *(one.name for one in others)], query))


def _has(connection: Connection, run_id: int, seq: int) -> bool:
    query = select(events.c.seq).where(events.c.run_id == run_id, events.c.seq == seq)
    return connection.execute(query).first() is not None


def _bound(run_id: int, name: str, row: fx.Row) -> dict[str, Any]:
    bound = {**row, "run_id": run_id}
    return {**bound, "b_run": run_id, "b_attempt": row["attempt_n"]} if name == fx.CHALLENGES else bound


def _keys(run_id: int, one: Drop) -> dict[str, Any]:
    named = zip(fx.PRIMARY_KEYS[one.table], one.key, strict=True)
    return {"b_run": run_id, **{f"b_{name}": value for name, value in named}}


# Statements are made once, so that SQLAlchemy finds what it has compiled.


@functools.cache
def _insert_new(backend: Backend, name: str) -> Insert:
    table = metadata.tables[name]
    statement: Insert = backend.insert(table).on_conflict_do_nothing(index_elements=list(table.primary_key))
    return statement


@functools.cache
def _put(backend: Backend, name: str) -> Insert:
    given = {}
    if name == fx.CHALLENGES:
        search = (attempts.c.run_id == bindparam("b_run"), attempts.c.n == bindparam("b_attempt"))
        given["attempt_id"] = select(attempts.c.id).where(*search).scalar_subquery()
    return dialects.put(backend.insert, metadata.tables[name], ("run_id", *fx.PRIMARY_KEYS[name]), given)


@functools.cache
def _drop(name: str) -> Delete:
    table = metadata.tables[name]
    own = [table.c[one] == bindparam(f"b_{one}") for one in fx.PRIMARY_KEYS[name]]
    return table.delete().where(table.c.run_id == bindparam("b_run"), *own)
