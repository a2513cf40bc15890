"""Models: the script, the choice by name, and the adapter to a chat server behind a mock transport."""

from __future__ import annotations

import json
import pickle
import traceback
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import httpx2
import pytest

from investigator.core.wire import Message, Reply, Request, ToolCall, ToolSpec
from investigator.errors import ModelError, UnknownName, UsageError
from investigator.world.models import ScriptedModel, call, calls, open_model, say
from investigator.world.openai import OpenAIModel, Price
from investigator.world.protocols import Model

CANARY = "sk-canary-0123456789"
SPEC = ToolSpec(name="web_search", description="Search.", parameters={"type": "object", "properties": {}})
ASK = Request(messages=(Message(role="user", content="hello there"),))
FORCED = Request(messages=ASK.messages, tools=(SPEC,), tool_choice="web_search")
Handler = Callable[[httpx2.Request], httpx2.Response]


def answer(content: Any = "hi", finish: str = "stop", usage: Any = None, **message: Any) -> httpx2.Response:
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "finish_reason": finish, "message": said}
    body: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return httpx2.Response(200, json=body | ({"usage": usage} if usage is not None else {}))


def refuse(status: int, message: str = "no", code: str | None = None, **headers: str) -> httpx2.Response:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return httpx2.Response(status, json={"error": {"message": message, "code": code, "type": "x"}}, headers=named)


class Server:
    """Answers in order, the last one for ever, and keeps what was sent and how long was slept."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self.answers = list(answers)
        self.seen: list[httpx2.Request] = []
        self.slept: list[float] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(request)
        now = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(now, Exception):
            raise now
        return now

    def body(self, n: int = -1) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.seen[n].content)
        return found

    def model(self, **options: Any) -> OpenAIModel:
        client = httpx2.Client(transport=httpx2.MockTransport(self))
        chosen: dict[str, Any] = {"api_key": CANARY, "sleep": self.slept.append, "now": lambda: 1000.0} | options
        return OpenAIModel("m", http_client=client, **chosen)


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID"):
        monkeypatch.delenv(name, raising=False)


def test_complete_reads_text_usage_and_cost() -> None:
    """Usage comes from the server with its cached part, and the cost from the price."""
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 400}}
    reply = Server(answer(usage=usage)).model(price=Price(input=1.0, output=10.0, cached=0.5)).complete(ASK)
    assert (reply.text, reply.finish_reason, reply.tries, reply.calls) == ("hi", "stop", 1, ())
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (1000, 10, 400)
    assert reply.usage.cost_usd == pytest.approx(0.0009)
    assert not reply.usage.estimated


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -1, "completion_tokens": 1}, {"prompt_tokens": "9"}, []])
def test_complete_estimates_usage_that_is_missing(usage: Any) -> None:
    """Without a usable usage the tokens are estimated and marked so; without a price the cost is unknown."""
    reply = Server(answer("x" * 40, usage=usage)).model().complete(ASK)
    assert reply.usage.estimated
    assert reply.usage.output_tokens in (1, 10)
    assert reply.usage.input_tokens == 3
    assert reply.usage.cost_usd is None


def test_complete_never_counts_more_cached_than_sent() -> None:
    """A server's impossible cached count cannot make a cost negative."""
    usage = {"prompt_tokens": 5, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 99}}
    reply = Server(answer(usage=usage)).model(price=Price(input=1.0, output=1.0, cached=0.0)).complete(ASK)
    assert (reply.usage.cached_tokens, reply.usage.cost_usd) == (5, 0.0)


