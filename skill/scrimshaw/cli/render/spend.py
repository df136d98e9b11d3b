"""How what models have cost is worded; a price that nobody knows is said to be unknown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from scrimshaw.cli.support.command import head
from scrimshaw.clock import local_minute
from scrimshaw.core.policy.spending import dollars
from scrimshaw.core.text.plural import counted
from scrimshaw.services.models.spending import rows_by_agent, summed, total

if TYPE_CHECKING:
    from scrimshaw.core.policy.caching import TokenUsage
    from scrimshaw.core.policy.spending import Period
    from scrimshaw.services.models.spending import By, HeldBack, SpendReport, SpendStanding, Sum
    from scrimshaw.store.records import SpendRow


def spend_lines(accounts: Sequence[SpendReport], since: date, by: By) -> list[str]:
    lines: list[str] = []
    for one in accounts:
        lines += [f"{head(one)}  ({one.target.zone})"]
        lines += _standing_lines(one) if one.standing else []
        lines += [f"  {line}" for line in str(one.error).splitlines()] if one.error else []
        lines += _caching_lines(one)
        lines += [""]
    rows = rows_by_agent(accounts)
    if any(rows.values()):
        return [*lines, f"By {by}, since {since}:", *_table(rows, by), *_remarks(rows)]
    if any(one.has_older for one in accounts):
        return [*lines, f"Nothing was spent since {since}. For what was before: --since DATE"]
    if any(one.error for one in accounts):
        return lines
    return [*lines, "Nothing has been spent: no model was ever asked."]


def _standing_lines(one: SpendReport) -> list[str]:
    standing = one.standing
    assert standing
    settings = one.target.config.settings
    chosen = {"observer": settings.observer_model, "reflector": settings.reflector_model}
    asked = ", ".join(f"{who} {model}" for who, model in chosen.items() if model != "offline")
    if not asked and not one.rows and not one.has_older:
        return ["  models    none: the rules do it, on this machine and for nothing"]
    return [
        f"  models    {asked or 'none any more'}",
        f"  today     {standing.today}: {_used(standing, 'day')}",
        f"  month     {standing.today:%Y-%m}: {_used(standing, 'month')}",
        *(f"  held back {_held(held, one.target.zone)}" for held in standing.held),
        *(
            [f"            About {counted(one.waiting_tokens, 'token')} of conversation wait."]
            if standing.held
            else []
        ),
    ]


def _caching_lines(one: SpendReport) -> list[str]:
    """Return what caches have served since the day: tokens, share of the prompts, share of the price."""
    told = one.caching
    rows = [("host", *each) for each in told.host.items()] + [
        ("programs", *each) for each in told.programs.items()
    ]
    lines = [f"  cache     {who}, {model or 'model unknown'}: {_cached(used)}" for who, model, used in rows]
    cut = "            Only the newest of the host's transcripts were read: they are too large."
    return lines if told.is_whole else [*lines, cut]


def _cached(used: TokenUsage) -> str:
    answers = f"{counted(used.answers, 'answer')}, {counted(used.prompt_tokens, 'token')} sent"
    if used.hit_rate is None or used.saving is None:
        return answers
    if not used.cache_read_input_tokens:
        return f"{answers}, none of them from a cache"
    return f"{answers}, {used.hit_rate:.0%} from the cache, which saves {used.saving:.0%} of their price"


def _used(standing: SpendStanding, period: Period) -> str:
    caps = standing.caps
    if period == "day":
        tokens, money, spent = caps.tokens_a_day, caps.microdollars_a_day, standing.of_day
    else:
        tokens, money, spent = caps.tokens_a_month, caps.microdollars_a_month, standing.of_month
    parts, left = [], []
    if tokens:
        parts.append(f"{spent.tokens:,} of {counted(tokens, 'token')}")
        left.append(counted(max(0, tokens - spent.tokens), "token"))
    else:
        parts.append(f"{counted(spent.tokens, 'token')} (no limit)")
    if money:
        parts.append(f"{dollars(spent.microdollars)} of {dollars(money)}")
        left.append(dollars(max(0, money - spent.microdollars)))
    else:
        parts.append(f"{dollars(spent.microdollars)} (no limit)")
    told = ", ".join(parts) + (f"; left: {' and '.join(left)}" if left else "")
    return told + (f"; {_unknown(spent.unpriced)} in the tokens alone" if spent.unpriced else "")


def _held(held: HeldBack, zone: str) -> str:
    when = f" {held.resumes_at:%Y-%m-%d %H:%M}, or" if held.resumes_at else ""
    since = local_minute(held.since_ms, zone)
    return f"{held.job}, since {since}: {held.refusal}. It goes on{when} when the cap is raised."


def _table(rows: dict[str, tuple[SpendRow, ...]], by: By) -> list[str]:
    sums = {**summed(rows, by), "all": total(rows)}
    if len(sums) == 2:  # one line needs no sum below it
        del sums["all"]
    cells = [
        ("", "calls", "failed", "tokens in", "tokens out", "cost"),
        *((name, *(f"{n:,}" for n in _numbers(one)), _cost(one)) for name, one in sums.items()),
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return [
        "  "
        + "  ".join(
            [row[0].ljust(widths[0]), *(row[n].rjust(widths[n]) for n in range(1, 5)), row[5]]
        ).rstrip()
        for row in cells
    ]


def _numbers(one: Sum) -> tuple[int, int, int, int]:
    return one.calls, one.failed, one.tokens_in, one.tokens_out


def _cost(one: Sum) -> str:
    if not one.unpriced:
        return dollars(one.microdollars)
    if not one.microdollars:
        return "price unknown"
    return f"{dollars(one.microdollars)} and {_unknown(one.unpriced)}"


def _unknown(calls: int) -> str:
    return f"{counted(calls, 'call')} of unknown price"


def _remarks(rows: dict[str, tuple[SpendRow, ...]]) -> list[str]:
    whole = total(rows)
    unpriced = sorted({row.model for its in rows.values() for row in its if row.unpriced})
    lines = []
    if unpriced:
        example = f"prices: {{{unpriced[0]}: [dollars for a million tokens in, and out]}}"
        lines.append(f"Price unknown: {', '.join(unpriced)}. To have it counted, set in the configuration")
        lines.append(f"  {example}")
    if whole.cut_off:
        lines.append(
            f"{counted(whole.cut_off, 'call')} under way or cut off: counted at the most they can cost."
        )
    if whole.estimated > whole.cut_off:
        lines.append(
            f"Of {counted(whole.estimated - whole.cut_off, 'call')} the provider did not say what was used: "
            "estimated."
        )
    return lines
