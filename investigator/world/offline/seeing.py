"""What the offline model sees: one request, read into values. The model has no other memory.

Knows the blocks of a prompt and the readers that the core keeps for them; must not know what to do next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from investigator.core.blocks import PageBlock, parse, parse_hits, parse_pages
from investigator.core.notes import Contradiction, Notes, NotesError, SourceRecord, read_shown
from investigator.core.notes_text import ClaimRecord
from investigator.core.summary_view import Account, SummaryView, read_summary, read_synthesis
from investigator.core.text import fold
from investigator.core.vocab import ClaimStatus, LinkStatus
from investigator.core.wire import Hit, Message, Request
from investigator.world.offline.orders import without_orders

Move = tuple[str, dict[str, Any]]
"""A call the model wants to make: name and arguments."""

_PARTS = re.compile(r"words of (q_\d+) stand most in part (\d+(?:, \d+)*)")
MOST_PARTS = 3  # of a long page that are read for one question
_REFUSED = re.compile(r"^REFUSED \((\w+)\):")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A call of a shown turn with its answer. ``ago`` counts turns back, 1 is the last one."""

    ago: int
    name: str
    arguments: Mapping[str, Any]
    answer: str = ""
    refused: str = ""

    @property
    def pages(self) -> tuple[PageBlock, ...]:
        return parse_pages(self.answer)

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(hit for one in parse(self.answer, "results") for hit in parse_hits(one.body))

    @property
    def url(self) -> str:
        return str(self.arguments.get("url", ""))

    @property
    def query(self) -> str:
        return str(self.arguments.get("query", "") or self.arguments.get("new_query", ""))


@dataclass(frozen=True, kw_only=True)
class Sight:
    """One request as the policy reads it."""

    kind: str
    asked: Mapping[str, str] = field(default_factory=dict)
    sentence: str = ""
    objective: str = ""
    date: str = ""
    notes: Notes = field(default_factory=Notes)
    summary: SummaryView = field(default_factory=SummaryView)
    accounts: tuple[Account, ...] = ()
    shown: tuple[Shown, ...] = ()
    loose: tuple[PageBlock, ...] = ()
    tools: frozenset[str] = frozenset()
    forced: str = ""
    simple: bool = False

    @property
    def current(self) -> str:
        return self.asked.get("question", "") or self.summary.current or "q_001"

    @property
    def question(self) -> str:
        """The current question; the root in full, others as the summary shows them."""
        return self.objective if self.current == "q_001" else self.summary.question.rstrip("…")

    @cached_property
    def pages(self) -> tuple[PageBlock, ...]:
        """Pages whose text stands in the prompt, each part once."""
        found = {(one.source, one.part): one for one in self.loose}
        for call in self.shown:
            found |= {(one.source, one.part): one for one in call.pages}
        return tuple(found.values())

    @cached_property
    def fresh(self) -> tuple[PageBlock, ...]:
        """Pages that no notes call has dealt with yet."""
        known = {one.id for one in self.notes.sources} | self._named
        return tuple(one for one in self.pages if one.source not in known or one in self.loose or one.part > 1)

    @cached_property
    def _named(self) -> set[str]:
        text = json.dumps([dict(one.arguments) for one in self.shown if one.name.startswith(("notes_", "record_"))])
        return set(re.findall(r"\bs_\d+\b", text))

    @cached_property
    def live(self) -> tuple[ClaimRecord, ...]:
        return tuple(one for one in self.notes.claims if one.status is not ClaimStatus.REFUTED)

    @cached_property
    def own(self) -> tuple[ClaimRecord, ...]:
        """Live claims of the current question."""
        return tuple(one for one in self.live if one.question == self.current)

    def claim(self, claim_id: str) -> ClaimRecord | None:
        return next((one for one in self.notes.claims if one.id == claim_id), None)

    def source(self, source_id: str) -> SourceRecord | None:
        return next((one for one in self.notes.sources if one.id == source_id), None)

    @cached_property
    def settles(self) -> Contradiction | None:
        """The open contradiction that the current question was opened to settle."""
        return next(
            (
                one
                for one in self.notes.contradictions
                if one.question == self.current and one.status is LinkStatus.OPEN
            ),
            None,
        )

    @cached_property
    def queries(self) -> frozenset[str]:
        """Every query that can still be seen to have been used, folded."""
        used = [one.query for one in self.summary.tried if not one.waiting]
        used += [one.query for one in self.summary.open_challenges]
        used += [one.query for one in self.shown if one.query]
        return frozenset(map(fold, used))

    @cached_property
    def waiting(self) -> tuple[str, ...]:
        """Queries of accepted retries that were not searched yet."""
        return tuple(one.query for one in self.summary.tried if one.waiting)

    @cached_property
    def read_urls(self) -> frozenset[str]:
        """Addresses that were read or could not be read."""
        tried = {one.query for one in self.summary.tried if one.tool == "fetch_page"}
        asked = {one.url for one in self.shown if one.name == "fetch_page" and one.refused != "extract_first"}
        return frozenset(
            {one.url for one in self.notes.sources} | tried | asked | {one.url for one in self.pages}
        ) - frozenset(self.barred)

    @cached_property
    def barred(self) -> tuple[str, ...]:
        """Addresses whose fetch was put off because another page had to be recorded first."""
        return tuple(one.url for one in self.shown if one.name == "fetch_page" and one.refused == "extract_first")

    @cached_property
    def parts(self) -> tuple[tuple[str, int], ...]:
        """(address, part) of long pages of which another part says more of the question than what was read.

        Parts are read in the order in which they are named, so what comes after the last one read is not read yet.
        """
        found: dict[str, tuple[int, ...]] = {}
        for one in self.calls("fetch_page"):
            told = _PARTS.search(one.answer)
            if told and told[1] == self.current:
                best = [int(part) for part in told[2].split(", ")][:MOST_PARTS]
                read = int(one.arguments.get("part") or 1)
                behind = best[best.index(read) + 1 :] if read in best and read > 1 else best
                found[one.url] = tuple(part for part in behind if part > 1)
        return tuple((url, part) for url, parts in found.items() for part in parts)

    def calls(self, name: str, ago: int = 9) -> tuple[Shown, ...]:
        """Shown calls of this name, the latest last, not older than ``ago`` turns."""
        return tuple(one for one in self.shown if one.name == name and one.ago <= ago)

    def next_id(self, prefix: str) -> int:
        """The number that the next id of this prefix (c, d) most likely gets."""
        numbers = [int(one.id[2:]) for one in self.notes.claims if one.id.startswith(prefix + "_")]
        return max(numbers, default=0) + 1

    def next_challenge(self) -> int:
        seen = re.findall(r"\bch_(\d+)\b", " ".join([
            *(one.answer for one in self.shown if one.name in ("challenge", "record_challenge_result")),
            *(one.id for one in self.summary.open_challenges),
            *(name for claim in self.notes.claims for name, _ in claim.checks),
        ]))  # fmt: skip
        return max(map(int, seen), default=0) + 1


