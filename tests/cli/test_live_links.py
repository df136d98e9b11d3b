"""Images and links in what was said: readable in the files, and never live there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.core.lines_by_hand import a_line
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.archive import dated
from scrimshaw.core.section import render
from scrimshaw.core.types import Author
from scrimshaw.services.publish import run

_IMAGE = "![the dashboard](https://shots.example/x.png?u=1)"
_LATER = "2026-11-20T20:00:00+00:00"
_SAID = f"We decided that the dashboard {_IMAGE} is the page for Kestrel 2.4.1, see <https://k.example/s>."
_AS_TEXT = "![the dashboard] (https://shots.example/x.png?u=1)"


def live(text: str) -> list[str]:
    """Return what a reader of markdown would make of *text* besides words."""
    tokens = [child for block in MarkdownIt("commonmark").parse(text) for child in block.children or ()]
    tags = [t.content for t in tokens if t.type == "html_inline" and re.match(r"<\w.*=", t.content)]
    return [token.type for token in tokens if token.type in ("link_open", "image")] + tags


def _begun(place: Place) -> None:
    place.say(
        (_SAID, "Noted."),
        ("Prefer short answers: command first.", "Sure."),
        ("We use Postgres 17.2.", "Yes."),
    )


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


@pytest.fixture
def older(place: Place) -> Place:
    """The same place, its files as an older version wrote them: with a live image."""
    with _as_before():
        assert place.run("observe", "--yes").code == 0
    assert _IMAGE in place.section()
    assert _IMAGE in place.dated()
    return place


@contextmanager
def _as_before() -> Iterator[None]:
    with ExitStack() as stack:
        for module in (render, dated, run):
            stack.enter_context(mock.patch.object(module, "inert", lambda text: text))
        yield


def _texts(place: Place) -> list[str]:
    with place.ledger() as ledger:
        return [line.observation.text for line in ledger.live_lines()]


def _by_hand(place: Place) -> list[str]:
    with place.ledger() as ledger:
        return [event.type for _, event in ledger.events_since(0) if event.by == "person"]


def test_an_image_that_was_spoken_of_is_text_in_the_files_and_whole_in_the_ledger(place: Place) -> None:
    place.run("observe", "--yes")

    assert _AS_TEXT in place.section()
    assert "see ‹https://k.example/s>" in place.section()
    assert _AS_TEXT in place.dated()
    assert live(place.memory.read_text() + place.dated()) == []
    assert any(_IMAGE in text for text in _texts(place))


def test_a_section_of_an_older_version_loses_its_live_image_and_nothing_counts_as_an_edit(
    older: Place,
) -> None:
    older.run("observe", now=_LATER)

    assert _AS_TEXT in older.section()
    assert _IMAGE not in older.section()
    assert _by_hand(older) == []
    assert len(_texts(older)) == len(set(_texts(older)))


def test_an_older_copy_saved_over_the_section_is_no_edit_either(older: Place) -> None:
    before = older.memory.read_bytes()
    texts = _texts(older)
    older.run("observe", now=_LATER)
    older.memory.write_bytes(before)

    older.run("observe", now="2026-11-20T21:00:00+00:00")

    assert texts == _texts(older)
    assert _AS_TEXT in older.section()


@pytest.mark.parametrize("version", ["older", "place"])
def test_a_section_whose_ledger_is_lost_is_known_by_its_dated_file(
    version: str, request: pytest.FixtureRequest
) -> None:
    place: Place = request.getfixturevalue(version)
    place.run("observe", "--yes", now=_LATER)
    count = place.section().count("\n- ")
    shutil.rmtree(place.workspace / ".scrimshaw")
    place.sessions[0].events.clear()
    shutil.rmtree(place.store)
    place.save()

    place.run("observe", "--yes", now="2026-11-20T21:00:00+00:00")

    with place.ledger() as ledger:
        authors = [line.observation.author for line in ledger.live_lines()]
    assert len(authors) == count
    assert Author.PERSON not in authors


def test_a_dated_line_of_an_older_version_is_marked_in_its_place(older: Place) -> None:
    text = older.memory.read_text()
    older.memory.write_text("".join(row for row in text.splitlines(True) if "dashboard" not in row))

    older.run("observe", now=_LATER)

    (row,) = [row for row in older.dated().splitlines() if "dashboard" in row]
    assert "(removed 2026-11-20)" in row
    assert _AS_TEXT in row


@pytest.mark.parametrize("pasted", ["<https://k.example/s>", "‹https://k.example/s>"])
def test_a_line_is_found_as_it_was_said_and_as_it_is_shown(place: Place, pasted: str) -> None:
    place.run("observe", "--yes")

    assert place.run("why", f"2.4.1, see {pasted}").code == 0


@pytest.mark.parametrize("version", ["older", "place"])
def test_a_forgotten_line_leaves_the_files_however_it_stands_there(
    version: str, request: pytest.FixtureRequest
) -> None:
    place: Place = request.getfixturevalue(version)
    if version == "place":
        place.run("observe", "--yes")

    assert place.run("forget", "the page for Kestrel", "--yes", now=_LATER).code == 0

    assert "shots.example" not in place.memory.read_text() + place.dated()


def test_a_person_s_own_line_is_theirs_to_the_byte(place: Place) -> None:
    place.run("observe", "--yes")
    text = place.memory.read_text().replace("### Standing\n", f"### Standing\n- my own {_IMAGE}\n")
    place.memory.write_text(text)

    place.run("observe", now=_LATER)
    place.run("observe", now="2026-11-20T21:00:00+00:00")

    assert f"\n- my own {_IMAGE}\n" in place.section()
    assert f"fact: my own {_IMAGE}\n" in place.dated()


_PIECES = (
    "![a](http://x.example/i.png)",
    "[a](//x.example)",
    "[a](<http://x.example/ y>)",
    "[![a](http://x.example)](http://y.example)",
    "<https://x.example>",
    "<kit@x.example>",
    "<img src=http://x.example>",
    "<IMG alt='>' src=\"http://x.example\">",
    "<a/href=x>",
    '<img alt="<" src=x>',
    "<style>@import '//x.example'</style>",
    "`",
    "``",
    "\\",
    "]",
    "(",
    "[",
    "!",
    "<",
    ">",
    " ",
    "=",
    "x",
    "Vec<T>",
    "http://x.example",
    '"',
    "\u200b",
    "\n",
    "<?",
    "<!--",
)


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_no_line_is_live_whatever_was_said(text: str) -> None:
    as_shown = render.shown(a_line(text))

    assert live(as_shown) == []
    assert render.inert(as_shown) == as_shown


@pytest.mark.parametrize(
    "text",
    ["Vec<T> of size a[0]", "a < b and c > d, x = y", "see https://x.example/a?b=c", "[x] (done)", "3<4=5"],
)
def test_what_is_not_live_stays_as_it_is(text: str) -> None:
    assert render.inert(text) == text


@pytest.mark.parametrize("piece", ["<a=", "](", "<aa:", "<" + "a" * 60 + "@", "<a "])
def test_a_long_text_is_judged_in_little_steps(piece: str) -> None:
    assert render.inert(piece * 4_000)
