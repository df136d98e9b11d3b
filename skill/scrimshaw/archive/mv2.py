"""`.mv2` files, from the parent's side: what is asked of the child that runs memvid, within limits.

`write` makes a file of frames or adds to one, has memvid verify it and reads every frame back; `read` returns
all frames of a file; `check` asks memvid whether a file is whole. Each starts one child, in a process group
of its own, which is ended when the time is up, when it takes too much memory or room, or when `is_stopped`
says so. Nothing here replaces a file that others see: callers work in a `scratch` folder and put what came
of it in its place when it is good. The child gets no key, no proxy and no home, so it has nobody to call.

Memvid missing, slow or broken is a UserError like any other, and says that nothing was lost by it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.errors import UserError
from scrimshaw.files import open_regular
from scrimshaw.piped import PipedChild
from scrimshaw.resources import adding

if TYPE_CHECKING:
    from scrimshaw.archive.frames import Packed  # `status` needs no codec

LIBRARY = "memvid_sdk"
# What memvid grants a file without a key of its own.
CAPACITY_BYTES = 52_428_800
# Names for archives that several agents share, and for our own.
RESERVED = ("shared", "system")
_SCRATCH = "archiving-"
_MOST_ANSWER_BYTES = 192 * 1024 * 1024
# What the child needs of the environment: no key, no proxy, nothing of another program's.
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "TZ")


class Unavailable(UserError):  # noqa: N818  # a state to be expected, not a fault
    """Memvid is not installed, or does not start here."""


class ChildStopped(Exception):  # noqa: N818  # asked for, not a fault
    """We are to end ourselves, so the child was ended."""


class Full(UserError):  # noqa: N818  # a state to be expected, not a fault
    """The file would pass what memvid grants it."""


class Broken(UserError):  # noqa: N818  # of a file, not of ours
    """Memvid cannot make anything of the file, or did not make of it what it was asked to."""


class Child(NamedTuple):
    """How the child is started and what it may take."""

    command: tuple[str, ...] = (sys.executable, "-P", "-m", "scrimshaw.archive.child")
    seconds: float = 120.0  # and for each frame:
    frame_seconds: float = 4.0
    memory_bytes: int = 3 * 1024**3  # of addresses; and of real memory, where that can be seen:
    resident_bytes: int = 1024**3
    file_bytes: int = 4 * CAPACITY_BYTES
    niceness: int = 0  # more lets others go first


CHILD = Child()


class ArchivedFrame(NamedTuple):
    """One frame of a file; *text* is empty for one of ours, whose exact part is in *metadata*."""

    uri: str
    title: str
    at_seconds: int
    metadata: Mapping[str, str]
    text: str


def _never() -> bool:
    return False


def is_installed() -> bool:
    """Tell whether memvid is there, without loading it."""
    try:
        return find_spec(LIBRARY) is not None
    except (ImportError, ValueError):
        return False


def write(
    path: Path,
    frames: Sequence[Packed],
    *,
    child: Child = CHILD,
    is_stopped: Callable[[], bool] = _never,
    on_frame: Callable[[int], None] = lambda _done: None,
) -> None:
    """Make the file at *path* of *frames*, or add them to the one that is there, and verify it.

    *path* lies in a scratch folder. After any error it is worth nothing: Unavailable, Full, Broken,
    ChildStopped, or a UserError of the system's (the disk is full, out of time). *on_frame* is told how many
    are in.
    """
    kept: dict[str, str] = {}
    done = 0
    wanted = [
        {"uri": f.uri, "title": f.title, "text": f.text, "at_seconds": f.at_seconds, "metadata": f.metadata}
        for f in frames
    ]
    for reply in _called(child, "write", path, wanted, is_stopped):
        if "put" in reply:
            done += 1
            on_frame(done)
        elif "kept" in reply:
            kept[str(reply["kept"])] = str(reply["sha256"])
    for frame in frames:
        metadata = json.dumps(dict(frame.metadata), sort_keys=True)
        if kept.get(frame.uri) != sha256(metadata.encode()).hexdigest():
            raise Broken(
                f"{path.name}: memvid does not give back what was put into it ({frame.uri}). "
                "Nothing was lost: the ledger holds it all.",
                next_step="scrimshaw archive; if it stays: pip install --upgrade memvid-sdk",
            )


def read(path: Path, *, child: Child = CHILD, is_stopped: Callable[[], bool] = _never) -> list[ArchivedFrame]:
    """Return every frame of the file at *path*, a copy in a scratch folder; raises as `write` does."""
    return [
        ArchivedFrame(
            str(reply["uri"]),
            str(reply["title"]),
            int(reply["at_seconds"]),
            {str(name): str(value) for name, value in reply["metadata"].items()},
            str(reply["text"]),
        )
        for reply in _called(child, "read", path, (), is_stopped)
        if "uri" in reply
    ]


@contextmanager
def scratch(state: Path) -> Iterator[Path]:
    """Yield a new folder inside the state folder that nobody else looks into; gone afterwards."""
    folder = state / f"{_SCRATCH}{secrets.token_hex(8)}"
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise _system(folder, error.errno or 0, str(error)) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def digest_of(path: Path) -> str:
    """Return the sha256 of the file at *path*, "" when there is no regular file."""
    digest = sha256()
    try:
        with open_regular(path) as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError:
        return ""
    return digest.hexdigest()


def file_name(agent_id: str, number: int) -> str:
    """Return the name of an agent's archive: AGENT.mv2, then AGENT.002.mv2 and so on."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", agent_id)[:48]
    if name != agent_id or name.lower() in RESERVED:
        # Keep two ids apart that map to the same file name.
        name = f"{name}-{sha256(agent_id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return numbered(name, number)


