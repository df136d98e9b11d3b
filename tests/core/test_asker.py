"""Who may be asking: every doubt goes against an answer."""

from __future__ import annotations

import pytest

from scrimshaw.core.policy.audience import HostTurn, doubt, turn_of
from scrimshaw.core.types import SessionKind

MAIN, GROUP = "agent:main:main", "agent:main:telegram:group:-100"
BEGAN = 1_795_417_766_000  # the shell
EARLIER, LATER = BEGAN - 5_000, BEGAN + 5_000


def running(key: str, began: int = EARLIER, via: str | None = "run") -> HostTurn:
    return turn_of(key, created_via=via, is_running=True, began_at_ms=began)


def ended(key: str, at: int) -> HostTurn:
    return turn_of(key, created_via="run", began_at_ms=at - 1_000, ended_at_ms=at)


def told(*turns: HostTurn, gateway: int = 0) -> bool:
    return not doubt(turns, {"main"}, shell_began_at_ms=BEGAN, gateway_began_at_ms=gateway)


@pytest.mark.parametrize(
    ("key", "via"),
    [
        (MAIN, None),
        (MAIN, "cron"),  # whatever opened it first, it is where the person talks
        ("agent:main:telegram:direct:7", "channel"),
        ("agent:main:telegram:work:direct:7", "channel"),
        ("agent:main:dashboard:0c1d", "operator"),
        ("agent:main:explicit:abc", "run"),
        ("agent:main:main:thread:9", None),
    ],
)
def test_a_private_conversation_that_runs_alone_is_answered(key: str, via: str | None) -> None:
    assert told(running(key, via=via))
    assert told(running(key, via=via), ended(GROUP, EARLIER))


@pytest.mark.parametrize(
    ("key", "via"),
    [
        (GROUP, "run"),
        ("agent:main:discord:channel:77", "channel"),
        ("agent:main:slack:channel:c1:thread:9", "channel"),
        ("agent:main:whatsapp:120363@g.us", "channel"),
        ("agent:main:cron:nightly:run:1", "cron"),
        ("agent:main:subagent:b901", "spawn"),
        ("agent:main:hook:mail", "run"),
        ("agent:main:heartbeat", "run"),
        ("agent:main:matrix:!abc:example.org", "channel"),  # a form that is not known here
        ("agent:main:matrix:!abc:example.org", None),
        ("agent:main:telegram:group:-100:direct:7", "run"),
        ("agent:main:global", "run"),
        ("agent:main:explicit:model-run-1", "run"),
        ("global", "run"),  # one conversation for everybody
        ("", "run"),
        ("agent:other:main", "run"),
    ],
)
def test_anything_else_that_runs_keeps_everybody_from_an_answer(key: str, via: str | None) -> None:
    assert not told(running(key, via=via))
    assert not told(running(MAIN), running(key, via=via))
    assert not told(running(MAIN), running(key, LATER, via))


def test_what_the_record_says_of_a_group_counts_whatever_the_key_looks_like() -> None:
    by_type = turn_of("agent:main:irc:7", created_via="run", chat_type="group", is_running=True)
    by_id = turn_of("agent:main:irc:7", created_via="run", has_group=True, is_running=True)
    wrong = turn_of(GROUP, created_via="run", chat_type="direct", is_running=True, began_at_ms=EARLIER)

    assert [told(running(MAIN), turn) for turn in (by_type, by_id, wrong)] == [False] * 3
    assert not told(wrong)


def test_without_a_turn_that_runs_nobody_is_answered() -> None:
    assert not told()
    assert not told(ended(MAIN, EARLIER))
    assert not told(ended(MAIN, LATER))  # left in the background: nobody waits for it


def test_a_shell_that_a_group_left_in_the_background_is_not_taken_for_the_person() -> None:
    assert not told(running(MAIN), ended(GROUP, LATER))
    assert not told(running(MAIN, LATER))


def test_a_turn_of_the_group_that_ended_in_the_same_moment_is_a_doubt() -> None:
    assert not told(running(MAIN), ended(GROUP, BEGAN - 900))
    assert told(running(MAIN), ended(GROUP, BEGAN - 1_100))


def test_what_a_killed_gateway_left_as_running_keeps_nobody_from_an_answer_once_another_has_started() -> None:
    stale = running(GROUP, EARLIER)

    assert not told(running(MAIN, BEGAN), stale)
    assert told(running(MAIN, BEGAN), stale, gateway=EARLIER + 1)
    assert not told(running(MAIN, EARLIER), gateway=EARLIER + 1)  # its own record, too, is nobody's then


def test_a_record_without_times_is_a_doubt() -> None:
    nothing = turn_of(GROUP, is_running=True)

    assert not told(running(MAIN), nothing, gateway=BEGAN - 1)
    assert not told(turn_of(MAIN, is_running=True))


def test_agents_that_share_the_memory_are_answered_alike_and_others_are_not() -> None:
    turn = running("agent:work:main")

    assert not doubt([turn], {"main", "work"}, shell_began_at_ms=BEGAN)
    assert doubt([turn], {"main"}, shell_began_at_ms=BEGAN)


def test_the_reason_names_what_it_is_and_not_who_is_in_it() -> None:
    why = doubt([running(MAIN), running(GROUP)], {"main"}, shell_began_at_ms=BEGAN)

    assert "a group conversation of main" in why
    assert "-100" not in why
    assert running(GROUP).kind is SessionKind.GROUP
