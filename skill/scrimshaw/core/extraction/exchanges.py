"""An exchange (a person's message, the work, the answer), and the line for the outcome of its work.

The rules read one exchange at a time, in transcript order. An answer ends it: what the assistant says or does
afterwards is an exchange without a person's message. The line for the work holds the request in the person's
words, then the result that the assistant reported; without a report, the last tool, its key argument and
whether it failed. Tool output is never quoted, because it is not the person's word. What is answered to a
question about an allergy is told with the question: "yes, peanuts and latex" says too little alone. Of other
questions `question_before` gives the one that stands before a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.extraction.endings import is_allergy
from scrimshaw.core.extraction.partly_done import is_negated
from scrimshaw.core.extraction.personal_statements import OrderKind, order_of
from scrimshaw.core.extraction.sentences import clip, tidy
from scrimshaw.core.extraction.shown_dates import with_dates
from scrimshaw.core.language import fillers, reports
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text import entities
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.sentences import split_sentences
from scrimshaw.core.types import Entry, Kind, Role

_QUESTION_CHARS, _ANSWERED_WITHIN = 90, 3 * 3_600_000  # later it is another talk
_MOST_QUESTION_CHARS, _MOST_ANSWER_WORDS = 120, 7
# Quotation marks, addresses, paths, commands, long numbers: what the agent may have from a page.
_FROM_ELSEWHERE = re.compile(r"[“”@`/\\<>{}_]|[a-z]\.[a-z]|\d{5}", re.IGNORECASE)
# "Shall I leave the nuts out?"
_AN_OFFER = re.compile(
    r"\b(?:shall|should|can|could|may|soll|kann|darf|devo|posso|debo|puedo) (?:i|ich|io|eu|yo)\b|"
    r"\b(?:puis|dois)-je\b",
    re.IGNORECASE,
)


class Exchange(NamedTuple):
    """A person's message with everything up to the next one."""

    user: Entry | None
    answers: tuple[Entry, ...]  # assistant entries with text
    calls: tuple[Entry, ...]  # assistant entries with tool calls
    results: tuple[Entry, ...]

    @property
    def answer(self) -> Entry | None:
        """Return the assistant's last text."""
        return self.answers[-1] if self.answers else None

    @property
    def is_answered(self) -> bool:
        """Whether the last text came after the work; before it, it is only a remark."""
        return bool(self.answers) and self.answers[-1].position > max(
            (entry.position for entry in (*self.calls, *self.results)), default=-1
        )

    @property
    def has_work(self) -> bool:
        """Whether tools were used."""
        return bool(self.results) or bool(self.calls)


def exchanges(entries: Iterable[Entry]) -> Iterator[Exchange]:
    """Yield the exchanges of *entries* in order."""
    held: list[Entry] = []
    for entry in entries:
        if held and (entry.role is Role.USER or _is_over(held[-1], entry)):
            yield _exchange(held)
            held = []
        held.append(entry)
    if held:
        yield _exchange(held)


def _is_over(last: Entry, entry: Entry) -> bool:
    """Tell whether *last* was the answer: text without a call, then text or a call of the assistant."""
    return (
        last.role is Role.ASSISTANT
        and entry.role is Role.ASSISTANT
        and bool(last.text.strip())
        and not last.calls
    )


def _exchange(held: list[Entry]) -> Exchange:
    user = held[0] if held[0].role is Role.USER else None
    rest = held[1:] if user else held
    return Exchange(
        user,
        tuple(entry for entry in rest if entry.role is Role.ASSISTANT and entry.text.strip()),
        tuple(entry for entry in rest if entry.role is Role.ASSISTANT and entry.calls),
        tuple(entry for entry in rest if entry.role is Role.TOOL),
    )


