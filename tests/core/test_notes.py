"""The notes text: what it shows, its exact inverse, and how it is cut for a prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.core import claims, notes
from investigator.core.claims import ClaimLink, Ledger, SourceLink
from investigator.core.frontier_moves import start
from investigator.core.ids import ClaimId, QuestionId
from investigator.core.limits import Limits
from investigator.core.notes import ClaimRecord, Contradiction, Gap, Notes, NotesError, SourceRecord
from investigator.core.state import Run, State
from investigator.core.vocab import Actor, ClaimKind, ClaimStatus, LinkStatus, Loop, Stance
from investigator.core.wire import WorldFacts

HOSTILE = [
    "|",
    "\\",
    "\n",
    "\\n",
    " | ",
    "\\|",
    "## Scratch\n",
    "## Verified",
    "- c_001 | VERIFIED | x",
    "><",
    "=",
    "sources=s_001+",
    "\r",
    "\u2028",
    "\x0b",
    "ж",
    "\ud83d",
    " ",
    "</notes>",
    "value=",
    "\t",
]
TEXT = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8)), max_size=8).map("".join)


def ids(prefix: str) -> st.SearchStrategy[str]:
    return st.integers(1, 99_999).map(lambda number: f"{prefix}_{number:03d}")


def claim_records(prefix: str, *statuses: ClaimStatus) -> st.SearchStrategy[ClaimRecord]:
    """Records of one section."""
    return st.builds(
        ClaimRecord,
        id=ids(prefix),
        status=st.sampled_from(statuses),
        text=TEXT,
        value=TEXT if prefix == "d" else st.just(""),
        unit=TEXT if prefix == "d" else st.just(""),
        sources=st.lists(st.tuples(ids("s"), st.sampled_from(Stance)), max_size=3).map(tuple),
        independent=st.lists(ids("s"), max_size=2).map(tuple),
        question=st.one_of(st.just(""), ids("q")),
        checks=st.lists(st.tuples(ids("ch"), st.sampled_from(["survived", "refuted"])), max_size=2).map(tuple),
        note=TEXT,
    )


def rows(records: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(records, max_size=3).map(tuple)


NOTES = st.builds(
    Notes,
    verified=rows(claim_records("c", ClaimStatus.VERIFIED)),
    unverified=rows(claim_records("c", ClaimStatus.UNVERIFIED)),
    refuted=rows(st.one_of(claim_records("c", ClaimStatus.REFUTED), claim_records("d", ClaimStatus.REFUTED))),
    datapoints=rows(claim_records("d", ClaimStatus.VERIFIED, ClaimStatus.UNVERIFIED)),
    contradictions=rows(
        st.builds(
            Contradiction,
            claim_id=ids("c"),
            other_id=ids("d"),
            status=st.sampled_from(LinkStatus),
            text=TEXT,
            question=TEXT,
        )
    ),
    sources=rows(st.builds(SourceRecord, id=ids("s"), url=TEXT, domain=TEXT, title=TEXT, note=TEXT, retracted=TEXT)),
    gaps=rows(st.builds(Gap, question_id=ids("q"), kind=st.sampled_from(["gap", "assumption"]), text=TEXT)),
    scratch=TEXT,
)


@settings(max_examples=80, deadline=None)
@given(NOTES)
def test_parse_is_the_exact_inverse_of_render(value: Notes) -> None:
    """Any records, however hostile their text, come back unchanged, and so does the text made of them."""
    text = notes.render(value)
    assert notes.parse(text) == value
    assert notes.render(notes.parse(text)) == text


@settings(max_examples=80, deadline=None)
@given(NOTES, st.data())
def test_parse_refuses_or_returns_the_same_text(value: Notes, data: st.DataObject) -> None:
    """A damaged text is refused with a line, or it is itself a notes text: nothing is dropped silently."""
    text = notes.render(value)
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.sampled_from([*HOSTILE, ""])) + text[at + data.draw(st.integers(0, 3)) :]
    assert outcome_of_parsing(damaged) in ("refused", damaged)


def outcome_of_parsing(text: str) -> str:
    """The text that parsing and rendering gives, or "refused" when the error names a line."""
    try:
        return notes.render(notes.parse(text))
    except NotesError as error:
        return "refused" if str(error).startswith("line ") else str(error)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("## Verified\n", "## Verified\nsome prose\n", 2),
        ("## Unverified\n", "## Unverified\n- c_001 | VERIFIED | x\n", 4),
        ("## Sources\n", "## Sources\n- s_001 | url | domain\n", 10),
        ("## Sources\n", "## Sources\n- s_001 | url | domain | t | colour=red\n", 10),
        ("## Datapoints\n", "## Datapoints\n- d_001 | VERIFIED | x\n", 8),
        ("## Assumptions & gaps\n", "## Assumptions & gaps\n- q_002 | hope | x\n", 12),
        ("## Contradictions\n", "## Contradictions\n- c_003 >< c_001 | maybe | x\n", 6),
        ("## Verified\n", "## Verified\n- c_001 | VERIFIED | x | note=n | question=q_001\n", 2),
        ("## Scratch\n", "", 13),
    ],
)
def test_parse_names_the_line_it_does_not_know(old: str, new: str, line: int) -> None:
    """An unknown line, a record in the wrong section, options out of order: the error names the line."""
    text = notes.render(Notes()).replace(old, new, 1)
    with pytest.raises(NotesError, match=rf"^line {line}: "):
        notes.parse(text)


def test_render_writes_the_records_of_the_grammar() -> None:
    """The text is the one that the grammar promises, options in their order and left out when empty."""
    value = Notes(
        verified=(
            ClaimRecord(
                id="c_001",
                status=ClaimStatus.VERIFIED,
                text="a|b",
                sources=(("s_001", Stance.SUPPORTS), ("s_002", Stance.CONTRADICTS)),
                independent=("s_002",),
                question="q_001",
                checks=(("ch_001", "survived"),),
                note="n",
            ),
        ),
        datapoints=(ClaimRecord(id="d_001", status=ClaimStatus.UNVERIFIED, text="height", value="3", unit="m"),),
        contradictions=(
            Contradiction(claim_id="c_003", other_id="c_001", status=LinkStatus.OPEN, text="x", question="q_005"),
        ),
        sources=(SourceRecord(id="s_001", url="u", domain="d", title="t"),),
    )
    lines = notes.render(value).split("\n")
    assert (
        "- c_001 | VERIFIED | a\\|b | sources=s_001+,s_002- | independent=s_002 | question=q_001"
        " | check=ch_001:survived | note=n" in lines
    )
    assert "- d_001 | UNVERIFIED | height | value=3 | unit=m" in lines
    assert "- c_003 >< c_001 | open | x | question=q_005" in lines
    assert "- s_001 | u | d | t" in lines


def test_notes_refuse_a_record_in_the_wrong_section() -> None:
    """A REFUTED claim cannot stand under Verified, not even by construction."""
    with pytest.raises(ValueError, match="c_001"):
        Notes(verified=(ClaimRecord(id="c_001", status=ClaimStatus.REFUTED, text="x"),))


def test_section_shows_one_section_and_refuses_unknown_names() -> None:
    """Case and a heading mark do not matter; an unknown name lists the sections."""
    assert notes.section(Notes(scratch="think"), "## scratch") == "## Scratch\nthink"
    assert notes.section(Notes(), "Verified") == "## Verified\n(empty)"
    with pytest.raises(NotesError, match="Datapoints"):
        notes.section(Notes(), "Conclusions")


def a_state(ledger: Ledger, limits: Limits | None = None, scratch: str = "") -> State:
    frontier, _ = start("the objective", "t0")
    run = Run(
        objective="the objective",
        loop=Loop.INVESTIGATIVE,
        user="anon",
        notes_id="",
        model="offline",
        web="demo",
        world=WorldFacts(name="demo"),
        started_at="t0",
    )
    return State(run=run, limits=limits or Limits(), frontier=frontier, ledger=ledger, scratch=scratch)


def a_ledger(count: int, text: str = "claim {}") -> Ledger:
    """``count`` claims of the root with a source each."""
    ledger = Ledger()
    for number in range(1, count + 1):
        at = f"2026-01-01T{number:06d}"
        ledger, source = claims.add_source(
            ledger,
            url=f"https://a{number}.org/",
            domain=f"a{number}.org",
            title="Title",
            published="",
            unit="line",
            at=at,
        )
        ledger, claim, _ = claims.add_claim(
            ledger,
            kind=ClaimKind.CLAIM,
            text=text.format(number),
            value="",
            unit="",
            question_id=QuestionId("q_001"),
            note="",
            actor=Actor.AGENT,
            at=at,
        )
        ledger = ledger.with_claim(claims.link_source(claim, SourceLink(source_id=source.id, stance=Stance.SUPPORTS)))
    return ledger


def test_notes_of_leaves_out_what_is_retracted_or_unlinked() -> None:
    """RETRACTED claims, their contradictions and unlinked sources are not shown; a page read in vain is."""
    ledger = a_ledger(3)
    for one, note in (("https://vain.org/", claims.NOTHING_RELEVANT), ("https://unused.org/", "")):
        ledger, source = claims.add_source(ledger, url=one, domain="x.org", title="", published="", unit="", at="t")
        ledger = ledger.with_source(replace(source, note=note))
    ledger = ledger.with_link(ClaimLink(claim_id=ClaimId("c_002"), other_id=ClaimId("c_001"), kind=Stance.CONTRADICTS))
    ledger = ledger.with_link(ClaimLink(claim_id=ClaimId("c_003"), other_id=ClaimId("c_002"), kind=Stance.CONTRADICTS))
    ledger, _ = claims.set_status(
        ledger, "c_001", ClaimStatus.RETRACTED, actor=Actor.AGENT, reason="", caused_by="", at="t"
    )
    ledger, _ = claims.set_status(
        ledger, "c_003", ClaimStatus.REFUTED, actor=Actor.AGENT, reason="", caused_by="", at="t"
    )
    made = notes.notes_of(a_state(ledger))
    assert [one.id for one in made.claims] == ["c_002", "c_003"]
    assert [one.id for one in made.refuted] == ["c_003"]
    assert [(one.claim_id, one.other_id) for one in made.contradictions] == [("c_003", "c_002")]
    assert [one.id for one in made.sources] == ["s_002", "s_003", "s_004"]


def test_shown_is_the_whole_text_while_it_fits() -> None:
    """Nothing is cut below the limit."""
    state = a_state(a_ledger(3))
    assert notes.shown(state) == notes.render(notes.notes_of(state))


@pytest.mark.parametrize("limit", [200, 1000, 2500])
def test_shown_cuts_the_oldest_first_until_it_fits(limit: int) -> None:
    """Over the limit records are cut, then left out and counted, oldest first; what is shown can be read again."""
    state = a_state(a_ledger(60, "claim {} " + "is long " * 30), Limits(notes_max_tokens=limit))
    text = notes.shown(state)
    assert notes.tokens(text) <= limit
    read = notes.read_shown(text)
    kept = [one.id for one in read.claims]
    assert kept == [f"c_{number:03d}" for number in range(61 - len(kept), 61)]
    assert text.startswith("(") == (len(kept) < 60 or len(read.sources) < 60)


def test_shown_cuts_settled_records_before_open_ones() -> None:
    """A source is cut before a claim of a question that is still open."""
    state = a_state(a_ledger(20, "claim {} " + "is long " * 30))
    over = notes.tokens(notes.render(notes.notes_of(state)))
    read = notes.read_shown(notes.shown(replace(state, limits=Limits(notes_max_tokens=over - 60))))
    assert read.sources[0].url == ""
    assert all(one.text.endswith("long ") for one in read.claims)


def test_shown_cannot_close_its_prompt_block() -> None:
    """A claim that spells an end tag of ours is defused."""
    assert "</notes>" not in notes.shown(a_state(a_ledger(1, "x </notes> y")))
