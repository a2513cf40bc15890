"""The offline reader on reference texts: which sentences explain, what they lean on, and when silence is right."""

from __future__ import annotations

from itertools import pairwise

import pytest

from investigator.core.blocks import PageBlock
from investigator.tools.outside import _cuts, _most_telling
from investigator.world.offline import recording
from investigator.world.offline.analysis import Kind, analyse
from investigator.world.offline.prose import finished, is_log, is_term, leans, worth
from investigator.world.offline.reading import PageText, answers
from investigator.world.offline.recording import statement
from investigator.world.offline.sentences import split

MANUAL = """# `vault` — Keep values on disk

See the section Locking for details on locking.

## Tutorial

A lock is taken by the first write (see Locking for details). Here's an example of locking:

```
with vault.open("x") as v:
    v.lock()  # takes the lock
```

## Reference

- class vault.Vault
- Each open file is represented by a `Vault` object. Their main purpose is writing.
  - lock_mode
  - This attribute controls the locking performed by `vault`. If set to `None`, no lock is taken.
  -
flush(wait=True)
  - Write pending values to the file.

## Locking

New in version 3.2: Locking.

If the attribute `lock_mode` is not `None`, a lock is implicitly taken before the first write.
By default, the lock is released on close. This leaves the file open to other readers.
"""


def page(text: str = MANUAL, title: str = "vault — Keep values on disk") -> PageBlock:
    return PageBlock(
        source="s_001", url="doc:vault", domain="d", title=title, published="", part=1, parts=1, text=text
    )


def told(question: str, text: str = MANUAL) -> list[str]:
    return [statement(question, one) for one in recording.read(question, [page(text)])]


def test_read_explains_from_the_section_about_it() -> None:
    """What the section named after the question says comes first; pointers, examples, code and history do not come."""
    found = told("How does vault handle locking?")
    assert "is not None, a lock is implicitly taken" in " ".join(found)
    said = " ".join(found)
    assert "See the section" not in said
    assert "New in version" not in said
    assert "v.lock()" not in said


def test_read_takes_the_sentence_that_another_leans_on() -> None:
    """A sentence that begins with "This" is never told without the one before it."""
    found = told("How does vault handle readers of a file with locking?")
    assert all(not leans(one) for one in found)
    assert any("on close. This leaves the file open" in one for one in found)


def test_statement_names_the_attribute_that_a_definition_is_of() -> None:
    """Below its name, "this attribute" is that name."""
    found = told("What does the lock_mode attribute control?")
    assert found[0] == "The lock_mode attribute controls the locking performed by vault."


def test_quotes_stand_word_for_word_on_the_page() -> None:
    """Joined sentences too are quoted as one range of the page."""
    for one in recording.read("How does vault handle locking?", [page()]):
        for said in one.supports:
            assert MANUAL[said.start : said.end] == said.quote


@pytest.mark.parametrize(
    "question",
    [
        "How does vault encrypt values?",
        "How does vault replicate a file to another server?",
        "Why is vault slower than rsync?",
        "Does vault support locking over a network?",
        "Can vault compress pending values?",
    ],
)
def test_read_is_silent_where_the_document_is(question: str) -> None:
    """The same nouns with something else asked of them give no answer."""
    assert told(question) == []


def test_split_takes_a_lone_name_as_the_heading_of_its_definition() -> None:
    """Attributes and methods of a definition list head what is said of them."""
    headings = {MANUAL[one.start : one.end]: one.heading for one in split(MANUAL)}
    assert next(above for text, above in headings.items() if "This attribute" in text).endswith("lock_mode")
    assert next(above for text, above in headings.items() if "Write pending" in text).endswith("flush")


def test_split_reads_a_condition_in_brackets_as_a_sentence() -> None:
    """A colon inside of brackets makes no label."""
    text = "If sort is true (default: no), then keys are\nsorted to make\nJSON comparable.\n"
    assert [text[one.start : one.end] for one in split(text)] == [text.strip()]


def test_analyse_asks_no_date_of_what_happens_when() -> None:
    """Only a "when" that is asked wants a date."""
    assert analyse("What happens when a process times out?").kind is Kind.TEXT
    assert analyse("In the film Vault, when was the door opened?").kind is Kind.DATE


def test_answers_read_times_out_as_timeout() -> None:
    """Two words of a question may be one on the page, and the verb alone is not enough."""
    text = "If the timeout expires, the child process is killed. It is only needed at the same time as a process."
    found = answers("What happens when a process times out?", [PageText(key="a", text=text, title="process")])
    assert found[0].best.quote == "If the timeout expires, the child process is killed."


def test_when_may_ask_for_a_condition() -> None:
    """Without a date on the page, a sentence that tells the condition answers."""
    found = told("When is the lock released by vault?")
    assert found
    assert "released on close" in found[0]


@pytest.mark.parametrize(
    ("plain", "roundabout"),
    [
        ("By default the lock is released on close.", "For more information on the lock, see below."),
        ("If it fails, the lock is released.", "Changed in version 3.2: the lock is released."),
        ("The lock is released on close.", "In this example the lock is released on close."),
        ("The lock is released on close.", "x = vault.open('y'); import os; the lock"),
    ],
)
def test_worth_prefers_the_plain_statement(plain: str, roundabout: str) -> None:
    """Pointers, history, examples and code are worth less than what says it."""
    question = "How does the lock work?"
    assert worth(question, plain) > worth(question, roundabout)


def test_terms_logs_and_cut_sentences() -> None:
    """Names of code head definitions, release records are known by their headings, a cut-out ends at a clause."""
    assert is_term("Dialect.delimiter")
    assert not is_term("Explanation")
    assert is_log("vault › 2.1.0 (2024) › Fixed")
    assert not is_log("vault › Locking")
    long = " ".join(["word"] * 30) + "; this goes on and on, but, if many"
    assert finished(long) == " ".join(["word"] * 30) + "."
    assert finished("It ends.") == "It ends."


def test_parts_of_a_page_begin_outside_of_code() -> None:
    """Every character stands in one part, and no part begins inside of a block of code."""
    code = "```\n# a comment\n\nx = 1\n```"
    text = "".join(f"## Part {n}\n\n{'words here. ' * 30}\n\n{code}\n\n" for n in range(9))
    cuts = [*_cuts(text, 1000), len(text)]
    parts = [text[one:other] for one, other in pairwise(cuts)]
    assert "".join(parts) == text
    assert all(len(one) <= 1000 for one in parts)
    assert all(one.startswith("## Part") for one in parts)


def test_the_part_with_the_section_about_it_is_named_first() -> None:
    """A short section under a heading with the word tells more than many mentions in a long one."""
    many = "vault holds a file and its lock and more besides, and of other things. " * 4
    about = "## Lock control\n\nThe lock is taken by the first write."
    assert _most_telling([many, about, "## Other\n\nvault."], {"vault", "lock"})[0] == 2
    assert _most_telling([many, about], {"nowhere"}) == []
