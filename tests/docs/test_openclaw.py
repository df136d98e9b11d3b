"""The operator's guide says what is so: its snippet, its verbs and options, its length."""

import json
import re
from pathlib import Path

import pytest

from scrimshaw.cli import group

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guide" / "operator.md").read_text(encoding="utf-8")
SNIPPET = (ROOT / "templates" / "memory-flush.json").read_text(encoding="utf-8")
_CODE = re.compile(r"^```\w*\n(?P<block>.*?)^```$|`(?P<span>[^`\n]+)`", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:^|[\s/])scrimshaw (?P<words>[a-z][^|#\n]*)")


def commands(text: str) -> list[list[str]]:
    """Return the words of each `scrimshaw …` command in the code of *text*."""
    code = [found["block"] or found["span"] for found in _CODE.finditer(text)]
    return [command["words"].split() for part in code for command in _COMMAND.finditer(part)]


def unknown(words: list[str]) -> list[str]:
    """Return the words of a command that the program does not know: its verb, its options."""
    command = group.get_command(None, words[0]) if words[0] in group.list_commands(None) else None
    if command is None:
        return [words[0]]
    every = [command, *getattr(command, "commands", {}).values()]
    known = {name for one in every for parameter in one.params for name in parameter.opts} | {"--help"}
    return [word for word in words[1:] if word.startswith("--") and word.split("=")[0] not in known]


def flush() -> dict[str, str]:
    """The prompts of the snippet."""
    flush = json.loads(SNIPPET)["agents"]["defaults"]["compaction"]["memoryFlush"]
    return {name: text for name, text in flush.items() if isinstance(text, str)}


def test_the_guide_shows_the_memory_flush_snippet_as_it_is_in_the_template():
    blocks = re.findall(r"^```json\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)

    assert SNIPPET in blocks


def test_the_memory_flush_snippet_sets_its_two_prompts_and_when_it_comes_and_nothing_else():
    def paths(value: object, path: str = "") -> list[str]:
        if not isinstance(value, dict):
            return [path]
        return [found for name, part in value.items() for found in paths(part, f"{path}.{name}".lstrip("."))]

    where = "agents.defaults.compaction.memoryFlush"
    names = ("prompt", "softThresholdTokens", "systemPrompt")
    assert sorted(paths(json.loads(SNIPPET))) == [f"{where}.{name}" for name in names]
    assert (
        json.loads(SNIPPET)["agents"]["defaults"]["compaction"]["memoryFlush"]["softThresholdTokens"] == 6000
    )


def test_the_memory_flush_prompt_runs_a_script_that_there_is_and_has_a_way_without_it():
    prompt = flush()["prompt"]
    ran = re.search(
        r"skills/observational-memory/(?P<script>scripts/[\w-]+) (?P<option>--[a-z-]+) \d+", prompt
    )

    assert ran is not None
    assert f"{ran['option']} SECONDS" in (ROOT / ran["script"]).read_text(encoding="utf-8")
    assert "exec" in prompt
    assert "memory/YYYY-MM-DD.md" in prompt  # the host puts the day in
    assert [text.endswith("NO_REPLY.") for text in flush().values()] == [True, True]


def test_the_memory_flush_prompts_are_short():
    assert [name for name, text in flush().items() if len(text) > 500] == []


@pytest.mark.parametrize("words", commands(GUIDE), ids=" ".join)
def test_the_commands_of_the_guide_exist(words: list[str]):
    assert unknown(words) == []


def test_a_command_that_does_not_exist_is_noticed():
    text = "`scrimshaw observe --nothing` and `scripts/scrimshaw heal`, but `scrimshaw status --json`"

    assert [unknown(words) for words in commands(text)] == [["--nothing"], ["heal"], []]


def test_the_guide_is_short():
    assert len(GUIDE.splitlines()) <= 320
