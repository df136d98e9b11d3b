"""Whether the memory follows what changes (`python -m bench changes`).

Pairs written for it (bench/changes_pairs, by several hands): somebody says something, talks of other things,
and says something later that makes it untrue, or done; or that only looks so, and closes nothing. A change
counts as followed when a line of the later statement stands and none of the earlier one does. *Wrongly
closed* are lines that nothing touched: the earlier ones of look-alikes, and the talk between. The hand marked
*sealed* is for reporting, not for tuning.

Of BEAM's knowledge-update questions both count, too: a line of the message that brings the newer value
answers the question, and no line about it from the message with the older one is in force (*ledger*), or
shown (*section*).
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench import material
from bench.beam import Conversation, Rubric, content_words, is_kept, load_chats
from bench.material import ROOT
from bench.pipeline import Memory, section_lines
from bench.progress import counting
from bench.report import Cell, Column, Goal, Report, Table, options, publish
from scrimshaw.core.ledger.known_lines import content_words as matter
from scrimshaw.core.types import Entry, Kind, Line, Place, Role, Session, SessionKind

if TYPE_CHECKING:  # not in a checkout of an older version
    from scrimshaw.core.extraction.change_features import Setting, Statement

PAIRS = ROOT / "bench/changes_pairs"
SEALED = "sealed"
BUDGET = 9_000
BETWEEN = 6  # statements between the earlier and the later one
GOAL, DECISION_GOAL, MOST_WRONG = 0.60, 0.80, 0.02
_FIRST_MS, _DAY_MS = 1_772_442_000_000, 86_400_000  # Monday 2026-03-02, 9:00 UTC
_ABOUT = 2  # words of the question that an older line shares
NOTES = (
    "*followed*: of the pairs in which the later statement changes the earlier one, those of which a line of "
    "the later one stands and none of the earlier one does; *closed* those whose earlier line was noted and "
    "was closed, *never noted* those where there was none. *wrongly closed*: of the lines that nothing "
    "touched; *look-alikes closed*: of those among them that a later statement only seems to change. *last "
    "text* keeps the newest half of the statements, *first text* the oldest; *simple rule* keeps all and "
    "lets a statement replace the newest one that shares two words with it; *decision alone* is what "
    "rules and judge together decide where every statement has been noted, *rules alone* and *judge "
    "alone* its parts.",
    "What it does not show: whether the later line says what it replaces, and how it reads: a "
    "line told again with the later words behind it counts as followed; and what a model and its second "
    "reading close. Another version is measured by copying bench/changes.py and "
    "bench/changes_pairs into its checkout.",
)


class Pair(NamedTuple):
    """Two statements, and whether the later one changes the earlier one."""

    hand: str
    outcome: str  # replaced, done, stands
    genre: str
    language: str
    earlier: str
    later: str

    @property
    def changes(self) -> bool:
        return self.outcome != "stands"


class Kept(NamedTuple):
    """What is left of the statements of one pair: of the earlier, the talk between, the later."""

    earlier: tuple[int, int]  # in force, noted
    between: tuple[int, int]
    later: tuple[int, int]


Way = Callable[[Sequence[str]], list[tuple[int, int]]]  # of each statement: in force, noted


def pairs_in(folder: Path = PAIRS) -> list[Pair]:
    """Return the pairs of every hand, in order."""
    found = []
    for path in sorted(folder.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            next(rows)
            found += [Pair(path.stem, *row) for row in rows]
    return found


def observed(statements: Sequence[str]) -> list[tuple[int, int]]:
    """Return what the rules keep, each statement being said in a conversation of its own, days apart."""
    memory = Memory("Europe/Berlin")
    for number, text in enumerate(statements):
        _feed(memory, number, text)
    found = []
    for number in range(len(statements)):
        lines = [line for line in memory.lines.values() if f"e{number}" in line.observation.sources]
        found.append((sum(line.standing.is_live for line in lines), len(lines)))
    return found


def _feed(memory: Memory, number: int, text: str) -> None:
    said_at_ms = _FIRST_MS + number * 2 * _DAY_MS
    session = Session(f"s{number}", "agent:main:main", "main", SessionKind.DIRECT)
    entries = [
        Entry(session.session_id, f"e{number}", 0, said_at_ms, Role.USER, text),
        Entry(session.session_id, f"a{number}", 1, said_at_ms + 1_000, Role.ASSISTANT, "All right."),
    ]
    memory.feed(session, entries)


def last_text(statements: Sequence[str]) -> list[tuple[int, int]]:
    """Keep the newest half."""
    return [(int(at >= len(statements) // 2), 1) for at in range(len(statements))]


def first_text(statements: Sequence[str]) -> list[tuple[int, int]]:
    """Keep the oldest half."""
    return [(int(at < len(statements) // 2), 1) for at in range(len(statements))]


def simple_rule(statements: Sequence[str]) -> list[tuple[int, int]]:
    """Let each statement replace the newest one that shares two words with it."""
    words = [content_words(text) for text in statements]
    in_force = [1] * len(statements)
    for at, mine in enumerate(words):
        alike = [before for before in range(at) if in_force[before] and len(mine & words[before]) >= 2]
        if alike:
            in_force[alike[-1]] = 0
    return [(one, 1) for one in in_force]


@cache
def _as_noted(text: str) -> tuple[str, Kind, Place, bool]:
    """Return *text* with what the observer makes of it; what it does not note counts as a standing fact."""
    memory = Memory("Europe/Berlin")
    _feed(memory, 0, text)
    noted = [line.observation for line in memory.lines.values()]
    made = [(text, one.kind, one.place, one.done) for one in noted if one.speaker is Role.USER]
    return made[0] if made else (text, Kind.FACT, Place.STANDING, False)


def decision_alone(statements: Sequence[str]) -> list[tuple[int, int]]:
    """Keep all but what a later statement makes untrue or done by the observer's decision, noted or not."""
    from scrimshaw.core.extraction.change_judge import decided

    return _decided(statements, decided)


