"""A folder of documents as a world."""

import json
import logging
import os
import random
import string
import subprocess
import sys
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest

from investigator.core.evidence import place
from investigator.core.wire import Failure, Hits, Page
from investigator.errors import UsageError
from investigator.world.documents import Corpus
from investigator.world.documents import corpus as module
from investigator.world.documents.encoding import decode
from investigator.world.documents.html import read_html
from investigator.world.documents.parse import parse
from investigator.world.documents.passages import passages, phrases, snippet
from investigator.world.protocols import Web


@pytest.fixture
def folder(tmp_path):
    """An empty folder to put documents into."""
    made = tmp_path / "library"
    made.mkdir()
    return made


@pytest.fixture
def load(folder, tmp_path):
    """Opens the folder with an index beside it; everything is closed at the end."""
    opened = []

    def open_corpus(path=folder, **kwargs):
        opened.append(Corpus(path, cache_dir=tmp_path / "cache", progress=False, **kwargs))
        return opened[-1]

    yield open_corpus
    for one in opened:
        one.close()


def urls(found):
    assert isinstance(found, Hits), found
    return [hit.url for hit in found.hits]


def pdf(*pages, created=""):
    """The bytes of a PDF with one line of text per page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        font = "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R {font} >>")
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title (Tide tables) {f'/CreationDate ({created})' if created else ''} >>")
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{at:010} 00000 n \n" for at in offsets)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
    out += f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{out.index('xref')}\n%%EOF"
    return out.encode("latin-1")


def docx(file):
    """A Word document with a heading, a paragraph and a table."""
    from docx import Document

    document = Document()
    document.add_heading("Harbour rules", 1)
    document.add_paragraph("Boats moor at the northern quay.")
    table = document.add_table(rows=2, cols=2)
    for at, text in enumerate(("berth", "depth", "A1", "4.5 m")):
        table.cell(at // 2, at % 2).text = text
    document.save(file)


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
    assert "A1 | 4.5 m" in corpus.fetch("doc:e.docx").text
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


def test_reopening_reads_only_what_changed(folder, load, monkeypatch):
    """Unchanged files are not parsed again, changed ones are, removed ones are gone."""
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"{name} magpie")
    load().close()
    read = []
    monkeypatch.setattr(module, "parse", lambda data, kind: read.append(data) or parse(data, kind))
    (folder / "a.txt").write_text("changed jackdaw")
    (folder / "b.txt").unlink()
    os.utime(folder / "c.txt", ns=(1, 1))
    corpus = load()
    assert read == [b"changed jackdaw"]
    assert urls(corpus.search("magpie", 9)) == ["doc:c.txt"]
    assert urls(corpus.search("jackdaw", 9)) == ["doc:a.txt"]
    load()
    assert len(read) == 1


def test_an_interrupt_leaves_a_usable_index(folder, load, monkeypatch):
    """What was read before an interrupt is kept, the rest is read at the next opening."""
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"{name} magpie")
    def stop(data, kind):
        if data.startswith(b"c"):
            raise KeyboardInterrupt
        return parse(data, kind)

    monkeypatch.setattr(module, "parse", stop)
    with pytest.raises(KeyboardInterrupt):
        load()
    read = []
    monkeypatch.setattr(module, "parse", lambda data, kind: read.append(data) or parse(data, kind))
    assert len(urls(load().search("magpie", 9))) == 3
    assert read == [b"c magpie"]


def test_broken_files_are_named_and_skipped(folder, load, caplog):
    """A file that cannot be read is told in the log and in `skipped`, at every opening."""
    (folder / "good.txt").write_text("fine")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 nonsense")
    (folder / "bad.docx").write_bytes(b"PK\x03\x04 nonsense")
    (folder / "bad.ipynb").write_text("{")
    (folder / "deep.json").write_text("[" * 100000)
    (folder / "bin.txt").write_bytes(bytes(range(256)) * 9)
    (folder / "empty.md").write_text("")
    for number in range(3):
        (folder / f"{number}.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.txt").write_text("secret")
    for _ in range(2):
        with caplog.at_level(logging.WARNING, "investigator"):
            caplog.clear()
            corpus = load()
        skipped = dict(corpus.skipped)
        assert set(skipped) == {"bad.pdf", "bad.docx", "bad.ipynb", "deep.json", "bin.txt", "empty.md", "*.png"}
        assert skipped["*.png"] == "3 files of a type that is not read"
        assert "broken PDF" in skipped["bad.pdf"]
        (record,) = caplog.records
        assert "bad.pdf" in record.getMessage()
        assert "\n" not in record.getMessage()
        assert corpus.facts().pages == 1


def test_links_out_of_the_folder_are_not_followed(folder, load, tmp_path):
    """A symlink that leads outside is skipped with a reason, as file and as folder; one inside adds no twin."""
    (tmp_path / "secret.txt").write_text("outside treasure")
    (folder / "a.txt").write_text("inside")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    (folder / "twin.txt").symlink_to(folder / "a.txt")
    corpus = load()
    assert urls(corpus.search("treasure", 5)) == []
    assert urls(corpus.search("inside", 5)) == ["doc:a.txt"]
    assert "outside" in dict(corpus.skipped)["out.txt"]
    assert "outside" in dict(corpus.skipped)["up"]


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


@pytest.mark.parametrize("make", [
    lambda folder: folder / "missing",
    lambda folder: folder,
    lambda folder: _put(folder / "x.png", b"\x89PNG"),
    lambda folder: _put(folder / "x.pdf", b"no pdf"),
    lambda folder: _put(folder / "x.png", b"\x89PNG") / "x.png",
])
def test_nothing_to_read_is_a_usage_error(folder, load, tmp_path, make):
    """A missing, empty or unreadable corpus is refused in one sentence, and nothing is written."""
    path = make(folder)
    with pytest.raises(UsageError, match=r"give|put"):
        load(path)
    assert list((tmp_path / "cache").glob("*")) == []


def _put(file, data):
    file.write_bytes(data)
    return file.parent


def test_the_index_stays_out_of_the_folder(folder, load):
    """Opening writes nothing into the folder, and a cache inside of it is refused."""
    (folder / "a.txt").write_text("x")
    load()
    assert [one.name for one in folder.iterdir()] == ["a.txt"]
    with pytest.raises(UsageError, match="inside"):
        Corpus(folder, cache_dir=folder / "cache")


def test_a_damaged_index_is_made_anew(folder, load, tmp_path):
    """The index is a cache: garbage in its place is replaced."""
    (folder / "a.txt").write_text("gannet")
    load().close()
    (file,) = (tmp_path / "cache").glob("*.db")
    file.write_bytes(b"no database at all" * 100)
    corpus = load()
    assert urls(corpus.search("gannet", 5)) == ["doc:a.txt"]
    corpus.close()
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert urls(load().search("gannet", 5)) == ["doc:a.txt"]


def test_two_processes_open_one_corpus(folder, tmp_path):
    """Two processes that build one index at once both see every document."""
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"pelican number {number}\n" * 50)
    code = (
        "import sys; from investigator.world.documents import Corpus; "
        "c = Corpus(sys.argv[1], cache_dir=sys.argv[2], progress=False); "
        "print(len(c.search('pelican', 99).hits)); c.close()"
    )
    arguments = [sys.executable, "-c", code, str(folder), str(tmp_path / "cache")]
    running = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.communicate(timeout=60)[0].strip() for one in running] == ["40", "40"]


def test_a_passage_deep_in_a_long_document_is_found(folder, load):
    """A long document is found by its best passage, once, and the snippet shows it."""
    rng = random.Random(7)
    filler = [" ".join(rng.choice(["river", "stone", "valley", "winter"]) for _ in range(60)) + "." for _ in range(120)]
    filler[77] = "The Zwin lighthouse was lit in 1872 by Clara Voss, its first keeper."
    (folder / "long.md").write_text("# Chronicle\n\n" + "\n\n".join(filler))
    (folder / "short.md").write_text("# Keeper\n\nA keeper keeps. Keepers keep keeping.\n")
    hits = load().search("Who was the first keeper of the Zwin lighthouse?", 5).hits
    assert [hit.url for hit in hits] == ["doc:long.md", "doc:short.md"]
    assert "Clara Voss" in hits[0].snippet
    assert len(hits[0].snippet) <= 300
    assert "\n" not in hits[0].snippet


def test_search_finds_other_forms_and_scripts(folder, load):
    """Word forms, accents, ligatures and scripts without spaces are found."""
    (folder / "a.txt").write_text("The glaciers were melting near Malmö; ofﬁce.")
    (folder / "b.txt").write_text("東京は日本の首都です。")
    corpus = load()
    for query in ("glacier melts", "malmo", "office"):
        assert urls(corpus.search(query, 5)) == ["doc:a.txt"]
    assert urls(corpus.search("日本の首都", 5)) == ["doc:b.txt"]
    assert "日本の首都" in corpus.search("日本の首都", 5).hits[0].snippet


HOSTILE = [
    '"', '""', "'", "a\"b", "(", ")", "((a)", "a AND", "OR", "NOT a", "NEAR(a b, 2)", "a*", "*", "^a", "title:x",
    "{title path}: x", "-a", "a - b", "+", "a;DROP TABLE files", "\x00", "\x02a\x03", "a\x00b", "\ud800", "💥",
    "а́", "%", "_", "C++", "1,234.5", "x" * 5000, "the of and", "", "   ", "rank MATCH 'x'", "\u202ea", "ẞ", "가나다",
    "अनुच्छेद", "ﬁ",
]  # fmt: skip


def test_no_query_is_an_error(folder, load):
    """Whatever the query's text, the answer is a list of hits."""
    (folder / "a.txt").write_text("a plain text with rank, title and near")
    corpus = load()
    rng = random.Random(3)
    alphabet = string.printable + "\"\"''()*:^-{}«»“”\u200b\u0301漢字\x02\x03"
    made = ["".join(rng.choice(alphabet) for _ in range(rng.randint(1, 40))) for _ in range(200)]
    for query in [*HOSTILE, *made]:
        assert isinstance(corpus.search(query, 5), Hits), repr(query)
        assert all(unicodedata.category(one)[0] in "LNMZ" for phrase in phrases(query) for one in phrase[1:-1])


