"""One job in the host's own scheduler that keeps every memory of the host fresh, where there is no systemd.

The job runs a program (`--command-argv`), no model and no agent turn, and needs no approval. There is one
for each host, found again by its name and by what it runs; a job of that name that runs something else is
somebody else's. The scheduler lives in the gateway, so all of this needs a running one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from scrimshaw.errors import UserError
from scrimshaw.host.command import CalledHost, CommandOutput, json_in
from scrimshaw.sources.readonly import reading

NAME = "scrimshaw"
EXPRESSION = "*/15 * * * *"
_SECONDS = 120.0  # the program alone takes seconds to start on a small machine
_RUN_SECONDS = 600  # one pass over every workspace; the next one goes on from there


class HostJob(NamedTuple):
    """A job of ours as the host keeps it."""

    id: str
    is_enabled: bool
    argv: tuple[str, ...]


def _call(host: CalledHost, *words: str) -> CommandOutput:
    """Run `openclaw cron WORDS`; raises UserError when it fails."""
    answer = host.call("cron", *words, timeout_seconds=_SECONDS)
    if answer.code:
        raise UserError(
            f"openclaw cron {words[0]} failed: {answer.complaint}",
            next_step="start the gateway, then run this again: openclaw gateway status",
        )
    return answer


def argv(scrimshaw: Sequence[str], state_dir: Path) -> tuple[str, ...]:
    """Return what the job runs: everything that is due, in all workspaces of the host."""
    return (*scrimshaw, "run", "--once", "--state-dir", str(state_dir))


def find_job(host: CalledHost) -> HostJob | None:
    """Return our job; None when there is none. Raises UserError when the gateway cannot be asked."""
    listed = json_in(_call(host, "list", "--all", "--json").out)
    jobs = listed.get("jobs") if isinstance(listed, dict) else listed
    for job in jobs if isinstance(jobs, list) else []:
        found = _ours(job)
        if found:
            return found
    return None


def stands(state_dir: Path, job_id: str) -> Literal["enabled", "disabled", "gone", "unknown"]:
    """Return how the job stands by the host's own store, which no gateway has to run for; never raises."""
    try:
        with reading(state_dir / "state" / "openclaw.sqlite") as connection:
            row = connection.execute("select enabled from cron_jobs where job_id = ?", (job_id,)).fetchone()
    except (OSError, sqlite3.Error):
        return "unknown"
    if row is None:
        return "gone"
    return "disabled" if row[0] == 0 else "enabled"


def add(host: CalledHost, wanted: Sequence[str]) -> HostJob:
    """Add the job and return it; one that is there already, as wanted, is left alone."""
    present = find_job(host)
    if present and present.is_enabled and present.argv == tuple(wanted):
        return present
    if present:
        remove(host, present.id)
    when = ("--name", NAME, "--cron", EXPRESSION, "--exact")
    what = ("--command-argv", json.dumps(list(wanted)), "--timeout-seconds", str(_RUN_SECONDS))
    _call(host, "add", *when, *what, "--no-deliver", "--json")
    added = find_job(host)
    if added is None:
        raise UserError(
            "openclaw cron add has answered, but the job is not in its list.", next_step="openclaw cron list"
        )
    return added


def remove(host: CalledHost, job_id: str) -> None:
    _call(host, "rm", job_id, "--json")


def _ours(job: object) -> HostJob | None:
    match job:
        case {"id": str(id_), "name": "scrimshaw", "payload": {"argv": [*said]}} if "scrimshaw" in said:
            enabled = job.get("enabled") is not False if isinstance(job, Mapping) else True
            return HostJob(id_, enabled, tuple(map(str, said)))
        case _:
            return None
