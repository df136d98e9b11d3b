"""The removals of an uninstall: frozen values that describe themselves in one line, and can be carried out.

Each thing is first removed, then struck from the receipt. Nothing is removed that has changed since the plan
was made. A kill in between leaves a record of something that is gone; the next uninstall strikes it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files
from scrimshaw.core.section import block, markers
from scrimshaw.errors import Exit, UserError, refused_error
from scrimshaw.host import cron, service, systemctl
from scrimshaw.host import plugins as host_plugins
from scrimshaw.host.command import CalledHost
from scrimshaw.layout import KEPT, Layout
from scrimshaw.locks import presence, write_lock
from scrimshaw.services.archive.check import own_files
from scrimshaw.services.observe.run import run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.publish.memory_file import read_text
from scrimshaw.services.publish.result import REFUSED
from scrimshaw.setup import changes, snippet
from scrimshaw.setup.changes import (
    HOOK,
    HOST_SECONDS,
    Book,
    InstallService,
    Means,
    PutFile,
    ReceiptOwner,
    StepOutcome,
    changed_meanwhile,
    replace_unless_changed,
    unforeseen,
)
from scrimshaw.setup.receipt import (
    MadeConfig,
    MadeCron,
    MadeFile,
    MadeFolder,
    MadeMemory,
    MadePlugin,
    MadeSnippet,
    Record,
    digest,
)
from scrimshaw.sources.openclaw_config import MAX_CONFIG_BYTES, read_config
from scrimshaw.workspace import Target, is_set_up

_LOCK_SECONDS = 15.0
_KEPT_NAME = re.compile(re.escape(KEPT) + r"(-\d+)?")
_KEPT_BACKUPS = 100  # at least as many as the settings keep


class StopService(NamedTuple):
    """The service removed, or (*for_good* false) stopped until a new one serves the others."""

    path: Path
    for_good: bool

    def line(self) -> str:
        if self.for_good:
            return f"service: stop it and remove {self.path}"
        return "service: stop it, until this workspace is out of it"

    def make(self, _: Book) -> StepOutcome:
        if self.for_good:
            service.uninstall(self.path)
        else:
            with suppress(systemctl.NoManager):
                systemctl.systemctl("stop", systemctl.NAME)
        return StepOutcome(self)


class RemoveCron(NamedTuple):
    """The host's cron job removed."""

    owner: ReceiptOwner
    program: Path
    job_id: str

    def line(self) -> str:
        return f"openclaw cron rm {self.job_id}"

    def make(self, book: Book) -> StepOutcome:
        owner = self.owner
        cron.remove(owner.called(self.program, book.env), self.job_id)
        book.drop(owner, MadeCron, owner.state_dir)
        return StepOutcome(self)


class RestoreConfig(NamedTuple):
    """Our hook's entry removed from the host's configuration: the file restored, or the entry unset."""

    owner: ReceiptOwner
    record: MadeConfig
    was: bytes
    program: Path | None  # None: restore the file

    def line(self) -> str:
        if self.program is None:
            return f"put {self.record.path} back as it was"
        return f"openclaw config unset hooks.internal.entries.{HOOK}    (changes {self.record.path})"

    def make(self, book: Book) -> StepOutcome:
        made, owner = self.record, self.owner
        if self.program is None:
            before = files.read_bytes(Path(made.copy), MAX_CONFIG_BYTES)
            if not isinstance(before, bytes) or digest(before) != made.before_sha256:
                raise changed_meanwhile(Path(made.copy))
            if before:
                # The file behind a link that the person made.
                replace_unless_changed(Path(made.path).resolve(), before, self.was)
            else:
                _unlink_if(Path(made.path), self.was)  # there was none before
        else:
            host = owner.called(self.program, book.env)
            if made.master_before is None:
                # This first: an enabled master switch without names would load every hook there is.
                _unset(host, "hooks.internal.enabled")
            _unset(host, f"hooks.internal.entries.{HOOK}")
            self._unset_plugins(host, [one.path for one in book.receipt(owner).every(MadePlugin)])
        Path(made.copy).unlink(missing_ok=True)
        for record in book.receipt(owner).every(MadePlugin):
            book.drop(owner, MadePlugin, record.path)
        book.drop(owner, MadeConfig, made.path)
        return StepOutcome(self)

    def _unset_plugins(self, host: CalledHost, folders: list[str]) -> None:
        """Remove the entry before the folder, since the host reports an entry without a folder as stale."""
        if not folders:
            return
        before = read_config(Path(self.record.copy)).table(*host_plugins.ENTRY)
        if before:
            changes.set_value(host, host_plugins.ENTRY, before)
        else:
            _unset(host, ".".join(host_plugins.ENTRY))
        paths = host_plugins.load_paths(read_config(self.owner.config_path))
        kept = [one for one in paths if one not in folders]
        if not kept:
            _unset(host, ".".join(host_plugins.PATHS))
        elif kept != paths:
            changes.set_value(host, host_plugins.PATHS, kept)


