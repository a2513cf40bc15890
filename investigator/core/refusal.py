"""A refusal: a move that the rules do not allow, as a value. Bugs raise; a refusal is shown to the model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Its kind (a stable word), the sentence the model sees, and what to do instead."""

    kind: str
    text: str
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.instead}".strip()
