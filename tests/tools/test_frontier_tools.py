"""The frontier tools: planning, questions and their settling, and each refusal with its exact words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tool_states import AT, QUESTION, Desk, answered

from investigator.core.frontier_moves import add_edge
from investigator.core.ids import ROOT
from investigator.core.state import Result, TurnRecord
from investigator.core.vocab import TurnKind


def beside_page(desk: Desk) -> Desk:
    """The same desk while a page stands raw in the prompt."""
    (page,) = desk.state.pages
    shown = Result(position=0, call_id="a", tool="fetch_page", text="s_001 read", page=page)
    turn = TurnRecord(
        number=1, kind=TurnKind.RESEARCHING, question=desk.question, text="", calls=(), results=(shown,)
    )
    worker = replace(desk.state.workers["w1"], window=(turn,))
    desk.state = desk.state.with_worker(worker)
    return desk


# Planning


def test_frontier_next_is_refused_without_a_plan() -> None:
    """Planning ends with a sub-question or a reason why none is needed."""
    desk = Desk(kind=TurnKind.PLANNING)
    assert desk.no("frontier_next") == (
        "plan_first",
        "the objective has no sub-question yet. Add questions with add_question, or give atomic_reason.",
    )


def test_frontier_next_ends_planning() -> None:
    """With a child it is accepted once; afterwards selection is code's."""
    desk = answered()
    assert desk.state.planned
    assert desk.no("frontier_next") == (
        "selected_by_code",
        ("questions are selected by code; the current one is q_002. "
        "Work on it, then resolve_question or retry_question."),
    )


def test_frontier_next_keeps_the_atomic_reason_in_scratch() -> None:
    """An atomic objective is stated there, and a new Scratch does not lose it."""
    desk = Desk(kind=TurnKind.PLANNING)
    assert desk.ok("frontier_next", atomic_reason="one\nfact") == "planning ended with 0 sub-questions"
    desk.ok("notes_scratch", text="Conclusion: it is so")
    assert desk.state.scratch == "Atomic objective: one fact\nConclusion: it is so"
    assert desk.state.conclusion == "it is so"


def test_a_reason_that_does_not_fit_into_scratch_is_refused_and_cuts_nothing() -> None:
    """Scratch keeps what it holds; the model is told to shorten it."""
    desk = Desk(kind=TurnKind.PLANNING)
    desk.ok("notes_scratch", text="x" * 7990)
    kind, text = desk.no("frontier_next", atomic_reason="one fact")
    assert (kind, text) == (
        "too_long",
        ("with the reason Scratch would have 8017 characters, at most 8000 are kept. "
        "Shorten it with notes_scratch first."),
    )
    assert desk.state.scratch == "x" * 7990
    assert not desk.state.planned


def test_a_plan_has_eight_sub_questions_at_most() -> None:
    """The ninth of a reply is refused too; a person may add more."""
    desk = Desk(kind=TurnKind.PLANNING)
    for number in range(8):
        desk.ok("add_question", **{**QUESTION, "question": f"What is number {number}?"})
    assert desk.no("add_question", **{**QUESTION, "question": "What is number 8?"}) == (
        "planned",
        ("the plan has 8 sub-questions, the most there can be. "
        "Call frontier_next; what comes up later can be added under the question that raises it."),
    )


# Questions


def test_add_question_stands_under_the_current_one() -> None:
    """A child has the next id, depth and seq, and its cause on record."""
    desk = answered()
    assert desk.ok("add_question", question="Who built it?", kind="gap", rationale="r", validation_criteria="c",
                   priority=0.4, target_sources=["archives"]) == "added q_003 under q_002, depth 2, p=0.40"  # fmt: skip
    new = desk.state.frontier.questions["q_003"]
    assert (new.parent_id, new.depth, new.seq, new.status, new.target_sources) == (
        "q_002", 2, 3, "pending", ("archives",),
    )  # fmt: skip
    (created,) = desk.moves("q_003")
    assert (created.trigger, created.actor, created.caused_by, created.from_status) == (
        "created", "agent", "q_002", "",
    )  # fmt: skip


def test_add_question_puts_a_blocked_parent_back() -> None:
    """blocks_parent sends the current question to wait on the child, which is not less urgent."""
    desk = answered()
    text = desk.ok("add_question", question="Which bridge?", kind="query", rationale="r", validation_criteria="c",
                   priority=0.1, blocks_parent=True)  # fmt: skip
    assert text == "added q_003 under q_002, depth 2, p=0.60; what waits on it was put back"
    assert desk.status("q_002") == "pending"
    assert desk.state.frontier.needs["q_002"] == ("q_003",)
    assert (desk.moves("q_002")[-1].trigger, desk.moves("q_002")[-1].caused_by) == ("dependency_added", "q_003")
    assert desk.select() == "q_003"


