"""The wheel that pip builds: the package, and nothing that belongs to the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scrimshaw import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_wheel_holds_the_package_only(tmp_path):
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    assert wheel.name.startswith(f"scrimshaw-{__version__}-py3-")
    assert "scrimshaw/cli/__init__.py" in names
    assert {name.split("/")[0] for name in names} == {"scrimshaw", f"scrimshaw-{__version__}.dist-info"}
