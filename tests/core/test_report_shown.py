"""The report that code writes, and what is appended for the reader."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_states import HOSTILE, QUOTE, R, U, V, X, a_run, a_state, add, exhaust, open_ends, resolve

from investigator.core.challenges import Challenge
from investigator.core.claims import ClaimLink
from investigator.core.frontier import log_attempt
from investigator.core.ids import ChallengeId, ClaimId, QuestionId
from investigator.core.report import DEMO, check_report, render, written_by_code
from investigator.core.state import Gap
from investigator.core.vocab import (
    AttemptKind,
    ChallengeStatus,
    ClaimStatus,
    Loop,
    Stance,
    StopReason,
    Strategy,
    TargetType,
)


@settings(max_examples=200, deadline=None)
@given(HOSTILE, HOSTILE, HOSTILE, st.sampled_from([(V,), (U, R), (V, U, R, X), (R,), ()]))
def test_a_report_by_code_passes_the_gate(
    claim: str, answer: str, question: str, statuses: tuple[ClaimStatus, ...]
) -> None:
    """However hostile the recorded claims, answers, questions and gaps are."""
    state = a_state(*statuses, text=("x" + claim).replace("{", "").replace("}", ""), question="a" + question)
    state = resolve(state, "q_002", answer, *state.ledger.claims)
    state = exhaust(add(state, "b" + question), "q_003", "c" + claim)
    state = replace(state, gaps=(Gap(question_id="q_003", kind="gap", text=question),), ending=StopReason.ITERATIONS)
    assert check_report(state, written_by_code(state)) == ()


def test_written_by_code_cites_every_sentence_of_the_answers() -> None:
    """Summary, details by question, contradictions with both sides, gaps."""
    state = resolve(a_state(V, U, R), "q_002", "It was opened in 1932. The mayor did it.", "c_001")
    state = exhaust(
        resolve(add(state, "What did it cost?"), "q_001", "It was 1932.", "c_001", "c_002"), "q_003", "It was cheap."
    )
    ledger = state.ledger.with_link(
        ClaimLink(claim_id=ClaimId("c_003"), other_id=ClaimId("c_001"), kind=Stance.CONTRADICTS)
    )
    refuted = Challenge(
        id=ChallengeId("ch_001"),
        target_type=TargetType.CLAIM,
        claim_id="c_003",
        belief="b",
        strategy=Strategy.COUNTEREXAMPLE,
        negation="n",
        expected_if_false=("e",),
        query="q",
        status=ChallengeStatus.CLOSED,
        outcome="refuted",
        evidence="The register says 1932. It is signed.",
        source_ids=("s_001",),
    )
    assert written_by_code(replace(state, ledger=ledger, challenges={"ch_001": refuted})) == (
        "## Summary\n\nIt was 1932 [c_001, c_002].\n\n"
        "## Details\n\n### Which year?\n\n"
        "It was opened in 1932 [c_001]. The mayor did it [c_001].\n\n"
        "- It was opened in year 1 [c_001].\n- It was opened in year 2 (unverified) [c_002].\n\n"
        "## Contradictions\n\n"
        "- “It was opened in year 3” [c_003], refuted by ch_001 (The register says 1932; It is signed); "
        "against it: “It was opened in year 1” [c_001].\n\n"
        "## Gaps and assumptions\n\n- q_003: What did it cost? — not found out; assumed: It was cheap.\n"
    )


def test_written_by_code_says_when_nothing_was_found() -> None:
    """No claim that stands: no evidence, what was tried, what is assumed; nothing invented."""
    state = a_state(R)
    frontier, _ = log_attempt(
        state.frontier,
        QuestionId("q_002"),
        AttemptKind.SEARCH,
        "bridge opening year",
        "web_search",
        outcome="no results",
        turn=1,
        at="t",
    )
    text = written_by_code(exhaust(replace(state, frontier=frontier), "q_001", "It is unknown."))
    assert text.startswith("## Summary\n\nNo evidence found")
    assert "tried: “bridge opening year”" in text
    assert "- q_001: When was it opened? — not found out; assumed: It is unknown." in text
    assert "[c_001]" not in text.split("## Contradictions")[0]


def test_render_appends_status_sources_and_quotes() -> None:
    """Each claim with its status, each source with its quoted words, their place and what they are for."""
    text = render(a_state(V, U), "## Summary\n\nIt was opened [c_001].\n")
    assert text == (
        "# When was it opened?\n\n## Summary\n\nIt was opened [c_001].\n\n"
        "## Status of the claims\n\n"
        "- [c_001] VERIFIED, 1 independent origin, not challenged: It was opened in year 1.\n\n"
        "## Sources\n\n- [s_001] Title 1 — <https://a1.org/x>, published 2024-05-01\n"
        f'  - "{QUOTE}" (line 3; supports c_001)\n'
    )


@pytest.mark.parametrize(
    ("objective", "heading"),
    [
        ("# Is it *so*\n## or <b>not</b>?", r"# # Is it \*so\* ## or \<b\>not\</b\>?"),
        ("What is C#", r"# What is C\#"),
        ("How many " + "very " * 60 + "long bridges?", "# How many " + "very " * 37 + "very…"),
        ("Is [x](javascript:alert) \u202eit?", r"# Is \[x\](javascript\:alert) it?"),
    ],
)
def test_render_heads_the_report_with_the_objective(objective: str, heading: str) -> None:
    """One line whatever was asked: escaped once, and cut at a word with an ellipsis."""
    state = a_state(V)
    text = render(replace(state, run=replace(state.run, objective=objective)), "It was opened [c_001].")
    assert text.split("\n\n")[0] == heading


def test_render_quotes_a_row_as_it_reads() -> None:
    """The cells of a table's row stand between plain pipes; everything else of a quote is escaped."""
    state = a_state(V)
    claim = state.ledger.claims[ClaimId("c_001")]
    link = replace(claim.links[0], quote="| *Inês* | Office manager \\ | 2019 |")
    state = replace(state, ledger=state.ledger.with_claim(replace(claim, links=(link,))))
    assert '  - "\\*Inês\\* | Office manager \\\\ | 2019" (' in render(state, "It was opened [c_001].")


