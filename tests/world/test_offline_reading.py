"""The offline reader: what a question asks, which exact quote answers it, and when silence is right."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from investigator.core.challenges import STRATEGY_TERMS
from investigator.core.text import fold
from investigator.core.vocab import Strategy
from investigator.world.offline.questions import Kind, analyse, expand, negated, queries, split
from investigator.world.offline.reading import PageText, answers, candidates, passages, quotes, relation, sentence_for
from investigator.world.offline.sentences import split as pieces
from investigator.world.offline.values import scan

LEAVE = """# Leave policy
Valid from 1 March 2024.

## Parental leave
Employees get 16 weeks of paid parental leave. It can be taken in two
blocks within the first year.

## Annual leave
- Full-time employees receive 28 days of annual leave.
- Unused days expire on 31 March of the following year, except in case of illness.
"""
OLD_LEAVE = """# Leave policy (archived, superseded)
Employees get 10 weeks of paid parental leave.
Full-time employees receive 25 days of annual leave.
"""
PRICES = """# Prices of Norvik Cloud
| Plan | Price per month | Storage | Support |
|------|------|-----|-----|
| Free | 0 € | 2 GB | none |
| Pro | {pro} € | 100 GB | e-mail |
| Business | 79 € | 1 TB | phone |
"""
MINUTES = """Minutes of the board meeting, 14 February 2025

Present: Ines Falk (chair), Tomas Brandt, Dr. Li Wei
The budget for 2025 of €4.2 million was approved by the board. Ines Falk will
succeed Peter Holm as chief executive on 1 April 2025. The Oslo office will be closed
at the end of June; its 14 employees move to Bergen.
"""
ABOUT = """Norvik Systems was founded in 2009 by Peter Holm and Anna Rist in Bergen. The company has 412 employees.
In 2023 revenue was €38.5 million, after €31 million in 2022.

Headquarters: Bergen, Norway
"""
BACKUP = """Backups are made every night at 02:00. Daily backups are kept for
30 days and monthly backups for 12 months. Restores must be
requested from the service desk. Customer data is not stored outside the EU.
Passwords must have at least 14 characters.
Private devices may not be connected to the internal network.
"""
DUMP = """Help on module conf

dump(obj, fp, *, indent=None, sort_keys=False, timeout=5.0)
    Write obj to fp. Raises ValueError for cycles.
"""
COMPANY = (
    PageText(key="leave", title="Leave policy", published="2024-03-01", text=LEAVE),
    PageText(key="leave-old", title="Leave policy (archive)", published="2019-01-01", text=OLD_LEAVE),
    PageText(key="prices", title="Price list", published="2025-01-10", text=PRICES.format(pro=29)),
    PageText(key="prices-2022", title="Price list 2022", published="2022-02-01", text=PRICES.format(pro=19)),
    PageText(key="minutes", title="Minutes of the board meeting", published="2025-02-14", text=MINUTES),
    PageText(key="about", title="About us", published="2024-06-01", text=ABOUT),
    PageText(key="backup", title="Backup policy", published="2024-09-01", text=BACKUP),
    PageText(key="conf", title="conf", text=DUMP),
)


@pytest.mark.parametrize(
    ("question", "kind", "entities"),
    [
        ("When was the Kansas City Southern Depot built?", Kind.DATE, ("Kansas City Southern Depot",)),
        ("In which state is Van Horn High School located?", Kind.PLACE, ("Van Horn High School",)),
        ('Who is the artist of the album "Giant Steps"?', Kind.PERSON, ("Giant Steps",)),
        ("How many days of leave do employees get?", Kind.NUMBER, ()),
        ("How much does the Pro plan cost?", Kind.MONEY, ("Pro",)),
        ("How long are backups kept?", Kind.DURATION, ()),
        ("Does zipfile support encryption?", Kind.YES_NO, ()),
        ("What is the default timeout of sqlite3.connect?", Kind.CODE, ("sqlite3.connect",)),
        ("What sport is Keith Butler associated with?", Kind.SORT, ("Keith Butler",)),
        ("How does logging.disable work?", Kind.TEXT, ("logging.disable",)),
    ],
)
def test_analyse_names_the_type_and_the_subject(question: str, kind: Kind, entities: tuple[str, ...]) -> None:
    """The type of the answer and the phrases that must stand in a document follow from the question's words."""
    asked = analyse(question)
    assert (asked.kind, asked.entities) == (kind, entities)


