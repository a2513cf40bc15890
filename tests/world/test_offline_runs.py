"""The offline model in whole runs: invented worlds and small libraries, the reports read as their reader would."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from investigator.core.limits import Limits
from investigator.core.vocab import ClaimStatus
from investigator.core.wire import Failure, Hit, Hits, Page, Reply, Request, WorldFacts
from investigator.session import Investigation, investigate
from investigator.world.offline.model import OfflineModel
from investigator.world.offline.seeing import look
from investigator.world.synthetic.demo import DEMO_OBJECTIVE, demo_web


class Spy:
    """The offline model with everything it was asked and answered."""

    name = "offline"

    def __init__(self) -> None:
        self.model = OfflineModel()
        self.turns: list[tuple[Request, Reply]] = []

    def complete(self, asked: Request) -> Reply:
        reply = self.model.complete(asked)
        self.turns.append((asked, reply))
        return reply


class Library:
    """A web of a few pages; a search gives them all."""

    name = "library"

    def __init__(self, *pages: Page, broken: bool = False) -> None:
        self.pages, self.broken = pages, broken

    def facts(self) -> WorldFacts:
        return WorldFacts(name=self.name, pages=len(self.pages), domains=len({one.domain for one in self.pages}))

    def search(self, query: str, limit: int) -> Hits | Failure:
        if self.broken:
            return Failure(kind="unavailable", message="The search is down.")
        return Hits(
            hits=tuple(
                Hit(url=one.url, title=one.title, snippet=one.text[:200], domain=one.domain, published=one.published)
                for one in self.pages[:limit]
            )
        )

    def fetch(self, url: str) -> Page | Failure:
        return next((one for one in self.pages if one.url == url), Failure(kind="not_found", message="Not there."))

    def query(self, text: str) -> Failure:
        return Failure(kind="unavailable", message="There is none.")


def page(number: int, text: str, title: str = "", published: str = "") -> Page:
    url = f"https://site{number}.example/page"
    return Page(url=url, canonical_url=url, domain=f"site{number}.example", title=title, text=text, published=published)


def run(objective: str, web: object, loop: str = "investigative", **limits: Any) -> tuple[Investigation, Spy]:
    spy = Spy()
    inv = investigate(objective, loop=loop, model=spy, web=web, store="sqlite://", limits=Limits().replace(**limits))
    while inv.step() is not None:
        assert inv.turn <= 60
    return inv, spy


def section(report: str, name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", report, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""



@pytest.fixture(scope="module")
def demo() -> tuple[Investigation, Spy]:
    """The demo world, investigated once."""
    return run(DEMO_OBJECTIVE, demo_web())


def test_demo_run_ends_by_the_gate_with_turns_to_spare(demo: tuple[Investigation, Spy]) -> None:
    """Every check passes, the report is taken as it is, at most thirty turns are used."""
    inv, _ = demo
    assert (inv.state.status, inv.state.ending) == ("completed", "finalized")
    assert inv.turn <= 30
    assert not inv.state.repaired


def test_demo_report_answers_with_the_true_values(demo: tuple[Investigation, Spy]) -> None:
    """The early error stands refuted under Contradictions, and the cost that nobody gives under the gaps."""
    inv, _ = demo
    truth, report = demo_web().truth, inv.state.report
    summary = section(report, "Summary")
    for name in ("opening", "length", "cables"):
        assert truth.fact(name).value in summary
    assert truth.fact("opening").wrong_value not in summary
    assert truth.fact("opening").wrong_value in section(report, "Contradictions")
    assert "only if both approach viaducts" in summary
    assert "cost" in section(report, "Gaps and assumptions")


def test_demo_run_obeys_no_page(demo: tuple[Investigation, Spy]) -> None:
    """No forbidden address is asked for, and no page that commands is a source."""
    inv, spy = demo
    truth = demo_web().truth
    assert not any(one in call.arguments for _, reply in spy.turns for call in reply.calls for one in truth.forbidden)
    assert not {one.url for one in inv.state.ledger.linked_sources()} & set(truth.orders)


def test_demo_run_calls_only_what_is_offered(demo: tuple[Investigation, Spy]) -> None:
    """Each reply keeps to the tools of its request and calls at least one."""
    _, spy = demo
    for asked, reply in spy.turns:
        assert reply.calls
        assert {one.name for one in reply.calls} <= {one.name for one in asked.tools}


def test_run_prefers_the_later_value_and_names_the_older_one() -> None:
    """A tariff that was raised: the notice that supersedes is not taken for the superseded."""
    web = demo_web()
    inv, _ = run(web.truth.fact("toll").question, web)
    summary, toll = section(inv.state.report, "Summary"), web.truth.fact("toll")
    assert summary.index(toll.value) < summary.index(toll.stale_value)
    assert "superseded" in summary


def test_run_without_an_answer_says_so_cheaply() -> None:
    """No claim, no invention, and few turns."""
    inv, _ = run(
        "How many lions live near the Acme Bridge?",
        Library(page(1, "The Acme Bridge is long and grey.", "Acme Bridge")),
    )
    assert not inv.state.ledger.claims
    assert "No evidence found" in inv.state.report
    assert inv.turn <= 14


def test_run_verifies_what_two_independent_pages_say() -> None:
    """Two publishers, a survived challenge: VERIFIED, and cited without a caveat."""
    web = Library(
        page(1, "Acme Hall was opened in 1912 by the mayor. It has two towers.", "Acme Hall"),
        page(2, "The old mill burned down. In 1912 Acme Hall was opened on its ground.", "The mill"),
    )
    inv, _ = run("In what year was Acme Hall opened?", web)
    assert [one.status for one in inv.state.ledger.claims.values()] == [ClaimStatus.VERIFIED]
    assert "unverified" not in section(inv.state.report, "Summary")


def test_run_reads_long_pages_in_extraction_turns() -> None:
    """The value stands deep in a page above the threshold."""
    filler = "\n\n".join(f"Paragraph {n} tells of weather, of bread and of the river in spring." for n in range(120))
    inv, spy = run(
        "When was Acme Hall opened?", Library(page(1, f"{filler}\n\nAcme Hall was opened in 1912.", "Acme Hall"))
    )
    kinds = {look(asked).kind for asked, _ in spy.turns}
    assert "extraction" in kinds
    assert "1912" in section(inv.state.report, "Summary")


def test_run_answers_how_questions_in_several_sentences(tmp_path: Path) -> None:
    """Prose from documents, quoted; lines of code and links are no sentences."""
    (tmp_path / "guide.md").write_text(
        "# Widget cache\n\n[Widget cache](#x)\n\n    widget cache --clear\n\n"
        "The widget cache stores every page on disk. The widget cache is emptied by the clear command once a day.\n"
    )
    inv, _ = run("How does the widget cache store pages?", f"corpus:{tmp_path}")
    assert "stores every page on disk" in section(inv.state.report, "Summary")
    assert "--clear" not in inv.state.report
    assert not inv.state.repaired


def test_run_over_a_failing_search_ends() -> None:
    """Three failures end exploration; the report says that nothing was found."""
    inv, _ = run("When was Acme Hall opened?", Library(broken=True))
    assert inv.state.done
    assert "No evidence found" in inv.state.report


def test_simple_loop_answers_with_sources_in_brackets() -> None:
    """The baseline reads and answers in text."""
    inv, _ = run(
        "When was Acme Hall opened?", Library(page(1, "Acme Hall was opened in 1912.", "Acme Hall")), loop="simple"
    )
    assert "Acme Hall was opened in 1912 [s_001]." in inv.state.report
    assert inv.turn <= 4


def test_simple_loop_without_an_answer_says_no_evidence() -> None:
    """Silence is better than a guess."""
    inv, _ = run("Who owns Acme Hall?", Library(page(1, "Rain is wet.", "Rain")), loop="simple")
    assert "No evidence found" in inv.state.report


def test_demo_run_of_another_seed_finds_its_true_year() -> None:
    """Other names and numbers, the same plan: the model knows none of them."""
    web = demo_web(11)
    inv, _ = run(web.objective, web)
    opening = web.truth.fact("opening")
    assert opening.value in section(inv.state.report, "Summary")
    assert opening.wrong_value not in section(inv.state.report, "Summary")
