"""Observations and their standings: how they are stored, and how they are read as lines.

The observation's row is written once. Its standing is core/ledger/lifecycle's replay of its events, kept so
that reading the live lines needs no replay; `rebuild` makes it anew, and a property test holds the two
together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from operator import attrgetter
from typing import NamedTuple

from scrimshaw.core.ledger import lifecycle
from scrimshaw.core.types import (
    Author,
    Claim,
    Closed,
    DateRef,
    Event,
    EventType,
    Kind,
    Line,
    Observation,
    Place,
    Role,
    Standing,
)
from scrimshaw.store.database import Database, Row, Value, parts

_OBSERVATION = (
    "id, text, kind, priority, place, done, author, session_id, sources, speaker, said_at_ms, local_date, "
    "local_time, zone, refers_start, refers_end, refers_time, refers_phrase, refers_certain, claim_subject, "
    "claim_predicate, claim_object, confidence, salience, run_id, tokens, level, supports, pattern, "
    "task_state"
)
_STANDING = (
    "place, closed, closed_by, closed_at_ms, is_shown, is_set_aside, is_pinned, is_expired, reinforced, "
    "recalled, is_source_gone, is_kept, renewed_at_ms, confirmed"
)
_READ = (
    f"select {', '.join('o.' + name.strip() for name in _OBSERVATION.split(','))}, "
    f"{', '.join('s.' + name.strip() for name in _STANDING.split(','))} "
    "from observation o join standing s on s.observation_id = o.id"
)
_PLAIN_FIELDS = attrgetter(*_STANDING.split(", ")[2:])
# What LIKE compares otherwise than `content_words`: marks, letters beyond ASCII, a stem's last "y".
_OPEN = re.compile(r"[^\w]|_|(?![a-zA-Z])[^\W\d\u3040-\u30ff\u3400-\u9fff]|y$")
_WIDTH = len(_OBSERVATION.split(","))
# Looked up, not called: tens of thousands of lines are read at once.
_KINDS, _AUTHORS, _ROLES, _PLACES, _CLOSED = (
    {one.value: one for one in Kind},
    {one.value: one for one in Author},
    {one.value: one for one in Role},
    {one.value: one for one in Place},
    {one.value: one for one in Closed},
)


def insert(db: Database, observations: Iterable[Observation]) -> None:
    """Store *observations*, none of them known yet, and their standing at birth."""
    rows = [_row(observation) for observation in observations]
    db.write_many(f"insert into observation ({_OBSERVATION}) values ({_marks(_WIDTH)})", rows)
    write_standings(db, {o.id: lifecycle.at_birth(o) for o in observations})


def write_standings(db: Database, standings: dict[str, Standing]) -> None:
    """Store each observation's standing, new or changed."""
    db.write_many(
        f"insert or replace into standing (observation_id, {_STANDING}) values ({_marks(15)})",
        [
            (id_, standing.place.value, standing.closed and standing.closed.value, *_PLAIN_FIELDS(standing))
            for id_, standing in standings.items()
        ],
    )


def live(db: Database) -> list[Line]:
    """Return the lines that still hold, shown or not, in the order they were accepted."""
    return _lines(db, "where s.closed is null order by o.number")


def sharing(db: Database, words: Collection[str], most: int) -> tuple[list[Line], int]:
    """Return live lines that may hold one of *words*, in the order they were accepted, and how many are live.

    *words* are as `content_words` gives them. At most *most*: those that hold more of the words, of these the
    newest. Nothing is read of the others, so that a single note does not wait for a hundred thousand lines.
    """
    total: int = db.rows("select count(*) from standing where closed is null")[0][0]
    patterns = [f"%{_OPEN.sub('_', word)}%" for word in words]
    if not patterns:
        return [], total
    held = " + ".join(["(o.text like ?)"] * len(patterns))
    rows = db.rows(
        f"select o.number, o.id, {held} held from observation o join standing s on s.observation_id = o.id "
        "where s.closed is null and held > 0 order by held desc, o.number desc limit ?",
        (*patterns, most),
    )
    return list(by_id(db, [row[1] for row in sorted(rows)]).values()), total


def of_sessions(db: Database, session_ids: Collection[str]) -> list[Line]:
    """Return the live lines of these conversations, in the order they were accepted."""
    found = []
    for marks, part in parts(session_ids):
        where = f"where s.closed is null and o.session_id in ({marks}) order by o.number"
        found += _lines(db, where, part)
    return found


