"""A model behind any server that speaks OpenAI's chat completions.

Knows requests, replies, retries and prices. Must not know the run, the tools' meaning or how malformed calls are
mended (`tools.calls`): what the server sent is passed on as received. It is the only owner of retries.
"""

from __future__ import annotations

import email.utils
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from investigator.core.blocks import one_line
from investigator.core.wire import Message, Reply, Request, ToolCall, ToolSpec, Usage, estimate_tokens
from investigator.errors import ModelError

LONGEST_WAIT = 60.0  # seconds; a server that asks for more is answered by giving up, the run can be resumed
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0
_TRANSIENT = frozenset({408, 409, 429})
_CONTEXT = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens"
    r"|input (?:is )?too long|exceeds? the (?:available|model'?s) context",
    re.IGNORECASE,
)
_KEY = re.compile(r"\b(?:sk|pk|key)-[\w*-]{6,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD per million tokens. ``cached`` is the price of cached input; None means the input price.

    >>> Price(input=2.0, output=8.0).of(1_000_000, 500_000, 0)
    6.0
    """

    input: float
    output: float
    cached: float | None = None

    def of(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        """USD of one reply; ``cached_tokens`` are part of ``input_tokens``."""
        cached = self.input if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * cached + output_tokens * self.output) / 1_000_000


class _Secret:
    """A key that no repr, pickle or JSON shows; unpickled it is empty."""

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> tuple[type[_Secret], tuple[()]]:
        return (_Secret, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trouble:
    """One request that failed. ``wait`` is what the server asked for, in seconds."""

    kind: str
    message: str
    status: int = 0
    transient: bool = False
    wait: float | None = None


class OpenAIModel:
    """A chat model with tools. Pickles and copies without its key.

    The key is ``api_key``, else ``OPENAI_API_KEY`` as it is at the time of the call. That variable's key goes only
    where the environment itself says (OpenAI, or ``OPENAI_BASE_URL``): a ``base_url`` given here gets a key only
    through ``api_key``, otherwise a dummy, which local servers accept.

    Args:
        name: the model's name at the server.
        price: USD per million tokens; without it costs are unknown (None), never 0.
        timeout: seconds for one request.
        tries: requests for one reply at the most, the first included.
        http_client: an ``httpx2.Client`` to send with, for instance one with a proxy.
        sleep, now: how to wait and to tell the time (seconds).

    >>> OpenAIModel("gpt-x", api_key="secret")
    OpenAIModel('openai:gpt-x')
    """

    def __init__(
        self, name: str, base_url: str | None = None, api_key: str | None = None, price: Price | None = None,
        timeout: float = 120.0, tries: int = 4, http_client: Any = None,
        sleep: Callable[[float], None] = time.sleep, now: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self._model, self._base_url = name, base_url
        self.price = price
        self._timeout, self._tries = timeout, max(1, tries)
        self._key = _Secret(api_key or "")
        self._http_client, self._sleep, self._now = http_client, sleep, now
        self._client: Any = None
        self._no_forcing = False  # learnt from the server: it refuses a forced tool
        self._limit_key = "max_tokens" if base_url else "max_completion_tokens"

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_client": None, "_http_client": None}

    def complete(self, request: Request) -> Reply:
        """One reply; waits and tries again where that can help.

        Raises:
            ModelError: for good, with a closed ``kind`` and the number of requests sent.
        """
        key = self._key_now()
        failed = sent = 0
        forced, limit_key = self._forces(request), self._limit_key
        while True:
            sent += 1
            outcome = self._send(key, self._body(request, forced, limit_key))
            if not isinstance(outcome, _Trouble):
                self._no_forcing = self._no_forcing or (self._forces(request) and not forced)
                self._limit_key = limit_key
                return self._reply(request, outcome, sent)
            refused = outcome.kind == "bad_request" and outcome.status in (400, 422)
            if refused and limit_key in outcome.message and limit_key == self._limit_key:
                limit_key = _OTHER_LIMIT[limit_key]
            elif refused and forced:
                forced = False
            else:
                failed += 1
                if not outcome.transient or failed >= self._tries:
                    raise ModelError(outcome.kind, outcome.message, sent)
                self._sleep(_pause(failed) if outcome.wait is None else outcome.wait)

    def _key_now(self) -> str:
        key = self._key.reveal() or ("" if self._base_url else os.environ.get("OPENAI_API_KEY", ""))
        if key or self._base_url or os.environ.get("OPENAI_BASE_URL"):
            return key or "none"
        raise ModelError("authentication", "OPENAI_API_KEY is not set: set it, or use the offline model", 0)

    def _forces(self, request: Request) -> bool:
        return bool(request.tools) and request.tool_choice not in ("auto", "none") and not self._no_forcing

    def _body(self, request: Request, forced: bool, limit_key: str) -> dict[str, Any]:
        messages = [_message(one) for one in request.messages]
        body: dict[str, Any] = {"model": self._model, "messages": messages, limit_key: request.max_tokens}
        if request.tools:
            body["tools"] = [_offered(tool) for tool in request.tools]
            named = {"type": "function", "function": {"name": request.tool_choice}}
            body["tool_choice"] = named if forced else "none" if request.tool_choice == "none" else "auto"
        return body

    def _send(self, key: str, body: dict[str, Any]) -> dict[str, Any] | _Trouble:
        """The answer's body, or what went wrong as a value: the SDK's exceptions hold the key and must not leave."""
        import openai

        try:
            answer = self._connected(key).chat.completions.with_raw_response.create(**body)
            return _decoded(answer.text)
        except openai.APITimeoutError:
            return _Trouble(kind="timeout", message=f"no answer within {self._timeout:g} s", transient=True)
        except openai.APIConnectionError as error:
            cause = one_line(_scrubbed(str(error.__cause__ or error), key), 200)
            return _Trouble(kind="connection", message=f"no connection to the model's server: {cause}", transient=True)
        except openai.APIStatusError as error:
            return self._refused(error.status_code, _scrubbed(_told(error), key), error.response.headers)
        except openai.OpenAIError as error:
            return _Trouble(kind="bad_response", message=one_line(_scrubbed(str(error), key), 300))

    def _connected(self, key: str) -> Any:
        from openai import OpenAI

        if self._client is None or self._client.api_key != key:
            self._client = OpenAI(
                api_key=key, base_url=self._base_url, http_client=self._http_client, timeout=self._timeout,
                max_retries=0,
            )  # fmt: skip
        return self._client

    def _refused(self, status: int, told: str, headers: Mapping[str, str]) -> _Trouble:
        if status not in (401, 403, 429) and _CONTEXT.search(told):
            return _Trouble(kind="context_length", message=told, status=status)
        wait = _wait(headers, self._now())
        spent = "insufficient_quota" in told
        transient = (status in _TRANSIENT or status >= 500) and not spent and (wait is None or wait <= LONGEST_WAIT)
        if wait is not None and wait > LONGEST_WAIT:
            told = f"{told} (the server asks to wait {wait:.0f} s)"
        if _kind(status) == "authentication" and self._base_url and not self._key.reveal():
            told = f"{told} (this server wants a key: give it to OpenAIModel as api_key)"
        return _Trouble(kind=_kind(status), message=told, status=status, transient=transient, wait=wait)

    def _reply(self, request: Request, answer: dict[str, Any], sent: int) -> Reply:
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        said = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(said, dict):
            raise ModelError("bad_response", "the server answered without a message", sent)
        text, calls = _text(said), _calls(said)
        finish = choice.get("finish_reason")
        return Reply(
            text=text, calls=calls, finish_reason=finish if isinstance(finish, str) else "stop",
            usage=_usage(answer.get("usage"), request, text, calls, self.price), tries=sent,
        )  # fmt: skip


_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


def _message(message: Message) -> dict[str, Any]:
    content = _encodable(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": content}
    if not message.calls:
        return {"role": message.role, "content": content}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": _sent_name(call), "arguments": _sent_arguments(call)}}
        for call in message.calls
    ]
    return {"role": message.role, "content": content or None, "tool_calls": calls}


def _offered(tool: ToolSpec) -> dict[str, Any]:
    body = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": body}


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _sent_name(call: ToolCall) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", call.name)[:64] or "unknown"


def _sent_arguments(call: ToolCall) -> str:
    """The arguments if they are a JSON object, else ``{}``: servers answer 400 to a history that does not parse."""
    try:
        value = json.loads(call.arguments, parse_constant=_refuse_constant)
        return _encodable(call.arguments) if isinstance(value, dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def _refuse_constant(token: str) -> Any:
    raise ValueError(token)


def _pause(failed: int) -> float:
    """Seconds before the next try. No jitter: one run has one model call at a time, and tests want to know."""
    return float(min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (min(failed, 10) - 1)))


def _wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or as an HTTP date; None without a readable one."""
    asked = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", asked, re.ASCII):
        return float(asked)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(asked).timestamp() - now)
    except (ValueError, OverflowError, TypeError):
        return None


