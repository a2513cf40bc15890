"""Every limit one below, at and one above where it bites."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from driver import Run, page
from scripts import Calls, Library, act, answered, open_turn, results, retold, saying

from investigator.core.events import TurnOpened
from investigator.core.frontier_moves import DEPTH_CAP
from investigator.core.limits import Limits, explored
from investigator.core.vocab import Loop, Phase, QuestionStatus, RunStatus, StopReason, TurnKind
from investigator.core.wire import Reply, Request
from investigator.loops.machine import apply

ASKED = {"kind": "query", "rationale": "it matters", "validation_criteria": "a quote", "priority": 0.7}
OBJECTIVE = "How tall is the tower?"
WRITING = (TurnKind.SYNTHESIZING, TurnKind.LAST)
CENT = {"price_input": "10000", "price_output": "10000"}  # a cent for each token


def question(text: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return ("add_question", {**ASKED, "question": text, **more})


class Busy:
    """Plans one question, then records one more claim in every turn; writes no report. Never stalls, never ends."""

    def __init__(self, run: Run) -> None:
        self.run, self.kinds, self.requests = run, [], []

    def __call__(self, request: Request) -> Reply:
        state = self.run.state
        self.kinds.append(open_turn(state).kind)
        self.requests.append(request)
        if not state.planned:
            return answered(request, [question("How tall?"), ("frontier_next", {})])
        if state.phase is Phase.SYNTHESIS:
            return answered(request, [], "The tower is tall.")
        entry = {"text": f"Stone {len(state.claims)} is in its place."}
        return answered(request, [("notes_append", {"section": "Unverified", "entries": [entry]})])

    @property
    def exploring(self) -> int:
        return sum(kind not in WRITING for kind in self.kinds)


def busy(library: Library | None = None, options: dict[str, str] | None = None, **limits: Any) -> tuple[Run, Busy]:
    run = Run(OBJECTIVE, library or Library([], {}), limits=Limits(**limits), options=options)
    return run, Busy(run)


@pytest.mark.parametrize("most", [2, 3, 7, 12, 13, 19, 20, 21])
def test_max_iterations_gives_exploration_its_share_and_the_report_the_rest(most: int) -> None:
    """floor(0.85 of the turns) explore, not one more nor less; the rest writes; the last one is forced."""
    run, model = busy(max_iterations=most)
    run.go(model)
    assert model.exploring == explored(most, 0.15)
    assert run.state.turn <= most
    assert run.state.stop_reason is StopReason.ITERATIONS
    if model.exploring > 1:  # without a claim there is nothing to ask the model for
        assert model.kinds[-1] is TurnKind.LAST
        assert len(model.kinds) == min(most, model.exploring + 5)
        assert run.state.repaired
    assert run.state.status is RunStatus.COMPLETED
    retold(run)


@pytest.mark.parametrize(
    ("limits", "reason", "loop"),
    [
        ({"max_iterations": 1}, StopReason.ITERATIONS, Loop.INVESTIGATIVE),  # the simple loop's one turn may answer
        ({"max_total_tokens": 10}, StopReason.TOKENS, Loop.INVESTIGATIVE),
        ({"max_total_tokens": 10}, StopReason.TOKENS, Loop.SIMPLE),
        ({"max_cost_usd": 0.01}, StopReason.COST, Loop.INVESTIGATIVE),
        ({"max_cost_usd": 0.01}, StopReason.COST, Loop.SIMPLE),
    ],
)
def test_a_run_in_which_not_one_call_fits_is_failed(limits: dict[str, Any], reason: StopReason, loop: Loop) -> None:
    """Nothing is asked, code says that there is no evidence and why, and the error names the breaker."""
    run = Run(OBJECTIVE, Library([], {}), limits=Limits(**limits), options=CENT, loop=loop)
    model = Busy(run)
    run.go(model)
    assert (model.kinds, run.state.turn, run.state.stop_reason) == ([], 0, reason)
    assert run.state.status is RunStatus.FAILED
    assert run.state.error == f"{reason}: not one call fitted into the limits of the run"
    assert "No evidence found" in run.state.report
    assert "not one call fitted into the limits of the run" in run.state.report
    retold(run)


def committed(run: Run) -> list[tuple[TurnKind, int, float]]:
    """Each turn as it was opened: its kind, and the tokens and dollars that were then spent or reserved."""
    state, found = None, []
    for event in run.events:
        state = apply(state, event).state
        if isinstance(event, TurnOpened):
            found.append((event.turn_kind, state.budget.committed_tokens, state.budget.committed_cost))
    return found


@pytest.mark.parametrize("off", [-1, 0, 1])
@pytest.mark.parametrize("at", [0, 1, 5])
def test_max_total_tokens_lets_a_turn_out_only_if_it_fits(at: int, off: int) -> None:
    """At exactly what the turn may need it goes out; with one token less exploration ends before it."""
    free, _ = busy(max_iterations=12, reply_tokens=50)
    free.go(Busy(free))
    needed = committed(free)[at][1]
    run, model = busy(max_iterations=12, reply_tokens=50, synthesis_reserve=0.0, max_total_tokens=needed + off)
    run.go(model)
    assert model.exploring == (at if off < 0 else at + 1)
    assert run.state.stop_reason is StopReason.TOKENS
    assert all(tokens <= needed + off for _, tokens, _ in committed(run))
    assert run.state.report
    retold(run)


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_max_cost_usd_lets_a_turn_out_only_if_it_fits(off: int) -> None:
    """The same for money, at a cent a token; what a reply cost is what its usage says."""
    free, _ = busy(options=CENT, max_iterations=12, reply_tokens=100)
    free.go(paying(Busy(free)))
    at = 4
    needed = committed(free)[at][2] + off / 100
    run, model = busy(options=CENT, max_iterations=12, reply_tokens=100, synthesis_reserve=0.0, max_cost_usd=needed)
    run.go(paying(model))
    assert model.exploring == (at if off < 0 else at + 1)
    assert run.state.stop_reason is StopReason.COST
    assert all(cost <= needed + 1e-9 for _, _, cost in committed(run))
    retold(run)


def paying(model: Busy) -> Any:
    """The model with its price on every reply."""

    def reply(request: Request) -> Reply:
        made = model(request)
        return replace(made, usage=replace(made.usage, cost_usd=made.usage.tokens / 100))

    return reply


def test_the_reserve_of_tokens_is_left_for_the_report() -> None:
    """Exploration stays in 0.6 of the tokens, and what it left is enough for turns of writing."""
    run, model = busy(max_total_tokens=30_000, synthesis_reserve=0.4, reply_tokens=100, max_iterations=60)
    run.go(model)
    tokens = {kind: [each for one, each, _ in committed(run) if one is kind] for kind in TurnKind}
    assert max(tokens[TurnKind.RESEARCHING]) <= 30_000 * 0.6
    assert max(tokens[TurnKind.LAST]) <= 30_000
    assert run.state.stop_reason is StopReason.TOKENS
    assert run.state.status is RunStatus.COMPLETED


def test_a_run_in_which_not_one_call_fits_to_write_is_failed_with_its_breaker() -> None:
    """Claims are there, tokens are not: code writes the report, and the error names the limit."""
    free, _ = busy(max_iterations=12, reply_tokens=50)
    free.go(Busy(free))
    at = committed(free)[3][1]
    run, model = busy(max_iterations=12, reply_tokens=50, synthesis_reserve=0.0, max_total_tokens=at)
    run.go(model)
    assert model.kinds[-1] is TurnKind.RESEARCHING
    assert (run.state.status, run.state.stop_reason) == (RunStatus.FAILED, StopReason.TOKENS)
    assert run.state.error == "breaker:tokens: not one call fitted to write the report"
    assert "Stone 0 is in its place" in run.state.report
    assert run.state.repaired
    retold(run)


@pytest.mark.parametrize("pause", [2, 3, 4])
def test_max_stalled_turns_counts_turns_in_a_row(pause: int) -> None:
    """With a limit of three, a pause of two turns is forgiven each time; one of three ends exploration."""
    run, model = busy(max_stalled_turns=3, max_iterations=24)

    def reply(request: Request) -> Reply:
        idle = run.state.opened > 1 and run.state.opened % (pause + 1) != 2
        return answered(request, [], "Hm.") if idle and run.state.phase is Phase.EXPLORATION else model(request)

    run.go(reply)
    assert run.state.stop_reason is (StopReason.ITERATIONS if pause < 3 else StopReason.STALLED)
    retold(run)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_max_reopens_lets_synthesis_go_back_so_often(most: int) -> None:
    """The next time it is refused, and the hole is a gap of the report."""
    run = Run(OBJECTIVE, Library([], {}), limits=Limits(max_reopens=most, max_iterations=40))
    asked = answer(run)
    back = {"report": "", "reopen_question_id": "q_002", "why": "a hole"}
    for number in range(most + 1):
        while run.state.phase is Phase.EXPLORATION:
            assert run.step(asked)
        run.step(saying("", ("finalize_report", back)))
        (result,) = results(run)
        assert result.refused == ("" if number < most else "reopens")
        assert run.state.reopens == min(number + 1, most)
    assert run.state.phase is Phase.SYNTHESIS
    run.go(asked)
    assert run.state.stop_reason is StopReason.FINALIZED
    retold(run)


def answer(run: Run) -> Any:
    """A model that answers its one question from one page, waives what it may, concludes and writes."""
    page_text = {"text": "The tower is tall.", "note": "one look"}

    def reply(request: Request) -> Reply:
        state, turn = run.state, open_turn(run.state)
        waive = {"challenge": "no time", "verified": "one look"}
        if turn.kind is TurnKind.PLANNING:
            return answered(request, [question("How tall?"), ("frontier_next", {})])
        if turn.kind in WRITING:
            text = "## Summary\n\nThe tower is tall, which is unverified [c_001].\n"
            return answered(request, [("finalize_report", {"report": text})])
        settle = {"answer": "Tall.", "claim_ids": ["c_001"], "waive": waive}
        if turn.kind is TurnKind.RESEARCHING:
            note = ("notes_append", {"section": "Unverified", "entries": [page_text]})
            return answered(request, [note, ("resolve_question", {**settle, "id": "q_002"})])
        attack: Calls = [
            ("notes_scratch", {"text": "Conclusion: it is tall."}),
            ("challenge", {"target_type": "conclusion", "strategy": "counterexample", "negation": "it is low",
                           "expected_if_false": ["a low one"], "query": "a low exception"}),
            ("web_search", {"query": "a low exception"}),
            ("record_challenge_result", {"id": "ch_001", "outcome": "survived", "evidence": "no", "source_ids": []}),
        ]  # fmt: skip
        root = [] if state.frontier.root.settled else [("resolve_question", {**settle, "id": "q_001"})]
        return answered(request, [*([] if state.challenges else attack), *root, ("finish_exploration", {})])

    return reply


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_max_outside_calls_are_made_in_one_turn_and_no_more(more: int) -> None:
    """The call after the last one allowed is refused; state calls behind it still run."""
    run, model = busy(max_outside_calls=3)
    run.step(model)
    searches: Calls = [("web_search", {"query": f"word {number}"}) for number in range(3 + more)]
    turn = run.state.turn
    while run.state.turn == turn:
        run.step(saying("", *searches, ("frontier_view", {})))
    refused = [one.refused for one in results(run)]
    assert refused == [*[""] * min(3, 3 + more), *["outside_cap"] * max(0, more), ""]
    assert len(run.state.frontier.attempts) == min(3, 3 + more)


@pytest.mark.parametrize("asked", [3, 4, 5])
def test_max_questions_counts_the_root(asked: int) -> None:
    """With a limit of five there is room for four; the next is refused with what to do instead."""
    run, _ = busy(max_questions=5)
    run.step(saying("", *(question(f"What of number {number}?") for number in range(asked))))
    refused = [one.refused for one in results(run)]
    assert refused == [*[""] * min(4, asked), *["question_cap"] * max(0, asked - 4)]
    assert len(run.state.frontier.questions) == 1 + min(4, asked)
    if asked > 4:
        assert "open gap in notes" in results(run)[-1].text
    retold(run)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_depth_is_the_deepest_question(most: int) -> None:
    """Each question below the last one; the first too deep is refused in the design's words."""
    run, _ = busy(max_depth=most)
    parents = ["q_001", *(f"q_{number:03d}" for number in range(2, most + 2))]
    run.step(saying("", *(question(f"And {one}?", parent_id=one) for one in parents)))
    assert [one.refused for one in results(run)] == [*[""] * most, "depth_cap"]
    assert DEPTH_CAP in results(run)[-1].text
    assert max(one.depth for one in run.state.frontier) == most


