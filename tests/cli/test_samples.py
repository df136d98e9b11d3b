"""The real command on transcripts that real hosts wrote, against their ground truth (promises 4 and 5)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.places import Answer, Place

from scrimshaw.core.section.budget import units
from scrimshaw.core.section.markers import BEGIN, END, HEADING
from scrimshaw.store.ledger import open_ledger

BUDGET = 4_500


class Written(NamedTuple):
    """What one observe of a sample left behind."""

    place: Place
    truth: dict[str, Any]
    answer: Answer

    @property
    def section(self) -> str:
        return self.place.section()

    @property
    def important(self) -> list[dict[str, Any]]:
        return [item for item in self.truth["items"] if item["priority"] >= 4 and not item["superseded_by"]]

    def forbidden(self, *classes: str) -> list[str]:
        return [one["literal"] for one in self.truth["must_not_contain"] if one["class"] in classes]


@pytest.fixture(scope="module", params=["dev-sqlite", "dev-jsonl"])
def written(
    request: pytest.FixtureRequest, samples_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Written:
    sample = samples_folder / request.param
    place = Place(
        tmp_path_factory.mktemp("machine") / "m", "sqlite" if "sqlite" in request.param else "jsonl"
    )
    if place.kind == "jsonl":
        shutil.rmtree(place.store)
        shutil.copytree(sample / "sessions", place.store)
    else:
        for path in place.store.parent.glob("openclaw-agent.sqlite*"):
            path.unlink()
        shutil.copy(sample / "openclaw-agent.sqlite", place.store)
    env = {"SCRIMSHAW_OBSERVATION_CHARS": str(BUDGET)}
    answer = place.run("observe", "--yes", "--json", now="2026-11-20T19:00:00+00:00", env=env)
    return Written(place, json.loads((sample / "truth.json").read_text(encoding="utf-8")), answer)


def _holds(text: str, item: dict[str, Any]) -> bool:
    return all(literal.lower() in text.lower() for literal in item["must_contain"])


def _share(text: str, items: list[dict[str, Any]]) -> float:
    return sum(_holds(text, item) for item in items) / len(items)


def test_what_matters_is_in_the_section_or_the_dated_files(written: Written) -> None:
    assert _share(written.section + written.place.dated(), written.important) >= 0.85


def test_most_of_it_is_in_a_section_held_to_4500_units(written: Written) -> None:
    whole = f"{HEADING}\n{BEGIN}{written.section}{END}\n"

    assert units(whole) <= BUDGET
    assert _share(written.section, written.important) >= 0.70


def test_no_planted_secret_is_in_any_file(written: Written) -> None:
    everything = written.place.everything_written() + (written.answer.out + written.answer.err).encode()

    assert [secret for secret in written.forbidden("secret") if secret.encode() in everything] == []
    assert (
        sum(written.answer.object["workspaces"][0]["redacted"].values())
        >= len(written.forbidden("secret")) - 1
    )


def test_no_planted_secret_is_in_any_row_of_the_ledger(written: Written) -> None:
    with sqlite3.connect(written.place.workspace / ".scrimshaw/ledger.sqlite") as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()

    assert [secret for secret in written.forbidden("secret") if secret in dump] == []


def test_nothing_else_that_must_not_be_noted_is_in_section_or_dated_files(written: Written) -> None:
    text = (written.section + written.place.dated()).lower()
    others = {one["class"] for one in written.truth["must_not_contain"]}

    assert [literal for literal in written.forbidden(*others) if literal.lower() in text] == []


def test_superseded_statements_are_closed_in_the_ledger(written: Written) -> None:
    old = {item["entry"].get("entry_id") for item in written.truth["items"] if item["superseded_by"]} - {None}
    newest = {item["entry"].get("entry_id") for item in written.truth["items"] if not item["superseded_by"]}
    with open_ledger(
        written.place.workspace / ".scrimshaw/ledger.sqlite", create=False, read_only=True
    ) as ledger:
        live = [line for line in ledger.live_lines() if old & set(line.observation.sources) - newest]

    assert [line.observation.text for line in live if not newest & set(line.observation.sources)] == []


def test_every_source_of_a_line_is_an_entry_of_the_transcript(written: Written) -> None:
    with open_ledger(
        written.place.workspace / ".scrimshaw/ledger.sqlite", create=False, read_only=True
    ) as ledger:
        lines = ledger.all_lines()

    assert lines
    assert all(line.observation.sources and line.observation.session_id for line in lines)
