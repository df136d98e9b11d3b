"""Where everything of ours in a workspace lies. Names only; nothing here touches a disk."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Layout(NamedTuple):
    """The paths of one workspace."""

    workspace: Path

    @property
    def memory(self) -> Path:
        """The file the host injects."""
        return self.workspace / "MEMORY.md"

    @property
    def dated(self) -> Path:
        """The folder of dated files; their names do not start with the date (docs/how-it-works.md)."""
        return self.workspace / "memory" / "observations"

    @property
    def aside(self) -> Path:
        """Where the section is kept while MEMORY.md itself must be left alone (rule 13)."""
        return self.dated / "MEMORY.md"

    @property
    def state(self) -> Path:
        """Our own folder: ledger, locks, backups, log."""
        return self.workspace / ".scrimshaw"

    @property
    def ledger(self) -> Path:
        return self.state / "ledger.sqlite"

    @property
    def backups(self) -> Path:
        return self.state / "backups"

    @property
    def wake(self) -> Path:
        """Touched by whoever has put a request into the ledger: the daemon looks sooner."""
        return self.state / "wake"

    @property
    def log(self) -> Path:
        return self.state / "scrimshaw.log"
