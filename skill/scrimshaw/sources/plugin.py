"""Transcripts of other programs: what a package implements, and how it becomes a `Source`.

A package offers `open(path, agent_id) -> TranscriptReader` as an entry point of the group
`scrimshaw.sources`; the configuration names it and its store: `sources: {NAME: PATH}`. Its output is
untrusted: types are checked, sizes bounded, and what is wrong is left out and counted.
`scrimshaw.testing.check_source` is its test suite.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from scrimshaw.core.transcript.entries import LATEST_MS, OLDEST_MS
from scrimshaw.core.types import Entry, Role, Session, SessionKind
from scrimshaw.errors import UserError
from scrimshaw.plugins import PluginErrors, load_plugin
from scrimshaw.sources.reading import MAX_PAGE_BYTES, MAX_PROBLEMS_PER_PAGE, Page, ReadProblem, SessionState

MAX_CONVERSATIONS = 100_000
MAX_MESSAGE_CHARS = 1_000_000
PAGE_MESSAGES = 500
_MAX_ID_CHARS = 200
_STORED_BYTES_A_BYTE = 3  # of text: the rest of what a host stores is JSON and bookkeeping around it
_KINDS = ("direct", "group", "channel", "cron", "subagent", "hook")


class Conversation(NamedTuple):
    """A conversation that a reader holds."""

    id: str
    newest_at_ms: int  # UTC
    version: str  # anything that changes whenever a message was added or changed
    kind: str = "direct"  # direct, group, channel, cron, subagent or hook
    is_over: bool = False  # nothing will be added any more
    is_awaited: bool = False  # more is to come before any of it is observed


class ConversationMessage(NamedTuple):
    """What one side said; without what programs put around it."""

    id: str  # unique in its conversation, the same each time it is read
    at_ms: int  # UTC
    role: str  # "user", "assistant", or "tool" for the result of one
    text: str


class TranscriptReader(Protocol):
    """What a package implements. It only reads; one thread uses it at a time."""

    def conversations(self) -> Iterable[Conversation]: ...

    def messages(self, conversation_id: str, after: str | None) -> Iterable[ConversationMessage]:
        """Return the messages after the one with the id *after* (None: all), in order.

        Raises LookupError when *after* is not there any more: all are read again then.
        """

    def close(self) -> None:
        """Let go of the store; may be called twice."""


class PluginSource:
    """A `Source` made from a TranscriptReader. The cursor is the id of the last message read."""

    def __init__(self, kind: str, path: Path, agent_id: str, reader: TranscriptReader) -> None:
        self.kind = kind
        self.id = f"{kind}:{agent_id}:{path}"
        self.agent_id = agent_id
        self._reader = reader
        self._over: set[str] = set()
        self._warnings: dict[str, None] = {}

    def sessions(self) -> list[SessionState]:
        """Return every well-formed conversation, oldest first; raises UserError when the package fails."""
        self._warnings.clear()
        self._over.clear()
        found: dict[str, SessionState] = {}
        with self._errors("list its conversations"):
            for one in islice(self._reader.conversations(), MAX_CONVERSATIONS):
                state = self._state_of(one)
                if state is None or state.session.session_id in found:
                    self._warnings[f"{self.id}: conversations without a proper form were left out"] = None
                else:
                    found[state.session.session_id] = state
        return sorted(found.values(), key=lambda state: (state.newest_at_ms, state.session.session_id))

    def _state_of(self, one: object) -> SessionState | None:
        match one:
            case Conversation(
                str(id), int(newest), str(version), str(kind), bool(is_over), bool(awaited)
            ) if _is_id(id) and OLDEST_MS <= newest < LATEST_MS and 0 < len(version) <= _MAX_ID_CHARS:
                known = kind in _KINDS
                # The prefix keeps its ids apart from the host's own.
                name = f"{self.kind}:{id}"
                session = Session(name, name, self.agent_id, SessionKind(kind if known else "unknown"))
                if is_over:
                    self._over.add(name)
                return SessionState(session, newest, version, 0, is_passed_over=awaited)
        return None

    def pages(self, state: SessionState, cursor: str | None) -> Iterator[Page]:
        """Yield what *state*'s conversation holds after *cursor*; UserError when the package fails."""
        after, count = _read_cursor(cursor)
        problems: list[ReadProblem] = []
        if cursor is not None and after is None:
            problems.append(_reread(state))
        with self._errors("read a conversation"):
            try:
                yield from self._pages(state, after, count, problems)
            except LookupError:
                if after is None:
                    raise
                yield from self._pages(state, None, 0, [_reread(state)])

    def _pages(
        self, state: SessionState, after: str | None, count: int, problems: list[ReadProblem]
    ) -> Iterator[Page]:
        own_id = state.session.session_id.removeprefix(f"{self.kind}:")
        messages = iter(self._reader.messages(own_id, after))
        while True:
            entries: list[Entry] = []
            skipped: dict[str, int] = {}
            size_bytes = read = 0
            for message in islice(messages, PAGE_MESSAGES):
                read += 1
                count += 1
                entry = _entry_of(message, state.session.session_id, count)
                if entry is None:
                    skipped["malformed"] = skipped.get("malformed", 0) + 1
                    if len(problems) < MAX_PROBLEMS_PER_PAGE:
                        problems.append(ReadProblem(f"{state.session.session_id} {count}", "not a message"))
                    continue
                after = entry.entry_id
                if entry.text:
                    entries.append(entry)
                    size_bytes += len(entry.text.encode("utf-8", "replace"))
                else:
                    skipped["empty"] = skipped.get("empty", 0) + 1
                if size_bytes > MAX_PAGE_BYTES:
                    break
            if not read:
                if problems:
                    yield Page((), _cursor(after, count), {}, tuple(problems), 0)
                return
            yield Page(tuple(entries), _cursor(after, count), skipped, tuple(problems), size_bytes)
            problems = []

    def unread_bytes(self, state: SessionState, cursor: str | None) -> int:
        """Return what a host would store for the text after *cursor*, of those that one page can hold."""
        return _STORED_BYTES_A_BYTE * next((page.read_bytes for page in self.pages(state, cursor)), 0)

    def unread_since_ms(self, state: SessionState, cursor: str | None) -> int:
        """Return when the first message after *cursor* was said; 0 when there is none."""
        page = next(self.pages(state, cursor), None)
        return page.entries[0].said_at_ms if page and page.entries else 0

    def changed_at_ms(self, state: SessionState) -> int:  # noqa: ARG002
        """Return 0: a reader knows no clock of a disk."""
        return 0

    def is_over(self, state: SessionState) -> bool:
        return state.session.session_id in self._over

    def has_ended(self, state: SessionState, cursor: str | None) -> bool:
        """Tell whether the conversation is over and something of it is unread."""
        return self.is_over(state) and self.unread_bytes(state, cursor) > 0

    def goes_on(self, state: SessionState) -> bool:
        return not self.is_over(state)

    def warnings(self) -> list[str]:
        return list(self._warnings)

    def deleted_sessions(self) -> frozenset[str]:
        """Return nothing: a reader cannot tell a deleted conversation from one it does not show."""
        return frozenset()

    def close(self) -> None:
        with self._errors("be closed"):
            self._reader.close()

    def _errors(self, what: str) -> PluginErrors:
        return PluginErrors(f"The source {self.kind} could not {what}")


