"""Our hook in real gateways: it notes before a conversation is shortened or left, and heals the prompt.

One gateway a version. The hook reads its settings at each event, so a test gives it another program by
writing them anew.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.host.conftest import CURRENT, JSONL, install_of
from tests.host.gateway import Gateway, Scrimshaw
from tests.host.scripted_model import ScriptedModel

from scrimshaw.core.section.markers import BEGIN, END, HEADING
from scrimshaw.host import hooks
from scrimshaw.sources.openclaw_config import read_config

KEY = "agent:main:main"
GROUP = "agent:main:telegram:group:-100"
SECONDS = 3
_HANGING = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(300)"])
open({pids!r}, "a").write(f"{{__import__('os').getpid()}} {{child.pid}} ")
time.sleep(300)
"""


@pytest.fixture(scope="module", params=[CURRENT, JSONL])
def host(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, scrimshaw: Scrimshaw
) -> Iterator[Gateway]:
    """A gateway with the hook enabled by its name, and one agent whose workspace is set up."""
    named = {"hooks": {"internal": {"entries": {"scrimshaw": {"enabled": True}}}}}
    install = install_of(request.param)
    with ScriptedModel() as model:
        gateway = Gateway(install, tmp_path_factory.mktemp("hook"), model, config=named)
        gateway.hook_folder.mkdir(parents=True)
        _lay_out(gateway)
        with gateway:
            gateway.say("We decided to host the staging server in Lisbon.")
            workspace = str(gateway.workspace("main"))
            scrimshaw(gateway, "observe", "--now", "--workspace", workspace, "--yes")
            yield gateway


def _lay_out(gateway: Gateway, *program: str, seconds: int = 20, is_whole: bool = True) -> None:
    words = program or (sys.executable, "-m", "scrimshaw")
    served = {"main": gateway.workspace("main")}
    settings = hooks.HookSettings(words, gateway.state_dir, gateway.config_path, seconds, served)
    for name, text in hooks.files_of(settings).items():
        if is_whole or name == "settings.json":
            (gateway.hook_folder / name).write_text(text, encoding="utf-8")


def _event(gateway: Gateway, name: str) -> hooks.HookEvent | None:
    state = hooks.hook_state(gateway.state_dir, read_config(gateway.config_path))
    assert state.alive is not None
    return state.alive.events.get(name)


def _section(gateway: Gateway) -> str:
    return gateway.memory("main").read_text("utf-8").split(BEGIN)[1].split(END)[0]


def _new(gateway: Gateway, key: str) -> None:
    """Begin another conversation beside *key*, as the control panel and the terminal do on /new."""
    parameters = {"agentId": "main", "parentSessionKey": key, "emitCommandHooks": True}
    gateway.run("gateway", "call", "sessions.create", "--params", json.dumps(parameters), "--json")


def test_the_gateway_has_loaded_the_handler_and_it_says_so(host: Gateway) -> None:
    state = hooks.hook_state(host.state_dir, read_config(host.config_path))

    older = host.install.version == JSONL
    assert (state.files, state.selection) == ("current", "open" if older else "named")
    assert state.is_loaded
    assert "Failed to load hook" not in host.log.read_text("utf-8")


@pytest.mark.parametrize(
    ("way", "event", "what"),
    [
        ("compact", "session:compact:before", "Redis 8"),
        ("automatic", "session:compact:before", "Kafka 4"),
        ("reset", "command:reset", "Postgres 17"),
        ("new", "command:new", "MariaDB 12"),
        ("panel", "command:new", "Valkey 9"),
    ],
)
def test_what_was_just_said_is_noted_before_the_conversation_is_shortened_or_left(
    host: Gateway, way: str, event: str, what: str
) -> None:
    before = _event(host, event)
    host.say(f"We decided to use {what} for the billing service.")
    assert what not in _section(host)

    match way:
        case "compact":
            host.compact(KEY)
        case "automatic":
            host.model.prompt_tokens = 31_000
            host.say("Is it warm?")
            host.model.prompt_tokens = 1_000
            host.say("Is it cold?")
        case "reset" | "new":
            host.reset(KEY, way)
        case _:
            _new(host, KEY)

    told = _event(host, event)
    assert told is not None, host.tail()
    assert told != before, host.tail()
    assert (told.outcome, told.agent) == ("done", "main")
    assert what in _section(host)


