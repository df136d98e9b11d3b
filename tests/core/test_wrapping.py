"""A section whose rows an editor has wrapped, and a word of which was changed (rule 6)."""

import textwrap

import pytest
from tests.core.lines_by_hand import a_line

from scrimshaw.core.section.diff import Edits, RevisionView, SectionUnchanged, laid_out, line_ids, merge
from scrimshaw.core.section.render import read
from scrimshaw.core.section.select import fold
from scrimshaw.core.types import Author, Place

OWN = "Never call before ten\nnor after six:\n- weekends too\n- not even Tom"
LINES = [
    a_line(
        "Prefers short answers with the command first and the reason behind", place=Place.STANDING, id="s"
    ),
    a_line("使用简短的回答并且先给出命令然后再解释原因", place=Place.STANDING, id="zh"),
    a_line("Runs the well-known back-up job /srv/jobs/back-up-all.sh twice", place=Place.STANDING, id="path"),
    a_line(OWN, place=Place.STANDING, author=Author.PERSON, id="own", said_at_ms=1),
    a_line("No meetings on Fridays", place=Place.STANDING, author=Author.PERSON, id="own2", said_at_ms=2),
    a_line("send the Q3 figures to Dana, as she asked, by 2026-11-24", place=Place.OPEN, id="figures"),
    a_line("staging deploy failed: advisory lock 774411 was held by the old worker", id="deploy"),
    a_line("webhook_log (58 GB) has 3 - 4 partitions and no primary key at all", id="hook", day="2026-11-19"),
    a_line("flight to Hamburg is TP 562 at 07:10", id="flight", day="2026-11-18"),
]
_FOLD = fold(LINES, 9000, zone="Europe/Paris")
NOW = RevisionView("r1", _FOLD.body, _FOLD.shown)


def _wrapped(width: int, indent: str = "", body: str = NOW.body) -> str:
    rows = []
    for row in body.split("\n"):
        inner = "  " if row.startswith("  ") else indent if row.startswith("- ") else ""
        rows += textwrap.wrap(row, width, subsequent_indent=inner, break_long_words=False) or [""]
    return "\n".join(rows)


def _row(word: str) -> str:
    return next(row for row in NOW.body.split("\n") if word in row)


def _edits(found: str) -> Edits:
    merged = merge(found, [NOW])
    assert isinstance(merged, Edits), merged
    return merged


def _brief(edits: Edits):
    return (
        edits.deleted,
        [(line.was, line.text) for line in edits.edited],
        [line.text for line in edits.added],
    )


@pytest.mark.parametrize("mark", ["- ", "* ", "+ ", "1. ", "2) "])
@pytest.mark.parametrize("indent", ["", "  ", "\t", "   "])
@pytest.mark.parametrize("width", [20, 31, 40, 60, 72])
def test_wrapped_rows_alone_are_no_edit(width, indent, mark):
    found = _wrapped(width, indent).replace("\n- ", f"\n{mark}")

    assert SectionUnchanged() == merge(found, [NOW])
    assert SectionUnchanged() == merge(found.replace("\n", "\r\n"), [NOW])
    assert sorted(NOW.lines) == sorted(line_ids(found, [NOW], lambda _: ""))


def test_a_line_of_chinese_that_is_wrapped_is_no_edit_and_joined_without_a_blank():
    row = _row("使用")

    wrapped = NOW.body.replace("先给", "\n先给")
    changed = NOW.body.replace("先给出命令", "\n先写出命令")

    assert SectionUnchanged() == merge(wrapped, [NOW])
    assert _brief(_edits(changed)) == ((), [("zh", row[2:].replace("先给", "先写"))], [])


@pytest.mark.parametrize("indent", ["", "  ", "\t"])
@pytest.mark.parametrize(
    ("id_", "old", "new", "broken"),
    [
        ("s", "command", "example", "and the reason"),
        ("deploy", "old worker", "new worker", "was held"),
        ("deploy", "staging", "Staging", "by the"),
        ("figures", "Dana", "Deniz", "2026-11-24"),
        ("hook", "partitions", "parts", "no primary"),
        ("path", "twice", "thrice", "up-all.sh"),
    ],
)
def test_a_wrapped_line_with_a_word_changed_is_one_edit_of_it(id_, old, new, broken, indent):
    row = next(line for line in NOW.body.split("\n") if broken in line and old in line)
    changed = row.replace(old, new)

    edits = _edits(NOW.body.replace(row, changed.replace(broken, f"\n{indent}{broken}").replace(" \n", "\n")))

    assert _brief(edits) == ((), [(id_, changed[2:])], [])


