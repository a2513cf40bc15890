"""The report as it is stored and shown: the model's Markdown, and what code appends to it.

Code appends what a reader needs to check a sentence: the status of every claim used, each source with the quoted words
and their place, and notices. Everything that came from outside is escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from investigator.core import claims as ledger_rules
from investigator.core.blocks import counted, one_line
from investigator.core.claims import Claim, Source, SourceLink
from investigator.core.evidence import place
from investigator.core.ids import ROOT
from investigator.core.report_text import Kind, blocks_of, escape, ids_in, text_of
from investigator.core.state import State
from investigator.core.text import value_in
from investigator.core.values import replace
from investigator.core.vocab import ClaimStatus, Loop, QuestionStatus, Stance

DEMO = "This run searched the bundled demo world; nothing in it is real."
QUOTE = 1200  # characters
TITLE = 200
_LINK = re.compile(r"(!?)\[([^\[\]\n]*)\]\(([^()\s]*)([^()\n]*)\)")
_WEB = re.compile(r"https?://[A-Za-z0-9\-._~:/?#@!$&'*+,;=%]+")
_SAFE = r"A-Za-z0-9\-._~:/?#@&+,;=%"  # no quotes, brackets, stars or dollars: emphasis and math stay out


def render(state: State, model_text: str, changes: Sequence[str] = ()) -> str:
    """The whole report. ``changes`` are what `report.repair` changed in the text."""
    parts = [title(state.run.objective), tame(state, model_text).strip()]
    used = _used(state, model_text)
    if used:
        lines = [_status(state, one) for one in used]
        parts.append("## Status of the claims\n\n" + "\n".join(lines))
    sources = _sources(state, used)
    if sources:
        parts.append("## Sources\n\n" + "\n".join(line for one in sources for line in _source(state, one, used)))
    notices = list(_notices(state, changes))
    if notices:
        parts.append("## Notices\n\n" + "\n".join(f"- {one}" for one in notices))
    return "\n\n".join(parts) + "\n"


def title(objective: str) -> str:
    """The objective as the heading of its report: on one line, cut when it is long, and no Markdown of its own.

    >>> title("Is *this*\\nC#?"), title("What is it #")
    ('# Is \\\\*this\\\\* C#?', '# What is it \\\\#')
    """
    # Hashes at the end of a line close a heading and would not be shown.
    return "# " + re.sub(r"#(?=#*$)", r"\\#", escape(objective, TITLE))


def tame(state: State, text: str) -> str:
    """The model's Markdown without what could load, run or mislead: images, HTML, links to places the run has not read.

    A model may repeat what a page told it to write; the text is shown in notebooks and browsers.
    """
    read = frozenset({one.url for one in state.ledger.sources.values()} | {one.url for one in state.pages.values()})
    blocks = blocks_of(text)
    return text_of(one if one.kind is Kind.CODE else replace(one, text=_tamed(one.text, read)) for one in blocks)


def _tamed(line: str, read: frozenset[str]) -> str:
    parts, start = [], 0
    for link in _LINK.finditer(line):
        parts.append(_harmless(line[start : link.start()], read))
        if not link[1] and link[3] in read and _WEB.fullmatch(link[3]):
            parts.append(f"[{_harmless(link[2], read)}]({link[3]})")
        else:
            parts.append(_harmless(f"{link[2]} ({link[3]})" if link[3] else link[2], read))
        start = link.end()
    return "".join((*parts, _harmless(line[start:], read)))


def _harmless(text: str, read: frozenset[str]) -> str:
    """HTML, images, what is left of links, link definitions and unread addresses as plain words.

    What a backslash escapes already stays so: a second one would set it free.
    """
    free = r"(?<!\\)((?:\\\\)*)"
    text = re.sub(free + r"<(?=[A-Za-z/!?])", r"\1\\<", text)
    text = re.sub(free + r"!(?=\[)", r"\1\\!", text)
    text = re.sub(free + r"\](?=\(|:)", r"\1]\\", text)
    return re.sub(r"(?i)\b(https?|ftp)://[^\s<>()\"]+", lambda match: _address(match, read), text)


def _address(match: re.Match[str], read: frozenset[str]) -> str:
    """An address the run has read stays one; any other is shown, but does not become a link."""
    if match[0].rstrip(".,;:!?*_'") in read:
        return match[0]
    return match[0].replace("://", "\\://", 1)


def _used(state: State, text: str) -> tuple[Claim, ...]:
    """The claims that the text names and that carry the answers, in the order of their ids' first mention."""
    named = ids_in(text)
    answers = (one for question in state.frontier for one in question.answer_claim_ids)
    ids = dict.fromkeys(one for one in (*named, *answers) if one in state.ledger.claims)
    return tuple(state.ledger.claims[one] for one in ids)


