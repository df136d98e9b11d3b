"""Recall: the lines of the ledger that answer a question, best first, with where they stand.

By words, by meaning, or by both; what the lists say is put together in core/search/fusion. The index only
proposes: every hit is read from the ledger, and shows what became of it. A line that was replaced comes below
those that hold; one that was merged or reworded is shown as the line that took its place; what a person took
out and what was never so is not shown (`includes_closed` shows it); what was forgotten never. When none
answers nothing is brought (core/search/relevance), as far as the model's cosines were measured. Without a
model for meanings a search by both is one by words, and `notes` says so; the installed one stands in for a
server that is away.

A `Recall` lives as long as its caller wants to search; it belongs to one thread, as its ledger does.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import Settings
from scrimshaw.core.search import relevance
from scrimshaw.core.search.fusion import REPLACED_SHARE, Ranked, fuse, settle, tie_breaker
from scrimshaw.core.search.owner import as_the_owner_asks
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.types import Closed, Kind, Line
from scrimshaw.errors import UserError
from scrimshaw.host.openclaw import names_in_profile
from scrimshaw.index.words import ALL, DocumentFilter, IndexDamaged, Words
from scrimshaw.layout import Layout
from scrimshaw.services.search import index
from scrimshaw.services.search.meanings import AcrossLanguages, Meaning, Meanings, problem_text
from scrimshaw.store.ledger import Ledger

if TYPE_CHECKING:
    from scrimshaw.core.text.moments import Span
    from scrimshaw.index.embedding import Embedder
    from scrimshaw.index.reranking import Reranker

CANDIDATES = 100  # of each list; what both have further down is no answer
_SPARE = 8  # lines that are read from the ledger beyond those wanted, since some fall out
_DAY_MS = 86_400_000
_NEVER_SO = frozenset({Closed.WITHDRAWN, Closed.DELETED, Closed.UNDONE})
_TAKEN_OVER = frozenset({Closed.MERGED, Closed.EDITED})
_NOT_SHOWN = _NEVER_SO | _TAKEN_OVER | {Closed.FORGOTTEN, Closed.SUPERSEDED}
_LONGEST_CHAIN = 16
_LONGEST_QUERY = 10_000  # characters; a model reads fewer


class SearchMode(StrEnum):
    """What is compared."""

    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is searched for, and within what."""

    query: str
    mode: SearchMode = SearchMode.HYBRID
    limit: int = 10
    kinds: tuple[Kind, ...] = ()
    when: Span | None = None  # when it was said
    min_score: float = 0.0
    includes_closed: bool = False
    is_deep: bool = False  # the best hits are read again, question and line together
    has_floor: bool = True  # nothing is brought when nothing answers (core/search/relevance)
    is_quick: bool = False  # by meaning only as far as all that takes is at hand

    def is_within(self, said_at_ms: int) -> bool:
        """Tell whether what was said at that time is searched for."""
        when = self.when
        return when is None or milliseconds(when.start) <= said_at_ms < milliseconds(when.end)


class SearchHit(NamedTuple):
    """A line that was found; *score* is 0..1, the parts are None where no word, or no vector, was compared.

    *number*, score and parts are of the line whose words or meaning were found: of the one that this line
    took the place of, where that is why it is here.
    """

    line: Line
    number: int
    score: float
    lexical: float | None
    semantic: float | None
    successor: Line | None = None  # the line that took its place, for one that no longer holds


class FoundLines(NamedTuple):
    """What a search brought: *mode* is what was really compared, *notes* are sentences for the person.

    *lacks* is the one of them that stays true from search to search: no model. Said once is enough.
    *left_out* is how many lines were near and did not answer (core/search/relevance).
    """

    hits: tuple[SearchHit, ...]
    mode: SearchMode
    notes: tuple[str, ...] = ()
    lacks: str = ""
    left_out: int = 0


