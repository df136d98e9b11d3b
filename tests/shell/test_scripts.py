"""The scripts wherever they are dropped: paths with spaces, links, other folders, nothing set up, no time.

A stand-in for the environment's Python writes down how it was called, so that nothing is installed here.
"""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

STAND_IN = r"""#!/usr/bin/env bash
# Checks of the version and of what can be imported pass; everything else is written down.
if [ "$1" = -c ]; then exit 0; fi
if [ "$1" = --version ]; then echo "Python 3.12.0"; exit 0; fi
printf '%s\n' "$PWD|$*" >> "$CALLS"
[ -z "${FAKE_TELLS_CALLED:-}" ] || echo "called as ${SCRIMSHAW_CALLED:-}"
case "$*" in
  *--dry-run*) exit "${FAKE_PLAN:-0}" ;;
  *lay_out.py*)
    mkdir -p "$2/workspace"
    printf '## Observations\n- one line\n<!-- scrimshaw:end -->\n' > "$2/workspace/MEMORY.md" ;;
  *"[semantic]"*) [ -z "${FAKE_WITHOUT_SEMANTIC:-}" ] || exit 1 ;;
  *preview*) [ -z "${FAKE_PREVIEW:-}" ] || cat "$FAKE_PREVIEW" || exit 1 ;;
esac
[ -z "${FAKE_TALK:-}" ] || echo "$FAKE_TALK"
[ -z "${FAKE_TRAP:-}" ] || trap '' TERM
[ -z "${FAKE_SLEEP:-}" ] || { echo $$ > "$CALLS.pid"; for _ in $(seq "$FAKE_SLEEP"); do sleep 0.1; done; }
exit "${FAKE_EXIT:-0}"
"""


@pytest.fixture
def checkout(tmp_path):
    """A set-up checkout whose path has spaces."""
    return _check_out(tmp_path / "a check out")


def _check_out(folder: Path) -> Path:
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    (folder / "pyproject.toml").write_text("[project]\n")
    _write_stand_in(folder / ".venv" / "bin" / "python")
    (folder / ".venv" / ".scrimshaw-stamp").write_text(_stamp(folder))
    return folder


def _write_stand_in(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STAND_IN)
    path.chmod(0o755)


def _stamp(folder: Path) -> str:
    checksum = subprocess.run(
        ["cksum"], stdin=(folder / "pyproject.toml").open("rb"), capture_output=True, text=True, check=True
    )
    return f". {folder.resolve()} {checksum.stdout.strip()}\n"


