"""The door for programs: one class, frozen results, the errors of `errors`, no output of its own."""

import dataclasses
import inspect
import json
import multiprocessing
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.places import EXEC, NOW, Place

import scrimshaw
from scrimshaw import Exit, Memory, ObserveOptions, UserError
from scrimshaw.locks import write_lock

_NOW = datetime.fromisoformat(NOW)
_SAID = (
    ("We decided to use Postgres 17.2 for the ledger.", "Noted."),
    ("My dentist appointment is on 2026-12-03 at 14:00.", "I will remember it."),
)


def _env(place: Place) -> dict[str, str]:
    return {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), "SCRIMSHAW_NOW": NOW}


def _memory(place: Place, **env: str) -> Memory:
    return Memory.open(env={**_env(place), **env})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say(*_SAID)
    return made


@pytest.fixture
def memory(place: Place) -> Memory:
    opened = _memory(place)
    opened.observe(ObserveOptions(waits=False), consent=True)
    return opened


def _results(memory: Memory, folder: Path) -> list[object]:
    """Return a result of each method that can be called here."""
    line = memory.search("Postgres").hits[0][0].line.observation.id
    plan = memory.plan_forget(line, dry_run=True)
    return [
        memory.observe(),
        memory.preview(),
        memory.add("The cat is called Mimi."),
        memory.pin(line),
        memory.unpin(line),
        memory.reflect(dry_run=True),
        memory.undo(dry_run=True),
        plan,
        memory.forget(memory.plan_forget("Mimi")),
        memory.search("Postgres", mode="lexical"),
        memory.search_messages("Postgres"),
        memory.timeline(since=_NOW.date() - timedelta(days=400)),
        memory.as_of(_NOW),
        memory.known_at(_NOW, "Postgres"),
        memory.log(),
        memory.diff(),
        memory.why(line),
        memory.status(),
        memory.spend(),
        memory.forecast(),
        memory.archive("check"),
        memory.reindex(),
    ]


def test_every_result_is_frozen_prints_itself_and_is_plain_json(
    memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for result in _results(memory, tmp_path):
        name = type(result).__name__
        assert name in scrimshaw.__all__, name
        assert getattr(scrimshaw, name) is type(result)
        assert json.loads(str(result)) == json.loads(json.dumps(result.to_dict())), name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, dataclasses.fields(result)[0].name, None)

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "ask"),
    [
        (("search", "Postgres", "--mode", "lexical"), lambda m: m.search("Postgres", mode="lexical")),
        (("status",), lambda m: m.status()),
        (("observe", "--dry-run"), lambda m: m.observe(dry_run=True)),
        (("reflect", "--dry-run"), lambda m: m.reflect(dry_run=True)),
        (("archive", "--check"), lambda m: m.archive("check")),
    ],
)
def test_a_result_is_the_object_that_the_command_prints_for_the_workspace(
    place: Place, memory: Memory, words: tuple[str, ...], ask
) -> None:
    (told,) = place.run(*words, "--json").object["workspaces"]

    assert told == json.loads(json.dumps(ask(memory).to_dict()))


@pytest.mark.parametrize(
    ("words", "ask"),
    [
        (("log",), lambda m: m.log()),
        (("diff",), lambda m: m.diff()),
        (("timeline", "--from", "2020-01-01"), lambda m: m.timeline(since="2020-01-01")),
        (("as-of", "now"), lambda m: m.as_of("now")),
        (("as-of", "now", "--search", "Postgres"), lambda m: m.known_at("now", "Postgres")),
        (("why", "Postgres 17.2"), lambda m: m.why("Postgres 17.2")),
        (("forget", "Postgres 17.2", "--dry-run"), lambda m: m.plan_forget("Postgres 17.2", dry_run=True)),
        (("undo", "--dry-run"), lambda m: m.undo(dry_run=True)),
    ],
)
def test_a_result_about_one_workspace_is_all_that_the_command_prints(
    place: Place, memory: Memory, words: tuple[str, ...], ask
) -> None:
    assert place.run(*words, "--json").object == json.loads(json.dumps(ask(memory).to_dict()))


def test_nothing_is_written_without_consent(place: Place) -> None:
    before = place.everything_written()

    with pytest.raises(UserError) as refused:
        _memory(place).observe()

    assert refused.value.exit_code is Exit.MENDABLE
    assert place.everything_written() == before
    assert not (place.workspace / ".scrimshaw").exists()


def test_reading_and_noting_need_a_workspace_that_is_set_up(place: Place) -> None:
    memory = _memory(place)

    for ask in (
        lambda: memory.search("Postgres"),
        lambda: memory.add("The cat is called Mimi."),
        lambda: memory.log(),
        lambda: memory.plan_forget("Postgres"),
        lambda: memory.reindex(),
    ):
        with pytest.raises(UserError):
            ask()
    assert not (place.workspace / ".scrimshaw").exists()


def test_an_agents_shell_may_not_do_what_is_the_persons(place: Place, memory: Memory, tmp_path: Path) -> None:
    agents = _memory(place, **EXEC)
    memory.add("The cat is called Mimi.")

    for ask in (
        lambda: agents.undo(),
        lambda: agents.import_(tmp_path / "other.mv2"),
        lambda: agents.review(),
        lambda: agents.add("The dog is called Rex.", author="person"),
        lambda: agents.plan_forget(before="2026-11-21"),
        lambda: agents.forget(agents.plan_forget("Mimi")),
    ):
        with pytest.raises(UserError) as refused:
            ask()
        assert refused.value.exit_code is Exit.REFUSED


