"""The gate every proposal passes, whoever made it (rule 16).

Promised: each number, date, time, name, identifier, path, URL and quotation of a line occurs in an entry it
cites, or is computed from one; a number stands there with the noun it counts; the speaker is right; what a
tool printed or a person pasted never becomes the person's wish; no sentence is told again with a denial more
or less. Not promised: that a line in other words means what was said. `is_as_said` tells which lines are in
the speaker's own words; a model's others are noted once they were read again (core/verification/judge).

`prepare` once a window, then `judge` each proposal. A rejection has a short stable reason and a detail for a
person. The first broken rule decides, in the order of CHECKS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from rapidfuzz import fuzz, process

from scrimshaw.core.consolidation.duplicates import comparable, is_held, is_told_by
from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.extraction.corrections import correction_in, told_again
from scrimshaw.core.extraction.follow_ups import told_behind
from scrimshaw.core.extraction.memory_orders import is_housekeeping
from scrimshaw.core.extraction.shown_dates import SHOWN_DATE
from scrimshaw.core.language import fillers
from scrimshaw.core.ledger.known_lines import KnownLines, content_words
from scrimshaw.core.section.budget import units
from scrimshaw.core.text.normalize import EAST, denials_spelled, normal
from scrimshaw.core.text.sentences import split_sentences, without_question
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.transcript.paste_forms import ATTRIBUTES
from scrimshaw.core.types import (
    MAX_SOURCES,
    MAX_TEXT_CHARS,
    Kind,
    Observation,
    Place,
    Proposal,
    Rejected,
    Role,
    Verdict,
    Verified,
    Window,
)
from scrimshaw.core.verification import literals
from scrimshaw.core.verification.dates import strange_date, strange_time
from scrimshaw.core.verification.lookup import stands
from scrimshaw.core.verification.names import strange_name
from scrimshaw.core.verification.polarity import retold_otherwise
from scrimshaw.core.verification.source import Witness, is_more_of_others, shortest_first
from scrimshaw.core.verification.speaker import answers, first_said, put_in_mouth

_BAD_FORM = re.compile(
    r"[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]|<!--|-->|```|^\s*(?:#{1,6}\s|[-*+>]\s|\|)|scrimshaw:"
)
_WHEN = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)?|(?:19|20)\d\d|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|\d{4}-\d\d-\d\d|\d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_CONTROL = re.compile(
    r"heartbeat_ok|no_reply|heartbeat poll|notes from past sessions;"
    r"|outcome unknown\. more: memory_search"
    r"|one json object (?:a|per) line|you are (?:an?|the) observer|closing count|do not repeat these"
    r"|\"sources\"\s*:|\"kind\"\s*:"
)
_OF_USER = re.compile(
    r"(?:the )?(?:user|person|owner|human)\b"
    r"(?!'s (?!wish|decision|plan|prefer|choice|opinion|view|request|idea))",  # "User's blood values"
    re.IGNORECASE,
)
_NOT_SUPPORT_TEXT = """
user assistant agent tool person said stated asked wants prefers decided plans planned outcome unknown
"""
_NOT_SUPPORT = frozenset(_NOT_SUPPORT_TEXT.split())
_HELD_SHARE = 0.2  # a note is in words of its own, and its figures and names are looked for one by one
_MOST_INVENTED, _LITTLE_HELD = 6, 0.34  # so many words that nobody said are borne out by more of the others
_DUPLICATE_RATIO = 93.0
_SHORT_REPLY_WORDS = 9
_MOST_BEFORE, _LEAST_SHARED = 5, 2  # lines noted before, words a line shares with one it goes on with
_PIECES = re.compile(r"\s→\s|;\s|(?<=[.!?])\s|(?<=[。！？])")
_SENTENCE = re.compile(r"\s→\s|;\s|(?<=[.!?])\s+|\n+")
_SELF = {
    Role.USER: re.compile(r"\b(?:the )?(?:user|person)\b", re.IGNORECASE),
    Role.ASSISTANT: re.compile(r"\b(?:the )?(?:assistant|agent)\b", re.IGNORECASE),
    Role.TOOL: re.compile(r"(?!)"),
}
_DENIES = re.compile(  # "don't forget" says what follows
    r"\b(?:not?(?! forget)|never|without|cannot|nor|neither|instead|rather)\b|n't\b(?! forget)"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A window made ready for judging: its entries as witnesses, by id; and how many a line may cite."""

    window: Window
    witnesses: dict[str, Witness] = field(default_factory=dict)
    most_cited: int = MAX_SOURCES


