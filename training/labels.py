"""Labelled conversations: read from text files, checked, and counted. Form and labels: training/README.md.

`python -m training.labels [FILE …]` says what is wrong with each file, how much of what there is, and how far
a second reader, who saw no labels, gave the same ones.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

TEXT = Path(__file__).resolve().parent / "text"
HOLDS = TEXT.parent / "holds.tsv"  # FILE.ID.NUMBER of a statement, and how long it holds (training/README.md)
SECOND = TEXT.parent / "second"  # the same words, labelled by somebody else; ids are FILE.ID
LANGUAGES = ("en", "de", "es", "fr", "pt", "it", "zh", "ja")
GENRES = (
    *("family", "health", "work", "project", "study", "trip", "money", "hobby", "home", "grief"),
    *("organising", "smalltalk"),
)
KINDS = {
    "f": "fact",
    "p": "preference",
    "d": "decision",
    "n": "next-step",
    "o": "outcome",
    "i": "issue",
    "-": "",
}
PLACES = {"s": "standing", "o": "open", "l": "log", "-": ""}
WHOSE = {"m": "own", "x": "another's", "q": "quoted", "d": "drafted", "s": "supposed"}
_HEAD = re.compile(
    r"@ (?P<id>\S+) (?P<language>\w\w) (?P<day>\d{4}-\d\d-\d\d) (?P<genre>\w+)"
    r"(?P<after>(?: \+\S+)*)(?: between (?P<other>.+))?"
)
_LABEL = re.compile(
    r"([1-5])([fpdnoi-])([sol-])([mxqds])(?P<references>(?: [<=+](?:\d+|A|V|[\w-]+\.\d+))*) \| (?P<text>\S.*)"
)
_LEAST_TWICE_CHARS = 26  # shorter sentences ("Thanks!") may stand in several conversations


@dataclass(frozen=True)
class Statement:
    """One labelled statement. References are numbers of statements ("c05.3": of an earlier conversation)."""

    text: str
    worth: int  # 1 nothing to note … 5 harm when forgotten
    kind: str
    place: str
    whose: str
    needs: tuple[str, ...] = ()  # what it cannot stand without: a number, A or V (the last message of either)
    replaces: tuple[str, ...] = ()
    completes: tuple[str, ...] = ()


class Held(NamedTuple):
    """How a statement reads a year later in a list, told by somebody who saw no other label."""

    lasts: bool  # not only for a season or a day
    is_unclear: bool  # to a reader who knows the person's circle, but not what was said before


@dataclass(frozen=True)
class Turn:
    """One message: of the owner (U), of the agent (A, no statements), or of another person (V)."""

    speaker: str
    statements: tuple[Statement, ...]
    unlabelled: tuple[str, ...]  # the agent's lines; in U and V what was pasted


@dataclass(frozen=True)
class Conversation:
    """A conversation as it was written; `after` names earlier ones of the same people."""

    id: str
    language: str
    day: date
    genre: str
    after: tuple[str, ...]
    other: str | None
    turns: tuple[Turn, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All labelled statements, in order: statement n is at n - 1."""
        return tuple(statement for turn in self.turns for statement in turn.statements)


_LABELS: dict[str, Callable[[Statement], object]] = {
    "worth": lambda said: said.worth,
    "worth 3 or more": lambda said: said.worth >= 3,
    "worth 4 or more": lambda said: said.worth >= 4,
    "kind": lambda said: said.kind,
    "place": lambda said: said.place,
    "whose": lambda said: said.whose,
}


def read(path: Path) -> tuple[Conversation, ...]:
    """Return the conversations of a file; raises ValueError with every line that is not as the sheet says."""
    problems: list[str] = []
    found: list[Conversation] = []
    for head, turns in _blocks(path, problems):
        try:
            conversation = _conversation(head, turns)
        except ValueError as error:
            problems.append(f"{path.name}: {head}: {error}")
            continue
        problems += (f"{path.name}: {conversation.id}: {what}" for what in _wrong(conversation, found))
        found.append(conversation)
    if problems:
        raise ValueError("\n".join(problems))
    return tuple(found)


def read_all(folder: Path = TEXT) -> dict[str, tuple[Conversation, ...]]:
    """Return the conversations of every file of *folder*, by the file's name."""
    return {path.stem: read(path) for path in sorted(folder.glob("*.txt"))}


