"""What archives hold, out of their files and checked: the edge where somebody else's file becomes values.

A file is copied first and looked at by the child process alone, within limits. Frames of Scrimshaw's are
taken apart and held against their sha256 and what a ledger may hold; one that is not what it says condemns
everything that was given, before anything is written. Damage elsewhere in a file is memvid's to find: it
looks at some of it, and nothing of ours lies there. Texts are redacted anew, by this program's rules and this
owner's; what was forgotten where they come from is blank here, too.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrimshaw import files
from scrimshaw.archive import frames, mv2
from scrimshaw.core.ledger.exact import said_by, without_exact
from scrimshaw.core.ledger.import_checks import blanked, complaint, event_complaint
from scrimshaw.core.ledger.import_notes import Foreign
from scrimshaw.core.ledger.merge_ledgers import Parcel
from scrimshaw.core.transcript.privacy import cut, read_patterns
from scrimshaw.core.types import Claim, Event, EventType, Observation
from scrimshaw.errors import UserError, refused_error
from scrimshaw.redaction import redact
from scrimshaw.redaction.keyed import clean_json
from scrimshaw.services.archive import bundle
from scrimshaw.services.archive.scratch import archive_error, require_memvid, scratch
from scrimshaw.workspace import Target

MOST_FILE_BYTES = 256 * 1024 * 1024
MOST_OBSERVATIONS = 1_000_000
MOST_EVENTS = 5_000_000
# What all frames may unfold to, together: each may be a small bomb of its own.
MOST_RECORD_BYTES = 512 * 1024 * 1024
MOST_FOREIGN_CHARS = 20_000  # of one frame's text that is looked at
MOST_FOREIGN_FRAMES = 20_000  # of other programs that are looked at
_CHILD = mv2.CHILD._replace(seconds=180.0, file_bytes=2 * MOST_FILE_BYTES)
_MOST_URI_CHARS = 500
_NOTHING = "Nothing was imported."


@dataclass(frozen=True, slots=True)
class Contents:
    """What the files hold, checked and redacted; nothing of it is in a ledger yet."""

    agents: tuple[str, ...]  # whose ledgers they came from
    parcel: Parcel
    foreign: tuple[tuple[str, Foreign], ...]  # file name, frame
    redacted: Counter[str]
    frames: int = 0  # of ours and of other programs
    left_out: int = 0  # frames of other programs beyond the most that are looked at


def read_archives(target: Target, paths: Sequence[Path]) -> Contents:
    """Return what *paths* hold; raises UserError when one of them is not what it should be."""
    require_memvid(target)
    patterns = read_patterns(target.config.settings.private_patterns).compiled
    found: list[frames.Frame] = []
    foreign: list[tuple[str, Foreign]] = []
    left_out, left_bytes = 0, MOST_RECORD_BYTES
    cleaner = Cleaner(patterns)
    with scratch(target.layout) as folder:
        for path, one in _every_frame(paths, folder):
            if frames.is_ours(one.metadata):
                found.append(_unpacked(path, one, left_bytes))
                left_bytes -= found[-1].record_bytes
            elif len(foreign) >= MOST_FOREIGN_FRAMES:
                left_out += 1
            else:
                foreign.append((path.name, _stranger(one, cleaner)))
    agents = tuple(dict.fromkeys(frame.agent_id for frame in found))
    parcel = checked(found, cleaner)
    return Contents(agents, parcel, tuple(foreign), cleaner.counts, len(found) + len(foreign), left_out)


def _every_frame(paths: Sequence[Path], folder: Path) -> Iterator[tuple[Path, mv2.ArchivedFrame]]:
    """Yield every frame of *paths*, with the file that was given; one may be a bundle of archives."""
    for path in paths:
        for part in _parts(path, folder):
            for one in _frames_of(part, folder, path):
                yield path, one
            if part != path:
                part.unlink()


def _parts(path: Path, folder: Path) -> list[Path]:
    try:
        with files.open_regular(path):
            return bundle.unpack(path, folder, MOST_FILE_BYTES) if bundle.is_bundle(path) else [path]
    except bundle.BadBundle as bad:
        raise _refused(path, f"as a bundle of archives it is none: {bad}") from bad
    except OSError as error:
        raise _unreadable(path, error) from error


def _frames_of(part: Path, folder: Path, path: Path) -> list[mv2.ArchivedFrame]:
    """Return the frames of *part*; whoever is told something is told of *path*, which they gave."""
    copy = folder / f"{secrets.token_hex(8)}.mv2"
    try:
        with files.open_regular(part) as source, copy.open("xb") as mirror:
            if (size_bytes := source.seek(0, 2)) > MOST_FILE_BYTES:
                raise refused_error(
                    f"{path}: {size_bytes:,} bytes, more than the {MOST_FILE_BYTES:,} that are read. "
                    f"{_NOTHING}",
                    next_step="export it in parts: scrimshaw export --from DATE --to DATE",
                )
            source.seek(0)
            shutil.copyfileobj(source, mirror, 1024 * 1024)
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        return mv2.read(copy, child=_CHILD)
    except mv2.Broken as broken:
        raise _refused(path, archive_error(copy, broken, "", "").problems[0].partition(": ")[2]) from broken
    except mv2.Unavailable:
        raise
    except UserError as error:
        raise archive_error(
            path, error, _NOTHING, "the same command again; then: scrimshaw doctor"
        ) from error
    finally:
        copy.unlink(missing_ok=True)


def _unpacked(path: Path, found: mv2.ArchivedFrame, left_bytes: int) -> frames.Frame:
    try:
        return frames.unpack(found.metadata, min(left_bytes, frames.MOST_RECORD_BYTES))
    except frames.BadFrame as bad:
        raise _refused(path, f"a frame of it is not what it says: {bad}") from bad


def _stranger(found: mv2.ArchivedFrame, cleaner: Cleaner) -> Foreign:
    title = cleaner.clean(found.title[:MOST_FOREIGN_CHARS])
    text = cleaner.clean(found.text[:MOST_FOREIGN_CHARS])
    more_chars = max(0, len(found.text) - MOST_FOREIGN_CHARS)
    return Foreign(found.uri[:_MOST_URI_CHARS], title, found.at_seconds * 1000, text, more_chars)


def checked(found: Sequence[frames.Frame], cleaner: Cleaner) -> Parcel:
    """Return what *found* hold together: each line and each event once, in the order they were written."""
    lines: dict[str, Observation] = {}
    events: list[Event] = []
    counted: Counter[Event] = Counter()
    # Group by ledger: each machine numbers its events itself.
    by_ledger: dict[tuple[str, str], list[frames.Frame]] = {}
    for frame in found:
        by_ledger.setdefault((frame.agent_id, frame.ledger), []).append(frame)
    for several in by_ledger.values():
        stored, held = frames.every(sorted(several, key=lambda frame: frame.first_seq))
        for id_, line in held.items():
            lines.setdefault(id_, line)
        # One memory may contain what was imported from the other: count such an event once.
        seen: Counter[Event] = Counter()
        for event in (one.event for one in stored if one.event.observation_id):
            seen[event] += 1
            if seen[event] > counted[event]:
                counted[event] += 1
                events.append(event)
    if len(lines) > MOST_OBSERVATIONS or len(events) > MOST_EVENTS:
        raise _condemned("more than a memory holds")
    for line in lines.values():
        if wrong := complaint(line):
            raise _condemned(f"a line in it has {wrong}")
    for event in events:
        if wrong := event_complaint(event):
            raise _condemned(f"it holds {wrong}")
    for event in events:
        # While a forget is unfinished, the ledger and its archive still hold the words.
        if event.type is EventType.FORGOTTEN and event.observation_id in lines:
            lines[event.observation_id] = blanked(lines[event.observation_id])
    return Parcel(tuple(map(cleaner.line, lines.values())), tuple(map(cleaner.event, events)))


def _condemned(what: str) -> UserError:
    return refused_error(
        f"This is not an archive that Scrimshaw wrote: {what}. {_NOTHING}",
        next_step="get the file from where it was made once more",
    )


def _unreadable(path: Path, error: OSError) -> UserError:
    return UserError(
        f"{path}: cannot be read or copied ({error.strerror}). {_NOTHING}", next_step=f"ls -l {path}"
    )


def _refused(path: Path, what: str) -> UserError:
    return refused_error(
        f"{path}: this archive cannot be read: {what.rstrip('. ')}. {_NOTHING}",
        next_step="copy it again from where it was made, or export it again: scrimshaw export",
    )


class Cleaner:
    """Takes out of texts what may not be stored here; counts it."""

    def __init__(self, patterns: tuple[re.Pattern[str], ...]) -> None:
        self._patterns = patterns
        self.counts: Counter[str] = Counter()

    def clean(self, text: str) -> str:
        kept, private = cut(text, self._patterns)
        clean = redact(kept)
        if private or clean.counts:
            self.counts.update(Counter(clean.counts) + Counter(private=private))
        return clean.text

    def line(self, line: Observation) -> Observation:
        """Return *line* with all its words clean; the very same when they were."""
        text = self.clean(line.text)
        claim, refers_to = line.claim, line.refers_to
        if claim:
            claim = Claim(*map(self.clean, claim))
        if refers_to:
            refers_to = refers_to._replace(phrase=self.clean(refers_to.phrase))
        pattern = self.clean(line.pattern)
        bare = without_exact(line.metadata)
        metadata = self._metadata(bare) if bare else ""
        # What goes from a line must not stay in the exact text of its memory: without that it is safe.
        if (text, metadata) == (line.text, bare) and all(map(self._is_clean, said_by(line))):
            metadata = line.metadata
        fresh = (text, claim, refers_to, pattern, metadata)
        if fresh == (line.text, line.claim, line.refers_to, line.pattern, line.metadata):
            return line
        return replace(line, text=text, claim=claim, refers_to=refers_to, pattern=pattern, metadata=metadata)

    def _is_clean(self, text: str) -> bool:
        kept, private = cut(text, self._patterns)
        return not private and redact(kept).text == text

    def _metadata(self, told: str) -> str:
        """Return JSON with each value clean, so that it can still be read; the very same when it was."""
        try:
            found = json.loads(told)
            cleaned = clean_json(found, self.clean)
        except (ValueError, RecursionError):
            return self.clean(told)
        return told if cleaned == found else json.dumps(cleaned, ensure_ascii=False)

    def event(self, event: Event) -> Event:
        """Return *event* with a clean reason; that of SET_BACK is no text."""
        if not event.reason or event.type is EventType.SET_BACK:
            return event
        return replace(event, reason=self.clean(event.reason))