def rules_alone(statements: Sequence[str]) -> list[tuple[int, int]]:
    """Keep all but what a later statement makes untrue or done by the rules of the decision."""
    from scrimshaw.core.extraction.claim_changes import update_of

    def made(now: Statement, before: Statement, _setting: Setting) -> object:
        return update_of(now.text, before.text, is_open=before.place is Place.OPEN)

    return _decided(statements, made)


def judge_alone(statements: Sequence[str]) -> list[tuple[int, int]]:
    """Keep all but what a later statement makes untrue or done by the trained judge of the decision."""
    from scrimshaw.core.extraction.change_judge import judged_update

    return _decided(statements, judged_update)


def _decided(
    statements: Sequence[str], decide: Callable[[Statement, Statement, Setting], object]
) -> list[tuple[int, int]]:
    """Keep all but what *decide* closes; kind and place are the observer's, where it notes a statement."""
    from scrimshaw.core.extraction.change_features import Setting, Statement

    told = [Statement(*_as_noted(text)) for text in statements]
    words = [matter(text) for text in statements]
    in_force = [1] * len(told)
    for at, now in enumerate(told):
        shared = {before: len(words[at] & words[before]) for before in range(at) if in_force[before]}
        near = sorted(filter(shared.__getitem__, shared), key=lambda before: -shared[before])
        for rank, before in enumerate(near):
            if decide(now, told[before], Setting(rank)):
                in_force[before] = 0
    return [(one, 1) for one in in_force]


WAYS: dict[str, Way] = {
    "last text": last_text,
    "first text": first_text,
    "simple rule": simple_rule,
    # Not in a checkout of an older version.
    **(
        {"rules alone": rules_alone, "judge alone": judge_alone, "decision alone": decision_alone}
        if find_spec("scrimshaw.core.extraction.change_judge")
        else {}
    ),
    "observer": observed,
}


def kept_of(pair: Pair, way: Way, talk: Sequence[str], seed: int) -> Kept:
    """Return what *way* keeps of *pair* with some of *talk* between, drawn by lot."""
    between = random.Random(f"{seed} {pair.earlier} {pair.later}").sample(talk, BETWEEN)
    earlier, *rest, later = way([pair.earlier, *between, pair.later])
    return Kept(earlier, (sum(one for one, _ in rest), sum(n for _, n in rest)), later)


def main(arguments: list[str]) -> int:
    """Measure, print the tables."""
    parser = options("changes", __doc__)
    parser.add_argument("--only", choices=("pairs", "beam"), help="only this part")
    parser.add_argument("--pairs", type=Path, default=PAIRS, metavar="DIR", help="pairs of your own")
    parser.add_argument("--hand", help="only pairs of the hands whose name begins so")
    parser.add_argument("--chats", type=int, default=10, metavar="N", help="the first N chats of BEAM 100K")
    given = parser.parse_args(arguments)
    tables: list[Table] = []
    goals: list[Goal] = []
    details: list[Table] = []
    skipped: list[str] = []
    if given.only != "beam":
        pairs = [pair for pair in pairs_in(given.pairs) if pair.hand.startswith(given.hand or "")]
        _add_pairs(pairs, given, tables, goals, details)
    if given.only != "pairs":
        chats = material.find(given.data).beam()[: given.chats]
        if chats:
            tables.append(_beam_table(chats))
        else:
            skipped.append(f"BEAM 100K: no chat.json below {material.find(given.data).place}")
    report = Report(
        "changes",
        tuple(tables),
        goals=tuple(goals),
        notes=NOTES,
        skipped=tuple(skipped),
        details=tuple(details),
    )
    return publish(report, given)


