"""What the doctor says of the working layer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scrimshaw import Memory


def _told(memory: Memory) -> list[tuple[str, str]]:
    groups = memory.doctor().to_dict()["groups"]
    every = [finding for group in groups for finding in group["findings"]]
    return [(one["severity"], one["what"]) for one in every if one["topic"] == "working layer"]


def _files(memory: Memory) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in memory.workspace.glob(".scrimshaw/working*")}


def _overwrite(path: Path) -> None:
    path.write_bytes(b"no database" * 1_000)


def _spoil_a_page(path: Path) -> None:
    kept = bytearray(path.read_bytes())
    kept[4_096:8_192] = b"\xff" * 4_096
    path.write_bytes(kept)


def test_a_sound_working_layer_is_said_to_be_so_and_none_is_not_spoken_of(memory: Memory) -> None:
    before = _told(memory)
    memory.store("Gareth pays on Mondays")
    beside = _told(memory)
    memory.close()
    with Memory(memory.target) as again:
        files = _files(again)
        closed = _told(again)

        assert (before, beside, closed) == ([], [("ok", "sound")], [("ok", "sound")])
        assert _files(again) == files


@pytest.mark.parametrize("spoil", [_overwrite, _spoil_a_page])
def test_a_damaged_working_layer_is_an_error(memory: Memory, spoil: Callable[[Path], None]) -> None:
    memory.store("Gareth pays on Mondays")
    memory.close()
    spoil(memory.target.layout.working)

    with Memory(memory.target) as again:
        ((severity, told),) = _told(again)

    assert severity == "error"
    assert "working.sqlite: the working layer is damaged" in told
