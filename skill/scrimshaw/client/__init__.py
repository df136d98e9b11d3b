"""A memory that a server holds, for a program: what `Memory` does, over HTTP or a unix socket.

    from scrimshaw import Client

    with Client("http://127.0.0.1:18892", agent="albert", token=token) as memory:
        memory.store("Gareth pays on Mondays")
        for hit in memory.search("when does Gareth pay?").results:
            print(hit["content"])

Methods have the names and arguments of `Memory`'s. A `ServerReply` has the fields of its result's
`to_dict()`; errors are raised as the same `UserError`. With an older server that speaks version 1 only,
`store`, `recall`, `search`, `memories`, `learn` and `knowledge` still work.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from scrimshaw.client.asking import (
    V1,
    V2,
    Asking,
    ServerReply,
    When,
    as_object,
    part,
    time_argument,
    without_none,
)
from scrimshaw.errors import UserError

__all__ = ["Client", "ServerReply"]


class Client(Asking):
    """The memory of *agent* at a server: its *url*, or *socket*, the path of its unix socket."""

    # -- memories -------------------------------------------------------------------------------------------

    def store(
        self,
        content: str,
        *,
        type: str = "episodic",  # noqa: A002  # the name that programs know
        importance: float = 0.5,
        metadata: Mapping[str, Any] | None = None,
        pin: bool = False,
    ) -> ServerReply:
        """Put a memory into the working layer; as `Memory.store`."""
        told = {"content": content, "type": type, "importance": importance, "metadata": dict(metadata or {})}
        if self.version == 1:
            return ServerReply(self._ask("POST", f"{V1}/memories", told))
        return self._post("/store", {**told, "pin": pin})

    def search(
        self,
        query: str,
        *,
        mode: str = "hybrid",
        limit: int = 10,
        since: When | None = None,
        until: When | None = None,
        min_score: float = 0.0,
        layers: Iterable[str] = ("working", "episodic"),
    ) -> ServerReply:
        """Return what answers *query*; its `results` are those of `Memory.search`, best first."""
        if self.version == 1:
            return self._search_v1(query, limit)
        asked: dict[str, Any] = {
            "query": query,
            "mode": mode,
            "top_k": limit,
            "min_score": min_score,
            "layers": list(layers),
        }
        if since is not None or until is not None:
            asked["time_range"] = without_none(after=time_argument(since), before=time_argument(until))
        return self._post("/search", asked)

    def recall(self, query: str, k: int = 10) -> ServerReply:
        """Return the best *k* results for *query*, and record that they were used."""
        return self._search_v1(query, k) if self.version == 1 else self._get("/recall", q=query, top_k=k)

    def memory(self, id: str) -> ServerReply:  # noqa: A002  # the name that programs know
        """Return the memory with this id; raises NotFoundError."""
        return self._get(f"/memories/{part(id)}")

    def memories(
        self, limit: int = 100, *, after: str | None = None, text: str = "", **narrowed: str
    ) -> ServerReply:
        """Return memories of the working layer, the newest first; `after` of a page gets the next page."""
        if self.version == 1:
            return ServerReply(as_object(self._ask("GET", f"{V1}/memories"), "memories"))
        return self._page("/memories", limit=limit, cursor=after, text=text or None, **narrowed)

    def update_memory(self, id: str, *, if_version: int | None = None, **changes: Any) -> ServerReply:  # noqa: A002, ANN401
        """Change `content`, `importance`, `metadata` or `pinned` of a memory; as `Memory.update_memory`."""
        return ServerReply(self._change("PATCH", f"/memories/{part(id)}", if_version, changes))

    def delete_memory(self, id: str, *, if_version: int | None = None) -> None:  # noqa: A002
        """Delete a memory from the working layer; as `Memory.delete_memory`."""
        self._change("DELETE", f"/memories/{part(id)}", if_version)

    def learn(self, content: str, **how: Any) -> ServerReply:  # noqa: ANN401  # as `Memory.learn` takes it
        """Put a piece of knowledge into the working layer; as `Memory.learn`."""
        if self.version == 1:
            return ServerReply(self._ask("POST", f"{V1}/knowledge", {"content": content, **how}))
        return self._post("/knowledge", {"content": content, **how})

    def update_knowledge(self, id: str, *, if_version: int | None = None, **changes: Any) -> ServerReply:  # noqa: A002, ANN401
        """Change a piece of knowledge; as `Memory.update_knowledge`."""
        return ServerReply(self._change("PATCH", f"/knowledge/{part(id)}", if_version, changes))

    def knowledge(
        self, limit: int = 100, *, after: str | None = None, text: str = "", **narrowed: str
    ) -> ServerReply:
        """Return pieces of knowledge, the newest first; as `Memory.knowledge`."""
        if self.version == 1:
            return ServerReply(as_object(self._ask("GET", f"{V1}/knowledge"), "knowledge"))
        return self._page("/knowledge", limit=limit, cursor=after, text=text or None, **narrowed)

    def consolidate(self, *, dry_run: bool = False, ttl_override: str | None = None) -> ServerReply:
        """Move memories that have expired into the ledger; as `Memory.consolidate`."""
        return self._post("/consolidate", without_none(dry_run=dry_run, ttl_override=ttl_override))

    # -- conversations --------------------------------------------------------------------------------------

    def add_message(
        self,
        content: str,
        *,
        thread_id: str,
        role: str = "user",
        resource_id: str = "",
        message_id: str = "",
        timestamp: datetime | None = None,
    ) -> ServerReply:
        """Store what *role* said in the conversation *thread_id*; as `Memory.add_message`."""
        told = {
            "content": content,
            "role": role,
            "resource_id": resource_id,
            "id": message_id,
            "timestamp": time_argument(timestamp),
        }
        return self._post(f"/conversations/{part(thread_id)}/messages", without_none(**told))

    def get_context(self, thread_id: str, resource_id: str = "", **how: Any) -> ServerReply:  # noqa: ANN401
        """Return what to send to a model in the next turn; *how* as `Memory.get_context` takes it."""
        return self._post(f"/conversations/{part(thread_id)}/context", {"resource_id": resource_id, **how})

    def report_usage(self, **used: Any) -> None:  # noqa: ANN401  # as `Memory.report_usage` takes it
        """Record the tokens that a call of the caller's model used."""
        self._sent("POST", f"{V2}/usage", self._named(used))

    def force_observe(self, thread_id: str) -> ServerReply:
        """Observe *thread_id* now, even if only little is waiting."""
        return self._post(f"/conversations/{part(thread_id)}/observe", {})

    def conversation(self, thread_id: str) -> ServerReply:
        """Return the state of *thread_id*, and the size of its log of observations."""
        return self._get(f"/conversations/{part(thread_id)}/memory")

    def close_conversation(self, thread_id: str) -> ServerReply:
        """End *thread_id*: the next consolidation archives the whole conversation."""
        return self._post(f"/conversations/{part(thread_id)}/close", {})

    def conversations(self, limit: int = 100, *, after: str | None = None) -> ServerReply:
        """Return the conversations that programs have stored; as `Memory.conversations`."""
        return self._page("/conversations", limit=limit, cursor=after)

    # -- the ledger -----------------------------------------------------------------------------------------

    def why(self, line: str) -> ServerReply:
        """Return what a line is based on; as `Memory.why`, and for a memory's id as `Memory.why_memory`."""
        return self._of_agent("why", line=line)

    def as_of(self, when: When) -> ServerReply:
        """Return the section exactly as the agent saw it at *when*; a day means its end."""
        return self._of_agent("as-of", when=time_argument(when))

    def known_at(self, when: When, query: str, *, limit: int = 10) -> ServerReply:
        """Return what had been said by *when* and answers *query*, even if it was noted later."""
        return self._of_agent("as-of", when=time_argument(when), q=query, limit=limit)

    def log(self, limit: int = 20, *, before: int | None = None) -> ServerReply:
        """Return the newest revisions of the section, or those before *before*, the newest first."""
        return self._of_agent("log", limit=limit, cursor=before)

    def diff(self, first: int | When | None = None, second: int | When | None = None) -> ServerReply:
        """Return the changes of the newest revision, of *first*, or between two revisions."""
        asked = [one if isinstance(one, int) else time_argument(one) for one in (first, second)]
        return self._of_agent("diff", first=asked[0], second=asked[1])

    def status(self) -> ServerReply:
        """Return sources, backlog, the section against its budget, the last run, and what is wrong."""
        return self._of_agent("status")

    def add(self, text: str, *, kind: str | None = None, importance: str | None = None) -> ServerReply:
        """Add a note: with an owner's token as the person's words, otherwise as the agent's."""
        return self._post("/notes", without_none(text=text, kind=kind, importance=importance))

    def pin(self, line: str) -> ServerReply:
        """Pin a line: shown first, never merged away."""
        return self._post("/pin", {"line": line})

    def unpin(self, line: str) -> ServerReply:
        """Unpin a line, which then may be merged or left out like any other."""
        return self._post("/unpin", {"line": line})

    def observe(self, *, dry_run: bool = False) -> ServerReply:
        """Read what is new, note what matters, and bring MEMORY.md up to date."""
        return self._post("/observe", {"dry_run": dry_run})

    def reflect(self, *, dry_run: bool = False, thread_id: str = "") -> ServerReply:
        """Merge repeated lines and close those that are over; with *thread_id* condense its log."""
        if thread_id:
            return self._post(f"/conversations/{part(thread_id)}/reflect", {})
        return self._post("/reflect", {"dry_run": dry_run})

    def undo(self, revision: int | None = None, *, dry_run: bool = False) -> ServerReply:
        """Undo a revision of the section."""
        return self._post("/undo", without_none(revision=revision, dry_run=dry_run))

    def plan_forget(
        self, words: str = "", *, session: str = "", before: When | None = None, all_lines: bool = False
    ) -> ServerReply:
        """Return what would be forgotten; nothing is written. Pass the result to `forget`."""
        asked = without_none(words=words, session=session, before=time_argument(before), all_lines=all_lines)
        return ServerReply({**self._post("/forget/plan", asked).to_dict(), "asked": asked})

    def forget(self, plan: ServerReply) -> ServerReply:
        """Forget what *plan* lists, for good; refused if the plan would be another by now."""
        return self._post("/forget", {**plan.asked, "plan": plan.plan})

    def timeline(
        self,
        *,
        since: When | None = None,
        until: When | None = None,
        limit: int = 500,
        before: str = "",
    ) -> ServerReply:
        """Return the lines noted, by when they were said: `entries`; *before*: a page's `next_cursor`."""
        span = {"from": time_argument(since), "to": time_argument(until)}
        return self._of_agent("timeline", **span, limit=limit, cursor=before or None)

    def sizes(self) -> ServerReply:
        """Return the sizes of both layers."""
        return self._get("/stats")

    # -- figures, and lists to decide on ---------------------------------------------------------------------

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

    # -- carrying --------------------------------------------------------------------------------------------

    def export(self, path: str | Path, *, since: When | None = None, until: When | None = None) -> Path:
        """Write the memory to a new portable `.mv2` file and return its path."""
        target = Path(path)
        if target.exists():
            raise UserError(f"{target}: is there already. Nothing was exported.", next_step="name a new file")
        words = urlencode(without_none(since=time_argument(since), until=time_argument(until)))
        answer = self._sent("GET", f"{V2}/export/{part(self._agent())}?{words}")
        target.write_bytes(answer.body)
        target.chmod(0o600)
        return target

    def import_(self, path: str | Path) -> ServerReply:
        """Import the archive at *path*; importing it twice changes nothing."""
        edge = uuid.uuid4().hex
        head = (
            f'--{edge}\r\nContent-Disposition: form-data; name="agent"\r\n\r\n{self._agent()}\r\n'
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="memory.mv2"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = head.encode() + Path(path).read_bytes() + f"\r\n--{edge}--\r\n".encode()
        kind = f"multipart/form-data; boundary={edge}"
        return ServerReply(self._sent("POST", f"{V2}/import", body, content_type=kind).json())

    def _search_v1(self, query: str, limit: int) -> ServerReply:
        told = as_object(self._ask("GET", f"{V1}/memories/search?{urlencode({'q': query})}"), "results")
        return ServerReply({**told, "query": query, "results": told["results"][:limit]})
