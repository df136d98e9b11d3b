"""The wheel that pip builds: the package with its templates, and nothing that belongs to the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scrimshaw import __version__
from scrimshaw.resources import template

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.mark.slow
def test_the_wheel_holds_the_package_only(wheel):
    names = zipfile.ZipFile(wheel).namelist()

    assert wheel.name.startswith(f"scrimshaw-{__version__}-py3-")
    assert "scrimshaw/cli/__init__.py" in names
    assert {"scrimshaw/templates/scrimshaw.service", "scrimshaw/templates/scrimshaw.plist"} <= set(names)
    lists = {path.relative_to(ROOT / "skill").as_posix() for path in (ROOT / "skill").rglob("data/**/*.txt")}
    assert "scrimshaw/data/dates/de.txt" in lists
    assert lists == {name for name in names if name.endswith(".txt") and name.startswith("scrimshaw/")}
    assert {"scrimshaw/SKILL.md", "scrimshaw/templates/hook/handler.ts"} <= set(names)
    assert {name.split("/")[0] for name in names} == {"scrimshaw", f"scrimshaw-{__version__}.dist-info"}


@pytest.mark.slow
def test_a_program_installed_from_the_wheel_finds_its_templates_and_word_lists(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)

    asked = (
        "import scrimshaw.resources as r; print(r.__file__); print(r.template('scrimshaw.service'), end='');"
        "from scrimshaw import data; assert 'montag' in data.lines('dates/de', 'weekday')[0]"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    place, _, text = done.stdout.partition("\n")

    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "scrimshaw" / "resources.py") == place
    assert (ROOT / "templates" / "scrimshaw.service").read_text("utf-8") == text


@pytest.mark.parametrize("name", ["scrimshaw.service", "scrimshaw.plist"])
def test_a_checkout_finds_its_templates(name):
    assert (ROOT / "templates" / name).read_text("utf-8") == template(name)