@pytest.mark.parametrize("most", [1, 2, 4])
def test_max_attempts_counts_the_first_search_and_the_accepted_retries(most: int) -> None:
    """Fetches and the search that carries a retry out add nothing; at the cap only an assumption ends the question."""
    run, model = busy(max_attempts=most)
    run.step(model)
    turn_of(run, ("web_search", {"query": "word 0"}))
    for number in range(1, most):
        retry = {"id": "q_002", "new_query": f"word {number}", "why": "nothing"}
        turn_of(run, ("retry_question", retry), ("web_search", {"query": f"word {number}"}))
        assert [one.refused for one in results(run)] == ["", ""]
        assert run.state.frontier.attempts_count("q_002") == number + 1
    last = {"id": "q_002", "new_query": "word 99", "why": "nothing"}
    turn_of(run, ("retry_question", last))
    assert results(run)[0].refused == "assumption_required"
    assert run.state.frontier.questions["q_002"].status is QuestionStatus.IN_PROGRESS
    turn_of(run, ("retry_question", {**last, "assumption": "it is tall"}))
    assert run.state.frontier.questions["q_002"].status is QuestionStatus.UNRESOLVABLE
    assert len(run.state.frontier.attempts) == most
    retold(run)


def turn_of(run: Run, *calls: tuple[str, dict[str, Any]]) -> None:
    """One whole turn with these calls."""
    turn = run.state.turn
    while run.state.turn == turn:
        assert run.step(saying("", *calls))


