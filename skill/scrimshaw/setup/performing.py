"""Carry a plan out, change by change: first it is written down in the receipt, then it is made.

A change that fails is told with its reason and the others go on: each stands by itself, and running the
install again does what is left. A kill between receipt and change leaves a record of something that is not
there, which an uninstall passes over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from scrimshaw import files
from scrimshaw.core.section import block, markers
from scrimshaw.errors import Exit, UserError
from scrimshaw.host import command, cron, hooks, service
from scrimshaw.layout import KEPT
from scrimshaw.logs import logging_to
from scrimshaw.services.observe.run import ObserveResult, run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.publish.memory_file import read_text
from scrimshaw.setup import serving, snippet
from scrimshaw.setup.changes import (
    HOOK,
    Change,
    FirstObserve,
    InstallService,
    Owner,
    PutFile,
    PutSnippet,
    Removal,
    ScheduleCron,
    SelectHook,
)
from scrimshaw.setup.receipt import (
    MadeConfig,
    MadeCron,
    MadeFile,
    MadeFolder,
    MadeMemory,
    MadeSnippet,
    Receipt,
    Record,
    digest,
    keep_copy,
    load,
    save,
)
from scrimshaw.sources.openclaw_config import MAX_CONFIG_BYTES, read_config

_HOOKS_SECONDS = 180.0  # the real one takes 10 to 25 s on a small machine
_FOUND_BEFORE = ("MEMORY.md", "memory", "memory/observations", ".scrimshaw")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a change: what to say of it, the first observe's report, or why it was not made."""

    change: Change | Removal
    told: tuple[str, ...] = ()
    report: ObserveResult | None = None
    error: UserError | None = None

    @property
    def exit_code(self) -> Exit:
        """What the process should end with for this change."""
        if self.error:
            return self.error.exit_code
        return self.report.exit_code if self.report else Exit.OK


