"""What readers make of the section's lines, not knowing which version wrote them (`python -m bench judged`).

    python -m bench judged lines FILE…        write every line of this version's sections, three genres
    python -m bench judged draw SHEET KEY FILE…   draw lines by lot from such files, versions mixed
    python -m bench judged count SHEET… --key KEY   count the verdicts, version by version

The first is run in the checkout of each version. The sheet goes to readers, the key does not: it says which
version wrote which line. A reader puts one of the labels into the sheet's second column.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import material
from bench.beam import Conversation, load_chats
from bench.keeping import remember
from bench.people import locomo, realtalk
from bench.pipeline import section_lines
from bench.report import SEED, Column, Table, markdown
from scrimshaw import __version__

BUDGET = 8_400
COUNT = 150
LABELS = {
    "U": "useful as it stands",
    "D": "useful, with a flaw: D-frag cut from its context, D-chat padded, D-part in the wrong part, "
    "D-stale no longer so, D-dup said twice, D-status wrongly open or done, D-attr whose words",
    "C": "junk: chit-chat, general knowledge",
    "F": "junk: means nothing without its context",
    "O": "junk: stands in Open and is nothing to do",
    "S": "junk: stands in Standing and does not last",
    "T": "junk: wrong status or date",
    "A": "junk: another's words as the person's",
    "X": "junk: replaced, or told by another line",
}
HEAD = "number\tlabel\tpart\tday\tline"


class Drawn(NamedTuple):
    """One line of a section, and where it stood."""

    version: str
    genre: str
    part: str
    day: str
    line: str


def main(arguments: list[str]) -> int:
    """Do one of the three steps."""
    given = _parser().parse_args(arguments)
    match given.step:
        case "lines":
            _write(given.files[0], [one._asdict() for one in _lines(given)])
        case "draw":
            sheet, key, *files = given.files
            _draw(sheet, key, [_read(file) for file in files], given)
        case "count":
            print(counted([_sheet(file) for file in given.files], _read(given.key)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench judged",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("step", choices=("lines", "draw", "count"))
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--key", type=Path, help="count: the key that `draw` wrote")
    parser.add_argument("--data", type=Path, help="folder with the public sets")
    parser.add_argument("--version", default=__version__, help="lines: what this version is called")
    parser.add_argument("--count", type=int, default=COUNT, help="draw: lines of each version")
    parser.add_argument("--budget", type=int, default=BUDGET, metavar="UNITS")
    parser.add_argument("--seed", type=int, default=SEED)
    return parser


def _conversations(given: argparse.Namespace) -> Iterator[tuple[str, Conversation]]:
    found = material.find(given.data)
    chats = [chat for path in found.locomo()[:1] for chat in locomo(path)] + realtalk(found.realtalk())
    for chat in chats[::2]:
        yield "two people's chat", chat.conversation
    for size in ("100K", "500K"):
        for one in load_chats(found.beam(size)):
            is_private = size == "500K" and int(one.name.rpartition("/")[2]) > 10
            yield "private lives" if is_private else "projects", one


def _lines(given: argparse.Namespace) -> Iterator[Drawn]:
    for genre, conversation in _conversations(given):
        part = day = ""
        for line in section_lines(remember(conversation), given.budget)[1:]:
            if line.startswith("### "):
                part, day = line[4:], ""
            elif line.startswith("- "):
                yield Drawn(given.version, genre, part, day, line)
            elif line:
                day = line


def _draw(
    sheet: Path, key: Path, files: Sequence[Sequence[dict[str, str]]], given: argparse.Namespace
) -> None:
    lot = random.Random(given.seed)
    by_source: dict[tuple[str, str], list[Drawn]] = defaultdict(list)
    for one in (Drawn(**each) for file in files for each in file):
        by_source[one.version, one.genre].append(one)
    genres = len({genre for _, genre in by_source})
    chosen = [
        one
        for lines in by_source.values()
        for one in lot.sample(lines, min(len(lines), given.count // genres))
    ]
    lot.shuffle(chosen)
    legend = [f"# {label}: {meaning}" for label, meaning in LABELS.items()]
    rows = [f"{n}\t\t{one.part}\t{one.day}\t{one.line}" for n, one in enumerate(chosen, start=1)]
    sheet.write_text("\n".join([*legend, HEAD, *rows]) + "\n", encoding="utf-8")
    _write(key, [one._asdict() for one in chosen])
    print(f"{len(chosen)} lines of {len(files)} versions in {sheet}; which is which says {key}.")


def counted(sheets: Sequence[dict[int, str]], key: Sequence[dict[str, str]]) -> str:
    """Return a table of the verdicts; of several readers each counts."""
    verdicts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sheet in sheets:
        for number, label in sheet.items():
            one = Drawn(**key[number - 1])
            for genre in (one.genre, "all"):
                verdicts[one.version, genre][label.partition("-")[0]] += 1
                verdicts[one.version, genre][label] += "-" in label
    columns = (
        Column("version"),
        Column("genre"),
        Column("lines"),
        *(Column(name, ".0%") for name in _SHARES),
    )
    rows = [
        (version, genre, found.total() - _detailed(found), *(share(found) for share in _SHARES.values()))
        for (version, genre), found in sorted(verdicts.items())
    ]
    flaws = sum((found for (_, genre), found in verdicts.items() if genre == "all"), Counter[str]())
    told = ", ".join(f"{label} {n}" for label, n in flaws.most_common() if label not in "UD")
    return f"{markdown(Table('', columns, rows))}\n\nflaws and junk, all versions: {told or 'none'}"


def _detailed(found: Counter[str]) -> int:
    return sum(count for label, count in found.items() if "-" in label)


def _share(found: Counter[str], labels: str) -> float:
    return sum(found[label] for label in labels) / max(1, found.total() - _detailed(found))


_SHARES = {
    "useful": lambda found: _share(found, "U"),
    "flawed": lambda found: _share(found, "D"),
    "junk": lambda found: _share(found, "CFOSTAX"),
}


def _sheet(path: Path) -> dict[int, str]:
    """Return the labels of a sheet that a reader has filled in; ends the program over an unknown one."""
    found = {}
    for row in path.read_text(encoding="utf-8").splitlines():
        if row.startswith("#") or row == HEAD or not row:
            continue
        number, label, *_ = row.split("\t")
        if not label:
            continue
        if label.partition("-")[0] not in LABELS:
            raise SystemExit(f"{path}: line {number}: {label!r} is none of {', '.join(LABELS)}")
        found[int(number)] = label
    return found


def _read(path: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=0), encoding="utf-8")
