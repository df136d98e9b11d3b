"""docs/guide/extending.md: its package is built from the page, installed into a folder, and used."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.places import Place
from tests.stores import START_MS, FakeSession, build_jsonl, build_sqlite

from scrimshaw.config.check import PROVIDERS
from scrimshaw.core.prompting import Prompt
from scrimshaw.models.model import MAX_ANSWER_CHARS, Answer, Failure, Trouble, Usage
from scrimshaw.models.plugin import PluginModel
from scrimshaw.models.presets import PRESETS
from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource
from scrimshaw.sources.plugin import Conversation, ConversationMessage, PluginSource
from scrimshaw.testing import check_model, check_source

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "extending.md"
PRESS = "Please note: we decided to order the cider press from Hollis & Sons for £1,450."


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's package in a folder of its own, as an installer lays it out: code and its metadata."""
    folder = tmp_path_factory.mktemp("site")
    chatlog, echo, checks = _blocks("python")
    package = folder / "scrimshaw_example"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "chatlog.py").write_text(chatlog)
    (package / "echo.py").write_text(echo)
    (folder / "test_contract.py").write_text(checks)
    about = folder / "scrimshaw_example-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: scrimshaw-example\nVersion: 1.0\n")
    points = re.findall(
        r'^\[project\.entry-points\."(.*?)"\]\n(\w+) = "(.*?)"$', _blocks("toml")[0], re.MULTILINE
    )
    (about / "entry_points.txt").write_text(
        "".join(f"[{group}]\n{name} = {value}\n" for group, name, value in points)
    )
    assert len(points) == 2
    return folder


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    folder = tmp_path / "chats"
    folder.mkdir()
    said = [("user", PRESS), ("assistant", "Noted: the press comes from Hollis & Sons for £1,450.")]
    rows = [
        {"id": f"m{n}", "at_ms": START_MS + n * 1000, "role": role, "text": text}
        for n, (role, text) in enumerate(said)
    ]
    (folder / "press.json").write_text(json.dumps(rows))
    return folder


