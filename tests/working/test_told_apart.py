"""What a consolidation and a search take for two memories although the words are nearly the same."""

import numpy as np
import pytest
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.core.search.layers import LayerCandidate, LayerName, has_same_figures, merged
from scrimshaw.core.text.signs import signs
from scrimshaw.services.working.moving import Moves
from scrimshaw.store.ledger import open_ledger

DIFFERENT = [
    ("deploy ✅", "deploy ❌"),
    ("the plan 👍", "the plan 👎"),
    ("milk ☑", "milk ☐"),
    ("- [ ] milk", "- [x] milk"),
    ("x <= y here", "x >= y here"),
    ("a<b is right", "a>b is right"),
    ("a<b is right", "b<a is right"),
    ("A → B", "A ← B"),
    ("it is in /data/a", "it is in /Data/A"),
    ("run rm foo", "run RM foo"),
    ("call readAll here", "call readall here"),
    ("run it with -C", "run it with -c"),
    ("Send to bob", "Send to @bob"),
    ("x != y", "x == y"),
    ("it costs $5", "it costs €5"),
    ("5 + 3", "5 - 3"),
    ("it is -5 outside", "it is 5 outside"),
    ("use C here", "use C# here"),
    ("Owen is here", "Owen is not here"),
]
ALIKE = [
    ("The press is in the barn", "the press is in the barn"),
    ("Gareth pays on Mondays", "gareth pays on mondays"),
    ("“Milk”, he said!", '"milk", he said.'),
    ("*Owen* likes `perry`", "Owen likes perry"),
    ("a cask — of oak", "a cask - of oak"),
    ("☑\ufe0f milk", "☑ milk"),
]


def _candidates(texts: tuple[str, str]) -> list[LayerCandidate]:
    return [LayerCandidate(at, LayerName.WORKING, 1.0, text) for at, text in enumerate(texts)]


@pytest.mark.parametrize("texts", DIFFERENT)
def test_a_search_shows_both_of_two_that_differ_in_a_sign(texts: tuple[str, str]) -> None:
    assert not has_same_figures(*texts)
    assert len(merged(_candidates(texts), 9, lambda one, other: 0.999)) == 2


@pytest.mark.parametrize("texts", ALIKE)
def test_quotes_markdown_and_ordinary_capitals_make_no_other_text(texts: tuple[str, str]) -> None:
    assert signs(texts[0]) == signs(texts[1])


@pytest.mark.parametrize("texts", DIFFERENT)
def test_both_of_two_that_differ_in_a_sign_are_archived(
    memory: Memory, texts: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    same = np.ones(1, dtype=np.float32)
    monkeypatch.setattr(Moves, "_vector", lambda self, kept: same)  # a model that sees no difference
    ids = [memory.store(text).id for text in texts]

    assert memory.consolidate(ttl_override="0s").archived == 2

    assert tuple(memory.memory(id_).content for id_ in ids) == texts


def test_of_two_with_one_spelling_the_right_line_says_it_already(home: Home, memory: Memory) -> None:
    for text in ("run rm foo", "run RM foo"):
        memory.store(text)
    memory.consolidate(ttl_override="0s")
    stored = [memory.store(text).id for text in ("run RM foo", "run rm foo")]

    done = memory.consolidate(ttl_override="0s")

    assert (done.archived, done.deduplicated) == (0, 2)
    assert [memory.memory(id_).content for id_ in stored] == ["run RM foo", "run rm foo"]


def test_a_row_of_symbols_makes_another_memory(memory: Memory) -> None:
    ids = [memory.store(f"deploy of Monday\n{sign}").id for sign in "✅❌✅"]

    done = memory.consolidate(ttl_override="0s")

    assert (done.archived, done.deduplicated) == (2, 1)
    assert [memory.memory(id_).content[-1] for id_ in ids] == ["✅", "❌", "✅"]


def test_the_same_words_with_other_metadata_are_another_memory(memory: Memory) -> None:
    ids = [memory.store("Gareth pays", metadata=about).id for about in ({"n": 1}, {"n": 2}, {}, {"n": 1})]

    done = memory.consolidate(ttl_override="0s")

    assert (done.archived, done.deduplicated) == (3, 1)
    assert [memory.memory(id_).metadata for id_ in ids] == [{"n": 1}, {"n": 2}, {}, {"n": 1}]


def test_what_belongs_in_another_archive_is_another_memory(memory: Memory) -> None:
    ids = [memory.store("Gareth pays", type=kind).id for kind in ("episodic", "system", "system")]

    done = memory.consolidate(ttl_override="0s")

    assert (done.archived, done.deduplicated) == (2, 1)
    assert [memory.memory(id_).type for id_ in ids] == ["episodic", "system", "system"]
    with open_ledger(memory.target.layout.ledger, create=False, read_only=True) as ledger:
        assert [line.observation.text for line in ledger.live_lines()] == ["Gareth pays"] * 2
