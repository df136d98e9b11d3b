"""Which lines of the ledger the section shows, and the text that shows them (rules 1, 3 and 4).

A function of the lines, the budget and the zone's name; no clock, no chance. Lines are taken whole or left
out whole. The person's own and pinned lines come first, then what does harm when it is forgotten; the rest is
chosen by worth for its room: first each part's quota for what matters, then what is left over goes to the
best of any part, and a line that says what a chosen one says already is worth little. Knows nothing of files
or of the store.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from scrimshaw.core.section.budget import units
from scrimshaw.core.section.rank import HALF_LIFE_DAYS, does_harm, is_own, newest_ms, worth
from scrimshaw.core.section.render import HEADINGS, UNDATED, is_headed, preamble, shown
from scrimshaw.core.types import Author, Line, Place

QUOTAS: Mapping[Place, float] = {Place.STANDING: 0.25, Place.OPEN: 0.15, Place.LOG: 0.25}
# Of the room: what does harm when it is forgotten comes before everything else of a run's own. Not all of it,
# or an observer to whom everything is vital would leave nothing of last week.
VITAL_SHARE = 0.5
QUOTA_PRIORITY = 4  # below it a line has no right to a quota, only to what is left over
# Between 0 (a line's length does not matter) and 1 (a long line must be worth twice one of half its length).
COST_POWER = 0.5
LONG_SHARE = 0.25  # of the budget: a person's line above it gives way alone
NEW_SHARE = 0.25  # what a line is still worth when every word of it is shown already

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+(?:[.:/-][^\W_]+)*")


class Fold(NamedTuple):
    """A section's body with what it shows; *body* is "" when nothing is shown."""

    body: str
    shown: tuple[str, ...]  # observation ids, in the order of the body's items (core/section/render: read)
    left_out: tuple[str, ...]  # shown lines of the ledger that did not fit: to be trimmed
    gave_way: int  # the person's own lines that the visible "N more" line stands for
    units: int  # of the body


class Steps(NamedTuple):
    """Ids to be hidden (TRIMMED) and to be shown again (SHOWN) before the next fold."""

    hide: tuple[str, ...] = ()
    show: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    id: str
    text: str
    units: int
    place: Place
    is_own: bool
    is_undated: bool
    is_headed: bool
    priority: int
    does_harm: bool
    worth: float  # for its room
    day: str
    order: tuple[bool, str, str, int, str]  # within its part
    age: tuple[int, str]
    words: frozenset[str]
    weight: float  # of all its words


def fold(
    lines: Sequence[Line],
    budget_units: int,
    *,
    zone: str,
    newline_units: int = 1,
    half_life_days: int = HALF_LIFE_DAYS,
) -> Fold:
    """Return the body that shows the live, shown lines within *budget_units* UTF-16 units.

    Of the person's own lines those that do not fit give way, oldest first, to one line that counts them.
    *newline_units* is 2 where the file's lines end in CRLF.
    """
    shown_lines = [line for line in lines if line.standing.is_shown]
    candidates = _candidates(shown_lines, newline_units, half_life_days)
    page = _Page(budget_units, zone, newline_units)
    page.fill(candidates)
    return page.printed(candidates)


def trim(
    lines: Sequence[Line],
    budget_units: int,
    *,
    zone: str,
    newline_units: int = 1,
    half_life_days: int = HALF_LIFE_DAYS,
) -> Steps:
    """Return what to hide and what to show again, so that what is shown is the best that fits.

    It does not matter what is shown now: a second time there is nothing to do. The person's own lines are
    never hidden, and what a person's own act has set aside is not shown again.
    """
    open_to_choice = [line for line in lines if not line.standing.is_set_aside]
    candidates = _candidates(open_to_choice, newline_units, half_life_days)
    page = _Page(budget_units, zone, newline_units)
    page.fill(candidates)
    by_id = {line.observation.id: line.standing.is_shown for line in lines}
    return Steps(
        hide=tuple(
            sorted(c.id for c in candidates if by_id[c.id] and c.id not in page.chosen and not c.is_own)
        ),
        show=tuple(sorted(id_ for id_ in page.chosen if not by_id[id_])),
    )


