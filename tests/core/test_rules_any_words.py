"""Any row of words is read: a message that ended the rules would end every run from there on."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from tests.core.exchanges_by_hand import texts_of

from scrimshaw import data

_SMALL = re.findall(
    r"\S+",
    """can you could would please don't not never always remember that forget i i'm my me we our the a is was
    to at on in no longer anymore instead of from now it's one done paid cancelled yes oh and but so if when
    tomorrow monday 3 5pm 12/3 remind tell give call use keep stop actually wait sorry wrong Ana allergic
    moved replaced""",
)
_MARKS = re.findall(r"\S+", """? . , ; : … — - " “ ( ) ？ 。 → ' * ** #""")
_TABLES = ("personal", "requests", "fillers", "cues", "changes", "corrections", "reports", "memory_orders")


def _words() -> list[str]:
    texts = (Path(data.__file__).with_name(f"{name}.txt").read_text("utf-8") for name in _TABLES)
    return sorted({word for text in texts for word in re.findall(r"[^\W\d_]{1,14}", text)})


@pytest.mark.parametrize(
    "said", ["Can you?", "Could you please?", "Call …", "Use “ always", "No *, please", "Don't … me"]
)
def test_an_order_without_its_words_is_read(said: str) -> None:
    told = texts_of(("user", said), ("user", "My rent is 850 euros."), ("assistant", "Yes?"))

    assert "My rent is 850 euros." in told


@pytest.mark.parametrize("seed", range(120))
def test_words_by_lot_are_read(seed: int) -> None:
    chance, words = random.Random(seed), _words()
    said = [
        " ".join(
            chance.choice(chance.choices((_SMALL, words, _MARKS), (60, 25, 15))[0])
            for _ in range(chance.randint(1, 9))
        )
        + chance.choice(("", "?", ".", "!"))
        for _ in range(16)
    ]

    texts_of(*(("assistant" if at % 4 == 3 else "user", text) for at, text in enumerate(said)))