LONG = "The tower was measured from the square. " + "It rained on the roofs of the town that day. " * 30


def reading(threshold: int, **facts: Any) -> Run:
    """A run that has just read one long page."""
    library = Library([page("https://a.test/long", LONG), page("https://b.test/x", "Short.")],
                      {"tower": ("https://a.test/long", "https://b.test/x")}, **facts)  # fmt: skip
    run, model = busy(library, extraction_threshold=threshold)
    run.step(model)
    turn_of(run, ("web_search", {"query": "tower"}))
    return run


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_extraction_is_forced_by_a_page_over_the_threshold(off: int) -> None:
    """One character more than the threshold; then only notes tools are offered, and no second page may be fetched."""
    run = reading(len(LONG) - off)
    turn_of(run, ("fetch_page", {"url": "https://a.test/long"}), ("fetch_page", {"url": "https://b.test/x"}))
    forced = off > 0
    assert [one.refused for one in results(run)] == ["", "extract_first" if forced else ""]
    asked: list[Request] = []
    calls = (("notes_read", {}), ("web_search", {"query": "tower two"}))

    def silent(request: Request) -> Reply:
        asked.append(request)
        return answered(request, list(calls))

    turn = run.state.turn
    run.step(silent)
    offered = {one.name for one in asked[0].tools}
    assert (offered == {"notes_read", "notes_append", "notes_update", "notes_scratch"}) is forced
    if not forced:
        return
    assert (run.state.turn, results(run)[1].refused) == (turn + 1, "not_offered")
    assert "<page " in asked[0].messages[-2].content
    run.step(silent)  # repeated once, then code notes it
    assert run.state.ledger.sources["s_001"].note == "read, nothing relevant"
    run.step(silent)
    assert "web_search" in {one.name for one in asked[-1].tools}
    assert not any("<page " in one.content for one in asked[-1].messages)


