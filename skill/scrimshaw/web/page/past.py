"""*Over time*: how figures have moved, what the lines were, and what models were sent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import Query
from fastapi.responses import Response

from scrimshaw.core.policy.caching import TokenUsage
from scrimshaw.memory import Memory
from scrimshaw.services.models.spending import NO_CACHING, Caching, Sum, summed
from scrimshaw.web.page import shown
from scrimshaw.web.page.visit import PAGE, From, Looks, more_of, page_router
from scrimshaw.web.threads import at_length

router = page_router()
Figure = Annotated[str, Query(max_length=40)]
Days = Annotated[int, Query(ge=2, le=365)]


@router.get("/page/time")
def over_time(visit: Looks, figure: Figure = "memories", days: Days = 30) -> Response:
    """Offer the figures of the past; each part is worked out after the view is seen."""
    # Not health at first: that of every day takes long in a large memory.
    figure = figure if figure in shown.FIGURE_NAMES else "memories"
    name = shown.FIGURE_NAMES[figure]
    span = {"agent": visit.agent, "days": days}
    parts = (
        ("curve", f"curve?{urlencode({**span, 'figure': figure})}", f"{name[:1].upper()}{name[1:]}"),
        ("past", f"past?{urlencode(span)}", "Lines"),
        ("usage", f"usage?{urlencode(span)}", "Tokens"),
    )
    return visit.page("time", figure=figure, days=days, figures=shown.FIGURES, parts=parts)


@router.get("/page/curve")
def curve(visit: Looks, figure: Figure = "memories", days: Days = 30) -> Response:
    """Show a figure of each of the last days; the past takes its time."""
    with at_length():
        rows = visit.memory.trend(figure, days=days).to_dict()["days"]
    top = max(rows, key=lambda one: float(one["value"]))
    name = shown.FIGURE_NAMES[figure]
    return visit.page("curve", figure=name, days=days, rows=rows, top=top, line=shown.sparkline(rows))


@router.get("/page/past")
def past(visit: Looks, days: Days = 30) -> Response:
    """Show what the lines of each of the last days were, and where they stood."""
    wanted = [name for parts in shown.CHARTS.values() for name in parts]
    with at_length():
        found = {one.figure: one.points for one in visit.memory.trends(wanted, days=days)}
    charts = []
    for name, parts in shown.CHARTS.items():
        drawn = shown.stacked([[value for _, value in found[part]] for part in parts])
        series = [
            {"at": at, "name": told, "today": int(found[part][-1][1]), "points": points}
            for at, ((part, told), points) in enumerate(zip(parts.items(), drawn, strict=True))
        ]
        charts.append({"name": name, "series": series})
    first, last = (found[wanted[0]][at][0].isoformat() for at in (0, -1))
    return visit.page("past", charts=charts, first=first, last=last)


@router.get("/page/usage")
def usage(visit: Looks, days: Days = 30, start: From = 0) -> Response:
    """Show what was read and kept, by agent, and what models were sent; the host's records are read."""
    today = visit.memory.now().astimezone(ZoneInfo(visit.memory.target.zone)).date()
    since = today - timedelta(days - 1)
    rows, mine = [], NO_CACHING
    of_memory: Mapping[str, Sum] = {}
    with at_length():
        memories = visit.caller.memories()
        for at, memory in enumerate(memories):
            is_listed = start <= at < start + PAGE
            is_mine = memory.target.agent_id == visit.memory.target.agent_id
            if not (is_mine or is_listed):
                continue
            spent = memory.spend(since)
            own = summed({"": spent.rows}, "day")
            if is_listed:
                rows.append(_of_agent(memory, spent.caching, sum(map(_tokens, own.values()))))
            if is_mine:
                mine, of_memory = spent.caching, own
    every = [(since + timedelta(at), mine.by_day.get(since + timedelta(at))) for at in range(days)]
    drawn = shown.bars([_parts(one) for _, one in every])
    used = [
        {
            "date": day.isoformat(),
            "sent": one.prompt_tokens if one else 0,
            "answered": one.output_tokens if one else 0,
            "hit_rate": one.hit_rate if one else None,
            "saving": one.saving if one else None,
            "memory": _tokens(of_memory.get(day.isoformat(), Sum())),
        }
        for day, one in every
        if one or day.isoformat() in of_memory
    ]
    return visit.page(
        "usage",
        days=days,
        rows=rows,
        more=more_of(start, len(memories)),
        bars=drawn,
        used=used,
        is_whole=mine.is_whole,
        first=since.isoformat(),
        last=today.isoformat(),
    )


def _parts(used: TokenUsage | None) -> tuple[float, float]:
    """Return the tokens read for the first time, and those from the cache."""
    cached = used.cache_read_input_tokens if used else 0
    return (used.prompt_tokens - cached if used else 0, cached)


def _tokens(used: Sum) -> int:
    return used.tokens_in + used.tokens_out


def _of_agent(memory: Memory, caching: Caching, own: int) -> dict[str, Any]:
    figures = memory.metrics(renews=False).figures
    whole = TokenUsage()
    for one in (*caching.host.values(), *caching.programs.values()):
        whole = whole.plus(one)
    return {
        "agent": memory.target.agent_id,
        "read": int(figures.get(("om_messages_tokens_total", ""), 0)),
        "kept": int(figures.get(("om_observations_tokens_total", ""), 0)),
        "reflections": int(figures.get(("om_reflections_tokens_total", ""), 0)),
        "ratio": figures.get(("om_compression_ratio", "")),
        "memory": own,
        "sent": whole.prompt_tokens,
        "hit_rate": whole.hit_rate,
        "saving": whole.saving,
    }