def newest_priorities(db: Database, most: int) -> list[int]:
    """Return the priorities of the *most* observations of runs that were noted last, the newest last."""
    rows = db.rows(
        "select priority from observation where level = 0 and author in (?, ?) order by number desc limit ?",
        (Author.RULES.value, Author.MODEL.value, most),
    )
    return [row[0] for row in reversed(rows)]


def dropped_after(db: Database, at_ms: int) -> list[Line]:
    """Return the lines that retention dropped at a time later than *at_ms*."""
    where = "where s.closed = ? and s.closed_at_ms > ? order by o.number"
    return _lines(db, where, (Closed.DROPPED.value, at_ms))


def dropped_as(db: Database, reason: str) -> list[Line]:
    """Return the lines that were dropped last with *reason* and nothing else has become of.

    None that an undo has set back to that: it is to hold.
    """
    where = (
        "where s.closed = ? and (select e.reason from event e where e.observation_id = o.id "
        "and e.type in (?, ?) order by e.seq desc limit 1) = ? order by o.number"
    )
    values = (Closed.DROPPED.value, EventType.DROPPED.value, EventType.SET_BACK.value, reason)
    return _lines(db, where, values)


def all_lines(db: Database) -> list[Line]:
    """Return every line there ever was, in the order they were accepted."""
    return _lines(db, "order by o.number")


def newest_lines(db: Database, most: int) -> list[Line]:
    """Return the *most* lines accepted last, closed or not, the newest first."""
    return _lines(db, "order by o.number desc limit ?", (most,))


def said_between(db: Database, start_ms: int, end_ms: int) -> list[Line]:
    """Return what was said from *start_ms* until before *end_ms*, oldest first, closed or not."""
    where = "where o.said_at_ms >= ? and o.said_at_ms < ? order by o.said_at_ms, o.id"
    return _lines(db, where, (start_ms, end_ms))


class LinesWanted(NamedTuple):
    """Which lines a page is of; what is empty does not matter."""

    kind: str = ""
    place: str = ""
    local_date: str = ""
    is_live: bool | None = None


def lines_before(
    db: Database, before: tuple[str, int, str] | None, limit: int, wanted: LinesWanted
) -> list[Line]:
    """Return the newest *limit* lines before a date, moment and id, newest first; none that is forgotten."""
    where, given = ["(s.closed is null or s.closed <> ?)"], [Closed.FORGOTTEN.value]
    for column, value in (
        ("o.kind", wanted.kind),
        ("s.place", wanted.place),
        ("o.local_date", wanted.local_date),
    ):
        if value:
            where.append(f"{column} = ?")
            given.append(value)
    if wanted.is_live is not None:
        where.append(f"s.closed is {'' if wanted.is_live else 'not '}null")
    if before is not None:
        where.append("(o.local_date, o.said_at_ms, o.id) < (?, ?, ?)")
    order = "order by o.local_date desc, o.said_at_ms desc, o.id desc limit ?"
    return _lines(db, f"where {' and '.join(where)} {order}", (*given, *(before or ()), limit))


def closed_as(db: Database, closed: Closed) -> set[str]:
    sql = "select observation_id from standing where closed = ?"
    return {row[0] for row in db.rows(sql, (closed.value,))}


def by_id(db: Database, ids: Collection[str]) -> dict[str, Line]:
    """Return the lines with *ids*; unknown ids are missing from the answer."""
    found: dict[str, Line] = {}
    for marks, part in parts(ids):
        some = _lines(db, f"where o.id in ({marks}) order by o.number", part)
        found.update((line.observation.id, line) for line in some)
    return found


def by_prefix(db: Database, start: str) -> list[Line]:
    """Return the lines whose ids begin with *start*, hexadecimal digits, in the order they were accepted."""
    return _lines(db, "where o.id >= ? and o.id < ? order by o.number", (start, f"{start}g"))


def standings(db: Database, ids: Collection[str]) -> dict[str, Standing]:
    """Return the standings of *ids*, for whoever has the lines' words; unknown ids are missing."""
    sql = f"select observation_id, {_STANDING} from standing where observation_id in"
    return {
        row[0]: _standing(row[1:]) for marks, part in parts(ids) for row in db.rows(f"{sql} ({marks})", part)
    }


def known(db: Database, ids: Collection[str]) -> set[str]:
    """Return those of *ids* that are in the ledger."""
    return {
        row[0]
        for marks, part in parts(ids)
        for row in db.rows(f"select id from observation where id in ({marks})", part)
    }