class Recall:
    """Searching in one workspace."""

    def __init__(
        self, layout: Layout, ledger: Ledger, settings: Settings, now: datetime, *, is_brief: bool = False
    ) -> None:
        """*is_brief*: for one search; what has to be loaded is loaded faster and runs slower."""
        self._layout, self.ledger = layout, ledger  # which may be closed between two searches
        self.is_brief = is_brief
        self._words: Words | None = None
        self.meanings = Meanings(layout, settings, is_brief=is_brief)
        self._reranker: Reranker | None = None
        self._is_measured = True  # whether the floor is known for what is compared
        self._foreign: set[int] = set()  # candidates that the model of all languages has compared
        self._left_out = 0  # hits of this search that lay below the floor
        self._now = now

    def search(self, wanted: SearchQuery, now: datetime | None = None) -> FoundLines:
        """Return what answers *wanted*, best first."""
        self._now = now or self._now
        names = names_in_profile(self._layout.workspace)
        wanted = replace(wanted, query=as_the_owner_asks(_sound(wanted.query), names))
        if not wanted.query:
            return FoundLines((), wanted.mode)  # nothing is like nothing
        for is_again in (False, True):
            try:
                return self._search(wanted)
            except IndexDamaged:  # or a forgetting elsewhere took it away: then it is opened anew
                self._words = None
                if is_again:
                    index.drop_words(self._layout, self._now)
        return self._search(wanted)

    def _search(self, wanted: SearchQuery) -> FoundLines:
        meaning, notes = self._meaning(wanted) if wanted.mode is not SearchMode.LEXICAL else (None, [])
        mode = wanted.mode if meaning or wanted.mode is SearchMode.LEXICAL else SearchMode.LEXICAL
        self._is_measured, self._left_out = meaning is None or meaning.is_measured, 0
        words = self._current_words() if mode is not SearchMode.SEMANTIC else None
        try:
            candidates = self._candidates(wanted, words, meaning)
        except (UserError, OSError) as error:  # a server that makes vectors went away
            if meaning is None or isinstance(error, IndexDamaged):
                raise
            if self.meanings.stand_in(error):
                return self._search(wanted)
            mode, notes = SearchMode.LEXICAL, [f"Searched by words alone. {problem_text(error)}"]
            self._is_measured = True
            candidates = self._candidates(wanted, self._current_words(), None)
        if wanted.is_deep:
            hits, why = self._read_again(candidates, wanted)
        else:
            hits, why = self._hits(candidates, wanted), ""
        said = tuple(filter(None, (*notes, why)))
        lacks = self.meanings.lacks if self.meanings.lacks in said else ""
        return FoundLines(tuple(hits), mode, said, lacks, self._left_out)

    def _read_again(self, candidates: Sequence[Ranked], wanted: SearchQuery) -> tuple[list[SearchHit], str]:
        """Return the hits in the order of a model that reads question and line together, or why not."""
        from scrimshaw.index import reranking

        why = reranking.why_none() or ("" if is_english(wanted.query) else "its model knows English alone")
        if why:
            return self._hits(candidates, wanted), f"Not read again (--deep): {why}."
        if self._reranker is None:
            self._reranker = reranking.find_reranker()
        assert self._reranker is not None
        more = replace(wanted, limit=max(wanted.limit, reranking.READ_AGAIN), min_score=0.0)
        hits = self._hits(candidates, more)
        read, rest = hits[: reranking.READ_AGAIN], hits[reranking.READ_AGAIN :]
        scores = self._reranker.scores(wanted.query, [hit.line.observation.text for hit in read])
        read = [hit._replace(score=_of_logit(score, hit)) for hit, score in zip(read, scores, strict=True)]
        read.sort(key=lambda hit: (-hit.score, -hit.number))
        # What was not read again stands below all that was.
        least = read[-1].score if read else 0.0
        rest = [hit._replace(score=min(hit.score, least)) for hit in rest]
        kept = [hit for hit in (*read, *rest) if hit.score >= wanted.min_score]
        return kept[: wanted.limit], ""

    def embedder(self, *, is_quick: bool = False) -> Embedder | None:
        """Return what makes vectors of memories for this search, None where nothing does.

        *is_quick*: only what is loaded already.
        """
        if is_quick:
            return self.meanings.memories_at_hand()
        return self.meanings.memories_embedder(self.ledger)

    def _meaning(self, wanted: SearchQuery) -> tuple[Meaning | AcrossLanguages | None, list[str]]:
        """Return what finds lines by their meaning, or None, and what a person should know about it."""
        if wanted.is_quick:
            return self.meanings.at_hand(wanted.query, self.ledger, self._find_foreign), []
        meaning, note = self.meanings.current(self.ledger, self._now)
        if meaning is None:
            return None, [note]
        other, more = self.meanings.of_all_languages(wanted.query, self.ledger, self._now)
        if other is None:
            return meaning, [note, more]
        return AcrossLanguages(meaning, other, self._find_foreign), [note, more]

    def _find_foreign(self, numbers: Collection[int]) -> set[int]:
        lines = self.ledger.numbered.lines(numbers)
        return {number for number, line in lines.items() if not is_english(line.observation.text)}

    def _candidates(
        self, wanted: SearchQuery, words: Words | None, meaning: Meaning | AcrossLanguages | None
    ) -> list[Ranked]:
        found = ranked(
            wanted.query,
            words,
            meaning,
            depth=max(CANDIDATES, 4 * wanted.limit),
            narrowed=_narrowed(wanted),
            among=self._among(wanted) if meaning else None,
        )
        self._foreign = {one.key for one in found if one.is_foreign}
        return found

    def _current_words(self) -> Words:
        if self._words is None:
            self._words = index.open_words(self._layout, self.ledger, self._now)
        else:
            index.bring_up_to_date(self._words, self._layout, self.ledger, self._now)
        return self._words

    def _among(self, wanted: SearchQuery) -> Sequence[int] | None:
        if not wanted.kinds and wanted.when is None:
            return None
        narrowed = _narrowed(wanted)
        first, last = (_iso(day) for day in (narrowed.first, narrowed.last))
        return self.ledger.numbered.among(narrowed.kinds, first, last)

    # -- from candidates to hits --------------------------------------------------------------------------

    def _hits(self, candidates: Sequence[Ranked], wanted: SearchQuery) -> list[SearchHit]:
        looked_at = wanted.limit + _SPARE
        while True:
            hits, texts = self._settled(candidates[:looked_at], wanted)
            if len(hits) >= wanted.limit or looked_at >= len(candidates):
                return self._standing_out(hits[: wanted.limit], texts, wanted)
            looked_at *= 4

    def _standing_out(
        self, hits: list[SearchHit], texts: Mapping[int, str], wanted: SearchQuery
    ) -> list[SearchHit]:
        """Return those of *hits* that are to be shown: none when none of them answers."""
        if not hits or not wanted.has_floor or not self._is_measured:
            return hits
        found = [(hit.number, hit.semantic) for hit in hits]
        by_words = wanted.mode is not SearchMode.SEMANTIC
        words, foreign = self._current_words(), self._foreign
        kept = standing_out(wanted.query, found, texts, words, by_words=by_words, foreign=foreign)
        self._left_out = sum(hit.number not in kept for hit in hits)
        return [hit for hit in hits if hit.number in kept]

    def _settled(
        self, candidates: Sequence[Ranked], wanted: SearchQuery
    ) -> tuple[list[SearchHit], dict[int, str]]:
        """Return *candidates* as hits, in the order that their standing gives them, and their texts."""
        lines = self.ledger.numbered.lines([one.key for one in candidates])
        ties = {number: self._tie(line) for number, line in lines.items()}
        replaced = {n for n, line in lines.items() if line.standing.closed is Closed.SUPERSEDED}
        ranked = settle(candidates, ties=ties, replaced=replaced)
        hits: dict[str, SearchHit] = {}
        for one in ranked:
            for hit in self._shown(one, lines.get(one.key), wanted):
                before = hits.get(hit.line.observation.id)
                if hit.score >= wanted.min_score and (before is None or before.score < hit.score):
                    hits[hit.line.observation.id] = hit
        kept = [hit for hit in hits.values() if _is_within(hit.line, wanted)]
        # As they are indexed: a pattern is a text, too.
        texts = {n: f"{line.observation.text} {line.observation.pattern}" for n, line in lines.items()}
        return sorted(kept, key=lambda hit: (-hit.score, -hit.number)), texts

    def _shown(self, one: Ranked, line: Line | None, wanted: SearchQuery) -> list[SearchHit]:
        """Return what is shown for a candidate: the line, the one that took its place, both, or nothing."""
        if line is None:
            return []
        closed = line.standing.closed
        parts = (one.lexical, one.semantic)
        if closed in _NEVER_SO and not wanted.includes_closed:
            return []
        end = self._end(line) if line.standing.closed_by else None
        heir = end if end and end.standing.closed not in _NOT_SHOWN else None
        if closed in _TAKEN_OVER and not wanted.includes_closed:
            # The words that were looked for stood in the older wording; what holds is the newer one.
            return [SearchHit(heir, one.key, one.score, *parts)] if heir else []
        hits = [SearchHit(line, one.key, one.score, *parts, end)]
        if closed is Closed.SUPERSEDED and heir:
            # Who asks with the words of what was so wants to know what is so.
            hits.append(SearchHit(heir, one.key, min(1.0, one.score / REPLACED_SHARE), *parts))
        return hits

    def _end(self, line: Line) -> Line | None:
        """Return the line at the end of the chain of those that took each other's place."""
        end: Line | None = line
        for _ in range(_LONGEST_CHAIN):
            if end is None or not end.standing.closed_by:
                break
            end = self.ledger.line(end.standing.closed_by)
        return end

    def _tie(self, line: Line) -> float:
        age_days = (milliseconds(self._now) - line.observation.said_at_ms) / _DAY_MS
        return tie_breaker(
            age_days=age_days, priority=line.observation.priority, is_pinned=line.standing.is_pinned
        )


