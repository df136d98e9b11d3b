"""The request about a window: the instructions, the lines noted before, and the evidence.

Entries are numbered, labelled with speaker and type, and dated in the reader's zone; all foreign text is
fenced (core/prompting/fence). Everything is bounded: an entry as in a window, tool calls by a quarter of
that, all evidence by MOST_EVIDENCE_TOKENS, earlier lines by a limit of their own; a cut is marked where it is
made. The same window and lines give the same request to the byte. The texts are already redacted and without
their private parts; this module knows nothing of secrets, models or money.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.ledger.known_lines import KnownLines, content_words
from scrimshaw.core.prompting.fence import NumberedPrompt, Prompt, contained, fenced, shortened, token_for
from scrimshaw.core.transcript.privacy import cut
from scrimshaw.core.transcript.windows import MESSAGE_TOKENS, estimate_tokens
from scrimshaw.core.types import MAX_TEXT_CHARS, Entry, Observation, Place, Role, Window

MOST_EVIDENCE_TOKENS = 8_000  # estimated as in core/transcript/windows, like every number of tokens here
MOST_CONTEXT_TOKENS = 2_000
LEAST_OUTPUT_TOKENS, MOST_OUTPUT_TOKENS = 1_000, 4_096
# A line with its fields takes about 90 tokens; notes rarely take half as much as their evidence.
_OUTPUT_SHARE, _OUTPUT_FLOOR = 0.6, 500
_CALL_SHARE = 0.25  # one call's arguments, as a share of what an entry may take
# Steps of shortening: the share of its room that an entry keeps, and a person's entry, which shrinks last.
_SCALES = (
    *((scale, 1.0) for scale in (1.0, 0.6, 0.36, 0.22, 0.13, 0.08, 0.05)),
    *((0.03, 0.5), (0.02, 0.25), (0.01, 0.1)),
)
_LEAST_TOKENS = 12
_OPEN_SHARE, _SIMILAR_SHARE = 0.5, 0.85  # of the room for earlier lines: open items first
_LEAST_ALIKE = 0.25  # least share of a line's words, rare ones weighing most, that occur in the window
_MOST_NEWEST = 8  # latest lines, always shown: what was just noted is what is most often repeated
_MOST_LOOKED_AT = 300  # lines of each sort; a ledger of years holds tens of thousands
_MOST_WORDS = 400  # of a window, by which similar lines are looked for


# A backlog is not always read in the order in which it was said.
_LATER = (
    "Some of the lines noted before were said later than this: what they show to be no longer so, or to be "
    "done by now, note as what it is by now, or not at all."
)


class _Shown(NamedTuple):
    """One entry as it is sent."""

    number: int
    role: Role
    session_id: str
    day: str
    text: str
    tokens: int


def context_of(
    known: KnownLines,
    window: Window,
    *,
    most_tokens: int = MOST_CONTEXT_TOKENS,
    leave_out: Callable[[Observation], bool],
) -> list[Observation]:
    """Return the known lines to show: open items, lines similar to *window*, a few of the latest.

    In this order of importance, which is also that of their numbers; at most *most_tokens*. Lines for which
    *leave_out* is true are not even counted.
    """
    lines = [line for line in known.lines() if not leave_out(line)]
    allowed = {line.id for line in lines}
    matches = known.similar(_words_of(window))
    similar = [match.observation for match in matches]
    alike = [
        one.observation for one in matches if one.score >= _LEAST_ALIKE and one.observation.id in allowed
    ]
    ranks = {line.id: rank for rank, line in enumerate(similar)}
    newest = sorted(lines, key=lambda line: (-line.said_at_ms, line.id))
    items = [line for line in newest if line.place is Place.OPEN and not line.done]
    # Of many open items, first those that the window is about; the others by age.
    items.sort(key=lambda line: ranks.get(line.id, len(ranks)))
    chosen: dict[str, Observation] = {}
    used = 0
    for wanted, share in ((items, _OPEN_SHARE), (alike, _SIMILAR_SHARE), (newest[:_MOST_NEWEST], 1.0)):
        for line in wanted[:_MOST_LOOKED_AT]:
            tokens = estimate_tokens(f"o0 {noted_before(line)}")
            if line.id not in chosen and used + tokens <= most_tokens * share:
                chosen[line.id] = line
                used += tokens
    return sorted(
        chosen.values(),
        key=lambda line: (line.place is not Place.OPEN or line.done, line.said_at_ms, line.id),
    )


def _words_of(window: Window) -> frozenset[str]:
    """Return the words of *window*, those of the person's messages first."""
    words: dict[str, None] = {}
    for role in (Role.USER, Role.ASSISTANT, Role.TOOL):
        for entry in window.entries:
            if entry.role is role and len(words) < _MOST_WORDS:
                words.update(dict.fromkeys(sorted(content_words(entry.text[: MESSAGE_TOKENS * 3]))))
    return frozenset(list(words)[:_MOST_WORDS])


