"""A tiny web, small models and a way to compare runs, for the tests of the session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import investigator as iv
from investigator.core import effects as fx
from investigator.core.wire import Answer, Failure, Hit, Hits, Page, Reply, Request, WorldFacts
from investigator.world.models import calls, say

BRIDGE = "https://a.example/bridge"
TEXT = "The Larn bridge is 300 metres long in total.\nIt was opened to traffic in 1964 by the mayor."
REPORT = "The Larn bridge is 300 metres long."


class Killed(BaseException):
    """Stands for a process that dies: nothing in the package may handle it."""


class TinyWeb:
    """Two pages. ``asked`` counts what came in."""

    name = "tiny"

    def __init__(self) -> None:
        self.asked = 0

    def facts(self) -> WorldFacts:
        return WorldFacts(name=self.name, pages=2, domains=2)

    def search(self, query: str, limit: int) -> Hits | Failure:
        self.asked += 1
        return Hits(hits=(Hit(url=BRIDGE, title="Larn bridge", snippet="is 300 metres long"),), provider="tiny")

    def fetch(self, url: str) -> Page | Failure:
        self.asked += 1
        return Page(url=url, canonical_url=url, domain="a.example", title="Larn bridge", text=TEXT, unit="line")

    def query(self, text: str) -> Answer | Failure:
        return Failure(kind="refused", message="there is no knowledge source.")


def search_then(*more: Any) -> iv.ScriptedModel:
    """A model that searches and reads in its first turn, then follows the given lines."""
    look = calls(("web_search", {"query": "Larn bridge"}), ("fetch_page", {"url": BRIDGE}))
    return iv.ScriptedModel([look, *more])


def reporting() -> iv.ScriptedModel:
    """A model whose second turn is the report."""
    return search_then(say(REPORT))


def raising(error: BaseException) -> Callable[[Request], Reply]:
    """A line of a script that raises anything, also what is no `Exception`."""

    def line(request: Request) -> Reply:
        raise error

    return line


def begin(path: Path | str, model: object, web: object = None, **more: Any) -> iv.Investigation:
    """A run of the simple loop over the tiny web."""
    return iv.investigate(
        "How long is the Larn bridge?", loop="simple", model=model, web=web or TinyWeb(), store=path, **more
    )


_OWN = {"run_id", "id", "notes_id", "parent_run", "parent_turn", "attempt_id"}


def content(inv: iv.Investigation) -> dict[str, list[dict[str, Any]]]:
    """What the tables hold of a run, without times and without what only names the run."""
    return {
        table: [
            {key: one for key, one in row.items() if not key.endswith("_at") and (table != fx.RUNS or key not in _OWN)
             and key not in ("run_id", "attempt_id") and not (table == fx.ATTEMPTS and key == "id")}
            for row in inv.rows(table)
        ]
        for table in fx.PRIMARY_KEYS
    }  # fmt: skip
