"""Where the evaluation material lies: public sets in their own file formats, found by shape below one folder.

`--data` names a folder (or one file). Without it: what `../shared/unpack` beside the repository prints, else
the cache it fills. Nothing is downloaded. What is absent is `None` or empty here, and the bench says so.

    BEAM          N/chat.json with N/probing_questions/probing_questions.json, N's parent naming the size
    LoCoMo        *locomo*.json (locomo10.json)
    LongMemEval   *longmemeval*.json
    samples       folders with a truth.json; transcripts: pi/*.jsonl
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path.home() / ".cache/scrimshaw-evaluation"
_DEPTH = 6  # folders below --data that are looked through


class Material(NamedTuple):
    """A folder (or file) to look in."""

    place: Path

    def beam(self, size: str = "100K") -> list[Path]:
        """Return the chats of *size* in numeric order; where no folder names a size, they are of 100K."""
        chats = [path for path in self._files("chat.json") if questions_of(path) is not None]
        named = [path for path in chats if path.parent.parent.name == size]
        sizes = {path.parent.parent.name for path in chats}
        is_sized = any(one[:1].isdigit() for one in sizes)
        chosen = chats if size == "100K" and not is_sized else named
        return sorted(chosen, key=lambda path: (len(path.parent.name), path.parent.name))

    def locomo(self) -> list[Path]:
        """Return LoCoMo's files, the whole set first."""
        return sorted(self._files("*locomo*.json"), key=lambda path: (path.name != "locomo10.json", path))

    def realtalk(self) -> list[Path]:
        """Return REALTALK's chats, in order."""
        return sorted(path for path in self._files("Chat_*.json") if path.parent.name == "realtalk")

    def longmemeval(self) -> list[Path]:
        """Return LongMemEval's files, the smallest first."""
        return sorted(self._files("*longmemeval*.json"), key=lambda path: path.stat().st_size)

    def samples(self) -> list[Path]:
        """Return the folders of samples with a ground truth."""
        return sorted(path.parent for path in self._files("truth.json"))

    def transcripts(self) -> list[Path]:
        """Return real coding sessions."""
        return sorted(path for path in self._files("*.jsonl") if path.parent.name == "pi")

    def _files(self, pattern: str) -> Iterator[Path]:
        if self.place.is_file():
            if self.place.match(pattern):
                yield self.place
            return
        for depth in range(_DEPTH + 1):
            yield from (path for path in self.place.glob("*/" * depth + pattern) if path.is_file())


def questions_of(chat: Path) -> Path | None:
    """Return the file of a BEAM chat's probing questions."""
    for name in ("probing_questions/probing_questions.json", "probing_questions.json"):
        if (chat.parent / name).is_file():
            return chat.parent / name
    return None


def find(given: Path | None) -> Material:
    """Return the material to measure with: *given*, or what lies beside the repository."""
    return Material(given if given is not None else default_folder())


@lru_cache(maxsize=1)
def default_folder() -> Path:
    """Return the folder that `../shared/unpack` prints, or the cache it would fill."""
    unpack = ROOT.parent / "shared/unpack"
    if unpack.is_file():
        done = subprocess.run(["bash", str(unpack)], capture_output=True, text=True, check=False, timeout=300)
        if done.returncode == 0 and done.stdout.strip():
            return Path(done.stdout.strip().splitlines()[-1])
    return CACHE
