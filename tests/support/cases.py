"""Cases as text: one a line, its fields separated by tabs, under `[name]` or `[name: key]` headings.

In a field \\n, \\t, \\\\ and \\uXXXX are written out. Lines that begin with "# " say something to the reader.
"""

import re
from functools import cache
from pathlib import Path

_WRITTEN = re.compile(r"\\(u[0-9a-f]{4}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "#": "#", "[": "["}

Rows = list[tuple[str, ...]]


@cache
def read_cases(path: Path) -> dict[str, Rows]:
    """Return the rows under each heading of *path*."""
    found: dict[str, Rows] = {}
    rows: Rows = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("[") and line.endswith("]"):
            rows = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("# "):
            rows.append(tuple(_WRITTEN.sub(_meant, field) for field in line.split("\t")))
    return found


def _meant(found: re.Match[str]) -> str:
    what = found[1]
    return chr(int(what[1:], 16)) if what[0] == "u" else _PLAIN[what]
