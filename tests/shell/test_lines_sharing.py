"""Lines that share a word with a note are found without reading the ledger."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shell.made import SESSION, observation

from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import Event, EventType
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch, Run

AT = 1_700_000_000_000
_PIECES = (
    "Stories",
    "story",
    "the store's",
    "AB 123",
    "don’t",
    "Ärger",
    "straße",
    "住在大阪",
    "v1.2_b",
    "50%",
    "Day",
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite", create=True) as ledger:
        ledger.begin_run(Run("r", "observe", "request", "rules", AT))
        yield ledger


def _laid(ledger: Ledger, *texts: str) -> None:
    observations = tuple(observation(at, text=text) for at, text in enumerate(texts))
    ledger.accept(Batch("r", AT, sessions=(SESSION,), observations=observations))


def _found(ledger: Ledger, text: str, most: int = 100) -> list[str]:
    lines, _ = ledger.lines_sharing(sorted(content_words(text)), most)
    return [line.observation.text for line in lines]


@pytest.mark.parametrize(
    ("noted", "asked"),
    [
        ("She tells stories at night", "A story for Ada"),
        ("ÄRGER with the boiler", "Der Ärger bleibt"),
        ("Gate AB 123 is closed", "ab-123"),
        ("Reload the config_file", "config_file"),
        ("我住在大阪", "大阪很好"),
        ("The 29th suits Ada", "On the 29"),
    ],
)
def test_a_line_is_found_by_a_word_in_another_form(ledger: Ledger, noted: str, asked: str) -> None:
    _laid(ledger, "Nothing of it", noted)

    assert _found(ledger, asked) == [noted]


def test_those_that_share_most_come_before_those_noted_last(ledger: Ledger) -> None:
    _laid(ledger, "The red boat leaks", "A boat", "Another boat", "A red hat")

    assert _found(ledger, "red boat", 2) == ["The red boat leaks", "A red hat"]
    assert ledger.lines_sharing(["boat"], 100)[1] == 4


def test_a_line_that_no_longer_holds_is_not_among_them(ledger: Ledger) -> None:
    _laid(ledger, "The boat leaks", "The boat is dry")
    ledger.append([Event(EventType.DELETED, "o0", AT, "person")])

    assert _found(ledger, "boat") == ["The boat is dry"]


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=4), st.booleans())
def test_a_line_of_the_same_words_is_always_among_them(pieces: list[str], is_loud: bool) -> None:
    text = " ".join(pieces)
    asked = text.upper() if is_loud and text.isascii() else text
    if not content_words(asked) or normal(asked) != normal(text):
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        open_ledger(Path(folder, "ledger.sqlite"), create=True) as ledger,
    ):
        ledger.begin_run(Run("r", "observe", "request", "rules", AT))
        _laid(ledger, "Nothing of it", text)

        assert text in _found(ledger, asked)
