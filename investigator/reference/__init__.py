"""The reference pages of the toolkit, made from the code they describe: tools, tables, limits, transitions, frames.

Knows where each thing is stated and how a page of Markdown looks. States nothing itself.

    python -m investigator.reference            # write the pages
    python -m investigator.reference --check    # exit 1 and name the pages that are out of date
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from investigator.notebook.columns import reference as frames
from investigator.reference.limits import limits
from investigator.reference.tables import tables
from investigator.reference.tools import tools
from investigator.reference.transitions import transitions

__all__ = ["FOLDER", "PAGES", "outdated", "write"]

FOLDER = Path(__file__).parent
PAGES: Mapping[str, Callable[[], str]] = {
    "tools.md": tools,
    "tables.md": tables,
    "limits.md": limits,
    "transitions.md": transitions,
    "frames.md": frames,
}


def outdated(folder: Path = FOLDER) -> list[str]:
    """Names of the pages that differ from what the code says now, or are missing.

    >>> outdated()
    []
    """
    return [name for name, made in PAGES.items() if _stored(folder / name) != made()]


def write(folder: Path = FOLDER) -> list[str]:
    """Write the pages that are out of date; gives their names."""
    changed = outdated(folder)
    for name in changed:
        (folder / name).write_text(PAGES[name](), encoding="utf-8", newline="\n")
    return changed


def _stored(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
