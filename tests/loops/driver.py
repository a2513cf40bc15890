"""A driver without a database: runs the machine with a model and a web in memory and checks the invariants."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from investigator.core import codec
from investigator.core.events import (
    Event,
    ModelFailed,
    ModelReplied,
    Observed,
    PageSeen,
    RunStarted,
    TurnOpened,
)
from investigator.core.invariants import invariants
from investigator.core.limits import Limits
from investigator.core.state import State
from investigator.core.vocab import Loop
from investigator.core.wire import Failure, Hit, Hits, Page, Reply, Request, WorldFacts
from investigator.errors import ModelError
from investigator.loops.commands import CallModel, Command, Done, Fetch, Query, Search
from investigator.loops.machine import apply, decide

Model = Callable[[Request], Reply]


class Pages:
    """A small web: pages by url; a search returns those that share most words with the query."""

    def __init__(self, pages: dict[str, Page], *, facts: WorldFacts | None = None) -> None:
        self.pages = pages
        domains = len({page.domain for page in pages.values()})
        self.world = facts or WorldFacts(name="pages", pages=len(pages), domains=domains)

    def search(self, query: str, limit: int) -> Hits | Failure:
        words = set(query.lower().split())
        scored = [
            (len(words & set((one.title + " " + one.text).lower().split())), one.url) for one in self.pages.values()
        ]
        best = [url for score, url in sorted(scored, key=lambda pair: (-pair[0], pair[1])) if score][:limit]
        return Hits(
            hits=tuple(Hit(url=url, title=self.pages[url].title, domain=self.pages[url].domain) for url in best)
        )

    def fetch(self, url: str) -> Page | Failure:
        return self.pages.get(url) or Failure(kind="not_found", message=f"no page {url}")


def page(url: str, text: str, *, domain: str = "", title: str = "") -> Page:
    """A page of a domain of its own, unless one is named."""
    return Page(url=url, canonical_url=url, domain=domain or url.split("/")[2], title=title or url, text=text)


class Run:
    """One run in memory: `events` is its log, `state` what it came to."""

    def __init__(
        self,
        objective: str,
        web: Pages,
        *,
        limits: Limits | None = None,
        loop: Loop = Loop.INVESTIGATIVE,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.web, self.events, self.state, self.clock = web, [], None, 0
        self.record(
            RunStarted(
                at=self.now(),
                objective=objective,
                loop=loop,
                limits=limits or Limits(),
                world=web.world,
                options=options or {},
            )
        )

    def now(self) -> str:
        self.clock += 1
        return f"2026-01-01T{self.clock // 3600:02d}:{self.clock // 60 % 60:02d}:{self.clock % 60:02d}.000000+00:00"

    def record(self, event: Event) -> State:
        self.state = apply(self.state, event).state
        self.events.append(event)
        assert invariants(self.state) == ()
        return self.state

    def step(self, model: Model, worker: str = "w1") -> bool:
        """One command; False when there is nothing left to do."""
        command = decide(self.state, worker)
        if isinstance(command, Done):
            return False
        self.carry_out(command, model, worker)
        return True

    def carry_out(self, command: Command, model: Model, worker: str = "w1") -> None:
        """Do what was decided and record what came of it."""
        if isinstance(command, CallModel):
            self.ask(command, model, worker)
        elif isinstance(command, Search):
            self.observe(command, worker, self.web.search(command.query, command.limit))
        elif isinstance(command, Fetch):
            self.observe(command, worker, self.web.fetch(command.url))
        else:
            assert isinstance(command, Query), command
            self.observe(command, worker, Failure(kind="refused", message="no knowledge"))

    def ask(self, command: CallModel, model: Model, worker: str) -> None:
        self.record(
            TurnOpened(
                at=self.now(),
                worker=worker,
                turn=command.turn,
                attempt=command.attempt,
                turn_kind=command.kind,
                question=command.question,
                sections=command.request.sections,
                reserved_tokens=command.reserved_tokens,
                reserved_cost=command.reserved_cost,
            )
        )
        try:
            reply = model(command.request)
        except ModelError as error:
            self.record(
                ModelFailed(
                    at=self.now(), worker=worker, turn=command.turn, attempt=command.attempt, failure=error.kind
                )
            )
            return
        self.record(
            ModelReplied(
                at=self.now(),
                worker=worker,
                turn=command.turn,
                attempt=command.attempt,
                text=reply.text,
                calls=reply.calls,
                usage=reply.usage,
                finish_reason=reply.finish_reason,
            )
        )

    def observe(self, command: Search | Fetch | Query, worker: str, found: Hits | Page | Failure) -> None:
        key = {"worker": worker, "turn": command.turn, "position": command.position, "act": command.act}
        if isinstance(found, Page):
            seen = PageSeen(
                url=found.url,
                canonical_url=found.canonical_url,
                domain=found.domain,
                title=found.title,
                published=found.published,
                unit=found.unit,
                sha256=codec.digest(found.url, found.text),
                links=found.links,
            )
            self.record(Observed(at=self.now(), **key, page=seen, text=found.text))
        elif isinstance(found, Hits):
            self.record(Observed(at=self.now(), **key, hits=found))
        else:
            self.record(Observed(at=self.now(), **key, failure=found))

    def go(self, model: Model, most: int = 2000) -> State:
        """To the end; fails if it does not end."""
        for _ in range(most):
            if not self.step(model):
                return self.state
        raise AssertionError(f"no end after {most} commands; next is {self.state.workers['w1'].next}")
