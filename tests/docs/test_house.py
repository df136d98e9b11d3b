"""What the files around the code say is true of the code: versions, settings, links, codes, names."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
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
REFERENCE = "docs/reference/commands.md"
PROSE = [
    path
    for path in [*ROOT.glob("*.md"), ROOT / "demo" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if path.name not in ("CHANGELOG.md", "benchmarks.md", "commands.md", "python.md")
]
_LINK = re.compile(r"\]\((?!https?:|mailto:)(?P<target>[^)#\s]*)(?:#(?P<part>[^)\s]+))?")


def _files(pattern: str = "*") -> list[Path]:
    def is_ours(path: Path) -> bool:
        parts = path.relative_to(ROOT).parts
        return path.is_file() and not any(part in NOT_OURS or part.endswith("_cache") for part in parts)

    return sorted(path for path in ROOT.rglob(pattern) if is_ours(path))


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def broken_links(document: Path, text: str) -> list[str]:
    """Return the relative links of *text* that lead to no file, or to no heading of one."""
    broken = []
    for link in _LINK.finditer(text):
        goal = document.parent / link["target"] if link["target"] else document
        if not goal.exists():
            broken.append(link["target"])
        elif link["part"] and link["part"] not in anchors(goal.read_text(encoding="utf-8")):
            broken.append(f"{link['target']}#{link['part']}")
    return broken


def anchors(text: str) -> set[str]:
    """Return what the headings of a document are linked by."""
    heads = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def sentences(text: str) -> list[str]:
    """Return the sentences of a document's prose: without code, tables, headings and link targets."""
    prose = re.sub(r"^(?:```|<!--).*?(?:^```$|-->)", "", text, flags=re.MULTILINE | re.DOTALL)
    blocks = re.split(
        r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", re.sub(r"^[|#].*$", "\n", prose, flags=re.MULTILINE)
    )
    plain = [re.sub(r"\]\([^)]*\)", "]", " ".join(block.split()).lstrip("-* ")) for block in blocks]
    return [one for block in plain for one in re.split(r"(?<=[.!?:])[*)\"]* (?=[A-Z*`\[])", block) if one]


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
    text += " [e](README.md#two-commands)"
    assert broken_links(ROOT / "README.md", text) == ["docs/no-such.md", "#here"]


def pages_within_two_clicks(documents: dict[Path, str], start: Path) -> set[Path]:
    """Return which of *documents* a reader of *start* gets to by at most two links."""
    near = {start}
    for _ in range(2):
        targets = [(page, link["target"]) for page in near for link in _LINK.finditer(documents[page])]
        near |= {(page.parent / target).resolve() for page, target in targets if target} & documents.keys()
    return near


def test_every_page_of_the_guide_is_two_clicks_from_the_readme():
    readme = ROOT / "README.md"
    documents = {path: path.read_text(encoding="utf-8") for path in [readme, *(ROOT / "docs").rglob("*.md")]}
    pages = set((ROOT / "docs" / "guide").glob("*.md"))

    assert pages - pages_within_two_clicks(documents, readme) == set()


def test_a_page_that_is_further_away_is_noticed():
    a, b, c, d = (ROOT / f"{name}.md" for name in "abcd")
    documents = {a: "[b](b.md)", b: "[c](c.md)", c: "[d](d.md)", d: ""}

    assert pages_within_two_clicks(documents, a) == {a, b, c}


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


def test_the_reference_is_what_the_program_says():
    pytest.importorskip("memvid_sdk", reason="archive and export cannot be asked")
    command = [sys.executable, ROOT / "scripts" / "reference.py"]

    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)

    assert done.returncode == 0, done.stderr
    pages = json.loads(done.stdout)
    differing = [name for name, text in pages.items() if text != _text(f"docs/reference/{name}")]
    if os.environ.get("SCRIMSHAW_TEST_UPDATE_DOCS") and differing:
        for name in differing:
            (ROOT / "docs" / "reference" / name).write_text(pages[name], encoding="utf-8")
        pytest.skip("the reference was rewritten; read it before you keep it")
    for name in differing:
        assert pages[name] == _text(f"docs/reference/{name}"), "renew it: python scripts/reference.py --write"


def test_the_reference_holds_every_verb_option_and_exit_code():
    from scrimshaw.cli import group

    text = _text(REFERENCE)
    context = click.Context(group)
    missing = []
    for verb in group.list_commands(context):
        command = group.get_command(context, verb)
        for part in (command, *getattr(command, "commands", {}).values()):
            options = [name for one in part.params if isinstance(one, click.Option) for name in one.opts]
            missing += [f"{verb} {name}" for name in options if not re.search(rf"`[^`]*{name}[ ,`]", text)]
        missing += [] if f"\n### {verb}\n" in text else [verb]

    assert missing == []
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)} - {130} == set(
        map(int, Exit)
    )


def test_every_module_that_the_architecture_names_is_there():
    text = _text("docs/architecture.md")
    missing = []
    for name in re.findall(r"(?:`|\s)((?:[a-z_]+/)+[a-z_]*)[`\s,]", text):
        missing += [] if _is_there(name) else [name]
    rows = re.findall(r"^\| (`[^|]+`) \| [^|]+ \| (`[^|]+`) \|$", text, re.MULTILINE)
    for packages, modules in rows:
        folders = ["", *(name.strip("`").rstrip("*/") + "/" for name in packages.split(", "))]
        for name in (name.strip("`") for name in modules.split(", ")):
            missing += [] if any(_is_there(f"{folder}{name}") for folder in folders) else [name]

    assert len(rows) > 10
    assert missing == []


def _is_there(name: str) -> bool:
    places = [base / name.rstrip("/") for base in (ROOT / "skill" / "scrimshaw", ROOT)]
    return any(place.exists() or place.with_suffix(".py").exists() for place in places)


def test_the_readme_is_short():
    assert len(_text("README.md").encode()) <= 9000


@pytest.mark.parametrize("document", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_is_too_long_to_be_read_aloud(document):
    text = document.read_text(encoding="utf-8")

    assert [sentence for sentence in sentences(text) if len(sentence.split()) > 35] == []


def test_a_long_sentence_is_noticed():
    text = "# Head\n\nShort. Very " + "word " * 35 + "end.\n\n| a table | is left out |\n\n- an item\n"

    assert [len(sentence.split()) for sentence in sentences(text)] == [1, 37, 2]


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


def test_ci_runs_the_commands_that_contributors_are_told():
    ci = _text(".ci/run")

    for command in ("scripts/start", "scripts/test", "scripts/check", "scripts/test-host"):
        assert re.search(rf"^{command}(?: |$)", _text("CONTRIBUTING.md"), re.MULTILINE), command
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
    begins = re.compile(
        r"(?:[ \t]*(?:#.*)?\n)*r?[\"']"
    )  # with a string, behind comments alone: no need to parse
    silent = [
        str(path.relative_to(ROOT))
        for path in _files("*.py")
        if path.stat().st_size and not begins.match(path.read_text(encoding="utf-8"))
    ]

    assert silent == []