def test_complete_maps_every_kind_of_message() -> None:
    """System, user, assistant with calls, and tool messages are sent as chat completions wants them."""
    server = Server(answer())
    good, bad = ToolCall(id="a", name="web_search", arguments='{"q": 1}'), ToolCall(id="b", name="é x", arguments='{"q')
    messages = (
        Message(role="system", content="s"),
        Message(role="user", content="u\ud800"),
        Message(role="assistant", content="", calls=(good, bad)),
        Message(role="tool", content="r", call_id="a"),
        Message(role="assistant", content="done"),
    )
    server.model().complete(Request(messages=messages, tools=(SPEC,), max_tokens=77))
    sent = server.body()
    assert [one["role"] for one in sent["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
    assert sent["messages"][1]["content"] == "u?"
    assert [one["function"] for one in sent["messages"][2]["tool_calls"]] == [
        {"name": "web_search", "arguments": '{"q": 1}'}, {"name": "__x", "arguments": "{}"},
    ]  # fmt: skip
    assert sent["messages"][3] == {"role": "tool", "tool_call_id": "a", "content": "r"}
    assert sent["tools"][0]["function"]["name"] == "web_search"
    assert (sent["tool_choice"], sent["max_completion_tokens"]) == ("auto", 77)


@pytest.mark.parametrize("arguments", ["", "[]", "null", "5", '{"a": NaN}', '{"a": %s}' % ("9" * 5000), "[" * 100_000])
def test_complete_sends_arguments_that_every_server_can_parse(arguments: str) -> None:
    """A call that was received broken stands in the history with an empty object."""
    server = Server(answer())
    broken = Message(role="assistant", content="", calls=(ToolCall(id="a", name="t", arguments=arguments),))
    server.model().complete(Request(messages=(broken,)))
    assert server.body()["messages"][0]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_complete_passes_calls_on_as_received() -> None:
    """Nothing is repaired here: broken arguments, missing ids, objects instead of text, old and strange forms."""
    received = [
        {"id": "a", "type": "function", "function": {"name": "t", "arguments": '{"x'}},
        {"type": "function", "function": {"name": "t", "arguments": {"x": 1}}},
        {"id": 5, "type": "custom", "custom": {"name": "c", "input": "raw"}},
        "nonsense",
    ]
    reply = Server(answer(None, "tool_calls", tool_calls=received)).model().complete(ASK)
    assert [(one.id, one.name, one.arguments) for one in reply.calls] == [
        ("a", "t", '{"x'), ("", "t", '{"x": 1}'), ("", "c", "raw"), ("", "", ""),
    ]  # fmt: skip
    old = Server(answer(None, function_call={"name": "t", "arguments": "{}"})).model().complete(ASK)
    assert [one.name for one in old.calls] == ["t"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": None}, ""),
        ({"content": "a", "reasoning_content": "hidden", "reasoning": "hidden"}, "a"),
        ({"content": "<think>x</think>a"}, "<think>x</think>a"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "thinking", "text": "no"}, 5]}, "a"),
        ({"content": None, "refusal": "I will not"}, "I will not"),
        ({"content": {"a": 1}}, ""),
    ],
)
def test_complete_reads_only_what_was_said(message: dict[str, Any], text: str) -> None:
    """Reasoning channels are dropped, parts are joined, a refusal counts as text."""
    content = message.pop("content")
    assert Server(answer(content, **message)).model().complete(ASK).text == text


@pytest.mark.parametrize("finish", ["length", "content_filter", "tool_calls", "made_up"])
def test_complete_passes_the_finish_reason_on(finish: str) -> None:
    """The loop decides what a cut or filtered reply means."""
    assert Server(answer(finish=finish)).model().complete(ASK).finish_reason == finish


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_complete_tries_again_after_a_transient_status(status: int) -> None:
    """Each try is counted, with one pause before each but the first."""
    server = Server(refuse(status), refuse(status), answer())
    reply = server.model().complete(ASK)
    assert (reply.tries, len(server.seen), server.slept) == (3, 3, [0.5, 1.0])


@pytest.mark.parametrize(
    "error", [httpx2.ReadTimeout("slow"), httpx2.ConnectError("down"), httpx2.RemoteProtocolError("broken")]
)
def test_complete_tries_again_after_a_broken_connection(error: Exception) -> None:
    """Timeouts and connection errors are retried like a 503."""
    server = Server(error, answer())
    assert server.model().complete(ASK).tries == 2


