"""Malformed calls: each has a defined result, and nothing that a model sends raises."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.core.wire import Reply, ToolCall, ToolSpec
from investigator.tools.arguments import tidy
from investigator.tools.calls import BadCall, Call, read_calls, spoken, validate


def tool(name: str, required: tuple[str, ...] = (), **properties: object) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return ToolSpec(name=name, description="", parameters=schema)


TEXT = {"type": "string", "minLength": 1}
SEARCH = tool("web_search", ("query",), query=TEXT, limit={"type": "integer", "minimum": 1, "maximum": 20})
FETCH = tool("fetch_page", ("url",), url=TEXT)
DONE = tool("finish_exploration")
NEXT = tool("frontier_next", atomic_reason=TEXT)
TOOLS = (SEARCH, FETCH, DONE, NEXT)
Q = {"query": "x"}


def one(name: str, arguments: str, finish: str = "tool_calls") -> Call | BadCall:
    call = ToolCall(id="a", name=name, arguments=arguments)
    (entry,) = read_calls(Reply(calls=(call,), finish_reason=finish), TOOLS)
    return entry


READABLE = [
    ('{"query": "x"}', Q),
    ('  {"query": "x"}\n\n', Q),
    ('\ufeff{"query": "x"}', Q),
    ('"{\\"query\\": \\"x\\"}"', Q),
    (json.dumps(json.dumps(json.dumps(Q))), Q),
    ('```json\n{"query": "x"}\n```', Q),
    ('```\n{"query": "x"}\n```', Q),
    ('```{"query": "x"}```', Q),
    ('```json {"query": "x"}```', Q),
    (json.dumps('```json\n{"query": "x"}\n```'), Q),
    ('{"query": "x",}', Q),
    ('{"query": "x", }', Q),
    ('{"query": ["x", "y",],}', {"query": ["x", "y"]}),
    ("{'query': 'x'}", Q),
    ("{'query': 'x',}", Q),
    ("{'query': \"it's\"}", {"query": "it's"}),
    ('{\'query\': "x", "limit": 3}', {"query": "x", "limit": 3}),
    ("{'query': 'x', 'deep': True, 'no': False, 'nil': None}", {"query": "x", "deep": True, "no": False, "nil": None}),
    ('{"query": "True, None, ] and ,}"}', {"query": "True, None, ] and ,}"}),
    ('{"query": "True, ,]", }', {"query": "True, ,]"}),
    ('{"query": "x"}}', Q),
    ('{"query": "x"}]', Q),
    ('{"query": "x"};', Q),
    ('{"query": "x"}</tool_call>', Q),
    ('{"query": "x"}{"query": "x"}', Q),
    ('[{"query": "x"}]', Q),
    ('[[{"query": "x"}]]', None),
    ('{"query": "a\nb\tc"}', {"query": "a\nb\tc"}),
    ('{"query": "a\\u0000b"}', {"query": "ab"}),
    ('{"query": "a\x00b"}', {"query": "ab"}),
    ('{"query": "a\\ud800b"}', {"query": "ab"}),
    ('{"query": "a\ud800b"}', {"query": "ab"}),
    ('{"que\\u0000ry": "x"}', Q),
    ('{"query": "\\ud83d\\ude00"}', {"query": "\U0001f600"}),
    ('{"query": "a\\u202eb\\u200bc"}', {"query": "abc"}),
    ('{"query": "y", "query": "x"}', Q),
    ('{"name": "web_search", "arguments": {"query": "x"}}', Q),
    ('{"tool": "web_search", "parameters": {"query": "x"}}', Q),
    ('{"arguments": {"query": "x"}}', Q),
    ('{"input": {"query": "x"}}', Q),
    ('{"query": "x", "n": 1e3}', {"query": "x", "n": 1000.0}),
    ('{"query": "x", "n": 1%s}' % ("0" * 200), {"query": "x", "n": 10**200}),
    ("{}", {}),
    ("[{}]", {}),
]

UNREADABLE = [
    ("", "empty"),
    ("   \n", "empty"),
    ("null", "empty"),
    ('""', "empty"),
    ('{"query": "x', "cut off"),
    ('{"query": "x"', "cut off"),
    ('{"query": ', "cut off"),
    ('{"query"', "cut off"),
    ("{", "cut off"),
    ('{"query": "x\\', "cut off"),
    ('{"query": "x\\"}', "cut off"),
    ('{"query": ["x"', "cut off"),
    ('{"query": "x", "limit": 3, "a": {"b": [1, 2', "cut off"),
    ('```json\n{"query": "x', "cut off"),
    ('"{\\"query\\": \\"x', "cut off"),
    (json.dumps('{"query": "x'), "cut off"),
    ("{query: x}", "not valid JSON"),
    ("{'query': 'it's'}", "not valid JSON"),
    ("{'query': 'a\\'b'}", "not valid JSON"),
    ('{"query" "x"}', "not valid JSON"),
    ('{"query": "x" "limit": 3}', "not valid JSON"),
    ('{"query": "say "hi" now"}', "not valid JSON"),
    ('{"query": undefined}', "not valid JSON"),
    ("query=x", "not valid JSON"),
    ("query: x", "not valid JSON"),
    ("<query>x</query>", "not valid JSON"),
    ("I will search for x.", "not valid JSON"),
    ("\x00\x01\x02", "not valid JSON"),
    ("\ud800", "not valid JSON"),
    ("}", "not valid JSON"),
    ("]]]]", "not valid JSON"),
    ('{"query": "x"} and then more', "followed by more"),
    ('{"query": "x"}{"query": "y"}', "followed by more"),
    ('{}{"query": "x"}', "followed by more"),
    ('{"n": NaN}', "not a finite number"),
    ('{"n": Infinity}', "not a finite number"),
    ('{"n": -Infinity}', "not a finite number"),
    ('{"n": 1e999}', "not a finite number"),
    ('{"n": -1e999}', "not a finite number"),
    ('{"n": %s}' % ("9" * 5000), "300 digits"),
    ('{"n": -%s}' % ("9" * 301), "300 digits"),
    ("[" * 100_000, "nested deeper"),
    ("[" * 100_000 + "]" * 100_000, "nested deeper"),
    ('{"a":' * 100_000, "nested deeper"),
    ('{"a":' * 50 + "1" + "}" * 50, "nested deeper"),
    (json.dumps("[" * 100_000), "nested deeper"),
    ('{"query": "' + "x" * 1_000_001 + '"}', "longer than"),
    ("[]", "a list"),
    ("[1, 2]", "a list"),
    ('["x"]', "plain text"),
    ('[{"query": "x"}, {"query": "y"}]', "a list"),
    ("5", "a number"),
    ("0.5", "a number"),
    ("true", "true or false"),
    (json.dumps("just words"), "not valid JSON"),
    (json.dumps(json.dumps(json.dumps(json.dumps(json.dumps(Q))))), "plain text"),
]


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


X = '{"name": "web_search", "arguments": {"query": "x"}}'
Y = '{"tool": "fetch_page", "args": {"url": "y"}}'

WRITTEN = [
    (X, "web_search", ""),
    (f"  {X}\n", "web_search", ""),
    (Y, "fetch_page", ""),
    ('{"function": "web_search", "parameters": {"query": "x"}}', "web_search", ""),
    ('{"name": "functions.Web-Search", "input": {"query": "x"}}', "web_search", ""),
    (f'{{"type": "function", "function": {X}}}', "web_search", ""),
    (f'{{"tool_calls": [{X}, {Y}]}}', "web_search fetch_page", ""),
    (f"[{X}, {Y}]", "web_search fetch_page", ""),
    (f"{X}\n{Y}", "web_search fetch_page", ""),
    (f"{X}, {Y}", "web_search fetch_page", ""),
    (f"```json\n{X}\n```", "web_search", ""),
    (f"```\n{X}\n```", "web_search", ""),
    (f"```json {X}```", "web_search", ""),
    (f"```json\n{X}", "web_search", ""),
    (f"I look.\n```json\n{X}\n```\nThen more.", "web_search", "I look.\n\nThen more."),
    (f"```json\n{X}\n```\n```json\n{Y}\n```", "web_search fetch_page", ""),
    (f"```json\n{X}\n{Y}\n```", "web_search fetch_page", ""),
    (f"<tool_call>{X}</tool_call>", "web_search", ""),
    (f"<tool_call>\n{X}\n</tool_call>\n<tool_call>\n{Y}\n</tool_call>", "web_search fetch_page", ""),
    (f"<tool_call>{X}", "web_search", ""),
    (f"Let me see. <tool_call>{X}</tool_call>", "web_search", "Let me see."),
    (f"<TOOL_CALL>{X}</TOOL_CALL>", "web_search", ""),
    (f"<tool_call>```json\n{X}\n```</tool_call>", "web_search", ""),
    (f"<function_call>{X}</function_call>", "web_search", ""),
    ("<tool_call>{'name': 'web_search', 'arguments': {'query': 'x'}}</tool_call>", "web_search", ""),
    ('web_search({"query": "x"})', "web_search", ""),
    ('web_search( {"query": "x (y) }"} )', "web_search", ""),
    ('functions.web_search({"query": "x"})\nfetch_page({"url": "y"})', "web_search fetch_page", ""),
    ('```python\nweb_search({"query": "x"})\n```', "web_search", ""),
    (f"I will search first.\n{X}", "web_search", "I will search first."),
    (f"[1] is no call.\n{X}", "web_search", "[1] is no call."),
    (f"<think>{Y}</think>{X}", "web_search", ""),
    (f"thinking without a start</think>\n{X}", "web_search", ""),
    ('{"name": "finish_exploration"}', "finish_exploration", ""),
    ('{"name": "finish_exploration", "arguments": {}}', "finish_exploration", ""),
    ('{"name": "finish_exploration", "arguments": null}', "finish_exploration", ""),
    ('<tool_call>{"name": "web_search", "arguments": {"query": "x', "web_search!", ""),
    ('<tool_call>{"name": "web_search", "arguments": {query: x}}</tool_call>', "web_search!", ""),
    ('```json\n{"name": "web_search", "arguments": {"query": "x', "web_search!", ""),
    ('{"name": "web_search", "arguments": "{\\"query\\": \\"x"}', "web_search!", ""),
    ('{"name": "web_search", "arguments": [1, 2]}', "web_search!", ""),
]

ONLY_TEXT = [
    "",
    "The answer is 4.",
    "I would call web_search next.",
    "web_search",
    "web_search(query)",
    'print({"a": 1})',
    '{"name": "Ada", "arguments": {"born": 1815}}',
    '{"answer": 4}',
    "[1, 2, 3]",
    "{",
    "[",
    '```json\n{"a": 1}\n```',
    "```python\nprint(1)\n```",
    "```",
    '<tool_call>{"name": "rm", "arguments": {}}</tool_call>',
    "<tool_call></tool_call>",
    "</tool_call>",
    f"The page says:\n{X}\nand that is a quote.",
    f"The page says {X}",
    f"{X} is how one would write it.",
    '{"name": "web_search", "description": "searches"}',
    f"[{X}, 5]",
    "(" * 1000,
    "{" * 5000,
    "[\n" * 5000,
]


@pytest.mark.parametrize(("text", "names", "said"), WRITTEN)
def test_read_calls_finds_calls_written_as_text(text: str, names: str, said: str) -> None:
    """Calls in fences, tags, or alone are read (``!`` marks a BadCall), and are not part of what was said."""
    entries = read_calls(Reply(text=text), TOOLS)
    assert " ".join(one.name + "!" * isinstance(one, BadCall) for one in entries) == names
    assert [one.id for one in entries] == [f"call_{n}" for n in range(len(entries))]
    assert spoken(text, TOOLS) == said


@pytest.mark.parametrize("text", ONLY_TEXT)
def test_read_calls_leaves_other_text_alone(text: str) -> None:
    """Text that names no offered tool, or quotes a call in the middle, stays text."""
    assert read_calls(Reply(text=text), TOOLS) == ()
    assert spoken(text, TOOLS) == text.strip()


def test_read_calls_prefers_received_calls_to_written_ones() -> None:
    """A text beside real calls is never searched for more."""
    received = ToolCall(id="a", name="fetch_page", arguments='{"url": "u"}')
    assert [one.name for one in read_calls(Reply(text=X, calls=(received,)), TOOLS)] == ["fetch_page"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<THINK>a</THINK> b", "b"),
        ("<thinking>a</thinking>b", "b"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think>never ends", ""),
        ("  <think>never ends", ""),
        ("<think></think>", ""),
        ("a</think>b", "b"),
        ("b <think> is a tag", "b <think> is a tag"),
        (f"<tool_call>{X}</tool_call>after", "after"),
        (f"before ```json\n{X}\n```", "before"),
    ],
)
def test_spoken_drops_thinking_and_calls(text: str, said: str) -> None:
    """Only what is meant for a reader stays, also when the tools are not known."""
    assert spoken(text) == said


SCHEMA = tool(
    "t",
    (),
    n={"type": "number", "minimum": 0, "maximum": 1},
    i={"type": "integer", "minimum": 1, "maximum": 20},
    b={"type": "boolean"},
    s={"type": "string", "minLength": 1, "maxLength": 5},
    e={"type": "string", "enum": ["query", "direct_negation"]},
    m={"type": ["string", "number"]},
    z={"type": ["string", "null"]},
    l={"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
    o={"type": "array", "items": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}},
    f={"type": "object"},
)

COERCED = [
    ({"n": 0.8}, {"n": 0.8}),
    ({"n": "0.8"}, {"n": 0.8}),
    ({"n": " 1e-1 "}, {"n": 0.1}),
    ({"n": 1}, {"n": 1}),
    ({"i": "3"}, {"i": 3}),
    ({"i": "+3"}, {"i": 3}),
    ({"i": 5.0}, {"i": 5}),
    ({"i": "5.0"}, {"i": 5}),
    ({"b": "true"}, {"b": True}),
    ({"b": "False"}, {"b": False}),
    ({"s": "a\x00\ud800b"}, {"s": "ab"}),
    ({"s": 12}, {"s": "12"}),
    ({"e": "Direct-Negation"}, {"e": "direct_negation"}),
    ({"e": "QUERY"}, {"e": "query"}),
    ({"m": 4.2}, {"m": 4.2}),
    ({"m": "4.2"}, {"m": "4.2"}),
    ({"z": None}, {"z": None}),
    ({"l": "a"}, {"l": ["a"]}),
    ({"l": '["a", "b"]'}, {"l": ["a", "b"]}),
    ({"l": "[C1] says"}, {"l": ["[C1] says"]}),
    ({"l": [1, "b"]}, {"l": ["1", "b"]}),
    ({"o": {"text": "x"}}, {"o": [{"text": "x"}]}),
    ({"o": '{"text": "x"}'}, {"o": [{"text": "x"}]}),
    ({"o": '[{"text": "x"}]'}, {"o": [{"text": "x"}]}),
    ({"o": [{"text": "x", "colour": 1}]}, {"o": [{"text": "x"}]}),
    ({"f": {"any": [1, {"thing": None}]}}, {"f": {"any": [1, {"thing": None}]}}),
    ({"f": [{"a": 1}]}, {"f": {"a": 1}}),
    ({"colour": "red"}, {}),
    ({"n": None}, {}),
    ({"N": 0.5}, {"n": 0.5}),
    ({"N": 0.5, "n": 0.4}, {"n": 0.4}),
]

REFUSED = [
    ({"n": "high"}, "n must be a number from 0 to 1, got 'high'"),
    ({"n": True}, "n must be a number from 0 to 1, got true"),
    ({"n": 2}, "n must be a number from 0 to 1, got 2"),
    ({"n": "1e999"}, "n must be a number from 0 to 1, got '1e999'"),
    ({"n": float("nan")}, "not a finite number"),
    ({"n": 10**5000}, "300 digits"),
    ({"n": 10**200}, "n must be a number from 0 to 1, got a very large number"),
    ({"i": 2.5}, "i must be a whole number from 1 to 20, got 2.5"),
    ({"i": False}, "i must be a whole number from 1 to 20, got false"),
    ({"i": "9" * 400}, "i must be a whole number"),
    ({"b": "yes"}, "b must be true or false, got 'yes'"),
    ({"b": 1}, "b must be true or false, got 1"),
    ({"s": "  "}, "s must be text of 1 to 5 characters"),
    ({"s": "abcdef"}, "s must be text of 1 to 5 characters, got 'abcdef'"),
    ({"s": ["a"]}, "s must be text of 1 to 5 characters, got a list of 1"),
    ({"s": True}, "got true"),
    ({"e": "guess"}, "e must be one of query, direct_negation, got 'guess'"),
    ({"m": []}, "m must be text or a number, got a list of 0"),
    ({"l": []}, "l must be a list of 1 to 2 items, each text"),
    ({"l": ["a", "b", "c"]}, "got a list of 3"),
    ({"l": [["a"]]}, "l[0] must be text, got a list of 1"),
    ({"l": {"a": 1}}, "got an object"),
    ({"o": [{"words": "x"}]}, "o[0].text is missing, it must be text (you sent words)"),
    ({"o": "x"}, "o must be a list, each an object with text, got 'x'"),
    ({"f": "x"}, "f must be an object, got 'x'"),
    ({"n": "high", "b": "yes"}, "; b must be"),
    ({"s": "x" * 10_000}, "…"),
    ({"f": {"a": {1, 2}}}, "JSON has not"),
]


@pytest.mark.parametrize(("args", "expected"), COERCED)
def test_validate_coerces_what_is_harmless(args: dict[str, object], expected: dict[str, object]) -> None:
    """Harmless differences become what the schema wants, in value and in type."""
    found = validate(SCHEMA, args)
    assert found == expected
    assert [type(one) for one in found.values()] == [type(one) for one in expected.values()]  # type: ignore[union-attr]


@pytest.mark.parametrize(("args", "sentence"), REFUSED)
def test_validate_names_what_is_wrong(args: dict[str, object], sentence: str) -> None:
    """A refusal is one short sentence that names the argument, what was received and what is wanted."""
    found = validate(SCHEMA, args)
    assert isinstance(found, str)
    assert sentence in found
    assert len(found) < 400


def test_validate_names_a_missing_argument_and_what_came_instead() -> None:
    """A missing required argument is named, with the unknown keys that may have meant it; null counts as missing."""
    assert validate(SEARCH, {"q": "x"}) == "query is missing, it must be text of at least 1 characters (you sent q)"
    assert "query is missing" in str(validate(SEARCH, {"query": None}))


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.text(alphabet='{}[]"\'\\,: \n`ax1<>/()', max_size=60),
    st.sampled_from([text for text, *_ in WRITTEN] + ONLY_TEXT + [text for text, _ in READABLE]),
    st.text(st.characters(categories=("Cs", "Cc", "Lu")), max_size=20),
)
RECEIVED = st.builds(ToolCall, id=HOSTILE, name=st.one_of(HOSTILE, st.sampled_from([t.name for t in TOOLS])),
                     arguments=HOSTILE)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("nibsemzlof"), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=400, deadline=None)
@given(text=HOSTILE, more=HOSTILE, calls=st.lists(RECEIVED, max_size=4), finish=st.sampled_from(["stop", "length"]))
def test_read_calls_never_raises(text: str, more: str, calls: list[ToolCall], finish: str) -> None:
    """No reply raises; each received call has one entry in order with an id of its own and text that can be stored."""
    entries = read_calls(Reply(text=text + more, calls=tuple(calls), finish_reason=finish), TOOLS)
    if calls:
        assert len(entries) == len(calls)
    assert [entry.position for entry in entries] == list(range(len(entries)))
    assert len({entry.id for entry in entries}) == len(entries)
    for entry in entries:
        stored = json.dumps(entry.args, allow_nan=False) if isinstance(entry, Call) else entry.why
        assert "\x00" not in stored
        (entry.id + entry.name + stored).encode()
    assert len(spoken(text + more, TOOLS)) <= len(text + more)


@settings(max_examples=400, deadline=None)
@given(args=st.dictionaries(st.sampled_from("nibsemzlof"), JSON, max_size=5))
def test_validate_accepts_its_own_answer(args: dict[str, object]) -> None:
    """Whatever is accepted is accepted again unchanged, and nothing raises."""
    found = validate(SCHEMA, args)
    assert isinstance(found, str) or validate(SCHEMA, found) == found


@pytest.mark.parametrize("piece", ["<think>", "<tool_call>", "```", '"', "{", "[\n", "'", ", ", '\\"', " ", "a({"])
def test_read_calls_is_linear_in_hostile_text(piece: str) -> None:
    """Two hundred thousand characters of one token are read in a moment, as text and as arguments."""
    text = piece * (200_000 // len(piece))
    begin = time.process_time()
    read_calls(Reply(text=text), TOOLS)
    read_calls(Reply(calls=(ToolCall(id="", name="web_search", arguments=text),)), TOOLS)
    spoken(text)
    assert time.process_time() - begin < 2.0


def test_tidy_keeps_plain_values() -> None:
    """Values that are clean already come back equal."""
    value = {"a": [1, 2.5, None, True, "x\ny"]}
    assert tidy(value) == value
