"""The simple loop: search, read the best pages, answer in text with the sources in brackets.

Knows the grown conversation as the prompt shows it; must not know notes, claims or challenges.
"""

from __future__ import annotations

from investigator.core.report_text import before_the_end, sentences
from investigator.core.text import fold
from investigator.world.offline import recording as notes
from investigator.world.offline.analysis import analyse
from investigator.world.offline.choosing import candidates
from investigator.world.offline.questions import queries, split
from investigator.world.offline.seeing import Move, Sight
from investigator.world.offline.values import typed
from investigator.world.offline.writing import AUTHOR, NO_EVIDENCE, plain

ROUNDS = 3
PAGES = 4


def simple(sight: Sight) -> tuple[list[Move], str]:
    """The next calls, or the answer when there is none to make."""
    parts = split(sight.objective)[:6]
    if not sight.tools:
        return [], answer(sight, parts)
    open_parts = [one for one in parts if not notes.read(one, sight.pages)]
    searched = len({one.ago for one in sight.calls("web_search", 10_000)})
    searching_now = bool(sight.calls("web_search", 1))
    if not searched:
        return [("web_search", {"query": one}) for one in dict.fromkeys(queries(part) or part for part in parts)], ""
    if searching_now:
        share = max(2, PAGES // max(1, len(open_parts)))
        urls = list(dict.fromkeys(url for part in open_parts for url in candidates(sight, part, share)))
        if urls:
            return [("fetch_page", {"url": url}) for url in urls[:8]], ""
    if open_parts and searched < ROUNDS:
        used = sight.queries
        more = [query for part in open_parts if (query := queries(part, tuple(used))) and fold(query) not in used]
        if more:
            return [("web_search", {"query": one}) for one in dict.fromkeys(more[:4])], ""
    return [], answer(sight, parts)


def answer(sight: Sight, parts: list[str]) -> str:
    """The answer: summary first, quotes below, every sentence with the id of its source."""
    summary, quotes, missing = [], [], []
    for part in parts:
        found = notes.read(part, sight.pages)
        if not found:
            missing.append(part)
            continue
        for finding in found[: 1 if typed(analyse(part)) else 3]:
            sources = ", ".join(dict.fromkeys(one.key for one in finding.supports[:3])) or finding.best.key
            text = plain(notes.statement(part, finding))
            summary += [before_the_end(one, f"[{sources}]") for one in sentences(text)]
            quotes.append(f"- “{plain(finding.best.quote, 400)}” [{finding.best.key}]")
    if not summary:
        return f"{NO_EVIDENCE}: none of the pages that were read answers the question.\n\n{AUTHOR}."
    text = f"## Summary\n\n{' '.join(dict.fromkeys(summary))}\n\n## Quotes\n\n" + "\n".join(dict.fromkeys(quotes))
    if missing:
        text += "\n\n## Gaps and assumptions\n\n" + "\n".join(
            f"- {plain(one)} No page that was read answers this." for one in missing
        )
    return f"{text}\n\n{AUTHOR}.\n"
