"""`/metrics`: every figure that was named, few series, quick over a long ledger, as Prometheus wants it."""

import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.conftest import Served
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.services.metrics import catalogue
from scrimshaw.store import database

prometheus_client = pytest.importorskip("prometheus_client")
from prometheus_client.parser import text_string_to_metric_families  # noqa: E402

from scrimshaw.web.metrics import ServerMetrics  # noqa: E402

_NAMED = (
    "om_messages_tokens_total",
    "om_observations_tokens_total",
    "om_reflections_tokens_total",
    "om_compression_ratio",
    "om_observations_created_total",
    "om_reflections_created_total",
    "om_observer_duration_seconds",
    "om_reflector_duration_seconds",
    "om_observer_cost_total",
    "om_reflector_cost_total",
    "om_cost_savings_total",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "agents")


@pytest.fixture
def memory(home: Home) -> Iterator[Memory]:
    with home.open() as opened:
        yield opened


def use(memory: Memory) -> None:
    """Do something of everything that is counted."""
    memory.store("Gareth at the Plough pays on Mondays")
    memory.add_message("I bought the lamp from Anna for 200 euros.", thread_id="t", resource_id="r")
    memory.force_observe("t")
    memory.recall("who bought the lamp?")
    memory.report_usage(
        input_tokens=1, output_tokens=1, cache_read_input_tokens=1_000_000, model="anthropic/claude-haiku-4-5"
    )
    memory.consolidate(ttl_override="1s")


def _samples(memory: Memory) -> dict[str, float]:
    """Return the page's samples of an agent, by name and labels but the agent's."""
    page = ServerMetrics().render([memory.metrics()]).decode()
    found = {}
    for family in text_string_to_metric_families(page):
        for one in family.samples:
            if one.labels.get("resource_id") == memory.agent:
                rest = [value for name, value in one.labels.items() if name != "resource_id"]
                found["/".join([one.name.removeprefix("scrimshaw_"), *rest])] = one.value
    return found


def test_every_name_that_was_promised_is_there(memory: Memory) -> None:
    use(memory)

    found = {name.split("/")[0].removesuffix("_count").removesuffix("_sum") for name in _samples(memory)}

    assert set(_NAMED) <= found
    assert {one.name for one in catalogue.METRICS} == found


def test_the_figures_are_of_what_was_done(memory: Memory) -> None:
    before = _samples(memory)
    use(memory)
    memory._looked = None

    after = _samples(memory)

    grown = {name for name, value in after.items() if value > before.get(name, 0)}
    assert grown >= {
        "om_messages_tokens_total",
        "om_observations_tokens_total",
        "om_observations_created_total",
        "om_compression_ratio",
        "om_observer_duration_seconds_count",
        "om_cost_savings_total",
        "search_duration_seconds_count",
        "recalls_total",
        "working_conversations",
        "consolidation_duration_seconds_count",
        "lines",
        "section_characters",
        "newest_line_timestamp_seconds",
        "newest_message_timestamp_seconds",
    }
    assert after["om_compression_ratio"] == (
        after["om_messages_tokens_total"] / after["om_observations_tokens_total"]
    )
    assert after["lines"] == after["om_observations_created_total"]


def test_a_counter_never_falls(memory: Memory) -> None:
    use(memory)
    before = _samples(memory)
    line = memory.search("lamp").hits[0][0].line.observation.id
    memory.forget(memory.plan_forget(line))
    memory._looked = None

    after = _samples(memory)

    counters = {one.name for one in catalogue.METRICS if one.type != "gauge"}
    fallen = [
        name
        for name, value in before.items()
        if name.split("/")[0].removesuffix("_count").removesuffix("_sum") in counters and after[name] < value
    ]
    assert fallen == []
    assert after["lines_live"] < before["lines_live"]


