"""Fetching from the web, and the providers of search."""

import gzip
import json
import time

import httpx
import pytest

from investigator.core.wire import Failure, Hits, Page
from investigator.errors import UnknownName, UsageError
from investigator.world.fetch import Fetcher, is_public
from investigator.world.protocols import Web
from investigator.world.search import SearXNG, Wikipedia, open_web

PUBLIC = "93.184.216.34"
HTML = {"content-type": "text/html; charset=utf-8"}
TEXT = "<title>Tides</title><p>" + "The moon pulls the sea and the sea follows it twice a day. " * 4 + "</p>"

NOT_PUBLIC = """
0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1
192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1
::169.254.169.254 ::ffff:10.0.0.1 ::ffff:100.64.0.1 ::ffff:8.8.8.8 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe 100::1
2001::1 2001:db8::1 2002:7f00:1::1 2002:a9fe:a9fe::1 3fff::1 5f00::1 fc00::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1
2606:4700::1%1 localhost 127.1 2130706433 0x7f.1
""".split()  # noqa: SIM905
IS_PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 223.255.255.255
2001:4860:4860::8888 2606:4700::1 2a00::1
""".split()  # noqa: SIM905


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_is_public_refuses_special_addresses(address):
    """Private, special and embedded addresses are not public, nor is what is no literal."""
    assert not is_public(address)


@pytest.mark.parametrize("address", IS_PUBLIC)
def test_is_public_admits_its_neighbours(address):
    """The public addresses beside the blocks pass."""
    assert is_public(address)


class Site:
    """A mock web: urls by host name, and what was asked of it."""

    def __init__(self, pages, addresses=None):
        self.pages = pages
        self.addresses = addresses or {}
        self.asked = []
        self.resolved = []

    def resolve(self, host, port):
        self.resolved.append(host)
        found = self.addresses.get(host, PUBLIC)
        if found is None:
            raise OSError("no such name")
        return found if isinstance(found, list) else [found]

    def answer(self, request):
        self.asked.append(request)
        url = str(request.url.copy_with(netloc=request.headers["host"].encode()))
        made = self.pages[url]
        if isinstance(made, Exception):
            raise made
        response = made if isinstance(made, httpx.Response) else httpx.Response(200, headers=HTML, text=made)
        if response.is_stream_consumed:  # as a socket would give it: not read yet
            stream = httpx.ByteStream(response.content)
            return httpx.Response(response.status_code, headers=response.headers, stream=stream)
        return response

    def fetcher(self, **kwargs):
        return Fetcher(transport=httpx.MockTransport(self.answer), resolve=self.resolve, **kwargs)


def one(response, **kwargs):
    """The outcome of fetching a site that answers so."""
    return Site({"https://a.org/x": response}).fetcher(**kwargs).fetch("https://a.org/x")


def test_fetch_connects_to_the_checked_address():
    """The connection goes to the address that was checked, once, under the host's own name."""
    site = Site({"https://a.org/x?b=1": TEXT})
    page = site.fetcher().fetch("https://a.org/x?b=1#top")
    assert isinstance(page, Page)
    assert (page.domain, page.title, page.unit) == ("a.org", "Tides", "paragraph")
    assert page.canonical_url == "https://a.org/x?b=1"
    (request,) = site.asked
    assert (request.url.host, request.headers["host"]) == (PUBLIC, "a.org")
    assert request.extensions["sni_hostname"] == "a.org"
    assert request.headers["accept-encoding"] == "gzip, identity"
    assert site.resolved == ["a.org"]


