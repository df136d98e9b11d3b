"""Contract tests for sources and models, for whoever writes one; needs no test framework.

Each function raises AssertionError with a sentence that says what does not hold. Scrimshaw's own sources and
models pass the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scrimshaw.core.prompting import Prompt
from scrimshaw.core.transcript.entries import LATEST_MS, OLDEST_MS
from scrimshaw.core.types import Entry
from scrimshaw.models.model import Answer, Failure, Model, Trouble
from scrimshaw.sources.plugin import PluginSource, TranscriptReader
from scrimshaw.sources.reading import Page, SessionState, Source

_MAX_CURSOR_CHARS = 100_000


def check_source(opens: Callable[[], Source | TranscriptReader]) -> None:
    """Check a source or reader; each call of *opens* opens it anew on one store, which nobody changes.

    It must hold a conversation of at least two messages.
    """
    source = _opened(opens)
    states = source.sessions()
    _expect(bool(states), "sessions() lists nothing: give the store a conversation")
    ids = [state.session.session_id for state in states]
    _expect(len(set(ids)) == len(ids), "two sessions have the same id")
    _expect(
        states == sorted(states, key=lambda one: (one.newest_at_ms, one.session.session_id)), "oldest first"
    )
    _expect(states == _opened(opens).sessions(), "the same store, opened again, lists other sessions")
    longest = max(_check_session(source, opens, state) for state in states)
    _expect(longest > 1, "no conversation holds two messages: give the store one")
    source.close()
    source.close()


def check_model(opens: Callable[[], Model], *, secrets: Sequence[str] = ()) -> None:
    """Check a model that answers; *secrets*, such as its key, may show in nothing that it says of itself."""
    model = opens()
    _expect(
        0 < len(model.name) < 300 and model.name.isprintable(), "name should be PROVIDER/MODEL on one line"
    )
    _expect(
        0 < len(model.place) < 300 and model.place.isprintable(),
        "place should say where text goes, on one line",
    )
    prompt = Prompt("Take notes, in one line.", "The crate of limes goes to Harbour Street.", 200)
    said = model.ask(prompt, timeout_seconds=60, is_stopped=lambda: False)
    if not isinstance(said, Answer):
        raise AssertionError(  # noqa: TRY004  # a test's
            f"no answer to an ordinary question: {said!r}"
        )
    usage = said.usage
    _expect(isinstance(said.text, str), "an answer's text should be a str")
    _expect(min(usage.tokens_in, usage.tokens_out) >= 0, "tokens are counted from 0")
    stopped = model.ask(prompt, timeout_seconds=60, is_stopped=lambda: True)
    _expect(
        isinstance(stopped, Failure) and stopped.trouble is Trouble.STOPPED,
        "asked while is_stopped() is true it should say Failure(Trouble.STOPPED, …)",
    )
    strange = prompt._replace(text="a\0b \ud800 <|endoftext|> " + "limes " * 2_000)
    odd = model.ask(strange, timeout_seconds=60, is_stopped=lambda: False)
    _expect(isinstance(odd, Answer | Failure), "odd characters: neither an Answer nor a Failure")
    late = model.ask(prompt, timeout_seconds=0, is_stopped=lambda: False)
    _expect(isinstance(late, Answer | Failure), "no time left: neither an Answer nor a Failure")
    told = repr((model, said, stopped, odd, late))
    _expect(not any(secret in told for secret in secrets), "a secret shows in what the model says of itself")


def _opened(opens: Callable[[], Source | TranscriptReader]) -> Source:
    opened = opens()
    if hasattr(opened, "conversations"):
        return PluginSource("checked", Path(), "main", opened)  # type: ignore[arg-type]  # a reader, by its method
    return opened


def _check_session(
    source: Source, opens: Callable[[], Source | TranscriptReader], state: SessionState
) -> int:
    """Check one session; return how many entries it holds."""
    where = f"{state.session.session_id}: "
    _expect(bool(state.position), where + "an empty version")
    pages = list(source.pages(state, None))
    entries = _entries(pages)
    ids = [entry.entry_id for entry in entries]
    _expect(len(set(ids)) == len(ids), where + "two messages have the same id")
    _expect(all(OLDEST_MS <= entry.said_at_ms < LATEST_MS for entry in entries), where + "an impossible time")
    positions = [entry.position for entry in entries]
    _expect(positions == sorted(set(positions)), where + "positions do not increase")
    _expect(
        entries == _entries(list(_opened(opens).pages(state, None))), where + "reads otherwise the next time"
    )
    read = 0
    for page in pages:
        read += len(page.entries)
        _expect(len(page.cursor) < _MAX_CURSOR_CHARS, where + "a cursor that is too large to be kept")
        rest = _entries(list(_opened(opens).pages(state, page.cursor)))
        _expect(
            [entry.entry_id for entry in rest] == ids[read:], where + "reading on misses or repeats messages"
        )
    if pages:
        _expect(
            not source.unread_bytes(state, pages[-1].cursor), where + "something unread after the last page"
        )
    again = list(_opened(opens).pages(state, "not a cursor"))
    _expect(_entries(again) == entries, where + "a cursor that does not hold should read all again")
    _expect(any(page.problems for page in again) or not pages, where + "and should be named as a problem")
    return len(entries)


def _entries(pages: Sequence[Page]) -> list[Entry]:
    return [entry for page in pages for entry in page.entries]


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
