"""A plan that is followed up in a later session, from the transcript to the section and back."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
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


def _reworded(place: Place, old: str, new: str) -> None:
    text = place.memory.read_text(encoding="utf-8")
    assert old in text
    place.memory.write_text(text.replace(old, new), encoding="utf-8")


def _saying(place: Place, words: str) -> list[str]:
    return [one for one in place.section().splitlines() if words in one]


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


_ASIDE = "My sister Hannelore lives in Basel."
_WISH = "Please don't explain basics to me."
_LIFTED = "You can explain a bit more again from now on."


@pytest.mark.parametrize(("said", "news"), [(_PLAN, _NEWS), (_WISH, _LIFTED)])
@pytest.mark.parametrize("aside", ["", f" {_ASIDE}"])
def test_a_line_whose_news_a_hand_cut_off_stands_once_even_when_it_is_said_again(
    tmp_path: Path, said: str, news: str, aside: str
) -> None:
    place = Place(tmp_path / "home")
    _observed(place, said, 0)
    _observed(place, news + aside, 1)
    _reworded(place, f" → {news}", "")
    for days in (2, 3):
        _memory(place, days).observe(ObserveOptions(waits=False), consent=True)
        assert _saying(place, said.rstrip("."))[0].count("→") == 0
    _observed(place, said, 4)

    assert len(_saying(place, said.rstrip("."))) == 1
    assert _saying(place, news.rstrip(".")) == []


def test_news_cut_off_and_put_back_stand_again(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    _observed(place, _PLAN, 0)
    _observed(place, _NEWS, 1)
    whole = place.memory.read_bytes()
    _reworded(place, f" → {_NEWS}", "")
    _memory(place, 2).observe(ObserveOptions(waits=False), consent=True)
    place.memory.write_bytes(whole)
    _memory(place, 3).observe(ObserveOptions(waits=False), consent=True)

    (line,) = _saying(place, "Achterberg")
    assert f"{_PLAN} → {_NEWS}" in line


def test_a_plan_reworded_by_hand_before_the_news_were_read_does_not_come_back_with_them(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path / "home")
    _observed(place, _PLAN, 0)
    _reworded(place, "the fees.", "the fees and keys.")
    _observed(place, _NEWS, 1)

    reworded, news = _saying(place, "Achterberg")
    assert "about the fees and keys." in reworded
    assert news.endswith(_NEWS)
    assert "→" not in reworded + news


def test_a_plan_taken_out_by_hand_before_the_news_were_read_leaves_the_news_alone(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    _observed(place, f"{_PLAN} {_ASIDE}", 0)
    (plan,) = _saying(place, _PLAN)
    _reworded(place, plan + "\n", "")
    _observed(place, _NEWS, 1)

    (news,) = _saying(place, "Achterberg")
    assert news.endswith(_NEWS)
    assert "→" not in news
