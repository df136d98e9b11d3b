"""Which zone dates are read and written in, and where it comes from."""

import json
import os
from pathlib import Path

import pytest
from tests.places import Place

from scrimshaw import workspace


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A workspace on a machine whose zone nobody has set, under a host that names none."""
    made = Place(tmp_path)
    (made.state / "openclaw.json").write_text(
        json.dumps({"agents": {"defaults": {"workspace": str(made.workspace)}}})
    )
    monkeypatch.setattr(workspace, "_machine_zone", lambda: "Etc/UTC")
    return made


def _zone(place: Place) -> tuple[str, str]:
    told = place.run("status", "--json").object["workspaces"][0]
    return told["zone"], told["zone_from"]


@pytest.mark.parametrize(
    "text",
    [
        "# USER.md - About Your Human\n\n- **Name:** Nora\n- **Timezone:** Europe/Berlin\n",
        "Timezone: Europe/Berlin\n",
        "* **Time zone**: `Europe/Berlin` (CET, Germany)\r\n",
        "- Zeitzone: CET, das heißt Europe/Berlin.\n",
        "- **Timezone:**\n- **Notes:** none\n- TZ: Europe/Berlin\n",
        "<!-- observed: 2026-01-01 | status: superseded -->\n\n- Timezone: Asia/Tokyo\n\n"
        "<!-- observed: 2026-02-01 | status: active -->\n\n- Timezone: Europe/Berlin\n",
        "- Timezone: America/Nowhere\n- Timezone: Europe/Berlin\n",
    ],
)
def test_the_zone_that_user_md_names_is_taken_where_nothing_else_names_one(place: Place, text: str) -> None:
    (place.workspace / "USER.md").write_bytes(text.encode())

    assert _zone(place) == ("Europe/Berlin", "USER.md")


@pytest.mark.parametrize(
    "text",
    [
        "- **Timezone:** Distributed globally (falls back to host timezone)\n",
        "- **Timezone:** ../../etc/localtime\n",
        "- **Timezone:** /usr/share/zoneinfo/Asia/Tokyo\n",
        "She said the timezone: well, see https://example.com/Europe/Berlin for it.\n",
        "Timezone: " + "A/" * 200_000,
        "x" * 300_000 + "\nTimezone: Europe/Berlin\n",
        "\ufeff\x00\x01",
        "",
    ],
)
def test_what_names_no_zone_is_passed_over(place: Place, text: str) -> None:
    (place.workspace / "USER.md").write_text(text, encoding="utf-8")

    assert _zone(place) == ("UTC", "")


def test_a_pipe_is_not_waited_for(place: Place) -> None:
    os.mkfifo(place.workspace / "USER.md")

    assert _zone(place) == ("UTC", "")


def test_what_is_set_goes_before_user_md(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.workspace / "USER.md").write_text("- **Timezone:** Europe/Berlin\n")
    config = {"agents": {"defaults": {"workspace": str(place.workspace), "userTimezone": "Europe/Lisbon"}}}

    monkeypatch.setattr(workspace, "_machine_zone", lambda: "Asia/Tokyo")
    assert _zone(place) == ("Asia/Tokyo", "this machine")
    (place.state / "openclaw.json").write_text(json.dumps(config))
    assert _zone(place) == ("Europe/Lisbon", "agents.defaults.userTimezone")
    monkeypatch.setenv("SCRIMSHAW_TIMEZONE", "America/Lima")
    assert _zone(place) == ("America/Lima", "environment")


def test_a_person_is_told_where_the_zone_comes_from(place: Place) -> None:
    (place.workspace / "USER.md").write_text("- **Timezone:** Europe/Berlin\n")

    status = place.run("status").out
    config = place.run("config", "--agent", "main").out

    assert "zone      Europe/Berlin, from USER.md" in status
    (row,) = [line for line in config.splitlines() if line.startswith("timezone ")]
    assert row.split() == ["timezone", "auto", "default:", "Europe/Berlin,", "from", "USER.md"]


def test_what_is_said_is_dated_in_the_zone_of_user_md(place: Place) -> None:
    (place.workspace / "USER.md").write_text("- **Timezone:** Pacific/Auckland\n")
    place.say(("We decided to use Postgres 17 for the billing service.", "Noted."))

    assert place.run("init", "--yes").code == 0

    hit = place.run("search", "Postgres", "--json").object["workspaces"][0]["hits"][0]
    assert hit["zone"] == "Pacific/Auckland"
