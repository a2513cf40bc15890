"""What is applied is what the log gives back: broken text of a model, a person or a page changes no run when reread."""

from __future__ import annotations

from pathlib import Path

import pytest
from session_worlds import TinyWeb

import investigator as iv
from investigator.core.wire import Page
from investigator.world.models import calls, say

PAIR = "\ud83d" + "\ude00"  # the halves of an emoji, as a stream that was cut between them joins them
ODD = ["\ud83d", PAIR, "\U0001f600", "\x00", "\ufdd0d83d", "\\ud83d\\ude00", "\u2028", "a\u0301"]


class OddWeb(TinyWeb):
    """Pages and titles that hold the odd text."""

    def __init__(self, odd: str) -> None:
        super().__init__()
        self.odd = odd

    def fetch(self, url: str) -> Page:
        text = f"The Larn bridge is {self.odd} 300 metres long in total. {self.odd}"
        return Page(url=url, canonical_url=url, domain="a.example", title=f"Larn {self.odd}", text=text, unit="line")


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_a_run_of_odd_text_reads_back_as_it_was_lived(tmp_path: Path, odd: str) -> None:
    """State, notes and hashes are equal after the process is gone, whatever characters came from outside."""
    quote = f"The Larn bridge is {odd} 300 metres long in total."
    entry = {"text": f"It is 300 metres {odd} long.", "source": "s_001", "quote": quote}
    model = iv.ScriptedModel([
        calls(("frontier_next", {"atomic_reason": f"one fact {odd}"})),
        calls(("web_search", {"query": f"Larn bridge {odd}"}), ("fetch_page", {"url": "https://a.example/bridge"})),
        calls(("notes_append", {"section": "Unverified", "entries": [entry]})),
        calls(("notes_scratch", {"text": f"Conclusion: {odd} it is long."})),
        say(f"I think {odd}."),
    ])  # fmt: skip
    store = tmp_path / "runs.db"
    with iv.investigate(f"How long is {odd} it?", model=model, web=OddWeb(odd), store=store, user=f"e{odd}va") as inv:
        for _ in range(5):
            inv.step()
        inv.act("add_question", question=f"Who {odd} built it?", kind="query", rationale=odd or "x",
                validation_criteria="a source", priority=0.5)  # fmt: skip
        lived = inv.state
        assert "c_001" in lived.claims
        assert inv.verify() == []
    with iv.open_run(inv.run_id, store=store, model=model, web=OddWeb(odd)) as again:
        assert again.state == lived
        assert again.verify() == []
