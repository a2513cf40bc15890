"""Attacks on beliefs: which strategy suits which claim, the query of the attack, and what its search showed.

Knows claims, questions and read pages as the prompt shows them; must not know how questions are planned or settled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from investigator.core.blocks import PageBlock, one_line
from investigator.core.notes_text import ClaimRecord
from investigator.core.text import fold, words
from investigator.core.vocab import Outcome, Stance, Strategy
from investigator.world.offline.analysis import analyse, entity_stems
from investigator.world.offline.dating import older
from investigator.world.offline.findings import Finding, Support
from investigator.world.offline.lexicon import stem, word_set
from investigator.world.offline.passages import MOST_QUOTE_WORDS, Passage, clip
from investigator.world.offline.questions import negated, queries
from investigator.world.offline.recording import age, bearing, is_timeless, page_texts, value_of
from investigator.world.offline.seeing import Move, Sight
from investigator.world.offline.sentences import split
from investigator.world.offline.values import typed

_S = Strategy
# More than one word of the strategy: a page that doubts says at least one of them.
_WORDS = {
    _S.DIRECT_NEGATION: "false wrong myth",
    _S.COUNTEREXAMPLE: "exception except failed",
    _S.ALTERNATIVE_EXPLANATION: "actually instead",
    _S.NEWER_EVIDENCE: "corrected revised latest superseded",
    _S.SCOPE_LIMITS: "only unless limit",
    _S.SOURCE_CRITIQUE: "criticism bias methodology",
    _S.INDEPENDENT_ORIGIN: "original primary reported",
}
_PAST = (_S.DIRECT_NEGATION, _S.NEWER_EVIDENCE, _S.INDEPENDENT_ORIGIN, _S.SOURCE_CRITIQUE, _S.ALTERNATIVE_EXPLANATION)
_VALUE = (_S.NEWER_EVIDENCE, _S.SCOPE_LIMITS, _S.DIRECT_NEGATION, _S.INDEPENDENT_ORIGIN, _S.ALTERNATIVE_EXPLANATION)
_RULE = (_S.COUNTEREXAMPLE, _S.SCOPE_LIMITS, _S.NEWER_EVIDENCE, _S.DIRECT_NEGATION, _S.ALTERNATIVE_EXPLANATION)
_EXPECTED = {
    _S.DIRECT_NEGATION: "a document that denies it or calls it false",
    _S.COUNTEREXAMPLE: "a case in which it does not hold",
    _S.ALTERNATIVE_EXPLANATION: "a document that gives another account of the same thing",
    _S.NEWER_EVIDENCE: "a later document that corrects, revises or supersedes it",
    _S.SCOPE_LIMITS: "a document that lets it hold only under a condition",
    _S.SOURCE_CRITIQUE: "criticism of where it comes from",
    _S.INDEPENDENT_ORIGIN: "a document of another origin that says otherwise",
}
_CORRECTS = re.compile(
    r"\b(?:corrected|correction|false|actually|in fact|myth|erroneous(?:ly)?|mistaken(?:ly)?|contrary)\b", re.I
)
_SCOPE_WORDS = word_set("only unless except excluding limited provided")
SCOPE_OF = "scope of "


def strategies(question: str) -> tuple[Strategy, ...]:
    """Strategies for a belief that answers the question, the most telling first.

    >>> strategies("In what year did Acme Hall open?")[0].value, strategies("What is the toll for a car?")[0].value
    ('direct_negation', 'newer_evidence')
    """
    if not typed(analyse(question)):
        return _RULE
    return _PAST if is_timeless(question) else _VALUE


def left(sight: Sight, order: Sequence[Strategy]) -> tuple[Strategy, ...]:
    """The strategies that the last refusals leave, in this order; all of them when none was refused."""
    told = [one.answer for one in sight.calls("challenge") if one.refused in ("strategy", "strategy_used")]
    named = [set(re.findall(r"\b[a-z]+_[a-z]+\b|counterexample", one.rpartition("Use ")[2])) for one in told]
    allowed = set.intersection(*named) if named else set(map(str, Strategy))
    return tuple(one for one in dict.fromkeys((*order, *Strategy)) if str(one) in allowed)


def attack(sight: Sight, question: str, belief: str, strategy: Strategy, taken: Iterable[str] = ()) -> str:
    """The query of an attack, unlike every query that can be seen; '' when there is none left."""
    used = sight.queries | set(map(fold, taken))
    said = f" {fold(belief)} "
    extra = " ".join(one for one in _WORDS[strategy].split() if f" {one} " not in said)
    base = queries(question)
    for query in (f"{base} {extra}", f"{extra} {base}", negated(belief, strategy, tuple(used))):
        if fold(query) not in used and fold(query) != fold(base):
            return one_line(query, 380)
    return ""


def on_claim(
    sight: Sight, question: str, claim: ClaimRecord, strategy: Strategy, taken: Sequence[str] = ()
) -> list[Move]:
    """Open a challenge of a claim and search it; [] when no query is left."""
    return _opened(sight, question, claim.text, strategy, {"target_type": "claim", "claim_id": claim.id}, taken)


def on_answer(sight: Sight, question: str, answer: str, strategy: Strategy, taken: Sequence[str] = ()) -> list[Move]:
    """Open a challenge of the current question's proposed answer and search it."""
    target = {"target_type": "question_answer", "question_id": sight.current, "belief": answer}
    return _opened(sight, question, answer, strategy, target, taken)


