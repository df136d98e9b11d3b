"""The labelled conversations that what is worth remembering is learned from: files as the sheet says."""

from pathlib import Path

import pytest
from training.labels import TEXT, Conversation, Held, agreement, held_of, main, read, read_all

_GOOD = """@ c01 en 2026-03-04 health
U
4fsm | It's a torn meniscus.
2fsm <1 | The left one.
A
Shall I cancel Friday's run?
U
3dlm <A | Yes, cancel it.

@ c02 en 2026-05-01 health +c01 between Ana
V
|| Dear Ana, the knee is fine.
4olm =c01.1 +c01.3 | My knee's all right again.
"""


def _written(folder: Path, text: str) -> tuple[Conversation, ...]:
    file = folder / "some.txt"
    file.write_text(text, encoding="utf-8")
    return read(file)


def test_a_conversation_is_read_with_its_labels_and_what_they_refer_to(tmp_path: Path) -> None:
    first, second = _written(tmp_path, _GOOD)

    assert [turn.speaker for turn in first.turns] == ["U", "A", "U"]
    assert [(said.worth, said.kind, said.place, said.whose, said.needs) for said in first.statements] == [
        (4, "fact", "standing", "own", ()),
        (2, "fact", "standing", "own", ("1",)),
        (3, "decision", "log", "own", ("A",)),
    ]
    assert (second.after, second.other) == (("c01",), "Ana")
    assert (second.statements[0].replaces, second.statements[0].completes) == (("c01.1",), ("c01.3",))
    assert second.turns[0].unlabelled == ("Dear Ana, the knee is fine.",)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("4fsm |", "6fsm |"),
        ("4fsm |", "1fsm |"),
        ("2fsm <1", "2fsm <2"),
        ("=c01.1", "=c01.4"),
        ("+c01 between", "+c09 between"),
        ("@ c02", "@ c01"),
        ("health +c01", "weather +c01"),
        ("2026-03-04", "2026-13-04"),
        ("U\n4fsm", "4fsm"),
    ],
)
def test_what_is_not_as_the_sheet_says_is_told_with_its_place(tmp_path: Path, good: str, bad: str) -> None:
    with pytest.raises(ValueError, match=r"some\.txt"):
        _written(tmp_path, _GOOD.replace(good, bad, 1))


def test_every_file_is_as_the_sheet_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(TEXT.glob("*.txt"))

    assert main([]) == 0, capsys.readouterr().out


def test_agreement_is_told_of_the_statements_that_were_labelled_twice(tmp_path: Path) -> None:
    first = {"some": _written(tmp_path, _GOOD)}
    second = tmp_path / "second"
    second.mkdir()
    again = _GOOD.replace("@ c01", "@ some.c01").replace("2fsm <1", "3fsm").split("\n@ c02")[0]
    (second / "a.txt").write_text(again, encoding="utf-8")

    told = {name: (many, same) for name, many, same, _ in agreement(first, second)}

    assert told["worth"] == (3, pytest.approx(2 / 3))
    assert told["place"] == (3, 1.0)


def test_how_long_statements_hold_is_told_of_statements_that_there_are() -> None:
    held = held_of()
    every = {
        f"{name}.{one.id}.{number}": said
        for name, found in read_all().items()
        for one in found
        for number, said in enumerate(one.statements, 1)
    }

    assert not held.keys() - every.keys()
    assert min(every[key].worth for key in held) > 1


def test_a_label_of_how_long_it_holds_is_read(tmp_path: Path) -> None:
    path = tmp_path / "holds.tsv"
    path.write_text("en-a1.c01.1\tL\nen-a1.c01.2\tS?\n", encoding="utf-8")

    assert held_of(path) == {"en-a1.c01.1": Held(True, False), "en-a1.c01.2": Held(False, True)}
    assert held_of(tmp_path / "none.tsv") == {}
