"""The one process that loads memvid_sdk: `python -m scrimshaw.archive.child`, started by archive/mv2.

It reads one request a line of JSON from its input ("write": into the file named, "read": every frame of it),
answers in lines of JSON and ends. What it works on is a file of its
own in a scratch folder, never one that somebody else can see, so that it may be killed at any moment. When
its input ends before its work does, its parent is gone, and so is it. It gives itself the limits that the
request names before it loads the library, which may be slow, large, or wrong about a file that it was given.

Nothing of memvid's that would use the network is asked for: telemetry, tickets, embeddings, tagging.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import memvid_sdk
    from memvid_sdk import Memvid

Reply = dict[str, Any]  # the edge: one line of JSON
_ENOUGH = 1_000_000  # frames: more than any file of memvid's size holds
_MOST_PAGES = 20_000


def main() -> int:
    """Do what the request says; return the exit code."""
    global memvid_sdk  # for all of this module, once the limits hold
    request: Reply = json.loads(sys.stdin.buffer.readline())
    _limit(request["limits"])
    os.nice(request["nice"])
    # The file descriptor, because a library may print: what it says is not an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(reply: Mapping[str, object]) -> None:
        answers.write(json.dumps(reply) + "\n")
        answers.flush()

    work = {"write": _write, "read": _read}[request["do"]]
    frames = [json.loads(sys.stdin.buffer.readline()) for _ in range(request.get("frames", 0))]
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        import memvid_sdk
    except ImportError as error:
        answer({"trouble": "missing", "said": str(error)[:200]})
        return 0
    try:
        work(request, frames, answer)
    except memvid_sdk.CapacityExceededError as error:
        answer({"trouble": "full", "said": str(error)[:200]})
    except memvid_sdk.MemvidError as error:
        answer({"trouble": "refused", "said": f"{type(error).__name__}: {error}"[:300]})
    except OSError as error:
        answer({"trouble": "system", "errno": error.errno or 0, "said": str(error)[:200]})
    except (ValueError, TypeError, RuntimeError, KeyError, OverflowError, MemoryError) as error:
        answer({"trouble": "refused", "said": f"{type(error).__name__}: {error}"[:300]})
    else:
        answer({"done": True})
    return 0


def _write(request: Reply, frames: list[Reply], answer: Callable[[Reply], None]) -> None:
    path = request["path"]
    is_new = not Path(path).exists()
    memory = memvid_sdk.create(path) if is_new else memvid_sdk.use("basic", path, mode="open")
    try:
        for frame in frames:
            memory.put(
                title=frame["title"],
                label="observations",
                metadata=frame["metadata"],
                # What is handed over as text is cut into pages that each repeat the metadata; what is given
                # to search in stays whole.
                text=frame["title"],
                search_text=frame["text"],
                uri=frame["uri"],
                timestamp=frame["at_seconds"],
                enable_embedding=False,
                auto_tag=False,
                extract_dates=False,
            )
            answer({"put": frame["uri"]})
        memory.commit()
    finally:
        memory.close()
    _whole(path)
    if Path(path).with_suffix(".manifest.wal").exists():
        raise ValueError("memvid left a log beside the file: the file alone is not all of it")
    _answer_kept(path, {frame["uri"] for frame in frames}, answer)


def _answer_kept(path: str, uris: set[str], answer: Callable[[Reply], None]) -> None:
    """Tell the sha256 of each frame's metadata as the closed file gives them back."""
    with memvid_sdk.use("basic", path, read_only=True) as memory:
        for entry in memory.timeline(limit=_ENOUGH):
            if entry["uri"] in uris:
                kept = json.dumps(_metadata(memory.frame(entry["uri"])), sort_keys=True)
                answer({"kept": entry["uri"], "sha256": sha256(kept.encode()).hexdigest()})


def _read(request: Reply, _frames: list[Reply], answer: Callable[[Reply], None]) -> None:
    path = request["path"]
    _whole(path)
    with memvid_sdk.use("basic", path, read_only=True) as memory:
        for entry in memory.timeline(limit=_ENOUGH):
            found = memory.frame(entry["uri"])
            metadata = _metadata(found)
            is_ours = "scrimshaw" in metadata
            answer(
                {
                    "uri": entry["uri"] or "",
                    "title": found.get("title") or "",
                    "at_seconds": int(entry["timestamp"]),
                    "metadata": metadata,
                    "text": "" if is_ours else _text(memory, entry),
                }
            )


def _text(memory: Memvid, entry: Mapping[str, Any]) -> str:
    """Return what a frame of another program says: whole where it kept it whole, else its beginning."""
    pages = list(entry.get("child_frames") or ())[:_MOST_PAGES]
    named = [f"{entry['uri']}#page-{number}" for number in range(1, len(pages) + 1)]
    # The pages of a text that was put in without a uri have numbers of their own.
    numbered = [f"mv2://frames/{page}" for page in pages]
    for uris in (named, numbered):
        if said := b"".join(_blobs(memory, uris)).decode("utf-8", "replace"):
            return said
    said = b"".join(_blobs(memory, [entry["uri"]])).decode("utf-8", "replace")
    return said or _short_text(memory, entry["uri"]) or entry.get("preview") or ""


def _short_text(memory: Memvid, uri: str) -> str:
    """Return a text that memvid keeps in its search index alone: any that is too short for pages."""
    try:
        found = memory.find(f'uri:"{uri}"', k=3, snippet_chars=1_000_000)
    except (memvid_sdk.MemvidError, RuntimeError, ValueError):
        return ""
    title = next((hit.get("title") or "" for hit in found["hits"] if hit.get("uri") == uri), None)
    if title is None or found["hits"][0].get("uri") != uri:
        return ""
    # The context alone keeps line breaks: a heading, the text, and what memvid appends from the title on.
    _, _, said = str(found.get("context") or "").partition("\n")
    return said.partition(f"\ntitle: {title}")[0]


def _blobs(memory: Memvid, uris: list[str]) -> Iterator[bytes]:
    for uri in uris:
        with suppress(memvid_sdk.MemvidError, RuntimeError, ValueError):
            yield memory.blob(uri)


def _whole(path: str) -> None:
    """Raise ValueError when memvid does not find the file whole."""
    said = memvid_sdk.Memvid.verify(path, deep=True)
    if said.get("overall_status") != "passed":
        failed = [one["name"] for one in said.get("checks", ()) if one["status"] != "passed"]
        raise ValueError(f"memvid finds it damaged: {', '.join(failed) or said.get('overall_status')}")


def _metadata(found: Mapping[str, Any]) -> dict[str, str]:
    """Return a frame's metadata as they were handed over: memvid writes each value as JSON."""
    told: dict[str, str] = {}
    for name, value in (found.get("extra_metadata") or {}).items():
        try:
            said = json.loads(value)
        except (TypeError, ValueError, RecursionError):
            said = value
        told[str(name)] = said if isinstance(said, str) else str(value)
    return told


def _limit(limits: Mapping[str, int]) -> None:
    """Take the limits upon this process; what a system does not know is left out."""
    for name, most in limits.items():
        with suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, name), (most, most))


def _end_with_parent() -> None:
    # The parent holds our input open for as long as it wants us.
    while sys.stdin.buffer.read(1):
        pass
    os._exit(75)


if __name__ == "__main__":
    sys.exit(main())