@pytest.mark.parametrize(
    ("answers", "kind", "tries"),
    [
        ([refuse(401)], "authentication", 1),
        ([refuse(403)], "authentication", 1),
        ([refuse(404)], "bad_request", 1),
        ([refuse(400)], "bad_request", 1),
        ([refuse(422)], "bad_request", 1),
        ([refuse(400, "This model's maximum context length is 8192 tokens")], "context_length", 1),
        ([refuse(400, "too big", code="context_length_exceeded")], "context_length", 1),
        ([refuse(413, "prompt is too long: 9 > 8")], "context_length", 1),
        ([refuse(500, "the request exceeds the available context size")], "context_length", 1),
        ([refuse(429)], "rate_limit", 4),
        ([refuse(429, code="insufficient_quota")], "rate_limit", 1),
        ([refuse(500)], "unavailable", 4),
        ([refuse(408)], "timeout", 4),
        ([httpx2.ReadTimeout("slow")], "timeout", 4),
        ([httpx2.ConnectError("down")], "connection", 4),
        ([httpx2.Response(200, text="<html>hello</html>")], "bad_response", 1),
        ([httpx2.Response(200, text="[" * 100_000)], "bad_response", 1),
        ([httpx2.Response(200, json=[1])], "bad_response", 1),
        ([httpx2.Response(200, json={})], "bad_response", 1),
        ([httpx2.Response(200, json={"choices": []})], "bad_response", 1),
        ([httpx2.Response(200, json={"choices": [None]})], "bad_response", 1),
        ([httpx2.Response(200, json={"choices": [{"message": "x"}]})], "bad_response", 1),
        ([httpx2.Response(502, text="<html>bad gateway</html>")], "unavailable", 4),
    ],
)
def test_complete_fails_with_a_closed_kind(answers: list[Any], kind: str, tries: int) -> None:
    """What cannot be retried, or was retried in vain, is a ModelError that counts the requests."""
    server = Server(*answers)
    with pytest.raises(ModelError) as caught:
        server.model().complete(ASK)
    assert (caught.value.kind, caught.value.tries, len(server.seen)) == (kind, tries, tries)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    ("header", "slept"),
    [
        ("7", 7.0), ("0", 0.0), ("1.5", 1.5), ("60", 60.0), (formatdate(1030.0, usegmt=True), 30.0),
        (formatdate(900.0, usegmt=True), 0.0), ("soon", 0.5), ("-5", 0.5), ("nan", 0.5), ("", 0.5),
    ],
)  # fmt: skip
def test_complete_waits_as_long_as_the_server_asks(header: str, slept: float) -> None:
    """Retry-After counts in seconds or as a date; an unreadable one is ignored."""
    server = Server(refuse(429, retry_after=header), answer())
    server.model().complete(ASK)
    assert server.slept == [slept]


@pytest.mark.parametrize("header", ["61", "999999999", formatdate(9999.0, usegmt=True)])
def test_complete_gives_up_when_the_wait_is_too_long(header: str) -> None:
    """Beyond a minute the run stops, to be resumed later, and says how long the server wants."""
    server = Server(refuse(429, retry_after=header), answer())
    with pytest.raises(ModelError, match="asks to wait") as caught:
        server.model().complete(ASK)
    assert (caught.value.kind, server.slept) == ("rate_limit", [])


def test_complete_caps_its_pauses() -> None:
    """The pauses double up to eight seconds."""
    server = Server(refuse(503))
    with pytest.raises(ModelError):
        server.model(tries=8).complete(ASK)
    assert server.slept == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_complete_forces_the_one_tool() -> None:
    """A named choice is sent as such; none is sent as none; without tools neither is sent."""
    server = Server(answer())
    model = server.model()
    model.complete(FORCED)
    assert server.body()["tool_choice"] == {"type": "function", "function": {"name": "web_search"}}
    model.complete(Request(messages=ASK.messages, tools=(SPEC,), tool_choice="none"))
    assert server.body()["tool_choice"] == "none"
    model.complete(ASK)
    assert "tool_choice" not in server.body()
    assert "tools" not in server.body()


def test_complete_stops_forcing_where_that_is_refused() -> None:
    """A 400 for a forced tool leads to auto, and the model remembers."""
    server = Server(refuse(400, "tool_choice must be auto while thinking"), answer())
    model = server.model()
    assert model.complete(FORCED).tries == 2
    assert server.body()["tool_choice"] == "auto"
    assert model.complete(FORCED).tries == 1


def test_complete_keeps_forcing_when_the_fault_was_another() -> None:
    """A request that is refused both ways teaches nothing about forcing."""
    server = Server(refuse(400), refuse(400), answer())
    model = server.model()
    with pytest.raises(ModelError) as caught:
        model.complete(FORCED)
    assert caught.value.tries == 2
    model.complete(FORCED)
    assert server.body()["tool_choice"] != "auto"


def test_complete_learns_the_name_of_the_token_limit() -> None:
    """Servers know max_tokens or max_completion_tokens; the one that works is kept."""
    server = Server(refuse(400, "Unsupported parameter: 'max_completion_tokens'"), answer())
    model = server.model()
    assert model.complete(ASK).tries == 2
    model.complete(ASK)
    assert "max_tokens" in server.body()
    assert len(server.seen) == 3


