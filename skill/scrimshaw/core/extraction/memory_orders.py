"""Recognise orders to maintain the memory itself, which are not worth remembering.

"Delete MEMORY.md with your apply_patch tool" is done once; as a note it would stay as a task, in the very
file that it is about. A lasting rule for the memory ("never write to MEMORY.md by hand") is not such an
order, and neither is one that contains what is to be remembered.

`TOLD_TO_SAY` lists what our own messages and documents tell people to say to their agent.
"""

from __future__ import annotations

import re

from scrimshaw.core.language import PatternTable

DELETE_MEMORY = "Delete MEMORY.md with your apply_patch tool, nothing else."
DELETE_SECTION = (
    "Delete the Observations section of MEMORY.md with your edit tool, from its heading to the end marker."
)
CONTEXT_LIST = "/context list"
CONTEXT_DETAIL = "/context detail"
TOLD_TO_SAY = (DELETE_MEMORY, DELETE_SECTION, CONTEXT_LIST, CONTEXT_DETAIL)

_SAID = frozenset(re.sub(r"\W+", " ", told).strip().lower() for told in TOLD_TO_SAY)
_BEGINS = frozenset(said.split()[0] for said in _SAID)
_orders = PatternTable("memory_orders")


def is_housekeeping(text: str) -> bool:
    """Tell whether the sentence *text* only asks for something to be done to the memory or the agent."""
    lower = text.lower()
    if any(map(lower.__contains__, _BEGINS)) and re.sub(r"\W+", " ", lower).strip() in _SAID:
        return True
    asked = _orders.pattern("ASKED_BY").match(lower)
    order = lower[asked.end() :] if asked else lower.lstrip()
    if not _orders.pattern("ORDERS").match(order):
        return False
    if _orders.pattern("LASTING").search(order) or _orders.pattern("BRINGS").search(order):
        return False
    return bool(_orders.pattern("OBSERVE").match(order) or _orders.pattern("OURS").search(order))
