"""With --json each object says what the command ends with."""

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.memory import Memory


def _begun(place: Place) -> None:
    with Memory.open(home=place.root / "agents", agent="ada") as memory:
        memory.store("The spare key is under the mat.")
        memory.add_message("When is the dentist?", thread_id="thread-1", role="user")


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


@pytest.mark.parametrize(
    "words",
    [
        ("config",),
        ("config", "--check"),
        ("recall", "key"),
        ("context", "thread-1"),
        ("conversations",),
        ("conversations", "thread-1"),
        ("conversations", "thread-1", "--close"),
        ("store", "The bin is emptied on Friday."),
        ("search", "key"),
        ("stats",),
        ("token", "list"),
    ],
    ids=" ".join,
)
def test_the_object_holds_the_exit_code(place: Place, words: tuple[str, ...]) -> None:
    answer = place.run(*words, "--home", str(place.root / "agents"), "--json")

    assert (answer.code, answer.object["exit_code"]) == (0, 0)
