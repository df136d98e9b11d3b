"""Arguments of `Memory`: flags, times, limits, texts and progress; each check raises ArgumentError."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from scrimshaw.errors import ArgumentError, CallError

if TYPE_CHECKING:
    from scrimshaw.services.observe.task import Observed

_FLAGS = "bool", "bool | None"  # as the methods' annotations are written
_NUMBERS = "int", "int | None", "float", "float | None"
_MOST = 2**53  # more than there can be of anything
When = str | date | datetime
_Kind = TypeVar("_Kind", bound=StrEnum)


class Progress(NamedTuple):
    """The progress of an observe run: bytes read and, with a model, the windows done so far."""

    read_bytes: int
    observed: Observed | None = None


def checked_call(method: FunctionType, check_open: Callable[[Any], None]) -> Callable[..., Any]:
    """Return *method*, which first refuses another value for a flag, and True or False for a number.

    Which those are its annotations tell. Python itself takes "no" for yes, and True for 1.
    A call that does not fit raises CallError, with what the method takes. Before all that *check_open*
    refuses a memory that is closed.
    """
    kinds = {name: kind for name, kind in method.__annotations__.items() if kind in (*_FLAGS, *_NUMBERS)}
    names = method.__code__.co_varnames[: method.__code__.co_argcount]

    @wraps(method)
    def checked(*args: Any, **given: Any) -> Any:  # noqa: ANN401  # any method's
        for own in args[:1]:
            check_open(own)
        for name, value in (*zip(names, args, strict=False), *given.items()):
            kind = kinds.get(name)
            if kind in _FLAGS and not (isinstance(value, bool) or (value is None and kind != "bool")):
                raise ArgumentError(f"{name}: {value!r:.80} is neither True nor False.")
            if kind in _NUMBERS and isinstance(value, bool):
                raise ArgumentError(f"{name}: {value} is no number.")
        try:
            return method(*args, **given)
        except TypeError:
            _check_fits(method, args, given)
            raise

    return checked


def _check_fits(method: FunctionType, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
    """Raise CallError if *method* cannot be called like this."""
    from inspect import Parameter, signature

    takes = signature(method)
    try:
        takes.bind(*args, **given)
    except TypeError as error:
        names = [one for one in takes.parameters.values() if one.name != "self"]
        first = ", ".join(one.name for one in names if one.kind is Parameter.POSITIONAL_OR_KEYWORD)
        named = ", ".join(one.name for one in names if one.kind is Parameter.KEYWORD_ONLY)
        told = [f"in this order: {first}"] * bool(first) + [f"by name only: {named}"] * bool(named)
        raise CallError(
            f"{method.__name__}: {error}. It takes {'; '.join(told) or 'nothing'}. Nothing was done."
        ) from None


def typed_time(when: When | None) -> str | None:
    """Return a time as a person would type it; a datetime without a zone is in the workspace's zone."""
    if not isinstance(when, str | date | None):
        raise ArgumentError(f"{when!r:.80} is no time: give a text, a date or a datetime.")
    return when.isoformat() if isinstance(when, date) else when


def readable(question: str) -> str:
    """Return *question* with a sign in the place of what no file and no model can hold."""
    check_text(query=question)
    return question.encode("utf-8", "replace").decode()


def one_of_kind(kind: type[_Kind], /, **given: str) -> _Kind:
    """Return the member of *kind* that the one argument *given* names; raises ArgumentError, naming all."""
    ((name, value),) = given.items()
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(kind)
        raise ArgumentError(f"{name}: {value!r:.80} is none of: {known}.") from None


def check_one_of(*known: str, **given: str) -> None:
    """Raise ArgumentError for each of *given*, by its name, that is none of *known*, naming all."""
    for name, value in given.items():
        if value not in known:
            raise ArgumentError(f"{name}: {value!r:.80} is none of: {', '.join(known)}.")


def check_is(kind: type, told: str, /, **given: object) -> None:
    """Raise ArgumentError for each of *given*, by its name, that is no *kind*: *told* is what is wanted."""
    for name, value in given.items():
        if not isinstance(value, kind):
            raise ArgumentError(f"{name}: should be {told}, not {type(value).__name__}. Nothing was done.")


def texts_of(**given: Iterable[str]) -> tuple[str, ...]:
    """Return the texts of the one argument *given*; raises ArgumentError for what is no list of texts.

    One text alone is none: Python would take it for its letters.
    """
    ((name, value),) = given.items()
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ArgumentError(f"{name}: should be a list of texts, not {type(value).__name__}.")
    texts = tuple(value)
    check_text(**{name: next((one for one in texts if not isinstance(one, str)), "")})
    return texts


def check_limit(limit: int) -> None:
    """Raise ArgumentError for a limit below 1."""
    if not isinstance(limit, int) or not 1 <= limit <= _MOST:
        raise ArgumentError(f"limit: {limit!r:.80} is no whole number that is at least 1.")


def check_count(**given: int) -> None:
    """Raise ArgumentError for each of *given*, by its name, that is below 0."""
    for name, count in given.items():
        if not isinstance(count, int) or not 0 <= count <= _MOST:
            raise ArgumentError(f"{name}: {count!r:.80} is no whole number that is at least 0.")


def check_share(**given: float) -> None:
    """Raise ArgumentError for each of *given*, by its name, that is not within 0..1."""
    for name, share in given.items():
        if not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ArgumentError(f"{name}: {share!r:.80} is not within 0..1.")


def check_text(**given: str | None) -> None:
    """Raise ArgumentError for each of *given*, by its name, that is no text."""
    for name, text in given.items():
        if not isinstance(text, str):
            raise ArgumentError(f"{name}: should be text, not {type(text).__name__}.")


def check_path(path: str | Path, name: str = "") -> Path:
    """Return *path*, the argument *name*; raises ArgumentError for what can name no file."""
    try:
        found = Path(path)
        if b"\0" not in os.fsencode(found):
            return found
    except (TypeError, ValueError):
        pass
    told = f"{name}: {path!r:.80} is no path of a folder" if name else f"{path!r:.80} is no path of a file"
    raise ArgumentError(f"{told}; give it as text or as a pathlib.Path. Nothing was done.")


def check_world(env: Mapping[str, str] | None, clock: Callable[[], datetime] | None) -> None:
    """Raise ArgumentError for what cannot stand in for the process's environment, or for the time."""
    if env is not None and not (
        isinstance(env, Mapping)
        and all(isinstance(one, str) and "\0" not in one for pair in env.items() for one in pair)
    ):
        raise ArgumentError("env: should be variables by name, both as text without NUL. Nothing was done.")
    if clock is not None and not callable(clock):
        raise ArgumentError("clock: should be a function that returns a datetime. Nothing was done.")


def check_revision(revision: int | None) -> None:
    """Raise ArgumentError for what is no number of a revision."""
    if revision is not None and not isinstance(revision, int):
        raise ArgumentError(
            f"revision: {revision!r:.80} is no whole number. Nothing was undone.",
            next_step="give it as a number, as log() has them",
        )


def number_or_time(given: int | When) -> str:
    """Return a revision's number, or a time, as a person would type it."""
    if isinstance(given, bool):
        raise ArgumentError(f"{given} is neither a revision's number nor a time.")
    return str(given) if isinstance(given, int) else typed_time(given) or ""
