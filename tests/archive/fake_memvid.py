"""Stands in for the child that runs memvid: frames in a JSON file, and each thing that can go wrong.

Run as a program: `python fake_memvid.py MODE`. Modes: good, missing, full (after three frames), hang,
die, liar (gives back something else), fat (takes much memory), chatty (answers in no form at all).
"""

import json
import sys
import time
from hashlib import sha256
from pathlib import Path

MOST_FRAMES = 3


def main(mode: str) -> None:
    request = json.loads(sys.stdin.readline())
    frames = [json.loads(sys.stdin.readline()) for _ in range(request["frames"])]
    path = Path(request["path"])
    _misbehave(mode)
    kept = json.loads(path.read_text()) if path.exists() else []
    if request["do"] == "write":
        if mode == "full" and len(kept) + len(frames) > MOST_FRAMES:
            say(trouble="full", said="no room")
            return
        for frame in frames:
            kept.append(frame)
            path.write_text(json.dumps(kept))
            say(put=frame["uri"])
        for frame in frames:
            metadata = {"other": "thing"} if mode == "liar" else frame["metadata"]
            digest = sha256(json.dumps(metadata, sort_keys=True).encode()).hexdigest()
            say(kept=frame["uri"], sha256=digest)
    elif request["do"] == "read":
        for frame in kept:
            say(**{**frame, "text": ""})
    say(done=True)


def _misbehave(mode: str) -> None:
    match mode:
        case "missing":
            say(trouble="missing", said="No module named 'memvid_sdk'")
            sys.exit()
        case "hang":
            time.sleep(600)
        case "die":
            sys.exit("killed by the test")
        case "fat":
            hold = bytearray(300 * 1024 * 1024)
            hold[::4096] = b"x" * len(hold[::4096])
            time.sleep(600)
        case "chatty":
            print("hello there")


def say(**reply: object) -> None:
    print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
