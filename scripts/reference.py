"""Write docs/reference from the program: its commands, what is public in Python, the routes of the server.

`python scripts/reference.py` prints the pages as a JSON object, `--write` puts them in their places. The
keys of `--json` are those of real answers: every verb is run on the demo, in a scratch folder with a home of
its own.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"

COMMON = ("workspace", "agent", "state_dir", "home", "wants_json")
CODES = {
    "OK": ("done, also when there was nothing new", ""),
    "MENDABLE": (
        "something you have to fix; what was noted before stays in the ledger",
        "the message says what",
    ),
    "USAGE": ("a wrong option or argument, or several lines match", "`--help`"),
    "PARTLY": (
        "partly done: some messages could not be read, or one agent of several failed; the rest is kept",
        "the next run tries again",
    ),
    "REFUSED": (
        "refused on purpose: damaged markers, too many lines gone at once, a foreign writer, "
        "a note that its conversations do not hold, or an agent's shell that may not do this",
        "the message says which, and how to go on",
    ),
    "LOCKED": ("another run is at work in this workspace", "try again"),
    "DEFECT": (
        "a defect of Scrimshaw; MEMORY.md is unchanged or complete",
        "report it with the line that the message names",
    ),
}
NOW = "2026-10-15T21:00:00+01:00"
PLACE = ("--workspace", "workspace", "--state-dir", "state")
# Objects whose keys are data (reasons, kinds, ids, settings), with what they hold.
MAPS = {
    "redacted": "count by kind",
    "rejected": "count by reason",
    "skipped": "count by kind of entry",
    "sessions_left_out": "count by kind of conversation",
    "left_out": "count by kind of conversation",
    "texts": "text by id",
    "deferred": "windows by reason",
    "noted_by": "windows by who noted them",
    "systemd": "what systemd says of the unit",
}
# What a key holds that the runs below leave null.
ELSE_NULL = {
    "mend": "",
    "used": "{}",
    "daemon": "{}",
    "trouble": "{}",
    "model": "{}",
    "injected_chars": "#",
    "is_truncated": "?",
    "semantic": "#",
    "revision": "#",
    "undoes": "#",
    "undone_by": "#",
    "price": "[]",
    "dollars": "#",
    "systemd": "{what systemd says of the unit}",
    "is_current": "?",
    "is_running": "?",
    "is_enabled": "?",
    "is_lingering": "?",
    "is_confined": "?",
}


def steps() -> Iterator[tuple[str, list[str]]]:
    """Yield each verb with the words of a run of it, in an order that gives every one something to tell."""
    yield "observe", ["observe", *PLACE, "--yes", "--json"]
    yield "add", ["add", "No meetings on Fridays", *PLACE, "--json"]
    yield "add", ["add", "Dana flies LH 1032 on 2026-11-24", "--by", "agent", *PLACE, "--json"]
    for verb in ("status", "doctor", "log", "review"):
        yield verb, [verb, *PLACE, "--json"]
    yield "config", ["config", *PLACE, "--json"]
    yield "service status", ["service", "status", "--json"]
    yield "timeline", ["timeline", "--from", "2 weeks ago", *PLACE, "--json"]
    yield "as-of", ["as-of", "today", *PLACE, "--json"]
    yield "as-of", ["as-of", "yesterday", "--search", "which bottle?", *PLACE, "--json"]
    yield "context", ["context", "cellar", *PLACE, "--json"]
    yield "conversations", ["conversations", *PLACE, "--json"]
    yield "conversations", ["conversations", "cellar", *PLACE, "--json"]
    yield "search", ["search", "bottle", "--mode", "lexical", "--all", "--transcripts", *PLACE, "--json"]
    yield "why", ["why", "Gareth at the Plough", *PLACE, "--json"]
    yield "pin", ["pin", "never by ZipPost", *PLACE, "--json"]
    yield "unpin", ["unpin", "never by ZipPost", *PLACE, "--json"]
    yield "diff", ["diff", *PLACE, "--json"]
    yield "undo", ["undo", *PLACE, "--dry-run", "--json"]
    yield "reflect", ["reflect", *PLACE, "--json"]
    yield "review", ["review", *PLACE, "--reject", "1", "--json"]
    yield "reindex", ["reindex", *PLACE, "--json"]
    yield "archive", ["archive", *PLACE, "--json"]
    yield "export", ["export", "main", "memory.mv2", *PLACE, "--json"]
    yield "import", ["import", "memory.mv2", "--dry-run", *PLACE, "--json"]
    yield "forget", ["forget", "Owen turns 50", "--dry-run", *PLACE, "--json"]
    yield "forget", ["forget", "Owen turns 50", "--yes", *PLACE, "--json"]
    yield "models", ["models", *PLACE, "--json"]
    yield "models test", ["models", "test", "ollama/none", *PLACE, "--json"]
    yield "spend", ["spend", *PLACE, "--json"]
    yield "init", ["init", *PLACE, "--yes", "--json"]
    yield "accept-edits", ["accept-edits", *PLACE, "--json"]
    yield "restore", ["restore", *PLACE, "--json"]


# -- running -------------------------------------------------------------------------------------------------


def run(words: list[str]) -> str:
    """Run one command in this process; return what it printed."""
    from scrimshaw.cli import group

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        group.main(words, standalone_mode=False)
    return printed.getvalue()


def hand_in() -> None:
    """Have a program hand in a conversation, as nothing on the command line does."""
    from scrimshaw import Memory

    with Memory.open("workspace", state_dir="state") as memory:
        memory.add_message("How many bottles are left?", thread_id="cellar", resource_id="owen")


def answers(folder: Path) -> dict[str, list[Any]]:
    """Return what each verb printed with `--json`, in the demo laid out in *folder*."""
    spec = importlib.util.spec_from_file_location("lay_out", ROOT / "demo" / "lay_out.py")
    assert spec is not None
    assert spec.loader is not None
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    for name in [name for name in os.environ if name.startswith(("SCRIMSHAW_", "OPENCLAW_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {
        "HOME": str(folder),
        "SCRIMSHAW_NOW": NOW,
        "TZ": "UTC",
        "SCRIMSHAW_MODEL_TIMEOUT": "5s",
        "OLLAMA_HOST": "http://127.0.0.1:9",
    }
    demo.lay_out(folder)
    os.chdir(folder)
    found: dict[str, list[Any]] = {}
    for number, (verb, words) in enumerate(steps()):
        if number == 1:
            hand_in()
        printed = run(words)
        if "--json" in words:
            found.setdefault(verb, []).append(json.loads(printed))
    return found


# -- shapes --------------------------------------------------------------------------------------------------


def mark(value: object) -> str:
    """Return what a JSON value is, as the page marks it."""
    match value:
        case bool():
            return "?"
        case int() | float():
            return "#"
        case list():
            return "[]"
        case dict():
            return "{}"
        case _:
            return ""


def objects(value: object, path: str, into: dict[str, dict[str, set[str]]]) -> None:
    """Collect the keys of every object in *value*, by its place, each with the marks of what it held."""
    match value:
        case dict():
            keys = into.setdefault(path, {})
            for key, part in value.items():
                is_map = isinstance(part, dict) and key in MAPS
                marks = keys.setdefault(key, set())
                if part is not None:
                    marks.add(f"{{{MAPS[key]}}}" if is_map else mark(part))
                if not is_map:
                    objects(part, f"{path}.{key}".lstrip("."), into)
        case list():
            for part in value:
                objects(part, f"{path}[]", into)
        case _:
            pass


def keys_of(given: list[Any]) -> dict[str, str]:
    """Return the keys of each object in some answers, as words, by its place."""
    found: dict[str, dict[str, set[str]]] = {}
    for answer in given:
        objects(answer, "", found)
    rows = {}
    for place, keys in found.items():
        parts = []
        for key, marks in keys.items():
            marked = " ".join(sorted(marks)) if marks else ELSE_NULL.get(key, "")
            parts.append(f"`{key}` {marked}".rstrip())
        if parts:
            rows[place] = ", ".join(parts)
    return rows


def json_lines(verb: str, given: dict[str, list[Any]]) -> list[str]:
    """Return what a verb's `--json` holds."""
    if verb == "config":
        return ["JSON: one key a setting, each with `value` and `from`. `config --example` lists them."]
    if verb in ("init", "accept-edits", "restore"):
        return ["JSON: as of [`observe`](#observe)."]
    alike: dict[str, list[str]] = {}
    for place, keys in keys_of(given[verb]).items():
        alike.setdefault(keys, []).append(f"`{place}`" if place else "`{}`")
    rows = (f"| {', '.join(places)} | {keys} |" for keys, places in alike.items())
    return ["| JSON | keys |", "|---|---|", *rows]