# -- pairs ---------------------------------------------------------------------------------------------------


def _add_pairs(
    pairs: Sequence[Pair],
    given: argparse.Namespace,
    tables: list[Table],
    goals: list[Goal],
    details: list[Table],
) -> None:
    talk = (given.pairs / "between.txt").read_text(encoding="utf-8").splitlines()
    results: dict[str, list[Kept]] = {}
    with counting("changes", len(pairs) * len(WAYS)) as done:
        for name, way in WAYS.items():
            results[name] = []
            for pair in pairs:
                results[name].append(kept_of(pair, way, talk, given.seed))
                done(doing=name)
    rows = [_row(name, pairs, found) for name, found in results.items()]
    tables.append(Table(f"{len(pairs)} pairs", _columns("way"), rows))
    mine = list(zip(pairs, results["observer"], strict=True))
    for title, of in (("hand", _hand), ("language", _language), ("genre", _genre)):
        groups = sorted({of(pair) for pair in pairs})
        parts = [(name, [one for one in mine if of(one[0]) == name]) for name in groups]
        rows = [_row(name, [pair for pair, _ in part], [kept for _, kept in part]) for name, part in parts]
        (details if title == "genre" else tables).append(
            Table(f"observer, by {title}", _columns(title), rows)
        )
    followed, wrong = _followed(mine), _wrong(mine)
    goals.append(Goal("pairs followed", f">= {GOAL}", f"{followed:.2f}", followed >= GOAL))
    if "decision alone" in results:
        alone = list(zip(pairs, results["decision alone"], strict=True))
        followed, missed = _followed(alone), _wrong(alone)
        is_met = followed >= DECISION_GOAL and missed <= MOST_WRONG
        goals.append(
            Goal(
                "decision alone",
                f">= {DECISION_GOAL} at <= {MOST_WRONG}",
                f"{followed:.2f} at {missed:.3f}",
                is_met,
            )
        )
    goals.append(Goal("wrongly closed", f"<= {MOST_WRONG}", f"{wrong:.3f}", wrong <= MOST_WRONG))
    details.append(_worst(mine))


def _hand(pair: Pair) -> str:
    return pair.hand


def _language(pair: Pair) -> str:
    return "English" if pair.language == "en" else "other"


def _genre(pair: Pair) -> str:
    return pair.genre


def _columns(first: str) -> tuple[Column, ...]:
    return (
        Column(first),
        Column("changes", "d"),
        Column("followed", ".2f"),
        Column("closed", ".2f"),
        Column("never noted", ".2f"),
        Column("untouched", "d"),
        Column("wrongly closed", ".3f"),
        Column("look-alikes closed", ".3f"),
    )


def _row(name: str, pairs: Sequence[Pair], found: Sequence[Kept]) -> tuple[Cell, ...]:
    both = list(zip(pairs, found, strict=True))
    changed = [kept for pair, kept in both if pair.changes]
    many = max(1, len(changed))
    closed = sum(kept.earlier[1] > 0 and not kept.earlier[0] for kept in changed)
    never = sum(not kept.earlier[1] for kept in changed)
    untouched = sum(n for _, n in _untouched(both))
    alike = [kept.earlier for pair, kept in both if not pair.changes]
    share = sum(n - in_force for in_force, n in alike) / max(1, sum(n for _, n in alike))
    return name, len(changed), _followed(both), closed / many, never / many, untouched, _wrong(both), share


def _followed(both: Sequence[tuple[Pair, Kept]]) -> float:
    changed = [kept for pair, kept in both if pair.changes]
    return sum(kept.later[0] > 0 and not kept.earlier[0] for kept in changed) / max(1, len(changed))


def _untouched(both: Sequence[tuple[Pair, Kept]]) -> Iterator[tuple[int, int]]:
    for pair, kept in both:
        yield kept.between
        if not pair.changes:
            yield kept.earlier


def _wrong(both: Sequence[tuple[Pair, Kept]]) -> float:
    kept = list(_untouched(both))
    return sum(n - in_force for in_force, n in kept) / max(1, sum(n for _, n in kept))


