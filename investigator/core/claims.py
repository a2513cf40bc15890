"""The claim ledger: claims, sources, the links between them, and the moves on them.

Knows nothing of tools, turns or prompts. A move returns the new ledger and the status changes it made, or a `Refusal`.
Whether a claim may be VERIFIED is decided in one place: `missing_for_verified`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from investigator.core import evidence
from investigator.core.blocks import counted
from investigator.core.ids import ClaimId, QuestionId, SourceId, next_claim_id, next_datapoint_id, next_source_id
from investigator.core.limits import Limits
from investigator.core.text import fold
from investigator.core.values import replace
from investigator.core.vocab import Actor, ClaimKind, ClaimStatus, LinkStatus, Outcome, Stance

NOTHING_RELEVANT = "read, nothing relevant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place that was read. One per canonical url; ``unit`` names places in its text to a person."""

    id: SourceId
    url: str
    domain: str
    title: str = ""
    note: str = ""
    published: str = ""
    retracted: str = ""
    unit: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLink:
    """What a source says of a claim. ``start`` and ``end`` place the quote in the page's text; -1: not located."""

    source_id: SourceId
    stance: Stance
    quote: str = ""
    page_sha256: str = ""
    start: int = -1
    end: int = -1
    independent: bool = False
    why: str = ""
    created_at: str = ""

    @property
    def located(self) -> bool:
        return self.start >= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One atomic assertion. ``value`` is a decimal string, only on datapoints; ``checks`` are (challenge, outcome)."""

    id: ClaimId
    kind: ClaimKind
    text: str
    value: str = ""
    unit: str = ""
    status: ClaimStatus = ClaimStatus.UNVERIFIED
    question_id: QuestionId
    note: str = ""
    links: tuple[SourceLink, ...] = ()
    checks: tuple[tuple[str, str], ...] = ()
    created_at: str = ""
    updated_at: str = ""
    trans_seq: int = 0

    @property
    def live(self) -> bool:
        """Neither REFUTED nor RETRACTED: it may still be relied on."""
        return self.status in (ClaimStatus.UNVERIFIED, ClaimStatus.VERIFIED)

    def link(self, source_id: str) -> SourceLink | None:
        for one in self.links:
            if one.source_id == source_id:
                return one
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLink:
    """One claim speaks for or against another. An open contradiction holds the exploration gate shut."""

    claim_id: ClaimId
    other_id: ClaimId
    kind: Stance
    status: LinkStatus = LinkStatus.OPEN
    text: str = ""
    question_id: str = ""
    created_at: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return (self.claim_id, self.other_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTransition:
    """One change of a claim's status; never updated afterwards."""

    claim_id: ClaimId
    seq: int
    from_status: str
    to_status: ClaimStatus
    actor: Actor
    reason: str = ""
    caused_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All claims, sources and links of a run."""

    claims: Mapping[str, Claim] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    links: Mapping[tuple[str, str], ClaimLink] = field(default_factory=dict)

    def source_of(self, url: str) -> Source | None:
        return next((one for one in self.sources.values() if one.url == url), None)

    def linked_sources(self) -> tuple[Source, ...]:
        """Sources that a claim which is not RETRACTED links; these count for the gate."""
        ids = {
            link.source_id
            for claim in self.claims.values()
            if claim.status is not ClaimStatus.RETRACTED
            for link in claim.links
        }
        return tuple(one for one in self.sources.values() if one.id in ids)

    def open_contradictions(self) -> tuple[ClaimLink, ...]:
        return tuple(
            one for one in self.links.values() if one.kind is Stance.CONTRADICTS and one.status is LinkStatus.OPEN
        )

    def with_claim(self, claim: Claim) -> Ledger:
        return replace(self, claims={**self.claims, claim.id: claim})

    def with_source(self, source: Source) -> Ledger:
        return replace(self, sources={**self.sources, source.id: source})

    def with_link(self, link: ClaimLink) -> Ledger:
        return replace(self, links={**self.links, link.key: link})


def add_source(
    ledger: Ledger, *, url: str, domain: str, title: str, published: str, unit: str, at: str
) -> tuple[Ledger, Source]:
    """The source of this canonical url, made if it is new."""
    known = ledger.source_of(url)
    if known is not None:
        return ledger, known
    source = Source(
        id=next_source_id(ledger.sources),
        url=url,
        domain=domain,
        title=title,
        published=published,
        unit=unit,
        created_at=at,
    )
    return ledger.with_source(source), source


def equal_claim(ledger: Ledger, kind: ClaimKind, text: str, value: str, unit: str) -> Claim | None:
    """A live claim of this kind that says the same after folding (a datapoint: value and unit too)."""
    said, measured = fold(text), fold(unit)
    for claim in ledger.claims.values():
        if claim.kind is not kind or not claim.live or fold(claim.text) != said:
            continue
        if kind is ClaimKind.CLAIM or (claim.value == value and fold(claim.unit) == measured):
            return claim
    return None


def add_claim(
    ledger: Ledger,
    *,
    kind: ClaimKind,
    text: str,
    value: str,
    unit: str,
    question_id: QuestionId,
    note: str,
    actor: Actor,
    at: str,
) -> tuple[Ledger, Claim, ClaimTransition]:
    """A new UNVERIFIED claim, with an id of its kind."""
    new_id = next_claim_id(ledger.claims) if kind is ClaimKind.CLAIM else next_datapoint_id(ledger.claims)
    claim = Claim(
        id=new_id,
        kind=kind,
        text=text,
        value=value,
        unit=unit,
        question_id=question_id,
        note=note,
        created_at=at,
        updated_at=at,
        trans_seq=1,
    )
    first = ClaimTransition(claim_id=new_id, seq=1, from_status="", to_status=claim.status, actor=actor)
    return ledger.with_claim(claim), claim, first


def link_source(claim: Claim, link: SourceLink) -> Claim:
    """The claim with this link; an earlier link of the same source is replaced, unless only the old one is located."""
    old = claim.link(link.source_id)
    if old is not None and old.located and not link.located:
        link = replace(old, independent=old.independent or link.independent, why=old.why or link.why)
    elif old is not None:
        link = replace(link, independent=old.independent or link.independent, why=link.why or old.why)
    kept = tuple(link if one.source_id == link.source_id else one for one in claim.links)
    return replace(claim, links=kept if old is not None else (*claim.links, link))


def set_status(
    ledger: Ledger, claim_id: str, status: ClaimStatus, *, actor: Actor, reason: str, caused_by: str, at: str
) -> tuple[Ledger, ClaimTransition]:
    """Change a claim's status. REFUTED and RETRACTED are final: leaving them is a bug of the caller."""
    claim = ledger.claims[claim_id]
    if not claim.live and not (claim.status is ClaimStatus.REFUTED and status is ClaimStatus.RETRACTED):
        raise ValueError(f"{claim_id} is {claim.status}, which is final")
    moved = replace(claim, status=status, updated_at=at, trans_seq=claim.trans_seq + 1)
    transition = ClaimTransition(
        claim_id=claim.id,
        seq=moved.trans_seq,
        from_status=claim.status,
        to_status=status,
        actor=actor,
        reason=reason,
        caused_by=caused_by,
    )
    return ledger.with_claim(moved), transition


