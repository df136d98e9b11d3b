"""Whether a piece of a note says no where its source says yes, or the other way round.

A note and its source are cut into pieces at their commas, brackets and conjunctions; each piece of the note
is held against the pieces of the source that share most with it and what stands before it, and only against
those. There a word is stated, denied, or unclear. What a piece turns in other words ("forbidden",
"allergic", "instead") is unclear and lets the note pass. Texts in, words for a person out; it is no
understanding and promises no completeness (rule 16).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.gate.opposites import PHRASE, SIDES, TWO_ENDED
from scrimshaw.core.spelling import normal
from scrimshaw.core.wording import STOP, stem_of

_SENTENCE = re.compile(
    r"(?<=[\w)\"'%/ ][.!?])(?<!\bdr\.)(?<!\bmrs\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bincl\.)(?<!\bexcl\.)\s+|;\s|\n"
)
_CUT = re.compile(
    r",\s|:\s|\s-+\s|\s?→\s?|[()]|\b(?:but|because|as|since|while|whereas|so|although|though|if|unless|when"
    r"|which|who|until|till|than|instead of|rather than|and|or|then|(?<!not )(?:before|after))\b"
)
_NO = re.compile(
    r"\b(?:not(?! only| just| more than| later than)|no(?! more than| later than| less than| problem| doubt"
    r"| matter|\.)|never|none|nobody|nothing|neither|nor|cannot|without|no longer|zero|except|excluding"
    r"|excl|minus)\b|n't\b|(?<![\d.,:\[-])0(?![\d.,:%\]]|\s?%)"
)
_PLAIN_NO = re.compile(r"\b(?:not(?! only| just| more than| later than)|never|cannot)\b|n't\b")
_LEFT = re.compile(r"\b(?:without|excluding|excl|except|minus|omitting)\b")
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|dropp?(?:s|ed|ing)?|remov(?:es?|ed|ing)|cancel\w*|skip\w*"
    r"|omit\w*)\b"
)
_FORBIDS = re.compile(r"\b(?:forb[ia]d\w*|prohibit\w*|banned|disallow\w*)\b")
_OF_NOUNS = frozenset(
    {"no", "without", "except", "excluding", "excl", "minus", "0", "zero", "none", "nothing"}
)
_WITH = re.compile(
    r"\b(?:with|including|incl|plus|some|only|also|additionally|besides|as well as|again"
    r"|(?<!no )more(?! than)|has|have|gets?)\b"
)
# What says no, sets a limit or takes the place of something in a word of its own.
_TURN = re.compile(
    r"\b(?:only|just|except|unless|instead|rather than|than|stop\w*|drop\w*|cancel\w*|remov\w+|delet\w+"
    r"|exclu\w+|skip\w*|lack\w*|miss\w*|reject\w*|refus\w+|declin\w+|forb[ia]d\w*|avoid\w*|ban|bans|banned|prohibit\w*"
    r"|disallow\w*|retract\w*|un(?!til|der|it|cle)\w{4,}|dis\w{4,}|in(?:valid|correct|complete|tolerant)|wrong"
    r"|freez\w+|frozen|block\w*|hat(?:e|es|ed)|against|too(?=\s\w)|fewer|few|little|hardly|barely|rarely"
    r"|gone|alone|nor|neither|without|no|not|never|none|nobody|nothing|cannot|otherwise|zero|switch\w*"
    r"|opposed|maybe|allerg\w+|intoleran\w+|quit\w*|left|\w+less|replac\w+|mov(?:e|ed|es|ing)"
    r"|turned|former\w*|used to|den(?:y|ies|ied)|ignor\w+|mut(?:e|es|ed|ing)|exempt)\b"
    r"|n't\b|(?<![\d.,:\[-])0(?![\d.,:%\]]|\s?%)"
)
_VAGUE = re.compile(
    r"\b(?:fail\w*|until|till|offline|over|free|empty|away|off|out|wait\w*|h[eo]ld|pending|open|later|yet|less"
    r"|leav\w+|before|after|end\w*|expir\w+|keep\w*|stay\w*|still|at most|max\w*|already|prefer\w*)\b"
)
_NO_MORE = re.compile(r"\bno longer\b|(?:\bnot\b|n't\b).*\bany ?more\b")
_MAY = re.compile(r"\b(?:may|can)\b(?! not\b| be\b)")
_ONLY = re.compile(r"\bonly\b")
_OF_TIME = re.compile(r"\b(?:before|after|until|till|outside|other|else)\b")
_NOUN_END = re.compile(
    r"\b(?:on|in|at|for|from|to|of|via|through|per|during|is|are|was|will|can|any ?more)\b"
)
_BARE = re.compile(r"(?:n't|\bnot|\bnone|\bno)(?=$|[.,;:!)])")
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d\b|(?<=\d):00\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_WORD = re.compile(r"[^\W_]+")
_NOT_SAID_TEXT = """
user assistant want prefer said asked never none nothing nobody neither without except excluding excl minus
zero instead rather longer isn aren wasn weren doesn don didn won wouldn couldn shouldn mustn hasn haven hadn
ain already yet again only still does goes was has
"""
_NOT_SAID = frozenset(map(stem_of, _NOT_SAID_TEXT.split()))
_FIGURES_TEXT = "zero one two three four five six seven eight nine ten eleven twelve"
_FIGURES = {word: str(number) for number, word in enumerate(_FIGURES_TEXT.split(" "))}
_RELATIONS = frozenset(
    map(
        stem_of,
        (
            "with",
            "without",
            "has",
            "have",
            "over",
            "under",
            "more",
            "less",
            "first",
            "on",
            "off",
            "up",
            "down",
        ),
    )
)
_SCOPE_WORDS = 6
_SUBJECT_WORDS = 4
_FEW = 2
_MOST = 0.6


class _Side(NamedTuple):
    """A word that has an opposite: the matter it is of, and which side of it."""

    word: str
    matter: int
    side: int


class Piece(NamedTuple):
    """A piece of a sentence: its words, and what it says of which of them."""

    text: str
    words: frozenset[str]
    before: frozenset[str]  # of its sentence
    after: frozenset[str]  # a denial, a few words far
    heads: frozenset[str]  # the first of those
    denied: frozenset[str]  # those, and what the denial is said of
    has: frozenset[str]  # "with" and the like
    only: frozenset[str]
    left: frozenset[str]  # out: "without"
    lacks: frozenset[str]  # the heads, and what something took the place of
    sides: frozenset[_Side]
    is_bare: bool  # its sentence ends in a denial: "Ostrava wouldn't"
    is_calm: bool  # nothing turns anything in its sentence
    turns: bool


def _keys(text: str) -> list[str]:
    found = []
    text = _ISO.sub(" ", _THOUSANDS.sub("", text))
    for word in _WORD.findall(text):
        key = _FIGURES.get(word) or stem_of(word)
        if key not in STOP and key not in _NOT_SAID:
            found.append((key[:-1] if key[-2:-1] == key[-1] and len(key) == 4 else key)[:6])
    return found


@lru_cache(maxsize=512)
def pieces(text: str) -> tuple[Piece, ...]:
    """Return the pieces of *text*."""
    found: list[Piece] = []
    for line in text.splitlines():
        for sentence in _SENTENCE.split(normal(line)):
            if not sentence.endswith("?"):  # who asks states nothing
                found.extend(_pieces(sentence))
    return tuple(found)


def _pieces(sentence: str) -> Iterator[Piece]:
    is_bare = _BARE.search(sentence) is not None
    is_calm = _TURN.search(sentence) is None
    start = 0
    before: frozenset[str] = frozenset()
    for match in [*_CUT.finditer(sentence), None]:
        text = sentence[start : match.start() if match else len(sentence)].strip()
        if match:
            start = (
                match.start()
                if match.group()[0].isalpha() and match.group() not in ("and", "or")
                else match.end()
            )
        if text and (piece := _piece(text, before, is_bare, is_calm)).words:
            yield piece
            before |= piece.words


def _piece(text: str, before: frozenset[str], is_bare: bool, is_calm: bool) -> Piece:
    noes = list(_NO.finditer(text))
    if len(noes) > 1:  # "isn't coming along except the table": the table does
        noes = [match for match in noes if match.group() != "except"]
    rests = [text[match.end() :] for match in noes]
    after = frozenset(key for rest in rests for key in _keys(rest)[:_SCOPE_WORDS])
    heads = frozenset(
        key for rest in rests for key in _keys(_NOUN_END.split(rest, maxsplit=1)[0].strip() or rest)[:2]
    )
    subjects = [text[: match.start()] for match in noes if match.group() not in _OF_NOUNS]
    denied = after.union(key for subject in subjects for key in _keys(subject)[-_SUBJECT_WORDS:])
    return Piece(
        text=text,
        words=frozenset(_keys(text)),
        before=before,
        after=after,
        heads=heads,
        denied=denied,
        has=_follow(_WITH, text, 2) - denied,
        only=_follow(_ONLY, text, 2) - denied,
        left=_follow(_LEFT, text, 1),
        lacks=heads | _follow(_INSTEAD, text, 2),
        sides=_sides(text),
        is_bare=is_bare,
        is_calm=is_calm,
        turns=is_bare or _TURN.search(text) is not None,
    )


def _follow(words: re.Pattern[str], text: str, count: int) -> frozenset[str]:
    """Return the first *count* keys after each of *words*."""
    return frozenset(key for match in words.finditer(text) for key in _keys(text[match.end() :])[:count])


def _sides(text: str) -> frozenset[_Side]:
    said = [match.group().replace(" ", "+") for match in PHRASE.finditer(text)]
    said += [key for word in _WORD.findall(PHRASE.sub(" ", text)) if (key := stem_of(word)) not in _RELATIONS]
    if _MAY.search(text):
        said.append("allow")
    return frozenset(_Side(word, *matter) for word in said for matter in SIDES.get(word, ()))


def turned_piece(note: str, sources: Iterable[str]) -> str:
    """Return what a piece of *note* denies or states the other way round, "" when nothing is seen."""
    held = [piece for source in sources for piece in pieces(source)]
    if not held:
        return ""
    own = pieces(note)
    denied = frozenset().union(*(mine.after for mine in own))
    for mine in own:
        if found := _turned(mine, held, denied):
            return found
    return ""


def _near(mine: Piece, held: list[Piece]) -> list[Piece]:
    """Return the pieces that share most with *mine*, those whose sentence goes with its own."""
    most = max((len(mine.words & other.words) for other in held), default=0)
    near = [other for other in held if len(mine.words & other.words) == most] if most else []
    context = max((len(mine.before & (other.before | other.words)) for other in near), default=0)
    return [other for other in near if len(mine.before & (other.before | other.words)) == context]


def _turned(mine: Piece, held: list[Piece], denied: frozenset[str]) -> str:
    near = _near(mine, held)
    if not near:
        return ""
    most = len(mine.words & near[0].words)
    share = most / len(mine.words)
    if _denies(mine, held):
        return f"“{mine.text}” denies what the entries state"
    if share >= _MOST and not mine.turns and _is_all_denied(mine, near, most, denied):
        return f"“{mine.text}” states what the entries deny"
    if share >= _MOST and most > 2 and len(near) == 1 and _is_odd(mine, near[0]):
        return f"“{mine.text}” says no more or less often than the entries"
    if _is_out_of_time(mine, near):
        return f"“{mine.text}” is so no longer, or not yet"
    if found := _left_out(mine, held, denied):
        return found
    return _opposite(mine, near) if share >= _MOST and _NO.search(mine.text) is None else ""


def _left_out(mine: Piece, held: list[Piece], denied: frozenset[str]) -> str:
    """Return what *mine* has and the source goes without, or the other way round."""
    if mine.is_calm and not _VAGUE.search(mine.text):
        for word in mine.words - denied:
            said = [other for other in held if word in other.words]
            if said and all(_is_nothing_but(other) and other.before & mine.words for other in said):
                return f"“{mine.text}” states what the entries leave out"
    for word in mine.has:
        said = _near(mine, [other for other in held if word in other.words])
        if _is_near(mine, said) and all(word in other.lacks for other in said):
            return f"“{mine.text}” has what the entries leave out"
    for word in mine.left:
        said = _near(mine, [other for other in held if word in other.words])
        if _is_near(mine, said) and all(word in other.has for other in said):
            return f"“{mine.text}” leaves out what the entries have"
    return ""


def _is_near(mine: Piece, said: list[Piece]) -> bool:
    """Whether *said* shares more with *mine* and what stands before it than the one word."""
    return any(len((mine.words | mine.before) & (other.words | other.before)) >= _FEW for other in said)


def _is_nothing_but(piece: Piece) -> bool:
    """Whether a denial and what it denies is all of *piece*: "never by post"."""
    return len(piece.words) <= _FEW and piece.words <= piece.heads


def _is_out_of_time(mine: Piece, near: list[Piece]) -> bool:
    if mine.turns:
        return False
    if "still" in mine.text and all(_NO_MORE.search(other.text) for other in near):
        return True
    return "already" in mine.text and all("yet" in o.text and _NO.search(o.text) for o in near)


def _is_all_denied(mine: Piece, near: list[Piece], most: int, denied: frozenset[str]) -> bool:
    if _VAGUE.search(mine.text) or any(other.after & denied for other in near):
        return False  # the line may say so in other words, or says so in another piece
    if most >= _FEW:
        return all(other.heads & mine.words and not _is_against(mine, other) for other in near)
    return len(mine.words) <= _FEW and mine.is_calm and all(o.heads and o.heads <= mine.words for o in near)


def _denies(mine: Piece, held: list[Piece]) -> bool:
    """Whether *mine* says no of what the pieces nearest to it state plainly, or twice no."""
    plain = len(_PLAIN_NO.findall(mine.text))
    if not plain or mine.is_bare:  # "the other one does not": what, stands before
        return False
    heads = mine.heads or mine.denied
    sides = _matters_of(mine)
    spoken = [o for o in held if (heads | mine.after) & o.words or sides & _matters_of(o)]
    near = _near(mine, spoken)
    most = max((len(heads & other.words) for other in near), default=0)
    near = [other for other in near if len(heads & other.words) == most]
    if not near or len(near[0].words & mine.words) < _MOST * len(mine.words):
        return False
    if _noes(mine) == 2 and all(_noes(other) < 2 for other in near):
        return True
    if plain != 1:
        return False
    is_of_time = _OF_TIME.search(mine.text) is not None
    if mine.heads and not is_of_time and all(mine.heads <= other.only for other in near):
        return True
    return not any(_turns(other, mine) or _is_against(mine, other) for other in near)


def _matters_of(piece: Piece) -> set[tuple[int, int]]:
    return {(one.matter, one.side) for one in piece.sides}


def _noes(piece: Piece) -> int:
    return len(_NO.findall(piece.text)) + len(_FORBIDS.findall(piece.text))


def _is_odd(mine: Piece, other: Piece) -> bool:
    """Whether one says no twice and the other once, and neither turns anything in another way."""
    counts = {_noes(mine), _noes(other)}
    return (
        counts == {1, 2}
        and not mine.words.isdisjoint(other.heads)
        and not any(_TURN.search(_NO.sub(" ", piece.text)) for piece in (mine, other))
    )


def _turns(other: Piece, mine: Piece) -> bool:
    """Whether *other* turns something by a word that *mine* has not."""
    return (
        other.is_bare
        or _NO.search(other.text) is not None
        or not set(_TURN.findall(other.text)) <= set(_TURN.findall(mine.text))
    )


def _is_against(mine: Piece, other: Piece) -> bool:
    """Whether a word of one has its opposite in the other."""
    return any(m.matter == o.matter and m.side == -o.side for m in mine.sides for o in other.sides)


def _opposite(mine: Piece, near: list[Piece]) -> str:
    is_found = False
    for other in near:
        common = {one.word for one in mine.sides} & {one.word for one in other.sides}
        own, its = (
            {(o.matter, o.side) for o in p.sides if o.word not in common and str(o.matter) not in TWO_ENDED}
            for p in (mine, other)
        )
        if other.is_bare or _NO.search(other.text) or own & its:
            return ""
        is_found |= any((matter, -side) in its for matter, side in own)
    return f"“{mine.text}” says the opposite of the entries" if is_found else ""
