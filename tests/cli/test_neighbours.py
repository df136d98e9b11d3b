"""Others who write MEMORY.md: the host's dreaming, the agent through `exec`, a hand that annotates lines.

What dreaming does to the file is played here letter for letter, as it stands in 2026.9.6 (memory-core:
short-term-promotion-apply, consolidation, memory-budget); tests/host plays it with the host itself.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.places import Answer, Place
from tests.support.prepared import Prepared

from scrimshaw.core.section.budget import utf16_units
from scrimshaw.core.types import Closed, EventType, Line

_MARKER = re.compile(r"<!--\s*openclaw-memory-promotion:[^\n]+-->")
_LINEAGE = re.compile(r"<!--\s*openclaw-memory-lineage:[^\n]+-->")


def _begun(place: Place, newline: str) -> None:
    place.memory.write_bytes(f"# Memory{newline}{newline}- mine{newline}".encode())
    _decide(place, range(6))
    assert place.run("observe", "--yes").code == 0


@pytest.fixture(params=["\n", "\r\n"])
def place(request: pytest.FixtureRequest, prepared: Prepared) -> Place:
    return prepared(_begun, "sqlite", request.param)


def _decide(place: Place, numbers: range) -> None:
    place.say(
        *[(f"We decided that unit-{n}x runs release {n}.4.1 in production.", "Noted.") for n in numbers]
    )


def _text(place: Place) -> str:
    return place.memory.read_bytes().decode()


def _write(place: Place, text: str) -> None:
    place.memory.write_bytes(text.encode())


def promoted(text: str, *snippets: str, day: str = "2026-11-21") -> str:
    """Return *text* as a promotion leaves it: appended, everything before it as it was."""
    rows = ["", f"## Promoted From Short-Term Memory ({day})", ""]
    for number, snippet in enumerate(snippets):
        rows.append(f"<!-- openclaw-memory-promotion:memory/{day}.md:{number} -->")
        source = f"source=memory/{day}.md:{number}-{number}"
        rows.append(
            f"- {snippet} [score=0.912 signals=5 recalls=5 avg=0.9 {source}] <!-- trigger: {snippet[:9]} -->"
        )
    rows.append("")
    return (text if text.endswith("\n") else text + "\n") + "\n".join(rows)


def consolidated(text: str, result: str, *prior: str, day: str = "2026-11-21") -> str:
    """Return *text* as a consolidation leaves it: *prior* lines gone, one new section at the end.

    A promotion's or lineage's comment right above a line goes with it; every CRLF becomes LF.
    """
    rows = text.replace("\r\n", "\n").split("\n")
    for entry in prior:
        at = next(number for number, row in enumerate(rows) if row.strip() == entry)
        start = at
        if start and _MARKER.fullmatch(rows[start - 1].strip()):
            start -= 1
        if start and _LINEAGE.fullmatch(rows[start - 1].strip()):
            start -= 1
        del rows[start : at + 1]
    added = ["", f"## Consolidated Memory ({day})", "", f"<!-- openclaw-memory-promotion:{day} -->", result]
    return "\n".join(rows).rstrip() + "\n".join(added) + "\n"


def _rows(place: Place) -> list[str]:
    """Return our lines as they stand in the section."""
    return [row.strip() for row in place.section().splitlines() if row.startswith("- ")]


def _lines(place: Place) -> dict[str, Line]:
    with place.ledger(read_only=True) as it:
        return {line.observation.text: line for line in it.all_lines()}


def _observe(place: Place, *words: str) -> Answer:
    for word in words:
        place.say((word, "Noted."))
    answer = place.run("observe")
    assert answer.code == 0, answer
    return answer


# -- dreaming ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["promoted", "consolidated"])
def test_what_dreaming_appends_stays_to_the_byte_and_so_does_our_section(place: Place, how: str) -> None:
    before = _text(place)
    by_host = (
        promoted(before, "Keeps bees", "Reads at night")
        if how == "promoted"
        else consolidated(before, "- Keeps bees")
    )
    _write(place, by_host)
    ours = place.section()

    _observe(place)
    assert _text(place) == by_host
    _observe(place, "We decided on Frankfurt as the second region.")

    after = _text(place)
    tail = by_host.partition("scrimshaw:end -->")[2]
    assert after.endswith(tail)
    assert after.partition("## Observations")[0] == by_host.partition("## Observations")[0]
    assert "Frankfurt" in place.section()
    assert [row for row in ours.splitlines() if row not in after] == []


def test_dreaming_drops_its_own_old_sections_around_ours(place: Place) -> None:
    with_two = promoted(promoted(_text(place), "Old one", day="2026-10-01"), "New one")
    _write(place, with_two)
    _observe(place)
    at = with_two.index("\n## Promoted From Short-Term Memory (2026-10-01)")
    dropped = with_two[:at] + with_two[with_two.index("\n## Promoted From Short-Term Memory (2026-11-21)") :]
    _write(place, dropped)

    _observe(place)

    assert _text(place) == dropped


def test_a_line_that_dreaming_deletes_is_taken_as_deleted_and_not_fought_over(place: Place) -> None:
    gone = next(row for row in _rows(place) if "unit-2x" in row)
    _write(place, consolidated(_text(place), "- unit-2x runs release 2.4.1", gone))

    _observe(place)
    _observe(place, "We decided on Frankfurt as the second region.")

    line = next(line for text, line in _lines(place).items() if "unit-2x" in text)
    assert line.standing.closed is Closed.DELETED
    assert gone not in _rows(place)
    assert "- unit-2x runs release 2.4.1" in _text(place)
    with place.ledger(read_only=True) as it:
        happened = [stored.event.type for stored in it.events_of(line.observation.id)]
    assert happened.count(EventType.DELETED) == 1


def test_the_deleted_line_is_in_the_dated_file_and_marked_there(place: Place) -> None:
    gone = next(row for row in _rows(place) if "unit-2x" in row)
    _write(place, consolidated(_text(place), "- x", gone))

    _observe(place)

    (marked,) = [row for row in place.dated().splitlines() if "unit-2x" in row]
    assert "(removed 2026-11-20)" in marked
    assert "release 2.4.1" in marked


def test_one_deletion_a_night_is_never_counted_together_with_the_nights_before(place: Place) -> None:
    for number in range(5):
        gone = next(row for row in _rows(place) if f"unit-{number}x" in row)
        _write(place, consolidated(_text(place), f"- result {number}", gone, day=f"2026-11-2{number}"))
        _observe(place)

    assert len(_rows(place)) == 1
    assert len([line for line in _lines(place).values() if line.standing.closed is Closed.DELETED]) == 5


def test_deletions_in_a_file_left_alone_are_not_counted_together_either(place: Place) -> None:
    place.record("agent")
    _observe(place)
    for number in range(4):
        gone = next(row for row in _rows(place) if f"unit-{number}x" in row)
        _write(place, consolidated(_text(place), f"- result {number}", gone, day=f"2026-11-2{number}"))
        _observe(place)

    aside = (place.workspace / "memory" / "observations" / "MEMORY.md").read_text(encoding="utf-8")
    assert [n for n in range(6) if f"unit-{n}x" in aside] == [4, 5]


def test_a_full_section_leaves_room_for_a_nights_promotions(place: Place) -> None:
    _decide(place, range(6, 160))

    _observe(place)

    text = _text(place)
    assert "more in memory/observations" in text or len(_rows(place)) < 160
    assert utf16_units(text) + 1_500 <= 10_000
    _write(place, promoted(text, "w" * 1_200))
    _observe(place, "We decided on Frankfurt as the second region.")
    assert utf16_units(_text(place)) + 1_500 <= 10_000
    assert "w" * 1_200 in _text(place)


# -- comments and annotations --------------------------------------------------------------------------------


@pytest.mark.parametrize("comment", ["<!-- trigger: unit, release -->", "<!-- importance: 8 -->"])
@pytest.mark.parametrize("form", ["{row} {comment}", "{row}{newline}{comment}"])
def test_an_annotated_line_stays_the_line_it_is(place: Place, comment: str, form: str) -> None:
    newline = "\r\n" if "\r\n" in _text(place) else "\n"
    row = next(row for row in _rows(place) if "unit-2x" in row)
    _write(place, _text(place).replace(row, form.format(row=row, comment=comment, newline=newline)))
    sources = next(line for text, line in _lines(place).items() if "unit-2x" in text).observation.sources

    _observe(place)
    _observe(place, "We decided that unit-2x runs release 2.4.1 in production.")

    assert _text(place).count(comment) == 1
    assert _text(place).count("unit-2x") == 1
    live = [line for text, line in _lines(place).items() if "unit-2x" in text and line.standing.is_live]
    assert [line.observation.sources for line in live] == [sources]


@pytest.mark.parametrize("number", [0, 3])
def test_a_comment_put_above_a_line_costs_no_line(place: Place, number: int) -> None:
    rows = _rows(place)
    newline = "\r\n" if "\r\n" in _text(place) else "\n"
    comment = "<!-- openclaw-memory-promotion:memory/2026-11-20.md:1 -->"
    _write(place, _text(place).replace(rows[number], f"{comment}{newline}{rows[number]}"))

    _observe(place)
    _observe(place, "We decided on Frankfurt as the second region.")

    assert _text(place).count(comment) == 1
    assert [_text(place).count(f"unit-{n}x") for n in range(6)] == [1] * 6
    assert not [line for line in _lines(place).values() if line.standing.closed is Closed.DELETED]


# -- the agent itself ----------------------------------------------------------------------------------------


def test_what_the_agent_writes_outside_the_section_is_untouched(place: Place) -> None:
    text = "top\n" + _text(place) + "\n## Agent's own\n\n- [ ] look at `x`\n<!-- scratch -->\n"
    _write(place, text)

    _observe(place, "We decided on Frankfurt as the second region.")

    before, after = text.split("<!-- scrimshaw:begin -->")[0], text.split("<!-- scrimshaw:end -->")[1]
    assert _text(place).startswith(before)
    assert _text(place).endswith(after)


# -- a section that was there before -------------------------------------------------------------------------

BY_ANOTHER_TOOL = """# Memory

