"""What the gate lets through: faithful notes against corrupted ones, by kind of corruption, and its speed.

Four sets: the bundled one that the rules were made with ("development"), the bundled one that was kept
aside until they were done ("kept aside"), and, where they are unpacked, the samples' ground truth (whose
statements a person wrote, judged against the entries around the one they were said in), and LoCoMo's
observations in another author's words (`bench/verify_others`). `--part` takes one of them or one file of
`bench/verify_cases`; `--by-file` prints each of those too. Notes that agents write themselves ("agents")
are judged as `scrimshaw add` does: what they rest on is looked for, and no model reads them again. Each is
judged under the first policy, rules alone: what breaks a rule is refused, what is in the words that were
said is noted, all else waits. What was kept aside is judged again under the second one: with what a model
said when it read each note once more (`bench/verify_reading`); `--ask MODEL` asks yours.
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
from datetime import date, timedelta
from pathlib import Path

from bench.samples import conversations
from bench.verify_changes import ISO, NAMES, changed, turned_plainly
from bench.verify_others import DEFAULT_LOCOMO, from_locomo
from bench.verify_reading import RECORDED, SESSION, asked_of, batches, recorded, reread, vouching
from bench.verify_set import AGENTS, FILES, PARTS, Case, note, read
from scrimshaw.core.extraction.fallback import quote_instead
from scrimshaw.core.extraction.manual_note import NoteWish, by_agent, witnessing
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.observations import NOT_REREAD
from scrimshaw.core.types import UNREAD, Entry, Kind, Proposal, Rejected, Role, Verdict, Verified, Window
from scrimshaw.core.verification.judge import judge_as_read
from scrimshaw.core.verification.verify import Evidence, judge, prepare

DEFAULT_SAMPLES = Path.home() / ".cache/scrimshaw-evaluation/samples"
GOALS = {
    **dict.fromkeys(("number", "date", "time", "name", "identifier", "invented"), 0.99),
    **dict.fromkeys(("polarity", "retold", "speaker", "uncited", "merged", "swapped"), 0.90),
    **dict.fromkeys(("person", "told done", "cause"), 0.90),
}
KINDS = {
    "Preference": Kind.PREFERENCE,
    "Decision": Kind.DECISION,
    "NextStep": Kind.NEXT_STEP,
    "Issue": Kind.ISSUE,
}


def main(arguments: list[str]) -> int:
    """Print what is caught by class, what good notes are refused, and the time a judgement takes."""
    parser = argparse.ArgumentParser(prog="bench verify", description=__doc__)
    parser.add_argument("--samples", type=Path, default=DEFAULT_SAMPLES)
    parser.add_argument("--locomo", type=Path, default=DEFAULT_LOCOMO)
    parser.add_argument("--part", choices=(*PARTS, *FILES, AGENTS, "samples", "others"), help="only this one")
    parser.add_argument("--by-file", action="store_true", help="each file of the bundled parts as well")
    parser.add_argument("--show", nargs="?", const="", help="print the cases judged wrongly [of this class]")
    parser.add_argument("--ask", default="", metavar="MODEL", help="who reads once more (gemini/NAME, …)")
    given = parser.parse_args(arguments)
    for part, files in PARTS.items():
        wanted = [file for file in files if given.part in (None, part, file)]
        cases = {file: list(bundled(file, random.Random(11))) for file in wanted}
        if given.by_file or given.part in files:
            for file in wanted:
                report(f"{part.replace('_', ' ')}, {file}", cases[file], show=given.show)
        elif wanted:
            report(part.replace("_", " "), [case for file in wanted for case in cases[file]], show=given.show)
    if given.part in (None, "kept_aside") and (given.ask or RECORDED.is_file()):
        read_again(given.ask, show=given.show)
    if given.part in (None, AGENTS):
        written = [case for situation in read(AGENTS) for case in situation.cases]
        report("agents' own notes", written, show=given.show, judges=by_add)
    if given.part in (None, "samples"):
        if given.samples.is_dir():
            report("samples", list(from_samples(given.samples, random.Random(5))), show=given.show)
        else:
            print(f"{given.samples}: no such folder; the samples' statements were not measured.")
    if given.part in (None, "others"):
        if given.locomo.is_file():
            report("others", list(from_locomo(given.locomo, random.Random(3))), show=given.show)
        else:
            print(f"{given.locomo}: no such file; another author's notes were not measured.")
    return 0


Judges = Callable[[Case, Evidence], Verdict]


def unread(case: Case, evidence: Evidence) -> Verdict:
    """Return the verdict over *case* when no model reads it a second time."""
    return judge_as_read(case.proposal, evidence, KnownLines(), UNREAD)


def by_add(case: Case, evidence: Evidence) -> Verdict:
    """Return what becomes of *case* as an agent's own note."""
    heard = tuple(witnessing(list(evidence.window.entries)))
    return by_agent(
        case.proposal.text, NoteWish(), prepare(evidence.window._replace(entries=heard)), KnownLines()
    )


