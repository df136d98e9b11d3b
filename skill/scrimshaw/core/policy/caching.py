"""What a provider's prompt cache serves, and what that saves. Pure.

Prices are those that providers publish for it: a token from the cache costs a tenth of one that is read anew,
one that is written into it for five minutes a quarter more. What is written for an hour costs twice as much
(config: prompt_cache), and is counted like the others: usage does not tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

CacheTime = Literal["5m", "1h"]
READ_PRICE, WRITE_PRICE, HOUR_WRITE_PRICE = 0.1, 1.25, 2.0  # of a token's that is read anew
_SHORT_MS, _HOUR_MS = 300_000, 3_600_000


class TokenUsage(NamedTuple):
    """What answers of a model used, in tokens; *input_tokens* are those read anew, without the cache."""

    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0

    def plus(self, other: TokenUsage) -> TokenUsage:
        """Return both together."""
        return TokenUsage(*(mine + more for mine, more in zip(self, other, strict=True)))

    @property
    def prompt_tokens(self) -> int:
        """Everything that was sent."""
        return self.input_tokens + self.cache_creation_input_tokens + self.cache_read_input_tokens

    @property
    def hit_rate(self) -> float | None:
        """The share of it that came from the cache; None where nothing was sent."""
        return self.cache_read_input_tokens / self.prompt_tokens if self.prompt_tokens else None

    @property
    def saving(self) -> float | None:
        """The share of its price that the cache saves; below 0 where writing costs more than it brings."""
        if not self.prompt_tokens:
            return None
        saved = (1 - READ_PRICE) * self.cache_read_input_tokens
        extra = (WRITE_PRICE - 1) * self.cache_creation_input_tokens
        return (saved - extra) / self.prompt_tokens

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**self._asdict(), "hit_rate": self.hit_rate, "saving": self.saving}


def cheaper_time(said_at_ms: Sequence[int]) -> CacheTime:
    """Return for how long a prefix is kept most cheaply, going by the pauses between messages, oldest first.

    A pause of more than five minutes has it written anew, unless it is kept for an hour; that makes the first
    writing dearer, and each one after a longer pause.
    """
    pauses = [later - earlier for earlier, later in pairwise(said_at_ms)]
    spared = sum(_SHORT_MS < pause <= _HOUR_MS for pause in pauses) * (WRITE_PRICE - READ_PRICE)
    dearer = (1 + sum(pause > _HOUR_MS for pause in pauses)) * (HOUR_WRITE_PRICE - WRITE_PRICE)
    return "1h" if spared > dearer else "5m"
