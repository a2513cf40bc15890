"""Arguments of a tool call: hostile text -> JSON values, and JSON values -> what a tool's schema allows.

Knows the part of JSON schema that the tools use. Must not know which tools exist, what they do, or how a call was
found in a reply (`calls` does). Nothing here raises on what a model sent, except `Unreadable`, which `calls` catches.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from investigator.core.blocks import clean, one_line
from investigator.core.wire import ToolSpec

MOST_CHARACTERS = 1_000_000
MOST_DEPTH = 40  # the deepest schema of ours has 4; the parser itself breaks near 1,000
MOST_DIGITS = 300  # below the interpreter's own limit, and every such integer still fits a float

_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\Z)'  # an unclosed one runs to the end: the scan stays linear
_TOKEN = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)
_SLIP = re.compile(_STRING + r"|'[^'\"\\\n]*'|,(?=\s*+[}\]])|\b(?:True|False|None)\b", re.DOTALL)
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_STRAY = re.compile(r"(?:[\s;}\]`]|</\w+>)*")
_NUMBER = re.compile(r"[+-]?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


class Unreadable(ValueError):
    """Text that is no JSON, or JSON that is not safe to hold; its text is a clause for the model."""


def parse_json(text: str) -> Any:
    """The value of a text that should be JSON, with the slips repaired that can mean one thing only.

    Repaired: a surrounding code fence, trailing commas, simple single-quoted strings, Python's ``True``, stray closing
    brackets, raw line ends in strings. Strings come back without control characters and lone surrogates.

    Raises:
        Unreadable: anything else; a text that was cut off is never completed.

    >>> parse_json("{'query': 'tidal power',}")
    {'query': 'tidal power'}
    """
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(f"longer than {MOST_CHARACTERS:,} characters")
    bare = unfenced(text.strip().lstrip("\ufeff"))
    depth, deepest = nesting(bare)
    if deepest > MOST_DEPTH:
        raise Unreadable(f"nested deeper than {MOST_DEPTH} levels")
    first = _attempt(bare)
    outcome = _attempt(_SLIP.sub(_mend, bare)) if isinstance(first, ValueError) else first
    if not isinstance(outcome, ValueError):
        return tidy(outcome)
    raise Unreadable("cut off before the end" if depth > 0 else _clause(first))


def unfenced(text: str) -> str:
    """The text without blanks, and without a code fence, around it.

    >>> unfenced("```json\\n{}\\n```")
    '{}'
    """
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and len(bare) > 6:
        return re.sub(r"\A[\w+-]*", "", bare[3:-3]).strip()
    return bare


def nesting(text: str) -> tuple[int, int]:
    """Brackets left open at the end (an unclosed string counts as one), and the deepest level reached.

    >>> nesting('{"a": [1, {"b": "]"}'), nesting('{"a')
    ((2, 3), (2, 1))
    """
    depth = deepest = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif token in "}]":
            depth -= 1
        elif len(token) == 1 or not _closed(token):
            depth += 1
    return depth, deepest


def _closed(token: str) -> bool:
    body = token[1:-1]
    return token.endswith('"') and (len(body) - len(body.rstrip("\\"))) % 2 == 0


def _attempt(text: str) -> Any:
    """The value, or the ValueError as a value: the caller compares two attempts."""
    try:
        value, end = _DECODER.raw_decode(text)
        rest = text[end:].strip()
        if rest and not _STRAY.fullmatch(rest) and rest != text[:end]:  # some servers send the object twice
            return Unreadable("followed by more text")
        return value
    except Unreadable as refused:
        return refused
    except (ValueError, RecursionError) as error:
        return ValueError(str(error))


def _mend(match: re.Match[str]) -> str:
    token = match.group()
    if token.startswith("'"):
        return json.dumps(token[1:-1])
    return "" if token == "," else _LITERALS.get(token, token)


def _clause(error: Exception) -> str:
    if isinstance(error, Unreadable):
        return str(error)
    return f"not valid JSON ({one_line(str(error), 100)})"


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise Unreadable(f"a number of more than {MOST_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(digits)


def _no_number(token: str) -> NoReturn:
    raise Unreadable(f"holding {one_line(token, 20)}, which is not a finite number")


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer, parse_float=_float, parse_constant=_no_number)


def tidy(value: Any, depth: int = 0) -> Any:
    """The same JSON value with clean strings; `Unreadable` when it is nested too deeply or no JSON at all.

    >>> tidy({"a": ["x\\x00y"]})
    {'a': ['xy']}
    """
    if depth > MOST_DEPTH:
        raise Unreadable(f"nested deeper than {MOST_DEPTH} levels")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): tidy(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [tidy(one, depth + 1) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        _no_number(str(value))
    if isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
        raise Unreadable(f"a number of more than {MOST_DIGITS} digits")
    if value is None or isinstance(value, bool | int | float):
        return value
    raise Unreadable(f"holding a {type(value).__name__}, which JSON has not")


def validate(spec: ToolSpec, args: Mapping[str, Any]) -> dict[str, Any] | str:
    """The arguments as the tool's schema wants them, or one sentence that names everything wrong with them.

    Coerced, because it can mean one thing only: ``"0.8"`` for a number, ``5.0`` for an integer, ``"true"`` for a
    boolean, one value for a list of such, JSON text for a list or an object, another spelling of an enum's word.
    Keys that the schema does not have are dropped, and so is ``null`` for an optional argument.

    >>> spec = ToolSpec(name="t", description="", parameters={"type": "object", "required": ["priority"],
    ...     "properties": {"priority": {"type": "number", "minimum": 0, "maximum": 1}}})
    >>> validate(spec, {"priority": "0.8", "colour": "red"})
    {'priority': 0.8}
    >>> validate(spec, {"priority": "high"})
    "priority must be a number from 0 to 1, got 'high'"
    """
    problems: list[str] = []
    try:
        found = _object(spec.parameters, tidy(dict(args)), "", problems)
    except Unreadable as refused:
        return f"the arguments cannot be read: {refused}"
    return "; ".join(problems[:8]) if problems else found


def _check(schema: Mapping[str, Any], value: Any, path: str, problems: list[str]) -> Any:
    kinds = kinds_of(schema)
    for kind in kinds:
        if _is(kind, value):
            break
    else:
        kind, value = _coerced(kinds, schema, value)
    if kinds and not kind:
        problems.append(f"{path} must be {_wanted(schema)}, got {_short(value)}")
        return value
    value = _enumerated(schema, value)
    if not _within(schema, value):
        problems.append(f"{path} must be {_wanted(schema)}, got {_short(value)}")
    elif isinstance(value, dict):
        return _object(schema, value, f"{path}.", problems)
    elif isinstance(value, list) and "items" in schema:
        return [_check(schema["items"], one, f"{path}[{n}]", problems) for n, one in enumerate(value)]
    return value


def _object(schema: Mapping[str, Any], value: dict[str, Any], path: str, problems: list[str]) -> dict[str, Any]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    others = schema.get("additionalProperties", not properties)
    required: Sequence[str] = schema.get("required", ())
    given = _respelled(value, properties)
    found: dict[str, Any] = {}
    for key, one in given.items():
        below = properties.get(key, others if isinstance(others, Mapping) else {})
        if (key not in properties and others is False) or (one is None and not _may_be_null(below)):
            continue
        found[key] = _check(below, one, path + key, problems)
    for key in required:
        if key not in found:
            unknown = [one for one in given if one not in properties]
            hint = f" (you sent {one_line(', '.join(unknown), 80)})" if unknown else ""
            problems.append(f"{path}{key} is missing, it must be {_wanted(properties.get(key, {}))}{hint}")
    return found


def _respelled(value: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of another case or with hyphens under the schema's own spelling, where that key is not there itself."""
    own = {squashed(key): key for key in properties}
    found: dict[str, Any] = {}
    for key, one in value.items():
        to = key if key in properties else own.get(squashed(key), key)
        found[key if to in value or to in found else to] = one
    return found


