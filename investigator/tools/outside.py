"""The outside tools: what may be asked of the world, and what its answer changes. The asking itself is the driver's."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from investigator.core import claims as ledger_moves
from investigator.core.blocks import counted, one_line, render_hits, shield
from investigator.core.challenges import Challenge
from investigator.core.events import Observed, PageSeen
from investigator.core.frontier import Attempt, fill_retry, log_attempt
from investigator.core.ids import ROOT
from investigator.core.refusal import Refusal
from investigator.core.state import PageRecord, State, progressed
from investigator.core.text import fold, terms, words
from investigator.core.values import replace
from investigator.core.vocab import AttemptKind, Loop
from investigator.core.wire import Hit, Hits
from investigator.tools import contradictions
from investigator.tools.challenges import home_of
from investigator.tools.moves import Args, Caller, Done, Outward, searched_before

KNOWLEDGE = "knowledge:"
HEADED = 8  # what a word in a heading counts against one in running text
MOST_PARTS = 4  # of a long page that are named as the most telling ones


def web_search(state: State, caller: Caller, args: Args) -> Outward | Done | Refusal:
    """A search may go out, unless it was made before and carries out nothing."""
    query = one_line(args["query"], 400)
    if not fold(query):
        return Refusal(kind="empty", text="a search needs words.")
    if state.run.loop is Loop.INVESTIGATIVE and not caller.human and _waiting_challenge(state, query) is None:
        home = caller.question or ROOT
        outcome = searched_before(state, home, query)
        if outcome:
            return Refusal(
                kind="repeated_query",
                text=f"this search was made before on {home}: {outcome}.",
                instead="Use different words, or fetch one of the pages.",
            )
    return Outward(tool="web_search", argument=query, limit=int(args.get("limit", 8)))


def fetch_page(state: State, caller: Caller, args: Args) -> Outward | Done | Refusal:
    """A page may be read if its url has provenance and was not read before; later parts come from the stored text."""
    url, part = args["url"].strip(), int(args.get("part", 1))
    known = next((one for one in state.pages.values() if url in (one.url, one.source_id)), None)
    known = known or next((one for one in state.pages.values() if state.ledger.sources[one.source_id].url == url), None)
    if known is not None:
        return _part(state, caller, known, part)
    if part > 1:
        return Refusal(kind="not_fetched", text=f"{url} was not fetched yet.", instead="Fetch it without part first.")
    if url not in state.known_urls and not caller.human:
        return Refusal(
            kind="no_provenance",
            text="only urls from the objective, a search result or a fetched page can be read.",
            instead="Search for the page and use the url of a result, unchanged.",
        )
    challenge_id = args.get("challenge_id", "").strip()
    if challenge_id and challenge_id not in state.challenges:
        return Refusal(kind="unknown_challenge", text=f"there is no challenge {challenge_id!r}.")
    barring = _barring(state, caller)
    if barring:
        return _extract_first(barring)
    return Outward(tool="fetch_page", argument=url)


def _extract_first(source_id: str) -> Refusal:
    return Refusal(
        kind="extract_first", text=f"{source_id} is long and not extracted.", instead="extract the first one first."
    )


def _part(state: State, caller: Caller, page: PageRecord, part: int) -> Done | Refusal:
    parts = parts_of(state, page)
    if part <= 1:
        note = state.ledger.sources[page.source_id].note
        best = _best_parts(state, page, caller.question)
        more = f" It has {parts} parts; part 2 and later can be asked for{best}." if parts > 1 else ""
        return Refusal(
            kind="read_before",
            text=f"that is {page.source_id}, read before{f' ({note})' if note else ''}.{more}",
            instead="Use what was recorded from it.",
        )
    if part > parts:
        return _no_part(page, parts)
    barring = _barring(state, caller)
    if barring:
        # An extraction turn shows one part: a second one fetched beside it would hide the first.
        return _extract_first(barring)
    best = _best_parts(state, page, caller.question)
    return Done(state=state, text=f"{page.source_id} part {part}/{parts}{best}", page=page.sha256, part=part)


def _no_part(page: PageRecord, parts: int) -> Refusal:
    if parts == 1:
        return Refusal(
            kind="no_part",
            text=f"{page.source_id} has one part, which was read before.",
            instead="Use what was recorded from it.",
        )
    asked = "part 2" if parts == 2 else f"part 2 to {parts}"
    return Refusal(kind="no_part", text=f"{page.source_id} has {parts} parts.", instead=f"Ask for {asked}.")


def parts_of(state: State, page: PageRecord) -> int:
    """How many parts a page is shown in."""
    return len(_cuts(page.text, state.limits.result_chars))


def part_text(state: State, page: PageRecord, part: int) -> str:
    """One part of a page's text, counted from 1; '' where there is none."""
    size = state.limits.result_chars
    cuts = _cuts(page.text, size)
    if not 1 <= part <= len(cuts):
        return ""
    return page.text[cuts[part - 1] : cuts[part] if part < len(cuts) else None]


