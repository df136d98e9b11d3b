"""Since when something waits for a model, and why: notes in the ledger, so that they survive processes.

Two things wait: everything, while the model cannot be asked; and one window, whose replies could not be used
and whose owner would rather have it wait, or that the model fails over while it answers about others. Only
time in which somebody tried counts as waited, a night with the lid closed does not: between two tries at most
half of the owner's patience. So it ends after three tries at the earliest. A clock that is set back costs at
most the time since the last try.

Read by `status` and the doctor, written by services/observe/model_observer; a good `models test`
(services/models/try_model) ends one, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scrimshaw.models.model import PASSING, Failure, Trouble
from scrimshaw.store.ledger import Ledger

_NOTE = "waiting-for-model"  # the name in the meta
_MODEL = ""  # the key of what concerns every window
_MOST_KEPT = 50
_SHORTEST_PAUSE_MS, _LONGEST_PAUSE_MS = 300_000, 3_600_000


class Outage(NamedTuple):
    """A model that has failed since *since_ms*. *trouble* is models/model's; "" for replies that were bad."""

    model: str
    trouble: str
    detail: str  # for a person, a sentence
    since_ms: int
    last_ms: int
    waited_seconds: float = 0.0  # counted as the module says
    tries: int = 1

    @property
    def is_passing(self) -> bool:
        """Whether waiting may help; otherwise the rules note everything at once."""
        return not self.trouble or self.trouble in {trouble.value for trouble in PASSING}

    def is_over(self, patience_seconds: float) -> bool:
        """Whether the rules note meanwhile what waits, or waited so far."""
        return not self.is_passing or self.waited_seconds >= patience_seconds

    @property
    def not_before_ms(self) -> int:
        """When to ask again about a window whose replies were bad: after longer and longer pauses."""
        pause_ms = min(_SHORTEST_PAUSE_MS << min(self.tries - 1, 10), _LONGEST_PAUSE_MS)
        return self.last_ms + pause_ms


def outage_of(ledger: Ledger, model: str) -> Outage | None:
    """Return since when *model* cannot be asked; None while it can, as far as is known."""
    found = _stored(ledger).get(_MODEL)
    return found if found and found.model == model else None


def waiting_windows(ledger: Ledger, model: str) -> Mapping[str, Outage]:
    """Return the windows that wait because *model*'s replies were bad, by their own key."""
    found = _stored(ledger).items()
    return {key: one for key, one in found if key != _MODEL and one.model == model and not one.trouble}


def has_failed_over(ledger: Ledger, model: str, key: str) -> bool:
    """Tell whether *model* was asked about the window *key* and gave no answer, or none of use."""
    found = _stored(ledger).get(key)
    return found is not None and found.model == model and found.trouble in ("", Trouble.TIMEOUT)


def note_failure(
    ledger: Ledger,
    model: str,
    failure: Failure,
    *,
    at_ms: int,
    patience_seconds: float,
    windows: Sequence[str] = (),
) -> Outage:
    """Note that *model* could not be asked about *windows*, and return since when that is so.

    An answer about another window ends the outage, and not the waiting of these: a window that the model
    never gets done with waits no longer than any.
    """
    now = Outage(model, failure.trouble.value, failure.detail, at_ms, at_ms)
    # Nothing was sent, so this says nothing about the window.
    is_sent = failure.trouble not in (Trouble.CAP, Trouble.PAUSED)
    keys = {_MODEL, *windows} if is_sent else {_MODEL}
    with ledger.transaction():
        found = [_note(ledger, key, now, patience_seconds) for key in sorted(keys)]
    return max(found, key=lambda one: one.waited_seconds)


def note_bad_reply(
    ledger: Ledger, model: str, key: str, detail: str, *, at_ms: int, patience_seconds: float
) -> Outage:
    """Note that the window *key* waits, and return since when."""
    return _note(ledger, key, Outage(model, "", detail, at_ms, at_ms), patience_seconds)


def note_answer(ledger: Ledger) -> None:
    """Note that the model answers."""
    note_done(ledger, _MODEL)


def note_done(ledger: Ledger, key: str) -> None:
    """Note that the window *key* waits no longer."""
    if key not in _stored(ledger):
        return
    with ledger.transaction():
        stored = _stored(ledger)
        stored.pop(key, None)
        _write(ledger, stored)


def _note(ledger: Ledger, key: str, now: Outage, patience_seconds: float) -> Outage:
    with ledger.transaction():
        stored = _stored(ledger)
        before = stored.pop(key, None)
        if before is not None and before.model == now.model:
            gap = max(0.0, (now.last_ms - before.last_ms) / 1000)
            trouble, detail = now.trouble, now.detail
            if trouble == Trouble.PAUSED and before.trouble != Trouble.CAP:
                # "Paused" is not a reason: keep the failure that came before it.
                trouble, detail = before.trouble, before.detail
            now = now._replace(
                trouble=trouble,
                detail=detail,
                since_ms=min(before.since_ms, now.since_ms),
                waited_seconds=before.waited_seconds + min(gap, patience_seconds / 2),
                tries=before.tries + 1,
            )
        stored[key] = now
        _write(ledger, stored)
    return now


def _stored(ledger: Ledger) -> dict[str, Outage]:
    try:
        told = json.loads(ledger.meta().get(_NOTE, "{}"))
        return {key: Outage(**one) for key, one in told.items()}
    except (ValueError, TypeError, AttributeError):
        return {}  # written by another version: the next failure tells anew


def _write(ledger: Ledger, stored: Mapping[str, Outage]) -> None:
    newest = sorted(stored.items(), key=lambda item: (item[0] == _MODEL, item[1].last_ms))[-_MOST_KEPT:]
    ledger.set_meta(_NOTE, json.dumps({key: one._asdict() for key, one in newest}))
