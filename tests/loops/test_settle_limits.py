"""Limits are held against the turn that comes next, and every worker is told when they end exploration."""

from __future__ import annotations

import json
from typing import Any

from driver import Pages, Run, page

from investigator.core.events import HumanActed, RunResumed, TurnOpened
from investigator.core.limits import Limits
from investigator.core.vocab import Loop, TurnKind
from investigator.core.wire import Reply, Request, ToolCall, Usage
from investigator.loops.commands import Wait
from investigator.loops.machine import apply, decide

LONG = "The tower is 330 metres tall and was opened in 1962 by the queen. " * 10
ASKED = {"kind": "query", "rationale": "it matters", "validation_criteria": "a quote", "priority": 0.6}


def reply(request: Request, *calls: tuple[str, dict[str, Any]]) -> Reply:
    made = tuple(ToolCall(id=name, name=name, arguments=json.dumps(args)) for name, args in calls)
    return Reply(text="" if made else "hm", calls=made, usage=Usage(input_tokens=request.tokens, output_tokens=10))


def plan(*questions: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    return (*(("add_question", {**ASKED, "question": one}) for one in questions), ("frontier_next", {}))


def reader(run: Run, request: Request) -> Reply:
    """Plans, searches, reads, notes nothing relevant, and then only talks."""
    kind = next(one.open.kind for one in run.state.workers.values() if one.open is not None)
    if kind is TurnKind.PLANNING:
        return reply(request, *plan("How tall is it?"))
    if kind is TurnKind.EXTRACTION:
        entry = {"text": "read, nothing relevant", "source": "s_001"}
        return reply(request, ("notes_append", {"section": "Sources", "entries": [entry]}))
    if not run.state.known_urls:
        return reply(request, ("web_search", {"query": "tower"}))
    return reply(request, ("fetch_page", {"url": "https://a.test/1"})) if not run.state.pages else reply(request)


def read(tokens: int | None) -> Run:
    limits = Limits(
        max_total_tokens=tokens, synthesis_reserve=0.0, extraction_threshold=200, reply_tokens=16, max_iterations=12
    )
    run = Run("How tall is the tower?", Pages({"https://a.test/1": page("https://a.test/1", LONG)}), limits=limits)
    run.go(lambda request: reader(run, request))
    return run


def opened(run: Run) -> list[tuple[TurnOpened, int]]:
    """Each turn that was opened, with the tokens that were then spent or reserved."""
    found, state = [], None
    for event in run.events:
        state = apply(state, event).state
        if isinstance(event, TurnOpened):
            found.append((event, state.budget.committed_tokens))
    return found


def test_settle_reckons_with_the_turn_that_comes_next() -> None:
    """After an extraction turn of few tools, a turn of research goes out only if it fits, not if another would."""
    free = opened(read(None))
    at = next(n for n, (event, _) in enumerate(free) if event.turn_kind is TurnKind.EXTRACTION) + 1
    assert free[at][0].turn_kind is TurnKind.RESEARCHING
    assert free[at][0].reserved_tokens > free[at - 1][0].reserved_tokens
    limit = free[at][1] - 1
    tight = opened(read(limit))
    assert [event.turn_kind for event, _ in tight[:at]] == [event.turn_kind for event, _ in free[:at]]
    assert all(committed <= limit for _, committed in tight)


def test_settle_tells_every_worker_that_exploration_has_ended() -> None:
    """The lead waits for the other; when that one's turns come to nothing, the lead goes on: nobody waits for ever."""
    limits = Limits(max_parallel=2, max_stalled_turns=2, max_iterations=20)
    run = Run("How tall is the tower?", Pages({}), limits=limits)
    run.step(lambda request: reply(request, *plan("How tall is it?", "How old is it?")))
    run.record(RunResumed(at=run.now(), worker="w2"))
    pruned = json.dumps({"id": run.state.workers["w1"].current, "reason": "known"})
    run.record(HumanActed(at=run.now(), act=1, tool="prune_branch", arguments=pruned, user="eva"))
    assert isinstance(decide(run.state, "w1"), Wait)
    for _ in range(4):
        if not isinstance(decide(run.state, "w2"), Wait) and not run.state.done:
            run.step(reply, "w2")
    assert run.state.done
    assert (run.state.stop_reason, "No evidence found" in run.state.report) == ("breaker:stalled", True)


def test_settle_lets_one_worker_at_a_time_lead_the_simple_loop() -> None:
    """A second worker waits, also when it has come to lead while the first one's turn is still open."""
    run = Run("How tall is the tower?", Pages({}), limits=Limits(max_iterations=4), loop=Loop.SIMPLE)
    run.record(RunResumed(at=run.now(), worker="w0"))
    assert (run.state.lead, isinstance(decide(run.state, "w1"), Wait)) == ("w0", True)
    run.step(lambda request: reply(request, ("web_search", {"query": "tower"})), "w0")
    run.record(RunResumed(at=run.now(), worker="a0"))
    assert (run.state.lead, isinstance(decide(run.state, "a0"), Wait)) == ("a0", True)
    run.step(reply, "w0")
    assert not isinstance(decide(run.state, "a0"), Wait)
