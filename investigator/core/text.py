"""How texts are compared: folding, words, terms and numbers.

Knows characters; must not know claims, quotes, pages or prompts. Pure: equal text gives equal results, and the caches
are memos that nobody can observe.

Folding answers "do these two say the same words": NFKC, case, line-end hyphens, invisible characters, white space and
punctuation do not count, but ``+ # %`` and what makes a number do: C, C++ and C# differ, 1.5 is not 15, -5 is not 5.

A text is folded in three passes over characters. `_plain` maps them (every non-ASCII character that is left afterwards
is part of a word), `_joined` takes out what is inside a word without being part of it, `_TOKEN` finds the words. Each
pass carries the offsets of the original along, so that a match in the folded text leads back to the exact place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# Not negations: a query that adds "not" asks something else.
_STOP = """
a about after again all also am an and any are arent as at be because been before being between both but by can could
did do does doing down during each either few for from further had has have having he her here hers herself him
himself his how i if in into is it its itself just may me might more most must my myself of off on once only or other
our ours out over own same shall she should so some such than that the their theirs them themselves then there these
they this those through to too under until up upon us very was we were what when where which while who whom whose why
will with would you your yours yourself
"""
STOP_WORDS = frozenset(_STOP.split())

# Scripts that write no spaces: each character is a word, or no part of a sentence could be found in it.
_SINGLE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACED = r"0-9a-z\x80-\u303f\u3100-\u33ff\u4dc0-\u4dff\ua000-\uf8ff\ufb00-\U0001ffff\U00040000-\U0010ffff"
_WORD = _SINGLE + _SPACED
_NOTE = "\x00"  # stands on both sides of a raised digit: 10² must not read 102, but m² may read m2
_SHY = "\x01"  # a soft hyphen before white space: it joins like a hyphen when the line ends there

_ODD = re.compile(r"[\t\n\f\r -~]?[^\t\n\f\r -~]+")
_INSIDE = re.compile(
    rf"(?<=[{_WORD}])(?<!\d)'(?=[{_WORD}])"
    rf"|(?<=\d)'(?=[{_WORD}])(?!\d)"
    rf"|(?<=[{_WORD}])(?<!\d)[-{_SHY}][ \t]*(?:\r\n?|\n\f?|\f)[ \t]*(?=[{_WORD}])(?!\d)"
    rf"|{_NOTE}{_NOTE}|(?<!\d){_NOTE}|{_NOTE}(?!\d)|{_SHY}"
)
_TOKEN = re.compile(
    rf"[{_SINGLE}]"
    rf"|(?:[{_SPACED}]++"
    r"|[+#%]"
    r"|(?<=\d)[.,:/'-](?=\d)"
    rf"|(?<![{_WORD}+#%.\-])-(?=\.?\d)"
    rf"|(?<![{_WORD}+#%.])\.(?=\d))++"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and where its words come from.

    Attributes:
        text: the folded words, one space between them.
        words: the same as a tuple.
        starts: for each word, the offset of its first character in the original.
        ends: for each word, the offset behind its last character in the original.
    """

    text: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def find(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Each place of the folded ``phrase``, whole words only, as a half-open range of word numbers.

        >>> list(folded("The cat. The catalogue.").find("the cat"))
        [(0, 2)]
        """
        if not phrase:
            return
        size, padded, needle = phrase.count(" ") + 1, f" {self.text} ", f" {phrase} "
        at, word, counted = padded.find(needle), 0, 0
        while at >= 0:
            word += self.text.count(" ", counted, at)  # from the last hit on: a page full of hits stays linear
            counted = at
            yield word, word + size
            at = padded.find(needle, at + 1)


def fold(text: str) -> str:
    """What is left of a text when only its words count.

    >>> fold("The “inter-\\nnational” *C++* prize, worth 1,234.50 in 1962.")
    'the international c++ prize worth 1,234.50 in 1962'
    """
    # Short texts (queries, claims) are many and cheap to keep; pages are few and large.
    return _fold_short(text) if len(text) <= 2000 else folded(text).text


@lru_cache(maxsize=8192)
def _fold_short(text: str) -> str:
    return _folded(text).text


@lru_cache(maxsize=64)
def folded(text: str) -> Folded:
    """The folded text with the offsets of each word in the original; ``folded(t).text == fold(t)``.

    >>> page = folded("It's **done**.")
    >>> page.words, page.starts, page.ends
    (('its', 'done'), (0, 7), (4, 11))
    """
    return _folded(text)


def same(a: str, b: str) -> bool:
    """Whether two texts are equal after folding.

    >>> same("Who wrote it?", "who  wrote “it”"), same("C", "C++")
    (True, False)
    """
    return fold(a) == fold(b)


def words(text: str) -> tuple[str, ...]:
    """The words of the folded text, in order."""
    return tuple(fold(text).split())


def terms(text: str) -> frozenset[str]:
    """The folded words that carry meaning: no English stop words, but ``not`` and ``no`` count.

    >>> sorted(terms("It is not the capital of France"))
    ['capital', 'france', 'not']
    """
    return frozenset(words(text)) - STOP_WORDS


def _folded(text: str) -> Folded:
    result = _fold_once(text)
    # ASCII is stable after one pass. Elsewhere dropping a character can bring two together that compose, so the
    # passes go on until nothing changes; each one only shortens, the count is a guard against hostile text.
    for _ in range(8):
        if all(word.isascii() or _stable(word) for word in set(result.words)):
            break
        result = _composed(result, _fold_once(result.text))
    return result


@lru_cache(maxsize=65536)
def _stable(word: str) -> bool:
    return _fold_once(word).text == word


def _composed(first: Folded, second: Folded) -> Folded:
    """The second pass with its offsets led back through the first to the original."""
    starts = tuple(first.starts[first.text.count(" ", 0, at)] for at in second.starts)
    ends = tuple(first.ends[first.text.count(" ", 0, at)] for at in second.ends)
    return Folded(second.text, second.words, starts, ends)


def _fold_once(text: str) -> Folded:
    plain, starts, ends = _joined(*_plain(text))
    found, first, last = [], [], []
    for match in _TOKEN.finditer(plain):
        word = match.group()
        if word[0] in "+#" and not word.strip("+#"):
            continue  # a Markdown heading or bullet; C++, #1 and +5 touch a word
        found.append(word)
        first.append(starts[match.start()])
        last.append(ends[match.end() - 1])
    return Folded(" ".join(found), tuple(found), tuple(first), tuple(last))


def _plain(text: str) -> tuple[str, list[int], list[int]]:
    """Mapped characters, and for each the range of the original that it stands for."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in _ODD.finditer(text):
        begin, end = match.span()
        out.append(text[done:begin].lower())
        starts.extend(range(done, begin))
        ends.extend(range(done + 1, begin + 1))
        run = match.group()
        piece = "".join(map(_mapped, run)) if all(_kind(one) == "starts" for one in run) else ""
        if len(piece) == len(run) and _NOTE not in piece:
            pieces = [(piece, begin, end)]
            starts.extend(range(begin, end))
            ends.extend(range(begin + 1, end + 1))
        else:
            pieces = list(_pieces(run, begin))
            starts.extend(start for one, start, _ in pieces for _ in one)
            ends.extend(stop for one, _, stop in pieces for _ in one)
        out.extend(one for one, _, _ in pieces)
        done = end
    out.append(text[done:].lower())
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return "".join(out), starts, ends


def _pieces(run: str, offset: int) -> Iterator[tuple[str, int, int]]:
    """The clusters of a run (a character and the marks that join it), each mapped, with its range."""
    cluster, start, stop = "", offset, offset
    for at, character in enumerate(run, offset):
        kind = _kind(character)
        if kind == "dropped":
            continue
        if kind == "joins" and cluster:
            # 30 is the bound of Unicode's stream-safe text (UAX #15); more marks are an attack on the normaliser.
            if len(cluster) <= 30:
                cluster, stop = cluster + character, at + 1
            continue
        if cluster:
            yield _mapped(cluster), start, stop
        cluster, start, stop = character, at, at + 1
    if cluster:
        yield _mapped(cluster), start, stop
    if run.endswith("\xad"):
        yield _SHY, offset + len(run) - 1, offset + len(run)


# Invisible though no format characters: joiners, selectors and fillers (Unicode's Default_Ignorable_Code_Point).
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


@lru_cache(maxsize=65536)
def _kind(character: str) -> str:
    if character in "\t\n\f\r":
        return "starts"
    # The same that a prompt leaves out (blocks.clean), so that what a model read and copied is found again.
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or _INVISIBLE.match(character):
        return "dropped"
    first = unicodedata.normalize("NFKC", character)[0]
    joins = unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"  # Hangul vowels, finals
    return "joins" if joins else "starts"


_APOSTROPHES = frozenset("'\u2018\u2019\u201b\u2032\u02bb\u02bc\u02b9\u00b4")
_RAISED = ("<super>", "<sub>", "<circle>", "<fraction>")


@lru_cache(maxsize=65536)
def _mapped(cluster: str) -> str:
    """A cluster as lower-case word characters (any script), ASCII punctuation, or a space."""
    if cluster[0] in _APOSTROPHES:
        return "'"
    normal = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())
    out = ""
    for character in normal:
        piece = _mapped_character(character)
        # A mark that stands on no letter has nothing to say.
        if piece and unicodedata.category(piece)[0] == "M" and not _is_word(out[-1:]):
            continue
        out += piece
    raised = unicodedata.decomposition(cluster[0]).split(" ", 1)[0] in _RAISED
    return f"{_NOTE}{out}{_NOTE}" if raised and any(map(str.isdecimal, out)) else out


