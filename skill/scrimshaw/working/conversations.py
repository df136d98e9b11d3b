"""Conversations that programs store, as rows: messages, how far they are observed, logs of observations.

A message has a position in its thread, in the order of arrival. Everything up to a conversation's cursor is
covered by its log: both move in one transaction, against the `lock_version` that was read, and a second
writer gets `Stale`. A log is never edited in place: the observer appends a piece; the reflector, or a
forgetting, adds a version that replaces everything before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from scrimshaw.core.conversation import Message, Piece, count_tokens
from scrimshaw.errors import usage_error
from scrimshaw.store.database import Row
from scrimshaw.working.database import WorkingDatabase

Scope = Literal["thread", "resource"]
SCOPES: tuple[Scope, ...] = ("thread", "resource")
Owner = tuple[Scope, str]  # of a log: a thread, or a resource
_COLUMNS: dict[Scope, str] = {"thread": "thread_id", "resource": "resource_id"}
_STATE = (
    "number, thread_id, resource_id, lock_version, observed_cursor_message_id, observed_position, "
    "last_position, unobserved_token_count, last_observer_run_ms, newest_at_ms, is_asked, "
    "closed_at_ms, archived_position"
)


class Stale(Exception):  # noqa: N818  # a state to be expected, not a fault
    """The conversation was changed since it was read; nothing was written."""


class ConversationState(NamedTuple):
    """The state of a conversation."""

    number: int
    thread_id: str
    resource_id: str
    lock_version: int
    observed_cursor_message_id: str
    observed_position: int
    last_position: int
    unobserved_token_count: int
    last_observer_run_ms: int | None
    newest_at_ms: int
    is_asked: bool
    closed_at_ms: int | None = None  # closed by its owner; the next message opens it again
    archived_position: int = 0  # the position up to which its archive reaches

    @classmethod
    def new(cls, thread_id: str, resource_id: str) -> ConversationState:
        """Return the state of a conversation without messages."""
        return cls(0, thread_id, resource_id, 0, "", 0, 0, 0, None, 0, is_asked=False)

    def owner(self, scope: Scope) -> Owner:
        """Return the owner of the log for this conversation; without a resource the thread itself."""
        return (
            (scope, self.resource_id)
            if scope == "resource" and self.resource_id
            else ("thread", self.thread_id)
        )


class LogState(NamedTuple):
    """The state of a log; version 0 is the empty one."""

    version: int = 0
    observation_count: int = 0
    observation_token_count: int = 0
    last_reflector_run_ms: int | None = None
    day: str = ""  # the date heading that its text ends under
    text: str = ""
    ends: tuple[int, ...] = ()  # offsets in the text where each piece but the last ends

    def with_piece(self, piece: Piece) -> LogState:
        """Return the log as it reads once *piece* is appended; counts and version stay."""
        if not piece.text:
            return self
        text, ends = (f"{self.text}\n{piece.text}", (len(self.text),)) if self.text else (piece.text, ())
        return self._replace(text=text, day=piece.day, ends=(*self.ends, *ends))


class LogVersion(NamedTuple):
    """One version of a log: an appended piece, or a text that replaces everything before *version*."""

    version: int
    author: str  # observer, reflector, forget
    replaces: int | None
    text: str
    token_count: int
    created_at_ms: int
    run_id: str


# -- messages ------------------------------------------------------------------------------------------------


def check_resource(one: ConversationState, resource_id: str) -> None:
    """Raise UserError if *one* belongs to another resource than *resource_id* ("" for any)."""
    if resource_id and one.resource_id not in ("", resource_id):
        raise usage_error(
            f"The conversation {one.thread_id} belongs to another resource. Nothing was done.",
            next_step="name the resource that it was begun with, or none",
        )


def add(db: WorkingDatabase, message: Message) -> tuple[Message, bool]:
    """Store *message* at the end of its thread; if its id exists, return the stored message."""
    with db.transaction():
        db.write(
            "insert or ignore into conversation (thread_id, resource_id) values (?, ?)",
            (message.thread_id, message.resource_id),
        )
        found = state(db, message.thread_id)
        assert found
        check_resource(found, message.resource_id)
        if message.resource_id and not found.resource_id:
            db.write(
                "update conversation set resource_id = ? where number = ?",
                (message.resource_id, found.number),
            )
        known = db.row(f"{_MESSAGES} where m.conversation = ? and m.id = ?", (found.number, message.id))
        if known:
            return _message(known), False
        db.write(
            "insert into message (conversation, position, id, role, content, said_at_ms, token_count) "
            "values (?, ?, ?, ?, ?, ?, ?)",
            (
                found.number,
                found.last_position + 1,
                message.id,
                message.role,
                message.content,
                message.at_ms,
                message.token_count,
            ),
        )
        db.write(
            "update conversation set last_position = ?, unobserved_token_count = unobserved_token_count + ?, "
            "newest_at_ms = max(newest_at_ms, ?), closed_at_ms = null where number = ?",
            (found.last_position + 1, message.token_count, message.at_ms, found.number),
        )
    return message._replace(resource_id=found.resource_id or message.resource_id), True


def message_by_id(db: WorkingDatabase, thread_id: str, id_: str) -> Message | None:
    row = db.row(f"{_MESSAGES} where c.thread_id = ? and m.id = ?", (thread_id, id_))
    return _message(row) if row else None


_MESSAGES = (
    "select m.id, m.role, m.content, m.said_at_ms, c.thread_id, c.resource_id, m.token_count, m.position "
    "from message m join conversation c on c.number = m.conversation"
)


def tail(db: WorkingDatabase, one: ConversationState, keep: int) -> list[Message]:
    """Return all messages after the cursor, and at least the last *keep*, oldest first.

    If the cursor's message was deleted, its position still marks the place.
    """
    columns = "select id, role, content, said_at_ms, token_count from message where conversation = ?"
    found = db.rows(f"{columns} and position > ? order by position", (one.number, one.observed_position))
    if len(found) < keep:
        found = db.rows(f"{columns} order by position desc limit ?", (one.number, keep))[::-1]
    # Without a join: there may be thousands, and of each the thread and the resource are the same.
    thread, resource = one.thread_id, one.resource_id
    return [Message(id_, role, text, at_ms, thread, resource, size) for id_, role, text, at_ms, size in found]


def times(db: WorkingDatabase, one: ConversationState, most: int) -> list[int]:
    """Return when the last *most* messages were said, ms UTC, in order."""
    sql = "select said_at_ms from message where conversation = ? order by position desc limit ?"
    return sorted(row[0] for row in db.rows(sql, (one.number, most)))


def messages_after(db: WorkingDatabase, thread_id: str, after: str | None, most: int = 500) -> list[Message]:
    """Return up to *most* messages after the one with the id *after* (None: from the first).

    Raises LookupError when *after* no longer exists.
    """
    position = 0
    if after is not None:
        found = db.row(
            "select m.position from message m join conversation c on c.number = m.conversation "
            "where c.thread_id = ? and m.id = ?",
            (thread_id, after),
        )
        if found is None:
            raise LookupError(after)
        position = found[0]
    rows = db.rows(
        f"{_MESSAGES} where c.thread_id = ? and m.position > ? order by m.position limit ?",
        (thread_id, position, most),
    )
    return [_message(row) for row in rows]


def unobserved(db: WorkingDatabase, one: ConversationState) -> list[tuple[int, Message]]:
    """Return the messages after the cursor, each with its position."""
    rows = db.rows(
        f"{_MESSAGES} where m.conversation = ? and m.position > ? order by m.position",
        (one.number, one.observed_position),
    )
    return [(row[7], _message(row)) for row in rows]


def _message(row: Row) -> Message:
    return Message(*row[:7])


# -- conversations -------------------------------------------------------------------------------------------


def state(db: WorkingDatabase, thread_id: str) -> ConversationState | None:
    """Return the state of the conversation *thread_id*; None when it has no messages."""
    return next(iter(_states(db, "where thread_id = ?", (thread_id,))), None)


def states(db: WorkingDatabase, resource_id: str | None = None) -> list[ConversationState]:
    """Return all conversations, or those of a resource, the most recent first."""
    where, values = ("where resource_id = ? ", (resource_id,)) if resource_id is not None else ("", ())
    return _states(db, f"{where}order by newest_at_ms desc, number", values)


def states_behind(db: WorkingDatabase, most: int, place: tuple[int, int] | None) -> list[ConversationState]:
    """Return up to *most* conversations after *place* (negative time, number), the most recent first."""
    where, values = ("", ()) if place is None else ("where (-newest_at_ms, number) > (?, ?) ", place)
    return _states(db, f"{where}order by newest_at_ms desc, number limit ?", (*values, most))


def _states(db: WorkingDatabase, where: str, values: Sequence[str | int]) -> list[ConversationState]:
    rows = db.rows(f"select {_STATE} from conversation {where}", values)
    return [ConversationState(*row)._replace(is_asked=bool(row[10])) for row in rows]


def waiting_tokens(db: WorkingDatabase, one: ConversationState, scope: Scope) -> int:
    """Return the tokens not yet observed, of the conversation or of its whole resource."""
    if one.owner(scope)[0] == "thread":
        return one.unobserved_token_count
    found = db.row(
        "select sum(unobserved_token_count) from conversation where resource_id = ?", (one.resource_id,)
    )
    return int(found[0] or 0) if found else 0


def ask_for(db: WorkingDatabase, thread_id: str) -> None:
    """Mark *thread_id* to be observed by the next run, even if only little is waiting."""
    with db.transaction():
        db.write("update conversation set is_asked = 1 where thread_id = ?", (thread_id,))


def ask_for_idle(db: WorkingDatabase, before_ms: int) -> None:
    """Do the same for every conversation without messages since *before_ms*."""
    idle = "unobserved_token_count > 0 and newest_at_ms < ? and not is_asked"
    if db.row(f"select 1 from conversation where {idle} limit 1", (before_ms,)):
        with db.transaction():
            db.write(f"update conversation set is_asked = 1 where {idle}", (before_ms,))


def close(db: WorkingDatabase, one: ConversationState, at_ms: int) -> None:
    """Mark *one* as ended; what is not yet observed of it will be."""
    with db.transaction():
        db.write(
            "update conversation set closed_at_ms = ?, is_asked = is_asked or unobserved_token_count > 0 "
            "where number = ?",
            (at_ms, one.number),
        )


def ended(db: WorkingDatabase, before_ms: int) -> list[ConversationState]:
    """Return the conversations that were closed, or have no messages since *before_ms*."""
    return _states(db, "where closed_at_ms is not null or newest_at_ms < ? order by number", (before_ms,))


def every_message(db: WorkingDatabase, one: ConversationState) -> list[Message]:
    rows = db.rows(f"{_MESSAGES} where m.conversation = ? order by m.position", (one.number,))
    return [_message(row) for row in rows]


def note_archived(db: WorkingDatabase, one: ConversationState) -> None:
    """Record that all of *one*, as it was read, is in its archive."""
    with db.transaction():
        db.write(
            "update conversation set archived_position = ? where number = ?", (one.last_position, one.number)
        )


def threads_of(db: WorkingDatabase, owner: Owner) -> list[str]:
    """Return the conversations whose observations are in *owner*'s log."""
    if owner[0] == "thread":
        return [owner[1]]
    return [one.thread_id for one in states(db, owner[1])]