@pytest.mark.parametrize(
    ("objective", "parts"),
    [
        (
            "In what year did the Lisbon office of Acme open, and what did it replace?",
            ["In what year did the Lisbon office of Acme open?", "What did the Lisbon office of Acme replace?"],
        ),
        (
            "How does sqlite3 in Python handle transactions and autocommit?",
            ["How does sqlite3 in Python handle transactions?", "How does sqlite3 in Python handle autocommit?"],
        ),
        ("What is the height of Bonn and who is its mayor?", ["What is the height of Bonn?", "Who is Bonn's mayor?"]),
        ("Who founded Norvik Systems and when?", ["Who founded Norvik Systems?", "When was Norvik Systems founded?"]),
        ("When and where was George Grimes born?", ["When was George Grimes born?", "Where was George Grimes born?"]),
        ("What sport does Simon and Garfunkel play?", ["What sport does Simon and Garfunkel play?"]),
        ("What is the difference between load and loads?", ["What is the difference between load and loads?"]),
    ],
)
def test_split_makes_self_contained_questions(objective: str, parts: list[str]) -> None:
    """Each part names its subject; an atomic objective comes back as it is."""
    assert split(objective) == parts


def test_expand_plans_distinct_questions_that_name_the_subject() -> None:
    """Sub-questions are no near-duplicates and each says what it is about."""
    planned = expand("When was Acme Hall opened?", 6)
    assert len({fold(one) for one in planned}) == len(planned) == 6
    assert all("Acme Hall" in one for one in planned)


def test_queries_never_repeats_and_ends() -> None:
    """The ladder gives a new folded query every time, names the subject first, and ends with an empty text."""
    tried: list[str] = []
    while query := queries("When was Acme Hall opened?", tried):
        assert fold(query) not in {fold(one) for one in tried}
        tried.append(query)
        assert len(tried) < 60
    assert len(tried) >= 6
    assert "Acme Hall" in tried[0]


@pytest.mark.parametrize("strategy", list(Strategy))
def test_negated_adds_a_term_of_the_strategy_that_the_claim_lacks(strategy: Strategy) -> None:
    """The query holds the claim's subject and a strategy term the claim lacks, and differs when one was tried."""
    claim = "Acme Hall opened only in 1912, according to its original owner, and not before."
    first = negated(claim, strategy)
    second = negated(claim, strategy, [first])
    assert fold(first) != fold(second)
    for query in (first, second):
        assert "Acme Hall" in query
        padded, said = f" {fold(query)} ", f" {fold(claim)} "
        assert any(f" {term} " in padded and f" {term} " not in said for term in STRATEGY_TERMS[strategy])


@pytest.mark.parametrize(
    ("text", "kind", "normalised"),
    [
        ("on 3 May 1920", Kind.DATE, "1920-05-03"),
        ("on May 3rd, 1920", Kind.DATE, "1920-05-03"),
        ("since 1920-05-03", Kind.DATE, "1920-05-03"),
        ("in September 1920", Kind.DATE, "1920-09"),
        ("am 03.05.1920", Kind.DATE, "1920-05-03"),
        ("was $1.5 million", Kind.MONEY, "1500000 USD"),
        ("cost 1,200 euros", Kind.MONEY, "1200 EUR"),
        ("fell 4.50 per cent", Kind.PERCENT, "4.5 %"),
        ("takes thirty seconds", Kind.DURATION, "30 second"),
        ("has 2,500 people", Kind.NUMBER, "2500 people"),
        ("met Ludwig van Beethoven there", Kind.NAME, "ludwig van beethoven"),
        ("stood in Chester Springs, Pennsylvania.", Kind.PLACE, "chester springs pennsylvania"),
        ("use `BEGIN IMMEDIATE` here", Kind.CODE, "begin immediate"),
    ],
)
def test_scan_normalises_how_values_are_written(text: str, kind: Kind, normalised: str) -> None:
    """Spellings of a value meet in one normal form, at exact offsets."""
    found = [one for one in scan(text, frozenset({kind})) if one.normalised == normalised]
    assert found, scan(text)
    assert text[found[0].start : found[0].end] == found[0].text