_READ_CHARS = 1_600  # of an answer that are read: what matters comes first
_REPORT_CHARS = 120
_REQUEST_CHARS = 90
_ARGUMENT_CHARS = 80
_COVERED_SHARE = 0.6
_FEW_WORDS = 3
FINDING_CHARS = 700  # of an answer that says what was done
_FEW_NEWS = 2
_ECHO = re.compile(r"([A-Za-z]{3})[a-z]*[dt][.!]*")
_MARKUP = re.compile(r"```.*?(?:```|\Z)|^#{1,6} .*$|^\s*\|.*$", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_STARS = re.compile(r"\*\*")
LEAD = re.compile(
    r"^(?:done|ok(?:ay)?|yes|great|good|perfect|excellent|note|(?:ist )?erledigt|(?:c['’]est )?fait|hecho"
    r"|listo|feito|pronto|fatto)\s*[:.,!]\s+(?=\S)",
    re.IGNORECASE,
)


class AgentQuestion(NamedTuple):
    """A question of the agent's, with the ids of its entry and of the person's before that."""

    question: str
    entry_id: str
    said_in: str


class WorkReport(NamedTuple):
    """What an answer reports."""

    text: str
    failed: bool
    succeeded: bool


def report_of(answer: Entry | None, limit: int = _REPORT_CHARS) -> WorkReport | None:
    """Return the sentences of *answer* that report something, None when there are none."""
    if answer is None:
        return None
    kept: list[str] = []
    size = 0
    for sentence in answer_sentences(answer.text):
        if kept and size + len(sentence) + 1 > limit:
            break
        kept.append(sentence)
        size += len(sentence) + 1
    while len(kept) > 1 and kept[-1].endswith(":"):
        kept.pop()  # it announces what was cut off
    if not kept:
        return None
    text = clip(" ".join(kept), limit)
    text = f"{text[:-1]}." if text.endswith(":") else text
    succeeded = reports.SUCCEEDED.search(text) or reports.CARRIED_OUT.match(text)
    return WorkReport(text, bool(reports.FAILED.search(text)), bool(succeeded))


@lru_cache(maxsize=64)  # each answer is read twice: for its report, and for the line about the work
def answer_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of an assistant's text without greetings, offers and the like."""
    found: list[str] = []
    for line in _MARKUP.sub("", text[:_READ_CHARS]).split("\n"):
        bare = _STARS.sub("", _BULLET.sub("", line)).strip()
        pieces = split_sentences(bare) if bare else []
        found += [piece for piece in pieces if len(piece) > 2 and not _is_around(piece)]
    return tuple(found)


def _is_around(sentence: str) -> bool:
    """Tell whether *sentence* is no part of the answer itself, or repeats text that must not be repeated."""
    tables = (reports.ASSISTANT_FILLER, fillers.FILLER_ONLY)
    if any(table.match(sentence) for table in tables):
        return True
    return bool(entities.PLACEHOLDER.search(sentence) or reports.ADDRESSES_AGENT.search(sentence))


def work_line(exchange: Exchange, request: str) -> tuple[str, Kind, bool] | None:
    """Return the line for the work of *exchange*, its kind, and whether it is confirmed done."""
    answer = exchange.answer if exchange.is_answered else None
    erred = bool(exchange.results) and exchange.results[-1].is_error
    request = clip(tidy(request).rstrip("."), _REQUEST_CHARS) if request else ""
    if not content_words(request):
        request = ""
    is_pointing = bool(request) and _only_points(request)
    report = report_of(answer, _REPORT_CHARS)
    if report is not None and (is_pointing or (request and _covers(report.text, request))):
        if is_pointing and not report.failed and _says_little(report.text):
            return None  # "Put that in the list" → "It is in row 12": useless without the exchange
        if not is_pointing or report.failed or entities.NAME.search(report.text):
            request = ""
    if report is not None and not request:
        report = report_of(answer, _REPORT_CHARS + _REQUEST_CHARS) or report
    if report is None:
        line = _call_line(exchange) if erred else ""
        text = f"{request} → {line}" if request and line else line
        return (text, Kind.ISSUE, False) if text else None
    if not (report.succeeded or report.failed or entities.has_anchor(report.text)):
        return None  # names nothing, so nobody could act on it later
    failed = erred or (report.failed and not report.succeeded)
    told = LEAD.sub("", report.text)
    if not request and len(content_words(told)) < _FEW_NEWS:
        return None  # "Saved."
    text = f"{request} → {told}" if request else told
    asked = bool(fillers.QUESTION_START.match(request)) or request.endswith("?")
    done = report.succeeded and not report.failed and not erred and not asked
    return text, Kind.ISSUE if failed else Kind.OUTCOME, done


def _covers(report: str, request: str) -> bool:
    """Tell whether *report* already says what *request* is about: all words of a task, most of a question."""
    asked, told = content_words(request), content_words(report)
    is_question = request.endswith("?") or bool(fillers.QUESTION_START.match(request))
    return len(asked & told) >= len(asked) * (_COVERED_SHARE if is_question else 1.0)


def _only_points(request: str) -> bool:
    """Tell whether *request* names nothing and is clear only from the exchange before ("that", "those")."""
    return bool(fillers.POINTS_ONLY.search(request)) and not (
        entities.identifiers(request)
        or entities.NAME.search(request)
        or len(content_words(request)) > _FEW_WORDS
    )


def _says_little(report: str) -> bool:
    """Tell whether *report* only points at something unnamed, or says nothing but a time."""
    return (
        bool(fillers.LEANING.match(report)) or len(content_words(entities.DATE_WORDS.cut(report))) < _FEW_NEWS
    )


def _call_line(exchange: Exchange) -> str:
    """Return the failed call: the tool and its key argument."""
    if not exchange.calls:
        return ""
    call = exchange.calls[-1].calls[-1]
    count = sum(len(entry.calls) for entry in exchange.calls)
    argument = clip(" ".join(call.arguments.split()).replace("`", "'"), _ARGUMENT_CHARS)
    more = f" (last of {count} calls)" if count > 1 else ""
    return f"{call.name} `{argument}` failed{more}"


def is_carried_out(text: str, answer: str) -> bool:
    """Tell whether *text* is an order that *answer* reports carried out; "Noted for Friday" only takes it."""
    if order_of(text) is not OrderKind.TASK:
        return bool(reports.ORDERED.match(text) and reports.CARRIED_OUT.match(answer))
    if reports.PROMISED.match(answer):
        return False
    if reports.DONE.match(answer) or order_of(answer[:FINDING_CHARS]) is OrderKind.DONE:
        return True
    echo = _ECHO.fullmatch(answer)  # "Book a table": "Booked."
    return echo is not None and any(word.startswith(echo[1].lower()) for word in text.lower().split()[:3])


def allergy_told(asked: str, answered: str) -> str:
    """Return the question that ends *asked* and what begins *answered* as one statement; "" for none.

    Only for what plainly says yes and names something, in few words without a verb of its own.
    """
    question = next(reversed(split_sentences(asked)), "")
    if not is_allergy(question) or len(question) > _MOST_QUESTION_CHARS or _AN_OFFER.search(question):
        return ""
    answer = next(iter(split_sentences(answered)), "")
    begun = fillers.ANSWERS_YES.match(answer)
    rest = answer[begun.end() :] if begun else ""
    if not content_words(rest) or is_allergy(rest) or is_negated(rest) or answer.endswith(("?", "？")):
        return ""
    if len(rest.split()) > _MOST_ANSWER_WORDS or fillers.HAS_SUBJECT.match(rest):
        return ""
    return f"{question} {answer[:1].upper()}{answer[1:]}"


def question_before(last: Exchange | None, now: Exchange, zone: ZoneInfo) -> AgentQuestion | None:
    """Return the question that ended *last*, its days told; None: none may stand before *now*.

    So where it is long, or the agent may have it from elsewhere: it used a tool, names an address, a path.
    """
    asked = last.answer if last is not None and not last.has_work else None
    if asked is None or now.user is None or now.user.said_at_ms - asked.said_at_ms > _ANSWERED_WITHIN:
        return None
    text = asked.text.rstrip()
    # An answer may be a long text: only its end is read.
    question = split_sentences(text[-2 * _QUESTION_CHARS :])[-1].strip() if text.endswith(("?", "？")) else ""
    if not question or len(question) > _QUESTION_CHARS:
        return None
    if _FROM_ELSEWHERE.search(question) or entities.PLACEHOLDER.search(question):
        return None
    said_at = datetime.fromtimestamp(asked.said_at_ms / 1000, zone)
    shown = with_dates(question, find_dates(question, said_at), said_at.date())
    return AgentQuestion(shown, asked.entry_id, last.user.entry_id if last and last.user else "")
