"""A model that abuses what it is shown: no window may empty the memory."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fake_model import always
from tests.models_flow.talking import MOMENT, answered, authors, decided, ledger_of, observed, placed

from scrimshaw.core.dialogue.prompt import Prompt


@pytest.mark.parametrize("field", ["replaces", "completes"])
def test_a_model_that_closes_every_line_it_is_shown_closes_none_that_nobody_spoke_of(
    tmp_path: Path, field: str
) -> None:
    place = placed(tmp_path, *decided(1, 2, 3, 4, 5, 6))
    observed(place, always(answered))
    before = set(authors(place))
    place.say(("The lunch soup was cold and the ferry was late.", "A pity."))

    def closing(prompt: Prompt) -> str:
        shown = re.findall(r"^(o\d+) ", prompt.text, re.MULTILINE)
        texts = ("The lunch soup was cold", "The ferry was late")
        lines = [
            json.dumps({"text": text, "kind": "fact", "sources": [1], field: shown[n::2]})
            for n, text in enumerate(texts)
        ]
        return "\n".join([*lines, '{"done": 2}'])

    observed(place, always(closing), now=MOMENT + timedelta(hours=1))

    with ledger_of(place) as ledger:
        live = {line.observation.text for line in ledger.live_lines()}
    assert (before - live, len(live - before)) == (set(), 2)