ENCODINGS = {
    "utf-8": "Zürich – naïve café", "utf-8-sig": "Zürich – naïve café", "utf-16": "Zürich café",
    "utf-16-le": "Zürich café", "cp1252": "Zürich “naïve” café costs 5 €",
    "cp1251": "Привет, это русский текст о реках и озёрах Карелии. Вода холодная.",
    "shift_jis": "東京は日本の首都です。人口は約千四百万人で、世界最大の都市圏です。",
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), ENCODINGS.items())
def test_decode_reads_the_encoding(name, text):
    """Common encodings are read without a declaration."""
    assert decode(text.encode(name)) == text


def test_decode_keeps_a_damaged_utf8_text():
    """One bad byte does not turn every accent of a text into two wrong letters."""
    assert decode("Zürich, Genève, Köln".encode() + b"\xff") == "Zürich, Genève, Köln\ufffd"


def test_passages_cover_every_word():
    """No word of a text is outside of every passage, and no passage is much longer than it should be."""
    rng = random.Random(5)
    for _ in range(40):
        pieces = ["a", "word", "# Head", "\f", "\n\n", "\n", "。漢字", "x" * 90]
        words = [rng.choice(pieces) for _ in range(rng.randint(0, 900))]
        text = " ".join(words)
        covered = set()
        for span in passages(text):
            covered.update(range(span.start, span.end))
            assert len(text[span.start : span.end].split()) <= 320
        assert all(at in covered for at, one in enumerate(text) if not one.isspace())


