"""A second reading: a model is asked whether notes say what their entries say, and its answer is read.

What is turned round in other words ("leaves it as it is", "swaps it out") no rule by form can see; who reads
can. The question holds nothing that the observer's own did not: entries of the same window, and the notes
made of it. An answer counts whole or not at all: each note must stand in it exactly once. What follows from
it is core/second_reading's to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrimshaw.core.dialogue.fence import contained, fenced, shortened, token_for
from scrimshaw.core.dialogue.json_lines import read_lines
from scrimshaw.core.dialogue.prompt import Prompt
from scrimshaw.core.dialogue.request import evidence_of, system_text
from scrimshaw.core.lines import safe
from scrimshaw.core.model import Proposal, Role, Window

_OUTPUT_FLOOR, _OUTPUT_EACH = 300, 45  # tokens: of the last line and what is thought, and of each note
_ANSWERED_TOKENS = 200  # of what an entry may answer, and no note cites
_WHY_CHARS = 160


# By a note's place: None where it holds; where it does not, why, as far as the model said.
Judged = tuple[str | None, ...]


def ask_to_read(window: Window, notes: Sequence[Proposal], *, template: str) -> Prompt:
    """Return the question whether *notes*, which cite entries of *window*, hold; *template* is the file."""
    numbers = {entry.entry_id: number for number, entry in enumerate(window.entries, start=1)}
    cited = [sorted(numbers[source] for source in note.sources) for note in notes]
    evidence = _evidence({n for one in cited for n in one}, window)
    listed = [
        f"{place}. (of {', '.join(f'[{n}]' for n in rests_on)}) {' '.join(contained(note.text).split())}"
        for place, (note, rests_on) in enumerate(zip(notes, cited, strict=True), start=1)
    ]
    token = token_for([*evidence, *listed])
    return Prompt(
        system=system_text(template),
        text="\n\n".join(
            (
                f"Times are of the zone {window.zone}.",
                "The entries:\n" + fenced("entries", evidence, token),
                "The notes:\n" + fenced("notes", listed, token),
                f"Judge now {'note 1' if len(notes) == 1 else f'notes 1 to {len(notes)}'}: one JSON object a "
                'line for each that does not hold, at the end the line {"holds": […]}.',
            )
        ),
        most_output_tokens=_OUTPUT_FLOOR + _OUTPUT_EACH * len(notes),
        temperature=0.0,
    )


def _evidence(cited: set[int], window: Window) -> list[str]:
    """Return the entries *cited*, and shortened what each of the person's among them may answer."""
    persons = {number for number in cited if window.entries[number - 1].role is Role.USER}
    answered = {number - 1 for number in persons if number > 1} - cited
    entries = [
        entry._replace(text=shortened(entry.text, _ANSWERED_TOKENS), calls=())
        if number in answered
        else entry
        for number, entry in enumerate(window.entries, start=1)
    ]
    return evidence_of(window._replace(entries=tuple(entries)), only=cited | answered)


def read_judged(text: str, count: int, *, is_cut: bool = False) -> Judged | None:
    """Return what the answer *text* says of *count* notes; None when it is not whole. Never raises."""
    lines = read_lines(text)
    if is_cut or lines.broken:
        return None
    said: dict[int, str | None] = {}
    ends = 0
    for item in lines.objects:
        holds, number = item.get("holds"), item.get("not")
        if isinstance(holds, list):
            ends += 1
            found: list[tuple[object, str | None]] = [(one, None) for one in holds]
        else:
            found = [(number, _why(item))]
        for one, why in found:
            if type(one) is not int or not 1 <= one <= count or one in said:
                return None
            said[one] = why
    if ends != 1 or len(said) != count:
        return None
    return tuple(said[number] for number in range(1, count + 1))


def _why(item: Mapping[str, object]) -> str:
    why = item.get("why")
    return " ".join(safe(why).split())[:_WHY_CHARS] if isinstance(why, str) else ""