def _unset(host: CalledHost, key: str) -> None:
    answer = host.call("config", "unset", key, timeout_seconds=HOST_SECONDS)
    if answer.code and "not found" not in answer.complaint:
        raise UserError(
            f"openclaw config unset {key} failed: {answer.complaint}",
            next_step=f"see what it says: openclaw config unset {key}",
        )


class RemoveFile(NamedTuple):
    """A file of ours removed. *base*: no folder between it and the file may be a link."""

    owner: ReceiptOwner
    base: Path
    path: Path
    data: bytes | None  # None: whatever it holds

    def line(self) -> str:
        return f"remove {self.path}"

    def make(self, book: Book) -> StepOutcome:
        files.inside(self.base, str(self.path.relative_to(self.base)))  # raises if a link leads outside
        if self.data is not None:
            present = files.read_bytes(self.path, max(len(self.data), 1) * 2)
            if present not in (self.data, files.ABSENT):
                raise changed_meanwhile(self.path)
        _unlink(self.path)
        files.sweep(self.path.parent)
        book.drop(self.owner, MadeFile, self.path)
        return StepOutcome(self)


class TakeSnippet(NamedTuple):
    """The block removed from AGENTS.md; *removes*: the file itself, when it is ours and then empty."""

    owner: ReceiptOwner
    path: Path
    was: bytes
    removes: bool

    def line(self) -> str:
        return f"remove {self.path}" if self.removes else f"take Scrimshaw's lines out of {self.path}"

    def make(self, book: Book) -> StepOutcome:
        rest = snippet.bytes_of(block.take_out_block(snippet.file_text(self.was)))
        files.sweep(self.path.parent)
        if self.removes:
            _unlink_if(self.path, self.was)
        else:
            replace_unless_changed(self.path, rest, self.was)
        book.drop(self.owner, MadeSnippet, self.path)
        return StepOutcome(self)


class TakeSection(NamedTuple):
    """The section removed from MEMORY.md."""

    owner: ReceiptOwner
    workspace: Path
    target: Target | None
    keeps_data: bool

    def line(self) -> str:
        backup = " (a copy of the file stays in the backups)" if self.keeps_data else ""
        return f"take the section out of {self.workspace / 'MEMORY.md'}{backup}"

    def make(self, book: Book) -> StepOutcome:
        """Remove the section; keep later changes made by hand, and a copy."""
        layout = Layout(self.workspace)
        _refuse_daemon(layout)
        told: tuple[str, ...] = ()
        if self.target is not None and self.keeps_data and is_set_up(layout):
            # Changes made by hand are taken into the ledger first, so that the memory keeps them.
            report = run(self.target, book.means.now, ObserveOptions(trigger="uninstall", observes=False))
            if report.published.result in REFUSED:
                raise refused_error(*report.published.problems, next_step="scrimshaw status")
        made = book.receipt(self.owner).find(MadeMemory, self.workspace)
        with _writing(layout, book.means):
            raw, text = read_text(layout.memory)
            document = markers.parse(text)
            if isinstance(document.state, markers.Damaged):
                mending = markers.mending(document.state.problems)
                raise refused_error(
                    f"{layout.memory}: {mending.what}. It is left as it is.",
                    *document.state.problems,
                    next_step=f"{mending.step}, then run this again",
                )
            if not isinstance(document.state, markers.Owned) or not isinstance(raw, bytes):
                return StepOutcome(self, ("It is gone already.",))
            if self.keeps_data:
                files.make_folder(self.workspace, ".scrimshaw/backups", mode=0o700)
                stamp = book.means.now.strftime("%Y%m%dT%H%M%S.%fZ")
                copy = files.backup(layout.memory, layout.backups, stamp=stamp, keep=_KEPT_BACKUPS)
                told = (f"A copy of it as it was: {copy}",)
            rest = markers.put_back(document, (made.heading_content, made.newlines) if made else (None, ()))
            if not rest and made is not None and "MEMORY.md" not in made.existed:
                _unlink(layout.memory)
            else:
                replace_unless_changed(layout.memory, snippet.bytes_of(rest), raw)
        return StepOutcome(self, told)


class SetAside(NamedTuple):
    """The memory kept under another name: nothing serves this workspace any more."""

    workspace: Path

    def line(self) -> str:
        return (
            f"keep the memory: {self.workspace / '.scrimshaw'} becomes {KEPT}; dated files and archives stay"
        )

    def make(self, _: Book) -> StepOutcome:
        layout = Layout(self.workspace)
        _refuse_daemon(layout)
        kept = self.workspace / KEPT
        number = 1
        while kept.exists() or kept.is_symlink():
            number += 1
            kept = self.workspace / f"{KEPT}-{number}"
        if layout.state.is_dir() and not layout.state.is_symlink():
            layout.state.rename(kept)
        again = "scrimshaw install takes it up again"
        if kept.name != KEPT:
            again = f"for scrimshaw install to take it up again, name it {KEPT}: that name is taken now"
        return StepOutcome(self, (f"It is in {kept}; {again}.",))


