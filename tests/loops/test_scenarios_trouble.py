"""What befalls a run: replies that are late or lost, models that fail, people who act, a second worker."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from dossiers import BRIDGE, LENGTH, MONEY, OBJECTIVE, OPENING, bridge_library
from driver import Run, page
from scripts import Calls, Finding, Ideal, Topic, act, answered, results, retold, saying, timeline

from investigator.core.events import (
    HumanActed,
    ModelFailed,
    ModelReplied,
    Observed,
    RunResumed,
    RunStopped,
    TurnOpened,
    WorkerLost,
)
from investigator.core.limits import Limits
from investigator.core.state import State
from investigator.core.vocab import ClaimStatus, Phase, QuestionStatus, RunStatus, StopReason, TurnKind
from investigator.core.wire import Hits, Reply, Request, Usage
from investigator.errors import ModelError
from investigator.loops.commands import CallModel, Done, Fetch, Wait
from investigator.loops.machine import decide

Model = Callable[[Request], Reply]


def begin(**limits: Any) -> tuple[Run, Ideal]:
    run = Run(OBJECTIVE, bridge_library(), limits=Limits(**limits))
    return run, Ideal(run, BRIDGE)


def until(run: Run, model: Model, there: Callable[[State], bool]) -> None:
    """Goes on until the state is such, between two turns."""
    while not (there(run.state) and all(one.open is None for one in run.state.workers.values())):
        assert run.step(model), run.state.status


def ask(run: Run, worker: str = "w1") -> CallModel:
    """Opens the next turn, as before a call whose reply is still to come."""
    command = decide(run.state, worker)
    assert isinstance(command, CallModel), command
    run.record(
        TurnOpened(
            at=run.now(), worker=worker, turn=command.turn, attempt=command.attempt, turn_kind=command.kind,
            question=command.question, reserved_tokens=command.reserved_tokens,
        )
    )  # fmt: skip
    return command


def come(run: Run, command: CallModel, reply: Reply, worker: str = "w1") -> None:
    """The reply to an asked turn comes in."""
    run.record(
        ModelReplied(at=run.now(), worker=worker, turn=command.turn, attempt=command.attempt, text=reply.text,
                     calls=reply.calls, usage=reply.usage)
    )  # fmt: skip


def lose(run: Run, command: CallModel) -> None:
    run.record(RunResumed(at=run.now(), worker="w1"))
    run.record(ModelFailed(at=run.now(), worker="w1", turn=command.turn, attempt=command.attempt, failure="lost"))


PRUNE: Calls = [("prune_branch", {"id": "q_003", "reason": "so it came late"})]


def test_a_reply_to_a_closed_turn_only_costs() -> None:
    """Try 1 is lost, try 2 closes the turn, then the reply to try 1 comes: it is paid for and changes nothing else."""
    run, model = begin()
    until(run, model, lambda state: state.turn == 2)
    first = ask(run)
    lose(run, first)
    assert (run.state.budget.lost_tokens, run.state.budget.reserved) == (first.reserved_tokens, {})
    second = decide(run.state, "w1")
    assert isinstance(second, CallModel)
    assert (second.turn, second.attempt, second.kind) == (first.turn, 2, first.kind)
    assert second.request == first.request
    until(run, model, lambda state: state.turn == 3)
    before = run.state
    come(run, first, answered(first.request, PRUNE))
    after = run.state
    assert after.frontier == before.frontier
    assert after.turn == before.turn
    assert after.budget.tokens == before.budget.tokens + first.request.tokens + 100
    run.go(model)
    assert run.state.stop_reason is StopReason.FINALIZED
    retold(run)


def test_a_reply_to_the_first_try_is_taken_while_the_second_is_out() -> None:
    """Whichever comes first counts; the other one is only paid for, and no reservation is left behind."""
    run, model = begin()
    until(run, model, lambda state: state.turn == 2)
    first = ask(run)
    lose(run, first)
    second = ask(run)
    come(run, first, answered(first.request, PRUNE))
    assert run.state.frontier.questions["q_003"].status is QuestionStatus.PRUNED
    turn, tokens = run.state.turn, run.state.budget.tokens
    come(run, second, answered(second.request, [("prune_branch", {"id": "q_004", "reason": "so it came twice"})]))
    assert run.state.frontier.questions["q_004"].status is QuestionStatus.PENDING
    assert (run.state.turn, run.state.budget.reserved) == (turn, {})
    assert run.state.budget.tokens > tokens
    run.go(model)
    retold(run)


def test_an_answer_of_the_web_that_comes_twice_is_taken_once() -> None:
    """The same search answered again, or for another position, changes nothing."""
    run, model = begin()
    until(run, model, lambda state: len(state.frontier.attempts) == 1)
    seen = next(one for one in reversed(run.events) if isinstance(one, Observed))
    before = run.state
    for position in (seen.position, seen.position + 1, 7):
        run.record(Observed(at=run.now(), worker="w1", turn=seen.turn, position=position, hits=Hits(hits=())))
    assert run.state.frontier == before.frontier
    assert run.state.workers["w1"].window == before.workers["w1"].window


@pytest.mark.parametrize("failure", ["rate_limit", "timeout", "connection", "bad_response", "unavailable"])
def test_a_failed_model_pauses_a_run_that_can_be_resumed(failure: str) -> None:
    """The turn stays open, nothing is decided while the run is paused, and after it the same turn is asked again."""
    run, model = begin()
    until(run, model, lambda state: state.turn == 5)

    def failing(request: Request) -> Reply:
        raise ModelError(failure, "no reply")

    run.step(failing)
    run.record(RunStopped(at=run.now(), reason="failed", error="the model did not answer"))
    assert (run.state.status, run.state.error) == (RunStatus.PAUSED, "the model did not answer")
    assert isinstance(decide(run.state, "w1"), Done)
    run.record(RunResumed(at=run.now(), worker="w1"))
    again = decide(run.state, "w1")
    assert isinstance(again, CallModel)
    assert (again.turn, again.attempt, run.state.turn, run.state.error) == (6, 2, 5, "")
    run.go(model)
    assert (run.state.stop_reason, run.state.turn) == (StopReason.FINALIZED, len(model.kinds))
    retold(run)


def test_a_context_that_is_too_long_is_tried_again_with_only_the_last_turn_raw() -> None:
    """The second try is shorter, is the same turn, and the prompts after it are whole again."""
    run, model = begin(keep_turns=3)
    until(run, model, lambda state: state.turn == 6)
    asked: list[Request] = []

    def long(request: Request) -> Reply:
        asked.append(request)
        if len(asked) == 1:
            raise ModelError("context_length", "too long")
        return model(request)

    run.step(long)
    run.step(long)
    assert asked[1].sections["turns"] < asked[0].sections["turns"]
    assert {name: asked[0].sections[name] for name in ("system", "notes", "frontier")} == {
        name: asked[1].sections[name] for name in ("system", "notes", "frontier")
    }
    tries = [(one.turn, one.attempt) for one in run.events if isinstance(one, TurnOpened)][-2:]
    assert tries == [(7, 1), (7, 2)]
    assert not run.state.workers["w1"].compact
    run.go(model)
    assert run.state.stop_reason is StopReason.FINALIZED
    retold(run)


def test_a_kill_at_any_turn_changes_nothing_but_tries_and_what_was_lost() -> None:
    """A run whose every call is lost once comes to the same frontier, claims and report as one without trouble."""
    calm, calm_model = begin()
    calm.go(calm_model)
    run, model = begin()
    while not run.state.done:
        command = decide(run.state, "w1")
        if isinstance(command, CallModel) and command.attempt == 1:
            lose(run, ask(run))
        else:
            run.step(model)
    assert [(one.id, one.status, one.answer) for one in run.state.frontier] == [
        (one.id, one.status, one.answer) for one in calm.state.frontier
    ]
    assert (run.state.report, run.state.turn) == (calm.state.report, calm.state.turn)
    assert run.state.budget.tokens == calm.state.budget.tokens
    assert run.state.budget.lost_tokens > 0 == calm.state.budget.lost_tokens
    retold(run)


def test_a_person_pins_and_adds_and_the_run_follows() -> None:
    """The pinned question is taken next; the added one is worked on and told."""
    run, model = begin()
    model.topics = (*BRIDGE, Topic(question="Who built it?", query="builders"))
    model._plan = lambda turn: Ideal(run, BRIDGE)._plan(turn)  # the model itself would not have asked
    until(run, model, lambda state: state.planned)
    assert act(run, "set_priority", id="q_004", priority=1, why="first of all").refused == ""
    added = act(run, "add_question", question="Who built it?", kind="query", rationale="she wants to know",
                validation_criteria="a quote", priority=0.95, parent_id="q_001")  # fmt: skip
    assert added.text.startswith("added q_005 under q_001")
    run.go(model)
    assert run.state.stop_reason is StopReason.FINALIZED
    taken = [one for one, trigger in timeline(run) if trigger == "selected"]
    assert list(dict.fromkeys(taken))[:4] == ["q_002", "q_004", "q_005", "q_003"]
    assert "q_005" in run.state.report.partition("## Gaps and assumptions")[2]
    retold(run)


def test_a_person_prunes_what_is_being_worked_on_while_the_model_thinks() -> None:
    """The reply comes to a closed question: outside calls and the answer are refused, the next one is taken."""
    run, model = begin()
    until(run, model, lambda state: state.turn == 2)
    command = ask(run)
    assert command.question == "q_002"
    assert act(run, "prune_branch", id="q_002", reason="known already").refused == ""
    late: Calls = [
        ("frontier_view", {}),
        ("web_search", {"query": "something else"}),
        ("notes_append", {"section": "gaps", "entries": [{"text": "not asked any more", "kind": "gap"}]}),
        ("resolve_question", {"id": "q_002", "answer": "1962", "claim_ids": ["c_001"]}),
    ]
    come(run, command, answered(command.request, late))
    assert [one.refused for one in results(run)] == ["", "closed", "", "unknown_claim"]
    following = run.state.workers["w1"].next
    assert (following.kind, following.question) == (TurnKind.RESEARCHING, "q_003")
    run.go(model)
    assert run.state.frontier.questions["q_002"].status is QuestionStatus.PRUNED
    assert run.state.stop_reason in (StopReason.FINALIZED, StopReason.FRONTIER_EXHAUSTED)
    retold(run)


NEW = "https://e.test/new"
CORRECTED = Topic(
    question=LENGTH.question,
    query=LENGTH.query,
    findings=(
        *LENGTH.findings,
        Finding(text="It is 430 metres long.", quotes={NEW: "With the ramps of 2020 it measures 430 metres"}),
    ),
)


def test_a_person_refutes_a_claim_with_a_page_of_her_own() -> None:
    """Her url has provenance, her fetch goes out before the model is asked, the answer is reopened and given anew."""
    library = bridge_library()
    library.pages[NEW] = page(NEW, "The county. With the ramps of 2020 it measures 430 metres from end to end.")
    run = Run(OBJECTIVE, library)
    model = Ideal(run, (OPENING, CORRECTED, MONEY))
    until(run, model, lambda state: state.frontier.questions.get("q_003", None) is not None
          and state.frontier.questions["q_003"].status is QuestionStatus.RESOLVED)  # fmt: skip
    act_number = run.state.acts + 1
    asked = json.dumps({"url": NEW})
    run.record(HumanActed(at=run.now(), act=act_number, tool="fetch_page", arguments=asked, user="eva"))
    command = decide(run.state, "w1")
    assert command == Fetch(turn=0, position=0, act=act_number, url=NEW)
    run.step(model)
    source = run.state.ledger.source_of(NEW)
    assert source is not None
    assert run.state.act_result.text.startswith(f"{source.id} read")
    old = next(one.id for one in run.state.claims.values() if "412" in one.text)
    entry = {"text": CORRECTED.findings[-1].text, "source": source.id, "quote": CORRECTED.findings[-1].quotes[NEW],
             "contradicts": [old], "question_id": "q_003"}  # fmt: skip
    assert act(run, "notes_append", section="Unverified", entries=[entry]).refused == ""
    refuted = act(run, "notes_update", id=old, change={"status": "REFUTED"})
    assert (refuted.refused, run.state.claims[old].status) == ("", ClaimStatus.REFUTED)
    assert run.state.frontier.questions["q_003"].status is QuestionStatus.PENDING
    run.go(model)
    assert run.state.stop_reason is StopReason.FINALIZED
    assert "430" in run.state.frontier.questions["q_003"].answer
    assert f"It was believed that The Larn bridge is 412 metres long [{old}]" in run.state.report
    actors = [one.user for one in run.events if isinstance(one, HumanActed)]
    assert actors == ["eva"] * 3
    retold(run)


def test_a_person_resolves_a_question_that_nobody_has_begun() -> None:
    """From pending, with her waivers; the agent takes it only when the claim that she cited has fallen."""
    run, model = begin()
    until(run, model, lambda state: "c_001" in state.claims)
    waive = {"challenge": "I was there", "verified": "I was there"}
    answer = act(run, "resolve_question", id="q_004", answer="The county paid.", claim_ids=["c_001"], waive=waive)
    assert answer.refused == ""
    run.go(model)
    steps = [trigger for one, trigger in timeline(run) if one == "q_004" and trigger != "reprioritized"]
    assert steps[:4] == ["created", "resolved", "reopened", "selected"]
    assert run.state.stop_reason is StopReason.FINALIZED
    retold(run)


def test_a_person_ends_exploration_or_the_run_while_the_model_thinks() -> None:
    """The reply's calls are refused as over; once the run is done a late reply is only paid for."""
    run, model = begin()
    until(run, model, lambda state: decide_kind(state) is TurnKind.CLOSING and state.conclusion != "")
    until(run, model, lambda state: state.frontier.root.settled or state.done or gate_open(state))
    assert run.state.phase is Phase.EXPLORATION
    command = ask(run)
    assert act(run, "resolve_question", id="q_001", answer=run.state.conclusion, claim_ids=["c_003"]).refused == ""
    assert act(run, "finish_exploration").refused == ""
    assert run.state.phase is Phase.SYNTHESIS
    come(run, command, answered(command.request, [("notes_scratch", {"text": "too late"})]))
    assert "too late" not in run.state.scratch
    command = ask(run)
    assert command.kind is TurnKind.SYNTHESIZING
    assert act(run, "finalize_report", report=model.written()).refused == ""
    assert (run.state.status, run.state.stop_reason) == (RunStatus.COMPLETED, StopReason.FINALIZED)
    report, tokens = run.state.report, run.state.budget.tokens
    late = Reply(calls=answered(command.request, [("finalize_report", {"report": "Mine."})]).calls,
                 usage=Usage(input_tokens=7))  # fmt: skip
    come(run, command, late)
    assert (run.state.report, run.state.budget.tokens) == (report, tokens + 7)
    assert act(run, "add_question", question="One more?", kind="query", rationale="x", validation_criteria="x",
               priority=1).refused == "over"  # fmt: skip
    assert isinstance(decide(run.state, "w1"), Done)
    retold(run)


