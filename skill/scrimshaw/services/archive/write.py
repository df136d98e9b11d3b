"""The ledger into `.mv2` archives: every event, in frames, in files that are replaced whole.

All of them as they are, but for secrets in a person's own lines: an archive is made to be carried
(services/publish/redaction).

A file is made or added to in a scratch folder by a child process, verified, noted in the ledger as intended,
put in its place by a rename, and noted as done. So a kill anywhere leaves the file as it was or as it should
be, one that copies it (rsync, a backup) never sees a half, and nothing is in it twice. Each run looks first
whether the files are what it left: one that is gone, damaged or not ours alone is set aside and made anew
from the ledger. A forgetting goes first: until it is done, nothing is archived.

What a program keeps of type "system" goes into `system.mv2`, what is for all agents into `shared.mv2`; each
stretch of events is in one file.

Memvid leaves the room of what it replaces unused, so a file that has become too loose is made anew, and one
that has become too large is followed by the next. Nobody waits for an archive: it has a lock of its own.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from scrimshaw import files
from scrimshaw.archive import frames, mv2
from scrimshaw.archive.frames import BadFrame, Packed
from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.program_lines import archive_of
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import EventType, Observation
from scrimshaw.errors import Exit, UserError, refused_error
from scrimshaw.locks import Busy, archive_lock
from scrimshaw.logs import canonical, logging_to
from scrimshaw.services.archive.check import ArchiveCheck, inspect_archives, is_aside
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.services.publish.redaction import without_secrets
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.store.frames import ArchiveFile, FrameRecord
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import StoredEvent
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

MANY_EVENTS = 2_000  # so many are archived although their day is not over
_LOCK_SECONDS = 60.0
_EVENTS_AT_ONCE = 8_000
# Measured: what memvid makes of a byte of ours, its index included; and what it begins with.
_GROWTH = 8
_START_BYTES = 1024 * 1024
_FULL_BYTES = 40 * 1024 * 1024
_LOOSE = 3  # times what it would have when made anew


@dataclass
class Archived:
    """What was done, for the person and for the log."""

    observations: int = 0
    frames: int = 0
    files: list[str] = field(default_factory=list)  # written
    mended: list[str] = field(default_factory=list)  # sentences
    is_held: bool = False  # a forgetting is under way: it goes first


@dataclass(frozen=True, slots=True)
class ArchiveResult(WorkspaceResult):
    """What was archived and what the archives are like then; with *error* it could not be done."""

    done: Archived
    found: ArchiveCheck
    error: UserError | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in sentences."""
        return self.found.problems or tuple(self.error.problems if self.error else ())

    @property
    def next_step(self) -> str:
        """What to do about it."""
        return "scrimshaw archive" if self.found.problems else self.error.next_step if self.error else ""

    @property
    def exit_code(self) -> Exit:
        return Exit.MENDABLE if self.found.problems else self.error.exit_code if self.error else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw archive --json` prints it for one workspace."""
        done, found = self.done, self.found
        return {
            **self.head(),
            "archived": {"observations": done.observations, "frames": done.frames, "written": done.files},
            "mended": done.mended,
            "is_held": done.is_held,
            "files": [file._asdict() for file in found.files],
            "waiting_events": found.waiting_events,
            "set_aside": [str(path) for path in found.set_aside],
            "problems": list(self.problems),
            "next_step": self.next_step,
            "exit_code": int(self.exit_code),
        }


@dataclass(frozen=True, slots=True)
class ArchiveOptions:
    """How a run goes."""

    child: mv2.Child = mv2.CHILD
    is_stopped: Callable[[], bool] = lambda: False
    on_frame: Callable[[int], None] = lambda _done: None


def run(
    target: Target, now: datetime, how: Literal["archive", "check", "rebuild"] = "archive"
) -> ArchiveResult:
    """Bring the archives up to date, make them anew, or only read every byte of them; what fails is told."""
    if how != "check" and not target.config.settings.memory_episodic_enabled:
        off = refused_error(
            "No archive is written: memory.episodic.enabled is false. Nothing was changed.",
            next_step="take that setting out, then this again",
        )
        return ArchiveResult(target, Archived(), ArchiveCheck((), 0, ()), off)
    try:
        if how == "check":
            with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
                return ArchiveResult(target, Archived(), inspect_archives(target, ledger, is_thorough=True))
        with logging_to(target.layout), open_ledger(target.layout.ledger, create=False) as ledger:
            done = (rebuild if how == "rebuild" else archive)(target, ledger, now)
            return ArchiveResult(target, done, inspect_archives(target, ledger))
    except UserError as error:
        return ArchiveResult(target, Archived(), ArchiveCheck((), 0, ()), error)


PATIENT = ArchiveOptions(child=mv2.CHILD._replace(niceness=10))  # nobody waits


def is_possible() -> bool:
    """Tell whether memvid is installed. Not to have it is a choice."""
    return mv2.is_installed()


def keep_up(target: Target, now: datetime, terms: ArchiveOptions = PATIENT) -> tuple[str, ...]:
    """Archive what is due, mend what is astray; return what is wrong, in sentences."""
    if not target.config.settings.memory_episodic_enabled:
        return ()
    try:
        with (
            open_ledger(target.layout.ledger, create=False) as ledger,
            logging_to(target.layout, makes_folder=False),
        ):
            if archive_due(ledger, now, target.zone) or is_astray(target, ledger):
                archive(target, ledger, now, terms)
    except Busy:
        return ()  # whoever holds it does the same
    except UserError as error:
        return tuple(error.problems)
    return ()


def archive_due(ledger: Ledger, now: datetime, zone: str) -> str:
    """Return why events should be archived now, "" when there is no need to."""
    owed = ledger.frames.owed()
    if not owed.events:
        return ""
    local = ZoneInfo(zone)
    if datetime.fromtimestamp(owed.oldest_at_ms / 1000, local).date() < now.astimezone(local).date():
        return "a day is over"
    if owed.has_reflected:
        return "after a reflection"
    return counted(owed.events, "event waits", "events wait") if owed.events >= MANY_EVENTS else ""


def is_astray(target: Target, ledger: Ledger) -> bool:
    """Tell whether a file is gone or of another size than it was left with, or a run was killed; quick."""
    return any(
        file.next_sha256 or _size_found(target.layout.episodic / file.name) != file.size_bytes
        for file in ledger.frames.files()
    )


def _size_found(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return -1


def archive(
    target: Target, ledger: Ledger, now: datetime, terms: ArchiveOptions = ArchiveOptions()
) -> Archived:
    """Bring the archives up to date with the ledger, and mend what is damaged.

    Raises UserError (memvid missing, slow or broken; a full disk; Busy) and RunStopped: what was done before
    stays done, and nothing is lost.
    """
    return _held(target, ledger, now, terms, lambda run: run.bring_up_to_date())


def rebuild(
    target: Target, ledger: Ledger, now: datetime, terms: ArchiveOptions = ArchiveOptions()
) -> Archived:
    """Make every archive anew from the ledger; what was set aside stays. Raises as `archive` does."""
    return _held(target, ledger, now, terms, lambda run: run.make_anew())


def remove(target: Target, ledger: Ledger, now: datetime, *, timeout_seconds: float = 60.0) -> list[Path]:
    """Take away every archive of this ledger, those set aside and all scratch; all is owed again.

    For forgetting: a later run makes them anew from what the ledger says then. Returns what was removed.
    """
    state = target.layout.state
    with archive_lock(state, by="forget", now=now, timeout_seconds=timeout_seconds):
        mv2.sweep_scratch(state)
        names = {one.name for one in ledger.frames.files()}
        gone = []
        for path in sorted(target.layout.episodic.glob("*.mv2")):
            if path.name in names or is_aside(path):
                path.unlink(missing_ok=True)
                gone.append(path)
        files.sweep(target.layout.episodic)
        ledger.frames.drop_all()
    return gone


def _held(
    target: Target, ledger: Ledger, now: datetime, terms: ArchiveOptions, work: Callable[[_Run], None]
) -> Archived:
    run = _Run(target, ledger, now, terms)
    if ledger.forgetting.stage() is not None:
        run.done.is_held = True
        return run.done
    state = target.layout.state
    with archive_lock(state, by="archive", now=now, timeout_seconds=_LOCK_SECONDS):
        mv2.sweep_scratch(state)
        folder = files.make_folder(target.layout.workspace, "memory/episodic")
        files.sweep(folder)
        try:
            work(run)
        except mv2.ChildStopped as error:
            raise RunStopped from error
    done = run.done
    if done.files or done.mended:
        counts = {"frames": done.frames, "observations": done.observations, "files": ",".join(done.files)}
        mended = repr(" ".join(done.mended))
        log.info(canonical(job="archive", agent=target.agent_id, **counts, mended=mended))
    return done


class _Run:
    def __init__(self, target: Target, ledger: Ledger, now: datetime, terms: ArchiveOptions) -> None:
        self._target, self._ledger, self._now, self._terms = target, ledger, now, terms
        self._rows = ledger.frames
        self._folder = target.layout.episodic
        self._stamp = now.strftime("%Y%m%dT%H%M%SZ")
        self.done = Archived()

    def bring_up_to_date(self) -> None:
        """Settle what a killed run left, mend what is damaged, add what is owed."""
        self._settle()
        self._mend_all()
        version = self._ledger.version()
        while events := self._rows.events(self._rows.archived_until(), version, _EVENTS_AT_ONCE):
            born = self._rows.born(events)
            for archive, part in groupby(events, key=lambda one: self._archive_of(one, born)):
                seqs = [one.seq for one in part]
                self._add(archive, (seqs[0] - 1, seqs[-1]))

    def make_anew(self) -> None:
        """Make every file anew, each in place of the one that stands there."""
        self._settle()
        self._mend_all()
        for file in self._rows.files():
            self._write_whole(file.name)
        self.bring_up_to_date()

    def _archive_of(self, stored: StoredEvent, born: Mapping[str, Observation]) -> str:
        """Return which archive an event goes into: "shared", "system", or "" for the agent's own."""
        if self._target.is_shared:
            return "shared"
        is_birth = stored.event.type is EventType.OBSERVED
        return archive_of(born[stored.event.observation_id]) if is_birth else ""

    def _settle(self) -> None:
        for file in self._rows.files():
            if file.next_sha256 and mv2.digest_of(self._folder / file.name) == file.next_sha256:
                self._rows.settle(file.name)
            elif file.next_sha256:
                self._rows.abandon(file.name)

    def _mend_all(self) -> None:
        for file in self._rows.files():
            self._mend(file)

    def _mend(self, file: ArchiveFile) -> None:
        path = self._folder / file.name
        found = mv2.digest_of(path)
        if found and found == file.sha256:
            return
        if not path.is_symlink() and not path.exists():
            told = f"{path} was gone and has been rebuilt from the ledger."
        elif found and file.sha256 and self._is_just_ours(path, file):
            # A byte that says nothing, or another program has put it in order: not worth keeping.
            told = f"{path} was changed, although nothing in it was lost; it has been rebuilt."
        else:
            aside = files.set_aside(path, self._stamp)
            told = (
                f"{path} was damaged, or another program wrote to it: it is {aside.name} now, and was made "
                "anew from the ledger."
            )
        self._rows.lose(file.name)
        self._write_whole(file.name)
        self.done.mended.append(told)

    def _is_just_ours(self, path: Path, file: ArchiveFile) -> bool:
        """Tell whether every stretch of *file* is in the file at *path* as it was put, and nothing else."""
        wanted = {one.uri: one.sha256 for one in self._rows.stretches(file.name)}
        try:
            with mv2.scratch(self._target.layout.state) as folder:
                copy = folder / "copy.mv2"
                shutil.copyfile(path, copy)
                for found in mv2.read(copy, child=self._terms.child, is_stopped=self._terms.is_stopped):
                    if wanted.pop(found.uri, "") != found.metadata.get("sha256"):
                        return False
                    frames.unpack(found.metadata)
        except mv2.Unavailable:
            raise
        except (UserError, BadFrame, OSError):
            return False
        return not wanted

    def _add(self, archive: str, stretch: tuple[int, int]) -> None:
        """Put a stretch that no file holds into the newest file of *archive*, or the next one."""
        packed = self._packed([stretch])
        weight = sum(map(_weight, packed))
        ours = [one for one in self._rows.files() if one.name in self._series(archive)]
        last = ours[-1] if ours else None
        if last is None or _size_of(last.weight_bytes + weight) > _FULL_BYTES:
            self._begin(self._next_name(archive), packed)
            return
        is_loose = last.size_bytes > _LOOSE * _size_of(last.weight_bytes)
        try:
            if is_loose or last.size_bytes + _size_of(last.weight_bytes + weight) > mv2.CAPACITY_BYTES:
                self._write_whole(last.name, stretch)
            else:
                self._write(last.name, packed, base=self._folder / last.name)
        except mv2.Full:
            self._begin(self._next_name(archive), packed)
        else:
            self._count(packed)

    def _begin(self, name: str, packed: Sequence[Packed]) -> None:
        """Make a new file of as much of *packed* as it takes; the rest is still owed then."""
        path = self._folder / name
        if path.is_symlink() or path.exists():
            aside = files.set_aside(path, self._stamp)
            self.done.mended.append(
                f"{path} was there before this ledger: it is {aside.name} now. Next: scrimshaw import {aside}"
            )
        try:
            self._write(name, packed)
        except mv2.Full:
            if len(packed) == 1:
                raise
            self._begin(name, packed[: len(packed) // 2])
            return
        self._count(packed)

    def _write_whole(self, name: str, *more: tuple[int, int]) -> None:
        """Make a file anew of what it holds and *more*; each stretch is (after an event, until one)."""
        stretches: list[tuple[int, int]] = []
        for after_seq, until_seq in (
            *((one.first_seq - 1, one.last_seq) for one in self._rows.stretches(name)),
            *more,
        ):
            if stretches and stretches[-1][1] == after_seq:
                after_seq = stretches.pop()[0]
            stretches.append((after_seq, until_seq))
        self._write(name, self._packed(stretches))

    def _write(self, name: str, packed: Sequence[Packed], base: Path | None = None) -> None:
        """Write *packed* into a new file, or into a copy of *base*, and put it in place as *name*."""
        if not packed:
            return
        terms, path = self._terms, self._folder / name
        with mv2.scratch(self._target.layout.state) as folder:
            made = folder / name
            if base is not None:
                _copy(base, made)
            mv2.write(made, packed, child=terms.child, is_stopped=terms.is_stopped, on_frame=terms.on_frame)
            self._rows.intend(
                name,
                [_stretch(one) for one in packed],
                sha256=mv2.digest_of(made),
                size_bytes=made.stat().st_size,
                at_ms=milliseconds(self._now),
            )
            files.move_into(path, made, mode=0o600)
            self._rows.settle(name)
        self.done.files.append(name)

    def _packed(self, stretches: Iterable[tuple[int, int]]) -> list[Packed]:
        rows, target = self._rows, self._target
        packed: list[Packed] = []
        for after_seq, until_seq in stretches:
            last = after_seq
            while events := rows.events(last, until_seq, _EVENTS_AT_ONCE):
                born = {id_: without_secrets(line) for id_, line in rows.born(events).items()}
                cut = frames.cut(target.agent_id, events, born, target.zone, ledger=rows.ledger_id())
                packed += map(frames.pack, cut)
                last = events[-1].seq
        return packed

    def _count(self, packed: Sequence[Packed]) -> None:
        self.done.frames += len(packed)
        self.done.observations += sum(map(_observations, packed))

    def _series(self, archive: str) -> list[str]:
        names = {one.name for one in self._rows.files()}
        numbers = range(1, len(names) + 2)
        if archive:
            return [mv2.numbered(archive, number) for number in numbers]
        return [mv2.file_name(self._target.agent_id, number) for number in numbers]

    def _next_name(self, archive: str) -> str:
        names = {one.name for one in self._rows.files()}
        return next(name for name in self._series(archive) if name not in names)


def _copy(source: Path, copy: Path) -> None:
    try:
        shutil.copyfile(source, copy)
    except OSError as error:
        raise UserError(
            f"{source}: cannot be copied into {copy.parent} ({error.strerror}). No archive was changed.",
            next_step="make room, then run: scrimshaw archive",
        ) from error


def _stretch(one: Packed) -> FrameRecord:
    first, last = one.metadata["events"].split("-")
    return FrameRecord(one.uri, int(first), int(last), _observations(one), _weight(one), one.sha256)


def _observations(one: Packed) -> int:
    return int(one.metadata["observations"])


def _weight(one: Packed) -> int:
    return len(one.text.encode("utf-8", "replace")) + len(one.metadata["record"])


def _size_of(weight_bytes: int) -> int:
    """Return about what a file made of so much has."""
    return _START_BYTES + _GROWTH * weight_bytes
