"""The notes tools: recording and revising claims, datapoints, sources and gaps. The notes text is made from the ledger."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from investigator.core import claims as ledger_moves
from investigator.core import evidence
from investigator.core.blocks import clean, one_line, shield
from investigator.core.claims import Claim, ClaimLink, SourceLink
from investigator.core.ids import QuestionId, prefix_of
from investigator.core.notes import SCRATCH_MAX, SECTIONS, NotesError, notes_of, section
from investigator.core.refusal import Refusal
from investigator.core.state import ATOMIC, Gap, State, claim_moved, noted, progressed
from investigator.core.text import fold
from investigator.core.vocab import Actor, ClaimKind, ClaimStatus, LinkStatus, NotesReason, Stance
from investigator.tools import contradictions
from investigator.tools.moves import Args, Caller, Done, claim_of, source_of

GAPS = "Assumptions & gaps"
_KIND_OF_SECTION = {"datapoints": "datapoint", "assumptions & gaps": "gap", "sources": "source"}


def notes_read(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """All notes, or one section."""
    try:
        wanted = args.get("section", "")
        from investigator.core.notes import render

        text = section(notes_of(state), wanted) if wanted else render(notes_of(state))
    except NotesError as error:
        return Refusal(kind="section", text=f"{error}.", instead=f"Sections: {', '.join(SECTIONS)}.")
    return Done(state=state, text=shield(text))


def notes_scratch(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Replace Scratch; an earlier ``Atomic objective:`` line is kept."""
    text = clean(args["text"]).strip()
    kept = [line for line in state.scratch.splitlines() if line.startswith(ATOMIC)]
    text = "\n".join([*(line for line in kept if line not in text.splitlines()), text]).strip()
    if len(text) > SCRATCH_MAX:
        return Refusal(
            kind="too_long",
            text=f"Scratch may have {SCRATCH_MAX} characters, this has {len(text)}.",
            instead="Shorten it.",
        )
    state = noted(replace(state, scratch=text), NotesReason.SCRATCH)
    return Done(
        state=state, text=f"Scratch has {len(text)} characters" + ("; conclusion stated" if state.conclusion else "")
    )


