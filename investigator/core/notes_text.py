"""The grammar of the notes text: one record a line, sections in a fixed order.

Knows the records, the parser and the renderer, which are exact inverses. Does not know where the records come from.

    claim     = - c_001 | STATUS | text [| sources=s_001+,s_002-] [| independent=s_002] [| question=q_001]
                [| check=ch_001:survived] [| note=...]
    datapoint = - d_001 | STATUS | text | value=3 | unit=times [same options]
    source    = - s_001 | url | domain | title [| note=...] [| retracted=...]
    contra    = - c_003 >< c_001 | open or addressed | text [| question=q_005]
    gap       = - q_006 | assumption or gap | text

A field is escaped: backslash, pipe and line end become ``\\\\``, ``\\|`` and ``\\n``. So an unescaped pipe always
follows a space, an escaped one never does, and a line splits at " | " without looking further. Everything below
``## Scratch`` is free text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from investigator.core.blocks import one_line
from investigator.core.state import Gap
from investigator.core.vocab import ClaimKind, ClaimStatus, LinkStatus, Stance
from investigator.core.wire import estimate_tokens

SECTIONS = ("Verified", "Unverified", "Contradictions", "Datapoints", "Sources", "Assumptions & gaps", "Scratch")
_SCRATCH = "## Scratch\n"
_CLAIM_ID = r"[cd]_\d{3,9}"
_OPTIONS = ("sources", "independent", "question", "check", "note")


class NotesError(ValueError):
    """A text that is no notes text; the message names the line, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRecord:
    """A claim or a datapoint as the notes show it. ``sources`` are (id, stance), ``checks`` (challenge, outcome)."""

    id: str
    status: ClaimStatus
    text: str
    value: str = ""
    unit: str = ""
    sources: tuple[tuple[str, Stance], ...] = ()
    independent: tuple[str, ...] = ()
    question: str = ""
    checks: tuple[tuple[str, str], ...] = ()
    note: str = ""

    @property
    def kind(self) -> ClaimKind:
        return ClaimKind.DATAPOINT if self.id.startswith("d_") else ClaimKind.CLAIM


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    id: str
    url: str
    domain: str
    title: str = ""
    note: str = ""
    retracted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two claims that cannot both hold. ``question`` is the one that settles it."""

    claim_id: str
    other_id: str
    status: LinkStatus
    text: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """All records, section by section. ``refuted`` stands under Contradictions, before the contradictions.

    Raises `ValueError` when a record stands in a section that is not its own.
    """

    verified: tuple[ClaimRecord, ...] = ()
    unverified: tuple[ClaimRecord, ...] = ()
    refuted: tuple[ClaimRecord, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    datapoints: tuple[ClaimRecord, ...] = ()
    sources: tuple[SourceRecord, ...] = ()
    gaps: tuple[Gap, ...] = ()
    scratch: str = ""

    def __post_init__(self) -> None:
        for name in ("verified", "unverified", "refuted", "datapoints"):
            for one in getattr(self, name):
                if home(one.kind, one.status) != name:
                    raise ValueError(f"{one.id} is {one.status} and does not belong to {name}")

    @property
    def claims(self) -> tuple[ClaimRecord, ...]:
        """Claims and datapoints, in the order of the text."""
        return (*self.verified, *self.unverified, *self.refuted, *self.datapoints)


def home(kind: ClaimKind, status: ClaimStatus) -> str:
    """The field of `Notes` a claim stands in; '' for RETRACTED, which stands nowhere."""
    if status is ClaimStatus.RETRACTED:
        return ""
    if status is ClaimStatus.REFUTED:
        return "refuted"
    if kind is ClaimKind.DATAPOINT:
        return "datapoints"
    return "verified" if status is ClaimStatus.VERIFIED else "unverified"


def render(notes: Notes) -> str:
    """The notes as text; `parse` is its exact inverse.

    >>> print(render(Notes(gaps=(Gap(question_id="q_002", kind="gap", text="no date"),), scratch="later")))
    ## Verified
    <BLANKLINE>
    ## Unverified
    <BLANKLINE>
    ## Contradictions
    <BLANKLINE>
    ## Datapoints
    <BLANKLINE>
    ## Sources
    <BLANKLINE>
    ## Assumptions & gaps
    - q_002 | gap | no date
    <BLANKLINE>
    ## Scratch
    later
    """
    parts = []
    for name in SECTIONS[:-1]:
        parts.append(f"## {name}\n" + "".join(f"{line}\n" for line in _lines(notes, name)))
    return "\n".join(parts) + "\n" + _SCRATCH + notes.scratch


def section(notes: Notes, name: str) -> str:
    """One section as text, its heading first, in any case. Raises `NotesError` for a name that is no section."""
    known = {one.casefold(): one for one in SECTIONS}
    wanted = known.get(name.strip().lstrip("#").strip().casefold())
    if wanted is None:
        raise NotesError(f"there is no section {name!r}; the sections are {', '.join(SECTIONS)}")
    body = notes.scratch if wanted == "Scratch" else "\n".join(_lines(notes, wanted))
    return f"## {wanted}\n{body}" if body else f"## {wanted}\n(empty)"


def tokens(text: str) -> int:
    """Estimated tokens of a notes text; compared with ``notes_max_tokens``."""
    return estimate_tokens(text)


def _lines(notes: Notes, name: str) -> list[str]:
    if name == "Contradictions":
        return [*map(claim_line, notes.refuted), *map(_contradiction_line, notes.contradictions)]
    if name == "Sources":
        return [source_line(one) for one in notes.sources]
    if name == "Assumptions & gaps":
        return [_join(one.question_id, one.kind, one.text) for one in notes.gaps]
    claims = {"Verified": notes.verified, "Unverified": notes.unverified, "Datapoints": notes.datapoints}[name]
    return [claim_line(one) for one in claims]


@lru_cache(maxsize=4096)
def claim_line(one: ClaimRecord) -> str:
    """A claim or datapoint as its line. Kept, for a new version of the notes differs in few lines from the last one."""
    sources = ",".join(f"{source}{'+' if stance is Stance.SUPPORTS else '-'}" for source, stance in one.sources)
    checks = ",".join(f"{challenge}:{outcome}" for challenge, outcome in one.checks)
    value = (f"value={one.value}", f"unit={one.unit}") if one.kind is ClaimKind.DATAPOINT else ()
    options = _options(
        sources=sources, independent=",".join(one.independent), question=one.question, check=checks, note=one.note
    )
    return _join(one.id, one.status, one.text, *value, *options)


@lru_cache(maxsize=4096)
def source_line(one: SourceRecord) -> str:
    """A source as its line."""
    return _join(one.id, one.url, one.domain, one.title, *_options(note=one.note, retracted=one.retracted))


def _contradiction_line(one: Contradiction) -> str:
    return _join(f"{one.claim_id} >< {one.other_id}", one.status, one.text, *_options(question=one.question))


def _options(**named: str) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in named.items() if value)


def _join(*fields: str) -> str:
    return "- " + " | ".join(_escape(one) for one in fields)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", "\\n")


def parse(text: str) -> Notes:
    """The notes of a text that `render` wrote. Raises `NotesError` for any other text, naming its first wrong line.

    >>> parse(render(Notes(scratch="## Verified"))).scratch
    '## Verified'
    """
    head, found, scratch = text.partition("\n" + _SCRATCH)
    if not found:
        raise NotesError(f"line {text.count(chr(10)) + 1}: there is no '## Scratch' section")
    read: dict[str, list[object]] = {name: [] for name in Notes.__dataclass_fields__}
    current = ""
    for number, line in enumerate(head.split("\n"), 1):
        if line.startswith("## ") and line[3:] in SECTIONS:
            current = line[3:]
        elif line:
            name, record = _record(line, current, number)
            read[name].append(record)
    notes = Notes(scratch=scratch, **{name: tuple(rows) for name, rows in read.items() if name != "scratch"})  # type: ignore[arg-type]
    _same_text(text, render(notes))
    return notes


def _same_text(given: str, canonical: str) -> None:
    """A text in another order or spelling would come back changed: it is refused instead."""
    if given == canonical:
        return
    pairs = zip(given.split("\n"), canonical.split("\n"), strict=False)
    number = next((number for number, (a, b) in enumerate(pairs, 1) if a != b), canonical.count("\n") + 1)
    raise NotesError(f"line {number}: not in the order or the spelling of the notes grammar")


def _record(line: str, current: str, number: int) -> tuple[str, object]:
    """The field of `Notes` and the record of one line; the line must belong to the section it stands in."""
    if line.startswith("- "):
        fields = [_unescape(one, number) for one in line[2:].split(" | ")]
        try:
            if current in ("Verified", "Unverified", "Datapoints") or (
                current == "Contradictions" and re.fullmatch(_CLAIM_ID, fields[0])
            ):
                record = _read_claim(fields)
                field = home(record.kind, record.status)
                if {"refuted": "Contradictions"}.get(field, field.capitalize()) == current:
                    return field, record
            elif current == "Contradictions":
                return "contradictions", _read_contradiction(fields)
            elif current == "Sources":
                return "sources", _read_source(fields)
            elif current == "Assumptions & gaps":
                return "gaps", _read_gap(fields)
        except (ValueError, KeyError) as error:
            raise NotesError(f"line {number}: {error} in {one_line(line, 80)!r}") from None
    where = f"under '## {current}'" if current else "before the first section"
    raise NotesError(f"line {number}: {one_line(line, 80)!r} is no record {where}")


def _read_claim(fields: list[str]) -> ClaimRecord:
    _need(fields, 3)
    identifier, status, text = fields[:3]
    _matches(identifier, _CLAIM_ID)
    value = unit = ""
    rest = fields[3:]
    if identifier.startswith("d_"):
        _need(rest, 2)
        value, unit = _named(rest[0], "value"), _named(rest[1], "unit")
        rest = rest[2:]
    options = _read_options(rest, _OPTIONS)
    return ClaimRecord(
        id=identifier, status=ClaimStatus(status), text=text, value=value, unit=unit,
        sources=tuple(_read_link(one) for one in _listed(options, "sources")),
        independent=_listed(options, "independent"), question=options.get("question", ""),
        checks=tuple(_read_check(one) for one in _listed(options, "check")), note=options.get("note", ""),
    )  # fmt: skip


def _read_link(text: str) -> tuple[str, Stance]:
    _matches(text, r"s_\d{3,9}[+-]")
    return text[:-1], Stance.SUPPORTS if text.endswith("+") else Stance.CONTRADICTS


def _read_check(text: str) -> tuple[str, str]:
    _matches(text, r"ch_\d{3,9}:[a-z]+")
    challenge, _, outcome = text.partition(":")
    return challenge, outcome


def _read_source(fields: list[str]) -> SourceRecord:
    _need(fields, 4)
    _matches(fields[0], r"s_\d{3,9}")
    options = _read_options(fields[4:], ("note", "retracted"))
    return SourceRecord(id=fields[0], url=fields[1], domain=fields[2], title=fields[3], **options)


def _read_contradiction(fields: list[str]) -> Contradiction:
    _need(fields, 3)
    _matches(fields[0], rf"{_CLAIM_ID} >< {_CLAIM_ID}")
    one, _, other = fields[0].partition(" >< ")
    options = _read_options(fields[3:], ("question",))
    return Contradiction(claim_id=one, other_id=other, status=LinkStatus(fields[1]), text=fields[2], **options)


def _read_gap(fields: list[str]) -> Gap:
    _matches(fields[0], r"q_\d{3,9}")
    if len(fields) != 3 or fields[1] not in ("assumption", "gap"):
        raise ValueError("a gap is '- q_001 | gap or assumption | text'")
    return Gap(question_id=fields[0], kind=fields[1], text=fields[2])


def _need(fields: list[str], count: int) -> None:
    if len(fields) < count:
        raise ValueError(f"{count - len(fields)} field(s) missing")


def _matches(text: str, pattern: str) -> None:
    if not re.fullmatch(pattern, text, re.ASCII):
        raise ValueError(f"{text[:40]!r} is no such id")


def _named(field: str, name: str) -> str:
    found, equals, value = field.partition("=")
    if found != name or not equals:
        raise ValueError(f"{name}= expected")
    return value


def _read_options(fields: Iterable[str], names: tuple[str, ...]) -> dict[str, str]:
    options = {}
    for field in fields:
        name, _, value = field.partition("=")
        if name not in names or name in options:
            raise ValueError(f"unknown option {name[:40]!r}")
        options[name] = value
    return options


def _listed(options: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(options[name].split(",")) if name in options else ()


def _unescape(field: str, number: int) -> str:
    if "\\" not in field and "|" not in field:
        return field  # nearly every field, and notes are parsed after every step that is checked
    if re.search(r"(?<!\\)(?:\\\\)*\\(?![\\|n])", field) or re.search(r"(?<!\\)(?:\\\\)*\|", field):
        raise NotesError(f"line {number}: a pipe or backslash that is not escaped")
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], field)
