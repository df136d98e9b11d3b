"""Numbered migrations of the ledger, oldest first; a released one is never edited."""

from __future__ import annotations

from scrimshaw.store.migrations import (
    m001_first,
    m002_models,
    m003_frames,
    m004_undo,
    m005_renewed,
    m006_working,
    m007_tallies,
    m008_insight,
    m009_days,
)

MIGRATIONS: tuple[str, ...] = (
    m001_first.SQL,
    m002_models.SQL,
    m003_frames.SQL,
    m004_undo.SQL,
    m005_renewed.SQL,
    m006_working.SQL,
    m007_tallies.SQL,
    m008_insight.SQL,
    m009_days.SQL,
)
