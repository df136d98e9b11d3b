"""What a workspace's models have cost, what its caps leave, and what waits because of them.

Dates are the owner's calendar days in the target's zone, as they were when each call was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import chain
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.config import Settings
from scrimshaw.core.policy.caching import TokenUsage
from scrimshaw.core.policy.spending import (
    MICRODOLLARS,
    Caps,
    SpendRefusal,
    Spent,
    goes_on_at,
    microdollars_of,
    refusal,
)
from scrimshaw.errors import ArgumentError, Exit, UserError
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.status.backlog import waiting
from scrimshaw.services.stores import open_sources
from scrimshaw.sources.usage import host_usage
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Held, SpendRow
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.usage import keep_usage, usage_by_day, usage_since
from scrimshaw.workspace import Target, is_set_up

By = Literal["day", "agent", "model", "job"]
_MOST_TOKENS = 10**9  # that a program may report of one answer
_MOST_NAME_CHARS = 200


class HeldBack(NamedTuple):
    """A job that waits because of a cap."""

    job: str
    model: str
    since_ms: int
    refusal: SpendRefusal
    resumes_at: datetime | None  # in the owner's zone, sooner when the cap is raised; None: only then


class SpendStanding(NamedTuple):
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


class Caching(NamedTuple):
    """What prompt caches have served since a day, by model: to the host's agents, and to programs."""

    host: Mapping[str, TokenUsage] = {}
    programs: Mapping[str, TokenUsage] = {}  # as they have reported it
    is_whole: bool = True  # False: the host's transcripts are too large to read all of them
    by_day: Mapping[date, TokenUsage] = {}  # of both

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "host": [{"model": name, **used.to_dict()} for name, used in self.host.items()],
            "programs": [{"model": name, **used.to_dict()} for name, used in self.programs.items()],
            "is_whole": self.is_whole,
            "days": [{"date": day.isoformat(), **self.by_day[day].to_dict()} for day in sorted(self.by_day)],
        }


NO_CACHING = Caching()


