"""What the gate lets through: faithful notes against corrupted ones, by kind of corruption, and its speed.

The cases come from a bundled set with slots, and, where they are unpacked, from the samples' ground
truth (whose statements a person wrote, each with the entry it was said in).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench.samples import conversations
from bench.verify_set import ASSISTANT, DAYS, IDS, NAMES, THINGS, TOOL, USER, Said
from scrimshaw.core.claims import Known
from scrimshaw.core.model import Entry, Kind, Proposal, Rejected, Role, Session, SessionKind, Window
from scrimshaw.core.verify import judge, prepare

DEFAULT_SAMPLES = Path.home() / ".cache/scrimshaw-evaluation/samples"
SAID_AT_MS = int(datetime(2026, 11, 16, 10, 5, tzinfo=UTC).timestamp() * 1000)
SESSION = Session("s", "agent:main:main", "main", SessionKind.DIRECT)
GOALS = {
    **dict.fromkeys(("number", "date", "name", "identifier", "invented"), 0.99),
    **dict.fromkeys(("polarity", "speaker", "merged"), 0.90),
}
KINDS = {
    "Preference": Kind.PREFERENCE,
    "Decision": Kind.DECISION,
    "NextStep": Kind.NEXT_STEP,
    "Issue": Kind.ISSUE,
}


class Case(NamedTuple):
    """A note, what it cites, and what is wrong with it ("good" when nothing is)."""

    label: str
    proposal: Proposal
    entries: tuple[Entry, ...]


def main(arguments: list[str]) -> int:
    """Print what is caught by class, what good notes are refused, and the time a judgement takes."""
    parser = argparse.ArgumentParser(prog="bench verify", description=__doc__)
    parser.add_argument("--samples", type=Path, default=DEFAULT_SAMPLES)
    parser.add_argument("--show", action="store_true", help="print every case judged wrongly")
    given = parser.parse_args(arguments)
    _report("bundled", list(bundled(random.Random(11))), show=given.show)
    if given.samples.is_dir():
        _report("samples", list(from_samples(given.samples, random.Random(5))), show=given.show)
    else:
        print(f"{given.samples}: no such folder; the samples' statements were not measured.")
    return 0


def _report(title: str, cases: list[Case], *, show: bool) -> None:
    total, refused = Counter(case.label for case in cases), Counter[str]()
    begun = time.process_time()
    for case in cases:
        verdict = judge(case.proposal, prepare(Window(SESSION, case.entries, 0, "UTC")), Known())
        refused[case.label] += isinstance(verdict, Rejected)
        if show and isinstance(verdict, Rejected) == (case.label == "good"):
            why = f"{verdict.reason}: {verdict.detail}" if isinstance(verdict, Rejected) else "let through"
            said = case.entries[0].text[:100]
            print(f"  {case.label} | {case.proposal.text} | {said!r} | {why}")
    spent_ms = (time.process_time() - begun) * 1000 / max(1, len(cases))
    good = total["good"]
    print(f"{title}: {good} good, {len(cases) - good} corrupted, {spent_ms:.2f} ms each, entries new to it")
    print(f"  good refused {refused['good']}/{good} = {refused['good'] / good:.1%} (at most 3 %)")
    for label, goal in GOALS.items():
        if total[label]:
            share = refused[label] / total[label]
            print(f"  {label:10} caught {refused[label]}/{total[label]} = {share:.1%} (goal {goal:.0%})")


def bundled(rng: random.Random, rounds: int = 12) -> Iterator[Case]:
    """Yield the good and corrupted cases of the bundled set."""
    for role, statements in ((Role.USER, USER), (Role.TOOL, TOOL), (Role.ASSISTANT, ASSISTANT)):
        for said in statements:
            for _ in range(rounds):
                yield from _cases(said, role, _slots(rng), rng)


def _slots(rng: random.Random) -> dict[str, str]:
    day, iso = rng.choice(DAYS)
    return {
        "name": rng.choice(NAMES),
        "thing": rng.choice(THINGS),
        "id": rng.choice(IDS),
        "day": day,
        "date": iso,
        "n": str(rng.randrange(13, 480)),
        "m": str(rng.randrange(500, 990)),
    }


def _cases(said: Said, role: Role, slots: dict[str, str], rng: random.Random) -> Iterator[Case]:
    entry = Entry("s", "e1", 1, SAID_AT_MS, role, said.text.format(**slots))
    for note in said.notes:
        good = _proposal(note.format(**slots), role)
        yield Case("good", good, (entry,))
        for label, slot, other in _swaps(slots, rng):
            if f"{{{slot}}}" in note:
                text = note.format(**{**slots, slot: other})
                yield Case(label, replace(good, text=text), (entry,))
        yield Case("invented", replace(good, text=_invented(good.text, rng)), (entry,))
        yield from _swapped_speaker(good, entry)
    if said.turned:
        yield Case("polarity", _proposal(said.turned.format(**slots), role), (entry,))
    yield from _merged(said, role, slots, entry, rng)


def _swaps(slots: dict[str, str], rng: random.Random) -> Iterator[tuple[str, str, str]]:
    yield "number", "n", str(int(slots["n"]) + rng.randrange(1, 9))
    shifted = date.fromisoformat(slots["date"]) + timedelta(rng.choice((1, 3, 8, 30)))
    yield "date", "date", shifted.isoformat()
    yield "name", "name", rng.choice([name for name in NAMES if name != slots["name"]])
    yield "identifier", "id", re.sub(r"\d", lambda m: str((int(m.group()) + 3) % 10), slots["id"], count=1)


def _invented(text: str, rng: random.Random) -> str:
    extra = rng.choice(
        ("see TKT-4471", "path /srv/invented/run.sh", "at 03:55", "owner Wilhelmina", "v9.9.3", "€7,215")
    )
    return f"{text}; {extra}"


def _swapped_speaker(good: Proposal, entry: Entry) -> Iterator[Case]:
    """Yield the same words put into another mouth: in the fields, and in the text."""
    other = Role.USER if entry.role is not Role.USER else Role.ASSISTANT
    yield Case("speaker", replace(good, speaker=other), (entry,))
    said = re.sub(
        r"^(?:User|Assistant)(?:'s)?(?: \w+)?\s|^",
        "User decided " if other is Role.USER else "Assistant suggested ",
        good.text,
    )
    yield Case("speaker", replace(good, text=said), (entry,))


def _merged(
    said: Said, role: Role, slots: dict[str, str], entry: Entry, rng: random.Random
) -> Iterator[Case]:
    """Yield a note whose figure is another entry's."""
    other = _slots(rng)
    second = Entry(
        "s", "e2", 2, SAID_AT_MS, role, f"The other one counts {other['n']} shelves and {other['m']} boxes."
    )
    note = said.notes[0]
    if "{n}" in note and other["n"] != slots["n"]:
        text = note.format(**{**slots, "n": other["n"]})
        yield Case("merged", replace(_proposal(text, role), sources=("e1", "e2")), (entry, second))