_HEADING_LINE = re.compile(r"#{1,6} (.+)")
_HEADING = re.compile(r"\n(?=#{1,6} \S)")
_PARAGRAPH = re.compile(r"\n\s*\n")
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)", re.MULTILINE)


@functools.lru_cache(maxsize=32)
def _cuts(text: str, size: int) -> tuple[int, ...]:
    """Where the parts begin: at a heading or a paragraph outside of code, so that a part can be read by itself."""
    cuts = [0]
    while len(text) - cuts[-1] > size:
        start = cuts[-1]
        end = start + size
        fences = [one.start() for one in _FENCE.finditer(text, start, end)]
        cut = end
        for pattern, least in ((_HEADING, start + size // 2), (_PARAGRAPH, start + size * 3 // 4)):
            places = [one.end() for one in pattern.finditer(text, least, end)]
            free = [one for one in places if sum(fence < one for fence in fences) % 2 == 0]
            if free:
                cut = free[-1]
                break
        cuts.append(cut)
    return tuple(cuts)


def _barring(state: State, caller: Caller) -> str:
    """The source of a page over the threshold that is shown raw and not dealt with; '' if none."""
    worker = state.workers.get(caller.worker)
    if caller.human or worker is None or state.run.loop is not Loop.INVESTIGATIVE:
        return ""
    for sha in worker.unread:
        if len(state.pages[sha].text) > state.limits.extraction_threshold:
            return state.pages[sha].source_id
    return ""


def query(state: State, caller: Caller, args: Args) -> Outward | Done | Refusal:
    """Ask the knowledge source, if the world has one."""
    if not state.run.world.knowledge:
        return Refusal(kind="no_knowledge", text="this world has no knowledge source.", instead="Use web_search.")
    text = one_line(args["query"], 1000)
    if not fold(text):
        return Refusal(kind="empty", text="a query needs words.")
    return Outward(tool="query", argument=text)


def observe(state: State, caller: Caller, tool: str, args: Args, event: Observed) -> Done:
    """What the world's answer changes."""
    if tool == "web_search":
        return _observe_search(state, caller, one_line(args["query"], 400), event)
    if event.page is None:
        failure = event.failure
        message = one_line(f"{failure.kind}: {failure.message}", 300) if failure else "no answer"
        asked = args.get("url", args.get("query", ""))
        state, _ = _log(
            state,
            caller,
            AttemptKind.FETCH if tool == "fetch_page" else AttemptKind.QUERY,
            asked,
            tool,
            f"failed: {message}",
        )
        return Done(state=state, text=f"{tool} failed: {shield(message).rstrip(' .…')}. Try another page.")
    return _observe_page(state, caller, tool, args, event.page, event.text)


def _observe_search(state: State, caller: Caller, text: str, event: Observed) -> Done:
    if event.hits is None:
        failure = event.failure
        message = one_line(f"{failure.kind}: {failure.message}", 300) if failure else "no answer"
        state = _log_search(state, caller, text, f"failed: {message}")
        state = replace(state, failed_searches=state.failed_searches + 1)
        told = shield(message).rstrip(" .…")
        return Done(state=state, text=f"web_search failed: {told}. A failed search shows nothing about the question.")
    found = event.hits.hits
    state = _log_search(state, caller, text, _counted(found))
    state = replace(state, failed_searches=0, known_urls=state.known_urls | {hit.url for hit in found})
    return Done(state=state, text=_shown(state, text, event.hits))


def _counted(found: tuple[Hit, ...]) -> str:
    domains = len({hit.domain for hit in found})
    return f"{counted(len(found), 'result')} from {counted(domains, 'domain')}" if found else "no results"


def _shown(state: State, text: str, hits: Hits) -> str:
    """The result list; results read before are marked, and as many are shown as fit."""
    read = {page.url: page.source_id for page in state.pages.values()}
    marked = [
        replace(hit, title=f"{hit.title} (read: {read[hit.url]})") if hit.url in read else hit for hit in hits.hits
    ]
    while True:
        shown = render_hits(text, marked, hits.provider)
        if len(shown) <= state.limits.result_chars or not marked:
            return shown
        marked.pop()


def _log_search(state: State, caller: Caller, text: str, outcome: str) -> State:
    """The attempt that this search is: of a challenge, of an accepted retry, or a search of its own."""
    waiting = _waiting_challenge(state, text)
    if waiting is not None:
        state, attempt = _log(
            state, caller, AttemptKind.CHALLENGE, text, "web_search", outcome, home_of(state, waiting)
        )
        if outcome.startswith("failed"):
            return state
        linked = replace(waiting, attempt_n=attempt.n)
        return replace(state, challenges={**state.challenges, linked.id: linked})
    filled = fill_retry(state.frontier, caller.question, text, "web_search", outcome, caller.turn)
    if filled is not None:
        return replace(state, frontier=filled[0])
    return _log(state, caller, AttemptKind.SEARCH, text, "web_search", outcome)[0]


def _waiting_challenge(state: State, text: str) -> Challenge | None:
    """The open challenge that a search of this text carries out."""
    wanted = fold(text)
    return next((one for one in state.open_challenges() if not one.attempt_n and fold(one.query) == wanted), None)


def carries_retry(state: State, question_id: str, text: str) -> bool:
    """Whether this search is the one that an accepted retry of the question named."""
    return any(
        one.kind is AttemptKind.RETRY and not one.filled and fold(one.query) == fold(text)
        for one in state.frontier.attempts_of(question_id)
    )


def _log(
    state: State, caller: Caller, kind: AttemptKind, text: str, tool: str, outcome: str, question_id: str = ""
) -> tuple[State, Attempt]:
    home = state.frontier.questions.get(question_id or caller.question) or state.frontier.root
    frontier, attempt = log_attempt(
        state.frontier, home.id, kind, text, tool, outcome=one_line(outcome, 160), turn=caller.turn, at=state.at
    )
    return replace(state, frontier=frontier), attempt


def _observe_page(state: State, caller: Caller, tool: str, args: Args, seen: PageSeen, text: str) -> Done:
    # The same text at the same url under another canonical url is the page that is known, whatever it calls itself.
    known = state.pages.get(seen.sha256)
    canonical = state.ledger.sources[known.source_id].url if known is not None else seen.canonical_url
    before = state.ledger.source_of(canonical)
    ledger, source = ledger_moves.add_source(
        state.ledger,
        url=canonical,
        domain=one_line(seen.domain, 200) or "unknown",
        title=one_line(seen.title, 300),
        published=one_line(seen.published, 30),
        unit=seen.unit,
        at=state.at,
    )
    page = PageRecord(
        sha256=seen.sha256,
        url=seen.url,
        source_id=source.id,
        domain=source.domain,
        title=source.title,
        published=source.published,
        unit=seen.unit,
        text=text,
    )
    again = before is not None and any(one.source_id == source.id for one in state.pages.values())
    state = replace(
        state,
        ledger=ledger,
        pages={**state.pages, seen.sha256: page} if not again else state.pages,
        known_urls=state.known_urls | {seen.url, seen.canonical_url, *seen.links},
    )
    kind, home, challenge = _kind_of_fetch(state, tool, args)
    asked = args.get("url", args.get("query", ""))
    outcome = (
        f"{source.id} {source.title or source.url}, {counted(len(text), 'character')}"
        if not again
        else f"{source.id}, read before"
    )
    state, attempt = _log(state, caller, kind, asked, tool, outcome, home)
    if challenge is not None and not challenge.attempt_n:
        state = replace(state, challenges={**state.challenges, challenge.id: replace(challenge, attempt_n=attempt.n)})
    if again:
        return Done(
            state=state, text=f"that is {source.id}, read before under another url; use what was recorded from it."
        )
    state = contradictions.compare_new_page(progressed(state), page)
    parts = parts_of(state, page)
    more = f", part 1/{parts}{_best_parts(state, page, caller.question)}" if parts > 1 else ""
    return Done(state=state, text=f"{source.id} read: {counted(len(text), 'character')}{more}", page=page.sha256)


def _best_parts(state: State, page: PageRecord, question_id: str) -> str:
    """Which parts of a long page say most of the question: only words are counted, so no page text is trusted."""
    question = state.frontier.questions.get(question_id) or state.frontier.root
    parts = [part_text(state, page, part) for part in range(1, parts_of(state, page) + 1)]
    best = _most_telling(parts, {_singular(one) for one in terms(question.question)})[:MOST_PARTS]
    return f"; words of {question.id} stand most in part {', '.join(map(str, best))}" if best else ""


def _most_telling(parts: Sequence[str], wanted: set[str]) -> list[int]:
    """Numbers of the parts that hold a wanted word, the one with the most telling section first.

    A word tells the more the fewer sections hold it: the page's own name stands everywhere.
    """
    sections = [(at, *_said(text, wanted)) for at, part in enumerate(parts, 1) for text in _HEADING.split(part)]
    holding = Counter(one for _, said, _ in sections for one in said)
    worth: dict[int, float] = {}
    for at, said, size in sections:
        told = sum(math.log(1 + len(sections) / holding[one]) * said[one] for one in sorted(said))
        worth[at] = max(worth.get(at, 0.0), told / (5 + math.sqrt(size)))
    return [at for at in sorted(worth, key=lambda at: (-worth[at], at)) if worth[at]]


def _said(section: str, wanted: set[str]) -> tuple[Counter[str], int]:
    """How often each wanted word stands in a section, its heading counting more; and the section's length in words."""
    spoken = words(section)
    heading = words(found[1]) if (found := _HEADING_LINE.match(section)) else []
    told = Counter(one for word in spoken if (one := _singular(word)) in wanted)
    told.update({one: HEADED for word in heading if (one := _singular(word)) in wanted})
    return told, len(spoken)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _kind_of_fetch(state: State, tool: str, args: Args) -> tuple[AttemptKind, str, Challenge | None]:
    named = state.challenges.get(args.get("challenge_id", "").strip())
    if named is not None and named.open:
        return AttemptKind.CHALLENGE, home_of(state, named), named
    if tool == "query":
        waiting = _waiting_challenge(state, args.get("query", ""))
        if waiting is not None:
            return AttemptKind.CHALLENGE, home_of(state, waiting), waiting
        return AttemptKind.QUERY, "", None
    return AttemptKind.FETCH, "", None


PREPARE: dict[str, Any] = {"web_search": web_search, "fetch_page": fetch_page, "query": query}
