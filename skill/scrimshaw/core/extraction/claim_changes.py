"""Decide by rules whether a statement makes an earlier one untrue or done: same subject, different value.

Two statements have the same subject when, without their values (figures, days, a name given as a value) and
without words of change, they hold the same words, or one holds a few more; when they are about the same
person; and when names in both agree. A different value of the same sort then closes the earlier statement if
the later one says that something changed. So does a later statement that says what no longer holds, what is
called off, or that a task is done. Questions, wishes, hypotheses and half-finished things close nothing. In
doubt nothing closes: a superfluous line is corrected by a newer one, a lost line is not.

The only vocabulary is small closed word classes (change, ending, intent, kinship) in several languages.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.extraction.partly_done import is_one_time, leaves_open, regular
from scrimshaw.core.extraction.personal_statements import is_vital
from scrimshaw.core.language import PatternTable, cues
from scrimshaw.core.language.grammatical_subject import SubjectSort, is_same, subject_before, subject_of
from scrimshaw.core.ledger.known_lines import content_words, is_ticket, stem
from scrimshaw.core.text import entities
from scrimshaw.core.text.dates import names_day
from scrimshaw.data import lines


class Update(StrEnum):
    """What a later statement does to an earlier one."""

    REPLACED = "replaced"
    DONE = "done"
    OFF = "off"  # given up or called off: nothing is left to do


changes = PatternTable("changes")
_pattern = changes.pattern
# "Mick can't come, so Whitby is off".
_SO = re.compile(
    r",? (?:so|also|deshalb|así que|por eso|donc|quindi|então) (?P<end>[^,.;]+)[.!]*$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:[./:@'’-][^\W_]+)*")
_SOME = re.compile(r"\ban? (?:new |good |other )?(?P<what>[\w'’-]+)", re.IGNORECASE)
_FIGURE = re.compile(r"\d[\d.,:]*")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_CLAUSE_END = re.compile(r"[,;]|\. ")
_RESULT = re.compile(r"[,;→]")
_MOST_CHARS, _SHORT_CHARS = 400, 140
_PREFIX_TOKENS = 3
_MOST_SUFFIX = 6
_LEAST_NEAR, _AROUND = 2, 80  # words in common around two figures; characters looked at
_LEAST_SHARED, _SHARE = 4, 0.4
_IN = ("in", "auf", "en", "em")
_ONE = ("a", "an")
_VERB_OF_BEING = frozenset(("is", "are", "was", "were", "has", "have", "costs", "cost"))
_SELF = frozenset(("i", "i'm", "i’m", "we", "ich", "wir", "je", "j", "io", "eu", "yo"))


class _Said(NamedTuple):
    """The parts of a statement that are compared."""

    text: str
    tokens: tuple[str, ...]
    about: frozenset[str]  # the words of its subject: no values, no words of change
    roots: frozenset[str]  # the roots of all its words
    names: frozenset[str]
    kin: frozenset[str]
    days: frozenset[str]
    hours: frozenset[str]
    figures: frozenset[str]


@cache
def _matter(group: str) -> frozenset[str]:
    return content_words(" ".join(changes.words(group)))


def may_update(text: str) -> bool:
    """Tell whether *text* may close an earlier line: it changes, ends or reports, or gives a figure."""
    text = text[:_MOST_CHARS]  # the time of patterns with gaps grows with the square of the text's length
    told = (changes.CHANGE, changes.OFF, changes.DONE, _pattern("EAST_CHANGE"), _pattern("EAST_OFF"))
    if any(one.search(text) for one in told) or changes.NO_MORE_PREGNANT.search(text) or _endings(text):
        return True
    return _is_report(text) or bool(_pattern("CLAIM").match(text))


def update_of(now: str, before: str, *, is_open: bool = False) -> Update | None:
    """Return what the later statement *now* does to the earlier *before*; None when it has no effect.

    *is_open*: the earlier one is a task. Both were said by the same person.
    """
    made = _update_of(now, before, is_open=is_open)
    end = _SO.search(now) if made is None and len(now) <= _MOST_CHARS else None
    return _update_of(end["end"], before, is_open=is_open) if end and is_called_off(end["end"]) else made


def _update_of(now: str, before: str, *, is_open: bool) -> Update | None:
    if len(now) > _MOST_CHARS or len(before) > _MOST_CHARS or any(mark in now + before for mark in "?？"):
        return None
    if changes.SETTLES_NOTHING.search(now.replace(" May", " ")):  # "May" is the month
        return None
    if not (_tells_change(now) or is_open or changes.INTENT.search(before)):
        return None  # before either is taken apart, which costs most
    new, old = _said(now), _said(before)
    if new.text.lower() == old.text.lower() or not _is_of_same_person(new, old):
        return None
    if not _tickets(new) <= _tickets(old):
        return None
    if changes.ALLERGY.search(before) and not changes.ALLERGY.search(now):
        return None  # who gets rid of the cats is as allergic to them
    if is_vital(before) and changes.SESSIONS.search(now) and not changes.SESSIONS.search(before):
        return None  # the appointment is off, and not the asthma
    is_ahead = _lies_ahead(new.text, old.text)
    if not is_ahead and _is_off(new, old) and not _is_off_once(new, old):
        return Update.OFF
    if (is_open or changes.INTENT.search(before)) and _is_done(new, old) and not leaves_open(now, before):
        return Update.DONE
    if is_ahead or _is_report(old.text) or not _names_all_borne(new, old) or _is_otherwise_once(new, old):
        return None  # a past event stays true, whatever followed
    if (
        _has_new_value(new, old)
        or _has_moved_on(new, old)
        or _has_ended(new, old)
        or _has_moved(new, old)
        or _is_told_anew(new, old)
        or _is_wished_otherwise(new, old)
    ):
        return Update.REPLACED
    return None


@lru_cache(maxsize=1024)
def _tells_change(text: str) -> bool:
    """Tell whether *text* has a word of change or of ending, without which it closes only what is done."""
    told = NOTED_DATE.sub("", text).strip()
    words = (changes.CHANGE, changes.OFF, changes.MOVED, cues.FROM_NOW_ON)
    in_east = (_pattern("EAST_CHANGE"), _pattern("EAST_OFF"))
    return any(one.search(told) for one in (*words, *in_east)) or bool(_endings(told))


@lru_cache(maxsize=1024)
def _endings(text: str) -> tuple[re.Match[str], ...]:
    """Return where *text* tells that something has ended."""
    # What stands before the word for it takes long to look for: only where there is one.
    before = (changes.ENDED_BEFORE,) if changes.GONE.search(text) else ()
    return tuple(hit for one in (*changes.each("ENDED"), *before) for hit in one.finditer(text))


@lru_cache(maxsize=2048)
def _said(text: str) -> _Said:
    told = NOTED_DATE.sub("", text).strip()
    days = frozenset(_day(hit.group()) for hit in _pattern("DAY").finditer(told))
    days |= frozenset(hit.group().lower().removesuffix("s") for hit in _pattern("WEEKDAY").finditer(told))
    bare = _pattern("EVERY").sub(" ", _pattern("WEEKDAY").sub(" ", _pattern("DAY").sub(" ", told)))
    hours = frozenset(hit.group().lower() for hit in _pattern("HOUR").finditer(bare))
    bare = entities.without_days(_pattern("HOUR").sub(" ", bare))
    figures = frozenset(hit.group().rstrip(".,:") for hit in _FIGURE.finditer(bare))
    bare = _FIGURE.sub(" ", bare)
    names = frozenset(
        word.lower()
        for hit in entities.NAME.finditer(bare)
        for word in hit.group().removesuffix("'s").split()
    )
    roots = frozenset(_root(word) for word in _words(bare))
    tokens = tuple(word.lower() for word in _WORD.findall(changes.CHANGE.cut(told, " ")))
    kin = frozenset(hit.group().lower().removesuffix("s") for hit in _pattern("KIN").finditer(told))
    about = roots - _matter("CHANGE_WORDS") - {_root(word) for word in _matter("LIGHT")}
    return _Said(told, tokens, about, roots, names, kin, days, hours, figures)


def _words(text: str) -> frozenset[str]:
    found = content_words(_EAST.sub(" ", text)) - changes.words("FOREIGN")
    plain = frozenset(word for word in found if len(word) > 2)
    runs = _EAST.findall(_pattern("EAST_CHANGE").sub("", text))
    return plain | {run[at : at + 2] for run in runs for at in range(len(run) - 1)}


def _forms() -> dict[str, str]:
    """Return the verb of each irregular form."""
    found = {}
    for verb in lines("irregular_verbs", "verbs"):
        first, *others = verb.split()
        found.update({stem(form): stem(first) for form in others})
    return found


_VERBS = _forms()


def _root(word: str) -> str:
    return _VERBS.get(word, word)


def _day(said: str) -> str:
    return " ".join(re.sub(r"(?<=\d)(?:st|nd|rd|th)|\bthe |\bof ", "", said.lower()).split())


def _names_all_borne(new: _Said, old: _Said) -> bool:
    """Tell whether *new* names all that *old* says somebody does not bear."""
    to = changes.ALLERGIC_TO.search(old.text)
    return to is None or {_root(word) for word in _words(old.text[to.start("to") :])} <= new.roots


def may_close(now: str, before: str) -> bool:
    """Tell whether both statements have one subject, and the later one's change has already taken effect."""
    new, old = _said(now), _said(before)
    is_of_all = _is_of_same_person(new, old) and _names_all_borne(new, old)
    return is_of_all and not _lies_ahead(new.text, old.text)


