"""The protocol's messages, one a line: what each asks for, and its answer; no I/O, no threads.

Both versions of the protocol are spoken, message by message: a request with the envelope of 2026-07-28 in its
`_meta` is independent; any other belongs to the handshake (`initialize`) before it. So a client cannot bring
the connection into a state that it does not leave. Every line gets at most one answer, and a broken one an
error.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import msgspec

from scrimshaw.errors import UserError
from scrimshaw.mcp_server import tools as offered
from scrimshaw.mcp_server.calls import MemoryTools, Reply, ToolAnswer
from scrimshaw.mcp_server.replies import (
    DECLINED,
    ENVELOPE_VERSIONS,
    FORGED,
    HANDSHAKE_VERSIONS,
    INSTRUCTIONS,
    SERVER_INFO,
    Brought,
    Seal,
    called,
    can_ask,
    complete,
    form,
    is_yes,
    knows_structure,
)

MOST_LINE_BYTES = 1_000_000
CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}}

_PARSE, _INVALID_REQUEST, _NO_METHOD, _BAD_PARAMS, _DEFECT = -32700, -32600, -32601, -32602, -32603
_UNKNOWN_VERSION, _NO_RESOURCE, _BUSY = -32022, -32002, -32000
_META = "io.modelcontextprotocol/"
_MOST_QUESTIONS = 8
_MOST_WAITING = 64

Message = dict[str, Any]
Id = str | int


class ProtocolError(Exception):
    """A message that is answered with an error: *code* and *data* are JSON-RPC's."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:  # noqa: ANN401  # any JSON
        super().__init__(message)
        self.code, self.data = code, data


class _Asker(NamedTuple):
    """The sender of a request: the version it speaks, and whether its client can ask the person."""

    version: str
    can_ask: bool

    @property
    def is_enveloped(self) -> bool:
        return self.version in ENVELOPE_VERSIONS


@dataclass(frozen=True, slots=True)
class _Open:
    """A call that waits for the person's answer to our question."""

    request: Id
    asker: _Asker
    params: Message
    about: str