@dataclass(frozen=True)
class _Case:
    proposal: Proposal
    cited: tuple[Witness, ...]
    lower: str
    words: frozenset[str]
    known: KnownLines
    window: Mapping[str, Witness]

    def named_elsewhere(self) -> Iterator[str]:
        """Yield where a name may stand that no cited entry holds: who "she" is, people say once.

        In the person's own words of the window, and in the lines noted before that this one goes on with.
        """
        for witness in self.window.values():
            if witness.entry.role is Role.USER:
                yield normal(witness.spoken)
        proposal = self.proposal
        targets = (*proposal.replaces, *proposal.withdraws, *proposal.completes)
        yield from (normal(line.text) for target in targets if (line := self.known.get(target)))
        alike = self.known.similar(frozenset(content_words(proposal.text)))[:_MOST_BEFORE]
        yield from (normal(match.observation.text) for match in alike if len(match.shared) >= _LEAST_SHARED)

    @cached_property
    def is_word_for_word(self) -> bool:
        """Whether each piece of the line stands in an entry as it is, or cut off where "…" says so."""
        pieces = (piece.strip(" .!;,…。！") for piece in _PIECES.split(self.lower))
        return all(any(_stands_plainly(piece, w.lower) for w in self.cited) for piece in pieces)

    @cached_property
    def is_verbatim(self) -> bool:
        """Whether an entry holds the whole line as it is, but for the date beside the words for it.

        Then its figures, names and denials are those of the entry: only whose words they are, when that was
        and whether it is known already is left to find out. What the rules note is nearly all of this kind.
        """
        told = NOTED_DATE.sub("", self.lower).strip(" .!;,…。！")
        return any(stands(told, w.lower) and _stands_plainly(told, w.lower) for w in self.cited)

    @cached_property
    def users(self) -> list[Witness]:
        """The person's entries among those it cites."""
        return [w for w in self.cited if w.entry.role is Role.USER]

    @cached_property
    def is_wish(self) -> bool:
        """Whether it says what the person wants from here on, or decided."""
        wishes = (Kind.DECISION, Kind.PREFERENCE)
        return self.proposal.kind in wishes or self.proposal.place is Place.STANDING

    @cached_property
    def is_of_user(self) -> bool:
        """Whether the person has to have said it."""
        proposal = self.proposal
        return self.is_wish or proposal.speaker is Role.USER or _OF_USER.match(proposal.text) is not None

    @cached_property
    def not_supported(self) -> str:
        """Why it is not the person's, when it has to be."""
        if not self.is_of_user or _supports(self, self.users, first_said(self.proposal.text)):
            return ""
        if _is_told_as_others(self, self.users, is_wish=self.is_wish):
            return ""
        return "the person's own words (without what they pasted) do not say this"

    @cached_property
    def retold(self) -> list[str]:
        """The cited text near the line's words, without another's offer to which it tells the answer."""
        is_answer = bool(self.users) and _OF_USER.match(self.proposal.text) is not None
        cited = self.users if is_answer else self.cited
        return [witness.text_near(self.words) for witness in cited]


_Check = Callable[[_Case], str]


def prepare(window: Window) -> Evidence:
    """Return *window* ready for judging; the work on each entry is done when it is first cited."""
    zone = ZoneInfo(window.zone)
    return Evidence(window, {entry.entry_id: Witness(entry, zone) for entry in window.entries})


def judge(proposal: Proposal, evidence: Evidence, known: KnownLines) -> Verdict:
    """Return *proposal* as verified, or why it is not; *known* holds the live lines accepted so far."""
    if detail := _form(proposal):
        return Rejected(proposal, "form", detail)
    if detail := _sources(proposal, evidence):
        return Rejected(proposal, "sources", detail)
    cited = tuple(evidence.witnesses[source] for source in proposal.sources)
    lower = normal(proposal.text)
    # Identical to a verified line: only that it was said again has to be recorded.
    if (twin := known.same(lower, done=proposal.done)) and not _named(proposal):
        return _repeats(proposal, twin)
    if proposal.retells is not None:
        if told := told_behind(proposal.text, proposal.retells.text):
            return _as_followed(proposal, proposal.retells, told, evidence, known)
        return _as_corrected(proposal, proposal.retells, evidence, known)
    words = split_words(lower) - _NOT_SUPPORT
    case = _Case(proposal, cited, lower, words, known, evidence.witnesses)
    for reason, check in CHECKS:
        if check in _HELD_WORD_FOR_WORD and case.is_verbatim:
            continue
        if detail := check(case):
            return Rejected(proposal, reason, detail)
    if twin := _twin(case):
        return _repeats(proposal, twin)
    return Verified(proposal)


