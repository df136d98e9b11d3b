"""Whether a piece of a note says no where its source says yes, or the other way round.

A note and its source are cut into pieces at their commas, brackets and conjunctions; each piece of the note
is held against the pieces of the source that share most with it and what stands before it, and only against
those. There a word is stated, denied, or unclear. What a piece turns in other words ("forbidden",
"allergic", "instead") is unclear and lets the note pass. Texts in, words for a person out; it is no
understanding and promises no completeness (rule 16).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from scrimshaw.core.gate.opposites import TWO_ENDED
from scrimshaw.core.gate.pieces import NO, TURN, Piece, Sentence, Side, sentences

_PLAIN_NO = re.compile(r"\b(?:not(?! only| just| more than| later than)|never|cannot)\b|n't\b")
_FORBIDS = re.compile(r"\b(?:forb[ia]d\w*|prohibit\w*|banned|disallow\w*)\b")
_VAGUE = re.compile(
    r"\b(?:fail\w*|until|till|offline|over|free|empty|away|off|out|wait\w*|h[eo]ld|pending|open|later|yet|less"
    r"|leav\w+|before|after|end\w*|expir\w+|keep\w*|stay\w*|still|at most|max\w*|already|prefer\w*)\b"
)
_NO_MORE = re.compile(r"\bno longer\b|(?:\bnot\b|n't\b).*\bany ?more\b")
_OF_TIME = re.compile(r"\b(?:before|after|until|till|outside|other|else)\b")
_FEW = 2
_MOST = 0.6


def turned_piece(note: str, sources: Iterable[str]) -> str:
    """Return what a piece of *note* denies or states the other way round, "" when nothing is seen."""
    said = [sentence for source in sources for sentence in sentences(source)]
    held = [piece for sentence in said for piece in sentence.pieces]
    own = [piece for sentence in sentences(note) for piece in sentence.pieces]
    denied = frozenset().union(*(mine.after for mine in own))
    for mine in own:
        if _is_denied_by_nobody(mine, said):
            return f"“{mine.text}” says no, and nothing near it in the entries does"
        if _has_lost_its_no(mine, held, denied):
            return f"“{mine.text}” states what the entries deny"
        if held and (found := _turned(mine, held, denied)):
            return found
    return ""


def _is_denied_by_nobody(mine: Piece, said: list[Sentence]) -> bool:
    """Whether *mine* says a plain no, and no sentence that is as near to it denies or turns anything."""
    if _PLAIN_NO.search(mine.text) is None or any(sentence.says_no for sentence in said):
        return False
    words = mine.words if len(mine.words) >= _FEW else mine.words | mine.before
    shared = [len(words & sentence.words) for sentence in said]
    most = max(shared, default=0)
    near = [sentence for sentence, count in zip(said, shared, strict=True) if count and count * 2 >= most]
    return bool(near) and not any(one.turns or _are_against(mine.sides, one.sides) for one in near)


def _has_lost_its_no(mine: Piece, held: list[Piece], denied: frozenset[str]) -> bool:
    """Whether *mine* states all that a denial is of, which is stated nowhere."""
    if mine.turns or _VAGUE.search(mine.text):
        return False
    for other in held:
        heads = other.heads
        if not heads or not heads <= mine.words or other.after & denied or _is_against(mine, other):
            continue
        if all(heads & one.words <= one.denied for one in held):
            return True
    return False


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
    return _opposite(mine, near) if share >= _MOST and NO.search(mine.text) is None else ""


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
    return "already" in mine.text and all("yet" in o.text and NO.search(o.text) for o in near)


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
    return len(NO.findall(piece.text)) + len(_FORBIDS.findall(piece.text))


def _is_odd(mine: Piece, other: Piece) -> bool:
    """Whether one says no twice and the other once, and neither turns anything in another way."""
    counts = {_noes(mine), _noes(other)}
    return (
        counts == {1, 2}
        and not mine.words.isdisjoint(other.heads)
        and not any(TURN.search(NO.sub(" ", piece.text)) for piece in (mine, other))
    )


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


def _opposite(mine: Piece, near: list[Piece]) -> str:
    is_found = False
    for other in near:
        common = {one.word for one in mine.sides} & {one.word for one in other.sides}
        own, its = (
            {(o.matter, o.side) for o in p.sides if o.word not in common and str(o.matter) not in TWO_ENDED}
            for p in (mine, other)
        )
        if other.is_bare or NO.search(other.text) or own & its:
            return ""
        is_found |= any((matter, -side) in its for matter, side in own)
    return f"“{mine.text}” says the opposite of the entries" if is_found else ""
