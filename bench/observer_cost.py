"""What an observer's own work costs in tokens, and how much it condenses.

With a scripted model (bench/scripted_model) in the place of a real one: the requests are the real ones, to
the letter, and the answers have a real one's form and length. Beside it what the rules keep of the same
windows. Tokens are by core/transcript/windows's estimate, which errs on the high side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest import mock

from bench.beam import load_chats
from bench.material import Material
from bench.people import Chat, locomo
from bench.pipeline import Memory
from bench.recorded import placed
from bench.samples import conversations
from bench.scripted_model import ScriptedModel
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.judge_prompt import ask_to_read
from scrimshaw.core.prompting.observe_reply import read_reply
from scrimshaw.core.prompting.observe_request import context_of, observe_question
from scrimshaw.core.transcript.windows import entry_tokens, estimate_tokens
from scrimshaw.core.types import Entry, Reply, Session, Window
from scrimshaw.core.verification.judge import to_read
from scrimshaw.core.verification.verify import prepare
from scrimshaw.models.model import Answer
from scrimshaw.models.prices import list_prices
from scrimshaw.resources import template
from scrimshaw.services.observe import run
from scrimshaw.services.observe.model_observer import ModelObserver
from scrimshaw.services.observe.task import ObserveOptions

SHORT_CHATS = ("conv-26 (", "conv-30 (", "conv-41 (", "conv-42 (", "conv-43 (")
_LINES_A_CHAT = 6  # what a large model noted of each of LoCoMo's conversations
BUSY_DAY_TOKENS = 300_000  # assumed: of an agent that works for hours, tool output whole
SHOWN = (
    "gemini/gemini-2.5-flash-lite",
    "gemini/gemini-2.5-flash",
    "openai/gpt-5-mini",
    "anthropic/claude-haiku-4-5",
    "anthropic/claude-sonnet-4-5",
)
Sessions = list[tuple[Session, list[Entry]]]


class Bill(NamedTuple):
    """What one observer made of a set of conversations, in tokens."""

    transcript: int  # everything that was said, tool output whole
    windows: int  # how many
    window_tokens: int  # as they count in windows, each message bounded
    sent: int
    answered: int
    noted: int
    lines: int
    reread: int = 0  # of what was sent, for reading the lines once more

    @property
    def reread_share(self) -> float:
        """What of the tokens sent a second reading takes."""
        return self.reread / self.sent if self.sent else 0.0

    @property
    def sent_share(self) -> float:
        """Tokens sent for each token of the transcript."""
        return self.sent / self.transcript

    @property
    def answered_share(self) -> float:
        """Tokens answered for each token of the transcript."""
        return self.answered / self.transcript


def inputs(material: Material) -> dict[str, Sessions]:
    """Return what there is to observe: BEAM 100K as one, and the samples."""
    found: dict[str, Sessions] = {}
    if chats := load_chats(material.beam("100K")):
        found["BEAM 100K"] = [(session, list(said)) for chat in chats for session, said in chat.sessions]
    for folder in material.samples():
        found[folder.name] = list(conversations(folder))
    return found


def with_model(sessions: Sessions) -> Bill:
    """Return the bill of the scripted model for *sessions*, each of which begins a memory of its own."""
    model = ScriptedModel()
    prompt = template("observer-prompt.md")
    seen: list[Window] = []
    reread: list[int] = []

    def observe(window: Window, known: KnownLines) -> Reply:
        seen.append(window)
        context = context_of(known, window, leave_out=lambda _line: False)
        question = observe_question(window, context, template=prompt)
        answer = model.ask(question.prompt, timeout_seconds=1, is_stopped=lambda: False)
        assert isinstance(answer, Answer)
        reply = read_reply(answer.text, question, window)
        if notes := to_read(reply.proposals, prepare(window), known, "all").noted:
            before = model.tokens_in
            again = ask_to_read(window, notes, template=template("second-reading-prompt.md"))
            model.ask(again, timeout_seconds=1, is_stopped=lambda: False)
            reread.append(model.tokens_in - before)
        return reply

    memory = Memory(observer=observe)
    for session, entries in sessions:
        memory.feed(session, entries)
    bill = _bill(sessions, seen, memory, model.tokens_in, model.tokens_out)
    return bill._replace(reread=sum(reread))


def with_rules(sessions: Sessions) -> Bill:
    """Return the bill of the rules: nothing is sent."""
    memory = Memory()
    for session, entries in sessions:
        memory.feed(session, entries)
    return _bill(sessions, memory.windows, memory, 0, 0)


def _bill(sessions: Sessions, windows: Iterable[Window], memory: Memory, sent: int, answered: int) -> Bill:
    seen = list(windows)
    noted = sum(estimate_tokens(text) for text in memory.texts())
    counted = sum(entry_tokens(entry) for window in seen for entry in window.entries)
    return Bill(
        sum(said_tokens(entry) for _, entries in sessions for entry in entries),
        len(seen),
        counted,
        sent,
        answered,
        noted,
        len(memory.lines),
    )


class Sharing(NamedTuple):
    """What a long chat of short conversations takes of an observer through the product's own path."""

    name: str
    said: int  # tokens
    alone: Asked  # each conversation in a question of its own
    shared: Asked

    @property
    def saved_share(self) -> float:
        """What of the tokens sent alone is not sent when conversations share questions."""
        return 1 - self.shared.sent / self.alone.sent