def _mapped_character(character: str) -> str:
    if character.isascii():
        return character
    if character in _APOSTROPHES:
        return "'"
    category = unicodedata.category(character)
    if category == "Pd" or character == "\u2212":
        return "-"
    if character in "\u2044\u2215":
        return "/"
    if category in ("Cc", "Cf", "Cs", "Zl", "Zp") or _INVISIBLE.match(character):
        return ""
    return character if category[0] in "LNM" else " "


def _is_word(character: str) -> bool:
    return character != "" and unicodedata.category(character)[0] in "LNM"


def _joined(plain: str, starts: list[int], ends: list[int]) -> tuple[str, list[int], list[int]]:
    """Without what stands inside words: apostrophes, line-end hyphens, marks of this file that separate nothing."""
    out: list[str] = []
    first: list[int] = []
    last: list[int] = []
    done = 0
    for match in _INSIDE.finditer(plain):
        begin, end = match.span()
        out.append(plain[done:begin])
        first.extend(starts[done:begin])
        last.extend(ends[done:begin])
        done = end
    if not done:
        return plain, starts, ends
    return "".join([*out, plain[done:]]), first + starts[done:], last + ends[done:]


_NUMBER = re.compile(
    r"(?P<sign>(?<![\w+#%.)-])[+-][$€£¥₹]?)?(?<!\w)(?<!\d[.,:/'-])"
    r"(?P<digits>\d+(?:[.,:/'-]\d+)*|\.\d+)"
    r"(?![^\W\d_]*\d)"
)
_SPACES = re.compile(r"(?<=\d)[\xa0\u2007\u2009\u202f](?=\d{3}(?!\d))")
_RAISED_DIGIT = re.compile(r"(?<=\d)(?=[²³¹⁰⁴-⁹₀-₉¼-¾⅐-⅞①-⑨])")
_UNSEEN = re.compile(r"[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_DASHES = {ord(one): "-" for one in "\u2010\u2011\u2012\u2013\u2212"}  # a long dash is no sign
_QUOTES = {ord(one): "'" for one in _APOSTROPHES - {"\u2032"}}  # a prime is a foot or a minute, never a group
_GROUPED_BY_SPACE = re.compile(r"(?<![\w.,:/'+-])([+-]?[$€£¥₹]?\d{1,3}(?: \d{3}(?!\d))+(?:\.\d+)?)(?![.,:/'-]?\d)")


def numbers(text: str) -> tuple[str, ...]:
    """The numbers that stand in a text, as decimal strings without grouping, plus sign or trailing zeros.

    Parts of dates, ranges and times count one by one; version numbers (1.2.3) are no numbers. Digits grouped by a plain
    space read both ways, because columns of a table look the same; those readings come last.

    >>> numbers("$1,234.50, −5 % in 1990–95; 3,14; v1.2.3; 12 500 people")
    ('1234.5', '-5', '1990', '95', '3.14', '12', '500', '12500')
    """
    ready = _SPACES.sub("'", _RAISED_DIGIT.sub(" ", _UNSEEN.sub("", text)))
    ready = unicodedata.normalize("NFKC", ready.translate(_DASHES).translate(_QUOTES)).replace("\u2044", "/")
    found = [one for match in _NUMBER.finditer(ready) for one in _readings(match["sign"] or "", match["digits"])]
    found += [_decimal(match[1].replace(" ", "")) for match in _GROUPED_BY_SPACE.finditer(ready)]
    return tuple(found)


def value_in(value: str, text: str) -> bool:
    """Whether a decimal value stands in the text as a whole number; a value that is no number, as whole words.

    >>> value_in("1234.5", "about $1,234.50"), value_in("15", "1.5 in 2015"), value_in("12", "12.0 %")
    (True, False, True)
    """
    wanted = numbers(value)
    if len(wanted) == 1:
        return wanted[0] in numbers(text)
    phrase = fold(value)
    return phrase != "" and f" {phrase} " in f" {fold(text)} "


_ENGLISH = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SWISS = re.compile(r"\d{1,3}(?:'\d{3})+(?:[.,]\d+)?")
_CONTINENTAL = re.compile(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}\.\d{3},\d+|\d+,\d+")
_PLAIN = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_DAY = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")


def _readings(sign: str, digits: str) -> Iterator[str]:
    """What one run of digits and separators says; nothing for a version number."""
    for at, part in enumerate(re.split(r"[:/-]", digits)):
        before = "-" if sign[:1] == "-" and at == 0 else ""
        if _PLAIN.fullmatch(part) or _ENGLISH.fullmatch(part):
            yield _decimal(before + part.replace(",", ""))
        elif _SWISS.fullmatch(part):
            yield _decimal(before + part.replace("'", "").replace(",", "."))
        elif _CONTINENTAL.fullmatch(part):
            yield _decimal(before + part.replace(".", "").replace(",", "."))
        elif _DAY.fullmatch(part):
            yield from map(_decimal, part.split("."))
        else:
            yield from (_decimal(one) for one in re.split(r"[,']", part) if _PLAIN.fullmatch(one))


def _decimal(number: str) -> str:
    """Canonical form: ASCII digits, no currency, plus sign, leading or trailing zeros."""
    ascii_only = "".join(str(unicodedata.decimal(one, one)) for one in number)
    whole, _, fraction = ascii_only.lstrip("+-").lstrip("$€£¥₹").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    plain = f"{whole}.{fraction}" if fraction else whole
    return f"-{plain}" if number.startswith("-") and plain != "0" else plain
