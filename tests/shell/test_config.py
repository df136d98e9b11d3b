"""The configuration: layers, origins, and every mistake told at once."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scrimshaw.config import Endpoint, Settings, load, seconds, workspace_file
from scrimshaw.config.sample import example
from scrimshaw.errors import Exit, UserError


def _written(workspace: Path, text: str) -> Path:
    path = workspace_file(workspace)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return workspace


def _env(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), **more}


def test_defaults_hold_when_nothing_is_set(tmp_path: Path) -> None:
    config = load(tmp_path, "main", _env(tmp_path))

    assert Settings() == config.settings
    assert set(config.origin.values()) == {"default"}


def test_a_variable_wins_over_the_workspace_and_the_workspace_over_the_user(tmp_path: Path) -> None:
    user = tmp_path / "home/.config/scrimshaw/config.yaml"
    user.parent.mkdir(parents=True)
    user.write_text("ttl_days: 1\nbackups: 1\nobservation_chars: 1000\n")
    workspace = _written(tmp_path / "ws", "ttl_days: 2\nbackups: 2\n")

    config = load(workspace, "main", _env(tmp_path, SCRIMSHAW_TTL_DAYS="3"))

    assert (
        config.settings.ttl_days,
        config.settings.backups,
        config.settings.observation_chars,
    ) == (3, 2, 1000)
    assert config.origin["ttl_days"] == "environment"
    assert config.origin["backups"] == str(workspace_file(workspace))
    assert config.origin["observation_chars"] == str(user)


def test_an_agent_has_its_own_values(tmp_path: Path) -> None:
    workspace = _written(tmp_path / "ws", "backups: 2\nagents:\n  work:\n    backups: 7\n")

    assert load(workspace, "work", _env(tmp_path)).settings.backups == 7
    assert load(workspace, "main", _env(tmp_path)).settings.backups == 2


def test_three_mistakes_are_told_in_one_message(tmp_path: Path) -> None:
    workspace = _written(tmp_path / "ws", "ttl_dayz: 3\nobservation_chars: many\ntimezone: Mars/Base\n")

    with pytest.raises(UserError) as caught:
        load(workspace, "main", _env(tmp_path))

    text = str(caught.value)
    assert "3 problems" in text
    assert "did you mean ttl_days?" in text
    assert "observation_chars" in text
    assert "Mars/Base" in text
    assert "scrimshaw config --check" in text
    assert caught.value.exit_code is Exit.MENDABLE


def test_a_mistake_in_another_agents_block_is_told_too(tmp_path: Path) -> None:
    workspace = _written(tmp_path / "ws", "agents:\n  other:\n    ttl_days: 0\n")

    with pytest.raises(UserError, match=r"agents\.other"):
        load(workspace, "main", _env(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "- just\n- a list\n",
        "agents: 3\n",
        "\x00\x01",
        "1: 2\n",
        "!!python/object/apply:os.system [ls]\n",
    ],
)
def test_a_file_that_is_no_configuration_is_told_and_not_run(tmp_path: Path, text: str) -> None:
    workspace = _written(tmp_path / "ws", text)

    with pytest.raises(UserError, match="The configuration has"):
        load(workspace, "main", _env(tmp_path))


def test_quoted_numbers_are_read_as_numbers(tmp_path: Path) -> None:
    workspace = _written(tmp_path / "ws", "ttl_days: '30'\nsessions: [direct, group]\n")

    settings = load(workspace, "main", _env(tmp_path)).settings

    assert (settings.ttl_days, settings.sessions) == (30, ("direct", "group"))


def test_the_sample_file_holds_the_defaults(tmp_path: Path) -> None:
    workspace = _written(tmp_path / "ws", example())

    config = load(workspace, "main", _env(tmp_path))

    assert Settings() == config.settings
    assert "default" not in config.origin.values()


@pytest.mark.parametrize(("text", "expected"), [("30s", 30), ("15m", 900), ("4h", 14_400), ("2d", 172_800)])
def test_durations_are_read(text: str, expected: int) -> None:
    assert expected == seconds(text)


DESK = "endpoints: {desk: {base_url: 'http://127.0.0.1:8000/v1', key_variable: DESK_KEY}}\n"


def _problems(tmp_path: Path, text: str) -> str:
    with pytest.raises(UserError) as caught:
        load(_written(tmp_path / "ws", text), "main", _env(tmp_path))
    return str(caught.value)


def test_settings_under_one_note_stand_together_in_the_sample() -> None:
    text = example()

    assert "observer_model: offline\nreflector_model: offline\n\n" in text
    assert "max_cost_per_day: 1.0\nmax_cost_per_month: 10.0\n\n" in text
    assert "\n\n\n" not in text


def test_a_model_may_come_from_a_provider_a_preset_or_an_endpoint_of_another_layer(tmp_path: Path) -> None:
    user = tmp_path / "home/.config/scrimshaw/config.yaml"
    user.parent.mkdir(parents=True)
    user.write_text(DESK)

    names = "offline openclaw openclaw/anthropic/claude-x gemini/g anthropic/c openai/o ollama/qwen3:8b"
    for number, name in enumerate([*names.split(), "openrouter/a/b:free", "desk/q"]):
        workspace = _written(tmp_path / str(number), f"observer_model: {name}\n")

        assert load(workspace, "main", _env(tmp_path)).settings.observer_model == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("observer_model: gemni/gemini-2.5-flash\n", "did you mean gemini?"),
        ("observer_model: gemini-2.5-flash\n", "did you mean gemini/gemini-2.5-flash?"),
        ("observer_model: claude-haiku-4-5\n", "did you mean anthropic/claude-haiku-4-5?"),
        ("reflector_model: Gemini/x\n", "did you mean gemini/x?"),
        ("observer_model: openai\n", "openai/NAME"),
        (f"{DESK}observer_model: desc/q\n", "did you mean desk?"),
        ("agents:\n  other:\n    observer_model: dask/q\n", "(agents.other): observer_model: 'dask/q'"),
        ("endpoints: {desk: {base_url: 'ftp://x'}}\n", "begins with https:// or http://"),
        ("endpoints: {desk: {base_url: 'http:///v1'}}\n", "endpoints.desk: base_url"),
        ("endpoints: {desk: {base_uri: 'http://x'}}\n", "did you mean base_url?"),
        ("endpoints: {desk: {}}\n", "base_url: is missing"),
        ("endpoints: {Desk: {base_url: 'http://x'}}\n", "small letters"),
        ("endpoints: {gemini: {base_url: 'http://x'}}\n", "means something else"),
        ("endpoints: {desk: 'http://x'}\n", "endpoints.desk: should hold base_url"),
        ("endpoints: [desk]\n", "endpoints: should hold a name"),
        ("prices: {openai/x: [-1, 2]}\n", "prices.openai/x: should be two numbers from 0 on"),
        ("prices: {openai/x: [.nan, 2]}\n", "two numbers"),
        ("prices: {openai/x: 3}\n", "two numbers"),
        ("max_cost_per_day: -1\n", "greater than or equal to 0"),
        ("max_cost_per_day: .inf\n", "max_cost_per_day"),
        ("private_patterns: ['(a']\n", "no regular expression"),
        ("private_patterns: ['(a+)+']\n", "private_patterns"),
        ("private_patterns: ['x*']\n", "private_patterns"),
        ("private_sessions: ['']\n", "private_sessions"),
        ("model_timeout: soon\n", "is not a duration"),
    ],
)
def test_what_is_wrong_with_a_model_s_settings_is_told_kindly(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert expected in _problems(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "endpoints: {{desk: {{base_url: 'https://x/v1', key_variable: {key}}}}}\n",
        "endpoints: {{desk: {{base_url: 'https://x/v1', api_key: {key}}}}}\n",
        "endpoints: {{desk: {{base_url: 'https://x/v1?key={key}'}}}}\n",
        "endpoints: {{desk: {{base_url: 'https://u:{key}@x/v1'}}}}\n",
        "endpoints: {key}\n",
        "observer_model: {key}\n",
        "openai_api_key: {key}\n",
        "ttl_days: {key}\n",
        "prices: {{x: {key}}}\n",
        "a: [{key}\n",
        "{key}\n",
    ],
)
@pytest.mark.parametrize("kind", ["openai-key", "google-key", "aws-key"])
def test_a_key_in_the_wrong_place_is_refused_and_not_printed(
    tmp_path: Path, fake_secret: Callable[[str], str], text: str, kind: str
) -> None:
    key = fake_secret(kind)

    assert key not in _problems(tmp_path, text.format(key=key))


def test_a_key_itself_is_answered_with_where_keys_belong(
    tmp_path: Path, fake_secret: Callable[[str], str]
) -> None:
    told = _problems(tmp_path, f"gemini_api_key: {fake_secret('google-key')}\n")

    assert "keys.env" in told


def test_off_means_off_although_yaml_reads_it_as_no(tmp_path: Path) -> None:
    workspace = _written(tmp_path / "ws", "review: off\nobserver_model: off\n")

    settings = load(workspace, "main", _env(tmp_path)).settings

    assert (settings.review, settings.observer_model) == ("off", "offline")


def test_tables_and_lists_come_from_variables_too(tmp_path: Path) -> None:
    env = _env(
        tmp_path,
        SCRIMSHAW_ENDPOINTS='{"desk": {"base_url": "http://127.0.0.1:1/v1"}}',
        SCRIMSHAW_OBSERVER_MODEL="desk/q",
        SCRIMSHAW_PRICES="{desk/q: [0, 1.5]}",
        SCRIMSHAW_PRIVATE_PATTERNS="project falcon",
        SCRIMSHAW_MAX_COST_PER_DAY="0.25",
    )

    settings = load(None, "main", env).settings

    assert settings.endpoints == {"desk": Endpoint("http://127.0.0.1:1/v1")}
    assert settings.prices == {"desk/q": (0.0, 1.5)}
    assert (settings.private_patterns, settings.max_cost_per_day) == (("project falcon",), 0.25)


def test_an_agent_may_have_its_own_model_and_keep_another_offline(tmp_path: Path) -> None:
    workspace = _written(
        tmp_path / "ws", "observer_model: ollama/q\nagents:\n  diary:\n    observer_model: offline\n"
    )

    assert load(workspace, "main", _env(tmp_path)).settings.observer_model == "ollama/q"
    assert load(workspace, "diary", _env(tmp_path)).settings.observer_model == "offline"


def test_an_endpoint_in_a_workspace_is_refused_because_agents_can_write_there(tmp_path: Path) -> None:
    workspace = _written(tmp_path / "ws", f"{DESK}observer_model: desk/q\n")

    with pytest.raises(UserError) as refused:
        load(workspace, "main", _env(tmp_path))

    assert "endpoints is for your own file alone" in str(refused.value)


def test_nothing_heavy_is_loaded_while_nothing_is_set(tmp_path: Path) -> None:
    program = (
        "import json, sys\nfrom scrimshaw.config import load\n"
        "load(None, 'main', {'HOME': sys.argv[1]})\nprint(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}

    assert not loaded & {"pydantic", "yaml", "google", "openai", "anthropic", "httpx"}
    assert "scrimshaw.models.presets" not in json.loads(done.stdout)


def test_the_window_s_size_under_its_older_name_is_still_the_window_s(tmp_path: Path) -> None:
    workspace = _written(
        tmp_path / "ws", "observation_threshold: 900\nagents: {own: {observation_threshold: 50000}}\n"
    )

    config = load(workspace, "main", _env(tmp_path))

    assert (config.settings.window_tokens, config.settings.observation_threshold) == (900, 40_000)
    assert config.origin["window_tokens"] == str(workspace_file(workspace))
    own = load(workspace, "own", _env(tmp_path)).settings
    assert (own.window_tokens, own.observation_threshold) == (900, 50_000)
    by_variable = load(workspace, "main", _env(tmp_path, SCRIMSHAW_OBSERVATION_THRESHOLD="1200")).settings
    assert by_variable.window_tokens == 1200