def _kind(status: int) -> str:
    if status in (401, 403):
        return "authentication"
    if status in (409, 425) or status >= 500:
        return "unavailable"
    return {408: "timeout", 429: "rate_limit"}.get(status, "bad_request")


def _told(error: Any) -> str:
    told = f"{error.code or ''} {error.message}".strip()
    return one_line(f"HTTP {error.status_code}: {told}", 500)


def _scrubbed(text: str, key: str) -> str:
    return _KEY.sub("***", text.replace(key, "***") if key != "none" else text)


def _decoded(text: str) -> dict[str, Any] | _Trouble:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _Trouble(kind="bad_response", message=f"the server answered no JSON: {one_line(text[:400], 120)}")
    if isinstance(value, dict):
        return value
    return _Trouble(kind="bad_response", message="the server answered JSON that is no object")


def _text(said: Mapping[str, Any]) -> str:
    """What was said; the channels of reasoning beside it are not read."""
    content = said.get("content")
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, dict) and one.get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str))
    return _as_text(content) or _as_text(said.get("refusal"))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _calls(said: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    received = said.get("tool_calls")
    if isinstance(received, list) and received:
        return tuple(_call(one if isinstance(one, dict) else {}) for one in received)
    old = said.get("function_call")  # before 2024; some servers still speak it
    return (_call({"function": old}),) if isinstance(old, dict) else ()


def _call(received: Mapping[str, Any]) -> ToolCall:
    body = received.get("function") or received.get("custom")
    body = body if isinstance(body, dict) else {}
    arguments = body.get("arguments", body.get("input"))
    return ToolCall(id=_as_text(received.get("id")), name=_as_text(body.get("name")), arguments=_raw(arguments))


def _raw(arguments: Any) -> str:
    """As text; some servers send the object itself."""
    try:
        return arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)
    except RecursionError:
        return "[" * 1000  # as unreadable as what came


def _usage(told: Any, request: Request, text: str, calls: tuple[ToolCall, ...], price: Price | None) -> Usage:
    told = told if isinstance(told, dict) else {}
    spent, made = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    estimated = spent is None or made is None
    details = told.get("prompt_tokens_details")
    cached = (_count(details.get("cached_tokens")) if isinstance(details, dict) else None) or 0
    spent = _prompt_tokens(request) if spent is None else spent
    made = estimate_tokens(text + "".join(call.name + call.arguments for call in calls)) if made is None else made
    cached = min(cached, spent)
    cost = None if price is None else price.of(spent, made, cached)
    return Usage(input_tokens=spent, output_tokens=made, cached_tokens=cached, cost_usd=cost, estimated=estimated)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


def _prompt_tokens(request: Request) -> int:
    said = "".join(one.content + "".join(call.arguments for call in one.calls) for one in request.messages)
    shown = "".join(tool.name + tool.description + json.dumps(tool.parameters, default=str) for tool in request.tools)
    return request.tokens or estimate_tokens(said + shown)
