"""What a section written with a large model answers, from replies that were recorded once.

Three long chats go through the product's own path: a host's store, `observe`, `reflect`, the section. Each
request is looked up among the replies kept in bench/recorded, by its hash or else by what it gives to read
(bench/recorded_requests), so that anybody gets a section without a model. Twenty questions of each chat,
drawn by lot among those that the owner's own messages answer, were judged by a reader who had written none of
the replies: by the section alone, and with the first ten hits of a search beside it.

    python -m bench answers --recorded               replay, and count the verdicts
    python -m bench answers --recorded --into DIR    stop at the first request that no reply is known for and
                                                     write it to DIR; a reply goes beside it as *.reply
    python -m bench answers --recorded --ask DIR     write the questions with section and hits, to be judged
    python -m bench answers --recorded --keep DIR    keep verdicts and replies of DIR in the repository's file
                                                     every reply in today's numbers, by today's request

Verdicts hold for the section they were made of: when it is another, the report says so.
"""

from __future__ import annotations

import json
import lzma
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.stores import FakeSession, build_jsonl

from bench import material
from bench.people import Asked, Chat, locomo, realtalk
from bench.recorded_requests import Request, find, request_of
from bench.report import Column, Goal, Report, Table
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import Role
from scrimshaw.models.model import Answer, Failure, ModelChoice, Usage
from scrimshaw.services.observe import run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.reflect import run as reflect
from scrimshaw.services.search.search import Recall
from scrimshaw.services.search.search import SearchQuery as Search
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target, Wanted, find_targets

KEPT = Path(__file__).parent / "recorded" / "replies.json.xz"
CHATS = ("conv-26 (caroline)", "conv-42 (joanna)", "Chat_1_Emi_Elise (emi)")
# REALTALK's times are UTC, and this owner says that she lives in New York; LoCoMo's are the writers' own.
ZONES = {"Chat_1_Emi_Elise (emi)": "America/New_York"}
MODEL = "vllm/recorded"
BUDGET = 8_400
QUESTIONS, HITS = 20, 10
CYCLES = 4  # of the reflector
GOAL_ALONE, GOAL_WITH_HITS = 0.75, 0.85
NOTES = (
    "*alone*, *with hits*: the share of twenty questions a chat that a reader could answer from the section, "
    "and from it with the first ten hits of `search`; half an answer counts half. *sent*: tokens of all "
    "requests, by core/transcript/windows's estimate; *said*: tokens of the chat.",
    "*as kept*: replies whose request is the same to the letter. *renumbered*: found by what was to be read, "
    "with the numbers of today's lines. *lost*: their references to lines that no longer stand, and notes "
    "that a kept second reading does not judge.",
    "What it does not show: another model's notes, or questions about the other speaker, whose words a "
    "section does not hold.",
)


class Result(NamedTuple):
    """One chat, replayed."""

    name: str
    lines: int
    units: int
    said: int  # tokens
    sent: int
    requests: int
    section: str
    hits: Mapping[str, list[str]]
    asked: tuple[Asked, ...]
    renumbered: int = 0  # of the requests: answered by a reply to another one about the same
    lost: int = 0


class Unknown(Exception):  # noqa: N818  # not an error: there is a request to be answered
    """No reply is known for a request."""


class Recorded:
    """A model that says what was recorded; stops the run at the first request that nobody has answered."""

    name, place = MODEL, "a file"

    def __init__(
        self,
        replies: Mapping[str, str],
        requests: Mapping[str, Request],
        unknown: Callable[[str, Prompt], None],
    ) -> None:
        self._replies, self._requests, self._unknown = replies, requests, unknown
        self.used: dict[str, tuple[str, Request]] = {}
        self.asked = self.sent = self.renumbered = self.lost = 0

    def __call__(self, _choice: ModelChoice) -> Recorded:
        """Open it: the seam that jobs expect."""
        return self

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        """Return the reply that was recorded."""
        del timeout_seconds, is_stopped
        key, request = key_of(prompt), request_of(prompt)
        found = find(key, request, self._replies, self._requests)
        if found is None:
            self._unknown(key, prompt)
            # Not a Failure: a run goes on without a second reading, and asks what it would not with one.
            raise Unknown(f"{self.asked} requests are answered, the next is not (--into DIR writes it)")
        tokens = estimate_tokens(prompt.system) + estimate_tokens(prompt.text)
        self.used[key] = found.reply, request
        self.asked += 1
        self.sent += tokens
        self.renumbered += not found.is_exact
        self.lost += found.lost
        return Answer(found.reply, Usage(tokens, estimate_tokens(found.reply)), self.name)


def key_of(prompt: Prompt) -> str:
    """Return what a request is known by."""
    return sha256(f"{prompt.system}\0{prompt.text}".encode()).hexdigest()[:24]