def _worst(both: Sequence[tuple[Pair, Kept]]) -> Table:
    """Return the pairs that came out wrong and why, but for those of a sealed hand."""
    rows: list[tuple[Cell, ...]] = []
    for pair, kept in both:
        if pair.hand.endswith(SEALED):
            continue
        why = ""
        if pair.changes and kept.earlier[0]:
            why = "still stands"
        elif pair.changes and not kept.later[0]:
            why = "newer not noted"
        elif not pair.changes and kept.earlier[0] < kept.earlier[1]:
            why = "closed wrongly"
        if kept.between[0] < kept.between[1]:
            why += " (talk closed)"
        if why:
            rows.append((why, pair.outcome, pair.earlier, pair.later))
    rows.sort(key=lambda row: str(row[0]))
    return Table(
        "came out wrong", (Column("why"), Column("outcome"), Column("earlier"), Column("later")), rows
    )


# -- BEAM ----------------------------------------------------------------------------------------------------


class _Update(NamedTuple):
    """A question whose answer has changed, and the entries that say the older and the newer one."""

    rubric: Rubric
    older: frozenset[str]
    newer: frozenset[str]


def _beam_table(chats: Sequence[Path]) -> Table:
    counts: dict[str, list[int]] = {"ledger": [0, 0, 0], "section": [0, 0, 0]}
    asked = 0
    with counting("changes", len(chats)) as done:
        for path in chats:
            (conversation,) = load_chats([path])
            memory = _fed(conversation)
            shown = set(section_lines(memory, BUDGET))
            for update in _updates(path):
                asked += 1
                for place, lines in (
                    ("ledger", memory.live()),
                    ("section", [line for line in memory.live() if _is_shown(line, shown)]),
                ):
                    newer, older = _stands(update, lines)
                    for at, holds in enumerate((newer and not older, newer, older)):
                        counts[place][at] += holds
            done(doing=conversation.name)
    rows: list[tuple[Cell, ...]] = [
        (place, asked, *(n / max(1, asked) for n in found)) for place, found in counts.items()
    ]
    columns = (
        Column("where"),
        Column("questions", "d"),
        Column("newer in, older out", ".2f"),
        Column("newer in", ".2f"),
        Column("older in", ".2f"),
    )
    return Table(f"BEAM 100K, knowledge updates, {len(chats)} chats", columns, rows)


def _fed(conversation: Conversation) -> Memory:
    memory = Memory()
    for session, entries in conversation.sessions:
        memory.feed(session, entries)
    return memory


def _is_shown(line: Line, shown: set[str]) -> bool:
    return any(line.observation.text in one for one in shown)


def _stands(update: _Update, lines: Sequence[Line]) -> tuple[bool, bool]:
    """Return whether a line of the newer entry answers the question, and one of the older is about it."""
    newer = older = False
    wanted = [words for _, words in update.rubric.lines]
    about = content_words(update.rubric.question).union(*wanted)
    for line in lines:
        words = content_words(line.observation.text)
        answers = any(is_kept(one, [words]) for one in wanted)
        newer |= answers and not update.newer.isdisjoint(line.observation.sources)
        is_older = not update.older.isdisjoint(line.observation.sources)
        has_figure = any(map(str.isdigit, line.observation.text))
        older |= is_older and not answers and has_figure and len(words & about) >= _ABOUT
    return newer, older


def _updates(path: Path) -> Iterator[_Update]:
    asked = material.questions_of(path)
    questions = json.loads(asked.read_text(encoding="utf-8")) if asked else {}
    rubrics = {
        one.question: one
        for conversation in load_chats([path])
        for one in conversation.rubrics
        if one.ability == "knowledge_update"
    }
    entries = _entries(path)
    for question in questions.get("knowledge_update", []):
        said = question.get("source_chat_ids")
        rubric = rubrics.get(str(question["question"]))
        if not isinstance(said, dict) or rubric is None:
            continue
        older, newer = (
            frozenset(entries[one] for one in said.get(name, []) if one in entries)
            for name in ("original_info", "updated_info")
        )
        if older and newer and older != newer:
            yield _Update(rubric, older, newer)


def _entries(path: Path) -> dict[int, str]:
    """Return the id of the entry (bench/beam) that each message of a chat became."""
    found = {}
    for number, batch in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        messages = [message for turn in batch["turns"] for message in turn]
        found.update({message["id"]: f"{number}-{at}" for at, message in enumerate(messages)})
    return found
