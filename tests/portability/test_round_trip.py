"""`scrimshaw export` and `scrimshaw import`: a memory in one file, there and back, and what is in the way."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.places import Answer, Place
from tests.portability.ledgers import fill
from tests.support.prepared import Prepared

from scrimshaw.archive import frames, mv2
from scrimshaw.core.types import Event, Line
from scrimshaw.store.ledger import Ledger, open_ledger

pytestmark = pytest.mark.skipif(not mv2.is_installed(), reason="memvid-sdk is not installed")

EXEC = {"OPENCLAW_SHELL": "exec"}


def _place(root: Path) -> Place:
    place = Place(root)
    place.memory.write_text("# Memory\n\nmine\n")
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    assert place.run("observe", "--yes", "--now").code == 0
    return place


@pytest.fixture
def there(tmp_path: Path) -> Place:
    """A machine with a memory."""
    return _place(tmp_path / "there")


def _begun(place: Place) -> None:
    """A fresh one."""
    place.memory.write_text("# Memory\n\nmine\n")
    assert place.run("init", "--yes").code == 0


@pytest.fixture
def here(prepared: Prepared) -> Place:
    return prepared(_begun)


def opened(place: Place, *, read_only: bool = True) -> Ledger:
    return open_ledger(place.workspace / ".scrimshaw" / "ledger.sqlite", create=False, read_only=read_only)


def lines(place: Place) -> list[Line]:
    with opened(place) as ledger:
        return ledger.all_lines()


def happened(place: Place) -> list[Event]:
    with opened(place) as ledger:
        return [one.event for one in ledger.events_since(0) if one.event.observation_id]


def filled(place: Place, count: int) -> Place:
    with opened(place, read_only=False) as ledger:
        fill(ledger, count)
    return place


def export(place: Place, path: Path, *options: str, **asked: dict[str, str]) -> Answer:
    return place.run("export", "main", str(path), *options, **asked)


def take(place: Place, *paths: Path, options: tuple[str, ...] = (), **asked: dict[str, str]) -> Answer:
    return place.run("import", *map(str, paths), *options, **asked)


# -- there and back ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_fresh_workspace_gets_every_line_with_all_that_happened_to_it(
    there: Place, here: Place, tmp_path: Path, count: int
) -> None:
    filled(there, count)
    file = tmp_path / "memory.mv2"

    codes = export(there, file).code, take(here, file).code

    assert codes == (0, 0)
    assert [one.observation for one in lines(there)] == [one.observation for one in lines(here)]
    # What follows is this workspace's own: the section is written, plans have passed.
    assert happened(there) == happened(here)[: len(happened(there))]


@pytest.mark.slow
def test_the_dated_files_of_both_say_the_same(there: Place, here: Place, tmp_path: Path) -> None:
    filled(there, 60)
    there.run("observe", "--now")
    file = tmp_path / "memory.mv2"
    export(there, file)

    take(here, file)

    ours = [one for one in there.dated().splitlines() if one.startswith("- ")]
    assert sorted(ours) == sorted(one for one in here.dated().splitlines() if one.startswith("- "))


def test_what_was_known_travels_and_the_sections_as_they_were_written_stay_and_are_said_to(
    there: Place, here: Place, tmp_path: Path
) -> None:
    there.say(("We decided that unit-7x runs release 7.4.1 in production.", "Noted."))  # on the 16th
    there.run("observe", "--yes", "--now")
    file = tmp_path / "memory.mv2"

    told = export(there, file)
    take(here, file, options=("--now",))
    known = here.run("as-of", "2026-11-17", "--search", "unit-7x release", "--json").object
    section = here.run("as-of", "2026-11-17", "--json").object

    assert "Past revisions of the section are not exported" in told.out
    assert ["unit-7x" in hit["text"] for hit in known["hits"]] == [True]
    assert section["revision"] is None
    assert "of what is noted had been said by then" in section["why"]


def test_importing_again_changes_nothing(there: Place, here: Place, tmp_path: Path) -> None:
    filled(there, 60)
    file = tmp_path / "memory.mv2"
    export(there, file)
    take(here, file, options=("--now",))
    before = lines(here), happened(here), here.dated()

    again = take(here, file, options=("--json",))

    assert (again.object["new"], again.object["changed"], again.object["events"]) == (0, 0, 0)
    assert before == (lines(here), happened(here), here.dated())


@pytest.mark.slow
def test_where_it_comes_from_its_own_export_changes_nothing(there: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    there.run("observe", "--now")
    export(filled(there, 60), file)

    answer = take(there, file, options=("--json",))

    assert (answer.object["new"], answer.object["events"]) == (0, 0)


@pytest.mark.slow
def test_import_says_what_it_did_and_what_comes_next(there: Place, here: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    told = export(there, file).out

    answer = take(here, file)

    assert "scrimshaw import memory.mv2" in told
    assert "of agent main: 1 new." in answer.out


@pytest.mark.slow
def test_the_section_shows_what_was_imported(there: Place, here: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    export(there, file)

    take(here, file, options=("--now",))

    assert "Postgres 17.2" in here.section()


@pytest.mark.slow
def test_dry_run_tells_the_same_and_writes_nothing(there: Place, here: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    export(filled(there, 40), file)
    before = here.everything_written()

    answer = take(here, file, options=("--dry-run",))

    assert "41 new" in answer.out
    assert "Nothing was written" in answer.out
    assert ([], before) == (lines(here), here.everything_written())


@pytest.mark.slow
def test_what_was_forgotten_here_does_not_come_back(there: Place, here: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    export(there, file)
    take(here, file, options=("--now",))
    forgotten = here.run("forget", "Postgres 17.2", "--yes")

    again = take(here, file, options=("--now",))

    assert (forgotten.code, again.code) == (0, 0)
    assert b"Postgres 17.2" not in here.everything_written()


@pytest.mark.slow
def test_what_was_forgotten_is_exported_without_its_words(there: Place, here: Place, tmp_path: Path) -> None:
    there.run("forget", "Postgres 17.2", "--yes")
    file = tmp_path / "memory.mv2"

    codes = export(there, file).code, take(here, file, options=("--now",)).code

    assert codes == (0, 0)
    assert [one.observation.text for one in lines(here)] == ["[forgotten]"]
    assert "forgotten" not in here.dated() + here.memory.read_text()


# -- some days ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_export_of_some_days_holds_those(there: Place, here: Place, tmp_path: Path) -> None:
    there.say(("The standup is at 9:15 from now on.", "Good."))
    there.run("observe", "--now")
    day = lines(there)[0].observation.local_date
    file = tmp_path / "memory.mv2"

    export(filled(there, 1500), file, "--from", "2026-01-06", "--to", "2026-01-05 23:59")
    refused = export(there, file, "--from", "2026-01-07", "--to", "2026-01-06")
    answer = export(there, file, "--from", "2026-01-06", "--to", "2026-01-06")
    take(here, file)

    days = {line.observation.local_date for line in lines(here)}
    assert refused.code == 2
    assert "before" in refused.err
    assert (0, day not in days) == (answer.code, True)
    assert {"2026-01-06"} == days


def test_export_of_days_without_a_note_says_so(there: Place, tmp_path: Path) -> None:
    answer = export(there, tmp_path / "memory.mv2", "--to", "2020-01-01")

    assert answer.code == 1
    assert "nothing was noted in these days" in answer.err
    assert not (tmp_path / "memory.mv2").exists()


def test_a_date_that_cannot_be_read_is_said(there: Place, tmp_path: Path) -> None:
    answer = export(there, tmp_path / "memory.mv2", "--from", "once upon a time")

    assert answer.code == 2
    assert "--from" in answer.err


# -- the file ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_file_that_is_there_is_not_replaced_unasked(there: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    file.write_bytes(b"somebody's")

    refused = export(there, file)
    before = file.read_bytes()
    asked = export(there, file, "--replace")

    assert (refused.code, before, asked.code) == (4, b"somebody's", 0)
    assert file.stat().st_size > 10_000


@pytest.mark.slow
def test_an_export_is_its_owners_alone(there: Place, tmp_path: Path) -> None:
    export(there, tmp_path / "memory.mv2")

    assert (tmp_path / "memory.mv2").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["memory.zip", "nowhere/memory.mv2"])
def test_a_place_that_will_not_do_is_refused(there: Place, tmp_path: Path, name: str) -> None:
    answer = export(there, tmp_path / name)

    assert answer.code in (1, 2)
    assert "Nothing was written" in answer.err


def test_the_agents_own_archives_are_not_written_over(there: Place) -> None:
    folder = there.workspace / "memory" / "episodic"
    folder.mkdir(parents=True)

    answer = export(there, folder / "main.mv2", "--replace")

    assert answer.code == 2


@pytest.mark.slow
def test_nothing_is_left_beside(there: Place, here: Place, tmp_path: Path) -> None:
    file = tmp_path / "out" / "memory.mv2"
    file.parent.mkdir()
    export(there, file)
    take(here, file)

    left = [path for place in (there, here) for path in (place.workspace / ".scrimshaw").glob("carrying-*")]
    assert ([file], []) == (list(file.parent.iterdir()), left)


@pytest.mark.slow
def test_memvids_own_search_finds_a_line_in_it(there: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    export(there, file)
    code = (
        "import memvid_sdk, sys; memory = memvid_sdk.use('basic', sys.argv[1], read_only=True);"
        "print(memory.find('Postgres')['hits'][0]['text'])"
    )

    found = _run_python(code, str(file))

    assert "decision: We decided to use Postgres 17.2 for the ledger" in found


@pytest.mark.slow
def test_what_does_not_fit_in_one_file_goes_on_in_the_next(
    there: Place, here: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(there, 90)
    monkeypatch.setattr("scrimshaw.services.archive.export.MOST_OBSERVATIONS", 30)
    write = mv2.write

    def small(path: Path, packed: list[frames.Packed], **options: Callable[[int], None]) -> None:
        if len(packed) > 2:
            raise mv2.Full("no room")
        write(path, packed, **options)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(mv2, "write", small)
    answer = export(there, tmp_path / "memory.mv2", "--json")
    paths = [Path(name) for name in answer.object["files"]]

    first = take(here, paths[1], options=("--json",)).object
    take(here, *paths)

    assert [path.name for path in paths] == ["memory.mv2", "memory.002.mv2"]
    assert first["new"] > 0
    assert {one.observation for one in lines(there)} == {one.observation for one in lines(here)}


# -- who may -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_agents_shell_cannot_import(there: Place, here: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    export(there, file)

    answer = take(here, file, env=EXEC)

    assert (answer.code, lines(here)) == (4, [])


def test_a_workspace_that_is_not_set_up_gets_nothing(there: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"
    export(there, file)
    place = Place(tmp_path / "new")

    answer = take(place, file)

    assert (answer.code, place.is_set_up()) == (1, False)
    assert "scrimshaw init" in answer.err


def test_without_memvid_both_say_what_to_install(
    there: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mv2, "is_installed", lambda: False)
    (tmp_path / "there.mv2").write_bytes(b"x")

    answers = export(there, tmp_path / "memory.mv2"), take(there, tmp_path / "there.mv2")

    assert [answer.code for answer in answers] == [1, 1]
    assert all("scripts/install" in answer.err for answer in answers)


def test_json_tells_what_went_wrong(there: Place, tmp_path: Path) -> None:
    answer = take(there, tmp_path / "no.mv2", options=("--json",))

    assert (answer.code, True) == (json.loads(answer.out)["exit_code"], bool(answer.object["next_step"]))


def _run_python(code: str, *args: str) -> str:
    import subprocess
    import sys

    env = {**os.environ, "MEMVID_TELEMETRY": "0", "MEMVID_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, check=True, env=env, timeout=60
    )
    return done.stdout


@pytest.mark.parametrize("stored", ["0001-01-01T00:00:00Z", "1969-12-31T23:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_message_of_an_impossible_time_stops_no_run_and_no_import(
    there: Place, here: Place, tmp_path: Path, stored: str
) -> None:
    file = str(tmp_path / "x.mv2")
    message = {"role": "user", "content": "I prefer black tea at midnight."}
    there.session.events.append(
        {
            "type": "message",
            "id": "z",
            "parentId": there.session.leaf,
            "timestamp": stored,
            "message": message,
        }
    )
    there.session.leaf = "z"
    there.save()

    assert there.run("observe", "--now").code == 0
    assert "black tea" in there.dated()
    assert there.run("reindex").code == 0
    assert there.run("export", "main", file).code == 0
    assert here.run("import", file, "--now").code == 0
    assert "black tea" in here.section()
