"""A model that does what a good one would: plans, reads, quotes, attacks, answers, concludes and writes.

It reads the run's state as a good model reads its prompt. What it finds is still chance: some beliefs survive, some
fall, and now and then it does not find anything at all.
"""

from __future__ import annotations

import json
import random
from typing import Any

from driver import Run
from weather import WORDS

from investigator.core.claims import Claim, missing_for_verified
from investigator.core.ids import ROOT
from investigator.core.report import written_by_code
from investigator.core.state import OpenTurn, PageRecord, State
from investigator.core.text import fold
from investigator.core.vocab import ClaimStatus, QuestionKind, QuestionStatus, Strategy, TurnKind
from investigator.core.wire import Reply, Request, ToolCall, Usage

Calls = list[tuple[str, dict[str, Any]]]


class Researcher:
    """Replies with the next sensible calls.

    ``luck`` is the share of challenges that a belief survives, ``patience`` how often it looks for what the gate lacks.
    """

    def __init__(self, rng: random.Random, run: Run, *, luck: float = 0.7, patience: float = 0.5) -> None:
        self.rng, self.run, self.luck, self.patience = rng, run, luck, patience

    @property
    def state(self) -> State:
        return self.run.state

    def __call__(self, request: Request) -> Reply:
        usage = Usage(input_tokens=request.tokens, output_tokens=self.rng.randint(1, request.max_tokens))
        turn = next(one.open for one in self.state.workers.values() if one.open is not None and not one.open.replied)
        calls = self._calls(turn)
        made = tuple(
            ToolCall(id=f"call_{number}", name=name, arguments=json.dumps(args))
            for number, (name, args) in enumerate(calls)
        )
        text = "" if made else "I have looked at everything."
        return Reply(text=text, calls=made, usage=usage, finish_reason="tool_calls" if made else "stop")

    def _calls(self, turn: OpenTurn) -> Calls:
        if self.state.run.loop == "simple":
            return self._look(turn) if self.rng.random() < 0.8 and turn.kind is not TurnKind.LAST else []
        if turn.kind is TurnKind.PLANNING:
            return self._plan()
        if turn.kind is TurnKind.EXTRACTION:
            return self._quote(self.state.pages[turn.page], turn.question)
        if turn.kind is TurnKind.CONSOLIDATION:
            return self._consolidate()
        if turn.kind is TurnKind.RESEARCHING:
            return self._research(turn)
        if turn.kind is TurnKind.VERIFYING:
            return self._verify(self.state.ledger.claims[turn.claim], turn)
        return self._conclude(turn) if turn.kind is TurnKind.CLOSING else self._write()

    def _words(self, most: int = 6) -> str:
        return " ".join(self.rng.choice(WORDS) for _ in range(self.rng.randint(2, most)))

    def _plan(self) -> Calls:
        rng = self.rng
        if rng.random() < 0.1:
            return [("frontier_next", {"atomic_reason": "one look-up"})]
        calls: Calls = []
        for number in range(rng.randint(1, 4)):
            asked = {
                "question": f"{self._words()} {number}?", "kind": rng.choice(tuple(QuestionKind)),
                "rationale": "it matters", "validation_criteria": "a quote", "priority": rng.choice((0.3, 0.6, 0.9)),
            }  # fmt: skip
            if number and rng.random() < 0.6:
                asked["depends_on"] = [f"q_{len(self.state.frontier.questions) + number:03d}"]
            calls.append(("add_question", asked))
        return [*calls, ("frontier_next", {})]

    def _look(self, turn: OpenTurn) -> Calls:
        """Search, then read what was found and not read."""
        read = {page.url for page in self.state.pages.values()}
        new = sorted(self.state.known_urls - read)
        if new and self.rng.random() < 0.8:
            return [("fetch_page", {"url": one}) for one in self.rng.sample(new, min(2, len(new)))]
        return [("web_search", {"query": self._words()})]

    def _quote(self, page: PageRecord, question: str) -> Calls:
        """One claim of the page, quoted; or nothing relevant."""
        words = page.text.split()
        if len(words) < 7 or self.rng.random() < 0.1:
            entry = {"text": "read, nothing relevant", "source": page.source_id}
            return [("notes_append", {"section": "Sources", "entries": [entry]})]
        at = self.rng.randrange(len(words) - 6)
        entry = {
            "text": self._words(3), "source": page.source_id, "quote": " ".join(words[at : at + 6]),
            "independent": True, "why": "own survey", "question_id": question,
        }  # fmt: skip
        others = [one.id for one in self.state.ledger.claims.values() if one.live]
        if others and self.rng.random() < 0.15:
            entry["contradicts"] = [self.rng.choice(others)]
        return [("notes_append", {"section": "Unverified", "entries": [entry]})]

    def _consolidate(self) -> Calls:
        live = [one for one in self.state.ledger.claims.values() if one.live]
        pairs = [(a.id, b.id) for a in live for b in live if a.id != b.id and a.kind is b.kind]
        if not pairs:
            return [("notes_scratch", {"text": self.state.scratch[:200]})]
        old, new = self.rng.choice(pairs)
        return [("notes_update", {"id": old, "change": {"merged_into": new}})]

    def _research(self, turn: OpenTurn) -> Calls:
        state, rng, question = self.state, self.rng, turn.question
        waiting = self._waiting()
        if waiting:
            return waiting
        blocked = self.state.frontier.count(QuestionStatus.BLOCKED)
        if blocked and rng.random() < 0.8:
            return self._replan(question)
        unread = [sha for one in state.workers.values() for sha in one.unread]
        if unread:
            return self._quote(state.pages[unread[0]], question)
        own = [one for one in state.ledger.claims.values() if one.live and one.question_id == question]
        if not own and rng.random() < 0.1:
            retry = {"id": question, "new_query": self._words(8), "why": "nothing found", "assumption": "as it was"}
            return [("retry_question", retry), ("web_search", {"query": retry["new_query"]})]
        if len(state.pages) < 2 or (not own and rng.random() < 0.4):
            return self._look(turn)
        if not own:
            return self._quote(rng.choice(tuple(state.pages.values())), question)
        if rng.random() < 0.3:
            return self._verify(own[-1], turn)
        if rng.random() < 0.2:
            return self._replan(question)
        return self._answer(question, [one.id for one in own[-2:]])

    def _replan(self, question: str) -> Calls:
        """Free what is blocked; else drop the question, or ask what must be known before."""
        frontier = self.state.frontier
        asked = {
            "question": f"{self._words()} first?", "kind": QuestionKind.QUERY, "rationale": "it matters",
            "validation_criteria": "a quote", "priority": 0.6,
        }  # fmt: skip
        for one in frontier:
            dead = [each for each in frontier.waits_on(one.id) if frontier.questions[each].settled]
            if one.status is QuestionStatus.BLOCKED and dead:
                if frontier.questions[dead[0]].status is QuestionStatus.UNRESOLVABLE:
                    return [("reopen_question", {"id": dead[0], "why": "it is needed"})]
                return [("add_question", {**asked, "replaces": one.id})]
        if self.rng.random() < 0.4:
            return [("prune_branch", {"id": question, "reason": "it would not alter the conclusion"})]
        return [("add_question", {**asked, "blocks_parent": True})]

    def _waiting(self) -> Calls:
        """Search what an open challenge or retry waits for; record what a searched challenge came to."""
        for one in self.state.open_challenges():
            if not one.attempt_n:
                return [("web_search", {"query": one.query})]
            return [("record_challenge_result", self._result(one.id, one.claim_id))]
        return []

    def _result(self, challenge: str, claim: str) -> dict[str, Any]:
        sources = [str(one) for one in self.state.ledger.sources]
        rivals = self._rivals(claim)
        if self.rng.random() < self.luck or not sources:
            kind = "survived" if self.rng.random() < 0.9 else "inconclusive"
            return {"id": challenge, "outcome": kind, "evidence": "nothing against it", "source_ids": []}
        kind = self.rng.choice(("refuted", "weakened"))
        found = [self.rng.choice(sources)]
        made = {"id": challenge, "outcome": kind, "evidence": "a page says so", "source_ids": found}
        if claim and kind == "refuted":
            if not rivals:
                return {**made, "outcome": "inconclusive"}
            made["result_claim_id"] = self.rng.choice(rivals)
        return made

    def _rivals(self, claim: str) -> list[str]:
        """Live claims with a quote from a page that does not speak for this one."""
        claims = self.state.ledger.claims
        mine = {link.source_id for link in claims[claim].links} if claim else set()
        return [
            str(one.id)
            for one in claims.values()
            if one.live and one.id != claim and any(link.located and link.source_id not in mine for link in one.links)
        ]

    def _attack(self, **target: str) -> Calls:
        used = [one.strategy for one in self.state.challenges.values()]
        fresh = [one for one in self.state.limits.strategies if one not in used] or list(self.state.limits.strategies)
        strategy: Strategy = self.rng.choice(fresh)
        query = f"{self._words()} denied myth false {len(self.state.challenges)}"
        made = {
            **target, "strategy": strategy, "negation": "it is a myth denied by all", "expected_if_false": ["a denial"],
            "query": query,
        }  # fmt: skip
        return [("challenge", made), ("web_search", {"query": query})]

    def _answer(self, question: str, claims: list[str]) -> Calls:
        """Challenge the answer where it must be, then resolve."""
        one = self.state.frontier.questions[question]
        answer = f"It is so by {claims[0]}."
        attacked = [each for each in self.state.challenges.values() if each.question_id == question]
        if one.depth <= 1 and not any(each.belief == answer and each.outcome != "refuted" for each in attacked):
            if not any(each.belief == answer for each in attacked) and self.rng.random() < 0.7:
                return self._attack(target_type="question_answer", question_id=question, belief=answer)
            answer = f"It is otherwise by {claims[0]}, {len(attacked)}."
        waive = {"hypothesis": "one source is enough"} if one.kind is QuestionKind.HYPOTHESIS else {}
        if answer not in [each.belief for each in attacked]:
            waive["challenge"] = "no query left"
        return [("resolve_question", {"id": question, "answer": answer, "claim_ids": claims, "waive": waive})]

    def _verify(self, claim: Claim, turn: OpenTurn) -> Calls:
        """What the claim lacks: a challenge, another source, or only the word."""
        waiting = self._waiting()
        if waiting:
            return waiting
        state = self.state
        missing = " ".join(missing_for_verified(state.ledger, claim, state.page_texts, state.limits))
        if not missing:
            return [("notes_update", {"id": claim.id, "change": {"status": ClaimStatus.VERIFIED}})]
        if " survived " in missing and self.rng.random() < 0.7:
            return self._attack(target_type="claim", claim_id=claim.id)
        others = [page for page in state.pages.values() if claim.link(page.source_id) is None]
        if not others:
            return self._look(turn)
        page = self.rng.choice(others)
        words = page.text.split()
        added = {"source": page.source_id, "quote": " ".join(words[2:9]), "independent": True, "why": "own survey"}
        return [("notes_update", {"id": claim.id, "change": {"add_source": added}})]

    def _conclude(self, turn: OpenTurn) -> Calls:
        state = self.state
        waiting = self._waiting()
        if waiting:
            return waiting
        if state.frontier.count(QuestionStatus.BLOCKED) and self.rng.random() < 0.5:
            return self._replan(ROOT)
        claims = [one.id for one in state.ledger.claims.values() if one.live]
        if not claims and not state.frontier.root.settled:
            assumed = {"id": ROOT, "new_query": self._words(8), "why": "nothing found", "assumption": "it is unknown"}
            return self._look(turn) if self.rng.random() < 0.6 else [("retry_question", assumed)]
        shaken = [one for one in state.conclusion_challenges() if one.outcome in ("weakened", "refuted")]
        if not state.conclusion or shaken:
            return [("notes_scratch", {"text": f"Conclusion: {self._words()} {len(state.challenges)}"})]
        if not state.conclusion_challenges() and self.rng.random() < 0.9:
            return self._attack(target_type="conclusion")
        if not state.frontier.root.settled:
            waive = {} if state.conclusion_challenges() else {"challenge": "no query left"}
            answer = {"id": ROOT, "answer": state.conclusion, "claim_ids": claims[-2:], "waive": waive}
            return [("resolve_question", answer), ("finish_exploration", {})]
        return self._mend() if self.rng.random() < self.patience else [("finish_exploration", {})]

    def _mend(self) -> Calls:
        """Some of what the gate may still ask for."""
        read = {page.url for page in self.state.pages.values()}
        new = sorted(self.state.known_urls - read)
        noted = [one for one in self.state.ledger.claims.values() if not one.note]
        if noted and self.rng.random() < 0.5:
            return [("notes_update", {"id": noted[0].id, "change": {"note": "the best there is"}})]
        return [("fetch_page", {"url": new[0]})] if new else [("web_search", {"query": self._words()})]

    def _write(self) -> Calls:
        settled = [str(one.id) for one in self.state.frontier if one.settled and fold(one.question)]
        if settled and self.rng.random() < 0.8:
            return [("finalize_report", {"reopen_question_id": self.rng.choice(settled), "why": "a hole"})]
        text = written_by_code(self.state)
        return [("finalize_report", {"report": text + self.rng.choice(("", "", "", "\nAn unfounded end [c_999]."))})]