def report(
    into: Path | None,
    ask: Path | None,
    keep: Path | None,
    data: Path | None,
    only: tuple[str, ...],
    seed: int,
) -> Report:
    """Do what was asked for and return what there is to print."""
    kept = _kept()
    replies: dict[str, str] = dict(kept["replies"])
    requests = {key: Request(**one) for key, one in kept["requests"].items()}
    for folder in filter(None, (into, ask, keep)):
        replies |= {path.stem: path.read_text("utf-8") for path in folder.glob("*.reply")}
    rows, skipped, used, verdicts = [], [], {}, dict(kept["verdicts"])
    for chat in _chats(data):
        name = chat.conversation.name
        if only and not name.startswith(only):
            continue
        try:
            result, said = replay(chat, replies, lambda key, prompt: _put(into, key, prompt), seed, requests)
        except Unknown as lacking:
            skipped.append(f"{name}: {lacking}")
            continue
        used |= said
        if ask:
            _write_sheet(ask, result)
        if keep:
            verdicts |= _verdicts(keep, result)
        rows.append(row_of(result, verdicts.get(name), skipped))
    if not rows and not skipped:
        skipped.append("the chats are not there (LoCoMo, REALTALK)")
    if keep:
        _keep(used, verdicts)
    return _report(rows, skipped)


def replay(
    chat: Chat,
    replies: Mapping[str, str],
    unknown: Callable[[str, Prompt], None],
    seed: int,
    requests: Mapping[str, Request] = MappingProxyType({}),
) -> tuple[Result, dict[str, tuple[str, Request]]]:
    """Return what the product makes of *chat* with *replies* to *requests*, and what answered each request.

    Raises Unknown where one is lacking, after *unknown* was told of the request.
    """
    model = Recorded(replies, requests, unknown)
    with (
        tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder,
        placed(Path(folder), chat) as target,
    ):
        newest_ms = max(entry.said_at_ms for _, entries in chat.conversation.sessions for entry in entries)
        now = datetime.fromtimestamp(newest_ms / 1000, UTC) + timedelta(hours=6)
        run.run(target, now, ObserveOptions(opens=model, waits=False))
        for cycle in range(1, CYCLES + 1):
            reflect.run(target, now + timedelta(hours=4 * cycle), opens=model)
        section = (target.layout.workspace / "MEMORY.md").read_text("utf-8")
        asked = _drawn(chat, seed)
        with open_ledger(target.layout.ledger, create=False) as ledger:
            recall = Recall(target.layout, ledger, target.config.settings, now)
            hits = {
                one.question: [
                    f"{hit.line.observation.local_date}: {hit.line.observation.text}"
                    for hit in recall.search(Search(one.question, limit=HITS)).hits
                ]
                for one in asked
            }
            count = len(ledger.all_lines())
    said = sum(estimate_tokens(entry.text) for _, entries in chat.conversation.sessions for entry in entries)
    units = len(section.encode("utf-16-le")) // 2
    name = chat.conversation.name
    numbers = (count, units, said, model.sent, model.asked)
    result = Result(name, *numbers, section, hits, asked, model.renumbered, model.lost)
    return result, model.used


def _put(into: Path | None, key: str, prompt: Prompt) -> None:
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
        text = f"{prompt.system}\n\n{'=' * 100}\n\n{prompt.text}\n"
        (into / f"{key}.request").write_text(text, encoding="utf-8")


@contextmanager
def placed(folder: Path, chat: Chat) -> Iterator[Target]:
    """Yield the target of a host that holds *chat*, with MODEL as its observer and reflector."""
    state, workspace = folder / "state", folder / "workspace"
    (workspace / ".scrimshaw").mkdir(parents=True, mode=0o700)
    (workspace / ".scrimshaw").chmod(0o700)
    state.mkdir()
    name = chat.conversation.name
    zone = ZONES.get(name, "UTC")
    config = {"agents": {"defaults": {"workspace": str(workspace), "userTimezone": zone}}}
    (state / "openclaw.json").write_text(json.dumps(config))
    owner = name.partition("(")[2].rstrip(")").title()
    (workspace / "USER.md").write_text(f"- **Name:** {owner}\n", encoding="utf-8")
    settings = {
        "observer_model": MODEL,
        "reflector_model": MODEL,
        "prices": {MODEL: [0.0, 0.0]},
        "observation_chars": BUDGET,
    }
    (workspace / ".scrimshaw/config.yaml").write_text(json.dumps(settings))
    build_jsonl(state / "agents/main/sessions", list(_sessions(chat)))
    env = {**os.environ, "HOME": str(folder), "OPENCLAW_STATE_DIR": str(state)}
    targets, _ = find_targets(Wanted(workspace=workspace), env)
    yield targets[0]


