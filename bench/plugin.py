"""How fast a tool of the OpenClaw plug-in answers, in the host's own process (`python -m bench plugin`).

A Node process registers the plug-in as a gateway does; it starts the server, and each question goes through
a tool, over the socket, into a ledger of 100,000 lines and back, one after another. Text is generated; search
is by words.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from bench.recall import workspace
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw.resources import plugin_folder, program

_LINES = 100_000
_QUESTIONS = 200
_MOST_MS = 50.0
_REMARKS = ("Not shown: the model's own time, and a host that does other things meanwhile.",)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = options("plugin", __doc__, data=False)
    parser.add_argument("--lines", type=int, default=_LINES, help=f"of the ledger ({_LINES:,})")
    parser.add_argument("--questions", type=int, default=_QUESTIONS, help=f"({_QUESTIONS})")
    given = parser.parse_args(arguments)
    node = shutil.which("node")
    if node is None:
        sys.stderr.write("There is no node here. Next: install Node.js, then run this again.\n")
        return 1
    with workspace(given.lines, given.seed) as (layout, _, asked):
        state = str(layout.workspace.parent / "state")
        own = {"HOME": state, "OPENCLAW_STATE_DIR": state, "SCRIMSHAW_EMBEDDINGS": "off"}
        answer = subprocess.run(
            [
                *(node, str(Path(__file__).with_name("plugin_driver.mjs")), str(plugin_folder())),
                json.dumps({"command": list(program())}),
            ],
            input=json.dumps(asked[: given.questions]),
            env={**os.environ, **own},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    told = json.loads(answer.stdout)
    took = sorted(told["took"])
    p95 = took[int(len(took) * 0.95)]
    row = (given.lines, len(took), told["found"], statistics.median(took), p95, took[-1])
    columns = (
        Column("lines", ",d"),
        Column("questions"),
        Column("found something"),
        *(Column(name, ".1f") for name in ("median ms", "p95 ms", "worst ms")),
    )
    met = p95 <= _MOST_MS and told["found"] > 0
    goals = (Goal("a tool's answer, p95", f"≤ {_MOST_MS:.0f} ms", f"{p95:.1f} ms", met),)
    return publish(
        Report("plugin", (Table("scrimshaw_search", columns, [row]),), goals=goals, notes=_REMARKS), given
    )
