"""Find the lines nearest in meaning to the newest ones, with the vectors that already exist.

No model is loaded and no vector is computed: the search index has them on disk. Without the extra, or without
vectors, the result is empty, and conflicts are found by words only. The daemon starts a short-lived process
for this (`python -m scrimshaw.services.insight.nearest FOLDER`), because numpy, once loaded, would stay in
memory.
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
_SECONDS = 60.0  # time limit of the process


def nearest_pairs(target: Target, ledger: Ledger, *, apart: bool = False) -> dict[tuple[str, str], float]:
    """Return pairs of ids, the one accepted earlier first, with their cosine; {} without vectors.

    With *apart* a separate process does it, and numpy is not loaded into this one.
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
        # A path that precedes the installed package (a checkout, a test) must apply to the child, too.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    return [(int(one), int(other), float(cosine)) for one, other, cosine in json.loads(done.stdout)]


if __name__ == "__main__":
    print(json.dumps(_near(Path(sys.argv[1]))))
