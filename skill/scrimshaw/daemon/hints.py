"""Hints from the operating system that something in a folder changed: watchdog, and nothing but it.

A hint may be lost, late or doubled; whoever gets one must look for himself, and must look anyway from
time to time. What can go wrong goes wrong silently in the library: a thread dies, a folder is removed
and comes back as another one, the kernel's queue overflows, its limits are reached. So listen() can be
called again and again: it compares what is watched with what should be, and mends it.

Only writing is listened to. Were opening, reading and closing hints as well, each look at a store would
call for the next one.
"""

from __future__ import annotations

import errno
import logging
import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from scrimshaw.sources.stamps import identity

# DirModifiedEvent is left out on purpose: it stands for the closing of files, too.
_WRITING: list[type[events.FileSystemEvent]] = [
    events.FileCreatedEvent,
    events.FileModifiedEvent,
    events.FileDeletedEvent,
    events.FileMovedEvent,
    events.DirCreatedEvent,
    events.DirDeletedEvent,
    events.DirMovedEvent,
]
_CLOSING_SECONDS = 1.0

# A folder that appears in steps below a watched one is met twice, which the library warns of and which is
# harmless: not a line for anybody's log.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.observers\.inotify")


class _Watched(NamedTuple):
    watch: ObservedWatch
    identity: tuple[int, int] | None
    is_recursive: bool


class Hints:
    """What watchdog is asked to watch. Both callbacks come from its threads and must return at once."""

    def __init__(
        self,
        on_event: Callable[[events.FileSystemEvent], None],
        on_loss: Callable[[], None],
        make_observer: Callable[[], BaseObserver] = Observer,
    ) -> None:
        self.problem = ""  # why there are no hints, or fewer than there should be
        self._listener = _Listener(on_event)
        self._losses = _Losses(on_loss)
        self._make_observer = make_observer
        self._observer: BaseObserver | None = None
        self._watched: dict[Path, _Watched] = {}
        logging.getLogger("watchdog").addHandler(self._losses)

    def listen(self, folders: Mapping[Path, bool]) -> bool:
        """Watch exactly *folders* (true: with all below), as far as they are there; mend what broke.

        Return whether a folder is watched from now on that was not: what happened in it before gave no
        hint. Without the means to watch, *problem* says so and the next call tries again.
        """
        self.problem = ""
        if self._observer is not None and not self._observer.is_alive():
            self.renew()
        if self._observer is None:
            self._observer = self._started()
        if self._observer is None:
            return False
        self._drop(self._observer, folders)
        return self._add(self._observer, folders)

    def renew(self) -> None:
        """Let go of everything; the next listen() begins anew."""
        observer, self._observer, self._watched = self._observer, None, {}
        if observer is not None:
            observer.stop()
            if observer.ident is not None:
                observer.join(_CLOSING_SECONDS)

    def close(self) -> None:
        """Stop for good."""
        logging.getLogger("watchdog").removeHandler(self._losses)
        self.renew()

    def _started(self) -> BaseObserver | None:
        try:
            observer = self._make_observer()
            observer.start()
        except (OSError, RuntimeError) as error:  # no inotify to be had, or no thread
            self.problem = _explained(error)
            return None
        return observer

    def _drop(self, observer: BaseObserver, folders: Mapping[Path, bool]) -> None:
        emitters = {emitter.watch: emitter.is_alive() for emitter in observer.emitters}
        for folder, (watch, was, is_recursive) in list(self._watched.items()):
            is_wanted = folders.get(folder) is is_recursive
            if not is_wanted or not emitters.get(watch) or identity(folder) != was:
                del self._watched[folder]
                # Two names of one folder share a watch, which is gone with the first of them.
                if emitters.pop(watch, None) is not None:
                    observer.unschedule(watch)

    def _add(self, observer: BaseObserver, folders: Mapping[Path, bool]) -> bool:
        has_added = False
        for folder, is_recursive in folders.items():
            now = identity(folder)
            if folder in self._watched or now is None:
                continue
            try:
                # Of a link the library would watch the link itself. Events name the resolved folder then.
                real = os.path.realpath(folder)
                watch = observer.schedule(self._listener, real, recursive=is_recursive, event_filter=_WRITING)
            except FileNotFoundError:
                continue
            except (OSError, RuntimeError) as error:
                self.problem = _explained(error)
                continue
            self._watched[folder] = _Watched(watch, now, is_recursive)
            has_added = True
        return has_added


class _Listener(events.FileSystemEventHandler):
    def __init__(self, on_event: Callable[[events.FileSystemEvent], None]) -> None:
        self._on_event = on_event

    def dispatch(self, event: events.FileSystemEvent) -> None:
        self._on_event(event)


class _Losses(logging.Handler):
    """The library says only in its log that the kernel dropped events."""

    def __init__(self, on_loss: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_loss = on_loss

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage():
            self._on_loss()


def _explained(error: OSError | RuntimeError) -> str:
    match error.errno if isinstance(error, OSError) else None:
        case errno.ENOSPC:
            why, step = "the limit of watches is reached", "raise fs.inotify.max_user_watches (sysctl)"
        case errno.EMFILE | errno.ENFILE:
            why, step = (
                "the limit of inotify instances is reached",
                "raise fs.inotify.max_user_instances (sysctl)",
            )
        case _:
            why, step = str(error), "see that the machine has memory and threads left"
    return (
        f"The system gives no hints of changes: {why}. New messages are found by looking at the folders "
        f"instead, only later. Next step: {step}."
    )
