"""That no tool goes untested: each is granted somewhere in these tests, and refused with its words checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tool_states import answered

from investigator.tools.specs import SPECS

GRANTED = frozenset({"ok", "out"})
REFUSED = frozenset({"no"})


def calls(source: str, methods: frozenset[str]) -> Iterator[str]:
    """The tools that a desk's methods are called with by name; a refusal of which only the kind is read is none."""
    tree = ast.parse(source)
    kinds = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Subscript) and _first(one.slice)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or id(node) in kinds or not isinstance(node.func, ast.Attribute):
            continue
        name = node.args[0] if node.args else None
        if node.func.attr in methods and isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value


def _first(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and index.value == 0


@cache
def called(methods: frozenset[str]) -> frozenset[str]:
    """What all tests of the tools call."""
    files = sorted(Path(__file__).resolve().parent.glob("*.py"))
    return frozenset(name for one in files for name in calls(one.read_text(encoding="utf-8"), methods))


@pytest.mark.parametrize("name", [spec.name for spec in SPECS])
def test_every_tool_is_granted_and_refused_in_tests(name: str) -> None:
    """A new tool needs a valid call and an invalid one, the sentence of which is looked at."""
    assert name in called(GRANTED), f'no test calls .ok("{name}") or .out("{name}")'
    assert name in called(REFUSED), f'no test looks at the sentence of .no("{name}")'


def test_calls_does_not_count_a_refusal_by_its_kind_alone() -> None:
    """What this file looks for is found: names of calls, not of other methods, and not where only the kind is read."""
    source = 'desk.no("a")\nassert desk.no("b")[0] == "x"\nassert desk.no("c", x=1)[1] == "y"\ndesk.ok("d")\ndesk.no(e)'
    assert list(calls(source, REFUSED)) == ["a", "c"]
    assert list(calls(source, GRANTED)) == ["d"]


def test_views_of_what_is_not_there_are_refused_in_words() -> None:
    """Who looks at a question, a status or a section that is none is told which there are."""
    desk = answered()
    assert desk.no("frontier_view", question_id="q_088") == (
        "unknown_question",
        "there is no question 'q_088'. Use an id shown by frontier_view.",
    )
    assert desk.no("frontier_view", status="open") == (
        "arguments",
        "status must be one of pending, in_progress, resolved, blocked, unresolvable, pruned, got 'open'",
    )
    assert desk.no("notes_read", section="Secrets") == (
        "section",
        ("there is no section 'Secrets'. "
         "Sections: Verified, Unverified, Contradictions, Datapoints, Sources, Assumptions & gaps, Scratch."),
    )  # fmt: skip
