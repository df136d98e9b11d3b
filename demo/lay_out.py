"""Lay the demo out as a host would: `python demo/lay_out.py FOLDER` makes FOLDER/state and FOLDER/workspace.

The person, her firm and everything they say are invented. The transcripts are in the form of the hosts
that keep JSONL files; nothing here needs the package, only Python's standard library. FOLDER is
made anew each time: what an earlier demo wrote there is gone.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ZONE = "Europe/London"
MARK = ".scrimshaw-demo"


def lay_out(folder: Path) -> tuple[Path, Path]:
    """Return the state folder and the workspace, made anew in *folder*."""
    if folder.exists():
        # Removing is only safe where an earlier call of this very script has been.
        if any(folder.iterdir()) and not (folder / MARK).is_file():
            raise SystemExit(f"{folder}: is not empty and no demo of ours. Nothing was touched.")
        shutil.rmtree(folder)
    state, workspace = folder / "state", folder / "workspace"
    sessions = state / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    workspace.mkdir()
    (folder / MARK).touch()
    for transcript in sorted((HERE / "transcripts").glob("*.jsonl*")):
        _copy(transcript, sessions)
    named = json.loads((HERE / "transcripts" / "sessions.json").read_text(encoding="utf-8"))
    for entry in named.values():
        entry["sessionFile"] = str(sessions / Path(entry["sessionFile"]).name)
    _write_json(sessions / "sessions.json", named)
    agents = {"defaults": {"workspace": str(workspace), "userTimezone": ZONE}}
    _write_json(state / "openclaw.json", {"agents": agents})
    shutil.copyfile(HERE / "MEMORY.md", workspace / "MEMORY.md")
    return state, workspace


def _copy(transcript: Path, sessions: Path) -> None:
    target = sessions / transcript.name
    shutil.copyfile(transcript, target)
    last = json.loads(transcript.read_text(encoding="utf-8").splitlines()[-1])
    at_seconds = last["message"]["timestamp"] / 1000
    os.utime(target, (at_seconds, at_seconds))


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python demo/lay_out.py FOLDER")
    for made in lay_out(Path(sys.argv[1]).absolute()):
        print(made)
