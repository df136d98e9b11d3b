"""A host that moves from JSONL to SQLite: real OpenClaw 2026.7.1-2, its doctor of 2026.9.6, and that one.

`openclaw doctor --fix --non-interactive --yes` of the newer version does the move, with the gateway stopped.
Session and entry ids stay, so the position in one store is a position in the other. Before it, in the older
version: what the memory flush there makes of templates/memory-flush.json.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon.processes import Daemon, until
from tests.host.conftest import CURRENT, JSONL, install_of
from tests.host.gateway import TURN_SECONDS, Gateway, Scrimshaw
from tests.host.scripted_model import ScriptedModel

from scrimshaw.layout import Layout
from scrimshaw.sources.discover import find_agents
from scrimshaw.store.ledger import open_ledger

MOVE = ("doctor", "--fix", "--non-interactive", "--yes")
MOVE_SECONDS = 300
ROOT = Path(__file__).resolve().parents[2]
FLUSH = json.loads((ROOT / "templates" / "memory-flush.json").read_text(encoding="utf-8"))
FLUSH_TOKENS = 10_500  # of a window of 32,768: the flush is due, the compaction not yet
STATEMENTS = (
    "We decided to use Postgres 17 for the billing service, because of the merge command.",
    "I prefer short answers with the command first.",
    "We decided to move the workshop to Porto next spring.",
)
FOLLOWED, ALONE = "main", "alone"  # with the daemon beside it all the time; with commands only
FLUSHED = "flushed"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A host of the JSONL line; it is stopped at the end, whichever version it runs then."""
    folder = tmp_path_factory.mktemp("migration")
    agents = (FOLLOWED, ALONE, FLUSHED)
    with (
        ScriptedModel() as model,
        Gateway(install_of(JSONL), folder, model, agents, config=FLUSH) as gateway,
    ):
        yield gateway


def kinds(gateway: Gateway, agent_id: str) -> list[str]:
    agents = find_agents(gateway.env(), gateway.home).agents
    return [store.kind for agent in agents if agent.agent_id == agent_id for store in agent.stores]


def times_noted(gateway: Gateway, agent_id: str) -> list[tuple[int, int, int]]:
    """How often the ledger, the dated files and MEMORY.md hold each statement."""
    workspace = gateway.workspace(agent_id)
    with open_ledger(Layout(workspace).ledger, create=False, read_only=True) as ledger:
        noted = "\n".join(line.observation.text for line in ledger.all_lines())
    dated = "\n".join(path.read_text("utf-8") for path in workspace.glob("memory/observations/obs-*.md"))
    memory = gateway.memory(agent_id).read_text("utf-8")
    return [(noted.count(said), dated.count(said), memory.count(said)) for said in STATEMENTS]


def covered(gateway: Gateway, agent_id: str) -> int:
    with open_ledger(Layout(gateway.workspace(agent_id)).ledger, create=False, read_only=True) as ledger:
        return ledger.counts().covered


def until_noted(gateway: Gateway, statement: str, daemon: Daemon) -> None:
    def is_noted() -> bool:
        assert daemon.process.poll() is None, daemon.log
        return statement in gateway.memory(FOLLOWED).read_text("utf-8")

    until(is_noted, TURN_SECONDS)


def test_the_flush_of_the_older_host_takes_our_prompts_but_has_no_exec_to_run_the_script(
    gateway: Gateway,
) -> None:
    flush = FLUSH["agents"]["defaults"]["compaction"]["memoryFlush"]
    gateway.model.prompt_tokens = FLUSH_TOKENS
    gateway.agent("flushed: what do you know of the sea?", FLUSHED)
    # Only a message that comes in by a chat is preceded by a flush, not one of `openclaw agent`.
    chat = {"sessionKey": f"agent:{FLUSHED}:main", "message": "And of the land?", "idempotencyKey": "land"}
    gateway.run("gateway", "call", "chat.send", "--params", json.dumps(chat), "--json")
    until(lambda: gateway.model.requests_about("And of the land?"), TURN_SECONDS)
    gateway.model.prompt_tokens = 1000

    (turn,) = [
        request for request in gateway.model.requests if "Pre-compaction memory" in request.system_prompt
    ]
    assert sorted(turn.tools) == ["read", "write"]
    assert flush["systemPrompt"] in turn.system_prompt
    assert flush["prompt"].split("memory/YYYY-MM-DD.md")[0] in turn.system_prompt
    assert "Config valid" in gateway.run_text("config", "validate")


def test_nothing_is_observed_twice_when_the_host_moves_to_sqlite_beside_the_daemon(
    gateway: Gateway, scrimshaw: Scrimshaw
) -> None:
    for agent_id in (FOLLOWED, ALONE):
        gateway.agent(STATEMENTS[0], agent_id)
        scrimshaw(gateway, "observe", "--workspace", str(gateway.workspace(agent_id)), "--yes", "--now")
    assert kinds(gateway, FOLLOWED) == ["jsonl"]
    with gateway.background("--workspace", str(gateway.workspace(FOLLOWED))) as daemon:
        daemon.until_it_says("event=ready")
        gateway.agent(STATEMENTS[1], FOLLOWED)
        until_noted(gateway, STATEMENTS[1], daemon)
        gateway.agent(STATEMENTS[1], ALONE)  # said, and not observed before the move
        before = covered(gateway, FOLLOWED)

        gateway.stop()
        gateway.install = install_of(CURRENT)
        gateway.run_text(*MOVE, seconds=MOVE_SECONDS)
        gateway.start()
        gateway.agent(STATEMENTS[2], ALONE)
        gateway.agent(STATEMENTS[2], FOLLOWED)
        until_noted(gateway, STATEMENTS[2], daemon)
        status = scrimshaw(gateway, "status", "--workspace", str(gateway.workspace(FOLLOWED)))
        log = daemon.log

    scrimshaw(gateway, "observe", "--workspace", str(gateway.workspace(ALONE)), "--now")
    assert kinds(gateway, FOLLOWED) == ["sqlite"]
    once = [(1, 1, 1)] * len(STATEMENTS)
    assert times_noted(gateway, FOLLOWED) == once
    assert times_noted(gateway, ALONE) == once
    # One exchange was said since: two entries, and none of those from before the move again.
    assert covered(gateway, FOLLOWED) - before == 2
    assert "sqlite: 1 conversation" in status
    assert "ERROR" not in log
    # What only the older version knows, the host's own move takes out of the configuration.
    kept = gateway.configuration()["agents"]["defaults"]["compaction"]["memoryFlush"]
    assert kept == {"softThresholdTokens": 6000}