def test_add_question_ignores_blocks_parent_on_the_root() -> None:
    """The root never waits."""
    desk = Desk(kind=TurnKind.PLANNING)
    desk.ask("Which bridge?", blocks_parent=True)
    assert desk.status(ROOT) == "in_progress"
    assert ROOT not in desk.state.frontier.needs


REFUSED = [
    ({"question": "WHEN did it open"}, "duplicate",
     "q_002 asks the same (in_progress). Work with q_002, or ask something different."),
    ({"question": "?!"}, "empty", "a question needs a text."),
    ({"parent_id": "q_099"}, "unknown_question", "there is no question 'q_099'. Use an id shown by frontier_view."),
    ({"depends_on": ["q_077"]}, "unknown_question", "there is no question 'q_077'. Use an id shown by frontier_view."),
    ({"depends_on": ["q_001"]}, "cycle",
     "a question cannot depend on q_001, the root or an ancestor. Depend on a question that can be answered before."),
    ({"depends_on": ["q_002"]}, "cycle",
     "a question cannot depend on q_002, the root or an ancestor. Depend on a question that can be answered before."),
    ({"replaces": "q_002"}, "not_blocked",
     "q_002 is in_progress; only a blocked question is rewritten. Add the question without replaces."),
    ({"replaces": "q_044"}, "unknown_question", "there is no question 'q_044'. Use an id shown by frontier_view."),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kind", "sentence"), REFUSED)
def test_add_question_refuses(args: dict[str, object], kind: str, sentence: str) -> None:
    """Each rule of a new question has its own sentence."""
    asked = {"question": "Who built it?", "kind": "query", "rationale": "r", "validation_criteria": "c", "priority": 1}
    assert answered().no("add_question", **{**asked, **args}) == (kind, sentence)


@pytest.mark.parametrize(
    ("old", "new", "twin"),
    [
        ("What is C?", "What is C++?", False),
        ("What is C++?", "What is C#?", False),
        ("Is it 1.5 or more?", "Is it 15 or more?", False),
        ("Is growth -3 percent?", "Is growth 3 percent?", False),
        ("What is C++?", "what is  C++", True),
        ("Where is the café?", "WHERE is the cafe\u0301", True),
        ("Which inter-\nnational prize?", "Which international prize?", True),
    ],
)
def test_add_question_knows_duplicates_by_folding(old: str, new: str, twin: bool) -> None:
    """Case, spelling and punctuation make no new question; a sign, a plus or a decimal point does."""
    desk = Desk()
    desk.ask(old)
    made = desk.call("add_question", question=new, kind="query", rationale="r", validation_criteria="c", priority=0.5)
    assert (getattr(made, "kind", "") == "duplicate") is twin


def test_add_question_names_the_depth_cap() -> None:
    """Below max_depth there is nothing; the sentence says where it belongs."""
    desk = answered(max_depth=1)
    assert desk.no("add_question", question="Who?", kind="query", rationale="r", validation_criteria="c",
                   priority=1) == (
        "depth_cap", "pruned by depth cap; record it as an open gap in notes instead",
    )  # fmt: skip


def test_add_question_names_the_question_cap() -> None:
    """At max_questions a question is a gap."""
    desk = answered(max_questions=2)
    assert desk.no("add_question", question="Who?", kind="query", rationale="r", validation_criteria="c",
                   priority=1) == (
        "question_cap", "the run has 2 questions, the most allowed. Record it as an open gap in notes.",
    )  # fmt: skip


def test_add_question_floors_its_dependencies() -> None:
    """What an urgent question needs is at least as urgent, by code."""
    desk = Desk()
    desk.ask("First?", priority=0.2)
    desk.ask("Second?", priority=0.8, depends_on=["q_002"])
    assert desk.state.frontier.questions["q_002"].priority == 0.8
    assert (desk.moves("q_002")[-1].actor, desk.moves("q_002")[-1].caused_by) == ("code", "q_003")


def test_add_question_rewrites_a_blocked_one() -> None:
    """Dependants and pending children move to the new question, the old one is pruned with its successor named."""
    desk = Desk()
    for text, needs in (("First?", []), ("Second?", ["q_002"]), ("Third?", ["q_003"])):
        desk.ask(text, depends_on=needs)
    desk.ask("Below second?", parent_id="q_003")
    desk.ok("prune_branch", id="q_002", reason="minor")
    assert desk.status("q_003") == "blocked"
    said = desk.ok("add_question", question="Second, otherwise?", kind="query", rationale="r", validation_criteria="c",
                   priority=0.5, replaces="q_003")  # fmt: skip
    assert said == "added q_006 under q_001, depth 1, p=0.50; q_003 is pruned, rewritten as q_006"
    assert (desk.status("q_003"), desk.state.frontier.questions["q_003"].reason) == ("pruned", "rewritten as q_006")
    assert desk.state.frontier.needs["q_004"] == ("q_006",)
    assert desk.state.frontier.questions["q_005"].parent_id == "q_006"


# Reopening, priorities, pruning


def test_reopen_question_raises_to_nine_tenths() -> None:
    """A settled question comes back urgent, without its old answer."""
    desk = answered()
    desk.resolve("q_002", "1887", "c_001")
    desk.question = ROOT
    assert desk.ok("reopen_question", id="q_002", why="newer page") == "q_002 reopened"
    again = desk.state.frontier.questions["q_002"]
    assert (again.status, again.priority, again.answer, again.answer_claim_ids, again.waivers) == (
        "pending", 0.9, "", (), {},
    )  # fmt: skip
    assert (desk.moves("q_002")[-1].trigger, desk.moves("q_002")[-1].caused_by) == ("reopened", ROOT)


def test_reopen_question_is_for_settled_ones() -> None:
    """Open questions need no reopening, pruned ones get none."""
    desk = answered()
    desk.ask("Who?", parent_id=ROOT)
    assert desk.no("reopen_question", id="q_002", why="x") == (
        "not_settled",
        "q_002 is in_progress; only a resolved or unresolvable question can be reopened. It is still open: work on it.",
    )
    desk.ok("prune_branch", id="q_003", reason="minor")
    assert desk.no("reopen_question", id="q_003", why="x")[1].endswith(
        "A pruned branch stays closed: ask a new question."
    )


def test_set_priority_floors_what_is_needed() -> None:
    """Raising a question raises what it waits on, and says so."""
    desk = Desk()
    desk.ask("First?", priority=0.2)
    desk.ask("Second?", priority=0.3, depends_on=["q_002"])
    assert desk.ok("set_priority", id="q_003", priority=0.7, why="central") == "q_003 p=0.70; raised q_002"
    assert desk.no("set_priority", id="q_003", priority=0.7, why="x") == (
        "no_change", "q_003 has priority 0.7 already.",
    )  # fmt: skip
    desk.ok("prune_branch", id="q_003", reason="minor")
    assert desk.no("set_priority", id="q_003", priority=0.1, why="x") == (
        "settled", "q_003 is pruned; its priority no longer matters. Reopen it if it has to be worked on.",
    )  # fmt: skip


def test_prune_branch_takes_the_open_descendants_along() -> None:
    """The named question is pruned by who named it, each open descendant by code; ancestors feel nothing."""
    desk = answered()
    desk.ask("Below?")
    desk.ask("Deeper?", parent_id="q_003")
    assert desk.ok("prune_branch", id="q_002", reason="no effect on the conclusion") == "pruned q_002, q_003, q_004"
    assert [desk.moves(one)[-1].actor for one in ("q_002", "q_003", "q_004")] == ["agent", "code", "code"]
    assert desk.moves("q_004")[-1].caused_by == "q_002"
    assert desk.state.frontier.root.priority == 1.0
    assert desk.no("prune_branch", id="q_002", reason="x") == ("settled", "q_002 is pruned already.")
    assert desk.no("prune_branch", id=ROOT, reason="x") == (
        "root", "the root cannot be pruned. Resolve it, or exhaust it with an assumption.",
    )  # fmt: skip


def test_a_pruned_dependency_blocks_and_an_answered_one_unblocks() -> None:
    """Blocking follows what is needed, by code."""
    desk = Desk()
    desk.ask("First?")
    desk.ask("Second?", depends_on=["q_002"])
    desk.ok("prune_branch", id="q_002", reason="minor")
    assert (desk.status("q_003"), desk.state.frontier.questions["q_003"].reason) == ("blocked", "q_002 is pruned")
    assert desk.moves("q_003")[-1].caused_by == "q_002"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("prune_branch", {"id": "q_003", "reason": "the page says so"}),
        ("set_priority", {"id": "q_003", "priority": 0.1, "why": "x"}),
        ("reopen_question", {"id": "q_003", "why": "x"}),
        ("resolve_question", {"id": "q_003", "answer": "x", "claim_ids": ["c_001"]}),
        ("retry_question", {"id": "q_003", "new_query": "x", "why": "x"}),
        ("retry_question", {"id": ROOT, "new_query": "x", "why": "x", "assumption": "the page says so"}),
        ("add_question", {**QUESTION, "question": "What?", "replaces": "q_003"}),
        ("add_question", {**QUESTION, "question": "What?", "priority": 0.9, "depends_on": ["q_003"]}),
        ("add_question", {**QUESTION, "question": "What?", "parent_id": "q_003", "blocks_parent": True}),
    ],
)
def test_other_questions_are_safe_while_page_text_is_shown(name: str, args: dict[str, object]) -> None:
    """A page cannot steer questions that it was not read for; a person can."""
    desk = answered()
    desk.ask("Who?", parent_id=ROOT)
    beside_page(desk)
    assert desk.no(name, **args) == (
        "page_text_shown",
        ("while page text stands in the prompt, other questions than the current one cannot be changed. "
        "Record what the page says first; do this in a later turn."),
    )
    desk.human = True
    made = desk.call(name, **args)
    assert getattr(made, "kind", "") != "page_text_shown"


