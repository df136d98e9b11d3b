"""Whether a note tells a sentence again word for word, but for a denial that it leaves out or puts in.

"Don't compress, the scans get unreadable" and "Compress, the scans get unreadable" share every word; what
tells them apart is one that counts of shared words leave out. So runs of equal words are looked for, denials
and small words taken out of both, and where a run is denied on one side only, the note turns it. In doubt it
does not: where something else turns the sentence, a denial stands near, or what is denied is so elsewhere.
Texts in, words out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from scrimshaw.core.ledger.known_lines import WORDS_KEPT
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import stem_of
from scrimshaw.data import words

_SENTENCE = re.compile(
    r"(?<=[\w)\"'%/ ][.!?])(?<!\bdr\.)(?<!\bmrs\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bincl\.)(?<!\bexcl\.)\s+|;\s|\n"
)
_MARKS = frozenset(",:()!.")
_TOKEN = re.compile(rf"[a-z]+(?:'[a-z]+)?|\d[\d.,:/-]*\d|\d|[{''.join(sorted(_MARKS))}]")
# What is no denial: an answer, a limit, a figure of speech.
_NO_DENIAL = re.compile(
    r"^\W*(?:no|nope|nah|not)\b(?=[,.!:;])"
    r"|\bnot (?:only|just|more than|less than|later than|before|until|mind)\b"
    r"|\bno (?:more than|less than|later than|longer than|problem|doubt|matter|idea|one|worries)\b|\bif not\b"
    r"|\bor not\b|\bwhy not\b|\bno\. ?\d"
)
_DENIALS = frozenset({"not", "no", "never", "without"})
_PLAIN = _DENIALS | {"n't", "cannot"}
_SMALL_TEXT = """
a an the do does did user person i i'm i've i'd i'll my me we our us he she it it's its his her they their you
your that this there to of always still with ever yes and please pls longer any
"""
_CLAUSE_WORDS = frozenset({"so", "but", "because", "bc", "though", "tho", "while", "whereas"})
_SMALL = frozenset(_SMALL_TEXT.split())
_BE = frozenset({"am", "is", "ar"})  # stems
_LEAST_RUN, _LEAST_CHARS, _LEAST_WHOLE = 3, 10, 2
_MOST_WORDS = 120  # of a sentence
_NEAR = 2  # words
# What there is none of is needed, bought or used up; what is not done is still to do.
_LACKED = re.compile(
    r"\b(?:need(?:s|ed)?|buy|bought|used up|out of|missing|restock(?:ed)?|still (?:has|have|had|to)|yet to)\b"
)


class Told(NamedTuple):
    """A sentence made ready to be held against another one, word by word."""

    said: tuple[str, ...]  # its words without denials and small ones
    words: tuple[str, ...]  # their stems
    denied: tuple[int, ...]  # how many denials stand right before each word, or end a clause behind it
    cuts: frozenset[int]  # where clauses begin
    turning: frozenset[str]  # its words that turn what stands beside them in another way
    is_question: bool
    is_lacked: bool  # it says that something is needed, used up or still to do

    def denies(self, word: str) -> bool:
        return any(count and one == word for one, count in zip(self.words, self.denied, strict=True))

    @property
    def is_statement(self) -> bool:
        """Whether it is one clause, and no question."""
        return not self.is_question and self.cuts <= {0, len(self.words)}

    @property
    def bare(self) -> tuple[str, ...]:
        """Its words without "am" and "is", which "I" and "User" take."""
        return tuple(word for word in self.words if word not in _BE)

    def may_be_retold(self, other: Told) -> bool:
        """Whether the two share words enough for a run."""
        return min(len(self.words), len(other.words)) >= _LEAST_RUN and (
            len(set(self.words).intersection(other.words)) >= _LEAST_RUN
        )

    def is_denied_whole(self, begin: int, end: int) -> bool:
        """Whether the words from *begin* to *end* are all that is denied in their clause, once.

        "Not on Thursday but on Friday", "never without a lid", "not before ten": what follows turns it.
        """
        first = max((cut for cut in self.cuts if cut <= begin), default=0)
        return sum(self.denied[first:end]) == 1 and not any(self.denied[first:begin]) and self.ends_at(end)

    def ends_at(self, at: int) -> bool:
        """Whether a clause ends before the word of that number."""
        return at in self.cuts or at >= len(self.words)


class _Run(NamedTuple):
    """Equal words of a sentence of the note and one of an entry: where they begin, and how many."""

    mine: Told
    start: int
    other: Told
    at: int
    size: int

    @property
    def words(self) -> tuple[str, ...]:
        return self.mine.words[self.start : self.start + self.size]

    @property
    def is_turned(self) -> bool:
        """Whether one side denies it, within or right before it, and on the other nothing near does."""
        own = self.mine.denied[self.start : self.start + self.size]
        its = self.other.denied[self.at : self.at + self.size]
        if (sum(own) + sum(its)) % 2 == 0 or (any(own) and any(its)):
            return False
        (plain, at), (denying, begins) = (self.other, self.at), (self.mine, self.start)
        if any(its):
            (plain, at), (denying, begins) = (denying, begins), (plain, at)
        near = plain.denied[max(0, at - _NEAR) : at + self.size + _NEAR]
        if any(near) or plain.turning - denying.turning or plain.is_lacked:
            return False
        if denying.denied[begins + self.size - 1] and not plain.ends_at(at + self.size):
            return False  # "altos wear black, sopranos not": what they wear, follows
        return denying.is_denied_whole(begins, begins + self.size)

    @property
    def denied(self) -> Iterator[tuple[str, bool]]:
        """The words right after a denial, and whether it is the note that denies them."""
        for number, word in enumerate(self.words):
            if self.mine.denied[self.start + number] or self.other.denied[self.at + number]:
                yield word, bool(self.mine.denied[self.start + number])


def retold_otherwise(note: str, sources: Iterable[str]) -> str:
    """Return the words of *note* that an entry says with a denial more, or one less; "" without any."""
    said = [one for text in sources for one in told(text)]
    own = told(note)
    if whole := next((mine for mine in own if _is_turned_whole(mine, said)), None):
        return " ".join(whole.said)
    for run in _runs(own, said):
        if run.other.is_question or not run.is_turned or any(_stands(run, one) for one in said):
            continue
        if not any(
            other.denies(word) for word, by_note in run.denied for other in (said if by_note else own)
        ):
            return " ".join(run.mine.said[run.start : run.start + run.size])
    return ""


def _is_turned_whole(mine: Told, said: list[Told]) -> bool:
    """Whether entries say the whole clause with a denial more or less, and none as the note does."""
    same = [one for one in said if one.bare == mine.bare and one.turning == mine.turning]
    if len(mine.bare) < _LEAST_WHOLE or not same or not all(one.is_statement for one in (mine, *same)):
        return False
    whole = _Run(mine, 0, mine, 0, len(mine.words))
    return all(sum(one.denied) + sum(mine.denied) == 1 for one in same) and not any(
        _stands(whole, one) for one in said if one not in same
    )


@lru_cache(maxsize=512)
def told(text: str) -> tuple[Told, ...]:
    """Return the sentences of *text*."""
    return tuple(map(_sentence, split(text)))


def split(text: str) -> Iterator[str]:
    """Yield the sentences of *text*, made `normal`."""
    for line in text.splitlines():
        yield from filter(None, _SENTENCE.split(normal(line)))


def _sentence(text: str) -> Told:
    plain = _NO_DENIAL.sub(" ", text).replace("cannot", "can not").replace("can't", "can not")
    plain = plain.replace("won't", "will not").replace("n't", " not")
    words: list[str] = []
    stems: list[str] = []
    denied = [0]
    cuts: set[int] = set()
    begun = 0
    for token in (*_TOKEN.findall(plain), "."):
        if token in _MARKS or token in _CLAUSE_WORDS:
            if len(words) > begun:
                denied[-2] += denied[-1]  # "pads new, discs not (worn)": that is of the discs
            denied[-1], begun = 0, len(words)
            cuts.add(begun)
        elif token in _DENIALS:
            denied[-1] += 1
        elif token not in _SMALL:
            words.append(token)
            stems.append(stem_of(token).removesuffix("e"))  # "take" as "takes"
            denied.append(0)
    turning = frozenset(map(stem_of, turning_words(plain) - _PLAIN))
    is_question = text.rstrip("\"') ").endswith("?")
    most = _MOST_WORDS
    return Told(
        tuple(words[:most]),
        tuple(stems[:most]),
        tuple(denied[:-1][:most]),
        frozenset(cuts),
        turning,
        is_question,
        _LACKED.search(text) is not None,
    )


def _runs(own: Iterable[Told], said: Iterable[Told]) -> Iterator[_Run]:
    for mine in own:
        for other in said:
            if not mine.may_be_retold(other):
                continue
            matcher = SequenceMatcher(None, mine.words, other.words, autojunk=False)
            for block in matcher.get_matching_blocks():
                for run in _pieces(_Run(mine, block.a, other, block.b, block.size)):
                    if run.size >= _LEAST_RUN and len("".join(run.words)) >= _LEAST_CHARS:
                        yield run


def _pieces(run: _Run) -> Iterator[_Run]:
    """Yield *run* cut where a clause begins on one side only."""
    mine = {cut - run.start for cut in run.mine.cuts}
    cuts = sorted(cut for cut in mine ^ {cut - run.at for cut in run.other.cuts} if 0 < cut < run.size)
    for begin, end in pairwise((0, *cuts, run.size)):
        yield run._replace(start=run.start + begin, at=run.at + begin, size=end - begin)


def _stands(run: _Run, other: Told) -> bool:
    """Whether *other* says the words of *run* too, and as the note does."""
    places = range(len(other.words) - run.size + 1)
    return any(
        other.words[at : at + run.size] == run.words
        and not _Run(run.mine, run.start, other, at, run.size).is_turned
        for at in places
    )


# -- words that turn what stands beside them without saying no -----------------------------------------------

_PREFIXED = (
    r"un(?!til|der|it|cle|ion|i[qv]|ix)\w{3,}|dis(?!h|c\b|k|trict|tan|play|cuss|cover)\w{4,}"
    r"|in(?:valid|correct|complete|tolerant|adequate|accurate|appropriate|admissible|comp\w+|sufficien\w+|effect\w+"
    r"|consisten\w+|conclusive|convenien\w+|visible|flexib\w+|secure|sensitive|significan\w+|frequen\w+)"
    r"|im(?:possib\w+|patien\w+|proper\w*|perfect\w*)|il(?:legal\w*|legib\w+)|ir(?:regular\w*|relevan\w+|reversib\w+)"
    r"|non-?\w{3,}|\w{3,}-free|\w+less|mis\w{4,}"
)


# What says no, and what says it most plainly in a word of its own.
TURN = re.compile(
    r"\b(?:only|just|except|unless|instead|rather than|than|stop\w*|drop\w*|cancel\w*|remov\w+|delet\w+"
    r"|exclu\w+|skip\w*|lack\w*|miss\w*|reject\w*|refus\w+|declin\w+|forb[ia]d\w*|avoid\w*|ban|bans|banned"
    r"|prohibit\w*|retract\w*|wrong|freez\w+|frozen|block\w*|hat(?:e|es|ed)|against|too(?=\s\w)|fewer|few"
    r"|little|hardly|barely|rarely|gone|alone|nor|neither|without|no|not|never|none|nobody|nothing|cannot"
    r"|otherwise|zero|switch\w*|opposed|maybe|allerg\w+|intoleran\w+|quit\w*|left|replac\w+"
    r"|mov(?:e|ed|es|ing)|turned|former\w*|used to|den(?:y|ies|ied)|ignor\w+|mut(?:e|es|ed|ing)"
    rf"|{_PREFIXED})\b|n't\b|(?<![\d.,:\[-])0(?![\d.,:%\]]|\s?%)"
)
_PREFIX = re.compile(_PREFIXED)
_ENDINGS = ("", "s", "es", "ed", "ing")
_CHANGED_ENDINGS = ("e", "es", "ed", "ing", "y", "ies", "ied", "ying", "s")
_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")


def _forms(word: str) -> Iterator[str]:
    """Yield *word* with the endings that a verb takes; a final "e" or "y" gives way to them."""
    if word[-1] in "ey" and len(word) > 4:
        yield from (word[:-1] + ending for ending in ("", *_CHANGED_ENDINGS))
        return
    yield from (word + ending for ending in _ENDINGS)
    if word[-1] in "bdgmnprt":
        yield from (word + word[-1] + ending for ending in _ENDINGS)


def _split(listed: Iterable[str]) -> tuple[frozenset[str], dict[str, list[tuple[str, ...]]]]:
    """Return the single words of a list in all their forms, and the phrases by their first words."""
    phrases: dict[str, list[tuple[str, ...]]] = {}
    singles: set[str] = set()
    for word in listed:
        first, *rest = word.split("+")
        if rest:
            phrases.setdefault(first, []).append(tuple(rest))
        else:
            singles.update(_forms(word))
    return frozenset(singles), phrases


_ALL, _PHRASES = _split(words("turning_words", "turning"))


@lru_cache(maxsize=WORDS_KEPT)
def _is_turning(word: str) -> bool:
    return word in _ALL or word.endswith("n't") or _PREFIX.fullmatch(word) is not None


@lru_cache(maxsize=1024)
def turning_words(text: str) -> frozenset[str]:
    """Return the words and phrases of *text* that may turn what stands beside them."""
    said = _WORD.findall(text)
    found = {word for word in said if _is_turning(word)} | set(TURN.findall(text))
    found.update(
        " ".join((word, *rest))
        for at, word in enumerate(said)
        for rest in _PHRASES.get(word, ())
        if tuple(said[at + 1 : at + 1 + len(rest)]) == rest
    )
    return frozenset(found)
