"""Which workspaces' stores changed: the operating system's events as hints, stamps as the truth.

An event only says where to look first. Every answer comes from comparing stamps (sources/stamps.py), a
full look compares them all, and so losing every event costs time and nothing else. SQLite stores are
compared at each look that polls, because that is cheap; folders of JSONL files when hinted, or at a full
look.

One thread asks. Others, the library's own, only add to a set under a lock and call on_hint.

Folders named `agents` are watched with everything below them: a new agent's store appears there in
steps, and each further folder watched by itself would cost a thread.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from watchdog.events import FileModifiedEvent, FileSystemEvent
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from scrimshaw.daemon.hints import Hints
from scrimshaw.sources.discover import STORE_NAME, StoreRef
from scrimshaw.sources.jsonl_folder import NAMES_FILE, is_transcript
from scrimshaw.sources.stamps import CONFIG_SUFFIXES, Stamp, look_at_names, look_at_root, look_at_store

AGENTS_FOLDER = "agents"
# Changes in one folder, one after the other, that no event announced: one may be overtaken by the look.
MOST_UNHEARD = 3


class _Watched:
    """A store, whose it is, and how it looked."""

    __slots__ = ("folder", "stamp", "store", "workspaces")

    def __init__(self, store: StoreRef, workspaces: set[Path], stamp: Stamp | None) -> None:
        self.store = store
        self.folder = _folder_of(store)
        self.workspaces = workspaces
        self.stamp = stamp


class Watcher:
    """Watches stores and the folders that discovery depends on; nothing of it raises OSError."""

    def __init__(
        self, on_hint: Callable[[], None], *, make_observer: Callable[[], BaseObserver] = Observer
    ) -> None:
        self._on_hint = on_hint
        self._hints = Hints(self._note, self._note_loss, make_observer)
        self._stores: dict[StoreRef, _Watched] = {}
        self._roots: dict[Path, tuple[Stamp, Stamp] | None] = {}  # of its names, of what counts in it
        self._regrouped: set[Path] = set()  # workspaces that got or lost a store
        self._listened: dict[Path, bool] = {}
        self._told: dict[str, str] = {}
        self._untold: list[str] = []
        self._deaf: set[str] = set()  # folders that a new observer did not help
        self._renewed_for: set[str] = set()
        # Shared with watchdog's threads: the first is replaced as a whole, the rest is guarded by the lock.
        self._stores_in: dict[str, tuple[str, list[StoreRef]]] = {}
        self._lock = threading.Lock()
        self._hinted: set[str] = set()
        self._are_roots_hinted = False
        self._is_full_due = False
        self._unheard: Counter[str] = Counter()

    @property
    def is_hearing(self) -> bool:
        """Whether hints can be counted on; while not, only full looks find what JSONL folders hold."""
        return not self._hints.problem and not self._deaf

    def watch(self, stores: Mapping[Path, Sequence[StoreRef]], roots: Collection[Path]) -> None:
        """Replace what is watched: each workspace's stores, and folders whose change means discovering anew.

        What stays keeps its stamp; a new store, or one that went, makes its workspaces changed.
        """
        users: dict[StoreRef, set[Path]] = {}
        for workspace, its_stores in stores.items():
            for store in its_stores:
                users.setdefault(store, set()).add(workspace)
        before, self._stores = self._stores, {}
        for store, workspaces in users.items():
            was = before.pop(store, None)
            self._stores[store] = _Watched(store, workspaces, was.stamp if was else None)
            self._regrouped |= workspaces ^ was.workspaces if was else workspaces
        self._regrouped |= {workspace for gone in before.values() for workspace in gone.workspaces}
        self._regrouped &= stores.keys()
        self._roots = {root: self._roots.get(root) for root in roots}
        self._stores_in = _by_folder(users)
        self._listened = _folders_to_listen_in(users, roots)
        self.mend()

    def changed(self, *, is_full: bool, polls: bool = True) -> frozenset[Path]:
        """Return the workspaces whose stores changed since this was asked last, or may have.

        Not full: SQLite stores, those without a hint only when it *polls*, and the JSONL folders with a hint.
        Full: all. After lost events, or when a folder was watched anew, a look is full whatever is asked.
        """
        with self._lock:
            hinted, self._hinted = self._hinted, set()
            is_full, self._is_full_due = is_full or self._is_full_due, False
        found, self._regrouped = self._regrouped, set()
        for watched in self._stores.values():
            store, before = watched.store, watched.stamp
            if not (is_full or (polls and store.kind == "sqlite") or watched.folder in hinted):
                continue
            now = watched.stamp = look_at_store(store)
            if now.differs(before) or (is_full and now.problem):
                found |= watched.workspaces
            if before is not None and now.sight != before.sight and watched.folder not in hinted:
                with self._lock:
                    self._unheard[watched.folder] += 1
            if now.problem or (before is not None and before.problem):
                self._tell(str(store.path), now.problem)
        return frozenset(found)

    def is_discovery_due(self, *, is_full: bool = False, polls: bool = True) -> bool:
        """Tell whether a root changed since this was asked last; always true for one that is new.

        Not full: roots whose list of names changed, if it *polls*, and all of them after a hint.
        """
        with self._lock:
            is_full, self._are_roots_hinted = is_full or self._are_roots_hinted, False
        is_due = False
        for root, before in self._roots.items():
            if before is not None and not (is_full or polls):
                continue
            names = look_at_names(root)
            if before is not None and not is_full and not names.differs(before[0]):
                continue
            now = look_at_root(root)
            is_due = is_due or now.differs(before[1] if before else None)
            self._roots[root] = (names, now)
            self._tell(str(root), now.problem)
        return is_due

    def problems(self) -> tuple[str, ...]:
        """Return what went wrong since this was asked last, as sentences for a person."""
        untold, self._untold = self._untold, []
        return tuple(untold)

    def mend(self) -> None:
        """See that everything is watched that should be: dead threads, folders that went and came back.

        To be called from time to time; costs next to nothing while all is well.
        """
        self._renew_if_deaf()
        if self._hints.listen(self._listened):
            with self._lock:
                self._is_full_due = self._are_roots_hinted = True
        self._tell("hints", self._hints.problem)

    def close(self) -> None:
        self._hints.close()

    def _renew_if_deaf(self) -> None:
        with self._lock:
            deaf = {folder for folder, count in self._unheard.items() if count >= MOST_UNHEARD}
            for folder in deaf:
                del self._unheard[folder]
            if not self._hints.problem:
                self._deaf = (self._deaf | deaf) & self._renewed_for
            is_new = bool(deaf - self._renewed_for) and not self._hints.problem
            self._renewed_for |= deaf
        if is_new:
            self._hints.renew()
        for folder in deaf & self._deaf:
            self._tell(
                f"deaf {folder}",
                f"{folder}: the file system gives no hints of changes here (a network or container mount?). "
                "New messages are found by looking instead, only later.",
            )

    def _tell(self, place: str, problem: str) -> None:
        """Say *problem* once, for as long as it is the same; "" is that all is well."""
        if self._told.get(place, "") != problem:
            self._told[place] = problem
            if problem:
                self._untold.append(problem)

    # Called from watchdog's threads from here on.

    def _note(self, event: FileSystemEvent) -> None:
        is_modified = isinstance(event, FileModifiedEvent)
        paths = {os.fsdecode(path) for path in (event.src_path, event.dest_path) if path}
        # No any() over a list: every one has to be recorded.
        if sum(self._note_path(path, event.is_directory, is_modified) for path in paths):
            self._on_hint()

    def _note_path(self, path: str, is_folder: bool, is_modified: bool) -> bool:
        folder, _, name = path.rpartition(os.sep)
        key, stores = self._stores_in.get(folder, ("", []))
        is_of_store = any(_holds(store, name) for store in stores)
        # A store or transcript that grows is no news for discovery, one that comes or goes is.
        is_of_root = is_folder or (not is_of_store and name.endswith(CONFIG_SUFFIXES))
        is_of_root = is_of_root or (not is_modified and (name == STORE_NAME or is_transcript(name)))
        with self._lock:
            self._are_roots_hinted = self._are_roots_hinted or is_of_root
            if is_of_store:
                self._hinted.add(key)
                self._unheard.pop(key, None)
                self._renewed_for.discard(key)
                self._deaf.discard(key)
        return is_of_store or is_of_root

    def _note_loss(self) -> None:
        with self._lock:
            self._is_full_due = self._are_roots_hinted = True
        self._on_hint()


def _folder_of(store: StoreRef) -> str:
    return str(store.path.parent if store.kind == "sqlite" else store.path)


def _holds(store: StoreRef, name: str) -> bool:
    """Tell whether a file of this name in the store's folder is a part of what its stamp is made of."""
    if store.kind == "jsonl":
        return name == NAMES_FILE or is_transcript(name)
    return name.removeprefix(store.path.name) in ("", "-wal")


def _by_folder(stores: Collection[StoreRef]) -> dict[str, tuple[str, list[StoreRef]]]:
    """Return the stores in each folder, under the folder's name as given and with its links resolved."""
    found: dict[str, tuple[str, list[StoreRef]]] = {}
    for store in stores:
        folder = _folder_of(store)
        for spelled in {folder, os.path.realpath(folder)}:
            found.setdefault(spelled, (folder, []))[1].append(store)
    return found


def _folders_to_listen_in(stores: Collection[StoreRef], roots: Collection[Path]) -> dict[Path, bool]:
    """Return the folders to watch, each with whether everything below it is meant."""
    wanted = {root: root.name == AGENTS_FOLDER for root in roots}
    for store in stores:
        folder = Path(_folder_of(store))
        if not any(_is_below(folder, root) for root, is_recursive in wanted.items() if is_recursive):
            wanted.setdefault(folder, False)
    return wanted


def _is_below(folder: Path, root: Path) -> bool:
    # Links are not followed downwards: what lies behind one needs a watch of its own.
    if not folder.is_relative_to(root):
        return False
    inside = folder.relative_to(root)
    return os.path.realpath(folder) == os.path.join(os.path.realpath(root), inside)  # noqa: PTH118
