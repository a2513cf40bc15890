"""However foolish the model, a run ends by a rule of its own, with a report; so does the simple loop."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from dossiers import BRIDGE, OBJECTIVE, bridge_library
from driver import Run
from scripts import NOT_KNOWN, Calls, Ideal, Library, act, answered, open_turn, results, retold, saying

from investigator.core.limits import Limits
from investigator.core.report import check_report
from investigator.core.vocab import Loop, Phase, QuestionStatus, RunStatus, StopReason, TurnKind
from investigator.core.wire import Failure, Hits, Reply, Request

ASKED = {"kind": "query", "rationale": "it matters", "validation_criteria": "a quote", "priority": 0.7}
PLAN: Calls = [("add_question", {**ASKED, "question": "How long is it?"}), ("frontier_next", {})]
GUIDE = "https://a.test/guide"


def planned(run: Run, *calls: tuple[str, dict[str, Any]]) -> Callable[[Request], Reply]:
    """Plans one question in the first turn, then calls the same in every turn, whatever it is asked."""
    return lambda request: answered(request, PLAN if not run.state.planned else list(calls))


def new_questions(run: Run, number: int) -> Callable[[Request], Reply]:
    """Adds so many questions in every turn, each of them new."""

    def reply(request: Request) -> Reply:
        first = len(run.state.frontier.questions)
        asked = [{**ASKED, "question": f"What of number {first + one}?"} for one in range(number)]
        return answered(request, [("add_question", one) for one in asked])

    return reply


# What the model does all the time, and how many turns it takes until it is stopped for making no progress.
FOOLS: dict[str, tuple[Callable[[Run], Callable[[Request], Reply]], int]] = {
    "only text": (lambda run: saying("The bridge is long, I am sure."), 8),
    "nothing": (lambda run: saying(""), 8),
    "a tool that does not exist": (lambda run: saying("", ("call_a_friend", {})), 8),
    "arguments that are none": (lambda run: saying("", ("add_question", {"question": 7})), 8),
    "a search while planning": (lambda run: saying("", ("web_search", {"query": "length"})), 8),
    "one search": (lambda run: planned(run, ("web_search", {"query": "length"})), 9),
    "the end of exploration": (lambda run: planned(run, ("finish_exploration", {})), 9),
    "a report": (lambda run: planned(run, ("finalize_report", {"report": "## Summary\n\nIt is long."})), 9),
    "a page nobody named": (lambda run: planned(run, ("fetch_page", {"url": "https://a.test/guide"})), 9),
    "priorities": (lambda run: planned(run, ("set_priority", {"id": "q_002", "priority": 0.6, "why": "so"})), 9),
    "scratch": (lambda run: planned(run, ("notes_scratch", {"text": "Conclusion: it is long."})), 9),
    "views": (lambda run: planned(run, ("notes_read", {}), ("frontier_view", {}), ("challenges_view", {})), 9),
    # Eight children end planning; questions beyond them are no progress.
    "one more question": (lambda run: new_questions(run, 1), 16),
    "thirty more questions": (lambda run: new_questions(run, 30), 9),
}


@pytest.mark.parametrize("name", FOOLS)
def test_a_run_without_progress_is_stopped_as_stalled(name: str) -> None:
    """The breaker is named, code writes that there is no evidence, and the model is not asked once more."""
    model, turns = FOOLS[name]
    run = Run(OBJECTIVE, bridge_library())
    run.go(model(run))
    state = run.state
    assert (state.stop_reason, state.status, state.error) == (StopReason.STALLED, RunStatus.COMPLETED, "")
    assert state.turn == turns
    assert "No evidence found" in state.report
    assert "cut short by `breaker:stalled`" in state.report
    assert len(state.frontier.questions) <= 40
    assert all(one.id in state.report for one in state.frontier if one.status is QuestionStatus.PENDING)
    retold(run)


def test_reading_the_same_page_again_and_again_is_no_progress() -> None:
    """The page counts once; asking for it again, also by its other names, is refused and stops the run."""
    run = Run(OBJECTIVE, bridge_library())
    search = ("web_search", {"query": "opening"})
    run.go(planned(run, search, ("fetch_page", {"url": GUIDE}), ("fetch_page", {"url": "s_001"})))
    assert run.state.stop_reason is StopReason.STALLED
    assert len(run.state.pages) == 1
    assert [one.url for one in run.state.ledger.sources.values()] == [GUIDE]
    retold(run)


def test_a_status_turned_to_and_fro_is_no_progress() -> None:
    """What VERIFIED rests on counted when it came in; taking it back and giving it again brings nothing."""
    limits = Limits(min_challenges=0, min_independent_sources=1, max_iterations=60)
    run = Run(OBJECTIVE, bridge_library(), limits=limits)
    run.step(saying("", *PLAN))
    while not run.state.pages:
        run.step(saying("", ("web_search", {"query": "opening"}), ("fetch_page", {"url": GUIDE})))
    quote = next(one for one in run.state.page_of("s_001").text.splitlines() if len(one.split()) > 5)
    entry = {"text": "The guide tells of it.", "source": "s_001", "quote": quote}
    assert not act(run, "notes_append", section="Unverified", entries=[entry]).refused
    turned = itertools.cycle(("VERIFIED", "UNVERIFIED"))

    def toggle(request: Request) -> Reply:
        return answered(request, [("notes_update", {"id": "c_001", "change": {"status": next(turned)}})])

    turn = run.state.turn
    run.step(toggle)
    assert (results(run)[-1].refused, run.state.claims["c_001"].status) == ("", "VERIFIED")
    for _ in range(20):
        if run.state.phase is Phase.EXPLORATION:
            run.step(toggle)
    assert (run.state.ending, run.state.turn - turn <= 9) == (StopReason.STALLED, True)


def test_spamming_with_new_searches_is_stopped_as_stalled() -> None:
    """Queries that differ are all made, at most so many a turn, and bring nothing: that is no progress."""
    run = Run(OBJECTIVE, bridge_library(), limits=Limits(max_outside_calls=3))

    def spam(request: Request) -> Reply:
        number = run.state.opened
        searches: Calls = [("web_search", {"query": f"nothing {number} {one}"}) for one in range(5)]
        return answered(request, searches if run.state.planned else PLAN)

    run.go(spam)
    assert run.state.stop_reason is StopReason.STALLED
    assert len(run.state.frontier.attempts) == 8 * 3
    retold(run)


class Deaf(Library):
    """A library that does not answer."""

    def search(self, query: str, limit: int) -> Hits | Failure:
        return Failure(kind="unavailable", message="the provider did not answer")


def test_three_failed_searches_in_a_row_end_exploration() -> None:
    """Not two: the third one is the breaker; a failed search is no answer and may be made again."""
    run = Run(OBJECTIVE, Deaf([], {}))
    model = planned(run, ("web_search", {"query": "length"}))
    for _ in range(5):
        run.step(model)
    assert (run.state.failed_searches, run.state.phase) == (2, Phase.EXPLORATION)
    run.go(model)
    assert (run.state.stop_reason, run.state.failed_searches) == (StopReason.SEARCH, 3)
    assert "cut short by `breaker:search`" in run.state.report
    retold(run)


class Unread(Library):
    """A library whose pages cannot be read."""

    def fetch(self, url: str) -> Failure:
        return Failure(kind="timeout", message="the server did not answer")


def test_a_web_whose_pages_cannot_be_read_ends_in_a_report_that_says_so() -> None:
    """An ideal model exhausts its questions: each is unresolvable with its assumption."""
    library = bridge_library()
    run = Run(OBJECTIVE, Unread(list(library.pages.values()), library.catalogue))
    run.go(Ideal(run, BRIDGE))
    assert (run.state.status, run.state.stop_reason) == (RunStatus.COMPLETED, StopReason.FRONTIER_EXHAUSTED)
    assert {str(one.status) for one in run.state.frontier} == {"unresolvable"}
    assert run.state.report.count(NOT_KNOWN) == 4
    assert "No evidence found" in run.state.report
    assert run.state.pages == {}
    retold(run)


def halfway(limits: Limits | None = None) -> tuple[Run, Ideal]:
    """An ideal run up to synthesis, cut short there by its turns."""
    run = Run(OBJECTIVE, bridge_library(), limits=limits or Limits(max_iterations=20))
    model = Ideal(run, BRIDGE)
    while run.state.phase is Phase.EXPLORATION:
        assert run.step(model)
    return run, model


@pytest.mark.parametrize(
    "reply",
    [
        saying("I will write it soon."),
        saying(""),
        saying("", ("finalize_report", {"report": ""})),
        saying("", ("finalize_report", {"report": "The bridge is 999 metres long [c_999]."})),
        saying("", ("notes_read", {})),
        saying("", ("web_search", {"query": "length"})),
        saying("", ("finalize_report", {"report": "", "reopen_question_id": "q_002", "why": "a hole"})),
    ],
    ids=["talk", "nothing", "an empty report", "an invented one", "notes", "a search", "back"],
)
def test_synthesis_ends_with_its_last_turn_whatever_the_model_hands_in(reply: Callable[[Request], Reply]) -> None:
    """Three turns are left of twenty; the last offers one tool, and what comes of it is mended."""
    run, _ = halfway()
    asked: list[Request] = []

    def model(request: Request) -> Reply:
        asked.append(request)
        return reply(request)

    run.go(model)
    assert (run.state.turn, len(asked)) == (20, 3)
    assert ([one.name for one in asked[-1].tools], asked[-1].tool_choice) == (["finalize_report"], "finalize_report")
    assert all(one.tool_choice == "auto" for one in asked[:-1])
    assert (run.state.stop_reason, run.state.status) == (StopReason.ITERATIONS, RunStatus.COMPLETED)
    assert run.state.repaired
    assert check_report(run.state, run.state.model_report) == ()
    assert "cut short by `breaker:iterations`" in run.state.report
    assert "c_999" not in run.state.model_report
    retold(run)


def test_synthesis_has_five_turns_even_where_limits_leave_more() -> None:
    """Four turns to write, the fifth is the last."""
    run, _ = halfway(Limits(max_iterations=100, synthesis_reserve=0.8))
    kinds: list[TurnKind] = []

    def model(request: Request) -> Reply:
        kinds.append(open_turn(run.state).kind)
        return answered(request, [])

    run.go(model)
    assert kinds == [TurnKind.SYNTHESIZING] * 4 + [TurnKind.LAST]
    assert run.state.repaired


def test_text_that_passes_the_gate_is_the_report() -> None:
    """Where an endpoint cannot call tools, the text alone will do; it is stored as it was written."""
    run, ideal = halfway()
    run.go(lambda request: answered(request, [], ideal.written()))
    assert run.state.model_report == ideal.written().strip()
    assert not run.state.repaired
    retold(run)


def simple(limits: Limits | None = None, library: Library | None = None) -> Run:
    return Run(OBJECTIVE, library or bridge_library(), loop=Loop.SIMPLE, limits=limits or Limits())


def test_the_simple_loop_ends_on_text_and_lists_what_it_read() -> None:
    """Only outside tools are offered, the conversation grows, and the text is the report as it stands."""
    run = simple()
    turns: list[Calls] = [[("web_search", {"query": "length"})], [("fetch_page", {"url": "https://b.test/length"})], []]
    offered: list[list[str]] = []
    sizes: list[int] = []

    def model(request: Request) -> Reply:
        offered.append([one.name for one in request.tools])
        sizes.append(len(request.messages))
        calls = turns[len(offered) - 1]
        return answered(request, calls, "" if calls else "It is 412 metres long [s_001].")

    run.go(model)
    assert offered == [["web_search", "fetch_page"]] * 3
    assert sizes == sorted(set(sizes))
    assert (run.state.status, run.state.stop_reason) == (RunStatus.COMPLETED, StopReason.FINALIZED)
    assert "It is 412 metres long [s_001]." in run.state.report
    assert "https://b.test/length" in run.state.report.partition("## Sources")[2]
    assert list(run.state.frontier.questions) == ["q_001"]
    retold(run)


def test_the_simple_loop_refuses_the_tools_of_the_other_loop() -> None:
    """They are not offered, and calling one is answered with what may be called."""
    run = simple()
    run.step(saying("", ("add_question", {**ASKED, "question": "And?"}), ("finish_exploration", {})))
    assert [one.refused for one in results(run)] == ["not_offered", "not_offered"]
    assert list(run.state.frontier.questions) == ["q_001"]


@pytest.mark.parametrize(
    ("limits", "library", "ending", "turns"),
    [
        (Limits(max_iterations=6), bridge_library(), StopReason.ITERATIONS, 6),
        (Limits(max_stalled_turns=3), bridge_library(), StopReason.STALLED, 4),
        (Limits(), Deaf([], {}), StopReason.SEARCH, 4),
    ],
    ids=["iterations", "stalled", "search"],
)
def test_the_simple_loop_gives_the_last_turn_to_the_answer(
    limits: Limits, library: Library, ending: StopReason, turns: int
) -> None:
    """A model that only searches is told that it is the last turn, is offered no tool, and its text is the report."""
    run = simple(limits, library)
    last: list[Request] = []

    def model(request: Request) -> Reply:
        if not request.tools:
            last.append(request)
            return answered(request, [], "Nobody knows.")
        return answered(request, [("web_search", {"query": f"money {run.state.opened}"})])

    run.go(model)
    assert (run.state.stop_reason, run.state.turn, len(last)) == (ending, turns, 1)
    assert "last turn" in last[0].messages[-1].content
    assert "Nobody knows." in run.state.report
    assert f"cut short by `{ending}`" in run.state.report
    retold(run)


def test_the_simple_loop_ends_even_if_its_last_turn_calls_a_tool() -> None:
    """What is called then is refused, and code writes that there is no evidence."""
    run = simple(Limits(max_iterations=3))
    run.go(saying("", ("web_search", {"query": "money"})))
    assert (run.state.turn, run.state.stop_reason, run.state.repaired) == (3, StopReason.ITERATIONS, True)
    assert "No evidence found" in run.state.report
    retold(run)
