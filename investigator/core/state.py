"""The state of a run: one immutable value, derived from the log by `loops.machine`.

Knows all values of the core; holds no rule of its own beyond what can be read off the value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from investigator.core.challenges import Challenge
from investigator.core.claims import Claim, ClaimTransition, Ledger
from investigator.core.frontier import Frontier
from investigator.core.limits import Limits
from investigator.core.text import fold
from investigator.core.transitions import Transition
from investigator.core.values import replace
from investigator.core.vocab import Loop, NotesReason, Phase, RunState, RunStatus, StopReason, TurnKind
from investigator.core.wire import ToolCall, WorldFacts

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
CONCLUSION = "Conclusion:"
ATOMIC = "Atomic objective:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What does not change while the run goes on, but at a fork."""

    objective: str
    loop: Loop
    user: str
    notes_id: str
    model: str
    web: str
    world: WorldFacts
    started_at: str
    parent_run: int = 0
    parent_turn: int = 0
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """A page as the run holds it. ``text`` is the whole text, once."""

    sha256: str
    url: str
    source_id: str
    domain: str
    title: str
    published: str
    unit: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A line of "Assumptions & gaps": ``kind`` is ``gap`` or ``assumption``."""

    question_id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The one answer to a call. ``page``/``part``: raw page text is shown with it, until ``evicted``."""

    position: int
    call_id: str
    tool: str
    text: str
    refused: str = ""
    page: str = ""
    part: int = 1
    evicted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """A turn as the next prompts show it raw."""

    number: int
    kind: TurnKind
    question: str
    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[Result, ...]


@dataclass(frozen=True, kw_only=True)  # without slots, as State
class OpenTurn:
    """A turn that is not closed. ``received`` are the calls in order, ``results`` the answers so far."""

    number: int
    attempt: int
    kind: TurnKind
    question: str
    claim: str = ""
    page: str = ""
    replied: bool = False
    failed: str = ""
    text: str = ""
    received: tuple[ToolCall, ...] = ()
    malformed: Mapping[int, str] = field(default_factory=dict)
    results: tuple[Result, ...] = ()
    outside: int = 0
    awaiting: bool = False
    closed_question: bool = False
    progress: bool = False
    children: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """What settle decided for a worker's next turn. ``idle``: nothing to take, it waits."""

    kind: TurnKind = TurnKind.PLANNING
    question: str = ""
    claim: str = ""
    page: str = ""
    idle: bool = False


@dataclass(frozen=True, kw_only=True)  # without slots, as State
class Worker:
    """One worker: its question, open turn, raw turns, and the pages (sha256) that no notes call has named yet.

    ``again``: the page whose extraction turn brought no notes call; the next one is the last chance.
    """

    name: str
    current: str = ""
    open: OpenTurn | None = None
    window: tuple[TurnRecord, ...] = ()
    unread: tuple[str, ...] = ()
    again: str = ""
    next: Next = field(default_factory=Next)
    verifying: str = ""
    verify_turns: int = 0
    compact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A person's outside call that waits for the world."""

    number: int
    tool: str
    arguments: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What was spent, what open calls may still cost, what calls of unknown fate may have cost."""

    tokens: int = 0
    cost_usd: float = 0.0
    cost_known: bool = True
    reserved: Mapping[str, Reservation] = field(default_factory=dict)
    lost_tokens: int = 0
    lost_cost: float = 0.0
    tool_calls: int = 0

    @property
    def committed_tokens(self) -> int:
        """Spent plus reserved: what breakers are checked against."""
        return self.tokens + sum(one.tokens for one in self.reserved.values())

    @property
    def committed_cost(self) -> float:
        return self.cost_usd + sum(one.cost for one in self.reserved.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRow:
    """One step of the run for the record: what it was doing, on which question."""

    seq: int
    state: RunState
    question_id: str
    turn: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What the current event has changed and the state itself does not keep. Empty between events."""

    transitions: tuple[tuple[Transition, int], ...] = ()
    claim_transitions: tuple[tuple[ClaimTransition, int], ...] = ()
    rows: tuple[StateRow, ...] = ()
    notes: NotesReason | None = None
    progress: bool = False


