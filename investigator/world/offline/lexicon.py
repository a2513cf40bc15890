"""Word lists of general English that the reading rules share, and a light stemmer.

Knows words; must not know questions, pages or any data set. Every list is closed and read-only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from investigator.core.text import STOP_WORDS, fold


def word_set(text: str) -> frozenset[str]:
    """The words of a line as a set."""
    return frozenset(text.split())


_SUFFIXES = (
    "ational", "ization", "ations", "ation", "ements", "ement", "ments", "ment", "ings", "ing", "ities", "ity", "ions",
    "ion", "ives", "ive", "edly", "ied", "ies", "ers", "ors", "er", "or", "ed", "es", "ly", "al", "s", "e",
)  # fmt: skip


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A crude stem of a lower-case word: inflections of one verb or noun mostly meet.

    >>> stem("directed") == stem("director"), stem("located") == stem("location"), stem("built")
    (True, True, 'build')
    """
    word = _IRREGULAR.get(word, word)
    if len(word) > 5:  # British and American spelling meet
        word = _SPELLED_S.sub("iz", _SPELLED_OUR.sub("or", word))
    if len(word) < 4 or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    word = word.removesuffix("e") if len(word) > 3 else word
    # "enrolled" meets "enrol", but "calls" stays "call".
    if len(word) > 4 and word[-1] == word[-2] and (word[-1] not in "ls" or (word[-1] == "l" and len(word) > 5)):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


_SPELLED_S = re.compile(r"is(?=(?:e|es|ed|ing|ation|ations|er|ers)$)")
_SPELLED_OUR = re.compile(r"our(?=(?:|s|ed|ing|al|ally)$)")
_IRREGULAR = {
    "built": "build", "wrote": "write", "written": "write", "began": "begin", "begun": "begin", "held": "hold",
    "won": "win", "sold": "sell", "sang": "sing", "sung": "sing", "paid": "pay", "kept": "keep", "died": "die",
    "dies": "die", "dying": "die", "death": "die", "made": "make", "led": "lead", "took": "take", "taken": "take",
    "became": "become", "chose": "choose", "chosen": "choose", "went": "go", "ran": "run", "running": "run",
    "found": "find", "used": "use", "uses": "use", "using": "use", "usage": "use",
    "children": "child", "people": "person", "lay": "lie", "lies": "lie", "sent": "send", "cost": "cost",
    "located": "locat", "location": "locat", "population": "populat", "permitted": "permit", "raised": "rais",
}  # fmt: skip

TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+|(?<=\d)[.,](?=\d)[^\W_]+)*")


def stems(text: str) -> tuple[str, ...]:
    """The stems of the content words of a text, in order, each once."""
    seen = (stem(plain(match.group())) for match in TOKEN.finditer(text))
    return tuple(dict.fromkeys(one for one in seen if one and one not in STOP_STEMS))


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """(stem, start, end) of every word, stop words too."""
    for match in TOKEN.finditer(text):
        yield stem(plain(match.group())), match.start(), match.end()


@lru_cache(maxsize=65536)
def plain(word: str) -> str:
    """A word in lower case without a possessive ending."""
    lowered = word.lower().replace("’", "'")
    return lowered.removesuffix("'s").replace("'", "")


# "more", "before" and their like count as stop words for search; the stems of short helpers are dropped with them.
STOP_STEMS = frozenset(STOP_WORDS) | {"s", "t", "ther"}


# Words that say the same relation. A word may stand in several lines.
_RELATION_LINES = """
born birth birthplace birthday
die died death killed deceased
locate location situated lies headquartered headquarters based seat
found founded founder established establish formed formation created inception organized chartered started incorporated
open opened opening inaugurated
build built constructed construction completed erected
release released issued published launched premiered
end ended closed abolished dissolved discontinued
population inhabitants residents people census populated
artist singer band musician recorded performer performed album
album studio released recorded
direct directed director filmmaker
write wrote written author novelist writer penned
compose composed composer music
create created creator developed invented invention inventor designed
actor starring stars star cast played actress
head chief leader director chair chairman president led
price cost costs fee toll tariff fare priced charge charged pay paid sold sell
reimburse reimbursed refund refunded covered
begin begins began begun start starts started commence effective applies effect
car vehicle automobile
holiday vacation leave
limit maximum max most cap capped up ceiling
minimum least min
default defaults
raise raised formed
mean means meaning derives etymology
profession occupation job worked
sport played plays player league
party affiliated member democrat republican
allow allowed permitted may can possible
support supported supports available
forbid forbidden prohibited banned
replace replaced replaces successor succeeded superseded
win won winner victory awarded
confirm confirmed approved
approve approved adopted
marry married wife husband spouse
father son daughter mother parent
length long distance laps miles
last lasts lasted duration takes took
height tall high elevation
decide determine choose select pick
uninstall remove delete destroy destroyed unlink unlinked erase
skip ignore exclude omit
configure set setting configuration
enable activate turn
disable deactivate
buy bought purchased acquired acquisition
employ employed employees staff headcount workforce
store stored stores keep kept retained retention
raise raises raised exception error throw thrown
return returns returned
require required requires requirement needs must
expire expires expired expiry valid validity
symlink symlinks symbolic
handle handles handling treat treats manage managed management processing
parent ancestor
license licence licensed licenced
differ differs difference differences unlike whereas contrast compared compatible
update updates updated refresh fetch fetches latest current
parallel concurrent concurrently simultaneously
temporary temp
install installation installed
faster speed performance quick
cancel cancelled cancellation abort
error exception failure fails
"""
RELATION_WORDS = tuple(tuple(line.split()) for line in _RELATION_LINES.strip().splitlines())
RELATIONS = tuple(frozenset(map(stem, line)) for line in RELATION_WORDS)