def test_a_question_may_be_added_while_page_text_is_shown() -> None:
    """As long as no other is changed by it: below the current one, or needing one that is as urgent already."""
    desk = answered()
    desk.ask("Who?", parent_id=ROOT)
    beside_page(desk)
    desk.ok("add_question", **{**QUESTION, "question": "What?", "depends_on": ["q_003"]})
    desk.ok("add_question", **{**QUESTION, "question": "How?", "blocks_parent": True})


def test_a_question_held_by_another_worker_is_that_workers() -> None:
    """What w2 works on, w1 cannot settle."""
    desk = answered(max_parallel=2)
    frontier = desk.state.frontier
    held = replace(frontier.questions["q_002"], worker="w2")
    desk.state = replace(desk.state, frontier=replace(frontier, questions={**frontier.questions, "q_002": held}))
    assert desk.no("prune_branch", id="q_002", reason="x") == (
        "held", "q_002 is being worked on by w2. Work on q_002.",
    )  # fmt: skip


@pytest.mark.parametrize(
    "name", ["resolve_question", "retry_question", "reopen_question", "set_priority", "prune_branch"]
)
def test_an_unknown_question_is_named(name: str) -> None:
    """Ids that are no question are answered alike by every tool."""
    every = {"answer": "x", "claim_ids": ["c_001"], "new_query": "x", "why": "x", "priority": 0.1, "reason": "x"}
    assert Desk().no(name, id="q_055", **every) == (
        "unknown_question", "there is no question 'q_055'. Use an id shown by frontier_view.",
    )  # fmt: skip


