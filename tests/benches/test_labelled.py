"""What `bench labelled` makes of a chat whose labels are known."""

from datetime import date

import pytest
from bench import labelled
from bench.pipeline import Memory, shown
from training.labels import Conversation, Held, Statement, Turn

from scrimshaw.core.types import Line

HOME = Statement("My sister Ana lives in Porto.", 4, "fact", "standing", "own")
DOG = Statement("The dog threw up on the stairs at noon.", 2, "outcome", "log", "own")
BIT = Statement("It was the left one, 40 euros.", 2, "fact", "log", "own")
NOW = Statement("Ana lives in Faro now.", 4, "fact", "standing", "own", replaces=("c1d1.1",))
HELD = {"x.c1d1.1": Held(True, False), "x.c1d1.2": Held(False, False), "x.c1d1.3": Held(False, True)}


def _chat(*told: tuple[Statement, ...]) -> labelled.Chat:
    person = [
        Conversation(f"c1d{at}", "en", date(2026, 3, at), "family", (), None, (Turn("U", said, ()),))
        for at, said in enumerate(told, 1)
    ]
    return labelled._chat("x", person, HELD)


def _lines(chat: labelled.Chat) -> list[Line]:
    memory = Memory()
    for session, entries in chat.sessions:
        memory.feed(session, entries)
    return shown(memory, labelled.UNITS)


def _of(chat: labelled.Chat, label: Statement) -> list[labelled.Told]:
    return [one for told in chat.told.values() for one in told if one.label is label]


def test_a_line_is_found_among_the_statements_of_its_message() -> None:
    chat = _chat((HOME, DOG))
    found = [labelled.statements_of(line, chat) for line in _lines(chat)]
    assert [[one.label for one in told] for told in found] == [[HOME], [DOG]]


@pytest.mark.parametrize(
    ("label", "flaws"), [(HOME, set()), (DOG, {"minor", "wrong part"}), (BIT, {"minor", "cut", "wrong part"})]
)
def test_what_is_wrong_with_a_line_of_standing_is_told_by_its_labels(
    label: Statement, flaws: set[str]
) -> None:
    chat = _chat((HOME, DOG, BIT))
    standing = _lines(_chat((HOME,)))[0]
    assert labelled.flaws_of(standing, _of(chat, label)) == flaws


def test_what_a_later_statement_replaced_is_stale_where_it_still_stands() -> None:
    chat = _chat((HOME,), (NOW,))
    standing = _lines(_chat((HOME,)))[0]
    assert labelled.flaws_of(standing, _of(chat, HOME)) == {"stale"}
    assert labelled.flaws_of(standing, [*_of(chat, HOME), *_of(chat, NOW)]) == set()
