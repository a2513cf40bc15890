"""Effects: rows from values, differences of states, the chain hash, tables from effects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from investigator.core import effects as fx
from investigator.core import frontier_moves as fm
from investigator.core import state as st
from investigator.core.challenges import Challenge
from investigator.core.claims import Claim, ClaimLink, ClaimTransition, Source, SourceLink
from investigator.core.frontier import Attempt
from investigator.core.ids import ChallengeId, ClaimId, QuestionId, SourceId
from investigator.core.limits import Limits
from investigator.core.state import State, StateRow
from investigator.core.vocab import (
    Actor,
    AttemptKind,
    ClaimKind,
    ClaimStatus,
    Loop,
    NotesReason,
    RunState,
    Stance,
    Strategy,
    TargetType,
)
from investigator.core.wire import WorldFacts

AT, LATER = "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:05+00:00"
ROOT = QuestionId("q_001")


@pytest.fixture
def first() -> State:
    """A run that has just been started."""
    run = st.Run(
        objective="why?",
        loop=Loop.INVESTIGATIVE,
        user="ann",
        notes_id="",
        model="m",
        web="w",
        world=WorldFacts(name="demo"),
        started_at=AT,
    )
    frontier, made = fm.start("why?", AT)
    return st.moved(State(run=run, limits=Limits(), frontier=frontier, at=AT, seq=1), frontier, made)


def following(state: State) -> State:
    """The next event begins: another time, an empty journal."""
    return replace(state, at=LATER, seq=state.seq + 1, journal=st.Journal())


def added(state: State, text: str, **how: object) -> State:
    """With one more question below the root."""
    made = fm.add(state.frontier, parent_id="q_001", text=text, actor=Actor.AGENT, limits=Limits(), at=state.at, **how)  # type: ignore[arg-type]
    assert isinstance(made, tuple)
    return st.moved(state, made[0], made[2])


def names(effects: tuple[fx.Effect, ...]) -> list[str]:
    return [one.table for one in effects]


def test_diff_from_nothing_holds_the_run_and_its_root(first: State) -> None:
    """The first event writes the run's row, the root and its creation, in foreign-key order."""
    effects = fx.diff(None, first)
    assert names(effects) == [fx.RUNS, fx.QUESTIONS, fx.TRANSITIONS]
    assert effects[1].row["parent_id"] is None  # type: ignore[union-attr]
    assert effects[2].row["state_seq"] is None  # type: ignore[union-attr]


def test_diff_of_an_event_without_changes_is_the_runs_row_alone(first: State) -> None:
    """Time went by, so updated_at moved; nothing else did."""
    effects = fx.diff(first, following(first))
    assert names(effects) == [fx.RUNS]
    assert effects[0].row["updated_at"] == LATER  # type: ignore[union-attr]


def test_diff_writes_equal_values_not_again(first: State) -> None:
    """A relation that was built anew with equal values makes no effect."""
    again = following(first)
    same = replace(again, frontier=replace(again.frontier, questions=dict(again.frontier.questions)))
    assert names(fx.diff(first, same)) == [fx.RUNS]


def test_diff_puts_a_younger_parent_before_its_child(first: State) -> None:
    """After rewriting, the child is older than its parent; the parent's row comes first all the same."""
    before = added(following(first), "old parent")
    before = st.moved(
        before,
        *fm.add(before.frontier, parent_id="q_002", text="child", actor=Actor.AGENT, limits=Limits(), at=AT)[::2],
    )  # type: ignore[misc]
    after = added(following(before), "new parent")
    after = st.moved(after, *fm.rewrite(after.frontier, "q_002", "q_004", actor=Actor.AGENT, at=LATER))
    written = [one.row["id"] for one in fx.diff(before, after) if isinstance(one, fx.Put) and one.table == fx.QUESTIONS]
    assert after.frontier.questions["q_003"].parent_id == "q_004"
    assert written.index("q_004") < written.index("q_003")


def test_diff_drops_an_edge_that_is_gone(first: State) -> None:
    """A dependency that was taken away is dropped by its key, and a new one is put with the event's time."""
    before = added(added(following(first), "a"), "b", depends_on=("q_002",))
    assert [one.row for one in fx.diff(first, before) if one.table == fx.DEPS] == [  # type: ignore[union-attr]
        {"question_id": "q_003", "depends_on_id": "q_002", "created_at": LATER}
    ]
    after = following(before)
    after = replace(after, frontier=fm.drop_edges(after.frontier, "q_002"))
    assert fx.diff(before, after)[1:] == (fx.Drop(table=fx.DEPS, key=("q_003", "q_002")),)


def test_diff_makes_a_notes_version_only_when_the_text_changed(first: State) -> None:
    """A version carries the whole text, its reason and the row of the states table it belongs to."""
    after = st.noted(st.entered(following(first), RunState.RESEARCHING, "q_001", 1), NotesReason.APPEND)
    assert fx.NOTES_VERSIONS not in names(fx.diff(first, after, "text"))
    version = fx.diff(first, replace(after, notes_seq=1), "text")[-1]
    assert version == fx.Put(
        table=fx.NOTES_VERSIONS,
        row={"seq": 1, "state_seq": 1, "reason": "notes_append", "content": "text", "created_at": LATER},
    )


