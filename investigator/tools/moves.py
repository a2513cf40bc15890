"""What a handler is given and what it gives back, and the small checks that several tools share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from investigator.core.claims import Claim, Source
from investigator.core.frontier import put
from investigator.core.ids import prefix_of
from investigator.core.refusal import Refusal
from investigator.core.state import State
from investigator.core.text import fold
from investigator.core.values import replace
from investigator.core.vocab import Actor, QuestionStatus, TurnKind

VERIFY_TURNS = 3
NOT_REACHED = "verification was tried and not reached; the best available is UNVERIFIED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: the worker, its turn and the question of that turn (a person's calls have no turn kind)."""

    worker: str
    actor: Actor
    turn: int
    question: str
    kind: TurnKind | None = None
    user: str = ""

    @property
    def human(self) -> bool:
        return self.actor is Actor.HUMAN


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A call that was carried out: the new state and the compact summary the model sees.

    ``page`` and ``part``: raw page text is shown with it. ``refused``: the call had an effect but was not granted.
    ``named``: sources that a notes call dealt with, so that their pages may leave the prompt.
    """

    state: State
    text: str
    page: str = ""
    part: int = 1
    refused: str = ""
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outward:
    """A call that only the world can answer. ``tool`` is web_search, fetch_page or query."""

    tool: str
    argument: str
    limit: int = 8


Args = Mapping[str, Any]
Handler = Callable[[State, Caller, Args], Done | Refusal]


def claim_of(state: State, claim_id: str) -> Claim | Refusal:
    """The claim of this id, or the refusal that says where ids come from."""
    claim = state.ledger.claims.get(claim_id.strip())
    if claim is None:
        known = ", ".join(list(state.ledger.claims)[-6:]) or "none yet"
        return Refusal(
            kind="unknown_claim", text=f"there is no claim {claim_id!r}.", instead=f"The latest ids are: {known}."
        )
    return claim


def source_of(state: State, name: str) -> Source | Refusal:
    """The source of an s_ id, or of the url of a page that was fetched in this run."""
    name = name.strip()
    if prefix_of(name) == "s":
        source = state.ledger.sources.get(name)
    else:
        source = state.ledger.source_of(name)
        if source is None:
            page = next((one for one in state.pages.values() if one.url == name), None)
            source = state.ledger.sources.get(page.source_id) if page is not None else None
    if source is None:
        return Refusal(
            kind="not_fetched",
            text=f"{name!r} is no page fetched in this run.",
            instead="fetch it first, then name its s_ id.",
        )
    return source


def explained(state: State, claim_id: str, why: str) -> State:
    """Record why UNVERIFIED is the best available for a claim, also as the waiver of the answers that cite it.

    Answers that will cite it later take the same waiver: no claim is tried twice.
    """
    state = replace(state, explained={**state.explained, claim_id: why})
    frontier = state.frontier
    for question in state.frontier:
        if (
            question.status is QuestionStatus.RESOLVED
            and claim_id in question.answer_claim_ids
            and "verified" not in question.waivers
        ):
            waivers = {**question.waivers, "verified": why}
            reason = "; ".join(one for one in (question.reason, f"verified: {why}") if one)
            frontier = put(frontier, replace(question, waivers=waivers, reason=reason, updated_at=state.at))
    return replace(state, frontier=frontier)


def page_text_shown(state: State, caller: Caller) -> bool:
    """Whether raw page text stands in the prompt this caller answered."""
    worker = state.workers.get(caller.worker)
    if caller.human or worker is None:
        return False
    return any(result.page and not result.evicted for turn in worker.window for result in turn.results)


def refuse_beside_pages(state: State, caller: Caller, question_id: str) -> Refusal | None:
    """While raw page text is shown, only the current question may be settled: a page must not steer the others."""
    if question_id == caller.question or not page_text_shown(state, caller):
        return None
    return Refusal(
        kind="page_text_shown",
        text="while page text stands in the prompt, other questions than the current one cannot be changed.",
        instead="Record what the page says first; do this in a later turn.",
    )


def held_by_other(state: State, caller: Caller, question_id: str) -> Refusal | None:
    """A question that another worker holds is that worker's to settle."""
    question = state.frontier.questions.get(question_id)
    if caller.human or question is None or question.worker in ("", caller.worker):
        return None
    return Refusal(
        kind="held",
        text=f"{question_id} is being worked on by {question.worker}.",
        instead=f"Work on {caller.question}.",
    )


def searched_before(state: State, question_id: str, query: str) -> str:
    """The outcome of an earlier search of the same folded query on this question; '' if there was none that worked."""
    wanted = fold(query)
    for one in state.frontier.attempts_of(question_id):
        if (
            one.filled
            and one.tool == "web_search"
            and fold(one.query) == wanted
            and not one.outcome.startswith("failed")
        ):
            return one.outcome
    return ""
