"""The text of the unit: any path is read back by systemd's rules, nothing is secret, all of it is hardened.

`read_words` follows systemd's two ways of reading (extract-word.c): with backslashes for command lines and
Environment=, without for lists of paths.
"""

import os
import plistlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.config import Settings
from scrimshaw.errors import UserError
from scrimshaw.host import service
from scrimshaw.host.systemctl import Own
from scrimshaw.host.unit import (
    ServedPlaces,
    ServiceRequest,
    ServiceUnit,
    asked_in,
    is_ours,
    launchd_text,
    reach_in,
    systemd_text,
)
from scrimshaw.resources import template
from scrimshaw.setup.serving import reach_of

PROGRAM = ("/opt/a b/bin/python", "-P", "-m", "scrimshaw")
HOME = Path("/home/nora/workspace")
ODD = [
    "/home/nora/with space",
    "/home/n/100%h",
    '/home/n/"quoted"',
    "/home/n/it's",
    "/home/n/$HOME",
    "/home/n/a\\b",
]
HARDENED = {
    "NoNewPrivileges=true",
    "PrivateUsers=true",
    "PrivateTmp=true",
    "ProtectSystem=strict",
    "ProtectHome=read-only",
    "RestrictAddressFamilies=AF_UNIX",
    "SystemCallFilter=@system-service",
    "LockPersonality=true",
    "MemoryDenyWriteExecute=true",
    "RestrictSUIDSGID=true",
    "LimitCORE=0",
}
# What a file name may hold and a line of a unit file can.
names = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn"), exclude_characters="/"), min_size=1, max_size=20
)


def unit(*writable, options=(), environment=None, needed=(), open_because="", reach="nothing", host=()):
    asked = ServiceRequest(PROGRAM, tuple(options), environment or {})
    places = [tuple(map(Path, some)) for some in (writable or (HOME,), needed, host)]
    return ServiceUnit(asked, *places[:2], open_because, reach, places[2])


def text_of(*args, **kwargs):
    return systemd_text(unit(*args, **kwargs), template("scrimshaw.service"))


def values(text, key):
    return [line.partition("=")[2] for line in text.split("\n") if line.startswith(f"{key}=")]


def read_words(line, *, has_escapes=True):
    """Return the words of *line* as systemd reads them, specifiers resolved; `%h` and the like fail."""
    words, word, quote = [], None, ""
    characters = iter(line)
    for character in characters:
        if quote and character == quote:
            quote = ""
        elif not quote and character in "\"'":
            quote, word = character, word or ""
        elif has_escapes and character == "\\":
            word = (word or "") + {"\\": "\\", '"': '"'}[next(characters)]
        elif not quote and character == " ":
            words, word = [*words, word], None
        else:
            word = (word or "") + character
    assert not quote, line
    return [re.sub("%(.)", lambda found: {"%": "%"}[found[1]], one) for one in [*words, word]]


def read_paths(text):
    return [one for line in values(text, "ReadWritePaths") for one in read_words(line, has_escapes=False)]


@pytest.mark.parametrize("path", [*ODD, "/home/n/a\u2028ProtectHome=no"])
def test_an_odd_workspace_is_the_one_that_may_be_written(path):
    text = text_of(path, "/home/nora/other", options=["--workspace", path])

    assert [f"-{path}", "-/home/nora/other"] == read_paths(text)
    assert [f":{PROGRAM[0]}", *PROGRAM[1:], "run", "--workspace", path] == read_words(
        *values(text, "ExecStart")
    )


@given(name=names)
def test_any_name_comes_back_from_the_unit(name):
    path = f"/home/nora/{name}"
    text = text_of(path, options=["--workspace", path], environment={"OPENCLAW_STATE_DIR": path})

    assert [f"-{path}"] == read_paths(text)
    assert path == read_words(*values(text, "ExecStart"))[-1]
    assert [f"OPENCLAW_STATE_DIR={path}"] == read_words(*values(text, "Environment"))
    assert ServiceRequest(PROGRAM, ("--workspace", path), {"OPENCLAW_STATE_DIR": path}) == asked_in(text)


@pytest.mark.parametrize("name", ["a\nExecStartPre=/bin/evil", "a\tb", "a\x7f", "a\udce4", "a\uffff"])
def test_what_no_unit_can_hold_is_refused(name):
    with pytest.raises(UserError, match="Nothing was changed"):
        text_of(f"/home/nora/{name}")


