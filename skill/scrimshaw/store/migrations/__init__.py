"""Numbered migrations of the ledger, oldest first; a released one is never edited."""

from __future__ import annotations

from scrimshaw.store.migrations import m001_first, m002_models

MIGRATIONS: tuple[str, ...] = (m001_first.SQL, m002_models.SQL)
