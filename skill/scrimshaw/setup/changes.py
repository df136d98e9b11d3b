"""The changes of an install: frozen values that describe themselves in one line, and can be carried out.

A plan is a list of changes, made by looking only. Whatever is in place already is not in the list, so an
empty plan means that there is nothing to do. Each change is first recorded in the receipt, then made. A
failed one is reported with its reason and the others continue; running the install again does what is left. A
kill between record and change leaves a record of something that does not exist, which an uninstall skips. The
changes of an uninstall are in removals.py.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from msgspec.structs import replace

from scrimshaw import files
from scrimshaw.core.section import block, markers
from scrimshaw.errors import Exit, UserError, refused_error
from scrimshaw.host import command, cron, hooks, service, systemctl
from scrimshaw.host import plugins as host_plugins
from scrimshaw.host.unit import ServiceRequest
from scrimshaw.layout import KEPT
from scrimshaw.logs import logging_to
from scrimshaw.services.observe.run import ObserveResult, run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.publish.memory_file import read_text
from scrimshaw.setup import serving, snippet
from scrimshaw.setup.receipt import (
    MadeConfig,
    MadeCron,
    MadeFile,
    MadeFolder,
    MadeMemory,
    MadePlugin,
    MadeSnippet,
    Receipt,
    Record,
    digest,
    keep_copy,
    load_receipt,
    save,
)
from scrimshaw.sources.openclaw_config import MAX_CONFIG_BYTES, read_config
from scrimshaw.workspace import Target

HOOK = "scrimshaw"
HOST_SECONDS = 180.0  # the real one takes 10 to 25 s on a small machine
_FOUND_BEFORE = ("MEMORY.md", "memory", "memory/observations", ".scrimshaw")
KeepFresh = Literal["service", "cron", "none"]


class ReceiptOwner(NamedTuple):
    """The host whose receipt records a change."""

    state_dir: Path
    config_path: Path

    def called(self, program: Path, env: Mapping[str, str]) -> command.CalledHost:
        """Return it as *program* reaches it."""
        return command.CalledHost(program, self.state_dir, self.config_path, env)


class Means(NamedTuple):
    """What carrying out needs besides the changes. *pause* waits between two looks at a service."""

    env: Mapping[str, str]
    now: datetime
    pause: Callable[[], None] = lambda: None


class Step(Protocol):
    """One step of an install or an uninstall."""

    def line(self) -> str:
        """Return what it does, in one line."""

    def make(self, book: Book, /) -> StepOutcome:
        """Do it; raises UserError."""


class StepOutcome(NamedTuple):
    """The result of a change: messages, the first observe's report, or why it was not made."""

    change: Step
    told: tuple[str, ...] = ()
    report: ObserveResult | None = None
    error: UserError | None = None

    @property
    def exit_code(self) -> Exit:
        if self.error:
            return self.error.exit_code
        return self.report.exit_code if self.report else Exit.OK


class Book:
    """The receipts of this user, while changes are made."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.env = means.env
        self._open: dict[Path, Receipt] = {}

    def receipt(self, owner: ReceiptOwner) -> Receipt:
        """Return the receipt of a host, a new one where there is none."""
        if owner.state_dir not in self._open:
            known = load_receipt(self.env, owner.state_dir)
            self._open[owner.state_dir] = known or Receipt(str(owner.state_dir), str(owner.config_path), ())
        return self._open[owner.state_dir]

    def note(self, owner: ReceiptOwner, *records: Record) -> None:
        """Record *records* before the changes they describe are made."""
        receipt = self.receipt(owner)
        for record in records:
            receipt = receipt.noted(record)
        self._save(owner, receipt)

    def drop(self, owner: ReceiptOwner, kind: type[Record], path: Path | str) -> None:
        """Remove the record of *kind* for *path* from the receipt."""
        self._save(owner, self.receipt(owner).without(kind, path))

    def _save(self, owner: ReceiptOwner, receipt: Receipt) -> None:
        if receipt != self._open.get(owner.state_dir):
            save(self.env, receipt)
            self._open[owner.state_dir] = receipt


class PutFile(NamedTuple):
    """A file of ours. *base* is a folder that must exist; folders between it and the file are made."""

    owner: ReceiptOwner
    base: Path
    path: Path
    data: bytes
    was: bytes | files.Absent
    mode: int = 0o644

    def line(self) -> str:
        return f"write {self.path}" + ("" if self.was is files.ABSENT else " anew")

    def make(self, book: Book) -> StepOutcome:
        folders = [folder for folder in self.path.parents if folder.is_relative_to(self.base)]
        missing = [MadeFolder(str(folder)) for folder in reversed(folders) if not folder.exists()]
        contents = tuple(digest(data) for data in (self.was, self.data) if isinstance(data, bytes))
        book.note(self.owner, *missing, MadeFile(str(self.path), contents))
        parent = self.path.parent
        files.make_folder(self.base, str(parent.relative_to(self.base)))
        files.sweep(parent)
        replace_unless_changed(self.path, self.data, self.was, self.mode)
        return StepOutcome(self)


class PutSnippet(NamedTuple):
    """The block at the end of AGENTS.md; *was* is the file's content when the plan was made."""

    owner: ReceiptOwner
    path: Path
    inner: str
    was: bytes | files.Absent
    is_new: bool

    def line(self) -> str:
        if not self.is_new:
            return f"bring Scrimshaw's lines in {self.path} up to date"
        count = len(self.inner.splitlines()) + 2
        return f"add {count} lines to {self.path}" + (" (a new file)" if self.was is files.ABSENT else "")

    def make(self, book: Book) -> StepOutcome:
        text = snippet.file_text(self.was)
        existed = self.was is not files.ABSENT
        book.note(self.owner, MadeSnippet(str(self.path), (self.inner,), existed))
        files.sweep(self.path.parent)
        replace_unless_changed(
            self.path, snippet.bytes_of(block.put_block(text, self.inner)), self.was, 0o644
        )
        return StepOutcome(self)


