"""The door of the reading skill: what a policy calls. Everything here is a pure function of texts.

`passages` reads one page, `answers` weighs several, `quotes` picks what to show of them, `relation` tells how a
sentence bears on a claim, `sentence_for` makes the claim. Knows nothing itself.
"""

from investigator.world.offline.findings import (
    TEXT_THRESHOLD,
    THRESHOLD,
    Finding,
    PageText,
    Rival,
    Support,
    answers,
    negative,
    quotes,
)
from investigator.world.offline.passages import MOST_QUOTE_WORDS, Passage, clip, passages
from investigator.world.offline.standing import standing
from investigator.world.offline.statements import Bearing, relation, sentence_for
from investigator.world.offline.values import Value, candidates

__all__ = [
    "MOST_QUOTE_WORDS",
    "TEXT_THRESHOLD",
    "THRESHOLD",
    "Bearing",
    "Finding",
    "PageText",
    "Passage",
    "Rival",
    "Support",
    "Value",
    "answers",
    "candidates",
    "clip",
    "negative",
    "passages",
    "quotes",
    "relation",
    "sentence_for",
    "standing",
]