def test_every_line_wrapped_and_one_changed_is_one_edit():
    found = _wrapped(40).replace("twice", "thrice")

    assert _brief(_edits(found)) == ((), [("path", _row("back-up")[2:].replace("twice", "thrice"))], [])


def test_a_wrapped_line_that_was_carried_on_is_one_edit_of_it():
    row = _row("Prefers")
    longer = row.replace(" (since 2026-11)", ", and never in a table, whoever\nasks for one")

    assert _brief(_edits(NOW.body.replace(row, longer))) == ((), [("s", longer[2:].replace("\n", " "))], [])


@pytest.mark.parametrize("indent", ["", "  "])
def test_a_new_item_that_is_wrapped_is_one_line(indent):
    text = "The landlord has the spare key to the cellar and"
    found = NOW.body.replace("### Open", f"- {text}\n{indent}gives it to nobody\n### Open")

    deleted, edited, added = _brief(_edits(found))

    assert (deleted, edited) == ((), [])
    assert [" ".join(line.split()) for line in added] == [f"{text} gives it to nobody"]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_paragraph_between_two_lines_is_its_own(gap):
    row = _row("deploy failed")

    edits = _edits(NOW.body.replace(row, f"{row}{gap}The cellar is damp,\nsays Tom.\n"))

    assert _brief(edits) == ((), [], ["The cellar is damp,\nsays Tom."])


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_paragraph_below_a_line_that_was_changed_is_its_own(gap):
    row = _row("Prefers")
    changed = row.replace("command", "example")

    edits = _edits(NOW.body.replace(row, f"{changed}{gap}The cellar is damp."))

    assert _brief(edits) == ((), [("s", changed[2:])], ["The cellar is damp."])


@pytest.mark.parametrize(
    "typed",
    [
        "- a note\n  with a second row\n  - and a point",
        "- a note\n\n  and a paragraph of it",
        "- see\n```\n- Prefers short\nanswers\n```",
        "#### People\n- Dana:\nCFO\n- Priya: ops",
        "- use this\n<!-- trigger: deploy,\nstaging -->",
        "1. first\n2. second",
        "- a table\n| a | b |\n|---|---|",
    ],
)
def test_what_was_typed_in_several_rows_stays_so(typed):
    found = NOW.body.replace("### Open", f"{typed}\n### Open")

    assert found == laid_out(found, [NOW])


def test_a_note_of_several_rows_keeps_them_when_a_word_is_changed_in_it():
    edits = _edits(NOW.body.replace("weekends too", "weekends, too"))

    assert _brief(edits) == ((), [("own", OWN.replace("weekends too", "weekends, too"))], [])


def test_a_day_that_a_formatter_takes_for_more_of_the_line_above_is_still_a_day():
    indented = NOW.body.replace("\n2026-11-19\n", "\n  2026-11-19\n")
    joined = NOW.body.replace("\n2026-11-19\n", " 2026-11-19\n")

    assert SectionUnchanged() == merge(indented, [NOW])
    assert SectionUnchanged() == merge(joined, [NOW])


def test_a_text_laid_out_once_is_laid_out():
    for width in (20, 40, 72):
        once = laid_out(_wrapped(width).replace("worker", "driver"), [NOW])

        assert once == laid_out(once, [NOW])
        assert len(read(once)) == len(LINES)


def test_a_section_pasted_a_second_time_behind_a_sub_heading_says_nothing_new():
    headed = RevisionView("r2", f"{NOW.body}\n#### Rules\n- mine", (*NOW.lines, "rules"))

    edits = merge(f"{headed.body}\n{headed.body}", [headed])

    assert isinstance(edits, Edits)
    assert _brief(edits) == ((), [], [])
