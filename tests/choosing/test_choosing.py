"""Two consents: to write, and to send. Nothing but an answer on a terminal or --model gives the second."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.choosing.test_trying import GOOD
from tests.fake_model import FakeModel, FakeOpener, always
from tests.model_server import Hang, ModelServer, Refused
from tests.models_flow.talking import MODEL, answered_twice, authors, by_author, lengthy
from tests.places import NOW, Place
from tests.places import Answer as Ended
from tests.stores import FakeSession

from scrimshaw.cli import main
from scrimshaw.core.types import Author
from scrimshaw.models import finding, opening
from scrimshaw.models.model import Answer, Usage

MOMENT_MS = int(datetime.fromisoformat(NOW).timestamp() * 1000)


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "machine", "sqlite", [FakeSession(at_ms=MOMENT_MS - 86_400_000)])
    place.say(*[("We decided to use Postgres 17.2 for the ledger.", "Noted.")] * 12)
    return place


@pytest.fixture
def openai_key(fake_secret: Callable[[str], str]) -> dict[str, str]:
    return {"OPENAI_API_KEY": fake_secret("openai-key")}


@pytest.fixture(autouse=True)
def no_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "ollama_models", lambda _env: None)


def config(place: Place) -> str:
    path = place.workspace / ".scrimshaw" / "config.yaml"
    return path.read_text() if path.exists() else ""


def typed(place: Place, text: str, *args: str, env: dict[str, str] | None = None) -> Ended:
    """Run a command on a terminal at which *text* is typed."""
    given = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), "SCRIMSHAW_NOW": NOW}
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, {**given, **(env or {})}),
        mock.patch.object(sys, "argv", ["scrimshaw", *args]),
        mock.patch.object(sys, "stdin", Terminal(text)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return Ended(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def test_yes_alone_chooses_no_model_although_a_key_is_there(place: Place, openai_key: dict[str, str]) -> None:
    answer = place.run("init", "--yes", env=openai_key)

    assert answer.code == 0
    assert config(place) == ""
    assert "nothing is sent anywhere" in answer.out


def test_enter_means_offline(place: Place, openai_key: dict[str, str]) -> None:
    place.run("init", "--yes")

    answer = typed(place, "\n", "init", env=openai_key)

    assert answer.code == 0, answer.err
    assert config(place) == ""
    assert "0  offline" in answer.out
    assert "text goes to api.openai.com" in answer.out
    assert "a day" in answer.out
    assert openai_key["OPENAI_API_KEY"] not in answer.out


def test_a_number_chooses_and_the_choice_is_written_and_shown(
    place: Place, openai_key: dict[str, str]
) -> None:
    place.run("init", "--yes")

    answer = typed(place, "1\nn\n", "init", env=openai_key)

    assert answer.code == 0, answer.err
    assert "observer_model: openai/" in config(place)
    assert "reflector_model: openai/" in config(place)
    assert "observer_model: openai/" in answer.out
    assert "Next: scrimshaw models test" in answer.out


def test_a_slip_of_the_pen_is_asked_again(place: Place, openai_key: dict[str, str]) -> None:
    place.run("init", "--yes")

    answer = typed(place, "9\ngemni/x\n0\n", "init", env=openai_key)

    assert answer.code == 0
    assert "did you mean gemini?" in answer.out + answer.err
    assert config(place) == ""


def test_who_did_not_agree_to_writing_is_not_asked_for_a_model(
    place: Place, openai_key: dict[str, str]
) -> None:
    answer = typed(place, "n\n", "init", env=openai_key)

    assert "who shall write" not in answer.out
    assert not place.is_set_up()
    assert config(place) == ""


def test_who_has_chosen_is_not_asked_again(place: Place) -> None:
    place.run("init", "--yes", "--model", "offline")

    answer = typed(place, "", "init")

    assert answer.code == 0
    assert "who shall write" not in answer.out


def test_a_script_chooses_by_name_and_is_told_what_is_missing(place: Place) -> None:
    answer = place.run("init", "--yes", "--model", "gemini/gemini-2.5-flash")

    assert answer.code == 0
    assert "observer_model: gemini/gemini-2.5-flash\n" in config(place)
    assert "It cannot be used yet: There is no key" in answer.out


def test_an_agents_shell_cannot_agree_for_the_person(place: Place, openai_key: dict[str, str]) -> None:
    place.run("init", "--yes")
    agents = {**openai_key, "OPENCLAW_SHELL": "exec"}

    by_name = place.run("init", "--model", "openai/gpt-6-luna", env=agents)
    by_answer = typed(place, "1\ny\n", "init", env=agents)

    assert by_name.code == 4
    assert "ask the person" in by_name.err
    assert "who shall write" not in by_answer.out
    assert config(place) == ""


def test_an_agents_shell_may_take_the_consent_back(place: Place) -> None:
    place.run("init", "--yes", "--model", "ollama/qwen3:8b")

    answer = place.run("init", "--model", "offline", env={"OPENCLAW_SHELL": "exec"})

    assert answer.code == 0
    assert "observer_model: offline\n" in config(place)


def test_an_unknown_name_is_refused_before_anything_is_written(place: Place) -> None:
    answer = place.run("init", "--yes", "--model", "gemni/x")

    assert answer.code == 2
    assert "did you mean gemini?" in answer.err
    assert not place.is_set_up()


def test_a_name_is_no_consent_to_writing(place: Place) -> None:
    answer = place.run("init", "--model", "ollama/qwen3:8b")

    assert answer.code == 1
    assert not place.is_set_up()
    assert config(place) == ""


def test_a_reflector_chosen_apart_stays_and_one_that_followed_follows(place: Place) -> None:
    place.run("init", "--yes", "--model", "ollama/one")
    place.run("init", "--model", "ollama/two")
    assert "reflector_model: ollama/two" in config(place)

    path = place.workspace / ".scrimshaw/config.yaml"
    path.write_text(config(place).replace("reflector_model: ollama/two", "reflector_model: openclaw"))
    place.run("init", "--model", "offline")

    assert "observer_model: offline\nreflector_model: openclaw\n" in config(place)


def test_a_variable_that_wins_over_the_choice_is_told(place: Place) -> None:
    place.run("init", "--yes")

    answer = place.run("init", "--model", "ollama/one", env={"SCRIMSHAW_OBSERVER_MODEL": "offline"})

    assert "environment says observer_model: offline, and that wins" in answer.out


def test_json_stays_one_object(place: Place) -> None:
    answer = place.run("init", "--yes", "--json", "--model", "ollama/one")

    assert answer.object["exit_code"] == 0
    assert "ollama/one" in config(place)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> FakeModel:
    """Have every model opened be one that answers."""
    model = always(answered_twice)
    model.name = MODEL
    monkeypatch.setattr(opening, "opener", lambda _env: FakeOpener(model))
    return model


def _days(place: Place, *numbers: int) -> None:
    """Let somebody talk at length on several days, the oldest first."""
    for number in numbers:
        at_ms = MOMENT_MS - (20 - number) * 86_400_000
        session = FakeSession(key=f"agent:main:explicit:{number}", at_ms=at_ms)
        for said, answer in lengthy(number):
            session.user(said)
            session.assistant(answer)
        place.sessions.append(session)
    place.save()


def test_with_a_model_chosen_at_init_the_first_section_is_the_model_s(place: Place, model: FakeModel) -> None:
    answer = place.run("init", "--yes", "--model", MODEL)

    assert answer.code == 0, answer.err
    assert f"Noted by: {MODEL} 1 window." in answer.out
    assert set(by_author(place)) == {Author.MODEL}
    assert "Postgres 17.2" in place.section()


def test_at_init_a_model_notes_the_newest_days_within_its_cap_and_the_rules_the_rest(
    tmp_path: Path, model: FakeModel
) -> None:
    place = Place(tmp_path / "other", "sqlite", [FakeSession()])
    _days(place, *range(1, 17))
    settings = {"SCRIMSHAW_OBSERVATION_THRESHOLD": "500", "SCRIMSHAW_MESSAGE_THRESHOLD": "1000"}
    capped = {**settings, "SCRIMSHAW_MAX_TOKENS_PER_DAY": "12000", "SCRIMSHAW_SECOND_READING": "off"}
    model.replies = [lambda prompt: Answer(answered_twice(prompt), Usage(3_500, 500), MODEL)]

    answer = place.run("init", "--yes", "--model", MODEL, env=capped)
    assert answer.code == 0, answer.err
    asked = len(model.prompts)
    again = place.run("observe", env={**settings, "SCRIMSHAW_MAX_TOKENS_PER_DAY": "0"})

    noted = {text.split()[3]: who for text, who in authors(place).items()}
    assert {unit for unit, who in noted.items() if who is Author.MODEL} == {"unit-15x", "unit-16x"}
    assert {unit for unit, who in noted.items() if who is Author.RULES} == {
        f"unit-{n}x" for n in range(1, 15)
    }
    assert "unit-16x" in model.prompts[0].text
    assert "rules 14 windows" in answer.out
    assert "cap" in answer.out
    assert len(model.prompts) == asked, again.out


def test_on_a_terminal_it_is_said_that_what_was_said_so_far_goes_to_the_model(
    place: Place, model: FakeModel, openai_key: dict[str, str]
) -> None:
    answer = typed(place, "y\n1\n", "init", env=openai_key)

    assert answer.code == 0, answer.err
    assert "What was said so far, about " in answer.out
    assert answer.out.index("What was said so far, about ") < answer.out.index("observer_model: openai/")
    assert len(model.prompts) > 0
    assert set(by_author(place)) == {Author.MODEL}


def test_an_answer_of_offline_in_a_new_workspace_sends_nothing(
    place: Place, model: FakeModel, openai_key: dict[str, str]
) -> None:
    answer = typed(place, "y\n0\n", "init", env=openai_key)

    assert answer.code == 0, answer.err
    assert not model.prompts
    assert set(by_author(place)) == {Author.RULES}


def test_what_there_is_says_where_text_would_go_and_shows_no_key(
    place: Place, openai_key: dict[str, str]
) -> None:
    answer = place.run("models", env=openai_key)
    told = place.run("models", "--json", env=openai_key).object

    assert answer.code == 0
    assert "offline: the rules; nothing is sent" in answer.out
    assert "text goes to api.openai.com" in answer.out
    assert "not set up here:" in answer.out
    assert openai_key["OPENAI_API_KEY"] not in answer.out + json.dumps(told)
    assert [one["place"] for one in told["agents"][0]["found"] if one["is_ready"]] == ["api.openai.com"]


def test_without_a_model_there_is_nothing_to_test(place: Place) -> None:
    answer = place.run("models", "test")

    assert answer.code == 0
    assert "nothing to test" in answer.out


@pytest.mark.parametrize(
    ("reply", "code", "expected"),
    [
        (GOOD, 0, "works: 2 lines noted and checked"),
        ("I would love to help!", 3, "I would love to help!"),
        ("", 3, "it said   nothing at all"),
        ('{"done": 0}', 3, "no line of it holds"),
        (Refused(401, message="invalid key"), 1, "Next: "),
        (Refused(404, message="no such model"), 1, "Next: "),
        (Refused(429), 3, "Next: "),
        (Refused(503), 3, "Next: "),
        (Hang(), 3, "model_timeout"),
    ],
)
def test_a_test_tells_every_end_with_what_to_do_next(
    place: Place, reply: Any, code: int, expected: str
) -> None:
    place.run("init", "--yes")
    timeout = "2s" if isinstance(reply, Hang) else "60s"
    with ModelServer(reply, repeats=True) as server:
        answer = place.run("models", "test", env={**server.env(), "SCRIMSHAW_MODEL_TIMEOUT": timeout})

    assert answer.code == code, answer.out
    assert expected in answer.out
    assert len(server.requests) == 1
    assert "Postgres" not in server.requests[0].raw.decode()


def test_a_test_before_setting_up_sends_the_same_and_leaves_no_trace(place: Place) -> None:
    with ModelServer(GOOD) as server:
        env = {"SCRIMSHAW_ENDPOINTS": json.dumps(server.endpoints())}
        answer = place.run("models", "test", "local/fake-1", "--json", env=env)

    assert answer.code == 0
    (found,) = answer.object["models"]
    assert (found["outcome"], found["tokens_in"] > 500, found["cost_microdollars"]) == ("works", True, 0)
    assert not place.is_set_up()
    assert not (place.workspace / ".scrimshaw").exists()
