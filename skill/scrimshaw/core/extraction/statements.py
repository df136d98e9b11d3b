"""Combine a message's sentences into statements, and leave out what is worth nothing.

A sentence that refers to the one before it, or adds a detail to it, is joined with it; what tells of a
relative's body gets the word for them from there; greetings, praise and sentences that were learned to be
worthless are left out. Knows nothing of dates, places or earlier lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrimshaw.core import weighing
from scrimshaw.core.extraction.change_judge import rarity
from scrimshaw.core.extraction.claim_changes import changes, may_update
from scrimshaw.core.extraction.memory_orders import is_housekeeping
from scrimshaw.core.extraction.personal_statements import (
    OrderKind,
    is_doctors_order,
    is_lasting_fact,
    is_of_the_answer,
    lifts_wish,
    order_of,
)
from scrimshaw.core.extraction.scorer import Weighed, about_self, weigh_by_form
from scrimshaw.core.extraction.sentences import MessageSentence, PersonMessage
from scrimshaw.core.extraction.weighed import in_earnest, is_wish_to_agent, turns_to_another
from scrimshaw.core.language import ASKED, cues, fillers
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text import entities
from scrimshaw.core.text.dates import names_day
from scrimshaw.core.text.normalize import EAST
from scrimshaw.core.text.sentences import split_sentences, without_quotations
from scrimshaw.core.types import Kind, Place
from scrimshaw.core.weighing import Weigher

MAX_LINE_CHARS = 280
_OF_THEM = re.compile(r"(?:s?he|(?P<whose>his|her))\b", re.IGNORECASE)
_DECLINED = re.compile(r"^(mein|unser)e[nmr]\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
_DETAIL_CHARS = 180
_UNCLEAR_AT = 0.3  # how likely what names a day must be to tell too little alone, to go with another
_IDLE_BELOW = 0.15  # least probability of any worth; chosen on half of LoCoMo, REALTALK and BEAM
_NEEDS_AT = 0.2  # how likely a sentence that points at something is to need the one before
_LASTS_AT = 0.4  # probability of still mattering in half a year
_HANGS_FROM = 0.3  # least probability of any worth
_JOINED_CHARS, _LEAD_CHARS = 220, 80
_RARE = 5
_ROLE = re.compile(r"(?:the )?(?:user|person|assistant|agent|tool)\b", re.IGNORECASE)
_CLOSING = "\"'”’»)」』）"
_EAST_STOP, _EAST_MARKS = "。", "。！？"
_END_MARKS = frozenset(f".!?…:;{_EAST_MARKS}")
_AROUND = " .,;!…-–—"
_QUOTED_CHARS, _OWN_SHARE = 20, 0.5  # of a sentence, where the rest stands between quotation marks
_WITHHELD = "withheld"  # the label of what is to be written nowhere
_FEW_WORDS = 2  # "Ever." after a rule emphasises it


class MessageStatement(NamedTuple):
    """A statement, its unchanged wording and its label.

    *main*: its last sentence, if that cannot be understood without the others.
    """

    text: str
    raw: str
    label: str
    main: str = ""


def statements_in(
    message: PersonMessage, request: str, weigher: Weigher = weighing.weigh
) -> Iterator[MessageStatement]:
    """Yield the message's statements, but for what the person asks to be written nowhere.

    *request* is the sentence that asks for work, "" when there is none.
    """
    told: list[MessageStatement] = []
    for one in _statements_in(message, request, weigher):
        if one.label is not _WITHHELD:
            told.append(one)
            continue
        withheld = last_matter([*(before.text for before in told), one.text])
        told = told[: len(told) + 1 - withheld]
    yield from told


def last_matter(told: list[str]) -> int:
    """Return how many of the last statements *told* are one matter: each goes on with the one before it."""
    size = min(1, len(told))
    while 0 < size < len(told) and _needs_the_last(told[-size]):
        size += 1
    return size


def _needs_the_last(text: str) -> bool:
    """Tell whether *text* goes on with what was said before it: "She didn't say why", "Didn't say much"."""
    if fillers.OF_ANOTHER.match(text):
        return True
    is_named = entities.has_anchor(text) or entities.SELF.search(text) is not None
    return not is_named and len(content_words(text)) <= _FEW_WORDS


def _statements_in(message: PersonMessage, request: str, weigher: Weigher) -> Iterator[MessageStatement]:
    """Yield the statements, and behind what is to be written nowhere what was held of it."""
    held = raw = label = inherited = main = ""
    is_answer = False  # the sentence just before asks something
    asked_of = ""  # the one person whom the question just before names; behind a statement it may be another
    idle = ""  # the sentence just before, if it was worth nothing
    dropped = ""  # the sentence just before, if it was left out: the next may hang on it
    between = ""  # what was left out behind the statement held: what joins that may be of either
    for sentence, owner in _with_owners(message.sentences):
        is_of_answer, is_answer = is_answer and is_of_the_answer(sentence.raw), sentence.is_question
        if fillers.UNWRITTEN_HERE.search(sentence.text):
            idle = dropped = between = ""
            continue
        if fillers.UNWRITTEN.match(sentence.text):
            if held:
                yield MessageStatement(held, raw, _WITHHELD)
            held = raw = label = main = idle = dropped = between = ""
            continue
        if is_of_answer or is_housekeeping(sentence.raw) or fillers.COMPUTES.match(sentence.raw):
            continue
        if sentence.is_question and entities.has_hard_anchor(sentence.asked) and not request:
            yield MessageStatement(f"{ASKED}{sentence.asked}", sentence.raw, "")
        if sentence.is_question and order_of(sentence.raw) is not OrderKind.STANDING:
            asked_of, between = ("", sentence.raw) if held else (_only_person(sentence.raw), "")
            continue
        is_tail = (held and _is_tail(sentence.text)) or (idle and fillers.KEPT_QUIET.match(sentence.text))
        if not is_tail and _is_filler(sentence):
            continue
        if not is_tail and _is_idle(sentence, weigher):
            dropped, idle = sentence.text if _may_lead(sentence.text) else "", sentence.text
            between = dropped if held else ""
            continue
        if is_tail and not held:
            held, raw, main, idle = with_next(idle, sentence.text), sentence.raw, sentence.text, ""
            continue
        idle = ""
        if fillers.ANNOUNCEMENT.match(sentence.text) and order_of(sentence.raw) is not OrderKind.STANDING:
            inherited = sentence.text.lower()
            continue
        if _adds_nothing(sentence.text, held):
            continue
        is_request = bool(request) and held.startswith(request)
        hangs = _hangs(sentence, weigher)
        lead, dropped = "" if turns_to_another(sentence.raw, weigher) else dropped, ""
        stays = held and (sentence.leans or not is_request) and _stays(held, sentence, weigher)
        may_join = held and hangs and not (is_request or lead) and _has_room(held, sentence.text)
        if stays or (may_join and _is_one_matter(held, sentence, weigher)):
            tail = sentence.raw if stays and sentence.leans else sentence.text  # "So it …", "Then we …"
            held, raw, between = _with_between(held, between, tail), f"{raw} {sentence.raw}", ""
            main = sentence.text if not stays or _is_tail(sentence.text) else main
            continue
        if held:
            yield MessageStatement(held, raw, label, main)
        told = _of(asked_of, sentence.text) if asked_of else _told_of(owner, sentence.text)
        held, raw, label, main = told, sentence.raw, sentence.label or inherited, ""
        if lead and hangs and not sentence.text[:1].isdigit():
            held, main = with_next(lead, held), held
        asked_of = between = ""
    if held:
        yield MessageStatement(held, raw, label, main)


def _with_between(held: str, between: str, text: str) -> str:
    """Return *held* and *text* in one line, and what was said *between* them, to which *text* may point."""
    return with_next(with_next(held, between[:1].upper() + between[1:]) if between else held, text)


def _adds_nothing(text: str, held: str) -> bool:
    """Tell whether *text* introduces what was left out, "My model is this:", or repeats the request."""
    if text.endswith(":") and not entities.has_hard_anchor(text):
        return True
    # "I want to make sure it works"
    return bool(held and fillers.VAGUE.match(text)) and not entities.has_anchor(text)


def _hangs(sentence: MessageSentence, weigher: Weigher) -> bool:
    """Tell whether a sentence that is worth something cannot be understood without the one before it."""
    learned = weigher(weighing.Sentence(sentence.raw))
    if learned.worth[0] < _HANGS_FROM or order_of(sentence.raw) is OrderKind.TASK:
        return False
    if turns_to_another(sentence.raw, weigher):
        return False
    if fillers.OF_ANOTHER.match(sentence.text):
        return True
    if learned.needs < _NEEDS_AT:
        return False
    points = fillers.POINTS.search(sentence.text)
    before = sentence.text[: points.start()] if points else ""
    is_of_its_own = entities.NAME.search(before) or len(content_words(before)) > _FEW_WORDS
    is_figure = sentence.text[:1].isdigit() and learned.needs >= 2 * _NEEDS_AT  # "12 minutes, at 14:20"
    return is_figure or bool(points and not is_of_its_own)


def _is_one_matter(held: str, sentence: MessageSentence, weigher: Weigher) -> bool:
    """Tell whether what ends *held* ends *sentence*, too: who is to be called may be allergic for life."""
    learned = weigher(weighing.Sentence(sentence.raw))
    if cues.EMPHASIS.search(sentence.raw) or cues.EMPHASIS.search(held) or learned.worth[2] >= _LASTS_AT:
        return False
    if is_lasting_fact(sentence.raw) != is_lasting_fact(held):
        return False
    before = weigher(weighing.Sentence(held))
    if (before.place, learned.place) == (Place.STANDING, Place.LOG):
        return False
    return not (fillers.OF_ANOTHER.match(sentence.text) and before.place is Place.OPEN)


def _has_room(held: str, text: str) -> bool:
    return len(held) + len(text) <= _JOINED_CHARS and "?" not in held


def _may_lead(text: str) -> bool:
    """Tell whether *text*, worth nothing itself, may say what the next sentence is about: "Dress!"."""
    words = text.split()
    if _ROLE.match(text) or len(words) < _FEW_WORDS:
        return False  # "Agent was here": read as said of the assistant
    return len(text) <= _LEAD_CHARS and any(rarity(word.strip(".,!?…").lower()) >= _RARE for word in words)


def _of(name: str, text: str) -> str:
    """Return *text* with *name*, if there is one, for the pronoun that it begins with."""
    found = _OF_THEM.match(text) if name else None
    if found is None:
        return text
    whose = "'s" if found["whose"] else ""
    return f"{name}{whose}{text[found.end() :]}"


def _with_owners(sentences: Iterable[MessageSentence]) -> Iterator[tuple[MessageSentence, str]]:
    """Yield each sentence, and of whom, named before it, it tells without saying so: "No come carne"."""
    owner = sort = ""
    for sentence in sentences:
        start = fillers.TOLD_OF.match(sentence.text) if owner and not sentence.is_question else None
        is_told = start is not None and {start.lastgroup, sort} != {"she", "he"}
        is_told = is_told and fillers.OF_THE_BODY.search(sentence.text) is not None
        if is_told and order_of(sentence.raw) is not OrderKind.TASK:
            yield sentence, owner
            continue
        yield sentence, ""
        owner, sort = _person_in(sentence.text)


def _person_in(text: str) -> tuple[str, str]:
    """Return the one relative whom *text* tells of, and "she" or "he"; "" where another may be meant."""
    found = [*fillers.pattern("SOMEONE").finditer(text)]
    if len(found) != 1:
        return "", ""
    who, (start, end) = found[0].group(), found[0].span()
    beside = entities.without_days(f"{text[:start]}{who.split()[0]}{text[end:]}")
    is_german = _DECLINED.match(who) or who.lower().startswith(("mein ", "meine ", "unser ", "unsere "))
    if fillers.SOMEONE_ELSE.search(beside) or (entities.NAME.search(beside) and not is_german):
        return "", ""
    sort = next(sort for sort in ("she", "he") if found[0][sort])
    who = _DECLINED.sub(lambda hit: hit[1] + ("e" if sort == "she" else ""), who)
    return f"{who[:1].upper()}{who[1:]}", sort


def _told_of(owner: str, text: str) -> str:
    """Return *text*, which says nothing of whom it tells, with its *owner*, if there is one."""
    start = fillers.TOLD_OF.match(text) if owner else None
    if start is None:
        return text
    if _OF_THEM.match(text):
        return _of(owner, text)
    if pronoun := start["she"] or start["he"]:
        return f"{owner}{text[len(pronoun) :]}"
    return f"{owner} {text[:1].lower()}{text[1:]}"


def _only_person(asked: str) -> str:
    """Return the one name in a question, if it looks like a person's: "Mia's", "my brother Tom"."""
    names = [*entities.NAME.finditer(asked)]
    if len({_POSSESSIVE.sub("", name.group()) for name in names}) != 1:
        return ""
    name, before = names[0].group(), asked[: names[0].start()].split()
    is_person = _POSSESSIVE.search(name) or (before and changes.pattern("KIN").fullmatch(before[-1]))
    return _POSSESSIVE.sub("", name) if is_person else ""


