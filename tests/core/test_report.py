"""The report gate, its repair, the report by code, and what is appended for the reader."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.core import claims
from investigator.core import frontier_moves as moves
from investigator.core.challenges import Challenge
from investigator.core.claims import ClaimLink, Ledger, SourceLink
from investigator.core.frontier import log_attempt
from investigator.core.ids import ChallengeId, ClaimId, QuestionId
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.report import DEMO, check_report, render, repair, written_by_code
from investigator.core.report_text import blocks_of, sentences, text_of
from investigator.core.state import Gap, PageRecord, Run, State
from investigator.core.vocab import (
    Actor,
    AttemptKind,
    ChallengeStatus,
    ClaimKind,
    ClaimStatus,
    Loop,
    Stance,
    StopReason,
    Strategy,
    TargetType,
)
from investigator.core.wire import WorldFacts

V, U, R, X = ClaimStatus.VERIFIED, ClaimStatus.UNVERIFIED, ClaimStatus.REFUTED, ClaimStatus.RETRACTED
QUOTE = "the bridge was opened in 1932 by the mayor"


def a_run(demo: bool = False, loop: Loop = Loop.INVESTIGATIVE) -> Run:
    return Run(
        objective="When was it opened?",
        loop=loop,
        user="anon",
        notes_id="",
        model="offline",
        web="demo",
        world=WorldFacts(name="w", demo=demo),
        started_at="t",
    )


def a_claim(ledger: Ledger, text: str, status: ClaimStatus, quote: str = QUOTE) -> Ledger:
    number = len(ledger.claims) + 1
    ledger, source = claims.add_source(
        ledger,
        url=f"https://a{number}.org/x",
        domain=f"a{number}.org",
        title=f"Title {number}",
        published="2024-05-01",
        unit="line",
        at="t",
    )
    ledger, claim, _ = claims.add_claim(
        ledger,
        kind=ClaimKind.CLAIM,
        text=text,
        value="",
        unit="",
        question_id=QuestionId("q_002"),
        note="",
        actor=Actor.AGENT,
        at="t",
    )
    link = SourceLink(
        source_id=source.id, stance=Stance.SUPPORTS, quote=quote, page_sha256="p", start=4, end=4 + len(quote)
    )
    return ledger.with_claim(replace(claims.link_source(claim, link), status=status))


def a_state(*statuses: ClaimStatus, text: str = "It was opened in year {}.", question: str = "Which year?") -> State:
    """A run with claims c_001, ... of these statuses, all of question q_002, and pages that hold their quotes."""
    ledger = Ledger()
    for number, status in enumerate(statuses, 1):
        ledger = a_claim(ledger, text.format(number), status)
    state = State(run=a_run(), limits=Limits(), frontier=moves.start("When was it opened?", "t")[0], ledger=ledger)
    page = PageRecord(
        sha256="p",
        url="https://a1.org/x",
        source_id="s_001",
        domain="a1.org",
        title="t",
        published="",
        unit="line",
        text="a\nb\n" + QUOTE,
    )
    return add(replace(state, pages={"p": page}), question)


def add(state: State, text: str, depends_on: tuple[str, ...] = ()) -> State:
    made = moves.add(
        state.frontier,
        parent_id="q_001",
        text=text,
        actor=Actor.AGENT,
        depends_on=depends_on,
        limits=state.limits,
        at="t",
    )
    assert not isinstance(made, Refusal), made
    return replace(state, frontier=made[0])


def resolve(state: State, question_id: str, answer: str, *claim_ids: str) -> State:
    made = moves.resolve(
        state.frontier,
        question_id,
        answer=answer,
        claim_ids=claim_ids,
        waivers={},
        actor=Actor.HUMAN,
        caused_by="",
        at="t",
    )
    assert not isinstance(made, Refusal), made
    return replace(state, frontier=made[0])


def exhaust(state: State, question_id: str, assumption: str) -> State:
    """Select the question and make it unresolvable."""
    frontier, limits = state.frontier, Limits(max_attempts=1)
    for query in ("one query", "another"):
        if question_id != "q_001":
            taken = moves.select(frontier, worker="w", at="t")
            assert taken is not None
            assert taken[1].id == question_id
            frontier = taken[0]
        made = moves.retry(
            frontier,
            question_id,
            query=query,
            why="nothing",
            assumption=assumption,
            actor=Actor.AGENT,
            limits=limits,
            turn=1,
            at="t",
        )
        assert not isinstance(made, Refusal), made
        frontier = made[0]
    return replace(state, frontier=frontier)


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
        "```\nyear 1932 [c_001]\n```",
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
        ("It was opened [c_001].\n\n```\n## Gaps and assumptions [c_001]\n```\nIt is long.", "No claim is cited: “It is long.”"),
        ("It was opened [c_001]. See [s_001] for it.", "No claim is cited: “See [s_001] for it.”"),
        ("It was opened [c_001]. See c_001 for it.", "No claim is cited: “See c_001 for it.”"),
        ("It was opened [c_001]. It is longer [c_002].", 'c_002 is UNVERIFIED and the sentence must say "unverified"'),
        ("It was opened [c_001, c_099].", "There is no c_099: “It was opened [c_001, c_099].”"),
        ("It was opened [c_001]. ## [s_099]", "There is no s_099"),
        ("It was opened [c_001].\n\n## Gaps and assumptions\n\nAs d_001 says.", "There is no d_001"),
        ("It was opened in 1933 [c_001, c_003].", 'c_003 may stand only under "## Contradictions"'),
        ("It was opened [c_001].\n\n## Gaps and assumptions\n\nSee [c_004].", 'c_004 may stand only under "## Contradictions"'),
        ("It was opened [c_001].\n\n## Contradictions\n\n## Details\n\nNo [c_003].", 'c_003 may stand only under "## Contradictions"'),
        ("## Gaps and assumptions\n\nNothing is known.", "The report cites no claim"),
        ("It was opened [c_001].\n\n## Sources\n\n- [s_001] a page", "Leave out the list of sources"),
        ("# " + "It is a long claim in a heading " * 5 + "\n\nIt was opened [c_001].", "No claim is cited: “It is a long claim"),
    ],
)  # fmt: skip
def test_the_gate_quotes_what_fails(text: str, fault: str) -> None:
    """The one fault of each text is named with the sentence."""
    faults = check_report(a_state(V, U, R, X), text)
    assert len(faults) == 1, faults
    assert faults[0].startswith(fault)


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


def open_ends() -> State:
    """q_002 unresolvable, q_003 blocked by it, q_004 pending."""
    state = add(exhaust(a_state(V), "q_002", "It is old."), "What does it depend on?", ("q_002",))
    state = replace(state, frontier=moves.reblock(state.frontier, at="t")[0])
    return add(state, "What is left?")


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


def test_repair_uses_the_sections_that_are_there() -> None:
    """Moved sentences and missing gaps go to the end of their sections, not into new ones."""
    state = exhaust(a_state(V, R), "q_002", "It is old.")
    text, _ = repair(
        state,
        "It is so [c_001]. Not so [c_002].\n\n## Contradictions\n\n- One [c_002].\n\n## Gaps and assumptions\n\n- cost\n",
    )
    assert text.split("\n\n")[2:] == [
        "- One [c_002].\n- Not so [c_002].", "## Gaps and assumptions", "- cost\n- q_002: Which year? — not found out; assumed: It is old.\n",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "  \n", "***", "I am sorry, I cannot do that."])
def test_repair_of_a_useless_report_still_tells_what_was_found(text: str) -> None:
    """With claims at hand no report is empty of them."""
    repaired, changes = repair(resolve(a_state(V), "q_002", "In year 1.", "c_001"), text)
    assert "[c_001]" in repaired
    assert changes


STATES = (
    a_state(), a_state(V), a_state(U), a_state(R), a_state(V, U, R, X), open_ends(), replace(open_ends(), ending=StopReason.TOKENS),
    resolve(a_state(V, U, R, X, text="x. y [c_003] {}\n# Contradictions\n- z"), "q_002", "A b c. [c_003] D e f? # Gaps\n\n- g [c_099]", "c_001"),
    a_state(U, R, question="## Contradictions [c_002] d_009"),
)  # fmt: skip
PIECES = ["[c_001]", "[c_002, s_001]", "[c_003]", "[c_099]", " c_004 ", "[q_002]", "## Contradictions\n", "# Gaps and assumptions\n",
          "### Sources\n", "\n", "\n\n", "- ", "1. ", "> ", "| a | b |\n", "|---|---|\n", "```\n", "~~~\n", "**b**", ". ", "? ", "! ", "…",
          "word ", "It is so", "unverified ", "(unsupported)", "No evidence found", "# ", "    # ", "\\", "[", "]", "(", ")", "e.g. ", "|",
          "<b>", "\r", "\x0c", "\u2028", "。", "===\n", "---\n", "[c_003](", "_", "*", "`", "x: ", "\t", "\u202e"]  # fmt: skip
HOSTILE = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=25).map("".join)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(STATES), HOSTILE)
def test_a_repaired_report_passes_the_gate(state: State, text: str) -> None:
    """Whatever the text and whatever the state: a gate never destroys work, and never lets through what it refuses."""
    repaired, changes = repair(state, text)
    assert check_report(state, repaired) == ()
    assert bool(changes) == (repaired != text)


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


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_blocks_read_the_same_after_they_are_written(text: str) -> None:
    """Writing blocks back changes no sentence and no section."""
    once = text_of(blocks_of(text))
    assert text_of(blocks_of(once)) == once
    assert said(once) == said(text)


def said(text: str) -> list[tuple[str, str]]:
    """Every sentence with its section."""
    return [(one.section, sentence) for one in blocks_of(text) if one.asserts for sentence in one.sentences()]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It cost 1.5 m in the U.S. in 1932.", 1), ("See Fig. 3 and No. 4, i.e. both.", 1), ("Dr. J. R. Who came. He left.", 2),
        ("Is it? Yes it is! So be it…", 3), ("It is so. [c_001] It is not. [c_002]", 2), ("**Cost.** It was high.", 1),
        ("Firms etc. were there. They left.", 2), ("Zeit (2020) vs. Welt (2021).", 1), ("这是真的。那是假的。", 2),
        ("He said “no.” Then he left.", 2), ("See example.org for more.", 1), ("Wait... what is it?", 1),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_would_say(text: str, count: int) -> None:
    """Not at abbreviations, initials, decimals or ids."""
    assert len(sentences(text)) == count, sentences(text)


# By code, and rendered


def test_written_by_code_cites_every_sentence_of_the_answers() -> None:
    """Summary, details by question, contradictions with both sides, gaps."""
    state = resolve(a_state(V, U, R), "q_002", "It was opened in 1932. The mayor did it.", "c_001")
    state = exhaust(
        resolve(add(state, "What did it cost?"), "q_001", "It was 1932.", "c_001", "c_002"), "q_003", "It was cheap."
    )
    ledger = state.ledger.with_link(
        ClaimLink(claim_id=ClaimId("c_003"), other_id=ClaimId("c_001"), kind=Stance.CONTRADICTS)
    )
    refuted = Challenge(id=ChallengeId("ch_001"), target_type=TargetType.CLAIM, claim_id="c_003", belief="b", strategy=Strategy.COUNTEREXAMPLE,
                        negation="n", expected_if_false=("e",), query="q", status=ChallengeStatus.CLOSED, outcome="refuted",
                        evidence="The register says 1932. It is signed.", source_ids=("s_001",))  # fmt: skip
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
    frontier, _ = log_attempt(state.frontier, QuestionId("q_002"), AttemptKind.SEARCH, "bridge opening year", "web_search",
                              outcome="no results", turn=1, at="t")  # fmt: skip
    text = written_by_code(exhaust(replace(state, frontier=frontier), "q_001", "It is unknown."))
    assert text.startswith("## Summary\n\nNo evidence found")
    assert "tried: “bridge opening year”" in text
    assert "- q_001: When was it opened? — not found out; assumed: It is unknown." in text
    assert "[c_001]" not in text.split("## Contradictions")[0]


def test_render_appends_status_sources_and_quotes() -> None:
    """Each claim with its status, each source with its quoted words, their place and what they are for."""
    text = render(a_state(V, U), "## Summary\n\nIt was opened [c_001].\n")
    assert text == (
        "## Summary\n\nIt was opened [c_001].\n\n"
        "## Status of the claims\n\n- [c_001] VERIFIED, 1 independent origin, not challenged: It was opened in year 1.\n\n"
        "## Sources\n\n- [s_001] Title 1 — <https://a1.org/x>, published 2024-05-01\n"
        f'  - "{QUOTE}" (line 3; supports c_001)\n'
    )


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
        "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "![x](https://evil.example/?q=1)", "[x](javascript:alert(1))",
        "\\<img src=x>", "\\\\<img src=x>", "\n\n# Heading\n", "| a | b |\n|---|---|", "\n```\n", "[s_001]: https://evil.example", "<!-- ",
        "\\![x](https://evil.example)", "[a [b]](https://evil.example)", "</td></tr>", "`<b>`", "x\n    <img src=x>", "$$\\require{x}$$",
        "<https://evil.example>", "[x]\n(https://evil.example)", "- <svg/onload=alert(1)>",
    ],
)  # fmt: skip
def test_render_shows_hostile_text_as_text(payload: str) -> None:
    """Neither a title, url, quote or claim from outside nor the model's own text becomes a link, image, HTML or heading."""
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
