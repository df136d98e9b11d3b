"""Places that many tests begin with: built once, put back for each test at the same path."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.places import Place


class Prepared:
    """`prepared(build, kind, …)` is a new Place on which *build* was run, with what follows as its arguments.

    Only the first call runs it; the others get a copy of what it left. One such place at a time in a test.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[object, tuple[Path, Place]] = {}

    def __call__(self, build: Callable[..., object], kind: str = "jsonl", *arguments: object) -> Place:
        def make(folder: Path) -> Place:
            place = Place(folder / "machine", kind)
            build(place, *arguments)
            return place

        return self.made(make, (build, kind, *arguments))

    def made(self, make: Callable[[Path], Place], key: object = None) -> Place:
        """Return what *make* makes in a folder, or a copy of what it made for *key* (itself) before."""
        key = key or make
        if key not in self._kept:
            folder = self._folder / f"{len(self._kept)}"
            folder.mkdir()
            self._kept[key] = folder, make(folder)
            shutil.copytree(folder, folder.with_suffix(".kept"), symlinks=True)
        folder, place = self._kept[key]
        shutil.rmtree(folder)
        shutil.copytree(folder.with_suffix(".kept"), folder, symlinks=True)
        return copy.deepcopy(place)
