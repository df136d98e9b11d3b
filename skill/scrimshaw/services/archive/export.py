"""`scrimshaw export`: a memory, or some days of it, as one portable `.mv2` file.

Everything that was ever noted, as it was written, but for secrets in a person's own lines
(services/publish/redaction): lines with their sources and dates, and all that happened to them since. Not the
revisions: they are the texts of this workspace's MEMORY.md, and what rests on them (undo, merging hand edits)
means nothing beside another file. The export is made in a scratch folder, verified by memvid, read back frame
by frame, and only then put in its place in one step, readable for its owner alone. What does not fit in one
file goes on in the next. The ledger is only read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw import files
from scrimshaw.archive import frames, mv2
from scrimshaw.clock import milliseconds
from scrimshaw.core.types import EventType, Observation
from scrimshaw.errors import UserError, refused_error, usage_error
from scrimshaw.logs import canonical
from scrimshaw.services.archive.scratch import ENDING, archive_error, require_memvid, scratch
from scrimshaw.services.publish.redaction import without_secrets
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.times import check_order
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import StoredEvent
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

# A put takes memvid about half a second whatever its size, so an export's frames are larger than a day's.
MOST_OBSERVATIONS = 2_000
MOST_EVENTS = 10_000
_NOTHING_WRITTEN = "Nothing was written."
_REPLACING = "name another, or have this one replaced: --replace, or replace_file=True"


class ExportRequest(NamedTuple):
    """What is to be exported, and where to; from and until are half open, None is without an end."""

    path: Path
    since: datetime | None = None
    until: datetime | None = None
    replaces: bool = False  # a file that is there


@dataclass(frozen=True, slots=True)
class ExportResult(WorkspaceResult):
    """What was written."""

    paths: tuple[Path, ...]
    observations: int
    events: int
    first_day: str  # local dates, "" when nothing was there
    last_day: str
    size_bytes: int

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "files": [str(path) for path in self.paths],
            "observations": self.observations,
            "events": self.events,
            "first_day": self.first_day,
            "last_day": self.last_day,
            "bytes": self.size_bytes,
            "exit_code": int(self.exit_code),
        }


def export(
    target: Target, asked: ExportRequest, now: datetime, *, on_frame: Callable[[int, int], None]
) -> ExportResult:
    """Write the memory of *target* to a file; *on_frame* is told how many of how many frames are in.

    Raises UserError, with no file changed, when the place is taken or cannot be written, when there is
    nothing to export, or when memvid is missing or does not give back what was put in.
    """
    if asked.since and asked.until:
        check_order("until", asked.since, asked.until, _NOTHING_WRITTEN)
    _check_place(target, asked)
    require_memvid(target)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        events, lines = _chosen(ledger, asked)
        origin = ledger.frames.ledger_id()
    if not lines:
        span = " in these days" if asked.since or asked.until else ""
        raise UserError(
            f"{target.layout.workspace}: nothing was noted{span}, so there is nothing to export. "
            f"{_NOTHING_WRITTEN}",
            next_step="scrimshaw timeline shows when something was noted",
        )
    packed = [frames.pack(frame) for frame in _cut(target.agent_id, events, lines, origin)]
    with scratch(target.layout) as folder:
        made = _made(folder, asked.path, packed, lambda done: on_frame(done, len(packed)))
        paths = _placed(made, asked)
    days = sorted(line.local_date for line in lines.values())
    size_bytes = sum(path.stat().st_size for path in paths)
    told = {"lines": len(lines), "events": len(events), "files": len(paths), "bytes": size_bytes}
    log.info(canonical(job="export", agent=target.agent_id, **told, at=milliseconds(now)))
    return ExportResult(target, tuple(paths), len(lines), len(events), days[0], days[-1], size_bytes)


def _check_place(target: Target, asked: ExportRequest) -> None:
    """Raise UserError before any work when the file cannot be written where it is wanted."""
    path = asked.path
    if path.suffix != ENDING:
        raise usage_error(
            f"{path}: an archive's name ends in {ENDING}, or memvid does not open it. {_NOTHING_WRITTEN}",
            next_step=f"name it {path / 'memory'}{ENDING}" if path.is_dir() else f"name it {path}{ENDING}",
        )
    if path.resolve().is_relative_to((target.layout.workspace / "memory" / "episodic").resolve()):
        raise usage_error(
            f"{path}: this folder holds the agent's own archives. {_NOTHING_WRITTEN}",
            next_step="name a place outside of memory/episodic",
        )
    files.refuse_links(path)
    if path.exists() and not asked.replaces:
        raise refused_error(
            f"{path}: there is a file already. It is as it was; {_NOTHING_WRITTEN.lower()}",
            next_step=_REPLACING,
        )


def _chosen(ledger: Ledger, asked: ExportRequest) -> tuple[list[StoredEvent], dict[str, Observation]]:
    # Read the events first: a line noted in between is then present without its event, never the reverse.
    every = [stored for stored in ledger.events_since(0) if stored.event.observation_id]
    since_ms = milliseconds(asked.since) if asked.since else None
    until_ms = milliseconds(asked.until) if asked.until else None
    lines = {
        line.observation.id: without_secrets(line.observation)
        for line in ledger.all_lines()
        if (since_ms is None or line.observation.said_at_ms >= since_ms)
        and (until_ms is None or line.observation.said_at_ms < until_ms)
    }
    events = [stored for stored in every if stored.event.observation_id in lines]
    born = {stored.event.observation_id for stored in events if stored.event.type is EventType.OBSERVED}
    return events, {id_: line for id_, line in lines.items() if id_ in born}


def _cut(
    agent_id: str, events: Sequence[StoredEvent], lines: Mapping[str, Observation], origin: str
) -> Iterable[frames.Frame]:
    part: list[StoredEvent] = []
    born: list[Observation] = []
    for stored in events:
        if part and (len(born) >= MOST_OBSERVATIONS or len(part) >= MOST_EVENTS):
            yield frames.Frame(agent_id, part[0].seq, part[-1].seq, tuple(part), tuple(born), origin)
            part, born = [], []
        part.append(stored)
        if stored.event.type is EventType.OBSERVED:
            born.append(lines[stored.event.observation_id])
    yield frames.Frame(agent_id, part[0].seq, part[-1].seq, tuple(part), tuple(born), origin)


def _made(
    folder: Path, path: Path, packed: Sequence[frames.Packed], on_frame: Callable[[int], None]
) -> list[Path]:
    """Return the archives of *packed*, in *folder*: one, or as many as memvid's limit makes of them."""
    made = folder / f"{packed[0].sha256}{ENDING}"
    try:
        mv2.write(made, packed, on_frame=on_frame)
    except mv2.Full as full:
        made.unlink(missing_ok=True)
        if len(packed) == 1:
            raise archive_error(path, full, _NOTHING_WRITTEN, "export fewer days: --from, --to") from full
        half = len(packed) // 2
        first = _made(folder, path, packed[:half], on_frame)
        return first + _made(folder, path, packed[half:], lambda done: on_frame(half + done))
    except UserError as error:
        raise archive_error(
            path, error, _NOTHING_WRITTEN, "the same command again; then: scrimshaw doctor"
        ) from error
    return [made]


def _placed(made: Sequence[Path], asked: ExportRequest) -> list[Path]:
    """Put the finished archives where they are wanted; the last ones first: with the first it is complete."""
    first = asked.path
    more = (first.with_name(f"{first.stem}.{number:03}{ENDING}") for number in range(2, len(made) + 1))
    paths = [first, *more]
    for found, path in reversed(list(zip(made, paths, strict=True))):
        expected = None if asked.replaces else files.ABSENT
        outcome = files.replace(path, found.read_bytes(), expected=expected, new_mode=0o600)
        if isinstance(outcome, files.Changed):
            raise refused_error(f"{path}: there is a file already. It is as it was.", next_step=_REPLACING)
    return paths
