"""The parent's side of index/child, which makes vectors: hand it texts, and see to its end."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrimshaw.index.embedding import Asked
from scrimshaw.index.process import ModelProcess, trouble

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Vectors


class Feeding:
    """A child that makes vectors, until `close`."""

    def __init__(
        self,
        asked: Asked,
        into: Path | None,
        *,
        command: Sequence[str] = (),
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start it; without *into* its vectors come back instead of being kept there."""
        self._is_stopped = is_stopped
        folder = str(asked.folder or "")
        self._asked = {"model": asked.model, "folder": folder, "url": asked.url, "into": str(into or "")}
        self._child = ModelProcess(command)

    def load(self) -> dict[str, Any]:
        """Have the model loaded and return what the child says of it; raise UserError when it cannot be."""
        return self._child.ask(self._asked, self._is_stopped)

    def begin(self) -> tuple[str, int]:
        """Do that for vectors that are kept; return the model's name, and the last key that has one."""
        said = self.load()
        return str(said["name"]), int(said["last"])

    def add(self, keys: Sequence[int], texts: Sequence[str]) -> None:
        """Have a vector made and kept for each of *texts*."""
        self._child.ask({"keys": list(keys), "texts": list(texts)}, self._is_stopped)

    def embed(self, texts: Sequence[str]) -> bytes:
        """Return the vectors of *texts*, one behind the other; raises ValueError for what no model takes."""
        said = self._child.ask({"texts": list(texts)}, self._is_stopped)
        if said.get("refused"):
            raise ValueError("the model cannot take this text")
        return b64decode(str(said.get("vectors", "")))

    def close(self) -> None:
        if self._is_stopped():
            self._child.close(0.1)
        else:
            self._child.close()


class AfarEmbedder:
    """A model in a child: where texts become vectors, the caller's own threads go on as if alone.

    It ends with `close`. Once *is_stopped*, `Ended` is raised.
    """

    def __init__(self, asked: Asked, is_stopped: Callable[[], bool], command: Sequence[str] = ()) -> None:
        """Load it; raises UserError when it cannot be."""
        self._child = Feeding(asked, None, is_stopped=is_stopped, command=command)
        with ExitStack() as undone:
            undone.callback(self._child.close)
            said = self._child.load()
            self.name, self.dimensions = str(said["name"]), int(said["dimensions"])
            undone.pop_all()

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        found = np.frombuffer(self._child.embed(texts), dtype="<f4")
        if found.size != len(texts) * self.dimensions:
            raise trouble("answered with too few")
        return found.reshape(len(texts), self.dimensions)

    def close(self) -> None:
        self._child.close()