def observe_question(
    window: Window,
    context: Sequence[Observation],
    *,
    template: str,
    instruction: str = "",
    complaint: str = "",
    most_tokens: int = MOST_EVIDENCE_TOKENS,
) -> NumberedPrompt:
    """Return the request about *window*; *context* are earlier lines, *template* the prompt file's text.

    A window joined of several conversations shows where each begins; a line must be about one of them only.
    *instruction* is the owner's own, *complaint* tells the faults of the last answer, for a second attempt.
    """
    evidence = [entry.text for entry in _dated(_fitting(window, most_tokens), _conversations(window))]
    noted = [f"o{number} {noted_before(line)}" for number, line in enumerate(context, start=1)]
    token = token_for([*evidence, *noted])
    count = len(window.entries)
    entries_named = "entry [1]" if count == 1 else f"entries [1] to [{count}]"
    several = len(_conversations(window))
    head = "The conversation" if several == 1 else f"{several} conversations, each line of one of them alone"
    parts = [
        f"Times are of the zone {window.zone}.",
        "Noted before:\n" + fenced("noted before", noted, token) if noted else "Nothing was noted before.",
        f"{head}:\n" + fenced("entries", evidence, token),
        _LATER if any(line.said_at_ms > window.entries[-1].said_at_ms for line in context) else "",
        complaint,
        f"That was the evidence. Note now what is new in {entries_named}: one JSON object a line, at the end "
        'the line {"done": N}; when nothing is new, only {"done": 0}.',
    ]
    return NumberedPrompt(
        Prompt(
            system=system_text(template, instruction),
            text="\n\n".join(filter(None, parts)),
            most_output_tokens=most_output_tokens(sum(map(estimate_tokens, evidence))),
        ),
        entries=tuple(entry.entry_id for entry in window.entries),
        lines=tuple(line.id for line in context),
    )


def part_of_evidence(window: Window, most: Mapping[int, int | None]) -> list[str]:
    """Return the entries of *window* with the numbers in *most*, as `observe_question` shows them.

    Each has at most the given number of tokens; None: as many as there. So nothing new is sent.
    """
    shown = (entry for entry in _fitting(window, MOST_EVIDENCE_TOKENS) if entry.number in most)
    parts = (
        entry if (m := most[entry.number]) is None else entry._replace(text=shortened(entry.text, m))
        for entry in shown
    )
    return [entry.text for entry in _dated(parts, _conversations(window))]


def system_text(template: str, instruction: str = "") -> str:
    """Return the text of a prompt file without its version comment, with the owner's instruction added."""
    text = template.partition("-->")[2] if template.startswith("<!--") else template
    if not instruction.strip():
        return text.strip()
    return (
        f"{text.strip()}\n\n# From the owner of this memory\n"
        f"{contained(instruction)}\n(The form of the answer stays as above.)"
    )


def most_output_tokens(evidence_tokens: int) -> int:
    """Return the most tokens that an answer about that much evidence may have."""
    wanted = _OUTPUT_FLOOR + int(evidence_tokens * _OUTPUT_SHARE)
    return max(LEAST_OUTPUT_TOKENS, min(wanted, MOST_OUTPUT_TOKENS))


def noted_before(line: Observation) -> str:
    """Return a known line as it is shown: its date, its place, its text."""
    about = f", about {line.refers_to.start}" if line.refers_to and not line.done else ""
    state = "done" if line.done else "open" if line.place is Place.OPEN else line.kind.value
    text = " ".join(contained(cut(line.text)[0]).split())  # older versions did not recognise such blocks
    when = f"{line.local_date} " if line.local_date else ""
    return f"{when}{state}{about}: {shortened(text, MAX_TEXT_CHARS // 3)}"


