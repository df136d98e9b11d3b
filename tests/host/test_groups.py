"""What was told in private is not read out to a group: an agent's `exec` in a real gateway, in both lines.

The scripted model calls our command as SKILL.md tells an agent to. What it gets back is what the next request
to the model holds.
"""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.host.conftest import CURRENT, JSONL, install_of
from tests.host.gateway import TURN_SECONDS, Gateway, Scrimshaw
from tests.host.scripted_model import Call, Say, ScriptedModel

GROUP = "agent:main:telegram:group:-100"
PACKAGE = str(Path(__file__).resolve().parents[2] / "skill")
SECRET = "Lisbon"
REFUSED = "ended with 4."
_TURNS_UNTIL_WRITTEN = 8  # the host answers a turn before it has written that it is over; until then: refused


@pytest.fixture(scope="module", params=[CURRENT, JSONL])
def host(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, scrimshaw: Scrimshaw
) -> Iterator[Gateway]:
    """A gateway with two agents; "main" was told something in private, and it is noted."""
    install = install_of(request.param)
    with ScriptedModel() as model:
        gateway = Gateway(install, tmp_path_factory.mktemp("groups"), model, ("main", "other"))
        with gateway:
            gateway.say(f"We decided to host the staging server in {SECRET}.")
            scrimshaw(gateway, "observe", "--now", "--agent", "main", "--yes")
            yield gateway


def _told(host: Gateway, words: str, command: str, agent: str = "main", key: str | None = None) -> str:
    """What the agent's shell is told when it runs *command* in the conversation *key*."""
    host.model.script[words] = [Call("exec", {"command": command}), Say("Done.")]
    return host.say(words, agent, key).tool_results()[-1]


def _asked(*words: str, first: str = "") -> str:
    said = " ".join(words)
    agent = "" if "--agent" in words else " --agent main"
    program = f"PYTHONPATH={PACKAGE} {sys.executable} -m scrimshaw"
    return f'{first}{program} {said}{agent}; echo "ended with $?."'


@pytest.mark.parametrize(
    "verb",
    [
        ('search "where is the staging server?"',),
        ("why staging",),
        ("timeline", "--from", "2026-01-01"),
        ("as-of", "today"),
        ("observe", "--dry-run", "--since", "2026-01-01"),
    ],
    ids=lambda words: words[0].split()[0],
)
def test_a_group_is_told_nothing_and_the_person_is(host: Gateway, verb: tuple[str, ...]) -> None:
    name = verb[0].split()[0]

    group = _told(host, f"{name}, in a group", _asked(*verb), key=GROUP)
    person = _told(host, f"{name}, in private", _asked(*verb))

    assert REFUSED in group
    assert SECRET not in group
    assert "ended with 0." in person
    if name != "observe":  # there is nothing new that it would show
        assert SECRET in person


def test_another_agent_is_not_told(host: Gateway) -> None:
    told = _told(host, "another agent's search", _asked("search", "staging"), "other")

    assert REFUSED in told
    assert SECRET not in told


def test_while_a_group_is_at_work_nobody_is_told(host: Gateway, tmp_path: Path) -> None:
    begun, over = tmp_path / "begun", tmp_path / "over"
    hold = f"touch {begun}; for i in $(seq 600); do [ -e {over} ] && break; sleep .1; done"
    # Without it the host puts a command into the background after ten seconds, and the turn goes on.
    waits = {"command": hold, "yieldMs": TURN_SECONDS * 1000}
    host.model.script["a long turn of the group"] = [Call("exec", waits), Say("Done.")]
    group = threading.Thread(target=host.agent, args=("a long turn of the group", "main", GROUP))
    group.start()
    try:
        pause = threading.Event()
        for _ in range(TURN_SECONDS * 10):
            if begun.exists():
                break
            pause.wait(0.1)
        assert begun.exists(), host.tail()
        told = _told(host, "meanwhile, in private", _asked("search", "staging"))
    finally:
        over.touch()
        group.join()
    afterwards = ""
    for turn in range(_TURNS_UNTIL_WRITTEN):
        afterwards = _told(host, f"afterwards, in private, {turn}", _asked("search", "staging"))
        if SECRET in afterwards:
            break

    assert REFUSED in told
    assert SECRET not in told
    assert SECRET in afterwards


def test_what_a_group_left_in_the_background_is_told_nothing_while_the_person_is_answered(
    host: Gateway, tmp_path: Path
) -> None:
    go, out = tmp_path / "go", tmp_path / "out"
    wait = f"for i in $(seq 600); do [ -e {go} ] && break; sleep .1; done; "
    left = f"({_asked('search', 'staging', first=wait)}) > {out} 2>&1; mv {out} {out}.whole"
    host.model.script["leave it behind"] = [Call("exec", {"command": left, "background": True}), Say("Done.")]
    host.agent("leave it behind", "main", GROUP)
    whole = f"{out}.whole"
    answer = f"touch {go}; for i in $(seq 90); do [ -e {whole} ] && break; sleep .1; done; cat {whole}"

    told = _told(host, "a turn in private meanwhile", answer)

    assert REFUSED in told
    assert SECRET not in told