@dataclass(frozen=True, slots=True)
class SpendReport(WorkspaceResult):
    """What one workspace has spent since some day, or why that cannot be told."""

    since: date
    standing: SpendStanding | None = None
    rows: tuple[SpendRow, ...] = ()
    has_older: bool = False  # something was spent before the days that were asked for
    waiting_tokens: int = 0  # of conversation, when a cap holds something back
    error: UserError | None = None
    caching: Caching = NO_CACHING

    @property
    def exit_code(self) -> Exit:
        return self.error.exit_code if self.error else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw spend --json` prints it below `agents`."""
        settings, standing = self.target.config.settings, self.standing
        told = {
            **self.head(zone=True),
            "observer_model": settings.observer_model,
            "reflector_model": settings.reflector_model,
        }
        if self.error is not None:
            return {**told, "error": list(self.error.problems), "next_step": self.error.next_step}
        assert standing
        caps = standing.caps
        return {
            **told,
            "day": standing.today.isoformat(),
            "today": _left_dict(standing.of_day, caps.tokens_a_day, caps.microdollars_a_day),
            "month": _left_dict(standing.of_month, caps.tokens_a_month, caps.microdollars_a_month),
            "held_back": [
                {
                    "job": held.job,
                    "model": held.model,
                    "since_ms": held.since_ms,
                    "reason": str(held.refusal),
                    "resumes_at": held.resumes_at and held.resumes_at.isoformat(),
                }
                for held in standing.held
            ],
            "waiting_tokens": self.waiting_tokens,
            "caching": self.caching.to_dict(),
        }


def _left_dict(spent: Spent, tokens: int, money: int) -> dict[str, Any]:
    """Return a period's numbers; a cap or what it leaves is null where there is no limit."""
    return {
        "tokens": spent.tokens,
        "cost_dollars": spent.microdollars / MICRODOLLARS,
        "unpriced": spent.unpriced,
        "max_tokens": tokens or None,
        "max_cost_dollars": money / MICRODOLLARS if money else None,
        "left_tokens": max(0, tokens - spent.tokens) if tokens else None,
        "left_dollars": max(0, money - spent.microdollars) / MICRODOLLARS if money else None,
    }


def spend(target: Target, now: datetime, since: date) -> SpendReport:
    """Return what *target*'s models have cost since a day; what is in the way is told in it."""
    if not is_set_up(target.layout):
        return SpendReport(target, since, standing_of(target, None, now), caching=caching_of(target, since))
    try:
        with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
            standing, rows = standing_of(target, ledger, now), ledger.spend_rows()
            waits = 0
            if standing.held:
                with open_sources(target, ledger.session_keys()) as sources:
                    waits = waiting(target, ledger, sources, now).backlog.tokens
    except UserError as error:
        return SpendReport(target, since, error=error)
    chosen = tuple(row for row in rows if row.local_date >= since)
    return SpendReport(
        target, since, standing, chosen, len(chosen) < len(rows), waits, caching=caching_of(target, since)
    )


def caching_of(target: Target, since: date) -> Caching:
    """Return what caches have served since a day; reads the host's transcripts."""
    start = datetime.combine(since, time(), ZoneInfo(target.zone))
    stores = [(store.kind, store.path) for agent in target.agents for store in agent.stores]
    host = host_usage(stores, milliseconds(start), zone=target.zone)
    programs: Mapping[str, TokenUsage] = {}
    by_day = dict(host.by_day)
    if target.layout.working.exists():
        with closing(WorkingDatabase(target.layout.working)) as db:
            programs = usage_since(db, since)
            for day, used in usage_by_day(db, since).items():
                by_day[day] = by_day.get(day, TokenUsage()).plus(used)
    return Caching(host.by_model, programs, host.is_whole, by_day)


def rows_by_agent(reports: Sequence[SpendReport]) -> dict[str, tuple[SpendRow, ...]]:
    """Return what each agent spent, by a name of its own: profiles may have an agent of the same id each."""
    ids = Counter(one.agent for one in reports)
    return {
        one.agent if ids[one.agent] == 1 else f"{one.agent} ({one.workspace})": one.rows for one in reports
    }


def together(reports: Sequence[SpendReport], by: By) -> dict[str, Any]:
    """Return what several workspaces spent as `scrimshaw spend --json` prints it."""
    rows = rows_by_agent(reports)
    return {
        "since": reports[0].since.isoformat(),
        "by": by,
        "rows": [{by: name, **_sum_dict(one)} for name, one in summed(rows, by).items()],
        "total": _sum_dict(total(rows)),
        "agents": [one.to_dict() for one in reports],
    }


def _sum_dict(one: Sum) -> dict[str, Any]:
    told = one._asdict()
    cost = told.pop("microdollars") / MICRODOLLARS
    return {**told, "cost_dollars": cost, "is_cost_known": not one.unpriced}


def standing_of(target: Target, ledger: Ledger | None, now: datetime) -> SpendStanding:
    """Return how *target* stands against its caps; without a ledger nothing was ever spent."""
    zone = ZoneInfo(target.zone)
    today, caps = now.astimezone(zone).date(), caps_of(target.config.settings)
    if ledger is None:
        return SpendStanding(today, caps, Spent(), Spent())
    of_day, of_month = ledger.spent("day", today), ledger.spent("month", today)
    asked = {
        "observe": target.config.settings.observer_model,
        "reflect": target.config.settings.reflector_model,
    }
    # After a change of model, nothing waits for the earlier one any more.
    waits = (held for held in ledger.held_by_caps() if asked.get(held.job) == held.model)
    back = (_held_back(held, caps, of_day, of_month, now, zone) for held in waits)
    return SpendStanding(today, caps, of_day, of_month, tuple(one for one in back if one))


def _held_back(
    held: Held, caps: Caps, of_day: Spent, of_month: Spent, now: datetime, zone: ZoneInfo
) -> HeldBack | None:
    # Check again: a new day or a raised cap ends the hold.
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
    for row in chain.from_iterable(rows.values()):
        whole = whole.plus(row)
    return whole


def keep_report(
    target: Target, db: WorkingDatabase, now: datetime, model: str, used: tuple[int, int, int, int], id_: str
) -> None:
    """Keep what one answer used: input, output, written into the cache, read from it; ArgumentError."""
    from scrimshaw.redaction import holds_token  # its rules take long to load

    if len(model) > _MOST_NAME_CHARS or not (model.isprintable() or not model):
        raise ArgumentError("model: should be at most 200 printable characters. Nothing was kept.")
    if not all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in used):
        raise ArgumentError("Numbers of tokens are whole, from 0 to 1,000,000,000. Nothing was kept.")
    if holds_token(model) or holds_token(id_):
        raise ArgumentError(
            "model, id: one holds what looks like a secret, and names are kept as they are. Nothing was kept."
        )
    day = now.astimezone(ZoneInfo(target.zone)).date()
    keep_usage(db, day, model, TokenUsage(1, *used), id_)


def caps_of(settings: Settings) -> Caps:
    """Return the owner's caps."""
    return Caps(
        settings.max_tokens_per_day,
        settings.max_tokens_per_month,
        microdollars_of(settings.max_cost_per_day),
        microdollars_of(settings.max_cost_per_month),
    )
