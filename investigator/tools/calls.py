"""A reply as received -> calls: recovery of malformed ones, and a sentence for each that cannot be recovered.

Knows the shapes in which models write calls. Must not know what a tool does, and never completes what a model did not
write: a call that was cut off is answered with what to send instead. Every received call has exactly one entry, because
every call id must be answered before the next request.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from investigator.core.blocks import clean, one_line
from investigator.core.wire import Reply, ToolCall, ToolSpec
from investigator.tools.arguments import MOST_DEPTH, Unreadable, parse_json, squashed, unfenced, validate
from investigator.tools.specs import SPECS

__all__ = ["BadCall", "Call", "read_calls", "spoken", "validate"]

MOST_ECHO = 800
MOST_WRITTEN = 200_000  # characters of text that are searched for calls
_ID = re.compile(r"[\w.:|-]{1,128}", re.ASCII)
_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGS_KEYS = ("arguments", "args", "parameters", "input")
_THINK = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(?:tool_call|function_call)s?>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[\w+-]*|```[\w+-]*[ \t]*$", re.MULTILINE)
_START = re.compile(r"^[ \t]*(?=[\[{]|[\w.-]{1,64}\(\s*\{)", re.MULTILINE)
_APPLIED = re.compile(r"([\w.-]{1,64})\(\s*+")
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_NAMED = re.compile(r"[\"'](?:name|tool|tool_name|function)[\"']\s*+:\s*+[\"']([\w.-]{1,64})[\"']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that can be read. ``args`` is a JSON object with clean strings, not yet checked by `validate`."""

    position: int
    id: str
    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadCall:
    """A call that cannot be read. ``why`` is what the model sees: what was wrong and what to send instead."""

    position: int
    id: str
    name: str
    why: str


def read_calls(reply: Reply, tools: Sequence[ToolSpec]) -> tuple[Call | BadCall, ...]:
    """Every call of a reply in order, one entry for each; calls written in the text count when there are no others.

    Never raises. Missing, repeated or unusable ids become ``call_<position>``.

    >>> search = ToolSpec(name="web_search", description="", parameters={"type": "object"})
    >>> received = ToolCall(id="", name="functions.web-search", arguments="{'query': 'tides',}")
    >>> read_calls(Reply(calls=(received,)), (search,))
    (Call(position=0, id='call_0', name='web_search', args={'query': 'tides'}),)
    """
    received = reply.calls or tuple(written.call for written in _written(_unthought(reply.text), tools))
    ids = _ids(received)
    cut = reply.finish_reason == "length"
    return tuple(_read(n, ids[n], call, tools, cut and n == len(received) - 1) for n, call in enumerate(received))


def spoken(text: str, tools: Sequence[ToolSpec] | None = None) -> str:
    """What a reply says to a person: no thinking, and no calls that `read_calls` recovers for the same tools.

    Without ``tools`` everything of the shape of a call goes, whatever its name.

    >>> spoken("<think>hm</think>I will look. <tool_call>{\\"name\\": \\"x\\", \\"arguments\\": {}}</tool_call>")
    'I will look.'
    """
    said = _unthought(text)
    for start, end in sorted({(one.start, one.end) for one in _written(said, tools)}, reverse=True):
        said = said[:start] + said[end:]
    return said.strip()


def _ids(received: Sequence[ToolCall]) -> list[str]:
    taken = {call.id for call in received}
    ids: dict[str, None] = {}  # in order, and quick to look up: a mad reply has thousands
    for position, call in enumerate(received):
        own = call.id
        if not _ID.fullmatch(own) or own in ids:
            own = f"call_{position}"
            while own in taken or own in ids:
                own += "_"
        ids[own] = None
    return list(ids)


def _read(position: int, own: str, call: ToolCall, tools: Sequence[ToolSpec], cut: bool) -> Call | BadCall:
    spec = _tool(call.name, tools)
    other = _tool(call.name, SPECS) if spec is None and tools else None
    if other is not None and all(one.name != other.name for one in tools):
        # A real tool, only not of this turn: the registry says why.
        return Call(position=position, id=own, name=other.name, args={})
    if spec is None:
        shown = one_line(call.name, 80) or "(no name)"
        return BadCall(position=position, id=own, name=shown, why=_unknown(shown, tools))
    try:
        return Call(position=position, id=own, name=spec.name, args=_args(call.arguments, spec))
    except Unreadable as refused:
        return BadCall(position=position, id=own, name=spec.name, why=_refusal(spec, str(refused), call.arguments, cut))


