"""Rule 2: the sum that bounds the section, in the host's units."""

import pytest

from scrimshaw.core.section.budget import LEAST_BODY_UNITS, allowance, allowance_in_home, units, utf16_units


def _room(**changed: int | bool):
    terms = {
        "observation_chars": 14_000,
        "per_file_cap": 20_000,
        "total_cap": 60_000,
        "other_files": 9_000,
        "rest": 1_000,
        "is_dreaming": False,
        "frame": 70,
    }
    return allowance(**{**terms, **changed})


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abc", 3), ("🔴", 2), ("é\r\n", 3), ("日本", 2), ("\udc80x", 2), ("", 0)],
)
def test_units_are_utf16_code_units(text, expected):
    assert expected == units(text)


@pytest.mark.parametrize("tail", ["\n", " \t\r\n", "\u00a0\u3000", "\ufeff", "\u2028"])
def test_trailing_white_space_is_free_as_for_the_host(tail):
    assert utf16_units("🔴" + tail) == 2


@pytest.mark.parametrize("tail", ["\x85", "\x1c"])
def test_what_only_python_calls_white_space_is_counted(tail):
    assert utf16_units("🔴" + tail) == 3


@pytest.mark.parametrize(
    ("changed", "name", "section"),
    [
        ({}, "observation_chars", 14_000),
        ({"per_file_cap": 12_000}, "per-file cap", 11_000),
        ({"other_files": 50_000}, "total cap", 9_000),
        ({"is_dreaming": True}, "dreaming cap", 7_500),
        ({"is_dreaming": True, "observation_chars": 5_000}, "observation_chars", 5_000),
    ],
)
def test_rule_2_the_tightest_bound_decides(changed, name, section):
    budget = _room(**changed)

    assert (name, section, section - 70) == (budget.binding.name, budget.section_units, budget.body_units)


def test_rule_2_below_one_line_no_body_is_allowed_and_the_reason_says_why():
    budget = _room(per_file_cap=1_000 + 70 + LEAST_BODY_UNITS - 1)

    assert budget.body_units == 0
    assert "per-file cap 1309 - rest of MEMORY.md 1000 = 309" in budget.reason


def test_rule_2_just_enough_for_one_line_is_allowed():
    assert _room(per_file_cap=1_000 + 70 + LEAST_BODY_UNITS).body_units == LEAST_BODY_UNITS


def test_the_arithmetic_names_every_term_and_the_one_that_decides():
    lines = _room(is_dreaming=True).arithmetic()

    assert lines == (
        "observation_chars 14000",
        "per-file cap 20000 - rest of MEMORY.md 1000 = 19000",
        "total cap 60000 - other bootstrap files 9000 - rest of MEMORY.md 1000 = 50000",
        "dreaming cap 10000 - left to dreaming 1500 - rest of MEMORY.md 1000 = 7500 (decides)",
        "body: 7500 - heading and markers 70 = 7430",
    )


@pytest.mark.parametrize(
    ("chars", "name", "section"), [(14_000, "cap of MEMORY.md", 7_500), (5_000, "observation_chars", 5_000)]
)
def test_in_a_home_no_limit_of_a_host_is_named(chars, name, section):
    budget = allowance_in_home(observation_chars=chars, rest=1_000, frame=70)

    assert (name, section, section - 70) == (budget.binding.name, budget.section_units, budget.body_units)
    assert "dreaming" not in " ".join(budget.arithmetic())
