"""The index of meanings: nearest first, narrowed, removed in place, whole after a kill."""

from __future__ import annotations

from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed (the extra `semantic`)")

from tests.index.fake_embedder import FakeEmbedder  # noqa: E402

from scrimshaw.index import vectors as module  # noqa: E402
from scrimshaw.index.vectors import Vectors, fill, folder_of, forget_other_models, last_key_in, remove_from  # noqa: E402

FAKE = FakeEmbedder()
TEXTS = {1: "the dog sleeps", 2: "a van broke", 3: "pay the printer", 4: "rain tomorrow"}


def _filled(folder: Path | None) -> Vectors:
    index = Vectors(folder, "fake", FAKE.dimensions)
    fill(index, FAKE, list(TEXTS), list(TEXTS.values()))
    return index


def _found(index: Vectors, question: str, among: list[int] | None = None) -> list[int]:
    return [one.key for one in index.search(FAKE.embed_query(question), 10, among)]


@pytest.mark.parametrize("in_memory", [True, False])
def test_the_nearest_is_first(tmp_path: Path, in_memory: bool) -> None:
    index = _filled(None if in_memory else tmp_path)

    assert [_found(index, word)[0] for word in ("puppy", "car", "invoice")] == [1, 2, 3]


def test_a_score_is_the_cosine(tmp_path: Path) -> None:
    index = _filled(tmp_path)

    asked = FAKE.embed_query("the puppy sleeps")
    expected = float(asked @ FAKE.embed_query(TEXTS[1]))

    assert index.search(asked, 1)[0].score == pytest.approx(expected, abs=0.01)


def test_numpy_alone_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((5000, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = Vectors(None, "random", 384)
    index.add(list(range(1, 5001)), rows)
    exact = rows @ rows[41]

    one = index.search(rows[41], 20)
    monkeypatch.setattr(module, "_products", module._products_by_numpy)
    other = index.search(rows[41], 20)

    best = set((np.argsort(-exact)[:10] + 1).tolist())
    for found in (one, other):
        assert found[0].key == 42
        assert max(abs(hit.score - exact[hit.key - 1]) for hit in found) < 0.01
        assert best <= {hit.key for hit in found}


def test_only_those_that_are_asked_for_are_looked_at(tmp_path: Path) -> None:
    assert set(_found(_filled(tmp_path), "puppy", among=[2, 4, 99])) <= {2, 4}
    assert _found(_filled(None), "puppy", among=[]) == []


def _keys(index: Vectors) -> set[int]:
    return set(index.after(0)[0])


def test_it_is_there_for_the_next_process(tmp_path: Path) -> None:
    _filled(tmp_path)

    again = Vectors(tmp_path, "fake", FAKE.dimensions)

    assert (again.last_key(), again.count(), _found(again, "puppy")[0]) == (4, 4, 1)
    assert last_key_in(tmp_path / "fake") == 4


def test_what_is_removed_is_zeros_on_the_disk_and_never_found(tmp_path: Path) -> None:
    index = _filled(tmp_path)
    width = FAKE.dimensions
    before = (tmp_path / "fake" / "rows").read_bytes()

    remove_from(tmp_path / "fake", {2})

    index = Vectors(tmp_path, "fake", FAKE.dimensions)
    after = (tmp_path / "fake" / "rows").read_bytes()
    assert any(before[width : 2 * width])
    assert not any(after[width : 2 * width])
    assert after[2 * width :] == before[2 * width :]
    assert 2 not in _found(index, "car")
    assert _keys(index) == {1, 3, 4}


def test_removing_needs_neither_model_nor_numpy(tmp_path: Path) -> None:
    _filled(tmp_path)

    remove_from(tmp_path / "fake", {1, 4, 77})

    assert _keys(Vectors(tmp_path, "fake", FAKE.dimensions)) == {2, 3}
    assert last_key_in(tmp_path / "fake") == 3


@pytest.mark.parametrize("cut", ["rows only", "half a row", "half a mark"])
def test_a_kill_in_the_middle_of_adding_costs_that_batch_alone(tmp_path: Path, cut: str) -> None:
    _filled(tmp_path)
    place = tmp_path / "fake"
    if cut == "rows only":
        with (place / "rows").open("ab") as file:
            file.write(b"\x11" * FAKE.dimensions * 2)
    elif cut == "half a row":
        with (place / "rows").open("ab") as file:
            file.write(b"\x11" * (FAKE.dimensions // 2))
    else:
        with (place / "marks").open("ab") as file:
            file.write(b"\x11" * 5)

    index = Vectors(tmp_path, "fake", FAKE.dimensions)
    fill(index, FAKE, [5], ["a car again"])

    again = Vectors(tmp_path, "fake", FAKE.dimensions)
    assert _keys(again) == {1, 2, 3, 4, 5}
    assert _found(again, "van")[:2] in ([2, 5], [5, 2])


def test_a_text_that_nobody_may_see_is_passed_over_and_found_by_nobody() -> None:
    fake = FakeEmbedder()
    index = Vectors(None, "fake", fake.dimensions)

    fill(index, fake, [1, 2], ["", "the dog"])

    assert fake.texts == ["the dog"]
    assert [one.key for one in index.search(fake.embed_query("dog"), 10)] == [2]
    assert index.last_key() == 2


def test_the_vectors_of_other_models_go_when_they_are_no_longer_wanted(tmp_path: Path) -> None:
    _filled(tmp_path)
    other = Vectors(tmp_path, "ollama/nomic-embed-text:v1.5", 8)
    other.add([1], np.ones((1, 8), np.float32))

    forget_other_models(tmp_path, "ollama/nomic-embed-text:v1.5")

    assert [path.name for path in tmp_path.iterdir()] == [folder_of("ollama/nomic-embed-text:v1.5")]


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "", "C:\\x"])
def test_a_models_name_is_never_a_way_out_of_the_folder(tmp_path: Path, name: str) -> None:
    assert (tmp_path / folder_of(name)).resolve().parent == tmp_path.resolve()


@pytest.mark.parametrize("is_gone", [True, False], ids=["gone", "empty"])
def test_marks_without_rows_are_no_vectors(tmp_path: Path, is_gone: bool) -> None:
    _filled(tmp_path)
    rows = tmp_path / folder_of("fake") / "rows"
    rows.unlink() if is_gone else rows.write_bytes(b"")

    assert module.opened_of(tmp_path) is None


def test_the_last_key_of_junk_is_one_that_a_ledger_can_be_asked_for(tmp_path: Path) -> None:
    place = tmp_path / "fake"
    place.mkdir()
    place.joinpath("marks").write_bytes(b"\xff" * 120)

    assert -(2**63) <= last_key_in(place) < 2**63
