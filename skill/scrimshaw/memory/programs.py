"""The part of `Memory` for programs: storing conversations, and building contexts."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from scrimshaw.errors import UserError
from scrimshaw.memory.arguments import check_count, check_limit, check_text, readable
from scrimshaw.memory.keeping import MemoryKeeping
from scrimshaw.memory.writing import MemoryWriting

if TYPE_CHECKING:
    from scrimshaw.services.conversations.context import ConversationContext
    from scrimshaw.services.conversations.listing import ConversationList, ConversationMemory
    from scrimshaw.services.conversations.messages import AddedMessage
    from scrimshaw.services.observe.run import ObserveResult
    from scrimshaw.services.search.log import SearchResult


class MemoryForPrograms(MemoryWriting, MemoryKeeping):
    """What a program without a host needs."""

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
        """Store what *role* said in the conversation *thread_id*; the result says whether observing is due.

        The same *message_id* twice is one message, which stays as it was first, also where the text is
        another (`is_new` is false then); without it an id is made. *resource_id* is the other side
        of the conversation: with `scope: resource` all their conversations share one log of observations.
        Secrets and private parts are removed first. At most 1,000,000 characters. A *timestamp* without a
        zone is in the workspace's zone.
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
        """Return what to send to a model for the next turn of *thread_id*.

        First the parts that do not change from turn to turn, for the provider's cache: *identity*,
        *system_prompt*, the log of observations. Then up to *memories* results for *query* (default: what the
        user said last) and *channel_hint*. Then every message that is not yet observed, at least the last
        twelve. If requested, the newest *observations* (at most 20) and *reflections* (10) are also listed
        one by one.

        Memories with another `owner_id` than *resource_id* are left out; without one, all with an owner are.
        What the home's agent `shared` keeps is for all of its agents. Being in a context counts as a use of a
        memory; nothing else is written.
        """
        from scrimshaw.services.conversations import context

        self._require_set_up("Nothing was read.")
        check_count(memories=memories, observations=observations, reflections=reflections)
        check_text(thread_id=thread_id, resource_id=resource_id, query="" if query is None else query)
        check_text(identity=identity, system_prompt=system_prompt, channel_hint=channel_hint)
        told = context.Prefix(identity, system_prompt, channel_hint)
        wanted = context.check_shape(shape)
        read = context.read_conversation(
            self._target, self._working_layer(), self.now(), thread_id, resource_id
        )
        asked = read.last_asked if query is None else query
        both: list[MemoryForPrograms] = [self] if asked.strip() and memories else []
        # More than wanted, because those already shown by the log are left out.
        found = [self._for_turn(asked, 3 * memories) for _ in both]
        with suppress(UserError):  # no turn fails for what is for all agents; `search` says what is wrong
            if both and (other := self._for_all()) is not None:
                found.append(other._for_turn(asked, 3 * memories))
                both.append(other)
        db = self._working_layer()
        made = context.context_of(self._target, db, read, told, found, wanted, memories)
        shown = {each.id for each in made.parts.memories}
        for one, result in zip(both, found, strict=True):
            one._note_used(hit for hit in result.results if hit.id in shown)
        return context.with_lines(made, db, observations, reflections)

    def _for_turn(self, asked: str, limit: int) -> SearchResult:
        """Return what answers *asked* by words, and by meaning too where a search has loaded the model."""
        from scrimshaw.core.search.layers import BOTH_LAYERS
        from scrimshaw.services.search.search import SearchQuery

        self._require_set_up("Nothing was searched.")
        return self._found(SearchQuery(readable(asked), limit=limit, is_quick=True), frozenset(BOTH_LAYERS))

    def report_usage(
        self,
        *,
        input_tokens: int,
        output_tokens: int,
        cache_creation_input_tokens: int = 0,
        cache_read_input_tokens: int = 0,
        model: str = "",
        id: str = "",  # noqa: A002  # as `store` has it
    ) -> None:
        """Record the tokens of a call of the caller's model; `spend` shows the share of the provider's cache.

        *input_tokens* excludes cached tokens, as Anthropic counts; subtract those where included. A report
        whose *id* is stored already adds nothing.
        """
        from scrimshaw.services.models.spending import keep_report

        self._require_set_up("Nothing was kept.")
        check_text(model=model, id=id)
        used = (input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens)
        keep_report(self._target, self._working_layer(), self.now(), model, used, id)

    def force_observe(self, thread_id: str) -> ObserveResult:
        """Observe *thread_id* now, even if only little is waiting, and advance its cursor."""
        from scrimshaw.services.conversations.messages import asked_for

        self._require_set_up("Nothing was read.")
        check_text(thread_id=thread_id)
        return self.observe(asked_for(self._target, self._working_layer(), thread_id))

    def conversation(self, thread_id: str) -> ConversationMemory:
        """Return the state of *thread_id*, and the size of its log of observations."""
        from scrimshaw.services.conversations.listing import conversation

        self._require_set_up("Nothing was read.")
        check_text(thread_id=thread_id)
        return conversation(self._target, self._working_layer(), self.now(), thread_id)

    def close_conversation(self, thread_id: str) -> ConversationMemory:
        """End *thread_id*: it is archived as a whole, and what is not yet observed of it becomes due.

        Otherwise a conversation ends after a day without messages. The next message opens it again.
        """
        from scrimshaw.services.conversations.archive import close_conversation

        self._require_set_up("Nothing was closed.")
        check_text(thread_id=thread_id)
        return close_conversation(self._target, self._working_layer(), self.now(), thread_id)

    def conversations(self, limit: int = 100, *, after: str | None = None) -> ConversationList:
        """Return the conversations that programs have stored, the one with the newest message first.

        `after` of a page gets the next page.
        """
        from scrimshaw.services.conversations.listing import conversation_page

        self._require_set_up("Nothing was read.")
        check_limit(limit)
        check_text(after="" if after is None else after)
        layer = self._working_there()
        return conversation_page(self._target, layer.db if layer else None, self.now(), limit, after)
