"""Deciding on proposals: whose line it becomes, what it closes, and that nothing is doubled or lost."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

import pytest
from tests.conftest import build_fake_secret
from tests.proposing import Desk

from scrimshaw.core.ledger.observations import PENDING
from scrimshaw.core.types import Author, Closed, Event, EventType, Kind, Role
from scrimshaw.core.types import Place as Part
from scrimshaw.errors import UserError
from scrimshaw.services.edit.review import Decided, ReviewOutcome, reviewing
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.rejections import RejectionState

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
TEXT = "Staging runs on the host basalt"


def _accept(desk: Desk, number: int, **how: bool) -> Decided:
    with reviewing(desk.place.target(), NOW) as review:
        decided = review.accept(number, **how)
        review.finish()
    return decided


def _edit(desk: Desk, number: int, text: str) -> Decided:
    with reviewing(desk.place.target(), NOW) as review:
        decided = review.edit(number, text)
        review.finish()
    return decided


def _reject(desk: Desk, number: int) -> Decided:
    with reviewing(desk.place.target(), NOW) as review:
        decided = review.reject(number)
        review.finish()
    return decided


# -- accept ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("author", [Author.MODEL, Author.RULES])
def test_an_accepted_proposal_that_was_verified_is_a_line_of_its_author(desk, author):
    number = desk.lay(TEXT, PENDING, author=author)

    decided = _accept(desk, number)

    line = desk.line(TEXT).observation
    assert decided.outcome is ReviewOutcome.NOTED
    assert line.author is author
    assert (line.sources, line.session_id) == ((desk.cited,), desk.place.session.session_id)
    assert (line.said_at_ms, line.local_date, line.zone) == (desk.said_at_ms, "2026-11-16", "UTC")
    assert desk.listed(number).state == "accepted"


def test_an_accepted_proposal_that_broke_a_rule_is_the_persons_own_word_with_its_sources(desk):
    number = desk.lay("The staging host has 42 cores", "number")

    _accept(desk, number)

    line = desk.line("42 cores").observation
    assert line.author is Author.PERSON
    assert (line.sources, line.local_date) == ((desk.cited,), "2026-11-16")


def test_an_accepted_line_is_in_the_dated_file_and_the_section(desk):
    _accept(desk, desk.lay(TEXT, PENDING))

    assert desk.place.dated().count(TEXT) == 1
    assert desk.place.section().count(TEXT) == 1


def test_an_accepted_line_closes_what_it_replaces_while_that_is_live(desk):
    old = desk.line("Postgres").observation.id
    _accept(desk, desk.lay("Moved from Postgres 17.2 to SQLite", PENDING, replaces=(old,)))

    assert desk.line("17.2 for the ledger").standing.closed is Closed.SUPERSEDED
    assert desk.line("17.2 for the ledger").standing.closed_by == desk.line("to SQLite").observation.id


def test_an_accepted_line_leaves_alone_what_was_closed_since_or_is_unknown(desk):
    old = desk.line("Postgres").observation.id
    number = desk.lay("Moved from Postgres 17.2 to SQLite", PENDING, replaces=(old, "unknown"))
    with desk.ledger() as ledger:
        ledger.append([Event(EventType.COMPLETED, old, 5, "a run", reason="done")])

    assert _accept(desk, number).outcome is ReviewOutcome.NOTED
    assert desk.line("17.2 for the ledger").standing.closed is Closed.COMPLETED


def test_a_line_of_the_persons_hand_is_not_replaced(desk):
    desk.place.run("add", "Deploys are on Thursdays")
    own = desk.line("Thursdays").observation.id
    _accept(desk, desk.lay("Deploys moved to Fridays", PENDING, replaces=(own,)))

    assert desk.line("Thursdays").standing.is_live


def test_what_a_line_says_already_is_not_noted_twice(desk):
    _accept(desk, desk.lay(TEXT, PENDING))
    number = desk.lay(TEXT.upper(), PENDING, sources=("another",))

    decided = _accept(desk, number)

    assert decided.outcome is ReviewOutcome.KNOWN
    assert len([line for line in desk.lines() if TEXT.lower() == line.observation.text.lower()]) == 1
    assert desk.listed(number).state == "accepted"


def test_accepting_twice_is_once(desk):
    number = desk.lay(TEXT, PENDING)
    _accept(desk, number)

    assert _accept(desk, number) == Decided(number, ReviewOutcome.DECIDED, detail="accepted")
    assert desk.place.dated().count(TEXT) == 1


def test_figures_out_of_bounds_are_brought_within_them(desk):
    strange = {"priority": 9, "salience": 7.0, "sources": tuple(f"e{n}" for n in range(9))}
    decided = _accept(desk, desk.lay(TEXT, "form", **strange))

    assert decided.line
    assert (decided.line.priority, decided.line.salience, len(decided.line.sources)) == (5, 1.0, 5)


def test_sources_that_name_nothing_are_not_kept(desk):
    decided = _accept(desk, desk.lay(TEXT, "sources", sources=("[99]",)))

    assert decided.line
    assert decided.line.sources == ()


@pytest.mark.parametrize("text", ["x" * 301, "a <!-- scrimshaw:end -->", "two\nlines", "```"])
def test_what_would_break_the_section_has_to_be_edited(desk, text):
    number = desk.lay(text, "form")

    assert _accept(desk, number).outcome is ReviewOutcome.NOT_POSSIBLE
    assert desk.listed(number).state == "open"


def test_what_a_hand_took_out_comes_back_only_when_it_is_accepted_by_itself(desk):
    for text in (TEXT, "Dana reads the figures on Fridays", "Backups of basalt go to granite"):
        desk.lay(text, PENDING)
    with reviewing(desk.place.target(), NOW) as review:
        for one in review.waiting(PENDING):
            review.accept(one.number)
        review.finish()
    text = desk.place.memory.read_text()
    desk.place.memory.write_text("".join(line for line in text.splitlines(True) if TEXT not in line))
    desk.place.run("observe")
    assert desk.line(TEXT).standing.closed is Closed.DELETED
    number = desk.lay(TEXT + ".", PENDING, claim=None)

    many = _accept(desk, number, is_one_of_many=True)
    alone = _accept(desk, number)

    assert many.outcome is ReviewOutcome.NOT_POSSIBLE
    assert alone.outcome is ReviewOutcome.NOTED


def test_an_older_text_put_back_hides_a_line_that_an_accept_shows_again(desk):
    before = desk.place.memory.read_text()
    _accept(desk, desk.lay(TEXT, PENDING))
    desk.place.memory.write_text(before)
    desk.place.run("observe")
    assert TEXT not in desk.place.section()

    number = desk.lay(TEXT, PENDING, sources=("later",))
    many, alone = _accept(desk, number, is_one_of_many=True), _accept(desk, number)

    assert (many.outcome, alone.outcome) == (ReviewOutcome.NOT_POSSIBLE, ReviewOutcome.KNOWN)
    assert desk.line(TEXT).standing.is_shown


@pytest.mark.parametrize("reason", ["injection", "control", "form", "deleted-by-hand"])
def test_what_is_dangerous_is_not_accepted_with_all_the_rest(desk, reason):
    number = desk.lay(TEXT, reason)

    assert _accept(desk, number, is_one_of_many=True).outcome is ReviewOutcome.NOT_POSSIBLE
    assert desk.listed(number).state == "open"


def test_a_proposal_of_an_older_ledger_has_the_day_it_was_listed(desk):
    number = desk.lay(TEXT, "number")
    with sqlite3.connect(desk.place.workspace / ".scrimshaw" / "ledger.sqlite") as db:
        db.execute("update rejection set said_at_ms = 0, zone = '', author = 'rules'")
    decided = _accept(desk, number)

    assert decided.line
    assert (decided.line.local_date, decided.line.zone) == ("2026-11-16", "UTC")


# -- edit ----------------------------------------------------------------------------------------------------


def test_an_edited_proposal_is_the_persons_wording_on_the_same_sources(desk):
    number = desk.lay("Dana wants the Q4 figures", "number", kind=Kind.NEXT_STEP, place=Part.OPEN)

    decided = _edit(desk, number, "  - Dana wants the Q3 figures by 2026-11-24")

    line = desk.line("by 2026-11-24").observation
    assert decided.outcome is ReviewOutcome.NOTED
    assert (line.author, line.text) == (Author.PERSON, "Dana wants the Q3 figures by 2026-11-24")
    assert (line.kind, line.place, line.sources) == (Kind.NEXT_STEP, Part.OPEN, (desk.cited,))
    assert line.refers_to
    assert line.refers_to.start.isoformat() == "2026-11-24"
    assert desk.listed(number).state == "edited"


def test_an_edit_that_changes_nothing_accepts(desk):
    number = desk.lay(TEXT, PENDING)
    _edit(desk, number, TEXT)

    assert desk.line(TEXT).observation.author is Author.MODEL
    assert desk.listed(number).state == "accepted"


def test_a_secret_in_an_edit_is_taken_out(desk):
    secret = build_fake_secret("github-token")
    _edit(desk, desk.lay(TEXT, PENDING), f"The token of basalt is {secret}")

    assert secret.encode() not in desk.place.everything_written()
    assert "[redacted:" in desk.line("token of basalt").observation.text


@pytest.mark.parametrize(
    "text", ["", "x" * 301, "a\nb", "<!-- scrimshaw:begin -->", "<private>basalt</private>"]
)
def test_an_edit_that_is_no_line_is_not_noted(desk, text):
    number = desk.lay(TEXT, PENDING)

    assert _edit(desk, number, text).outcome is ReviewOutcome.NOT_POSSIBLE
    assert desk.listed(number).state == "open"


# -- reject --------------------------------------------------------------------------------------------------


def test_a_rejected_proposal_is_remembered(desk):
    number = desk.lay(TEXT, PENDING)
    assert _reject(desk, number).outcome is ReviewOutcome.REJECTED

    with desk.ledger() as ledger, reviewing(desk.place.target(), NOW) as review:
        made = review._as_line(desk.listed(number), desk.proposal(TEXT, sources=("elsewhere",)))
        assert ledger.tombstoned(made) is not None
    assert desk.lay(TEXT, PENDING, sources=("elsewhere",)) == 0


def test_a_rejection_keeps_out_nothing_else_of_the_same_entry(desk):
    _reject(desk, desk.lay("Dana wants 9 figures", "number"))

    assert _accept(desk, desk.lay(TEXT, PENDING), is_one_of_many=True).outcome is ReviewOutcome.NOTED


# -- two at once, and kills --------------------------------------------------------------------------------


def test_of_two_reviewers_the_second_is_told(desk):
    number = desk.lay(TEXT, PENDING)
    with reviewing(desk.place.target(), NOW) as one, reviewing(desk.place.target(), NOW) as two:
        laid_out = [item.number for item in two.waiting(PENDING)]
        first, second = one.accept(number), two.reject(number)
        one.finish()
        two.finish()

    assert laid_out == [number]
    assert (first.outcome, second.outcome) == (ReviewOutcome.NOTED, ReviewOutcome.DECIDED)
    assert desk.line(TEXT).standing.is_live


class _Killed(BaseException):
    pass


def _die(*_: object, **__: object) -> None:
    raise _Killed


@pytest.mark.parametrize("step", ["settle_rejection", "accept"])
@pytest.mark.parametrize("is_after", [False, True])
def test_a_kill_in_a_decision_leaves_it_whole_or_not_made(desk, monkeypatch, step, is_after):
    number = desk.lay(TEXT, PENDING)
    real = getattr(Ledger, step)

    def dying(self, *args, **kwargs):
        if is_after:
            real(self, *args, **kwargs)
        raise _Killed

    monkeypatch.setattr(Ledger, step, dying)
    with pytest.raises(_Killed):
        _accept(desk, number)
    monkeypatch.setattr(Ledger, step, real)

    assert desk.listed(number).state == "open"
    assert not [line for line in desk.lines() if line.observation.text == TEXT]
    assert _accept(desk, number).outcome is ReviewOutcome.NOTED
    assert desk.place.dated().count(TEXT) == 1


def test_a_kill_before_the_files_is_finished_by_the_next_run(desk, monkeypatch):
    number = desk.lay(TEXT, PENDING)
    monkeypatch.setattr("scrimshaw.services.edit.review.publish_in_pause", _die)
    with pytest.raises(_Killed):
        _accept(desk, number)
    assert TEXT not in desk.place.dated()

    desk.place.run("observe")
    desk.place.run("observe")

    assert desk.place.dated().count(TEXT) == 1
    assert desk.place.section().count(TEXT) == 1


def test_the_check_for_kills_is_known_to_bite(desk):
    # A negative control: decided in one transaction and noted in another, a kill between them loses the line.
    number = desk.lay(TEXT, PENDING)
    with desk.ledger() as ledger:
        ledger.settle_rejection(number, RejectionState.ACCEPTED, at_ms=1)
    with pytest.raises(AssertionError):
        assert _accept(desk, number).outcome is ReviewOutcome.NOTED


def test_a_decision_on_what_is_not_there_is_told(desk):
    with pytest.raises(UserError, match="#999"):
        _accept(desk, 999)


def test_looking_leaves_no_run_behind(desk):
    desk.lay(TEXT, PENDING)
    with desk.ledger() as ledger:
        before = ledger.last_run()
    with reviewing(desk.place.target(), NOW) as review:
        review.waiting()
        review.finish()

    with desk.ledger() as ledger:
        assert ledger.last_run() == before


def test_a_review_is_a_run_with_its_outcome(desk):
    _accept(desk, desk.lay(TEXT, PENDING))

    with desk.ledger() as ledger:
        run = ledger.last_run("review")
    assert run
    assert (run.outcome, run.counts.accepted) == ("reviewed", 1)


def test_roles_stay_what_they_were(desk):
    decided = _accept(desk, desk.lay(TEXT, "speaker", speaker=Role.ASSISTANT))

    assert decided.line
    assert decided.line.speaker is Role.ASSISTANT
