"""The verbs of the command line, each with what it does in a line, and their modules; nothing is imported."""

from __future__ import annotations

COMPLETES = "_SCRIMSHAW_COMPLETE"  # the variable by which a shell asks what may follow
# What is asked for together stands together, what is needed most first: the order of help and reference.
GROUPS = {
    "Every day": {
        "status": "show sources, backlog, section size and the last run",
        "observe": "read new messages and bring MEMORY.md up to date",
        "add": "add a note by hand: the person's own words, or the agent's through exec",
        "search": "find notes by words and by meaning, and where each stands",
        "why": "show the messages, run and checks behind a line, and what became of it",
        "timeline": "list what was noted, day by day",
        "undo": "undo one revision; the undo is a revision, too",
    },
    "Put in place": {
        "install": "set Scrimshaw up in OpenClaw (skill, hook, AGENTS.md, service), then check everything",
        "uninstall": "remove what install put in place; files that it changed are restored to the byte",
        "doctor": "check everything, explain what is wrong, and repair what is safe to repair",
        "init": "set up a workspace, after showing what would be written",
        "config": "show the settings in force and where each comes from",
        "preview": "show the section each workspace would get; write nothing",
        "service": "run the daemon as a systemd user service: install, uninstall, status",
        "run": "run the daemon in the foreground: follow every conversation, keep MEMORY.md current",
        "completion": "print the completion script for bash, zsh or fish",
    },
    "What it knows, and mending it": {
        "open": "open the page that shows what is remembered, in your browser",
        "stats": "show figures: facts by type, how recent they are, what is recalled most",
        "health": "score the memory, 0 to 100; each lost point with its lines and the command that mends it",
        "stale": "go through the facts that may no longer hold: reinforce or delete",
        "conflicts": "show lines that contradict each other; merge, keep both or delete one",
        "review": "accept, edit or reject proposals that were refused or are waiting",
        "clean": "remove small talk and duplicates; undo reverts it",
        "trend": "show how a figure has changed, day by day",
    },
    "Change by hand": {
        "pin": "pin a line: shown first, never merged away",
        "unpin": "remove the pin from a line",
        "forget": "erase a note, a conversation or everything before a day, for good",
        "accept-edits": "accept a large change that you made to the section by hand",
        "restore": "put back the lines that a large change by hand removed",
        "reflect": "merge repeated lines, retire replaced and outdated ones",
    },
    "The past": {
        "log": "list the section's revisions: when, why, by which run, how much changed",
        "diff": "show what one revision changed, or how two differ",
        "as-of": "show the section as it was at some time, or search what was known then",
    },
    "Models": {
        "models": "show which models can be used and where text would go; try one: models test",
        "spend": "show what models have cost, by day, agent, model and job",
    },
    "Take it elsewhere": {
        "export": "write an agent's memory to one portable file",
        "import": "load an exported memory, or a memvid file of another program",
        "archive": "update, check or rebuild the .mv2 archives",
        "reindex": "rebuild the search index from the ledger",
        "fleet": "one memory for many machines, on PostgreSQL: join, leave, status, sync, migrate, demo",
    },
    "For programs": {
        "store": "keep a program's memory in the quick working layer",
        "recall": "find memories and notes, and keep what was found longer for it",
        "consolidate": "move memories that have expired into the ledger and its archives",
        "context": "print the context for a model in a program's conversation",
        "conversations": "list the conversations that programs hand in, or show one's state",
        "serve": "answer programs over HTTP, on this machine or a unix socket",
        "token": "create, list and revoke tokens for the server: create, list, revoke, rotate",
        "mcp": "serve an agent's memory to a host that speaks MCP, on stdin and stdout",
    },
}
VERBS = {verb: what for group in GROUPS.values() for verb, what in group.items()}
# By which options each says about whom it is; a group's own verbs do, not the group.
_PLACE = ("home", "state_dir", "workspace", "agent")
WHERE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (*VERBS, "fleet join", "fleet leave", "fleet status", "fleet sync", "models test"), _PLACE
    ),
    **dict.fromkeys(("install", "uninstall", "service install"), _PLACE[1:]),
    **dict.fromkeys(("open", "token create", "token list", "token revoke", "token rotate"), _PLACE[:1]),
    **dict.fromkeys(("completion", "fleet", "service", "token"), ()),
    "serve": _PLACE[:2],
    "export": _PLACE[:3],  # the agent is its argument
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
        "setup": ("install", "uninstall", "init"),
        "status": ("doctor",),
        "token": ("open",),
        "working": ("store", "recall", "consolidate"),
    }.items()
    for verb in verbs
}
