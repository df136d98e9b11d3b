"""Conversations become observations: by the same observer, gate and ledger as transcripts."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conversations.talking import START, bought, choose, env_of, opened, talk
from tests.places import Place
from tests.stores import FakeSession

from scrimshaw import Memory, ObserveOptions, UserError
from scrimshaw.cli.render.history import why_lines
from scrimshaw.core.conversation import log_piece
from scrimshaw.errors import NotFoundError
from scrimshaw.services.conversations.due import should_reflect
from scrimshaw.services.conversations.follow import is_reflection_due
from scrimshaw.working import conversations
from scrimshaw.working.conversations import Stale
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.migrations import MIGRATIONS, m007_logs


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return opened(tmp_path, message_threshold=1000)


def _versions(memory: Memory, thread_id: str = "t1") -> list[tuple[str, int | None]]:
    return [(one.author, one.replaces) for one in memory.conversation(thread_id).versions]


def test_nothing_is_observed_before_the_threshold_and_everything_from_there_on(memory: Memory) -> None:
    talk(memory, 10)
    assert memory.observe().observed.accepted == 0
    assert memory.conversation("t1").log.version == 0

    talk(memory, 80, first=10)
    done = memory.observe().observed

    told = memory.conversation("t1")
    assert done.accepted == 90
    assert (told.state.observed_cursor_message_id, told.state.unobserved_token_count) == ("a89", 0)
    assert (told.log.version, told.log.observation_count) == (1, 90)
    assert memory.observe().observed.windows == 0
    assert memory.search("teapot t1-47").hits


def test_a_corrected_line_leads_back_to_the_line_of_which_it_took_the_place(memory: Memory) -> None:
    memory.add_message("I have a dentist appointment on 26 January at 9.", thread_id="t1", timestamp=START)
    memory.force_observe("t1")
    later = START + timedelta(hours=1)
    memory.add_message("Sorry, it's the 27th not the 26th.", thread_id="t2", timestamp=later)
    memory.force_observe("t2")

    found = memory.why("dentist appointment on 27 January")

    assert [source.entry.text for source in found.sources if source.entry] == [
        "Sorry, it's the 27th not the 26th."
    ]
    assert [line.observation.text for line in found.replaced] == [
        "I have a dentist appointment on 26 January at 9."
    ]
    assert "It took the place of:" in "\n".join(why_lines(found))


def test_a_line_of_a_conversation_leads_back_to_its_message(memory: Memory) -> None:
    talk(memory, 3)
    memory.force_observe("t1")

    (source,) = memory.why("kettle t1-1 from").sources

    assert (source.entry_id, source.entry.text) == ("u1", bought(1))


def test_the_observer_appends_and_what_stood_before_stays_to_the_byte(memory: Memory) -> None:
    talk(memory, 5)
    memory.force_observe("t1")
    first = memory.conversation("t1").log.text
    talk(memory, 5, first=5)
    memory.force_observe("t1")

    second = memory.conversation("t1").log.text

    assert second.startswith(f"{first}\n- ")
    assert second.count("2026-11-20\n") == 1
    assert _versions(memory) == [("observer", None), ("observer", None)]


def test_the_reflector_puts_a_version_of_60_percent_in_the_place_of_all_before(memory: Memory) -> None:
    talk(memory, 40)
    memory.force_observe("t1")
    before = memory.conversation("t1").log

    memory.reflect(thread_id="t1")
    after = memory.conversation("t1").log

    assert _versions(memory) == [("observer", None), ("reflector", 1)]
    share = after.observation_token_count / before.observation_token_count
    assert 0.5 < share <= 0.6
    assert after.last_reflector_run_ms == START.timestamp() * 1000
    talk(memory, 1, first=40)
    memory.force_observe("t1")
    assert memory.conversation("t1").log.text.startswith(f"{after.text}\n- ")


def test_a_dropped_line_is_found_for_a_turn_and_a_shown_one_is_not_told_twice(memory: Memory) -> None:
    talk(memory, 40)
    memory.force_observe("t1")
    memory.reflect(thread_id="t1")
    log = memory.conversation("t1").log.text
    gone = next(number for number in range(40) if f"t1-{number} " not in log)
    there = next(number for number in range(40) if f"t1-{number} " in log)

    def found(number: int) -> list[str]:
        asked = f"t1-{number} from"
        return [
            one.content
            for one in memory.get_context("t1", query=asked).parts.memories
            if asked in one.content
        ]

    assert len(found(gone)) == 1
    assert found(there) == []


def test_a_thread_that_is_not_there_cannot_be_condensed(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="No conversation"):
        memory.reflect(thread_id="nobody-knows-it")


def test_reflecting_is_due_over_the_threshold_and_not_twice_in_an_hour(memory: Memory) -> None:
    settings = memory.target.config.settings
    now_ms = int(START.timestamp() * 1000)
    full = conversations.LogState(1, 9, 40_000)
    assert should_reflect(full, settings, now_ms)
    assert not should_reflect(full._replace(observation_token_count=39_999), settings, now_ms)
    hour_ms = 3_600_000
    assert not should_reflect(full._replace(last_reflector_run_ms=now_ms - hour_ms + 1), settings, now_ms)
    assert should_reflect(full._replace(last_reflector_run_ms=now_ms - hour_ms), settings, now_ms)


def test_a_shared_budget_counts_the_observations_against_the_threshold(memory: Memory) -> None:
    talk(memory, 30)
    memory.force_observe("t1")
    used = memory.conversation("t1").log.observation_token_count
    talk(memory, 45, first=30)
    waiting = memory.conversation("t1").state.unobserved_token_count
    assert waiting < 1000 <= waiting + used

    assert not memory.get_context("t1").should_observe
    choose(memory, message_threshold=1000, share_token_budget=True)
    assert memory.get_context("t1").should_observe


def test_with_scope_resource_all_threads_of_one_have_one_log(memory: Memory) -> None:
    talk(memory, 3, "t1", resource_id="anna")
    talk(memory, 3, "t2", resource_id="anna")
    talk(memory, 3, "t3", resource_id="bert")
    for thread in ("t1", "t2", "t3"):
        memory.force_observe(thread)

    log = memory.get_context("t1", "anna").parts.log

    assert "t1-0" in log
    assert "t2-2" in log
    assert "t3" not in log
    assert memory.get_context("t2").parts.log == log
    asked = memory.get_context("t1", query="bought kettle t3-1").parts.memories
    assert not any("t3" in one.content for one in asked)


def test_with_scope_thread_each_conversation_is_by_itself(tmp_path: Path) -> None:
    memory = opened(tmp_path, scope="thread")
    for thread in ("t1", "t2"):
        talk(memory, 3, thread, resource_id="anna")
        memory.force_observe(thread)

    assert "t2" not in memory.get_context("t1", query="bought kettle t2-1").request["system"][0]["text"]
    assert memory.get_context("t1", query="bought kettle t2-1").parts.memories == ()


def test_with_scope_resource_the_tokens_of_all_threads_count(memory: Memory) -> None:
    for thread in ("t1", "t2", "t3"):
        talk(memory, 25, thread, resource_id="anna")

    assert memory.get_context("t1").should_observe
    assert memory.observe().observed.accepted == 75


def test_what_is_switched_off_is_kept_and_not_observed(memory: Memory) -> None:
    choose(memory, enabled=False, message_threshold=1000)
    talk(memory, 100)

    assert memory.observe().observed.windows == 0
    assert memory.force_observe("t1").observed.windows == 0
    context = memory.get_context("t1")
    assert (context.should_observe, len(context.parts.messages)) == (False, 200)


def test_a_conversation_that_nobody_goes_on_with_for_a_day_is_observed_to_its_end(memory: Memory) -> None:
    talk(memory, 3)
    assert memory.observe().observed.windows == 0

    later = Memory(memory.target, env={}, clock=lambda: START + timedelta(days=1, hours=1))

    assert later.observe().observed.accepted == 3


def test_an_instruction_at_the_end_keeps_no_conversation_from_being_observed_and_condensed(
    memory: Memory,
) -> None:
    talk(memory, 20)
    memory.add_message("Stay brief.", role="system", thread_id="t1", message_id="s1", timestamp=START)
    later = Memory(memory.target, env={}, clock=lambda: START + timedelta(days=2))
    later.observe()
    db = WorkingDatabase(memory.target.layout.working)
    with db.transaction():
        db.write("update observation_log set observation_token_count = 40000")
    db.close()

    told = later.conversation("t1")
    assert (told.state.observed_cursor_message_id, told.state.unobserved_token_count) == ("s1", 0)
    assert (told.should_observe, told.should_reflect) == (False, True)
    later.reflect()
    assert _versions(later) == [("observer", None), ("reflector", 1)]


def test_the_cursor_passes_instructions_that_nothing_follows_and_leaves_what_waits(memory: Memory) -> None:
    def say(role: str, id_: str) -> None:
        memory.add_message(bought(0), role=role, thread_id="t1", message_id=id_)

    def cursor() -> str:
        return memory.conversation("t1").state.observed_cursor_message_id

    say("system", "s1")
    memory.force_observe("t1")
    assert cursor() == "s1"
    say("system", "s2")
    say("user", "u1")
    choose(memory, enabled=False)
    memory.force_observe("t1")
    assert cursor() == "s1"
    choose(memory, enabled=True)
    memory.force_observe("t1")
    assert cursor() == "u1"


def test_force_observe_leaves_other_conversations_alone(memory: Memory) -> None:
    talk(memory, 3, "t1")
    talk(memory, 100, "t2")

    memory.force_observe("t1")

    assert memory.conversation("t2").state.observed_position == 0
    with pytest.raises(UserError, match="No conversation"):
        memory.force_observe("t9")


def test_who_comes_second_is_told_that_the_conversation_was_moved_on(memory: Memory) -> None:
    talk(memory, 3)
    db = WorkingDatabase(memory.target.layout.working)
    read = conversations.state(db, "t1")
    assert read
    memory.force_observe("t1")
    owner = read.owner("thread")
    log = conversations.log_state(db, owner)

    with pytest.raises(Stale):
        conversations.advance(
            db, read, owner, (6, "a2"), log_piece([]), expected=log.version, at_ms=0, run_id="r"
        )
    with pytest.raises(Stale):
        conversations.replace_log(db, owner, log_piece([]), expected=0, at_ms=0, run_id="r")

    assert conversations.log_state(db, owner) == log
    assert memory.conversation("t1").state.lock_version == 1


_KILLED = """
import os, signal, sys
from pathlib import Path
from scrimshaw import Memory
from scrimshaw.working import conversations, database
from scrimshaw.services.conversations import follow

