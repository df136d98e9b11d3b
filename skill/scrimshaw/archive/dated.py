"""`memory/observations/obs-YYYY-MM-DD.md`: every accepted observation, for people and for the host's search.

Appended in the order of acceptance; a line that was superseded or withdrawn, or taken out of the section by
hand, is marked in place, and the words of a withdrawn one go, because a search hit would read as true. The
mark stands before the words, so that a snippet cannot lose it. All else in the file is somebody else's and
kept byte for byte: lines are found by their own text, so an edited line is the person's. Every act can be
repeated without harm; a crash between file and ledger doubles nothing. The name does not begin with the date:
the host's promotion would sweep such files back into MEMORY.md.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files
from scrimshaw.core.section.render import inert, mark_of
from scrimshaw.core.types import Act, Author, Kind, Observation, OutboxItem
from scrimshaw.errors import UserError

FOLDER = "memory/observations"
LIMIT_BYTES = 16 * 1024 * 1024
TRIES = 3

_KEEPS_WORDS = (Act.MARK_SUPERSEDED, Act.MARK_REMOVED)
_SOME_DAY = "some day"  # in a key: marked, whatever the date

_LINE = re.compile(
    r"- (?P<mark>🔴|🟡|🟢|✅)(?: (?P<time>\d\d:\d\d))?"
    r"(?: \((?P<became>superseded|withdrawn|removed) (?P<on>\d{4}-\d\d-\d\d)\))?"
    r"(?: \(program\))?"
    rf"(?: (?P<kind>{'|'.join(Kind)}): (?P<text>.*))?"
)
_HEAD = re.compile(r"---\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*#", re.MULTILINE)


class DatedLine(NamedTuple):
    """One line of a dated file; *text* is "" when it was withdrawn."""

    mark: str
    time: str  # HH:MM, "" when unknown
    kind: Kind | None  # None when withdrawn
    text: str
    became: str = ""  # superseded, withdrawn; removed from the section, by hand
    on: str = ""  # YYYY-MM-DD


def write(workspace: Path, agent_id: str, items: Sequence[OutboxItem]) -> tuple[int, ...]:
    """Do *items* in the workspace's dated files; return their numbers, all on disk.

    Raises UserError when a file cannot be written or kept changing; what was written before may be
    repeated without harm.
    """
    folder = files.make_folder(workspace, FOLDER)
    done: list[int] = []
    by_date = sorted(items, key=lambda item: item.observation.local_date)
    for date, group in groupby(by_date, key=lambda item: item.observation.local_date):
        owed = list(group)
        _write_one(folder / f"obs-{date}.md", agent_id, owed)
        done += [item.number for item in owed]
    return tuple(done)


def read(workspace: Path) -> list[tuple[str, DatedLine]]:
    """Return each of our lines in the workspace's dated files with its date, oldest file first."""
    found: list[tuple[str, DatedLine]] = []
    for path in sorted((workspace / FOLDER).glob("obs-????-??-??.md")):
        content = files.read_bytes(path, LIMIT_BYTES)
        if content is not files.ABSENT:
            lines = content.decode("utf-8", "surrogateescape").split("\n")
            said = (parse_line(line.removesuffix("\r")) for line in lines)
            found += [(path.stem.removeprefix("obs-"), line) for line in said if line]
    return found


def place_of(workspace: Path, observation: Observation) -> tuple[Path, int]:
    """Return the dated file of *observation* and the line it stands in, from 1; 0 when it is not found."""
    path = workspace / FOLDER / f"obs-{observation.local_date}.md"
    found = files.read_bytes(path, LIMIT_BYTES)
    content = b"" if found is files.ABSENT else found
    places = _places(content.decode("utf-8", "surrogateescape").split("\n"))
    at = _find(places, observation, Act.APPEND, render(observation))
    return path, 0 if at is None else at + 1


def render(observation: Observation, act: Act = Act.APPEND, marked_on: str = "") -> str:
    """Return the observation's line after *act*, without its line break."""
    time = f" {observation.local_time}" if observation.local_time else ""
    start = f"- {mark_of(observation)}{time}"
    by = "(program) " if observation.author is Author.PROGRAM else ""  # nobody has checked what it says
    # Line breaks within the text become blanks: one line stays one line.
    text = observation.text.replace("\r", " ").replace("\n", " ")
    said = f"{by}{observation.kind}: {text if observation.author is Author.PERSON else inert(text)}"
    match act:
        case Act.MARK_WITHDRAWN:
            return f"{start} (withdrawn {marked_on})"
        case Act.MARK_SUPERSEDED:
            return f"{start} (superseded {marked_on}) {said}"
        case Act.MARK_REMOVED:
            return f"{start} (removed {marked_on}) {said}"
        case Act.APPEND | Act.RESTORE:
            return f"{start} {said}"


def parse_line(line: str) -> DatedLine | None:
    """Return what *line* (without its line break) says, or None when it is not one of ours."""
    found = _LINE.fullmatch(line)
    if not found or (found["text"] is None) != (found["became"] == "withdrawn"):
        return None
    return DatedLine(
        mark=found["mark"],
        time=found["time"] or "",
        kind=Kind(found["kind"]) if found["kind"] else None,
        text=found["text"] or "",
        became=found["became"] or "",
        on=found["on"] or "",
    )


