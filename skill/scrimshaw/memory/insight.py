"""The part of `Memory` for figures about the memory, and for decisions on doubtful lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from scrimshaw.memory.arguments import (
    check_count,
    check_limit,
    check_share,
    check_text,
    one_of_kind,
    texts_of,
)
from scrimshaw.memory.base import OpenedMemory, both

if TYPE_CHECKING:
    from scrimshaw.services.insight.clean import Cleaning
    from scrimshaw.services.insight.conflicts import ConflictDesk, ConflictList, SettledConflict
    from scrimshaw.services.insight.deciding import Choice, DecidedLine, Decisions
    from scrimshaw.services.insight.health import HealthReport
    from scrimshaw.services.insight.look import StaleResult, StatsResult
    from scrimshaw.services.insight.trend import TrendResult


class MemoryInsight(OpenedMemory):
    """Figures, and lists to decide on."""

    def stats(self) -> StatsResult:
        """Return figures: memories, facts by type, how recent they are, and what is recalled most."""
        from scrimshaw.services.insight.look import stats

        self._require_set_up("Nothing was counted.")
        return stats(self._target, self.now())

    def stale(
        self, *, min_confidence: float = 0.5, days: int = 30, limit: int = 50, after: str = ""
    ) -> StaleResult:
        """Return at most *limit* facts that may no longer hold, the most doubtful first.

        Their effective confidence is below *min_confidence*, or nobody has recalled them for *days*. *after*:
        the `after` of another page, for the next.
        """
        from scrimshaw.services.insight.look import stale

        check_limit(limit)
        check_share(min_confidence=min_confidence)
        check_count(days=days)
        check_text(after=after)
        self._require_set_up("Nothing was looked at.")
        return stale(
            self._target, self.now(), min_confidence=min_confidence, days=days, limit=limit, after=after
        )

    def trend(
        self, figure: str, *, days: int = 30, on_progress: Callable[[int, int], None] | None = None
    ) -> TrendResult:
        """Return *figure* at the end of each of the last *days*, computed from the ledger.

        One of memories, facts, sources, avg_confidence, stale, recalls, conflicts, health, in_section,
        beyond_section, kept_tokens, compression, read_tokens, model_tokens, agent_tokens (these three: of
        that day), a type or freshness of `stats`, or a kind (kind_fact). *on_progress* is called with the
        number of days done and in all.
        """
        return self.trends([figure], days=days, on_progress=on_progress)[0]

    def trends(
        self, figures: Sequence[str], *, days: int = 30, on_progress: Callable[[int, int], None] | None = None
    ) -> list[TrendResult]:
        """Return several *figures* as `trend` does, computed together."""
        from scrimshaw.services.insight.trend import MOST_DAYS, trends

        check_limit(days)
        self._require_set_up("Nothing was looked at.")
        told = on_progress or (lambda _done, _of: None)
        return trends(
            self._target, self.now(), texts_of(figures=figures), min(days, MOST_DAYS), told, self._env
        )

    def deciding(self) -> AbstractContextManager[Decisions]:
        """Open a session in which several lines are confirmed or deleted: one revision, one undo.

        Each decision is stored at once; `finish` updates MEMORY.md. It belongs to the thread that
        opened it.
        """
        from scrimshaw.services.insight.deciding import deciding

        self._require_person("stale", "Nothing was decided.")
        return deciding(self._target, self.now(), "stale")

    def reinforce(self, line: str, *, at_once: bool = False) -> DecidedLine:
        """Confirm the line that *line* identifies (words of it, or its id): confidence +.3, age reset."""
        from scrimshaw.services.insight.deciding import Choice

        return self._decide_on(line, Choice.REINFORCED, at_once=at_once)

    def delete_line(self, line: str, *, at_once: bool = False) -> DecidedLine:
        """Remove the line that *line* identifies from section and search; it is not noted again.

        It stays in the ledger, and `undo` brings it back; only `forget` erases the words.
        """
        from scrimshaw.services.insight.deciding import Choice

        return self._decide_on(line, Choice.DELETED, at_once=at_once)

    def conflicts(
        self, *, limit: int = 50, after: str = "", on_progress: Callable[[int, int], None] | None = None
    ) -> ConflictList:
        """Return pairs of lines in force that cannot both hold; standing lines first.

        *after*: the `after` of another page, for the next. *on_progress* is called now and then with how much
        is done, of how much.
        """
        from scrimshaw.services.insight.conflicts import list_conflicts

        check_limit(limit)
        check_text(after=after)
        self._require_set_up("Nothing was shown.")
        return list_conflicts(self._target, limit, after, on_progress)

    def settle_conflict(
        self, first: str, second: str, settlement: str, *, at_once: bool = False
    ) -> SettledConflict:
        """Settle the conflict between two lines, each identified by words of it or its id.

        *settlement*: "merge" keeps the newer or more certain line and archives the other, "keep-both" stores
        that both hold, "delete-1" and "delete-2" remove one.
        """
        from scrimshaw.services.insight.conflicts import Settlement, settle_one

        self._require_person("conflicts", "Nothing was changed.")
        check_text(first=first, second=second)
        how = one_of_kind(Settlement, settlement=settlement)
        with self._logging():
            return settle_one(self._target, first, second, how, self.now(), at_once=at_once)

    def settle_conflicts(
        self, *, limit: int = 50, on_progress: Callable[[int, int], None] | None = None
    ) -> AbstractContextManager[ConflictDesk]:
        """Open a session for settling conflicts one after another; `finish` updates MEMORY.md.

        *on_progress* is called while they are looked for, as in `conflicts`.
        """
        from scrimshaw.services.insight.conflicts import settling

        self._require_person("conflicts", "Nothing was changed.")
        check_limit(limit)
        return both(self._logging(), settling(self._target, self.now(), limit, on_progress))

    def health(self, *, on_progress: Callable[[int, int], None] | None = None) -> HealthReport:
        """Return the memory's score, 0 to 100, with the lines and the remedy behind each lost point.

        *on_progress* is called now and then with how much is done, of how much.
        """
        from scrimshaw.services.insight.health import score_health

        self._require_set_up("Nothing was shown.")
        return score_health(self._current(), self.now(), self._env, on_progress)

    def clean(self, *, only: Iterable[str] = (), dry_run: bool = False, at_once: bool = False) -> Cleaning:
        """Remove small talk and duplicates, as one revision that `undo` reverts.

        *only*: some of "junk", "doubled" and "unverifiable".
        """
        from scrimshaw.core.insight.health import FaultName
        from scrimshaw.services.insight.clean import CLEANED, clean, rehearse

        faults = tuple(one_of_kind(FaultName, only=one) for one in texts_of(only=only)) or CLEANED
        if dry_run:
            self._require_set_up("Nothing was shown.")
            return rehearse(self._target, self.now(), faults)
        self._require_person("clean", "Nothing was changed.")
        with self._logging():
            return clean(self._target, self.now(), faults, at_once=at_once)

    def _decide_on(self, line: str, choice: Choice, *, at_once: bool) -> DecidedLine:
        from scrimshaw.services.insight.deciding import decide_on

        self._require_person("stale", "Nothing was changed.")
        check_text(line=line)
        with self._logging():
            return decide_on(self._target, line, choice, self.now(), at_once=at_once)
