"""What is kept: is the ledger sound and done with, are the archives as they were left, how far is search?

Also whether a line stands there that would be refused today: an earlier version took others' words for the
person's, or did not see a secret. And what the daemon found of what the memory knows, where the owner wants
to be told. Names lines by their ids and days, never their words: an examination is shown around.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, Mend, error, note, ok, warning
from scrimshaw.doctor.sight import LARGEST_CHECKED_BYTES, LedgerSight, Unseen, WorkspaceSight
from scrimshaw.index import embedding, reading
from scrimshaw.index.embedding import Asked
from scrimshaw.resources import adding
from scrimshaw.services.edit.recheck import Rechecked
from scrimshaw.services.insight.remembered import alerts_of, remembered
from scrimshaw.services.observe.by_meaning import is_wanted
from scrimshaw.services.search import index
from scrimshaw.services.search.chosen import lines_model, stand_in
from scrimshaw.services.status.status import kept_by_uninstall
from scrimshaw.store.database import recovering
from scrimshaw.store.ledger import open_ledger

_TOPIC = "ledger"
_WORKING = "working layer"


def check_ledger(sight: WorkspaceSight) -> Iterator[Finding]:
    path = sight.target.layout.ledger
    if not sight.is_set_up:
        yield _missing(sight)
    elif isinstance(sight.ledger, Unseen):
        yield error(_TOPIC, sight.ledger.what, *sight.ledger.next_step)
    elif sight.ledger is not None:
        bad = list(_faults(sight.ledger, str(path)))
        counts = sight.ledger.counts
        size = _how_far(sight.ledger.is_checked)
        if not bad:
            yield ok(
                _TOPIC,
                f"sound{size}: {counted(counts.observations, 'observation')}, {counts.live:,} in force, "
                f"{counts.shown:,} shown",
            )
        yield from bad


def _how_far(is_checked: bool) -> str:
    return "" if is_checked else f" (over {LARGEST_CHECKED_BYTES >> 20} MiB: not checked here)"


def check_working(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the working layer, where a program has handed in something."""
    path, found = sight.target.layout.working, sight.working
    if isinstance(found, Unseen):
        yield warning(_WORKING, found.what, *found.next_step)
    elif found is not None and found.damage:
        yield error(
            _WORKING,
            f"{path}: the working layer is damaged ({'; '.join(found.damage[:3])}): no program can store or "
            "search here. The ledger is a file of its own.",
            f"end what has it open, then: mv {path} {path}.damaged",
            "what was not consolidated yet is in it alone: keep it",
        )
    elif found is not None:
        yield ok(_WORKING, f"sound{_how_far(found.is_checked)}")


def _missing(sight: WorkspaceSight) -> Finding:
    layout = sight.target.layout
    if kept := kept_by_uninstall(sight.target):
        return note(
            _TOPIC,
            f"scrimshaw was uninstalled here and the memory kept, in {kept}; nothing is observed or served.",
            "to go on with it: scrimshaw install",
            "to take it away: scrimshaw uninstall --data delete",
        )
    if os.path.lexists(layout.dated) or (
        not isinstance(sight.section, Unseen) and sight.section.state in ("in place", "still in MEMORY.md")
    ):
        return warning(
            _TOPIC,
            f"{layout.ledger} is not there, but the workspace holds a section or dated files of ours: was "
            f"{layout.state} wiped (git clean)? Nothing is written before it is set up again; the lines of "
            "the section are taken over then, and what conversations there are is read again.",
            "scrimshaw init",
        )
    step = "scrimshaw install" if sight.host.receipt else "scrimshaw init"
    return note(_TOPIC, "this workspace is not set up: nothing is observed or written here.", step)


def _faults(ledger: LedgerSight, path: str) -> Iterator[Finding]:
    if ledger.damage:
        yield error(
            _TOPIC,
            f"{path}: the ledger is damaged ({'; '.join(ledger.damage[:3])}). MEMORY.md and the dated "
            "files are whole.",
            "stop the daemon, so that it is not written any more: scrimshaw service status",
            recovering(path),
        )
    owed = ledger.counts.pending_outbox.get("dated", 0)
    if owed:
        yield warning(
            _TOPIC,
            f"{counted(owed, 'note or mark is', 'notes or marks are')} in the ledger and not yet in the "
            "dated files: a run was ended in between.",
            mend=Mend.ARCHIVE,
        )
    for place in ledger.open_places:
        yield note(
            _TOPIC,
            f"a run was cut off while it wrote {place}; the next run looks at the file and settles it.",
            mend=Mend.INTENT,
        )


_ARCHIVES = "archives"
_MANY_EVENTS = 5_000  # more than a daemon lets wait


