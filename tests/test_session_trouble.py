"""Interrupts, kills, failing models, worlds and stores, and several hands on one run: nothing committed is lost."""

from __future__ import annotations

import os
import platform
import threading
from pathlib import Path
from typing import Any

import pytest
from session_worlds import REPORT, Killed, TinyWeb, begin, raising, reporting, search_then

import investigator as iv
from investigator.errors import ModelError
from investigator.world.models import calls, say


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def test_an_interrupt_pauses_and_the_run_goes_on(db: Path) -> None:
    """Ctrl-C in a model call: `step` raises it, the run is paused, reopened it ends as if nothing had been."""
    with begin(db, search_then(raising(KeyboardInterrupt()))) as inv:
        inv.step()
        with pytest.raises(KeyboardInterrupt):
            inv.step()
        assert (inv.status, inv.turn) == ("paused", 1)
        run_id = inv.run_id
    with iv.open_run(run_id, store=db, model=iv.ScriptedModel([say(REPORT)]), web=TinyWeb()) as inv:
        assert REPORT in inv.run(progress=False).markdown.splitlines()
        assert inv.turn == 2
        assert inv.budget.lost_tokens > 0
        assert inv.verify() == []


def test_an_interrupted_run_returns_a_report_that_says_so(db: Path) -> None:
    """`run` swallows the interrupt; its report is false and tells that the run is paused."""
    with begin(db, search_then(raising(KeyboardInterrupt()))) as inv:
        report = inv.run(progress=False)
        assert not report
        assert "paused after turn 1" in str(report)
        assert inv.interrupted


def test_an_interrupt_in_the_world_asks_nothing_twice(db: Path) -> None:
    """Ctrl-C in a search: after the resume the reply is not asked for again, only the search is."""

    class Slow(TinyWeb):
        def search(self, query: str, limit: int) -> Any:
            if not self.asked:
                self.asked = 1
                raise KeyboardInterrupt
            return super().search(query, limit)

    model = reporting()
    with begin(db, model, Slow()) as inv:
        with pytest.raises(KeyboardInterrupt):
            inv.step()
        assert inv.run(progress=False)
        assert len(model.requests) == 2
        assert inv.verify() == []


def test_a_killed_call_counts_as_lost_and_is_tried_again(db: Path) -> None:
    """A process that dies in a call leaves an open turn; the next one tries it again under the same number."""
    inv = begin(db, iv.ScriptedModel([raising(Killed())]))
    with pytest.raises(Killed):
        inv.step()
    assert inv.status == "running"
    with iv.open_run(inv.run_id, store=db, model=reporting(), web=TinyWeb()) as again:
        turn = again.step()
        assert turn is not None
        assert turn.number == 1
        kinds = list(again.events["kind"])
        assert kinds[:4] == ["run_started", "turn_opened", "model_failed", "turn_opened"]
        assert again.verify() == []


def test_a_model_that_fails_pauses_the_run(db: Path) -> None:
    """After the model's own retries `step` raises its error; the next step tries the same turn again."""
    failing = ModelError("rate_limit", "too many requests", 4)
    with begin(db, search_then(failing, failing, say(REPORT))) as inv:
        inv.step()
        with pytest.raises(ModelError, match="too many requests"):
            inv.step()
        assert (inv.status, inv.turn) == ("paused", 1)
        assert inv.state.error == "the model failed (rate_limit): too many requests"
        assert inv.last is not None
        assert inv.last.failed == "rate_limit: too many requests"
        assert "too many requests" in str(inv.run(progress=False))
        assert inv.run(progress=False)
        assert inv.state.error == ""
        assert inv.verify() == []


def test_a_model_with_a_bug_pauses_the_run(db: Path) -> None:
    """Any exception of a person's model object is told with its type, and nothing is lost."""
    with begin(db, search_then(ZeroDivisionError("oh"))) as inv:
        assert "ZeroDivisionError: oh" in str(inv.run(progress=False))
        assert inv.status == "paused"


def test_a_prompt_that_is_too_long_is_tried_once_more(db: Path) -> None:
    """context_length is retried with a shorter prompt within the step; a second one in a row pauses."""
    long = ModelError("context_length", "too long", 1)
    with begin(db, search_then(long, say(REPORT))) as inv:
        assert inv.run(progress=False)
    with begin(db, search_then(long, long, say(REPORT))) as inv:
        assert not inv.run(progress=False)
        assert inv.status == "paused"
        assert inv.verify() == []


