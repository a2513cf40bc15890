"""Bytes as text. Knows byte order marks, UTF-8 and what to do when it is none; must not know formats of files."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:\-]{2,40})", re.IGNORECASE)


def decode(data: bytes, declared: str = "") -> str:
    """The text of ``data``: by its byte order mark, as UTF-8, by the declared name, else by its bytes. Line ends: LF.

    UTF-8 goes before the declared name: text of another encoding is almost never valid UTF-8, and a wrong declaration
    is common. Never fails; what is no character becomes U+FFFD.

    >>> decode("naïve".encode("cp1252")), decode("naïve".encode()), decode("a\\r\\nb".encode("utf-16"))
    ('naïve', 'naïve', 'a\\nb')
    """
    return re.sub(r"\r\n?", "\n", _decoded(data, declared)).replace("\x00", "")


def declared_in_html(data: bytes) -> str:
    """The charset that an HTML page names in its first 4096 bytes, or ''."""
    match = _META.search(data[:4096])
    return match[1].decode("ascii") if match else ""


def is_binary(data: bytes) -> bool:
    """Whether the first bytes look like no text in any encoding."""
    head = data[:4096]
    if any(head.startswith(mark) for mark, _ in _MARKS) or _utf16_by_zeros(head):
        return False
    odd = sum(byte < 32 and byte not in b"\t\n\x0b\x0c\r\x1b\x08" for byte in head)
    return b"\x00" in head or odd > len(head) // 10


def _decoded(data: bytes, declared: str) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    wide = _utf16_by_zeros(data[:4096])
    if wide:
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if declared:
        try:
            return data.decode(declared)
        except (LookupError, UnicodeError, ValueError):
            pass
    return _guessed(data)


def _utf16_by_zeros(head: bytes) -> str:
    """UTF-16 without a mark: mostly Latin text has a zero in every other byte."""
    half = len(head) // 2
    if half < 4:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd < 0.1 * half else ""


def _guessed(data: bytes) -> str:
    damaged = data.decode("utf-8", "replace")
    lost = damaged.count("\ufffd")
    # A cut or damaged UTF-8 text: read as anything else, all of its other characters would be wrong.
    if sum(one > "\x7f" for one in damaged) - lost > 2 * lost:
        return damaged
    high = sum(byte > 127 for byte in data[:65536])
    letters = high + sum(chr(byte).isalpha() for byte in data[:65536] if byte < 128)
    if high > 0.3 * letters:  # no Western text has that many accents
        name = _by_statistics(data[:65536])
        if name:
            return data.decode(name, "replace")
    return data.decode("cp1252", "replace")


def _by_statistics(data: bytes) -> str:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return ""
    best = from_bytes(data).best()
    return best.encoding if best else ""
