"""An ideal researcher with a dossier: what each page says and which question it answers, so that a run can be foretold.

Nothing here is chance. The model reads the run's state as a good one reads its prompt, and calls only what is offered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from driver import Pages, Run
from ledgers import faults

from investigator.core.challenges import STRATEGY_TERMS, Challenge, requires_answer_challenge
from investigator.core.claims import Claim, missing_for_verified
from investigator.core.effects import TRANSITIONS, Effect, Put
from investigator.core.events import HumanActed
from investigator.core.frontier import Question
from investigator.core.ids import ROOT
from investigator.core.report_write import must_be_named
from investigator.core.state import OpenTurn, PageRecord, Result, State
from investigator.core.vocab import ClaimStatus, QuestionStatus, Strategy, TurnKind
from investigator.core.wire import Failure, Hit, Hits, Page, Reply, Request, ToolCall, Usage, WorldFacts
from investigator.loops.machine import apply, fold

Calls = list[tuple[str, dict[str, Any]]]
NOT_KNOWN = "it is taken to be unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a claim says, and the words of the pages that say it, by url."""

    text: str
    quotes: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A sub-question and what there is to be found. The last finding holds, the earlier ones fall to it."""

    question: str
    query: str
    findings: tuple[Finding, ...] = ()


class Library(Pages):
    """A web with a catalogue: a search finds the pages of every entry whose words all stand in the query."""

    def __init__(self, pages: Sequence[Page], catalogue: Mapping[str, Sequence[str]], **facts: Any) -> None:
        domains = len({one.domain for one in pages})
        known = {"name": "library", "pages": len(pages), "domains": domains, **facts}
        super().__init__({one.url: one for one in pages}, facts=WorldFacts(**known))
        self.catalogue = catalogue

    def search(self, query: str, limit: int) -> Hits | Failure:
        asked = set(query.lower().split())
        found = [url for words, urls in self.catalogue.items() if set(words.split()) <= asked for url in urls]
        return Hits(
            hits=tuple(
                Hit(url=url, title=self.pages[url].title, domain=self.pages[url].domain)
                for url in dict.fromkeys(found)
            )[:limit]
        )


def answered(request: Request, calls: Calls, text: str = "") -> Reply:
    """A reply of these calls, at the price that the request was reckoned at."""
    made = tuple(
        ToolCall(id=f"call_{number}", name=name, arguments=json.dumps(args))
        for number, (name, args) in enumerate(calls)
    )
    usage = Usage(input_tokens=request.tokens, output_tokens=100)
    return Reply(text=text, calls=made, usage=usage, finish_reason="tool_calls" if made else "stop")


def saying(text: str = "", *calls: tuple[str, dict[str, Any]]) -> Callable[[Request], Reply]:
    """A model that always replies the same, whatever it is asked."""
    return lambda request: answered(request, list(calls), text)


def open_turn(state: State) -> OpenTurn:
    """The turn that waits for the model's reply."""
    return next(one.open for one in state.workers.values() if one.open is not None and not one.open.replied)


def results(run: Run, worker: str = "w1") -> tuple[Result, ...]:
    """The answers to the calls of the turn that closed last."""
    return run.state.workers[worker].window[-1].results


def retold(run: Run) -> None:
    """The log and the tables tell the run's state, and no history has a gap."""
    state: State | None = None
    effects: list[Effect] = []
    for event in run.events:
        step = apply(state, event)
        state = step.state
        effects.extend(step.effects)
    assert state == run.state == fold(run.events)
    assert list(faults(run.state, effects)) == []


def act(run: Run, tool: str, **args: Any) -> Result:
    """A person acts; the answer, if the world is not needed for it."""
    number = run.state.acts + 1
    event = HumanActed(at=run.now(), act=number, tool=tool, arguments=json.dumps(args), user="eva")
    run.record(event)
    return run.state.act_result


