"""What each agent of a home offers to the others, as rows in the working layer of the agent `shared`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from scrimshaw.working.database import WorkingDatabase

_LEAST_AGENTS = 2


def offer(db: WorkingDatabase, agent: str, lines: Mapping[str, str]) -> None:
    """Replace *agent*'s earlier offers by *lines*, an id for each mark."""
    with db.transaction():
        db.write("delete from offer where agent = ?", (agent,))
        db.write_many("insert into offer values (?, ?, ?)", [(agent, *one) for one in lines.items()])


def offered(db: WorkingDatabase, agent: str) -> dict[str, str]:
    """Return what *agent* offers: an id for each mark."""
    return dict(db.rows("select mark, line_id from offer where agent = ?", (agent,)))


def agreed(db: WorkingDatabase, marks: Collection[str]) -> dict[str, list[str]]:
    """Return those of *marks* that several agents offer, with the agents' names."""
    found = {
        mark: [row[0] for row in db.rows("select agent from offer where mark = ? order by agent", (mark,))]
        for mark in marks
    }
    return {mark: agents for mark, agents in found.items() if len(agents) >= _LEAST_AGENTS}


def take_back(db: WorkingDatabase, agent: str, marks: Collection[str]) -> None:
    """Delete *agent*'s offers under *marks*."""
    with db.transaction():
        db.write_many("delete from offer where agent = ? and mark = ?", [(agent, mark) for mark in marks])
