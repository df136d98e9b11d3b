"""Tell which standing wish of the person's a later word of theirs lifts: "you can stop with the letters".

What is allowed again is no order, so alone it says nothing that lasts. Beside a wish with a rare word in
common it takes its place: who asked for letters and needs them no longer must not go on getting them. So does
a wish for another manner of the same ("short answers", "longer ones again"). Where the two are of one matter
less plainly, the wish is told again with the newer words behind it, and nothing is lost. What protects
somebody is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from scrimshaw.core.extraction.change_features import fold, shared_words, taken_apart
from scrimshaw.core.extraction.change_judge import names_others, rarity
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.extraction.personal_statements import (
    is_limited,
    is_of_another,
    is_refused,
    lifting_in,
    order_of,
    permits,
    tongues,
)
from scrimshaw.core.extraction.scorer import VITAL_PRIORITY
from scrimshaw.core.language import Phrases
from scrimshaw.core.search.tongue import SMALL, small_elsewhere
from scrimshaw.core.text.normalize import EAST
from scrimshaw.core.types import Author, Kind, Observation, Place, Proposal, Role

_RARE, _TOLD_RARE = 6, 5  # of 9: how rare the shared word must be, to replace and to be told behind
_MOST_OTHER = 1  # words that only one of two wishes for the same has, told anew
_ASIDE = re.compile(r"\([^)]*\)")
_PARTS = re.compile(r"[,;.!?:]\s|[、。，；！]|\b(?:and|und|y|et|e)\b")
_CLAUSES = re.compile(r"[,;.!?:()–—]\s?|[、。，；！（）]|\b(?:and|und|y|et|e)\b")
_SPOKEN = re.compile(r"[\u3040-\u309f]")  # what Japanese writes so is grammar, mostly
_MANNERS = ("LENGTH", "LAYOUT", "TONE", "MEASURE")

Wish = Observation | Proposal


def is_of_one_matter(wish: str, text: str) -> bool:
    """Tell whether *wish* wishes only what *text* lifts, beside reasons."""
    said = _matter(text)
    parts = ((_things(words) or words) for words in map(_matter, _wished(wish)) if words)
    return all(shared_words(words, said)[0] for words in parts)


def may_lift(text: str, *, is_wish: bool) -> bool:
    """Tell whether *text* allows something; a wish (*is_wish*) may turn another one, too."""
    if lifting_in(text):
        return True
    is_turned = is_wish and permits.TURNS.search(text) is not None
    return is_turned and not is_refused(text) and not is_of_another(text)


def may_replace(text: str, wish: Wish) -> bool:
    """Tell whether *wish* may go for *text*: else both are told, as nothing is lost so.

    What holds only where something is so lifts a part of it, and one with a reason may protect somebody.
    """
    return not (is_limited(text) or permits.KEEPS_FROM.search(wish.text) or _has_reason(wish.text))


def _has_reason(wish: str) -> bool:
    if permits.BECAUSE.search(wish):
        return True
    parts = [part.strip(" .") for part in _CLAUSES.split(wish)]
    return any(permits.OF_A_PERSON.match(part) and order_of(part) is None for part in parts)


def lifted(text: str, lines: Iterable[Wish]) -> Wish | None:
    """Return the one of *lines* that is a wish of the person's, and that *text*, a permission, is about.

    What the clause that permits names the wish has to name, too.
    """
    part = lifting_in(text)
    words = _matter(part)
    if _is_for_another(part):
        return None

    def weight(line: Wish) -> int:
        shared, _ = shared_words(words, _matter(line.text))
        is_named = any(rarity(word) >= _RARE for word in shared) and not _things(words - shared)
        # "Production is okay again" may be said of production itself.
        is_named = is_named and (len(shared) > 1 or _is_to_agent(part))
        return sum(map(rarity, shared)) if is_named else 0

    return _heaviest([line for line in lines if _is_order(line)], weight)


def wished_otherwise(text: str, lines: Iterable[Wish]) -> Wish | None:
    """Return the one of *lines* that is a wish about the manner of the same as *text*, which turns it."""
    part = lifting_in(text) or (text if permits.TURNS.search(text) else "")
    wishes = [line for line in lines if part and _is_order(line) and _is_of_one_manner(part, line.text)]
    return wishes[0] if len(wishes) == 1 else None


def told_of(text: str, lines: Iterable[Wish]) -> Wish | None:
    """Return the one of *lines* that is a wish of the person's, and that *text* is likely to lift."""
    part = lifting_in(text)
    if _is_for_another(part):
        return None
    is_anew = not part and permits.TURNS.search(text) is not None
    words = _matter(part or text)

    def weight(line: Wish) -> int:
        before = _matter(line.text)
        shared, theirs = shared_words(words, before)
        things, others = _things(shared), _things(words - shared)
        if is_anew and max(len(others), len(_things(before - theirs))) > _MOST_OTHER:
            return 0
        is_named = any(rarity(word) >= _TOLD_RARE for word in things or shared)
        if not is_named or len(others) > len(things) or names_others(part or text, line.text):
            return 0
        is_said = is_anew or len(shared) > 1 or _is_to_agent(part)
        return sum(map(rarity, shared)) if is_said else 0

    wishes = [line for line in lines if _is_order(line, is_sure=False)] if part or is_anew else []
    return _heaviest(wishes, weight)


