"""What a url identifies: its canonical form and the domain that speaks there.

Knows the public suffix list (the snapshot inside tldextract, no network) and the shapes of archive and AMP wrappers;
must not know pages, corpora or claims. Whoever shares a registrable domain counts as one voice.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

_NAMES = """
gclid dclid gbraid wbraid fbclid msclkid yclid twclid ttclid igshid mc_cid mc_eid mkt_tok srsltid li_fat_id
_ga _gl _hsenc _hsmi vero_id oly_anon_id oly_enc_id ref_src
"""
_TRACKING = frozenset(_NAMES.split())
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ARCHIVE = re.compile(r"/web/[0-9*]{1,14}(?:[a-z]{2}_)?/(.+)", re.DOTALL)
_ARCHIVE_TODAY = re.compile(r"(?:/(?:newest|oldest|\d[\d.\-]{3,20})|/o/[A-Za-z0-9]+)/(https?:/.+)", re.DOTALL)
_AMP_GOOGLE = re.compile(r"/amp/(s/)?([^/]+\..+)", re.DOTALL)
_AMP_CACHE = re.compile(r"/[a-z]{1,3}/(s/)?([^/]+\..+)", re.DOTALL)


def registrable(url: str) -> str:
    """The registrable domain of a url or host, with private suffixes; IP hosts and bare names are their own.

    >>> registrable("https://forums.bbc.co.uk/x"), registrable("https://ann.github.io/"), registrable("http://10.0.0.1/")
    ('bbc.co.uk', 'ann.github.io', '10.0.0.1')
    >>> registrable("https://web.archive.org/web/2020/https://www.who.int/a")
    'who.int'
    """
    if url.startswith("doc:"):
        folder, found, _ = url[4:].partition("/")
        return unquote(folder) if found else "local"
    host = _host(_split(unwrap(url)) or SplitResult("", "", "", "", ""))
    return _of_host(host)


def canonical(url: str) -> str:
    """The url that identifies a source; ``doc:`` urls stay, what is no http(s) url is returned stripped.

    Wrappers are taken off, scheme and host lower-cased, and the default port, the fragment, userinfo and tracking
    parameters dropped. Path, case and the order of the other parameters stay: they may select another page.

    >>> canonical("HTTP://Example.ORG:80?utm_source=x&b=2&a=1#top")
    'http://example.org/?b=2&a=1'
    """
    parts = _split(unwrap(url))
    if parts is None or parts.scheme not in _DEFAULT_PORTS or not _host(parts):
        return url.strip()
    host, port = _host(parts), _port(parts)
    place = f"[{host}]" if ":" in host else host
    if port and port != _DEFAULT_PORTS[parts.scheme]:
        place = f"{place}:{port}"
    kept = [pair for pair in parts.query.split("&") if pair and not _tracks(pair)]
    return urlunsplit((parts.scheme, place, parts.path or "/", "&".join(kept), ""))


def unwrap(url: str) -> str:
    """The url inside an archive or AMP wrapper, inside any number of them up to 5; another url as it is, stripped.

    >>> unwrap("https://www.google.com/amp/s/news.example.org/story")
    'https://news.example.org/story'
    """
    current = url.strip()
    for _ in range(5):
        inner = _inside(current)
        if not inner:
            return current
        current = inner
    return current


def _inside(url: str) -> str:
    parts = _split(url)
    if parts is None or parts.scheme not in _DEFAULT_PORTS:
        return ""
    host = _host(parts)
    tail = parts.path + (f"?{parts.query}" if parts.query else "")
    for is_wrapper, take in _WRAPPERS:
        if is_wrapper(host):
            return take(tail)
    return ""


def _take_archive(tail: str) -> str:
    match = _ARCHIVE.fullmatch(tail)
    return _absolute(match[1]) if match else ""


def _take_archive_today(tail: str) -> str:
    match = _ARCHIVE_TODAY.fullmatch(tail)
    return _absolute(match[1]) if match else ""


def _take_amp(pattern: re.Pattern[str]) -> Callable[[str], str]:
    def take(tail: str) -> str:
        match = pattern.fullmatch(tail)
        return f"{'https' if match[1] else 'http'}://{match[2]}" if match else ""

    return take


def _absolute(text: str) -> str:
    """A url as it stands in a path: percent-coded, with one slash after the scheme, or without a scheme."""
    if re.match(r"https?%3a", text, re.IGNORECASE):
        text = unquote(text)
    text = re.sub(r"^(https?):/+", r"\1://", text, flags=re.IGNORECASE)
    if re.match(r"https?://", text, re.IGNORECASE):
        return text
    return f"http://{text}" if re.match(r"[^/\s]+\.[a-z]", text, re.IGNORECASE) else ""


_TODAY = frozenset(f"archive.{end}" for end in ("ph", "is", "today", "md", "li", "fo", "vn"))
_WRAPPERS: tuple[tuple[Callable[[str], bool], Callable[[str], str]], ...] = (
    (lambda host: host in ("web.archive.org", "wayback.archive.org"), _take_archive),
    (lambda host: host in _TODAY, _take_archive_today),
    (lambda host: re.fullmatch(r"(?:www\.)?google\.[a-z.]{2,6}", host) is not None, _take_amp(_AMP_GOOGLE)),
    (lambda host: host.endswith(".cdn.ampproject.org"), _take_amp(_AMP_CACHE)),
)


def _tracks(pair: str) -> bool:
    name = unquote(pair.partition("=")[0]).lower()
    return name.startswith("utm_") or name in _TRACKING


def _split(url: str) -> SplitResult | None:
    """Parsed as browsers do: a backslash is a slash, so that ``http://inner\\@outer`` has the host ``inner``."""
    text = re.sub(r"[\x00-\x20]", "", url).replace("\\", "/") if "://" in url or "\\" in url else url.strip()
    try:
        return urlsplit(text if "://" in text or text.startswith("doc:") else f"//{text}")
    except ValueError:
        return None


def _port(parts: SplitResult) -> int:
    try:
        return parts.port or 0
    except ValueError:
        return 0


def _host(parts: SplitResult) -> str:
    """Lower-case, without trailing dot, international names in their ASCII form."""
    host = (parts.hostname or "").rstrip(".").lower()
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        return host


@lru_cache(maxsize=8192)
def _of_host(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    found: str = _extract()(host).top_domain_under_public_suffix if host else ""
    return found or host


@cache
def _extract() -> Any:  # made at first use: the import takes a third of a second
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
