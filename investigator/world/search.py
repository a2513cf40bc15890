"""Search providers of the open web, and `open_web`: from what a person writes to a world.

Knows the JSON interfaces of SearXNG and Wikipedia; pages go through `fetch`. Every failure of a provider is a
`Failure` with its kind, never an empty list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from investigator.core.blocks import one_line
from investigator.core.wire import Answer, Failure, Hit, Hits, Page, WorldFacts
from investigator.errors import UnknownName, UsageError
from investigator.world.documents.dates import iso
from investigator.world.domains import registrable
from investigator.world.fetch import AGENT, Fetcher, http_failure, status_failure
from investigator.world.protocols import Web

if TYPE_CHECKING:
    import httpx

CHOICES = ("corpus:PATH", "wikipedia", "searxng:URL")
MAX_QUERY = 400  # characters that leave the machine
MAX_ANSWER = 5_000_000  # bytes


def open_web(spec: str | object | None) -> Web:
    """The world that a person asked for: a name, an object with the protocol, or None for the demo world.

    >>> open_web("wikipedia").name
    'wikipedia'

    Raises:
        UnknownName: no such world; the text lists the choices.
        UsageError: the world exists but cannot be opened, or the object is no world.
    """
    if spec is None or spec == "demo":
        from investigator.world.synthetic import demo_web

        return demo_web()
    if not isinstance(spec, str):
        if isinstance(spec, Web):
            return spec
        raise UsageError(f"{type(spec).__name__} is no world: it needs name, facts, search, fetch and query")
    kind, _, rest = spec.partition(":")
    if kind == "corpus":
        if not rest.strip():
            raise UsageError("no corpus is named; give the path of a folder or file of documents")
        from investigator.world.documents import Corpus

        return Corpus(rest)
    if kind == "wikipedia":
        return Wikipedia(rest or "en")
    if kind == "searxng" and rest:
        return SearXNG(rest)
    raise UnknownName(f"unknown web {spec[:80]!r}; choose {', '.join(CHOICES)}, or None for the demo world")


class SearXNG:
    """A SearXNG server with its JSON format switched on.

    Args:
        base_url: of the server; it may be a local one, because a person gave it.
        transport: instead of sockets, for tests.
        fetcher: how pages are fetched.
        seconds: timeout of a search.
    """

    def __init__(
        self, base_url: str, *, transport: httpx.BaseTransport | None = None, fetcher: Fetcher | None = None,
        seconds: float = 20.0,
    ) -> None:  # fmt: skip
        if not _is_server(base_url):
            raise UsageError(f"{base_url!r} is no url of a server; write searxng:http://localhost:8080")
        self._base = base_url.rstrip("/")
        self._transport = transport
        self._fetcher = fetcher or Fetcher()
        self._seconds = seconds

    @property
    def name(self) -> str:
        return f"searxng:{self._base}"

    def facts(self) -> WorldFacts:
        return WorldFacts(name=self.name)

    def search(self, query: str, limit: int) -> Hits | Failure:
        asked = {"q": query[:MAX_QUERY], "format": "json"}
        answer = _ask(f"{self._base}/search", asked, "SearXNG", self._transport, self._seconds)
        if isinstance(answer, Failure):
            if answer.kind == "refused":
                return Failure(kind="refused", message=f"{answer.message} Is the JSON format switched on there?")
            return answer
        results = answer.get("results")
        if not isinstance(results, list):
            return Failure(kind="unreadable", message="SearXNG answered without a list of results.")
        hits = _distinct([_searxng_hit(one) for one in results if isinstance(one, dict)])
        unresponsive = answer.get("unresponsive_engines")
        if not hits and unresponsive:
            return Failure(kind="unavailable", message=f"SearXNG's engines failed: {one_line(str(unresponsive), 200)}.")
        return Hits(hits=hits[:limit], provider="searxng")

    def fetch(self, url: str) -> Page | Failure:
        return self._fetcher.fetch(url)

    def query(self, text: str) -> Answer | Failure:
        return _no_knowledge()


class Wikipedia:
    """Wikipedia of one language, by the search of its public API.

    Args:
        language: the code in the host name, such as ``en``.
        transport, fetcher, seconds: as for `SearXNG`.
    """

    def __init__(
        self, language: str = "en", *, transport: httpx.BaseTransport | None = None, fetcher: Fetcher | None = None,
        seconds: float = 20.0,
    ) -> None:  # fmt: skip
        if not re.fullmatch(r"[a-z]{2,12}(?:-[a-z]{2,12}){0,2}", language):
            raise UsageError(f"{language!r} is no language code of Wikipedia; give one such as 'en'")
        self._language = language
        self._transport = transport
        self._fetcher = fetcher or Fetcher()
        self._seconds = seconds

    @property
    def name(self) -> str:
        return "wikipedia" if self._language == "en" else f"wikipedia:{self._language}"

    def facts(self) -> WorldFacts:
        return WorldFacts(name=self.name, domains=1)

    def search(self, query: str, limit: int) -> Hits | Failure:
        host = f"https://{self._language}.wikipedia.org"
        asked = {"action": "query", "list": "search", "srsearch": query[:300], "srlimit": str(min(max(limit, 1), 50)),
                 "format": "json", "formatversion": "2"}  # fmt: skip
        answer = _ask(f"{host}/w/api.php", asked, "Wikipedia", self._transport, self._seconds)
        if isinstance(answer, Failure):
            return answer
        problem, inner = answer.get("error"), answer.get("query")
        if isinstance(problem, dict):
            kind = "rate_limited" if problem.get("code") in ("ratelimited", "maxlag") else "bad_request"
            told = one_line(str(problem.get("info")), 200)
            return Failure(kind=kind, message=f"Wikipedia refused the search: {told}.")
        results = inner.get("search") if isinstance(inner, dict) else None
        if not isinstance(results, list):
            return Failure(kind="unreadable", message="Wikipedia answered without a list of results.")
        hits = _distinct([_wikipedia_hit(host, one) for one in results if isinstance(one, dict)])
        return Hits(hits=hits[: max(limit, 0)], provider="wikipedia")

    def fetch(self, url: str) -> Page | Failure:
        return self._fetcher.fetch(url)

    def query(self, text: str) -> Answer | Failure:
        return _no_knowledge()


def _is_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return usable and parts.username is None and url.isprintable() and " " not in url


def _ask(
    url: str, asked: Mapping[str, str], who: str, transport: httpx.BaseTransport | None, seconds: float
) -> dict[str, Any] | Failure:
    """A JSON object from a provider that a person chose."""
    import httpx

    try:
        with httpx.Client(transport=transport, trust_env=False, follow_redirects=False, timeout=seconds) as client:
            headers = {"User-Agent": AGENT, "Accept": "application/json"}
            with client.stream("GET", url, params=asked, headers=headers) as response:
                failed = status_failure(response.status_code, who)
                body = b"" if failed else _bounded(response)
    except httpx.HTTPError as error:
        failure = http_failure(error)
        return Failure(kind=failure.kind, message=f"{who}: {failure.message}")
    except httpx.InvalidURL as error:
        return Failure(kind="bad_request", message=f"{who} has no valid url ({one_line(str(error), 80)}).")
    return failed or _object(body, who)


def _bounded(response: httpx.Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER:
            break  # cut JSON does not parse, which is told as such
    return bytes(body)


def _object(body: bytes, who: str) -> dict[str, Any] | Failure:
    import json

    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    return Failure(kind="unreadable", message=f"{who} answered with something that is no JSON object.")


def _searxng_hit(one: Mapping[str, Any]) -> Hit:
    url = _text(one.get("url")).strip()
    return Hit(url=url, title=_flat(one.get("title"), 300), snippet=_flat(one.get("content"), 400),
               domain=registrable(url), published=iso(_text(one.get("publishedDate"))))  # fmt: skip


def _wikipedia_hit(host: str, one: Mapping[str, Any]) -> Hit:
    title = _text(one.get("title"))
    url = f"{host}/wiki/{quote(title.replace(' ', '_'), safe='/:(),')}" if title else ""
    return Hit(url=url, title=_flat(title, 300), snippet=_flat(one.get("snippet"), 400), domain=registrable(url))


def _distinct(hits: list[Hit]) -> tuple[Hit, ...]:
    """Hits that can be fetched, each url once."""
    usable = {one.url: one for one in reversed(hits) if re.match(r"https?://[^\s]+$", one.url)}
    return tuple(reversed(usable.values()))


def _flat(value: object, most: int) -> str:
    return one_line(unescape(re.sub(r"<[^<>]*>", "", _text(value))), most)


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _no_knowledge() -> Failure:
    return Failure(kind="refused", message="this world has no knowledge source; use search.")
