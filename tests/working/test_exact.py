"""A memory that has moved into the ledger says exactly what was stored; forgetting reaches it."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.lines_by_hand import a_line

from scrimshaw import Memory
from scrimshaw.core.ledger.exact import exact_of, parts_of, whole_of, without_exact
from scrimshaw.core.ledger.pieces import cuts_of, pieces_of
from scrimshaw.core.types import Author, Observation
from scrimshaw.redaction import redact
from scrimshaw.services.archive.read import Cleaner
from scrimshaw.store.ledger import open_ledger

_INDENTED = json.dumps([{"id": number, "tags": [0, 1, 1]} for number in range(40)], indent=4)
_TEXTS = [
    "1\n0\n1\n1\n0",
    "- [ ] milk\n- [x] eggs\n✅\n❌",
    _INDENTED,
    "if it_rains:\n\tstay()\n\n\nelse:\n\tgo()  # twice the spaces",
    "<!-- kept -->\x1b[31mred\x1b[0m and zero\u200bwidth",
    "one note\n\nof two\n\none note",
    "✅\nfirst a sign\n" + "A sentence of some words.  " * 40 + "\n\n\t" + "x" * 700 + "  end",
]
_SIGNS = st.sampled_from(
    [*"ab1 \n\t✅.!<\x1b\x07[]m0;\u200b-", "<!--", "\x1b[31m", "\x1b]0;t\x07", "word " * 40, "x" * 200]
)


def _observations(memory: Memory) -> list[Observation]:
    with open_ledger(memory.target.layout.ledger, create=False, read_only=True) as ledger:
        return [line.observation for line in ledger.live_lines()]


def _moved(memory: Memory, text: str) -> str:
    """Store *text*, move it into the ledger, and return its id."""
    id_ = memory.store(text, importance=0.123456).id
    assert memory.consolidate(ttl_override="0s").archived == 1
    return id_


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("text", _TEXTS)
def test_a_memory_that_has_moved_says_what_was_stored(memory: Memory, text: str) -> None:
    id_ = _moved(memory, text)

    told = memory.memory(id_)

    assert (told.layer, told.content, told.importance) == ("episodic", text, 0.123456)
    texts = [line.text for line in _observations(memory)]
    assert len(texts) == len(set(texts))


def test_what_its_lines_give_exactly_is_not_kept_twice(memory: Memory) -> None:
    _moved(memory, "Gareth pays on Mondays\nOwen likes cider")

    assert [parts_of(line) for line in _observations(memory)] == [(), ()]


def test_the_words_of_a_line_are_not_kept_beside_it(memory: Memory) -> None:
    _moved(memory, "Gareth pays on Mondays\n\n\tOwen likes cider")

    assert all("Gareth" not in line.metadata for line in _observations(memory))


def test_forgetting_a_line_takes_its_part_out_of_the_memory(memory: Memory) -> None:
    id_ = _moved(memory, "The code of the gate is 4711\n🔒🔒\n\n\tGareth  pays\nThe code of the gate is 4711")

    memory.forget(memory.plan_forget("code of the gate"))

    assert memory.memory(id_).content == "\tGareth  pays\n"
    left = _bytes(memory.workspace)
    assert b"4711" not in left
    assert "🔒".encode() not in left


def test_words_that_only_the_exact_text_has_can_be_forgotten(memory: Memory) -> None:
    id_ = _moved(memory, "Gareth pays\n\x1b]0;a hidden title\x07Owen likes cider")

    memory.forget(memory.plan_forget("a hidden title"))

    assert memory.memory(id_).content == "Gareth pays\n"
    assert b"hidden" not in _bytes(memory.workspace)


def test_forgetting_a_memory_leaves_nothing_of_its_exact_text(memory: Memory) -> None:
    id_ = _moved(memory, "\tGareth  pays on\tMondays 🔒")

    memory.forget(memory.plan_forget(id_))

    left = _bytes(memory.workspace)
    assert b"Gareth" not in left
    assert "🔒".encode() not in left


def test_a_ledger_from_before_reads_as_before(memory: Memory) -> None:
    id_ = _moved(memory, "1\n0\n1\n1\n0")
    with sqlite3.connect(memory.target.layout.ledger) as db:
        db.execute("insert into forgetting (since_ms) values (0)")  # else the ledger is append-only
        for row, told in db.execute("select number, task_state from observation").fetchall():
            bare = (without_exact(told), row)
            db.execute("update observation set task_state = ? where number = ?", bare)
        db.execute("delete from forgetting")

    assert memory.memory(id_).content == "1\n0"


def test_what_is_private_where_it_is_imported_is_in_no_exact_text() -> None:
    patterns = Cleaner(())._patterns
    line = a_line("Owen's code is here", author=Author.PROGRAM).observation
    password = "password: hunter2-" + "Zq8"
    hidden = replace(line, metadata=json.dumps({"exact": [[0, f"\x1b]0;{password}\x07", ""]]}))
    plain = replace(line, metadata=json.dumps({"exact": [[0, "\t", "\n"]]}))

    assert redact(password).counts
    assert parts_of(Cleaner(patterns).line(hidden)) == ()
    assert Cleaner(patterns).line(plain) is plain


@given(st.lists(_SIGNS, max_size=40).map("".join))
def test_the_parts_of_any_text_give_it_again(text: str) -> None:
    cuts = cuts_of(text)
    line = a_line("any", author=Author.PROGRAM).observation
    lines = [
        replace(line, text=one, metadata=json.dumps(told) if told else "")
        for one, told in exact_of(text, cuts).items()
    ]

    assert [cut.line for cut in cuts] == list(pieces_of(text))
    assert not cuts or whole_of(lines) == text


@pytest.mark.parametrize(
    "told", ['{"exact": 1}', '{"exact": [[1]]}', '{"exact": ["a"]}', '["exact"', '"exact"']
)
def test_parts_that_somebody_made_up_are_none(told: str) -> None:
    line = replace(a_line("any", author=Author.PROGRAM).observation, metadata=told)

    assert parts_of(line) == ()
    assert whole_of([line]) == "any"


def test_a_memory_of_very_many_short_rows_becomes_few_lines(memory: Memory) -> None:
    text = "\n".join(f"n{number} ok" for number in range(11_000))
    id_ = _moved(memory, text)

    assert len(_observations(memory)) < 400
    assert memory.memory(id_).content == text
    assert "n7777" in memory.search("what of n7777?").results[0].content
    memory.forget(memory.plan_forget("n7777 ok"))
    assert "n7777" not in memory.memory(id_).content
    assert "n10999 ok" in memory.memory(id_).content


def test_rows_are_joined_only_where_there_are_very_many() -> None:
    assert [cut.line for cut in cuts_of("a\n" * 500)] == ["a"] * 500
    assert [len(cut.line) for cut in cuts_of("a\n" * 501)] == [299, 299, 299, 101]
