"""What is sent to a model, as a value; the clients in models/ know how to say it in each protocol."""

from __future__ import annotations

from typing import NamedTuple


class Prompt(NamedTuple):
    """What is sent, whole: already redacted, private parts already gone."""

    system: str
    text: str
    most_output_tokens: int
    temperature: float = 0.2


class Question(NamedTuple):
    """A prompt, and what the numbers in an answer to it mean."""

    prompt: Prompt
    entries: tuple[str, ...] = ()  # entry ids: number n is entries[n - 1]
    lines: tuple[str, ...] = ()  # observation ids: "o" + n is lines[n - 1]
