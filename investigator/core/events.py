"""The events: everything that the outside world told a run, as a closed list of values. Their log is the authority.

Tool calls that only touch state need no event: their result follows from the reply that holds them.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from investigator.core import codec
from investigator.core.limits import Limits
from investigator.core.vocab import Loop, TurnKind
from investigator.core.wire import Failure, Hits, ToolCall, Usage, WorldFacts
from investigator.errors import CorruptLog

LOG_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened at ``at`` (ISO 8601, UTC): the only time the core sees."""

    kind: ClassVar[str] = ""
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A person asked. ``urls`` have provenance from the objective."""

    kind: ClassVar[str] = "run_started"
    objective: str
    loop: Loop
    limits: Limits
    user: str = "anon"
    notes_id: str = ""
    model: str = ""
    web: str = ""
    world: WorldFacts
    options: Mapping[str, str] = field(default_factory=dict)
    log_version: int = LOG_VERSION
    package_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunForked(Event):
    """The events before this one are copied from another run; from here on it goes its own way."""

    kind: ClassVar[str] = "run_forked"
    parent_run: int
    parent_turn: int
    notes_id: str
    limits: Limits
    model: str = ""
    web: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged(Event):
    """Limits hold from here on. Only a person changes them."""

    kind: ClassVar[str] = "settings_changed"
    limits: Limits
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOpened(Event):
    """The intention to call the model, committed before the call."""

    kind: ClassVar[str] = "turn_opened"
    worker: str
    turn: int
    attempt: int = 1
    turn_kind: TurnKind
    question: str = ""
    request_sha256: str = ""
    sections: Mapping[str, int] = field(default_factory=dict)
    reserved_tokens: int = 0
    reserved_cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReplied(Event):
    """What the model said, as received."""

    kind: ClassVar[str] = "model_replied"
    worker: str
    turn: int
    attempt: int = 1
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage
    tries: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed(Event):
    """A call failed for good, or its answer is unknown (``failure`` = ``lost``)."""

    kind: ClassVar[str] = "model_failed"
    worker: str
    turn: int
    attempt: int = 1
    failure: str
    message: str = ""
    tries: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSeen:
    """A fetched page without its text, which lies once in the pages table, keyed by ``sha256``."""

    url: str
    canonical_url: str
    domain: str
    title: str = ""
    published: str = ""
    unit: str = ""
    sha256: str
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed(Event):
    """What an outside call brought. Its key is (turn, position), or (act, position) for a person's."""

    kind: ClassVar[str] = "observed"
    worker: str
    turn: int
    position: int
    act: int = 0
    hits: Hits | None = None
    page: PageSeen | None = None
    failure: Failure | None = None
    text: str = field(default="", metadata=codec.STORED_ELSEWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanActed(Event):
    """A person made a move through the same tools. ``arguments`` is JSON text."""

    kind: ClassVar[str] = "human_acted"
    act: int
    tool: str
    arguments: str
    user: str = "anon"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLost(Event):
    """A worker's lease ran out; its question goes back to the queue."""

    kind: ClassVar[str] = "worker_lost"
    worker: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResumed(Event):
    kind: ClassVar[str] = "run_resumed"
    worker: str
    package_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStopped(Event):
    """The run pauses: an interrupt, or a failure that a person must mend."""

    kind: ClassVar[str] = "run_stopped"
    reason: str = "paused"
    error: str = ""


KINDS: dict[str, type[Event]] = {
    cls.kind: cls
    for cls in (
        RunStarted,
        RunForked,
        SettingsChanged,
        TurnOpened,
        ModelReplied,
        ModelFailed,
        Observed,
        HumanActed,
        WorkerLost,
        RunResumed,
        RunStopped,
    )
}


E = typing.TypeVar("E", bound=Event)


def dumps(event: Event) -> str:
    """The payload of an event as canonical JSON text (without its kind, without page text)."""
    return codec.dumps(event)


def as_logged(event: E) -> E:
    """The event as whoever reads the log gets it: what is applied now must be what is applied again later.

    Two lone surrogates in a row, which broken text from outside holds, are in JSON the character that they spell.

    >>> stopped = RunStopped(at="2026-01-01T00:00:00+00:00", error="\\ud83d" + "\\ude00")
    >>> as_logged(stopped).error == "\\N{GRINNING FACE}"
    True
    """
    payload = dumps(event)
    if "\\ud" not in payload:
        return event
    return typing.cast(E, loads(event.kind, payload, event.text if isinstance(event, Observed) else ""))


def loads(kind: str, payload: str, text: str = "") -> Event:
    """The event that `dumps` wrote; ``text`` is the page text of an ``observed`` page."""
    if kind not in KINDS:
        raise CorruptLog(f"the log holds an event of an unknown kind {kind!r}")
    data: dict[str, Any] = json.loads(payload)
    event: Event = codec.decode(KINDS[kind], data)
    if text and isinstance(event, Observed):
        return codec.decode(Observed, {**data, "text": text})  # type: ignore[no-any-return]
    return event
