"""Sentences about sentences: how a sentence bears on a claim, and the statement that a finding amounts to.

Knows claims and quotes as texts; must not know ledgers, pages' places or tools. No word is invented
here: a statement is made of its quote, its page's title and the question's subject.
"""

from __future__ import annotations

import re
from typing import Literal

from investigator.core.blocks import one_line
from investigator.core.text import STOP_WORDS, fold, words
from investigator.world.offline import prose
from investigator.world.offline.analysis import Kind, analyse, entity_stems
from investigator.world.offline.findings import Finding, Support, negative, same_value
from investigator.world.offline.lexicon import FORMER, LIMITING, RELATIONS, stem
from investigator.world.offline.values import Value, scan, typed

Bearing = Literal["supports", "contradicts", "qualifies", "unrelated"]

_FIRM = (Kind.DATE, Kind.NUMBER, Kind.MONEY, Kind.PERCENT, Kind.DURATION)
_TEMPORAL = re.compile(r"\b(?:until|before|after|version|since|from)\b", re.IGNORECASE)
MOST = 240
MOST_PROSE = 480


def relation(claim_text: str, sentence: str) -> Bearing:
    """How a sentence bears on a claim.

    The same subject and relation with another value, or a denial, contradicts; with a limiting word it qualifies.

    >>> relation("Acme opened in 1912.", "Acme was opened in 1915."), relation("Acme opened in 1912.", "Rain is wet.")
    ('contradicts', 'unrelated')
    """
    if not _about_the_same(claim_text, sentence):
        return "unrelated"
    agreement = _values_agree(claim_text, sentence)
    limits = _limits(sentence) - _limits(claim_text)
    if agreement is False:
        dated = limits and (_TEMPORAL.search(sentence) or FORMER.search(sentence))
        return "qualifies" if dated and not _year_is_value(claim_text) else "contradicts"
    if negative(claim_text) != negative(sentence):
        return "qualifies" if limits - {"before", "after", "version"} else "contradicts"
    if limits:
        return "qualifies"
    return "supports" if agreement or _overlap(claim_text, sentence) >= 0.6 else "unrelated"


def _limits(text: str) -> frozenset[str]:
    return LIMITING & set(words(text))


def _year_is_value(claim: str) -> bool:
    """The claim's only value is a date: "after 1915" then states another date, not a limit."""
    kinds = {one.kind for one in scan(claim, frozenset(_FIRM))}
    return kinds == {Kind.DATE}


def _about_the_same(claim: str, sentence: str) -> bool:
    said = {stem(word) for word in words(sentence)}
    entities = [entity for entity in analyse(claim).entities if not any(map(str.isdigit, entity.replace(" ", "")[:1]))]
    subject = entities[0] if entities else ""
    if subject:
        parts = entity_stems(subject)
        share = sum(weight for one, weight in parts if one in said) / sum(weight for _, weight in parts)
        pronoun = re.match(r"\s*(?:It|He|She|They|This|The \w+)\b", sentence)
        if share < 0.6 and not (pronoun and _overlap(claim, sentence) >= 0.5):
            return False
    # A subject alone is not enough: the relation must be said, by this word or by one that means it.
    return _overlap(claim, sentence) >= (0.34 if subject else 0.5)


def _overlap(claim: str, sentence: str) -> float:
    """Share of the claim's relation words (neither subject nor value) that the sentence says."""
    asked = analyse(claim)
    named = {one for entity in asked.entities for one, _ in entity_stems(entity)}
    firm = [one for one in scan(claim, frozenset(_FIRM)) if one.kind is Kind.DATE or any(map(str.isdigit, one.text))]
    # A unit says what is counted, so it stays; a month says nothing.
    spoken = {stem(word) for one in firm for word in words(one.text) if one.kind is Kind.DATE or word[0].isdigit()}
    own = {stem(word) for word in words(claim) if word not in STOP_WORDS} - named - spoken - {"not", "no"}
    if not own:
        return 1.0 if named & {stem(word) for word in words(sentence)} else 0.0
    said = {stem(word) for word in words(sentence)}
    hit = sum(
        1.0 if one in said else 0.9 if any(one in group and group & said for group in RELATIONS) else 0.0
        for one in sorted(own)
    )
    return hit / len(own)


