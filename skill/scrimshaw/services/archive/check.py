"""What the archives of a workspace are like: read-only, for `status`, `doctor` and `archive --check`.

A quick look compares names and sizes with what the ledger says was left; a thorough one reads every byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scrimshaw.archive import mv2
from scrimshaw.errors import UserError
from scrimshaw.layout import Layout
from scrimshaw.store.frames import ArchiveFile
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target


class FileLook(NamedTuple):
    """One file, as it should be and as it is."""

    name: str
    observations: int
    size_bytes: int
    told: str  # "" when all is well, else how it is, to follow its name


class ArchiveCheck(NamedTuple):
    """The archives of a workspace."""

    files: tuple[FileLook, ...]
    waiting_events: int
    set_aside: tuple[Path, ...]
    is_installed: bool = True  # memvid: without it nothing is added

    @property
    def observations(self) -> int:
        """How many they hold."""
        return sum(file.observations for file in self.files)

    @property
    def size_bytes(self) -> int:
        """How much room they take."""
        return sum(file.size_bytes for file in self.files)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in sentences."""
        return tuple(
            f"{file.name}{file.told}. Nothing is lost: the ledger holds it."
            for file in self.files
            if file.told
        )


def inspect_archives(target: Target, ledger: Ledger, *, is_thorough: bool = False) -> ArchiveCheck:
    """Look at the archives of *target*; changes nothing."""
    folder = target.layout.episodic
    rows = ledger.frames
    found = tuple(_file(folder / one.name, one, is_thorough=is_thorough) for one in rows.files())
    return ArchiveCheck(found, rows.owed().events, tuple(set_aside(folder)), mv2.is_installed())


def own_files(layout: Layout, ledgers: Iterable[Path]) -> list[Path]:
    """Return the archives in *layout*'s workspace that one of *ledgers* names, and those set aside.

    Another's file in the same folder is none of them; nor is one whose ledger cannot be read.
    """
    names: set[str] = set()
    for path in ledgers:
        with suppress(UserError), open_ledger(path, create=False, read_only=True) as ledger:
            names |= {one.name for one in ledger.frames.files()}
    named = (path for path in layout.episodic.glob("*.mv2") if path.name in names)
    return sorted({*named, *set_aside(layout.episodic)})


def set_aside(folder: Path) -> list[Path]:
    """Return what was set aside in *folder*, oldest first."""
    return sorted(path for path in folder.glob("*.mv2") if is_aside(path))


def is_aside(path: Path) -> bool:
    """Tell whether the file at *path* was set aside by us."""
    return ".aside-" in path.name


def _file(path: Path, row: ArchiveFile, *, is_thorough: bool) -> FileLook:
    try:
        size = path.lstat().st_size
    except OSError:
        return FileLook(row.name, row.observations, 0, " is gone")
    is_other = size != row.size_bytes or (is_thorough and mv2.digest_of(path) != row.sha256)
    told = " is not as it was left: damaged, or another program wrote to it" if is_other else ""
    return FileLook(row.name, row.observations, size, told)