# -- the page ------------------------------------------------------------------------------------------------


def option_row(parameter: click.Option) -> str:
    """Return one option as a row."""
    kind = parameter.type
    value = ""
    if isinstance(kind, click.Choice):
        value = " " + "\\|".join(str(choice) for choice in kind.choices)
    elif not parameter.is_flag:
        value = f" {parameter.metavar or kind.name.upper()}"
    default = parameter.default
    is_said = parameter.show_default and default not in (None, False, ())
    names = ", ".join(parameter.opts)
    tail = f" Default: {default}." if is_said else ""
    more = " Repeatable." if parameter.multiple and "several" not in (parameter.help or "") else ""
    return f"| `{names}{value}` | {(parameter.help or '').replace('|', chr(92) + '|')}{more}{tail} |"


def usage(name: str, command: click.Command) -> str:
    """Return how a command is called."""
    arguments = [
        parameter.make_metavar(click.Context(command))
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    ]
    return " ".join(["scrimshaw", name, *arguments])


def about(name: str, command: click.Command, given: dict[str, list[Any]]) -> list[str]:
    """Return one command's part of the page."""
    lines = [f"### {name}", "", " ".join((command.help or "").split()), ""]
    if any(isinstance(one, click.Argument) for one in command.params):
        lines += [f"`{usage(name, command)}`", ""]
    options = [one for one in command.params if isinstance(one, click.Option)]
    shared = {one.opts[0] for one in options if one.name in COMMON}
    own = [one for one in options if one.name not in COMMON]
    if own:
        lines += ["| option | meaning |", "|---|---|", *map(option_row, own), ""]
    if without := [
        option
        for option in ("--workspace", "--agent", "--state-dir", "--home", "--json")
        if option not in shared
    ]:
        lines += [f"Without {', '.join(f'`{option}`' for option in without)}.", ""]
    if name in given:
        lines += [*json_lines(name, given), ""]
    return lines


