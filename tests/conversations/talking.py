"""A memory with conversations that a program hands in."""

from datetime import datetime, timedelta
from pathlib import Path

from tests.places import NOW, Place

from scrimshaw import Memory, ObserveOptions
from scrimshaw.config import workspace_file

_THINGS = ("lamp", "kettle", "ladder", "saddle", "violin", "carpet", "mirror", "teapot", "hammer", "bucket")
_PEOPLE = ("Anna", "Bert", "Cora", "Dirk", "Ella", "Finn", "Gwen", "Hugo", "Iris", "Jack")
START = datetime.fromisoformat(NOW)


def env_of(place: Place) -> dict[str, str]:
    return {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), "SCRIMSHAW_NOW": NOW}


def opened(folder: Path, **settings: object) -> Memory:
    """Return the memory of a workspace that is set up, with *settings* of its own."""
    place = Place(folder / "home")
    memory = Memory.open(env=env_of(place))
    memory.observe(ObserveOptions(waits=False), consent=True)
    choose(memory, **settings)
    return memory


def choose(memory: Memory, **settings: object) -> None:
    """Set *settings* of the workspace."""
    text = "".join(f"{name}: {str(value).lower()}\n" for name, value in settings.items())
    workspace_file(memory.workspace).write_text(text)
    memory.refresh()


def bought(number: int, thread_id: str = "t1") -> str:
    """Return what is said in an exchange: a statement unlike the others."""
    thing, person = _THINGS[number % 10], _PEOPLE[number // 10 % 10]
    return f"I bought the {thing} {thread_id}-{number} from {person} for {number + 200} euros."


def talk(memory: Memory, turns: int, thread_id: str = "t1", *, first: int = 0, **how: str) -> None:
    """Hand in *turns* exchanges in which something is bought, from number *first* on."""
    for number in range(first, first + turns):
        at = START + timedelta(minutes=number)
        said = bought(number, thread_id)
        memory.add_message(said, thread_id=thread_id, message_id=f"u{number}", timestamp=at, **how)
        memory.add_message(
            "Noted.", role="assistant", thread_id=thread_id, message_id=f"a{number}", timestamp=at
        )
