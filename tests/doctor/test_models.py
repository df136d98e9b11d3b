"""A model that was chosen is looked over: can it be asked, by whom, at what risk, and what waits for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.doctor.cases import MOMENT, MOMENT_MS, about, environment, examined, worst
from tests.fake_model import FakeOpener, always
from tests.places import Place

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.doctor import Severity
from scrimshaw.host import service
from scrimshaw.host.unit import ServiceRequest, ServiceUnit
from scrimshaw.models import opening
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.services.models import outages
from scrimshaw.services.models.client import Consultant, consultant
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Run

GEMINI = "gemini/gemini-2.5-flash"


@pytest.fixture
def a_key(fake_secret: Callable[[str], str]) -> str:
    return fake_secret("google-key")


def chosen(place: Place, text: str) -> None:
    lines = text.splitlines(keepends=True)
    own = place.root / ".config" / "scrimshaw" / "config.yaml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("".join(line for line in lines if line.startswith("endpoints")))
    rest = "".join(line for line in lines if not line.startswith("endpoints"))
    (place.workspace / ".scrimshaw" / "config.yaml").write_text(rest)


def installed_unit(place: Place, reach: str = "nothing") -> None:
    """Put a service's unit where the doctor looks, as an install would have written it."""
    path = service.unit_path(environment(place))
    path.parent.mkdir(parents=True, exist_ok=True)
    asked = ServiceRequest(("/usr/bin/python3",), (), {})
    path.write_text(service.unit_text(ServiceUnit(asked, (place.workspace,), reach=reach)))  # type: ignore[arg-type]


def keys_env(place: Place, line: str, mode: int = 0o600) -> Path:
    path = place.root / ".config" / "scrimshaw" / "keys.env"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{line}\n")
    path.chmod(mode)
    return path


def test_without_a_model_it_is_said_that_nothing_is_sent(place: Place) -> None:
    severity, told = worst(examined(place), "model")

    assert severity is Severity.OK
    assert "nothing is sent" in told


def test_a_missing_key_is_told_with_the_places_it_was_looked_for_in(place: Place) -> None:
    chosen(place, f"observer_model: {GEMINI}\n")

    severity, told = worst(examined(place), "model")

    assert severity is Severity.WARNING
    assert "GEMINI_API_KEY" in told
    assert str(place.root / ".config/scrimshaw/keys.env") in told
    assert "rules write the notes" in told


def test_a_key_in_its_file_is_well(place: Place, a_key: str) -> None:
    chosen(place, f"observer_model: {GEMINI}\nreflector_model: {GEMINI}\n")
    keys_env(place, f"GEMINI_API_KEY={a_key}")

    (finding,) = about(examined(place), "model")

    assert finding.severity is Severity.OK
    assert "writes the notes and goes over them; text goes to" in finding.what


def test_a_key_that_others_may_read_is_not_taken(place: Place, a_key: str) -> None:
    chosen(place, f"observer_model: {GEMINI}\n")
    path = keys_env(place, f"GEMINI_API_KEY={a_key}", 0o644)

    severity, told = worst(examined(place), "model")

    assert severity is Severity.WARNING
    assert f"chmod 600 {path}" in told
    assert a_key not in told


@pytest.mark.parametrize(("has_service", "expected"), [(True, Severity.WARNING), (False, Severity.NOTE)])
def test_a_key_of_this_shell_alone_is_none_for_a_service(
    place: Place, a_key: str, has_service: bool, expected: Severity
) -> None:
    chosen(place, f"observer_model: {GEMINI}\n")
    if has_service:
        installed_unit(place, "network")

    severity, told = worst(examined(place, GEMINI_API_KEY=a_key), "model")

    assert severity is expected
    assert "keys.env" in told
    assert a_key not in told


