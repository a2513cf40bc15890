"""The shapes that the rooms of this folder hand to each other."""

from __future__ import annotations

from dataclasses import dataclass


class Unreadable(Exception):
    """A file that cannot be read; its text is the reason, in one line. Never leaves `world`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """One document as read.

    Attributes:
        url: the http(s) url that the document itself states, or ''.
        links: as they stand in it, relative or absolute.
        number: which record of its file it is, from 1; 0 when it is the whole file.
        last_resort: a date to use when nothing better is known.
        note: what of the file was not read; on the first document of a file.
    """

    text: str
    unit: str
    title: str = ""
    published: str = ""
    url: str = ""
    links: tuple[str, ...] = ()
    number: int = 0
    last_resort: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a manifest says of a file; '' where it says nothing."""

    url: str = ""
    title: str = ""
    published: str = ""
