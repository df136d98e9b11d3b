"""Turn one object of a model's answer into a proposal, deriving some fields from others.

What the code can determine better than a model it derives itself: who spoke, which place a line gets, which
of the dates in the words is meant, what is done, and the priority. A doubtful reference to an earlier line is
dropped (a superfluous line is corrected by a newer one, a lost line is not); a doubtful source rejects the
line. Models readily take a plan for its outcome, and an order on a web page for the person's wish: so what is
only intended, asked or wished in every cited entry is not done, and an order that no person gave is never
stored. Whether the words are true is for core/verification/verify to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from zoneinfo import ZoneInfo

from scrimshaw import data
from scrimshaw.core.extraction.scorer import Features, features
from scrimshaw.core.language import PatternTable, cues, fillers, reports
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.prompting import fields
from scrimshaw.core.prompting.fence import NumberedPrompt
from scrimshaw.core.prompting.json_lines import unwrapped
from scrimshaw.core.section.render import safe
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.types import Claim, DateRef, Kind, Place, Proposal, Role, Window
from scrimshaw.core.verification.source import Witness
from scrimshaw.core.verification.speaker import tells_of_person

_MOST_CHARS = 20_000  # of an entry; the rest is not searched
_LEAST_SHARED = 2  # words that a clause and the line must share, unless half of them do
_ORDER_SHARE = 0.33
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_CLAUSES = re.compile(r"[;,:]\s+|\s+(?:and|but|then|so)\s+")

_support = PatternTable("support")


def is_plan(text: str) -> bool:
    """Tell whether *text* itself only states an intention."""
    return _support.PLAN.match(text) is not None


def is_reported(text: str, cited: Sequence[Witness]) -> bool:
    """Tell whether an entry says that what *text* tells has happened, as far as words show.

    A tool call or its result is enough; of speech, a clause that is about the same, or reports anything, and
    neither asks nor looks ahead.
    """
    own = content_words(text)
    return any(
        one.entry.role is Role.TOOL
        or one.entry.calls
        or any(_is_report(clause, own) for clause in _said(one))
        for one in cited
    )


def _said(one: Witness) -> Iterator[str]:
    """Yield the clauses of an entry that neither ask nor request nor look ahead."""
    for sentence in _SENTENCES.split(one.spoken[:_MOST_CHARS]):
        is_asked = sentence.rstrip("\"') ").endswith("?")
        is_request = one.entry.role is Role.USER and fillers.IMPERATIVE.match(sentence.lstrip())
        if not (is_asked or is_request):
            yield from (
                clause for clause in _CLAUSES.split(sentence) if _support.AHEAD.search(clause) is None
            )


def _is_report(clause: str, own: frozenset[str]) -> bool:
    if cues.COMPLETION.search(clause) or reports.SUCCEEDED.search(clause):
        return True
    shared = content_words(clause) & own
    return len(shared) >= _LEAST_SHARED or (bool(shared) and 2 * len(shared) >= len(own))


def is_unsourced_request(text: str, speaker: Role, cited: Sequence[Witness]) -> bool:
    """Tell whether *text* is an order or a wish that only a tool's result holds, or the assistant said.

    A text that names its source ("CONTRIBUTING.md says: always …") is a fact about that source.
    """
    is_order = _support.ORDER.match(text) is not None
    if speaker is not Role.USER:
        return is_order
    talkers = [one for one in cited if one.entry.role is not Role.TOOL]
    if len(talkers) == len(cited):
        return False
    words = split_words(normal(text))
    share = share_held(words, frozenset().union(*(one.spoken_words for one in talkers)))
    return share < _ORDER_SHARE if is_order else share == 0


MOST_CLOSED = 3  # earlier lines that one line may close
ECHO_CHARS = 24  # a text of this length that occurs in the instructions was copied from them
_MOST_READ_CHARS = 20_000  # of an entry, searched for the date that is meant
_ENTRY_HEAD = re.compile(
    r"\[\d+\]\s+(?:\d\d:\d\d|person|assistant|tool|call|result|error)\b|=== ", re.IGNORECASE
)
_ASKED = re.compile(
    r"(?:the )?(?:user|person) (?:asked|asks|wonder(?:s|ed)|wants to know)\b|asked:"
    # Only without a subject: a line about asking Ines to come asks nothing itself.
    r"|(?:also )?(?:ask(?:s|ed) (?:whether|if|how|what|which|who|when|where|why|about|for)|wonder(?:s|ed)"
    r"|wants to know)\b"
    r"|(?:fragte?|pregunt[aó]|perguntou|a demandé|ha chiesto|vroeg),? (?:ob|wie|was|wann|wo|si|se|of)\b",
    re.IGNORECASE,
)
_SPOKEN_BY = {
    **dict.fromkeys(("user", "person", "owner"), Role.USER),
    **dict.fromkeys(("assistant", "agent"), Role.ASSISTANT),
}
_DENIED = re.compile(r"\b(?:not|never|cannot|yet)\b|n['’]t\b", re.IGNORECASE)
_NOBODYS = split_words(" ".join(data.words("model_words", "nobodys")))
_FIRST_WORD = re.compile(r"(?:the )?([a-z]+)(?:['’]s)?\b", re.IGNORECASE)
_SALIENCE = {5: 0.7, 4: 0.55, 3: 0.4, 2: 0.27, 1: 0.18}
_SUBSTANCE, _MOST_SUBSTANCE = 0.02, 5


_TOKEN = re.compile(r"^=== entries ([0-9a-f]{8,}) ===$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """The request, prepared for reading its answer."""

    entries: tuple[str, ...]  # by number
    lines: tuple[str, ...]  # by number
    numbers: Mapping[str, int]  # entry id -> its number
    witnesses: Mapping[str, Witness]
    instructions: str  # normalised by `normal`
    request: str  # all that was sent, passed through `unwrapped` and `normal`
    token: str  # of the fence
    dates: dict[str, list[DateRef]] = field(default_factory=dict)  # of each entry, computed on first use

    def dates_of(self, entry_id: str) -> list[DateRef]:
        """Return the dates in an entry."""
        if entry_id not in self.dates:
            one = self.witnesses[entry_id]
            found = find_dates(one.entry.text[:_MOST_READ_CHARS], one.said_at)
            self.dates[entry_id] = [item.ref for item in found]
        return self.dates[entry_id]


def made_ready(question: NumberedPrompt, window: Window) -> PreparedQuestion:
    """Return *question* about *window*, prepared for reading an answer to it."""
    by_id = {entry.entry_id: entry for entry in window.entries}
    zone = ZoneInfo(window.zone)
    # The window was cut anew since the question: its numbers mean something else.
    entries = question.entries if all(key in by_id for key in question.entries) else ()
    token = _TOKEN.search(question.prompt.text)
    return PreparedQuestion(
        entries=entries,
        lines=question.lines,
        numbers={key: number for number, key in enumerate(entries, start=1)},
        witnesses={key: Witness(by_id[key], zone) for key in entries},
        instructions=normal(question.prompt.system),
        request=normal(unwrapped(f"{question.prompt.system}\n{question.prompt.text}")),
        token=token[1] if token else "",
    )


class AnswerLine:
    """One object of an answer: what its fields say, some derived from others."""

    def __init__(self, item: Mapping[str, object], asked: PreparedQuestion) -> None:
        self._item = item
        self._asked = asked
        self.text, self.text_problem = fields.read_text(item.get("text"))
        self.numbers, self.strange_source = fields.numbers_of(
            _first(item, "sources", "source"), asked.numbers
        )
        self.priority = fields.priority_of(item.get("priority"))

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The ids of the cited entries that exist, oldest first."""
        return tuple(self._asked.entries[n - 1] for n in self.numbers if n <= len(self._asked.entries))

    @cached_property
    def cited(self) -> list[Witness]:
        """The entries cited."""
        return [self._asked.witnesses[source] for source in self.sources]

    @cached_property
    def features(self) -> Features:
        """The features of the text."""
        return features(self.text)

    @cached_property
    def is_asked(self) -> bool:
        """Whether the line reports a question, which asserts and changes nothing."""
        return _ASKED.match(self.text) is not None

    @cached_property
    def kind(self) -> Kind | None:
        """The kind, None when none was named."""
        value = self._item.get("kind")
        kind = Kind.FACT if value is None else fields.read_kind(value)
        if kind is not None and self.is_asked:
            return Kind.FACT
        # "Sent the figures to Dana", marked as completing an open item: models often copy that item's kind.
        if kind is Kind.NEXT_STEP and self._named("completes") and cues.COMPLETION.search(self.text):
            return Kind.OUTCOME
        return kind

    @cached_property
    def speaker(self) -> Role:
        """Who says it: the speaker that text or kind name, else whose entries hold most of its words."""
        first = _FIRST_WORD.match(self.text)
        named = _SPOKEN_BY.get(first[1].lower()) if first else None
        roles = [role for role in (Role.USER, Role.TOOL, Role.ASSISTANT) if self._of(role)]
        if named is Role.USER or (named in roles and named is not None):
            return named
        if self.kind in (Kind.DECISION, Kind.PREFERENCE) or not roles or tells_of_person(self.text):
            return Role.USER
        words = self._said()
        return max(roles, key=lambda role: share_held(words, self._spoken(role)))

    def _of(self, role: Role) -> list[Witness]:
        return [witness for witness in self.cited if witness.entry.role is role]

    def _spoken(self, role: Role) -> frozenset[str]:
        return frozenset().union(*(witness.spoken_words for witness in self._of(role)))

    def _named(self, field: str) -> list[str]:
        """Return the ids of the earlier lines that *field* names."""
        lines = self._asked.lines
        return [lines[n - 1] for n in fields.references_of(self._item.get(field)) if n <= len(lines)]

    @cached_property
    def is_denied(self) -> bool:
        """Whether the text says that something is not so, not yet, or failed; then nothing is done."""
        found = (_DENIED.search(self.text), cues.NOT_YET.search(self.text), reports.FAILED.search(self.text))
        return any(found)

    @cached_property
    def completes(self) -> tuple[str, ...]:
        """The lines that are done now; none when the text negates."""
        if self.is_asked or self.kind in (Kind.NEXT_STEP, Kind.ISSUE):
            return ()
        if self.is_denied or not self.is_reported:
            return ()
        return tuple(self._named("completes")[:MOST_CLOSED])

    @cached_property
    def is_reported(self) -> bool:
        """Whether the cited entries say that it has happened; a plan is not an outcome."""
        return not is_plan(self.text) and is_reported(self.text, self.cited)

    @cached_property
    def replaces(self) -> tuple[str, ...]:
        """The lines that were true until now."""
        if self.is_asked or cues.HYPOTHETICAL.search(self.text):
            return ()
        named = [key for key in self._named("replaces") if key not in self.completes]
        return tuple(named[: MOST_CLOSED - len(self.completes)])

    @cached_property
    def is_done(self) -> bool:
        """Whether it reports something finished; a decision that settles an open item stays in force."""
        if self.completes:
            return self.kind not in (Kind.DECISION, Kind.PREFERENCE)
        return self.kind is Kind.OUTCOME and not self.is_denied and self.is_reported

    @cached_property
    def refers_to(self) -> DateRef | None:
        """The date it is about, computed from the words; the model's date only selects among them.

        So a model's wrong date does no harm, and a date that nobody said cannot be stored.
        """
        if not self.cited:
            return None
        said_at = self.cited[-1].said_at
        told = [found.ref for found in find_dates(self.text, said_at)]
        hint = fields.hint_of(self._item.get("refers_to"))
        if hint is not None and hint.start is None:
            words = [found.ref for found in find_dates(hint.phrase, said_at)]
            hint = fields.Hint(words[0].start, words[0].end, words[0].time) if len(words) == 1 else None
        if hint is None or hint.start is None:
            return self._of_text(told, said_at.date())
        is_ahead = any((ref.end or ref.start) >= said_at.date() for ref in told)
        if is_ahead and all(hint.start != ref.start for ref in told):
            return self._of_text(told, said_at.date())  # another date of the entry, about something else
        every = [*told, *(ref for source in self.sources for ref in self._asked.dates_of(source))]
        meant = [ref for ref in every if ref.start == hint.start and ref.end == hint.end]
        meant += [ref for ref in every if ref.start == hint.start and hint.end is None]
        if not meant and hint.end is not None:
            meant = _spanned(hint.start, hint.end, every)
        if not meant:
            return self._of_text(told, said_at.date())
        return meant[0] if meant[0].time else self._timed(meant[0], hint.time)

    def _of_text(self, told: list[DateRef], today: date) -> DateRef | None:
        """Return the date in the text: the first one ahead; a past one only for past statements."""
        ahead = [ref for ref in told if (ref.end or ref.start) >= today]
        past = told if self.kind is not Kind.NEXT_STEP else []
        return next(iter([*ahead, *past]), None)

    def _timed(self, ref: DateRef, time: str | None) -> DateRef:
        """Return *ref* with *time*, if a cited entry names that time."""
        is_said = time is not None and any(time in witness.times for witness in self.cited)
        return ref._replace(time=time) if is_said else ref

    @cached_property
    def claim(self) -> Claim | None:
        """The claim, if its words occur in the text or in the cited entries."""
        claim = None if self.is_asked else fields.read_claim(self._item.get("claim"))
        if claim is None:
            return None
        words = content_words(f"{claim.subject} {claim.object}")
        held = content_words(self.text).union(*(content_words(one.text) for one in self.cited))
        return claim if words and words <= held else None

    @cached_property
    def place(self) -> Place:
        """The place of the line, as the rules would choose it."""
        if self.is_done or self.is_asked:
            return Place.LOG
        is_persons = self.speaker is Role.USER
        priority = self.priority or 3
        match self.kind:
            case Kind.DECISION if self._is_ahead() and self.refers_to and self.refers_to.time:
                return Place.OPEN  # an appointment
            case Kind.DECISION | Kind.PREFERENCE:
                return Place.STANDING if priority >= 3 else Place.LOG
            case Kind.NEXT_STEP:
                return Place.OPEN
            case Kind.ISSUE:
                is_open = self.features.tickets or (is_persons and priority >= 4)
                return Place.OPEN if is_open else Place.LOG
            case Kind.FACT if is_persons and priority >= 4:
                return self._place_of_fact(priority)
            case _:
                return Place.LOG

    def _place_of_fact(self, priority: int) -> Place:
        """Return the place of what the person stated: what lies ahead is open until it has passed."""
        if self._is_ahead():
            return Place.OPEN
        is_dated = self.features.is_dated or self.refers_to is not None
        is_lasting = priority == 5 or self.claim is not None or not is_dated
        return Place.STANDING if is_lasting else Place.LOG

    def _is_ahead(self) -> bool:
        return self.refers_to is not None and self.refers_to.start > self.cited[-1].said_at.date()

    def proposal(self) -> Proposal:
        """Return the line as a proposal, as far as it can be read."""
        priority = self.priority or 3
        if self.speaker is not Role.USER or self.is_asked:
            priority = min(priority, 3)  # red is for what the person said
        held = self.features
        substance = min(held.numbers + held.dates + held.identifiers, _MOST_SUBSTANCE)
        return Proposal(
            text=self.text,
            kind=self.kind or Kind.FACT,
            priority=priority,
            sources=self.sources,
            speaker=self.speaker,
            place=self.place,
            done=self.is_done,
            refers_to=self.refers_to,
            replaces=self.replaces,
            completes=self.completes,
            claim=self.claim,
            confidence=0.5 if priority == 1 else 0.9 if self.speaker is Role.USER else 0.7,
            salience=round(_SALIENCE[priority] + _SUBSTANCE * substance, 4),
        )

    def problem(self) -> tuple[str, str]:
        """Return why the line cannot be a proposal, as reason and detail; ("", "") when it can."""
        if self.text_problem:
            return "form", self.text_problem
        if not any(map(str.isalpha, self._said() - _NOBODYS)):
            return "form", "it says nothing"
        if self._is_echo():
            return "control", "it repeats the instructions or the form of the evidence"
        if self.kind is None:
            return "form", f"“{safe(str(self._item.get('kind'))[:40])}” is no kind"
        if self.priority is None:
            return "form", f"“{safe(str(self._item.get('priority'))[:40])}” is no priority of 1 to 5"
        if self.strange_source:
            return "sources", f"“{self.strange_source}” is no entry's number"
        if not self.numbers:
            return "sources", "no entry is cited"
        if self.numbers[-1] > len(self._asked.entries):
            return "sources", f"there is no entry {self.numbers[-1]}"
        return self._not_stood_by()

    def _not_stood_by(self) -> tuple[str, str]:
        """Return a claim that its entries do not support, however it is worded."""
        if is_unsourced_request(self.text, self.speaker, self.cited):
            return (
                "injection",
                "only a page, a result or the assistant says this: it is nobody's order or wish",
            )
        is_told_done = self.kind is Kind.OUTCOME and not (self.is_denied or is_plan(self.text))
        if is_told_done and not self.is_reported:
            return "unsupported", "the entries it cites plan this or ask for it; none says that it is done"
        return "", ""

    def _said(self) -> frozenset[str]:
        return split_words(normal(self.text))

    def _is_echo(self) -> bool:
        text = normal(self.text).rstrip(".")
        if self._asked.token and self._asked.token in text:
            return True
        if _ENTRY_HEAD.match(self.text):
            return True
        if len(text) < ECHO_CHARS or text not in self._asked.instructions:
            return False
        # The words of the example in the instructions may by chance also be true here.
        held = frozenset().union(*(content_words(one.text) for one in self.cited))
        return not content_words(self.text) - _NOBODYS <= held


def _spanned(start: date, end: date, every: list[DateRef]) -> list[DateRef]:
    """Return the span from *start* to *end*, if the words name both days."""
    named = {day for ref in every for day in (ref.start, ref.end)}
    return [DateRef(start, end, None, f"{start} to {end}")] if {start, end} <= named else []


def _first(item: Mapping[str, object], *names: str) -> object:
    return next((item[name] for name in names if item.get(name) is not None), None)
