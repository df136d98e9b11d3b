"""What is released: sdist and wheel, built here, installed into a clean environment, and used there."""

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from scrimshaw import __version__

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "skill" / "scrimshaw"

pytestmark = pytest.mark.slow


def _run(words: Sequence[object], cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, and the wheel that is made of it alone, as an installer makes it."""
    folder = tmp_path_factory.mktemp("built")
    hatch = (sys.executable, "-m", "hatchling", "build", "-d", folder, "-t")
    _run([*hatch, "sdist"], ROOT)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as sdist:
        sdist.extractall(folder, filter="data")
    _run([*hatch, "wheel"], folder / f"scrimshaw-{__version__}")
    return folder


def test_the_wheel_holds_every_file_of_the_package_and_what_it_reads(built: Path) -> None:
    kept = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    wanted = {f"scrimshaw/{path.relative_to(PACKAGE)}" for path in kept}
    wanted |= {
        f"scrimshaw/{path.relative_to(ROOT)}"
        for folder in ("templates", "plugin")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }

    with zipfile.ZipFile(built / f"scrimshaw-{__version__}-py3-none-any.whl") as wheel:
        held = set(wheel.namelist())

    assert wanted | {"scrimshaw/SKILL.md", "scrimshaw/py.typed"} <= held
    assert not [name for name in held if name.startswith(("tests/", "bench/"))]


def test_a_clean_environment_has_a_working_command(built: Path, tmp_path: Path) -> None:
    _run([sys.executable, "-m", "venv", tmp_path / "venv"], tmp_path)
    program = tmp_path / "venv" / "bin"
    installed = subprocess.run(
        [program / "python", "-m", "pip", "install", "-q", next(built.glob("*.whl"))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    if "No matching distribution" in installed.stderr or "Could not find a version" in installed.stderr:
        pytest.skip("no package index can be reached for the dependencies")
    assert installed.returncode == 0, installed.stderr
    _run([sys.executable, ROOT / "demo" / "lay_out.py", tmp_path / "demo"], tmp_path)
    where = ("--workspace", tmp_path / "demo" / "workspace", "--state-dir", tmp_path / "demo" / "state")
    now = "2026-10-15T21:00:00+01:00"

    version = _run([program / "scrimshaw", "--version"], tmp_path)
    _run([program / "scrimshaw", "observe", *where, "--yes"], tmp_path, SCRIMSHAW_NOW=now)
    skill = _run(
        [program / "python", "-c", "import scrimshaw.resources as r; print(r.skill_text())"], tmp_path
    )

    assert __version__ in version
    assert "## Observations" in (tmp_path / "demo" / "workspace" / "MEMORY.md").read_text(encoding="utf-8")
    assert "observational-memory" in skill
