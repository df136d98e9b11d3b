"""A plan that was told again with the news of it: each of the two takes the other along."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.forget.traces import holding
from tests.places import NOW, Place
from tests.shell.made import observation
from tests.stores import FakeSession

from scrimshaw import Memory, ObserveOptions
from scrimshaw.core.ledger.forget import forget_closure
from scrimshaw.core.types import Closed, Line, Standing
from scrimshaw.core.types import Place as Part

_PLAN = "I need to ring Mrs Achterberg about the fees."
_NEWS = "Mrs Achterberg wants 1,450 all in."
_LATER = "Mrs Achterberg came down to 1,300 in the end."


def _memory(place: Place, days: int) -> Memory:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
    return Memory.open(env=said, clock=lambda: datetime.fromisoformat(NOW) + timedelta(days=days))


def _told_in_two_conversations(tmp_path: Path) -> tuple[Place, Memory]:
    """Have the plan noted in one conversation, and two days later the news in another."""
    place = Place(tmp_path / "home")
    place.memory.write_bytes(b"# Memory\n\n- mine\n")
    place.say((_PLAN, "Okay."))
    _memory(place, 0).observe(ObserveOptions(waits=False), consent=True)
    newer = FakeSession(key="agent:main:other", at_ms=place.session.at_ms + 86_400_000)
    place.sessions.insert(0, newer)
    place.say((_NEWS, "Okay."))
    memory = _memory(place, 1)
    memory.observe(ObserveOptions(waits=False), consent=True)
    assert f"{_PLAN} → {_NEWS}" in place.section()
    return place, memory


@pytest.mark.parametrize("words", ["fees", "1,450", "plan", "news"])
def test_the_plan_and_the_line_that_tells_it_again_are_forgotten_together(tmp_path: Path, words: str) -> None:
    place, memory = _told_in_two_conversations(tmp_path)
    with place.ledger(read_only=True) as ledger:
        ids = dict(zip(("plan", "news"), (one.observation.id for one in ledger.all_lines()), strict=True))

    shown = memory.plan_forget(ids.get(words, words))
    memory.forget(shown)

    assert shown.ids == set(ids.values())
    assert holding(place.workspace, "fees", "wants 1,450", "Achterberg") == []


def test_to_forget_the_plans_conversation_takes_the_line_that_tells_it_again(tmp_path: Path) -> None:
    place, memory = _told_in_two_conversations(tmp_path)

    shown = memory.plan_forget(session=place.sessions[1].key)
    memory.forget(shown)

    assert [shown.why.get(line.observation.id, "") for line in shown.lines] == ["", "tells it again"]
    assert holding(place.workspace, "fees") == []


def test_to_forget_the_conversation_of_the_news_leaves_the_plan_as_it_was(tmp_path: Path) -> None:
    place, memory = _told_in_two_conversations(tmp_path)

    shown = memory.plan_forget(session=place.session.key)
    memory.forget(shown)

    assert holding(place.workspace, "wants 1,450") == []
    assert _PLAN in place.section()


@pytest.mark.parametrize(("old", "new"), [(f" → {_NEWS}", ""), (f"{_PLAN} →", "")])
def test_what_a_hand_cut_in_two_is_forgotten_with_the_plans_conversation(
    tmp_path: Path, old: str, new: str
) -> None:
    place, memory = _told_in_two_conversations(tmp_path)
    text = place.memory.read_text(encoding="utf-8")
    place.memory.write_text(text.replace(old, new), encoding="utf-8")
    memory.observe(ObserveOptions(waits=False), consent=True)

    memory.forget(memory.plan_forget(session=place.sessions[1].key))

    assert holding(place.workspace, "fees") == []


def test_all_tellings_of_a_plan_go_whichever_is_named() -> None:
    lines = _chain(_PLAN, f"{_PLAN} → {_NEWS}", f"{_PLAN} → {_NEWS} → {_LATER}")
    other = Line(observation(9, text="Mrs Achterberg lives in Leiden."), Standing(Part.LOG))

    for line in lines:
        gone = forget_closure([*lines, other], [line.observation.id], is_one=True)
        assert set(gone.ids) == {one.observation.id for one in lines}


def test_a_line_with_a_value_corrected_takes_the_uncorrected_one_along() -> None:
    lines = _chain("The notary is on Friday the 26th at ten.", "The notary is on Saturday the 27th at ten.")
    changed = _chain("I drink green tea in the morning.", "Mornings are for coffee now.")

    assert len(forget_closure(lines, ["o1"], is_one=True).ids) == 2
    assert len(forget_closure(lines, ["o2"], is_one=True).ids) == 2
    assert len(forget_closure(changed, ["o2"], is_one=True).ids) == 1


def test_a_plan_done_since_does_not_hold_again_without_the_news() -> None:
    plan, told = _chain(_PLAN, f"{_PLAN} → {_NEWS}")
    done = told._replace(standing=replace(told.standing, closed=Closed.COMPLETED, closed_by="o9"))

    assert forget_closure([plan, told], ["o2"], is_one=False).restored == ("o1",)
    assert forget_closure([plan, done], ["o2"], is_one=False).restored == ()


def test_the_persons_wording_of_a_plan_told_again_goes_with_the_plans_conversation() -> None:
    plan, told = _chain(_PLAN, f"{_PLAN} → {_NEWS}")
    told = told._replace(standing=replace(told.standing, closed=Closed.EDITED, closed_by="o3"))
    own = Line(observation(3, text="Ring her about the fees, she wants 1,450."), Standing(Part.OPEN))

    assert set(forget_closure([plan, told, own], ["o1"], is_one=False).ids) == {"o1", "o2", "o3"}


def _chain(*texts: str) -> list[Line]:
    """Return lines each of which took the place of the one before it."""
    lines = []
    for number, text in enumerate(texts, 1):
        is_last = number == len(texts)
        how = None if is_last else Closed.SUPERSEDED
        standing = Standing(Part.OPEN, closed=how, closed_by="" if is_last else f"o{number + 1}")
        lines.append(Line(observation(number, text=text), standing))
    return lines
