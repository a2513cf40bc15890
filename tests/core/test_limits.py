"""Limits: each has a range that is kept at construction, and equal ones are also the same text."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from investigator.core import codec
from investigator.core.limits import Limits, explored
from investigator.core.vocab import Strategy
from investigator.errors import InvestigatorError, LimitError, UsageError

NUMBERS = [one for one in dataclasses.fields(Limits) if "low" in one.metadata]
WHOLE = [one for one in NUMBERS if one.type in ("int", "int | None")]
OTHERS = ("require_quotes", "text_independence", "strategies")
named = pytest.mark.parametrize("one", NUMBERS, ids=lambda one: one.name)


def sentence(**changes: Any) -> str:
    """What is said of a limit that is out of range."""
    with pytest.raises(LimitError) as caught:
        Limits(**changes)
    return str(caught.value)


def test_every_limit_is_a_number_a_flag_or_the_strategies() -> None:
    """The tests below look at all of them, and each says what it means and in what unit."""
    assert {one.name for one in dataclasses.fields(Limits)} == {one.name for one in NUMBERS} | set(OTHERS)
    assert all(one.metadata["meaning"] for one in dataclasses.fields(Limits))
    assert all(one.metadata["unit"] for one in NUMBERS)


@named
def test_a_limit_reaches_from_low_to_high(one: Any) -> None:
    """Both ends are allowed, and so is the default."""
    low, high = one.metadata["low"], one.metadata["high"]
    assert getattr(Limits(**{one.name: low}), one.name) == low
    assert getattr(Limits(**{one.name: high}), one.name) == high
    assert one.default is None or low <= one.default <= high


@named
def test_a_limit_out_of_range_names_itself_and_the_range(one: Any) -> None:
    """Just outside of either end, with what came."""
    low, high = one.metadata["low"], one.metadata["high"]
    step = 1 if one in WHOLE else 0.001
    for value in (low - step, high + step, -(10**30), 10**30):
        assert sentence(**{one.name: value}) == f"{one.name} must be from {low:g} to {high:g}, got {value!r}"


@named
@pytest.mark.parametrize("value", ["3", "", True, False, [], {}, (), b"1", 1j, float("nan"), float("inf"), object()])
def test_a_limit_of_another_type_is_refused(one: Any, value: Any) -> None:
    """Text that looks like a number is none, true is not 1, and what is no finite number is out of range."""
    text = sentence(**{one.name: value})
    whole = "a whole number " if one in WHOLE and not isinstance(value, int) else ""
    low, high = one.metadata["low"], one.metadata["high"]
    assert text == f"{one.name} must be {whole}from {low:g} to {high:g}, got {value!r}"


@pytest.mark.parametrize("one", WHOLE, ids=lambda one: one.name)
def test_a_count_is_a_whole_number(one: Any) -> None:
    """Half a question is none, and 3.0 is not written where 3 is meant."""
    assert "must be a whole number from" in sentence(**{one.name: one.metadata["low"] + 0.5})
    assert "must be a whole number from" in sentence(**{one.name: float(one.metadata["high"])})


@named
def test_only_a_limit_that_may_be_missing_takes_none(one: Any) -> None:
    """None means that there is no limit; where one is needed it is refused."""
    if one.default is None:
        assert getattr(Limits(**{one.name: None}), one.name) is None
    else:
        assert sentence(**{one.name: None}).endswith("got None")


@pytest.mark.parametrize("name", ["require_quotes", "text_independence"])
@pytest.mark.parametrize("value", [1, 0, "true", None, []])
def test_a_flag_is_true_or_false(name: str, value: object) -> None:
    """Nothing is taken for true or false that is neither."""
    assert sentence(**{name: value}) == f"{name} must be true or false, got {value!r}"


@pytest.mark.parametrize(
    "value", [(), [], ("shouting",), "direct_negation", None, [Strategy.COUNTEREXAMPLE], ("counterexample", "shouting")]
)
def test_strategies_are_some_of_the_list(value: object) -> None:
    """At least one, as a tuple, and each of the seven by name."""
    text = sentence(strategies=value)
    assert text.startswith("strategies must be a non-empty tuple of direct_negation, counterexample,")
    assert text.endswith(f"got {value!r}")


def test_a_limit_error_is_the_callers_fault() -> None:
    """It is caught as a usage error, as a ValueError and as an error of this package."""
    for kind in (UsageError, ValueError, InvestigatorError):
        with pytest.raises(kind):
            Limits(max_depth=0)


def test_replace_changes_what_is_named_and_checks_it() -> None:
    """Unknown names are answered with the list of names, a bad value with the range; the old limits stay."""
    limits = Limits()
    assert limits.replace(max_depth=2).max_depth == 2
    assert limits.max_depth == 3
    with pytest.raises(LimitError, match="there is no limit 'depth'; the limits are extraction_threshold, gate_prio"):
        limits.replace(depth=2)
    with pytest.raises(LimitError, match="max_depth must be from 1 to 10, got 0"):
        limits.replace(max_depth=0)


def test_narrow_changes_three_limits_and_not_the_rule_for_verified() -> None:
    """For small tasks, and still changeable."""
    narrow, usual = Limits.narrow(), Limits()
    changed = {one.name for one in dataclasses.fields(Limits) if getattr(narrow, one.name) != getattr(usual, one.name)}
    assert changed == {"min_sources", "min_domains", "max_iterations"}
    assert (narrow.min_independent_sources, narrow.min_challenges) == (2, 1)
    assert Limits.narrow(min_sources=4).min_sources == 4


@pytest.mark.parametrize(
    ("limit", "reserve", "turns"),
    [(60, 0.15, 51), (100, 0.15, 85), (20, 0.15, 17), (1, 0.15, 0), (60, 0, 60), (10, 0.9, 1),
     (3, 0.9, 0), (30, 0.1, 27)],
)  # fmt: skip
def test_exploration_gets_what_the_reserve_leaves(limit: int, reserve: float, turns: int) -> None:
    """The whole turns below limit x (1 - reserve), as on paper and not as in binary fractions."""
    assert Limits(max_iterations=limit, synthesis_reserve=reserve).exploration_turns == turns
    assert explored(limit, reserve) == turns <= math.ceil(limit * (1 - reserve))


def test_limits_never_change() -> None:
    """They are a value: what a run holds cannot be altered behind its back."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Limits().max_depth = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"gate_priority": 1}, {"gate_priority": 1.0}),
        ({"synthesis_reserve": -0.0}, {"synthesis_reserve": 0}),
        ({"max_cost_usd": 2}, {"max_cost_usd": 2.0}),
    ],
)
def test_equal_limits_have_one_text(one: dict[str, float], other: dict[str, float]) -> None:
    """The run's row and its chain hash hold this text: two processes must not write it differently."""
    assert Limits(**one) == Limits(**other)
    assert codec.dumps(Limits(**one)) == codec.dumps(Limits(**other))


def test_no_limit_stays_none() -> None:
    """None means that there is no limit, and is not made a number."""
    assert (Limits(max_cost_usd=None).max_cost_usd, Limits().max_total_tokens) == (None, None)
