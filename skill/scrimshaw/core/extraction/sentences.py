"""Split a message into the statements in it.

A person's message is cut into sentences; pasted code, logs and quotations are set aside, questions and
requests are separated from what they state, fillers are removed, and a sentence that refers to the one before
it is marked so. The wording is kept, except for fillers and for "then it's tea", which becomes "tea it is".
Knows nothing of what statements are worth.
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from scrimshaw.core.extraction import personal_statements
from scrimshaw.core.language import Phrases, fillers
from scrimshaw.core.text import entities
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.sentences import split_sentences
from scrimshaw.core.transcript.own_words import GAP, own_words

MAX_SENTENCE_CHARS = 280
_LONG_MESSAGE_CHARS = 1_500
_LONG_SENTENCE_CHARS = 100
_TOLD_BEHIND = re.compile(r"[,;]\s+|[，；]")  # a question without its mark
_LEAST_TOLD = 6  # characters
_MAX_SENTENCES = 120
_COPIED_LINES = 2
_INNER_WORDS = (  # each inner filler contains one of them
    "btw", "by the way", "that makes sense", "mentioned", "suggested", " said", "you know", "honestly",
    "guess", "i mean", "kinda", "sorta", "really", " just",
    "actually", "currently", "definitely", "basically",
)  # fmt: skip
_CUT_SHORT = (" was", " am", " were")
_TELLING_WORDS = 3  # somebody, a verb and to whom
_LOOKED_AT, _MOST_HITS = 120, 40  # characters around a question word; such words in a sentence

_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6})\s+")
_SOME_DAY = datetime(2026, 1, 1)  # noqa: DTZ001  # asked only where a date begins
_IN_A_ROW = re.compile(r"\s*1([.)]) .* 2\1 ")  # numbers of a list that stands in one line
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_SPACE = re.compile(r"\s+")
_CUT_OFF = re.compile(rf" {GAP} [.!?]+$")  # others' words ended the sentence
_CODE_LINE = re.compile(
    r"^(?:\s{4,}\S|[\[{<(]|\s*\d{1,5}\s*[-+|│:]\s|[\"']?~?/[\w.-]+/|.*[↑↓│┌└├─█▌▪●]|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|.*\S {4,}$|\s*\+\s+\d+\b|\S*[➜❯$%#]\s+\S.*|\[\w+\] |\w*(?:Error|Exception): "
    r"|(?:import|from|def|class|return|const|let|var|if|for|while|public|private|function|select|SELECT|"
    r"#include)"
    r"\b.*[;:{(]\s*$|.*[;{}]\s*$|\s*at \S+\(|.*(?:=>|::|->|==|\+=|</|/>|\|\|).*|[|+=-]{3,})"
)
# The path of a file dropped into the chat, or a line of a patch.
_NEVER_TYPED = re.compile(r"\s*([\"']?)~?(?:/[^/\n\"']+){2,}\1\s*|\s*\+\s*\d+ .*")
_NAMES = re.compile(r"(?<!^)\b[A-Z]")  # a label with a name in it is part of the statement
_LETTER = re.compile(r"[^\W\d_]")


class MessageSentence(NamedTuple):
    """One statement of a message: its words and form."""

    text: str
    raw: str  # before fillers were removed: "then", "so" and "agreed" show its kind
    is_question: bool  # only a question or a request
    leans: bool  # refers back to the sentence before it
    label: str  # the lead that was cut off ("New rule"), lower case
    asked: str  # the question or request cut off, "" when none


class PersonMessage(NamedTuple):
    """The readable content of a message."""

    sentences: tuple[MessageSentence, ...]
    pasted_chars: int


def read_message(text: str) -> PersonMessage:
    """Return the sentences of *text* in order, without pasted text, whose length is counted."""
    prose, pasted = _without_pastes(text)
    found: list[MessageSentence] = []
    for line in prose.split("\n"):
        is_row = _IN_A_ROW.match(line) or _begins_with_day(line)
        bare = line if is_row else _BULLET.sub("", line)
        is_item = bare != line
        for piece in split_sentences(_EMPHASIS.sub("", bare)):
            sentence = _read_sentence(piece, is_item=is_item)
            if sentence is not None:
                found.append(sentence)
            if len(found) >= _MAX_SENTENCES:
                return PersonMessage(tuple(found), pasted)
    return PersonMessage(tuple(found), pasted)


def _begins_with_day(line: str) -> bool:
    """Tell whether the number that *line* begins with is a day, not an item's: "18. bis 29. Januar"."""
    told = line.lstrip()
    return told[:1].isdigit() and any(one.start == 0 for one in find_dates(told, _SOME_DAY))


