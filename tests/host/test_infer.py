"""OpenClaw's own model, asked through the real program: what models/openclaw_cli relies on.

Both lines of the host take the question, with and without a gateway beside it, and keep no session of it:
a question that were kept would be observed like a conversation. (Through the gateway 2026.7 does keep one,
and a provider in trouble is asked again and again: why it is not asked through it.)
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.host.conftest import CURRENT, JSONL, install_of
from tests.host.gateway import Gateway
from tests.model_server import ModelServer, Refused
from tests.models.asking import PROMPT, ask

from scrimshaw.models.model import Answer, Failure, Model, ModelChoice, Trouble
from scrimshaw.models.opening import opener


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer("A note.", repeats=True) as server:
        yield server


@pytest.fixture(scope="module", params=[CURRENT, JSONL])
def host(
    request: pytest.FixtureRequest, server: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> Gateway:
    """A host that is set up and whose gateway does not run."""
    return Gateway(install_of(request.param), tmp_path_factory.mktemp("infer"), server)  # type: ignore[arg-type]


def model_of(host: Gateway, agent_id: str = "main") -> Model:
    program = host.install.folder / "node_modules" / ".bin" / "openclaw"
    env = host.env() | {"SCRIMSHAW_OPENCLAW": str(program)}
    choice = ModelChoice(
        "openclaw", agent_id=agent_id, state_dir=host.state_dir, config_path=host.config_path
    )
    model = opener(env)(choice)
    assert not isinstance(model, Failure), model
    return model


def sessions_of(host: Gateway) -> list[str]:
    """What holds any of the question in the host's folder of agents."""
    kept = (path for path in (host.state_dir / "agents").rglob("*") if path.is_file())
    return [str(path) for path in kept if PROMPT.text.encode() in path.read_bytes()]


def test_the_agents_model_answers_and_the_host_keeps_nothing_of_the_question(
    host: Gateway, server: ModelServer
) -> None:
    answer = ask(model_of(host), seconds=120)

    assert isinstance(answer, Answer), answer
    assert (answer.text, answer.model, answer.usage.is_estimated) == ("A note.", "fake/fake-1", True)
    assert server.requests[-1].body["messages"][-1]["content"] == f"{PROMPT.system}\n\n{PROMPT.text}"
    assert sessions_of(host) == []


def test_a_long_question_in_any_script_arrives_whole(host: Gateway, server: ModelServer) -> None:
    text = 'Ωmega 🌊 "quoted" $HOME `id` \\n; --json\n' * 2_500  # 113 kB

    answer = ask(model_of(host), prompt=PROMPT._replace(text=text), seconds=120)

    assert isinstance(answer, Answer), answer
    assert server.requests[-1].body["messages"][-1]["content"] == f"{PROMPT.system}\n\n{text}"


def test_a_provider_that_refuses_is_asked_once_and_told_apart(host: Gateway, server: ModelServer) -> None:
    before = len(server.requests)
    server.replies[:] = [Refused(429, {}, "slow down please")]
    try:
        failure = ask(model_of(host), seconds=120)
    finally:
        server.replies[:] = ["A note."]

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.RATE
    assert len(server.requests) == before + 1


def test_a_question_beside_a_running_gateway_leaves_no_session(server: ModelServer, tmp_path: Path) -> None:
    # The line that would keep one: the gateway must not have been asked.
    with Gateway(install_of(JSONL), tmp_path, server) as host:  # type: ignore[arg-type]
        answer = ask(model_of(host), seconds=120)

        assert isinstance(answer, Answer), answer
        assert sessions_of(host) == []