def test_candidates_prefers_the_value_next_to_the_relation() -> None:
    """Of two dates, the one the relation word introduces leads."""
    found = candidates(analyse("When was Acme founded?"), "In 1950 Acme, which was founded in 1912, moved.")
    assert [one.normalised for one in found] == ["1912", "1950"]


def test_sentences_survive_abbreviations_wraps_and_tables() -> None:
    """Abbreviations and decimals end nothing, a wrapped sentence is one piece, rows know their titles."""
    text = "Dr. Li paid 3.5 % to St. Mary's, e.g. in May. It\nwas\flate.\n\n| Plan | Price |\n|--|--|\n| Pro | 29 € |\n"
    found = pieces(text)
    assert [text[one.start : one.end] for one in found] == [
        "Dr. Li paid 3.5 % to St. Mary's, e.g. in May.",
        "It\nwas\flate.",
        "| Pro | 29 € |",
    ]
    assert [(text[a:b], title) for a, b, title in found[2].cells if b > a] == [("Pro", "Plan"), ("29 €", "Price")]


@pytest.mark.parametrize(
    ("question", "value", "page"),
    [
        ("How many weeks of paid parental leave do employees get?", "16 weeks", "leave"),
        ("How many days of annual leave do full-time employees receive?", "28 days", "leave"),
        ("When do unused days of annual leave expire?", "31 March", "leave"),
        ("What does the Pro plan cost per month?", "29 €", "prices"),
        ("How much storage does the Business plan have?", "1 TB", "prices"),
        ("What support does the Business plan include?", "phone", "prices"),
        ("Who approved the budget for 2025?", "the board", "minutes"),
        ("How much is the budget for 2025?", "€4.2 million", "minutes"),
        ("Who will succeed Peter Holm as chief executive?", "Ines Falk", "minutes"),
        ("When will the Oslo office be closed?", "June", "minutes"),
        ("When was Norvik Systems founded?", "2009", "about"),
        ("How many employees does Norvik Systems have?", "412 employees", "about"),
        ("What was the revenue of Norvik Systems in 2022?", "€31 million", "about"),
        ("Where are the headquarters of Norvik Systems?", "Bergen, Norway", "about"),
        ("How long are daily backups kept?", "30 days", "backup"),
        ("How many characters must passwords have?", "14 characters", "backup"),
        ("What is the default of sort_keys in dump?", "False", "conf"),
    ],
)
def test_answers_finds_the_value_in_a_verbatim_quote(question: str, value: str, page: str) -> None:
    """The top finding of an answerable question is the value, quoted exactly from the page that states it."""
    best = answers(question, COMPANY)[0]
    text = next(one.text for one in COMPANY if one.key == best.best.key)
    assert (best.text, best.best.key) == (value, page)
    assert text[best.best.start : best.best.end] == best.best.quote
    assert value in best.best.quote
    assert len(best.best.quote.split()) <= 40


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is customer data stored outside the EU?", "no"),
        ("May private devices be connected to the internal network?", "no"),
        ("Are backups made every night?", "yes"),
    ],
)
def test_answers_tells_yes_from_no(question: str, said: str) -> None:
    """A yes/no question is answered by what a sentence affirms or denies."""
    assert answers(question, COMPANY)[0].normalised == said


