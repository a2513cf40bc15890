"""The frontier grows and chooses: what is added, what waits on what, and what is taken next."""

from __future__ import annotations

from frontiers import Desk, refusal, triggers

from investigator.core import frontier_moves as moves
from investigator.core.refusal import Refusal


def test_start_has_the_root_in_progress() -> None:
    """The root is there from the start, in progress, of depth 0 and not in the queue."""
    desk = Desk()
    assert (desk["q_001"].status, desk["q_001"].depth, desk.frontier.pending) == ("in_progress", 0, ())


def test_add_makes_a_pending_child_with_the_next_id() -> None:
    """A child is pending, one deeper than its parent, and the cause of its creation is the parent."""
    desk = Desk()
    one = desk.add("first?")
    two = desk.add("second?", parent=one)
    assert (one, two, desk[two].depth, desk[two].status) == ("q_002", "q_003", 2, "pending")
    assert desk.made[-1].caused_by == one


def test_add_at_the_depth_cap_says_to_record_a_gap() -> None:
    """The sentence at the depth cap is the seed's, word for word."""
    desk = Desk(max_depth=1)
    one = desk.add("first?")
    refused = refusal(desk.try_add("deeper?", one))
    assert str(refused) == "pruned by depth cap; record it as an open gap in notes instead"


def test_add_refuses_what_was_asked_before() -> None:
    """Equal after folding is a duplicate, also of the objective and of a settled question; C and C++ differ."""
    desk = Desk()
    desk.add("Who wrote  it?")
    assert "q_002 asks the same (pending)" in refusal(desk.try_add("who wrote “it”")).text
    assert refusal(desk.try_add("Objective!")).kind == "duplicate"
    desk.add("What is C?")
    assert desk.add("What is C++?") == "q_004"


def test_add_refuses_over_the_number_of_questions() -> None:
    """The cap counts the root, and names the way out."""
    desk = Desk(max_questions=2)
    desk.add("first?")
    refused = refusal(desk.try_add("second?"))
    assert (refused.kind, refused.instead) == ("question_cap", "Record it as an open gap in notes.")


def test_add_refuses_unknown_empty_and_pruned() -> None:
    """A parent or dependency that does not exist, a text of no words and a pruned parent are refused by kind."""
    desk = Desk()
    gone = desk.add("gone?")
    desk.took(desk.prune(gone))
    assert refusal(desk.try_add("x?", "q_999")).kind == "unknown_question"
    assert refusal(desk.try_add("x?", depends_on=["q_999"])).kind == "unknown_question"
    assert refusal(desk.try_add(" ?! ")).kind == "empty"
    assert refusal(desk.try_add("x?", gone)).kind == "pruned"


def test_add_refuses_to_depend_on_the_root_or_an_ancestor() -> None:
    """Neither the root, the parent nor a grandparent can be a dependency."""
    desk = Desk()
    one = desk.add("one?")
    two = desk.add("two?", parent=one)
    for need in ("q_001", one, two):
        assert refusal(desk.try_add("three?", two, depends_on=[need])).kind == "cycle"


def test_blocks_parent_puts_the_parent_back_and_raises_the_child() -> None:
    """The parent waits for the child, loses its worker, and the child gets at least its priority."""
    desk = Desk()
    parent = desk.add("parent?", priority=0.8)
    assert desk.select() == parent
    child = desk.add("child?", parent=parent, priority=0.1, blocks_parent=True)
    assert (desk[parent].status, desk[parent].worker, desk[child].priority) == ("pending", "", 0.8)
    assert desk.frontier.needs[parent] == (child,)
    assert triggers(tuple(desk.made))[-1] == (parent, "dependency_added", "agent")
    assert desk.made[-1].caused_by == child


def test_blocks_parent_on_the_root_is_ignored() -> None:
    """The root goes on and needs nothing."""
    desk = Desk()
    desk.add("child?", blocks_parent=True)
    assert (desk["q_001"].status, desk.frontier.needs) == ("in_progress", {})


def test_blocks_parent_refuses_a_settled_parent_and_a_cycle() -> None:
    """A settled parent cannot wait; a child that needs what needs the parent would close a ring."""
    desk = Desk()
    parent = desk.add("parent?")
    other = desk.add("other?", depends_on=[parent])
    refused = refusal(desk.try_add("child?", parent, blocks_parent=True, depends_on=[other]))
    assert refused.kind == "cycle"
    desk.select()
    desk.took(desk.resolve(parent))
    assert refusal(desk.try_add("child?", parent, blocks_parent=True)).kind == "parent_settled"


