"""Whether a piece of a note says no where its source says yes, or the other way round.

A note and its source are cut into pieces at their commas, brackets and conjunctions; each piece of the note
is held against the pieces of the source that share most with it and what stands before it. What a piece
turns in other words ("forbidden", "spared", "instead") is unclear and lets the note pass. Each of RULES sees
one way to turn a piece; the first that sees one decides. Texts in, words for a person out; it is no
understanding and promises no completeness (rule 16).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import chain

from scrimshaw.core.verification.opposites import TWO_ENDED
from scrimshaw.core.verification.pieces import NO, Piece, Sentence, Side, keys, sentences
from scrimshaw.core.verification.turning import TURN, turned_twice

_PLAIN_NO = re.compile(r"\b(?:not(?! only| just| more than| later than| mind)|never|cannot)\b|n't\b(?! mind)")
_CONTRAST = re.compile(r"\W*(?:(?:but|and|though|yet|only)\s)?not\b")
_NO_MORE = re.compile(r"\bno longer\b|(?:\bnot\b|n't\b).*\bany ?more\b")
_OF_USER = re.compile(r"\b(?:user|person|owner)\b")
_USER_DOES_NOT = re.compile(
    r"\buser (?:is|was|does|did|will|would|has) not\b|\buser \w+n't\b|\buser cannot\b"
)
_SAYS_YES = re.compile(
    r"\W*(?:yes|yep|yeah|yup|sure|ok|okay|k|agreed|perfect|great|fine|good|deal|exactly|do|go|pls)\b"
)
_FROM_TO = re.compile(r"\bfrom\b.*\bto\b")
_ON_CONDITION = re.compile(r"\b(?:requir\w+|needs?|needed|subject|provided|condition\w*|once|if)\b")
_FORBIDS = re.compile(r"\b(?:forb[ia]d\w*|prohibit\w*|banned|disallow\w*)\b")
_TO_DO = re.compile(r"\bstill (?:has|have|had|needs?|must|to)\b|\byet to\b|\bremains? to\b")
_TO_COME = re.compile(r"\b(?:still|pending|until|till?|wait\w*|will|soon|next|later|tomorrow|planned|due)\b")
_OF_TIME = re.compile(r"\b(?:before|after|until|till|outside|other|else)\b")
_TURNS_ALL = re.compile(
    r"\b(?:no longer|not|never|no|none|nobody|nothing|cannot|without|(?:decid\w+|is|are|was) against"
    r"|stop\w*|refus\w+|cancel\w*|forb[ia]d\w*|prohibit\w*|banned|declin\w+|reject\w*|avoid\w*|quit\w*|except|neither|nor"
    r"|den(?:y|ies|ied)|excluding|outside|hardly|rarely)\b|n't\b"
)
_FEW, _SHORT = 2, 3
_NEARLY_ALL, _SOME = 0.75, 0.25
_TIMES_LESS = 1.5
_ROOT = 5  # letters


class _Sight:
    """A piece of a note, and what the source says near it; a class for what is worked out once."""

    def __init__(
        self,
        mine: Piece,
        said: tuple[Sentence, ...],
        denied: frozenset[str],
        answered: frozenset[Piece] = frozenset(),
    ) -> None:
        self.mine = mine
        self.said = said
        self.answered = answered  # what others said, where the person's own words are cited too
        self.denied = denied  # by the whole note
        self.held = tuple(chain.from_iterable(sentence.pieces for sentence in said))

    @cached_property
    def near(self) -> list[Piece]:
        """The pieces of the source that share most with this one."""
        return _near(self.mine, self.held)

    @cached_property
    def shared(self) -> int:
        """How many words it shares with each of those."""
        return len(self.mine.words & self.near[0].words) if self.near else 0

    @cached_property
    def is_of_answered(self) -> bool:
        """Whether only others said what it is of."""
        return bool(self.near) and self.answered.issuperset(self.near)

    @cached_property
    def is_declined(self) -> bool:
        """Whether it may be what the person made of an offer: they did not say yes, in whatever words."""
        if not self.is_of_answered or _USER_DOES_NOT.search(self.mine.text) is None:
            return False
        return not any(_SAYS_YES.match(one.text) for one in self.said)

    def is_held(self, share: float) -> bool:
        """Whether at least *share* of its words stand together in the source."""
        return bool(self.near) and self.shared >= share * len(self.mine.words)


def turned_piece(note: str, sources: Iterable[str], answered: Iterable[str] = ()) -> str:
    """Return what a piece of *note* denies or states the other way round, "" when nothing is seen.

    *answered* are those of *sources* that the person whom the others are of may have answered.
    """
    said = tuple(chain.from_iterable(map(sentences, sources)))
    theirs = frozenset(piece for text in answered for one in sentences(text) for piece in one.pieces)
    own = [piece for sentence in sentences(note) for piece in sentence.pieces]
    denied = frozenset().union(*(mine.after for mine in own))
    for mine in own:
        sight = _Sight(mine, said, denied, theirs)
        for told, rule in RULES:
            if rule(sight):
                return f"“{mine.text}” {told}"
    return ""


def _near(mine: Piece, held: Iterable[Piece]) -> list[Piece]:
    """Return the pieces that share most with *mine*, those whose sentence goes with its own."""
    shared = [(len(mine.words & other.words), other) for other in held]
    most = max((count for count, _ in shared), default=0)
    near = [other for count, other in shared if count == most] if most else []
    context = max((len(mine.before & (other.before | other.words)) for other in near), default=0)
    return [other for other in near if len(mine.before & (other.before | other.words)) == context]


def _is_denied_by_nobody(sight: _Sight) -> bool:
    """Whether it says a plain no, and no sentence that is as near to it denies or turns anything of it."""
    mine, said = sight.mine, sight.said
    if not _plain_noes(mine) or any(sentence.says_no for sentence in said) or sight.is_declined:
        return False
    words = mine.words if len(mine.words) >= _FEW else mine.words | mine.before
    shared = [len(words & sentence.words) for sentence in said]
    most = max(shared, default=0)
    near = [one for one, count in zip(said, shared, strict=True) if count and count * _TIMES_LESS >= most]
    about = mine.words | mine.before
    if _is_denied_somewhere(sight):
        return False
    return bool(near) and not any(
        _turns_any(one, about) or _are_against(mine.sides, one.sides) for one in near
    )


def _is_denied_somewhere(sight: _Sight) -> bool:
    """Whether the source denies what *mine* denies, in whatever sentence."""
    heads = sight.mine.heads
    return any(not heads.isdisjoint(other.after) for other in sight.held)


def _turns_any(sentence: Sentence, words: frozenset[str]) -> bool:
    """Whether a piece of *sentence* turns something and holds one of *words*, or a question may."""
    if not sentence.pieces:
        return sentence.turns
    return sentence.turns and any(
        piece.turning and not words.isdisjoint(piece.words | piece.before) for piece in sentence.pieces
    )


def _has_lost_its_no(sight: _Sight) -> bool:
    """Whether it states all that a denial is of, which is stated nowhere."""
    mine = sight.mine
    for other in sight.held:
        heads = other.heads
        if not heads or not heads <= mine.words or other.after & sight.denied or not _is_plain(mine, other):
            continue
        if not _is_against(mine, other) and all(heads & one.words <= one.denied for one in sight.held):
            return True
    return False


def _is_plain(mine: Piece, other: Piece) -> bool:
    """Whether *mine* turns nothing but what *other* turns too; a short piece is told of in the next one."""
    if mine.turning - other.turning or NO.search(mine.text) or _FROM_TO.search(mine.text):
        return False
    if _TO_DO.search(mine.text):
        return False  # "still has to sign": has not signed
    if other.is_double and _ON_CONDITION.search(mine.text):
        return False  # "never without consent": with consent
    return len(mine.words) > _SHORT or mine.is_calm or bool(mine.turning)


def _turns_the_same_words(sight: _Sight) -> bool:
    """Whether a word that turns is all that it adds to a sentence in which nothing turns anything."""
    mine = sight.mine
    if not _TURNS_ALL.search(mine.text) or any(_TURNS_ALL.search(one.text) for one in sight.said):
        return False
    own = mine.words - frozenset(chain.from_iterable(map(keys, mine.turning)))
    if any(len(own & other.words) < max(_SHORT, _NEARLY_ALL * len(own)) for other in sight.near):
        return False
    return bool(sight.near) and all(other.is_calm for other in sight.near)


def _is_turned_twice(sight: _Sight) -> bool:
    """Whether it says "not cancelled", and the source says no such thing anywhere."""
    word = turned_twice(sight.mine.text)
    if not sight.near or not word:
        return False
    if any(turned_twice(other.text) or f"un{word}" in other.text for other in sight.held):
        return False
    if any(word[:_ROOT] in one.text and NO.search(one.text) for one in sight.said):
        return False  # "fails on CI, never on my laptop"
    return not any(_is_against(sight.mine, other) for other in sight.near)  # "is not leaving", who stays


def _denies(sight: _Sight) -> bool:
    """Whether it says no of what the pieces nearest to it state plainly, or twice no."""
    mine = sight.mine
    plain = _plain_noes(mine)
    if not plain or mine.is_bare or not sight.near or sight.is_declined:
        return False  # "the other one does not": what, stands before
    heads = mine.heads or mine.denied
    sides = _matters_of(mine)
    spoken = [o for o in sight.held if (heads | mine.after) & o.words or sides & _matters_of(o)]
    near = _near(mine, spoken)
    most = max((len(heads & other.words) for other in near), default=0)
    near = [other for other in near if len(heads & other.words) == most]
    if not near or len(near[0].words & mine.words) < _SOME * len(mine.words):
        return False
    if _noes(mine) == 2 and all(_noes(other) < 2 for other in near):
        return True
    if plain != 1 or _is_denied_somewhere(sight):
        return False
    is_of_time = _OF_TIME.search(mine.text) is not None
    if mine.heads and not is_of_time and all(mine.heads <= other.only for other in near):
        return True
    if "yet" in mine.text and any(_TO_COME.search(other.text) for other in near):
        return False  # "still on probation": it is not over yet
    if any(_is_against(mine, other) for other in sight.held if not mine.words.isdisjoint(other.words)):
        return False  # "goggles optional": not compulsory
    return not any(_turns(other, mine) for other in near)


def _states_what_is_denied(sight: _Sight) -> bool:
    """Whether nearly every word of it stands in a denial."""
    mine, near = sight.mine, sight.near
    if not sight.is_held(_NEARLY_ALL) or not all(_is_plain(mine, other) for other in near):
        return False
    if any(other.after & sight.denied for other in near):
        return False  # the line says so in another piece
    if sight.shared >= _FEW:
        return all(other.heads & mine.words and not _is_against(mine, other) for other in near)
    return len(mine.words) <= _FEW and mine.is_calm and all(o.heads and o.heads <= mine.words for o in near)


def _is_out_of_time(sight: _Sight) -> bool:
    mine, near = sight.mine, sight.near
    if mine.turning - {"still", "already"} or not near:
        return False
    if "still" in mine.text and all(_NO_MORE.search(other.text) for other in near):
        return True
    return "already" in mine.text and all("yet" in o.text and NO.search(o.text) for o in near)


def _has_what_is_left_out(sight: _Sight) -> bool:
    mine = sight.mine
    if mine.turning or not sight.near or _FROM_TO.search(mine.text):
        return False
    for word in mine.has:
        said = _near(mine, (other for other in sight.held if word in other.words))
        if _is_near(mine, said) and all(word in other.lacks for other in said):
            return True
    if not mine.is_calm:
        return False
    for word in mine.words - sight.denied:
        said = [other for other in sight.held if word in other.words]
        if said and all(_is_nothing_but(other) and other.before & mine.words for other in said):
            return True
    return False


def _leaves_out(sight: _Sight) -> bool:
    mine = sight.mine
    if any(NO.search(one.text) or "free" in one.text for one in sight.said):
        return False
    for word in mine.left if sight.near else ():
        said = _near(mine, (other for other in sight.held if word in other.words))
        if _is_near(mine, said) and all(word in other.has for other in said):
            return True
    return False


def _is_opposite(sight: _Sight) -> bool:
    """Whether a word of it that the source does not have has its opposite in all that is near."""
    mine = sight.mine
    if not sight.is_held(_SOME) or NO.search(mine.text):
        return False
    if sight.is_of_answered and _OF_USER.search(mine.text):
        return False  # what they think of it is not what was said of it
    if _OF_TIME.search(mine.text) and any(NO.search(one.text) for one in sight.said):
        return False  # "not after noon": before it
    is_found = False
    known = {side.word for other in sight.held for side in other.sides}
    for other in sight.near:
        common = {one.word for one in mine.sides} & {one.word for one in other.sides}
        own, its = (
            {one for one in piece.sides if one.word not in common and str(one.matter) not in TWO_ENDED}
            for piece in (mine, other)
        )
        stands = {(one.matter, one.side) for one in its}
        if other.is_bare or NO.search(other.text) or any((o.matter, o.side) in stands for o in own):
            return False
        is_found |= any((o.matter, -o.side) in stands for o in own if o.word not in known)
    return is_found


RULES: tuple[tuple[str, Callable[[_Sight], bool]], ...] = (
    ("says no, and nothing near it in the entries does", _is_denied_by_nobody),
    ("states what the entries deny", _has_lost_its_no),
    ("denies what the entries state", _denies),
    ("turns what the entries say in the same words", _turns_the_same_words),
    ("denies a denial that the entries do not", _is_turned_twice),
    ("states what the entries deny", _states_what_is_denied),
    ("is so no longer, or not yet", _is_out_of_time),
    ("has what the entries leave out", _has_what_is_left_out),
    ("leaves out what the entries have", _leaves_out),
    ("says the opposite of the entries", _is_opposite),
)


def _is_near(mine: Piece, said: list[Piece]) -> bool:
    """Whether *said* shares more with *mine* and what stands before it than the one word."""
    return any(len((mine.words | mine.before) & (other.words | other.before)) >= _FEW for other in said)


def _is_nothing_but(piece: Piece) -> bool:
    """Whether a denial and what it denies is all of *piece*: "never by post"."""
    return len(piece.words) <= _FEW and piece.words <= piece.heads


def _matters_of(piece: Piece) -> set[tuple[int, int]]:
    return {(one.matter, one.side) for one in piece.sides}


def _plain_noes(piece: Piece) -> int:
    """Return how often it says no; "but not the bollard" says of what stands before that it is otherwise."""
    return 0 if _CONTRAST.match(piece.text) else len(_PLAIN_NO.findall(piece.text))


def _noes(piece: Piece) -> int:
    return len(NO.findall(piece.text)) + len(_FORBIDS.findall(piece.text))


def _turns(other: Piece, mine: Piece) -> bool:
    """Whether *other* turns something by a word that *mine* has not."""
    return (
        other.is_bare
        or NO.search(other.text) is not None
        or not set(TURN.findall(other.text)) <= set(TURN.findall(mine.text))
    )


def _is_against(mine: Piece, other: Piece) -> bool:
    return _are_against(mine.sides, other.sides)


def _are_against(mine: frozenset[Side], other: frozenset[Side]) -> bool:
    """Whether a word of one has its opposite in the other."""
    return any(m.matter == o.matter and m.side == -o.side for m in mine for o in other)
