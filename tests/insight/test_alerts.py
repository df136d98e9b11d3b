"""Thresholds of the owner's: in status, doctor and the log; told once, as counts and ids, in bounded time."""

import json
import logging
import sys
import threading
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.insight.test_conflicts import _NEWER, _RENT
from tests.insight.test_health import _note
from tests.places import NOW, Place

from scrimshaw import Memory, ObserveOptions
from scrimshaw.services.insight import alerts
from scrimshaw.services.insight.alerts import keep_watch

_NOW = datetime.fromisoformat(NOW)


def _env(place: Place) -> dict[str, str]:
    return {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}


def _memory(place: Place) -> Memory:
    return Memory.open(env=_env(place), clock=lambda: _NOW)


def _watch(place: Place, after: timedelta = timedelta(0)) -> list[str]:
    return [alert.name for alert in keep_watch(_memory(place).target, _NOW + after)]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    _memory(made).observe(ObserveOptions(waits=False), consent=True)
    return made


def _configure(place: Place, text: str) -> None:
    path = place.root / ".config" / "scrimshaw" / "config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _contradict(place: Place) -> None:
    _note(place, [_RENT])
    _note(place, [_NEWER], days_ago=0)
    _memory(place).observe(ObserveOptions(waits=False))


def test_without_a_threshold_nobody_is_alerted_and_status_tells_what_was_found(place: Place) -> None:
    _contradict(place)

    assert _watch(place) == []

    status = place.run("status")
    assert "conflicts 1, 1 among standing lines: scrimshaw conflicts" in status.out
    told = place.run("status", "--json").object["workspaces"][0]["insight"]
    assert (told["conflicts"], told["standing_conflicts"]) == (1, 1)


def test_a_crossed_threshold_stands_in_status_doctor_and_log(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    _configure(place, "alert_conflicts: 0\nalert_health: 100\n")
    _contradict(place)

    with caplog.at_level(logging.WARNING):
        assert _watch(place) == ["conflicts", "health"]

    assert "1 conflict, and you want to know of more than 0" in caplog.text
    own = {"XDG_CONFIG_HOME": str(place.root / ".config")}
    assert "health is 97, below 100" in place.run("status", env=own).out
    assert "1 conflict, and you want to know of more than 0" in " ".join(
        place.run("doctor", env=own).out.split()
    )


def test_a_command_gets_counts_and_ids_and_no_text_once(place: Place, tmp_path: Path) -> None:
    said = tmp_path / "said"
    writes = f"import sys; open({str(said)!r}, 'a').write(sys.stdin.read() + chr(10))"
    _configure(place, json.dumps({"alert_conflicts": 0, "alert_command": [sys.executable, "-c", writes]}))
    _contradict(place)

    _watch(place)
    _watch(place, timedelta(hours=1))

    [told] = said.read_text().splitlines()
    assert json.loads(told)["conflicts"] == 1
    assert len(json.loads(told)["ids"][0]) == 2
    assert "rent" not in told


def test_an_alert_that_was_settled_is_told_again_when_it_comes_back(place: Place, tmp_path: Path) -> None:
    said = tmp_path / "said"
    writes = f"open({str(said)!r}, 'a').write('x')"
    _configure(place, json.dumps({"alert_conflicts": 0, "alert_command": [sys.executable, "-c", writes]}))
    _contradict(place)
    _watch(place)
    _memory(place).settle_conflict(_RENT, _NEWER, "keep-both", at_once=True)

    assert _watch(place, timedelta(hours=1)) == []
    _memory(place).undo()
    assert _watch(place, timedelta(hours=2)) == ["conflicts"]

    assert said.read_text() == "xx"


def test_a_command_that_hangs_or_is_missing_holds_nothing_up(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(alerts, "_SECONDS", 0.2)
    _contradict(place)
    for argv in ([sys.executable, "-c", "import time; time.sleep(60)"], ["/does/not/exist"]):
        _configure(place, json.dumps({"alert_conflicts": 0, "alert_command": argv}))
        with place.ledger() as ledger:
            ledger.set_meta("alerts-told", "")
        assert _watch(place) == ["conflicts"]

    assert caplog.text.count("alert_command failed") == 2


def test_a_web_hook_gets_the_same_and_its_address_stays_out_of_the_log(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _configure(place, "alert_conflicts: 0\nalert_webhook: https://example.org/hook/abc\n")
    sent = []

    def refuse(_, request, **__):
        sent.append((request.full_url, request.data))
        raise OSError("no route")

    monkeypatch.setattr("urllib.request.OpenerDirector.open", refuse)
    _contradict(place)

    _watch(place)

    [(address, body)] = sent
    assert address == "https://example.org/hook/abc"
    assert json.loads(body)["alerts"][0]["name"] == "conflicts"
    assert b"rent" not in body
    assert "alert_webhook failed: OSError" in caplog.text
    assert "hook/abc" not in caplog.text


class _Hook(BaseHTTPRequestHandler):
    """Lets `/here` lead to `/elsewhere`."""

    asked: list[str]

    def do_POST(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(302 if self.path == "/here" else 200)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.asked.append(f"{self.command} {self.path}")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.mark.parametrize("path", ["/here", "/there"])
def test_a_web_hook_that_leads_elsewhere_is_not_followed(
    place: Place, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    hook = type("Hook", (_Hook,), {"asked": []})
    server = HTTPServer(("127.0.0.1", 0), hook)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        _configure(place, f"alert_conflicts: 0\nalert_webhook: http://127.0.0.1:{server.server_port}{path}\n")
        _contradict(place)
        _watch(place)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

    assert hook.asked == [f"POST {path}"]
    assert ("alert_webhook failed: HTTPError" in caplog.text) is (path == "/here")


def test_an_agent_cannot_name_a_command_in_its_own_workspace(place: Place) -> None:
    path = place.workspace / ".scrimshaw" / "config.yaml"
    path.write_text("alert_command: [touch, /tmp/never]\n")

    answer = place.run("status")

    assert "alert_command is for your own file alone" in answer.out + answer.err


def test_the_daemon_looks_again_only_where_the_ledger_has_grown(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    found = alerts.conflicts_in
    monkeypatch.setattr(alerts, "conflicts_in", lambda *about, apart: looked.append(1) or found(*about))
    _watch(place)
    _watch(place, timedelta(hours=1))
    _contradict(place)
    _watch(place, timedelta(hours=2))

    assert len(looked) == 2
