"""A model as the observer of a bench: the product's request, its reading of the reply and one more try.

What `services/observe/model_observer` does, without a ledger: a reply that did not close is asked for once
more with what was wrong, then the rules note the window. An answer that does not come ends the measurement,
because a table in which half of the windows were the rules' own says nothing of a model.
"""

from __future__ import annotations

import os
from functools import lru_cache

from bench.beam import Conversation
from bench.keeping import Observes
from bench.pipeline import Memory
from scrimshaw.config import load
from scrimshaw.core.extraction import observe
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.observe_reply import complaint_about, read_reply
from scrimshaw.core.prompting.observe_request import context_of, observe_question
from scrimshaw.core.types import Reply, Window
from scrimshaw.models.model import Answer, Failure, Model, ModelChoice
from scrimshaw.models.opening import opener
from scrimshaw.resources import template

_TIMEOUT_SECONDS = 180.0


def observer_by_model(name: str) -> Observes:
    """Return the observer that asks the model called *name*; ends the program when it cannot be opened."""
    endpoints = load(None, "main").settings.endpoints
    opened = opener(os.environ)(ModelChoice(name, endpoints))
    if isinstance(opened, Failure):
        raise SystemExit(f"{name}: {opened.detail}")
    model = opened

    @lru_cache(maxsize=64)
    def observes(conversation: Conversation) -> Memory:
        memory = Memory(observer=lambda window, known: noted(model, window, known))
        for session, entries in conversation.sessions:
            memory.feed(session, entries)
        return memory

    return observes


def noted(model: Model, window: Window, known: KnownLines) -> Reply:
    """Return what *model* notes of *window*, or the rules when neither of its two replies closed."""
    context = context_of(known, window, leave_out=lambda _line: False)
    prompt_text, complaint = template("observer-prompt.md"), ""
    for _ in range(2):
        question = observe_question(window, context, template=prompt_text, complaint=complaint)
        answer = model.ask(question.prompt, timeout_seconds=_TIMEOUT_SECONDS, is_stopped=lambda: False)
        if not isinstance(answer, Answer):
            raise SystemExit(f"{model.name}: {answer.detail}. Nothing is told of what was measured so far.")
        reply = read_reply(answer.text, question, window, is_cut=answer.is_cut)
        if reply.is_closed:
            return reply
        complaint = complaint_about(reply, ())
    return observe(window, known)
