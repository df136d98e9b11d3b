"""What is published of the client for Node: its size, and its types as the real compiler reads them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.clients.conftest import NODE_CLIENT
from tests.clients.typescript import compiler

MOST_BYTES = 20 * 1024
EVERY = (Path(__file__).parent / "typed.ts").read_text("utf-8")
BY_DEFAULT = """
import Memory from 'scrimshaw';
export const memory: Memory = new Memory({ dataDir: '.' });
"""
BY_REQUIRE = """
import scrimshaw = require('scrimshaw');
export const memory: scrimshaw.ObservationalMemory = new scrimshaw.ObservationalMemory({ dataDir: '.' });
"""
AS_A_PROGRAM = "export const run = (memory: import('scrimshaw').ObservationalMemory) => memory."


def published() -> list[str]:
    """Return the names of what goes into the package; npm adds its own description."""
    return [*json.loads((NODE_CLIENT / "package.json").read_text("utf-8"))["files"], "package.json"]


def compiled(folder: Path, name: str, text: str, module: str = "node16") -> subprocess.CompletedProcess[str]:
    """Compile *text* beside the package as npm would put it there."""
    program = compiler()
    package = folder / "node_modules" / "scrimshaw"
    package.mkdir(parents=True)
    for one in published():
        shutil.copyfile(NODE_CLIENT / one, package / one)
    (folder / name).write_text(text, encoding="utf-8")
    strict = ["--strict", "--noUnusedLocals", "--target", "es2022", "--lib", "es2022"]
    return subprocess.run(
        ["node", str(program), *strict, "--module", module, "--outDir", "made", name],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_published_is_small_and_needs_nothing_else() -> None:
    about = json.loads((NODE_CLIENT / "package.json").read_text("utf-8"))

    assert not [name for name in about if "ependencies" in name]
    assert sum((NODE_CLIENT / name).stat().st_size for name in published()) <= MOST_BYTES


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("every.mts", EVERY),
        ("every.cts", EVERY),
        ("plain.mts", BY_DEFAULT),
        ("plain.cts", BY_REQUIRE),
    ],
)
def test_a_program_compiles_by_import_and_by_require(tmp_path: Path, name: str, text: str) -> None:
    done = compiled(tmp_path, name, text)

    assert (done.returncode, done.stdout) == (0, "")


def test_what_was_compiled_finds_the_same_class(tmp_path: Path) -> None:
    """What the types promise of a default export is there, and what they leave out is not."""
    by_import, by_require = tmp_path / "import", tmp_path / "require"
    for folder in (by_import, by_require):
        folder.mkdir()
    compiled(by_import, "plain.mts", BY_DEFAULT)
    compiled(by_require, "plain.cts", BY_REQUIRE)

    for made in (by_import / "made" / "plain.mjs", by_require / "made" / "plain.cjs"):
        asks = f"import({json.dumps(str(made))}).then((one) => console.log(one.memory.constructor.name))"
        done = subprocess.run(["node", "-e", asks], capture_output=True, text=True, check=False)

        assert done.stdout == "ObservationalMemory\n", done.stderr


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("addMessage({ role: 'robot', content: '', threadId: 't', resourceId: 'r' })", "TS2322"),
        ("getContext('t')", "TS2554"),
        ("searchMemory('r', 'words', '3')", "TS2345"),
        ("exportEverything('r')", "TS2339"),
    ],
)
def test_a_wrong_call_is_refused(tmp_path: Path, call: str, told: str) -> None:
    done = compiled(tmp_path, "wrong.mts", f"{AS_A_PROGRAM}{call};\n")

    assert done.returncode != 0
    assert told in done.stdout


def test_a_default_by_require_is_refused(tmp_path: Path) -> None:
    """There is none: what the compiler let pass would fail when it runs."""
    text = "import scrimshaw = require('scrimshaw');\nexport const memory = new scrimshaw.default({});\n"

    done = compiled(tmp_path, "wrong.cts", text)

    assert "TS2339" in done.stdout


def test_every_method_is_used() -> None:
    program = (NODE_CLIENT / "index.d.ts").read_text("utf-8").partition("class ObservationalMemory {")[2]
    names = [line.split("(")[0].split()[-1] for line in program.splitlines() if "(" in line]

    assert [name for name in names if name != "constructor" and f".{name}(" not in EVERY] == []
