"""What a question asks for: the type of its answer, whom it is about, and what relation it names.

Knows the words of questions; must not know pages, tools or plans.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from investigator.core.text import STOP_WORDS, fold
from investigator.world.offline.lexicon import HONORIFICS, LIGHT, MONTHS, STOP_STEMS, groups_of, stem, stems, word_set


class Kind(StrEnum):
    """The type of an answer, and of a value in a text."""

    PERSON = "person"
    DATE = "date"
    PLACE = "place"
    NUMBER = "number"
    MONEY = "money"
    PERCENT = "percent"
    DURATION = "duration"
    NAME = "name"
    TITLE = "title"
    CODE = "code"
    SORT = "sort"
    YES_NO = "yes_no"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as the reader understands it.

    Attributes:
        text: the question on one line.
        kind: the type of its answer.
        head: the noun the answer is one of ("population", "state"), or ''.
        entities: phrases that must stand in a document, as written.
        relation: content words besides the entities, folded, in order.
        years: years the question names.
        versions: version numbers the question names.
        past: asks for an event of the past, which newer documents do not change.
    """

    text: str
    kind: Kind
    head: str = ""
    entities: tuple[str, ...] = ()
    relation: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    past: bool = False

    @property
    def subject(self) -> str:
        """The entities in one phrase, or the relation words."""
        return " ".join(self.entities) or " ".join(self.relation[:4])


_HEADS: dict[Kind, str] = {
    Kind.DATE: "year date day month birthday birthdate deadline",
    Kind.NUMBER: "population number count size length height width depth area distance elevation limit maximum minimum "
    "capacity amount age median weight total quantity headcount quota port threshold rate temperature speed score",
    Kind.MONEY: "price cost fee toll tariff fare budget revenue "
    "salary turnover profit rent allowance fine spending income dividend",
    Kind.PERCENT: "percentage percent proportion discount margin uptime",
    Kind.DURATION: "duration period term interval timeout notice retention lifetime",
    Kind.PERSON: "artist director author creator composer founder ceo president actor actress mother father "
    "wife husband winner inventor manager owner leader singer writer person chair chairman chairwoman head "
    "architect designer producer editor king queen minister mayor governor officer chief "
    "player maintainer contact supplier",
    Kind.PLACE: "location city country state county town place capital headquarters venue district village region "
    "province address birthplace office",
    Kind.SORT: "sport profession genre medium type kind party rank position occupation category division color colour "
    "language status nationality religion transportation instrument breed species",
    Kind.NAME: "name nickname title alias team company organization organisation school band",
    Kind.CODE: "default value argument parameter method function module command format exception error class option "
    "flag attribute license licence version mode level encoding protocol keyword constant variable package "
    "extension codec algorithm file key",
    Kind.TEXT: "reason purpose meaning difference effect way role consequence procedure process advantage disadvantage "
    "policy rule",
}  # fmt: skip
_HEAD_KIND = {stem(word): kind for kind, words in _HEADS.items() for word in words.split()}
_VERBS = "is|are|was|were|did|does|do|has|have|had|can|could|should|may|must|will|would|shall"
_QUESTION_WORDS = word_set(
    "what which who whom whose when where why how in on at of by to from for is are was were did does do has have had "
    "can could should may must will would shall describe explain list name tell give find state compare "
    "summarise summarize if "
    "the a an and or not also please show"
)
_QUOTED = re.compile(r"[\"“„]([^\"“”„\n]{2,80})[\"”“]|`([^`\n]{1,80})`|(?<!\w)'([^'\n]{3,60})'(?!\w)")
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z]\w*_\w+(?:\(\))?|_\w+|[A-Za-z_]\w*\(\)|"
    r"[a-z]+\d[\w]*|[a-z]+[A-Z]\w*)"
)
_CAPITAL = r"(?:[^\W\d_a-z][\w’'&.\-]*|\d+(?:st|nd|rd|th)\b)"
_JOIN = r"(?:of|de|van|von|der|den|la|le|el|du|da|di|del|the|and|for|&|al|bin|y)"
_NAME = re.compile(rf"{_CAPITAL}(?:\s+(?:{_JOIN}\s+){{0,2}}{_CAPITAL})*(?: \d{{1,3}}(?![\d.,:%]|\w))?")
_VERSION = re.compile(r"\bv?(\d+(?:\.\d+)+)\b|\bversion (\d+)\b", re.IGNORECASE)


