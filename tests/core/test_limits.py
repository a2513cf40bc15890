"""Limits: equal ones are also the same text, whatever numbers they were given as."""

from __future__ import annotations

import pytest

from investigator.core import codec
from investigator.core.limits import Limits


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
