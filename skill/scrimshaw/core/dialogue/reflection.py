"""What the reflecting model is asked, and how its answer is read.

It sees numbered lines, each with what decides about it: its day, place, kind, priority, speaker, and whether
it is the person's own. The numbers of an answer mean these lines and nothing else; one that was not shown
names none. The request is bounded: what matters most comes first, and how much was left out is said. What an
answer proposes is judged elsewhere (core/consolidating).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from scrimshaw.core.budget import units
from scrimshaw.core.consolidating import (
    Drop,
    Generalise,
    Merge,
    Numbered,
    Plan,
    Refused,
    Step,
    Supersede,
)
from scrimshaw.core.dialogue.json_lines import read_lines
from scrimshaw.core.dialogue.prompt import Prompt, Question
from scrimshaw.core.lines import shown, visible
from scrimshaw.core.model import Author, Line, Place
from scrimshaw.core.window import estimate_tokens

MOST_TOKENS = 8_000  # of the lines in one request
_LINE_CHARS = 600  # of a person's own line; a machine's has no more than half of it
_MOST_STEPS = 400
_MOST_SOURCES_NAMED = 60
_LEAST_OUTPUT_TOKENS, _MOST_OUTPUT_TOKENS = 800, 6_000
_STEP_TOKENS = 90  # of the answer, for each line that may go
_MOST_TOLD = 12  # of what was wrong with an answer
_AIM = 0.9  # of the size now; more at once would cost more than it saves
_AIM_OF_THRESHOLD = 0.75


class Shown(NamedTuple):
    """The lines of a request, oldest first, and how many there was no room for."""

    lines: tuple[Line, ...]
    left_out: int


class Terms(NamedTuple):
    """What a request says besides the lines."""

    room: int  # how many lines may go
    now_units: int  # what is shown now
    aim_units: int
    template: str
    instruction: str = ""
    complaint: str = ""  # what was wrong with the last answer


def choose(lines: Iterable[Line], most_tokens: int = MOST_TOKENS) -> Shown:
    """Return the live lines that a request shows: what the section shows first, and of that what stands.

    What a person has set aside is not shown. Of each rank the newest come first.
    """
    live = [line for line in lines if line.standing.is_live and not line.standing.is_set_aside]
    chosen: list[Line] = []
    tokens = 0
    for line in sorted(live, key=_rank):
        tokens += estimate_tokens(_text(len(live), line))
        if tokens > most_tokens:
            break
        chosen.append(line)
    by_age = sorted(chosen, key=lambda line: (line.observation.said_at_ms, line.observation.id))
    return Shown(tuple(by_age), len(live) - len(chosen))


def shown_units(lines: Iterable[Line]) -> int:
    """Return the UTF-16 units of those of *lines* that are shown."""
    return sum(units(shown(line)) + 1 for line in lines if line.standing.is_shown and line.standing.is_live)


def aim(now_units: int, threshold_units: int) -> int:
    """Return the size to aim at."""
    return int(min(now_units * _AIM, threshold_units * _AIM_OF_THRESHOLD))


def ask(those: Shown, terms: Terms) -> Question:
    """Return the question about *those* lines; number n in an answer is `lines[n - 1]`."""
    parts = ["<notes>", *(_text(number, line) for number, line in enumerate(those.lines, 1)), "</notes>"]
    if those.left_out:
        parts.append(f"{those.left_out} more notes are not listed; leave them alone.")
    parts.append(
        f"The notes that are shown take {terms.now_units} characters; aim at {terms.aim_units} or fewer, but "
        f"lose nothing for it. At most {terms.room} notes may go in this round: those that are merged, "
        "superseded and dropped all count."
    )
    if terms.complaint:
        parts += ["", terms.complaint]
    system = terms.template if not terms.instruction else f"{terms.template}\n{terms.instruction.strip()}\n"
    most = min(_MOST_OUTPUT_TOKENS, _LEAST_OUTPUT_TOKENS + _STEP_TOKENS * terms.room)
    prompt = Prompt(system, "\n".join(parts) + "\n", most, temperature=0.0)
    return Question(prompt, lines=tuple(line.observation.id for line in those.lines))


def read_plan(text: str, question: Question, *, is_cut: bool = False) -> Plan:
    """Return the steps of an answer, and what in it is none; never raises, whatever it holds."""
    found = read_lines(text)
    steps: list[Numbered] = []
    refused = [Refused(0, "form", f"{reason}: {broken[:80]}") for broken, reason in found.broken]
    for number, item in enumerate(found.objects, 1):
        if number > _MOST_STEPS:
            refused.append(Refused(number, "form", f"more than {_MOST_STEPS} lines"))
            break
        step = _step(item, question.lines)
        if isinstance(step, str):
            refused.append(Refused(number, "form", step))
        else:
            steps.append(Numbered(number, step))
    is_closed = not is_cut and found.closing in ("counted", "nothing-new")
    return Plan(tuple(steps), tuple(refused), is_closed)


def complaint_about(refused: Sequence[Refused], *, is_closed: bool) -> str:
    """Return what was wrong with an answer, for asking once more."""
    told = list(
        dict.fromkeys(
            f"- line {one.number}: {one.detail}" if one.number else f"- {one.detail}" for one in refused
        )
    )
    more = [f"- and {len(told) - _MOST_TOLD} more"] if len(told) > _MOST_TOLD else []
    unclosed = (
        [] if is_closed else ['- it did not end with the line {"done": N} that counts the lines before it']
    )
    return "\n".join(
        [
            "You were asked this before. Of that answer these lines were thrown away:",
            *told[:_MOST_TOLD],
            *more,
            *unclosed,
            "Answer anew and whole, without these mistakes. Fewer lines that hold are better than many.",
        ]
    )


# -- the lines -----------------------------------------------------------------------------------------------


def _rank(line: Line) -> tuple[bool, int, int, str]:
    place = (Place.STANDING, Place.OPEN, Place.LOG).index(line.standing.place)
    return not line.standing.is_shown, place, -line.observation.said_at_ms, line.observation.id


def _text(number: int, line: Line) -> str:
    observation, standing = line
    day = date.fromisoformat(observation.local_date)
    told = [
        f"{observation.local_date} {observation.local_time}".strip() + f" {day:%a}".lower(),
        standing.place.value,
        observation.kind.value if not observation.level else f"pattern: {observation.pattern or 'several'}",
        f"priority {observation.priority}",
        f"by {observation.speaker.value}",
    ]
    if observation.done:
        told.append("done")
    if observation.refers_to is not None:
        told.append(f"for {observation.refers_to.start}")
    if standing.is_expired:
        told.append("outcome unknown")
    if not standing.is_shown:
        told.append("not shown")
    if observation.author is Author.PERSON or standing.is_pinned or standing.is_kept:
        told.append("FIXED")
    # On one line, so that nothing in a text can pass for a line of the list, or for its end.
    text = " ".join(visible(observation.text).split())[:_LINE_CHARS]
    return f"{number}. [{'; '.join(told)}] {text}"


# -- the answer ----------------------------------------------------------------------------------------------


def _step(item: Mapping[str, object], lines: Sequence[str]) -> Step | str:
    """Return the step that an object proposes, or why it is none."""
    match item.get("act"):
        case "merge":
            ids = _named(item.get("lines"), lines)
            return ids if isinstance(ids, str) else Merge(ids, _words(item, "text"))
        case "pattern" | "generalise" | "generalize":
            ids = _named(item.get("lines"), lines)
            return (
                ids
                if isinstance(ids, str)
                else Generalise(ids, _words(item, "text"), _words(item, "pattern"))
            )
        case "supersede":
            ids = _named([item.get("line"), item.get("by")], lines)
            return ids if isinstance(ids, str) else Supersede(*ids)
        case "drop":
            ids = _named([item.get("line")], lines)
            return ids if isinstance(ids, str) else Drop(ids[0], _words(item, "reason"))
        case _:
            return "“act” is none of: merge, pattern, supersede, drop"


def _words(item: Mapping[str, object], key: str) -> str:
    value = item.get(key)
    return value.strip() if isinstance(value, str) else ""


def _named(numbers: object, lines: Sequence[str]) -> tuple[str, ...] | str:
    if not isinstance(numbers, list) or not 0 < len(numbers) <= _MOST_SOURCES_NAMED:
        return "it does not name its lines by number"
    ids = []
    for number in numbers:
        index = _number(number)
        if index is None or not 1 <= index <= len(lines):
            return f"{str(number)[:20]!r} is the number of no line in the list"
        ids.append(lines[index - 1])
    return tuple(ids)


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.strip().isdigit() and len(value) < 6:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
