"""What several agents of a home have noted alike: in its agent `shared`, where the owner wants that."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.core.ledger.agreement import BY_FLEET
from scrimshaw.core.types import Event, EventType, Line
from scrimshaw.errors import UserError
from scrimshaw.services.edit.forget import forget_lines
from scrimshaw.services.working import patterns
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch
from scrimshaw.working import memories

_ON = "SCRIMSHAW_MEMORY_CONSOLIDATION_SHARE_PATTERNS"
_SAID = "I always drink my tea without sugar."
_OTHER = "I prefer to be called in the morning."


@pytest.fixture
def opened(home: Home) -> Iterator[Callable[[str], Memory]]:
    home.config = {**home.config, _ON: "true"}
    with ExitStack() as stack:
        yield lambda agent: stack.enter_context(home.open(agent))


def _says(memory: Memory, *texts: str, resource_id: str = "owen", thread_id: str = "t") -> None:
    for text in texts:
        memory.add_message(text, thread_id=thread_id, resource_id=resource_id)
        memory.add_message("Noted.", role="assistant", thread_id=thread_id)
    memory.force_observe(thread_id)
    memory.reflect()


def _shared(home: Home) -> list[tuple[str, str, object]]:
    with home.open("shared") as memory:
        kept = memories.page(memory._working().db, 99)
        return sorted((one.content, one.owner_id, one.metadata["agents"]) for one in kept)


def _ledger(home: Home, agent: str) -> Ledger:
    with home.open(agent) as memory:
        return open_ledger(memory._target.layout.ledger, create=False)


def _in_ledger(home: Home) -> Line:
    """Return the one line in the ledger of the agent for all."""
    with _ledger(home, "shared") as ledger:
        (line,) = ledger.all_lines()
    return line


def _agree(home: Home, opened: Callable[[str], Memory], days: int = 8) -> tuple[Memory, Memory]:
    """Have two agents note it; after *days* the one line is in the ledger of the agent for all."""
    both = opened("albert"), opened("berta")
    for memory in both:
        _says(memory, _SAID)
    home.later(days=days)
    with home.open("shared") as shared:
        shared.consolidate()
    return both


def _switch(home: Home, opened: Callable[[str], Memory], *, on: bool) -> Memory:
    """Have berta take part, or no longer."""
    home.config = {**home.config, _ON: str(on).lower()}
    berta = opened("berta")
    berta.reflect()
    return berta


def _holds_it(home: Home) -> bool:
    every = (home.folder / "shared").rglob("*")
    return any(path.is_file() and b"without sugar" in path.read_bytes() for path in every)


def test_what_two_agents_have_noted_alike_is_kept_for_all_once(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    albert, berta = opened("albert"), opened("berta")
    _says(albert, _SAID, _OTHER)
    assert _shared(home) == []

    _says(berta, _SAID.replace("I always", "I  ALWAYS").lower())

    ((text, owner_id, agents),) = _shared(home)
    assert (text.lower(), owner_id, agents) == (_SAID.lower(), "owen", ["albert", "berta"])
    home.later(days=8)
    with home.open("shared") as shared:
        assert shared.consolidate().archived == 1
    for memory in (albert, berta):
        memory.reflect()
    assert _shared(home) == []
    with home.open("shared") as shared:
        (line,) = shared.search("tea without sugar").results
        assert line.source == "episodic"
    carl = opened("carl")
    carl.add_message("What of my tea?", thread_id="c", resource_id="owen")
    carl.add_message("What of my tea?", thread_id="d", resource_id="gareth")
    assert [one.id for one in carl.get_context("c").parts.memories] == [line.id]
    assert carl.get_context("d").parts.memories == ()


def test_of_different_people_it_is_no_pattern(home: Home, opened: Callable[[str], Memory]) -> None:
    _says(opened("albert"), _SAID)
    _says(opened("berta"), _SAID, resource_id="gareth")

    assert _shared(home) == []


def test_without_the_owner_s_wish_nothing_is_offered(home: Home, opened: Callable[[str], Memory]) -> None:
    albert = opened("albert")
    home.config = {**home.config, _ON: "false"}
    berta = opened("berta")
    _says(albert, _SAID)
    _says(berta, _SAID)

    assert _shared(home) == []


def test_what_is_private_to_one_is_not_offered(home: Home, opened: Callable[[str], Memory]) -> None:
    _says(opened("albert"), _SAID)
    berta = opened("berta")
    _says(berta, _SAID)
    assert len(_shared(home)) == 1

    home.config = {**home.config, "SCRIMSHAW_PRIVATE_PATTERNS": '["tea without"]'}
    opened("berta").reflect()

    assert _shared(home) == []


def test_what_only_one_still_holds_is_taken_back_also_from_the_ledger(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    albert, berta = opened("albert"), opened("berta")
    for memory in (albert, berta):
        _says(memory, _SAID)
    home.later(days=8)
    with home.open("shared") as shared:
        shared.consolidate()
        assert shared.search("tea without sugar").results
        (line,) = (hit.line for hit, _ in berta.search("tea without sugar", shared=False).hits)
        home.config = {**home.config, _ON: "false"}
        opened("berta").reflect()
        assert not shared.search("tea without sugar").results

    assert line.standing.is_live


def test_what_is_agreed_again_is_back_for_good(home: Home, opened: Callable[[str], Memory]) -> None:
    _agree(home, opened)
    before = _in_ledger(home)

    _switch(home, opened, on=False)
    assert not _in_ledger(home).standing.is_live
    _switch(home, opened, on=True)

    assert _in_ledger(home) == before
    assert _shared(home) == []
    home.later(days=8)
    with home.open("shared") as shared:
        shared.consolidate()
        assert len(shared.search("tea without sugar").results) == 1


def test_what_was_taken_back_before_it_had_moved_comes_again(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    _agree(home, opened, days=0)
    _switch(home, opened, on=False)
    assert _shared(home) == []

    _switch(home, opened, on=True)

    assert len(_shared(home)) == 1


def test_what_a_person_took_out_does_not_come_again(home: Home, opened: Callable[[str], Memory]) -> None:
    _agree(home, opened)
    _switch(home, opened, on=False)
    with _ledger(home, "shared") as ledger:
        ledger.append([Event(EventType.DELETED, _in_ledger(home).observation.id, 1, "person")])

    _switch(home, opened, on=True)

    assert not _in_ledger(home).standing.is_live
    assert _shared(home) == []


def test_what_a_person_has_brought_into_the_section_stays(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    _agree(home, opened)
    with _ledger(home, "shared") as ledger:
        ledger.append([Event(EventType.PINNED, _in_ledger(home).observation.id, 1, "person")])

    _switch(home, opened, on=False)

    assert _in_ledger(home).standing.is_live


def test_a_step_that_was_missed_is_made_up(
    home: Home, opened: Callable[[str], Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    albert, _ = _agree(home, opened)

    def busy(*_args: object, **_named: object) -> None:
        raise UserError("somebody else writes")

    with monkeypatch.context() as patched:
        patched.setattr(patterns, "write_lock", busy)
        _switch(home, opened, on=False)
    assert _in_ledger(home).standing.is_live

    albert.reflect()

    assert not _in_ledger(home).standing.is_live


@pytest.mark.parametrize("days", [0, 8])
def test_what_one_forgets_goes_from_there_and_does_not_come_back(
    home: Home, opened: Callable[[str], Memory], days: int
) -> None:
    albert, berta, carl = opened("albert"), opened("berta"), opened("carl")
    for memory in (albert, berta, carl):
        _says(memory, _SAID)
    home.later(days=days)
    with home.open("shared") as shared:
        shared.consolidate()
        assert shared.search("tea without sugar").results

        albert.forget(albert.plan_forget("tea without sugar"))

        assert not shared.search("tea without sugar", closed=True).results
        for memory in (albert, berta, carl):
            memory.reflect()
        assert not shared.search("tea without sugar", closed=True).results
    folder = home.folder / "shared"
    for path in folder.rglob("*"):
        assert not path.is_file() or b"without sugar" not in path.read_bytes(), path


@pytest.mark.parametrize("days", [0, 8])
def test_what_a_person_forgot_on_another_machine_goes_from_there_too(
    home: Home, opened: Callable[[str], Memory], days: int
) -> None:
    albert, berta = opened("albert"), opened("berta")
    for memory in (albert, berta):
        _says(memory, _SAID, _OTHER)
    home.later(days=days)
    with home.open("shared") as shared:
        shared.consolidate()
    with _ledger(home, "albert") as ledger:
        ids = {one.id for one, _ in ledger.all_lines() if "sugar" in one.text}

        forget_lines(albert.target, ledger, ids, now=home.now, by=BY_FLEET)

    assert not _holds_it(home)
    berta.reflect()
    assert not _holds_it(home)
    with home.open("shared") as shared:
        assert [one.content for one in shared.search("when does he prefer to be called?").results] == [_OTHER]


@pytest.mark.parametrize("agent", ["albert", "berta"])
@pytest.mark.parametrize("days", [0, 8])
def test_what_was_taken_back_is_forgotten_too(
    home: Home, opened: Callable[[str], Memory], agent: str, days: int
) -> None:
    _agree(home, opened, days)
    _switch(home, opened, on=False)
    memory = opened(agent)

    memory.forget(memory.plan_forget("tea without sugar"))

    assert not _holds_it(home)


def test_a_forgetting_that_is_refused_takes_nothing_from_there(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    albert, _ = _agree(home, opened)
    plan = albert.plan_forget("tea without sugar", all_lines=True)
    albert.add("I drink my green tea without sugar, too.", author="person")

    with pytest.raises(UserError, match="Nothing was forgotten"):
        albert.forget(plan)

    assert _in_ledger(home).standing.is_live
    albert.forget(albert.plan_forget("tea without sugar", all_lines=True))
    assert not _holds_it(home)


def test_who_no_longer_offers_it_reaches_what_others_hold(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    _agree(home, opened, days=0)
    _says(opened("carl"), _SAID)
    berta = _switch(home, opened, on=False)
    assert len(_shared(home)) == 1

    berta.forget(berta.plan_forget("tea without sugar"))

    assert not _holds_it(home)


def test_of_two_lines_alike_either_reaches_it(home: Home, opened: Callable[[str], Memory]) -> None:
    _, berta = _agree(home, opened)
    with _ledger(home, "berta") as ledger:
        (line,) = (one for one in ledger.all_lines() if "sugar" in one.observation.text)
        other = replace(line.observation, id="f" * 24, text=_SAID.upper())
        ledger.accept(Batch("test", 1, (other,)))
    berta.reflect()

    berta.forget(berta.plan_forget(other.id))

    assert not _holds_it(home)


def test_lines_there_that_go_with_one_another_are_forgotten_at_once(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    albert, _ = _agree(home, opened)
    first = _in_ledger(home).observation
    with _ledger(home, "shared") as ledger:
        other = replace(first, id="f" * 24)
        merged = Event(EventType.MERGED, other.id, 1, "test", first.id)
        ledger.accept(Batch("test", 1, (other,), (merged,)))

    albert.forget(albert.plan_forget("tea without sugar"))

    assert not _holds_it(home)


def test_talk_with_nobody_named_is_nobody_s(home: Home, opened: Callable[[str], Memory]) -> None:
    for agent in ("albert", "berta"):
        _says(opened(agent), _SAID, resource_id="")

    assert _shared(home) == []


@pytest.mark.parametrize(("other", "count"), [("owen", 1), ("gareth", 0), ("", 0)])
def test_what_rests_on_talk_with_several_is_nobody_s_alone(
    home: Home, opened: Callable[[str], Memory], other: str, count: int
) -> None:
    for agent in ("albert", "berta"):
        memory = opened(agent)
        _says(memory, "I bought pears in Hull.", thread_id="u", resource_id=other)
        _says(memory, "I bought pears in York.")
        with _ledger(home, agent) as ledger:
            of_other, own = (one.observation for one in ledger.all_lines() if "pears" in one.observation.text)
            united = replace(own, id="e" * 24, text="Pears, twice.", supports=(of_other.id, own.id))
            habit = replace(
                own, id="f" * 24, text="Likes pears.", level=1, pattern="habit", supports=(united.id,)
            )
            ledger.accept(Batch("test", 1, (united, habit)))
        memory.reflect()

    assert sum(text == "Likes pears." for text, *_ in _shared(home)) == count


def test_a_person_s_wording_is_of_whom_the_line_was(home: Home, opened: Callable[[str], Memory]) -> None:
    for agent in ("albert", "berta"):
        memory = opened(agent)
        _says(memory, _SAID)
        with _ledger(home, agent) as ledger:
            (line,) = ledger.all_lines()
            reworded = replace(
                line.observation, id="f" * 24, text="Tea: no sugar.", session_id="", sources=()
            )
            edited = Event(EventType.EDITED, line.observation.id, 1, "person", reworded.id)
            ledger.accept(Batch("test", 1, (reworded,), (edited,)))
        memory.reflect()

    assert [(text, owner_id) for text, owner_id, _ in _shared(home)] == [("Tea: no sugar.", "owen")]