def keep_config(book: Book, owner: ReceiptOwner) -> None:
    """Keep a copy of the host's configuration as it was before our first change."""
    if book.receipt(owner).find(MadeConfig, owner.config_path) is not None:
        return
    before = files.read_bytes(owner.config_path, MAX_CONFIG_BYTES)
    data = before if isinstance(before, bytes) else b""
    copy = keep_copy(book.env, owner.state_dir, data)
    master = read_config(owner.config_path).at("hooks", "internal", "enabled")
    known = master if isinstance(master, bool) else None
    book.note(owner, MadeConfig(str(owner.config_path), str(copy), digest(data), known))


class SelectHook(NamedTuple):
    """The entry of our hook in the host's configuration, made by the host's own program."""

    owner: ReceiptOwner
    program: Path

    def line(self) -> str:
        return f"openclaw hooks enable {HOOK}    (changes {self.owner.config_path})"

    def make(self, book: Book) -> StepOutcome:
        owner = self.owner
        keep_config(book, owner)
        host = owner.called(self.program, book.env)
        answer = host.call("hooks", "enable", HOOK, timeout_seconds=HOST_SECONDS)
        selection = hooks.hook_state(owner.state_dir, read_config(owner.config_path)).selection
        if answer.code or selection not in ("open", "named"):
            raise UserError(
                f"openclaw hooks enable {HOOK} did not switch the hook on: {answer.complaint}",
                next_step=f"see what it says: openclaw hooks enable {HOOK}",
            )
        return StepOutcome(self)


class SelectPlugin(NamedTuple):
    """The entry of our plug-in in the host's configuration, made by the host's own program."""

    owner: ReceiptOwner
    program: Path
    folder: Path
    entry: Mapping[str, Any]

    def line(self) -> str:
        sees = (
            ", and the section in private prompts where MEMORY.md cannot carry it. For that OpenClaw wants "
            f"{host_plugins.MAY_PROMPT}, and shows it the messages of every turn: it reads and keeps none"
            if host_plugins.MAY_PROMPT in self.entry.get("hooks", ())
            else ""
        )
        return (
            f"openclaw config set {'.'.join(host_plugins.ENTRY)} …    (the plug-in in {self.folder}: the "
            f"agent gets scrimshaw_search, scrimshaw_why and scrimshaw_add{sees}; "
            f"changes {self.owner.config_path})"
        )

    def make(self, book: Book) -> StepOutcome:
        owner = self.owner
        keep_config(book, owner)
        book.note(owner, MadePlugin(str(self.folder)))
        host = owner.called(self.program, book.env)
        paths = host_plugins.load_paths(read_config(owner.config_path))
        # The folder first: the host reports an entry without its plug-in as stale.
        if str(self.folder) not in paths:
            set_value(host, host_plugins.PATHS, [*paths, str(self.folder)])
        set_value(host, host_plugins.ENTRY, self.entry)
        return StepOutcome(self)


def set_value(host: command.CalledHost, keys: tuple[str, ...], value: object) -> None:
    """Have the host set a value of its configuration; raises UserError with the host's message."""
    name = ".".join(keys)
    told = json.dumps(value, ensure_ascii=False)
    answer = host.call("config", "set", name, told, "--strict-json", timeout_seconds=HOST_SECONDS)
    if answer.code:
        raise UserError(
            f"openclaw config set {name} failed: {answer.complaint}",
            next_step=f"see what it says: openclaw config get {name}",
        )


