"""Numbered migrations of the working layer, oldest first; a released one is never edited."""

from __future__ import annotations

from scrimshaw.working.migrations.m001_memories import SQL as M001
from scrimshaw.working.migrations.m002_conversations import SQL as M002
from scrimshaw.working.migrations.m003_versions import SQL as M003
from scrimshaw.working.migrations.m004_ended import SQL as M004
from scrimshaw.working.migrations.m005_waiting import SQL as M005
from scrimshaw.working.migrations.m006_offers import SQL as M006
from scrimshaw.working.migrations.m007_logs import SQL as M007
from scrimshaw.working.migrations.m008_moved import SQL as M008

MIGRATIONS: tuple[str, ...] = (M001, M002, M003, M004, M005, M006, M007, M008)