def _proposal(text: str, role: Role, kind: Kind = Kind.FACT) -> Proposal:
    return Proposal(text=text, kind=kind, priority=3, sources=("e1",), speaker=role)


Change = Callable[[str, random.Random], str]
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_FIGURE = re.compile(r"(?<![\w.,:/-])\d+(?![\w:/-]|[.,]\d)")
_MARKED = re.compile(r"\b[\w./-]*[A-Za-z_][-_./]?\d[\w./-]*\b")


def _other_date(text: str, rng: random.Random) -> str:
    days = rng.choice((2, 9, 31))
    return _ISO.sub(lambda m: (date.fromisoformat(m.group()) + timedelta(days)).isoformat(), text, count=1)


CHANGES: dict[str, Change] = {
    "number": lambda text, rng: _FIGURE.sub(
        lambda m: str(int(m.group()) + rng.randrange(1, 7)), text, count=1
    ),
    "date": _other_date,
    "name": lambda text, rng: _NAME.sub(rng.choice(NAMES), text, count=1),
    "identifier": lambda text, _: _MARKED.sub(
        lambda m: re.sub(r"\d", lambda d: str((int(d.group()) + 3) % 10), m.group(), count=1), text, count=1
    ),
    "invented": _invented,
}


def from_samples(folder: Path, rng: random.Random) -> Iterator[Case]:
    """Yield the statements of the samples' ground truth, each citing what was said around its entry."""
    for sample in sorted(path for path in folder.iterdir() if (path / "truth.json").is_file()):
        entries = {entry.entry_id: entry for _, said in conversations(sample) for entry in said}
        order = list(entries)
        for item in json.loads((sample / "truth.json").read_text(encoding="utf-8"))["items"]:
            key = item["entry"]["entry_id"]
            if key not in entries:
                continue
            at = order.index(key)
            around = tuple(entries[k] for k in order[max(0, at - 2) : at + 3])
            text = item["statement"]
            held = "\n".join(entry.text for entry in around).lower()
            wanted = [*item["must_contain"], *_MARKED.findall(_ISO.sub("", text)), *_NAME.findall(text)]
            if not all(literal.lower() in held for literal in wanted):
                continue  # said over several turns, not only here
            speaker = _likely_speaker(text, around)
            good = Proposal(
                text, KINDS.get(item["kind"], Kind.FACT), 3, tuple(e.entry_id for e in around), speaker
            )
            yield Case("good", good, around)
            for label, change in CHANGES.items():
                if (changed := change(text, rng)) != text:
                    yield Case(label, replace(good, text=changed), around)


def _likely_speaker(text: str, entries: tuple[Entry, ...]) -> Role:
    words = set(text.lower().split())
    return max(
        entries, key=lambda entry: (len(words & set(entry.text.lower().split())), entry.role is Role.USER)
    ).role
