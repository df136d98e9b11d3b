"""The search index and the ledger: bring it up to date, make it anew, and take out what was forgotten.

Words are brought up to date by whoever searches: it takes a fraction of a millisecond an observation. Vectors
are made by a child process, in the background by the daemon, or by `scrimshaw reindex`. Both are keyed by the
observations' numbers, and how far each came is its own largest key, so a kill at any point costs a batch and
nothing has to be put right. One writer at a time, by locks of the index's own: nobody who only wants to write
to the ledger waits for them, and nobody who searches waits for vectors. The folder may be deleted at any
time; one that was made of another ledger is.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw import files
from scrimshaw.config import Settings
from scrimshaw.core.search.tongue import is_english
from scrimshaw.errors import Exit, UserError
from scrimshaw.index import embedding, multilingual, vectors
from scrimshaw.index.embedding import Asked
from scrimshaw.index.words import IndexDamaged, IndexedDocument, Words, is_laid_out
from scrimshaw.layout import Layout
from scrimshaw.locks import Busy, IndexPart, index_lock
from scrimshaw.logs import logging_to
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.search.chosen import lines_model, stand_in
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.numbered import Text

if TYPE_CHECKING:
    from scrimshaw.index.feeding import Feeding
    from scrimshaw.workspace import Target

LOCK_SECONDS = 10.0
_BATCH = 32  # texts a child is handed at once: under half a second, so that a stop is soon heard
_WORTH_A_CHILD = 16
_ASKED = "asked"
_FOREIGN = "foreign"  # is there when a line is not in English
_MARK = "of"  # names the ledger that the index was made of


class Embedded(NamedTuple):
    """What became of making vectors: how many were made, how many wait, and why it did not go on."""

    made: int
    waiting: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReindexResult(WorkspaceResult):
    """What became of an index that was made anew."""

    words: int
    vectors: int
    waiting: int
    why_no_vectors: str
    problem: str

    @property
    def exit_code(self) -> Exit:
        return Exit.MENDABLE if self.problem else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "words": self.words,
            "vectors": self.vectors,
            "waiting": self.waiting,
            "why_no_vectors": self.why_no_vectors or None,
            "problem": self.problem or None,
        }


def reindex(
    target: Target,
    now: datetime,
    *,
    keeps_vectors: bool = False,
    on_words: Callable[[int], None] = lambda _words: None,
    on_vectors: Callable[[int, int], None] = lambda _made, _of: None,
) -> ReindexResult:
    """Make the index of *target* anew; the two callbacks are told how far it is."""
    layout, settings = target.layout, target.config.settings
    with open_ledger(layout.ledger, create=False, read_only=True) as ledger:
        try:
            words = rebuild(layout, ledger, now, keeps_vectors=keeps_vectors)
        except OSError as error:
            raise UserError(
                f"{layout.search_index}: the index could not be written ({error}). The ledger and MEMORY.md "
                "are as they were; search finds by words without it.",
                next_step="make room, or take away what is no folder (ls -ld "
                f"{layout.search_index}), then: scrimshaw reindex",
            ) from error
        on_words(words)
        why_none = why_no_vectors(settings)
        made = embed_missing(layout, ledger, settings, now, on_progress=lambda done: on_vectors(done, words))
    return ReindexResult(
        target, words, made.made, made.waiting, why_none, made.problem if not why_none else ""
    )


def words_folder(layout: Layout) -> Path:
    """Return where the index of words lies."""
    return layout.search_index / "words"


def vectors_folder(layout: Layout) -> Path:
    """Return where the vectors lie, a folder for each model."""
    return layout.search_index / "vectors"


def beside(settings: Settings) -> Asked | None:
    """Return the model for what is not in English, None where none is wanted or none is installed.

    It stands beside the bundled one alone: a model that the owner has chosen is asked for every language.
    """
    asked = lines_model(settings)
    is_bundled = asked.folder is None and asked.model in (embedding.AUTO, embedding.BUNDLED)
    return Asked(multilingual.NAME) if is_bundled and not why_not_beside() else None


def why_not_beside() -> str:
    """Return why nothing is there for what is not in English, "" when something is; loads nothing."""
    return embedding.why_none() or multilingual.why_none()


def has_foreign(layout: Layout) -> bool:
    """Tell whether a line is not in English, as far as vectors were made."""
    return (layout.search_index / _FOREIGN).exists()


def _note_foreign(layout: Layout, texts: Collection[Text]) -> None:
    """Note it before the vectors are made: after a kill it is known too early, never too late."""
    if not has_foreign(layout) and not all(is_english(one.text) for one in texts):
        files.overwrite(layout.search_index / _FOREIGN, b"", mode=0o600)


def serving_model(layout: Layout, settings: Settings) -> Asked:
    """Return the model to search with: the wanted one, or the one before it while its vectors are few."""
    wanted = lines_model(settings)
    place, _ = newest_vector(layout, settings)
    best, most = wanted, vectors.count_in(vectors_folder(layout) / place) if place else 0
    for other in vectors_folder(layout).iterdir() if vectors_folder(layout).is_dir() else ():
        count = vectors.count_in(other)
        is_other = other.name not in (place, vectors.folder_of(multilingual.NAME))
        if is_other and count > 2 * most and (model := _asked(other)):
            best, most = model, count
    return best


def _remember(place: Path, made_by: Asked) -> None:
    """Note beside vectors what made them, so that they serve while another model's are made."""
    # Not its parents: a workspace's state folder that was taken away is not made again.
    place.parent.mkdir(exist_ok=True, mode=0o700)
    place.mkdir(exist_ok=True, mode=0o700)
    folder = str(made_by.folder) if made_by.folder else ""
    asked = {"model": made_by.model, "folder": folder}
    files.overwrite(place / _ASKED, json.dumps(asked).encode(), mode=0o600)


