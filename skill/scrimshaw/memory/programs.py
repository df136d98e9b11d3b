"""The part of `Memory` for programs: conversations handed in, contexts handed out."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Self

from scrimshaw.home import SHARED
from scrimshaw.layout import Layout
from scrimshaw.memory.arguments import check_limit
from scrimshaw.memory.keeping import MemoryKeeping
from scrimshaw.memory.writing import MemoryWriting

if TYPE_CHECKING:
    from scrimshaw.services.conversations.context import ConversationContext
    from scrimshaw.services.conversations.listing import ConversationList, ConversationMemory
    from scrimshaw.services.conversations.messages import AddedMessage
    from scrimshaw.services.observe.run import ObserveResult


class MemoryForPrograms(MemoryWriting, MemoryKeeping):
    """What a program without a host of its own does."""

    _shared: Self | None = None  # opened when a context asks for it; the lock guards it

    def add_message(
        self,
        content: str,
        *,
        thread_id: str,
        role: Literal["user", "assistant", "system", "tool"] = "user",
        resource_id: str = "",
        message_id: str = "",
        timestamp: datetime | None = None,
    ) -> AddedMessage:
        """Keep what *role* said in the conversation *thread_id*, and tell whether it is due to be observed.

        The same *message_id* twice is one message; without one an id is made. *resource_id* is whom the
        conversation is with: with `scope: resource` all of theirs share one log of observations. Secrets and
        what is private are taken out first. At most 1,000,000 characters.
        """
        from scrimshaw.services.conversations.messages import NewMessage, add_message

        self._require_set_up("Nothing was stored.")
        new = NewMessage(content, role, thread_id, resource_id, message_id, timestamp)
        return add_message(self._target, self._working_layer(), new, self.now())

    def get_context(
        self,
        thread_id: str,
        resource_id: str = "",
        *,
        shape: Literal["anthropic", "openai", "text"] = "anthropic",
        identity: str = "",
        system_prompt: str = "",
        channel_hint: str = "",
        query: str | None = None,
        memories: int = 8,
        observations: int = 0,
        reflections: int = 0,
    ) -> ConversationContext:
        """Return what to send to a model for the next turn of *thread_id*; nothing is written.

        First what stays the same from turn to turn, for the provider's cache: *identity*, *system_prompt*,
        the log of observations. Then up to *memories* that answer *query* (else what the user said last) and
        *channel_hint*. Then every message that is not observed yet, and never fewer than the last twelve.
        The newest *observations* (at most 20) and *reflections* (10) come one by one, too, where asked for.

        A memory whose `owner_id` is another than *resource_id* is left out. What the home's agent `shared`
        keeps is for all of its agents.
        """
        from scrimshaw.services.conversations import context
        from scrimshaw.services.conversations.observed import observed_lines

        self._require_set_up("Nothing was read.")
        told = context.Prefix(identity, system_prompt, channel_hint)
        wanted = context.check_shape(shape)
        read = context.read_conversation(
            self._target, self._working_layer(), self.now(), thread_id, resource_id
        )
        asked = read.last_asked if query is None else query
        is_wanted = asked.strip() and memories
        # More than are wanted: what the log shows already is left out.
        both = (self, self._for_all()) if is_wanted else ()
        found = [one.search(asked, mode="lexical", limit=3 * memories) for one in both if one is not None]
        db = self._working_layer()
        made = context.context_of(self._target, db, read, told, found, wanted, memories)
        lines = observed_lines(self._target, db, read, observations, reflections)
        return replace(made, **lines._asdict())

    def _for_all(self) -> Self | None:
        """Return the memory of what is for all agents of this home; None where there is none."""
        home = self._target.agents[0].home
        if home is None or self._target.is_shared or not Layout(home / SHARED).ledger.is_file():
            return None
        with self._lock:
            if self._shared is None:
                self._shared = type(self).open(home=home, agent=SHARED, env=self._env, clock=self._clock)
            return self._shared

    def close(self) -> None:
        """Let go of what is loaded; every later call raises UserError."""
        with self._lock:
            shared, self._shared = self._shared, None
        if shared is not None:
            shared.close()
        super().close()

    def report_usage(
        self,
        *,
        input_tokens: int,
        output_tokens: int,
        cache_creation_input_tokens: int = 0,
        cache_read_input_tokens: int = 0,
        model: str = "",
    ) -> None:
        """Keep what an answer of the caller's model used; `spend` shows what the provider's cache served.

        *input_tokens* are those read anew, as Anthropic counts; take cached ones off where they are in it.
        """
        from scrimshaw.services.models.reported import keep

        self._require_set_up("Nothing was kept.")
        used = (input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens)
        keep(self._target, self._working_layer(), self.now(), model, used)

    def force_observe(self, thread_id: str) -> ObserveResult:
        """Observe *thread_id* now, however little of it waits, and move its cursor behind it."""
        from scrimshaw.services.conversations.ask import asked_for

        self._require_set_up("Nothing was read.")
        return self.observe(asked_for(self._target, self._working_layer(), thread_id))

    def conversation(self, thread_id: str) -> ConversationMemory:
        """Return what is kept of *thread_id*: its state, and the size of its log of observations."""
        from scrimshaw.services.conversations.listing import conversation

        self._require_set_up("Nothing was read.")
        return conversation(self._target, self._working_layer(), self.now(), thread_id)

    def close_conversation(self, thread_id: str) -> ConversationMemory:
        """End *thread_id*: it is archived as a whole, and the rest of it is due to be observed.

        Without this a conversation has ended after a day of silence. The next message opens it again.
        """
        from scrimshaw.services.conversations.archive import close_conversation

        self._require_set_up("Nothing was closed.")
        return close_conversation(self._target, self._working_layer(), self.now(), thread_id)

    def conversations(self, limit: int = 100, *, after: str | None = None) -> ConversationList:
        """Return the conversations that programs have handed in, the one with the newest message first.

        *after*, which a page tells, asks for the next one.
        """
        from scrimshaw.services.conversations.listing import conversation_page

        self._require_set_up("Nothing was read.")
        check_limit(limit)
        return conversation_page(self._target, self._working_layer(), self.now(), limit, after)
