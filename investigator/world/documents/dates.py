"""When a document was published, as ISO text of the precision that is known: ``2024-03-15``, ``2024-03`` or ``2024``.

Knows ways to write a date; must not know formats of files. What could mean two dates means none.
"""

from __future__ import annotations

import re
from datetime import date

_NAMES = "january february march april may june july august september october november december"
_LONG = _NAMES.split()
_MONTHS = {name[:size]: at for at, name in enumerate(_LONG, 1) for size in range(3, len(name) + 1)} | {"sept": 9}
_MONTH = r"(?P<month>[A-Za-z]{3,9})\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?P<day>\d{1,2})"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?<!\d){_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)",
        rf"(?<!\d){_YEAR}[/.](?P<month>\d{{1,2}})[/.](?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_DAY}(?:st|nd|rd|th)?\.?(?: of)?[ -]+{_MONTH},?[ -]+{_YEAR}",
        rf"\b{_MONTH} +{_DAY}(?:st|nd|rd|th)?,? +{_YEAR}",
        rf"(?<!\d){_DAY}\.(?P<month>\d{{1,2}})\.{_YEAR}",
        rf"\b{_MONTH},? +{_YEAR}",
        rf"(?<![\d-]){_YEAR}-(?P<month>\d\d)(?![\d-])",
    )
)
_YEAR_ALONE = re.compile(rf"\s*{_YEAR}\s*")
_HEADER = re.compile(
    r"\W{0,6}(?:date|published(?: on)?|publication date|date published|effective(?: date)?"
    r"|last (?:updated|modified|revised)"
    r"|updated(?: on)?|issued|issue date|posted(?: on)?|release date)\W{0,4}:\W{0,4}(?P<date>.{4,60})",
    re.IGNORECASE,
)
_IN_NAME = tuple(
    re.compile(rf"(?<![A-Za-z0-9])(?P<year>(?:19|20)\d\d){rest}(?![A-Za-z0-9])")
    for rest in (r"[-_.]?(?P<month>[01]\d)[-_.]?(?P<day>[0-3]\d)", r"[-_.](?P<month>[01]\d)", "")
)


def iso(text: str) -> str:
    """The first date that a short text states without doubt, or ''.

    >>> iso("12 March 2024"), iso("March 2024"), iso("2024-03-15T10:00:00Z"), iso("2024"), iso("03/04/2024")
    ('2024-03-12', '2024-03', '2024-03-15', '2024', '')
    """
    for form in _FORMS:
        for match in form.finditer(text[:200]):
            found = _checked(match.groupdict())
            if found:
                return found
    alone = _YEAR_ALONE.fullmatch(text[:200])
    return alone["year"] if alone else ""


def in_header(text: str) -> str:
    """The date of a line such as ``Effective date: 1 May 2023`` among the first 40 lines that are not empty, or ''."""
    lines = (line for line in text[:8000].splitlines() if line.strip())
    for _, line in zip(range(40), lines, strict=False):
        match = _HEADER.match(line[:200])
        found = iso(match["date"]) if match else ""
        if found:
            return found
    return ""


def in_name(name: str) -> str:
    """The date in a file's name, or ''.

    >>> in_name("note-2024-03-15.md"), in_name("2024_03 report.pdf"), in_name("survey 2023.txt"), in_name("v20245.md")
    ('2024-03-15', '2024-03', '2023', '')
    """
    for form in _IN_NAME:
        for match in form.finditer(name.rpartition("/")[2].replace("_", "-")):
            found = _checked(match.groupdict())
            if found:
                return found
    return ""


def of_pdf(text: str) -> str:
    """The date of a PDF's metadata (``D:20240315...``), or ''."""
    match = re.match(r"(?:D:)?(?P<year>(?:19|20)\d\d)(?P<month>\d\d)?(?P<day>\d\d)?", text)
    return _checked({key: value for key, value in match.groupdict().items() if value}) if match else ""


def _checked(parts: dict[str, str]) -> str:
    month = parts.get("month", "")
    number = int(month) if month.isdecimal() else _MONTHS.get(month.lower(), 0) if month else 1
    try:
        day = date(int(parts["year"]), number, int(parts.get("day", "1")))
    except ValueError:
        return ""
    return day.isoformat()[: 10 if "day" in parts else 7 if month else 4]
