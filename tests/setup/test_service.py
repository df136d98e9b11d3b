"""An install and an uninstall where a systemd of the person answers."""

from pathlib import Path

import pytest
from tests.cli.test_service import SYSTEMCTL
from tests.setup.home import Home

from scrimshaw.cli.dialogues import install as setup
from scrimshaw.host import service

ALL = ("--section", "remove", "--data", "delete")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(setup, "SETTLE_SECONDS", 0)
    made = Home(tmp_path / "home", [("main", "ws/main"), ("ops", "ws/ops")])
    folder = tmp_path / "systemd"
    folder.mkdir()
    for name, text in {
        "systemctl": SYSTEMCTL.format(shell="/bin/sh", folder=folder, unit=unit(made)),
        "loginctl": '#!/bin/sh\n[ "$1" != show-user ] || echo Linger=no\n',
    }.items():
        (made.stub.folder / name).write_text(text)
        (made.stub.folder / name).chmod(0o755)
    return made


def unit(home: Home) -> Path:
    return home.root / ".config" / "systemd" / "user" / service.NAME


def calls(home: Home) -> list[str]:
    """What systemctl was asked to change."""
    made = (home.root.parent / "systemd" / "calls").read_text().splitlines()
    return [call for call in made if not call.startswith("show")]


def test_the_service_is_the_first_choice_and_serves_every_workspace(home: Home) -> None:
    answer = home.install()

    text = unit(home).read_text("utf-8")
    assert [str(home.workspace(agent)) in text for agent in ("main", "ops")] == [True, True]
    assert "daemon-reload" in calls(home)
    assert "The service is active (running)" in answer.out


def test_a_second_install_leaves_the_service_alone(home: Home) -> None:
    home.install()
    before = calls(home)

    answer = home.install()

    assert calls(home) == before
    assert "Everything is in place" in answer.out


def test_an_agent_installed_later_is_served_too(home: Home) -> None:
    home.install("--agent", "main")
    assert str(home.workspace("ops")) not in unit(home).read_text("utf-8")

    answer = home.install("--agent", "ops")

    assert str(home.workspace("ops")) in unit(home).read_text("utf-8")
    assert "bring the daemon up to date" in answer.out


def test_a_dry_run_asks_systemd_for_no_change(home: Home) -> None:
    before = home.everything()

    answer = home.run("install", "--dry-run")

    assert "service: install and start the daemon for 2 workspaces" in answer.out
    assert (calls(home), home.everything()) == ([], before)


def test_the_last_workspace_takes_the_service_along_and_the_first_does_not(home: Home) -> None:
    home.install()

    home.uninstall("--agent", "ops", *ALL)
    served = unit(home).read_text("utf-8")
    home.uninstall("--agent", "main", *ALL)

    assert (str(home.workspace("main")) in served, str(home.workspace("ops")) in served) == (True, False)
    assert not unit(home).exists()
    assert "stop scrimshaw.service" in calls(home)
    assert "disable --now scrimshaw.service" in calls(home)


def test_a_workspace_whose_memory_is_kept_is_not_served_any_more(home: Home) -> None:
    home.install()

    home.uninstall("--agent", "ops")

    assert str(home.workspace("ops")) not in unit(home).read_text("utf-8")
    assert (home.workspace("ops") / ".scrimshaw.kept").is_dir()


def test_a_unit_of_somebody_else_is_left_and_told(home: Home) -> None:
    unit(home).parent.mkdir(parents=True)
    unit(home).write_text("[Service]\n", encoding="utf-8")

    answer = home.install()

    assert unit(home).read_text("utf-8") == "[Service]\n"
    assert "was not written by" in answer.out
