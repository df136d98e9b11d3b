"""The child that makes vectors: what it answers, and that none is left behind, whatever it does."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scrimshaw.errors import UserError
from scrimshaw.index.embedding import Asked
from scrimshaw.index.feeding import AfarEmbedder, Feeding
from scrimshaw.index.process import Ended

CHILD = """
import json, os, sys, time
print(json.dumps({{"name": "fake", "last": 0, "count": 0}}), flush=True) if sys.stdin.readline() else None
open({pid!r} + "~", "w").write(str(os.getpid()))
os.rename({pid!r} + "~", {pid!r})  # whoever sees it can read it
for line in sys.stdin:
    {act}
"""
ANSWERS = 'print(json.dumps({"done": 1}), flush=True)'


def _child(tmp_path: Path, act: str) -> tuple[str, ...]:
    return (sys.executable, "-c", CHILD.format(pid=str(tmp_path / "pid"), act=act))


def _hand_over(feeding: Feeding) -> None:
    with closing(feeding) as child:
        child.begin()
        child.add([1], ["a text"])


def _is_alive(tmp_path: Path) -> bool:
    try:
        os.kill(int((tmp_path / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def test_it_is_handed_texts_and_ends_with_its_caller(tmp_path: Path) -> None:
    with closing(Feeding(Asked(), tmp_path, command=_child(tmp_path, ANSWERS))) as child:
        name, last = child.begin()
        child.add([1], ["a text"])
        was_alive = _is_alive(tmp_path)

    assert (name, last, was_alive) == ("fake", 0, True)
    assert not _is_alive(tmp_path)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("sys.exit(3)", "ended before its time"),
        ("print('no json', flush=True)", "answered with something else"),
        ("print('[1]', flush=True)", "answered with something else"),
        ('print(json.dumps({"problem": ["the model is broken"]}), flush=True)', "the model is broken"),
    ],
)
def test_whatever_it_does_wrong_is_a_sentence_and_it_is_gone(tmp_path: Path, act: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        _hand_over(Feeding(Asked(), tmp_path, command=_child(tmp_path, act)))

    assert not _is_alive(tmp_path)


def test_one_that_hangs_is_ended_when_its_caller_has_to_stop(tmp_path: Path) -> None:
    def is_stopped() -> bool:
        return (tmp_path / "pid").exists()

    hangs = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    with pytest.raises(Ended):
        _hand_over(Feeding(Asked(), tmp_path, is_stopped=is_stopped, command=_child(tmp_path, hangs)))

    assert not _is_alive(tmp_path)


# What a child does that is to lend its model, and what comes of it.
_LENT = """
import json, os, sys
sys.stdin.readline()
open({pid!r} + "~", "w").write(str(os.getpid()))
os.rename({pid!r} + "~", {pid!r})  # whoever sees it can read it
{act}
sys.stdin.read()
"""


def _lent(tmp_path: Path, act: str, is_stopped: Callable[[], bool] = lambda: False) -> AfarEmbedder:
    command = (sys.executable, "-c", _LENT.format(pid=str(tmp_path / "pid"), act=act))
    return AfarEmbedder(Asked(), is_stopped, command)


def test_a_model_is_lent_until_it_is_given_back(tmp_path: Path) -> None:
    model = _lent(tmp_path, 'print(json.dumps({"name": "fake", "dimensions": 3}), flush=True)')
    was_alive = _is_alive(tmp_path)
    model.close()

    assert (model.name, model.dimensions, was_alive) == ("fake", 3, True)
    assert not _is_alive(tmp_path)


@pytest.mark.parametrize(
    ("act", "end"),
    [
        ('print(json.dumps({"problem": ["the model is broken"]}), flush=True)', UserError),
        ('print(json.dumps({"name": "fake"}), flush=True)', KeyError),
    ],
    ids=["a problem", "half an answer"],
)
def test_a_model_that_cannot_be_lent_leaves_nothing_behind(
    tmp_path: Path, act: str, end: type[Exception]
) -> None:
    with pytest.raises(end):
        _lent(tmp_path, act)

    assert not _is_alive(tmp_path)


@pytest.mark.parametrize("end", [Ended, KeyboardInterrupt])
def test_a_model_that_nobody_waits_for_any_more_leaves_nothing_behind(
    tmp_path: Path, end: type[BaseException]
) -> None:
    ends = iter([end()])

    def is_stopped() -> bool:
        for one in ends if (tmp_path / "pid").exists() else ():
            raise one
        return (tmp_path / "pid").exists()

    with pytest.raises(end):
        _lent(tmp_path, "pass", is_stopped)

    assert not _is_alive(tmp_path)


def test_it_gets_no_key_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "never")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    tell = f'open({str(tmp_path / "env")!r}, "w").write(json.dumps(dict(os.environ))); {ANSWERS}'

    with closing(Feeding(Asked(), tmp_path, command=_child(tmp_path, tell))) as child:
        child.begin()
        child.add([1], ["a text"])

    told = (tmp_path / "env").read_text()
    assert "PATH" in told
    assert "never" not in told
    assert "PROXY" not in told