def _candidates(lines: Sequence[Line], newline_units: int, half_life_days: int) -> list[_Candidate]:
    live = [line for line in lines if line.standing.is_live and not _is_unconfirmed(line)]
    now_ms = newest_ms(live)
    found = [
        _candidate(
            line, worth(line, now_ms, half_life_days), newline_units, does_harm=does_harm(line, now_ms)
        )
        for line in live
    ]
    return [candidate for candidate in found if candidate.text]


def _is_unconfirmed(line: Line) -> bool:
    """Whether a line is a program's word alone: nobody has verified it, and no person has pinned it."""
    return line.observation.author is Author.PROGRAM and not line.standing.is_pinned


def _candidate(line: Line, worth_of_line: float, newline_units: int, *, does_harm: bool) -> _Candidate:
    observation, standing = line
    text = shown(line)
    cost = _units(text, newline_units) + newline_units
    first = is_own(line) and standing.place is not Place.LOG
    words = frozenset(_WORD.findall(observation.text.lower()))
    return _Candidate(
        id=observation.id,
        text=text,
        units=cost,
        place=standing.place,
        is_own=is_own(line),
        is_undated=first and observation.author is Author.PERSON,
        is_headed=observation.author is Author.PERSON and is_headed(text),
        priority=observation.priority,
        does_harm=does_harm,
        worth=worth_of_line / cost**COST_POWER,
        day=observation.local_date if standing.place is Place.LOG else "",
        order=(
            not first,
            observation.local_date,
            "" if first else observation.local_time,  # which what was typed into the file has not
            observation.said_at_ms,
            observation.id,
        ),
        age=(-observation.said_at_ms, observation.id),
        words=words,
        weight=sum(map(_weight, words)),
    )


def _units(text: str, newline_units: int) -> int:
    return units(text) + (newline_units - 1) * text.count("\n")


