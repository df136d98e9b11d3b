"""Where the breakers of models stand: in the ledger's meta, so that they hold across processes.

A model is known by a digest of its name, place, endpoint and key, keyed with the ledger's own secret and cut
short: neither a key nor a hash that could be tried stands here. Who looks and who notes does it in one
transaction, so that of several processes one makes the try.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b

from scrimshaw.models.keys import Key
from scrimshaw.models.model import Answer, Failure, Model, Trouble
from scrimshaw.models.retry import Breaker, breaker_after, probing
from scrimshaw.redaction import redact
from scrimshaw.store.ledger import Ledger

PAUSES = "breakers"  # the name in the meta; "{}" there ends every pause
_MOST_KEPT = 8
_MOST_DETAIL_CHARS = 300


class Pauses:
    """The breaker of one model in one ledger."""

    def __init__(self, ledger: Ledger, model: Model, endpoint: str = "") -> None:
        self._ledger, self._name = ledger, model.name
        self._id = _identity(ledger, model, endpoint)

    def begin(self, now_ms: int, *, probe_seconds: float) -> Breaker | None:
        """Return what stands before a question; one that may be asked again is claimed for *probe_seconds*.

        The caller is kept out when the answer's `left_seconds` is above 0, and makes one try when it is open.
        """
        with self._ledger.transaction():
            breakers = self._read()
            found = breakers.get(self._id)
            if found is not None and found.is_open and not found.left_seconds(now_ms):
                self._write({**breakers, self._id: probing(found, now_ms, probe_seconds)})
            return found

    def note(self, said: Answer | Failure, now_ms: int) -> None:
        """Note what a try came to."""
        with self._ledger.transaction():
            breakers = self._read()
            # Failures recorded for this name with another key or address no longer count.
            kept = {key: one for key, one in breakers.items() if one.name != self._name}
            if isinstance(said, Failure):
                safe = said._replace(detail=redact(said.detail).text[:_MOST_DETAIL_CHARS])
                now = breaker_after(safe, breakers.get(self._id), self._name, now_ms)
                kept |= {self._id: now} if now else {}
            if kept != breakers:
                self._write(kept)

    def _read(self) -> dict[str, Breaker]:
        return _stored(self._ledger.meta())

    def _write(self, breakers: Mapping[str, Breaker]) -> None:
        newest = sorted(breakers.items(), key=lambda item: item[1].at_ms)[-_MOST_KEPT:]
        self._ledger.set_meta(PAUSES, json.dumps({key: one._asdict() for key, one in newest}))


def pause_of(ledger: Ledger, name: str, now_ms: int) -> Breaker | None:
    """Return why the model *name* is let alone at this moment, and until when; None when it is not."""
    found = [one for one in _stored(ledger.meta()).values() if one.name == name and one.left_seconds(now_ms)]
    return max(found, key=lambda one: one.at_ms, default=None)


def _stored(meta: Mapping[str, str]) -> dict[str, Breaker]:
    try:
        told = json.loads(meta.get(PAUSES, "{}"))
        return {key: Breaker(**{**one, "trouble": Trouble(one["trouble"])}) for key, one in told.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}  # written by another version: the next failures tell anew


def _identity(ledger: Ledger, model: Model, endpoint: str) -> str:
    secret = bytes.fromhex(ledger.meta().get("hash-key", ""))
    key: Key | None = getattr(model, "key", None)  # one on this machine takes none
    told = "\0".join((model.name, model.place, endpoint, key.reveal() if key is not None else ""))
    return blake2b(told.encode(), key=secret, digest_size=8).hexdigest()
