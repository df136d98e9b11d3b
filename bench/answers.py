"""How many questions about people's lives the section alone answers (`python -m bench answers`).

LoCoMo and REALTALK, two people's long chats, each speaker the owner in turn (bench/people). A question counts
as answered when 60 % of the words of its answer stand in one line of the section; evidence as kept when
80 % of the words of its longest sentence do. Beside the observer: the newest and the oldest sentences, a
twenty-line rule, everything that was said.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from bench import material
from bench.beam import content_words, is_kept
from bench.keeping import WAYS, remember, sentences_of
from bench.people import Asked, Chat, locomo, realtalk
from bench.progress import counting
from bench.report import Cell, Column, Goal, Report, Table, options, publish
from bench.scoring import interval
from scrimshaw.core.text.sentences import split_sentences
from scrimshaw.core.types import Role

BUDGET = 8_400
EVIDENCE_SHARE = 0.8
GOAL = 0.32
WORST = 10
BY_EVIDENCE = "by evidence"  # no way: it knows what will be asked
WAYS_SHOWN = (
    "last text",
    "first text",
    "random",
    "simple rule",
    "by evidence",
    "observer",
    "reflected",
    "all lines",
    "all user text",
    "all text",
)
CAUSES = {
    "no place": "a line that was noted answers it and has no place in the section",
    "cut": "a sentence of the owner's answers it; of its message another part was noted",
    "never noted": "a sentence of the owner's answers it, and nothing of its message was noted",
    "the other's": "only a sentence of the other speaker answers it",
    "no sentence": "no single sentence holds 60 % of the answer's words",
}
CATEGORIES = {1: "several", 2: "when", 3: "what follows", 4: "one"}
NOTES = (
    "*answered*: the share of the questions of categories 1 to 4 of which 60 % of the answer's words stand "
    "in one line, word for word, with its 95 % interval over chats; by category: *several* messages, *when*, "
    "*what follows*, *one* message. *own*: of the questions that the owner's messages answer alone. *read*: "
    "as a reader would: a date counts in either form, a line of the log is of its day, and the line must "
    "hold a quarter of the question's words besides. *evidence*: of the owner's messages that answers "
    "rest on, those whose longest sentence stands in one line with 80 % of its words.",
    "*by evidence*: a section of exactly those sentences, whatever they take, as they were said; it knows "
    "what will be asked. What the observer has beyond it are days that it works out, and words beside.",
    "What it does not show: half of the questions are about the other speaker, of whom the section holds "
    "only what the owner says; an answer in other words is not seen, and words may stand together by chance.",
)
_ISO = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Mark(NamedTuple):
    """What one way scored on one chat."""

    by_category: dict[int, tuple[int, int]]  # answered, asked
    own: float  # of the questions that the owner's messages answer alone
    read: float
    evidence: tuple[int, int]
    missed: tuple[Asked, ...]

    @property
    def answered(self) -> float:
        return sum(one for one, _ in self.by_category.values()) / sum(n for _, n in self.by_category.values())


def main(arguments: list[str]) -> int:
    """Measure, print the tables."""
    given = _parser().parse_args(arguments)
    if given.recorded:
        from bench import recorded  # the product's jobs, a store and a search: only here

        only = tuple(given.chats or ())
        told = recorded.report(given.into, given.ask, given.keep, given.data, only, given.seed)
        return publish(told, given)
    sets, skipped = _sets(given)
    results = {name: _measured(chats, given) for name, chats in sets.items()}
    report = _report(results, skipped, given)
    if "observer" in (given.only or WAYS_SHOWN):
        why = _why({name: (sets[name], marks["observer"]) for name, marks in results.items()})
        report = report._replace(tables=(*report.tables, why))
    return publish(report, given)


def _parser() -> argparse.ArgumentParser:
    parser = options("answers", __doc__)
    parser.add_argument("--budget", type=int, default=BUDGET, metavar="UNITS")
    parser.add_argument("--only", nargs="+", choices=[*WAYS, BY_EVIDENCE], help="only these ways")
    parser.add_argument(
        "--chats", nargs="+", metavar="NAME", help="only chats whose name begins so (conv-26)"
    )
    parser.add_argument(
        "--recorded", action="store_true", help="with a model's replies, kept (bench/recorded)"
    )
    for name, what in (("into", "the next request"), ("ask", "what to judge"), ("keep", "what to keep")):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=f"with --recorded: {what}")
    parser.add_argument("--show", metavar="NAME", help="print the section of this chat: 'conv-26 (caroline)'")
    return parser


def _sets(given: argparse.Namespace) -> tuple[dict[str, list[Chat]], tuple[str, ...]]:
    found = material.find(given.data)
    sets = {"LoCoMo": [chat for path in found.locomo()[:1] for chat in locomo(path)]}
    sets["REALTALK"] = realtalk(found.realtalk())
    skipped = tuple(f"{name}: nothing of it below {found.place}" for name, chats in sets.items() if not chats)
    if given.chats:
        wanted = tuple(given.chats)
        sets = {
            name: [chat for chat in chats if chat.conversation.name.startswith(wanted)]
            for name, chats in sets.items()
        }
    return {name: chats for name, chats in sets.items() if chats}, skipped


def _measured(chats: Sequence[Chat], given: argparse.Namespace) -> dict[str, list[Mark]]:
    ways = given.only or WAYS_SHOWN
    marks: dict[str, list[Mark]] = {name: [] for name in ways}
    with counting("answers", len(ways) * len(chats)) as done:
        for name in ways:
            for chat in chats:
                lines = (
                    evidence_of(chat)
                    if name == BY_EVIDENCE
                    else WAYS[name].keep(chat.conversation, given.budget, given.seed)
                )
                if given.show == chat.conversation.name and name == "observer":
                    print("\n".join(lines))
                marks[name].append(marked(chat, lines))
                done(doing=name)
    return marks


def evidence_of(chat: Chat) -> list[str]:
    """Return the sentences on which the answers rest: the longest of each of the owner's messages."""
    return [_longest(text) for text in dict.fromkeys(text for one in chat.asked for text in one.evidence)]


