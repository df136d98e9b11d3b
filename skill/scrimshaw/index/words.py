"""The index of words: which documents hold the words of a question, by BM25 over stemmed words (tantivy).

A document is a key (an integer that grows), its text, and optionally a kind and a day to narrow by. The text
itself is not kept here. How far the index came is its largest key, true with the commit of the documents, so
a kill between two commits neither loses nor doubles one. Everything is derived: a folder that is damaged or
of another layout is emptied and filled again by whoever knows the documents (services/search/index). One
writer at a time (the caller's lock; tantivy's own is behind it), any number of readers.

tantivy has BM25 with fixed constants (k1 1.2, b .75), which punish long lines too much where all are short.
The best CANDIDATES are put in order again as k1 .9, b .4 would have it: exact where a word occurs once.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.core.search import relevance
from scrimshaw.core.search.fusion import Scored
from scrimshaw.core.search.query import levelled, question_words

if TYPE_CHECKING:
    from tantivy import Document as Row
    from tantivy import Index, Query, Schema, TextAnalyzer

LAYOUT = 2  # of the schema below; another number: the folder is made anew
CANDIDATES = 200
_K1, _B = 0.9, 0.4
_TANTIVY_K1, _TANTIVY_B = 1.2, 0.75
_LARGEST_DAY = 10_000_000
_BATCH = 20_000  # documents a commit: a commit costs 20 ms, a writer's memory 15 MB
_HEAP_BYTES = 50_000_000
_LONGEST_WORD = 60


class IndexDamaged(OSError):  # noqa: N818  # a state to be expected of a file, not a fault
    """The index's files cannot be read or written; removed, they are made anew."""


class IndexedDocument(NamedTuple):
    """What is found: *key* grows from document to document; *day* is a date's ordinal, 0 for none."""

    key: int
    text: str
    kind: str = ""
    day: int = 0


class DocumentFilter(NamedTuple):
    """Only documents of these kinds (none: of all) and of days from *first* to *last*, both included."""

    kinds: tuple[str, ...] = ()
    first: int = 0
    last: int = _LARGEST_DAY


ALL = DocumentFilter()


