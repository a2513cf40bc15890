"""The page of the tools: what each is for, its arguments, the turns it is offered in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from investigator.core.vocab import Loop, TurnKind
from investigator.core.wire import ToolSpec
from investigator.reference.markdown import page, table
from investigator.reference.refusals import refusals, refusals_of_any
from investigator.tools.registry import for_turn
from investigator.tools.specs import SPECS


def tools() -> str:
    """All tools as a page of Markdown."""
    return page(
        "# Tools",
        "What the model may call, and a person too, through `inv.act(name, ...)`. A call that breaks a rule is "
        "refused with a sentence that says what to do instead; nothing changes then. Arguments in bold are required.",
        "In the words of a refusal `…` stands for what the run fills in.",
        "## Offered in",
        _offered(),
        "## Refused whatever the tool",
        *_refused(refusals_of_any()),
        *(_tool(spec) for spec in SPECS),
    )


def _offered() -> str:
    alike: dict[str, list[str]] = {}
    for kind in TurnKind:
        alike.setdefault(_names(for_turn(kind, knowledge=True)), []).append(f"`{kind}`")
    rows = [[", ".join(kinds), names] for names, kinds in alike.items()]
    plain = [
        [f"`{kind}`, simple loop", _names(for_turn(kind, loop=Loop.SIMPLE, knowledge=True))]
        for kind in (TurnKind.RESEARCHING, TurnKind.LAST)
    ]
    return table(["turn", "tools"], [*rows, *plain])


def _names(specs: tuple[ToolSpec, ...]) -> str:
    return ", ".join(f"`{spec.name}`" for spec in specs) or "none: the answer is text"


def _tool(spec: ToolSpec) -> str:
    rows = list(_rows("", spec.parameters))
    kinds = [f"`{kind}`" for kind in TurnKind if spec in for_turn(kind, knowledge=True)]
    offered = f"Offered in: {', '.join(kinds)}." if kinds else "For a person only."
    head = f"## {spec.name}\n\n{spec.description}\n\n{offered}"
    parts = [head, table(["argument", "type", "meaning"], rows)] if rows else [head]
    return page(*parts, *_refused(refusals(spec.name))).rstrip("\n")


def _refused(rows: list[tuple[str, str]]) -> list[str]:
    return [table(["refused as", "with the words"], [[f"`{kind}`", told] for kind, told in rows])] if rows else []


def _rows(prefix: str, schema: Mapping[str, Any]) -> Iterator[list[str]]:
    needed = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        shown = f"{prefix}{name}"
        yield [f"**{shown}**" if name in needed else shown, _type(one), one.get("description", "")]
        inner = one.get("items", one)
        yield from _rows(f"{shown}{'[]' if 'items' in one else ''}.", inner)


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "")
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    if kind == "array":
        return f"list of {schema.get('minItems', 0)} to {schema['maxItems']}: {_type(schema['items'])}"
    if kind in ("number", "integer"):
        return (
            f"{'whole number' if kind == 'integer' else 'number'} from {schema['minimum']:g} to {schema['maximum']:g}"
        )
    named = {"string": "text", "boolean": "true or false", "object": "object"}
    words = " or ".join(named.get(one, one) for one in ([kind] if isinstance(kind, str) else kind))
    return f"{words}, at most {schema['maxLength']:,} characters" if "maxLength" in schema else words
