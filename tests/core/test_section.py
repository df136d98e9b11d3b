"""Finding the section, putting it and taking it out; promise 1 on hand-picked files."""

import pytest
from tests.core.lines_by_hand import a_line

from scrimshaw.core.section.budget import utf16_units
from scrimshaw.core.section.markers import (
    BEGIN,
    END,
    Absent,
    Damaged,
    Owned,
    Unmarked,
    frame_units,
    parse,
    put,
    rest_units,
    take_out,
)
from scrimshaw.core.section.render import read
from scrimshaw.core.section.select import fold
from scrimshaw.core.types import Author, Place

BLOCK = f"## Observations\n{BEGIN}\nold\n{END}\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "a",
        "a\n",
        "a\n\n",
        "a\r\n",
        "a\r\nb",
        "\ufeff",
        "\ufeff# T\r\n",
        "a\r",
        "- item",
        "> quote",
        "a  ",
    ],
)
def test_promise_1_a_section_added_at_the_end_can_be_taken_out_to_the_byte(text):
    with_section = put(parse(text), "one\ntwo")

    assert with_section.startswith(text)
    assert text == take_out(parse(with_section))


@pytest.mark.parametrize("before", ["", "# T\r\n\r\nx  \r\n", "\ufeffa\n"])
@pytest.mark.parametrize("after", ["", "\r\n## Promoted\r\n", "\ntail without newline", "   \n\n"])
def test_promise_1_every_character_outside_the_markers_is_kept(before, after):
    text = f"{before}## Renamed by hand\n\n{BEGIN}\nold\n{END}\n{after}"

    changed = put(parse(text), "new\nbody")

    newline = parse(text).newline
    inner = newline.join(["new", "body", ""])
    assert text.replace("old\n", inner) == changed


def test_an_identical_body_gives_the_identical_text_whatever_its_newlines():
    text = f"a\r\n\r\n## Observations\r\n{BEGIN}\none\r\ntwo\n{END}\r\n"

    assert text == put(parse(text), "one\ntwo")


def test_the_block_uses_the_newline_of_the_file():
    assert f"a\r\nb\r\n\r\n## Observations\r\n{BEGIN}\r\nx\r\ny\r\n{END}\r\n" == put(
        parse("a\r\nb\r\n"), "x\ny"
    )


def test_text_a_person_wrote_behind_the_section_stays_when_it_is_taken_out():
    assert take_out(parse(put(parse("a\n"), "x") + "mine\n")) == "a\n\nmine\n"


def test_a_renamed_heading_stays_when_the_section_is_taken_out():
    assert take_out(parse(f"## My memory\n{BEGIN}\nx\n{END}\n\ntail\n")) == "## My memory\n\ntail\n"


def test_rule_4_a_heading_without_markers_offers_its_lines():
    document = parse("# T\n\n## Observations\n\n- one\n- two\n\n## Next\ntext\n")

    assert isinstance(document.state, Unmarked)
    assert (document.state.content, document.state.line) == ("\n- one\n- two", 3)


def test_rule_4_the_markers_take_the_place_of_the_imported_lines():
    text = "# T\n\n## Observations\n- one\n\n## Next\ntext\n"

    assert f"# T\n\n## Observations\n{BEGIN}\n- one\n{END}\n\n## Next\ntext\n" == put(parse(text), "- one")


@pytest.mark.parametrize(
    "text", ["## Observations", "## Observations\n", "a\n\nObservations\n---\n", "## observations ##\n"]
)
def test_an_empty_section_without_markers_gets_them_behind_its_heading(text):
    changed = put(parse(text), "x")

    assert changed.startswith(text)
    assert isinstance(parse(changed).state, Owned)


@pytest.mark.parametrize(
    "text",
    [
        "```\n## Observations\n```\n",
        f"```\n{BEGIN}\n{END}\n```\n",
        f"    {BEGIN}\n    {END}\n",
        f"<!-- how it looks:\n{BEGIN.replace('-->', '')}\n{END}\n",
        f"Put `{BEGIN}` and `{END}` there.\n",
        f"> {BEGIN}\n> {END}\n",
        f"- {BEGIN}\n- {END}\n",
        "# Observations\n",
        "### Observations\n",
        "scrimshaw:begin\n",
    ],
)
def test_what_only_looks_like_a_section_is_data(text):
    assert isinstance(parse(text).state, Absent)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a\n{BEGIN}\nx\n", "the end marker is missing (begin on line 2)"),
        (f"a\n\n{END}\n", "the begin marker is missing (end on line 3)"),
        (BLOCK + BLOCK, "the begin marker occurs 2 times (lines 2, 6)"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", "the begin marker occurs 2 times (lines 1, 2)"),
        (
            f"{END}\nx\n{BEGIN}\n",
            "the end marker stands before the begin marker (end on line 1, begin on line 3)",
        ),
        (f"{BEGIN}\nx\n{END} tail\n", "line 3: text stands beside the end marker: 'tail'"),
        (f"{BEGIN}\n```\nx\n{END}\n", "the end marker is missing (begin on line 1)"),
        (f"{BEGIN}\n<!-- open\nx\n{END}\n", "the end marker is missing (begin on line 1)"),
    ],
)
def test_rule_9_damaged_markers_are_named_with_their_lines(text, expected):
    state = parse(text).state

    assert isinstance(state, Damaged)
    assert expected in state.problems


