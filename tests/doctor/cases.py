"""A machine to be examined, what stands in it, and what the doctor found."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from tests.places import NOW, Place
from tests.stores import FakeSession

from scrimshaw import __version__, heartbeat
from scrimshaw.doctor import Examination, Finding, Severity, examine
from scrimshaw.heartbeat import Beat
from scrimshaw.host import hooks
from scrimshaw.locks import presence_lock
from scrimshaw.workspace import Wanted

MOMENT = datetime.fromisoformat(NOW)
MOMENT_MS = int(MOMENT.timestamp() * 1000)
HOUR_MS = 3_600_000


def machine(root: Path, kind: str = "sqlite") -> Place:
    """Return a machine whose agent was talked to a minute ago, set up and up to date."""
    place = Place(root / "machine", kind, [FakeSession(at_ms=MOMENT_MS - 60_000)])
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    if kind == "jsonl":
        set_age(place.store, MOMENT_MS)
    assert place.run("observe", "--yes", "--now").code == 0
    return place


def set_age(folder: Path, at_ms: int) -> None:
    """Let the files in *folder* look as if last written at *at_ms*."""
    for path in folder.iterdir():
        os.utime(path, (at_ms / 1000, at_ms / 1000))


def environment(place: Place, **more: str) -> dict[str, str]:
    """Return the environment of a person on this machine; the clock is what `examined` is told."""
    given = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), "TMPDIR": str(place.root)}
    return {**given, "XDG_CONFIG_HOME": str(place.root / ".config"), **more}


def examined(place: Place, moment: datetime = MOMENT, **more: str) -> Examination:
    """Return what the doctor finds on this machine."""
    return examine(Wanted(), environment(place, **more), moment)


def about(examination: Examination, topic: str) -> list[Finding]:
    """Return what was found about *topic*, the worst first."""
    found = [finding for finding in examination.findings if finding.topic == topic]
    return sorted(found, key=lambda finding: -finding.severity)


def worst(examination: Examination, topic: str) -> tuple[Severity, str]:
    """Return the worst of *topic*: how bad, and everything that is said."""
    finding = about(examination, topic)[0]
    return finding.severity, " ".join([finding.what, *finding.next_step])


@contextlib.contextmanager
def daemon(place: Place, version: str = __version__, at: datetime = MOMENT) -> Iterator[None]:
    """Be the daemon of this workspace, which said *at* that it waits."""
    state = place.workspace / ".scrimshaw"
    stamp = at.isoformat(timespec="seconds")
    with presence_lock(state, by="daemon", now=at):
        heartbeat.write(state, Beat(os.getpid(), version, stamp, stamp, "waiting", "", ""))
        yield


def change_store(place: Place, sql: str, *values: object) -> None:
    """Change the host's store."""
    with contextlib.closing(sqlite3.connect(place.store)) as connection, connection:
        connection.execute(sql, values)


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return mode, time of change and content of everything below *folder*."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, data)
    return found


def gateway(place: Place, started_at: datetime = MOMENT - timedelta(minutes=5), **more: object) -> None:
    """Let this process hold the lock of the host's gateway."""
    folder = place.state / "tmp" / f"openclaw-{os.getuid()}"
    folder.mkdir(parents=True, exist_ok=True)
    said = {"pid": os.getpid(), "createdAt": started_at.isoformat(), "configPath": "", "port": 1, **more}
    (folder / "gateway.state.lock").write_text(json.dumps(said))


def hook(
    place: Place,
    *,
    program: tuple[str, ...] = (sys.executable,),
    workspaces: dict[str, Path] | None = None,
    pid: int | None = None,
    loaded_at: datetime = MOMENT - timedelta(minutes=4),
    version: str = "",
    events: dict[str, object] | None = None,
) -> None:
    """Place and select the hook, as an install does, and let it say that a gateway has loaded it."""
    folder = hooks.folder(place.state)
    folder.mkdir(parents=True, exist_ok=True)
    served = workspaces or {"main": place.workspace}
    settings = hooks.HookSettings(program, place.state, place.state / "openclaw.json", 20, served)
    texts = hooks.files_of(settings)
    for name, text in texts.items():
        (folder / name).write_text(text)
    alive = {
        "pid": pid or os.getpid(),
        "loaded_at": loaded_at.isoformat(),
        "version": version or hooks.handler_version(texts["handler.ts"]),
        "events": events or {},
    }
    (folder / "alive.json").write_text(json.dumps(alive))
    path = place.state / "openclaw.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "hooks": {"internal": {"enabled": True}}}))
