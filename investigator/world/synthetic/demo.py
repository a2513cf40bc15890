"""The bundled demo world: an invented bridge, sixty pages about it and around it, and what is true.

Knows the drafts and puts names in; must not know an agent. Every entity is invented, so that no model can answer from
memory. Built to be met in this order by whoever reads first results first: an early report that five domains carry and
that is false, a length that holds only with its approaches, a number of cables that two pages take from the drawings
and that only pages about the cost correct, a cost that nobody gives. Beside it: a toll that was raised, a designer whom
a school mistakes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from investigator.world.synthetic.cast import draw
from investigator.world.synthetic.crossing import CROSSING
from investigator.world.synthetic.daily_life import DAILY_LIFE
from investigator.world.synthetic.neighbours import NEIGHBOURS
from investigator.world.synthetic.opening import OPENING
from investigator.world.synthetic.truth import Fact, Role, Truth
from investigator.world.synthetic.web import SyntheticWeb

_SEED = 7
_DRAFTS = OPENING + CROSSING + NEIGHBOURS + DAILY_LIFE
_OBJECTIVE = (
    "In what year did the {bridge} open to road traffic, how long is it, how many cables does it have and how much "
    "did its construction cost?"
)


def demo_web(seed: int = _SEED) -> SyntheticWeb:
    """The demo world; another seed gives other names and numbers on the same plan.

    >>> web = demo_web()
    >>> web.facts().pages, web.facts().domains, web.facts().demo
    (60, 22, True)
    >>> web.truth.fact("cost").answered
    False
    """
    slots = draw(seed)
    urls = {one.key: one.url(slots) for one in _DRAFTS}
    # Shuffled, so that no order in which drafts were written can settle a tie of the search.
    drafts = random.Random(seed).sample(_DRAFTS, len(_DRAFTS))
    return SyntheticWeb(
        name="demo",
        pages=tuple(one.page(slots, urls) for one in drafts),
        truth=_truth(slots),
        objective=_OBJECTIVE.format_map(slots),
        demo=True,
    )


DEMO_OBJECTIVE = _OBJECTIVE.format_map(draw(_SEED))


def _truth(slots: Mapping[str, str]) -> Truth:
    return Truth(
        facts=tuple(_fact(name, slots, **fields) for name, fields in _FACTS.items()),
        broken=tuple(one.url(slots) for one in _DRAFTS if one.unreadable),
        orders=tuple(one.url(slots) for one in _DRAFTS if one.orders),
        forbidden=("https://evil.example/",),
    )


def _fact(name: str, slots: Mapping[str, str], **fields: str) -> Fact:
    filled: dict[str, Any] = {key: text.format_map(slots) for key, text in fields.items()}
    filled |= {str(role): _urls(name, role, slots) for role in Role}
    copies = tuple(one.url(slots) for one in _DRAFTS if one.copy and name in one.roles)
    return Fact(name=name, subject=slots["bridge"], copies=copies, **filled)


def _urls(name: str, role: Role, slots: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(one.url(slots) for one in _DRAFTS if one.roles.get(name) is role)


_FACTS: Mapping[str, Mapping[str, str]] = {
    "opening": {
        "relation": "opened to road traffic in",
        "question": "In what year did the {bridge} open to road traffic?",
        "value": "{year}",
        "wrong_value": "{early}",
    },
    "length": {
        "relation": "is long",
        "question": "How long is the {bridge}?",
        "value": "{length}",
        "unit": "metres",
        "scope": "with both approach viaducts; {span} metres between the abutments",
    },
    "designer": {
        "relation": "was designed by",
        "question": "Who designed the {bridge}?",
        "value": "{designer}",
        "wrong_value": "{engineer}",
    },
    "cables": {
        "relation": "has",
        "question": "How many cables does the {bridge} have?",
        "value": "{cables}",
        "unit": "cables",
        "wrong_value": "{cables_drawn}",
    },
    "cost": {
        "relation": "cost to build",
        "question": "How much did the construction of the {bridge} cost?",
        "value": "{cost}",
        "unit": "million crowns",
    },
    "toll": {
        "relation": "charges a private car",
        "question": "What is the toll for a car on the {bridge}?",
        "value": "{toll}",
        "unit": "crowns",
        "stale_value": "{toll_old}",
    },
    "traffic": {
        "relation": "carried on average in 2022",
        "question": "How many vehicles a day crossed the {bridge} in 2022?",
        "value": "{traffic}",
        "unit": "vehicles per day",
    },
    "replaced": {
        "relation": "replaced the ferry",
        "question": "Which ferry did the {bridge} replace?",
        "value": "{ferry}",
    },
}
