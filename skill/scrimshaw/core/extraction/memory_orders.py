"""What people say to have the memory itself looked after: orders to an agent, and no memory.

"Delete MEMORY.md with your apply_patch tool" is done once and over; noted, it would stand there as a task, in
the very file that it is about. A rule for the memory ("never write to MEMORY.md by hand") is no order, and
neither is one that brings what is to be remembered with it.

`TOLD_TO_SAY` is the one place for what our own messages and documents tell people to say to their agent.
"""

from __future__ import annotations

import re

DELETE_MEMORY = "Delete MEMORY.md with your apply_patch tool, nothing else."
DELETE_SECTION = (
    "Delete the Observations section of MEMORY.md with your edit tool, from its heading to the end marker."
)
CONTEXT_LIST = "/context list"
CONTEXT_DETAIL = "/context detail"
TOLD_TO_SAY = (DELETE_MEMORY, DELETE_SECTION, CONTEXT_LIST, CONTEXT_DETAIL)

_SAID = frozenset(re.sub(r"\W+", " ", told).strip().lower() for told in TOLD_TO_SAY)
_BEGINS = frozenset(said.split()[0] for said in _SAID)
_ASKED_BY = re.compile(
    r"\W*(?:(?:the )?(?:user|person|owner|human) (?:has |had )?(?:ask|tell|told|want|request|instruct"
    r"|order)\w* "
    r"(?:for )?(?:the |its |their )?(?:agent |assistant |bot |it |you )?(?:to )?"
    r"|asked: |(?:can|could|would|will) you |(?:kannst|könntest) du |please |pls |bitte |now )+"
)
_ORDERS = re.compile(
    r"(?:change|check|clean|clear|copy|create|delete|display|dump|echo|edit|empty|execute|find|fix|get|give"
    r"|list|load|look"
    r"|move|observe|open|print|read|remove|rename|repair|reset|restore|rewrite|run|show|start|tell|update"
    r"|use|write)\b"
    r"|(?:bearbeit|beobacht|entfern|führ|gib|leer|lies|lösch|öffn|prüf|schreib|zeig)"
)
_OURS = re.compile(
    r"\bmemory\.md\b|\bmemory/(?:observations|episodic)\b|^(?:run|execute|use|start|führ\w*)\W+scrimshaw\b"
    r"|\bobservations? (?:section|file|log)s?"
    r"|\b(?:your|the|deine?n?|das) (?:memory|observations|gedächtnis)(?: file)?\W*$"
    # Its own environment and nobody's else: an owner has staging and test environments to look after.
    r"|^(?:display|dump|echo|give|list|print|read|show|tell|use|gib|lies|zeig)\w*\W+"
    r"(?:(?:me|us|mir|uns|the|your|whole|full|entire|current|process|shell|die|deine|ganze|gesamte) ){0,4}"
    r"(?:env|environment|umgebung)(?:svariablen| variables?| vars?)?\W*$"
)
_OBSERVE = re.compile(r"\W*observe(?: it| now| again| at once)*\W*$")
_LASTING = re.compile(
    r"\b(?:always|never|from now on|every|each|whenever|immer|nie|niemals|ab (?:jetzt|sofort))\b"
)
_BRINGS = re.compile(r"(?::|\bthat|\bdass)\s+(?:\S+\s+){2}\S")


def is_housekeeping(text: str) -> bool:
    """Whether *text*, a sentence or a line, only orders something done to the memory or the agent."""
    lower = text.lower()
    if any(map(lower.__contains__, _BEGINS)) and re.sub(r"\W+", " ", lower).strip() in _SAID:
        return True
    asked = _ASKED_BY.match(lower)
    order = lower[asked.end() :] if asked else lower.lstrip()
    if not _ORDERS.match(order) or _LASTING.search(order) or _BRINGS.search(order):
        return False
    return bool(_OBSERVE.match(order) or _OURS.search(order))
