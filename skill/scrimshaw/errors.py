"""Errors that a person reads: what, where, what state things are in, what next.

Everything else that is raised is a defect. The command line prints these without a traceback and
exits with their code (docs/reference/commands.md lists the codes).
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from itertools import islice
from pathlib import PurePath


class Exit(IntEnum):
    """What the process says when it ends (docs/reference/commands.md)."""

    OK = 0
    MENDABLE = 1  # something the owner must mend
    USAGE = 2
    PARTLY = 3  # some entries were unreadable, or one agent of several failed
    REFUSED = 4  # not written on purpose: damaged markers, too many deletions, a foreign writer
    LOCKED = 5  # another run holds the lock
    DEFECT = 70


def combined(codes: Iterable[int]) -> Exit:
    """Return how a command ends whose workspaces end with *codes*: PARTLY where they differ."""
    different = set(codes)
    return Exit(different.pop()) if len(different) == 1 else Exit.PARTLY if different else Exit.OK


class UserError(Exception):
    """Something the owner can mend.

    *problems* are complete sentences; *next_step* is what to do, usually a command; *exit_code* is
    the process's.
    """

    def __init__(self, *problems: str, next_step: str = "", exit_code: Exit = Exit.MENDABLE) -> None:
        self.problems: Sequence[str] = problems
        self.next_step = next_step
        self.exit_code = exit_code
        super().__init__(*problems)

    def __str__(self) -> str:
        """Return the problems, one a line, and the next step."""
        return "\n".join([*self.problems, *([f"Next: {self.next_step}"] if self.next_step else [])])


def usage_error(*problems: str, next_step: str) -> UserError:
    """Return the error of what was asked for wrongly (exit code 2)."""
    return UserError(*problems, next_step=next_step, exit_code=Exit.USAGE)


def refused_error(*problems: str, next_step: str) -> UserError:
    """Return the error of what was not done on purpose (exit code 4)."""
    return UserError(*problems, next_step=next_step, exit_code=Exit.REFUSED)


@contextmanager
def saying(told: str) -> Iterator[None]:
    """Let a UserError of the block say *told*, too: what state the caller's own work is in."""
    try:
        yield
    except UserError as error:
        error.problems = (*error.problems, told)
        raise


class NotFoundError(UserError):
    """What was named is not there, or not any more."""


class OutdatedError(UserError):
    """Somebody else has changed it since it was read; nothing was written."""


class ArgumentError(UserError, ValueError):
    """What a program gave to a method makes no sense there: of another type, or beyond what there can be."""

    def __init__(self, problem: str, *, next_step: str = "mend the call") -> None:
        super().__init__(problem, next_step=next_step, exit_code=Exit.USAGE)


class CallError(ArgumentError, TypeError):
    """A method was called with arguments that it does not take, or without one that it needs."""


def name_arguments(error: UserError, names: Mapping[str, str]) -> None:
    """Have the problems of *error* that begin with an argument call it as whoever asked does, by *names*."""
    said = [one.partition(": ") for one in error.problems]
    error.problems = tuple(f"{names.get(name, name)}{colon}{rest}" for name, colon, rest in said)


_MOST_FRAMES = 12


def named(defect: BaseException) -> str:
    """Return a defect's type and places on one line; not its message, which may quote what was being read."""
    frames = islice(reversed(traceback.extract_tb(defect.__traceback__)), _MOST_FRAMES)
    places = " < ".join(f"{PurePath(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(defect).__name__} at {places}"
