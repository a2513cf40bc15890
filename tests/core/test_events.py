"""Events: each kind is written and read back, and what is applied now is what is applied again later."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_type_hints

import pytest

from investigator.core import events
from investigator.core.events import (
    KINDS,
    Event,
    HumanActed,
    ModelFailed,
    ModelReplied,
    Observed,
    PageSeen,
    RunForked,
    RunResumed,
    RunStarted,
    RunStopped,
    SettingsChanged,
    TurnOpened,
    WorkerLost,
)
from investigator.core.limits import Limits
from investigator.core.vocab import Loop, TurnKind
from investigator.core.wire import Failure, Hit, Hits, ToolCall, Usage, WorldFacts
from investigator.errors import CorruptLog

AT = "2026-01-01T00:00:00.000000+00:00"
ODD = "\x00 \ud800 \u202e </page> \"'\\ \U0001f600 é"
PAIR = "\ud83d" + "\ude00"  # two lone surrogates, as a broken stream joins them
PAGE = PageSeen(url="u", canonical_url="c", domain="d", title=ODD, published="2020", unit="line", sha256="0" * 64,
                links=("a", "b"))  # fmt: skip
WHOLE: list[Event] = [
    RunStarted(at=AT, objective=ODD, loop=Loop.SIMPLE, limits=Limits(max_depth=2), user=ODD, notes_id="n", model="m",
               web="w", world=WorldFacts(name="x", pages=3, knowledge=True), options={"b": ODD, "a": "1"},
               package_version="1"),
    RunForked(at=AT, parent_run=3, parent_turn=0, notes_id="n", limits=Limits(), options={"a": "1"}),
    SettingsChanged(at=AT, limits=Limits(max_cost_usd=1.5), options={}),
    TurnOpened(at=AT, worker="w1", turn=1, attempt=2, turn_kind=TurnKind.CLOSING, question="q_001",
               request_sha256="0" * 64, sections={"system": 3, "task": 1}, reserved_tokens=9, reserved_cost=0.25),
    ModelReplied(at=AT, worker="w1", turn=1, text=ODD, calls=(ToolCall(id="", name=ODD, arguments='{"a": NaN'),),
                 finish_reason="length", usage=Usage(input_tokens=1, cost_usd=None, estimated=True), tries=3),
    ModelFailed(at=AT, worker="w1", turn=1, failure="lost", message=ODD, tries=2),
    Observed(at=AT, worker="w1", turn=1, position=0, hits=Hits(hits=(Hit(url=ODD, title=ODD),), provider="p")),
    Observed(at=AT, worker="w1", turn=1, position=1, page=PAGE, text=ODD),
    Observed(at=AT, worker="w1", turn=0, position=0, act=2, failure=Failure(kind="timeout", message=ODD)),
    HumanActed(at=AT, act=1, tool="add_question", arguments="not json", user=ODD),
    WorkerLost(at=AT, worker="w2", by="w1"),
    RunResumed(at=AT, worker="w1", package_version="1"),
    RunStopped(at=AT, reason="failed", error=ODD),
]  # fmt: skip


def read_again(event: Event) -> Event:
    text = event.text if isinstance(event, Observed) else ""
    return events.loads(event.kind, events.dumps(event), text)


def test_every_kind_of_event_is_among_them() -> None:
    """The list is closed: a new kind needs its example here, and no two kinds share a name."""
    assert {type(one) for one in WHOLE} == set(KINDS.values())
    assert {one.kind for one in WHOLE} == set(KINDS)
    assert all(cls.kind == kind for kind, cls in KINDS.items())


@pytest.mark.parametrize("event", WHOLE, ids=lambda event: event.kind)
def test_an_event_comes_back_equal(event: Event) -> None:
    """Also with hostile text in every field, and with the text of a page that lies elsewhere."""
    assert read_again(event) == event
    assert events.dumps(read_again(event)) == events.dumps(event)
    assert events.as_logged(event) == event


def test_the_text_of_a_page_is_not_in_the_event() -> None:
    """It is stored once, under its hash, and put back by the loader."""
    event = WHOLE[7]
    assert '"text"' not in events.dumps(event)
    assert events.loads("observed", events.dumps(event)) == replace(event, text="")


def test_an_event_takes_what_an_older_version_left_out() -> None:
    """Fields with a default may be missing; unknown ones are passed over."""
    read = events.loads("run_stopped", f'{{"at": "{AT}", "weather": "fine"}}')
    assert read == RunStopped(at=AT, reason="paused", error="")


def test_an_unknown_kind_is_a_corrupt_log() -> None:
    """It is named, and is no crash."""
    with pytest.raises(CorruptLog, match="unknown kind 'run_exploded'"):
        events.loads("run_exploded", "{}")


def _broken(event: Event) -> Event:
    """The event with two lone surrogates in a row wherever a text stands."""
    hints: dict[str, Any] = get_type_hints(type(event))
    texts = {name: f"x{PAIR}y" for name, hint in hints.items() if hint is str and name not in ("at", "kind")}
    return replace(event, **texts)


@pytest.mark.parametrize("event", WHOLE, ids=lambda event: event.kind)
def test_as_logged_is_what_a_reader_of_the_log_gets(event: Event) -> None:
    """JSON cannot tell two lone surrogates from the character they spell: that character is applied from the start."""
    broken = _broken(event)
    logged = events.as_logged(broken)
    assert logged == read_again(broken) == read_again(logged)
    assert events.dumps(logged) == events.dumps(broken)
    if isinstance(event, Observed):
        assert logged.text == broken.text
