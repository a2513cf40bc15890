"""What a folder of documents answers to a query, and in which order."""

import random
import string
import unicodedata

from papers import urls

from investigator.core.wire import Hits
from investigator.world.documents.passages import passages, phrases, snippet


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


def test_documents_that_hold_more_of_the_query_come_first(folder, load):
    """A passage with all of the terms goes before a tiny file with two of them."""
    told = "The copper mine closed, and the red paint stayed in use. "
    (folder / "all.txt").write_text(told + "Snow fell on the town. " * 10)
    (folder / "rare.txt").write_text("Red paint and more of it.")
    for number in range(8):
        (folder / f"{number}.txt").write_text("a copper mine opened here long ago")
    assert urls(load().search("copper mine closed red paint", 3))[0] == "doc:all.txt"
