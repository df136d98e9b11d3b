"""A second try for single lines: what a good answer holds that did not hold, why, and what it rests on.

Asked once, after an answer that closed properly; its other lines stand. Of the conversation the question
holds nothing that the first one did not: the entries cited, with their numbers, and a few before them, where
the name or the question that a line lacks mostly stands. An answer is one like the first and judged by the
same gate; what comes of it adds lines and takes none away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from scrimshaw.core.ledger.known_lines import Known
from scrimshaw.core.prompting.fence import contained, fenced, shortened, token_for
from scrimshaw.core.prompting.observe_reply import NO_FAULT
from scrimshaw.core.prompting.observe_request import (
    most_output_tokens,
    noted_before,
    part_of_evidence,
    system_text,
)
from scrimshaw.core.prompting.prompt import Prompt, Question
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.transcript.privacy import cut
from scrimshaw.core.types import Proposal, Rejected, Window

_MOST_NOTES = 12
_BEFORE, _BEFORE_TOKENS = 2, 200  # entries before one that is cited, and of each so much
_REASON_TOKENS = 60
_NOTE_TOKENS = 150  # of the answer's room
_LEAST_ALIKE = 0.4  # of a note's words in the one that mends it
# Nothing to put in better words: it was no word of the person's, or our own.
_PAST_MENDING = NO_FAULT | {"injection", "control"}


def mendable(refused: Iterable[Rejected]) -> list[Rejected]:
    """Return those of *refused* that another wording may save; of very many the first."""
    found = [
        one
        for one in refused
        if one.reason not in _PAST_MENDING and not one.other_id and one.proposal.sources and one.proposal.text
    ]
    return found[:_MOST_NOTES]


def ask_to_mend(
    window: Window, refused: Sequence[Rejected], asked: Question, known: Known, *, template: str
) -> Question:
    """Return the question about the notes *refused*, which were an answer to *asked* about *window*.

    *template* is the file. Numbers mean what they meant in *asked*.
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
    return Question(
        Prompt(
            system=system_text(template),
            text="\n\n".join(filter(None, parts)),
            most_output_tokens=most_output_tokens(_NOTE_TOKENS * len(notes)),
        ),
        entries=asked.entries,
        lines=asked.lines,
    )


def mended(refused: Iterable[Rejected], held: Iterable[Proposal]) -> frozenset[str]:
    """Return the texts of those of *refused* in whose place one of *held*, what came of it, now stands."""
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
    """Return the numbers of the entries of the same conversation that stand right before those cited."""
    entries = window.entries
    return {
        earlier
        for number in cited
        for earlier in range(max(1, number - _BEFORE), number)
        if entries[earlier - 1].session_id == entries[number - 1].session_id
    }


def _note(note: Proposal, numbers: dict[str, int], references: dict[str, str]) -> str:
    """Return a note in the form in which it was written."""
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
