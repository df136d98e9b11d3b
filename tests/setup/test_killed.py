"""An install that is killed anywhere, and run again or taken away, ends as if it had not been."""

from pathlib import Path

import pytest
from tests.setup.home import Home

from scrimshaw import files
from scrimshaw.setup import performing, removing

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

    monkeypatch.setattr(performing, "make", dying(performing.make))
    monkeypatch.setattr(removing, "_take", dying(removing._take))
    monkeypatch.setattr(files, "replace", dying(files.replace))
    return count


def run_killed(home: Home, *words: str) -> bool:
    try:
        home.run(*words)
    except KilledError:
        return True
    return False


def steps(quick: set[int], last: int) -> list[object]:
    """Every step; only those of *quick* in the quick suite."""
    slow = [pytest.mark.slow]
    return [pytest.param(n, marks=[] if n in quick else slow) for n in range(1, last + 1)]


@pytest.mark.parametrize("number", steps({2, 9, 24, 33}, 45))
def test_an_install_killed_at_any_step_and_run_again_ends_the_same_and_can_be_taken_back(
    tmp_path: Path, number: int
) -> None:
    whole = Home(tmp_path / "h")
    whole.install()
    wanted = without_stamps(whole)
    (tmp_path / "h").rename(tmp_path / "whole")
    home = Home(tmp_path / "h")
    before = without_stamps(home)
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, number)
        run_killed(home, "install", "--yes")

    home.install()

    assert without_stamps(home) == wanted
    home.uninstall(*ALL)
    assert without_stamps(home) == before


@pytest.mark.parametrize("number", steps({3, 12, 28}, 45))
def test_an_install_killed_at_any_step_can_be_taken_back_at_once(tmp_path: Path, number: int) -> None:
    home = Home(tmp_path / "h")
    before = without_stamps(home)
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, number)
        run_killed(home, "install", "--yes")

    home.uninstall(*ALL)

    assert without_stamps(home) == before


@pytest.mark.parametrize("number", steps({2, 15, 23}, 40))
def test_an_uninstall_killed_at_any_step_is_finished_by_the_next_one(tmp_path: Path, number: int) -> None:
    home = Home(tmp_path / "h")
    before = without_stamps(home)
    home.install()
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, number)
        run_killed(home, "uninstall", "--yes", *ALL)

    home.run("uninstall", "--yes", *ALL)

    assert without_stamps(home) == before


def test_the_counting_of_steps_bites(tmp_path: Path) -> None:
    home = Home(tmp_path / "h")
    with pytest.MonkeyPatch.context() as patch:
        count = kill_at(patch, -1)
        home.install()

    assert count[0] > 30
