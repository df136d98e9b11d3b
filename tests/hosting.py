"""A host that does to its transcripts whatever hosts do, and remembers what a memory must make of it.

Every entry that states something holds a token of its own. An entry *stays* unless its branch is abandoned
(but for a message that an interruption put aside) or its session deleted: those that stay must be observed,
each exactly once; the others may be.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import uuid
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.places import Place
from tests.stores import FakeSession, append_events, build_sqlite, lines_of, write_session

_WORDS = (
    "amber",
    "birch",
    "cedar",
    "dune",
    "ember",
    "flint",
    "gorse",
    "heath",
    "iris",
    "jade",
    "kelp",
    "loam",
)
_LONG = 2_000  # so that a few of these fill a window


@dataclass
class Stored:
    """One entry that the host has committed whole."""

    session_id: str
    token: str  # "" for an entry that states nothing
    said_at_ms: int
    stays: bool = True


class Host:
    """The one who writes transcripts, and nothing else."""

    def __init__(self, place: Place, random: Random) -> None:
        self.place = place
        self.entries: dict[str, Stored] = {}
        self._random = random
        self._numbered = 0
        self._written = {place.session.session_id: len(place.session.events)}
        self._torn: tuple[Path, bytes] | None = None
        self._waiting: list[str] = []  # entries that the torn line will complete
        self._renamed = 0

    @property
    def session(self) -> FakeSession:
        """The conversation that goes on."""
        return self.place.sessions[0]

    def acts(self) -> list[Any]:
        """Return all that may happen now."""
        common = [self.says, self.says, self.works, self.rewinds, self.interrupts, self.interrupts]
        common += [self.rewrites, self.resets, self.deletes]
        if self.place.kind == "jsonl":
            return [*common, self.tears, self.migrates, self.turns_the_clock_back]
        return [*common, self.turns_the_clock_back]

    # -- what happens -----------------------------------------------------------------------------------

    def says(self) -> None:
        """The person says something, and the agent may answer; a few times."""
        for _ in range(self._random.randint(1, 4)):
            self._say("user")
            if self._random.random() < 0.7:
                self._say("assistant")
        self._store()

    def works(self) -> None:
        """The agent calls tools, and says nothing in between."""
        for _ in range(self._random.randint(1, 4)):
            token, text = self._statement("tool")
            call = self.session.leaf
            result = self.session.tool("exec", {"command": "ls"}, text)
            self._remember(result, token)
            made = self.session.events[-2]["id"]
            assert made != call
            self._remember(made, "")
        self._store()

    def tears(self) -> None:
        """The host is in the middle of writing a line."""
        self._mend()
        self._say("user")
        events = self.session.events[self._written[self.session.session_id] :]
        whole = lines_of(events)
        half = len(whole) // 2
        self._append(whole[:half])
        self._torn = self._file(self.session), whole[half:]
        self._waiting = [event["id"] for event in events]
        self._written[self.session.session_id] = len(self.session.events)

    def rewrites(self) -> None:
        """The same transcript is written again, in place."""
        self._mend()
        session = self._random.choice(self.place.sessions)
        if self.place.kind == "sqlite":
            with self._database() as connection:
                write_session(connection, session)
                connection.execute(
                    "update transcript_rewrite_watermarks set generation = ? where session_id = ?",
                    (uuid.UUID(int=self._random.getrandbits(128)).hex, session.session_id),
                )
        elif (path := self._file(session)).exists():
            data = path.read_bytes()
            with path.open("r+b") as file:
                file.truncate(0)
                file.write(data)

    def rewinds(self) -> None:
        """The person goes back to an earlier message and says something else."""
        self._mend()
        by_id = {event["id"]: event for event in self.session.events}
        at = self.session.leaf
        for _ in range(self._random.randint(1, 3)):
            event = by_id[at]
            if event["type"] != "message" or by_id[event["parentId"]]["type"] != "message":
                break
            # What was put aside after it goes with it.
            for key in (at, *(event["id"] for event in self.session.events if event.get("parentId") == at)):
                if key in self.entries:
                    self.entries[key].stays = False
            at = event["parentId"]
        if self.place.kind == "sqlite" or self._random.random() < 0.5:
            self.session.rewind_to(at)
        else:
            self.session.leaf = at
        self.says()

    def interrupts(self) -> None:
        """A turn ends before its answer, and the person goes on; or they say what may be interrupted."""
        self._mend()
        last = next(event for event in self.session.events if event["id"] == self.session.leaf)
        if last.get("message", {}).get("role") == "user":
            # Files of the time before had no leaves.
            self.session.interrupt(with_leaf=self.place.kind == "sqlite" or self._random.random() < 0.5)
            self.says()
        else:
            self._say("user")
            self._store()

    def resets(self) -> None:
        """The conversation begins anew; the old one is kept under another name."""
        self._mend()
        session = self.session
        if self.place.kind == "jsonl":
            known = {"sessionId": session.session_id, "sessionKey": session.key}
            file = self._file(session)
            file.with_name(f"{session.session_id}.trajectory.jsonl").write_text(json.dumps(known))
            file.rename(file.with_name(f"{file.name}.reset.{self._stamp()}"))
        self._begin()

    def deletes(self) -> None:
        """A session is deleted; what was not observed of it need not be."""
        self._mend()
        session = self._random.choice(self.place.sessions)
        for stored in self.entries.values():
            if stored.session_id == session.session_id:
                stored.stays = False
        if self.place.kind == "sqlite":
            with self._database() as connection:
                for table in ("transcript_events", "transcript_event_identities"):
                    connection.execute(f"delete from {table} where session_id = ?", (session.session_id,))
                connection.execute(
                    "delete from session_transcript_active_events where session_id = ?", (session.session_id,)
                )
                connection.execute(
                    "insert or replace into session_transcript_archives values (?, '', ?, 'deleted')",
                    (session.session_id, session.key),
                )
        else:
            for path in self.place.store.glob(f"{session.session_id}.jsonl*"):
                path.rename(path.with_name(f"{session.session_id}.jsonl.deleted.{self._stamp()}"))
        is_current = session is self.session
        self.place.sessions.remove(session)
        if is_current:
            self._begin()

    def migrates(self) -> None:
        """The host moves on to SQLite; the old files go, or stay behind."""
        self._mend()
        if self._random.random() < 0.7:
            shutil.rmtree(self.place.store)
        self.place.kind = "sqlite"
        build_sqlite(self.place.store, self.place.sessions)

    def turns_the_clock_back(self) -> None:
        """The host's own clock is put right: what is said next is stamped earlier than what was."""
        self.session.at_ms -= self._random.randint(60_000, 7_200_000)

    def ends_its_line(self) -> None:
        """Whatever was half-written is written."""
        self._mend()

    # -- by hand ----------------------------------------------------------------------------------------

    def _say(self, role: str) -> None:
        token, text = self._statement(role) if self._random.random() < 0.8 else ("", "Noted, thank you.")
        self._remember(self.session.message(role, text), token)

    def _statement(self, role: str) -> tuple[str, str]:
        self._numbered += 1
        number = self._numbered
        words = " ".join(_WORDS[(number * step + step) % len(_WORDS)] for step in (1, 5, 7))
        token = f"crate-{number}q"
        text = f"The {role} saw {token} beside {words} in hall {number}."
        return token, text + (" Nothing else." * (_LONG // 14) if self._random.random() < 0.4 else "")

    def _remember(self, entry_id: str, token: str) -> None:
        self.entries[entry_id] = Stored(self.session.session_id, token, self.session.at_ms)

    def whole(self) -> dict[str, Stored]:
        """Return the entries that are committed whole."""
        return {key: stored for key, stored in self.entries.items() if key not in self._waiting}

    def _begin(self) -> None:
        self._renamed += 1
        fresh = FakeSession(
            session_id=f"{self._renamed:08x}-0000-4000-8000-000000000000", at_ms=self._newest_at_ms()
        )
        self.place.sessions.insert(0, fresh)
        self._written[fresh.session_id] = 0
        self._store()

    def _newest_at_ms(self) -> int:
        return max((session.at_ms for session in self.place.sessions), default=1_794_818_490_000)

    def _store(self) -> None:
        self._mend()
        session = self.session
        first = self._written.get(session.session_id, 0)
        if self.place.kind == "sqlite":
            with self._database() as connection:
                if first:
                    append_events(connection, session, first)
                else:
                    write_session(connection, session)
        else:
            self._append(lines_of(session.events[first:]))
            names = {session.key: {"sessionId": session.session_id, "updatedAt": session.at_ms}}
            (self.place.store / "sessions.json").write_text(json.dumps(names))
        self._written[session.session_id] = len(session.events)

    def _append(self, data: bytes) -> None:
        with self._file(self.session).open("ab") as file:
            file.write(data)

    def _mend(self) -> None:
        if self._torn:
            path, rest = self._torn
            with path.open("ab") as file:
                file.write(rest)
            self._torn, self._waiting = None, []

    def _file(self, session: FakeSession) -> Path:
        return self.place.store / f"{session.session_id}.jsonl"

    @contextlib.contextmanager
    def _database(self) -> Any:
        with contextlib.closing(sqlite3.connect(self.place.store)) as connection, connection:
            yield connection

    def _stamp(self) -> str:
        self._renamed += 1
        return f"2026-11-20T{self._renamed // 60:02}-{self._renamed % 60:02}-00.000Z"
