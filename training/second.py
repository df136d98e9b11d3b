"""Trains the second stage of weighing, on what sentences mean: `python -m training.second`.

    python -m training.second --check     both stages, alone and together, on files not trained on
    python -m training.second             trains on everything and writes data/second.bin (two minutes)

A linear model over the vectors of a multilingual sentence encoder, which the extra `semantic` brings, with
the answers, losses and folds of training.train. Rounded to whole numbers of one byte.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scrimshaw import data
from scrimshaw.core.weighing.second import DIMENSIONS, NAME, VECTOR_BITS, WEIGHT_BITS
from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.index.multilingual import Multilingual, why_none
from training.train import (
    SEED,
    Array,
    Model,
    Row,
    columns,
    fit,
    folds,
    missed,
    pack,
    predict,
    repeated,
    rows,
    sparse,
    targets,
    told,
)

_EPOCHS, _BATCH, _RATE, _LATE_RATE, _BIAS_RATE, _DECAY = 8, 128, 0.002, 0.25, 0.02, 1e-4
_FORGETS, _FORGETS_SQUARES = 0.9, 0.999  # of Adam


def vectors(labelled: Sequence[Row]) -> Array:
    """Return the vector of each statement (rows, DIMENSIONS), each of length 1, as whole numbers give it."""
    encoder = Multilingual()
    found = []
    for start in range(0, len(labelled), _BATCH):
        found += encoder.whole([row.sentence.text for row in labelled[start : start + _BATCH]])
    return np.array(found, np.float32) / (1 << VECTOR_BITS)


def fit_second(meanings: Array, wanted: Array, known: Array, chosen: Array, seed: int = SEED) -> Model:
    """Return what is learned from the *chosen* rows of *meanings*."""
    chance = np.random.default_rng(seed)
    scaled = meanings * np.sqrt(DIMENSIONS)
    weights = np.zeros((DIMENSIONS, ANSWERS), np.float32)
    bias = np.zeros(ANSWERS, np.float32)
    mean, squares, step = np.zeros_like(weights), np.zeros_like(weights), 0
    for epoch in range(_EPOCHS):
        order = chance.permutation(chosen)
        rate = _RATE * (1 if epoch < _EPOCHS * 0.6 else _LATE_RATE)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            step += 1
            lacking = missed(scaled[batch] @ weights + bias, wanted[batch], known[batch])
            slope = scaled[batch].T @ lacking / len(batch) + _DECAY * weights
            mean = _FORGETS * mean + (1 - _FORGETS) * slope
            squares = _FORGETS_SQUARES * squares + (1 - _FORGETS_SQUARES) * slope * slope
            spread = np.sqrt(squares / (1 - _FORGETS_SQUARES**step)) + 1e-8
            weights -= rate * mean / (1 - _FORGETS**step) / spread
            bias -= _BIAS_RATE * lacking.mean(0)
    return Model(weights * np.sqrt(DIMENSIONS), bias)


def written(model: Model) -> bytes:
    """Return *model* as core/weighing/second reads it."""
    step = np.abs(model.weights).max(0) / 127
    whole = np.round(model.weights / step).astype(np.int8)
    numbers = np.round(np.concatenate([step, model.bias]) * (1 << WEIGHT_BITS)).astype("<i4")
    return zlib.compress(whole.T.tobytes() + numbers.tobytes(), 9)


def check(labelled: Sequence[Row]) -> None:
    """Print how well each stage, and both together, tell statements of files not trained on."""
    features, meanings = sparse([row.sentence for row in labelled]), vectors(labelled)
    wanted, known = targets(labelled)
    first, second = (np.zeros((len(labelled), ANSWERS), np.float32) for _ in range(2))
    for learned, held in folds(labelled):
        packed = pack(fit(features, wanted, known, learned), features, wanted, known, learned)
        first[held] = predict(packed, features, held)
        model = fit_second(meanings, wanted, known, learned)
        second[held] = meanings[held] @ model.weights + model.bias
    columns()
    in_english = np.array([row.conversation.language == "en" for row in labelled])
    for language, mask in (("", in_english | True), (" en", in_english), (" others", ~in_english)):
        for name, scores in (("words", first), ("meaning", second), ("both", (first + second) / 2)):
            values = told(scores[mask], wanted[mask], known[mask])
            print(f"{name + language:14}" + "".join(f"{value:10.3f}" for value in values))


def main(arguments: Sequence[str]) -> int:
    """Check, or train and write."""
    parser = argparse.ArgumentParser(prog="python -m training.second", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="print what each stage adds")
    given = parser.parse_args(arguments)
    if problem := why_none():
        print(f"Nothing was trained: {problem}.", file=sys.stderr)
        return 1
    labelled = rows()
    if given.check:
        check(labelled)
        return 0
    wanted, known = targets(labelled)
    learned = repeated(labelled, np.arange(len(labelled)))
    path = Path(data.__file__).parent / f"{NAME}.bin"
    path.write_bytes(written(fit_second(vectors(labelled), wanted, known, learned)))
    print(f"{path.name}: {path.stat().st_size} bytes, {len(labelled)} statements, seed {SEED}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