@pytest.fixture
def run(tmp_path):
    """Run a script; returns what it said and how it ended. `run.calls()` is what Python was asked."""
    calls = tmp_path / "calls"
    (tmp_path / "home" / ".openclaw").mkdir(parents=True)

    def _run(*words, cwd=tmp_path, terminal=None, **environment):
        return subprocess.run(
            [str(word) for word in words],
            cwd=cwd,
            env={**os.environ, "CALLS": str(calls), "HOME": str(tmp_path / "home"), **environment},
            stdin=subprocess.DEVNULL if terminal is None else terminal,
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    _run.calls = lambda: calls.read_text().splitlines() if calls.exists() else []
    _run.pid_file = calls.with_name("calls.pid")
    return _run


def test_the_command_passes_arguments_folder_and_exit_code_on(checkout, run, tmp_path):
    done = run(checkout / "scripts" / "scrimshaw", "status", "--workspace", "a b", FAKE_EXIT="4")

    assert done.returncode == 4
    assert run.calls() == [f"{tmp_path}|-m scrimshaw status --workspace a b"]


def test_the_command_works_through_links(checkout, run, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "real").symlink_to("../a check out/scripts/scrimshaw")
    (folder / "scrimshaw").symlink_to("real")

    done = run(folder / "scrimshaw", "status", cwd="/")

    assert (done.returncode, done.stderr) == (0, "")
    assert run.calls() == ["/|-m scrimshaw status"]


def test_the_command_knows_how_it_was_called(checkout, run):
    done = run(checkout / "scripts" / "scrimshaw", "status", cwd="/", FAKE_TELLS_CALLED="1")

    called = str(checkout / "scripts" / "scrimshaw").replace(" ", "\\ ")
    assert done.stdout == f"called as {called}\n"


def test_the_command_says_what_to_do_when_nothing_is_set_up(checkout, run):
    shutil.rmtree(checkout / ".venv")

    done = run(checkout / "scripts" / "scrimshaw", "status")

    assert done.returncode == 1
    assert f"'{checkout}/scripts/start'" in done.stderr


def test_the_command_says_what_to_do_when_the_checkout_was_moved(checkout, run):
    # What is installed still points to the old place.
    moved = checkout.rename(checkout.with_name("moved"))

    done = run(moved / "scripts" / "scrimshaw", "status")

    assert done.returncode == 1
    assert f"'{moved}/scripts/start'" in done.stderr
    assert run.calls() == []


@pytest.mark.parametrize(("verb", "more"), [("observe", " --through-daemon 59"), ("reflect", "")])
def test_a_state_folder_is_passed_on(checkout, run, verb, more):
    folder = "/srv/claw state"

    done = run(checkout / "scripts" / f"{verb}-now", "--workspace", "/w", "--state-dir", folder, cwd="/")

    assert done.returncode == 0, done.stderr
    assert run.calls() == [f"/|-m scrimshaw {verb} --workspace /w --state-dir={folder}{more}"]


def test_the_steps_that_a_script_names_can_be_typed_from_where_one_is(checkout, run, tmp_path):
    script = checkout / "scripts" / "observe-now"
    for words in (("--nonsense",), ("--timeout", "soon"), ("--workspace",), ()):
        done = run(script, *words, cwd=tmp_path)

        (step,) = [line for line in done.stderr.splitlines() if line.startswith("Next: ")]
        named = subprocess.run(
            ["bash", "-c", f"printf '%s' {step.removeprefix('Next: ').split(' --')[0]}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert named.stdout == str(script)


def test_observe_now_finds_the_workspace_it_is_dropped_in(run, tmp_path):
    workspace = tmp_path / "my workspace"
    dropped = _check_out(workspace / "skills" / "observational-memory")

    done = run(dropped / "scripts" / "observe-now", cwd="/", FAKE_TALK="2 new lines")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run.calls() == [f"/|-m scrimshaw observe --workspace {workspace} --through-daemon 59"]


def test_observe_now_takes_the_workspace_of_the_link_not_of_the_checkout(checkout, run, tmp_path):
    skills = tmp_path / "workspace" / "skills"
    skills.mkdir(parents=True)
    (skills / "observational-memory").symlink_to(checkout)

    done = run(skills / "observational-memory" / "scripts" / "observe-now")

    assert done.returncode == 0
    assert run.calls() == [
        f"{tmp_path}|-m scrimshaw observe --workspace {tmp_path / 'workspace'} --through-daemon 59"
    ]


def test_observe_now_outside_a_workspace_asks_for_its_name(checkout, run):
    done = run(checkout / "scripts" / "observe-now")

    assert done.returncode == 2
    assert "--workspace DIR" in done.stderr
    assert run.calls() == []


def test_observe_now_passes_the_exit_code_and_with_verbose_the_words(checkout, run):
    words = ["--workspace", "w", "--verbose", "--yes", "--if-due"]

    done = run(checkout / "scripts" / "observe-now", *words, FAKE_TALK="hm", FAKE_EXIT="5")

    assert (done.returncode, done.stdout) == (5, "hm\n")
    assert run.calls()[0].endswith("|-m scrimshaw observe --workspace w --through-daemon 59 --if-due --yes")


def test_observe_now_passes_the_conversation_that_comes_first(checkout, run):
    done = run(checkout / "scripts" / "observe-now", "--workspace", "w", "--session", "agent:main:main")

    assert done.returncode == 0
    assert run.calls()[0].endswith("observe --workspace w --through-daemon 59 --session=agent:main:main")


@pytest.mark.parametrize(
    "words", ["--timeout", "--timeout soon", "--timeout 0", "--timeout 08", "--wrkspace w", "--session"]
)
def test_observe_now_refuses_wrong_usage(checkout, run, words):
    done = run(checkout / "scripts" / "observe-now", *words.split())

    assert done.returncode == 2
    assert "Next: " in done.stderr
    assert run.calls() == []


@pytest.mark.parametrize("deaf", ["", "1"], ids=["on the first signal", "when it ignores the signal"])
def test_observe_now_ends_in_time_and_leaves_no_child(checkout, run, deaf):
    words = ["--workspace", "w", "--timeout", "1"]

    # Its child has an hour to go, and is gone when it has ended.
    done = run(checkout / "scripts" / "observe-now", *words, FAKE_SLEEP="3600", FAKE_TRAP=deaf)

    assert done.returncode == 3
    assert "the next run goes on" in done.stderr
    assert done.stderr.endswith(f"observe-now {' '.join(words)} --timeout 5\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int(run.pid_file.read_text()), 0)


def test_reflect_now_is_its_own_verb_with_the_same_manners(run, tmp_path):
    dropped = _check_out(tmp_path / "my workspace" / "skills" / "observational-memory")

    done = run(dropped / "scripts" / "reflect-now", cwd="/", FAKE_TALK="1 merged")
    refused = run(dropped / "scripts" / "reflect-now", "--if-due")
    told = run(dropped / "scripts" / "reflect-now", "--help")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run.calls() == [f"/|-m scrimshaw reflect --workspace {tmp_path / 'my workspace'}"]
    assert (refused.returncode, "scripts/reflect-now --help" in refused.stderr) == (2, True)
    assert "scripts/reflect-now [--workspace DIR]" in told.stdout


def test_start_shows_the_section_of_a_fresh_demo(checkout, run):
    done = run(checkout / "scripts" / "start", "--demo-only", cwd="/")

    assert done.returncode == 0, done.stderr
    assert "  ## Observations\n  - one line\n" in done.stdout
    state = checkout / "demo" / ".run" / "state"
    assert f'search "which bottle?" --state-dir {state}' in done.stdout.replace("\\", "")
    assert not any("preview" in call for call in run.calls())


def test_start_without_a_terminal_writes_nothing_to_real_workspaces(checkout, run, tmp_path):
    preview = tmp_path / "preview"
    preview.write_text("main\n  MEMORY.md: would be written, 1 of 2 units.\n- a real line\n")

    done = run(checkout / "scripts" / "start", FAKE_PREVIEW=str(preview))

    assert done.returncode == 0, done.stderr
    assert "a real line" in done.stdout
    assert "scripts/start --yes" in done.stdout
    assert [call for call in run.calls() if call.endswith("observe --yes")] == []


def test_start_writes_to_real_workspaces_when_told(checkout, run, tmp_path):
    preview = tmp_path / "preview"
    preview.write_text("main\n  MEMORY.md: would be written, 1 of 2 units.\n- a real line\n")

    done = run(checkout / "scripts" / "start", "--yes", FAKE_PREVIEW=str(preview))

    assert done.returncode == 0, done.stderr
    assert run.calls()[-1].endswith("|-m scrimshaw observe --yes")


@pytest.mark.parametrize("options", [[], ["--demo-only"]])
def test_start_names_no_step_for_an_openclaw_that_is_not_there(checkout, run, tmp_path, options):
    done = run(checkout / "scripts" / "start", *options, HOME=tmp_path)

    steps = done.stdout.partition("Next (no OpenClaw")[2]
    assert done.returncode == 0, done.stderr
    assert 'store "WORDS" --home FOLDER --agent NAME' in steps
    assert "--workspace" not in steps
    assert "hook" not in steps
    assert not any("preview" in call for call in run.calls())


@pytest.mark.parametrize(
    ("options", "code"), [([], 0), (["--yes"], 1)], ids=["nothing asked", "writing asked"]
)
def test_start_writes_nothing_where_there_is_no_workspace(checkout, run, tmp_path, options, code):
    missing = tmp_path / "preview is missing, so preview fails"

    done = run(checkout / "scripts" / "start", *options, FAKE_PREVIEW=str(missing))

    assert done.returncode == code, done.stderr
    assert run.calls()[-1].endswith("|-m scrimshaw preview")


@pytest.mark.parametrize(("answer", "writes"), [("y", True), ("n", False), ("", False)])
def test_start_asks_on_a_terminal(checkout, run, tmp_path, answer, writes):
    preview = tmp_path / "preview"
    preview.write_text("main\n  MEMORY.md: would be written, 1 of 2 units.\n- a real line\n")
    person, terminal = os.openpty()
    os.write(person, f"{answer}\n".encode())

    done = run(checkout / "scripts" / "start", FAKE_PREVIEW=str(preview), terminal=terminal)

    os.close(terminal)
    said = _everything_from(person)
    assert done.returncode == 0, done.stderr
    assert "into these workspaces now? [y/N]" in said
    assert run.calls()[-1].endswith("|-m scrimshaw observe --yes") == writes


def _everything_from(terminal: int) -> str:
    said = b""
    # Linux ends the other side of a closed terminal with an error, macOS with nothing.
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            said += part
    os.close(terminal)
    return said.decode()


def test_start_installs_once_and_again_when_the_project_or_its_place_changed(checkout, run):
    def installs_after_start(folder: Path) -> int:
        assert run(folder / "scripts" / "start", "--demo-only").returncode == 0
        return len([call for call in run.calls() if "pip install" in call])

    untouched = installs_after_start(checkout)
    (checkout / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    changed = [installs_after_start(checkout), installs_after_start(checkout)]
    moved = installs_after_start(checkout.rename(checkout.with_name("moved")))

    assert (untouched, changed, moved) == (0, [1, 1], 2)


def test_start_shows_what_pip_said_when_it_fails(checkout, run):
    (checkout / ".venv" / ".scrimshaw-stamp").unlink()

    done = run(checkout / "scripts" / "start", FAKE_TALK="ERROR: no route to the index", FAKE_EXIT="1")

    assert done.returncode == 1
    assert "no route to the index" in done.stderr
    assert not (checkout / ".venv" / ".scrimshaw-stamp").exists()


def test_start_says_kindly_which_python_is_missing(checkout, run, tmp_path):
    shutil.rmtree(checkout / ".venv")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "env", "dirname", "readlink", "cksum", "cat", "sed"):
        (tools / name).symlink_to(shutil.which(name))
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)

    done = run(checkout / "scripts" / "start", PATH=str(tools))

    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
    assert "sudo apt install" in done.stderr
    assert not (checkout / ".venv").exists()


def test_install_adds_what_search_and_archives_need_once(checkout, run):
    def extras_after_install() -> list[str]:
        done = run(checkout / "scripts" / "install")
        assert done.returncode == 0, done.stderr
        return [call.rsplit("[", 1)[1] for call in run.calls() if "pip install" in call]

    first = extras_after_install()
    second = extras_after_install()

    assert first == ["semantic]", "archives]"]
    assert second == first


def test_install_downloads_nothing_where_there_is_no_openclaw(checkout, run, tmp_path):
    shutil.rmtree(checkout / ".venv")
    tries = [
        run(checkout / "scripts" / "install", *words, HOME=home)
        for words, home in (((), tmp_path), (("--state-dir", tmp_path / "a b"), tmp_path / "home"))
    ]

    assert [done.returncode for done in tries] == [1, 1]
    assert "No OpenClaw was found in ~/.openclaw or ~/.openclaw-<profile>. Nothing was" in tries[0].stderr
    assert f"No OpenClaw was found in {tmp_path / 'a b'}. Nothing was downloaded" in tries[1].stderr
    assert run.calls() == []
    assert not (checkout / ".venv").exists()


def test_install_adds_nothing_large_for_an_openclaw_that_it_cannot_install_into(checkout, run):
    done = run(checkout / "scripts" / "install", FAKE_PLAN="4")

    assert done.returncode == 4
    assert [call.partition("|")[2] for call in run.calls()] == ["-m scrimshaw install --dry-run"]


def test_a_dry_run_of_install_plans_once_and_adds_nothing(checkout, run):
    done = run(checkout / "scripts" / "install", "--dry-run", FAKE_PLAN="4")

    assert done.returncode == 4
    assert [call.partition("|")[2] for call in run.calls()] == ["-m scrimshaw install --dry-run"]


def test_install_goes_on_where_the_extras_cannot_be_had(checkout, run):
    done = run(checkout / "scripts" / "install", FAKE_WITHOUT_SEMANTIC="1")

    assert done.returncode == 0
    assert "Without 'semantic' everything else works" in done.stderr
    assert run.calls()[-1].endswith("-m scrimshaw install")
    assert not (checkout / ".venv" / ".scrimshaw-extras").exists()


def test_install_leaves_the_extras_out_when_told_so(checkout, run):
    run(checkout / "scripts" / "install", SCRIMSHAW_EXTRAS="")

    assert not [call for call in run.calls() if "pip install" in call]


def test_an_unknown_option_of_start_does_nothing(checkout, run):
    done = run(checkout / "scripts" / "start", "--ja")

    assert done.returncode == 2
    assert run.calls() == []