def tidy(text: str) -> str:
    """Return *text* without its fillers and with a capital first letter."""
    text = fillers.SUBJECT_CHANGED.cut(_SPACE.sub(" ", text)).strip(" ,;–—-")
    for _ in range(3):
        shorter = fillers.LEAD_CONNECTIVE.cut(fillers.LEAD_FILLER.cut(text))
        if shorter == text or not shorter:
            break
        text = shorter
    text = fillers.TAIL_FILLER.cut(text) or text
    lower = text.lower()
    if any(word in lower for word in _INNER_WORDS):  # much cheaper than running the pattern each time
        text = fillers.INNER_FILLER.cut(text)
    text = fillers.LEAD_SELF.cut(text)
    return _capital(text.strip(" ,;"))


def clip(text: str, limit: int = MAX_SENTENCE_CHARS) -> str:
    """Return *text* within *limit* characters, cut at a clause or a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    for mark in (". ", "; ", ", "):
        at = cut.rfind(mark)
        if at > limit * 0.6:
            return cut[:at].rstrip(" ,;") + "…"
    return cut[: cut.rfind(" ") if " " in cut[limit // 2 :] else None].rstrip(" ,;") + "…"


def _read_sentence(piece: str, *, is_item: bool) -> MessageSentence | None:
    piece = _without_lead_in(_SPACE.sub(" ", piece).strip())
    if not _LETTER.search(piece) or len(piece) < 3:
        return None
    label = ""
    head = fillers.LEAD_LABEL.match(piece)
    if head and not is_item and not _NAMES.search(piece, 0, head.end()):
        label, piece = head.group().strip(" :").lower(), piece[head.end() :]
    elif not piece.endswith("?") and (start := personal_statements.remembered(piece)):
        # In German the verb after "dass" stands last, so the clause is no sentence on its own.
        is_clause = piece[:start].rstrip().lower().endswith("dass")
        label, piece = personal_statements.REMEMBERED, piece if is_clause else piece[start:]
    leans = bool(fillers.LEANING.match(piece))
    is_lifting = personal_statements.lifts_wish(piece)
    wish = piece if is_lifting else personal_statements.wish_in(piece) or personal_statements.task_in(piece)
    told, asked = (wish, "") if wish else _cut_question(piece)
    if asked:
        told = fillers.AND_SINCE.cut(fillers.GIVEN_FIRST.cut(told), ", and")
    told = _condensed(fillers.SHOWING.cut(told))
    is_short = len(told.split()) < 3 and not personal_statements.is_lasting_fact(told)
    if asked and (is_short or fillers.DANGLING.search(told) or _only_leads(told)):
        return MessageSentence(
            tidy(piece), piece, is_question=True, leans=leans, label=label, asked=_asked(piece)
        )
    if not told:
        return None
    if asked and entities.has_hard_anchor(asked):
        # The request holds a date or a number that a reader would miss.
        told = f"{tidy(told)}{_told_in(_asked(asked))}"
    settled = fillers.THEN_IT_IS.match(told)
    text = f"{settled['what']} it is{told[settled.end() :]}" if settled else told
    return MessageSentence(tidy(text), told, is_question=False, leans=leans, label=label, asked=asked)


def _without_lead_in(piece: str) -> str:
    """Return *piece* without the clause that led to others' words, which are left out: "…, she said"."""
    return piece[: max(0, *map(piece.rfind, ",;:"))] if _CUT_OFF.search(piece) else piece


def _only_leads(told: str) -> bool:
    """Tell whether *told*, before a question, is of no use without it."""
    is_lead = fillers.LEADS_TO_QUESTION.match(told) is not None
    return is_lead and not (entities.has_hard_anchor(told) and "your" not in told.lower().split())


def _asked(text: str) -> str:
    """Return the content of a request, without the words that only ask."""
    return tidy(fillers.LEAD_REQUEST.cut(text)).rstrip(" .")


def _told_in(wish: str) -> str:
    """Return what the request *wish* states, as an addition to the statement it was cut from."""
    if entities.SELF.match(wish):
        return f"; {wish}"
    if personal_statements.is_reminder(bare := wish.rstrip(" ?")):
        return f"; {bare[0].lower()}{bare[1:]}"
    joint = fillers.TOLD_IN_QUESTION.search(wish)
    rest = wish[joint.start() :].strip(" ,?") if joint else ""
    before = wish[: joint.start()] if joint else ""
    is_whole = entities.has_hard_anchor(rest) and not entities.has_hard_anchor(before)
    return f", {rest}" if is_whole else f"; asked: {wish}"


def _behind_passing(told: str) -> str:
    """Return *told* without a first clause that only says what somebody is doing: "I'm torn, so I …"."""
    if not fillers.PASSING.match(told):
        return told
    joint = fillers.pattern("CLAUSE_BREAK").search(told)
    if joint is None or entities.has_anchor(told[: joint.start()]):
        return told
    rest = told[joint.end() :]
    lead = fillers.TELLS_ITSELF.match(rest)
    is_whole = lead and entities.has_anchor(rest) and not fillers.POINTS_BACK.search(rest)
    return rest[lead.end() :] if lead and is_whole else told


