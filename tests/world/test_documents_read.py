"""What a parser makes of a document: rows that can be quoted, and nothing glued that a reader sees apart."""

import io

import pytest

from investigator.core.evidence import check_quote
from investigator.world.documents.html import read_html
from investigator.world.documents.parse import parse

PAGE = (
    "<h1>Lisbon office</h1>It opened in 2019.<table><tr><th></th><th>2024</th></tr>"
    "<tr><td>Use|kWh</td><td><b>118</b></td></tr></table><table><tr><th>Area</th><td>1,200</td></tr></table>"
    "<div><label>Parking</label><span>40 cars</span></div><dl><dt>Manager:<dd>Bo<dt>Phone<dd>21<dd>22</dl>"
    "<table><tr><td>laid out alone</td></tr></table>"
)


def test_html_tells_what_belongs_together_and_what_does_not() -> None:
    """Rows of a table stand below each other as quotable rows, a value behind its label or term, headings alone."""
    assert read_html(PAGE).text == (
        "# Lisbon office\n\nIt opened in 2019.\n\n| | 2024 |\n|---|---|\n| Use / kWh | 118 |\n\n| Area | 1,200 |\n\n"
        "Parking: 40 cars\n\nManager: Bo\n\nPhone: 21\n\n22\n\nlaid out alone"
    )


ODD = ["", "<label></label>", "<p>a<label></label>, b", "<td>a", "<dd>a<dt>", "<th>", "\x1e"]


@pytest.mark.parametrize("text", ODD)
def test_html_of_odd_parts_keeps_its_words(text: str) -> None:
    """Parts that stand where they should not lose no word and raise nothing."""
    words = read_html(f"<p>before</p>{text}<p>after</p>").text.split()
    assert (words[0], words[-1]) == ("before", "after")
    assert len(words) - 2 <= len(text)


@pytest.mark.parametrize("part", ["<label>a</label>", "<label></label> ", "<tr><td>a<td>b", "<dt>a<dd>b", "<td>"])
def test_html_of_many_parts_is_read_in_linear_time(part: str) -> None:
    """No number of labels, terms or rows takes long."""
    assert read_html(f"<p>x</p><table><tr>{part * 20_000}</table>").text


def test_docx_lists_headings_and_tables_are_told_as_such() -> None:
    """A list's paragraphs are items, a heading stays on a line of its own, and a table has rows."""
    from docx import Document

    document, file = Document(), io.BytesIO()
    document.add_heading("Travel\nhandbook", 1)
    document.add_paragraph("Taxi rides need approval", style="List Bullet")
    document.add_paragraph("Book early", style="List Number")
    document.add_paragraph("Hotels cost EUR 140.")
    table = document.add_table(rows=2, cols=2)
    for at, text in enumerate(("City", "Maximum", "Paris", "EUR 180")):
        table.cell(at // 2, at % 2).text = text
    document.save(file)
    text = parse(file.getvalue(), "docx")[0].text
    assert text == (
        "# Travel handbook\n\n- Taxi rides need approval\n\n- Book early\n\nHotels cost EUR 140.\n\n"
        "| City | Maximum |\n| Paris | EUR 180 |"
    )
    assert not isinstance(check_quote("Paris | EUR 180", text), str), "a whole row may be quoted"


def test_a_pipe_in_a_cell_begins_no_other_one() -> None:
    """The cells of a row are those of the file, and its words are found by who quotes the file."""
    text = parse(b"name,role,since\nAda|Bo,1|2,2022\n", "csv")[0].text
    assert text.splitlines()[1] == "| Ada / Bo | 1 / 2 | 2022 |"
    assert not isinstance(check_quote("Ada|Bo, 1|2, 2022", text), str)
