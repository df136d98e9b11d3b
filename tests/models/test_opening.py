"""From a name to a model: which one it is, what it needs, and what is said when something is missing."""

import importlib.util
import json
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from tests.model_server import JSON, Wire
from tests.models.asking import serving
from tests.models.dialects import KEY

from scrimshaw.config import Endpoint
from scrimshaw.models import keys
from scrimshaw.models.anthropic import Anthropic
from scrimshaw.models.finding import PROPOSED, available, ollama_models
from scrimshaw.models.gemini import Gemini
from scrimshaw.models.keys import Key
from scrimshaw.models.model import Failure, Model, ModelChoice, Trouble
from scrimshaw.models.openai_compatible import OpenAICompatible
from scrimshaw.models.opening import missing_library, opener
from scrimshaw.models.presets import room_to_think
from scrimshaw.models.prices import list_prices, price_of
from scrimshaw.models.wire import is_this_machine

OLLAMA_ELSEWHERE = {"OLLAMA_HOST": "127.0.0.1:9"}  # where nothing answers


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    config = str(tmp_path / "config")
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": config, "PATH": "", **OLLAMA_ELSEWHERE}


def keep_keys(env: dict[str, str], text: str, mode: int = 0o600) -> Path:
    path = Path(env["XDG_CONFIG_HOME"]) / "scrimshaw" / "keys.env"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def opened(env: dict[str, str], name: str, **endpoints: Endpoint) -> Model:
    model = opener(env)(ModelChoice(name, endpoints=endpoints))
    assert not isinstance(model, Failure), model
    return model


def refused(env: dict[str, str], name: str, **endpoints: Endpoint) -> Failure:
    failure = opener(env)(ModelChoice(name, endpoints=endpoints))
    assert isinstance(failure, Failure)
    return failure


