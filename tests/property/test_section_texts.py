"""Promises 1, 2 and 7 on texts nobody thought of: any file, any line, any hand edit."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.core.lines_by_hand import a_line

from scrimshaw.core.section.budget import units, utf16_units
from scrimshaw.core.section.diff import Edits, Restored, RevisionView, SectionUnchanged, TooMany, merge
from scrimshaw.core.section.markers import (
    BEGIN,
    END,
    Absent,
    Damaged,
    Owned,
    Unmarked,
    parse,
    put,
    put_back,
    stood_there,
    take_out,
)
from scrimshaw.core.section.render import PREAMBLE, read, safe, safe_note
from scrimshaw.core.section.select import fold, trim
from scrimshaw.core.types import Author, Line, Place

_PIECES = [
    "## Observations",
    BEGIN,
    END,
    "# T",
    "### Open",
    "### Log",
    "#### mine",
    "```",
    "~~~~",
    "- ```py",
    "  ``` w",
    "    code",
    "<!-- c",
    "-->",
    "<!-- trigger: a -->",
    "<div>",
    "<pre>",
    "  <pre>",
    "- x",
    "* y",
    "  more",
    "\ttab",
    "1. z",
    "> q",
    "2026-11-20",
    "---",
    "===",
    "word",
    "🔴 14:30 w",
    "é\udc80",
    "\x00",
    "\u2028",
    "3 more in memory/observations",
    PREAMBLE.format(zone="UTC"),
    "",
    "  ",
]
_newlines = st.sampled_from(["\n", "\r\n", "\r", "\n\n", " ", ""])
_markdown = st.lists(st.tuples(st.sampled_from(_PIECES), _newlines), max_size=14).map(
    lambda pairs: "".join(piece + newline for piece, newline in pairs)
)
_files = st.tuples(st.sampled_from(["", "\ufeff"]), _markdown | st.text(max_size=60)).map("".join)
_bodies = _markdown.map(safe_note).map(lambda text: fold([_own(text)], 10_000, zone="UTC").body)


def _own(text: str, number: int = 0) -> Line:
    return a_line(text, author=Author.PERSON, place=Place.STANDING, id=f"p{number}", said_at_ms=number)


@given(_files)
def test_promise_1_what_was_added_can_be_taken_out_to_the_byte(text):
    document = parse(text)
    assume(isinstance(document.state, Absent))

    assert text == take_out(parse(put(document, "one\ntwo")))


@given(st.tuples(_files, _markdown).map("\n## Observations\n".join))
def test_promise_1_what_stood_under_the_heading_comes_back_to_the_byte(text):
    document = parse(text)
    assume(isinstance(document.state, Unmarked))

    changed = parse(put(document, "one\ntwo"))

    assert text == put_back(changed, stood_there(document))
    if document.state.is_kept:
        assert text == take_out(changed)
        assert changed.text.startswith(text[: document.state.end])


@given(_files, _bodies)
def test_promise_1_everything_outside_the_section_survives_any_body(text, body):
    document = parse(text)

    match document.state:
        case Owned(start, end):
            before, after = text[:start], text[end:]
        case Unmarked(start, end):
            before, after = text[:start], text[end:]
        case Absent():
            before, after = text, ""
        case Damaged():
            return
    changed = put(document, body)
    assert changed.startswith(before)
    assert changed.endswith(after)
    state = parse(changed).state
    assert isinstance(state, Owned)
    assert body == state.inner
    assert changed == put(parse(changed), body)


@given(
    st.lists(
        st.tuples(_markdown | st.text(max_size=40), st.booleans(), st.sampled_from(list(Place))), max_size=6
    )
)
def test_what_the_fold_writes_is_read_back_line_for_line(texts):
    lines = [
        a_line(text, author=Author.PERSON if own else Author.MODEL, place=place, id=f"l{n}")
        for n, (text, own, place) in enumerate(texts)
    ]

    folded = fold(lines, 100_000, zone="UTC")

    by_id = {line.observation.id: line.observation for line in lines}
    items = read(folded.body)
    assert len(items) == len(folded.shown)
    for item, id_ in zip(items, folded.shown, strict=True):
        if by_id[id_].author is Author.PERSON:
            assert safe_note(by_id[id_].text) == item.text
        else:
            assert safe(by_id[id_].text) in item.text


@given(_markdown)
def test_making_a_text_safe_twice_changes_nothing_more(text):
    assert safe(safe(text)) == safe(text)
    assert safe_note(safe_note(text)) == safe_note(text)


_WORTHS = st.tuples(
    st.sampled_from(list(Place)),
    st.integers(1, 5),
    st.floats(0, 1),
    st.integers(0, 800),  # days ago
    st.booleans(),  # shown now
    st.sampled_from(["own", "aside", "pinned", "", "", ""]),
)


@given(st.lists(_WORTHS, max_size=40), st.integers(200, 3000), st.randoms(use_true_random=False))
def test_rule_1_the_same_lines_and_budget_give_one_text_whatever_was_shown_before(worths, budget, lot):
    lines = [
        a_line(
            f"line {n} of this and that, {'more ' * (n % 7)}",
            place=place,
            priority=priority,
            salience=salience,
            said_at_ms=1_795_000_000_000 - days * 86_400_000,
            author=Author.PERSON if mark == "own" else Author.MODEL,
            is_shown=mark != "aside" and (is_shown or mark in ("own", "pinned")),
            is_set_aside=mark == "aside",
            is_pinned=mark == "pinned",
        )
        for n, (place, priority, salience, days, is_shown, mark) in enumerate(worths)
    ]
    turned = [
        line
        if line.standing.is_set_aside or line.standing.is_pinned or line.observation.author is Author.PERSON
        else line._replace(standing=replace(line.standing, is_shown=lot.random() < 0.5))
        for line in lines
    ]
    lot.shuffle(turned)

    one, other = (_trimmed(each, budget) for each in (lines, turned))

    assert fold(one, budget, zone="UTC") == fold(other, budget, zone="UTC")
    assert trim(one, budget, zone="UTC") == trim(other, budget, zone="UTC") == ((), ())


def _trimmed(lines, budget):
    steps = trim(lines, budget, zone="UTC")
    return [
        line._replace(
            standing=replace(
                line.standing,
                is_shown=line.observation.id in steps.show
                or (line.standing.is_shown and line.observation.id not in steps.hide),
            )
        )
        for line in lines
    ]


@given(
    st.lists(
        st.tuples(
            st.text(max_size=80) | _markdown, st.booleans(), st.sampled_from(list(Place)), st.integers(1, 5)
        ),
        max_size=25,
    ),
    st.integers(0, 1500),
    st.sampled_from([1, 2]),
)
def test_promise_2_no_lines_exceed_any_budget(texts, budget, newline_units):
    lines = [
        a_line(
            text, author=Author.PERSON if own else Author.MODEL, place=place, priority=priority, id=f"l{n}"
        )
        for n, (text, own, place, priority) in enumerate(texts)
    ]

    folded = fold(lines, budget, zone="Europe/Paris", newline_units=newline_units)
    steps = trim(lines, budget, zone="Europe/Paris", newline_units=newline_units)

    shown = folded.body.replace("\n", "\n" * newline_units)
    assert units(shown) == folded.units <= budget
    assert utf16_units(shown) <= budget
    after = [
        line._replace(standing=replace(line.standing, is_shown=line.observation.id not in steps.hide))
        for line in lines
    ]
    trimmed = fold(after, budget, zone="Europe/Paris", newline_units=newline_units)
    own = {line.observation.id for line in lines if line.observation.author is Author.PERSON}
    assert set(trimmed.left_out) <= own
    assert not own & set(steps.hide)
    assert trim(after, budget, zone="Europe/Paris", newline_units=newline_units) == ((), ())


@given(_markdown, st.lists(_markdown, min_size=1, max_size=4))
def test_promise_7_any_text_found_is_taken_up_without_losing_a_line(found, earlier):
    revisions = []
    for number, text in enumerate(earlier):
        folded = fold([_own(part, n) for n, part in enumerate(text.split("\n\n"))], 100_000, zone="UTC")
        revisions.append(RevisionView(f"r{number}", folded.body, folded.shown))

    merged = merge(found, revisions, is_accepted=True)

    base = next((r for r in revisions if isinstance(merged, Edits) and r.id == merged.base), revisions[-1])
    assert not isinstance(merged, TooMany)
    if isinstance(merged, Edits):
        touched = [*merged.deleted, *(line.was for line in merged.edited)]
        assert len(set(touched)) == len(touched)
        assert set(touched) <= set(base.lines)
        kept = {item.text for r in revisions for item in read(r.body)}
        taken = "\n".join([*kept, *(line.text for line in (*merged.edited, *merged.added))])
        for item in read(found):
            assert all(row.strip() in taken for row in item.text.split("\n") if not item.parts)
    else:
        assert isinstance(merged, SectionUnchanged | Restored)
