"""Dated files: every observation once, marks in place, a person's hand left alone."""

from pathlib import Path

import frontmatter
import pytest
from tests.shell.made import observation

from scrimshaw import files
from scrimshaw.archive import dated
from scrimshaw.archive.dated import DatedLine, parse_line, render
from scrimshaw.core.types import Act, Kind, Observation, OutboxItem
from scrimshaw.errors import UserError

NAME = "memory/observations/obs-2026-11-16.md"


def item(
    about: Observation, act: Act = Act.APPEND, marked_on: str = "2026-11-19", number: int = 0
) -> OutboxItem:
    return OutboxItem(number, act, about, "" if act is Act.APPEND else marked_on)


def write(workspace: Path, *items: OutboxItem) -> str:
    dated.write(workspace, "main", items)
    return (workspace / NAME).read_text()


def body(content: str) -> list[str]:
    return [line for line in content.split("\n") if line.startswith("- ")]


ONE = observation(1, text="Prefers tabs", kind=Kind.PREFERENCE, priority=5)
TWO = observation(2, text="Uses `ripgrep`", local_time="10:05", priority=2)


def test_a_new_file_reads_well_and_has_front_matter(tmp_path: Path) -> None:
    other_session = observation(3, text="Moved to Lyon", session_id='s"2', local_time="", done=True)

    content = write(tmp_path, item(ONE), item(TWO), item(other_session))

    assert content == (
        "---\n"
        "agent: main\n"
        "date: 2026-11-16\n"
        "zone: Europe/Paris\n"
        'sessions: [s1, s"2]\n'
        "observations: 3\n"
        "---\n"
        "\n"
        "# Observations of 2026-11-16\n"
        "\n"
        "- 🔴 08:47 preference: Prefers tabs\n"
        "- 🟢 10:05 fact: Uses `ripgrep`\n"
        "- ✅ fact: Moved to Lyon\n"
    )
    assert frontmatter.loads(content)["sessions"] == ["s1", 's"2']


def test_later_observations_are_appended_and_counted(tmp_path: Path) -> None:
    write(tmp_path, item(ONE))

    content = write(tmp_path, item(observation(2, text="Uses `ripgrep`", session_id="s2")))

    head = frontmatter.loads(content)
    assert (head["observations"], head["sessions"], len(body(content))) == (2, ["s1", "s2"], 2)


def test_what_a_person_keeps_in_the_head_stays_and_an_older_head_is_read(tmp_path: Path) -> None:
    keys = [
        'agent: "main"',
        'sessions: ["s1"]',
        "observations: 0",
        "tags: [a, 2026-11-16]",
        "content: 7",
    ]
    older = "\r\n".join(["---", *keys, "---", "", ""])
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(older.encode())

    content = write(tmp_path, item(observation(2, text="Uses `ripgrep`", session_id="s2")))

    head, _ = frontmatter.parse(content)
    assert (head["agent"], head["sessions"], head["observations"]) == ("main", ["s1", "s2"], 1)
    assert [str(tag) for tag in head["tags"]] == ["a", "2026-11-16"]
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")


def test_what_a_person_keeps_in_the_head_stays_to_the_byte(tmp_path: Path) -> None:
    own = "met: 12:30\ncountry: NO\nversion: 1.10\nzip: 01234\nodd:   [ a,\n  'b' ]\nnote: >\n  folded\n"
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.write_text(f'---\nagent: "main"\nsessions: ["s1"]\n{own}observations: 0\n---\n\n')

    content = write(tmp_path, item(observation(2, text="Uses `ripgrep`", session_id="s2")))

    assert content.startswith(f'---\nagent: "main"\nsessions: [s1, s2]\n{own}observations: 1\n---\n\n')


def test_sessions_in_a_form_of_their_own_are_left_as_they_are(tmp_path: Path) -> None:
    head = "---\nsessions:\n  - s1\nobservations: 0\n---\n\n"
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.write_text(head)

    assert write(tmp_path, item(observation(2, session_id="s2"))).startswith(head)


def test_a_head_with_comments_is_left_as_it_is(tmp_path: Path) -> None:
    head = "---\nsessions: [s1]\nobservations: 0\n# mine\n---\n\n"
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.write_text(head)

    content = write(tmp_path, item(observation(2, text="Uses `ripgrep`", session_id="s2")))

    assert content == head + "- 🟡 08:47 fact: Uses `ripgrep`\n"


