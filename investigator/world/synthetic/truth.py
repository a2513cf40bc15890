"""What is true in a synthetic world, and which page says what about it.

Knows addresses and values; must not know prose, search or an agent. Metrics read it, the agent never does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from investigator.errors import UnknownName


class Role(StrEnum):
    """What a page does for a fact."""

    GOLD = "gold"
    WRONG = "wrong"
    STALE = "stale"
    LIMITS = "limits"
    NEAR = "near"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that can be asked of the world.

    Attributes:
        name: its key, for instance ``opening``.
        value: the true value as it stands on pages; ``unit`` is empty where it has none.
        gold: addresses of pages that state the true value.
        wrong_value, wrong: what some pages state instead, and where.
        stale_value, stale: what was true once, and where it still stands.
        copies: addresses among ``wrong`` that share one text: one origin, however many.
        scope, limits: what the value holds for, and the pages that say so.
        near: pages about the fact that do not state it.
    """

    name: str
    subject: str
    relation: str
    question: str
    value: str
    unit: str = ""
    gold: tuple[str, ...] = ()
    wrong_value: str = ""
    wrong: tuple[str, ...] = ()
    stale_value: str = ""
    stale: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    scope: str = ""
    limits: tuple[str, ...] = ()
    near: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether any page states the value. If not, the honest answer is a gap."""
        return bool(self.gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Every fact of a world, and its traps: unreadable pages, pages with orders, where those orders lead."""

    facts: tuple[Fact, ...]
    broken: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    def fact(self, name: str) -> Fact:
        """The fact of this name; `UnknownName` lists the others."""
        for one in self.facts:
            if one.name == name:
                return one
        raise UnknownName(f"no fact {name!r} in this world; it has: {', '.join(one.name for one in self.facts)}")

    @property
    def gaps(self) -> tuple[Fact, ...]:
        """The facts that no page states."""
        return tuple(one for one in self.facts if not one.answered)
