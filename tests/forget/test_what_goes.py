"""What goes along with a line, and how a text is taken out of another: pure, and against random texts."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.shell.made import observation

from scrimshaw.core.ledger.forget import Traces, forget_closure, without, without_rows
from scrimshaw.core.section.render import read, spans
from scrimshaw.core.types import Closed, Line, Standing
from scrimshaw.core.types import Place as Part


def line(number, text, *, closed=None, by="", supports=()):
    standing = Standing(Part.LOG, closed=closed, closed_by=by)
    return Line(replace(observation(number, text=text), supports=supports), standing)


def test_the_other_forms_of_one_statement_go_along():
    lines = [
        line(1, "Dana lives in the old mill"),
        line(2, "Dana lives in the old mill now", closed=Closed.MERGED, by="o1"),
        line(3, "lives in the mill", closed=Closed.EDITED, by="o2"),
        line(4, "Note: dana lives  in the old mill, number 4"),
        line(5, "Dana likes tea"),
    ]

    assert {"o1", "o2", "o3", "o4"} == set(forget_closure(lines, ["o3"], is_one=True).ids)


def test_what_a_reflection_made_of_it_goes_and_what_else_was_in_it_holds_again():
    lines = [
        line(1, "Dana lives in the old mill", closed=Closed.MERGED, by="o3"),
        line(2, "Dana drinks green tea only", closed=Closed.MERGED, by="o3"),
        line(3, "Dana: old mill, green tea", supports=("o1", "o2")),
        line(4, "Says again and again where Dana is", supports=("o3",)),
    ]

    found = forget_closure(lines, ["o1"], is_one=True)

    assert {"o1", "o3", "o4"} == set(found.ids)
    assert found.restored == ("o2",)


def test_what_a_merged_line_was_made_of_goes_with_it_when_it_is_the_one_that_was_named():
    lines = [
        line(1, "Dana lives in the old mill", closed=Closed.MERGED, by="o3"),
        line(3, "Dana: old mill, green tea", supports=("o1",)),
    ]

    assert {"o1", "o3"} == set(forget_closure(lines, ["o3"], is_one=True).ids)


def test_of_a_conversation_only_what_was_made_of_it_goes_along():
    lines = [
        line(1, "Dana lives in the old mill", closed=Closed.MERGED, by="o2"),
        line(2, "Dana lives in the old mill, she says again"),
        line(3, "A pattern of the first", supports=("o1",)),
    ]

    assert {"o1", "o3"} == set(forget_closure(lines, ["o1"], is_one=False).ids)


def test_a_short_text_is_found_only_alone():
    traces = Traces(["Yes"])

    assert traces.are_in("- 🔴 Yes")
    assert not traces.are_in("Yes, and much more than that")


_ROWS = st.sampled_from(
    [
        "- one line of ours here",
        "- 🔴 08:47 the secret words of somebody",
        "  and a row below it",
        "",
        "### Open",
        "### Log",
        "2026-11-20",
        "### Mine",
        "```",
        "<!-- note -->",
        "plain paragraph",
        "- ",
        "1. numbered",
        "---",
    ]
)


@given(st.lists(_ROWS, max_size=14), st.sets(st.integers(0, 14)))
def test_a_section_reads_back_as_many_items_whatever_goes(rows, gone):
    body = "\n".join(rows)
    before = read(body)

    after = read(without(body, lambda number, _item: number in gone))

    assert len(before) == len(after) == len(spans(body))
    assert all(
        one.text == "[forgotten]" if number in gone else (one.text, one.date) == (old.text, old.date)
        for number, (one, old) in enumerate(zip(after, before, strict=True))
    )


@given(st.lists(st.text("abc défg\t-*#", min_size=12, max_size=40), min_size=1, max_size=40), st.data())
def test_many_texts_are_found_as_few_are(texts, data):
    text = data.draw(st.sampled_from(texts))
    around = f"before {text} after"
    is_there = bool(text.strip()) and len(" ".join(text.split())) >= 12

    found = Traces(texts).are_in(around)

    assert found or not is_there
    assert not Traces(texts) or without_rows("nothing of it\r\nat all", Traces(texts)).startswith("nothing")