class Book:
    """The receipts of this user while changes are made."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self._open: dict[Path, Receipt] = {}

    def receipt(self, owner: Owner) -> Receipt:
        """Return the receipt of a host, a new one where there is none."""
        if owner.state_dir not in self._open:
            known = load(self.env, owner.state_dir)
            self._open[owner.state_dir] = known or Receipt(str(owner.state_dir), str(owner.config_path))
        return self._open[owner.state_dir]

    def note(self, owner: Owner, *records: Record) -> None:
        """Write *records* down before what they tell of is made."""
        receipt = self.receipt(owner)
        for record in records:
            receipt = receipt.noted(record)
        self._save(owner, receipt)

    def drop(self, owner: Owner, record: Record | None) -> None:
        """Write down that *record* is no longer ours."""
        if record is not None:
            self._save(owner, self.receipt(owner).without(record))

    def _save(self, owner: Owner, receipt: Receipt) -> None:
        if receipt != self._open.get(owner.state_dir):
            save(self.env, receipt)
            self._open[owner.state_dir] = receipt


@dataclass(frozen=True, slots=True)
class Means:
    """What carrying out needs besides the changes. *pause* is the moment between two looks at a service."""

    env: Mapping[str, str]
    now: datetime
    pause: Callable[[], None] = lambda: None


def perform(changes: tuple[Change, ...], means: Means) -> Iterator[Outcome]:
    """Make *changes* in their order, and yield what came of each."""
    book = Book(means.env)
    for change in changes:
        try:
            yield make(change, book, means)
        except UserError as error:
            yield Outcome(change, error=error)
        except OSError as error:
            yield Outcome(change, error=unforeseen(error))


def unforeseen(error: OSError) -> UserError:
    """Return what to say of something that the machine refuses in a place where it hardly ever does."""
    return UserError(
        f"{error.filename or 'The machine'}: {error.strerror or error}. What was done before this is kept.",
        next_step=f"ls -la {error.filename}" if error.filename else "run the same command again",
    )


def make(change: Change, book: Book, means: Means) -> Outcome:
    """Make one change."""
    match change:
        case PutFile():
            put_file(change, book)
        case PutSnippet():
            _put_snippet(change, book)
        case SelectHook():
            _select_hook(change, book)
        case ScheduleCron(owner=owner, program=program, argv=argv):
            book.note(owner, MadeCron(str(owner.state_dir)))
            job = cron.add(cron.Host(program, owner.state_dir, owner.config_path, book.env), argv)
            book.note(owner, MadeCron(str(owner.state_dir), job.id))
        case InstallService():
            return install_service(change, means)
        case FirstObserve():
            return _first_observe(change, book, means)
    return Outcome(change)


def put_file(change: PutFile, book: Book) -> None:
    """Write a file of ours, and the folders that lead to it."""
    folders = [folder for folder in change.path.parents if folder.is_relative_to(change.base)]
    missing = [MadeFolder(str(folder)) for folder in reversed(folders) if not folder.exists()]
    contents = tuple(digest(data) for data in (change.was, change.data) if isinstance(data, bytes))
    book.note(change.owner, *missing, MadeFile(str(change.path), contents))
    parent = change.path.parent
    files.make_folder(change.base, str(parent.relative_to(change.base)))
    files.sweep(parent)
    _replace(change.path, change.data, change.was, change.mode)


def install_service(change: InstallService, means: Means) -> Outcome:
    """Install the service for the workspaces that are set up now."""
    unit, notes = serving.planned(change.asked, means.env)
    done = service.install(unit, change.path, means.pause)
    return Outcome(change, (*serving.told(done, unit, change.path), *notes))


def _put_snippet(change: PutSnippet, book: Book) -> None:
    text = snippet.text_of(change.was)
    existed = change.was is not files.ABSENT
    book.note(change.owner, MadeSnippet(str(change.path), (change.inner,), existed))
    files.sweep(change.path.parent)
    _replace(change.path, snippet.bytes_of(block.put(text, change.inner)), change.was, 0o644)


def _select_hook(change: SelectHook, book: Book) -> None:
    owner = change.owner
    if book.receipt(owner).find(MadeConfig, owner.config_path) is None:
        before = files.read_bytes(owner.config_path, MAX_CONFIG_BYTES)
        data = before if isinstance(before, bytes) else b""
        copy = keep_copy(book.env, owner.state_dir, data)
        master = read_config(owner.config_path).at("hooks", "internal", "enabled")
        known = master if isinstance(master, bool) else None
        book.note(owner, MadeConfig(str(owner.config_path), str(copy), digest(data), known))
    answer = command.call(
        change.program,
        "hooks",
        "enable",
        HOOK,
        state_dir=owner.state_dir,
        config_path=owner.config_path,
        env=book.env,
        timeout_seconds=_HOOKS_SECONDS,
    )
    selection = hooks.look(owner.state_dir, read_config(owner.config_path)).selection
    if answer.code or selection not in ("open", "named"):
        raise UserError(
            f"openclaw hooks enable {HOOK} did not switch the hook on: {answer.complaint}",
            next_step=f"see what it says: openclaw hooks enable {HOOK}",
        )


def _first_observe(change: FirstObserve, book: Book, means: Means) -> Outcome:
    target = change.target
    workspace = target.layout.workspace
    existed = tuple(name for name in _FOUND_BEFORE if (workspace / name).exists())
    made = MadeMemory(
        str(workspace), existed, *markers.stood_there(markers.parse(read_text(target.layout.memory)[1]))
    )
    book.note(change.owner, made)
    if change.takes_up and not target.layout.state.exists() and not (workspace / KEPT).is_symlink():
        (workspace / KEPT).rename(target.layout.state)
    files.own_folder(workspace)
    with logging_to(target.layout):
        report = run(target, means.now, ObserveOptions(trigger="install", brings_back=change.takes_up))
    book.note(change.owner, replace(made, is_done=True))
    return Outcome(change, report=report)


def _replace(path: Path, data: bytes, was: bytes | files.Absent, mode: int) -> None:
    if isinstance(files.replace(path, data, expected=was, new_mode=mode), files.Changed):
        raise UserError(
            f"{path}: somebody else has just changed it. It is as they left it.",
            next_step="run the same command again",
            exit_code=Exit.REFUSED,
        )