def merged_into(db: Database, observation_id: str) -> list[Observation]:
    """Return what was merged into one observation, into that, and so on; in the order of acceptance."""
    by_winner: dict[str, list[str]] = {}
    merged = "select closed_by, observation_id from standing where closed = ?"
    for winner, loser in db.rows(merged, (Closed.MERGED.value,)):
        by_winner.setdefault(winner, []).append(loser)
    found = {observation_id}
    looked_at = [observation_id]
    while looked_at:
        fresh = set(by_winner.get(looked_at.pop(), ())) - found
        found |= fresh
        looked_at += fresh
    return [line.observation for line in by_id(db, found - {observation_id}).values()]


def replaced_by(db: Database, observation_id: str) -> list[Line]:
    """Return the lines of which one observation took the place, in the order of acceptance."""
    sql = "select observation_id from standing where closed = ? and closed_by = ?"
    rows = db.rows(sql, (Closed.SUPERSEDED.value, observation_id))
    return list(by_id(db, [row[0] for row in rows]).values())


def rebuild(db: Database) -> int:
    """Replay every event into the standings; return how many were not what the replay says."""
    with db.transaction():
        lines = {line.observation.id: line for line in all_lines(db)}
        fresh = {key: lifecycle.at_birth(line.observation) for key, line in lines.items()}
        for row in db.rows(
            "select type, observation_id, at_ms, by, other_id, reason from event "
            "where observation_id is not null order by seq"
        ):
            event = read_event(row)
            fresh[event.observation_id] = lifecycle.standing_after(fresh[event.observation_id], event)
        changed = {key: standing for key, standing in fresh.items() if standing != lines[key].standing}
        write_standings(db, changed)
    return len(changed)


def read_event(row: Row) -> Event:
    """Return the event in (type, observation_id, at_ms, by, other_id, reason)."""
    return Event(EventType(row[0]), row[1] or "", *row[2:])


def _row(o: Observation) -> Row:
    day = o.refers_to
    refers = (day.start.isoformat(), day.end and day.end.isoformat(), *day[2:]) if day else (None,) * 5
    return (
        *(o.id, o.text, o.kind.value, o.priority, o.place.value, o.done, o.author.value, o.session_id),
        *(json.dumps(o.sources), o.speaker.value, o.said_at_ms, o.local_date, o.local_time, o.zone),
        *refers,
        *(o.claim or (None,) * 3),
        *(o.confidence, o.salience, o.run_id, o.tokens, o.level, json.dumps(o.supports), o.pattern),
        o.metadata,  # in a column of the first schema that had another name for it
    )


def _lines(db: Database, where: str, values: Sequence[Value] = ()) -> list[Line]:
    return [_line(row) for row in db.rows(f"{_READ} {where}", values)]


def _line(row: Row) -> Line:
    return Line(_observation(row[:_WIDTH]), _standing(row[_WIDTH:]))


def _observation(row: Row) -> Observation:
    start, end, time, phrase, certain = row[14:19]
    return Observation(
        id=row[0],
        text=row[1],
        kind=_KINDS[row[2]],
        priority=row[3],
        place=_PLACES[row[4]],
        done=bool(row[5]),
        author=_AUTHORS[row[6]],
        session_id=row[7],
        sources=tuple(json.loads(row[8])),
        speaker=_ROLES[row[9]],
        said_at_ms=row[10],
        local_date=row[11],
        local_time=row[12],
        zone=row[13],
        refers_to=DateRef(
            date.fromisoformat(start), date.fromisoformat(end) if end else None, time, phrase, bool(certain)
        )
        if start
        else None,
        claim=Claim(*row[19:22]) if row[19] is not None else None,
        confidence=row[22],
        salience=row[23],
        run_id=row[24],
        tokens=row[25],
        level=row[26],
        supports=tuple(json.loads(row[27])) if row[27] != "[]" else (),
        pattern=row[28],
        metadata=row[29],
    )


def _standing(row: Row) -> Standing:
    return Standing(
        place=_PLACES[row[0]],
        closed=_CLOSED[row[1]] if row[1] else None,
        closed_by=row[2],
        closed_at_ms=row[3],
        is_shown=bool(row[4]),
        is_set_aside=bool(row[5]),
        is_pinned=bool(row[6]),
        is_expired=bool(row[7]),
        reinforced=row[8],
        recalled=row[9],
        is_source_gone=bool(row[10]),
        is_kept=bool(row[11]),
        renewed_at_ms=row[12],
        confirmed=row[13],
    )


def _marks(count: int) -> str:
    return ",".join("?" * count)
