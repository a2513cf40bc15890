"""Whether what a model or a world returned has the shape that it must have, before anything is made of it.

Both are anybody's objects: a dict where a text should be would break the fold many lines later, where no sentence could
say whose fault it is. Knows types only.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, cast, get_args, get_origin, get_type_hints

LARGEST = 2**53  # of a count; beyond it floats, JSON readers and data frames no longer agree


def misfit(value: object, shape: Any) -> str:
    """What is wrong with a value of `core.wire`, as the end of a sentence; '' when nothing is.

    >>> from investigator.core.wire import Reply
    >>> misfit(Reply(text=None), Reply)
    'text is a NoneType, not a str'
    """
    return next(iter(_faults(value, shape, "")), "")


def _faults(value: object, shape: Any, name: str) -> Sequence[str]:
    if is_dataclass(shape) and isinstance(value, shape):  # type: ignore[arg-type]
        inside = _members(cast(type, shape))
        return [fault for one, inner in inside for fault in _faults(getattr(value, one), inner, _at(name, one))]
    if get_origin(shape) is tuple and isinstance(value, tuple | list):
        inner = get_args(shape)[0]
        return [fault for at, one in enumerate(value) for fault in _faults(one, inner, f"{name}[{at}]")]
    if isinstance(shape, types.UnionType):
        tried = [_faults(value, one, name) for one in get_args(shape)]
        return [] if [] in tried else tried[0]
    if shape in (int, float):
        return _number(value, shape, name)
    if not isinstance(shape, type) or not isinstance(value, shape):
        wanted = getattr(get_origin(shape) or shape, "__name__", str(shape))
        return [f"{name or 'it'} is a {type(value).__name__}, not a {wanted}"]
    return []


def _number(value: object, shape: type, name: str) -> list[str]:
    allowed = (int,) if shape is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, allowed):
        return [f"{name} is a {type(value).__name__}, not a number"]
    if not math.isfinite(value) or not 0 <= value <= LARGEST:
        return [f"{name} is no number from 0 to {LARGEST}"]
    return []


@functools.cache
def _members(shape: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(shape)
    return tuple((one.name, hints[one.name]) for one in fields(shape))


def _at(name: str, member: str) -> str:
    return f"{name}.{member}" if name else member
