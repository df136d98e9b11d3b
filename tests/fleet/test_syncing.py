"""Several ledgers of one agent and a server: what one has, all have; a person's word stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.fleet.machines import NOW, Fleet, Machine
from tests.portability.ledgers import event, fill, line

from scrimshaw.core.types import Author, Claim, Closed, EventType
from scrimshaw.errors import UserError
from scrimshaw.fleet import erasure, rows
from scrimshaw.services.edit.forget import Wish, forget, look_ahead

Made = Callable[..., Machine]
SUPERSEDED, DELETED, PINNED = EventType.SUPERSEDED, EventType.DELETED, EventType.PINNED


def forgotten(machine: Machine, words: str) -> None:
    target = machine.place.target()
    shown = look_ahead(target, Wish(words=words), now=NOW, by=Author.PERSON, dry_run=False)
    forget(shown, now=NOW, by="person")


def all_sync(*machines: Machine, times: int = 2) -> None:
    for _ in range(times):
        for one in machines:
            one.sync()


def agree(*machines: Machine) -> bool:
    return len({one.fleet.digest("anna") for one in machines} | {one.digest() for one in machines}) == 1


def test_a_line_noted_on_one_machine_is_on_the_other_exact_to_the_last_field(machine: Made) -> None:
    a, b = machine(), machine()
    with a.ledger() as ledger:
        fill(ledger, 400)
        expected = {one.observation.id: one.observation for one in ledger.all_lines()}

    all_sync(a, b)

    with b.ledger() as ledger:
        assert expected == {one.observation.id: one.observation for one in ledger.all_lines()}
    assert agree(a, b)


def test_nothing_to_sync_costs_one_round_trip(machine: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    a = machine()
    a.note(line(1))
    all_sync(a)
    asked: list[object] = []
    execute = psycopg.Connection.execute
    monkeypatch.setattr(
        psycopg.Connection, "execute", lambda *args, **named: asked.append(args[1]) or execute(*args, **named)
    )

    a.sync()

    assert len(asked) == 1


def test_a_persons_act_counts_after_what_a_run_did_beside_it(machine: Made) -> None:
    a, b = machine(), machine()
    old, new = line(1), line(2)
    a.note(old, new)
    all_sync(a, b)
    a.happen(event(SUPERSEDED, old, 9, other_id=new.id))
    b.happen(event(EventType.RESTORED, old, 5, by="person"))

    all_sync(a, b)

    assert (a.standing(old).closed, b.standing(old).closed) == (None, None)
    assert agree(a, b)


def test_what_a_run_does_knowing_of_a_persons_act_stands(machine: Made) -> None:
    a, b = machine(), machine()
    old, new = line(1), line(2)
    a.note(old, new)
    a.happen(event(EventType.RESTORED, old, 5, by="person"))
    all_sync(a, b)
    b.happen(event(SUPERSEDED, old, 4, other_id=new.id))  # its clock is behind

    all_sync(a, b)

    assert (a.standing(old).closed, b.standing(old).closed) == (Closed.SUPERSEDED, Closed.SUPERSEDED)
    assert agree(a, b)


def test_no_two_lines_close_each_other(machine: Made) -> None:
    a, b = machine(), machine()
    one, two = line(1), line(2)
    a.note(one, two)
    all_sync(a, b)
    a.happen(event(SUPERSEDED, one, 5, other_id=two.id))
    b.happen(event(SUPERSEDED, two, 6, other_id=one.id))

    all_sync(a, b)

    assert len(a.texts()) == 1
    assert agree(a, b)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_lines_that_close_each_other_in_one_ledger_stand_there_as_everywhere(
    machine: Made, count: int
) -> None:
    a, b = machine(), machine()
    circle = [line(number) for number in range(count)]
    a.note(*circle)
    a.happen(
        *(
            event(EventType.COMPLETED, one, 5 + at, other_id=circle[at - 1].id)
            for at, one in enumerate(circle)
        )
    )

    all_sync(a, b)

    assert agree(a, b)
    assert len(a.texts()) == min(1, count - 1)
    assert (a.sync().sent, a.sync().came) == (0, 0)


def test_what_a_person_took_out_here_is_taken_out_where_it_comes_from(machine: Made) -> None:
    a, b = machine(), machine()
    mine = line(1, "the badge number is 7")
    theirs = line(2, "the badge number is 7", session_id="s9")
    a.note(theirs)
    b.note(mine, then=(event(DELETED, mine, 5, by="person"),))

    all_sync(a, b, a)

    assert (set(), set()) == (a.texts(), b.texts())
    assert agree(a, b)


def test_what_stood_beside_a_deleted_line_there_stands_here(machine: Made) -> None:
    a, b, c = machine(), machine(), machine()
    gone = line(1)
    beside = replace(line(2), sources=gone.sources)
    a.note(gone, beside)
    a.happen(event(DELETED, gone, 5, by="person"))
    all_sync(a, b, c)

    all_sync(a, b, c)

    assert [{beside.text}] * 3 == [a.texts(), b.texts(), c.texts()]


def test_what_is_private_never_goes(machine: Made, fleet: Fleet) -> None:
    a = machine()
    (a.place.workspace / ".scrimshaw" / "config.yaml").write_text("private_patterns: ['project falcon']\n")
    claimed = replace(line(3), claim=Claim("it", "is", "Project Falcon"))
    reason = event(PINNED, line(4), 5, by="person", reason="since project falcon")
    a.note(
        line(1, "Project Falcon starts"),
        line(2, "see <private>this</private>"),
        claimed,
        line(4),
        then=(reason,),
    )

    a.sync()

    with fleet.asked() as admin:
        assert [(line(4).text,)] == admin.execute("select text from scrimshaw.words").fetchall()
        assert [(line(4).id,)] == admin.execute("select distinct line from scrimshaw.event").fetchall()
        assert admin.execute("select reason from scrimshaw.reason").fetchall() == []


def test_a_kind_that_nobody_agreed_to_stays_with_all_that_rests_on_it(machine: Made, fleet: Fleet) -> None:
    a = machine()
    a.link = replace(a.link, kinds=("own words",))
    said, own = line(1), line(2, session_id="")
    a.note(said, own, replace(line(3, session_id=""), level=1, supports=(said.id,)))

    a.sync()

    with fleet.asked() as admin:
        assert [(own.id,)] == admin.execute("select id from scrimshaw.words").fetchall()


def test_what_is_forgotten_on_one_machine_is_in_no_file_of_another_nor_of_the_server(machine: Made) -> None:
    a, b = machine(), machine()
    secret = "the safe opens with marzipan"
    told = event(PINNED, line(2), 5, by="person", reason=f"because {secret}")
    a.note(line(1, secret), line(2), then=(told,))
    all_sync(a, b)
    assert b"marzipan" in b.place.everything_written()
    assert b"marzipan" in on_server(a.fleet)

    forgotten(a, secret)
    all_sync(a, b)

    assert b"marzipan" not in b.place.everything_written()
    assert b"marzipan" not in on_server(a.fleet)
    assert agree(a, b)


def test_where_only_an_administrator_writes_tables_anew_what_they_type_is_told_and_no_sync_begun_for_it(
    machine: Made, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = machine()
    secret = "the safe opens with marzipan"
    a.note(line(1, secret), line(2))
    a.sync()
    with fleet.asked() as admin:
        admin.execute("revoke maintain on scrimshaw.words, scrimshaw.reason from scrimshaw_app")
    forgotten(a, secret)

    first = a.sync()
    with monkeypatch.context() as patched:
        patched.setattr("scrimshaw.services.fleet.sync.recorded", None)  # a run that is begun would need it
        again = a.sync()

    assert again.notes == first.notes
    assert b"marzipan" in on_server(fleet)
    typed = first.notes[0].partition("types: ")[2]
    with fleet.asked() as admin:
        for sql in typed.rstrip(";").split("; "):
            admin.execute(sql.encode())
    assert b"marzipan" not in on_server(fleet)
    assert a.sync().notes == ()


def test_a_machine_that_comes_back_with_the_words_loses_them(machine: Made) -> None:
    a, b = machine(), machine()
    secret = "the safe opens with marzipan"
    a.note(line(1, secret))
    all_sync(a, b)
    forgotten(a, secret)
    a.sync()
    b.note(line(5, secret, session_id="elsewhere"), line(6, f"I said that {secret}", session_id="s7"))

    all_sync(b, a, b)

    assert b"marzipan" not in b.place.everything_written()
    assert b"marzipan" not in on_server(a.fleet)
    assert b"marzipan" not in a.place.everything_written()


def test_a_machine_that_lost_its_disk_gets_its_ledger_back(machine: Made) -> None:
    a = machine()
    with a.ledger() as ledger:
        fill(ledger, 300)
        expected = {one.observation.id: one.observation for one in ledger.all_lines()}
    a.sync()
    digest = a.digest()
    fresh = machine(login=a.login)

    all_sync(fresh)

    with fresh.ledger() as ledger:
        assert expected == {one.observation.id: one.observation for one in ledger.all_lines()}
    assert digest == fresh.digest()


def test_a_server_restored_from_yesterday_catches_up_and_does_not_bring_back_what_was_forgotten(
    machine: Made, fleet: Fleet
) -> None:
    a, b = machine(), machine()
    a.note(line(1), line(2, "the safe opens with marzipan"))
    all_sync(a, b)
    yesterday = fleet.keep_copy()
    forgotten(a, "marzipan")
    b.note(line(3), then=(event(PINNED, line(3), 7, by="person"),))
    all_sync(a, b)
    fleet.put_back(yesterday)

    all_sync(b, a, b)

    assert {line(1).text, line(3).text} == a.texts() == b.texts()
    assert b"marzipan" not in on_server(fleet) + a.place.everything_written() + b.place.everything_written()
    assert agree(a, b)


def test_leaving_takes_the_lines_off_the_server(machine: Made, fleet: Fleet) -> None:
    a, b = machine(), machine()
    c = machine()
    a.note(line(1, "the safe opens with marzipan"), line(3, "to be forgotten soon"))
    b.note(line(2))
    all_sync(a, b, c)
    forgotten(a, "to be forgotten soon")
    a.sync()

    with fleet.asked(a.login) as there, a.ledger() as ledger:
        head = rows.head(there, "anna", ledger.frames.ledger_id(), 0, b"")
        assert head is not None
        count = erasure.leave(there, rows.Machine(head.agent, ledger.frames.ledger_id(), "m", "1"))

    with fleet.asked() as admin:
        texts = {row[0] for row in admin.execute("select text from scrimshaw.words")}
    c.sync()
    assert ((1, 1), {line(2).text, "[forgotten]"}) == (count, texts)
    assert b"forgotten soon" not in c.place.everything_written()


def test_an_agent_that_was_not_admitted_is_told_what_an_administrator_types(machine: Made) -> None:
    a = machine()
    a.link = replace(a.link, agent="berta")

    with pytest.raises(UserError) as told:
        a.sync()

    assert f"scrimshaw.admit('berta', 'TEAM', '{a.login}')" in told.value.next_step


def test_what_a_hand_does_to_the_section_is_on_the_other_machine(machine: Made) -> None:
    a, b = machine(), machine()
    gone, changed = line(2), line(3)
    kept = [line(number) for number in (1, 4, 5, 6, 7)]
    a.note(gone, changed, *kept)
    all_sync(a, b)
    by_hand(b, f"- .*{gone.text}\n", "")
    b.publish()
    by_hand(b, changed.text, f"{changed.text} and a half")
    b.publish()
    by_hand(b, "(- .*number 1)\n", r"\1\n- the eighth is by hand\n")

    b.publish()
    all_sync(b, a, b)

    # A line that a person wrote is theirs to the letter.
    told = {*(one.text for one in kept), f"🟡 08:03 {changed.text} and a half", "the eighth is by hand"}
    assert told == a.texts() == b.texts()
    assert (a.standing(gone).closed, a.standing(changed).closed) == (Closed.DELETED, Closed.EDITED)
    assert agree(a, b)


def test_a_sync_takes_what_a_hand_did_before_it_lets_the_same_line_in_again(machine: Made) -> None:
    a, b = machine(), machine()
    same = "the badge number is 7"
    a.note(line(1, same))
    b.note(line(2, same, session_id="s9"))
    b.sync()
    b.publish()
    by_hand(b, f"- .*{same}\n", "")
    a.sync()

    all_sync(b, a, b)

    assert (set(), set()) == (a.texts(), b.texts())
    assert agree(a, b)


def test_a_hand_that_writes_on_in_a_line_forgotten_elsewhere_does_not_bring_it_back(machine: Made) -> None:
    a, b = machine(), machine()
    secret = "the safe opens with marzipan"
    a.note(line(1, secret), line(2))
    all_sync(a, b)
    forgotten(a, secret)
    a.sync()
    by_hand(b, secret, f"{secret} and with honey")

    b.publish()
    all_sync(b, a, b)

    assert {line(2).text} == a.texts() == b.texts()
    assert b"marzipan" not in b.place.everything_written() + a.place.everything_written()
    assert b"marzipan" not in on_server(a.fleet)
    assert agree(a, b)


def by_hand(machine: Machine, pattern: str, made: str) -> None:
    """Change what MEMORY.md shows, as its owner would in an editor."""
    if not machine.place.memory.exists():
        machine.publish()
    text = machine.place.memory.read_text()
    changed = re.sub(pattern, made, text)
    assert changed != text
    machine.place.memory.write_text(changed)


def test_a_restored_server_that_gives_an_old_number_to_the_same_event_again_is_noticed(
    machine: Made, fleet: Fleet
) -> None:
    a, b, c, reader = machine(), machine(), machine(), machine()
    a.note(line(1))
    all_sync(a, b, c, reader)
    yesterday = fleet.keep_copy()
    a.note(line(2))
    b.note(line(3))
    c.note(line(4))
    for one in (a, b, reader):
        one.sync()
    fleet.put_back(yesterday)

    for one in (
        c,
        b,
        a,
        reader,
    ):  # the number that reader has read to is the same event's again, c's is below
        one.sync()

    assert line(4).text in reader.texts()


def on_server(fleet: Fleet) -> bytes:
    """Return the bytes of all files of the database, its log of changes left out."""
    with fleet.asked() as admin:
        admin.execute("checkpoint")
        row = admin.execute("select oid from pg_database where datname = %s", (fleet.name,)).fetchone()
    assert row
    folder = fleet.server.data / "base" / str(row[0])
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())
