"""What a command does for several workspaces: one that fails stops no other, and is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from scrimshaw.cli.support.command import CommandCall, error_dict, head, head_dict
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import Exit, UserError, combined
from scrimshaw.memory import Memories, Memory

T = TypeVar("T")


@dataclass
class Outcomes(Generic[T]):
    """What came of several workspaces: *results*, and *failures* as JSON holds them."""

    results: list[T] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)

    @property
    def told(self) -> list[T | dict[str, Any]]:
        """Both, for one object."""
        return [*self.results, *self.failures]

    def code(self, memories: Memories, codes: Iterable[int]) -> Exit:
        """Return how the command ends whose results end with *codes*."""
        return code_of(memories, [*codes, *(one["exit_code"] for one in self.failures)])


def code_of(memories: Memories, codes: Iterable[int]) -> Exit:
    """Return how a command ends whose *memories* end with *codes*: PARTLY where others cannot be read."""
    return combined([*codes, *(error.exit_code for error in memories.errors)])


def for_each(
    call: CommandCall, memories: Memories, work: Callable[[Memory], T], *, is_list: bool = False
) -> Outcomes[T]:
    """Do *work* for each of *memories* and tell those that failed; raises UserError of one alone.

    A defect of ours counts as a failure, too. With *is_list* one alone is told as one of several.
    """
    done: Outcomes[T] = Outcomes()
    is_alone = len(memories) + len(memories.errors) == 1 and not is_list
    for memory in memories:
        try:
            done.results.append(call.guard(partial(work, memory)))
        except UserError as error:
            if is_alone:
                raise
            done.failures.append(tell_failed(call, memory, error))
    return done


def tell_failed(call: CommandCall, memory: Memory, error: UserError) -> dict[str, Any]:
    """Tell a person that *memory* failed, and return that as JSON holds it."""
    if not call.wants_json:
        tell(f"{head(memory)}\n{error}", is_error=True)
    return {**head_dict(memory), **error_dict(error), "exit_code": int(error.exit_code)}
