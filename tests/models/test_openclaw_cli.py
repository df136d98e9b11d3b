"""OpenClaw's own model, through a stub of its program; tests/host/test_infer.py holds the real one to it."""

import json
import os
import sys
from pathlib import Path

import psutil
import pytest
from tests.models.asking import PROMPT, ask
from tests.openclaw_stub import Stub, lay_stub

from scrimshaw.models import openclaw_cli
from scrimshaw.models.model import Answer, Failure, Model, ModelChoice, Trouble, Usage
from scrimshaw.models.opening import opener


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    return lay_stub(tmp_path / "bin")


def model_of(tmp_path: Path, *, agent_id: str = "main", name: str = "openclaw") -> Model:
    state_dir = tmp_path / "state"
    env = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    choice = ModelChoice(
        name, agent_id=agent_id, state_dir=state_dir, config_path=state_dir / "openclaw.json"
    )
    model = opener(env)(choice)
    assert not isinstance(model, Failure), model
    return model


@pytest.fixture(autouse=True)
def _estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimate tokens, also where the extra that counts them is installed (tests/models/test_bounded)."""
    monkeypatch.setitem(sys.modules, "toktok", None)


def said(text: str, **more: object) -> str:
    body = {
        "ok": True,
        "capability": "model.run",
        "transport": "local",
        "provider": "fake",
        "model": "fake-1",
    }
    return json.dumps(body | {"outputs": [{"text": text, "mediaUrl": None}]} | more, indent=2)


def program(tmp_path: Path, source: str) -> None:
    """Lay a program of our own in the stub's place; `words` are its arguments."""
    path = tmp_path / "bin" / "openclaw"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\nwords = sys.argv[1:]\n{source}")
    path.chmod(0o755)


