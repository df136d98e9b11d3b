"""What an install has made, so that an uninstall can remove exactly that.

One file for each host (state directory), readable by its owner alone, outside of the workspaces so that it
survives a wiped workspace. Every change is recorded before it is made, so a killed install leaves nothing
that is not recorded. A record is never weakened by a later one: what was found before the first install
remains what an uninstall restores.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from scrimshaw import files
from scrimshaw.errors import Exit, UserError
from scrimshaw.host.cron import stands
from scrimshaw.layout import receipts_folder

VERSION = 1
_LARGEST_BYTES = 8 * 1024 * 1024


class _Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    path: str


class MadeFolder(_Made, frozen=True, tag="folder"):
    """A folder that did not exist before."""


class MadeFile(_Made, frozen=True, tag="file"):
    """A file of ours; *sha256* lists the contents we gave it, newest last."""

    sha256: tuple[str, ...]


class MadeSnippet(_Made, frozen=True, tag="snippet"):
    """The block in AGENTS.md; *inners* lists the texts we gave it, newest last."""

    inners: tuple[str, ...]
    file_existed: bool


class MadeConfig(_Made, frozen=True, tag="config"):
    """Our hook's selection in the host's configuration. *copy* holds the file as it was before."""

    copy: str
    before_sha256: str
    master_before: bool | None  # hooks.internal.enabled


class MadePlugin(_Made, frozen=True, tag="plugin"):
    """Our plug-in in the host's configuration; *path* is the folder that it is loaded from."""


class MadeCron(_Made, frozen=True, tag="cron"):
    """Our cron job at the host; *path* is the host's state directory."""

    job_id: str = ""


class MadeMemory(_Made, frozen=True, tag="memory"):
    """A workspace as it was before its first observe, and whether that has been done."""

    existed: tuple[str, ...]  # of MEMORY.md, memory, memory/observations, .scrimshaw
    heading_content: str | None = None  # the exact text under a heading of the person's own
    newlines: tuple[str, ...] = ()  # line breaks added around the section: "before", "behind"
    is_done: bool = False


class MadeJob(NamedTuple):
    """Our job at the host, according to its receipt and the host's own store."""

    id: str
    stands: Literal["enabled", "disabled", "gone", "unknown"]

    @property
    def is_at_work(self) -> bool:
        """Whether it runs, as far as can be seen."""
        return self.stands in ("enabled", "unknown")

    @property
    def problem(self) -> str:
        """What keeps it from running, or ""."""
        return {
            "disabled": "the job in the host's own scheduler (openclaw cron) is disabled",
            "gone": "the job that an install has put into the host's own scheduler (openclaw cron) is gone",
        }.get(self.stands, "")

    @property
    def next_step(self) -> str:
        """How to get it running again."""
        enable = f"openclaw cron enable {self.id}"
        return enable if self.stands == "disabled" else "scrimshaw install --keep-fresh cron"


Record = MadeFolder | MadeFile | MadeSnippet | MadeConfig | MadePlugin | MadeCron | MadeMemory
R = TypeVar("R", bound=Record)


class Receipt(msgspec.Struct, frozen=True):
    """Everything made for one host, oldest first."""

    state_dir: str
    config_path: str
    records: tuple[Record, ...]

    def find(self, kind: type[R], path: Path | str) -> R | None:
        wanted = str(path)
        return next((r for r in self.records if isinstance(r, kind) and r.path == wanted), None)

    def every(self, kind: type[R]) -> list[R]:
        """Return all records of *kind*, oldest first."""
        return [record for record in self.records if isinstance(record, kind)]

    def noted(self, record: Record) -> Receipt:
        """Return the receipt with *record*, merged with an earlier record of the same thing."""
        known = self.find(type(record), record.path)
        if known is None:
            return replace(self, records=(*self.records, record))
        joined = _joined(known, record)
        return replace(self, records=tuple(joined if r is known else r for r in self.records))

    def without(self, kind: type[Record], path: Path | str) -> Receipt:
        """Return the receipt without the record of *kind* for *path*."""
        gone = self.find(kind, path)
        return replace(self, records=tuple(r for r in self.records if r is not gone))


def _joined(known: Record, new: Record) -> Record:
    match known, new:
        case MadeFile(), MadeFile():
            kept = (one for one in known.sha256 if one not in new.sha256)
            return replace(known, sha256=(*kept, *new.sha256))
        case MadeSnippet(), MadeSnippet():
            kept = (one for one in known.inners if one not in new.inners)
            return replace(known, inners=(*kept, *new.inners))
        case MadeCron(), MadeCron():
            return replace(known, job_id=new.job_id or known.job_id)
        case MadeMemory(), MadeMemory():
            # The text under a heading without markers now is newer than the text recorded then.
            found = known if new.heading_content is None else new
            return replace(
                known,
                heading_content=found.heading_content,
                newlines=found.newlines,
                is_done=known.is_done or new.is_done,
            )
        case _:
            return known


def folder(env: Mapping[str, str]) -> Path:
    return receipts_folder(env, Path(env.get("HOME") or Path.home()))


