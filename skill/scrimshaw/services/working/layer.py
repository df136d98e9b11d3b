"""The open working layer of one memory: its file, its vectors, and the thread that computes them.

Storing never waits for a vector. If there is an embedding model, one thread has missing vectors computed,
some at a time, in a separate process (index/child), so that the program's threads keep the interpreter; both
end with the layer. Without a model, or while the server that computes vectors is away, texts are found by
words and the daemon continues later. Any number of layers may be open on one file.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from scrimshaw.config import Settings
from scrimshaw.core.working import EmbeddingStatus
from scrimshaw.errors import UserError
from scrimshaw.index import embedding
from scrimshaw.index.embedding import Asked
from scrimshaw.index.feeding import AfarEmbedder
from scrimshaw.index.process import Ended
from scrimshaw.layout import Layout
from scrimshaw.services.search.chosen import memories_model, stand_in
from scrimshaw.working import memories, vectors
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.postings import Postings

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Embedder, TextEmbedder

log = logging.getLogger(__name__)

_AT_ONCE = 32  # texts: half a second for a small model
_KEPT_AT_ONCE = 8  # vectors: a store waits less than a millisecond for the lock
_A_LOOK = 640  # vectors for one workspace before it is the next one's turn: ten seconds
_IDLE_SECONDS = 60.0  # an idle model is unloaded after this
_AWAY_SECONDS = 60.0  # a server that did not answer is not asked again before this
_JOIN_SECONDS = 5.0
_LOOKS_TO_CAP = 200  # that many counts at most while as many memories are stored as there is room for


def _end(held: weakref.ref[WorkingLayer], process: int) -> None:
    layer = held()
    if layer is not None and process == os.getpid():  # a forked process has the layer, but not its thread
        layer.end_thread()


class WorkingLayer:
    """The open working layer of a workspace; for any thread. `close` ends its thread and closes the file."""

    def __init__(self, layout: Layout, settings: Settings) -> None:
        self.db = WorkingDatabase(layout.working, keeps_vectors=settings.memory_embedding_cache_enabled)
        self.layout = layout
        self.postings = Postings(self.db)
        self._settings = settings
        self._embedder: Embedder | None = None  # for stores that wait for their vector
        self._making = threading.Lock()  # held while such a vector is computed
        self._lock = threading.Lock()  # guards the fields below
        self._scan: vectors.Scan | None = None
        self._scans = threading.Lock()  # only one thread scans at a time
        self._thread: threading.Thread | None = None
        self._wake, self._stop = threading.Event(), threading.Event()
        self._counted_from = 0  # below this number of a memory the layer is certainly within its cap

    @cached_property
    def has_model(self) -> bool:
        """Whether an embedding model is available, as far as known without asking it."""
        return not embedding.why_none(*self._asked[:2])

    @property
    def _asked(self) -> Asked:
        return memories_model(self._settings)

    def wake_beyond_cap(self) -> None:
        """Wake the daemon if there are more memories than the owner wants; call it after storing.

        Numbers only grow, so that after a count it is known up to which number there is room: entries are
        counted again only then.
        """
        number, cap = memories.numbers_given(self.db), self._settings.memory_working_max_entries
        if number < self._counted_from:
            return
        beyond = memories.total(self.db) - cap
        self._counted_from = number + max(1 - beyond, 1 + cap // _LOOKS_TO_CAP)
        if beyond > 0:
            self.layout.wake.touch(mode=0o600)

    def embed(self) -> None:
        """Compute missing vectors: in the background, or at once if the owner wants that."""
        if self._settings.memory_embedding_async:
            self.embed_soon()
        elif self.has_model:
            with self._making:
                try:
                    self._embedder = self._embedder or embedding.find_embedder(*self._asked)
                    if self._embedder:
                        vectors.settle(self.db, self._embedder.name)
                        embed_all(self.db, self._embedder)
                except (UserError, OSError) as error:  # the server is away: later
                    log.info("job=working-vectors problem=%r", str(error))
                    self.embed_soon()

    def embed_soon(self) -> None:
        """Have missing vectors computed in the background."""
        if not self.has_model:
            return
        with self._lock:
            self._wake.set()
            if self._thread is None or not self._thread.is_alive():
                self._stop.clear()
                self._thread = threading.Thread(target=self._embed_on, name="scrimshaw-vectors", daemon=True)
                self._thread.start()
                atexit.register(_end, weakref.ref(self), os.getpid())

    def catch_up(self) -> None:
        """Have vectors computed in the background that earlier processes did not compute."""
        if self.has_model and vectors.has_waiting(self.db, embedding.name_of(*self._asked[:2])):
            self.embed_soon()

    @contextmanager
    def scan(self, embedder: Embedder) -> Iterator[vectors.Scan]:
        """Lend the vectors of *embedder*'s model to one thread."""
        with self._scans:
            if (
                self._scan is None
                or self._scan.model != embedder.name
                or self._scan.dimensions != embedder.dimensions
            ):
                self._scan = vectors.Scan(self.db, embedder.name, embedder.dimensions)
            yield self._scan

    @contextmanager
    def stored(self, model: str, number: int) -> Iterator[vectors.Scan | None]:
        """Lend *model*'s vectors that are as long as a memory's stored one, None if it has none.

        For one thread. How long a vector is is read where it lies: no server is asked.
        """
        with self._scans:
            if self._scan is None or self._scan.model != model:
                dimensions = vectors.dimensions(self.db, model, number)
                if not dimensions:
                    yield None
                    return
                self._scan = vectors.Scan(self.db, model, dimensions)
            yield self._scan

    def close(self) -> None:
        """End the thread and close the file."""
        self.end_thread()
        with self._scans:
            self._scan = None
        self.db.close()

    def end_thread(self) -> None:
        """End the thread that computes vectors; wait some seconds for it."""
        self._stop.set()
        self._wake.set()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_SECONDS)

    def _embed_on(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            if self._stop.is_set():
                return
            try:
                with _embedder(self._asked, self._stop.is_set) as embedder:
                    vectors.settle(self.db, embedder.name)
                    while self._wake.wait(_IDLE_SECONDS) and not self._stop.is_set():
                        self._wake.clear()
                        embed_all(self.db, embedder, is_stopped=self._stop.is_set)
            except Ended:
                return
            except (UserError, OSError) as error:  # a server that is away, a full disk: later
                log.info("job=working-vectors problem=%r", str(error))
                _stand_in(self.db, self._settings, self._stop.is_set)
                self._stop.wait(_AWAY_SECONDS)
                self._wake.set()


@contextmanager
def _embedder(asked: Asked, is_stopped: Callable[[], bool]) -> Iterator[TextEmbedder]:
    """Lend the model that is *asked* for: the owner's server, or a child process that ends with the block."""
    if asked.is_server:
        yield embedding.Ollama(asked.model.partition("/")[2], asked.url)
        return
    afar = AfarEmbedder(asked, is_stopped)
    try:
        yield afar
    finally:
        afar.close()


def _stand_in(
    db: WorkingDatabase, settings: Settings, is_stopped: Callable[[], bool], most: float = inf
) -> None:
    """Use the installed model's vectors while the owner's server is away."""
    other = stand_in(settings, memories_model(settings))
    if other is None or not vectors.waiting(db, 1, embedding.name_of(*other[:2])):
        return
    with suppress(Ended, UserError, OSError), _embedder(other, is_stopped) as embedder:
        embed_all(db, embedder, is_stopped=is_stopped, most=most, is_wanted=False)


def make_missing(layer: WorkingLayer, settings: Settings, is_stopped: Callable[[], bool]) -> float:
    """Compute some missing vectors; return the seconds until more is to be done (inf: never).

    For a daemon. An unreachable server, or a model that cannot be loaded, is logged and retried later.
    """
    asked = memories_model(settings)
    # Vectors that are not stored have to be computed by each program for itself.
    if not settings.memory_embedding_cache_enabled or not layer.has_model:
        return inf
    if not vectors.has_waiting(layer.db, embedding.name_of(*asked[:2])):
        return inf
    try:
        with _embedder(asked, is_stopped) as embedder:
            vectors.settle(layer.db, embedder.name)
            embed_all(layer.db, embedder, is_stopped=is_stopped, most=_A_LOOK)
    except Ended:
        return 1.0
    except (UserError, OSError) as error:
        log.info("job=working-vectors problem=%r", str(error))
        _stand_in(layer.db, settings, is_stopped, _A_LOOK)
        return _AWAY_SECONDS
    return 1.0 if vectors.waiting(layer.db, 1) else inf


def embed_all(
    db: WorkingDatabase,
    embedder: TextEmbedder,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    most: float = inf,
    is_wanted: bool = True,
) -> int:
    """Compute missing vectors, some at a time, about *most* of them; return their number.

    Vectors of another than the wanted model are used until the wanted model's are there.

    A text that the model cannot process is marked, and not tried again. Raises UserError and OSError if the
    model or its server fails; vectors stored before that stay.
    """
    made, at_once = 0, _AT_ONCE
    while not is_stopped() and made < most:
        by_status = is_wanted and db.keeps_vectors  # else by the vectors of this model that exist
        texts = vectors.waiting(db, at_once, "" if by_status else embedder.name)
        if not texts:
            break
        numbers = [number for number, _ in texts]
        vectors.mark(db, numbers, EmbeddingStatus.QUEUED)
        try:
            rows = embedder.embed([text for _, text in texts])
        except ValueError:  # which of the texts it is, is found one by one
            if len(texts) == 1:
                vectors.mark(db, numbers, EmbeddingStatus.FAILED)
            at_once = 1 if len(texts) > 1 else _AT_ONCE
            continue
        ready = list(zip(numbers, rows, strict=True))
        for at in range(0, len(ready), _KEPT_AT_ONCE):
            vectors.keep(db, embedder.name, ready[at : at + _KEPT_AT_ONCE], is_wanted=is_wanted)
        made += len(texts)
    return made
