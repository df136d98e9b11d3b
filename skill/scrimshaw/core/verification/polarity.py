"""Whether a text says the same way round as another that is like it.

`retold_otherwise` finds in a note what its entries say in the same words but for a denial, `contradiction`
between two lines that are alike a denial on one side only, or a word whose opposite stands in the other. No
understanding: what is turned round in other words takes one who reads. With mixed signs the note passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.sentences import split_sentences
from scrimshaw.core.text.stems import STOP, split_stems, split_words, stem_of

_NEGATION = re.compile(
    r"\b(?:not(?! only| just| more than| later than)|no(?! more than| later than| less than| problem"
    r"| doubt| matter)"
    r"|never|none|nobody|nothing|neither|nor|without|cannot|n't|don't|doesn't|didn't|won't|wouldn't"
    r"|can't|couldn't"
    r"|isn't|aren't|wasn't|weren't|hasn't|haven't|hadn't|shouldn't|mustn't|no longer|any more"
    r"|refus\w+|declin\w+|forbid\w*|avoid\w*)\b"
    r"|(?<=\w)n't\b"
)
# What says a denial in other words: a source with one of these may well be denied by a faithful note.
_TURNING = (
    r"only|except|unless|instead|rather|stop\w*|drop\w*|cancel\w*|remov\w*|exclud\w*|skip\w*|lack\w*"
    r"|miss\w*|fail\w*|reject\w*"
    r"|retract\w*|un\w{4,}|dis\w{4,}|zero|0|wrong|ban|bans|banned|prohibit\w*|disallow\w*|freez\w*"
    r"|frozen|block\w*|hate\w*|against|mov\w+|switch\w*"
    r"|until|offline"
)
_TURNS = re.compile(rf"\b(?:{_TURNING})\b")
# And what may stand for the denial that a source holds.
_SOFTENED = re.compile(
    rf"\b(?:{_TURNING}|before|after|too|keep\w*|stay\w*|less|end\w*|over|prefer\w*|bad|still|ignore\w*"
    rf"|free|at most|max\w*)\b"
)
_CLAUSE = re.compile(
    r"[.!?;:]+(?:\s+|$)|\n+|,\s+(?=(?:but|and|so|because|since|while|although|or|then|we|i|it|they|he"
    r"|she)\b)|\s+(?:-|→)\s+"
    r"|\bbut\b|\bbecause\b"
)
_SCOPE_END = re.compile(r",|\band\b")
_SCOPE_WORDS = 6
_SPEAKERS = frozenset({"user", "assistant", "agent", "tool"})
_PAIRS = """
enable/disable approve/reject accept/reject accept/decline pass/fail succeed/fail allow/forbid
allow/deny keep/drop keep/remove with/without before/after uppercase/lowercase more/less increase/decrease
start/stop like/dislike open/closed open/close add/remove include/exclude win/lose buy/sell up/down
first/last always/never cheaper/pricier faster/slower higher/lower longer/shorter earlier/later start/end
public/private import/export love/hate agree/disagree connect/disconnect install/uninstall
join/leave rise/fall minimum/maximum best/worst internal/external success/failure working/broken safe/unsafe
possible/impossible available/unavailable required/optional correct/incorrect correct/wrong valid/invalid
online/offline gain/loss upgrade/downgrade daily/weekly monthly/yearly raise/lower married/divorced
short/long morning/evening
"""
_OPPOSITE: dict[str, set[str]] = {}
for _one, _other in (pair.split("/") for pair in _PAIRS.split()):
    _OPPOSITE.setdefault(stem(_one), set()).add(stem(_other))
    _OPPOSITE.setdefault(stem(_other), set()).add(stem(_one))


class Stance(NamedTuple):
    """One clause: its content words, which of them stand beside a denial, and all its stems."""

    words: frozenset[str]
    denied: frozenset[str]
    stems: frozenset[str]
    text: str


def stances(lower: str) -> tuple[Stance, ...]:
    """Return the clauses of *lower*, each with what it denies."""
    found = []
    for clause in _CLAUSE.split(lower):
        stems = split_stems(clause)
        if not stems:
            continue
        denied: frozenset[str] = frozenset()
        for match in _NEGATION.finditer(clause):
            after = _SCOPE_END.split(clause[match.end() :].strip(), maxsplit=1)[0].split(" ")[:_SCOPE_WORDS]
            before = clause[: match.start()].split(" ")[-3:]
            denied |= _matter(after) or _matter(before)
        words = frozenset(word for word in stems - STOP - _SPEAKERS if word.isalpha())
        found.append(Stance(words, denied & words, stems, clause))
    return tuple(found)


def _matter(words: list[str]) -> frozenset[str]:
    return frozenset(word for word in split_words(" ".join(words)) if word.isalpha())


def contradiction(note: tuple[Stance, ...], source: tuple[Stance, ...]) -> str:
    """Return what *note* turns round against *source*, "" when nothing is seen."""
    for clause in note:
        if clause.denied and _denies_what_is_stated(clause, source):
            return "the note denies what the source states"
        if not _is_denied(note) and _denied_where_nearest(clause, source):
            return "the source denies what the note states"
        near = max(
            source, key=lambda other: (len(clause.words & other.words), -len(other.words)), default=None
        )
        if near is None or len(clause.words & near.words) * 2 < min(len(clause.words), len(near.words)):
            continue
        if found := _opposite(clause, near, note, source):
            return found
    return ""


def _denies_what_is_stated(clause: Stance, source: tuple[Stance, ...]) -> bool:
    most = max((len(clause.denied & other.words) for other in source), default=0)
    if not most:
        return False
    nearest = [other for other in source if len(clause.denied & other.words) == most]
    return not any(other.denied & clause.denied or _is_turned(other, clause.denied) for other in nearest)


def _denied_where_nearest(clause: Stance, source: tuple[Stance, ...]) -> bool:
    """Whether the source's clauses nearest to the note's all deny what it states."""
    most = max((len(other.words & clause.words) for other in source), default=0)
    nearest = [other for other in source if len(other.words & clause.words) == most]
    if not most or most * 2 < min(len(clause.words), *(len(other.words) for other in nearest)):
        return False
    return all(other.denied & clause.words for other in nearest)


def _is_turned(clause: Stance, denied: frozenset[str]) -> bool:
    """Whether *clause* itself says no in other words than those denied: "only", "dropped", "undone"."""
    return any(stem(match.group()) not in denied for match in _TURNS.finditer(clause.text))


def _is_denied(note: tuple[Stance, ...]) -> bool:
    return any(clause.denied or _SOFTENED.search(clause.text) for clause in note)


def _opposite(clause: Stance, near: Stance, note: tuple[Stance, ...], source: tuple[Stance, ...]) -> str:
    stated = frozenset().union(*(other.stems for other in source))
    said = frozenset().union(*(other.stems for other in note))
    for word in sorted(clause.stems - stated - clause.denied):
        against = (_OPPOSITE.get(word, set()) & near.stems) - said - near.denied
        if against:
            return f'the note says "{word}", the source "{min(against)}"'
    return ""


# -- the same words with a denial more or less ---------------------------------------------------------------

_DENIAL = re.compile(r"\b(?:not?|never|without|nor|neither|cannot)\b|n't\b")
# What is no denial: an answer, a limit, a figure of speech.
_NO_DENIAL = re.compile(
    r"^\W*(?:no|nope|nah|not)\b(?=[,.!:;])"
    r"|\bnot (?:only|just|more than|less than|later than|before|until|mind)\b"
    r"|\bno (?:more than|less than|later than|longer than|problem|doubt|matter|idea|one|worries)\b|\bif not\b"
    r"|\bor not\b|\bwhy not\b|\bno\. ?\d|(?:\bnot|n't)(?=\s*(?:[,;:(.!]|$))"
)
_WORD = re.compile(r"[^\W\d_]+|\d[\d.,:/-]*\d|\d")
_SMALL_TEXT = """
an the do does did user person i m ve d ll my me we our us he she it s its his her they their you your
that this there to of a always still with ever yes and please pls longer any am is are ca wo
"""
_SMALL = frozenset(_SMALL_TEXT.split())
_PART = re.compile(r"[,;:()!]|\.(?=\s|$)|\b(?:so|but|because|bc|though|tho|while|whereas)\b")
_LEAST_OF_SENTENCE, _LEAST_OF_PART = 2, 3  # words


class _Told(NamedTuple):
    """A sentence or a part of one: its words without denials and small ones, and how it stands."""

    words: tuple[str, ...]
    is_denied: bool  # an odd number of times
    is_question: bool
    text: str

    def holds(self, other: _Told) -> bool:
        """Whether the words of *other* stand in it in a row."""
        size = len(other.words)
        return any(self.words[at : at + size] == other.words for at in range(len(self.words) - size + 1))


def retold_otherwise(note: str, sources: Iterable[str]) -> str:
    """Return the part of *note* that entries say with a denial more, or one less; "" without any.

    None of them may say it as the note does, or ask it.
    """
    said = [one for text in sources for one in _told(text)]
    for mine in _told(note):
        is_said = any(one.words == mine.words for one in said)
        if is_said and all(
            one.is_denied != mine.is_denied and not one.is_question for one in said if one.holds(mine)
        ):
            return mine.text
    return ""


@lru_cache(maxsize=512)
def _told(text: str) -> tuple[_Told, ...]:
    """Return the sentences of *text*, and the parts of those that have several."""
    found = []
    for sentence in map(normal, split_sentences(text)):
        parts = _PART.split(sentence)
        for least, part in ((_LEAST_OF_SENTENCE, sentence), *((_LEAST_OF_PART, part) for part in parts)):
            plain, count = _DENIAL.subn(" ", _NO_DENIAL.sub(" ", part))
            # Without a last "e": "take" as "takes".
            stems = (stem_of(word).removesuffix("e") for word in _WORD.findall(plain) if word not in _SMALL)
            words = tuple(stems)
            if len(words) >= least:
                is_question = sentence.rstrip("\"') ").endswith("?")
                found.append(_Told(words, count % 2 == 1, is_question, " ".join(part.split())))
    return tuple(found)