class Asked(NamedTuple):
    """The questions of a run and what came of them."""

    requests: int  # second readings included
    sent: int  # tokens
    lines: int


def sharing(chats: Iterable[Chat]) -> Iterator[Sharing]:
    """Yield what each of *chats* takes, with its conversations asked about alone and together."""
    for chat in chats:
        said = sum(estimate_tokens(one.text) for _, entries in chat.conversation.sessions for one in entries)
        with mock.patch.object(ModelObserver, "may_share", return_value=False):
            alone = _asked(chat)
        yield Sharing(chat.conversation.name, said, alone, _asked(chat))


def _asked(chat: Chat) -> Asked:
    model = ScriptedModel(_LINES_A_CHAT)
    newest_ms = max(one.said_at_ms for _, entries in chat.conversation.sessions for one in entries)
    now = datetime.fromtimestamp(newest_ms / 1000, UTC) + timedelta(hours=6)
    with TemporaryDirectory(prefix="scrimshaw-bench-") as folder, placed(Path(folder), chat) as target:
        done = run.run(target, now, ObserveOptions(opens=lambda _choice: model, waits=False)).observed
    return Asked(model.calls, model.tokens_in, done.accepted)


def short_chats(material: Material) -> list[Chat]:
    """Return LoCoMo's chats, each with its first speaker as the owner."""
    chats = [chat for path in material.locomo()[:1] for chat in locomo(path)]
    return [chat for chat in chats[::2] if chat.conversation.name.startswith(SHORT_CHATS)]


def said_tokens(entry: Entry) -> int:
    """Return how many tokens *entry* is, whole."""
    return estimate_tokens(entry.text) + sum(estimate_tokens(call.arguments) for call in entry.calls)


def tokens_a_day(sessions: Sessions) -> int:
    """Return the tokens of transcript of a middling day on which something was said."""
    days: dict[str, int] = defaultdict(int)
    for _, entries in sessions:
        for entry in entries:
            days[f"{datetime.fromtimestamp(entry.said_at_ms / 1000, UTC):%Y-%m-%d}"] += said_tokens(entry)
    return int(median(days.values())) if days else 0


def day_bills(sent: float, answered: float) -> dict[str, float]:
    """Return the dollars, at list prices without any discount, by model."""
    priced = {name: list_prices()[name] for name in SHOWN if name in list_prices()}
    return {name: round((sent * price[0] + answered * price[1]) / 1e6, 4) for name, price in priced.items()}
