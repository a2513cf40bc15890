"""The limits of a run. Every number that ends, bounds or gates something, with its range and its meaning."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from investigator.core.vocab import Strategy
from investigator.errors import LimitError


def _limit(default: Any, low: float, high: float, unit: str, meaning: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "unit": unit, "meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits and thresholds of one run. A value out of range raises `LimitError`, naming the field and the range.

    >>> Limits().max_iterations
    60
    >>> Limits(max_depth=99)
    Traceback (most recent call last):
    ...
    investigator.errors.LimitError: max_depth must be from 1 to 10, got 99
    """

    max_depth: int = _limit(3, 1, 10, "levels", "deepest question; the root has depth 0")
    max_attempts: int = _limit(4, 1, 50, "attempts", "distinct reformulations of a question; then it is unresolvable")
    max_questions: int = _limit(40, 1, 100_000, "questions", "of a run, the root included")
    max_iterations: int = _limit(60, 1, 100_000, "turns", "of a run, one model call each")
    max_total_tokens: int | None = _limit(None, 1, 10**12, "tokens", "of a run, prompt and reply; none: no limit")
    max_cost_usd: float | None = _limit(None, 0, 10**9, "US dollars", "of a run; none: no limit")
    synthesis_reserve: float = _limit(0.15, 0, 0.9, "share", "of turns, tokens and cost, kept for the report")
    keep_turns: int = _limit(2, 1, 20, "turns", "last ones that a prompt shows raw")
    extraction_threshold: int = _limit(4000, 200, 10**7, "characters", "a longer page is read in a turn of its own")
    notes_max_tokens: int = _limit(6000, 200, 10**6, "tokens", "longer notes are shortened in a turn of its own")
    min_sources: int = _limit(5, 0, 1000, "sources", "distinct ones linked to claims, before exploration may end")
    min_domains: int = _limit(3, 0, 1000, "domains", "distinct ones among those sources")
    min_independent_sources: int = _limit(2, 1, 100, "origins", "independent ones that a claim needs to be VERIFIED")
    min_challenges: int = _limit(1, 0, 7, "challenges", "survived ones that a claim needs to be VERIFIED")
    max_challenges_per_target: int = _limit(3, 1, 7, "challenges", "on one claim, answer or conclusion")
    gate_priority: float = _limit(0.5, 0, 1, "priority", "pending questions from this one on hold the gate shut")
    max_reopens: int = _limit(1, 0, 10, "times", "that synthesis may go back to exploration")
    max_parallel: int = _limit(1, 1, 64, "questions", "in progress at a time, besides the root")
    require_quotes: bool = field(default=True, metadata={"meaning": "only located quotes count for verification"})
    text_independence: bool = field(default=True, metadata={"meaning": "pages that share text count as one origin"})
    strategies: tuple[Strategy, ...] = field(
        default=tuple(Strategy), metadata={"meaning": "challenge strategies that may be used"}
    )
    max_outside_calls: int = _limit(8, 1, 100, "calls", "searches, fetches and queries in one turn")
    result_chars: int = _limit(16000, 500, 10**6, "characters", "shown of a tool result; a longer page comes in parts")
    max_stalled_turns: int = _limit(8, 1, 1000, "turns", "in a row without progress; then exploration ends")
    max_retries: int = _limit(3, 0, 50, "rounds", "of the verified loop after the first verdict")
    max_steps: int = _limit(50, 1, 10_000, "steps", "of the verified loop")
    reply_tokens: int = _limit(4000, 16, 10**6, "tokens", "longest reply, sent as max tokens")

    def __post_init__(self) -> None:
        for one in dataclasses.fields(self):
            value = getattr(self, one.name)
            _check(one, value)
            if one.type in ("float", "float | None") and value is not None:
                # 1 and 1.0 are equal: one spelling, so that equal limits are also the same text of the log.
                object.__setattr__(self, one.name, float(value) + 0.0)

    @classmethod
    def narrow(cls, **changes: Any) -> Limits:
        """For small tasks: one source, one domain, 30 turns. The rule for VERIFIED stays.

        >>> Limits.narrow().min_sources, Limits.narrow(max_depth=2).max_depth
        (1, 2)
        """
        return cls(**{"min_sources": 1, "min_domains": 1, "max_iterations": 30, **changes})

    def replace(self, **changes: Any) -> Limits:
        """With some limits changed; an unknown name raises `LimitError`."""
        known = {one.name for one in dataclasses.fields(self)}
        for name in changes:
            if name not in known:
                raise LimitError(f"there is no limit {name!r}; the limits are {', '.join(sorted(known))}")
        return dataclasses.replace(self, **changes)

    @property
    def exploration_turns(self) -> int:
        """Turns that exploration may use; the rest is kept for the report."""
        return explored(self.max_iterations, self.synthesis_reserve)


def explored(limit: float, reserve: float) -> int:
    """floor(limit x (1 - reserve)), free of the rounding of binary fractions.

    >>> explored(60, 0.15), explored(100, 0.15)
    (51, 85)
    """
    return int(limit * (1 - reserve) + 1e-9)


def _check(one: dataclasses.Field[Any], value: Any) -> None:
    if one.name == "strategies":
        _check_strategies(value)
        return
    if one.name in ("require_quotes", "text_independence"):
        if not isinstance(value, bool):
            raise LimitError(f"{one.name} must be true or false, got {value!r}")
        return
    if value is None and one.default is None:
        return
    whole = one.type in ("int", "int | None")
    allowed: tuple[type, ...] = (int,) if whole else (int, float)
    low, high = one.metadata["low"], one.metadata["high"]
    if isinstance(value, bool) or not isinstance(value, allowed) or not low <= value <= high:
        kind = "a whole number " if whole and not isinstance(value, int) else ""
        raise LimitError(f"{one.name} must be {kind}from {low:g} to {high:g}, got {value!r}")


def _check_strategies(value: object) -> None:
    if not isinstance(value, tuple) or not value or any(one not in tuple(Strategy) for one in value):
        raise LimitError(f"strategies must be a non-empty tuple of {', '.join(Strategy)}, got {value!r}")
