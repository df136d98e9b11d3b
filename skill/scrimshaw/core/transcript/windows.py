"""Windows: which evidence one observer run covers.

A window is consecutive evidence of one session, cut where an exchange begins: a person's message
with all the work and the answers that follow it stay together, and a short reply stays with the
question it answers. Larger inputs give worse notes, so a window ends at about *target_tokens* and
never passes *ceiling*, except by one exchange that cannot be cut. An oversized message counts as
MESSAGE_TOKENS, so that it can neither starve nor flood a run.

Pure and streaming: it holds one window's entries at a time and knows nothing of where they came from.

Short windows of several conversations may be asked about in one request, so that what a model is told each
time is told once for all of them (`laid_together`). They stay windows of their own all the same: what is
noted and what counts as covered is each window's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scrimshaw.core.types import Entry, Role, Session, Window

TARGET_TOKENS = 5_000
CEILING_TOKENS = 6_000
MESSAGE_TOKENS = 1_500  # the most that one message counts for

# Measured on raw transcripts: characters / 4 is a fifth too low.
_BYTES_A_TOKEN = 3.3
# About a third of what a host stores is text; the rest is the JSON around it and tool bookkeeping.
STORED_BYTES_A_TOKEN = 10
_SHORT_REPLY_CHARS = 160


def estimate_tokens(text: str) -> int:
    """Return about how many tokens *text* is, erring on the high side; 0 only for no text."""
    size_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -int(-size_bytes // _BYTES_A_TOKEN)


def entry_tokens(entry: Entry) -> int:
    """Return what *entry* counts for in a window."""
    tokens = min(estimate_tokens(entry.text[: MESSAGE_TOKENS * 4]), MESSAGE_TOKENS)
    for call in entry.calls:
        tokens += min(estimate_tokens(call.arguments), MESSAGE_TOKENS // 4) + 4
    return tokens + 8


def windows(
    session: Session,
    entries: Iterable[Entry],
    zone: str,
    *,
    target_tokens: int = TARGET_TOKENS,
    ceiling: int = CEILING_TOKENS,
) -> Iterator[Window]:
    """Yield *entries* as windows, in order, each entry in exactly one.

    A new window begins before an exchange that would pass *target_tokens*. An exchange that alone
    passes *ceiling* is cut between a finished tool result and what follows it.
    """
    held: list[Entry] = []
    held_tokens = 0
    for part, tokens in _parts(entries, ceiling):
        full = held_tokens + tokens > target_tokens
        # A short reply says nothing without the question before it; it may use the room up to the ceiling.
        if full and _answers(held, part) and held_tokens + tokens <= ceiling:
            full = False
        if held and full:
            yield Window(session, tuple(held), held_tokens, zone)
            held, held_tokens = [], 0
        held.extend(part)
        held_tokens += tokens
    if held:
        yield Window(session, tuple(held), held_tokens, zone)


def laid_together(those: Sequence[Window]) -> Window:
    """Return *those* as one to ask about, one conversation behind the other; nothing is accepted from it.

    Where a conversation begins its entries tell: each knows its session. No id may stand in two of them.
    """
    first = those[0]
    if len(those) == 1:
        return first
    entries = tuple(entry for one in those for entry in one.entries)
    return Window(first.session, entries, sum(one.tokens for one in those), first.zone)


def _parts(entries: Iterable[Entry], ceiling: int) -> Iterator[tuple[list[Entry], int]]:
    """Yield exchanges with their tokens; one over *ceiling* in pieces that split no call from its result."""
    part: list[Entry] = []
    tokens = 0
    waiting: set[str] = set()  # calls without a result yet
    for entry in entries:
        cost = entry_tokens(entry)
        begins = entry.role is Role.USER
        over = tokens + cost > ceiling and not waiting and entry.role is Role.ASSISTANT
        # A call whose result never came (an aborted turn) must not hold the rest of the session together.
        if part and (begins or over):
            yield part, tokens
            part, tokens, waiting = [], 0, set()
        part.append(entry)
        tokens += cost
        waiting.update(call.call_id for call in entry.calls)
        waiting.discard(entry.call_id)
    if part:
        yield part, tokens


def _answers(held: list[Entry], part: list[Entry]) -> bool:
    if not held or held[-1].role is not Role.ASSISTANT or part[0].role is not Role.USER:
        return False
    return "?" in held[-1].text[-_SHORT_REPLY_CHARS:] and len(part[0].text) <= _SHORT_REPLY_CHARS