def test_each_date_has_its_file_and_every_number_comes_back(tmp_path: Path) -> None:
    items = [item(observation(n, local_date=f"2026-11-{10 + n % 3}"), number=n) for n in range(9)]

    done = dated.write(tmp_path, "main", items)

    assert set(range(9)) == set(done)
    assert sorted(path.name for path in (tmp_path / dated.FOLDER).iterdir()) == [
        "obs-2026-11-10.md",
        "obs-2026-11-11.md",
        "obs-2026-11-12.md",
    ]
    assert len(dated.read(tmp_path)) == 9


def test_acts_that_are_repeated_after_a_crash_double_nothing(tmp_path: Path) -> None:
    items = [item(ONE), item(TWO), item(ONE, Act.MARK_SUPERSEDED), item(TWO, Act.MARK_WITHDRAWN)]
    before = write(tmp_path, *items)

    for repeated in (items, items[:2] + items[2:], items[2:]):
        assert before == write(tmp_path, *repeated)


def test_a_superseded_line_is_marked_in_place_before_its_words(tmp_path: Path) -> None:
    write(tmp_path, item(ONE), item(TWO))

    content = write(tmp_path, item(ONE, Act.MARK_SUPERSEDED))

    assert body(content) == [
        "- 🔴 08:47 (superseded 2026-11-19) preference: Prefers tabs",
        "- 🟢 10:05 fact: Uses `ripgrep`",
    ]


def test_the_words_of_a_withdrawn_line_are_taken_out(tmp_path: Path) -> None:
    write(tmp_path, item(ONE), item(TWO))

    content = write(tmp_path, item(ONE, Act.MARK_WITHDRAWN, "2026-11-16"))

    assert body(content) == ["- 🔴 08:47 (withdrawn 2026-11-16)", "- 🟢 10:05 fact: Uses `ripgrep`"]


def test_withdrawn_words_never_come_back_with_a_later_supersession(tmp_path: Path) -> None:
    late = [item(ONE, Act.MARK_WITHDRAWN), item(ONE, Act.MARK_SUPERSEDED)]
    at_once = write(tmp_path, item(ONE), *late)
    one_by_one = [write(tmp_path, step) for step in late]

    assert [at_once, at_once] == one_by_one
    assert "tabs" not in at_once


@pytest.mark.parametrize("mark", [Act.MARK_SUPERSEDED, Act.MARK_WITHDRAWN])
def test_a_restored_line_reads_as_it_did(tmp_path: Path, mark: Act) -> None:
    before = write(tmp_path, item(ONE), item(TWO))
    write(tmp_path, item(ONE, mark))

    assert before == write(tmp_path, item(ONE, Act.RESTORE))


def test_a_line_that_a_person_edited_is_theirs(tmp_path: Path) -> None:
    content = write(tmp_path, item(ONE), item(TWO))
    edited = content.replace("Prefers tabs", "Prefers tabs, mostly")
    (tmp_path / NAME).write_text(edited)

    assert edited == write(tmp_path, item(ONE, Act.MARK_SUPERSEDED))


def test_a_file_that_a_person_removed_is_not_made_for_a_mark(tmp_path: Path) -> None:
    write(tmp_path, item(ONE))
    (tmp_path / NAME).unlink()

    dated.write(tmp_path, "main", [item(ONE, Act.MARK_SUPERSEDED)])

    assert not (tmp_path / NAME).exists()


def test_a_file_in_which_nothing_is_to_be_done_is_not_touched(tmp_path: Path) -> None:
    content = write(tmp_path, item(ONE)).replace("observations: 1", "observations: 7").rstrip("\n")
    (tmp_path / NAME).write_text(content)

    assert write(tmp_path, item(ONE), item(TWO, Act.MARK_SUPERSEDED)) == content


