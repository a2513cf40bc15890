"""Calls that a model wrote into its text, what of the text is for a reader, and replies of any characters."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replies import ONLY_TEXT, READABLE, TOOLS, WRITTEN, X

from investigator.core.wire import Reply, ToolCall
from investigator.tools.calls import BadCall, Call, read_calls, spoken


@pytest.mark.parametrize(("text", "names", "said"), WRITTEN)
def test_read_calls_finds_calls_written_as_text(text: str, names: str, said: str) -> None:
    """Calls in fences, tags, or alone are read (``!`` marks a BadCall), and are not part of what was said."""
    entries = read_calls(Reply(text=text), TOOLS)
    assert " ".join(one.name + "!" * isinstance(one, BadCall) for one in entries) == names
    assert [one.id for one in entries] == [f"call_{n}" for n in range(len(entries))]
    assert spoken(text, TOOLS) == said


@pytest.mark.parametrize("text", ONLY_TEXT)
def test_read_calls_leaves_other_text_alone(text: str) -> None:
    """Text that names no offered tool, or quotes a call in the middle, stays text."""
    assert read_calls(Reply(text=text), TOOLS) == ()
    assert spoken(text, TOOLS) == text.strip()


def test_read_calls_prefers_received_calls_to_written_ones() -> None:
    """A text beside real calls is never searched for more."""
    received = ToolCall(id="a", name="fetch_page", arguments='{"url": "u"}')
    assert [one.name for one in read_calls(Reply(text=X, calls=(received,)), TOOLS)] == ["fetch_page"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<THINK>a</THINK> b", "b"),
        ("<thinking>a</thinking>b", "b"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think>never ends", ""),
        ("  <think>never ends", ""),
        ("<think></think>", ""),
        ("a</think>b", "b"),
        ("b <think> is a tag", "b <think> is a tag"),
        (f"<tool_call>{X}</tool_call>after", "after"),
        (f"before ```json\n{X}\n```", "before"),
    ],
)
def test_spoken_drops_thinking_and_calls(text: str, said: str) -> None:
    """Only what is meant for a reader stays, also when the tools are not known."""
    assert spoken(text) == said


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.text(alphabet='{}[]"\'\\,: \n`ax1<>/()', max_size=60),
    st.sampled_from([text for text, *_ in WRITTEN] + ONLY_TEXT + [text for text, _ in READABLE]),
    st.text(st.characters(categories=("Cs", "Cc", "Lu")), max_size=20),
)
RECEIVED = st.builds(ToolCall, id=HOSTILE, name=st.one_of(HOSTILE, st.sampled_from([t.name for t in TOOLS])),
                     arguments=HOSTILE)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(text=HOSTILE, more=HOSTILE, calls=st.lists(RECEIVED, max_size=4), finish=st.sampled_from(["stop", "length"]))
def test_read_calls_never_raises(text: str, more: str, calls: list[ToolCall], finish: str) -> None:
    """No reply raises; each received call has one entry in order with an id of its own and text that can be stored."""
    entries = read_calls(Reply(text=text + more, calls=tuple(calls), finish_reason=finish), TOOLS)
    if calls:
        assert len(entries) == len(calls)
    assert [entry.position for entry in entries] == list(range(len(entries)))
    assert len({entry.id for entry in entries}) == len(entries)
    for entry in entries:
        stored = json.dumps(entry.args, allow_nan=False) if isinstance(entry, Call) else entry.why
        assert "\x00" not in stored
        (entry.id + entry.name + stored).encode()
    assert len(spoken(text + more, TOOLS)) <= len(text + more)


@pytest.mark.parametrize("piece", ["<think>", "<tool_call>", "```", '"', "{", "[\n", "'", ", ", '\\"', " ", "a({"])
def test_read_calls_is_linear_in_hostile_text(piece: str) -> None:
    """Two hundred thousand characters of one token are read in a moment, as text and as arguments."""
    text = piece * (200_000 // len(piece))
    begin = time.process_time()
    read_calls(Reply(text=text), TOOLS)
    read_calls(Reply(calls=(ToolCall(id="", name="web_search", arguments=text),)), TOOLS)
    spoken(text)
    assert time.process_time() - begin < 2.0