def _is_tail(text: str) -> bool:
    """Tell whether *text* is only of what was said just before: "Don't tell anyone", "Passed!"."""
    return bool(fillers.KEPT_QUIET.match(text) or fillers.RESULT.match(text))


def _is_filler(sentence: MessageSentence) -> bool:
    if fillers.GREETING.match(sentence.text) and not entities.has_hard_anchor(sentence.text):
        return True
    if fillers.WISHES.match(sentence.text):
        return True
    if fillers.PRAISE_ONLY.match(sentence.text) or fillers.CALL_ONLY.match(sentence.text):
        return True
    return bool(fillers.FILLER_ONLY.match(sentence.raw) or fillers.FILLER_ONLY.match(sentence.text))


def _is_idle(sentence: MessageSentence, weigher: Weigher) -> bool:
    """Tell whether the weigher finds a sentence worthless, and nothing in its form contradicts that.

    "That sounds wonderful!" beside a fact would take the room of another fact.
    """
    raw, text = in_earnest(sentence.raw, weigher), sentence.text
    if _is_of_others(sentence):
        return True
    if sentence.label or sentence.asked or entities.has_hard_anchor(text) or entities.identifiers(text):
        return False
    if len(text.split()) < _FEW_WORDS:
        return entities.NAME.search(raw) is not None  # "Thanks, Maria." has become "Maria." here
    if max(weigher(weighing.Sentence(raw)).worth) >= _IDLE_BELOW:
        return False
    return not (
        order_of(raw)
        or is_doctors_order(raw)
        or is_wish_to_agent(raw, weigher)
        or about_self(raw)
        or may_update(text)
        or lifts_wish(raw)
        or cues.COMPLETION.search(text)
        or any(
            cue.search(raw) for cue in (cues.RETRACT, cues.EMPHASIS, cues.PREFERS, cues.DECIDES, cues.CHANGE)
        )
    )


