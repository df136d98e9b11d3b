"""Statements of a person about themself and orders to their agent: lasting facts, and subjectless sentences.

*Facts*: a small grammar (data/personal.txt) of who (oneself, a relative), a verb of being, having or doing,
and a class of complement. "I'm diabetic" and "I live in Porto" match; "I'm tired" and "I live for this" do
not, because their complement is in no class. English only.

*Orders*, recognised by form (data/requests.txt): the verb stands first ("Keep coriander out of every recipe",
"Paid the vet"), or is missing ("Metric units only, please"). A word of extent (always, never, every, only,
unless) makes an order a lasting one. Words of extent and of remembering are known in six languages, verbs in
English.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache, lru_cache
from typing import NamedTuple

from scrimshaw.core.language import PatternTable, Phrases
from scrimshaw.core.text import entities
from scrimshaw.core.text.dates import names_day
from scrimshaw.core.text.sentences import split_sentences

_personal = PatternTable("personal")
permits = PatternTable("permissions")
_requests = tongues = PatternTable("requests")

_WHO = re.compile(r"[A-Z_]{2,}(?= )")


def _grammar(lines: list[str], unless: str = "") -> str:
    """Return one pattern for the statements in *lines*, each a subject and a predicate."""
    told: dict[str, list[str]] = {}
    for line in lines:
        # Each subject is written out once for all its predicates, because compiling a pattern is slow.
        who = found.group() if (found := _WHO.match(line)) else ""
        told.setdefault(who, []).append(line[len(who) :].lstrip())
    pattern = "|".join(f"{who} (?:{'|'.join(what)})" if who else "|".join(what) for who, what in told.items())
    return rf"CLAUSE_START(?:{pattern})\b{unless}"


def _statements(group: str, unless: str = "", *, together: str = "") -> Phrases:
    """Return the statements of *group*; *together* has those of languages without spaces, whole."""
    rows = _personal.rows(together) if together else []
    return Phrases(
        lambda: "|".join(map(_personal.written_out, [_grammar(_personal.rows(group), unless), *rows]))
    )


def _whole(group: str) -> Phrases:
    """Return the patterns of *group*, each written whole."""
    return Phrases(lambda: "|".join(map(_personal.written_out, _personal.rows(group))))


# Facts that do harm when forgotten; other facts of a life that last; where somebody moved (only with a name,
# because "I'm moving on to the next test" is no residence).
VITAL = _statements("VITAL", "(?:IN_JEST)", together="VITAL_TOGETHER")
LASTING = _statements("LASTING", "(?:IN_JEST)(?:LAUGHING)(?:PASSING)")
MOVED_TO = _statements("MOVED_TO", "(?:IN_JEST)(?:LAUGHING)")
_MOST_DOSE_CHARS = 300
_SAYS_NOW = Phrases(r"\bnow\b")


_DOSED, _WEAKLY_DOSED = _whole("DOSED"), _whole("WEAKLY_DOSED")


def is_vital(text: str) -> bool:
    """Tell whether *text* states what does harm when it is forgotten: an illness, what is taken for it."""
    return VITAL.search(text) is not None or _tells_dose(text[:_MOST_DOSE_CHARS])


def _tells_dose(text: str) -> bool:
    is_dosed = _DOSED.search(text) or (_WEAKLY_DOSED.search(text) and _personal.MEDICAL.search(text))
    return bool(is_dosed) and not _personal.NO_DOSE.search(text)


def is_doctors_order(text: str) -> bool:
    """Tell whether *text* tells what a doctor orders for good: "my doctor says I should cut down on salt"."""
    text = text[:_MOST_DOSE_CHARS]
    if not (
        _personal.CONDUCT.search(text) and any(one.search(text) for one in _personal.each("DOCTOR_SAYS"))
    ):
        return False
    is_once = any(
        one.search(text) for one in (_personal.NO_ORDER, _requests.ONCE, _requests.FOR_NOW, permits.ONCE)
    )
    return not (is_once or names_day(text))


def is_joke(text: str) -> bool:
    """Tell whether *text* names what people joke about: "allergic to Mondays"."""
    return _personal.JOKES.search(text) is not None


def is_lasting_fact(text: str) -> bool:
    """Tell whether *text* states a lasting fact about a person."""
    return is_vital(text) or LASTING.search(text) is not None


class _Residence(NamedTuple):
    """Where somebody lives, or whom they work for: each has one value at a time."""

    who: str
    object: str


@cache
def _residences() -> tuple[Phrases, ...]:
    return tuple(Phrases(_personal.written_out(_grammar([row]))) for row in _personal.rows("SEATS"))


def has_new_residence_or_employer(now: str, before: str) -> bool:
    """Tell whether *now* gives another residence or employer than *before*."""
    lived, *_ = olds = [_residence(pattern, before) for pattern in _residences()]
    moved = _personal.MOVED_FROM.search(now)
    if moved and lived and moved.group("old") == lived.object:
        return True
    if not _SAYS_NOW.search(now):
        return False
    news = [_residence(pattern, now) for pattern in _residences()]
    return any(
        new and old and new.who == old.who and new.object != old.object
        for new, old in zip(news, olds, strict=True)
    )


def _residence(pattern: Phrases, text: str) -> _Residence | None:
    found = pattern.search(text)
    if found is None:
        return None
    who = found.group("who")
    is_kin = who.startswith(("my ", "our ")) and not who.endswith(" i")
    return _Residence(who if is_kin else "i", found.group("object"))


REMEMBERED = "remember"  # the label of what somebody asks the agent to remember
_MARKS = ",.:;!?\"'()…"
_LONGEST_WORDS = 40
_FRAGMENT_WORDS = 8
_MANNER_CHARS, _PERMISSION_CHARS = 60, 200
_FIRST_CLAUSE = re.compile(r"[,;:.!?–—]\s|\b(?:because|since|if|when|weil|wenn|porque|si|parce|perché|se)\b")
_LIFTING_CLAUSE = re.compile(r"[,;:.!?–—]\s|[、。，；！]")
_CLAUSE_MARKS = " ,;:.!?–—、。，；！"
_CLAUSE_END = re.compile(r"[,;:–—]\s|\b(?:because|since|as)\b")
_TAG_CHARS = 3  # what stands beside "sagt mein Chef" or "my boss says" in its clause
_REACH_WITHIN = 4  # words from the start, because some languages put "always" behind the verb


class OrderKind(Enum):
    """What a sentence without a subject says."""

    STANDING = auto()  # a rule from now on
    TASK = auto()  # to be done once by the agent
    REMINDER = auto()  # "remember to": to be done by the person
    DONE = auto()  # a report of something done


def _words(group: str) -> frozenset[str]:
    return _requests.words(group)


def remembered(piece: str) -> int:
    """Return where the text to be remembered begins in *piece*, 0 when *piece* does not ask for that."""
    words = _led(piece)
    if not words or words[0] not in _words("REMEMBERING"):
        return 0
    found = _requests.REMEMBER.match(piece)
    return found.end() if found else 0


@lru_cache(maxsize=1024)
def order_of(text: str) -> OrderKind | None:
    """Return what the first sentence of *text* orders or reports, None when it has a subject."""
    text = _without_lead_in(text)
    if is_manner(text) or is_whenever(text) or is_each_time(text) or orders_behind(text):
        return OrderKind.STANDING
    if _requests.ASKED_FOR_GOOD.match(text):
        return OrderKind.STANDING
    if lead := _requests.FROM_HERE.match(text):
        text = text[lead.end() :]
        if order_of(text) is not None:
            return OrderKind.STANDING
    if is_for_one_text(text):
        return OrderKind.TASK
    words = _led(text)
    if len(words) < 2 or words[0] in _words("SUBJECTS") or text.rstrip().endswith("?"):
        return None
    first, second = words[0], words[1]
    if first in _words("REMEMBERING") and (reminder := _requests.REMIND.match(text)):
        if _requests.TOLD_ANOTHER.search(text):
            return None
        act = text[reminder.end() :].lower().split(maxsplit=1)[:1]
        return None if _words("WISHES").issuperset(act) else OrderKind.REMINDER
    if _requests.HEADS.match(text):
        return None
    if "up" in words[2:4] and "give" in words[:3]:
        return None  # a common phrase of encouragement
    if tells_of_still(text):
        return None
    if first in _words("REACHES"):
        is_act = second not in _words("NO_ACT") and not second.endswith(("ed", "ing"))
        return OrderKind.STANDING if is_act and not _requests.ABOUT_OTHERS.search(text) else None
    if _is_ban(words, text) or _is_fragment(words):
        return OrderKind.STANDING
    if first in ("don't", "dont", "do", "no"):
        return None
    if not (_words("REACHES") - {"always", "never"}).isdisjoint(words[1:_REACH_WITHIN]):
        return OrderKind.STANDING
    if first == "only" and second in _words("VERBS"):
        return OrderKind.STANDING
    if (first.endswith("ed") and len(first) > 4 and first not in _words("NO_PAST")) or first in _words(
        "IRREGULAR"
    ):
        return OrderKind.DONE if _has_object(words, text) else None
    is_verb = first in _words("VERBS") or (second in _words("OBJECTS") and _may_be_verb(first))
    if not is_verb or second in _words("FOLLOW_NOUNS"):
        return None
    return _verb_first(first, text)


def tells_of_still(text: str) -> bool:
    """Tell whether *text* only begins like an order for good: "immer noch krank"."""
    return _requests.STILL_SO.match(text) is not None


def orders_behind(text: str) -> bool:
    """Tell whether *text* orders something for good behind what it says first.

    "I'm deaf in one ear, so no voice messages", "Carol rings on Sundays, don't plan anything then".
    """
    if len(text) > _PERMISSION_CHARS or text.rstrip().endswith(("?", "？")):
        return False
    if is_of_another(text) or _requests.HEADS.match(text):
        return False
    for hit in _requests.BEHIND.finditer(text):
        told, order = text[: hit.start()], text[hit.end() :]
        if not told or order_of(told) is not None:
            continue
        if _is_for_now(told, text):
            return False
        if entities.DATE_WORDS.search(_requests.WEEKLY.cut(told, " ")):
            return False  # "dentist on Friday, so don't plan anything after three"
        # "He got the job, no questions asked" tells; "so no calls", "no calls please" order.
        is_asked = _requests.ASKS_OF_AGENT.search(hit.group()) or _requests.ASKS_OF_AGENT.search(order)
        is_manner_of = is_asked and len(order) <= _MANNER_CHARS and _says_manner(order)
        if is_manner_of or _is_rule(_led(order), order, told):
            return True
    return False


def _is_for_now(told: str, text: str) -> bool:
    """Tell whether what *text* orders behind *told* is for now, of what is shown, or was said to another."""
    if any(one.search(told) for one in (_requests.REPORTED, _requests.POINTING)):
        return True
    if _is_once(text) or any(one.search(text) for one in (_requests.FOR_NOW, permits.ONCE)):
        return True
    return _requests.TOLD_ANOTHER.search(text) is not None


def _is_rule(words: list[str], order: str, told: str) -> bool:
    """Tell whether *order*, which begins with *words*, forbids or orders something for good behind *told*."""
    if len(words) < 2:
        return False
    if words[0] in _words("REACHES"):
        return words[1] in _words("VERBS") and not _requests.ABOUT_OTHERS.search(order)
    if words[0] not in ("don't", "dont"):
        return False
    return _is_ban(words, order) or (words[1] in _words("VERBS") and bool(_requests.REACH.search(told)))


def is_reminder(text: str) -> bool:
    """Tell whether *text* asks to be reminded of something that the person is to do."""
    return _requests.REMINDED.match(text) is not None


def is_whenever(text: str) -> bool:
    """Tell whether *text* orders what is to be done each time: "when there's an appointment tell me …"."""
    is_of_a_day = _requests.ONCE.search(text) or entities.DATE_WORDS.search(text)
    return _requests.WHENEVER.match(text) is not None and not is_of_a_day


def is_each_time(text: str) -> bool:
    """Tell whether *text* orders what the agent is to tell each time: "Schick mir jeden Freitag …"."""
    if len(text) > _PERMISSION_CHARS or text.rstrip().endswith(("?", "？")):
        return False
    return bool(_requests.EACH_TIME.search(text) and _requests.TOLD_TO_ME.search(text))


def wish_in(question: str) -> str:
    """Return the standing order that *question* only puts politely, "" when it asks something else.

    "Could you always give prices in pounds?", "could you not send me links?"
    """
    if _requests.ASKED_MANNER.match(question):
        lead = _requests.ASKED_TOGETHER.search(question) if _requests.SET_ANEW.match(question) else None
        return question[lead.end() if lead else 0 :].strip(" ?.!¿")
    found = _requests.ASKED_POLITELY.match(question)
    if found is None:
        return ""
    wish = re.sub(r"^not\b", "don't", question[found.end() :].strip(" ,?.!"))
    if is_manner(wish):
        return wish
    words = _led(wish)
    is_ban = words[:1] == ["don't"]
    is_lasting = not _words("REACHES").isdisjoint(words) or _requests.FROM_NOW_ON.search(wish)
    # "Can you always park there?", "could you not find it?" ask; "always give …", "not send me …" order.
    acts = {"me", "us", "my", "our"} | _words("SAID_BY_AGENT") if is_ban else _words("VERBS")
    is_asked = acts.isdisjoint(words) or not {"was", "were"}.isdisjoint(words)
    if is_asked or not (is_ban or is_lasting):
        return ""
    return wish if order_of(wish) is OrderKind.STANDING else ""


def task_in(question: str) -> str:
    """Return what *question* politely asks to be done on a day, or to be reminded of, "" when it is neither.

    "Can you remind me to call Ana?", "Could you book a table for Friday?"; what it only asks to be told is
    answered at once.
    """
    found = _requests.ASKED_POLITELY.match(question)
    if found is None or not question.rstrip().endswith("?"):
        return ""
    task = question[found.end() :].strip(" ,?.!")
    if is_reminder(task):
        return task
    is_act = _requests.DONE_FOR_ONE.match(task) and order_of(task) is OrderKind.TASK
    return task if is_act else ""


def lifts_wish(text: str) -> bool:
    """Tell whether *text* allows something again, or says that it need not be done any more."""
    return bool(lifting_in(text))


@lru_cache(maxsize=1024)
def lifting_in(text: str) -> str:
    """Return *text* up to the clause that allows something again or spares it, "" where none does."""
    if len(text) > _PERMISSION_CHARS or text.rstrip().endswith(("?", "？")):
        return ""
    if permits.ONCE.search(text) or permits.ONCE_IN_EAST.search(text):
        return ""
    if any(pattern.match(text) for pattern in permits.each("PERMITS")):
        part = _FIRST_CLAUSE.split(text, maxsplit=1)[0]
        return "" if is_refused(part) or is_of_another(text, part) else _before_limit(part)
    start = 0
    for end in (*(hit.end() for hit in _LIFTING_CLAUSE.finditer(text)), len(text)):
        clause = text[start:end].strip(_CLAUSE_MARKS)
        if permits.ONLY_IF.search(clause):
            return ""
        is_again = permits.ALLOWED.search(clause) and permits.AGAIN.search(clause)
        if is_again or permits.SPARED.search(clause) or permits.TAKEN_BACK.search(clause):
            part = text[:end].strip(_CLAUSE_MARKS)
            return "" if is_refused(clause) or is_of_another(text, part) else _before_limit(part, start)
        start = end
    return ""


def is_refused(text: str) -> bool:
    """Tell whether *text* denies a permission: "you can't use it again", "calls are not fine"."""
    return permits.DENIED.search(text) is not None


def is_of_another(text: str, part: str = "") -> bool:
    """Tell whether what *text* allows is another's word: all of it, or up to *part* and right behind it.

    "My boss says …", "…, sagt mein Chef". A reason behind it may tell what somebody says.
    """
    if not part or permits.SAID_BY_ANOTHER.search(part):
        return permits.SAID_BY_ANOTHER.search(text) is not None
    behind = _LIFTING_CLAUSE.split(text[text.find(part) + len(part) :].strip(_CLAUSE_MARKS), maxsplit=1)[0]
    said = permits.SAID_BY_ANOTHER.search(behind)
    if said is None or is_limited(behind[: said.start()]):
        return False  # "if my doctor says so" is a condition
    return min(len(behind[: said.start()]), len(behind[said.end() :])) <= _TAG_CHARS


def is_limited(text: str) -> bool:
    """Tell whether *text* allows something only where something is so, or to one party."""
    return permits.LIMITED.search(permits.UNLIMITED.cut(text, " ")) is not None


def _before_limit(part: str, start: int = 0) -> str:
    """Return *part* up to a condition that stands behind the permission, which begins at *start*."""
    limits = (hit.start() for hit in permits.LIMITED.finditer(part))
    for at in limits:
        said = part[start:at]
        if permits.AGAIN.search(said) or permits.SPARED.search(said) or permits.TAKEN_BACK.search(said):
            return part[:at].rstrip(_CLAUSE_MARKS)
    return part


def is_manner(text: str) -> bool:
    """Tell whether *text* is a short order about how to answer: "Be brief", "Réponds en français"."""
    if _requests.TOLD_ANOTHER.search(text):
        return False
    text = _with_a_reason(_without_lead_in(text))
    is_short = len(text) <= _MANNER_CHARS and not text.rstrip().endswith(("?", "？"))
    if _requests.ASKED_MANNER.match(text):
        return True
    if is_short and _says_manner(text):
        return True
    if not is_short or _requests.POINTING.search(text):
        return False
    return bool(_requests.FROM_NOW_ON.search(text)) and _led(text)[0] not in _words("SUBJECTS")


def _says_manner(text: str) -> bool:
    if _requests.TONGUE_AGAIN.match(text):
        return True
    manners = (_requests.KEPT_AWAY, *_requests.each("MANNER"))
    return not _requests.POINTING.search(text) and any(manner.match(text) for manner in manners)


def is_for_one_text(text: str) -> bool:
    """Tell whether *text* orders one text, or says how long that is to be: "three sentences, no jokes"."""
    return bool(_requests.ONE_TEXT.match(text)) and not _requests.HOLDS.search(text)


def is_for_once(text: str) -> bool:
    """Tell whether *text* orders how one text is to be, or one day: "just for this one in French"."""
    if not _requests.ONLY_ONCE.search(text) or _requests.HOLDS_BESIDE.search(text):
        return False
    sentences = split_sentences(text)
    return may_be_to_agent(text) and all(
        _requests.ONLY_ONCE.search(one) or order_of(one) is OrderKind.TASK for one in sentences
    )


def is_of_the_answer(text: str) -> bool:
    """Tell whether *text*, behind a question, says only how long the answer to that is to be: "one line"."""
    return _requests.ANSWERED_SO.match(text) is not None


def may_be_to_agent(text: str) -> bool:
    """Tell whether *text* is of saying or writing, as a wish to the agent would be."""
    return _requests.SPEECH.search(text) is not None and not (is_of_another(text) or tells_of_others(text))


def tells_of_others(text: str) -> bool:
    """Tell whether *text* tells what others say, or what somebody wants of others."""
    return any(one.search(text) for one in (_requests.TOLD_ANOTHER, _requests.OTHERS_SAY))


def _without_lead_in(text: str) -> str:
    """Return *text* without "hi, two things:"."""
    lead = _requests.LEAD_IN.match(text)
    return text[lead.end() :] if lead else text


def _with_a_reason(text: str) -> str:
    """Return the order in *text* without the reason that follows it: "keep it short, I'm at work"."""
    order, _, reason = text.partition(", ")
    first = reason.lower().split(maxsplit=1)[:1]
    return order if first and _words("SUBJECTS").issuperset(first) else text


def _led(text: str) -> list[str]:
    """Return the first words of *text*, lower case and without punctuation, leading phrases removed."""
    said = text.lower().replace("’", "'").split()[:_LONGEST_WORDS]
    words = [bare for word in said if (bare := word.strip(_MARKS))]
    start = 0
    while start < len(words) - 1 and words[start] in _words("LEADS"):
        start += 1
    return words[start:]


def _may_be_verb(word: str) -> bool:
    return (
        word.isalpha() and not word.endswith(("ing", "ly", "ed")) and (word[-1] != "s" or word[-2:] == "ss")
    )


def _verb_first(first: str, text: str) -> OrderKind | None:
    if _requests.ABOUT_OTHERS.search(text):
        return None
    is_verb, is_wish = first in _words("VERBS"), first in _words("WISHES")
    if _requests.REACH.search(text) and not _is_once(text) and (is_verb or not is_wish):
        return OrderKind.STANDING
    return OrderKind.TASK if is_verb and not is_wish and len(text.split()) > 2 else None


def _is_once(text: str) -> bool:
    """Tell whether the order itself is for a day; its reason may be: "no nuts, Leo got a rash today"."""
    return bool(_requests.ONCE.search(_CLAUSE_END.split(text, maxsplit=1)[0]))


def _is_ban(words: list[str], text: str) -> bool:
    """Tell whether *words* forbid something for good: "don't book me anything", "no calls on Sundays"."""
    first, second = words[0], words[1]
    if first == "no":
        if second == "more" and words[-1] == "please":
            return words[-2].endswith("s")
        is_short = len(words) <= _FRAGMENT_WORDS + 2 and _words("FINITE").isdisjoint(words)
        held = not {"in", "on", "after", "before", "without", "at", "for", "during", "please"}.isdisjoint(
            words
        )
        return is_short and held and second not in _words("NOTHING_BANNED")
    if first in ("stop", "quit") and second.endswith("ing"):
        is_to_me = words[2:3] == ["me"] and second != "making"
        acts = _words("SAID_BY_AGENT") | (_words("VERBS") if is_to_me else frozenset())
        said = {word.removesuffix("e") + "ing" for word in acts}
        # What its reason points at says nothing of the order: "stop asking me that way, I know this".
        order = _CLAUSE_END.split(text, maxsplit=1)[0]
        is_whole = len(order.split()) > 2
        is_told = _requests.POINTING.search(order if is_whole else text) or "said" in words
        return second in said and not is_told and not _is_once(text)
    at = 2 if first == "do" and second == "not" else 1 if first in ("don't", "dont") else 0
    if at and words[at : at + 1] == ["ever"]:
        at += 1
    if not at or len(words) <= at or words[at] in _words("NO_BAN"):
        return False
    is_ours = not {"me", "my", "us", "our"}.isdisjoint(words)
    is_said = words[at] in _words("SAID_BY_AGENT") and not _requests.POINTING.search(text)
    is_said = is_said and len(words) > at + 1  # "don't ask" is a way to end a story
    is_lasting = is_ours or is_said or _requests.REACH.search(text) or _requests.BANNED_FOR_GOOD.search(text)
    return bool(is_lasting) and not _is_once(text)


def _is_fragment(words: list[str]) -> bool:
    if len(words) > _FRAGMENT_WORDS or not _words("FINITE").isdisjoint(words):
        return False
    last = words[-2] if words[-1] == "please" else words[-1]
    if last in ("only", "always"):
        return len(words) > 2
    return (
        words[0].endswith("s")
        and not words[0].endswith("ss")
        and words[1] in _words("LIMITS")
        and len(words) > 2
    )


def _has_object(words: list[str], text: str) -> bool:
    second = words[1]
    if second in _words("OBJECTS") or second in _words("PARTICLES"):
        return len(words) > 2
    return bool(entities.NAME.search(text) or second[0].isdigit())
