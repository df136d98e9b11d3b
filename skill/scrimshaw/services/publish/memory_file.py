"""MEMORY.md as the host sees it: its text, the room it leaves for a section, and the host's record of it."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from scrimshaw import files
from scrimshaw.core.section import markers
from scrimshaw.core.section.budget import Budget, allowance, allowance_in_home
from scrimshaw.host.openclaw import bootstrap_sizes, limits
from scrimshaw.host.provenance import Provenance, provenance
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

LARGEST_MEMORY_BYTES = 16 * 1024 * 1024


def section_budget(target: Target, document: markers.Document) -> Budget:
    """Return the room of the section in MEMORY.md as it stands, by the host's limits in force."""
    rest, frame = markers.rest_units(document), markers.frame_units(document)
    chars = target.config.settings.observation_chars
    if target.is_in_home:
        return allowance_in_home(observation_chars=chars, rest=rest, frame=frame)
    bounds = [limits(agent) for agent in target.agents]
    others = [sum(bootstrap_sizes(target.layout.workspace, bound).values()) for bound in bounds]
    return allowance(
        observation_chars=chars,
        per_file_cap=min(bound.per_file for bound in bounds),
        total_cap=min(bound.total for bound in bounds),
        other_files=max(others),
        rest=rest,
        is_dreaming=any(bound.dreaming for bound in bounds),
        frame=frame,
    )


def memory_record(target: Target) -> Provenance:
    """Return the host's record of MEMORY.md; of several agents the one that binds most."""
    records = [provenance(agent, target.layout.workspace) for agent in target.agents]
    order = ("untrusted", "recorded", "unknown", "none")
    return min(records, key=lambda record: order.index(record.state))


def is_kept_aside(target: Target, record: Provenance) -> bool:
    """Tell whether *record* keeps the section out of MEMORY.md (rule 13).

    A file that the host shuts out of every prompt already is no place to write to, whatever the owner has
    allowed: beside it the hook finds the section.
    """
    if record.state == "untrusted":
        return True
    return target.config.settings.respect_provenance and record.state != "none"


def own_folders(target: Target) -> list[Path]:
    """Return the folders that we write in, without one that a link leads elsewhere: nothing there is ours."""
    layout = target.layout
    home = Path(os.path.realpath(layout.workspace))  # which, unlike `resolve`, takes links in a circle
    return [
        folder
        for folder in (layout.workspace, layout.dated, layout.state, layout.backups)
        if Path(os.path.realpath(folder)) == home / folder.relative_to(layout.workspace)
    ]


def read_document(
    target: Target, ledger: Ledger | None, path: Path
) -> tuple[bytes | files.Absent, markers.Document]:
    """Return a file's bytes and where the section stands in it; a text that we wrote is not parsed again."""
    raw, text = read_text(path)
    newest = next(iter(ledger.revisions(1, place_of(target, path))), None) if ledger else None
    is_ours = newest is not None and raw is not files.ABSENT and sha256(raw).hexdigest() == newest.sha256
    return raw, markers.parse(text, is_ours=is_ours)


def place_of(target: Target, path: Path) -> str:
    """Return the name under which revisions of the file at *path* are stored."""
    return path.relative_to(target.layout.workspace).as_posix()


def read_text(path: Path) -> tuple[bytes | files.Absent, str]:
    """Return a file's bytes and its text, every byte of it kept in the text."""
    raw = files.read_bytes(path, LARGEST_MEMORY_BYTES)
    return raw, "" if raw is files.ABSENT else raw.decode("utf-8", "surrogateescape")
