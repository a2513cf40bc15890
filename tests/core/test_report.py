"""The report gate and the repair of a report that does not pass it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_states import HOSTILE, STATES, R, U, V, X, a_state, exhaust, open_ends, resolve

from investigator.core.report import check_report, repair
from investigator.core.report_text import blocks_of, sentences, text_of
from investigator.core.state import State
from investigator.core.vocab import (
    StopReason,
)

# The gate


@pytest.mark.parametrize(
    "text",
    [
        "## Summary\n\nIt was opened in 1932 [c_001].",
        "It was opened in 1932. [c_001] It is long [c_001, s_001].",
        "It may be longer (unverified) [c_002].",
        "This is Unverified: it may be longer [c_002].",
        "| year | place |\n|---|---|\n| 1932 | here [c_001] |",
        "- It was opened [c_001].\n  This went on [c_001]\n- And so on [c_001]",
        "**Key points**\n\nIt was opened [c_001].",
        "Key points:\n\n- It was opened [c_001].",
        "It was opened [c_001].\n\n## Contradictions\n\n- Another year [c_003] was refuted.\n- [c_004] was taken back.",
        "It was opened [c_001].\n\n## Gaps and assumptions\n\nNothing is known of its cost. It may be high.",
        "It cost 1.5 m, e.g. in 1932 by Dr. J. Who at No. 5 [c_001].",
        "## 2.1 Costs [c_001]\n\nIt was high [c_001].",
        "## Was it opened in 1932?\n\nIt was [c_001].",
        "Sources agree:\n\nIt was opened [c_001].",
        "**Cost.** It was high [c_001].",
        "**Key points**\nIt was opened [c_001].",
        "Key points\n---\n\nIt was opened [c_001].",
        "**Opened in 1932 [c_001]**",
        "| year | 2023 | Q3 |\n|---|---|---|\n| cost | 5 | 6 [c_001] |",
    ],
)
def test_the_gate_passes_what_is_cited(text: str) -> None:
    """Every sentence cites a VERIFIED claim, or an UNVERIFIED one and says so; headings and gaps need none."""
    assert check_report(a_state(V, U, R, X), text) == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "The report is empty"),
        ("## Summary\n\n---\n", "The report is empty"),
        ("It was opened [c_001]. It is long.", "No claim is cited: “It is long.”"),
        ("It was opened [c_001].\n\n- It is long", "No claim is cited: “It is long”"),
        ("It was opened [c_001].\n\n| a | b |\n|---|---|\n| 1 | 2 |", "No claim is cited: “| 1 | 2 |”"),
        ("It was opened [c_001].\n\n```\nx = 1\n```", "No claim is cited: “x = 1”"),
        (
            "It was opened [c_001].\n\n```\n## Gaps and assumptions [c_001]\n```\nIt was [c_001].",
            "No claim is cited: “## Gaps and assumptions (c_001)”",
        ),
        ("It was opened [c_001]. See [s_001] for it.", "No claim is cited: “See [s_001] for it.”"),
        ("It was opened [c_001]. See c_001 for it.", "No claim is cited: “See c_001 for it.”"),
        ("It was opened [c_001]. It is longer [c_002].", 'c_002 is UNVERIFIED and the sentence must say "unverified"'),
        ("It was opened [c_001, c_099].", "There is no c_099: “It was opened [c_001, c_099].”"),
        ("It was opened [c_001]. ## [s_099]", "There is no s_099"),
        ("It was opened [c_001].\n\n## Gaps and assumptions\n\nAs d_001 says.", "There is no d_001"),
        ("It was opened in 1933 [c_001, c_003].", 'c_003 may stand only under "## Contradictions"'),
        (
            "It was opened [c_001].\n\n## Gaps and assumptions\n\nSee [c_004].",
            'c_004 may stand only under "## Contradictions"',
        ),
        (
            "It was opened [c_001].\n\n## Contradictions\n\n## Details\n\nNo [c_003].",
            'c_003 may stand only under "## Contradictions"',
        ),
        ("## Gaps and assumptions\n\nNothing is known.", "The report cites no claim"),
        ("It was opened [c_001].\n\n## Sources\n\n- [s_001] a page", "Leave out the list of sources"),
        (
            "# " + "It is a long claim in a heading " * 5 + "\n\nIt was opened [c_001].",
            "No claim is cited in a heading that states something; cite one or shorten it: “It is a long claim",
        ),
    ],
)
def test_the_gate_quotes_what_fails(text: str, fault: str) -> None:
    """The one fault of each text is named with the sentence."""
    faults = check_report(a_state(V, U, R, X), text)
    assert len(faults) == 1, faults
    assert faults[0].startswith(fault)


@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("**Revenue was 5 million**", "**Revenue was 5 million**"),
        ("**Revenue was 5 million**\nIt was opened [c_001].", "**Revenue was 5 million**"),
        ("**Revenue was 5 million.** It was opened [c_001].", "**Revenue was 5 million.**"),
        ("- **Revenue was 5 million**", "**Revenue was 5 million**"),
        ("**It was sold to the crown by the mayor too**", "**It was sold to the crown by the mayor too**"),
        ("**It was sold.**", "**It was sold.**"),
        ("## Revenue was 5 million", "Revenue was 5 million"),
        ("## It was sold.", "It was sold."),
        ("## It was sold to the crown by the mayor himself", "It was sold to the crown by the mayor himself"),
        ("Revenue was 5 million\n===", "Revenue was 5 million"),
        ("In 2020 sources agree:", "In 2020 sources agree:"),
        ("| Revenue was 5 million | x |\n|---|---|", "| Revenue was 5 million | x |"),
        ("| a |\n|---|\n| one [c_001] |\n|---|\n| It was sold |\n|---|", "| It was sold |"),
        ("- Revenue was 5 million", "Revenue was 5 million"),
        ("> Revenue was 5 million", "Revenue was 5 million"),
        ("<!-- Revenue was 5 million -->", "<!-- Revenue was 5 million -->"),
        ("[^1]: Revenue was 5 million", "[^1]: Revenue was 5 million"),
        ("Revenue was 5 million  \nIt was opened [c_001].", "Revenue was 5 million"),
        ("Revenue was 5 million\\\nIt was opened [c_001].", "Revenue was 5 million"),
        ("- Revenue was 5 million  \n  It was opened [c_001].", "Revenue was 5 million"),
        ("Revenue was 5 million.\u200bIt was opened [c_001].", "Revenue was 5 million."),
        ("Revenue was 5 million.&nbsp;It was opened [c_001].", "Revenue was 5 million."),
        ("Revenue was 5 million&period;&#160;It was opened [c_001].", "Revenue was 5 million."),
        ("Revenue was 5 million.<br>It was opened [c_001].", "Revenue was 5 million."),
        ("It was opened [c_001].Revenue was 5 million", "Revenue was 5 million"),
        ("Revenue was 5 million <!-- [c_001] -->", "Revenue was 5 million <!-- (c_001) -->"),
        ("Revenue was 5 million <b title='[c_001]'>", "Revenue was 5 million <b title='(c_001)'>"),
        ("Revenue was 5 million `[c_001]`", "Revenue was 5 million `(c_001)`"),
        ("Revenue was 5 million ``x\n[c_001]``", "Revenue was 5 million ``x (c_001)``"),
        ("```\nRevenue was 5 million [c_001]\n```", "Revenue was 5 million (c_001)"),
        ("## Gaps and assumptions\n\nCost.\n\nDetails\n-------\n\nIt was sold.", "It was sold."),
    ],
)  # fmt: skip
def test_no_dress_makes_an_uncited_statement_pass(text: str, uncited: str) -> None:
    """What states something must cite, in whatever Markdown; a citation that may be hidden is none."""
    text = f"It was opened [c_001].\n\n{text}"
    faults = check_report(a_state(V), text)
    assert [one.partition("“")[2].rstrip("”") for one in faults] == [uncited]
    assert faults[0].startswith("No claim is cited")
    repaired, changes = repair(a_state(V), text)
    assert repaired.count("(unsupported)") == 1
    assert len(changes) == 1


def test_a_paragraph_after_gaps_ends_them_when_it_is_underlined() -> None:
    """A heading of either kind begins another section."""
    text = (
        "It is [c_001].\n\nGaps and assumptions\n---\n\nNothing is known of its cost.\n\nDetails\n---\n\nIt is [c_001]."
    )
    assert [one.section for one in blocks_of(text) if one.asserts] == ["", "Gaps and assumptions", ""]


def test_the_gate_lists_everything_at_once() -> None:
    """All faults of all sentences, not the first one."""
    faults = check_report(a_state(V, U, R, X), "One. Two words here. It [c_002] is. Not so [c_003]. There [c_099].")
    assert len(faults) == 5, faults


def test_headings_must_not_name_refuted_claims_either() -> None:
    """A heading needs no citation, but it is no place for a refuted claim."""
    # A heading asserts nothing by itself; its ids are read all the same.
    faults = check_report(a_state(V, R), "# Why [c_002]\n\nIt was opened [c_001].")
    assert len(faults) == 1
    assert "c_002 may stand only" in faults[0]


@pytest.mark.parametrize(
    ("ending", "missing"),
    [
        (StopReason.NONE, "q_002, q_003"),
        (StopReason.FINALIZED, "q_002, q_003"),
        (StopReason.COST, "q_002, q_003, q_004"),
    ],
)
def test_the_gate_wants_every_open_question_named_under_gaps(ending: StopReason, missing: str) -> None:
    """Unresolvable and blocked ones; the pending ones too when a breaker cut the run short."""
    state = replace(open_ends(), ending=ending)
    elsewhere = f"It was opened [c_001] ({missing})."
    assert check_report(state, elsewhere) == (
        f'Name under "## Gaps and assumptions", with what is assumed instead: {missing}.',
    )
    assert check_report(state, f"{elsewhere}\n\n## Gaps and assumptions\n\n- {missing}: open") == ()


# Repair


def test_repair_leaves_a_good_report_alone() -> None:
    """Byte for byte, with no change listed."""
    text = "## Summary\n\n\nIt was opened [c_001].   \n"
    assert repair(a_state(V), text) == (text, ())


def test_repair_changes_as_little_as_it_can_and_says_what() -> None:
    """Unknown citations go, the uncited and the unverified are marked, refuted ones move, gaps are added."""
    state = exhaust(a_state(V, U, R), "q_002", "It is old.")
    text, changes = repair(
        state,
        "## Summary\n\nIt was opened in 1932 [c_001, c_099]. It is long. It is longer [c_002].\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n## Details\n\nIt was 1933 [c_003]. It is so [c_001].\n",
    )
    assert text == (
        "## Summary\n\nIt was opened in 1932 [c_001]. It is long (unsupported). It is longer [c_002] (unverified).\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 (unsupported) |\n\n## Details\n\nIt is so [c_001].\n\n"
        "## Contradictions\n\n- It was 1933 [c_003].\n\n"
        "## Gaps and assumptions\n\n- q_002: Which year? — not found out; assumed: It is old.\n"
    )
    assert check_report(state, text) == ()
    assert [re.split(r"[ :,]", one)[0] for one in changes] == [
        "Removed",
        "Marked",
        "Marked",
        "Marked",
        "Moved",
        "Added",
    ]


def test_repair_marks_a_sentence_before_its_end() -> None:
    """Also where the citation follows the full stop, or brackets close after it."""
    state = a_state(V, U)
    assert repair(state, "It is so [c_001]. It is long. [c_002] (It is old.) End!")[0] == (
        "It is so [c_001]. It is long (unverified). [c_002] (It is old (unsupported).) End (unsupported)!\n"
    )


def test_repair_uses_the_sections_that_are_there() -> None:
    """Moved sentences and missing gaps go to the end of their sections, not into new ones."""
    state = exhaust(a_state(V, R), "q_002", "It is old.")
    text, _ = repair(
        state,
        "It is so [c_001]. Not so [c_002].\n\n## Contradictions\n\n- One [c_002].\n\n"
        "## Gaps and assumptions\n\n- cost\n",
    )
    assert text.split("\n\n")[2:] == [
        "- One [c_002].\n- Not so [c_002].",
        "## Gaps and assumptions",
        "- cost\n- q_002: Which year? — not found out; assumed: It is old.\n",
    ]


@pytest.mark.parametrize("text", ["", "  \n", "***", "I am sorry, I cannot do that."])
def test_repair_of_a_useless_report_still_tells_what_was_found(text: str) -> None:
    """With claims at hand no report is empty of them."""
    repaired, changes = repair(resolve(a_state(V), "q_002", "In year 1.", "c_001"), text)
    assert "[c_001]" in repaired
    assert changes


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(STATES), HOSTILE)
def test_a_repaired_report_passes_the_gate(state: State, text: str) -> None:
    """Whatever the text and whatever the state: a gate never destroys work, and never lets through what it refuses."""
    repaired, changes = repair(state, text)
    assert check_report(state, repaired) == ()
    assert bool(changes) == (repaired != text)


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_blocks_read_the_same_after_they_are_written(text: str) -> None:
    """Writing blocks back changes no sentence and no section."""
    once = text_of(blocks_of(text))
    assert text_of(blocks_of(once)) == once
    assert said(once) == said(text)


def said(text: str) -> list[tuple[str, str]]:
    """Every sentence with its section; a backslash may be added so that a paragraph does not begin like a heading."""
    return [
        (one.section, sentence.replace("\\", ""))
        for one in blocks_of(text)
        if one.asserts
        for sentence in one.sentences()
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It cost 1.5 m in the U.S. in 1932.", 1),
        ("See Fig. 3 and No. 4, i.e. both.", 1),
        ("Dr. J. R. Who came. He left.", 2),
        ("Is it? Yes it is! So be it…", 3),
        ("It is so. [c_001] It is not. [c_002]", 2),
        ("**Cost.** It was high.", 1),
        ("Firms etc. were there. They left.", 2),
        ("Zeit (2020) vs. Welt (2021).", 1),
        ("这是真的。那是假的。", 2),
        ("He said “no.” Then he left.", 2),
        ("See example.org for more.", 1),
        ("Wait... what is it?", 1),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, count: int) -> None:
    """Not at abbreviations, initials, decimals or ids."""
    assert len(sentences(text)) == count, sentences(text)


@pytest.mark.parametrize("head", ["# Gaps and assumptions", "## Gaps and assumptions", "# Contradictions"])
@pytest.mark.parametrize("body", ["## Summary", "### Summary", "#### **Details:**"])
def test_what_is_exempt_ends_where_the_report_goes_on(head: str, body: str) -> None:
    """A heading of gaps before everything else exempts nothing of the summary below it, whatever their levels."""
    text = f"It was opened [c_001].\n\n{head}\n\nNothing [c_001].\n\n{body}\n\nThe bridge is long."
    assert check_report(a_state(V), text) == ("No claim is cited: “The bridge is long.”",)
    fallen = text.replace("is long.", "is long [c_003].")
    assert any("c_003" in one for one in check_report(a_state(V, U, R, X), fallen))
