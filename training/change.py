"""Train the judge of change (core/extraction/change_judge).

What is learned: of two statements of the same people, whether the later one replaces the earlier one (`=` in
training/text), completes it (`+`), or leaves it alone: every other earlier statement that shares words with
it, and lines of other conversations. Besides, pairs of two sentences (training/changes.tsv, and the first
hand of bench/changes_pairs), among them many that only look like a change. The bounds are given; they were
chosen on the second hand of bench/changes_pairs and on files left out (`--check`).

    python -m training.change             writes skill/scrimshaw/data/change_weights.txt
    python -m training.change --check     trains on three quarters of the files and tells of the fourth, four
                                          times; by language and genre
    python -m training.change --ablate    also without one group of features at a time
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log2
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scrimshaw.core.extraction.change_features import Setting, Statement, features, taken_apart
from scrimshaw.core.extraction.change_judge import is_long, is_sure, told_parts
from scrimshaw.core.extraction.claim_changes import update_of
from scrimshaw.core.ledger.known_lines import KnownLines, content_words
from scrimshaw.core.types import Author, Kind, Observation, Place, Role
from training.labels import LANGUAGES, TEXT, Conversation, read_all
from training.labels import Statement as Labelled

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
ROOT = TEXT.parent.parent
WEIGHTS = ROOT / "skill/scrimshaw/data/change_weights.txt"
PAIRS = (ROOT / "training/changes.tsv", ROOT / "bench/changes_pairs/first_hand.tsv")
SEED = 20261123
# Files labelled for what a statement is worth alone: what changes in them nobody told, or one reader only.
_LEFT_OUT = re.compile(r"..-[rsv]|(?!en)..-n|it-(?:b1|k[78])|en-n4")
MOST_COMPARED = 12  # as the observer compares
UNIT = 16  # of a weight, in natural logarithms of odds
BOUND, CAREFUL_BOUND = 44, 75  # chosen, in that unit
_OUTCOMES = {"stands": 0, "stays open": 0, "replaced": 1, "done": 2}
_DENSE, _LEXICAL = 3.0, 20.0  # how strongly weights are held near 0
_PAIR_WEIGHT = 5.0
_NOISE = 0.2  # of statements whose kind and place is drawn by lot: the observer's are not always right
_REPORTED, _PLANNED = 0.7, 0.3  # of pairs
_ROUNDS = 90
_LEAST_STATEMENTS = 3  # that a feature must occur with
_LEAST_HOLDING, _MOST_BYTES = 4, 118 * 1024
_STRANGERS = 60  # lines of other conversations among those that are known
_FOLDS = 4
_NOTHING = (1, -(10**6))  # judged as surely no change
_AS = (
    (Kind.FACT, Place.STANDING),
    (Kind.FACT, Place.LOG),
    (Kind.OUTCOME, Place.LOG),
    (Kind.DECISION, Place.STANDING),
    (Kind.NEXT_STEP, Place.OPEN),
    (Kind.FACT, Place.OPEN),
)
GROUPS: Mapping[str, Callable[[str], bool]] = {
    "words of change": lambda name: name.startswith("w "),
    "words of one only": lambda name: name.startswith(("+ ", "- ")),
    "shared words": lambda name: name.startswith(("held", "shared", "rarest", "weight", "rank")),
    "things and leads": lambda name: name.startswith(("only", "heads", "ends", "lead", "before", "first")),
    "values and names": lambda name: name.startswith(("figures", "clocks", "names")),
    "form": lambda name: name.startswith(("size", "old size", "start", "end ", "near", "far")),
    "kind and place": lambda name: name.startswith(("old ", "new ")) and not name.startswith("old size"),
}


class Row(NamedTuple):
    """A later statement, an earlier one, and what the one does to the other."""

    file: str
    language: str
    genre: str
    of: str  # the later statement's id
    outcome: int
    new: Statement
    old: Statement
    setting: Setting


def rows_of(data: Mapping[str, Sequence[Conversation]], seed: int = SEED) -> tuple[list[Row], int]:
    """Return what each statement is compared with, and of how many changes the older line was not found."""
    lot = random.Random(seed)  # noqa: S311  # a draw, no secret
    strangers: dict[str, list[tuple[str, Labelled]]] = {name: [] for name in LANGUAGES}
    for file, conversations in data.items():
        for one in conversations:
            strangers[one.language] += ((file, said) for said in one.statements if _is_noted(said))
    rows: list[Row] = []
    lost = 0
    for file, conversations in data.items():
        before: dict[str, tuple[str, ...]] = {}
        by_id = {one.id: one for one in conversations}
        for one in conversations:
            earlier = (id_ for after in one.after for id_ in (*before[after], after))
            before[one.id] = tuple(dict.fromkeys(earlier))
            known = KnownLines()
            for number, (other, said) in enumerate(lot.sample(strangers[one.language], _STRANGERS)):
                if other != file:
                    known.add(_line(f"-{number}", said))
            for id_ in before[one.id]:
                for number, said in enumerate(by_id[id_].statements, 1):
                    _tell(known, id_, number, said)
            for number, said in enumerate(one.statements, 1):
                closes = dict.fromkeys(_full(said.replaces, one.id), 1)
                closes |= dict.fromkeys(_full(said.completes, one.id), 2)
                if said.whose in ("own", "another's"):
                    found = _compared(known, said.text)
                    lost += len(closes.keys() - {line.id for line in found})
                    kind, place = Kind(said.kind or Kind.FACT), Place(said.place or Place.LOG)
                    new = Statement(said.text, kind, place, kind is Kind.OUTCOME)
                    rows += (
                        Row(
                            file,
                            one.language,
                            one.genre,
                            f"{file}.{one.id}.{number}",
                            closes.get(line.id, 0),
                            new,
                            Statement(line.text, line.kind, line.place),
                            Setting(rank, line.id.startswith(f"{one.id}.")),
                        )
                        for rank, line in enumerate(found)
                    )
                _tell(known, one.id, number, said)
    return rows, lost


def _is_noted(said: Labelled) -> bool:
    return said.worth > 1 and said.whose in ("own", "another's")


def _full(references: Sequence[str], id_: str) -> list[str]:
    return [one if "." in one else f"{id_}.{one}" for one in references]


def _tell(known: KnownLines, id_: str, number: int, said: Labelled) -> None:
    for closed in _full((*said.replaces, *said.completes), id_):
        known.close(closed)
    if _is_noted(said):
        known.add(_line(f"{id_}.{number}", said))


def _line(id_: str, said: Labelled) -> Observation:
    return _observation(id_, said.text, Kind(said.kind), Place(said.place))


def _observation(id_: str, text: str, kind: Kind, place: Place) -> Observation:
    return Observation(
        id=id_,
        text=text,
        kind=kind,
        priority=3,
        place=place,
        done=False,
        author=Author.RULES,
        session_id="s",
        sources=(id_,),
        speaker=Role.USER,
        said_at_ms=0,
        local_date="2026-01-01",
        local_time="00:00",
        zone="UTC",
    )


def _compared(known: KnownLines, text: str) -> list[Observation]:
    return [match.observation for match in known.similar(content_words(text))[:MOST_COMPARED]]


def rows_of_pairs(path: Path, seed: int = SEED) -> list[Row]:
    """Return the pairs of a file, each among earlier statements of others."""
    with path.open(encoding="utf-8", newline="") as file:
        pairs = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    lot = random.Random(seed)  # noqa: S311  # a draw, no secret
    to_do = {pair["earlier"] for pair in pairs if pair["outcome"] in ("done", "stays open")}
    rows: list[Row] = []
    for number, pair in enumerate(pairs):
        alike = {one["earlier"] for one in pairs if one["later"] == pair["later"]}
        of_language = (one["earlier"] for one in pairs if one["language"] == pair["language"])
        others = [one for one in dict.fromkeys(of_language) if one not in alike]
        known = KnownLines()
        for at, text in enumerate((pair["earlier"], *lot.sample(others, min(12, len(others))))):
            is_plan = pair["outcome"] == "replaced" and lot.random() < _PLANNED
            is_open = text in to_do or (at == 0 and is_plan)
            kind, place = (Kind.NEXT_STEP, Place.OPEN) if is_open else (Kind.FACT, Place.STANDING)
            known.add(_observation(str(at), text, kind, place))
        # By what the earlier one is, not by what becomes of it: a report, where something was to be done.
        is_report = pair["earlier"] in to_do and lot.random() < _REPORTED
        kind, place = (Kind.OUTCOME, Place.LOG) if is_report else lot.choice(_AS[:4])
        for rank, line in enumerate(_compared(known, pair["later"])):
            rows.append(
                Row(
                    path.stem,
                    pair["language"],
                    "pairs",
                    f"{path.stem}.{number}",
                    _OUTCOMES[pair["outcome"]] if line.id == "0" else 0,
                    Statement(pair["later"], kind, place, kind is Kind.OUTCOME),
                    Statement(line.text, line.kind, line.place),
                    Setting(rank),
                )
            )
    return rows


def with_noise(rows: Sequence[Row], share: float, seed: int = SEED) -> list[Row]:
    """Return *rows*, the kind and place of some statements drawn by lot."""
    lot = random.Random(seed)  # noqa: S311  # a draw, no secret
    drawn: dict[str, tuple[Kind, Place] | None] = {}
    found = []
    for row in rows:
        if row.of not in drawn:
            drawn[row.of] = lot.choice(_AS) if lot.random() < share else None
        if (as_ := drawn[row.of]) is not None:
            row = row._replace(new=Statement(row.new.text, *as_, as_[0] is Kind.OUTCOME))
        if lot.random() < share:
            row = row._replace(old=Statement(row.old.text, *lot.choice(_AS)))
        found.append(row)
    return found


# -- fitting -------------------------------------------------------------------------------------------------


class Model(NamedTuple):
    """Weights by feature (of replaced, of done; in units), and the rarity of tokens."""

    weights: Mapping[str, tuple[int, int]]
    rarity: Mapping[str, int]

    def judge(self, row: Row) -> tuple[int, int]:
        """Return the outcome that is likelier, and how sure it is; of long statements, that it is not."""
        parts = [] if is_long(row.old.text) else told_parts(row.new.text)
        judged = (self._judge(row._replace(new=row.new._replace(text=part))) for part in parts)
        return max(judged, key=itemgetter(1), default=_NOTHING)

    def _judge(self, row: Row) -> tuple[int, int]:
        names = dict.fromkeys(features(row.new, row.old, row.setting, self.rarity_of))
        found = [self.weights.get(name, (0, 0)) for name in names]
        replaced, done = map(sum, zip(*found, strict=True))
        return (1, replaced) if replaced >= done else (2, done)

    def rarity_of(self, token: str) -> int:
        """Return how rare *token* is."""
        return self.rarity.get(token, 9)


def rarities(texts: Sequence[str]) -> dict[str, int]:
    """Return of each token that several statements hold how rare it is: 1 very common, 9 hardly any."""
    holding = Counter(word for text in texts for word in taken_apart(text).words)
    return {
        word: min(9, max(1, int(log2(len(texts) / many)) - 1))
        for word, many in sorted(holding.items())
        if many >= _LEAST_HOLDING
    }


def fitted(
    rows: Sequence[Row], weighing: Sequence[float], without: Callable[[str], bool] | None = None
) -> Model:
    """Return a logistic regression over three outcomes, fitted to *rows*."""
    rarity = rarities(sorted({text for row in rows for text in (row.new.text, row.old.text)}))
    empty = Model({}, rarity)
    held = [
        [
            name
            for name in dict.fromkeys(features(row.new, row.old, row.setting, empty.rarity_of))
            if without is None or not without(name)
        ]
        for row in rows
    ]
    said: dict[str, set[str]] = {}
    for row, names in zip(rows, held, strict=True):
        for name in names:
            said.setdefault(name, set()).add(row.of)
    kept = sorted(name for name, of in said.items() if len(of) >= _LEAST_STATEMENTS)
    place = {name: at for at, name in enumerate(kept)}
    columns = [[place[name] for name in names if name in place] for names in held]
    weights = _minimised(
        np.concatenate([np.array(one, dtype=np.int64) for one in columns]),
        np.repeat(np.arange(len(rows)), [len(one) for one in columns]),
        np.array([row.outcome for row in rows]),
        np.array(weighing),
        np.array([_LEXICAL if _is_lexical(name) else _DENSE for name in kept]),
    )
    odds = np.rint((weights[:, 1:] - weights[:, :1]) * UNIT).astype(int)
    return Model(
        {name: (int(one), int(other)) for name, (one, other) in zip(kept, odds, strict=True)}, rarity
    )


def _is_lexical(name: str) -> bool:
    is_before = name.startswith("before ") and name not in ("before True", "before False")
    return is_before or name.startswith(("w ", "+ ", "- ", "first "))


def _minimised(columns: Ints, row_of: Ints, outcomes: Ints, weighing: Floats, held: Floats) -> Floats:
    """Return weights (features, outcomes) by Adam over all rows at once: nothing is drawn by lot."""
    many, sorts = len(outcomes), 3
    weights = np.zeros((len(held), sorts))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    truth = np.eye(sorts)[outcomes]
    for step in range(1, _ROUNDS + 1):
        scores = np.stack([np.bincount(row_of, weights[columns, k], many) for k in range(sorts)], 1)
        odds = np.exp(scores - scores.max(1, keepdims=True))
        slope = (odds / odds.sum(1, keepdims=True) - truth) * weighing[:, None]
        gradient = np.stack([np.bincount(columns, slope[row_of, k], len(held)) for k in range(sorts)], 1)
        gradient += held[:, None] * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        pace = 0.15 * (1 - 0.9 * step / _ROUNDS)
        weights -= pace * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights


def trained(rows: Sequence[Row], pairs: Sequence[Row], without: Callable[[str], bool] | None = None) -> Model:
    """Return the model of conversations and pairs, small enough to ship."""
    weighing = [1.0] * len(rows) + [_PAIR_WEIGHT] * len(pairs)
    return _small(fitted([*with_noise(rows, _NOISE), *pairs], weighing, without))


def _small(model: Model) -> Model:
    """Return *model* without the words that weigh least, so that its text fits."""
    size = len(_rarity_text(model.rarity).encode()) + 1_000
    kept: dict[str, tuple[int, int]] = {}
    for name, odds in sorted(
        model.weights.items(), key=lambda one: (_is_lexical(one[0]), -max(map(abs, one[1])), one[0])
    ):
        size += len(_weight_line(name, odds).encode()) + 1
        if size > _MOST_BYTES:
            break
        if any(odds):
            kept[name] = odds
    return Model(dict(sorted(kept.items())), model.rarity)


# -- writing -------------------------------------------------------------------------------------------------


def _weight_line(name: str, odds: tuple[int, int]) -> str:
    return f"{odds[0]} {odds[1]} {name}"


def _rarity_text(rarity: Mapping[str, int]) -> str:
    by_level: dict[int, list[str]] = {}
    for token, level in sorted(rarity.items()):
        by_level.setdefault(level, []).append(token)
    return "\n".join(f"{level} {' '.join(tokens)}" for level, tokens in sorted(by_level.items()))


def digest(paths: Sequence[Path]) -> str:
    """Return the first 16 digits of the SHA-256 of the names and bytes of *paths*."""
    made = hashlib.sha256()
    for path in sorted(paths):
        made.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()[:16]


def text_of(model: Model, told: str) -> str:
    """Return the file of *model*."""
    weights = "\n".join(_weight_line(name, odds) for name, odds in model.weights.items())
    return (
        "# The judge of change (core/extraction/change_judge); made by `python -m training.change`.\n"
        f"{told}\n"
        "\n# Sureness from which a line is closed, and one that does harm when lost.\n"
        f"[bounds]\n{BOUND} {CAREFUL_BOUND}\n"
        "\n# How rare words are, 1 to 8; others 9.\n"
        f"[rarity]\n{_rarity_text(model.rarity)}\n"
        "\n# Of each feature: for replaced, for done, its name.\n"
        f"[weights]\n{weights}\n"
    )


# -- checking ------------------------------------------------------------------------------------------------


def checked(
    rows: Sequence[Row], pairs: Sequence[Row], without: Callable[[str], bool] | None = None
) -> list[tuple[Row, tuple[int, int]]]:
    """Return each row of the conversations, judged by a model that was not trained on its file."""
    files = sorted({row.file for row in rows})
    found = []
    for fold in range(_FOLDS):
        left_out = {file for at, file in enumerate(files) if at % _FOLDS == fold}
        model = trained([row for row in rows if row.file not in left_out], pairs, without)
        found += [(row, model.judge(row)) for row in rows if row.file in left_out]
    return found


def _told(title: str, found: Sequence[tuple[Row, tuple[int, int]]], of: int, bound: int = BOUND) -> str:
    closed = [row for row, (_, sureness) in found if sureness >= bound]
    right = sum(row.outcome > 0 for row in closed)
    compared = sum(row.outcome > 0 for row, _ in found)
    wrong, untouched = len(closed) - right, sum(not row.outcome for row, _ in found)
    return (
        f"{title:28} {of:5} changes, followed {right / max(1, of):.2f}, of those compared "
        f"{right / max(1, compared):.2f}; closed rightly {right}, wrongly {wrong} "
        f"({wrong / max(1, untouched):.2%} of {untouched})"
    )


def _is_closed_by_rule(row: Row) -> bool:
    return bool(update_of(row.new.text, row.old.text, is_open=row.old.place is Place.OPEN))


def _report(rows: Sequence[Row], pairs: Sequence[Row], lost: int, *, is_ablated: bool) -> Iterator[str]:
    found = checked(rows, pairs)
    changes = sum(row.outcome > 0 for row in rows)
    by_rule = [(row, (1, 10**6) if _is_closed_by_rule(row) else _NOTHING) for row in rows]
    yield _told("rules alone", by_rule, changes + lost)
    for bound in (0, BOUND, CAREFUL_BOUND, 2 * CAREFUL_BOUND):
        yield _told(f"bound {bound}", found, changes + lost, bound)
    shipped = [(row, one if is_sure(one[1], row.new, row.old) else _NOTHING) for row, one in found]
    yield _told("as shipped", shipped, changes + lost)
    for name in ("language", "genre"):
        for value in sorted({getattr(row, name) for row in rows}):
            part = [one for one in shipped if getattr(one[0], name) == value]
            yield _told(value, part, sum(row.outcome > 0 for row, _ in part))
    if is_ablated:
        for name, without in GROUPS.items():
            yield _told(f"without {name}", checked(rows, pairs, without), changes + lost)
        yield _told("without the pairs", checked(rows, []), changes + lost)


def main(arguments: list[str]) -> int:
    """Train and write, or check."""
    parser = argparse.ArgumentParser("python -m training.change", description=__doc__)
    parser.add_argument("--check", action="store_true", help="tell of files left out, write nothing")
    parser.add_argument(
        "--ablate", action="store_true", help="as --check, and without each group of features"
    )
    given = parser.parse_args(arguments)
    data = {name: found for name, found in read_all().items() if not _LEFT_OUT.match(name)}
    rows, lost = rows_of(data)
    pairs = [row for path in PAIRS for row in rows_of_pairs(path)]
    changes = Counter(row.outcome for row in rows)
    told = (
        f"# Seed {SEED}; {sum(map(len, data.values()))} conversations: {changes[1]} replaced, "
        f"{changes[2]} done, "
        f"{changes[0]} left alone; {len({row.of for row in pairs})} pairs.\n"
        f"# Text: {digest([*(TEXT / f'{name}.txt' for name in data), *PAIRS])}"
    )
    print(told)
    if given.check or given.ablate:
        for line in _report(rows, pairs, lost, is_ablated=given.ablate):
            print(line, flush=True)
        return 0
    model = trained(rows, pairs)
    WEIGHTS.write_text(text_of(model, told), encoding="utf-8")
    print(f"{len(model.weights)} weights, {WEIGHTS.stat().st_size} bytes: {WEIGHTS.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
