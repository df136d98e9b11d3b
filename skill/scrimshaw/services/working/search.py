"""Search the working layer, and rank its results together with the ledger's lines.

By words, by meaning, or both, as in the ledger (services/search/search). Each result names its layer; an
entry that is in both, as during a consolidation, is returned once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.program_lines import is_put_away, origin_of
from scrimshaw.core.search import relevance
from scrimshaw.core.search.fusion import Ranked, fuse
from scrimshaw.core.search.layers import LayerCandidate, LayerName, line_score, memory_score, merged
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.types import Closed
from scrimshaw.core.working import StoredMemory, days_between, iso
from scrimshaw.errors import UserError
from scrimshaw.index import embedding
from scrimshaw.services.search.search import CANDIDATES, Recall, SearchHit, SearchMode, SearchQuery
from scrimshaw.services.working.layer import WorkingLayer, embed_all
from scrimshaw.working import memories
from scrimshaw.working.postings import heaviest
from scrimshaw.working.words import asked_words, words_of

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Embedder

_SPARE = 8  # memories examined beyond the limit, since some are filtered out
_FEW = 32  # vectors: half a second
_PRIORITIES = 4  # steps from the least to the most important line


@dataclass(frozen=True, slots=True)
class LayerHit:
    """A result from either layer; *score* is 0..1 and comparable across layers."""

    id: str
    content: str
    score: float
    source: LayerName
    agent: str
    type: str
    importance: float
    created_at: datetime
    metadata: dict[str, Any]
    owner_id: str = ""  # the owner that a program named
    category: str = ""  # of knowledge
    closed: Closed | None = None  # what became of a line that no longer holds
    is_set_aside: bool = False  # a line that holds, and that a person keeps out of the section

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return {
            "id": self.id,
            "content": self.content,
            "score": round(self.score, 4),
            "source": self.source.value,
            "agent": self.agent,
            "type": self.type,
            "importance": round(self.importance, 4),
            "created_at": iso(self.created_at),
            "metadata": self.metadata,
            "closed": self.closed,
            "is_set_aside": self.is_set_aside,
        }


class FoundMemory(NamedTuple):
    """A memory of the working layer; *match* is 0..1, before importance and recency."""

    number: int
    memory: StoredMemory
    match: float


def find_memories(layer: WorkingLayer, recall: Recall, wanted: SearchQuery) -> list[FoundMemory]:
    """Return the memories that answer *wanted*, best match first."""
    if not wanted.query:
        return []
    compares = wanted.mode is not SearchMode.LEXICAL
    embedder = recall.embedder(is_quick=wanted.is_quick) if compares else None
    if embedder is not None and embedder.name == embedding.BUNDLED and not is_english(wanted.query):
        embedder = None  # its model knows only English
    by_words = wanted.mode is not SearchMode.SEMANTIC or embedder is None
    lists = layer.postings.lists(asked_words(wanted.query))
    question = _asked(layer, wanted.query, {word: len(numbers) for word, numbers in lists.items()})
    held = heaviest(lists, question.weights, CANDIDATES) if by_words else []
    whole = question.weight
    lexical = [(number, weight / whole) for number, weight in held]
    # With a time limit the matches may be far down the list.
    most = None if wanted.when else wanted.limit + _SPARE
    # A process for a single search has no background thread, so it computes a few missing vectors itself.
    makes_few = recall.is_brief and not wanted.is_quick
    try:
        ranked = _with_meaning(layer, embedder, wanted.query, lexical, most, makes_few=makes_few)
    except (UserError, OSError) as error:  # the server is away: use the installed model, or words
        embedder = recall.embedder() if recall.meanings.memories_stand_in(error) else None
        ranked = _with_meaning(layer, embedder, wanted.query, lexical, most, makes_few=False)
    kept = [one for one in ranked if one.score >= wanted.min_score]
    read = memories.with_words(layer.db, [one.key for one in kept])
    found = {number: memory for number, (memory, _) in read.items()}
    when = wanted.when
    within = [
        one
        for one in kept
        if (memory := found.get(one.key)) and (when is None or when.start <= memory.created_at < when.end)
    ]
    if embedder is not None and embedder.name == embedding.BUNDLED:
        within = [one for one in within if one.lexical is not None or is_english(found[one.key].content)]
    is_measured = embedder is None or embedder.name == embedding.BUNDLED
    if wanted.has_floor and is_measured:
        said = [relevance.evidence(question, read[one.key][1], one.semantic) for one in within]
        shown = relevance.standing_out(question, said, by_words=by_words)
        within = [one for one, is_shown in zip(within, shown, strict=True) if is_shown]
    return [FoundMemory(one.key, found[one.key], one.score) for one in within]


def _with_meaning(
    layer: WorkingLayer,
    embedder: Embedder | None,
    query: str,
    lexical: list[tuple[int, float]],
    most: int | None,
    *,
    makes_few: bool,
) -> list[Ranked]:
    if embedder is None:
        return fuse(lexical, [], most)
    asked = embedder.embed_query(query)
    if makes_few:
        with suppress(UserError, OSError):
            embed_all(layer.db, embedder, most=_FEW)
    with layer.scan(embedder) as scan:
        near = scan.search(asked, CANDIDATES)
        both = fuse(lexical, near, most)
        cosines = scan.cosines(asked, [one.key for one in both if one.semantic is None])
    return [one if one.semantic is not None else one._replace(semantic=cosines.get(one.key)) for one in both]


def _asked(layer: WorkingLayer, query: str, frequencies: Mapping[str, int]) -> relevance.QuestionWords:
    named = relevance.naming(query)
    names = [word for name in named.names for word in words_of(name)]
    return relevance.asked(
        frequencies, memories.total(layer.db), [words_of(one) for one in named.identifiers], names
    )


def in_one_order(
    lines: Sequence[SearchHit],
    found: Sequence[FoundMemory],
    wanted: SearchQuery,
    now: datetime,
    *,
    agent: str,
    recall: Recall,
    layer: WorkingLayer | None,
) -> tuple[list[LayerHit], list[SearchHit]]:
    """Return the best results of both layers, best first, and those of *lines* that are among them."""
    by_layer: dict[LayerName, dict[int, SearchHit | FoundMemory]] = {
        LayerName.WORKING: {one.number: one for one in found},
        LayerName.EPISODIC: dict(enumerate(lines)),
    }
    now_ms = milliseconds(now)
    candidates = [
        LayerCandidate(
            *(one.number, LayerName.WORKING, _memory_score(one, now_ms), one.memory.content),
            one.memory.owner_id,
        )
        for one in found
    ] + [
        LayerCandidate(
            *(at, LayerName.EPISODIC, line_score(hit.score, _importance(hit)), hit.line.observation.text),
            _owner_of(hit),
        )
        for at, hit in enumerate(lines)
    ]
    candidates = [one for one in candidates if one.score >= wanted.min_score or not found]

    def likeness(one: LayerCandidate, other: LayerCandidate) -> float | None:
        if layer is None:
            return None
        first, second = sorted((one, other), key=lambda c: c.layer is not LayerName.WORKING)
        # Only vectors that are there: for this no model is loaded, and no server asked.
        with layer.stored(recall.meanings.memories_model_name(), first.key) as scan:
            vector = scan.vector(first.key) if scan else None
            if scan is None or vector is None:
                return None
            if second.layer is LayerName.WORKING:
                return scan.cosines(vector, [second.key]).get(second.key)
        return recall.meanings.likeness(vector, lines[second.key].number)

    kept = merged(candidates, wanted.limit, likeness if layer and layer.has_model else None)
    results = [_result(by_layer[one.layer][one.key], one, agent) for one in kept]
    shown = {one.key for one in kept if one.layer is LayerName.EPISODIC}
    return results, [hit for at, hit in enumerate(lines) if at in shown or not found]


def _memory_score(one: FoundMemory, now_ms: int) -> float:
    memory = one.memory
    unused = days_between(milliseconds(memory.last_accessed_at), now_ms)
    return memory_score(one.match, memory.importance, unused_days=unused, access_count=memory.access_count)


def _importance(hit: SearchHit) -> float:
    origin = origin_of(hit.line.observation)
    if origin is not None:
        return origin.importance
    return 1.0 if hit.line.standing.is_pinned else (hit.line.observation.priority - 1) / _PRIORITIES


def _owner_of(hit: SearchHit) -> str:
    origin = origin_of(hit.line.observation)
    return origin.owner_id if origin else ""


def _result(found: SearchHit | FoundMemory, candidate: LayerCandidate, agent: str) -> LayerHit:
    if isinstance(found, FoundMemory):
        memory = found.memory
        return LayerHit(
            *(memory.id, memory.content, candidate.score, LayerName.WORKING, memory.agent, memory.type.value),
            *(memory.importance, memory.created_at, dict(memory.metadata)),
            *(memory.owner_id, memory.category.value if memory.category else ""),
        )
    line = found.line.observation
    origin = origin_of(line)
    kind = origin.type if origin else ("semantic" if line.level else "episodic")
    said = datetime.fromtimestamp(line.said_at_ms / 1000, UTC)
    about = {"kind": line.kind.value, "date": line.local_date, "author": line.author.value}
    return LayerHit(
        *(line.id, line.text, candidate.score, LayerName.EPISODIC, agent, kind),
        *(_importance(found), said, {**about, **(origin.metadata if origin else {})}),
        owner_id=_owner_of(found),
        category=origin.learnt.category.value if origin and origin.learnt else "",
        closed=found.line.standing.closed,
        is_set_aside=is_put_away(found.line),
    )
