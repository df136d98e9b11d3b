"""A memory that a server holds, for a program: what `Memory` does, over HTTP or a unix socket.

    from scrimshaw import Client

    with Client("http://127.0.0.1:18892", agent="albert", token=token) as memory:
        memory.store("Gareth pays on Mondays")
        for hit in memory.search("when does Gareth pay?").results:
            print(hit["content"])

Methods have the names and arguments of `Memory`'s. A `Reply` has the fields that `to_dict()` of `Memory`'s
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


class Reply:
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
        return isinstance(other, Reply) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]  # it holds dicts

    def __str__(self) -> str:
        """Return it as indented JSON."""
        return json.dumps(self._fields, ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        """Return what it is made of."""
        return f"Reply({self._fields!r})"


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
    ) -> Reply:
        """Put a memory into the working layer; as `Memory.store`."""
        told = {"content": content, "type": type, "importance": importance, "metadata": dict(metadata or {})}
        if self.version == 1:
            return Reply(self._ask("POST", f"{_V1}/memories", told))
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
    ) -> Reply:
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

    def recall(self, query: str, k: int = 10) -> Reply:
        """Return the *k* best that answer *query*, and have it noted that they were asked for."""
        return self._search_v1(query, k) if self.version == 1 else self._get("/recall", q=query, top_k=k)

    def memory(self, id: str) -> Reply:  # noqa: A002  # the name that programs know
        """Return the memory with this id; raises NotFoundError."""
        return self._get(f"/memories/{_part(id)}")

    def memories(
        self, limit: int = 100, *, after: str | None = None, text: str = "", **narrowed: str
    ) -> Reply:
        """Return memories of the working layer, the newest first; *after* of a page asks for the next."""
        if self.version == 1:
            return Reply(_listed(self._ask("GET", f"{_V1}/memories"), "memories"))
        return self._get("/memories", limit=limit, after=after, text=text or None, **narrowed)

    def update_memory(self, id: str, *, if_version: int | None = None, **changes: Any) -> Reply:  # noqa: A002, ANN401
        """Change `content`, `importance`, `metadata` or `pinned` of a memory; as `Memory.update_memory`."""
        return Reply(self._change("PATCH", f"/memories/{_part(id)}", if_version, changes))

    def delete_memory(self, id: str, *, if_version: int | None = None) -> None:  # noqa: A002
        """Take a memory out of the working layer; as `Memory.delete_memory`."""
        self._change("DELETE", f"/memories/{_part(id)}", if_version)

    def learn(self, content: str, **how: Any) -> Reply:  # noqa: ANN401  # as `Memory.learn` takes it
        """Put a piece of knowledge into the working layer; as `Memory.learn`."""
        if self.version == 1:
            return Reply(self._ask("POST", f"{_V1}/knowledge", {"content": content, **how}))
        return self._post("/knowledge", {"content": content, **how})

    def knowledge(
        self, limit: int = 100, *, after: str | None = None, text: str = "", **narrowed: str
    ) -> Reply:
        """Return what was learnt, the newest first; as `Memory.knowledge`."""
        if self.version == 1:
            return Reply(_listed(self._ask("GET", f"{_V1}/knowledge"), "knowledge"))
        return self._get("/knowledge", limit=limit, after=after, text=text or None, **narrowed)

    def consolidate(self, *, dry_run: bool = False, ttl_override: str | None = None) -> Reply:
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
    ) -> Reply:
        """Keep what *role* said in the conversation *thread_id*; as `Memory.add_message`."""
        told = {
            "content": content,
            "role": role,
            "resource_id": resource_id,
            "message_id": message_id,
            "timestamp": _said(timestamp),
        }
        return self._post(f"/conversations/{_part(thread_id)}/messages", _without_none(**told))

    def get_context(self, thread_id: str, resource_id: str = "", **how: Any) -> Reply:  # noqa: ANN401
        """Return what to send to a model for the next turn; *how* as `Memory.get_context` takes it."""
        return self._post(f"/conversations/{_part(thread_id)}/context", {"resource_id": resource_id, **how})

    def report_usage(self, **used: Any) -> None:  # noqa: ANN401  # as `Memory.report_usage` takes it
        """Keep what an answer of the caller's model used."""
        self._ask("POST", f"{_V2}/usage", self._named(used))

    def force_observe(self, thread_id: str) -> Reply:
        """Observe *thread_id* now, however little of it waits."""
        return self._post(f"/conversations/{_part(thread_id)}/observe", {})

    def conversation(self, thread_id: str) -> Reply:
        """Return what is kept of *thread_id*: its state, and the size of its log of observations."""
        return self._get(f"/conversations/{_part(thread_id)}/memory")

    def conversations(self, limit: int = 100) -> Reply:
        """Return the conversations that programs have handed in, the one with the newest message first."""
        return self._get("/conversations", limit=limit)

    # -- the ledger ------------------------------------------------------------------------------------------

    def why(self, line: str) -> Reply:
        """Return what a line rests on; as `Memory.why`."""
        return self._get("/why", line=line)

    def timeline(self, *, since: When | None = None, until: When | None = None, limit: int = 500) -> Reply:
        """Return what was noted, by when it was said: `entries`."""
        query = urlencode(_without_none(**{"from": _said(since), "to": _said(until), "limit": limit}))
        return Reply(self._ask("GET", f"{_V2}/timeline/{_part(self._agent())}?{query}"))

    def stats(self) -> Reply:
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

    def _search_v1(self, query: str, limit: int) -> Reply:
        told = _listed(self._ask("GET", f"{_V1}/memories/search?{urlencode({'q': query})}"), "results")
        return Reply({**told, "query": query, "results": told["results"][:limit]})

    def _get(self, path: str, **query: Any) -> Reply:  # noqa: ANN401  # what goes into a query
        return Reply(self._ask("GET", f"{_V2}{path}?{urlencode(_without_none(**self._named(query)))}"))

    def _post(self, path: str, body: Mapping[str, Any]) -> Reply:
        return Reply(self._ask("POST", _V2 + path, self._named(body)))

    def _change(
        self, method: str, path: str, if_version: int | None, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Change what is at *path*; what it is at is asked for first where the caller does not say."""
        query = f"?{urlencode(self._named({}))}" if self.agent else ""
        if if_version is None:
            tag = self._sent("GET", f"{_V2}{path}{query}").headers.get("etag", "")
        else:
            tag = f'"{if_version}"'
        answer = self._sent(method, f"{_V2}{path}{query}", body, {"If-Match": tag})
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