def test_consolidation_is_forced_when_the_notes_are_too_long_and_not_at_once_again() -> None:
    """Only notes tools are offered; a model that shortens nothing goes on, until they have grown by a tenth."""
    run, model = busy(notes_max_tokens=200, max_iterations=60)
    run.go(model)
    consolidations = [number for number, kind in enumerate(model.kinds) if kind is TurnKind.CONSOLIDATION]
    assert len(consolidations) >= 3
    assert all(two - one > 1 for one, two in itertools.pairwise(consolidations))
    for number in consolidations:
        names = {one.name for one in model.requests[number].tools}
        assert names == {"notes_read", "notes_append", "notes_update", "notes_scratch"}
    assert run.state.stop_reason is StopReason.ITERATIONS
    retold(run)


def test_limits_that_a_person_narrows_hold_from_then_on() -> None:
    """Fewer turns than were already used: the report is written in what is left, which is one turn or none."""
    run, model = busy(max_iterations=40)
    for _ in range(10):
        run.step(model)
    assert act(run, "set_limits", limits={"max_iterations": 11}).refused == ""
    run.go(model)
    assert (run.state.turn, model.kinds[-1], run.state.stop_reason) == (11, TurnKind.LAST, StopReason.ITERATIONS)
    retold(run)


LITTLE = Limits(max_total_tokens=20_000, reply_tokens=100, max_stalled_turns=1000)


