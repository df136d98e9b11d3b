"""Windows: every entry once and in order, whole exchanges, bounded."""

from hypothesis import given
from hypothesis import strategies as st
from tests.core.exchanges_by_hand import SESSION, entries_of

from scrimshaw.core.transcript.windows import MESSAGE_TOKENS, estimate_tokens, windows
from scrimshaw.core.types import Role

TURNS = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "call", "tool"]), st.text(max_size=400)), max_size=40
)


@given(TURNS)
def test_every_entry_is_in_exactly_one_window_and_in_order(turns):
    entries = entries_of(*turns)

    made = list(windows(SESSION, entries, "UTC", target_tokens=120, ceiling=160))

    assert [entry for window in made for entry in window.entries] == list(entries)


def test_a_window_begins_where_a_person_speaks():
    turns = [("user", "word " * 40), ("assistant", "word " * 40)] * 6

    made = list(windows(SESSION, entries_of(*turns), "UTC", target_tokens=300, ceiling=400))

    assert len(made) > 1
    assert all(window.entries[0].role is Role.USER for window in made)


def test_no_window_of_small_exchanges_passes_the_target():
    turns = [("user", "word " * 40), ("assistant", "word " * 40)] * 30

    made = list(windows(SESSION, entries_of(*turns), "UTC", target_tokens=500, ceiling=600))

    assert max(window.tokens for window in made) <= 500


def test_a_short_reply_stays_with_the_question_before_it():
    turns = [("user", "word " * 300), ("assistant", "Next Tuesday meaning the 24th?"), ("user", "Right.")]

    made = list(windows(SESSION, entries_of(*turns), "UTC", target_tokens=470, ceiling=600))

    assert len(made) == 1


def test_a_tool_call_is_never_split_from_its_result():
    turns = [("user", "go"), *[("call", "run " * 100), ("tool", "ok " * 100)] * 20]

    made = list(windows(SESSION, entries_of(*turns), "UTC", target_tokens=500, ceiling=600))

    assert len(made) > 1
    assert all(window.entries[-1].role is Role.TOOL for window in made)


def test_an_oversized_message_counts_as_what_an_observer_is_shown():
    made = list(windows(SESSION, entries_of(("user", "x" * 1_000_000), ("assistant", "Seen.")), "UTC"))

    assert len(made) == 1
    assert made[0].tokens < 2 * MESSAGE_TOKENS


def test_text_has_at_least_one_token_and_no_text_none():
    assert estimate_tokens("") == 0
    assert estimate_tokens("a") == 1
    assert estimate_tokens("締め日" * 10) >= 25
