"""What an install or an uninstall would change: frozen values, each able to say itself in one line.

A plan is a list of these, made by looking only. What is in place already does not become a change, so a
plan without changes means that nothing is to be done. What a change needs to be carried out, and taken
back, is in it; how it is carried out is in performing.py and removing.py.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from scrimshaw import files
from scrimshaw.host import cron, systemctl
from scrimshaw.host.unit import Asked
from scrimshaw.layout import KEPT
from scrimshaw.setup.receipt import MadeConfig, Record
from scrimshaw.workspace import Target

HOOK = "scrimshaw"


class Owner(NamedTuple):
    """The host whose receipt tells of a change."""

    state_dir: Path
    config_path: Path


@dataclass(frozen=True, slots=True)
class PutFile:
    """A file of ours. *base* is a folder that must exist; those between are made."""

    owner: Owner
    base: Path
    path: Path
    data: bytes
    was: bytes | files.Absent
    mode: int = 0o644

    def line(self) -> str:
        return f"write {self.path}" + ("" if self.was is files.ABSENT else " anew")


@dataclass(frozen=True, slots=True)
class PutSnippet:
    """The block at the end of AGENTS.md; *was* is the whole file as it was when the plan was made."""

    owner: Owner
    path: Path
    inner: str
    was: bytes | files.Absent
    is_new: bool

    def line(self) -> str:
        if not self.is_new:
            return f"bring Scrimshaw's lines in {self.path} up to date"
        count = len(self.inner.splitlines()) + 2
        return f"add {count} lines to {self.path}" + (" (a new file)" if self.was is files.ABSENT else "")


@dataclass(frozen=True, slots=True)
class SelectHook:
    """Our hook named in the host's configuration, by the host's own program."""

    owner: Owner
    program: Path

    def line(self) -> str:
        return f"openclaw hooks enable {HOOK}    (changes {self.owner.config_path})"


@dataclass(frozen=True, slots=True)
class ScheduleCron:
    """The host's scheduler runs us."""

    owner: Owner
    program: Path
    argv: tuple[str, ...]

    def line(self) -> str:
        when = f"--name {cron.NAME} --cron {shlex.quote(cron.EXPRESSION)}"
        return f"openclaw cron add {when} …    (runs {shlex.join(self.argv)})"


@dataclass(frozen=True, slots=True)
class InstallService:
    """The daemon as a service of the person's own systemd."""

    asked: Asked
    path: Path
    serves: tuple[Path, ...]

    def line(self) -> str:
        what = "install and start the daemon" if not self.path.exists() else "bring the daemon up to date"
        count = len(self.serves)
        whom = self.serves[0] if count == 1 else f"{count} workspaces"
        return f"service: {what} for {whom} ({self.path}; systemctl --user enable --now {systemctl.NAME})"


@dataclass(frozen=True, slots=True)
class FirstObserve:
    """The first run in a workspace: ledger, dated files, section. *takes_up*: a memory that was kept."""

    owner: Owner
    target: Target
    takes_up: bool

    def line(self) -> str:
        layout = self.target.layout
        kept = f"take up the memory kept in {layout.workspace / KEPT}; " if self.takes_up else ""
        return (
            f"{kept}first observe of {self.target.agent_id}: {layout.memory} gets its section, "
            f"beside it {layout.state.name} and memory/observations"
        )


Change = PutFile | PutSnippet | SelectHook | ScheduleCron | InstallService | FirstObserve


@dataclass(frozen=True, slots=True)
class StopService:
    """The service taken away, or (*for_good* false) stopped until the others are served by a new one."""

    path: Path
    for_good: bool

    def line(self) -> str:
        if self.for_good:
            return f"service: stop it and remove {self.path}"
        return "service: stop it, until this workspace is out of it"


@dataclass(frozen=True, slots=True)
class RemoveCron:
    """The host's cron job taken away."""

    owner: Owner
    program: Path
    job_id: str

    def line(self) -> str:
        return f"openclaw cron rm {self.job_id}"


@dataclass(frozen=True, slots=True)
class RestoreConfig:
    """Our hook's entry out of the host's configuration: the file put back, or the entry unset."""

    owner: Owner
    record: MadeConfig
    was: bytes
    program: Path | None  # None: put the file back as it was

    def line(self) -> str:
        if self.program is None:
            return f"put {self.record.path} back as it was"
        return f"openclaw config unset hooks.internal.entries.{HOOK}    (changes {self.record.path})"


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """A file of ours taken away. *base*: below it no folder on the way may be a link."""

    owner: Owner
    base: Path
    path: Path
    data: bytes | None  # None: whatever it holds

    def line(self) -> str:
        return f"remove {self.path}"


@dataclass(frozen=True, slots=True)
class TakeSnippet:
    """The block taken out of AGENTS.md; *removes* the file, which is ours and empty then."""

    owner: Owner
    path: Path
    was: bytes
    removes: bool

    def line(self) -> str:
        return f"remove {self.path}" if self.removes else f"take Scrimshaw's lines out of {self.path}"


@dataclass(frozen=True, slots=True)
class TakeSection:
    """The section taken out of MEMORY.md."""

    owner: Owner
    workspace: Path
    target: Target | None
    keeps_data: bool

    def line(self) -> str:
        backup = " (a copy of the file stays in the backups)" if self.keeps_data else ""
        return f"take the section out of {self.workspace / 'MEMORY.md'}{backup}"


@dataclass(frozen=True, slots=True)
class SetAside:
    """The memory kept, out of the way: nothing serves this workspace any more."""

    workspace: Path

    def line(self) -> str:
        return (
            f"keep the memory: {self.workspace / '.scrimshaw'} becomes {KEPT}; dated files and archives stay"
        )


@dataclass(frozen=True, slots=True)
class DeleteData:
    """Ledger, settings, backups, log, dated files and archives of a workspace deleted."""

    owner: Owner
    workspace: Path
    existed: tuple[str, ...] | None  # None: not known

    def line(self) -> str:
        return (
            f"DELETE the memory in {self.workspace}: .scrimshaw (ledger, settings, backups), "
            "memory/observations/obs-*.md, and the archives in memory/episodic"
        )


@dataclass(frozen=True, slots=True)
class RemoveFolder:
    """A folder that the install has made, if nothing else is in it by then."""

    owner: Owner
    path: Path

    def line(self) -> str:
        return f"remove {self.path}/ if it is empty"


@dataclass(frozen=True, slots=True)
class Forget:
    """Something left as it is, and not counted as ours any longer."""

    owner: Owner
    record: Record
    why: str

    def line(self) -> str:
        return f"leave {self.record.path}: {self.why}"


Removal = (
    StopService
    | RemoveCron
    | RestoreConfig
    | RemoveFile
    | TakeSnippet
    | TakeSection
    | SetAside
    | DeleteData
    | RemoveFolder
    | Forget
    | PutFile
    | InstallService
)
KeepFresh = Literal["service", "cron", "none"]


class Plan(NamedTuple):
    """What an install would do, in its order. *notes* is what is left alone, and why; *afterwards*, what
    the person has to do themselves when it is done."""

    targets: tuple[Target, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    afterwards: tuple[str, ...] = ()
