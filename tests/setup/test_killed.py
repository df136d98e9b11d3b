"""An install that is killed anywhere, and run again or taken away, ends as if it had not been."""

from pathlib import Path

import pytest
from tests.setup.home import Home

from scrimshaw import files
from scrimshaw.setup import changes

ALL = ("--section", "remove", "--data", "delete")


class KilledError(BaseException):
    """Not an Exception: nothing may catch it, as nothing catches SIGKILL."""


def without_stamps(home: Home) -> dict[str, bytes | None]:
    """Everything but what holds times or run ids: the ledger, its log and locks."""
    found = home.everything()
    return {k: v for k, v in found.items() if ".scrimshaw/" not in k and not k.startswith(".local")}


def kill_at(monkeypatch: pytest.MonkeyPatch, number: int) -> list[int]:
    """Die at the *number*th step: a change that is about to be made, or a file about to be replaced."""
    count = [0]

    def dying(original: object):
        def step(*args: object, **named: object):
            count[0] += 1
            if count[0] == number:
                raise KilledError
            return original(*args, **named)  # type: ignore[operator]

        return step

    monkeypatch.setattr(changes, "make", dying(changes.make))
    monkeypatch.setattr(files, "replace", dying(files.replace))
    return count


def run_killed(home: Home, *words: str) -> bool:
    try:
        home.run(*words)
    except KilledError:
        return True
    return False


def count_of(folder: Path, *words: str, installed: bool) -> int:
    """Return how many steps the command has when nothing kills it."""
    home = Home(folder)
    if installed:
        home.install()
    with pytest.MonkeyPatch.context() as patch:
        count = kill_at(patch, -1)
        assert home.run(*words).code == 0
    return count[0]


@pytest.fixture(scope="module")
def of_install(tmp_path_factory: pytest.TempPathFactory) -> int:
    return count_of(tmp_path_factory.mktemp("counted") / "h", "install", "--yes", installed=False)


@pytest.fixture(scope="module")
def of_uninstall(tmp_path_factory: pytest.TempPathFactory) -> int:
    return count_of(tmp_path_factory.mktemp("counted") / "h", "uninstall", "--yes", *ALL, installed=True)


def killed_at(home: Home, number: int, *words: str) -> None:
    """Run the command until its *number*th step, which must kill it."""
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, number)
        assert run_killed(home, *words), f"nothing was killed at step {number}"


def some(last: int, step: int) -> range:
    """A few steps over the whole of them, the last one with them."""
    return range(last, 0, -step)


# The slow suite takes every step, in parts that several workers can share.
every = pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.slow) for part in range(8)])


def _install_again(folder: Path, numbers: range) -> None:
    whole = Home(folder / "h")
    whole.install()
    wanted = without_stamps(whole)
    (folder / "h").rename(folder / "whole")
    for number in numbers:
        home = Home(folder / "h")
        before = without_stamps(home)
        killed_at(home, number, "install", "--yes")

        home.install()

        assert without_stamps(home) == wanted, number
        home.uninstall(*ALL)
        assert without_stamps(home) == before, number
        (folder / "h").rename(folder / f"done-{number}")


def _take_back(folder: Path, numbers: range) -> None:
    for number in numbers:
        home = Home(folder / "h")
        before = without_stamps(home)
        killed_at(home, number, "install", "--yes")

        home.uninstall(*ALL)

        assert without_stamps(home) == before, number
        (folder / "h").rename(folder / f"done-{number}")


def _finish_uninstall(folder: Path, numbers: range) -> None:
    for number in numbers:
        home = Home(folder / "h")
        before = without_stamps(home)
        home.install()
        killed_at(home, number, "uninstall", "--yes", *ALL)

        home.run("uninstall", "--yes", *ALL)

        assert without_stamps(home) == before, number
        (folder / "h").rename(folder / f"done-{number}")


def test_an_install_killed_at_some_steps_and_run_again_ends_the_same_and_can_be_taken_back(
    tmp_path: Path, of_install: int
) -> None:
    _install_again(tmp_path, some(of_install, 10))


@every
def test_an_install_killed_at_any_step_and_run_again_ends_the_same_and_can_be_taken_back(
    tmp_path: Path, of_install: int, part: int
) -> None:
    _install_again(tmp_path, range(part + 1, of_install + 1, 8))


def test_an_install_killed_at_some_steps_can_be_taken_back_at_once(tmp_path: Path, of_install: int) -> None:
    _take_back(tmp_path, some(of_install, 14))


@every
def test_an_install_killed_at_any_step_can_be_taken_back_at_once(
    tmp_path: Path, of_install: int, part: int
) -> None:
    _take_back(tmp_path, range(part + 1, of_install + 1, 8))


def test_an_uninstall_killed_at_some_steps_is_finished_by_the_next_one(
    tmp_path: Path, of_uninstall: int
) -> None:
    _finish_uninstall(tmp_path, some(of_uninstall, 9))


@every
def test_an_uninstall_killed_at_any_step_is_finished_by_the_next_one(
    tmp_path: Path, of_uninstall: int, part: int
) -> None:
    _finish_uninstall(tmp_path, range(part + 1, of_uninstall + 1, 8))


def test_the_counting_of_steps_bites(tmp_path: Path, of_install: int, of_uninstall: int) -> None:
    assert of_install > 30
    assert of_uninstall > 15
    with pytest.raises(AssertionError, match="nothing was killed"):
        killed_at(Home(tmp_path / "h"), of_install + 1, "install", "--yes")
