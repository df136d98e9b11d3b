"""The host's record of who wrote MEMORY.md: which way the section goes because of it, and the ways out.

While a record stands an outside write gets the file shut out of every prompt at the agent's next edit
(rule 13). Then the section is kept aside, and only the hook brings it before the agent.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from scrimshaw import files
from scrimshaw.core.extraction.memory_orders import DELETE_MEMORY
from scrimshaw.doctor.finding import Finding, error, note, ok, warning
from scrimshaw.doctor.sight import Unseen, WorkspaceSight, tried
from scrimshaw.host.provenance import Provenance
from scrimshaw.services.publish.memory_file import LARGEST_MEMORY_BYTES
from scrimshaw.services.status.hook_health import hook_problem

_TOPIC = "way to the agent"
_ASIDE = "memory/observations/MEMORY.md"
_CHANGED = (
    "Since then somebody else has changed the file: at the agent's next edit of it the host shuts it out of "
    "every prompt, with all that you and the agent wrote in it."
)


def check_record(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the way of the section: MEMORY.md itself, or aside and through the hook."""
    found = sight.section
    if isinstance(found, Unseen):
        return
    record = found.record
    if record.state == "none":
        yield ok(_TOPIC, "MEMORY.md itself; the host has no record that would speak against it")
        yield from _left_behind(sight)
        return
    if not found.is_aside:
        yield warning(
            _TOPIC,
            f"{_capital(record.detail)}, and respect_provenance is off: we write MEMORY.md all the same, "
            "and the agent's next edit of it will get the file shut out of every prompt.",
            "set respect_provenance: true, or never let the agent edit MEMORY.md with its own tools",
            *_ways_out(sight, record.file_hash),
        )
        return
    missing = hook_problem(sight.target.agents, sight.host.hook, sight.host.gateway)
    is_changed = record.state == "recorded" and _digest(sight.target.layout.memory) not in (
        "",
        record.file_hash,
    )
    told = f"{_capital(record.detail)}. {_CHANGED}" if is_changed else _told(record)
    kept = f"the section is kept in {_ASIDE}"
    if found.state == "still in MEMORY.md":
        kept = f"the next run keeps the section in {_ASIDE} (scrimshaw observe)"
    if missing:
        yield error(
            _TOPIC,
            f"{told} So {kept}, AND NOTHING PUTS IT INTO THE PROMPT: {missing}. "
            "The agent finds it only when it searches.",
            "scrimshaw install, then restart the gateway: openclaw gateway restart",
            *_ways_out(sight, record.file_hash),
        )
    elif record.state == "untrusted" or is_changed:
        yield warning(
            _TOPIC,
            f"{told} As for the section: {kept}, and our hook puts it into the prompt.",
            *_ways_out(sight, record.file_hash),
        )
    else:
        yield ok(_TOPIC, f"aside, through the hook: {record.detail}, so {kept}")


def _told(record: Provenance) -> str:
    """Return what the record means, in a sentence."""
    return {
        "recorded": f"{_capital(record.detail)}; if another program wrote it now, the host would shut it "
        "out.",
        "untrusted": "QUARANTINED: the host leaves MEMORY.md, with all that you and the agent wrote in it, "
        "out of every prompt.",
        "unknown": f"{_capital(record.detail)}; when unsure, MEMORY.md is left alone.",
    }[record.state]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ways_out(sight: WorkspaceSight, recorded: str) -> tuple[str, ...]:
    """Return the steps that lift a record, in their order."""
    memory = sight.target.layout.memory
    if not recorded:
        return ()
    return (
        f"to be rid of the record, first keep what stands there now: cp {memory} {_kept(memory)}",
        *_restored(sight, recorded),
        f'tell the agent, in a chat: "{DELETE_MEMORY}" (Only the agent can: a file deleted from outside '
        "keeps its record.)",
        "look again: scrimshaw doctor (the record is gone when it says: MEMORY.md itself)",
        f"put your own notes back, over what a run may have made there: mv {_kept(memory)} {memory}",
        "write the section again: scrimshaw observe",
        "and let the agent note things with `scrimshaw add` from then on: scrimshaw install tells it so "
        "in AGENTS.md",
    )


def _kept(memory: Path) -> Path:
    return memory.with_name(f"{memory.name}.kept")


def _left_behind(sight: WorkspaceSight) -> Iterator[Finding]:
    """Note the copy of the way out: what it holds may not be in MEMORY.md yet."""
    memory = sight.target.layout.memory
    kept = _kept(memory)
    if tried(lambda: kept.is_file()) is True:
        yield note(
            _TOPIC,
            f"{kept.name} still lies beside MEMORY.md: the copy that the way out of the record asks for.",
            f"when your own notes are in MEMORY.md: rm {kept}",
            f"when they are not: mv {kept} {memory}, then scrimshaw observe",
        )


def _restored(sight: WorkspaceSight, recorded: str) -> tuple[str, ...]:
    memory = sight.target.layout.memory
    if _digest(memory) == recorded:
        return ()
    copy = next((path for path in _copies(sight) if _digest(path) == recorded), None)
    if copy is not None:
        return (f"put back exactly what the host has recorded: cp {copy} {memory}",)
    return (
        "put back exactly what the host has recorded: none of our copies is it; look in your own backups "
        f"(git log -- MEMORY.md) for the one whose sha256sum is {recorded}",
    )


def _copies(sight: WorkspaceSight) -> list[Path]:
    layout = sight.target.layout
    found = tried(lambda: sorted(layout.backups.glob("MEMORY.md.*"), reverse=True))
    beside = tried(lambda: sorted(layout.workspace.glob("MEMORY.md?*")))
    return [*(() if isinstance(found, Unseen) else found), *(() if isinstance(beside, Unseen) else beside)]


def _digest(path: Path) -> str:
    raw = tried(lambda: files.read_bytes(path, LARGEST_MEMORY_BYTES))
    return sha256(raw).hexdigest() if isinstance(raw, bytes) else ""