def test_a_field_in_a_path_is_no_field():
    assert read_paths(text_of("/home/nora/{{command}}")) == ["-/home/nora/{{command}}"]


def test_every_line_of_the_hardening_is_there():
    lines = set(text_of().splitlines())

    assert HARDENED - lines == set()
    assert [line for line in lines if "{{" in line] == []


def test_nothing_that_cannot_start_in_a_user_s_manager_is_asked_for():
    for key in ("CapabilityBoundingSet", "PrivateDevices", "ProtectKernelModules", "ProtectClock", "User"):
        assert values(text_of(), key) == [], key


def test_the_daemon_has_time_to_end_and_comes_back_when_it_failed():
    text = text_of()

    assert values(text, "TimeoutStopSec") == ["5s"]
    assert values(text, "Restart") == ["on-failure"]
    assert values(text, "RestartPreventExitStatus") == ["2"]
    assert values(text, "StartLimitIntervalSec") == ["0"]


@pytest.mark.parametrize("place", [{"writable": "/tmp/w"}, {"needed": ["/var/tmp/venv/bin/python"]}])
def test_what_lies_in_tmp_stays_visible_and_sqlite_keeps_a_folder_for_its_sorting(place):
    text = text_of(place["writable"]) if "writable" in place else text_of(needed=place["needed"])

    assert values(text, "PrivateTmp") == []
    assert "PrivateTmp is left out" in text
    assert values(text, "RuntimeDirectory") == ["scrimshaw"]
    assert "TMPDIR=%t/scrimshaw" in values(text, "Environment")


def test_without_namespaces_the_rest_of_the_hardening_stays_and_the_reason_is_said():
    text = text_of(open_because="no reason at all")

    assert "left out here: no reason at all." in text
    for key in ("PrivateUsers", "PrivateTmp", "ProtectSystem", "ProtectHome", "ReadWritePaths"):
        assert values(text, key) == [], key
    assert {"NoNewPrivileges=true", "SystemCallFilter=@system-service"} <= set(text.splitlines())


def test_only_variables_known_by_name_reach_the_unit():
    env = {
        "HOME": "/elsewhere",
        "PATH": "/bin",
        "OPENCLAW_STATE_DIR": "/srv/state",
        "OPENCLAW_PROFILE": "work",
        "OPENCLAW_GATEWAY_TOKEN": "hush",
        "GEMINI_API_KEY": "hush",
        "SCRIMSHAW_TTL_DAYS": "30",
        "SCRIMSHAW_NOW": "2026-11-20T18:00:00+00:00",
        "SCRIMSHAW_SECRET": "hush",
        "XDG_CONFIG_HOME": "",
    }

    kept = service.environment(env)

    assert kept == {
        "HOME": "/elsewhere",
        "OPENCLAW_STATE_DIR": "/srv/state",
        "OPENCLAW_PROFILE": "work",
        "SCRIMSHAW_TTL_DAYS": "30",
    }


def test_a_relative_state_folder_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert (
        str(tmp_path / "state") == service.environment({"OPENCLAW_STATE_DIR": "state"})["OPENCLAW_STATE_DIR"]
    )


def test_no_setting_that_is_handed_on_sounds_like_a_secret():
    risky = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|AUTH")

    # Budgets in tokens are none. (A key in SCRIMSHAW_ENDPOINTS is refused: test_config.)
    assert [name for name in (*service._PLACES, *service._NAMED) if risky.search(name)] == [
        "SCRIMSHAW_MAX_TOKENS_PER_DAY",
        "SCRIMSHAW_MAX_TOKENS_PER_MONTH",
        "SCRIMSHAW_WINDOW_TOKENS",
        "SCRIMSHAW_SHARE_TOKEN_BUDGET",
    ]


@pytest.mark.parametrize(
    ("reach", "families", "may_compile"),
    [
        ("nothing", "AF_UNIX", False),
        ("network", "AF_UNIX AF_INET AF_INET6", False),
        ("openclaw", "AF_UNIX AF_INET AF_INET6", True),
    ],
)
def test_the_network_is_open_only_as_far_as_a_model_needs_it(reach, families, may_compile):
    text = text_of(reach=reach)

    assert values(text, "RestrictAddressFamilies") == [families]
    assert values(text, "MemoryDenyWriteExecute") == ([] if may_compile else ["true"])
    assert reach_in(text) == reach
    assert [line for line in HARDENED if line not in text.splitlines()] == [
        line
        for line in HARDENED
        if (line.startswith("RestrictAddressFamilies") and reach != "nothing")
        or (line.startswith("MemoryDeny") and may_compile)
    ]


