"""Which models could be used on this machine: what is there, where the text would go, what is missing.

Looks and never sends: keys by their variables, client libraries without importing them, the `openclaw`
program, and one question of 0.3 s at most to an Ollama of this very machine. That something is found is no
consent to use it (rule 25): `init` asks.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from urllib.parse import urlsplit

from scrimshaw.config import Endpoint
from scrimshaw.host import command
from scrimshaw.models import anthropic, gemini, keys
from scrimshaw.models.model import Failure, ModelOffer
from scrimshaw.models.opening import missing_library
from scrimshaw.models.presets import PRESETS, ollama_url
from scrimshaw.models.wire import place_of

OLLAMA_SECONDS = 0.3
_LARGEST_LIST_BYTES = 256 * 1024
_MOST_LISTED = 5
# What is proposed for each: cheap, quick and good enough to take notes.
PROPOSED = {
    "anthropic": "claude-haiku-5-5",
    "openai": "gpt-6-luna",
    "openrouter": "google/gemini-3.5-flash-lite",
    "deepseek": "deepseek-flash",
    "qwen": "qwen-flash",
    "glm": "glm-5.2",
}


def available(env: Mapping[str, str], *, endpoints: Mapping[str, Endpoint] | None = None) -> list[ModelOffer]:
    """Return what could be used here: what is ready first, then what lacks something, then the rest."""
    found = [
        _openclaw(env),
        *_ollama(env),
        *_endpoints(endpoints or {}, env),
        _provider("gemini", gemini.DEFAULT_MODEL, gemini.BASE_URL, "google.genai", gemini.KEY_VARIABLES, env),
        _provider(
            "anthropic",
            PROPOSED["anthropic"],
            anthropic.BASE_URL,
            "anthropic",
            anthropic.KEY_VARIABLES,
            env,
        ),
        *(
            _provider(name, PROPOSED[name], preset.base_url, "openai", preset.key_variables, env)
            for name, preset in PRESETS.items()
            if name in PROPOSED
        ),
    ]
    return sorted(found, key=lambda one: (not one.is_ready, not one.is_seen))


def _openclaw(env: Mapping[str, str]) -> ModelOffer:
    place = "OpenClaw's own model"
    if command.find_program(env) is None:
        return ModelOffer(
            "openclaw",
            place,
            "The program openclaw was not found.",
            f"put it on the PATH, or name it by {command.VARIABLE}=/path/to/openclaw",
            is_seen=False,
        )
    note = (
        "Uses the agent's own model and account. Each question takes some ten seconds more than its answer, "
        "and while it runs other users of this machine can see its text in the list of processes."
    )
    return ModelOffer("openclaw", place, note=note)


def _provider(
    provider: str,
    model: str,
    base_url: str,
    module: str,
    variables: tuple[str, ...],
    env: Mapping[str, str],
) -> ModelOffer:
    key = keys.find_key(variables, env)
    note = "" if isinstance(key, Failure) else f"With the key in {key.variable}."
    is_seen = not isinstance(key, Failure) or any(env.get(one, "").strip() for one in variables)
    return _offer(f"{provider}/{model}", base_url, key, module, note)._replace(is_seen=is_seen)


def _offer(name: str, base_url: str, key: keys.Key | Failure, module: str, note: str) -> ModelOffer:
    place = place_of(base_url)
    if isinstance(key, Failure):
        why, _, step = key.detail.partition(" Next: ")
        return ModelOffer(name, place, why, step)
    if install := missing_library(module):
        return ModelOffer(name, place, f"The client library {module} is not installed here.", install)
    return ModelOffer(name, place, note=note)


def _endpoints(endpoints: Mapping[str, Endpoint], env: Mapping[str, str]) -> Iterator[ModelOffer]:
    for name, endpoint in endpoints.items():
        key = keys.find_key((endpoint.key_variable,), env) if endpoint.key_variable else keys.NO_KEY
        note = "Write the name of one of its models for MODEL."
        yield _offer(f"{name}/MODEL", endpoint.base_url, key, "openai", note)


def _ollama(env: Mapping[str, str]) -> Iterator[ModelOffer]:
    models = ollama_models(env)
    if models is None:
        return
    if not models:
        yield ModelOffer(
            "ollama/MODEL", "this machine", "Ollama runs here and has no model.", "ollama pull qwen3:8b"
        )
        return
    install = missing_library("openai")
    note = (
        "Costs nothing a token. Ollama cuts off silently what does not fit its context: give it at least "
        "16k, OLLAMA_CONTEXT_LENGTH=16384."
    )
    for model in models[:_MOST_LISTED]:
        is_remote = model.endswith(("-cloud", ":cloud"))
        yield ModelOffer(
            f"ollama/{model}",
            "ollama.com, through this machine" if is_remote else "this machine",
            "The client library openai is not installed here." if install else "",
            install,
            "" if is_remote else note,
        )


def ollama_models(env: Mapping[str, str]) -> list[str] | None:
    """Return the models of an Ollama on this machine, None when none answers within OLLAMA_SECONDS."""
    where = urlsplit(ollama_url(env))
    connection = http.client.HTTPConnection(
        where.hostname or "127.0.0.1", where.port or 11434, timeout=OLLAMA_SECONDS
    )
    try:
        with closing(connection):
            connection.request("GET", "/api/tags")
            answer = connection.getresponse()
            said = json.loads(answer.read(_LARGEST_LIST_BYTES)) if answer.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return None
    models = said.get("models") if isinstance(said, dict) else None
    if not isinstance(models, list):
        return None
    names = (model.get("name") for model in models if isinstance(model, dict))
    return [name for name in names if isinstance(name, str) and name.isprintable() and " " not in name]
