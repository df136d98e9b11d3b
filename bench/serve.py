"""How fast the server answers, beside a bare FastAPI echo (`python -m bench serve`).

Both run as processes on this machine, with a connection each kept open, asked by the same client. One request
after another: storing and searching 10,000 memories. 50 clients at once, storing, searching and handing in
messages, and in turns with them as many that ask the echo. Writers whose connections are cut while they wait,
and who ask again. What the server takes while nobody asks, how soon it answers after its start, and what
Prometheus waits for where the ledger is long. Texts are generated; no vectors are made.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench import memories as material
from bench.report import Column, Goal, Report, Table, options, publish
from bench.serving import AGENT, Connection, Place, echoing, seconds_to_health, serving
from scrimshaw import Memory
from scrimshaw.store.ledger import open_ledger

_V2 = "/api/v2/memory"
_CLIENTS = 50
_SLICES = 6  # of many clients at once: they and the echo in turns
_WRITERS = 500
_MOST_RSS = 90 * 1024 * 1024
_STARTS, _MOST_START_SECONDS = 5, 1.5
_SCRAPES, _MOST_SCRAPE_MS = 200, 10.0
_REMARKS = (
    "Goals are ratios to the echo in the same run: store and search by themselves may take three times its "
    "median and what `Memory` takes for it in this process; of many at once the 99th percentile may be "
    "twelve times the echo's median under as many clients. The clients run on the same processors.",
)


class Loaded(NamedTuple):
    """What many clients at once have seen."""

    times: list[float]  # milliseconds; of all slices together sorted
    statuses: Counter[int]
    seconds: float

    @property
    def errors(self) -> int:
        """Answers that are none of success."""
        return sum(count for status, count in self.statuses.items() if not 200 <= status < 300)

    def part(self, share: float) -> float:
        """Return the time within which *share* of the answers came."""
        return _part(self.times, share)


def _part(times: Sequence[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))]


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = options("serve", __doc__, data=False)
    parser.add_argument("--memories", type=int, default=10_000, help="stored and searched (10,000)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of many clients at once (60)")
    parser.add_argument(
        "--writers", type=int, default=_WRITERS, help=f"whose connections are cut ({_WRITERS})"
    )
    parser.add_argument("--lines", type=int, default=100_000, help="in the ledger that is scraped (100,000)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        return publish(_measured(Path(folder), given), given)


class Measured(NamedTuple):
    """All figures; times of requests in milliseconds, sorted."""

    own: tuple[float, float]
    one: dict[str, list[float]]
    many: Loaded
    bare: Loaded
    idle_bytes: int
    after_bytes: int
    cut: tuple[int, int]
    starts: list[float]  # seconds, sorted
    scrapes: list[float]


def _measured(folder: Path, given: argparse.Namespace) -> Report:
    texts = list(material.texts(given.memories, given.seed))
    asked = material.questions(1_000, given.seed, texts)
    env = {
        "SCRIMSHAW_EMBEDDINGS": "off",
        "SCRIMSHAW_TIMEZONE": "UTC",
        "SCRIMSHAW_SERVER_RATE": "1000000",
        # As after an installation: compiled by the first start, and not in the tree.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
    }
    own = _in_process(folder / "own", env, texts, asked)
    home = folder / "agents"
    with serving(home, env) as (place, rss), echoing() as echo:
        idle = rss()
        one = asyncio.run(_one_by_one(place, echo, texts, asked))
        many, bare = asyncio.run(
            _in_turns(_mixed(texts, asked, given.seed), place, texts, echo, given.seconds)
        )
        cut = asyncio.run(_cut_writers(place, given.writers, given.seed))
        after = rss()
    starts = sorted(seconds_to_health(home, env) for _ in range(_STARTS))
    scrapes = _scraped(folder / "scraped", env, given)
    return _report(given, Measured(own, one, many, bare, idle, after, cut, starts, scrapes))


def _scraped(home: Path, env: dict[str, str], given: argparse.Namespace) -> list[float]:
    """Return the sorted times of scrapes over a ledger of so many lines, with memories beside it."""
    with Memory.open(home=home, agent=AGENT, env={"HOME": str(home.parent), **env}) as memory:
        memory.store("The lamp is from Anna")
        with open_ledger(memory.target.layout.ledger, create=False) as ledger:
            material.fill(ledger, material.texts(given.lines, given.seed), given.lines)

    wanted = f'scrimshaw_lines{{resource_id="{AGENT}"}} {given.lines}.0'.encode()

    async def scrapes(place: Place) -> list[float]:
        over, times = Connection(place), []
        for _ in range(_SCRAPES):
            began = time.perf_counter()
            status, body = await over.ask("GET", "/metrics")
            times.append((time.perf_counter() - began) * 1000)
            if status != 200 or wanted not in body:
                raise RuntimeError(f"metrics: {status} {body[:200]!r}")
        over.close()
        return sorted(times)

    with serving(home, env) as (place, _):
        return asyncio.run(scrapes(place))


def _in_process(
    folder: Path, env: dict[str, str], texts: Sequence[str], asked: Sequence[str]
) -> tuple[float, float]:
    """Return the medians of storing and searching without a server, in milliseconds."""
    with Memory.open(home=folder, agent="albert", env={"HOME": str(folder), **env}) as memory:
        stores = [_timed(lambda text=text: memory.store(text)) for text in texts]
        searches = [_timed(lambda words=words: memory.search(words, mode="lexical")) for words in asked]
    return statistics.median(stores), statistics.median(searches)


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


async def _one_by_one(
    place: Place, echo: Place, texts: Sequence[str], asked: Sequence[str]
) -> dict[str, list[float]]:
    """Return the sorted times of requests one after another, by what was asked; the echo before and after."""
    times: dict[str, list[float]] = {"echo": [], "store": [], "search": []}
    to, bare = Connection(place), Connection(echo)

    async def timed(what: str, over: Connection, path: str, told: object) -> None:
        began = time.perf_counter()
        status, body = await over.ask("POST", path, told)
        times[what].append((time.perf_counter() - began) * 1000)
        if status >= 300:
            raise RuntimeError(f"{what}: {status} {body[:200]!r}")

    for text in texts[:200]:  # warm
        await bare.ask("POST", "/echo", {"content": text})
    # In turns, so that what the machine does besides meets all alike.
    for at, text in enumerate(texts):
        await timed("store", to, f"{_V2}/store", {"content": text})
        if at % 5 == 0:
            await timed("echo", bare, "/echo", {"content": text})
    for words in asked:
        await timed("search", to, f"{_V2}/search", {"query": words, "mode": "lexical"})
        await timed("echo", bare, "/echo", {"content": words})
    to.close()
    bare.close()
    return {what: sorted(found) for what, found in times.items()}


Turn = Callable[[Connection, int, int], Awaitable[tuple[int, bytes]]]


def _mixed(texts: Sequence[str], asked: Sequence[str], seed: int) -> Turn:
    """Return what a client asks in its turn: half of it searches, a third stores, the rest messages."""
    lot = random.Random(seed)
    order = [lot.random() for _ in range(1_000)]

    async def turn(over: Connection, client: int, number: int) -> tuple[int, bytes]:
        chance = order[(client * 37 + number) % len(order)]
        text = texts[(client * 101 + number) % len(texts)]
        if chance < 0.5:
            words = asked[(client + number) % len(asked)]
            return await over.ask("POST", f"{_V2}/search", {"query": words, "mode": "lexical"})
        if chance < 0.85:
            return await over.ask("POST", f"{_V2}/store", {"content": f"{text} {client} {number}"})
        said = {"content": text, "role": "user", "id": f"m{client}-{number}"}
        return await over.ask("POST", f"{_V2}/conversations/t{client}/messages", said)

    return turn


def _echoing(texts: Sequence[str]) -> Turn:
    async def turn(over: Connection, client: int, number: int) -> tuple[int, bytes]:
        return await over.ask("POST", "/echo", {"content": texts[(client * 101 + number) % len(texts)]})

    return turn


async def _in_turns(
    turn: Turn, place: Place, texts: Sequence[str], echo: Place, seconds: float
) -> tuple[Loaded, Loaded]:
    """Let clients ask for so many *seconds*, and in between the echo, a third as long.

    In turns, so that what the machine does besides meets both alike.
    """
    many, bare, numbers = [], [], [0] * _CLIENTS
    for _ in range(_SLICES):
        many.append(await _many(turn, place, seconds / _SLICES, numbers))
        bare.append(await _many(_echoing(texts), echo, seconds / _SLICES / 3, [0] * _CLIENTS))
    return _together(many), _together(bare)


def _together(slices: Sequence[Loaded]) -> Loaded:
    return Loaded(
        sorted(time for one in slices for time in one.times),
        sum((one.statuses for one in slices), Counter()),
        sum(one.seconds for one in slices),
    )


async def _many(turn: Turn, place: Place, seconds: float, numbers: list[int]) -> Loaded:
    """Let as many clients ask for so many *seconds*, each as soon as it has an answer.

    *numbers*: how often each has asked; counted on.
    """
    times: list[float] = []
    statuses: Counter[int] = Counter()
    until = time.perf_counter() + seconds

    async def one(client: int) -> None:
        over = Connection(place)
        while (began := time.perf_counter()) < until:
            try:
                status, _ = await turn(over, client, numbers[client])
            except (OSError, asyncio.IncompleteReadError):
                status = 0
                over.close()
            times.append((time.perf_counter() - began) * 1000)
            statuses[status] += 1
            numbers[client] += 1
        over.close()

    await asyncio.gather(*(one(client) for client in range(_CLIENTS)))
    return Loaded(times, statuses, seconds)


async def _cut_writers(place: Place, count: int, seed: int) -> tuple[int, int]:
    """Store *count* memories over connections that are cut, again with the same key until there is an answer.

    Returns how many are not there afterwards, and how many are there more than once.
    """
    lot = random.Random(seed)
    mark = uuid.uuid4().hex

    async def write(number: int) -> None:
        key, told = str(uuid.uuid4()), {"content": f"Writer {number} of {mark} was here"}
        for _ in range(2):
            over = Connection(place)
            await over.send("POST", f"{_V2}/store", told, key)
            await asyncio.sleep(lot.random() * 0.2)
            over.close()
        while True:
            over = Connection(place)
            status, _ = await over.ask("POST", f"{_V2}/store", told, key)
            over.close()
            if status < 300:
                return
            await asyncio.sleep(0.05)

    for first in range(0, count, _CLIENTS):
        await asyncio.gather(*(write(number) for number in range(first, min(count, first + _CLIENTS))))
    found: Counter[str] = Counter()
    over, after = Connection(place), ""
    while True:
        query = f"?limit=500&text={mark}" + (f"&cursor={after}" if after else "")
        _, body = await over.ask("GET", f"{_V2}/memories{query}")
        page: dict[str, Any] = json.loads(body)
        found.update(one["content"] for one in page["memories"])
        after = page.get("next_cursor") or ""
        if not after:
            break
    over.close()
    return count - len(found), sum(number > 1 for number in found.values())


def _report(given: argparse.Namespace, found: Measured) -> Report:
    table = Table("Requests over loopback, a connection each kept open", _COLUMNS, _rows(given, found))
    weights = Table(
        "What the server takes",
        (Column("when"), Column("MB", ",.0f")),
        [("idle", found.idle_bytes / 1024**2), ("after all of this", found.after_bytes / 1024**2)],
    )
    goals = (*_goals_of_requests(given, found), *_goals_besides(given, found))
    return Report("serve", (table, weights), (), goals, _REMARKS, (), ("fastapi", "uvicorn", "h11"))


def _goals_of_requests(given: argparse.Namespace, found: Measured) -> list[Goal]:
    one, many, bare = found.one, found.many, found.bare
    middle = {what: statistics.median(times) for what, times in one.items()}
    own = dict(zip(("store", "search"), found.own, strict=True))
    allowed = {what: 3 * middle["echo"] + took for what, took in own.items()}
    return [
        *(
            Goal(
                f"{what} of {given.memories:,}, median",
                f"≤ 3 × echo + {took:.2f} ms = {allowed[what]:.2f} ms",
                f"{middle[what]:.2f} ms",
                middle[what] <= allowed[what],
            )
            for what, took in own.items()
        ),
        Goal(f"errors of {_CLIENTS} clients", "0", f"{many.errors:,}", many.errors == 0),
        Goal(
            f"99th percentile of {_CLIENTS} clients",
            f"≤ 12 × the echo's median = {12 * bare.part(0.5):.0f} ms",
            f"{many.part(0.99):.0f} ms",
            many.part(0.99) <= 12 * bare.part(0.5),
        ),
    ]


def _goals_besides(given: argparse.Namespace, found: Measured) -> list[Goal]:
    idle, cut, slowest = found.idle_bytes, found.cut, found.starts[-1]
    scrape = _part(found.scrapes, 0.95)
    return [
        Goal("memory while idle", "≤ 90 MB", f"{idle / 1024**2:.0f} MB", idle <= _MOST_RSS),
        Goal(
            f"{given.writers} writers with cut connections",
            "0 lost, 0 doubled",
            f"{cut[0]} lost, {cut[1]} doubled",
            cut == (0, 0),
        ),
        Goal(
            f"start to first answer, slowest of {_STARTS}",
            f"≤ {_MOST_START_SECONDS} s",
            f"{slowest:.2f} s",
            slowest <= _MOST_START_SECONDS,
        ),
        Goal(
            f"a scrape at {given.lines:,} lines, 95th percentile",
            f"≤ {_MOST_SCRAPE_MS:.0f} ms",
            f"{scrape:.1f} ms",
            scrape <= _MOST_SCRAPE_MS,
        ),
    ]


_COLUMNS = (
    Column("what"),
    Column("requests", ",d"),
    Column("median ms", ",.2f"),
    Column("p95 ms", ",.2f"),
    Column("p99 ms", ",.2f"),
    Column("a second", ",.0f"),
)


def _rows(given: argparse.Namespace, found: Measured) -> list[tuple[Any, ...]]:
    alone = {**found.one, f"scrape, {given.lines:,} lines": found.scrapes}
    loads = {f"mixed, {_CLIENTS} clients": found.many, f"echo, {_CLIENTS} clients": found.bare}
    rows = [(what, times, None) for what, times in alone.items()]
    rows += [(what, load.times, len(load.times) / load.seconds) for what, load in loads.items()]
    return [
        (what, len(times), *(_part(times, share) for share in (0.5, 0.95, 0.99)), a_second)
        for what, times, a_second in rows
    ]