def without(*modules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let *modules* look as if they were not installed."""
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        if name in modules:
            if "." in name:
                raise ModuleNotFoundError(name=name.partition(".")[0])
            return None
        return real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


def test_each_provider_is_opened_with_its_own_key(env: dict[str, str]) -> None:
    env |= {"GOOGLE_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "OPENROUTER_API_KEY": KEY}

    google = opened(env, "gemini/gemini-2.5-flash")
    claude = opened(env, "anthropic/claude-haiku-5-5")
    router = opened(env, "openrouter/z-ai/glm-5.2")

    assert isinstance(google, Gemini)
    assert isinstance(claude, Anthropic)
    assert isinstance(router, OpenAICompatible)
    assert (router.model, router.key.variable) == ("z-ai/glm-5.2", "OPENROUTER_API_KEY")
    assert [model.place for model in (google, claude, router)] == [
        "generativelanguage.googleapis.com (Google)",
        "api.anthropic.com (Anthropic)",
        "openrouter.ai",
    ]


def test_a_local_server_needs_no_key(env: dict[str, str]) -> None:
    model = opened(env, "ollama/qwen3:8b")

    assert isinstance(model, OpenAICompatible)
    assert (model.place, model.preset.base_url) == ("this machine", "http://127.0.0.1:9/v1")
    assert not model.key


def test_an_endpoint_of_the_owner_wins_over_a_preset_of_its_name(env: dict[str, str]) -> None:
    model = opened(env, "ollama/big", ollama=Endpoint("https://gpu.example/v1"))

    assert model.place == "gpu.example"


def test_an_endpoint_at_a_known_address_is_known_under_any_name(env: dict[str, str]) -> None:
    env["MY_KEY"] = KEY

    model = opened(env, "mine/deepseek-flash", mine=Endpoint("https://api.deepseek.com/v1", "MY_KEY"))

    assert isinstance(model, OpenAICompatible)
    assert model.preset.less_thinking("deepseek-flash") == ({"thinking": {"type": "disabled"}},)
    assert (model.preset.base_url, model.key.variable) == ("https://api.deepseek.com/v1", "MY_KEY")


@pytest.mark.parametrize("base_url", ["", "gpu.example/v1", "file:///etc/passwd", "http://", "http://[::1"])
def test_an_endpoint_that_is_no_address_is_refused(env: dict[str, str], base_url: str) -> None:
    failure = refused(env, "mine/big", mine=Endpoint(base_url))

    assert (failure.trouble, failure.is_passing) == (Trouble.REQUEST, False)


def test_a_key_that_an_endpoint_names_must_be_there(env: dict[str, str]) -> None:
    failure = refused(env, "mine/big", mine=Endpoint("http://127.0.0.1:1/v1", "MY_KEY"))

    assert failure.trouble is Trouble.KEY
    assert "MY_KEY" in failure.detail


def test_an_unknown_name_is_told_what_there_is(env: dict[str, str]) -> None:
    failure = refused(env, "gemimi/flash", mine=Endpoint("http://127.0.0.1:1/v1"))

    assert failure.trouble is Trouble.ABSENT
    assert "mine" in failure.detail
    assert refused(env, "gemini").trouble is Trouble.REQUEST


@pytest.mark.parametrize(
    ("name", "module"),
    [("gemini/x", "google.genai"), ("anthropic/x", "anthropic"), ("openai/x", "openai"), ("glm/x", "openai")],
)
def test_a_missing_client_library_is_told_with_the_command_that_installs_it(
    env: dict[str, str], name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env |= {"GEMINI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
    without(module, monkeypatch=monkeypatch)

    failure = refused(env, name)

    assert failure.trouble is Trouble.ABSENT
    assert f"Next: {sys.executable} -m pip install '{module.replace('.', '-')}>=" in failure.detail


def test_an_installer_without_pip_is_named_as_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    without("openai", "pip", monkeypatch=monkeypatch)
    by_uv = missing_library("openai")
    monkeypatch.setattr(sys, "prefix", "/home/somebody/.local/share/pipx/venvs/scrimshaw")
    by_pipx = missing_library("openai")

    assert by_uv == f"uv pip install --python {sys.executable} 'openai>=1.60'"
    assert by_pipx == "pipx inject scrimshaw 'openai>=1.60'"


def test_opening_imports_no_client_library(env: dict[str, str]) -> None:
    script = """if True:
        import sys
        from scrimshaw.models.finding import available
        from scrimshaw.models.model import ModelChoice
        from scrimshaw.models.opening import opener

        env = {"GEMINI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "HOME": "/"}
        names = ("gemini/x", "anthropic/x", "openai/x")
        print([type(opener(env)(ModelChoice(name))).__name__ for name in names], bool(available(env)))
        print({"openai", "anthropic", "google.genai", "httpx", "httpx2"} & sys.modules.keys())
    """

    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert said.splitlines() == ["['Gemini', 'Anthropic', 'OpenAICompatible'] True", "set()"]


def test_models_that_always_think_get_room_for_it() -> None:
    roomy = ("gemini/gemini-2.5-pro", "gemini/gemini-3.8-flash", "openai/gpt-5-mini", "openai/o4-mini")
    others = (
        "gemini/gemini-2.5-flash",
        "gemini/gemini-3.5-flash-lite",
        "openai/gpt-6-luna",
        "openai/gpt-5.4-mini",
    )

    assert [room_to_think(name) for name in (*roomy, "anthropic/claude-opus-5-5", "openai/gpt-5")] == [
        2_000
    ] * 6
    assert [room_to_think(name) for name in (*others, "ollama/qwen3:8b", "openclaw", "openai/gpt-4.1")] == [
        0
    ] * 7


# -- keys ---------------------------------------------------------------------------------------------


def test_a_key_stands_in_the_environment_or_in_the_keys_file(env: dict[str, str]) -> None:
    keep_keys(env, f"# mine\n\nexport ONE='{KEY}'\nTWO = \"two\"\nTHREE=a=b#c\nno line\nFOUR=$(id)\n")

    found = [keys.find_key([name], env) for name in ("ONE", "TWO", "THREE", "FOUR")]
    env["TWO"] = "from-the-environment"
    first = keys.find_key(["NONE", "TWO"], env)

    assert [key.reveal() for key in found if isinstance(key, Key)] == [KEY, "two", "a=b#c", "$(id)"]
    assert isinstance(first, Key)
    assert (first.reveal(), first.variable) == ("from-the-environment", "TWO")


def test_a_keys_file_may_begin_as_an_editor_of_another_system_writes_it(env: dict[str, str]) -> None:
    keep_keys(env, f"\ufeffONE={KEY}\r\nTWO=two\r\n")

    found = [keys.find_key([name], env) for name in ("ONE", "TWO")]

    assert [key.reveal() for key in found if isinstance(key, Key)] == [KEY, "two"]


def test_without_a_key_it_is_said_where_to_put_one(env: dict[str, str]) -> None:
    failure = refused(env, "gemini/x")

    path = Path(env["XDG_CONFIG_HOME"]) / "scrimshaw" / "keys.env"
    assert failure.trouble is Trouble.KEY
    assert failure.detail == (
        f"There is no key: GEMINI_API_KEY or GOOGLE_API_KEY is neither in the environment nor in {path}. "
        f"Next: put the line GEMINI_API_KEY=… into {path}, then: chmod 600 {path}"
    )


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660])
def test_a_keys_file_that_others_may_read_is_not_used(env: dict[str, str], mode: int) -> None:
    path = keep_keys(env, f"GEMINI_API_KEY={KEY}\n", mode)

    failure = refused(env, "gemini/x")

    assert failure.trouble is Trouble.KEY
    assert failure.detail.endswith(f"Next: chmod 600 {path}")
    assert KEY not in failure.detail


def test_a_keys_file_that_is_no_file_or_too_large_is_told(env: dict[str, str]) -> None:
    path = keep_keys(env, "X" * 70_000)
    large = keys.find_key(["GEMINI_API_KEY"], env)
    path.unlink()
    os.mkfifo(path, 0o600)
    pipe = keys.find_key(["GEMINI_API_KEY"], env)

    assert [failure.trouble for failure in (large, pipe) if isinstance(failure, Failure)] == [Trouble.KEY] * 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "  "])
def test_the_line_break_that_a_secret_store_adds_is_no_part_of_a_key(env: dict[str, str], end: str) -> None:
    key = keys.find_key(["GEMINI_API_KEY"], env | {"GEMINI_API_KEY": KEY + end})

    assert isinstance(key, Key)
    assert key.reveal() == KEY


@pytest.mark.parametrize("between", ["\n", "\r\nX-Evil: 1", " ", "\x00", "é", "\u200b"])
def test_what_no_header_can_hold_is_no_key_and_is_not_shown(env: dict[str, str], between: str) -> None:
    failure = keys.find_key(["GEMINI_API_KEY"], env | {"GEMINI_API_KEY": f"{KEY}{between}{KEY}"})

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.KEY
    assert KEY[:8] not in failure.detail


def test_a_key_is_shown_by_the_name_of_its_variable() -> None:
    key = Key("GEMINI_API_KEY", KEY)

    shown = f"{key} {key!r} {[key]} {ModelChoice('x')} {dir(key)}"
    assert KEY not in shown
    assert repr(key) == "Key(GEMINI_API_KEY)"


# -- what could be used -------------------------------------------------------------------------------


def test_what_is_ready_comes_first_with_where_its_text_goes(env: dict[str, str]) -> None:
    tags = {"models": [{"name": "qwen3:8b"}, {"name": "gpt-oss:120b-cloud"}, {"name": "bad name"}, 7]}
    with serving(Wire(headers=JSON, body=json.dumps(tags).encode())) as ollama:
        env |= {"GEMINI_API_KEY": KEY, "OLLAMA_HOST": ollama.origin}
        found = available(env, endpoints={"mine": Endpoint("http://box:8000/v1", "MY_KEY")})

        assert [asked.method for asked in ollama.requests] == ["GET"]
    ready = {one.name: one.place for one in found if one.is_ready}
    assert ready == {
        "ollama/qwen3:8b": "this machine",
        "ollama/gpt-oss:120b-cloud": "ollama.com, through this machine",
        "gemini/gemini-2.5-flash": "generativelanguage.googleapis.com",
    }
    assert [one.is_ready for one in found] == sorted((one.is_ready for one in found), reverse=True)
    lacking = {one.name: one.next_step for one in found if not one.is_ready}
    assert "MY_KEY" in lacking["mine/MODEL"]
    assert "ANTHROPIC_API_KEY" in lacking["anthropic/claude-haiku-5-5"]
    assert "SCRIMSHAW_OPENCLAW" in lacking["openclaw"]
    assert KEY not in repr(found)


def test_every_name_that_is_proposed_can_be_opened(env: dict[str, str]) -> None:
    keyed = ("GEMINI", "ANTHROPIC", "OPENAI", "OPENROUTER", "DEEPSEEK", "DASHSCOPE", "ZAI")
    env |= {f"{name}_API_KEY": KEY for name in keyed}

    ready = [one.name for one in available(env) if one.is_ready]

    assert len(ready) == 7
    assert [name for name in ready if isinstance(opener(env)(ModelChoice(name)), Failure)] == []


def test_an_ollama_that_hangs_or_talks_nonsense_is_not_there(env: dict[str, str]) -> None:
    nonsense = (Wire(body=body) for body in (b"nonsense", b'{"models": 7}', b"[]", b"\xff"))
    for wire in (Wire(hangs=True), Wire(500), *nonsense):
        with serving(wire) as ollama:
            assert ollama_models(env | {"OLLAMA_HOST": ollama.origin}) is None


def test_an_ollama_elsewhere_is_not_asked(env: dict[str, str]) -> None:
    model = opened(env | {"OLLAMA_HOST": "http://box.example:11434"}, "ollama/x")

    assert model.place == "this machine"


def test_this_machine_is_only_what_leads_back_to_it() -> None:
    here = ("127.0.0.1:1", "127.8.8.8/v1", "localhost", "[::1]:9", "a.localhost", "LOCALHOST:1")
    elsewhere = (
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "0.0.0.0",
        "127.0.0.1@evil.example",
    )

    assert [host for host in here if not is_this_machine(f"http://{host}")] == []
    assert [host for host in elsewhere if is_this_machine(f"http://{host}")] == []


# -- prices -------------------------------------------------------------------------------------------


def test_the_owners_price_wins_then_what_answered_then_the_name() -> None:
    mine = {"openai/gpt-6-luna": (7.0, 8.0), "claude-haiku-4-5": (3.0, 4.0)}

    prices = [
        price_of("openai/gpt-6-luna", "", mine),
        price_of("anthropic/claude-haiku-4-5", "claude-haiku-4-5-20251001", mine),
        price_of("openai/gpt-6-luna", "", {}),
        price_of("openai/gpt-5-mini", "gpt-5-mini-2025-08-07", {}),
        price_of("gemini/gemini-2.5-flash", "gemini-3.5-flash", {}),
        price_of("gemini/gemini-2.5-flash", "something-new", {}),
        price_of("openclaw", "anthropic/claude-sonnet-5-5", {}),
        price_of("openclaw", "google/gemini-3.5-flash-lite", {}),
        price_of("openclaw/openai/gpt-6-sol", "", {}),
    ]

    assert prices == [
        (7.0, 8.0),
        (3.0, 4.0),
        (0.10, 0.50),
        (0.25, 2.0),
        (1.50, 9.0),
        (0.30, 2.50),
        (2.0, 10.0),
        (0.30, 2.50),
        (2.0, 10.0),
    ]


def test_a_server_beside_us_costs_nothing_and_what_is_not_known_is_not_guessed() -> None:
    here = {"mine": Endpoint("http://127.0.0.1:8000/v1"), "ollama": Endpoint("https://gpu.example/v1")}

    prices = [
        price_of("ollama/qwen3:8b", "qwen3:8b", {}),
        price_of("vllm/big", "", {}),
        price_of("mine/big", "", {}, endpoints=here),
        price_of("ollama/big", "", {}, endpoints=here),
        price_of("ollama/gpt-oss:120b-cloud", "", {}),
        price_of("openclaw", "", {}),
        price_of("openrouter/google/gemini-2.5-flash", "google/gemini-2.5-flash", {}),
        price_of("openai/gpt-99", "gpt-99", {}),
    ]

    assert prices == [(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), None, None, None, (0.30, 2.50), None]


def test_the_models_of_each_provider_that_has_a_preset_have_a_price() -> None:
    asked = ["qwen/qwen-plus-2025-07-28", "glm/glm-4.7", "deepseek/deepseek-chat", "openrouter/z-ai/glm-4.7"]

    prices = {name: price_of(name, name.removeprefix("openrouter/"), {}) for name in asked}
    proposed = {
        f"{provider}/{model}": price_of(f"{provider}/{model}", model, {})
        for provider, model in PROPOSED.items()
    }

    assert [name for name, price in (prices | proposed).items() if price is None] == []
    assert prices["glm/glm-4.7"] == prices["openrouter/z-ai/glm-4.7"] == (0.60, 2.20)


def test_every_price_is_two_sensible_numbers() -> None:
    assert [name for name, (read, written) in list_prices().items() if not 0 < read <= written <= 100] == []
