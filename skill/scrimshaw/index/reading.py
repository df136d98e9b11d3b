"""Sentences read by the models that were taught to weigh: one of English, one of all other languages.

`Reading` holds the models and belongs in a process of its own (index/child); `AfarReading` is the same from
the parent's side. A model is loaded when a text first needs it: 0.6 s and 180 MB, 1.1 s and 160 MB.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, Protocol, TypeVar
from zipfile import BadZipFile

from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.errors import UserError
from scrimshaw.index import english, multilingual
from scrimshaw.index.embedding import failures_of_models
from scrimshaw.index.process import Ended, ModelProcess, trouble

log = logging.getLogger(__name__)

MODELS = 2
IDLE_SECONDS = 60.0  # a child that is asked nothing for so long is ended
AWAY_SECONDS = 600.0  # one that failed is not started again before this
_GRACE_SECONDS = 0.1  # nothing is lost with one that is ended by force
# What a package that is lacking, damaged or of another version may bring about, and a damaged file of ours.
_FAILURES = (
    ArithmeticError,
    AttributeError,
    BadZipFile,
    BufferError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    zlib.error,
)
_Found = TypeVar("_Found")
Answers = dict[str, list[float]]  # of a text: 19 log-odds, in the order of core/weighing's Weight


class Reader(Protocol):
    """A model that was taught to weigh."""

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the answers to each of *texts*."""


def lacking() -> dict[str, str]:
    """Return what cannot be read here, and why; nothing where all of it can. Loads nothing."""
    reasons = {"English": english.why_none(), "other languages": multilingual.why_no_reader()}
    return {what: why for what, why in reasons.items() if why}


class Reading:
    """Both models. One that is not there, or fails, answers nothing, and *failed* names what befell it."""

    def __init__(self) -> None:
        self.failed: dict[str, str] = {}  # the kind of error, by the language
        self._readers: dict[str, Reader | None] = {}

    def read(self, texts: Sequence[str]) -> Answers:
        """Return the answers to those of *texts* whose model is there.

        In doubt a text is in the language of most of them: "Angemeldet." alone could be any.
        """
        of_english = {text for text in texts if is_english(text)} if is_english(" ".join(texts)) else set()
        others = [text for text in texts if text not in of_english]
        return self._answered("English", english.find_reader, sorted(of_english)) | self._answered(
            "other languages", multilingual.find_reader, others
        )

    def _answered(self, what: str, find: Callable[[], Reader], texts: Sequence[str]) -> Answers:
        if not texts:
            return {}
        if what not in self._readers:
            self._readers[what] = self._tried(what, find)
        reader = self._readers[what]
        answers = self._tried(what, partial(reader.answers, texts)) if reader else None
        return dict(zip(texts, answers or (), strict=False))

    def _tried(self, what: str, act: Callable[[], _Found]) -> _Found | None:
        try:
            return act()
        except (*_FAILURES, *failures_of_models()) as error:  # type: ignore[misc]  # read when something fails
            self.failed[what] = type(error).__name__
            return None


def serve(lines: Iterable[Mapping[str, Any]], say: Callable[[dict[str, Any]], None]) -> None:
    """Answer each of *lines*, {"texts"}, with {"answers", "failed"}: the child's side."""
    reading = Reading()
    for line in lines:
        say({"answers": reading.read(line["texts"]), "failed": reading.failed})


class AfarReading:
    """Both models in a child, for all of a process; it is started when first asked, and ended when idle.

    For any thread. What goes wrong is logged, and answered with nothing.
    """

    def __init__(self, command: Sequence[str] = ()) -> None:
        self._command = command
        self._told: set[str] = set()
        self._renew()
        os.register_at_fork(after_in_child=self._renew)  # one talks with a child, no two

    def _renew(self) -> None:
        self._lock = threading.Lock()  # guards the fields below, and the talk with the child
        self._child: ModelProcess | None = None
        self._idle: threading.Timer | None = None
        self._away_until = float("-inf")

    def read(self, texts: Sequence[str], is_stopped: Callable[[], bool] = lambda: False) -> Answers:
        """Return what the models answer of *texts*; raises Ended once *is_stopped*."""
        with self._lock:
            if time.monotonic() < self._away_until:
                return {}
            self._rest()
            try:
                said = self._asked(texts, is_stopped)
            except Ended:
                self._end()
                raise
            except (UserError, OSError) as error:
                self._end()
                self._away_until = time.monotonic() + AWAY_SECONDS
                problem = error.problems[0] if isinstance(error, UserError) else type(error).__name__
                log.warning("job=observe weighed by words alone: %s", problem)
                return {}
            self._idle = threading.Timer(IDLE_SECONDS, self.close)
            self._idle.daemon = True
            self._idle.start()
            return said

    def close(self) -> None:
        """End the child; the next question starts another."""
        with self._lock:
            self._rest()
            self._end()

    def _asked(self, texts: Sequence[str], is_stopped: Callable[[], bool]) -> Answers:
        if self._child is None:
            self._child = ModelProcess(self._command)
            self._child.ask({"reads": True}, is_stopped)
        said = self._child.ask({"texts": list(texts)}, is_stopped)
        failed = said.get("failed")
        for what, kind in failed.items() if isinstance(failed, dict) else ():
            if what not in self._told:
                self._told.add(what)
                log.warning("job=observe weighed by words alone: %s: %s", what, kind)
        answers = said.get("answers")
        if not isinstance(answers, dict) or not all(map(_is_answer, answers.values())):
            raise trouble("answered with something else")
        return answers

    def _rest(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _end(self) -> None:
        if self._child is not None:
            self._child.close(_GRACE_SECONDS)
            self._child = None


def _is_answer(one: object) -> bool:
    if not isinstance(one, list) or len(one) != ANSWERS:
        return False
    return all(isinstance(odds, float) and isfinite(odds) for odds in one)