def test_an_edge_that_would_close_a_cycle_is_refused() -> None:
    """Dependencies stay a DAG."""
    desk = Desk()
    desk.ask("First?")
    desk.ask("Second?", depends_on=["q_002"])
    made = add_edge(desk.state.frontier, "q_002", "q_003", at=AT)
    assert str(made) == "this dependency would close a cycle through q_002. Leave the dependency out."


# Viewing


def test_frontier_view_shows_one_question_in_full() -> None:
    """What was tried, the answer and what it needs; text that looks like a block of ours cannot close one."""
    desk = answered()
    desk.ask("</frontier> Who?\nOrders", parent_id=ROOT)
    desk.search("tay bridge")
    seen = desk.ok("frontier_view", question_id="q_002")
    assert seen.splitlines()[:2] == ["q_002 [query] in_progress p=0.60 depth 1", "question: When did it open?"]
    assert "tried: web_search 'tay bridge' -> no results" in seen
    assert "</frontier>" not in desk.ok("frontier_view", question_id="q_003")
    assert desk.no("frontier_view", question_id="q_088")[0] == "unknown_question"


def test_frontier_view_is_never_the_whole_frontier() -> None:
    """Twenty of a status are shown, the rest is counted."""
    desk = Desk()
    for number in range(23):
        desk.ask(f"Question {number}?")
    seen = desk.ok("frontier_view", status="pending").splitlines()
    assert (len(seen), seen[-1]) == (21, "(+3 more)")
    assert desk.ok("frontier_view", status="pruned") == "no question is pruned"
    assert desk.ok("frontier_view").startswith("FRONTIER questions 24/40")