class DeleteData(NamedTuple):
    """Ledger, settings, backups, log, dated files and archives of a workspace deleted."""

    owner: ReceiptOwner
    workspace: Path
    existed: tuple[str, ...] | None  # None: not known

    def line(self) -> str:
        return (
            f"DELETE the memory in {self.workspace}: .scrimshaw (ledger, settings, backups), "
            "memory/observations/obs-*.md, and the archives in memory/episodic"
        )

    def make(self, book: Book) -> StepOutcome:
        """Delete all of it, nothing through links, and the folders if they are ours."""
        layout = Layout(self.workspace)
        _refuse_daemon(layout)
        told: tuple[str, ...] = ()
        try:
            every = [path for path in sorted(self.workspace.iterdir()) if _KEPT_NAME.fullmatch(path.name)]
            # The ledger names them, so they are looked up before it is deleted.
            archives = own_files(layout, (folder / layout.ledger.name for folder in (layout.state, *every)))
            for folder in (layout.state, *every):
                if folder.is_dir() and not folder.is_symlink():
                    shutil.rmtree(folder)
            if layout.dated.is_symlink() or layout.dated.parent.is_symlink():
                # An agent may have planted the link: what it leads to is not ours.
                told = (f"{layout.dated} leads through a symbolic link: what is behind it is left.",)
            elif layout.dated.is_dir():
                for path in [*layout.dated.glob("obs-????-??-??.md"), layout.aside]:
                    path.unlink(missing_ok=True)
                files.sweep(layout.dated)
            if archives and not (layout.episodic.is_symlink() or layout.episodic.parent.is_symlink()):
                for path in archives:
                    path.unlink(missing_ok=True)
                with suppress(OSError):
                    layout.episodic.rmdir()
        except OSError as error:
            raise UserError(
                f"{error.filename or self.workspace}: cannot be removed ({error.strerror}).",
                next_step=f"ls -la {self.workspace}",
            ) from error
        # Without a record only the folder that carries our name is known to be ours.
        known = self.existed if self.existed is not None else ("memory",)
        for name in ("memory/observations", "memory"):
            if name not in known and not told:
                with suppress(OSError):
                    (self.workspace / name).rmdir()
        book.drop(self.owner, MadeMemory, self.workspace)
        return StepOutcome(self, told)


class RemoveFolder(NamedTuple):
    """A folder that the install made, if it is empty by then."""

    owner: ReceiptOwner
    path: Path

    def line(self) -> str:
        return f"remove {self.path}/ if it is empty"

    def make(self, book: Book) -> StepOutcome:
        told: tuple[str, ...] = ()
        try:
            self.path.rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            told = (f"{self.path} stays: something else is in it.",)
        book.drop(self.owner, MadeFolder, self.path)
        return StepOutcome(self, told)


class Forget(NamedTuple):
    """Something left unchanged, and no longer recorded as ours."""

    owner: ReceiptOwner
    record: Record
    why: str

    def line(self) -> str:
        return f"leave {self.record.path}: {self.why}"

    def make(self, book: Book) -> StepOutcome:
        book.drop(self.owner, type(self.record), self.record.path)
        return StepOutcome(self)


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


def remove(removals: tuple[Removal, ...], means: Means) -> Iterator[StepOutcome]:
    """Make *removals* in their order, and yield what came of each; a failure does not stop the others."""
    book = Book(means)
    is_held = False
    unfinished: set[Path] = set()
    for change in removals:
        # The writer was not stopped: nothing may be removed while it runs.
        if is_held and not isinstance(change, InstallService):
            continue
        try:
            if isinstance(change, SetAside | DeleteData) and change.workspace in unfinished:
                raise refused_error(
                    f"{change.workspace}: the memory is left, because the section could not be taken out "
                    "(see above).",
                    next_step="mend that, then run the same command again",
                )
            yield changes.make(change, book)
        except UserError as error:
            is_held = is_held or isinstance(change, StopService)
            unfinished |= {change.workspace} if isinstance(change, TakeSection) else set()
            yield StepOutcome(change, error=error)
        except OSError as error:
            yield StepOutcome(change, error=unforeseen(error))


def _writing(layout: Layout, means: Means) -> AbstractContextManager[None]:
    if not layout.state.is_dir():
        return nullcontext()
    return write_lock(layout.state, by="uninstall", now=means.now, timeout_seconds=_LOCK_SECONDS)


def _refuse_daemon(layout: Layout) -> None:
    holder = presence(layout.state)
    if holder is not None:
        raise UserError(
            f"{layout.workspace}: a daemon is still at work here (process {holder.pid}). Its memory is left.",
            next_step=f"stop it, then run this again: kill {holder.pid}",
            exit_code=Exit.LOCKED,
        )


def _unlink_if(path: Path, was: bytes) -> None:
    if files.read_bytes(path, 2 * max(len(was), 1)) != was:
        raise changed_meanwhile(path)
    _unlink(path)


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be removed ({error.strerror}).", next_step=f"ls -ld {path.parent} {path}"
        ) from error
