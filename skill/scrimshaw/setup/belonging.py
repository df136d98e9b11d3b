"""Decide which files of an install are ours, by name and content.

Workspaces may be nested, or moved since the install, and the agent that works in one can plant links: so a
path belongs to a workspace only when it has one of our names directly below it, and is touched only when no
folder on the way to it is a link. What no receipt lists is recognised by its content.

The host rewrites its whole configuration when it changes one value, and stamps it (`meta`), so comparing
bytes is useless: the values are compared, after the effect of `openclaw hooks enable` is removed from the
newer file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scrimshaw.host import hooks
from scrimshaw.setup import plugin, skill, snippet
from scrimshaw.setup.changes import HOOK
from scrimshaw.setup.receipt import MadeFile, MadeFolder, MadeSnippet, Receipt, Record, digest


def is_of(path: Path, workspace: Path) -> bool:
    """Tell whether *path* is one of the places in *workspace* itself where an install makes something."""
    if not path.is_relative_to(workspace):
        return False
    match path.relative_to(workspace).parts:
        case ("AGENTS.md",) | ("skills",):
            return True
        case ("skills", skill.NAME, *_):
            return True
        case _:
            return False


def is_behind_link(path: Path, base: Path) -> bool:
    """Tell whether a folder between *base* and *path* is a symbolic link, so that its content is not ours."""
    between = (folder for folder in path.parents if folder != base and folder.is_relative_to(base))
    return any(folder.is_symlink() for folder in between)


def in_workspace(workspace: Path, receipts: Iterable[Receipt]) -> Iterator[Record]:
    """Yield records of what exists in *workspace* and can only be ours, whether or not a receipt lists it."""
    every = list(receipts)
    place = skill.skill_place(workspace)
    if place.kind == "ours":
        known = tuple(one for receipt in every for made in receipt.every(MadeFile) for one in made.sha256)
        if not _is_known(place.folder, every):
            yield from (MadeFolder(str(folder)) for folder in (place.folder, place.folder / "scripts"))
        for name, (data, _) in skill.files_of(workspace).items():
            if (place.folder / name).exists():
                yield MadeFile(str(place.folder / name), (*known, digest(data)))
    found = snippet.agents_file(workspace)
    if found.inner is not None:
        inners = tuple(one for receipt in every for made in receipt.every(MadeSnippet) for one in made.inners)
        yield MadeSnippet(str(found.path), (*inners, snippet.inner(place.command)), file_existed=True)


def of_host(state: hooks.HookState, receipt: Receipt) -> Iterator[Record]:
    """Yield records of the hook's folder and files, if they are ours."""
    if state.settings is None or state.files == "foreign":
        return
    if not _is_known(state.folder, [receipt]):
        yield MadeFolder(str(state.folder))
    for name, text in hooks.files_of(state.settings).items():
        if (state.folder / name).exists():
            data = text.encode("utf-8", "surrogateescape")
            yield MadeFile(str(state.folder / name), (digest(data),))


def _is_known(folder: Path, receipts: list[Receipt]) -> bool:
    """Tell whether an install recorded files in *folder*; then it has recorded the folders it made, too."""
    return any(Path(made.path).is_relative_to(folder) for one in receipts for made in one.every(MadeFile))


Json = Any


def is_only_ours(before: bytes | None, now: bytes, folders: Iterable[str] = ()) -> bool:
    """Tell whether putting *before* back would undo only our entries and the host's stamp.

    Ours are the entries of the hook, the plug-in, and *folders* in the host's list of plug-in folders.

    *before* may have been written by hand with comments, which the host has dropped from *now*. False when
    either cannot be parsed. An empty *before* means that there was no file.
    """
    try:
        was, found = _parsed(before or b"{}"), json.loads(now)
    except ValueError:
        return False
    if not isinstance(was, dict) or not isinstance(found, dict):
        return False
    found = plugin.without(found, list(folders), was)
    return _plain(_without_ours(found, was)) == _plain(was)


def _parsed(raw: bytes) -> Json:
    try:
        return json.loads(raw)
    except json.JSONDecodeError:
        import pyjson5  # only for the few files that a person wrote with comments

        try:
            return pyjson5.decode_utf8(raw)
        except pyjson5.Json5DecoderException as error:
            raise ValueError(error.message) from error


def _without_ours(found: dict[str, Json], was: Mapping[str, Json]) -> dict[str, Json]:
    internal = dict(plugin.table(plugin.table(found, "hooks"), "internal"))
    internal_before = plugin.table(plugin.table(was, "hooks"), "internal")
    entries = {name: entry for name, entry in plugin.table(internal, "entries").items() if name != HOOK}
    own_before = plugin.table(internal_before, "entries").get(HOOK)
    internal["entries"] = entries if own_before is None else entries | {HOOK: own_before}
    if internal_before.get("enabled") is None:
        internal.pop("enabled", None)
    return {**found, "hooks": {**plugin.table(found, "hooks"), "internal": internal}}


def _plain(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return *values* without the stamp, and without empty tables of hooks."""
    hooks = dict(plugin.table(values, "hooks"))
    internal = {key: value for key, value in plugin.table(hooks, "internal").items() if value != {}}
    hooks["internal"] = internal
    kept = {key: value for key, value in hooks.items() if value != {}}
    rest = {key: value for key, value in values.items() if key not in ("meta", "hooks") and value != {}}
    return rest | ({"hooks": kept} if kept else {})
