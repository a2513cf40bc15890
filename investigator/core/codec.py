"""Frozen values to plain JSON and back, by their type hints. JSON and text only: no class names, no pickle.

The text is ASCII with sorted keys, so that equal values give equal bytes and lone surrogates survive any database.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

T = TypeVar("T")
STORED_ELSEWHERE = {"stored": "elsewhere"}  # metadata of a field that does not go into the JSON


def encode(value: Any) -> Any:
    """Plain lists, dicts, strings and numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = (one for one in dataclasses.fields(value) if one.metadata.get("stored") != "elsewhere")
        return {one.name: encode(getattr(value, one.name)) for one in kept}
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple | list | frozenset):
        return [encode(one) for one in (sorted(value) if isinstance(value, frozenset) else value)]
    if isinstance(value, Mapping):
        return {str(key): encode(one) for key, one in value.items()}
    return value


def dumps(value: Any) -> str:
    """Canonical JSON text of a value.

    >>> dumps({"b": (1, 2), "a": "é"})
    '{"a":"\\\\u00e9","b":[1,2]}'
    """
    return json.dumps(encode(value), ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(*texts: str) -> str:
    """sha256 over the texts, each with its length before it, as 64 hex digits."""
    sha = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        sha.update(b"%d:" % len(data))
        sha.update(data)
    return sha.hexdigest()


def loads(cls: type[T], text: str) -> T:
    """The value of class ``cls`` that `dumps` wrote."""
    return typing.cast(T, decode(cls, json.loads(text)))


def decode(hint: Any, data: Any) -> Any:
    """Build what ``hint`` says from plain data; unknown keys are left out, missing ones take their default."""
    origin = typing.get_origin(hint)
    if origin is tuple:
        item = typing.get_args(hint)[0]
        return tuple(decode(item, one) for one in data)
    if origin is frozenset:
        item = typing.get_args(hint)[0]
        return frozenset(decode(item, one) for one in data)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        item = typing.get_args(hint)[1]
        return {key: decode(item, one) for key, one in data.items()}
    if origin in (types.UnionType, typing.Union):
        return _decode_union(typing.get_args(hint), data)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(data)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = _hints(hint)
        return hint(**{key: decode(hints[key], one) for key, one in data.items() if key in hints})
    return data


def _decode_union(options: tuple[Any, ...], data: Any) -> Any:
    if data is None:
        return None
    values: list[Any] = [one for one in options if one is not types.NoneType and dataclasses.is_dataclass(one)]
    if not isinstance(data, dict) or not values:
        others = [one for one in options if one is not types.NoneType and not dataclasses.is_dataclass(one)]
        return decode(others[0], data) if len(others) == 1 else data
    # Several shapes: the one whose fields are those of the data.
    return decode(
        max(values, key=lambda one: len(set(data) & set(_hints(one))) - len(set(_hints(one)) - set(data))), data
    )


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)
