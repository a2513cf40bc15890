"""notes_update: changing one record in exactly one way. The rule for VERIFIED is `core.claims.missing_for_verified`."""

from __future__ import annotations

from typing import Any

from investigator.core import claims as ledger_moves
from investigator.core.blocks import one_line
from investigator.core.claims import Claim, Ledger, Source
from investigator.core.frontier import Frontier, put
from investigator.core.ids import ClaimId, prefix_of
from investigator.core.refusal import Refusal
from investigator.core.state import State, claim_moved, noted
from investigator.core.values import replace
from investigator.core.vocab import Actor, ClaimStatus, LinkStatus, NotesReason, Stance, TurnKind
from investigator.tools import contradictions
from investigator.tools.moves import VERIFY_TURNS, Args, Caller, Done, claim_of, explained, source_of
from investigator.tools.notes import link_of, linked, note_source


def notes_update(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Change one record in exactly one way."""
    given = {name: value for name, value in args["change"].items() if value not in ("", None)}
    if len(given) != 1:
        return Refusal(
            kind="change",
            text=f"change must hold exactly one of its fields, got {', '.join(sorted(given)) or 'none'}.",
            instead="Make one call for each change.",
        )
    ((name, value),) = given.items()
    if "><" in args["id"]:
        return _address(state, args["id"], name, value)
    if prefix_of(args["id"].strip()) == "s":
        return _update_source(state, args["id"], name, value)
    claim = claim_of(state, args["id"])
    if isinstance(claim, Refusal):
        return claim
    if not claim.live and name != "note":
        return Refusal(
            kind="final", text=f"{claim.id} is {claim.status}, which is final.", instead="Record a new claim."
        )
    return _UPDATES[name](state, caller, claim, value)


def _address(state: State, key: str, name: str, value: Any) -> Done | Refusal:
    left, _, right = (part.strip() for part in key.partition("><"))
    link = state.ledger.links.get((left, right)) or state.ledger.links.get((right, left))
    if link is None or link.kind is not Stance.CONTRADICTS:
        return Refusal(
            kind="unknown_contradiction",
            text=f"there is no contradiction {key}.",
            instead="Use an id of the section Contradictions.",
        )
    if name != "addressed":
        return Refusal(kind="change", text="a contradiction can only be addressed.", instead="Give {addressed: why}.")
    state = contradictions.replace_link(
        state, replace(link, status=LinkStatus.ADDRESSED, text=one_line(str(value), 400))
    )
    return Done(state=state, text=f"{link.claim_id}><{link.other_id} addressed")


def _update_source(state: State, source_id: str, name: str, value: Any) -> Done | Refusal:
    source = source_of(state, source_id)
    if isinstance(source, Refusal):
        return source
    if name == "note":
        return note_source(state, source.id, str(value))
    if name == "retract":
        changed = state.ledger.with_source(replace(source, retracted=one_line(str(value), 300)))
        state = noted(replace(state, ledger=changed), NotesReason.UPDATE)
        return Done(state=state, text=f"{source.id} retracted{_left_refuted(state, source)}", named=(source.id,))
    return Refusal(kind="change", text=f"a source has no {name}.", instead="A source takes note or retract.")


def _left_refuted(state: State, source: Source) -> str:
    """REFUTED is final, also when what refuted is gone (DESIGN section 5): the belief would be a new claim."""
    left = [
        one.id
        for one in state.ledger.claims.values()
        if one.status is ClaimStatus.REFUTED
        and (link := one.link(source.id)) is not None
        and link.stance is Stance.CONTRADICTS
        and not contradictions.carried_against(state, one)
    ]
    rests = f"; nothing located speaks against {', '.join(left)} any more" if left else ""
    return f"{rests}: REFUTED is final, record it as a new claim if it holds" if left else ""


def _set_status(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    wanted = ClaimStatus(value)
    if wanted is claim.status:
        return Refusal(kind="no_change", text=f"{claim.id} is {claim.status} already.")
    if wanted is ClaimStatus.RETRACTED:
        return _retract(state, caller, claim, "no reason given")
    if wanted is ClaimStatus.REFUTED:
        return _refute(state, caller, claim)
    if wanted is ClaimStatus.VERIFIED:
        missing = ledger_moves.missing_for_verified(state.ledger, claim, state.page_texts, state.limits)
        if missing:
            return Refusal(
                kind="not_verified",
                text="; ".join(missing) + ".",
                instead="Add an independent source with a quote, or challenge it and search.",
            )
    return Done(state=status_set(state, claim, wanted, caller.actor, ""), text=f"{claim.id} is {wanted}")


def status_set(state: State, claim: Claim, wanted: ClaimStatus, actor: Actor, reason: str) -> State:
    """Move between UNVERIFIED and VERIFIED; the caller has checked that it may.

    It is no progress in the sense of DESIGN section 9: what it rests on was counted, and it can be turned to and fro.
    """
    ledger, transition = ledger_moves.set_status(
        state.ledger, claim.id, wanted, actor=actor, reason=reason, caused_by="", at=state.at
    )
    return noted(claim_moved(state, ledger, transition), NotesReason.UPDATE)


def _refute(state: State, caller: Caller, claim: Claim) -> Done | Refusal:
    rivals = [
        one.claim_id if one.other_id == claim.id else one.other_id
        for one in state.ledger.links.values()
        if one.kind is Stance.CONTRADICTS and claim.id in one.key
    ]
    live = [one for one in rivals if state.ledger.claims[one].live]
    if not live:
        return Refusal(
            kind="no_counter_claim",
            text=f"no live claim contradicts {claim.id}.",
            instead=f"Record the counter-claim with contradicts: [{claim.id}] and a quote first.",
        )
    done = contradictions.refute(
        state, claim.id, live[-1], actor=caller.actor, reason=f"contradicted by {live[-1]}", caused_by=""
    )
    return done if isinstance(done, Refusal) else Done(state=done, text=f"{claim.id} is REFUTED by {live[-1]}")


def _add_source(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    link = link_of(state, value, claim.value)
    if isinstance(link, Refusal):
        return link
    state = noted(linked(state, claim.id, link), NotesReason.UPDATE)
    missing = ledger_moves.missing_for_verified(
        state.ledger, state.ledger.claims[claim.id], state.page_texts, state.limits
    )
    text = f"{claim.id}: {link.source_id} {link.stance}" + (" with quote" if link.located else " without quote")
    return Done(
        state=state,
        text=text + (f"; to be VERIFIED: {'; '.join(missing)}" if missing else "; may be VERIFIED"),
        named=(link.source_id,),
    )


def _drop_source(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    source = source_of(state, str(value))
    if isinstance(source, Refusal):
        return source
    link = claim.link(source.id)
    if link is None:
        return Refusal(kind="not_linked", text=f"{source.id} is not linked to {claim.id}.")
    if link.why.startswith(contradictions.COPY_OF) and not caller.human:
        # Found by code: if the model could drop it, the other copy would count again.
        return Refusal(
            kind="altered_copy",
            text=f"{source.id} is an {link.why} and stands against {claim.id}.",
            instead="Find an independent source that says which of the two is right.",
        )
    kept = tuple(one for one in claim.links if one.source_id != source.id)
    changed = state.ledger.with_claim(replace(claim, links=kept, updated_at=state.at))
    return Done(
        state=noted(replace(state, ledger=changed), NotesReason.UPDATE),
        text=f"{source.id} dropped from {claim.id}",
        named=(source.id,),
    )


def _note(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    note = one_line(str(value), 600)
    changed = state.ledger.with_claim(replace(claim, note=note, updated_at=state.at))
    state = noted(replace(state, ledger=changed), NotesReason.UPDATE)
    worker = state.workers.get(caller.worker)
    turn_of = caller.kind is TurnKind.VERIFYING and worker is not None and worker.verifying == claim.id
    if claim.status is not ClaimStatus.UNVERIFIED or not (turn_of or caller.human):
        return Done(state=state, text=f"{claim.id} noted")
    # Said where verification is asked for, the note is the explanation why there is none; the claim's turns end.
    state = explained(state, claim.id, note)
    if turn_of and worker is not None:
        state = state.with_worker(replace(worker, verify_turns=VERIFY_TURNS))
    return Done(state=state, text=f"{claim.id} noted; it stays UNVERIFIED, explained by the note")


def _retract(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    state = contradictions.retract(state, claim.id, actor=caller.actor, reason=one_line(str(value), 400))
    return Done(state=state, text=f"{claim.id} is RETRACTED")


def _merge(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    """Fold a duplicate into another claim of its kind: links, checks and citations move."""
    into = claim_of(state, str(value))
    if isinstance(into, Refusal):
        return into
    if into.id == claim.id or into.kind is not claim.kind or not into.live:
        return Refusal(
            kind="merge",
            text=f"{claim.id} ({claim.kind}) cannot be merged into {into.id} ({into.kind}, {into.status}).",
            instead="Merge into another live claim of the same kind.",
        )
    if any(
        one.kind is Stance.CONTRADICTS and {claim.id, into.id} == set(one.key) for one in state.ledger.links.values()
    ):
        return Refusal(
            kind="merge", text=f"{claim.id} and {into.id} contradict each other.", instead="Settle that first."
        )
    for link in claim.links:
        mine = into.link(link.source_id)
        if mine is None or (mine.stance is link.stance and link.located and not mine.located):
            into = ledger_moves.link_source(into, link)
    into = replace(
        into, checks=(*into.checks, *(one for one in claim.checks if one not in into.checks)), updated_at=state.at
    )
    ledger = _relinked(state.ledger.with_claim(into), claim.id, into.id)
    state = replace(state, ledger=ledger, frontier=_recited(state, claim.id, into.id))
    ledger, transition = ledger_moves.set_status(
        ledger,
        claim.id,
        ClaimStatus.RETRACTED,
        actor=caller.actor,
        reason=f"merged into {into.id}",
        caused_by="",
        at=state.at,
    )
    gone = replace(ledger.claims[claim.id], note=f"merged into {into.id}")
    state = noted(claim_moved(state, ledger.with_claim(gone), transition), NotesReason.CONSOLIDATION)
    state = contradictions.close_moot_challenges(contradictions.address_settled(state))
    return Done(state=state, text=f"{claim.id} merged into {into.id}")


def _relinked(ledger: Ledger, old: str, new: ClaimId) -> Ledger:
    """What speaks for or against the old claim does so for the new one: an open contradiction is not merged away."""
    for link in tuple(ledger.links.values()):
        if old not in link.key or new in link.key:
            continue
        moved = replace(link, claim_id=new) if link.claim_id == old else replace(link, other_id=new)
        known = ledger.links.get(moved.key) or ledger.links.get((moved.other_id, moved.claim_id))
        if known is None or (known.kind is Stance.SUPPORTS and moved.kind is Stance.CONTRADICTS):
            ledger = ledger.with_link(moved)
    return ledger


def _recited(state: State, old: str, new: str) -> Frontier:
    """Answers that cite the old id cite the new one: the same assertion under another id."""
    frontier = state.frontier
    for question in state.frontier:
        if old in question.answer_claim_ids:
            ids = tuple(dict.fromkeys(new if one == old else one for one in question.answer_claim_ids))
            frontier = put(frontier, replace(question, answer_claim_ids=ids))
    return frontier


def _wrong_change(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    return Refusal(kind="change", text="addressed belongs to a contradiction.", instead="Use an id like c_003><c_001.")


_UPDATES = {
    "status": _set_status,
    "add_source": _add_source,
    "drop_source": _drop_source,
    "note": _note,
    "retract": _retract,
    "merged_into": _merge,
    "addressed": _wrong_change,
}

HANDLERS: dict[str, Any] = {"notes_update": notes_update}
