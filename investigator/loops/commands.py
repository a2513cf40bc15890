"""What `decide` may tell the driver to do."""

from __future__ import annotations

from dataclasses import dataclass

from investigator.core.vocab import TurnKind
from investigator.core.wire import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class CallModel:
    """Ask the model; ``attempt`` counts from 1 within the turn."""

    request: Request
    turn: int
    attempt: int
    kind: TurnKind
    question: str
    reserved_tokens: int
    reserved_cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """``act`` is a person's act number, 0 for a model's call, whose key is (turn, position)."""

    turn: int
    position: int
    act: int
    query: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    turn: int
    position: int
    act: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    turn: int
    position: int
    act: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nothing for this worker now; others work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The run has ended or is paused."""


Command = CallModel | Search | Fetch | Query | Wait | Done
