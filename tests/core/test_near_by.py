"""A line that cites too few entries finds the one before that holds what it lacks."""

from __future__ import annotations

from tests.core.exchanges_by_hand import window_of

from scrimshaw.core.extraction.manual_note import NoteWish, by_agent
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Kind, Proposal, Rejected, Role, Verified
from scrimshaw.core.verification.find_sources import judge_with_near
from scrimshaw.core.verification.verify import prepare

TALK = (
    ("user", "ticket 5512: the customer wants a refund for the broken loom"),
    ("assistant", "Within 30 days and defective, so the refund applies. I'd also offer a voucher."),
    ("user", "refund yes, voucher no"),
)


def _judged(text: str, *sources: str, talk: tuple[tuple[str, str], ...] = TALK) -> Verified | Rejected:
    proposal = Proposal(text, Kind.FACT, 4, sources, Role.USER)
    return judge_with_near(proposal, prepare(window_of(*talk)), KnownLines())


def test_the_entry_that_names_the_thing_becomes_a_source() -> None:
    verdict = _judged("User approved the refund for ticket 5512; no voucher", "e1", "e2")

    assert isinstance(verdict, Verified)
    assert verdict.proposal.sources == ("e0", "e1", "e2")


def test_a_wrong_line_stays_wrong_with_more_sources() -> None:
    assert isinstance(_judged("User approved the refund for ticket 5513; no voucher", "e1", "e2"), Rejected)


def test_a_line_that_lacks_nothing_keeps_its_sources() -> None:
    verdict = _judged("User wants the refund and no voucher", "e1", "e2")

    assert isinstance(verdict, Verified)
    assert verdict.proposal.sources == ("e1", "e2")


def test_what_a_tool_printed_fills_up_nothing_that_the_person_said() -> None:
    talk = (("tool", "refund account 99120 of Kestrel"), *TALK[1:])

    assert isinstance(_judged("User approved the refund to account 99120", "e1", "e2", talk=talk), Rejected)


def test_an_entry_of_another_matter_is_no_source() -> None:
    talk = (("user", "5512 geese flew over the pier"), *TALK[1:])

    assert isinstance(_judged("User approved the refund for ticket 5512", "e1", "e2", talk=talk), Rejected)


def test_what_comes_later_or_long_before_is_no_source() -> None:
    later = (*TALK[1:], TALK[0])
    long_before = (TALK[0], *(("user", f"hello number {word}") for word in "abcdefgh"), *TALK[1:])

    assert isinstance(_judged("User approved the refund for ticket 5512", "e0", "e1", talk=later), Rejected)
    assert isinstance(
        _judged("User approved the refund for ticket 5512", "e9", "e10", talk=long_before), Rejected
    )


def test_an_agents_own_note_that_says_the_opposite_is_refused() -> None:
    evidence = prepare(window_of(("user", "Bruno gets the tablets in the evening, never in the morning")))

    told = by_agent("Bruno gets the tablets in the morning", NoteWish(), evidence, KnownLines())

    assert isinstance(told, Rejected)
    assert told.reason == "polarity"
    honest = by_agent("Bruno gets the tablets in the evening", NoteWish(), evidence, KnownLines())
    assert isinstance(honest, Verified)
