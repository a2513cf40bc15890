"""The reference pages are what the code says, and say it of everything."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from investigator import reference
from investigator.core.limits import Limits
from investigator.core.transitions import TABLE
from investigator.notebook.columns import FRAMES
from investigator.reference.refusals import refusals, refusals_of_any
from investigator.store.tables import metadata
from investigator.tools.specs import SPECS

ROOT = Path(__file__).resolve().parents[1]


def page(name: str) -> str:
    return (reference.FOLDER / name).read_text(encoding="utf-8")


def test_the_pages_are_what_the_code_says() -> None:
    """Who changes a tool, a table or a limit makes the pages anew."""
    assert reference.outdated() == [], "run: python -m investigator.reference"


def test_a_page_that_is_out_of_date_is_named_and_written(tmp_path: Path) -> None:
    """An old page is found, written, and then up to date."""
    reference.write(tmp_path)
    (tmp_path / "limits.md").write_text("old", encoding="utf-8")
    assert reference.outdated(tmp_path) == ["limits.md"]
    assert reference.write(tmp_path) == ["limits.md"]
    assert reference.outdated(tmp_path) == []


def test_check_is_a_command() -> None:
    """`--check` says with its exit code whether the pages are up to date."""
    done = subprocess.run([sys.executable, "-m", "investigator.reference", "--check"], capture_output=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, b"")


def test_everything_is_on_its_page() -> None:
    """Each tool with each argument, each table with each column, each limit, trigger and frame."""
    tools, tables, frames = page("tools.md"), page("tables.md"), page("frames.md")
    for spec in SPECS:
        text = tools.split(f"\n## {spec.name}\n")[1].split("\n## ")[0]
        assert all(f"{name}" in text for name in spec.parameters["properties"])
    for table in metadata.sorted_tables:
        text = tables.split(f"\n## {table.name}\n")[1].split("\n## ")[0]
        assert all(re.search(rf"^\| \**{column.name}\** \|", text, re.MULTILINE) for column in table.columns)
    for frame in FRAMES.values():
        text = frames.split(f"\n## {frame.name}\n")[1].split("\n## ")[0]
        assert all(f"| {column.name} |" in text for column in frame.columns)
    assert all(f"`{one.name}`" in page("limits.md") for one in dataclasses.fields(Limits))
    assert all(f"`{trigger}`" in page("transitions.md") for trigger in TABLE)


@pytest.mark.parametrize("name", reference.PAGES)
def test_every_row_says_what_it_means(name: str) -> None:
    """No cell of the last column of a page is empty, and every row has as many cells as its head."""
    width = 0
    for line in page(name).splitlines():
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        if line.startswith("|---"):
            continue
        width = (width or len(cells)) if cells else 0
        assert len(cells) == width
        if cells and name != "transitions.md":
            assert cells[-1].strip(), line


def test_the_pages_say_what_a_reader_looks_for() -> None:
    """Where a tool is offered, what unit a limit has, what a key names, what is required, when a trigger is pulled."""
    tools, tables = page("tools.md"), page("tables.md")
    assert "## finalize_report\n" in tools
    told = tools.split("\n## finalize_report\n")[1].split("\n## ")[0]
    assert "Offered in: `synthesizing`, `last`." in told
    assert "| **query** | text, at most 400 characters | the search query |" in tools
    assert "| `max_cost_usd` | none | 0 to 1,000,000,000 or none | US dollars | of a run; none: no limit |" in (
        page("limits.md")
    )
    assert "- `run_id, parent_id` names a row of `gb_agent_frontier_questions`" in tables
    assert "| parent_id | text or NULL | question it was asked for; NULL for the root |" in tables
    assert "a person also from blocked, pending | it is answered by claims |" in page("transitions.md")


def test_a_tool_tells_what_it_is_refused_for() -> None:
    """The refusals of its handler and of what it calls, none of another tool's, and none of what cannot come back."""
    told = {spec.name: dict(refusals(spec.name)) for spec in SPECS}
    assert set(told["web_search"]) == {"empty", "repeated_query"}
    assert told["add_question"]["depth_cap"] == "pruned by depth cap; record it as an open gap in notes instead"
    assert told["record_challenge_result"]["not_searched"].startswith("… was not searched yet, so nothing survived.")
    assert "question_cap" not in told["record_challenge_result"], "code makes that one a gap"
    assert told["challenges_view"] == {}
    assert set(dict(refusals_of_any())) == {"arguments", "not_offered", "plan_first", "unknown_tool"}
    assert "| `no_provenance` | only urls from the objective, a search result or a fetched page can be read." in (
        page("tools.md")
    )


def test_the_readme_leads_to_every_page() -> None:
    """A reader of the README finds the pages, and the links of the README lead somewhere."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", readme)
    assert {f"investigator/reference/{name}" for name in reference.PAGES} <= set(links)
    assert all((ROOT / link).exists() for link in links)
