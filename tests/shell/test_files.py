"""files: replaced in one step after a last look, or not at all."""

import ctypes
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.shell.made import ordinary_user

from scrimshaw import exchange, files
from scrimshaw.errors import UserError
from scrimshaw.files import ABSENT, Changed, Replaced, Unchanged


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"before")
    return path


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def just_before_the_rename(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let *act* happen after the new content is on disk beside the file."""
    real = files._write_beside

    def write_beside(path: Path, data: bytes, new_mode: int) -> Path:
        written = real(path, data, new_mode)
        act()
        return written

    monkeypatch.setattr(files, "_write_beside", write_beside)


def test_replace_puts_the_new_content_in_place(memory: Path) -> None:
    outcome = files.replace(memory, b"after", expected=b"before")

    assert (Replaced(), b"after") == (outcome, memory.read_bytes())
    assert names(memory.parent) == ["MEMORY.md"]


def test_replace_makes_a_file_that_was_expected_to_be_absent(tmp_path: Path) -> None:
    outcome = files.replace(tmp_path / "new", b"x", expected=ABSENT, new_mode=0o600)

    assert outcome == Replaced()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_replace_does_not_touch_a_file_that_holds_the_content_already(memory: Path) -> None:
    inode = memory.stat().st_ino

    outcome = files.replace(memory, b"before", expected=b"before")

    assert (Unchanged(), inode) == (outcome, memory.stat().st_ino)


@pytest.mark.parametrize("expected", [b"other", b"", b"before and more", ABSENT])
def test_replace_leaves_a_file_alone_that_is_not_what_was_read(memory: Path, expected: bytes) -> None:
    outcome = files.replace(memory, b"after", expected=expected)

    assert (Changed(), b"before") == (outcome, memory.read_bytes())


def test_replace_sees_a_foreign_change_made_while_it_wrote(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    just_before_the_rename(monkeypatch, lambda: memory.write_bytes(b"theirs"))

    outcome = files.replace(memory, b"after", expected=b"before")

    assert (Changed(), b"theirs") == (outcome, memory.read_bytes())
    assert names(memory.parent) == ["MEMORY.md"]


def test_replace_without_the_last_look_would_lose_a_foreign_change(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: expecting nothing, the same sequence overwrites what somebody else wrote."""
    just_before_the_rename(monkeypatch, lambda: memory.write_bytes(b"theirs"))

    files.replace(memory, b"after", expected=None)

    assert memory.read_bytes() == b"after"


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def _save_over(path: Path, data: bytes) -> None:
    """Replace the file as a careful editor does."""
    path.with_name("saved").write_bytes(data)
    path.with_name("saved").replace(path)


def around_the_exchange(
    monkeypatch: pytest.MonkeyPatch,
    before: Callable[[], object] = lambda: None,
    after: Callable[[], object] = lambda: None,
) -> None:
    """Let others act behind the last look: just before the first exchange, and just after it."""
    real, acts = files.exchange, [before, after]

    def exchange(one: Path, other: Path) -> bool:
        if acts:
            acts.pop(0)()
        answer = real(one, other)
        if acts:
            acts.pop(0)()
        return answer

    monkeypatch.setattr(files, "exchange", exchange)


@pytest.mark.parametrize("data", [b"before, and our section\n", b"bef"])
def test_replace_keeps_what_is_appended_behind_the_last_look(
    memory: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    around_the_exchange(monkeypatch, lambda: _append(memory, b" one"), after=lambda: _append(memory, b" two"))

    outcome = files.replace(memory, data, expected=b"before")

    assert (Replaced(), data + b" two one") == (outcome, memory.read_bytes())
    assert names(memory.parent) == ["MEMORY.md"]


def test_replace_keeps_what_is_written_to_a_file_that_was_open(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = memory.open("ab", buffering=0)
    monkeypatch.setattr(files, "_sync_folder", lambda _folder: opened.write(b" later"))

    outcome = files.replace(memory, b"after", expected=b"before")

    opened.close()
    assert (Replaced(), b"after later") == (outcome, memory.read_bytes())


@pytest.mark.parametrize("save", [Path.write_bytes, _save_over])
def test_replace_puts_back_what_was_rewritten_behind_the_last_look(
    memory: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path, bytes], object]
) -> None:
    memory.chmod(0o640)
    around_the_exchange(
        monkeypatch, lambda: save(memory, b"theirs"), after=lambda: _append(memory, b" and more")
    )
    expected_mode = 0o640 if save is Path.write_bytes else stat.S_IMODE(0o666 & ~_umask())

    outcome = files.replace(memory, b"after", expected=b"before")

    assert (Changed(), b"theirs and more") == (outcome, memory.read_bytes())
    assert stat.S_IMODE(memory.stat().st_mode) == expected_mode
    assert names(memory.parent) == ["MEMORY.md"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_replace_keeps_both_of_two_that_were_rewritten_behind_the_last_look(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around_the_exchange(
        monkeypatch, lambda: memory.write_bytes(b"theirs"), after=lambda: memory.write_bytes(b"others'")
    )

    with pytest.raises(UserError, match=r"is kept in .*aside") as caught:
        files.replace(memory, b"after", expected=b"before")

    (aside,) = memory.parent.glob("MEMORY.aside-*.md")
    assert (memory.read_bytes(), aside.read_bytes()) == (b"theirs", b"others'")
    assert f"diff {memory} {aside}" in caught.value.next_step


@pytest.mark.parametrize("act", [lambda path: path.symlink_to("x"), os.mkfifo, Path.mkdir])
def test_replace_puts_back_what_is_no_file_behind_the_last_look(
    memory: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], object]
) -> None:
    def swapped_for_another_thing() -> None:
        memory.unlink()
        act(memory)

    around_the_exchange(monkeypatch, swapped_for_another_thing)

    assert Changed() == files.replace(memory, b"after", expected=b"before")
    with pytest.raises(UserError, match="Nothing was written there"):
        files.replace(memory, b"after", expected=b"before")
    assert names(memory.parent) == ["MEMORY.md"]


def test_replace_does_not_make_again_what_was_taken_away_behind_the_last_look(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around_the_exchange(monkeypatch, memory.unlink)

    assert Changed() == files.replace(memory, b"after", expected=b"before")
    assert names(memory.parent) == []


def test_replace_does_not_overwrite_what_was_made_behind_the_last_look(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, new = files.rename_new, memory.with_name("new")

    def made_first(one: Path, other: Path) -> bool:
        new.write_bytes(b"theirs")
        return real(one, other)

    monkeypatch.setattr(files, "rename_new", made_first)

    assert Changed() == files.replace(new, b"ours", expected=ABSENT)
    assert (new.read_bytes(), names(memory.parent)) == (b"theirs", ["MEMORY.md", "new"])


def test_replace_puts_an_appended_file_back_when_the_disk_is_full(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def appended() -> None:
        _append(memory, b" one")
        monkeypatch.setattr(os, "open", full)

    around_the_exchange(monkeypatch, appended)
    monkeypatch.setattr(files, "_sync_folder", lambda _folder: None)

    outcome = files.replace(memory, b"after", expected=b"before")

    monkeypatch.undo()
    assert (Changed(), b"before one") == (outcome, memory.read_bytes())
    assert names(memory.parent) == ["MEMORY.md"]


def test_replace_works_where_the_system_cannot_exchange(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "exchange", lambda _one, _other: False)
    monkeypatch.setattr(files, "rename_new", lambda _one, _other: False)

    outcomes = [
        files.replace(memory, b"after", expected=b"before"),
        files.replace(memory.with_name("new"), b"x", expected=ABSENT),
    ]

    assert [Replaced(), Replaced()] == outcomes
    assert (memory.read_bytes(), names(memory.parent)) == (b"after", ["MEMORY.md", "new"])


def test_an_exchange_that_the_file_system_does_not_know_changes_nothing(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = memory.with_name("other")
    other.write_bytes(b"other")

    def unknown(*_: object) -> int:
        ctypes.set_errno(errno.EINVAL)
        return -1

    monkeypatch.setattr(exchange, "_call", lambda: unknown)

    assert not exchange.exchange(memory, other)
    assert not exchange.rename_new(memory, other)


def test_replace_refuses_a_link_that_appears_while_it_writes(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    just_before_the_rename(monkeypatch, lambda: os.link(memory, memory.with_name("second")))

    with pytest.raises(UserError, match="hard links"):
        files.replace(memory, b"after", expected=b"before")

    assert (memory.read_bytes(), names(memory.parent)) == (b"before", ["MEMORY.md", "second"])


def test_replace_refuses_a_symbolic_link_and_says_what_to_do(memory: Path) -> None:
    link = memory.with_name("LINK.md")
    link.symlink_to(memory)

    with pytest.raises(UserError, match=r"symbolic link.*Nothing was written there") as caught:
        files.replace(link, b"after", expected=b"before")

    assert "cp --remove-destination" in caught.value.next_step
    assert memory.read_bytes() == b"before"


def test_replace_refuses_a_dangling_link_a_folder_and_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    for name in ("dangling", "folder", "pipe"):
        with pytest.raises(UserError, match="Nothing was written there"):
            files.replace(tmp_path / name, b"x", expected=None)

    assert names(tmp_path) == ["dangling", "folder", "pipe"]


def test_replace_keeps_the_mode(memory: Path) -> None:
    memory.chmod(0o640)

    files.replace(memory, b"after", expected=b"before")

    assert stat.S_IMODE(memory.stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_replace_keeps_the_owner(memory: Path) -> None:
    os.chown(memory, 1234, 1235)

    files.replace(memory, b"after", expected=b"before")

    assert (memory.stat().st_uid, memory.stat().st_gid) == (1234, 1235)


def test_replace_says_that_the_folder_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"folder .*gone does not exist.*Nothing was written there"):
        files.replace(tmp_path / "gone" / "MEMORY.md", b"x", expected=ABSENT)


def test_replace_in_a_read_only_folder_says_so_and_changes_nothing() -> None:
    with ordinary_user() as folder:
        (folder / "MEMORY.md").write_bytes(b"before")
        folder.chmod(0o500)

        with pytest.raises(UserError, match=r"cannot be written.*Nothing was written there"):
            files.replace(folder / "MEMORY.md", b"after", expected=b"before")

        assert ((folder / "MEMORY.md").read_bytes(), names(folder)) == (b"before", ["MEMORY.md"])


def test_replace_on_a_full_disk_says_so_and_leaves_nothing_behind(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(UserError, match=r"disk is full.*Nothing was written there"):
        files.replace(memory, b"after", expected=b"before")

    assert (memory.read_bytes(), names(memory.parent)) == (b"before", ["MEMORY.md"])


@pytest.mark.parametrize("end", [KeyboardInterrupt, MemoryError])
def test_replace_that_is_broken_off_while_it_writes_leaves_nothing_behind(
    memory: Path, monkeypatch: pytest.MonkeyPatch, end: type[BaseException]
) -> None:
    def broken_off(descriptor: int) -> None:
        raise end

    monkeypatch.setattr(os, "fsync", broken_off)

    with pytest.raises(end):
        files.replace(memory, b"after", expected=b"before")

    assert (memory.read_bytes(), names(memory.parent)) == (b"before", ["MEMORY.md"])


def test_replace_succeeds_where_folders_cannot_be_synced(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def no_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", no_folders)

    assert Replaced() == files.replace(memory, b"after", expected=b"before")


def test_replace_syncs_the_file_before_the_rename_and_the_folder_after_it(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        seen.append(f"{kind}, MEMORY.md is {memory.read_text()}")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    files.replace(memory, b"after", expected=b"before")

    assert seen == ["file, MEMORY.md is before", "folder, MEMORY.md is after"]


def test_read_bytes_tells_absent_from_empty(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()

    assert files.read_bytes(tmp_path / "empty", 10) == b""
    assert files.read_bytes(tmp_path / "none", 10) is ABSENT


def test_read_bytes_refuses_more_than_the_limit(memory: Path) -> None:
    assert files.read_bytes(memory, 6) == b"before"
    with pytest.raises(UserError, match="6 bytes, more than the 5"):
        files.read_bytes(memory, 5)


def test_read_bytes_does_not_wait_on_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(UserError, match="not a regular file"):
        files.read_bytes(tmp_path / "pipe", 10)


def test_read_bytes_says_that_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a regular file"):
        files.read_bytes(tmp_path, 10)


def test_backup_is_a_copy_with_its_own_inode(memory: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()

    copy = files.backup(memory, folder, stamp="20261120T180000Z", keep=3)

    assert (copy.read_bytes(), copy.stat().st_nlink, memory.stat().st_nlink) == (b"before", 1, 1)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_backup_keeps_the_newest_and_copies_the_same_content_once(memory: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "other.md").touch()

    for content in (b"1", b"2", b"2", b"3", b"4"):
        memory.write_bytes(content)
        files.backup(memory, folder, stamp="at one moment", keep=3)

    copies = sorted(entry for entry in folder.iterdir() if entry.name.startswith("MEMORY.md."))
    assert [copy.read_bytes() for copy in copies] == [b"2", b"3", b"4"]
    assert (folder / "other.md").exists()


def test_sweep_removes_only_what_a_killed_run_left(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Path) -> None:
        raise KeyboardInterrupt

    (memory.parent / ".MEMORY.md.scrimshaw-notours.tmp").touch()
    with monkeypatch.context() as patch:
        patch.setattr(files, "exchange", killed)
        patch.setattr(Path, "unlink", lambda self, missing_ok=False: None)
        with pytest.raises(KeyboardInterrupt):
            files.replace(memory, b"after", expected=b"before")
    assert len(names(memory.parent)) == 3

    swept = files.sweep(memory.parent)

    assert len(swept) == 1
    assert names(memory.parent) == [".MEMORY.md.scrimshaw-notours.tmp", "MEMORY.md"]


def test_sweep_of_a_missing_folder_finds_nothing(tmp_path: Path) -> None:
    assert files.sweep(tmp_path / "gone") == []


@pytest.mark.parametrize("relative", ["/etc/passwd", "../x", "memory/../../x", "", "."])
def test_inside_refuses_a_way_out_of_the_workspace(tmp_path: Path, relative: str) -> None:
    with pytest.raises(UserError, match="not a path inside"):
        files.inside(tmp_path, relative)


def test_inside_refuses_a_linked_folder_on_the_way(tmp_path: Path) -> None:
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    workspace.mkdir()
    elsewhere.mkdir()
    (workspace / "memory").symlink_to(elsewhere)

    with pytest.raises(UserError, match="symbolic link"):
        files.make_folder(workspace, "memory/observations")

    assert names(elsewhere) == []


def test_own_folder_is_private_and_kept_out_of_git(tmp_path: Path) -> None:
    (tmp_path / ".scrimshaw").mkdir(mode=0o755)

    folder = files.own_folder(tmp_path)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"
    assert folder == files.own_folder(tmp_path)


def test_own_folder_refuses_a_link_and_a_missing_workspace(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".scrimshaw").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(UserError, match="symbolic link"):
        files.own_folder(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        files.own_folder(tmp_path / "gone")


@pytest.mark.parametrize("name", ["scrimshaw.log", "ledger.sqlite", "wake", "backups"])
def test_own_folder_refuses_a_link_in_it_that_would_lead_our_writes_elsewhere(
    tmp_path: Path, name: str
) -> None:
    folder = files.own_folder(tmp_path)
    (folder / name).symlink_to(tmp_path / "somebody's")

    with pytest.raises(UserError, match="symbolic link"):
        files.own_folder(tmp_path)


def test_own_folder_leaves_linked_settings_and_an_editor_s_link_alone(tmp_path: Path) -> None:
    folder = files.own_folder(tmp_path)
    (folder / "config.yaml").symlink_to(tmp_path / "dotfiles.yaml")
    (folder / ".#config.yaml").symlink_to("somebody@desk.4711")

    assert folder == files.own_folder(tmp_path)


def test_own_folder_refuses_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / ".scrimshaw").touch()

    with pytest.raises(UserError, match="Nothing was written there"):
        files.own_folder(tmp_path)
