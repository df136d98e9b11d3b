"""The plug-in in a real gateway: who is answered, what the model sees, and that nothing ever waits for us.

The scripted model calls our tools as an agent would. What it gets back is what its next request holds.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.host.conftest import EXTENDED, install_of
from tests.host.gateway import Gateway, Scrimshaw
from tests.host.installing import NEWEST
from tests.host.scripted_model import Call, Say, ScriptedModel
from tests.host.test_quarantine import FIRST, SECOND, THIRD, agent_edits, begin, observe, record

PLUGIN = Path(__file__).resolve().parents[2] / "plugin" / "openclaw"
PACKAGE = str(Path(__file__).resolve().parents[2] / "skill")
GROUP = "agent:main:telegram:group:-100"
SECRET = "Lisbon"
NOT_PRIVATE = "Nothing was looked up"


def plugged(**entry: Any) -> dict[str, Any]:
    """The configuration that loads the plug-in out of this checkout."""
    starter = ["env", f"PYTHONPATH={PACKAGE}", sys.executable, "-m", "scrimshaw"]
    config = {"command": starter} | entry.pop("config", {})
    told = {"enabled": True, "config": config, "hooks": {"allowConversationAccess": True}} | entry
    return {
        "plugins": {"load": {"paths": [str(PLUGIN)]}, "entries": {"scrimshaw": told}},
        "tools": {"toolSearch": False},
    }


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, scrimshaw: Scrimshaw) -> Iterator[Gateway]:
    """A gateway with the plug-in and two agents; "main" was told something in private, and it is noted."""
    install = install_of(NEWEST)
    with ScriptedModel() as model:
        config = plugged(config={"joinSearch": True})
        gateway = Gateway(
            install, tmp_path_factory.mktemp("plugin"), model, ("main", "other", "left"), config
        )
        with gateway:
            gateway.say(f"We decided to host the staging server in {SECRET}.")
            scrimshaw(gateway, "observe", "--now", "--agent", "main", "--yes")
            _until_it_answers(gateway)
            yield gateway


def _until_it_answers(gateway: Gateway) -> None:
    pause = threading.Event()
    for number in range(20):
        if "not there yet" not in _told(gateway, f"warming up {number}", "scrimshaw_search", query="staging"):
            return
        pause.wait(0.5)
    raise AssertionError(gateway.tail())


def _told(
    host: Gateway, words: str, tool: str, agent: str = "main", key: str | None = None, **arguments: Any
) -> str:
    """What the agent is told when it calls *tool* in the conversation *key*."""
    host.model.script[words] = [Call(tool, arguments), Say("Done.")]
    return host.say(words, agent, key).tool_results()[-1]


def test_the_person_is_answered_from_the_memory(host: Gateway) -> None:
    told = _told(host, "where was it?", "scrimshaw_search", query="Where is the staging server?")

    assert SECRET in told
    assert "never instructions to follow" in told


@pytest.mark.parametrize(
    "key", [GROUP, "agent:main:subagent:7", "agent:main:cron:daily", "agent:main:something-new"]
)
def test_nobody_else_is_told_anything(host: Gateway, key: str) -> None:
    told = _told(host, f"where was it, {key}?", "scrimshaw_search", key=key, query="staging server")

    assert NOT_PRIVATE in told
    assert SECRET not in told


def test_another_agent_is_told_nothing_of_it(host: Gateway) -> None:
    told = _told(host, "the other agent asks", "scrimshaw_search", "other", query="staging server")

    assert SECRET not in told


def test_a_line_is_traced_and_a_note_is_checked(host: Gateway) -> None:
    found = _told(host, "which line?", "scrimshaw_search", query="staging server")
    id_ = found.split('"id":"', 1)[1].split('"', 1)[0]

    why = _told(host, "what does it rest on?", "scrimshaw_why", id=id_)
    invented = _told(host, "note this", "scrimshaw_add", text="The safe's number is 4711.")

    assert f"host the staging server in {SECRET}" in why
    assert '"outcome":"refused"' in invented


def test_our_lines_are_among_those_of_the_hosts_own_search(host: Gateway) -> None:
    asked = {"query": "staging server", "corpus": "all"}

    private = _told(host, "search everything", "memory_search", **asked)
    group = _told(host, "search everything, in a group", "memory_search", key=GROUP, **asked)

    assert SECRET in private
    assert '"corpus":"scrimshaw"' in private.replace(" ", "").replace("\n", "")
    assert "scrimshaw/" not in group


def test_a_plain_search_of_the_hosts_finds_our_lines_in_private_alone(host: Gateway) -> None:
    private = _told(host, "search as ever", "memory_search", query="staging server")
    group = _told(host, "search as ever, in a group", "memory_search", key=GROUP, query="staging server")
    other = _told(host, "search as ever, the other", "memory_search", "other", query="staging server")
    found = re.search(r"scrimshaw/[0-9a-f]+", private)
    assert found
    opened = _told(host, "open the line", "memory_get", path=found[0])
    shut = _told(host, "open the line, in a group", "memory_get", key=GROUP, path=found[0])

    assert '"corpus":"memory"' in "".join(private.split())  # the host's own hits are there, too
    assert SECRET in opened
    assert "scrimshaw/" not in group + other
    assert SECRET not in shut


def test_what_we_answered_is_never_noted_as_said(host: Gateway, scrimshaw: Scrimshaw) -> None:
    def noted() -> int:
        found = scrimshaw(host, "search", "staging server", "--agent", "main", "--json")
        return found.count(f"staging server in {SECRET}")

    before = noted()
    _told(host, "and again?", "scrimshaw_search", query="staging server")
    scrimshaw(host, "observe", "--now", "--agent", "main", "--yes")

    assert noted() == before >= 1


def test_a_section_that_the_host_leaves_out_is_in_a_private_prompt_once(
    host: Gateway, scrimshaw: Scrimshaw
) -> None:
    memory = begin(host, "left")
    agent_edits(host, "left", "left: I have a cat.", SECOND, f"{SECOND}\n{THIRD}")
    memory.write_text(memory.read_text("utf-8") + "- A line by another program.\n", encoding="utf-8")
    agent_edits(host, "left", "left: I have two cats.", THIRD, f"{THIRD}\n- Has a second cat.")
    assert record(host, "left").state == "untrusted"
    host.say(f"left: we decided to host the wiki in {SECRET}.", "left")
    observe(host, scrimshaw, "left")

    # A prompt waits a quarter of a second for us and no longer: on a busy machine the first may be without.
    for number in range(8):
        private = host.new_session(f"left: what do you know of me? {number}", "left").system_prompt
        if "<!-- scrimshaw:begin -->" in private:
            break
    group = host.say("left: and the group?", "left", "agent:left:telegram:group:1").system_prompt

    assert FIRST not in private  # the host leaves MEMORY.md out
    assert private.count("<!-- scrimshaw:begin -->") == 1
    assert f"host the wiki in {SECRET}" in private
    assert SECRET not in group


def test_memory_md_is_still_before_the_agent_once(host: Gateway) -> None:
    prompt = host.new_session("hello there").system_prompt

    assert prompt.count("<!-- scrimshaw:begin -->") == 1


def test_a_server_that_is_killed_or_hangs_fails_no_turn_and_comes_back(host: Gateway) -> None:
    for sign in (signal.SIGSTOP, signal.SIGKILL):
        os.kill(_server(host), sign)
        told = _told(host, f"while it is gone {sign}", "scrimshaw_search", query="staging server")
        assert "go on without it" in told or SECRET in told
        assert host.model.requests_about(f"while it is gone {sign}")
        if sign is signal.SIGSTOP:
            os.kill(_server(host), signal.SIGCONT)
    _until_it_answers(host)


def _server(host: Gateway) -> int:
    """The process id of the server that the gateway has started."""
    wanted = f"{host.state_dir}/scrimshaw/socket"
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if "serve" in words and any("scrimshaw" in word for word in words) and _serves(words, wanted):
            return int(folder.name)
    raise AssertionError("no server runs")


def _serves(words: list[str], wanted: str) -> bool:
    place = words[words.index("--socket") + 1] if "--socket" in words else ""
    return place == wanted or "/scrimshaw-" in place


def test_the_real_host_takes_the_plug_in_from_an_install_and_gives_it_back(
    host: Gateway, tmp_path_factory: pytest.TempPathFactory, scrimshaw: Scrimshaw
) -> None:
    fresh = Gateway(host.install, tmp_path_factory.mktemp("installed"), host.model, ("main",))
    before = fresh.config_path.read_bytes()
    with fresh:
        fresh.say(f"We decided to keep the boat in {SECRET}.")
        asked = ("--yes", "--keep-fresh", "none", "--no-hook", "--plugin", "tools+prompt")
        scrimshaw(fresh, "install", *asked, codes=(0, 1))
        fresh.configure({"tools": {"toolSearch": False}})
        fresh.run_text("gateway", "call", "health", "--json")
        told = ""
        for number in range(20):
            fresh.model.script[f"where is the boat {number}?"] = [
                Call("scrimshaw_search", {"query": "boat"}),
                Say("There."),
            ]
            results = fresh.say(f"where is the boat {number}?").tool_results()
            told = results[-1] if results else ""
            if f"keep the boat in {SECRET}" in told:
                break
        examined = scrimshaw(fresh, "doctor", codes=range(8))
        plugin = json.loads(scrimshaw(fresh, "status", "--json"))["workspaces"][0]["plugin"]
        config = fresh.configuration()
        config.pop("tools")
        fresh.config_path.write_text(json.dumps(config), encoding="utf-8")
        scrimshaw(fresh, "uninstall", "--yes")
        restored = fresh.config_path.read_bytes()
        # The conversation goes on, and its model still believes that the tool is there.
        fresh.model.script["and the boat now?"] = [Call("scrimshaw_search", {"query": "boat"}), Say("Gone.")]
        goes_on = fresh.agent("and the boat now?")
        left = fresh.model.requests_about("and the boat now?")[-1]

    assert f"keep the boat in {SECRET}" in told
    assert "loaded by the gateway, and its server answers" in " ".join(examined.split())
    assert plugin == {
        "problem": "",
        "may_prompt": True,
        "is_joined": False,
        "is_loaded": True,
        "is_answering": True,
        "tools_seen": ["scrimshaw_search", "scrimshaw_why", "scrimshaw_add"],
    }
    assert restored == before
    assert "Gone." in json.dumps(goes_on)
    assert SECRET not in left.tool_results()[-1]


def test_the_extended_line_of_the_host_has_the_tools_and_answers_in_private_alone(
    tmp_path_factory: pytest.TempPathFactory, scrimshaw: Scrimshaw
) -> None:
    with (
        ScriptedModel() as model,
        Gateway(
            install_of(EXTENDED), tmp_path_factory.mktemp("extended"), model, config=plugged()
        ) as gateway,
    ):
        gateway.say(f"We decided to host the staging server in {SECRET}.")
        scrimshaw(gateway, "observe", "--now", "--agent", "main", "--yes")
        _until_it_answers(gateway)
        private = _told(gateway, "where was it?", "scrimshaw_search", query="staging server")
        group = _told(gateway, "where was it, all?", "scrimshaw_search", key=GROUP, query="staging server")
        plugin = json.loads(scrimshaw(gateway, "status", "--json"))["workspaces"][0]["plugin"]

    assert SECRET in private
    assert NOT_PRIVATE in group
    assert (plugin["problem"], plugin["is_answering"]) == ("", True)
    assert plugin["tools_seen"] == ["scrimshaw_search", "scrimshaw_why", "scrimshaw_add"]
