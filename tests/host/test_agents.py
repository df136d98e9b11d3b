"""Several agents of one real OpenClaw, one daemon: a memory each, settings each; and the host's own notes.

The host's bundled session-memory hook is on here, as it is in a fresh host that has internal hooks.
"""

from pathlib import Path

from tests.daemon.processes import Daemon, until
from tests.host.gateway import TURN_SECONDS, Gateway, Scrimshaw

from scrimshaw.layout import Layout
from scrimshaw.store.ledger import open_ledger

LEFT = "We decided to use Postgres 17 for the billing service, because of the merge command."
RIGHT = "We decided to host the staging server in Lisbon."
SHARED = "We decided to move the workshop to Porto next spring."


def ledgers(workspace: Path) -> dict[str, str]:
    """What each ledger of *workspace* holds, by its file's name."""
    held = {}
    for path in sorted(Layout(workspace).state.glob("*ledger*.sqlite")):
        with open_ledger(path, create=False, read_only=True) as ledger:
            held[path.name] = "\n".join(line.observation.text for line in ledger.all_lines())
    return held


def everything(workspace: Path) -> str:
    """All that our files in *workspace* say."""
    written = [*workspace.glob("memory/**/*.md"), workspace / "MEMORY.md"]
    return "\n".join([*ledgers(workspace).values(), *(path.read_text("utf-8") for path in written)])


def until_written(path: Path, words: str, daemon: Daemon) -> None:
    def is_written() -> bool:
        assert daemon.process.poll() is None, daemon.log
        return path.exists() and words in path.read_text("utf-8")

    until(is_written, TURN_SECONDS)


def test_one_daemon_keeps_the_agents_memories_apart_with_the_settings_of_each(
    hooked_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    left, right = hooked_host.workspace("left"), hooked_host.workspace("right")
    settings = hooked_host.home / ".config" / "scrimshaw" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("agents:\n  left:\n    observation_chars: 3000\n", encoding="utf-8")
    for workspace in (left, right):
        scrimshaw(hooked_host, "init", "--workspace", str(workspace), "--yes")

    with hooked_host.background() as daemon:
        daemon.until_it_says("event=ready")
        hooked_host.agent(LEFT, "left")
        hooked_host.agent(RIGHT, "right")
        hooked_host.agent(SHARED, "shared")
        until_written(left / "MEMORY.md", LEFT, daemon)
        until_written(right / "MEMORY.md", RIGHT, daemon)
        until_written(right / "MEMORY.md", SHARED, daemon)
        status = {
            name: scrimshaw(hooked_host, "status", "--workspace", str(hooked_host.workspace(name)))
            for name in ("left", "right")
        }

    assert (LEFT in everything(left), LEFT in everything(right)) == (True, False)
    for words in (RIGHT, SHARED):  # two agents in one folder have one memory
        assert (words in everything(left), words in everything(right)) == (False, True)
    prompts = {
        name: hooked_host.new_session(f"{name}: good morning", name).system_prompt
        for name in ("left", "right")
    }
    said = (LEFT, RIGHT, SHARED)
    assert [words in prompts["left"] for words in said] == [True, False, False]
    assert [words in prompts["right"] for words in said] == [False, True, True]
    assert "observation_chars 3000" in status["left"]
    assert "observation_chars 14000" in status["right"]


def test_the_hosts_own_note_of_a_session_and_ours_are_both_written_at_new(
    hooked_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    workspace = hooked_host.workspace("renewed")
    scrimshaw(hooked_host, "init", "--workspace", str(workspace), "--yes")
    hooked_host.agent(f"renewed: {LEFT}", "renewed")

    hooked_host.reset("agent:renewed:main", "new")

    until(lambda: list(workspace.glob("memory/20*.md")), TURN_SECONDS)
    (theirs,) = workspace.glob("memory/20*.md")
    assert "Postgres 17" in theirs.read_text("utf-8")
    assert "Postgres 17" in hooked_host.memory("renewed").read_text("utf-8")
    # Their note is no evidence for us: the statement is there once.
    scrimshaw(hooked_host, "observe", "--workspace", str(workspace), "--now")
    assert hooked_host.memory("renewed").read_text("utf-8").count("Postgres 17") == 1