def supports_that_count(
    ledger: Ledger, claim: Claim, pages: Mapping[str, str], limits: Limits
) -> tuple[evidence.Support, ...]:
    """The supporting links that count for verification: located (if quotes are required), source not retracted,
    the first one, or declared independent; and not an altered copy of a page that says otherwise.

    ``pages`` maps a page's sha256 to its text.
    """
    counted: list[evidence.Support] = []
    for link in claim.links:
        source = ledger.sources[link.source_id]
        if link.stance is not Stance.SUPPORTS or source.retracted or (limits.require_quotes and not link.located):
            continue
        if counted and not link.independent:
            continue
        spans = (evidence.Span(link.start, link.end),) if link.located else ()
        counted.append(
            evidence.Support(
                source_id=link.source_id, domain=source.domain, text=pages.get(link.page_sha256, ""), spans=spans
            )
        )
    return tuple(one for one in counted if not _altered_elsewhere(ledger, claim, one))


def _altered_elsewhere(ledger: Ledger, claim: Claim, support: evidence.Support) -> bool:
    """Whether a near-copy of this page with another value was found: then neither copy supports the claim."""
    return any(
        link.stance is Stance.CONTRADICTS and link.why == f"altered copy of {support.source_id}" for link in claim.links
    )


def origins(ledger: Ledger, claim: Claim, pages: Mapping[str, str], limits: Limits) -> tuple[tuple[str, ...], ...]:
    """Groups of source ids; the supports of one group are one voice."""
    return evidence.origins(supports_that_count(ledger, claim, pages, limits), limits.text_independence)


def missing_for_verified(ledger: Ledger, claim: Claim, pages: Mapping[str, str], limits: Limits) -> tuple[str, ...]:
    """What the claim lacks to be VERIFIED, one sentence each; empty: it may be. The only check for VERIFIED."""
    missing = []
    groups = origins(ledger, claim, pages, limits)
    if len(groups) < limits.min_independent_sources:
        missing.append(
            f"{claim.id} has {counted(len(groups), 'independent origin')} with a located quote, "
            f"{limits.min_independent_sources} {'is' if limits.min_independent_sources == 1 else 'are'} needed"
            + _why_fewer(claim, groups)
        )
    survived = sum(outcome == Outcome.SURVIVED for _, outcome in claim.checks)
    if survived < limits.min_challenges:
        missing.append(f"{claim.id} survived {counted(survived, 'challenge')}, {limits.min_challenges} needed")
    if any(outcome == Outcome.REFUTED for _, outcome in claim.checks):
        missing.append(f"{claim.id} has a challenge that refuted it")
    return tuple(missing)


def _why_fewer(claim: Claim, groups: Sequence[Sequence[str]]) -> str:
    """Name the usual reasons, so that the model can mend them."""
    reasons = []
    supporting = [one for one in claim.links if one.stance is Stance.SUPPORTS]
    if any(not one.located for one in supporting):
        reasons.append("without located quote: " + ", ".join(one.source_id for one in supporting if not one.located))
    undeclared = [one.source_id for one in supporting[1:] if not one.independent]
    if undeclared:
        reasons.append("independence not declared: " + ", ".join(undeclared))
    shared = [group for group in groups if len(group) > 1]
    if shared:
        reasons.append("one voice (same domain or shared text): " + "; ".join(", ".join(group) for group in shared))
    return f" ({'; '.join(reasons)})" if reasons else ""