def numbered(name: str, number: int) -> str:
    """Return the name of a file of the archive *name*."""
    return f"{name}.mv2" if number == 1 else f"{name}.{number:03}.mv2"


def sweep_scratch(state: Path) -> None:
    """Remove the scratch folders that killed runs left; only while nobody else can be at work in one."""
    for folder in state.glob(f"{_SCRATCH}*"):
        shutil.rmtree(folder, ignore_errors=True)


# -- the child --------------------------------------------------------------------------------------------


def _called(
    child: Child,
    what: str,
    path: Path,
    frames: Sequence[Mapping[str, object]],
    is_stopped: Callable[[], bool],
) -> Iterator[Mapping[str, Any]]:
    """Start the child for one request and yield what it answers, until it says that it is done."""
    limits = {"RLIMIT_AS": child.memory_bytes, "RLIMIT_FSIZE": child.file_bytes, "RLIMIT_CORE": 0}
    request = {"do": what, "path": str(path), "frames": len(frames), "limits": limits, "nice": child.niceness}
    process = _started(child, path.parent)

    def look() -> None:
        if is_stopped():
            raise ChildStopped
        if _resident_bytes(process.pid) > child.resident_bytes:
            raise _too_much(f"memvid took more than {child.resident_bytes // 1024**2:,} MB and was ended")

    is_done = False
    try:
        process.tell([request, *frames])
        ends_at = time.monotonic() + child.seconds + child.frame_seconds * len(frames)
        while line := process.line(ends_at - time.monotonic(), look):
            reply = _parsed(line)
            _raise_trouble(reply, path)
            is_done = is_done or "done" in reply
            yield reply
    except TimeoutError:
        raise _too_much(f"memvid was not done in time ({what}) and was ended") from None
    finally:
        process.end()
    if not is_done:
        told = " ".join(process.why_ended[-300:].split())
        raise Broken(
            f"{path.name}: the process that runs memvid did not finish ({told}). "
            "Nothing was lost: the ledger holds it all.",
            next_step="scrimshaw archive; if it stays: pip install --upgrade memvid-sdk",
        )


def _started(child: Child, folder: Path) -> PipedChild:
    env = {name: value for name in _KEPT_VARIABLES if (value := os.environ.get(name)) is not None}
    env |= {
        "MEMVID_TELEMETRY": "0",
        "MEMVID_OFFLINE": "1",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "RAYON_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        return PipedChild(child.command, env, _MOST_ANSWER_BYTES, cwd=folder, complains=True)
    except OSError as error:
        raise _system(folder, error.errno or 0, str(error)) from error


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise _too_much("the process that runs memvid answered in a form that is not its own")
    return said


def _raise_trouble(reply: Mapping[str, Any], path: Path) -> None:
    said = " ".join(str(reply.get("said", "")).split())
    match reply.get("trouble"):
        case None:
            return
        case "missing":
            raise Unavailable(
                f"Archives need memvid-sdk, which is not installed or does not load here ({said}). "
                "Nothing is lost by it: the ledger and the dated files hold everything.",
                next_step=adding("archives", has_host=False),
            )
        case "full":
            raise Full(f"{path.name}: memvid grants a file no more room ({said}).")
        case "system":
            raise _system(path, int(reply.get("errno", 0)), said)
        case _ if "No space left" in said or "os error 28" in said:
            raise _system(path, errno.ENOSPC, said)
        case _:
            raise Broken(
                f"{path.name}: memvid cannot work with this file ({said}).",
                next_step="scrimshaw archive; if it stays: pip install --upgrade memvid-sdk",
            )


def _too_much(what: str) -> UserError:
    return UserError(
        f"{what[0].upper()}{what[1:]}. Nothing was lost: the ledger holds it all.",
        next_step="scrimshaw archive (it begins again where it stopped)",
    )


def _system(path: Path, number: int, said: str) -> UserError:
    if number in (errno.ENOSPC, errno.EDQUOT):
        told, next_step = "the disk is full", "make room, then run: scrimshaw archive"
    else:
        told, next_step = said or os.strerror(number), f"ls -ld {path.parent}"
    return UserError(
        f"{path}: {told}. No archive was changed, and nothing was lost: the ledger holds it all.",
        next_step=next_step,
    )


def _resident_bytes(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0  # elsewhere only the limit that the child takes upon itself holds
    return pages * os.sysconf("SC_PAGE_SIZE")
