"""Sources and models of other packages, found by their entry points.

The groups are `scrimshaw.sources` and `scrimshaw.models`; docs/guide/extending.md shows one of each. They are
looked up only when the configuration names something that is not built in, so they cost nothing otherwise.
What such code raises becomes a UserError that quotes none of its text.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

from scrimshaw.errors import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import TracebackType

PluginGroup = Literal["scrimshaw.sources", "scrimshaw.models"]


def entry_point(group: PluginGroup, name: str) -> EntryPoint | None:
    """Return the entry point called *name*, None when no installed package has one; imports nothing of it."""
    from importlib.metadata import entry_points  # 30 ms: only where a name is not built in

    return next(iter(entry_points(group=group, name=name)), None)


def load_plugin(group: PluginGroup, name: str) -> Callable[..., Any]:
    """Return what the entry point *name* stands for; raises UserError where it cannot be loaded."""
    found = entry_point(group, name)
    if found is None:
        raise UserError(
            f"No installed package has an entry point {name!r} in the group {group}.",
            next_step="install that package into the environment of scrimshaw, or take the name out of the "
            "configuration",
        )
    with PluginErrors(f"The plug-in {name} ({found.value}) cannot be loaded"):
        loaded = found.load()
        if not callable(loaded):
            raise TypeError("not callable")
    return loaded  # type: ignore[no-any-return]  # what an entry point is, nobody knows before


class PluginErrors:
    """A `with` block around third-party code: what it raises leaves as a UserError that begins with *what*.

    The message names the type alone: an exception's text may quote a transcript or a key.
    """

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # In the main thread an exit may be a signal's, which ends the program and not the package.
        is_main = threading.current_thread() is threading.main_thread()
        told = Exception if is_main else (Exception, SystemExit)
        if isinstance(error, told) and not isinstance(error, UserError):
            raise UserError(
                f"{self._what} ({type(error).__name__}).",
                next_step="update that package, or take its name out of the configuration",
            ) from error
