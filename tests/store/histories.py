"""Histories of a run, built from small numbers with the moves of core: what the store's tests append and compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from history_moves import HOSTILE, LIMITS, MOVES

from investigator.core import effects as fx
from investigator.core import frontier_moves as fm
from investigator.core import state as st
from investigator.core import vocab as v
from investigator.core.events import Event, ModelReplied, RunStarted
from investigator.core.state import State
from investigator.core.wire import Usage, WorldFacts

Numbers = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One event of a history: what it is, the state after it, what it changed and the hash after it."""

    event: Event
    state: State
    effects: tuple[fx.Effect, ...]
    chain: str
    notes: str = ""


def at(number: int) -> str:
    """The time of an event: a fraction of a second each, with microseconds."""
    return (
        f"2026-03-01T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000{number % 1000:03d}+00:00"
    )


def started(objective: str = "what is true?", user: str = "ann") -> Step:
    """The first event of a run."""
    world = WorldFacts(name="demo", pages=10)
    event = RunStarted(
        at=at(1),
        objective=objective,
        loop=v.Loop.INVESTIGATIVE,
        limits=LIMITS,
        user=user,
        notes_id="0" * 32,
        world=world,
    )
    run = st.Run(
        objective=objective,
        loop=v.Loop.INVESTIGATIVE,
        user=user,
        notes_id="0" * 32,
        model="offline",
        web="demo",
        world=world,
        started_at=at(1),
    )
    frontier, made = fm.start(objective, at(1))
    blank = State(run=run, limits=LIMITS, frontier=frontier, at=at(1), seq=1)
    state = st.moved(blank, frontier, made)
    effects = fx.diff(None, state)
    return Step(event=event, state=state, effects=effects, chain=fx.chain("", effects))


def history(numbers: Iterable[Numbers], objective: str = "what is true?") -> list[Step]:
    """A run of one event for each triple of numbers, which choose the move and what it is made on."""
    steps = [started(objective)]
    for one in numbers:
        steps.append(_step(steps[-1], one))
    return steps


def all_effects(steps: Sequence[Step]) -> list[fx.Effect]:
    """The effects of the whole history in order."""
    return [one for step in steps for one in step.effects]


def _step(last: Step, numbers: Numbers) -> Step:
    seq = last.state.seq + 1
    before = replace(last.state, journal=st.Journal(), seq=seq, at=at(seq))
    kind, a, b = numbers
    after = MOVES[kind % len(MOVES)](before, a, b)
    notes = f"notes {after.notes_seq} {HOSTILE[a % len(HOSTILE)]}" if after.notes_seq > last.state.notes_seq else ""
    effects = fx.diff(last.state, after, notes)
    event = ModelReplied(at=after.at, worker="w", turn=seq, text=HOSTILE[b % len(HOSTILE)], usage=Usage())
    return Step(event=event, state=after, effects=effects, chain=fx.chain(last.chain, effects), notes=notes)
