"""The hook's observe: for which session, and never longer than its time-out, whatever the program does."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import psutil
import pytest
from tests.daemon.processes import until
from tests.hook.conftest import Hook

_ID = "0f3c2a52-0000-4000-8000-000000000001"
_BEFORE = "session:compact:before"

# Ignores SIGTERM, starts a grandchild that does, too, and floods both of its outputs.
_STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-S", "-c", code])
open({pids!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
while True:
    sys.stdout.write("x" * 65536)
    sys.stderr.write("y" * 65536)
"""


def _said(stub: Path) -> list[str]:
    return stub.read_text().splitlines() if stub.exists() else []


def _pids(file: Path) -> list[int]:
    """Return what programs wrote of themselves; on a busy machine one may be stopped before it has begun."""
    return [int(pid) for line in _said(file) for pid in line.split()]


@pytest.mark.parametrize(
    ("name", "key", "context", "session"),
    [
        (_BEFORE, "agent:main:main", {"sessionId": _ID, "messageCount": 12}, _ID),
        (_BEFORE, "agent:main:main", {"sessionId": "x\ny"}, "agent:main:main"),
        ("command:new", "agent:main:main", {"previousSessionEntry": {"sessionId": _ID}}, _ID),
        (
            "command:reset",
            "agent:main:main",
            {"previousSessionEntry": {"sessionId": _ID}, "agentId": "main"},
            _ID,
        ),
        ("command:new", "agent:main:main", {"sessionEntry": {"sessionId": "the-new-one"}}, "agent:main:main"),
        ("session:auto-reset", "agent:main:telegram:direct:7", {"sessionEntry": {"sessionId": _ID}}, _ID),
        (_BEFORE, _ID, {"sessionId": _ID, "missingSessionKey": True}, _ID),
    ],
)
def test_the_conversation_that_is_shortened_or_left_is_noted(
    hook: Hook, stub: Path, name: str, key: str, context: dict[str, object], session: str
) -> None:
    [answer] = hook.calls(hook.event(name, key, **context))

    assert answer["ended"] == "resolved"
    words = f"observe --agent=main --state-dir={hook.state} --session={session} --through-daemon=2.5"
    assert _said(stub) == [words]
    assert hook.log == []
    told = hook.alive()["events"][name]
    assert (told["outcome"], told["agent"]) == ("done", "main")


@pytest.mark.parametrize(
    ("name", "key", "context"),
    [
        (_BEFORE, "agent:main:telegram:group:-100", {}),
        (_BEFORE, "agent:main:discord:channel:7", {}),
        (_BEFORE, "agent:main:whatsapp:1203@g.us", {}),
        (_BEFORE, "agent:main:cron:daily:run:1", {}),
        (_BEFORE, "agent:main:subagent:1", {}),
        (_BEFORE, "agent:main:main:heartbeat", {}),
        (_BEFORE, "agent:main:acp:1", {}),
        (_BEFORE, "agent:other:main", {}),
        (_BEFORE, "agent:main:main", {"workspaceDir": "/"}),
        ("command:new", "agent:main:main", {"previousSessionEntry": {"sessionId": _ID, "chatType": "group"}}),
        ("command:stop", "agent:main:main", {}),
        ("message:received", "agent:main:main", {}),
    ],
)
def test_for_any_other_session_or_event_no_process_is_started(
    hook: Hook, stub: Path, name: str, key: str, context: dict[str, object]
) -> None:
    [answer] = hook.calls(hook.event(name, key, **({"sessionId": _ID} | context)))

    assert answer["ended"] == "resolved"
    assert _said(stub) == []
    assert hook.alive()["events"] == {}


