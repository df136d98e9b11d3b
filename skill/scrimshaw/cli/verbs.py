"""The verbs of the command line, each with what it does in a line, and their modules; nothing is imported."""

from __future__ import annotations

COMPLETES = "_SCRIMSHAW_COMPLETE"  # the variable by which a shell asks what may follow
VERBS = {
    "install": "set Scrimshaw up in OpenClaw (skill, hook, AGENTS.md, service), then check everything",
    "uninstall": "remove what install put in place; files that it changed are restored to the byte",
    "doctor": "check everything, explain what is wrong, and repair what is safe to repair",
    "observe": "read new messages and bring MEMORY.md up to date",
    "run": "run the daemon in the foreground: follow every conversation, keep MEMORY.md current",
    "reflect": "merge repeated lines, retire replaced and outdated ones",
    "status": "show sources, backlog, section size and the last run",
    "init": "set up a workspace, after showing what would be written",
    "preview": "show the section each workspace would get; write nothing",
    "add": "add a note by hand: the person's own words, or the agent's through exec",
    "search": "find notes by words and by meaning, and where each stands",
    "store": "keep a program's memory in the quick working layer",
    "recall": "find memories and notes, and keep what was found longer for it",
    "consolidate": "move memories that have expired into the ledger and its archives",
    "reindex": "rebuild the search index from the ledger",
    "forget": "erase a note, a conversation or everything before a day, for good",
    "pin": "pin a line: shown first, never merged away",
    "unpin": "remove the pin from a line",
    "log": "list the section's revisions: when, why, by which run, how much changed",
    "diff": "show what one revision changed, or how two differ",
    "undo": "undo one revision; the undo is a revision, too",
    "as-of": "show the section as it was at some time, or search what was known then",
    "timeline": "list what was noted, day by day",
    "why": "show the messages, run and checks behind a line, and what became of it",
    "mcp": "serve an agent's memory to a host that speaks MCP, on stdin and stdout",
    "stats": "show what is known: facts by type, how fresh, what is recalled most",
    "stale": "go through the facts that may no longer hold: reinforce or delete",
    "trend": "show how a figure has moved, day by day",
    "context": "print what a model is given for a program's conversation",
    "conversations": "list the conversations that programs hand in, or show one's state",
    "archive": "update, check or rebuild the .mv2 archives",
    "export": "write an agent's memory to one portable file",
    "import": "load an exported memory, or a memvid file of another program",
    "fleet": "one memory for many machines, on PostgreSQL: join, leave, status, sync, migrate, demo",
    "models": "show which models can be used and where text would go; try one: models test",
    "review": "accept, edit or reject proposals that were refused or are waiting",
    "health": "score the memory, 0 to 100; each lost point with its lines and the command that mends it",
    "clean": "take out chatter and what is told twice; undo takes it back",
    "conflicts": "show lines that contradict each other; merge, keep both or delete one",
    "spend": "show what models have cost, by day, agent, model and job",
    "service": "run the daemon as a systemd user service: install, uninstall, status",
    "serve": "answer programs over HTTP, on this machine or a unix socket",
    "open": "open the page that shows what is remembered, in your browser",
    "token": "make, list and take back tokens for the server: create, list, revoke, rotate",
    "config": "show the settings in force and where each comes from",
    "completion": "print what completes commands in bash, zsh or fish",
    "accept-edits": "accept a large change that you made to the section by hand",
    "restore": "put back the lines that a large change by hand removed",
}
# The module of each verb that does not have the verb's name.
MODULES = {
    verb: module
    for module, verbs in {
        "archive": ("export", "import", "reindex"),
        "conversations": ("context",),
        "daemon": ("run", "service"),
        "edit": ("add", "pin", "unpin", "undo"),
        "history": ("log", "diff", "as-of", "timeline", "why"),
        "insight": ("stats", "stale", "trend", "health", "clean"),
        "models": ("spend",),
        "observe": ("preview", "accept-edits", "restore"),
        "setup": ("install", "uninstall", "init", "config"),
        "status": ("doctor",),
        "token": ("open",),
        "working": ("store", "recall", "consolidate"),
    }.items()
    for verb in verbs
}