def test_a_key_comes_from_the_environment_at_call_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call reads the variable anew; without it the call fails before anything is sent."""
    server = Server(answer())
    model = server.model(api_key=None)
    with pytest.raises(ModelError) as caught:
        model.complete(ASK)
    assert (caught.value.kind, caught.value.tries, server.seen) == ("authentication", 0, [])
    for key in ("one", "two"):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        model.complete(ASK)
        assert server.seen[-1].headers["authorization"] == f"Bearer {key}"


def test_a_base_url_never_gets_the_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A given server gets a dummy, or the key that was given with it, and max_tokens; a 401 says what to do."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", CANARY)
    server = Server(answer())
    server.model(api_key=None, base_url="http://localhost:9/v1").complete(ASK)
    assert str(server.seen[0].url) == "http://localhost:9/v1/chat/completions"
    assert CANARY not in str(server.seen[0].headers.raw)
    assert "max_tokens" in server.body()
    server.model(api_key="mine", base_url="http://localhost:9/v1").complete(ASK)
    assert server.seen[1].headers["authorization"] == "Bearer mine"
    with pytest.raises(ModelError, match="api_key"):
        Server(refuse(401)).model(api_key=None, base_url="http://localhost:9/v1").complete(ASK)


def test_a_key_stands_in_no_repr_pickle_or_error() -> None:
    """Neither the model nor its errors show the key, even when the server echoes it."""
    server = Server(refuse(401, f"Incorrect API key provided: {CANARY}. Also sk-live-abcdef99."))
    model = server.model()
    with pytest.raises(ModelError) as caught:
        model.complete(ASK)
    shown = "".join(traceback.format_exception(caught.value)) + repr(model) + str(model) + repr(vars(model))
    assert CANARY not in shown
    assert "sk-live" not in str(caught.value)
    assert caught.value.__context__ is None
    stored = pickle.dumps(OpenAIModel("m", api_key=CANARY))
    assert CANARY.encode() not in stored
    assert pickle.loads(stored).name == "openai:m"


def test_scripted_model_follows_its_script() -> None:
    """Replies, functions and exceptions come in order; the end is a ModelError; requests are kept."""
    model = ScriptedModel([say("a"), lambda request: say(request.messages[0].content), ModelError("timeout", "slow")])
    assert isinstance(model, Model)
    assert [model.complete(ASK).text for _ in range(2)] == ["a", "hello there"]
    with pytest.raises(ModelError, match="slow"):
        model.complete(ASK)
    with pytest.raises(ModelError, match="the script has ended") as caught:
        model.complete(ASK)
    assert caught.value.kind == "unavailable"
    assert len(model.requests) == 4
    assert model.name == "scripted"


def test_calls_make_replies_that_are_equal_each_time() -> None:
    """Ids count positions, arguments are JSON, usage is estimated."""
    made = calls(("a", {"x": "é"}), ("b", {}))
    assert made == calls(("a", {"x": "é"}), ("b", {}))
    assert [(one.id, one.name, json.loads(one.arguments)) for one in made.calls] == [
        ("call_0", "a", {"x": "é"}), ("call_1", "b", {}),
    ]  # fmt: skip
    assert made.usage.estimated
    assert made.usage.output_tokens > 0
    assert call("a", name="n").calls[0].arguments == '{"name": "n"}'


class Own:
    """A model of a user's own, with the protocol's two members and no base class."""

    name = "own"

    def complete(self, request: Request) -> Reply:
        return say("own")


def test_open_model_takes_names_and_objects() -> None:
    """A name of the list opens that model, an object with the protocol is used as it is."""
    own = Own()
    assert open_model(own) is own
    assert open_model("openai:org/model:tag", base_url="http://h/v1").name == "openai:org/model:tag"


@pytest.mark.parametrize("spec", ["gpt", "", "openai:", "openai: ", "OFFLINE!", 5, object(), Own, {"name": "x"}])
def test_open_model_lists_the_choices_for_anything_else(spec: Any) -> None:
    """An unknown model is a UsageError that says what can be chosen."""
    with pytest.raises(UnknownName, match="'offline', 'openai:NAME'") as caught:
        open_model(spec)
    assert isinstance(caught.value, UsageError)


def test_an_openai_model_tells_its_price() -> None:
    """Whoever sets a cost limit asks the model for its price; unknown is None, never free."""
    assert OpenAIModel("gpt-x", api_key="k").price is None
    assert OpenAIModel("gpt-x", api_key="k", price=Price(input=1.0, output=2.0)).price == Price(input=1.0, output=2.0)
