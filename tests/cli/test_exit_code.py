"""With --json each object says what the command ends with."""

import os
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("how", [(), ("--json",)])
def test_an_answer_that_cannot_be_printed_is_no_defect(place: Place, how: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "scrimshaw", "search", "key", "--home", str(place.root / "agents"), *how]
    env = {**os.environ, "HOME": str(place.root)}

    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=env, check=False)

    told = ended.stderr.decode()
    assert (ended.returncode, "Exception" in told, "defect" in told) == (1, False, False)
    assert ("The answer cannot be printed (No space left on device)." in told) == (not how)
