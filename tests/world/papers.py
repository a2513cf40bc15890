"""Documents that are made for a test, and the urls of what was found among them."""

from investigator.core.wire import Hits


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
