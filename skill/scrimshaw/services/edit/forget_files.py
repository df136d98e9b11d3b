"""Forgotten words out of the files of a workspace that are ours to write (rule 21).

MEMORY.md and the section kept aside: between the markers, item by item. Dated files, copies of MEMORY.md and
the log: every row that holds the words. Each file is compared and replaced whole, so a kill leaves it as it
was or clean, and doing it again does nothing. A text outside the section is the person's and is only told
of, as is everything else that is found to hold the words afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files
from scrimshaw.core.ledger import forget
from scrimshaw.core.ledger.forget import Traces
from scrimshaw.core.section import markers
from scrimshaw.core.section.render import inert, safe, safe_note
from scrimshaw.core.types import Author, Observation
from scrimshaw.errors import UserError, refused_error
from scrimshaw.redaction import redact
from scrimshaw.services.publish.memory_file import LARGEST_MEMORY_BYTES, own_folders, place_of, read_document
from scrimshaw.workspace import Target

_TRIES = 3
_MOST_LOOKED_AT_BYTES = 64 * 1024 * 1024
_MOST_ROWS = 8  # that are named
_OURS_ALONE = ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "index")


class Left(NamedTuple):
    """A file that holds forgotten words and is not ours to change."""

    path: Path
    rows: tuple[int, ...]  # counted from 1; () where there are no rows

    @property
    def told(self) -> str:
        """The file with the rows, for a person."""
        rows = ", ".join(map(str, self.rows[:_MOST_ROWS])) + (" …" if len(self.rows) > _MOST_ROWS else "")
        where = f"line {rows}" if len(self.rows) == 1 else f"lines {rows}" if rows else "somewhere in it"
        return f"{self.path} ({where})"


def traces_of(observations: Iterable[Observation]) -> Traces:
    """Return what to look for: each text as it is stored, as it is shown, and as a dated file has it."""
    return Traces(form for observation in observations for form in _forms(observation))


def row_traces_of(observations: Iterable[Observation]) -> Traces:
    """Return what to look for row by row: a person's note over several rows by each of them, too."""
    return Traces(
        part
        for observation in observations
        for form in _forms(observation)
        for part in (form, *(row for row in form.split("\n") if len(row) >= forget.ALONE_BELOW_CHARS))
    )


def blank_files(target: Target, observations: Iterable[Observation]) -> list[str]:
    """Take the words of *observations* out of the workspace's files; return the places that held them.

    Only under the write lock. Raises UserError where a file cannot be written, or keeps changing.
    """
    every = list(observations)
    whole, rows = traces_of(every), row_traces_of(every)
    if not whole:
        return []
    layout = target.layout
    for folder in own_folders(target):
        files.sweep(folder)  # a kill may have left a file as it was, beside the one that is clean
    held = [
        path
        for path in (layout.memory, layout.aside)
        if _rewrite(path, lambda text: _section_without(text, whole))
    ]
    held += [path for path in sorted(layout.dated.glob("obs-*.md")) if _blank_rows(path, rows)]
    held += _blank_copies(target, whole, rows)
    held += [path for path in sorted(layout.state.glob("scrimshaw.log*")) if _blank_log(path, rows)]
    return [place_of(target, path) for path in held]


def blank_copies(target: Target, observations: Iterable[Observation]) -> None:
    """Clean the copies of MEMORY.md once more: one was made when it was written without the lines."""
    every = list(observations)
    _blank_copies(target, traces_of(every), row_traces_of(every))


def holds_section(target: Target, traces: Traces) -> bool:
    """Tell whether the section inside MEMORY.md itself holds one of *traces*."""
    state = read_document(target, None, target.layout.memory)[1].state
    return isinstance(state, markers.Owned) and _inner_without(state.inner, traces) != state.inner


def left_behind(target: Target, observations: Iterable[Observation]) -> list[Left]:
    """Return the files of the workspace that hold words of *observations* still: a person's, the host's."""
    traces = row_traces_of(observations)
    found: list[Left] = []
    for path in _readable(target):
        try:
            content = files.read_bytes(path, _MOST_LOOKED_AT_BYTES)
        except UserError:
            continue  # a pipe, or what nobody may read: no text of ours is in it
        if content is files.ABSENT:
            continue
        text = content.decode("utf-8", "surrogateescape")
        rows = tuple(at for at, row in enumerate(text.splitlines(), 1) if traces.are_in(row))
        if rows:
            found.append(Left(path, rows if b"\0" not in content else ()))
    return found


def _forms(observation: Observation) -> Iterator[str]:
    yield observation.text
    yield safe(observation.text)
    yield inert(safe(observation.text))
    if observation.pattern:
        yield observation.pattern
    if observation.author is Author.PERSON:
        yield safe_note(observation.text)
        yield redact(observation.text).text


def _readable(target: Target) -> Iterator[Path]:
    """Yield what may hold words: the workspace's notes, and our own folder without what we have cleaned."""
    layout = target.layout
    yield from sorted(layout.workspace.glob("*.md"))
    for folder in (layout.workspace / "memory", layout.state):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(layout.workspace).parts
            if path.is_file() and not (inside[0] == layout.state.name and inside[1] in _OURS_ALONE):
                yield path


def _inner_without(inner: str, traces: Traces) -> str:
    return forget.without(inner, lambda _number, item: traces.are_in(item.text))


def _section_without(text: str, traces: Traces) -> str:
    document = markers.parse(text)
    if not isinstance(document.state, markers.Owned):
        return text
    return markers.put(document, _inner_without(document.state.inner, traces))


def _blank_rows(path: Path, traces: Traces) -> bool:
    return _rewrite(path, lambda text: forget.without_rows(text, traces))


def _blank_copies(target: Target, whole: Traces, rows: Traces) -> list[Path]:
    def blank(text: str) -> str:
        return forget.without_rows(_section_without(text, whole), rows)  # as a whole: the copy is ours

    return [path for path in sorted(target.layout.backups.glob("*")) if _rewrite(path, blank)]


def _blank_log(path: Path, traces: Traces) -> bool:
    if not path.is_symlink() and path.stat().st_size > LARGEST_MEMORY_BYTES:
        path.unlink()  # nobody reads so much of it, and a forgetting that cannot go on would stop all else
        return True
    return _blank_rows(path, traces)


def _rewrite(path: Path, blank: Callable[[str], str]) -> bool:
    """Put *blank* of the file's text in its place; False when there was nothing to take out."""
    for _ in range(_TRIES):
        if path.is_symlink():
            return False  # what it leads to is not ours; it is told of, if it holds anything
        raw = files.read_bytes(path, LARGEST_MEMORY_BYTES)
        if raw is files.ABSENT:
            return False
        text = raw.decode("utf-8", "surrogateescape")
        after = blank(text)
        if after == text:
            return False
        try:
            outcome = files.replace(path, after.encode("utf-8", "surrogateescape"), expected=raw)
        except UserError as error:
            # By now the ledger has forgotten it: that no file was written is half of the truth.
            first = error.next_step.removesuffix(", then run the same command again")
            error.problems = (*error.problems, _still_in(path))
            error.next_step = f"{first}, then: scrimshaw observe (it goes on with the forgetting)"
            raise
        if not isinstance(outcome, files.Changed):
            return True
    raise refused_error(
        f"{path}: another program keeps changing this file. {_still_in(path)}",
        next_step="when the other program is done: scrimshaw observe (it goes on with the forgetting)",
    )


def _still_in(path: Path) -> str:
    return (
        "What was to be forgotten is forgotten in the ledger, and no search finds it; "
        f"its words still stand in {path.name}."
    )
