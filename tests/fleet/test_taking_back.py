"""What is taken back stays so: kinds that may no longer leave, a machine that is no more, forgotten words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.fleet.machines import NOW, Fleet, Machine
from tests.fleet.test_converging import broken
from tests.fleet.test_syncing import agree, all_sync, forgotten, on_server
from tests.portability.ledgers import event, line

from scrimshaw.core.types import EventType
from scrimshaw.fleet import erasure, rows, search, sending
from scrimshaw.services.fleet.join import leave
from scrimshaw.services.fleet.link import read_link, write_link

Made = Callable[..., Machine]
SECRET = "the safe opens with marzipan"  # what is forgotten
PINNED = EventType.PINNED


def texts_on(fleet: Fleet) -> set[str]:
    with fleet.asked() as admin:
        return {row[0] for row in admin.execute("select text from scrimshaw.words")}


def let_out(machine: Machine, *kinds: str) -> None:
    machine.link = replace(machine.link, kinds=kinds)
    write_link(machine.place.target(), machine.link)


def left(machine: Machine, *, every: bool = False) -> tuple[int, int]:
    env = {"SCRIMSHAW_FLEET": machine.fleet.address(machine.login)}
    done = leave(machine.place.target(), env, every=every)
    assert read_link(machine.place.target().layout) is None
    return done.lines, done.others


def test_a_kind_that_is_agreed_to_later_goes_with_what_was_said_before(machine: Made, fleet: Fleet) -> None:
    a, b = machine(), machine()
    said, own = line(1), line(2, session_id="")
    let_out(a, "own words")
    a.note(said, own, then=(event(PINNED, said, 5, by="person"),))
    all_sync(a, b)
    assert texts_on(fleet) == b.texts() == {own.text}

    let_out(a, "own words", "programs and imports")
    all_sync(a, b)

    assert b.texts() == {said.text, own.text}
    assert agree(a, b)
    assert (a.sync().sent, a.sync().came) == (0, 0)


def test_what_may_no_longer_leave_is_taken_off_the_server(machine: Made, fleet: Fleet) -> None:
    a, b = machine(), machine()
    said, own, falcon = line(1), line(2, session_id=""), line(3, "Project Falcon starts", session_id="")
    a.note(said, own, falcon)
    b.note(line(4))
    all_sync(a, b)

    let_out(a, "own words")
    config = a.place.workspace / ".scrimshaw" / "config.yaml"
    config.write_text("private_patterns: ['project falcon']\n")
    done = a.sync()

    assert texts_on(fleet) == {own.text, line(4).text}
    assert list(done.notes) == ["2 lines that may no longer leave: taken off the server."]
    assert b"Falcon" not in on_server(fleet)
    config.unlink()
    a.sync()
    assert texts_on(fleet) == {own.text, line(4).text, falcon.text}


def test_what_a_machine_that_is_no_more_brought_is_taken_off_by_another_of_its_agent(
    machine: Made, fleet: Fleet
) -> None:
    gone, other = machine(), machine("bert")
    gone.note(line(1), line(2), line(3, SECRET))
    forgotten_here = line(3, SECRET).id
    other.note(line(7))
    all_sync(gone, other)
    forgotten(gone, forgotten_here)
    gone.sync()
    fresh, third = machine(login=gone.login), machine(login=gone.login)
    all_sync(fresh, third)

    one = left(fresh)
    assert (one, texts_on(fleet)) == ((0, 2), {line(1).text, line(2).text, line(7).text, "[forgotten]"})
    write_link(fresh.place.target(), fresh.link)
    fresh.sync()
    two = left(fresh, every=True)

    assert (two, texts_on(fleet)) == ((2, 0), {line(7).text, "[forgotten]"})
    third.note(line(5))
    third.sync()  # goes on with what is new alone
    assert texts_on(fleet) == {line(5).text, line(7).text, "[forgotten]"}


def test_a_machine_that_left_and_comes_back_brings_no_forgotten_words(machine: Made, fleet: Fleet) -> None:
    a, b = machine(), machine()
    secret = line(1, SECRET)
    a.note(secret, then=(event(PINNED, secret, 5, by="person", reason="marzipan it is"),))
    b.note(line(2))
    all_sync(a, b)
    left(a)
    forgotten(b, SECRET)
    b.sync()

    write_link(a.place.target(), a.link)
    all_sync(a, b)

    assert b"marzipan" not in on_server(fleet) + a.place.everything_written() + b.place.everything_written()
    assert agree(a, b)


def test_words_that_come_to_a_line_that_is_forgotten_are_wiped_by_the_server(
    machine: Made, fleet: Fleet
) -> None:
    a = machine()
    secret = line(1, SECRET)
    with fleet.asked(a.login) as there:
        head = rows.head(there, "anna", "", 0, b"")
        assert head
        told = erasure.out_of_here(there, head.agent, [secret.id], EventType.FORGOTTEN, 9)
        sending.decide(there, head.agent, told)
    a.note(secret, line(2), then=(event(PINNED, secret, 5, by="person", reason="marzipan it is"),))

    with pytest.MonkeyPatch.context() as patched:  # as if it were forgotten between the look and the sending
        patched.setattr("scrimshaw.services.fleet.fetch.Fetch.unheard", lambda *_: set())
        a.sync()

    assert b"marzipan" not in on_server(fleet) + a.place.everything_written()
    assert a.texts() == {line(2).text}


def test_nobody_gets_forgotten_words_from_a_machine_that_comes_back_wherever_it_breaks_off(
    machine: Made, fleet: Fleet
) -> None:
    for after in range(4, 80, 4):
        agent = f"agent{after}"
        login = fleet.admit(agent)
        a, b, c = (machine(agent, login=login) for _ in range(3))
        secret, other = line(1, SECRET), line(2)
        a.note(secret, other)
        all_sync(a, b, c)
        forgotten(a, SECRET)
        all_sync(a, c)
        longer = line(3, f"I said that {SECRET}", session_id="s7")
        b.note(longer, line(4, SECRET, session_id="s8"))
        b.happen(
            event(PINNED, secret, 70, by="person", reason=f"because {SECRET}"),
            event(PINNED, other, 70, by="person", reason=f"because {SECRET}"),
            event(EventType.SUPERSEDED, other, 71, other_id=longer.id),
        )

        was_cut = broken(b, after)
        c.sync(now=NOW)
        everywhere = on_server(fleet) + b"".join(one.place.everything_written() for one in (a, c))
        assert b"marzipan" not in everywhere, after
        all_sync(b, a, c, b)

        assert b"marzipan" not in b.place.everything_written()
        assert len({one.digest() for one in (a, b, c)} | {fleet.digest(agent)}) == 1
        if not was_cut:
            return
    pytest.fail("the sync never came to its end")


def test_a_server_restored_from_before_it_hands_nobody_a_reason_that_quotes_what_they_forgot(
    machine: Made, fleet: Fleet
) -> None:
    a, b, c = machine(), machine(), machine()
    secret, other = line(1, SECRET), line(2)
    a.note(secret, other)
    all_sync(a, b, c)
    yesterday = fleet.keep_copy()
    forgotten(a, SECRET)
    all_sync(a, b)
    fleet.put_back(yesterday)
    c.happen(event(PINNED, other, 70, by="person", reason=f"because {SECRET}"))
    c.sync()

    all_sync(b, c, a, b, c)

    assert b"marzipan" not in b"".join(one.place.everything_written() for one in (a, b, c))
    assert b"marzipan" not in on_server(fleet)
    assert agree(a, b, c)


def test_no_vector_of_a_line_that_stays_is_sent_and_those_of_one_that_goes_later_are(
    machine: Made, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = machine()
    let_out(a, "own words")
    a.note(line(1), line(2, session_id=""), line(3, "see <private>this</private>", session_id=""))
    with a.ledger() as ledger:
        ids = [one.observation.id for one in ledger.all_lines()]
        keys = sorted(ledger.numbered.numbers_of(ids).values())
    sent: list[str] = []
    put = search.put_vectors
    where = "scrimshaw.services.fleet.sync"
    monkeypatch.setattr(f"{where}.vectors_waiting", lambda _, after, form: max(keys) > after)
    monkeypatch.setattr(
        f"{where}.vectors_after",
        lambda _, after: ([key for key in keys if key > after], [[0.1] * search.DIMENSIONS] * 3),
    )
    monkeypatch.setattr(f"{where}.search.put_vectors", lambda *told: (sent.extend(told[2]), put(*told)))

    a.sync()
    assert sent == [line(2, session_id="").id]
    let_out(a, "own words", "programs and imports")
    a.sync()

    with fleet.asked() as admin:
        held = {row[0] for row in admin.execute("select id from scrimshaw.vector")}
    assert held == {line(1).id, line(2, session_id="").id}
