"""The log of a workspace: one line a run in .scrimshaw/scrimshaw.log, kept small, without transcript text."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from scrimshaw import files
from scrimshaw.errors import UserError
from scrimshaw.layout import Layout

_LARGEST_BYTES = 1_000_000


def canonical(**told: object) -> str:
    """Return a run's line for the log, `run=… job=… outcome=…`; no value may be what somebody said."""
    return " ".join(f"{name}={value}" for name, value in told.items())


class _Log(logging.FileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        """Say nothing of a line that could not be written: the run itself has said what there was to say."""


@contextmanager
def logging_to(layout: Layout, *, makes_folder: bool = True, is_needed: bool = True) -> Iterator[None]:
    """Send the package's log lines to the workspace's own file while the block runs.

    Without *makes_folder* a state folder that is gone is not made again: UserError, like all that stops it,
    unless no log *is needed* of what changes nothing there.
    """
    try:
        handler = _opened(layout, makes_folder=makes_folder)
    except UserError:
        if is_needed:
            raise
        handler = logging.NullHandler()
    # Other threads of a daemon log about other workspaces.
    mine = threading.get_ident()
    handler.addFilter(lambda record: record.thread == mine)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("scrimshaw")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        with suppress(OSError):  # a full disk: the run itself has said what there was to say
            handler.close()


def _opened(layout: Layout, *, makes_folder: bool) -> logging.Handler:
    if makes_folder:
        files.own_folder(layout.workspace)
    try:
        layout.log.touch(mode=0o600)
        # One older file is enough; the standard rotating handler costs 20 ms of imports at every start.
        if layout.log.stat().st_size > _LARGEST_BYTES:
            layout.log.replace(layout.log.with_suffix(".log.1"))
            layout.log.touch(mode=0o600)
        files.open_regular(layout.log).close()  # to write to a pipe that nobody reads would never end
        return _Log(layout.log, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{layout.log}: cannot be written ({error.strerror}). Nothing was written.",
            next_step=f"make it writable for you: ls -ld {layout.state} {layout.log}",
        ) from error
