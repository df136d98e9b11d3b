"""What is sent to a model, as a value; the clients in models/ translate it into each protocol."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from scrimshaw.core.section.render import visible
from scrimshaw.core.transcript.windows import estimate_tokens


class Prompt(NamedTuple):
    """The complete text to be sent: already redacted, private parts already removed."""

    system: str
    text: str
    most_output_tokens: int
    temperature: float = 0.2


class NumberedPrompt(NamedTuple):
    """A prompt, and what the numbers in an answer to it refer to."""

    prompt: Prompt
    entries: tuple[str, ...] = ()  # entry ids: number n is entries[n - 1]
    lines: tuple[str, ...] = ()  # observation ids: "o" + n is lines[n - 1]


_TOKEN_BYTES = 4
_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_LEAST_CHARS = 24  # least length of the head and tail of a shortened text
_HEAD_SHARE = 0.6


def token_for(texts: Sequence[str]) -> str:
    """Return a token that occurs in none of *texts*."""
    whole = "\0".join(texts)
    tried, token = 0, ""
    while not token or token in whole:
        seed = f"{tried}\0{whole}".encode("utf-8", "surrogatepass")
        token, tried = blake2b(seed, digest_size=_TOKEN_BYTES).hexdigest(), tried + 1
    return token


def fenced(name: str, lines: Sequence[str], token: str) -> str:
    """Return *lines*, each already `contained`, between two marks that hold *token*."""
    return "\n".join([f"=== {name} {token} ===", *lines, f"=== end of {name} {token} ==="])


def contained(text: str) -> str:
    """Return *text* for use behind a heading: every line but the first is indented."""
    text = _SURROGATE.sub("\ufffd", _CONTROL.sub("", visible(_BREAKS.sub("\n", text))))
    return _BLANK_LINES.sub("\n", text.strip()).replace("\n", "\n ")


def shortened(text: str, most_tokens: int) -> str:
    """Return *text*; if longer than *most_tokens*, its middle is replaced by a mark."""
    tokens = estimate_tokens(text)
    if tokens <= most_tokens:
        return text
    room = max(int(len(text) * most_tokens / tokens) - 40, 2 * _LEAST_CHARS)
    head, tail = int(room * _HEAD_SHARE), room - int(room * _HEAD_SHARE)
    if head + tail >= len(text):
        return text
    start, end = _at_word(text[:head]), text[len(text) - tail :]
    end = end[len(end) - len(_at_word(end[::-1])) :]
    left_out = len(text) - len(start) - len(end)
    return f"{start} [… {left_out:,} characters left out …] {end}"


def _at_word(text: str) -> str:
    """Return *text* up to its last whole word, if one ends nearby."""
    at = max(text.rfind(" "), text.rfind("\n"))
    return text[:at] if at > len(text) * 0.8 else text
