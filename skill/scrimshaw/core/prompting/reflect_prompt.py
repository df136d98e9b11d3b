"""The request to a reflecting model, and the reading of its answer.

It shows numbered lines by subject (core/consolidation/subjects), both shown and hidden ones, each with what
matters for a decision: day, place, kind, priority, speaker, and whether it is the person's own. The numbers
in an answer mean these lines and nothing else; other numbers are invalid. Subjects with a line that the model
has not seen come first, the largest before others; the size of a request and the number of requests are
bounded. What an answer proposes is judged elsewhere (core/consolidation/apply_plan).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from scrimshaw.core.consolidation.apply_plan import (
    ConsolidationPlan,
    Drop,
    Generalise,
    Merge,
    NumberedStep,
    RefusedStep,
    Step,
    Supersede,
)
from scrimshaw.core.consolidation.subjects import subjects
from scrimshaw.core.prompting.fence import NumberedPrompt, Prompt
from scrimshaw.core.prompting.json_lines import read_lines
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import shown, visible
from scrimshaw.core.text.plural import counted
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import Author, Line

MOST_TOKENS = 8_000  # of the lines in one request
MOST_REQUESTS = 3  # about different lines, in one cycle
_LEAST_STRAYS = 8  # new lines similar to no other that justify a request of their own
_LINE_CHARS = 600  # of a person's own line; a machine's line has at most half of that
_MOST_STEPS = 400
_MOST_SOURCES_NAMED = 60
_LEAST_OUTPUT_TOKENS, _MOST_OUTPUT_TOKENS = 800, 6_000
_STEP_TOKENS = 90  # of output, for each line that may be removed
_MOST_TOLD = 12  # faults of an answer that are reported back


class Shown(NamedTuple):
    """The lines of a request, by subject; lines similar to no other stand together at its end."""

    subjects: tuple[tuple[Line, ...], ...]
    strays: tuple[Line, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line, in the order of its number."""
        return (*(line for group in self.subjects for line in group), *self.strays)


class ReflectRequests(NamedTuple):
    """The requests of one cycle, and how many lines wait for the next one."""

    requests: tuple[Shown, ...]
    left_out: int


class Sizes(NamedTuple):
    """The total size of live lines in UTF-16 units, and how much of it the section shows."""

    lines: int = 0
    units: int = 0
    shown_lines: int = 0
    shown_units: int = 0


NO_SIZES = Sizes()


class ReflectTerms(NamedTuple):
    """What a request says besides its lines."""

    room: int  # lines that may be removed
    budget_units: int  # of the section's lines, in UTF-16 units
    now: Sizes  # of all live lines
    template: str
    instruction: str = ""
    complaint: str = ""  # the faults of the last answer


def choose_lines(
    lines: Iterable[Line],
    seen: Collection[str] = frozenset(),
    *,
    most_tokens: int = MOST_TOKENS,
    most_requests: int = MOST_REQUESTS,
) -> ReflectRequests:
    """Return the requests about the live lines; none when a model has seen all of them.

    *seen* are the ids of lines that a model has seen before. Lines that a person has hidden are not shown.
    """
    live = [line for line in lines if line.standing.is_live and not line.standing.is_set_aside]
    new = [group for group in subjects(live) if any(line.observation.id not in seen for line in group)]
    groups = sorted((group for group in new if len(group) > 1), key=_rank)
    strays = [group[0] for group in new if len(group) == 1]
    if not groups and len(strays) < _LEAST_STRAYS:
        return ReflectRequests((), 0)
    requests: list[Shown] = [Shown(())]
    left = most_tokens
    for group in (*groups, *((line,) for line in strays)):
        tokens = sum(estimate_tokens(_text(len(live), line)) for line in group)
        if tokens > left:
            if len(requests) == most_requests:
                break
            requests.append(Shown(()))
            left = most_tokens
        left -= tokens
        last = requests[-1]
        if len(group) == 1:
            requests[-1] = last._replace(strays=(*last.strays, *group))
        else:
            requests[-1] = last._replace(subjects=(*last.subjects, group))
    asked = sum(len(one.lines) for one in requests)
    return ReflectRequests(tuple(one for one in requests if one.lines), sum(map(len, new)) - asked)