def judge_as_noted(proposal: Proposal, evidence: Evidence, known: KnownLines) -> Verdict:
    """Judge a line of the rules: without the question or the day added to it, where that does not hold."""
    verdict = judge(proposal, evidence, known)
    if not isinstance(verdict, Rejected) or proposal.retells is not None:
        return verdict
    if (own := without_question(proposal.text)) != proposal.text:
        return judge_as_noted(replace(proposal, text=own, sources=proposal.sources[:-1]), evidence, known)
    if verdict.reason != "date":
        return verdict
    undated = replace(proposal, text=SHOWN_DATE.sub("", proposal.text), refers_to=None)
    again = judge(undated, evidence, known)
    return again if isinstance(again, Verified) or again.other_id else verdict


def _as_followed(
    proposal: Proposal, before: Proposal | Observation, told: str, evidence: Evidence, known: KnownLines
) -> Verdict:
    """Judge a plan told again with *told* behind it: each of the two as what was said alone."""
    own = replace(proposal, text=told, retells=None, replaces=(), withdraws=(), completes=())
    if own.refers_to == before.refers_to:
        own = replace(own, refers_to=None)
    if isinstance(before, Observation):
        if known.get(before.id) != before or proposal.replaces != (before.id,):
            return judge(own, evidence, known)
        verdict = judge(own, evidence, known)
        return replace(verdict, proposal=proposal) if isinstance(verdict, Rejected) else Verified(proposal)
    plan = judge(before, evidence, known)
    if isinstance(plan, Rejected) and plan.reason == "duplicate":
        proposal = replace(proposal, replaces=(plan.other_id,))  # said before, and followed up now
    elif isinstance(plan, Rejected):
        return judge(own, evidence, known)
    return plan if isinstance(judge(own, evidence, known), Rejected) else Verified(proposal)


def _as_corrected(
    proposal: Proposal, before: Proposal | Observation, evidence: Evidence, known: KnownLines
) -> Verdict:
    """Judge a line told again: as what was said before, and by the value that an entry of its corrects."""
    is_like = (proposal.kind, proposal.place, proposal.done) == (before.kind, before.place, before.done)
    if not is_like or proposal.withdraws or proposal.completes or proposal.speaker is not Role.USER:
        # More has become of it since, as where a plan is done: then it has to hold like any other.
        verdict = judge(replace(proposal, retells=None), evidence, known)
        if isinstance(verdict, Rejected) and isinstance(before, Proposal):
            return judge(before, evidence, known)
        return verdict
    if isinstance(before, Observation):
        if known.get(before.id) != before or proposal.replaces != (before.id,):
            return Rejected(proposal, "reference", f"{before.id} is no live line that it replaces")
    else:
        verdict = judge(before, evidence, known)
        if isinstance(verdict, Rejected) and verdict.reason == "duplicate":
            proposal = replace(proposal, replaces=(verdict.other_id,))  # said before, and corrected now
        elif isinstance(verdict, Rejected):
            return replace(verdict, proposal=proposal)
    zone = ZoneInfo(evidence.window.zone)
    for witness in (evidence.witnesses[source] for source in proposal.sources):
        said_at = datetime.fromtimestamp(witness.entry.said_at_ms / 1000, zone)
        pieces = {*_SENTENCE.split(witness.spoken), *split_sentences(witness.spoken)}  # "the 18. February"
        corrections = filter(None, map(correction_in, sorted(pieces)))
        # What it is about may be named beside the line, in the message that both cite.
        told = (told_again(before, correction.bare, said_at) for correction in corrections)
        if witness.entry.role is proposal.speaker and (proposal.text, proposal.refers_to) in told:
            return Verified(proposal)
    if isinstance(before, Proposal):
        return judge(before, evidence, known)  # as it was said, then
    return Rejected(proposal, "unsupported", "no entry that it cites corrects this value")


def is_as_said(proposal: Proposal, evidence: Evidence) -> bool:
    """Whether *proposal* is in its speaker's own words, from one sentence for each of its own.

    "I" for "User" and a few words left out make no difference; a word of its own that turns, limits or
    reports does (core/consolidation/duplicates).
    """
    cited = (evidence.witnesses[source] for source in proposal.sources)
    texts = [one.spoken for one in cited if one.entry.role is proposal.speaker]
    sentences = (one for text in texts for one in _SENTENCE.split(denials_spelled(text)))
    heard = [comparable(sentence) for sentence in sentences if "?" not in sentence]
    text = _SELF[proposal.speaker].sub("I", NOTED_DATE.sub("", proposal.text))
    parts = [comparable(part) for part in _SENTENCE.split(text) if part.strip()]
    return all(any(is_told_by(part, sentence) for sentence in heard) for part in parts)


