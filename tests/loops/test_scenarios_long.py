"""Long answers are extracted before they leave the prompt; a log of a thousand turns folds evenly."""

from __future__ import annotations

import time
from typing import Any

import pytest
from driver import Run
from scripts import Calls, Library, answered, open_turn, results, retold, saying

from investigator.core import codec
from investigator.core.events import Observed, PageSeen
from investigator.core.limits import Limits
from investigator.core.vocab import StopReason, TurnKind
from investigator.core.wire import Reply, Request
from investigator.loops.commands import Command, Query
from investigator.loops.machine import apply

ASKED = {"kind": "query", "rationale": "it matters", "validation_criteria": "a quote", "priority": 0.7}
NOTES = {"notes_read", "notes_append", "notes_update", "notes_scratch"}


class Oracle(Run):
    """A run whose world has a knowledge source: it answers each query with one text."""

    answer = ""

    def carry_out(self, command: Command, model: Any, worker: str = "w1") -> None:
        if not isinstance(command, Query):
            super().carry_out(command, model, worker)
            return
        url = f"knowledge:{command.text}"
        seen = PageSeen(url=url, canonical_url=url, domain="oracle", title=command.text,
                        sha256=codec.digest(url, self.answer))  # fmt: skip
        self.record(
            Observed(at=self.now(), worker=worker, turn=command.turn, position=command.position, act=command.act,
                     page=seen, text=self.answer)
        )  # fmt: skip


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_extraction_is_forced_by_a_long_answer_of_a_knowledge_source(off: int) -> None:
    """As after a page: at the threshold research goes on, one character above it only notes tools are offered."""
    run = Oracle("How tall is the tower?", Library([], {}, knowledge=True), limits=Limits(extraction_threshold=200))
    run.answer = "The tower is 330 metres tall to its tip. ".ljust(200 + off, "x")
    plan: Calls = [("add_question", {**ASKED, "question": "How tall?"}), ("frontier_next", {})]
    run.step(saying("", *plan))
    asked: list[Request] = []
    for calls in ([("query", {"query": "tower height"})], []):
        turn = run.state.turn

        def reply(request: Request, calls: Calls = calls) -> Reply:
            asked.append(request)
            return answered(request, calls)

        while run.state.turn == turn:
            run.step(reply)
    assert "query" in {one.name for one in asked[0].tools}
    assert ({one.name for one in asked[1].tools} == NOTES) is (off > 0)
    entry = {"text": "It is 330 metres tall.", "source": "s_001", "quote": "The tower is 330 metres tall to its tip"}
    run.step(saying("", ("notes_append", {"section": "Unverified", "entries": [entry]})))
    assert results(run)[0].refused == ""
    assert run.state.claims["c_001"].links[0].located
    assert run.state.workers["w1"].next.kind is TurnKind.RESEARCHING
    retold(run)


class Walker:
    """Goes from question to question: asks the next one, searches, notes, answers; merges when the notes are long."""

    def __init__(self, run: Run) -> None:
        self.run, self.sizes = run, []

    def __call__(self, request: Request) -> Reply:
        state = self.run.state
        turn = open_turn(state)
        self.sizes.append(request.tokens)
        if turn.kind is TurnKind.PLANNING:
            return answered(request, [self._ask(1), ("frontier_next", {})])
        if turn.kind is TurnKind.CONSOLIDATION:
            live = [one.id for one in state.claims.values() if one.live]
            return answered(
                request, [("notes_update", {"id": one, "change": {"merged_into": live[-1]}}) for one in live[:-5]]
            )
        number = len(state.frontier.questions) - 1
        if not state.frontier.attempts_of(turn.question):
            return answered(request, [("web_search", {"query": f"stone {number}"})])
        mine = [one for one in state.claims.values() if one.question_id == turn.question]
        if not mine:
            entry = {"text": f"Stone {number} has the mark {number * 7}."}
            return answered(request, [("notes_append", {"section": "Unverified", "entries": [entry]})])
        settle = {"id": turn.question, "answer": f"The mark is {number * 7}.", "claim_ids": [mine[0].id],
                  "waive": {"challenge": "read once", "verified": "one stone each"}}  # fmt: skip
        return answered(request, [self._ask(number + 1), ("resolve_question", settle)])

    def _ask(self, number: int) -> tuple[str, dict[str, Any]]:
        return ("add_question", {**ASKED, "question": f"What mark has stone {number}?", "parent_id": "q_001"})


def walk(turns: int) -> tuple[Run, Walker]:
    limits = Limits(
        max_iterations=turns, max_questions=turns, synthesis_reserve=0.0, notes_max_tokens=800, max_stalled_turns=100
    )
    run = Run("What marks have the stones?", Library([], {}), limits=limits)
    model = Walker(run)
    run.go(model, most=10 * turns)
    return run, model


TURNS = 1000


def test_fold_takes_no_longer_for_late_events_than_for_early_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand turns: an event of the last quarter costs at most three of the first, and the prompt stays small.

    Notes are kept short by consolidation, so that what grows is the log, the frontier and the ledger behind them.
    """
    monkeypatch.setattr("driver.invariants", lambda state: ())  # checked everywhere else; here they would be the cost
    run, model = walk(TURNS)
    assert (run.state.turn, run.state.stop_reason) == (TURNS, StopReason.ITERATIONS)
    assert len(run.state.frontier.questions) > TURNS // 4
    quarter = len(run.events) // 4
    spent = _timed(run, quarter)
    print(f"fold of {TURNS} turns, {len(run.events)} events: {sum(spent):.2f} s; "
          f"us an event by quarter: {[round(one / quarter * 1e6) for one in spent]}")  # fmt: skip
    assert spent[3] <= 3 * spent[0]
    assert max(model.sizes[-50:]) <= 1.2 * max(model.sizes[15:65])


def _timed(run: Run, quarter: int) -> list[float]:
    """Seconds of processor time in each quarter of the log; the state that comes out is the run's."""
    state, spent = None, []
    for part in range(4):
        begin = time.process_time()
        for event in run.events[part * quarter : (part + 1) * quarter]:
            state = apply(state, event).state
        spent.append(time.process_time() - begin)
    for event in run.events[4 * quarter :]:
        state = apply(state, event).state
    assert state == run.state
    return spent