@pytest.mark.parametrize("limit", range(9_000, 30_000, 1_500))
def test_the_last_turn_of_the_simple_loop_happens_when_it_fits_without_the_pages(limit: int) -> None:
    """A turn may read more than what is left can hold: the oldest pages are dropped, and the model still answers."""
    pages = [page(f"https://{name}.test/x", f"Of {name}. " + "It rained on the town. " * 600) for name in "abc"]
    library = Library(pages, {"tower": tuple(one.url for one in pages)})
    run = Run(OBJECTIVE, library, loop=Loop.SIMPLE, limits=Limits(max_total_tokens=limit))

    def model(request: Request) -> Reply:
        if not request.tools:
            return answered(request, [], "It is tall.")
        fetches: Calls = [("fetch_page", {"url": one.url}) for one in pages]
        return answered(request, [("web_search", {"query": f"tower {run.state.opened}"}), *fetches])

    run.go(model)
    assert (run.state.status, run.state.error) == (RunStatus.COMPLETED, "")
    assert "It is tall." in run.state.report
    assert max(tokens for _, tokens, _ in committed(run)) <= limit
    retold(run)


def test_the_simple_loop_stops_at_its_tokens() -> None:
    """No call goes out that would not fit; the last one that does may only answer."""
    run = Run(OBJECTIVE, Library([], {}), loop=Loop.SIMPLE, limits=LITTLE)

    def model(request: Request) -> Reply:
        return answered(request, [("web_search", {"query": f"word {run.state.opened}"})])

    run.go(model)
    assert run.state.stop_reason is StopReason.TOKENS
    assert max(tokens for _, tokens, _ in committed(run)) <= 20_000
    assert run.state.report
    retold(run)


def test_a_reply_of_a_thousand_calls_gets_as_many_answers_and_runs_the_first_64() -> None:
    """Each call has its one answer, whatever is done with it."""
    run = Run("How tall is the tower?", Library([], {}))
    run.step(saying("", *[("frontier_view", {})] * 1000))
    refused = [one.refused for one in results(run)]
    assert refused == [*[""] * 64, *["calls_cap"] * 936]
    assert results(run)[64].text == (
        "REFUSED (calls_cap): a reply may make 64 calls; this one was not run. Go on in the next turn."
    )
