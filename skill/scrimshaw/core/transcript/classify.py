"""What in a message is evidence and what the host or we put around it.

Pure text rules, no state. Our own section (between the scrimshaw markers) and everything that reads
or writes memory is no evidence: it would be observed again. Nor is what the host itself says in a
user's name: heartbeat polls, cron prompts, runtime context, inter-session mail. When a block is cut
off (a begin without an end), everything after it goes: text that may be ours is never let through.
"""

from __future__ import annotations

import re

import orjson

BEGIN = "<!-- scrimshaw:begin"
END = "<!-- scrimshaw:end -->"
MARKER = "<!-- scrimshaw:"
RUNTIME_BEGIN = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
RUNTIME_END = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
SILENT = frozenset(("NO_REPLY", "HEARTBEAT_OK"))
LONGEST_SILENT_CHARS = 64

# After a restart the host has the turn that it broke off finished: what is answered then is still that turn.
RECOVERY = "recovery"

# How the host's own prompts begin, with the word under which they are counted.
_PROMPTS = {
    "[OpenClaw heartbeat poll]": "heartbeat",
    "Read HEARTBEAT.md": "heartbeat",
    "[cron:": "cron",
    "[Subagent Context]": "subagent",
    "[Inter-session message]": "inter-session",
    "[Internal task completion event]": "internal",
    "[OpenClaw room event]": "internal",
    "[OpenClaw runtime event]": "internal",
    "[System] Your previous turn was interrupted": RECOVERY,
    "System: [": "internal",
    "System (untrusted): [": "internal",
    "An async command ": "internal",
    "A new session was started via /new or /reset.": "internal",
    "Pre-compaction memory flush": "internal",
}
_PROMPT_HEADS = tuple(_PROMPTS)
PROMPT_FIRST = frozenset(head[0] for head in _PROMPTS)  # one look tells nearly every message apart

# A block of facts about a message that the host writes above (or below) the person's words; newer hosts mark
# its label.
CONTEXT_MARK = "⟦openclaw:ctx⟧"
_FENCED_NOTE = re.compile(
    rf"^[A-Z][A-Za-z ]{{2,60}}(?:\(untrusted[^)\n]{{0,60}}\):|: {CONTEXT_MARK})[ \t]*\n"
    r"```json\n.*?\n```[ \t]*\n*",
    re.MULTILINE | re.DOTALL,
)
# What is kept of the note above a message that was passed on: nothing below it is the person's (own_words).
FORWARDED = "Forwarded message:\n\n"
_FORWARDED_NOTE = "Forwarded message context"
_FORWARDED_FIELD = re.compile(r'"has_forwarded_context": ?true')
# A voice message as some channels write it down, where nothing was typed.
_VOICE = re.compile(
    r'^\[Audio transcript \(machine-generated, untrusted\)\]: ("(?:[^"\\\n]|\\.)*")', re.MULTILINE
)
_CONVERSATION_NOTE = re.compile(
    rf"Conversation info(?: \(untrusted[^)\n]{{0,60}}\):|: {CONTEXT_MARK})[ \t]*\n"
    r"```json\n(.{1,8000}?)\n```",
    re.DOTALL,
)
_SHARED_FIELD = re.compile("group|channel|space|label|topic|thread|mention|history", re.IGNORECASE)
_SHARED_CHAT = re.compile(r"group|channel|room|@g\.us|:-|\A-", re.IGNORECASE)
_CHAT_HISTORY = re.compile(
    r"^(?:Chat history since last reply|Conversation context|Thread starter|Repl[a-z]+ [a-z ]*user message)"
    r" \(untrusted[^)\n]*\):[ \t]*\n(?:.+\n)*\n*",
    re.MULTILINE,
)
_MARKED_NOTE = re.compile(rf"^.{{1,120}} {CONTEXT_MARK}[ \t]*\n(?:.+\n)*\n*", re.MULTILINE)
_MARKED_TRAILING_NOTE = re.compile(rf"\n{{1,3}}Context: {CONTEXT_MARK}.*\Z", re.DOTALL)
# Mail and web pages: words of strangers in the user's place.
_OUTSIDE = re.compile(
    r"<<<EXTERNAL_UNTRUSTED_CONTENT.*?(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT[^>\n]*>>>|\Z)", re.DOTALL
)
_TRAILING_NOTE = re.compile(r"\n+Untrusted context \(metadata.*\Z", re.DOTALL)
_STAMP = re.compile(r"\[[A-Z][^\]\n]{0,100}\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,40}\][ \t]*")
# The line above a message whose turn was broken off, where a host stores it again with the next one.
_QUEUED = re.compile(r"\[Queued user message [^\]\n]{1,200}\][ \t]*\n")
_REPLY_TAG = re.compile(r"\[\[[a-z_]+(?::[^\]\n]{0,80})?\]\][ \t]*")
_COMMAND = re.compile(r"/[a-z][a-z_-]{0,30}\Z")