def _values_agree(claim: str, sentence: str) -> bool | None:
    """True: the claim's values stand in the sentence; False: others of their kind do; None: nothing to compare."""
    mine, theirs = scan(claim, frozenset(_FIRM)), scan(sentence, frozenset(_FIRM))
    verdicts = [_found(one, theirs) for one in mine]
    if False in verdicts:
        return False
    if True in verdicts:
        return True
    return None if mine else _names_agree(claim, sentence)


def _found(value: Value, others: list[Value]) -> bool | None:
    comparable = [
        one for one in others if one.kind is value.kind and (value.kind is not Kind.NUMBER or _unit(one, value))
    ]
    if any(same_value(value, one) for one in comparable):
        return True
    return False if comparable else None


def _unit(a: Value, b: Value) -> bool:
    one, two = a.normalised.partition(" ")[2], b.normalised.partition(" ")[2]
    return stem(one) == stem(two) or not one or not two


def _names_agree(claim: str, sentence: str) -> bool | None:
    """The name at a claim's end ("directed by X") against the sentence's."""
    theirs = [one for one in scan(sentence, frozenset({Kind.NAME})) if fold(one.text) not in fold(claim)]
    mine = [one for one in scan(claim, frozenset({Kind.NAME})) if one.start > 0]
    if not mine:
        return None
    last = mine[-1]
    if f" {last.normalised} " in f" {fold(sentence)} ":
        return True
    lead = words(claim[: last.start])[-2:]
    led = [one for one in theirs if words(sentence[: one.start])[-2:] == lead]
    return False if led else None


_REFERENCE = re.compile(r"\[\d{1,3}\]|\[\s?(?:edit|citation needed|note \d+)\s?\]|\s\(\s?\)")
# `text <address>`_ and name_ of reStructuredText
_TARGET = re.compile(r"\s?<https?://[^<>\s]*>(?=`?_)|(?<=[A-Za-z`])_{1,2}(?=[\s,.;:)]|$)")
_MARKUP = re.compile(r"\*\*|__|`{1,3}|^\s*(?:[-*+•–]|\d{1,3}[.)]|>+|#+)\s+|\[([^\]]+)\]\([^)]*\)")
_LEADING_PRONOUN = re.compile(
    r"^(?:It|He|She|They|(?:This|The) (?:company|firm|organisation|organization|school|town|village|city|bridge|"
    r"library|package|module|function|method))\b(?='?\s)"
)
# "It is suggested to …" is about nothing that went before.
_EXPLETIVE = re.compile(
    r"^It (?:is|was|has been|can be|may be|seems|appears)\b[^.;]{0,30}?"
    r"\b(?:to|that|whether|when|if)\b"
)
_LEADING_OWNER = re.compile(r"^(?:Its|His|Her|Their)\b")
_CLAUSE = re.compile(
    r"(?<=[,;:])\s+(?=(?:and|but|while|which|who|where|with|although|because|as|after|before)\b)|;\s+|\s[–—]\s"
)


def sentence_for(question: str, finding: Finding) -> str:
    """A short statement that answers the question, made of the finding's best quote: one line, <= 240 characters.

    >>> from investigator.world.offline.findings import PageText, answers
    >>> page = PageText(key="a", title="Acme Hall", text="Acme Hall stands in Bonn. It was opened in 1912.")
    >>> sentence_for("When was Acme Hall opened?", answers("When was Acme Hall opened?", [page])[0])
    'Acme Hall was opened in 1912.'
    """
    best = finding.best
    subject = _subject(question, best)
    passage = best.passage
    if passage.kind == "row" and passage.cells:
        body = _row(best)
    elif not typed(analyse(question)):
        body = prose.own_name(prose.named(_plain(passage.text), passage.heading), _plain(best.title))
        body = prose.finished(re.sub(r"[!?](?=\) )", "", body))
        body = body if len(body) <= MOST_PROSE else _cut(body, "")
        return one_line(_subject_first(body, subject, best), MOST_PROSE)
    else:
        body = _plain(passage.text)
        if prose.leans(body) and not prose.leans(body, passage.heading):
            body = prose.named(body, passage.heading)
        body = _resolved(body, subject)
        body = _cut(body, _plain(best.value.text) if best.value else "")
    if subject and not _names(subject, body):
        body = f"{subject}: {body}"
    return one_line(body, MOST)


