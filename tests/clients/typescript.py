"""The real TypeScript compiler, installed once into a cache folder, from npm.

The folder is ${XDG_CACHE_HOME:-~/.cache}/scrimshaw-typescript; each version gets one of its own (25 MB), made
under a temporary name and renamed when it is whole.
"""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

VERSION = "5.9.3"
_INSTALL_SECONDS = 120
_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0")


@cache
def compiler() -> Path:
    """Return the compiler's program, for node; skips with the reason where it cannot be had."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not both installed, so there is no TypeScript compiler")
    target = _folder() / VERSION
    program = target / "node_modules" / "typescript" / "bin" / "tsc"
    if not program.exists():
        _install(npm, target)
    return program


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "scrimshaw-typescript"


def _install(npm: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{VERSION}.", dir=target.parent))
    try:
        (making / "package.json").write_text("{}\n", encoding="utf-8")
        done = subprocess.run(
            [npm, "install", *_QUIET, f"typescript@{VERSION}"],
            cwd=making,
            capture_output=True,
            text=True,
            check=False,
            timeout=_INSTALL_SECONDS,
        )
        if done.returncode:
            pytest.skip(f"npm does not reach a registry that has typescript {VERSION}")
        if not target.exists():
            making.rename(target)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm needed more than {_INSTALL_SECONDS} s for typescript {VERSION}")
    finally:
        shutil.rmtree(making, ignore_errors=True)
