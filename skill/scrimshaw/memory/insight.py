"""The part of `Memory` that shows what is known, and lets the person say what of it still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrimshaw.memory.base import OpenedMemory

if TYPE_CHECKING:
    from scrimshaw.services.insight.deciding import Choice, DecidedLine


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

    def _decide_on(self, line: str, choice: Choice, *, at_once: bool) -> DecidedLine:
        from scrimshaw.services.edit.author import check_may_decide
        from scrimshaw.services.insight.deciding import decide_on

        check_may_decide(self._env, "stale")
        self._require_set_up("Nothing was changed.")
        with self._logging():
            return decide_on(self._target, line, choice, self.now(), at_once=at_once)
