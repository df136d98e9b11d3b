"""What the product writes offline, kept beside the test: section, dated files and ledger, to the byte.

Each set is observed in two parts, with a line of the section deleted and one added by hand in between, and
once more half a year later. Where a change of what is written is meant, the kept files are made anew and
read in the diff:

    SCRIMSHAW_TEST_RENEW=1 python -m pytest -p no:xdist tests/golden

Of the samples of real hosts, which lie beside the repository, only hashes are kept.
"""

from __future__ import annotations

import contextlib
import os
import re
import runpy
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from tests.places import Place
from tests.stores import FakeSession, build_jsonl, iso

from scrimshaw.core.section.markers import END

HERE = Path(__file__).parent
RENEWS = "SCRIMSHAW_TEST_RENEW" in os.environ
# Of every run anew: the end of its id, the key of the ledger's hashes and its hashes, inodes, files' times.
_OF_THE_MOMENT = (
    (re.compile(r"\b(\d{8}T\d{6})-[0-9a-f]{6}\b"), r"\1-RUN"),
    (re.compile(r"(?m)^meta \| hash-key \| .*"), "meta | hash-key | KEY"),
    (re.compile(r"(?m)^(tombstone \| .* )[0-9a-f]{32}\b"), r"\1KEYED"),
    (re.compile(r'(\{"jsonl":\[)\d+,'), r"\1INODE,"),
    (re.compile(r"\| \d+:(\d+):\d{16,}"), r"| INODE:\1:MTIME"),
    (re.compile(r"(?m)^(meta \| folded \| .*) \d{16,} "), r"\1 MTIME "),
)
_LEFT_OUT = ("sqlite_sequence", "sqlite_stat1")  # SQLite's own


def _talk(file: Path) -> Iterator[FakeSession]:
    """Yield the sessions of a set in a text file: `== TIME`, then lines of U(ser) and A(ssistant)."""
    session: FakeSession | None = None
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            if session is not None:
                yield session
            began = datetime.fromisoformat(line[3:])
            name = f"{began:%Y%m%d}-0000-4000-8000-ffffffffffff"
            at_ms = int(began.timestamp() * 1000)
            session = FakeSession(key=f"agent:main:dm:{began:%Y%m%d}", session_id=name, at_ms=at_ms)
            session.events[0]["timestamp"] = iso(at_ms)
            continue
        assert session is not None
        (session.user if line.startswith("U: ") else session.assistant)(line[3:])
        session.at_ms += 60_000
    assert session is not None
    yield session


def _plant(place: Place, sessions: list[FakeSession]) -> None:
    sessions[-1].key = "agent:main:main"
    build_jsonl(place.store, sessions)
    _last_written(place, sessions[-1].at_ms)


def _last_written(place: Place, at_ms: int) -> None:
    """Give the host's files that time: whether one is still being written is read from it."""
    for path in place.store.parent.rglob("*"):
        os.utime(path, (at_ms / 1000, at_ms / 1000))


def _observe(place: Place, at: str) -> None:
    answer = place.run("observe", "--yes", now=at)
    assert answer.code == 0, answer.out + answer.err


def _edit(place: Place) -> None:
    """Delete the second line of the section and add one."""
    text = place.memory.read_text(encoding="utf-8")
    second = [line for line in place.section().splitlines() if line.startswith("- ")][1]
    text = text.replace(second + "\n", "", 1)
    place.memory.write_text(text.replace(END, "- My bicycle is green.\n" + END), encoding="utf-8")


def _ledger(place: Place) -> str:
    """Return every table of the ledger as text, a row a line, without what differs from run to run."""
    with contextlib.closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as db:
        tables = db.execute("select name from sqlite_master where type = 'table' order by name")
        rows = [
            " | ".join([name, *("" if value is None else _shown(value) for value in row)])
            for (name,) in tables.fetchall()
            if name not in _LEFT_OUT
            for row in db.execute(f'select * from "{name}"')
        ]
    text = "\n".join(rows).replace(str(place.root), "PLACE") + "\n"
    for what, instead in _OF_THE_MOMENT:
        text = what.sub(instead, text)
    return text


def _shown(value: object) -> str:
    """Return a value on one line; one that repeats a whole file by its hash."""
    text = value.hex() if isinstance(value, bytes) else str(value)
    if len(text) > 600:
        return f"{len(text)} characters, sha256 {sha256(text.encode()).hexdigest()[:16]}"
    return text.replace("\n", "\\n")


def _dated(place: Place) -> str:
    folder = place.workspace / "memory" / "observations"
    files = sorted(folder.glob("obs-*.md"))
    return "".join(f"=== {path.name}\n{path.read_text(encoding='utf-8')}" for path in files)


def _written(place: Place) -> dict[str, str]:
    return {"section.md": place.section(), "dated.md": _dated(place), "ledger.txt": _ledger(place)}


def _compare(file: str, written: str) -> None:
    kept = HERE / file
    if RENEWS:
        kept.write_text(written, encoding="utf-8")
    assert written == kept.read_text(encoding="utf-8"), f"{file} is no longer what is written"


@pytest.mark.parametrize("name", ["english", "german"])
def test_lives_are_written_down_as_ever(name: str, tmp_path: Path) -> None:
    sessions = list(_talk(HERE / f"{name}.txt"))
    place = Place(tmp_path / "m", sessions=[FakeSession()])
    shutil.rmtree(place.store)
    _plant(place, sessions[:2])
    _observe(place, "2026-11-06T20:00:00+00:00")
    _edit(place)
    _plant(place, sessions)
    _observe(place, "2026-11-10T20:00:00+00:00")
    for what, text in _written(place).items():
        _compare(f"{name}-{what}", text)
    before = place.everything_written()
    _observe(place, "2027-05-10T20:00:00+00:00")
    assert place.everything_written() != before
    _compare(f"{name}-later.md", place.section())


def test_the_demo_is_written_down_as_ever(repo_root: Path, tmp_path: Path) -> None:
    lay_out = runpy.run_path(str(repo_root / "demo" / "lay_out.py"))["lay_out"]
    place = Place(tmp_path / "m")
    shutil.rmtree(place.root)
    lay_out(place.root)
    _observe(place, "2026-10-15T20:00:00+00:00")
    for what, text in _written(place).items():
        _compare(f"demo-{what}", text)


def test_what_the_samples_give_has_the_kept_hashes(samples_folder: Path, tmp_path: Path) -> None:
    told = []
    for sample, kind in (("dev-jsonl", "jsonl"), ("dev-sqlite", "sqlite")):
        place = Place(tmp_path / sample, kind)
        if kind == "jsonl":
            shutil.rmtree(place.store)
            shutil.copytree(samples_folder / sample / "sessions", place.store)
        else:
            for path in place.store.parent.glob("openclaw-agent.sqlite*"):
                path.unlink()
            shutil.copy(samples_folder / sample / "openclaw-agent.sqlite", place.store)
        _last_written(place, int(datetime(2026, 11, 20, 18, tzinfo=UTC).timestamp() * 1000))
        _observe(place, "2026-11-20T19:00:00+00:00")
        for what, text in _written(place).items():
            told.append(f"{sha256(text.encode()).hexdigest()}  {sample}-{what}\n")
    _compare("samples.txt", "".join(told))
