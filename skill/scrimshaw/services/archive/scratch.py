"""What export and import share: a folder of their own beside the ledger, and memvid's words for a person.

Archives are made and read in a scratch folder inside `.scrimshaw`, or in a temporary one where nothing may be
written there, by the child process that runs memvid, and never where somebody else can see them. What a
killed run leaves is swept when it is a day old.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scrimshaw import files
from scrimshaw.archive import mv2
from scrimshaw.errors import UserError
from scrimshaw.layout import Layout
from scrimshaw.resources import adding
from scrimshaw.workspace import Target

ENDING = ".mv2"
SCRATCH = "carrying-"
_OLD_SECONDS = 86_400


@contextmanager
def scratch(layout: Layout) -> Iterator[Path]:
    """Yield a new folder that nobody else looks into; gone afterwards."""
    for left in layout.state.glob(f"{SCRATCH}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime >= _OLD_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
    folder = layout.state / f"{SCRATCH}{secrets.token_hex(8)}"
    try:
        files.own_folder(layout.workspace)
        folder.mkdir(mode=0o700)
    except (OSError, UserError):  # nothing may be written there, nor has to be
        folder = Path(tempfile.mkdtemp(prefix=layout.rehearsal_prefix))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def require_memvid(target: Target) -> None:
    """Raise UserError where the library that knows these files is not installed."""
    if not mv2.is_installed():
        raise UserError(
            "Archives need memvid-sdk, which is not installed. Nothing was read or written.",
            next_step=f"{adding('archives', has_host=not target.is_in_home)}, then the same command again",
        )


def archive_error(path: Path, error: UserError, state: str, next_step: str) -> UserError:
    """Return what went wrong with memvid in words that fit *path* and the *state* things are in."""
    said = error.problems[0].split(" Nothing ")[0].split(" No archive ")[0]
    said = said.partition(": ")[2] if said.startswith(f"{path.name}: ") else said
    return UserError(f"{path}: {said} {state}", next_step=next_step, exit_code=error.exit_code)