## Observations

Date: Dec 4, 2025
* 🔴 (14:30) User prefers direct answers
* 🔴 (14:31) Working on feature X
  * -> ran tests
    * -> 3 failed

Date: Dec 5, 2025
- 🟢 minor thing

| table | cell |
|-------|------|
| a     | b    |

```python
def f():
    return 1
```

### Mine
text under mine

## After

after text

## Observations
- in the second of that name
"""


def test_a_section_of_another_tool_is_adopted_whole_and_only_with_consent(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    _write(place, BY_ANOTHER_TOOL)
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))

    asked = place.run("observe")
    unasked = _text(place)
    answer = place.run("observe", "--yes")

    assert (asked.code, answer.code) == (1, 0)
    assert unasked == BY_ANOTHER_TOOL
    rows = [row.strip().removeprefix("* ") for row in BY_ANOTHER_TOOL.splitlines()]
    assert [row for row in rows if row not in _text(place)] == []
    at = [_text(place).index(row) for row in ("Date: Dec 4", "(14:30)", "(14:31)", "Date: Dec 5", "minor")]
    assert at == sorted(at)
    before, after = BY_ANOTHER_TOOL.split("\nDate: Dec 4")[0], BY_ANOTHER_TOOL.split("text under mine\n")[1]
    assert _text(place).startswith(before)
    assert _text(place).endswith(after)
    assert all(row in place.dated() for row in ("User prefers direct answers", "-> 3 failed", "minor thing"))
    assert "Postgres 17.2" in place.section()


@pytest.mark.parametrize(
    "own",
    [
        "| who | what |\n|---|---|\n| Ada | cat |",
        "```python\ndef f():\n    return 1\n```",
        "    indented twice\n\tand by a tab",
        "- one\n  - two, below it\n\n  and a paragraph",
        "Just a sentence.  \nAnd one below it.",
        "* other\n+ marks\n1. and numbers",
        "### People\n- Ada is the cat",
        "<details>\n<summary>x</summary>\ny\n</details>",
    ],
)
@pytest.mark.parametrize("behind", ["", "\n", "\n\n## After\ntext\n"])
def test_what_is_more_than_a_list_under_the_owners_heading_stays_to_the_byte(
    tmp_path: Path, own: str, behind: str
) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    before = f"# Memory\n\n## Observations\n\n{own}"
    _write(place, before + behind)
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))

    answer = place.run("observe", "--yes", "--now")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    place.run("observe", "--now")

    assert "stays as it is" in answer.out
    assert "below your own text" in place.run("status").out
    head, _, rest = _text(place).partition("<!-- scrimshaw:begin -->")
    tail = rest.partition("<!-- scrimshaw:end -->")[2]
    assert (head, tail) == (f"{before}\n", behind)
    assert "Frankfurt" in place.section()
    assert own.splitlines()[-1].strip(" -`") not in place.section().replace("\n", " ") or own.endswith("`")
    _write(place, before + behind)  # the section taken out, what was there left
    assert "stays removed" in place.run("observe", "--now").out
    assert _text(place) == before + behind


def test_a_fence_that_is_never_closed_under_the_owners_heading_stops_the_write(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    _write(place, "## Observations\n```\n- in it\n")
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))

    answer = place.run("observe", "--yes", "--now")

    assert answer.code == 4
    assert "line 2: a code fence" in answer.out
    assert _text(place) == "## Observations\n```\n- in it\n"


def test_two_hundred_adopted_lines_over_the_budget_are_all_kept(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    _write(
        place,
        "## Observations\n" + "".join(f"- note {n} of the {n * 7}th thing {'x' * 60}\n" for n in range(200)),
    )

    place.run("observe", "--yes")

    text = place.dated()
    assert [n for n in range(200) if f"note {n} of" not in text] == []
    assert "more in memory/observations" in place.section()
    assert utf16_units(_text(place)) + 1_500 <= 10_000
