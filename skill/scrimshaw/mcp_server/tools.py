"""The seven tools: purpose, arguments and answers. The types are the schemas sent to clients.

Names, descriptions and input schemas are in every prompt of every host, so they are short; a test counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from scrimshaw.core.types import MAX_TEXT_CHARS
from scrimshaw.mcp_server import answers

Query = Annotated[str, Meta(min_length=1, max_length=1_000)]
Id = Annotated[str, Meta(min_length=6, max_length=64)]
Day = Annotated[str, Meta(max_length=60)]


class SearchArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What `memory_search` takes."""

    query: Annotated[Query, Meta(description="words, or a whole question")]
    limit: Annotated[int, Meta(ge=1, le=20)] = 8
    since: Annotated[Day, Meta(description="2026-11-03, last Tuesday")] = ""
    until: Day = ""


class GetArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What `memory_get` takes."""

    ids: Annotated[list[Id], Meta(min_length=1, max_length=10)]


class ContextArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What `memory_context` takes."""

    query: Annotated[str, Meta(max_length=1_000, description="the task, if there is one")] = ""


class WriteArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What `memory_write` takes."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT_CHARS, description="one sentence")]
    kind: Literal["decision", "preference", "fact", "issue", "next-step", "outcome"] | UnsetType = UNSET
    importance: Literal["important", "minor"] | UnsetType = UNSET


class OneArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What `memory_why` and `memory_forget` take."""

    id: Id


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What `memory_status` takes."""


class Tool(NamedTuple):
    """One tool, as a host sees it."""

    name: str
    title: str
    description: str
    takes: type[Struct]
    gives: type[Struct]
    writes: Literal["", "adds", "erases"] = ""

    def listed(self) -> dict[str, Any]:
        """Return it as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": _schema(self.takes),
            "outputSchema": _schema(self.gives),
            "annotations": {
                "readOnlyHint": not self.writes,
                "destructiveHint": self.writes == "erases",
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "memory_search",
            "Search memory",
            "Search long-term memory. Use before you answer about earlier conversations, people, decisions, "
            "preferences or dates, and before you ask the person something again.",
            SearchArguments,
            answers.SearchAnswer,
        ),
        Tool(
            "memory_get",
            "Read lines",
            "Read whole lines by id. Use when a result was cut, or whether it still holds matters.",
            GetArguments,
            answers.GetAnswer,
        ),
        Tool(
            "memory_context",
            "Recall what matters",
            "Get what matters most now: the standing notes, and lines for a query. Use once, when a "
            "conversation or task starts.",
            ContextArguments,
            answers.ContextAnswer,
        ),
        Tool(
            "memory_write",
            "Note something",
            "Note one lasting fact, decision or preference. Use when the person asks you to remember it, or "
            "settles something. It is checked against the conversations: use their words, add nothing.",
            WriteArguments,
            answers.WriteAnswer,
            "adds",
        ),
        Tool(
            "memory_why",
            "Show where a line comes from",
            "Show what a line rests on: messages, who noted it, what became of it. Use when the person "
            "doubts a line, or two disagree.",
            OneArguments,
            answers.WhyAnswer,
        ),
        Tool(
            "memory_forget",
            "Propose to forget",
            "Propose to erase one line for good. Use only when the person asks to forget it. They confirm it "
            "themselves; you cannot.",
            OneArguments,
            answers.ForgetAnswer,
            "erases",
        ),
        Tool(
            "memory_status",
            "Check the memory",
            "Show how much memory holds, when it last noted, what is wrong. Use when results are missing.",
            NoArguments,
            answers.StatusAnswer,
        ),
    )
}


@cache
def list_tools(*, read_only: bool) -> tuple[dict[str, Any], ...]:
    """Return the tools as `tools/list` shows them; *read_only* leaves out those that write."""
    return tuple(tool.listed() for tool in TOOLS.values() if not (read_only and tool.writes))


def arguments_of(tool: Tool, given: Mapping[str, Any]) -> Struct:
    """Return *given* as the arguments of *tool*; raises ValueError with what is wrong.

    A null is left out, and 2.0 is the integer 2, as JSON Schema has it.
    """
    said = {name: _whole(value) for name, value in given.items() if value is not None}
    return msgspec.convert(said, tool.takes)


def _whole(value: Any) -> Any:  # noqa: ANN401  # any JSON
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _schema(of: type[Struct]) -> dict[str, Any]:
    """Return the JSON Schema of *of*, an object at its root, as every version of the protocol takes it."""
    (_,), parts = msgspec.json.schema_components([of])
    schema = parts.pop(of.__name__)
    named = {"$defs": _plain(parts)} if parts else {}
    plain: dict[str, Any] = _plain(schema)
    return {**plain, **named}


def _plain(schema: Any) -> Any:  # noqa: ANN401  # any part of a JSON Schema
    """Return *schema* without titles, docstrings and empty defaults, references pointing into `$defs`.

    An enumeration is given the type string, which some hosts' models require.
    """
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    is_type = "properties" in schema
    plain: dict[str, Any] = {"type": "string"} if "enum" in schema else {}
    for name, value in schema.items():
        if name == "$ref":
            plain[name] = f"#/$defs/{value.rpartition('/')[2]}"
        elif name == "properties":
            plain[name] = {field: _plain(one) for field, one in value.items()}  # a field may be named "title"
        elif not (
            name == "title"
            or (is_type and name == "description")
            or (name in ("default", "required") and value in ("", []))
        ):
            plain[name] = _plain(value)
    return plain