def page(given: dict[str, list[Any]]) -> str:
    """Return the whole page."""
    from scrimshaw.cli import group
    from scrimshaw.cli.verbs import GROUPS, VERBS
    from scrimshaw.errors import Exit

    lines = [
        "# Commands",
        "",
        "Made by `scripts/reference.py` from the commands themselves; a test compares.",
        "From a checkout write `scripts/scrimshaw`, with pip `scrimshaw`. What to use when: "
        "[for owners](../guide/owner.md), [for operators](../guide/operator.md).",
        "",
        *(
            f"- {title}: " + " · ".join(f"[{verb}](#{verb})" for verb in verbs)
            for title, verbs in GROUPS.items()
        ),
        "",
        "## Exit codes",
        "",
        "| code | meaning | what to do |",
        "|---|---|---|",
        *(f"| {int(code)} | {CODES[code.name][0]} | {CODES[code.name][1]} |" for code in Exit),
        "| 130 | interrupted with Ctrl-C; finished steps are kept | |",
        "",
        "`doctor` exits with 0 when it found nothing above a note, 3 with warnings, 1 with errors.",
        "`scripts/observe-now` and `scripts/reflect-now` exit with 3 when they ran out of time.",
        "",
        "## Common options",
        "",
        "| option | meaning |",
        "|---|---|",
    ]
    observe = group.get_command(click.Context(group), "observe")
    assert observe is not None
    lines += [
        option_row(one) for one in observe.params if isinstance(one, click.Option) and one.name in COMMON
    ]
    lines += [
        "",
        "## JSON",
        "",
        "With `--json` a command prints one object and nothing else on standard output.",
        "A failure is told as `error` (a list of sentences), `next_step` and `exit_code`.",
        "An option or a word that there is none of is told on standard error instead.",
        "Existing keys keep their names; new ones may be added. A key is null where there is nothing to say.",
        "",
        "In the tables `[]` marks a list, `{}` an object, `#` a number, `?` true or false.",
        "A key without a mark is text. `hits[]` heads the keys of each item of `hits`.",
        "",
        "## The commands",
        "",
    ]
    for verb in VERBS:
        command = group.get_command(click.Context(group), verb)
        assert command is not None
        lines += about(verb, command, given)
        if isinstance(command, click.Group):
            for name, part in command.commands.items():
                lines += about(f"{verb} {name}", part, given)
    return "\n".join(lines).rstrip("\n") + "\n"


# -- what is public ------------------------------------------------------------------------------------------


def first_line(thing: object) -> str:
    """Return the first sentence or line of a docstring, fit for a table."""
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def members(of: type) -> dict[str, Any]:
    """Return what a class and those it stands on have in public, the lowest first."""
    found: dict[str, Any] = {}
    for part in reversed(of.__mro__[:-1]):
        found |= {name: member for name, member in vars(part).items() if not name.startswith("_")}
    return found