def behind(db: WorkingDatabase, owner: Owner) -> set[str]:
    """Return the threads of *owner* whose observations may be missing from its log.

    They were observed while another log was theirs: `scope` was another, or no resource was named.
    """
    rows = db.rows(
        f"select thread_id from conversation where {_COLUMNS[owner[0]]} = ? and observed_position > 0 "
        "and log_number <> coalesce((select number from observation_log where scope = ? and owner = ?), -1)",
        (owner[1], *owner),
    )
    return {row[0] for row in rows}


# -- logs ----------------------------------------------------------------------------------------------------


def log_size(db: WorkingDatabase, owner: Owner) -> LogState:
    """Return the log of *owner* without its text."""
    row = _log_row(db, owner)
    return LogState(*row[1:]) if row else LogState()


def log_state(db: WorkingDatabase, owner: Owner) -> LogState:
    row = _log_row(db, owner)
    if row is None:
        return LogState()
    pieces = db.rows(
        "select text, day from log_version where log = ? and version >= (select coalesce(max(version), 0) "
        "from log_version where log = ? and replaces is not null) order by version",
        (row[0], row[0]),
    )
    texts = [text for text, _ in pieces if text]
    ends = tuple(end - 1 for end in accumulate(len(text) + 1 for text in texts[:-1]))
    day = pieces[-1][1] if pieces else ""
    return LogState(*row[1:])._replace(day=day, text="\n".join(texts), ends=ends)


