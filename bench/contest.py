"""One system answers the questions of many corpora, in a process of its own.

So its memory is its own, a crash of a library is its own, and what one leaves warm does not help the next.
Building and answering are timed apart; a question's time is what a warm library call takes.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from bench.peers.system import Entrant, entrants
from bench.questions import Corpus

DEPTH = 200  # how much of each ranking is kept: enough for 20 sessions


class Ranking(NamedTuple):
    """What a system made of one corpus: a ranking for each question."""

    places: tuple[tuple[int, ...], ...]


class Answer(NamedTuple):
    """What a system did: rankings by set and corpus, and what that cost."""

    rankings: dict[str, tuple[Ranking, ...]]
    texts: int
    build_seconds: float
    query_ms: tuple[float, ...]
    grown_mb: float | None


class Task(NamedTuple):
    """What a process is started with: a system's name, and what the list of systems is made from there."""

    name: str
    models: tuple[str, ...]
    deep: bool
    shared: Path


def ask(task: Task, sets: Mapping[str, Sequence[Corpus]]) -> Answer | str:
    """Return what *task*'s system answers, or why it did not."""
    start = multiprocessing.get_context("spawn")
    ours, theirs = start.Pipe()
    child = start.Process(target=_work, args=(task, theirs), daemon=True)
    child.start()
    theirs.close()
    try:
        ours.send(dict(sets))
        found: Answer | str = ours.recv()
        return found
    except (EOFError, BrokenPipeError):
        child.join()
        return f"its process ended with {child.exitcode}"
    finally:
        ours.close()
        child.join()


def _work(task: Task, parent: Connection) -> None:
    sets: dict[str, Sequence[Corpus]] = parent.recv()
    entrant = next(one for one in entrants(task.models, deep=task.deep) if one.name == task.name)
    why = entrant.absent()
    parent.send(why or _answered(entrant, task.shared, sets))
    parent.close()


def _answered(entrant: Entrant, shared: Path, sets: Mapping[str, Sequence[Corpus]]) -> Answer:
    before = _peak_mb()
    began = time.perf_counter()
    system = entrant.make(shared)
    build_seconds = time.perf_counter() - began
    rankings: dict[str, tuple[Ranking, ...]] = {}
    query_ms: list[float] = []
    texts = 0
    for name, corpora in sets.items():
        made = []
        for corpus in corpora:
            began = time.perf_counter()
            system.build(corpus.texts)
            build_seconds += time.perf_counter() - began
            texts += len(corpus.texts)
            places = []
            for question in corpus.questions:
                began = time.perf_counter()
                found = system.search(question.text, DEPTH)
                query_ms.append((time.perf_counter() - began) * 1000)
                places.append(tuple(found))
            made.append(Ranking(tuple(places)))
        rankings[name] = tuple(made)
    build_seconds += float(getattr(system, "seconds_elsewhere", 0.0))
    after = _peak_mb()
    if close := getattr(system, "close", None):
        close()
    grown = None if before is None or after is None else after - before + _children_mb()
    return Answer(rankings, texts, build_seconds, tuple(query_ms), grown)


def _peak_mb() -> float | None:
    try:
        import resource
    except ImportError:
        return None  # not on this system
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << 20 if sys.platform == "darwin" else 1024
    )


def _children_mb() -> float:
    import resource

    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1024)