def notes_append(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Record entries; those that are refused say why, the others stand."""
    heading = fold(args["section"])
    if heading in ("verified", "contradictions", "scratch"):
        return Refusal(
            kind="section",
            text=f"entries are not appended to {args['section']}.",
            instead="Claims start under Unverified (set VERIFIED with notes_update); contradictions come from an entry's contradicts; "
            "Scratch is written with notes_scratch.",
        )
    lines: list[str] = []
    refusals: list[Refusal] = []
    named: list[str] = []
    for number, entry in enumerate(args["entries"], 1):
        done = _append(state, caller, heading, entry)
        if isinstance(done, Refusal):
            refusals.append(done)
            lines.append(f"entry {number} refused ({done.kind}): {done}")
        else:
            state = done.state
            named.extend(done.named)
            lines.append(done.text)
    if len(refusals) == len(args["entries"]):
        return Refusal(kind=refusals[0].kind, text=" | ".join(str(one) for one in refusals))
    return Done(state=state, text="\n".join(lines), named=tuple(named))


def _append(state: State, caller: Caller, heading: str, entry: Args) -> Done | Refusal:
    default = _KIND_OF_SECTION.get(heading.replace("assumptions gaps", "assumptions & gaps"), "claim")
    kind = str(entry.get("kind", "") or default)
    if not fold(entry["text"]):
        return Refusal(kind="empty", text="an entry needs a text.")
    if kind == "source":
        return _note_source(state, entry.get("source", ""), entry["text"])
    question_id = entry.get("question_id") or caller.question
    if question_id not in state.frontier.questions:
        from investigator.core.frontier_moves import unknown

        return unknown(question_id)
    if kind in ("gap", "assumption"):
        gap = Gap(question_id=question_id, kind=kind, text=one_line(entry["text"], 600))
        if gap in state.gaps:
            return Refusal(kind="known", text="that gap stands in the notes already.")
        return Done(
            state=noted(replace(state, gaps=(*state.gaps, gap)), NotesReason.APPEND),
            text=f"{kind} of {question_id} noted",
        )
    return _append_claim(state, caller, ClaimKind(kind), QuestionId(question_id), entry)


def _append_claim(
    state: State, caller: Caller, kind: ClaimKind, question_id: QuestionId, entry: Args
) -> Done | Refusal:
    value = _decimal(entry.get("value", "")) if kind is ClaimKind.DATAPOINT else ""
    if kind is ClaimKind.DATAPOINT and not value:
        return Refusal(
            kind="value",
            text=f"a datapoint needs a decimal value, got {entry.get('value', '')!r}.",
            instead="Give value and unit, or record a claim.",
        )
    others = _others(state, entry)
    if isinstance(others, Refusal):
        return others
    link: SourceLink | None = None
    if entry.get("source"):
        found = _link(state, entry, value)
        if isinstance(found, Refusal):
            return found
        link = found
    text, unit = one_line(entry["text"], 600), one_line(str(entry.get("unit", "")), 60)
    known = ledger_moves.equal_claim(state.ledger, kind, text, value, unit)
    if known is None:
        ledger, claim, created = ledger_moves.add_claim(
            state.ledger,
            kind=kind,
            text=text,
            value=value,
            unit=unit,
            question_id=question_id,
            note=one_line(str(entry.get("note", "")), 600),
            actor=caller.actor,
            at=state.at,
        )
        state = claim_moved(state, ledger, created)
    else:
        claim = known
    summary = f"{claim.id} {'recorded' if known is None else 'stands already, source added'} UNVERIFIED"
    summary = summary if known is None else f"{claim.id} stands already as {claim.status}"
    state = progressed(noted(state, NotesReason.APPEND)) if known is None else noted(state, NotesReason.APPEND)
    if link is not None:
        state = _linked(state, claim.id, link)
        summary += f", {link.stance} {link.source_id}" + (" with quote" if link.located else " without quote")
    for other, stance in others:
        state = _claims_linked(state, claim.id, other, stance)
    return Done(state=state, text=summary, named=(link.source_id,) if link is not None else ())


def _decimal(value: object) -> str:
    """A canonical decimal string; '' if this is no number."""
    text = str(value).strip().replace(",", "").replace(" ", "").replace("\u2212", "-").rstrip("%").lstrip("$€£")
    try:
        number = Decimal(text)
    except InvalidOperation:
        return ""
    if not number.is_finite() or abs(number.adjusted()) > 60:
        return ""
    return f"{number:f}"


def _others(state: State, entry: Args) -> list[tuple[str, Stance]] | Refusal:
    """Claims that the entry speaks for or against; all must exist."""
    found = []
    for name, stance in (("supports", Stance.SUPPORTS), ("contradicts", Stance.CONTRADICTS)):
        for one in entry.get(name, ()):
            claim = claim_of(state, one)
            if isinstance(claim, Refusal):
                return claim
            found.append((str(claim.id), stance))
    return found


def _link(state: State, entry: Args, value: str) -> SourceLink | Refusal:
    """The link of an entry to its source, its quote looked up in the stored page."""
    source = source_of(state, str(entry["source"]))
    if isinstance(source, Refusal):
        return source
    link = SourceLink(
        source_id=source.id,
        stance=Stance(entry.get("stance") or "supports"),
        independent=bool(entry.get("independent", False)),
        why=one_line(str(entry.get("why", "")), 400),
        created_at=state.at,
    )
    quote = str(entry.get("quote", "") or "").strip()
    if not quote:
        return link
    page = state.page_of(source.id)
    if page is None:
        return Refusal(kind="not_fetched", text=f"no page of {source.id} was read.", instead="fetch it first.")
    found = evidence.check_quote(quote, page.text, value)
    if isinstance(found, str):
        return Refusal(kind="quote", text=found)
    exact = page.text[found.start : found.end]
    return replace(link, quote=exact, page_sha256=page.sha256, start=found.start, end=found.end)


def _linked(state: State, claim_id: str, link: SourceLink) -> State:
    claim = state.ledger.claims[claim_id]
    old = claim.link(link.source_id)
    changed = replace(ledger_moves.link_source(claim, link), updated_at=state.at)
    if link.located and (old is None or not old.located):
        state = progressed(state)
    state = replace(state, ledger=state.ledger.with_claim(changed))
    return contradictions.mark_altered_copies(state, claim_id, link.source_id)


def _claims_linked(state: State, claim_id: str, other_id: str, stance: Stance) -> State:
    if claim_id == other_id:
        return state
    if stance is Stance.CONTRADICTS:
        return contradictions.contradict(state, claim_id, other_id, "", "")
    link = ClaimLink(
        claim_id=state.ledger.claims[claim_id].id,
        other_id=state.ledger.claims[other_id].id,
        kind=stance,
        status=LinkStatus.ADDRESSED,
        created_at=state.at,
    )
    return state if link.key in state.ledger.links else contradictions.replace_link(state, link)


def _note_source(state: State, name: str, text: str) -> Done | Refusal:
    source = source_of(state, name)
    if isinstance(source, Refusal):
        return source
    changed = state.ledger.with_source(replace(source, note=one_line(text, 300)))
    return Done(
        state=noted(replace(state, ledger=changed), NotesReason.UPDATE), text=f"{source.id} noted", named=(source.id,)
    )


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
        return _note_source(state, source.id, str(value))
    if name == "retract":
        changed = state.ledger.with_source(replace(source, retracted=one_line(str(value), 300)))
        return Done(
            state=noted(replace(state, ledger=changed), NotesReason.UPDATE),
            text=f"{source.id} retracted",
            named=(source.id,),
        )
    return Refusal(kind="change", text=f"a source has no {name}.", instead="A source takes note or retract.")


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
    """Move between UNVERIFIED and VERIFIED; the caller has checked that it may."""
    ledger, transition = ledger_moves.set_status(
        state.ledger, claim.id, wanted, actor=actor, reason=reason, caused_by="", at=state.at
    )
    return progressed(noted(claim_moved(state, ledger, transition), NotesReason.UPDATE))


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
    return (
        done if isinstance(done, Refusal) else Done(state=progressed(done), text=f"{claim.id} is REFUTED by {live[-1]}")
    )


def _add_source(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    link = _link(state, value, claim.value)
    if isinstance(link, Refusal):
        return link
    state = noted(_linked(state, claim.id, link), NotesReason.UPDATE)
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
    if claim.link(source.id) is None:
        return Refusal(kind="not_linked", text=f"{source.id} is not linked to {claim.id}.")
    kept = tuple(one for one in claim.links if one.source_id != source.id)
    changed = state.ledger.with_claim(replace(claim, links=kept, updated_at=state.at))
    return Done(
        state=noted(replace(state, ledger=changed), NotesReason.UPDATE),
        text=f"{source.id} dropped from {claim.id}",
        named=(source.id,),
    )


def _note(state: State, caller: Caller, claim: Claim, value: Any) -> Done | Refusal:
    changed = state.ledger.with_claim(replace(claim, note=one_line(str(value), 600), updated_at=state.at))
    return Done(state=noted(replace(state, ledger=changed), NotesReason.UPDATE), text=f"{claim.id} noted")


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
        into = ledger_moves.link_source(into, link) if into.link(link.source_id) is None else into
    into = replace(
        into, checks=(*into.checks, *(one for one in claim.checks if one not in into.checks)), updated_at=state.at
    )
    ledger = state.ledger.with_claim(into)
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


def _recited(state: State, old: str, new: str) -> Any:
    """Answers that cite the old id cite the new one: the same assertion under another id."""
    from investigator.core.frontier import put

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

HANDLERS: dict[str, Any] = {
    "notes_read": notes_read,
    "notes_scratch": notes_scratch,
    "notes_append": notes_append,
    "notes_update": notes_update,
}