def held_of(path: Path = HOLDS) -> dict[str, Held]:
    """Return how long statements hold, by FILE.ID.NUMBER, of those about which somebody was asked."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = (line.split("\t") for line in text.splitlines())
    return {name: Held(label[0] == "L", label.endswith("?")) for name, label in lines}


def _blocks(path: Path, problems: list[str]) -> Iterator[tuple[str, list[Turn]]]:
    head, turns, lines = "", [], []  # type: ignore[var-annotated]  # filled below
    speaker = ""

    def close() -> None:
        if speaker and lines:
            turns.append(_turn(speaker, lines))

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        if line.startswith("@"):
            close()
            if head:
                yield head, turns
            head, turns, lines, speaker = line, [], [], ""
        elif line.strip() in ("U", "A", "V"):
            close()
            speaker, lines = line.strip(), []
        elif not speaker or (speaker != "A" and not line.startswith("|| ") and not _LABEL.fullmatch(line)):
            problems.append(f"{path.name}:{number}: {line[:60]}")
        else:
            lines.append(line)
    close()
    if head:
        yield head, turns


def _turn(speaker: str, lines: list[str]) -> Turn:
    if speaker == "A":
        return Turn(speaker, (), tuple(lines))
    labelled = (match for line in lines if (match := _LABEL.fullmatch(line)))
    pasted = tuple(line.removeprefix("|| ") for line in lines if line.startswith("|| "))
    return Turn(speaker, tuple(map(_statement, labelled)), pasted)


def _statement(match: re.Match[str]) -> Statement:
    worth, kind, place, whose = match.groups()[:4]
    references = match["references"].split()
    needs, replaces, completes = (
        tuple(one[1:] for one in references if one.startswith(mark)) for mark in "<=+"
    )
    return Statement(
        match["text"], int(worth), KINDS[kind], PLACES[place], WHOSE[whose], needs, replaces, completes
    )


def _conversation(head: str, turns: list[Turn]) -> Conversation:
    match = _HEAD.fullmatch(head)
    if not match or match["language"] not in LANGUAGES or match["genre"] not in GENRES:
        raise ValueError("not a head as the sheet has it")
    after = tuple(one.removeprefix("+") for one in match["after"].split())
    day = date.fromisoformat(match["day"])
    return Conversation(
        match["id"], match["language"], day, match["genre"], after, match["other"], tuple(turns)
    )


def _wrong(made: Conversation, before: list[Conversation]) -> Iterator[str]:
    known = {one.id: len(one.statements) for one in before}
    if made.id in known:
        yield "this id stands twice"
    yield from (f"no conversation {one} before it" for one in made.after if one not in known)
    for number, said in enumerate(made.statements, 1):
        if (said.worth == 1) != (not said.kind) or bool(said.kind) != bool(said.place):
            yield f"statement {number}: worth 1 goes with neither kind nor place"
        for reference in (*said.needs, *said.replaces, *said.completes):
            whose, _, at = reference.rpartition(".")
            most = known.get(whose, 0) if whose else number - 1
            if reference not in ("A", "V") and not 0 < int(at) <= most:
                yield f"statement {number} refers to {reference}"


def agreement(
    first: dict[str, tuple[Conversation, ...]], second: Path = SECOND
) -> Iterator[tuple[str, int, float, float]]:
    """Yield of each label the name, the statements labelled twice, the share that agrees, Cohen's kappa."""
    by_id = {f"{name}.{one.id}": one for name, found in first.items() for one in found}
    pairs: list[tuple[Statement, Statement]] = []
    for path in sorted(second.glob("*.txt")):
        for again in _labelled(path):
            one = by_id.get(again.id)
            if one and [said.text for said in one.statements] == [said.text for said in again.statements]:
                pairs += zip(one.statements, again.statements, strict=True)
    told: dict[str, list[tuple[object, object]]] = {
        name: [(label(one), label(other)) for one, other in pairs] for name, label in _LABELS.items()
    }
    held = held_of()
    again_held = held_of(second / HOLDS.name)
    for at, name in enumerate(Held._fields):
        told[name] = [(held[key][at], other[at]) for key, other in again_held.items() if key in held]
    for name, both in told.items():
        if both:
            same = sum(one == other for one, other in both) / len(both)
            ones, others = (Counter(column) for column in zip(*both, strict=True))
            chance = sum(many * others[what] for what, many in ones.items()) / len(both) ** 2
            yield name, len(both), same, (same - chance) / (1 - chance) if chance < 1 else 1.0


def _labelled(path: Path) -> Iterator[Conversation]:
    # Only the labels of its own statements count: what it goes on from is not in the file.
    for head, turns in _blocks(path, []):
        yield _conversation(head, turns)


def main(arguments: list[str]) -> int:
    """Check the files, and print how much there is of what."""
    paths = [Path(name) for name in arguments] or sorted(TEXT.glob("*.txt"))
    problems = 0
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("language", "genre", "worth", "place", "whose")
    }
    conversations: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for path in paths:
        try:
            found = read(path)
        except ValueError as error:
            problems += str(error).count("\n") + 1
            print(error)
            continue
        for one in found:
            conversations[one.language] += 1
            counts["genre"][one.genre] += 1
            for said in one.statements:
                counts["language"][one.language] += 1
                counts["worth"][str(said.worth)] += 1
                counts["place"][said.place or "nowhere"] += 1
                counts["whose"][said.whose] += 1
                texts[said.text.lower()] += 1
    print(
        f"{len(paths)} files, {conversations.total()} conversations, {counts['language'].total()} statements"
    )
    for name, count in {"conversations": conversations, **counts}.items():
        print(f"{name:13}", ", ".join(f"{what} {many}" for what, many in count.most_common()))
    twice = [text for text, many in texts.items() if many > 1 and len(text) >= _LEAST_TWICE_CHARS]
    print(f"{'twice':13}", *twice or ["none"], sep="\n  " if twice else " ")
    if not arguments and not problems:
        for name, many, same, kappa in agreement(read_all()):
            print(f"labelled twice: {name:16} {many} statements, the same {same:.1%}, kappa {kappa:.2f}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
