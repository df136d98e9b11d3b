"""A demonstration of a fleet: a private server and three machines in temporary folders; nothing is kept.

Each line that it yields reports something that was done and checked, not something that is expected.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from scrimshaw.errors import UserError
from scrimshaw.fleet import rows, server
from scrimshaw.fleet.embedded import OwnServer
from scrimshaw.memory import Memory
from scrimshaw.services.fleet.digest import digest_of

_SAID = "The storeroom key is under the third flowerpot"
_MACHINES = ("desk", "laptop", "cabin")


def play() -> Iterator[str]:
    """Yield what happens, step by step; raises UserError if a check fails."""
    server.require_driver()
    with tempfile.TemporaryDirectory(prefix="scrimshaw-fleet-") as folder, OwnServer() as own:
        done, left = server.migrate(own.address())
        yield f"A PostgreSQL of its own was started; its tables were made: {', '.join(done)}. {left}".rstrip()
        with server.connected(own.address()) as admin:
            admin.execute("create role demo login")
            admin.execute("select scrimshaw.admit('ada', 'demo', 'demo')")
        machines = {name: _machine(Path(folder) / name, own) for name in _MACHINES}
        try:
            yield from _played(machines, own)
        finally:
            for memory in machines.values():
                memory.close()
    yield "The server and the three machines are gone; nothing was kept."


def _machine(home: Path, own: OwnServer) -> Memory:
    env = {"HOME": str(home), "SCRIMSHAW_FLEET": own.address("demo")}
    home.mkdir()
    memory = Memory.open(home=home, agent="ada", env=env)
    memory.join_fleet(memory.plan_fleet())
    return memory


def _played(machines: dict[str, Memory], own: OwnServer) -> Iterator[str]:
    desk, laptop, cabin = machines.values()
    began = time.monotonic()
    desk.add(_SAID)
    desk.sync_fleet()
    found = laptop.search_fleet("where is the key of the storeroom?").lines
    _hold(any(line.text == _SAID for line in found), "what was said on the desk was not found")
    yield f"Said on desk, found on laptop by search, {time.monotonic() - began:.1f} s later: {_SAID}"
    for memory in (laptop, cabin):
        memory.sync_fleet()
    _hold(all(_has(memory) for memory in machines.values()), "a ledger lacks the line")
    yield "All three ledgers have it; cabin goes away."
    laptop.add("The boiler man comes on Tuesdays")
    desk.forget(desk.plan_forget(_SAID))
    desk.sync_fleet()
    laptop.sync_fleet()
    _hold(not _has(laptop), "laptop still has what was forgotten")
    with server.connected(own.address()) as admin:
        row = admin.execute("select count(*) from scrimshaw.words where text like '%%flowerpot%%'").fetchone()
    _hold(row == (0,), "the server still has what was forgotten")
    yield "Forgotten on desk: gone from laptop and from the server."
    _hold(_has(cabin), "cabin had it")
    cabin.add("Firewood is low")
    for memory in (cabin, desk, laptop, cabin):
        memory.sync_fleet()
    _hold(not _has(cabin), "cabin still has what was forgotten")
    yield "cabin comes back, with a line of its own, and loses what was forgotten."
    digests = {digest_of(memory.target) for memory in machines.values()}
    with server.connected(own.address()) as admin:
        digests.add(rows.digest(admin, "ada"))
    _hold(len(digests) == 1, "the machines differ")
    yield f"All three and the server hold the same: {digests.pop()}"


def _has(memory: Memory) -> bool:
    files = (path for path in memory.workspace.rglob("*") if path.is_file())
    return any(b"flowerpot" in path.read_bytes() for path in files)


def _hold(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise UserError(f"The demo failed: {otherwise}.", next_step="scrimshaw doctor")