def test_a_program_that_ignores_everything_delays_no_longer_than_the_time_out_and_leaves_nothing(
    hook: Hook, stub: Path
) -> None:
    pids = hook.root / "pids"
    hook.seconds = 0.7
    Path(hook.program[-1]).write_text(_STUBBORN.format(pids=str(pids)))

    [answer] = hook.calls(hook.event(_BEFORE, sessionId=_ID))

    assert answer["ended"] == "resolved"
    assert answer["seconds"] >= 0.6  # not sooner; that it was stopped then is what the log says
    until(lambda: not any(map(_lives, _pids(pids))))
    assert hook.log == [
        "[scrimshaw] observe for agent main: not done within 0.7 s and stopped; the next run catches up"
    ]


def test_what_a_program_leaves_behind_when_it_ends_is_ended_too(hook: Hook, stub: Path) -> None:
    pids = hook.root / "pids"
    Path(hook.program[-1]).write_text(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(3600)'])\n"
        f"open({str(pids)!r}, 'w').write(str(child.pid))\n"
    )

    [answer] = hook.calls(hook.event(_BEFORE, sessionId=_ID))

    assert answer["ended"] == "resolved"  # while what it left had an hour to go
    until(lambda: not _lives(int(pids.read_text())))


def test_one_compaction_that_is_announced_twice_is_one_run(hook: Hook, stub: Path) -> None:
    event = hook.event(_BEFORE, sessionId=_ID)

    hook.calls(event | {"times": 3}, event)

    assert len(_said(stub)) == 2


def test_of_many_conversations_that_are_left_at_once_a_few_are_noted_at_a_time(
    hook: Hook, stub: Path
) -> None:
    log = hook.root / "log"
    note = f"open({str(log)!r}, 'a').write"
    Path(hook.program[-1]).write_text(f"import time\n{note}('+')\ntime.sleep(0.1)\n{note}('-')\n")
    others = [hook.event(_BEFORE, sessionId=f"other-{number}")["event"] for number in range(11)]

    [answer] = hook.calls(hook.event(_BEFORE, sessionId=_ID) | {"with": others})

    told = log.read_text()
    at_once = [told[:end].count("+") - told[:end].count("-") for end in range(len(told) + 1)]
    assert (answer["ended"], hook.log) == ("resolved", [])
    assert told.count("+") == told.count("-") == 12
    assert max(at_once) <= 4


def test_those_that_wait_for_their_turn_wait_no_longer_than_the_time_out_and_leave_nothing(
    hook: Hook, stub: Path
) -> None:
    pids = hook.root / "pids"
    hook.seconds = 0.8
    Path(hook.program[-1]).write_text(
        f"import os, time\nopen({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')\ntime.sleep(60)\n"
    )
    others = [hook.event(_BEFORE, sessionId=f"other-{number}")["event"] for number in range(11)]

    [answer] = hook.calls(hook.event(_BEFORE, sessionId=_ID) | {"with": others})
    began = _pids(pids)
    [again] = hook.calls(hook.event(_BEFORE, sessionId=_ID))

    assert answer["ended"] == "resolved"
    assert len(began) < 12  # the time of the last ones was over while they waited for a place
    assert again["seconds"] >= 0.7  # its turn came at once: nothing holds a place any more
    until(lambda: not any(map(_lives, _pids(pids))))
    assert len(hook.log) <= 1


@pytest.mark.parametrize(
    "program", [["no-such-program"], ["/"], [sys.executable, "-c", "raise SystemExit(5)"]]
)
def test_a_program_that_is_missing_or_fails_is_told_in_one_line(hook: Hook, program: list[str]) -> None:
    hook.program = program

    answers = hook.calls(*[hook.event(_BEFORE, sessionId=_ID)] * 3)

    assert {answer["ended"] for answer in answers} == {"resolved"}
    [line] = hook.log
    assert line.startswith("[scrimshaw] observe for agent main: ")
    assert "\n" not in line


_GOOD = {
    "version": 1,
    "program": ["x"],
    "state_dir": "/",
    "config_path": "/",
    "timeout_seconds": 5,
    "workspaces": {"main": "/"},
}
_WRONG = [
    {"version": 2},
    {"program": "rm -rf /"},
    {"program": []},
    {"program": ["x\0"]},
    {"program": ["x" * 5000]},
    {"state_dir": ""},
    {"config_path": 7},
    {"timeout_seconds": 1e9},
    {"timeout_seconds": None},
    {"timeout_seconds": -1},
    {"workspaces": []},
]


