"""What a second reading may do to the gate's verdict, and what it may not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.judged_by_hand import MONDAY_MS, SESSION, unread
from tests.core.lines_by_hand import a_line

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.observe_reply import SECOND_READING
from scrimshaw.core.types import UNREAD, Entry, Kind, Proposal, Readings, Rejected, Role, Verified, Window
from scrimshaw.core.verification.judge import Extent, judge_as_read, to_read
from scrimshaw.core.verification.verify import Evidence, prepare

_SAID = (
    "don't upgrade pandas past 2.1 in etl-core, 2.2 breaks the groupby in settle.py (Jonas has it)",
    "leave the rye order with Millrace as it is, their rye has always been fine",
)
_EVIDENCE: Evidence = prepare(
    Window(
        SESSION,
        tuple(
            Entry("s", f"e{n}", n, MONDAY_MS + n, Role.USER, text) for n, text in enumerate(_SAID, start=1)
        ),
        0,
        "UTC",
    )
)


def _line(text: str, source: str) -> Proposal:
    return Proposal(text, Kind.FACT, 3, (source,), Role.USER)


_RIGHT_AND_REWORDED = _line("Pin pandas to 2.1 in etl-core: 2.2 breaks the groupby in settle.py", "e1")
_TURNED_AND_UNSEEN = _line("User wants the rye order with Millrace stopped", "e2")
_RIGHT = _line("Leave the rye order with Millrace as it is, their rye has always been fine", "e2")
_INVENTED = _line("User pins pandas to 2.7 in etl-core", "e1")
_DENIED = _line("don't leave the rye order with Millrace as it is, their rye has always been fine", "e2")
_ALL = (_RIGHT_AND_REWORDED, _TURNED_AND_UNSEEN, _RIGHT, _INVENTED, _DENIED)


def _read(*says: str | None, of: tuple[Proposal, ...], extent: Extent = "all") -> Readings:
    wanted = to_read(of, _EVIDENCE, KnownLines(), extent)
    assert len(wanted.noted) == len(says)
    return wanted.readings(says)


def _reason(line: Proposal, readings: Readings) -> str:
    verdict = judge_as_read(line, _EVIDENCE, KnownLines(), readings)
    return verdict.reason if isinstance(verdict, Rejected) else ""


def test_without_a_reading_a_line_in_other_words_waits() -> None:
    assert [_reason(line, UNREAD) for line in _ALL] == ["unread", "unread", "", "number", "polarity"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("User gave the spare key to Oluf", "I gave the spare key to Oluf."),
        ("Gave the spare key to Oluf; back on Friday", "I gave the spare key to Oluf. I'm back on Friday!"),
        ("The shed roof leaks (2026-11-16)", "The shed roof leaks"),
    ],
)
def test_the_speakers_own_words_need_no_reading(text: str, said: str) -> None:
    assert unread(text, f"U {said}") == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The spare key went to Oluf", ("U I gave Oluf the spare key",)),
        ("User gave the spare key to Oluf", ("U Did I give the spare key to Oluf?",)),
        ("User gave the spare key to Oluf", ("U Bo said I gave the spare key to Oluf",)),
        ("User gives the spare key to Oluf", ("U I give the spare key to Oluf if he pays",)),
        ("User gave the spare key to Oluf", ("U ok, thanks", "A I gave the spare key to Oluf")),
        ("Takes the spare key", ("U Oluf takes the spare key",)),
        ("User wants the spare key", ("U he wants the spare key",)),
    ],
)
def test_what_a_few_words_less_or_another_speaker_change_is_read(text: str, said: tuple[str, ...]) -> None:
    assert unread(text, *said) != ""


def test_a_reading_refuses_what_it_finds_turned_and_says_why() -> None:
    readings = _read("the rye stays", of=(_TURNED_AND_UNSEEN,))

    verdict = judge_as_read(_TURNED_AND_UNSEEN, _EVIDENCE, KnownLines(), readings)

    assert isinstance(verdict, Rejected)
    assert (verdict.reason, verdict.detail) == (
        SECOND_READING,
        "read once more, it does not hold: the rye stays",
    )


def test_what_was_read_again_and_holds_is_noted() -> None:
    readings = _read(None, of=(_RIGHT_AND_REWORDED,))

    assert isinstance(judge_as_read(_RIGHT_AND_REWORDED, _EVIDENCE, KnownLines(), readings), Verified)


@pytest.mark.parametrize("line", [_INVENTED, _DENIED])
def test_no_reading_lifts_what_is_certain(line: Proposal) -> None:
    """A model that says of its own inventions and plain denials that they hold."""
    readings = Readings(frozenset([line]))

    assert _reason(line, readings) == _reason(line, UNREAD) != ""


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        ("off", ()),
        ("doubtful", (_RIGHT_AND_REWORDED, _TURNED_AND_UNSEEN)),
        ("all", (_RIGHT_AND_REWORDED, _TURNED_AND_UNSEEN, _RIGHT)),
    ],
)
def test_only_lines_are_read_that_a_reading_can_change(
    extent: Extent, expected: tuple[Proposal, ...]
) -> None:
    assert expected == to_read((*_ALL, _RIGHT), _EVIDENCE, KnownLines(), extent).proposed


def test_a_reading_holds_for_a_line_whatever_it_closes_and_for_no_other() -> None:
    readings = _read("the rye stays", of=(_TURNED_AND_UNSEEN,))

    known = KnownLines()
    earlier = a_line("Rye is ordered at Millrace").observation
    known.add(earlier)
    closing = replace(_TURNED_AND_UNSEEN, replaces=(earlier.id,))

    verdict = judge_as_read(closing, _EVIDENCE, known, readings)

    assert isinstance(verdict, Rejected)
    assert verdict.reason == SECOND_READING
    assert not _reason(_RIGHT, readings)
    assert _reason(replace(_TURNED_AND_UNSEEN, priority=5), readings) == "unread"


def test_what_was_said_later_goes_before_what_was_said_earlier() -> None:
    refused = Readings(refused={_RIGHT: "no"})
    held = Readings(held=frozenset([_RIGHT]))

    assert held.over(refused) == Readings(held=frozenset([_RIGHT]), refused={})
    assert refused.over(held) == Readings(held=frozenset(), refused={_RIGHT: "no"})


def test_what_is_read_and_noted_is_what_the_gate_let_through() -> None:
    said = (
        (Role.ASSISTANT, "Do you approve the refund for ticket 5512 of 40 euros?"),
        (Role.ASSISTANT, "I have not paid the refund for ticket 5512."),
        (Role.USER, "I approved the refund, yes"),
    )
    entries = tuple(
        Entry("s", f"e{n}", n, MONDAY_MS + n, role, text) for n, (role, text) in enumerate(said, 1)
    )
    evidence = prepare(Window(SESSION, entries, 0, "UTC"))
    line = _line("User approved the refund for ticket 5512", "e3")

    wanted = to_read([line], evidence, KnownLines(), "all")

    assert [noted.sources for noted in wanted.noted] == [("e2", "e3")]
    assert judge_as_read(line, evidence, KnownLines(), wanted.readings((None,))) == Verified(wanted.noted[0])


def test_what_is_known_already_is_not_read() -> None:
    known = KnownLines()
    known.add(a_line(_RIGHT.text).observation)

    assert not to_read((_RIGHT,), _EVIDENCE, known, "all").noted
