"""A run in a person's hands: stepping, the past, forks, acts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from session_worlds import BRIDGE, REPORT, TEXT, Killed, TinyWeb, begin, content, raising, reporting, search_then

import investigator as iv
from investigator.world.models import calls, say


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small folder of documents; its index lies in the test's own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = tmp_path / "docs"
    made.mkdir()
    (made / "bridge.md").write_text(f"# Larn bridge\n\n{TEXT}\n")
    (made / "tides.md").write_text("# Tides\n\nThe moon pulls the sea twice a day, as everybody knows.\n")
    return made


def test_stepping_cell_by_cell_equals_running(folder: Path, db: Path) -> None:
    """A run reopened from the store for every turn ends as the same run in one go, in every table."""
    asked: dict[str, Any] = {"web": f"corpus:{folder}", "store": db, "limits": iv.Limits.narrow()}
    whole = iv.investigate("What pulls the sea?", **asked)
    assert whole.run(progress=False)
    cells = iv.investigate("What pulls the sea?", **asked)
    while True:
        with iv.open_run(cells.run_id, store=db) as cell:
            if cell.step() is None:
                break
    with iv.open_run(cells.run_id, store=db) as cell:
        assert content(cell) == content(whole)
        assert cell.verify() == whole.verify() == []


def test_a_turn_tells_what_was_seen_asked_brought_and_changed(db: Path) -> None:
    """`step` returns the turn with its prompt, calls, answers and changes; then None when the run is done."""
    model = reporting()
    with begin(db, model) as inv:
        expected = {name: one.tokens for name, one in inv.prompt().items()}
        turn = inv.step()
        assert turn is not None
        assert turn.number == 1
        assert turn.saw == expected == model.requests[0].sections
        assert [one.name for one in turn.asked] == ["web_search", "fetch_page"]
        assert len(turn.came_back) == 2
        assert "s_001 read: a.example" in turn.changed
        assert turn.spent is not None
        assert turn.spent.tokens > 0
        assert "turn 1 researching" in repr(turn)
        assert inv.last == turn
        assert inv.step().text == REPORT  # type: ignore[union-attr]
        assert inv.step() is None
        assert inv.report.markdown.startswith(f"# How long is the Larn bridge?\n\n{REPORT}")
        assert inv.prompt() == {}


def test_the_prompt_says_what_the_model_is_sent(db: Path) -> None:
    """Every section of `prompt()` stands in the request of the next turn."""
    model = reporting()
    with begin(db, model) as inv:
        inv.step()
        shown = inv.prompt()
        inv.step()
    sent = "\n".join(one.content for one in model.requests[1].messages)
    assert shown["system"].text in sent
    assert shown["task"].text in sent
    assert TEXT.splitlines()[0] in shown["turns"].text


@pytest.mark.parametrize(
    ("until", "turns"),
    [(None, 1), (lambda state: state.turn >= 3, 3), (lambda state: False, 4)],
    ids=["one turn", "three turns", "to the end"],
)
def test_stepping_goes_on_until_what_was_asked_for(db: Path, until: Any, turns: int) -> None:
    """A function of the state ends `step` at the first turn where it is true, at the latest with the run."""
    more = [calls(("web_search", {"query": f"bridge {n}"})) for n in range(2)]
    with begin(db, search_then(*more, say(REPORT))) as inv:
        turn = inv.step(until=until)
        assert turn is not None
        assert inv.turn == turn.number == turns


def test_stepping_to_the_next_question_and_phase(folder: Path, db: Path) -> None:
    """`question` stops where another question is current, `phase` where synthesis begins."""
    with iv.investigate("What pulls the sea?", web=f"corpus:{folder}", store=db, limits=iv.Limits.narrow()) as inv:
        before = inv.state.workers["w1"].current
        inv.step(until="question")
        assert inv.state.workers["w1"].current != before
        inv.step(until="phase")
        assert inv.state.phase == "synthesis"
        with pytest.raises(iv.UsageError, match="until is"):
            inv.step(until="tomorrow")  # type: ignore[arg-type]


def test_a_run_works_under_a_running_event_loop(db: Path) -> None:
    """Everything is synchronous, so a notebook's loop does not matter."""

    async def cell() -> iv.Report:
        return begin(db, reporting()).run(progress=False)

    assert asyncio.run(cell())


# The past and forks


def test_the_past_is_what_was_seen_then(folder: Path, db: Path) -> None:
    """`at(n)` gives the frames, notes and prompt that the run showed after turn n, and cannot be stepped."""
    with iv.investigate("What pulls the sea?", web=f"corpus:{folder}", store=db, limits=iv.Limits.narrow()) as inv:
        seen = {}
        while inv.step() is not None:
            seen[inv.turn] = (content(inv), inv.notes, inv.prompt(), repr(inv.last))
        for turn, (tables, notes, prompt, last) in seen.items():
            past = inv.at(turn)
            assert past.turn == turn
            assert {one: len(past.rows(one)) for one in tables} == {one: len(rows) for one, rows in tables.items()}
            assert past.notes == notes
            assert past.prompt() == prompt
            assert repr(past.last) == last
            assert not hasattr(past, "step")
        assert inv.at(0).last is None
        with pytest.raises(iv.UsageError, match=f"there is no turn {inv.turn + 1}"):
            inv.at(inv.turn + 1)


