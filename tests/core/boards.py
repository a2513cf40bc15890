"""A whole state on which any tool can be called by anyone: what it does is settled, and every rule checked after it.

Picks are numbers that are taken modulo what there is, so that chance names things that exist without knowing which.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from investigator.core import codec, frontier_moves
from investigator.core.events import Observed, PageSeen, RunStarted
from investigator.core.ids import ROOT
from investigator.core.invariants import invariants
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.state import Journal, State
from investigator.core.vocab import Actor, Loop, TurnKind
from investigator.core.wire import Hits, WorldFacts
from investigator.loops.machine import apply
from investigator.loops.settle import settle
from investigator.tools import outside, registry
from investigator.tools.moves import Caller, Outward

AT = "2026-01-01T00:00:00.000000+00:00"
PAGES = tuple(
    f"Page {n} of the survey. The tower of town {n % 3} is {300 + n} metres tall as measured in 19{60 + n}. "
    f"Its bridge number {n} was opened by guild {n} in the year 18{50 + n} of record {n}."
    for n in range(8)
)


class Broken(AssertionError):
    """A rule that did not hold, named with the call after which it did not."""


class Board:
    """One run without turns. ``operations`` counts the calls, ``changes`` those that were carried out."""

    def __init__(self, **limits: Any) -> None:
        started = RunStarted(
            at=AT, objective="How tall is it?", loop=Loop.INVESTIGATIVE, limits=Limits(**limits),
            world=WorldFacts(name="p"),
        )  # fmt: skip
        state = replace(apply(None, started).state, planned=True)
        self.state, self.operations, self.changes = settle(state, "w1"), 0, 0
        self.questions: dict[str, tuple[int, str]] = {ROOT: (1, "in_progress")}
        self.claims: dict[str, tuple[int, str]] = {}
        self.triggers: set[str] = set()

    def quote(self, source: str, number: int) -> str:
        """Seven words of the page behind a source."""
        page = self.state.page_of(source)
        words = (page.text if page else "no such words on any page here").split()
        at = number % max(1, len(words) - 6)
        return " ".join(words[at : at + 7])

    def pick(self, known: Iterable[str], number: int, otherwise: str) -> str:
        """One of these ids, the later ones first; ``otherwise`` if there is none."""
        ids = list(known)
        return ids[-1 - number % len(ids)] if ids else otherwise

    def question(self, number: int) -> str:
        """The current question for even numbers, else any."""
        return self.pick(self.state.frontier.questions, number // 2, ROOT) if number % 2 else self.current

    def claim(self, number: int) -> str:
        return self.pick(self.state.ledger.claims, number, "c_999")

    def source(self, number: int) -> str:
        return self.pick(self.state.ledger.sources, number, "s_999")

    def link(self, number: int) -> tuple[str, str]:
        """The key of a link between two claims."""
        keys = list(self.state.ledger.links)
        return keys[number % len(keys)] if keys else ("c_998", "c_999")

    @property
    def seen(self) -> set[str]:
        """Every status that a question, claim, challenge or contradiction has come to."""
        now = {str(one.status) for one in self.state.ledger.links.values()}
        return now | self.triggers | {one.outcome for one in self.state.challenges.values()}

    @property
    def current(self) -> str:
        worker = self.state.workers["w1"]
        return worker.current or worker.next.question or ROOT

    def call(self, tool: str, *, human: bool = False, **args: Any) -> None:
        """Call a tool as the agent or as a person; a refusal leaves everything as it was."""
        actor, kind = (Actor.HUMAN, None) if human else (Actor.AGENT, TurnKind.RESEARCHING)
        caller = Caller(worker="w1", actor=actor, turn=1, question=self.current, kind=kind)
        made = registry.call(self.state, caller, tool, args)
        self.operations += 1
        if isinstance(made, Outward):
            made = outside.observe(self.state, caller, tool, args, _answer(tool, args))
        if not isinstance(made, Refusal):
            self.settled(made.state, f"{tool} {args}")

    def lose(self) -> None:
        """The worker is lost: what it held goes back into the queue, and it begins anew."""
        self.operations += 1
        state = self.state
        for one in state.frontier.in_progress():
            made = frontier_moves.release(state.frontier, one.id, why="w1 was lost", at=AT)
            state = replace(state, frontier=made[0], journal=replace(state.journal, transitions=((made[1][0], 0),)))
        worker = replace(state.workers["w1"], current="", verifying="")
        self.settled(state.with_worker(worker), "lose")

    def settled(self, state: State, what: str) -> None:
        """Take a state over: settle it, check it, and begin a new journal."""
        before, after = self.state, settle(state, "w1")
        self.changes += after is not before
        broken = invariants(after)
        if broken:
            raise Broken(f"after {what}: {'; '.join(broken)}")
        self._check_journal(after, what)
        noted = (before.ledger, before.gaps, before.scratch), (after.ledger, after.gaps, after.scratch)
        if after.journal.notes is None and noted[0] != noted[1]:
            # A page that was read is a source of the ledger, which the notes show only once a claim links it.
            same = noted[0][0].claims == noted[1][0].claims and noted[0][0].links == noted[1][0].links
            if not same or noted[0][1:] != noted[1][1:]:
                raise Broken(f"after {what}: the notes changed and nobody said so")
        self.state = replace(after, journal=Journal())

    def _check_journal(self, after: State, what: str) -> None:
        """Histories have no gaps, begin where they ended, and end at the status."""
        histories = (
            (self.questions, after.journal.transitions, after.frontier.questions, "question_id"),
            (self.claims, after.journal.claim_transitions, after.ledger.claims, "claim_id"),
        )
        for known, made, rows, key in histories:
            for one, _ in made:
                name = getattr(one, key)
                if (one.seq - 1, one.from_status) != known.get(name, (0, "")):
                    raise Broken(f"after {what}: {one} follows {known.get(name)}")
                known[name] = (one.seq, str(one.to_status))
                self.triggers |= {str(one.to_status), str(getattr(one, "trigger", ""))}
            for name, row in rows.items():
                if known.get(name) != (row.trans_seq, str(row.status)):
                    raise Broken(f"after {what}: {name} is {row.status}, its history says {known.get(name)}")


def _answer(tool: str, args: dict[str, Any]) -> Observed:
    if tool != "fetch_page":
        return Observed(at=AT, worker="w1", turn=1, position=0, hits=Hits(hits=()))
    number = int(args["url"].rsplit("/", 1)[1])
    text = PAGES[number]
    seen = PageSeen(
        url=args["url"], canonical_url=args["url"], domain=f"site{number % 5}.test", title=f"page {number}",
        sha256=codec.digest(args["url"], text),
    )  # fmt: skip
    return Observed(at=AT, worker="w1", turn=1, position=0, page=seen, text=text)
