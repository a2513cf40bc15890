"""A folder of documents as a world: what is read of each format, and under which url, date and domain."""

import json

import pytest
from papers import docx, pdf, urls

from investigator.core.evidence import place
from investigator.core.wire import Failure, Page
from investigator.world.protocols import Web


def test_corpus_is_a_web(folder, load):
    """A corpus has the methods of a web, a name and honest facts."""
    (folder / "a.md").write_text("# A\n\nMoss grows.\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "b.txt").write_text("Ferns grow.\n")
    corpus = load()
    assert isinstance(corpus, Web)
    assert corpus.name == f"corpus:{folder}"
    assert (corpus.facts().name, corpus.facts().pages, corpus.facts().domains) == ("corpus:library", 2, 2)
    assert isinstance(corpus.query("x"), Failure)


def test_every_format_is_read_with_its_unit(folder, load):
    """Each format is found by its words and says how its places are counted."""
    (folder / "a.md").write_text("# Alpha\n\nquokka lives here\n")
    (folder / "b.txt").write_text("first\nwombat lives here\n")
    (folder / "c.html").write_text("<title>Cee</title><nav>menu</nav><p>An <b>echidna</b> digs.</p><p>It eats.</p>")
    (folder / "d.pdf").write_bytes(pdf("one kookaburra", "two cassowary", created="D:20210304"))
    docx(folder / "e.docx")
    cells = [{"cell_type": "markdown", "source": ["# Note\n", "numbat facts"]},
             {"cell_type": "code", "source": "1+1", "outputs": [{"text": ["bandicoot\n"]}]}]  # fmt: skip
    (folder / "f.ipynb").write_text(json.dumps({"cells": cells}))
    (folder / "g.csv").write_text("animal,count\nbilby,7\n")
    (folder / "h.jsonl").write_text('{"text": "a potoroo hops", "title": "Hop"}\n')
    (folder / "i.json").write_text(json.dumps([{"text": "a glider glides", "url": "https://glide.example.org/x"}]))
    corpus = load()
    expected = {"quokka": ("doc:a.md", "line", "Alpha"), "wombat": ("doc:b.txt", "line", "b.txt"),
                "echidna": ("doc:c.html", "paragraph", "Cee"), "cassowary": ("doc:d.pdf", "page", "Tide tables"),
                "quay": ("doc:e.docx", "paragraph", "Harbour rules"), "bandicoot": ("doc:f.ipynb", "paragraph", "Note"),
                "bilby": ("doc:g.csv", "line", "g.csv"), "potoroo": ("doc:h.jsonl#1", "paragraph", "Hop"),
                "glider": ("https://glide.example.org/x", "paragraph", "i.json")}  # fmt: skip
    for word, (url, unit, title) in expected.items():
        assert urls(corpus.search(word, 3)) == [url]
        page = corpus.fetch(url)
        assert (page.unit, page.title) == (unit, title)
        assert word in page.text
    assert "| berth | depth |\n| A1 | 4.5 m |" in corpus.fetch("doc:e.docx").text
    assert corpus.fetch("doc:d.pdf").published == "2021-03-04"
    assert "menu" not in corpus.fetch("doc:c.html").text
    assert "An echidna digs.\n\nIt eats." in corpus.fetch("doc:c.html").text


def test_places_are_those_of_the_file(folder, load):
    """A line number is the line in the file, front matter included; a page number is the PDF's page."""
    header = "---\ntitle: 'T: x'\ndate: 2024-03-15\nurl: https://A.org/p?utm_x=1\n---\n"
    (folder / "a.md").write_text(f"{header}\n# H\nthe needle\n")
    (folder / "b.pdf").write_bytes(pdf("one", "two \fneedle"))
    corpus = load()
    page = corpus.fetch("https://a.org/p")
    assert (page.title, page.published, page.domain) == ("T: x", "2024-03-15", "a.org")
    assert (page.canonical_url, page.url) == ("https://a.org/p", "https://A.org/p?utm_x=1")
    assert "utm" not in page.text
    assert place(page.text, page.text.index("needle"), page.unit) == "line 8"
    page = corpus.fetch("doc:b.pdf")
    assert page.text.count("\f") == 1
    assert place(page.text, page.text.index("needle"), page.unit) == "page 2"


def test_line_ends_and_form_feeds_keep_line_numbers(folder, load):
    """CRLF and stray form feeds move no line."""
    (folder / "a.txt").write_bytes(b"one\r\n\ftwo\r\nthree\r\n")
    assert load().fetch("doc:a.txt").text == "one\n two\nthree\n"


def test_a_rule_at_the_top_is_no_front_matter(folder, load):
    """Text between two rules stays when it is no header."""
    (folder / "a.md").write_text("---\nJust a sentence, no keys\n---\nmore\n")
    assert "Just a sentence" in load().fetch("doc:a.md").text


def test_manifest_states_url_title_and_date(folder, load):
    """A manifest's word goes before the document's, and is no document itself."""
    (folder / "sub").mkdir()
    (folder / "sub" / "a.txt").write_text("Date: 1 May 2020\nbody of it\n")
    entry = {"path": "sub/a.txt", "url": "https://news.bbc.co.uk/1", "title": "Said", "published": "2023-02"}
    (folder / "manifest.json").write_text(json.dumps([entry, {"file": "gone.txt"}]))
    corpus = load()
    (hit,) = corpus.search("body", 5).hits
    assert (hit.url, hit.domain) == ("https://news.bbc.co.uk/1", "bbc.co.uk")
    assert (hit.title, hit.published) == ("Said", "2023-02")
    assert corpus.facts().pages == 1
    assert isinstance(corpus.fetch("doc:sub/a.txt"), Page)
    assert [path for path, _ in corpus.skipped] == ["gone.txt"]
    (folder / "manifest.json").write_text(json.dumps({"sub/a.txt": {"title": "Anew"}}))
    assert [hit.title for hit in load().search("body", 5).hits] == ["Anew"]


DATES = {
    ("x.txt", "Effective date: 12 March 2024\n"): "2024-03-12",
    ("x.md", "# T\n\n**Last updated:** March 3rd, 2022\n"): "2022-03-03",
    ("notes_2024_03.txt", "text"): "2024-03",
    ("log-20240315.txt", "text"): "2024-03-15",
    ("survey 2023.txt", "text"): "2023",
    ("part20231.txt", "text"): "",
    ("x.html", '<meta property="article:published_time" content="2021-07-08T09:00:00Z"><p>text</p>'): "2021-07-08",
    ("y.html", '<script type="application/ld+json">{"datePublished": "2020-01-02"}</script><p>text</p>'): "2020-01-02",
    ("x2.txt", "Date: 03/04/2024\n"): "",
    ("x3.txt", "Date: 31 February 2024\n"): "2024-02",
}


@pytest.mark.parametrize(("given", "expected"), DATES.items())
def test_published_is_the_clear_date(folder, load, given, expected):
    """A date is taken where it is stated without doubt, else there is none."""
    name, text = given
    (folder / name).write_text(text)
    assert load().fetch(f"doc:{name}").published == expected


def test_domains_are_first_folders_or_registrable(folder, load):
    """The voice of a local document is its first folder, or the folder's name at the top."""
    (folder / "press" / "deep").mkdir(parents=True)
    (folder / "press" / "deep" / "a.txt").write_text("lichen")
    (folder / "b.txt").write_text("lichen")
    assert {hit.url: hit.domain for hit in load().search("lichen", 5).hits} == {
        "doc:press/deep/a.txt": "press", "doc:b.txt": "library.local"}  # fmt: skip


def test_two_documents_of_one_url_stay_two(folder, load):
    """A url belongs to the first document that states it; the other keeps its own, whatever was read first."""
    (folder / "b.md").write_text("---\nurl: https://a.org/\n---\nsecond heron\n")
    load().close()
    (folder / "a.md").write_text("---\nurl: https://a.org/#x\n---\nfirst heron\n")
    corpus = load()
    assert set(urls(corpus.search("heron", 5))) == {"https://a.org/#x", "doc:b.md"}
    assert "first" in corpus.fetch("https://a.org/").text
    assert "second" in corpus.fetch("doc:b.md").text


def test_links_lead_to_documents_of_the_corpus(folder, load):
    """Links that stay in the corpus become its urls, the others are left out."""
    (folder / "sub").mkdir()
    (folder / "a.md").write_text("see [b](sub/b%20c.md#x), [out](https://x.org/), [up](../../etc/passwd)\n")
    (folder / "sub" / "b c.md").write_text("back to [a](../a.md) and https://c.org/z.\n")
    (folder / "c.md").write_text("---\nurl: https://c.org/z\n---\nzed\n")
    corpus = load()
    assert corpus.fetch("doc:a.md").links == ("doc:sub/b%20c.md",)
    assert corpus.fetch("doc:sub/b c.md").links == ("doc:a.md", "https://c.org/z")


def test_records_are_pages(folder, load):
    """Each JSONL record is a page under its own url or its line; a broken line takes no other away."""
    lines = [
        '{"text": "egret one", "url": "https://a.github.io/1", "published": "2024-05"}',
        "{broken",
        '{"body": "egret two", "date": 2021}',
        '{"title": "no text"}',
        '{"text": "egret \\ud800 three"}',
    ]
    (folder / "p.jsonl").write_text("\n".join(lines))
    corpus = load()
    hits = {hit.url: (hit.domain, hit.published) for hit in corpus.search("egret", 9).hits}
    assert hits == {"https://a.github.io/1": ("a.github.io", "2024-05"), "doc:p.jsonl#3": ("library.local", "2021"),
                    "doc:p.jsonl#5": ("library.local", "")}  # fmt: skip
    assert corpus.fetch("doc:p.jsonl#3").text == "egret two"
    assert corpus.skipped == (("p.jsonl", '2 of 5 lines are no JSON object with a "text"'),)


def test_a_single_file_is_a_corpus(folder, load):
    """A path to a file opens that file and nothing beside it."""
    (folder / "a.md").write_text("puffin\n")
    (folder / "b.md").write_text("puffin\n")
    corpus = load(folder / "a.md")
    assert urls(corpus.search("puffin", 5)) == ["doc:a.md"]
    assert corpus.search("puffin", 5).hits[0].domain == "a.local"
