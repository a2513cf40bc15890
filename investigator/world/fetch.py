"""The one way to a page on the web: http and https only, public addresses only, with caps on time and bytes.

Knows sockets' addresses, HTTP and what is no page (block pages, script shells); parsing is `documents`'. A name is
resolved once, every address of it is checked, and the connection goes to a checked address with the original host
name in the Host header and in TLS: a name that changes its answer between check and connection gains nothing.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from investigator.core.blocks import one_line
from investigator.core.wire import Failure, Page
from investigator.world.documents.encoding import declared_in_html, decode, is_binary
from investigator.world.documents.html import Html, read_html
from investigator.world.documents.parse import read_docx, read_pdf
from investigator.world.documents.types import Parsed, Unreadable
from investigator.world.domains import canonical, registrable

if TYPE_CHECKING:
    import httpx

# Special-purpose blocks of the IANA registries. The `is_global` of the standard library lets 15 of 38 such addresses
# pass on Python 3.11 (multicast, mapped, 6to4, NAT64 ...), so the rule is spelt out, and IPv6 is allowed, not denied.
_IPV4_NOT = tuple(map(ipaddress.IPv4Network, (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/3",
)))  # fmt: skip
_IPV6_ONLY = ipaddress.IPv6Network("2000::/3")
_IPV6_NOT = tuple(map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))

MAX_BYTES = 5_000_000
MAX_REDIRECTS = 5
AGENT = "investigator/1 (research toolkit; fetches single pages for a person)"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})

Resolve = Callable[[str, int], Sequence[str]]


def is_public(address: str) -> bool:
    """Whether an IP address literal belongs to the public internet; False for what is no literal.

    >>> is_public("93.184.216.34"), is_public("169.254.169.254"), is_public("::ffff:8.8.8.8"), is_public("fec0::1")
    (True, False, False, False)
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv4Address):
        return not any(ip in network for network in _IPV4_NOT)
    return not ip.scope_id and ip in _IPV6_ONLY and not any(ip in network for network in _IPV6_NOT)