def on_conclusion(sight: Sight, question: str, conclusion: str, strategy: Strategy) -> list[Move]:
    """Open a challenge of the stated conclusion and search it."""
    return _opened(sight, question, conclusion, strategy, {"target_type": "conclusion"}, ())


def _opened(
    sight: Sight, question: str, belief: str, strategy: Strategy, target: dict[str, str], taken: Sequence[str]
) -> list[Move]:
    query = attack(sight, question, belief, strategy, taken)
    if not query:
        return []
    arguments = {
        **target, "strategy": str(strategy), "negation": one_line(f"It does not hold that {belief}", 580),
        "expected_if_false": [_EXPECTED[strategy]], "query": query,
    }  # fmt: skip
    return [("challenge", arguments), ("web_search", {"query": query})]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a search showed. ``counter`` is the claim that speaks against the target, '' if none does."""

    outcome: Outcome
    evidence: str
    sources: tuple[str, ...] = ()
    counter: str = ""


def judged(sight: Sight, question: str, claim: ClaimRecord, strategy: str, searched: bool) -> Verdict:
    """The outcome of an attack on a claim (or on the answer that it carries), from what the notes hold now.

    Args:
        strategy: of the attack; only one that asks for limits is met by a limit.
        searched: whether the search brought anything.
    """
    others = against(sight, claim)
    counter = next((one for one in others if outweighs(sight, question, one, claim)), None)
    if counter is not None:
        evidence = one_line(f"{_pages(counter)} otherwise: {counter.text}", 900)
        return Verdict(outcome=Outcome.REFUTED, evidence=evidence, sources=_sources(counter), counter=counter.id)
    limit = next((one for one in sight.live if one.note.startswith(f"{SCOPE_OF}{claim.id}")), None)
    if limit is not None and strategy in (_S.SCOPE_LIMITS, _S.COUNTEREXAMPLE):
        return Verdict(outcome=Outcome.WEAKENED, evidence=one_line(limit.text, 900), sources=_sources(limit))
    if any(not outweighs(sight, question, claim, one) for one in others):
        evidence = one_line(f"Another page says otherwise, too little to refute it: {others[0].text}", 900)
        return Verdict(outcome=Outcome.INCONCLUSIVE, evidence=evidence)
    if not searched:
        return Verdict(outcome=Outcome.INCONCLUSIVE, evidence="The search brought no result.")
    if others:
        evidence = one_line(f"Only a weaker source says otherwise: {others[0].text}", 900)
        return Verdict(outcome=Outcome.SURVIVED, evidence=evidence)
    return Verdict(outcome=Outcome.SURVIVED, evidence="Nothing in the pages that the search brought says otherwise.")


def against(sight: Sight, claim: ClaimRecord) -> list[ClaimRecord]:
    """Live claims that contradict this one, the best supported first."""
    ids = {
        one.claim_id if one.other_id == claim.id else one.other_id
        for one in sight.notes.contradictions
        if claim.id in (one.claim_id, one.other_id)
    }
    return sorted((one for one in sight.live if one.id in ids), key=lambda one: -voices(sight, one))


def outweighs(sight: Sight, question: str, one: ClaimRecord, other: ClaimRecord) -> bool:
    """Whether a claim refutes another: two independent sources, or a later page on what changes with time.

    Where all copy one early report, their number says nothing; what corrects it comes later, and from two hands.
    """
    (marked, mine), (stale, theirs) = age(one), age(other)
    if not is_timeless(question) and (marked != stale or mine[:7] != theirs[:7]):
        if older((stale, theirs[:7]), (marked, mine[:7])):
            return True
        if older((marked, mine[:7]), (stale, theirs[:7])):
            return False
    strong, weak = voices(sight, one), voices(sight, other)
    if strong < 2:
        return False
    later = bool(mine and theirs and mine > theirs)
    earlier = bool(mine and theirs and mine < theirs)
    if _CORRECTS.search(one.text) or (later and not _CORRECTS.search(other.text)):
        return strong >= weak or is_timeless(question)
    if _CORRECTS.search(other.text) or (earlier and weak >= 2):
        return False
    return strong > weak


def voices(sight: Sight, claim: ClaimRecord) -> int:
    """Sources of a claim that count as independent, as far as the notes tell."""
    supports = [source for source, stance in claim.sources if stance is Stance.SUPPORTS]
    counted = [source for at, source in enumerate(supports) if at == 0 or source in claim.independent]
    domains = {found.domain if (found := sight.source(source)) else source for source in counted}
    return len(domains)


def record(challenge_id: str, verdict: Verdict) -> Move:
    """The call that closes a challenge."""
    arguments: dict[str, object] = {
        "id": challenge_id, "outcome": str(verdict.outcome), "evidence": verdict.evidence,
        "source_ids": list(verdict.sources),
    }  # fmt: skip
    return ("record_challenge_result", arguments | ({"result_claim_id": verdict.counter} if verdict.counter else {}))


def _pages(claim: ClaimRecord) -> str:
    count = len(_sources(claim))
    return "One page says" if count == 1 else f"{count} pages say"


def _sources(claim: ClaimRecord) -> tuple[str, ...]:
    return tuple(source for source, stance in claim.sources if stance is Stance.SUPPORTS)


def scopes(question: str, claim: str, pages: Sequence[PageBlock]) -> list[Finding]:
    """Sentences that let a claim hold only under a condition; at most two, each from another page."""
    value = value_of(question, claim)
    found: list[Finding] = []
    for page in page_texts(pages):
        best = max(
            _limiting(question, claim, value.text if value else "", page.text), key=lambda one: one.score, default=None
        )
        if best is None:
            continue
        start, end = clip(page.text, best, None, MOST_QUOTE_WORDS)
        said = Support(
            key=page.key, quote=page.text[start:end], start=start, end=end, score=best.score, passage=best,
            published=page.published, title=page.title,
        )  # fmt: skip
        found.append(Finding(text=best.text, normalised=fold(best.text), score=best.score, supports=(said,)))
    return sorted(found, key=lambda one: -one.score)[:2]


def _limiting(question: str, claim: str, value: str, text: str) -> list[Passage]:
    names = {one for entity in analyse(question).entities for one, _ in entity_stems(entity)}
    out = []
    for span in split(text):
        sentence = text[span.start : span.end]
        said = set(words(sentence))
        if (
            span.kind not in ("sentence", "item")
            or len(said) < 6
            or not said & _SCOPE_WORDS
            or sentence.rstrip().endswith("?")
        ):
            continue
        held = f" {fold(value)} " in f" {fold(sentence)} " if value else False
        about = bool(names & {stem(word) for word in said}) or not names
        if (held and about) or (not value and bearing(claim, sentence) == "qualifies"):
            out.append(Passage(text=sentence, start=span.start, end=span.end, score=0.9 if held else 0.6))
    return out
