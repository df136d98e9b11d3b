"""Run one measurement: `python -m bench NAME [options]`; without a name, list them."""

from __future__ import annotations

import importlib
import sys

# The first six are questions that a reader has; the others look closer at one thing each.
BENCHES = {
    "retention": "how much of what will be asked the section keeps, alone and with recall",
    "answers": "how many questions about people's lives the section alone answers",
    "changes": "whether what changes is noticed: newer in, older out, nothing else closed",
    "conflicts": "whether lines that contradict each other are found, and how fast",
    "junk": "whether chatter is told from memories",
    "judged": "what readers make of the section's lines, not knowing which version wrote them",
    "labelled": "how good the lines of sections are, by the labels of chats not learned from",
    "lives": "what stands at the end of whole conversations, beside what a careful reader would keep",
    "retrieval": "how well what was said is found again, beside other ways to search",
    "cost": "what the agent's provider bills, with and without a section, and what an observer uses",
    "speed": "how fast everything is, beside the peers, and how it grows",
    "statements": "plain statements of everyday life in eight languages: noted, and where",
    "tongues": "questions in one language about notes in another",
    "recall": "search, indexing, export and import, as-of: speed",
    "working": "storing and finding for programs, both layers, consolidation: speed",
    "serve": "the server beside a bare FastAPI echo: one by one, many at once, connections that are cut",
    "fleet": "many agents on one PostgreSQL: search, how soon a line is elsewhere, a sync, sizes",
    "plugin": "how fast a tool of the OpenClaw plug-in answers, in the host's own process",
    "page": "how soon the page is seen at 100,000 lines, and how much it loads",
    "newcomer": "how long from install to a mended contradiction, step by step",
    "pictures": "the page's views, dark and light, desk and phone, as files to be looked at",
    "mcp": "how soon the MCP server shows its tools, and how fast it answers",
    "reading": "transcripts read and classified, against the peers",
    "redaction": "secrets found, and the speed of looking for them",
    "verify": "what the gate lets through, and its speed",
    "truth": "the samples' ground truth: what the section and the dated files hold",
    "observing": "speed of the rules alone",
    "whole": "the command as a process: a large backlog, nothing new, status",
    "walk": "the functions and files that one command passes",
    "daemon": "the daemon: how fresh, idle, and how soon up",
}


BY_MEANING = "--by-meaning"  # of any bench that lets the rules note: weighed by meaning, too


def main(arguments: list[str]) -> int:
    """Run the named bench with the rest of *arguments*."""
    if not arguments or arguments[0] not in BENCHES:
        for name, what in BENCHES.items():
            print(f"{name:12} {what}")
        return 2
    if BY_MEANING in arguments:
        from bench import pipeline

        pipeline.weigh_by_meaning()
        arguments = [one for one in arguments if one != BY_MEANING]
    return int(importlib.import_module(f"bench.{arguments[0]}").main(arguments[1:]) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
