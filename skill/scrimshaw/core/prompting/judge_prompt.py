"""A second reading (do the notes say what their entries say?), and a second attempt at refused lines.

A reversal in other words ("leaves it as it is", "swaps it out") cannot be recognised by form; a reader can
see it. Both requests contain no more of the conversation than the observer's own did: entries of the same
window, as shown there, the notes made of them, and the earlier lines that a note would close. A judgement
counts only when complete: each note and each such line must occur in it exactly once. What follows from it is
decided by core/verification/judge.

The second attempt is made once, after an answer with a valid closing line, for the refused lines: the request
holds them, the reasons, and the cited entries with a few before them, which mostly hold the missing name or
question. Its answer is read and verified like the first; it adds lines and removes none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.fence import NumberedPrompt, Prompt, contained, fenced, shortened, token_for
from scrimshaw.core.prompting.json_lines import read_lines
from scrimshaw.core.prompting.observe_reply import NO_FAULT
from scrimshaw.core.prompting.observe_request import (
    MOST_OUTPUT_TOKENS,
    most_output_tokens,
    noted_before,
    part_of_evidence,
    system_text,
)
from scrimshaw.core.section.render import safe
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.transcript.privacy import cut
from scrimshaw.core.types import EventType, Observation, Proposal, Rejected, Role, Window

_OUTPUT_FLOOR, _OUTPUT_EACH = 300, 45  # tokens: for the closing line and reasoning, and for each note
_ANSWERED_TOKENS = 200  # of the entry before a person's reply, when no note cites it
_WHY_CHARS = 160
_CLOSING = re.compile(r"c([1-9]\d{0,2})", re.ASCII)
_CLOSED_AS = {EventType.COMPLETED: "done", EventType.SUPERSEDED: "replaced"}


# One item for each note, then for each line to be closed: None if correct, else the model's reason.
Judged = tuple[str | None, ...]


class InQuestion(NamedTuple):
    """An earlier line that a note would close."""

    note: int  # the note's number, from 1
    type: EventType
    line: Observation


def ask_to_read(
    window: Window, notes: Sequence[Proposal], closings: Sequence[InQuestion] = (), *, template: str
) -> Prompt:
    """Return the question whether *notes*, which cite *window*, are true and close what they should.

    *template* is the text of the prompt's file.
    """
    numbers = {entry.entry_id: number for number, entry in enumerate(window.entries, start=1)}
    cited = [sorted(numbers[source] for source in note.sources) for note in notes]
    evidence = _evidence({n for one in cited for n in one}, window)
    listed = [
        f"{place}. (of {', '.join(f'[{n}]' for n in rests_on)}) {_listed(note)}"
        for place, (note, rests_on) in enumerate(zip(notes, cited, strict=True), start=1)
    ]
    earlier = [
        f"c{place}. (note {one.note} says that it is {_CLOSED_AS[one.type]}) {noted_before(one.line)}"
        for place, one in enumerate(closings, start=1)
    ]
    token = token_for([*evidence, *listed, *earlier])
    which = "note 1" if len(notes) == 1 else f"notes 1 to {len(notes)}"
    last = '{"holds": […]}'
    if earlier:
        which += f", and the earlier {'line c1' if len(earlier) == 1 else f'lines c1 to c{len(earlier)}'}"
        last = '{"holds": […], "closes": […]}'
    return Prompt(
        system=system_text(template),
        text="\n\n".join(
            (
                f"Times are of the zone {window.zone}.",
                "The entries:\n" + fenced("entries", evidence, token),
                "The notes:\n" + fenced("notes", listed, token),
                *(["The earlier lines:\n" + fenced("earlier lines", earlier, token)] if earlier else []),
                f"Judge now {which}: one JSON object a line for each that does not hold"
                f"{' or still stands' if earlier else ''}, at the end the line {last}.",
            )
        ),
        most_output_tokens=min(
            _OUTPUT_FLOOR + _OUTPUT_EACH * (len(notes) + len(closings)), MOST_OUTPUT_TOKENS
        ),
        temperature=0.0,
    )


def _evidence(cited: set[int], window: Window) -> list[str]:
    """Return the *cited* entries and, shortened, what the person may have been answering in them."""
    persons = {number for number in cited if window.entries[number - 1].role is Role.USER}
    entries = window.entries
    answered = {
        number - 1
        for number in persons
        if number > 1 and entries[number - 2].session_id == entries[number - 1].session_id
    } - cited
    return part_of_evidence(window, dict.fromkeys(cited) | dict.fromkeys(answered, _ANSWERED_TOKENS))


def _listed(note: Proposal) -> str:
    """Return a note as it is shown to the judge: its text with the fields a reader would see."""
    text = " ".join(contained(cut(note.text)[0]).split())
    about = f" (about {note.refers_to.start})" if note.refers_to else ""
    return f"{text}{about}{' (done)' if note.done else ''}"


def read_judged(text: str, count: int, closings: int = 0, *, is_cut: bool = False) -> Judged | None:
    """Return the verdicts in the answer *text* on *count* notes and *closings*; None when it is incomplete.

    Never raises.
    """
    lines = read_lines(text)
    if is_cut or lines.broken:
        return None
    *against, last = lines.objects or ({},)
    wanted = {"holds", "closes"} if closings else {"holds"}
    if not wanted <= set(last) <= {"holds", "closes"} or any(wanted & set(item) for item in against):
        return None
    notes = _each(last["holds"], [item for item in against if "stays" not in item], "not", count)
    stays = [item for item in against if "stays" in item]
    earlier = _each(last.get("closes", []), stays, "stays", closings)
    return None if notes is None or earlier is None else notes + earlier


def _each(yes: object, no: Sequence[Mapping[str, object]], key: str, count: int) -> Judged | None:
    """Return the verdict on each of *count*, None unless each is named exactly once."""
    if not isinstance(yes, list):
        return None
    found: list[tuple[object, str | None]] = [(number, None) for number in yes]
    found += [(item.get(key), _why(item)) for item in no]
    named = [(_numbered(number) if key == "stays" else number, why) for number, why in found]
    said = {number: why for number, why in named if type(number) is int and 1 <= number <= count}
    if len(said) != count or len(found) != count:
        return None
    return tuple(said[number] for number in range(1, count + 1))


def _numbered(value: object) -> object:
    """Return the number of an earlier line: 2 for "c2"."""
    found = _CLOSING.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else value


def _why(item: Mapping[str, object]) -> str:
    why = item.get("why")
    return " ".join(safe(why).split())[:_WHY_CHARS] if isinstance(why, str) else ""


_MOST_NOTES = 12
_BEFORE, _BEFORE_TOKENS = 2, 200  # entries before a cited one, and tokens of each
_REASON_TOKENS = 60
_NOTE_TOKENS = 150  # of output, for each note
_LEAST_ALIKE = 0.4  # least share of a note's words in the one that corrects it
# These cannot be saved by better wording: an order, or our own text.
_PAST_MENDING = NO_FAULT | {"injection", "control"}


def mendable(refused: Iterable[Rejected]) -> list[Rejected]:
    """Return those of *refused* that another wording may save; of too many only the first."""
    found = [
        one
        for one in refused
        if one.reason not in _PAST_MENDING and not one.other_id and one.proposal.sources and one.proposal.text
    ]
    return found[:_MOST_NOTES]


def ask_to_mend(
    window: Window, refused: Sequence[Rejected], asked: NumberedPrompt, known: KnownLines, *, template: str
) -> NumberedPrompt:
    """Return the request to correct the notes *refused*, which answered *asked* about *window*.

    *template* is the text of the prompt's file. Numbers mean the same as in *asked*.
    """
    numbers = {key: number for number, key in enumerate(asked.entries, start=1)}
    cited = {numbers[source] for one in refused for source in one.proposal.sources if source in numbers}
    before = dict.fromkeys(_before(window, cited), _BEFORE_TOKENS)
    entries = part_of_evidence(window, before | dict.fromkeys(cited))
    references = {key: f"o{number}" for number, key in enumerate(asked.lines, start=1)}
    notes = [
        f"{place}. {_note(one.proposal, numbers, references)}\n (thrown away: {_reason(one)})"
        for place, one in enumerate(refused, start=1)
    ]
    named = dict.fromkeys(key for one in refused for key in (*one.proposal.replaces, *one.proposal.completes))
    earlier = [
        f"{references[key]} {noted_before(line)}"
        for key in named
        if key in references and (line := known.get(key)) is not None
    ]
    token = token_for([*entries, *notes, *earlier])
    parts = [
        f"Times are of the zone {window.zone}.",
        "Noted before:\n" + fenced("noted before", earlier, token) if earlier else "",
        "The entries:\n" + fenced("entries", entries, token),
        "The notes that were thrown away:\n" + fenced("notes thrown away", notes, token),
        "Write again those that can be mended: one JSON object a line, at the end the line "
        '{"done": N}; when none can, only {"done": 0}.',
    ]
    return NumberedPrompt(
        Prompt(
            system=system_text(template),
            text="\n\n".join(filter(None, parts)),
            most_output_tokens=most_output_tokens(_NOTE_TOKENS * len(notes)),
        ),
        entries=asked.entries,
        lines=asked.lines,
    )


def mended(refused: Iterable[Rejected], held: Iterable[Proposal]) -> frozenset[str]:
    """Return the texts of those *refused* that one of *held*, the corrected notes, now replaces."""
    left = {one.proposal.text: one.proposal for one in refused}
    found = set()
    for proposal in held:
        words = split_words(normal(proposal.text))
        alike = {
            text: share_held(split_words(normal(text)), words)
            for text, one in left.items()
            if not set(one.sources).isdisjoint(proposal.sources)
        }
        best = max(alike, key=lambda text: alike[text], default=None)
        if best is not None and alike[best] >= _LEAST_ALIKE:
            found.add(best)
            del left[best]
    return frozenset(found)


def _before(window: Window, cited: Iterable[int]) -> set[int]:
    """Return the numbers of the entries of the same conversation directly before those cited."""
    entries = window.entries
    return {
        earlier
        for number in cited
        for earlier in range(max(1, number - _BEFORE), number)
        if entries[earlier - 1].session_id == entries[number - 1].session_id
    }


def _note(note: Proposal, numbers: dict[str, int], references: dict[str, str]) -> str:
    told: dict[str, object] = {
        "text": " ".join(contained(cut(note.text)[0]).split()),
        "kind": note.kind.value,
        "priority": note.priority,
        "sources": sorted(numbers[source] for source in note.sources if source in numbers),
    }
    if note.refers_to is not None:
        told["refers_to"] = f"{note.refers_to.start}"
    for key, ids in (("replaces", note.replaces), ("completes", note.completes)):
        if listed := [references[id_] for id_ in ids if id_ in references]:
            told[key] = listed
    return json.dumps(told, ensure_ascii=False)


def _reason(refused: Rejected) -> str:
    return shortened(" ".join(contained(cut(refused.detail)[0]).split()), _REASON_TOKENS)
