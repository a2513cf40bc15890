"""The shapes that cross to the outside world and back: requests, replies, hits, pages, failures.

Knows no model, no server and no database. Everything that arrives in these shapes is untrusted text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What the model is told of a tool. ``parameters`` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call as received: ``arguments`` is the raw text, which may be no JSON at all."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a prompt. ``calls`` only on assistant messages, ``call_id`` only on tool messages."""

    role: Role
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a model is asked.

    ``tool_choice`` is ``auto``, ``none`` or the name of the one tool that must be called. ``sections`` is the
    estimate in tokens of each part of the prompt (system, tools, task, notes, frontier, turns, instruction).
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str = "auto"
    max_tokens: int = 4000
    sections: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """Estimated prompt tokens."""
        return sum(self.sections.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one reply. ``cost_usd`` is None when no price is known; ``estimated`` when the server told none."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model said: text and calls as received, nothing repaired."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    tries: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The world did not deliver. ``kind`` is closed; ``message`` is one sentence for the model and the person.

    Kinds: not_found, refused, timeout, rate_limited, unavailable, unreadable, too_large, bad_request.
    """

    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result. ``url`` is what ``fetch`` takes; ``published`` is ISO date text or ''."""

    url: str
    title: str = ""
    snippet: str = ""
    domain: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """A search that worked, perhaps with nothing found. ``provider`` names who answered."""

    hits: tuple[Hit, ...]
    provider: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page that was read.

    Attributes:
        url: where it was found in the end (after redirects), or ``doc:<path>`` for a local document.
        canonical_url: the url that identifies the source; one source per canonical url.
        domain: registrable domain, or what stands for it; whoever shares it counts as one voice.
        text: the whole readable text. ``\\f`` separates pages when ``unit`` is ``page``.
        unit: how a place in it is named to a person: ``line``, ``page``, ``paragraph`` or ''.
        links: absolute urls that stand on it (they may be fetched afterwards).
    """

    url: str
    canonical_url: str
    domain: str
    title: str = ""
    published: str = ""
    text: str
    unit: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a knowledge source answered to ``query``."""

    text: str
    provider: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldFacts:
    """What a world says of itself. ``pages`` and ``domains`` are None when it cannot tell."""

    name: str
    pages: int | None = None
    domains: int | None = None
    demo: bool = False
    knowledge: bool = False


def estimate_tokens(text: str) -> int:
    """Characters / 4, rounded up: an estimate that needs no tokenizer and no download.

    >>> estimate_tokens("12345")
    2
    """
    return math.ceil(len(text) / 4)
