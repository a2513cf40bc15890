"""The frontier settles: answers, retries, reopenings, pruned branches and rewritten questions."""

from __future__ import annotations

import time

from frontiers import Desk, refusal, triggers

from investigator.core import frontier_moves as moves
from investigator.core.frontier import fill_retry, log_attempt
from investigator.core.vocab import Actor, AttemptKind


def test_resolve_only_from_in_progress_but_for_a_person() -> None:
    """The agent resolves what is in progress; a person also what is pending or blocked, and nothing settled."""
    desk = Desk()
    need = desk.add("need?")
    one = desk.add("one?", depends_on=[need])
    assert refusal(desk.resolve(one)).text == f"{one} is pending, only a question in progress can be resolved."
    desk.took(desk.prune(need))
    desk.reblock()
    assert desk[one].status == "blocked"
    desk.took(desk.resolve(one, Actor.HUMAN))
    assert (desk[one].status, desk[one].answer_claim_ids) == ("resolved", ("c_001",))
    assert refusal(desk.resolve(one, Actor.HUMAN)).kind == "not_in_progress"
    assert refusal(desk.resolve("q_999")).kind == "unknown_question"


def test_retry_counts_and_refuses_a_repeated_query() -> None:
    """A retry is an attempt that waits for its search; the same words again are refused, empty ones too."""
    desk = Desk()
    one = desk.add("one?")
    desk.select()
    desk.took(desk.retry(one, "tower height metres"))
    assert (desk[one].status, desk.frontier.attempts_count(one)) == ("pending", 1)
    assert desk.frontier.attempts[1].filled is False
    assert refusal(desk.retry(one, "x")).kind == "not_in_progress"
    desk.select()
    assert refusal(desk.retry(one, "Tower, height: metres")).kind == "repeated_query"
    assert refusal(desk.retry(one, "...")).kind == "repeated_query"
    assert refusal(desk.retry("q_999", "x")).kind == "unknown_question"


def test_retry_is_filled_by_its_search_and_counts_once() -> None:
    """The search that carries out new_query fills that row instead of adding one; a second search adds none there."""
    desk = Desk()
    one = desk.add("one?")
    desk.select()
    desk.took(desk.retry(one, "tower height"))
    filled = fill_retry(desk.frontier, one, "Tower height!", "web_search", "3 results", 2)
    assert filled is not None
    assert (filled[0].attempts_count(one), filled[1].n, filled[1].outcome) == (1, 1, "3 results")
    assert fill_retry(filled[0], one, "tower height", "web_search", "", 3) is None
    assert fill_retry(desk.frontier, one, "other words", "web_search", "", 2) is None


def test_attempts_count_is_the_first_search_and_every_retry() -> None:
    """Fetches, challenges and further searches are rows of the log, not reformulations."""
    desk = Desk()
    one = desk.add("one?")
    for kind in (AttemptKind.SEARCH, AttemptKind.SEARCH, AttemptKind.FETCH, AttemptKind.CHALLENGE, AttemptKind.RETRY):
        desk.frontier, _ = log_attempt(
            desk.frontier, desk[one].id, kind, f"{kind}", "web_search", outcome="", turn=1, at=desk.at()
        )
    assert (desk.frontier.attempts_count(one), len(desk.frontier.attempts_of(one))) == (2, 5)
    assert list(desk.frontier.attempts) == [1, 2, 3, 4, 5]


def test_retry_at_the_cap_needs_an_assumption_and_exhausts() -> None:
    """At max_attempts the question becomes unresolvable by code, but only with what the report should assume."""
    desk = Desk(max_attempts=1)
    one = desk.add("one?")
    desk.select()
    desk.took(desk.retry(one, "first words"))
    desk.select()
    refused = refusal(desk.retry(one, "second words"))
    assert refused.kind == "assumption_required"
    assert "with an assumption" in refused.instead
    made = desk.took(desk.retry(one, "second words", "it stays so"))
    assert triggers(made) == [(one, "exhausted", "code")]
    assert (desk[one].status, desk[one].assumption, desk[one].worker) == ("unresolvable", "it stays so", "")


def test_retry_on_the_root_logs_without_a_transition() -> None:
    """The root stays in progress; its reformulations count, and at the cap it is unresolvable."""
    desk = Desk(max_attempts=2)
    assert desk.took(desk.retry("q_001", "a")) == ()
    assert desk.took(desk.retry("q_001", "b")) == ()
    assert (desk["q_001"].status, desk.frontier.attempts_count("q_001")) == ("in_progress", 2)
    desk.took(desk.retry("q_001", "c", "unknown"))
    assert desk["q_001"].status == "unresolvable"


def test_retry_on_the_root_with_only_failed_children_exhausts_it() -> None:
    """When every child is settled and none resolved there is nothing left to retry; with a resolved one there is."""
    desk = Desk()
    one, two = desk.add("one?"), desk.add("two?")
    desk.took(desk.prune(one))
    desk.select()
    desk.took(desk.resolve(two))
    assert desk.took(desk.retry("q_001", "a")) == ()
    desk.took(desk.reopen(two))
    assert desk.took(desk.retry("q_001", "b")) == ()
    desk.took(desk.prune(two))
    refused = refusal(desk.retry("q_001", "c"))
    assert (refused.kind, refused.text) == ("assumption_required", "no sub-question was resolved.")
    desk.took(desk.retry("q_001", "c", "unknown"))
    assert desk["q_001"].status == "unresolvable"


