"""`observational-memory` from PyPI: its own search backend, in its own interpreter when it has one.

It wants other versions of libraries than ours, so it may live in an environment of its own: OM_PYTHON names
that interpreter, which this file is then run with. Lines of JSON go in and out: first the texts, then a
question with a limit, for each the places found. The backend is the one its `om search` uses by default.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

INTERPRETER = "OM_PYTHON"
VERSION = "0.10.1"


class Om:
    """Its BM25 backend behind a pipe; the round trip costs about .05 ms."""

    def __init__(self) -> None:
        command = [os.environ.get(INTERPRETER) or sys.executable, str(Path(__file__).resolve())]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        self._ask(list(texts))

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        return [int(place) for place in self._ask([question, limit])]

    def close(self) -> None:
        """End its process."""
        assert self._child.stdin
        self._child.stdin.close()
        self._child.wait(timeout=10)

    def _ask(self, asked: list[Any]) -> list[Any]:
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(json.dumps(asked) + "\n")
        self._child.stdin.flush()
        return list(json.loads(self._child.stdout.readline()))


def why_no_om() -> str:
    """Return why it cannot run here, "" when it can."""
    interpreter = os.environ.get(INTERPRETER) or sys.executable
    asked = "from importlib.metadata import version; print(version('observational-memory'))"
    try:
        done = subprocess.run(
            [interpreter, "-c", asked], capture_output=True, text=True, check=False, timeout=60
        )
    except OSError as error:
        return f"{INTERPRETER}: {error.strerror}"
    found = done.stdout.strip()
    if found == VERSION:
        return ""
    return (
        f"observational-memory {VERSION} is not installed ({found or 'none'}); {INTERPRETER} may name the "
        "interpreter of an environment that has it"
    )


def _serve() -> None:
    """Answer the lines on standard input, in the other interpreter: nothing of ours is imported."""
    from observational_memory.search import Document, DocumentSource  # type: ignore[import-not-found]
    from observational_memory.search.bm25 import BM25Backend  # type: ignore[import-not-found]

    backend: Any = None
    for line in sys.stdin:
        asked = json.loads(line)
        if len(asked) == 2 and isinstance(asked[1], int):
            hits = backend.search(asked[0], limit=asked[1])
            print(json.dumps([int(hit.document.doc_id) for hit in hits]), flush=True)
            continue
        source = next(iter(DocumentSource))
        documents = [
            Document(doc_id=str(place), source=source, heading="", content=text)
            for place, text in enumerate(asked)
        ]
        backend = BM25Backend.from_documents(documents)
        print("[]", flush=True)


if __name__ == "__main__":
    _serve()
