"""The part of `Memory` that shows what is known, and lets the person say what of it still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrimshaw.memory.arguments import check_limit
from scrimshaw.memory.base import OpenedMemory, both

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from scrimshaw.services.insight.clean import Cleaning
    from scrimshaw.services.insight.conflicts import ConflictDesk, ConflictList, SettledConflict
    from scrimshaw.services.insight.deciding import Choice, DecidedLine
    from scrimshaw.services.insight.health import HealthReport


class MemoryInsight(OpenedMemory):
    """Figures, and lists to decide on."""

    def reinforce(self, line: str, *, at_once: bool = False) -> DecidedLine:
        """Confirm the line that *line* names (words of it, or its id): surer by .3, and young again."""
        from scrimshaw.services.insight.deciding import Choice

        return self._decide_on(line, Choice.REINFORCED, at_once=at_once)

    def delete_line(self, line: str, *, at_once: bool = False) -> DecidedLine:
        """Take the line that *line* names out of section and search; it is not noted again by itself.

        It stays in the ledger, and `undo` brings it back; `forget` is what takes the words away for good.
        """
        from scrimshaw.services.insight.deciding import Choice

        return self._decide_on(line, Choice.DELETED, at_once=at_once)

    def conflicts(self, *, limit: int = 50) -> ConflictList:
        """Return the lines in force that cannot both hold, pair by pair; standing lines first."""
        from scrimshaw.services.insight.conflicts import look

        check_limit(limit)
        self._require_set_up("Nothing was shown.")
        return look(self._target, limit)

    def settle_conflict(
        self, first: str, second: str, settlement: str, *, at_once: bool = False
    ) -> SettledConflict:
        """Settle the conflict between the lines that *first* and *second* name (words of them, or their ids).

        *settlement*: "merge" keeps the newer or surer one and archives the other, "keep-both" remembers that
        both hold, "delete-1" and "delete-2" take one out.
        """
        from scrimshaw.services.edit.author import check_may_decide
        from scrimshaw.services.insight.conflicts import Settlement, settle_one

        check_may_decide(self._env, "conflicts")
        self._require_set_up("Nothing was changed.")
        how = Settlement(settlement)
        with self._logging():
            return settle_one(self._target, first, second, how, self.now(), at_once=at_once)

    def settle_conflicts(self, *, limit: int = 50) -> AbstractContextManager[ConflictDesk]:
        """Open the conflicts to be settled one after the other; `finish` brings MEMORY.md up to date."""
        from scrimshaw.services.edit.author import check_may_decide
        from scrimshaw.services.insight.conflicts import settling

        check_may_decide(self._env, "conflicts")
        check_limit(limit)
        self._require_set_up("Nothing was changed.")
        return both(self._logging(), settling(self._target, self.now(), limit))

    def health(self) -> HealthReport:
        """Return the memory's score, 0 to 100: what takes points, of which lines, and what mends it."""
        from scrimshaw.services.insight.health import look

        self._require_set_up("Nothing was shown.")
        return look(self._current(), self.now())

    def clean(self, *, only: Iterable[str] = (), dry_run: bool = False, at_once: bool = False) -> Cleaning:
        """Take out chatter and what is told twice, as one revision that `undo` takes back.

        *only*: some of "junk", "doubled" and "unverifiable".
        """
        from scrimshaw.core.insight.health import FaultName
        from scrimshaw.services.edit.author import check_may_decide
        from scrimshaw.services.insight.clean import CLEANED, clean, rehearse

        faults = tuple(map(FaultName, only)) or CLEANED
        if dry_run:
            self._require_set_up("Nothing was shown.")
            return rehearse(self._target, self.now(), faults)
        check_may_decide(self._env, "clean")
        self._require_set_up("Nothing was changed.")
        with self._logging():
            return clean(self._target, self.now(), faults, at_once=at_once)

    def _decide_on(self, line: str, choice: Choice, *, at_once: bool) -> DecidedLine:
        from scrimshaw.services.edit.author import check_may_decide
        from scrimshaw.services.insight.deciding import decide_on

        check_may_decide(self._env, "stale")
        self._require_set_up("Nothing was changed.")
        with self._logging():
            return decide_on(self._target, line, choice, self.now(), at_once=at_once)
