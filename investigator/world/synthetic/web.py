"""A web that lives in memory: drafts made into pages, a search over them, and what fetching them gives.

Knows `Page`, `Hit` and `Failure`; must not know which world it serves; it carries the `Truth` unread.
No network, no clock, no randomness: the same call gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from investigator.core.wire import Answer, Failure, Hit, Hits, Page, WorldFacts
from investigator.world.synthetic.ranking import Ranking, stems
from investigator.world.synthetic.truth import Role, Truth

_MOST_HITS = 50
_SNIPPET = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A page before names and numbers are put in: every text field may hold ``{slots}``.

    Attributes:
        key: what other drafts link to it by.
        host, path: its address, ``https://<host>.example/<path>``.
        text: paragraphs between blank lines; their lines are joined.
        roles: what it does for which fact.
        unreadable: fetching it fails; search still finds it, by its title and text.
        orders: its text tries to command the reader.
        copy: its text is one of several copies of one story.
    """

    key: str
    host: str
    path: str
    title: str
    published: str = ""
    text: str
    links: tuple[str, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    unreadable: bool = False
    orders: bool = False
    copy: bool = False

    def url(self, slots: Mapping[str, str]) -> str:
        return f"https://{self.host}.example/{self.path}".format_map(slots)

    def page(self, slots: Mapping[str, str], urls: Mapping[str, str]) -> Page:
        """The finished page; ``urls`` maps the keys of drafts to addresses."""
        url = self.url(slots)
        return Page(
            url=url,
            canonical_url=url,
            domain=f"{self.host}.example".format_map(slots),
            title=self.title.format_map(slots),
            published=self.published.format_map(slots),
            text=_paragraphs(self.text.format_map(slots)),
            unit="paragraph",
            links=tuple(urls[key] for key in self.links),
        )


class SyntheticWeb:
    """A `Web` over a fixed set of pages with known truth.

    Args:
        name: what the run's row says.
        pages: every page, in the order that settles ties of the search.
        truth: what is true; ``truth.broken`` lists the addresses whose fetch fails.
        objective: a question that this world can answer in part.
        demo: whether reports must say that they speak of an invented world.
    """

    def __init__(self, *, name: str, pages: tuple[Page, ...], truth: Truth, objective: str, demo: bool = False) -> None:
        self.truth = truth
        self.objective = objective
        self.pages = pages
        self._name = name
        self._demo = demo
        self._by_url = {_key(page.url): page for page in pages}
        self._broken = frozenset(map(_key, truth.broken))
        self._ranking = Ranking((page.title, page.text) for page in pages)

    @property
    def name(self) -> str:
        return self._name

    def facts(self) -> WorldFacts:
        domains = {page.domain for page in self.pages}
        return WorldFacts(name=self._name, pages=len(self.pages), domains=len(domains), demo=self._demo)

    def search(self, query: str, limit: int) -> Hits | Failure:
        """The best pages for a query by BM25, at most ``limit`` and never more than 50."""
        if not stems(query):
            return Failure(kind="bad_request", message="The search has no words in it; name what you look for.")
        if limit < 1:
            return Failure(kind="bad_request", message="The search asks for no results; give a limit of 1 or more.")
        best = self._ranking.best(query, min(limit, _MOST_HITS))
        return Hits(hits=tuple(self._hit(self.pages[number], query) for number in best), provider=self._name)

    def fetch(self, url: str) -> Page | Failure:
        """The page of an address; ``http`` and a fragment make no difference."""
        key = _key(url)
        if not key:
            return Failure(kind="bad_request", message="That is no web address; give one that starts with https://.")
        if key in self._broken:
            return Failure(kind="unreadable", message="The page is a scanned image; no text can be read from it.")
        return self._by_url.get(key) or Failure(kind="not_found", message="There is no page at that address.")

    def query(self, text: str) -> Answer | Failure:
        return Failure(kind="unavailable", message="This world has no knowledge source; search its pages instead.")

    def _hit(self, page: Page, query: str) -> Hit:
        readable = _key(page.url) not in self._broken
        snippet = self._snippet(page.text, query) if readable else ""
        return Hit(url=page.url, title=page.title, snippet=snippet, domain=page.domain, published=page.published)

    def _snippet(self, text: str, query: str) -> str:
        """The sentence that shares the most telling words with the query; the first of equals."""
        wanted = set(stems(query))

        def shared(sentence: str) -> float:
            return sum(self._ranking.weight(stem) for stem in sorted(wanted.intersection(stems(sentence))))

        best = max(re.split(r"(?<=[.!?])\s+|\n+", text), key=shared)
        return best if len(best) <= _SNIPPET else best[:_SNIPPET].rsplit(" ", 1)[0] + " …"


def _paragraphs(text: str) -> str:
    """Lines joined within each paragraph; a list item, table row or tag stays a line."""
    blocks = re.split(r"\n\s*\n", text.strip())
    joined = (re.sub(r"\s*\n\s*+(?![-|<])", " ", block.strip()) for block in blocks)
    return "\n\n".join(re.sub(r"\n\s+", "\n", block) for block in joined)


def _key(url: str) -> str:
    """What identifies an address here; empty for what is none."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removesuffix(".")
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not host:
        return ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{parts.path.rstrip('/')}{query}"