@pytest.mark.parametrize(
    "foreign",
    [
        b"\xff\xfe not utf-8 \x00\n",
        b"no line break at the end",
        b"\xef\xbb\xbf---\nsessions: 7\n---\n",
        b"---\nsessions: [broken\nobservations: many\n---\n\n\n",
        b"one\r\ntwo\nthree\r\n",
        b"",
    ],
)
def test_what_is_not_ours_is_kept_byte_for_byte(tmp_path: Path, foreign: bytes) -> None:
    path = files.make_folder(tmp_path, dated.FOLDER) / "obs-2026-11-16.md"
    path.write_bytes(foreign)

    dated.write(tmp_path, "main", [item(ONE), item(TWO)])
    dated.write(tmp_path, "main", [item(ONE, Act.MARK_SUPERSEDED)])

    assert path.read_bytes().startswith(foreign)
    assert [ONE.text, TWO.text] == [line.text for _, line in dated.read(tmp_path)]


def test_a_file_with_windows_line_ends_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / NAME
    write(tmp_path, item(ONE))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    dated.write(tmp_path, "main", [item(TWO), item(ONE, Act.MARK_SUPERSEDED)])

    content = path.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n")
    assert b"observations: 2\r\n" in content
    assert len(dated.read(tmp_path)) == 2


def test_a_text_of_several_lines_becomes_one(tmp_path: Path) -> None:
    content = write(tmp_path, item(observation(1, text="first\n- 🔴 second\r\nthird")))

    assert body(content) == ["- 🟡 08:47 fact: first - 🔴 second  third"]


def test_a_foreign_change_is_merged_on_the_next_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, item(ONE))
    _interfere(monkeypatch, times=dated.TRIES - 1)

    content = write(tmp_path, item(TWO))

    assert content.count("theirs\n") == dated.TRIES - 1
    assert [ONE.text, TWO.text] == [line.text for _, line in dated.read(tmp_path)]


def test_a_file_that_keeps_changing_is_given_up_cleanly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = write(tmp_path, item(ONE))
    _interfere(monkeypatch, times=dated.TRIES)

    with pytest.raises(UserError, match="keeps changing"):
        write(tmp_path, item(TWO))

    assert before + "theirs\n" * dated.TRIES == (tmp_path / NAME).read_text()


def test_a_linked_folder_is_not_written_through(tmp_path: Path) -> None:
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    workspace.mkdir()
    elsewhere.mkdir()
    (workspace / "memory").symlink_to(elsewhere)

    with pytest.raises(UserError, match="symbolic link"):
        write(workspace, item(ONE))

    assert list(elsewhere.iterdir()) == []


def test_a_rendered_line_is_read_back() -> None:
    assert DatedLine("🔴", "08:47", Kind.PREFERENCE, "Prefers tabs") == parse_line(render(ONE))
    assert DatedLine(
        "🔴", "08:47", Kind.PREFERENCE, "Prefers tabs", "superseded", "2026-11-19"
    ) == parse_line(render(ONE, Act.MARK_SUPERSEDED, "2026-11-19"))
    assert DatedLine("🔴", "08:47", None, "", "withdrawn", "2026-11-19") == parse_line(
        render(ONE, Act.MARK_WITHDRAWN, "2026-11-19")
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "- buy milk",
        "- 🔴 buy milk",
        "- 🔴 08:47",
        "- 🔴 08:47 (superseded 2026-11-19)",
        "- 🔴 08:47 (withdrawn 2026-11-19) fact: x",
        "  - 🔴 08:47 fact: nested",
        "- 🔴 08:47 opinion: x",
    ],
)
def test_a_line_that_is_not_ours_is_nobodys_observation(line: str) -> None:
    assert parse_line(line) is None


def test_the_name_does_not_begin_with_the_date(tmp_path: Path) -> None:
    dated.write(tmp_path, "main", [item(ONE)])

    assert [path.name for path in (tmp_path / "memory/observations").iterdir()] == ["obs-2026-11-16.md"]


def _interfere(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Let another program append a line between our look at the file and our write, *times* times."""
    real = files.replace
    left = iter(range(times))

    def replace(path: Path, data: bytes, *, expected: bytes | files.Absent | None) -> files.Outcome:
        if next(left, None) is not None:
            path.write_bytes(path.read_bytes() + b"theirs\n")
        return real(path, data, expected=expected)

    monkeypatch.setattr(files, "replace", replace)


def test_a_day_before_the_year_1000_that_an_older_release_noted_is_written(tmp_path: Path) -> None:
    dated.write(tmp_path, "main", [item(observation(1, text="Prefers tea", local_date="1-01-01"))])

    (made,) = (tmp_path / "memory" / "observations").glob("*.md")
    assert "date: 0001-01-01" in made.read_text()