def python_page() -> str:
    """Return the page of the Python interface: the methods of `Memory`, and every public name."""
    import scrimshaw

    lines = [
        "# Python interface",
        "",
        "Made by `scripts/reference.py` from the code; a test compares, so that no change of it goes unseen.",
        "Examples: [the guide for programs](../guide/program.md).",
        "",
        "## Memory",
        "",
        first_line(scrimshaw.Memory),
        "",
    ]
    for name, part in members(scrimshaw.Memory).items():
        if isinstance(part, property):
            lines.append(f"- `.{name}`: {first_line(part)}")
            continue
        function = part.__func__ if isinstance(part, classmethod) else part
        signature = inspect.signature(function)
        kept = [one.replace(annotation=one.empty) for one in list(signature.parameters.values())[1:]]
        told = str(signature.replace(parameters=kept, return_annotation=signature.empty))
        result = str(signature.return_annotation)
        owner = "Memory." if isinstance(part, classmethod) else "."
        lines.append(f"- `{owner}{name}{told}` → `{result}`: {first_line(function).removeprefix('Return ')}")
    names = ", ".join(f"`{name}`" for name in sorted(scrimshaw.__all__))
    lines += [
        "",
        "## All names",
        "",
        f"{names}.",
        "",
        "What each holds stands in its docstring: `help(scrimshaw.AddResult)`.",
    ]
    return "\n".join(lines) + "\n"


GROUPS = {
    "memories": "Memories and knowledge: the working layer",
    "conversations": "Conversations",
    "lines": "Lines of the ledger, and the section",
    "insight": "What is known, and what to doubt",
    "carrying": "Archives",
    "tools": "For a plug-in inside a host",
    "server": "The server",
    "version 1": "Version 1",
}


def fields_of(schema: dict[str, Any], shapes: dict[str, Any]) -> str:
    """Name the fields of a body or an answer; those that must be given have a star."""
    if "$ref" in schema:
        schema = shapes[schema["$ref"].rpartition("/")[2]]
    must = schema.get("required", [])
    return ", ".join(f"`{name}`{'*' * (name in must)}" for name in schema.get("properties", {}))


def route_row(method: str, path: str, route: dict[str, Any], shapes: dict[str, Any]) -> str:
    """Return the row of one route."""
    asked = [
        f"`{one['name']}`{'*' * (one['in'] != 'path' and one.get('required', False))}"
        for one in route.get("parameters", ())
        if one["in"] in ("query", "header")
    ]
    for body in route.get("requestBody", {}).get("content", {}).values():
        asked += [fields_of(body["schema"], shapes)]
    code, answer = next((code, one) for code, one in route["responses"].items() if code.startswith("2"))
    kinds = answer.get("content", {})
    told = "".join(fields_of(kind.get("schema", {}), shapes).replace("*", "") for kind in kinds.values())
    about = " ".join(route["description"].split()).replace("|", "\\|")
    return f"| `{method.upper()} {path}` | {about} | {', '.join(filter(None, asked))} | {code} {told} |"


def routes_page() -> str:
    """Return the page of the server's routes, from its own description."""
    from scrimshaw.web.app import make_app

    with tempfile.TemporaryDirectory() as folder:
        made: Any = make_app(Path(folder) / "agents", env={"HOME": folder})
        told = made._app.openapi()
    shapes = told["components"]["schemas"]
    lines = [
        "# Routes of the server",
        "",
        "Made by `scripts/reference.py` from what the server tells (`GET /openapi.json`); a test compares.",
        "How to start it, tokens and examples: [the guide](../guide/server.md).",
        "",
        "A star marks what has to be given. `agent` left out is the token's own. What goes wrong is told as",
        "`application/problem+json`: " + fields_of({"$ref": "ProblemTold"}, shapes).replace("*", "") + ".",
        "Where an answer names only `agent`, it is what [the command](commands.md) prints with `--json`.",
    ]
    for tag, title in GROUPS.items():
        lines += ["", f"## {title}", "", "| route | what it does | takes | answers |", "|---|---|---|---|"]
        lines += [
            route_row(method, path, route, shapes)
            for path, methods in told["paths"].items()
            for method, route in methods.items()
            if tag in route["tags"]
        ]
    left = {tag for ways in told["paths"].values() for one in ways.values() for tag in one["tags"]} - set(
        GROUPS
    )
    assert not left, f"no heading for {left}"
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the pages, or write them."""
    with tempfile.TemporaryDirectory() as scratch:
        commands = page(answers(Path(scratch).resolve() / "demo"))
        os.chdir(ROOT)
    pages = {"commands.md": commands, "python.md": python_page(), "routes.md": routes_page()}
    if "--write" not in sys.argv[1:]:
        sys.stdout.write(json.dumps(pages))
        return
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
