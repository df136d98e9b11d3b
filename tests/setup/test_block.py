"""The marked block in AGENTS.md: whatever the file holds, taking the block out gives it back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrimshaw.core.section.block import (
    BEGIN,
    END,
    BrokenBlock,
    NoBlock,
    WholeBlock,
    find_block,
    put_block,
    take_out_block,
)

INNER = "one line\n\nanother"
TEXTS = st.text(st.sampled_from("ab #\n\r\t`-<>\ufeff🔴")) | st.binary().map(
    lambda raw: raw.decode("utf-8", "surrogateescape")
)


@given(TEXTS)
@example("")
@example("\ufeff")
@example("no newline at the end")
@example("crlf\r\n")
@example("a lone return\r")
@example("```\nan open fence\n")
def test_taking_the_block_out_gives_the_text_back_to_the_byte(text: str) -> None:
    done = put_block(text, INNER)

    assert isinstance(find_block(done), WholeBlock)
    assert take_out_block(done) == text
    assert done.startswith(text)


@given(TEXTS)
def test_putting_it_again_changes_nothing(text: str) -> None:
    done = put_block(text, INNER)

    assert put_block(done, INNER) == done
    assert take_out_block(put_block(done, "newer")) == text


@given(TEXTS, st.sampled_from(["more\n", "\nmore", "x", "\r\nx"]))
def test_what_was_written_behind_it_stays_whole_lines(text: str, behind: str) -> None:
    left = take_out_block(put_block(text, INNER) + behind)

    assert left.startswith(text)
    assert left.endswith(behind)
    assert left.removeprefix(text).removesuffix(behind).strip("\r\n") == ""
    assert left.splitlines()[-1] == behind.splitlines()[-1]


@pytest.mark.parametrize(
    "text",
    [
        BEGIN,
        END,
        f"{END}\n{BEGIN}\n",
        f"{BEGIN}\n{BEGIN}\n{END}\n",
        f"{BEGIN}\n{END}\n{END}\n",
        f"see {BEGIN} here",
    ],
)
def test_markers_that_do_not_pair_up_are_damage_and_are_left_alone(text: str) -> None:
    assert isinstance(find_block(text), BrokenBlock)
    assert take_out_block(text) == text
    with pytest.raises(ValueError, match="marker"):
        put_block(text, INNER)


def test_a_text_without_markers_holds_no_block() -> None:
    assert find_block("# Agents\n") == NoBlock()
    assert take_out_block("# Agents\n") == "# Agents\n"
