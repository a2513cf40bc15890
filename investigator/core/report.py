"""The report: its gate, its repair, the one that code writes, and how it is shown.

The names for the rest of the package. The parts: `report_text` (Markdown as sentences), `report_gate` (what a report
must fulfil), `report_write` (from answers and claims), `report_render` (what code appends).
"""

from __future__ import annotations

from investigator.core.report_gate import check_report, repair, written_by_code
from investigator.core.report_render import DEMO, render
from investigator.core.report_write import NO_EVIDENCE, UNSUPPORTED, UNVERIFIED, must_be_named, usable

__all__ = [
    "DEMO",
    "NO_EVIDENCE",
    "UNSUPPORTED",
    "UNVERIFIED",
    "check_report",
    "must_be_named",
    "render",
    "repair",
    "usable",
    "written_by_code",
]