@pytest.mark.parametrize("way", ["compact", "new"])
def test_a_hanging_scrimshaw_delays_the_host_no_longer_than_the_time_out_and_is_gone_then(
    host: Gateway, tmp_path: Path, way: str
) -> None:
    pids, stub = tmp_path / "pids", tmp_path / "stub.py"
    stub.write_text(_HANGING.format(pids=str(pids)))
    host.say("What is the time?")
    host.say("What is the day?")

    _lay_out(host, sys.executable, "-S", str(stub), seconds=SECONDS, is_whole=False)
    try:
        host.compact(KEY) if way == "compact" else host.reset(KEY, "new")
    finally:
        _lay_out(host, is_whole=False)

    told = _event(host, "session:compact:before" if way == "compact" else "command:new")
    assert told is not None
    assert told.outcome == f"not done within {SECONDS} s and stopped"
    assert told.ms >= SECONDS * 1000  # and no more than that: the program itself would hang for minutes
    assert [pid for pid in pids.read_text().split() if Path("/proc", pid).exists() and _lives(pid)] == []


def test_a_group_starts_nothing_when_it_is_left(host: Gateway) -> None:
    host.say("What do you all think?", session_key=GROUP)
    before = _event(host, "command:new")

    host.reset(GROUP, "new")

    assert _event(host, "command:new") == before


@pytest.fixture
def aside(host: Gateway) -> Iterator[Path]:
    """The section kept aside with a line of its own, and MEMORY.md with an older one; put back afterwards."""
    memory = host.memory("main")
    kept = memory.read_bytes()
    place = host.workspace("main") / "memory" / "observations" / "MEMORY.md"
    place.write_text(f"{HEADING}\n{BEGIN}\n- the line kept aside\n{END}\nnot ours\n", encoding="utf-8")
    memory.write_text(f"# Memory\n\n{HEADING}\n{BEGIN}\n- the older line\n{END}\n\n- A dog called Bruno.\n")
    yield place
    place.unlink()
    memory.write_bytes(kept)


def test_the_newer_section_takes_the_place_of_the_older_one_in_the_prompt(host: Gateway, aside: Path) -> None:
    before = host.memory("main").read_bytes()

    prompts = [host.say(f"in place {turn}").system_prompt for turn in (1, 2)]
    group = host.say("in place, in a group", session_key=GROUP).system_prompt

    for prompt in prompts:
        assert prompt.count("the line kept aside") == 1
        assert "the older line" not in prompt
        assert "A dog called Bruno." in prompt
        assert "not ours" not in prompt
    assert "the line kept aside" not in group
    # The older host shows MEMORY.md to groups, too: there it stays as it was.
    assert ("the older line" in group) == (host.install.version == JSONL)
    assert host.memory("main").read_bytes() == before


def test_without_memory_the_section_is_in_the_prompt_of_a_direct_session_only(
    host: Gateway, aside: Path
) -> None:
    host.memory("main").unlink()

    prompts = [host.say(f"by itself {turn}").system_prompt for turn in (1, 2)]
    other = host.say("by itself, elsewhere", session_key="agent:main:telegram:direct:7").system_prompt
    group = host.say("by itself, in a group", session_key=GROUP).system_prompt
    host.memory("main").touch()

    assert [prompt.count("the line kept aside") for prompt in (*prompts, other, group)] == [1, 1, 1, 0]
    assert "not ours" not in prompts[0]


def _lives(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return " Z " not in Path("/proc", pid, "stat").read_text()
