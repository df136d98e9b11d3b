"""The import boundary: who may know whom, what the core must not touch, which library lives where.

Read from the syntax trees, so that nothing is imported to find out. Each rule is a function from
modules to complaints, and each has a negative control: a made-up module that breaks it is caught.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "skill" / "scrimshaw"

# Lower may not import higher; peers of one level may know each other. What is not named is of the shell.
SHELL = 2
LEVELS = {
    "errors": 0,
    "data": 0,
    "core": 1,
    "sources": SHELL,
    "store": SHELL,
    "models": SHELL,
    "archive": SHELL,
    "working": SHELL,
    "host": SHELL,
    "fleet": SHELL,
    "services": 3,
    "workspace": 3,
    "setup": 4,
    "doctor": 4,
    "memory": 5,
    "__init__": 5,
    "cli": 6,
    "daemon": 6,
    "web": 6,
    "mcp_server": 6,
    "__main__": 7,
}

# What the core may use of the standard library and of others; anything else is I/O, a clock or chance.
CORE_MAY_IMPORT = {
    "__future__",
    "abc",
    "bisect",
    "collections",
    "dataclasses",
    "datetime",
    "difflib",
    "enum",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "itertools",
    "json",
    "markdown_it",
    "math",
    "msgspec",
    "operator",
    "orjson",
    "rapidfuzz",
    "re",
    "scrimshaw",
    "string",
    "struct",
    "textwrap",
    "types",
    "typing",
    "unicodedata",
    "urllib.parse",
    "zlib",
    "zoneinfo",
}
# The one module that reads files for the core: word lists beside it, and nothing else.
WORD_LISTS_MAY_IMPORT = {"__future__", "functools", "pathlib", "re"}
CORE_MUST_NOT_CALL = {"open", "input", "print", "exec", "eval", "__import__"}
CORE_MUST_NOT_ASK = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}

# A heavy library is imported by the parts that need it, so that `status` stays fast.
HOME_OF = {
    "markdown_it": {"core"},
    "rapidfuzz": {"core"},
    # In all but web the types are the schemas.
    "msgspec": {"core", "mcp_server", "setup", "web", "store", "archive"},
    "orjson": {"core", "sources", "store", "host", "archive", "cli"},
    "zstandard": {"sources"},
    "apscheduler": {"daemon"},
    "watchdog": {"daemon"},
    "pydantic": {"config", "web"},
    "yaml": {"config", "archive", "host"},
    "frontmatter": {"archive", "host"},
    "memvid_sdk": {"archive"},
    "tantivy": {"index"},
    "onnxruntime": {"index"},
    "tokenizers": {"index"},
    "numpy": {"index", "working"},
    "numkong": {"index"},
    "filelock": {"locks"},
    "fastapi": {"web"},
    "starlette": {"web", "cli"},  # there a type alone
    "uvicorn": {"web"},
    "h11": {"web"},
    "jwt": {"web"},
    "prometheus_client": {"web"},
    "click": {"cli"},
    "mcp": {"mcp_server"},
    "mcp_types": {"mcp_server"},
    "anyio": {"mcp_server", "web"},
    "rich": {"cli"},
    "sqlite3": {"sources", "store", "working", "host", "services"},
    "google": {"models"},
    "openai": {"models"},
    "anthropic": {"models"},
    "psycopg": {"fleet"},
    "psycopg_pool": {"fleet"},
}
# `except Exception` is for the frames that must not let anything through; what only tidies up has `finally`
# or an ExitStack.
CATCH_ALL_HOMES = {"daemon", "cli"}
MOST_CATCH_ALLS = 2
MOST_MODULES = 25  # in one folder

Module = tuple[str, ast.Module]  # the dotted name below the package, and its tree


@cache  # parsed once, not once a rule
def _modules() -> Sequence[Module]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found.append((name, ast.parse(path.read_text(encoding="utf-8"), str(path))))
    return found


def _made_up(name: str, source: str) -> list[Module]:
    return [(name, ast.parse(source))]


def _part(name: str) -> str:
    return name.split(".")[0]


@cache
def _imports(tree: ast.Module) -> Sequence[tuple[str, int]]:
    return list(_imported(tree))


def _imported(tree: ast.Module) -> Iterable[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ("." * node.level) + (node.module or "")
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def wrong_direction(modules: Iterable[Module], levels: Mapping[str, int] = LEVELS) -> list[str]:
    complaints = []
    for name, tree in modules:
        for target, line in _imports(tree):
            if target.startswith("."):
                complaints.append(f"{name}:{line}: relative import {target}")
            if not target.startswith("scrimshaw."):
                continue
            other = target.split(".")[1]
            # `from scrimshaw import __version__` names no module, and everybody may ask for it; a class is
            # one of the public face's.
            is_class = other[0].isupper()
            other = "__init__" if is_class else other
            is_above = levels.get(other, SHELL) > levels.get(_part(name), SHELL)
            if is_above and (is_class or not other.startswith("__")):
                complaints.append(f"{name}:{line}: imports {target}, which stands above it")
    return complaints


def circles(modules: Iterable[Module]) -> list[list[str]]:
    """Return the modules that know each other in a circle, at whatever line they import."""
    known = dict(modules)
    knows = {
        name: {
            module for target, _ in _imports(tree) if (module := _module_of(target, known)) not in (name, "")
        }
        for name, tree in known.items()
    }
    found: list[list[str]] = []
    while knows:
        # Whoever knows nobody, or is known by nobody, is in no circle.
        known_by = {name for names in knows.values() for name in names}
        free = [name for name, names in knows.items() if not names or name not in known_by]
        if not free:
            found = [sorted(knows)]
            break
        for name in free:
            del knows[name]
        knows = {name: names & knows.keys() for name, names in knows.items()}
    return found


def _module_of(target: str, known: Mapping[str, ast.Module]) -> str:
    if target == "scrimshaw.__version__" or not target.startswith("scrimshaw."):
        return ""
    name = target.removeprefix("scrimshaw.")
    if name in known:
        return name
    return name.rpartition(".")[0] or "__init__"


ADAPTERS = {"sources", "store", "models", "index", "archive", "host", "fleet"}
# A surface may name the values of an adapter that a service hands it.
VALUES = {"store.records", "models.model", "sources.reading", "fleet.search"}
# What is about an adapter itself: where a key is found, what changes in the stores.
MAY_REACH = {
    "web.tokens": {"models"},  # where a secret is found that the owner names by its variable
    "daemon.hints": {"sources"},
    "daemon.roster": {"sources"},
    "daemon.supervisor": {"sources"},
    "daemon.watching": {"sources"},
}


def past_the_services(modules: Iterable[Module]) -> list[str]:
    """Return where a surface reaches past the services, into an adapter."""
    return [
        f"{name}:{line}: imports {target}"
        for name, tree in modules
        if _part(name) in ("cli", "daemon", "web", "mcp_server")
        for target, line in _imports(tree)
        if target.startswith("scrimshaw.")
        and (room := target.split(".")[1]) in ADAPTERS
        and room not in MAY_REACH.get(name, ())
        and ".".join(target.split(".")[1:3]) not in VALUES
    ]


def impure_core(modules: Iterable[Module]) -> list[str]:
    complaints = []
    for name, tree in modules:
        if _part(name) != "core":
            continue
        for target, line in _imports(tree):
            parts = target.split(".")
            if parts[0] not in CORE_MAY_IMPORT and ".".join(parts[:2]) not in CORE_MAY_IMPORT:
                complaints.append(f"{name}:{line}: the core imports {target}")
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            match node.func:
                case ast.Name(id=called) if called in CORE_MUST_NOT_CALL:
                    complaints.append(f"{name}:{node.lineno}: the core calls {called}()")
                case ast.Attribute(attr=asked, value=ast.Name(id=of) | ast.Attribute(attr=of)):
                    if (of, asked) in CORE_MUST_NOT_ASK:
                        complaints.append(f"{name}:{node.lineno}: the core asks the clock: {of}.{asked}()")
    return complaints


def abroad_of_word_lists(modules: Iterable[Module]) -> list[str]:
    complaints = []
    for name, tree in modules:
        if _part(name) == "data":
            complaints += [
                f"{name}:{line}: the word lists import {target}"
                for target, line in _imports(tree)
                if target.split(".")[0] not in WORD_LISTS_MAY_IMPORT
            ]
            # A caller gives the name of a list, never a path.
            complaints += [
                f"{name}:{node.lineno}: takes a path"
                for node in ast.walk(tree)
                if isinstance(node, ast.arg) and "Path" in ast.dump(node)
            ]
    return complaints


def libraries_abroad(modules: Iterable[Module]) -> list[str]:
    return [
        f"{name}:{line}: imports {target}, whose place is {sorted(HOME_OF[target.split('.')[0]])}"
        for name, tree in modules
        for target, line in _imports(tree)
        if target.split(".")[0] in HOME_OF and _part(name) not in HOME_OF[target.split(".")[0]]
    ]


def catch_alls(modules: Iterable[Module]) -> list[str]:
    found = []
    for name, tree in modules:
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and _catches_all(node.type):
                found.append(f"{name}:{node.lineno}")
    return found


def _catches_all(caught: ast.expr | None) -> bool:
    match caught:
        case None:
            return True
        case ast.Name(id="Exception" | "BaseException"):
            return True
        case ast.Tuple(elts=several):
            return any(_catches_all(one) for one in several)
        case _:
            return False


def test_imports_go_in_one_direction():
    assert wrong_direction(_modules()) == []


def test_an_import_upwards_is_caught():
    upwards = _made_up("core.section.select", "from scrimshaw.store import ledger\n")
    sideways = _made_up("sources.reading", "import scrimshaw.cli.status\n")
    past_the_shell = _made_up("core.section.select", "from scrimshaw import files\n")
    the_face = _made_up("services.search.search", "from scrimshaw import Memory\n")

    assert len(wrong_direction(upwards)) == 1
    assert len(wrong_direction(sideways)) == 1
    assert len(wrong_direction(past_the_shell)) == 1
    assert len(wrong_direction(the_face)) == 1
    assert wrong_direction(_made_up("files", "from scrimshaw import __version__\n")) == []


def test_a_surface_goes_through_the_services():
    assert past_the_services(_modules()) == []


def test_a_surface_that_opens_a_ledger_is_caught():
    late = _made_up("cli.search", "def f():\n    from scrimshaw.store.ledger import open_ledger\n")

    assert len(past_the_services(late)) == 1
    assert past_the_services(_made_up("cli.spend", "from scrimshaw.store.records import SpendRow\n")) == []


def test_no_modules_know_each_other_in_a_circle():
    assert circles(_modules()) == []


def test_a_circle_is_caught_however_late_it_is_closed():
    one = "from scrimshaw.files import x\n"
    two = "def f():\n    from scrimshaw.logs import y\n"
    three = "from scrimshaw.logs import z\n"
    modules = [*_made_up("logs", one), *_made_up("files", two), *_made_up("daemon.run", three)]

    assert circles(modules) == [["files", "logs"]]


def test_the_core_has_no_io_no_clock_and_no_chance():
    assert impure_core(_modules()) == []


def test_an_impure_core_is_caught():
    for source in (
        "import os\n",
        "from pathlib import Path\n",
        "import urllib.request\n",
        "import logging\n",
        "import random\n",
        "def f():\n    import sqlite3\n",
        "def f(p):\n    return open(p).read()\n",
        "from datetime import datetime\nx = datetime.now()\n",
        "import datetime\nx = datetime.date.today()\n",
    ):
        assert len(impure_core(_made_up("core.section.select", source))) == 1, source


def test_word_lists_are_read_by_one_module_that_knows_nothing_else():
    assert abroad_of_word_lists(_modules()) == []
    assert [name for name, _ in _modules() if _part(name) == "data"] == ["data"]


def test_a_reader_of_word_lists_that_does_more_is_caught():
    for source in (
        "import os\n",
        "from scrimshaw.files import replace\n",
        "def f():\n    import urllib.request\n",
        "from pathlib import Path\ndef words(path: Path):\n    return path.read_text()\n",
    ):
        assert len(abroad_of_word_lists(_made_up("data", source))) == 1, source
    assert len(wrong_direction(_made_up("data", "from scrimshaw.core import types\n"))) == 1


def test_the_core_may_compute_with_dates():
    source = (
        "from datetime import datetime, UTC\ndef f(ms):\n    return datetime.fromtimestamp(ms / 1000, UTC)\n"
    )

    assert impure_core(_made_up("core.section.select", source)) == []


def test_heavy_libraries_stay_in_their_place():
    assert libraries_abroad(_modules()) == []


def test_a_heavy_library_elsewhere_is_caught():
    late = _made_up("services.observe.run", "def f():\n    from markdown_it import MarkdownIt\n")

    assert len(libraries_abroad(late)) == 1


def test_everything_is_caught_in_two_places_at_most():
    found = catch_alls(_modules())

    assert len(found) <= MOST_CATCH_ALLS, found
    assert [place for place in found if _part(place.split(":")[0]) not in CATCH_ALL_HOMES] == []


def test_a_catch_all_is_found_however_it_is_written():
    for handler in (
        "except:",
        "except Exception:",
        "except (OSError, Exception) as e:",
        "except BaseException:",
    ):
        made_up = _made_up("files", f"try:\n    pass\n{handler}\n    pass\n")

        assert catch_alls(made_up) == ["files:3"], handler


def test_tidying_up_catches_nothing():
    caught = _made_up("store.ledger", "try:\n    pass\nexcept BaseException:\n    close()\n    raise\n")
    passed_on = _made_up("store.ledger", "try:\n    pass\nfinally:\n    close()\n")

    assert (catch_alls(caught), catch_alls(passed_on)) == (["store.ledger:3"], [])


def crowded(modules: Iterable[Module]) -> list[str]:
    """Say which folders hold more modules than a reader takes in at a glance."""
    names = [name for name, _ in modules]
    folders = {name.rpartition(".")[0] for name in names}
    held = Counter(name.rpartition(".")[0] for name in names if name not in folders)
    return [f"{folder}: {count} modules" for folder, count in held.items() if count > MOST_MODULES]


def test_a_folder_holds_no_more_modules_than_one_takes_in():
    assert crowded(_modules()) == []


def test_a_crowded_folder_is_caught():
    full = [module for at in range(MOST_MODULES) for module in _made_up(f"cli.verb{at}", "")]
    deeper = [*_made_up("cli.render", ""), *_made_up("cli.render.status", "")]

    assert crowded([*full, *deeper]) == []
    assert crowded([*full, *_made_up("cli.one_more", "")]) == ["cli: 26 modules"]


def doubled_class_names(modules: Iterable[Module]) -> list[str]:
    """Say which public classes share their name: a search for one would find the other."""
    homes: dict[str, set[str]] = defaultdict(set)
    for module, tree in modules:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(module)
    return [f"{name}: {', '.join(sorted(where))}" for name, where in sorted(homes.items()) if len(where) > 1]


def test_the_name_of_a_public_class_is_its_own():
    assert doubled_class_names(_modules()) == []


def test_a_second_class_of_the_same_name_is_caught():
    twice = [*_made_up("store.one", "class State: ..."), *_made_up("host.two", "class State: ...")]
    hidden = [*_made_up("store.one", "class _Held: ..."), *_made_up("host.two", "class _Held: ...")]

    assert doubled_class_names(twice) == ["State: host.two, store.one"]
    assert doubled_class_names(hidden) == []


def test_there_are_modules_to_look_at():
    # A moved package would make every rule above hold for nothing.
    assert {"core.types", "errors", "config"} <= {name for name, _ in _modules()}
