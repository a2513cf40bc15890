"""A report as blocks and sentences: enough Markdown to say which sentence stands where and what it cites.

Knows no state and no rule. Whatever the text, `blocks_of` is total, and rendering its blocks gives a text that reads as
the same blocks; so code can change a sentence without disturbing the rest.

What is a statement (DESIGN section 10: "every sentence outside headings and gaps cites"):

- every sentence of a paragraph, list item or quotation, with or without a full stop; a hard line break ends one, and so
  does a line that is bold as a whole;
- every row of a table, and every line of code;
- a heading, a bold line, a short line that ends with a colon and the head of a table only if it `states` something:
  it holds a digit (but for numbering and ids), has more than eight words, or ends with a full stop. A question states
  nothing. In the head of a table, years and quarters are labels.

What a renderer may hide cites nothing: brackets of citations in HTML comments, tags and code become parentheses.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from investigator.core.blocks import clean, one_line
from investigator.core.text import fold
from investigator.core.values import replace

CONTRADICTIONS = "Contradictions"
GAPS = "Gaps and assumptions"
APPENDED = "appended"
_SECTIONS = {
    "contradictions": CONTRADICTIONS,
    **dict.fromkeys(("gaps and assumptions", "assumptions and gaps", "gaps assumptions", "assumptions gaps"), GAPS),
    **dict.fromkeys(("gaps", "open questions", "assumptions"), GAPS),
    **dict.fromkeys(("sources", "references", "bibliography", "status of the claims", "notices"), APPENDED),
}
_BODY = frozenset(("summary", "details", "answer", "answers", "findings", "conclusion", "results"))
LABEL_WORDS = 8
_RUN_IN_WORDS = 3
_HARD = "  \n"

_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$")
_MARKER = re.compile(r"^(\s*(?:(?:[-*+]|\d{1,9}[.)]|>)\s+|>)+)(?=\S)")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_WORD = re.compile(r"[^\W_]")
_BOLD = re.compile(r"^(\*\*|__)(?:(?!\1).)+\1:?$")
_NUMBERING = re.compile(r"^[\s*_]*(?:\d{1,3}[.)]?(?:\d{1,3}[.)]?)*\s+)?")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)|\b[QH][1-4]\b")
# What shows as a space or as nothing, and tags and references that do.
_UNSEEN = re.compile(r"[\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufeff]+")
_AFTER_STOP = re.compile(rf"(?<=[.!?…。！？\])]){_UNSEEN.pattern}")
_BR = re.compile(r"(?i)<br[ \t]*/?>")
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});", re.ASCII)
_TAG = re.compile(r"<[A-Za-z/!?][^<>\n]*>")
_HIDDEN = re.compile(rf"<!--.*?-->|{_TAG.pattern}", re.DOTALL)
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)

ID = re.compile(r"(?<![A-Za-z0-9_])((?:ch|[cdsq])_[0-9]+)(?![A-Za-z0-9_])")
_INNER = r"[^\[\]]{0,300}(?<![A-Za-z0-9_])[cds]_[0-9]+[^\[\]]{0,300}"
CITATION = re.compile(rf"\[({_INNER})\]")
_CITED = rf"(?:\s*\[{_INNER}\])*"
_END = re.compile(rf"(?:[.!?…]+[\"'”’)\]*_»]*{_CITED}(?=\s|$)|(?<=\])[.!?]+{_CITED}(?=[^\W\d_])|[。！？]+{_CITED})")
_FINAL = re.compile(rf"[.!?…。！？]+[\"'”’)\]*_»|\s]*(?:\[{_INNER}\]\s*)*$")
# Abbreviations that never end a sentence, and those that do not before a lower-case word or a digit.
_NEVER = frozenset(
    ("e.g", "i.e", "dr", "mr", "mrs", "ms", "prof", "st", "vs", "cf", "fig", "figs", "eq", "approx", "ca", "nos", "vol")
)
_SELDOM = frozenset(
    ("etc", "al", "inc", "ltd", "co", "corp", "jr", "sr", "no", "p", "pp", "ed", "eds", "u.s", "u.k", "est", "dept")
) | frozenset(("sec", "ch", "art", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"))


class Kind(StrEnum):
    """``label``: a bold line, table head or short lead-in that states nothing; ``mark``: holds no words."""

    HEADING = "heading"
    LABEL = "label"
    TEXT = "text"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    MARK = "mark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A line or paragraph; hard line breaks stay in its text. ``section``: '', CONTRADICTIONS, GAPS or APPENDED."""

    kind: Kind
    text: str
    prefix: str = ""
    section: str = ""

    @property
    def asserts(self) -> bool:
        """Whether its sentences are statements."""
        plain = self.kind in (Kind.TEXT, Kind.ITEM, Kind.ROW, Kind.CODE)
        return plain or (self.kind is Kind.HEADING and states(self.text))

    def sentences(self) -> tuple[str, ...]:
        """Its sentences; a heading, a table row and a line of code are one each."""
        if self.kind in (Kind.TEXT, Kind.ITEM):
            return _whole(one for line in self.text.split(_HARD) for one in _pieces(line))
        return (self.text,) if _WORD.search(self.text) else ()


