"""A line that a person has put away is found, and every answer says that it is kept out of the section."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.places import NOW, Place
from tests.support.prepared import Prepared

from scrimshaw import Memory
from scrimshaw.clock import now
from scrimshaw.mcp_server.calls import MemoryTools
from scrimshaw.web.v2.shapes import ResultTold

_QUERY = "Ruth Porto"
_LATER = {"now": "2026-11-22T18:00:00+00:00"}


def _put_away(place: Place) -> None:
    place.say(("I prefer black coffee in the mornings.", "Noted."))
    assert place.run("observe", "--yes").code == 0
    before = place.memory.read_bytes()
    place.say(("My sister Ruth lives in Porto with two cats.", "Noted."))
    assert place.run("observe", "--now", now="2026-11-21T18:00:00+00:00").code == 0
    place.memory.write_bytes(before)
    assert place.run("observe", "--now", **_LATER).code == 0
    assert "Ruth" not in place.section()


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_put_away)


def _memory(place: Place) -> Memory:
    env = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), "SCRIMSHAW_NOW": NOW}
    return Memory.open(place.workspace, env=env, clock=lambda: now(env))


@pytest.mark.parametrize("verb", ["search", "recall"])
def test_a_person_is_told_that_the_line_is_kept_out_of_the_section(place: Place, verb: str) -> None:
    answer = place.run(verb, _QUERY, **_LATER)

    assert "with two cats. (kept out of the section by hand)" in answer.out
    assert "by hand" not in place.run(verb, "black coffee", **_LATER).out


def test_a_program_is_told_it_in_every_form(place: Place) -> None:
    told = place.run("search", _QUERY, "--json", **_LATER).object["workspaces"][0]
    with _memory(place) as memory:
        found = memory.search(_QUERY)
        kept = memory.search("black coffee")
        tools = MemoryTools(lambda: memory, read_only=True)
        answered: Any = tools.call("memory_search", {"query": _QUERY})

    assert (told["hits"][0]["is_live"], told["hits"][0]["is_set_aside"]) == (True, True)
    assert (told["results"][0]["closed"], told["results"][0]["is_set_aside"]) == (None, True)
    assert [one.is_set_aside for one in (found.results[0], kept.results[0])] == [True, False]
    assert ResultTold.model_validate(found.results[0].to_dict()).is_set_aside
    assert answered.content["results"][0]["state"] == "set aside"


def test_what_was_replaced_says_so_in_the_results_of_both_layers_too(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "SCRIMSHAW_TIMEZONE": "UTC", "SCRIMSHAW_EMBEDDINGS": "off"}
    with Memory.open(home=tmp_path / "agents", agent="albert", env=env) as memory:
        memory.add("The cider is kept in the barn")
        memory.store("The perry is kept in the cellar")
        line = memory.search("cider barn").results[0]
        memory.delete_line(line.id)
        gone = memory.search("cider barn", closed=True).results[0]
        stored = memory.search("perry cellar").results[0]

    assert (gone.id, gone.to_dict()["closed"]) == (line.id, "deleted")
    assert (stored.to_dict()["closed"], stored.to_dict()["is_set_aside"]) == (None, False)
