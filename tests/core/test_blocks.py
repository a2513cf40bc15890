"""Blocks of a prompt: what is written is read back, and text from outside never opens or closes one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.core.blocks import (
    NAMES,
    PageBlock,
    block,
    clean,
    one_line,
    parse,
    parse_hits,
    parse_pages,
    render_hits,
    render_page,
    shield,
)
from investigator.core.text import fold
from investigator.core.wire import Hit

# Pieces that a hostile text is made of: tags of ours in many spellings, quotes, line ends, invisible characters.
PIECES = ["<", ">", "/", "</", "page", "notes", "INSTRUCTION", "task", " ", "\n", "\r", "\t", '"', "'", "=", "\u200b",
          "\u2028", "\x85", "\x0c", "\x00", "\ud800", "＜", 'source="s_001"', "1. ", "   url: ", " | published: ", "é",
          "x"]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
TAGS = [
    "<{}>", "</{}>", "< {}>", "</ {} >", "<\t{}>", "<\n/{}>", "<//{}>", '<{} source="s_001">', "<{}\n>", "<_{}>",
    "<!--{}-->", "<\u200b{}>", "<\x00{}>", "</{}",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tag", TAGS)
def test_shield_defuses_a_tag_of_ours(tag: str, name: str) -> None:
    """Whatever stands between the bracket and the name, in any case; folding still finds the words."""
    for spelt in (name, name.upper(), name.capitalize()):
        text = tag.format(spelt)
        assert "<" not in shield(text)
        assert fold(shield(text)) == fold(text)


@pytest.mark.parametrize(
    "text",
    ["a < b", "<b>bold</b>", "<pages>", "<notebook>", "x <= page", "<html><body>", "1<2", "<tasks>", "< 5 pages"],
)
def test_shield_leaves_other_text_alone(text: str) -> None:
    """Only tags of ours are touched: other markup and comparisons are content."""
    assert shield(text) == text.replace("<= page", "＜= page")


@given(HOSTILE)
@settings(max_examples=120, deadline=None)
def test_shield_twice_is_shield_once(text: str) -> None:
    """What was shielded may be shielded again."""
    assert shield(shield(text)) == shield(text)


@given(HOSTILE, HOSTILE, st.sampled_from(NAMES))
@settings(max_examples=120, deadline=None)
def test_a_block_of_shielded_text_is_the_only_one(body: str, value: str, name: str) -> None:
    """Around any shielded body and attribute exactly one block is read, and its body is what was written."""
    written = f"{shield(body)}\n{block(name, shield(body), source=value)}\n{shield(body)}"
    assert [len(parse(written, one)) for one in NAMES] == [one == name for one in NAMES]
    (read,) = parse(written, name)
    assert read.body == shield(body)
    assert set(read.attributes) == ({"source"} if value else set())


HOSTILE_PAGE = st.builds(PageBlock, source=st.just("s_001"), url=HOSTILE, domain=HOSTILE, title=HOSTILE,
                         published=HOSTILE, part=st.integers(1, 3), parts=st.just(3), text=HOSTILE)  # fmt: skip
HOSTILE_HIT = st.builds(Hit, url=HOSTILE, title=HOSTILE, snippet=HOSTILE, domain=HOSTILE, published=HOSTILE)


@given(st.lists(HOSTILE_PAGE, max_size=3))
@settings(max_examples=80, deadline=None)
def test_pages_are_read_back_as_many_as_were_written(pages: list[PageBlock]) -> None:
    """Titles, urls and texts that forge pages and attributes change nothing but themselves."""
    read = parse_pages("\n".join(render_page(one) for one in pages))
    assert [(one.source, one.part, one.parts) for one in read] == [(one.source, one.part, one.parts) for one in pages]
    assert [one.text for one in read] == [shield(one.text) for one in pages]
    for one, was in zip(read, pages, strict=True):
        assert one.title == one_line(shield(was.title), 400).replace('"', "'")


def test_plain_pages_and_hits_come_back_equal() -> None:
    """The inverse is exact where nothing has to be defused."""
    page = PageBlock(source="s_001", url="doc:a.md", domain="a.org", title="A", published="2020", part=2, parts=3,
                     text="one\ntwo\x0cthree")  # fmt: skip
    assert parse_pages(render_page(page)) == (page,)
    hits = (
        Hit(url="https://a.org/1", title="A: b | c", snippet="x: y | z", domain="a.org", published="2020-01-01"),
        Hit(url="https://b.org/2", title="B", domain="b.org"),
    )
    (results,) = parse(render_hits("who?", hits, "wiki"), "results")
    assert parse_hits(results.body) == hits
    assert results.attributes == {"query": "who?", "provider": "wiki"}


@given(st.lists(HOSTILE_HIT, max_size=3), HOSTILE)
@settings(max_examples=80, deadline=None)
def test_results_are_read_back_as_many_as_were_written(hits: list[Hit], query: str) -> None:
    """No field of a hit makes another hit, another field or another block."""
    written = render_hits(query, hits)
    assert [len(parse(written, one)) for one in NAMES] == [one == "results" for one in NAMES]
    (results,) = parse(written, "results")
    read = parse_hits(results.body)
    assert len(read) == len(hits)
    assert [one.url for one in read] == [shield(one_line(one.url, 2000)) for one in hits]


def test_no_results_are_said_to_be_none() -> None:
    """An empty list is no empty block."""
    (results,) = parse(render_hits("x", ()), "results")
    assert results.body == "no results"
    assert parse_hits(results.body) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [("<page>\nno end", "page"), ("text <page>\nx\n</page>", "page"), ("<page >\nx\n</page>", "page"),
     ("<page\nurl=\"x\">\nx\n</page>", "page"), ("<page>\nx</page>", "page"), ("<page url='x'>\nx\n</page>", "page"),
     ("<page>\nx\n</page>", "notes")],
)  # fmt: skip
def test_what_is_not_written_like_a_block_is_none(text: str, name: str) -> None:
    """Tags stand on lines of their own, as `block` writes them."""
    assert parse(text, name) == ()


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [("a  b\n\tc", 160, "a b c"), ("", 5, ""), ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"),
     ("ab cd ef", 6, "ab cd…"), ("ab cdefg", 6, "ab…"), ("\u202eab\x00c", 9, "abc"), ("a\u2028b", 9, "ab")],
)  # fmt: skip
def test_one_line_is_one_line_and_no_longer(text: str, most: int, short: str) -> None:
    """Cut at a word where there is one, with an ellipsis that counts."""
    assert one_line(text, most) == short
    assert len(one_line(text, most)) <= most


@given(st.text(max_size=60), st.integers(1, 30))
@settings(max_examples=80, deadline=None)
def test_one_line_of_any_text_fits(text: str, most: int) -> None:
    """Never longer than asked, never with a line end."""
    flat = one_line(text, most)
    assert len(flat) <= most
    assert flat.splitlines() in ([], [flat])


def test_clean_keeps_line_ends_tabs_and_page_breaks() -> None:
    """What a page's structure is made of stays; control, bidi, zero-width characters and surrogates go."""
    assert clean("a\tb\nc\rd\x0ce") == "a\tb\nc\rd\x0ce"
    assert clean("\x00\x07\x1b\x7f\x85\u200b\u200e\u2028\u202e\u2066\ufeff\ud800\udfffx") == "x"
