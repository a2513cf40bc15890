"""A desk for tests of the tools: one state, one caller, and the same way to every tool that the machine uses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from investigator.core import codec, frontier_moves
from investigator.core.events import Observed, PageSeen, RunStarted
from investigator.core.ids import ROOT
from investigator.core.invariants import invariants
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.state import State
from investigator.core.transitions import Transition
from investigator.core.vocab import Actor, Loop, TurnKind
from investigator.core.wire import Failure, Hit, Hits, WorldFacts
from investigator.loops.machine import apply
from investigator.loops.settle import tidy
from investigator.tools import outside, registry
from investigator.tools.moves import Caller, Done, Outward

AT = "2026-01-01T00:00:00.000000+00:00"
QUESTION = {"kind": "query", "rationale": "it matters", "validation_criteria": "a dated source", "priority": 0.6}
TAY = "The Tay bridge was opened on 20 June 1887 after five years of work."
QUOTE = "opened on 20 June 1887 after five years"
ATTACK = {"strategy": "direct_negation", "negation": "it is a myth", "expected_if_false": ["a denial"]}


class Desk:
    """Calls tools on one state; after every call that was carried out the invariants are checked."""

    def __init__(self, *, kind: TurnKind = TurnKind.RESEARCHING, objective: str = "When was the Tay bridge opened?",
                 knowledge: bool = False, loop: Loop = Loop.INVESTIGATIVE, **limits: Any) -> None:  # fmt: skip
        started = RunStarted(
            at=AT, objective=objective, loop=loop, limits=Limits(**limits),
            world=WorldFacts(name="pages", knowledge=knowledge),
        )  # fmt: skip
        self.state: State = apply(None, started).state
        self.kind, self.human, self.question, self.turn = kind, False, str(ROOT), 1

    @property
    def caller(self) -> Caller:
        if self.human:
            return Caller(worker="w1", actor=Actor.HUMAN, turn=self.turn, question=self.question, user="eva")
        return Caller(worker="w1", actor=Actor.AGENT, turn=self.turn, question=self.question, kind=self.kind)

    def call(self, name: str, /, **args: Any) -> Done | Outward | Refusal:
        made = registry.call(self.state, self.caller, name, args)
        if isinstance(made, Done):
            self.settle(made.state)
        return made

    def settle(self, state: State) -> None:
        self.state = tidy(state)
        assert invariants(self.state) == ()

    def ok(self, name: str, /, **args: Any) -> str:
        """What a call that is granted says."""
        made = self.call(name, **args)
        assert isinstance(made, Done), made
        assert made.refused == ""
        return made.text

    def no(self, name: str, /, **args: Any) -> tuple[str, str]:
        """Kind and sentence of a refusal, which changes nothing."""
        before = self.state
        made = self.call(name, **args)
        assert isinstance(made, Refusal), made
        assert self.state is before
        return made.kind, str(made)

    def out(self, name: str, /, **args: Any) -> Outward:
        made = self.call(name, **args)
        assert isinstance(made, Outward), made
        return made

    def observe(self, name: str, args: dict[str, Any], **found: Any) -> str:
        event = Observed(at=AT, worker="w1", turn=self.turn, position=0, **found)
        made = outside.observe(self.state, self.caller, name, args, event)
        self.settle(made.state)
        return made.text

    def search(self, query: str, *urls: str, fails: bool = False) -> str:
        """A search that goes out and is answered."""
        self.out("web_search", query=query)
        if fails:
            return self.observe("web_search", {"query": query}, failure=Failure(kind="timeout", message="too slow"))
        hits = Hits(hits=tuple(Hit(url=one, title=one, domain=one.split("/")[2]) for one in urls), provider="p")
        return self.observe("web_search", {"query": query}, hits=hits)

    def read(self, url: str, text: str, *, domain: str = "", **args: Any) -> str:
        """A page that is found, fetched and read; its s_ id."""
        self.state = replace(self.state, known_urls=self.state.known_urls | {url})
        self.out("fetch_page", url=url, **args)
        seen = PageSeen(url=url, canonical_url=url, domain=domain or url.split("/")[2], title=url,
                        sha256=codec.digest(url, text))  # fmt: skip
        self.observe("fetch_page", {"url": url, **args}, page=seen, text=text)
        source = self.state.ledger.source_of(url)
        assert source is not None
        return str(source.id)

    def ask(self, text: str, **more: Any) -> str:
        """A new question; its id."""
        before = set(self.state.frontier.questions)
        self.ok("add_question", **{**QUESTION, "question": text, **more})
        (new,) = set(self.state.frontier.questions) - before
        return new

    def select(self) -> str:
        """What settle does: the next question is taken, and is the current one."""
        taken = frontier_moves.select(self.state.frontier, worker="w1", at=AT)
        assert taken is not None
        worker = replace(self.state.workers["w1"], current=str(taken[1].id))
        self.settle(replace(self.state, frontier=taken[0], planned=True).with_worker(worker))
        self.question = str(taken[1].id)
        return self.question

    def note(self, text: str, **more: Any) -> str:
        """A claim or datapoint; its id."""
        said = self.ok("notes_append", section="Unverified", entries=[{"text": text, **more}])
        return said.split()[0]

    def resolve(self, question_id: str, answer: str, *claims: str, **waive: str) -> None:
        waived = {"challenge": "no time", **waive}
        self.ok("resolve_question", id=question_id, answer=answer, claim_ids=list(claims), waive=waived)

    def attack(self, claim: str, **more: Any) -> str:
        """A challenge of a claim that was searched; its id."""
        query = more.pop("query", f"{claim} denied")
        said = self.ok("challenge", **{**ATTACK, "target_type": "claim", "claim_id": claim, "query": query, **more})
        self.search(query)
        return said.split()[0]

    def survive(self, claim: str) -> None:
        self.ok("record_challenge_result", id=self.attack(claim), outcome="survived", evidence="none", source_ids=[])

    def status(self, one: str) -> str:
        if one.startswith("q"):
            return str(self.state.frontier.questions[one].status)
        return str(self.state.ledger.claims[one].status)

    def moves(self, question_id: str) -> list[Transition]:
        return [one for one, _ in self.state.journal.transitions if one.question_id == question_id]


def answered(**limits: object) -> Desk:
    """q_002 is the current question, c_001 a claim with a quote."""
    desk = Desk(kind=TurnKind.PLANNING, **limits)
    desk.ask("When did it open?")
    desk.ok("frontier_next")
    desk.kind = TurnKind.RESEARCHING
    desk.select()
    desk.read("https://a.org/tay", TAY)
    desk.note("The bridge opened in 1887.", source="s_001", quote=QUOTE)
    return desk
