"""Which model a run uses, and a model that follows a script.

Knows the names by which models are asked for. Must not know servers (`openai`) or how the offline model reads a prompt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from investigator.core.wire import Reply, Request, ToolCall, Usage, estimate_tokens
from investigator.errors import ModelError, UnknownName
from investigator.world.protocols import Model

if TYPE_CHECKING:
    from investigator.world.openai import Price

Line: TypeAlias = Reply | Exception | Callable[[Request], Reply]


class ScriptedModel:
    """A model that hands out prepared replies in order and keeps the requests that it got in ``requests``.

    A line of the script is a `Reply`, a function of the request, or an exception to raise.

    >>> model = ScriptedModel([say("hello")])
    >>> model.complete(Request(messages=())).text
    'hello'
    """

    def __init__(self, replies: Iterable[Line], name: str = "scripted") -> None:
        self._lines = iter(replies)
        self._name = name
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"ScriptedModel({self._name!r}, {len(self.requests)} requests)"

    def complete(self, request: Request) -> Reply:
        """The next line of the script.

        Raises:
            ModelError: ``unavailable`` when the script has ended.
        """
        self.requests.append(request)
        for line in self._lines:
            if isinstance(line, Exception):
                raise line
            return line if isinstance(line, Reply) else line(request)
        raise ModelError("unavailable", f"the script has ended: request {len(self.requests)} has no reply")


def say(text: str) -> Reply:
    """A reply of text alone, with estimated usage.

    >>> say("done").usage.output_tokens
    1
    """
    return Reply(text=text, usage=Usage(output_tokens=estimate_tokens(text), estimated=True))


def call(name: str, /, **args: Any) -> Reply:
    """A reply of one tool call.

    >>> call("web_search", query="tides").calls[0].arguments
    '{"query": "tides"}'
    """
    return calls((name, args))


def calls(*named: tuple[str, dict[str, Any]]) -> Reply:
    """A reply of several tool calls; ids are ``call_0``, ``call_1``, …, one per position.

    >>> [one.id for one in calls(("notes_read", {}), ("frontier_view", {})).calls]
    ['call_0', 'call_1']
    """
    made = tuple(
        ToolCall(id=f"call_{n}", name=name, arguments=json.dumps(args, ensure_ascii=False))
        for n, (name, args) in enumerate(named)
    )
    spent = sum(estimate_tokens(one.name + one.arguments) for one in made)
    return Reply(calls=made, finish_reason="tool_calls", usage=Usage(output_tokens=spent, estimated=True))


def open_model(spec: str | object | None, base_url: str | None = None, price: Price | None = None) -> Model:
    """The model that is meant: None or ``offline``, ``openai:NAME``, or an object with ``name`` and ``complete``.

    ``base_url`` and ``price`` belong to ``openai:NAME``. No key is read here, and a ``base_url`` is sent none: give an
    `OpenAIModel` with ``api_key`` for a server that wants one.

    Raises:
        UnknownName: anything else; the text lists the choices.

    >>> open_model("openai:gpt-x").name
    'openai:gpt-x'
    """
    if spec is None or spec == "offline":
        from investigator.world.offline.model import OfflineModel

        return _model(OfflineModel())
    if isinstance(spec, str) and spec.startswith("openai:") and spec[7:].strip():
        from investigator.world.openai import OpenAIModel

        return OpenAIModel(spec[7:].strip(), base_url=base_url, price=price)
    if isinstance(spec, str):
        raise UnknownName(f"there is no model {spec[:80]!r}; {_CHOICES}")
    return _model(spec)


_CHOICES = "choose 'offline', 'openai:NAME' (for instance 'openai:gpt-5'), or give an object with name and complete"


def _model(given: object) -> Model:
    if not isinstance(given, type) and isinstance(given, Model) and callable(given.complete):
        return given
    raise UnknownName(f"an object of type {type(given).__name__} is no model; {_CHOICES}")
