"""The bundled demo: its transcripts are what a host writes, and what the main job makes of them is right.

What must and must not stand in the section is what its owner would say, read with her eyes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRANSCRIPTS = sorted((ROOT / "demo" / "transcripts").glob("*.jsonl*"))
OWN_LINES = (ROOT / "demo" / "MEMORY.md").read_text(encoding="utf-8")

IN_FORCE = [
    "750 ml",
    "£318",
    "12 acres",
    "12 kg",
    "stand 34",
    "Rhys",
    "three decimals",
    "bullet points",
    "ZipPost",
]
STILL_TO_COME = ["2026-10-19", "2026-10-21", "24 October", "3 November"]
PRIVATE_OR_FALSE = {
    "the password said in passing": "marmalade",
    "what was said in the group": "hip operation",
    "the padlock said in the group": "5173",
    "the order on the web page": "99887766",
    "the pasted log": "session=7f31",
    "small talk": "wasps",
    "a heartbeat": "HEARTBEAT",
    "a thought that was only thought aloud": "bag-in-box",
}
# Still told as history perhaps, but not as what holds.
REPLACED = ["is 11 acres", "goes into the 500 ml brown bottle"]


class Ran(NamedTuple):
    folder: Path
    section: str

    @property
    def written(self) -> dict[str, bytes]:
        """Everything in the workspace, by name."""
        workspace = self.folder / "workspace"
        return {
            str(path.relative_to(workspace)): path.read_bytes()
            for path in workspace.rglob("*")
            if path.is_file()
        }


def _observe(folder: Path) -> None:
    words = ["--workspace", folder / "workspace", "--state-dir", folder / "state", "--yes"]
    environment = {**os.environ, "HOME": str(folder), "SCRIMSHAW_NOW": "2026-10-15T21:00:00+01:00"}
    done = subprocess.run(
        [sys.executable, "-m", "scrimshaw", "observe", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def _run_demo(folder: Path) -> Ran:
    subprocess.run([sys.executable, ROOT / "demo" / "lay_out.py", folder], check=True, capture_output=True)
    _observe(folder)
    memory = (folder / "workspace" / "MEMORY.md").read_text(encoding="utf-8")
    return Ran(folder, memory[memory.index("## Observations") :])


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return _run_demo(tmp_path_factory.mktemp("demo") / "run")


def test_her_own_lines_are_untouched(ran):
    assert ran.written["MEMORY.md"].decode().startswith(OWN_LINES)


@pytest.mark.parametrize("words", [*IN_FORCE, *STILL_TO_COME])
def test_what_holds_stands_in_the_section(ran, words):
    assert words in ran.section


@pytest.mark.parametrize("words", REPLACED)
def test_what_was_replaced_does_not_stand_there_as_current(ran, words):
    assert words not in ran.section


@pytest.mark.parametrize("what", PRIVATE_OR_FALSE)
def test_what_must_not_be_noted_is_in_no_file_that_is_read(ran, what):
    for name, content in ran.written.items():
        if name.endswith(".md"):
            assert PRIVATE_OR_FALSE[what].encode() not in content, name


def test_the_password_is_in_no_file_at_all(ran):
    leaks = [name for name, content in ran.written.items() if b"marmalade" in content]

    assert leaks == []


def test_a_second_run_changes_no_byte_of_what_is_read(ran):
    before = {name: content for name, content in ran.written.items() if name.endswith(".md")}

    _observe(ran.folder)

    assert before == {name: content for name, content in ran.written.items() if name.endswith(".md")}


def test_the_demo_gives_the_same_section_each_time(ran, tmp_path):
    assert ran.section == _run_demo(tmp_path / "again").section


def test_the_demo_is_not_laid_over_somebody_s_files(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")

    done = subprocess.run(
        [sys.executable, ROOT / "demo" / "lay_out.py", tmp_path], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "Nothing was touched" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.name[:8])
def test_a_transcript_is_a_chain_in_the_host_s_form(transcript):
    header, *entries = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    called = [
        block["id"]
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if block["type"] == "toolCall"
    ]
    times = [message["timestamp"] for message in messages]

    assert header["type"] == "session"
    assert transcript.name.startswith(header["id"])
    assert [entry["parentId"] for entry in entries] == [None, *(entry["id"] for entry in entries[:-1])]
    assert times == sorted(times)
    assert called == [message["toolCallId"] for message in messages if message["role"] == "toolResult"]
