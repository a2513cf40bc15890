"""Of when a document is, as it says itself, and whether it is marked as one that does not hold any more.

Knows how documents date and mark themselves; must not know questions, pages of a prompt or claims.
"""

from __future__ import annotations

import re

from investigator.world.offline.analysis import Kind
from investigator.world.offline.lexicon import STALE
from investigator.world.offline.written import scan

_LINES = 12  # at the top of a document in which it says of when it is; a few at its end as well
_FOOT = 3
_SHORT = 90  # characters of a line that only says that
_CUE = (
    r"last (?:updated?|modified|revised|reviewed|changed?)|updated|revised|published|issued|posted|effective|"
    r"(?:in|with) (?:force|effect)|valid|applicable|applies|as of|as at|status|version|edition|approved|adopted|draft|"
    r"date|dated|released"
)
_SAYS = re.compile(rf"^[\W_]*(?:{_CUE})\b(?P<rest>.*)$", re.IGNORECASE)
_WITHIN = re.compile(r"\blast (?:updated|modified|revised|reviewed)\b(?P<rest>.*)$|"
                     r"\b(?:in force|effective|valid) (?:from|since|as of)\b(?P<from>.*)$", re.IGNORECASE)  # fmt: skip
_LINE = 40  # characters of a line that is no sentence: "ARCHIVED - kept for reference only"
_SENTENCES = re.compile(r"\n+|(?<=[.!?])\s+")
_ITSELF = re.compile(
    r"^\W*(?:note:?\s+)?(?:this|the present|(?:it|here) is|superseded|replaced|archived|draft)\b", re.IGNORECASE
)
_ENDS = re.compile(r"^\W*(?:until|till|through|to|by|before)\b", re.IGNORECASE)
# "Handbook 2024", "Travel policy (2023)", "2022 rules": a year in the middle of a title may be of anything.
_YEAR = r"(199\d|20\d\d)"
_TITLE = re.compile(rf"(?:^{_YEAR}\s+(?=\S))|(?:[\s(,–—-]{_YEAR}\)?\s*$)")
_FOLDER = re.compile(r"(?:^|[/_.\- ])(199\d|20\d\d)(?:[-_.]?(0[1-9]|1[0-2]))?(?=[/_.\- ]|$)")
# A folder or a file's name tells as well; in a sentence "old" and "previous" say nothing of the document.
_MARKED_PATH = re.compile(
    r"(?:^|[/_.\- :(])(?:old(?:er)?|former|past|previous|archived?|archives|drafts?|obsolete|outdated|deprecated|"
    r"superseded|retired|legacy|backups?|withdrawn|expired)(?=[/_.\- )]|$)",
    re.IGNORECASE,
)
_MARKED_TITLE = re.compile(
    r"^\W*(?:draft|archived|obsolete|superseded|withdrawn)\b|"
    r"[(\[–—:-]\s*(?:old|former|draft|archived?|obsolete|superseded|withdrawn|no longer valid)\W*$",
    re.IGNORECASE,
)


def dated(text: str, title: str = "", url: str = "", published: str = "") -> str:
    """Of when a document is: ISO text of the precision that is known, or ''.

    What its place gives (``published``) counts first, then what it says at its top or its end, then a year in its
    title, then one in its address.

    >>> dated("# Leave\\n\\nIn force from 1 March 2026\\n"), dated("Of leave.", "Handbook 2024"), dated("Rain is wet.")
    ('2026-03-01', '2024', '')
    >>> dated("Of leave.", url="doc:archive/2019/leave.md")
    '2019'
    """
    if published:
        return published
    lines = [one for one in text[:6000].splitlines() if one.strip()][:_LINES]
    lines += [one for one in text[-600:].splitlines() if one.strip()][-_FOOT:]
    for line in lines:
        if found := _said(line.strip()):
            return found
    top = lines[0].strip("# ") if lines and len(lines[0]) < _SHORT and not _SAYS.match(lines[0]) else ""
    for name in (title, top):
        if years := [one for groups in _TITLE.findall(name.strip()) for one in groups if one]:
            return str(years[-1])
    path = re.sub(r"^[a-z]+:(?://[^/]*)?", "", url)
    folders = _FOLDER.findall(path)
    return "-".join(filter(None, folders[-1])) if folders else ""


def _said(line: str) -> str:
    """The date of a short line that says of when the document is."""
    if len(line) > _SHORT:
        return ""
    match = _SAYS.match(line) or _WITHIN.search(line)
    rest = "" if match is None else next((one for one in match.groups() if one), "")
    if not rest or _ENDS.match(rest):
        return ""
    found = [one for one in scan(rest, frozenset({Kind.DATE})) if one.start < 24 and re.match(r"\d{4}", one.normalised)]
    return found[0].normalised.removesuffix("s") if found else ""


def outdated(text: str, title: str = "", url: str = "") -> bool:
    """Whether a document is marked as a draft, as archived or as replaced: by its folder, its title or its first lines.

    >>> outdated("Of leave.", url="doc:archive/leave.md"), outdated("Of leave.", "Leave (old)")
    (True, True)
    >>> outdated("", "Old cars"), outdated("Of leave.", "Leave", "doc:hr/leave.md")
    (False, False)
    >>> outdated("This policy was withdrawn in May."), outdated("The old accounts, says the clerk, were withdrawn.")
    (True, False)
    """
    path = re.sub(r"^[a-z]+:(?://[^/]*)?", "", url)
    first = [one for one in _SENTENCES.split(text[:300]) if one.strip()][:3]
    # A line of its own, or a sentence about itself: any other speaks of something else that was replaced.
    told = any(STALE.search(one) for one in first if len(one) < _LINE or _ITSELF.match(one))
    return bool(_MARKED_PATH.search(path) or _MARKED_TITLE.search(title) or STALE.search(title) or told)


def older(mine: tuple[bool, str], theirs: tuple[bool, str]) -> bool:
    """Whether the first of two documents gives way: it alone is marked, or both are dated and it is the earlier one.

    Each is (marked, date). A date alone decides nothing against a document without one.

    >>> older((False, "2021"), (False, "2025-03-01")), older((True, ""), (False, "")), older((False, ""), (False, "1"))
    (True, True, False)
    """
    if mine[0] != theirs[0]:
        return mine[0]
    size = min(len(mine[1]), len(theirs[1]))
    return mine[1][:size] < theirs[1][:size]
