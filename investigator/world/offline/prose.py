"""How a sentence reads as an explanation: plain statements before pointers, examples and notes on the document itself.

Knows the wording of reference texts; must not know pages, scores of words or tools.
"""

from __future__ import annotations

import re
from functools import lru_cache

MOST_WORDS = 60  # of a quote that is prose: a sentence with the one that it leans on

# Sentences that lean on the one before say little, or something else, when they stand alone.
_LEANS = re.compile(
    r"\s*(?:This|These|That|Those|Such|It|They|Its|Their|He|She|His|Her|Otherwise|However|Therefore|Thus|Hence|Then|But|"
    r"Or|And|So|Here|Instead|Similarly|Likewise|Alternatively|Also|Again|Doing so|Both|Neither|Either|Some|Others?|"
    r"In (?:this|that|these|such|other|both|either) \w+|For (?:this|that|these|such) \w+|As (?:a result|such|before)|"
    r"If (?:so|not|it|they|this|these|that)|When (?:it|they|this|these|that)|Unlike (?:this|these|it)|"
    r"(?:If|When) \w+,? (?:it|they)\b|(?:At|By|After|Before|Prior to|Because of|Due to|To do|With|"
    r"Without) (?:this|that|these|which|it|so)|"
    r"On the other hand|In addition|Furthermore|Moreover|Finally|Additionally|In particular|"
    r"The (?:latter|former|following|above|same|other|first|second|third|next|last|resulting|previous|two|three))\b"
)
# "It is possible to …" is about nothing that went before.
_EXPLETIVE = re.compile(
    r"\s*(?:It (?:is|was|has been|can be|may be|seems)\b[^.;]{0,30}?\b(?:to|that|whether|when|if)\b|"
    r"(?:Both|Neither|Either|Some|Such|These|Those) (?!of\b)\w+ (?:and|or|of)\b)"
)
_NAMED = re.compile(
    r"(?P<lead>|(?:If|When|Once|Unless|While|After|Before|Setting|Calling|Using) )(?:[Tt]his|The) "
    r"(?P<noun>(?:read-only |class |instance |data |static |abstract )?(?:attribute|method|function|class|"
    r"exception|constant|option|parameter|argument|property|setting|flag|module|decorator|coroutine|context manager|"
    r"command|object|variable|value|type|mode))\b(?! (?:of|to|for|in)\b)"
)
# What a document calls itself; its title says which.
_OWN = re.compile(
    r"This (?P<noun>library|package|module|project|tool|program|framework|software|distribution|plugin)\b(?! of)"
)
_POINTER = re.compile(
    r"^\W*(?:See|Refer|Read|Consult|Visit|Check(?: out)?|Note that the (?:examples?|documentation)|"
    r"(?:For|More|Further|Additional|Other) (?:more|further|full|additional|other|complete)?\s?(?:information|details?|"
    r"examples?|an? (?:example|explanation|overview|introduction|list|description)))\b|"
    r"\b(?:is|are|will be|can be) (?:described|documented|discussed|explained|listed|covered|given|shown|"
    r"detailed|summarized) "
    r"(?:in|below|above|here|at|under|elsewhere|there)\b|"
    r"\b(?:section|tutorial|chapter|guide|document|page|documentation|how-?to|explanation|appendix|article|readme|faq|"
    r"recipes?|table|list|manual|reference)s?\b[^.]{0,40}\b(?:describe|explain|provide|cover|detail|show|list|document|"
    r"discus|contain|assume|give|introduc|illustrat|present|summari|outlin|demonstrat)\w*\b|"
    r"\bin-depth background on\b|"
    r"^\W*[A-Z]\w+ (?:provides?|gives?|contains?) (?:an? )?(?:in-depth|background|overview|introduction|more)\b|"
    r"\bassum\w+ (?:\w+ ){0,4}(?:understanding|knowledge|familiar)|\bread on\b|\bsource code:|\bclick here\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"^\W*(?:Changed|New|Added|Deprecated|Removed|Fixed) (?:in|since|for)\b|^\W*(?:Changed|New|Deprecated)\b[^.]{0,30}"
    r"\bversion\b|\b(?:since|in|as of|until|before|prior to) (?:version |v|Python |release )\d+(?:\.\d+)+",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:in this example|for (?:example|instance)|e\.g\.|let[’']s|let us|suppose|imagine|here[’']s|you[’']ll|"
    r"we (?:can|will|now|use|have|are|want|see)|as an example|the (?:following|above) (?:example|code|snippet)|"
    r"example (?:below|above)|in the example)\b|^\W*Example\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"^\W*(?:Note|Warning|Caution|Important|Tip|Hint|See also|Todo|Caveat)\b", re.IGNORECASE)
_MEANS = re.compile(
    r"^\W*(?:By default|If|When|Whenever|Once|Unless|Before|After|On|To \w+|While|Because|Since)\b|"
    r"\b(?:is|are) (?:an?|the|used|called|automatically|implicitly|always|never|not|created|raised|returned|opened|"
    r"closed|deleted|removed|set|sent|treated|handled|stored|passed|performed)\b|"
    r"\b(?:means|controls|defaults?|determines|ensures|consists|allows|returns|raises|represents|implements|uses|"
    r"works by)\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"^\W*(?:(?:An?|The)\s)?(?:[\w`.+-]+\s){1,6}(?:is|are|means?|refers? to|represents?|denotes?|provides?|can be|"
    r"implements?|supports?|allows?)\b"
)
_CAUSE = re.compile(
    r"\b(?:because|since|so that|due to|reason|in order to|otherwise|to (?:avoid|prevent|ensure|allow|reduce)|"
    r"avoids?|prevents?|ensures?|thus|therefore|could|would|not secure|danger\w*|unsafe|risk\w*|as (?:it|they)|"
    r"this (?:means|makes|allows|is))\b",
    re.IGNORECASE,
)
_DISCLAIMS = re.compile(
    r"\b(?:does|do|is|are) not (?:adhere|conform|comply|cover|try|attempt|aim|intend|meant)\w*\b", re.IGNORECASE
)
_MANNER = re.compile(
    r"^\W*(?:Use|Call|Pass|Set|Specify|Create|Add|Run|Install|Define|Provide|Give|Write|Override|Wrap|Import|Enable|"
    r"Disable|Open|Turn|Make)\b|\b(?:use|using|call|calling|pass|passing|set|setting|specify|specifying|with the|via|"
    r"by \w+ing|can be \w+ed|lets? you|allows? you|you (?:can|may|should|must|need))\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:when|whenever|once|as soon as|after|before|until|unless|if|upon|at the end|on (?:exit|close|entry)|every|"
    r"immediately|during|while|automatically)\b",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"^[-*+•\s]*`?\*{0,2}[\w.]+`?\*{0,2} \([^()]*\) [–—-] ")
_PERSONAL = re.compile(r"\b(?:I|I[’']\w+|my|we[’']ve|don[’']t confuse)\b")
# What it says stands in the lines that follow it.
_AHEAD = re.compile(
    r"\b(?:the following|as follows|below)\b(?: \w+){0,2}\s*[.:]?$|:$|\bof the following\b", re.IGNORECASE
)
_FRAGMENT = re.compile(r"^(?!\w*[._(\d])[a-z]+\s")
_CODE = re.compile(
    r"</?[a-z]+[ >/]|\bawait \w|\btry:|\bexcept [\w.]+:|(?:^|\s)# \w|\bprint\(|\bwith \w[^.]*\):\s|\S\s{4,}\S|"
    r">>>|[{}]|\w\(\w+=|==|;\s*$|\bimport \w+|\bdef \w+\(|\s=\s\S+\s\w+\.\w+\(|::|\bassert \w|\"{3}"
)


@lru_cache(maxsize=16384)
def worth(question: str, text: str) -> float:
    """How well a sentence reads as an explanation, whatever its words: about 0.3 to 1.15.

    >>> worth("How does it work?", "By default the file is closed.") > worth("How does it work?", "See the manual.")
    True
    """
    asked = question.lower()
    bare = re.sub(r"\s*\((?:see|cf\.?)\b[^()]*\)", "", text)
    factor = 0.45 if _POINTER.search(bare) else 1.0
    if _HISTORY.search(bare) and not re.search(r"\b(?:version|change|new|since|deprecat|remov|histor|differ)", asked):
        factor *= 0.7
    factor *= 0.72 if _EXAMPLE.search(bare) and "example" not in asked else 1.0
    factor *= 0.8 if _PARAMETER.match(bare) else 1.0
    factor *= 0.5 if bare.lstrip("-* ").startswith("(") else 1.0
    factor *= 0.7 if _FRAGMENT.match(bare) else 1.0
    factor *= 0.9 if _ASIDE.match(bare) else 1.0
    factor *= 0.75 if _PERSONAL.search(bare) else 1.0
    factor *= 0.6 if re.match(r"\W*(?:Please|Thanks?|Feel free)\b", bare) else 1.0
    factor *= 0.75 if _AHEAD.search(bare) else 1.0
    factor *= 0.85 if _DISCLAIMS.search(bare) else 1.0
    factor *= 0.5 if _CODE.search(re.sub(r"`[^`]*`", "", bare)) else 1.0
    factor *= 0.85 if len(bare.split()) < 7 else 0.85 if len(bare.split()) > MOST_WORDS else 1.0
    return factor * _suits(asked, bare)


def _suits(asked: str, text: str) -> float:
    """More where the sentence has the form that the question word asks for."""
    form = _MEANS
    if re.match(r"what (?:is|are|does .+ mean)\b(?! the (?:reason|purpose|adv|disadv))", asked):
        form = _DEFINES
    elif re.match(r"why\b|what (?:is|are) the (?:reason|purpose|advantage|disadvantage)", asked):
        form = _CAUSE
    elif re.match(r"(?:how (?:do|can|should|could|would|must) (?:i|you|we|one)|how to)\b", asked):
        form = _MANNER
    elif re.match(r"(?:when|what happens|under (?:what|which))\b", asked):
        form = _TIME
    return 1.1 if form.search(text) else 0.95


def conditional(text: str) -> bool:
    """Whether a sentence tells when something happens, by a condition instead of a date."""
    return bool(_TIME.search(text))


def leans(text: str, heading: str = "") -> bool:
    """Whether a sentence needs the one before it to be understood; ``this method`` below its name does not.

    >>> leans("This leaves it open."), leans("It is possible to leave it open."), leans("A file is closed.")
    (True, False, False)
    """
    bare = text.lstrip("*-+•`\"“' ")
    if _OWN.match(bare):
        return False
    if _NAMED.match(bare) and is_term(heading):
        return False
    return bool(_LEANS.match(bare)) and not _EXPLETIVE.match(bare)


def joins(text: str) -> bool:
    """Whether a sentence may be what the next one leans on: it says something itself.

    >>> joins("New in version 3.11."), joins("No file is opened.")
    (False, True)
    """
    if re.search(r"\bdo(?:es)?(?:n[’']t| not)? (?:this|so|that)\b", text):
        return False
    return not (_HISTORY.search(text) or _POINTER.search(text) or _CODE.search(re.sub(r"`[^`]*`", "", text)))


def is_term(heading: str) -> bool:
    """Whether a heading is the name that a reference text defines below it: ``timeout``, ``Lock.acquire()``.

    >>> is_term("isolation_level"), is_term("class sqlite3.Row"), is_term("Tutorial"), is_term("Open files")
    (True, True, False, False)
    """
    name = bare_term(heading)
    return bool(
        re.fullmatch(r"-{0,2}[A-Za-z_][\w.-]*(?:\(.*\))?", name)
        and (re.search(r"[._\d(-]", name) or not name.istitle())
    )


def bare_term(heading: str) -> str:
    """The name itself, without ``class`` or its arguments."""
    inner = heading.rsplit(" › ", 1)[-1].strip("` ")
    return re.sub(r"^(?:class|exception|async|coroutine|classmethod|staticmethod|abstractmethod) ", "", inner)


def tail(name: str) -> str:
    """The last component of a dotted name, folded: ``csv.Dialect.delimiter(...)`` is ``delimiter``."""
    return bare_term(name).split("(")[0].rsplit(".", 1)[-1].lower()


def is_history(text: str) -> bool:
    """Whether a sentence tells in which version something came, as a reference text ends with."""
    return bool(re.match(r"\W*(?:New|Changed|Added|Deprecated|Removed) (?:in|since) version\b", text))


_LOG = re.compile(
    r"^(?:fixed|changed|added|removed|deprecated|improved|bug ?fixes|fixes|security|new features|changes?|changelog|"
    r"history|release notes?|releases|what[’']s new\b.*|what[’']s changed|.*\bcontributors?|\[?v?\d+(?:\.\d+)+\b.*)$",
    re.IGNORECASE,
)


def is_log(heading: str) -> bool:
    """Whether what stands below is a record of releases, which tells what was, not what is.

    >>> is_log("acme › 2.1.0 (2024-05-01) › Fixed"), is_log("acme › Usage")
    (True, False)
    """
    return any(_LOG.match(one.strip("# ")) for one in heading.split(" › ")[-2:])


def finished(text: str) -> str:
    """A cut-out of a long sentence, ended at its last clause; a whole sentence as it is."""
    if re.search(r"[.!?:;…][\"'”’)`]*$", text) or len(text.split()) < 30:
        return text
    borders = [one.start() for one in re.finditer(r"[;,] (?:but|and|or|which|while|so|because|as)\b|; |, ", text)]
    kept = [one for one in borders if one > len(text) // 2]
    ends = [one for one in kept if text[one] == ";"] or kept
    return f"{text[: ends[-1] if text[ends[-1]] != ';' else ends[0]]}." if ends else text


def named(text: str, heading: str) -> str:
    """The sentence with the name that it calls ``this attribute`` or leaves out, where the heading is one.

    >>> named("This attribute controls it.", "Connection objects › isolation_level")
    'The isolation_level attribute controls it.'
    """
    if not is_term(heading):
        return text
    name = bare_term(heading).split("(")[0]
    match = _NAMED.match(text)
    if name.rsplit(".", 1)[-1].lower() in (text[: match.end() + 20] if match else text).lower():
        return text
    if match:
        article = "the" if match["lead"] else "The"
        return f"{match['lead']}{article} {name} {match['noun']}{text[match.end() :]}"
    return f"{name}: {text}"


def own_name(text: str, title: str) -> str:
    """The sentence with the document's own name in the place of ``this library``.

    >>> own_name("This library is small.", "acme 1.2 documentation")
    'The library acme is small.'
    """
    name, match = titled(title), _OWN.match(text)
    return f"The {match['noun']} {name}{text[match.end() :]}" if match and name else text


def titled(title: str) -> str:
    """The name that a title gives to its subject; '' where it is a headline.

    >>> titled("`csv` — CSV File Reading and Writing"), titled("acme 1.2 documentation"), titled("How to do many")
    ('csv', 'acme', '')
    """
    name = re.split(r"\s+[—–-]\s|\s+v?\d|:\s", title.strip("`# "))[0].strip("` ")
    return name if len(name.split()) < 4 else ""


def points(text: str) -> bool:
    """Whether a sentence only tells where something is told."""
    return bool(_POINTER.search(text))