def resolve(host: str, port: int) -> Sequence[str]:
    """Every address of a host, by the system's resolver; raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    """What a server answered in the end. ``declared`` is the media type, ``charset`` its parameter."""

    url: str
    declared: str
    charset: str
    body: bytes


class Fetcher:
    """Fetches single pages.

    Args:
        transport: instead of sockets, for tests.
        resolve: name and port to addresses; raises OSError.
        seconds: deadline for one page, redirects included.
        max_bytes: most bytes of one page, after decompression.
        ports: the ports that may be connected to.

    >>> Fetcher().fetch("http://127.0.0.1/").kind
    'refused'
    """

    def __init__(
        self, *, transport: httpx.BaseTransport | None = None, resolve: Resolve = resolve, seconds: float = 30.0,
        max_bytes: int = MAX_BYTES, ports: frozenset[int] = frozenset({80, 443}),
    ) -> None:  # fmt: skip
        self._transport = transport
        self._resolve = resolve
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._ports = ports

    def fetch(self, url: str) -> Page | Failure:
        """The page at ``url`` after at most five redirects."""
        import httpx

        deadline = time.monotonic() + self._seconds
        try:
            # One client per page: no cookie, connection or header lives on into the next.
            with httpx.Client(transport=self._transport, trust_env=False, follow_redirects=False) as client:
                raw = self._follow(client, url, deadline)
        except httpx.HTTPError as error:
            return http_failure(error)
        except (httpx.InvalidURL, ValueError) as error:
            told = one_line(str(error), 80)
            return Failure(kind="bad_request", message=f"{one_line(url, 200)} is no valid url ({told}).")
        return raw if isinstance(raw, Failure) else _page(raw)

    def _follow(self, client: httpx.Client, url: str, deadline: float) -> _Raw | Failure:
        for _ in range(MAX_REDIRECTS + 1):
            result = self._one_hop(client, url, deadline)
            if not isinstance(result, str):
                return result
            url = result
        return Failure(kind="unavailable", message=f"more than {MAX_REDIRECTS} redirects.")

    def _one_hop(self, client: httpx.Client, url: str, deadline: float) -> _Raw | Failure | str:
        """An answer, or the url that it redirects to."""
        import httpx

        checked = _checked(url, self._ports)
        if isinstance(checked, Failure):
            return checked
        address = self._address(checked)
        if isinstance(address, Failure):
            return address
        left = deadline - time.monotonic()
        if left <= 0:
            return _late(self._seconds)
        request = client.build_request(
            "GET", checked.copy_with(host=address),
            headers={"Host": checked.netloc.decode("ascii"), "User-Agent": AGENT, "Accept-Encoding": "gzip, identity",
                     "Accept": "text/html, application/pdf, text/plain;q=0.9, */*;q=0.5"},
            extensions={"sni_hostname": checked.raw_host.decode("ascii"),
                        "timeout": httpx.Timeout(min(10.0, left)).as_dict()},
        )  # fmt: skip
        response = client.send(request, stream=True)
        try:
            client.cookies.clear()
            if response.status_code in _REDIRECTS and response.headers.get("location"):
                return str(checked.join(response.headers["location"]))
            return self._body(response, str(checked), deadline)
        finally:
            response.close()

    def _address(self, url: httpx.URL) -> str | Failure:
        """A checked address of the url's host: refused when any of its addresses is not public."""
        host = url.raw_host.decode("ascii").strip("[]")
        try:
            found = self._resolve(host, url.port or (443 if url.scheme == "https" else 80))
        except (OSError, UnicodeError):
            return Failure(kind="not_found", message=f"the host {one_line(host, 100)} has no address.")
        if not found or not all(map(is_public, found)):
            return Failure(kind="refused", message=f"{one_line(host, 100)} is not on the public internet.")
        return next((one for one in found if ":" not in one), found[0])

    def _body(self, response: httpx.Response, url: str, deadline: float) -> _Raw | Failure:
        failed = status_failure(response.status_code, url)
        if failed:
            return failed
        coding = response.headers.get("content-encoding", "identity").strip().lower() or "identity"
        if coding not in ("identity", "gzip", "x-gzip"):
            return Failure(kind="unreadable", message=f"the page came as {one_line(coding, 40)}, not as asked.")
        body = self._read(response, coding != "identity", deadline)
        if isinstance(body, Failure):
            return body
        kind, _, rest = response.headers.get("content-type", "").partition(";")
        match = re.search(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", rest, re.IGNORECASE)
        return _Raw(url=url, declared=kind.strip().lower(), charset=match[1] if match else "", body=body)

    def _read(self, response: httpx.Response, is_gzip: bool, deadline: float) -> bytes | Failure:
        """The decoded body. Decoding is bounded step by step: 64 KB of gzip can be 64 MB of zeros."""
        inflate = zlib.decompressobj(wbits=31) if is_gzip else None
        body = bytearray()
        try:
            for chunk in response.iter_raw():
                body += inflate.decompress(chunk, self._max_bytes + 1 - len(body)) if inflate else chunk
                if len(body) > self._max_bytes:
                    return Failure(kind="too_large", message=f"the page is larger than {self._max_bytes:,} bytes.")
                if time.monotonic() > deadline:  # the client's own timeout starts anew with every chunk
                    return _late(self._seconds)
        except zlib.error:
            return Failure(kind="unreadable", message="the page's compression is broken.")
        if inflate and not inflate.eof and body:
            return Failure(kind="unreadable", message="the page broke off before its end.")
        return bytes(body)


def http_failure(error: httpx.HTTPError) -> Failure:
    """What an exception of the client means."""
    import httpx

    if isinstance(error, httpx.TimeoutException):
        return Failure(kind="timeout", message="the server did not answer in time.")
    told = one_line(f"{type(error).__name__}: {error}", 160)
    return Failure(kind="unavailable", message=f"the connection failed ({told}).")


def status_failure(status: int, url: str) -> Failure | None:
    """What an HTTP status means; None when there is a page."""
    if 200 <= status < 300 and status not in (204, 205, 206):
        return None
    kind = _KINDS.get(status, "unavailable" if status >= 500 or status < 400 else "bad_request")
    return Failure(kind=kind, message=f"{one_line(url, 200)} answered with status {status}.")


_ODD = re.compile(r"[\x00-\x20\x7f\\]")
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}")
_ODD_DOT = re.compile("[\u3002\uff0e\uff61]")  # dots of other scripts, which some parsers read as dots
_KINDS = {
    404: "not_found", 410: "not_found", 401: "refused", 402: "refused", 403: "refused", 451: "refused", 408: "timeout",
    504: "timeout", 413: "too_large", 429: "rate_limited", 204: "unreadable", 205: "unreadable", 206: "unreadable",
}  # fmt: skip