@pytest.mark.parametrize(("url", "kind"), [
    ("ftp://a.org/", "bad_request"), ("file:///etc/passwd", "bad_request"), ("javascript:alert(1)", "bad_request"),
    ("doc:a.md", "bad_request"), ("//a.org/", "bad_request"), ("", "bad_request"), ("http://", "bad_request"),
    ("http://user:pw@a.org/", "refused"), ("http://good.org@a.org/", "refused"), ("http://a.org:22/", "refused"),
    ("http://127.0.0.1:6666\\@1.1.1.1/", "bad_request"), ("http://a.org\r\nX: y/", "bad_request"),
    ("http://a。org/", "bad_request"), ("http://[::1]/", "refused"), ("http://[broken", "bad_request"),
    ("http://a.org:99999/", "refused"), ("https://a.org/" + "x" * 5000, "bad_request"),
    ("http://\ud800.org/", "bad_request"),
])  # fmt: skip
def test_fetch_refuses_odd_urls_before_it_connects(url, kind):
    """Urls with other schemes, users, ports or odd characters are failures; nothing is asked."""
    site = Site({}, {"::1": "::1"})
    assert site.fetcher().fetch(url).kind == kind
    assert site.asked == []


@pytest.mark.parametrize("addresses", [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["::ffff:127.0.0.1"], []])
def test_fetch_refuses_hosts_with_any_private_address(addresses):
    """One address that is not public is enough to refuse a host."""
    site = Site({}, {"a.org": addresses})
    assert site.fetcher().fetch("http://a.org/").kind == "refused"
    assert site.asked == []


def test_fetch_refuses_numbers_that_mean_loopback():
    """The system's own reading of 127.1, 2130706433 and 0x7f.1 is checked as well."""
    for host in ("127.1", "2130706433", "0x7f.1", "0177.0.0.1", "localhost"):  # unavailable would be a connection
        assert Fetcher().fetch(f"http://{host}/").kind != "unavailable"


def test_redirects_are_checked_hop_by_hop():
    """A redirect to a private host, another scheme or a ring ends in a failure; a good one is followed."""

    def to(url):
        return httpx.Response(302, headers={"location": url, "set-cookie": "a=b"})

    site = Site({"http://a.org/": to("https://b.org/y"), "https://b.org/y": to("/z"), "https://b.org/z": TEXT,
                 "http://in.org/": to("http://inside.local/"), "http://meta.org/": to("http://169.254.169.254/latest"),
                 "http://f.org/": to("file:///etc/passwd"), "http://ring.org/": to("http://ring.org/")},
                {"inside.local": "10.1.1.1", "169.254.169.254": "169.254.169.254"})  # fmt: skip
    fetcher = site.fetcher()
    page = fetcher.fetch("http://a.org/")
    assert (page.url, page.domain) == ("https://b.org/z", "b.org")
    assert all("cookie" not in request.headers for request in site.asked)
    kinds = [fetcher.fetch(f"http://{host}.org/").kind for host in ("in", "meta", "f", "ring")]
    assert kinds == ["refused", "refused", "bad_request", "unavailable"]
    assert sum(request.headers["host"] == "ring.org" for request in site.asked) == 6


@pytest.mark.parametrize(("status", "kind"), [
    (404, "not_found"), (410, "not_found"), (403, "refused"), (429, "rate_limited"), (500, "unavailable"),
    (503, "unavailable"), (400, "bad_request"), (204, "unreadable"), (304, "unavailable"), (408, "timeout"),
])  # fmt: skip
def test_statuses_have_kinds(status, kind):
    """Every status that brings no page has its kind."""
    assert one(httpx.Response(status)).kind == kind


def test_failing_connections_are_failures():
    """Timeouts, broken connections and unknown hosts are outcomes."""
    assert one(httpx.ReadTimeout("late")).kind == "timeout"
    assert one(httpx.ConnectError("no")).kind == "unavailable"
    assert Site({}, {"a.org": None}).fetcher().fetch("http://a.org/").kind == "not_found"


