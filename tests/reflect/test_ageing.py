"""What time does to a section through whole runs: it ranks, and removes nothing while there is room."""

from pathlib import Path

import pytest
from tests.places import Place

SAID = (
    ("I'm allergic to penicillin.", "Noted."),
    ("Noor has a severe hazelnut allergy, the EpiPen is in the red bag in the hall.", "I will remember."),
    ("We decided to use Postgres 16 for the staging database.", "OK."),
    ("The driver came 40 minutes late on Friday with basket 7781.", "I see."),
)


@pytest.mark.parametrize("later", ["2027-05-20T18:00:00+00:00", "2028-11-20T18:00:00+00:00"])
def test_half_a_year_and_two_years_on_everything_that_fits_is_there(tmp_path: Path, later: str) -> None:
    place = Place(tmp_path)
    place.say(*SAID)
    place.run("observe", "--yes")
    before = place.memory.read_text()

    answer = place.run("reflect", now=later)

    assert answer.code == 0
    assert place.memory.read_text() == before
    assert all(words in before for words in ("penicillin", "EpiPen", "Postgres 16", "7781"))


def test_another_half_life_counts_from_the_next_write_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.say(*SAID)
    place.run("observe", "--yes")

    answer = place.run("observe", "--yes", env={"SCRIMSHAW_TTL_DAYS": "7"})

    assert "nothing to change" in answer.out