def _checked(url: str, ports: frozenset[int]) -> httpx.URL | Failure:
    """The url as the client reads it, if it may be fetched: parsed once, and the request is built from the parts."""
    import httpx

    if len(url) > 4000 or _ODD.search(url) or _ODD_DOT.search(url.partition("?")[0]):
        return Failure(kind="bad_request", message=f"{one_line(url, 200)} is no valid url.")
    parts = httpx.URL(url)
    if parts.scheme not in ("http", "https") or not parts.raw_host:
        return Failure(kind="bad_request", message="only http and https pages can be fetched.")
    if not _HOST.fullmatch(parts.raw_host.decode("ascii", "replace")):
        return Failure(kind="bad_request", message=f"{one_line(url, 200)} names no valid host.")
    if parts.userinfo:
        return Failure(kind="refused", message="a url with a user name is not fetched.")
    if (parts.port or {"http": 80, "https": 443}[parts.scheme]) not in ports:
        return Failure(kind="refused", message=f"port {parts.port} is not fetched.")
    return parts.copy_with(fragment=None)


def _late(seconds: float) -> Failure:
    return Failure(kind="timeout", message=f"the page took longer than {seconds:g} seconds.")


def _page(raw: _Raw) -> Page | Failure:
    kind = _sniffed(raw)
    try:
        parsed = _parsed(raw, kind)
    except Unreadable as error:
        return Failure(kind="unreadable", message=f"{one_line(raw.url, 200)} cannot be read: {error}.")
    if isinstance(parsed, Failure):
        return parsed
    if not parsed.text.strip():
        return Failure(kind="unreadable", message=f"{one_line(raw.url, 200)} holds no text.")
    canonical_url = canonical(raw.url)
    return Page(
        url=raw.url, canonical_url=canonical_url, domain=registrable(canonical_url), title=one_line(parsed.title, 300),
        published=parsed.published or parsed.last_resort, text=parsed.text, unit=parsed.unit,
        links=tuple(one for one in parsed.links if re.match(r"https?://", one)),
    )  # fmt: skip


def _sniffed(raw: _Raw) -> str:
    """What the bytes are; '' when they are nothing that is read, or something else than was declared."""
    head = raw.body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    declared = raw.declared
    unsure = declared in ("", "application/octet-stream", "binary/octet-stream", "application/download")
    if head.startswith(b"%pdf-"):
        return "pdf" if unsure or declared in ("application/pdf", "application/x-pdf") else ""
    if head.startswith(b"pk\x03\x04"):
        return "docx" if declared.endswith("wordprocessingml.document") else ""
    if is_binary(raw.body) or (declared.startswith(("image/", "audio/", "video/", "font/", "application/pdf"))):
        return ""
    if declared in ("text/html", "application/xhtml+xml") or (
        (unsure or declared == "text/plain") and re.match(rb"<(?:!doctype html|html|head|body)\b", head)
    ):
        return "html"
    is_text = unsure or declared.startswith("text/") or declared.endswith(("json", "xml"))
    return "text" if is_text else ""


def _parsed(raw: _Raw, kind: str) -> Parsed | Failure:
    if kind == "pdf":
        return read_pdf(raw.body)
    if kind == "docx":
        return read_docx(raw.body)
    if kind == "text":
        return Parsed(text=decode(raw.body, raw.charset).replace("\f", " "), unit="line")
    if kind == "html":
        return _html(raw)
    told = one_line(raw.declared or "an unknown type", 60)
    return Failure(kind="unreadable", message=f"{one_line(raw.url, 200)} is no page that can be read ({told}).")


_BLOCKED = re.compile(
    r"just a moment\b|attention required!|verify(?:ing)? (?:that )?you are (?:a )?human|are you a (?:robot|human)"
    r"|access (?:to this page has been )?denied|unusual traffic|complete the captcha|security check to access"
    r"|checking your browser|pardon our interruption|request unsuccessful\. incapsula|ddos protection by",
    re.IGNORECASE,
)
_SHELL = re.compile(
    r"(?:enable|requires?|turn on|without|activate|need)\W+(?:\w+\W+){0,4}?java\s?script|javascript (?:is|must|has)",
    re.IGNORECASE,
)


def _html(raw: _Raw) -> Parsed | Failure:
    page = read_html(decode(raw.body, raw.charset or declared_in_html(raw.body)), raw.url)
    failed = _no_content(page)
    if failed:
        return Failure(kind="unreadable", message=f"{one_line(raw.url, 200)} {failed}.")
    return Parsed(text=page.text.replace("\f", " "), unit="paragraph", title=page.title, published=page.published,
                  links=page.links)  # fmt: skip


def _no_content(page: Html) -> str:
    """Why a page that arrived is none; '' for a real one. A long page may speak of captchas, a short one shows one."""
    if page.visible < 150 and _BLOCKED.search(f"{page.title}\n{page.text}\n{page.noscript}"):
        return "shows a block page instead of its content"
    if page.scripts and page.visible < 40 and (page.visible < 8 or _SHELL.search(f"{page.text}\n{page.noscript}")):
        return "needs a browser with scripts; its content is not in the page"
    return ""
