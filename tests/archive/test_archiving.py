"""Archives follow the ledger, whatever happens on the way; memvid is played by a fake (fake_memvid.py)."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest
from tests.crash.killing import Killing, Outcome, nothing
from tests.places import NOW, Place
from tests.shell.made import SESSION, observation
from tests.support.prepared import Prepared

from scrimshaw import files
from scrimshaw.archive import frames, mv2
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import UserError
from scrimshaw.services.archive import write
from scrimshaw.services.archive.check import inspect_archives, own_files
from scrimshaw.services.archive.write import Archived, ArchiveOptions, archive, archive_due, rebuild, remove
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.store import frames as rows
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch, Run

_NOW = datetime.fromisoformat(NOW)
_NOW_MS = int(_NOW.timestamp() * 1000)
_DAY = timedelta(days=1)
_FAKE = Path(__file__).with_name("fake_memvid.py")


def _terms(mode: str = "good", **parts: object) -> ArchiveOptions:
    child = mv2.Child(command=(sys.executable, "-S", str(_FAKE), mode))
    return ArchiveOptions(child=child._replace(**parts))


def _begun(place: Place) -> None:
    place.say(("We decided that unit-1x runs release 1.4.1 in production.", "Noted."))
    assert place.run("observe", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


@pytest.fixture
def ledger(place: Place) -> Iterator[Ledger]:
    with place.ledger() as ledger:
        yield ledger


def _note(ledger: Ledger, first: int, count: int, at_ms: int = _NOW_MS) -> None:
    lines = tuple(observation(n) for n in range(first, first + count))
    ledger.accept(Batch("r", at_ms, lines, sessions=(SESSION,)))


def _archive(place: Place, ledger: Ledger, mode: str = "good", **parts: object) -> Archived:
    return archive(place.target(), ledger, _NOW, _terms(mode, **parts))


def _folder(place: Place) -> Path:
    return place.workspace / "memory" / "episodic"


def _file(place: Place) -> Path:
    return _folder(place) / "main.mv2"


def _kept(place: Place, *names: str) -> list[frames.Frame]:
    """Return the frames of the archives, as the fake keeps them."""
    paths = [_folder(place) / name for name in names] or [_file(place)]
    return [frames.unpack(one["metadata"]) for path in paths for one in json.loads(path.read_text())]


def _holds_all(place: Place, ledger: Ledger, *names: str) -> bool:
    """Tell whether the archives hold the whole ledger, each event once, each line with every field."""
    kept = _kept(place, *names)
    events = [stored for frame in kept for stored in frame.events]
    lines = {one.id: one for frame in kept for one in frame.observations}
    return events == ledger.events_since(0) and lines == {
        line.observation.id: line.observation for line in ledger.all_lines()
    }


# -- what is archived, and when ---------------------------------------------------------------------------


def test_everything_is_archived_and_nothing_twice(place: Place, ledger: Ledger) -> None:
    _note(ledger, 1, 700)

    first = _archive(place, ledger)
    again = _archive(place, ledger)
    ledger.append([Event(EventType.PINNED, "o3", _NOW_MS, "person")])
    third = _archive(place, ledger)

    assert (first.observations, again.observations, third.observations) == (701, 0, 0)
    assert (again.files, third.files) == ([], ["main.mv2"])
    assert _holds_all(place, ledger)


def test_an_archive_is_for_the_owner_alone(place: Place, ledger: Ledger) -> None:
    _archive(place, ledger)

    assert _file(place).stat().st_mode & 0o777 == 0o600


def test_it_is_due_when_a_day_is_over_and_not_before(place: Place, ledger: Ledger) -> None:
    assert archive_due(ledger, _NOW, "UTC") == ""
    assert archive_due(ledger, _NOW + _DAY, "UTC") == "a day is over"
    # In Auckland it is tomorrow already when it is 13:00 in London.
    assert archive_due(ledger, _NOW.replace(hour=18), "Pacific/Auckland") == ""

    _archive(place, ledger)

    assert archive_due(ledger, _NOW + _DAY, "UTC") == ""


def test_it_is_due_when_very_much_waits(ledger: Ledger) -> None:
    _note(ledger, 1, write.MANY_EVENTS)

    assert "wait" in archive_due(ledger, _NOW, "UTC")


def test_it_is_due_after_a_reflection(place: Place, ledger: Ledger) -> None:
    _note(ledger, 1, 2)
    ledger.begin_run(Run("reflection", "reflect", "request", "rules", _NOW_MS))
    ledger.append([Event(EventType.MERGED, "o1", _NOW_MS, "reflection", "o2")])

    assert archive_due(ledger, _NOW, "UTC") == "after a reflection"


def test_a_full_file_is_followed_by_the_next(place: Place, ledger: Ledger) -> None:
    _note(ledger, 1, 900)
    with mock.patch.object(write, "_FULL_BYTES", write._START_BYTES + 900_000):
        for first in (1_001, 2_001, 3_001):
            _archive(place, ledger)
            _note(ledger, first, 900)
        _archive(place, ledger)
        names = [one.name for one in ledger.frames.files()]

    assert names[:2] == ["main.mv2", "main.002.mv2"]
    assert _holds_all(place, ledger, *names)


def test_a_file_that_memvid_calls_full_is_followed_by_the_next(place: Place, ledger: Ledger) -> None:
    for first in range(1, 2_400, 600):
        _note(ledger, first, 600)
        _archive(place, ledger, "full")
    _archive(place, ledger, "full")

    names = [one.name for one in ledger.frames.files()]
    assert len(names) > 1
    assert _holds_all(place, ledger, *names)


def test_a_loose_file_is_made_anew(place: Place, ledger: Ledger) -> None:
    _note(ledger, 1, 10)
    _archive(place, ledger)
    _note(ledger, 101, 10)
    with mock.patch.object(write, "_LOOSE", 0):
        _archive(place, ledger)

    assert [(frame.first_seq, len(frame.observations)) for frame in _kept(place)] == [(1, 21)]
    assert _holds_all(place, ledger)


@pytest.mark.parametrize(
    ("agent_id", "number", "name"),
    [
        ("main", 1, "main.mv2"),
        ("main", 2, "main.002.mv2"),
        ("Work_2-b", 1, "Work_2-b.mv2"),
    ],
)
def test_an_agent_names_its_files(agent_id: str, number: int, name: str) -> None:
    assert mv2.file_name(agent_id, number) == name


def test_no_name_leads_out_of_the_folder_or_to_a_reserved_file() -> None:
    odd = ["../../etc", "a/b", "a.002", "", "shared", "SHARED", "system", "é" * 300, "\ud800", "a b"]

    names = [mv2.file_name(agent_id, 1) for agent_id in odd]

    assert len(set(names)) == len(odd)
    assert all(Path(name).name == name and len(name) < 80 for name in names)
    assert not {name.lower() for name in names} & {"shared.mv2", "system.mv2"}


# -- damage -----------------------------------------------------------------------------------------------


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


_DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "truncated": lambda path: os.truncate(path, 100),
    "bit-flipped": _flip,
    "foreign": lambda path: path.write_bytes(b"something else"),
    "a link": lambda path: (path.unlink(), path.symlink_to("/etc/hostname")),
}


@pytest.mark.parametrize("damage", sorted(_DAMAGES))
def test_a_damaged_archive_is_made_anew_from_the_ledger(damage: str, place: Place, ledger: Ledger) -> None:
    _note(ledger, 1, 30)
    _archive(place, ledger)
    _DAMAGES[damage](_file(place))
    assert inspect_archives(place.target(), ledger, is_thorough=True).problems

    done = _archive(place, ledger)

    assert len(done.mended) == 1
    assert _holds_all(place, ledger)
    assert inspect_archives(place.target(), ledger, is_thorough=True).problems == ()
    assert _archive(place, ledger).mended == []


def test_what_was_damaged_is_kept_aside(place: Place, ledger: Ledger) -> None:
    _archive(place, ledger)
    _file(place).write_bytes(b"somebody wrote this")

    _archive(place, ledger)

    (aside,) = inspect_archives(place.target(), ledger).set_aside
    assert aside.name == "main.aside-20261120T180000Z.mv2"
    assert aside.read_bytes() == b"somebody wrote this"


def test_a_file_from_before_this_ledger_is_kept_aside(place: Place, ledger: Ledger) -> None:
    _folder(place).mkdir(parents=True)
    _file(place).write_bytes(b"an older archive")

    done = _archive(place, ledger)

    assert "scrimshaw import" in done.mended[0]
    assert [path.read_bytes() for path in inspect_archives(place.target(), ledger).set_aside] == [
        b"an older archive"
    ]
    assert _holds_all(place, ledger)


def test_a_changed_byte_in_one_of_several_files_mends_that_one(place: Place, ledger: Ledger) -> None:
    for first in range(1, 2_400, 600):
        _note(ledger, first, 600)
        _archive(place, ledger, "full")
    names = [one.name for one in ledger.frames.files()]
    _flip(_folder(place) / names[0])

    done = _archive(place, ledger, "full")

    assert done.files == [names[0]]
    assert _holds_all(place, ledger, *names)


def test_everything_can_be_made_anew(place: Place, ledger: Ledger) -> None:
    _note(ledger, 1, 30)
    _archive(place, ledger)

    rebuild(place.target(), ledger, _NOW, _terms())

    assert _holds_all(place, ledger)


def test_removing_leaves_nothing_and_all_is_owed_again(place: Place, ledger: Ledger) -> None:
    _archive(place, ledger)
    _file(place).write_bytes(b"changed")
    _archive(place, ledger)
    (place.workspace / ".scrimshaw" / "archiving-0123").mkdir()

    gone = remove(place.target(), ledger, _NOW)

    assert len(gone) == 2
    assert list(_folder(place).iterdir()) == []
    assert not list((place.workspace / ".scrimshaw").glob("archiving-*"))
    assert ledger.frames.owed().events == ledger.version()
    _archive(place, ledger)
    assert _holds_all(place, ledger)


def test_the_archives_that_are_ours_are_told_from_others(place: Place, ledger: Ledger) -> None:
    _archive(place, ledger)
    _file(place).write_bytes(b"changed")
    _archive(place, ledger)
    (_folder(place) / "exported.mv2").write_bytes(b"somebody's")
    layout = place.target().layout

    assert [path.name for path in own_files(layout, [layout.ledger])] == [
        "main.aside-20261120T180000Z.mv2",
        "main.mv2",
    ]
    assert len(own_files(layout, [layout.ledger.with_name("none.sqlite")])) == 1


def test_a_memory_that_is_deleted_takes_its_archives_along(place: Place, ledger: Ledger) -> None:
    _archive(place, ledger)
    (_folder(place) / "exported.mv2").write_bytes(b"somebody's")
    ledger.close()

    answer = place.run("uninstall", "--yes", "--data", "delete", "--section", "keep")

    assert answer.code == 0, answer
    assert [path.name for path in _folder(place).iterdir()] == ["exported.mv2"]


def test_while_something_is_being_forgotten_nothing_is_archived(place: Place, ledger: Ledger) -> None:
    with ledger.transaction():
        ledger.set_meta("forgetting", "files")

    assert _archive(place, ledger).is_held
    assert not _file(place).exists()


# -- memvid missing, slow, broken -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "parts", "told"),
    [
        ("missing", {}, "not installed"),
        ("die", {}, "killed by the test"),
        ("liar", {}, "does not give back"),
        ("chatty", {}, "form"),
        ("hang", {"seconds": 0.2, "frame_seconds": 0.0}, "in time"),
        ("fat", {"resident_bytes": 64 * 1024 * 1024}, "MB"),
    ],
)
def test_a_memvid_that_fails_is_told_and_changes_nothing(
    mode: str, parts: dict[str, object], told: str, place: Place, ledger: Ledger
) -> None:
    _archive(place, ledger)
    before = _file(place).read_bytes()
    _note(ledger, 1, 5)

    with pytest.raises(UserError, match=told) as error:
        _archive(place, ledger, mode, **parts)

    assert error.value.next_step
    assert before == _file(place).read_bytes()
    assert not list((place.workspace / ".scrimshaw").glob("archiving-*"))
    assert _archive(place, ledger).observations == 5
    assert _holds_all(place, ledger)


def test_a_program_that_cannot_be_started_is_told(place: Place, ledger: Ledger) -> None:
    with pytest.raises(UserError, match="nothing was lost"):
        archive(place.target(), ledger, _NOW, ArchiveOptions(child=mv2.Child(command=("/no/such/python",))))


def test_an_end_that_is_asked_for_ends_the_child_at_once(place: Place, ledger: Ledger) -> None:
    asked = threading.Event()
    terms = _terms("hang")
    stopping = ArchiveOptions(child=terms.child, is_stopped=asked.is_set)
    threading.Timer(0.3, asked.set).start()

    with pytest.raises(RunStopped):
        archive(place.target(), ledger, _NOW, stopping)

    assert asked.is_set()
    assert not _file(place).exists()


def test_the_child_gets_no_key_and_no_proxy(tmp_path: Path) -> None:
    script = tmp_path / "tell.py"
    script.write_text(
        "import json, os, sys\n"
        "open('/proc/self/fd/2', 'w') and print(json.dumps({'uri': '', 'title': '', 'at_seconds': 0,"
        " 'text': '', 'metadata': dict(os.environ)}))\nprint(json.dumps({'done': True}))\n"
    )
    secret = {"OPENAI_API_KEY": "k", "MEMVID_API_KEY": "k", "HTTPS_PROXY": "http://p", "AWS_SECRET": "k"}

    with mock.patch.dict(os.environ, secret):
        (told,) = mv2.read(tmp_path / "x.mv2", child=mv2.Child(command=(sys.executable, str(script))))

    assert not secret.keys() & told.metadata.keys()
    assert (told.metadata["MEMVID_TELEMETRY"], told.metadata["MEMVID_OFFLINE"]) == ("0", "1")
    assert told.metadata["HOME"] == str(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_a_full_disk_is_told_and_changes_nothing(place: Place, ledger: Ledger) -> None:
    _archive(place, ledger)
    before = _file(place).read_bytes()
    _note(ledger, 1, 5)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with mock.patch.object(shutil, "copyfile", full), pytest.raises(UserError, match="No space left"):
        _archive(place, ledger)

    assert before == _file(place).read_bytes()
    _archive(place, ledger)
    assert _holds_all(place, ledger)


# -- killed -----------------------------------------------------------------------------------------------


def _prepared(place: Place) -> None:
    """An archive with something in it, and more to come."""
    place.memory.write_bytes(b"# Memory\n")
    place.say(("We decided that unit-1x runs release 1.4.1 in production.", "Noted."))
    assert place.run("observe", "--yes").code == 0
    with place.ledger() as ledger:
        _archive(place, ledger)
        _note(ledger, 1, 12)


def _act(place: Place) -> None:
    with place.ledger() as ledger:
        _archive(place, ledger)


def _damaged(place: Place) -> None:
    _prepared(place)
    _flip(_file(place))


class _Archives(Killing):
    """The same kills, and what is looked at afterwards are the archives."""

    def after(self, *points: int, before: Callable[[], None] = nothing) -> Outcome:
        whole = super().after(*points, before=before)
        with self.place.ledger() as ledger:
            names = [one.name for one in ledger.frames.files()]
            state = list((self.place.workspace / ".scrimshaw").glob("archiving-*"))
            said = (
                names,
                _holds_all(self.place, ledger, *names),
                inspect_archives(self.place.target(), ledger, is_thorough=True).problems,
                ledger.frames.owed().events,
                len(state),
                len(inspect_archives(self.place.target(), ledger).set_aside),
            )
        return whole._replace(problems=(*whole.problems, repr(said)))


def _points(killing: Killing, step: int) -> list[tuple[int]]:
    return [(point,) for point in range(1, killing.points + 1, step)]


def test_a_kill_at_a_sample_of_points_loses_and_doubles_nothing(tmp_path: Path) -> None:
    killing = _Archives(tmp_path, _prepared, _act)

    assert repr((["main.mv2"], True, (), 0, 0, 0)) in killing.expected.problems
    assert killing.points > 40
    assert list(killing.differing(_points(killing, 9))) == []


@pytest.mark.slow
@pytest.mark.parametrize("build", [_prepared, _damaged])
def test_a_kill_at_every_point_loses_and_doubles_nothing(
    build: Callable[[Place], None], tmp_path: Path
) -> None:
    killing = _Archives(tmp_path, build, _act)

    assert list(killing.differing(_points(killing, 1))) == []


@pytest.mark.slow
def test_a_second_kill_while_recovering_loses_and_doubles_nothing(tmp_path: Path) -> None:
    killing = _Archives(tmp_path, _prepared, _act)
    pairs = [(point, point * 37 % killing.points + 1) for point in range(1, killing.points + 1, 3)]

    assert list(killing.differing(pairs)) == []


def _place_before_intent() -> None:
    """The file first, the note about it afterwards."""
    intend, moved = rows.Frames.intend, files.move_into
    held: list[Callable[[], None]] = []
    rows.Frames.intend = lambda self, *args, **named: held.append(  # type: ignore[method-assign]
        lambda: intend(self, *args, **named)
    )

    def move_into(path: Path, made: Path, *, mode: int) -> None:
        moved(path, made, mode=mode)
        held.pop()()

    files.move_into = move_into  # type: ignore[assignment]


def test_the_check_bites(tmp_path: Path) -> None:
    killing = _Archives(tmp_path, _prepared, _act)

    assert killing.after(before=_place_before_intent)
    # The moment is near the end.
    assert next(killing.differing(reversed(_points(killing, 1)), _place_before_intent), None)
