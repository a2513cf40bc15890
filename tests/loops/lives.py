"""A whole run with all that may befall it: people who act, calls that fail, workers that die and others that join.

What is drawn comes from one seeded source, so a life is told by its seed alone.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass

from chance import Gambler
from driver import Model, Run
from researcher import Researcher
from weather import Weather, limits

from investigator.core.effects import Effect
from investigator.core.events import (
    Event,
    HumanActed,
    ModelFailed,
    ModelReplied,
    RunResumed,
    RunStopped,
    TurnOpened,
    WorkerLost,
)
from investigator.core.invariants import invariants
from investigator.core.limits import Limits
from investigator.core.state import State
from investigator.core.vocab import Loop, Phase, RunStatus
from investigator.core.wire import Reply, Request
from investigator.errors import ModelError
from investigator.loops import prompt
from investigator.loops.commands import CallModel, Done, Wait
from investigator.loops.machine import apply, decide

INPUT_PRICE, OUTPUT_PRICE = 3, 15
PRICES = {"price_input": str(INPUT_PRICE), "price_output": str(OUTPUT_PRICE)}
FAILURES = ("context_length", "rate_limit", "timeout", "connection", "bad_response", "unavailable")
MOST_ACTS = 6
MOST_WORKERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What kind of life: which model and loop, and whether people, failures and deaths come into it."""

    loop: Loop
    folly: float
    troubled: bool
    workers: int = 1