def test_rule_9_nothing_is_put_into_a_damaged_file():
    with pytest.raises(ValueError, match="the end marker is missing"):
        put(parse(f"{BEGIN}\n"), "x")


OURS, THEIRS = "- 🔴 Anna has the key", "- 🔴 Tom has the key"
LEFT = f"<<<<<<< HEAD\n{OURS}\n=======\n{THEIRS}\n>>>>>>> theirs\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"# Me\n## Observations\n{BEGIN}\n{LEFT}{END}\n", "lines 4 to 8"),
        (f"# Me\n## Observations\n{BEGIN}\n{LEFT}{END}\n".replace("\n", "\r\n"), "lines 4 to 8"),
        (LEFT.replace(OURS, BLOCK).replace(THEIRS, BLOCK), "lines 1 to 13"),
        (LEFT.replace(OURS, BLOCK).replace(f"{THEIRS}\n", ""), "lines 1 to 8"),
        (f"## Observations\n{LEFT}", "lines 2 to 6"),
    ],
)
def test_rule_9_a_merge_conflict_in_the_section_is_left_to_its_owner(text, lines):
    state = parse(text).state

    assert isinstance(state, Damaged)
    assert state.problems == (f"{lines}: two versions, as a merge has left them",)


def test_a_merge_conflict_elsewhere_in_the_file_is_no_obstacle():
    for text in (f"{LEFT}\n{BLOCK}", f"{BLOCK}\n{LEFT}", f"<<<<<<< a\n{BLOCK}=======\n"):
        assert isinstance(parse(text).state, Owned)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_promise_1_nothing_is_put_into_a_file_in_utf_16(encoding):
    text = f"\ufeff# Me\r\n\r\nMine ü\r\n{BLOCK}".encode(encoding).decode("utf-8", "surrogateescape")

    document = parse(text)

    assert document.state == Damaged(("the file is UTF-16, not UTF-8",))
    with pytest.raises(ValueError, match="UTF-16"):
        put(document, "x")


def test_a_byte_order_mark_of_utf_8_is_no_obstacle():
    assert isinstance(parse(f"\ufeff# Me\n{BLOCK}").state, Owned)


@pytest.mark.parametrize("text", ["a\n```\ncode\n", "a\n\n<!-- todo\n", "<pre>\nx\n"])
def test_a_file_that_ends_inside_something_open_says_so_or_still_works(text):
    document = parse(text)

    match document.state:
        case Damaged(problems):
            assert "never closed" in problems[0]
        case _:
            assert text == take_out(parse(put(document, "x")))


def test_markers_right_behind_an_html_block_are_markers():
    assert isinstance(parse(f"<details>\n{BEGIN}\nx\n{END}\n</details>\n").state, Owned)


@pytest.mark.parametrize(
    "text", ["", "a\n", f"# T\r\n\r\n{BLOCK}tail 🔴\n", "## Observations\n- x\n\n## Next\n"]
)
def test_rest_and_frame_and_body_add_up_to_the_file(text):
    document = parse(text)
    body = "- 🔴 a line\n- another"

    total = utf16_units(put(document, body))

    in_file = utf16_units(body) + body.count("\n") * (len(document.newline) - 1)
    assert total == rest_units(document) + frame_units(document) + in_file


@pytest.mark.parametrize(
    "note",
    [
        "#### Mine\n- ```py\n  x\n  ``` w\n- y",
        "#### Mine\n- a\n  ```\n1. x",
        "#### Mine\n<pre>\nx",
        "#### Mine\n~~~ x",
    ],
)
def test_what_a_persons_heading_leaves_open_does_not_swallow_the_end_marker(note):
    lines = [a_line(note, author=Author.PERSON, place=Place.STANDING, id="own"), a_line("ours", id="ours")]
    folded = fold(lines, 9_000, zone="UTC")

    text = put(parse("# Memory\n"), folded.body)

    assert folded.body == parse(text).state.inner
    assert len(folded.shown) == len(read(folded.body)) == 2