def _asked(place: Path) -> Asked | None:
    """Return what made the vectors in *place*, None when it cannot be asked any more."""
    try:
        said = json.loads((place / _ASKED).read_text())
        model, folder = str(said["model"]), Path(said["folder"]) if said["folder"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # Only what is on this machine: a server that is no longer configured is asked nothing (rule 25).
    is_local = not model.startswith(f"{embedding.OLLAMA}/")
    return Asked(model, folder) if is_local and not embedding.why_none(model, folder) else None


def open_words(layout: Layout, ledger: Ledger, now: datetime) -> Words:
    """Return the index of words, with everything that the ledger holds.

    When somebody else is bringing it up to date and takes long, it is what they have so far. A damaged one
    is made anew, and where nothing can be written (the disk is full) it is made in memory.
    """
    for _ in range(2):
        try:
            _require(layout, ledger, now)
            words = _words_on_disk(layout, now)
            bring_up_to_date(words, layout, ledger, now)
        except IndexDamaged:
            drop_words(layout, now)
        except (OSError, UserError):
            break
        else:
            return words
    words = Words(None)
    words.add(_documents(ledger.numbered.texts_after(0)))
    return words


def _words_on_disk(layout: Layout, now: datetime) -> Words:
    folder = words_folder(layout)
    if is_laid_out(folder):
        return Words(folder)
    with _lock(layout, "words", now):  # of several that come at once, one makes it
        return Words(folder)


def drop_words(layout: Layout, now: datetime) -> None:
    """Remove the index of words, since it is damaged; the next search makes it again."""
    with suppress(UserError), _lock(layout, "words", now):
        shutil.rmtree(words_folder(layout), ignore_errors=True)


def bring_up_to_date(words: Words, layout: Layout, ledger: Ledger, now: datetime) -> int:
    """Add to *words* what the ledger has more; return how many observations that were."""
    last = words.last_key()
    if last > ledger.numbered.last():
        # An older copy of the ledger was put back: the numbers will be given to other lines.
        drop(layout)
        raise IndexDamaged(f"{layout.search_index}: is of a later state of the ledger")
    if ledger.numbered.last_to_index() <= last:
        return 0
    with suppress(Busy), _lock(layout, "words", now):
        words.reload()  # somebody may have done it while we waited
        return words.add(_documents(ledger.numbered.texts_after(words.last_key())))
    words.reload()
    return 0


def embed_missing(
    layout: Layout,
    ledger: Ledger,
    settings: Settings,
    now: datetime,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int], None] = lambda _made: None,
) -> Embedded:
    """Make the vectors that are missing, in a child process; never raises over a model.

    When all are there, those of other models are removed: until then they serve. While the owner's server is
    away the installed model's are made, so that search goes on by meaning; the problem is told all the same.
    What is counted and told is the wanted model's; those for other languages come after it.
    """
    making = _Making(layout, ledger, settings, now, is_stopped, on_progress)
    wanted = lines_model(settings)
    done = making.embed(wanted)
    if (more := beside(settings)) and not done.problem:
        silent = making._replace(on_progress=lambda _made: None)
        return done._replace(problem=silent.embed(more, is_wanted=False).problem)
    other = stand_in(settings, wanted)
    if done.problem and other and not is_stopped():
        made = making.embed(other, is_wanted=False).made
        return done._replace(made=done.made + made)
    return done


