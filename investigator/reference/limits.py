"""The page of the limits: default, range and meaning of each."""

from __future__ import annotations

import dataclasses
from typing import Any

from investigator.core.limits import Limits
from investigator.reference.markdown import page, table


def limits() -> str:
    """All limits as a page of Markdown."""
    fields = dataclasses.fields(Limits)
    rows = [
        [f"`{one.name}`", _value(one.default), _range(one), one.metadata.get("unit", ""), one.metadata["meaning"]]
        for one in fields
    ]
    return page(
        "# Limits",
        "Every number that ends, bounds or gates something: `iv.Limits(max_depth=2)`, `--set max_depth=2`, or "
        '`inv.act("set_limits", limits={...})` on a run. A value out of range is refused and the range named.',
        table(["limit", "default", "range", "unit", "meaning"], rows),
        f"`Limits.narrow()`, `--narrow`: {_narrow()}.",
    )


def _narrow() -> str:
    narrow, usual = Limits.narrow(), Limits()
    names = [one.name for one in dataclasses.fields(Limits)]
    changed = [name for name in names if getattr(narrow, name) != getattr(usual, name)]
    return ", ".join(f"`{name}={getattr(narrow, name)}`" for name in changed)


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return "all"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else f"{value:,}"


def _range(one: dataclasses.Field[Any]) -> str:
    if "low" in one.metadata:
        return f"{one.metadata['low']:,} to {one.metadata['high']:,}{' or none' if one.default is None else ''}"
    if isinstance(one.default, tuple):
        return ", ".join(f"`{word}`" for word in one.default)
    return "true or false"
