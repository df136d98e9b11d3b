"""Find and call the `openclaw` program: argument lists, a time-out, bounded answers, nobody left behind.

The child leads a process group of its own, which is killed whole when the time is up: the program is a
launcher that starts others. OPENCLAW_STATE_DIR and OPENCLAW_CONFIG_PATH are always set, so that the host
that is meant is the one that answers, whatever profile this shell is in. Knows nothing of hooks or cron.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from scrimshaw.errors import UserError

NAME = "openclaw"
VARIABLE = "SCRIMSHAW_OPENCLAW"
MAX_ANSWER_BYTES = 4 * 1024 * 1024
_VERSION_SECONDS = 20.0
# What an install by npm, pnpm, brew or the host's own installer leaves off a service's or cron's PATH.
_USUAL = (
    "~/.local/bin",
    "~/.npm-global/bin",
    "~/.npm/bin",
    "~/.local/share/pnpm",
    "~/.local/share/pnpm/bin",
    "~/Library/pnpm",
    "~/.bun/bin",
    "~/.volta/bin",
    "~/.openclaw/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/local/bin",
    "/usr/bin",
)
_SHOWN_CHARS = 600
_LOOKS_SECONDS = 0.05  # how often is_stopped is asked


class OutOfTimeError(UserError):
    """The program was not done in time and was ended."""


class StoppedError(UserError):
    """We are to end ourselves, so the program was ended."""


class CommandOutput(NamedTuple):
    """What the program said; *out* and *err* hold at most MAX_ANSWER_BYTES each."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The end of what it printed, on one line: why it failed, as far as it says."""
        said = " ".join((self.err.strip() or self.out.strip()).split())
        return said[-_SHOWN_CHARS:] or f"it ended with {self.code} and said nothing"


def find_program(env: Mapping[str, str]) -> Path | None:
    """Return the program: $SCRIMSHAW_OPENCLAW, the PATH, then where installers put it; None when nowhere."""
    chosen = env.get(VARIABLE, "").strip()
    if chosen:
        path = Path(chosen).expanduser().absolute()
        return path if _is_program(path) else None
    on_path = shutil.which(NAME, path=env.get("PATH", ""))
    if on_path:
        return Path(on_path).absolute()
    home = Path(env.get("HOME") or Path.home())
    return next((path for path in _usual(home) if _is_program(path)), None)


class CalledHost(NamedTuple):
    """Which program is called, and for which host."""

    program: Path
    state_dir: Path
    config_path: Path
    env: Mapping[str, str]

    def call(
        self, *arguments: str, timeout_seconds: float, is_stopped: Callable[[], bool] | None = None
    ) -> CommandOutput:
        """Run `openclaw ARGUMENTS` and return what it says.

        A code other than 0 is an answer. Raises UserError when it cannot be started, OutOfTimeError when it
        is not done in time, StoppedError as soon as *is_stopped* says so; it and its children are ended then.
        """
        said = f"{NAME} {' '.join(arguments[:2])}"
        try:
            process = subprocess.Popen(
                [str(self.program), *arguments],
                env=_environment(self),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise UserError(
                f"{self.program} could not be started ({error.strerror}).",
                next_step=f"{self.program} --version",
            ) from error
        with process:
            readers = [_Reader(stream) for stream in (process.stdout, process.stderr) if stream is not None]
            try:
                code = _wait(process, timeout_seconds, is_stopped)
            except subprocess.TimeoutExpired as error:
                raise OutOfTimeError(
                    f"{said} did not answer within {timeout_seconds:g} seconds and was ended.",
                    next_step=f"see what it says by itself: {said}",
                ) from error
            finally:
                # Also after an answer: what it left running would hold our pipes open.
                _end_group(process)
                texts = [reader.text() for reader in readers]
        return CommandOutput(code, *texts)

    def version(self) -> tuple[int, ...] | None:
        """Return its version as numbers, (2026, 7, 1, 2) for "2026.7.1-2"; None when it gives none."""
        try:
            answer = self.call("--version", timeout_seconds=_VERSION_SECONDS)
        except UserError:
            return None
        found = re.search(r"\b\d{4}(?:[.-]\d+)+", answer.out)
        return tuple(map(int, re.split(r"[.-]", found[0]))) if found and not answer.code else None


def json_in(text: str) -> object | None:
    """Return the JSON value that ends *text*, None when there is none: notices may come before it."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if line[:1] not in ("{", "["):
            continue
        with suppress(ValueError):
            found: object = json.loads("\n".join(lines[start:]))
            return found
    with suppress(ValueError, IndexError):
        last: object = json.loads(lines[-1])
        return last
    return None


def _wait(
    process: subprocess.Popen[bytes], timeout_seconds: float, is_stopped: Callable[[], bool] | None
) -> int:
    if is_stopped is None:
        return process.wait(timeout_seconds)
    ends_at = time.monotonic() + timeout_seconds
    while not is_stopped():
        remaining_seconds = max(0.0, ends_at - time.monotonic())
        try:
            return process.wait(min(_LOOKS_SECONDS, remaining_seconds))
        except subprocess.TimeoutExpired:
            if not remaining_seconds:
                raise
    raise StoppedError(f"{NAME} was ended, because this program is ending.")


class _Reader:
    """Empties one pipe as it fills, keeps the first MAX_ANSWER_BYTES and lets the rest go."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self) -> str:
        self._thread.join(2.0)  # the group is gone: what is in the pipe is all there will be
        return bytes(self._kept).decode("utf-8", "replace")

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(self._stream.fileno(), 65_536):
                self._kept += piece[: MAX_ANSWER_BYTES - len(self._kept)]


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _environment(host: CalledHost) -> dict[str, str]:
    # The launcher asks for `node` on the PATH: beside it, where it was installed, is the one it came with.
    path = os.pathsep.join(filter(None, [host.env.get("PATH", ""), str(host.program.parent)]))
    # A profile would be joined to the state folder, which is already the profile's own.
    rest = {name: value for name, value in host.env.items() if name != "OPENCLAW_PROFILE"}
    place = {"OPENCLAW_STATE_DIR": str(host.state_dir), "OPENCLAW_CONFIG_PATH": str(host.config_path)}
    return {**rest, **place, "NO_COLOR": "1", "PATH": path}


def _usual(home: Path) -> Iterator[Path]:
    for folder in _USUAL:
        path = home / folder[2:] if folder.startswith("~/") else Path(folder)
        yield path / NAME
    for pattern in (".nvm/versions/node/*/bin", ".local/share/fnm/node-versions/*/installation/bin"):
        # The newest Node that has it.
        yield from sorted((folder / NAME for folder in home.glob(pattern)), reverse=True)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