def plans_more(text: str, *, is_open: bool) -> bool:
    """Tell whether *text*, a report, says behind it what is left to do; *is_open*: it counts as a plan."""
    _, *more = _CLAUSE_END.split(changes.OFF.cut(text), maxsplit=1)
    told = (changes.INTENT, *((_pattern("DAY"), _pattern("WEEKDAY")) if is_open else ()))
    return any(one.search(rest) for rest in more for one in told)


def is_called_off(text: str) -> bool:
    """Tell whether *text* says that something is called off."""
    return bool(changes.OFF.search(text[:_MOST_CHARS]))


def leaves_alone(now: str, before: str, *, is_report: bool = False) -> bool:
    """Tell whether *now* is about what ended for another, or about one more thing like *before*.

    *is_report*: it tells what was done. "Got a plasterer" is no one more to "I have to get a plasterer".
    """
    new, old = _said(now[:_MOST_CHARS]), _said(before[:_MOST_CHARS])
    is_sought = is_report and changes.INTENT.search(before) is not None and _is_sought(new, old)
    has_ended = bool(_endings(new.text))
    return (_is_one_more(new, old) and not is_sought) or (has_ended and not _is_of_same_subject(new, old))


def _is_of_same_subject(new: _Said, old: _Said) -> bool:
    ended = [hit for hit in _endings(new.text) if _words(_ended_by(hit))]
    for hit in ended:
        value = _ended_by(hit)
        # A pattern that begins with the ended thing: the subject stands behind it.
        at = hit.start() if not hit.group().startswith(value) else hit.start() + len(value)
        is_value = _pattern("VALUE_FOR_ANOTHER").match(hit.group()) is not None
        verb = _pattern("ROMANCE").match(hit.group())
        if verb and hit.start() == 0 and verb.group(1).lower() not in old.tokens:
            return False  # the verb's ending is the subject
        subject = subject_of(new.text) if is_value else subject_before(new.text, at)
        if not is_same(subject, new.text, old.text, is_ended=not is_value):
            return False
    if ended:
        return True
    is_elsewhere = _has_moved(new, old)
    if changes.OFF.search(new.text) and subject_of(new.text).sort is SubjectSort.NOUN:
        return is_same(subject_of(new.text)._replace(words=old.about), new.text, old.text, is_ended=False)
    return is_same(subject_of(new.text), new.text, old.text, is_ended=is_elsewhere)


