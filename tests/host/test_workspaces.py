"""Where agents work, asked of the real program, and where discovery says that they do."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.host.conftest import CURRENT, JSONL, install_of

from scrimshaw.sources.discover import find_agents

_TWO = {"main": {}, "ops": {}}


@pytest.mark.parametrize(
    ("version", "agents"),
    [
        (CURRENT, {"ownership": "explicit", "entries": _TWO, "systemAgent": "main"}),
        (CURRENT, {"ownership": "explicit", "entries": _TWO, "workspace": None}),
        (CURRENT, {"ownership": "explicit", "entries": {"ada": {}}}),
        (CURRENT, {"entries": {"main": {}, "ops": {"default": True}}}),
        (CURRENT, {"ownership": "explicit", "list": [{"id": "ada"}, {"id": "ops"}]}),
        (JSONL, {"list": [{"id": "ada"}, {"id": "ops"}]}),
    ],
    ids=["explicit", "explicit, none shared", "explicit, alone", "marked", "explicit list", "older list"],
)
def test_discovery_finds_each_workspace_where_the_host_has_it(
    tmp_path: Path, version: str, agents: dict[str, Any]
) -> None:
    install = install_of(version)
    state = tmp_path / ".openclaw"
    state.mkdir()
    given = dict(agents)
    defaults: dict[str, Any] = {"workspace": given.pop("workspace", str(tmp_path / "shared"))}
    if system := given.pop("systemAgent", None):
        defaults["systemAgent"] = {"agentId": system}
    defaults = {key: value for key, value in defaults.items() if value is not None}
    config = {"agents": {**given, "defaults": defaults}, "gateway": {"mode": "local"}}
    (state / "openclaw.json").write_text(json.dumps(config))
    env = {
        "PATH": install.path(),
        "HOME": str(tmp_path),
        "OPENCLAW_STATE_DIR": str(state),
        "OPENCLAW_NO_RESPAWN": "1",
    }

    answer = subprocess.run(
        [install.node, install.openclaw, "agents", "list", "--json"],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )

    hosts = {agent["id"]: str(Path(agent["workspace"])) for agent in json.loads(answer.stdout)}
    ours = {agent.agent_id: str(agent.workspace) for agent in find_agents(env, tmp_path).agents}
    assert ours == hosts
