"""MEMORY.md as it was before the section was first written there, for an undo of that (rule 20).

A section is taken out of a text to the byte, but where it took the place of a list that stood under a heading
without our markers: then a copy of the file as it was tells. It is one of the backups, so that `forget`
reaches it, and the ledger only notes its name.
"""

from __future__ import annotations

from pathlib import Path

from scrimshaw import files
from scrimshaw.core import section
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.memory_file import LARGEST_MEMORY_BYTES, place_of
from scrimshaw.jobs.target import Target
from scrimshaw.store.ledger import Ledger


def note(target: Target, ledger: Ledger, path: Path, document: section.Document, copy: Path | None) -> None:
    """Note in which *copy* stands what the section is about to replace in the file at *path*."""
    if section.stood_there(document)[0]:
        ledger.set_meta(_key(target, path), copy.name if copy else "")


def text_before(target: Target, ledger: Ledger, path: Path, document: section.Document) -> str:
    """Return *document* without the section, with what that replaced; raise UserError if it is lost."""
    name = ledger.meta().get(_key(target, path))
    if name is None:
        return section.take_out(document)
    raw = files.read_bytes(target.layout.backups / name, LARGEST_MEMORY_BYTES) if name else files.ABSENT
    if raw is files.ABSENT:
        raise UserError(
            "The section took the place of a list of your own, and the copy of the file as it was is gone "
            "(the setting `backups` says how many are kept). Nothing was undone.",
            next_step="take out by hand what you do not want; a line that you delete stays out",
            exit_code=Exit.REFUSED,
        )
    before = section.parse(raw.decode("utf-8", "surrogateescape"))
    return section.put_back(document, section.stood_there(before))


def _key(target: Target, path: Path) -> str:
    return f"stood before {place_of(target, path)}"
