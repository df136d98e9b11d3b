"""Who keeps the memory fresh, and does anybody? Daemon, service, the host's scheduler, locks, what waits."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator, Mapping

from scrimshaw import __version__, files, heartbeat
from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, Mend, error, note, ok, warning
from scrimshaw.doctor.sight import HostSight, Unseen, WorkspaceSight, tried
from scrimshaw.errors import UserError
from scrimshaw.host import service, systemctl
from scrimshaw.host.gateway import is_alive
from scrimshaw.locks import read_note
from scrimshaw.resources import program
from scrimshaw.services.status.durations import ago, span
from scrimshaw.services.status.status import Daemon
from scrimshaw.setup.receipt import MadeJob, job_of

_LATE_SECONDS = 3_600  # the daemon notes what is 15 minutes old, and what is idle after five
_VERY_LATE_SECONDS = 86_400
_HELD_SECONDS = 600
_KEEP = ("scrimshaw service install (Linux), or scrimshaw run, or scrimshaw install with a host cron",)
_KEEP_IN_HOME = ("scrimshaw run goes on doing it",)


def check_keeper(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge whether a daemon or a timer looks after the workspace."""
    if not sight.is_set_up:
        return
    daemon = sight.daemon
    if daemon is None:
        yield from _without_daemon(sight)
        return
    doing = f", {daemon.beat.doing}" if daemon.beat else ", has just started"
    yield from list(_faults(sight, daemon)) or [ok("daemon", f"process {daemon.pid}{doing}")]


def _faults(sight: WorkspaceSight, daemon: Daemon) -> Iterator[Finding]:
    for problem in sight.daemon_problems:
        yield warning("daemon", f"{problem}.".replace("..", "."), "scrimshaw status")
    if daemon.beat is not None and daemon.beat.version != __version__:
        yield warning(
            "daemon",
            f"it runs scrimshaw {daemon.beat.version}, and {__version__} is installed.",
            f"restart it: scrimshaw service install, or: kill {daemon.pid} and start it again",
        )
    if daemon.beat is not None and daemon.pid and daemon.beat.pid != daemon.pid:
        yield note(
            "daemon",
            f"process {daemon.pid} runs, but its heartbeat is still that of process {daemon.beat.pid}.",
        )


def _without_daemon(sight: WorkspaceSight) -> Iterator[Finding]:
    if os.path.lexists(sight.target.layout.state / heartbeat.NAME):
        yield note(
            "daemon", "a stopped daemon left its heartbeat file behind; it is ignored.", mend=Mend.HEARTBEAT
        )
    job = cron_of(sight.host)
    if job and job.is_at_work:
        yield ok("kept by", "a job of the host's own scheduler (openclaw cron), every 15 minutes")
        return
    yield warning(
        "kept by",
        f"no daemon runs for this workspace, and {job.problem if job else 'no job of the host is known'}: it "
        "is only brought up to date when somebody runs scrimshaw, or when the hook does before a compaction "
        "or a reset.",
        *((job.next_step,) if job else ()),
        *_KEEP,
        f"a cron of your own that runs {shlex.join(program())} observe --if-due is fine, too, and cannot be "
        "seen from here",
    )


def cron_of(host: HostSight) -> MadeJob | None:
    """Return the host's job that an install has made, and how it stands."""
    return None if isinstance(host.receipt, Unseen) else job_of(host.receipt)


def check_backlog(sight: WorkspaceSight) -> Iterator[Finding]:
    # Skip this without a readable ledger: everything would look unobserved. Another check reports the ledger.
    if sight.ledger is None or isinstance(sight.ledger, Unseen) or isinstance(sight.stores, Unseen):
        return
    backlog = sight.stores.backlog
    if not backlog.tokens:
        yield ok("backlog", "nothing waits")
        return
    waited = span(backlog.oldest_age_seconds)
    tokens = counted(backlog.tokens, "token waits", "tokens wait")
    told = f"about {tokens} to be observed, the oldest for {waited}"
    if backlog.oldest_age_seconds < _LATE_SECONDS or backlog.idle_seconds < _LATE_SECONDS:
        yield ok("backlog", told)
        return
    who = "although a daemon runs" if sight.daemon else "and nothing processes it"
    make = error if sight.daemon or backlog.oldest_age_seconds > _VERY_LATE_SECONDS else warning
    steps = (
        ("scrimshaw status says what the daemon is at", "scrimshaw observe")
        if sight.daemon
        else ("scrimshaw observe", *(_KEEP_IN_HOME if sight.host.is_none else _KEEP))
    )
    yield make("backlog", f"{told}, {who}.", *steps)


def check_last_run(sight: WorkspaceSight) -> Iterator[Finding]:
    if sight.ledger is None or isinstance(sight.ledger, Unseen):
        return
    run = sight.ledger.last_run
    if run is None:
        return
    when = ago(run.started_at_ms, sight.moment)
    if run.error:
        yield warning(
            "last run", f"{when}, it ended with: {run.outcome or 'nothing'}. {run.error}", "scrimshaw observe"
        )
    else:
        yield ok("last run", f"{when}: {run.outcome or 'not finished'}")


def check_locks(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge who holds the right to write. Lock files without a holder are harmless and stay."""
    note_file = sight.target.layout.state / "write.holder"
    written_ns, (pid, _, by) = files.changed_ns(note_file), read_note(note_file)
    if not (pid and written_ns):
        return
    age = time.time() - written_ns / 1e9
    if not is_alive(pid):
        yield note("locks", f"process {pid} ({by}) ended while it was writing; its lock was released.")
    elif age > _HELD_SECONDS:
        yield warning(
            "locks",
            f"process {pid} (scrimshaw {by}) has held the write lock here for {span(age)}; nobody else can.",
            f"see what it does, then end it: ps -fp {pid}; kill {pid}",
        )
    else:
        yield ok("locks", f"process {pid} (scrimshaw {by}) is writing at this moment")


def check_service(env: Mapping[str, str]) -> Iterator[Finding]:
    """Judge the service of the person's own systemd, where one is installed."""
    path = service.unit_path(env)
    text = tried(lambda: service.read(path))
    if isinstance(text, Unseen):
        yield warning("service", text.what, *text.next_step)
        return
    if text is None:
        return
    try:
        state = systemctl.state()
    except UserError as problem:
        yield warning("service", " ".join(problem.problems), problem.next_step or systemctl.JOURNAL)
        return
    if not state.is_running:
        yield error(
            "service",
            f"{path} is installed, but it does not run ({state.active}, {state.sub}; it ended with "
            f"{state.exit_status}, {counted(state.restarts, 'restart')}).",
            systemctl.JOURNAL,
            "scrimshaw service install",
        )
    elif state.enabled != "enabled":
        yield warning(
            "service", "it runs, and will not be started at the next login.", "scrimshaw service install"
        )
    else:
        yield ok(
            "service", f"{path.name} runs since {state.since or 'its start'}; more: scrimshaw service status"
        )
