"""The prompt of a turn, rebuilt each time from the state, in a fixed order and nothing else:

system prompt and tools · task · notes · frontier summary · the last turns raw · one instruction line.

An extraction turn shows one page instead of the raw turns. Pure; the only place where request text is put together.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from investigator.core.blocks import PageBlock, block, one_line, render_page, shield
from investigator.core.notes import shown
from investigator.core.state import Next, OpenTurn, PageRecord, Result, State, TurnRecord, Worker
from investigator.core.summary import frontier_summary, synthesis_summary
from investigator.core.vocab import Loop, TurnKind
from investigator.core.wire import Message, Request, ToolSpec, estimate_tokens
from investigator.loops import investigative, simple
from investigator.tools.outside import part_text, parts_of
from investigator.tools.registry import for_turn
from investigator.tools.specs import BY_NAME

SECTIONS = ("system", "tools", "task", "notes", "frontier", "turns", "instruction")
_WRITING = (TurnKind.SYNTHESIZING, TurnKind.LAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A prompt by section. ``turns`` are messages, the rest is text."""

    system: str
    tools: tuple[ToolSpec, ...]
    task: str
    notes: str = ""
    frontier: str = ""
    turns: tuple[Message, ...] = ()
    instruction: str = ""

    def texts(self) -> Mapping[str, str]:
        """Every section as text, for a person to read."""
        return {
            "system": self.system,
            "tools": _tools_text(self.tools),
            "task": self.task,
            "notes": self.notes,
            "frontier": self.frontier,
            "turns": "\n\n".join(_message_text(one) for one in self.turns),
            "instruction": self.instruction,
        }


def parts(state: State, worker: Worker) -> Parts:
    """The prompt that this worker's open or next turn sends."""
    following = _of_open(worker.open) if worker.open else worker.next
    tools = for_turn(following.kind, loop=state.run.loop, knowledge=state.run.world.knowledge)
    if state.run.loop is Loop.SIMPLE:
        last = simple.last_instruction() if following.kind is TurnKind.LAST else ""
        return Parts(
            system=simple.SYSTEM, tools=tools, task=_task(state), turns=_window(state, worker), instruction=last
        )
    return Parts(
        system=investigative.system_prompt(following.kind),
        tools=tools,
        task=_task(state),
        notes=block("notes", shown(state)),
        frontier=block("frontier", _frontier(state, following)),
        turns=_turns(state, worker, following),
        instruction=investigative.instruction(state, following, reminded=_only_talked(worker)),
    )


def _of_open(turn: OpenTurn) -> Next:
    return Next(kind=turn.kind, question=turn.question, claim=turn.claim, page=turn.page)


def build(state: State, worker: Worker) -> Request:
    """The request of this worker's open or next turn."""
    made = parts(state, worker)
    told = "\n".join(text for text in (made.task, made.notes, made.frontier) if text)
    messages = [Message(role="system", content=made.system), Message(role="user", content=told), *made.turns]
    if made.instruction:
        messages.append(Message(role="user", content=made.instruction))
    kind = worker.open.kind if worker.open else worker.next.kind
    forced = kind is TurnKind.LAST and state.run.loop is Loop.INVESTIGATIVE
    return Request(
        messages=tuple(messages),
        tools=made.tools,
        tool_choice="finalize_report" if forced else "auto",
        max_tokens=state.limits.reply_tokens,
        sections=sizes(made),
    )


def sizes(made: Parts) -> Mapping[str, int]:
    """Estimated tokens of each section."""
    return {
        "system": estimate_tokens(made.system),
        "tools": _tools_size(made.tools),
        "task": estimate_tokens(made.task),
        "notes": estimate_tokens(made.notes),
        "frontier": estimate_tokens(made.frontier),
        "turns": sum(_message_size(one) for one in made.turns),
        "instruction": estimate_tokens(made.instruction),
    }


def estimate(state: State, worker: Worker) -> int:
    """Estimated tokens of the worker's next request."""
    return sum(sizes(parts(state, worker)).values())


def cost_of(state: State, prompt_tokens: int, reply_tokens: int) -> float:
    """US dollars by the prices in the run's options (per million tokens); 0.0 where none is known."""
    options = state.run.options
    rate_in, rate_out = float(options.get("price_input", 0) or 0), float(options.get("price_output", 0) or 0)
    return (prompt_tokens * rate_in + reply_tokens * rate_out) / 1_000_000


def _task(state: State) -> str:
    objective = shield(" ".join(state.run.objective.split()))
    return block("task", f"objective: {objective}\ndate: {state.run.started_at[:10]}")


def _frontier(state: State, following: Next) -> str:
    if following.kind in _WRITING:
        return synthesis_summary(state.frontier, state.limits)
    return frontier_summary(state.frontier, state.challenges, state.limits, following.question)


def _only_talked(worker: Worker) -> bool:
    return bool(worker.window) and not worker.window[-1].calls and worker.window[-1].kind is not TurnKind.EXTRACTION


def _turns(state: State, worker: Worker, following: Next) -> tuple[Message, ...]:
    if following.kind is not TurnKind.EXTRACTION:
        return _window(state, worker)
    shown_part = max(
        (one.part for turn in worker.window for one in turn.results if one.page == following.page), default=1
    )
    return (Message(role="user", content=_page(state, state.pages[following.page], shown_part)),)


def _window(state: State, worker: Worker) -> tuple[Message, ...]:
    """The kept turns as they were, page text included until it is evicted; only the last one after an overflow."""
    kept = worker.window[-1:] if worker.compact else worker.window
    return tuple(message for turn in kept for message in _turn(state, turn))


def _turn(state: State, turn: TurnRecord) -> Iterator[Message]:
    yield Message(role="assistant", content=shield(turn.text), calls=turn.calls)
    for call, result in zip(turn.calls, turn.results, strict=False):
        yield Message(role="tool", content=_result(state, result), call_id=call.id)
    if not turn.calls and not turn.text.strip():
        yield Message(role="user", content="(empty reply)")


def _result(state: State, result: Result) -> str:
    if not result.page or result.evicted:
        return result.text
    return f"{result.text}\n{_page(state, state.pages[result.page], result.part)}"


def _page(state: State, page: PageRecord, part: int) -> str:
    return render_page(
        PageBlock(
            source=page.source_id,
            url=page.url,
            domain=page.domain,
            title=page.title,
            published=page.published,
            part=part,
            parts=parts_of(state, page),
            text=part_text(state, page, part),
        )
    )


def _message_size(message: Message) -> int:
    return estimate_tokens(message.content) + sum(estimate_tokens(one.name + one.arguments) for one in message.calls)


def _message_text(message: Message) -> str:
    calls = "".join(f"\n-> {one.name}({one_line(one.arguments, 600)})" for one in message.calls)
    return f"[{message.role}] {message.content}{calls}"


def _tools_size(tools: tuple[ToolSpec, ...]) -> int:
    return sum(_tool_size(one.name) for one in tools)


@functools.cache
def _tool_size(name: str) -> int:
    return estimate_tokens(_tools_text((BY_NAME[name],)))


def _tools_text(tools: tuple[ToolSpec, ...]) -> str:
    return "\n".join(f"{one.name}: {one.description} {json.dumps(one.parameters)}" for one in tools)