class Words:
    """An open index of words, in *folder*, or in memory alone with None."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._analyzer = _analyzer()
        self._schema = _schema()
        self._index = self._open()
        self._mean: float | None = None
        self._last: int | None = None

    def _open(self) -> Index:
        from tantivy import Index

        if self._folder is None:
            index = Index(self._schema)
        else:
            index = _opened(self._folder, self._schema)
        index.register_tokenizer("words", self._analyzer)
        # By itself tantivy reloads in a thread of its own, which may put an older state in the place of the
        # newer one that `reload` has just read: a line noted a moment ago was not found.
        index.config_reader("Manual")
        return index

    def reload(self) -> None:
        """See what others have committed since this was opened; IndexDamaged where they took it away."""
        with _told():
            self._index.reload()
        self._mean = self._last = None

    def last_key(self) -> int:
        """Return the largest key that was there when this was opened or reloaded, 0 when there was none."""
        if self._last is None:
            from tantivy import Order, Query

            every = Query.all_query()
            with _told():
                found = self._index.searcher().search(
                    every, 1, count=False, order_by_field="key", order=Order.Desc
                )
            self._last = int(found.hits[0][0]) if found.hits else 0
        return self._last

    def add(self, documents: Iterable[IndexedDocument]) -> int:
        """Add *documents* in the order of their keys, a commit every 20,000; return how many there were."""
        added = 0
        with _told():
            writer = self._index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        try:
            for document in documents:
                with _told():
                    writer.add_document(_row(document))
                    added += 1
                    if added % _BATCH == 0:
                        writer.commit()
            with _told():
                writer.commit()
        finally:
            with suppress(ValueError):  # it has said so before
                writer.wait_merging_threads()  # lets go of the writer's lock
            self.reload()
        return added

    def search(self, question: str, limit: int, narrowed: DocumentFilter = ALL) -> list[Scored]:
        """Return the *limit* best documents for a question as people ask it, best first.

        A score is what part of the question's weight a document holds: about 1.0 for one of usual length
        that has every word of it.
        """
        words = self.stems(question)
        searcher = self._index.searcher()
        if not words or not searcher.num_docs:
            return []
        query = self._query(words, narrowed)
        with _told():
            # The library makes room for as many as are asked for, and ends the process where there is none.
            most = min(max(limit, CANDIDATES), searcher.num_docs)
            hits = searcher.search(query, most, count=False).hits
        if not hits:
            return []
        places = [place for _, place in hits]
        keys = searcher.fast_field_values("key", places)
        lengths = searcher.fast_field_values("length", places)
        rescaled = _rescaling(self._mean_length(), self._weight(words))
        scored = [
            (score * rescaled(int(length or 1)), int(key or 0))
            for (score, _), key, length in zip(hits, keys, lengths, strict=True)
        ]
        scored.sort(reverse=True)
        return [Scored(key, score) for score, key in scored[:limit]]

    def stems(self, question: str) -> list[str]:
        """Return the stemmed words of *question* as they stand in the index, each once."""
        return list(dict.fromkeys(self._analyzer.analyze(" ".join(question_words(question)))))

    def asked(self, question: str) -> relevance.QuestionWords:
        """Return *question* as the documents here know it: what its words weigh, what it names."""
        searcher = self._index.searcher()
        named = relevance.naming(question)
        found = {stem: searcher.doc_freq("text", stem) for stem in self.stems(question)}
        identifiers = [self._analyzer.analyze(levelled(one)) for one in named.identifiers]
        return relevance.asked(found, searcher.num_docs, identifiers, self.stems(" ".join(named.names)))

    def words_of(self, text: str) -> frozenset[str]:
        """Return the words of *text* as they would stand in the index."""
        return frozenset(self._analyzer.analyze(levelled(text)))

    def _query(self, stems: Sequence[str], narrowed: DocumentFilter) -> Query:
        from tantivy import FieldType, Occur, Query

        schema = self._schema
        should = [(Occur.Should, Query.term_query(schema, "text", stem, "freq")) for stem in stems]
        query = Query.boolean_query(should)
        must = []
        if narrowed.kinds:
            kinds = [(Occur.Should, Query.term_query(schema, "kind", k, "basic")) for k in narrowed.kinds]
            must.append(Query.boolean_query(kinds))
        if (narrowed.first, narrowed.last) != (ALL.first, ALL.last):
            must.append(Query.range_query(schema, "day", FieldType.Unsigned, narrowed.first, narrowed.last))
        if not must:
            return query
        filters = [(Occur.Must, Query.const_score_query(one, 0.0)) for one in must]
        return Query.boolean_query([(Occur.Must, query), *filters])

    def _weight(self, stems: Sequence[str]) -> float:
        """Return what a document of mean length with each of *stems* once scores."""
        searcher = self._index.searcher()
        count = searcher.num_docs
        frequencies = (min(count, searcher.doc_freq("text", stem)) for stem in stems)
        return sum(math.log(1 + (count - n + 0.5) / (n + 0.5)) for n in frequencies) or 1.0

    def _mean_length(self) -> float:
        if self._mean is None:
            from tantivy import Query

            asked = {"mean": {"avg": {"field": "length"}}}
            found = self._index.searcher().aggregate(Query.all_query(), asked)
            told = found if isinstance(found, dict) else json.loads(found)
            self._mean = float(told["mean"]["value"] or 1.0) or 1.0
        return self._mean


@contextmanager
def _told() -> Iterator[None]:
    """Raise what tantivy says of its files (damage, a full disk, a lock) as IndexDamaged."""
    try:
        yield
    except ValueError as error:
        raise IndexDamaged(str(error)) from error


def _row(document: IndexedDocument) -> Row:
    from tantivy import Document as Row

    text = levelled(document.text)
    row = Row()
    row.add_text("text", text)
    row.add_text("kind", document.kind)
    row.add_unsigned("key", document.key)
    row.add_unsigned("day", document.day)
    row.add_unsigned("length", text.count(" ") + 1)
    return row


def _rescaling(mean_length: float, whole: float) -> Callable[[int], float]:
    """Return what makes a score of tantivy's constants one of ours, as a part of *whole*, by a text's length.

    Both formulas divide by 1 + k1 * (1 - b + b * length / mean); what does not hang on the length is
    worked out once, for this is done for every candidate.
    """
    scale = (_K1 + 1) / (_TANTIVY_K1 + 1) / whole
    theirs, theirs_each = 1 + _TANTIVY_K1 * (1 - _TANTIVY_B), _TANTIVY_K1 * _TANTIVY_B / mean_length
    ours, ours_each = 1 + _K1 * (1 - _B), _K1 * _B / mean_length
    return lambda length: scale * (theirs + theirs_each * length) / (ours + ours_each * length)


def _analyzer() -> TextAnalyzer:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(_LONGEST_WORD))
    builder = builder.filter(Filter.lowercase()).filter(Filter.ascii_fold())
    return builder.filter(Filter.stemmer("english")).build()


def _schema() -> Schema:
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="words", index_option="freq")
    builder.add_text_field("kind", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("key", indexed=True, fast=True)
    builder.add_unsigned_field("day", indexed=True, fast=True)
    builder.add_unsigned_field("length", fast=True)
    return builder.build()


def _opened(folder: Path, schema: Schema) -> Index:
    """Open the index in *folder*; one of another layout, or that cannot be read, is made anew."""
    from tantivy import Index

    if not is_laid_out(folder) and folder.exists():
        shutil.rmtree(folder)
    # Not all its parents: a workspace's state folder that was taken away is not made again.
    folder.parent.mkdir(exist_ok=True, mode=0o700)
    folder.mkdir(exist_ok=True, mode=0o700)
    try:
        index = Index(schema, path=str(folder))
    except (ValueError, OSError):
        shutil.rmtree(folder)
        folder.mkdir(mode=0o700)
        with _told():
            index = Index(schema, path=str(folder))
    _mark(folder).touch(mode=0o600)
    return index


def is_laid_out(folder: Path) -> bool:
    """Tell whether an index of today's layout stands in *folder*; making one is for who holds its lock."""
    return _mark(folder).exists()


def _mark(folder: Path) -> Path:
    return folder / f"layout-{LAYOUT}"
