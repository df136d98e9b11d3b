"""locks: one writer at a time, one daemon a workspace, and who it is."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from tests.conftest import FakeClock
from tests.shell.made import ordinary_user

from scrimshaw.errors import Exit, UserError
from scrimshaw.locks import Busy, Holder, archive_lock, presence, presence_lock, write_lock

_HOLD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from scrimshaw import locks
hold = getattr(locks, sys.argv[1])
with hold(Path(sys.argv[2]), by="observe", now=datetime(2026, 11, 20, 18, tzinfo=UTC), timeout_seconds=5):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(lock: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _HOLD, lock, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_write_lock_names_the_process_that_holds_it(tmp_path: Path, clock: FakeClock) -> None:
    with held_elsewhere("write_lock", tmp_path) as other:
        with (
            pytest.raises(Busy, match=r"No file was changed") as caught,
            write_lock(tmp_path, by="observe", now=clock(), timeout_seconds=0.05),
        ):
            pass

        assert caught.value.holder == Holder(other.pid, "2026-11-20T18:00:00+00:00", "observe")
        assert caught.value.exit_code == Exit.LOCKED
        assert f"process {other.pid}, since 2026-11-20T18:00:00+00:00" in str(caught.value)


def test_write_lock_of_a_killed_process_is_free_and_its_note_is_not_believed(
    tmp_path: Path, clock: FakeClock
) -> None:
    with held_elsewhere("write_lock", tmp_path) as other:
        other.kill()
        other.wait()
        assert (tmp_path / "write.holder").exists()

        with write_lock(tmp_path, by="observe", now=clock(), timeout_seconds=0):
            note = (tmp_path / "write.holder").read_text()

    assert str(os.getpid()) in note


def test_write_lock_says_less_when_the_holder_said_nothing(tmp_path: Path, clock: FakeClock) -> None:
    with held_elsewhere("write_lock", tmp_path):
        (tmp_path / "write.holder").write_text("{")

        with (
            pytest.raises(Busy, match="another scrimshaw is writing") as caught,
            write_lock(tmp_path, by="observe", now=clock(), timeout_seconds=0),
        ):
            pass

    assert caught.value.holder == Holder(0, "", "")


def test_write_lock_is_let_go_after_an_error(tmp_path: Path, clock: FakeClock) -> None:
    with pytest.raises(RuntimeError), write_lock(tmp_path, by="a", now=clock(), timeout_seconds=0):
        raise RuntimeError

    with write_lock(tmp_path, by="b", now=clock(), timeout_seconds=0):
        assert (tmp_path / "write.holder").exists()
    assert not (tmp_path / "write.holder").exists()


def test_presence_and_write_lock_do_not_exclude_each_other(tmp_path: Path, clock: FakeClock) -> None:
    with (
        held_elsewhere("presence_lock", tmp_path),
        write_lock(tmp_path, by="observe", now=clock(), timeout_seconds=0),
    ):
        assert (tmp_path / "presence.lock").exists()


def test_presence_lock_refuses_a_second_daemon(tmp_path: Path, clock: FakeClock) -> None:
    with (
        held_elsewhere("presence_lock", tmp_path) as other,
        pytest.raises(Busy, match="already the daemon") as caught,
        presence_lock(tmp_path, by="run", now=clock(), timeout_seconds=0.05),
    ):
        pass

    assert str(other.pid) in caught.value.next_step


def test_presence_names_the_daemon_and_nobody_when_there_is_none(tmp_path: Path) -> None:
    assert presence(tmp_path) is None

    with held_elsewhere("presence_lock", tmp_path) as other:
        holder = presence(tmp_path)

    assert holder is not None
    assert holder.pid == other.pid
    assert presence(tmp_path) is None


def test_a_lock_in_a_read_only_folder_is_a_message_and_not_a_traceback(clock: FakeClock) -> None:
    with ordinary_user() as folder:
        folder.chmod(0o500)

        with (
            pytest.raises(UserError, match=r"cannot be locked.*No file was changed"),
            write_lock(folder, by="observe", now=clock(), timeout_seconds=0),
        ):
            pass


def test_a_link_in_the_place_of_the_holder_s_note_is_not_written_through(
    tmp_path: Path, clock: FakeClock
) -> None:
    other = tmp_path / "somebody's"
    other.write_text("theirs")
    (tmp_path / "write.holder").symlink_to(other)

    with write_lock(tmp_path, by="test", now=clock(), timeout_seconds=5):
        pass

    assert other.read_text() == "theirs"


def test_a_state_folder_that_is_taken_away_while_a_lock_is_taken_is_not_made_again(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / ".scrimshaw"
    state.mkdir()
    take = FileLock.acquire

    def acquire(lock: FileLock) -> object:
        state.rename(tmp_path / "aside")
        return take(lock)

    monkeypatch.setattr(FileLock, "acquire", acquire)

    with (
        pytest.raises(UserError, match="is not there"),
        write_lock(state, by="observe", now=clock(), timeout_seconds=0),
    ):
        pass

    assert [path.name for path in tmp_path.iterdir()] == ["aside"]


def test_no_lock_makes_the_state_folder(tmp_path: Path, clock: FakeClock) -> None:
    with (
        pytest.raises(UserError, match="is not there"),
        archive_lock(tmp_path / "gone", by="archive", now=clock(), timeout_seconds=0),
    ):
        pass

    assert list(tmp_path.iterdir()) == []
