"""Changing immutable values: `replace`, as the standard library's, fast for the one value with very many fields.

Knows dataclasses; must not know which ones there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import replace as replace
else:
    import dataclasses

    _T = TypeVar("_T")

    def replace(value: _T, /, **changes: Any) -> _T:
        """A copy of a frozen dataclass with some fields changed, as `dataclasses.replace` makes it.

        A value without ``__slots__`` is copied as one dictionary instead of field by field, where replaying a long log
        spent half of its time. Such a class has no ``__post_init__``, and all its fields are given to ``__init__``.

        Raises:
            TypeError: a change names no field.

        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: int
        ...     y: int
        >>> replace(Point(1, 2), y=3)
        Point(x=1, y=3)
        """
        fields: dict[str, Any] | None = getattr(value, "__dict__", None)
        if fields is None:
            return dataclasses.replace(value, **changes)
        kind = type(value)
        unknown = changes.keys() - kind.__dataclass_fields__.keys()
        if unknown:
            raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
        made = object.__new__(kind)
        object.__setattr__(made, "__dict__", fields | changes)
        return made