def test_openclaw_may_write_its_own_state_and_a_cache_and_nothing_else():
    text = text_of(reach="openclaw", host=["/home/nora/.openclaw"])

    assert read_paths(text) == [f"-{HOME}", "-/home/nora/.openclaw"]
    assert "XDG_CACHE_HOME=%t/scrimshaw" in values(text, "Environment")
    assert values(text, "RuntimeDirectory") == ["scrimshaw"]
    assert read_paths(text_of(reach="network", host=["/home/nora/.openclaw"])) == [f"-{HOME}"]


def test_a_runtime_folder_is_asked_for_once():
    text = text_of("/tmp/w", reach="openclaw")

    assert values(text, "RuntimeDirectory") == ["scrimshaw"]


@pytest.mark.parametrize("reach", ["nothing", "network", "openclaw"])
def test_the_reach_is_read_back_from_a_unit_without_namespaces(reach):
    assert reach_in(text_of(reach=reach, open_because="no reason at all")) == reach


@pytest.mark.parametrize(
    ("observer", "reflector", "expected"),
    [
        ("offline", "offline", "nothing"),
        ("ollama/qwen3:8b", "offline", "network"),
        ("offline", "gemini/gemini-2.5-flash", "network"),
        ("gemini/gemini-2.5-flash", "openclaw/x/y", "openclaw"),
    ],
)
def test_what_is_chosen_says_what_is_needed(observer, reflector, expected):
    assert reach_of(Settings(observer_model=observer, reflector_model=reflector)) == expected


def test_a_workspace_of_another_group_is_not_served_from_a_user_namespace(tmp_path, monkeypatch):
    assert service.why_open((tmp_path,)) == ""

    monkeypatch.setattr(service, "own", lambda: Own("nora", "/home/nora", os.getgid() + 1))

    assert service.why_open((tmp_path,)) == service.OTHER_OWNER


def test_a_unit_of_somebody_else_is_told_from_ours():
    assert is_ours(text_of())
    assert not is_ours("[Service]\nExecStart=/bin/true\n")


@pytest.mark.parametrize("head", ["", "# scrimshaw:service\n", "# scrimshaw:service\n# asked: {\n"])
def test_a_head_changed_by_hand_says_nothing(head):
    assert asked_in(f"{head}[Unit]\n") is None


@given(name=names)
def test_any_name_comes_back_from_the_property_list(name):
    text = launchd_text(
        unit(options=["--workspace", name], environment={"TZ": name}), template("scrimshaw.plist")
    )
    read = plistlib.loads(text.encode())

    assert [*PROGRAM, "run", "--workspace", name] == read["ProgramArguments"]
    assert {"TZ": name} == read["EnvironmentVariables"]


def complaints(file: Path) -> list[str]:
    """Return what systemd has to say of the unit *file*; of two keys some systemds know nothing yet."""
    runtime = file.parent / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", file],
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime), "HOME": str(file.parent), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    newer = re.compile("Unknown key.*(RestartSteps|RestartMaxDelaySec)")
    # A machine's other units may be told off, too.
    said = [line for line in done.stderr.splitlines() if service.NAME in line and not newer.search(line)]
    return said + ([done.stderr] if done.returncode else [])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here")
@pytest.mark.parametrize("reach", ["nothing", "network", "openclaw"])
@pytest.mark.parametrize("reason", ["", "no reason at all"])
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path, reason, reach):
    odd = tmp_path / "a 100% \"b\" 'c' $d"
    asked = ServiceRequest((shutil.which("true"),), ("--workspace", str(odd)), {"TZ": "Europe/Paris"})
    file = tmp_path / service.NAME
    server = ServedPlaces("http://127.0.0.1:1", (odd / "server",))
    made = ServiceUnit(asked, (odd, tmp_path), (), reason, reach, (odd / "state",), server)
    file.write_text(systemd_text(made, template("scrimshaw.service")))

    assert complaints(file) == []

    file.write_text(file.read_text().replace("Nice=10", "Nice=ten"))

    assert len(complaints(file)) == 1
