"""The driver: carries out what the machine decided and tells the log what came of it. The only impure part of a run.

Knows the log, the model and the web. Must not know what a turn is for: every decision is `loops.machine.decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar

from investigator.core import codec
from investigator.core.events import (
    ModelFailed,
    ModelReplied,
    Observed,
    PageSeen,
    RunResumed,
    RunStopped,
    SettingsChanged,
    TurnOpened,
)
from investigator.core.state import State
from investigator.core.vocab import RunStatus
from investigator.core.wire import Answer, Failure, Hits, Page, Reply, Request
from investigator.errors import ModelError, SequenceConflict, UsageError
from investigator.loops.commands import CallModel, Command, Done, Fetch, Query, Search, Wait
from investigator.loops.machine import decide
from investigator.session_log import Log, now
from investigator.session_shapes import misfit
from investigator.world.protocols import Model, Web

T = TypeVar("T")
Until: TypeAlias = Literal["question", "phase"] | Callable[[State], bool] | None
WORKER = "w1"
MOST_HITS = 100  # of one search, whatever a world returns


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """One worker of a run. ``watch`` is told the state and what is about to be done, before each call outside."""

    log: Log
    model: Model
    web: Web
    watch: Callable[[State, Command], None]
    version: str = ""
    prices: Mapping[str, str] = field(default_factory=dict)

    def take_up(self) -> None:
        """Go on where another process or an interrupt left off: an open call without an answer counts as lost."""
        state = self.log.state
        if state.status is RunStatus.PAUSED:
            self.log.report(lambda _: RunResumed(at=now(), worker=WORKER, package_version=self.version))
        turn = _unanswered(self.log.state)
        if turn is not None:
            number, attempt = turn
            self.log.report(lambda _: _lost(number, attempt))
        if any(self.log.state.run.options.get(key, "") != one for key, one in self.prices.items()):
            self.log.report(lambda state: SettingsChanged(at=now(), limits=state.limits, options=self.prices))

    def turn(self, stopped: Callable[[], bool]) -> bool:
        """Drive until one more turn is closed, or the run ends, waits or was asked to stop.

        Returns:
            Whether anything is left to do.

        Raises:
            ModelError: the model failed for good; the run is paused then.
            KeyboardInterrupt: after the run was paused.
        """
        begun = self.log.state.turn
        try:
            while self.log.state.turn == begun:
                if stopped():
                    stop(self.log, "paused")
                    return False
                command = decide(self.log.state, WORKER)
                if isinstance(command, Done | Wait):
                    return False
                self._carry_out(command)
        except KeyboardInterrupt:
            stop(self.log, "paused")
            raise
        return not self.log.state.done

    def act(self) -> None:
        """Carry out the outside call of a person's act, if one waits. An interrupt leaves it waiting."""
        paused = self.log.state.status is RunStatus.PAUSED
        error = self.log.state.error
        if paused and self.log.state.act is not None:  # a paused run decides nothing
            self.log.report(lambda _: RunResumed(at=now(), worker=WORKER, package_version=self.version))
        try:
            while self.log.state.act is not None:
                command = decide(self.log.state, WORKER)
                if not isinstance(command, Search | Fetch | Query):
                    return
                self._carry_out(command)
        finally:
            if paused:
                stop(self.log, "paused", error)

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, CallModel):
            self._call(command)
        elif isinstance(command, Search | Fetch | Query):
            self._look(command)

    # The model

    def _call(self, command: CallModel) -> None:
        self.watch(self.log.state, command)
        try:
            self.log.intend(self._opening(command))
        except SequenceConflict:
            self.log.catch_up()  # an intention is decided anew
            return
        retrying = _compacted(self.log.state)
        try:
            reply = self._ask(command.request)
        except ModelError as error:
            self._failed(command, error, retrying)
            return
        said = ModelReplied(
            at=now(), worker=WORKER, turn=command.turn, attempt=command.attempt, text=reply.text,
            calls=tuple(reply.calls), finish_reason=reply.finish_reason, usage=reply.usage, tries=reply.tries,
        )  # fmt: skip
        self.log.report(lambda _: said)

    def _opening(self, command: CallModel) -> TurnOpened:
        request = command.request
        return TurnOpened(
            at=now(), worker=WORKER, turn=command.turn, attempt=command.attempt, turn_kind=command.kind,
            question=command.question, request_sha256=codec.digest(codec.dumps(request)), sections=request.sections,
            reserved_tokens=command.reserved_tokens, reserved_cost=command.reserved_cost,
        )  # fmt: skip

    def _ask(self, request: Request) -> Reply:
        try:
            reply = self.model.complete(request)
        except ModelError:
            raise
        except Exception as error:  # a model is anybody's object: its bugs pause the run, they do not lose it
            raise ModelError("unavailable", f"{type(error).__name__}: {error}") from error
        wrong = misfit(reply, Reply)
        if wrong:
            raise ModelError("bad_response", f"the model object returned no proper Reply: {wrong}")
        return reply

    def _failed(self, command: CallModel, error: ModelError, retrying: bool) -> None:
        failed = ModelFailed(
            at=now(), worker=WORKER, turn=command.turn, attempt=command.attempt, failure=error.kind,
            message=str(error), tries=error.tries,
        )  # fmt: skip
        self.log.report(lambda _: failed)
        if error.kind == "context_length" and not retrying:
            return  # the machine tries once more with a shorter prompt
        stop(self.log, "failed", f"the model failed ({error.kind}): {error}")
        raise error

    # The world

    def _look(self, command: Search | Fetch | Query) -> None:
        self.watch(self.log.state, command)
        if isinstance(command, Search):
            found: Any = self._world(lambda: _shortened(self.web.search(command.query, command.limit)), Hits)
        elif isinstance(command, Fetch):
            found = self._world(lambda: self.web.fetch(command.url), Page)
        else:
            found = self._world(lambda: self.web.query(command.text), Answer)
        seen = observation(command, found)
        self.log.report(lambda _: seen)

    def _world(self, look: Callable[[], object], shape: type[T]) -> T | Failure:
        try:
            found: object = look()
        except Exception as error:  # a world is anybody's object, too
            return Failure(kind="unavailable", message=f"the world failed: {type(error).__name__}: {error}"[:500])
        if not isinstance(found, shape | Failure):
            told = f"the world answered with a {type(found).__name__}, not with {shape.__name__}."
            return Failure(kind="unavailable", message=told)
        wrong = misfit(found, type(found))
        if wrong:
            told = f"the world answered with no proper {type(found).__name__}: {wrong}."
            return Failure(kind="unavailable", message=told)
        return found