def _is_of_others(sentence: MessageSentence) -> bool:
    """Tell whether a sentence is mostly another's words, which set no day: 'mum wrote "don't …"'."""
    own = without_quotations(sentence.raw, _QUOTED_CHARS)
    if len(own) > len(sentence.raw) * _OWN_SHARE or sentence.label:
        return False
    if (own.strip(_AROUND) and not fillers.QUOTING.search(own)) or fillers.BY_DOCTOR.search(own):
        return False  # "the shop is called …"
    return not (about_self(sentence.raw) or order_of(sentence.raw) or names_day(sentence.raw))


def _stays(held: str, sentence: MessageSentence, weigher: Weigher) -> bool:
    """Tell whether *sentence* belongs to the statement *held* before it."""
    if len(held) + len(sentence.text) >= MAX_LINE_CHARS:
        return False
    if _is_tail(sentence.text):
        return True
    if turns_to_another(sentence.raw, weigher):
        return False
    if about_self(sentence.raw) or sentence.label or order_of(sentence.raw):
        return False  # each is replaced on its own
    if cues.EMPHASIS.search(sentence.raw) and not sentence.leans:
        return False  # something this important is not a detail of the sentence before
    if sentence.leans:
        return True
    if len(content_words(sentence.text)) < 3:
        learned = weigher(weighing.Sentence(sentence.raw))
        # "Sono celiaco" holds longer than the visit before it.
        return learned.worth[2] < _LASTS_AT or learned.needs >= _NEEDS_AT
    if fillers.POINTS_BACK.search(sentence.text) or fillers.REASON.search(sentence.raw):
        return True
    weighed = weigh_by_form(sentence.text, raw=sentence.raw)
    if not entities.has_anchor(sentence.text):
        return weighed.kind not in (Kind.NEXT_STEP, Kind.FACT)
    is_clear = weigher(weighing.Sentence(sentence.raw)).unclear < _UNCLEAR_AT
    if is_clear and names_day(sentence.text):
        return False  # "The invoice is to be paid by the 20th" has its own day
    return _is_detail(held, sentence, weighed)


