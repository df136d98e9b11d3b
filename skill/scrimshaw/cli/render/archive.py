"""How archives, exports, imports and the search index are worded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrimshaw.cli.render.run_report import later_line, section_lines
from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.core.text.plural import counted
from scrimshaw.services.publish.result import PublishOutcome

if TYPE_CHECKING:
    from scrimshaw.services.archive.export import ExportResult
    from scrimshaw.services.archive.import_ import ImportResult
    from scrimshaw.services.archive.write import ArchiveResult
    from scrimshaw.services.search.index import ReindexResult


def print_archives(result: ArchiveResult) -> None:
    """Print what was archived, and on the standard error output what is wrong."""
    done, found = result.done, result.found
    tell(head(result))
    for text in done.mended:
        tell(f"  {text}")
    if done.is_held:
        tell("  An unfinished forget goes first. Next: run scrimshaw forget again, then this.")
    if done.frames:
        # A line that was pinned, replaced or found since is no new one, and it is archived all the same.
        told = counted(done.observations, "observation") if done.observations else "What became of the lines"
        tell(f"  {told} archived, in {counted(done.frames, 'frame')}.")
    elif done.files and not done.mended:
        tell("  Every archive has been rebuilt from the ledger.")
    for file in found.files:
        size = f"{counted(file.observations, 'observation')}, {file.size_bytes / 1e6:.1f} MB"
        tell(f"  {file.name}: {size}{file.told}")
    if not result.problems:
        waits = f"{counted(found.waiting_events, 'event waits', 'events wait')} for the next."
        tell(f"  {waits if found.waiting_events else 'Nothing waits.'}")
    for path in found.set_aside:
        tell(f"  Set aside: {path}. Next: scrimshaw import {path}; or remove it.")
    for text in result.problems:
        tell(f"  {text}", is_error=True)
    if result.next_step:
        tell(f"  Next: {result.next_step}", is_error=True)


def export_lines(done: ExportResult) -> Iterator[str]:
    yield head(done)
    days = done.first_day if done.first_day == done.last_day else f"{done.first_day} to {done.last_day}"
    lines = counted(done.observations, "line")
    yield f"  {lines} of {days}, with their sources and all that happened to them."
    for path in done.paths:
        yield f"  {path}"
    yield f"  {done.size_bytes / 1e6:.1f} MB, verified; only you can read it. No later forget reaches it."
    yield "  Past revisions of the section are not exported: log, diff and undo work only here."
    names = " ".join(path.name for path in done.paths)
    yield as_said(f"On the other machine: scrimshaw import {names}")  # called and placed otherwise there


def import_lines(done: ImportResult) -> Iterator[str]:
    yield head(done)
    yield from (f"  {line}" for line in _imported(done))


def _imported(done: ImportResult) -> list[str]:
    lines = []
    if done.lines:
        agents = ", ".join(done.agents)
        lines.append(f"{counted(done.lines, 'line')} of agent {agents}: {_what_came(done)}.")
    if done.foreign_frames:
        lines += _foreign_lines(done)
    if not done.lines and not done.foreign_frames:
        lines.append("There is nothing in it.")
    lines += _kept_lines(done)
    if done.published is None:
        return [*lines, "Nothing was written (--dry-run)."]
    if done.published.result is not PublishOutcome.LATER:
        return [*lines, *section_lines(done.published, done.target)]
    kept = "It is in the ledger and in the dated files."
    return [*lines, kept, later_line(done.target, has_daemon=done.has_daemon)]


def _what_came(done: ImportResult) -> str:
    joined = done.joined
    parts = [f"{len(joined.observations):,} new"]
    if joined.known:
        parts.append(f"{joined.known:,} here already")
    if joined.changed:
        parts.append(f"{joined.changed:,} of those brought up to date")
    return ", ".join(parts)


def _foreign_lines(done: ImportResult) -> list[str]:
    told = f"{counted(done.notes, 'plain note')} from what other programs wrote"
    told += f", {done.notes_known:,} here already" if done.notes_known else ""
    lines = [f"{told}: found by search, not in the section until you pin one."]
    if done.notes_left_out:
        lines.append(f"{counted(done.notes_left_out, 'piece')} of long texts left out.")
    if done.orders_left_out:
        lines.append(f"{counted(done.orders_left_out, 'piece')} left out that would order the agent about.")
    return lines


def _kept_lines(done: ImportResult) -> list[str]:
    joined, lines = done.joined, []
    if joined.kept_out:
        lines.append(f"{counted(joined.kept_out, 'line')} kept out: you took out or had forgotten that here.")
    if joined.yours:
        lines.append(f"{counted(joined.yours, 'change')} left aside: you have decided otherwise here.")
    if joined.forgotten_there:
        lines.append(f"{counted(len(joined.forgotten_there), 'line')} forgotten there and still here. Next:")
        lines += [f"  scrimshaw forget {id_}" for id_ in joined.forgotten_there]
    if joined.elsewhere:
        lines.append(f"The words of {counted(joined.elsewhere, 'line')} are in another file of that memory.")
    if total := sum(done.redacted.values()):
        parts = counted(total, "secret or private part")
        lines.append(f"{parts} taken out before anything was written.")
    return lines


def vectors_made(made: int, total: int) -> Iterator[str]:
    """Yield how far it is, now and then."""
    if made % 3200 == 0:
        yield f"  {made:,} of {total:,} vectors made …"


def reindex_lines(done: ReindexResult) -> Iterator[str]:
    """Yield what became of the vectors."""
    why = f"none; {done.why_no_vectors}" if done.why_no_vectors else f"{counted(done.vectors, 'line')} made"
    yield f"  Vectors: {why}."
    if done.problem:
        yield f"  {done.problem}"
