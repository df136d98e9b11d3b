"""What the section was last made from, and what has been observed since: the ledger's notes on publishing.

With them a look can tell whether there is anything to write without folding, a fold that changed no byte or
was refused is not made again until something changed, and an end that was observed is not forgotten before
MEMORY.md was written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from scrimshaw.files import changed_ns
from scrimshaw.host.provenance import Provenance
from scrimshaw.services.publish import memory_file
from scrimshaw.services.publish.result import REFUSED, Published, PublishOutcome
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

_FOLDED, _RESULT, _UNWRITTEN, _ENDED = "folded", "section-result", "unwritten", "ended"
_HALF_LIFE = "half-life"


def is_folded(target: Target, ledger: Ledger) -> bool:
    """Tell whether the section says what the ledger says where it belongs, and nobody touched its files."""
    return ledger.meta().get(_FOLDED) == _stamp(target, ledger, memory_file.memory_record(target))


def note_folded(target: Target, ledger: Ledger, done: Published) -> None:
    """Note that the section was made from the ledger as it is now, and what came of it."""
    stamp = _stamp(target, ledger, done.provenance)
    if memory_file.read_text(done.path)[1] != done.after:
        return  # somebody wrote in it since: that is news
    _note(ledger, {_FOLDED: stamp, _RESULT: done.result.value, _UNWRITTEN: "[]", _ENDED: "[]"})
    _note(ledger, {_HALF_LIFE: str(target.config.settings.ttl_days)})


def is_ranked_alike(target: Target, ledger: Ledger) -> bool:
    """Tell whether the section was made with the half-life that is configured now."""
    return ledger.meta().get(_HALF_LIFE) == str(target.config.settings.ttl_days)


def refusal(target: Target, ledger: Ledger) -> PublishOutcome | None:
    """Return why the section was not written, while the files are as they were then."""
    notes = ledger.meta()
    stamp = notes.get(_FOLDED, "").split(" ")[1:]
    now = _stamp(target, ledger, memory_file.memory_record(target)).split(" ")[1:]
    result = notes.get(_RESULT, "")
    return PublishOutcome(result) if stamp == now and result in REFUSED else None


def note_observed(ledger: Ledger, session_ids: Iterable[str]) -> None:
    """Note that something of these sessions was observed, and is not in the section yet."""
    _note(ledger, {_UNWRITTEN: json.dumps(sorted({*unwritten(ledger), *session_ids}))})


def unwritten(ledger: Ledger) -> frozenset[str]:
    """Return the sessions of which something was observed since the section was made."""
    return frozenset(json.loads(ledger.meta().get(_UNWRITTEN, "[]")))


def note_ended(ledger: Ledger, session_ids: Iterable[str]) -> None:
    """Note that an end of these sessions was observed."""
    _note(ledger, {_ENDED: json.dumps(sorted({*ended(ledger), *session_ids}))})


def ended(ledger: Ledger) -> frozenset[str]:
    """Return the sessions of which an end was observed since the section was made."""
    return frozenset(json.loads(ledger.meta().get(_ENDED, "[]")))


def touched_at_ms(target: Target) -> int:
    """Return when a file that may hold the section was last changed, in UTC milliseconds; 0 without one."""
    return max(changed_ns(path) for path in _files(target)) // 1_000_000


def _note(ledger: Ledger, wanted: dict[str, str]) -> None:
    notes = ledger.meta()
    news = {key: value for key, value in wanted.items() if notes.get(key, "") != value}
    if news:
        with ledger.transaction():
            for key, value in news.items():
                ledger.set_meta(key, value)


def _stamp(target: Target, ledger: Ledger, record: Provenance) -> str:
    """Return what the section depends on: ledger, room, zone and its file, then (refusal) the files' state.

    Which file it is hangs on the host's record alone, so that changes without a word having been said.
    """
    document = memory_file.read_document(target, ledger, target.layout.memory)[1]
    room = memory_file.section_budget(target, document).body_units
    place = "aside" if memory_file.is_kept_aside(target, record) else "memory"
    depends = f"{ledger.version()}/{room}/{target.zone}/{place}"
    return " ".join([depends, *(str(changed_ns(path)) for path in _files(target))])


def _files(target: Target) -> tuple[Path, ...]:
    return target.layout.memory, target.layout.aside
