"""Numbered migrations of the ledger, oldest first; a released one is never edited."""

from __future__ import annotations

from scrimshaw.store.migrations.m001_first import SQL as M001
from scrimshaw.store.migrations.m002_models import SQL as M002
from scrimshaw.store.migrations.m003_frames import SQL as M003
from scrimshaw.store.migrations.m004_undo import SQL as M004
from scrimshaw.store.migrations.m005_renewed import SQL as M005
from scrimshaw.store.migrations.m006_working import SQL as M006
from scrimshaw.store.migrations.m007_tallies import SQL as M007
from scrimshaw.store.migrations.m008_insight import SQL as M008
from scrimshaw.store.migrations.m009_days import SQL as M009

MIGRATIONS: tuple[str, ...] = (M001, M002, M003, M004, M005, M006, M007, M008, M009)