def test_bytes_are_counted_after_decompression():
    """A small gzip of many zeros is too large, a broken or unasked coding unreadable, a good one read."""

    def coded(body, coding="gzip"):
        return one(httpx.Response(200, headers=HTML | {"content-encoding": coding}, stream=httpx.ByteStream(body)))

    assert coded(gzip.compress(b"0" * 50_000_000)).kind == "too_large"
    assert coded(b"no gzip").kind == "unreadable"
    assert coded(gzip.compress(TEXT.encode())[:-20]).kind == "unreadable"
    assert coded(b"x", "br").kind == "unreadable"
    assert coded(b"x", "gzip, gzip").kind == "unreadable"
    assert "moon" in coded(gzip.compress(TEXT.encode())).text
    assert one(httpx.Response(200, headers=HTML, content=b"x" * 2000), max_bytes=1000).kind == "too_large"


def test_the_deadline_is_for_the_whole_page():
    """A page that drips is given up at the deadline, however often bytes arrive."""

    class Drip(httpx.SyncByteStream):
        def __iter__(self):
            for _ in range(200):
                time.sleep(0.1)
                yield b"<p>a"

    began = time.monotonic()
    assert one(httpx.Response(200, headers=HTML, stream=Drip()), seconds=0.1).kind == "timeout"
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(("kind", "body", "word"), [
    ("text/html", '<meta charset="iso-8859-1"><p>Gen\xe8ve'.encode("latin-1"), "Genève"),
    ("text/html; charset=windows-1251", "<p>Вода холодная".encode("cp1251"), "Вода"),
    ("text/html", "\ufeff<p>Ωmega".encode("utf-16"), "Ωmega"),
    ("text/plain; charset=utf-8", "é <b>".encode(), "é <b>"), ("", b"<!DOCTYPE html><p>sniffed", "sniffed"),
    ("application/json", b'{"a": "bee"}', "bee"),
])  # fmt: skip
def test_charsets_and_types_are_read(kind, body, word):
    """Charset from header, meta or byte order mark; the type from what was declared and what the bytes are."""
    assert word in one(httpx.Response(200, headers={"content-type": kind}, content=body)).text


@pytest.mark.parametrize(("kind", "body"), [
    ("image/png", b"\x89PNG\r\n\x1a\n\x00\x00"), ("text/html", b"%PDF-1.4"), ("application/pdf", b"<html>no pdf"),
    ("application/pdf", b"%PDF-1.4 broken"), ("text/html", b"PK\x03\x04zip"), ("text/plain", b"\x00\x01\x02\x03" * 99),
    ("text/html", b""), ("text/html", b"<html><body></body></html>"),
    ("text/html", b"<title>Just a moment...</title><p>Checking your browser before accessing a.org</p>"),
    ("text/html", b"<title>Access denied</title><p>Access denied</p>"),
    ("text/html", b"<div></div><noscript>You need to enable JavaScript to run this app.</noscript><script></script>"),
    ("text/html", b"<body><p>Loading...</p><script src=app.js></script>"),
])  # fmt: skip
def test_what_is_no_page_is_unreadable(kind, body):
    """Other types, disagreeing types, block pages and script shells are failures, not content."""
    result = one(httpx.Response(200, headers={"content-type": kind}, content=body))
    assert isinstance(result, Failure)
    assert result.kind == "unreadable"


def test_a_page_about_block_pages_is_a_page():
    """A long page that speaks of captchas, and a short one without scripts, are content."""
    assert isinstance(one(f"<p>Access denied: a history. {'The captcha was made in 2000. ' * 40}"), Page)
    assert one("<p>Short but true.").text == "Short but true."


def test_links_are_absolute():
    """Relative links start from the page; fragments and other schemes are left out."""
    hrefs = ("/y#z", "mailto:x@y.z", "http://c.org/", "http://[b")
    page = one(TEXT + "".join(f'<a href="{href}">a</a>' for href in hrefs))
    assert page.links == ("https://a.org/y", "http://c.org/")


