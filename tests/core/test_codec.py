"""Values to JSON text and back: equal values, equal bytes; whatever stands in their strings."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.core import codec
from investigator.core.limits import Limits
from investigator.core.vocab import Strategy
from investigator.core.wire import Failure, Hit, Hits

HOSTILE = ["", "\x00", "\ud800", "\udfff x", "\u2028\u202e", "\\", '"', "\\ud83d", "\U0001f600", "</script>", "'; --",
           "NaN", "null", "é\r\n\t", "\ufdd0" * 3, "x" * 10_000]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Inner:
    text: str = ""
    hidden: str = field(default="", metadata=codec.STORED_ELSEWHERE)


@dataclass(frozen=True, kw_only=True)
class Outer:
    """Every kind of field that events and limits are made of."""

    flag: bool = False
    number: int = 0
    share: float | None = None
    strategy: Strategy = Strategy.COUNTEREXAMPLE
    strategies: tuple[Strategy, ...] = ()
    names: frozenset[str] = frozenset()
    inner: Inner = Inner()
    either: Hits | Failure | None = None
    many: tuple[Inner, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)


FULL = Outer(
    flag=True, number=10**12, share=0.1, strategy=Strategy.SCOPE_LIMITS, strategies=tuple(Strategy),
    names=frozenset({"b", "a"}), inner=Inner(text="x"), either=Hits(hits=(Hit(url="u"),)),
    many=(Inner(), Inner(text="y")), pairs=(("ch_001", "survived"),), sizes={"b": 2, "a": 1},
)  # fmt: skip


@pytest.mark.parametrize(
    "value", [Outer(), FULL, Outer(either=Failure(kind="timeout", message="m")), Outer(share=0.0), Outer(share=1e-300)]
)
def test_a_value_comes_back_equal(value: Outer) -> None:
    """Each kind of field, unions by the shape of their data, and none where none was."""
    text = codec.dumps(value)
    assert codec.loads(Outer, text) == value
    assert codec.dumps(codec.loads(Outer, text)) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_back_equal(text: str) -> None:
    """NUL, lone surrogates, quotes and escapes; all is ASCII on one line, so any database keeps it."""
    value = Outer(inner=Inner(text=text), names=frozenset({text}), sizes={text: 1}, pairs=((text, text),))
    written = codec.dumps(value)
    assert written.isascii()
    assert "\n" not in written
    assert codec.loads(Outer, written) == value


@given(st.text(st.characters(exclude_categories=[]), max_size=20))
@settings(max_examples=150, deadline=None)
def test_any_text_comes_back_as_what_it_spells(text: str) -> None:
    """Text is read back unchanged, but for two lone surrogates in a row, which are the character that they spell."""
    read = codec.loads(Inner, codec.dumps(Inner(text=text))).text
    assert read == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert codec.loads(Inner, codec.dumps(Inner(text=read))).text == read


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_never_written(number: float) -> None:
    """NaN and infinity are no JSON: they are refused when written, and so are never in a log."""
    with pytest.raises(ValueError, match="JSON compliant"):
        codec.dumps(Outer(share=number))


def test_equal_values_are_the_same_bytes() -> None:
    """The order of a mapping or a set does not show, so a hash of the text is a hash of the value."""
    one = Outer(sizes={"a": 1, "b": 2}, names=frozenset(["x", "y", "z"]))
    other = Outer(sizes={"b": 2, "a": 1}, names=frozenset(["z", "y", "x"]))
    assert codec.dumps(one) == codec.dumps(other)
    assert list(json.loads(codec.dumps(FULL))) == sorted(json.loads(codec.dumps(FULL)))


def test_what_is_stored_elsewhere_is_not_written() -> None:
    """The text of a page lies in its own table."""
    assert json.loads(codec.dumps(Inner(text="x", hidden="secret"))) == {"text": "x"}


def test_unknown_keys_are_left_out_and_missing_ones_default() -> None:
    """What a later version added, or an earlier one did not know, is no error."""
    assert codec.loads(Outer, '{"number": 3, "invented": {"by": "others"}}') == Outer(number=3)
    assert codec.loads(Limits, "{}") == Limits()


@pytest.mark.parametrize("text", ['{"strategy": "shouting"}', '{"strategies": ["shouting"]}'])
def test_a_word_outside_its_vocabulary_is_an_error(text: str) -> None:
    """Closed lists are closed when they are read, too."""
    with pytest.raises(ValueError, match="shouting"):
        codec.loads(Outer, text)


def test_limits_come_back_equal() -> None:
    """The limits of a run stand in its first event and in its row."""
    changed = Limits(max_depth=2, max_cost_usd=1.5, gate_priority=0, strategies=(Strategy.NEWER_EVIDENCE,))
    assert codec.loads(Limits, codec.dumps(changed)) == changed


@pytest.mark.parametrize(
    ("one", "other"), [(("ab", "c"), ("a", "bc")), (("a",), ("a", "")), ((), ("",)), (("\ud800",), ("\ud801",))]
)
def test_a_digest_tells_texts_apart(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """Each text counts with its length: none can be made from another by moving a border."""
    assert codec.digest(*one) != codec.digest(*other)
    assert codec.digest(*one) == codec.digest(*one)
    assert len(codec.digest(*one)) == 64
