"""Frames: their columns and types, what is derived, what they are made of, and the HTML of a report."""

from __future__ import annotations

import html.parser
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from session_worlds import REPORT, begin, reporting

import investigator as iv
from investigator.core import claims as ledger_rules
from investigator.core import vocab
from investigator.notebook import columns, frames
from investigator.notebook import html as page
from investigator.notebook.columns import FRAMES
from investigator.store.tables import metadata

PANDAS = {
    "s": "string", "k": "string", "j": "string", "i": "Int64", "f": "Float64", "b": "boolean", "c": "category",
    "t": "datetime64[us, UTC]",
}  # fmt: skip
NAMES = sorted(FRAMES)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[iv.Investigation]:
    """A whole investigative run over the demo world."""
    from investigator.world.synthetic import DEMO_OBJECTIVE

    path = tmp_path_factory.mktemp("frames") / "runs.db"
    with iv.investigate(DEMO_OBJECTIVE, web="demo", store=path) as inv:
        assert inv.run(progress=False)
        yield inv


def of(inv: iv.Investigation, name: str) -> pd.DataFrame:
    return frames.frame(name, inv)


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_has_its_documented_columns_and_types(demo: iv.Investigation, name: str) -> None:
    """A frame of a run and a frame of nothing have the same columns, in order, with the documented types."""
    expected = {one.name: PANDAS[one.kind] for one in FRAMES[name].columns}
    for frame in (of(demo, name), frames.frame(name, [])):
        assert {one: str(frame[one].dtype) for one in frame} == expected
        assert next(iter(frame)) == "run_id"
    assert len(of(demo, name)) > 0 or name == "dependencies"
    assert len(frames.frame(name, [])) == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_covers_its_table(name: str) -> None:
    """Every column of the table is in the frame, but for numbers that only the database knows."""
    stored = {one.stored for one in FRAMES[name].columns if one.stored}
    table = metadata.tables[FRAMES[name].table]
    missing = set(table.columns.keys()) - stored
    assert missing <= ({"id", "attempt_id"} if name in ("attempts", "challenges") else set()) or name == "turns"
    assert stored <= set(table.columns.keys())


@pytest.mark.parametrize("name", NAMES)
def test_a_run_a_list_a_store_and_a_path_give_the_same_frame(demo: iv.Investigation, name: str) -> None:
    """The `*_df` functions take a run, several, a store, or where one lies."""
    store = demo._log.store
    one = of(demo, name)
    function = getattr(iv, f"{name}_df")
    for runs in (demo, [demo], store, str(store.file), Path(str(store.file)), str(store.url)):
        pd.testing.assert_frame_equal(function(runs), one)
    assert len(function([demo, demo])) == 2 * len(one)


@pytest.mark.parametrize("name", NAMES)
def test_the_past_has_the_same_frames(demo: iv.Investigation, name: str) -> None:
    """After the last turn the past and the store hold the same rows."""
    spec = FRAMES[name]
    key = [one.name for one in spec.columns if one.kind in ("i", "k")]
    now, then = of(demo, name).sort_values(key), frames.frame(name, demo.at(demo.turn)).sort_values(key)
    pd.testing.assert_frame_equal(now.reset_index(drop=True), then.reset_index(drop=True))


def test_a_run_has_a_property_for_every_frame(demo: iv.Investigation) -> None:
    """`inv.questions` is `questions_df(inv)`, and so for each; runs belong to a store."""
    for name in NAMES:
        if name != "runs":
            pd.testing.assert_frame_equal(getattr(demo, name), of(demo, name))
    pd.testing.assert_frame_equal(iv.runs(demo._log.store), of(demo, "runs"))


def test_categories_hold_the_whole_vocabulary_in_order(demo: iv.Investigation) -> None:
    """A status that does not occur is a category too, and '' is NA."""
    assert list(of(demo, "questions")["status"].cat.categories) == list(vocab.QuestionStatus)
    created = of(demo, "transitions").query("trigger == 'created'")
    assert created["from_status"].isna().all()
    assert of(demo, "questions").set_index("question_id").loc["q_001", "parent_id"] is pd.NA


