"""Vectors from the owner's own Ollama, through its HTTP API: only when it was configured by name (rule 25).

`nomic-embed-text` wants a word before each text that says what it is for. Loopback unless OLLAMA_HOST says
otherwise; proxies are not used. Slow or away: an `OSError` or UserError, and search is by words alone.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scrimshaw.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_DEFAULT = "http://127.0.0.1:11434"
_TIMEOUT_SECONDS = 30
_LOOK_SECONDS = 1.0  # whether it is there at all
_LARGEST_ANSWER_BYTES = 64 * 1024 * 1024
_BATCH = 32
_NOMIC = ("search_document: ", "search_query: ")


class Ollama:
    """An embedding model of an Ollama server."""

    def __init__(self, model: str, base_url: str = "") -> None:
        self._model = model
        self._url = (base_url or _base_url(os.environ.get("OLLAMA_HOST", ""))).rstrip("/")
        self._before = _NOMIC if model.startswith("nomic-embed") else ("", "")
        self._dimensions = 0

    @property
    def name(self) -> str:
        """Its name beside the vectors."""
        return f"ollama/{self._model}"

    @property
    def dimensions(self) -> int:
        """How long a vector is; asks the server the first time."""
        if not self._dimensions:
            self._dimensions = int(self.embed(["."]).shape[1])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each of *texts*."""
        import numpy as np

        rows: list[list[float]] = []
        for at in range(0, len(texts), _BATCH):
            rows += self._ask([self._before[0] + text for text in texts[at : at + _BATCH]])
        found: Vectors = np.asarray(rows, dtype=np.float32)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return found

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question."""
        import numpy as np

        row: Vectors = np.asarray(self._ask([self._before[1] + text])[0], dtype=np.float32)
        row /= max(float(np.linalg.norm(row)), 1e-9)
        return row

    def why_away(self) -> str:
        """Return why it gives no vectors, "" when it is there and has the model; has no model loaded."""
        try:
            with _opener().open(f"{self._url}/api/tags", timeout=_LOOK_SECONDS) as answer:
                said: Any = json.loads(answer.read(_LARGEST_ANSWER_BYTES))
            names = {str(one["name"]) for one in said["models"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            return f"{self._url}: {_told(error)}"
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        return "" if wanted in names else f"{self._url} has no model {self._model}"

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        body = json.dumps({"model": self._model, "input": list(texts), "truncate": True}).encode()
        request = urllib.request.Request(  # noqa: S310  # http(s) alone: see _base_url
            f"{self._url}/api/embed", data=body, headers={"Content-Type": "application/json"}
        )
        try:
            with _opener().open(request, timeout=_TIMEOUT_SECONDS) as answer:
                said: Any = json.loads(answer.read(_LARGEST_ANSWER_BYTES))
            rows = _vectors_in(said, len(texts))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"Search by meaning: {self._url} gave no vectors for {self.name} ({_told(error)}).",
                next_step=f"start Ollama, and fetch the model once: ollama pull {self._model}; or set "
                "embeddings: auto",
            ) from error
        return rows


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _vectors_in(said: Any, count: int) -> list[list[float]]:  # noqa: ANN401  # what a server answered
    rows = [[float(number) for number in row] for row in said["embeddings"]]
    if len(rows) != count or not all(len(row) == len(rows[0]) > 0 for row in rows):
        raise ValueError("not a vector for each text")
    return rows


def _base_url(host: str) -> str:
    if not host:
        return _DEFAULT
    return host if host.startswith(("http://", "https://")) else f"http://{host}"


def _told(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"it answered {error.code}"
    return "its answer cannot be read" if not isinstance(error, OSError) else "it cannot be reached"