class ScheduleCron(NamedTuple):
    """A job in the host's scheduler that runs us."""

    owner: ReceiptOwner
    program: Path
    argv: tuple[str, ...]

    def line(self) -> str:
        when = f"--name {cron.NAME} --cron {shlex.quote(cron.EXPRESSION)}"
        return f"openclaw cron add {when} …    (runs {shlex.join(self.argv)})"

    def make(self, book: Book) -> StepOutcome:
        owner = self.owner
        book.note(owner, MadeCron(str(owner.state_dir)))
        job = cron.add(owner.called(self.program, book.env), self.argv)
        book.note(owner, MadeCron(str(owner.state_dir), job.id))
        return StepOutcome(self)


class InstallService(NamedTuple):
    """The daemon as a service of the person's own systemd."""

    asked: ServiceRequest
    path: Path
    serves: tuple[Path, ...]

    def line(self) -> str:
        what = "install and start the daemon" if not self.path.exists() else "bring the daemon up to date"
        count = len(self.serves)
        whom = self.serves[0] if count == 1 else f"{count} workspaces"
        return f"service: {what} for {whom} ({self.path}; systemctl --user enable --now {systemctl.NAME})"

    def make(self, book: Book) -> StepOutcome:
        """Install it for the workspaces that are set up now."""
        unit, notes = serving.planned(self.asked, book.means.env)
        done = service.install(unit, self.path, book.means.pause)
        return StepOutcome(self, (*serving.service_lines(done, unit, self.path), *notes))


class FirstObserve(NamedTuple):
    """The first run in a workspace: ledger, dated files, section. *takes_up*: a memory kept from before."""

    owner: ReceiptOwner
    target: Target
    takes_up: bool

    def line(self) -> str:
        layout = self.target.layout
        kept = f"take up the memory kept in {layout.workspace / KEPT}; " if self.takes_up else ""
        return (
            f"{kept}first observe of {self.target.agent_id}: {layout.memory} gets its section, "
            f"beside it {layout.state.name} and memory/observations"
        )

    def make(self, book: Book) -> StepOutcome:
        """Record what existed before, move a kept memory back, and run."""
        target = self.target
        workspace = target.layout.workspace
        existed = tuple(name for name in _FOUND_BEFORE if (workspace / name).exists())
        made = MadeMemory(
            str(workspace), existed, *markers.stood_there(markers.parse(read_text(target.layout.memory)[1]))
        )
        book.note(self.owner, made)
        if self.takes_up and not target.layout.state.exists() and not (workspace / KEPT).is_symlink():
            (workspace / KEPT).rename(target.layout.state)
        files.own_folder(workspace)
        with logging_to(target.layout):
            report = run(target, book.means.now, ObserveOptions(trigger="install", brings_back=self.takes_up))
        book.note(self.owner, replace(made, is_done=True))
        return StepOutcome(self, report=report)


Change = PutFile | PutSnippet | SelectHook | SelectPlugin | ScheduleCron | InstallService | FirstObserve


class InstallPlan(NamedTuple):
    """The changes of an install, in order. *notes*: what is left unchanged, and why; *afterwards*: what the
    person has to do themselves when it is done."""

    targets: tuple[Target, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    afterwards: tuple[str, ...] = ()


def perform(changes: tuple[Change, ...], means: Means) -> Iterator[StepOutcome]:
    """Make *changes* in order, and yield the result of each."""
    book = Book(means)
    for change in changes:
        try:
            yield make(change, book)
        except UserError as error:
            yield StepOutcome(change, error=error)
        except OSError as error:
            yield StepOutcome(change, error=unforeseen(error))


def unforeseen(error: OSError) -> UserError:
    """Return the message for an unexpected error of the operating system."""
    return UserError(
        f"{error.filename or 'The machine'}: {error.strerror or error}. What was done before this is kept.",
        next_step=f"ls -la {error.filename}" if error.filename else "run the same command again",
    )


def make(change: Step, book: Book) -> StepOutcome:
    """Make one change; tests kill an install between calls of this."""
    return change.make(book)


def replace_unless_changed(path: Path, data: bytes, was: bytes | files.Absent, mode: int = 0o644) -> None:
    """Replace a file whose content is still *was*; raises UserError otherwise."""
    if isinstance(files.replace(path, data, expected=was, new_mode=mode), files.Changed):
        raise changed_meanwhile(path)


def changed_meanwhile(path: Path) -> UserError:
    """Return the error for a file that was changed by somebody else since the plan was made."""
    return refused_error(
        f"{path}: somebody else has just changed it. It is as they left it.",
        next_step="run the same command again",
    )
