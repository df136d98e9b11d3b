"""Watch a memory in the daemon's idle time, and notify its owner when a threshold is crossed.

An alert is shown by `status`, `doctor` and the log; a new one is also passed to the owner's command on
standard input, and to a web hook as the body of a POST. Both get counts and ids, never text; both have a time
limit, and their failure is logged and changes nothing. Only the owner's own file can name them.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.insight.calendar import day_of
from scrimshaw.core.insight.health import health_of
from scrimshaw.errors import UserError
from scrimshaw.services.insight.conflicts import conflicts_in
from scrimshaw.services.insight.health import look_around
from scrimshaw.services.insight.remembered import Alert, RememberedConflicts, alerts_of, remember, remembered
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

_TOLD = "alerts-told"  # the ledger's note of the alerts that were sent
_LOOKED = "insight-looked"  # the ledger's note of the time of the last look
_LEAST_MS = 10 * 60 * 1000  # between two looks, milliseconds
_SECONDS = 10.0  # time limit of a command or a web hook
_MOST_IDS = 20


def keep_watch(target: Target, now: datetime) -> tuple[Alert, ...]:
    """Look for conflicts and score the memory when it is due; send new alerts; return all."""
    with open_ledger(target.layout.ledger, create=False) as ledger:
        if _is_due(ledger, now, target.zone):
            found = conflicts_in(target, ledger, apart=True)
            around = look_around(target, ledger, now, found, os.environ)
            remember(ledger, found, health_of(ledger.live_lines(), around, milliseconds(now)).score)
            ledger.insight.note_look(day_of(milliseconds(now), target.zone).isoformat(), around.look())
            ledger.set_meta(_LOOKED, str(milliseconds(now)))
        known = remembered(ledger)
        alerts = alerts_of(target.config.settings, known)
        names = ",".join(alert.name for alert in alerts)
        before = ledger.meta().get(_TOLD, "")
        if names != before:
            ledger.set_meta(_TOLD, names)  # first, so that it is sent at most once
    fresh = [alert for alert in alerts if alert.name not in before.split(",")]
    if fresh and known:
        tell(target, fresh, known)
    return alerts


def tell(target: Target, alerts: Sequence[Alert], known: RememberedConflicts) -> None:
    """Send *alerts* to the log, the owner's command and the owner's web hook; nothing is raised."""
    settings = target.config.settings
    body = json.dumps(_body(target, alerts, known)).encode()
    for alert in alerts:
        log.warning("job=watch agent=%s alert=%s", target.agent_id, alert)
    if settings.alert_command:
        try:
            subprocess.run(
                list(settings.alert_command),
                input=body,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=True,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            log.warning("job=watch agent=%s alert_command failed: %s", target.agent_id, type(error).__name__)
    if settings.alert_webhook:
        _post(target, settings.alert_webhook, body)


def _body(target: Target, alerts: Sequence[Alert], known: RememberedConflicts) -> dict[str, Any]:
    return {
        "agent": target.agent_id,
        "alerts": [alert._asdict() for alert in alerts],
        "conflicts": known.conflict_count,
        "standing_conflicts": known.standing,
        "health": known.score,
        "ids": [list(pair) for pair in known.pairs[:_MOST_IDS]],
    }


def _post(target: Target, address: str, body: bytes) -> None:
    """Send *body* to that address only: a redirect is treated as a failure."""
    import urllib.request  # loading it takes 20 ms

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            """Follow none."""

    if not address.startswith(("https://", "http://")):
        log.warning("job=watch agent=%s alert_webhook is no web address", target.agent_id)
        return
    try:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(address, data=body, headers=headers, method="POST")  # noqa: S310
        with urllib.request.build_opener(NoRedirects).open(request, timeout=_SECONDS) as answer:
            answer.read(1)
    except (OSError, ValueError) as error:
        # Without the address, which may hold a key.
        log.warning("job=watch agent=%s alert_webhook failed: %s", target.agent_id, type(error).__name__)


def _is_due(ledger: Ledger, now: datetime, zone: str) -> bool:
    """Tell whether to look: the ledger has grown for a while, or this day has not been looked at yet."""
    now_ms = milliseconds(now)
    known = remembered(ledger)
    if known is None or known.score is None:
        return True
    try:
        looked_ms = int(ledger.meta().get(_LOOKED, "0"))
    except ValueError:
        looked_ms = 0
    if day_of(looked_ms, zone) != day_of(now_ms, zone):
        return True
    return known.version != ledger.version() and not looked_ms <= now_ms < looked_ms + _LEAST_MS


def problem_of_watch(target: Target, now: datetime) -> tuple[str, ...]:
    """Watch the memory for the daemon; return the reasons for a failure, in sentences."""
    try:
        keep_watch(target, now)
    except UserError as error:
        return tuple(error.problems)
    return ()