def test_the_agents_own_model_is_asked_with_one_prompt(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", out=said("A note."))

    answer = ask(model_of(tmp_path, agent_id="work"))

    prompt = f"{PROMPT.system}\n\n{PROMPT.text}"
    words = ["infer", "model", "run", "--local", "--agent", "work", "--prompt", prompt, "--json"]
    assert stub.calls() == [words]
    assert answer == Answer("A note.", Usage(25, 3, True), "fake/fake-1")


def test_another_model_of_the_host_can_be_named(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", out=said("A note."))

    model = model_of(tmp_path, name="openclaw/anthropic/claude-x")
    ask(model)

    assert stub.calls()[0][6:8] == ["--model", "anthropic/claude-x"]
    assert model.place == "anthropic/claude-x, through OpenClaw"


def test_usage_is_taken_where_a_host_reports_it(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", out=said("A note.", usage={"input": 70, "output": 9}))

    answer = ask(model_of(tmp_path))

    assert isinstance(answer, Answer)
    assert answer.usage == Usage(70, 9)


@pytest.mark.parametrize(
    ("message", "trouble"),
    [
        ('Unknown agent id "nosuch". Run openclaw agents list to see configured agents.', Trouble.REQUEST),
        ("OpenClaw config is invalid: ~/.openclaw/openclaw.json", Trouble.REQUEST),
        ('No text output returned for provider "fake" model "m": 429 slow down please', Trouble.RATE),
        ('No text output returned for provider "fake" model "m": 503 overloaded.', Trouble.SERVER),
        ('No text output returned for provider "fake" model "m": 401 bad key.', Trouble.KEY),
        ('No text output returned for provider "fake" model "m".', Trouble.REPLY),
        ("connect ECONNREFUSED 127.0.0.1:9", Trouble.CONNECTION),
        ("something that was never seen", Trouble.SERVER),
    ],
)
def test_what_the_host_complains_of_is_a_failure_of_its_kind(
    stub: Stub, tmp_path: Path, message: str, trouble: Trouble
) -> None:
    error = {"ok": False, "error": {"type": "cli_error", "message": message}}
    stub.says(
        "infer model", code=1, out=json.dumps(error, indent=2), err="[openclaw] The CLI command failed."
    )

    failure = ask(model_of(tmp_path))

    assert isinstance(failure, Failure)
    assert (failure.trouble, failure.detail) == (trouble, f"openclaw could not ask: {message}")


def test_the_hosts_provider_says_how_long_to_wait(stub: Stub, tmp_path: Path) -> None:
    message = "429 slow down please; Retry-After: 12 seconds."
    stub.says("infer model", code=1, out=json.dumps({"ok": False, "error": {"message": message}}))

    failure = ask(model_of(tmp_path))

    assert isinstance(failure, Failure)
    assert failure.retry_after_seconds == 12


@pytest.mark.parametrize(
    "out", ["", "Here is a poem.", "{", "[]", '{"ok": true}', '{"ok": true, "outputs": 7}', '{"outputs": []}']
)
def test_what_is_no_answer_of_the_host_is_a_failure(stub: Stub, tmp_path: Path, out: str) -> None:
    stub.says("infer model", out=out)

    failure = ask(model_of(tmp_path))

    assert isinstance(failure, Failure)
    assert failure.is_passing


def test_notices_before_the_answer_do_no_harm(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", out=f"A newer release is out.\n{said('A note.')}")

    answer = ask(model_of(tmp_path))

    assert isinstance(answer, Answer)
    assert answer.text == "A note."


def test_a_prompt_that_fits_no_argument_is_refused_before_anything_starts(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", out=said("ok"))
    room = openclaw_cli.LARGEST_PROMPT_BYTES - len(PROMPT.system) - 2

    fits = ask(model_of(tmp_path), prompt=PROMPT._replace(text="é" * (room // 2)))
    failure = ask(model_of(tmp_path), prompt=PROMPT._replace(text="é" * (room // 2 + 1)))

    assert isinstance(fits, Answer), fits
    assert isinstance(failure, Failure)
    assert (failure.trouble, len(stub.calls())) == (Trouble.REQUEST, 1)


def test_text_that_no_argument_can_hold_is_mended(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", out=said("ok"))

    answer = ask(model_of(tmp_path), prompt=PROMPT._replace(text="a\0b \ud800 c"))

    assert isinstance(answer, Answer)
    assert stub.calls()[0][-2].endswith("a b ? c")


def test_a_host_that_does_not_answer_in_time_is_ended_with_its_children(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", hangs=600)

    failure = ask(model_of(tmp_path), seconds=1)

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.TIMEOUT
    assert failure.usage == Usage(25, 0, True)
    assert not _left_of(stub)


def test_a_host_is_ended_as_soon_as_we_are_to_end(stub: Stub, tmp_path: Path) -> None:
    stub.says("infer model", hangs=600)

    failure = ask(model_of(tmp_path), seconds=600, is_stopped=lambda: bool(stub.calls()))

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.STOPPED
    assert not _left_of(stub)


def test_a_host_that_knows_no_agents_is_asked_without_and_remembered(tmp_path: Path) -> None:
    program(
        tmp_path,
        f"""
open({str(tmp_path / "asked")!r}, "a").write(" ".join(words[:5]) + "\\n")
if "--agent" in words:
    sys.exit('OpenClaw does not recognize option "--agent".\\nTry: openclaw infer model --help')
print({said("A note.")!r})
""",
    )

    answers = [ask(model_of(tmp_path)), ask(model_of(tmp_path))]

    assert [isinstance(answer, Answer) for answer in answers] == [True, True]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[4] for line in asked] == ["--agent", "--prompt", "--prompt"]


@pytest.mark.parametrize(("version", "ways"), [("2026.9.6", 2), ("2026.7.1-2", 1)])
def test_a_gateway_is_asked_only_for_a_model_that_nothing_else_reaches(
    tmp_path: Path, version: str, ways: int
) -> None:
    refusal = "The codex provider is not the local simple-completion transport. Run through the gateway."
    program(
        tmp_path,
        f"""
if words == ["--version"]:
    print("OpenClaw {version}"); sys.exit()
open({str(tmp_path / "asked")!r}, "a").write(words[3] + "\\n")
if "--local" in words:
    print(json.dumps({{"ok": False, "error": {{"message": {refusal!r}}}}})); sys.exit(1)
print({said("A note.")!r})
""",
    )
    lock = tmp_path / "state" / "tmp" / f"openclaw-{os.getuid()}" / "gateway.state.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text(json.dumps({"pid": os.getpid()}))

    ask(model_of(tmp_path))

    assert (tmp_path / "asked").read_text().split() == ["--local", "--gateway"][:ways]


def test_without_the_program_or_a_host_there_is_no_model(tmp_path: Path) -> None:
    opens = opener({"PATH": "", "HOME": str(tmp_path), "SCRIMSHAW_OPENCLAW": str(tmp_path / "gone")})
    lay_stub(tmp_path / "bin")
    with_program = opener({"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)})

    failures = [
        opens(ModelChoice("openclaw", state_dir=tmp_path, config_path=tmp_path)),
        with_program(ModelChoice("openclaw")),
    ]

    assert all(isinstance(failure, Failure) and failure.trouble is Trouble.ABSENT for failure in failures)
    assert all("Next: " in failure.detail for failure in failures if isinstance(failure, Failure))


def test_a_model_shows_nothing_of_the_environment(stub: Stub, tmp_path: Path) -> None:
    assert str(stub.folder) not in repr(model_of(tmp_path))


def _left_of(stub: Stub) -> list[int]:
    """The processes of the stub that still run."""
    left = []
    for process in psutil.process_iter(["cmdline"]):
        if str(stub.program) in " ".join(process.info["cmdline"] or []):
            left.append(process.pid)
    return left
