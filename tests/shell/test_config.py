"""The configuration: layers, origins, and every mistake told at once."""

from pathlib import Path

import pytest

from scrimshaw.config import Settings, example, load, seconds, workspace_file
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
