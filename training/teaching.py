"""Teach a language model to weigh sentences: what `training.english` and `training.multilingual` share.

To every matrix of a model the product of two narrow ones is added (low-rank adaptation); biases and norms
are learned, too, and a layer that answers. What is learned is rounded, and written as index/taught reads it.
Of the same seed two machines learn nearly, not exactly, the same. Needs torch.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from scrimshaw import data
from scrimshaw.core.weighing.weigher import ANSWERS
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

_BATCH, _HEAD_RATE, _DECAY, _WARM = 64, 1e-3, 0.01, 100
_ALIKE = 32  # batches drawn at a time, so that those of a like length stand together


class Reads(Protocol):
    """The product's own reader of what was taught."""

    def answers(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


class Pace(NamedTuple):
    """How a model is taught."""

    epochs: int
    rate: float  # of all but the layer that answers


class Adapted(nn.Module):
    """A matrix (in, out) that stays and gets the product of two narrow ones."""

    def __init__(self, matrix: Array, rank: int) -> None:
        super().__init__()
        held, size = torch.tensor(matrix), matrix.shape
        self.register_buffer("matrix", held)
        self.left = nn.Parameter(torch.randn(size[0], rank) / size[0] ** 0.5)
        self.right = nn.Parameter(torch.zeros(rank, size[1]))

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        return given @ self.matrix + given @ self.left @ self.right


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


def teach(reader: nn.Module, encoded: Sequence[Sequence[int]], labelled: Sequence[Row], pace: Pace) -> None:
    """Teach *reader*, whose last layer is its `head`, the rows whose tokens are *encoded*."""
    chance = np.random.default_rng(SEED)
    wanted, known = map(torch.tensor, targets(labelled))
    reader.train()
    head = set(reader.head.parameters())  # type: ignore[operator,union-attr]
    groups = [[one for one in reader.parameters() if (one in head) == is_head] for is_head in (False, True)]
    rates = (pace.rate, _HEAD_RATE)
    adam = torch.optim.AdamW([{"params": group} for group in groups], weight_decay=_DECAY)
    most = pace.epochs * -(-len(labelled) // _BATCH)
    step, began = 0, time.monotonic()
    for _ in range(pace.epochs):
        for batch in _drawn(encoded, chance):
            step += 1
            share = min(1.0, step / _WARM) * max(0.02, 1 - step / most)
            for group, rate in zip(adam.param_groups, rates, strict=True):
                group["lr"] = rate * share
            lost = missed(reader(*_padded([encoded[at] for at in batch])), wanted[batch], known[batch])
            adam.zero_grad()
            lost.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            adam.step()
            if step % 100 == 0:
                print(
                    f"{step} of {most}, {lost.item():.2f}, {time.monotonic() - began:.0f} s", file=sys.stderr
                )
    reader.eval()


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


class Plain(NamedTuple):
    """A bias or a norm as it was learned; *where* it is in the model, as its reader finds it."""

    where: int | str
    now: torch.Tensor


class Narrow(NamedTuple):
    """What was learned of a matrix, which is *where* its reader finds it and counts in *unit* by column."""

    where: int | str
    learned: Adapted
    unit: Array | float = 1.0


def written(
    taught_on: bytes,
    plain: Sequence[Plain],
    matrices: Sequence[Narrow],
    head: nn.Linear,
    scale: float = 1.0,
    **more: Any,  # noqa: ANN401  # arrays for the reader
) -> bytes:
    """Return what was learned as index/taught reads it; what *head* answers from counts *scale* there."""
    name = "name" if isinstance(plain[0].where, str) else "at"
    numbers = [one.now.detach().numpy() for one in plain]
    rounded = [
        _rounded(*(part.detach().numpy() for part in (one.learned.left, one.learned.right)), one.unit)
        for one in matrices
    ]
    left, right, step = zip(*rounded, strict=True)
    held: Mapping[str, Any] = {
        "model": np.frombuffer(hashlib.sha256(taught_on).digest(), np.uint8),
        f"plain_{name}": np.array([one.where for one in plain]),
        "plain_size": np.array([one.size for one in numbers]),
        "plain": np.concatenate([one.ravel() for one in numbers]).astype(np.float16),
        f"matrix_{name}": np.array([one.where for one in matrices]),
        "matrix_shape": np.array([one.learned.matrix.shape for one in matrices]),
        "left": np.concatenate([one.ravel() for one in left]),
        "right": np.concatenate([one.ravel() for one in right]),
        "step": np.array(step, np.float32),
        "head": (head.weight.detach().numpy().T * scale).astype(np.float16),
        "bias": head.bias.detach().numpy(),
        **more,
    }
    made = io.BytesIO()
    np.savez_compressed(made, **held)
    return made.getvalue()


def _rounded(left: Array, right: Array, unit: Array | float) -> tuple[Array, Array, Array]:
    """Return both as whole numbers of one byte, and what the product of their units is, column by column."""
    right = right / unit
    units = np.abs(left).max(0) / 127, np.abs(right).max(1) / 127 + 1e-12
    whole = np.round(left / units[0]).astype(np.int8), np.round(right / units[1][:, None]).astype(np.int8)
    return *whole, (units[0] * units[1]).astype(np.float32)


def run(
    arguments: Sequence[str],
    about: str,
    name: str,
    learn: Callable[[Sequence[Row]], bytes],
    read: Callable[[bytes], Reads],
    languages: Mapping[str, Callable[[str], bool]],
) -> int:
    """Check, or learn and write the file *name*; *languages* are those it reads, by what they are called.

    *learn* returns what is learned of rows, *read* the product's reader of that.
    """
    parser = argparse.ArgumentParser(prog=f"python -m training.{Path(name).stem}", description=about)
    parser.add_argument("--check", action="store_true", help="print what it adds, on files not learned from")
    given = parser.parse_args(arguments)
    path = Path(data.__file__).parent / name
    labelled = rows()
    read_by = [any(one(row.conversation.language) for one in languages.values()) for row in labelled]
    if not given.check:
        chosen = [row for row, is_read in zip(labelled, read_by, strict=True) if is_read]
        path.write_bytes(learn(chosen))
        print(f"{path.name}: {path.stat().st_size} bytes, {len(chosen)} statements, seed {SEED}")
        return 0
    wanted, known = targets(labelled)
    features = sparse([row.sentence for row in labelled])
    learned, held = next(folds(labelled))
    packed = pack(fit(features, wanted, known, learned), features, wanted, known, learned)
    held = held[np.array(read_by)[held]]
    first = predict(packed, features, held)
    reader = read(learn([labelled[at] for at in np.unique(learned) if read_by[at]]))
    second = np.array(reader.answers([labelled[at].sentence.text for at in held]))
    columns()
    for called, is_of in languages.items():
        mask = np.array([is_of(labelled[at].conversation.language) for at in held])
        print(f"{called}: {mask.sum()} statements of files not learned from")
        for told_by, scores in (("words", first), ("read", second), ("both", (first + 3 * second) / 4)):
            values = told(scores[mask], wanted[held][mask], known[held][mask])
            print(f"{told_by:14}" + "".join(f"{value:10.3f}" for value in values))
    return 0