def test_render_names_what_stands_against_a_refuted_claim() -> None:
    """The live claims that contradict it, and a quote once with all that it supports."""
    state = a_state(V, R)
    against = ClaimLink(claim_id=ClaimId("c_001"), other_id=ClaimId("c_002"), kind=Stance.CONTRADICTS)
    claims = state.ledger.claims
    both = replace(claims[ClaimId("c_002")], links=claims[ClaimId("c_001")].links)
    state = replace(state, ledger=state.ledger.with_link(against).with_claim(both))
    text = render(state, "## Summary\n\nIt was opened [c_001].\n\n## Contradictions\n\n- It was not [c_002].\n")
    assert "- [c_002] REFUTED, 1 independent origin, not challenged, against it c_001: " in text
    assert text.count(QUOTE) == 1
    assert "supports c_001, c_002)" in text


def test_render_repeats_no_value_that_the_claim_says() -> None:
    """A datapoint's value stands beside its text only where the text lacks it."""
    state = a_state(V)
    claim = state.ledger.claims[ClaimId("c_001")]
    for value, shown in (("1", False), ("1932", True)):
        one = replace(state, ledger=state.ledger.with_claim(replace(claim, value=value, unit="metres")))
        assert (f"({value} metres)" in render(one, "It was opened [c_001].")) is shown


def test_render_tells_what_a_reader_must_know() -> None:
    """The demo world, the breaker with what is still open, and what code repaired."""
    state = replace(open_ends(), run=a_run(demo=True), ending=StopReason.COST, repaired=True)
    notices = render(state, "It was opened [c_001].", ("Removed c_099, which does not exist.",)).split(
        "## Notices\n\n"
    )[1]
    assert notices == (
        f"- {DEMO}\n- The investigation was cut short by `breaker:cost`. Still open: q_004.\n"
        "- Code repaired the text of this report:\n  - Removed c_099, which does not exist.\n"
    )
    assert "## Notices" not in render(a_state(V), "It was opened [c_001].")


def test_render_lists_every_page_of_the_simple_loop() -> None:
    """Its text cites nothing; what was fetched is listed all the same."""
    state = replace(a_state(V, V), run=a_run(loop=Loop.SIMPLE))
    assert render(state, "It was 1932.").count("— <https://a") == 2


LIVE = re.compile(r"(?<!\\)(?:\\\\)*(?:<[A-Za-z/!?](?!ttps?://[^<>\s]+>)|!\[|\]\()")


@pytest.mark.parametrize(
    "payload",
    [
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "![x](https://evil.example/?q=1)",
        "[x](javascript:alert(1))",
        "\\<img src=x>",
        "\\\\<img src=x>",
        "\n\n# Heading\n",
        "| a | b |\n|---|---|",
        "\n```\n",
        "[s_001]: https://evil.example",
        "<!-- ",
        "\\![x](https://evil.example)",
        "[a [b]](https://evil.example)",
        "</td></tr>",
        "`<b>`",
        "x\n    <img src=x>",
        "$$\\require{x}$$",
        "<https://evil.example>",
        "[x]\n(https://evil.example)",
        "- <svg/onload=alert(1)>",
    ],
)
def test_render_shows_hostile_text_as_text(payload: str) -> None:
    """Nothing from outside, nor the model's own text, becomes a link, an image, HTML or a heading of the report."""
    state = a_state(V, text="It is so " + payload.replace("{", "").replace("}", ""))
    source = replace(state.ledger.sources["s_001"], title=payload, url="https://a.org/" + payload, published=payload)
    link = replace(state.ledger.claims["c_001"].links[0], quote=payload)
    ledger = state.ledger.with_source(source).with_claim(
        replace(state.ledger.claims["c_001"], links=(link,), note=payload)
    )
    text = render(replace(state, ledger=ledger), f"It was opened [c_001] {payload}", (payload,))
    outside = re.sub(r"(?ms)^```.*?^```$", "", text)
    assert not LIVE.search(outside), LIVE.search(outside)
    appended = text.split("## Status of the claims")[1]
    assert re.findall(r"(?m)^#+ .*", appended) == ["## Sources", "## Notices"]
    assert not re.search(r"(?m)^(\||```)|(?<!\\)\$\$", appended)
    assert not re.search(r"https?://evil", re.sub(r"<https://a\.org[^>\s]*>", "", outside))


def test_render_keeps_links_to_pages_that_were_read() -> None:
    """The model may point to a page of the run; any other address is shown without a link."""
    text = render(a_state(V), "See [it](https://a1.org/x) and [that](https://b.org/y), https://a1.org/x [c_001].")
    assert "[it](https://a1.org/x)" in text
    assert "that (https\\://b.org/y), https://a1.org/x [c_001]" in text
