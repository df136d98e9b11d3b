"""Where everything of ours in a workspace lies. Names only; nothing here touches a disk."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

KEPT = ".scrimshaw.kept"  # our own folder after an uninstall that has kept the memory


def receipts_folder(env: Mapping[str, str], home: Path) -> Path:
    """Return where the receipts of installs lie: in the user's state folder, outside of every workspace."""
    return _state_folder(env, home) / "installed"


def server_folder(env: Mapping[str, str]) -> Path:
    """Return where the server of this machine's agents keeps its secret and its tokens."""
    return _state_folder(env, Path(env.get("HOME") or Path.home())) / "server"


def _state_folder(env: Mapping[str, str], home: Path) -> Path:
    base = env.get("XDG_STATE_HOME", "")
    return (Path(base) if base.startswith("/") else home / ".local" / "state") / "scrimshaw"


class Layout(NamedTuple):
    """The paths of one workspace."""

    workspace: Path

    @property
    def memory(self) -> Path:
        """The file the host injects."""
        return self.workspace / "MEMORY.md"

    @property
    def dated(self) -> Path:
        """The folder of dated files; the host promotes files whose names begin with the date."""
        return self.workspace / "memory" / "observations"

    @property
    def aside(self) -> Path:
        """Where the section is kept while MEMORY.md itself must be left alone (rule 13)."""
        return self.dated / "MEMORY.md"

    @property
    def episodic(self) -> Path:
        """The folder of `.mv2` archives."""
        return self.workspace / "memory" / "episodic"

    @property
    def state(self) -> Path:
        """Our own folder: ledger, locks, backups, log."""
        return self.workspace / ".scrimshaw"

    @property
    def kept(self) -> Path:
        """Where an uninstall leaves that folder when the memory is to be kept."""
        return self.workspace / KEPT

    @property
    def ledger(self) -> Path:
        return self.state / "ledger.sqlite"

    @property
    def working(self) -> Path:
        """The working layer (working/database)."""
        return self.state / "working.sqlite"

    @property
    def conversations(self) -> Path:
        """The folder of conversations that have ended, as programs handed them in."""
        return self.state / "conversations"

    @property
    def backups(self) -> Path:
        return self.state / "backups"

    @property
    def search_index(self) -> Path:
        """The search index; derived, and made again where it is missing."""
        return self.state / "index"

    @property
    def rehearsal_prefix(self) -> str:
        """How the temporary folders begin that hold a copy of this ledger, wherever temporary files lie."""
        named = sha256(str(self.workspace).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return f"scrimshaw-rehearsal-{named}-"

    @property
    def wake(self) -> Path:
        """Touched by whoever has put a request into the ledger: the daemon looks sooner."""
        return self.state / "wake"

    @property
    def log(self) -> Path:
        return self.state / "scrimshaw.log"
