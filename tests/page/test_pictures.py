"""The guide's pictures show what the page shows today: their words are compared, not their dots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.browsing import Site, serving
from bench.pictures import DOCS, IN_DOCS, lay_out_demo, open_view, with_words, words_in, words_on
from tests.page.conftest import Opens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_DESK = {"width": 1280, "height": 900}
_GUIDE = DOCS.parent / "guide/page.md"


@pytest.fixture(scope="module")
def untouched(chrome: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The demo as the pictures were taken of it; other tests change theirs."""
    with serving(lay_out_demo(tmp_path_factory.mktemp("pictures") / "demo")) as site:
        yield site


@pytest.mark.slow
@pytest.mark.parametrize("view", IN_DOCS)
def test_a_picture_of_the_guide_says_what_the_page_says(opens: Opens, untouched: Site, view: str) -> None:
    page = opens(untouched, viewport=_DESK)
    open_view(page, untouched.address, view)

    # Otherwise take them anew, and look at them: python -m bench pictures --docs
    assert words_in((DOCS / f"{view}.png").read_bytes()) == words_on(page)


def test_every_picture_is_shown_in_the_guide_and_told_in_words() -> None:
    guide = _GUIDE.read_text()

    for path in DOCS.iterdir():
        alt = guide.partition(f"](../pictures/{path.name})")[0].rpartition("![")[2]
        assert len(alt) > 20, path
        assert words_in(path.read_bytes()), path


def test_what_is_kept_in_a_picture_is_read_from_it() -> None:
    png = Path(DOCS / "now.png").read_bytes()

    assert words_in(with_words(png, "Äpfel → 3 £")) == "Äpfel → 3 £"
    assert words_in(png.replace(b"iTXt", b"none")) == ""
