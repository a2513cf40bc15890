"""The demo, run once as a person runs it: a refutation, a weakened claim, a reopened question, a gap; all traceable."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import investigator as iv
from investigator import cli
from investigator.cli_results import happened
from investigator.core.wire import Page
from investigator.world.synthetic import SyntheticWeb, Truth, demo_web

ASKED = ("opening", "length", "cables")
HAPPENED = "What happened on the way:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What a person saw, and the run behind it."""

    code: int
    printed: str
    inv: iv.Investigation
    web: SyntheticWeb

    @property
    def truth(self) -> Truth:
        return self.web.truth

    @property
    def happened(self) -> list[str]:
        told = self.printed.partition(HAPPENED)[2].partition("Look further:")[0]
        return [one.removeprefix("- ") for one in told.strip().splitlines()]

    def section(self, name: str) -> str:
        return section(self.inv.state.report, name)

    def question(self, fact: str) -> str:
        """The id of the question that asks for a fact: the one that names its last telling word."""
        word = {"opening": "year", "length": "long", "cables": "cables", "cost": "cost"}[fact]
        asked = self.inv.questions[self.inv.questions.parent_id == "q_001"]
        return str(asked[asked.question.str.contains(word)].question_id.iloc[0])


def section(report: str, name: str) -> str:
    found = re.search(rf"(?ms)^## {name}\n(.*?)(?=^## |\Z)", report)
    return found[1].strip() if found else ""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """`investigator demo`, in this process."""
    store = str(tmp_path_factory.mktemp("demo") / "runs.db")
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = cli.main(["demo", "--store", store])
    with iv.open_run(1, store=store) as inv:
        yield Demo(code=code, printed=out.getvalue(), inv=inv, web=demo_web())


def test_demo_ends_by_the_gate_and_verifies(demo: Demo) -> None:
    """Exit code 0, finalized with the model's own report, and the log agrees with everything stored."""
    state = demo.inv.state
    assert (demo.code, state.status, state.ending, state.repaired) == (0, "completed", "finalized", False)
    assert demo.inv.verify() == []


def test_demo_refutes_the_early_year_by_a_challenge(demo: Demo) -> None:
    """A challenge of the first claim ends refuted while its question is open, and the claim is REFUTED for good."""
    claims, challenges = demo.inv.claims, demo.inv.challenges
    fact = demo.truth.fact("opening")
    (refuted,) = claims[(claims.status == "REFUTED") & (claims.question_id == demo.question("opening"))].claim_id
    assert fact.wrong_value in claims.set_index("claim_id").text[refuted]
    assert "refuted" in set(challenges[challenges.claim_id == refuted].outcome)


def test_demo_weakens_the_length(demo: Demo) -> None:
    """A challenge finds what the length holds for, and the summary says so."""
    weakened = demo.inv.challenges[demo.inv.challenges.outcome == "weakened"]
    assert len(weakened) == 1
    assert demo.truth.fact("length").value in weakened.belief.iloc[0]
    assert "only if both approach viaducts" in demo.section("Summary")


def test_demo_reopens_a_resolved_question_and_resolves_it_anew(demo: Demo) -> None:
    """Pages about the cost refute the cables: settling question answered, question reopened by code, resolved again."""
    question, moves = demo.question("cables"), demo.inv.transitions
    own = moves[moves.question_id == question].sort_values("seq")
    triggers = list(own.trigger)
    assert triggers[triggers.index("resolved") :] == ["resolved", "reopened", "selected", "resolved"]
    reopened = own[own.trigger == "reopened"].iloc[0]
    assert (reopened.from_status, reopened.actor) == ("resolved", "code")
    settling = demo.inv.questions.set_index("question_id").loc[reopened.caused_by]
    assert settling.status == "resolved"
    assert settling.question.startswith("Which holds:")
    claims = demo.inv.claims.set_index("claim_id")
    dead = claims[(claims.status == "REFUTED") & (claims.question_id == question)]
    assert [demo.truth.fact("cables").wrong_value in text for text in dead.text] == [True]
    changes = demo.inv.claim_transitions
    fallen = changes[(changes.claim_id == dead.index[0]) & (changes.to_status == "REFUTED")].iloc[0]
    assert fallen.turn > own[own.trigger == "resolved"].turn.iloc[0]
    answered = demo.inv.state.frontier.questions[question]
    assert demo.truth.fact("cables").value in answered.answer
    assert {claims.status[one] for one in answered.answer_claim_ids} == {"VERIFIED"}


