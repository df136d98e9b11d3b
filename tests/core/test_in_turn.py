"""What one message tells stands in its order."""

from __future__ import annotations

from dataclasses import replace

from tests.core.exchanges_by_hand import line_of

from scrimshaw.core.ledger.observations import in_turn
from scrimshaw.core.section.select import fold
from scrimshaw.core.types import Line, Standing


def test_lines_of_one_message_stand_in_the_order_in_which_it_tells_them() -> None:
    noted = []
    for text in (
        "My mother moves in with us.",
        "She's called Renate.",
        "She was a baker.",
        "She sings alto.",
    ):
        noted.append(in_turn(line_of(text, id_=text[-3:]), noted))

    lines = [Line(one, Standing(place=one.place, is_shown=True)) for one in reversed(noted)]
    body = fold(lines, 4000, zone="UTC").body

    assert sorted(noted, key=lambda one: body.index(one.text)) == noted


def test_lines_of_another_session_keep_their_moment() -> None:
    one, other = line_of("My mother moves in with us."), line_of("She's called Renate.", id_="other")

    assert in_turn(replace(other, session_id="another"), [one]).said_at_ms == other.said_at_ms
    assert in_turn(other, [one]).said_at_ms == one.said_at_ms + 1