def path_of(env: Mapping[str, str], state_dir: Path) -> Path:
    name = sha256(str(state_dir.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return folder(env) / f"{name}.json"


def load_receipt(env: Mapping[str, str], state_dir: Path) -> Receipt | None:
    """Return the receipt for the host of *state_dir*, None without one; UserError for a damaged one."""
    return _read(path_of(env, state_dir))


def job_of(receipt: Receipt | None) -> MadeJob | None:
    """Return the host's job that an install has made, and its state; None without one.

    If the host's store says nothing about it, the receipt is believed: it runs.
    """
    for made in receipt.every(MadeCron) if receipt else ():
        found = stands(Path(made.path), made.job_id)
        return MadeJob(made.job_id, found if made.job_id else "unknown")
    return None


def job_at(env: Mapping[str, str], state_dir: Path) -> MadeJob | None:
    """Return `job_of` the receipt for the host of *state_dir*; None for a damaged receipt."""
    try:
        return job_of(load_receipt(env, state_dir))
    except UserError:
        return None


def setting_up(env: Mapping[str, str], state_dir: Path) -> str:
    """Return the command that sets up one more workspace of a host.

    If an install was made for the host, installing again does all that a workspace needs: the skill,
    AGENTS.md, the hook's settings. Otherwise the person works without an install, and agrees to the memory
    alone.
    """
    return "scrimshaw install" if path_of(env, state_dir).is_file() else "scrimshaw init"


def load_all(env: Mapping[str, str]) -> list[Receipt]:
    found = [_read(path) for path in sorted(folder(env).glob("*.json"))]
    return [receipt for receipt in found if receipt is not None]


def save(env: Mapping[str, str], receipt: Receipt) -> None:
    """Write *receipt*, or remove its file when it is empty."""
    path = path_of(env, Path(receipt.state_dir))
    if not receipt.records:
        _remove(path)
        return
    _make_folder(path.parent)
    files.sweep(path.parent)
    told = {"version": VERSION, **msgspec.to_builtins(receipt)}
    data = json.dumps(told, indent=1, ensure_ascii=True).encode()  # a path may be no UTF-8
    files.replace(path, data, expected=None, new_mode=0o600)


def keep_copy(env: Mapping[str, str], state_dir: Path, data: bytes) -> Path:
    """Keep *data*, an earlier configuration, beside the receipt (mode 0600) and return its path."""
    path = path_of(env, state_dir).with_suffix(".config")
    _make_folder(path.parent)
    files.replace(path, data, expected=None, new_mode=0o600)
    return path


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@contextmanager
def alone(env: Mapping[str, str], *, makes: bool) -> Iterator[None]:
    """Hold the lock for installs and uninstalls of this user: two would overwrite each other's receipts.

    *makes*: create the folder of the receipts if missing; otherwise a missing folder needs no lock.
    """
    base = folder(env).parent.parent  # stays when the last receipt is gone
    if makes:
        _make_folder(folder(env))
    try:
        descriptor = os.open(base, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield
        return
    except OSError as error:
        raise _no_place(base, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise UserError(
            "Another install or uninstall is at work. Nothing was changed by this one.",
            next_step="when it is done, run the same command again",
            exit_code=Exit.LOCKED,
        ) from error
    except OSError:
        pass  # a file system without locks
    try:
        yield
    finally:
        _remove_empty(folder(env))
        os.close(descriptor)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
    except OSError as error:
        raise _no_place(path, error) from error


def _no_place(path: Path, error: OSError) -> UserError:
    return UserError(
        f"{path}: receipts of an install cannot be kept there ({error.strerror}). Without one nothing is "
        "installed or taken away; nothing was changed.",
        next_step=f"make it a folder that you can write to: ls -ld {path.parent}",
    )


def _remove(path: Path) -> None:
    files.sweep(path.parent)
    # The receipt last: without it the copy would be unknown.
    for file in (path.with_suffix(".config"), path):
        file.unlink(missing_ok=True)
    _remove_empty(path.parent)


def _remove_empty(place: Path) -> None:
    for empty in (place, place.parent):
        try:
            empty.rmdir()
        except OSError:
            return  # other receipts are in it


def _read(path: Path) -> Receipt | None:
    raw = files.read_bytes(path, _LARGEST_BYTES)
    if not isinstance(raw, bytes):
        return None
    try:
        return _checked(json.loads(raw))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(
            f"{path}: this receipt of an install cannot be read ({type(error).__name__}: {error}). Nothing "
            "was changed.",
            next_step=f"move it away, then run scrimshaw install again: mv {path} {path}.aside",
        ) from error


def _checked(said: Mapping[str, object]) -> Receipt:
    if said["version"] != VERSION:
        raise ValueError(f"version {said['version']!r}")
    receipt = msgspec.convert(said, Receipt)
    for path in (record.path for record in receipt.records):
        if not path.startswith("/") or {"..", "\0"} & {*path.split("/"), *path}:
            raise ValueError(f"{path!r} is no path of an install")
    return receipt
