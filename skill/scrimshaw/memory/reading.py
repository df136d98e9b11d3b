"""The part of `Memory` that reads: it takes no lock, and writes only that a line was searched for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from scrimshaw.errors import ArgumentError, CallError, UserError
from scrimshaw.memory.arguments import (
    When,
    check_count,
    check_is,
    check_limit,
    check_share,
    check_text,
    number_or_time,
    one_of_kind,
    readable,
    texts_of,
    typed_time,
)
from scrimshaw.memory.base import OpenedMemory

if TYPE_CHECKING:
    from scrimshaw.core.search.layers import LayerName
    from scrimshaw.core.types import Kind
    from scrimshaw.doctor import Examination
    from scrimshaw.services.history.lines import LinePage, LinesById
    from scrimshaw.services.history.provenance import LineProvenance
    from scrimshaw.services.history.revisions import KnownAt, RevisionLog, SectionAsOf, SectionDiff, Timeline
    from scrimshaw.services.metrics.gather import AgentMetrics
    from scrimshaw.services.models.forecast import Forecast
    from scrimshaw.services.models.spending import SpendReport
    from scrimshaw.services.models.try_model import Tried
    from scrimshaw.services.search.log import SearchResult
    from scrimshaw.services.search.search import SearchMode, SearchQuery
    from scrimshaw.services.search.transcripts import FoundMessages
    from scrimshaw.services.status.sizes import MemorySizes
    from scrimshaw.services.status.status import WorkspaceStatus
    from scrimshaw.services.working.search import LayerHit

_SPEND_DAYS = 30
_LOOK_SECONDS = 60


class MemoryReading(OpenedMemory):
    """What can be asked of the memory."""

    def search(
        self,
        query: str,
        *,
        mode: SearchMode | str = "hybrid",
        limit: int = 10,
        kinds: Iterable[Kind | str] = (),
        since: When | None = None,
        until: When | None = None,
        closed: bool = False,
        min_score: float = 0.0,
        rerank: bool = False,
        transcripts: bool = False,
        layers: Iterable[LayerName | str] = ("working", "episodic"),
        shared: bool = True,
    ) -> SearchResult:
        """Return what answers *query*, best first, with the state of each; empty when nothing does.

        *layers*: "working", what programs stored recently, and "episodic", the ledger's lines; `results` has
        those of both in one order, `hits` the lines. *mode* is "lexical", "semantic" or "hybrid". With
        *closed* also weak matches, and lines that were withdrawn, merged or removed; with *rerank* a local
        model orders the best lines again; with *transcripts* the messages themselves are searched, too. With
        *shared* the `results` include the home's agent `shared`, under that name. Nothing is recorded as
        recalled: `record_recall` does that.
        """
        from scrimshaw.core.search.layers import LayerName
        from scrimshaw.core.types import Kind
        from scrimshaw.services.search.log import search_span, with_note, with_shared
        from scrimshaw.services.search.search import SearchMode, SearchQuery

        self._require_set_up("Nothing was searched.")
        check_limit(limit)
        check_share(min_score=min_score)
        wish = SearchQuery(
            readable(query),
            one_of_kind(SearchMode, mode=mode),
            limit,
            tuple(one_of_kind(Kind, kinds=kind) for kind in texts_of(kinds=kinds)),
            min_score=min_score,
            includes_closed=closed,
            is_deep=rerank,
            has_floor=not closed,
        )
        wanted = frozenset(one_of_kind(LayerName, layers=one) for one in texts_of(layers=layers))
        span = typed_time(since), typed_time(until)

        def answers(of: MemoryReading, *, transcripts: bool) -> SearchResult:
            when = search_span(*span, of.now(), of.target.zone)
            return of._found(replace(wish, when=when), wanted, transcripts=transcripts)

        found = answers(self, transcripts=transcripts)
        try:
            other = self._for_all() if shared else None
            return with_shared(found, answers(other, transcripts=False), limit) if other else found
        except UserError as error:  # the agent's own results are returned all the same
            return with_note(found, f"What is for all agents of this home was not searched. {error}")

    def _found(
        self, wish: SearchQuery, layers: frozenset[LayerName], *, transcripts: bool = False
    ) -> SearchResult:
        """Return what this agent's own *layers* hold that answers *wish*."""
        from scrimshaw.core.search.layers import LayerName
        from scrimshaw.services.search.log import Scope, search, search_again

        scope = Scope(layers, self._working_there() if LayerName.WORKING in layers else None, transcripts)
        if self._asks_once:
            return search(self._target, wish, self.now(), scope)
        with self._recalling:
            found, self._recall = search_again(self._target, wish, self.now(), self._recall, scope)
            self._searches = (self._searches[0] + 1, self._searches[1] + found.seconds)
        return found

    def get(self, ids: Iterable[str]) -> LinesById:
        """Return the lines and memories with these full *ids*, whether or not they still hold.

        A memory that has moved into the ledger is returned as the line that it became.
        Nothing is recorded as used: the search that named them, or `memory`, does that.
        """
        from scrimshaw.services.history.lines import by_id

        self._require_set_up("Nothing was read.")
        layer = self._working_there()
        return by_id(self._target, texts_of(ids=ids), layer.db if layer else None)

    def search_messages(
        self,
        query: str,
        *,
        limit: int = 10,
        since: When | None = None,
        until: When | None = None,
        closed: bool = False,
    ) -> FoundMessages:
        """Return messages of the host's transcripts that answer *query*, and what could not be read."""
        from scrimshaw.services.search.log import search_span
        from scrimshaw.services.search.search import SearchQuery
        from scrimshaw.services.search.transcripts import find_messages

        self._require_set_up("Nothing was searched.")
        span = search_span(typed_time(since), typed_time(until), self.now(), self._target.zone)
        check_limit(limit)
        wanted = SearchQuery(readable(query), limit=limit, when=span, has_floor=not closed)
        return find_messages(self._current(), wanted)

    def record_recall(self, result: SearchResult, *, told: str = "") -> None:
        """Record that the first hits were used, so that they are kept longer; ignores errors, never waits."""
        from scrimshaw.services.search.log import SearchResult, note_searched

        check_is(SearchResult, "what search returned", result=result)
        of_all = {one.id for one in result.of_all.results} if result.of_all else set()
        self._note_used(one for one in result.results if one.id not in of_all)
        if result.of_all is not None and (shared := self._for_all()) is not None:
            shared.record_recall(result.of_all)
        note_searched(self._target, [hit for hit, _ in result.hits], self.now(), told=told)

    def _note_used(self, results: Iterable[LayerHit]) -> None:
        """Record that those of *results* that are memories of this layer were used."""
        from scrimshaw.core.search.layers import LayerName

        if used := [one.id for one in results if one.source is LayerName.WORKING]:
            from scrimshaw.services.working.store import note_used

            note_used(self._working(), self._target.config.settings, used, self.now())

    def timeline(
        self, since: When | None = None, until: When | None = None, *, limit: int = 500, before: str = ""
    ) -> Timeline:
        """Return the lines noted, ordered by when they were said; by default of the last fourteen days.

        If more than *limit*, the newest; *before*: those before the first line of another page, by its id.
        """
        from scrimshaw.services.history.revisions import timeline

        self._require_set_up("Nothing was shown.")
        check_limit(limit)
        check_text(before=before)
        span = {"since": typed_time(since), "until": typed_time(until)}
        return timeline(self._target, self.now(), **span, limit=limit, before=before)

    def lines(
        self,
        limit: int = 50,
        *,
        before: str = "",
        kind: Kind | str = "",
        part: str = "",
        day: date | None = None,
        live: bool | None = True,
    ) -> LinePage:
        """Return the newest lines, the newest first; *before*: those after the `older` of another page.

        Restricted by *kind*, *part* ("standing", "open" or "log") and *day*; *live*: True those in force,
        False those no longer in force, None both.
        """
        from scrimshaw.core.types import Kind, Place
        from scrimshaw.services.history.lines import page_of_lines

        check_limit(limit)
        check_text(before=before)
        self._require_set_up("Nothing was shown.")
        if day is not None and not isinstance(day, date):
            raise ArgumentError(f"day: {day!r:.80} is no date.")
        of_kind = one_of_kind(Kind, kind=kind).value if kind else ""
        of_part = one_of_kind(Place, part=part).value if part else ""
        return page_of_lines(
            self._target, limit=limit, before=before, kind=of_kind, part=of_part, day=day, is_live=live
        )

    def as_of(self, when: When | None = None, *, date: When | None = None) -> SectionAsOf:
        """Return the section exactly as the agent saw it at *when*; a day means its end.

        *date* is another name for *when*.
        """
        from scrimshaw.services.history.revisions import section_as_of

        self._require_set_up("Nothing was shown.")
        asked = typed_time(date if when is None else when)
        if asked is None:
            raise CallError("as_of: needs a time, as when or date. Nothing was shown.")
        return section_as_of(self._target, asked, self.now())

    def known_at(self, when: When, query: str, *, limit: int = 10) -> KnownAt:
        """Return what had been said by *when* and answers *query*, even if it was noted later."""
        from scrimshaw.services.history.revisions import answers_at

        self._require_set_up("Nothing was shown.")
        check_limit(limit)
        return answers_at(self._target, typed_time(when) or "", readable(query), limit, self.now())

    def log(self, limit: int = 20, *, before: int | None = None) -> RevisionLog:
        """Return the newest revisions of the section, the newest first; *before* limits their numbers."""
        from scrimshaw.services.history.revisions import log

        self._require_set_up("Nothing was shown.")
        check_limit(limit)
        if before is not None:
            check_count(before=before)
        return log(self._target, limit, before)

    def diff(self, first: int | When | None = None, second: int | When | None = None) -> SectionDiff:
        """Return the changes of the newest revision, of *first*, or between two revisions.

        Each is a revision's number, or a time at which it was in force.
        """
        from scrimshaw.services.history.revisions import diff

        self._require_set_up("Nothing was shown.")
        said = [number_or_time(one) for one in (first, second) if one is not None]
        return diff(self._target, said, self.now())

    def why(self, line: str) -> LineProvenance:
        """Return what the line that *line* identifies is based on: messages, run, checks, and its history.

        The id of a memory identifies the line that it has become.
        """
        from scrimshaw.services.history.provenance import why

        self._require_set_up("Nothing was shown.")
        return why(self._current(), self._named_line(line))

    def status(self) -> WorkspaceStatus:
        """Return sources, backlog, the section against its budget, the last run, and what is wrong."""
        from scrimshaw.services.status.status import read_status

        return read_status(self._current(), self.now(), self._env)

    def metrics(self, *, renews: bool = True) -> AgentMetrics:
        """Return this agent's figures as in `/metrics`; those of its sources may be a minute old.

        Without *renews* they may be older: reading the sources takes longer than everything else.
        """
        import time

        from scrimshaw.services.metrics.gather import gather

        self._require_set_up("Nothing was counted.")
        looked = self._looked
        if looked is None or (renews and time.monotonic() - looked[0] > _LOOK_SECONDS):
            looked = self._looked = (time.monotonic(), self.status())
        layer = self._working_there()
        return gather(self._target, layer.db if layer else None, self.now(), looked[1], self._searches)

    def sizes(self) -> MemorySizes:
        """Return the sizes of both layers, on disk and in entries, and which model makes their vectors."""
        from scrimshaw.services.status.sizes import sizes

        self._require_set_up("Nothing was read.")
        layer = self._working_there()
        return sizes(self._target, layer.db if layer else None)

    def spend(self, since: date | None = None) -> SpendReport:
        """Return the costs of models since a day (default: thirty days ago), and what the caps leave."""
        from scrimshaw.services.models.spending import spend

        if since is not None and not isinstance(since, date):
            raise ArgumentError(f"since: {since!r:.80} is no date.")
        moment = self.now()
        return spend(self._current(), moment, since or moment.date() - timedelta(days=_SPEND_DAYS))

    def test_model(self, name: str) -> Tried:
        """Send a few invented lines to the model *name*, and return the result."""
        from scrimshaw.models.opening import opener
        from scrimshaw.services.models.try_model import ask_model

        check_text(name=name)
        return ask_model(self._target, name, now=self.now(), opens=opener(self._env))

    def waiting_tokens(self) -> int:
        """Return about how many tokens of conversation wait to be observed; 0 when unknown."""
        from scrimshaw.services.status.backlog import waiting_tokens

        return waiting_tokens(self._target, self.now())

    def forecast(self) -> Forecast | None:
        """Return an estimate of a model's use in a day, from the last days; None without conversations."""
        from scrimshaw.services.models.forecast import forecast_of

        return forecast_of(self._current(), self.now())

    def doctor(self, *, fix: bool = False) -> Examination:
        """Check the machine, the host and this workspace; with *fix* first repair what is safe to repair."""
        from scrimshaw.doctor import examine, mend

        self._check_open()
        return (mend if fix else examine)(self._wanted(), self._env, self.now())
