"""What a section of a given budget keeps of long conversations (`python -m bench retention`).

Rows: last text, first text, random sentences, a 20-line scoring rule, the offline observer (also just after
a trim, and after reflecting), and all the user's sentences without a budget. Confidence interval by
bootstrap over conversations. `--changes` prints what the reflector changed instead: read every one.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.beam import ABILITIES, Conversation, load, score, utf16_units
from bench.pipeline import Memory, changes_told, reflected, section_lines
from scrimshaw.core.model import Role
from scrimshaw.core.rules.speech import split_sentences

DEFAULT_DATA = Path.home() / ".cache/scrimshaw-evaluation/data/beam/100K"
_CUE = re.compile(
    r"\b(prefer|always|never|decid|deadline|finish|complet|increas|improv|updat|now|plan)\w*", re.IGNORECASE
)

Method = Callable[[Conversation, int], list[str]]


def user_sentences(conversation: Conversation) -> list[str]:
    """Return every sentence of the user's messages, code left out."""
    found = []
    for _, entries in conversation.sessions:
        for entry in entries:
            if entry.role is Role.USER:
                text = re.sub(r"```.*?(?:```|\Z)", "\n", entry.text, flags=re.DOTALL)
                for line in text.split("\n"):
                    found += split_sentences(line.strip())
    return found


def fill(sentences: list[str], budget: int) -> list[str]:
    """Return the first *sentences* that fit."""
    chosen, size = [], 0
    for sentence in sentences:
        cost = utf16_units(sentence) + 3
        if size + cost > budget:
            break
        chosen.append(sentence)
        size += cost
    return chosen


def last_text(conversation: Conversation, budget: int) -> list[str]:
    """The newest sentences."""
    return fill(user_sentences(conversation)[::-1], budget)


def first_text(conversation: Conversation, budget: int) -> list[str]:
    """The oldest sentences."""
    return fill(user_sentences(conversation), budget)


def random_text(conversation: Conversation, budget: int) -> list[str]:
    """Sentences by lot."""
    sentences = user_sentences(conversation)
    random.Random(0).shuffle(sentences)
    return fill(sentences, budget)


def simple_rule(conversation: Conversation, budget: int) -> list[str]:
    """Twenty lines: numbers and cue words, per length."""

    def worth(sentence: str) -> float:
        numbers = len(re.findall(r"\d[\d.,:]*", sentence))
        cues = len(_CUE.findall(sentence))
        self_said = bool(re.search(r"\b(I|my|we)\b", sentence))
        return (numbers + cues + self_said) / (len(sentence) + 60) - (0.005 if sentence.endswith("?") else 0)

    return fill(sorted(user_sentences(conversation), key=worth, reverse=True), budget)


def all_user(conversation: Conversation, _budget: int) -> list[str]:
    """Everything the user said, without a budget."""
    return user_sentences(conversation)


def observed(conversation: Conversation, budget: int) -> list[str]:
    """The section the product writes."""
    return section_lines(remember(conversation), budget, trims=False)


def trimmed(conversation: Conversation, budget: int) -> list[str]:
    """The same just after a trim, when it fits in 70 % of the budget."""
    return section_lines(remember(conversation), budget)


def after_reflecting(conversation: Conversation, budget: int) -> list[str]:
    """The section once the reflector has gone over the lines."""
    return section_lines(reflected(remember(conversation)), budget, trims=False)


def everything(conversation: Conversation, _budget: int) -> list[str]:
    """Every line the observer accepted, without a budget."""
    return [line.observation.text for line in remember(conversation).lines.values()]


@lru_cache(maxsize=64)
def remember(conversation: Conversation) -> Memory:
    """Return what the offline observer makes of a conversation."""
    memory = Memory()
    for session, entries in conversation.sessions:
        memory.feed(session, entries)
    return memory


METHODS: dict[str, Method] = {
    "last": last_text,
    "first": first_text,
    "random": random_text,
    "simple rule": simple_rule,
    "observer": observed,
    "trimmed": trimmed,
    "reflected": after_reflecting,
    "all lines": everything,
    "all user": all_user,
}


def interval(values: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean by bootstrap over conversations."""
    lot = random.Random(1)
    means = sorted(sum(lot.choices(values, k=len(values))) / len(values) for _ in range(2000))
    return means[50], means[-51]


def _row(conversations: list[Conversation], budget: int, name: str) -> dict[str, Any]:
    marks = [score(one.rubrics, METHODS[name](one, budget)) for one in conversations]
    means = {key: sum(mark[key] for mark in marks) / len(marks) for key in (*ABILITIES, "mean")}
    low, high = interval([mark["mean"] for mark in marks])
    each = [round(mark["mean"], 2) for mark in marks]
    return {"budget": budget, "method": name, **means, "low": low, "high": high, "each": each}


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench retention", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--budgets", type=int, nargs="+", default=[9000])
    parser.add_argument("--only", nargs="+", default=list(METHODS))
    parser.add_argument("--missed", action="store_true", help="print what the observer's section misses")
    parser.add_argument("--show", default="", help="print the section of this conversation")
    parser.add_argument("--changes", action="store_true", help="print what the reflector changes")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if not given.data.is_dir():
        print(f"{given.data}: no such folder; unpack the evaluation data first. Nothing was measured.")
        return 0
    conversations = load(given.data)
    if given.changes:
        for one in conversations:
            print(one.name, *changes_told(remember(one)), sep="\n")
        return 0
    rows = [_row(conversations, budget, name) for budget in given.budgets for name in given.only]
    if given.json:
        print(json.dumps(rows))
        return 0
    print(f"{'budget':>6} {'method':12} info  update temp  mean   95 %")
    for row in rows:
        parts = "  ".join(f"{row[key]:.2f}".lstrip("0") for key in (*ABILITIES, "mean"))
        span = f"{row['low']:.2f}–{row['high']:.2f}"
        print(f"{row['budget']:>6} {row['method']:12} {parts}   {span}  {row['each']}")
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