def test_attempts_count_as_the_run_counts_them(demo: iv.Investigation) -> None:
    """The derived column equals the frontier's own count for every question."""
    found = of(demo, "questions").set_index("question_id")["attempts"].to_dict()
    assert found == {one.id: demo.state.frontier.attempts_count(one.id) for one in demo.state.frontier}
    assert sum(found.values()) > 0


def test_origins_are_those_of_the_run(demo: iv.Investigation) -> None:
    """`claims.origins` and `claim_sources.origin` follow the rule that verification uses."""
    state = demo.state
    groups = {
        one.id: ledger_rules.origins(state.ledger, one, state.page_texts, state.limits)
        for one in state.ledger.claims.values()
    }
    found = of(demo, "claims").set_index("claim_id")["origins"].to_dict()
    assert found == {one: len(origins) for one, origins in groups.items()}
    assert max(found.values()) >= 2
    links = of(demo, "claim_sources").dropna(subset="origin")
    assert {(row.claim_id, row.source_id) for row in links.itertuples()} == {
        (claim, source) for claim, origins in groups.items() for ids in origins for source in ids
    }


def test_turns_are_put_together_from_the_log(demo: iv.Investigation) -> None:
    """One row a turn, tokens that sum to what was spent, sections as they were sent, times in order."""
    turns = of(demo, "turns")
    assert list(turns["turn"]) == list(range(1, demo.turn + 1))
    assert turns["tokens_in"].sum() + turns["tokens_out"].sum() == demo.budget.tokens
    opened = json.loads(of(demo, "events").query("kind == 'turn_opened'")["payload"].iloc[0])
    assert turns["est_system"].iloc[0] == opened["sections"]["system"]
    assert (turns["closed_at"] >= turns["opened_at"]).all()
    assert turns["error"].isna().all()


def test_transitions_and_notes_know_their_turn(demo: iv.Investigation) -> None:
    """Turns never fall along a history, and reach the run's last."""
    for name in ("transitions", "notes_versions"):
        turns = of(demo, name)["turn"].dropna()
        assert turns.is_monotonic_increasing
        assert turns.max() <= demo.turn


def test_pages_know_their_source_and_challenges_their_search(demo: iv.Investigation) -> None:
    """Every page belongs to a source; a challenge that was searched is named by that attempt."""
    assert set(of(demo, "pages")["source_id"]) <= set(of(demo, "sources")["source_id"])
    searched = of(demo, "challenges").dropna(subset="attempt_n")
    attempts = of(demo, "attempts").dropna(subset="challenge_id")
    assert set(attempts["challenge_id"]) == set(searched["challenge_id"])
    assert len(searched) > 0


def test_a_store_of_several_runs_tells_them_apart(tmp_path: Path) -> None:
    """`run_id` is in every frame; a failed call leaves its tokens unknown, not zero."""
    path = tmp_path / "x.db"
    begin(path, reporting()).run(progress=False)
    begin(path, iv.ScriptedModel([iv.ModelError("timeout", "slow", 3)])).run(progress=False)
    turns = iv.turns_df(path)
    assert list(turns["run_id"]) == [1, 1, 2]
    failed = turns.iloc[2]
    assert failed["tokens_in"] is pd.NA
    assert (failed["error"], failed["tries"]) == ("timeout", 3)
    assert list(iv.runs(path)["status"]) == ["completed", "paused"]


def test_what_is_no_run_is_refused() -> None:
    """A number is told what could have been given."""
    with pytest.raises(iv.UsageError, match="a run, a list of runs, a store"):
        iv.claims_df(7)
    with pytest.raises(iv.UsageError, match="there is no store at"):
        iv.claims_df("/nowhere/at/all.db")


def test_the_reference_page_names_every_column() -> None:
    """The page that documents the frames is made from the same table as the frames."""
    text = columns.reference()
    for frame in FRAMES.values():
        assert f"## {frame.name}\n" in text
        assert all(f"| {one.name} | " in text for one in frame.columns)


