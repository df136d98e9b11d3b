"""What the files around the code say is true of the code: versions, settings, links, codes, names."""

import ast
import os
import re
import subprocess
from pathlib import Path

import frontmatter
import pytest

from scrimshaw import __version__
from scrimshaw.config.sample import example
from scrimshaw.errors import Exit

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {
    ".git",
    ".hypothesis",
    ".venv",
    ".venv-dev",
    ".run",
    "__pycache__",
    "node_modules",
    "dist",
    "build",
}
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)")


def _files(pattern: str = "*") -> list[Path]:
    def is_ours(path: Path) -> bool:
        parts = path.relative_to(ROOT).parts
        return path.is_file() and not any(part in NOT_OURS or part.endswith("_cache") for part in parts)

    return sorted(path for path in ROOT.rglob(pattern) if is_ours(path))


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def broken_links(document: Path, text: str) -> list[str]:
    targets = [link["target"] for link in _LINK.finditer(text)]
    return [target for target in targets if not (document.parent / target).exists()]


def machine_paths(text: str) -> list[str]:
    """Return what looks like a path of one particular machine; invented homes in examples are none."""
    ours = "|".join(
        ["/wo" + r"rk/\w+", "/ro" + r"ot/[\w.]+", "/Us" + r"ers/\w+", "/tm" + r"p/(?:plan|devenv|bash_jobs)"]
    )
    return re.findall(rf"(?<![\w./~-])(?:{ours})", text)


@pytest.mark.parametrize("document", _files("*.md"), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(document):
    assert broken_links(document, document.read_text(encoding="utf-8")) == []


def test_a_link_to_nowhere_is_noticed():
    text = "[a](README.md) [b](docs/no-such.md) [c](https://example.org/x) [d](#here)"

    assert broken_links(ROOT / "README.md", text) == ["docs/no-such.md"]


def test_the_sample_configuration_is_the_schema_s():
    assert example() == _text("config.example.yaml")


def test_the_changelog_begins_with_the_current_version():
    newest = re.search(r"^## \[(?P<version>[^]]+)\]", _text("CHANGELOG.md"), re.MULTILINE)

    assert newest is not None
    assert __version__ == newest["version"]


def test_the_host_accepts_the_skill():
    head = frontmatter.loads(_text("SKILL.md")).metadata
    host = head["metadata"]["openclaw"]

    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", head["name"])
    assert head["name"] == "observational-memory"
    assert len(head["description"]) < 160
    assert "\n" not in head["description"]
    assert set(head) <= {"name", "description", "user-invocable", "disable-model-invocation", "metadata"}
    assert set(host) <= {"emoji", "os", "requires", "primaryEnv", "install"}
    assert set(host["requires"]) <= {"bins", "anyBins", "env", "config"}
    assert (ROOT / "SKILL.md").stat().st_size < 256_000
    # The host's reader takes one line for each key.
    assert re.search(r"^metadata: \{.*\}$", _text("SKILL.md"), re.MULTILINE)


def test_every_variable_that_is_read_is_declared_in_the_skill():
    # A scan at publishing flags variables that a skill uses and does not name.
    read = set()
    for path in [*_files("*.py"), *(ROOT / "scripts").iterdir()]:
        if (ROOT / "skill") in path.parents or (ROOT / "scripts") in path.parents:
            read |= set(re.findall(r"\bOPENCLAW_[A-Z_]+\b", path.read_text(encoding="utf-8")))

    assert read - set(re.findall(r"\bOPENCLAW_[A-Z_]+\b", _text("SKILL.md"))) == set()


def test_the_exit_codes_are_documented():
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", _text("docs/commands.md"), re.MULTILINE)}

    assert documented - {130} == {int(code) for code in Exit}


def test_every_verb_is_documented_and_no_other():
    from scrimshaw.cli import group

    text = _text("docs/commands.md")
    part = text[text.index("## The verbs") : text.index("## Exit codes")]
    documented = re.findall(r"\*\*`([a-z-]+)`\*\*", part)

    assert sorted(group.list_commands(None)) == sorted(documented)


def test_every_option_is_documented_with_the_verbs_that_take_it():
    from scrimshaw.cli import group

    takes: dict[str, set[str]] = {}
    for verb in group.list_commands(None):
        command = group.get_command(None, verb)
        for part in (command, *getattr(command, "commands", {}).values()):
            for parameter in part.params:
                for name in parameter.opts:
                    if name.startswith("--"):  # an argument has a name, too
                        takes.setdefault(name, set()).add(verb)
    table = re.findall(r"^\| `(--[a-z-]+)[^`]*` \| ([^|]+) \|", _text("docs/commands.md"), re.MULTILINE)

    assert {name: _verbs(words, set(group.list_commands(None))) for name, words in table} == takes


def _verbs(words: str, every: set[str]) -> set[str]:
    named = set(re.findall(r"`([a-z-]+)`", words))
    return every - named if words.startswith("all") else named


def test_start_knows_what_preview_says_when_there_is_something_to_write():
    words = ": would be written"

    assert words in _text("scripts/start")
    assert words in _text("skill/scrimshaw/cli/render/run_report.py")


def test_no_file_names_a_place_on_one_machine():
    found = {}
    for path in _files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if paths := machine_paths(text):
            found[str(path.relative_to(ROOT))] = sorted(set(paths))

    assert found == {}


def test_a_place_on_one_machine_is_noticed():
    ours = "/wo" + "rk/main"

    assert machine_paths(f"see {ours}/README.md") == [ours]
    assert machine_paths("see skills/work/main and /home/nora/x") == []


@pytest.mark.parametrize(
    "name", ["start", "test", "check", "test-host", "test-long", "scrimshaw", "observe-now"]
)
def test_every_script_is_executable_and_explains_itself(name):
    lines = _text(f"scripts/{name}").splitlines()

    assert os.access(ROOT / "scripts" / name, os.X_OK)
    assert lines[0] == "#!/usr/bin/env bash"
    assert lines[1].startswith("# ")
    assert "set -euo pipefail" in lines


def test_ci_runs_the_commands_that_the_readme_names():
    ci = _text(".ci/run")

    for command in ("scripts/start", "scripts/test", "scripts/check", "scripts/test-host"):
        assert re.search(rf"^{command}(?: |$)", _text("README.md"), re.MULTILINE), command
        assert re.search(rf"^step [\w-]+ {command}(?: |$)", ci, re.MULTILINE), command


def test_nothing_generated_would_be_committed():
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    wanted = [".venv/x", ".venv-dev/x", "demo/.run/x", "a/__pycache__/x.pyc"]

    ignored = subprocess.run(
        ["git", "check-ignore", *wanted], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert ignored.stdout.split() == wanted


def test_every_module_says_what_it_is_for():
    silent = [
        str(path.relative_to(ROOT))
        for path in _files("*.py")
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert silent == []
