"""Folding, terms and numbers: what counts when texts are compared."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.core.blocks import clean, shield
from investigator.core.text import STOP_WORDS, fold, folded, numbers, same, terms, value_in, words

HOSTILE = st.text(
    st.one_of(
        st.sampled_from(" \n\t\f\r-–—−'’´.,:/+#%$€()[]|*_`0123456789abzAZ"),
        st.sampled_from("éßİſ\u00ad\u200b\u0301\u0307²½①Ⅷﬁ中がカﾞ한\u1161ा"),
        st.characters(),
    ),
    max_size=40,
)


@given(HOSTILE)
@settings(max_examples=400, deadline=None)
def test_fold_is_idempotent(text: str) -> None:
    """Folding a folded text changes nothing, whatever the characters."""
    assert fold(fold(text)) == fold(text)


@given(HOSTILE)
@settings(max_examples=200, deadline=None)
def test_fold_ignores_what_a_prompt_changes(text: str) -> None:
    """A page as it stands in a prompt (cleaned, shielded) folds like the stored page, so what is copied is found."""
    assert fold(clean(text)) == fold(text)
    assert fold(shield("</page> " + text)) == fold("</page> " + text)


@given(HOSTILE)
@settings(max_examples=200, deadline=None)
def test_folded_maps_each_word_into_the_text(text: str) -> None:
    """Words, text and offsets agree: as many of each, in order, inside the original."""
    page = folded(text)
    assert page.text == fold(text) == " ".join(page.words)
    assert len(page.words) == len(page.starts) == len(page.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(page.starts, page.ends, strict=True))
    assert list(page.starts) == sorted(page.starts)


@given(st.text("abc 'é²½-\n.5\u00ad", max_size=30))
@settings(max_examples=300, deadline=None)
def test_folded_offsets_lead_to_the_same_word(text: str) -> None:
    """The original between a word's offsets folds to that word."""
    page = folded(text)
    assert [fold(text[s:e]) for s, e in zip(page.starts, page.ends, strict=True)] == list(page.words)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("inter-\nnational", "international"),
        ("inter-  \r\n  national", "international"),
        ("inter\u00ad\nnational", "international"),
        ("co\u00adop\u200beration", "cooperation"),
        ("in 1962.", "in 1962"),
        ("1962, then", "1962 then"),
        ("“It’s” — he said", "\"It's\" -- he said"),
        ("| **Paris** | `2.1` |", "Paris 2.1"),
        ("# Title\n+ item", "title item"),
        ("page one\fpage two", "page one page two"),
        ("ﬁne Ｆｕｌｌ", "fine full"),
        ("e\u0301tat", "ÉTAT"),
        ("−5 °C", "-5 C"),
        ("1990–1995", "1990-1995"),
        ("wait…5 years", "wait... 5 years"),
        ("don´t", "don't"),
        ("Straße", "STRASSE"),
    ],
)
def test_fold_treats_as_same(a: str, b: str) -> None:
    """Typography, layout and case do not count."""
    assert same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("C", "C++"), ("C", "C#"), ("C++", "C#"), ("1.5", "15"), ("-5", "5"), ("1,234", "1234"), ("50%", "50"),
        ("10²", "102"), ("3½", "31/2"), ("1962¹", "19621"), ("10:30", "1030"), (".5", "5"), ("Zürich", "Zurich"),
        ("not true", "true"), ("2020-01-15", "20200115"),
    ],
)  # fmt: skip
def test_fold_keeps_apart(a: str, b: str) -> None:
    """What makes another number or another name counts."""
    assert not same(a, b)


def test_words_of_a_script_without_spaces_are_its_characters() -> None:
    """A part of a Chinese sentence can be found, because each character is a word."""
    assert words("2015年，北京") == ("2015", "年", "北", "京")


def test_find_matches_whole_words_only() -> None:
    """A phrase is not found inside longer words, and every place is given."""
    page = folded("a cat, a catalogue; a cat")
    assert list(page.find("a cat")) == [(0, 2), (4, 6)]
    assert list(page.find("")) == []


def test_terms_leave_out_stop_words_but_not_negations() -> None:
    """`not` and `no` turn a query into another one, so they are terms."""
    assert terms("The capital is not in the North, no?") == {"capital", "not", "north", "no"}
    assert not STOP_WORDS & {"not", "no"}
    assert all(fold(word) == word for word in STOP_WORDS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1234.5", "1,234.5"), ("1234.5", "1 234.5"), ("1234.5", "1'234.5"), ("1234.5", "1\u202f234.50"),
        ("1234.5", "$1,234.50."), ("1234567.89", "1.234.567,89"), ("3.14", "etwa 3,14"), ("12", "12.00"),
        ("12.0", "12"), ("50", "50%"), ("-5", "−5 °C"), ("-5", "-$5"), ("5", "+5"), ("1995", "1990–1995"),
        ("1962", "mid-1962."), ("15", "2020-01-15"), ("2020", "am 15.03.2020"), ("5", "5km"), ("0.5", ".5"),
        ("10", "10² m"), ("15", "the 15th"), ("1962", "1962¹"), ("7", "Ⅶ or ７"), ("1,234", "1234"),
        ("blue", "It was Blue."), ("5", "'5'"),
    ],
)  # fmt: skip
def test_value_in_finds(value: str, text: str) -> None:
    """A value is found however a page groups, signs or pads it."""
    assert value_in(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("15", "1.5"), ("15", "2015"), ("15", "150"), ("5", "1.5"), ("5", "-5"), ("-5", "5"), ("234", "1,234"),
        ("102", "10²"), ("2", "v1.2.3"), ("1", "1e5"), ("3", "B3"), ("1234", "1,23,4"), ("blue", "bluer"), ("", "x"),
        ("234.5", "1\u00a0234.5"),
    ],
)  # fmt: skip
def test_value_in_does_not_find(value: str, text: str) -> None:
    """A part of another number is not the value."""
    assert not value_in(value, text)


@given(st.decimals(-(10**9), 10**9, places=2, allow_nan=False))
@settings(max_examples=100, deadline=None)
def test_value_in_finds_any_grouped_decimal(value: object) -> None:
    """Python's own grouping of a decimal is read back."""
    assert value_in(str(value), f"about {value:,} units")


@given(HOSTILE)
@settings(max_examples=200, deadline=None)
def test_numbers_are_canonical(text: str) -> None:
    """Each number found is the only number of its own text: normal form is stable."""
    assert all(numbers(one) == (one,) for one in numbers(text))


@pytest.mark.parametrize(
    "text",
    [
        "The quick fox didn't stop in 1962 – ever; it ran 1,234.5 miles (roughly). " * 2700,
        "'" * 200_000, "-\n" * 100_000, "1." * 100_000, "e" + "\u0301" * 200_000, "\x00é" * 100_000,
        "快速的棕色狐狸，" * 25_000, "1 000 " * 33_000, "[" * 200_000,
    ],
    ids=["prose", "quotes", "hyphens", "dots", "marks", "controls", "chinese", "groups", "brackets"],
)  # fmt: skip
def test_fold_and_numbers_stay_fast(text: str) -> None:
    """Four times the text takes about four times the processor time, not sixteen times, up to 200 kB of anything."""
    quarter, whole = _seconds(text[: len(text) // 4]), _seconds(text)
    assert whole < 10 * quarter + 0.1, (quarter, whole)


def _seconds(text: str) -> float:
    """Processor time of folding and reading numbers, the better of two runs."""
    spent = []
    for _ in range(2):
        begin = time.process_time()
        fold(text)
        numbers(text)
        spent.append(time.process_time() - begin)
    return min(spent)