def open_plugin_source(kind: str, path: Path, agent_id: str) -> PluginSource:
    """Return the source that the entry point *kind* opens at *path*; why it cannot, its sessions() raises."""
    reader: TranscriptReader
    try:
        opens = load_plugin("scrimshaw.sources", kind)
        with PluginErrors(f"The source {kind} could not open {path}"):
            reader = opens(path, agent_id)
    except UserError as error:
        reader = _UnopenedReader(error)
    return PluginSource(kind, path, agent_id, reader)


class _UnopenedReader:
    """Stands for a reader that could not be opened, so that this is told as of one that cannot be read."""

    def __init__(self, error: UserError) -> None:
        self._error = error

    def conversations(self) -> Iterable[Conversation]:
        raise self._error

    def messages(self, conversation_id: str, after: str | None) -> Iterable[ConversationMessage]:  # noqa: ARG002
        raise self._error

    def close(self) -> None: ...


def _is_id(text: str) -> bool:
    return 0 < len(text) <= _MAX_ID_CHARS and text.isprintable()


def _entry_of(message: object, session_id: str, position: int) -> Entry | None:
    match message:
        case ConversationMessage(str(id), int(at_ms), "user" | "assistant" | "tool" as role, str(text)) if (
            _is_id(id) and OLDEST_MS <= at_ms < LATEST_MS
        ):
            text = text[:MAX_MESSAGE_CHARS].encode("utf-8", "replace").decode().strip()
            return Entry(session_id, id, position, at_ms, Role(role), text)
    return None


def _cursor(after: str | None, count: int) -> str:
    return json.dumps([after, count])


def _read_cursor(cursor: str | None) -> tuple[str | None, int]:
    try:
        match json.loads(cursor or "null"):
            case [str(after), int(count)] if _is_id(after):
                return after, count
    except (ValueError, RecursionError):
        pass
    return None, 0


def _reread(state: SessionState) -> ReadProblem:
    return ReadProblem(
        state.session.session_id, "was changed since it was last read; read again from its start"
    )
