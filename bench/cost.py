"""What a model's observations cost: tokens sent for each token of a transcript, and a day's bill.

With a scripted model (bench/scripted_model) in the place of a real one: the requests are the real ones, to
the letter, and the answers have a real one's form and length. Beside it what the rules keep of the same
windows. Tokens are by core/window's estimate, which errs on the high side. The bills take the highest of the
ratios above them.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.beam import load
from bench.pipeline import Memory
from bench.samples import conversations
from bench.scripted_model import ScriptedModel
from scrimshaw.core.claims import Known
from scrimshaw.core.dialogue.reply import read_reply
from scrimshaw.core.dialogue.request import ask_about, context_of
from scrimshaw.core.model import Entry, Reply, Session, Window
from scrimshaw.core.window import entry_tokens, estimate_tokens
from scrimshaw.models.model import Answer
from scrimshaw.models.prices import PRICES
from scrimshaw.resources import template

DEFAULT_CACHE = Path.home() / ".cache/scrimshaw-evaluation"
BUSY_DAY_TOKENS = 300_000  # assumed: of an agent that works for hours, tool output whole
SHOWN = (
    "gemini/gemini-2.5-flash-lite",
    "gemini/gemini-2.5-flash",
    "openai/gpt-5-mini",
    "anthropic/claude-haiku-4-5",
    "anthropic/claude-sonnet-4-5",
)
Sessions = list[tuple[Session, list[Entry]]]


class Bill(NamedTuple):
    """What one observer made of a set of conversations, in tokens."""

    transcript: int  # everything that was said, tool output whole
    windows: int  # how many
    window_tokens: int  # as they count in windows, each message bounded
    sent: int
    answered: int
    noted: int
    lines: int

    def told(self) -> dict[str, object]:
        """Return the row of the table."""
        return {
            "transcript tokens": self.transcript,
            "windows": self.windows,
            "sent / transcript": round(self.sent / self.transcript, 2),
            "answered / transcript": round(self.answered / self.transcript, 3),
            "lines": self.lines,
            "compression of the windows": round(self.window_tokens / max(1, self.noted), 1),
            "compression of the transcript": round(self.transcript / max(1, self.noted), 1),
        }


def main(arguments: list[str]) -> int:
    """Print the table, and what a day costs with some models of the built-in price table."""
    parser = argparse.ArgumentParser(prog="bench cost", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_CACHE)
    parser.add_argument("--json", action="store_true", dest="wants_json")
    given = parser.parse_args(arguments)
    inputs = _inputs(given.data)
    if not inputs:
        print(f"{given.data}: no evaluation data. Nothing was measured.")
        return 0
    rows: dict[str, dict[str, dict[str, object]]] = {}
    ratios: list[tuple[float, float]] = []
    for name, sessions in inputs.items():
        modelled, ruled = with_model(sessions), with_rules(sessions)
        rows[name] = {"scripted model": modelled.told(), "offline": ruled.told()}
        ratios.append((modelled.sent / modelled.transcript, modelled.answered / modelled.transcript))
    days = {name: tokens_a_day(said) for name, said in inputs.items() if name.startswith("dev-")}
    days["a long day at work"] = BUSY_DAY_TOKENS
    sent, answered = (max(ratio[at] for ratio in ratios) for at in (0, 1))
    bills = {name: _bills(tokens * sent, tokens * answered) for name, tokens in days.items()}
    if given.wants_json:
        print(json.dumps({"rows": rows, "tokens a day": days, "dollars a day": bills}))
        return 0
    _print(rows, days, bills)
    return 0


def _inputs(folder: Path) -> dict[str, Sessions]:
    inputs: dict[str, Sessions] = {}
    if (folder / "data/beam/100K").is_dir():
        chats = load(folder / "data/beam/100K")
        inputs["BEAM 100K"] = [(session, list(said)) for chat in chats for session, said in chat.sessions]
    for name in ("dev-sqlite", "dev-jsonl"):
        if (folder / "samples" / name).is_dir():
            inputs[name] = list(conversations(folder / "samples" / name))
    return inputs


def with_model(sessions: Sessions) -> Bill:
    """Return the bill of the scripted model for *sessions*, each of which begins a memory of its own."""
    model = ScriptedModel()
    prompt = template("observer-prompt.md")
    seen: list[Window] = []

    def observe(window: Window, known: Known) -> Reply:
        seen.append(window)
        context = context_of(known, window, leave_out=lambda _line: False)
        question = ask_about(window, context, template=prompt)
        answer = model.ask(question.prompt, timeout_seconds=1, is_stopped=lambda: False)
        assert isinstance(answer, Answer)
        return read_reply(answer.text, question, window)

    memory = Memory(observer=observe)
    for session, entries in sessions:
        memory.feed(session, entries)
    return _bill(sessions, seen, memory, model.tokens_in, model.tokens_out)


def with_rules(sessions: Sessions) -> Bill:
    """Return the bill of the rules: nothing is sent."""
    memory = Memory()
    for session, entries in sessions:
        memory.feed(session, entries)
    return _bill(sessions, memory.windows, memory, 0, 0)


def _bill(sessions: Sessions, windows: Iterable[Window], memory: Memory, sent: int, answered: int) -> Bill:
    seen = list(windows)
    noted = sum(estimate_tokens(text) for text in memory.texts())
    counted = sum(entry_tokens(entry) for window in seen for entry in window.entries)
    return Bill(
        sum(said_tokens(entry) for _, entries in sessions for entry in entries),
        len(seen),
        counted,
        sent,
        answered,
        noted,
        len(memory.lines),
    )


def said_tokens(entry: Entry) -> int:
    """Return how many tokens *entry* is, whole."""
    return estimate_tokens(entry.text) + sum(estimate_tokens(call.arguments) for call in entry.calls)


def tokens_a_day(sessions: Sessions) -> int:
    """Return the tokens of transcript of a middling day on which something was said."""
    days: dict[str, int] = defaultdict(int)
    for _, entries in sessions:
        for entry in entries:
            days[f"{datetime.fromtimestamp(entry.said_at_ms / 1000, UTC):%Y-%m-%d}"] += said_tokens(entry)
    return int(median(days.values())) if days else 0


def _bills(sent: float, answered: float) -> dict[str, float]:
    priced = {name: PRICES[name] for name in SHOWN if name in PRICES}
    return {name: round((sent * price[0] + answered * price[1]) / 1e6, 4) for name, price in priced.items()}


def _print(
    rows: Mapping[str, Mapping[str, Mapping[str, object]]],
    days: Mapping[str, int],
    bills: Mapping[str, Mapping[str, float]],
) -> None:
    names = list(next(iter(next(iter(rows.values())).values())))
    print(f"{'':12}{'observer':16}" + "".join(f"{name:>{len(name) + 3}}" for name in names))
    for data, observers in rows.items():
        for observer, row in observers.items():
            cells = "".join(f"{row[name]!s:>{len(name) + 3}}" for name in names)
            print(f"{data:12}{observer:16}{cells}")
    for name, tokens in days.items():
        print(f"\n{name}: {tokens:,} tokens of transcript a day; in dollars a day, at list prices:")
        for model, dollars in sorted(bills[name].items(), key=lambda item: item[1]):
            print(f"  {model:36} {dollars:8.4f}")
