"""Dates in sentences: right, or left in the speaker's words."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.support.cases import read_cases

from scrimshaw.core.text.dates import find_dates

CASES = [
    (said, text, dates)
    for file in ("dates.txt", "dates_of_languages.txt", "dates_in_context.txt")
    for heading, cases in read_cases(Path(__file__).with_name("cases") / file).items()
    for said in [heading.partition(": ")[2]]
    for text, dates in cases
]


def sure(text: str, said: str) -> str:
    """Return the dates that surely follow from *text*, in the table's notation."""
    at = datetime.fromisoformat(said).replace(tzinfo=ZoneInfo("Europe/Lisbon"))
    refs = [found.ref for found in find_dates(text, at) if found.ref.certain]
    return " ".join(
        f"{ref.start}{f'/{ref.end}' if ref.end else ''}{f'T{ref.time}' if ref.time else ''}" for ref in refs
    )


@pytest.mark.parametrize(("said", "text", "dates"), CASES)
def test_a_date_in_a_sentence_is_right_or_left_in_words(said: str, text: str, dates: str) -> None:
    assert dates == sure(text, said)
