"""Search the server in one query: by words, by meaning, or both; only lines that still hold.

The two lists are combined with the weights of core/search/fusion. The server decides what a login may see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.core.search import fusion
from scrimshaw.core.search.query import question_words
from scrimshaw.core.search.tongue import language_of

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection

CANDIDATES = 100  # of each list
DIMENSIONS = 384  # of the one model whose vectors the server holds


class FleetLine(NamedTuple):
    """A line as the server returns it."""

    agent: str
    machine: str  # "" when it has left the fleet
    id: str
    text: str
    kind: str
    priority: int
    session_id: str
    local_date: str
    said_at_ms: int
    is_live: bool
    score: float = 0.0


_SHOWN = (
    "a.name, coalesce(m.name, ''), l.id, l.text, l.kind, l.priority, l.session_id, l.local_date, "
    "l.said_at_ms, l.is_live"
)
_WHOSE = (
    "join scrimshaw.agent a on a.number = l.agent "
    "left join scrimshaw.machine m on m.agent = l.agent and m.ledger = l.ledger"
)
_LINE = "select x.*, y.text from scrimshaw.line x join scrimshaw.words y on y.agent = x.agent and y.id = x.id"
# By key for each row: the planner cannot estimate a function's rows, and would scan the whole table.
_LOOKED_UP = f"cross join lateral ({_LINE} where x.agent = c.agent and x.id = c.id offset 0) l {_WHOSE}"
_MATCH = f"""
least(1, coalesce(s.score, 0)) * {(1 - fusion.RANK_SHARE) * fusion.WORDS_SHARE}
+ least(1, greatest(0, coalesce(n.cosine, 0) - {fusion.COSINE_FLOOR})
        / {fusion.COSINE_TOP - fusion.COSINE_FLOOR}) * {(1 - fusion.RANK_SHARE) * (1 - fusion.WORDS_SHARE)}
+ coalesce({fusion.RANK_SHARE * 0.5 * fusion.RANK_CONSTANT} / ({fusion.RANK_CONSTANT} + s.rank - 1), 0)
+ coalesce({fusion.RANK_SHARE * 0.5 * fusion.RANK_CONSTANT} / ({fusion.RANK_CONSTANT} + n.rank - 1), 0)
"""
_SAID = """
said as materialized (
    select agent, id, score, row_number() over (order by score desc, id) as rank
    from scrimshaw.said(%(words)s::text[], %(configs)s::text[], %(agents)s::text[], %(most)s))
"""
_NEAR = """
near as materialized (
    select agent, id, cosine, row_number() over (order by cosine desc, id) as rank
    from scrimshaw.near(%(question)s, %(agents)s::text[], %(most)s))
"""
_HYBRID = f"""
with {_SAID}, {_NEAR}, both_lists as materialized (
    select agent, id, {_MATCH} as score from said s full join near n using (agent, id))
select {_SHOWN}, c.score from both_lists c {_LOOKED_UP}
where l.is_live order by c.score desc, l.said_at_ms desc limit %(limit)s
"""
_WORDS = f"""
with {_SAID}
select {_SHOWN}, c.score from said c {_LOOKED_UP}
where l.is_live order by c.score desc, l.said_at_ms desc limit %(limit)s
"""


def search(
    connection: Connection,
    query: str,
    *,
    vector: Sequence[float] | None = None,
    agents: Sequence[str] | None = None,
    limit: int = 10,
) -> list[FleetLine]:
    """Return visible lines that answer *query*, best first; without *vector* by words only."""
    told: dict[str, object] = {
        "words": list(question_words(query)),
        "configs": list(dict.fromkeys(("simple", "english", language_of(query)))),
        "agents": list(agents) if agents is not None else None,
        "most": CANDIDATES,
        "limit": limit,
    }
    if vector is not None:
        told["question"] = f"[{','.join(f'{one:.5f}' for one in vector)}]"
    rows = connection.execute(_WORDS if vector is None else _HYBRID, told)
    return [FleetLine(*row) for row in rows]


def timeline(
    connection: Connection, first: str, last: str, agents: Sequence[str] | None, limit: int
) -> list[FleetLine]:
    """Return the newest *limit* lines of local dates *first* to *last*, oldest first."""
    rows = connection.execute(
        f"select {_SHOWN} from ({_LINE}) l {_WHOSE} where l.local_date between %s and %s "
        "and (%s::text[] is null or a.name = any(%s)) and l.text <> '[forgotten]' "
        "order by l.said_at_ms desc, l.id limit %s",
        (first, last, agents, agents, limit),
    )
    return [FleetLine(*row) for row in rows][::-1]


def origin(connection: Connection, agent: str, id_: str) -> FleetLine | None:
    """Return a line with the machine and conversation it came from; None when it is not visible."""
    row = connection.execute(
        f"select {_SHOWN} from ({_LINE}) l {_WHOSE} where a.name = %s and l.id = %s", (agent, id_)
    ).fetchone()
    return FleetLine(*row) if row else None


def put_vectors(
    connection: Connection, agent: int, ids: Sequence[str], vectors: Sequence[Sequence[float]]
) -> None:
    """Add vectors of lines that are on the server and hold words."""
    told = [f"[{','.join(f'{one:.5f}' for one in vector)}]" for vector in vectors]
    connection.execute(
        "insert into scrimshaw.vector (agent, id, embedding) select %s, i, v::halfvec(384) "
        "from unnest(%s::text[], %s::text[]) as t (i, v) join scrimshaw.words w on w.agent = %s and w.id = i "
        "where w.text <> '[forgotten]' on conflict do nothing",
        (agent, list(ids), told, agent),
    )
