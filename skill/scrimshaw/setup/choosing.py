"""Choose a model: write it to the settings, and check what is in force afterwards.

The choice is the consent (rule 25): a caller must have been told by a person which model to use. Nothing is
sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from scrimshaw.config import DEFAULT, OFFLINE, Config, Settings, load, write
from scrimshaw.errors import UserError, usage_error
from scrimshaw.host import service
from scrimshaw.host.unit import reach_in
from scrimshaw.models import keys
from scrimshaw.models.model import Failure, Model, ModelOffer
from scrimshaw.models.prices import price_of
from scrimshaw.services.models.client import choice_of
from scrimshaw.setup.serving import is_within, reach_for
from scrimshaw.workspace import Target

SETTINGS = ("observer_model", "reflector_model")


class ChosenModel(NamedTuple):
    """What was written, and what is in force now."""

    target: Target  # with the settings as they are in force now
    written: write.Written
    overruled: str  # which setting overrides the choice; "" when none does
    is_ready: bool = False  # the model can be opened


def refuse_unknown(target: Target, name: str) -> None:
    """Raise UserError when *name* is no model for *target*; nothing is written or sent."""
    from scrimshaw.config.check import why_unknown  # pydantic: only where a model is chosen

    if problem := why_unknown(name, target.config.settings.endpoints):
        raise usage_error(
            f"Nothing was changed or sent: {problem}", next_step="see what there is: scrimshaw models"
        )


def is_chosen(config: Config) -> bool:
    """Tell whether somebody has chosen who writes the notes, even if it is the rules."""
    return config.origin["observer_model"] != DEFAULT


def choose(target: Target, name: str, env: Mapping[str, str]) -> ChosenModel:
    """Let the model *name* observe and reflect for *target* from now on.

    A reflector that the owner has chosen separately stays.
    """
    refuse_unknown(target, name)
    settings = target.config.settings
    follows = settings.reflector_model in (OFFLINE, settings.observer_model)
    wanted = dict.fromkeys(SETTINGS if follows else SETTINGS[:1], name)
    written = write.put(target.layout.workspace, target.agent_id, wanted)
    config = load(target.layout.workspace, target.agent_id, env)
    overruled = next(
        (
            f"{config.origin[setting]} says {setting}: {getattr(config.settings, setting)}, and that wins"
            for setting in wanted
            if getattr(config.settings, setting) != name
        ),
        "",
    )
    return ChosenModel(target._replace(config=config), written, overruled)


def models_of(settings: Settings) -> list[str]:
    """Return the models that are chosen, each once."""
    chosen = dict.fromkeys(getattr(settings, setting) for setting in SETTINGS)
    return [name for name in chosen if name != OFFLINE]


def offers(target: Target, env: Mapping[str, str]) -> list[ModelOffer]:
    """Return the models that could be used for *target* on this machine."""
    from scrimshaw.models.finding import available

    return available(env, endpoints=target.config.settings.endpoints)


def opened(target: Target, name: str, env: Mapping[str, str]) -> Model | Failure:
    """Return the model *name*, ready to be asked for *target*, or why it cannot be asked."""
    from scrimshaw.models.opening import opener

    return opener(env)(choice_of(target, name))


def keys_place(env: Mapping[str, str]) -> tuple[Path, str]:
    """Return the file for keys, and why it is not read (others can read it); "" when it may be."""
    refused = keys.find_key(("NO_SUCH_KEY",), env, is_needed=False)
    return keys.keys_file(env), refused.detail if isinstance(refused, Failure) else ""


def price_for(target: Target, name: str) -> tuple[float, float] | None:
    """Return the price in dollars for a million tokens, in and out; None when unknown."""
    settings = target.config.settings
    return price_of(name, "", settings.prices, endpoints=settings.endpoints)


def service_problem(target: Target, env: Mapping[str, str]) -> str:
    """Return why the installed service cannot reach *target*'s models; "" when it can, or is not to."""
    if target.is_in_home:
        return ""
    try:
        text = service.read(service.unit_path(env))
    except UserError:
        return ""  # somebody else's unit: `service status` says so
    needed = reach_for(target)
    if text is None or is_within(needed, reach_in(text)):
        return ""
    if needed == "openclaw" and reach_in(text) == "network":
        return "the installed service may not start openclaw"
    return "the installed service has no network"
