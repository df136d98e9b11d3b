"""A program's conversation replayed through the product: what its context costs beside the whole history.

Every message is handed in (`add_message`), a context is taken for each request (`get_context`), and what is
due is done (`force_observe`, `reflect`), by the rules. A prefix that is the same as in the request before is
served from the cache. Of one that changed, all blocks of that request are, where they stand in front of it as
they were: a provider that caches up to a break point finds the one before at the end of a block. Where it
finds the longest beginning by itself, what did not change is. Messages are not marked for caching, so they
count in full. Tokens are the product's estimate.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise, takewhile
from typing import NamedTuple

from bench.progress import track
from bench.replay import CACHED_PRICE, common_chars
from bench.report import Cell, Column, Goal, Table
from bench.talks import Talk
from scrimshaw import Memory
from scrimshaw.core.conversation import Message, count_tokens
from scrimshaw.core.types import Entry, Role

_SYSTEM = "You are a careful assistant. " * 275  # about 2,000 tokens, as many programs have
_NEAR = (90_000, 110_000)  # tokens of history that count as 100,000
MINUTES_MS, HOUR_MS = 300_000, 3_600_000
AS_ASKED = -1  # as long as the product asks for, request by request
LEAST_CACHED, LEAST_CHEAPER, LEAST_REQUESTS = 0.95, 5.0, 200


class Request(NamedTuple):
    """One request: what the context took, and the whole history would have; tokens."""

    at_ms: int
    prefix: int
    behind: int  # everything behind the break point
    history: int
    shared: int  # of the prefix: what it begins with like that of the request before
    served: int  # of that: up to the break point of that request, if it all stands there still
    memories: int  # of what is behind: found for the turn
    said_before: int  # of the messages: the first ones, as they stood in the request before
    kept_ms: int  # how long the provider is asked to keep the prefix

    @property
    def is_same(self) -> bool:
        """Whether that is all of it."""
        return self.shared == self.prefix


class Contexts(NamedTuple):
    """A talk's requests, and what was done meanwhile."""

    name: str
    requests: list[Request]
    observed: int
    reflected: int
    lost: int  # messages that were neither before the cursor nor in the tail

    def cached_share(self, kept_ms: int | None, *, by_break_point: bool = True) -> float:
        """Return the share of the prefixes that a cache serves which keeps one for *kept_ms*."""
        kept = _kept(self.requests, kept_ms)
        served = sum(one.served if by_break_point else one.shared for one in kept)
        return served / max(1, sum(one.prefix for one in self.requests))

    def cached_at_most(self, kept_ms: int | None) -> float:
        """Return the share that would be served if no prefix ever changed: the rest are pauses."""
        return sum(one.prefix for one in _kept(self.requests, kept_ms)) / max(
            1, sum(one.prefix for one in self.requests)
        )

    def cheaper(self, kept_ms: int | None, *, cached: bool) -> float:
        """Return how many times cheaper than the whole history, with a cache on both sides or on none."""
        if not cached:
            whole = sum(one.prefix + one.behind for one in self.requests)
            return sum(one.history for one in self.requests) / max(1, whole)
        kept = set(_kept(self.requests, kept_ms))
        ours, full = 0.0, 0.0
        before = 0
        for one in self.requests:
            ours += one.behind + one.prefix - (1 - CACHED_PRICE) * (one.served if one in kept else 0)
            full += one.history - (1 - CACHED_PRICE) * (before if one in kept else 0)
            before = one.history
        return full / max(1.0, ours)

    def cheaper_with_tail(self, kept_ms: int | None) -> float:
        """Return the same with a cache on both sides, messages cached too, and no memories in front of them.

        A caller that asks for none (`memories=0`) gets that from a provider that finds the longest beginning.
        """
        kept = set(_kept(self.requests, kept_ms))
        ours, full, before = 0.0, 0.0, 0
        for one in self.requests:
            served = (one.shared + (one.said_before if one.is_same else 0)) if one in kept else 0
            ours += one.prefix + one.behind - one.memories - (1 - CACHED_PRICE) * served
            full += one.history - (1 - CACHED_PRICE) * (before if one in kept else 0)
            before = one.history
        return full / max(1.0, ours)

    def mean(self, part: Callable[[Request], int]) -> int:
        """Return the mean of a part of the requests, in tokens."""
        return round(sum(map(part, self.requests)) / max(1, len(self.requests)))

    def cheaper_near(self) -> float | None:
        """Return the same without a cache for the requests at about 100,000 tokens of history."""
        near = [one for one in self.requests if _NEAR[0] <= one.history < _NEAR[1]]
        ours = sum(one.prefix + one.behind for one in near)
        return sum(one.history for one in near) / ours if near else None


def _kept(requests: Sequence[Request], kept_ms: int | None) -> list[Request]:
    """Return the requests that come before a cache has let go of what the one before wrote."""
    return [
        later
        for earlier, later in pairwise(requests)
        if kept_ms is None
        or later.at_ms - earlier.at_ms < (earlier.kept_ms if kept_ms == AS_ASKED else kept_ms)
    ]


