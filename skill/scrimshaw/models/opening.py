"""From a name in the configuration to a model that can be asked, or to why not and what to do.

Nothing is sent here and no client library is imported: whether one is there is looked up, because its import
may take seconds, in which nothing could stop us. An endpoint of the owner's wins over a preset of its name.
"""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Mapping
from urllib.parse import urlsplit

from scrimshaw.config import Endpoint
from scrimshaw.models import keys
from scrimshaw.models.anthropic import KEY_VARIABLES as ANTHROPIC_KEYS
from scrimshaw.models.anthropic import Anthropic
from scrimshaw.models.gemini import KEY_VARIABLES as GEMINI_KEYS
from scrimshaw.models.gemini import Gemini
from scrimshaw.models.model import Failure, Model, ModelChoice, Opens, Trouble
from scrimshaw.models.openai_compatible import OpenAICompatible
from scrimshaw.models.openclaw_cli import open_openclaw
from scrimshaw.models.plugin import open_plugin_model
from scrimshaw.models.presets import PRESETS, Preset, preset_of
from scrimshaw.models.wire import host_of
from scrimshaw.plugins import entry_point
from scrimshaw.resources import installing

# What is installed for each client library, as pyproject.toml has it.
_REQUIREMENTS = {
    "google.genai": "google-genai>=1.30",
    "openai": "openai>=1.60",
    "anthropic": "anthropic>=0.45",
}


# Providers with a protocol of their own: the model, its client library, and where its key may be.
_OWN: Mapping[str, tuple[type[Gemini | Anthropic], str, tuple[str, ...]]] = {
    "gemini": (Gemini, "google.genai", GEMINI_KEYS),
    "anthropic": (Anthropic, "anthropic", ANTHROPIC_KEYS),
}


def opener(env: Mapping[str, str]) -> Opens:
    """Return what opens models with the keys and programs of *env*."""

    def opens(choice: ModelChoice) -> Model | Failure:
        provider, _, model = choice.name.partition("/")
        if provider == "openclaw":
            return open_openclaw(choice, env)
        if not model:
            return Failure(
                Trouble.REQUEST,
                f"{choice.name} names no model. Next: write {provider}/NAME, with the model's name",
            )
        if provider in _OWN:
            made, library, variables = _OWN[provider]
            if command := missing_library(library):
                return _absent(library, command)
            key = keys.find_key(variables, env)
            return key if isinstance(key, Failure) else made(choice.name, model, key, choice.is_streaming)
        if provider in choice.endpoints:
            return _endpoint(choice, choice.endpoints[provider], provider, model, env)
        if preset := preset_of(provider, env):
            return _preset(choice, preset, model, env)
        if entry_point("scrimshaw.models", provider):
            return open_plugin_model(choice.name, env)
        known = ", ".join(["openclaw", *_OWN, *PRESETS, *choice.endpoints])
        return Failure(
            Trouble.ABSENT,
            f"There is no provider or endpoint called {provider!r}. Next: use one of {known}, or name a "
            "server of your own under endpoints",
        )

    return opens


def missing_library(module: str) -> str:
    """Return the command that installs the client library *module* for this program, "" when it is here."""
    try:
        if importlib.util.find_spec(module) is not None:
            return ""
    except ModuleNotFoundError:  # of the package it lies in
        pass
    return installing(shlex.quote(_REQUIREMENTS[module]))


def _endpoint(
    choice: ModelChoice, endpoint: Endpoint, name: str, model: str, env: Mapping[str, str]
) -> Model | Failure:
    if not host_of(endpoint.base_url) or not endpoint.base_url.lower().startswith(("http://", "https://")):
        return Failure(
            Trouble.REQUEST,
            f"endpoints.{name}.base_url is not an address of a server. "
            "Next: write it like http://127.0.0.1:8000/v1",
        )
    variables = (endpoint.key_variable,) if endpoint.key_variable else ()
    return _preset(choice, _known(endpoint.base_url)._replace(key_variables=variables), model, env)


def _known(base_url: str) -> Preset:
    """Return what is known of the server at *base_url*: it may be one of the presets under another name."""
    where = urlsplit(base_url).netloc.lower()
    known = (preset for preset in PRESETS.values() if urlsplit(preset.base_url).netloc == where)
    # Only a key that is named is looked for, but one that is named is needed.
    return next(known, Preset(base_url))._replace(base_url=base_url, is_key_needed=True)


def _preset(choice: ModelChoice, preset: Preset, model: str, env: Mapping[str, str]) -> Model | Failure:
    if command := missing_library("openai"):
        return _absent("openai", command)
    key: keys.Key | Failure = keys.NO_KEY
    if preset.key_variables:
        key = keys.find_key(preset.key_variables, env, is_needed=preset.is_key_needed)
    if isinstance(key, Failure):
        return key
    return OpenAICompatible(choice.name, model, preset, key, choice.is_streaming)


def _absent(module: str, command: str) -> Failure:
    return Failure(Trouble.ABSENT, f"The client library {module} is not installed here. Next: {command}")
