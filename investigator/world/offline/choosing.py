"""Which of the addresses in the prompt to read next.

Knows hits as a search shows them; must not know claims or what a page will be used for.
"""

from __future__ import annotations

import re

from investigator.core.text import value_in
from investigator.core.wire import Hit
from investigator.world.offline.analysis import analyse, entity_stems
from investigator.world.offline.lexicon import spans, stem
from investigator.world.offline.passages import passages
from investigator.world.offline.seeing import Sight
from investigator.world.offline.standing import near_stems, standing
from investigator.world.offline.values import typed

_DOUBTS = re.compile(
    r"\b(?:false|corrected?|correction|revised|supersed\w+|myth|actually|denied|wrong|only if|unless|limits?|"
    r"exceptions?|latest|in force|retract\w+)\b",
    re.I,
)
_FITS = 0.2  # below it a doubt is about something else
_ABOUT = 0.3  # how much of the question's subject a hit must name


def candidates(
    sight: Sight, question: str, most: int, *, attack: bool = False, strict: bool = False, value: str = ""
) -> list[str]:
    """At most ``most`` addresses not read yet, the most promising first, each domain once before any twice.

    Args:
        attack: pages that doubt are wanted.
        strict: only those whose words already answer the question.
        value: a number that a second page should state too.
    """
    seen: dict[str, tuple[float, str]] = {}
    known = {one.domain for one in sight.notes.sources}
    for call in sight.shown:
        for rank, hit in enumerate(call.hits):
            if hit.url in sight.read_urls or not hit.url:
                continue
            fits = promise(question, hit, attack)
            worth = fits + 0.25 / (1 + rank) - (0.15 if hit.domain in known else 0.0)
            if fits and value and value_in(value, f"{hit.title} {hit.snippet}"):
                worth += 0.5
            if fits and worth > seen.get(hit.url, (0.0, ""))[0] and (not strict or worth > 0.55):
                seen[hit.url] = (worth, hit.domain)
    ranked = sorted(seen, key=lambda url: (-seen[url][0], url))
    chosen: list[str] = [url for url in sight.barred if url not in sight.read_urls][:most]
    for wave in (0, 1):
        taken = {seen[url][1] for url in chosen if url in seen} if wave == 0 else set()
        for url in ranked:
            if len(chosen) < most and url not in chosen and seen[url][1] not in taken:
                chosen.append(url)
                taken = taken | {seen[url][1]} if wave == 0 else taken
    return chosen


def promise(question: str, hit: Hit, attack: bool = False) -> float:
    """How well a hit's title and snippet answer the question; 0 when they are about something else."""
    asked = analyse(question)
    text = f"{hit.title}. {hit.snippet}"
    if standing(asked, tuple(one for one, _, _ in spans(text))) < _ABOUT:
        return 0.0
    found = passages(question, hit.snippet, hit.title)
    fits = max((one.score for one in found), default=0.05)
    said = {one for one, _, _ in spans(text)}
    if asked.relation and not any({word, *near_stems(word)} & said for word in map(stem, asked.relation)):
        fits *= 0.4  # it names the subject and speaks of something else
    named = {stem(word) for word in asked.relation} | {one for name in asked.entities for one, _ in entity_stems(name)}
    titled = {one for one, _, _ in spans(hit.title)}
    fits += 0.15 * len(named & titled) / max(1, len(titled)) if not typed(asked) else 0.0
    return fits + (0.4 if attack and fits > _FITS and _DOUBTS.search(text) else 0.0)