def timeline(run: Run) -> list[tuple[str, str]]:
    """(question, trigger) of every transition of the run, in order."""
    state: State | None = None
    made: list[tuple[str, str]] = []
    for event in run.events:
        step = apply(state, event)
        state = step.state
        rows = [one.row for one in step.effects if isinstance(one, Put) and one.table == TRANSITIONS]
        made += [(str(row["question_id"]), str(row["trigger"])) for row in rows]
    return made


class Ideal:
    """Plays the dossier of its topics. ``settles``: whether it can tell which side of a contradiction holds."""

    def __init__(self, run: Run, topics: Sequence[Topic], *, settles: bool = True) -> None:
        self.run, self.topics, self.settles = run, topics, settles
        self.drops, self.verifies = False, True
        self.kinds: list[TurnKind] = []

    @property
    def state(self) -> State:
        return self.run.state

    def __call__(self, request: Request) -> Reply:
        turn = open_turn(self.state)
        self.mine = next(one for one in self.state.workers.values() if one.open is turn)
        self.kinds.append(turn.kind)
        moves: dict[TurnKind, Callable[[OpenTurn], Calls]] = {
            TurnKind.PLANNING: self._plan,
            TurnKind.EXTRACTION: lambda turn: self._record(self.state.pages[turn.page]),
            TurnKind.CONSOLIDATION: lambda turn: [("notes_scratch", {"text": self.state.scratch[:400]})],
            TurnKind.RESEARCHING: self._research,
            TurnKind.VERIFYING: self._verify,
            TurnKind.CLOSING: self._close,
            TurnKind.SYNTHESIZING: lambda turn: [("finalize_report", {"report": self.written()})],
            TurnKind.LAST: lambda turn: [("finalize_report", {"report": self.written()})],
        }
        calls = moves[turn.kind](turn)
        assert {name for name, _ in calls} <= {one.name for one in request.tools}, (turn.kind, calls)
        return answered(request, calls, "" if calls else "There is nothing left to do here.")

    def _plan(self, turn: OpenTurn) -> Calls:
        asked = {"kind": "query", "rationale": "the objective asks it", "validation_criteria": "a quote"}
        return [
            *(("add_question", {**asked, "question": one.question, "priority": 0.7}) for one in self.topics),
            ("frontier_next", {}),
        ]

    def _research(self, turn: OpenTurn) -> Calls:
        question = self.state.frontier.questions[turn.question]
        topic = self._topic(question)
        if topic is None:
            return self._settle(question)
        searched = any(one.filled for one in self.state.frontier.attempts_of(question.id))
        if not searched:
            return [("web_search", {"query": topic.query})]
        claim = self._claim(topic)
        return self._due() or (self._firm(claim, topic) or self._answer(question, claim, topic) if claim
                               else self._retry(question, topic.query))  # fmt: skip

    def _topic(self, question: Question) -> Topic | None:
        return next((one for one in self.topics if one.question == question.question), None)

    def _claim(self, topic: Topic) -> Claim | None:
        """The live claim of the last finding that was recorded."""
        texts = [one.text for one in topic.findings]
        live = [one for one in self.state.ledger.claims.values() if one.live and one.text in texts]
        return max(live, key=lambda one: texts.index(one.text), default=None)

    def _due(self) -> Calls:
        """What must be done before anything new: search, record what was read, read what was found, close attacks."""
        waiting = [one for one in self.state.open_challenges() if self._is_mine(one)]
        unsearched = [("web_search", {"query": one.query}) for one in waiting if not one.attempt_n]
        unread = [self.state.pages[sha] for sha in self.mine.unread]
        tried = {one.query for one in self.state.frontier.attempts.values() if one.tool == "fetch_page"}
        found = sorted((self.state.known_urls - tried) & set(self.run.web.pages))
        new = [("fetch_page", {"url": url}) for url in found]
        return (
            unsearched
            or [call for one in unread for call in self._record(one)]
            or new[:3]
            or [("record_challenge_result", self._result(one)) for one in waiting]
        )

    def _is_mine(self, one: Challenge) -> bool:
        """Whether this worker is to search and close it: what is about a question of another one is that one's."""
        assert self.mine.open is not None
        about = self.state.claims[one.claim_id].question_id if one.claim_id else one.question_id
        others = [each.question for each in (it.open for it in self.state.workers.values()) if each is not None]
        return about == self.mine.open.question or about not in others

    def _record(self, read: PageRecord) -> Calls:
        """All that the page says of any topic, quoted."""
        entries = [
            {"text": finding.text, "source": read.source_id, "quote": finding.quotes[read.url], "independent": True,
             "why": "its own survey", "question_id": self._id_of(topic)}
            for topic in self.topics for finding in topic.findings if read.url in finding.quotes
        ]  # fmt: skip
        if not entries:
            nothing = {"text": "read, nothing relevant", "source": read.source_id}
            return [("notes_append", {"section": "Sources", "entries": [nothing]})]
        return [("notes_append", {"section": "Unverified", "entries": entries})]

    def _id_of(self, topic: Topic) -> str:
        return next((str(one.id) for one in self.state.frontier if one.question == topic.question), ROOT)

    def _result(self, one: Challenge) -> dict[str, Any]:
        made = {"id": one.id, "outcome": "survived", "evidence": "nothing was found against it", "source_ids": []}
        topic = next((each for each in self.topics if one.belief in [found.text for found in each.findings]), None)
        rival = self._claim(topic) if topic and one.claim_id else None
        if rival is None or rival.id == one.claim_id:
            return made
        found = {"source_ids": [link.source_id for link in rival.links], "result_claim_id": rival.id}
        return {**made, "outcome": "refuted", "evidence": rival.text, **found}

    def _firm(self, claim: Claim, topic: Topic) -> Calls:
        """VERIFIED where it may be, and the attack where only that is missing."""
        if claim.status is ClaimStatus.VERIFIED:
            return []
        missing = missing_for_verified(self.state.ledger, claim, self.state.page_texts, self.state.limits)
        if not missing:
            return [("notes_update", {"id": claim.id, "change": {"status": "VERIFIED"}})]
        only_attack = len(missing) == 1 and " survived " in missing[0]
        return self._attack(topic.query, "denied", target_type="claim", claim_id=claim.id) if only_attack else []

    def _attack(self, query: str, word: str, **target: str) -> Calls:
        """A challenge and its search. ``word`` says which strategy: it is one of that strategy's terms."""
        strategy = next(one for one in Strategy if word in STRATEGY_TERMS[one])
        asked = f"{query} {word} {len(self.state.challenges)}"
        made = {**target, "strategy": strategy, "negation": "it is otherwise", "expected_if_false": ["a correction"],
                "query": asked}  # fmt: skip
        return [("challenge", made), ("web_search", {"query": asked})]

    def _answer(self, question: Question, claim: Claim, topic: Topic) -> Calls:
        survived = [one for one in self.state.challenges.values() if one.question_id == question.id
                    and one.belief == claim.text and one.outcome == "survived"]  # fmt: skip
        if requires_answer_challenge(question.depth) and not survived:
            target = {"target_type": "question_answer", "question_id": question.id, "belief": claim.text}
            return self._attack(topic.query, "only", **target)
        return [("resolve_question", {"id": question.id, "answer": claim.text, "claim_ids": [claim.id]})]

    def _settle(self, question: Question) -> Calls:
        """The settling question of a contradiction: the live side holds."""
        due = self._due()
        if due:
            return due
        if self.drops:
            return [("prune_branch", {"id": question.id, "reason": "it does not alter the conclusion"})]
        pair = next(one for one in self.state.ledger.links.values() if one.question_id == question.id)
        live = [one for one in pair.key if self.state.ledger.claims[one].live]
        if not self.settles:
            return self._retry(question, f"which holds {pair.claim_id}")
        claim = self.state.ledger.claims[live[0]]
        topic = next(one for one in self.topics if claim.text in [found.text for found in one.findings])
        return self._firm(claim, topic) or self._answer(question, claim, topic)

    def _retry(self, question: Question, query: str) -> Calls:
        frontier = self.state.frontier
        made = {"id": question.id, "new_query": f"{query} archive {len(frontier.attempts)}", "why": "nothing was found"}
        if frontier.attempts_count(question.id) >= self.state.limits.max_attempts:
            return [("retry_question", {**made, "assumption": NOT_KNOWN})]
        return [("retry_question", made), ("web_search", {"query": made["new_query"]})]

    def _verify(self, turn: OpenTurn) -> Calls:
        if not self.verifies:
            return []
        claim = self.state.ledger.claims[turn.claim]
        topic = next(one for one in self.topics if claim.text in [found.text for found in one.findings])
        attacked = any(one.claim_id == claim.id for one in self.state.challenges.values())
        attack = [] if attacked else self._attack(topic.query, "denied", target_type="claim", claim_id=claim.id)
        return self._due() or attack or self._firm(claim, topic)

    def _close(self, turn: OpenTurn) -> Calls:
        state = self.state
        due = self._due()
        if due:
            return due
        answers = [one for one in state.frontier if one.status is QuestionStatus.RESOLVED and one.depth == 1]
        if not answers:
            unknown = {"id": ROOT, "new_query": "all of it", "why": "nothing was found", "assumption": NOT_KNOWN}
            given = [] if state.frontier.root.settled else [("retry_question", unknown)]
            return [*given, ("finish_exploration", {})]
        conclusion = " ".join(one.answer for one in answers)
        if state.conclusion != conclusion:
            return [("notes_scratch", {"text": f"Conclusion: {conclusion}"})]
        if not any(one.outcome == "survived" for one in state.conclusion_challenges()):
            return self._attack("all of it", "exception", target_type="conclusion")
        ids = [one for question in answers for one in question.answer_claim_ids]
        settle = [] if state.frontier.root.settled else [
            ("resolve_question", {"id": ROOT, "answer": conclusion, "claim_ids": ids})
        ]  # fmt: skip
        return [*settle, ("finish_exploration", {})]

    def written(self) -> str:
        """The report: every answer with its claims, what fell, and what stayed unknown."""
        frontier, claims = self.state.frontier, self.state.ledger.claims
        lines = ["## Summary", ""]
        for one in frontier:
            if one.status is QuestionStatus.RESOLVED and one.id != ROOT:
                firm = any(claims[each].status is ClaimStatus.VERIFIED for each in one.answer_claim_ids)
                mark = "" if firm else " (unverified)"
                lines.append(f"- {one.answer.rstrip('.')}{mark} [{', '.join(one.answer_claim_ids)}].")
        fallen = [one for one in claims.values() if one.status is ClaimStatus.REFUTED]
        if fallen:
            lines += ["", "## Contradictions", ""]
            lines += [f"- It was believed that {one.text.rstrip('.')} [{one.id}]." for one in fallen]
        named = must_be_named(self.state)
        if named:
            lines += ["", "## Gaps and assumptions", ""]
            lines += [f"- {one.id}: {one.assumption or NOT_KNOWN}" for one in named]
        return "\n".join(lines) + "\n"


class Mumbling:
    """A model whose every n-th reply, drawn from a seed, is only text."""

    def __init__(self, model: Callable[[Request], Reply], draw: Callable[[], float], share: float) -> None:
        self.model, self.draw, self.share, self.mumbled = model, draw, share, 0

    def __call__(self, request: Request) -> Reply:
        if self.draw() >= self.share:
            return self.model(request)
        self.mumbled += 1
        return answered(request, [], "I should think about this some more.")
