"""A small conversation in BEAM's own file format, for the benches' tests."""

from __future__ import annotations

import json
from pathlib import Path

SAID = (
    (
        "I decided that the cider press is serviced on March 14 by Dana.",
        "I will note that the press is serviced.",
    ),
    ("The orchard has 340 trees since last week.", "340 trees, understood."),
    ("Please always answer in metric units, I prefer them.", "Metric units from now on."),
    (
        "The bottling deadline was moved to April 2, we still need 1200 bottles.",
        "Then 1200 bottles by April 2.",
    ),
)


def make_chat(folder: Path, number: int = 1) -> Path:
    """Write `folder/100K/NUMBER/chat.json` with its questions; return *folder*."""
    turns = []
    for at, (person, assistant) in enumerate(SAID):
        anchor = "March-01-2024" if at == 0 else None
        turns.append(
            [
                {"role": "user", "id": 2 * at, "time_anchor": anchor, "content": f"{person} ->-> 1,{at}"},
                {"role": "assistant", "id": 2 * at + 1, "time_anchor": None, "content": assistant},
            ]
        )
    chat = folder / "100K" / str(number) / "chat.json"
    (chat.parent / "probing_questions").mkdir(parents=True)
    chat.write_text(json.dumps([{"batch_number": 1, "time_anchor": None, "turns": turns}]))
    (chat.parent / "probing_questions" / "probing_questions.json").write_text(json.dumps(_questions()))
    return folder


def _questions() -> dict[str, list[dict[str, object]]]:
    def asked(question: str, *rubric: str) -> dict[str, object]:
        return {"question": question, "rubric": [f"LLM response should state: {line}" for line in rubric]}

    return {
        "information_extraction": [asked("How many trees has the orchard?", "340 trees")],
        "knowledge_update": [asked("When is the bottling deadline?", "April 2")],
        "temporal_reasoning": [asked("When is the press serviced?", "the press is serviced on March 14")],
    }
