"""A section that a hand or another tool has made is adopted without loss (issue: workspaces that move in).

Whatever stands under `## Observations`: each line with a word in it is afterwards a line of the ledger, in
its order, and nothing around it changes. The section shows as much as fits, and says how much does not.
"""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from scrimshaw.core.ledger.lifecycle import at_birth
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.diff import adopt
from scrimshaw.core.section.edits import Moment, from_import
from scrimshaw.core.section.markers import Unmarked, parse, put
from scrimshaw.core.section.render import read
from scrimshaw.core.section.select import fold
from scrimshaw.core.types import Author, Line, Observation

MOMENT = Moment(1_795_000_000_000, "Europe/Paris")
_FORMS = [
    "- {0}",
    "* 🔴 (14:30) {0}",
    "+ {0}\n  * -> {1}\n    * -> {2}",
    "1. {0}\n2. {1}",
    "Date: Dec 4, 2025\n* 🟡 {0}",
    "**2026-11-20**\n- {0}",
    "2026-11-20\n- 🟢 {0}",
    "### 2026-11-20\n- {0}\n- {1}",
    "### Open\n- {0}",
    "### Log\n2026-11-18\n- ✅ 16:05 {0}",
    "#### {0}\ntext {1}",
    "| {0} | b |\n|---|---|\n| {1} | d |",
    "```\n{0}\n# {1}\n```",
    "    {0} indented",
    "> {0}\n> {1}",
    "{0}\n{1}",
    "- [ ] {0}",
    "{0} <!-- importance: 8 -->",
    "<!-- {0} -->",
    "---\n{0}",
    "<details>\n<summary>{0}</summary>\n{1}\n</details>",
    "- {0} " + "long " * 400,
    "- {0}\n\n  {1}",
]
_words = st.integers(0, 9999).map("w{:04d}q".format)
_blocks = st.builds(
    lambda form, words: form.format(*words), st.sampled_from(_FORMS), st.tuples(_words, _words, _words)
)
_befores = st.sampled_from(
    ["", "# Memory\n\nintro\n\n", "\ufeff# M\n\n", "- a list\n\n", "### Observations\n- x\n\n"]
)
_afters = st.sampled_from(
    [
        "",
        "\n",
        "\n\n## After\n\n- x\n",
        "\n# Top\ntext",
        "\n\n## Observations\n- the second\n",
        "\n\nSet\n---\n",
    ]
)


def _marks(text: str) -> list[str]:
    """Return the words that tell the lines of *text* apart, in their order."""
    return [
        word
        for word in "".join(c if c.isalnum() else " " for c in text).split()
        if word[0] == "w" and word[-1] == "q"
    ]


def _lines_of(found: tuple[Observation, ...]) -> list[Line]:
    by_id = {observation.id: observation for observation in found}
    return [Line(observation, at_birth(observation)) for observation in by_id.values()]


@given(st.lists(_blocks, min_size=1, max_size=12), _befores, _afters, st.sampled_from(["\n", "\r\n"]))
def test_every_line_is_in_the_ledger_and_nothing_around_it_changes(
    blocks: list[str], before: str, after: str, newline: str
) -> None:
    content = "\n".join(blocks)
    text = f"{before}## Observations\n{content}{after}".replace("\n", newline)
    document = parse(text)
    assume(isinstance(document.state, Unmarked))  # blocks may make another heading of it
    assert isinstance(document.state, Unmarked)
    state = document.state

    taken = from_import(adopt(state.content, ()).imported, lambda _: None, MOMENT)

    kept = "\n".join(observation.text for observation in taken.observations)
    assert set(_marks(state.content)) == set(_marks(kept))
    assert {observation.author for observation in taken.observations} <= {Author.PERSON}
    body = fold(_lines_of(taken.observations), 100_000, zone="Europe/Paris").body
    assert set(_marks(state.content)) <= set(_marks(body))
    after_put = put(document, body)
    assert after_put.startswith(text[: state.start])
    assert after_put.endswith(text[state.end :])


@given(st.lists(_blocks, min_size=1, max_size=12))
def test_what_was_adopted_is_read_back_as_the_same_lines(blocks: list[str]) -> None:
    taken = from_import(adopt("\n".join(blocks), ()).imported, lambda _: None, MOMENT)
    made = fold(_lines_of(taken.observations), 100_000, zone="Europe/Paris")

    assert len(read(made.body)) == len(made.shown)


@given(st.lists(_words, min_size=2, max_size=40, unique=True))
def test_plain_lines_keep_their_order(words: list[str]) -> None:
    taken = from_import(adopt("\n".join(f"- {word}" for word in words), ()).imported, lambda _: None, MOMENT)

    body = fold(_lines_of(taken.observations), 100_000, zone="Europe/Paris").body

    assert words == _marks(body)


@given(st.integers(30, 300), st.integers(3_000, 8_000))
def test_a_month_under_one_heading_is_shown_as_far_as_there_is_room(count: int, budget: int) -> None:
    content = "### November\n" + "\n".join(f"- w{n:04d}q " + "x" * 60 for n in range(count))

    taken = from_import(adopt(content, ()).imported, lambda _: None, MOMENT)
    body = fold(_lines_of(taken.observations), budget, zone="Europe/Paris").body

    kept = "\n".join(observation.text for observation in taken.observations)
    assert len(set(_marks(kept))) == count
    is_whole = len(_marks(body)) == count
    assert is_whole or ("more in memory/observations" in body and units(body) >= budget * 0.5)
