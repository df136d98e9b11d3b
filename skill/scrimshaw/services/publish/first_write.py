"""MEMORY.md as it was before the section was first written there, for an undo of that (rule 20).

A section is taken out of a text to the byte, but where it took the place of a list that stood under a heading
without our markers: then a copy of the file as it was tells. It is one of the backups, so that `forget`
reaches it, and the ledger only notes its name.
"""

from __future__ import annotations

from pathlib import Path

from scrimshaw import files
from scrimshaw.core.section import markers
from scrimshaw.core.types import Author
from scrimshaw.errors import refused_error
from scrimshaw.services.publish.memory_file import LARGEST_MEMORY_BYTES, place_of
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

_NOTHING = "-"  # nothing was replaced: no copy has this name


def note(target: Target, ledger: Ledger, path: Path, document: markers.Document, copy: Path | None) -> None:
    """Note in which *copy* stands what the section is about to replace in the file at *path*."""
    if isinstance(document.state, markers.Owned):
        return
    name = copy.name if copy else ""
    ledger.set_meta(_key(target, path), name if markers.stood_there(document)[0] else _NOTHING)


def text_before(target: Target, ledger: Ledger, path: Path, document: markers.Document) -> str:
    """Return *document* without the section, with what that replaced; raise UserError if it is lost."""
    name = ledger.meta().get(_key(target, path))
    if name is None and not _has_taken_over(ledger):
        name = _NOTHING
    if name == _NOTHING:
        return markers.take_out(document)
    raw = files.read_bytes(target.layout.backups / name, LARGEST_MEMORY_BYTES) if name else files.ABSENT
    if raw is files.ABSENT:
        raise refused_error(
            "The section took the place of a list of your own, and the copy of the file as it was is gone or "
            "was never noted (the setting `backups` says how many are kept). Nothing was undone.",
            next_step="take out by hand what you do not want; a line that you delete stays out",
        )
    before = markers.parse(raw.decode("utf-8", "surrogateescape"))
    return markers.put_back(document, markers.stood_there(before))


def _has_taken_over(ledger: Ledger) -> bool:
    """Tell whether the first revision shows a person's lines: up to 0.6.0 no copy of a list was noted."""
    stretches = ledger.past.stretches()
    first = ledger.past.revision(stretches[0].number) if stretches else None
    lines = ledger.lines(first.line_ids if first else ())
    return any(line.observation.author is Author.PERSON for line in lines.values())


def _key(target: Target, path: Path) -> str:
    return f"stood before {place_of(target, path)}"
