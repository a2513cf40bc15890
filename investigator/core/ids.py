"""Ids. Code assigns them, never the model: prefix, underscore, three digits or more, the highest so far plus one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NewType

QuestionId = NewType("QuestionId", str)
ClaimId = NewType("ClaimId", str)
SourceId = NewType("SourceId", str)
ChallengeId = NewType("ChallengeId", str)

ROOT = QuestionId("q_001")
_ID = re.compile(r"(q|c|d|s|ch)_(\d{3,9})", re.ASCII)


def prefix_of(identifier: str) -> str:
    """``q``, ``c``, ``d``, ``s`` or ``ch``; '' if this is no id.

    >>> prefix_of("ch_004"), prefix_of("q_12"), prefix_of("x")
    ('ch', '', '')
    """
    match = _ID.fullmatch(identifier)
    return match.group(1) if match else ""


def number_of(identifier: str) -> int:
    """The number in an id; 0 if this is no id.

    >>> number_of("c_012")
    12
    """
    match = _ID.fullmatch(identifier)
    return int(match.group(2)) if match else 0


def _next(prefix: str, taken: Iterable[str]) -> str:
    mine = f"{prefix}_"  # ids in a state are our own, so what follows is a number
    return f"{mine}{max((int(one[len(mine):]) for one in taken if one.startswith(mine)), default=0) + 1:03d}"


def next_question_id(taken: Iterable[str]) -> QuestionId:
    """The next free question id.

    >>> next_question_id(["q_001", "q_009"])
    'q_010'
    """
    return QuestionId(_next("q", taken))


def next_claim_id(taken: Iterable[str]) -> ClaimId:
    """The next free claim id (``c_``)."""
    return ClaimId(_next("c", taken))


def next_datapoint_id(taken: Iterable[str]) -> ClaimId:
    """The next free datapoint id (``d_``)."""
    return ClaimId(_next("d", taken))


def next_source_id(taken: Iterable[str]) -> SourceId:
    """The next free source id (``s_``)."""
    return SourceId(_next("s", taken))


def next_challenge_id(taken: Iterable[str]) -> ChallengeId:
    """The next free challenge id (``ch_``)."""
    return ChallengeId(_next("ch", taken))
