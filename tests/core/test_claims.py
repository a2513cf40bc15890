"""The ledger: ids, equal claims, links, statuses, and the one rule for VERIFIED."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from investigator.core.claims import (
    Claim,
    ClaimLink,
    Ledger,
    SourceLink,
    add_claim,
    add_source,
    equal_claim,
    link_source,
    missing_for_verified,
    origins,
    set_status,
    supports_that_count,
)
from investigator.core.ids import ROOT, SourceId
from investigator.core.limits import Limits
from investigator.core.vocab import Actor, ClaimKind, ClaimStatus, LinkStatus, Stance

U, V, R, X = ClaimStatus.UNVERIFIED, ClaimStatus.VERIFIED, ClaimStatus.REFUTED, ClaimStatus.RETRACTED
QUOTE = "the bridge was opened to traffic in 1962"
TOLD = {
    "s_001": f"An old guide for walkers and riders of the northern valleys says {QUOTE} after many years of quarrel "
    "and delay in the county, and that the ferry man drowned his sorrows.",
    "s_002": f"Minutes of the council, volume nine, hold that {QUOTE}; the ribbon was cut by a mayor with a cold.",
    "s_003": f"Sheet four of the survey adds, in pencil and in another hand, that {QUOTE} when it rained for a week.",
}
TOLD["s_004"] = TOLD["s_001"].replace("An old guide", "The new guide")  # word for word what s_001 tells
DOMAINS = {"s_001": "a.org", "s_002": "b.org", "s_003": "a.org", "s_004": "d.org"}
PAGES = {f"page of {source}": text for source, text in TOLD.items()}


def ledger() -> Ledger:
    """Four sources: s_001 and s_003 share a domain, s_001 and s_004 a text."""
    made = Ledger()
    for source, domain in DOMAINS.items():
        made, added = add_source(made, url=f"https://{domain}/{source}", domain=domain, title="", published="",
                                 unit="line", at="t")  # fmt: skip
        assert added.id == source
    return made


def claimed(start: Ledger | None = None, text: str = "It opened in 1962.", **more: Any) -> tuple[Ledger, Claim]:
    told = {"kind": ClaimKind.CLAIM, "value": "", "unit": "", "question_id": ROOT, "note": "", **more}
    made, claim, _ = add_claim(start or ledger(), text=text, actor=Actor.AGENT, at="t", **told)
    return made, claim


def link(source: str, *, located: bool = True, **more: Any) -> SourceLink:
    start = TOLD[source].index(QUOTE) if located else -1
    end = start + len(QUOTE) if located else -1
    told = {"stance": Stance.SUPPORTS, "independent": True, **more}
    return SourceLink(source_id=SourceId(source), quote=QUOTE, page_sha256=f"page of {source}", start=start, end=end,
                      **told)  # fmt: skip


def verifiable(*links: SourceLink, checks: tuple[tuple[str, str], ...] = (("ch_001", "survived"),)) -> Claim:
    _, claim = claimed()
    for one in links:
        claim = link_source(claim, one)
    return replace(claim, checks=checks)


def test_a_source_stands_once_for_a_url() -> None:
    """The same canonical url is the source that is known; another one is new, also of the same domain."""
    start = ledger()
    again, known = add_source(start, url="https://a.org/s_001", domain="other.org", title="T", published="", unit="",
                              at="t")  # fmt: skip
    assert again is start
    assert (known.id, known.domain) == ("s_001", "a.org")
    assert start.source_of("https://a.org/nothing") is None


def test_claims_and_datapoints_are_numbered_apart() -> None:
    """Each kind has its ids, and each begins UNVERIFIED with its first transition."""
    made, first = claimed()
    made, point = claimed(made, "Piers", kind=ClaimKind.DATAPOINT, value="85")
    made, claim, transition = add_claim(made, kind=ClaimKind.CLAIM, text="Another", value="", unit="", question_id=ROOT,
                                        note="", actor=Actor.HUMAN, at="t")  # fmt: skip
    assert [first.id, point.id, claim.id] == ["c_001", "d_001", "c_002"]
    assert (transition.seq, transition.from_status, transition.to_status, transition.actor) == (1, "", U, Actor.HUMAN)
    assert (claim.status, claim.trans_seq) == (U, 1)


@pytest.mark.parametrize(
    ("kind", "text", "value", "unit", "found"),
    [
        (ClaimKind.CLAIM, "it OPENED, in 1962", "", "", True),
        (ClaimKind.CLAIM, "It opened in 1963.", "", "", False),
        (ClaimKind.DATAPOINT, "It opened in 1962.", "", "", False),
        (ClaimKind.DATAPOINT, "length!", "412", "Metres", True),
        (ClaimKind.DATAPOINT, "length", "412.0", "metres", False),
        (ClaimKind.DATAPOINT, "length", "412", "feet", False),
        (ClaimKind.CLAIM, "length", "412", "metres", False),
    ],
)
def test_equal_claims_say_the_same_after_folding(
    kind: ClaimKind, text: str, value: str, unit: str, found: bool
) -> None:
    """Of one kind, in words; of a datapoint value and unit too."""
    made, _ = claimed()
    made, _ = claimed(made, "Length", kind=ClaimKind.DATAPOINT, value="412", unit="metres")
    assert (equal_claim(made, kind, text, value, unit) is not None) is found


@pytest.mark.parametrize("status", [R, X])
def test_a_dead_claim_equals_nothing(status: ClaimStatus) -> None:
    """REFUTED and RETRACTED are final: the same words are a new claim."""
    made, claim = claimed()
    made, _ = set_status(made, claim.id, status, actor=Actor.AGENT, reason="", caused_by="", at="t")
    assert equal_claim(made, ClaimKind.CLAIM, claim.text, "", "") is None
    assert not made.claims[claim.id].live


@pytest.mark.parametrize(("start", "end"), [(U, V), (V, U), (U, R), (U, X), (V, R), (V, X), (R, X)])
def test_a_status_moves_and_is_told(start: ClaimStatus, end: ClaimStatus) -> None:
    """Each move is a row that begins where the last one ended."""
    made, claim = claimed()
    if start is not U:
        made, _ = set_status(made, claim.id, start, actor=Actor.AGENT, reason="", caused_by="", at="t")
    made, told = set_status(made, claim.id, end, actor=Actor.CODE, reason="why", caused_by="ch_001", at="later")
    moved = made.claims[claim.id]
    assert (moved.status, moved.updated_at, moved.trans_seq) == (end, "later", told.seq)
    assert (told.from_status, told.to_status, told.reason, told.caused_by) == (start, end, "why", "ch_001")


@pytest.mark.parametrize(("start", "end"), [(R, U), (R, V), (R, R), (X, U), (X, V), (X, R), (X, X)])
def test_a_final_status_is_never_left(start: ClaimStatus, end: ClaimStatus) -> None:
    """It is a bug of the caller: it raises, and nothing happens."""
    made, claim = claimed()
    made, _ = set_status(made, claim.id, start, actor=Actor.AGENT, reason="", caused_by="", at="t")
    with pytest.raises(ValueError, match=f"{claim.id} is {start}, which is final"):
        set_status(made, claim.id, end, actor=Actor.AGENT, reason="", caused_by="", at="t")
    assert made.claims[claim.id].status is start


def test_a_second_link_of_a_source_replaces_the_first_in_its_place() -> None:
    """One link a source; a declaration of independence and a located quote are not lost."""
    claim = verifiable(link("s_001", why="own survey"), link("s_002"))
    located = link_source(claim, link("s_001", located=False, independent=False, stance=Stance.CONTRADICTS))
    assert [one.source_id for one in located.links] == ["s_001", "s_002"]
    assert located.links[0] == claim.links[0]
    again = link_source(claim, link("s_001", independent=False, stance=Stance.CONTRADICTS))
    assert (again.links[0].stance, again.links[0].independent, again.links[0].why) == (
        Stance.CONTRADICTS, True, "own survey",
    )  # fmt: skip
    assert claim.link("s_009") is None


def test_linked_sources_are_those_of_claims_that_are_not_retracted() -> None:
    """A REFUTED claim still counts for what was read, a RETRACTED one does not."""
    made, claim = claimed()
    made = made.with_claim(link_source(claim, link("s_002")))
    made, other = claimed(made, "Another.")
    made = made.with_claim(link_source(other, link("s_001")))
    made, _ = set_status(made, other.id, R, actor=Actor.AGENT, reason="", caused_by="", at="t")
    assert [one.id for one in made.linked_sources()] == ["s_001", "s_002"]
    made, _ = set_status(made, other.id, X, actor=Actor.AGENT, reason="", caused_by="", at="t")
    assert [one.id for one in made.linked_sources()] == ["s_002"]


def test_open_contradictions_are_open_and_contradict() -> None:
    """Support between claims and addressed contradictions hold no gate."""
    made, claim = claimed()
    made, other = claimed(made, "Another.")
    rows = {"claim_id": claim.id, "other_id": other.id}
    for kind, status, opens in (
        (Stance.CONTRADICTS, LinkStatus.OPEN, 1),
        (Stance.CONTRADICTS, LinkStatus.ADDRESSED, 0),
        (Stance.SUPPORTS, LinkStatus.OPEN, 0),
    ):
        assert len(made.with_link(ClaimLink(**rows, kind=kind, status=status)).open_contradictions()) == opens


def missing(claim: Claim, **limits: Any) -> tuple[str, ...]:
    made = ledger().with_claim(claim)
    return missing_for_verified(made, claim, PAGES, Limits(**limits))


def test_two_origins_and_a_survived_challenge_verify() -> None:
    """Two domains, two texts, both quoted, the second declared: nothing is missing."""
    assert missing(verifiable(link("s_001", independent=False), link("s_002"))) == ()


@pytest.mark.parametrize(
    ("links", "count", "why"),
    [
        ((), 0, ""),
        ((link("s_001"),), 1, ""),
        ((link("s_001"), link("s_002", independent=False)), 1, "independence not declared: s_002"),
        ((link("s_001"), link("s_002", located=False)), 1, "without located quote: s_002"),
        ((link("s_001"), link("s_003")), 1, "one voice (same domain or shared text): s_001, s_003"),
        ((link("s_001"), link("s_004")), 1, "one voice (same domain or shared text): s_001, s_004"),
        ((link("s_001"), link("s_002", stance=Stance.CONTRADICTS)), 1, ""),
        ((link("s_001", located=False), link("s_002", independent=False)), 1,
         "without located quote: s_001; independence not declared: s_002"),
    ],
)  # fmt: skip
def test_too_few_origins_say_why(links: tuple[SourceLink, ...], count: int, why: str) -> None:
    """Each reason why a support does not count stands in the sentence, so that it can be mended."""
    (told,) = missing(verifiable(*links))
    origins = f"{count} independent origin{'' if count == 1 else 's'}"
    assert told == f"c_001 has {origins} with a located quote, 2 are needed" + (
        f" ({why})" if why else ""
    )


def test_a_retracted_source_speaks_for_nothing() -> None:
    """Nor does a page whose near-copy says otherwise, nor that copy."""
    claim = verifiable(link("s_001"), link("s_002"))
    made = ledger().with_claim(claim)
    made = made.with_source(replace(made.sources["s_002"], retracted="a forgery"))
    counted = supports_that_count(made, claim, PAGES, Limits())
    assert [one.source_id for one in counted] == ["s_001"]
    copied = link_source(claim, link("s_004", stance=Stance.CONTRADICTS, why="altered copy of s_001"))
    counted = supports_that_count(ledger().with_claim(copied), copied, PAGES, Limits())
    assert [one.source_id for one in counted] == ["s_002"]


def test_limits_change_what_counts() -> None:
    """Without require_quotes unlocated links count; without text_independence shared text is two voices."""
    unquoted = verifiable(link("s_001", located=False), link("s_002", located=False))
    assert missing(unquoted) != ()
    assert missing(unquoted, require_quotes=False) == ()
    copied = verifiable(link("s_001"), link("s_004"))
    assert missing(copied, text_independence=False) == ()
    made = ledger().with_claim(copied)
    assert origins(made, copied, PAGES, Limits()) == (("s_001", "s_004"),)
    assert missing(verifiable(link("s_001")), min_independent_sources=1) == ()


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        ((), ["c_001 survived 0 challenges, 1 needed"]),
        (("inconclusive", "weakened"), ["c_001 survived 0 challenges, 1 needed"]),
        (("weakened", "survived"), []),
        (("survived", "refuted"), ["c_001 has a challenge that refuted it"]),
        (("refuted",), ["c_001 survived 0 challenges, 1 needed", "c_001 has a challenge that refuted it"]),
    ],
)
def test_only_survived_challenges_count_and_a_refuted_one_bars(outcomes: tuple[str, ...], told: list[str]) -> None:
    """Weakened and inconclusive ones neither help nor harm."""
    checks = tuple((f"ch_{number:03d}", outcome) for number, outcome in enumerate(outcomes, 1))
    assert list(missing(verifiable(link("s_001"), link("s_002"), checks=checks))) == told


def test_everything_that_is_missing_is_told_at_once() -> None:
    """Three sentences for a claim that has nothing but a refutation."""
    assert len(missing(verifiable(checks=(("ch_001", "refuted"),)))) == 3
    assert missing(verifiable(link("s_001"), link("s_002"), checks=()), min_challenges=0) == ()