def test_a_closed_memory_says_so(memory: Memory) -> None:
    with memory:
        memory.log()

    with pytest.raises(UserError, match="is closed"):
        memory.search("Postgres")


def test_a_closed_memory_refuses_every_call_and_opens_nothing(tmp_path: Path) -> None:
    memory = Memory.open(home=tmp_path, agent="anna")
    memory.store("The press is in the barn.")
    memory.close()
    calls = inspect.getmembers(Memory, inspect.isfunction)

    for name, method in calls:
        if name.startswith("_") or name in ("close", "now"):
            continue
        needed = [one for one in inspect.signature(method).parameters.values() if one.default is one.empty]
        given = {one.name: "x" for one in needed if one.kind is not one.VAR_POSITIONAL and one.name != "self"}
        with pytest.raises(UserError, match="is closed"):
            getattr(memory, name)(**given)
    with pytest.raises(UserError, match="is closed"):
        memory._working()  # of a call that another thread's close has overtaken
    memory.close()

    assert memory._layer is None


def test_what_would_be_forgotten_is_planned_without_a_line_in_the_log(place: Place, memory: Memory) -> None:
    log = place.workspace / ".scrimshaw" / "scrimshaw.log"
    log.unlink()

    assert memory.plan_forget("Postgres", dry_run=True).lines
    assert not log.exists()


def test_progress_goes_to_the_callback(place: Place) -> None:
    told = []

    _memory(place).observe(consent=True, on_progress=told.append)

    assert told
    assert told[-1].read_bytes == max(one.read_bytes for one in told) > 0


def test_the_clock_and_the_environment_are_the_callers(place: Place, memory: Memory) -> None:
    later = datetime(2027, 1, 2, 3, 4, tzinfo=UTC)

    opened = Memory.open(env=_env(place), clock=lambda: later)

    assert opened.now() == later
    assert opened.as_of("now").at == later


def test_a_store_that_appears_later_is_read(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    place.say(_SAID[0])
    memory = _memory(place)
    memory.observe(ObserveOptions(waits=False), consent=True)
    place.say(_SAID[1])

    again = memory.observe(ObserveOptions(waits=False))

    assert again.observed.entries > 0
    assert "2026-12-03" in place.section()


def test_all_agents_are_discovered_each_with_a_memory(place: Place, memory: Memory) -> None:
    found = Memory.discover(env=_env(place))

    assert [one.workspace for one in found] == [place.workspace]
    assert Memory.for_agent(found[0].agent, env=_env(place)).workspace == place.workspace
    with pytest.raises(UserError):
        Memory.for_agent("nobody", env=_env(place))


def test_threads_share_one_memory(place: Place, memory: Memory) -> None:
    failed: list[BaseException] = []
    barrier = threading.Barrier(6)

    def work(number: int) -> None:
        try:
            barrier.wait()
            for turn in range(3):
                assert memory.search("Postgres", mode="lexical").hits
                assert memory.log().entries
                memory.add(f"Server {number}-{turn} stands in rack {number}.")
        except BaseException as error:  # noqa: BLE001  # to be told by the main thread
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    said = {line.observation.text for line in memory.timeline(since="2020-01-01").lines}
    assert {f"Server {n}-{t} stands in rack {n}." for n in range(6) for t in range(3)} <= said


def _adds(env: dict[str, str], number: int) -> None:
    memory = Memory.open(env=env)
    for turn in range(2):
        memory.search("Postgres", mode="lexical")
        memory.add(f"Machine {number}-{turn} stands in hall {number}.")


def test_processes_share_one_workspace(place: Place, memory: Memory) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_adds, args=(_env(place), number)) for number in range(3)]
    for process in processes:
        process.start()
    for turn in range(2):
        memory.add(f"Machine here-{turn} stands in the cellar.")
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0, 0, 0]
    said = [line.observation.text for line in memory.timeline(since="2020-01-01").lines]
    for number in range(3):
        for turn in range(2):
            assert said.count(f"Machine {number}-{turn} stands in hall {number}.") == 1


def test_no_lock_and_no_ledger_is_held_between_calls(place: Place, memory: Memory) -> None:
    for _ in range(2):
        memory.search("Postgres", mode="lexical")
        memory.add("The cat is called Mimi.")

    held = [path for path in Path("/proc/self/fd").glob("*") if _is_ledger(path)] if _has_proc() else []
    with write_lock(memory.target.layout.state, by="a test", now=_NOW, timeout_seconds=0):
        pass

    assert held == []


def _has_proc() -> bool:
    return Path("/proc/self/fd").is_dir()


def _is_ledger(path: Path) -> bool:
    try:
        return "ledger.sqlite" in path.readlink().name
    except OSError:
        return False


def test_a_number_or_a_word_that_makes_no_sense_is_the_programs_mistake(memory: Memory) -> None:
    for limit in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            memory.search("Postgres", limit=limit)
        with pytest.raises(ValueError, match="at least 1"):
            memory.search_messages("Postgres", limit=limit)
    with pytest.raises(ValueError, match="archive, check, rebuild"):
        memory.archive("wipe")  # type: ignore[arg-type]
