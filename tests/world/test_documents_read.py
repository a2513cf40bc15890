"""What a parser makes of a document: rows that can be quoted, and nothing glued that a reader sees apart."""

import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.core.evidence import check_quote
from investigator.world.documents.html import read_html
from investigator.world.documents.parse import parse
from investigator.world.documents.printed import apart

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


HEAD, WIDE = "Acme annual report 2025", "Revenue rose to 12.5 million euros in 2025, mainly due to strong demand in\n"


def test_a_printed_page_has_blocks() -> None:
    """A heading, a paragraph's end, a row and an item stand apart; a sentence that goes on does not."""
    page = f"Revenue\n{WIDE}the south of Europe. Costs fell.\nOffice People\nLisbon 85\nPorto 40\n- Energy prices"
    assert apart([page])[0].split("\n\n") == [
        "Revenue", f"{WIDE}the south of Europe. Costs fell.", "Office People", "Lisbon 85", "Porto 40",
        "- Energy prices",
    ]  # fmt: skip


def test_what_runs_along_every_page_is_told_once() -> None:
    """Head and foot with the page's number stand apart on the first page alone; rows of numbers are no page numbers."""
    bodies = [WIDE.replace("2025", year) for year in ("2019", "2024", "2025")]
    pages = [f"{HEAD}\n{one}Europe.\n202{at} {at * 7 + 100}\nPage {at + 1} of 3" for at, one in enumerate(bodies)]
    first, second, third = apart(pages)
    assert first.startswith(f"{HEAD}\n\n{bodies[0]}")
    assert first.endswith("\n\nPage 1 of 3")
    assert (HEAD in second, "Page 2" in second, "2021 107" in second) == (False, False, True)
    assert third == f"{WIDE}Europe.\n\n2022 114"


@given(st.lists(st.text(alphabet="Aa1. \n-", max_size=60), max_size=4))
def test_printed_pages_lose_only_what_runs_along(pages: list[str]) -> None:
    """The pages stay as many, the first keeps every word, and no page gains one."""
    done = apart(pages)
    assert len(done) == len(pages)
    assert [one.split() for one in done[:1]] == [one.split() for one in pages[:1]]
    assert all(not Counter(new.split()) - Counter(old.split()) for new, old in zip(done, pages, strict=True))


def test_an_article_is_read_without_what_stands_around_it() -> None:
    """Boilerplate without a tag that names it is left out by the library that knows how; so it must be installed."""
    links = "".join(f'<li><a href="/{n}">Offer {n}: cheap lamps</a></li>' for n in range(30))
    said = "".join(
        f"<p>Paragraph {n} tells at length, in many plain words, how the harbour was dredged, who paid for the work, "
        f"and what the pilots said of it when the first {n} ships came in over the bar.</p>" for n in range(8)
    )  # fmt: skip
    page = f"<body><div class=promo><ul>{links}</ul></div><article><h1>Dredged</h1>{said}</article></body>"
    text = read_html(page).text
    assert "when the first 7 ships came in" in text
    assert "cheap lamps" not in text