def replay(talk: Talk) -> Contexts:
    """Hand *talk* in message by message, take a context for each answer, and do what is due."""
    now_ms = [talk.entries[0].said_at_ms]
    requests: list[Request] = []
    observed = reflected = lost = count = 0
    history = count_tokens(_SYSTEM)
    before: tuple[str, ...] = ()
    tail: tuple[Message, ...] = ()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(
            home=folder, agent="bench", clock=lambda: datetime.fromtimestamp(now_ms[0] / 1000, UTC)
        ) as memory,
    ):
        for entry in talk.entries:
            now_ms[0] = entry.said_at_ms
            if entry.role is Role.ASSISTANT and count:
                context = memory.get_context("talk", system_prompt=_SYSTEM)
                tokens, parts = context.tokens, context.parts
                prefix = sum(tokens[name] for name in ("identity", "system_prompt", "observations"))
                behind = tokens["total"] - prefix
                requests.append(
                    Request(
                        *(now_ms[0], prefix, behind, history, _shared(before, parts.blocks, prefix)),
                        _served(before, parts.blocks, prefix),
                        tokens["memories"],
                        _repeated(tail, parts.messages),
                        HOUR_MS if parts.cached_for == "1h" else MINUTES_MS,
                    )
                )
                before, tail = parts.blocks, parts.messages
                lost += max(0, count - context.read.state.observed_position - len(parts.messages))
            text = _text(entry)
            if not text.strip():
                continue
            at = datetime.fromtimestamp(now_ms[0] / 1000, UTC)
            added = memory.add_message(
                text,
                role=entry.role.value,
                thread_id="talk",
                message_id=f"{count} {entry.entry_id}",
                timestamp=at,
            )
            count += 1
            history += added.message.token_count
            if entry.role is Role.ASSISTANT and added.should_observe:
                memory.force_observe("talk")
                observed += 1
                if memory.get_context("talk", memories=0).should_reflect:
                    memory.reflect()
                    reflected += 1
    return Contexts(talk.name, requests, observed, reflected, lost)


def _shared(before: tuple[str, ...], prefix: tuple[str, ...], tokens: int) -> int:
    """Return how many of the prefix's *tokens* stand in front as they did before."""
    if before == prefix:
        return tokens
    earlier, now = ("".join(blocks) for blocks in (before, prefix))
    return min(tokens, count_tokens(earlier[: common_chars(earlier, now)]))


def _served(before: tuple[str, ...], prefix: tuple[str, ...], tokens: int) -> int:
    """Return how many of them a cache serves that ends with the last block of *before*."""
    if not before or prefix[: len(before)] != before:
        return 0
    return tokens if before == prefix else min(tokens, count_tokens("".join(before)))


def _repeated(before: Sequence[Message], now: Sequence[Message]) -> int:
    """Return the tokens of the messages *now* that stand in front as they did before."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False))
    return sum(one.token_count for _, one in same)


def _text(entry: Entry) -> str:
    called = "\n".join(f"{call.name} {call.arguments}" for call in entry.calls)
    return "\n".join(part for part in (entry.text, called) if part)


def contexts_of(talks: Sequence[Talk]) -> list[Contexts]:
    """Replay *talks*."""
    return [replay(talk) for talk in track(talks, "contexts")]


def table(found: Sequence[Contexts], kept: Mapping[str, int | None]) -> Table:
    """Return what each replay came to."""
    kept = {**kept, "as long as asked for": AS_ASKED}
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        shares = [share for ms in kept.values() for share in (one.cached_share(ms), one.cached_at_most(ms))]
        shares.append(one.cached_share(None, by_break_point=False))
        near = one.cheaper_near()
        ratios = (
            one.cheaper(None, cached=False),
            "" if near is None else near,
            one.cheaper(None, cached=True),
            one.cheaper_with_tail(None),
        )
        parts = (
            one.mean(lambda asked: asked.prefix),
            one.mean(lambda asked: asked.memories),
            one.mean(lambda asked: asked.behind - asked.memories),
        )
        last = one.requests[-1]
        done = (one.observed, one.reflected, one.lost)
        rows.append((one.name, len(one.requests), last.history, *done, *parts, *shares, *ratios))
    names = ("conversation", "requests", "history at the end", "observed", "condensed", "messages lost")
    return Table(
        "A program's context: prefix from the cache, and how much cheaper than the whole history",
        (
            *map(Column, names, ("", "d", ",d", "d", "d", "d")),
            *(Column(f"mean tokens: {name}", ",d") for name in ("prefix", "memories", "messages")),
            *(
                Column(told, ".1%")
                for name in kept
                for told in (f"prefix cached, kept {name}", "… if it never changed")
            ),
            Column("… without break points", ".1%"),
            Column("times cheaper, both uncached", ".2f"),
            Column("… at 100,000 tokens", ".2f"),
            Column("… both cached, kept for ever", ".2f"),
            Column("… and the messages, too, without memories", ".2f"),
        ),
        rows,
    )


def goals(found: Sequence[Contexts]) -> list[Goal]:
    """Return whether the figures are as they should be."""
    if not found:
        return []
    long = [one for one in found if len(one.requests) >= LEAST_REQUESTS]
    shares = {
        name: min((one.cached_share(kept_ms) for one in long), default=0.0)
        for name, kept_ms in (("as long as asked for", AS_ASKED), ("an hour", HOUR_MS), ("for ever", None))
    }
    lost = sum(one.lost for one in found)
    near = [ratio for one in found if (ratio := one.cheaper_near()) is not None]
    made = [
        *(
            Goal(
                f"context: prefix from the cache, kept {name}, least of {len(long)} long ones",
                ">= 95 %",
                f"{share:.1%}",
                share >= LEAST_CACHED,
            )
            for name, share in shares.items()
        ),
        Goal("context: messages neither before the cursor nor in the tail", "0", str(lost), lost == 0),
    ]
    if near:
        least = min(near)
        told = f"{least:.1f} times at least, {sum(near) / len(near):.1f} on average"
        what = "context: cheaper than full history at 100,000 tokens, no cache"
        made.append(Goal(what, ">= 5 times", told, least >= LEAST_CHEAPER))
    return made