_MEMORY_WORDS = ("memory.md", "memory/observations", "memory/episodic", "scrimshaw")
# Their results are other sessions' words or our own memory.
HIDDEN_TOOLS = frozenset(
    (
        "memory_search", "memory_get", "memory_recall", "sessions_send", "sessions_spawn", "sessions_history",
        "sessions_list", "sessions_search", "sessions_yield", "session_status", "subagents",
        "memory_context", "memory_write", "memory_why", "memory_forget", "memory_status",
    )
)  # fmt: skip
_OWN_TOOLS = "scrimshaw"  # as a plug-in (scrimshaw_search) or a server (scrimshaw__memory_get) names them


def is_hidden_tool(name: str) -> bool:
    """Tell whether calls and results of the tool *name* are no evidence, whatever its server is called."""
    return name.rpartition("__")[2] in HIDDEN_TOOLS or _OWN_TOOLS in name


def prompt_kind(text: str) -> str:
    """Return what kind of host prompt *text* is ("heartbeat", "cron", …); "" for a person's words."""
    if text[:1] in PROMPT_FIRST and text.startswith(_PROMPT_HEADS):
        return next(kind for head, kind in _PROMPTS.items() if text.startswith(head))
    return ""


def is_command(text: str) -> bool:
    """Tell whether *text* is nothing but a command to the host, like "/new"."""
    return text.startswith("/") and _COMMAND.match(text) is not None


def cut_section(text: str) -> str:
    """Return *text* without our own section; with half a section, without all that may belong to it."""
    return _cut_blocks(text, BEGIN, END)


def _cut_blocks(text: str, begin: str, end: str) -> str:
    kept: list[str] = []
    rest = text
    while rest:
        start = rest.find(begin)
        stop = rest.find(end, max(start, 0))
        if start < 0 and stop < 0:
            kept.append(rest)
            break
        if start >= 0 and (stop < 0 or start < stop):
            kept.append(rest[:start])
        if stop < 0:
            break
        rest = rest[stop + len(end) :]
    return "".join(kept)


def person_words(text: str) -> str:
    """Return what the person said, without the notes, stamps and context that the host put around it."""
    if "<" in text and "<<<" in text:
        text = _OUTSIDE.sub("", _cut_blocks(text, RUNTIME_BEGIN, RUNTIME_END))
    if text.startswith("["):
        stamp = _STAMP.match(text)
        if stamp is not None:
            text = text[stamp.end() :]
        queued = _QUEUED.match(text)
        if queued is not None:
            text = text[queued.end() :]
    is_marked = CONTEXT_MARK in text
    if is_marked:
        text = _MARKED_TRAILING_NOTE.sub("", text)
    if is_marked or ("(" in text and "ntrusted" in text):
        text = _FENCED_NOTE.sub(_left_of_note, text).replace(FORWARDED * 2, FORWARDED)
        text = _TRAILING_NOTE.sub("", _CHAT_HISTORY.sub("", text))
        text = _VOICE.sub(_voice_words, text)
    return _MARKED_NOTE.sub("", text) if is_marked else text


def _left_of_note(note: re.Match[str]) -> str:
    is_forwarded = note[0].startswith(_FORWARDED_NOTE) or _FORWARDED_FIELD.search(note[0])
    return FORWARDED if is_forwarded else ""


def _voice_words(found: re.Match[str]) -> str:
    try:
        return str(orjson.loads(found[1]))
    except ValueError:
        return found[0]


def says_group(text: str) -> bool:
    """Tell whether the host's note above a message says that it comes from a group."""
    return '"is_group_chat": true' in text or '"is_group_chat":true' in text or '"group_subject"' in text


def direct_sender(text: str) -> str | None:
    """Return who sent a message above which the host notes a direct chat: "" unnamed, None without a note.

    The host leaves the group, its label and its mentions out of the note in a direct chat only.
    """
    stamp = _STAMP.match(text)
    found = _CONVERSATION_NOTE.match(text, stamp.end() if stamp else 0)
    try:
        note = orjson.loads(found[1]) if found else None
    except ValueError:
        note = None
    if type(note) is not dict or not note or any(_SHARED_FIELD.search(field) for field in note):
        return None
    if _SHARED_CHAT.search(str(note.get("chat_id", ""))):
        return None
    sender = note.get("sender_id", note.get("sender", ""))
    return sender if type(sender) is str else orjson.dumps(sender).decode()


def cut_reply_tag(text: str) -> str:
    """Return an assistant's text without the routing tag before it, like [[reply_to_current]]."""
    tag = _REPLY_TAG.match(text)
    return text if tag is None else text[tag.end() :]


def names_memory(arguments: str) -> bool:
    """Tell whether a call names the memory's files or us; then neither it nor its result is evidence."""
    lowered = arguments.lower()
    if "memory" not in lowered and "scrimshaw" not in lowered:
        return False
    return any(word in lowered for word in _MEMORY_WORDS)
