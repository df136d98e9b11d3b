"""What a `Recall` finds by meaning with: the models and their vectors, loaded when first needed, then kept.

The wanted model serves; the installed one stands in for a server that is away, and the one before it serves
until the wanted one's vectors are made. Once a minute it is looked whether the wanted one can. Beside the
bundled model, which knows English alone, stands one of many languages: loaded when the question or a line is
not in English, never before. Few missing vectors are made here and now; of many is said how they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.config import Settings
from scrimshaw.core.search.fusion import Scored, levelled
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError
from scrimshaw.index import embedding
from scrimshaw.index.words import IndexDamaged
from scrimshaw.layout import Layout
from scrimshaw.services.search import index
from scrimshaw.services.search.chosen import Absence, lines_model, memories_model, stand_in
from scrimshaw.store.ledger import Ledger

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Asked, Embedder
    from scrimshaw.index.vectors import Floats, Vectors

_MADE_AT_ONCE = 256  # vectors that a search makes itself when so few are missing: two seconds
_MADE_A_SECOND = 100  # by the process that makes many


class Meaning(NamedTuple):
    """What is needed to find by meaning."""

    vectors: Vectors
    embedder: Embedder

    @property
    def is_measured(self) -> bool:
        """Whether it is known which cosines of this model mean anything (core/search/relevance)."""
        return self.embedder.name == embedding.BUNDLED

    def ask(self, query: str) -> EmbeddedQuestion:
        """Return what compares *query*."""
        return EmbeddedQuestion(self.vectors, self.embedder.embed_query(query))


class EmbeddedQuestion(NamedTuple):
    """A question as a model has it."""

    vectors: Vectors
    question: Floats

    def nearest(self, limit: int, among: Collection[int] | None) -> list[Scored]:
        """Return the *limit* nearest, best first; with *among* only of these."""
        return self.vectors.search(self.question, limit, among)

    def cosines(self, keys: Collection[int]) -> dict[int, float]:
        """Return the cosines with a few; those without a vector are missing."""
        return self.vectors.cosines(self.question, keys)

    def foreign(self, _keys: Collection[int]) -> set[int]:
        """Return which of *keys* were compared by the model of all languages."""
        return set()


class AcrossLanguages(NamedTuple):
    """English by the one model, everything else by the other; all cosines on the scale of the first.

    Without the other what is not in English is left to its words.
    """

    english: Meaning
    multilingual: Meaning | None
    find_foreign: Callable[[Collection[int]], set[int]]  # which lines are not in English

    @property
    def is_measured(self) -> bool:
        """As that of the English model."""
        return self.english.is_measured

    def ask(self, query: str) -> EmbeddedQuestion | AskedAcross:
        """Return what compares *query*; a question that is not English is compared by the other alone."""
        english = self.english.ask(query) if is_english(query) else None
        multilingual = self.multilingual.ask(query) if self.multilingual else None
        return AskedAcross(english, multilingual, self.find_foreign)


class AskedAcross(NamedTuple):
    """A question as both models have it; English has None where it is not English."""

    english: EmbeddedQuestion | None
    multilingual: EmbeddedQuestion | None
    find_foreign: Callable[[Collection[int]], set[int]]

    def nearest(self, limit: int, among: Collection[int] | None) -> list[Scored]:
        """Return the nearest, best first, at most 2 *limit*."""
        near = self.multilingual.nearest(limit, among) if self.multilingual else []
        others = [Scored(one.key, levelled(one.score)) for one in near]
        if self.english is None:
            return others
        own = self.english.nearest(limit, among)
        foreign = self._not_english([one.key for one in (*own, *others)])
        both = [one for one in own if one.key not in foreign]
        both += [one for one in others if one.key in foreign]
        return sorted(both, key=lambda one: (-one.score, -one.key))

    def cosines(self, keys: Collection[int]) -> dict[int, float]:
        """Return the cosines with a few; those without a vector are missing."""
        foreign = self._not_english(keys)
        others = self.multilingual.cosines(foreign) if self.multilingual else {}
        found = {key: levelled(cosine) for key, cosine in others.items()}
        if self.english is not None:
            found |= self.english.cosines([key for key in keys if key not in foreign])
        return found

    def foreign(self, keys: Collection[int]) -> set[int]:
        """Return which of *keys* were compared by the model of all languages."""
        return self._not_english(keys) if self.multilingual else set()

    def _not_english(self, keys: Collection[int]) -> set[int]:
        return set(keys) if self.english is None else self.find_foreign(keys)


class Meanings:
    """The models of one workspace's search."""

    def __init__(self, layout: Layout, settings: Settings, *, is_brief: bool = False) -> None:
        self._layout, self._settings, self._is_brief = layout, settings, is_brief
        self._why_none: str | None = None
        self._embedder: Embedder | None = None
        self._of_memories: Embedder | None = None  # where memories have a model of their own
        self._absence, self._absence_of_memories = Absence(), Absence()
        self._multilingual: Embedder | None = None
        self._vectors: dict[str, Vectors] = {}  # by the model's name
        self._model = lines_model(settings)  # what the embedder was asked for as
        self._is_kept_up = True  # False while another model's vectors serve until the wanted one's are made
        self.lacks = ""  # what stays true from search to search: no model; a sentence
        self._away = ""  # why the owner's server does not answer, when the installed model stands in for it

    def current(self, ledger: Ledger, now: datetime) -> tuple[Meaning | None, str]:
        """Return what finds lines by their meaning, or None, and what a person should know about it."""
        try:
            embedder = self._found_embedder(ledger)
            if embedder is None:
                self.lacks = f"Searched by words alone: {self._why_none}."
                return None, self.lacks
            vectors, waiting = self._current_vectors(embedder, self._model, ledger, now)
        except (UserError, OSError) as error:
            if self.stand_in(error):
                return self.current(ledger, now)
            return None, f"Searched by words alone. {problem_text(error)}"
        notes = [f"{self._away} Searched with {embedder.name} instead."] if self._away else []
        if not vectors.count():
            if waiting:
                notes.append(f"Searched by words alone: no line has a vector yet. {_how_long(waiting)}")
            return None, " ".join(notes)
        if waiting:
            lines = counted(waiting, "line has no vector yet, and is", "lines have no vector yet, and are")
            notes.append(f"{lines} found by words alone. {_how_long(waiting)}")
        return Meaning(vectors, embedder), " ".join(notes)

    def at_hand(
        self, query: str, ledger: Ledger, find_foreign: Callable[[Collection[int]], set[int]]
    ) -> Meaning | AcrossLanguages | None:
        """Return what finds lines by their meaning at once: no model is loaded or asked, no vector made.

        None where the bundled model is not loaded, or *query* is not in English: the model of all languages
        takes a tenth of a second for a question.
        """
        embedder = _at_hand(self._embedder)
        if embedder is None or not is_english(query):
            return None
        try:
            vectors = self._vectors_there(embedder, ledger)
        except (UserError, OSError):
            return None
        if not vectors.count():
            return None
        english = Meaning(vectors, embedder)
        return AcrossLanguages(english, None, find_foreign) if index.has_foreign(self._layout) else english

    def memories_at_hand(self) -> Embedder | None:
        """Return what makes the vectors of memories, where that is the bundled model and loaded."""
        return _at_hand(self._loaded_for_memories())

    def memories_model_name(self) -> str:
        """Return the name beside the vectors of memories; loads and asks nothing."""
        loaded = self._loaded_for_memories()
        return loaded.name if loaded else embedding.name_of(*memories_model(self._settings)[:2])

    def _loaded_for_memories(self) -> Embedder | None:
        is_one = memories_model(self._settings) == lines_model(self._settings)
        return self._embedder if is_one else self._of_memories

    def of_all_languages(self, query: str, ledger: Ledger, now: datetime) -> tuple[Meaning | None, str]:
        """Return the model beside when *query* or a line is not in English, and what a person should know."""
        is_foreign = not is_english(query)
        if self._embedder is None or self._embedder.name != embedding.BUNDLED:
            return None, ""
        if not is_foreign and not index.has_foreign(self._layout):
            return None, ""
        asked = index.beside(self._settings)
        if asked is None:
            if not is_foreign:
                return None, ""
            self.lacks = f"What is not in English was found by its words: {index.why_not_beside()}."
            return None, self.lacks
        try:
            self._multilingual = self._multilingual or embedding.find_embedder(*asked)
            assert self._multilingual is not None
            vectors, waiting = self._current_vectors(self._multilingual, asked, ledger, now)
        except (UserError, OSError) as error:
            return None, f"What is not in English is found by its words. {problem_text(error)}"
        note = ""
        if waiting:
            lines = counted(waiting, "line has", "lines have")
            note = f"{lines} no vector for other languages than English yet. {_how_long(waiting)}"
        return (Meaning(vectors, self._multilingual) if vectors.count() else None), note

    def stand_in(self, error: UserError | OSError) -> bool:
        """Let the installed model serve from now on, after a server's *error*; False where none can."""
        other = stand_in(self._settings, self._model)
        if other is None or isinstance(error, IndexDamaged):
            return False
        self._model, self._away = other, problem_text(error)
        self._embedder = self._found(other)
        self._absence.begin()
        return True

    def embedder(self, ledger: Ledger) -> Embedder | None:
        """Return what makes the vectors of lines, None where nothing does or it cannot be had now."""
        try:
            return self._found_embedder(ledger)
        except (UserError, OSError):
            return None

    def memories_embedder(self, ledger: Ledger) -> Embedder | None:
        """Return what makes the vectors of memories: that of lines, unless another one is set for them."""
        asked = memories_model(self._settings)
        if asked == lines_model(self._settings):
            return self.embedder(ledger)
        if self._of_memories is not None and self._absence_of_memories.is_over(asked):
            self._of_memories = None
        if self._of_memories is None and not embedding.why_none(*asked[:2]):
            with suppress(UserError, OSError):
                self._of_memories = self._found(asked)
        return self._of_memories

    def memories_stand_in(self, error: UserError | OSError) -> bool:
        """Let the installed model serve for memories from now on, after a server's *error*, where one can."""
        asked = memories_model(self._settings)
        if asked == lines_model(self._settings):
            return self.stand_in(error)
        other = stand_in(self._settings, asked)
        if other is None or (self._of_memories and self._of_memories.name != asked.model):
            return False
        self._of_memories = self._found(other)
        self._absence_of_memories.begin()
        return True

    def likeness(self, vector: Floats, number: int) -> float | None:
        """Return the cosine of *vector*, of that model, and a line, where that has one and was searched."""
        if memories_model(self._settings) != lines_model(self._settings):
            return None
        vectors = self._vectors.get(self._embedder.name) if self._embedder else None
        if vectors is None or vectors.dimensions != len(vector):
            return None
        return vectors.cosines(vector, [number]).get(number)

    def _found(self, asked: Asked) -> Embedder | None:
        return embedding.find_embedder(*asked, is_brief=self._is_brief)

    def _found_embedder(self, ledger: Ledger) -> Embedder | None:
        wanted = lines_model(self._settings)
        before = self._embedder  # stays loaded meanwhile: it may be chosen again
        if before is not None and self._absence.is_over(wanted):
            self._embedder, self._why_none, self._away = None, None, ""
        if self._embedder is None and self._why_none is None:
            self._model = index.serving_model(self._layout, self._settings)
            waiting = index.waiting_for_vectors(self._layout, ledger, self._settings)
            if stand_in(self._settings, wanted) == self._model and waiting <= _MADE_AT_ONCE:
                self._model = wanted  # the server may be back; if not, this serves
            self._why_none = embedding.why_none(*self._model[:2])
            if not self._why_none:
                is_wanted = self._model == wanted
                # Nobody knows when a server comes back: what serves instead of it is kept up to date.
                self._is_kept_up = is_wanted or stand_in(self._settings, wanted) == self._model
                self._embedder = self._found(self._model)
                if not is_wanted:
                    self._absence.begin()
        return self._embedder

    def _current_vectors(
        self, embedder: Embedder, asked: Asked, ledger: Ledger, now: datetime
    ) -> tuple[Vectors, int]:
        """Return the vectors, made whole where few are missing, and how many are missing."""
        vectors = self._vectors_there(embedder, ledger)
        last = vectors.last_key()
        if last >= ledger.numbered.last_to_index():
            return vectors, 0
        waiting = ledger.numbered.count_after(last)
        if waiting <= _MADE_AT_ONCE and self._is_kept_up:
            waiting -= index.embed_few(self._layout, ledger, self._settings, embedder, vectors, now, asked)
        return vectors, waiting

    def _vectors_there(self, embedder: Embedder, ledger: Ledger) -> Vectors:
        """Return the vectors that were made; raises UserError if they are of a later state of the ledger."""
        from scrimshaw.index.vectors import Vectors

        vectors = self._vectors.get(embedder.name)
        if vectors is None:
            folder = index.vectors_folder(self._layout)
            vectors = self._vectors[embedder.name] = Vectors(folder, embedder.name, embedder.dimensions)
        elif vectors.last_key() < ledger.numbered.last_to_index():
            vectors.reload()
        if vectors.last_key() > ledger.numbered.last():
            raise UserError(
                f"{index.vectors_folder(self._layout)} is damaged or of a later state of the ledger; "
                "scrimshaw reindex rebuilds it.",
                next_step="scrimshaw reindex",
            )
        return vectors


def _at_hand(embedder: Embedder | None) -> Embedder | None:
    # Of another model it is not known which cosines mean anything, and a server may be slow or away.
    return embedder if embedder and embedder.name == embedding.BUNDLED else None


def problem_text(error: UserError | OSError) -> str:
    """Return what is wrong, for a person."""
    return error.problems[0] if isinstance(error, UserError) else f"{error.strerror}."


def _how_long(waiting: int) -> str:
    """Return what makes the vectors that *waiting* lines lack, and how long it takes."""
    seconds = -(-waiting // _MADE_A_SECOND)
    took = (
        "a second" if seconds == 1 else f"{seconds} seconds" if seconds < 120 else f"{seconds // 60} minutes"
    )
    return f"The daemon makes them in the background; or in about {took}: scrimshaw reindex --keep-vectors"
