"""The report: what was found, sentence by sentence with its claims, what disagrees, and what stays open.

Knows claims, contradictions and questions as the synthesis prompt shows them; must not know how they came about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from investigator.core.blocks import one_line
from investigator.core.notes_text import ClaimRecord
from investigator.core.report_text import ID, before_the_end, escape, sentences, without_citations
from investigator.core.summary_view import Account
from investigator.core.text import fold
from investigator.core.vocab import ClaimStatus, Stance
from investigator.world.offline import recording as notes
from investigator.world.offline.analysis import Kind, analyse
from investigator.world.offline.planning import FURTHER, direct_question
from investigator.world.offline.seeing import Sight
from investigator.world.offline.values import typed

AUTHOR = "Written by the offline model, which ranks and quotes sentences and is no language model"
NO_EVIDENCE = "No evidence found"
UNVERIFIED = "(unverified)"
SETTLING = "Which holds:"  # a question that code opened between two claims
_OURS = (FURTHER, SETTLING)


def report(sight: Sight) -> str:
    """The report in Markdown, fit for the report gate."""
    told: set[str] = set()
    parts = ["## Summary\n\n" + _summary(sight, told)]
    if details := list(_details(sight, told)):
        parts.append("## Details\n\n" + "\n\n".join(details))
    if conflicts := list(_conflicts(sight)):
        parts.append("## Contradictions\n\n" + "\n".join(conflicts))
    parts.append("## Gaps and assumptions\n\n" + "\n".join([*_gaps(sight), f"- {AUTHOR}."]))
    return "\n\n".join(parts) + "\n"


def _summary(sight: Sight, told: set[str]) -> str:
    lines: list[str] = []
    for account in _answered(sight):
        claims = _carrying(sight, account)
        for one in claims[: _share(sight, account)]:
            if one.id not in told and all(fold(one.text) not in fold(each) for each in lines):
                lines.append(cited(one, _superseded(sight, one)))
                told.add(one.id)
    if not lines:
        if not sight.live:
            return f"{NO_EVIDENCE}: none of the pages that were read answers the question."
        for one in sight.live[:4]:
            lines.append(cited(one))
            told.add(one.id)
    text = " ".join(lines) if len(lines) <= 4 else "\n".join(f"- {one}" for one in lines)
    missing = [one for one in sight.accounts if one.status in ("unresolvable", "blocked") and one.id != "q_001"]
    # A question is no assertion to the gate, and says at once that the answer is not whole.
    named = [f"{_title(sight, one).rstrip('?')} ({one.id})?" for one in missing if not one.question.startswith(_OURS)]
    return f"{text}\n\n**Not answered: {' '.join(named[:4])}**" if named else text


def _share(sight: Sight, account: Account) -> int:
    """How many sentences of the summary an answer gets: prose more than a value, one answer more than several."""
    asked = analyse(direct_question(account.question, sight.objective))
    if asked.kind is Kind.YES_NO:
        return 1
    return 2 if typed(asked) else max(2, 5 - len(_answered(sight)))


def _answered(sight: Sight) -> list[Account]:
    """Answered questions in the order of asking, but for those that settled a contradiction: they are told there."""
    settling = {one.question for one in sight.notes.contradictions}
    answered = [
        one for one in sight.accounts if one.status == "resolved" and one.id != "q_001" and one.id not in settling
    ]
    answered = answered or [one for one in sight.accounts if one.status == "resolved"]
    return sorted(answered, key=lambda one: one.id)


def _carrying(sight: Sight, account: Account) -> list[ClaimRecord]:
    """The live claims of an answer, those that no earlier one says already."""
    found: list[ClaimRecord] = []
    for each in account.claim_ids:
        claim = sight.claim(each)
        if claim and claim in sight.live and all(not _same(claim, other) for other in found):
            found.append(claim)
    return found


def _same(a: ClaimRecord, b: ClaimRecord) -> bool:
    return a.value == b.value and fold(a.text) == fold(b.text)


def cited(claim: ClaimRecord, addition: str = "") -> str:
    """The claim's text, every sentence with its citation and what it is worth."""
    mark = f"[{claim.id}]" if claim.status is ClaimStatus.VERIFIED else f"{UNVERIFIED} [{claim.id}]"
    said = [before_the_end(one, mark) for one in sentences(plain(claim.text))]
    return " ".join([*said, *([addition] if addition else [])])


def plain(text: str, most: int = 600) -> str:
    """Recorded text for the report: escaped, without ids that would read as citations."""
    return escape(ID.sub("a record", without_citations(text)), most)


def _superseded(sight: Sight, claim: ClaimRecord) -> str:
    """The sentence that names an older value which this claim replaces."""
    for one in sight.live:
        if notes.OLDER in one.note and one.note.endswith(claim.id):
            date = notes.note_dates(one)
            words = one_line(plain(one.text), 240).rstrip(".")
            page = f"An older page of {date}" if date else "An older page"
            return f"{page} says otherwise and is superseded: “{words}” {UNVERIFIED} [{one.id}]."
    return ""


