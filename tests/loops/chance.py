"""Chance, seeded: a model and people that do anything that can be done, sensible or not.

A model here looks at the run's state to name ids that exist; nothing in it knows the rules, so that rules are what
keeps the run in order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from driver import Run
from weather import ORDERS, WORDS, sentence

from investigator.core.vocab import ClaimStatus, Outcome, QuestionKind, QuestionStatus, Strategy
from investigator.core.wire import Reply, Request, ToolCall, Usage
from investigator.tools.specs import BY_NAME


class Gambler:
    """Replies at random: to a run's state, with ids that exist, that do not, and text that is no call."""

    def __init__(self, rng: random.Random, run: Run, *, folly: float = 0.15) -> None:
        self.rng, self.run, self.folly = rng, run, folly

    def __call__(self, request: Request) -> Reply:
        rng = self.rng
        usage = Usage(input_tokens=request.tokens, output_tokens=rng.randint(1, request.max_tokens))
        chance = rng.random()
        if chance < 0.04:
            return Reply(usage=usage)
        if chance < 0.10:
            return Reply(text=rng.choice((sentence(rng), self._report(), ORDERS)), usage=usage)
        offered = [one.name for one in request.tools]
        calls = tuple(self._call(number, offered) for number in range(rng.randint(1, 6)))
        return Reply(text=rng.choice(("", sentence(rng))), calls=calls, usage=usage, finish_reason="tool_calls")

    def _call(self, number: int, offered: list[str]) -> ToolCall:
        rng = self.rng
        name = rng.choice(offered) if offered and rng.random() > self.folly else rng.choice((*BY_NAME, "no_such_tool"))
        name = (
            rng.choice([one for one in self._fruitful() if one in offered] or [name]) if rng.random() < 0.75 else name
        )
        arguments = json.dumps(self.arguments(name))
        if rng.random() < self.folly / 4:
            arguments = rng.choice(("", "[]", "null", "{", arguments[:-1], "true", '{"query": NaN}', '"text"'))
        return ToolCall(id=rng.choice((f"call_{number}", "same", "")), name=name, arguments=arguments)

    def _fruitful(self) -> tuple[str, ...]:
        """What brings a run on from where it is, so that chance also reaches what lies deep."""
        state = self.run.state
        if not state.planned:
            return ("add_question", "frontier_next")
        if len(state.known_urls) < 3:
            return ("web_search",)
        if not state.pages or self.rng.random() < 0.2:
            return ("fetch_page", "notes_append")
        if len(state.ledger.claims) < 2 or self.rng.random() < 0.2:
            return ("notes_append",)
        if state.frontier.root.settled:
            return ("finish_exploration", "finalize_report", "add_question", "reopen_question")
        waiting = state.open_challenges()
        if waiting and self.rng.random() < 0.6:
            return ("record_challenge_result",) if waiting[-1].attempt_n else ("web_search",)
        return (
            "challenge",
            "challenge",
            "notes_update",
            "resolve_question",
            "resolve_question",
            "notes_scratch",
            "retry_question",
            "finalize_report",
            "finish_exploration",
        )

    def act(self) -> tuple[str, str]:
        """A person's move: a tool and its arguments."""
        name = self.rng.choice(tuple(BY_NAME))
        return name, json.dumps(self.arguments(name))

    def arguments(self, name: str) -> dict[str, Any]:
        make: Callable[[], dict[str, Any]] = getattr(self, f"_{name}", dict)
        made = make()
        if self.rng.random() < self.folly and made:
            wrong = self.rng.choice((None, -1, 2.5, "", "q_999", [], {}, "x" * 3000, True))
            made[self.rng.choice(sorted(made))] = wrong
        return made

    def _some(self, known: Any, otherwise: str) -> str:
        ids = [str(one) for one in known]
        return self.rng.choice(ids) if ids and self.rng.random() > self.folly / 2 else otherwise

    def _question(self) -> str:
        worker = self.run.state.workers.get(self.run.state.lead)
        current = worker.open.question if worker and worker.open else ""
        return (
            current if current and self.rng.random() < 0.7 else self._some(self.run.state.frontier.questions, "q_999")
        )

    def _claim(self) -> str:
        live = [one.id for one in self.run.state.ledger.claims.values() if one.live]
        return self._some(live if live and self.rng.random() < 0.9 else self.run.state.ledger.claims, "c_999")

    def _claims(self, most: int = 3) -> list[str]:
        return [self._claim() for _ in range(self.rng.randint(1, most))]

    def _source(self) -> str:
        return self._some(self.run.state.ledger.sources, "s_999")

    def _url(self) -> str:
        pages = self.run.web.pages
        known = sorted(self.run.state.known_urls)
        return (
            self.rng.choice(known)
            if known and self.rng.random() < 0.8
            else self.rng.choice((*pages, "https://no.test/x"))
        )

    def _words(self, most: int = 6) -> str:
        return " ".join(self.rng.choice(WORDS) for _ in range(self.rng.randint(1, most)))

    def _query(self) -> dict[str, Any]:
        return {"query": self._open_query() or self._words()}

    def _open_query(self) -> str:
        """The query of a challenge or a retry that waits for its search, in three of four cases."""
        waiting = [one.query for one in self.run.state.open_challenges()]
        waiting += [one.query for one in self.run.state.frontier.attempts.values() if not one.filled]
        return self.rng.choice(waiting) if waiting and self.rng.random() < 0.75 else ""

    _web_search = _query

    def _fetch_page(self) -> dict[str, Any]:
        made: dict[str, Any] = {"url": self._url()}
        if self.rng.random() < 0.2:
            made["part"] = self.rng.randint(1, 3)
        if self.rng.random() < 0.2:
            made["challenge_id"] = self._some(self.run.state.challenges, "ch_999")
        return made

    def _frontier_next(self) -> dict[str, Any]:
        return self.rng.choice(({}, {"atomic_reason": "one look-up"}))

    def _frontier_view(self) -> dict[str, Any]:
        return self.rng.choice(
            ({}, {"question_id": self._question()}, {"status": self.rng.choice(list(QuestionStatus))})
        )

    def _add_question(self) -> dict[str, Any]:
        rng = self.rng
        made: dict[str, Any] = {
            "question": self._words(5),
            "kind": rng.choice(list(QuestionKind)),
            "rationale": "it matters",
            "validation_criteria": "a quote says so",
            "priority": rng.choice((0, 0.2, 0.5, 0.7, 1)),
        }
        if rng.random() < 0.3:
            made["depends_on"] = [self._question() for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.3:
            made["parent_id"] = self._question()
        if rng.random() < 0.3:
            made["blocks_parent"] = True
        blocked = [one.id for one in self.run.state.frontier if one.status is QuestionStatus.BLOCKED]
        if rng.random() < (0.6 if blocked else 0.05):
            made["replaces"] = rng.choice(blocked) if blocked else self._question()
        return made

    def _resolve_question(self) -> dict[str, Any]:
        rng = self.rng
        answers = [one.belief for one in self.run.state.challenges.values() if one.question_id]
        made: dict[str, Any] = {
            "id": self._question(),
            "answer": rng.choice((*answers, self._words())),
            "claim_ids": self._claims(),
            "hypothesis_outcome": rng.choice(("confirmed", "refuted")),
        }
        if rng.random() < 0.6:
            made["waive"] = {
                name: "cannot be met" for name in ("hypothesis", "challenge", "verified") if rng.random() < 0.6
            }
        return made

    def _retry_question(self) -> dict[str, Any]:
        made = {"id": self._question(), "new_query": self._words(), "why": "nothing found"}
        return made if self.rng.random() < 0.4 else {**made, "assumption": "it stays as it was"}

    def _reopen_question(self) -> dict[str, Any]:
        return {"id": self._question(), "why": "a later finding"}

    def _set_priority(self) -> dict[str, Any]:
        return {"id": self._question(), "priority": self.rng.choice((0, 0.3, 0.6, 1)), "why": "it matters"}

    def _prune_branch(self) -> dict[str, Any]:
        return {"id": self._question(), "reason": "it does not alter the conclusion"}

    def _notes_read(self) -> dict[str, Any]:
        return self.rng.choice(({}, {"section": "Unverified"}, {"section": "nowhere"}))

    def _notes_scratch(self) -> dict[str, Any]:
        return {
            "text": self.rng.choice(
                ("", self._words(), f"Conclusion: {self._words()}", f"a | b\n\\Conclusion: {self._words()}")
            )
        }

    def _quote(self, source: str) -> str:
        """A passage of the page behind this source, or words that stand nowhere."""
        read = self.run.state.page_of(source)
        words = read.text.split() if read else []
        if len(words) < 6 or self.rng.random() < self.folly:
            return self._words(8)
        at = self.rng.randrange(len(words) - 5)
        return " ".join(words[at : at + self.rng.randint(5, 9)])

    def _entry(self) -> dict[str, Any]:
        rng = self.rng
        kind = rng.choice(("claim", "claim", "claim", "datapoint", "gap", "assumption"))
        made: dict[str, Any] = {"text": self._words(), "kind": kind}
        if kind == "datapoint":
            made |= {"value": rng.choice(("330", "1962", 3.5, "many")), "unit": rng.choice(("metres", ""))}
        if kind in ("claim", "datapoint") and rng.random() < 0.9:
            source = self._source()
            made |= {
                "source": source,
                "quote": self._quote(source),
                "independent": rng.random() < 0.7,
                "why": "own survey",
            }
            made["stance"] = rng.choice(("supports", "supports", "supports", "contradicts"))
        if rng.random() < 0.2 and self.run.state.ledger.claims:
            made[rng.choice(("supports", "contradicts"))] = self._claims(2)
        if rng.random() < 0.1:
            made["question_id"] = self._question()
        return made

    def _notes_append(self) -> dict[str, Any]:
        rng = self.rng
        if rng.random() < 0.1:
            entry = {"text": "read, nothing relevant", "source": self._source(), "kind": "claim"}
            return {"section": "Sources", "entries": [{k: v for k, v in entry.items() if k != "kind"}]}
        section = rng.choice(("Unverified", "Unverified", "Datapoints", "Assumptions & gaps", "Verified", "x"))
        return {"section": section, "entries": [self._entry() for _ in range(rng.randint(1, 3))]}

    def _notes_update(self) -> dict[str, Any]:
        rng, source = self.rng, self._source()
        change = rng.choice(
            (
                {"status": rng.choice(list(ClaimStatus))},
                {"status": "VERIFIED"},
                {"note": "only in the north"},
                {"retract": "it was withdrawn"},
                {"merged_into": self._claim()},
                {"drop_source": source},
                {"addressed": "old"},
                {
                    "add_source": {
                        "source": source,
                        "quote": self._quote(source),
                        "independent": True,
                        "why": "own survey",
                    }
                },
                {
                    "add_source": {
                        "source": source,
                        "quote": self._quote(source),
                        "independent": True,
                        "stance": "contradicts",
                    }
                },
            )
        )
        pairs = ["><".join(key) for key in self.run.state.ledger.links]
        target = rng.choice(
            (self._claim(), self._claim(), self._claim(), source, rng.choice(pairs) if pairs else "c_001><c_002")
        )
        return {"id": target, "change": change}

    def _challenge(self) -> dict[str, Any]:
        rng = self.rng
        return {
            "target_type": rng.choice(("claim", "claim", "question_answer", "conclusion")),
            "claim_id": self._claim(),
            "question_id": self._question(),
            "belief": self._words(3),
            "strategy": rng.choice(list(Strategy)),
            "negation": self._words(),
            "expected_if_false": [self._words()],
            "query": self._words(8),
        }

    def _record_challenge_result(self) -> dict[str, Any]:
        rng = self.rng
        ids = [one.id for one in self.run.state.open_challenges()] or list(self.run.state.challenges)
        made: dict[str, Any] = {
            "id": self._some(ids, "ch_999"),
            "outcome": rng.choice(list(Outcome)),
            "evidence": self._words(),
            "source_ids": [self._source() for _ in range(rng.randint(0, 2))],
        }
        return {**made, "result_claim_id": self._claim()} if rng.random() < 0.6 else made

    def _challenges_view(self) -> dict[str, Any]:
        return self.rng.choice(({}, {"status": "open"}, {"target": self._claim()}))

    def _report(self) -> str:
        body = " ".join(f"The tower is tall (unverified) [{self._claim()}]." for _ in range(2))
        named = " ".join(str(one) for one in self.run.state.frontier.questions)
        return f"## Summary\n{body}\n## Gaps and assumptions\n- {named}: unknown\n"

    def _finalize_report(self) -> dict[str, Any]:
        if self.rng.random() < 0.3:
            return {"report": "", "reopen_question_id": self._question(), "why": "a hole"}
        return {"report": self.rng.choice((self._report(), self._report(), "", sentence(self.rng)))}

    def _set_limits(self) -> dict[str, Any]:
        rng = self.rng
        return {
            "limits": rng.choice(
                (
                    {"max_iterations": rng.randint(4, 30)},
                    {"keep_turns": 1},
                    {"min_challenges": 2},
                    {"no": 1},
                    {"max_questions": rng.randint(1, 20)},
                    {"require_quotes": True},
                )
            )
        }
