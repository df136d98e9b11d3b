"""What models cost: list prices of November 2026 in dollars for a million tokens, in and out.

Rounded up where a price has several: without discounts for a cache, an hour of the day or a batch, and where
a price is announced to rise, as risen. A model that is not here has no known price, and is said to have none;
the owner's `prices` win. Prices change: this table is a help for a cap, not a bill.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from scrimshaw import data
from scrimshaw.config import Endpoint
from scrimshaw.models.presets import LOCAL
from scrimshaw.models.wire import is_this_machine

Price = tuple[float, float]


# As OpenClaw and OpenRouter call them.
_HOST_PROVIDERS = {"google": "gemini", "zai": "glm", "z-ai": "glm", "dashscope": "qwen"}
# The same model on a certain day: gpt-5-mini-2025-08-07, claude-haiku-4-5-20251001, gemini-2.5-flash-001.
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest)$")
_REMOTE = re.compile(r"[:-]cloud$")  # Ollama asks its own company's servers for these


def price_of(
    name: str,
    answered_by: str,
    table: Mapping[str, tuple[float, float]],
    *,
    endpoints: Mapping[str, Endpoint] | None = None,
) -> Price | None:
    """Return what a million tokens in and out cost, None when nobody knows.

    *name* is the owner's, "provider/model"; *answered_by* what the provider says answered, "" before it
    has: some names lead to another model. *table* is the owner's and wins; *endpoints* are the owner's.
    """
    provider, _, model = name.partition("/")
    answered = [answered_by] if "/" in answered_by or not answered_by else [f"{provider}/{answered_by}"]
    for asked in (name, *answered, answered_by, model):
        if asked and asked in table:
            return table[asked]
    if endpoints and provider in endpoints:
        return (0.0, 0.0) if is_this_machine(endpoints[provider].base_url) else None
    if provider in LOCAL:
        return None if _REMOTE.search(model) else (0.0, 0.0)
    for asked in (*answered, model if provider == "openclaw" else name):
        if (price := _listed(asked)) is not None:
            return price
    return None


def _listed(name: str) -> Price | None:
    provider, _, model = name.partition("/")
    found = f"{_HOST_PROVIDERS.get(provider, provider)}/{model}"
    return list_prices().get(found) or list_prices().get(_SNAPSHOT.sub("", found))


@cache
def list_prices() -> Mapping[str, Price]:
    """Return the built-in table: data/prices.txt."""
    rows = (line.split() for line in data.lines("prices", "prices"))
    return {name: (float(tokens_in), float(tokens_out)) for name, tokens_in, tokens_out in rows}
