"""Files that ship with the package: found beside it in a wheel, at the repository's root in a checkout.

`force-include`d files are missing from editable installs, so both places are looked at.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def template(name: str) -> str:
    """Return the text of templates/*name*; raise FileNotFoundError when it is in neither place."""
    for folder in (_PACKAGE / "templates", _PACKAGE.parents[1] / "templates"):
        if (path := folder / name).is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"templates/{name} is missing from this installation")
