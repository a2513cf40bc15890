"""Questions as a planner needs them: split, expanded, turned into search queries and into attacks.

Knows the words of questions and claims; must not know pages, tools or the state of a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from investigator.core.challenges import STRATEGY_TERMS
from investigator.core.text import STOP_WORDS, fold, words
from investigator.core.vocab import Strategy
from investigator.world.offline.analysis import Kind, Question, analyse, entity_stems
from investigator.world.offline.lexicon import RELATION_WORDS, stem
from investigator.world.offline.values import scan

__all__ = ["Kind", "Question", "analyse", "expand", "negated", "queries", "split"]

_ASKS = r"what|when|who|whom|whose|where|why|how|which|(?:in|at|on|by|to|from|for|since) (?:what|which|whom|when)"
_AUX = r"is|are|was|were|does|did|do|has|have|had|can|could|may|must|should|will|would"
_CUT = re.compile(
    rf"(?:\?\s+(?:and\s+)?|;\s+(?:and\s+)?|,?\s+(?:and|or)\s+(?:also\s+)?|,\s+)(?=(?:{_ASKS}|{_AUX})\b)", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(its|their|his|her|it|they|them|he|she|him|this|these|that one)\b", re.IGNORECASE)
_OWNING = frozenset({"its", "their", "his", "her"})


def split(objective: str) -> list[str]:
    """The questions of a compound objective, each self-contained; an atomic one comes back alone.

    >>> split("In what year did Acme Hall open, and what did it replace?")
    ['In what year did Acme Hall open?', 'What did Acme Hall replace?']
    >>> split("How does sqlite3 handle transactions and autocommit?")
    ['How does sqlite3 handle transactions?', 'How does sqlite3 handle autocommit?']
    """
    text = " ".join(objective.split())
    parts = [one for part in _clauses(text) for one in _aspects(part)]
    distinct = {fold(one): one for one in reversed(parts) if fold(one)}
    kept = list(reversed(distinct.values()))
    return kept if len(kept) > 1 else [objective]


def _clauses(text: str) -> list[str]:
    if doubled := re.match(rf"({_ASKS}) and ({_ASKS}) (.+)$", text, re.IGNORECASE):
        return [_question(f"{doubled[1]} {doubled[3]}"), _question(f"{doubled[2]} {doubled[3]}")]
    pieces = [one.strip(" ,;?") for one in _CUT.split(text) if one.strip(" ,;?")]
    if len(pieces) < 2 or not all(_complete(one) for one in pieces[:1]):
        return [text]
    subject = _subject(pieces[0])
    whole = [pieces[0]]
    for piece in pieces[1:]:
        if not _complete(piece):
            # "When did it open, and where?": the rest of the first question is meant.
            piece = f"{piece} {_rest(pieces[0])}"
        whole.append(_resolved(piece, subject))
    return [_question(one) for one in whole]


def _rest(piece: str) -> str:
    """A question without its question word; "who founded X" becomes "was X founded"."""
    if agent := re.match(rf"who (?!(?:{_AUX})\b)(\w+) (.+)$", piece, re.IGNORECASE):
        return f"was {agent[2]} {agent[1]}"
    return re.sub(rf"^(?:{_ASKS})(?: (?:year|date|city|country|place))?\s+", "", piece, flags=re.IGNORECASE)


def _complete(piece: str) -> bool:
    return len(piece.split()) >= 3


def _subject(piece: str) -> str:
    """What the first clause is about, with its article: ``the Lisbon office of Acme``."""
    found = re.search(rf"\b(?:{_AUX})\b\s+(.+)$", piece, re.IGNORECASE)
    rest = found[1] if found else piece
    entities = sorted((one for one in analyse(piece).entities if one in rest), key=rest.find)
    if entities:
        end = max(rest.rfind(one) + len(one) for one in entities)
        begin = min(rest.find(one) for one in entities)
        phrase = rest[:end]
        if re.match(r"\s+(?:do|does|mean|means|work|works|happen|happens)\b", rest[begin + len(entities[0]) :]):
            return rest[: begin + len(entities[0])]  # "what does X do in Y": the verb is no part of the subject
        # A long clause before the name belongs to the question: "the population of Bonn" is about Bonn.
        of = re.search(r"\b(?:of|in|for|by)\s+((?:the\s+)?)$", rest[:begin])
        return rest[begin - len(of[1]) : end] if of and not _agent(rest, end) else phrase
    words_left = rest.split()
    if found and not re.search(r"\b(?:did|does|do|can|could|must|has|have|had)\b", found.group(), re.IGNORECASE):
        return rest
    return " ".join(words_left[:-1]) if len(words_left) > 1 and not re.search(r"\b(?:of|in|for)\b", rest) else rest


def _agent(rest: str, end: int) -> bool:
    """Whether a verb follows the name, so that the whole phrase before it is the subject."""
    return bool(rest[end:].strip())


def _resolved(piece: str, subject: str) -> str:
    def name(match: re.Match[str]) -> str:
        owner = match[1].lower() in _OWNING
        return f"{subject}'s" if owner else subject

    return _PRONOUN.sub(name, piece, count=1) if subject else piece


def _question(piece: str) -> str:
    piece = piece.strip(" ,;?.")
    asks = re.match(rf"(?:{_ASKS}|{_AUX})\b", piece, re.IGNORECASE)
    return piece[:1].upper() + piece[1:] + ("?" if asks else ".")


_BETWEEN = re.compile(r"\b(?:between|both|compare|differ(?:s|ences?)?|versus|vs)\b", re.IGNORECASE)
_LIST = re.compile(
    r"^(?P<head>.+?\s)(?P<items>[\w.`()-]+(?:,\s[\w.`() -]+?)*,?\s(?:and|or)\s(?:the\s)?[\w.`()-]+(?:\s[\w.`()-]+)?)$"
)
_OF = re.compile(
    r"^(?P<head>what (?:is|are|was|were) )(?P<a>(?:the |an? )?[\w -]+?) and "
    r"(?P<b>(?:the |an? )?[\w -]+?)(?P<tail> (?:of|for|in) .+)$",
    re.IGNORECASE,
)


def _aspects(part: str) -> list[str]:
    """One question for each of the things a question asks about together."""
    bare = part.strip(" ?.")
    if years := re.match(
        r"(?:please )?compare (.+?) (in|for|of|between) ((?:19|20)\d\d) (?:and|with|to) ((?:19|20)\d\d)(| .+)$",
        bare,
        re.IGNORECASE,
    ):
        return [_question(f"what is the {years[1]}{years[5]} in {year}") for year in (years[3], years[4])]
    if compared := re.match(r"(?:please )?compare (.+?) (?:and|with|to) (.+)$", bare, re.IGNORECASE):
        return [f"What is {compared[1]}?", f"What is {compared[2]}?", f"How do {compared[1]} and {compared[2]} differ?"]
    if _BETWEEN.search(bare):
        return [part]
    if both := _OF.match(bare):
        return [_question(f"{both['head']}{one}{both['tail']}") for one in (both["a"], both["b"])]
    listed = _LIST.match(bare)
    kind = analyse(part).kind
    if (
        listed is None
        or kind not in (Kind.TEXT, Kind.YES_NO)
        or any(listed["items"] in one for one in analyse(part).entities)
    ):
        return [part]
    items = [one for one in re.split(r",\s(?:and\s|or\s)?|\s(?:and|or)\s", listed["items"]) if one]
    if any(fold(one) in STOP_WORDS or not fold(one) for one in items):
        return [part]
    return [_question(f"{listed['head']}{one}") for one in items]


_FACETS = (
    "What is {subject}?",
    "Under which conditions does this hold: {topic}?",
    "Which exceptions or limits apply to {topic}?",
    "What is the most recent information on {topic}?",
    "What contradicts the usual account of {topic}?",
    "How did {topic} change over time?",
    "Where is {topic} first reported?",
    "What is an example of {topic}?",
)


def expand(objective: str, most: int) -> list[str]:
    """Up to ``most`` distinct sub-questions worth planning, the direct ones first, each naming its subject.

    >>> expand("When was Acme Hall opened?", 3)[0]
    'When was Acme Hall opened?'
    """
    asked = analyse(objective)
    found = split(objective)
    subject = asked.entities[0] if asked.entities else _topic(asked)
    facets = _FACETS[1:] if asked.kind is Kind.SORT or not asked.entities else _FACETS
    found += [one.format(subject=subject, topic=_topic(asked)) for one in facets]
    distinct: dict[str, str] = {}
    for one in found:
        distinct.setdefault(fold(one), one)
    return list(distinct.values())[: max(0, most)]


def _topic(asked: Question) -> str:
    subject, relation = " ".join(asked.entities), " ".join(asked.relation[:6])
    if subject and relation:
        return f"{subject} ({relation})"
    return subject or relation or asked.text.rstrip("?")


def queries(question: str, tried: Sequence[str] = ()) -> str:
    """The next search query, unlike all that were tried (folded); ``""`` when the ladder is exhausted.

    >>> queries("When was Acme Hall opened?"), queries("When was Acme Hall opened?", ["Acme Hall opened"])
    ('Acme Hall opened', 'Acme Hall opened date')
    """
    used = {fold(one) for one in tried}
    return next((one for one in _ladder(analyse(question)) if fold(one) and fold(one) not in used), "")


def _ladder(asked: Question) -> Iterator[str]:
    """Reformulations, the most exact first."""
    subject, relation = " ".join(asked.entities), list(asked.relation)
    if not relation and (measure := _MEASURES.get(_measured(asked.text), "")):
        yield _joined(subject, *measure.split())
    yield _joined(subject, *relation)
    if asked.head and asked.head not in relation:
        yield _joined(subject, *relation, asked.head)
    for at, word in enumerate(relation):
        for other in _others(word)[:2]:
            yield _joined(subject, *relation[:at], other, *relation[at + 1 :])
    for word in relation:
        yield _joined(subject, word)
    for entity in asked.entities:
        yield _joined(f'"{entity}"', *relation)
    yield subject
    for entity in asked.entities:
        yield entity
    for word in relation:
        for other in _others(word):
            yield _joined(subject, other)
    yield " ".join(relation)
    for extra in ("overview", "history", "details", "documentation"):
        yield _joined(subject or " ".join(relation), extra)


_MEASURES = {
    "long": "long length", "tall": "tall height", "high": "high height", "deep": "deep depth", "wide": "wide width",
    "old": "old age", "fast": "fast speed", "far": "far distance", "large": "large size", "big": "big size",
    "heavy": "heavy weight",
}  # fmt: skip


def _measured(text: str) -> str:
    found = re.search(r"\bhow (\w+)", text, re.IGNORECASE)
    return found[1].lower() if found else ""


def _joined(*parts: str) -> str:
    return " ".join(dict.fromkeys(one for one in parts if one))


def _others(word: str) -> tuple[str, ...]:
    """Other words for the same relation, inflections of the word itself last."""
    root = stem(word)
    # A short stem meets words that mean something else: "car" and "career".
    lines = [line for line in RELATION_WORDS if word in line or (len(root) > 3 and root in map(stem, line))]
    near = [one for line in lines for one in line if one != word]
    return tuple(sorted(dict.fromkeys(near), key=lambda one: stem(one) == root))


def negated(claim_text: str, strategy: str, tried: Sequence[str] = ()) -> str:
    """A query that attacks a claim: its subject and relation, and a word of the strategy that the claim lacks.

    ``""`` when every such query was tried. Raises ValueError for an unknown strategy.

    >>> negated("Acme Hall opened in 1912.", "newer_evidence")
    'Acme Hall opened update'
    """
    said = f" {fold(claim_text)} "
    lacking = [one for one in STRATEGY_TERMS[Strategy(strategy)] if f" {one} " not in said]
    used = {fold(one) for one in tried}
    bases = list(dict.fromkeys((_key_terms(claim_text, 6), _key_terms(claim_text, 3))))
    forms = [f"{base} {one}" for base in bases for one in lacking]
    forms += [f"{bases[0]} {one} {two}" for one, two in combinations(lacking, 2)]
    return next((one.strip() for one in forms if fold(one) not in used), "")


def _key_terms(claim: str, most: int) -> str:
    """The subject and the relation of a claim, without its values where anything else is left."""
    asked = analyse(claim)
    values = [
        one for one in scan(claim) if one.kind in (Kind.DATE, Kind.NUMBER, Kind.MONEY, Kind.PERCENT, Kind.DURATION)
    ]
    spoken = {word for one in values for word in words(one.text) if any(map(str.isdigit, word))}
    named = {one for entity in asked.entities for one, _ in entity_stems(entity)}
    rest = [one for one in words(claim) if one not in STOP_WORDS and one not in spoken and stem(one) not in named]
    subject = [entity for entity in asked.entities[:2] if fold(entity) not in spoken]
    return _joined(*subject, *dict.fromkeys(rest[: most - min(2, len(subject))])) or fold(claim)
