"""A model of scripted judgement, for measuring what the way through a model costs without asking one.

It reads the request that a real model would get, takes the most telling sentences of each message of the
person and one of each answer, a report before anything else, and answers in the form that the prompt asks
for; read once more, its lines hold. How many lines it writes (15 at most of a conversation, as the prompt
says) and how long they are is like what a good model does; how wise they are is not: it says nothing about
quality.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import TypedDict

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.models.model import Answer, Failure, Usage

_ENTRY = re.compile(r"^\[(\d+)\] \d\d:\d\d ([a-z ]+?)(?: \([^)]*\))?: ", re.MULTILINE)
_CONVERSATION = re.compile(r"^--- conversation (\d+)", re.MULTILINE)
_NOTE = re.compile(r"^(\d+)\. \(of ", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_TELLING = re.compile(
    r"\d|\b(?:[A-Z][a-z]+|prefer|always|never|decided|because|until|instead|deadline|fixed|failed)\b"
)
_REPORT = re.compile(
    r"\b(?:fixed|failed|done|deployed|passed|found|created|updated|sent|booked|removed|added)\b", re.I
)
_KINDS = (
    (
        "preference",
        re.compile(r"\b(?:prefer|always|never|please (?:use|keep|answer)|rather|like to)\b", re.I),
    ),
    (
        "decision",
        re.compile(r"\b(?:decided|let's (?:use|go)|we'll (?:use|take)|i(?:'ll| will) (?:use|take))\b", re.I),
    ),
    (
        "next-step",
        re.compile(r"\b(?:need to|have to|must|plan to|going to|by \w+day|tomorrow|remind)\b", re.I),
    ),
)
_LEAST_CHARS, _MOST_CHARS = 25, 170
_OF_PERSON = 3  # lines of one message at most
_MOST_LINES = 15


class _Said(TypedDict):
    text: str
    kind: str
    priority: int
    sources: list[int]


class ScriptedModel:
    """Answers every prompt at once; counts what it was sent and what it said, by our own estimate."""

    name = "scripted/model"
    place = "this process"

    def __init__(self, most_lines: int = _MOST_LINES) -> None:
        self._most_lines = most_lines
        self.calls = 0
        self.tokens_in = 0
        self.tokens_out = 0

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        """Return the lines for the entries in *prompt*."""
        del timeout_seconds, is_stopped
        if notes := _NOTE.findall(prompt.text.rpartition("\n=== notes")[2]):
            return self._answer(prompt, json.dumps({"holds": [int(number) for number in notes]}))
        lines = [
            line
            for entries in _conversations(prompt.text)
            for line in sorted(self._best(entries), key=lambda line: line["sources"])
        ]
        said = "\n".join(
            [*(json.dumps(line, ensure_ascii=False) for line in lines), json.dumps({"done": len(lines)})]
        )
        return self._answer(prompt, said)

    def _best(self, entries: list[tuple[int, str, str]]) -> list[_Said]:
        found = [line for number, label, text in entries for line in _lines(number, label, text)]
        found.sort(key=lambda line: (-_weight(line["text"]), line["sources"]))
        return found[: self._most_lines]

    def _answer(self, prompt: Prompt, said: str) -> Answer:
        sent = estimate_tokens(prompt.system) + estimate_tokens(prompt.text)
        self.calls += 1
        self.tokens_in += sent
        self.tokens_out += estimate_tokens(said)
        return Answer(said, Usage(sent, estimate_tokens(said), is_estimated=True), self.name)


def _conversations(text: str) -> list[list[tuple[int, str, str]]]:
    """Return the entries of a request, by conversation."""
    evidence = text.rpartition("\n=== entries")[2].partition("\n=== end of entries")[0]
    numbers = list(dict.fromkeys(_CONVERSATION.findall(evidence)))
    if not numbers:
        return [_entries(evidence)]
    begins = [evidence.index(f"--- conversation {number},") for number in numbers]
    return [_entries(evidence[at:end]) for at, end in pairwise([*begins, len(evidence)])]


def _entries(evidence: str) -> list[tuple[int, str, str]]:
    """Return (number, label, text) of each entry in *evidence*."""
    found = list(_ENTRY.finditer(evidence))
    ends = [match.start() for match in found[1:]] + [len(evidence)]
    return [
        (int(match[1]), match[2], evidence[match.end() : end]) for match, end in zip(found, ends, strict=True)
    ]


def _lines(number: int, label: str, text: str) -> list[_Said]:
    is_person = label == "person"
    sentences = [one.strip(" -*#|") for one in _SENTENCE.split(text)]
    fitting = [
        one
        for one in dict.fromkeys(sentences)
        if _LEAST_CHARS <= len(one) <= _MOST_CHARS and "[…" not in one and not one.endswith("?")
    ]
    fitting.sort(key=lambda one: (not is_person and bool(_REPORT.search(one)), _weight(one)))
    best = fitting[::-1][: _OF_PERSON if is_person else 1]
    return [
        {"text": one, "kind": _kind(one, is_person), "priority": 4 if is_person else 3, "sources": [number]}
        for one in best
    ]


def _weight(text: str) -> int:
    return len(_TELLING.findall(text))


def _kind(text: str, is_person: bool) -> str:
    if not is_person:
        return "outcome"
    return next((name for name, cue in _KINDS if cue.search(text)), "fact")
