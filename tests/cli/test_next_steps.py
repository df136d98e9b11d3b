"""What is printed as a next step can be typed as it stands, also where no `scrimshaw` is on the PATH."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.daemon.processes import PATIENCE_SECONDS
from tests.setup.home import Home

from scrimshaw.archive import mv2
from scrimshaw.cli import group
from scrimshaw.cli.support.terminal import as_called, as_said, how_called, plain
from scrimshaw.cli.verbs import VERBS, WHERE
from scrimshaw.core.section.markers import BEGIN
from scrimshaw.resources import adding, script

_ROOT = Path(__file__).resolve().parents[2]
_BARE = re.compile(rf"(?<![\w/.-])(?<!-m )scrimshaw\s+(?:{'|'.join(VERBS)})\b")
_NEXT = re.compile(r"Next: ((?:'[^']*'|\S)+)")


class _Shell:
    """The command as a subprocess whose PATH holds nothing of ours; all that it ever said is kept."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.said = ""

    def __call__(self, *words: str) -> str:
        env = {
            "HOME": str(self.home.root),
            "PATH": os.pathsep.join((self.home.path, os.defpath)),
            "PYTHONPATH": str(_ROOT / "skill"),
            "SCRIMSHAW_NOW": "2026-11-20T18:00:00+00:00",
        }
        done = subprocess.run(
            [sys.executable, "-m", "scrimshaw", *words],
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode != 70, done.stderr
        self.said += done.stdout + done.stderr
        return done.stdout + done.stderr


def _bad_steps(said: str) -> list[str]:
    """Return what in *said* is named as a command and is none here."""
    bad = [found[0] for found in _BARE.finditer(said)]
    for found in _NEXT.finditer(said):
        program = shlex.split(found[1])[0] if found[1].count("'") % 2 == 0 else found[1]
        if "/" in program and not program.startswith("--") and not os.access(program, os.X_OK):
            bad.append(found[0])
    return bad


@pytest.fixture
def shell(tmp_path: Path) -> _Shell:
    return _Shell(Home(tmp_path / "home of nora"))


def test_every_step_of_a_first_day_can_be_typed(shell: _Shell) -> None:
    shell("status")  # nothing is set up
    shell("install", "--yes", "--keep-fresh", "none")
    shell("doctor")
    (shell.home.workspace() / ".scrimshaw" / "config.yaml").write_text("ttl_days: soon\n")
    shell("observe")

    assert _bad_steps(shell.said) == []
    assert shell.said.count(f"{shlex.quote(sys.executable)} -P -m scrimshaw ") > 3  # the check has bitten


@pytest.mark.slow
def test_every_step_of_many_flows_can_be_typed(shell: _Shell) -> None:
    home = shell.home
    for words in (
        ("status",),
        ("doctor",),
        ("search", "Postgres"),
        ("observe",),
        ("add", "A note."),
        ("log",),
    ):
        shell(*words)  # nothing is set up
    shell("install", "--dry-run")
    shell("install")
    shell("install", "--yes", "--keep-fresh", "none")
    for words in (("doctor",), ("status",), ("log",), ("timeline",), ("models",), ("review",), ("spend",)):
        shell(*words)
    shell("undo", "99")
    shell("forget", "nothing of that kind")
    shell("config", "--check")
    shell("service", "status")
    shell("observe", "--since", "2031-01-01")
    memory = home.workspace() / "MEMORY.md"
    whole = memory.read_text("utf-8")
    memory.write_text(whole + BEGIN + "\n", encoding="utf-8")
    shell("observe")
    shell("doctor")
    memory.write_text(re.sub(r"(?m)^- .*\n", "", whole), encoding="utf-8")
    for words in (("observe",), ("doctor",), ("status",)):
        shell(*words)
    memory.write_text(whole, encoding="utf-8")
    (home.workspace() / ".scrimshaw" / "config.yaml").write_text("ttl_days: soon\n")
    shell("observe")
    (home.workspace() / ".scrimshaw" / "config.yaml").unlink()
    home.config.write_text("{")
    shell("observe")
    shell("--help")

    assert _bad_steps(shell.said) == []
    assert shell.said.count(f"{shlex.quote(sys.executable)} -P -m scrimshaw ") > 20  # the check has bitten


def test_the_check_of_steps_bites() -> None:
    assert _bad_steps("Next: scrimshaw doctor") == ["scrimshaw doctor"]
    assert _bad_steps("all of it: scrimshaw\n   doctor") == ["scrimshaw\n   doctor"]
    assert _bad_steps("Next: /nowhere/scrimshaw doctor") == ["Next: /nowhere/scrimshaw"]


def test_what_was_said_is_shown_as_it_was_said(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.install()
    words = "We decided to run scrimshaw observe every night on the server."
    assert home.run("add", words, SCRIMSHAW_CALLED="/opt/s/scrimshaw").code == 0

    for verb in (("search", "server"), ("timeline",), ("why", "every night"), ("preview",)):
        answer = home.run(*verb, SCRIMSHAW_CALLED="/opt/s/scrimshaw")

        assert words.removesuffix(".") in answer.out, answer.out + answer.err


def test_a_step_says_again_about_whom_the_command_was_asked(tmp_path: Path) -> None:
    home = Home(tmp_path / "home of nora", state="other state")
    where = ("--state-dir", str(home.state), "--agent", "main")
    told = " ".join(map(shlex.quote, where))
    home.run("observe", "--yes", *where)

    log = home.run("log", *where, SCRIMSHAW_CALLED="/s")
    failed = home.run("why", "nothing of that kind", *where, SCRIMSHAW_CALLED="/s")

    assert f"See one: /s diff {told} REV. Take one back: /s undo {told} REV" in log.out
    assert f"/s search {told} WORDS; or" in failed.err


def test_a_step_that_names_an_agent_is_asked_of_the_same_host_alone() -> None:
    given = {"state_dir": Path("a b"), "workspace": Path("w"), "limit": 5, "home": None}

    told = as_called(
        "scrimshaw init --agent ines; scrimshaw token create --agent ines; scrimshaw models test X", "", given
    )

    assert told == (
        "scrimshaw init --state-dir 'a b' --agent ines; scrimshaw token create --agent ines; "
        "scrimshaw models test --state-dir 'a b' --workspace w X"
    )


def test_a_script_of_the_checkout_is_named_with_the_openclaw_that_was_asked_about() -> None:
    install, uninstall = script("install"), script("uninstall")
    given = {"state_dir": Path("a b"), "agent": "main", "workspace": None, "home": Path("h"), "limit": 5}

    told = as_called(f"Next: {install}, then: {uninstall}; see {install}-log and x{install}", "/s", given)

    where = "--state-dir 'a b' --agent main"
    assert told == f"Next: {install} {where}, then: {uninstall} {where}; see {install}-log and x{install}"
    assert as_called(install, "/s") == install
    assert plain(as_called(as_said(f"run {install}"), "/s", given)) == f"run {install}"


def test_what_adds_a_missing_part_says_which_openclaw_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mv2, "is_installed", lambda: False)
    home = Home(tmp_path / "home of nora", state="other state")
    where = ("--state-dir", str(home.state))
    home.run("observe", "--yes", *where)

    command = f"{script('install')} {shlex.join(where)}"
    assert f"not installed: {command} (" in home.run("status", *where).out
    assert f"Next: {command}\n" in home.run("doctor", *where).out


def test_what_adds_a_missing_part_sets_up_no_openclaw_for_a_home_nor_where_it_would_not_add_it() -> None:
    for command in (adding("archives", has_host=False), adding("fleet")):
        assert script("install") not in command
        assert "install --editable " in command
    assert "[fleet]" in adding("fleet")
    assert adding("archives") == script("install")


def _commands(command: click.Command, name: str) -> dict[str, set[str]]:
    """Return *command* and those below it by name, each with its options about whom it is."""
    within = command.commands if isinstance(command, click.Group) else {}
    options = [one for one in command.params if isinstance(one, click.Option)]
    own = {one.name for one in options} & {"home", "state_dir", "workspace", "agent"}
    return {name: own} | {
        k: v for part in within for k, v in _commands(within[part], f"{name} {part}").items()
    }


def test_a_step_repeats_the_options_that_its_verb_has() -> None:
    context = click.Context(group)
    commands = {
        name: own
        for verb in VERBS
        if (command := group.get_command(context, verb))
        for name, own in _commands(command, verb).items()
    }

    assert {name: own for name, own in commands.items() if own} == {
        name: set(takes) for name, takes in WHERE.items() if takes
    }


def test_quoted_words_stay_and_ours_are_as_called() -> None:
    text = f"{as_said('Then scrimshaw undo 3.')} Take it back: scrimshaw undo 3, or `scrimshaw doctor`"

    told = plain(as_called(text, "/opt/x/scrimshaw"))

    assert told == (
        "Then scrimshaw undo 3. Take it back: /opt/x/scrimshaw undo 3, or `/opt/x/scrimshaw doctor`"
    )


def test_prose_about_the_program_is_left() -> None:
    for text in (
        "another scrimshaw is there",
        "python -P -m scrimshaw run",
        "/a/scrimshaw run",
        "scrimshaw-x run",
    ):
        assert as_called(text, "/opt/x") == text


def test_how_it_was_called_is_what_can_be_typed_again(tmp_path: Path) -> None:
    script = tmp_path / "a b" / "scrimshaw"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    module = f"{shlex.quote(sys.executable)} -P -m scrimshaw"

    assert how_called({"PATH": "/nowhere"}, "/x/scrimshaw/__main__.py") == module
    assert how_called({"PATH": str(script.parent)}, "/x/scrimshaw/__main__.py") == "scrimshaw"
    assert how_called({"PATH": "/nowhere"}, str(script)) == shlex.quote(str(script))
    assert how_called({"PATH": "/nowhere"}, "scrimshaw") == "scrimshaw"