def _is_detail(held: str, sentence: MessageSentence, weighed: Weighed) -> bool:
    """Tell whether *sentence* continues the statement: an outcome's figures, a fact about the same thing."""
    if len(held) + len(sentence.text) > _DETAIL_CHARS or weighed.kind is not Kind.FACT:
        return False
    if entities.DATE_WORDS.search(sentence.text) or cues.OWN_CLAIM.search(sentence.text):
        return False
    before = weigh_by_form(held).kind
    if before is Kind.NEXT_STEP and fillers.PART_OF.match(sentence.text):
        return True
    if before in (Kind.OUTCOME, Kind.ISSUE):
        return True
    return before is Kind.FACT and bool(content_words(held) & content_words(sentence.text))


def dated_behind(text: str) -> str:
    """Return the one sentence of *text* that names a day, if it is not the first: "Late. Now 4 December"."""
    first, *rest = split_sentences(text)
    dated = [one for one in rest if names_day(one) and not changes.OFF.search(one)]
    return dated[0] if len(dated) == 1 and not names_day(first) else ""


def ended(text: str) -> str:
    """Return *text* with a mark at its end, that of its script; none behind a quotation that has one."""
    if text.rstrip(_CLOSING)[-1:] in _END_MARKS:
        return text
    last = next((char for char in reversed(text) if char.isalpha()), "")
    return f"{text}{_EAST_STOP if EAST.match(last) else '.'}"


def with_next(text: str, sentence: str) -> str:
    """Return the sentence *text* and another as they stand in one line; no space in Chinese and Japanese."""
    whole = ended(text)
    return f"{whole}{'' if whole[-1] in _EAST_MARKS else ' '}{sentence}"