@pytest.mark.parametrize(
    "question",
    [
        "What is the dress code?",
        "How many days of sick leave do employees get?",
        "Who is the head of marketing at Norvik Systems?",
        "What does the Enterprise plan cost per month?",
        "Where is the Paris office?",
        "How many employees does Brun Hall have?",
    ],
)
def test_answers_is_silent_where_no_page_answers(question: str) -> None:
    """Pages about something else yield no finding at all."""
    assert answers(question, COMPANY) == []


def test_answers_prefers_the_newer_page_and_names_the_superseded() -> None:
    """Where dated pages disagree on what changes, the newest leads, whatever order they come in."""
    for pages in (COMPANY, COMPANY[::-1]):
        best = answers("How many weeks of paid parental leave do employees get?", pages)[0]
        assert (best.text, best.published) == ("16 weeks", "2024-03-01")
        assert [one.key for one in best.superseded] == ["leave-old"]


def test_answers_settles_on_independent_pages_only() -> None:
    """Two texts of their own settle an answer; two copies of one text do not."""
    one = PageText(key="a", domain="a.test", text="Acme Hall in Bonn was opened in 1912 by the mayor.")
    other = PageText(key="b", domain="b.test", text="The history of Acme Hall begins when it was opened in 1912.")
    wire = "It seats nine hundred guests and stands on the site of the old mill by the river. " + one.text
    copies = [PageText(key=key, domain=f"{key}.test", text=wire + f" Edition {key}.") for key in "cd"]
    assert answers("When was Acme Hall opened?", [one, other])[0].settled
    copied = answers("When was Acme Hall opened?", copies)[0]
    assert (len(copied.supports), copied.origins, copied.settled) == (2, 1, False)


def test_answers_trusts_no_side_of_an_altered_copy() -> None:
    """A near-copy with another value takes the support from both, and neither is settled."""
    text = (
        "Acme Hall is a concert hall on the east bank of the river. It was opened in {year} by the mayor and the "
        "city council after six years of work on the site of the old mill, and it seats nine hundred guests."
    )
    pages = [PageText(key=key, text=text.format(year=year)) for key, year in (("a", 1912), ("b", 1921))]
    found = answers("When was Acme Hall opened?", pages)
    assert found
    assert all(not one.supports and one.disputed for one in found)


def test_answers_keeps_entities_of_one_name_apart() -> None:
    """Two towns of one name give two findings that are no rivals."""
    pages = [
        PageText(key="a", title="Pitt (Ohio)", text="Pitt is a town in Ohio. The population was 874 in 2010."),
        PageText(key="b", title="Pitt (Texas)", text="Pitt lies in Texas. Its population of 1,417 grew fast."),
    ]
    found = answers("What is the population of Pitt?", pages)
    assert {one.text.split()[0] for one in found} == {"874", "1,417"}
    assert all(not one.rivals for one in found)


def test_quotes_goes_round_the_pages() -> None:
    """The first quotes come from different pages before any page is quoted twice."""
    found = answers("How many days of annual leave do full-time employees receive?", COMPANY[:2], least=0.0)
    assert {one.key for one in quotes(found, 2)} == {"leave", "leave-old"}


