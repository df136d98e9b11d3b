"""The examples of the guide for programs are run in order, and print what the guide shows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "guide" / "program.md"
_BLOCK = re.compile(
    r"^<!-- (?P<mark>program|prints) -->\n```\w+\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
# Runs the blocks in one namespace and prints, as JSON, what each of them printed.
_RUNNER = """
import contextlib, io, json, sys
names, told = {}, []
for block in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(block, names)
    told.append(printed.getvalue())
print(json.dumps(told))
"""


def _run(blocks: list[str], folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER],
        input=json.dumps(blocks),
        cwd=folder,
        env={
            **{name: said for name, said in os.environ.items() if not name.startswith(("OPENCLAW_", "XDG_"))},
            "HOME": str(folder),
            "OPENCLAW_STATE_DIR": str(folder / "state"),
            "SCRIMSHAW_NOW": "2026-10-15T21:00:00+01:00",
            "TZ": "UTC",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told: list[str] = json.loads(done.stdout)
    return told


def test_the_examples_for_programs_print_what_the_guide_shows(tmp_path):
    pytest.importorskip("memvid_sdk", reason="the last example writes an archive")
    folder = tmp_path / "home"
    subprocess.run([sys.executable, ROOT / "demo" / "lay_out.py", folder], check=True, capture_output=True)
    text = GUIDE.read_text(encoding="utf-8")
    blocks = list(_BLOCK.finditer(text))
    pairs = list(zip(blocks[::2], blocks[1::2], strict=True))
    assert {(example["mark"], output["mark"]) for example, output in pairs} == {("program", "prints")}

    told = _run([example["body"] for example, _ in pairs], folder)

    if os.environ.get("SCRIMSHAW_TEST_UPDATE_DOCS"):
        for (_, output), real in reversed(list(zip(pairs, told, strict=True))):
            text = text[: output.start("body")] + real + text[output.end("body") :]
        if text != GUIDE.read_text(encoding="utf-8"):
            GUIDE.write_text(text, encoding="utf-8")
            pytest.skip("the guide was rewritten; read it before you keep it")
    assert [output["body"] for _, output in pairs] == told


def test_the_lines_of_the_readme_store_find_and_explain_a_memory(tmp_path):
    (block,) = re.findall(
        r"<!-- program -->\n```python\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL
    )

    (told,) = _run([block], tmp_path)

    explained = json.loads(told)
    assert explained["content"] == "Gareth at the Plough pays on Mondays"
    assert explained["layer"] == "working"
    assert explained["created_at"].startswith("2026-10-15")
    assert "not checked" in explained["checked"]
