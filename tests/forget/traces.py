"""What the forgetting suite looks for, and where: on the raw bytes of every file of a workspace."""

from __future__ import annotations

from pathlib import Path

from tests.places import Place

KEPT = "Kestrel invoices run on billing-api 2.4.1 in production"
SECRET = "Margarethe Quillfeather"
ADDRESS = "17 Obsidian Terrace"


def holding(folder: Path, *texts: str) -> list[str]:
    """Return the files below *folder* whose raw bytes hold one of *texts*, in any case."""
    needles = [text.lower().encode(code) for text in texts for code in ("utf-8", "utf-16-le")]
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(needle in path.read_bytes().lower() for needle in needles)
    )


def told_secret(place: Place) -> None:
    """Have a conversation noted in which the person says something that they will regret."""
    place.memory.write_bytes(b"# Memory\n\n- mine\n")
    place.say(
        (f"We decided that {KEPT}.", "Noted."),
        (f"My sister {SECRET} lives at {ADDRESS}, please remember it.", "I will."),
        ("We decided that unit-7x runs release 7.4.1 in production.", "Noted."),
    )
    assert place.run("observe", "--yes").code == 0