class Connection:
    """One client's connection. *sends* sends a message; *queues* runs work items one after another."""

    def __init__(
        self,
        tools: MemoryTools,
        sends: Callable[[Message], None],
        queues: Callable[[Id, Callable[[], None]], None],
    ) -> None:
        self._tools, self._sends, self._queues = tools, sends, queues
        self._asker: _Asker | None = None  # set by the handshake
        self._waiting: set[Id] = set()
        self._open: dict[Id, _Open] = {}
        self._seal = Seal()
        self._asked = 0

    def receive(self, line: bytes) -> None:
        """Process one line from the client; the answer is sent now, or when its work is done."""
        id_: Id | None = None
        try:
            message = _parsed(line)
            id_ = _id_of(message)
            self._take(message, id_)
        except ProtocolError as refused:
            self._refuse(id_, refused)

    def refuse_long_line(self) -> None:
        """Answer a line that was too long to be read."""
        self._refuse(
            None, ProtocolError(_INVALID_REQUEST, f"A message has at most {MOST_LINE_BYTES:,} bytes.")
        )

    def failed(self, id_: Id) -> None:
        """Answer that the work for the request *id_* ended in a defect."""
        self._finish(id_, None, ProtocolError(_DEFECT, "This is a defect of Scrimshaw; its log says where."))

    # -- what comes in ---------------------------------------------------------------------------------------

    def _take(self, message: Message, id_: Id | None) -> None:
        if "method" not in message and ("result" in message or "error" in message):
            self._answered(message, id_)
            return
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(method, str):
            raise ProtocolError(_INVALID_REQUEST, "A message needs a method.")
        if id_ is None:
            if method == "notifications/cancelled" and isinstance(params, dict):
                self._cancel(params.get("requestId"))
            return
        if not isinstance(params, dict):
            raise ProtocolError(_BAD_PARAMS, "params is no object.")
        if id_ in self._waiting:
            raise ProtocolError(_INVALID_REQUEST, "This id is already in use.")
        if method == "initialize":
            self._sends(_result(id_, self._initialize(params)))
            return
        self._dispatch(id_, method, params, self._asker_of(method, params))

    def _initialize(self, params: Message) -> Message:
        asked, can = params.get("protocolVersion"), params.get("capabilities")
        if not (
            isinstance(asked, str) and isinstance(can, dict) and isinstance(params.get("clientInfo"), dict)
        ):
            raise ProtocolError(_BAD_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo.")
        version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        self._asker = _Asker(version, knows_structure(version) and can_ask(can))
        return {
            "protocolVersion": version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER_INFO,
            "instructions": INSTRUCTIONS,
        }

    def _asker_of(self, method: str, params: Message) -> _Asker:
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        version = meta.get(f"{_META}protocolVersion")
        if version is None:
            if self._asker is None and method != "ping":
                raise ProtocolError(
                    _BAD_PARAMS, "Send initialize first, or the protocol version and capabilities in _meta."
                )
            return self._asker or _Asker(HANDSHAKE_VERSIONS[-1], can_ask=False)
        can = meta.get(f"{_META}clientCapabilities")
        if not isinstance(version, str) or not isinstance(can, dict):
            raise ProtocolError(
                _BAD_PARAMS, f"_meta needs {_META}protocolVersion and {_META}clientCapabilities."
            )
        if version not in ENVELOPE_VERSIONS:
            data = {"supported": list(ENVELOPE_VERSIONS), "requested": version}
            raise ProtocolError(_UNKNOWN_VERSION, "Unsupported protocol version", data)
        return _Asker(version, can_ask(can))

    def _dispatch(self, id_: Id, method: str, params: Message, asker: _Asker) -> None:
        if method == ("server/discover" if asker.is_enveloped else "ping"):
            self._sends(_result(id_, _discovered(asker) if asker.is_enveloped else {}))
            return
        if method in ("tools/list", "resources/list", "resources/templates/list") and params.get("cursor"):
            raise ProtocolError(_BAD_PARAMS, "There is no such page.")
        match method:
            case "tools/list":
                told = [_told_by(one, asker) for one in offered.list_tools(read_only=self._tools.read_only)]
                self._sends(_result(id_, _listed({"tools": told}, asker)))
            case "resources/templates/list":
                from scrimshaw.mcp_server.resources import TEMPLATES

                self._sends(_result(id_, _listed({"resourceTemplates": TEMPLATES}, asker)))
            case "resources/list":
                self._queue(id_, partial(self._resources, id_, asker))
            case "resources/read":
                if not isinstance(uri := params.get("uri"), str):
                    raise ProtocolError(_BAD_PARAMS, "resources/read needs a uri.")
                self._queue(id_, partial(self._read, id_, asker, uri))
            case "tools/call":
                self._check_call(params)
                self._queue(id_, partial(self._call, id_, asker, params))
            case _:
                raise ProtocolError(_NO_METHOD, "Method not found", method[:100])

    def _queue(self, id_: Id, work: Callable[[], None]) -> None:
        if len(self._waiting) >= _MOST_WAITING:
            raise ProtocolError(_BUSY, "Too many requests wait. Ask again when some are answered.")
        self._waiting.add(id_)
        self._queues(id_, work)

    # -- the work, one item after another -------------------------------------------------------------------

    def _resources(self, id_: Id, asker: _Asker) -> None:
        from scrimshaw.mcp_server import resources

        self._finish(id_, _listed({"resources": resources.list_resources(self._tools)}, asker))

    def _read(self, id_: Id, asker: _Asker, uri: str) -> None:
        from scrimshaw.mcp_server import resources

        try:
            contents = resources.read(self._tools, uri)
        except KeyError:
            code = _BAD_PARAMS if asker.is_enveloped else _NO_RESOURCE
            self._finish(id_, None, ProtocolError(code, "Resource not found", {"uri": uri[:200]}))
        except UserError as error:
            self._finish(id_, None, ProtocolError(_DEFECT, str(error)))
        else:
            self._finish(id_, _listed({"contents": contents}, asker))

    def _check_call(self, params: Message) -> None:
        name, given = params.get("name"), params.get("arguments", {})
        if name not in [one["name"] for one in offered.list_tools(read_only=self._tools.read_only)]:
            raise ProtocolError(_BAD_PARAMS, f"Unknown tool: {str(name)[:100]}")
        if not isinstance(given, dict | None):
            raise ProtocolError(_BAD_PARAMS, "arguments is no object.")

    def _call(self, id_: Id, asker: _Asker, params: Message, confirmed: str = "") -> None:
        if id_ not in self._waiting:
            return  # cancelled before it started
        brought = self._seal.brought(params) if asker.is_enveloped and not confirmed else Brought(confirmed)
        if brought.is_forged:
            self._finish(id_, None, ProtocolError(_BAD_PARAMS, FORGED))
            return
        if brought.is_declined:
            self._finish(id_, _called(DECLINED, asker))
            return
        given = params.get("arguments") or {}
        self._reply(id_, asker, params, self._tools.call(params["name"], given, confirmed=brought.about))

    def _reply(self, id_: Id, asker: _Asker, params: Message, reply: Reply) -> None:
        if isinstance(reply, ToolAnswer):
            self._finish(id_, _called(reply, asker))
        elif not asker.can_ask or len(self._open) >= _MOST_QUESTIONS:
            self._finish(id_, _called(reply.unasked, asker))
        elif asker.is_enveloped:
            self._finish(id_, _stamped(self._seal.asks(reply), asker))
        elif id_ in self._waiting:
            self._asked += 1
            question = f"scrimshaw-{self._asked}"
            self._open[question] = _Open(id_, asker, params, reply.about)
            self._sends(
                {"jsonrpc": "2.0", "id": question, "method": "elicitation/create", "params": form(reply)}
            )

    def _answered(self, message: Message, id_: Id | None) -> None:
        """Process the client's answer to a question of ours; any other answer is ignored."""
        asked = self._open.pop(id_, None) if id_ is not None else None
        if asked is None:
            return
        if is_yes(message.get("result")):
            self._queues(
                asked.request, partial(self._call, asked.request, asked.asker, asked.params, asked.about)
            )
        else:
            self._finish(asked.request, _called(DECLINED, asked.asker))

    def _cancel(self, id_: Any) -> None:  # noqa: ANN401  # as the client sent it
        if not isinstance(id_, str | int):
            return
        self._waiting.discard(id_)  # its answer will not be sent
        for question in [question for question, asked in list(self._open.items()) if asked.request == id_]:
            self._open.pop(question, None)

    # -- what goes out ---------------------------------------------------------------------------------------

    def _finish(self, id_: Id, result: Message | None, refused: ProtocolError | None = None) -> None:
        if id_ not in self._waiting:
            return
        self._waiting.discard(id_)
        if refused is not None:
            self._refuse(id_, refused)
        else:
            self._sends(_result(id_, result or {}))

    def _refuse(self, id_: Id | None, refused: ProtocolError) -> None:
        error: Message = {"code": refused.code, "message": str(refused)}
        if refused.data is not None:
            error["data"] = refused.data
        self._sends({"jsonrpc": "2.0", "id": id_, "error": error})


def _parsed(line: bytes) -> Message:
    try:
        message = _decoded(line)
    except (ValueError, RecursionError):
        raise ProtocolError(_PARSE, "This line is no JSON.") from None
    if isinstance(message, list):
        raise ProtocolError(_INVALID_REQUEST, "Batches are not taken: send one message a line.")
    if not isinstance(message, dict):
        raise ProtocolError(_INVALID_REQUEST, "A message is an object.")
    return message


def _decoded(line: bytes) -> Any:  # noqa: ANN401  # any JSON
    """Return what *line* says, "?" for each half of a surrogate pair; raises ValueError, RecursionError."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        if b"\\ud" not in line.lower():
            raise
    # Clients write a text that was cut in the middle of a character as half an escape.
    whole = json.dumps(json.loads(line.decode()), ensure_ascii=False)
    return msgspec.json.decode(whole.encode("utf-8", "replace"))


def _id_of(message: Message) -> Id | None:
    id_ = message.get("id")
    if message.get("jsonrpc") != "2.0" or isinstance(id_, bool) or not isinstance(id_, str | int | None):
        raise ProtocolError(
            _INVALID_REQUEST, 'A message has "jsonrpc": "2.0", and an id that is text or a whole number.'
        )
    if "id" in message and id_ is None and "method" in message:
        raise ProtocolError(_INVALID_REQUEST, "The id of a request is not null.")
    return id_


def _result(id_: Id, result: Message) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def _stamped(result: Message, asker: _Asker) -> Message:
    return {**result, "_meta": {f"{_META}serverInfo": SERVER_INFO}} if asker.is_enveloped else result


def _listed(result: Message, asker: _Asker) -> Message:
    return _stamped(complete(result, asker.version, is_cacheable=True), asker)


def _discovered(asker: _Asker) -> Message:
    told = {
        "supportedVersions": list(ENVELOPE_VERSIONS),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }
    return _listed(told, asker)


def _told_by(tool: Message, asker: _Asker) -> Message:
    """Return *tool* with the fields that the client's version knows."""
    if knows_structure(asker.version):
        return tool
    return {name: value for name, value in tool.items() if name not in ("title", "outputSchema")}


def _called(told: ToolAnswer, asker: _Asker) -> Message:
    return _stamped(called(told, asker.version), asker)
