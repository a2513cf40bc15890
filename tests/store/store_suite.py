"""What every backend of the store must do. A backend's test class says how its stores are opened."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from histories import HOSTILE, all_effects, at, history, started
from sqlalchemy import text
from store_base import StoreCase

from investigator.core import effects as fx
from investigator.core import events as log
from investigator.core.limits import Limits
from investigator.core.vocab import Loop, TurnKind
from investigator.core.wire import Failure, Hit, Hits, ToolCall, Usage, WorldFacts
from investigator.errors import CorruptLog, RunNotFound, SequenceConflict, StoreError, UnknownName
from investigator.store import Entry, Store
from investigator.store.tables import metadata

NASTY = "".join(HOSTILE)
PAGE = log.PageSeen(
    url="https://x.org/" + NASTY, canonical_url="u", domain="x.org", title=NASTY, sha256="a" * 64, links=(NASTY,)
)
MEGABYTE = (NASTY + "x" * 100) * 7000

EVENTS: tuple[log.Event, ...] = (
    log.RunStarted(
        at=at(1),
        objective=NASTY,
        loop=Loop.SIMPLE,
        limits=Limits(max_cost_usd=0.5),
        user=NASTY,
        world=WorldFacts(name="w", pages=3),
        options={"k": NASTY},
    ),
    log.RunForked(at=at(2), parent_run=7, parent_turn=3, notes_id="f" * 32, limits=Limits.narrow(), model=NASTY),
    log.SettingsChanged(at=at(3), limits=Limits(max_depth=2), options={"": NASTY}),
    log.TurnOpened(
        at=at(4), worker="w", turn=1, turn_kind=TurnKind.PLANNING, sections={"notes": 3}, reserved_cost=0.25
    ),
    log.ModelReplied(
        at=at(5),
        worker="w",
        turn=1,
        text=NASTY,
        calls=(ToolCall(id="", name=NASTY, arguments="{" + NASTY),),
        usage=Usage(input_tokens=3, cost_usd=None, estimated=True),
    ),
    log.ModelFailed(at=at(6), worker="w", turn=1, failure="lost", message=NASTY),
    log.Observed(
        at=at(7), worker="w", turn=1, position=0, hits=Hits(hits=(Hit(url=NASTY, snippet=NASTY),), provider="p")
    ),
    log.Observed(at=at(8), worker="w", turn=1, position=1, page=PAGE, text=MEGABYTE),
    log.Observed(at=at(9), worker="w", turn=1, position=2, page=replace(PAGE, sha256="b" * 64), text=""),
    log.Observed(at=at(10), worker="w", turn=1, position=3, failure=Failure(kind="timeout", message=NASTY)),
    log.HumanActed(at=at(11), act=1, tool="web_search", arguments=NASTY, user=NASTY),
    log.WorkerLost(at=at(12), worker="w", by="v"),
    log.RunResumed(at=at(13), worker="w", package_version="1"),
    log.RunStopped(at=at(14), reason="paused", error=NASTY),
)


class StoreSuite(StoreCase):
    """One store, one process. Subclass it with `url`; the subclass is collected by pytest."""

    def test_events_come_back_as_they_were(self, store: Store) -> None:
        """Every kind of event, with surrogates, NUL, emoji and a large page, survives the database."""
        run_id = self.begin(store, started(NASTY, NASTY))
        for seq, event in enumerate(EVENTS, 2):
            store.append(run_id, seq, event, (), f"chain {seq}", turn=seq, worker=NASTY)
        found = list(store.events(run_id, after=1))
        assert {one.kind for one in EVENTS} == set(log.KINDS)
        assert [one.event for one in found] == list(EVENTS)
        assert [one.seq for one in found] == list(range(2, len(EVENTS) + 2))
        assert found[0].worker == NASTY
        assert found[-1].chain == f"chain {len(EVENTS) + 1}"
        assert found[0].at.isoformat() == at(1)
        assert store.run_row(run_id)["objective"] == NASTY

    def test_events_are_read_in_pieces_without_a_seam(self, store: Store) -> None:
        """A log longer than one query holds comes back whole, from any place."""
        run_id = self.begin(store)
        event = log.RunStopped(at=at(5))
        for seq in range(2, 1004):
            store.append(run_id, seq, event, (), "", turn=0, worker="")
        assert [one.seq for one in store.events(run_id)] == list(range(1, 1004))
        assert [one.seq for one in store.events(run_id, after=503)] == list(range(504, 1004))

    def test_page_text_is_stored_once(self, store: Store) -> None:
        """The second event that brings the same page adds no text and reads the first."""
        run_id = self.begin(store)
        for seq in (2, 3):
            store.append(run_id, seq, replace(EVENTS[7], at=at(seq)), (), "", turn=1, worker="w")
        assert [one.event.text for one in store.events(run_id, after=1)] == [MEGABYTE, MEGABYTE]  # type: ignore[attr-defined]
        assert len(store.rows(run_id, "gb_agent_pages")) == 1
        assert MEGABYTE[:9000] not in store.rows(run_id, "gb_agent_events")[-1]["payload"]

    def test_lost_race_writes_nothing(self, store: Store) -> None:
        """A number that is taken raises, and neither page nor effect of the loser is there."""
        steps = history([(0, 0, 0), (0, 0, 1)])
        run_id = self.write(store, steps)
        before = self.snapshot(store, run_id)
        late = replace(EVENTS[7], at=at(9))
        with pytest.raises(SequenceConflict, match="event 3 of run"):
            store.append(
                run_id, 3, late, fx.diff(None, replace(steps[-1].state, error="lost")), "x", turn=9, worker="w"
            )
        assert self.snapshot(store, run_id) == before

    def test_gap_in_the_log_is_refused(self, store: Store) -> None:
        """An event far behind the last is a bug of the caller; nothing is written."""
        run_id = self.begin(store)
        with pytest.raises(StoreError, match="would leave a gap"):
            store.append(run_id, 9, EVENTS[-1], (), "", turn=0, worker="")
        assert store.last_seq(run_id) == 1

    def test_nth_effect_fails_and_nothing_stays(self, store: Store) -> None:
        """Whichever effect of an event fails, event, page and the other effects are absent; the next try succeeds."""
        numbers = [(0, 0, 5), (0, 1, 6), (12, 0, 0), (13, 3, 4), (22, 1, 1), (23, 2, 2)]
        steps = history(numbers)
        run_id = self.begin(store, steps[0])
        event = EVENTS[7]
        effects = [one for step in steps[1:] for one in step.effects]
        before = self.snapshot(store, run_id)
        bad = fx.Put(
            table=fx.STATES,
            row={"seq": 1, "state": "dancing", "question_id": "", "turn": 0, "detail": "", "created_at": at(1)},
        )
        for n in range(len(effects) + 1):
            with pytest.raises(StoreError, match="refused a row"):
                store.append(run_id, 2, event, [*effects[:n], bad, *effects[n:]], "x", turn=1, worker="w")
            assert self.snapshot(store, run_id) == before
        store.append(run_id, 2, event, effects, "x", turn=1, worker="w")
        assert store.verify_tables(run_id, fx.tables(all_effects(steps))) == []

    @pytest.mark.parametrize(
        ("table", "changes"),
        [
            (fx.TRANSITIONS, {"to_status": "unknown"}),
            (fx.TRANSITIONS, {"trigger": "magic"}),
            (fx.TRANSITIONS, {"actor": "nobody"}),
            (fx.TRANSITIONS, {"seq": 0}),
            (fx.TRANSITIONS, {"from_status": ""}),
            (fx.TRANSITIONS, {"from_status": "pending"}),
            (fx.TRANSITIONS, {"question_id": "q_999"}),
            (fx.NOTES_VERSIONS, {"seq": 0}),
            (fx.NOTES_VERSIONS, {"reason": "whim"}),
            (fx.QUESTIONS, {"parent_id": "q_999"}),
            (fx.QUESTIONS, {"status": "done"}),
            (fx.QUESTIONS, {"kind": "joke"}),
            (fx.QUESTIONS, {"priority": 1.5}),
            (fx.QUESTIONS, {"depth": -1}),
            (fx.CLAIMS, {"status": "MAYBE"}),
            (fx.CLAIMS, {"question_id": "q_999"}),
            (fx.CLAIM_SOURCES, {"stance": "meh"}),
            (fx.CLAIM_SOURCES, {"source_id": "s_999"}),
            (fx.CHALLENGES, {"strategy": "shouting"}),
            (fx.CHALLENGES, {"negation": ""}),
            (fx.CHALLENGES, {"outcome": "survived"}),
            (fx.CHALLENGES, {"claim_id": None}),
            (fx.CHALLENGES, {"claim_id": "c_999"}),
            (fx.DEPS, {"depends_on_id": "q_002"}),
            (fx.RUNS, {"status": "asleep"}),
            (fx.RUNS, {"phase": "x"}),
            (fx.RUNS, {"stop_reason": "x"}),
            (fx.RUNS, {"loop": "x"}),
        ],
    )
    def test_rows_outside_the_rules_are_refused(self, store: Store, table: str, changes: dict[str, object]) -> None:
        """Vocabularies, ranges and references are checked by the database itself; the good row is taken."""
        at1 = at(1)
        good: dict[str, dict[str, object]] = {
            fx.TRANSITIONS: {
                "question_id": "q_001",
                "seq": 2,
                "from_status": "in_progress",
                "to_status": "pending",
                "trigger": "retry",
                "actor": "agent",
                "reason": "",
                "priority": 0.5,
                "attempts": 1,
                "caused_by": "",
                "state_seq": None,
                "created_at": at1,
            },
            fx.NOTES_VERSIONS: {"seq": 1, "state_seq": None, "reason": "restore", "content": "", "created_at": at1},
            fx.QUESTIONS: {
                **fx.question_row(started().state.frontier.root),
                "id": "q_003",
                "seq": 3,
                "parent_id": "q_001",
            },
            fx.DEPS: {"question_id": "q_002", "depends_on_id": "q_001", "created_at": at1},
            fx.RUNS: dict(fx.run_row(started().state)),
        }
        steps = history([(0, 0, 1), (13, 0, 0), (19, 0, 0)])
        tables = fx.tables(all_effects(steps))
        for name in (fx.CLAIMS, fx.CLAIM_SOURCES, fx.CHALLENGES):
            good[name] = dict(next(iter(tables[name].values())))
        run_id = self.write(store, steps)
        seq = len(steps) + 1
        bad = fx.Put(table=table, row={**good[table], **changes})  # type: ignore[dict-item]
        with pytest.raises(StoreError, match="refused a row"):
            store.append(run_id, seq, EVENTS[-1], [bad], "", turn=0, worker="")
        store.append(run_id, seq, EVENTS[-1], [fx.Put(table=table, row=good[table])], "", turn=0, worker="")  # type: ignore[arg-type]

    def test_number_that_does_not_fit_is_an_error_of_the_store(self, store: Store) -> None:
        """What the driver raises by itself is told as a sentence too."""
        run_id = self.begin(store)
        with pytest.raises(StoreError):
            store.append(run_id, 2, EVENTS[-1], (), "", turn=10**30, worker="")
        assert store.last_seq(run_id) == 1

    def test_attempt_of_a_challenge_is_linked_by_its_number(self, store: Store) -> None:
        """attempt_id is filled from attempt_n, in a fork with the fork's own attempt."""
        steps = history([(12, 0, 0), (12, 0, 1), (13, 1, 1), (20, 0, 2)])
        self.begin(store)
        run_id = self.write(store, steps)
        copy = store.copy_prefix(run_id, len(steps), all_effects(steps))
        ids = []
        for one in (run_id, copy):
            challenge = store.rows(one, fx.CHALLENGES)[0]
            assert challenge["attempt_n"] == 2
            ids.append({row["id"]: row["n"] for row in store.rows(one, fx.ATTEMPTS)}[challenge["attempt_id"]])
        assert ids == [2, 2]

    def test_unknown_run_is_named_with_how_to_list(self, store: Store) -> None:
        """Reading, appending, deleting and holding a run that is not there say so."""
        for call in (
            lambda: store.run_row(99),
            lambda: store.events(99),
            lambda: store.append(99, 1, EVENTS[0], (), "", turn=0, worker=""),
            lambda: store.delete(99),
            lambda: store.hold(99, "w", "h", 1, 10),
            lambda: store.copy_prefix(99, 1, started().effects),
            lambda: store.verify_tables(99, {}),
        ):
            with pytest.raises(RunNotFound, match=r"no run 99 .* `investigator runs`"):
                call()

    def test_delete_takes_everything_of_the_run_and_nothing_else(self, store: Store) -> None:
        """After a deletion no table holds a row of the run; another run is untouched."""
        steps = history([(n, n, n) for n in range(26)])
        kept, gone = self.write(store, steps), self.write(store, steps)
        store.hold(gone, "w", "h", 1, 10)
        before = self.snapshot(store, kept)
        store.delete(gone)
        assert self.snapshot(store, kept) == before
        assert all(not rows for rows in self.snapshot(store, gone).values())

    def test_cascade_takes_the_same_rows(self, store: Store) -> None:
        """Deleting the run's row alone, as any other program would, leaves nothing behind."""
        run_id = self.write(store, history([(n, n, n) for n in range(26)]))
        with store._writing() as connection:
            connection.execute(text(f"DELETE FROM {fx.RUNS}"))
        assert all(not rows for rows in self.snapshot(store, run_id).values())

    def test_ids_of_deleted_runs_are_not_given_again(self, store: Store) -> None:
        """A number that somebody noted never means another run."""
        first = self.begin(store)
        store.delete(first)
        assert self.begin(store) != first

    def test_copy_prefix_is_a_run_of_its_own(self, store: Store) -> None:
        """A fork holds the events and pages up to its place, the same hashes, and what follows, at once."""
        steps = history([(0, 0, 1), (22, 1, 1), (0, 0, 2), (0, 0, 3)])
        run_id = self.write(store, steps)
        store.append(run_id, 6, EVENTS[7], (), "p", turn=1, worker="w")
        store.append(run_id, 7, replace(EVENTS[8], at=at(9)), (), "q", turn=1, worker="w")
        forked = Entry(
            event=EVENTS[1],
            effects=[fx.Put(table=fx.RUNS, row={**fx.run_row(steps[-1].state), "parent_run": run_id})],
            chain="f",
        )
        new = store.copy_prefix(run_id, 6, all_effects(steps), [forked])
        old_log, new_log = list(store.events(run_id)), list(store.events(new))
        assert new_log[:6] == old_log[:6]
        assert [one.event for one in new_log[6:]] == [EVENTS[1]]
        assert [row["sha256"] for row in store.rows(new, "gb_agent_pages")] == ["a" * 64]
        assert store.run_row(new)["parent_run"] == run_id
        assert store.latest_notes(new) == store.latest_notes(run_id) == steps[2].notes
        store.delete(run_id)
        assert list(store.events(new)) == new_log

    def test_copy_prefix_beyond_the_log_copies_nothing(self, store: Store) -> None:
        """A place that is not in the log is an error and leaves no run behind."""
        first = started()
        run_id = self.begin(store, first)
        with pytest.raises(StoreError, match="no event 5"):
            store.copy_prefix(run_id, 5, first.effects)
        assert [row["id"] for row in store.runs()] == [run_id]

    def test_verify_names_each_difference_once(self, store: Store) -> None:
        """A changed value, a missing row and a row too many are one sentence each."""
        steps = history([(0, 0, 1), (0, 0, 2), (13, 0, 0), (13, 1, 1)])
        run_id, expected = self.write(store, steps), fx.tables(all_effects(steps))
        assert store.verify_tables(run_id, expected) == []
        with store._writing() as connection:
            connection.execute(text(f"UPDATE {fx.QUESTIONS} SET priority = 0.123 WHERE id = 'q_002'"))
            connection.execute(text(f"DELETE FROM {fx.CLAIM_TRANSITIONS} WHERE claim_id = 'd_001'"))
            connection.execute(text(f"INSERT INTO {fx.DEPS} VALUES ({run_id}, 'q_002', 'q_003', '{at(1)}')"))
        assert store.verify_tables(run_id, expected) == [
            f"{fx.QUESTIONS} q_002: priority is 0.123 in the table and 0.1 by the log",
            f"{fx.DEPS} q_002 q_003 is in the table; the log does not have it",
            f"{fx.CLAIM_TRANSITIONS} d_001 1 is missing; the log has it",
        ]

    def test_damaged_log_names_its_event(self, store: Store) -> None:
        """A lost event, a torn payload, a page that is gone: each is told with its number."""
        run_id = self.begin(store)
        for seq in (2, 3, 4):
            store.append(run_id, seq, replace(EVENTS[7], at=at(seq)), (), "", turn=0, worker="")
        for damage, message in (
            ("DELETE FROM gb_agent_pages", "page that event 2"),
            ("UPDATE gb_agent_events SET payload = '[1' WHERE seq = 3", "event 3 .* cannot be read"),
            ("DELETE FROM gb_agent_events WHERE seq = 2", "event 2 .* is missing"),
        ):
            with store._writing() as connection:
                connection.execute(text(damage))
            with pytest.raises(CorruptLog, match=message):
                list(store.events(run_id))

    def test_rows_come_in_their_own_order(self, store: Store) -> None:
        """Numbers order ids, not letters; times are aware."""
        steps = history([(0, 0, 2)] * 4)
        run_id = self.write(store, steps)
        rows = store.rows(run_id, fx.QUESTIONS)
        assert [row["id"] for row in rows] == ["q_001", "q_002", "q_003", "q_004", "q_005"]
        assert rows[0]["created_at"].utcoffset() is not None
        assert store.rows(run_id, fx.RUNS) == [store.run_row(run_id)]
        sources = [
            fx.Put(
                table=fx.SOURCES,
                row={
                    "id": one,
                    "url": one,
                    "domain": "",
                    "title": "",
                    "note": "",
                    "published": "",
                    "retracted": "",
                    "created_at": at(1),
                },
            )
            for one in ("s_1000", "s_999", "s_002")
        ]
        store.append(run_id, 6, EVENTS[-1], sources, "", turn=0, worker="")
        assert [row["id"] for row in store.rows(run_id, fx.SOURCES)] == ["s_002", "s_999", "s_1000"]

    def test_columns_are_documented(self, store: Store) -> None:
        """Every table and every column says what it means; an unknown table is named."""
        for name, table in metadata.tables.items():
            assert table.comment
            assert all(store.columns(name).values()), name
        with pytest.raises(UnknownName, match="no table 'users'"):
            store.columns("users")

    def test_append_takes_milliseconds(self, store: Store) -> None:
        """The middle append of a growing run takes less than 20 ms of processor time (about 2)."""
        steps = history([(0, 0, 2), (22, 0, 0), (23, 0, 0)] * 15)
        run_id, taken = self.begin(store, steps[0]), []
        for seq, one in enumerate(steps[1:], 2):
            start = time.process_time()
            store.append(run_id, seq, one.event, one.effects, one.chain, turn=seq, worker="w")
            taken.append(time.process_time() - start)
        assert sorted(taken)[len(taken) // 2] < 0.02
