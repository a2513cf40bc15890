"""The notes tools: recording and revising claims, datapoints, sources and gaps. The text is made from the ledger."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from investigator.core import claims as ledger_moves
from investigator.core import evidence
from investigator.core.blocks import clean, one_line, shield
from investigator.core.claims import ClaimLink, SourceLink
from investigator.core.frontier_moves import unknown
from investigator.core.ids import QuestionId
from investigator.core.notes import SCRATCH_MAX, SECTIONS, NotesError, notes_of, render, section
from investigator.core.refusal import Refusal
from investigator.core.state import ATOMIC, Gap, State, claim_moved, noted, progressed
from investigator.core.text import fold
from investigator.core.values import replace
from investigator.core.vocab import ClaimKind, LinkStatus, NotesReason, Stance
from investigator.tools import contradictions
from investigator.tools.moves import Args, Caller, Done, claim_of, source_of

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_KIND_OF_SECTION = {
    "unverified": "claim", "datapoints": "datapoint", "sources": "source",
    **dict.fromkeys(("assumptions gaps", "assumptions and gaps", "gaps and assumptions", "gaps"), "gap"),
    "assumptions": "assumption",
}  # fmt: skip
_STANDS = {
    "claim": "Unverified", "datapoint": "Datapoints", "gap": "Assumptions & gaps", "assumption": "Assumptions & gaps",
}  # fmt: skip


def notes_read(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """All notes, or one section."""
    try:
        wanted = args.get("section", "")
        text = section(notes_of(state), wanted) if wanted else render(notes_of(state))
    except NotesError:
        # The error names the sections too: once is enough.
        return Refusal(
            kind="section", text=f"there is no section {wanted!r}.", instead=f"Sections: {', '.join(SECTIONS)}."
        )
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
            instead="Claims start under Unverified (set VERIFIED with notes_update); contradictions come from "
            "an entry's contradicts; Scratch is written with notes_scratch.",
        )
    if heading not in _KIND_OF_SECTION:
        return Refusal(
            kind="section",
            text=f"there is no section {one_line(args['section'], 40)!r}.",
            instead=f"Sections: {', '.join(SECTIONS)}; entries go to Unverified, Datapoints or Assumptions & gaps.",
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
            lines.append(done.text + _elsewhere(heading, entry, args["section"]))
    if len(refusals) == len(args["entries"]):
        return Refusal(kind=refusals[0].kind, text=" | ".join(str(one) for one in refusals))
    return Done(state=state, text="\n".join(lines), named=tuple(named))


def _elsewhere(heading: str, entry: Args, section: str) -> str:
    """The sentence that corrects a section which is not that of the entry's kind."""
    place, named = _STANDS.get(str(entry.get("kind", ""))), _STANDS.get(_KIND_OF_SECTION[heading], "Sources")
    return f"; it stands under {place}, not under {section}" if place and place != named else ""


def _append(state: State, caller: Caller, heading: str, entry: Args) -> Done | Refusal:
    kind = str(entry.get("kind", "") or _KIND_OF_SECTION[heading])
    if not fold(entry["text"]):
        return Refusal(kind="empty", text="an entry needs a text.")
    if kind == "source":
        return note_source(state, entry.get("source", ""), entry["text"])
    question_id = entry.get("question_id") or caller.question
    if question_id not in state.frontier.questions:
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
    if entry.get("quote") and not entry.get("source"):
        return Refusal(kind="no_source", text="a quote needs its source.", instead="Name the s_ id of the page.")
    if entry.get("source"):
        found = link_of(state, entry, value)
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
    summary = f"{claim.id} recorded UNVERIFIED" if known is None else f"{claim.id} stands already as {claim.status}"
    state = progressed(noted(state, NotesReason.APPEND)) if known is None else noted(state, NotesReason.APPEND)
    if link is not None:
        state = linked(state, claim.id, link)
        summary += f", {link.stance} {link.source_id}" + (" with quote" if link.located else " without quote")
    for other, stance in others:
        state = _claims_linked(state, claim.id, other, stance)
    return Done(state=state, text=summary, named=(link.source_id,) if link is not None else ())


def _decimal(value: object) -> str:
    """A canonical decimal string; '' if this is no number."""
    text = "".join(str(value).split()).replace("\u2212", "-").rstrip("%").lstrip("$€£")
    # A comma is dropped only where it can be nothing but a thousands separator: 1,5 is not 15.
    text = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
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


def link_of(state: State, entry: Args, value: str) -> SourceLink | Refusal:
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


def linked(state: State, claim_id: str, link: SourceLink) -> State:
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


def note_source(state: State, name: str, text: str) -> Done | Refusal:
    source = source_of(state, name)
    if isinstance(source, Refusal):
        return source
    changed = state.ledger.with_source(replace(source, note=one_line(text, 300)))
    return Done(
        state=noted(replace(state, ledger=changed), NotesReason.UPDATE), text=f"{source.id} noted", named=(source.id,)
    )


HANDLERS: dict[str, Any] = {
    "notes_read": notes_read,
    "notes_scratch": notes_scratch,
    "notes_append": notes_append,
}