def test_select_takes_priority_then_depth_then_age() -> None:
    """Highest priority first, of equal ones the shallower, then the older."""
    desk = Desk()
    old = desk.add("old?", priority=0.5)
    young = desk.add("young?", priority=0.5)
    deep = desk.add("deep?", parent=old, priority=0.5)
    top = desk.add("top?", parent=young, priority=0.9)
    assert [desk.select() for _ in range(5)] == [top, old, young, deep, ""]


def test_select_raises_and_takes_the_dependency_of_the_top_question() -> None:
    """If the top waits, the far end of its chain is taken; the chain is raised to the dependant's priority."""
    desk = Desk()
    far = desk.add("far?", priority=0.1)
    near = desk.add("near?", priority=0.2, depends_on=[far])
    top = desk.add("top?", priority=0.9, depends_on=[near])
    desk.took(desk.prioritize(near, 0.3))
    desk.took(desk.prioritize(far, 0.2))  # below its floor again, by the agent's own hand
    desk.add("other?", priority=0.8)
    assert desk.select() == far
    assert (desk[far].priority, desk[near].priority) == (0.9, 0.9)
    raised = [one for one in desk.made if one.trigger == "reprioritized" and one.actor == "code"][-1]
    assert raised.caused_by == top


def test_select_tries_the_next_when_a_closure_cannot_be_taken() -> None:
    """A top question whose dependency is being worked on or blocked does not stop the queue."""
    desk = Desk(max_parallel=3)
    need = desk.add("need?", priority=1)
    assert desk.select() == need
    desk.add("top?", priority=0.9, depends_on=[need])
    low = desk.add("low?", priority=0.1)
    assert (desk.select("w2"), desk.select("w2")) == (low, "")


def test_add_floors_its_dependencies() -> None:
    """A question of high priority raises what it needs, near and far, each with a transition by code."""
    desk = Desk()
    far = desk.add("far?", priority=0.1)
    near = desk.add("near?", priority=0.2, depends_on=[far])
    assert desk[far].priority == 0.2
    desk.add("top?", priority=0.7, depends_on=[near])
    assert (desk[far].priority, desk[near].priority) == (0.7, 0.7)
    assert triggers(tuple(desk.made))[-2:] == [(near, "reprioritized", "code"), (far, "reprioritized", "code")]


def test_set_priority_floors_and_refuses() -> None:
    """Raising floors the dependencies; no change, a settled and an unknown question are refused."""
    desk = Desk()
    need = desk.add("need?", priority=0.1)
    one = desk.add("one?", priority=0.1, depends_on=[need])
    desk.took(desk.prioritize(one, 0.6))
    assert desk[need].priority == 0.6
    assert refusal(desk.prioritize(one, 0.6)).kind == "no_change"
    desk.took(desk.prune(one))
    assert refusal(desk.prioritize(one, 0.7)).kind == "settled"
    assert refusal(desk.prioritize("q_999", 0.7)).kind == "unknown_question"


def test_reblock_blocks_on_dead_dependencies_and_frees_again() -> None:
    """A pruned or unresolvable dependency blocks; reopening or dropping it unblocks; twice changes nothing."""
    desk = Desk(max_attempts=1)
    need = desk.add("need?", priority=0.9)
    one = desk.add("one?", depends_on=[need])
    desk.select()
    desk.took(desk.retry(need, "a"))
    desk.select()
    desk.took(desk.retry(need, "b", "assume"))
    made = desk.reblock()
    assert triggers(made) == [(one, "blocked", "code")]
    assert (made[0].caused_by, desk[one].reason, desk.reblock()) == (need, f"{need} is unresolvable", ())
    desk.took(desk.reopen(need))
    assert triggers(desk.reblock()) == [(one, "unblocked", "code")]
    desk.took(desk.prune(need))
    desk.reblock()
    desk.frontier = moves.drop_edges(desk.frontier, need)
    assert triggers(desk.reblock()) == [(one, "unblocked", "code")]
    assert desk.select() == one


def test_add_edge_refuses_cycles_and_repeats_nothing() -> None:
    """An edge that closes a ring is refused; one that stands already changes nothing."""
    desk = Desk()
    one, two = desk.add("one?"), desk.add("two?")
    desk.took(moves.add_edge(desk.frontier, one, two, at="t"))
    assert desk.took(moves.add_edge(desk.frontier, one, two, at="t")) == ()
    assert isinstance(moves.add_edge(desk.frontier, two, one, at="t"), Refusal)
    assert isinstance(moves.add_edge(desk.frontier, one, one, at="t"), Refusal)
    assert desk.frontier.needed_by(two) == (one,)
