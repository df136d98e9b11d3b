"""Which way a sentence looks at a day that it names: back to one that was, or ahead to one that comes.

The preposition decides first ("since", "until"), then the verb that governs the phrase: the nearest one
before it, or the first one behind it where the phrase opens its clause. Where neither does, or a plan is
told in the past ("booked it on Friday"), the day may lie on either side, and no one side is given for sure.
By the forms of verbs, which are few, and not by what is spoken of. English verbs are taken apart here;
other languages tell by guards in their files ([since], [until], [back], [ahead], [plan], [doubt]), clause by
clause.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.text.languages import Language, stretches


class Leaning(NamedTuple):
    """1 ahead, -1 back, 0 not told; *is_sure* is false where the other side is as likely."""

    side: int = 0
    is_sure: bool = True


_AHEAD, _BACK, _NOW, _EITHER, _PLAN = 1, -1, 0, 2, 3


def _words(group: str) -> frozenset[str]:
    return frozenset(data.words("tense", group))


_GROUPS = (("back", _BACK), ("now", _NOW), ("ahead", _AHEAD), ("either", _EITHER))
_KINDS = {word: kind for group, kind in _GROUPS for word in _words(group)} | {"let's": _AHEAD}
# Told in the past, they are about what was to come as often as they tell when it was agreed.
_PLANS = re.compile(
    r"(?:book|schedul|plann|agre|arrang|confirm|mov|invit|reserv|cancel|postpon|register|sign|order|promis"
    r"|announc|propos|suggest|decid|ask|offer|expect|delay|shift|push|slip)\w*ed"
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[,;:()–—](?!\d)")
_SENTENCE = re.compile(r"[.!?](?=\s)|\n")
_MOST_BEFORE, _MOST_BEHIND = 160, 120  # characters
_UNTIL = frozenset({"by", "until", "till", "til", "before", "starting", "beginning"})
_TOWARDS = frozenset({"for", "to"})
_BEFORE_NOUN = frozenset({"a", "an", "the", "my", "our", "your", "his", "its", "their"})
_INSIDE = frozenset({"the", "mid", "early", "late"})  # "until mid July"
_FROM = frozenset({"from", "of"})  # "from Friday", "as of Friday"
_OPENING = _UNTIL | _FROM | _words("opening")
_BE = _words("be")
_NOT_FINITE = _words("not_finite") | _BE
_HAS_OR_IS = frozenset({"he's", "she's", "it's"})  # "has" before these, "is" before most others
_GONE_BY = frozenset({"landed", "arrived", "returned", "passed", "died", "finished", "started", "happened"})
_SUBJECTS = frozenset({"i", "we", "they", "you"})
_GIVEN_TO = frozenset({"me", "us", "him", "her", "them"})
_INTENDING = _words("intending")
_WISHED = frozenset({"rather", "like", "love", "prefer", "better"})
_ADVERBS = _words("adverbs")
_HELPING = _words("helping")
_HELPED = ("'ll", "'d", "n't", "cannot")  # what follows is the bare form of a verb
# "Wants it picked up", "needs the form signed", "we have the boiler serviced": it is to be done, and not yet.
_WISHING = frozenset({"want", "wants", "wanted", "need", "needs", "needed", "get", "gets", "have", "has"})
_OBJECTS = _BEFORE_NOUN | frozenset({"it", "this", "that", "these", "those", "them", "everything", "all"})
_TELLS_OTHER = frozenset(
    {"to", "who", "which", "when", "where", "while", "because", "and", "but", "so", "he", "she"}
)
_MOST_WISHED = 6  # words
_ENDS_CLAUSE = frozenset({"and", "but", "so", "because", "when", "while", "if", "or", "as", "which"})
_NO_VERBS = _ADVERBS | _OPENING | _TOWARDS | _NOT_FINITE | _words("no_verbs")


def way_of(language: Language, text: str, lower: str, start: int, end: int) -> Leaning:
    """Return which way the sentence looks at what stands from *start* to *end* of *text*."""
    return (
        _english_way(text, lower, start, end) if language.name == "en" else _way(language, text, start, end)
    )


def looks_back(text: str) -> bool:
    """Tell whether *text*, in another language than English, tells what was."""
    lower = text.lower()
    parts = (part for part in stretches(text, lower) if part.language.name != "en")
    return any(_told(part.language, text[part.start : part.end]) == Leaning(-1) for part in parts)


def _english_way(text: str, lower: str, start: int, end: int) -> Leaning:
    lower = lower.replace("’", "'")
    floor = max(0, start - _MOST_BEFORE)
    begin = max((m.end() for m in _SENTENCE.finditer(lower, floor, start)), default=floor)
    before = list(_WORD.finditer(lower, begin, start))
    words = [match.group() for match in before]
    preposition = next((word for word in reversed(words) if word not in _INSIDE), "")
    if preposition == "since":
        return Leaning(-1)
    kind, crossed, verb = _verb_before(text, before, words)
    if kind is None:
        if preposition in _UNTIL | _TOWARDS:
            return Leaning(1)
        stop = _SENTENCE.search(lower, end, end + _MOST_BEHIND)
        behind = list(_WORD.finditer(lower, end, stop.start() if stop else end + _MOST_BEHIND))
        leaning = _by_verb_behind(text, behind, is_opening=all(word in _OPENING for word in words))
        return Leaning(1) if preposition in _FROM and leaning == Leaning() else leaning
    if preposition == "from" and _SWITCHED.search(" ".join(words)):
        return Leaning(1)  # "I've switched to nights from Monday"
    if kind == _PLAN:
        # "We decided to host it on the 6th": the day lies ahead of the decision.
        is_act = f"{verb} to " in f"{' '.join(words)} "
        return Leaning(1, is_sure=is_act or preposition in _UNTIL | _TOWARDS | _FROM)
    if preposition in _TOWARDS:
        return Leaning(1, is_sure=verb not in ("was", "were") and kind != _EITHER)
    if kind == _EITHER or (kind == _BACK and (crossed or preposition in _UNTIL)):
        return Leaning(1, is_sure=False)
    if kind == _NOW and (preposition in _UNTIL or preposition == "from"):
        return Leaning(1)
    return Leaning(kind)


def _verb_before(text: str, matches: list[re.Match[str]], words: list[str]) -> tuple[int | None, bool, str]:
    """Return the form of the nearest verb, whether it stands in another clause, and the verb."""
    crossed = False
    for at in range(len(words) - 1, -1, -1):
        if words[at] in ",;:–—":
            crossed = True
        elif (kind := _kind(text, matches, words, at)) is not None:
            return kind, crossed, words[at]
    return None, crossed, ""


def _by_verb_behind(text: str, matches: list[re.Match[str]], *, is_opening: bool) -> Leaning:
    words = [match.group() for match in matches]
    for at, word in enumerate(words):
        if word in _ENDS_CLAUSE or (word in ",;:–—" and not (is_opening and at < 2)):
            break
        kind = _kind(text, matches, words, at)
        if kind is None:
            continue
        if kind == _PLAN or (kind == _BACK and any(one.endswith("ed") for one in words[at + 1 : at + 3])):
            return Leaning(-1) if is_opening else Leaning(1, is_sure=False)
        return Leaning(1, is_sure=False) if kind == _EITHER else Leaning(kind)
    return Leaning()


def _kind(text: str, matches: list[re.Match[str]], words: list[str], at: int) -> int | None:
    """Return what the form of a word says of when; None where it is no verb, or says nothing."""
    word, last = words[at], words[at - 1] if at else ""
    following = words[at + 1] if at + 1 < len(words) else ""
    stem, _, ending = word.partition("'")
    helper = words[at - 2] if last in _ADVERBS and at > 1 else last
    if helper in _HELPING or helper.endswith(_HELPED):
        return None
    if last == "have" and at > 1 and words[at - 2] in _HELPING - {"to"}:
        return _EITHER
    if word == "got" and re.fullmatch(r"have|has|.*'(?:ve|s)", last):
        return _NOW
    if ending == "ll" or (stem == "going" and following == "to"):
        return _AHEAD
    if ending in ("m", "re"):
        return _NOW
    if ending == "s" and word in _BE and _KINDS.get(following) != _BACK and not following.endswith("ed"):
        return _NOW  # "he's in", but not "he's gone"
    if ending == "d":
        return _AHEAD if following in _WISHED else _EITHER
    if stem in ("was", "were") and following in _INTENDING:
        return _EITHER
    if stem.startswith("could"):  # "could you" asks, "couldn't come" may tell
        return None if following in _SUBJECTS else _EITHER
    if ending == "t":
        stem = stem.removesuffix("n")
    is_participle = last in _BE or (at > 1 and last in _ADVERBS and words[at - 2] in _BE)
    kind = _KINDS.get(f"{stem}'s" if ending == "s" and stem == "let" else stem)
    if (kind == _BACK or word.endswith("ed")) and _is_wished(words, at):
        return None
    if kind is not None and last in _BEFORE_NOUN and word != "deadline":
        return None  # "sent the plan", "his left knee"
    if kind is not None and not (ending == "s" and kind == _BACK):
        if stem == "have" and following == "to":
            return _AHEAD
        if (stem, following) in {("meant", "to"), ("should", "have")}:
            return _EITHER
        if stem == "gave" and following in _GIVEN_TO and at + 2 == len(words):
            return _PLAN  # "gave me Friday": the day itself is what was given
        is_perfect = word == "been" and last.endswith("'s")
        return _NOW if kind == _BACK and is_participle and not is_perfect else kind
    if word.endswith("ed") and len(word) > 3 and word[-3] != "e" and word not in _NO_VERBS:
        if is_participle:
            return _BACK if last in _HAS_OR_IS and word in _GONE_BY else _NOW
        is_name = text[matches[at].start()].isupper() and at > 0
        if is_name or last in _NOT_FINITE or following == "by":
            return None
        return _PLAN if _PLANS.fullmatch(word) else _BACK
    subject = words[at - 2] if last in _ADVERBS and at > 1 else last
    is_name = text[matches[at].start()].isupper()
    if subject in _SUBJECTS and not (is_name or ending or word in _NO_VERBS) and word.isalpha():
        return _NOW
    return None


def _is_wished(words: list[str], at: int) -> bool:
    """Tell whether the participle at *at* says in what state somebody wants a thing: "wants it picked up"."""
    for begin in range(at - 2, max(-1, at - 2 - _MOST_WISHED), -1):
        between = words[begin + 1 : at]
        if words[begin] in _WISHING:
            return between[0] in _OBJECTS and _SUBJECTS.union(_TELLS_OTHER).isdisjoint(between)
        if words[begin] in ",;:–—":
            return False
    return False


_SWITCHED = re.compile(
    r"\b(?:(?:i|we|they|you)(?:'ve|ve| have)|(?:he|she)(?:'s|s| has)) (?:(?:now|just) )?"
    r"(?:dropped|switched|moved|changed|gone|cut) (?:\w+ )?(?:on)?to\b"
)
_OPENING_CHARS = 16  # of words that belong to a day which opens its sentence
_CLAUSE_END = re.compile(r"[,;:–—，、；]\s*")
_OTHER_SENTENCE = re.compile(r"[.!?…](?=\s)|[。！？\n]")


def _way(language: Language, text: str, start: int, end: int) -> Leaning:
    """Return it by the guards that a language has for its prepositions and the forms of its verbs."""
    floor = max(0, start - _MOST_BEFORE)
    begin = max((m.end() for m in _OTHER_SENTENCE.finditer(text, floor, start)), default=floor)
    # A stop within the sentence, "am 3. Mai", only cuts off what is told of it.
    other = _OTHER_SENTENCE.search(text, end, end + _MOST_BEHIND)
    stop = other.start() if other else min(len(text), end + _MOST_BEHIND)
    before = text[begin:start].lower()
    if language.guard("until").search(before):
        return Leaning(1)
    marked = f"{before}¦{text[start:end].lower()}¦{text[end:stop].lower()}"
    # "From the 3rd to the 8th": another day in the sentence may place it.
    if language.guard("moved_to").search(marked) and not any(map(str.isdigit, before)):
        return Leaning(1)
    cuts = [
        m.span() for rule in (_CLAUSE_END, language.guard("and")) for m in rule.finditer(text, begin, stop)
    ]
    first = max((b for _, b in cuts if b <= start), default=begin)
    last = min((a for a, _ in cuts if a >= end), default=stop)
    if not text[first:start].strip() and last - end < _OPENING_CHARS:  # the day opens the sentence
        last = min((a for a, _ in cuts if a > last), default=stop)
    own = _told(language, text[first:last])
    if language.guard("since").search(before):
        # "Può solo da settembre": what begins then, in words that elsewhere say since when it is so.
        is_to_come = own == Leaning(1) or language.guard("from_on").search(text[first:last].lower())
        return Leaning(1 if is_to_come else -1)
    if own != Leaning():
        return own
    elsewhere = _told(language, text[begin:stop])
    return Leaning(1, is_sure=False) if elsewhere.side < 0 or not elsewhere.is_sure else own


def _told(language: Language, clause: str) -> Leaning:
    clause = clause.strip()
    clause = clause[:1].lower() + clause[1:]  # a capital within it makes a name
    back, ahead, doubt = (language.guard(name).search(clause) for name in ("back", "ahead", "doubt"))
    if back and not ahead and not language.guard("plan").search(clause):
        return Leaning(-1)
    if back or (doubt and not ahead):
        return Leaning(1, is_sure=False)
    return Leaning(1) if ahead else Leaning()
