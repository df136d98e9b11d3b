"""MEMORY.md as it was before the section was first written there, for an undo of that (rule 20).

A section is taken out of a text to the byte, but where it took the place of a list that stood under a heading
without our markers: then a copy of the file as it was tells. It is one of the backups, so that `forget`
reaches it, and the ledger only notes its name.
"""

from __future__ import annotations

from pathlib import Path

from scrimshaw import files
from scrimshaw.core import section
from scrimshaw.core.model import Author
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.memory_file import LARGEST_MEMORY_BYTES, place_of
from scrimshaw.jobs.target import Target
from scrimshaw.store.ledger import Ledger

_NOTHING = "-"  # nothing was replaced: no copy has this name


def note(target: Target, ledger: Ledger, path: Path, document: section.Document, copy: Path | None) -> None:
    """Note in which *copy* stands what the section is about to replace in the file at *path*."""
    if isinstance(document.state, section.Owned):
        return
    name = copy.name if copy else ""
    ledger.set_meta(_key(target, path), name if section.stood_there(document)[0] else _NOTHING)


def text_before(target: Target, ledger: Ledger, path: Path, document: section.Document) -> str:
    """Return *document* without the section, with what that replaced; raise UserError if it is lost."""
    name = ledger.meta().get(_key(target, path))
    if name is None and not _has_taken_over(ledger):
        name = _NOTHING
    if name == _NOTHING:
        return section.take_out(document)
    raw = files.read_bytes(target.layout.backups / name, LARGEST_MEMORY_BYTES) if name else files.ABSENT
    if raw is files.ABSENT:
        raise UserError(
            "The section took the place of a list of your own, and the copy of the file as it was is gone or "
            "was never noted (the setting `backups` says how many are kept). Nothing was undone.",
            next_step="take out by hand what you do not want; a line that you delete stays out",
            exit_code=Exit.REFUSED,
        )
    before = section.parse(raw.decode("utf-8", "surrogateescape"))
    return section.put_back(document, section.stood_there(before))


def _has_taken_over(ledger: Ledger) -> bool:
    """Tell whether the first revision shows a person's lines: up to 0.6.0 no copy of a list was noted."""
    stretches = ledger.past.stretches()
    first = ledger.past.revision(stretches[0].number) if stretches else None
    lines = ledger.lines(first.line_ids if first else ())
    return any(line.observation.author is Author.PERSON for line in lines.values())


def _key(target: Target, path: Path) -> str:
    return f"stood before {place_of(target, path)}"
