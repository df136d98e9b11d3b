"""A memory that a server holds, for a program: what `Memory` does, over HTTP or a unix socket.

    from scrimshaw import Client

    with Client("http://127.0.0.1:18892", agent="albert", token=token) as memory:
        memory.store("Gareth pays on Mondays")
        for hit in memory.search("when does Gareth pay?").results:
            print(hit["content"])

Methods have the names and arguments of `Memory`'s. A `ServerReply` has the fields that `to_dict()` of its
result has; what the owner can mend is raised as the same `UserError`. Where an older program answers that
speaks version 1 alone, `store`, `recall`, `search`, `memories`, `learn` and `knowledge` still work.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

from scrimshaw.client.transport import Answer, Transport, error_of
from scrimshaw.errors import UserError

_V2 = "/api/v2/memory"
_V1 = "/api"
When = str | date | datetime


class ServerReply:
    """What the server answered: its fields as attributes, and as JSON with `to_dict()`."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", dict(fields))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # JSON of any shape
        """Return a field."""
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"the server's answer has no {name}: {', '.join(self._fields)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: an answer is what it is."""
        raise AttributeError(f"an answer cannot be changed: {name}")

    def to_dict(self) -> dict[str, Any]:
        """Return it as the server sent it."""
        return dict(self._fields)

    def __eq__(self, other: object) -> bool:
        """Tell whether both say the same."""
        return isinstance(other, ServerReply) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]  # it holds dicts

    def __str__(self) -> str:
        """Return it as indented JSON."""
        return json.dumps(self._fields, ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        """Return what it is made of."""
        return f"ServerReply({self._fields!r})"


class Client:
    """The memory of *agent* at a server: its *url*, or *socket*, the path of its unix socket."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:18892",
        *,
        agent: str | None = None,
        token: str = "",
        token_file: str | Path | None = None,
        socket: str | Path | None = None,
        timeout: float = 60.0,
    ) -> None:
        """Take an address; nothing is asked yet. Without *agent* the one that the token is for is meant.

        The token is in *token*, or in *token_file*, or in the variable SCRIMSHAW_TOKEN.
        """
        said = Path(token_file).read_text("utf-8").strip() if token_file else token
        self.agent = agent
        self._transport = Transport(
            url,
            Path(socket) if socket else None,
            said or os.environ.get("SCRIMSHAW_TOKEN", ""),
            timeout,
        )
        self._version = 0

    def close(self) -> None:
        """Close this thread's connection."""
        self._transport.close()

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Return whose memory it is."""
        return f"Client(agent={self.agent!r})"

    @property
    def version(self) -> int:
        """Which version the server speaks: 2, or 1 where an older program answers."""
        if not self._version:
            answer = self._transport.send("GET", "/health")
            try:
                told = json.loads(answer.body)
            except ValueError:
                told = {}
            spoken = told.get("api_versions", ()) if isinstance(told, dict) else ()
            self._version = 2 if "v2" in spoken else 1
        return self._version

    # -- memories --------------------------------------------------------------------------------------------

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
            return ServerReply(self._ask("POST", f"{_V1}/memories", told))
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
        """Return what answers *query*: its `results` are those of `Memory.search`, best first."""
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
            asked["time_range"] = _without_none(after=_said(since), before=_said(until))
        return self._post("/search", asked)

    def recall(self, query: str, k: int = 10) -> ServerReply:
        """Return the *k* best that answer *query*, and have it noted that they were asked for."""
        return self._search_v1(query, k) if self.version == 1 else self._get("/recall", q=query, top_k=k)

    def memory(self, id: str) -> ServerReply:  # noqa: A002  # the name that programs know
        """Return the memory with this id; raises NotFoundError."""
        return self._get(f"/memories/{_part(id)}")

    def memories(
        self, limit: int = 100, *, after: str | None = None, text: str = "", **narrowed: str
    ) -> ServerReply:
        """Return memories of the working layer, the newest first; *after* of a page asks for the next."""
        if self.version == 1:
            return ServerReply(_listed(self._ask("GET", f"{_V1}/memories"), "memories"))
        return self._page("/memories", limit=limit, cursor=after, text=text or None, **narrowed)

    def update_memory(self, id: str, *, if_version: int | None = None, **changes: Any) -> ServerReply:  # noqa: A002, ANN401
        """Change `content`, `importance`, `metadata` or `pinned` of a memory; as `Memory.update_memory`."""
        return ServerReply(self._change("PATCH", f"/memories/{_part(id)}", if_version, changes))

    def delete_memory(self, id: str, *, if_version: int | None = None) -> None:  # noqa: A002
        """Take a memory out of the working layer; as `Memory.delete_memory`."""
        self._change("DELETE", f"/memories/{_part(id)}", if_version)

    def learn(self, content: str, **how: Any) -> ServerReply:  # noqa: ANN401  # as `Memory.learn` takes it
        """Put a piece of knowledge into the working layer; as `Memory.learn`."""
        if self.version == 1:
            return ServerReply(self._ask("POST", f"{_V1}/knowledge", {"content": content, **how}))
        return self._post("/knowledge", {"content": content, **how})

    def update_knowledge(self, id: str, *, if_version: int | None = None, **changes: Any) -> ServerReply:  # noqa: A002, ANN401
        """Change a piece of knowledge; as `Memory.update_knowledge`."""
        return ServerReply(self._change("PATCH", f"/knowledge/{_part(id)}", if_version, changes))

    def knowledge(
        self, limit: int = 100, *, after: str | None = None, text: str = "", **narrowed: str
    ) -> ServerReply:
        """Return what was learnt, the newest first; as `Memory.knowledge`."""
        if self.version == 1:
            return ServerReply(_listed(self._ask("GET", f"{_V1}/knowledge"), "knowledge"))
        return self._page("/knowledge", limit=limit, cursor=after, text=text or None, **narrowed)

    def consolidate(self, *, dry_run: bool = False, ttl_override: str | None = None) -> ServerReply:
        """Move memories that have expired into the ledger; as `Memory.consolidate`."""
        return self._post("/consolidate", _without_none(dry_run=dry_run, ttl_override=ttl_override))

    # -- conversations ---------------------------------------------------------------------------------------

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
        """Keep what *role* said in the conversation *thread_id*; as `Memory.add_message`."""
        told = {
            "content": content,
            "role": role,
            "resource_id": resource_id,
            "id": message_id,
            "timestamp": _said(timestamp),
        }
        return self._post(f"/conversations/{_part(thread_id)}/messages", _without_none(**told))

    def get_context(self, thread_id: str, resource_id: str = "", **how: Any) -> ServerReply:  # noqa: ANN401
        """Return what to send to a model for the next turn; *how* as `Memory.get_context` takes it."""
        return self._post(f"/conversations/{_part(thread_id)}/context", {"resource_id": resource_id, **how})

    def report_usage(self, **used: Any) -> None:  # noqa: ANN401  # as `Memory.report_usage` takes it
        """Keep what an answer of the caller's model used."""
        self._ask("POST", f"{_V2}/usage", self._named(used))

    def force_observe(self, thread_id: str) -> ServerReply:
        """Observe *thread_id* now, however little of it waits."""
        return self._post(f"/conversations/{_part(thread_id)}/observe", {})

    def conversation(self, thread_id: str) -> ServerReply:
        """Return what is kept of *thread_id*: its state, and the size of its log of observations."""
        return self._get(f"/conversations/{_part(thread_id)}/memory")

    def conversations(self, limit: int = 100) -> ServerReply:
        """Return the conversations that programs have handed in, the one with the newest message first."""
        return self._get("/conversations", limit=limit)

    # -- the ledger ------------------------------------------------------------------------------------------

    def why(self, line: str) -> ServerReply:
        """Return what a line rests on; as `Memory.why`."""
        return self._of_agent("why", line=line)

    def as_of(self, when: When) -> ServerReply:
        """Return the section exactly as the agent saw it then; a day means its end."""
        return self._of_agent("as-of", when=_said(when))

    def known_at(self, when: When, query: str, *, limit: int = 10) -> ServerReply:
        """Return what had been said by then and answers *query*, also if it was noted later."""
        return self._of_agent("as-of", when=_said(when), q=query, limit=limit)

    def log(self, limit: int = 20) -> ServerReply:
        """Return the newest revisions of the section, the newest first."""
        return self._of_agent("log", limit=limit)

    def diff(self, first: int | When | None = None, second: int | When | None = None) -> ServerReply:
        """Return what the newest revision changed, what *first* did, or what differs between two."""
        asked = [one if isinstance(one, int) else _said(one) for one in (first, second)]
        return self._of_agent("diff", first=asked[0], second=asked[1])

    def status(self) -> ServerReply:
        """Return sources, backlog, the section against its budget, the last run, and what is wrong."""
        return self._of_agent("status")

    def add(self, text: str, *, kind: str | None = None, importance: str | None = None) -> ServerReply:
        """Note something: an owner's token as the person's words, another as the agent's."""
        return self._post("/notes", _without_none(text=text, kind=kind, importance=importance))

    def pin(self, line: str) -> ServerReply:
        """Pin a line: shown first, never merged away."""
        return self._post("/pin", {"line": line})

    def unpin(self, line: str) -> ServerReply:
        """Let a pinned line give way like any other again."""
        return self._post("/unpin", {"line": line})

    def observe(self, *, dry_run: bool = False) -> ServerReply:
        """Read what is new, note what matters, and bring MEMORY.md up to date."""
        return self._post("/observe", {"dry_run": dry_run})

    def reflect(self, *, dry_run: bool = False) -> ServerReply:
        """Merge what was said twice, and let go of what was replaced or is over."""
        return self._post("/reflect", {"dry_run": dry_run})

    def undo(self, revision: int | None = None, *, dry_run: bool = False) -> ServerReply:
        """Take back what a revision of the section brought."""
        return self._post("/undo", _without_none(revision=revision, dry_run=dry_run))

    def plan_forget(
        self, words: str = "", *, session: str = "", before: When | None = None, all_lines: bool = False
    ) -> ServerReply:
        """Return what would go; nothing is written. `forget` takes it."""
        asked = _without_none(words=words, session=session, before=_said(before), all_lines=all_lines)
        return ServerReply({**self._post("/forget/plan", asked).to_dict(), "asked": asked})

    def forget(self, plan: ServerReply) -> ServerReply:
        """Forget what *plan* has shown, for good; refused where that would be something else by now."""
        return self._post("/forget", {**plan.asked, "plan": plan.plan})

    def timeline(
        self, *, since: When | None = None, until: When | None = None, limit: int = 500
    ) -> ServerReply:
        """Return what was noted, by when it was said: `entries`."""
        return self._of_agent("timeline", **{"from": _said(since), "to": _said(until), "limit": limit})

    def stats(self) -> ServerReply:
        """Return how much both layers hold."""
        return self._get("/stats")

    def export(self, path: str | Path) -> Path:
        """Write the memory to a new portable `.mv2` file and return its path."""
        target = Path(path)
        if target.exists():
            raise UserError(f"{target}: is there already. Nothing was exported.", next_step="name a new file")
        answer = self._sent("GET", f"{_V2}/export/{_part(self._agent())}")
        target.write_bytes(answer.body)
        target.chmod(0o600)
        return target

    # -- asking ----------------------------------------------------------------------------------------------

    def _search_v1(self, query: str, limit: int) -> ServerReply:
        told = _listed(self._ask("GET", f"{_V1}/memories/search?{urlencode({'q': query})}"), "results")
        return ServerReply({**told, "query": query, "results": told["results"][:limit]})

    def _get(self, path: str, **query: Any) -> ServerReply:  # noqa: ANN401  # what goes into a query
        return ServerReply(self._ask("GET", f"{_V2}{path}?{urlencode(_without_none(**self._named(query)))}"))

    def _page(self, path: str, **query: Any) -> ServerReply:  # noqa: ANN401  # as above
        told = self._get(path, **query).to_dict()
        return ServerReply({**told, "after": told.pop("next_cursor", None)})

    def _of_agent(self, what: str, **query: Any) -> ServerReply:  # noqa: ANN401  # as above
        words = urlencode(_without_none(**query))
        return ServerReply(self._ask("GET", f"{_V2}/{what}/{_part(self._agent())}?{words}"))

    def _post(self, path: str, body: Mapping[str, Any]) -> ServerReply:
        return ServerReply(self._ask("POST", _V2 + path, self._named(body)))

    def _change(
        self, method: str, path: str, if_version: int | None, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Change what is at *path*, whatever its version where the caller does not say."""
        tag = "*" if if_version is None else f'"{if_version}"'
        answer = self._sent(method, f"{_V2}{path}?{urlencode(self._named({}))}", body, {"If-Match": tag})
        return dict(answer.json()) if answer.body else {}

    def _ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401  # JSON of any shape
        return self._sent(method, path, body).json()

    def _sent(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        if path.startswith(_V2) and self.version == 1:
            raise UserError(
                "The server speaks version 1 alone. Nothing was asked of it.",
                next_step="pip install --upgrade scrimshaw, and start it anew",
            )
        answer = self._transport.send(method, path, body, headers=headers)
        if answer.status >= 300:
            raise error_of(answer)
        return answer

    def _named(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {**fields, **({"agent": self.agent} if self.agent else {})}

    def _agent(self) -> str:
        if self.agent is None:
            raise ValueError("agent: this needs Client(agent=…)")
        return self.agent


def _said(when: When | None) -> str | None:
    return when.isoformat() if isinstance(when, date) else when


def _part(text: str) -> str:
    return quote(text, safe="")


def _without_none(**fields: Any) -> dict[str, Any]:  # noqa: ANN401  # what goes into JSON or a query
    return {name: value for name, value in fields.items() if value is not None}


def _listed(told: Any, name: str) -> dict[str, Any]:  # noqa: ANN401  # JSON of any shape
    """Return what version 1 answers, a list or an object with one, as an object."""
    return {name: told} if isinstance(told, list) else dict(told)
