"""What models cost: list prices of November 2026 in dollars for a million tokens, in and out.

Rounded up where a price has several: without discounts for a cache, an hour of the day or a batch, and where
a price is announced to rise, as risen. A model that is not here has no known price, and is said to have none;
the owner's `prices` win. Prices change: this table is a help for a cap, not a bill.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from scrimshaw.config import Endpoint
from scrimshaw.models.presets import LOCAL
from scrimshaw.models.wire import is_this_machine

AS_OF = "2026-11"
Price = tuple[float, float]

PRICES: Mapping[str, Price] = {
    "gemini/gemini-2.5-flash": (0.30, 2.50),
    "gemini/gemini-2.5-flash-lite": (0.10, 0.40),
    "gemini/gemini-2.5-pro": (1.25, 10.0),
    "gemini/gemini-3-flash-preview": (0.50, 3.0),
    "gemini/gemini-3.1-flash-lite": (0.25, 1.50),
    "gemini/gemini-3.1-pro-preview": (2.0, 12.0),
    "gemini/gemini-3.5-flash": (1.50, 9.0),
    "gemini/gemini-3.5-flash-lite": (0.30, 2.50),
    "gemini/gemini-3.6-flash": (1.50, 7.50),  # half of it until the end of 2026, as the next two
    "gemini/gemini-3.7-flash": (1.50, 7.50),
    "gemini/gemini-3.8-flash": (1.50, 7.50),
    "openai/gpt-4.1": (2.0, 8.0),
    "openai/gpt-4.1-mini": (0.40, 1.60),
    "openai/gpt-4.1-nano": (0.10, 0.40),
    "openai/gpt-4o": (2.50, 10.0),
    "openai/gpt-4o-mini": (0.15, 0.60),
    "openai/gpt-5": (1.25, 10.0),
    "openai/gpt-5-mini": (0.25, 2.0),
    "openai/gpt-5-nano": (0.05, 0.40),
    "openai/gpt-5.1": (1.25, 10.0),
    "openai/gpt-5.2": (1.75, 14.0),
    "openai/gpt-5.4": (2.50, 15.0),
    "openai/gpt-5.4-mini": (0.75, 4.50),
    "openai/gpt-5.5": (5.0, 30.0),
    "openai/gpt-5.6-sol": (5.0, 30.0),
    "openai/gpt-5.6-terra": (2.0, 12.0),
    "openai/gpt-5.6-luna": (0.20, 1.20),
    "openai/gpt-6-astra": (10.0, 50.0),
    "openai/gpt-6-sol": (2.0, 10.0),
    "openai/gpt-6-luna": (0.10, 0.50),
    "openai/gpt-6.1-sol": (2.0, 10.0),
    "openai/gpt-6.1-terra": (1.0, 5.0),
    "anthropic/claude-haiku-4-5": (1.0, 5.0),
    "anthropic/claude-haiku-5-5": (0.10, 0.50),
    "anthropic/claude-sonnet-4-5": (3.0, 15.0),
    "anthropic/claude-sonnet-4-6": (3.0, 15.0),
    "anthropic/claude-sonnet-5": (2.0, 10.0),
    "anthropic/claude-sonnet-5-5": (2.0, 10.0),
    "anthropic/claude-opus-4-5": (5.0, 25.0),
    "anthropic/claude-opus-5": (5.0, 25.0),
    "anthropic/claude-opus-5-5": (4.0, 20.0),
    "anthropic/claude-fable-5-1": (10.0, 50.0),
    "deepseek/deepseek-chat": (0.30, 1.20),  # names that lead to the newest of their kind
    "deepseek/deepseek-reasoner": (0.55, 2.19),
    "deepseek/deepseek-flash": (0.30, 1.20),
    "deepseek/deepseek-v4-flash": (0.30, 1.20),
    "deepseek/deepseek-v4-pro": (1.32, 3.96),
    "glm/glm-4.5": (0.60, 2.20),
    "glm/glm-4.5-air": (0.20, 1.10),
    "glm/glm-4.6": (0.60, 2.20),
    "glm/glm-4.7": (0.60, 2.20),
    "glm/glm-4.7-flashx": (0.07, 0.40),
    "glm/glm-5": (1.0, 3.20),
    "glm/glm-5.1": (1.40, 4.40),
    "glm/glm-5.2": (1.40, 4.40),
    "glm/glm-5.3": (1.40, 4.40),
    "glm/glm-5.3-flash": (0.15, 0.50),
    # The international ones, for requests of up to 32,000 tokens, as ours are; the output as if it thought.
    "qwen/qwen-turbo": (0.05, 0.50),
    "qwen/qwen-flash": (0.05, 0.40),
    "qwen/qwen-plus": (0.40, 4.0),
    "qwen/qwen-max": (1.60, 6.40),
    "qwen/qwen3-max": (1.20, 6.0),
    "qwen/qwen3.5-flash": (0.10, 0.40),
    "qwen/qwen3.5-plus": (0.40, 2.40),
    "qwen/qwen3.6-plus": (0.50, 3.0),
}
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
    return PRICES.get(found) or PRICES.get(_SNAPSHOT.sub("", found))
