"""What a url identifies."""

import pytest

from investigator.world.domains import canonical, registrable, unwrap

REGISTRABLE = {
    "https://forums.bbc.co.uk/a": "bbc.co.uk",
    "https://WWW.Example.org:8080/": "example.org",
    "https://ann.github.io/x": "ann.github.io",
    "https://bob.github.io/x": "bob.github.io",
    "http://127.0.0.1/": "127.0.0.1",
    "http://[::1]:80/": "::1",
    "http://localhost:8888/": "localhost",
    "https://a.b.example/": "a.b.example",
    "https://münchen.de/": "xn--mnchen-3ya.de",
    "https://user:pw@sub.example.org./x": "example.org",
    "example.org/path": "example.org",
    "http://inner.org\\@outer.org/": "inner.org",
    "https://web.archive.org/web/20200101000000/https://www.nature.com/x": "nature.com",
    "https://web.archive.org/about": "archive.org",
    "https://archive.ph/2020.01.01-101112/https://www.nature.com/x": "nature.com",
    "https://www-nature-com.cdn.ampproject.org/c/s/www.nature.com/x": "nature.com",
    "doc:reports/a.md": "reports",
    "": "",
}

@pytest.mark.parametrize(("url", "domain"), REGISTRABLE.items())
def test_registrable_is_who_speaks(url, domain):
    """The registrable domain is the voice, with private suffixes and behind wrappers."""
    assert registrable(url) == domain

UNWRAP = {
    "https://web.archive.org/web/20200101000000id_/http:/a.org/x?y=1": "http://a.org/x?y=1",
    "https://web.archive.org/web/2020/a.org/x": "http://a.org/x",
    "https://web.archive.org/web/2020*/https%3A%2F%2Fa.org%2Fx": "https://a.org/x",
    "https://archive.is/newest/https://a.org/": "https://a.org/",
    "https://archive.is/AbCd1": "https://archive.is/AbCd1",
    "https://www.google.co.uk/amp/a.org/x": "http://a.org/x",
    "https://google.com/search?q=amp": "https://google.com/search?q=amp",
    "https://web.archive.org/web/2020/https://www.google.com/amp/s/a.org/x": "https://a.org/x",
    "https://google.com.evil.org/amp/s/a.org/x": "https://google.com.evil.org/amp/s/a.org/x",
}

@pytest.mark.parametrize(("url", "inner"), UNWRAP.items())
def test_unwrap_finds_the_page_inside(url, inner):
    """Archive and AMP wrappers come off, look-alikes stay."""
    assert unwrap(url) == inner

CANONICAL = {
    "HTTP://Example.ORG:80": "http://example.org/",
    "https://a.org:443/x/#part": "https://a.org/x/",
    "https://a.org:444/x": "https://a.org:444/x",
    "https://a.org/X?b=2&utm_source=m&a=1&GCLID=7&fbclid=3": "https://a.org/X?b=2&a=1",
    "https://a.org/?utm_medium=m": "https://a.org/",
    "https://u:p@a.org/x": "https://a.org/x",
    "http://[2001:DB8::1]:8080/": "http://[2001:db8::1]:8080/",
    "doc:a/B.md": "doc:a/B.md",
    "doc:pages.jsonl#3": "doc:pages.jsonl#3",
    "ftp://a.org/x": "ftp://a.org/x",
    "http://[broken": "http://[broken",
    "https://web.archive.org/web/2020/https://A.org/?utm_x=1": "https://a.org/",
}

@pytest.mark.parametrize(("url", "expected"), CANONICAL.items())
def test_canonical_names_a_source_once(url, expected):
    """One source has one canonical url, and its canonical url is itself canonical."""
    assert canonical(url) == expected
    assert canonical(expected) == expected