def states(text: str) -> bool:
    """Whether a heading or bold line says something that must be cited, by the rule of this module.

    >>> states("2.1 Costs"), states("Which year?"), states("Revenue was 5 million"), states("It was sold.")
    (False, False, True, True)
    """
    return any(_states(one) for one in sentences(_NUMBERING.sub("", text, count=1)))


def _states(sentence: str) -> bool:
    bare = ID.sub("", CITATION.sub("", sentence)).strip().rstrip("*_:\"'”’)» ")
    if bare.endswith(("?", "？")):
        return False
    return len(bare.split()) > LABEL_WORDS or bare.endswith((".", "!", "。", "！")) or any(map(str.isdecimal, bare))


def _head_states(row: str) -> bool:
    return any(_states(_YEAR.sub("", cell)) for cell in row.split("|"))


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text; a fence left open is closed at the end.

    >>> [(one.kind.value, one.section) for one in blocks_of("# A\\nx\\ny\\n\\n## Contradictions\\n- z")]
    [('heading', ''), ('text', ''), ('mark', ''), ('heading', 'Contradictions'), ('item', 'Contradictions')]
    """
    found: list[Block] = []
    fence = ""
    for line in re.split(r"\r\n|[\r\n\x0b\x0c]", _seen(text)):
        opened = _FENCE.match(line)
        if fence:
            closes = opened is not None and opened[1].startswith(fence) and not line.strip().strip(fence[0])
            found.append(Block(kind=Kind.MARK, text=line) if closes else Block(kind=Kind.CODE, text=_masked(line)))
            fence = "" if closes else fence
        elif opened:
            fence = opened[1]
            found.append(Block(kind=Kind.MARK, text=fence))
        else:
            _take(found, line)
    if fence:
        found.append(Block(kind=Kind.MARK, text=fence))
    return _sectioned(_labelled(found))


def _seen(text: str) -> str:
    """The text as a reader sees it: spaces for what shows as one, nothing for what shows as nothing.

    References to spaces and to full stops are resolved, or a sentence could hide its end behind them.
    """
    text = clean(_AFTER_STOP.sub(" ", text))
    text = _BR.sub(" ", _REFERENCE.sub(_resolved, text))
    # Behind the last end of a comment none can be closed: looking for one there would take a square of time.
    closed = text.rfind("-->") + 3 if "-->" in text else 0
    commented = _HIDDEN.sub(lambda match: _masked(match[0]), text[:closed])
    return commented + _TAG.sub(lambda match: _masked(match[0]), text[closed:])


def _resolved(match: re.Match[str]) -> str:
    shown = html.unescape(match[0])
    if shown.isspace() or (shown and all(unicodedata.category(one) in ("Cf", "Zs", "Cc", "Mn") for one in shown)):
        return " "
    return shown if shown in (".", "!", "?", "…", "。", "！", "？") else match[0]


def _masked(text: str) -> str:
    """The text with its citations in parentheses, where they cite nothing."""
    return CITATION.sub(r"(\1)", text)


def _take(found: list[Block], line: str) -> None:
    """Add a line that stands outside of code; a plain line goes on with the paragraph or item before it."""
    heading, marker = _HEADING.match(line), _MARKER.match(line)
    if not _WORD.search(line):
        bare = line.strip()
        underline = _UNDERLINE.match(line)
        if underline and found and found[-1].kind is Kind.TEXT:
            title = found[-1].text.replace(_HARD, " ")
            found[-1] = Block(kind=Kind.HEADING, prefix="# " if underline[1][0] == "=" else "## ", text=_title(title))
            bare = ""
        if bare.startswith("|") and found and found[-1].kind is Kind.ROW and not _second_row(found):
            found[-1] = replace(found[-1], kind=Kind.LABEL)
        # Four spaces keep a fence from opening; without them it would.
        found.append(Block(kind=Kind.MARK, text="" if _FENCE.match(bare) else bare))
    elif heading:
        found.append(Block(kind=Kind.HEADING, prefix=heading[1] + " ", text=_title(heading[2] or "")))
    elif line.lstrip().startswith("|"):
        found.append(Block(kind=Kind.ROW, text=line.strip()))
    elif marker:
        found.append(Block(kind=Kind.ITEM, prefix=marker[1].expandtabs(4), text=line[marker.end() :]))
    elif found and found[-1].kind in (Kind.TEXT, Kind.ITEM):
        found[-1] = replace(found[-1], text=_run_on(found[-1].text, line))
    else:
        found.append(Block(kind=Kind.TEXT, text=line))


def _run_on(before: str, line: str) -> str:
    last = before.rsplit(_HARD, 1)[-1].strip()
    broken = before.endswith(("  ", "\\")) or _BOLD.match(last) or _BOLD.match(line.strip())
    return before.rstrip(" \t\\" if broken else " \t") + (_HARD if broken else " ") + line.lstrip()


def _title(text: str) -> str:
    return re.sub(r"(?:[ \t]+#+)+[ \t]*$", "", text).strip()


def _second_row(found: list[Block]) -> bool:
    """Whether the last row is not the first of its table: then it is no head, whatever stands below it."""
    return len(found) > 1 and found[-2].text.startswith("|") and found[-2].kind is not Kind.TEXT


def _labelled(found: Iterable[Block]) -> Iterable[Block]:
    for one in found:
        if one.kind in (Kind.MARK, Kind.CODE):
            yield one
            continue
        one = replace(one, text=_CODE.sub(lambda match: _masked(match[0]), one.text.strip()))
        if one.kind in (Kind.TEXT, Kind.ITEM) and _is_label(one.text):
            yield replace(one, kind=Kind.LABEL)
        elif one.kind is Kind.LABEL and _head_states(one.text):
            yield replace(one, kind=Kind.ROW)
        else:
            yield one


def _is_label(text: str) -> bool:
    """A bold line, or one that leads in what follows, and states nothing."""
    return bool(_BOLD.match(text) or text.endswith(":")) and _HARD not in text and not _states(text)


def _sectioned(found: Iterable[Block]) -> tuple[Block, ...]:
    section, section_level = "", 0
    out = []
    for one in found:
        if one.kind is Kind.HEADING:
            level = len(one.prefix) - 1
            words = fold(re.sub(r"^[\d.\s]+|[#*_:]", "", one.text))
            name = _SECTIONS.get(words, "")
            if name or level <= section_level or words in _BODY:
                # As a heading of the second level at most: one of the first would exempt the whole report.
                section, section_level = name, max(level, 2) if name else 0
        out.append(replace(one, section=section))
    return tuple(out)


def text_of(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown again; runs of empty lines become one."""
    lines: list[str] = []
    last: Block | None = None
    for one in blocks:
        apart = last is not None and last.kind is not Kind.MARK and one.kind in (Kind.HEADING, Kind.TEXT)
        wrapped = (Kind.TEXT, Kind.ITEM, Kind.LABEL)
        runs_on = last is not None and last.kind in wrapped and one.kind in (Kind.TEXT, Kind.LABEL)
        if apart or runs_on or (last is not None and last.kind is Kind.HEADING and one.kind is not Kind.MARK):
            lines.append("")
        underlines = one.kind is Kind.MARK and _UNDERLINE.match(one.text)
        if underlines and last is not None and last.kind in (Kind.TEXT, Kind.LABEL):
            lines.append("")
        first, *more = one.text.split(_HARD) if one.kind in (Kind.TEXT, Kind.ITEM) else (one.text,)
        line = one.prefix + _HARD.join(
            [_plain_start(first) if one.kind is Kind.TEXT else first, *map(_plain_start, more)]
        )
        lines.append(line if one.kind is Kind.CODE else line.rstrip())
        last = one
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def _plain_start(text: str) -> str:
    """A paragraph that begins like a heading, an item, a row or a fence is kept a paragraph."""
    if re.match(r"\d{1,9}[.)]\s", text):
        return re.sub(r"^(\d+)", r"\1\\", text)
    special = _HEADING.match(text) or _MARKER.match(text) or _FENCE.match(text) or text.startswith("|")
    return "\\" + text if special else text


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a paragraph; citations after the full stop belong to the sentence before.

    >>> sentences("It cost 1.5 m, e.g. in Paris. [c_001] Dr. Who agreed [c_002].")
    ('It cost 1.5 m, e.g. in Paris. [c_001]', 'Dr. Who agreed [c_002].')
    """
    return _whole(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(text):
        if _ends(text, start, match):
            yield text[start : match.end()].strip()
            start = match.end()
    yield text[start:].strip()


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 8].lstrip()[:1]
    if match[0].startswith(("…", "..")):
        return not following.islower()
    if not match[0].startswith("."):
        return True
    before = text[max(start, match.start() - 20) : match.start()]
    word = re.split(r"[\s(\[\"“]", before)[-1].casefold()
    if word in _NEVER or (len(word) == 1 and word.isalpha() and before[-1:].isupper()):
        return False
    return not (word in _SELDOM and (following.islower() or following.isdigit()))


def _whole(pieces: Iterable[str]) -> tuple[str, ...]:
    """Pieces without words, or with citations alone, join what is before; "Yes." and "**Cost.**" join what follows."""
    whole: list[str] = []
    held = ""
    for piece in pieces:
        if whole and not held and not _WORD.search(CITATION.sub("", piece)):
            whole[-1] = f"{whole[-1]} {piece}".rstrip()
        elif _runs_in(piece):
            held = f"{held} {piece}".strip()
        else:
            whole.append(f"{held} {piece}".strip())
            held = ""
    return tuple(one for one in (*whole, held) if _WORD.search(one))


def _runs_in(piece: str) -> bool:
    """Whether it opens the sentence that follows: a short bold label, a lead-in before a line break, yes or no."""
    if piece.strip("*_.!,").casefold() in ("yes", "no"):
        return True
    if not _BOLD.match(piece) and not piece.endswith(":"):
        return False
    short = len(piece.split()) <= _RUN_IN_WORDS and not any(map(str.isdecimal, piece))
    return short or not _states(piece)


def ids_in(text: str) -> tuple[str, ...]:
    """Every id that is mentioned, in brackets or not."""
    return tuple(dict.fromkeys(ID.findall(text)))


def cited_in(text: str) -> tuple[str, ...]:
    """The claim and source ids cited in brackets: ``[c_001]``, ``[c_001, d_002]``."""
    found = (one for inner in CITATION.findall(text) for one in ID.findall(inner))
    return tuple(dict.fromkeys(one for one in found if one[0] in "cds" and not one.startswith("ch")))


def in_last_cell(row: str, addition: str) -> str:
    """The table row with words added before its closing pipe.

    >>> in_last_cell("| a | b |", "(unsupported)")
    '| a | b (unsupported) |'
    """
    return f"{row.rstrip('| ')} {addition} |"


def before_the_end(sentence: str, addition: str) -> str:
    """The sentence with words added before its final punctuation, and before citations that follow it.

    >>> before_the_end("It is so.", "[c_001]"), before_the_end("It is so. [c_002]", "(unverified)")
    ('It is so [c_001].', 'It is so (unverified). [c_002]')
    """
    tail = max(0, len(sentence) - 600)
    final = _FINAL.search(sentence, tail)
    if not final:
        return f"{sentence} {addition}"
    return f"{sentence[: final.start()].rstrip()} {addition}{final[0].strip()}"


def escape(text: str, most: int = 600) -> str:
    """Outside text on one line that Markdown shows as it is: no link, image, HTML, emphasis, math or table cell.

    >>> print(escape("a_b *c* <img> [x](http://y)"))
    a_b \\*c\\* \\<img\\> \\[x\\](http\\://y)
    """
    flat = one_line(text, most)
    flat = re.sub(r"([\\`*\[\]<>|~$&])", r"\\\1", flat)
    flat = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", flat)
    flat = re.sub(r"(?i)\b(https?|ftp|mailto|javascript|data)(:)", r"\1\\\2", flat)
    return re.sub(r"(?i)\bwww\.", r"www\\.", flat).replace("@", "\\@")


def without_citations(text: str) -> str:
    """The text without its bracketed citations."""
    return tidy(CITATION.sub("", text))


def tidy(text: str) -> str:
    """Without the double spaces and the space before a full stop that a removal leaves."""
    return re.sub(r" +([.,;:!?])", r"\1", re.sub(r"  +", " ", text)).strip()