def _fitting(window: Window, most_tokens: int) -> Iterator[_Shown]:
    """Yield the entries of *window*, all shortened by the same step so that they fit into *most_tokens*."""
    shown: list[_Shown] = []
    window = window._replace(entries=tuple(map(_contained, window.entries)))
    for scale, persons_scale in _SCALES:
        shown = list(_shown(window, int(MESSAGE_TOKENS * scale), int(MESSAGE_TOKENS * persons_scale)))
        if sum(entry.tokens for entry in shown) <= most_tokens:
            break
    yield from _without_middle(shown, most_tokens)


def _shown(window: Window, most_tokens: int, persons_tokens: int) -> Iterator[_Shown]:
    zone = ZoneInfo(window.zone)
    calls = {
        call.call_id: (number, place, len(entry.calls))
        for number, entry in enumerate(window.entries, start=1)
        for place, call in enumerate(entry.calls, start=1)
        if call.call_id
    }
    for number, entry in enumerate(window.entries, start=1):
        at = datetime.fromtimestamp(entry.said_at_ms / 1000, zone)
        most = persons_tokens if entry.role is Role.USER else most_tokens
        text = _entry(f"[{number}] {at:%H:%M}", entry, _answered(entry, calls), most)
        yield _Shown(number, entry.role, entry.session_id, f"{at:%a %Y-%m-%d}", text, estimate_tokens(text))


def _answered(entry: Entry, calls: dict[str, tuple[int, int, int]]) -> str:
    """Return which call a result belongs to, when several calls are possible."""
    number, place, count = calls.get(entry.call_id, (0, 0, 0))
    return f" (call {place} of [{number}])" if count > 1 else ""


def _entry(head: str, entry: Entry, answered: str, most: int) -> str:
    match entry.role:
        case Role.USER:
            return f"{head} person: {_text(entry.text, most)}"
        case Role.TOOL:
            what = "error" if entry.is_error else "result"
            return f"{head} {what} of {_name(entry.tool_name)}{answered}: {_text(entry.text, most)}"
        case Role.ASSISTANT:
            lines = [f"{head} assistant: {_text(entry.text, most)}"] if entry.text else []
            room = max(int(most * _CALL_SHARE), _LEAST_TOKENS)
            lines += [f"{head} call of {_name(c.name)}: {_text(c.arguments, room)}" for c in entry.calls]
            return "\n".join(lines) or f"{head} assistant: (nothing)"


def _contained(entry: Entry) -> Entry:
    calls = tuple(call._replace(arguments=contained(call.arguments)) for call in entry.calls)
    return entry._replace(text=contained(entry.text), calls=calls)


def _text(text: str, most_tokens: int) -> str:
    return shortened(text, most_tokens) or "(nothing)"


def _name(name: str) -> str:
    """Return a tool's name as one word: it stands at the margin, and a transcript may contain anything."""
    return "".join(c for c in name[:60] if c.isalnum() or c in "_.-") or "tool"


def _without_middle(shown: list[_Shown], most_tokens: int) -> Iterator[_Shown]:
    """Yield *shown* as far as there is room; the middle is left out first, tools before speech."""
    over = sum(entry.tokens for entry in shown) - most_tokens
    middle = len(shown) / 2
    gone: set[int] = set()
    order = sorted(shown, key=lambda entry: (entry.role is Role.USER, abs(entry.number - middle)))
    for entry in order:
        if over <= 0:
            break
        gone.add(entry.number)
        over -= entry.tokens
    left_out = 0
    for entry in shown:
        if entry.number in gone:
            left_out += 1
            continue
        text = f"({left_out} entries left out)\n{entry.text}" if left_out else entry.text
        left_out = 0
        yield entry._replace(text=text)


def _dated(shown: Iterable[_Shown], conversations: Mapping[str, int]) -> Iterator[_Shown]:
    """Yield *shown* with a heading above the first entry of each day and of each conversation."""
    before = ("", "")
    for entry in shown:
        here = (entry.session_id, entry.day)
        name = f"conversation {conversations[entry.session_id]}, " if len(conversations) > 1 else ""
        yield entry if here == before else entry._replace(text=f"--- {name}{entry.day}\n{entry.text}")
        before = here


def _conversations(window: Window) -> dict[str, int]:
    return {key: n for n, key in enumerate(dict.fromkeys(e.session_id for e in window.entries), start=1)}
