"""Sentences without a subject: what the person wants from now on, wants remembered, wants done, or has done.

Told by form, never by what they are about: the verb stands first ("Keep coriander out of every recipe",
"Paid the vet"), or there is none ("Metric units only, please"). What makes an order a lasting one is a word
that says how far it reaches: always, never, every, only, unless. Most sentences have a subject, and their
first word shows it: they cost a look into a set. The words of reach and remembering are known in English,
German, Spanish, French, Portuguese and Italian, the verbs in English.
"""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache

from scrimshaw.core.language.patterns import Phrases, phrases
from scrimshaw.core.text import entities

REMEMBERED = "remember"  # the label of what somebody asks to have remembered


class Order(Enum):
    """What a sentence without a subject is."""

    STANDING = auto()  # holds from now on
    TASK = auto()  # to be done once
    REMINDER = auto()  # "remember to": to be done by the person
    DONE = auto()  # was done


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What leads or entitles the sentence: "Reason: the fences match", "However, the food was good".
_HEADS = Phrases(
    r"^(?!(?:please|and|also|but|oh|ok|okay|so|then|plus|yes|no|bitte|"
    r"por favor)\b)[\w'-]+(?: [\w'-]+){0,3}:|^(?:(?!only|reply|apply|supply)[a-z]+ly|overall|however|"
    r"together|[\w'-]+(?=, (?:the|it|my|our|a)\b))\b"
)
_MARKS = ",.:;!?\"'()…"
_LONGEST_WORDS = 40
_FRAGMENT_WORDS = 8
_REACH_WITHIN = 4  # words, where another language puts "always" behind the verb
_LEADS = _set(
    """
    please and also but oh ok okay so then plus now just yes yeah yep lol haha omg ugh wow hmm bitte por
    favor
    """
)
# A subject, or what else begins a sentence that says something of somebody.
_SUBJECTS = _set(
    """
    not rather all even once idk im ill dang damn til let's i i'm i've i'll i'd we we're we've we'll
    we'd you you're you'll you've he she it it's its
    they they're he's she's this that that's these those there there's here the a an my our your his her
    their what when where which who why how is are was were am did does has have had can could should
    would will shall may might must if because since while although though after before in on at by from
    with for of to as until during about yes yeah yep nope maybe perhaps well hey hi hello thanks thank
    glad happy sorry good great nice same both some many most one two someone everyone everybody nobody
    everything nothing something people today tomorrow yesterday tonight last next love loved like liked
    hate wish wished hope hoped guess think thought miss missed need needed want wanted feel felt bet
    mean know knew doubt sounds looks got had been went saw seen ich wir er sie es das der die mein
    unser yo nosotros el la los las mi nuestro je nous il elle le les mon ma notre eu nós o os meu minha
    io noi lo gli mio mia
    """
)
# What is wished to others, or said to cheer them on.
_WISHES = _set(
    """
    have enjoy take hang stay rest sleep trust believe imagine look let see talk catch say congrats
    cheer cheers best welcome happy good wishing hoping sending keep get be come rock dream follow
    listen
    """
)
_REACHES = _set("always never immer nie niemals siempre nunca toujours jamais désormais sempre mai künftig")
_FOREIGN_REACHES = _REACHES - {"always", "never"}
# "Always a pleasure", "Never had one": no verb in its plain form follows.
_NO_ACT = _set(
    """
    a an the in on at with good great nice fun been mind had felt thought knew met saw heard went did
    got gave took made found seen said told understood ever again really quite so too as stop forget
    settle lose happy up wanted
    """
)
# After "don't": said of oneself, or to comfort.
_NO_BAN = _set(
    """
    worry forget mind be let get know think want have need like feel see stress stop hesitate sweat you
    understand remember care believe mean look love even really quite judge lose sell underestimate
    """
)
_NOTHING_BANNED = _set(
    """
    problem problems worries idea need way doubt rush wonder one matter thanks more plans big i i'm we
    it that not he she they you offence offense pressure luck reason question longer sign clue kidding
    """
)
_OBJECTS = _set(
    """
    me my our us the a an all any every each no it them this that these those him her his their both two
    three
    """
)
_PARTICLES = _set("up in out off over for back down")
_VERBS = _set(
    """
    add address answer apply arrange ask avoid book bring build buy call cancel change charge check
    clean clear close collect compare confirm convert cook copy count create cut delete deliver disable
    do download draft email enable exclude explain export fetch file fill find finish fix forward format
    get give have hide ignore include install invite keep label leave limit list mail make mark mention
    merge message move note offer open order pack pay phone pick plan post prepare prefer print pull
    push put quote read recommend remind remove rename renew repeat replace reply report reset respond
    return review ring round run save schedule search send set share ship show sign skip sort speak
    spell split start stick suggest summarise summarize switch take tell test text translate treat try
    turn update upload use wait wake warn wash water wrap write
    """
)
_IRREGULAR = _set(
    """
    paid sent bought sold made took found wrote built spoke told gave met won lost broke began hung
    sewed laid taught drew
    """
)
# Looks like a verb of the past and says how somebody feels, or what something is.
_NO_PAST = _set(
    """
    excited worried bored tired interested confused pleased relieved stressed annoyed scared amazed
    disappointed used based supposed indeed exhausted blessed surprised concerned frustrated overwhelmed
    motivated determined inspired delighted honored honoured touched ashamed embarrassed located
    compared related agreed enjoyed asked speed feed seed bleed breed proceed exceed succeed weed embed
    hundred sacred naked wicked red
    """
)
# "Call with Aline is over", "Order of the day": a noun.
_FOLLOW_NOUNS = _set("with is was has itself of went took care are were will")
_FINITE = _set(
    """
    i we you he she it they is are was were am has have had do does did can could will would should i'm
    i'll i've we're we'll it's that's
    """
)
_LIMITS = _set("under below within without including excluding never always only maximum max")
_REACH = phrases(
    r"""
    every(?! (?:time|now|single|once|one|body)\b) / each(?! other) / always / never / only / ever
    any(?:thing|one|body|where)? / from now on / in (?:the )?future / unless / whenever / by default
    at (?:most|least) / under / no (?:more|longer|later|earlier) than / instead of / rather than
    (?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s| mornings| afternoons| evenings| nights)
    all (?!set|good|right|day|night|this|that|over) / before (?:you|\d|seven|eight|nine|ten|noon)
    when(?:ever)? (?:you|i)
"""
)
# On a day: then it is to be done once.
_ONCE = phrases(
    r"""
    today / tonight / tomorrow / now / this (?:morning|afternoon|evening|week|month|time)
    next (?:week|month|year|time|\w+day) / again / yet / by (?:\w+day|noon|tonight)
"""
)
_ABOUT_OTHERS = phrases(
    r"yourself / makes you / you (?:love|can|do|are|want) / your (?:heart|life|dreams?|best)"
)

