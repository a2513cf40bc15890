"""What a person reads of a run: a turn in four parts, the next prompt by section, the report, the answer to an act.

Values only. Knows states and effects; must not know how a run is driven or stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from investigator.core import effects as fx
from investigator.core.blocks import counted, one_line
from investigator.core.events import ModelFailed, ModelReplied, TurnOpened
from investigator.core.report_text import blocks_of
from investigator.core.state import OpenTurn, State, TurnRecord
from investigator.core.state import Result as CallResult
from investigator.core.vocab import RunStatus
from investigator.core.wire import ToolCall, Usage
from investigator.session_log import Applied


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn: one model call plus its tools.

    Attributes:
        number: 1 for the first; a turn that failed has the number that the next try will have, too.
        question, question_text: what it worked on.
        saw: estimated tokens of the prompt by section.
        text, asked: what the model wrote and the calls it made, as received.
        results: one answer for each call; ``refused`` names why a call was not carried out.
        changed: what became of it, one short line each.
        spent: tokens and cost of the call; None when it is not known.
        tries: requests that were sent.
        failed: the failure in one sentence, '' for a turn that closed.
    """

    number: int
    kind: str
    question: str = ""
    question_text: str = ""
    saw: Mapping[str, int] = field(default_factory=dict)
    text: str = ""
    asked: tuple[ToolCall, ...] = ()
    results: tuple[CallResult, ...] = ()
    changed: tuple[str, ...] = ()
    spent: Usage | None = None
    tries: int = 1
    failed: str = ""

    @property
    def came_back(self) -> tuple[str, ...]:
        """The answers to the calls as text."""
        return tuple(one.text for one in self.results)

    @property
    def refused(self) -> tuple[CallResult, ...]:
        return tuple(one for one in self.results if one.refused)

    def __repr__(self) -> str:
        parts = [f"turn {self.number} {self.kind}", f"{self.question} {one_line(self.question_text, 60)}".strip()]
        if self.failed:
            parts.append(f"failed: {one_line(self.failed, 400)}")
        else:
            parts.append(one_line(", ".join(one.name for one in self.asked), 400) or "text only")
            parts += [f"{len(self.refused)} refused"] if self.refused else []
            parts.append("; ".join(self.changed[:3]) + ("; …" if len(self.changed) > 3 else "") or "no change")
        parts += [f"{'≈' if self.spent.estimated else ''}{self.spent.tokens} tokens"] if self.spent is not None else []
        return f"<{' · '.join(one for one in parts if one)}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a prompt. ``tokens`` is an estimate."""

    text: str
    tokens: int

    def __str__(self) -> str:
        return self.text