def test_a_missing_client_library_is_told_with_the_command(
    place: Place, a_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen(place, f"observer_model: {GEMINI}\n")
    monkeypatch.setattr(opening, "missing_library", lambda module: f"pip install {module}")

    severity, told = worst(examined(place, GEMINI_API_KEY=a_key), "model")

    assert severity is Severity.WARNING
    assert "pip install google.genai" in told


@pytest.mark.parametrize(
    ("address", "is_bad"),
    [("http://10.0.0.5:8000/v1", True), ("https://10.0.0.5/v1", False), ("http://127.0.0.1:8000/v1", False)],
)
def test_what_is_said_should_not_travel_unencrypted(place: Place, address: str, is_bad: bool) -> None:
    server = f"endpoints: {{desk: {{base_url: '{address}'}}}}\n"
    chosen(place, f"observer_model: desk/q\nprices: {{desk/q: [0, 0]}}\n{server}")

    found = [one for one in about(examined(place), "model") if "unencrypted" in one.what]

    assert [one.severity for one in found] == [Severity.WARNING] * is_bad


def test_a_price_that_nobody_knows_is_told_while_dollars_are_to_limit(place: Place) -> None:
    desk = "observer_model: desk/q\nendpoints: {desk: {base_url: 'https://desk.example/v1'}}\n"
    for more, expected in {
        "": Severity.NOTE,
        "max_cost_per_day: 0\nmax_cost_per_month: 0\n": None,
        "max_tokens_per_day: 0\nmax_tokens_per_month: 0\n": Severity.WARNING,
        "prices: {desk/q: [1, 2]}\n": None,
    }.items():
        chosen(place, desk + more)

        found = [one.severity for one in about(examined(place), "model") if "price" in one.what]

        assert found == ([expected] if expected else []), more


@pytest.mark.parametrize(
    ("reach", "model", "is_bad"),
    [
        ("nothing", "desk/q", True),
        ("network", "desk/q", False),
        ("openclaw", "desk/q", False),
        ("nothing", "openclaw", True),
        ("network", "openclaw", True),
        ("openclaw", "openclaw", False),
        ("network", "offline", False),
    ],
)
def test_a_service_that_cannot_reach_the_model_is_a_warning(
    place: Place, reach: str, model: str, is_bad: bool
) -> None:
    chosen(place, f"observer_model: {model}\nendpoints: {{desk: {{base_url: 'https://desk.example/v1'}}}}\n")
    installed_unit(place, reach)

    found = [one for one in about(examined(place), "model") if "service install" in " ".join(one.next_step)]

    assert [one.severity for one in found] == [Severity.WARNING] * is_bad


def ready(place: Place) -> None:
    chosen(
        place,
        "observer_model: desk/q\nendpoints: {desk: {base_url: 'https://desk.example/v1'}}\n"
        "prices: {desk/q: [1, 2]}\n",
    )


def test_a_model_that_failed_again_and_again_is_told_with_the_pause(place: Place) -> None:
    ready(place)
    model = always(Failure(Trouble.SERVER, "the server says 503"))
    model.name = "desk/q"
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        for number in range(3):
            ledger.begin_run(Run(f"r{number}", "observe", "command", "desk/q", MOMENT_MS))
            asked = consultant(
                place.target(),
                ledger,
                job="observe",
                run_id=f"r{number}",
                now=MOMENT,
                opens=FakeOpener(model),
            )
            assert isinstance(asked, Consultant)
            asked.ask(Prompt("s", "t", 100))

    severity, told = worst(examined(place, MOMENT + timedelta(seconds=60)), "model")

    assert severity is Severity.WARNING
    assert "paused for another" in told
    assert "the server says 503" in told


def test_what_waits_is_told_with_since_when_and_why(place: Place) -> None:
    ready(place)
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        outages.note_failure(
            ledger,
            "desk/q",
            Failure(Trouble.CONNECTION, "desk.example does not answer."),
            at_ms=MOMENT_MS - 2 * 3_600_000,
            patience_seconds=14_400,
        )

    severity, told = worst(examined(place), "model")

    assert severity is Severity.WARNING
    assert "could not be asked for 2 hours: what is said waits for it" in told
    assert "desk.example does not answer." in told


@pytest.mark.parametrize(
    ("cap", "until"), [(5, "until the cap is raised"), (3_000, "until 2026-11-21 00:00, or until the cap")]
)
def test_a_reached_cap_is_told_with_when_it_goes_on(place: Place, cap: int, until: str) -> None:
    ready(place)
    path = place.workspace / ".scrimshaw/config.yaml"
    path.write_text(f"{path.read_text()}max_tokens_per_day: {cap}\n")
    model = always(Answer("Well.", Usage(2_000, 900), "desk/q"))
    model.name = "desk/q"
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        ledger.begin_run(Run("r", "observe", "command", "desk/q", MOMENT_MS))
        asked = consultant(
            place.target(), ledger, job="observe", run_id="r", now=MOMENT, opens=FakeOpener(model)
        )
        assert isinstance(asked, Consultant)
        asked.ask(Prompt("s", "t", 100))
        asked.ask(Prompt("s", "t", 100))

    severity, told = worst(examined(place), "model")

    assert len(model.prompts) == (cap > 100)
    assert severity is Severity.WARNING
    assert f"Nothing is sent {until}" in told


def test_the_doctor_still_changes_nothing_and_loads_no_client(place: Place, a_key: str) -> None:
    chosen(place, f"observer_model: {GEMINI}\n")
    before = {name for name in ("google.genai", "openai", "anthropic") if name in sys.modules}

    examined(place, GEMINI_API_KEY=a_key)

    assert before == {name for name in ("google.genai", "openai", "anthropic") if name in sys.modules}
    assert os.environ.get("GEMINI_API_KEY") != a_key