def _details(sight: Sight, told: set[str]) -> Iterator[str]:
    for account in _answered(sight):
        claims = _carrying(sight, account)
        further = account.question.startswith(FURTHER)
        own = [one for one in sight.live if one.question == account.id and one.id not in {each.id for each in claims}]
        if further and all(one.question != account.id for one in claims):
            continue  # what was carried over is told where it was found; that nothing limits it is no finding
        lines = [f"- {_told_with_sources(sight, one)}" for one in [*claims, *own] if notes.OLDER not in one.note]
        if lines:
            title = "Conditions, exceptions, later changes" if further else _title(sight, account)
            yield f"### {title}\n\n" + "\n".join(dict.fromkeys(lines))


def _title(sight: Sight, account: Account) -> str:
    """The question in its words; it ends as a question does, or it could be read as a statement."""
    words = plain(direct_question(account.question, sight.objective), 110)
    if account.question.startswith(SETTLING):
        words = "Which of two statements that cannot both hold is right"
    return f"{words.rstrip('?.!…:* ')}?"


def _told_with_sources(sight: Sight, claim: ClaimRecord) -> str:
    """The claim with who says so, in one sentence."""
    names = list(
        dict.fromkeys(
            filter(None, (_name(sight, source) for source, stance in claim.sources if stance is Stance.SUPPORTS))
        )
    )
    text = "; ".join(one.rstrip(".!?… ") for one in sentences(plain(claim.text))) or plain(claim.text)
    date = notes.note_dates(claim)
    by = _listed(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    where = f" — {by}" if by else ""
    when = f", {date}" if date and len(names) == 1 else ""
    mark = f"[{claim.id}]" if claim.status is ClaimStatus.VERIFIED else f"{UNVERIFIED} [{claim.id}]"
    return f"{text}{where}{when} {mark}."


def _name(sight: Sight, source_id: str) -> str:
    source = sight.source(source_id)
    if source is None:
        return ""
    title = re.sub(r"[.!?…]+(?=\s|$)", "", plain(_short(source.title), 90)).strip()
    domain = plain(source.domain, 50)
    return f"“{title}” ({domain})" if title else domain


def _short(title: str) -> str:
    """A title of bearable length: a long one up to a colon or comma, else up to a word."""
    if len(title) <= 64:
        return title
    cut = re.split(r"[:,;–—|](?=\s)", title[:80])[0]
    return cut if 12 <= len(cut) <= 64 else title[:64].rsplit(" ", 1)[0]


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _conflicts(sight: Sight) -> Iterator[str]:
    seen: set[frozenset[str]] = set()
    for link in sight.notes.contradictions:
        pair = frozenset((link.claim_id, link.other_id))
        one, other = sight.claim(link.claim_id), sight.claim(link.other_id)
        if pair in seen or one is None or other is None:
            continue
        seen.add(pair)
        if one.status is ClaimStatus.REFUTED:
            one, other = other, one
        yield f"- {_conflict(sight, one, other)}"
    linked = {each for pair in seen for each in pair}
    for claim in sight.notes.refuted:
        if claim.id not in linked:
            yield f"- “{_one_sentence(claim)}” [{claim.id}] was refuted."


def _conflict(sight: Sight, one: ClaimRecord, other: ClaimRecord) -> str:
    here, there = _side(sight, one), _side(sight, other)
    if other.status is ClaimStatus.REFUTED:
        return f"{there}, which is refuted: {here[:1].lower()}{here[1:]}."
    return f"{here}; {there[:1].lower()}{there[1:]}; nothing that was read decides between the two."


def _side(sight: Sight, claim: ClaimRecord) -> str:
    names = [_name(sight, source) for source, stance in claim.sources if stance is Stance.SUPPORTS]
    count = ("No page", "One page", "Two pages", "Three pages", "Four pages", "Five pages")
    number = count[len(names)] if len(names) < len(count) else f"{len(names)} pages"
    among = f", {'among them ' if len(names) > 1 else ''}{names[0]}," if names and names[0] else ""
    mark = f" {UNVERIFIED}" if claim.status is ClaimStatus.UNVERIFIED else ""
    return f"{number}{among} say{'s' if len(names) == 1 else ''} “{_one_sentence(claim)}”{mark} [{claim.id}]"


def _one_sentence(claim: ClaimRecord) -> str:
    return "; ".join(one.rstrip(".!?… ") for one in sentences(plain(claim.text, 300)))


def _gaps(sight: Sight) -> Iterable[str]:
    """What has no answer, and what is known to be missing, in plain words."""
    found = []
    open_questions = [one for one in sight.accounts if one.status != "resolved"]
    for one in sorted(open_questions, key=lambda one: one.id):
        if one.id == "q_001" and one.status in ("in_progress", "pending"):
            continue
        why = plain(one.assumption or one.reason, 300)
        why = f" {why if why.endswith(('.', '”')) else why + '.'}" if why else ""
        found.append(f"- Not answered: {_title(sight, one)} ({one.id}){why}")
    known = {one.id for one in open_questions}
    titles = {one.id: f"{_title(sight, one)} ({one.id}) " for one in sight.accounts}
    for gap in sight.notes.gaps:
        if not (gap.question_id in known and gap.kind == "assumption"):
            found.append(f"- {titles.get(gap.question_id, '')}{plain(gap.text, 300)}")
    return dict.fromkeys(found)
