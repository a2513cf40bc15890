"""The report gate, and the repair of a report that does not pass it.

The gate reads references by id and never judges what a sentence means. Repair changes as little as it can and lists
what it changed; whatever the text, its result passes the gate: a gate never destroys work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from investigator.core.blocks import one_line
from investigator.core.report_text import (
    APPENDED,
    CITATION,
    CONTRADICTIONS,
    GAPS,
    ID,
    Block,
    Kind,
    before_the_end,
    blocks_of,
    cited_in,
    ids_in,
    in_last_cell,
    text_of,
    tidy,
)
from investigator.core.report_write import (
    NO_EVIDENCE,
    UNSUPPORTED,
    UNVERIFIED,
    details,
    draft,
    gap_lines,
    must_be_named,
    usable,
)
from investigator.core.state import State
from investigator.core.values import replace
from investigator.core.vocab import ClaimStatus

_ROUNDS = 4
_DEAD = (ClaimStatus.REFUTED, ClaimStatus.RETRACTED)


def check_report(state: State, text: str) -> tuple[str, ...]:
    """Everything that keeps this text from being the report, one sentence each; empty: it may be stored."""
    blocks = blocks_of(text)
    if not _says_anything(blocks):
        return ("The report is empty: write Summary, Details, Contradictions, and Gaps and assumptions.",)
    faults = [fault for block in blocks for fault in _faults(state, block)]
    if any(one.section == APPENDED and one.kind is Kind.HEADING for one in blocks):
        faults.append("Leave out the list of sources and the status of the claims: code appends both.")
    if usable(state) and not _cites_any(state, blocks):
        faults.append("The report cites no claim: cite them as [c_001] in the sentences that rest on them.")
    missing = [one.id for one in must_be_named(state) if one.id not in _named_gaps(blocks)]
    if missing:
        faults.append(f'Name under "## {GAPS}", with what is assumed instead: {", ".join(missing)}.')
    return tuple(dict.fromkeys(faults))


def repair(state: State, text: str) -> tuple[str, tuple[str, ...]]:
    """The text made fit for the gate, and what was changed, one sentence each (none: it passed as it was)."""
    if not check_report(state, text):
        return text, ()
    if not _says_anything(blocks_of(text)):
        return written_by_code(state), ("The report was empty; code wrote it from the answers and claims.",)
    changes: list[str] = []
    for _ in range(_ROUNDS):
        text, made = _mend(state, text)
        changes += made
        if not check_report(state, text):
            return text, tuple(dict.fromkeys(changes))
    return written_by_code(state), ("The text could not be mended; code wrote the report from the answers and claims.",)


def written_by_code(state: State) -> str:
    """A report from answers and claims; with no usable claim it says "No evidence found" and what was tried."""
    text = draft(state)
    for _ in range(_ROUNDS):
        if not check_report(state, text):
            return text
        text, _changes = _mend(state, text)
    return text if not check_report(state, text) else _bare(state)


def _bare(state: State) -> str:
    """Ids alone: no recorded text, so nothing in it can fail."""
    live = [one for one in state.ledger.claims.values() if one.live]
    lines = [f"- See the claim {UNVERIFIED} [{one.id}]." for one in live] or [f"{NO_EVIDENCE}."]
    gaps = [f"- {one.id}" for one in must_be_named(state)]
    return "\n".join(["## Summary", "", *lines, *(["", f"## {GAPS}", "", *gaps] if gaps else [])]) + "\n"


# What a sentence must fulfil


def _says_anything(blocks: Iterable[Block]) -> bool:
    return any(one.asserts and one.sentences() for one in blocks)


def _faults(state: State, block: Block) -> Iterator[str]:
    if block.section == APPENDED:
        return
    for sentence in block.sentences():
        shown = f"“{one_line(sentence, 80)}”"
        unknown = _unknown(state, sentence)
        if unknown:
            yield f"There is no {', '.join(unknown)}: {shown}"
        dead = _dead(state, sentence)
        if dead and block.section != CONTRADICTIONS:
            yield f'{", ".join(dead)} may stand only under "## {CONTRADICTIONS}": {shown}'
        elif not unknown and not _supported(state, block, sentence):
            weak = _unverified(state, sentence)
            if weak:
                yield f'{", ".join(weak)} is UNVERIFIED and the sentence must say "unverified": {shown}'
            elif block.kind is Kind.HEADING:
                yield f"No claim is cited in a heading that states something; cite one or shorten it: {shown}"
            else:
                yield f"No claim is cited: {shown}"


def _supported(state: State, block: Block, sentence: str) -> bool:
    if not block.asserts or block.section == GAPS or UNSUPPORTED in sentence:
        return True
    claims = [state.ledger.claims[one] for one in cited_in(sentence) if one in state.ledger.claims]
    if any(one.status is ClaimStatus.VERIFIED for one in claims):
        return True
    if any(one.status in _DEAD for one in claims) and block.section == CONTRADICTIONS:
        return True
    if any(one.live for one in claims):
        return re.search(r"(?i)\bunverified\b", sentence) is not None
    return not usable(state) and sentence.startswith(NO_EVIDENCE)


def _unknown(state: State, text: str) -> tuple[str, ...]:
    ledger = state.ledger
    return tuple(
        one
        for one in ids_in(text)
        if one.startswith(("c_", "d_", "s_")) and one not in ledger.claims and one not in ledger.sources
    )


def _dead(state: State, text: str) -> tuple[str, ...]:
    claims = state.ledger.claims
    return tuple(one for one in ids_in(text) if one in claims and claims[one].status in _DEAD)


def _unverified(state: State, text: str) -> tuple[str, ...]:
    claims = state.ledger.claims
    return tuple(one for one in cited_in(text) if one in claims and claims[one].live)


def _cites_any(state: State, blocks: Iterable[Block]) -> bool:
    return any(one.asserts and set(cited_in(one.text)) & set(state.ledger.claims) for one in blocks)


def _named_gaps(blocks: Iterable[Block]) -> frozenset[str]:
    return frozenset(identifier for one in blocks if one.section == GAPS for identifier in ids_in(one.text))


# Repair


def _mend(state: State, text: str) -> tuple[str, list[str]]:
    changes: list[str] = []
    moved: list[str] = []
    blocks = blocks_of(text)
    kept = [one for one in blocks if one.section != APPENDED]
    if len(kept) < len(blocks):
        changes.append("A list of sources in the text was left out: the sources stand below.")
    mended = [done for one in kept for done in _mended(state, one, moved, changes)]
    if moved:
        mended = _inserted(mended, CONTRADICTIONS, [f"- {one}" for one in moved])
    missing = [one for one in must_be_named(state) if one.id not in _named_gaps(mended)]
    if missing:
        changes.append(f"Added under {GAPS}: {', '.join(one.id for one in missing)}.")
        mended = _inserted(mended, GAPS, list(gap_lines(state, missing)))
    if usable(state) and not _cites_any(state, mended):
        changes.append("The text cited no claim; what the claims say was added.")
        found = f"## What the claims say\n\n{details(state) or draft(state)}\n"
        at = next((number for number, one in enumerate(mended) if one.section), len(mended))
        mended[at:at] = blocks_of(found)
    return text_of(mended), changes


def _mended(state: State, block: Block, moved: list[str], changes: list[str]) -> Iterator[Block]:
    """The block as it may stay; sentences that rest on a refuted claim go to ``moved``."""
    if not block.asserts or block.section == GAPS or block.kind is Kind.HEADING:
        # A heading that is moved would take its section's text out of its section.
        text = _scrubbed(state, block.text, changes)
        yield replace(block, text=_marked(state, block, text, changes) if block.sentences() else text)
        return
    stay = []
    for sentence in block.sentences():
        known = _without_unknown(state, sentence, changes)
        dead = _dead(state, known)
        if dead and block.section != CONTRADICTIONS:
            changes.append(f"Moved under {CONTRADICTIONS} for {', '.join(dead)}: “{one_line(known, 80)}”")
            free = replace(block, kind=Kind.ITEM, section=CONTRADICTIONS)
            moved.append(_marked(state, free, _as_item(known), changes))
        elif re.search(r"[^\W_]", known):
            stay.append(_marked(state, block, known, changes))
    if stay:
        yield replace(block, text=" ".join(stay))


def _marked(state: State, block: Block, sentence: str, changes: list[str]) -> str:
    if _supported(state, block, sentence):
        return sentence
    weak = _unverified(state, sentence)
    mark = UNVERIFIED if weak else UNSUPPORTED
    why = f"{', '.join(weak)} is not verified" if weak else "no claim is cited"
    changes.append(f"Marked {mark}, {why}: “{one_line(sentence, 80)}”")
    return in_last_cell(sentence, mark) if block.kind is Kind.ROW else before_the_end(sentence, mark)


def _without_unknown(state: State, text: str, changes: list[str]) -> str:
    unknown = _unknown(state, text)
    if not unknown:
        return text
    changes.append(f"Removed {', '.join(unknown)}, which does not exist.")

    def bracket(match: re.Match[str]) -> str:
        left = [one for one in ID.findall(match[1]) if one not in unknown]
        return f"[{', '.join(left)}]" if left else ""

    cleared = CITATION.sub(lambda match: bracket(match) if set(ID.findall(match[1])) & set(unknown) else match[0], text)
    return tidy(ID.sub(lambda match: "another record" if match[1] in unknown else match[1], cleared))


def _scrubbed(state: State, text: str, changes: list[str]) -> str:
    """Headings and gaps: dead claims are not named there either."""
    known = _without_unknown(state, text, changes)
    dead = _dead(state, known)
    if not dead:
        return known
    changes.append(f"{', '.join(dead)} is no longer named in “{one_line(known, 80)}”")
    return ID.sub(lambda match: "a refuted claim" if match[1] in dead else match[1], known)


def _as_item(sentence: str) -> str:
    """A table row as the text of a list item."""
    if not sentence.startswith("|"):
        return sentence
    return " — ".join(one.strip() for one in sentence.strip("| ").split("|"))


def _inserted(blocks: list[Block], section: str, lines: list[str]) -> list[Block]:
    """The lines at the end of a section, which is made if there is none: contradictions before gaps, gaps last."""
    ends = [number for number, one in enumerate(blocks, 1) if one.section == section]
    new = [replace(one, section=section) for line in lines for one in blocks_of(line)]
    if ends:
        at = ends[-1]
        while blocks[at - 1].kind is Kind.MARK and not blocks[at - 1].text:
            at -= 1
        return [*blocks[:at], *_apart(blocks[at - 1], section), *new, *_blank(section), *blocks[at:]]
    title = Block(kind=Kind.HEADING, prefix="## ", text=section, section=section)
    heading = [*_blank(section), title, *_blank(section)]
    gaps = next((n for n, one in enumerate(blocks) if one.section == GAPS), len(blocks))
    at = gaps if section == CONTRADICTIONS else len(blocks)
    return [*blocks[:at], *heading, *new, *_blank(section), *blocks[at:]]


def _apart(before: Block, section: str) -> list[Block]:
    return [] if before.kind is Kind.ITEM else _blank(section)


def _blank(section: str) -> list[Block]:
    return [Block(kind=Kind.MARK, text="", section=section)]
