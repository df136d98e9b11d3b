"""How fast a tool of the OpenClaw plug-in answers (`python -m bench plugin`).

A Node process registers the plug-in as a gateway does; it starts the server, and each question goes through
a tool, over the socket, into a ledger of 100,000 lines and back, one after another. With --gateway a real
OpenClaw from npm does that, asked over HTTP (`/tools/invoke`): once in the person's own conversation, once in
a group, where the tool looks nothing up, so that the host's own part shows. Text is generated; by words.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from bench.plugin_gateway import at_the_gateway
from bench.recall import workspace
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw.resources import plugin_folder, program

_LINES = 100_000
_QUESTIONS = 200
_MOST_MS = 50.0
_REMARKS = ("Not shown: the model's own time, and a host that does other things meanwhile.",)
_COLUMNS = (
    Column("asked"),
    Column("lines", ",d"),
    Column("questions"),
    Column("found something"),
    *(Column(name, ".1f") for name in ("median ms", "p95 ms", "worst ms")),
)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = options("plugin", __doc__, data=False)
    parser.add_argument("--lines", type=int, default=_LINES, help=f"of the ledger ({_LINES:,})")
    parser.add_argument("--questions", type=int, default=_QUESTIONS, help=f"({_QUESTIONS})")
    parser.add_argument("--gateway", action="store_true", help="in a real OpenClaw, installed from npm")
    given = parser.parse_args(arguments)
    with workspace(given.lines, given.seed) as (layout, _, asked):
        questions = asked[: given.questions]
        if given.gateway:
            told = at_the_gateway(layout.workspace, questions)
        else:
            told = {"the tool": _in_node(layout.workspace.parent / "state", questions)}
    if not all(took for took, _ in told.values()):
        sys.stderr.write("There is no node here. Next: install Node.js, then run this again.\n")
        return 1
    rows = [_row(name, given.lines, *measured) for name, measured in told.items()]
    _, _, _, found, _, p95, _ = rows[0]
    goals = (
        Goal("a tool's answer, p95", f"≤ {_MOST_MS:.0f} ms", f"{p95:.1f} ms", p95 <= _MOST_MS and found > 0),
    )
    return publish(
        Report("plugin", (Table("scrimshaw_search", _COLUMNS, rows),), goals=goals, notes=_REMARKS), given
    )


def _row(
    name: str, lines: int, took: list[float], found: int
) -> tuple[str, int, int, int, float, float, float]:
    ordered = sorted(took)
    p95 = ordered[int(len(ordered) * 0.95)]
    return (name, lines, len(ordered), found, statistics.median(ordered), p95, ordered[-1])


def _in_node(state: Path, questions: list[str]) -> tuple[list[float], int]:
    """Return how long each question took in milliseconds, and how many found something."""
    node = shutil.which("node")
    if node is None:
        return [], 0
    own = {"HOME": str(state), "OPENCLAW_STATE_DIR": str(state), "SCRIMSHAW_EMBEDDINGS": "off"}
    answer = subprocess.run(
        [
            *(node, str(Path(__file__).with_name("plugin_driver.mjs")), str(plugin_folder())),
            json.dumps({"command": list(program())}),
        ],
        input=json.dumps(questions),
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told = json.loads(answer.stdout)
    return told["took"], told["found"]
