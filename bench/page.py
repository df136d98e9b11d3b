"""How soon the page is seen, and how much it loads (`python -m bench page`).

A ledger of generated lines behind `scrimshaw serve`, a Chromium without a window on the same machine. Each
view is opened several times, its files fetched anew each time; what counts is the first contentful paint
after the navigation began, and everything that was loaded until nothing moved any more.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench import memories
from bench.browsing import LACKING, all_there, browsing, chromium, serving
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw import Memory
from scrimshaw.store.ledger import open_ledger

if TYPE_CHECKING:
    from playwright.sync_api import Page

_LINES, _TIMES = 100_000, 5
_MOST_MS, _MOST_BYTES = 300.0, 150_000
_VIEWS = {
    "now": "/",
    "memory": "/page/memory",
    "changes": "/page/changes",
    "decide": "/page/decide",
    "time": "/page/time?days=30",
    "agents": "/page/agents",
}
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_REMARKS = (
    "What looks at every line (health, contradictions, what may no longer hold, the past) is loaded after "
    "the first paint; its column tells how long until the last of it is there.",
)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = options("page", __doc__, data=False)
    parser.add_argument("--lines", type=int, default=_LINES, help=f"of the ledger ({_LINES:,})")
    parser.add_argument("--times", type=int, default=_TIMES, help=f"that each view is opened ({_TIMES})")
    given = parser.parse_args(arguments)
    if not chromium():
        print(f"Nothing was measured: {LACKING}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        env = {"HOME": folder, "XDG_STATE_HOME": folder, "SCRIMSHAW_EMBEDDINGS": "off"}
        home = Path(folder) / "agents"
        _filled(home, env, given.lines, given.seed)
        with serving(env, home) as site, browsing() as browser:
            page = browser.new_page()
            page.goto(site.link())
            rows = [(view, *_opened(page, site.address + path, given.times)) for view, path in _VIEWS.items()]
    columns = (
        Column("view"),
        Column("first paint ms", ",.0f"),
        Column("slowest ms", ",.0f"),
        Column("all there ms", ",.0f"),
        Column("bytes", ",d"),
    )
    slowest = max(row[1] for row in rows)
    goals = [
        Goal(
            "first paint of the slowest view, median",
            f"≤ {_MOST_MS:.0f} ms",
            f"{slowest:.0f} ms",
            slowest <= _MOST_MS,
        ),
        Goal(
            "the largest view, all in all",
            f"≤ {_MOST_BYTES:,} bytes",
            f"{max(row[4] for row in rows):,} bytes",
            max(row[4] for row in rows) <= _MOST_BYTES,
        ),
    ]
    table = Table(f"The page over {given.lines:,} lines", columns, list(rows))
    return publish(Report("page", (table,), goals=tuple(goals), notes=_REMARKS), given)


def _filled(home: Path, env: dict[str, str], lines: int, seed: int) -> None:
    with Memory.open(home=home, agent="albert", env=env) as memory:
        memory.add("The rent is 910 euros.", author="person", at_once=True)
        memory.add("The cat is Tom.", author="person", at_once=True)
        # Last: a run after it would drop most of them, and the page would be of the few thousand that stay.
        with open_ledger(memory.target.layout.ledger, create=False) as ledger:
            memories.fill(ledger, memories.texts(lines, seed), lines)


def _opened(page: Page, address: str, times: int) -> tuple[float, float, float, int]:
    """Return the median and the slowest first paint, the median until all is there, and the bytes loaded."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    loaded: list[int] = []
    session.on("Network.loadingFinished", lambda told: loaded.append(int(told["encodedDataLength"])))
    painted, whole, sizes = [], [], []
    for _ in range(times + 1):  # the first one warms
        loaded.clear()
        page.goto(address, timeout=300_000)
        all_there(page, 300_000)
        whole.append(float(page.evaluate("performance.now()")))
        page.wait_for_timeout(200)
        painted.append(float(page.evaluate(_PAINTED)))
        sizes.append(sum(loaded))
    session.detach()
    return statistics.median(painted[1:]), max(painted[1:]), statistics.median(whole[1:]), max(sizes)