def mocked(kind, answer, status=200):
    def respond(request):
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(status, content=answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    return kind(transport=httpx.MockTransport(respond))


def searxng(**kwargs):
    return SearXNG("http://localhost:8080/", **kwargs)


def test_searxng_gives_hits():
    """Results become hits: flat text, domain, date, each url once, at most the limit."""
    results = [{"url": "https://a.github.io/x",
                "title": "<b>A</b>\n&amp; B", "publishedDate": "2024-03-15T00:00:00"},
               {"url": "https://a.github.io/x", "title": "again"}, {"url": "javascript:x"}, "odd", {"url": None},
               {"url": "https://b.org/"}, {"url": "https://c.org/"}]  # fmt: skip
    found = mocked(searxng, {"results": results}).search("q", 2)
    assert [(hit.url, hit.title, hit.domain, hit.published) for hit in found.hits] == [
        ("https://a.github.io/x", "A & B", "a.github.io", "2024-03-15"),
        ("https://b.org/", "", "b.org", ""),
    ]


def test_wikipedia_gives_hits():
    """Titles become urls of articles."""
    results = [{"title": "C++ (language)", "snippet": '<span class="s">C</span>++'}]
    (hit,) = mocked(Wikipedia, {"query": {"search": results}}).search("c", 5).hits
    assert hit.url == "https://en.wikipedia.org/wiki/C%2B%2B_(language)"
    assert (hit.snippet, hit.domain) == ("C++", "wikipedia.org")


@pytest.mark.parametrize("kind", [searxng, Wikipedia])
@pytest.mark.parametrize(("answer", "status", "expected"), [
    ({}, 429, "rate_limited"), ({}, 503, "unavailable"), ({}, 403, "refused"), (b"<html>", 200, "unreadable"),
    ([], 200, "unreadable"), ({"results": 3, "query": []}, 200, "unreadable"), (b"[" * 99999, 200, "unreadable"),
    (httpx.ReadTimeout("late"), 200, "timeout"), (httpx.ConnectError("no"), 200, "unavailable"),
    ({}, 302, "unavailable"),
])  # fmt: skip
def test_failing_providers_are_failures(kind, answer, status, expected):
    """Whatever a provider does wrong is a failure with its kind, never an empty list."""
    assert mocked(kind, answer, status).search("q", 5).kind == expected


def test_empty_results_are_hits_unless_engines_failed():
    """Nothing found is no failure; engines that did not respond are one."""
    assert mocked(searxng, {"results": []}).search("q", 5) == Hits(hits=(), provider="searxng")
    failed = mocked(searxng, {"results": [], "unresponsive_engines": [["x", "timeout"]]})
    assert failed.search("q", 5).kind == "unavailable"
    slow = mocked(Wikipedia, {"error": {"code": "ratelimited", "info": "slow"}})
    assert slow.search("q", 5).kind == "rate_limited"


def test_open_web_understands_names_and_objects(tmp_path):
    """Each name opens its world, an object with the protocol is taken as it is."""
    (tmp_path / "a.md").write_text("text")
    corpus = open_web(f"corpus:{tmp_path}")
    assert corpus.facts().pages == 1
    corpus.close()
    assert open_web("wikipedia").name == "wikipedia"
    assert open_web("searxng:http://localhost:8080/").name == "searxng:http://localhost:8080"
    assert open_web(corpus) is corpus
    assert isinstance(open_web("wikipedia:de"), Web)


@pytest.mark.parametrize("spec", ["google", "searxng", "", "wikipedia2"])
def test_open_web_lists_the_choices(spec):
    """An unknown name is refused with what there is."""
    with pytest.raises(UnknownName, match=r"corpus:PATH.*wikipedia.*searxng:URL"):
        open_web(spec)


NO_WORLDS = [
    3,
    object(),
    "searxng:localhost",
    "searxng:file:///x",
    "wikipedia:../x",
    "corpus:/no/such",
    "corpus",
    "corpus:",
]


@pytest.mark.parametrize("spec", NO_WORLDS)
def test_open_web_refuses_what_is_no_world(spec):
    """An object without the methods, a bad url, language or path is a usage error."""
    with pytest.raises(UsageError):
        open_web(spec)
