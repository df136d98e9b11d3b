"""Scrimshaw over HTTP: version 2, version 1 for older programs, and access control.

A thin surface: a route reads its request, makes one call of `Memory` and returns that result's `to_dict()`.
`guard` is in front of every route, `access` identifies the caller, `problems` formats errors. Only the
commands `serve`, `token` and `run --serve` import any of this.
"""

from __future__ import annotations

from importlib.util import find_spec

from scrimshaw import resources
from scrimshaw.errors import UserError

_NEEDED = ("fastapi", "uvicorn", "jwt", "python_multipart", "prometheus_client")


def require_extra() -> None:
    """Raise UserError if the extra `server` is not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UserError(
            f"The server needs what is not installed here: {', '.join(missing)}. Nothing was started.",
            next_step=resources.adding("server"),
        )
