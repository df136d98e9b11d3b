"""Export an agent's archive, or import one, checked as on the command line."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import FileResponse, JSONResponse
from starlette.background import BackgroundTask

from scrimshaw.errors import UserError
from scrimshaw.services.archive import bundle
from scrimshaw.web.access import Owner, Reader
from scrimshaw.web.agents import Agents
from scrimshaw.web.threads import at_length
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import PREFIX, json_answer, responses

router = APIRouter(prefix=PREFIX, tags=["carrying"])
_PIECE = 1024 * 1024
_OLD_SECONDS = 86_400.0
_UNITS = ("B", "kB", "MB", "GB")
_Time = Annotated[str | None, Query(min_length=1, max_length=100)]
_ARCHIVE = responses(None, 200)
_ARCHIVE[200] = {
    "description": "The archive.",
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


@router.get("/export/{agent}", responses=_ARCHIVE, response_class=FileResponse)
def export(agent: shapes.AgentPath, caller: Reader, since: _Time = None, until: _Time = None) -> FileResponse:
    """Return the agent's memory, or some days of it, as one file: an archive, or a tar of several."""
    memory = caller.memory(agent)
    with at_length(), _place(caller.agents) as folder:
        done = memory.export(folder / "memory.mv2", since=since, until=until)
        kept, name = folder.with_suffix(".mv2"), f"{memory.agent}.mv2"
        if len(done.paths) > 1:  # more than memvid lets one archive hold
            bundle.pack(done.paths, kept)
            name += bundle.ENDING
        else:
            done.paths[0].rename(kept)
    return FileResponse(
        kept,
        media_type="application/octet-stream",
        filename=name,
        background=BackgroundTask(kept.unlink, missing_ok=True),
    )


@router.post("/import", responses=responses(shapes.ImportTold))
def import_(
    caller: Owner, agent: Annotated[shapes.AgentName, Form()], file: Annotated[UploadFile, File()]
) -> JSONResponse:
    """Import an archive, checked as on the command line; importing it twice changes nothing."""
    memory = caller.memory(agent, makes=True)
    with at_length(), _place(caller.agents) as folder:
        path = folder / "upload.mv2"
        with path.open("xb") as kept:
            shutil.copyfileobj(file.file, kept, _PIECE)
        size = path.stat().st_size
        try:
            done = memory.import_(path)
        except UserError as error:
            # The server's path is of no use to the sender.
            told = [one.replace(str(path), "The file") for one in error.problems]
            raise UserError(*told, next_step=error.next_step, exit_code=error.exit_code) from error
    return json_answer(
        {
            "agent": memory.agent,
            "frames_imported": done.frames,
            "file_size": size_told(size),
            "status": "imported",
        }
    )


def size_told(size_bytes: int) -> str:
    """Return a size in a readable unit: "2.4 MB"."""
    size, unit = float(size_bytes), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{size_bytes} B"


@contextmanager
def _place(agents: Agents) -> Iterator[Path]:
    """Yield a folder of the server's own, deleted afterwards; also delete what a killed server left."""
    parent = agents.folder / "transfers"
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in parent.iterdir():
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _OLD_SECONDS:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    folder = parent / secrets.token_hex(8)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
