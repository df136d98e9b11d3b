"""A model's lines read once more: what it refuses and keeps, and that it never holds anything up."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import build_fake_secret
from tests.fake_model import Said, in_turn
from tests.models_flow.talking import (
    MODEL,
    MOMENT,
    answered,
    authors,
    by_author,
    decided,
    ledger_of,
    notes_in,
    observed,
    placed,
    uncovered,
)

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.prompting.observe_reply import SECOND_READING
from scrimshaw.core.types import Author
from scrimshaw.models.model import Answer, Failure, Trouble, Usage

_SAID = "Leave the rye order with Millrace as it is, their rye has always been fine."
_TURNED = "User wants the rye order with Millrace stopped"
_DOUBTED = "Don't upgrade pandas past 2.1 in etl-core, 2.2 breaks the groupby in settle.py."
_PINNED = "Pin pandas to 2.1 in etl-core: 2.2 breaks the groupby in settle.py"


def _noting(text: str, source: int = 1) -> str:
    line = {"text": text, "kind": "decision", "priority": 4, "sources": [source]}
    return json.dumps(line) + '\n{"done": 1}'


def _with_more(reply: str) -> str:
    """Return *reply* with a line that holds, of the third entry."""
    more = _noting("We decided that unit-1x runs release 1.4.1 in production.", 3)
    return reply.partition("\n")[0] + "\n" + more.replace('"done": 1', '"done": 2')


def _refusing(*numbers: int) -> Said:
    def said(prompt: Prompt) -> str:
        notes = range(1, notes_in(prompt.text) + 1)
        lines = [json.dumps({"not": number, "why": "it stays"}) for number in numbers]
        return "\n".join([*lines, json.dumps({"holds": [one for one in notes if one not in numbers]})])

    return said


def test_a_line_that_was_turned_is_refused_and_the_words_said_stand_in(tmp_path: Path) -> None:
    place = placed(tmp_path, (_SAID, "Noted."), *decided(1), second_reading="all")

    report = observed(place, in_turn([_with_more(_noting(_TURNED)), _refusing(1)]))

    found = authors(place)
    assert sorted(found.values()) == [Author.MODEL, Author.RULES]
    assert [text for text, who in found.items() if who is Author.RULES] == [_SAID]
    assert report.observed.stood_in == 1
    with ledger_of(place) as ledger:
        (refused,) = ledger.rejections(10)
    assert refused.rejected.reason == SECOND_READING
    assert refused.rejected.detail.endswith(": it stays")


@pytest.mark.parametrize("turned", [_TURNED, _PINNED])
def test_a_reply_of_which_a_reading_leaves_nothing_is_asked_for_again_and_covers_nothing(
    turned: str, tmp_path: Path
) -> None:
    place = placed(tmp_path, (_SAID, "Noted."), (_DOUBTED, "Ok."), *decided(1), second_reading="all")
    answer = _noting(turned, 1 if turned == _TURNED else 3)
    model = in_turn([answer, _refusing(1), answer, _refusing(1)])

    report = observed(place, model)

    assert len(model.prompts) == 4
    assert set(authors(place).values()) == {Author.RULES}
    assert len(authors(place)) == 3
    assert report.observed.noted_by == {"rules": 1}


@pytest.mark.parametrize(
    ("extent", "replies"),
    [("off", [_noting(_PINNED)]), ("all", [_noting(_PINNED), "no answer that counts"])],
)
@pytest.mark.parametrize("review", ["rejected", "off"])
def test_a_line_in_other_words_that_nobody_has_read_again_waits_and_the_words_said_stand_in(
    extent: str, replies: list[str], review: str, tmp_path: Path
) -> None:
    place = placed(tmp_path, (_DOUBTED, "Noted."), second_reading=extent, review=review)

    report = observed(place, in_turn(replies))

    assert authors(place) == {_DOUBTED: Author.RULES}
    assert (report.observed.pending, report.observed.rejected) == (1, {})
    assert report.observed.noted_by == {MODEL: 1}  # the answer was good, and is not asked for again
    with ledger_of(place) as ledger:
        (waiting,) = ledger.rejections(10)
    assert (waiting.rejected.reason, waiting.rejected.proposal.text) == ("unread", _PINNED)
    assert place.run("review", "--accept", str(waiting.number)).code == 0
    assert authors(place)[_PINNED] is Author.MODEL


def test_a_line_in_the_words_that_were_said_needs_no_reading(tmp_path: Path) -> None:
    place = placed(tmp_path, (_SAID, "Noted."), second_reading="off")

    report = observed(place, in_turn([_noting(_SAID)]))

    assert authors(place) == {_SAID: Author.MODEL}
    assert report.observed.pending == 0


def test_with_review_all_a_line_that_nobody_has_read_again_waits_like_any_other(tmp_path: Path) -> None:
    place = placed(tmp_path, (_DOUBTED, "Noted."), second_reading="off", review="all")

    report = observed(place, in_turn([_noting(_PINNED)]))

    assert not authors(place)
    with ledger_of(place) as ledger:
        waiting = {one.rejected.proposal.text: one.rejected.reason for one in ledger.rejections(10)}
    assert waiting[_PINNED] == "pending"
    assert set(waiting.values()) == {"pending"}
    assert report.observed.pending == len(waiting)


def test_what_was_wrong_is_told_without_the_models_own_reason(tmp_path: Path) -> None:
    place = placed(tmp_path, (_SAID, "Noted."), second_reading="all")
    model = in_turn([_noting(_TURNED), _refusing(1), '{"done": 0}'])

    observed(place, model)

    assert "its entries do not say it" in model.prompts[2].text
    assert "it stays" not in model.prompts[2].text


def test_with_defer_what_a_reading_leaves_nothing_of_waits(tmp_path: Path) -> None:
    place = placed(tmp_path, (_SAID, "Noted."), second_reading="all", after_bad_reply="defer")

    observed(place, in_turn([_noting(_TURNED), _refusing(1), _noting(_TURNED), _refusing(1)]))

    assert not authors(place)
    assert uncovered(place)


@pytest.mark.parametrize("extent", ["all", "doubtful"])
def test_a_right_line_that_a_rule_doubts_is_kept(extent: str, tmp_path: Path) -> None:
    place = placed(tmp_path, (_DOUBTED, "Noted."), second_reading=extent)

    observed(place, in_turn([_noting(_PINNED), _refusing()]))

    assert authors(place) == {_PINNED: Author.MODEL}


def test_what_is_asked_again_is_only_what_was_noted_and_its_entries(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2), second_reading="all")
    model = in_turn([answered, _refusing()])

    report = observed(place, model)

    assert len(model.prompts) == 2
    assert notes_in(model.prompts[1].text) == 2
    assert by_author(place) == {Author.MODEL: 2}
    assert report.observed.used is not None
    assert report.observed.used.calls == 2
    with ledger_of(place) as ledger:
        run = ledger.last_run("observe")
    assert run is not None
    assert run.prompt


def test_nothing_is_sent_again_that_was_not_sent_before(tmp_path: Path) -> None:
    secret = build_fake_secret("github-token")
    place = placed(tmp_path, second_reading="all", private_patterns=["falcon-\\d+"])
    place.say(
        (f"The key is {secret}, <private>my diagnosis</private>, and falcon-77 is ours.", "Ok."), *decided(1)
    )
    model = in_turn([answered, _refusing()])

    observed(place, model)

    first, second = (prompt.text for prompt in model.prompts)
    for hidden in (secret, "diagnosis", "falcon-77"):
        assert hidden not in second
    entries = second.partition("=== entries")[2].partition("=== end of entries")[0].splitlines()[1:]
    assert [line for line in entries if line not in first] == []


def test_the_question_that_follows_is_announced_where_requests_are_shown(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), second_reading="all")

    told = place.run("observe", "--show-request").out
    (as_object,) = place.run("observe", "--show-request", "--json").object["workspaces"]

    assert as_object["second_reading"] == "all"
    assert "a second question (second_reading): the notes, with what they rest on" in " ".join(told.split())


def test_a_run_is_known_by_both_prompts_it_was_told(tmp_path: Path) -> None:
    prompts = set()
    for extent in ("off", "all"):
        place = placed(tmp_path / extent, *decided(1), second_reading=extent)
        observed(place, in_turn([answered, _refusing()]))
        with ledger_of(place) as ledger:
            run = ledger.last_run("observe")
        assert run is not None
        prompts.add(run.prompt)

    assert len(prompts) == 2


def test_doubtful_alone_asks_nothing_of_lines_that_pass(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), second_reading="doubtful")
    model = in_turn([answered])

    observed(place, model)

    assert len(model.prompts) == 1
    assert by_author(place) == {Author.MODEL: 1}


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "They hold.",
        '{"holds": [1, 2, 3, 4]}',
        Answer('{"holds": [1, 2]}', Usage(9, 9), MODEL, is_cut=True),
        Failure(Trouble.SERVER, "The server has no time.", 600.0),
        Failure(Trouble.CAP, "The cap of the day is reached.", 3600.0),
        Failure(Trouble.KEY, "The key was refused."),
    ],
)
def test_without_a_usable_answer_the_gates_own_verdict_stands(answer: Said, tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2), second_reading="all")

    report = observed(place, in_turn([answered, answer]))

    assert by_author(place) == {Author.MODEL: 2}
    assert report.observed.noted_by == {MODEL: 1}
    assert not report.observed.deferred
    assert not uncovered(place)


def test_a_stop_meanwhile_loses_no_answer_that_was_paid_for(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), second_reading="all")

    observed(place, in_turn([answered, Failure(Trouble.STOPPED, "asked to stop")]))

    assert by_author(place) == {Author.MODEL: 1}
    assert not uncovered(place)


@pytest.mark.parametrize("trouble", [Trouble.SERVER, Trouble.REQUEST, Trouble.TIMEOUT])
def test_that_it_failed_is_nothing_against_the_model(trouble: Trouble, tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), second_reading="all")
    model = in_turn([answered, Failure(trouble, "no"), answered, _refusing()])
    report = observed(place, model)
    place.say(*decided(2))

    observed(place, model, MOMENT + timedelta(minutes=5), waits=False)

    assert report.observed.unread == 1
    assert len(model.prompts) == 4
    assert by_author(place) == {Author.MODEL: 2}


def test_a_private_tag_in_a_note_does_not_end_the_reading(tmp_path: Path) -> None:
    place = placed(tmp_path, (_SAID, "Noted."), *decided(1), second_reading="all")
    tagged = {"text": "We decided on <private> unit-1x", "kind": "fact", "priority": 3, "sources": [3]}
    answer = _with_more(_noting(_TURNED)).replace('{"done": 2}', json.dumps(tagged) + '\n{"done": 3}')

    observed(place, in_turn([answer, _refusing(1)]))

    assert _TURNED not in authors(place)


def test_of_a_long_window_nothing_is_sent_again_that_was_cut_out_before(tmp_path: Path) -> None:
    words = iter(f"word{number}x" for number in range(20_000))
    log = [" ".join(next(words) for _ in range(900)) for _ in range(10)]
    said = [(f"{said} {log[2 * n]}", log[2 * n + 1]) for n, (said, _) in enumerate(decided(1, 2, 3, 4, 5))]
    place = placed(tmp_path, *said, second_reading="all", window_tokens=20_000)
    line = _noting("We decided that unit-1x runs release 1.4.1 in production.")
    model = in_turn([line, _refusing(), *[line, _refusing()] * 4])

    observed(place, model)

    first, second = (frozenset(re.findall(r"word\d+x", prompt.text)) for prompt in model.prompts[:2])
    assert "left out" in model.prompts[0].text
    assert notes_in(model.prompts[1].text)
    assert second
    assert second <= first


def test_a_model_that_vouches_for_its_inventions_is_not_believed(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), second_reading="all")
    invented = answered_with_more(
        '{"text": "We decided that unit-1x runs release 9.9.9.", "kind": "decision", '
    )

    observed(place, in_turn([invented, _refusing()]))

    assert "9.9.9" not in "".join(authors(place))


def answered_with_more(line: str) -> Said:
    return lambda prompt: (
        f'{line}"priority": 5, "sources": [1]}}\n' + answered(prompt).rpartition("\n")[0] + '\n{"done": 2}'
    )