def _status(state: State, claim: Claim) -> str:
    groups = ledger_rules.origins(state.ledger, claim, state.page_texts, state.limits)
    facts = [str(claim.status), counted(len(groups), "independent origin")]
    checks = Counter(outcome for _, outcome in claim.checks)
    facts += [f"{counted(number, 'challenge')} {outcome}" for outcome, number in checks.items()] or ["not challenged"]
    if claim.status is ClaimStatus.REFUTED and (against := _against(state, claim)):
        facts.append(f"against it {', '.join(against)}")
    told = not claim.value or value_in(claim.value, claim.text)
    value = "" if told else f" ({escape(f'{claim.value} {claim.unit}'.strip(), 80)})"
    note = f" Note: {escape(claim.note, 200)}" if claim.note.strip() else ""
    return f"- [{claim.id}] {', '.join(facts)}: {escape(claim.text)}{value}{note}"


def _against(state: State, claim: Claim) -> list[str]:
    """The live claims that contradict it."""
    pairs = (one.key for one in state.ledger.links.values() if one.kind is Stance.CONTRADICTS and claim.id in one.key)
    others = dict.fromkeys(other for one, two in pairs for other in (one, two) if other != claim.id)
    return [one for one in others if one in state.ledger.claims and state.ledger.claims[one].live]


def _sources(state: State, used: Iterable[Claim]) -> list[Source]:
    if state.run.loop is Loop.SIMPLE:
        return list(state.ledger.sources.values())
    ids = sorted({link.source_id for claim in used for link in claim.links}, key=lambda one: (len(one), one))
    return [state.ledger.sources[one] for one in ids]


def _source(state: State, source: Source, used: Iterable[Claim]) -> Iterator[str]:
    facts = [_url(source.url)]
    facts += [f"published {escape(source.published, 40)}"] if source.published else []
    facts += [f"retracted: {escape(source.retracted, 200)}"] if source.retracted else []
    title = f"{escape(source.title, 200)} — " if source.title.strip() else ""
    yield f"- [{source.id}] {title}{', '.join(facts)}"
    quotes: dict[tuple[str, str], dict[str, list[str]]] = {}
    for claim in used:
        link = claim.link(source.id)
        if link is not None and link.quote.strip():
            where = _place(state, source, link)
            stance = "supports" if link.stance is Stance.SUPPORTS else "contradicts"
            quotes.setdefault((where, link.quote), {}).setdefault(stance, []).append(claim.id)
    for (where, quote), uses in quotes.items():
        told = [f"{stance} {', '.join(ids)}" for stance, ids in uses.items()]
        yield f'  - "{_words_of(quote)}" ({"; ".join([*([where] if where else []), *told])})'


def _words_of(quote: str) -> str:
    """The quoted words. Behind a quotation mark a pipe begins no table, so a row's stay as they stand on the page."""
    return escape(quote.strip("| \n\t"), QUOTE).replace("\\|", "|")


def _place(state: State, source: Source, link: SourceLink) -> str:
    if not link.located:
        return "not located"
    page = state.pages.get(link.page_sha256) or state.page_of(source.id)
    return place(page.text, link.start, source.unit or page.unit) if page is not None else ""


def _url(url: str) -> str:
    """A web address in angle brackets, every character that could end or bend it percent-encoded; else plain text."""
    flat = one_line(url, 2000)
    if not re.match(r"(?i)https?://[^/\s]", flat):
        return escape(flat, 2000)
    encoded = re.sub(rf"[^{_SAFE}]", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), flat)
    return f"<{encoded}>"


def _notices(state: State, changes: Sequence[str]) -> Iterator[str]:
    if state.run.world.demo:
        yield DEMO
    if state.ending.startswith("breaker:"):
        still = [one.id for one in state.frontier if _still_open(one.status) and one.id != ROOT]
        yield f"The investigation was cut short by `{state.ending}`. Still open: {', '.join(still) or 'no question'}."
    if state.repaired or changes:
        said = "\n".join(f"  - {escape(one, 300)}" for one in changes)
        yield f"Code repaired the text of this report:\n{said}" if said else "Code repaired the text of this report."


def _still_open(status: QuestionStatus) -> bool:
    return status in (QuestionStatus.PENDING, QuestionStatus.IN_PROGRESS)
