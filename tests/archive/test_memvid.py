"""The real memvid, in its child process: what is put is there, and nobody is called."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.archive.refused import REFUSED, SECCOMP, refusing
from tests.shell.made import observation

from scrimshaw.archive import frames, mv2
from scrimshaw.archive.frames import Packed
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import UserError
from scrimshaw.store.records import StoredEvent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("memvid_sdk") is None, reason="memvid-sdk is not installed here"),
]


def _packed(count: int, first: int = 1) -> list[Packed]:
    born = [
        observation(n, text=f"the depot number {n} keeps seven cranes in yard {n * 7}")
        for n in range(first, first + count)
    ]
    events = [
        StoredEvent(n, Event(EventType.OBSERVED, one.id, 1_700_000_000_000 + n * 3_600_000, "r"))
        for n, one in enumerate(born, first)
    ]
    return [frames.pack(f) for f in frames.cut("main", events, {one.id: one for one in born}, "UTC")]


def _written(folder: Path, *batches: list[Packed], child: mv2.Child = mv2.CHILD) -> Path:
    path = folder / "main.mv2"
    for packed in batches:
        mv2.write(path, packed, child=child)
    return path


def _memvid(code: str, path: Path) -> str:
    """Run *code* with memvid's own tools, as somebody without Scrimshaw would."""
    env = {**os.environ, "MEMVID_TELEMETRY": "0", "MEMVID_OFFLINE": "1"}
    answer = subprocess.run(
        [sys.executable, "-c", f"import memvid_sdk, sys\npath = sys.argv[1]\n{code}", str(path)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return answer.stdout


def test_what_was_put_comes_back_to_the_last_field(tmp_path: Path) -> None:
    first, second = _packed(120), _packed(30, first=121)

    path = _written(tmp_path, first, second)

    found = mv2.read(path)
    assert [frames.unpack(one.metadata) for one in (*first, *second)] == [
        frames.unpack(one.metadata) for one in found
    ]
    assert [one.uri for one in (*first, *second)] == [one.uri for one in found]
    assert [one.at_seconds for one in (*first, *second)] == [one.at_seconds for one in found]


def test_memvids_own_tools_open_it(tmp_path: Path) -> None:
    path = _written(tmp_path, _packed(120))

    told = _memvid(
        "print(memvid_sdk.Memvid.verify(path, deep=True)['overall_status'])\n"
        "with memvid_sdk.use('basic', path, read_only=True) as memory:\n"
        "    print([one['uri'] for one in memory.timeline(limit=9)])\n",
        path,
    )

    assert told.splitlines()[0] == "passed"
    assert "mv2://scrimshaw/main/1-" in told


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    with mv2.scratch(folder) as scratch:
        path = _written(scratch, _packed(60), _packed(5, first=61))

        assert [one.name for one in scratch.iterdir() if one.is_file()] == [path.name]
    assert list(folder.iterdir()) == []


def test_an_archive_has_less_than_four_kilobytes_an_observation(tmp_path: Path) -> None:
    path = _written(tmp_path, _packed(1_000))

    assert path.stat().st_size / 1_000 < 4_096


def _cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


_SPOILS: list[Callable[[Path], object]] = [
    _cut_short,
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"no archive" * 1_000),
    lambda path: path.write_bytes(os.urandom(100_000)),
]


@pytest.mark.parametrize("spoil", _SPOILS)
def test_a_file_that_is_no_archive_is_refused(spoil: Callable[[Path], object], tmp_path: Path) -> None:
    path = _written(tmp_path, _packed(60))
    spoil(path)

    with pytest.raises(UserError):
        mv2.read(path)


def test_a_file_that_was_copied_while_it_grew_is_never_half(tmp_path: Path) -> None:
    """What rsync does: our files are replaced whole, so a copy is an older one or a newer one."""
    from scrimshaw import files

    live = tmp_path / "live.mv2"
    for count in (60, 120):
        made = _written(tmp_path, _packed(count))
        files.move_into(live, made, mode=0o600)
        with live.open("rb") as before:
            more = _written(tmp_path, _packed(count * 2))
            files.move_into(live, more, mode=0o600)
            (tmp_path / "copy.mv2").write_bytes(before.read())

        assert len(mv2.read(tmp_path / "copy.mv2")) >= 1


def test_it_does_not_take_more_memory_than_it_may(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        _written(tmp_path, _packed(60), child=mv2.CHILD._replace(memory_bytes=100 * 1024 * 1024))


def test_it_does_not_write_more_than_it_may(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        _written(tmp_path, _packed(500), child=mv2.CHILD._replace(file_bytes=64 * 1024))


@pytest.mark.skipif(
    not SECCOMP, reason="only Linux on x86-64 or arm64 lets a process refuse itself the network"
)
def test_the_child_opens_no_socket(tmp_path: Path) -> None:
    """Whoever asks for one is killed on the spot, whatever library it is."""
    child = mv2.CHILD._replace(command=refusing("-m", "scrimshaw.archive.child"))

    path = _written(tmp_path, _packed(60), _packed(5, first=61), child=child)

    assert len(mv2.read(path, child=child)) == 2


@pytest.mark.skipif(
    not SECCOMP, reason="only Linux on x86-64 or arm64 lets a process refuse itself the network"
)
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_a_process_that_opens_a_socket_there_is_killed(family: str) -> None:
    # The control of the test above.
    answer = subprocess.run(
        [*refusing("-c", f"import socket; socket.socket(socket.{family})")], check=False, timeout=60
    )

    assert answer.returncode == REFUSED