class Prompt(dict[str, Section]):
    """A request by section, in the order in which it is sent; empty when there is none to come.

    >>> Prompt(task=Section(text="Find out\\nhow long it is.", tokens=7))
    <prompt of 7 tokens, estimated>
    task  7 tokens  Find out how long it is.
    """

    def __repr__(self) -> str:
        if not self:
            return "<no prompt: the next step is no model call>"
        names, sizes = max(map(len, self)), [counted(one.tokens, "token") for one in self.values()]
        lines = (
            f"{name:<{names}}  {size:>{max(map(len, sizes))}}  {one_line(section.text, 80)}".rstrip()
            for (name, section), size in zip(self.items(), sizes, strict=True)
        )
        total = counted(sum(one.tokens for one in self.values()), "token")
        return "\n".join((f"<prompt of {total}, estimated>", *lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report of a run; false while there is none.

    Attributes:
        markdown: the whole text, '' while there is none.
        reason: why there is none, or why the run ended.
    """

    run_id: int
    status: RunStatus
    markdown: str = ""
    reason: str = ""
    repaired: bool = False

    def __bool__(self) -> bool:
        return bool(self.markdown)

    def __str__(self) -> str:
        return self.markdown or f"There is no report yet: {self.reason}"

    def __repr__(self) -> str:
        if not self:
            return f"<no report: {one_line(self.reason, 400)}>"
        return f"<report of run {self.run_id} · {self.status} · {one_line(_first_sentence(self.markdown), 200)}>"

    @property
    def html(self) -> str:
        """The report as HTML, everything in it escaped; no scripts, no images, no requests to anywhere."""
        from investigator import session_views

        return session_views.markdown_html(str(self))

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a person's move brought. ``refused`` names the rule that does not allow it, '' when it was made."""

    tool: str
    text: str
    refused: str = ""

    def __bool__(self) -> bool:
        return not self.refused

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        how = f"refused ({self.refused})" if self.refused else "done"
        return f"<{one_line(self.tool, 80)} {how}: {one_line(self.text, 400)}>"


def report_of(run_id: int, state: State) -> Report:
    """The report of a state, or why there is none."""
    if state.report:
        return Report(
            run_id=run_id, status=state.status, markdown=state.report, reason=str(state.stop_reason),
            repaired=state.repaired,
        )  # fmt: skip
    why = state.error or ("it has ended without one." if state.done else "it has not come to its end.")
    told = f"run {run_id} is {state.status} after turn {state.turn}; {why}"
    return Report(run_id=run_id, status=state.status, reason=told)


def _first_sentence(markdown: str) -> str:
    """The first sentence that a report asserts, as its reader sees it."""
    told = (sentence for block in blocks_of(markdown) if block.asserts for sentence in block.sentences())
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", next(told, ""))


def turn_of(steps: Sequence[Applied]) -> Turn | None:
    """The turn that was opened first in ``steps``; None when there was none."""
    opened = next((one.event for one in steps if isinstance(one.event, TurnOpened)), None)
    if opened is None:
        return None
    state = steps[-1].state
    record = _record(state, opened)
    replies = [one.event for one in steps if isinstance(one.event, ModelReplied) and one.event.turn == opened.turn]
    failures = [one.event for one in steps if isinstance(one.event, ModelFailed) and one.event.turn == opened.turn]
    question = state.frontier.questions.get(opened.question)
    return Turn(
        number=opened.turn, kind=str(opened.turn_kind), question=opened.question,
        question_text=question.question if question is not None else "", saw=dict(opened.sections),
        text=replies[-1].text if replies else "", asked=_asked(record) or (replies[-1].calls if replies else ()),
        results=record.results if record is not None else (),
        changed=tuple(changes(effect for one in steps for effect in one.effects)),
        spent=replies[-1].usage if replies else None,
        tries=sum(one.tries for one in replies) + sum(one.tries for one in failures) or 1,
        failed=f"{failures[-1].failure}: {failures[-1].message}" if failures and not replies else "",
    )  # fmt: skip


def _record(state: State, opened: TurnOpened) -> TurnRecord | OpenTurn | None:
    worker = state.workers.get(opened.worker)
    if worker is None:
        return None
    if worker.open is not None and worker.open.number == opened.turn:
        return worker.open
    return next((one for one in reversed(worker.window) if one.number == opened.turn), None)


def _asked(record: TurnRecord | OpenTurn | None) -> tuple[ToolCall, ...]:
    if record is None:
        return ()
    return record.calls if isinstance(record, TurnRecord) else record.received


def changes(effects: Iterable[fx.Effect]) -> Iterator[str]:
    """What effects change, told to a person, each change once and in order."""
    told: dict[str, None] = {}
    for one in effects:
        if isinstance(one, fx.Put):
            line = _change(one.table, one.row)
            if line:
                told[line] = None
    yield from told


def _change(table: str, row: fx.Row) -> str:
    if table == fx.TRANSITIONS:
        return f"{row['question_id']} {row['from_status'] or 'new'} → {row['to_status']} ({row['trigger']})"
    if table == fx.CLAIM_TRANSITIONS:
        return f"{row['claim_id']} {row['from_status'] or 'new'} → {row['to_status']}"
    if table == fx.CHALLENGES:
        return f"{row['id']} {row['outcome'] or 'opened'} [{row['strategy']}]"
    if table == fx.CLAIM_LINKS and row["kind"] == "contradicts":
        return f"{row['claim_id']} >< {row['other_id']} {row['status']}"
    if table == fx.CLAIM_SOURCES:
        return f"{row['claim_id']} {row['stance']} by {row['source_id']}"
    if table == fx.NOTES_VERSIONS:
        return f"notes version {row['seq']}"
    if table == fx.RUNS and row["stop_reason"]:
        return f"run {row['status']}, {row['phase']}: {row['stop_reason']}"
    return f"{row['id']} read: {row['domain']}" if table == fx.SOURCES else ""