@pytest.fixture
def place(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.syspath_prepend(installed)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return Place(tmp_path / "host", "jsonl")


def _configure(place: Place, **settings: object) -> None:
    folder = place.root / ".config" / "scrimshaw"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(json.dumps(settings))


def test_the_example_passes_the_contract_tests(installed: Path, chats: Path) -> None:
    calls = "import test_contract as t; t.test_source(); t.test_model()"
    path = os.pathsep.join([str(installed), str(ROOT / "skill")])

    done = subprocess.run(
        [sys.executable, "-c", calls],
        cwd=chats.parent,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr


def test_what_an_installed_source_holds_is_observed_once(place: Place, chats: Path) -> None:
    _configure(place, sources={"chatlog": str(chats)})

    observed = place.run("observe", "--yes")
    again = place.run("observe", "--yes")
    status = place.run("status", "--json")

    assert observed.code == 0, observed.err
    assert place.memory.read_text(encoding="utf-8").count("Hollis & Sons") == 1
    assert again.code == 0, again.err
    assert '"kind": "chatlog"' in status.out
    assert place.run("why", "press").out.count(PRESS)


def test_a_source_that_fails_is_told_and_costs_nothing_else(place: Place, chats: Path) -> None:
    _configure(place, sources={"chatlog": str(chats)})
    (chats / "press.json").write_text('[{"id": 7}]')
    place.say(("Remember: we decided to rent the barn from Ines for 90 euros a month.", "Noted."))

    observed = place.run("observe", "--yes")

    assert "chatlog could not list its conversations (KeyError)" in observed.out + observed.err
    assert "Ines" in place.memory.read_text(encoding="utf-8")


def test_a_workspace_cannot_name_a_source(place: Place, chats: Path) -> None:
    own = place.workspace / ".scrimshaw"
    own.mkdir()
    (own / "config.yaml").write_text(json.dumps({"sources": {"chatlog": str(chats)}}))

    checked = place.run("config", "--check", "--workspace", str(place.workspace))

    assert checked.code == 1
    assert "sources is for your own file alone" in checked.out + checked.err


def test_an_installed_model_can_be_named(place: Place) -> None:
    _configure(place, observer_model="echo/small")

    assert place.run("config", "--check").code == 0
    place.say((PRESS, "Noted."))
    observed = place.run("observe", "--yes")
    assert "Noted by: echo/small 1 window." in observed.out  # its answer says that nothing is new
    assert "WARNING" not in observed.out


@pytest.mark.parametrize("settings", [{"observer_model": "absent/x"}, {"sources": {"absent": "~/chats"}}])
def test_what_is_not_installed_cannot_be_named(place: Place, settings: dict[str, object]) -> None:
    _configure(place, **settings)

    checked = place.run("config", "--check")

    assert checked.code == 1
    assert "absent" in checked.out + checked.err


class _Wild:
    """A model that does what it should not."""

    name, place = "wild/x", "here\n\x1b[31m"

    def __init__(self, *says: object) -> None:
        self.says = list(says)

    def ask(self, prompt: Prompt, **_: object) -> object:
        said = self.says.pop(0)
        if isinstance(said, BaseException):
            raise said
        return said


def test_what_a_model_of_a_package_does_wrong_is_a_failure_or_held_in_bounds() -> None:
    prompt = Prompt("Note.", "The vault is behind the third barrel in the cellar.", 50)
    wild = _Wild(
        RuntimeError(prompt.text), None, "words", Answer(7, Usage(1, 1), "m"),  # type: ignore[arg-type]
        Answer("x" * 300_000, Usage(-5, 10**12), "m"),
        Failure(Trouble.RATE, prompt.text * 20, float("inf")),
        SystemExit(prompt.text),
    )  # fmt: skip
    model = PluginModel("wild/x", "here", wild)  # type: ignore[arg-type]

    *wrong, long, refused, ended = (
        model.ask(prompt, timeout_seconds=30, is_stopped=lambda: False) for _ in range(len(wild.says))
    )

    assert [said.trouble for said in (*wrong, ended)] == [Trouble.REPLY] * 5
    assert isinstance(long, Answer)
    assert (len(long.text), long.is_cut, long.usage.is_estimated) == (MAX_ANSWER_CHARS, True, True)
    assert (refused.trouble, refused.retry_after_seconds) == (Trouble.RATE, None)
    assert "third barrel" not in repr([*wrong, refused, ended])


class _WildReader:
    """A reader of which nothing has its form but two messages."""

    def conversations(self) -> list[object]:
        good = Conversation("a", START_MS, "1")
        return [good, good, None, Conversation("", START_MS, "1"), Conversation("b", -1, "1"), ("c", 1, "1")]

    def messages(self, conversation_id: str, after: str | None) -> list[object]:
        texts = {"m1": "words", "m2": "more \ud800" + "x" * 2_000_000}
        good = [ConversationMessage(name, START_MS, "user", text) for name, text in texts.items()]
        if after not in (None, *texts):
            raise LookupError
        return [
            *good[list(texts).index(after) + 1 if after else 0 :],
            ConversationMessage("m3", 1, "x", ""),
            None,
        ]  # type: ignore[arg-type]

    def close(self) -> None: ...


def test_what_a_reader_of_a_package_gives_wrong_is_left_out_and_said() -> None:
    source = PluginSource("wild", Path("x"), "main", _WildReader())  # type: ignore[arg-type]

    (state,) = source.sessions()
    (page,) = source.pages(state, None)
    (after,) = source.pages(state, '["gone", 4]')

    assert [len(entry.text) for entry in page.entries] == [5, 1_000_000]
    assert (page.skipped, len(page.problems)) == ({"malformed": 2}, 2)
    assert source.warnings()
    assert after.entries == page.entries
    assert "read again" in after.problems[0].what


def test_the_builtin_sources_pass_the_contract(tmp_path: Path) -> None:
    session = FakeSession()
    for number in range(3):
        session.user(f"Question {number}?")
        session.assistant(f"Answer {number}.")
    folder, database = (
        build_jsonl(tmp_path / "sessions", [session]),
        build_sqlite(tmp_path / "a.sqlite", [session]),
    )

    check_source(lambda: JsonlSource(folder, "main"))
    check_source(lambda: SqliteSource(database, "main"))


def test_the_contract_of_a_source_bites(chats: Path) -> None:
    class Forgets(_WildReader):
        def messages(self, conversation_id: str, after: str | None) -> list[object]:
            return super().messages(conversation_id, None)[:2]

    with pytest.raises(AssertionError, match="reading on misses or repeats"):
        check_source(Forgets)  # type: ignore[arg-type]


def test_the_contract_of_a_model_bites() -> None:
    with pytest.raises(AssertionError, match="is_stopped"):
        check_model(lambda: _Deaf())


class _Deaf:
    name, place = "deaf/x", "here"

    def ask(self, prompt: Prompt, **_: object) -> Answer:
        return Answer("{}", Usage(1, 1), "")


def test_the_providers_that_a_configuration_may_name_are_those_that_can_be_opened() -> None:
    assert set(PROVIDERS) == {"gemini", "anthropic", *PRESETS}


def test_a_source_that_fails_while_it_is_read_is_told_and_costs_nothing_else(
    place: Place, chats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _configure(place, sources={"chatlog": str(chats)})
    place.say(("Remember: we decided to rent the barn from Ines for 90 euros a month.", "Noted."))
    chatlog = importlib.import_module("scrimshaw_example.chatlog")
    monkeypatch.setattr(chatlog.ChatLog, "messages", lambda *_: [][7])

    observed = place.run("observe", "--yes")
    status = place.run("status")

    assert "chatlog could not read a conversation (IndexError)" in observed.out + observed.err
    assert "Ines" in place.memory.read_text(encoding="utf-8")
    assert "chatlog" in status.out + status.err


@pytest.mark.parametrize(
    ("method", "told"),
    [("__init__", "chatlog could not open {chats} (IndexError)"), ("close", "chatlog could not be closed")],
)
def test_a_source_that_cannot_be_opened_or_closed_is_told_and_costs_nothing_else(
    place: Place, chats: Path, monkeypatch: pytest.MonkeyPatch, method: str, told: str
) -> None:
    _configure(place, sources={"chatlog": str(chats)})
    place.say(("Remember: we decided to rent the barn from Ines for 90 euros a month.", "Noted."))
    chatlog = importlib.import_module("scrimshaw_example.chatlog")
    monkeypatch.setattr(chatlog.ChatLog, method, lambda *_: [][7])

    observed = place.run("observe", "--yes")
    again = place.run("observe", "--yes")
    status, why = place.run("status"), place.run("why", "barn")
    found = place.run("search", "barn", "--transcripts")
    log = (place.workspace / ".scrimshaw" / "scrimshaw.log").read_text()

    assert place.memory.read_text(encoding="utf-8").count("Ines") == 1
    assert told.format(chats=chats) in observed.out + observed.err + log
    assert "rent the barn" in why.out, why.err
    assert "rent the barn" in found.out, found.err
    is_read = method == "close"  # what fails at its end has been read
    assert [one.code for one in (observed, again, status)] == [0 if is_read else 1] * 3
    assert is_read or "chatlog could not open" in status.out + status.err
    assert (PRESS in place.run("why", "press").out) == is_read
