"""What an install has put in place: is it still there, and as it was left?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from scrimshaw import files
from scrimshaw.doctor.finding import Finding, error, note, ok, warning
from scrimshaw.doctor.sight import Blind, HostSight, tried
from scrimshaw.setup.receipt import MadeFile, MadeSnippet, Receipt, digest

_TOPIC = "installed"
_INSTALL = "scrimshaw install"
_LARGEST_BYTES = 4 * 1024 * 1024
_NAMED = 3


def check_placed(host: HostSight) -> Iterator[Finding]:
    """Judge the files of the install's receipt; the hook's own are judged by `check_hook`."""
    receipt = host.receipt
    if isinstance(receipt, Blind):
        yield error(_TOPIC, receipt.what, *receipt.next_step)
    elif receipt is None and host.hook.files == "absent":
        return  # check_hook says so
    elif receipt is None:
        yield note(
            _TOPIC,
            "no receipt of an install is known here, so what it made cannot be checked; another install "
            "writes one.",
            _INSTALL,
        )
    else:
        found = [*_files(host, receipt), *_snippets(receipt)]
        yield from found or [ok(_TOPIC, "every file and line that the install made is in place")]


def _files(host: HostSight, receipt: Receipt) -> Iterator[Finding]:
    missing, changed = [], []
    for made in receipt.every(MadeFile):
        path = Path(made.path)
        if path.is_relative_to(host.hook.folder):
            continue
        raw = tried(partial(files.read_bytes, path, _LARGEST_BYTES))
        if raw is files.ABSENT:
            missing.append(made.path)
        elif isinstance(raw, bytes) and digest(raw) not in made.sha256[-1:]:
            changed.append(made.path)
    if missing:
        yield warning(_TOPIC, f"{_list(missing)} of the install: no longer there.", _INSTALL)
    if changed:
        yield note(
            _TOPIC, f"{_list(changed)}: changed since the install; an install leaves such files alone."
        )


def _snippets(receipt: Receipt) -> Iterator[Finding]:
    for made in receipt.every(MadeSnippet):
        raw = tried(partial(files.read_bytes, Path(made.path), _LARGEST_BYTES))
        text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
        if any(inner in text.replace("\r\n", "\n") for inner in made.inners[-1:]):
            continue
        told = "is an older one" if any(inner in text for inner in made.inners) else "is gone, or was changed"
        yield warning(
            _TOPIC,
            f"{made.path}: what tells the agent to note things with `scrimshaw add` {told}. Without it the "
            "agent may edit MEMORY.md with its own tools, which leads to the quarantine.",
            _INSTALL,
        )


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
