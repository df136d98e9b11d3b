"""The configuration: one schema, its defaults, where each value came from, and the sample file.

Values are layered, later ones win: defaults, the user's file (`~/.config/scrimshaw/config.yaml`), the
workspace's file (`.scrimshaw/config.yaml`), then `SCRIMSHAW_<NAME>` variables; under each file's
`agents:` an agent may have its own. All problems of all layers are reported in one message. Files are
data: YAML is read with the safe loader, nothing in it is evaluated, and secrets are named by the
variable that holds them, never written down. A later layer's list or table takes the place of an earlier
one's, whole. `config.example.yaml` is made by `config/sample`; a test compares.

The schema is a plain dataclass, and pydantic (`config/check`) looks only at what somebody has set: its
import alone costs half of what `scrimshaw status` may take.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

# X as X: passed on to whoever imports it from here.
from scrimshaw.config.settings import DEFAULT as DEFAULT
from scrimshaw.config.settings import OFFLINE as OFFLINE
from scrimshaw.config.settings import Endpoint as Endpoint
from scrimshaw.config.settings import Settings as Settings
from scrimshaw.config.settings import age_of as age_of
from scrimshaw.config.settings import flattened, renamed
from scrimshaw.config.settings import seconds as seconds
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.files import open_regular

_LARGEST_FILE_BYTES = 256 * 1024


class Layer(NamedTuple):
    """One place values come from: its name for people, and what it says."""

    name: str
    values: Mapping[str, Any]
    agents: Mapping[str, Mapping[str, Any]]


class Config(NamedTuple):
    """The effective settings of one agent, and where each came from."""

    settings: Settings
    origin: Mapping[str, str]  # field → layer name


class WrongConfigurationError(UserError):
    """What is wrong with a configuration; *found* has each problem with the file that it stands in."""

    def __init__(self, found: Iterable[str]) -> None:
        self.found = tuple(found)
        super().__init__(
            f"The configuration has {counted(len(self.found), 'problem')}; nothing was done with it.",
            *self.found,
            next_step="mend the lines above, then run: scrimshaw config --check",
            exit_code=Exit.MENDABLE,
        )


def user_file(env: Mapping[str, str]) -> Path:
    """Return where the user's own configuration file is looked for."""
    base = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME", "~")).expanduser() / ".config")
    return Path(base) / "scrimshaw" / "config.yaml"


def workspace_file(workspace: Path) -> Path:
    """Return where a workspace's configuration file is looked for."""
    return workspace / ".scrimshaw" / "config.yaml"


def load(workspace: Path | None, agent_id: str, env: Mapping[str, str] | None = None) -> Config:
    """Return the effective settings of *agent_id*; raise one UserError that lists every problem."""
    env = os.environ if env is None else env
    problems: list[str] = []
    files = [user_file(env), *([workspace_file(workspace)] if workspace else [])]
    layers = [layer for path in files if (layer := read_layer(path, problems))]
    layers.append(_environment(env, problems))
    blocks = [block for layer in layers for block in _blocks(layer, problems)]
    own = str(workspace_file(workspace)) if workspace else ""
    # An agent can write there: where conversations come from and go to is not its to say.
    problems += [
        f"{own}: {name} is for your own file alone; move it to {user_file(env)}"
        for name in _PERSONS
        if any(
            block.values.get(name, getattr(_DEFAULTS, name)) != getattr(_DEFAULTS, name)
            for block in blocks
            if own and block.name.startswith(own)
        )
    ]
    values, origin = _merged(blocks, agent_id)
    for agent in dict.fromkeys([agent_id, *(block.agent for block in blocks if block.agent)]):
        # A name can be right only together with the endpoints that may stand in another layer.
        problems += [one for one in _unknown_models(*_merged(blocks, agent)) if one not in problems]
    if problems:
        raise WrongConfigurationError(problems)
    return Config(Settings(**values), {name: origin.get(name, DEFAULT) for name in _NAMES})


class _Block(NamedTuple):
    """What one place says, for everyone or for one agent."""

    name: str
    agent: str  # "" for everyone
    values: Mapping[str, Any]


_NAMES = tuple(item.name for item in fields(Settings))
_DEFAULTS = Settings()
_PERSONS = (
    "endpoints",
    "sources",
    "alert_command",
    "alert_webhook",
    "memory_episodic_data_dir",
    "memory_embedding_ollama_url",
    *(name for name in _NAMES if name.startswith("server_")),
)


def _blocks(layer: Layer, problems: list[str]) -> list[_Block]:
    every = [_Block(layer.name, "", layer.values)]
    every += [_Block(f"{layer.name} (agents.{agent})", agent, own) for agent, own in layer.agents.items()]
    return [block._replace(values=_checked(block.values, block.name, problems)) for block in every]


def _merged(blocks: list[_Block], agent_id: str) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for block in blocks:
        if block.agent in ("", agent_id):
            values.update(block.values)
            origin.update(dict.fromkeys(block.values, block.name))
    return values, origin


def _unknown_models(values: Mapping[str, Any], origin: Mapping[str, str]) -> list[str]:
    if all(values.get(name, OFFLINE) == OFFLINE for name in ("observer_model", "reflector_model")):
        return []
    from scrimshaw.config.check import unknown_models  # only when a model was chosen

    return unknown_models(values, origin)


def _checked(said: Mapping[str, Any], where: str, problems: list[str]) -> dict[str, Any]:
    if not said:
        return {}
    from scrimshaw.config.check import check_settings  # pydantic: only when somebody has set something

    values, found = check_settings(renamed(flattened(said)))
    problems += [f"{where}: {problem}" for problem in found]
    return values


def read_layer(path: Path, problems: list[str]) -> Layer | None:
    """Return what the file at *path* says, None without one; what is wrong with it goes to *problems*."""
    try:
        with open_regular(path) as file:  # one that never ends would keep each command waiting
            raw = file.read(_LARGEST_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        problems.append(f"{path}: cannot be read ({error.strerror})")
        return None
    if len(raw) > _LARGEST_FILE_BYTES:
        problems.append(f"{path}: larger than {_LARGEST_FILE_BYTES // 1024} KiB, which no configuration is")
        return None
    return layer_in(raw, path, problems)


def layer_in(raw: bytes, path: Path, problems: list[str]) -> Layer | None:
    """Return what *raw*, the text of the file at *path*, says."""
    import yaml  # only where there is a file

    try:
        data = yaml.safe_load(raw) or {}
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        # It quotes the line, which may hold a key that somebody has put there.
        told = getattr(error, "problem", None) or type(error).__name__
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problems.append(f"{path}: is not YAML ({' '.join(str(told).split())[:200]}{line})")
        return None
    if not isinstance(data, dict):
        problems.append(f"{path}: should hold `name: value` lines")
        return None
    agents = data.pop("agents", None) or {}
    if not isinstance(agents, dict) or not all(isinstance(value, dict) for value in agents.values()):
        problems.append(f"{path}: agents should hold one block of settings for each agent id")
        agents = {}
    return Layer(str(path), data, {str(key): value for key, value in agents.items()})


def _environment(env: Mapping[str, str], problems: list[str]) -> Layer:
    values: dict[str, Any] = {}
    for name in _NAMES:
        text = env.get(f"SCRIMSHAW_{name.upper()}")
        if text is not None:
            import yaml  # only where a variable is set

            try:
                values[name] = yaml.safe_load(text)
            except yaml.YAMLError:
                problems.append(f"environment: SCRIMSHAW_{name.upper()} is not YAML")
    return Layer("environment", values, {})