class _Making(NamedTuple):
    layout: Layout
    ledger: Ledger
    settings: Settings
    now: datetime
    is_stopped: Callable[[], bool]
    on_progress: Callable[[int], None]

    def embed(self, asked: Asked, *, is_wanted: bool = True) -> Embedded:
        """Make what is missing with the model *asked* for; only the wanted one's replace all others."""
        from scrimshaw.index.feeding import Feeding
        from scrimshaw.index.process import Ended

        layout, ledger, settings = self.layout, self.ledger, self.settings
        if why := embedding.why_none(*asked[:2]):
            return Embedded(0, 0, why)
        made = 0
        try:
            _require(layout, ledger, self.now)
            into = vectors_folder(layout)
            with _lock(layout, "making", self.now):
                if vectors.last_key_in(_place_of(layout, asked)) >= ledger.numbered.last_to_index():
                    return Embedded(0, 0)  # without starting anything
                with closing(Feeding(asked, into, is_stopped=self.is_stopped)) as child:
                    name, last = child.begin()
                    _remember(into / vectors.folder_of(name), asked)
                    may_see = _may_see(asked.model, ledger, settings)
                    texts = ledger.numbered.texts_after(last)
                    while batch := list(islice(texts, _BATCH)):
                        made += self._hand_over(batch, child, may_see)
                        self.on_progress(made)
                if is_wanted:
                    more = beside(settings)
                    vectors.forget_other_models(into, name, *([more[0]] if more else []))
            return Embedded(made, 0)
        except Ended:
            return Embedded(made, 0, "stopped")
        except (UserError, OSError) as error:
            problem = error.problems[0] if isinstance(error, UserError) else str(error.strerror)
            return Embedded(made, 0, problem)

    def _hand_over(self, batch: list[Text], child: Feeding, may_see: Callable[[Text], str]) -> int:
        with _lock(self.layout, "vectors", self.now):
            # What was forgotten since it was read must not come in after the index was cleaned.
            there = self.ledger.numbered.lines([one.number for one in batch])
            kept = [one for one in batch if one.number in there]
            _note_foreign(self.layout, kept)
            child.add([one.number for one in kept], list(map(may_see, kept)))
        return len(kept)


def why_no_vectors(settings: Settings) -> str:
    """Return why no vectors are made, "" when they are."""
    return embedding.why_none(*lines_model(settings)[:2])


def keep_up(
    layout: Layout, ledger: Ledger, settings: Settings, now: datetime, is_stopped: Callable[[], bool]
) -> tuple[str, ...]:
    """Bring the vectors up to date, in the background; return what is wrong, in sentences.

    A child is worth its start when some vectors are missing: a search makes a few itself. What waits is done
    in one go, since a child that has its model loaded is quick; a stop is heard between two batches. Words
    are left to whoever searches: tantivy would stay in the memory of a process that lives on.
    """
    if _waiting_for_any(layout, ledger, settings) < _WORTH_A_CHILD:
        return ()
    problem = embed_missing(layout, ledger, settings, now, is_stopped=is_stopped).problem
    return (problem,) if problem and not is_stopped() else ()


def keep_workspace_up(target: Target, now: datetime, is_stopped: Callable[[], bool]) -> tuple[str, ...]:
    """Do that for *target*, whose ledger is opened; nothing where somebody else is at it."""
    layout = target.layout
    try:
        with open_ledger(layout.ledger, create=False) as ledger, logging_to(layout, makes_folder=False):
            return keep_up(layout, ledger, target.config.settings, now, is_stopped)
    except Busy:
        return ()
    except UserError as error:
        return tuple(error.problems)


def embed_few(
    layout: Layout,
    ledger: Ledger,
    settings: Settings,
    embedder: embedding.Embedder,
    vectors_: vectors.Vectors,
    now: datetime,
    asked: Asked,
) -> int:
    """Make the vectors that *vectors_* lacks, here and now; return how many, 0 while somebody else does.

    *asked* is what the embedder was asked for as.
    """
    try:
        _require(layout, ledger, now)
        with _lock(layout, "making", now, seconds=0), _lock(layout, "vectors", now):
            vectors_.reload()
            texts = list(ledger.numbered.texts_after(vectors_.last_key()))
            if texts:
                _note_foreign(layout, texts)
                _remember(vectors_folder(layout) / vectors.folder_of(embedder.name), asked)
                may_see = _may_see(embedder.name, ledger, settings)
                vectors.fill(vectors_, embedder, [one.number for one in texts], list(map(may_see, texts)))
            return len(texts)
    except (UserError, OSError):
        return 0  # a folder that cannot be written, or somebody is at it: what is there will do


def newest_vector(layout: Layout, settings: Settings) -> tuple[str, int]:
    """Return the folder name of the wanted model's vectors and their largest key; ("", 0) without any."""
    place = _place_of(layout, lines_model(settings))
    last = vectors.last_key_in(place)
    return (place.name, last) if last else ("", 0)


