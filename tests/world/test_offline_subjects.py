"""An answer's sentence speaks of what was asked, whatever words say the price or the start of it."""

from __future__ import annotations

import pytest

from investigator.world.offline.findings import PageText, answers

OFFICE = PageText(
    key="office", title="Home office", text="The company pays a one-off allowance of EUR 400 for furniture."
)
CARS = PageText(key="cars", title="Company cars", text="Of the list price at most EUR 48,000 may be paid.")
SERVICE = PageText(
    key="service", title="Render service", text="The maximum upload size is 250 MB. The maximum run time is 45 minutes."
)
CANTEEN = PageText(key="canteen", title="Canteen", text="A dish is EUR 6.50 for employees and EUR 9.80 for guests.")
NOTICE = PageText(
    key="notice", text="The cleaning contract with Reinhaus applies from 1 December 2025. It ends on 30 November 2027."
)
TABLE = PageText(
    key="table",
    title="Limits",
    text="| Item | Limit |\n|---|---|\n| Hotel, abroad | EUR 190 |\n| Breakfast | EUR 12 |\n",
)
BUDGET = PageText(
    key="budget", text="| Department | Budget 2026 (EUR) | Staff |\n| Sales | 120000 | 14 |\n| Support | 54000 | 6 |"
)
PAGES = [OFFICE, CARS, SERVICE, CANTEEN, NOTICE, TABLE, BUDGET]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What may a company car cost?", "EUR 48,000"),
        ("How much does a dish cost for guests?", "EUR 9.80"),
        ("What does a dish cost for employees?", "EUR 6.50"),
        ("When does the cleaning contract with Reinhaus start?", "1 December 2025"),
        ("When does the cleaning contract with Reinhaus begin?", "1 December 2025"),
        ("What is the limit for a hotel abroad?", "EUR 190"),
        ("What is the budget of Sales in 2026?", "120000"),
    ],
)
def test_answers_holds_the_subject_in_other_words(question: str, value: str) -> None:
    """Prices, starts and rows are found by their form; the subject may stand in the title alone."""
    assert answers(question, PAGES)[0].text == value


@pytest.mark.parametrize(
    "question",
    [
        "What is the maximum number of threads of the render service?",
        "How many bicycles may be parked at the canteen?",
        "What does the furniture of a car cost?",
    ],
)
def test_answers_is_silent_on_a_neighbour(question: str) -> None:
    """Another maximum, another thing that is counted and another price answer nothing."""
    assert [one for one in answers(question, PAGES) if one.score >= 0.5] == []


def test_stems_of_doubled_letters_meet() -> None:
    """British doubling is an inflection like another."""
    page = PageText(key="a", text="A maximum of 3 devices per person can be enrolled.")
    assert answers("How many devices can a person enrol?", [page])[0].text == "3 devices"