def _subject_first(body: str, subject: str, best: Support) -> str:
    """A sentence of prose, its pronoun resolved only where the page is about the question's subject."""
    if subject and fold(subject) in fold(best.title) and not _EXPLETIVE.match(body):
        return re.sub(r"^It(?= )", lambda _: subject, body)
    return body


def _subject(question: str, best: Support) -> str:
    """The question's subject as written there; where it names none, the page's title."""
    entities = analyse(question).entities
    if not entities:
        return _plain(best.title)[:80] if best.passage.kind in ("row", "label") else ""
    first = entities[0]
    label = f" ({best.label})" if best.label and len(best.label) < 40 else ""
    titled = re.match(rf"{re.escape(first)}\s?\([^()]+\)", best.title)
    return titled.group() if titled else first + (label if label and best.label in fold(best.title) else "")


def _plain(text: str) -> str:
    bare = _MARKUP.sub(lambda match: match[1] or "", _TARGET.sub("", _REFERENCE.sub("", text)))
    return re.sub(r"\s+([,.;:])(?![\w.])", r"\1", " ".join(re.sub(r"(?<=\w)-\s*\n\s*(?=[a-z])", "", bare).split()))


def _row(best: Support) -> str:
    """``Prices – Plan: Pro; Price: 29 €``: what the table is of, what the row is of, and the cell of the value."""
    offset, value = best.passage.start, best.value
    told: list[str] = []
    for start, end, header in best.passage.cells:
        said = _plain(best.passage.text[start - offset : end - offset])
        if said and (not told or value is None or start <= value.start < end):
            told.append(f"{_plain(header)}: {said}" if header else said)
    above = _plain(best.passage.heading.rsplit(" › ", 1)[-1] or best.title)
    return f"{above} – {'; '.join(told)}" if above else "; ".join(told)


def _resolved(sentence: str, subject: str) -> str:
    if not subject or _EXPLETIVE.match(sentence):
        return sentence
    sentence = _LEADING_OWNER.sub(lambda _: f"{subject}'s", sentence)
    return _LEADING_PRONOUN.sub(lambda _: subject, sentence)


def _cut(sentence: str, value: str) -> str:
    """The sentence up to a clause border behind the value, if it is long; else around the value."""
    if len(sentence) <= (160 if value else MOST):
        return sentence
    at = sentence.find(value) + len(value) if value and value in sentence else 0
    border = next((one.start() for one in _CLAUSE.finditer(sentence) if one.start() >= max(at, 40)), -1)
    if 0 < border < MOST - 40:
        return sentence[:border].rstrip(" ,;:–—") + "."
    if at <= MOST - 60:
        return sentence
    begin = next(
        (one.end() for one in reversed(list(_CLAUSE.finditer(sentence))) if at - 180 < one.end() < at - len(value)),
        None,
    )
    if begin is None:
        begin = sentence.find(" ", max(0, at - 160)) + 1
    return sentence[begin:]


def _names(subject: str, body: str) -> bool:
    parts = entity_stems(re.sub(r"\s\(.*\)$", "", subject))
    said = {stem(word) for word in words(body)}
    return bool(parts) and sum(weight for one, weight in parts if one in said) >= 0.6 * sum(
        weight for _, weight in parts
    )


_TRAILER = re.compile(
    r",? (?:and has|giving|making|bringing|leaving|marking|which|who|where|while|after|before|when|because|although|"
    r"but)\b"
)


def shortened(text: str, value: str) -> str:
    """A long sentence up to the clause behind its value."""
    at = text.find(value)
    trailer = _TRAILER.search(text, max(at + len(value), 30)) if at >= 0 and len(text) > 70 else None
    return text[: trailer.start()] if trailer else text
