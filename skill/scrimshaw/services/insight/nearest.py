"""Which lines are nearest to the newest ones by meaning, from vectors that are there already.

No model is loaded and no vector is made: the vectors of the search index lie on the disk. Without the extra
or without vectors there is nothing, and conflicts are found by words alone. A process that stays, the daemon,
has a short one look (`python -m scrimshaw.services.insight.nearest FOLDER`): numpy would stay with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from scrimshaw.services.search.index import vectors_folder
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

_NEWEST, _NEAREST = 200, 5
_SECONDS = 60.0  # that the process may take


def nearest_pairs(target: Target, ledger: Ledger, *, apart: bool = False) -> dict[tuple[str, str], float]:
    """Return pairs of ids, the one accepted earlier first, with their cosine; {} without vectors.

    With *apart* a process of its own looks, and numpy is not loaded into this one.
    """
    folder = vectors_folder(target.layout)
    try:
        found = _looked_apart(folder) if apart else _near(folder)
    except (ImportError, OSError, ValueError, subprocess.SubprocessError):
        return {}
    lines = ledger.numbered.lines({key for one, other, _ in found for key in (one, other)})
    return {
        (lines[one].observation.id, lines[other].observation.id): round(cosine, 2)
        for one, other, cosine in found
        if one in lines and other in lines
    }


def _near(folder: Path) -> list[tuple[int, int, float]]:
    from scrimshaw.index.vectors import opened_of

    vectors = opened_of(folder)
    return vectors.nearest_of_newest(_NEWEST, _NEAREST) if vectors else []


def _looked_apart(folder: Path) -> list[tuple[int, int, float]]:
    if not folder.is_dir():
        return []
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_SECONDS,
        check=True,
        # A path that was put before the installed one (a checkout, a test) holds for the child, too.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    return [(int(one), int(other), float(cosine)) for one, other, cosine in json.loads(done.stdout)]


if __name__ == "__main__":
    print(json.dumps(_near(Path(sys.argv[1]))))
