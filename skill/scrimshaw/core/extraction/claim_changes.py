"""Whether a statement makes an earlier one untrue, or done: by what both are about and what differs.

Two statements are about the same when what is left of them without their values (figures, days, a name that
is told) and without the words of change is the same, or one of them says a little more; of the same person;
and where each names somebody, of the same. Then a value of the same sort that differs closes the earlier one,
if the later one says that something changed; so does a later one that says what holds no longer, what is off,
or, of what was to be done, that it is done. A question, a wish, a what-if and half of a thing close nothing.
When in doubt nothing closes: a line too many is mended by a newer one, a line lost is not.

Of words it knows only small closed classes (of change, of ending, of intent, of kin), in several languages.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from scrimshaw.core.language import cues
from scrimshaw.core.language.grammatical_subject import Sort, is_same, subject_before, subject_of
from scrimshaw.core.language.patterns import Phrases, phrases
from scrimshaw.core.ledger.known_lines import content_words, is_ticket, stem
from scrimshaw.core.text import entities
from scrimshaw.core.verification.antonym_pairs import IRREGULAR


class Update(StrEnum):
    """What a later statement does to an earlier one."""

    REPLACED = "replaced"
    DONE = "done"
    OFF = "off"  # given up or called off: there is nothing to do any more


_CHANGE = phrases(
    r"""
    now / nowadays / from now on / as of / these days / no longer / any ?more / any longer / instead
    rather than
    new / update / correction / changed? / changed (?:my|our) minds? / moved? / moves / pushed / shifted
    rescheduled / postponed / extended / brought forward / up to / down to / gone (?:up|down) / raised
    lowered
    increased / decreased / reduced / grown / reached / switched / replaced / turned / from [^.;]{1,40}? to
    jetzt / nun / nicht mehr / ab sofort / statt / verschoben / verlegt / ge[aä]ndert / neue[rsn]?
    ahora / ya no / en vez de / en lugar de / cambi[oó] / aplazad[oa] / desde hoy / nuev[oa]
    maintenant / désormais / plus / au lieu d[e'’] / reporté[es]* / déplacé[es]* / nouve(?:au|lle)
    adesso / ora / non [^.;]{0,40}? più / invece di / spostat[oa] / rinviat[oa] / nuov[oa]
    agora / já não / em vez de / adiad[oa] / mudou / nov[oa]
"""
)
_EAST_CHANGE = re.compile("现在|改[成到为]|变成|不再|今は|変更|になりました|もう")
# What is left out where two statements are compared: it tells that and how something changed.
_CHANGE_WORDS = content_words(
    """
    now nowadays new update correction changed mind moved move moves pushed shifted rescheduled postponed
    extended brought forward gone raised lowered increased decreased reduced grown reached switched replaced
    turned put today yesterday finally week month already longer anymore plan please always last instead
    rather
    just
    """
)
_LIGHT = content_words(
    """
    take takes taking place happen held cost come comes go going goes gone pay paying per do does done have
    year years old month day days week weeks time times around approximately total per am pm
    euro euros dollar dollars pound pounds eur usd
    """
)
_FOREIGN = frozenset(
    [
        "mein",
        "meine",
        "meinen",
        "meiner",
        "unser",
        "unsere",
        "eine",
        "einen",
        "einem",
        "wird",
        "wurde",
        "beträgt",
        "sind",
        "kommen",
        "noch",
        "muss",
        "habe",
        "haben",
        "nicht",
        "mehr",
        "sondern",
        "jetzt",
        "auf",
        "den",
        "der",
        "die",
        "das",
        "dem",
        "zum",
        "zur",
        "bei",
        "wir",
        "ich",
        "mit",
        "ist",
        "am",
        "im",
        "um",
        "zu",
        "verschoben",
        "mi",
        "mis",
        "es",
        "el",
        "la",
        "los",
        "las",
        "de",
        "del",
        "en",
        "con",
        "que",
        "tengo",
        "ya",
        "está",
        "esta",
        "estoy",
        "ahora",
        "nuestro",
        "nuestra",
        "una",
        "por",
        "mon",
        "ma",
        "mes",
        "le",
        "les",
        "du",
        "des",
        "est",
        "au",
        "aux",
        "chez",
        "avec",
        "pour",
        "une",
        "nous",
        "notre",
        "suis",
        "désormais",
        "maintenant",
        "plus",
        "ai",
        "je",
        "reporté",
        "reportée",
        "il",
        "lo",
        "gli",
        "di",
        "da",
        "per",
        "con",
        "sono",
        "è",
        "stato",
        "stata",
        "ho",
        "devo",
        "adesso",
        "ora",
        "non",
        "più",
        "un",
        "una",
        "della",
        "del",
        "dello",
        "mio",
        "mia",
        "spostato",
        "spostata",
        "meu",
        "minha",
        "o",
        "os",
        "as",
        "do",
        "da",
        "em",
        "na",
        "no",
        "foi",
        "eu",
        "é",
        "um",
        "uma",
        "agora",
        "já",
        "não",
        "tenho",
        "para",
    ]
)
_SETTLES_NOTHING = phrases(
    r"""
    what if / if / whether / would / wish / might / may / maybe / perhaps / hope / hoping / one day / someday
    'd (?:love|like|rather) / thinking (?:of|about) / considering / not yet / yet / still / almost
    nearly / half
    partly / part of / some of / most of / another / other / too / also / as well / used to
"""
)
_KIN = re.compile(
    r"\b(?:brothers?|sisters?|mothers?|mum|mom|fathers?|dad|parents?|sons?|daughters?|kids?|child|children|wife|"
    r"husband|partner|girlfriend|boyfriend|cousins?|aunt|uncle|nephew|niece|grand\w+|friends?|flatmate|room-?mate|"
    r"neighbou?rs?|colleagues?|\w+-in-law|he|she|"
    r"bruder|schwester|sohn|tochter|mutter|vater|frau|mann|herman[oa]|hij[oa]|prim[oa]|fr[eè]re|s[oœ]e?ur|cousine?|"
    r"fils|fille|sorella|fratello|figli[oa]|cugin[oa]|irmã|irmão|filh[oa])\b|弟|妹|哥|姐|儿子|女儿|息子|娘",
    re.IGNORECASE,
)
_OTHERS = phrases("(?:some|most|many|other) \\w+ / people / some(?:one|body) / every(?:one|body) / others")
_ENDED = (
    Phrases(
        r"\b(?:instead of|rather than|statt|en vez de|au lieu d[e'’]|invece di|em vez de) (?P<old>[^,.;:!?]+)"
    ),
    Phrases(
        r"\b(?:not|no|n['’]t|never)(?: \S+){0,2}? (?P<old>[^,.;:!?]{2,60}?) any ?(?:more|longer)\b|"
        r"\bnicht mehr (?P<de>[^,.;:!?]+)|\bkeine?n? (?P<kein>[^,.;:!?]+?) mehr\b"
    ),
    Phrases(
        r"\b(?:no longer|ya no|já não) (?P<old>[^,.;:!?]+)|"
        r"\bn(?:e |['’])(?P<fr>[^,.;:!?]+? plus\b[^,.;:!?]*)|"
        r"\bnon (?P<it>[^,.;:!?]+? più\b[^,.;:!?]*)"
    ),
    Phrases(r"(?<=, )not (?P<old>[^,.;:!?]+)"),
    Phrases(
        r"\b(?:stopped|quit|gave up|given up(?: on)?|giving up|i['’]m off|sold|no more|broke up with|"
        r"split up with|left|"
        r"got rid of|switched from|replaced|can['’]t stand|unsubscribed from|finished) "
        r"(?P<old>(?!for |at |in |by |to )[^,.;:!?]+)"
    ),
    Phrases(r"\b(?P<old>[^,.;:!?]+)(?:, [^,.;:!?]+,)? (?:died|passed away|broke up|is finished)\b"),
)
_OFF = phrases(
    r"""
    cancell?ed / called off / (?:is|are|was) off / after all / decided against / won['’]t / not going to
    scrapped
    (?:are|is|am|['’]m|['’]re)(?: not|n['’]t) \w+ing / no need to / (?:given|giving|gave) up(?: on)?
    fell through
    dropp(?:ed|ing) / abgesagt / f[aä]llt aus / cancelad[oa] / annul[eé][es]* / annullat[oa] / cancelled
"""
)
_EAST_OFF = re.compile("取消|中止")
_INTENT = phrases(
    r"""
    (?:need|have|has|needs|want|plan|intend|going|hope|mean|promised) to / must / should / ought to
    gotta / i'?ll
    we'?ll / remind me / don'?t forget / remember to / planning / signing up / signed up / muss / müssen
    tengo que
    debo / dois / il faut / devo / bisogna / preciso / tenho que
"""
)
_INTENT_WORDS = content_words(
    """
    need have want plan intend going hope mean must should ought remind forget remember planning promised
    still
    signing signed sign like gotta
    """
) | {"muss", "noch", "tengo", "que", "devo", "dois"}
_DONE = phrases(
    r"""
    (?:is|are|was|were|got|been)(?: now| all| finally)? (?:\w+ed|done|in|over|ready|paid|sent|sold|built|
        bought|
        written|out|made|put|cut|taken)
    finished / done / completed / ready / ist \w+ / sind \w+ / ho \w+ / ya \w+ / he \w+ / j['’]ai \w+
    hab\w* \w+
"""
)
_LIVES = phrases(
    r"li(?:ve|ves|ving) (?:in|near) / based in / wohne\w* in / vi(?:vo|ve|ven) en / habite à / abito a"
)
_ROMANCE = re.compile(r"(?:ya no|já não|non) (\w+)", re.IGNORECASE)
_VALUE_FOR_ANOTHER = re.compile(r"instead|rather|statt|en vez|au lieu|invece|em vez|not ", re.IGNORECASE)
_MONTHS = (
    r"(?:jan|feb|m[aä]r|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|de[cz]|enero|febrero|marzo|abril|mayo|agosto|"
    r"octubre|diciembre|fév|avr|juin|août|gen|mag|giu|lug|ago|set|ott|dic)"
)
_LATER = (
    r"(?:the )?(?:next|n[aä]chste|tomorrow|morgen|mañana|demain|domani|"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.|er)? )?(?:of |de )?{_MONTHS}"
    r"|\d{4}-\d\d|20\d\d\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?:st|nd|rd|th)\b)"
)
# A change with the day from which it is so; not "moved from Friday to Monday".
_FROM_LATER = Phrases(
    rf"\b(?:from|as of|starting(?: from| in| on)?|effective(?: from)?|beginning(?: in| on)?|ab(?: dem)?|"
    rf"a partir d[eo]l?|à partir d[eu'’]|dal?) ?{_LATER}(?!\w*(?: [\w:.,]+)? (?:to|until|till|bis|a|à)\b)"
)
_WILL = phrases(r"will / \w+['’]ll / going to / about to / wird / werden / werde / va / voy a / vamos / vais")
_AT_ONCE = phrases(
    r"now / any ?more / any longer / instead / not going to / from now on / jetzt / ahora / maintenant"
)
_MOVED = Phrases(r"\bmoved (?:back )?(?:from [\w'’-]+ )?to (?!the next|next|another)[\w'’-]")
_WORD = re.compile(r"[^\W_]+(?:[./:@'’-][^\W_]+)*")
_FIGURE = re.compile(r"\d[\d.,:]*")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_WEEKDAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mon|diens|mitt|donners|frei|sams|sonn)(?:tags?|wochs?)\b|"
    r"\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    r"lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)\b",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan|feb|m[aä]r|apr|ma[yijg]|jun|jui|giu|lu[gi]|jul|aug|ago|ao[uû]|sep|set|o[kc]t|ott|out|nov|de[czs]|dic)"
    r"[\w.éûíç]*"
)
_DAY = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?{_MONTH}|"
    rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|"
    r"\bthe \d{1,2}(?:st|nd|rd|th)\b|\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)
_HOUR = re.compile(
    r"\b\d{1,2}[:.]\d\d\b(?!\s*(?:euros?|€|\$))|\b\d{1,2} ?[ap]m\b|\b\d{1,2} ?uhr\b", re.IGNORECASE
)
_EVERY = re.compile(
    r"\b(?:every|each|a|per|last|this|next|(?:\w+ )?(?=\w+ ago)) ?"
    r"(?:day|morning|evening|afternoon|night|weeks?|months?|years?|days)\b(?: ago)?",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"^(?:my|our|the) (?:[\w'’-]+ ){1,4}?(?:is|are|costs?|cost|stands? at) (?:about |around )?[$€£]?\d",
    re.IGNORECASE,
)
_NOTED_DATE = re.compile(r" \(\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?\)")
_CLAUSE_END = re.compile(r"[,;]|\. ")
_REPORTS = re.compile(r"^(?:(?:i|we)(?:['’]ve| have)? )?(\w+)(?: (\w+))?\b", re.IGNORECASE)
_MOST_CHARS, _SHORT_CHARS = 400, 140
_PREFIX_TOKENS = 3
_MOST_SUFFIX = 6


class _Said(NamedTuple):
    """A statement, taken apart for comparing."""

    text: str
    tokens: tuple[str, ...]
    about: frozenset[str]  # what it is about, without values and words of change
    roots: frozenset[str]  # of all its words
    names: frozenset[str]
    kin: frozenset[str]
    days: frozenset[str]
    hours: frozenset[str]
    figures: frozenset[str]


def may_update(text: str) -> bool:
    """Whether *text* may close an earlier line: it changes, ends or reports something, or is a figure."""
    told = (_CHANGE, _OFF, _DONE, *_ENDED)
    if any(one.search(text) for one in told) or _EAST_CHANGE.search(text) or _EAST_OFF.search(text):
        return True
    return _is_report(text) or bool(_CLAIM.match(text))


def update_of(now: str, before: str, *, is_open: bool = False) -> Update | None:
    """Return what the later statement *now* makes of the earlier one *before*, None when it leaves it alone.

    *is_open*: the earlier one is to be done. Both are the same person's.
    """
    if len(now) > _MOST_CHARS or len(before) > _MOST_CHARS or any(mark in now + before for mark in "?？"):
        return None
    if _SETTLES_NOTHING.search(now.replace(" May", " ")):  # the month
        return None
    new, old = _said(now), _said(before)
    if new.text.lower() == old.text.lower() or not _is_of_same_person(new, old):
        return None
    if not _tickets(new) <= _tickets(old):
        return None
    is_ahead = _lies_ahead(new.text, old.text)
    if not is_ahead and _is_off(new, old):
        return Update.OFF
    if (is_open or _INTENT.search(before)) and _is_done(new, old):
        return Update.DONE
    if is_ahead or _is_report(old.text):
        return None  # what happened stays so, whatever became of it
    if (
        _has_new_value(new, old)
        or _has_moved_on(new, old)
        or _has_ended(new, old)
        or _is_elsewhere(new, old)
        or _is_told_anew(new, old)
        or _is_wished_otherwise(new, old)
    ):
        return Update.REPLACED
    return None


@lru_cache(maxsize=2048)
def _said(text: str) -> _Said:
    told = _NOTED_DATE.sub("", text).strip()
    days = frozenset(_day(hit.group()) for hit in _DAY.finditer(told))
    days |= frozenset(hit.group().lower().removesuffix("s") for hit in _WEEKDAY.finditer(told))
    bare = _EVERY.sub(" ", _WEEKDAY.sub(" ", _DAY.sub(" ", told)))
    hours = frozenset(hit.group().lower() for hit in _HOUR.finditer(bare))
    bare = entities.without_days(_HOUR.sub(" ", bare))
    figures = frozenset(hit.group().rstrip(".,:") for hit in _FIGURE.finditer(bare))
    bare = _FIGURE.sub(" ", bare)
    names = frozenset(
        word.lower()
        for hit in entities.NAME.finditer(bare)
        for word in hit.group().removesuffix("'s").split()
    )
    roots = frozenset(_root(word) for word in _words(bare))
    tokens = tuple(word.lower() for word in _WORD.findall(_CHANGE.cut(told, " ")))
    kin = frozenset(hit.group().lower().removesuffix("s") for hit in _KIN.finditer(told))
    about = roots - _CHANGE_WORDS - {_root(word) for word in _LIGHT}
    return _Said(told, tokens, about, roots, names, kin, days, hours, figures)


def _words(text: str) -> frozenset[str]:
    found = frozenset(word for word in content_words(_EAST.sub(" ", text)) if word not in _FOREIGN)
    plain = frozenset(word for word in found if len(word) > 2)
    pairs = {
        run[at : at + 2] for run in _EAST.findall(_EAST_CHANGE.sub("", text)) for at in range(len(run) - 1)
    }
    return plain | pairs


def _forms() -> dict[str, str]:
    """Return of each irregular form the verb it is of."""
    found = {}
    for verb in IRREGULAR.replace("\n", " ").split(","):
        first, *others = verb.split()
        found.update({stem(form): stem(first) for form in others})
    return found


_VERBS = _forms()


def _root(word: str) -> str:
    return _VERBS.get(word, word)


def _day(said: str) -> str:
    return " ".join(re.sub(r"(?<=\d)(?:st|nd|rd|th)|\bthe |\bof ", "", said.lower()).split())


def may_close(now: str, before: str) -> bool:
    """Tell whether both statements are of the same subject, and what the later one changes has come."""
    new, old = _said(now), _said(before)
    return _is_of_same_person(new, old) and not _lies_ahead(new.text, old.text)


def _is_of_same_subject(new: _Said, old: _Said) -> bool:
    """Tell whether what *new* says has changed is told of the subject of *old*."""
    ended = [hit for pattern in _ENDED for hit in pattern.finditer(new.text) if _words(_ended_by(hit))]
    for hit in ended:
        value = _ended_by(hit)
        # Of what has died, the words for it come first.
        at = hit.start() if not hit.group().startswith(value) else hit.start() + len(value)
        is_value = _VALUE_FOR_ANOTHER.match(hit.group()) is not None
        verb = _ROMANCE.match(hit.group())
        if verb and hit.start() == 0 and verb.group(1).lower() not in old.tokens:
            return False  # "Trabajo", "Ya no trabaja": the ending tells of whom
        subject = subject_of(new.text) if is_value else subject_before(new.text, at)
        if not is_same(subject, new.text, old.text, is_ended=not is_value):
            return False
    if ended:
        return True
    is_elsewhere = bool(_MOVED.search(new.text) and _LIVES.search(old.text))
    if _OFF.search(new.text) and subject_of(new.text).sort is Sort.NOUN:
        return is_same(subject_of(new.text)._replace(words=old.about), new.text, old.text, is_ended=False)
    return is_same(subject_of(new.text), new.text, old.text, is_ended=is_elsewhere)


def _ended_by(hit: re.Match[str]) -> str:
    """Return what *hit* says has ended, without days."""
    value = next(value for value in hit.groupdict().values() if value)
    return _WEEKDAY.sub(" ", _EVERY.sub(" ", _DAY.sub(" ", value))).rstrip()


def _lies_ahead(now: str, before: str) -> bool:
    """Tell whether what *now* changes is so only from a day to come on: till then *before* holds."""
    if _FROM_LATER.search(now):
        return True
    return bool(_WILL.search(now)) and not (_AT_ONCE.search(now) or _WILL.search(before))


def _tickets(said: _Said) -> frozenset[str]:
    return frozenset(filter(is_ticket, content_words(said.text)))


def _is_report(text: str) -> bool:
    """Tell whether *text* begins with what somebody did."""
    found = _REPORTS.match(text)
    words = [word.lower() for word in found.groups() if word] if found else []
    return any(word.endswith("ed") or stem(word) in _VERBS for word in words)


def _is_of_same_person(new: _Said, old: _Said) -> bool:
    """Tell whether both are of the same person: oneself, the same kin, or somebody named in both."""
    if _OTHERS.match(new.text) and not _OTHERS.match(old.text):
        return False
    if not _is_of_same_subject(new, old):
        return False
    if new.kin == old.kin:
        return True
    return bool(_named(new) & _named(old)) and not (new.kin - old.kin - {"he", "she"})


def _named(said: _Said) -> frozenset[str]:
    """Return the names in *said*, that which begins it among them."""
    first = said.text.split(" ", 1)[0].strip(",.").removesuffix("'s")
    return said.names | ({first.lower()} if first[:1].isupper() and len(first) > 2 else set())


def _is_same_thing(new: _Said, old: _Said, *, least: int = 1) -> bool:
    """Tell whether both are about the same: the one says all that the other is about."""
    shared, missing, more = _compared(new, old)
    if len(shared) < least or not _has_changed(new) or (missing and more):
        return False
    stranger = {word for word in more if word in new.names or _begins_with_name(new, word)}
    if len(more) > len(shared) + 2:
        return False  # one word in common of a long statement
    return not stranger and len(missing) <= max(1, len(shared)) and not (missing & old.names)


def _begins_with_name(said: _Said, word: str) -> bool:
    first = said.text.split(" ", 2)
    return len(first) > 1 and first[0][:1].isupper() and _root(stem(first[0].lower().strip(",'’"))) == word


def _compared(new: _Said, old: _Said) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return what both are about, what only the earlier one is, and what only the later one is."""
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
    return bool(_CHANGE.search(said.text) or _EAST_CHANGE.search(said.text))


def _has_new_value(new: _Said, old: _Said) -> bool:
    """Tell whether of the same thing another day, hour or figure is told."""
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
    return not (missing or more) and all(_CLAIM.match(one.text) for one in (new, old))


_ONE_MORE = Phrases(
    r"(?:\b(?:have|has|got|is|are|book(?:ed)?|bought|made)|['’]s) an? (?!new)"
    r"(?P<what>(?:[\w'’-]+ ){0,2}[\w'’-]+)"
)


def _is_one_more(new: _Said, old: _Said) -> bool:
    """Tell whether *new* speaks of one more of a sort: "I have a call with Dana on Friday"."""
    told = (hit.group("what") for hit in _ONE_MORE.finditer(new.text))
    return any({_root(word) for word in _words(what)} & old.about for what in told)


def _is_of_a_sort(new: _Said, old: _Said) -> bool:
    """Tell whether *new* names a thing closer than *old*: "the sales team", "the rent of the garage"."""
    shared, _, more = _compared(new, old)
    roots = [_root(stem(word.lower())) for word in _WORD.findall(_LIMIT.cut(new.text, " of "))]
    if any(one in more and other in shared for one, other in pairwise(roots)):
        return True
    return any(
        one in shared and of == "of" and other in more
        for one, of, other in zip(roots, roots[1:], roots[2:], strict=False)
    )


_LIMIT = phrases("(?:of|for) (?:the|my|our|his|her|their)")


def _has_moved_on(new: _Said, old: _Said) -> bool:
    """Tell whether a figure or day that *new* tells as changed is, in a longer statement, one of *old*'s.

    Figures of the same unit; most of what the shorter one is about is in the other, too.
    """
    shared, missing, more = _compared(new, old)
    least = max(_LEAST_SHARED, _SHARE * min(len(new.about), len(old.about)))
    if len(shared) < least or not _has_changed(new) or (missing & old.names and more & new.names):
        return False
    if new.days and old.days and _NEW_DAY.search(new.text) and not old.days <= new.days:
        return True
    told = [(*_measured(hit), _near(new.text, hit)) for hit in _NEW_FIGURE.finditer(new.text)]
    before = [(*_measured(hit), _near(old.text, hit)) for hit in _MEASURED.finditer(old.text)]
    return any(
        unit == other and value != earlier and len(near & around) >= (_LEAST_NEAR if unit in "%€$" else 1)
        for unit, value, near in told
        for other, earlier, around in before
    )


def _measured(hit: re.Match[str]) -> tuple[str, str]:
    return (hit.group("unit") or hit.group("sign")).strip(), hit.group("value")


def _near(text: str, hit: re.Match[str]) -> frozenset[str]:
    """Return the words around a figure: what it is a figure of."""
    at = hit.start("value")
    around = text[max(0, at - _AROUND) : at + _AROUND].partition(" ")[2].rpartition(" ")[0]
    return frozenset(_root(word) for word in _words(around)) - _CHANGE_WORDS - {stem(hit.group("unit") or "")}


_LEAST_NEAR, _AROUND = 2, 80
_LEAST_SHARED, _SHARE = 4, 0.4
_UNIT = (
    r"(?P<value>\d+(?:[.,]\d+)*)(?:(?P<sign> ?[%€$])| (?:(?:new|total|project|more) )?(?P<unit>[a-z]{3,}))"
)
_MEASURED = Phrases(rf"(?<![\w.,]){_UNIT}")
_NEW_FIGURE = Phrases(
    r"\b(?:now|improved|increased|decreased|extended|grown|grew|rose|risen|went|gone|down|up|raised|reached|updated|"
    rf"reduced|lowered|dropped|total|new)\b[^.;?]{{0,40}}?(?<![\w.,]){_UNIT}"
)
_NEW_DAY = Phrases(
    r"\bnew (?:\w+ ){0,2}(?:deadline|date|day|appointment|slot)\b|"
    r"\b(?:moved|pushed|extended|postponed|rescheduled|changed|shifted) "
    r"(?:\w+ ){0,6}(?:to|until) (?!\w+ing\b)"
)


def _is_told_anew(new: _Said, old: _Said) -> bool:
    """Tell whether both begin alike and end otherwise, and the later one says that this is so now."""
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
        return False  # another thing, or another sort of answer
    prefix = {_root(stem(token)) for token in old.tokens[:same]}
    is_of_thing = old.tokens[0] not in _SELF and bool(prefix & old.about)
    return is_of_thing or bool(_LIVES.search(old.text) or _ONE_AT_A_TIME.search(old.text))


def _is_wished_otherwise(new: _Said, old: _Said) -> bool:
    """Tell whether both ask for the same, but for the name behind "in": "Answer in German from now on"."""
    if not cues.FROM_NOW_ON.search(new.text):
        return False
    mine, theirs = (_WORD.findall(_POLITE.cut(_CHANGE.cut(one.text, " "), " ")) for one in (new, old))
    is_alike = len(mine) >= _PREFIX_TOKENS and [*map(str.lower, mine[:-1])] == [*map(str.lower, theirs[:-1])]
    ends = (mine[-1], theirs[-1]) if is_alike else ("", "")
    return is_alike and mine[-2] in _IN and ends[0] != ends[1] and all(end[0].isupper() for end in ends)


_POLITE = phrases("please / always")
_IN = ("in", "auf", "en", "em")
_ONE = ("a", "an")
_VERB_OF_BEING = frozenset(("is", "are", "was", "were", "has", "have", "costs", "cost"))
_SELF = frozenset(("i", "i'm", "i’m", "we", "ich", "wir", "je", "j", "io", "eu", "yo"))
# Of which somebody has one at a time, as a rule.
_ONE_AT_A_TIME = phrases(
    r"(?:i|we) (?:work|drive|study|live)(?: at| for| in| as)? / (?:ich|wir) (?:arbeite|wohne)n?"
)


def _first_clause(said: _Said) -> tuple[str, ...]:
    clause = _CLAUSE_END.split(_CHANGE.cut(said.text, " "), maxsplit=1)[0]
    return tuple(word.lower() for word in _WORD.findall(clause))


def _is_elsewhere(new: _Said, old: _Said) -> bool:
    """Tell whether somebody has moved from where the earlier statement has them living."""
    return bool(_MOVED.search(new.text) and _LIVES.search(old.text))


def _has_ended(new: _Said, old: _Said) -> bool:
    """Tell whether the later statement says that what the earlier one tells holds no longer."""
    for pattern in _ENDED:
        for hit in pattern.finditer(new.text):
            old_words = next(value for value in hit.groupdict().values() if value)
            if _is_of_a_day(old) and not old.days & new.days:
                continue  # what has ended is a habit or a state, not what was on a day
            old_words = _WEEKDAY.sub(" ", _EVERY.sub(" ", old_words))
            old_words = _ENDED_PART.split(old_words, maxsplit=1)[0]
            ended = {_root(word) for word in _words(old_words) if not _KIN.fullmatch(word)} - _CHANGE_WORDS
            ended |= set(_FIGURE.findall(old_words))
            if not ended or _DOING.match(old_words) or _KEPT_UP.search(new.text[: hit.start()]):
                continue
            if hit.group().lower().startswith("finished") and not _ONGOING.search(old.text):
                continue
            held = {word for word in ended if any(_are_alike(word, one) for one in old.roots | old.figures)}
            if len(held) < len(ended) * 2 / 3:
                continue
            before = _said(new.text[: hit.start()].strip() or "-")
            # What the statement begins with is another thing, when the earlier one tells of a thing, too.
            rest = {word for word in old.about - held if word not in _INTENT_WORDS}
            told = {word for word in before.about if word not in _INTENT_WORDS}
            is_wish = bool(_WISH.search(new.text)) and bool(_WISH.search(old.text))
            is_alike = any(_are_alike(one, other) for one in rest for other in told)
            if not rest or not told or is_wish or is_alike:
                return True
    return False


def _is_of_a_day(said: _Said) -> bool:
    """Tell whether *said* tells of what was, or is, on one day."""
    return bool(_PAST.search(said.text)) or (
        any(map(_FIGURE.search, said.days)) and not _SINCE.search(said.text)
    )


_PAST = phrases("was / were / went / war / waren / fue / était / stat[oa]")
_SINCE = phrases("since / every / seit / desde / depuis / dal / joined / started")
_ENDED_PART = re.compile(r" (?:to|for|and|but|because|since|that|when|two|three|\d+) ")


_ONGOING = phrases(r"(?:i['’]m|we['’]re|i am|we are) \w+ing")
_KEPT_UP = re.compile(r"(?:n['’]t|\bnot|\bnever|\bno) (?:\w+ )?$", re.IGNORECASE)  # "I won't quit on it"
_DOING = re.compile(r" ?(?!being|having)\w{2,}ing\b .*\b(?:i|we)\b", re.IGNORECASE)
_WISH = phrases(
    r"""
    (?:i|we)(?:['’]d| would)? (?:like|love|prefer|want) / (?:i|we) only / please / always / never
    from now on / give me
    book me / use / answer / call me / write / send me
"""
)


def _is_off(new: _Said, old: _Said) -> bool:
    """Tell whether what was planned, or stands, is called off or given up."""
    found = _OFF.search(new.text)
    if not found and not _EAST_OFF.search(new.text):
        return False
    mine = _said(_OFF.cut(new.text, " "))
    mine = mine._replace(about=frozenset(mine.about - _OFF_WORDS))
    theirs = old._replace(about=frozenset(old.about - _INTENT_WORDS))
    shared, missing, more = _compared(mine, theirs)
    if not shared or (missing & old.names) or (more & new.names):
        return False
    return not missing or (len(missing) == 1 and len(shared) >= 2 and (not more or len(shared) > 2))


_OFF_WORDS = content_words(
    "cancelled called decided against need scrapped given giving gave dropped dropping trip won"
)


def _is_done(new: _Said, old: _Said) -> bool:
    """Tell whether the later statement reports what the earlier one had still to be done."""
    theirs = old._replace(about=frozenset(old.about - _INTENT_WORDS))
    shared, missing, more = _compared(new, theirs)
    if not shared or (missing & old.names) or old.figures - new.figures or (more & new.names - old.names):
        return False
    first = _CLAUSE_END.split(new.text, maxsplit=1)[0]
    if (
        "%" in first
        or any(one.search(new.text) for one in (_NOT_DONE, cues.NOT_YET, _INTENT))
        or _AHEAD.search(first)
    ):
        return False
    verbs = {word for word in shared | (new.roots & old.roots) if _is_past(new, word)}
    is_told = bool(_DONE.search(new.text)) or bool(verbs)
    if not missing:
        return is_told
    # What is done may be told without the verb, or without a word for its state; not with another thing.
    return is_told and len(missing) == 1 and len(shared) >= 2 and (not more or len(shared) > 2)


_NOT_DONE = phrases(
    r"not / never / \w+n['’]t / kein\w* / nicht / first / initial / draft / part / pages? / \d+ (?:of|to go)"
)
_AHEAD = phrases("will / tomorrow / next / be")


def _is_past(said: _Said, root: str) -> bool:
    """Tell whether the verb of that root stands in *said* in its past form."""
    for word in _WORD.findall(said.text):
        lower = word.lower()
        if lower.endswith("ed") and _are_alike(_root(stem(lower)), root):
            return True
        if stem(lower) in _VERBS and _VERBS[stem(lower)] == root:
            return True
    return False
