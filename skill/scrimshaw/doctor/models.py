"""The models that were chosen: could they be asked, by whom, at what risk, and what waits for them?

Nothing is sent and no client library is loaded. That the rules step in is no reason to be silent: the owner
chose something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import Settings
from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, note, ok, warning
from scrimshaw.doctor.keeping import cron_of
from scrimshaw.doctor.sight import Unseen, WorkspaceSight, tried
from scrimshaw.host import service
from scrimshaw.models.model import Failure, Trouble
from scrimshaw.models.presets import PRESETS
from scrimshaw.models.retry import Breaker
from scrimshaw.models.wire import host_of, is_this_machine
from scrimshaw.services.models.breakers import pause_of
from scrimshaw.services.models.outages import Outage, outage_of, waiting_windows
from scrimshaw.services.models.spending import HeldBack, standing_of
from scrimshaw.services.status.durations import span
from scrimshaw.setup.choosing import models_of, opened, price_for, service_problem
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target

_TOPIC = "model"


class _Past(NamedTuple):
    """What the ledger knows of a model."""

    pause: Breaker | None
    outage: Outage | None
    windows: int  # that wait because its replies could not be used
    held: tuple[HeldBack, ...]


def check_models(sight: WorkspaceSight, env: Mapping[str, str]) -> Iterator[Finding]:
    """Judge the models of a workspace that is set up."""
    if not sight.is_set_up:
        return
    names = models_of(sight.target.config.settings)
    if not names:
        yield ok(_TOPIC, "offline: the rules write the notes, and nothing is sent anywhere")
    for name in names:
        bad = [*_reach(sight, name, env), *_way(sight.target, name), *_history(sight, name)]
        if all(finding.severity <= note("", "").severity for finding in bad):
            yield _well(sight.target, name, env)
        yield from bad
    if names and (problem := service_problem(sight.target, env)):
        yield warning(
            _TOPIC,
            f"{problem}, and {', '.join(names)} needs it: what the daemon sees, the rules note.",
            "scrimshaw service install, with the options of then",
        )


def _well(target: Target, name: str, env: Mapping[str, str]) -> Finding:
    model = opened(target, name, env)
    place = "" if isinstance(model, Failure) else f"; text goes to {model.place}"
    return ok(_TOPIC, f"{name} writes {_work(target.config.settings, name)}{place}")


def _work(settings: Settings, name: str) -> str:
    if settings.observer_model != name:
        return "no notes, but goes over them"
    return "the notes" + (" and goes over them" if settings.reflector_model == name else "")


def _reach(sight: WorkspaceSight, name: str, env: Mapping[str, str]) -> Iterator[Finding]:
    """Say why the model cannot be asked from here, or not by what works in the background."""
    model = opened(sight.target, name, env)
    if isinstance(model, Failure):
        yield _closed(name, model)
        return
    # What a service, a hook or a cron job has: none of this shell's keys.
    background = {"HOME": env.get("HOME", ""), **service.environment(env)}
    if not isinstance(alone := opened(sight.target, name, background), Failure):
        return
    what, _, step = alone.detail.partition(" Next: ")
    job = cron_of(sight.host)
    has_service = not sight.host.is_none and tried(lambda: service.read(service.unit_path(env))) is not None
    is_kept = has_service or (job is not None and job.is_at_work)
    others = "a service or a cron job" if sight.host.is_none else "a service, a hook or a cron job"
    told = f"{name} can be asked from this shell, but not by {others}: {what}"
    if alone.trouble is not Trouble.KEY:
        return  # a program on this shell's PATH, say: what a service has for a PATH is not known here
    yield (warning if is_kept else note)(_TOPIC, told, *filter(None, [step]))


def _closed(name: str, failure: Failure) -> Finding:
    what, _, step = failure.detail.partition(" Next: ")
    meanwhile = "Until then the rules write the notes."
    return warning(_TOPIC, f"{name} cannot be asked: {what} {meanwhile}", *filter(None, [step]))


def _way(target: Target, name: str) -> Iterator[Finding]:
    """Judge the way there: unencrypted to another machine, and a price that no cap can hold."""
    settings = target.config.settings
    url = _url(settings, name)
    if url.lower().startswith("http:") and not is_this_machine(url):
        yield warning(
            _TOPIC,
            f"{name}: what was said goes to {host_of(url)} unencrypted; whoever is on the way can read it.",
            "let the server speak https, or reach it through a tunnel (ssh -L) as http://127.0.0.1",
        )
    has_cap = settings.max_cost_per_day or settings.max_cost_per_month
    if has_cap and price_for(target, name) is None:
        bound = settings.max_tokens_per_day or settings.max_tokens_per_month
        told = "only the token limits apply" if bound else "no limit applies"
        make = note if bound else warning
        yield make(
            _TOPIC,
            f"{name}: its price is not known, so the limits in dollars do not count it; {told}.",
            f"name its price: prices: {{{name}: [IN, OUT]}}, in dollars for a million tokens",
        )


def _url(settings: Settings, name: str) -> str:
    provider = name.partition("/")[0]
    if provider in settings.endpoints:
        return settings.endpoints[provider].base_url
    return PRESETS[provider].base_url if provider in PRESETS else ""


def _history(sight: WorkspaceSight, name: str) -> Iterator[Finding]:
    past = tried(lambda: _past(sight.target, name, sight.moment))
    if isinstance(past, Unseen):
        return  # the ledger's own check says it
    now_ms = milliseconds(sight.moment)
    left = past.pause.left_seconds(now_ms) if past.pause else 0
    pause = f" It is paused for another {span(left)}." if left else ""
    # A cap has a finding of its own, which says more.
    if past.outage is not None and not past.held:
        out = past.outage
        meanwhile = "waits for it" if out.is_passing else "is noted by the rules"
        yield warning(
            _TOPIC,
            f"{name} could not be asked for {_since(out.since_ms, now_ms)}: what is said {meanwhile}.{pause} "
            f"Last: {out.detail}",
            "once the cause is gone, do not wait: scrimshaw models test, then scrimshaw observe",
        )
    elif past.pause is not None and left:
        yield warning(
            _TOPIC,
            f"{name} has failed {_times(past.pause.failures)}, the first time "
            f"{_since(past.pause.since_ms, now_ms)} ago.{pause} Last: {past.pause.detail}",
            "once the cause is gone, do not wait: scrimshaw models test, then scrimshaw observe",
        )
    if past.windows:
        pieces = counted(past.windows, "piece of conversation waits", "pieces of conversation wait")
        yield note(_TOPIC, f"{name}: {pieces} for an answer that can be used.")
    for held in past.held:
        yield warning(
            _TOPIC,
            f"{name}: {held.refusal}. Nothing is sent {_until(held)}; {held.job} has waited for "
            f"{_since(held.since_ms, now_ms)}.",
            "scrimshaw spend shows for what; raise the cap in the configuration, or wait",
        )


def _until(held: HeldBack) -> str:
    raised = "until the cap is raised"
    return f"until {held.resumes_at:%Y-%m-%d %H:%M}, or {raised}" if held.resumes_at else raised


def _since(at_ms: int, now_ms: int) -> str:
    return span(max(0, now_ms - at_ms) / 1000)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _past(target: Target, name: str, moment: datetime) -> _Past:
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return _Past(
            pause_of(ledger, name, milliseconds(moment)),
            outage_of(ledger, name),
            len(waiting_windows(ledger, name)),
            tuple(held for held in standing_of(target, ledger, moment).held if held.model == name),
        )
