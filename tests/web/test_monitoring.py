"""The Grafana board and the alert rules: what they ask for is there in a scrape of a real server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("prometheus_client")
from prometheus_client.parser import text_string_to_metric_families
from tests.web.conftest import Served
from tests.web.test_metrics import use

Series = dict[str, list[dict[str, str]]]  # by the sample's name: the labels of each

_FOLDER = Path(__file__).parents[2] / "templates" / "monitoring"
_BOARD, _RULES = _FOLDER / "grafana.json", _FOLDER / "alerts.yml"
_PANELS = {"timeseries", "piechart", "gauge", "stat", "table", "bargauge"}  # those that every Grafana has
_COLUMNS = 24
_SELECTOR = re.compile(r"\b(scrimshaw_\w+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'\s*(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"\s*')
_BY = re.compile(r"\b(?:by|on|without)\s*\(([^)]*)\)")
_SHOWN = re.compile(r"\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}")
_OF_PROMETHEUS = {"instance", "job"}  # labels that a scrape adds


@pytest.fixture
def series(served: Served) -> Series:
    """What a server tells of a memory in which each thing has been done."""
    with served.memory() as memory:
        use(memory)
        memory.add("The spare key is under the third pot.", author="person")
    served.ask("GET", "/health", token=None)
    served.app._on_answer(500, 0.1)  # type: ignore[attr-defined]  # as if a defect had been answered
    page = served.ask("GET", "/metrics").text
    found: Series = {}
    for family in text_string_to_metric_families(page):
        for one in family.samples:
            found.setdefault(one.name, []).append(dict(one.labels))
    return found


def _wrong_in(expression: str, series: Series, shown: str = "") -> Iterator[str]:
    """Yield what *expression* asks for, or its text *shown* names, that no series has."""
    selectors = _SELECTOR.findall(expression)
    if not selectors:
        yield f"{expression}: asks for nothing of ours"
    labels: set[str] = set()
    for name, matchers in selectors:
        rows = series.get(name, [])
        if not rows:
            yield f"{name}: there is no such series"
            continue
        labels |= set(rows[0])
        if matchers and not re.fullmatch(rf"{_MATCHER.pattern}(?:,{_MATCHER.pattern})*", matchers):
            yield f"{name}{{{matchers}}}: cannot be read"
        for label, how, value in _MATCHER.findall(matchers):
            if label not in rows[0]:
                yield f"{name}: has no label {label}"
            elif how == "=" and value not in {row[label] for row in rows}:
                yield f"{name}: no {label} is {value}"
    kept = {one.strip() for group in _BY.findall(expression) for one in group.split(",")}
    for label in sorted(kept | set(_SHOWN.findall(shown))):
        if label not in labels | _OF_PROMETHEUS and label != "value":
            yield f"{expression}: nothing has a label {label}"
    if "sum by" in expression and (lost := set(_SHOWN.findall(shown)) - kept):
        yield f"{expression}: {sorted(lost)} are summed away"


def _wrong_in_board(board: dict[str, Any], series: Series) -> list[str]:
    """Return what Grafana could not show of *board*."""
    wrong = [
        f"no {name}" for name in ("title", "uid", "schemaVersion", "time", "templating") if name not in board
    ]
    if not isinstance(board.get("schemaVersion"), int) or board["schemaVersion"] < 36:
        wrong.append("schemaVersion: before the panels that are used here")
    variables = {one["name"] for one in board["templating"]["list"]}
    taken: dict[tuple[int, int], int] = {}
    for panel in board["panels"]:
        where = f"panel {panel.get('id')}"
        if panel.get("type") not in _PANELS or not panel.get("title"):
            wrong.append(f"{where}: no type that every Grafana has, or no title")
        at = panel.get("gridPos", {})
        if not {"h", "w", "x", "y"} <= at.keys() or at["x"] + at["w"] > _COLUMNS:
            wrong.append(f"{where}: has no place, or stands out of the board")
            continue
        for cell in (
            (x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])
        ):
            if taken.setdefault(cell, panel["id"]) != panel["id"]:
                wrong.append(f"{where}: lies upon panel {taken[cell]}")
                break
        if panel.get("datasource") != {"type": "prometheus", "uid": "${datasource}"}:
            wrong.append(f"{where}: another source of data than the one chosen")
        targets = panel.get("targets", [])
        if not targets or len({one["refId"] for one in targets}) < len(targets):
            wrong.append(f"{where}: asks for nothing, or twice under one name")
        for one in targets:
            wrong += _wrong_in(one["expr"], series, one.get("legendFormat", ""))
            asked = set(re.findall(r"\$\{?(\w+)", one["expr"])) - {"__rate_interval", "__range", "__interval"}
            wrong += [f"{where}: there is no variable {name}" for name in asked - variables]
    ids = [panel["id"] for panel in board["panels"]]
    return wrong + (["two panels have one id"] if len(set(ids)) < len(ids) else [])


def _wrong_in_rules(rules: dict[str, Any], series: Series) -> list[str]:
    wrong = []
    for group in rules["groups"]:
        for rule in group["rules"]:
            wrong += _wrong_in(rule["expr"], series, " ".join(rule["annotations"].values()))
            if rule["labels"]["severity"] not in ("info", "warning", "critical"):
                wrong.append(f"{rule['alert']}: no severity")
    return wrong


def test_the_board_asks_for_what_a_server_tells(series: Series) -> None:
    board = json.loads(_BOARD.read_text())

    assert _wrong_in_board(board, series) == []
    query = next(one["query"] for one in board["templating"]["list"] if one["name"] == "agent")
    name, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", query).groups()  # type: ignore[union-attr]
    assert "albert" in {row[label] for row in series[name]}


def test_the_board_shows_what_was_asked_for() -> None:
    shown = {panel["title"] for panel in json.loads(_BOARD.read_text())["panels"]}

    assert {"Tokens by agent", "Compression", "Share of each tier", "Saved and spent"} <= shown


def test_the_rules_ask_for_what_a_server_tells(series: Series) -> None:
    rules = yaml.safe_load(_RULES.read_text())

    assert _wrong_in_rules(rules, series) == []
    if promtool := shutil.which("promtool"):
        done = subprocess.run(
            [promtool, "check", "rules", str(_RULES)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("scrimshaw_backlog_tokens", "scrimshaw_backlog_words"),
        ('resource_id=~\\"$agent\\"', 'agent=~\\"$agent\\"'),
        ("{{reason}}", "{{because}}"),
        ("sum by (code)", "sum by (status)"),
        ("$agent", "$somebody"),
        ('"y": 8', '"y": 4'),
        ('"schemaVersion": 38', '"schemaVersion": 12'),
        ('"timeseries"', '"graph"'),
        ('"refId": "B"', '"refId": "A"'),
    ],
)
def test_a_board_that_asks_for_something_else_is_noticed(was: str, becomes: str, series: Series) -> None:
    text = _BOARD.read_text()
    assert was in text

    assert _wrong_in_board(json.loads(text.replace(was, becomes)), series) != []


@pytest.mark.parametrize(
    ("was", "becomes"),
    [("scrimshaw_problems", "scrimshaw_complaints"), ("$labels.period", "$labels.month"), ('"5xx"', '"500"')],
)
def test_a_rule_that_asks_for_something_else_is_noticed(was: str, becomes: str, series: Series) -> None:
    text = _RULES.read_text()
    assert was in text

    assert _wrong_in_rules(yaml.safe_load(text.replace(was, becomes)), series) != []