def squashed(name: str) -> str:
    """A name without case, hyphens, spaces and underscores.

    >>> squashed("Web-Search")
    'websearch'
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def _may_be_null(schema: Mapping[str, Any]) -> bool:
    return "null" in kinds_of(schema) or not schema


def kinds_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The types that a schema allows; empty when it names none.

    >>> kinds_of({"type": ["string", "number"]}), kinds_of({})
    (('string', 'number'), ())
    """
    kinds = schema.get("type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)


def _is(kind: str, value: Any) -> bool:
    if isinstance(value, bool):  # Python's True is an int; JSON's is not
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


_TYPES: Mapping[str, Any] = {
    "string": str, "number": int | float, "integer": int, "boolean": bool, "array": list, "object": dict,
    "null": type(None),
}  # fmt: skip


def _coerced(kinds: Sequence[str], schema: Mapping[str, Any], value: Any) -> tuple[str, Any]:
    """The first allowed type that the value can become, and what it becomes; type '' when there is none."""
    for kind in kinds:
        became = _as(kind, schema, value)
        if became is not None:
            return kind, became
    return "", value


def _as(kind: str, schema: Mapping[str, Any], value: Any) -> Any:
    if kind == "null":
        return None
    if kind in ("number", "integer"):
        return _as_number(kind, value)
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None
    if kind == "string":
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    return _as_container(kind, schema, value)


def _as_container(kind: str, schema: Mapping[str, Any], value: Any) -> Any:
    written = isinstance(value, str) and value.lstrip()[:1] in ("[", "{")
    read = _json_or_text(value) if written else value
    if _is(kind, read):
        return read
    if kind == "array":
        items = schema.get("items", {})
        return _as_list(items, read) or _as_list(items, value)
    return read[0] if isinstance(read, list) and len(read) == 1 and _is(kind, read[0]) else None


def _as_number(kind: str, value: Any) -> float | int | None:
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip()):
            return None
        number = float(value)
        whole = value.strip().lstrip("+-").isdigit()
        value = int(value) if whole else number if math.isfinite(number) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if kind == "integer" and isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value


