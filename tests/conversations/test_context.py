"""The context: a prefix that stays the same, and a tail that loses nothing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.conversations.talking import START, bought, choose, opened, talk

from scrimshaw.core.conversation import LOG_HEADING, Message, Parts, RecalledMemory, with_short_results
from scrimshaw.services.conversations.context import check_shape
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import conversations
from scrimshaw.working.database import WorkingDatabase


def _said(id_: str, role: str = "user", content: str = "hello") -> Message:
    return Message(id_, role, content, 0, "t", "", 2)


_PARTS = Parts(
    "2026-11-20\n- 🟡 one",
    (_said("1", "assistant"), _said("2", "tool", "42"), _said("3", "system", "be brief"), _said("4")),
    "I am Bob.",
    "Help.",
    (RecalledMemory("ab12", "fact", "The cat\nis Mimi."),),
    "This is a phone.",
)


def test_the_shape_of_anthropic_s_api() -> None:
    shaped = _PARTS.shaped("anthropic")

    assert shaped["system"] == [
        {"type": "text", "text": "I am Bob."},
        {"type": "text", "text": "Help."},
        {
            "type": "text",
            "text": "## Conversation Context (Observations)\n\n2026-11-20\n- 🟡 one",
            "cache_control": {"type": "ephemeral"},
        },
        {"type": "text", "text": "## Memories\n\n- [fact] The cat is Mimi. (id: ab12)"},
        {"type": "text", "text": "This is a phone."},
    ]
    assert [one["role"] for one in shaped["messages"]] == ["user", "assistant", "user", "user", "user"]
    assert shaped["messages"][2]["content"] == "[tool result] 42"


def test_a_prefix_that_is_to_be_kept_for_an_hour_says_so_at_its_break_point_alone(tmp_path: Path) -> None:
    memory = opened(tmp_path, prompt_cache="1h")
    memory.add_message("hello", thread_id="t1")

    shaped = memory.get_context("t1", system_prompt="Help.", channel_hint="This is a phone.").request

    assert [block.get("cache_control") for block in shaped["system"]] == [
        {"type": "ephemeral", "ttl": "1h"},
        None,
    ]


@pytest.mark.parametrize(
    ("pauses_minutes", "kept"),
    [
        ([], None),
        ([1, 1, 4], None),
        ([1, 12], "1h"),  # one pause alone: writing anew would have cost more
        ([12, 90], None),  # after the long one it would have been written anew at the dearer price
        ([12, 90, 12], "1h"),
        ([90, 600, 90], None),
    ],
)
def test_the_prefix_is_kept_for_an_hour_where_the_pauses_make_that_cheaper(
    tmp_path: Path, pauses_minutes: list[int], kept: str | None
) -> None:
    memory, at = opened(tmp_path), datetime(2026, 11, 20, 9, tzinfo=UTC)
    for number, pause in enumerate([0, *pauses_minutes]):
        at += timedelta(minutes=pause)
        memory.add_message(f"hello {number}", thread_id="t1", timestamp=at)

    block = memory.get_context("t1", system_prompt="Help.").request["system"][-1]

    assert block["cache_control"].get("ttl") == kept


def test_the_break_point_is_on_the_last_block_that_stays_the_same() -> None:
    bare = Parts("", (), "", "Help.", _PARTS.memories).shaped("anthropic")

    assert [("cache_control" in block) for block in bare["system"]] == [True, False]
    assert Parts("", (_said("1"),)).shaped("anthropic") == {
        "system": [],
        "messages": [{"role": "user", "content": "hello"}],
    }


def test_the_shape_of_openai_s_api_and_text() -> None:
    messages = _PARTS.shaped("openai")["messages"]

    assert [one["role"] for one in messages] == [*["system"] * 3, "assistant", "user", "system", "user"]
    assert messages[0]["content"].startswith("I am Bob.\n\nHelp.\n\n## Conversation Context (Observations)")
    assert _PARTS.shaped("text")["text"].endswith("tool: 42\n\nsystem: be brief\n\nuser: hello")
    with pytest.raises(ValueError, match="shape"):
        check_shape("soap")


def test_older_results_of_tools_are_shortened_to_a_line() -> None:
    long = "first line\n" + "x" * 5000
    said = [_said(str(number), "tool", long) for number in range(9)]

    short = with_short_results(said, 6)

    assert [one.content == long for one in short] == [False] * 3 + [True] * 6
    assert short[0].content == "first line … (5,011 characters, shortened)"
    assert with_short_results(said, 0)[8].content == short[0].content
    assert with_short_results([_said("1", "tool", "ok")], 0)[0].content == "ok"


@given(st.lists(st.sampled_from(["user", "assistant", "tool"])), st.integers(0, 8))
def test_shortening_keeps_every_message_and_its_place(roles: list[str], keep: int) -> None:
    said = [_said(str(number), role, "a\nb") for number, role in enumerate(roles)]

    short = with_short_results(said, keep)

    assert [(one.id, one.role) for one in short] == [(one.id, one.role) for one in said]
    whole = [one for one in short if one.role == "tool" and one.content == "a\nb"]
    assert len(whole) == min(keep, roles.count("tool"))


def test_the_prefix_is_the_same_to_the_byte_from_turn_to_turn(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    talk(memory, 20)
    memory.force_observe("t1")

    def prefix() -> tuple[str, ...]:
        return memory.get_context("t1", identity="I am Bob.", system_prompt="Help.").parts.prefix

    first = prefix()
    for number in range(20, 25):
        talk(memory, 1, first=number)
        assert prefix() == first
    memory.force_observe("t1")
    assert prefix()[:2] == first[:2]
    assert prefix()[2].startswith(first[2])


def test_a_log_that_grew_keeps_every_block_and_the_cache_goes_on_behind_them(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    before: list[dict[str, object]] = [{"type": "text", "text": "Help."}]

    for count in range(1, 5):
        talk(memory, 3, first=3 * count)
        memory.force_observe("t1")
        context = memory.get_context("t1", system_prompt="Help.")
        blocks = context.request["system"]
        assert blocks.pop()["cache_control"] == {"type": "ephemeral"}
        assert blocks == before
        before = [*blocks, {"type": "text", "text": context.parts.blocks[-1]}]
        assert len(before) == 1 + count

    whole = f"## Conversation Context (Observations)\n\n{memory.conversation('t1').log.text}"
    assert "".join(str(block["text"]) for block in before[1:]) == whole
    assert context.parts.prefix == ("Help.", whole)
    memory.reflect(thread_id="t1")
    condensed = memory.get_context("t1", system_prompt="Help.", memories=0)
    assert len(condensed.request["system"]) == 2


def test_a_conversation_of_which_nothing_is_observed_has_all_of_it_in_the_tail(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    talk(memory, 50)

    context = memory.get_context("t1")

    assert len(context.parts.messages) == 100
    assert context.tokens["messages"] == memory.conversation("t1").state.unobserved_token_count
    assert context.tokens["total"] == sum(count for name, count in context.tokens.items() if name != "total")
    assert memory.get_context("unknown").parts.messages == ()


def test_a_cursor_whose_message_is_gone_leaves_the_last_twelve_and_what_is_not_observed(
    tmp_path: Path,
) -> None:
    memory = opened(tmp_path)
    talk(memory, 10)
    memory.force_observe("t1")
    db = WorkingDatabase(memory.target.layout.working)
    with db.transaction():
        db.write("delete from message where id = 'a9'")
    assert len(memory.get_context("t1").parts.messages) == 12
    talk(memory, 20, first=10)

    ids = [one.id for one in memory.get_context("t1").parts.messages]

    assert ids == [f"{who}{n}" for n in range(10, 30) for who in "ua"]


class Conversation(RuleBasedStateMachine):
    """Messages, observations, condensings and deletions of observed ones, in any order."""

    folder: Path
    _number = 0

    def __init__(self) -> None:
        super().__init__()
        Conversation._number += 1
        place = self.folder / str(Conversation._number)
        place.mkdir()
        self.scope = "resource"
        self.memory = opened(place, message_threshold=1000, keep_last_messages=4)
        talk(self.memory, 2, "t0", resource_id="anna")
        self.memory.force_observe("t0")
        self.said: list[str] = []

    def _add(self, content: str, role: str, resource_id: str = "") -> None:
        number = len(self.said)
        at = START + timedelta(minutes=number)
        told = {"thread_id": "t1", "message_id": f"m{number}", "resource_id": resource_id}
        self.memory.add_message(content, role=role, timestamp=at, **told)
        self.said.append(f"m{number}")

    @rule(role=st.sampled_from(["user", "assistant", "system", "tool"]), size=st.integers(1, 900))
    def say(self, role: str, size: int) -> None:
        self._add(f"I bought {size} apples in shop {len(self.said)}. " + "word " * size, role)

    @rule()
    def repeat(self) -> None:
        if self.said and self.said[-1] != "gone":
            self.memory.add_message("else", thread_id="t1", message_id=self.said[-1])

    @rule()
    def name_the_resource(self) -> None:
        self._add("Thank you.", "user", "anna")

    @rule(scope=st.sampled_from(["thread", "resource"]))
    def set_the_scope(self, scope: str) -> None:
        self.scope = scope
        choose(self.memory, scope=scope, message_threshold=1000, keep_last_messages=4)

    @rule()
    def observe(self) -> None:
        self.memory.observe()

    @rule()
    def force(self) -> None:
        if self.said:
            self.memory.force_observe("t1")

    @rule()
    def condense(self) -> None:
        if self.said:
            self.memory.reflect(thread_id="t1")

    @rule()
    def lose_the_message_of_the_cursor(self) -> None:
        if not self.said:
            return
        state = self.memory.conversation("t1").state
        db = WorkingDatabase(self.memory.target.layout.working)
        with db.transaction():
            db.write("delete from message where id = ?", (state.observed_cursor_message_id,))
        db.close()
        if state.observed_cursor_message_id in self.said:
            self.said.remove(state.observed_cursor_message_id)
            self.said.insert(0, "gone")

    @invariant()
    def every_message_is_before_the_cursor_or_in_the_tail(self) -> None:
        if not self.said:
            return
        db = WorkingDatabase(self.memory.target.layout.working)
        state = conversations.state(db, "t1")
        rows = db.rows("select id, position from message where conversation <> 1 order by position")
        db.close()
        assert state
        tail = [one.id for one in self.memory.get_context("t1").parts.messages]
        behind = [id_ for id_, position in rows if position > state.observed_position]
        assert {id_ for id_, _ in rows} == {id_ for id_ in self.said if id_ != "gone"}
        assert tail[-len(behind) :] == behind if behind else True
        assert len(tail) >= min(4, len(rows))
        self._is_covered([id_ for id_, position in rows if position <= state.observed_position])
        self._is_in_the_log()

    def _is_in_the_log(self) -> None:
        told = self.memory.get_context("t1")
        with open_ledger(self.memory.target.layout.ledger, create=False, read_only=True) as ledger:
            lines = ledger.lines_of_sessions(["program:t1"])
        db = WorkingDatabase(self.memory.target.layout.working)
        known = conversations.logged(db, told.read.owner) | told.read.logged
        db.close()
        assert {line.observation.id for line in lines if not line.observation.level} <= known

    def _is_covered(self, before: list[str]) -> None:
        with open_ledger(self.memory.target.layout.ledger, create=False, read_only=True) as ledger:
            left = ledger.uncovered("program:t1", before)
        db = WorkingDatabase(self.memory.target.layout.working)
        roles = dict(db.rows("select id, role from message"))
        db.close()
        assert all(roles[id_] == "system" for id_ in left)


def test_no_message_is_ever_neither_before_the_cursor_nor_in_the_tail(tmp_path: Path) -> None:
    Conversation.folder = tmp_path
    run_state_machine_as_test(Conversation, settings=settings(max_examples=12, stateful_step_count=15))


def test_the_heading_of_the_log_is_the_one_that_was_named() -> None:
    assert LOG_HEADING == "## Conversation Context (Observations)"


def test_a_memory_that_a_program_stored_is_told_to_be_its_word(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    stored = memory.store("The harbour gate opens with a brass lever.")

    context = memory.get_context("t1", query="How does the harbour gate open?")

    (found,) = context.parts.memories
    assert str(found) == (
        f"- [{stored.to_dict().get('type', 'episodic')}, said by a program] "
        f"The harbour gate opens with a brass lever. (id: {found.id})"
    )


def test_observations_come_one_by_one_where_a_count_is_asked_for(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    talk(memory, 25, resource_id="anna")
    memory.force_observe("t1")

    told = memory.get_context("t1", observations=100).to_dict()

    assert len(told["observations"]) == 20
    newest = told["observations"][0]
    assert len(newest.pop("id")) == 24
    assert newest == {
        "content": bought(24),
        "timestamp": (START + timedelta(minutes=24)).isoformat(),
        "resource_id": "anna",
        "token_count": 13,
        "priority": 4,
        "task_state": None,
        "tags": ["Outcome"],
        "source_range": {"source_message_from": "u24", "source_message_to": "u24"},
        "thread_id": "t1",
    }
    assert told["reflections"] == []
    assert memory.get_context("t1").observations == ()
