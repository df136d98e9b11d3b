"""Going on with a forgetting that was begun, until nothing of ours holds the words any more (rule 21).

Called under the write lock by `forget` itself, and by whatever is about to take or write the section: after
a kill MEMORY.md may hold what the ledger has closed, and would be taken for something that a person added.
Each step may be repeated. The ledger's note says which ones are left.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from scrimshaw.clock import milliseconds
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.archive import write
from scrimshaw.services.archive.scratch import SCRATCH
from scrimshaw.services.conversations.forget import blank_conversations
from scrimshaw.services.edit import forget_files
from scrimshaw.services.publish.memory_file import place_of
from scrimshaw.services.search import index
from scrimshaw.services.working.forgetting import forget_moves
from scrimshaw.store.forgetting import Stage
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 15.0
_LITTLE_SECONDS = 0.5


def go_on(
    target: Target, ledger: Ledger, now: datetime, patience_seconds: float | None = None
) -> tuple[str, ...]:
    """Do what is left of a forgetting; return the files that were cleaned. Only under the write lock.

    Raises UserError when something cannot be cleaned now: then the rest waits, and is done by the next call.
    """
    patience_seconds = _PATIENCE_SECONDS if patience_seconds is None else patience_seconds
    places: list[str] = []
    if ledger.forgetting.stage() is Stage.FILES:
        gone = ledger.forgetting.unblanked()
        places += forget_files.blank_files(target, gone)
        places += blank_conversations(target, ledger, gone, now)
        forget_moves(target, (), [one.id for one in gone])
        ledger.forgetting.blank(milliseconds(now))
    if ledger.forgetting.stage() is Stage.SPACE:
        places += _derived(target, ledger, now, patience_seconds)
        if not ledger.forgetting.reclaim(patience_seconds):
            raise UserError(
                f"{ledger.path}: it is forgotten, but another program keeps reading the ledger as it was, so "
                "its log cannot be emptied yet.",
                next_step="end what reads it (a daemon: scrimshaw service stop), then run any command again",
                exit_code=Exit.LOCKED,
            )
        ledger.forgetting.finish()
    return tuple(places)


def go_on_if_free(target: Target, ledger: Ledger, now: datetime) -> None:
    """Do what is left of a forgetting before the section is taken or written.

    The files must be clean by then: raises as `go_on` does. The rest (archives, index, free pages) waits for
    the next time where somebody is in the way: a section that cannot be written helps nobody.
    """
    try:
        go_on(target, ledger, now, _LITTLE_SECONDS)
    except UserError as error:
        if ledger.forgetting.stage() is Stage.FILES:
            raise
        log.warning("job=forget agent=%s left=%r", target.agent_id, " ".join(error.problems))


def _derived(target: Target, ledger: Ledger, now: datetime, patience_seconds: float) -> list[str]:
    """Take away what is made from the ledger and may hold the words; it is made anew without them."""
    layout = target.layout
    # A rehearsal that was killed has left a copy of the ledger; an export or import, whole archives.
    rehearsed = Path(tempfile.gettempdir()).glob(f"{layout.rehearsal_prefix}*")
    for folder in (*layout.state.glob(f"{SCRATCH}*"), *rehearsed):
        shutil.rmtree(folder, ignore_errors=True)
    places = []
    if layout.search_index.exists():
        index.forget(layout, ledger.forgetting.numbers(), now)
        places.append("the search index")
    gone = write.remove(target, ledger, now, timeout_seconds=patience_seconds)
    return [*places, *(place_of(target, path) for path in gone)]
