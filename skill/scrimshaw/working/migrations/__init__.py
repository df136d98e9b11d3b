"""Numbered migrations of the working layer, oldest first; a released one is never edited."""

from __future__ import annotations

from scrimshaw.working.migrations import (
    m001_memories,
    m002_conversations,
    m003_versions,
    m004_ended,
    m005_waiting,
    m006_offers,
    m007_logs,
    m008_moved,
)

MIGRATIONS: tuple[str, ...] = (
    m001_memories.SQL,
    m002_conversations.SQL,
    m003_versions.SQL,
    m004_ended.SQL,
    m005_waiting.SQL,
    m006_offers.SQL,
    m007_logs.SQL,
    m008_moved.SQL,
)