def test_a_fork_shares_the_past_and_pays_nothing_again(db: Path) -> None:
    """A fork asks neither model nor web for the shared turns; its parent stays as it was."""
    web = TinyWeb()
    with begin(db, reporting(), web) as inv:
        inv.run(progress=False)
        before, asked = content(inv), web.asked
        model = iv.ScriptedModel([say("It is long.")], name="other")
        fork = inv.fork(1, model=model, limits={"max_iterations": 40})
        assert fork.run(progress=False).markdown.startswith("# How long is the Larn bridge?\n\nIt is long.")
        assert web.asked == asked
        assert len(model.requests) == 1
        assert fork.run_id != inv.run_id
        assert (fork.limits.max_iterations, inv.limits.max_iterations) == (40, 60)
        assert (fork.state.run.parent_run, fork.state.run.parent_turn) == (inv.run_id, 1)
        assert fork.state.run.model == "other"
        assert fork.state.run.notes_id != inv.state.run.notes_id
        assert content(inv) == before
        assert inv.verify() == fork.verify() == []


def test_a_fork_at_the_end_of_a_run_is_refused(db: Path) -> None:
    """Where the run had ended there is nothing to go on with; the sentence names the turn to fork."""
    with begin(db, reporting()) as inv:
        inv.run(progress=False)
        with pytest.raises(iv.UsageError, match="at most 1"):
            inv.fork()


def test_a_fork_begins_with_a_persons_move(db: Path) -> None:
    """`act` is made in the fork only."""
    with begin(db, reporting()) as inv:
        inv.step()
        fork = inv.fork(1, act=("set_priority", {"id": "q_001", "priority": 0.7, "why": "test"}))
        assert "human_acted" in set(fork.events["kind"])
        assert "human_acted" not in set(inv.events["kind"])
        assert fork.verify() == []


def test_a_fork_of_an_open_call_does_not_wait_for_it(db: Path) -> None:
    """A fork before the first turn of a killed run leaves the open call behind."""
    inv = begin(db, iv.ScriptedModel([raising(Killed())]))
    with pytest.raises(Killed):
        inv.step()
    fork = inv.fork(0, model=reporting())
    assert fork.run(progress=False)
    assert "model_failed" not in set(fork.events["kind"])
    assert fork.verify() == []


# Acts


def test_a_persons_move_is_made_or_refused_as_a_value(db: Path) -> None:
    """`act` goes through the tools: a good move is true, a bad one false with the reason in its repr."""
    with begin(db, reporting()) as inv:
        bad = inv.act("set_priority", id="q_404", priority=0.5, why="x")
        assert not bad
        assert bad.refused
        assert "refused" in repr(bad)
        assert not inv.act("no_such_tool")
        assert not inv.act("set_priority", id="q_001")
        good = inv.act("set_priority", id="q_001", priority=0.9, why="first things first")
        assert good
        assert inv.verify() == []
        with pytest.raises(iv.UsageError, match="no JSON"):
            inv.act("set_priority", id=object())


def test_what_a_person_looks_at_is_told_in_a_line(db: Path) -> None:
    """A report by its status and first sentence, a prompt by its sections; an empty one says why."""
    with begin(db, iv.ScriptedModel([iv.Reply(text="# It\n\nIt is \\*long\\*. It is old.")]), TinyWeb()) as inv:
        first = inv.prompt()
        head, *sections = repr(first).splitlines()
        assert head == f"<prompt of {sum(one.tokens for one in first.values()):,} tokens, estimated>"
        assert [one.split()[0] for one in sections] == list(first)
        assert all(f" {one.tokens:,} token" in line for one, line in zip(first.values(), sections, strict=True))
        assert max(map(len, sections)) < 130
        assert repr(inv.report) == "<no report: run 1 is running after turn 0; it has not come to its end.>"
        report = inv.run(progress=False)
        assert repr(report) == "<report of run 1 · completed · It is *long*.>"
        assert str(report) == report.markdown
        assert repr(inv.prompt()) == "<no prompt: the next step is no model call>"
        assert inv.at(0).prompt() == first


def test_a_persons_outside_call_is_carried_out(db: Path) -> None:
    """A person's fetch reads the page at once, also while the run is paused, which it stays."""
    web = TinyWeb()
    with begin(db, reporting(), web) as inv:
        inv.pause()
        found = inv.act("fetch_page", url=BRIDGE)
        assert found
        assert found.text.startswith("s_001 read")
        assert list(inv.pages["text"]) == [TEXT]
        assert inv.status == "paused"
        assert list(inv.sources["url"]) == [BRIDGE]
        assert inv.verify() == []
