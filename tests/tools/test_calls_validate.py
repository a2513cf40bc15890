"""Arguments held against a tool's schema: what is harmless is coerced, everything else is one sentence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replies import SEARCH, tool

from investigator.tools.arguments import tidy
from investigator.tools.calls import validate

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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("nibsemzlof"), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=400, deadline=None)
@given(args=st.dictionaries(st.sampled_from("nibsemzlof"), JSON, max_size=5))
def test_validate_accepts_its_own_answer(args: dict[str, object]) -> None:
    """Whatever is accepted is accepted again unchanged, and nothing raises."""
    found = validate(SCHEMA, args)
    assert isinstance(found, str) or validate(SCHEMA, found) == found


def test_tidy_keeps_plain_values() -> None:
    """Values that are clean already come back equal."""
    value = {"a": [1, 2.5, None, True, "x\ny"]}
    assert tidy(value) == value