def _ended_by(hit: re.Match[str]) -> str:
    value = next(value for value in hit.groupdict().values() if value)
    return _without_weekdays(_pattern("DAY").sub(" ", value)).rstrip()


def _without_weekdays(text: str) -> str:
    return _pattern("WEEKDAY").sub(" ", _pattern("EVERY").sub(" ", text))


def _lies_ahead(now: str, before: str) -> bool:
    """Tell whether the change in *now* takes effect only on a future day; until then *before* holds."""
    if changes.FROM_LATER.search(now):
        return True
    return bool(changes.WILL.search(now)) and not (changes.AT_ONCE.search(now) or changes.WILL.search(before))


def _tickets(said: _Said) -> frozenset[str]:
    return frozenset(filter(is_ticket, content_words(said.text)))


def _is_report(text: str) -> bool:
    found = _pattern("REPORTS").match(text)
    words = [word.lower() for word in found.groups() if word] if found else []
    return any((word.endswith("ed") and word != "need") or stem(word) in _VERBS for word in words)


def is_of_same_person(now: str, before: str) -> bool:
    """Tell whether both statements are about oneself, the same relative, or somebody named in both."""
    return _is_of_same_person(_said(now), _said(before))


def named_in(text: str) -> frozenset[str]:
    """Return the names in *text*, lower case, one that begins it among them."""
    return frozenset(_named(_said(text))) - _SELF