def look(request: Request) -> Sight:
    """The request as a `Sight`. A prompt without an instruction block is that of the simple loop."""
    users = [one.content for one in request.messages if one.role == "user"]
    text = "\n".join(users)
    task = next((one.body for one in parse(text, "task")), "")
    fields = dict(line.partition(": ")[::2] for line in task.splitlines())
    instruction = next(reversed(parse(users[-1] if users else "", "instruction")), None)
    notes_text = next((one.body for one in parse(text, "notes")), None)
    frontier = next((one.body for one in parse(text, "frontier")), "")
    asked = dict(instruction.attributes) if instruction else {}
    kind = asked.get("turn", "researching")
    return Sight(
        kind=kind, asked=asked, sentence=instruction.body if instruction else "",
        objective=fields.get("objective", "").strip() or (users[0].strip() if users else ""),
        date=fields.get("date", "").strip(),
        notes=_notes(notes_text), summary=read_summary(frontier),
        accounts=read_synthesis(frontier) if kind in ("synthesizing", "last") else (),
        shown=_shown(request.messages), loose=parse_pages("\n".join(users[1:])),
        tools=frozenset(one.name for one in request.tools),
        forced=request.tool_choice if request.tool_choice not in ("auto", "none") else "", simple=notes_text is None,
    )  # fmt: skip


def _notes(text: str | None) -> Notes:
    if text is None:
        return Notes()
    for one in (text, text + "\n"):
        try:
            return read_shown(one)
        except (NotesError, ValueError):
            continue
    return Notes()


def _shown(messages: tuple[Message, ...]) -> tuple[Shown, ...]:
    """Calls with their answers. The ids of two turns may be the same, so answers are looked for in their own turn."""
    turns = [at for at, one in enumerate(messages) if one.role == "assistant"]
    found = []
    for number, at in enumerate(turns):
        end = turns[number + 1] if number + 1 < len(turns) else len(messages)
        answers = {one.call_id: one.content for one in messages[at + 1 : end] if one.role == "tool"}
        for call in messages[at].calls:
            answer = answers.get(call.id, "")
            refused = _REFUSED.match(answer)
            found.append(
                Shown(ago=len(turns) - number, name=call.name, arguments=_arguments(call.arguments), answer=answer,
                      refused=refused[1] if refused else "")
            )  # fmt: skip
    return tuple(found)


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def readable(page: PageBlock) -> str:
    """The text of a page without what tries to command its reader; offsets stay."""
    return without_orders(page.text)
