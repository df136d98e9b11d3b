"""The plug-in's search in a real gateway: a question over HTTP, the host's own way to a tool, and back."""

from __future__ import annotations

import http.client
import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.host.gateway import TOKEN, Gateway
from tests.host.installing import NEWEST, installed
from tests.host.scripted_model import ScriptedModel

from scrimshaw.resources import plugin_folder

_PACKAGE = Path(__file__).resolve().parents[1] / "skill"
_OWN, _GROUP = "agent:main:main", "agent:main:telegram:group:-100"
_WARM_UP_TRIES = 120


def at_the_gateway(workspace: Path, questions: list[str]) -> dict[str, tuple[list[float], int]]:
    """Return for both conversations how long each of *questions* took, and how many found something."""
    starter = ["env", f"PYTHONPATH={_PACKAGE}", "SCRIMSHAW_EMBEDDINGS=off", sys.executable, "-m", "scrimshaw"]
    plugin = {
        "load": {"paths": [str(plugin_folder())]},
        "entries": {"scrimshaw": {"enabled": True, "config": {"command": starter}}},
    }
    # A socket's path is short.
    with tempfile.TemporaryDirectory(prefix="sb") as folder, ScriptedModel() as model:
        gateway = Gateway(installed(NEWEST), Path(folder), model, config={"plugins": plugin})
        gateway.configure({"agents": {"entries": {"main": {"workspace": str(workspace)}}}})
        with gateway:
            connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
            pause = threading.Event()
            for _ in range(_WARM_UP_TRIES):
                if _results(_ask(connection, questions[0], _OWN)):
                    break
                pause.wait(1)
            return {
                "in the person's conversation": _measured(connection, questions, _OWN),
                "in a group: nothing is looked up": _measured(connection, questions, _GROUP),
            }


def _measured(
    connection: http.client.HTTPConnection, questions: list[str], key: str
) -> tuple[list[float], int]:
    took, found = [], 0
    for question in questions:
        began = time.perf_counter()
        said = _ask(connection, question, key)
        took.append((time.perf_counter() - began) * 1_000)
        found += bool(_results(said))
    return took, found


def _ask(connection: http.client.HTTPConnection, question: str, key: str) -> str:
    told: dict[str, Any] = {"tool": "scrimshaw_search", "args": {"query": question}, "sessionKey": key}
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection.request("POST", "/tools/invoke", json.dumps(told), headers)
    answer = json.loads(connection.getresponse().read())
    return str(answer["result"]["content"][0]["text"])


def _results(said: str) -> list[Any]:
    return list(json.loads(said)["results"]) if said.startswith("{") else []
