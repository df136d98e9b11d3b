"""The ledger: does it open, is it sound, and is everything that it decided done?"""

from __future__ import annotations

from collections.abc import Iterator

from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, Mend, error, note, ok, warning
from scrimshaw.doctor.sight import LARGEST_CHECKED_BYTES, Blind, LedgerSight, WorkspaceSight, exists
from scrimshaw.services.status.status import kept_by_uninstall

_TOPIC = "ledger"


def check_ledger(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the ledger of a workspace."""
    path = sight.target.layout.ledger
    if not sight.is_set_up:
        yield _missing(sight)
    elif isinstance(sight.ledger, Blind):
        yield error(_TOPIC, sight.ledger.what, *sight.ledger.next_step)
    elif sight.ledger is not None:
        bad = list(_faults(sight.ledger, str(path)))
        counts = sight.ledger.counts
        size = (
            "" if sight.ledger.is_checked else f" (over {LARGEST_CHECKED_BYTES >> 20} MiB: not checked here)"
        )
        if not bad:
            yield ok(
                _TOPIC,
                f"sound{size}: {counted(counts.observations, 'observation')}, {counts.live:,} in force, "
                f"{counts.shown:,} shown",
            )
        yield from bad


def _missing(sight: WorkspaceSight) -> Finding:
    layout = sight.target.layout
    if kept := kept_by_uninstall(sight.target):
        return note(
            _TOPIC,
            f"scrimshaw was uninstalled here and the memory kept, in {kept}; nothing is observed or served.",
            "to go on with it: scrimshaw install",
            "to take it away: scrimshaw uninstall --data delete",
        )
    if exists(layout.dated) or (
        not isinstance(sight.section, Blind) and sight.section.state in ("in place", "still in MEMORY.md")
    ):
        return warning(
            _TOPIC,
            f"{layout.ledger} is not there, but the workspace holds a section or dated files of ours: was "
            f"{layout.state} wiped (git clean)? Nothing is written before it is set up again; the lines of "
            "the section are taken over then, and the transcripts are read again.",
            "scrimshaw init",
        )
    step = "scrimshaw install" if sight.host.receipt else "scrimshaw init"
    return note(_TOPIC, "this workspace is not set up: nothing is observed or written here.", step)


def _faults(ledger: LedgerSight, path: str) -> Iterator[Finding]:
    if ledger.damage:
        yield error(
            _TOPIC,
            f"{path}: the ledger is damaged ({'; '.join(ledger.damage[:3])}). MEMORY.md and the dated "
            "files are whole.",
            "stop the daemon, so that it is not written any more: scrimshaw service status",
            f"mv {path} {path}.damaged, then: scrimshaw init (the section's lines are taken over, the "
            "transcripts read again)",
        )
    owed = ledger.counts.pending_outbox.get("dated", 0)
    if owed:
        yield warning(
            _TOPIC,
            f"{counted(owed, 'note or mark is', 'notes or marks are')} in the ledger and not yet in the "
            "dated files: a run was ended in between.",
            mend=Mend.ARCHIVE,
        )
    for place in ledger.open_places:
        yield note(
            _TOPIC,
            f"a run was cut off while it wrote {place}; the next run looks at the file and settles it.",
            mend=Mend.INTENT,
        )
