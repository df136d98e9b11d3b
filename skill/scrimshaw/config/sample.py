"""The sample file: every setting at its default, explained, made from the schema (`config.Settings`)."""

from __future__ import annotations

import json  # a JSON value is a YAML value
from dataclasses import fields

from scrimshaw.config.settings import Settings, default_of


def example() -> str:
    """Return the text of config.example.yaml: every setting at its default, explained."""
    parts = [
        "# Scrimshaw's configuration. Every line is optional; these are the defaults.\n"
        "# Copy to <workspace>/.scrimshaw/config.yaml (one agent) or ~/.config/scrimshaw/config.yaml (all).\n"
        "# A variable such as SCRIMSHAW_TTL_DAYS=30 wins over both. `scrimshaw config` shows what is in\n"
        "# force and where each value came from.\n"
    ]
    for item in fields(Settings):
        if item.name.startswith(("memory_", "server_")):
            continue
        note = "".join(f"# {line}\n" for line in item.metadata["note"].splitlines())
        value = default_of(item)
        shown = (value or '""') if isinstance(value, str) else json.dumps(value).replace('"', "")
        if note:
            parts.append(f"{note}{item.name}: {shown}\n")
        else:  # it goes with the one before
            parts[-1] += f"{item.name}: {shown}\n"
    parts += [_memory(), _server()]
    parts.append(
        "# Settings of a single agent, by its id:\n# agents:\n#   work:\n#     observation_chars: 8000\n"
        "#     sessions: [direct, group]\n#     observer_model: ollama/qwen3:8b\n"
    )
    return "\n".join(parts)


def _memory() -> str:
    """Return the block of the working layer's settings: names of several words are blocks in a file."""
    lines = ["memory:"]
    block = ""
    for item in fields(Settings):
        name = item.name.removeprefix("memory_")
        if name == item.name:
            continue
        first, _, rest = name.partition("_")
        lines += [f"  {first}:"] * (first != block)
        block = first
        lines += [f"    # {line}" for line in item.metadata["note"].splitlines()]
        value = default_of(item)
        lines.append(f"    {rest}: {value if isinstance(value, str) and value else json.dumps(value)}")
    return "\n".join([*lines, ""])


def _server() -> str:
    """Return the block of the server's settings, for the user's own file alone."""
    lines = ["# For ~/.config/scrimshaw/config.yaml alone.", "server:"]
    for item in fields(Settings):
        name = item.name.removeprefix("server_")
        if name != item.name:
            value = default_of(item)
            lines += [f"  # {line}" for line in item.metadata["note"].splitlines()]
            lines.append(f"  {name}: {value if isinstance(value, str) and value else json.dumps(value)}")
    return "\n".join([*lines, ""])