@pytest.mark.parametrize(
    ("claim", "sentence", "bearing"),
    [
        ("The warranty lasts 24 months.", "The warranty lasts 36 months.", "contradicts"),
        (
            "The warranty lasts 24 months.",
            "The warranty lasts 24 months only if the device is registered.",
            "qualifies",
        ),
        ("The warranty lasts 24 months.", "A warranty lasting 24 months is given.", "supports"),
        ("Norvik Systems had 412 employees in 2023.", "In 2023 Norvik Systems employed 412 people.", "supports"),
        ("Norvik Systems had 412 employees in 2023.", "In 2023 Norvik Systems had 398 employees.", "contradicts"),
        ("Norvik Systems had 412 employees in 2023.", "Norvik Systems opened an office in Oslo.", "unrelated"),
        ("zipfile supports encryption.", "zipfile does not support encryption.", "contradicts"),
        ("Yellow Ticket was directed by Raoul Walsh.", "Yellow Ticket was directed by William Parke.", "contradicts"),
        ("The upload limit is 10 MB.", "Until 2019 the upload limit was 5 MB.", "qualifies"),
        ("Acme Hall opened in 1912.", "Brun Hall opened in 1920.", "unrelated"),
    ],
)
def test_relation_tells_how_a_sentence_bears_on_a_claim(claim: str, sentence: str, bearing: str) -> None:
    """Another value or a denial contradicts, a limiting word qualifies, another subject is unrelated."""
    assert relation(claim, sentence) == bearing


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        (
            "When was Norvik Systems founded?",
            "Norvik Systems was founded in 2009 by Peter Holm and Anna Rist in Bergen.",
        ),
        ("What does the Pro plan cost per month?", "Prices of Norvik Cloud – Plan: Pro; Price per month: 29 €"),
        ("How long are daily backups kept?", "Daily backups are kept for 30 days and monthly backups for 12 months."),
        ("How many employees does Norvik Systems have?", "Norvik Systems has 412 employees."),
    ],
)
def test_sentence_for_states_the_answer_on_one_line(question: str, statement: str) -> None:
    """The statement names the subject, holds the value and adds no word of its own."""
    assert sentence_for(question, answers(question, COMPANY)[0]) == statement


_PAGES = st.text(alphabet=st.sampled_from("aA b.|\n\f#-*`\"'(=1,9%€:?\t"), max_size=300)


@settings(max_examples=60, deadline=None)
@given(question=st.text(max_size=80), text=_PAGES)
@example(question="When was A born?", text="(" * 200)
@example(question="", text="")
def test_passages_quotes_exactly_whatever_it_reads(question: str, text: str) -> None:
    """On any text, every passage and value is an exact slice and every score lies in 0..1."""
    for asked in (question, f"What is the default of {question}?"):
        for one in passages(asked, text):
            assert text[one.start : one.end] == one.text
            assert 0 <= one.score <= 1
            assert all(text[value.start : value.end] == value.text for value in one.values)
        for finding in answers(asked, [PageText(key="a", text=text)], least=0.0):
            assert len(sentence_for(asked, finding)) <= 240
            assert "\n" not in sentence_for(asked, finding)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=120), other=st.text(max_size=120))
def test_questions_take_any_text(text: str, other: str) -> None:
    """Questions and claims from outside never raise."""
    assert split(text)
    assert len(expand(text, 4)) <= 4
    assert fold(queries(text, [other])) != fold(other) or not fold(other)
    assert relation(text, other) in ("supports", "contradicts", "qualifies", "unrelated")
    assert isinstance(negated(text, "scope_limits", [other]), str)


@pytest.mark.parametrize("hostile", ["Aa " * 33_000, "| a " * 25_000, "timeout=" * 12_000, '"' * 99_999])
def test_passages_reads_a_large_page_quickly(hostile: str) -> None:
    """A page of 100 kB takes well under a second of CPU, also one made to be slow."""
    start = time.process_time()
    passages("What is the default timeout of Aa?", hostile)
    assert time.process_time() - start < 2.0


def test_eval_reaches_the_numbers_of_the_design(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the half whose records were not read while tuning, little is settled wrongly and foreign pages get silence."""
    here = Path(__file__).resolve()
    data = next((one / "shared/data/ramdocs_dev.jsonl" for one in here.parents if (one / "shared/data").is_dir()), None)
    if data is None or not data.exists():
        pytest.skip("no shared data beside the project")
    monkeypatch.syspath_prepend(str(here.parent))
    import offline_eval

    records = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()][100:]
    tally = offline_eval.measure(records)
    assert tally.settled.wrong <= 3
    assert tally.settled.gold >= 10
    assert tally.settled.gold >= 0.75 * tally.settled.all
    assert tally.foreign <= 2
    assert tally.covered[8] >= 0.85 * tally.golds
