"""MEMORY.md: does the host read it, is our section whole in it, and does all of it reach the prompt?"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from scrimshaw import files
from scrimshaw.clock import milliseconds
from scrimshaw.core.extraction.memory_orders import CONTEXT_LIST
from scrimshaw.core.section import markers
from scrimshaw.core.section.budget import DREAMING_CAP
from scrimshaw.doctor.finding import Finding, Severity, error, note, ok, warning
from scrimshaw.doctor.sight import AgentSight, Unseen, WorkspaceSight, tried
from scrimshaw.host.openclaw import Injected
from scrimshaw.services.publish.memory_file import LARGEST_MEMORY_BYTES
from scrimshaw.services.status.durations import ago

_FILE, _SECTION, _ROOM, _PROMPT = "MEMORY.md", "section", "room", "prompt"


def check_file(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge MEMORY.md as a file: the host reads a regular one with this very name and one link only."""
    path = sight.target.layout.memory
    names = tried(lambda: {entry.name for entry in os.scandir(path.parent)})
    if isinstance(names, Unseen):
        yield error(_FILE, names.what, f"ls -ld {path.parent}")
        return
    if "memory.md" in names:
        yield _lower_case(path, has_both=path.name in names)
    if path.name not in names:
        if "memory.md" not in names:
            yield ok(_FILE, "there is none yet; writing the first section creates it")
        return
    status = tried(path.lstat)
    if isinstance(status, Unseen):
        yield error(_FILE, status.what)
    else:
        yield from list(_kind(path, status, has_host=not sight.host.is_none)) or _content(path, status)


def _lower_case(path: Path, *, has_both: bool) -> Finding:
    lower = path.with_name("memory.md")
    if has_both:
        return note(_FILE, f"{lower} stands beside MEMORY.md; only the one in capitals is read.")
    return warning(
        _FILE,
        f"{lower}: only a MEMORY.md in capitals is read, and not this file, so the agent does not know what "
        "it says.",
        f"mv {lower} {path}",
    )


def _kind(path: Path, status: os.stat_result, *, has_host: bool) -> Iterator[Finding]:
    if stat.S_ISLNK(status.st_mode):
        yield error(
            _FILE,
            f"{path} is a symbolic link. "
            + ("The host leaves links out of every prompt, and nothing" if has_host else "Nothing")
            + " is written through one.",
            f"cp --remove-destination $(readlink -f {path}) {path}",
        )
    elif not stat.S_ISREG(status.st_mode):
        yield error(
            _FILE, f"{path} is not a regular file, so it is neither read nor written.", f"ls -ld {path}"
        )
    elif status.st_nlink != 1:
        told = (
            "the host shows the agent [UNREADABLE] in its place" if has_host else "nothing is written to it"
        )
        yield error(
            _FILE,
            f"{path} is one of {status.st_nlink} hard links to one file: {told}.",
            f"cp {path} {path}.new && mv {path}.new {path}",
        )
    elif not os.access(path, os.R_OK):
        yield error(_FILE, f"{path} cannot be read by you.", f"chmod u+rw {path}")


def _content(path: Path, status: os.stat_result) -> Iterator[Finding]:
    raw = tried(lambda: files.read_bytes(path, LARGEST_MEMORY_BYTES))
    if isinstance(raw, Unseen):
        yield error(_FILE, raw.what, *raw.next_step)
        return
    well = ok(_FILE, f"a regular file with one link, {status.st_size:,} bytes, UTF-8")
    yield from list(_wrong_with(path, raw if isinstance(raw, bytes) else b"", status.st_uid)) or [well]


def _wrong_with(path: Path, raw: bytes, owner: int) -> Iterator[Finding]:
    try:
        raw.decode()
    except UnicodeDecodeError as problem:
        yield warning(
            _FILE,
            f"{path}: byte {problem.start:,} is no UTF-8. The agent is shown a replacement sign there; "
            "we keep the byte as it is.",
            f"find it and mend it by hand: iconv -f utf-8 -t utf-8 {path} >/dev/null",
        )
    if not os.access(path, os.W_OK):
        yield warning(
            _FILE,
            f"{path} is not writable for you; the section may not be kept up to date.",
            f"chmod u+w {path}",
        )
    if owner not in (os.geteuid(), path.parent.stat().st_uid):
        yield warning(_FILE, f"{path} belongs to another user ({owner}).", f"sudo chown $(id -u) {path}")


