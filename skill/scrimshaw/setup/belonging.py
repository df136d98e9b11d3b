"""Which of the things that an install makes belong to a workspace, by their names and their contents.

A workspace may lie inside another one's, may have been moved since, and the agent that works in it can plant
links: so a path is a workspace's only when it has a name of ours right below it, and is touched only when no
folder on the way to it is a link. What no receipt tells of, because it was lost or the workspace was moved,
is known by its content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from scrimshaw.host import hooks
from scrimshaw.setup import skill, snippet
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
    """Tell whether a folder between *base* and *path* is a symbolic link: what is there is another's."""
    between = (folder for folder in path.parents if folder != base and folder.is_relative_to(base))
    return any(folder.is_symlink() for folder in between)


def in_workspace(workspace: Path, receipts: Iterable[Receipt]) -> Iterator[Record]:
    """Yield records of what stands in *workspace* and can only be ours, whatever the receipts tell."""
    every = list(receipts)
    place = skill.look(workspace)
    if place.kind == "ours":
        known = tuple(one for receipt in every for made in receipt.every(MadeFile) for one in made.sha256)
        if not _is_known(place.folder, every):
            yield from (MadeFolder(str(folder)) for folder in (place.folder, place.folder / "scripts"))
        for name, (data, _) in skill.files_of(workspace).items():
            if (place.folder / name).exists():
                yield MadeFile(str(place.folder / name), (*known, digest(data)))
    found = snippet.look(workspace)
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
    """Tell whether an install has noted files in *folder*; then it has noted the folders it made, too."""
    return any(Path(made.path).is_relative_to(folder) for one in receipts for made in one.every(MadeFile))