def log_versions(db: WorkingDatabase, owner: Owner) -> list[LogVersion]:
    """Return every version of *owner*'s log, oldest first."""
    rows = db.rows(
        "select v.version, v.author, v.replaces, v.text, v.token_count, v.created_at_ms, v.run_id "
        "from log_version v join observation_log l on l.number = v.log where l.scope = ? and l.owner = ? "
        "order by v.version",
        owner,
    )
    return [LogVersion(*row) for row in rows]


def logged(db: WorkingDatabase, owner: Owner, *, is_shown: bool = False) -> set[str]:
    """Return the ids of the observations that *owner*'s log has ever held, or that it *is_shown* with now."""
    shown = (
        " and g.version >= (select coalesce(max(version), 0) from log_version "
        "where log = l.number and replaces is not null)"
    )
    rows = db.rows(
        "select observation_id from logged g join observation_log l on l.number = g.log "
        f"where l.scope = ? and l.owner = ?{shown if is_shown else ''}",
        owner,
    )
    return {row[0] for row in rows}


def rewrite_log(db: WorkingDatabase, owner: Owner, piece: Piece, *, at_ms: int) -> None:
    """Replace *owner*'s log by *piece*, and clear the text of every version before it."""
    expected = log_size(db, owner).version
    with db.transaction():
        number = _log_number(db, owner, expected)
        db.write("update log_version set text = '' where log = ?", (number,))
        replace_log(db, owner, piece, expected=expected, at_ms=at_ms, run_id="", author="forget")