def test_an_agent_has_sixty_series_at_most(memory: Memory) -> None:
    use(memory)
    for kind in ("iban", "jwt", "seed-phrase", "aws-access-key", "pin"):
        assert kind not in catalogue.SECRETS

    most = sum(len(one.values) * (2 if one.type == "summary" else 1) for one in catalogue.METRICS)

    assert len(_samples(memory)) <= most <= 60


def test_a_scrape_costs_no_more_over_a_long_ledger(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [0]
    connect = database._connect

    def counting(uri: str, **how: bool) -> sqlite3.Connection:
        connection = connect(uri, **how)
        connection.set_progress_handler(lambda: steps.__setitem__(0, steps[0] + 1), 10)
        return connection

    def scraped() -> int:
        steps[0] = 0
        memory.metrics(renews=False)
        return steps[0]

    memory.metrics()
    monkeypatch.setattr(database, "_connect", counting)
    first = scraped()
    for number in range(30):
        memory.add(f"Server {number} stands in rack {number}.", author="person")

    assert 0 < scraped() <= 2 * first
    steps[0] = 0
    memory.status()  # what does look at every line
    assert steps[0] > 2 * first


def test_two_agents_are_told_apart(home: Home, memory: Memory) -> None:
    with home.open("berta") as other:
        other.add("No meetings on Fridays", author="person")
        page = ServerMetrics().render([memory.metrics(), other.metrics()]).decode()

    assert 'scrimshaw_lines{resource_id="albert"} 0.0' in page
    assert 'scrimshaw_lines{resource_id="berta"} 1.0' in page
    assert page.count("# TYPE scrimshaw_lines gauge") == 1


def _complaints(page: str) -> list[str]:
    """Say what `promtool check metrics` says: units, endings, help."""
    found = []
    for family in text_string_to_metric_families(page):
        name = family.name
        if not family.documentation:
            found.append(f"{name}: no help text")
        if re.search(r"_(milliseconds|ms|minutes|hours|days|kb|mb|kilobytes|percent)(_|$)", name):
            found.append(f"{name}: not in base units")
        if family.type != "counter" and name.endswith("_total"):
            found.append(f"{name}: only a counter ends in _total")
        if family.type == "counter" and not all(one.name.endswith("_total") for one in family.samples):
            found.append(f"{name}: a counter ends in _total")
        if re.search(r"_(counter|gauge|summary|histogram)$", name) or re.search("[A-Z]", name):
            found.append(f"{name}: named after its type, or not in snake case")
    return found


def test_the_page_is_as_prometheus_wants_it(memory: Memory) -> None:
    use(memory)
    server = ServerMetrics()
    server.count(200, 0.01)
    page = server.render([memory.metrics()]).decode()

    assert _complaints(page) == []
    if promtool := shutil.which("promtool"):
        done = subprocess.run(
            [promtool, "check", "metrics"], input=page, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize(
    "page",
    [
        "# TYPE a_ms gauge\n# HELP a_ms Time.\na_ms 1\n",
        "# TYPE a_total gauge\n# HELP a_total Sum.\na_total 1\n",
        "# TYPE a gauge\na 1\n",
    ],
)
def test_a_page_that_is_not_is_noticed(page: str) -> None:
    assert _complaints(page)


def test_a_token_shows_its_agents_and_no_others(served: Served) -> None:
    served.memory().store("Gareth pays on Mondays")
    served.memory("berta").store("No meetings on Fridays")

    told = served.ask("GET", "/metrics", token=served.token("albert", scope="read"))

    assert told.status_code == 200
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'scrimshaw_working_memories{resource_id="albert"} 1.0' in told.text
    assert "berta" not in told.text
    both = served.ask("GET", "/metrics", token=served.token("*", scope="read")).text
    assert 'resource_id="berta"' in both
    assert 'scrimshaw_http_requests_total{code="2xx"} 1.0' in both


def test_without_a_token_no_figure_is_told(served: Served) -> None:
    told = served.ask("GET", "/metrics", token=None)

    assert told.status_code == 401
    assert "scrimshaw_" not in told.text
