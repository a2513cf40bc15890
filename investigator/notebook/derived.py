"""The columns of frames that no table holds: turns by state row, origins of a claim, turns put together from the log.

Pure: rows in, rows out. No pandas here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from investigator.core import claims as ledger_rules
from investigator.core import codec
from investigator.core import effects as fx
from investigator.core.claims import Claim, Ledger, Source, SourceLink
from investigator.core.limits import Limits
from investigator.core.notes import NotesError, parse
from investigator.core.vocab import AttemptKind, ClaimKind, ClaimStatus, QuestionStatus, Stance, Trigger
from investigator.core.wire import estimate_tokens

if TYPE_CHECKING:
    from investigator.notebook.frames import Reader

Rows = Iterable[Mapping[str, Any]]
EVENTS, PAGES = "gb_agent_events", "gb_agent_pages"
_DEAD = (QuestionStatus.PRUNED, QuestionStatus.UNRESOLVABLE)


def _questions(reader: Reader) -> Rows:
    """Attempts count since the last reopening: the first search and every accepted retry."""
    since = {
        row["question_id"]: row["created_at"]
        for row in reader.rows(fx.TRANSITIONS)
        if row["trigger"] == Trigger.REOPENED
    }
    kinds: dict[str, list[str]] = {}
    for row in reader.rows(fx.ATTEMPTS):
        begun = since.get(row["question_id"])
        if begun is None or row["created_at"] > begun:
            kinds.setdefault(row["question_id"], []).append(row["kind"])
    for row in reader.rows(fx.QUESTIONS):
        own = kinds.get(row["id"], [])
        yield {**row, "attempts": int(AttemptKind.SEARCH in own) + own.count(AttemptKind.RETRY)}


def _dependencies(reader: Reader) -> Rows:
    status = {row["id"]: row["status"] for row in reader.rows(fx.QUESTIONS)}
    for row in reader.rows(fx.DEPS):
        needed = status.get(row["depends_on_id"])
        yield {**row, "satisfied": needed == QuestionStatus.RESOLVED, "dead": needed in _DEAD}


def _attempts(reader: Reader) -> Rows:
    challenges = {row["attempt_n"]: row["id"] for row in reader.rows(fx.CHALLENGES) if row["attempt_n"] is not None}
    for row in reader.rows(fx.ATTEMPTS):
        yield {**row, "challenge_id": challenges.get(row["n"])}


def _with_turn(table: str) -> Callable[[Reader], Rows]:
    def rows(reader: Reader) -> Rows:
        turns = {row["seq"]: row["turn"] for row in reader.rows(fx.STATES)}
        for row in reader.rows(table):
            yield {**row, "turn": turns.get(row["state_seq"])}

    return rows


def _notes(reader: Reader) -> Rows:
    for row in _with_turn(fx.NOTES_VERSIONS)(reader):
        yield {**row, "tokens": estimate_tokens(row["content"])}


def _claims(reader: Reader) -> Rows:
    origins = _origins(reader)
    supports: dict[str, int] = {}
    for row in reader.rows(fx.CLAIM_SOURCES):
        if row["stance"] == Stance.SUPPORTS:
            supports[row["claim_id"]] = supports.get(row["claim_id"], 0) + 1
    closed = [row for row in reader.rows(fx.CHALLENGES) if row["outcome"] and row["claim_id"]]
    closed.sort(key=lambda row: row["closed_at"])
    checks = {row["claim_id"]: f"{row['id']}:{row['outcome']}" for row in closed}
    for row in reader.rows(fx.CLAIMS):
        mine = row["id"]
        carried = {"pages": supports.get(mine, 0), "origins": len(origins[mine])}
        yield {**row, **carried, "last_check": checks.get(mine)}


def _claim_sources(reader: Reader) -> Rows:
    origins = _origins(reader)
    for row in reader.rows(fx.CLAIM_SOURCES):
        groups = enumerate(origins[row["claim_id"]], 1)
        yield {**row, "origin": next((number for number, ids in groups if row["source_id"] in ids), None)}


def _origins(reader: Reader) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """The independent origins of every claim, by the rule that the run itself uses."""
    ledger = _ledger(reader)
    pages = {row["sha256"]: row["text"] for row in reader.rows(PAGES)}
    limits = Limits()
    for row in reader.rows(fx.RUNS):
        limits = codec.loads(Limits, row["limits"])
    return {one.id: ledger_rules.origins(ledger, one, pages, limits) for one in ledger.claims.values()}


def _ledger(reader: Reader) -> Ledger:
    links: dict[str, list[SourceLink]] = {}
    order = _noted_order(reader)
    for row in sorted(reader.rows(fx.CLAIM_SOURCES), key=lambda row: (order.get(_pair(row), -1), row["created_at"])):
        links.setdefault(row["claim_id"], []).append(_link(row))
    sources = (
        Source(id=row["id"], url=row["url"], domain=row["domain"], retracted=row["retracted"])
        for row in reader.rows(fx.SOURCES)
    )
    claims = (_claim(row, tuple(links.get(row["id"], ()))) for row in reader.rows(fx.CLAIMS))
    return Ledger(claims={one.id: one for one in claims}, sources={one.id: one for one in sources})


def _noted_order(reader: Reader) -> Mapping[tuple[str, str], int]:
    """The place of each link within its claim. The first support counts without a declaration, and links of one event
    have one time: only the notes keep their order."""
    versions = reader.rows(fx.NOTES_VERSIONS)
    try:
        noted = parse(versions[-1]["content"] if versions else "")
    except NotesError:
        return {}
    records = (*noted.verified, *noted.unverified, *noted.refuted, *noted.datapoints)
    return {(one.id, source): place for one in records for place, (source, _) in enumerate(one.sources)}


def _pair(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["claim_id"], row["source_id"]


def _claim(row: Mapping[str, Any], links: tuple[SourceLink, ...]) -> Claim:
    return Claim(
        id=row["id"], kind=ClaimKind(row["kind"]), text=row["text"], status=ClaimStatus(row["status"]),
        question_id=row["question_id"], links=links,
    )  # fmt: skip


def _link(row: Mapping[str, Any]) -> SourceLink:
    start, end = row["quote_start"], row["quote_end"]
    return SourceLink(
        source_id=row["source_id"], stance=Stance(row["stance"]), quote=row["quote"], page_sha256=row["page_sha256"],
        start=-1 if start is None else start, end=-1 if end is None else end, independent=bool(row["independent"]),
        why=row["declared_why"],
    )  # fmt: skip


def _pages(reader: Reader) -> Rows:
    sources = {row["url"]: row["id"] for row in reader.rows(fx.SOURCES)}
    seen = {}
    for row in reader.rows(EVENTS):
        page = json.loads(row["payload"]).get("page") if row["kind"] == "observed" else None
        if page:
            seen[page["sha256"]] = sources.get(page["canonical_url"])
    for row in reader.rows(PAGES):
        yield {**row, "source_id": seen.get(row["sha256"])}


def _turns(reader: Reader) -> Rows:
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for row in reader.rows(EVENTS):
        told = _TELL.get(row["kind"])
        if told is None:
            continue
        event = json.loads(row["payload"])
        key = (event["worker"], event["turn"])
        if row["kind"] == "turn_opened" and key not in found:
            found[key] = _opened(row, event)
        if key in found:  # what a person's act brought belongs to no turn
            told(found[key], event)
            found[key]["closed_at"] = row["at"]
    for one in found.values():
        yield {**one, "seconds": _seconds(one["opened_at"], one["closed_at"])}


_SECTIONS = {"system": "est_system", "tools": "est_tools", "task": "est_task", "notes": "est_notes",
             "frontier": "est_frontier", "turns": "est_recent", "instruction": "est_instruction"}  # fmt: skip


def _opened(row: Mapping[str, Any], event: Mapping[str, Any]) -> dict[str, Any]:
    sections = {column: event["sections"].get(name) for name, column in _SECTIONS.items()}
    return {
        "run_id": row["run_id"], "turn": event["turn"], "kind": event["turn_kind"], "worker": event["worker"],
        "question_id": event["question"], **sections, "reserved": None, "tokens_in": None, "tokens_out": None,
        "cost_usd": None, "tries": 0, "calls": None, "finish_reason": None, "error": None, "opened_at": row["at"],
    }  # fmt: skip


def _reserved(turn: dict[str, Any], event: Mapping[str, Any]) -> None:
    turn["reserved"] = event["reserved_tokens"]


def _replied(turn: dict[str, Any], event: Mapping[str, Any]) -> None:
    usage = event["usage"]
    turn |= {
        "tokens_in": usage["input_tokens"], "tokens_out": usage["output_tokens"], "cost_usd": usage["cost_usd"],
        "tries": turn["tries"] + event["tries"], "calls": len(event["calls"]),
        "finish_reason": event["finish_reason"], "error": None,
    }  # fmt: skip


def _failed(turn: dict[str, Any], event: Mapping[str, Any]) -> None:
    turn |= {"tries": turn["tries"] + event["tries"], "error": event["failure"]}


_TELL: Mapping[str, Callable[[dict[str, Any], Mapping[str, Any]], None]] = MappingProxyType(
    {
        "turn_opened": _reserved,
        "model_replied": _replied,
        "model_failed": _failed,
        "observed": lambda turn, event: None,
    }
)


def _seconds(begun: datetime | str, ended: datetime | str) -> float:
    start, end = (datetime.fromisoformat(one) if isinstance(one, str) else one for one in (begun, ended))
    return (end - start).total_seconds()


ROWS: Mapping[str, Callable[[Reader], Rows]] = MappingProxyType(
    {
        "questions": _questions,
        "dependencies": _dependencies,
        "attempts": _attempts,
        "transitions": _with_turn(fx.TRANSITIONS),
        "claims": _claims,
        "claim_transitions": _with_turn(fx.CLAIM_TRANSITIONS),
        "claim_sources": _claim_sources,
        "notes_versions": _notes,
        "turns": _turns,
        "pages": _pages,
    }
)