def ranked(
    query: str,
    words: Words | None,
    meaning: Meaning | AcrossLanguages | None,
    *,
    depth: int = CANDIDATES,
    narrowed: DocumentFilter = ALL,
    among: Sequence[int] | None = None,
) -> list[Ranked]:
    """Return the documents that answer *query*, best first, by the indexes that are given; at most 2 *depth*.

    Knows no ledger: the benches search with it, too.
    """
    found = words.search(query, depth, narrowed) if words else []
    if meaning is None:
        return fuse(found, [])
    asked = meaning.ask(query)
    both = fuse(found, asked.nearest(depth, among))
    # What only its words have brought is to be judged by its meaning, too (core/search/relevance).
    cosines = asked.cosines([one.key for one in both if one.semantic is None])
    foreign = asked.foreign([one.key for one in both])
    return [
        one._replace(
            semantic=cosines.get(one.key) if one.semantic is None else one.semantic,
            is_foreign=one.key in foreign,
        )
        for one in both
    ]


def standing_out(
    query: str,
    found: Sequence[tuple[int, float | None]],
    texts: Mapping[int, str],
    words: Words,
    *,
    by_words: bool = True,
    foreign: Collection[int] = (),
) -> set[int]:
    """Return the keys of those of *found* (key, cosine) that are to be shown: none when none answers *query*.

    *foreign*: the keys of those whose cosines are of the model of all languages. Knows no ledger: the benches
    ask it, too.
    """
    question = words.asked(query)
    said = [
        relevance.evidence(question, words.words_of(texts[key]), cosine, is_foreign=key in foreign)
        for key, cosine in found
    ]
    shown = relevance.standing_out(question, said, by_words=by_words)
    return {key for (key, _), is_shown in zip(found, shown, strict=True) if is_shown}


