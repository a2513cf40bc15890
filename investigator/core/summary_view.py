"""The reader of the frontier summary, for a model that is a program.

Knows the format that `summary` writes and nothing else. A line it does not know is skipped: the format may grow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_ENTRY_BLOCKS = ("NEXT", "WAITING", "BLOCKED", "OPEN CHALLENGES", "SETTLED")
_HEAD = re.compile(rf"^({'|'.join(_ENTRY_BLOCKS)}) (.*)$")
_MORE = re.compile(r" \(\+\d+ more\)$")
_CURRENT = re.compile(r"^CURRENT (q_\d+) \[(\w+)\] p=([\d.]+) depth (\d+) attempts (\d+)/(\d+)$")
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_TRIED = re.compile(rf"^(\w+) {_QUOTED} -> (.*)$")
_CHALLENGE = re.compile(rf"^(ch_\d+) on (c_\d+|d_\d+|answer of q_\d+|conclusion) \[(\w+)\] {_QUOTED}: (.*)$")
_SETTLED = re.compile(r"^(q_\d+) (resolved|unresolvable|pruned): ?(.*)$")
_CLAIMS = re.compile(r" ?\[([cd_\d, ]*)\]$")
_ACCOUNT = re.compile(r"^(RESOLVED|UNRESOLVABLE|BLOCKED|IN_PROGRESS|PENDING|PRUNED) (q_\d+) ?(.*)$")
_UNSEARCHED = "not searched yet: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """An attempt on the current question. ``waiting``: a new query that was accepted and not searched yet."""

    tool: str
    query: str
    outcome: str
    waiting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChallenge:
    """``target`` is a claim id, ``answer of q_…`` or ``conclusion``. ``searched``: only its result is missing."""

    id: str
    target: str
    strategy: str
    query: str
    searched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A settled question: its answer, assumption or reason, and the claims of an answer."""

    id: str
    status: str
    text: str
    claim_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An entry of NEXT, WAITING or BLOCKED: ``text`` is the question, what it waits on, or what blocks it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryView:
    """What a frontier summary says. ``current`` is '' when no question is current."""

    questions: int = 0
    max_questions: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    current: str = ""
    kind: str = ""
    priority: float = 0.0
    depth: int = 0
    attempts: int = 0
    max_attempts: int = 0
    question: str = ""
    why: str = ""
    criteria: str = ""
    tried: tuple[Tried, ...] = ()
    next: tuple[Listed, ...] = ()
    waiting: tuple[Listed, ...] = ()
    blocked: tuple[Listed, ...] = ()
    open_challenges: tuple[OpenChallenge, ...] = ()
    settled: tuple[Settled, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A question as the synthesis summary tells of it."""

    id: str
    status: str
    question: str
    answer: str = ""
    claim_ids: tuple[str, ...] = ()
    assumption: str = ""
    reason: str = ""


def read_summary(text: str) -> SummaryView:
    """What `summary.frontier_summary` wrote. Unknown lines are skipped; a text without any gives an empty view.

    >>> read_summary("FRONTIER questions 2/40 · pending 1\\nNEXT q_002 p=0.50 d1 Who?").next
    (Listed(id='q_002', text='Who?'),)
    """
    lines = text.split("\n")
    entries = _entries(lines)
    next_ = (re.match(r"^(q_\d+) p=[\d.]+ d\d+ ?(.*)$", one) for one in entries["NEXT"])
    challenges = (_CHALLENGE.match(one) for one in entries["OPEN CHALLENGES"])
    settled = (_SETTLED.match(one) for one in entries["SETTLED"])
    return SummaryView(
        **_counts(lines),
        **_current(lines),
        next=tuple(Listed(id=one[1], text=one[2]) for one in next_ if one),
        waiting=_listed(entries["WAITING"], " on "),
        blocked=_listed(entries["BLOCKED"], " by "),
        open_challenges=tuple(_challenge(one) for one in challenges if one),
        settled=tuple(_settled(one) for one in settled if one),
    )


def read_synthesis(text: str) -> tuple[Account, ...]:
    """What `summary.synthesis_summary` wrote, question by question."""
    accounts: list[dict[str, str]] = []
    for line in text.split("\n"):
        head = _ACCOUNT.match(line)
        if head:
            accounts.append({"status": head[1].lower(), "id": head[2], "question": head[3]})
        elif accounts and line.startswith("  "):
            name, _, value = line.strip().partition(": ")
            if name in ("answer", "assumption", "reason"):
                accounts[-1].setdefault(name, value)
    return tuple(_account(one) for one in accounts)


def _account(fields: dict[str, str]) -> Account:
    answer, claim_ids = _split_claims(fields.pop("answer", ""))
    return Account(answer=answer, claim_ids=claim_ids, **fields)


def _entries(lines: Iterable[str]) -> dict[str, list[str]]:
    """The entries of each block: one beside its name, the others indented below."""
    found: dict[str, list[str]] = {name: [] for name in _ENTRY_BLOCKS}
    current: list[str] | None = None
    for line in lines:
        head = _HEAD.match(line)
        if head:
            current = found[head[1]]
            current.append(head[2])
        elif line.startswith("  ") and current is not None:
            current.append(line[2:])
        else:
            current = None
    for rows in found.values():
        if rows:
            rows[-1] = _MORE.sub("", rows[-1])
    return found


def _counts(lines: Iterable[str]) -> dict[str, Any]:
    for line in lines:
        if line.startswith("FRONTIER "):
            pairs = dict(one.rsplit(" ", 1) for one in line[len("FRONTIER ") :].split(" · ") if " " in one)
            total, _, most = pairs.pop("questions", "0/0").partition("/")
            counts = {name: int(count) for name, count in pairs.items() if count.isdecimal()}
            return {"questions": int(total), "max_questions": int(most), "counts": counts}
    return {}


def _current(lines: list[str]) -> dict[str, Any]:
    for number, line in enumerate(lines):
        head = _CURRENT.match(line)
        if head:
            fields: dict[str, Any] = {
                "current": head[1], "kind": head[2], "priority": float(head[3]), "depth": int(head[4]),
                "attempts": int(head[5]), "max_attempts": int(head[6]),
            }  # fmt: skip
            return fields | _details(lines[number + 1 :])
    return {}


def _details(lines: Iterable[str]) -> dict[str, Any]:
    details: dict[str, Any] = {}
    tried = []
    for line in lines:
        if not line.startswith("  "):
            break
        name, _, value = line[2:].partition(": ")
        attempt = _TRIED.match(value) if name == "tried" else None
        if attempt:
            tried.append(_tried(attempt))
        elif name in ("question", "why", "criteria"):
            details.setdefault(name, value)
    return {**details, "tried": tuple(tried)}


def _tried(match: re.Match[str]) -> Tried:
    waiting = match[3].startswith(_UNSEARCHED)
    outcome = match[3].removeprefix(_UNSEARCHED) if waiting else match[3]
    return Tried(tool=match[1], query=_unquoted(match[2]), outcome=outcome, waiting=waiting)


def _challenge(match: re.Match[str]) -> OpenChallenge:
    searched = match[5] == "record the result"
    return OpenChallenge(
        id=match[1], target=match[2], strategy=match[3], query=_unquoted(match[4]), searched=searched
    )


def _settled(match: re.Match[str]) -> Settled:
    text, claim_ids = _split_claims(match[3]) if match[2] == "resolved" else (match[3], ())
    return Settled(id=match[1], status=match[2], text=text, claim_ids=claim_ids)


def _split_claims(text: str) -> tuple[str, tuple[str, ...]]:
    """An answer and the claims in the brackets at its end."""
    found = _CLAIMS.search(text)
    if not found:
        return text, ()
    return text[: found.start()], tuple(one for one in found[1].split(", ") if one)


def _listed(entries: Iterable[str], word: str) -> tuple[Listed, ...]:
    pairs = (one.partition(word) for one in entries)
    return tuple(Listed(id=head, text=tail) for head, found, tail in pairs if found)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
