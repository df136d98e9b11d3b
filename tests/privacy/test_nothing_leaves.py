"""End to end: secrets and private parts reach no model, no file of ours and no terminal (promise 5)."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import build_fake_secret
from tests.fake_model import FakeModel, FakeOpener, always
from tests.models_flow.talking import MOMENT, answered, choose, decided, observed, placed
from tests.places import Place
from tests.stores import FakeSession

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.logs import logging_to
from scrimshaw.models.model import Failure, Trouble
from scrimshaw.services.reflect.run import run as reflect

SECRETS = (
    "github-token",
    "aws-key",
    "openai-key",
    "url-password",
    "assignment",
    "jwt",
    "private-key",
    "webhook",
)
PRIVATE = "the clinic in Harlow Street"
UNCLOSED = "what Ingrid owes"
MATCHED = "falcon-4711"
PATTERNS = ["falcon-\\d+", "Ingrid"]


def _planted(place: Place) -> list[str]:
    """Put secrets and private parts wherever a transcript can hold them; return what must not be found."""
    secrets = [build_fake_secret(kind) for kind in SECRETS]
    session = place.session
    for number, secret in enumerate(secrets):
        session.user(f"We decided that unit-{number}x gets the credential {secret} from now on.")
        session.assistant(f"Noted: {secret}")
        session.tool("exec", {"command": f"deploy --with '{secret}'"}, f"unit-{number}x says {secret}")
        session.assistant("Deployed.")
    session.user(f"We decided on Monday. <private>I go to {PRIVATE}</private> We meet on Friday.")
    session.assistant(f"I will not mention <Private reason='x'>{PRIVATE}</PRIVATE >.")
    session.tool(
        "note", {"text": f"<private>{PRIVATE}</private>"}, f"&lt;private&gt;{PRIVATE}&lt;/private&gt;"
    )
    session.assistant("Done.")
    session.user(
        f"We decided that it is called Falcon-4711, {MATCHED}. <private> {UNCLOSED} and all the rest"
    )
    session.assistant("We decided that nothing was closed there.")
    place.save()
    # A line of a key is as telling as the whole.
    parts = [line for secret in secrets for line in secret.splitlines() if "KEY" not in line]
    return [*parts, PRIVATE, UNCLOSED, MATCHED, "Falcon-4711"]


def _told(place: Place) -> str:
    """Return everything that commands print of the workspace."""
    commands = (
        ["status"],
        ["review"],
        ["review", "--json"],
        ["observe", "--show-request", "--json"],
        ["preview"],
    )
    answers = [place.run(*command) for command in commands]
    return "\n".join(answer.out + answer.err for answer in answers)


def _echo(prompt: Prompt) -> str:
    """Answer with everything that was sent, as notes."""
    lines = [
        json.dumps({"text": text[:280], "kind": "fact", "priority": 5, "sources": [1]})
        for text in prompt.text.splitlines()
        if text.strip()
    ]
    return "\n".join([*lines, json.dumps({"done": len(lines)})])


def _models() -> dict[str, FakeModel | None]:
    return {
        "rules": None,
        "good": always(answered),
        "echo": always(_echo),
        "prose": always(lambda prompt: f"Sure! Here is it all: {prompt.text}"),
        "down": always(Failure(Trouble.KEY, "refused")),
    }


@pytest.mark.parametrize("review", ["rejected", "all"])
@pytest.mark.parametrize("kind", list(_models()))
def test_nothing_secret_or_private_reaches_a_model_a_file_or_a_terminal(tmp_path, kind, review):
    model = _models()[kind]
    chosen = {} if model else {"observer_model": "offline"}
    place = placed(tmp_path, private_patterns=PATTERNS, review=review, **chosen)
    hidden = _planted(place)

    with logging_to(place.target().layout):
        logging.getLogger("scrimshaw").setLevel(logging.DEBUG)
        observed(place, model or always("never asked"))
        reflect(place.target(), MOMENT + timedelta(hours=5), opens=FakeOpener(model or always("")))
    logging.getLogger("scrimshaw").setLevel(logging.NOTSET)

    asked = "\n".join(prompt.system + prompt.text for prompt in (model.prompts if model else []))
    written = place.everything_written()
    told = _told(place)
    assert (model is None) == (asked == "")
    for text in hidden:
        assert text not in asked
        assert text.encode() not in written, text
        assert text not in told
    assert "[private] We meet on Friday" in told or "unit-1x" in told  # there was something to see


def test_the_check_is_known_to_bite(tmp_path):
    # A negative control: what stands beside the secrets is found in all of these places.
    model = always(answered)
    place = placed(tmp_path, private_patterns=PATTERNS)
    _planted(place)

    observed(place, model)

    assert "unit-1x" in model.prompts[0].text
    assert b"unit-1x" in place.everything_written()


def test_without_patterns_their_words_are_found(tmp_path):
    model = always(answered)
    place = placed(tmp_path)
    _planted(place)

    observed(place, model)

    assert MATCHED in "".join(prompt.text for prompt in model.prompts)


@pytest.mark.parametrize("kind", ["github-token", "aws-key", "assignment"])
def test_a_secret_that_a_model_makes_up_is_not_kept(tmp_path, kind):
    secret = build_fake_secret(kind)
    line = {"text": f"The user decided that {secret} is used", "kind": "fact", "priority": 5, "sources": [1]}
    claim = {"subject": "the key", "predicate": "is", "object": secret}
    strange = {**line, "text": "The user decided on 42 keys", "sources": [1, secret], "claim": claim}
    answer = "\n".join(json.dumps(one) for one in (line, strange, {"done": 2}))
    place = placed(tmp_path, *decided(1))

    observed(place, always(answer, f"I think that {secret} is used."))

    assert secret.encode() not in place.everything_written()
    assert "The user decided" in place.run("review", "--json").out


def test_what_is_private_is_not_shown_even_when_a_model_says_it(tmp_path):
    line = {"text": f"The user decided on {MATCHED}", "kind": "fact", "priority": 5, "sources": [1]}
    place = placed(tmp_path, *decided(1), private_patterns=PATTERNS)

    observed(place, always(f"{json.dumps(line)}\n{json.dumps({'done': 1})}"))

    told = place.run("review", "--json").out + place.run("review").out
    assert "The user decided on [private]" in told
    assert MATCHED not in told


def test_a_block_of_one_message_hides_nothing_of_the_next(tmp_path):
    model = always(answered)
    place = placed(tmp_path, ("<private> never closed", "Ok."), *decided(1))

    observed(place, model)

    assert "never closed" not in model.prompts[0].text
    assert "unit-1x" in model.prompts[0].text


# -- private conversations -----------------------------------------------------------------------------------


def _diary(place: Place, *said: str, key: str = "agent:main:explicit:diary") -> FakeSession:
    session = FakeSession(key=key)
    for text in said:
        session.user(text)
        session.assistant("Noted.")
    place.sessions.append(session)
    place.save()
    return session


@pytest.mark.parametrize("private", [True, False])
def test_lines_of_a_private_conversation_are_in_no_request(tmp_path, private):
    sessions = ["agent:main:explicit:diary*"] if private else []
    place = placed(tmp_path, private_sessions=sessions, observer_model="offline")
    _diary(
        place, "We decided that the lighthouse is painted green.", "I must call the harbour by 2026-12-24."
    )
    assert place.run("observe", "--now").code == 0
    assert "lighthouse" in place.section()  # noted by the rules, for the agent's own prompt
    choose(place, private_sessions=sessions)
    place.say(*decided(1), ("We decided that the lighthouse fund stays closed.", "Ok."))
    model = always(answered)

    observed(place, model)
    reflecting = always("{}")
    reflect(place.target(), MOMENT + timedelta(hours=5), opens=FakeOpener(reflecting))

    asked = "\n".join(prompt.text for prompt in [*model.prompts, *reflecting.prompts])
    assert "unit-1x" in asked
    # Without the setting they are: the check is known to bite.
    assert ("painted green" in asked) is not private
    assert ("harbour" in asked) is not private


def test_a_private_conversation_is_never_sent_and_the_rules_note_it(tmp_path):
    place = placed(tmp_path, private_sessions=["agent:main:explicit:diary*"])
    _diary(place, "We decided that the lighthouse is painted green.")
    model = always(answered)

    observed(place, model)

    assert model.prompts == []
    assert "painted green" in place.section()


def test_what_became_private_later_is_in_no_request(tmp_path: Path):
    place = placed(tmp_path, ("We decided that falcon-4711 is ours.", "Ok."), observer_model="offline")
    assert place.run("observe", "--now").code == 0
    choose(place, private_patterns=PATTERNS)
    place.say(*decided(1), ("We decided that we go on with ours.", "Ok."))
    model = always(answered)

    observed(place, model)

    assert model.prompts
    assert not any(MATCHED in prompt.text for prompt in model.prompts)