def test_snippet_shows_the_densest_window():
    """The window with the most different words wins over the first one."""
    text = "\x02owl\x03 " + "filler " * 100 + "the \x02barn\x03 \x02owl\x03 hunts. " + "filler " * 50
    assert "barn owl hunts" in snippet(text)
    assert snippet("## A\n- \x02one\x03\n| x | y |") == "A one | x | y |"


def test_threads_share_a_corpus(folder, load):
    """Several threads search and read one corpus at once."""
    for number in range(20):
        (folder / f"{number}.txt").write_text(f"crane number {number}")
    corpus = load()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: list(map(corpus.fetch, urls(corpus.search("crane", 20)))), range(40)))
    assert {len(pages) for pages in found} == {20}


HOSTILE_HTML = ["<a" * 60000, "<!--" * 60000, "</" * 60000, "<div>" * 60000 + "x", "<" * 60000, "<p>" + "&#" * 60000]


@pytest.mark.parametrize("markup", HOSTILE_HTML)
def test_hostile_html_is_read_in_linear_time(markup):
    """Unclosed tags, comments and deep nesting take no quadratic time."""
    began = time.monotonic()
    read_html(markup)
    assert time.monotonic() - began < 5


def test_html_with_text_is_never_empty():
    """What trafilatura leaves out is read when nothing else is there, and menus when the page has nothing but them."""
    assert read_html("<nav><a href=/a>Home</a></nav>").text == "Home"
    assert read_html("bare text").text == "bare text"
    table = "".join(f"<tr><td>year {year}</td><td>{year * 3}</td></tr>" for year in range(1900, 1990))
    assert "year 1950 | 5850" in read_html(f"<p>Intro.</p><table>{table}</table>").text.replace("| year", "year")


def test_documents_that_hold_more_of_the_query_come_first(folder, load):
    """A passage with all of the terms goes before a tiny file with two of them."""
    told = "The copper mine closed, and the red paint stayed in use. "
    (folder / "all.txt").write_text(told + "Snow fell on the town. " * 10)
    (folder / "rare.txt").write_text("Red paint and more of it.")
    for number in range(8):
        (folder / f"{number}.txt").write_text("a copper mine opened here long ago")
    assert urls(load().search("copper mine closed red paint", 3))[0] == "doc:all.txt"


def test_delimited_files_become_rows_on_their_own_lines() -> None:
    """A CSV row can be read and quoted as a table row, at the line number it has in the file."""
    table = parse(b'item,price\n"pump, large",12.50\n"two\nlines",3\nvalve,4\n', "csv")[0]
    assert table.unit == "line"
    assert table.text.splitlines()[1] == "| pump, large | 12.50 |"
    assert table.text.splitlines()[4] == "| valve | 4 |"
    assert parse(b"a;b\n1,5;2\n", "csv")[0].text.splitlines()[1] == "| 1,5 | 2 |"
