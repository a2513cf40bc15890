"""Moves on a state, chosen and aimed by small numbers. A move that is not allowed leaves the state as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from investigator.core import challenges as ch
from investigator.core import claims as cl
from investigator.core import frontier_moves as fm
from investigator.core import state as st
from investigator.core import vocab as v
from investigator.core.claims import ClaimLink, SourceLink
from investigator.core.frontier import log_attempt
from investigator.core.ids import next_challenge_id
from investigator.core.limits import Limits
from investigator.core.refusal import Refusal
from investigator.core.state import State

LIMITS = Limits(max_questions=60)
HOSTILE = (
    "plain",
    "NUL \x00 inside",
    "lone \ud800 and \udfff",
    "emoji 🧪 é",
    "'; DROP TABLE x; --",
    "\ufdd00000",
    "a\r\nb\u2028c",
)


def _nth(values: Iterable[str], n: int) -> str:
    found = list(values)
    return found[n % len(found)] if found else ""


def _moved(state: State, made: object) -> State:
    """The state with a frontier move made; a refusal and None change nothing."""
    if made is None or isinstance(made, Refusal):
        return state
    frontier, *_, transitions = made  # type: ignore[misc]
    return st.moved(state, frontier, transitions)


def _add(state: State, a: int, b: int) -> State:
    parent = _nth(state.frontier.questions, a)
    needs = (_nth(state.frontier.questions, b),) if b % 3 == 0 else ()
    made = fm.add(
        state.frontier,
        parent_id=parent,
        text=f"{HOSTILE[b % len(HOSTILE)]} {state.seq}",
        depends_on=needs,
        priority=b % 11 / 10,
        blocks_parent=b % 4 == 1,
        target_sources=("x", HOSTILE[2]),
        actor=v.Actor.AGENT,
        limits=LIMITS,
        at=state.at,
    )
    return _moved(state, made)


def _rewrite(state: State, a: int, b: int) -> State:
    blocked = [one.id for one in state.frontier if one.status in ("blocked", "pending")]
    if not blocked:
        return state
    old = _nth(blocked, a)
    added = fm.add(
        state.frontier, parent_id="q_001", text=f"again {state.seq}", actor=v.Actor.AGENT, limits=LIMITS, at=state.at
    )
    if isinstance(added, Refusal):
        return state
    state = st.moved(state, added[0], added[2])
    return _moved(state, fm.rewrite(state.frontier, old, added[1].id, actor=v.Actor.AGENT, at=state.at))


def _select(state: State, a: int, b: int) -> State:
    return _moved(state, fm.select(state.frontier, worker=f"w{a % 2}", at=state.at))


def _resolve(state: State, a: int, b: int) -> State:
    target = _nth([one.id for one in state.frontier if one.status == "in_progress"], a)
    made = fm.resolve(
        state.frontier,
        target,
        answer=HOSTILE[b % len(HOSTILE)],
        claim_ids=tuple(state.ledger.claims)[:2],
        waivers={"verified": "rumour"} if b % 2 else {},
        actor=v.Actor.AGENT,
        caused_by="",
        at=state.at,
    )
    return _moved(state, made)


def _retry(state: State, a: int, b: int) -> State:
    target = _nth([one.id for one in state.frontier if one.status == "in_progress"], a)
    made = fm.retry(
        state.frontier,
        target,
        query=f"query {b}",
        why="no luck",
        assumption="none" if b % 2 else "",
        actor=v.Actor.AGENT,
        limits=LIMITS,
        turn=state.seq,
        at=state.at,
    )
    return _moved(state, made)


def _reopen(state: State, a: int, b: int) -> State:
    return _moved(
        state,
        fm.reopen(
            state.frontier,
            _nth(state.frontier.questions, a),
            "doubt",
            actor=v.Actor.CODE,
            caused_by="q_001",
            at=state.at,
        ),
    )


def _prune(state: State, a: int, b: int) -> State:
    return _moved(
        state,
        fm.prune_branch(
            state.frontier, _nth(state.frontier.questions, a), "beside the point", actor=v.Actor.HUMAN, at=state.at
        ),
    )


def _reblock(state: State, a: int, b: int) -> State:
    return _moved(state, fm.reblock(state.frontier, at=state.at))


def _drop_edges(state: State, a: int, b: int) -> State:
    return replace(state, frontier=fm.drop_edges(state.frontier, _nth(state.frontier.questions, a)))


def _search(state: State, a: int, b: int) -> State:
    frontier, _ = log_attempt(
        state.frontier,
        state.frontier.questions[_nth(state.frontier.questions, a)].id,
        tuple(v.AttemptKind)[b % 4],
        HOSTILE[a % len(HOSTILE)],
        "web_search",
        outcome="2 results",
        turn=state.seq,
        at=state.at,
    )
    return replace(state, frontier=frontier)


def _claim(state: State, a: int, b: int) -> State:
    ledger, source = cl.add_source(
        state.ledger,
        url=f"https://x.org/{a}",
        domain="x.org",
        title=HOSTILE[a % len(HOSTILE)],
        published="",
        unit="",
        at=state.at,
    )
    ledger, claim, made = cl.add_claim(
        ledger,
        kind=tuple(v.ClaimKind)[b % 2],
        text=f"claim {b}",
        value="1.5" if b % 2 else "",
        unit="kg" if b % 2 else "",
        question_id=state.frontier.questions[_nth(state.frontier.questions, b)].id,
        note="",
        actor=v.Actor.AGENT,
        at=state.at,
    )
    link = SourceLink(source_id=source.id, stance=v.Stance.SUPPORTS, quote="five words", created_at=state.at)
    return st.claim_moved(state, ledger.with_claim(cl.link_source(claim, link)), made)


def _link(state: State, a: int, b: int) -> State:
    claim = state.ledger.claims.get(_nth(state.ledger.claims, a))
    source = state.ledger.sources.get(_nth(state.ledger.sources, b))
    if claim is None or source is None:
        return state
    link = SourceLink(
        source_id=source.id,
        stance=tuple(v.Stance)[b % 2],
        quote=HOSTILE[b % len(HOSTILE)],
        page_sha256="f" * 64,
        start=a,
        end=a + 3,
        independent=b % 2 == 0,
        why="own research",
        created_at=state.at,
    )
    ledger = state.ledger.with_claim(cl.link_source(claim, link))
    ledger = ledger.with_source(replace(source, note=f"note {a}", retracted="withdrawn" if a % 5 == 0 else ""))
    return replace(state, ledger=ledger)


def _unlink(state: State, a: int, b: int) -> State:
    claim = state.ledger.claims.get(_nth(state.ledger.claims, a))
    return (
        state
        if claim is None
        else replace(state, ledger=state.ledger.with_claim(replace(claim, links=claim.links[1:])))
    )


def _status(state: State, a: int, b: int) -> State:
    claim = state.ledger.claims.get(_nth(state.ledger.claims, a))
    if claim is None or not claim.live:
        return state
    ledger, made = cl.set_status(
        state.ledger,
        claim.id,
        tuple(v.ClaimStatus)[b % 4],
        actor=v.Actor.CODE,
        reason=HOSTILE[b % len(HOSTILE)],
        caused_by="ch_001",
        at=state.at,
    )
    return st.claim_moved(state, ledger, made)


def _oppose(state: State, a: int, b: int) -> State:
    ids = list(state.ledger.claims)
    if len(ids) < 2:
        return state
    one, other = state.ledger.claims[ids[a % len(ids)]].id, state.ledger.claims[ids[(a + 1) % len(ids)]].id
    link = ClaimLink(
        claim_id=one,
        other_id=other,
        kind=tuple(v.Stance)[b % 2],
        status=tuple(v.LinkStatus)[a % 2],
        text="x",
        created_at=state.at,
    )
    return replace(state, ledger=state.ledger.with_link(link))


def _challenge(state: State, a: int, b: int) -> State:
    kind = tuple(v.TargetType)[a % 3]
    claim = _nth(state.ledger.claims, b) if kind is v.TargetType.CLAIM else ""
    if kind is v.TargetType.CLAIM and not claim:
        return state
    new = ch.Challenge(
        id=next_challenge_id(state.challenges),
        target_type=kind,
        claim_id=claim,
        question_id=_nth(state.frontier.questions, b) if kind is v.TargetType.QUESTION_ANSWER else "",
        belief=HOSTILE[a % len(HOSTILE)],
        strategy=tuple(v.Strategy)[b % 7],
        negation="it is not so",
        expected_if_false=(HOSTILE[1], "y"),
        query=f"q {b}",
        attempt_n=b % (len(state.frontier.attempts) + 1),
        opened_turn=state.seq,
        created_at=state.at,
    )
    return replace(state, challenges={**state.challenges, new.id: new})


def _close(state: State, a: int, b: int) -> State:
    open_ones = [one for one in state.challenges.values() if one.open]
    if not open_ones:
        return state
    done = replace(
        open_ones[a % len(open_ones)],
        status=v.ChallengeStatus.CLOSED,
        outcome=str(tuple(v.Outcome)[b % 4]),
        evidence="seen",
        source_ids=tuple(state.ledger.sources)[: b % 3],
        result_claim_id=_nth(state.ledger.claims, b),
        closed_turn=state.seq,
        closed_at=state.at,
    )
    return replace(state, challenges={**state.challenges, done.id: done})


def _note(state: State, a: int, b: int) -> State:
    return replace(st.noted(state, tuple(v.NotesReason)[b % 5]), notes_seq=state.notes_seq + 1)


def _enter(state: State, a: int, b: int) -> State:
    state = st.entered(
        state,
        tuple(v.RunState)[a % len(v.RunState)],
        _nth(state.frontier.questions, b),
        state.seq,
        HOSTILE[b % len(HOSTILE)],
    )
    return replace(state, turn=state.turn + 1)


def _spend(state: State, a: int, b: int) -> State:
    budget = replace(state.budget, tokens=state.budget.tokens + a, cost_usd=b / 7, cost_known=b % 5 != 0)
    return replace(state, budget=budget, phase=v.Phase.SYNTHESIS if a % 2 else v.Phase.EXPLORATION)


def _end(state: State, a: int, b: int) -> State:
    if a % 7:
        return state
    return replace(
        state,
        status=v.RunStatus.COMPLETED,
        stop_reason=v.StopReason.FINALIZED,
        report=HOSTILE[b % len(HOSTILE)],
        repaired=b % 2 == 1,
    )


MOVES: tuple[Callable[[State, int, int], State], ...] = (
    _add,
    _add,
    _add,
    _select,
    _select,
    _resolve,
    _retry,
    _reopen,
    _prune,
    _reblock,
    _drop_edges,
    _rewrite,
    _search,
    _claim,
    _claim,
    _link,
    _unlink,
    _status,
    _oppose,
    _challenge,
    _challenge,
    _close,
    _note,
    _enter,
    _spend,
    _end,
)