@lru_cache(maxsize=1024)
def analyse(question: str) -> Question:
    """What the question asks for.

    >>> q = analyse("In what year did the Lisbon office of Acme Corp open?")
    >>> q.kind, q.entities, q.relation
    (<Kind.DATE: 'date'>, ('Lisbon', 'Acme Corp'), ('office', 'open'))
    """
    text = " ".join(question.split())
    entities = _entities(text)
    head, kind = _head(text)
    years = tuple(re.findall(r"\b(?:1[0-9]|20)\d\d\b", text))
    versions = tuple(a or b for a, b in _VERSION.findall(text))
    return Question(
        text=text, kind=kind, head=head, entities=entities, relation=_relation(text, entities, head, kind),
        years=years, versions=versions, past=_is_past(text, kind),
    )  # fmt: skip


def _is_past(text: str, kind: Kind) -> bool:
    asks_event = re.search(r"\b(?:was|were|did|born|founded|built|established)\b", text, re.IGNORECASE)
    return bool(asks_event) and kind in (Kind.DATE, Kind.PLACE, Kind.PERSON)


def _entities(text: str) -> tuple[str, ...]:
    found: list[tuple[int, str]] = []
    rest = text
    for pattern in (_QUOTED, _IDENTIFIER):
        for match in pattern.finditer(rest):
            phrase = next((one for one in match.groups() if one), match.group())
            found.append((match.start(), phrase.strip(" .,;:?!").removesuffix("()")))
        rest = pattern.sub(lambda match: "," * len(match.group()), rest)
    for match in _NAME.finditer(rest):
        found += _trimmed(match.group(), match.start())
    kept = dict.fromkeys(phrase for _, phrase in sorted(found) if fold(phrase))
    return tuple(one for one in kept if fold(one) not in MONTHS)


def _trimmed(phrase: str, start: int) -> list[tuple[int, str]]:
    """A capitalised run without the question words it may begin with; ``Lisbon office of`` stays two phrases."""
    words = phrase.rstrip(" .,;:?!").split()
    while words and (fold(words[0]) in _QUESTION_WORDS or not fold(words[0])):
        start += len(words[0]) + 1
        words = words[1:]
    if not words or (len(words) == 1 and (len(fold(words[0])) < 2 or fold(words[0]) in STOP_WORDS)):
        return []
    words[-1] = re.sub(r"['’]s$", "", words[-1])
    return [(start, " ".join(words))]


def _head(text: str) -> tuple[str, Kind]:
    low = text.lower()
    # "What happens when it fails" asks for no date; "in the film X, when was Y" does.
    if re.search(rf"(?:^|^\w+ |[,:] |\band )when (?:{_VERBS})\b|\b(?:what|which) (?:year|date|day|month)\b", low):
        return "date", Kind.DATE
    if re.match(r"what (?:happens|occurs|is done|can be done|must be done|should be done)\b", low):
        return "", Kind.TEXT
    if re.match(r"(?:\w+ )?\bwhere\b", low):
        return "location", Kind.PLACE
    if re.match(r"(?:to |by |from |with |for )?(?:who|whom|whose)\b", low):
        return "", Kind.PERSON
    if much := re.search(
        r"\bhow (many|much|long|often|old|tall|high|far|large|big|fast|deep|wide)\b ?([a-z-]*)(?: ([a-z-]+))?", low
    ):
        return _quantity(much[1], much[2], much[3] or "", low)
    if re.match(rf"(?:{_VERBS})(?:n't)?\b", low):
        return "", Kind.YES_NO
    if re.match(r"what (?:does|do|did|would|will) .*\bcost\b", low):
        return "price", Kind.MONEY
    if noun := _noun(low):
        kind = _HEAD_KIND.get(stem(noun), Kind.NAME)
        asked = rf"\b(?:which|what) (?:[\w-]+ ){{0,2}}{re.escape(noun)}\b"
        if kind is Kind.CODE and _plural(noun) and re.search(asked, low):
            return noun, Kind.TEXT  # several of them: a sentence tells them
        return noun, kind
    return "", Kind.TEXT


def _plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


def _quantity(word: str, first: str, second: str, low: str) -> tuple[str, Kind]:
    if word == "long" and not re.search(r"\b(?:river|road|bridge|race|tunnel|wall)\b", low):
        return "time", Kind.DURATION
    if word == "much" and re.search(r"\b(?:cost|costs|pay|paid|price|earn|spend|spent|charge|worth|money)\b", low):
        return "price", Kind.MONEY
    noun = first if first and first not in _QUESTION_WORDS else ""
    if word == "much" and not noun and re.search(r"\b(?:reimburs\w+|refund\w*|receive|get|charged?)\b", low):
        return "price", Kind.MONEY
    if noun in ("new", "paid", "full", "annual", "business", "working", "free", "different", "concurrent") and second:
        noun = second
    return noun, Kind.NUMBER