def _condensed(told: str) -> str:
    """Return a sentence without the clauses that only say what is wanted or what somebody is doing."""
    told = _behind_passing(told)
    if len(told) < _LONG_SENTENCE_CHARS:
        return told
    clauses = fillers.pattern("CLAUSE_BREAK").split(told)
    kept = [
        clause
        for at, clause in enumerate(clauses)
        if not at or not fillers.VAGUE.match(clause) or entities.has_anchor(clause)
    ]
    # Unchanged where no clause was dropped, including the words between the clauses.
    return told if len(kept) == len(clauses) else ", ".join(clause.strip(" ,;") for clause in kept)


def _cut_question(piece: str) -> tuple[str, str]:
    if fillers.ASKS_OUTRIGHT.match(piece):
        asked, *more = _TOLD_BEHIND.split(piece, maxsplit=1)
        return "".join(rest for rest in more if len(rest) >= _LEAST_TOLD), asked
    is_asked = piece.rstrip().endswith("?") or bool(fillers.ASKS_PLAINLY.match(piece))
    if is_asked and fillers.RECALLING.match(piece):
        at = 0
    elif fillers.QUESTION_START.match(piece) and (is_asked or not entities.SELF.match(piece)):
        at = 0 if is_asked else -1
    else:
        at = _asks_at(piece)
    if at < 0:
        return piece, ""
    told, asked = piece[:at].rstrip(" ,"), piece[at:]
    if told.endswith(_CUT_SHORT):
        told = fillers.CUT_SHORT.cut(told)
    if asked.startswith(":") and not entities.has_anchor(told):
        told = ""  # "Quick question: …"
    given = fillers.GIVEN.search(asked, 12)
    if given is not None:
        rest = asked[given.end() :].rstrip(" ?")
        inner = fillers.ASKING.search(rest)
        rest = rest[: inner.start()] if inner else rest
        told = f"{told.rstrip(' ,;.')}; {rest}" if len(told.split()) >= 3 else rest
        asked = asked[: given.start()]
    return told.strip(" ,;:–—-"), asked.strip(" ,;")


def _asks_at(piece: str) -> int:
    """Return where a request or question begins in *piece*, -1 when there is none."""
    is_marked = piece.rstrip().endswith("?")
    if not is_marked and personal_statements.order_of(piece) is personal_statements.OrderKind.STANDING:
        return -1  # "give me weights in kilos, never in pounds" is a wish, not a request
    patterns = (fillers.ASKING, fillers.WONDERING) if is_marked else (fillers.ASKING,)
    first = [hit.start() for pattern in patterns if (hit := pattern.search(piece))]
    is_order = fillers.IMPERATIVE.match(piece) is not None  # "tell me how to knit"
    asking = [_not_told(piece, pattern) for pattern in patterns] if first and not is_order else first
    return min([at for at in asking if at >= 0] or (first if is_marked else ()), default=-1)


def _not_told(piece: str, pattern: Phrases) -> int:
    """Return the first place of *pattern* in *piece* that asks for something, -1 where none does."""
    hits = (hit.start() for hit in islice(pattern.finditer(piece), _MOST_HITS))
    return next((at for at in hits if not _is_told(piece, at)), -1)


def _is_told(piece: str, at: int) -> bool:
    """Tell whether the question word at *at* leads a clause of what is told: "I learned how to prune"."""
    if not fillers.TELLS_HOW.match(piece[at : at + _LOOKED_AT]):
        return False
    before = piece[max(0, at - _LOOKED_AT) : at]
    if fillers.WANTS_TO_KNOW.search(before):
        return False
    is_short = at < _LOOKED_AT and len(_asked(before).split()) < _TELLING_WORDS
    return not is_short or bool(fillers.IS_AT.match(before))


def _without_pastes(text: str) -> tuple[str, int]:
    """Return the person's own lines of *text*, and the number of pasted characters."""
    prose = own_words(text)
    lines = [line for line in prose.split("\n") if not _NEVER_TYPED.fullmatch(line)]
    if len(lines) > 3 or len(prose) > _LONG_MESSAGE_CHARS:
        lines = [line for block in _blocks(lines) for line in _own_lines(block)]
    kept = "\n".join(lines)
    return kept, len(text) - len(kept)


def _blocks(lines: list[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if not line.strip():
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _own_lines(block: list[str]) -> list[str]:
    """Return the lines of *block* that a person typed; none where half of it was copied from a screen."""
    own = [line for line in block if not _looks_pasted(line)]
    is_copied = len(block) - len(own) >= _COPIED_LINES and len(block) >= 2 * len([*filter(str.strip, own)])
    return [] if is_copied else own


def _looks_pasted(line: str) -> bool:
    if not line.strip():
        return False
    if _CODE_LINE.match(line):
        return True
    sample = line[:400]
    wordy = sum(char.isalpha() or char == " " for char in sample)
    return wordy < len(sample) * 0.6


def _capital(text: str) -> str:
    # "iPhone", "webhook_log" and "https" are names: only a plain word gets a capital.
    first = text.split(" ", 1)[0]
    if re.fullmatch(r"[a-z][a-z']*[,;:.!?]?", first):
        return text[0].upper() + text[1:]
    return text
