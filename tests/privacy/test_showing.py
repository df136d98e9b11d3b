"""`observe --show-request`: exactly what would be sent, and that nothing is sent or written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.conftest import build_fake_secret
from tests.fake_model import FakeOpener, always
from tests.models_flow.talking import MODEL, MOMENT, answered, choose, decided, lengthy, observed, placed
from tests.places import Place
from tests.stores import FakeSession

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.services.observe.show_request import Showing, show


def _shown(place: Place, **how: object) -> Showing:
    return show(place.target(), FakeOpener(always("never")), MOMENT, **how)  # type: ignore[arg-type]


def _files(place: Place) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(place.root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("instruction", ["", "Note recipes in full."])
def test_what_is_shown_is_what_the_model_then_gets_to_the_byte(tmp_path, instruction):
    secret = build_fake_secret("github-token")
    place = placed(tmp_path, *decided(1), observer_model="offline", instruction=instruction)
    assert place.run("observe", "--now").code == 0  # a line that is known: the request has a context
    choose(place, instruction=instruction, private_patterns=["falcon-\\d+"])
    place.say(
        (f"The key is {secret}, <private>my diagnosis</private>, and falcon-77 is ours. Ünïcode…", "Ok.")
    )
    place.say(*decided(2, 3))

    shown = _shown(place)
    model = always(answered)
    observed(place, model)

    (request,) = shown.requests
    assert request.prompt == model.prompts[0]
    assert request.prompt
    assert request.prompt.text.encode() == model.prompts[0].text.encode()
    assert "unit-1x" in request.prompt.text
    for hidden in (secret, "diagnosis", "falcon-77"):
        assert hidden not in request.prompt.system + request.prompt.text


def test_the_command_shows_the_same_bytes(tmp_path):
    place = placed(tmp_path, *decided(1, 2))

    told = place.run("observe", "--show-request", "--json").object
    plain = place.run("observe", "--show-request")
    model = always(answered)
    observed(place, model)

    (request,) = told["workspaces"][0]["requests"]
    assert (request["system"], request["text"]) == (model.prompts[0].system, model.prompts[0].text)
    assert model.prompts[0].text in plain.out
    assert model.prompts[0].system in plain.out
    assert plain.out.rstrip().endswith("Nothing was sent, and nothing was written.")
    assert told["workspaces"][0]["model"] == MODEL
    assert "127.0.0.1" in told["workspaces"][0]["place"] or "machine" in told["workspaces"][0]["place"]
    assert request["dollars"] > 0


@dataclass
class _Counting:
    """A model that may be looked at and not asked."""

    name: str = MODEL
    place: str = "nowhere"
    asked: list[Prompt] = field(default_factory=list)

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        del timeout_seconds, is_stopped
        self.asked.append(prompt)
        return Answer("", Usage(0, 0), self.name)


def test_nothing_is_sent_and_nothing_is_written(tmp_path):
    place = placed(tmp_path, *decided(1, 2))
    before, model = _files(place), _Counting()

    show(place.target(), FakeOpener(model), MOMENT)
    place.run("observe", "--show-request")

    assert model.asked == []
    assert _files(place) == before


def test_the_check_is_known_to_bite(tmp_path):
    # A negative control: a run asks the model, and writes.
    place = placed(tmp_path, *decided(1))
    before, model = _files(place), _Counting()

    observed(place, model)

    assert model.asked
    assert _files(place) != before


def test_offline_says_that_nothing_is_ever_sent(tmp_path):
    place = placed(tmp_path, *decided(1), observer_model="offline")

    answer = place.run("observe", "--show-request")
    told = place.run("observe", "--show-request", "--json").object

    assert answer.code == 0
    assert "nothing is ever sent to a model" in answer.out
    assert told["workspaces"][0]["is_offline"] is True
    assert told["workspaces"][0]["requests"] == []


def test_a_private_conversation_is_named_without_its_text(tmp_path):
    place = placed(tmp_path, private_sessions=["agent:main:explicit:diary*"])
    diary = FakeSession(key="agent:main:explicit:diary")
    diary.user("We decided that the lighthouse is ours.")
    diary.assistant("Noted.")
    place.sessions.append(diary)
    place.say(*decided(1))

    shown = {request.session.session_key: request for request in _shown(place).requests}
    out = place.run("observe", "--show-request").out

    assert shown["agent:main:explicit:diary"].prompt is None
    assert shown["agent:main:main"].prompt is not None
    assert "agent:main:explicit:diary: nothing would be sent of it; it is private" in out
    assert "lighthouse" not in out


def test_each_conversation_with_something_new_is_shown_and_one_can_be_named(tmp_path):
    place = placed(tmp_path)
    other = FakeSession(key="agent:main:explicit:other")
    other.user("We decided that the lighthouse is ours.")
    other.assistant("Noted.")
    place.sessions.append(other)
    place.say(*decided(1))

    both = _shown(place)
    one = _shown(place, session="agent:main:explicit:other")
    none = place.run("observe", "--show-request", "--session", "agent:main:nowhere")

    (shared,) = both.requests
    assert {session.session_key for session in (shared.session, *shared.others)} == {
        "agent:main:main",
        "agent:main:explicit:other",
    }
    assert [request.session.session_key for request in one.requests] == ["agent:main:explicit:other"]
    assert not one.requests[0].others
    assert none.code == 2


def test_of_a_conversation_the_next_window_is_shown(tmp_path):
    place = placed(tmp_path, *lengthy(1, 2, 3), window_tokens=500)

    first = _shown(place)
    observed(place, always(answered))
    after = _shown(place)

    (request,) = first.requests
    assert request.prompt
    assert "unit-1x" in request.prompt.text
    assert "unit-3x" not in request.prompt.text
    assert after.requests == []


def test_with_nothing_new_that_is_said(tmp_path):
    place = placed(tmp_path)

    assert "Nothing new waits, so nothing would be sent." in place.run("observe", "--show-request").out


def test_an_exchange_that_goes_on_is_left_out_and_said_so(tmp_path):
    place = placed(tmp_path)
    place.session.user("Half of a question")
    place.save()
    soon = "2026-11-16T08:42:00+00:00"

    answer = place.run("observe", "--show-request", now=soon)
    whole = place.run("observe", "--show-request", "--now", now=soon)

    assert "Half of a question" not in answer.out
    assert "in the middle of an exchange" in answer.out
    assert "Half of a question" in whole.out


def test_a_cap_that_is_reached_is_told_and_the_request_shown_all_the_same(tmp_path):
    place = placed(tmp_path, *decided(1), max_tokens_per_day=10)

    (request,) = _shown(place).requests

    assert request.prompt
    assert "cap" in request.why_not


def test_a_model_that_cannot_be_opened_is_told_and_the_request_shown_all_the_same(tmp_path):
    place = placed(tmp_path, *decided(1))
    no_key = FakeOpener(Failure(Trouble.KEY, "There is no key."))

    shown = show(place.target(), no_key, MOMENT)

    assert shown.hindrance == "There is no key."
    assert shown.requests[0].prompt


def test_a_model_that_is_let_alone_is_told_and_the_request_shown_all_the_same(tmp_path):
    place = placed(tmp_path, *decided(1))
    refusing = always(Failure(Trouble.KEY, "The key is refused."))
    refusing.name = MODEL
    observed(place, refusing)
    place.say(*decided(2))

    shown = _shown(place)

    assert "paused" in shown.hindrance
    assert shown.requests[0].prompt


def test_before_anything_is_set_up_it_can_be_shown_and_leaves_no_trace(tmp_path: Path):
    place = Place(tmp_path / "machine")
    place.say(*decided(1))

    answer = place.run("observe", "--show-request", env={"SCRIMSHAW_OBSERVER_MODEL": "ollama/tiny"})

    assert answer.code == 0
    assert "unit-1x" in answer.out
    assert not place.is_set_up()


def test_control_characters_do_not_reach_the_terminal(tmp_path):
    place = placed(tmp_path, ("A bell \x07 and \u202eturned", "Ok."))

    assert not set(place.run("observe", "--show-request").out) & {"\x07", "\u202e", "\x1b"}


def test_the_question_that_conversations_share_is_shown_as_it_would_leave(tmp_path):
    place = placed(tmp_path)
    for number in range(3):
        session = FakeSession(key=f"agent:main:explicit:talk-{number}")
        session.user(f"We decided that unit-{number}x is ours.")
        session.assistant("Noted.")
        place.sessions.append(session)
    place.save()
    model = always(answered)

    told = place.run("observe", "--show-request", "--json").object
    out = place.run("observe", "--show-request").out
    observed(place, model)

    (request,) = told["workspaces"][0]["requests"]
    assert len(request["shared_with"]) == 2
    assert request["text"] == model.prompts[0].text
    assert all(f"agent:main:explicit:talk-{number}" in out for number in range(3))


def test_with_many_conversations_only_some_are_shown_whole(tmp_path):
    place = placed(tmp_path, window_tokens=500)
    for number in range(6):
        session = FakeSession(key=f"agent:main:explicit:talk-{number}")
        for said, answer in lengthy(number):
            session.user(said)
            session.assistant(answer)
        place.sessions.append(session)
    place.save()

    out = place.run("observe", "--show-request").out
    told = place.run("observe", "--show-request", "--json").object

    assert out.count("----- text") == 3
    assert out.count("agent:main:explicit:talk-") == 6
    assert all(request["text"] for request in told["workspaces"][0]["requests"])
