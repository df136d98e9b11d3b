"""`scrimshaw service` beside a systemctl that writes down what it was asked and does what its plan says."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.places import Place

from scrimshaw.cli import daemon as verb
from scrimshaw.config import Settings
from scrimshaw.host import service
from scrimshaw.setup.serving import reach_of

# Keeps the state of the one unit in a folder; `fails` and `status` there are how the test steers it.
SYSTEMCTL = r"""#!{shell}
cd {folder} || exit 9
shift 3 # --user --no-pager --no-ask-password
echo "$*" >> calls
said=
[ ! -f bus ] || {{ read -r said < bus; echo "$said" >&2; exit 1; }}
is_confined() {{
  while read -r line; do case $line in PrivateUsers=*) return 0 ;; esac; done < "{unit}"
  return 1
}}
case $1 in
  enable | restart)
    if [ -f sandbox-fails ] && is_confined; then
      read -r status < sandbox-fails; echo failed > active; echo "$status" > status
      echo "Job for scrimshaw.service failed." >&2; exit 1
    fi
    [ ! -f refuses ] || {{ echo "Refused, the plan says." >&2; exit 1; }}
    echo enabled > enabled; echo active > active; echo 0 > status
    [ ! -f dies ] || echo activating > active ;;
  disable) echo disabled > enabled; echo inactive > active ;;
  show)
    active=inactive; enabled=; status=0; sub=dead
    [ ! -f active ] || read -r active < active
    [ ! -f enabled ] || read -r enabled < enabled
    [ ! -f status ] || read -r status < status
    [ "$active" != active ] || sub=running
    load=not-found; path=
    [ ! -f "{unit}" ] || {{ load=loaded; path="{unit}"; }}
    echo "LoadState=$load"; echo "ActiveState=$active"; echo "SubState=$sub"; echo "UnitFileState=$enabled"
    echo "ActiveEnterTimestamp=Fri 2026-11-20 18:00:00 UTC"; echo "Result=success"
    echo "ExecMainStatus=$status"; echo "NRestarts=0"; echo "MainPID=1"; echo "FragmentPath=$path" ;;
