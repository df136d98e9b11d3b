"""Scrimshaw: the memory of an OpenClaw agent, kept in the `## Observations` section of MEMORY.md.

For a program there is one door, `Memory`; what its methods take and return is here by name. Nothing is loaded
before it is asked for, so `import scrimshaw` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.11.0"

if TYPE_CHECKING:
    from scrimshaw.client import Client, ServerReply
    from scrimshaw.core.search.layers import LayerName
    from scrimshaw.core.types import Author, Kind
    from scrimshaw.core.working import Category, Knowledge, KnowledgeStatus, MemoryType, StoredMemory
    from scrimshaw.doctor.finding import Examination
    from scrimshaw.errors import Exit, NotFoundError, OutdatedError, UserError
    from scrimshaw.memory import Memories, Memory, Progress
    from scrimshaw.services.archive.export import ExportResult
    from scrimshaw.services.archive.import_ import ImportResult
    from scrimshaw.services.archive.write import ArchiveResult
    from scrimshaw.services.conversations.context import ConversationContext
    from scrimshaw.services.conversations.listing import ConversationList, ConversationMemory
    from scrimshaw.services.conversations.messages import AddedMessage
    from scrimshaw.services.edit.add import AddResult
    from scrimshaw.services.edit.forget import ForgetPlan, ForgetResult
    from scrimshaw.services.edit.pin import PinResult
    from scrimshaw.services.edit.review import ReviewQueue
    from scrimshaw.services.edit.undo import UndoResult
    from scrimshaw.services.history.lines import LinesById
    from scrimshaw.services.history.provenance import LineProvenance
    from scrimshaw.services.history.revisions import KnownAt, RevisionLog, SectionAsOf, SectionDiff, Timeline
    from scrimshaw.services.insight.deciding import DecidedLine
    from scrimshaw.services.insight.look import StaleResult, StatsResult
    from scrimshaw.services.insight.trend import TrendResult
    from scrimshaw.services.metrics.gather import AgentMetrics
    from scrimshaw.services.models.forecast import Forecast
    from scrimshaw.services.models.spending import SpendReport
    from scrimshaw.services.observe.run import ObserveResult
    from scrimshaw.services.observe.task import ObserveOptions
    from scrimshaw.services.reflect.run import ReflectResult
    from scrimshaw.services.search.index import ReindexResult
    from scrimshaw.services.search.log import SearchResult
    from scrimshaw.services.search.search import SearchMode
    from scrimshaw.services.search.transcripts import FoundMessages
    from scrimshaw.services.status.status import WorkspaceStatus
    from scrimshaw.services.working.consolidate import ConsolidationResult
    from scrimshaw.services.working.cortex import CortexResult
    from scrimshaw.services.working.keeping import KnowledgePage, MemoryPage
    from scrimshaw.services.working.search import LayerHit

_HOMES = {
    name: module
    for module, names in {
        "client": ("Client", "ServerReply"),
        "core.search.layers": ("LayerName",),
        "core.types": ("Author", "Kind"),
        "core.working": ("Category", "Knowledge", "KnowledgeStatus", "MemoryType", "StoredMemory"),
        "doctor.finding": ("Examination",),
        "errors": ("Exit", "NotFoundError", "OutdatedError", "UserError"),
        "memory": ("Memories", "Memory", "Progress"),
        "services.archive.export": ("ExportResult",),
        "services.archive.import_": ("ImportResult",),
        "services.archive.write": ("ArchiveResult",),
        "services.conversations.context": ("ConversationContext",),
        "services.conversations.listing": ("ConversationList", "ConversationMemory"),
        "services.conversations.messages": ("AddedMessage",),
        "services.edit.add": ("AddResult",),
        "services.edit.forget": ("ForgetPlan", "ForgetResult"),
        "services.edit.pin": ("PinResult",),
        "services.edit.review": ("ReviewQueue",),
        "services.edit.undo": ("UndoResult",),
        "services.history.lines": ("LinesById",),
        "services.history.provenance": ("LineProvenance",),
        "services.history.revisions": ("KnownAt", "RevisionLog", "SectionAsOf", "SectionDiff", "Timeline"),
        "services.insight.deciding": ("DecidedLine",),
        "services.insight.look": ("StaleResult", "StatsResult"),
        "services.insight.trend": ("TrendResult",),
        "services.metrics.gather": ("AgentMetrics",),
        "services.models.forecast": ("Forecast",),
        "services.models.spending": ("SpendReport",),
        "services.observe.run": ("ObserveResult",),
        "services.observe.task": ("ObserveOptions",),
        "services.reflect.run": ("ReflectResult",),
        "services.search.index": ("ReindexResult",),
        "services.search.log": ("SearchResult",),
        "services.search.search": ("SearchMode",),
        "services.search.transcripts": ("FoundMessages",),
        "services.status.status": ("WorkspaceStatus",),
        "services.working.consolidate": ("ConsolidationResult",),
        "services.working.cortex": ("CortexResult",),
        "services.working.keeping": ("KnowledgePage", "MemoryPage"),
        "services.working.search": ("LayerHit",),
    }.items()
    for name in names
}

__all__ = [
    "AddResult",
    "AddedMessage",
    "AgentMetrics",
    "ArchiveResult",
    "Author",
    "Category",
    "Client",
    "ConsolidationResult",
    "ConversationContext",
    "ConversationList",
    "ConversationMemory",
    "CortexResult",
    "DecidedLine",
    "Examination",
    "Exit",
    "ExportResult",
    "Forecast",
    "ForgetPlan",
    "ForgetResult",
    "FoundMessages",
    "ImportResult",
    "Kind",
    "Knowledge",
    "KnowledgePage",
    "KnowledgeStatus",
    "KnownAt",
    "LayerHit",
    "LayerName",
    "LineProvenance",
    "LinesById",
    "Memories",
    "Memory",
    "MemoryPage",
    "MemoryType",
    "NotFoundError",
    "ObserveOptions",
    "ObserveResult",
    "OutdatedError",
    "PinResult",
    "Progress",
    "ReflectResult",
    "ReindexResult",
    "ReviewQueue",
    "RevisionLog",
    "SearchMode",
    "SearchResult",
    "SectionAsOf",
    "SectionDiff",
    "ServerReply",
    "SpendReport",
    "StaleResult",
    "StatsResult",
    "StoredMemory",
    "Timeline",
    "TrendResult",
    "UndoResult",
    "UserError",
    "WorkspaceStatus",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Load the module that *name* lives in, once somebody asks for it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
