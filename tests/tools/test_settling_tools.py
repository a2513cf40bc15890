"""Settling questions: what an answer needs, what a retry costs, and each refusal with its exact words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tool_states import ATTACK, TAY, Desk, answered

from investigator.core.ids import ROOT
from investigator.core.vocab import Actor


def test_resolve_question_settles_with_claims() -> None:
    """An answer with its claims stands once it was challenged; unverified ones are said to be so."""
    desk = answered()
    opened = desk.ok("challenge", target_type="question_answer", question_id="q_002", belief="It opened in 1887.",
                     strategy="direct_negation", negation="it opened later", expected_if_false=["x"],
                     query="tay bridge opened later")  # fmt: skip
    assert opened == "ch_001 open; now call web_search with its query 'tay bridge opened later'"
    desk.search("tay bridge opened later")
    desk.ok("record_challenge_result", id="ch_001", outcome="survived", evidence="nothing", source_ids=[])
    said = desk.ok("resolve_question", id="q_002", answer="it opened in 1887", claim_ids=["c_001", "c_001"])
    assert said == "q_002 resolved; none of its claims is VERIFIED yet"
    done = desk.state.frontier.questions["q_002"]
    assert (done.answer, done.answer_claim_ids, done.worker) == ("it opened in 1887", ("c_001",), "")
    assert (desk.moves("q_002")[-1].trigger, desk.moves("q_002")[-1].caused_by) == ("resolved", "ch_001")


def test_resolve_question_finds_claims_by_ids_with_blanks() -> None:
    """An id with a blank around it is that id, in the answer too."""
    desk = answered()
    desk.resolve("q_002", "1887", " c_001 ")
    assert desk.state.frontier.questions["q_002"].answer_claim_ids == ("c_001",)


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_resolve_question_needs_a_challenge_at_depth_0_and_1(depth: int) -> None:
    """The answers that carry the conclusion are attacked first; deeper ones need not be."""
    desk = answered()
    if depth == 2:
        desk.ask("Below?", blocks_parent=True)
        desk.select()
    if depth == 0:
        desk.question = ROOT
    question = desk.question
    args = {"id": question, "answer": "1887", "claim_ids": ["c_001"]}
    if depth == 2:
        assert desk.ok("resolve_question", **args).startswith("q_003 resolved")
        return
    what = "conclusion" if depth == 0 else "question_answer and this exact answer as belief"
    assert desk.no("resolve_question", **args) == (
        "unchallenged",
        (f"{question} has depth {depth}: its {'answer' if depth else 'conclusion'} "
        "must be challenged before it stands. "
        f"Call challenge with target_type {what}, search its query, record the result; or waive {{challenge: why}}."),
    )
    desk.resolve(question, "1887", "c_001")
    assert desk.state.frontier.questions[question].waivers == {"challenge": "no time"}
    assert desk.state.frontier.questions[question].reason == "challenge: no time"


def test_resolve_question_does_not_take_the_challenge_of_another_answer() -> None:
    """A changed answer is a new target."""
    desk = answered()
    desk.ok("challenge", target_type="question_answer", question_id="q_002", belief="1886", strategy="counterexample",
            negation="other years", expected_if_false=["x"], query="tay bridge exception")  # fmt: skip
    desk.search("tay bridge exception")
    desk.ok("record_challenge_result", id="ch_001", outcome="survived", evidence="none", source_ids=[])
    assert desk.no("resolve_question", id="q_002", answer="1887", claim_ids=["c_001"])[0] == "unchallenged"


def test_resolve_question_does_not_take_a_challenge_that_was_never_searched() -> None:
    """Closed as inconclusive without a search it attacked nothing; after a search without a result it did."""
    desk = answered()
    args = {"id": "q_002", "answer": "1887", "claim_ids": ["c_001"]}
    for number, strategy, query in ((1, "counterexample", "tay bridge exception"), (2, "scope_limits", "tay only")):
        desk.ok("challenge", target_type="question_answer", question_id="q_002", belief="1887", strategy=strategy,
                negation="other years", expected_if_false=["x"], query=query)  # fmt: skip
        if number == 2:
            desk.search(query)
        desk.ok("record_challenge_result", id=f"ch_00{number}", outcome="inconclusive", evidence="none", source_ids=[])
        if number == 1:
            assert desk.no("resolve_question", **args)[0] == "unchallenged"
    desk.ok("resolve_question", **args)
    assert desk.moves("q_002")[-1].caused_by == "ch_002"


def test_resolve_question_refuses_an_answer_that_was_refuted() -> None:
    """A refuted answer has to change, whatever other challenges of it found."""
    desk = answered()
    desk.ok("challenge", target_type="question_answer", question_id="q_002", belief="1887", strategy="counterexample",
            negation="other years", expected_if_false=["x"], query="tay bridge exception")  # fmt: skip
    desk.search("tay bridge exception")
    desk.ok("record_challenge_result", id="ch_001", outcome="refuted", evidence="1878", source_ids=["s_001"])
    for number, strategy in ((2, "newer_evidence"), (3, "scope_limits")):
        assert desk.no("resolve_question", id="q_002", answer="1887", claim_ids=["c_001"]) == (
            "refuted_answer", "ch_001 refuted this answer. State a changed one and challenge it.",
        )  # fmt: skip
        desk.ok("challenge", target_type="question_answer", question_id="q_002", belief="1887", strategy=strategy,
                negation="other years", expected_if_false=["x"], query=f"tay bridge latest only {number}")  # fmt: skip
        desk.search(f"tay bridge latest only {number}")
        desk.ok("record_challenge_result", id=f"ch_00{number}", source_ids=[], evidence="none",
                outcome="inconclusive" if number == 2 else "survived")  # fmt: skip
    assert desk.no("resolve_question", id="q_002", answer="1887", claim_ids=["c_001"])[0] == "refuted_answer"


def test_resolve_question_takes_no_dead_or_unknown_claim() -> None:
    """Only live claims carry an answer."""
    desk = answered()
    args = {"id": "q_002", "answer": "1887", "waive": {"challenge": "x"}}
    assert desk.no("resolve_question", **args, claim_ids=["c_009"]) == (
        "unknown_claim", "there is no claim 'c_009'. The latest ids are: c_001.",
    )  # fmt: skip
    desk.ok("notes_update", id="c_001", change={"retract": "wrong page"})
    assert desk.no("resolve_question", **args, claim_ids=["c_001"]) == (
        "dead_claim", "c_001 is RETRACTED and carries no answer. Cite claims that are UNVERIFIED or VERIFIED.",
    )  # fmt: skip


def test_resolve_question_wants_the_searches_of_a_hypothesis() -> None:
    """A hypothesis needs its outcome, a confirming search and a refuting one; a waiver opens only that check."""
    desk = Desk()
    desk.ask("It closed because of rust.", kind="hypothesis")
    desk.select()
    desk.read("https://a.org/tay", TAY)
    desk.state = replace(desk.state, frontier=replace(desk.state.frontier, tried={}))
    desk.note("It is so.")
    args = {"id": "q_002", "answer": "yes", "claim_ids": ["c_001"], "waive": {"challenge": "no time"}}
    assert desk.no("resolve_question", **args) == (
        "hypothesis_outcome", "q_002 is a hypothesis. Give hypothesis_outcome: confirmed or refuted.",
    )  # fmt: skip
    args["hypothesis_outcome"] = "confirmed"
    assert desk.no("resolve_question", **args) == (
        "hypothesis_searches",
        "hypothesis q_002 lacks a confirming search. Search it, or waive {hypothesis: why}.",
    )
    desk.search("rust on the bridge")
    assert desk.no("resolve_question", **args) == (
        "hypothesis_searches",
        "hypothesis q_002 lacks a refuting search (a challenge). Search it, or waive {hypothesis: why}.",
    )
    desk.ok("challenge", **{**ATTACK, "target_type": "claim", "claim_id": "c_001", "query": "rust myth"})
    desk.search("rust myth", fails=True)
    assert "lacks a refuting search" in desk.no("resolve_question", **args)[1], "a search that failed shows nothing"
    only_hypothesis = {**args, "waive": {"hypothesis": "no pages"}}
    assert desk.no("resolve_question", **only_hypothesis)[0] == "unchallenged"
    desk.attack("c_001", strategy="counterexample", query="rust exception")
    desk.ok("resolve_question", **args)
    question = desk.state.frontier.questions["q_002"]
    assert dict(question.waivers) == {"challenge": "no time"}, "an outcome waives nothing"
    assert question.reason == "outcome: confirmed; challenge: no time"


@pytest.mark.parametrize("name", ["outcome", "depth", "Hypothesis "])
def test_resolve_question_waives_nothing_else(name: str) -> None:
    """Waivers are of the hypothesis, the challenge and VERIFIED; another word opens and leaves nothing."""
    desk = answered()
    args = {"id": "q_002", "answer": "1887", "claim_ids": ["c_001"]}
    assert desk.no("resolve_question", **args, waive={name: "so"})[0] == "unchallenged"
    desk.ok("resolve_question", **args, waive={name: "so", "challenge": "no time"})
    assert set(desk.state.frontier.questions["q_002"].waivers) <= {"hypothesis", "challenge", "verified"}


def test_resolve_question_is_for_questions_in_progress() -> None:
    """The agent settles the current question; a person also a pending one."""
    desk = answered()
    desk.ask("Who?", parent_id=ROOT)
    args = {"id": "q_003", "answer": "x", "claim_ids": ["c_001"], "waive": {"challenge": "x"}}
    assert desk.no("resolve_question", **args) == (
        "not_in_progress",
        "q_003 is pending, only a question in progress can be resolved. Work on the current question.",
    )
    desk.human = True
    desk.ok("resolve_question", **args)
    assert (desk.status("q_003"), desk.moves("q_003")[-1].actor) == ("resolved", Actor.HUMAN)


def test_retry_question_logs_a_reformulation() -> None:
    """The question goes back to the queue, and its search fills that row instead of adding one."""
    desk = answered()
    desk.search("tay bridge")
    assert desk.no("retry_question", id="q_002", new_query="Tay  BRIDGE!", why="x") == (
        "repeated_query",
        ("the query 'Tay  BRIDGE!' was tried before on q_002. "
        "Use different words, another angle or another kind of source."),
    )
    assert desk.ok("retry_question", id="q_002", new_query="dundee viaduct", why="nothing") == (
        "q_002 retry 2/4 accepted; search 'dundee viaduct'"
    )
    assert desk.status("q_002") == "pending"
    desk.select()
    before = len(desk.state.frontier.attempts)
    desk.search("Dundee viaduct", "https://b.org/1")
    last = desk.state.frontier.attempts_of("q_002")[-1]
    assert len(desk.state.frontier.attempts) == before
    assert (last.kind, last.tool, last.outcome, last.filled) == (
        "retry", "web_search", "1 result from 1 domain", True,
    )  # fmt: skip
    assert desk.state.frontier.attempts_count("q_002") == 2


def test_retry_question_exhausts_at_the_cap() -> None:
    """At max_attempts only an assumption is left, and the question is unresolvable by code."""
    desk = answered(max_attempts=1)
    desk.search("tay bridge")
    assert desk.no("retry_question", id="q_002", new_query="more", why="x") == (
        "assumption_required",
        ("q_002 has 1 attempts, the most allowed. "
        "Call retry_question again with an assumption: what the report should assume instead."),
    )
    said = desk.ok("retry_question", id="q_002", new_query="more", why="x", assumption="It is about 1887.")
    assert said == "q_002 is unresolvable; assumption recorded"
    assert desk.state.frontier.questions["q_002"].assumption == "It is about 1887."
    assert (desk.moves("q_002")[-1].trigger, desk.moves("q_002")[-1].actor) == ("exhausted", "code")


def test_retry_question_of_the_root_makes_no_transition() -> None:
    """The root stays in progress until the cap."""
    desk = Desk(max_attempts=2)
    desk.ok("retry_question", id=ROOT, new_query="one", why="x")
    assert desk.moves(ROOT) == []
    desk.ok("retry_question", id=ROOT, new_query="two", why="x")
    desk.ok("retry_question", id=ROOT, new_query="three", why="x", assumption="It is unknown.")
    assert desk.status(ROOT) == "unresolvable"


def test_retry_question_counts_anew_after_reopening() -> None:
    """Attempts count since the question was last reopened."""
    desk = answered(max_attempts=1)
    desk.search("tay bridge")
    desk.ok("retry_question", id="q_002", new_query="more", why="x", assumption="unknown")
    desk.ok("reopen_question", id="q_002", why="a new archive")
    assert desk.state.frontier.attempts_count("q_002") == 0
    assert desk.state.frontier.questions["q_002"].assumption == ""