esac
exit 0
"""


class Machine:
    """A place with a systemd that can be told to fail."""

    def __init__(self, root: Path) -> None:
        self.place = Place(root / "home of nora")
        self.folder = root / "systemd"
        self.bin = root / "bin"
        for folder in (self.folder, self.bin):
            folder.mkdir()
        program = SYSTEMCTL.format(shell="/bin/sh", folder=shlex.quote(str(self.folder)), unit=self.unit)
        for name, text in {
            "systemctl": program,
            "loginctl": '#!/bin/sh\n[ "$1" != show-user ] || echo Linger=no\n',
        }.items():
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    @property
    def unit(self) -> Path:
        return self.place.root / ".config" / "systemd" / "user" / service.NAME

    def plan(self, name: str, text: str = "") -> None:
        (self.folder / name).write_text(f"{text}\n")

    def set_up(self) -> None:
        self.place.say(("Remember that the staging key is rotated on Mondays.", "Noted."))
        assert self.place.run("observe", "--yes", env=self.env).code == 0

    @property
    def env(self) -> dict[str, str]:
        return {"PATH": str(self.bin), "XDG_CONFIG_HOME": "", "GEMINI_API_KEY": "hush-hush"}

    def run(self, *words: str, **env: str):
        return self.place.run("service", *words, env={**self.env, **env})

    def calls(self, *, changing: bool = True) -> list[str]:
        """What systemctl was asked; without the looks unless *changing* is false."""
        path = self.folder / "calls"
        calls = path.read_text().splitlines() if path.exists() else []
        return [call for call in calls if not (changing and call.startswith("show"))]


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setattr(verb, "SETTLE_SECONDS", 0)
    made = Machine(tmp_path)
    made.set_up()
    return made


def test_install_writes_the_unit_and_starts_it(machine):
    answer = machine.run("install")
    text = machine.unit.read_text()

    assert answer.code == 0, answer.err
    assert machine.calls() == ["daemon-reload", f"enable --now {service.NAME}"]
    assert f'ReadWritePaths="-{machine.place.workspace}"' in text
    assert f':"{Path(sys.executable).absolute()}" "-P" "-m" "scrimshaw" "run"' in text
    assert f'"OPENCLAW_STATE_DIR={machine.place.state}"' in text
    assert "hush-hush" not in text
    assert "SCRIMSHAW_NOW" not in text
    assert "loginctl enable-linger" in answer.out


def test_a_model_that_was_chosen_opens_the_network_and_offline_shuts_it(machine):
    machine.run("install")
    assert "RestrictAddressFamilies=AF_UNIX\n" in machine.unit.read_text()

    machine.place.run("init", "--model", "ollama/qwen3:8b", env=machine.env)
    outdated = machine.run("status")
    answer = machine.run("install")

    assert "a model may not be reached" in outdated.out
    assert "It has a network" in answer.out
    assert "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6\n" in machine.unit.read_text()

    machine.place.run("init", "--model", "offline", env=machine.env)
    machine.run("install")

    assert "RestrictAddressFamilies=AF_UNIX\n" in machine.unit.read_text()


def test_a_choice_says_that_the_installed_service_cannot_reach_it_yet(machine):
    machine.run("install")

    answer = machine.place.run("init", "--model", "ollama/qwen3:8b", env=machine.env)

    assert "the installed service has no network. Next: scrimshaw service install" in answer.out


def test_openclaw_s_own_state_is_the_only_other_place_that_may_be_written(machine):
    machine.place.run("init", "--model", "openclaw", env=machine.env)

    answer = machine.run("install")

    text = machine.unit.read_text()
    assert "may start openclaw" in answer.out
    assert f'ReadWritePaths="-{machine.place.state.resolve()}"' in text
    assert "MemoryDenyWriteExecute=true" not in text.splitlines()


def test_the_unit_is_for_its_owner_s_eyes(machine):
    machine.run("install")

    assert machine.unit.stat().st_mode & 0o777 == 0o600


def test_a_second_install_changes_nothing(machine):
    machine.run("install")
    before = machine.unit.stat()

    answer = machine.run("install")

    assert "unchanged" in answer.out
    assert (before.st_ino, before.st_mtime_ns) == (
        machine.unit.stat().st_ino,
        machine.unit.stat().st_mtime_ns,
    )
    assert "restart scrimshaw.service" not in machine.calls()


def test_an_install_with_other_options_restarts_the_service(machine):
    machine.run("install")

    answer = machine.run("install", "--agent", "main")

    assert "anew" in answer.out
    assert machine.calls()[-1] == f"restart {service.NAME}"
    assert '"run" "--agent" "main"' in machine.unit.read_text()


def test_a_dry_run_prints_the_unit_and_changes_nothing(machine):
    answer = machine.run("install", "--dry-run")

    assert answer.code == 0
    assert answer.out.startswith("# scrimshaw:service\n")
    assert "#   systemctl --user daemon-reload" in answer.out
    assert not machine.unit.exists()
    assert machine.calls(changing=False) == []


def test_without_a_workspace_that_is_set_up_nothing_is_installed(machine):
    (machine.place.workspace / ".scrimshaw" / "ledger.sqlite").unlink()

    answer = machine.run("install")

    assert answer.code == 1
    assert "scrimshaw init" in answer.err
    assert not machine.unit.exists()


def test_a_unit_of_somebody_else_is_left_alone(machine):
    machine.unit.parent.mkdir(parents=True)
    machine.unit.write_text("[Service]\nExecStart=/bin/true\n")

    codes = [machine.run(word).code for word in ("install", "uninstall", "status")]

    assert codes == [4, 4, 4]
    assert machine.unit.read_text() == "[Service]\nExecStart=/bin/true\n"
    assert machine.calls() == []


def test_a_link_in_the_unit_s_place_is_left_alone(machine, tmp_path):
    machine.unit.parent.mkdir(parents=True)
    machine.unit.symlink_to(tmp_path / "dotfiles")

    assert machine.run("install").code == 4
    assert machine.unit.is_symlink()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("System has not been booted with systemd as init system (PID 1). Can't operate.", "container"),
        ("Failed to connect to bus: No medium found", "enable-linger"),
        ("Failed to connect to user scope bus via local transport: $DBUS_SESSION_BUS", "enable-linger"),
    ],
)
def test_without_a_manager_nothing_is_written_and_another_way_is_shown(machine, said, told):
    machine.plan("bus", said)

    answer = machine.run("install")

    assert answer.code == 1
    assert told in answer.err
    assert "scrimshaw run" in answer.err
    assert "observe --if-due" in answer.err
    assert not machine.unit.exists()


def test_without_systemctl_nothing_is_written_and_another_way_is_shown(machine):
    (machine.bin / "systemctl").unlink()

    answer = machine.run("install")

    assert answer.code == 1
    assert "no systemd" in answer.err
    assert "scrimshaw run" in answer.err
    assert not machine.unit.exists()


def test_a_systemctl_that_refuses_is_quoted(machine):
    machine.plan("refuses")

    answer = machine.run("install")

    assert answer.code == 1
    assert "Refused, the plan says." in answer.err
    assert "journalctl --user" in answer.err


@pytest.mark.parametrize("status", [217, 218, 226])
def test_where_the_sandbox_cannot_be_laid_the_service_runs_without_and_says_so(machine, status):
    machine.plan("sandbox-fails", str(status))

    answer = machine.run("install")
    again = machine.run("install")

    assert answer.code == 0, answer.err
    assert service.NO_NAMESPACES in answer.out
    assert "PrivateUsers=" not in machine.unit.read_text()
    assert "unchanged" in again.out
    assert machine.run("status", "--json").object["is_current"]


def test_another_failure_does_not_take_the_sandbox_away(machine):
    machine.plan("sandbox-fails", "203")

    assert machine.run("install").code == 1
    assert "PrivateUsers=true" in machine.unit.read_text()


def test_a_daemon_that_does_not_stay_up_is_told(machine):
    machine.plan("dies")

    answer = machine.run("install")

    assert answer.code == 1
    assert "does not stay up" in answer.err


def test_status_of_what_is_not_installed_says_how_to_install_it(machine):
    answer = machine.run("status")

    assert answer.code == 1
    assert "not installed" in answer.out
    assert "scrimshaw service install" in answer.out


def test_status_of_a_running_service_is_fine(machine):
    machine.run("install", "--agent", "main")

    answer = machine.run("status", "--json")

    assert answer.code == 0, answer.out
    assert answer.object["is_installed"]
    assert answer.object["is_current"]
    assert answer.object["is_running"]
    assert answer.object["is_enabled"]
    assert answer.object["is_lingering"] is False


def test_status_does_not_depend_on_the_shell_it_is_asked_from(machine):
    machine.run("install", TZ="Europe/Paris")

    assert machine.run("status", "--json", OPENCLAW_STATE_DIR="", TZ="Asia/Tokyo").object["is_current"]


def test_status_tells_a_service_that_has_stopped(machine):
    machine.run("install")
    machine.plan("active", "failed")

    answer = machine.run("status")

    assert answer.code == 1
    assert "it does not run" in answer.out
    assert "journalctl" in answer.out


def test_a_workspace_set_up_later_makes_the_unit_outdated_until_the_next_install(machine):
    machine.run("install")
    second = machine.place.root / "second"
    second.mkdir()
    config = machine.place.state / "openclaw.json"
    said = json.loads(config.read_text())
    said["agents"]["entries"] = {"main": {}, "second": {"workspace": str(second)}}
    config.write_text(json.dumps(said))

    before_it_is_set_up = machine.run("status").code
    assert machine.place.run("init", "--yes", "--agent", "second", env=machine.env).code == 0
    outdated = machine.run("status")
    machine.run("install")

    assert before_it_is_set_up == 0
    assert outdated.code == 1
    assert "outdated" in outdated.out
    assert machine.run("status").code == 0
    assert str(second) in machine.unit.read_text()


def test_a_unit_changed_by_hand_is_outdated(machine):
    machine.run("install")
    machine.unit.write_text(machine.unit.read_text().replace("Nice=10", "Nice=0"))

    assert machine.run("status", "--json").object["is_current"] is False


def test_uninstall_stops_the_service_and_leaves_the_memory(machine):
    machine.run("install")
    before = machine.place.everything_written()

    answer = machine.run("uninstall")

    assert answer.code == 0
    assert not machine.unit.exists()
    assert machine.calls()[-3:] == [
        f"disable --now {service.NAME}",
        "daemon-reload",
        f"reset-failed {service.NAME}",
    ]
    assert before == machine.place.everything_written()


def test_uninstall_of_what_is_not_there_is_fine(machine):
    answer = machine.run("uninstall")

    assert answer.code == 0
    assert "No service is installed" in answer.out
    assert machine.calls() == []


def test_uninstall_without_a_manager_takes_the_files_away(machine):
    machine.run("install")
    wants = machine.unit.parent / "default.target.wants"
    wants.mkdir()
    (wants / service.NAME).symlink_to(machine.unit)
    machine.plan("bus", "Failed to connect to bus: No medium found")

    assert machine.run("uninstall").code == 0
    assert not machine.unit.exists()
    assert not (wants / service.NAME).is_symlink()


def test_the_network_is_open_only_for_what_was_chosen():
    found = [
        reach_of(Settings(**chosen))
        for chosen in (
            {},
            {"embeddings": "ollama/nomic-embed-text"},
            {"observer_model": "gemini/gemini-2.5-flash"},
            {"reflector_model": "openclaw", "embeddings": "ollama/nomic-embed-text"},
        )
    ]

    assert found == ["nothing", "network", "network", "openclaw"]


def test_a_service_that_serves_may_listen_and_write_its_tokens_and_nothing_else(machine):
    machine.run("install")
    before = set(machine.unit.read_text().splitlines())

    answer = machine.run("install", "--serve")

    text = machine.unit.read_text()
    folder = machine.place.root / ".local" / "state" / "scrimshaw" / "server"
    assert "It answers programs: http://127.0.0.1:18892" in answer.out
    assert folder.stat().st_mode & 0o777 == 0o700
    assert '"run" "--serve"' in text
    settings = {line for line in set(text.splitlines()) - before if line[0] != "#"}
    assert {line.partition("=")[0] for line in settings} == {
        "ExecStart",
        "ReadWritePaths",
        "RestrictAddressFamilies",
    }
    assert f'ReadWritePaths="-{folder}"' in settings
    assert "Next: scrimshaw service install" not in machine.run("status").out


def test_on_a_socket_the_network_stays_shut(machine, tmp_path):
    answer = machine.run("install", "--serve", "--socket", str(tmp_path / "run" / "s"))

    text = machine.unit.read_text()
    assert f"It answers programs: unix socket {tmp_path / 'run' / 's'}" in answer.out
    assert "RestrictAddressFamilies=AF_UNIX\n" in text
    assert f'ReadWritePaths="-{tmp_path / "run"}"' in text
    assert f'"--socket" "{tmp_path / "run" / "s"}" "--serve"' in text


def test_a_service_that_no_longer_serves_is_shut_again(machine):
    machine.run("install", "--serve")
    machine.run("install")

    text = machine.unit.read_text()
    assert "--serve" not in text
    assert "RestrictAddressFamilies=AF_UNIX\n" in text


def test_a_dry_run_of_a_service_that_serves_shows_its_room_and_makes_nothing(machine):
    answer = machine.run("install", "--serve", "--dry-run")

    assert "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6" in answer.out
    assert "scrimshaw/server" in answer.out
    assert not (machine.place.root / ".local" / "state" / "scrimshaw" / "server").exists()


def test_a_service_is_not_installed_where_others_could_reach_it(machine):
    answer = machine.run("install", "--serve", SCRIMSHAW_SERVER_HOST="0.0.0.0")

    assert answer.code == 4
    assert "can be reached from other machines" in answer.err
    assert not machine.unit.exists()


def test_a_socket_wants_a_service_that_serves(machine):
    assert machine.run("install", "--socket", "s").code == 2
