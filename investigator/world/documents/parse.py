"""One file's bytes as one or more documents: text with its unit of place, title, date, links.

Knows formats; must not know folders, indexes or the network. What cannot be read raises `Unreadable` with the reason.
Line numbers in a text are those of the file: front matter is blanked, not cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import TYPE_CHECKING

from investigator.world.documents import dates
from investigator.world.documents.delimited import read_delimited, row
from investigator.world.documents.encoding import declared_in_html, decode, is_binary
from investigator.world.documents.front import read_front
from investigator.world.documents.html import MAX_LINKS, read_html
from investigator.world.documents.printed import apart
from investigator.world.documents.records import read_json, read_jsonl
from investigator.world.documents.types import Parsed, Unreadable

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph

_MARKDOWN = frozenset({"md", "markdown", "mdown", "mkd", "qmd", "rmd"})
_PLAIN = frozenset({"", "txt", "text", "rst", "log"})
_MD_LINK = re.compile(
    r"\]\(\s{0,9}<?([^()\s<>]{1,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,500})?)>?(?:\s+[\"'][^\"')]*[\"'])?\s{0,9}\)"
)
_BARE_LINK = re.compile(r"https?://[^\s<>\"'`|)\]}]+[^\s<>\"'`|)\]}.,;:!?]")


def parse(data: bytes, kind: str, base: str = "") -> tuple[Parsed, ...]:
    """The documents in a file of this kind (an extension without its dot, in lower case); raises `Unreadable`.

    ``base`` is the url that relative links of an HTML page start from.

    >>> parse(b"# Title", "md")[0].title
    'Title'
    """
    if kind not in READERS:
        raise Unreadable(f"files of type .{kind} are not read")
    documents = READERS[kind](data) if kind not in ("html", "htm", "xhtml") else (read_page(data, base=base),)
    if not any(one.text.strip() for one in documents):
        raise Unreadable("it holds no text" + (" (a scan?)" if kind == "pdf" else ""))
    return documents


def read_text(data: bytes, *, markdown: bool) -> Parsed:
    """Text or Markdown with its raw lines."""
    if is_binary(data):
        raise Unreadable("it is binary, not text")
    text = decode(data).replace("\f", " ")
    front = read_front(text)
    text = front.text
    links = [*_MD_LINK.findall(text)] if markdown else []
    return Parsed(
        text=text, unit="line", title=front.title or (_heading(text) if markdown else ""),
        published=front.published or dates.in_header(text), url=front.url,
        links=tuple(dict.fromkeys([*links, *_BARE_LINK.findall(text)]))[:MAX_LINKS],
    )  # fmt: skip


def read_page(data: bytes, *, declared: str = "", base: str = "") -> Parsed:
    """An HTML page. ``declared`` is the charset of the HTTP header."""
    if is_binary(data):
        raise Unreadable("it is binary, not HTML")
    page = read_html(decode(data, declared or declared_in_html(data)), base)
    return Parsed(
        text=page.text.replace("\f", " "), unit="paragraph", title=page.title, links=page.links,
        published=page.published or dates.in_header(page.text),
    )  # fmt: skip


def read_pdf(data: bytes) -> Parsed:
    """A PDF; a form feed stands between two pages, and nowhere else."""
    import io
    import logging

    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports each odd object of a file that it can read
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("the PDF asks for a password")
        pages = [(page.extract_text() or "").replace("\f", " ").replace("\x00", "") for page in reader.pages]
        about = {str(key): str(value) for key, value in (reader.metadata or {}).items()}
    except Unreadable:
        raise
    except Exception as error:  # hostile bytes: pypdf raises its own, struct's, zlib's, recursion and key errors
        raise Unreadable(f"broken PDF: {_reason(error)}") from error
    title = about.get("/Title", "").strip()
    return Parsed(
        text="\f".join(apart(pages)).encode("utf-8", "replace").decode(), unit="page",
        last_resort=dates.of_pdf(about.get("/CreationDate", "")),
        title="" if re.match(r"untitled|microsoft word|.*\.(?:docx?|indd|tex|dvi)$", title, re.IGNORECASE) else title,
        published=dates.in_header(pages[0] if pages else ""),
    )  # fmt: skip


def read_docx(data: bytes) -> Parsed:
    """A Word document: paragraphs, and each row of a table on a line."""
    import io
    import zipfile

    from docx import Document
    from docx.table import Table

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if sum(one.file_size for one in parts) > 200_000_000:
                raise Unreadable("unpacked it is larger than 200 MB")
            # Real text packs to a tenth or a thirtieth; a bomb of a few hundred kB would take minutes and gigabytes.
            if any(one.file_size > max(5_000_000, 150 * one.compress_size) for one in parts):
                raise Unreadable("it unpacks to far more than a text does")
        document = Document(io.BytesIO(data))
        blocks = [
            _rows(one) if isinstance(one, Table) else _paragraph(one)
            for one in document.iter_inner_content()
        ]
        title = document.core_properties.title or ""
    except Unreadable:
        raise
    except Exception as error:  # hostile bytes: zip, XML and key errors
        raise Unreadable(f"broken docx: {_reason(error)}") from error
    text = "\n\n".join(block for block in blocks if block.strip()).replace("\f", " ")
    return Parsed(text=text, unit="paragraph", title=_heading(text) or title.strip(), published=dates.in_header(text))


def read_notebook(data: bytes) -> Parsed:
    """A Jupyter notebook: the cells' sources and what they printed."""
    try:
        notebook = json.loads(decode(data))
        cells = notebook["cells"] if isinstance(notebook, dict) else []
        blocks = [block for cell in cells for block in _cell(cell)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable(f"broken notebook: {_reason(error)}") from error
    text = "\n\n".join(block for block in blocks if block.strip()).replace("\f", " ")
    marked = "\n\n".join(_source(cell) for cell in cells if cell.get("cell_type") == "markdown")
    links = tuple(dict.fromkeys(_MD_LINK.findall(marked) + _BARE_LINK.findall(marked)))[:MAX_LINKS]
    return Parsed(text=text, unit="paragraph", title=_heading(marked), published=dates.in_header(marked), links=links)


def _alone(read: Callable[[bytes], Parsed]) -> Callable[[bytes], tuple[Parsed, ...]]:
    return lambda data: (read(data),)


READERS: Mapping[str, Callable[[bytes], tuple[Parsed, ...]]] = {
    **dict.fromkeys(_MARKDOWN, _alone(lambda data: read_text(data, markdown=True))),
    **dict.fromkeys(_PLAIN, _alone(lambda data: read_text(data, markdown=False))),
    "rst": _alone(lambda data: read_text(data, markdown=True)),
    **dict.fromkeys(("html", "htm", "xhtml"), _alone(read_page)),
    "pdf": _alone(read_pdf),
    "docx": _alone(read_docx),
    "ipynb": _alone(read_notebook),
    **dict.fromkeys(("csv", "tsv"), _alone(read_delimited)),
    "jsonl": read_jsonl,
    "ndjson": read_jsonl,
    "json": read_json,
}


def _heading(text: str) -> str:
    """The first Markdown or reST heading in the first 20,000 characters."""
    match = re.search(
        r"^(?:#{1,6}[ \t]+(?P<hashed>\S.*?)[ \t]*#*|(?P<under>\S[^\n]{0,200})\n(?:={3,}|-{3,}|~{3,}))[ \t]*$",
        re.sub(r"^(```|~~~).*?^\1", "", text[:20000], flags=re.MULTILINE | re.DOTALL), re.MULTILINE,
    )  # fmt: skip
    if not match:
        return ""
    found = match["hashed"] or match["under"]
    return unescape(re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`]", r"\1", found)).strip()


def _paragraph(paragraph: Paragraph) -> str:
    text, style = paragraph.text, (paragraph.style.name if paragraph.style else "") or ""
    if not text.strip():
        return ""
    level = re.fullmatch(r"Heading ([1-6])|Title", style)
    if level:  # on one line: a second one would be no part of the heading
        return f"{'#' * int(level[1] or 1)} {' '.join(text.split())}"
    properties = paragraph._p.pPr
    is_item = (style.startswith("List ") and style != "List Paragraph") or (
        properties is not None and properties.numPr is not None
    )
    return f"- {' '.join(text.split())}" if is_item else text


def _rows(table: object) -> str:
    rows = []
    for one in table.rows:  # type: ignore[attr-defined]
        cells: list[tuple[int, str]] = []
        for cell in one.cells:  # a merged cell is told once per column that it covers
            if not cells or cells[-1][0] != id(cell._tc):
                cells.append((id(cell._tc), " ".join(cell.text.split())))
        rows.append([text for _, text in cells])
    return "\n".join(row(cells) if len(cells) > 1 else cells[0] for cells in rows if any(cells))


def _cell(cell: dict[str, object]) -> Iterator[str]:
    yield _source(cell)
    outputs = cell.get("outputs", ())
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data", {})
        yield _joined(output.get("text", "")) or _joined(data.get("text/markdown") or data.get("text/plain", ""))


def _source(cell: dict[str, object]) -> str:
    return _joined(cell.get("source", ""))


def _joined(value: object) -> str:
    """Notebooks keep a text whole or as a list of lines."""
    return "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def _reason(error: Exception) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())[:160]
