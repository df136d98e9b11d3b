"""A child that is told and answers in lines: whatever it does, its parent waits in no pipe."""

from __future__ import annotations

import os
import sys

import pytest

from scrimshaw.piped import PipedChild

SOME_SECONDS = 60.0
LARGER_THAN_A_PIPE = {"text": "x" * 1_000_000}


def _child(program: str, most_answer_bytes: int = 10_000_000) -> PipedChild:
    return PipedChild((sys.executable, "-c", program), os.environ, most_answer_bytes, complains=True)


def _line(child: PipedChild) -> bytes:
    return child.line(SOME_SECONDS, lambda: None)


def test_a_child_that_ends_before_it_has_read_everything_is_no_error() -> None:
    child = _child("print('done')")
    child.tell([LARGER_THAN_A_PIPE])

    told = [_line(child), _line(child)]
    child.end()

    assert told == [b"done\n", b""]


def test_a_child_that_answers_while_it_is_told_holds_nobody_up() -> None:
    child = _child("import sys\nfor line in sys.stdin: print(line, end='', flush=True)")
    child.tell([LARGER_THAN_A_PIPE] * 3)

    told = [len(_line(child)) for _ in range(3)]
    child.end()

    assert told == [len('{"text": ""}\n') + 1_000_000] * 3


def test_what_goes_on_without_an_end_is_cut_off() -> None:
    child = _child("while True: print('x' * 999)", most_answer_bytes=100_000)

    told = list(iter(lambda: _line(child), b"\n"))
    child.end()

    assert 100 <= len(told) <= 200


def test_a_line_without_an_end_is_none() -> None:
    child = _child("import sys\nwhile True: sys.stdout.write('x' * 1_000)", most_answer_bytes=100_000)

    told = _line(child)
    child.end()

    assert told == b"\n"


def test_the_end_of_its_complaints_is_kept() -> None:
    child = _child("import sys\nsys.stderr.write('y' * 1_000_000 + ' it is broken')")

    told = _line(child)
    child.end()

    assert told == b""
    assert child.why_ended.endswith("y it is broken")
    assert len(child.why_ended) < 100_000


def test_one_that_says_nothing_is_out_of_time_and_is_ended_by_force() -> None:
    child = _child("import time\ntime.sleep(600)")

    with pytest.raises(TimeoutError):
        child.line(0.0, lambda: None)
    child.end()

    assert child.why_ended == "it ended with -9 and said nothing"
