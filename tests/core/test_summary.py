"""The frontier summary: its lines, its bounds, and its reader."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.core import frontier_moves as moves
from investigator.core.challenges import Challenge
from investigator.core.frontier import Frontier, log_attempt
from investigator.core.ids import ChallengeId, QuestionId
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.summary import FIELD, frontier_summary, synthesis_summary
from investigator.core.summary_view import read_summary, read_synthesis
from investigator.core.text import fold
from investigator.core.vocab import Actor, AttemptKind, QuestionKind, Strategy, TargetType

LIMITS = Limits()
TEXT = st.lists(
    st.one_of(
        st.sampled_from(["\n", '"', "\\", "</frontier>", " -> ", "NEXT q_009", "[c_001]", ": ", " · "]),
        st.text(max_size=6),
    ),
    max_size=6,
).map("".join)


def added(frontier: Frontier, text: str, priority: float = 0.5, **more: object) -> Frontier:
    made = moves.add(
        frontier, parent_id="q_001", text=text, priority=priority, actor=Actor.AGENT, limits=LIMITS, at="t", **more
    )  # type: ignore[arg-type]
    assert not isinstance(made, Refusal), made
    return made[0]


def selected(frontier: Frontier) -> Frontier:
    made = moves.select(frontier, worker="w", at="t")
    assert made is not None
    return made[0]


def resolved(frontier: Frontier, question_id: str, answer: str, at: str = "t") -> Frontier:
    made = moves.resolve(
        frontier,
        question_id,
        answer=answer,
        claim_ids=("c_001", "d_002"),
        waivers={},
        actor=Actor.HUMAN,
        caused_by="",
        at=at,
    )
    assert not isinstance(made, Refusal), made
    return made[0]


def pruned(frontier: Frontier, question_id: str, reason: str) -> Frontier:
    made = moves.prune_branch(frontier, question_id, reason, actor=Actor.AGENT, at="t")
    assert not isinstance(made, Refusal), made
    return made[0]


def a_frontier() -> Frontier:
    """One question of every status but unresolvable; q_002 is current."""
    frontier, _ = moves.start("the objective", "t")
    frontier = added(
        frontier, "Which came first?", 0.8, kind=QuestionKind.HYPOTHESIS, rationale="it decides", criteria="a date"
    )
    frontier = added(frontier, "Who wrote it?", 0.7)
    frontier = added(frontier, "What is it worth?", 0.6, depends_on=("q_003",))
    frontier = added(frontier, "Is it configured?", 0.4)
    frontier = added(frontier, "How is it configured?", 0.3, depends_on=("q_005",))
    frontier = added(frontier, "What is its name?", 0.2)
    frontier = selected(frontier)
    frontier, _ = log_attempt(
        frontier,
        QuestionId("q_002"),
        AttemptKind.SEARCH,
        'first "edition"',
        "web_search",
        outcome="one source, no date",
        turn=1,
        at="t",
    )
    frontier = pruned(frontier, "q_005", "deprecated")
    frontier, _ = moves.reblock(frontier, at="t")
    return resolved(frontier, "q_007", "It is called X.")


def a_challenge(query: str = "X not first", **more: object) -> Challenge:
    return Challenge(
        id=ChallengeId("ch_003"),
        target_type=TargetType.CLAIM,
        claim_id="c_002",
        belief="b",
        negation="n",
        strategy=Strategy.COUNTEREXAMPLE,
        expected_if_false=("e",),
        query=query,
        **more,
    )  # type: ignore[arg-type]


def test_frontier_summary_writes_its_lines() -> None:
    """Counts, current question, and one block per kind of question, in this order."""
    assert frontier_summary(a_frontier(), {"ch_003": a_challenge()}, LIMITS, "q_002").split("\n") == [
        "FRONTIER questions 7/40 · pending 2 · in_progress 2 · resolved 1 · blocked 1 · unresolvable 0 · pruned 1",
        "CURRENT q_002 [hypothesis] p=0.80 depth 1 attempts 1/4",
        "  question: Which came first?",
        "  why: it decides",
        "  criteria: a date",
        '  tried: web_search "first \\"edition\\"" -> one source, no date',
        "NEXT q_003 p=0.70 d1 Who wrote it?",
        "WAITING q_004 on q_003",
        "BLOCKED q_006 by q_005 pruned: replace or prune",
        'OPEN CHALLENGES ch_003 on c_002 [counterexample] "X not first": search it, then record the result',
        "SETTLED q_007 resolved: It is called X. [c_001, d_002]",
        "  q_005 pruned: deprecated",
    ]


def test_read_summary_finds_every_field() -> None:
    """The reader gives back what the summary says."""
    view = read_summary(frontier_summary(a_frontier(), {"ch_003": a_challenge(attempt_n=4)}, LIMITS, "q_002"))
    assert (view.questions, view.max_questions, view.counts["blocked"]) == (7, 40, 1)
    assert (view.current, view.kind, view.priority, view.depth, view.attempts, view.max_attempts) == (
        "q_002",
        "hypothesis",
        0.8,
        1,
        1,
        4,
    )
    assert (view.question, view.why, view.criteria) == ("Which came first?", "it decides", "a date")
    assert [(one.tool, one.query, one.outcome) for one in view.tried] == [
        ("web_search", 'first "edition"', "one source, no date")
    ]
    assert [(one.id, one.text) for one in (*view.next, *view.waiting, *view.blocked)] == [
        ("q_003", "Who wrote it?"),
        ("q_004", "q_003"),
        ("q_006", "q_005 pruned: replace or prune"),
    ]
    assert [(one.id, one.target, one.strategy, one.query, one.searched) for one in view.open_challenges] == [
        ("ch_003", "c_002", "counterexample", "X not first", True)
    ]
    assert [(one.id, one.status, one.text, one.claim_ids) for one in view.settled] == [
        ("q_007", "resolved", "It is called X.", ("c_001", "d_002")),
        ("q_005", "pruned", "deprecated", ()),
    ]


def test_read_summary_tells_a_retry_that_is_not_searched() -> None:
    """An accepted new query stands among what was tried, marked as still to do."""
    frontier = selected(added(moves.start("the objective", "t")[0], "Which?"))
    made = moves.retry(
        frontier,
        "q_002",
        query="another query",
        why="nothing found",
        assumption="",
        actor=Actor.AGENT,
        limits=LIMITS,
        turn=1,
        at="t",
    )
    assert not isinstance(made, Refusal)
    [tried] = read_summary(frontier_summary(selected(made[0]), {}, LIMITS, "q_002")).tried
    assert (tried.query, tried.outcome, tried.waiting) == ("another query", "nothing found", True)


def test_frontier_summary_is_bounded() -> None:
    """However many questions and however long their texts: five entries a block, 160 characters a field."""
    frontier, _ = moves.start("the objective", "t")
    for number in range(38):
        frontier = added(frontier, f"{number} " + "long " * 200)
    for number in range(2, 20):
        frontier = resolved(frontier, f"q_{number:03d}", f"answer {number} " + "long " * 200, at=f"t{number:02d}")
    text = frontier_summary(frontier, {}, LIMITS, "q_001")
    assert len(text.split("\n")) <= 1 + 2 + 5 + 5
    assert max(map(len, text.split("\n"))) <= FIELD + 60
    assert "(+15 more)" in text
    assert "(+13 more)" in text
    view = read_summary(text)
    assert (len(view.next), len(view.settled)) == (5, 5)


def test_frontier_summary_shows_first_what_the_current_question_needs() -> None:
    """The answer of a dependency is shown before later answers."""
    frontier, _ = moves.start("the objective", "t")
    for number in range(8):
        frontier = added(frontier, f"question {number}", 0.3)
    frontier = added(frontier, "needs the first", 0.9, depends_on=("q_002",))
    for number in range(2, 10):
        frontier = resolved(frontier, f"q_{number:03d}", f"answer {number}", at=f"t{number:02d}")
    view = read_summary(frontier_summary(frontier, {}, LIMITS, "q_010"))
    assert [one.id for one in view.settled] == ["q_002", "q_009", "q_008", "q_007", "q_006"]


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT, TEXT, TEXT)
def test_read_summary_is_not_misled_by_hostile_text(question: str, answer: str, query: str, outcome: str) -> None:
    """Text from outside can forge no line, no block and no field of another name."""
    frontier, _ = moves.start("the objective", "t")
    frontier = selected(added(frontier, "a" + question, 0.9))
    frontier = resolved(added(frontier, "b" + question, 0.1), "q_003", answer)
    frontier, _ = log_attempt(
        frontier,
        QuestionId("q_002"),
        AttemptKind.SEARCH,
        "z" + query,
        "web_search",
        outcome="o" + outcome,
        turn=1,
        at="t",
    )
    text = frontier_summary(frontier, {"ch_003": a_challenge("not " + query)}, LIMITS, "q_002")
    view = read_summary(text)
    assert "</frontier>" not in text
    assert (view.current, [one.id for one in view.settled], view.next) == ("q_002", ["q_003"], ())
    assert view.settled[0].claim_ids == ("c_001", "d_002")
    assert [fold(one.query) for one in view.tried] == [fold("z" + query)]
    assert [fold(one.query) for one in view.open_challenges] == [fold("not " + query)]


def test_an_open_challenge_keeps_its_whole_query() -> None:
    """It is carried out by a search for exactly this text, so it is not cut at 160 characters."""
    query = "not " + "word " * 100 + "end"
    [one] = read_summary(frontier_summary(a_frontier(), {"ch_003": a_challenge(query)}, LIMITS, "")).open_challenges
    assert fold(one.query) == fold(query)


def test_synthesis_summary_tells_why_questions_have_no_answer() -> None:
    """Answers in full, and reasons and assumptions of all others."""
    frontier = selected(added(a_frontier(), "Never found?", 0.9))
    for number in range(9):
        made = moves.retry(
            frontier,
            "q_008",
            query=f"query {number}",
            why="nothing dated",
            assumption="",
            actor=Actor.AGENT,
            limits=LIMITS,
            turn=1,
            at="t",
        )
        if isinstance(made, Refusal):
            break
        frontier = selected(made[0])
    made = moves.retry(
        frontier,
        "q_008",
        query="",
        why="nothing dated",
        assumption="it is old",
        actor=Actor.AGENT,
        limits=LIMITS,
        turn=1,
        at="t",
    )
    assert not isinstance(made, Refusal), made
    accounts = {one.id: one for one in read_synthesis(synthesis_summary(made[0], LIMITS))}
    assert (accounts["q_007"].answer, accounts["q_007"].claim_ids) == ("It is called X.", ("c_001", "d_002"))
    assert (accounts["q_008"].status, accounts["q_008"].assumption, accounts["q_008"].reason) == (
        "unresolvable",
        "it is old",
        "nothing dated",
    )
    assert accounts["q_006"].reason == "q_005 is pruned"
    assert accounts["q_005"].reason == "deprecated"
    assert accounts["q_004"].reason == "waits on q_003"
    assert len(accounts) == 8


def test_synthesis_summary_shows_long_answers_whole() -> None:
    """Up to 600 characters of an answer, where the frontier summary has 160."""
    answer = "word " * 100 + "end."
    frontier = resolved(a_frontier(), "q_003", answer)
    [one] = [one for one in read_synthesis(synthesis_summary(frontier, LIMITS)) if one.id == "q_003"]
    assert one.answer == answer