@pytest.mark.parametrize("answer", [RuntimeError("boom"), None, "a page"], ids=["raises", "nothing", "text"])
def test_a_world_with_a_bug_is_a_failure_and_no_end(db: Path, answer: object) -> None:
    """A web that raises or answers nonsense is one more failed call; the run goes on."""

    class Broken(TinyWeb):
        def fetch(self, url: str) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

    with begin(db, reporting(), Broken()) as inv:
        turn = inv.step()
        assert turn is not None
        assert "the world" in turn.came_back[1]
        assert inv.run(progress=False)
        assert inv.verify() == []


def test_a_store_that_fails_leaves_the_last_committed_state(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk in the middle: memory is what the disk has, the error says how to go on, and it does."""
    with begin(db, reporting()) as inv:
        store = inv._log.store
        append, left = store.append, [3]

        def failing(*args: Any, **more: Any) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise iv.StoreError("disk full")
            append(*args, **more)

        monkeypatch.setattr(store, "append", failing)
        with pytest.raises(iv.StoreError, match=f"disk full; everything up to event 3 .* resume {inv.run_id}"):
            inv.run(progress=False)
        assert inv.state.seq == store.last_seq(inv.run_id) == 3
        assert inv.run(progress=False)
        assert inv.verify() == []


def test_an_event_of_another_process_does_not_stop_a_report(db: Path) -> None:
    """A person acts elsewhere while the model answers: both are in the log, the answer behind the act."""
    run_ids: list[int] = []

    def meanwhile(request: object) -> iv.Reply:
        with iv.open_run(run_ids[0], store=db, model="offline", web=TinyWeb()) as other:
            assert other.act("add_question", question="Who built it?", kind="query", rationale="asked", priority=0.4,
                             validation_criteria="a name")  # fmt: skip
        return say(REPORT)

    with begin(db, search_then(meanwhile)) as inv:
        run_ids.append(inv.run_id)
        assert inv.run(progress=False)
        kinds = list(inv.events["kind"])
        assert kinds[-3:] == ["turn_opened", "human_acted", "model_replied"]
        assert "Who built it?" in set(inv.questions["question"])
        assert inv.verify() == []


def test_an_intention_that_lost_the_race_is_decided_anew(db: Path) -> None:
    """A turn opened on a state that is past is not written; the next prompt knows what happened."""
    with begin(db, reporting()) as inv, iv.open_run(inv.run_id, store=db, model="offline", web=TinyWeb()) as other:
        begun = []

        def watch(state: object, command: object) -> None:
            if not begun:
                begun.append(other.act("set_priority", id="q_001", priority=0.9, why="now"))

        assert inv.run(progress=watch)
        kinds = list(inv.events["kind"])
        assert kinds.index("human_acted") < kinds.index("turn_opened")
        assert kinds.count("turn_opened") == 2
        assert inv.verify() == []


def test_a_run_that_a_live_process_holds_is_refused(db: Path) -> None:
    """`step` says who works on the run, and writes nothing; looking at it is allowed."""
    with begin(db, reporting()) as inv, iv.open_run(inv.run_id, store=db, model="offline", web=TinyWeb()) as other:
        inv._log.store.hold(inv.run_id, "w1", platform.node() or "localhost", os.getppid(), 60)
        with pytest.raises(iv.RunHeld, match="is being worked on by process"):
            other.step()
        assert len(other.events) == 1


def test_two_threads_do_not_step_one_run(db: Path) -> None:
    """While a thread steps, another is told to pause it first; `pause` works and the run goes on later."""
    told: list[str] = []

    def meanwhile(request: object) -> iv.Reply:
        def other() -> None:
            try:
                inv.step()
            except iv.UsageError as error:
                told.append(str(error))
            inv.pause()

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return calls(("web_search", {"query": "more"}))

    with begin(db, search_then(meanwhile, say(REPORT))) as inv:
        assert not inv.run(progress=False)
        assert told == ["another thread works on this run; pause it first"]
        assert inv.status == "paused"
        assert inv.run(progress=False)


def test_pausing_between_turns_is_on_record(db: Path) -> None:
    """`pause` on a run that nobody steps pauses it at once, and only once."""
    with begin(db, reporting()) as inv:
        inv.pause()
        inv.pause()
        assert inv.status == "paused"
        assert list(inv.events["kind"]) == ["run_started", "run_stopped"]
        assert inv.step() is not None