def _is_of_same_person(new: _Said, old: _Said) -> bool:
    """Tell whether both are about the same person: oneself, the same relative, or somebody named in both."""
    if changes.OTHERS.match(new.text) and not changes.OTHERS.match(old.text):
        return False
    if not _is_of_same_subject(new, old):
        return False
    if new.kin == old.kin:
        return True
    return bool(_named(new) & _named(old)) and not (new.kin - old.kin - {"he", "she"})


def _named(said: _Said) -> frozenset[str]:
    """Return the names in *said*, including one at its beginning."""
    first = said.text.split(" ", 1)[0].strip(",.").removesuffix("'s")
    return said.names | ({first.lower()} if first[:1].isupper() and len(first) > 2 else set())


def _is_same_thing(new: _Said, old: _Said) -> bool:
    """Tell whether both are about the same thing: one holds all subject words of the other."""
    shared, missing, more = _compared(new, old)
    if not shared or not _has_changed(new) or (missing and more):
        return False
    stranger = {word for word in more if word in new.names or _begins_with_name(new, word)}
    if len(more) > len(shared) + 2:
        return False  # a single shared word, in a long statement
    return not stranger and len(missing) <= max(1, len(shared)) and not (missing & old.names)


def _begins_with_name(said: _Said, word: str) -> bool:
    first = said.text.split(" ", 2)
    return len(first) > 1 and first[0][:1].isupper() and _root(stem(first[0].lower().strip(",'’"))) == word


def _compared(new: _Said, old: _Said) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return _parted(new.about, old.about)


