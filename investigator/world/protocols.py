"""What a model and a web must be able to do. Anything with these methods can be given to `investigate`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from investigator.core.wire import Answer, Failure, Hits, Page, Reply, Request, WorldFacts


@runtime_checkable
class Model(Protocol):
    """A model: one request, one reply. Raises `ModelError` after its own retries, never anything else on purpose."""

    @property
    def name(self) -> str:
        """What the run's row says, for instance ``offline`` or ``openai:gpt-x``."""
        ...

    def complete(self, request: Request) -> Reply: ...


@runtime_checkable
class Web(Protocol):
    """A world to search. What goes wrong is a `Failure`, never an exception and never an empty list."""

    @property
    def name(self) -> str:
        """What the run's row says, for instance ``demo`` or ``corpus:docs``."""
        ...

    def facts(self) -> WorldFacts: ...

    def search(self, query: str, limit: int) -> Hits | Failure: ...

    def fetch(self, url: str) -> Page | Failure: ...

    def query(self, text: str) -> Answer | Failure:
        """Ask the knowledge source; called only where ``facts().knowledge`` is true."""
        ...