def decide_kind(state: State) -> TurnKind:
    return state.workers["w1"].next.kind


def gate_open(state: State) -> bool:
    return any(one.outcome == "survived" for one in state.conclusion_challenges())


def test_two_workers_share_a_run_and_never_a_question() -> None:
    """The second joins by resuming; each holds one question, and the end is that of one worker, in fewer rounds."""
    run, model = begin(max_parallel=2)
    run.record(RunResumed(at=run.now(), worker="w2"))
    assert isinstance(decide(run.state, "w2"), Wait)  # planning is the first one's
    together, rounds = 0, 0
    while not run.state.done:
        rounds += 1
        assert rounds < 400
        for name in ("w1", "w2"):
            if not isinstance(decide(run.state, name), Wait | Done):
                run.step(model, name)
            held = [one.worker for one in run.state.frontier.in_progress()]
            assert len(held) == len(set(held))
            together = max(together, len(held))
    assert together == 2
    assert run.state.stop_reason is StopReason.FINALIZED
    assert {str(one.status) for one in run.state.frontier} == {"resolved", "unresolvable"}
    assert "May 1964 [c_" in run.state.report
    retold(run)


def test_a_lost_worker_gives_its_question_back() -> None:
    """The one in progress is pending again and taken by the other; the late reply is only paid for."""
    run, model = begin(max_parallel=2)
    run.record(RunResumed(at=run.now(), worker="w2"))
    until(run, model, lambda state: state.planned)
    command = ask(run, "w2")
    held = command.question
    run.record(WorkerLost(at=run.now(), worker="w2", by="w1"))
    assert run.state.frontier.questions[held].status is QuestionStatus.PENDING
    assert run.state.budget.lost_tokens == command.reserved_tokens
    turn, tokens = run.state.turn, run.state.budget.tokens
    come(run, command, answered(command.request, PRUNE), "w2")
    assert (run.state.turn, run.state.budget.tokens > tokens) == (turn, True)
    run.go(model)
    assert run.state.stop_reason is StopReason.FINALIZED
    retold(run)


def test_a_model_that_only_talks_is_reminded() -> None:
    """The next instruction says that nothing happened; after a call it says so no more."""
    run, model = begin()
    seen: list[str] = []

    def told(request: Request) -> Reply:
        seen.append(request.messages[-1].content)
        return saying("Let me see.")(request) if len(seen) == 1 else model(request)

    for _ in range(4):
        run.step(told)
    assert [("called no tool" in one) for one in seen[:3]] == [False, True, False]