def _shortened(found: object) -> object:
    """A search result without what is too much to look through."""
    if isinstance(found, Hits) and isinstance(found.hits, tuple | list):
        return replace(found, hits=tuple(found.hits[:MOST_HITS]))
    return found


def stop(log: Log, reason: str, error: str = "") -> None:
    """Pause a run, unless it has ended or is paused."""
    if not log.state.done and log.state.status is not RunStatus.PAUSED:
        log.report(lambda _: RunStopped(at=now(), reason=reason, error=error))


def observation(command: Search | Fetch | Query, found: Hits | Page | Answer | Failure) -> Observed:
    """What an outside call brought, as an event. A knowledge source's answer is kept like a page."""
    where: dict[str, Any] = {
        "at": now(), "worker": WORKER, "turn": command.turn, "position": command.position, "act": command.act,
    }  # fmt: skip
    if isinstance(found, Failure):
        return Observed(**where, failure=found)
    if isinstance(found, Hits):
        return Observed(**where, hits=found)
    if isinstance(found, Answer):
        asked = command.text if isinstance(command, Query) else ""
        url = f"knowledge:{asked}"
        found = Page(url=url, canonical_url=url, domain=found.provider, title=asked, text=found.text)
    page = PageSeen(
        url=found.url, canonical_url=found.canonical_url, domain=found.domain, title=found.title,
        published=found.published, unit=found.unit, links=tuple(found.links),
        sha256=codec.digest(found.url, found.text),
    )  # fmt: skip
    return Observed(**where, page=page, text=found.text)


def _unanswered(state: State) -> tuple[int, int] | None:
    worker = state.workers.get(WORKER)
    turn = worker.open if worker is not None else None
    if turn is None or turn.replied or turn.failed:
        return None
    return turn.number, turn.attempt


def _lost(number: int, attempt: int) -> ModelFailed:
    return ModelFailed(
        at=now(), worker=WORKER, turn=number, attempt=attempt, failure="lost",
        message="the process ended before an answer was saved", tries=1,
    )  # fmt: skip


def _compacted(state: State) -> bool:
    worker = state.workers.get(WORKER)
    return worker is not None and worker.compact


def reached(until: Until, before: State) -> Callable[[State], bool]:
    """Whether what a person steps towards has come about since ``before``.

    Raises:
        UsageError: it is no such thing.
    """
    if until is None:
        return lambda state: True
    if callable(until):
        return lambda state: bool(until(state))
    if until == "phase":
        return lambda state: state.phase is not before.phase
    if until == "question":
        return lambda state: _current(state) != _current(before)
    raise UsageError(f"until is 'question', 'phase' or a function of the state, not {until!r}")


def _current(state: State) -> str:
    worker = state.workers.get(WORKER)
    return worker.current if worker is not None else ""
