"""The table of named cases: each test that it names is there."""

import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`(tests/[\w/.]+\.py)::(\w+)`")


def _missing(text: str) -> list[str]:
    """Return the tests that *text* names and that nobody has written."""
    found = []
    for place, name in _NAMED.findall(text):
        path = _ROOT / place
        if not path.is_file() or not re.search(rf"^def {name}\(", path.read_text(), re.MULTILINE):
            found.append(f"{place}::{name}")
    return found


def test_every_test_that_the_table_names_is_there():
    text = (_ROOT / "docs" / "cases.md").read_text()

    assert len(_NAMED.findall(text)) >= 20
    assert all(row.count("`") == 2 for row in text.splitlines() if "::" in row and row.startswith("|"))
    assert _missing(text) == []


def test_a_test_that_is_not_there_is_noticed():
    text = "`tests/docs/test_cases.py::test_nothing` `tests/no.py::test_a`"

    assert _missing(text) == ["tests/docs/test_cases.py::test_nothing", "tests/no.py::test_a"]
