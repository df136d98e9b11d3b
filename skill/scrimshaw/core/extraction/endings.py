"""Decide by rules what has ended that held for long: a medicine, an allergy, a job, a bond, a debt, a diet.

What ends so is told behind the line that says it, which stays to be read. So a statement has to say plainly
that it is over, of the same person; hopes, dreams, denials and another's end do not.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.extraction.claim_changes import changes, is_of_same_person, named_in
from scrimshaw.core.extraction.partly_done import is_unsettled
from scrimshaw.core.language.grammatical_subject import SubjectSort, subject_of
from scrimshaw.core.ledger.known_lines import content_words

_WORD = re.compile(r"[^\W_]+(?:[./:@'’-][^\W_]+)*")
_FIGURE = re.compile(r"\d[\d.,:]*")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_BEHIND = re.compile(r"\s+(?:(?:of|de|di)\s+|d['’])?([^\W\d_\u3040-\u9fff]{4,})")  # a word behind a dose
_MOST_CHARS = 140
_PRONOUNS = frozenset(("he", "she"))


def tells_stop_of(text: str, line: str) -> bool:
    """Tell whether *text* may say that a medicine in *line* has stopped or is taken otherwise, by oneself.

    An allergy does not stop, a price is no dose, and what a relative or an animal takes is theirs.
    """
    if changes.SESSIONS.search(text) and not changes.SESSIONS.search(line):
        return False
    if changes.ALLERGY.search(line):
        return _tells_end_of_allergy(text, line)
    if not (changes.STOPS.search(text) or changes.OFF.search(text) or _gives_other_dose(text, line)):
        return False
    if changes.PRICED.search(text) or changes.NOT_STOPPED.search(text):
        return False
    if any(one.search(text) and not one.search(line) for one in (changes.BEASTS, changes.PARENTS)):
        return False
    # "He" is the doctor, or whoever was spoken of, where the sentence begins with it.
    begun = changes.DOER.match(text)
    told = text[begun.end() :] if begun else text
    kin = [*changes.pattern("KIN").finditer(told)]
    if is_by_doctor(text) or changes.DOER_WANTS.search(text):
        kin = [hit for hit in kin if hit.group().lower() not in _PRONOUNS]
    return not kin or changes.pattern("KIN").search(line) is not None


def _gives_other_dose(text: str, line: str) -> bool:
    """Tell whether *text* gives another dose than *line*, and says that it is so from now on."""
    if not changes.DOSED_OTHERWISE.search(text) or changes.DOSED_PERHAPS.search(text):
        return False
    told = NOTED_DATE.sub("", text)
    doses = [*changes.DOSED_SO.finditer(told)]
    behind = (_BEHIND.match(told, hit.end()) for hit in doses)
    named = (hit[1] for hit in behind if hit)
    if any(not (changes.BEHIND_DOSE.match(name) or name.lower() in line.lower()) for name in named):
        return False
    said, before = (
        {"".join(hit.group().split()) for hit in hits} for hits in (doses, changes.DOSED_SO.finditer(line))
    )
    return bool(said and before) and not said & before


def ends_bond_of(text: str, line: str) -> bool:
    """Tell whether *text* ends what *line* tells: for whom one works, with whom one lives, whom one owes.

    Both must name the same, and *text* must end that and nothing else: "I quit smoking at Tesco" does not.
    """
    if len(text) > _MOST_CHARS or _is_wondering(text) or has_other_kin(text, line):
        return False
    if changes.ALLERGY.search(line) or not _figures_in(text) <= _figures_in(line):
        return False
    pairs = zip(changes.each("BONDS"), changes.each("PARTED"), strict=True)
    told = [parted for bond, parted in pairs if bond.search(line)]
    without = _without_names(text, line) if told else []
    return any(parted.search(one) for parted in told for one in (text, *without))


def _figures_in(text: str) -> set[str]:
    return {hit.group().rstrip(".,:") for hit in _FIGURE.finditer(NOTED_DATE.sub("", text))}


def _without_names(text: str, line: str) -> list[str]:
    """Return *text* with "¦" for a name that *line* has, too, once for each such name."""
    spans = []
    for hit in _WORD.finditer(text):
        name = re.split("['’]", hit.group(), maxsplit=1)[0]
        if name[:1].isupper() and len(name) > 1 and name in line:
            spans.append((hit.start(), hit.start() + len(name)))
    for run in _EAST.finditer(text[:_MOST_CHARS]):
        found = SequenceMatcher(None, run.group(), line, autojunk=False).find_longest_match()
        if found.size and run.group()[found.a : found.a + found.size] != "我":
            spans.append((run.start() + found.a, run.start() + found.a + found.size))
    return [f"{text[:start].rstrip()}¦{text[end:].lstrip()}" for start, end in spans]


def eats_again(text: str) -> bool:
    """Tell whether *text* says that somebody eats again what a diet leaves out."""
    return changes.EATS_SO_AGAIN.search(text) is not None and not _is_wondering(text)


def ends_state(text: str) -> bool:
    """Tell whether *text* ends a diet or a pregnancy, whatever words that was told in."""
    return eats_again(text) or (changes.NO_MORE_PREGNANT.search(text) is not None and not _is_hoped(text))


def ends_state_of(text: str, line: str) -> bool:
    """Tell whether *text* ends the diet or the pregnancy of *line*."""
    if changes.PREGNANT.search(line) and changes.NO_MORE_PREGNANT.search(text) and not _is_hoped(text):
        said = changes.THE_CHILD.cut(text, " ")
        kin = [{hit.group().lower() for hit in changes.pattern("KIN").finditer(one)} for one in (said, line)]
        named = [named_in(one) for one in (said, line)]
        is_near = kin[1] <= changes.words("NEAREST") and not named[1] - named[0]
        return not kin[0] - kin[1] and (is_near or bool(kin[0] & kin[1]) or bool(named[0] & named[1]))
    return _eats_otherwise(text, line)


def _is_hoped(text: str) -> bool:
    return "?" in text or changes.SETTLES_NOTHING.search(text) is not None


def _eats_otherwise(text: str, line: str) -> bool:
    """Tell whether *text* ends how somebody eats in *line*: "I'm vegan", "I eat fish again"."""
    if not (changes.DIET.search(line) and eats_again(text)):
        return False
    if has_other_kin(text, line) or changes.ALLERGY.search(line) or changes.MUST_EAT_SO.search(line):
        return False
    eaten = changes.NO_MEAT.search(text)
    if eaten and changes.EATS_ALL_BUT_MEAT.search(line) and eaten.group() not in line.lower():
        return False  # who is vegetarian may eat eggs
    is_verb_first = changes.EATS_SO_AGAIN.match(text) and subject_of(line).sort is SubjectSort.NONE
    return bool(is_verb_first) or is_of_same_person(text, line)


def _is_wondering(text: str) -> bool:
    said = text.replace(" May", " ")  # the month
    return "?" in text or changes.WONDERING.search(said) is not None or is_unsettled(text)


def has_other_kin(text: str, line: str) -> bool:
    """Tell whether *text* names a relative whom *line* does not."""
    kin = [{hit.group().lower() for hit in changes.pattern("KIN").finditer(one)} for one in (text, line)]
    return bool(kin[0] - kin[1])


def _tells_end_of_allergy(text: str, line: str) -> bool:
    """Tell whether *text* plainly ends an allergy of *line*: its own words before it name nobody else."""
    gone = changes.ALLERGY_GONE.search(text)
    if gone is None or "?" in text or changes.SETTLES_NOTHING.search(text) or has_other_kin(text, line):
        return False
    low = line.lower()
    said = _EAST.sub("", text[: gone.start()]).lower().replace("’", "'")
    plain = changes.words("BEFORE_ITS_END")
    if any(word not in plain and word.removesuffix("'s") not in low for word in said.split()):
        return False
    named = [
        hit["to"].lower()
        for hit in (changes.ALLERGIC_TO.search(text), changes.ALLERGY_OF.search(text))
        if hit
    ]
    runs = [hit.group().rstrip("对は對") for hit in _EAST.finditer(text[: gone.start()])]
    return all(run in line for run in runs) and all(
        name.rstrip("s") in low or name in plain for name in named
    )


def is_allergy(text: str) -> bool:
    """Tell whether *text* names what somebody does not bear."""
    return changes.ALLERGY.search(text) is not None


def moves_day(text: str) -> bool:
    """Tell whether *text* gives another day to what it names."""
    return changes.MOVES.search(text) is not None and any(map(str.isdigit, text))


def is_by_doctor(text: str) -> bool:
    """Tell whether *text* is about what a doctor has done, or "he", who may be one."""
    return changes.DOCTORS.search(text) is not None or changes.DOER.match(text) is not None


def is_new_dose(text: str, line: str) -> bool:
    """Tell whether *text* names all that *line* does, with a figure where that has one."""
    said, words = content_words(text), content_words(line)
    figures = {word for word in words if word[:1].isdigit()}
    return words - figures <= said and bool(figures) and any(word[:1].isdigit() for word in said)
