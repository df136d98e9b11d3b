"""What a session is for: the host's key tells, and where it is lost, what little its content proves.

Only a private conversation may feed a MEMORY.md that is private, so every doubt goes against it: any
sign of a group, a schedule or a program wins over the rest, and a session of which nothing is known is
UNKNOWN, which is left out like a group.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrimshaw.core.transcript import classify
from scrimshaw.core.transcript.events import TranscriptEvent, message_text
from scrimshaw.core.types import SessionKind

_KEY_MARKS = (
    (":subagent:", SessionKind.SUBAGENT),
    (":cron:", SessionKind.CRON),
    (":heartbeat:", SessionKind.HEARTBEAT),
    (":hook:", SessionKind.HOOK),
    (":group:", SessionKind.GROUP),
    (":channel:", SessionKind.CHANNEL),
    (":room:", SessionKind.CHANNEL),
    # Older keys that hosts still carry: WhatsApp's groups and Discord's channels name no kind.
    ("@g.us", SessionKind.GROUP),
    (":guild-", SessionKind.CHANNEL),
    (":acp:", SessionKind.INTERNAL),
    (":model-run-", SessionKind.INTERNAL),  # what somebody asked through `openclaw infer`, as 2026.7 keeps it
    (":dreaming", SessionKind.INTERNAL),
    (":internal", SessionKind.INTERNAL),
)
_ORIGINS = {
    "cron": SessionKind.CRON,
    "spawn": SessionKind.SUBAGENT,
    "plugin": SessionKind.INTERNAL,
    "internal": SessionKind.INTERNAL,
}
_PROMPT_KINDS = {
    "cron": SessionKind.CRON,
    "subagent": SessionKind.SUBAGENT,
    "inter-session": SessionKind.INTERNAL,
}


_LEAST_NOTES = 2  # one could be a text that somebody wrote like the host's


def session_kind(
    session_key: str,
    chat_type: str | None = None,
    created_via: str | None = None,
    hook_source: str | None = None,
) -> SessionKind:
    """Return what a session is for, from the host's facts about it; UNKNOWN without a key."""
    key = f":{session_key.lower()}:"
    for mark, kind in _KEY_MARKS:
        if mark in key:
            return kind
    if hook_source:
        return SessionKind.HOOK
    if chat_type in ("group", "channel"):
        return SessionKind(chat_type)
    # The main session is where the person talks, whatever opened it.
    if created_via in _ORIGINS and not key.endswith(":main:") and ":direct:" not in key:
        return _ORIGINS[created_via]
    return SessionKind.UNKNOWN if session_key in ("", "unknown") else SessionKind.DIRECT


def guess_kind(events: Iterable[TranscriptEvent]) -> SessionKind:
    """Return what a session without a key is for, from its first *events*; UNKNOWN unless they prove it.

    The first message of a cron or sub-agent session says so, and a group's messages carry the host's
    note. A heartbeat poll goes to main sessions; where the host's note of a direct chat stands above every
    message, with one sender, it was one. Nothing else proves that a conversation was private: messages of a
    group can look exactly like one person's own.
    """
    messages = with_sender = 0
    senders: list[str | None] = []
    has_heartbeat = False
    for event in events:
        if event.message is None or event.message.role != "user":
            continue
        text = message_text(event.message)
        if classify.says_group(text):
            return SessionKind.GROUP
        prompt = classify.prompt_kind(text)
        if not messages and prompt in _PROMPT_KINDS:
            return _PROMPT_KINDS[prompt]
        has_heartbeat = has_heartbeat or prompt == "heartbeat"
        messages += 1
        with_sender += _names_sender(text)
        if not prompt and not classify.is_command(text):
            senders.append(classify.direct_sender(text))
    if len(senders) >= _LEAST_NOTES and None not in senders and len(set(senders)) == 1:
        return SessionKind.DIRECT
    return SessionKind.DIRECT if has_heartbeat and with_sender * 2 < messages else SessionKind.UNKNOWN


def _names_sender(text: str) -> bool:
    # "Priya: heads up": a sender before the words, as in groups. A direct chat says "Log for today: …" now
    # and then; when half of the messages look so, the session stays unknown, which only leaves it out.
    head, colon, _ = text[:48].partition(": ")
    words = head.split()
    return bool(colon) and 0 < len(words) <= 3 and head[:1].isupper() and "".join(words).isalpha()