# Verbs that say no relation of their own: a text may answer without them.
LIGHT = frozenset(
    map(
        stem,
        word_set(
            "get give receive have make take use include need work do happen come apply go call see set become read "
            "handle deal behave operate manage implement tell piece way thing want like "
            "module package different certain various several specific possible"
        ),
    )
)
LIMITING = word_set("only unless until before after version except excluding limited provided")
NEGATIONS = word_set(
    "not no never none nobody cannot cant wont doesnt dont didnt isnt wasnt arent werent neither nor false "
    "denied debunked dropped discontinued forbidden prohibited impossible unsupported disabled"
)
STALE = re.compile(
    # What "is superseded by the following" is the older text: the page that says so is the newer one.
    r"\b(?:superseded(?! by (?:the following|this|these|what follows))|archived?|archive of|draft|obsolete|outdated|"
    r"deprecated|no longer (?:in force|valid|current)|"
    r"replaced by(?! (?:the following|this|these))|withdrawn|expired|historical version|old version)\b",
    re.IGNORECASE,
)
FORMER = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|until|used to|no longer|originally planned|at first|was (?:then )?(?:raised|"
    r"lowered|reduced|increased|changed)|old)\b",
    re.IGNORECASE,
)
BOILERPLATE = re.compile(
    r"cookie|privacy policy|terms of (?:use|service)|all rights reserved|sign (?:in|up|out)|log ?in|subscribe|"
    r"jump to (?:content|navigation)|navigation menu|main menu|what links here|printable version|retrieved from|"
    r"create account|hidden categories|edit links|skip to|share this|© \d{4}",
    re.IGNORECASE,
)
HONORIFICS = word_set(
    "general senator judge king queen prince princess saint st sir lord lady dr doctor mr mrs ms president governor "
    "captain colonel major professor pope bishop marquis count duke emperor attorney"
)
MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""".split()  # noqa: SIM905 - read as a line
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}

# What a "what <noun>" question may be answered with, where a noun phrase has no other mark.
CLASSES: dict[str, frozenset[str]] = {
    "sport": word_set(
        "football soccer basketball baseball cricket hockey rugby tennis golf cycling boxing wrestling swimming "
        "athletics volleyball handball rowing sailing skiing judo badminton chess motorsport racing gymnastics "
        "softball lacrosse polo squash snooker darts archery fencing"
    ),
    "party": word_set(
        "republican democrat democratic whig federalist labour conservative liberal socialist communist green"
    ),
    "medium": word_set(
        "film play novel telenovela opera album song book musical painting television radio series drama comic "
        "game magazine newspaper"
    ),
    "transport": word_set("railway motorway road rail tram bus metro ferry highway canal"),
    "profession": word_set(
        "actor actress architect artist author bishop cardinal chef composer conductor cricketer director doctor "
        "economist engineer footballer historian journalist judge lawyer lecturer musician novelist officer painter "
        "philosopher photographer physician pilot player poet politician priest producer professor scientist sculptor "
        "singer soldier surgeon teacher writer dean executive businessman"
    ),
    "rank": word_set("general major brigadier lieutenant colonel captain admiral marshal generalmajor"),
    "position": word_set("midfielder winger forward defender goalkeeper striker guard center pitcher"),
    "genre": word_set(
        "reggae country rock pop jazz blues folk metal punk electronic classical hip-hop rap soul funk disco ska "
        "gospel thriller comedy drama horror western romance documentary action adventure mystery fantasy crime satire "
        "noir musical animation biography war science-fiction novel"
    ),
    "language": word_set("english french german spanish italian portuguese dutch latin greek russian arabic"),
}

# Last or first words of names that are no persons.
ORGANISATIONS = word_set(
    "records corporation company inc ltd museum university college school institute association society library press "
    "studios studio label group department committee council ministry agency bank church festival award awards review "
    "magazine times news street road avenue county city river album track title film series page search menu close "
    "north south east west united states kingdom republic"
)
DEMONYM = re.compile(r"(?:[A-Z][a-z]+(?:ish|ese|ian|ean|can|man)|French|Dutch|Greek|Swiss|Welsh|Czech|Thai)$")


def groups_of(words: Iterable[str]) -> dict[str, float]:
    """Stems that count as a match for these words: themselves fully, words of the same relation for 0.7.

    >>> groups_of(["founded"])[stem("established")]
    0.7
    """
    own = {stem(fold(word)) for word in words}
    found = {near: 0.7 for group in RELATIONS for one in own if one in group for near in group}
    return found | dict.fromkeys(own, 1.0)
