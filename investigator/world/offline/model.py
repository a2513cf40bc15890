"""The offline model: chooses the next calls by rules from the prompt alone. It is no language model.

Knows requests and replies; each kind of turn has a module of its own. It keeps nothing between requests, reads no
clock and draws no number, so the same request always gets the same reply.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from investigator.core.wire import Reply, Request, ToolCall, Usage, estimate_tokens
from investigator.world.offline.answering import simple
from investigator.world.offline.closing import closing
from investigator.world.offline.planning import planning
from investigator.world.offline.researching import reformulated, researching
from investigator.world.offline.seeing import Move, Sight, look
from investigator.world.offline.tidying import consolidating, extracting, verifying
from investigator.world.offline.writing import report

_POLICIES: Mapping[str, Callable[[Sight], list[Move]]] = {
    "planning": planning,
    "researching": researching,
    "extraction": extracting,
    "consolidation": consolidating,
    "verifying": verifying,
    "closing": closing,
}


class OfflineModel:
    """A model without network, key or weights: it ranks and quotes sentences, and says so. No language model.

    Stateless: it sees the request's messages and tools, as any model does, and nothing else.

    >>> from investigator.core.wire import Message
    >>> task = Message(role="user", content="<task>\\nobjective: When was Acme Hall opened?\\n</task>")
    >>> OfflineModel().complete(Request(messages=(task,))).text.splitlines()[0]
    'No evidence found: none of the pages that were read answers the question.'
    """

    name = "offline"

    def __repr__(self) -> str:
        return "OfflineModel()"

    def complete(self, request: Request) -> Reply:
        """The next calls, or the text of the report. Never raises on what a prompt holds."""
        sight = look(request)
        if sight.simple:
            moves, text = simple(sight)
            return _reply(request, [] if not sight.tools else moves, text)
        if sight.kind in ("synthesizing", "last"):
            written = report(sight)
            if "finalize_report" in sight.tools:
                return _reply(request, [("finalize_report", {"report": written})], "")
            return _reply(request, [], written)
        moves = _allowed(sight, _POLICIES.get(sight.kind, researching)(sight))
        return _reply(request, moves or _allowed(sight, _otherwise(sight)), "")


def _allowed(sight: Sight, moves: Sequence[Move]) -> list[Move]:
    """Calls of offered tools that were not refused word for word in the turns that are shown; each once."""
    refused = {
        _key((one.name, dict(one.arguments))) for one in sight.shown if one.refused and not _may_repeat(one.refused)
    }
    kept: dict[str, Move] = {}
    for move in moves:
        if move[0] in sight.tools and _key(move) not in refused:
            kept.setdefault(_key(move), move)
    return list(kept.values())


def _may_repeat(kind: str) -> bool:
    """Refusals that other calls of the next reply may lift."""
    return kind in ("unchallenged", "question_closed", "closed_question", "gate", "extract_first")


def _key(move: Move) -> str:
    return json.dumps(move, sort_keys=True, ensure_ascii=False)


def _otherwise(sight: Sight) -> list[Move]:
    """When every chosen call was refused before: a reformulation, or what else moves the run on."""
    if sight.kind == "planning":
        return [("frontier_next", {"atomic_reason": "The objective asks one thing."})]
    if sight.kind in ("extraction", "consolidation"):
        return [("notes_scratch", {"text": sight.notes.scratch.strip() or "Nothing to add."})]
    return [*reformulated(sight, sight.question or sight.objective), ("finish_exploration", {})]


def _reply(request: Request, moves: Sequence[Move], text: str) -> Reply:
    calls = tuple(
        ToolCall(id=f"call_{number}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        for number, (name, arguments) in enumerate(moves)
    )
    read = request.tokens or sum(estimate_tokens(one.content) for one in request.messages)
    written = estimate_tokens(text) + sum(estimate_tokens(one.name + one.arguments) for one in calls)
    usage = Usage(input_tokens=read, output_tokens=written, cost_usd=0.0, estimated=True)
    return Reply(text=text, calls=calls, finish_reason="tool_calls" if calls else "stop", usage=usage)
