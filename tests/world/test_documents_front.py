"""Front matter in its three notations: what it says is taken, and none of it is read as prose."""

import pytest
from papers import urls

from investigator.core.evidence import place
from investigator.world.documents.front import read_front
from investigator.world.documents.parse import parse

HEADERS = {
    "yaml": '---\ntitle: "Moss: a study"\ndate: 2024-03-15\nauthors:\n  - Ann Lee\n  - Bo Ray\ntags: [a, b]\n---\n',
    "yaml names": "---\ntitle: >-\n  Moss:\n  a study\nauthor:\n  name: Ann Lee, Bo Ray\n  url: x\ndate: 15 March 2024\n---\n",  # noqa: E501
    "yaml list": "---\nTitle: 'Moss: a study' # so\nDate: 2024-03-15T08:00:00Z\nauthor: [Ann Lee, Bo Ray]\n...\n",
    "toml": '+++\ntitle = "Moss: a study"\ndate = 2024-03-15T10:00:00+01:00\nauthors = ["Ann Lee", "Bo Ray"]\n+++\n',
    "toml extra": '+++\ntitle = "Moss: a study"\ndate = 2024-03-15\n[extra]\nauthor = "Ann Lee, Bo Ray"\nx = 1\n+++\n',
    "toml broken": '+++\ntitle = "Moss: a study"\ndate = 2024-03-15\nx = oops\nauthor = "Ann Lee, Bo Ray"\n+++\n',
    "json": '{\n  "title": "Moss: a study",\n  "date": "2024-03-15",\n  "author": ["Ann Lee", "Bo Ray"]\n}\n',
    "json names": '{"title": "Moss: a study", "published": "2024-03-15", "author": [{"name": "Ann Lee, Bo Ray"}]}\n',
    "json fence": ';;;\n{"title": "Moss: a study", "date": "2024-03-15", "authors": ["Ann Lee", "Bo Ray"]}\n;;;\n',
    "json named": '---json\n{"title": "Moss: a study", "date": "2024-03-15", "by": "Ann Lee, Bo Ray"}\n---\n',
}  # fmt: skip


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_front_matter_is_taken_and_not_read_as_prose(header: str) -> None:
    """Title and date are the document's; of the header only who wrote it is left in the text, and no line moves."""
    (page,) = parse(f"{header}\n# Other\nIt grows slowly.\n".encode(), "md")
    assert (page.title, page.published) == ("Moss: a study", "2024-03-15")
    said = [line for line in page.text.split("\n") if line]
    assert said == ["Author: Ann Lee, Bo Ray", "# Other", "It grows slowly."]
    lines = f"{header}\n# Other\n".count("\n")
    assert place(page.text, page.text.index("It grows"), page.unit) == f"line {lines + 1}"


@pytest.mark.parametrize("text", [
    "---\nJust a sentence, no keys\n---\nmore\n", "---\ntitle: never closed\nmore\n", "+++\nplain words\n+++\nmore\n",
    '{"title": "only JSON"}', '{"a": 1}\nno key of a header\n', "{curly} text\n", "{" * 5000 + "\nx", "---\n---\nx\n",
    ";;;\n[1]\n;;;\nmore\n", "+++\n" * 3, "+++", "---",
])  # fmt: skip
def test_what_is_no_header_stays(text: str) -> None:
    """Rules, braces and headers that never end are text."""
    assert read_front(text).text == text


def test_a_header_of_big_numbers_and_odd_keys_raises_nothing() -> None:
    """Numbers of 5,000 digits, keys of other kinds and wrong dates are no error."""
    for header in (f"+++\nx = {'9' * 5000}\ntitle = 'T'\n+++", f'{{"x": {"9" * 5000}, "title": "T"}}',
                   "---\ntitle: T\ndate: 2024-99-99\nx: {\n---"):  # fmt: skip
        front = read_front(f"{header}\nbody\n")
        assert (front.title, front.published, front.text.strip()) == ("T", "", "body")


def test_a_header_is_not_found_by_search_but_its_author_is(folder, load):
    """A tag in the header answers no query; who wrote the text does."""
    (folder / "a.md").write_text('+++\ntitle = "Moss"\nauthor = "Ann Lee"\ntags = ["zebra"]\n+++\nIt grows.\n')
    corpus = load()
    assert urls(corpus.search("zebra", 5)) == []
    assert urls(corpus.search("Ann Lee", 5)) == ["doc:a.md"]
