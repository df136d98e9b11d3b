"""The tables of patterns: every group that the code names is there and compiles, and none is left over."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scrimshaw import data
from scrimshaw.core.language.patterns import PatternTable, Phrases

PACKAGE = Path(data.__file__).resolve().parents[1]
_GROUP = re.compile(r"(?:\b|(?<=\\b))[A-Z][A-Z_]*[A-Z]\b")


@cache
def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def _tables() -> Iterator[tuple[str, str, list[ast.Module]]]:
    """Yield the name of each table that the package makes, what the code calls it, and where it does."""
    for path, tree in _trees().items():
        for node in tree.body:
            is_made = isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            if is_made and getattr(node.value.func, "id", "") == "PatternTable":
                alias = node.targets[0].id
                is_shared = path.name == "__init__.py" or not alias.startswith("_")
                yield node.value.args[0].value, alias, list(_trees().values()) if is_shared else [tree]


@cache  # every table asks of every module
def _upper_attributes(tree: ast.Module) -> frozenset[tuple[str, str]]:
    """Return each `name.GROUP` of a module."""
    return frozenset(
        (node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.isupper()
    )


@cache
def _groups_in_strings(tree: ast.Module) -> frozenset[str]:
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return frozenset(
        found.lower() for text in texts if isinstance(text, str) for found in _GROUP.findall(text)
    )


def _attributes(alias: str, where: list[ast.Module]) -> set[str]:
    """Return the groups that are asked for as `alias.NAME`, in lower case."""
    return {attr.lower() for tree in where for name, attr in _upper_attributes(tree) if name == alias}


def _strings(where: list[ast.Module]) -> set[str]:
    """Return the groups that strings name, as `pattern("NAME")` does, or a pattern that is put together."""
    return {found for tree in where for found in _groups_in_strings(tree)}


def test_each_group_of_each_table_is_there_compiles_and_is_asked_for() -> None:
    # Not a case a table: to name the cases, each worker would parse the package while it collects.
    tables = list(_tables())
    assert len(tables) > 3
    for name, alias, where in tables:
        table, groups = PatternTable(name), data._groups(name)
        named = {
            found.lower() for group in groups.values() for line in group for found in _GROUP.findall(line)
        }
        asked = _attributes(alias, where)

        for group, lines in groups.items():
            rows = table.rows(group.upper()) if lines[0] == "each:" else [table.text(group.upper())]
            for row in rows:
                re.compile(table.written_out(row))

        assert asked - groups.keys() == set(), name
        assert groups.keys() - asked - named - _strings(where) == set(), name


def test_a_group_that_is_not_there_is_a_mistake_when_it_is_first_asked() -> None:
    found = PatternTable("cues").NO_SUCH_GROUP

    assert isinstance(found, Phrases)
    with pytest.raises(ValueError, match="no_such_group"):
        found.search("anything")
