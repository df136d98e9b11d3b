"""Version 1, for programs that were written for the one before: the working layer alone, answered as ever."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["version 1"])