def test_settings_are_taken_only_when_every_part_is_as_install_writes_it(hook: Hook) -> None:
    texts = ["", "{", "null", "[]", "7", *(json.dumps(_GOOD | wrong) for wrong in _WRONG)]

    good, *bad = hook.calls(*[{"fn": "settingsFrom", "args": [text]} for text in (json.dumps(_GOOD), *texts)])

    assert good["program"] == ["x"]
    assert bad == [None] * len(texts)


@pytest.mark.parametrize("settings", [None, "{", "x" * 300_000], ids=["missing", "broken", "huge"])
def test_settings_that_are_not_as_install_writes_them_do_nothing_and_are_told_once(
    hook: Hook, settings: str
) -> None:
    hook.lay_out()
    (hook.folder / "settings.json").unlink()
    if settings is not None:
        (hook.folder / "settings.json").write_text(settings)

    answers = hook.calls(*[hook.event(_BEFORE, sessionId=_ID)] * 2, hook.event("agent:bootstrap"))

    assert {answer["ended"] for answer in answers} == {"resolved"}
    assert hook.log == ["[scrimshaw] settings.json is missing or not as it should be; nothing was done"]


def test_no_event_however_broken_makes_it_throw_or_start_anything_odd(hook: Hook, stub: Path) -> None:
    before = "type: 'session', action: 'compact:before'"
    boot = "type: 'agent', action: 'bootstrap', sessionKey: 'agent:main:main'"
    new = "type: 'command', action: 'new'"
    bad_name = "Object.defineProperty(new Error('x'), 'name', {get() { throw 1; }})"
    long = "'x'.repeat(5e6)"
    hostile = [
        *("null", "undefined", "0", "'session'", "[]", "{}"),
        f"{{{before}}}",
        f"{{{before}, sessionKey: 7, context: null}}",
        f"{{{before}, sessionKey: 'agent:main:main', context: 'x'}}",
        f"{{{new}, sessionKey: {{}}, context: {{previousSessionEntry: 1, agentId: []}}}}",
        f"{{{new}, sessionKey: 'agent:__proto__:main', context: {{agentId: '__proto__'}}}}",
        f"{{{new}, sessionKey: 'agent:constructor:main', context: {{}}}}",
        "{type: 'agent', action: 'bootstrap'}",
        f"{{{boot}, context: {{bootstrapFiles: 'x'}}}}",
        f"{{{boot}, context: Object.freeze({{bootstrapFiles: []}})}}",
        f"{{{boot}, context: {{bootstrapFiles: [null, 1, {{name: 'MEMORY.md', content: {{}}}}]}}}}",
        f"{{{before}, sessionKey: {long}, context: {{sessionId: {long}, agentId: {long}}}}}",
        "new Proxy({}, {get() { throw new Error('secret words of a transcript'); }})",
        f"{{{before}, get sessionKey() {{ throw {bad_name}; }}}}",
    ]
    answers = hook.calls(*[{"js": text} for text in hostile])

    assert {answer["ended"] for answer in answers} == {"resolved"}
    assert "secret words" not in "".join(hook.log)
    assert all("\n" not in line and len(line) < 200 for line in hook.log)
    # Without a key and without an agent's name the one agent there is may be meant: the program knows.
    assert all("--session=agent:main:main" in line for line in _said(stub))


def test_an_odd_session_name_is_an_argument_and_never_an_option_or_a_command(hook: Hook, stub: Path) -> None:
    hook.calls(
        hook.event(_BEFORE, sessionId="--yes"),
        hook.event(_BEFORE, sessionId="$(touch pwned); `x` | y"),
    )

    assert [line.split("--session=")[1] for line in _said(stub)] == [
        "--yes --through-daemon=2.5",
        "$(touch pwned); `x` | y --through-daemon=2.5",
    ]


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
