"""The process that runs models: `python -m scrimshaw.index.child`, a line of JSON in, a line out.

First it is told which model and where ({"model", "folder", "url", "into"}), and says how far the vectors
there come ({"name", "last"}). Then each line {"keys", "texts"} is embedded and added, and answered
with {"done"}. Without "into" it keeps nothing: it says {"name", "dimensions"}, and answers each line
{"texts"} with {"vectors"}, in base64, or with {"refused"} where the model cannot take a text. Told {"reads"}
it weighs sentences instead (index/reading). It ends when its input ends, so it never outlives its parent;
what goes wrong is the last thing it says ({"problem"}). A process of its own because a model takes 250 MB and
a core, and because one that hangs can be ended. The parent holds the index's lock. Knows no ledger, and
writes no text anywhere.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

from scrimshaw.errors import UserError
from scrimshaw.index import reading
from scrimshaw.index.embedding import Embedder, find_embedder
from scrimshaw.index.vectors import Vectors, fill

_NICE = 10


def main() -> int:
    """Serve one parent; return the process's exit code."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TOKENIZERS_PARALLELISM"):
        os.environ[variable] = "false" if variable.startswith("TOKEN") else "1"
    try:
        _serve()
    except UserError as error:
        _say({"problem": list(error.problems), "next_step": error.next_step})
        return 1
    except (OSError, MemoryError) as error:
        _say({"problem": [f"By meaning: {type(error).__name__}: {getattr(error, 'strerror', '')}"]})
        return 1
    return 0


def _serve() -> None:
    asked = json.loads(sys.stdin.readline() or "{}")
    if not asked:
        return
    if asked.get("reads"):  # somebody waits
        _say({})
        reading.serve(map(json.loads, sys.stdin), _say)
        return
    os.nice(_NICE)
    folder = Path(asked["folder"]) if asked["folder"] else None
    embedder = find_embedder(asked["model"], folder, asked["url"])
    if embedder is None:
        _say({"problem": ["Search by meaning: no embedding model is installed."]})
        return
    if not asked["into"]:
        _serve_afar(embedder)
        return
    vectors = Vectors(Path(asked["into"]), embedder.name, embedder.dimensions)
    _say({"name": embedder.name, "last": vectors.last_key()})
    for line in sys.stdin:
        batch = json.loads(line)
        if batch["keys"]:
            fill(vectors, embedder, batch["keys"], batch["texts"])
        _say({"done": len(batch["keys"])})


def _serve_afar(embedder: Embedder) -> None:
    _say({"name": embedder.name, "dimensions": embedder.dimensions})
    for line in sys.stdin:
        try:
            rows = embedder.embed(json.loads(line)["texts"])
        except ValueError:
            _say({"refused": True})
            continue
        _say({"vectors": b64encode(rows.astype("<f4").tobytes()).decode("ascii")})


def _say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
