"""Ids: made by code, never used twice, and told apart from everything that only looks like one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from investigator.core.ids import (
    next_challenge_id,
    next_claim_id,
    next_datapoint_id,
    next_question_id,
    next_source_id,
    number_of,
    prefix_of,
)

NEXT = [
    (next_question_id, "q"),
    (next_claim_id, "c"),
    (next_datapoint_id, "d"),
    (next_source_id, "s"),
    (next_challenge_id, "ch"),
]


@pytest.mark.parametrize(("following", "prefix"), NEXT)
def test_the_next_id_is_one_above_the_highest(following: Callable[[list[str]], str], prefix: str) -> None:
    """Gaps are not filled, so no id ever names two things; ids of other kinds do not count."""
    assert following([]) == f"{prefix}_001"
    assert following([f"{prefix}_009", f"{prefix}_002", "x_100", "nonsense"]) == f"{prefix}_010"
    others = [f"{other}_500" for _, other in NEXT if other != prefix]
    assert following(others) == f"{prefix}_001"


def test_ids_grow_beyond_three_digits_in_order() -> None:
    """The thousandth id is the number after 999, not a text after it."""
    assert next_claim_id(["c_998", "c_999"]) == "c_1000"
    assert next_claim_id(["c_1000", "c_999"]) == "c_1001"
    assert number_of("c_123456789") == 123456789


@pytest.mark.parametrize(
    "text",
    ["", "q", "q_", "q_1", "q_12", "Q_001", "q-001", "q_001 ", " q_001", "q_001\n", "q_001x", "qq_001", "e_001",
     "q_-01", "q_1e3", "q_٠٠١", "q_００１", "q_0000000001", "ch_", "c_001><c_002", "q_001\x00"],
)  # fmt: skip
def test_what_looks_like_an_id_is_none(text: str) -> None:
    """Other letters, other digits, blanks and line ends make no id: each has no prefix and no number."""
    assert (prefix_of(text), number_of(text)) == ("", 0)


@pytest.mark.parametrize(("text", "prefix"), [("q_001", "q"), ("c_100", "c"), ("d_1000", "d"), ("s_010", "s"),
                                              ("ch_999", "ch")])  # fmt: skip
def test_an_id_has_its_prefix_and_number(text: str, prefix: str) -> None:
    """The two halves of an id."""
    assert (prefix_of(text), number_of(text)) == (prefix, int(text.rsplit("_", 1)[1]))