def report(title: str, cases: list[Case], *, show: str | None, judges: Judges = unread) -> None:
    """Judge *cases* and print what came of them."""
    total, refused, why = Counter(case.label for case in cases), Counter[str](), Counter[str]()
    waits: Counter[str] = Counter()
    good_refused: list[tuple[Rejected, Evidence]] = []
    begun = time.process_time()
    for case in cases:
        evidence = prepare(Window(SESSION, case.window or case.entries, 0, "UTC"))
        verdict = judges(case, evidence)
        is_waiting = isinstance(verdict, Rejected) and verdict.reason == NOT_REREAD
        is_refused = isinstance(verdict, Rejected) and not is_waiting
        refused[case.label] += is_refused
        waits[case.label] += is_waiting
        if isinstance(verdict, Rejected) and case.label == "good":
            why.update([verdict.reason] if is_refused else [])
            good_refused.append((verdict, evidence))
        if show is not None and is_refused == (case.label == "good") and show in ("", case.label):
            told = f"{verdict.reason}: {verdict.detail}" if isinstance(verdict, Rejected) else "let through"
            said = " / ".join(f"{e.role[0].upper()} {e.text[:160]!r}" for e in case.entries)
            print(f"  {case.label} | {case.proposal.text} | {told}\n      {said}")
    spent_ms = (time.process_time() - begun) * 1000 / max(1, len(cases))
    good, lost = total["good"], sum(not stands_in(*one) for one in good_refused)
    print(f"{title}: {good} good, {len(cases) - good} corrupted, {spent_ms:.2f} ms each, entries new to it")
    told = ", ".join(f"{reason} {count}" for reason, count in why.most_common())
    print(f"  good refused {refused['good']}/{good} = {refused['good'] / good:.1%} (at most 3 %) {told}")
    if waits.total():
        print(f"  good that wait to be read again {waits['good']}/{good} = {waits['good'] / good:.1%}")
    print(f"  and nothing that was said noted in its place: {lost}/{good} = {lost / good:.1%}")
    for label, goal in GOALS.items():
        if number := total[label]:
            share = refused[label] / number
            kept = (refused[label] + waits[label]) / number
            held = f", not noted {kept:.1%}" if waits.total() else ""
            print(f"  {label:10} caught {refused[label]}/{number} = {share:.1%} (goal {goal:.0%}){held}")


def read_again(name: str, *, show: str | None) -> None:
    """Print what comes of the cases kept aside when a model reads them once more (bench/verify_reading)."""
    found = [batch for file in PARTS["kept_aside"] for batch in batches(file, random.Random(11))]
    told = reread(found, asked_of(name) if name else recorded())
    who = name or "a large model, recorded"
    report(f"kept aside, read once more ({who})", told.cases, show=show, judges=told.judge)
    print(f"  {told.unanswered} of {told.requests} requests without an answer that counts")
    lied = reread(found, vouching)
    report("kept aside, by a model that vouches for every line", lied.cases, show=None, judges=lied.judge)


def stands_in(refused: Rejected, evidence: Evidence) -> bool:
    """Whether words that were said are noted in place of a line that was refused."""
    instead = quote_instead([refused], (), evidence.window, KnownLines())
    return any(isinstance(judge(one, evidence, KnownLines()), Verified) for one in instead.proposals)


def bundled(file: str, rng: random.Random) -> Iterator[Case]:
    """Yield the cases of one file of the bundled set, written by hand and made from the good ones."""
    for situation in read(file):
        for entry in situation.entries:
            for text in turned_plainly(entry.text):
                yield Case("retold", note(text, entry.role, (entry,)), (entry,))
        for case in situation.cases:
            yield case
            if case.label == "good":
                yield from changed(case, rng)


_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_FIGURE = re.compile(r"(?<![\w.,:/-])\d+(?![\w:/-]|[.,]\d)")
_MARKED = re.compile(r"\b[\w./-]*[A-Za-z_][-_./]?\d[\w./-]*\b")


def _one_wrong(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield *text* with one thing changed, by the kind of it."""
    yield "number", _FIGURE.sub(lambda m: str(int(m.group()) + rng.randrange(1, 7)), text, count=1)
    days = timedelta(rng.choice((2, 9, 31)))
    yield "date", ISO.sub(lambda m: (date.fromisoformat(m.group()) + days).isoformat(), text, count=1)
    yield "name", _NAME.sub(rng.choice(NAMES), text, count=1)
    other = _MARKED.sub(
        lambda m: re.sub(r"\d", lambda d: str((int(d.group()) + 3) % 10), m.group(), count=1), text, count=1
    )
    yield "identifier", other
    yield (
        "invented",
        text + rng.choice(("; see TKT-4471", " (path /srv/invented/run.sh)", "; owner Wilhelmina")),
    )


def from_samples(folder: Path, rng: random.Random) -> Iterator[Case]:
    """Yield the statements of the samples' ground truth, each citing what was said around its entry."""
    for sample in sorted(path for path in folder.iterdir() if (path / "truth.json").is_file()):
        entries = {entry.entry_id: entry for _, said in conversations(sample) for entry in said}
        order = list(entries)
        truth = json.loads((sample / "truth.json").read_text(encoding="utf-8"))
        # The entries hold "I" and "my", and a name that no entry holds is one that the gate refuses.
        owner = re.escape(str(truth.get("owner", "")).split(" ")[0])
        for item in truth["items"]:
            key = item["entry"]["entry_id"]
            if key not in entries:
                continue
            at = order.index(key)
            around = tuple(entries[k] for k in order[max(0, at - 2) : at + 3])
            text = re.sub(rf"\b{owner}\b", "User", item["statement"]) if owner else item["statement"]
            held = "\n".join(entry.text for entry in around).lower()
            wanted = [*item["must_contain"], *_MARKED.findall(ISO.sub("", text)), *_NAME.findall(text)]
            if not all(literal.lower() in held for literal in wanted):
                continue  # said over several turns, not only here
            kind, speaker = KINDS.get(item["kind"], Kind.FACT), _likely_speaker(text, around)
            good = Proposal(text, kind, 3, tuple(e.entry_id for e in around), speaker)
            yield Case("good", good, around)
            for label, other in _one_wrong(text, rng):
                if other != text:
                    yield Case(label, replace(good, text=other), around)


def _likely_speaker(text: str, entries: tuple[Entry, ...]) -> Role:
    words = set(text.lower().split())
    return max(
        entries, key=lambda entry: (len(words & set(entry.text.lower().split())), entry.role is Role.USER)
    ).role
