"""A choice is written where a person reads it, and every other line stays as they wrote it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.config import layer_in, load, workspace_file, write
from scrimshaw.config.sample import example
from scrimshaw.config.write import edited, put
from scrimshaw.errors import UserError

CHOSEN = {"observer_model": "gemini/gemini-2.5-flash", "reflector_model": "gemini/gemini-2.5-flash"}
ADDED = (
    "# Chosen with `scrimshaw init`.\n"
    "observer_model: gemini/gemini-2.5-flash\n"
    "reflector_model: gemini/gemini-2.5-flash\n"
)


def test_a_workspace_without_a_file_gets_one_that_only_we_may_read(tmp_path: Path) -> None:
    done = put(tmp_path, "main", CHOSEN)

    assert workspace_file(tmp_path).read_text() == ADDED
    assert workspace_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert done.lines == tuple(ADDED.splitlines())


def test_what_stands_there_stays_and_the_choice_comes_at_the_end() -> None:
    text = "# mine\nttl_days: 30   # a month\n\nagents:\n  work:\n    backups: 7"

    assert f"{text}\n\n{ADDED}" == edited(text, "main", CHOSEN)


def test_a_line_is_changed_where_it_stands_with_its_comment() -> None:
    text = "a: 1\nobserver_model: offline  # for now\n'reflector_model' : \"offline\"\nb: [1, 2]\n"
    text = text.replace("a: 1", "ttl_days: 1").replace("b: [1, 2]", "sessions: [direct]")

    assert edited(text, "main", CHOSEN) == (
        "ttl_days: 1\nobserver_model: gemini/gemini-2.5-flash  # for now\n"
        "'reflector_model' : gemini/gemini-2.5-flash\nsessions: [direct]\n"
    )


def test_in_a_copied_sample_two_lines_change_and_nothing_else() -> None:
    before, after = example(), edited(example(), "main", CHOSEN)

    assert after is not None
    changed = [pair for pair in zip(before.split("\n"), after.split("\n"), strict=True) if len(set(pair)) > 1]
    assert changed == [
        (f"{name}: offline", f"{name}: gemini/gemini-2.5-flash")
        for name in ("observer_model", "reflector_model")
    ]


def test_an_agent_s_own_line_is_the_one_that_counts() -> None:
    text = (
        "observer_model: offline\nagents:\n  other:\n    observer_model: offline\n"
        "  main:\n    # mine\n    observer_model: offline\n    ttl_days: 3\n"
    )

    assert edited(text, "main", {"observer_model": "openclaw"}) == text.replace(
        "# mine\n    observer_model: offline", "# mine\n    observer_model: openclaw"
    )


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path, "main", CHOSEN)
    before = workspace_file(tmp_path).stat()

    assert put(tmp_path, "main", CHOSEN).lines == ()
    assert workspace_file(tmp_path).stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    "text",
    [
        "observer_model:\n  offline\n",
        "observer_model: >\n  offline\n",
        "{observer_model: offline, ttl_days: 3}\n",
        "agents: {main: {observer_model: offline}}\n",
        "ttl_days: 3\n...\n",
        "a: [",
        "- a list\n",
    ],
)
def test_what_cannot_be_done_by_lines_is_left_to_the_person(tmp_path: Path, text: str) -> None:
    path = workspace_file(tmp_path)
    path.parent.mkdir()
    path.write_text(text)

    with pytest.raises(UserError, match="Nothing was changed") as caught:
        put(tmp_path, "main", CHOSEN)

    assert "observer_model: gemini/gemini-2.5-flash" in caught.value.next_step
    assert text == path.read_text()


def test_line_ends_of_another_system_stay() -> None:
    text = "ttl_days: 3\r\nobserver_model: offline\r\n"

    assert edited(text, "main", {"observer_model": "openclaw", "reflector_model": "openclaw"}) == (
        "ttl_days: 3\r\nobserver_model: openclaw\r\n\r\n"
        "# Chosen with `scrimshaw init`.\r\nreflector_model: openclaw\r\n"
    )


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.yaml").write_text("ttl_days: 3\n")
    path = workspace_file(tmp_path)
    path.parent.mkdir()
    path.symlink_to(tmp_path / "dotfiles.yaml")

    with pytest.raises(UserError, match="symbolic link"):
        put(tmp_path, "main", CHOSEN)

    assert (tmp_path / "dotfiles.yaml").read_text() == "ttl_days: 3\n"


def test_somebody_who_saves_at_the_same_moment_keeps_what_they_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workspace_file(tmp_path)
    meddled = []

    def meddling(text: str, *args: object) -> str | None:
        if not meddled:
            meddled.append(path.write_text("ttl_days: 7  # just now\n"))
        return edited(text, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(write, "edited", meddling)
    put(tmp_path, "main", CHOSEN)

    assert path.read_text() == f"ttl_days: 7  # just now\n\n{ADDED}"


def test_a_name_with_odd_signs_is_read_back_as_it_was(tmp_path: Path) -> None:
    for name in ("ollama/qwen3:8b", "openrouter/a/b:free", "desk/a #1", "desk/é", "desk/a:"):
        (tmp_path / ".scrimshaw" / "config.yaml").unlink(missing_ok=True)
        made = edited("", "main", {"observer_model": name})

        assert made is not None
        layer = layer_in(made.encode(), tmp_path, [])
        assert layer is not None
        assert layer.values == {"observer_model": name}


LINES = st.sampled_from(
    [
        "ttl_days: 3",
        "# a comment",
        "",
        "observer_model: offline # why",
        "reflector_model: 'offline'",
        "agents:",
        "  main:",
        "    observer_model: offline",
        "    backups: 3",
        "  other: {ttl_days: 4}",
        "instruction: |",
        "  observer_model: no",
        "sessions:",
        "  - direct",
        'observer_model: "off',
        "prices: {a/b: [1, 2]}",
        "...",
        "\t",
    ]
)


@given(text=st.lists(LINES, max_size=12).map("\n".join), ending=st.sampled_from(["", "\n"]))
def test_whatever_the_file_holds_either_the_choice_stands_or_nothing_is_written(
    text: str, ending: str
) -> None:
    before = layer_in((text + ending).encode(), Path(), [])

    made = edited(text + ending, "main", CHOSEN)

    if made is not None:
        after = layer_in(made.encode(), Path(), [])
        assert before is not None
        assert after is not None
        effective = {**after.values, **after.agents.get("main", {})}
        assert {name: effective[name] for name in CHOSEN} == CHOSEN
        assert {name for name, value in after.values.items() if before.values.get(name) != value} <= set(
            CHOSEN
        )
        kept = [line for line in text.split("\n") if not re.search("(observer|reflector)_model", line)]
        assert [line for line in made.split("\n") if line in kept] >= kept[:0]
        assert [line.strip() for line in kept if line.strip()] == [
            line.strip()
            for line in made.split("\n")
            if line.strip() and not re.search("(observer|reflector)_model|Chosen with", line)
        ]


def test_a_written_choice_is_in_force(tmp_path: Path) -> None:
    put(tmp_path, "main", CHOSEN)

    config = load(tmp_path, "main", {"HOME": str(tmp_path)})

    assert config.settings.observer_model == CHOSEN["observer_model"]
