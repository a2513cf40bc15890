"""Who and what a demo world is about: invented names and numbers, drawn from a seed.

Knows which values must differ; must not know prose. The ranges are disjoint on purpose: a toll can never read as a
cost, nor a year of one thing as the year of another, so that a value on a page is there because a draft put it there.
"""

from __future__ import annotations

import random

# fmt: off
_HEADS = (
    "Quel", "Tav", "Osk", "Brund", "Yv", "Dremm", "Lisk", "Porv", "Zel", "Harn", "Mirr", "Gost", "Ulv", "Skel",
    "Fenn", "Vard", "Jolm", "Kest", "Rauv", "Thal",
)
_TAILS = (
    "mar", "ovka", "edin", "austra", "imre", "andel", "orrin", "ethy", "ulsk", "avel", "iggen", "oster",
)
_GIVEN = (
    "Irena", "Tomas", "Ottilie", "Bruno", "Salka", "Edvin", "Marit", "Jonas", "Helka", "Piet", "Wanda", "Ruben",
)
_PLACES = (
    "bridge", "river", "ta", "tb", "tc", "river2", "county", "bridge2", "bridge3", "firm", "ferry", "td",
)
# fmt: on
_PEOPLE = ("designer", "engineer", "mayor", "keeper", "photographer", "mason")


def draw(seed: int) -> dict[str, str]:
    """The slots of every draft for this seed.

    >>> draw(7) == draw(7), draw(7)["bridge"] == draw(8)["bridge"]
    (True, False)
    """
    rng = random.Random(seed)
    # One head per name, so that no two names of a world look alike but for the namesake that is meant to.
    heads = rng.sample(_HEADS, len(_HEADS))
    tails = [rng.choice(_TAILS) for _ in heads]
    names = [head + tail for head, tail in zip(heads, tails, strict=True)]
    given = rng.sample(_GIVEN, len(_PEOPLE))
    slots = dict(zip(_PLACES, names, strict=False))
    family = dict(zip(_PEOPLE, names[len(_PLACES) :], strict=False))
    slots |= {role: f"{first} {family[role]}" for role, first in zip(_PEOPLE, given, strict=True)}
    slots |= {f"{role}_family": name for role, name in family.items()}
    slots |= {f"{key}_slug": name.lower() for key, name in slots.items() if " " not in name}
    slots |= {"bridge": f"{slots['bridge']} Bridge", "bridge_slug": f"{slots['bridge_slug']}-bridge"}
    return slots | _years(rng) | _numbers(rng)


def _years(rng: random.Random) -> dict[str, str]:
    """The year of opening is from 1964 to 1985; prose names other years only before 1950 or from 1990 on."""
    year = rng.randint(1964, 1985)
    offsets = {"early": -2, "begun": -7, "year": 0, "after1": 1}
    return {name: str(year + offset) for name, offset in offsets.items()} | {"old_year": str(rng.randint(1893, 1912))}


def _numbers(rng: random.Random) -> dict[str, str]:
    """Length and span in metres, tolls in crowns, vehicles a day, the cost that no page gives, cables built and drawn.

    None is a round number: a toll of 3.00 would also stand in "3 September".
    """
    old, new = sorted(rng.sample([n for n in range(14, 50) if n % 10], 2))
    return {
        "length": f"{rng.choice([n for n in range(1103, 1499) if n % 10]):,}",
        "span": str(rng.choice([n for n in range(613, 889) if n % 10])),
        "toll_old": f"{old / 10:.2f}",
        "toll": f"{new / 10:.2f}",
        "traffic": f"{rng.randrange(141, 299) * 100:,}",
        "cost": f"{rng.choice([n for n in range(413, 979) if n % 10]) / 10:.1f}",
        "cables": str(cables := rng.choice([n for n in range(62, 99, 4) if n % 10])),
        "cables_drawn": str(cables + 48),
    }
