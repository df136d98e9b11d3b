"""The documentation's examples are run, and what they print is what the documentation shows.

An example is a `sh` block below `<!-- example -->`, or below `<!-- terminal -->` one that is run as at a
terminal, where `q` is answered to whatever it asks. A `text` block below `<!-- output -->` right after it
holds what it prints; a `markdown` block below `<!-- section -->` holds the section that is in MEMORY.md by
then. A line `…` stands for anything. With SCRIMSHAW_TEST_UPDATE_DOCS=1 the blocks that
differ are rewritten instead.
"""

import os
import re
import select
import shlex
import subprocess
import sys
import termios
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
DEMO_NOW = "2026-10-15T21:00:00+01:00"

_BLOCK = re.compile(
    r"^<!-- (?P<mark>example|terminal|output|section) -->\n(?P<open>```\w+\n)(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_SHELL = re.compile(r"^```sh\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def _has_examples(document: Path) -> bool:
    return "<!-- example -->" in document.read_text(encoding="utf-8")


@pytest.fixture
def scratch(tmp_path):
    """The demo laid out, with a `scripts/scrimshaw` that runs the code under test."""
    folder = tmp_path / "home"
    subprocess.run([sys.executable, ROOT / "demo" / "lay_out.py", folder], check=True, capture_output=True)
    command = folder / "scripts" / "scrimshaw"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scrimshaw "$@"\n')
    command.chmod(0o755)
    return folder


def _environment(folder: Path) -> dict[str, str]:
    environment = {
        **os.environ,
        "HOME": str(folder),
        "OPENCLAW_STATE_DIR": str(folder / "state"),
        "SCRIMSHAW_NOW": DEMO_NOW,
        "TZ": "UTC",
        "COLUMNS": "100",
        "SCRIMSHAW_CALLED": "scripts/scrimshaw",  # as the checkout's own script says
    }
    environment.pop("XDG_CONFIG_HOME", None)
    return environment


def _run(script: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}"
    return done.stdout.replace(str(folder), "~")


def _run_at_terminal(script: str, folder: Path) -> str:
    ours, its = os.openpty()
    form = termios.tcgetattr(its)
    form[3] &= ~termios.ECHO  # what is typed is no output
    termios.tcsetattr(its, termios.TCSANOW, form)
    command = ["bash", "-euo", "pipefail", "-c", script]
    running = subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(folder),
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    printed = b""
    for _ in range(600):
        if select.select([ours], [], [], 0.1)[0]:
            try:
                read = os.read(ours, 65_536)
            except OSError:  # the other side has ended
                break
            printed += read
        elif b"[q]uit" in printed:
            os.write(ours, b"q")  # again and again: what is typed before it listens is lost
    os.close(ours)
    assert running.wait(60) == 0, f"{script}\n{printed.decode()}"
    return printed.decode().replace("\r\n", "\n").replace(str(folder), "~")


def _section(folder: Path) -> str:
    memory = (folder / "workspace" / "MEMORY.md").read_text(encoding="utf-8")
    found = re.search(r"^## Observations\n.*?^<!-- scrimshaw:end -->\n", memory, re.MULTILINE | re.DOTALL)
    assert found, "the demo's MEMORY.md holds no section"
    return found[0]


def matches(shown: str, real: str) -> bool:
    """Whether *real* is what *shown* says; a line that is only "…" stands for any number of lines."""
    parts = [re.escape(part.strip("\n")) for part in re.split(r"^…$", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"\n*(?:.*\n)*".join(parts), real.strip("\n")) is not None


def _real_blocks(text: str, folder: Path) -> list[tuple[re.Match[str], str]]:
    """Run the examples in order; return each block that shows something, with what it should show."""
    printed = ""
    blocks = []
    for block in _BLOCK.finditer(text):
        match block["mark"]:
            case "example":
                printed = _run(block["body"], folder)
            case "terminal":
                printed = _run_at_terminal(block["body"], folder)
            case "output":
                blocks.append((block, printed))
            case _:
                blocks.append((block, _section(folder)))
    return blocks


@pytest.mark.parametrize(
    "document", list(filter(_has_examples, DOCUMENTS)), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_examples_print_what_the_documentation_shows(document, scratch):
    text = document.read_text(encoding="utf-8")

    blocks = _real_blocks(text, scratch)

    differing = [(block, real) for block, real in blocks if not matches(block["body"], real)]
    if os.environ.get("SCRIMSHAW_TEST_UPDATE_DOCS") and differing:
        for block, real in reversed(differing):
            text = text[: block.start("body")] + real.strip("\n") + "\n" + text[block.end("body") :]
        document.write_text(text, encoding="utf-8")
        pytest.skip(f"{document.name} was rewritten; read it before you keep it")
    for block, real in differing:
        pytest.fail(f"{document.name} shows\n{block['body']}\nbut it is\n{real}")


def test_the_readme_has_examples_with_their_output():
    marks = [block["mark"] for block in _BLOCK.finditer(DOCUMENTS[0].read_text(encoding="utf-8"))]

    assert {"example", "output", "section"} <= set(marks)


def test_another_output_than_shown_is_noticed():
    assert matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert matches("a\nb\n", "a\nb\n")
    assert not matches("a\nb\n", "a\nc\n")
    assert not matches("a\n…\nd\n", "a\nb\nc\n")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_in_the_documentation_exists(document):
    from scrimshaw.cli import group

    verbs = group.list_commands(None)
    for block in _SHELL.finditer(document.read_text(encoding="utf-8")):
        for line in filter(None, block["body"].splitlines()):
            words = shlex.split(line, comments=True)
            script = ROOT / words[0]
            assert script.is_file(), line
            assert os.access(script, os.X_OK), line
            if words[0] == "scripts/scrimshaw":
                assert words[1] in verbs, line