_ASKED_FIRST = r"^(?:(?:please|and|also|but|oh|so|bitte|por favor|s'il (?:te|vous) plaît|per favore)[, ]+)*"
REMEMBER = Phrases(
    _ASKED_FIRST
    + r"(?:remember|(?:don't|dont|do not) forget|note|keep in mind|bear in mind|be aware|make a note"
    r"|for the record"
    r"|merk(?:e|en sie)? (?:dir|sich)|denk (?:dran|daran)|vergiss nicht|recuerda|no olvides|ten en cuenta"
    r"|n'oublie[zr]? pas|rappelle-toi|souviens-toi|lembra-te|lembre-se|não (?:te |se )?esqueças?"
    r"|ricorda(?:ti)?|non dimenticare|tieni presente)"
    r"(?:(?:\s*[,:])?\s+(?:that|dass|que|che)\s+(?!time|day|night|one|when|was|is)|\s*:\s+|"
    r"\s*[,–—]\s+(?!when)"
    r"|\s+(?=(?:i|i'm|we|we're|my|our)\s))(?=\S+\s+\S+)"
)
REMIND = Phrases(
    _ASKED_FIRST
    + r"(?:remember|(?:don't|dont|do not) forget|remind me|erinner(?:e)? mich|recuérdame|rappelle-moi"
    r"|lembra-me|ricordami) (?:to|about|of|that|daran|an|de|que|di|on|at|in|tomorrow)\b"
)
# "Remember to breathe, I told him": what somebody said to another.
_TOLD_ANOTHER = Phrases(
    r",[\"'”]?\s+(?:[a-z]+\s+){1,3}(?:said|told|says|tells|tell|say|wrote)(?:\s+[a-z]+){0,2}[.!]*$"
)
_REMEMBERING = _set(
    """
    remember for don't dont do note keep bear be make merk merke denk vergiss recuerda no ten n'oublie
    n'oubliez rappelle-toi souviens-toi lembra-te lembre-se não ricorda ricordati non tieni remind
    erinner erinnere recuérdame rappelle-moi lembra-me ricordami
    """
)


