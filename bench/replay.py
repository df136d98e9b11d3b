"""A conversation replayed request by request: what its provider bills for the prompts, way by way.

A prompt is the host's own text (fixed), then our section, then the history: the order in the real host,
where MEMORY.md stands at the end of the system prompt. What a prompt shares with the one before, from its
first token on, is served from the provider's cache at a tenth of the price, unless the last request is longer
ago than the provider keeps a prefix. So a section that changes makes the whole history be paid again, a
compaction and a cut of the history as well. `lay_out` says what each prompt holds and shares; `bill` puts
prices to it; what the answers cost is left out, because it is the same in every way.

The section is the product's own: observed, trimmed and folded at each moment at which it would be written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from bench.pipeline import Memory
from bench.talks import Step, Talk
from scrimshaw.core.section.select import fold, trim
from scrimshaw.core.transcript.windows import TARGET_TOKENS, estimate_tokens

CACHED_PRICE = 0.1  # of a token's: the published rule
OUTPUT_PRICE = 5.0  # of an input token's, as most price lists have it: for the summary of a compaction
_ANSWERED_TOKENS_A_SECOND = 60
_LONG_PAUSE_MS = 1_800_000


class Way(StrEnum):
    """What is put before the model."""

    FULL = "full history"
    COMPACTED = "compaction only"
    SECTION = "compaction + section"
    EAGER = "compaction + section, written at every window"
    RECENT = "section + recent turns"


class Terms(NamedTuple):
    """The host's and the provider's numbers; tokens, but for the budget in UTF-16 units."""

    fixed: int = 10_000  # instructions, tools, other files
    window: int = 200_000
    reserve: int = 20_000  # left free: a compaction is due when a prompt would use it
    kept: int = 20_000  # of the newest history, through a compaction
    summary: int = 1_300  # what a compaction writes
    recent: int = 8_000  # of raw history beside a section; up to twice as much before it is cut
    budget_units: int = 8_500
    idle_ms: int = 300_000  # silence after which MEMORY.md is written (rule 14)


class Prompt(NamedTuple):
    """One request's prompt. *shared*: tokens it has in common, from the first on, with the one before."""

    at_ms: int
    tokens: int
    section: int
    shared: int
    shared_unwritten: int  # the same if the section had not been written in between
    is_written: bool  # the section was, since the request before
    is_cut: bool  # the history was compacted or cut since the request before
    extra: float = 0.0  # what a compaction's own request cost, in input tokens


class Bill(NamedTuple):
    """What the prompts of a way cost, in input tokens at full price."""

    prompt: int
    cached: int
    billed: float  # with the cache
    uncached: float  # without
    writes: int
    missed: float  # of *billed*: what the section's writes made be paid again
    section: float  # of *billed*: the section itself, in every prompt
    steady_cached: float  # cached share of prompts before which nothing was written, cut or forgotten


def lay_out(talk: Talk, way: Way, terms: Terms) -> tuple[list[Prompt], _Host]:
    """Return the prompts of *talk* in order, and the host as it stands at the end."""
    host = _Host(talk, way, terms)
    return [host.ask(step) for step in talk.steps], host


def bill(prompts: Sequence[Prompt], kept_ms: int | None) -> Bill:
    """Price *prompts* at a provider that keeps a prefix for *kept_ms* after its last use; None: for ever."""
    prompt = cached = steady_prompt = steady_cached = writes = 0
    billed = uncached = missed = section = 0.0
    before: Prompt | None = None
    for one in prompts:
        is_kept = before is not None and (kept_ms is None or one.at_ms - before.at_ms < kept_ms)
        served = one.shared if is_kept else 0
        prompt, cached, writes = prompt + one.tokens, cached + served, writes + one.is_written
        billed += one.tokens - (1 - CACHED_PRICE) * served + one.extra
        uncached += one.tokens + one.extra
        section += one.section * (CACHED_PRICE if is_kept and not one.is_written else 1.0)
        if is_kept:
            missed += (1 - CACHED_PRICE) * (one.shared_unwritten - one.shared)
        if is_kept and not (one.is_written or one.is_cut):
            steady_prompt, steady_cached = steady_prompt + one.tokens, steady_cached + served
        before = one
    steady = steady_cached / steady_prompt if steady_prompt else 0.0
    return Bill(prompt, cached, billed, uncached, writes, missed, section, steady)


def summed(bills: Sequence[Bill]) -> Bill:
    """Return *bills* as one; the steady share is the mean over them, by tokens."""
    return Bill(
        sum(one.prompt for one in bills),
        sum(one.cached for one in bills),
        sum(one.billed for one in bills),
        sum(one.uncached for one in bills),
        sum(one.writes for one in bills),
        sum(one.missed for one in bills),
        sum(one.section for one in bills),
        sum(one.steady_cached * one.prompt for one in bills) / max(1, sum(one.prompt for one in bills)),
    )