def rewrite_message(db: WorkingDatabase, one: ConversationState, message: Message) -> None:
    """Replace the content of the message with the same id in *one*."""
    with db.transaction():
        db.write(
            "update message set content = ?, token_count = ? where conversation = ? and id = ?",
            (message.content, message.token_count, one.number, message.id),
        )
        db.write(
            "update conversation set lock_version = lock_version + 1, archived_position = 0, "
            "unobserved_token_count = (select coalesce(sum(token_count), 0) from message "
            "where conversation = ? and position > observed_position) where number = ?",
            (one.number, one.number),
        )


def empty_file_log(db: WorkingDatabase) -> bool:
    """Write SQLite's write-ahead log into the file and empty it; False while it is being read."""
    row = db.row("pragma wal_checkpoint(truncate)")
    return row is not None and not row[0]


def advance(
    db: WorkingDatabase,
    one: ConversationState,
    owner: Owner,
    to: tuple[int, str],
    piece: Piece,
    *,
    expected: int,
    at_ms: int,
    run_id: str,
) -> None:
    """Append *piece* to *owner*'s log and move the cursor of *one*, in one transaction.

    Raises Stale when the conversation was changed, or the log is not at version *expected*.
    """
    position, message_id = to
    with db.transaction():
        number = _log_number(db, owner, expected)
        if piece.ids:
            _put(db, number, "observer", piece, replaces=None, at_ms=at_ms, run_id=run_id)
        moved = db.write(
            "update conversation set lock_version = lock_version + 1, observed_cursor_message_id = ?, "
            "observed_position = ?, log_number = ?, last_observer_run_ms = ?, "
            "is_asked = is_asked and observed_position = ?, unobserved_token_count = "
            "(select coalesce(sum(token_count), 0) from message where conversation = ? and position > ?) "
            "where number = ? and lock_version = ?",
            (
                *(message_id, position, number, at_ms, position),
                *(one.number, position, one.number, one.lock_version),
            ),
        )
        if not moved:
            raise Stale


def replace_log(
    db: WorkingDatabase,
    owner: Owner,
    piece: Piece,
    *,
    expected: int,
    at_ms: int,
    run_id: str,
    author: str = "reflector",
) -> None:
    """Replace *owner*'s whole log by *piece*, as a new version that names the one it replaces.

    Raises Stale when the log is not at version *expected* any more.
    """
    with db.transaction():
        number = _log_number(db, owner, expected)
        _put(db, number, author, piece, replaces=expected, at_ms=at_ms, run_id=run_id)
        if author == "reflector":
            db.write("update observation_log set last_reflector_run_ms = ? where number = ?", (at_ms, number))
        db.write(
            f"update conversation set lock_version = lock_version + 1 where {_COLUMNS[owner[0]]} = ?",
            (owner[1],),
        )


def _put(
    db: WorkingDatabase, log: int, author: str, piece: Piece, *, replaces: int | None, at_ms: int, run_id: str
) -> None:
    tokens = count_tokens(piece.text)
    row = db.row("select version from observation_log where number = ?", (log,))
    assert row
    version = row[0] + 1
    db.write(
        "insert into log_version "
        "(log, version, author, replaces, text, day, token_count, created_at_ms, run_id) "
        "values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (log, version, author, replaces, piece.text, piece.day, tokens, at_ms, run_id),
    )
    db.write_many(
        "insert or replace into logged values (?, ?, ?)", [(log, one, version) for one in piece.ids]
    )
    before = ("observation_count + ", "observation_token_count + ") if replaces is None else ("", "")
    db.write(
        f"update observation_log set version = ?, observation_count = {before[0]}?, "
        f"observation_token_count = {before[1]}? where number = ?",
        (version, len(piece.ids), tokens, log),
    )


def _log_row(db: WorkingDatabase, owner: Owner) -> Row | None:
    return db.row(
        "select number, version, observation_count, observation_token_count, last_reflector_run_ms "
        "from observation_log where scope = ? and owner = ?",
        owner,
    )


def _log_number(db: WorkingDatabase, owner: Owner, expected: int) -> int:
    """Return the log's number, creating it if missing; raises Stale if its version is not *expected*."""
    db.write("insert or ignore into observation_log (scope, owner) values (?, ?)", owner)
    row = db.row("select number, version from observation_log where scope = ? and owner = ?", owner)
    assert row
    if row[1] != expected:
        raise Stale
    return int(row[0])