def speaks_to_agent(text: str) -> bool:
    """Tell whether *text* allows the agent something, or spares it: alone it is a wish, too."""
    part = lifting_in(text)
    return bool(permits.ALLOWED.search(part) or permits.SPARED.search(part))


def touches(text: str, lines: Iterable[Wish]) -> bool:
    """Tell whether *text*, a permission, names a rare thing that one of *lines*, a wish, names, too."""
    words = _matter(lifting_in(text) or text)
    wishes = (line for line in lines if line.place is Place.STANDING and line.kind is Kind.PREFERENCE)
    return any(
        rarity(word) >= _RARE for line in wishes for word in shared_words(words, _matter(line.text))[0]
    )


def _is_to_agent(part: str) -> bool:
    told = (permits.TO_AGENT, permits.ALLOWED, permits.SPARED, permits.TAKEN_BACK)
    return any(one.search(part) for one in told)


def _is_for_another(part: str) -> bool:
    """Tell whether *part* allows something with, or for, somebody: "my sister may be shown it again"."""
    return bool(changes.pattern("KIN").search(part) or permits.COLLEAGUES.search(part))


def _heaviest(lines: Sequence[Wish], weight: Callable[[Wish], int]) -> Wish | None:
    """Return the line that weighs most; None: none weighs anything, or two weigh the same."""
    found = sorted(((weight(line), at) for at, line in enumerate(lines)), reverse=True)
    if not found or not found[0][0] or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return lines[found[0][1]]


def _is_order(line: Observation | Proposal, *, is_sure: bool = True) -> bool:
    """Tell whether *line* orders how the agent is to do things, and protects nobody; *is_sure*: plainly."""
    if line.place is not Place.STANDING or line.speaker is not Role.USER:
        return False
    if isinstance(line, Observation) and line.author is Author.PERSON and not is_sure:
        return False
    if is_sure and (line.kind is not Kind.PREFERENCE or line.priority == VITAL_PRIORITY):
        return False
    if line.kind not in (Kind.PREFERENCE, Kind.DECISION):
        return False
    if permits.SPARES.match(line.text):
        return True
    return not (permits.PROTECTS.search(line.text) or permits.OF_ONESELF.match(line.text))


def _wished(wish: str) -> list[str]:
    """Return the parts of *wish* that are no reasons; the first is none."""
    first, *more = (part.strip() for part in _PARTS.split(_ASIDE.sub(" ", wish)))
    more = [part for part in more if not permits.REASON.match(part) or order_of(part) is not None]
    return [part for part in (first, *more) if part]


@cache
def _small() -> frozenset[str]:
    small = SMALL | small_elsewhere() | permits.words("PERMIT_WORDS") | changes.words("FOREIGN")
    small |= tongues.words("REACHES")
    return frozenset(map(fold, small))


@lru_cache(maxsize=1024)
def _matter(text: str) -> frozenset[str]:
    """Return the words of *text* that name a thing or an act, as they are compared."""
    bare = text
    for said in (permits.ALLOWED, permits.AGAIN, permits.SPARED, permits.TAKEN_BACK, permits.TURNS):
        bare = said.cut(bare, " ")
    return frozenset(
        word
        for word in taken_apart(bare).words - _small()
        if len(word) > 1 and not (EAST.match(word) and _SPOKEN.search(word))
    )


def _things(words: Iterable[str]) -> frozenset[str]:
    """Return those of *words* that are no act of an agent's."""
    return frozenset(word for word in words if not _begins(word, permits.each("ACTS")))


def _begins(word: str, beginnings: Iterable[Phrases]) -> bool:
    return any(one.match(word) for one in beginnings)


def _is_of_one_manner(now: str, before: str) -> bool:
    """Tell whether both wish one manner of the same thing, in one language: a length, a tone, a unit."""
    asked, told = (" ".join(_wished(text)) for text in (now, before))
    ways = (tongues.TONGUE,), *(permits.each(name) for name in _MANNERS)
    for manner in (one for way in ways for one in way):
        if manner.search(asked) and manner.search(told):
            mine, theirs = (_things(_matter(manner.cut(text, " "))) for text in (asked, told))
            mine, theirs = (
                frozenset(word for word in words if not _begins(word, permits.each("ANSWERS")))
                for words in (mine, theirs)
            )
            shared, held = shared_words(mine, theirs)
            if shared == mine and held == theirs:
                return True
    return False
