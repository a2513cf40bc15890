"""The transition table, against expectations written by hand from the design, not from the table."""

from __future__ import annotations

import itertools

import pytest

from investigator.core.frontier import move
from investigator.core.frontier_moves import start
from investigator.core.ids import ROOT
from investigator.core.transitions import TABLE, IllegalTransition, diagram, target
from investigator.core.vocab import Actor, QuestionStatus, Trigger

ALL = ("pending", "in_progress", "resolved", "blocked", "unresolvable", "pruned")
# trigger: ({from: to}, who may). The second mapping of `resolved` is a person's alone.
EXPECTED: dict[str, tuple[dict[str, str], str]] = {
    "created": ({"": "pending"}, "agent code human"),
    "selected": ({"pending": "in_progress"}, "code"),
    "released": ({"in_progress": "pending"}, "code"),
    "dependency_added": ({"in_progress": "pending"}, "agent human"),
    "retry": ({"in_progress": "pending"}, "agent human"),
    "resolved": ({"in_progress": "resolved"}, "agent human"),
    "exhausted": ({"in_progress": "unresolvable"}, "code"),
    "reopened": ({"resolved": "pending", "unresolvable": "pending"}, "agent code human"),
    "blocked": ({"pending": "blocked"}, "code"),
    "unblocked": ({"blocked": "pending"}, "code"),
    "pruned": ({"pending": "pruned", "blocked": "pruned", "in_progress": "pruned"}, "agent code human"),
    "reprioritized": ({one: one for one in ALL}, "agent code human"),
}
HUMAN_ONLY = {("resolved", "pending"): "resolved", ("resolved", "blocked"): "resolved"}
# The root is created in_progress, settled, reopened to in_progress and reprioritized; nothing else.
ROOT_MOVES = {
    ("created", ""): "in_progress",
    ("resolved", "in_progress"): "resolved",
    ("exhausted", "in_progress"): "unresolvable",
    ("reopened", "resolved"): "in_progress",
    ("reopened", "unresolvable"): "in_progress",
    **{("reprioritized", one): one for one in ALL},
}
EVERY = list(itertools.product(EXPECTED, ("", *ALL), ("agent", "code", "human")))


def expected(trigger: str, before: str, actor: str, root: bool) -> str | None:
    moves, actors = EXPECTED[trigger]
    if actor not in actors.split():
        return None
    if root:
        return ROOT_MOVES.get((trigger, before))
    return moves.get(before) or (HUMAN_ONLY.get((trigger, before)) if actor == "human" else None)


def test_table_has_a_row_for_every_trigger() -> None:
    """The hand-written expectations and the table name the same triggers, which are all there are."""
    assert set(EXPECTED) == {str(one) for one in Trigger} == {str(one) for one in TABLE}


@pytest.mark.parametrize("root", [False, True], ids=["question", "root"])
def test_target_agrees_with_every_hand_written_row(root: bool) -> None:
    """Each of the 12 x 7 x 3 combinations leads where the design says, or is refused by an error."""
    for trigger, before, actor in EVERY:
        want = expected(trigger, before, actor, root)
        try:
            got: str | None = target(Trigger(trigger), before, Actor(actor), root=root)
        except IllegalTransition:
            got = None
        if root and want is None and before not in ("", "in_progress", "resolved", "unresolvable"):
            continue  # a root of such a status cannot come about
        assert got == want, (trigger, before, actor)


def test_move_that_is_illegal_changes_nothing() -> None:
    """An illegal move raises before anything is built: the frontier is the same value with the same content."""
    frontier, _ = start("objective", "t0")
    before = dict(frontier.questions), frontier.pending
    for trigger in (Trigger.SELECTED, Trigger.PRUNED, Trigger.BLOCKED, Trigger.RELEASED, Trigger.RETRY):
        for actor in Actor:
            with pytest.raises(IllegalTransition):
                move(frontier, frontier.questions[ROOT], trigger, actor=actor, at="t1")
    assert (dict(frontier.questions), frontier.pending) == before


def test_move_records_who_why_and_from_where() -> None:
    """A transition names its question, number, both statuses, trigger, actor, reason, priority and cause."""
    _, (one,) = start("objective", "t0")
    assert (one.question_id, one.seq, one.from_status, one.to_status) == (ROOT, 1, "", "in_progress")
    assert (one.trigger, one.actor, one.priority, one.attempts) == ("created", "code", 1.0, 0)


def test_diagram_draws_every_move_of_the_table() -> None:
    """The diagram of the docs has an arrow for each hand-written move but the loops of reprioritized."""
    drawn = diagram()
    for trigger, (moves, _) in EXPECTED.items():
        for start_, end in moves.items():
            assert trigger == "reprioritized" or f"{start_ or '[*]'} --> {end}: {trigger} (" in drawn
    assert "blocked --> resolved: resolved (human)" in drawn
    assert all(str(QuestionStatus(one)) in drawn for one in ALL)
