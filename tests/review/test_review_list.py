"""The review list: each statement once, what was decided stays decided, what a later accept needs is kept."""

from __future__ import annotations

from tests.proposing import Desk

from scrimshaw.core.ledger.observations import PENDING
from scrimshaw.core.types import Author, Entry, Rejected, Role, Session, SessionKind, Window
from scrimshaw.store.rejections import RejectionState, refused_in

TEXT = "The staging host is basalt-2"
DAY_MS = 86_400_000


def _open(desk: Desk) -> list[str]:
    with desk.ledger() as ledger:
        return [
            one.rejected.proposal.text
            for one in ledger.rejections(99)
            if TEXT[:9] in one.rejected.proposal.text
        ]


def test_a_proposal_is_kept_with_what_an_accept_needs(desk):
    number = desk.lay(TEXT, "number", replaces=("abc",), completes=("def",))

    kept = desk.listed(number)
    assert kept.rejected.proposal == desk.proposal(TEXT, replaces=("abc",), completes=("def",))
    assert (kept.author, kept.said_at_ms, kept.zone) == (Author.MODEL, desk.said_at_ms, "UTC")
    assert (kept.session_id, kept.state) == (desk.place.session.session_id, "open")


def test_the_same_words_of_one_conversation_are_listed_once(desk):
    first = desk.lay(TEXT, "number")
    again = desk.lay(TEXT, "number", confidence=0.4, sources=("other",))
    desk.lay(TEXT.upper(), "name")

    assert again == first
    assert _open(desk) == [TEXT]


def test_one_that_is_verified_later_waits_instead_of_being_refused(desk):
    number = desk.lay(TEXT, "number")
    desk.lay(TEXT, PENDING, sources=("later",))

    assert desk.listed(number).rejected.reason == PENDING
    assert desk.listed(number).rejected.proposal.sources == ("later",)


def test_one_that_waits_is_not_made_a_refused_one(desk):
    number = desk.lay(TEXT, PENDING)
    desk.lay(TEXT, "number")

    assert desk.listed(number).rejected.reason == PENDING


def test_what_was_rejected_does_not_come_again(desk):
    number = desk.lay(TEXT, PENDING)
    with desk.ledger() as ledger:
        assert ledger.settle_rejection(number, RejectionState.REJECTED, at_ms=desk.said_at_ms + DAY_MS)
    desk.lay(TEXT, PENDING, sources=("later",))
    desk.lay(TEXT, PENDING, speaker=Role.ASSISTANT, said_at_ms=desk.said_at_ms + 2 * DAY_MS)

    assert _open(desk) == []


def test_what_was_rejected_comes_again_when_the_person_says_it_later(desk):
    number = desk.lay(TEXT, PENDING)
    with desk.ledger() as ledger:
        ledger.settle_rejection(number, RejectionState.REJECTED, at_ms=desk.said_at_ms + DAY_MS)
    desk.lay(TEXT, PENDING, said_at_ms=desk.said_at_ms + 2 * DAY_MS)

    assert _open(desk) == [TEXT]


def test_what_was_accepted_comes_again_only_from_other_entries(desk):
    number = desk.lay(TEXT, PENDING)
    with desk.ledger() as ledger:
        ledger.settle_rejection(number, RejectionState.ACCEPTED, at_ms=desk.said_at_ms + DAY_MS)
    desk.lay(TEXT, PENDING)
    before = _open(desk)
    desk.lay(TEXT, PENDING, sources=("much-later",))

    assert before == []
    assert _open(desk) == [TEXT]


def test_a_decision_is_made_once(desk):
    number = desk.lay(TEXT, PENDING)
    with desk.ledger() as ledger:
        first = ledger.settle_rejection(number, RejectionState.REJECTED, at_ms=1)
        second = ledger.settle_rejection(number, RejectionState.ACCEPTED, at_ms=2)

    assert (first, second) == (True, False)
    assert desk.listed(number).state == "rejected"


def test_reasons_can_be_left_out(desk):
    desk.lay(TEXT, "duplicate")
    desk.lay(TEXT + " too", "number")

    with desk.ledger() as ledger:
        assert [one.rejected.reason for one in ledger.rejections(9, but=("duplicate",))][:1] == ["number"]


def test_a_refused_proposal_was_said_when_its_newest_entry_was(desk):
    session = Session("s1", "agent:main:main", "main", SessionKind.DIRECT)
    entries = tuple(Entry("s1", f"e{n}", n, 1_000 * n, Role.USER, "text") for n in (1, 2, 3))
    window = Window(session, entries, 10, "Europe/Lisbon")

    cited = refused_in(
        window, Rejected(desk.proposal(TEXT, sources=("e1", "e2")), "number", ""), Author.MODEL
    )
    strange = refused_in(window, Rejected(desk.proposal(TEXT, sources=("x",)), "sources", ""), Author.MODEL)

    assert (cited.said_at_ms, cited.zone, cited.session_id) == (2_000, "Europe/Lisbon", "s1")
    assert strange.said_at_ms == 3_000


def test_what_waits_comes_in_pages_though_one_is_decided_meanwhile(desk):
    numbers = [desk.lay(f"{TEXT}{number}", PENDING, at_ms=1_000 + number // 2) for number in range(5)]
    with desk.ledger() as ledger:
        first = [one.number for one in ledger.rejections(2)]
        ledger.settle_rejection(first[-1], RejectionState.REJECTED, at_ms=9_000)
        rest = [one.number for one in ledger.rejections(9, before=first[-1])]

    assert [*first, *rest] == sorted(numbers, reverse=True)
