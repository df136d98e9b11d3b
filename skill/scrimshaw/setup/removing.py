"""Carry an uninstall out, step by step: first it is taken away, then it is struck from the receipt.

Nothing is removed that is not as it was when the plan was made. A kill in between leaves a record of
something that is gone; the next uninstall strikes it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

from scrimshaw import files
from scrimshaw.core.section import block, markers
from scrimshaw.errors import Exit, UserError
from scrimshaw.host import command, cron, service, systemctl
from scrimshaw.layout import KEPT, Layout
from scrimshaw.locks import presence, write_lock
from scrimshaw.services.archive.check import own_files
from scrimshaw.services.observe.run import run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.publish.memory_file import read_text
from scrimshaw.services.publish.result import REFUSED
from scrimshaw.setup import snippet
from scrimshaw.setup.changes import (
    HOOK,
    DeleteData,
    Forget,
    InstallService,
    PutFile,
    Removal,
    RemoveCron,
    RemoveFile,
    RemoveFolder,
    RestoreConfig,
    SetAside,
    StopService,
    TakeSection,
    TakeSnippet,
)
from scrimshaw.setup.performing import Book, Means, Outcome, install_service, put_file, unforeseen
from scrimshaw.setup.receipt import (
    MadeConfig,
    MadeCron,
    MadeFile,
    MadeFolder,
    MadeMemory,
    MadeSnippet,
    digest,
)
from scrimshaw.sources.openclaw_config import MAX_CONFIG_BYTES
from scrimshaw.workspace import is_set_up

_CONFIG_SECONDS = 120.0
_LOCK_SECONDS = 15.0
_KEPT_NAME = re.compile(re.escape(KEPT) + r"(-\d+)?")
_KEPT_BACKUPS = 100  # never fewer than the settings keep


def remove(changes: tuple[Removal, ...], means: Means) -> Iterator[Outcome]:
    """Make *changes* in their order, and yield what came of each; a failure does not stop the others."""
    book = Book(means.env)
    is_held = False
    unfinished: set[Path] = set()
    for change in changes:
        # What writes was not stopped: then nothing may be taken from under it.
        if is_held and not isinstance(change, InstallService):
            continue
        try:
            if isinstance(change, SetAside | DeleteData) and change.workspace in unfinished:
                raise _still_needed(change.workspace)
            yield _take(change, book, means)
        except UserError as error:
            is_held = is_held or isinstance(change, StopService)
            unfinished |= {change.workspace} if isinstance(change, TakeSection) else set()
            yield Outcome(change, error=error)
        except OSError as error:
            yield Outcome(change, error=unforeseen(error))


def _still_needed(workspace: Path) -> UserError:
    return UserError(
        f"{workspace}: the memory is left, because the section could not be taken out (see above).",
        next_step="mend that, then run the same command again",
        exit_code=Exit.REFUSED,
    )


def _take(change: Removal, book: Book, means: Means) -> Outcome:
    match change:
        case StopService(path=path, for_good=True):
            service.uninstall(path)
        case StopService():
            with suppress(systemctl.NoManager):
                systemctl.systemctl("stop", systemctl.NAME)
        case RemoveCron(owner=owner, program=program, job_id=job_id):
            cron.remove(cron.Host(program, owner.state_dir, owner.config_path, book.env), job_id)
            book.drop(owner, book.receipt(owner).find(MadeCron, owner.state_dir))
        case RestoreConfig():
            _restore_config(change, book)
        case RemoveFile():
            _remove_file(change, book)
        case TakeSnippet():
            _take_snippet(change, book)
        case TakeSection():
            return _take_section(change, book, means)
        case SetAside(workspace=workspace):
            return _set_aside(change, workspace)
        case DeleteData():
            return _delete_data(change, book)
        case RemoveFolder():
            return _remove_folder(change, book)
        case Forget(owner=owner, record=record):
            book.drop(owner, record)
        case PutFile():
            put_file(change, book)
        case InstallService():
            return install_service(change, means)
    return Outcome(change)


def _restore_config(change: RestoreConfig, book: Book) -> None:
    made, owner = change.record, change.owner
    if change.program is None:
        before = files.read_bytes(Path(made.copy), MAX_CONFIG_BYTES)
        if not isinstance(before, bytes) or digest(before) != made.before_sha256:
            raise _changed(Path(made.copy))
        if before:
            _replace(Path(made.path).resolve(), before, change.was)  # where a link of the person's own leads
        else:
            _unlink_if(Path(made.path), change.was)  # there was none before
    else:
        if made.master_before is None:
            # First: a master switch without names would load every hook there is.
            _unset(change, book, "hooks.internal.enabled")
        _unset(change, book, f"hooks.internal.entries.{HOOK}")
    Path(made.copy).unlink(missing_ok=True)
    book.drop(owner, book.receipt(owner).find(MadeConfig, made.path))


def _unset(change: RestoreConfig, book: Book, key: str) -> None:
    assert change.program is not None
    answer = command.call(
        change.program,
        "config",
        "unset",
        key,
        state_dir=change.owner.state_dir,
        config_path=change.owner.config_path,
        env=book.env,
        timeout_seconds=_CONFIG_SECONDS,
    )
    if answer.code and "not found" not in answer.complaint:
        raise UserError(
            f"openclaw config unset {key} failed: {answer.complaint}",
            next_step=f"see what it says: openclaw config unset {key}",
        )


def _remove_file(change: RemoveFile, book: Book) -> None:
    files.inside(change.base, str(change.path.relative_to(change.base)))  # raises where a link leads out
    if change.data is not None:
        present = files.read_bytes(change.path, max(len(change.data), 1) * 2)
        if present not in (change.data, files.ABSENT):
            raise _changed(change.path)
    _unlink(change.path)
    files.sweep(change.path.parent)
    book.drop(change.owner, book.receipt(change.owner).find(MadeFile, change.path))


def _take_snippet(change: TakeSnippet, book: Book) -> None:
    rest = snippet.bytes_of(block.take_out(snippet.text_of(change.was)))
    files.sweep(change.path.parent)
    if change.removes:
        _unlink_if(change.path, change.was)
    else:
        _replace(change.path, rest, change.was)
    book.drop(change.owner, book.receipt(change.owner).find(MadeSnippet, change.path))


def _take_section(change: TakeSection, book: Book, means: Means) -> Outcome:
    layout = Layout(change.workspace)
    _refuse_daemon(layout)
    told: tuple[str, ...] = ()
    if change.target is not None and change.keeps_data and is_set_up(layout):
        # What a hand has changed since is taken into the ledger first: the memory is kept.
        report = run(change.target, means.now, ObserveOptions(trigger="uninstall", observes=False))
        if report.published.result in REFUSED:
            raise UserError(*report.published.problems, next_step="scrimshaw status", exit_code=Exit.REFUSED)
    made = book.receipt(change.owner).find(MadeMemory, change.workspace)
    with _writing(layout, means):
        raw, text = read_text(layout.memory)
        document = markers.parse(text)
        if isinstance(document.state, markers.Damaged):
            raise UserError(
                f"{layout.memory}: the markers of the section do not pair up. It is left as it is.",
                *document.state.problems,
                next_step="leave one begin and one end marker, then run this again",
                exit_code=Exit.REFUSED,
            )
        if not isinstance(document.state, markers.Owned) or not isinstance(raw, bytes):
            return Outcome(change, ("It is gone already.",))
        if change.keeps_data:
            files.make_folder(change.workspace, ".scrimshaw/backups", mode=0o700)
            stamp = means.now.strftime("%Y%m%dT%H%M%S.%fZ")
            copy = files.backup(layout.memory, layout.backups, stamp=stamp, keep=_KEPT_BACKUPS)
            told = (f"A copy of it as it was: {copy}",)
        rest = markers.put_back(document, (made.heading_content, made.newlines) if made else (None, ()))
        if not rest and made is not None and "MEMORY.md" not in made.existed:
            _unlink(layout.memory)
        else:
            _replace(layout.memory, snippet.bytes_of(rest), raw)
    return Outcome(change, told)


def _set_aside(change: SetAside, workspace: Path) -> Outcome:
    layout = Layout(workspace)
    _refuse_daemon(layout)
    kept = workspace / KEPT
    number = 1
    while kept.exists() or kept.is_symlink():
        number += 1
        kept = workspace / f"{KEPT}-{number}"
    if layout.state.is_dir() and not layout.state.is_symlink():
        layout.state.rename(kept)
    again = "scrimshaw install takes it up again"
    if kept.name != KEPT:
        again = f"for scrimshaw install to take it up again, name it {KEPT}: that name is taken now"
    return Outcome(change, (f"It is in {kept}; {again}.",))


def _delete_data(change: DeleteData, book: Book) -> Outcome:
    layout = Layout(change.workspace)
    _refuse_daemon(layout)
    told: tuple[str, ...] = ()
    try:
        every = [path for path in sorted(change.workspace.iterdir()) if _KEPT_NAME.fullmatch(path.name)]
        # Named by the ledger, so looked up before that goes.
        archives = own_files(layout, (folder / layout.ledger.name for folder in (layout.state, *every)))
        for folder in (layout.state, *every):
            if folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder)
        if layout.dated.is_symlink() or layout.dated.parent.is_symlink():
            # An agent may have planted it: behind it lies what is another's.
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
            f"{error.filename or change.workspace}: cannot be removed ({error.strerror}).",
            next_step=f"ls -la {change.workspace}",
        ) from error
    # Without a record only the folder that has its name from us is known to be ours.
    known = change.existed if change.existed is not None else ("memory",)
    for name in ("memory/observations", "memory"):
        if name not in known and not told:
            with suppress(OSError):
                (change.workspace / name).rmdir()
    book.drop(change.owner, book.receipt(change.owner).find(MadeMemory, change.workspace))
    return Outcome(change, told)


def _remove_folder(change: RemoveFolder, book: Book) -> Outcome:
    told: tuple[str, ...] = ()
    try:
        change.path.rmdir()
    except FileNotFoundError:
        pass
    except OSError:
        told = (f"{change.path} stays: something else is in it.",)
    book.drop(change.owner, book.receipt(change.owner).find(MadeFolder, change.path))
    return Outcome(change, told)


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


def _replace(path: Path, data: bytes, was: bytes) -> None:
    if isinstance(files.replace(path, data, expected=was), files.Changed):
        raise _changed(path)


def _unlink_if(path: Path, was: bytes) -> None:
    if files.read_bytes(path, 2 * max(len(was), 1)) != was:
        raise _changed(path)
    _unlink(path)


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be removed ({error.strerror}).", next_step=f"ls -ld {path.parent} {path}"
        ) from error


def _changed(path: Path) -> UserError:
    return UserError(
        f"{path}: somebody else has just changed it. It is as they left it.",
        next_step="run the same command again",
        exit_code=Exit.REFUSED,
    )
