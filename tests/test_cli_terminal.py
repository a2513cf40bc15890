"""A report at a terminal: wrapped, without Markdown's marks, and whole whatever stands in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.cli_terminal import plain, shown, wrapped
from investigator.core.report_text import escape


def test_a_report_reads_as_text() -> None:
    """Headings are underlined, items hang, paragraphs are joined, code and table rows stay as they are."""
    report = (
        "# Is it so?\n\n## Summary\n\nIt is **so** and that\nis all that can be said of it [c_001].\n\n"
        "### Why\n\n- One reason that is too long for a line\n  - \"nested words that go on\" (line 3)\n"
        "1. first\n\n```\n  code \\* stays\n```\n\n| a | b\\|c that is a long row of a table |\n"
    )  # fmt: skip
    assert shown(report, 30) == (
        "Is it so?\n=========\n\nSummary\n-------\n\nIt is so and that is all that\ncan be said of it [c_001].\n\n"
        "Why\n\n- One reason that is too long\n  for a line\n  - \"nested words that go on\"\n    (line 3)\n"
        "1. first\n\n  code \\* stays\n\n| a | b|c that is a long row of a table |"
    )  # fmt: skip


def test_an_address_stays_whole() -> None:
    """What a person would click or copy is not broken, however narrow the terminal is."""
    address = "https://a-long-host.example.org/and/a-long/path"
    lines = shown(f"- [s_001] Title — <{address}>, published 2024", 20).splitlines()
    assert lines == ["- [s_001] Title —", f"  {address},", "  published 2024"]
    assert plain(f"see [it]({address})") == f"see it ({address})"


@given(st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=80))
def test_what_is_escaped_is_shown_as_it_was(text: str) -> None:
    """A terminal shows outside text as it came: what escaping adds, and nothing else, is taken away."""
    flat = " ".join(text.split())
    assert plain(escape(flat)) == flat


@given(st.text(max_size=300), st.integers(-5, 120))
def test_any_text_is_shown(text: str, width: int) -> None:
    """No text is an error, and no word of it is lost when lines are wrapped."""
    shown(text, width)
    line = " ".join(text.split())
    assert wrapped(line, width).split() == line.split()


@pytest.mark.parametrize("payload", ["[" * 50_000, "*" * 50_000, "*a" * 30_000, "`" * 50_000, "\\" * 50_000])
def test_a_hostile_report_is_shown_in_linear_time(payload: str) -> None:
    """No run of marks takes long, and none is lost outside of a fence."""
    assert shown(f"so {payload}", 80).count(payload[0]) >= len(payload) // 3
