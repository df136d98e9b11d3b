"""How a fleet is worded: what would go, what a sync did, what others have noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import TYPE_CHECKING

from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import in_a_row
from scrimshaw.core.text.plural import counted
from scrimshaw.services.edit.find_line import ID_SHOWN

if TYPE_CHECKING:
    from scrimshaw.fleet.search import FleetLine
    from scrimshaw.services.fleet.find import FleetLines
    from scrimshaw.services.fleet.health import FleetHealth
    from scrimshaw.services.fleet.join import FleetStatus, JoinPlan, LeaveResult
    from scrimshaw.services.fleet.sync import SyncResult

_MOST_CHARS = 100


def plan_lines(shown: JoinPlan) -> Iterator[str]:
    """Yield what would leave, for somebody to agree to."""
    yield head(shown)
    yield f"  As {shown.link.agent}, from this machine ({shown.link.machine}), to {shown.server}."
    for kind, count in sorted(shown.counts.items()):
        goes = "go" if kind in shown.link.kinds else "stay here"
        yield f"    {kind}: {counted(count, 'line')}, {goes}"
    yield f"  {counted(shown.going, 'line')} would go, with what happened to them; {shown.staying} would not."
    yield "  What is private never goes, nor what rests on it."
    if shown.exposure:
        yield f"  {shown.exposure}"
        yield "  Better: sslmode=verify-full in the address, or none at all."
    if shown.first:
        yield "  The newest of them:"
    for line in shown.first:
        yield f"    {line.observation.local_date}  {in_a_row(line.observation.text)[:_MOST_CHARS]}"


def sync_lines(done: SyncResult) -> Iterator[str]:
    yield head(done)
    if not (done.sent or done.came or done.new or done.forgotten or done.notes):
        yield "  Nothing is new, neither here nor there."
        return
    came = f"{counted(done.came, 'event')} came, with {counted(done.new, 'new line')}"
    yield f"  {counted(done.sent, 'event')} sent; {came}."
    if done.forgotten:
        yield f"  {counted(done.forgotten, 'line')} forgotten elsewhere: forgotten here, too."
    if done.kept_out:
        yield f"  {counted(done.kept_out, 'line')} that you had taken out here: taken out everywhere."
    yield from (f"  {note}" for note in done.notes)


def leave_lines(done: LeaveResult) -> Iterator[str]:
    yield head(done)
    yield f"  {counted(done.lines, 'line')} taken off the server; the ledger here is as it was."
    if done.others:
        others = counted(done.others, "line")
        yield f"  {others} of {done.link.agent} came from other machines, and stay there."
        yield "  Where one of those is no more: join again, then: scrimshaw fleet leave --all-machines"
    yield "  Other machines of this agent keep what they had fetched."
    if done.note:
        yield f"  {done.note}"


def status_lines(found: FleetStatus) -> Iterator[str]:
    yield head(found)
    if found.link is None:
        yield "  In no fleet. Next: scrimshaw fleet join --address-file FILE"
        return
    yield f"  {found.link.agent} on {found.link.machine}; address from {found.link.address.told}."
    yield f"  Goes: {', '.join(found.link.kinds)}."
    if found.problem:
        yield f"  {found.problem}"
        if found.next_step:
            yield f"  Next: {found.next_step}"
        return
    coming = "Something new is there" if found.coming else "Nothing new is there"
    waiting = counted(found.waiting, "event waits", "events wait") if found.waiting else "Nothing waits"
    yield f"  {waiting} to be sent. {coming}."
    if found.owes:
        yield "  Forgotten bytes may lie on in the server's files until the next sync."
    yield from (f"  {note}" for note in found.notes)
    for name, version, seen in found.machines:
        yield f"  {name}  {version}  last here {seen.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def migrated_lines(done: Sequence[str], left: str) -> Iterator[str]:
    """Yield what an administrator has made, and what to type next."""
    yield f"Done: {', '.join(done)}." if done else "The tables are up to date."
    if left:
        yield left
    yield "Next, in psql, for each machine and agent:"
    yield "  create role LOGIN login password '…';"
    yield "  select scrimshaw.admit('AGENT', 'TEAM', 'LOGIN');"


def found_lines(found: FleetLines) -> Iterator[str]:
    """Yield lines of the fleet, each with whose it is."""
    yield head(found)
    for line in found.lines:
        yield f"  {_told(line)}"
    if not found.lines:
        yield "  Nothing found."
    yield from (f"  {note}" for note in found.notes)


def origin_lines(found: FleetLines) -> Iterator[str]:
    yield head(found)
    for line in found.lines:
        yield f"  {in_a_row(line.text)}"
        yield f"  from {line.machine or 'a machine that has left'}, agent {line.agent}, {line.local_date}"
        told = line.session_id or "none: it was noted by hand"
        yield f"  conversation: {told}"


def health_lines(found: FleetHealth) -> Iterator[str]:
    """Yield each memory's score and what takes its points, the worst first."""
    yield head(found)
    for one in found.agents:
        seen = f"last here {one.seen_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if one.seen_at else "never here"
        lines = counted(one.health.line_count, "line")
        yield f"  {one.agent}  {one.health.score} of 100  {lines}, {counted(one.machines, 'machine')}, {seen}"
        if one.unread:
            yield f"      {counted(one.unread, 'line')} cannot be read: of a newer Scrimshaw, or damaged"
        for fault in one.health.faults:
            yield f"      -{fault.points:g}  {fault.name.value}: {fault.amount}  → there: {fault.command}"
    yield "  By the lines alone; what else takes points is told on the machine itself: scrimshaw health"


def _told(line: FleetLine) -> str:
    became = "" if line.is_live else " (holds no more)"
    where = f"{line.agent}@{line.machine}" if line.machine else line.agent
    return f"{line.id[:ID_SHOWN]}  {line.local_date}  {where}  {in_a_row(line.text)}{became}"
