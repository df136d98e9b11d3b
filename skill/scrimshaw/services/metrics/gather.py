"""An agent's figures, gathered from kept counts and small tables: quick however long the ledger is.

What needs a look at the transcripts comes from a status that the caller has at hand, and may be older.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scrimshaw.core.ledger.observations import CLOSING, NOT_REREAD, PENDING
from scrimshaw.core.policy.caching import READ_PRICE
from scrimshaw.core.policy.spending import MICRODOLLARS
from scrimshaw.core.section.budget import units
from scrimshaw.core.types import Author
from scrimshaw.models.prices import price_of
from scrimshaw.services.metrics.catalogue import OTHER, REASONS, SECRETS
from scrimshaw.services.models.spending import standing_of
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.status.status import WorkspaceStatus
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.working import figures as working_figures
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

Figures = dict[tuple[str, str], float]  # by name and second label; of a summary "NAME_count" and "NAME_sum"
_NOT_REFUSED = (PENDING, NOT_REREAD, CLOSING)  # on the review list, and break no rule
_OBSERVED = (Author.RULES.value, Author.MODEL.value)  # who makes lines of conversation


@dataclass(frozen=True, slots=True)
class AgentMetrics(WorkspaceResult):
    """The figures of one agent; one that cannot be told is left out."""

    figures: Mapping[tuple[str, str], float]

    def to_dict(self) -> dict[str, Any]:
        """Return them by name; those with a second label by its value below that."""
        told: dict[str, Any] = self.head()
        for (name, label), value in self.figures.items():
            if label:
                told.setdefault(name, {})[label] = value
            else:
                told[name] = value
        return told


def gather(
    target: Target,
    working: WorkingDatabase | None,
    now: datetime,
    looked: WorkspaceStatus,
    searches: tuple[int, float],
) -> AgentMetrics:
    """Return the figures of *target*; *searches*: how many, and the seconds they took in all.

    Raises UserError where the ledger cannot be read.
    """
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        figures = {**_kept(ledger.tallies()), **_standing(target, ledger, now)}
    if working is not None:
        figures |= _of_working(working, target)
    figures |= _of_status(looked)
    figures["search_duration_seconds_count", ""] = searches[0]
    figures["search_duration_seconds_sum", ""] = searches[1]
    return AgentMetrics(target, figures)


def _kept(tallies: Mapping[str, int]) -> Figures:
    def lines(what: str, level: int, *authors: str) -> int:
        return sum(tallies.get(f"{what}:{level}:{one}", 0) for one in authors or Author)

    read, made = tallies.get("read_tokens", 0), lines("line_tokens", 0, *_OBSERVED)
    figures: Figures = {
        ("om_messages_tokens_total", ""): read,
        ("om_observations_tokens_total", ""): made,
        ("om_reflections_tokens_total", ""): lines("line_tokens", 1),
        ("om_observations_created_total", ""): lines("lines", 0),
        ("om_reflections_created_total", ""): lines("lines", 1),
        ("recalls_total", ""): tallies.get("event:recalled", 0),
    }
    if read and made:
        figures["om_compression_ratio", ""] = read / made
    for job, name in (("observe", "observer"), ("reflect", "reflector")):
        figures[f"om_{name}_duration_seconds_count", ""] = tallies.get(f"runs:{job}", 0)
        figures[f"om_{name}_duration_seconds_sum", ""] = tallies.get(f"run_ms:{job}", 0) / 1000
        figures[f"om_{name}_cost_total", ""] = tallies.get(f"cost_microdollars:{job}", 0) / MICRODOLLARS
        figures["runs_failed_total", job] = tallies.get(f"failed:{job}", 0)
    for name, prefix, listed in (
        ("rejections_total", "rejection:", REASONS),
        ("redactions_total", "redacted:", SECRETS),
    ):
        figures |= dict.fromkeys(((name, one) for one in listed), 0)
        for key, count in tallies.items():
            kind = key.removeprefix(prefix)
            if key.startswith(prefix) and kind not in _NOT_REFUSED:
                figures[name, kind if kind in listed else OTHER] += count
    return figures


def _standing(target: Target, ledger: Ledger, now: datetime) -> Figures:
    figures: Figures = {}
    if (section := ledger.latest_revision()) is not None:
        figures["section_characters", ""] = units(section.body)
        figures["section_budget_characters", ""] = section.budget_chars
    if (said_ms := ledger.newest_said_ms()) is not None:
        figures["newest_line_timestamp_seconds", ""] = said_ms / 1000
    for job in ("observe", "reflect"):
        if (run := ledger.last_run(job)) is not None:
            figures["last_run_timestamp_seconds", job] = run.started_at_ms / 1000
    spend = standing_of(target, ledger, now)
    figures["spend_dollars", "day"] = spend.of_day.microdollars / MICRODOLLARS
    figures["spend_dollars", "month"] = spend.of_month.microdollars / MICRODOLLARS
    figures["spend_cap_dollars", "day"] = spend.caps.microdollars_a_day / MICRODOLLARS
    figures["spend_cap_dollars", "month"] = spend.caps.microdollars_a_month / MICRODOLLARS
    return figures


def _of_working(db: WorkingDatabase, target: Target) -> Figures:
    found = working_figures.figures(db)
    prices = target.config.settings.prices
    saved = sum(
        tokens * (1 - READ_PRICE) * price[0] / 1_000_000
        for model, tokens in found.cache_read_tokens.items()
        if (price := price_of(model, "", prices))
    )
    return {
        ("om_cost_savings_total", ""): saved,
        ("working_memories", ""): found.memories,
        ("working_knowledge", ""): found.knowledge,
        ("working_conversations", ""): found.conversations,
        ("working_bytes", ""): found.size_bytes,
        ("embeddings_cached", ""): found.embeddings_cached,
        ("consolidation_duration_seconds_count", ""): found.consolidations,
        ("consolidation_duration_seconds_sum", ""): found.consolidation_ms / 1000,
        ("consolidation_archived_total", ""): found.archived,
        ("consolidation_duplicates_total", ""): found.duplicates,
    }


def _of_status(looked: WorkspaceStatus) -> Figures:
    newest_ms = max((one.newest_at_ms or 0 for one in looked.sources), default=0)
    counts = looked.counts
    in_ledger: Figures = {}
    if counts is not None:
        in_ledger = {
            ("lines", ""): counts.observations,
            ("lines_live", ""): counts.live,
            ("archive_waiting", ""): sum(counts.pending_outbox.values()),
        }
    return {
        **in_ledger,
        ("review_waiting", ""): looked.awaiting_review,
        ("backlog_tokens", ""): looked.backlog.tokens,
        ("backlog_age_seconds", ""): looked.backlog.oldest_age_seconds,
        ("sources", ""): len(looked.sources),
        ("sources_unreadable", ""): sum(bool(one.problem) for one in looked.sources),
        ("daemon_up", ""): int(looked.daemon is not None),
        ("problems", ""): len(looked.problems),
        **({("newest_message_timestamp_seconds", ""): newest_ms / 1000} if newest_ms else {}),
    }
