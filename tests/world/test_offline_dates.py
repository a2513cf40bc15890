"""The offline model reads of when documents are, and prefers what is in force."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from investigator import Limits, investigate
from investigator.world.documents import Corpus
from investigator.world.offline.dating import dated, older, outdated
from investigator.world.offline.recording import is_timeless

LEAVE = "How many days of annual leave do employees get?"


def summary(folder: Path, files: dict[str, str], question: str = LEAVE) -> str:
    """The summary of a narrow run over these files."""
    for name, text in files.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    inv = investigate(
        question,
        web=Corpus(folder / "docs", cache_dir=folder / "cache", progress=False),
        store="sqlite://",
        limits=Limits.narrow(),
    )
    found = re.search(r"^## Summary\n+(.*?)(?=^## )", str(inv.run()), re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("text", "title", "url", "date"),
    [
        ("# Leave\n\nPublished 2025-01-10.\n\nLeave is long.", "Leave", "", "2025-01-10"),
        ("Leave\nin force from 1 March 2026\n", "Leave", "", "2026-03-01"),
        ("Leave\n\nThese rules are in force from 1 March 2026.\n", "Leave", "", "2026-03-01"),
        ("Leave is long.\n\nLast updated 10 January 2025", "", "", "2025-01-10"),
        ("Leave\n\nEffective March 2025\n", "", "", "2025-03"),
        ("Leave is long.", "Handbook 2024", "", "2024"),
        ("Leave is long.", "Travel policy (2023)", "", "2023"),
        ("# Handbook 2022\n\nLeave is long.", "", "", "2022"),
        ("Leave is long.", "Leave", "doc:archive/2019/leave.md", "2019"),
        ("Valid until 3 May 2024\n\nLeave is long.", "Leave", "", ""),
        ("The works council was founded on 3 May 1994 by the board.", "The year 1994 in review", "", ""),
    ],
)
def test_dated_reads_dates_as_they_are_written(text: str, title: str, url: str, date: str) -> None:
    """Lines at the top or end, titles, headings and folders say of when a document is; prose does not."""
    assert dated(text, title, url) == date


def test_dated_takes_what_its_place_gives_first() -> None:
    """A date that the document's place gives is not overruled by its text."""
    assert dated("Published 2025-01-10", "Rules 2019", "", "2024-05") == "2024-05"


@pytest.mark.parametrize("url", ["doc:archive/leave.md", "doc:old/leave.md", "doc:drafts/leave.md", "doc:leave-old.md"])
def test_outdated_reads_folders(url: str) -> None:
    """A folder or a file's name marks a document; a word of its text does not."""
    assert outdated("Leave is long.", "Leave", url)
    assert not outdated("The old mill and the past were praised.", "The old mill", "doc:hr/leave.md")


def test_older_needs_two_dates_or_one_mark() -> None:
    """A date alone wins nothing against a document without one."""
    assert not older((False, ""), (False, "2025"))
    assert not older((False, "2025"), (False, ""))
    assert older((False, "2024"), (False, "2025-01"))
    assert not older((False, "2025"), (False, "2025-01"))
    assert older((True, "2026"), (False, "2025"))


def test_who_holds_an_office_changes() -> None:
    """Who is in an office now is told by the newest page, who did something once is not."""
    assert not is_timeless("Who is the head of sales?")
    assert is_timeless("Who founded Acme?")
    assert is_timeless("Who was head of sales in 2020?")


@pytest.mark.parametrize(
    ("new", "old", "path"),
    [
        (
            "# Leave\n\nLast updated 10 January 2025\n\nEmployees get {} days of annual leave.",
            "# Leave 2021\n\n{}",
            "a",
        ),
        ("# Leave\n\nEmployees get {} days of annual leave.", "# Leave\n\n{}", "archive"),
        ("# Leave\n\nEffective 1 May 2025\n\nEmployees get {} days of annual leave.", "Issued 2 May 2023\n\n{}", "z"),
    ],
)
def test_run_prefers_what_is_in_force_and_names_the_older(tmp_path: Path, new: str, old: str, path: str) -> None:
    """The newer document answers; the older one is named behind it as superseded."""
    stale = old.format("Employees get 25 days of annual leave.")
    told = summary(tmp_path, {"hr/leave.md": new.format(28), f"{path}/leave.md": stale})
    assert "28 days" in told
    assert told.index("28 days") < told.index("25 days")
    assert "superseded" in told


_MINUTES = "# Board meeting, November {}\n\n1. {} was elected chair of the board.\n2. The licence is renewed for {}.\n"


def test_run_takes_the_later_of_two_minutes_in_the_same_words(tmp_path: Path) -> None:
    """A later edition in the words of the earlier one is no altered copy: it answers, the earlier one is superseded."""
    files = {
        "minutes/board-2023-11.md": _MINUTES.format(2023, "Paul Reyes", "EUR 14,900"),
        "minutes/board-2025-11.md": _MINUTES.format(2025, "Dr. Anneke Vos", "EUR 18,300"),
    }
    told = summary(tmp_path, files, "Who is chair of the board?")
    assert told.startswith("Dr. Anneke Vos was elected")
    assert "Reyes" not in told.partition("superseded")[0]
    assert "Reyes" in told
