"""What is private is cut: blocks, patterns, whole conversations; when in doubt more rather than less."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.effort import lines_run

from scrimshaw.core.transcript import privacy
from scrimshaw.core.transcript.privacy import CUT, cut, is_private_session, read_patterns

HIDDEN = "the diagnosis"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("keep <private>the diagnosis</private> this", "keep [private] this"),
        ("keep <private>the diagnosis", "keep [private]"),
        ("keep <PRIVATE>the diagnosis</Private> this", "keep [private] this"),
        ("<private>a <private>b</private> the diagnosis</private> this", "[private] this"),
        ("<private>a <private>b</private> the diagnosis", "[private]"),
        ("keep <private reason='x > y'>the diagnosis</private> this", "keep [private] this"),
        ("keep < private >the diagnosis< / private > this", "keep [private] this"),
        ("keep <private\n>the diagnosis</private\n> this", "keep [private] this"),
        ("keep <private>the diagnosis</private foo> this", "keep [private] this"),
        ("keep &lt;private&gt;the diagnosis&lt;/private&gt; this", "keep [private] this"),
        ("keep &#60;private&#62;the diagnosis&#x3C;/private&#x3e; this", "keep [private] this"),
        ("keep &amp;lt;private&amp;gt;the diagnosis&amp;lt;/private&amp;gt; this", "keep [private] this"),
        ("keep \\<private\\>the diagnosis\\</private> this", "keep [private] this"),
        ("keep <private the diagnosis", "keep [private]"),
        ("keep <private/>the diagnosis", "keep [private]"),
        ("keep <private", "keep [private]"),
        ("<privat>the diagnosis</private> this", "[private] this"),
        ("<private>a</private> x <private>the diagnosis</private> y", "[private] x [private] y"),
        ("<private></private>this", "[private]this"),
        ("`<private>` the diagnosis", "`[private]"),
    ],
)
def test_a_private_block_is_cut(text, expected):
    found, count = cut(text)

    assert found == expected
    assert count >= 1
    assert HIDDEN not in found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a private matter",
        "<privately> said",
        "<private-key> elements of some other format",
        "private: true",
        "List<privateer>",
        "a < b and c > d",
        "&lt;p&gt;private&lt;/p&gt;",
        "[private]",
    ],
)
def test_what_is_no_block_stays(text):
    assert cut(text) == (text, 0)


def test_a_block_never_reaches_into_another_message():
    first = cut("open <private> and never closed")
    second = cut("what the next message says")

    assert first == ("open [private]", 1)
    assert second == ("what the next message says", 0)


def test_patterns_cut_in_any_case_and_touching_cuts_are_one():
    patterns = read_patterns((r"project\s+falcon", r"falcon launch")).compiled

    assert cut("On Project Falcon launch day", patterns) == ("On [private] day", 1)
    assert cut("nothing here", patterns) == ("nothing here", 0)


def test_a_pattern_matches_in_the_middle_of_a_long_text():
    pattern = read_patterns((r"falcon-\d+",)).compiled
    for before in (15_990, 15_999, 16_000, 11_999, 12_001, 27_995, 40_000):
        found, count = cut("x" * before + " falcon-77 " + "y" * 30_000, pattern)

        assert count == 1
        assert "falcon" not in found


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        ("(", "regular expression"),
        ("(a+)+$", "for ever"),
        ("(a|a)*b", "for ever"),
        ("(?:a|ab)+c", "for ever"),
        (r"(?:\d[ -]?)+", "for ever"),
        (".*a.*b.*c.*d", "without bound"),
        ("x*", "empty"),
        ("^$", "empty"),
        (r"\bprivate\b", "stands for what was cut"),
        (r"\w+", "stands for what was cut"),
        ("a" * 2_000, "longer"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_told(pattern, word):
    read = read_patterns((pattern, "falcon"))

    assert [one.pattern for one in read.compiled] == ["falcon"]
    assert len(read.problems) == 1
    assert word in read.problems[0]


@pytest.mark.parametrize(
    "pattern",
    [
        r"ACME-\d+",
        r"(?:\d[ -]?){13,19}",
        r"(?:foo|bar)+ baz",
        r"[\w.+-]+@example\.org",
        r"(?i)diary.{0,400}end of diary",
        "Müller",
        r"(?s)BEGIN DIARY.*?END DIARY",
    ],
)
def test_an_ordinary_pattern_is_taken(pattern):
    assert read_patterns((pattern,)).problems == ()


def test_patterns_are_compiled_once():
    assert read_patterns(("one", "two")) is read_patterns(("one", "two"))


@pytest.mark.parametrize(
    "unlucky", ["<private ", "</private ", "&amp;", "<", "<private>", "<private></private>"]
)
def test_the_effort_for_an_unlucky_text_grows_with_its_length_and_not_with_the_square(unlucky: str):
    small, large = (lines_run(lambda text=unlucky * times: cut(text)) for times in (100, 800))

    assert large < 12 * small  # 8 times as long; the square would be 64


def test_where_a_tag_may_stand_a_bounded_number_of_characters_is_looked_at():
    # What a pattern does inside one call no count of lines shows: a tag of any length takes the square.
    _, most = privacy.structure.parse(privacy._TAG.pattern, privacy._TAG.flags).getwidth()

    assert most < 500


@pytest.mark.parametrize(
    ("key", "session_id", "patterns", "expected"),
    [
        ("agent:main:explicit:diary", "s1", ("agent:main:explicit:diary*",), True),
        ("agent:main:explicit:diary-2", "s1", ("agent:main:explicit:diary*",), True),
        ("Agent:Main:Explicit:Diary", "s1", ("agent:main:explicit:diary",), True),
        ("agent:main:main", "s1", ("agent:main:explicit:diary*",), False),
        ("agent:main:main", "s1", ("S1",), True),
        ("agent:main:main", "s1", ("*",), True),
        ("agent:main:x[1]", "s1", ("agent:main:x[1]",), True),
        ("agent:main:abc", "s1", ("agent:*:a?c",), True),
        ("agent:main:ac", "s1", ("agent:*:a?c",), False),
        ("agent:main:main", "s1", (), False),
        ("", "s1", (), False),
        ("", "s1", ("other",), True),  # nobody knows any more which it was
        ("", "", ("*",), False),  # a person's own line
        ("agent:main:main", "s1", ("",), False),
    ],
)
def test_a_private_conversation_is_known_by_key_id_or_pattern(key, session_id, patterns, expected):
    assert is_private_session(key, session_id, patterns) is expected


def test_many_stars_take_no_more_steps_than_the_product_of_both_lengths():
    def steps(size: int) -> int:
        return lines_run(lambda: is_private_session("a" * size, "b" * size, ("*a" * size + "x",)))

    assert steps(200) < 5 * steps(100)


_TAGS = ["<private>", "</private>", "<PRIVATE x='>'>", "</private >", "&lt;private&gt;", "&lt;/private&gt;"]
_OTHERS = ["SECRET", "<", ">", "/", "\\", "private", " ", "\n", "&", "amp;", "lt;", "é", "[private]", "0"]
_PIECES = st.sampled_from([*_TAGS, *_OTHERS])
_TEXTS = st.lists(_PIECES, max_size=30).map("".join)


@given(_TEXTS)
def test_cutting_again_changes_nothing(text):
    once, _ = cut(text)

    assert cut(once) == (once, 0)


@given(_TEXTS, st.integers(0, 400), st.integers(0, 400))
def test_what_stands_in_a_block_never_stays(text, at, length):
    inside = text[at : at + length].replace("/", "")
    found, _ = cut(f"before <private>{inside}HIDDEN{inside.replace('<', '')} </private> after")

    assert "HIDDEN" not in found


@given(_TEXTS, _TEXTS)
def test_nothing_is_added_but_the_sign_for_it(before, after):
    found, count = cut(f"{before}<private>{after}")

    kept = found.split(CUT)
    assert count >= 1
    position = 0
    for part in kept:
        position = f"{before}<private>{after}".index(part, position) + len(part)


@given(st.text(max_size=300))
def test_text_without_a_tag_is_left_alone(text):
    if re.search("private", text, re.IGNORECASE):
        return

    assert cut(text) == (text, 0)


def test_the_check_is_known_to_bite():
    # A negative control: a cut that looks for the plain pair alone lets an unclosed block through.
    def naive(text):
        return re.sub("<private>.*?</private>", CUT, text)

    assert HIDDEN in naive(f"keep <private>{HIDDEN}")