def put(content: str, agent_id: str, items: Iterable[OutboxItem]) -> str:
    """Return a dated file's *content* ("" for a new one) after *items*, all of one date.

    An observation whose line is not found is added when it is new, and otherwise left alone: then a
    person's hand was here. Two that would read the same share a line.
    """
    owed = list(_settled(items))
    if not content and not any(one.is_new for one in owed):
        return content  # a file that a person removed stays removed
    ending = "\r" if "\r\n" in content else ""
    lines = (content or _head(agent_id, owed[0].observation)).split("\n")
    before = list(lines)
    places = _places(lines)
    sessions: list[str] = []
    for observation, act, marked_on, is_new in owed:
        target = render(observation, act, marked_on)
        place = _find(places, observation, act, target)
        if place is not None:
            lines[place] = target + ("\r" if lines[place].endswith("\r") else "")
        elif is_new:
            if lines[-1] != "":
                lines[-1:] = [lines[-1] + ending, ""]
            place = len(lines) - 1
            lines.insert(place, target + ending)
            sessions.append(observation.session_id)
        if place is not None and (said := _parsed(target)):
            places.setdefault(said, place)
    return _with_head("\n".join(lines), sessions) if lines != before else content


def _write_one(path: Path, agent_id: str, items: list[OutboxItem]) -> None:
    for _ in range(TRIES):
        found = files.read_bytes(path, LIMIT_BYTES)
        before = b"" if found is files.ABSENT else found
        # surrogateescape: bytes that are no UTF-8 come back as they were.
        text = put(before.decode("utf-8", "surrogateescape"), agent_id, items)
        if found is files.ABSENT and not text:
            return
        outcome = files.replace(path, text.encode("utf-8", "surrogateescape"), expected=found)
        if not isinstance(outcome, files.Changed):
            return
    raise UserError(
        f"{path}: another program keeps changing this file. It is as that program left it.",
        next_step="run the same command again when the other program is done",
    )


class _Owed(NamedTuple):
    """What an observation's line must read in the end, whatever happened on the way."""

    observation: Observation
    act: Act
    marked_on: str
    is_new: bool


def _settled(items: Iterable[OutboxItem]) -> Iterable[_Owed]:
    owed: dict[str, _Owed] = {}
    for item in items:
        before = owed.get(item.observation.id)
        if before and before.act is Act.MARK_WITHDRAWN and item.act in _KEEPS_WORDS:
            continue  # its words stay out
        is_new = item.act is Act.APPEND or (before is not None and before.is_new)
        owed[item.observation.id] = _Owed(item.observation, item.act, item.marked_on, is_new)
    return owed.values()


def _places(lines: Sequence[str]) -> dict[DatedLine, int]:
    """Return where each of our lines stands."""
    places: dict[DatedLine, int] = {}
    for number, line in enumerate(lines):
        if said := _parsed(line.removesuffix("\r")):
            places.setdefault(said, number)
            if said.became:
                places.setdefault(said._replace(on=_SOME_DAY), number)
    return places


def _parsed(line: str) -> DatedLine | None:
    """Return what *line* is found by: one that stands there with a live link is the same line."""
    said = parse_line(line)
    return said and said._replace(text=inert(said.text))


def _find(places: dict[DatedLine, int], observation: Observation, act: Act, target: str) -> int | None:
    plain = _parsed(render(observation))
    exact = _parsed(target)
    assert plain, "what we render, we can read"
    assert exact, "what we render, we can read"
    # The line as it should be comes first: then a crash came after the file and before the ledger.
    marked = [plain._replace(became=became, on=_SOME_DAY) for became in ("superseded", "removed")]
    forms = [exact, plain, *marked]
    if act is Act.RESTORE:
        forms.append(DatedLine(plain.mark, plain.time, None, "", "withdrawn", _SOME_DAY))
    return next((places[form] for form in forms if form in places), None)


def _head(agent_id: str, first: Observation) -> str:
    date = datetime.date.fromisoformat(first.local_date.zfill(10))  # a year before 1000 was not padded
    head = {"agent": agent_id, "date": date, "zone": first.zone, "sessions": [], "observations": 0}
    return f"{_rendered(head)}\n# Observations of {first.local_date}\n\n"


def _rendered(head: Mapping[str, object]) -> str:
    import frontmatter

    post = frontmatter.Post("")
    post.metadata = dict(head)  # whatever its keys are
    # One key per line: other programs may read this without a YAML parser.
    text: str = frontmatter.dumps(post, sort_keys=False, default_flow_style=None, width=LIMIT_BYTES)
    return text.rstrip("\n") + "\n"


def _with_head(content: str, new_sessions: Iterable[str]) -> str:
    """Bring the front matter's sessions and count up to date, in their own lines; all else stays to the byte.

    What a person keeps there is not written anew: YAML would read 12:30 as a number and NO as false. A head
    that cannot be read is left as it is, and so is one with comments, or with these two in another form.
    """
    import yaml

    found = _HEAD.match(content)
    if not found or _COMMENT.search(found[0]):
        return content
    try:
        head = _values(found[0])
        known = head.get("sessions")
        if not isinstance(known, list) or not isinstance(head.get("observations"), int):
            return content
        count = sum(parse_line(line.removesuffix("\r")) is not None for line in content.split("\n"))
        sessions = known + [each for each in dict.fromkeys(new_sessions) if each and each not in known]
        fresh = {"sessions": sessions, "observations": count}
        if all(head[key] == value for key, value in fresh.items()):
            return content
        text = found[0]
        for line in _rendered(fresh).split("\n")[1:3]:
            row = re.compile(rf"^{line.partition(':')[0]}:.*?(?=\r?$)", re.MULTILINE)
            text = row.sub(line.replace("\\", r"\\"), text, count=1)
        return text + content[found.end() :] if _values(text) == {**head, **fresh} else content
    except (yaml.YAMLError, ValueError, RecursionError):
        return content


def _values(head: str) -> dict[str, object]:
    import frontmatter

    values: dict[str, object] = frontmatter.parse(head)[0]
    return values