def _json_or_text(text: str) -> Any:
    try:
        return parse_json(text)
    except Unreadable:
        return text


def _as_list(items: Mapping[str, Any], value: Any) -> list[Any] | None:
    kinds = kinds_of(items)
    fits = isinstance(value, str | dict) and value != "" and any(_is(kind, value) for kind in kinds)
    return [value] if fits else None


def _enumerated(schema: Mapping[str, Any], value: Any) -> Any:
    if not isinstance(value, str) or "enum" not in schema or value in schema["enum"]:
        return value
    near = [one for one in schema["enum"] if isinstance(one, str) and squashed(one) == squashed(value)]
    return near[0] if len(near) == 1 else value


def _within(schema: Mapping[str, Any], value: Any) -> bool:
    if "enum" in schema and not any(one == value and type(one) is type(value) for one in schema["enum"]):
        return False
    if isinstance(value, str):  # blanks alone are no text, so they do not count towards the least
        least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
        return bool(least <= len(value.strip()) and len(value) <= most)
    if isinstance(value, list):
        return bool(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf))
    return True


def _wanted(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(str(one) for one in schema["enum"])
    return " or ".join(_phrase(kind, schema) for kind in kinds_of(schema)) or "given"


def _phrase(kind: str, schema: Mapping[str, Any]) -> str:
    if kind == "string":
        return "text" + _range(schema.get("minLength"), schema.get("maxLength"), "of {} characters")
    if kind == "array":
        of = _wanted(schema.get("items", {})) if schema.get("items") else "anything"
        return "a list" + _range(schema.get("minItems"), schema.get("maxItems"), "of {} items") + f", each {of}"
    if kind == "object":
        keys = ", ".join(schema.get("properties", {}))
        return "an object" + (f" with {keys}" if keys else "")
    if kind in ("number", "integer"):
        noun = "a number" if kind == "number" else "a whole number"
        return noun + _range(schema.get("minimum"), schema.get("maximum"), "{}", "from {} to {}")
    return "true or false" if kind == "boolean" else "null"


def _range(least: Any, most: Any, words: str, both: str = "{} to {}") -> str:
    if least is None and most is None:
        return ""
    amount = f"at most {most}" if least is None else f"at least {least}" if most is None else both.format(least, most)
    return " " + words.format(amount)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**20:  # writing out a huge integer is refused by the interpreter
        return "a very large number"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return one_line(repr(value), 60)