def _sessions(chat: Chat) -> Iterator[FakeSession]:
    for number, (_, entries) in enumerate(chat.conversation.sessions):
        session = FakeSession(
            key="agent:main:main" if not number else f"agent:main:explicit:{number}",
            session_id=f"{number:08x}-0000-4000-8000-000000000000",
            at_ms=entries[0].said_at_ms,
        )
        for entry in entries:
            session.at_ms = entry.said_at_ms
            (session.user if entry.role is Role.USER else session.assistant)(entry.text)
        yield session


def _chats(data: Path | None) -> list[Chat]:
    found = material.find(data)
    chats = [chat for path in found.locomo()[:1] for chat in locomo(path)] + realtalk(found.realtalk())
    return [chat for chat in chats if chat.conversation.name in CHATS]


def _drawn(chat: Chat, seed: int) -> tuple[Asked, ...]:
    """Return the questions of *chat*: by lot among those whose whole evidence is the owner's."""
    own = [one for one in chat.asked if one.is_own]
    return tuple(random.Random(f"{seed} {chat.conversation.name}").sample(own, min(QUESTIONS, len(own))))


def _write_sheet(folder: Path, result: Result) -> None:
    """Write what a reader judges: 1 answered, 0.5 in part, 0 not; alone, and with the hits."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [f"# {result.name}\n\n{result.section}"]
    for number, one in enumerate(result.asked, start=1):
        hits = "\n".join(f"- {hit}" for hit in result.hits[one.question])
        parts.append(f"## {number}. {one.question}\n\nAnswer: {one.answer}\n\nHits:\n{hits}")
    (folder / f"{_file(result.name)}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(
        f"{folder / _file(result.name)}.md: verdicts go to {_file(result.name)}.tsv: number, alone, with hits"
    )


def _verdicts(folder: Path, result: Result) -> dict[str, dict[str, object]]:
    path = folder / f"{_file(result.name)}.tsv"
    if not path.is_file():
        return {}
    rows = [
        row.split("\t") for row in path.read_text("utf-8").splitlines() if row and not row.startswith("#")
    ]
    marks = [[float(alone), float(both)] for _, alone, both, *_ in rows]
    if len(marks) != len(result.asked):
        raise SystemExit(f"{path}: {len(marks)} verdicts for {len(result.asked)} questions")
    return {result.name: {"section": sha_of(result.section), "marks": marks}}


def row_of(result: Result, verdict: dict[str, object] | None, skipped: list[str]) -> tuple[object, ...]:
    """Return a chat's row; what its verdicts are worth is told in *skipped*."""
    alone = both = None
    if verdict is None:
        skipped.append(f"{result.name}: nobody has judged its section yet (--ask DIR)")
    elif verdict["section"] != sha_of(result.section):
        skipped.append(f"{result.name}: the section is another than the one that was judged")
    else:
        marks = verdict["marks"]
        assert isinstance(marks, list)
        alone, both = (sum(mark[at] for mark in marks) / len(marks) for at in (0, 1))
    asked, changed = result.requests, result.renumbered
    told = (result.name, result.lines, result.units, result.said, result.sent, asked)
    return (*told, asked - changed, changed, result.lost, alone, both)


def _report(rows: list[tuple[object, ...]], skipped: list[str]) -> Report:
    columns = (
        Column("chat"),
        Column("lines"),
        Column("units", ","),
        Column("said", ","),
        Column("sent", ","),
        Column("requests"),
        Column("as kept"),
        Column("renumbered"),
        Column("lost"),
        Column("alone", ".3f"),
        Column("with hits", ".3f"),
    )
    table = Table(f"a large model's notes, a section of {BUDGET:,} units", columns, rows)  # type: ignore[arg-type]
    goals = []
    for at, what, wanted in ((-2, "alone", GOAL_ALONE), (-1, "with ten hits", GOAL_WITH_HITS)):
        marks = [row[at] for row in rows if isinstance(row[at], float)]
        if marks:
            found = sum(marks) / len(marks)  # type: ignore[arg-type]
            goals.append(Goal(f"recorded model, {what}", f">= {wanted}", f"{found:.3f}", found >= wanted))
    return Report("answers", (table,), goals=tuple(goals), notes=NOTES, skipped=tuple(skipped))


def _kept() -> dict[str, dict[str, Any]]:
    found = json.loads(lzma.decompress(KEPT.read_bytes())) if KEPT.is_file() else {}
    return {"replies": {}, "requests": {}, "verdicts": {}} | found


def _keep(used: Mapping[str, tuple[str, Request]], verdicts: Mapping[str, object]) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    parts = {
        "replies": {key: reply for key, (reply, _) in used.items()},
        "requests": {key: request._asdict() for key, (_, request) in used.items()},
        "verdicts": verdicts,
    }
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    KEPT.write_bytes(lzma.compress(text.encode(), preset=9))


def sha_of(text: str) -> str:
    """Return what a section is known by."""
    return sha256(text.encode()).hexdigest()[:16]


def _file(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-")
