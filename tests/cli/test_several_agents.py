"""Several agents of which one cannot be read: the others are served, and the exit code tells of it."""

import json

import pytest
from tests.places import Place
from tests.stores import FakeSession, build_jsonl
from tests.support.prepared import Prepared

_LOOKING = (
    ("observe",),
    ("observe", "--if-due"),
    ("archive",),
    ("reflect",),
    ("status",),
    ("preview",),
    ("reindex",),
    ("health",),
    ("review",),
    ("models",),
    ("spend",),
    ("conflicts", "--all-agents"),
    ("stats", "--all-agents"),
    ("trend", "facts", "--all-agents"),
    ("search", "--all-agents", "Earl Grey"),
)
_OF_LEDGER = tuple(words for words in _LOOKING if words[0] not in ("models", "spend"))
_WITHOUT_JSON = ("preview",)


def _begun(place: Place) -> None:
    place.say(("I prefer black coffee in the mornings.", "Noted."))
    other = place.root / "other"
    other.mkdir()
    config = json.loads((place.state / "openclaw.json").read_text())
    config["agents"]["list"] = [
        {"id": "main", "default": True, "workspace": str(place.workspace)},
        {"id": "zed", "workspace": str(other)},
    ]
    (place.state / "openclaw.json").write_text(json.dumps(config))
    session = FakeSession(key="agent:zed:main")
    session.user("I prefer Earl Grey in the mornings.")
    session.assistant("Noted.")
    build_jsonl(place.state / "agents" / "zed" / "sessions", [session])
    assert place.run("init", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _break_settings(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "config.yaml").write_text("observation_chars: lots\n")


def _break_ledger(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "ledger.sqlite").write_bytes(b"junk" * 3_000)


@pytest.mark.parametrize("words", _LOOKING, ids=lambda words: " ".join(words[:2]))
def test_an_agent_whose_settings_are_wrong_is_told_by_the_exit_code(
    place: Place, words: tuple[str, ...]
) -> None:
    _break_settings(place)

    answer = place.run(*words)

    assert (answer.code, "zed" in answer.out) == (3, True)
    assert "observation_chars" in answer.out + answer.err
    if words[0] not in _WITHOUT_JSON:
        told = place.run(*words, "--json")
        assert (told.code, told.object.get("exit_code", 3)) == (3, 3)
        assert "observation_chars" in told.out


@pytest.mark.parametrize("words", _OF_LEDGER, ids=lambda words: " ".join(words[:2]))
def test_an_agent_whose_ledger_is_damaged_keeps_no_other_from_being_served(
    place: Place, words: tuple[str, ...]
) -> None:
    _break_ledger(place)

    answer = place.run(*words)

    assert (answer.code, "zed" in answer.out) == (3, True)
    assert "ledger.sqlite" in answer.out + answer.err
    if words[0] not in _WITHOUT_JSON:
        told = place.run(*words, "--json")
        assert (told.code, told.object["exit_code"]) == (3, 3)
        assert "zed" in told.out or "--if-due" in words  # nothing of it is due


def test_who_is_asked_about_one_agent_alone_is_told_nothing_of_the_other(place: Place) -> None:
    _break_settings(place)

    assert place.run("observe", "--agent", "zed").code == 0
    assert place.run("health", "--agent", "zed", "--json").object["agent"] == "zed"
    assert place.run("observe", "--agent", "main").code == 1


def test_where_no_other_is_set_up_the_wrong_settings_are_told(place: Place) -> None:
    _break_settings(place)
    (place.root / "other" / ".scrimshaw" / "ledger.sqlite").unlink()

    answer = place.run("reflect")

    assert (answer.code, "observation_chars" in answer.err) == (1, True)