def remembered(piece: str) -> int:
    """Return where in *piece* begins what is to be remembered, 0 when it does not ask for that."""
    words = _led(piece)
    if not words or words[0] not in _REMEMBERING:
        return 0
    found = REMEMBER.match(piece)
    return found.end() if found else 0


@lru_cache(maxsize=1024)
def order_of(text: str) -> Order | None:
    """Return what the first sentence of *text* orders or reports without a subject, None when it has one."""
    words = _led(text)
    if len(words) < 2 or words[0] in _SUBJECTS or text.rstrip().endswith("?"):
        return None
    first, second = words[0], words[1]
    if first in _REMEMBERING and (reminder := REMIND.match(text)):
        if _TOLD_ANOTHER.search(text):
            return None
        act = text[reminder.end() :].lower().split(maxsplit=1)[:1]
        return None if _WISHES.issuperset(act) else Order.REMINDER
    if _HEADS.match(text):
        return None
    if "up" in words[2:4] and "give" in words[:3]:
        return None  # what everybody says to cheer
    if first in _REACHES:
        is_act = second not in _NO_ACT and not second.endswith(("ed", "ing"))
        return Order.STANDING if is_act and not _ABOUT_OTHERS.search(text) else None
    if _is_ban(words, text) or _is_fragment(words):
        return Order.STANDING
    if first in ("don't", "dont", "do", "no"):
        return None
    if not _FOREIGN_REACHES.isdisjoint(words[1:_REACH_WITHIN]):
        return Order.STANDING
    if first == "only" and second in _VERBS:
        return Order.STANDING
    if (first.endswith("ed") and len(first) > 4 and first not in _NO_PAST) or first in _IRREGULAR:
        return Order.DONE if _has_object(words, text) else None
    is_verb = first in _VERBS or (second in _OBJECTS and _may_be_verb(first))
    if not is_verb or second in _FOLLOW_NOUNS:
        return None
    return _verb_first(first, text)


def _led(text: str) -> list[str]:
    """Return the first words of *text*, lower case and bare, without what only leads to them."""
    said = text.lower().replace("’", "'").split()[:_LONGEST_WORDS]
    words = [word.strip(_MARKS) for word in said]
    start = 0
    while start < len(words) - 1 and words[start] in _LEADS:
        start += 1
    return words[start:]


def _may_be_verb(word: str) -> bool:
    return (
        word.isalpha() and not word.endswith(("ing", "ly", "ed")) and (word[-1] != "s" or word[-2:] == "ss")
    )


def _verb_first(first: str, text: str) -> Order | None:
    if _ABOUT_OTHERS.search(text):
        return None
    if _REACH.search(text) and not _ONCE.search(text) and (first in _VERBS or first not in _WISHES):
        return Order.STANDING
    is_task = first in _VERBS and first not in _WISHES and len(text.split()) > 2
    return Order.TASK if is_task else None


def _is_ban(words: list[str], text: str) -> bool:
    """Tell whether *words* forbid something for good: "don't book me anything", "no calls on Sundays"."""
    first, second = words[0], words[1]
    if first == "no":
        is_short = len(words) <= _FRAGMENT_WORDS + 2 and _FINITE.isdisjoint(words)
        held = not {"in", "on", "after", "before", "without", "at", "for", "during", "please"}.isdisjoint(
            words
        )
        return is_short and held and second not in _NOTHING_BANNED
    at = 2 if first == "do" and second == "not" else 1 if first in ("don't", "dont") else 0
    if not at or len(words) <= at or words[at] in _NO_BAN:
        return False
    is_ours = not {"me", "my", "us", "our"}.isdisjoint(words)
    return bool(_REACH.search(text) or is_ours) and not _ONCE.search(text)


def _is_fragment(words: list[str]) -> bool:
    """Tell whether *words* only say how something is to be: "metric units only"."""
    if len(words) > _FRAGMENT_WORDS or not _FINITE.isdisjoint(words):
        return False
    last = words[-2] if words[-1] == "please" else words[-1]
    if last in ("only", "always"):
        return len(words) > 2
    return words[0].endswith("s") and not words[0].endswith("ss") and words[1] in _LIMITS and len(words) > 2


def _has_object(words: list[str], text: str) -> bool:
    second = words[1]
    if second in _OBJECTS or second in _PARTICLES:
        return len(words) > 2
    return bool(entities.NAME.search(text) or second[0].isdigit())