def check_archives(sight: WorkspaceSight) -> Iterator[Finding]:
    if not isinstance(sight.ledger, LedgerSight):
        return
    found = sight.ledger.archives
    waiting = counted(found.waiting_events, "event waits", "events wait")
    for text in found.problems:
        yield warning(_ARCHIVES, text, "scrimshaw archive")
    if not found.is_installed:
        yield note(
            _ARCHIVES,
            f"memvid-sdk is not installed: no `.mv2` file is written ({waiting}). "
            "The ledger and the dated files hold everything.",
            adding("archives", has_host=not sight.host.is_none),
        )
    elif found.waiting_events > _MANY_EVENTS:
        yield warning(
            _ARCHIVES,
            f"{counted(found.waiting_events, 'event is', 'events are')} not archived yet.",
            "scrimshaw archive (it says what is in the way); or let a daemon do it: scrimshaw run",
        )
    elif not (found.problems or found.set_aside):
        yield ok(
            _ARCHIVES,
            f"{counted(len(found.files), 'file')}, {counted(found.observations, 'observation')}, as they "
            f"were left; {waiting}",
        )
    for path in found.set_aside:
        yield note(
            _ARCHIVES,
            f"{path} was set aside: it was damaged, written to by another program, or there before this "
            "ledger.",
            f"scrimshaw import {path}, or remove it",
        )


_NOTED = "noted before"
_MOST_NAMED = 12


def check_noted(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the lines in the ledger by what is refused now."""
    found = sight.rechecked
    if found is None:
        return
    if isinstance(found, Unseen):
        yield note(_NOTED, found.what, *found.next_step)
    elif not found.doubted:
        yield ok(_NOTED, f"{counted(found.looked, 'line')} would be noted today, too{_left(found)}")
    else:
        size = len(found.doubted)
        named = ", ".join(f"{one.id} ({one.day})" for one in found.doubted[:_MOST_NAMED])
        more = f" and {size - _MOST_NAMED:,} more" if size > _MOST_NAMED else ""
        reasons = ", ".join(
            f"{many:,} because {why}"
            for why, many in Counter(one.doubt for one in found.doubted).most_common()
        )
        yield warning(
            _NOTED,
            f"{counted(size, 'line')} would be refused today ({reasons}): {named}{more}. Nothing was changed"
            f"{_left(found)}.",
            "see them, with what can be done about each: scrimshaw review",
            "take one out of everything: scrimshaw forget ID",
            "keep one as your own, and it is not named again: scrimshaw pin ID",
        )


def _left(found: Rechecked) -> str:
    return f" ({found.left:,} more were not looked at)" if found.left else ""


_SEARCH = "search"
_MANY = 1_000  # more lines without a vector than a daemon lets wait


def check_search(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge how a workspace can be searched; loads no model, asks a server of the owner's own."""
    if not isinstance(sight.ledger, LedgerSight):
        return
    settings, layout = sight.target.config.settings, sight.target.layout
    if is_wanted(settings) and (lacks := reading.lacking()):
        yield note(
            "rules",
            f"What is in doubt is weighed by words alone. {'; '.join(map(': '.join, lacks.items()))}.",
            adding("semantic", has_host=not sight.host.is_none),
        )
    asked = lines_model(settings)
    if why := index.why_no_vectors(settings):
        if asked.model == embedding.OFF:
            yield ok(_SEARCH, "by words alone, as the configuration says")
        elif asked == (embedding.AUTO, None, ""):
            yield note(
                _SEARCH,
                f"By words alone: {why}. With one, what was said in other words is found, too.",
                adding("semantic", has_host=not sight.host.is_none),
            )
        else:
            yield warning(
                _SEARCH, f"By words alone: {why}.", "mend embeddings_folder, or set embeddings: auto"
            )
        return
    away = embedding.why_away(asked.model, asked.url)
    if away:
        other = stand_in(settings, asked)
        served = "words alone" if other is None else f"words, and by meaning with {_named(other)} instead"
        yield warning(
            _SEARCH,
            f"{asked.model} gives no vectors now ({away}): search is by {served}.",
            "start Ollama, and fetch the model once: ollama pull "
            f"{asked.model.partition('/')[2]}; or set embeddings: auto",
        )
        if other is None:
            return
        asked = other
    place, made = index.progress(layout, asked)
    model = place if asked.model == embedding.AUTO else asked.model
    waiting = max(0, sight.ledger.counts.observations - made)
    if waiting > _MANY:
        yield note(
            _SEARCH,
            f"{counted(waiting, 'line is', 'lines are')} found by words alone so far: no vector of {model} "
            "yet.",
            "scrimshaw reindex --keep-vectors; or let a daemon do it: scrimshaw run",
        )
    elif not away:
        why = index.why_not_beside() if asked == (embedding.AUTO, None, "") else ""
        others = f"; what is not in English by words alone: {why}" if why else ""
        yield ok(_SEARCH, f"by words and by meaning ({model}), {counted(made, 'line')} so far{others}")


def _named(asked: Asked) -> str:
    return asked.folder.name if asked.folder else embedding.BUNDLED


def check_knowledge(sight: WorkspaceSight) -> Iterator[Finding]:
    """Tell which of the owner's thresholds are crossed; nothing where nobody has looked yet."""
    if sight.ledger is None or isinstance(sight.ledger, Unseen):
        return
    with open_ledger(sight.target.layout.ledger, create=False, read_only=True) as ledger:
        known = remembered(ledger)
    if known is None:
        return
    alerts = alerts_of(sight.target.config.settings, known)
    for alert in alerts:
        what, _, step = str(alert).rpartition(": ")
        yield warning("knowledge", f"{what}.", step)
    if not alerts:
        told = f"health {known.score} of 100, {known.conflict_count} conflicts, as last looked"
        yield ok("knowledge", told)