def _noun(low: str) -> str:
    """The noun a what/which question wants one of."""
    direct = re.search(r"\b(?:what|which)\s+((?:[a-z][\w-]*\s+){1,2}?)(?:are|do|does|were|can)\b", low) or re.search(
        rf"\b(?:what|which)\s+((?:[a-z][\w-]*\s+){{1,4}}?)(?:(?:{_VERBS}|of|in|for|[a-z]+s|[a-z]+ed)\b|\?)", low + "?"
    )
    if direct and not re.match(rf"(?:{_VERBS})\b", direct[1]):
        words = [one for one in direct[1].split() if one == "state" or one not in _QUESTION_WORDS]
        for word in words:
            if stem(word) in _HEAD_KIND:
                return word
        return words[-1] if words else ""
    of = re.search(rf"\b(?:what|which)\s+(?:{_VERBS})\s+(?:the |an? |[^\s]+['’]s )((?:[a-z][\w-]*\s*){{1,5}})", low)
    if of:
        words = re.split(
            r"\b(?:of|in|for|associated|at|on|to|by|that|with|and|from|when|if|per|each|every|under|after|before|during)\b",
            of[1],
        )[0].split()
        known = [one for one in words if stem(one) in _HEAD_KIND]
        if words and "default" in words:
            return "default"
        return known[-1] if known else (words[-1] if words and re.search(r"\b(?:of|for)\b", of[1]) else "")
    if bare := re.match(rf"(?:what|which)\s+([a-z][\w-]+)\s+(?!{_VERBS})", low):
        return bare[1] if stem(bare[1]) in _HEAD_KIND else ""
    return ""


def _relation(text: str, entities: tuple[str, ...], head: str, kind: Kind) -> tuple[str, ...]:
    rest = re.sub(r"\bup[- ]to[- ]date\b", "updated", text)
    for entity in entities:
        rest = rest.replace(entity, " ")
    words = [one for one in fold(rest).split() if one not in _QUESTION_WORDS and one not in STOP_WORDS]
    silent = {"many", "much", "long", "often", "year", "date", "name", "located" if kind is not Kind.PLACE else ""}
    silent |= {"associated", "called", "take", "place"} if kind in (Kind.PERSON, Kind.SORT, Kind.DATE) else set()
    kept = [one for one in words if one not in silent and stem(one) not in STOP_STEMS]
    if head and kind is Kind.PLACE and not kept:
        kept = ["located"]
    firm = [one for one in kept if stem(one) not in LIGHT]
    kept = firm if firm or entities else kept
    return tuple(
        dict.fromkeys(kept or [one for one in words if one not in silent and (stem(one) not in LIGHT or not entities)])
    )


@lru_cache(maxsize=1024)
def wanted(question: Question) -> dict[str, float]:
    """The stems that say the question's relation, with how fully each counts (0..1)."""
    return {one: weight for one, weight in groups_of(question.relation).items() if one not in STOP_STEMS}


@lru_cache(maxsize=4096)
def entity_stems(entity: str) -> tuple[tuple[str, float], ...]:
    """The words of an entity as (stem, weight); titles such as General say less than the name."""
    words = fold(entity).split()
    content = [one for one in words if one not in STOP_WORDS] or words
    return tuple((stem(one), 0.3 if one in HONORIFICS and len(content) > 1 else 1.0) for one in content)


def content_stems(question: Question) -> tuple[str, ...]:
    """Stems of everything the question says."""
    return stems(question.text)


_OFFICE = re.compile(
    r"who (?:is|are)\b.*\b(?:heads?|ceo|presidents?|managers?|leaders?|chair\w*|ministers?|mayors?|governors?|chiefs?|"
    r"contacts?|suppliers?|officers?|responsible|in charge)\b|who (?:leads|runs|heads|chairs|manages)\b",
    re.IGNORECASE,
)


def asks_office(question: Question) -> bool:
    """Whether it asks who holds an office now, which changes with time, as who wrote a book does not."""
    return question.kind is Kind.PERSON and not question.years and bool(_OFFICE.match(question.text))


def timeless(question: Question) -> bool:
    """Whether newer documents do not change the answer: an event of the past. Who holds an office now does change."""
    if asks_office(question):
        return False
    return question.past or question.kind in (Kind.PERSON, Kind.TITLE) or bool(question.years)
