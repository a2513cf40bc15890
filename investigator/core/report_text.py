"""A report as blocks and sentences: enough Markdown to say which sentence stands where and what it cites.

Knows no state and no rule. Whatever the text, `blocks_of` is total, and rendering its blocks gives a text that reads as
the same blocks; so code can change a sentence without disturbing the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
HEADING_MAX = 120
_LABEL_WORDS = 12
_LEAD_WORDS = 8

_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$")
_MARKER = re.compile(r"^(\s*(?:(?:[-*+]|\d{1,9}[.)]|>)\s+|>)+)(?=\S)")
_WORD = re.compile(r"[^\W_]")
_BOLD = re.compile(r"^(\*\*|__)(?:(?!\1).)+\1:?$")

ID = re.compile(r"(?<![A-Za-z0-9_])((?:ch|[cdsq])_[0-9]+)(?![A-Za-z0-9_])")
_INNER = r"[^\[\]]{0,300}(?<![A-Za-z0-9_])[cds]_[0-9]+[^\[\]]{0,300}"
CITATION = re.compile(rf"\[({_INNER})\]")
_END = re.compile(rf"(?:[.!?…]+[\"'”’)\]*_»]*(?:\s*\[{_INNER}\])*(?=\s|$)|[。！？]+(?:\s*\[{_INNER}\])*)")
_FINAL = re.compile(rf"[.!?…。！？]+[\"'”’)\]*_»|\s]*(?:\[{_INNER}\]\s*)*$")
# Abbreviations that never end a sentence, and those that do not before a lower-case word or a digit.
_NEVER = frozenset(
    ("e.g", "i.e", "dr", "mr", "mrs", "ms", "prof", "st", "vs", "cf", "fig", "figs", "eq", "approx", "ca", "nos", "vol")
)
_SELDOM = frozenset(
    ("etc", "al", "inc", "ltd", "co", "corp", "jr", "sr", "no", "p", "pp", "ed", "eds", "u.s", "u.k", "est", "dept")
) | frozenset(
    ("sec", "ch", "art", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec")
)


class Kind(StrEnum):
    """``label``: a heading in other clothes (a bold line, a table head, a short lead-in); ``mark``: holds no words."""

    HEADING = "heading"
    LABEL = "label"
    TEXT = "text"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    MARK = "mark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A line or paragraph. ``section`` is '' or one of CONTRADICTIONS, GAPS, APPENDED."""

    kind: Kind
    text: str
    prefix: str = ""
    section: str = ""

    @property
    def asserts(self) -> bool:
        """Whether its sentences are assertions."""
        return self.kind in (Kind.TEXT, Kind.ITEM, Kind.ROW, Kind.CODE)

    def sentences(self) -> tuple[str, ...]:
        """Its sentences; a table row and a line of code are one each."""
        if self.kind in (Kind.TEXT, Kind.ITEM):
            return sentences(self.text)
        return (self.text,) if _WORD.search(self.text) else ()


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text; a fence left open is closed at the end.

    >>> [(one.kind.value, one.section) for one in blocks_of("# A\\nx\\ny\\n\\n## Contradictions\\n- z")]
    [('heading', ''), ('text', ''), ('mark', ''), ('heading', 'Contradictions'), ('item', 'Contradictions')]
    """
    found: list[Block] = []
    fence = ""
    for line in re.split(r"\r\n|[\r\n\x0b\x0c]", clean(text)):
        opened = _FENCE.match(line)
        if fence:
            closes = opened is not None and opened[1].startswith(fence) and not line.strip().strip(fence[0])
            found.append(Block(kind=Kind.MARK if closes else Kind.CODE, text=line))
            fence = "" if closes else fence
        elif opened:
            fence = opened[1]
            found.append(Block(kind=Kind.MARK, text=fence))
        else:
            _take(found, line)
    if fence:
        found.append(Block(kind=Kind.MARK, text=fence))
    return _sectioned(_labelled(found))


def _take(found: list[Block], line: str) -> None:
    """Add a line that stands outside of code; a plain line goes on with the paragraph or item before it."""
    heading, marker = _HEADING.match(line), _MARKER.match(line)
    if not _WORD.search(line):
        bare = line.strip()
        if bare.startswith("|") and found and found[-1].kind is Kind.ROW and not _second_row(found):
            found[-1] = replace(found[-1], kind=Kind.LABEL)
        # Four spaces keep a fence from opening; without them it would.
        found.append(Block(kind=Kind.MARK, text="" if _FENCE.match(bare) else bare))
    elif heading and len(line) <= HEADING_MAX:
        found.append(Block(kind=Kind.HEADING, prefix=heading[1] + " ", text=_title(heading[2] or "")))
    elif line.lstrip().startswith("|"):
        found.append(Block(kind=Kind.ROW, text=line.strip()))
    elif marker:
        found.append(Block(kind=Kind.ITEM, prefix=marker[1].expandtabs(4), text=line[marker.end() :].strip()))
    else:
        plain = line.strip().lstrip("# ") if heading else line.strip()
        if found and found[-1].kind in (Kind.TEXT, Kind.ITEM):
            found[-1] = replace(found[-1], text=f"{found[-1].text} {plain}")
        else:
            found.append(Block(kind=Kind.TEXT, text=plain))


def _title(text: str) -> str:
    return re.sub(r"(?:[ \t]+#+)+[ \t]*$", "", text).strip()


def _second_row(found: list[Block]) -> bool:
    return len(found) > 1 and found[-2].kind is Kind.ROW


def _labelled(found: Iterable[Block]) -> Iterable[Block]:
    for one in found:
        short = len(one.text.split())
        bold = short <= _LABEL_WORDS and _BOLD.match(one.text)
        lead = short <= _LEAD_WORDS and one.text.endswith(":") and len(sentences(one.text)) == 1
        if one.kind is Kind.TEXT and (bold or lead):
            yield replace(one, kind=Kind.LABEL)
        elif one.kind is Kind.LABEL and len(one.text) > 2 * HEADING_MAX:
            yield replace(one, kind=Kind.ROW)
        else:
            yield one


def _sectioned(found: Iterable[Block]) -> tuple[Block, ...]:
    section, section_level = "", 0
    out = []
    for one in found:
        if one.kind is Kind.HEADING:
            level = len(one.prefix) - 1
            name = _SECTIONS.get(fold(re.sub(r"^[\d.\s]+|[#*_:]", "", one.text)), "")
            if name or level <= section_level:
                section, section_level = name, level if name else 0
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
        line = one.prefix + (_plain_start(one.text) if one.kind is Kind.TEXT else one.text)
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
    pieces, start = [], 0
    for match in _END.finditer(text):
        if _ends(text, start, match):
            pieces.append(text[start : match.end()])
            start = match.end()
    pieces.append(text[start:])
    return _whole(one.strip() for one in pieces)


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
        elif _BOLD.match(piece) or piece.strip("*_.!,").casefold() in ("yes", "no"):
            held = f"{held} {piece}".strip()
        else:
            whole.append(f"{held} {piece}".strip())
            held = ""
    return tuple(one for one in (*whole, held) if _WORD.search(one))


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
