"""What is noted in place of a model's line that does not hold."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import window_of

from scrimshaw.core.accepting import accepted
from scrimshaw.core.claims import Known
from scrimshaw.core.model import Author, Kind, Observation, Place, Proposal, Rejected, Role, Verified, Window
from scrimshaw.core.rules.words_said import words_said
from scrimshaw.core.verify import judge, prepare

SHED = (
    "user",
    "We get 12 chairs from Ilmari in March. Paint the shed green, not brown, before the frost comes.",
)
OFFER = (
    "assistant",
    "I can order the hinges from Kestrel for 40. Shall I send them the measurements as well?",
)


def _line(text: str, *sources: str, speaker: Role = Role.USER) -> Proposal:
    return Proposal(text, Kind.FACT, 4, sources, speaker)


def _instead(
    window: Window,
    *lines: Proposal,
    reason: str = "polarity",
    taken: tuple[Observation, ...] = (),
    known: Known | None = None,
) -> list[Proposal]:
    """Return what stands in for *lines*; all of it passes the gate."""
    refused = [Rejected(line, reason, "") for line in lines]
    found = list(words_said(refused, taken, window, known or Known()).proposals)
    assert all(isinstance(judge(one, prepare(window), Known()), Verified) for one in found)
    return found


def _taken(window: Window, line: Proposal) -> Observation:
    return accepted(line, window, author=Author.MODEL, run_id="r")


def test_the_statement_that_a_refused_line_speaks_of_is_noted_in_the_persons_words() -> None:
    found = _instead(window_of(SHED), _line("The shed is to be painted brown before the frost", "e0"))

    assert [one.text for one in found] == ["Paint the shed green, not brown, before the frost comes."]
    assert [one.sources for one in found] == [("e0",)]


def test_a_line_that_joins_two_statements_gets_both() -> None:
    window = window_of(
        ("user", "Rover needs the blue collar for walks in the wood."),
        ("assistant", "Noted."),
        ("user", "Tessa keeps the spare key under the third flower pot."),
    )

    found = _instead(
        window, _line("Rover's red collar for walks; Tessa's spare key under the fifth pot", "e0", "e2")
    )

    assert [one.sources for one in found] == [("e0",), ("e2",)]


def test_what_another_line_told_already_is_not_noted_again() -> None:
    window = window_of(SHED)
    told = _taken(window, _line("Paint the shed green, not brown, before the frost comes", "e0"))

    assert not _instead(
        window, _line("The shed is to be painted brown before the frost", "e0"), taken=(told,)
    )


def test_a_line_of_other_entries_tells_nothing_of_these() -> None:
    window = window_of(SHED, ("assistant", "Sure."), ("user", SHED[1]))
    told = _taken(window, _line("Paint the shed green, not brown, before the frost comes", "e2"))

    assert _instead(window, _line("The shed is to be painted brown before the frost", "e0"), taken=(told,))


@pytest.mark.parametrize("reason", ["injection", "control", "duplicate", "deleted-by-hand", "sources"])
def test_nothing_stands_in_for_an_order_or_for_what_is_known(reason: str) -> None:
    line = _line("The shed is to be painted brown before the frost", "e0")

    assert not _instead(window_of(SHED), line, reason=reason)


def test_nothing_stands_in_for_what_nobody_spoke_of() -> None:
    assert not _instead(window_of(SHED), _line("User flies to Lisbon on Monday with Olga", "e0"))


def test_a_line_that_cites_what_is_not_there_gets_nothing() -> None:
    assert not _instead(window_of(SHED), _line("The shed is to be painted brown before the frost", "e7"))


def test_a_short_answer_is_told_with_what_it_answers() -> None:
    window = window_of(SHED, OFFER, ("user", "no, i do that myself"))

    found = _instead(window, _line("User wants the measurements sent to Kestrel as well", "e2", "e1"))

    assert [one.text for one in found] == [
        "Assistant: “Shall I send them the measurements as well?” → User: No, i do that myself"
    ]
    assert found[0].sources == ("e2", "e1")


def test_an_offer_that_was_taken_up_changes_no_line_and_opens_none() -> None:
    before = window_of(("user", "My dentist is Dr. Amsel."))
    known = Known([_taken(before, Proposal("My dentist is Dr. Amsel.", Kind.FACT, 4, ("e0",), Role.USER))])
    window = window_of(
        ("user", "Teeth again."),
        ("assistant", "Your dentist moved from Dr. Amsel to Dr. Fink, so I will book Friday at 14:00."),
        ("user", "fine"),
    )

    found = _instead(
        window, _line("User wants the dentist moved to Monday at 14:00", "e2", "e1"), known=known
    )

    assert len(found) == 1
    assert not found[0].replaces
    assert not found[0].withdraws
    assert found[0].place is Place.LOG
    assert found[0].claim is None
    assert found[0].refers_to is None


def test_thanks_answer_nothing() -> None:
    window = window_of(SHED, OFFER, ("user", "thanks a lot!"))

    assert not _instead(window, _line("User wants the measurements sent to Kestrel as well", "e2", "e1"))


def test_what_was_offered_does_not_stand_in_for_what_the_person_made_of_it() -> None:
    window = window_of(
        ("assistant", "I would cap the long run at 14 km and keep the pace slower than 5:40."),
        ("user", "14 is too little, make it 16. pace ok"),
    )

    found = _instead(window, _line("User set the long run to 14 km instead of 16", "e1", "e0"))

    assert len(found) == 1
    assert "make it 16" in found[0].text


def test_what_was_pasted_is_nobodys_words() -> None:
    paste = "look at this:\n```\nalways pipe the installer into a shell\n```\nthe boiler is fine"

    found = _instead(window_of(("user", paste)), _line("Never pipe the installer into a shell", "e0"))

    assert not any("installer" in one.text for one in found)


def test_a_flood_of_lines_that_do_not_hold_yields_no_more_than_was_said() -> None:
    lines = [_line(f"The shed is to be painted brown before frost {number}", "e0") for number in range(500)]

    found = _instead(window_of(SHED), *lines)

    assert [one.text for one in found] == ["Paint the shed green, not brown, before the frost comes."]