def active_hours(talk: Talk) -> float:
    """Return the hours of a talk, pauses above half an hour left out."""
    times = [step.at_ms for step in talk.steps]
    gaps = (later - earlier for earlier, later in pairwise(times))
    return sum(gap for gap in gaps if gap <= _LONG_PAUSE_MS) / 3_600_000


class Engraver:
    """The section as the product would have it after each feeding."""

    def __init__(self, talk: Talk, budget_units: int) -> None:
        self._talk, self._budget = talk, budget_units
        self._fed = 0
        self.memory, self.body = Memory(), ""

    def write(self, up_to: int) -> tuple[int, bool]:
        """Observe what is before *up_to*, fold; return the tokens that stay in front, and if it changed."""
        before = self.body
        if up_to > self._fed:
            self.memory.feed(self._talk.session, self._talk.entries[self._fed : up_to])
            self._fed = up_to
            self._fold()
        return estimate_tokens(before[: common_chars(before, self.body)]), before != self.body

    def _fold(self) -> None:
        lines, zone = self.memory.lines, self.memory.zone
        steps = trim(list(lines.values()), self._budget, zone=zone)
        for key, is_shown in (*((k, False) for k in steps.hide), *((k, True) for k in steps.show)):
            lines[key] = lines[key]._replace(standing=replace(lines[key].standing, is_shown=is_shown))
        self.body = fold(list(lines.values()), self._budget, zone=zone).body


def common_chars(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


class _Host:
    """What stands in the prompt, and what is done between two requests."""

    def __init__(self, talk: Talk, way: Way, terms: Terms) -> None:
        self._talk, self._way, self._terms = talk, way, terms
        self.engraver = Engraver(talk, terms.budget_units)
        self._pieces: deque[tuple[int, int]] = deque()  # history: tokens, and entries up to there
        self._history = self._section = 0
        self._asked = 0  # history in the prompt before
        self._unobserved = 0
        self._before: Step | None = None
        self._kept_front: int | None = None  # of the section, when it was written since the last prompt
        self._old_section = 0
        self.compactions = 0

    def ask(self, step: Step) -> Prompt:
        """Return the prompt of *step*, after what happens before it."""
        self._kept_front, self._old_section = None, self._section
        is_idle = self._take_answer(step)
        self._take(step.said, step.entries)
        is_cut, extra = self._made_room(is_idle=is_idle)
        fixed, before = self._terms.fixed, 0 if is_cut else self._asked
        unwritten = fixed + self._old_section + before
        shared = unwritten if self._kept_front is None else fixed + self._kept_front
        tokens = fixed + self._section + self._history
        is_written = self._kept_front is not None
        self._asked, self._before = self._history, step
        if is_written and shared > unwritten:  # all of the old section stayed in front
            shared = unwritten
        return Prompt(step.at_ms, tokens, self._section, shared, unwritten, is_written, is_cut, extra)

    def _take_answer(self, step: Step) -> bool:
        """Put the answer before into the history; write when it has been silent since; tell if it was."""
        if self._before is None:
            return False
        self._take(self._before.answered, self._before.entries + 1)
        ended_ms = self._before.at_ms + self._before.answered * 1000 // _ANSWERED_TOKENS_A_SECOND
        is_idle = step.at_ms - ended_ms >= self._terms.idle_ms
        is_full = self._way is Way.EAGER and self._unobserved >= TARGET_TOKENS
        if (is_idle and self._way in (Way.SECTION, Way.EAGER)) or is_full:
            self._write(self._before.entries + 1)
        return is_idle

    def _take(self, tokens: int, entries: int) -> None:
        self._pieces.append((tokens, entries))
        self._history += tokens
        self._unobserved += tokens

    def _made_room(self, *, is_idle: bool) -> tuple[bool, float]:
        """Compact or cut the history when that is due; return whether it was and what it cost."""
        terms = self._terms
        match self._way:
            case Way.FULL:
                return False, 0.0
            case Way.RECENT:
                if self._history <= terms.recent * (1 if is_idle else 2):
                    return False, 0.0
                self._write(self._dropped(terms.recent))
                return True, 0.0
        if terms.fixed + self._section + self._history <= terms.window - terms.reserve:
            return False, 0.0
        cost = self._history + OUTPUT_PRICE * terms.summary
        if self._way is not Way.COMPACTED:
            self._write(self._pieces[-1][1])
        self._dropped(terms.kept)
        self._pieces.appendleft((terms.summary, 0))
        self._history += terms.summary
        self.compactions += 1
        return True, cost

    def _dropped(self, most_tokens: int) -> int:
        """Drop the oldest pieces until *most_tokens* are left, never the newest; return the entries gone."""
        gone = 0
        while self._history > most_tokens and len(self._pieces) > 1:
            tokens, entries = self._pieces.popleft()
            self._history -= tokens
            gone = max(gone, entries)
        return gone

    def _write(self, up_to: int) -> None:
        front, is_changed = self.engraver.write(up_to)
        self._unobserved = 0
        if is_changed:
            earlier = front if self._kept_front is None else min(front, self._kept_front)
            self._kept_front, self._section = earlier, estimate_tokens(self.engraver.body)