class _Page:
    """A body being filled; *used* is what its text takes, to the unit."""

    def __init__(self, budget_units: int, zone: str, newline_units: int) -> None:
        self.chosen: dict[str, _Candidate] = {}
        self._budget = budget_units
        self._newline = newline_units
        self._preamble = preamble(zone)
        # The last line has no newline of its own; the blank line behind the preamble has.
        self.used = units(self._preamble) + newline_units
        self._opened: set[Place | str] = set()
        self._by_word: dict[str, set[str]] = defaultdict(set)
        self._gave_way = 0
        self._tells_order = False

    def fill(self, candidates: Sequence[_Candidate]) -> None:
        """Choose from *candidates*: the person's own first, then the others for what room is left."""
        self._fill_with_own(sorted((c for c in candidates if c.is_own), key=lambda c: c.age))
        others = [c for c in candidates if not c.is_own]
        if self.used + self._cost_of_all(others) <= self._budget:
            for candidate in others:
                self._choose(candidate)
            return
        room = self._budget - self.used
        vital = [c for c in others if c.does_harm]
        self._fill_with_best(vital, min(self._budget, self.used + int(VITAL_SHARE * room)))
        others = [c for c in others if c.id not in self.chosen]
        for place, share in QUOTAS.items():
            entitled = [c for c in others if c.place is place and c.priority >= QUOTA_PRIORITY]
            self._fill_with_best(entitled, min(self._budget, self.used + int(share * room)))
        self._fill_with_best([c for c in others if c.id not in self.chosen], self._budget)

    def _fill_with_own(self, newest_first: Sequence[_Candidate]) -> None:
        if not self._tells_order and _needs_order(newest_first):
            self._tells_order = True
            self.used += units(UNDATED) + self._newline
        if self.used + self._cost_of_all(newest_first) <= self._budget:
            for candidate in newest_first:
                self._choose(candidate)
            return
        reserve = units(_more(len(newest_first))) + self._newline
        self.used += reserve
        is_full = False
        for candidate in newest_first:
            fits = self.used + self._cost(candidate) <= self._budget
            if fits and not is_full:
                self._choose(candidate)
                continue
            self._gave_way += 1
            # Drop the oldest first, but a very long line must not push out everything older than it.
            is_full = is_full or candidate.units <= LONG_SHARE * self._budget

    def _fill_with_best(self, candidates: Sequence[_Candidate], limit: int) -> None:
        """Choose the best for their room while they fit; a gain only shrinks, so it is renewed on top."""
        heap = [(-c.worth, c.age, number) for number, c in enumerate(candidates)]
        heapify(heap)
        while heap:
            gain, age, number = heappop(heap)
            candidate = candidates[number]
            if self.used + self._cost(candidate) > limit:
                continue
            current = -candidate.worth * self._newness(candidate)
            if current > gain + 1e-12:
                heappush(heap, (current, age, number))
                continue
            self._choose(candidate)

    def _newness(self, candidate: _Candidate) -> float:
        """Return 1 for a line that says something new, down to NEW_SHARE for one that another one holds."""
        shared: dict[str, float] = defaultdict(float)
        for word in candidate.words:
            for other in self._by_word.get(word, ()):
                shared[other] += _weight(word)
        if not shared:
            return 1.0
        share = max(shared.values()) / candidate.weight
        return 1 - (1 - NEW_SHARE) * max(0.0, share - 0.5) / 0.5

    def _choose(self, candidate: _Candidate) -> None:
        self.used += self._cost(candidate)
        self.chosen[candidate.id] = candidate
        self._opened |= _openings(candidate)
        for word in candidate.words:
            self._by_word[word].add(candidate.id)

    def _cost(self, candidate: _Candidate) -> int:
        return candidate.units + sum(map(self._cost_of_opening, _openings(candidate) - self._opened))

    def _cost_of_all(self, candidates: Sequence[_Candidate]) -> int:
        openings = set().union(*map(_openings, candidates)) - self._opened
        return sum(c.units for c in candidates) + sum(map(self._cost_of_opening, openings))

    def _cost_of_opening(self, opening: Place | str) -> int:
        return units(HEADINGS[opening] if isinstance(opening, Place) else opening) + self._newline

    def printed(self, candidates: Sequence[_Candidate]) -> Fold:
        """Return the chosen lines as text; "" when not even what must be said fits."""
        chosen = sorted(self.chosen.values(), key=lambda c: c.order)
        body, ids = [self._preamble], []
        if self._gave_way:
            body.append(_more(self._gave_way))
        if self._tells_order and _needs_order(chosen):
            body.append(UNDATED)
        body.append("")
        day = ""
        for place in (Place.STANDING, Place.OPEN, Place.LOG):
            part = [c for c in chosen if c.place is place and not c.is_headed]
            body += [HEADINGS[place]] if part else []
            headed = [c for c in chosen if c.is_headed and place is Place.STANDING]
            for candidate in [*part, *headed]:
                if candidate.day and candidate.day != day and not candidate.is_headed:
                    day = candidate.day
                    body.append(day)
                body.append(candidate.text)
                ids.append(candidate.id)
        left_out = tuple(sorted(c.id for c in candidates if c.id not in self.chosen))
        text = "\n".join(body).rstrip("\n")
        used = _units(text, self._newline)
        if not (chosen or self._gave_way) or used > self._budget:
            return Fold("", (), left_out if not chosen else tuple(sorted(c.id for c in candidates)), 0, 0)
        return Fold(text, tuple(ids), left_out, self._gave_way, used)


def _openings(candidate: _Candidate) -> set[Place | str]:
    """Return the part heading and the day that have to stand above a line."""
    if candidate.is_headed:
        return set()
    return {candidate.place, candidate.day} if candidate.day else {candidate.place}


def _needs_order(candidates: Iterable[_Candidate]) -> bool:
    """Return whether a part has two lines that nothing but their order dates."""
    count = Counter(c.place for c in candidates if c.is_undated and not c.is_headed)
    return max(count.values(), default=0) > 1


def _weight(word: str) -> float:
    # Two lines that differ in a number or a date differ in what they say.
    return 3.0 if _DIGIT.search(word) else 1.0


def _more(count: int) -> str:
    return f"{count} more in memory/observations"