def _tool(name: str, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """The offered tool that a received name means, if exactly one does."""
    bare = clean(name[:200]).split("<|")[0].strip().strip("`'\"()").strip()
    bare = re.sub(r":\d+$", "", bare)  # a call's number, glued to its name by some servers
    for candidate in (bare, re.split(r"[./:]", bare)[-1]):
        exact = [tool for tool in tools if tool.name == candidate]
        alike = exact or [tool for tool in tools if candidate and squashed(tool.name) == squashed(candidate)]
        if len(alike) == 1:
            return alike[0]
    return None


def _unknown(shown: str, tools: Sequence[ToolSpec]) -> str:
    if not tools:
        return f"there is no tool {shown}: no tool may be called now; answer in plain text"
    names = [tool.name for tool in tools]
    near = difflib.get_close_matches(re.split(r"[./:]", shown)[-1].casefold(), names, n=1, cutoff=0.5)
    guess = f"did you mean {near[0]}? " if near else ""
    return f"there is no tool {shown} to call now; {guess}Call one of: {', '.join(names)}"


def _args(text: str, spec: ToolSpec) -> dict[str, Any]:
    value: Any = text
    for _ in range(4):  # encoded once, as it should be, or up to three times too often
        if not isinstance(value, str) or not value.strip():
            break
        value = parse_json(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or (isinstance(value, str) and not value.strip()):
        value = _nothing(spec)
    if not isinstance(value, dict):
        raise Unreadable(f"{_KINDS.get(type(value), 'a single value')} where one JSON object is wanted")
    return _unwrapped(value, spec)


_KINDS = {list: "a list", str: "plain text", bool: "true or false", int: "a number", float: "a number"}


def _nothing(spec: ToolSpec) -> dict[str, Any]:
    if spec.parameters.get("required"):
        raise Unreadable("empty")
    return {}


def _unwrapped(value: dict[str, Any], spec: ToolSpec) -> dict[str, Any]:
    """The arguments of a call that was written whole into its own arguments."""
    own = spec.parameters.get("properties", {})
    keys = [key for key in value if key in _ARGS_KEYS and isinstance(value[key], dict)]
    if len(keys) == 1 and not any(key in own for key in value) and set(value) <= {*_NAME_KEYS, keys[0]}:
        inner: dict[str, Any] = value[keys[0]]
        return inner
    return value


def _refusal(spec: ToolSpec, why: str, received: str, cut: bool) -> str:
    short = " and shorter: your reply reached its token limit" if cut else ""
    echo = one_line(received[: 4 * MOST_ECHO], MOST_ECHO)
    return (
        f"the arguments of {spec.name} could not be read: they are {why}. "
        f"Send the whole call again{short}, with one JSON object of {_keys(spec)}. Received: {echo or '(nothing)'}"
    )


def _keys(spec: ToolSpec) -> str:
    required = spec.parameters.get("required", ())
    keys = [f"{key} (required)" if key in required else key for key in spec.parameters.get("properties", {})]
    return ", ".join(keys) or "no keys"


def _unthought(text: str) -> str:
    """Without ``<think>`` blocks; an end tag alone closes thinking that began in the prompt's template."""
    kept: list[str] = []
    at = depth = 0
    for match in _THINK.finditer(text):
        if match.group(1):
            if depth == 1 or (depth == 0 and not kept):
                at = match.end()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept.append(text[at : match.start()])
                at = match.start()
            depth += 1
    leading = depth and not "".join(kept).strip()
    return "" if leading else "".join(kept) + text[at:]


class _Written(NamedTuple):
    """A call found in a text, and the piece of the text that it stands in."""

    start: int
    end: int
    call: ToolCall


def _written(text: str, tools: Sequence[ToolSpec] | None) -> list[_Written]:
    """Calls written as text: in tags, in code fences, or alone up to the end of the text. In order."""
    if len(text) > MOST_WRITTEN or (tools is not None and not tools):
        return []
    found: list[_Written] = []
    for start, end, body in [*_tagged(text), *_fenced(text)]:
        if not any(start < one.end and one.start < end for one in found):
            calls = _pieces(body, tools) or _broken(body, tools)
            found += [_Written(start, end, call) for call in calls]
    return sorted(found or _alone(text, tools), key=lambda one: one.start)


def _tagged(text: str) -> list[tuple[int, int, str]]:
    """Tagged parts as (start, end, body); the last may be unclosed, its body then runs to the end."""
    parts = []
    opened: re.Match[str] | None = None
    for match in _TAG.finditer(text):
        if match.group(1) and opened:
            parts.append((opened.start(), match.end(), text[opened.end() : match.start()]))
            opened = None
        elif not match.group(1) and opened is None:
            opened = match
    if opened:
        parts.append((opened.start(), len(text), text[opened.end() :]))
    return parts


def _fenced(text: str) -> list[tuple[int, int, str]]:
    """Fenced parts as (start, end, body); the last may be unclosed, its body then runs to the end."""
    edges = [match.span() for match in _FENCE.finditer(text)] + [(len(text), len(text))]
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return [(one[0], two[1], text[one[1] : two[0]]) for one, two in pairs]


def _alone(text: str, tools: Sequence[ToolSpec] | None) -> list[_Written]:
    """Calls that begin a line and run on to the end: further up, a JSON object is what the text talks about."""
    for begin in islice(_START.finditer(text), 10):  # each look costs the rest of the text
        calls = _pieces(text[begin.start() :], tools)
        if calls:
            return [_Written(begin.start(), len(text), call) for call in calls]
    return []


def _broken(body: str, tools: Sequence[ToolSpec] | None) -> list[ToolCall]:
    """A call that names an offered tool but is no JSON: kept as received, so that the model hears of it."""
    named = _NAMED.search(body)
    if named is None or tools is None or _tool(named.group(1), tools) is None:
        return []
    try:
        parse_json(body)
    except Unreadable:
        return [ToolCall(id="", name=named.group(1), arguments=body.strip())]
    return []


def _pieces(body: str, tools: Sequence[ToolSpec] | None) -> list[ToolCall]:
    """The calls of a text that consists of nothing else; otherwise none."""
    calls: list[ToolCall] = []
    rest = unfenced(body)
    while rest:
        applied = _APPLIED.match(rest)
        begin = applied.end() if applied else 0
        end = _balanced(rest, begin)
        if end == 0:
            return []
        value, tail = rest[begin:end], rest[end:].lstrip()
        if applied and not tail.startswith(")"):
            return []
        read = _applied(applied.group(1), value, tools) if applied else _objects(value, tools)
        if not read:
            return []
        calls += read
        rest = (tail[1:] if applied else tail).lstrip(" \t\r\n,;")
    return calls


def _balanced(text: str, begin: int) -> int:
    """Where the bracket that opens at ``begin`` is closed; 0 when none opens there or it stays open."""
    if text[begin : begin + 1] not in ("{", "["):
        return 0
    depth = 0
    for match in _BRACKET.finditer(text, begin):
        token = match.group()
        depth += (token in ("{", "[")) - (token in ("}", "]"))
        if depth == 0:
            return match.end()
        if depth > MOST_DEPTH:  # no JSON that could be read, and a long way to its end
            return 0
    return 0


def _applied(name: str, value: str, tools: Sequence[ToolSpec] | None) -> list[ToolCall]:
    """``NAME({...})``; a name that is not offered is prose or program text."""
    offered = tools is not None and _tool(name, tools) is not None
    return [ToolCall(id="", name=name, arguments=value)] if offered and value.startswith("{") else []


def _objects(text: str, tools: Sequence[ToolSpec] | None) -> list[ToolCall]:
    try:
        value = parse_json(text)
    except Unreadable:
        return []
    return _shaped(value, tools)


def _shaped(value: Any, tools: Sequence[ToolSpec] | None) -> list[ToolCall]:
    """The calls of a JSON value: an object of the shape of a call, or a list of nothing but such objects."""
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    if isinstance(value, list):
        read = [_shaped(one, tools) for one in value]
        return [call for calls in read for call in calls] if all(read) else []
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("function"), dict):
        return _shaped(value["function"], tools)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), "")
    key = next((key for key in _ARGS_KEYS if key in value), "")
    bare = tools is not None and not key and set(value) <= {*_NAME_KEYS, "id", "type"}
    if not name or not (key or bare) or (tools is not None and _tool(name, tools) is None):
        return []
    args = value[key] if key else ""
    return [ToolCall(id="", name=name, arguments=args if isinstance(args, str) else json.dumps(args))]
