"""One search of a workspace, with where each hit stands; and what is noted of it afterwards.

Noted are the lines that were asked for (rule 19), and what the person was told search lacks: best effort,
after the answer was printed. Whoever looks something up waits for nobody, and no search fails because
somebody else is writing.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.program_lines import is_put_away
from scrimshaw.core.search.layers import LayerName
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import UserError
from scrimshaw.locks import write_lock
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.search.search import FoundLines, Recall, SearchHit, SearchQuery, places
from scrimshaw.services.working.search import LayerHit, find_memories, in_one_order
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.working.memories import times_moved
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.core.text.moments import Span
    from scrimshaw.services.search.transcripts import FoundMessages
    from scrimshaw.services.working.layer import WorkingLayer

_MOST_LOOKS = 4  # while memories move
_TOLD = "search-lacks"  # the name in the meta
_NO_LINES = "Searched in the working layer alone: memory.episodic.enabled is false."
_NOTHING = "Nothing was searched."
_NOTED = 3  # hits that count as recalled: what stands further down was hardly looked at
_DAY_MS = 86_400_000
_FAR = datetime(9000, 1, 1, tzinfo=UTC)  # what was said by a clock that is ahead is found, too


@dataclass(frozen=True, slots=True)
class SearchResult(WorkspaceResult):
    """What answers a question: *hits* best first, each with where it stands; *messages* where wanted."""

    found: FoundLines
    hits: tuple[tuple[SearchHit, tuple[str, ...]], ...]
    messages: FoundMessages | None = None
    was_told: bool = False  # the person has been told before what this search lacks
    query: str = ""
    results: tuple[LayerHit, ...] = ()  # the hits and the working layer's memories, in one order
    seconds: float = 0.0  # it took
    is_empty: bool = False  # nothing was ever noted where it was searched
    of_all: SearchResult | None = None  # what of the results is the agent's whose memories are for all

    @property
    def working_count(self) -> int:
        """How many of the results are memories of the working layer."""
        return sum(one.source is LayerName.WORKING for one in self.results)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of the search, in sentences: that it went by words alone, for instance."""
        return self.found.notes

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw search --json` prints it for one workspace."""
        return {
            **self.head(),
            "mode": self.found.mode.value,
            "hits": [_hit_dict(hit, where) for hit, where in self.hits],
            "query": self.query,
            "results": [one.to_dict() for one in self.results],
            "working_count": self.working_count,
            "episodic_count": len(self.results) - self.working_count,
            "left_out": self.found.left_out,
            "messages": [message.to_dict() for message in self.messages.messages] if self.messages else [],
            "problems": list(self.messages.problems) if self.messages else [],
        }


def _hit_dict(hit: SearchHit, where: Sequence[str]) -> dict[str, Any]:
    line, standing, after = hit.line.observation, hit.line.standing, hit.successor
    return {
        "id": line.id,
        "text": line.text,
        "kind": line.kind.value,
        "level": "reflection" if line.level else "observation",
        "priority": line.priority,
        "date": line.local_date,
        "time": line.local_time,
        "zone": line.zone,
        "score": round(hit.score, 4),
        "lexical": None if hit.lexical is None else round(hit.lexical, 4),
        "semantic": None if hit.semantic is None else round(hit.semantic, 4),
        "where": list(where),
        "is_live": standing.is_live,
        "closed": standing.closed.value if standing.closed else None,
        "is_set_aside": is_put_away(hit.line),
        "replaced_by": {"id": after.observation.id, "text": after.observation.text} if after else None,
    }


class Scope(NamedTuple):
    """Where to search besides the ledger: the open working layer (None: there is none), the transcripts."""

    layers: Collection[LayerName]
    working: WorkingLayer | None
    transcripts: bool


def search(target: Target, query: SearchQuery, now: datetime, scope: Scope) -> SearchResult:
    """Search *target*'s memory once: what has to be loaded is loaded faster and runs slower."""
    found, recall = search_again(target, query, now, None, scope, is_brief=True)
    recall.ledger.close()
    return found


def search_again(
    target: Target,
    query: SearchQuery,
    now: datetime,
    recall: Recall | None,
    scope: Scope,
    *,
    is_brief: bool = False,
) -> tuple[SearchResult, Recall]:
    """Search with what an earlier search has loaded; return it for the next, which may be another thread's.

    One search at a time: the caller holds a lock.
    """
    for look in range(1, _MOST_LOOKS + 1):
        before = times_moved(scope.working.db) if scope.working else ""
        with _ledger_of(target, recall) as ledger:
            if recall is None:
                recall = Recall(target.layout, ledger, target.config.settings, now, is_brief=is_brief)
            recall.ledger = ledger
            found = _search(target, recall, query, now, scope)
        # What moved from the one layer into the other in between may have been seen in neither.
        if scope.working is None or look == _MOST_LOOKS or times_moved(scope.working.db) == before:
            return found, recall
    raise AssertionError("the last look returns")


@contextmanager
def _ledger_of(target: Target, recall: Recall | None) -> Iterator[Ledger]:
    """Lend the ledger that the search before has left open, where nothing was written since; else open it."""
    ledger = recall.ledger if recall and recall.ledger.still_serves() else None
    if ledger is None:
        if recall:
            recall.ledger.close()
        ledger = open_ledger(target.layout.ledger, create=False, read_only=True)
    try:
        yield ledger
    finally:
        if not ledger.still_serves():
            ledger.close()


def _search(target: Target, recall: Recall, query: SearchQuery, now: datetime, scope: Scope) -> SearchResult:
    began, ledger = time.perf_counter(), recall.ledger
    is_empty = False
    if LayerName.EPISODIC not in scope.layers:
        found = FoundLines((), query.mode)
    elif not target.config.settings.memory_episodic_enabled:
        found = FoundLines((), query.mode, (_NO_LINES,))
    else:
        found = recall.search(query, now)
        is_empty = scope.working is None and not ledger.numbered.last()
    # What is narrowed to kinds asks for lines: a memory has none.
    memories = find_memories(scope.working, recall, query) if scope.working and not query.kinds else []
    results, lines = in_one_order(
        found.hits, memories, query, now, agent=target.agent_id, recall=recall, layer=scope.working
    )
    revision = ledger.latest_revision() if lines else None
    shown = frozenset(revision.line_ids) if revision else frozenset()
    hits = tuple((hit, places(hit, ledger, target.layout, shown)) for hit in lines)
    took = time.perf_counter() - began
    messages = None
    if scope.transcripts:
        # The readers of transcripts: only when asked.
        from scrimshaw.services.search.transcripts import search_messages

        messages = search_messages(target, ledger, query)
    lacks = was_told(ledger, found.lacks)
    return SearchResult(target, found, hits, messages, lacks, query.query, tuple(results), took, is_empty)


def with_note(found: SearchResult, note: str) -> SearchResult:
    """Return *found* with one more sentence to say of it."""
    return replace(found, found=found.found._replace(notes=(*found.notes, note)))


def with_shared(found: SearchResult, theirs: SearchResult, limit: int) -> SearchResult:
    """Return *found* with what *theirs*, of the agent `shared`, has among the best *limit* of both."""
    said = {normal(one.content) for one in found.results}
    other = [one for one in theirs.results if normal(one.content) not in said]
    if not other:
        return found
    best = sorted((*found.results, *other), key=lambda one: -one.score)[:limit]
    kept = {id(one) for one in best}
    lines = {one.id for one in found.results if id(one) in kept}
    results = tuple(one for one in other if id(one) in kept)
    ids = {one.id for one in results}
    hits = tuple(pair for pair in theirs.hits if pair[0].line.observation.id in ids)
    return replace(
        found,
        hits=tuple(pair for pair in found.hits if pair[0].line.observation.id in lines),
        results=tuple(best),
        of_all=replace(theirs, hits=hits, results=results) if results else None,
    )


def best_of(results: Sequence[SearchResult], limit: int) -> list[SearchResult]:
    """Return *results* with no more than the best *limit* hits of all of them."""
    if len(results) == 1:
        return list(results)  # a search keeps to the limit by itself
    every = sorted(
        (-hit.score, where, at) for where, one in enumerate(results) for at, (hit, _) in enumerate(one.hits)
    )
    # With equal scores, too, no more than were asked for.
    kept = {(where, at) for _, where, at in every[:limit]}
    scores = sorted(-hit.score for one in results for hit in one.results)[:limit]
    least = -scores[-1] if scores else 0.0
    return [
        replace(
            one,
            hits=tuple(pair for at, pair in enumerate(one.hits) if (where, at) in kept),
            results=tuple(hit for hit in one.results if hit.score >= least),
        )
        for where, one in enumerate(results)
    ]


def search_span(since: str | None, until: str | None, now: datetime, zone: str) -> Span | None:
    """Return the stretch from the beginning of *since* to the end of *until*; either may be missing."""
    if since is None and until is None:
        return None
    from scrimshaw.core.text.moments import Span  # what reads dates: only when there is one
    from scrimshaw.services.times import check_order, time_named

    first = time_named("since", since or "1970-01-01", now, zone, _NOTHING)
    last = time_named("until", until, now, zone, _NOTHING) if until else Span(now, _FAR)
    check_order("until" if until else "since", first.start, last.end, _NOTHING)
    return Span(first.start, last.end)


def was_told(ledger: Ledger, lacks: str) -> bool:
    """Tell whether the person has been told before that *lacks* is so."""
    return bool(lacks) and ledger.meta().get(_TOLD) == lacks


def note_searched(target: Target, hits: Sequence[SearchHit], now: datetime, *, told: str = "") -> None:
    """Note that the first of *hits* were asked for (rule 19), once a day and line; best effort.

    And that the person was *told* what search lacks.
    """
    first = [hit.line.observation.id for hit in hits[:_NOTED]]
    at_ms = milliseconds(now)
    with suppress(UserError, OSError), open_ledger(target.layout.ledger, create=False) as ledger:
        fresh = [id_ for id_ in first if not _was_recalled(ledger, id_, at_ms)]
        is_news = bool(told) and not was_told(ledger, told)
        if fresh or is_news:
            with write_lock(target.layout.state, by="search", now=now, timeout_seconds=0):
                ledger.append([Event(EventType.RECALLED, id_, at_ms, "search") for id_ in fresh])
                if is_news:
                    ledger.set_meta(_TOLD, told)


def _was_recalled(ledger: Ledger, observation_id: str, at_ms: int) -> bool:
    return any(
        stored.event.type is EventType.RECALLED and abs(at_ms - stored.event.at_ms) < _DAY_MS
        for stored in ledger.events_of(observation_id)
    )
