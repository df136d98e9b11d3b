"""What a workspace's models have cost, what its caps leave, and what waits because of them. Only reads.

Dates are the owner's calendar days in the target's zone, as they were when each call was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.config import Settings
from scrimshaw.core.policy.spending import Caps, Refusal, Spent, goes_on_at, microdollars_of, refusal
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Held, SpendRow
from scrimshaw.workspace import Target

By = Literal["day", "agent", "model", "job"]


class HeldBack(NamedTuple):
    """A job that waits because of a cap."""

    job: str
    model: str
    since_ms: int
    refusal: Refusal
    resumes_at: datetime | None  # in the owner's zone, sooner when the cap is raised; None: only then


class Standing(NamedTuple):
    """How a workspace stands against its caps today."""

    today: date
    caps: Caps
    of_day: Spent
    of_month: Spent
    held: tuple[HeldBack, ...] = ()


class Sum(NamedTuple):
    """What came together under one name."""

    calls: int = 0
    failed: int = 0
    cut_off: int = 0
    estimated: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    microdollars: int = 0
    unpriced: int = 0

    def plus(self, row: SpendRow) -> Sum:
        """Return this and *row*."""
        return Sum(*(mine + more for mine, more in zip(self, row[3:], strict=True)))


def standing_of(target: Target, ledger: Ledger | None, now: datetime) -> Standing:
    """Return how *target* stands against its caps; without a ledger nothing was ever spent."""
    zone = ZoneInfo(target.zone)
    today, caps = now.astimezone(zone).date(), caps_of(target.config.settings)
    if ledger is None:
        return Standing(today, caps, Spent(), Spent())
    of_day, of_month = ledger.spent("day", today), ledger.spent("month", today)
    asked = {
        "observe": target.config.settings.observer_model,
        "reflect": target.config.settings.reflector_model,
    }
    # With another model, or none, nothing waits for this one any more.
    waits = (held for held in ledger.held_by_caps() if asked.get(held.job) == held.model)
    back = (_held_back(held, caps, of_day, of_month, now, zone) for held in waits)
    return Standing(today, caps, of_day, of_month, tuple(one for one in back if one))


def _held_back(
    held: Held, caps: Caps, of_day: Spent, of_month: Spent, now: datetime, zone: ZoneInfo
) -> HeldBack | None:
    # Looked at anew: a new day, or a raised cap, lets it go on.
    refused = refusal(caps, of_day, of_month, held.most)
    if refused is None:
        return None
    return HeldBack(held.job, held.model, held.since_ms, refused, goes_on_at(refused, now, zone))


def summed(rows: Mapping[str, Iterable[SpendRow]], by: By) -> dict[str, Sum]:
    """Return what the agents' *rows* come to: newest day first, else the dearest first."""
    name: Callable[[str, SpendRow], str] = {
        "day": lambda _agent, row: row.local_date.isoformat(),
        "agent": lambda agent, _row: agent,
        "model": lambda _agent, row: row.model,
        "job": lambda _agent, row: row.job,
    }[by]
    sums: dict[str, Sum] = {}
    for agent, its in rows.items():
        for row in its:
            key = name(agent, row)
            sums[key] = sums.get(key, Sum()).plus(row)
    if by == "day":
        return dict(sorted(sums.items(), reverse=True))
    return dict(
        sorted(
            sums.items(),
            key=lambda one: (-one[1].microdollars, -one[1].tokens_in - one[1].tokens_out, one[0]),
        )
    )


def total(rows: Mapping[str, Iterable[SpendRow]]) -> Sum:
    """Return what all of *rows* come to."""
    whole = Sum()
    for its in rows.values():
        for row in its:
            whole = whole.plus(row)
    return whole


def caps_of(settings: Settings) -> Caps:
    """Return the owner's caps."""
    return Caps(
        settings.max_tokens_per_day,
        settings.max_tokens_per_month,
        microdollars_of(settings.max_cost_per_day),
        microdollars_of(settings.max_cost_per_month),
    )
