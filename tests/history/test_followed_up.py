"""A plan that is followed up in a later session, from the transcript to the section and back."""

from datetime import datetime, timedelta
from pathlib import Path

from tests.places import NOW, Place

from scrimshaw import Memory, ObserveOptions

_PLAN = "I need to ring Mrs Achterberg about the fees."
_NEWS = "Mrs Achterberg wants 1,450 all in."


def _memory(place: Place, days: int) -> Memory:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
    return Memory.open(env=said, clock=lambda: datetime.fromisoformat(NOW) + timedelta(days=days))


def _observed(place: Place, text: str, days: int) -> Memory:
    place.say((text, "Okay."))
    memory = _memory(place, days)
    memory.observe(ObserveOptions(waits=False), consent=True)
    return memory


def test_the_plan_and_the_news_stand_in_one_line_that_knows_what_it_took_the_place_of(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    _observed(place, _PLAN, 0)
    memory = _observed(place, _NEWS, 1)

    assert place.section().count("Achterberg") == 2
    (line,) = [one for one in place.section().splitlines() if "Achterberg" in one]
    assert f"{_PLAN} → {_NEWS}" in line
    why = memory.why("1,450")
    assert [one.observation.text for one in why.replaced] == [_PLAN]


def test_a_pinned_plan_stays_and_the_news_stand_beside_it(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    _observed(place, _PLAN, 0).pin("Achterberg")
    _observed(place, _NEWS, 1)

    lines = [one for one in place.section().splitlines() if "Achterberg" in one]
    assert len(lines) == 2
    assert not any("→" in one for one in lines)
