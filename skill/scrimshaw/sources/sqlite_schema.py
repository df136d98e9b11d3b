"""What an agent's SQLite store says about itself: its schema, its sessions, what it no longer holds.

Every table and column is optional: an older schema lacks some, a newer one may have renamed them. What
is missing is done without, and what that costs is said in a warning.
"""

from __future__ import annotations

from typing import NamedTuple

from scrimshaw.sources.sqlite_store import Store, Value

NEWEST_KNOWN_SCHEMA = 23

# Steps from one session id to the next through the primary key, whatever the number of rows.
SESSION_IDS = """
with recursive ids(id) as (
  select min(session_id) from transcript_events
  union all
  select (select min(session_id) from transcript_events where session_id > ids.id)
  from ids where ids.id is not null
)
select id from ids where id is not null
"""


# Going back in a conversation copies all of it, with the entries' ids, into a new session under the same key.
_COPIED = """
select old.session_id from session_windows as old
join session_nodes as node
  on node.session_key = old.session_key and node.current_session_id <> old.session_id
where exists (
  select 1 from transcript_event_identities as copy
  where copy.session_id = node.current_session_id and copy.event_id = (
    select event_id from transcript_event_identities as last
    where last.session_id = old.session_id order by last.seq desc limit 1
  )
)
and not exists (
  select 1 from transcript_event_identities as one
  where one.session_id = old.session_id and one.event_type = 'message' and not exists (
    select 1 from transcript_event_identities as copy
    where copy.session_id = node.current_session_id and copy.event_id = one.event_id
  )
)
"""


class Facts(NamedTuple):
    """What the store says of a session."""

    key: str = ""
    chat_type: str | None = None
    created_via: str | None = None
    outside_content: str | None = None


def session_facts(store: Store) -> dict[str, Facts]:
    """Return what the store says of each session: key, chat type, how it was created, outside content."""
    facts: dict[str, Facts] = {}
    created_via: dict[str, str | None] = {}
    if store.has("session_nodes", "session_key", "current_session_id"):
        via = store.column("session_nodes", "created_via")
        for key, session_id, created in store.rows(
            f"select session_key, current_session_id, {via} from session_nodes"
        ):
            created_via[text_of(key)] = text_of(created) or None
            facts[text_of(session_id)] = Facts(text_of(key), None, text_of(created) or None)
    if store.has("session_windows", "session_id", "session_key"):
        chat = store.column("session_windows", "chat_type")
        hook = store.column("session_windows", "hook_external_content_source")
        for session_id, key, chat_type, source in store.rows(
            f"select session_id, session_key, {chat}, {hook} from session_windows"
        ):
            name = text_of(key)
            signs = (text_of(chat_type) or None, created_via.get(name), text_of(source) or None)
            facts[text_of(session_id)] = Facts(name, *signs)
    return facts


def copied_sessions(store: Store) -> frozenset[str]:
    """Return the sessions of which the one that their key went on in holds every entry."""
    tables = (
        ("session_windows", "session_id", "session_key"),
        ("session_nodes", "session_key", "current_session_id"),
        ("transcript_event_identities", "session_id", "event_id", "seq", "event_type"),
    )
    if not all(store.has(*table) for table in tables):
        return frozenset()
    return frozenset(text_of(session_id) for (session_id,) in store.rows(_COPIED))


def schema_warnings(store: Store) -> list[str]:
    """Return what the owner should know of the store's schema."""
    if not store.has("transcript_events", "session_id", "seq"):
        size = store.path.stat().st_size
        return [f"{store.path}: holds no table of transcripts ({size} bytes); nothing was read from it."]
    found = []
    version = 0
    if store.has("schema_meta", "schema_version"):
        version = max(
            (row[0] or 0 for row in store.rows("select schema_version from schema_meta")), default=0
        )
    version = version or store.rows("pragma user_version")[0][0]
    if version > NEWEST_KNOWN_SCHEMA:
        found.append(
            f"{store.path}: has schema {version}, newer than {NEWEST_KNOWN_SCHEMA}, the newest known here. "
            "What is understood is read; look for an update of scrimshaw."
        )
    if not store.has("transcript_events", "event_json") and not store.has("transcript_events", "event_zstd"):
        found.append(
            f"{store.path}: holds transcripts in a form that is not known here; nothing can be read."
        )
    if store.has("session_transcript_cold_archives", "session_id"):
        [(cold,)] = store.rows(
            "select count(*) from session_transcript_cold_archives where session_id not in"
            " (select id from (" + SESSION_IDS.strip() + "))"
        )
        if cold:
            found.append(
                f"{store.path}: {cold} old session(s) lie in the host's cold archive; these are not read."
            )
    return found


def text_of(value: Value) -> str:
    """Return a column of text, which the store hands out as bytes."""
    return value.decode("utf-8", "replace") if type(value) is bytes else "" if value is None else str(value)
