"""A plan in the making: what is found, what is to be changed, what is to be said.

Shared by the parts of the planning. Looks and notes; changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scrimshaw import files
from scrimshaw.errors import UserError
from scrimshaw.host import command
from scrimshaw.setup.changes import Change, Owner, PutFile
from scrimshaw.setup.receipt import MadeFile, Receipt, digest, load

_LARGEST_BYTES = 1024 * 1024


class Draft:
    """A plan in the making."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.openclaw = command.find(env)
        self.changes: list[Change] = []
        self.notes: list[str] = []
        self.afterwards: list[str] = []
        self._receipts: dict[Path, Receipt | None] = {}

    def receipt(self, owner: Owner) -> Receipt | None:
        """Return what was made for a host before."""
        if owner.state_dir not in self._receipts:
            self._receipts[owner.state_dir] = load(self.env, owner.state_dir)
        return self._receipts[owner.state_dir]

    def put(self, owner: Owner, base: Path, path: Path, data: bytes, mode: int = 0o644) -> bool:
        """Plan the file *path* if it is not as wanted; a changed one of ours that a hand was in is left."""
        try:
            present = files.read_bytes(path, _LARGEST_BYTES)
        except UserError:
            present = files.ABSENT  # what is in the way is told when the change is made
        if present == data:
            return False
        if isinstance(present, bytes) and not self._is_own(owner, path, present):
            self.notes.append(
                f"{path}: changed by hand since it was written, so it is left. To have it written "
                "again: remove it and run this again"
            )
            return False
        self.changes.append(PutFile(owner, base, path, data, present, mode))
        return True

    def _is_own(self, owner: Owner, path: Path, present: bytes) -> bool:
        receipt = self.receipt(owner)
        made = receipt.find(MadeFile, path) if receipt else None
        # Without a receipt nobody can tell whose changes these are; the folder itself is known to be ours.
        return made is None or digest(present) in made.sha256
