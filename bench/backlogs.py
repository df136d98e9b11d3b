"""Large backlogs to measure with, generated from a fixed seed in the host's own forms.

Two mixes. *work* has the proportions of two real coding sessions (3.3 MB together): to the megabyte
about 43 messages of the person, 280 of the assistant and 250 tool results of 2 KB on average. *talk* has
four times as many words of the person and none of the long outputs: the worst case for the observer.
Either holds ten statements a megabyte that are worth noting.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

import orjson
from tests.stores import FakeSession, build_jsonl, build_sqlite

from bench.reading import WORDS, make_session

Mix = Literal["work", "talk"]
MIXES: tuple[Mix, ...] = ("work", "talk")
_SESSIONS = 5
_STATEMENTS_A_MEGABYTE = 10


def build(state: Path, kind: str, megabytes: float, mix: Mix) -> None:
    """Write a backlog of *megabytes* for the agent `main` of the host whose state folder is *state*."""
    sessions = [_session(megabytes / _SESSIONS, seed, mix) for seed in range(_SESSIONS)]
    if kind == "jsonl":
        build_jsonl(state / "agents/main/sessions", sessions)
    else:
        build_sqlite(state / "agents/main/agent/openclaw-agent.sqlite", sessions)


def _session(megabytes: float, seed: int, mix: Mix) -> FakeSession:
    session = make_session(megabytes, seed) if mix == "talk" else _work(megabytes, seed)
    session.session_id = f"{seed:08x}-0000-4000-8000-000000000000"
    session.key = "agent:main:main" if seed == 0 else f"agent:main:explicit:{seed}"
    chance = random.Random(seed)
    for number in range(int(_STATEMENTS_A_MEGABYTE * megabytes)):
        name = f"{chance.choice('abcdef')}{number}"
        release = f"{chance.randint(1, 9)}.{chance.randint(0, 99)}.{number}"
        session.user(f"We decided that service {name} runs release {release} in production.")
        session.assistant("Noted.")
    return session


def _work(megabytes: float, seed: int) -> FakeSession:
    """Return a session in which the agent mostly works: six calls with their outputs to a message."""
    chance = random.Random(seed)
    session = FakeSession()
    size = 0

    def words(low: int, high: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(low, high)))

    def output() -> str:
        lines = int(chance.lognormvariate(3.2, 1.1))
        return "\n".join(
            f"src/{chance.choice(WORDS)}.py:{n}: {words(2, 9)}" for n in range(min(lines, 600) + 1)
        )

    while size < megabytes * 1e6:
        first = len(session.events)
        session.user(words(4, 40))
        for _ in range(chance.randint(3, 9)):
            session.tool("exec", {"command": f"rg -n {words(1, 3)} src"}, output())
            if chance.random() < 0.2:
                session.assistant(words(5, 40))
        session.assistant(words(8, 90))
        size += sum(len(orjson.dumps(event)) for event in session.events[first:])
    return session
