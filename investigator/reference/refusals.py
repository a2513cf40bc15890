"""What a tool is refused for, read from its code: every `Refusal` that its handler can hand back, with its sentence.

Follows a handler into the functions that may hand a refusal on, which is what their return type says. Knows no rule.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

from investigator.tools.outside import PREPARE
from investigator.tools.registry import HANDLERS, call

_TOOLS: Mapping[str, Callable[..., Any]] = {**HANDLERS, **PREPARE}


def refusals(tool: str) -> list[tuple[str, str]]:
    """(kind, sentence) of each refusal, in the order of the code; `…` stands for what the run fills in.

    >>> refusals("set_limits")[0]
    ('person_only', 'only a person changes limits.')
    """
    return _all(_TOOLS[tool], set())


def refusals_of_any() -> list[tuple[str, str]]:
    """The same of what is refused before a tool's own rules are looked at."""
    return _all(call, set(_TOOLS.values()))


def _all(function: Any, seen: set[Any]) -> list[tuple[str, str]]:
    made = (one for reached in _reached(function, seen) for one in _made(reached))
    return [(kind, told) for kind, told in dict.fromkeys(made) if kind != "…"]


def _reached(function: FunctionType, seen: set[Any]) -> Iterator[FunctionType]:
    """The function and what it calls, as far as a refusal can come back from there."""
    may_refuse = "Refusal" in str(function.__annotations__.get("return", ""))
    if function in seen or not may_refuse or not function.__module__.startswith("investigator."):
        return
    seen.add(function)
    yield function
    for node in ast.walk(_tree(function)):
        for one in _named(node, _globals(function)):
            yield from _reached(one, seen)


def _globals(function: FunctionType) -> Mapping[str, Any]:
    """What the function finds under names that are not its own."""
    own = function.__code__.co_varnames
    return {name: one for name, one in function.__globals__.items() if name not in own}


def _named(node: ast.AST, names: Mapping[str, Any]) -> list[Any]:
    """The functions that a name or an attribute of a module stands for; of a table of functions all of them."""
    found: Any = None
    if isinstance(node, ast.Name):
        found = names.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = names.get(node.value.id)
        found = getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
    several = found.values() if isinstance(found, Mapping) else [found]
    return [one for one in several if isinstance(one, FunctionType)]


@functools.cache
def _tree(function: FunctionType) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def _made(function: FunctionType) -> Iterator[tuple[str, str]]:
    """The refusals that are written in a function itself."""
    for node in ast.walk(_tree(function)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal":
            told = {one.arg: _template(one.value, _globals(function)) for one in node.keywords}
            yield told["kind"], f"{told['text']} {told.get('instead', '')}".strip()


def _template(text: ast.expr, names: Mapping[str, Any]) -> str:
    """A text as it is written, with `…` where a value goes in."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    if isinstance(text, ast.JoinedStr):
        return "".join(_template(one, names) for one in text.values)
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add):
        return _template(text.left, names) + _template(text.right, names)
    constant = names.get(text.id) if isinstance(text, ast.Name) else None
    return constant if isinstance(constant, str) else "…"
