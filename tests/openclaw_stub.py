"""A stub of the `openclaw` program, for tests that must not need a real one.

`lay_stub(folder)` writes a small program into *folder*, which the test puts on PATH. It imitates what setup
calls, with the words and the codes of 2026.9.6 (tests/host holds the real one against it): `--version`,
`hooks enable|disable NAME`, `config get|set|unset PATH`, `cron add|list|rm`, `gateway status`. It edits the
JSON configuration as the real one does (two spaces, `meta` added, mode 0600) and writes each call down.
`stub.says(...)` lets it fail, hang or flood; a file named `gateway` beside it makes cron answer.
"""

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

_PROGRAM = """#!{python}
import json, os, sys, time
from pathlib import Path

here = Path({folder!r})
words = sys.argv[1:]
config_path = Path(os.environ.get("OPENCLAW_CONFIG_PATH") or Path.home() / ".openclaw" / "openclaw.json")
with (here / "calls.jsonl").open("a") as file:
    kept = {{k: v for k, v in os.environ.items() if k.startswith(("OPENCLAW_", "HOME"))}}
    file.write(json.dumps({{"words": words, "env": kept, "pid": os.getpid()}}) + "\\n")


def end(code, out="", err=""):
    sys.stdout.write(out + ("\\n" if out else ""))
    sys.stderr.write(err + ("\\n" if err else ""))
    raise SystemExit(code)


def load():
    return json.loads(config_path.read_text("utf-8")) if config_path.exists() else {{}}


def save(values):
    values.setdefault("meta", {{}})["lastTouchedVersion"] = {version!r}
    beside = config_path.with_name(config_path.name + ".tmp")
    beside.write_text(json.dumps(values, indent=2) + "\\n", "utf-8")
    beside.chmod(0o600)
    beside.replace(config_path)


def table(values, *names):
    for name in names:
        values = values.setdefault(name, {{}})
    return values


orders = json.loads((here / "orders.json").read_text()) if (here / "orders.json").exists() else {{}}
order = orders.get(" ".join(words[:2])) or orders.get("*")
if order:
    if "hangs" in order:
        if os.fork() == 0:
            time.sleep(order["hangs"])
            os._exit(0)
        time.sleep(order["hangs"])
    end(order.get("code", 0), order.get("out", "") * order.get("times", 1), order.get("err", ""))

match words:
    case ["--version"]:
        end(0, "OpenClaw {version} (stub)")
    case ["hooks", ("enable" | "disable") as verb, name]:
        values = load()
        known = (config_path.parent / "hooks" / name / "HOOK.md").exists() or (
            Path(os.environ["OPENCLAW_STATE_DIR"]) / "hooks" / name / "HOOK.md"
        ).exists()
        if not known:
            end(1, err=f'Error: Hook "{{name}}" not found. Run `openclaw hooks list` to see available hooks.')
        internal = table(values, "hooks", "internal")
        if verb == "enable":
            internal["enabled"] = True
        table(internal, "entries", name)["enabled"] = verb == "enable"
        save(values)
        end(0, f"\\u2713 Enabled hook: {{name}}" if verb == "enable" else f"Disabled hook: {{name}}")
    case ["config", "get", path]:
        found = load()
        for name in path.split("."):
            if not isinstance(found, dict) or name not in found:
                end(1, err=f"Unknown config path: {{path}}. Run openclaw config schema.")
            found = found[name]
        end(0, found if isinstance(found, str) else json.dumps(found, indent=2))
    case ["config", "set", path, value, *_]:
        values = load()
        *names, last = path.split(".")
        try:
            table(values, *names)[last] = json.loads(value)
        except ValueError:
            table(values, *names)[last] = value
        save(values)
        end(0, f"Updated {{path}}. Change will apply without restarting the gateway.")
    case ["config", "unset", path]:
        values = load()
        *names, last = path.split(".")
        found = values
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        if not isinstance(found, dict) or last not in found:
            end(1, err=f"Config path not found: {{path}}. Nothing was changed.")
        del found[last]
        save(values)
        end(0, f"Removed {{path}}. Change will apply without restarting the gateway.")

jobs_path = here / "jobs.json"
jobs = json.loads(jobs_path.read_text()) if jobs_path.exists() else []
if words[:1] == ["cron"]:
    if not (here / "gateway").exists():
        told = "Gateway not reachable at ws://127.0.0.1:18999 (ECONNREFUSED)."
        end(1, json.dumps({{"ok": False, "error": {{"type": "cli_error", "message": told}}}}, indent=2), told)
    options = dict(zip(words[2::1], words[3::1] + [""]))
    match words[1]:
        case "list":
            end(0, json.dumps({{"jobs": jobs, "total": len(jobs)}}, indent=2))
        case "add":
            job = {{
                "id": f"job-{{len(jobs) + 1}}",
                "name": options["--name"],
                "enabled": True,
                "schedule": {{"kind": "cron", "expr": options["--cron"], "staggerMs": 0}},
                "payload": {{"kind": "command", "argv": json.loads(options["--command-argv"])}},
            }}
            jobs_path.write_text(json.dumps([*jobs, job]))
            end(0, json.dumps(job, indent=2))
        case "rm" | "remove":
            jobs_path.write_text(json.dumps([job for job in jobs if job["id"] != words[2]]))
            end(0, json.dumps({{"ok": True, "removed": True}}))
end(2, err=f"error: unknown command {{' '.join(words)!r}}")
"""


class Stub(NamedTuple):
    """A laid-out stub: the *folder* to put first on PATH, and what it was asked."""

    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "openclaw"

    def calls(self) -> list[list[str]]:
        """The words of each call so far."""
        return [call["words"] for call in self.records()]

    def records(self) -> list[dict[str, Any]]:
        """Each call so far: its words, the host's variables it was given, its process id."""
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def says(self, call: str, **order: Any) -> None:
        """Let *call* ("hooks enable", "*") answer with code, out (times), err, or hang for *hangs* s."""
        path = self.folder / "orders.json"
        orders = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(orders | {call: order}))

    def gateway_runs(self) -> None:
        """From now on cron answers."""
        (self.folder / "gateway").touch()

    def jobs(self) -> list[dict[str, Any]]:
        """The cron jobs it holds."""
        path = self.folder / "jobs.json"
        return list(json.loads(path.read_text())) if path.exists() else []


def lay_stub(folder: Path, version: str = "2026.9.6") -> Stub:
    """Write the program into *folder* and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "openclaw"
    program.write_text(
        _PROGRAM.format(python=sys.executable, folder=str(folder), version=version), encoding="utf-8"
    )
    program.chmod(0o755)
    return Stub(folder)
