"""Lines sorted by what they are about: what belongs together is read together, in whatever order it comes."""

import random

from tests.core.plans_by_hand import notebook, said

from scrimshaw.core.consolidation.subjects import MOST_LINES, subjects
from scrimshaw.core.types import Claim, Line


def _ids(lines: list[Line]) -> list[list[str]]:
    return [[line.observation.id for line in group] for group in subjects(lines)]


FAMILY = {
    "joris": [
        "Joris is allergic to hazelnuts",
        "The EpiPen of Joris is in the blue bag",
        "Joris swims on Tuesdays",
    ],
    "garden": [
        "Planted leeks behind the greenhouse",
        "The greenhouse needs a new pane",
        "Ordered the pane for the greenhouse",
    ],
    "choir": ["Choir moved from Tuesday to Thursday", "Sings alto in the choir"],
}


def test_what_shares_a_name_or_a_thing_stands_together_the_oldest_first():
    lines = [
        said(text, id=f"{subject}{number}", days=number, minutes=place)
        for place, (subject, texts) in enumerate(FAMILY.items())
        for number, text in enumerate(texts)
    ]

    found = _ids(lines)

    assert sorted(found) == [
        ["choir0", "choir1"],
        ["garden0", "garden1", "garden2"],
        ["joris0", "joris1", "joris2"],
    ]


def test_lines_of_another_language_are_sorted_as_well():
    lines = [
        said("Meine Tochter Mira spielt Geige", id="a"),
        said("Miras Geige ist beim Geigenbauer", id="b", days=1),
        said("Die Heizung wird am Montag gewartet", id="c", days=2),
        said("Für Mira eine neue Geige mieten", id="d", days=3),
    ]

    assert ["a", "b", "d"] in _ids(lines)


def test_a_claim_about_the_same_thing_brings_lines_together():
    rent = Claim("rent", "is", "850")
    lines = [
        said("It is 850 euros a month", id="a", claim=rent),
        said("Bakes rye bread", id="b", days=1),
        said("It went up to 910", id="c", days=2, claim=rent._replace(object="910")),
    ]

    assert ["a", "c"] in _ids(lines)


def test_each_line_is_in_one_subject_and_none_is_too_large_to_be_read_at_once():
    lines = [
        *notebook(),
        *(said(f"The ferry number {n} to Ithaca", id=f"f{n}", minutes=n) for n in range(50)),
    ]

    found = _ids(lines)

    assert sorted(id_ for group in found for id_ in group) == sorted(line.observation.id for line in lines)
    assert max(map(len, found)) <= MOST_LINES


def test_the_order_in_which_lines_come_says_nothing():
    lines = notebook()
    mixed = list(lines)
    random.Random(7).shuffle(mixed)

    assert _ids(lines) == _ids(mixed)


def test_no_lines_have_no_subjects():
    assert subjects([]) == ()