@lru_cache(maxsize=64)
def _parted(
    new: frozenset[str], old: frozenset[str]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    alike = {(one, other) for one in old - new for other in new - old if _are_alike(one, other)}
    shared = (old & new) | {one for one, _ in alike}
    return shared, old - shared, new - old - {other for _, other in alike}


def _are_alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if one[:2] != other[:2]:
        return False
    if len(one) > 5 and one.replace("ge", "", 1) == other.replace("ge", "", 1):
        return True  # "abgeben", "abgegeben"
    size = min(len(one), len(other))
    # "pagare" and "pagato", "cancelled" and "cancel": of one stem, as far as form tells.
    return size >= 4 and one[: max(4, size - 2)] == other[: max(4, size - 2)]


def _has_changed(said: _Said) -> bool:
    return bool(changes.CHANGE.search(said.text) or _pattern("EAST_CHANGE").search(said.text))


def _has_new_value(new: _Said, old: _Said) -> bool:
    """Tell whether both are about the same thing with another day, hour or figure."""
    sorts = ((new.days, old.days), (new.hours, old.hours), (new.figures, old.figures))
    both = [(mine, theirs) for mine, theirs in sorts if mine and theirs]
    is_other = any(not theirs <= mine or (mine - theirs and len(mine) > 1) for mine, theirs in both)
    is_short = max(len(new.text), len(old.text)) <= _SHORT_CHARS
    if not is_short or not is_other or not _is_same_thing(new, old) or _is_one_more(new, old):
        return False
    if _is_of_a_sort(new, old):
        return False
    if _has_changed(new):
        return True
    _, missing, more = _compared(new, old)
    return not (missing or more) and all(_pattern("CLAIM").match(one.text) for one in (new, old))


def _is_one_more(new: _Said, old: _Said) -> bool:
    """Tell whether *new* is about one more thing of a sort: "I have a call with Dana on Friday"."""
    told = (hit.group("what") for hit in changes.ONE_MORE.finditer(new.text))
    return any({_root(word) for word in _words(what)} & old.about for what in told)


def _is_sought(new: _Said, old: _Said) -> bool:
    """Tell whether *old* is about some thing, "a plasterer", and *new* about one of that sort."""
    sought = {_root(stem(hit.group("what").lower())) for hit in _SOME.finditer(old.text)}
    return not sought.isdisjoint(new.about)


def _is_of_a_sort(new: _Said, old: _Said) -> bool:
    """Tell whether *new* names a narrower thing than *old*: "the sales team", "the rent of the garage"."""
    shared, _, more = _compared(new, old)
    roots = [_root(stem(word.lower())) for word in _WORD.findall(changes.LIMIT.cut(new.text, " of "))]
    if any(one in more and other in shared for one, other in pairwise(roots)):
        return True
    return any(
        one in shared and of == "of" and other in more
        for one, of, other in zip(roots, roots[1:], roots[2:], strict=False)
    )


def _has_moved_on(new: _Said, old: _Said) -> bool:
    """Tell whether *new* changes a figure or day that *old*, possibly a longer statement, holds.

    The units must be equal, and most subject words of the shorter statement be in the longer one.
    """
    shared, missing, more = _compared(new, old)
    least = max(_LEAST_SHARED, _SHARE * min(len(new.about), len(old.about)))
    if len(shared) < least or not _has_changed(new) or (missing & old.names and more & new.names):
        return False
    if new.days and old.days and changes.NEW_DAY.search(new.text) and not old.days <= new.days:
        return True
    told = [(*_measured(hit), _near(new.text, hit)) for hit in changes.NEW_FIGURE.finditer(new.text)]
    before = [(*_measured(hit), _near(old.text, hit)) for hit in changes.MEASURED.finditer(old.text)]
    return any(
        unit == other and value != earlier and len(near & around) >= (_LEAST_NEAR if unit in "%€$" else 1)
        for unit, value, near in told
        for other, earlier, around in before
    )


def _measured(hit: re.Match[str]) -> tuple[str, str]:
    return (hit.group("unit") or hit.group("sign")).strip(), hit.group("value")


def _near(text: str, hit: re.Match[str]) -> frozenset[str]:
    """Return the words around a figure, which say what it measures."""
    at = hit.start("value")
    around = text[max(0, at - _AROUND) : at + _AROUND].partition(" ")[2].rpartition(" ")[0]
    roots = frozenset(_root(word) for word in _words(around))
    return roots - _matter("CHANGE_WORDS") - {stem(hit.group("unit") or "")}


def _is_told_anew(new: _Said, old: _Said) -> bool:
    """Tell whether both begin alike and end differently, and the later one says that this is so now."""
    if not _has_changed(new):
        return False
    same = 0
    for one, other in zip(new.tokens, old.tokens, strict=False):
        if one != other:
            break
        same += 1
    ends = (len(old.tokens) - same, len(_first_clause(new)) - same)
    if same < _PREFIX_TOKENS or not all(0 < size <= _MOST_SUFFIX for size in ends):
        return False
    new_end = _first_clause(new)[same:]
    if _VERB_OF_BEING & {*old.tokens[same:], *new_end} or new_end[0] in _ONE or old.tokens[same - 1] in _ONE:
        return False  # another thing, or a value of another sort
    prefix = {_root(stem(token)) for token in old.tokens[:same]}
    is_of_thing = old.tokens[0] not in _SELF and bool(prefix & old.about)
    return is_of_thing or bool(changes.LIVES.search(old.text) or changes.ONE_AT_A_TIME.search(old.text))


def _is_wished_otherwise(new: _Said, old: _Said) -> bool:
    """Tell whether both ask for the same with another name after "in": "Answer in German from now on"."""
    if not cues.FROM_NOW_ON.search(new.text):
        return False
    mine, theirs = (
        _WORD.findall(changes.POLITE.cut(changes.CHANGE.cut(one.text, " "), " ")) for one in (new, old)
    )
    is_alike = len(mine) >= _PREFIX_TOKENS and [*map(str.lower, mine[:-1])] == [*map(str.lower, theirs[:-1])]
    ends = (mine[-1], theirs[-1]) if is_alike else ("", "")
    return is_alike and mine[-2] in _IN and ends[0] != ends[1] and all(end[0].isupper() for end in ends)


def _first_clause(said: _Said) -> tuple[str, ...]:
    clause = _CLAUSE_END.split(changes.CHANGE.cut(said.text, " "), maxsplit=1)[0]
    return tuple(word.lower() for word in _WORD.findall(clause))


def _has_moved(new: _Said, old: _Said) -> bool:
    return bool(changes.MOVED.search(new.text) and changes.LIVES.search(old.text))


def _has_ended(new: _Said, old: _Said) -> bool:
    for hit in _endings(new.text):
        old_words = next(value for value in hit.groupdict().values() if value)
        if _is_of_a_day(old) and not old.days & new.days:
            continue  # what has ended is a habit or a state, not what was on a day
        old_words = _without_weekdays(old_words)
        is_of_other = bool((_words(old_words.split(" and ", 1)[0]) & new.names) - old.roots)
        old_words = _pattern("ENDED_PART").split(old_words, maxsplit=1)[0]
        ended = {_root(word) for word in _words(old_words) if not _pattern("KIN").fullmatch(word)} - _matter(
            "CHANGE_WORDS"
        )
        ended |= set(_FIGURE.findall(old_words))
        if (
            not ended
            or _pattern("DOING").match(old_words)
            or _pattern("KEPT_UP").search(new.text[: hit.start()])
        ):
            continue
        if hit.group().lower().startswith("finished") and not changes.ONGOING.search(old.text):
            continue
        held = {word for word in ended if any(_are_alike(word, one) for one in old.roots | old.figures)}
        if len(held) < len(ended) * 2 / 3 or is_of_other:
            continue
        before = _said(new.text[: hit.start()].strip() or "-")
        # When the earlier statement is about a thing, the other words at its beginning name another thing.
        rest = {word for word in old.about - held if word not in _matter("INTENT_WORDS")}
        told = {word for word in before.about if word not in _matter("INTENT_WORDS")}
        is_wish = bool(changes.WISH.search(new.text)) and bool(changes.WISH.search(old.text))
        is_alike = any(_are_alike(one, other) for one in rest for other in told)
        if not rest or not told or is_wish or is_alike:
            return True
    return False


def _is_of_a_day(said: _Said) -> bool:
    """Tell whether *said* is about one day."""
    return bool(changes.PAST.search(said.text)) or (
        any(map(_FIGURE.search, said.days)) and not changes.SINCE.search(said.text)
    )


def _is_off(new: _Said, old: _Said) -> bool:
    found = changes.OFF.search(new.text)
    if not found and not _pattern("EAST_OFF").search(new.text):
        return False
    mine = _said(changes.OFF.cut(new.text, " "))
    mine = mine._replace(about=frozenset(mine.about - _matter("OFF_WORDS")))
    theirs = old._replace(about=frozenset(old.about - _matter("INTENT_WORDS")))
    shared, missing, more = _compared(mine, theirs)
    if not shared or (missing & old.names) or (more & new.names):
        return False
    return not missing or (len(missing) == 1 and len(shared) >= 2 and (not more or len(shared) > 2))


def _is_off_once(new: _Said, old: _Said) -> bool:
    """Tell whether *new* calls off one time of what *old* says is done over and over: "no yoga today"."""
    if changes.FOR_GOOD.search(new.text) or cues.FROM_NOW_ON.search(new.text):
        return False
    return is_one_time(new.text, old.text) and names_day(new.text)


def _is_otherwise_once(new: _Said, old: _Said) -> bool:
    """Tell whether *new* tells of one time of what *old* says of each: "Friday 20th instead of Tuesday"."""
    is_once = regular.DATED_WEEKDAY.search(new.text) is not None and is_one_time(new.text, old.text)
    return is_once and not (changes.FOR_GOOD.search(new.text) or cues.FROM_NOW_ON.search(new.text))


def _is_done(new: _Said, old: _Said) -> bool:
    theirs = old._replace(about=frozenset(old.about - _matter("INTENT_WORDS")))
    shared, missing, more = _compared(new, theirs)
    in_head, _, more_in_head = _compared(_said(_RESULT.split(new.text, maxsplit=1)[0]), theirs)
    if in_head == shared:
        more = more_in_head  # what came of it stands behind: "Called Dr. Patel, she has halved it"
    if not shared or (missing & old.names) or old.figures - new.figures or (more & new.names - old.names):
        return False
    first = _CLAUSE_END.split(new.text, maxsplit=1)[0]
    if (
        "%" in first
        or any(one.search(new.text) for one in (changes.NOT_DONE, cues.NOT_YET, changes.INTENT))
        or changes.AHEAD.search(first)
    ):
        return False
    verbs = {word for word in shared | (new.roots & old.roots) if _is_past(new, word)}
    is_told = bool(changes.DONE.search(new.text)) or bool(verbs)
    if not missing:
        return is_told
    # A report may lack the verb or the word for the state, but not name another thing.
    return is_told and len(missing) == 1 and len(shared) >= 2 and (not more or len(shared) > 2)


def _is_past(said: _Said, root: str) -> bool:
    """Tell whether the verb with that root stands in *said* in a past form."""
    for word in _WORD.findall(said.text):
        lower = word.lower()
        if lower.endswith("ed") and _are_alike(_root(stem(lower)), root):
            return True
        if stem(lower) in _VERBS and _VERBS[stem(lower)] == root:
            return True
    return False