where, home = sys.argv[1:]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

if where == "before the log":
    conversations.advance = die
elif where == "between log and cursor":
    put = conversations._put
    conversations._put = lambda *a, **k: (put(*a, **k), die())
else:
    real = conversations.advance
    conversations.advance = lambda *a, **k: (real(*a, **k), die())
env = {"HOME": home, "OPENCLAW_STATE_DIR": home + "/state", "SCRIMSHAW_NOW": sys.stdin.read()}
memory = Memory.open(env=env)
memory.force_observe("t1")
"""


@pytest.mark.parametrize("where", ["before the log", "between log and cursor", "after both"])
def test_a_kill_between_ledger_log_and_cursor_loses_and_doubles_nothing(
    memory: Memory, tmp_path: Path, where: str
) -> None:
    talk(memory, 20)
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED, where, str(tmp_path / "home")],
        input=START.isoformat(),
        text=True,
        env={"PATH": os.environ["PATH"]},
        check=False,
        capture_output=True,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr

    told = memory.conversation("t1")
    is_moved = where == "after both"
    assert (told.log.version, told.state.observed_position) == ((1, 40) if is_moved else (0, 0))
    in_tail = {one.id for one in memory.get_context("t1").parts.messages}
    assert len(in_tail) == (12 if is_moved else 40)

    memory.observe(ObserveOptions(waits=False))
    after = memory.conversation("t1")
    assert (after.log.version, after.state.observed_position, after.log.observation_count) == (1, 40, 20)
    assert [after.log.text.count(f" t1-{n} ") for n in range(20)] == [1] * 20


def test_with_another_scope_what_was_observed_before_is_in_the_log_as_well(memory: Memory) -> None:
    talk(memory, 3, "t1", resource_id="anna")
    talk(memory, 3, "t2", resource_id="anna")
    memory.force_observe("t1")
    memory.force_observe("t2")
    choose(memory, scope="thread", message_threshold=1000)

    memory.observe()

    logs = [memory.get_context(thread).parts.log for thread in ("t1", "t2")]
    assert [("t1-1" in log, "t2-1" in log) for log in logs] == [(True, False), (False, True)]


def test_the_log_of_a_thread_that_names_its_resource_later_shows_what_was_observed_before_at_once(
    memory: Memory,
) -> None:
    talk(memory, 10, "t1", resource_id="anna")
    talk(memory, 10, "t2")
    memory.force_observe("t1")
    memory.force_observe("t2")

    talk(memory, 1, "t2", first=10, resource_id="anna")

    context = memory.get_context("t2", query=bought(3, "t2"))
    log = context.parts.log
    assert [log.count(f" t1-{n} ") + log.count(f" t2-{n} ") for n in range(10)] == [2] * 10
    assert not any(" t2-" in one.content for one in context.parts.memories)
    assert len(memory.get_context("t1", observations=20).observations) == 20
    memory.observe()
    assert memory.get_context("t1").parts.blocks == context.parts.blocks
    assert memory.conversation("t2").log.text == log


def test_with_another_scope_the_log_shows_what_was_observed_before_at_once(memory: Memory) -> None:
    for thread in ("t1", "t2"):
        talk(memory, 10, thread, resource_id="anna")
        memory.force_observe(thread)

    for scope, others in [("thread", 0), ("resource", 1), ("thread", 0)]:
        choose(memory, scope=scope, message_threshold=1000)
        for thread, other in [("t1", "t2"), ("t2", "t1")]:
            log = memory.get_context(thread).parts.log
            shown = [(log.count(f" {thread}-{n} "), log.count(f" {other}-{n} ")) for n in range(10)]
            assert shown == [(1, others)] * 10
            memory.force_observe(thread)


def test_a_log_that_took_in_another_s_lines_leaves_what_was_asked_for_to_be_observed(memory: Memory) -> None:
    talk(memory, 3, resource_id="anna")
    memory.force_observe("t1")
    talk(memory, 3, first=3)
    db = WorkingDatabase(memory.target.layout.working)
    conversations.ask_for(db, "t1")
    choose(memory, scope="thread", enabled=False)
    memory.observe()
    state = conversations.state(db, "t1")
    assert state
    assert (state.observed_position, state.is_asked) == (6, True)
    assert not conversations.behind(db, ("thread", "t1"))
    db.close()
    choose(memory, scope="thread")

    assert memory.observe().observed.accepted == 3


def test_a_damaged_working_layer_keeps_nothing_of_the_host_s_from_being_noted(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    place = Place.__new__(Place)  # the same home, as its host writes on
    place.root, place.kind, place.sessions, place.written = tmp_path / "home", "jsonl", [FakeSession()], {}
    memory.target.layout.working.write_bytes(b"no database" * 1000)
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))

    done = Memory.open(env=env_of(place)).observe(ObserveOptions(waits=False))

    assert done.observed.accepted == 1
    assert any("working.sqlite" in str(error) for error in done.observed.unreadable.values())


def test_a_full_log_makes_a_reflection_due_until_it_is_condensed(memory: Memory) -> None:
    talk(memory, 3)
    memory.force_observe("t1")
    now = memory.now()
    assert not is_reflection_due(memory.target, now)
    db = WorkingDatabase(memory.target.layout.working)
    with db.transaction():
        db.write("update observation_log set observation_token_count = 40000")
    db.close()
    assert is_reflection_due(memory.target, now)

    memory.reflect()

    assert not is_reflection_due(memory.target, now)
    assert memory.conversation("t1").versions[-1].author == "reflector"


def test_a_rehearsal_asks_for_nothing_and_moves_no_cursor(memory: Memory) -> None:
    talk(memory, 100)
    before = memory.conversation("t1")

    later = Memory(memory.target, env={}, clock=lambda: START + timedelta(days=2))
    assert later.observe(dry_run=True).observed.accepted == 100
    assert memory.conversation("t1") == before


def test_of_an_earlier_release_s_conversations_it_is_known_which_log_is_theirs_where_only_one_can_be(
    memory: Memory,
) -> None:
    talk(memory, 3, "t1", resource_id="anna")
    talk(memory, 3, "t2")
    for thread in ("t1", "t2"):
        memory.force_observe(thread)
    talk(memory, 1, "t2", first=3, resource_id="anna")
    talk(memory, 3, "t3")
    memory.force_observe("t3")
    db = WorkingDatabase(memory.target.layout.working)
    with db.transaction():
        db.write("alter table conversation drop column log_number")
        db.write("drop table moved")
        db.write(f"pragma user_version = {MIGRATIONS.index(m007_logs.SQL)}")
    db.close()
    assert db.row("pragma user_version") == (len(MIGRATIONS),)

    behind = [conversations.behind(db, owner) for owner in (("resource", "anna"), ("thread", "t3"))]

    assert behind == [{"t2"}, set()]
    log = memory.get_context("t2").parts.log
    assert [log.count(f" {thread}-{n} ") for thread in ("t1", "t2") for n in range(3)] == [1] * 6