def test_demo_leaves_the_cost_as_a_gap(demo: Demo) -> None:
    """The question that no page answers is unresolvable and named under the gaps, with a page that says why."""
    question = demo.question("cost")
    assert demo.inv.state.frontier.questions[question].status == "unresolvable"
    gaps = demo.section("Gaps and assumptions")
    assert re.search(rf"Not answered: How much [^\n]*\? \({question}\)", gaps)
    assert "no construction cost" in gaps


def test_demo_report_has_its_sections_and_true_values(demo: Demo) -> None:
    """Summary first, true values in it and no false one, each statement with its claim."""
    headings = re.findall(r"(?m)^## (.+)$", demo.inv.state.report)
    assert headings == [
        "Summary", "Details", "Contradictions", "Gaps and assumptions", "Status of the claims", "Sources", "Notices",
    ]  # fmt: skip
    summary, conflicts = demo.section("Summary"), demo.section("Contradictions")
    for name in ASKED:
        fact = demo.truth.fact(name)
        assert fact.value in summary
        assert not fact.wrong_value or (fact.wrong_value not in summary and fact.wrong_value in conflicts)
    assert demo.inv.state.report in demo.printed


def test_demo_citations_lead_to_quotes_in_pages(demo: Demo) -> None:
    """Every cited claim has a quote that stands, at the stored place, in the text of a page of the world."""
    report = demo.inv.state.report
    cited = {one for group in re.findall(r"\[((?:[cd]_\d+(?:, )?)+)\]", report) for one in group.split(", ")}
    assert len(cited) >= 5
    urls = demo.inv.sources.set_index("source_id").url
    links = demo.inv.claim_sources
    for claim in cited:
        quoted = links[(links.claim_id == claim) & (links.stance == "supports")]
        assert len(quoted), claim
        for link in quoted.itertuples():
            page = demo.web.fetch(urls[link.source_id])
            assert isinstance(page, Page)
            assert page.text[link.quote_start : link.quote_end] == link.quote
            assert link.quote in report
            assert page.url in report


def test_demo_tells_what_happened_in_plain_lines(demo: Demo) -> None:
    """One line for each refuted claim, reopened question, weakened claim and gap; no jargon, no doubled punctuation."""
    kinds = [one.partition(":")[0] for one in demo.happened]
    assert kinds == ["Refuted", "Refuted", "Reopened", "Weakened", "Gap"]
    for one in demo.happened:
        assert not re.search(r"[.?!;:,]\s?[.;:,]", one), one
        assert not re.search(r"[a-z]{2,}_[a-z]", one), one
    assert demo.truth.fact("cables").wrong_value in demo.happened[1]
    assert demo.truth.fact("cables").value in demo.happened[2]


def test_demo_obeys_no_page(demo: Demo) -> None:
    """The page that carries orders was read and is no source of any claim; where it leads was never asked for."""
    (orders,) = demo.truth.orders
    sources = demo.inv.sources.set_index("url").source_id
    assert orders in sources.index
    assert sources[orders] not in set(demo.inv.claim_sources.source_id)
    assert not demo.inv.attempts["query"].str.contains("evil.example", regex=False).any()


@pytest.mark.parametrize("seed", [1, 2])
def test_demo_worlds_of_other_seeds_are_found_out_as_well(seed: int, tmp_path: Path) -> None:
    """Other names and numbers, the same plan: finalized, true values in the summary, a question reopened."""
    web = demo_web(seed)
    with iv.investigate(web.objective, web=web, store=tmp_path / "runs.db") as inv:
        assert inv.run(progress=False)
        assert inv.state.ending == "finalized"
        summary = section(inv.state.report, "Summary")
        for name in ASKED:
            assert web.truth.fact(name).value in summary
        assert "reopened" in set(inv.transitions.trigger)


def test_what_happened_names_what_superseded_a_stale_page(tmp_path: Path) -> None:
    """A toll that was raised: the older value stands beside the later one, in one line."""
    web = demo_web()
    toll = web.truth.fact("toll")
    with iv.investigate(toll.question, web=web, store=tmp_path / "runs.db") as inv:
        inv.run(progress=False)
        (line,) = (one for one in happened(inv) if one.startswith("Superseded: "))
    assert line.index(toll.stale_value) < line.index("; later") < line.index(toll.value)