def sizes(lines: Iterable[Line]) -> Sizes:
    """Return the total sizes of *lines*."""
    live = [(units(shown(line)) + 1, line.standing.is_shown) for line in lines if line.standing.is_live]
    in_section = [size for size, is_shown in live if is_shown]
    return Sizes(len(live), sum(size for size, _ in live), len(in_section), sum(in_section))


def reflect_question(those: Shown, terms: ReflectTerms) -> NumberedPrompt:
    """Return the request about *those* lines; number n in an answer is `lines[n - 1]`."""
    rows = iter([_text(number, line) for number, line in enumerate(those.lines, 1)])
    parts = ["<notes>"]
    for number, group in enumerate(those.subjects, 1):
        parts += [f"Subject {number}", *(next(rows) for _ in group)]
    if those.strays:
        parts += ["Each about something else", *rows]
    parts.append("</notes>")
    now = terms.now
    if rest := now.lines - len(those.lines):
        parts.append(f"{counted(rest, 'more note is', 'more notes are')} not listed; leave them alone.")
    hidden = now.lines - now.shown_lines
    parts.append(
        f"There is room for {terms.budget_units} characters. All {now.lines} notes take {now.units}; "
        + (
            f"{hidden} of them ({now.units - now.shown_units} characters) are not shown for want of it. "
            f"All would fit if each 100 characters were said in {_share_that_fits(now, terms)}; whatever you "
            "save is filled with them."
            if now.units > terms.budget_units
            else "that is room enough: merge only what is clearer as one."
        )
    )
    parts.append(
        f"At most {terms.room} notes may go in this round: those that are merged, superseded and dropped all "
        "count."
    )
    if terms.complaint:
        parts += ["", terms.complaint]
    system = terms.template if not terms.instruction else f"{terms.template}\n{terms.instruction.strip()}\n"
    most = min(_MOST_OUTPUT_TOKENS, _LEAST_OUTPUT_TOKENS + _STEP_TOKENS * terms.room)
    prompt = Prompt(system, "\n".join(parts) + "\n", most, temperature=0.0)
    return NumberedPrompt(prompt, lines=tuple(line.observation.id for line in those.lines))


def _share_that_fits(now: Sizes, terms: ReflectTerms) -> int:
    """Return into how many of 100 characters everything would have to be shortened."""
    return max(1, 100 * terms.budget_units // max(1, now.units))


def read_plan(text: str, question: NumberedPrompt, *, is_cut: bool = False) -> ConsolidationPlan:
    """Return the steps of an answer, and its lines that are no steps; never raises."""
    found = read_lines(text)
    steps: list[NumberedStep] = []
    refused = [RefusedStep(0, "form", f"{reason}: {broken[:80]}") for broken, reason in found.broken]
    for number, item in enumerate(found.objects, 1):
        if number > _MOST_STEPS:
            refused.append(RefusedStep(number, "form", f"more than {_MOST_STEPS} lines"))
            break
        step = _step(item, question.lines)
        if isinstance(step, str):
            refused.append(RefusedStep(number, "form", step))
        else:
            steps.append(NumberedStep(number, step))
    is_closed = not is_cut and found.closing in ("counted", "nothing-new")
    return ConsolidationPlan(tuple(steps), tuple(refused), is_closed)


def plan_complaint(refused: Sequence[RefusedStep], *, is_closed: bool) -> str:
    """Return the faults of an answer, for asking once more."""
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


def _rank(group: tuple[Line, ...]) -> tuple[int, str]:
    """Sort key: the subject that takes most room first, where most can be saved."""
    return -sizes(group).units, group[0].observation.id


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
        start, end = observation.refers_to.start, observation.refers_to.end
        told.append(f"for {start}" + (f" to {end}" if end else ""))
    if standing.is_expired:
        told.append("outcome unknown")
    if not standing.is_shown:
        told.append("not shown")
    if observation.author is Author.PERSON or standing.is_pinned or standing.is_kept:
        told.append("FIXED")
    # On one line, so that a text cannot pass for another line of the list, or for its end.
    text = " ".join(visible(observation.text).split())[:_LINE_CHARS]
    return f"{number}. [{'; '.join(told)}] {text}"


# -- the answer ----------------------------------------------------------------------------------------------


def _step(item: Mapping[str, object], lines: Sequence[str]) -> Step | str:
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