def progress(layout: Layout, asked: Asked) -> tuple[str, int]:
    """Return the name of the model that is *asked* for, for a person, and how many vectors of it there are.

    Loads nothing.
    """
    place = _place_of(layout, asked)
    return place.name, vectors.count_in(place)


def _place_of(layout: Layout, asked: Asked) -> Path:
    return vectors_folder(layout) / vectors.folder_of(embedding.name_of(*asked[:2]))


def waiting_for_vectors(layout: Layout, ledger: Ledger, settings: Settings) -> int:
    """Return how many lines have no vector yet, 0 where none are made; loads no model."""
    if why_no_vectors(settings):
        return 0
    return ledger.numbered.count_after(newest_vector(layout, settings)[1])


def _waiting_for_any(layout: Layout, ledger: Ledger, settings: Settings) -> int:
    """Return how many lines lack the vector of the wanted model, or of the one beside it."""
    waiting = waiting_for_vectors(layout, ledger, settings)
    if more := beside(settings):
        last = vectors.last_key_in(_place_of(layout, more))
        waiting = max(waiting, ledger.numbered.count_after(last))
    return waiting


def rebuild(layout: Layout, ledger: Ledger, now: datetime, *, keeps_vectors: bool = False) -> int:
    """Make the index of words anew from the ledger; return how many observations it holds.

    Vectors are removed, too, unless they are kept; `embed_missing` makes them again.
    """
    with ExitStack() as held:
        if not keeps_vectors:
            held.enter_context(_lock(layout, "making", now))
        held.enter_context(_lock(layout, "words", now))
        shutil.rmtree(words_folder(layout), ignore_errors=True)
        if not keeps_vectors:
            with _lock(layout, "vectors", now):
                shutil.rmtree(vectors_folder(layout), ignore_errors=True)
        layout.search_index.mkdir(mode=0o700, exist_ok=True)
        files.overwrite(layout.search_index / _MARK, _name_of(ledger), mode=0o600)
        words = Words(words_folder(layout))
        return words.add(_documents(ledger.numbered.texts_after(0)))


def forget(layout: Layout, numbers: Collection[int], now: datetime) -> None:
    """Leave no trace of observations in the index, whether or not the ledger still holds their text.

    An index of words keeps the words of what is taken out until its files are merged, so it is removed whole;
    the next search makes it again. Vectors are written over with zeros.
    """
    with _lock(layout, "words", now), _lock(layout, "vectors", now):
        shutil.rmtree(words_folder(layout), ignore_errors=True)
        for place in vectors_folder(layout).iterdir() if vectors_folder(layout).is_dir() else ():
            vectors.remove_from(place, numbers)


def drop(layout: Layout) -> None:
    """Remove the whole index; the next search makes it again."""
    shutil.rmtree(layout.search_index, ignore_errors=True)


def _may_see(model: str, ledger: Ledger, settings: Settings) -> Callable[[Text], str]:
    """Return what gives the text of a line that *model* may see, "" of one that is kept from servers."""
    if not model.startswith(f"{embedding.OLLAMA}/"):
        return lambda one: one.text
    from scrimshaw.redaction import redact  # what a person typed is in the ledger as typed
    from scrimshaw.services.models.privacy_filter import leaves_out

    is_left_out = leaves_out(ledger, settings.private_sessions)

    def text(one: Text) -> str:
        line = ledger.numbered.lines([one.number]).get(one.number)
        return "" if line is None or is_left_out(line.observation) else redact(one.text).text

    return text


def _documents(texts: Iterator[Text]) -> Iterator[IndexedDocument]:
    for one in texts:
        yield IndexedDocument(
            one.number, one.text, one.kind, date.fromisoformat(one.local_date.zfill(10)).toordinal()
        )


def _require(layout: Layout, ledger: Ledger, now: datetime) -> None:
    """See to it that the index's folder is there and of this ledger; one of another is removed."""
    mark, mine = layout.search_index / _MARK, _name_of(ledger)
    if _content(mark) == mine:
        return
    files.own_folder(layout.workspace, makes=False)  # an open ledger does not show that it is there still
    with _lock(layout, "words", now):
        if _content(mark) != mine:
            drop(layout)
            layout.search_index.mkdir(mode=0o700, exist_ok=True)
            files.overwrite(mark, mine, mode=0o600)


def _name_of(ledger: Ledger) -> bytes:
    return sha256(ledger.meta().get("hash-key", "").encode()).hexdigest()[:32].encode()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _lock(
    layout: Layout, part: IndexPart, now: datetime, *, seconds: float | None = None
) -> AbstractContextManager[None]:
    wait = LOCK_SECONDS if seconds is None else seconds
    return index_lock(layout.state, part, by="search", now=now, timeout_seconds=wait)
