"""The part of `Client` for figures and doubtful lines, and for the person's decisions on them."""

from __future__ import annotations

from collections.abc import Iterable

from scrimshaw.client.asking import Asking, without_none
from scrimshaw.client.reply import ServerReply


class ClientInsight(Asking):
    """Figures, and lists to decide on."""

    def stats(self) -> ServerReply:
        """Return figures about the memory; as `Memory.stats`."""
        return self._of_agent("facts")

    def stale(
        self, *, min_confidence: float = 0.5, days: int = 30, limit: int = 50, after: str = ""
    ) -> ServerReply:
        """Return the facts that may no longer hold: `stale`; *after*: a page's `next_cursor`."""
        asked = {"min_confidence": min_confidence, "days": days}
        return self._of_agent("stale", **asked, limit=limit, cursor=after or None)

    def trend(self, figure: str, *, days: int = 30) -> ServerReply:
        """Return *figure* at the end of each of the last *days*, the oldest first."""
        return self._of_agent("trend", figure=figure, days=days)

    def conflicts(self, *, limit: int = 50, after: str = "") -> ServerReply:
        """Return the pairs of lines that cannot both hold: `conflicts`; *after*: a page's `next_cursor`."""
        return self._of_agent("conflicts", limit=limit, cursor=after or None)

    def settle_conflict(self, first: str, second: str, settlement: str) -> ServerReply:
        """Settle a conflict: "merge", "keep-both", "delete-1" or "delete-2"."""
        return self._post("/conflicts", {"first": first, "second": second, "settlement": settlement})

    def health(self) -> ServerReply:
        """Return the memory's score, 0 to 100, and what costs points."""
        return self._get("/health")

    def clean(self, *, only: Iterable[str] = (), dry_run: bool = False) -> ServerReply:
        """Remove small talk and duplicates; *only*: some of "junk", "doubled", "unverifiable"."""
        return self._post("/clean", {"only": list(only), "dry_run": dry_run})

    def reinforce(self, line: str) -> ServerReply:
        """Confirm that a line still holds."""
        return self._post("/reinforce", {"line": line})

    def delete_line(self, line: str) -> ServerReply:
        """Remove a line from section and search; `undo` brings it back."""
        return self._post("/delete", {"line": line})

    def review(self, reason: str = "", *, after: str = "") -> ServerReply:
        """Return the proposals that were refused or wait: `proposals`; *after*: a page's `next_cursor`."""
        return self._of_agent("review", reason=reason or None, cursor=after or None)

    def decide(self, id: int, decision: str, text: str = "") -> ServerReply:  # noqa: A002
        """Decide on a proposal: "accept", "reject", or "edit" with the *text* to note instead."""
        return self._post("/review", without_none(id=id, decision=decision, text=text))