def _longest(message: str) -> str:
    return max(split_sentences(message), key=lambda sentence: len(content_words(sentence)), default="")


def dated(lines: Sequence[str]) -> list[str]:
    """Return *lines* with the day that stands above them, as a section's log has it."""
    day, found = "", []
    for line in lines:
        if _DAY.fullmatch(line):
            day = line
        elif line.startswith("#"):
            day = ""
        else:
            found.append(f"{day} {line}" if day else line)
    return found


def marked(chat: Chat, lines: Sequence[str]) -> Mark:
    """Return what *lines*, as they stand in the section, answer of what is asked of *chat*."""
    held = [content_words(line) for line in lines]
    as_read = [words_of(line) for line in dated(lines)]
    asked: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    read, missed, own = 0, [], []
    for one in chat.asked:
        if not (words := content_words(one.answer)):
            continue
        asked[one.category] += 1
        is_held = is_kept(words, held)
        own += [is_held] if one.is_own else []
        if is_held:
            answered[one.category] += 1
        else:
            missed.append(one)
        read += _is_read(one, as_read)
    evidence = {text for one in chat.asked for text in one.evidence}
    kept = sum(_is_kept(text, held) for text in evidence)
    by_category = {category: (answered[category], asked[category]) for category in sorted(asked)}
    return Mark(
        by_category,
        sum(own) / max(1, len(own)),
        read / max(1, asked.total()),
        (kept, len(evidence)),
        tuple(missed),
    )


def _is_read(one: Asked, held: Sequence[frozenset[str]]) -> bool:
    """Tell whether a line answers *one* and is about what is asked."""
    question = content_words(one.question)
    about = [words for words in held if len(question & words) * 4 >= len(question)]
    return is_kept(words_of(one.answer), about)


def _is_kept(message: str, held: Sequence[frozenset[str]]) -> bool:
    words = content_words(_longest(message))
    return any(len(words & line) >= EVIDENCE_SHARE * len(words) for line in held) if words else False


def words_of(text: str) -> frozenset[str]:
    """Return the content words of *text*; a date as 2023-05-07 counts as "7 May 2023"."""
    return content_words(_ISO.sub(_spelled, text))


def _spelled(found: re.Match[str]) -> str:
    year, month, day = found.groups()
    try:
        when = date(int(year), int(month), int(day or 1))
    except ValueError:
        return found[0]
    return f"{when.day} {when:%B} {when.year}" if day else f"{when:%B} {when.year}"


