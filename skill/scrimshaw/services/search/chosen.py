"""Which models the settings name: for the ledger's lines, for memories, and in place of a server, how long.

`embeddings: off` is off for all. Loads nothing.
"""

from __future__ import annotations

from math import inf
from pathlib import Path
from time import monotonic

from scrimshaw.config import Settings
from scrimshaw.index import embedding
from scrimshaw.index.embedding import AUTO, OFF, OLLAMA, Asked

_LOCAL = "local"
_AWAY_SECONDS = 60.0  # how long another model serves before it is looked whether the wanted one can


def memories_model(settings: Settings) -> Asked:
    """Return the model for what programs store."""
    if settings.embeddings == OFF:
        return Asked(OFF)
    wanted = settings.memory_embedding_primary
    return _asked(settings, settings.embeddings if wanted == AUTO else wanted)


def lines_model(settings: Settings) -> Asked:
    """Return the model for the ledger's lines."""
    wanted = settings.memory_episodic_embedding_model
    if settings.embeddings == OFF or wanted == AUTO:
        return memories_model(settings)
    return _asked(settings, wanted)


def is_off(settings: Settings) -> bool:
    """Tell whether lines are found by words alone because the owner wants it so."""
    return lines_model(settings).model == OFF


def stand_in(settings: Settings, asked: Asked) -> Asked | None:
    """Return the installed model that serves while the server of *asked* is away, None without one."""
    is_wanted = asked.is_server and settings.memory_embedding_fallback == _LOCAL
    other = Asked(AUTO, _folder(settings))
    return other if is_wanted and not embedding.why_none(*other[:2]) else None


def _asked(settings: Settings, wanted: str) -> Asked:
    if wanted == OLLAMA:
        wanted = f"{OLLAMA}/{settings.memory_embedding_ollama_model}"
    url = settings.memory_embedding_ollama_url if wanted.startswith(f"{OLLAMA}/") else ""
    return Asked(AUTO if wanted == _LOCAL else wanted, _folder(settings), url)


def _folder(settings: Settings) -> Path | None:
    return Path(settings.embeddings_folder).expanduser() if settings.embeddings_folder else None


class Absence:
    """Another model than the wanted one serves, for a minute at a time."""

    def __init__(self) -> None:
        self._looked_at = inf

    def begin(self) -> None:
        """Let it serve from now on."""
        self._looked_at = monotonic() + _AWAY_SECONDS

    def is_over(self, wanted: Asked) -> bool:
        """Tell whether a minute has passed, and the server of *wanted*, if it has one, is there.

        One that hangs costs whoever searches a second a minute; no text is sent to it.
        """
        if monotonic() < self._looked_at:
            return False
        self.begin()
        if embedding.why_away(wanted.model, wanted.url):
            return False
        self._looked_at = inf
        return True
