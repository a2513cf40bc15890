"""Hand-built states and hostile texts for the tests of the report."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from investigator.core import claims
from investigator.core import frontier_moves as moves
from investigator.core.claims import Ledger, SourceLink
from investigator.core.ids import QuestionId
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.state import PageRecord, Run, State
from investigator.core.vocab import (
    Actor,
    ClaimKind,
    ClaimStatus,
    Loop,
    Stance,
    StopReason,
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


def open_ends() -> State:
    """q_002 unresolvable, q_003 blocked by it, q_004 pending."""
    state = add(exhaust(a_state(V), "q_002", "It is old."), "What does it depend on?", ("q_002",))
    state = replace(state, frontier=moves.reblock(state.frontier, at="t")[0])
    return add(state, "What is left?")


STATES = (
    a_state(),
    a_state(V),
    a_state(U),
    a_state(R),
    a_state(V, U, R, X),
    open_ends(),
    replace(open_ends(), ending=StopReason.TOKENS),
    resolve(
        a_state(V, U, R, X, text="x. y [c_003] {}\n# Contradictions\n- z"),
        "q_002",
        "A b c. [c_003] D e f? # Gaps\n\n- g [c_099]",
        "c_001",
    ),
    a_state(U, R, question="## Contradictions [c_002] d_009"),
)
PIECES = [
    "[c_001]",
    "[c_002, s_001]",
    "[c_003]",
    "[c_099]",
    " c_004 ",
    "[q_002]",
    "## Contradictions\n",
    "# Gaps and assumptions\n",
    "### Sources\n",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "| a | b |\n",
    "|---|---|\n",
    "```\n",
    "~~~\n",
    "**b**",
    ". ",
    "? ",
    "! ",
    "…",
    "word ",
    "It is so",
    "unverified ",
    "(unsupported)",
    "No evidence found",
    "# ",
    "    # ",
    "\\",
    "[",
    "]",
    "(",
    ")",
    "e.g. ",
    "|",
    "<b>",
    "\r",
    "\x0c",
    "\u2028",
    "。",
    "===\n",
    "---\n",
    "[c_003](",
    "_",
    "*",
    "`",
    "x: ",
    "\t",
    "\u202e",
]
HOSTILE = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=25).map("".join)