def _report(
    results: dict[str, dict[str, list[Mark]]], skipped: tuple[str, ...], given: argparse.Namespace
) -> Report:
    tables, goals, details = [], [], []
    for name, marks in results.items():
        rows = [_row(way, found, given.seed) for way, found in marks.items()]
        columns = (
            Column("way"),
            Column("answered", ".3f"),
            Column("95 %"),
            *(Column(category, ".2f") for category in CATEGORIES.values()),
            Column("own", ".3f"),
            Column("read", ".3f"),
            Column("evidence", ".3f"),
        )
        count = len(next(iter(marks.values())))
        title = f"{name}: {count} chats, a section of {given.budget:,} units"
        tables.append(Table(title, columns, rows))
        if "observer" in marks:
            found = _mean(marks["observer"], lambda mark: mark.answered)
            goals.append(Goal(f"{name}, answered offline", f">= {GOAL}", f"{found:.3f}", found >= GOAL))
            details.append(_missed(name, marks["observer"]))
    return Report(
        "answers", tuple(tables), goals=tuple(goals), notes=NOTES, skipped=skipped, details=tuple(details)
    )


def _row(way: str, marks: Sequence[Mark], seed: int) -> tuple[Cell, ...]:
    low, high = interval([mark.answered for mark in marks], seed)
    by_category = [_mean(marks, _share_of(category)) for category in CATEGORIES]
    evidence = _mean(marks, lambda mark: mark.evidence[0] / max(1, mark.evidence[1]))
    answered = _mean(marks, lambda mark: mark.answered)
    own = _mean(marks, lambda mark: mark.own)
    read = _mean(marks, lambda mark: mark.read)
    return (way, answered, f"{low:.3f} to {high:.3f}", *by_category, own, read, evidence)


def _share_of(category: int) -> Callable[[Mark], float]:
    def share(mark: Mark) -> float:
        answered, asked = mark.by_category.get(category, (0, 0))
        return answered / max(1, asked)

    return share


def _mean(marks: Sequence[Mark], of: Callable[[Mark], float]) -> float:
    return sum(map(of, marks)) / max(1, len(marks))


def _why(observed: dict[str, tuple[list[Chat], list[Mark]]]) -> Table:
    """Return why questions are missed, as shares of all that are asked."""
    counts: dict[str, Counter[str]] = {}
    asked: Counter[str] = Counter()
    for name, (chats, marks) in observed.items():
        counts[name] = Counter(
            cause for chat, mark in zip(chats, marks, strict=True) for cause in causes(chat, mark.missed)
        )
        asked[name] = sum(count for mark in marks for _, count in mark.by_category.values())
    rows: list[tuple[Cell, ...]] = [
        (cause, *(counts[name][cause] / max(1, asked[name]) for name in observed), told)
        for cause, told in CAUSES.items()
    ]
    columns = (Column("cause"), *(Column(name, ".2f") for name in observed), Column("what it means"))
    return Table("Why questions are missed, of all that are asked", columns, rows)


def causes(chat: Chat, missed: Sequence[Asked]) -> list[str]:
    """Return of each question that is *missed* why it is."""
    memory = remember(chat.conversation)
    noted = [content_words(text) for text in memory.texts()]
    sources = {source for line in memory.lines.values() for source in line.observation.sources}
    own = [
        (entry.entry_id in sources, [content_words(sentence) for sentence in split_sentences(entry.text)])
        for _, entries in chat.conversation.sessions
        for entry in entries
        if entry.role is Role.USER
    ]
    other = [content_words(text) for text in sentences_of(chat.conversation, frozenset((Role.ASSISTANT,)))]
    return [_cause(content_words(one.answer), noted, own, other) for one in missed]


def _cause(
    words: frozenset[str],
    noted: list[frozenset[str]],
    own: Sequence[tuple[bool, list[frozenset[str]]]],
    other: list[frozenset[str]],
) -> str:
    if is_kept(words, noted):
        return "no place"
    told = [is_noted for is_noted, sentences in own if is_kept(words, sentences)]
    if told:
        return "cut" if any(told) else "never noted"
    return "the other's" if is_kept(words, other) else "no sentence"


def _missed(name: str, marks: Sequence[Mark]) -> Table:
    """Return the questions that the observer's section misses, a few of each chat."""
    rows: list[tuple[Cell, ...]] = [
        (CATEGORIES[one.category], one.question, one.answer) for mark in marks for one in mark.missed[:WORST]
    ]
    return Table(f"{name}: not answered", (Column("kind"), Column("question"), Column("answer")), rows)
