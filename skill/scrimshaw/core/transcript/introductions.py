"""What announces others' words, or a draft: "Bob wrote:", "Translate:", "here is the mail"."""

from __future__ import annotations

import re
from itertools import islice

from scrimshaw.core.transcript import paste_forms as forms

OTHERS = "\ue000"  # marks them while a message is read; a private letter, so nobody's
HEAD_CHARS = 240  # of a line: forms show at its beginning
FEW_WORDS = 3
SENTENCE_END = re.compile(r"[.!?…](?=[\s\"”“»)]|$)|\n")
_CLAUSE_END = re.compile(r"[。！？]")
COLON = re.compile(r"：|:(?=\s|$|[\"“„«‘'\ue000])|\s(?:->|=>|→)(?=\s)")
DATED = re.compile(r"\W*(?:on|am|le|el|il|op|em|den)\b.*\d")


def line_starts(text: str) -> list[tuple[int, str]]:
    """Return each line with where it begins."""
    found, at = [], 0
    for line in text.split("\n"):
        found.append((at, line))
        at += len(line) + 1
    return found


def is_blank(line: str) -> bool:
    return not line.strip(f"{OTHERS} \t\r")


def is_closed(text: str, at: int) -> bool:
    """Whether what begins at *at* is a form that has an end."""
    return text[at : at + HEAD_CHARS].lstrip().startswith(OTHERS)


def spoken_from(sentence: str, line: str) -> int:
    """Return where in *sentence* others' words begin, -1 when they do not."""
    if story := forms.FICTION.match(sentence):
        return story.end()
    for colon in islice(COLON.finditer(sentence), 3):
        head = sentence[: colon.start()]
        if head.count("`") % 2 or head.count('"') % 2:
            continue  # within code, or within what is quoted as a name
        if introduces(head) or is_lead_in(line[: len(line) - len(sentence) + colon.start()]):
            return colon.end()
    draft = forms.DRAFTS.match(sentence)
    if draft and (states := forms.STATES.search(sentence, draft.end())):
        return states.end()
    return -1


def introduces(head: str) -> bool:
    """Whether what stands before a colon says that others' words, or a draft, stand behind it."""
    if forms.ASKS.match(head):
        return True
    if forms.OF_ONESELF.search(head):
        return False
    if _told_abroad(head):
        return True
    if forms.FROM_SOMEBODY.search(head):
        return True
    if forms.KEEPS.search(head):
        return False
    return bool(forms.DRAFTS.match(head) or is_task(head) or forms.SAYS_LAST.search(head))


def _told_abroad(head: str) -> str:
    """Return how *head* introduces others' words in the other languages: "says", "task" or ""."""
    clause = _CLAUSE_END.split(head)[-1]
    if forms.OF_ONESELF_ABROAD.search(clause):
        return ""
    if forms.WORKS_ON_TEXT_ABROAD.match(clause):
        return "task"
    return "says" if forms.SAYS_ABROAD.search(clause) else ""


def is_retold(head: str, rest: str) -> bool:
    """Whether *rest* only retells what somebody said: "city wrote: the pitch is approved"."""
    if not rest.strip() or is_task(head) or forms.DRAFTS.match(head) or forms.FICTION.match(head):
        return False
    told = _told_abroad(head.rstrip(" :："))
    if told == "task" or (told and forms.DIRECT_ABROAD.search(rest)):
        return False
    return head.rstrip().endswith((":", "：")) and forms.DIRECT_SPEECH.search(rest) is None


def is_lead_in(line: str) -> bool:
    """Whether *line*, up to a colon, is how mail programs lead a quotation in: "On 4 Nov 2026 Bob wrote"."""
    return DATED.match(line) is not None and forms.ATTRIBUTES.search(line) is not None


def is_task(head: str) -> bool:
    """Whether *head* asks to do something with a text that is at hand."""
    tasks = (forms.WORKS_ON_TEXT, forms.JUDGES, forms.ASKS, forms.BETTERS_TEXT)
    if any(task.match(head) for task in tasks):
        return True
    done = forms.WORKS_ON_THING.match(head)
    return (
        done is not None
        and not forms.MANNER.search(head)
        and any(names.search(head, done.end()) for names in (forms.NAMES_TEXT, forms.POINTS_AT_ONE))
    )


def hands_over(sentence: str, *, is_last: bool) -> bool:
    """Whether *sentence* speaks of the text that comes next: behind it, or below the *last* of a line."""
    names = forms.NAMES_NEXT.search(sentence)
    if names is None and not is_last:
        return False
    if forms.MANNER.search(sentence) or forms.KEEPS.search(sentence):
        return False
    if names is None and is_last and forms.WORKS_ON_TEXT.match(sentence):
        is_named = forms.ABOVE.search(sentence) or forms.NAMES_TEXT.search(sentence)
        return is_named is not None or len(sentence.split()) <= FEW_WORDS
    is_task = forms.WORKS_ON_TEXT.match(sentence) or forms.WORKS_ON_THING.match(sentence)
    if is_last and forms.ASKS.match(sentence):
        return bool(forms.NAMES_TEXT.search(sentence) or forms.TO_BE_ANSWERED.search(sentence))
    return names is not None and bool(is_task or (is_last and forms.JUDGES.match(sentence)))