def _repeats(proposal: Proposal, twin: Observation) -> Rejected:
    return Rejected(proposal, "duplicate", f"says the same as {twin.id}: {twin.text}", other_id=twin.id)


def _named(proposal: Proposal) -> bool:
    """Whether *proposal* would close earlier lines: then it is judged like any other."""
    return bool(proposal.replaces or proposal.withdraws or proposal.completes)


def _form(proposal: Proposal) -> str:
    text = proposal.text
    if not any(map(str.isalnum, _WHEN.sub(" ", text))):
        return "the line holds no word"
    size_chars = units(text)
    if size_chars > MAX_TEXT_CHARS:
        return f"{size_chars} UTF-16 units, at most {MAX_TEXT_CHARS}"
    if match := _BAD_FORM.search(text):
        return f"the line holds {match.group()!r}, which would break the section"
    if not 1 <= proposal.priority <= 5:
        return f"priority {proposal.priority} is not one of 1 to 5"
    return ""


def _sources(proposal: Proposal, evidence: Evidence) -> str:
    sources = proposal.sources
    if not sources or len(sources) > evidence.most_cited or len(set(sources)) < len(sources):
        return f"{len(sources)} entries are cited, wanted are 1 to {evidence.most_cited} different ones"
    strange = [source for source in sources if source not in evidence.witnesses]
    return f"entry {strange[0]} is not in the window" if strange else ""


def _control(case: _Case) -> str:
    if match := _CONTROL.search(case.lower):
        return f"{match.group()!r} is our own or the host's control text"
    if is_housekeeping(case.proposal.text):
        return "this asks for something to be done to the memory itself"
    return ""


def _injection(case: _Case) -> str:
    """Text in a tool result or a paste that gives orders to the agent carries nothing into memory."""
    if len(case.words) < 2:
        return ""
    for witness in case.cited:
        for tainted in witness.tainted:
            shared = case.words & tainted
            elsewhere = frozenset().union(
                *(w.spoken_words for w in case.cited if w.entry.role is not Role.TOOL)
            )
            if len(shared) >= 2 and len(shared) * 3 >= len(case.words) and not shared <= elsewhere:
                return f"entry {witness.entry.entry_id} orders the agent about in foreign text"
    return ""


def _speaker(case: _Case) -> str:
    """Return why nobody but another can have said it; no second reading makes a wish of foreign words."""
    proposal, users = case.proposal, case.users
    if all(w.entry.role is not proposal.speaker for w in case.cited):
        return f"said by the {proposal.speaker}, but no entry of theirs is cited"
    if case.is_of_user and not users:
        return "a wish or decision needs the person's own words"
    is_claimed = case.is_wish or proposal.place is Place.OPEN
    is_open_to_others = is_claimed or any(_is_foreign(w) for w in case.cited)
    if is_open_to_others and case.not_supported:
        return case.not_supported
    if users and is_claimed and is_more_of_others(case.words, users):
        return "this stands in what the person pasted, quoted or made up, and not in their own words"
    return put_in_mouth(proposal.text, case.cited) if is_claimed else ""


def _is_foreign(witness: Witness) -> bool:
    """Whether an entry holds what neither of the two said: a tool's output, a paste."""
    entry = witness.entry
    return entry.role is Role.TOOL or (entry.role is Role.USER and witness.spoken != entry.text)


def _supports(case: _Case, users: list[Witness], first: str) -> bool:
    """Whether the person said it, or answered what stood before; *first* is said of them."""
    mine = frozenset().union(*(w.spoken_words for w in users))
    others = frozenset().union(*(w.words for w in case.cited)) - mine
    # A good note may be reworded; then only few of its words may come from another speaker.
    told = split_words(normal(first)) - _NOT_SUPPORT
    if len(told & mine) >= len(told & others):
        return True
    if share_held(told, mine) >= _HELD_SHARE or share_held(case.words, mine) >= _HELD_SHARE:
        return True
    # Tool output is no offer by anybody, so a "thanks" after it accepts nothing.
    offered = frozenset().union(*(w.words for w in case.cited if w.entry.role is Role.ASSISTANT))
    if not offered or share_held(case.words, offered | mine) < _HELD_SHARE:
        return False
    return any(_takes_up(case.words, witness) for witness in users)