def check_section(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the markers, and what became of the section."""
    found = sight.section
    if isinstance(found, Unseen):
        yield error(_SECTION, found.what, *found.next_step)
        return
    layout = sight.target.layout
    name = "memory/observations/MEMORY.md" if found.is_aside else "MEMORY.md"
    if found.is_aside and layout.aside.is_symlink():
        yield error(
            _SECTION,
            f"{layout.aside} is a symbolic link. Nothing is written through one, so the section is not kept.",
            f"look where it leads, and take it away: ls -l {layout.aside}",
            "scrimshaw observe",
        )
        return
    match found.state:
        case "in place":
            yield ok(_SECTION, f"in place in {name}, {found.units:,} units")
        case "still in MEMORY.md":
            yield ok(
                _SECTION,
                f"in MEMORY.md, {found.units:,} units, as the agent found it when it edited the file; the "
                f"next run keeps it in {name}",
            )
        case "damaged":
            mending = markers.mending(found.problems)
            yield error(
                _SECTION,
                f"{layout.aside if found.is_aside else layout.memory}: {mending.what}, so nothing is written "
                f"until that is mended. {' '.join(map(_sentence, found.problems))}",
                mending.step,
                "scrimshaw observe",
            )
        case "removed by hand" | "removed by undo":
            yield note(
                _SECTION,
                f"it was {found.state}, and stays removed; notes go to the dated files.",
                "to have it back: scrimshaw init",
            )
        case "unmarked":
            yield note(
                _SECTION,
                f"{name} has a heading `## Observations` without our markers. A list under it is taken over, "
                "line by line, when the section is written for the first time; anything else stays as it is.",
                "scrimshaw preview",
            )
        case _:
            yield ok(_SECTION, "none yet; it is written when there is something to say")
    yield from _refused(sight)


def _refused(sight: WorkspaceSight) -> Iterator[Finding]:
    if sight.ledger is not None and not isinstance(sight.ledger, Unseen) and sight.ledger.refused:
        yield error(
            _SECTION,
            "more than 30 % of its lines were gone at once, so nothing is written until you say whether "
            "that was intended.",
            "if it was intended: scrimshaw accept-edits; to have the lines back: scrimshaw restore",
        )


def check_room(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the budget against the limits in force, and what dreaming makes of the file's size."""
    found = sight.section
    if isinstance(found, Unseen):
        return  # said by check_section
    if found.budget.reason:
        yield error(
            _ROOM,
            f"there is no room for a section: {found.budget.reason}. {'; '.join(found.budget.arithmetic())}.",
            "shorten what else stands in MEMORY.md"
            + ("" if sight.host.is_none else ", or raise agents.defaults.bootstrapMaxChars in OpenClaw"),
        )
    elif found.units > found.budget.body_units:
        yield note(
            _ROOM,
            f"the section takes {found.units:,} units and has {found.budget.body_units:,} now "
            f"({found.budget.binding}); the next writing trims it. Nothing leaves the ledger.",
            "scrimshaw observe",
        )
    else:
        told = f"{found.units:,} of {found.budget.body_units:,} units"
        yield ok(_ROOM, f"{told}; {found.budget.binding.name} decides (the sum: scrimshaw status)")
    for agent in () if sight.host.is_none else sight.agents:
        yield from _dreaming(agent, found.file_units)


def _dreaming(agent: AgentSight, file_units: int) -> Iterator[Finding]:
    if agent.limits.dreaming and file_units > DREAMING_CAP:
        yield warning(
            _ROOM,
            f"the host's dreaming is on ({agent.limits.origin['dreaming']}) and keeps MEMORY.md under "
            f"{DREAMING_CAP:,} units. The file has {file_units:,}, so its promotions are deferred, every "
            "night, until it is shorter.",
            f"shorten MEMORY.md by {file_units - DREAMING_CAP:,} units; of our section observation_chars "
            "is the limit: scrimshaw config",
        )


def check_prompt(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge what the host says that it put into its last prompt."""
    if isinstance(sight.section, Unseen):
        return
    for agent in sight.agents:
        topic = _PROMPT if len(sight.agents) == 1 else f"{_PROMPT} of {agent.agent.agent_id}"
        if agent.injected is None:
            yield ok(topic, "the host has not reported a prompt yet")
        elif not agent.injected.is_injected:
            yield from _left_out(sight, agent.injected, topic)
        elif agent.injected.is_truncated:
            yield _truncated(sight, agent.injected, topic)
        else:
            said = agent.injected
            before = ""
            if sight.section.record.state == "untrusted" and not said.is_ours:
                before = ", before it was quarantined"
            yield ok(
                topic,
                f"{_name(said)} was injected whole {ago(said.at_ms, sight.moment)}{before}: "
                f"{said.injected_chars:,} units ({said.session_key})",
            )


def _name(said: Injected) -> str:
    return "the section that is kept aside, and not MEMORY.md," if said.is_ours else "MEMORY.md"


def _truncated(sight: WorkspaceSight, said: Injected, topic: str) -> Finding:
    when = ago(said.at_ms, sight.moment)
    is_older = _changed_at_ms(sight.target.layout.memory) > said.at_ms
    return Finding(
        Severity.NOTE if is_older else Severity.ERROR,
        topic,
        f"the host cut {_name(said)} in its prompt of {when}: {said.injected_chars:,} of {said.raw_chars:,} "
        f"units were injected (limits: {said.per_file:,} a file, {said.total:,} together; "
        f"{said.session_key})." + (" The file was changed since, and may fit by now." if is_older else ""),
        (
            "scrimshaw status shows the arithmetic; shorten what else stands in MEMORY.md or in the files "
            "before it",
            "or raise agents.defaults.bootstrapMaxChars or bootstrapTotalMaxChars in OpenClaw",
        ),
    )


def _left_out(sight: WorkspaceSight, said: Injected, topic: str) -> Iterator[Finding]:
    assert not isinstance(sight.section, Unseen)
    path, when = sight.target.layout.memory, ago(said.at_ms, sight.moment)
    if sight.section.record.state == "untrusted":
        return  # check_record says why, and the way out
    if not path.exists() or _changed_at_ms(path) > said.at_ms or said.at_ms > milliseconds(sight.moment):
        yield ok(topic, f"MEMORY.md was not part of the prompt of {when}, and has been changed since")
        return
    yield error(
        topic,
        f"the host left MEMORY.md out of its prompt of {when} ({said.session_key}): the agent does not "
        "know what it says.",
        "see what else this examination says of MEMORY.md, of the plugins and of contextInjection",
        f"in a chat with the agent: {CONTEXT_LIST}",
    )


def _changed_at_ms(path: Path) -> int:
    return files.changed_ns(path) // 1_000_000


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
