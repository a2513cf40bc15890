"""From bytes to text: encodings, markup made to be slow, rows of a table."""

import time

import pytest

from investigator.world.documents.encoding import decode
from investigator.world.documents.html import read_html
from investigator.world.documents.parse import parse

ENCODINGS = {
    "utf-8": "Zürich – naïve café", "utf-8-sig": "Zürich – naïve café", "utf-16": "Zürich café",
    "utf-16-le": "Zürich café", "cp1252": "Zürich “naïve” café costs 5 €",
    "cp1251": "Привет, это русский текст о реках и озёрах Карелии. Вода холодная.",
    "shift_jis": "東京は日本の首都です。人口は約千四百万人で、世界最大の都市圏です。",
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), ENCODINGS.items(), ids=ENCODINGS)
def test_decode_reads_the_encoding(name, text):
    """Common encodings are read without a declaration."""
    assert decode(text.encode(name)) == text


def test_decode_keeps_a_damaged_utf8_text():
    """One bad byte does not turn every accent of a text into two wrong letters."""
    assert decode("Zürich, Genève, Köln".encode() + b"\xff") == "Zürich, Genève, Köln\ufffd"


HOSTILE_HTML = ["<a" * 60000, "<!--" * 60000, "</" * 60000, "<div>" * 60000 + "x", "<" * 60000, "<p>" + "&#" * 60000]


@pytest.mark.parametrize("markup", HOSTILE_HTML, ids=lambda markup: markup[:6])
def test_hostile_html_is_read_in_linear_time(markup):
    """Unclosed tags, comments and deep nesting take no quadratic time."""
    began = time.process_time()
    read_html(markup)
    assert time.process_time() - began < 5


def test_html_with_text_is_never_empty():
    """What trafilatura leaves out is read when nothing else is there, and menus when the page has nothing but them."""
    assert read_html("<nav><a href=/a>Home</a></nav>").text == "Home"
    assert read_html("bare text").text == "bare text"
    table = "".join(f"<tr><td>year {year}</td><td>{year * 3}</td></tr>" for year in range(1900, 1990))
    assert "year 1950 | 5850" in read_html(f"<p>Intro.</p><table>{table}</table>").text.replace("| year", "year")


def test_delimited_files_become_rows_on_their_own_lines() -> None:
    """A CSV row can be read and quoted as a table row, at the line number it has in the file."""
    table = parse(b'item,price\n"pump, large",12.50\n"two\nlines",3\nvalve,4\n', "csv")[0]
    assert table.unit == "line"
    assert table.text.splitlines()[1] == "| pump, large | 12.50 |"
    assert table.text.splitlines()[4] == "| valve | 4 |"
    assert parse(b"a;b\n1,5;2\n", "csv")[0].text.splitlines()[1] == "| 1,5 | 2 |"
