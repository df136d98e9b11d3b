"""Transcripts that real hosts wrote: every row accounted for, every kind of session told apart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson

from scrimshaw.core.types import Entry, Role, SessionKind
from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource
from scrimshaw.sources.reading import Source


def read(source: Source) -> tuple[dict[SessionKind, list[Entry]], int]:
    """Return the evidence by kind of session, and how many rows were accounted for."""
    found: dict[SessionKind, list[Entry]] = {}
    rows = 0
    for state in source.sessions():
        for page in source.pages(state, None):
            assert not page.problems
            found.setdefault(state.session.kind, []).extend(page.entries)
            rows += len(page.entries) + sum(page.skipped.values())
    assert not source.warnings()
    return found, rows


def test_every_row_of_the_sqlite_sample_is_accounted_for(samples_folder: Path) -> None:
    decoded = (samples_folder / "dev-sqlite" / "transcripts.jsonl").read_bytes().splitlines()

    found, rows = read(SqliteSource(samples_folder / "dev-sqlite" / "openclaw-agent.sqlite", "main"))

    assert len(decoded) == rows
    direct = Counter(entry.role for entry in found[SessionKind.DIRECT])
    assert direct[Role.USER] >= 81 - 3 - 1  # less those of the group and one of a cron session
    assert {SessionKind.DIRECT, SessionKind.GROUP, SessionKind.CRON, SessionKind.SUBAGENT} == found.keys()


def test_compressed_rows_of_the_sqlite_sample_are_read_whole(samples_folder: Path) -> None:
    stored = [
        orjson.loads(line)
        for line in (samples_folder / "dev-sqlite" / "transcripts.jsonl").read_bytes().splitlines()
    ]
    compressed = {row["event"]["id"] for row in stored if row["compressed"]}

    found, _ = read(SqliteSource(samples_folder / "dev-sqlite" / "openclaw-agent.sqlite", "main"))

    entries = {entry.entry_id: entry for of_kind in found.values() for entry in of_kind}
    assert len(compressed) == 17
    assert max(len(entry.text) for entry in entries.values()) > 30_000
    assert compressed - entries.keys() <= {
        row["event"]["id"]
        for row in stored
        if row["event"]["type"] != "message"
        or row["event"]["message"].get("provenance")
        or row["event"]["message"]["role"] == "custom"
        or row["event"]["message"].get("toolName") == "tool_call"
    }


def test_every_line_of_the_jsonl_sample_is_accounted_for(samples_folder: Path) -> None:
    found, rows = read(JsonlSource(samples_folder / "dev-jsonl" / "sessions", "main"))

    assert rows == 128
    assert {SessionKind.DIRECT, SessionKind.GROUP, SessionKind.CRON, SessionKind.SUBAGENT} <= found.keys()
    assert not found.get(SessionKind.UNKNOWN)  # the reset session's key is found


def test_each_statement_of_the_ground_truth_is_evidence_and_what_is_private_is_not(
    samples_folder: Path,
) -> None:
    for name, source in (
        ("dev-sqlite", SqliteSource(samples_folder / "dev-sqlite" / "openclaw-agent.sqlite", "main")),
        ("dev-jsonl", JsonlSource(samples_folder / "dev-jsonl" / "sessions", "main")),
    ):
        truth = orjson.loads((samples_folder / name / "truth.json").read_bytes())

        found, _ = read(source)

        direct = {entry.entry_id: entry for entry in found[SessionKind.DIRECT]}
        assert {item["entry"]["entry_id"] for item in truth["items"]} <= direct.keys()
        said = "\n".join(entry.text for entry in direct.values())
        private = ("group-private", "heartbeat", "control", "inter-session", "cron")
        for item in truth["must_not_contain"]:
            if item["class"] in private:
                assert item["literal"] not in said, item
