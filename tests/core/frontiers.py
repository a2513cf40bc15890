"""Small frontiers for tests: each move made, and its transitions kept."""

from __future__ import annotations

from typing import Any

from investigator.core import frontier_moves as moves
from investigator.core.frontier import Frontier, Question
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.transitions import Transition
from investigator.core.vocab import Actor


class Desk:
    """A frontier, its limits and all transitions so far. A move that must work goes through `did`."""

    def __init__(self, **limits: Any) -> None:
        self.limits = Limits(**limits)
        self.frontier, made = moves.start("objective", "t0")
        self.made: list[Transition] = list(made)
        self.clock = 0

    def at(self) -> str:
        self.clock += 1
        return f"t{self.clock}"

    def __getitem__(self, question_id: str) -> Question:
        return self.frontier.questions[question_id]

    def took(self, done: tuple[Frontier, tuple[Transition, ...]] | Refusal) -> tuple[Transition, ...]:
        """The transitions of a move that worked; the frontier is now what it made."""
        assert not isinstance(done, Refusal), done
        self.frontier = done[0]
        self.made.extend(done[1])
        return done[1]

    def add(self, text: str, parent: str = "q_001", priority: float = 0.5, **more: Any) -> str:
        added = self.try_add(text, parent, priority, **more)
        assert not isinstance(added, Refusal), added
        self.frontier = added[0]
        self.made.extend(added[2])
        return added[1].id

    def try_add(self, text: str, parent: str = "q_001", priority: float = 0.5, **more: Any) -> Any:
        given = {"actor": Actor.AGENT, "limits": self.limits, "at": self.at(), **more}
        return moves.add(self.frontier, parent_id=parent, text=text, priority=priority, **given)

    def select(self, worker: str = "w1") -> str:
        taken = moves.select(self.frontier, worker=worker, at=self.at())
        if taken is None:
            return ""
        self.frontier = taken[0]
        self.made.extend(taken[2])
        return taken[1].id

    def resolve(self, one: str, actor: Actor = Actor.AGENT) -> Any:
        return moves.resolve(
            self.frontier, one, answer="yes", claim_ids=["c_001"], waivers={}, actor=actor, caused_by="", at=self.at()
        )

    def retry(self, one: str, query: str, assumption: str = "") -> Any:
        return moves.retry(
            self.frontier,
            one,
            query=query,
            why="nothing found",
            assumption=assumption,
            actor=Actor.AGENT,
            limits=self.limits,
            turn=1,
            at=self.at(),
        )

    def reopen(self, one: str, **more: Any) -> Any:
        return moves.reopen(self.frontier, one, "found more", actor=Actor.AGENT, caused_by="", at=self.at(), **more)

    def prune(self, one: str, actor: Actor = Actor.AGENT) -> Any:
        return moves.prune_branch(self.frontier, one, "idle", actor=actor, at=self.at())

    def prioritize(self, one: str, priority: float) -> Any:
        return moves.set_priority(self.frontier, one, priority, "it matters", actor=Actor.AGENT, at=self.at())

    def reblock(self) -> tuple[Transition, ...]:
        return self.took(moves.reblock(self.frontier, at=self.at()))


def refusal(done: Any) -> Refusal:
    """The refusal that a move must have come back with."""
    assert isinstance(done, Refusal), done
    return done


def triggers(made: tuple[Transition, ...]) -> list[tuple[str, str, str]]:
    """(question, trigger, actor) of each transition."""
    return [(one.question_id, str(one.trigger), str(one.actor)) for one in made]
