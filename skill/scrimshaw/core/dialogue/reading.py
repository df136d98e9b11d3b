"""A second reading: a model is asked whether notes say what their entries say, and its answer is read.

What is turned round in other words ("leaves it as it is", "swaps it out") no rule by form can see; who reads
can. Of what was said the question holds nothing that the observer's own did not: entries of the same window,
as they stood there, and the notes made of them. An answer counts whole or not at all: each note must stand in
it exactly once. What follows from it is core/second_reading's to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrimshaw.core.dialogue.fence import contained, fenced, token_for
from scrimshaw.core.dialogue.json_lines import read_lines
from scrimshaw.core.dialogue.prompt import Prompt
from scrimshaw.core.dialogue.request import MOST_OUTPUT_TOKENS, part_of_evidence, system_text
from scrimshaw.core.lines import safe
from scrimshaw.core.model import Proposal, Role, Window
from scrimshaw.core.private import cut

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
        f"{place}. (of {', '.join(f'[{n}]' for n in rests_on)}) {_listed(note)}"
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
        most_output_tokens=min(_OUTPUT_FLOOR + _OUTPUT_EACH * len(notes), MOST_OUTPUT_TOKENS),
        temperature=0.0,
    )


def _evidence(cited: set[int], window: Window) -> list[str]:
    """Return the entries *cited*, and shortened what each of the person's among them may answer."""
    persons = {number for number in cited if window.entries[number - 1].role is Role.USER}
    answered = {number - 1 for number in persons if number > 1} - cited
    return part_of_evidence(window, dict.fromkeys(cited) | dict.fromkeys(answered, _ANSWERED_TOKENS))


def _listed(note: Proposal) -> str:
    """Return a note as it is put to the question: with what would be shown besides its text."""
    text = " ".join(contained(cut(note.text)[0]).split())
    about = f" (about {note.refers_to.start})" if note.refers_to else ""
    return f"{text}{about}{' (done)' if note.done else ''}"


def read_judged(text: str, count: int, *, is_cut: bool = False) -> Judged | None:
    """Return what the answer *text* says of *count* notes; None when it is not whole. Never raises."""
    lines = read_lines(text)
    if is_cut or lines.broken:
        return None
    *refusals, last = lines.objects or ({},)
    holds = last.get("holds")
    if set(last) != {"holds"} or not isinstance(holds, list) or any("holds" in item for item in refusals):
        return None
    found: list[tuple[object, str | None]] = [(number, None) for number in holds]
    found += [(item.get("not"), _why(item)) for item in refusals]
    said = {number: why for number, why in found if type(number) is int and 1 <= number <= count}
    if len(said) != count or len(found) != count:
        return None
    return tuple(said[number] for number in range(1, count + 1))


def _why(item: Mapping[str, object]) -> str:
    why = item.get("why")
    return " ".join(safe(why).split())[:_WHY_CHARS] if isinstance(why, str) else ""