def test_notes_row_without_a_reason_raises(first: State) -> None:
    """A version that nobody gave a reason is a bug of the caller."""
    with pytest.raises(ValueError, match="no reason"):
        fx.diff(first, replace(following(first), notes_seq=1), "text")


def test_run_row_cost_is_none_as_soon_as_one_is_unknown(first: State) -> None:
    """Zero dollars and unknown dollars are told apart."""
    unknown = replace(first, budget=replace(first.budget, cost_usd=0.5, cost_known=False))
    assert fx.run_row(first)["cost_usd"] == 0.0
    assert fx.run_row(unknown)["cost_usd"] is None


def test_rows_of_links_tell_located_from_not(first: State) -> None:
    """A quote that was not found has no place, instead of the place -1."""
    link = SourceLink(source_id=SourceId("s_001"), stance=Stance.SUPPORTS, created_at=AT)
    assert fx.claim_source_row("c_001", link)["quote_start"] is None
    assert fx.claim_source_row("c_001", replace(link, start=0, end=4))["quote_start"] == 0


def test_chain_differs_with_every_part(first: State) -> None:
    """Another hash before, another order, a put instead of a drop: each gives another hash."""
    put = fx.Put(table=fx.DEPS, row={"question_id": "q_002", "depends_on_id": "q_003", "created_at": AT})
    drop = fx.Drop(table=fx.DEPS, key=("q_002", "q_003"))
    chains = {
        fx.chain("", ()),
        fx.chain("x", ()),
        fx.chain("", (put,)),
        fx.chain("", (drop,)),
        fx.chain("", (put, drop)),
        fx.chain("", (drop, put)),
    }
    assert len(chains) == 6
    assert fx.chain("", (put,)) == fx.chain("", [fx.Put(table=fx.DEPS, row=dict(reversed(put.row.items())))])


def test_chain_takes_any_text(first: State) -> None:
    """Lone surrogates and NUL have a hash too."""
    assert len(fx.chain("", fx.diff(None, replace(first, error="\ud800\x00🧪")))) == 64


def test_rows_have_the_columns_of_their_tables(first: State) -> None:
    """Each row function gives exactly the columns of its table, but those that the store adds."""
    tables = pytest.importorskip("investigator.store.tables")
    claim = Claim(id=ClaimId("c_001"), kind=ClaimKind.CLAIM, text="t", question_id=ROOT)
    link = SourceLink(source_id=SourceId("s_001"), stance=Stance.SUPPORTS)
    rows = {
        fx.RUNS: fx.run_row(first),
        fx.STATES: fx.state_row(StateRow(seq=1, state=RunState.PLANNING, question_id="", turn=1), AT),
        fx.QUESTIONS: fx.question_row(first.frontier.root),
        fx.DEPS: fx.dep_row("q_002", "q_003", AT),
        fx.ATTEMPTS: fx.attempt_row(Attempt(n=1, question_id=ROOT, kind=AttemptKind.SEARCH, query="", tool="")),
        fx.TRANSITIONS: fx.transition_row(first.journal.transitions[0][0], 0, AT),
        fx.SOURCES: fx.source_row(Source(id=SourceId("s_001"), url="u", domain="d")),
        fx.CLAIMS: fx.claim_row(claim),
        fx.CLAIM_SOURCES: fx.claim_source_row("c_001", link),
        fx.CLAIM_LINKS: fx.claim_link_row(ClaimLink(claim_id=claim.id, other_id=claim.id, kind=Stance.SUPPORTS)),
        fx.CLAIM_TRANSITIONS: fx.claim_transition_row(
            ClaimTransition(
                claim_id=claim.id, seq=1, from_status="", to_status=ClaimStatus.UNVERIFIED, actor=Actor.CODE
            ),
            0,
            AT,
        ),
        fx.CHALLENGES: fx.challenge_row(
            Challenge(
                id=ChallengeId("ch_001"),
                target_type=TargetType.CLAIM,
                belief="",
                strategy=Strategy.COUNTEREXAMPLE,
                negation="n",
                expected_if_false=("e",),
                query="q",
            )
        ),
        fx.CHALLENGE_SOURCES: {"challenge_id": "ch_001", "source_id": "s_001"},
        fx.NOTES_VERSIONS: fx.notes_row(st.noted(first, NotesReason.UPDATE), ""),
    }
    assert list(rows) == list(fx.PRIMARY_KEYS)
    added = {fx.RUNS: {"id"}, fx.ATTEMPTS: {"run_id", "id"}, fx.CHALLENGES: {"run_id", "attempt_id"}}
    for name, row in rows.items():
        columns = set(tables.metadata.tables[name].columns.keys())
        assert set(row) == columns - added.get(name, {"run_id"}), name