def test_reopen_raises_clears_and_counts_anew() -> None:
    """A reopened question is pending at 0.9 at least, without its answer, and its attempts start again."""
    desk = Desk(max_attempts=1)
    need = desk.add("need?", priority=0.1)
    one = desk.add("one?", priority=0.1, depends_on=[need])
    desk.select()
    desk.took(desk.resolve(need))
    desk.select()
    desk.took(desk.retry(one, "words"))
    desk.select()
    desk.took(desk.retry(one, "more", "assume"))
    assert (desk[one].status, desk.frontier.attempts_count(one)) == ("unresolvable", 1)
    desk.took(desk.reopen(one))
    assert (desk[one].status, desk[one].priority, desk[one].assumption) == ("pending", 0.9, "")
    assert desk.frontier.attempts_count(one) == 0
    desk.took(desk.reopen(need))
    assert desk[need].priority == 0.9


def test_reopen_keeps_a_higher_priority_and_floors_dependencies() -> None:
    """max(own, 0.9): 0.95 stays; what it needs and is still open is raised to it."""
    desk = Desk()
    one = desk.add("one?", priority=0.95)
    desk.select()
    desk.took(desk.resolve(one))
    need = desk.add("need?", priority=0.2)
    desk.took(moves.add_edge(desk.frontier, one, need, at="t"))
    made = desk.took(desk.reopen(one))
    assert (desk[one].priority, desk[need].priority) == (0.95, 0.95)
    assert [str(one.trigger) for one in made] == ["reopened", "reprioritized"] or len(made) == 1


def test_reopen_refuses_open_pruned_and_unknown() -> None:
    """Only resolved or unresolvable can be reopened; a pruned branch stays closed and says what to do."""
    desk = Desk()
    one = desk.add("one?")
    assert refusal(desk.reopen(one)).instead == "It is still open: work on it."
    desk.took(desk.prune(one))
    assert refusal(desk.reopen(one)).instead == "A pruned branch stays closed: ask a new question."
    assert refusal(desk.reopen("q_999")).kind == "unknown_question"


def test_reopen_puts_the_root_in_progress() -> None:
    """The root never waits in the queue."""
    desk = Desk()
    desk.took(desk.resolve("q_001"))
    made = desk.took(desk.reopen("q_001"))
    assert (desk["q_001"].status, made[0].to_status, desk.frontier.pending) == ("in_progress", "in_progress", ())


def test_prune_takes_pending_and_blocked_descendants_only() -> None:
    """The named one by its actor, each descendant by code; what is in progress or settled below stays."""
    desk = Desk(max_parallel=2)
    top = desk.add("top?")
    works = desk.add("works?", parent=top, priority=0.9)
    assert desk.select() == works
    waits = desk.add("waits?", parent=works)
    kept = desk.add("kept?", parent=top)
    desk.took(desk.resolve(kept, Actor.HUMAN))
    made = desk.took(desk.prune(top))
    assert triggers(made) == [(top, "pruned", "agent"), (waits, "pruned", "code")]
    assert (desk[works].status, desk[kept].status, made[1].caused_by) == ("in_progress", "resolved", top)


def test_prune_has_no_numeric_effect_on_ancestors() -> None:
    """Priorities and attempts of parent and root are what they were."""
    desk = Desk()
    one = desk.add("one?", priority=0.6)
    two = desk.add("two?", parent=one, priority=0.9)
    before = desk["q_001"], desk[one]
    desk.took(desk.prune(two))
    assert (desk["q_001"], desk[one]) == before


def test_prune_refuses_the_root_the_settled_and_the_unknown() -> None:
    """Each refusal by its kind."""
    desk = Desk()
    one = desk.add("one?")
    desk.took(desk.prune(one))
    assert [refusal(desk.prune(name)).kind for name in ("q_001", one, "q_999")] == [
        "root",
        "settled",
        "unknown_question",
    ]


def test_rewrite_moves_edges_and_pending_children_then_prunes() -> None:
    """Dependants wait for the new question, pending children hang below it, the old is pruned with its name."""
    desk = Desk()
    dead = desk.add("dead?")
    old = desk.add("old?", depends_on=[dead])
    child = desk.add("child?", parent=old)
    waits = desk.add("waits?", depends_on=[old])
    desk.took(desk.prune(dead))
    desk.reblock()
    new = desk.add("new?")
    desk.took(moves.rewrite(desk.frontier, old, new, actor=Actor.AGENT, at="t"))
    assert (desk[old].status, desk[old].reason) == ("pruned", f"rewritten as {new}")
    assert (desk[child].parent_id, desk[child].status) == (new, "pending")
    assert desk.frontier.children[new] == (child,)
    assert (desk.frontier.needs[waits], desk.frontier.children[old]) == ((new,), ())
    desk.reblock()
    assert desk[waits].status == "pending"


def test_release_gives_a_question_back() -> None:
    """It is pending again, held by nobody, with the reason recorded."""
    desk = Desk()
    one = desk.add("one?")
    desk.select("w7")
    assert desk[one].worker == "w7"
    made = desk.took(moves.release(desk.frontier, one, why="w7 was lost", at="t"))
    assert (desk[one].status, desk[one].worker, made[0].reason) == ("pending", "", "w7 was lost")


def test_a_ladder_of_needs_is_searched_once_a_question() -> None:
    """Two questions a layer, each needing both of the layer below, whose ground is pruned: every one is tried once."""
    desk = Desk(max_questions=100)
    ground = desk.add("ground")
    below = [ground]
    for layer in range(19):
        below = [desk.add(f"layer {layer} {side}", depends_on=below) for side in "ab"]
    desk.prune(ground)
    began = time.process_time()
    desk.select()
    assert time.process_time() - began < 1  # 2**19 paths would take minutes