def _is_told_as_others(case: _Case, users: list[Witness], *, is_wish: bool) -> bool:
    """Whether the line is one of the day that says itself that somebody else said or wrote it."""
    if is_wish or case.proposal.place is not Place.LOG or _OF_USER.match(case.proposal.text):
        return False
    held = frozenset().union(*(w.words for w in users))
    return ATTRIBUTES.search(case.lower) is not None and share_held(case.words, held) >= _HELD_SHARE


def _takes_up(words: frozenset[str], witness: Witness) -> bool:
    """Whether a person's entry may be an answer to an offer: short, or of the same thing in part."""
    size = len(witness.spoken.split())
    if not size or "?" in witness.spoken or fillers.THANKS_ONLY.match(witness.spoken):
        return False
    if size <= _SHORT_REPLY_WORDS or answers(witness.spoken):
        return True
    return size <= _SHORT_REPLY_WORDS * 2 and not words.isdisjoint(witness.spoken_words)


def _unsupported(case: _Case) -> str:
    held: frozenset[str] = frozenset()
    share = 0.0
    for witness in shortest_first(case.cited):
        held |= witness.words
        share = share_held(case.words, held)
        is_invented = len(case.words) * (1 - share) >= _MOST_INVENTED and share < _LITTLE_HELD
        if share >= _HELD_SHARE and not is_invented:
            return ""
    return f"only {share:.0%} of its words stand in the entries it cites"


def _stands_plainly(piece: str, lower: str) -> bool:
    """Whether *piece* stands in *lower*, and nothing before it in its sentence says no.

    In Chinese and Japanese, written without spaces, it must not go on there: 300 is not 300万.
    """
    start = lower.find(piece)
    while start >= 0:
        begins = max(lower.rfind(mark, 0, start) for mark in (". ", "? ", "! ", "\n"))
        behind = lower[start + len(piece) - 1 : start + len(piece) + 1]
        goes_on = len(behind) == 2 and behind.isalnum() and EAST.search(behind) is not None
        if not goes_on and _DENIES.search(lower, begins + 1, start) is None:
            return True
        start = lower.find(piece, start + 1)
    return False


def _retold(case: _Case) -> str:
    if case.is_word_for_word:
        return ""
    if turned := retold_otherwise(case.proposal.text, case.retold):
        return f"the entries say “{turned}” with a denial more, or one less"
    return ""


def _reference(case: _Case) -> str:
    proposal = case.proposal
    for target in (*proposal.replaces, *proposal.withdraws, *proposal.completes):
        if case.known.get(target) is None:
            return f"{target} is no live line"
    return ""


def _twin(case: _Case) -> Observation | None:
    """Return the live line that says the same: spelled nearly alike, with every word that matters."""
    proposal = case.proposal
    # A report of a plan's outcome may use the words of the plan.
    alike = case.known.alike(proposal.text, done=proposal.done)
    mine = comparable(proposal.text)
    for _, _, key in process.extract(case.lower, alike, scorer=fuzz.ratio, score_cutoff=_DUPLICATE_RATIO):
        twin = case.known.get(key)
        # "On at night" and "off at night" are spelled alike and are two; so is what takes the other's place.
        if twin is not None and twin.id not in _closed_by(proposal) and is_held(mine, comparable(twin.text)):
            return twin
    return None


def _closed_by(proposal: Proposal) -> tuple[str, ...]:
    return (*proposal.replaces, *proposal.withdraws)


def _literal(check: Callable[[str, tuple[Witness, ...]], str]) -> _Check:
    return lambda case: check(case.proposal.text, case.cited)


def _date(case: _Case) -> str:
    return strange_date(case.proposal.text, case.proposal.refers_to, case.cited)


def _name(case: _Case) -> str:
    return strange_name(case.proposal.text, case.cited, case.named_elsewhere)


CHECKS: tuple[tuple[str, _Check], ...] = (
    ("control", _control),
    ("injection", _injection),
    ("speaker", _speaker),
    ("quotation", _literal(literals.strange_quotation)),
    ("date", _date),
    ("time", _literal(strange_time)),
    ("identifier", _literal(literals.strange_identifier)),
    ("number", _literal(literals.strange_number)),
    ("name", _name),
    ("unsupported", _unsupported),
    ("polarity", _retold),
    ("reference", _reference),
)
# What a line that stands in an entry word for word cannot fail.
_HELD_WORD_FOR_WORD = frozenset(
    {check for reason, check in CHECKS if reason in ("quotation", "time", "identifier", "number", "name")}
    | {_unsupported, _retold}
)