# HTML


class Tags(html.parser.HTMLParser):
    """Collects tags and attributes as a browser would read them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[Any, ...]]] = []
        self.shown: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, tuple(attrs)))

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


TAGS = "div h1 h2 h3 h4 h5 h6 p ul ol li table thead tbody tr th td blockquote pre code strong em a"
ALLOWED = frozenset(TAGS.split(" "))
PAYLOADS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
    "![x](https://e.example/p.png)", "<a href='javascript:alert(1)'>x</a>",
    "[x](https://e.example/\" onmouseover=\"alert(1))", "<https://e.example/\"onx=1>",
    "<https://e.example/><svg/onload=alert(1)>", "`<b>`", "**<b>**", "*<i>*", "\\<script>", "&lt;script&gt;",
    "</div><script>",
    "[<img src=x>](https://e.example/)", "data:text/html,<script>", "[x]: javascript:alert(1)", "<!-- --><b>",
    "\x00<b>",
    "```\n<script>\n```", "[a](https://e.example/?a=1&amp;b=<x>)", "| <b> | x |", "> <b>", "- <b>", "# <b>",
]  # fmt: skip
PLACES = (
    "{}", "# {}", "- {}", "  - {}", "> {}", "| a | {} |\n|---|---|\n| {} | c |", "1. {}", "**{}**", "text {} text",
)  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_in_a_report_becomes_markup(payload: str) -> None:
    """Wherever it stands, hostile text brings no tag but ours, no handler, no scheme but http and https."""
    for place in PLACES:
        for tag, attributes in Tags(page.render(place.replace("{}", payload))).tags:
            assert tag in ALLOWED, (place, tag)
            for name, value in attributes:
                assert (tag, name) in {("a", "href"), ("a", "rel"), ("div", "class")}, (place, tag, name)
                assert name != "href" or value.startswith(("http://", "https://"))


def test_the_markdown_of_reports_is_rendered(demo: iv.Investigation) -> None:
    """Headings, lists within lists, links and quotes of a real report come out as such, with every word."""
    read = Tags(demo.report.html)
    kinds = [tag for tag, _ in read.tags]
    assert kinds.count("h2") == demo.report.markdown.count("\n## ") + demo.report.markdown.startswith("## ")
    assert kinds.count("a") >= len(demo.sources.dropna(subset="url")) // 2
    assert "ul" in kinds
    assert "li" in kinds
    shown = " ".join("".join(read.shown).split())
    for claim in demo.state.ledger.claims:
        assert (claim in demo.report.markdown) == (claim in shown)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# A *b*", "<h1>A <em>b</em></h1>"),
        ("a\nb\n\nc", "<p>a b</p><p>c</p>"),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("> a\n> b", "<blockquote><p>a b</p></blockquote>"),
        (
            "| a |\n|:-:|\n| x\\|y |",
            "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>x|y</td></tr></tbody></table>",
        ),
        ("```\na < b\n```\nc", "<pre><code>a &lt; b</code></pre><p>c</p>"),
        ("a\\*b\\* [c_001]", "<p>a*b* [c_001]</p>"),
        ("", ""),
    ],
)  # fmt: skip
def test_markdown_becomes_its_html(markdown: str, expected: str) -> None:
    """The subset that reports are written in, one construct each."""
    assert page.render(markdown) == f'<div class="inv-report">{expected}</div>'


def test_lists_within_lists_without_end_are_read() -> None:
    """Two thousand levels are flattened instead of exhausting the stack."""
    deep = "\n".join(f"{' ' * n}- x{n}" for n in range(2000))
    assert Tags(page.render(deep)).tags.count(("li", ())) == 2000


def test_a_report_that_is_not_there_says_why(tmp_path: Path) -> None:
    """A false report tells the run's state, as text and as HTML."""
    with begin(tmp_path / "x.db", reporting()) as inv:
        assert not inv.report
        assert "it has not come to its end" in str(inv.report)
        assert "it has not come to its end" in inv.report.html
        assert REPORT in inv.run(progress=False).html