def places(hit: SearchHit, ledger: Ledger, layout: Layout, in_section: Collection[str]) -> tuple[str, ...]:
    """Return where a person finds the line: the section, and files as the workspace names them."""
    observation = hit.line.observation
    found = ["section"] if observation.id in in_section else []
    dated = layout.dated / f"obs-{observation.local_date}.md"
    if dated.exists():
        found.append(dated.relative_to(layout.workspace).as_posix())
    archive = ledger.frames.file_of(observation.id)
    if archive and (layout.episodic / archive).exists():
        found.append((layout.episodic / archive).relative_to(layout.workspace).as_posix())
    return tuple(found)


def _sound(query: str) -> str:
    """Return *query* without what is no text (a byte that a terminal sent astray), and not endless."""
    return query[:_LONGEST_QUERY].encode("utf-8", "replace").decode().strip()


def _of_logit(score: float, hit: SearchHit) -> float:
    """Return a reranker's score on the scale of all scores, 0..1."""
    share = REPLACED_SHARE if hit.line.standing.closed is Closed.SUPERSEDED else 1.0
    return share / (1 + math.exp(-max(-60.0, min(60.0, score))))


def _is_within(line: Line, wanted: SearchQuery) -> bool:
    is_kind = not wanted.kinds or line.observation.kind in wanted.kinds
    return is_kind and wanted.is_within(line.observation.said_at_ms)


def _narrowed(wanted: SearchQuery) -> DocumentFilter:
    """Return what the indexes can look for: whole days, a day wider than asked, since they know no zones."""
    kinds = tuple(kind.value for kind in wanted.kinds)
    if wanted.when is None:
        return DocumentFilter(kinds)
    day = timedelta(days=1)
    first, last = (moment.astimezone(UTC).date() for moment in wanted.when)
    return DocumentFilter(kinds, (first - day).toordinal(), (last + day).toordinal())


def _iso(ordinal: int) -> str:
    if ordinal <= 0:
        return ""
    return date.fromordinal(ordinal).isoformat() if ordinal < ALL.last else "9999-12-31"