@dataclass(frozen=True, kw_only=True)  # without slots: copied as a whole by `values.replace`
class State:
    """Everything that is known of a run after its last event.

    Attributes:
        limits_changed: limits may be narrower than what was done before they were changed.
        notes_text: the notes after the last event, as their last version has them; '' before the first one.
        explained: why UNVERIFIED is the best available, by claim: what verifying turns did not reach, what was said in
            one of them, what no longer holds of a claim that was VERIFIED. The gate takes it as the explanation.
        rechecked: the ledger and limits for which every VERIFIED claim was last found to be so by right.
    """

    run: Run
    limits: Limits
    limits_changed: bool = False
    status: RunStatus = RunStatus.RUNNING
    phase: Phase = Phase.EXPLORATION
    ending: StopReason = StopReason.NONE
    stop_reason: StopReason = StopReason.NONE
    error: str = ""
    at: str = ""
    seq: int = 0
    frontier: Frontier
    ledger: Ledger = field(default_factory=Ledger)
    challenges: Mapping[str, Challenge] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    scratch: str = ""
    notes_seq: int = 0
    notes_text: str = ""
    pages: Mapping[str, PageRecord] = field(default_factory=dict)
    known_urls: frozenset[str] = frozenset()
    workers: Mapping[str, Worker] = field(default_factory=dict)
    act: Act | None = None
    acts: int = 0
    act_result: Result | None = None
    turn: int = 0
    opened: int = 0
    states_seq: int = 0
    budget: Budget = field(default_factory=Budget)
    planned: bool = False
    stalled: int = 0
    failed_searches: int = 0
    queue: tuple[str, ...] = ()
    queued: frozenset[str] = frozenset()
    explained: Mapping[str, str] = field(default_factory=dict)
    rechecked: tuple[Ledger, Limits] | None = None
    consolidated_at: int = 0
    failed_finishes: int = 0
    synthesis_turns: int = 0
    reopens: int = 0
    report: str = ""
    model_report: str = ""
    repaired: bool = False
    journal: Journal = field(default_factory=Journal)

    @property
    def claims(self) -> Mapping[str, Claim]:
        """All claims by id."""
        return self.ledger.claims

    @property
    def done(self) -> bool:
        return self.status in (RunStatus.COMPLETED, RunStatus.FAILED)

    @property
    def turns_committed(self) -> int:
        """Closed turns and open ones: what breakers are checked against."""
        return self.turn + sum(one.open is not None for one in self.workers.values())

    @property
    def lead(self) -> str:
        """The worker that plans, closes and writes: the first by name, w2 before w10."""
        return min(self.workers, key=in_order, default="")

    @property
    def page_texts(self) -> Mapping[str, str]:
        return {sha: page.text for sha, page in self.pages.items()}

    def page_of(self, source_id: str) -> PageRecord | None:
        """The page read from this source, the latest one."""
        return next((one for one in reversed(tuple(self.pages.values())) if one.source_id == source_id), None)

    @property
    def conclusion(self) -> str:
        """The Scratch text from ``Conclusion:`` to the next blank line; one of spaces is blank."""
        _, found, rest = self.scratch.partition(CONCLUSION)
        return _BLANK_LINE.split(rest, 1)[0].strip() if found else ""

    def conclusion_challenges(self) -> tuple[Challenge, ...]:
        """Those of the conclusion as it stands now."""
        belief = fold(self.conclusion)
        return tuple(one for one in self.challenges.values() if one.target == ("conclusion", "", belief))

    def open_challenges(self) -> tuple[Challenge, ...]:
        return tuple(one for one in self.challenges.values() if one.open)

    def with_worker(self, worker: Worker) -> State:
        return replace(self, workers={**self.workers, worker.name: worker})


def in_order(worker: str) -> tuple[int, str]:
    """What sorts the names of workers by their number.

    >>> sorted(["w10", "w2"], key=in_order)
    ['w2', 'w10']
    """
    return len(worker), worker


def moved(state: State, frontier: Frontier, transitions: tuple[Transition, ...]) -> State:
    """The state with a frontier move made and its transitions journaled."""
    stamped = tuple((one, state.states_seq) for one in transitions)
    journal = replace(state.journal, transitions=(*state.journal.transitions, *stamped))
    return replace(state, frontier=frontier, journal=journal)


def claim_moved(state: State, ledger: Ledger, *transitions: ClaimTransition) -> State:
    """The state with a ledger move made and its transitions journaled."""
    stamped = tuple((one, state.states_seq) for one in transitions)
    journal = replace(state.journal, claim_transitions=(*state.journal.claim_transitions, *stamped))
    return replace(state, ledger=ledger, journal=journal)


def noted(state: State, reason: NotesReason) -> State:
    """The notes text may have changed, for this reason; the last reason of an event names its version."""
    return replace(state, journal=replace(state.journal, notes=reason))


def progressed(state: State) -> State:
    """Something was learned or settled in this event."""
    return replace(state, journal=replace(state.journal, progress=True))


def entered(state: State, what: RunState, question_id: str, turn: int, detail: str = "") -> State:
    """Record a row of the states table."""
    row = StateRow(seq=state.states_seq + 1, state=what, question_id=question_id, turn=turn, detail=detail)
    journal = replace(state.journal, rows=(*state.journal.rows, row))
    return replace(state, states_seq=row.seq, journal=journal)