def fate(seed: int) -> Fate:
    """Every combination comes up, evenly: models from the best to the most foolish, both loops, calm and troubled."""
    rng = random.Random(f"fate {seed}")
    return Fate(
        loop=Loop.SIMPLE if seed % 8 == 7 else Loop.INVESTIGATIVE,
        folly=(0.0, 0.02, 0.05, 0.1, 0.3, 1.0)[seed // 2 % 6],
        troubled=seed % 2 == 1,
        workers=rng.choice((1, 1, 1, 2, 3)),
    )


class Life(Run):
    """A run and what befalls it, until it is over."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.rng, self.fate, self.joined = rng, fate(seed), 0
        self.effects: list[Effect] = []
        web = Weather(rng, failing=rng.choice((0.0, 0.05, 0.05, 0.5)))
        if rng.random() < 0.5:
            web.world = dataclasses.replace(web.world, pages=None, domains=None)
        super().__init__("How tall is the tower?", web, limits=_limits(rng, self.fate), loop=self.fate.loop,
                         options=PRICES if rng.random() < 0.5 else {})  # fmt: skip
        self.gambler = Gambler(rng, self, folly=rng.choice((0.0, 0.05, 0.15, 0.4)))
        self.researcher = Researcher(rng, self, luck=rng.choice((0.3, 0.7, 0.95)), patience=rng.choice((0, 0.5)))
        self.names = ["w1"]
        for number in range(2, self.fate.workers + 1):
            self._join(f"w{number}")

    def model(self, request: Request) -> Reply:
        """One of the two replies; in a troubled life it also fails."""
        if self.fate.troubled and self.rng.random() < 0.06:
            raise ModelError(self.rng.choice(FAILURES), "no reply")
        who: Model = self.gambler if self.rng.random() < self.fate.folly else self.researcher
        reply = who(request)
        if self.state.run.options:
            used = reply.usage
            cost = (used.input_tokens * INPUT_PRICE + used.output_tokens * OUTPUT_PRICE) / 1_000_000
            reply = dataclasses.replace(reply, usage=dataclasses.replace(used, cost_usd=cost))
        return reply

    def record(self, event: Event) -> State:
        """As in a calm run, and keep what the event changed in the tables."""
        step = apply(self.state, event)
        self.state = step.state
        self.events.append(event)
        self.effects.extend(step.effects)
        broken = invariants(self.state)
        assert broken == (), (broken, event)
        if isinstance(event, TurnOpened) and event.attempt == 1 and not self.state.limits_changed:
            self._paid()
        return self.state

    def _paid(self) -> None:
        """A call goes out only if its longest reply fits, while exploring without touching what is kept for the end."""
        state, limits = self.state, self.state.limits
        exploring = state.run.loop is Loop.INVESTIGATIVE and state.phase is Phase.EXPLORATION
        share = 1 - limits.synthesis_reserve if exploring else 1
        budget = state.budget
        if limits.max_total_tokens is not None:
            assert budget.committed_tokens <= limits.max_total_tokens * share + 1e-6, (budget, limits)
        if limits.max_cost_usd is not None:
            assert budget.committed_cost <= limits.max_cost_usd * share + 1e-6, (budget, limits)

    def live(self, most: int) -> None:
        """To the end, in at most so many events; a life that is longer, or in which all wait for each other, fails."""
        while not self.state.done:
            assert len(self.events) < most, f"no end after {most} events; {self.state.workers}"
            if self.fate.troubled and self.rng.random() < 0.15:
                self._trouble()
            self._round()
        self._late()

    def _round(self) -> None:
        """Some worker that does not wait does what comes next."""
        for name in self.rng.sample(self.names, len(self.names)):
            command = decide(self.state, name)
            if not isinstance(command, Wait | Done):
                self.carry_out(command, self.model, name)
                self._after_failure()
                return
        assert self.state.status is not RunStatus.RUNNING or self.state.done, f"all wait: {self.state.workers}"
        if not self.state.done:
            self.record(RunResumed(at=self.now(), worker=self.rng.choice(self.names)))

    def _after_failure(self) -> None:
        """As the driver does: a context that was too long is asked for once more, any other failure stops the run."""
        last = self.events[-1]
        if isinstance(last, ModelFailed) and (last.failure != "context_length" or self.rng.random() < 0.3):
            self.record(RunStopped(at=self.now(), reason="failed", error="no reply"))

    def _late(self) -> None:
        """A person ended the run while calls were out: their replies are paid for, and change nothing else."""
        report = self.state.report
        for name, one in self.state.workers.items():
            if one.open is not None and not one.open.replied:
                number, attempt = one.open.number, one.open.attempt
                reply = self.gambler(prompt.build(self.state, one))
                self.record(
                    ModelReplied(
                        at=self.now(), worker=name, turn=number, attempt=attempt, text=reply.text, calls=reply.calls,
                        usage=reply.usage,
                    )
                )
        assert self.state.report == report
        assert self.state.done

    def _trouble(self) -> None:
        what = self.rng.choice(("act", "act", "kill", "stop", "lose", "join"))
        if what == "act" and self.state.acts < MOST_ACTS:
            name, arguments = self.gambler.act()
            act = self.state.acts + 1
            self.record(HumanActed(at=self.now(), act=act, tool=name, arguments=arguments, user="eva"))
        elif what == "kill":
            self._kill()
        elif what == "stop":
            self.record(RunStopped(at=self.now(), reason="paused"))
        elif what == "lose" and len(self.names) > 1:
            self.record(WorkerLost(at=self.now(), worker=self.names.pop(self.rng.randrange(len(self.names)))))
        elif what == "join" and self.fate.workers > 1 and self.joined < MOST_WORKERS:
            self.joined += 1
            self._join(f"w{self.joined + 3}")

    def _kill(self) -> None:
        """The process dies, perhaps in the middle of a call: what was asked stays unknown, and the run is resumed."""
        for name in self.names:
            command = decide(self.state, name)
            if isinstance(command, CallModel) and self.rng.random() < 0.7:
                asked = TurnOpened(
                    at=self.now(), worker=name, turn=command.turn, attempt=command.attempt, turn_kind=command.kind,
                    question=command.question, reserved_tokens=command.reserved_tokens,
                    reserved_cost=command.reserved_cost,
                )  # fmt: skip
                self.record(asked)
        for name in self.names:
            self.record(RunResumed(at=self.now(), worker=name))
            turn = self.state.workers[name].open
            if turn is not None and not turn.replied:
                number, attempt = turn.number, turn.attempt
                self.record(ModelFailed(at=self.now(), worker=name, turn=number, attempt=attempt, failure="lost"))

    def _join(self, name: str) -> None:
        self.record(RunResumed(at=self.now(), worker=name))
        self.names.append(name)


def _limits(rng: random.Random, of: Fate) -> Limits:
    """Small limits; more room for the better models, so that they may also come to a good end."""
    good = of.folly < 0.5
    made = limits(rng, iterations=rng.randint(12, 32) if good else rng.randint(4, 9))
    roomy = {
        "max_attempts": rng.randint(1, 3),
        "max_questions": rng.choice((4, 8, 20)),
        "max_stalled_turns": rng.choice((3, 9, 9)),
        "max_reopens": rng.choice((0, 1, 2)),
        "min_sources": rng.choice((0, 1, 2, 5)),
        "gate_priority": rng.choice((0.5, 0.9)),
        "synthesis_reserve": rng.choice((0.0, 0.15, 0.15, 0.4)),
    }
    return made.replace(
        max_parallel=of.workers,
        max_cost_usd=rng.choice((None, None, None, None, 0.1, 0.4)),
        max_total_tokens=rng.choice((None, None, None, None, 30_000, 90_000)),
        **(roomy if good else {}),
    )
