"""The servers that speak OpenAI's protocol and that many people use: addresses, keys, how to think less.

Notes are extracted, not reasoned: thinking costs time and money, and its tokens count against the output
limit, so that a model may end before it has said a word. Each way to ask for less is tried until one is
taken (`adapting`). Addresses as of November 2026; the owner's `endpoints` win over them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scrimshaw.models.wire import is_this_machine

_EFFORT: tuple[Mapping[str, Any], ...] = tuple(
    {"reasoning_effort": effort} for effort in ("none", "minimal", "low")
)
_TYPE: tuple[Mapping[str, Any], ...] = ({"thinking": {"type": "disabled"}},)
# Older ones take no word about thinking; there is nothing to save either.
_THINKS = re.compile(r"gpt-(?:[5-9]|\d\d)|o\d")


class Preset(NamedTuple):
    """A server: where it is, which variables may hold its key, and what it understands."""

    base_url: str
    key_variables: tuple[str, ...] = ()
    ways_to_think_less: tuple[Mapping[str, Any], ...] = ()
    is_openai: bool = False
    is_key_needed: bool = True

    def less_thinking(self, model: str) -> tuple[Mapping[str, Any], ...]:
        """Return the ways to ask *model* to think less, the best first."""
        return self.ways_to_think_less if not self.is_openai or _THINKS.match(model) else ()


PRESETS: Mapping[str, Preset] = {
    "openai": Preset("https://api.openai.com/v1", ("OPENAI_API_KEY",), _EFFORT, is_openai=True),
    "ollama": Preset("http://127.0.0.1:11434/v1", ("OLLAMA_API_KEY",), _EFFORT[:1], is_key_needed=False),
    "vllm": Preset("http://127.0.0.1:8000/v1", ("VLLM_API_KEY",), is_key_needed=False),
    "openrouter": Preset(
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        ({"reasoning": {"effort": "none"}}, {"reasoning": {"effort": "low"}}),
    ),
    "deepseek": Preset("https://api.deepseek.com", ("DEEPSEEK_API_KEY",), _TYPE),
    "qwen": Preset(
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("DASHSCOPE_API_KEY",),
        ({"enable_thinking": False},),
    ),
    "glm": Preset("https://api.z.ai/api/paas/v4", ("ZAI_API_KEY", "ZHIPUAI_API_KEY"), _TYPE),
}
# Servers that run beside us and cost nothing a token.
LOCAL = frozenset({"ollama", "vllm"})


def preset_of(provider: str, env: Mapping[str, str]) -> Preset | None:
    """Return the preset called *provider*, None when there is none."""
    preset = PRESETS.get(provider)
    return preset._replace(base_url=f"{ollama_url(env)}/v1") if preset and provider == "ollama" else preset


def ollama_url(env: Mapping[str, str]) -> str:
    """Return where an Ollama of this machine answers: OLLAMA_HOST may name another port, no other host."""
    said = env.get("OLLAMA_HOST", "").strip()
    url = said if "://" in said else f"http://{said}"
    try:
        port = urlsplit(url).port
    except ValueError:
        port = None
    usual = "http://127.0.0.1:11434"
    return f"http://127.0.0.1:{port}" if port and is_this_machine(url) else usual


# Models that think whatever they are told, if little: what they think counts against the output limit.
_ALWAYS_THINKS = re.compile(
    r"gemini-(?:2\.5-pro|[3-9](?!.*lite))|gpt-5(?:-(?!chat)|$)|o\d|claude-(?:opus-5-5|fable|mythos)"
)
THINKING_TOKENS = 2_000


def room_to_think(name: str) -> int:
    """Return how many tokens the model called *name* should be given on top of those of its answer."""
    return THINKING_TOKENS if _ALWAYS_THINKS.match(name.rpartition("/")[2]) else 0
