"""Malformed calls: each has a defined result, and nothing that a model sends raises."""

from __future__ import annotations

import pytest
from replies import READABLE, TOOLS, UNREADABLE, tool

from investigator.core.wire import Reply, ToolCall
from investigator.tools.calls import BadCall, Call, read_calls


def one(name: str, arguments: str, finish: str = "tool_calls") -> Call | BadCall:
    call = ToolCall(id="a", name=name, arguments=arguments)
    (entry,) = read_calls(Reply(calls=(call,), finish_reason=finish), TOOLS)
    return entry


@pytest.mark.parametrize(("arguments", "args"), READABLE)
def test_read_calls_recovers_arguments_that_mean_one_thing(arguments: str, args: dict[str, object] | None) -> None:
    """Slips that can mean one thing only are repaired; the strings are clean."""
    entry = one("web_search", arguments)
    if args is None:
        assert isinstance(entry, BadCall)
    else:
        assert entry == Call(position=0, id="a", name="web_search", args=args)


@pytest.mark.parametrize(("arguments", "why"), UNREADABLE)
def test_read_calls_refuses_what_it_would_have_to_guess(arguments: str, why: str) -> None:
    """Everything else is a BadCall that says what was wrong, what to send, and what was received."""
    entry = one("web_search", arguments)
    assert isinstance(entry, BadCall)
    assert why in entry.why
    assert "query (required), limit" in entry.why
    assert len(entry.why) < 1200
    entry.why.encode()


@pytest.mark.parametrize("arguments", ["", "null", '""', "  ", "{}", "[{}]", '"null"', '"{}"'])
def test_read_calls_takes_nothing_as_no_arguments_where_none_is_required(arguments: str) -> None:
    """A tool without required arguments may be called with nothing."""
    assert one("finish_exploration", arguments) == Call(position=0, id="a", name="finish_exploration", args={})
    assert isinstance(one("web_search", arguments), Call) is (arguments in ("{}", "[{}]", '"{}"'))


@pytest.mark.parametrize(
    "name",
    [
        "web_search", "functions.web_search", "tool.web_search", "tools.web_search", "default_api.web_search",
        "functions.web_search:0", "web_search:3", "Web_Search", "web-search", "webSearch", "WEB SEARCH", " web_search ",
        "`web_search`", '"web_search"', "web_search()", "functions/web_search", "web_search<|channel|>commentary",
        "web\u200b_search",
    ],
)  # fmt: skip
def test_read_calls_accepts_other_spellings_of_a_name(name: str) -> None:
    """Prefixes, case, hyphens and marks around a name do not change what is meant."""
    entry = one(name, '{"query": "x"}')
    assert isinstance(entry, Call)
    assert entry.name == "web_search"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("web_serch", "web_search"), ("search_web", "web_search"), ("functions.fetch_pag", "fetch_page"),
        ("FetchPages", "fetch_page"), ("frontier_nxt", "frontier_next"), ("zzz", ""), ("", ""), ("\x00", ""),
        ("x" * 100_000, ""), ("python", ""), (".", ""), ("functions.", ""), ("\ud800", ""),
    ],
)  # fmt: skip
def test_read_calls_suggests_the_nearest_name(name: str, near: str) -> None:
    """An unknown name is answered with the nearest known one, if any is near, and with the list."""
    entry = one(name, '{"query": "x"}')
    assert isinstance(entry, BadCall)
    assert (f"did you mean {near}?" in entry.why) is bool(near)
    assert "web_search, fetch_page, finish_exploration" in entry.why
    assert len(entry.why) < 400


def test_read_calls_says_so_when_no_tool_may_be_called() -> None:
    """Without tools a call is answered with a sentence, not with an empty list of names."""
    (entry,) = read_calls(Reply(calls=(ToolCall(id="a", name="web_search", arguments="{}"),)), ())
    assert isinstance(entry, BadCall)
    assert "no tool may be called now" in entry.why


def test_read_calls_does_not_choose_between_two_names_alike() -> None:
    """A spelling that could mean two tools is not guessed."""
    tools = (tool("web_search"), tool("websearch"))
    (entry,) = read_calls(Reply(calls=(ToolCall(id="a", name="Web-Search", arguments="{}"),)), tools)
    assert isinstance(entry, BadCall)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("a", "b"), ("a", "b")),
        (("", ""), ("call_0", "call_1")),
        (("a", "a", "a"), ("a", "call_1", "call_2")),
        (("call_1", ""), ("call_1", "call_1_")),
        (("", "call_0"), ("call_0_", "call_0")),
        (("\x00", "a b"), ("call_0", "call_1")),
        (("x" * 500, "é"), ("call_0", "call_1")),
    ],
)
def test_read_calls_gives_every_call_an_id_of_its_own(given: tuple[str, ...], expected: tuple[str, ...]) -> None:
    """Missing, repeated and unusable ids are replaced by the position's, and never by one that is taken."""
    received = tuple(ToolCall(id=own, name="web_search", arguments="{}") for own in given)
    entries = read_calls(Reply(calls=received), TOOLS)
    assert tuple(entry.id for entry in entries) == expected
    assert [entry.position for entry in entries] == list(range(len(given)))


def test_read_calls_names_the_token_limit_for_the_call_it_cut() -> None:
    """After finish_reason length only the last call is asked for again in a shorter form."""
    bad = ToolCall(id="", name="web_search", arguments='{"query": "x')
    first, last = read_calls(Reply(calls=(bad, bad), finish_reason="length"), TOOLS)
    assert isinstance(first, BadCall)
    assert isinstance(last, BadCall)
    assert "token limit" in last.why
    assert "token limit" not in first.why
