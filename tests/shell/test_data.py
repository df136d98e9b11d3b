"""Word lists in text files: how a file is read, and what is refused."""

import pytest

from scrimshaw import data


@pytest.fixture
def lists(tmp_path, monkeypatch):
    """Return what writes a list that the program then finds."""
    monkeypatch.setattr(data, "_FOLDER", tmp_path)
    data._groups.cache_clear()
    yield lambda name, text: (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    data._groups.cache_clear()


def test_a_group_is_read_as_words_phrases_lines_and_one_pattern(lists):
    lists(
        "made", "# what it is\n[says]\n say tell\n\n[ends]\nkind regards / all the best\n# more\n  yours? \n"
    )

    assert data.words("made", "says") == ("say", "tell")
    assert data.phrases("made", "ends") == ("kind regards", "all the best", "yours?")
    assert data.lines("made", "ends") == ("kind regards / all the best", "yours?")
    assert data.pattern("made", "ends") == "(?:kind regards|all the best|yours?)"


def test_a_file_is_read_once(lists, tmp_path):
    lists("made", "[a]\none\n")
    assert data.words("made", "a") == ("one",)

    (tmp_path / "made.txt").unlink()

    assert data.words("made", "a") == ("one",)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("made", "one\n[a]\n", "before the first"),
        ("made", "[a]\none\n[a]\ntwo\n", "twice"),
        ("made", "[b]\none\n", r"no group \[a\]"),
        ("made", "[a]\n" + "word " * 60_000, "larger than"),
        ("other", "", "no group"),
    ],
)
def test_a_broken_list_is_refused(lists, name, text, problem):
    lists(name, text)

    with pytest.raises(ValueError, match=problem):
        data.words(name, "a")


@pytest.mark.parametrize(
    "name", ["missing", "../config", "/etc/hostname", "a.b", "", "dates/../cues", "a/b/c"]
)
def test_only_names_of_lists_are_read(lists, name):
    with pytest.raises(ValueError, match=r"no (?:word list|name of)"):
        data.words(name, "a")


def test_every_list_that_is_shipped_can_be_read():
    paths = sorted(data._FOLDER.rglob("*.txt"))
    names = [path.relative_to(data._FOLDER).with_suffix("").as_posix() for path in paths]

    assert "dates/de" in names
    assert all(len(held) for name in names for held in data._groups(name).values())
