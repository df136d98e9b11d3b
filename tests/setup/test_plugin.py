"""`scrimshaw install --plugin`: listed, put into the host's configuration, taken out again to the byte."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.setup.home import Home

from scrimshaw.resources import plugin_folder, program
from scrimshaw.setup.belonging import is_only_ours

ALL = ("--section", "remove", "--data", "delete")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home of nora")


def plugins(home: Home) -> dict[str, Any]:
    return dict(json.loads(home.config.read_text("utf-8")).get("plugins", {}))


def configure(home: Home, **values: Any) -> None:
    config = json.loads(home.config.read_text("utf-8"))
    home.config.write_text(json.dumps(config | values), encoding="utf-8")


def test_without_being_asked_for_no_plug_in_is_installed(home: Home) -> None:
    home.install()

    assert plugins(home) == {}


def test_the_plug_in_is_named_with_our_command_and_only_the_permission_that_was_asked_for(home: Home) -> None:
    home.install("--plugin", "tools")
    first = plugins(home)
    again = home.install("--plugin", "tools")
    home.install("--plugin", "tools+prompt")
    wide = plugins(home)["entries"]["scrimshaw"]
    home.install("--plugin", "tools")

    assert first["load"]["paths"] == [str(plugin_folder())]
    assert first["entries"]["scrimshaw"] == {"enabled": True, "config": {"command": list(program())}}
    assert "nothing to change" in again.out
    assert wide["hooks"] == {"allowConversationAccess": True}
    assert plugins(home) == first  # taken back where the tools alone are asked for


def test_the_plan_says_what_the_agent_gets_and_what_is_let_in(home: Home) -> None:
    told = home.run("install", "--plugin", "tools+prompt", "--dry-run").out

    assert "scrimshaw_search, scrimshaw_why and scrimshaw_add" in told
    assert "allowConversationAccess, and shows it the messages of every turn" in " ".join(told.split())
    assert "allowConversationAccess" not in home.run("install", "--plugin", "tools", "--dry-run").out
    assert plugins(home) == {}


def test_an_uninstall_leaves_the_configuration_as_it_was_to_the_byte(home: Home) -> None:
    configure(home, plugins={"load": {"paths": ["/some/other"]}, "entries": {"other": {"enabled": True}}})
    before = home.config.read_bytes()
    home.install("--plugin", "tools+prompt")
    assert plugins(home)["load"]["paths"] == ["/some/other", str(plugin_folder())]

    home.uninstall(*ALL)
    after_first = home.config.read_bytes()
    home.install("--plugin", "tools")
    entry = plugins(home)["entries"]["scrimshaw"]

    assert after_first == before
    assert entry["enabled"]  # a reinstall is not left disabled
    assert "hooks" not in entry


def test_a_configuration_that_changed_since_loses_what_is_ours_only(home: Home) -> None:
    home.install("--plugin", "tools+prompt")
    configure(home, gateway={"port": 18_790})

    home.uninstall(*ALL)

    after = json.loads(home.config.read_text("utf-8"))
    assert after["gateway"] == {"port": 18_790}
    assert "scrimshaw" not in json.dumps({name: after.get(name) for name in ("plugins", "hooks")})


def test_an_entry_of_the_persons_own_is_put_back_whatever_else_has_changed(home: Home) -> None:
    mine = {"enabled": False, "config": {"start": False}}
    configure(home, plugins={"entries": {"scrimshaw": mine}})
    home.install("--plugin", "tools+prompt")
    configure(home, gateway={"port": 18_790})

    home.uninstall(*ALL)

    assert plugins(home)["entries"] == {"scrimshaw": mine}
    assert not plugins(home).get("load")


def test_what_the_person_set_in_the_entry_stays(home: Home) -> None:
    mine = {"enabled": False, "config": {"start": False}, "hooks": {"allowPromptInjection": False}}
    configure(home, plugins={"entries": {"scrimshaw": mine}})

    home.install("--plugin", "tools")

    entry = plugins(home)["entries"]["scrimshaw"]
    assert entry["config"] == {"start": False, "command": list(program())}
    assert entry["hooks"] == {"allowPromptInjection": False}


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"plugins": {"enabled": False}}, "plugins.enabled is false"),
        ({"plugins": {"allow": ["other"]}}, "plugins.allow names"),
        ({"plugins": {"deny": ["scrimshaw"]}}, "plugins.deny names"),
    ],
)
def test_what_the_person_has_forbidden_is_not_switched_on(
    home: Home, values: dict[str, Any], says: str
) -> None:
    configure(home, **values)

    told = home.install("--plugin", "tools").out

    assert says in told
    assert plugins(home) == values["plugins"]


def test_a_host_that_refuses_is_quoted_and_the_rest_is_done(home: Home) -> None:
    home.stub.says("config set", code=1, err="Unknown config path: plugins.load.paths.")

    told = home.run("install", "--yes", "--plugin", "tools")

    assert "Unknown config path" in told.out + told.err
    assert (home.hook / "handler.ts").exists()
    assert plugins(home) == {}


def test_only_our_folder_counts_as_ours() -> None:
    before = {"plugins": {"load": {"paths": ["/a"]}}}
    ours = {"plugins": {"load": {"paths": ["/a", "/ours"]}, "entries": {"scrimshaw": {"enabled": True}}}}
    other = {"plugins": {"load": {"paths": ["/a", "/ours", "/b"]}}}

    assert is_only_ours(json.dumps(before).encode(), json.dumps(ours).encode(), ["/ours"])
    assert not is_only_ours(json.dumps(before).encode(), json.dumps(other).encode(), ["/ours"])
    assert not is_only_ours(json.dumps(before).encode(), json.dumps({"plugins": {}}).encode(), ["/ours"])
